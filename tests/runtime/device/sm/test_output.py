"""printf as C does it, and the records it is made from."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.device.memory import DeviceMemory
from runtime.device.sm.output import c_format, printed

MEMORY = DeviceMemory(1 << 26)


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        (b"%d|%5d|%-5d|%05d|%+d", struct.pack("<5i", 1, -2, 3, -4, 5), b"1|   -2|3    |-0004|+5"),
        (b"%u %x %X %o %#x %#o", struct.pack("<6I", 2**32 - 1, 255, 255, 8, 255, 8), b"4294967295 ff FF 10 0xff 010"),
        (b"%d %f", struct.pack("<ixxxxd", 7, 1.5), b"7 1.500000"),
        (b"%e %g %.3f %8.2f", struct.pack("<4d", 1e10, 1e-5, 2.0, 3.14159), b"1.000000e+10 1e-05 2.000     3.14"),
        (b"%lld %llu %ld", struct.pack("<qQq", -(2**40), 2**63, 9), b"-1099511627776 9223372036854775808 9"),
        (b"%c%c 100%%", struct.pack("<2i", 65, 66), b"AB 100%"),
        (b"%*d|%.*f", struct.pack("<3ixxxxd", 4, 7, 2, 1.239)[:12] + bytes(4) + struct.pack("<d", 1.239), b"   7|1.24"),
        (b"%p", struct.pack("<Q", 0x7F0000001000), b"0x7f0000001000"),
    ],
)
def test_conversions(text: bytes, arguments: bytes, expected: bytes) -> None:
    assert c_format(MEMORY, text, arguments) == expected


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8), st.sampled_from(["", "-", "0", "+"]), st.integers(1, 14))
def test_integers_as_python_has_them(values: list[int], flag: str, width: int) -> None:
    text = f"%{flag}{width}d;" * len(values)
    assert c_format(MEMORY, text.encode(), struct.pack(f"<{len(values)}i", *values)) == (text % tuple(values)).encode()


@given(st.binary(max_size=200))
def test_any_bytes_are_taken(buffer: bytes) -> None:
    printed(MEMORY, buffer)


def test_strings_come_from_device_memory() -> None:
    address = MEMORY.allocate(8)
    MEMORY.write(address, b"abc\0defg")
    assert c_format(MEMORY, b"[%s][%5s][%-5s][%.2s]", struct.pack("<4Q", *[address] * 4)) == b"[abc][  abc][abc  ][ab]"
    assert c_format(MEMORY, b"%s", struct.pack("<Q", 5)) == b"(bad address)"
