"""What kernels print: the records that `control.driver_call` leaves, formatted as C's printf does."""

from __future__ import annotations

import re
import struct

from runtime.device.memory import BadAddress, DeviceMemory

_CONVERSION = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t|L)?([diouxXeEfFgGaAcspn%])")


def c_string(memory: DeviceMemory, address: int) -> bytes:
    """The NUL-terminated bytes at a device address ("(bad address)" if it is not readable)."""
    found = memory.find(address)
    if found is None:
        return b"(bad address)"
    length = min(4096, found[0] + found[1] - address)
    try:
        return memory.read(address, length).split(b"\0", 1)[0]
    except BadAddress:
        return b"(bad address)"


def c_format(memory: DeviceMemory, text: bytes, arguments: bytes) -> bytes:
    """`text` with the arguments of a vprintf buffer: each aligned to its size, 4 bytes or (doubles, 64-bit) 8."""
    at = 0

    def take(size: int) -> bytes:
        nonlocal at
        at = (at + size - 1) // size * size
        piece = arguments[at : at + size].ljust(size, b"\0")
        at += size
        return piece

    def number(size: int, signed: bool) -> int:
        return int.from_bytes(take(size), "little", signed=signed)

    def convert(match: re.Match[bytes]) -> bytes:
        flags, width, precision, length, kind = (g.decode() if g else "" for g in match.groups())
        if kind == "%":
            return b"%"
        if width == "*":
            width = str(number(4, True))
        if precision == "*":
            precision = str(number(4, True))
        shape = "%" + flags + width + (f".{precision}" if precision else "")
        wide = length in ("l", "ll", "j", "z", "t")
        if kind in "di":
            return ((shape + "d") % number(8 if wide else 4, True)).encode()
        if kind in "uoxX":
            value = number(8 if wide else 4, False)
            if length == "h":
                value &= 0xFFFF
            elif length == "hh":
                value &= 0xFF
            return ((shape + "d") % value).encode() if kind == "u" else _radix(shape, kind, value)
        if kind in "eEfFgG":
            return str((shape + kind) % struct.unpack("<d", take(8))[0]).encode()
        if kind in "aA":
            return float(struct.unpack("<d", take(8))[0]).hex().encode()
        if kind == "c":
            return bytes([number(4, False) & 0xFF]).rjust(int(width or 0))
        if kind == "s":
            text_ = c_string(memory, number(8, False))
            if precision:
                text_ = text_[: int(precision)]
            size = int(width or 0)
            return text_.ljust(size) if "-" in flags else text_.rjust(size)
        if kind == "p":
            value = number(8, False)
            return (f"0x{value:x}" if value else "(nil)").encode().rjust(int(width or 0))
        return b""

    return _CONVERSION.sub(convert, text)


def _radix(shape: str, kind: str, value: int) -> bytes:
    """Octal and hexadecimal; C's # gives a leading 0 for octal where Python's gives 0o."""
    text = (shape.replace("#", "") + kind) % value
    if "#" in shape and value:
        text = ("0" if kind == "o" else "0" + kind) + text
    return text.encode()


def records(buffer: bytes) -> list[tuple[int, int, bytes]]:
    """(which, format address, arguments) of each record."""
    found = []
    at = 0
    while at + 16 <= len(buffer):
        size, which, address = struct.unpack_from("<IIQ", buffer, at)
        if size < 16:
            break
        found.append((which, address, buffer[at + 16 : at + size]))
        at += size
    return found


def printed(memory: DeviceMemory, buffer: bytes) -> bytes:
    """All output of a grid, in the order in which it was made."""
    parts = []
    for which, address, arguments in records(buffer):
        if which == 0:
            parts.append(c_format(memory, c_string(memory, address), arguments))
    return b"".join(parts)


def assertion(memory: DeviceMemory, buffer: bytes) -> tuple[str, str, int, str]:
    """(message, file, line, function) of the last record, which a failed assertion left (its R4..R15)."""
    for which, _, registers in reversed(records(buffer)):
        if which:
            words = struct.unpack("<12I", registers[:48])
            message, file = words[0] | words[1] << 32, words[2] | words[3] << 32
            function = words[6] | words[7] << 32
            text = [c_string(memory, a).decode("utf-8", "replace") for a in (message, file, function)]
            return text[0], text[1], words[4], text[2]
    return "", "", 0, ""
