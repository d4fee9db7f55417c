"""Numbers as machines and files hold them: multiples, two's complement, IEEE floats, LEB128."""

from __future__ import annotations

import math
import struct

_FORMATS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def align_up(value: int, alignment: int) -> int:
    """The least multiple of `alignment` not below `value`."""
    return -(-value // alignment) * alignment


def align_at(alignment: int, offset: int) -> int:
    """What is known of an address `offset` bytes past one that is a multiple of `alignment`, a power of two."""
    return alignment if offset == 0 else min(alignment, offset & -offset)


def signed(value: int, bits: int) -> int:
    """Two's complement reading of the low `bits`."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def float_of(bits: int, width: int) -> float:
    """The IEEE number of 16, 32 or 64 bits."""
    number, word = _FORMATS[width]
    return float(struct.unpack(number, struct.pack(word, bits))[0])


def bits_of(value: float, width: int) -> int:
    """The bits of the nearest IEEE number of that width; what is too large for it is infinite."""
    number, word = _FORMATS[width]
    try:
        return int(struct.unpack(word, struct.pack(number, value))[0])
    except OverflowError:
        return bits_of(math.copysign(math.inf, value), width)


def uleb(value: int) -> bytes:
    """Unsigned LEB128, DWARF's numbers of any size."""
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def sleb(value: int) -> bytes:
    """Signed LEB128."""
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value & 127))
