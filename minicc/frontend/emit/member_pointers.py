"""Pointers to members (`types.member_pointer` says what they hold): made, converted, called through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.frontend import ast
from minicc.frontend.emit.module import quoted
from minicc.frontend.sema import virtuals
from minicc.frontend.types import Type

if TYPE_CHECKING:
    from minicc.frontend.emit.values import Values

_VIRTUAL = 1 << 64


def of_function(v: Values, f: ast.Function) -> str:
    """One to the member function `f`."""
    if f.virtual:
        return str(_VIRTUAL + 8 * virtuals.index(f))
    return v.make(f"ptrtoint ptr @{quoted(v.module.function_symbol(f))} to i128")


def moved(v: Values, operand: str, t: Type, shift: int) -> str:
    """One as a pointer `t` to a member of a class derived from its own, or of a base class, which begins `shift` bytes
    from there."""
    if not shift:
        return operand
    llvm, none = t.llvm, -1 if t.size == 8 else 0
    other = v.make(f"add {llvm} {operand}, {shift if t.size == 8 else shift << 65}")
    null = v.make(f"icmp eq {llvm} {operand}, {none}")
    return v.make(f"select i1 {null}, {llvm} {none}, {llvm} {other}")


def bound(v: Values, address: str, pointer: str, owner: Type) -> tuple[str, str]:
    """The object and the function that one to a member function of `owner` means, called for `address`."""
    low = v.make(f"trunc i128 {pointer} to i64")
    plain = v.make(f"inttoptr i64 {low} to ptr")
    upper = v.make(f"ashr i128 {pointer}, 65")
    shift = v.make(f"trunc i128 {upper} to i64")
    address = v.make(f"getelementptr i8, ptr {address}, i64 {shift}")
    if owner.record is None or not (owner.record.tables or owner.record.bases):
        return address, plain
    mark = v.make(f"and i128 {pointer}, {_VIRTUAL}")
    some = v.make(f"icmp ne i128 {mark}, 0")
    virtual, end = v.label("virtual"), v.label("bound")
    before = v.block
    v.emit(f"br i1 {some}, label %{virtual}, label %{end}")
    v.dead = True
    v.begin(virtual)
    table = v.make(f"load ptr, ptr {address}, align 8")
    slot = v.make(f"getelementptr i8, ptr {table}, i64 {low}")
    found = v.make(f"load ptr, ptr {slot}, align 8")
    v.begin(end)
    return address, v.make(f"phi ptr [ {plain}, %{before} ], [ {found}, %{virtual} ]")
