"""Sums of products of bytes: four of them from two words are one `dp4a`.

Bytes of several words are put together first where enough products share them: of an outer product of bytes, summed
over four steps, each row and each column is packed once.
"""

from __future__ import annotations

from collections import Counter

from minicc.isel.dag import Node
from minicc.isel.lower.base import Base
from minicc.isel.lower.bytes import Part, assembled, byte_of
from minicc.nvvm import ir

_LEAST = 4
"""Products that are worth a dot product."""
_DEAREST = 2.0
"""Permutations that putting the bytes of one dot product together may take: it saves three products."""
Key = tuple[Node, Node, bool, bool]
"""Two words, and whether the bytes of each are signed."""
Byte = tuple[Node, int, bool]
"""A word, which byte of it, and whether it is signed."""
Product = tuple[ir.Inst, tuple[Byte, Byte]]
"""A multiplication of two bytes, and these."""


class Dots(Base):
    """Mixin of `Lowering`."""

    users: dict[ir.Value, list[ir.Inst]]
    multiplies: bool
    """Whether the function has integer products at all."""

    def dot_products(self, inst: ir.Inst) -> Node | None:
        """The sum that ends with this addition, if it has dot products."""
        if not self.multiplies or inst.type.kind != "int" or inst.type.bits != 32 or self.continues(inst):
            return None
        if not self.has("dp4a.ss.i32"):
            return None
        terms = self.terms(inst)
        if len(terms) < _LEAST:
            return None
        groups: dict[Key, dict[int, tuple[int, Node]]] = {}
        keys = [self.product(self.one(term), groups) for term in terms]
        chosen = [(key, found) for key, found in groups.items() if len(found) == _LEAST]
        whole = {key for key, _ in chosen}
        left = [term for term, key in zip(terms, keys, strict=True) if key not in whole]
        packed = self.gathered(left)
        if not chosen and not packed:
            return None
        gone = {term for four in packed for term, _ in four}
        rest = [self.one(term) for term in left if term not in gone]
        total = self.build.const("i32", 0)
        for term in rest:
            total = self.build.binary("add", "i32", total, term)
        for (x, y, x_signed, y_signed), found in chosen:
            places = [found[i][0] for i in range(4)]
            if places != [0, 1, 2, 3]:
                parts: list[Part] = [(y, place) for place in places]
                y = assembled(self.build, (parts[0], parts[1], parts[2], parts[3]), [y, y])
            signs = "us"[x_signed] + "us"[y_signed]
            total = self.build.pure(f"dp4a.{signs}.i32", "i32", x, y, total)
        for four in packed:
            (x, x_signed), (y, y_signed) = (self.together([found[side] for _, found in four]) for side in (0, 1))
            total = self.build.pure(f"dp4a.{'us'[x_signed]}{'us'[y_signed]}.i32", "i32", x, y, total)
        return total

    def gathered(self, terms: list[ir.Value]) -> list[list[Product]]:
        """Fours of products of bytes, in their order, that are worth a dot product with their bytes put together."""
        of_signs: dict[tuple[bool, bool], list[Product]] = {}
        for term, times in Counter(terms).items():
            if isinstance(term, ir.Inst) and term.op == "mul" and times == 1:
                x, y = (byte_of(self.one(arg)) for arg in term.args)
                if x is not None and y is not None:
                    of_signs.setdefault((x[2], y[2]), []).append((term, (x, y)))
        fours = [alike[at : at + _LEAST] for alike in of_signs.values() for at in range(0, len(alike) - 3, _LEAST)]
        return [four for four in fours if self.packing(four, 0) + self.packing(four, 1) <= _DEAREST]

    def packing(self, four: list[Product], side: int) -> float:
        """Permutations for each product that one side of four takes: the more products have its bytes, the fewer."""
        words = {found[side][0] for _, found in four}
        uses = min(sum(user.op == "mul" for user in self.users.get(term.args[side], ())) for term, _ in four)
        return (len(words) - 1) / max(uses, 1)

    def together(self, bytes_: list[Byte]) -> tuple[Node, bool]:
        """A word of four bytes of one signedness, and that. Bytes of four words are joined by pairs, which serve the
        bytes beside them, too: four words turned are eight permutations."""
        x, y, z, t = ((word, place) for word, place, _ in bytes_)
        signed = bytes_[0][2]
        words = list(dict.fromkeys(word for word, _, _ in bytes_))
        if len(words) < _LEAST:
            return assembled(self.build, (x, y, z, t), words if len(words) > 1 else words * 2), signed
        (low, at), (high, to) = (self.paired(*pair) for pair in ((x, y), (z, t)))
        return self.permutation(low, high, at, at + 1, 4 + to, 5 + to), signed

    def paired(self, a: tuple[Node, int], b: tuple[Node, int]) -> tuple[Node, int]:
        """A word that has two bytes of two words side by side, and the place of the first."""
        (x, at), (y, to) = a, b
        if at != to:
            return self.permutation(x, y, at, 4 + to, at, 4 + to), 0
        first = at & 2
        return self.permutation(x, y, first, 4 + first, first + 1, 5 + first), 2 * (at & 1)

    def permutation(self, x: Node, y: Node, *places: int) -> Node:
        """Four bytes of the eight of two words, lowest first."""
        selector = sum(place << 4 * i for i, place in enumerate(places))
        return self.build.pure("prmt.i32", "i32", x, y, self.build.const("i32", selector))

    def product(self, term: Node, groups: dict[Key, dict[int, tuple[int, Node]]]) -> Key | None:
        """Sort a product of two bytes into the group of its words, by the byte of the first; None if it is none."""
        if term.op != "mul.i32":
            return None
        a, b = (byte_of(arg) for arg in term.args)
        if a is None or b is None:
            return None
        for (x, at, sx), (y, to, sy) in ((a, b), (b, a)):
            found = groups.get((x, y, sx, sy))
            if found is not None and at not in found and all(to != other for other, _ in found.values()):
                found[at] = to, term
                return x, y, sx, sy
        (x, at, sx), (y, to, sy) = a, b
        if (x, y, sx, sy) in groups or (y, x, sy, sx) in groups:
            return None
        groups[x, y, sx, sy] = {at: (to, term)}
        return x, y, sx, sy

    def continues(self, inst: ir.Inst) -> bool:
        """Whether the sum goes on in another addition of the block."""
        after = self.users.get(inst, [])
        return len(after) == 1 and after[0].op == "add" and after[0].parent is inst.parent

    def terms(self, inst: ir.Inst) -> list[ir.Value]:
        """What a chain of additions sums up."""
        out: list[ir.Value] = []
        todo: list[ir.Value] = list(inst.args)
        while todo:
            value = todo.pop()
            inner = isinstance(value, ir.Inst) and value.op == "add" and value.parent is inst.parent
            if isinstance(value, ir.Inst) and inner and self.continues(value):
                todo += value.args
            else:
                out.append(value)
        return out[::-1]

    def multiplies_bytes(self, load: ir.Inst) -> bool:
        """Whether a vector of bytes is loaded to be multiplied, as words then, that a dot product takes."""
        type_ = load.type
        if type_.kind != "vector" or type_.element != ir.int_type(8) or type_.count % 4 or load.align < 4:
            return False
        if self.options.opt_level == 0 or not self.has("dp4a.ss.i32"):
            return False
        parts = self.users.get(load, [])
        extended = [after for part in parts for after in self.users.get(part, [])]
        return (
            len(parts) == len(extended) == type_.count
            and all(part.op == "extractelement" for part in parts)
            and all(
                wide.op in ("sext", "zext") and any(after.op == "mul" for after in self.users.get(wide, []))
                for wide in extended
            )
        )
