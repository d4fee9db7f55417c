"""Integer operations with a constant on the right that come to something simpler, by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minicc.isel.dag import MASK, WIDTH, Node
from minicc.numbers import signed

if TYPE_CHECKING:
    from minicc.isel.builder import Builder


def negated(a: Node) -> Node | None:
    """x, if the node is -x."""
    return a.args[1] if a.head == "sub" and a.args[0].is_const and not a.args[0].data else None


def _add(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data == 0:
        return a
    if a.op == f"sym.{type_}":
        return dag.symbol(type_, a.data[0], a.data[1] + signed(b.data, WIDTH[type_]))
    if type_ == "i64" and (x := negated(a)) is not None:
        return dag.binary("sub", type_, b, x)
    if a.head == "add" and a.args[1].is_const:
        return dag.binary("add", type_, a.args[0], dag.const(type_, a.args[1].data + b.data))
    return None


def _sub(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data == 0:
        return a
    if type_ == "p":
        return None
    return dag.binary("add", type_, a, dag.const(type_, -b.data))


def _and(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    mask = b.data
    if mask == 0:
        return b
    if mask == MASK[type_] or ((1 << a.zb) - 1) & ~mask == 0:
        return a
    if a.head == "and" and a.args[1].is_const:
        return dag.binary("and", type_, a.args[0], dag.const(type_, a.args[1].data & mask))
    if a.op == "lshr.i64" and a.args[1].is_const:
        return _field(dag, a, mask)
    if a.op == "prmt.i32":
        from minicc.isel.lower.bytes import masked

        return masked(dag, a, mask)
    return None


def _field(dag: Builder, shifted: Node, mask: int) -> Node | None:
    """Bits that lie in one word of two are taken from that one."""
    a, shift = shifted.args
    at, end = shift.data, shift.data + mask.bit_length()
    if end > 32 and (at < 32 or end > 64):
        return None
    word = dag.trunc(a) if end <= 32 else dag.high(a)
    bits = dag.binary("lshr", "i32", word, dag.const("i32", at % 32))
    return dag.zext(dag.binary("and", "i32", bits, dag.const("i32", mask)), 32, "i64")


def _or(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data == 0:
        return a
    return b if b.data == MASK[type_] else None


def _xor(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data == 0:
        return a
    return a.args[0] if type_ == "p" and a.op == "xor.p" and a.args[1].is_const else None


def _mul(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data in (0, 1):
        return b if b.data == 0 else a
    if b.data & (b.data - 1) == 0:
        return dag.binary("shl", type_, a, dag.const("i32", b.data.bit_length() - 1))
    return None


def _shl(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data == 0:
        return a
    if b.data >= 16 and a.op == "sext16.i32":
        return dag.binary("shl", type_, a.args[0], b)  # the sign is shifted out
    if a.head in ("lshr", "ashr") and a.args[1] is b:
        return dag.binary("and", type_, a.args[0], dag.const(type_, -1 << b.data))
    if a.head == "shl" and a.args[1].is_const:
        return _shifted_twice(dag, type_, a, b)
    if type_ == "i64" and b.data < 32 and (kept := _upper_kept(dag, a, b.data)) is not a:
        return dag.binary("shl", type_, kept, b)
    return None


def _shifted_twice(dag: Builder, type_: str, a: Node, b: Node) -> Node:
    total = a.args[1].data + b.data
    if total >= WIDTH[type_]:
        return dag.const(type_, 0)
    return dag.binary(a.head, type_, a.args[0], dag.const("i32", total))


def _upper_kept(dag: Builder, a: Node, lost: int) -> Node:
    """`a`, whose `lost` upper bits do not matter: a mask of the upper half without them (LLVM takes them away)
    needs no instruction with them."""
    if a.op == "or.i64":
        low, high = (_upper_kept(dag, arg, lost) for arg in a.args)
        return a if low is a.args[0] and high is a.args[1] else dag.binary("or", "i64", low, high)
    if a.op == "and.i64" and a.args[1].is_const and a.args[1].data == (1 << 64 - lost) - (1 << 32):
        return dag.binary("and", "i64", a.args[0], dag.const("i64", -1 << 32))
    return a


def _lshr(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    if b.data == 0:
        return a
    return _shifted_twice(dag, type_, a, b) if a.head == "lshr" and a.args[1].is_const else None


def _ashr(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    """To the right and then to the left: a sign extension, of bytes within a word, too."""
    if b.data == 0:
        return a
    if a.head != "shl":
        return None
    if a.args[1] is b and WIDTH[type_] - b.data in (8, 16):
        return dag.sext(a.args[0], WIDTH[type_] - b.data, type_)
    if b.data == 24 and type_ == "i32" and a.args[1].is_const and a.args[1].data in (8, 16):
        byte = dag.binary("lshr", type_, a.args[0], dag.const("i32", 24 - a.args[1].data))
        return dag.sext(byte, 8, type_)
    return None


def _umin(dag: Builder, type_: str, a: Node, b: Node) -> Node | None:
    """umin(smax(x, 0), c) clamps x, which machines do by signed operations."""
    clamped = a.op == "smax.i32" and a.args[1].is_const and a.args[1].data == 0
    if not clamped or b.data >> 31:
        return None
    return dag.binary("smax", type_, dag.binary("smin", type_, a.args[0], b), a.args[1])


IDENTITIES: dict[str, Callable[[Builder, str, Node, Node], Node | None]] = {
    "add": _add, "sub": _sub, "mul": _mul, "and": _and, "or": _or, "xor": _xor, "shl": _shl, "lshr": _lshr,
    "ashr": _ashr, "umin": _umin,
}  # fmt: skip
"""What an operation of a type with a value and a constant comes to, or None where it is as simple as it can be."""
