"""The call frames of a .debug_frame section as text (DWARF 3, 6.4.2 and 7.23; 32-bit and 64-bit format)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_INSTRUCTIONS = {
    0x00: ("nop", ""), 0x01: ("set_loc", "a"), 0x02: ("advance_loc1", "1"), 0x03: ("advance_loc2", "2"),
    0x04: ("advance_loc4", "4"), 0x05: ("offset_extended", "ru"), 0x06: ("restore_extended", "r"),
    0x07: ("undefined", "r"), 0x08: ("same_value", "r"), 0x09: ("register", "rR"), 0x0A: ("remember_state", ""),
    0x0B: ("restore_state", ""), 0x0C: ("def_cfa", "ro"), 0x0D: ("def_cfa_register", "r"),
    0x0E: ("def_cfa_offset", "o"), 0x0F: ("def_cfa_expression", "b"), 0x10: ("expression", "rb"),
    0x11: ("offset_extended_sf", "rs"), 0x12: ("def_cfa_sf", "rs"), 0x13: ("def_cfa_offset_sf", "s"),
    0x14: ("val_offset", "ru"), 0x15: ("val_offset_sf", "rs"), 0x16: ("val_expression", "rb"),
}  # fmt: skip
"""Operation: its name and operands. r, R: a register; o, u: an unsigned number; s: a signed one; 1, 2, 4: a code
distance of so many bytes; a: an address; b: a block of bytes."""


class _Cursor:
    """Bytes read in order. Behind the end there are zeros, so that a damaged section ends and does not raise."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, min(end, len(data))

    def take(self, count: int) -> bytes:
        part = self.data[self.at : min(self.at + count, self.end)]
        self.at += count
        return part

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "little")

    def text(self) -> str:
        stop = self.data.find(b"\0", self.at, self.end)
        part = self.take((stop if stop >= 0 else self.end) - self.at)
        self.at += 1
        return part.decode("latin1")

    def leb(self, signed: bool = False) -> int:
        value = shift = 0
        while self.at < self.end:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value
        return value


def frame_text(data: bytes, names: Mapping[int, str]) -> Iterator[str]:
    """The lines of every entry. `names`: the symbol that is relocated at each place of the section."""
    at = 0
    while at + 4 <= len(data):
        wide = data[at : at + 4] == b"\xff\xff\xff\xff"
        size = 8 if wide else 4
        start = at + 4 * wide
        length = int.from_bytes(data[start : start + size], "little")
        cursor = _Cursor(data, start + size, start + size + length)
        kind = cursor.number(size)
        if kind == (1 << 8 * size) - 1:
            yield from _common(cursor, length)
        else:
            name = names.get(cursor.at, "")
            yield from _described(cursor, length, kind, name)
        yield from _instructions(cursor)
        at = start + size + length


def _common(cursor: _Cursor, length: int) -> Iterator[str]:
    yield " Debug Frame Common Information Entry"
    yield f"  length:                 {length}"
    yield "  CIE_id :                -1"
    yield f"  version:                {cursor.number(1)}"
    yield f"  augmentation:           {cursor.text()}"
    yield f"  code align factor:      {cursor.leb()}"
    yield f"  data align factor:      {cursor.leb(signed=True)}"
    register = cursor.leb()
    yield f"  return address register {_register(register)}"
    yield f"  initial instructions: {max(cursor.end - cursor.at, 0)} bytes"


def _described(cursor: _Cursor, length: int, common: int, name: str) -> Iterator[str]:
    yield " Debug Frame Description Entry"
    yield f"  length:                 {length}"
    yield f"  CIE_pointer:            {common}"
    yield f"  initial_location:       {cursor.number(8):#x}"
    yield f"  address_range:          {cursor.number(8):#x}"
    yield f"  function:               {name}"
    yield f"  instructions: {max(cursor.end - cursor.at, 0)} bytes"


def _register(number: int) -> str:
    """The upper byte is the kind of register: 5 is R (a number without kind is one, too)."""
    return f"R{number & 0xFFFFFF}" if number >> 24 in (0, 5) else f"{number:#x}"


def _instructions(cursor: _Cursor) -> Iterator[str]:
    while cursor.at < cursor.end:
        code = cursor.number(1)
        if code >> 6:
            low = code & 63
            text = {1: f"advance_loc delta {low}", 3: f"restore {_register(low)}"}.get(code >> 6)
            yield "  DW_CFA_" + (text or f"offset {_register(low)}, {cursor.leb()}")
            continue
        name, operands = _INSTRUCTIONS.get(code, (f"{code:#x}", ""))
        parts = []
        for operand in operands:
            if operand in "rR":
                parts.append(("register " if name in ("def_cfa", "register") and operand == "r" else "")
                             + _register(cursor.leb()))  # fmt: skip
            elif operand in "124":
                parts.append(f"delta {cursor.number(int(operand))}")
            elif operand == "a":
                parts.append(f"{cursor.number(8):#x}")
            elif operand == "b":
                block = cursor.take(min(cursor.leb(), cursor.end - cursor.at))
                parts.append(f"{len(block)} byte block: {block.hex(' ')}")
            else:
                value = cursor.leb(signed=operand == "s")
                parts.append(f"offset {value}" if operand == "o" else str(value))
        yield f"  DW_CFA_{name} {', '.join(parts)}".rstrip()


__all__ = ["frame_text"]
