"""Assignments, increments and decrements: of scalars, of bit-fields, and of aggregates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.emit.layout import number, value_type
from minicc.frontend.sema.convert import bit_field
from minicc.frontend.types import Field

if TYPE_CHECKING:
    from minicc.frontend.emit.values import Values


def store(v: Values, target: ast.Expr, operand: str) -> None:
    """Store a scalar into an lvalue."""
    _exchange(v, target, lambda old: operand, reads=False)


def _exchange(
    v: Values, target: ast.Expr, change: Callable[[str], str], reads: bool
) -> tuple[str, str, tuple[str, int]]:
    """Store what `change` makes of a scalar lvalue's value: (that, unless it `reads` nothing; what the lvalue is
    then; its place)."""
    t, align = target.type, max(1, target.type.align)

    def store(address: str, own: int, bits: Field | None) -> list[str]:
        nonlocal align
        align = own
        if bits is None:
            old = v.load(t, address, own) if reads else ""
            new = change(old)
            v.store(t, new, address, own)
        else:
            old = v.load_bits(bits, address, own, t.volatile) if reads else ""
            v.store_bits(bits, change(old), address, own, t.volatile)
            new = v.load_bits(bits, address, own, t.volatile)
        return [address, new, old][: 2 + reads]

    address, new, *old = _placed(v, target, ["ptr", *[value_type(t)] * (1 + reads)], store)
    return old[0] if old else "", new, (address, align)


def _placed(v: Values, e: ast.Expr, types: list[str], use: Callable[[str, int, Field | None], list[str]]) -> list[str]:
    """The operands of `types` that `use` gives for a scalar lvalue: for its address, alignment and, if it is one,
    bit-field. Of two bit-fields that a condition chooses between it is asked for each."""
    if isinstance(e, ast.Comma):
        v.effect(e.left)
        return _placed(v, e.right, types, use)
    if bit_field(e) is None or isinstance(e, ast.Member):
        address, align = v.address(e)
        return use(address, align, e.field if isinstance(e, ast.Member) and e.field.bit_width else None)
    if isinstance(e, ast.Conditional):
        yes, no, end = v.label("cond.yes"), v.label("cond.no"), v.label("cond.end")
        v.branch(e.condition, yes, no)
        v.conditional += 1
        ways: list[tuple[list[str], str]] = []
        for label, chosen in ((yes, e.yes), (no, e.no)):
            v.begin(label)
            ways.append((_placed(v, chosen, types, use), v.leave(end)))
        v.conditional -= 1
        v.begin(end)
        (a, from_yes), (b, from_no) = ways
        return [
            v.make(f"phi {t} [ {x}, %{from_yes} ], [ {y}, %{from_no} ]") for t, x, y in zip(types, a, b, strict=True)
        ]
    assert isinstance(e, ast.Assign | ast.CompoundAssign | ast.Step)
    change = _change(v, e)

    def changed(address: str, align: int, bits: Field | None) -> list[str]:
        assert bits is not None
        old = v.load_bits(bits, address, align, e.type.volatile)
        v.store_bits(bits, change(old), address, align, e.type.volatile)
        return use(address, align, bits)

    return _placed(v, e.operand if isinstance(e, ast.Step) else e.left, types, changed)


def _change(v: Values, e: ast.Assign | ast.CompoundAssign | ast.Step) -> Callable[[str], str]:
    """What an assignment makes of the value that it changes; its right side is evaluated here, before the left."""
    if isinstance(e, ast.Assign):
        operand = v.value(e.right)
        return lambda old: operand
    if isinstance(e, ast.Step):
        return lambda old: _stepped(v, e, old)
    t, op, common = e.left.type, e.op, e.common
    right, right_type = v.value(e.right), e.right.type
    if t.kind == "pointer":
        return lambda old: v.pointer_step(t, old, right, right_type, op == "-")

    def computed(old: str) -> str:
        left = v.convert(old, t.bare, common)
        return v.convert(v.arithmetic(op, left, right, common, right_type), common, t.bare)

    return computed


def _stepped(v: Values, e: ast.Step, old: str) -> str:
    t = e.operand.type
    if t.kind == "pointer":
        return v.pointer_step(t, old, "1", ty.LONG, e.op == "--")
    if t.kind == "float":
        return v.make(f"{'fadd' if e.op == '++' else 'fsub'}{v.flags} {t.llvm} {old}, {number(t, 1.0)}")
    wrap = "nsw " if t.signed and t.rank >= ty.INT.rank else ""
    return v.make(f"add {wrap}{t.llvm} {old}, {'1' if e.op == '++' else '-1'}")


def changed(v: Values, e: ast.Assign | ast.CompoundAssign | ast.Step) -> tuple[str, str, tuple[str, int]]:
    """(what a scalar was, unless it is assigned to; what it is; its place)."""
    return _exchange(v, e.operand if isinstance(e, ast.Step) else e.left, _change(v, e), not isinstance(e, ast.Assign))


def value(v: Values, e: ast.Assign | ast.CompoundAssign | ast.Step) -> str:
    old, new, _ = changed(v, e)
    return old if isinstance(e, ast.Step) and not e.prefix else new


def of_aggregate(v: Values, e: ast.Assign) -> tuple[str, int]:
    """The right side is evaluated first; what it makes is built aside, for it may read what the left side names."""
    record, right = e.left.type.record, e.right
    source, source_align = ("", 1) if isinstance(right, ast.Zero) else v.address(right)
    target, align = v.address(e.left)
    tables = record.tables if record is not None else []
    kept = [(at, v.make(f"load ptr, ptr {v.offset(target, at)}, align 8")) for at, _ in tables]
    if isinstance(right, ast.Zero):
        v.zero(e.type.bare, target, align)
    else:
        volatile = (e.left.type.quals | right.type.quals) & ty.VOLATILE
        v.copy(ty.qualified(e.type.bare, volatile), source, source_align, target, align)
    for at, table in kept:  # an object keeps its class
        v.emit(f"store ptr {table}, ptr {v.offset(target, at)}, align 8")
    return target, align
