"""Types in LLVM IR: value types, scalar leaves of aggregates, constants in memory."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema import constant
from minicc.frontend.types import Type

MAX_LEAVES = 16
_UNITS = (ty.ULONG, ty.UINT, ty.USHORT, ty.UCHAR)
MAX_ELEMENTS = 4
"""Of an array that is copied leaf by leaf. A longer one is indexed, and LLVM only reads the original of a `memcpy`."""


def value_type(t: Type) -> str:
    """LLVM type of a scalar held in a register."""
    return "i1" if t.truth else t.llvm


def number(t: Type, value: int | float) -> str:
    """A constant operand of scalar type `t` (as a register value)."""
    if t.kind == "float":
        return float_bits(float(value))
    if t.truth:
        return "true" if value else "false"
    if t.kind in ("pointer", "nullptr"):
        return "null" if value == 0 else f"inttoptr (i64 {int(value)} to ptr)"
    return str(int(value))


def float_bits(value: float) -> str:
    """LLVM spells float constants, single ones too, as the bits of a double."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def memory_number(t: Type, value: int | float) -> str:
    """Likewise as it lies in memory: bool is an i8."""
    if t.truth:
        return str(int(bool(value)))
    return number(t, value)


def leaves(t: Type, offset: int = 0) -> Iterator[tuple[int, Type]]:
    """Scalars of an aggregate with their offsets. A union is its bytes in the largest units its alignment allows."""
    under = [iter([(t, offset)])]
    """What is still to be looked at of the aggregates in one another: classes nest in thousands."""
    while under:
        for part, at in under[-1]:
            if part.kind in ("array", "record"):
                under.append(_parts(part, at))
                break
            yield at, part.bare
        else:
            under.pop()


def _parts(t: Type, offset: int) -> Iterator[tuple[Type, int]]:
    """What an aggregate directly consists of."""
    if t.kind == "array":
        assert t.elem is not None
        for i in range(max(t.count, 0)):
            yield t.elem, offset + i * t.elem.size
        return
    record = t.record
    assert record is not None
    if record.tag == "union" or [f for f in record.fields if f.bit_width]:
        unit = {1: ty.UCHAR, 2: ty.USHORT, 4: ty.UINT}.get(t.align, ty.ULONG)
        for i in range(t.size // unit.size):
            yield unit, offset + i * unit.size
        return
    for field in record.fields:
        yield field.type if field.type.kind != "reference" else ty.pointer(ty.VOID), offset + field.offset


def indexed(t: Type) -> bool:
    """Whether an array in it is longer than is copied leaf by leaf."""
    under = [t]
    while under:
        part = under.pop()
        if part.kind == "array" and part.elem is not None:
            if part.count > MAX_ELEMENTS:
                return True
            under.append(part.elem)
        elif part.record is not None:
            under += [field.type for field in part.record.fields]
    return False


def few_leaves(t: Type) -> list[tuple[int, Type]] | None:
    """The leaves, if they are few enough to copy one by one. Pairs of 16 bits in one word (__half2) go as one; what
    lies between them goes along, for it may be hashed or compared."""
    out: list[tuple[int, Type]] = []
    for at, leaf in leaves(t):
        if leaf.size == 2 and at & 3 == 2 and t.align >= 4 and out and out[-1][0] == at - 2 and out[-1][1].size == 2:
            out[-1] = (at - 2, ty.UINT)
        else:
            out.append((at, leaf))
        if len(out) > MAX_LEAVES:
            return None
    return _with_gaps(out, data_size(t)) if out else out


def data_size(t: Type) -> int:
    """What a class has for itself: a derived class's members may lie in the rest."""
    return t.size if t.record is None else t.record.data_size


def _with_gaps(parts: list[tuple[int, Type]], size: int) -> list[tuple[int, Type]]:
    """Units of what lies between the parts, and behind the last up to `size`, besides the parts: up to a word of the
    size of the part before, that they go as one vector."""
    out: list[tuple[int, Type]] = []
    end, before = 0, 1
    for at, leaf in [*sorted(parts, key=lambda p: p[0]), (size, ty.UCHAR)]:
        while end < at:
            most = 8 if end % 4 == 0 else before
            fits = (u for u in _UNITS if u.size <= most and end % u.size == 0 and end + u.size <= at)
            out.append((end, unit := next(fits)))
            end += unit.size
        before = min(leaf.size, 2)
        out.append((at, leaf))
        end = max(end, at + leaf.size)
    return out[:-1]


class NotStatic(Exception):
    """The initialiser is not known at compile time."""


def _members(t: Type, offset: int) -> Iterator[tuple[float, Type, ty.Field | None]]:
    """Like `leaves`, but bit-fields are told one by one, by the place of their first bit."""
    if t.kind == "array" and t.elem is not None:
        for i in range(max(t.count, 0)):
            yield from _members(t.elem, offset + i * t.elem.size)
    elif t.kind == "record" and t.record is not None and t.record.tag != "union":
        for field in t.record.fields:
            if field.bit_width:
                yield offset + constant.start(field), field.type, field
            else:
                plain = field.type if field.type.kind != "reference" else ty.pointer(ty.VOID)
                yield from _members(plain, offset + field.offset)
    else:
        yield from ((at, leaf, None) for at, leaf in leaves(t, offset))


def _put_bits(field: ty.Field, value: int, offset: int, out: list[tuple[int, Type, str]]) -> None:
    """A bit-field's value into the bytes that it shares with others; `offset` is its unit's."""
    image = (value & (1 << field.bit_width) - 1) << field.bit_offset
    for at in range(offset + field.bit_offset // 8, offset + (field.bit_offset + field.bit_width + 7) // 8):
        byte = image >> (at - offset) * 8 & 255
        shared = next((k for k, part in enumerate(out) if part[0] == at), None)
        if shared is None:
            out.append((at, ty.UCHAR, str(byte)))
        else:
            out[shared] = at, ty.UCHAR, str(byte | int(out[shared][2]))


def _empty(e: ast.Expr) -> bool:
    """A call of a constructor that does nothing, nor do those of bases and members: variables of the device may have
    such a one (CUDA C++ Programming Guide, "Device Memory Space Specifiers")."""
    if not isinstance(e, ast.Construct) or e.function.params or e.function.body is None or e.function.body.items:
        return False
    return all(_empty(part) for _, part in [*e.function.base_inits, *e.function.inits])


def static_parts(
    e: ast.Expr, t: Type, offset: int, out: list[tuple[int, Type, str]], pointers: Callable[[ast.Expr], str | None]
) -> None:
    """Scalars (offset, type, constant text) of a static initialiser; what is missing is zero."""
    if isinstance(e, ast.Init) and not any(isinstance(part, ast.Here) for _, _, part in e.parts):
        for at, field, part in e.parts:
            if field is not None and field.bit_width:
                value = constant.evaluate(part)
                if value is None:
                    raise NotStatic
                _put_bits(field, int(value), offset + at, out)
            else:
                static_parts(part, part.type, offset + at, out, pointers)
        return
    if isinstance(e, ast.Zero) or _empty(e):
        return
    if isinstance(e, ast.Text):
        for i, unit in enumerate(e.units(t)):
            out.append((offset + i * e.type.align, e.type.elem or ty.CHAR, str(unit % (1 << 8 * e.type.align))))
        return
    if t.kind in ("pointer", "nullptr") and not isinstance(e, ast.Number):
        text = pointers(e)
        if text is None:
            raise NotStatic
        out.append((offset, t, text))
        return
    if t.aggregate:
        found = constant.cells(e, t)
        if found is None:
            raise NotStatic
        scalars = {at: (leaf, field) for at, leaf, field in _members(t, 0)}
        for bit, number_ in found.items():
            leaf, field = scalars.get(bit, (ty.VOID, None))
            if field is not None:
                _put_bits(field, int(number_), offset + int(bit - field.bit_offset / 8), out)
                continue
            if leaf is ty.VOID or (leaf.kind == "float") != isinstance(number_, float):
                raise NotStatic
            if number_ < 0 and leaf.kind == "int" and not leaf.signed:
                # A union's: it is not known how wide the member is that holds it.
                raise NotStatic
            out.append((offset + int(bit), leaf, memory_number(leaf, number_)))
        return
    value = constant.evaluate(e)
    if value is None:
        raise NotStatic
    out.append((offset, t.bare, memory_number(t, value)))


def static_constant(t: Type, parts: list[tuple[int, Type, str]]) -> tuple[str, str]:
    """(LLVM type, constant) of `t.size` bytes with the given scalars; the rest zero."""
    if not parts or all(text in ("0", "0x0000000000000000", "null", "false") for _, _, text in parts):
        return f"[{t.size} x i8]" if t.kind == "record" else t.llvm, "zeroinitializer"
    if not t.aggregate:
        return t.llvm, parts[0][2]
    parts = sorted(parts, key=lambda p: p[0])
    first = parts[0][1]
    uniform = all(p[1] is first and p[0] == i * first.size for i, p in enumerate(parts))
    if uniform and len(parts) * first.size == t.size:
        llvm = first.llvm
        return f"[{len(parts)} x {llvm}]", "[" + ", ".join(f"{llvm} {text}" for _, _, text in parts) + "]"
    fields: list[str] = []
    types: list[str] = []
    at = 0
    for offset, scalar, text in parts:
        if offset > at:
            types.append(f"[{offset - at} x i8]")
            fields.append(f"[{offset - at} x i8] zeroinitializer")
        types.append(scalar.llvm)
        fields.append(f"{scalar.llvm} {text}")
        at = offset + scalar.size
    if at < t.size:
        types.append(f"[{t.size - at} x i8]")
        fields.append(f"[{t.size - at} x i8] zeroinitializer")
    return f"<{{ {', '.join(types)} }}>", f"<{{ {', '.join(fields)} }}>"
