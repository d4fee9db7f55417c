"""Virtual functions: which slots the tables of a class have, and what overrides what (Itanium C++ ABI, 2.5).

A class shares the table of its first base that has one; every other base with tables brings its own, whose entries
expect that base's address. A destructor has two slots: it ends the object, or ends and frees it.
"""

from __future__ import annotations

from minicc.frontend.entities import Function
from minicc.frontend.types import Record, Slot, Type, base_offset


def key(f: Function) -> tuple[object, ...]:
    """What an overrider has in common with what it overrides."""
    return ("~",) if f.name.startswith("~") else (f.name, f.type.params, f.this_quals)


def overridden(record: Record, f: Function) -> Function | None:
    """The virtual function of a base that `f` overrides (a base's destructor may be implicit: then `f` itself)."""
    wanted = key(f)
    for base, _ in record.bases:
        for _, slots in base.record.tables if base.record is not None else ():
            for slot in slots:
                if slot.key[: len(wanted)] == wanted:
                    return slot.function or f
    return None


def primary(record: Record) -> Type | None:
    """The base class whose table pointer this class shares."""
    return next((t for t, _ in record.bases if t.record is not None and t.record.tables), None)


def build(record: Record) -> None:
    """Lay out the tables of a class whose bases are complete and whose members are declared."""
    first = primary(record)
    if first is None and not record.virtuals:
        return
    order = [b for b in record.bases if b[0] is first] + [b for b in record.bases if b[0] is not first]
    tables: list[tuple[int, list[Slot]]] = [] if first is not None else [(0, [])]
    for base, offset in order:
        assert base.record is not None
        for at, slots in base.record.tables:
            tables.append((offset + at, [Slot(s.key, s.function, s.frees, s.result) for s in slots]))
    for f in record.virtuals:
        wanted = key(f)
        if f.name.startswith("~"):
            if not any(s.key == wanted for s in tables[0][1]):
                tables[0][1].extend((Slot(wanted, None), Slot(wanted, None, True)))
            continue
        for _, slots in tables:
            for slot in slots:
                if slot.key == wanted:
                    slot.function = f
        if not any(s.key == wanted and result_shift(f, s) == 0 for s in tables[0][1]):
            tables[0][1].append(Slot(wanted, f, result=_result(f)))
    record.tables = tables


def _result(f: Function) -> Type | None:
    """The class to which the result points or refers."""
    ret = f.type.elem
    return ret.elem.bare if ret is not None and ret.elem is not None and ret.elem.record is not None else None


def result_shift(f: Function, slot: Slot) -> int:
    """How far what callers of a slot expect lies within what its function's result points to ([class.virtual])."""
    own = _result(f)
    return 0 if own is None or slot.result is None else base_offset(own, slot.result) or 0


def index(f: Function) -> int:
    """The slot of `f` in the first table of its class."""
    assert f.record is not None and f.record.record is not None
    wanted = key(f)
    slots = f.record.record.tables[0][1]
    return next(k for k, s in enumerate(slots) if s.key == wanted and result_shift(f, s) == 0)


def destructor_index(record: Record | None, frees: bool) -> int | None:
    """The slot of the destructor in a class's first table; None where it is not virtual."""
    if record is None or not record.tables:
        return None
    return next((k for k, s in enumerate(record.tables[0][1]) if s.key == ("~",) and s.frees == frees), None)


def adjustment(whole: Type, at: int, slot: Slot) -> int:
    """What to add to the address of the base at `at`, where the slot was found, for the one that its function wants."""
    if slot.function is None or slot.function.record is None:
        return -at
    return (base_offset(whole, slot.function.record) or 0) - at
