"""Arithmetic on integers that several rooms need: multiples, two's complement, LEB128."""

from __future__ import annotations


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
