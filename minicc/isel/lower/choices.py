"""Selections between two values that are one instruction: distances, the place of the lowest or highest one;
comparisons that need no sum, or one instruction for several numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from minicc.isel.dag import FINVERT, INVERT, SWAP, Node
from minicc.isel.lower.base import Base
from minicc.isel.prepare.equal import key_of
from minicc.nvvm import ir

_ORDERED = r"icmp\.([us][lg][te])\.i32$"
_EXTREMES = re.compile(r"llvm\.([us])(min|max)\.i64$")
_EXTREME = {"olt": "fmin", "ole": "fmin", "ogt": "fmax", "oge": "fmax"}


def _orders(node: Node) -> list[tuple[str, Node, Node]]:
    """A comparison of words and its mirror image."""
    found = re.match(_ORDERED, node.op)
    if not found:
        return []
    x, y = node.args
    return [(found[1], x, y), (SWAP[found[1]], y, x)]


def _compares(node: Node) -> bool:
    return node.head in ("icmp", "fcmp")


class Choices(Base):
    """Mixin of `Lowering`. Each method answers None where the selection is something else."""

    use_counts: dict[ir.Value, int]

    def distance(self, p: ir.Value, a: ir.Value, b: ir.Value) -> Node | None:
        """x > y ? x - y : y - x; None if the selection is something else."""
        if not (isinstance(p, ir.Inst) and p.op == "icmp" and p.args[0].type == ir.int_type(32)):
            return None
        if not (isinstance(a, ir.Inst) and isinstance(b, ir.Inst) and a.op == b.op == "sub" and a.args == b.args[::-1]):
            return None
        if p.pred[1:] not in ("gt", "ge", "lt", "le") or any(self.use_counts.get(x) != 1 for x in (a, b)):
            return None
        first = a if p.pred[1] == "g" else b
        if first.args != p.args or (p.pred[0] == "s" and "nsw" not in a.flags & b.flags):
            return None
        return self.difference(p.pred[0], self.one(p.args[0]), self.one(p.args[1]))

    def wrapped(self, inst: ir.Inst) -> Node | None:
        """x - (x < y ? 0 : y) without signs, a place in a ring, is the lesser of x and x - y, which is above x where it
        wraps. None if the difference is something else."""
        x, choice = inst.args
        if not (isinstance(choice, ir.Inst) and choice.op == "select" and self.use_counts.get(choice) == 1):
            return None
        p, below, beyond = choice.args
        return self.in_ring(x, p, below, beyond, (x.type, 0), key_of)

    def ring(self, p: ir.Value, a: ir.Value, b: ir.Value) -> Node | None:
        """x < y ? x : x - y, either way round; None if the selection is something else."""
        found = (self.in_ring(x, p, a, b, key_of(x), partial(self.taken_from, x)) for x in (a, b))
        return next(filter(None, found), None)

    def in_ring(
        self,
        x: ir.Value,
        p: ir.Value,
        below: ir.Value,
        beyond: ir.Value,
        stays: object,
        of: Callable[[ir.Value], object],
    ) -> Node | None:
        """umin(x, x - y), if `p ? below : beyond` is what `stays` where x < y, else that of which `of` is y."""
        if not (
            isinstance(p, ir.Inst) and p.op == "icmp" and self.use_counts.get(p) == 1 and x.type == ir.int_type(32)
        ):
            return None
        (first, bound), pred = p.args, p.pred
        if bound is x:
            first, bound, pred = bound, first, SWAP[pred]
        if pred in ("uge", "ugt"):
            below, beyond, pred = beyond, below, INVERT[pred]
        if pred == "ule" and isinstance(bound, ir.ConstInt):
            bound, pred = ir.ConstInt(bound.type, bound.value + 1), "ult"
        if pred != "ult" or first is not x or key_of(below) != stays or of(beyond) != key_of(bound):
            return None
        value = self.one(x)
        return self.build.binary("umin", "i32", value, self.build.binary("sub", "i32", value, self.one(bound)))

    def taken_from(self, x: ir.Value, value: ir.Value) -> object:
        """Of x - y, the key of y, if nothing else asks for the difference."""
        if not isinstance(value, ir.Inst) or self.use_counts.get(value) != 1 or value.args[:1] != [x]:
            return None
        if value.op == "add" and isinstance(value.args[1], ir.ConstInt):
            return key_of(ir.ConstInt(x.type, -value.args[1].value & 0xFFFFFFFF))
        return key_of(value.args[1]) if value.op == "sub" else None

    def difference(self, sign: str, x: Node, y: Node) -> Node:
        """|x - y| of i32, one instruction with a sum around it."""
        most, least = (self.build.binary(f"{sign}{which}", "i32", x, y) for which in ("max", "min"))
        return self.build.binary("sub", "i32", most, least)

    def least_or_greatest(self, p: ir.Value, a: ir.Value, b: ir.Value) -> Node | None:
        """x < c ? x : c of floats, with a constant that is a number, as the machine's minimum: of NaN it is c, too. As
        for LLVM and nvcc, zeros of either sign are the same to it, but where x may equal the constant (x <= 0)."""
        if not (isinstance(p, ir.Inst) and p.op == "fcmp"):
            return None
        x, limit, pred = p.args[0], p.args[1], p.pred
        if b is x:
            pred, a, b = FINVERT[pred], b, a
        if pred not in _EXTREME or a is not x or x.type.kind != "float":
            return None
        if not (isinstance(b, ir.ConstFloat) and isinstance(limit, ir.ConstFloat) and b.bits == limit.bits):
            return None
        size = limit.bits & 0x7FFFFFFF
        if size > 0x7F800000 or (pred[2] == "e" and not size):
            return None
        return self.build.pure(f"{_EXTREME[pred]}.f32", "f32", self.one(x), self.one(limit))

    def lesser_or_greater(self, p: ir.Value, a: ir.Value, b: ir.Value) -> Node | None:
        """p ? min(x, y) : max(x, y) of 64 bits, a step of a sorting network: one comparison says which it is. None if
        the selection is something else."""
        found = [_EXTREMES.match(getattr(getattr(v, "callee", None), "name", "")) for v in (a, b)]
        if not (isinstance(a, ir.Inst) and isinstance(b, ir.Inst) and all(found)):
            return None
        (sign, one), (other_sign, other) = (f.groups() for f in found if f)
        if sign != other_sign or one == other or any(self.use_counts.get(v) != 1 for v in (a, b)):
            return None
        if a.args[:2] not in (b.args[:2], b.args[1::-1]):
            return None
        x, y = map(self.one, a.args[:2])
        turned = self.build.binary("xor", "p", self.build.icmp(f"{sign}lt", x, y), self.one(p))
        return self.build.select("i64", turned, *((y, x) if one == "min" else (x, y)))

    def operand_is(self, value: ir.Value, wanted: int) -> Node | None:
        """x + c == k as x == k - c, x ^ c == k as x == k ^ c, if only this comparison asks for the sum."""
        if not isinstance(value, ir.Inst) or value.op not in ("add", "xor") or self.use_counts.get(value) != 1:
            return None
        x, constant = value.args
        bits = value.type.bits
        if not isinstance(constant, ir.ConstInt) or not 1 < bits <= 64:
            return None
        other = wanted - constant.value if value.op == "add" else wanted ^ constant.value
        node = self.one(x)
        return self.compare("eq", bits, node, self.build.const(node.type, other & ((1 << bits) - 1)))

    def logical(self, p: ir.Value, a: ir.Value, b: ir.Value) -> Node | None:
        """p || b, p && a of two comparisons with one number; None if the selection is something else."""
        if isinstance(a, ir.ConstInt) and a.value:
            return self.one_bound("or", p, b) or self.comparisons_last("or", p, b)
        if isinstance(b, ir.ConstInt) and not b.value:
            return self.one_bound("and", p, a) or self.comparisons_last("and", p, a)
        return None

    def one_bound(self, op: str, a: ir.Value, b: ir.Value) -> Node | None:
        """x < n || y < n asks the lesser of them, x < n && y < n the greater: of three one instruction less, as the
        machine takes the least of three, or of a sum and a number, in one. Either side may be more conditions, of which
        it is one. `op` is and, or; None if it is not such."""
        if any(self.use_counts.get(value) != 1 for value in (a, b)):
            return None
        return self.joined(op, self.one(a), self.one(b))

    def comparisons_last(self, op: str, a: ir.Value, b: ir.Value) -> Node | None:
        """(s && t) && q of a condition that is known, or needed elsewhere, as s && (t && q): a comparison takes what it
        is joined with, so these are two instructions for three. `op` is and, or; None if it is not such."""
        for several, known in (a, b), (b, a):
            node, more = self.one(several), self.one(known)
            if node.op != f"{op}.p" or self.use_counts.get(several) != 1 or not any(map(_compares, node.args)):
                continue
            if not (_compares(more) and more.block == self.build.block and self.use_counts.get(known) == 1):
                return self.before(op, node, more)
        return None

    def before(self, op: str, several: Node, known: Node) -> Node:
        """Conditions joined with one more, which is the first asked for."""
        if several.op == f"{op}.p":
            for term, rest in several.args, several.args[::-1]:
                if _compares(term):
                    return self.build.binary(op, "p", term, self.before(op, rest, known))
        return self.build.binary(op, "p", several, known)

    def joined(self, op: str, a: Node, b: Node) -> Node | None:
        """`one_bound` of conditions that nothing else asks for."""
        for pred, x, bound in _orders(a):
            for other, y, limit in _orders(b):
                if pred == other and bound is limit and x is not y:
                    which = "min" if (pred[1] == "l") == (op == "or") else "max"
                    return self.build.icmp(pred, self.build.binary(f"{pred[0]}{which}", "i32", x, y), bound)
        for several, one in (a, b), (b, a):
            if several.op == f"{op}.p" and one.head == "icmp":
                for term, rest in several.args, several.args[::-1]:
                    if (found := self.joined(op, term, one)) is not None:
                        return self.build.binary(op, "p", rest, found)
        return None

    def highest_one(self, inst: ir.Inst) -> Node | None:
        """31 - ctlz(x), or 63: the place of the highest one, or -1, is one instruction. None if it is no such thing."""
        last, count = inst.args if inst.op == "sub" else inst.args[::-1]
        if not isinstance(last, ir.ConstInt) or last.value not in (31, 63):
            return None
        if isinstance(count, ir.Inst) and count.op == "trunc":
            count = count.args[0]
        if not (isinstance(count, ir.Inst) and getattr(count.callee, "name", "") == f"llvm.ctlz.i{last.value + 1}"):
            return None
        value, some = count.args
        if inst.op == "xor" and not (isinstance(some, ir.ConstInt) and some.value):
            return None  # of 0 it is 63, or 127
        place = self.build.pure(f"bfind.u.i{last.value + 1}", "i32", self.one(value))
        return self.build.sext(place, 32, self.legal(inst.type)[0])

    def lowest_one(self, p: ir.Value, zero: ir.Value, count: ir.Value) -> Node | None:
        """x == 0 ? k - 1 : cttz(x) + k, as __ffs has it: the place of the lowest one, or -1, is one instruction of the
        machine after the bits are reversed. None if the selection is something else."""
        if not (isinstance(p, ir.Inst) and p.op == "icmp" and p.pred == "eq" and isinstance(zero, ir.ConstInt)):
            return None
        more = 0
        if isinstance(count, ir.Inst) and count.op == "add" and isinstance(count.args[1], ir.ConstInt):
            more, count = count.args[1].value, count.args[0]
        if not isinstance(count, ir.Inst) or count.type.kind != "int" or count.type.bits != 32 or count.op != "call":
            return None
        if not getattr(count.callee, "name", "").startswith("llvm.cttz.") or count.args[0] is not p.args[0]:
            return None
        value, against = p.args
        if not isinstance(against, ir.ConstInt) or against.value or (zero.value - more + 1) & 0xFFFFFFFF:
            return None
        build = self.build
        place = build.pure("bfind.shift.u.i32", "i32", build.pure("brev.i32", "i32", self.one(value)))
        return build.binary("add", "i32", place, build.const("i32", more))
