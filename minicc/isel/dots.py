"""Sums of products of bytes: four of them from two words are one `dp4a`."""

from __future__ import annotations

from minicc.isel.base import Base
from minicc.isel.bytes import Part, assembled, byte_of
from minicc.isel.dag import Node
from minicc.nvvm import ir

_LEAST = 4
"""Products that are worth a dot product."""
Key = tuple[Node, Node, bool, bool]
"""Two words, and whether the bytes of each are signed."""


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
        rest: list[Node] = []
        for term in map(self.one, terms):
            key = self.product(term, groups)
            if key is None:
                rest.append(term)
        chosen = [(key, found) for key, found in groups.items() if len(found) == _LEAST]
        if not chosen:
            return None
        rest += [term for found in groups.values() if len(found) < _LEAST for _, term in found.values()]
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
        return total

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
