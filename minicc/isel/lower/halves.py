"""16-bit floats: pairs in one register, and what a machine without their arithmetic computes in single precision.

A vector of halves is a list of parts like every other vector, one of type f16 or bf16 per element. Operations join
neighbours into an i32 (`pair`), compute there (`fadd.f16x2`), and take the result apart (`unpair`); joining what was
just taken apart is the register itself, so chains of packed operations leave no trace of the parts.
"""

from __future__ import annotations

from minicc.isel.cover.database import of
from minicc.isel.dag import Node
from minicc.isel.lower.base import Base
from minicc.nvvm import ir

HALVES = {"half": "f16", "bfloat": "bf16"}


def is_packed(type_: ir.Type) -> bool:
    """A vector of an even number of 16-bit floats."""
    return type_.kind == "vector" and type_.element.kind in HALVES and type_.count % 2 == 0


class Halves(Base):
    """Mixin of `Lowering`."""

    def has(self, op: str) -> bool:
        """Whether this machine has a pattern for an operation."""
        return bool(of(self.arch).lookup(op))

    # --- joining and taking apart -------------------------------------------------------------------------------

    def pair(self, low: Node, high: Node) -> Node:
        """i32 of two halves."""
        if low.is_const and high.is_const:
            return self.build.const("i32", low.data & 0xFFFF | (high.data & 0xFFFF) << 16)
        first, second = self._source(low), self._source(high)
        if first and second:
            if first[0] is second[0] and (first[1], second[1]) == (0, 1):
                return first[0]
            if first[0].head != "packh" and second[0].head != "packh":
                bytes_ = (0x10, 0x32)[first[1]] | (0x54, 0x76)[second[1]] << 8
                return self.build.pure("prmt.i32", "i32", first[0], second[0], self.build.const("i32", bytes_))
        return self.build.pure("packh.i32", "i32", low, high)

    @staticmethod
    def _source(node: Node) -> tuple[Node, int] | None:
        """(register, which half) that a part was taken from."""
        if node.head == "res" and node.args[0].head == "unpackh":
            return node.args[0].args[0], node.data
        if node.head != "bitcast" or node.args[0].type != "i32":
            return None
        inner = node.args[0]
        if inner.op == "lshr.i32" and inner.args[1].is_const and inner.args[1].data == 16:
            return inner.args[0], 1
        return inner, 0

    def unpair(self, node: Node, kind: str) -> list[Node]:
        """[low, high] of type f16 or bf16."""
        if node.head == "packh":
            return [self.build.bitcast(part, kind) for part in node.args]
        if node.is_const:
            return [self.build.const(kind, node.data & 0xFFFF), self.build.const(kind, node.data >> 16)]
        shared = self.build.shared
        key = ("unpackh", kind, id(node))
        both = shared.get(key)
        if both is None:
            both = shared[key] = self.build.raw("unpackh.i32", "", (node,))
            for i in range(2):
                shared[(*key, i)] = self.build.raw(f"res.{kind}", kind, (both,), i)
        return [shared[(*key, i)] for i in range(2)]

    def pairs(self, parts: list[Node]) -> list[Node]:
        """Neighbours joined."""
        return [self.pair(low, high) for low, high in zip(parts[::2], parts[1::2], strict=True)]

    def packed(self, head: str, kind: str, operands: list[list[Node]]) -> list[Node] | None:
        """An operation on all pairs of the operands; None where this machine lacks it."""
        op = f"{head}.{kind}x2"
        if not self.has(op):
            return None
        joined = [self.pairs(parts) for parts in operands]
        results = [self.build.pure(op, "i32", *args) for args in zip(*joined, strict=True)]
        return [part for node in results for part in self.unpair(node, kind)]

    # --- pairs of singles, from sm_100 on ---------------------------------------------------------------------------

    def single_pairs(self, head: str, operands: list[list[Node]]) -> list[Node] | None:
        """An operation on neighbours of a vector of floats, two in an i64; None where this machine lacks it."""
        op = f"{head}.f32x2"
        if len(operands[0]) % 2 or not self.has(op):
            return None
        out: list[Node] = []
        for at in range(0, len(operands[0]), 2):
            node = self.build.pure(op, "i64", *[self.join_singles(parts[at], parts[at + 1]) for parts in operands])
            out += [self.build.pure("flo.f32.i64", "f32", node), self.build.pure("fhi.f32.i64", "f32", node)]
        return out

    def join_singles(self, low: Node, high: Node) -> Node:
        if low.op == "flo.f32.i64" and high.op == "fhi.f32.i64" and low.args[0] is high.args[0]:
            return low.args[0]
        if low.is_const and high.is_const:
            return self.build.const("i64", low.data | high.data << 32)
        return self.build.pure("packf.i64", "i64", low, high)

    # --- machines without ---------------------------------------------------------------------------------------

    def half(self, head: str, *args: Node) -> Node:
        """A scalar operation on halves, in single precision where the machine has no better. One operation on floats
        rounded once more is exact for add, sub and mul of f16 and bf16 (2p + 2 digits suffice); fma goes through
        double, where the sum may, very rarely, round twice."""
        kind = args[0].type
        op = f"{head}.{kind}"
        if self.has(op):
            return self.build.pure(op, kind, *args)
        wide = "f64" if head == "fma" else "f32"
        plain = head.removesuffix("c") if head in ("faddc", "fsubc", "fmulc") else head
        return self.float_to(self.build.pure(f"{plain}.{wide}", wide, *[self.float_to(a, wide) for a in args]), kind)

    def round_bf16(self, a: Node) -> Node:
        """f32 to bf16, to nearest even, on a machine without the conversion (before sm_80)."""
        build = self.build
        if self.has("fptrunc.bf16.f32"):
            return build.pure("fptrunc.bf16.f32", "bf16", a)
        bits = build.bitcast(a, "i32")
        sixteen = build.const("i32", 16)
        odd = build.binary("and", "i32", build.binary("lshr", "i32", bits, sixteen), build.const("i32", 1))
        up = build.binary("add", "i32", build.binary("add", "i32", bits, odd), build.const("i32", 0x7FFF))
        nan = build.pure("fcmp.uno.f32", "p", a, a)
        word = build.select("i32", nan, build.const("i32", 0x7FFF0000), up)
        return build.bitcast(build.binary("lshr", "i32", word, sixteen), "bf16")

    def half_compare(self, pred: str, a: Node, b: Node) -> Node:
        if self.has(f"fcmp.{pred}.{a.type}"):
            return self.build.pure(f"fcmp.{pred}.{a.type}", "p", a, b)
        return self.build.pure(f"fcmp.{pred}.f32", "p", self.float_to(a, "f32"), self.float_to(b, "f32"))
