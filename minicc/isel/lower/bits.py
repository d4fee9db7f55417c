"""Values of one width read as others: lists of parts are cut to a common unit and joined again."""

from __future__ import annotations

from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.bytes import gathered
from minicc.isel.lower.halves import HALVES, is_packed
from minicc.isel.lower.integers import Integers
from minicc.nvvm import ir


class Bits(Integers):
    """Mixin of `Lowering`."""

    def bitcast(self, parts: list[Node], source: ir.Type, to: ir.Type) -> list[Node]:
        kinds = self.legal(to)
        if [p.type for p in parts] == kinds and self.element_bits(source) == self.element_bits(to):
            return parts
        alone = len(parts) == 1 and len(kinds) == 1 and "p" not in (parts[0].type, kinds[0])
        if alone and WIDTH[parts[0].type] == WIDTH[kinds[0]]:
            return [self.build.bitcast(parts[0], kinds[0])]
        if alone and source.kind == "int" and source.bits == 16 and not parts[0].is_const:
            node = parts[0]
            if node.op == "lshr.i32" and node.args[1].is_const and node.args[1].data == 16:
                return [self.unpair(node.args[0], kinds[0])[1]]
            return [self.build.bitcast(parts[0], kinds[0])]  # what stands above the sixteen bits is cut off
        in_words = all(part.head == "res" and part.args[0].head == "unpackh" for part in parts)
        if is_packed(source) and (self.element_bits(to) % 32 == 0 or (in_words and to.element == ir.int_type(16))):
            parts, source = self.pairs(parts), ir.vector_type(source.count // 2, ir.int_type(32))
            return self.bitcast(parts, source, to)
        if is_packed(to) and self.element_bits(source) % 32 == 0:
            words = self.bitcast(parts, source, ir.vector_type(to.count // 2, ir.int_type(32)))
            return [part for word in words for part in self.unpair(word, HALVES[to.element.kind])]
        bits, wanted = self.element_bits(source), self.element_bits(to)
        unit = 1 if bits == 1 else next((u for u in (32, 16, 8) if bits % u == 0), 0)
        if unit == 0 or (wanted % unit and unit % wanted):
            return self.recut(parts, source, to)
        return self.join(self.split(parts, source), to)

    def recut(self, parts: list[Node], source: ir.Type, to: ir.Type) -> list[Node]:
        """Elements of any number of bits, through one integer of all of them."""
        if source.kind == "vector":
            bits, count = self.element_bits(source), source.count
            step, whole = len(parts) // count, bits * count
            element = ir.int_type(bits)
            joined = self.number(whole, 0)
            for i in range(count):
                piece = self.bitcast(parts[i * step : i * step + step], source.element, element)
                piece = self.extend("zext", piece, bits, whole) if count > 1 else piece
                joined = self.operate(
                    "or", whole, joined, self.operate("shl", whole, piece, self.number(whole, i * bits))
                )
            return self.bitcast(joined, ir.int_type(whole), to)
        if to.kind != "vector":
            self.unsupported(f"bitcast of {source} to {to}")
        bits, whole = self.element_bits(to), source.bits
        out: list[Node] = []
        for i in range(to.count):
            piece = self.operate("lshr", whole, parts, self.number(whole, i * bits)) if i else parts
            piece = self.extend("zext", piece, whole, bits) if whole > bits else piece
            out += self.bitcast(piece, ir.int_type(bits), to.element)
        return out

    def element_bits(self, type_: ir.Type) -> int:
        return self.layout.bits(type_.element) if type_.kind == "vector" else self.layout.bits(type_)

    def split(self, parts: list[Node], type_: ir.Type) -> tuple[int, list[Node]]:
        """(bits, units): a value as equal little-endian pieces of 1, 8, 16 or 32 bits, held in i32 (or p)."""
        build = self.build
        bits = self.element_bits(type_)
        if bits == 1:
            return 1, parts
        unit = 32 if bits % 32 == 0 else 16 if bits % 16 == 0 else 8
        count = type_.count if type_.kind == "vector" else 1
        step = len(parts) // count
        out: list[Node] = []
        for i in range(count):
            words: list[Node] = []
            for part in parts[i * step : i * step + step]:
                if WIDTH[part.type] == 64:
                    part = build.bitcast(part, "i64")
                    words += [build.trunc(part), build.high(part)]
                else:
                    words.append(build.bitcast(part, "i32"))
            for at in range(0, bits, unit):
                word = words[at // 32]
                out.append(build.binary("lshr", "i32", word, build.const("i32", at % 32)))
        return unit, out

    def join(self, units: tuple[int, list[Node]], to: ir.Type) -> list[Node]:
        """The inverse of `split` for another type of the same total width."""
        build = self.build
        unit, pieces = units
        bits = self.element_bits(to)
        if bits < unit:
            finer: list[Node] = []
            for piece in pieces:
                for at in range(0, unit, bits):
                    part = build.binary("lshr", "i32", piece, build.const("i32", at))
                    finer.append(build.to_pred(part) if bits == 1 else part)
            unit, pieces = bits, finer
        if bits == 1:
            return pieces
        per = bits // unit
        kinds = self.legal(to)
        count = to.count if to.kind == "vector" else 1
        result: list[Node] = []
        for i in range(count):
            group = pieces[i * per : i * per + per]
            if unit < 32:
                group = self.gather(group, unit)
            parts = kinds[i * len(kinds) // count : (i + 1) * len(kinds) // count]
            at = 0
            for kind in parts:
                if WIDTH[kind] == 64:
                    high = group[at + 1] if at + 1 < len(group) else build.const("i32", 0)
                    result.append(build.bitcast(build.pack(group[at], high), kind))
                    at += 2
                else:
                    result.append(build.bitcast(group[at], kind))
                    at += 1
        return result

    def gather(self, pieces: list[Node], unit: int) -> list[Node]:
        """Words of 32 bits from pieces of `unit` bits (predicates if 1)."""
        build = self.build
        words = []
        for start in range(0, len(pieces), 32 // unit):
            word = build.const("i32", 0)
            chunk = pieces[start : start + 32 // unit]
            if unit == 8 and len(chunk) == 4 and (whole := gathered(build, chunk)) is not None:
                words.append(whole)
                continue
            for index, piece in enumerate(chunk):
                last = index == 32 // unit - 1
                low = piece if last and unit > 1 else build.zext(piece, unit, "i32")
                word = build.binary(
                    "or", "i32", word, build.binary("shl", "i32", low, build.const("i32", index * unit))
                )
                if index == 0:
                    word = low
            words.append(word)
        return words
