"""Virtual tables in device memory, and the small functions that only they name: thunks and whole destructors.

A table is an array of pointers: how far the whole object lies from the base (negative), nothing where the type
information would be, then the functions (Itanium C++ ABI, 2.5.2). A class's tables
follow one another under one name.
"""

from __future__ import annotations

from minicc.frontend import ast, mangle
from minicc.frontend import types as ty
from minicc.frontend.emit.module import Module, quoted
from minicc.frontend.sema import virtuals
from minicc.frontend.types import Slot, Type


def pointers(module: Module, t: Type) -> list[tuple[int, str]]:
    """(offset in an object of class `t`, the pointer to a virtual table that belongs there)."""
    record = t.record
    assert record is not None
    symbol = _symbol(module, t.bare)
    out: list[tuple[int, str]] = []
    position = 0
    for at, slots in record.tables:
        out.append((at, f"getelementptr (i8, ptr {symbol}, i64 {8 * (position + 2)})"))
        position += 2 + len(slots)
    return out


def static_parts(module: Module, t: Type, offset: int = 0) -> list[tuple[int, Type, str]]:
    """The pointers to tables of an object of static storage at `offset`, as `layout.static_parts` has its scalars."""
    if t.kind == "array" and t.elem is not None and static_parts(module, t.elem):
        return [p for k in range(t.count) for p in static_parts(module, t.elem, offset + k * t.elem.size)]
    if t.record is None or t.record.tag == "union":
        return []
    own = [(offset + at, ty.pointer(ty.VOID), text) for at, text in pointers(module, t)] if t.record.tables else []
    return own + [p for f in t.record.fields for p in static_parts(module, f.type, offset + f.offset)]


def _symbol(module: Module, t: Type) -> str:
    known = module.symbols.get(id(t))
    space = 0 if module.host else 1
    if known is None:
        known = module.symbols[id(t)] = _free_name(module, "_ZTV" + mangle.Mangler().type(t), t)
        assert t.record is not None
        entries: list[str] = []
        for at, slots in t.record.tables:
            entries += [f"inttoptr (i64 {-at} to ptr)" if at else "null", "null"]
            entries += [_entry(module, t, at, slot) for slot in slots]
        where = f" addrspace({space})" if space else ""
        listed = ", ".join(f"ptr {e}" for e in entries)
        module.globals.append(
            f"@{quoted(known)} = internal unnamed_addr{where} constant [{len(entries)} x ptr] [{listed}], align 8"
        )
    return module.generic(known, space)


def _free_name(module: Module, name: str, owner: object) -> str:
    if name in module.taken:
        name = f"{name}.{len(module.taken)}"
    module.taken[name] = owner
    return name


def _entry(module: Module, t: Type, at: int, slot: Slot) -> str:
    """What a slot of the table at `at` points to; null for what the device has no body of."""
    f = slot.function
    shift = virtuals.adjustment(t, at, slot)
    if f is None:
        return _destructor(module, t, slot.frees, shift)
    if f.body is None or (f.space == "host" and not f.library):
        return "null"
    symbol, back = module.function_symbol(f), virtuals.result_shift(f, slot)
    return f"@{quoted(symbol if shift == back == 0 else _thunk(module, f, symbol, shift, back))}"


def _thunk(module: Module, f: ast.Function, symbol: str, shift: int, back: int) -> str:
    """The function for callers that know the object by a base which lies elsewhere, or expect one as the result."""
    offset = _offset(shift)
    name = (f"_ZTc{offset}{_offset(back)}" if back else f"_ZT{offset}") + symbol.removeprefix("_Z")
    if name in module.taken:
        return name
    module.taken[name] = f
    ret = f.type.elem
    assert ret is not None
    params = ["ptr %result"] if ret.aggregate else []
    given = list(params)
    params.append("ptr %this")
    given.append("ptr %whole")
    for k, p in enumerate(f.type.params):
        text = f"{'ptr' if p.aggregate or p.kind == 'reference' else p.llvm} %p{k}"
        params.append(text)
        given.append(text)
    result = "void" if ret.aggregate or ret.kind == "void" else ret.llvm
    call = f"call {result} @{quoted(symbol)}({', '.join(given)})"
    body = [f"  {call}", "  ret void"] if result == "void" else [f"  %value = {call}", f"  ret {result} %value"]
    if back:
        body[1:] = [f"  %there = getelementptr i8, ptr %value, i64 {back}"]
        if ret.kind == "pointer":
            body += ["  %none = icmp eq ptr %value, null", "  %part = select i1 %none, ptr null, ptr %there"]
        body.append(f"  ret ptr {'%part' if ret.kind == 'pointer' else '%there'}")
    module.bodies.append(_function(name, result, params, shift, body))
    return name


def _offset(shift: int) -> str:
    return f"h{'n' if shift < 0 else ''}{abs(shift)}_"


def _destructor(module: Module, t: Type, frees: bool, shift: int) -> str:
    """A function that ends a whole object of class `t` and perhaps frees its memory."""
    prefix = f"_ZT{_offset(shift)}" if shift else "_Z"
    name = prefix + mangle.destructor(t, frees)
    if name in module.taken:
        return f"@{quoted(name)}"
    module.taken[name] = t
    body: list[str] = []
    for k, (offset, f) in enumerate(ty.destructors(t)):
        if f.body is not None:
            body.append(f"  %part{k} = getelementptr i8, ptr %whole, i64 {offset}")
            body.append(f"  call void @{quoted(module.function_symbol(f))}(ptr %part{k})")
    if frees:
        module.declare("free", "void (ptr)")
        body.append("  call void @free(ptr %whole)")
    module.bodies.append(_function(name, "void", ["ptr %this"], shift, [*body, "  ret void"]))
    return f"@{quoted(name)}"


def _function(name: str, result: str, params: list[str], shift: int, body: list[str]) -> str:
    head = f"define internal {result} @{quoted(name)}({', '.join(params)}) #3 {{"
    return "\n".join([head, "entry:", f"  %whole = getelementptr i8, ptr %this, i64 {shift}", *body, "}", ""])
