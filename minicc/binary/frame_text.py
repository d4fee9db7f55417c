"""The call frames of a .debug_frame section as text (DWARF 3, 6.4.2 and 7.23; 32-bit and 64-bit format)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_INSTRUCTIONS = {
    0x00: ("nop", ""), 0x01: ("set_loc", "a"), 0x02: ("advance_loc1", "1"), 0x03: ("advance_loc2", "2"),
    0x04: ("advance_loc4", "4"), 0x05: ("offset_extended", "nx"), 0x06: ("restore_extended", "n"),
    0x07: ("undefined ", "r"), 0x08: ("same_value", "r"), 0x09: ("register", "nr"), 0x0A: ("remember_state", ""),
    0x0B: ("restore_state", ""), 0x0C: ("def_cfa", "no"), 0x0D: ("def_cfa_register", "n"),
    0x0E: ("def_cfa_offset", "o"), 0x0F: ("def_cfa_expression", "b"), 0x10: ("expression", "rb"),
    0x11: ("offset_extended_sf", "ny"), 0x12: ("def_cfa_sf", "rs"), 0x13: ("def_cfa_offset_sf", "s"),
    0x14: ("val_offset", "ru"), 0x15: ("val_offset_sf", "rs"), 0x16: ("val_expression", "rb"),
}  # fmt: skip
"""Operation: its name and operands. r: a register; n: one led by its kind; o, u: an unsigned number; s: a signed one;
x, y: such numbers in hexadecimal; 1, 2, 4: a code distance of so many bytes; a: an address; b: a block of bytes."""
_FILES = {1: "C", 2: "P", 5: "R", 6: "M", 8: "I", 9: "UP", 10: "UR", 11: "UR", 13: "PSR"}
"""Names of registers by the upper byte of their number."""


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
    yield f"decodeDebugFrame, frameBuf {_word(data, 0):#x}, total_length {len(data)}"
    at = 0
    while at + 4 <= len(data):
        wide = data[at : at + 4] == b"\xff\xff\xff\xff"
        size = 8 if wide else 4
        start = at + 4 * wide
        length = int.from_bytes(data[start : start + size], "little")
        cursor = _Cursor(data, start + size, start + size + length)
        kind = cursor.number(size)
        if kind == (1 << 8 * size) - 1:
            yield from _common(cursor, length, _word(data, 0))
        else:
            name = names.get(cursor.at, "")
            yield from _described(cursor, length, kind, name)
        yield from _instructions(cursor)
        at = start + size + length


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _common(cursor: _Cursor, length: int, first: int) -> Iterator[str]:
    """`first`: the first word of the section, which cuobjdump prints as it goes, like the lines up to the title."""
    yield f"CIE length {length}, cie_id -1"
    yield f"version {cursor.data[cursor.at] if cursor.at < cursor.end else 0}"
    yield from ("augmentation slen 1", "augmentation ", "code_align_factor slen 1", "data_align_factor slen 1")
    yield " Debug Frame Common Information Entry"
    yield f"  length:                 {length}"
    yield "  CIE_id :                -1"
    yield f"  version:                {cursor.number(1)}"
    yield f"  augmentation:           {cursor.text()}"
    yield f"  code align factor:      {cursor.leb()}"
    yield f"  data align factor:      {cursor.leb(signed=True)}"
    register = cursor.leb()
    yield f"  return address register {'0xffffffff' if register == 0xFFFFFFFF else _register(register)}"
    size = max(cursor.end - cursor.at, 0)
    yield f"  initial instructions: {size} bytes, ptr = {_word(cursor.data, cursor.at):#x}, frameBuf = {first:#x}"


def _described(cursor: _Cursor, length: int, common: int, name: str) -> Iterator[str]:
    yield " Debug Frame Description Entry"
    yield f"  length:                 {length}"
    yield f"  CIE_pointer:            {common}"
    yield f"  initial_location:       {cursor.number(8):#x}"
    yield f"  address_range:          {cursor.number(8):#x}"
    yield f"  function:               {name}"
    yield f"  instructions: {max(cursor.end - cursor.at, 0)} bytes"


def _register(number: int) -> str:
    return f"{_FILES.get(number >> 24, ' ')}{number & 0xFFFFFF}"


def _expression(block: bytes) -> str:
    """The operations of a DWARF expression (2.5) that ptxas writes; the rest of one with another is left out."""
    cursor, out = _Cursor(block, 0, len(block)), []
    while cursor.at < cursor.end:
        code = cursor.number(1)
        if code == 0x03:
            out.append(f"DW_OP_addr: {cursor.number(8):#x}")
        elif code == 0x22:
            out.append("DW_OP_plus")
        elif code == 0x92:
            register = _register(cursor.leb())
            out.append(f"DW_OP_bregx: {register} {cursor.leb(signed=True) & 0xFFFFFFFF:#x}")
        else:
            break
    return "; ".join(out)


def _instructions(cursor: _Cursor) -> Iterator[str]:
    while cursor.at < cursor.end:
        code = cursor.number(1)
        if code >> 6:
            low = code & 63
            text = {1: f"advance_loc delta {low}", 3: f"restore register R{low}"}.get(code >> 6)
            yield "  DW_CFA_" + (text or f"offset offset {cursor.leb():x}, register R{low}")
            continue
        name, operands = _INSTRUCTIONS.get(code, (f"{code:#x}", ""))
        parts = []
        for operand in operands:
            if operand in "rn":
                parts.append(("register " if operand == "n" else "") + _register(cursor.leb()))
            elif operand in "124":
                parts.append(f"delta {cursor.number(int(operand))}")
            elif operand == "a":
                parts.append(f"{cursor.number(8):#x}")
            elif operand == "b":
                block = cursor.take(min(cursor.leb(), cursor.end - cursor.at))
                parts.append(f"{len(block):20} byte block: {' '.join(f'{b:2x}' for b in block)} ({_expression(block)})")
            else:
                value = cursor.leb(signed=operand in "sy")
                shown = f"{value & 0xFFFFFFFFFFFFFFFF:x}" if operand in "xy" else str(value)
                parts.append(f"offset {shown}" if operand in "oxy" else shown)
        yield f"  DW_CFA_{name} {', '.join(parts)}".rstrip()


__all__ = ["frame_text"]
