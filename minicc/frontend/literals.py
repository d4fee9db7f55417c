"""Spellings of literals to values: integers, floating point, characters, strings."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from minicc.diagnostics import Span
from minicc.numbers import signed

if TYPE_CHECKING:
    from minicc.frontend.tokens import Token


class BadLiteral(Exception):
    """The text is no literal; the message is clang's, `at` the place in the text that it is about."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at

    def within(self, token: Token) -> Span:
        return Span(token.source, token.start + self.at, token.start + self.at + 1)


class IntegerLiteral:
    def __init__(self, value: int, decimal: bool, unsigned: bool, longs: int) -> None:
        self.value, self.decimal, self.unsigned = value, decimal, unsigned
        self.longs = longs
        """Number of `l` in the suffix: 0, 1 or 2."""


_INT = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uUlLzZ]*)$")
_FLOAT = (
    r"((?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
    r"|0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)([fFlL]?)$"
)
_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F']*(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?[0-9]+)?|0[bB][01']+|[0-9']*\.?[0-9']*(?:[eE][+-]?[0-9]+)?"
)
_SUFFIXES = {"": (False, 0), "u": (True, 0), "l": (False, 1), "ul": (True, 1), "lu": (True, 1), "ll": (False, 2),
             "ull": (True, 2), "llu": (True, 2), "z": (False, 1), "uz": (True, 1), "zu": (True, 1)}  # fmt: skip


def suffix(text: str) -> int:
    """Where a suffix begins that no built-in type has: `_km` of 12_km, `ms` of 5ms; 0 without one."""
    number = _NUMBER.match(text)
    cut = number.end() if number is not None else 0
    rest = text[cut:]
    return cut if rest and rest[0] != "." and rest.lower() not in (*_SUFFIXES, "f") else 0


def integer(text: str) -> IntegerLiteral:
    text = text.replace("'", "")
    m = _INT.match(text)
    if m is None:
        digit = re.match(r"(0)[0-7]*([89])|([1-9][0-9]*)([a-fA-F])", text)
        if digit is not None:
            k, base = (2, "octal") if digit[1] else (4, "decimal")
            raise BadLiteral(f"invalid digit '{digit[k]}' in {base} constant", digit.start(k))
        suffix = re.sub("^(0[xX][0-9a-fA-F]+|[0-9]*)", "", text)
        raise BadLiteral(f"invalid suffix '{suffix}' on integer constant", len(text) - len(suffix))
    digits, suffix = m.groups()
    if "lL" in suffix or "Ll" in suffix or suffix.lower() not in _SUFFIXES:
        raise BadLiteral(f"invalid suffix '{suffix}' on integer constant", len(digits))
    unsigned, longs = _SUFFIXES[suffix.lower()]
    if digits[:2] in ("0x", "0X"):
        value = int(digits, 16)
    elif digits[:2] in ("0b", "0B"):
        value = int(digits[2:], 2)
    elif digits[0] == "0":
        value = int(digits, 8)
    else:
        value = int(digits) if len(digits) < 400 else 1 << 64
    if value >> 64:
        raise BadLiteral("integer literal is too large to be represented in any integer type")
    return IntegerLiteral(value, digits[0] != "0", unsigned, longs)


def is_floating(text: str) -> bool:
    if text[:2] in ("0x", "0X"):
        return "p" in text or "P" in text
    return "." in text or "e" in text or "E" in text


def floating(text: str) -> tuple[float, bool]:
    """(value, is single precision). A float literal is rounded once, from the decimal text."""
    text = text.replace("'", "")
    m = re.match(_FLOAT, text)
    if m is None:
        suffix = re.sub(r"^[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?", "", text)
        raise BadLiteral(f"invalid suffix '{suffix}' on floating constant", len(text) - len(suffix))
    digits, suffix = m.groups()
    single = suffix in ("f", "F")
    try:
        value = float.fromhex(digits) if digits[:2] in ("0x", "0X") else float(digits)
    except OverflowError:
        value = float("inf")
    if single:
        value = round_to_single(digits, value)
    return value, single


def round_to_single(digits: str, value: float) -> float:
    """The float nearest to the exact text, not to its double (the two differ at double-rounding ties)."""
    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    if single in (float("inf"), 0.0) or digits[:2] in ("0x", "0X"):
        return single
    bits = struct.unpack("I", struct.pack("f", single))[0]
    low: float = struct.unpack("f", struct.pack("I", bits - 1))[0] if bits else single
    high: float = struct.unpack("f", struct.pack("I", bits + 1))[0]
    if (low + single) / 2 != value and (single + high) / 2 != value:
        return single
    from fractions import Fraction

    exact = Fraction(digits)
    best = min((low, single, high), key=lambda f: (abs(Fraction(f) - exact), _odd(f)))
    return best


def _odd(value: float) -> int:
    return int(struct.unpack("I", struct.pack("f", value))[0]) & 1


_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "0": 0,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
    "e": 27,
}
_ESCAPE = r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])|([^\\]+)"


_ENCODINGS = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}
"""By the bytes of a code unit."""


def unescape(body: str, width: int = 1) -> bytes:
    """The code units of what stands between quotes, `width` bytes each, the lowest first."""
    encoding = _ENCODINGS[width]
    out = bytearray()
    for m in re.finditer(_ESCAPE, body):
        escape, plain = m.groups()
        if plain is not None:
            out += plain.encode(encoding, "surrogateescape" if width == 1 else "replace")
        elif escape[0] == "x" and len(escape) > 1:
            value = int(escape[1:], 16)
            if value >> 8 * width:
                raise BadLiteral("hex escape sequence out of range")
            out += value.to_bytes(width, "little")
        elif escape[0] in "01234567":
            out += (int(escape, 8) & (1 << 8 * width) - 1).to_bytes(width, "little")
        elif escape[0] in "uU" and len(escape) > 1:
            number = int(escape[1:], 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                raise BadLiteral("invalid universal character")
            out += chr(number).encode(encoding)
        elif escape in _ESCAPES:
            out += _ESCAPES[escape].to_bytes(width, "little")
        else:
            if escape == "x":
                raise BadLiteral("\\x used with no following hex digits", 1 + m.start())
            raise BadLiteral(f"unknown escape sequence '\\{escape}'", 1 + m.start())
    return bytes(out)


def character(text: str) -> int:
    """Value of a character literal without a prefix; a plain char is signed."""
    data = unescape(text[1:-1])
    if len(data) > 4:
        raise BadLiteral("character constant too long for its type")
    if len(data) != 1:
        return signed(int.from_bytes(data, "big"), 32)
    return signed(data[0], 8)


def wide_character(body: str, width: int) -> int:
    """Value of what stands between the quotes of a character literal with an encoding prefix: one code unit of `width`
    bytes."""
    data = unescape(body, width)
    if len(data) != width:
        raise BadLiteral("character constant too long for its type")
    return int.from_bytes(data, "little")


def prefix(text: str) -> str:
    """A literal's encoding prefix."""
    return text[: text.index('"')]


def string(text: str, width: int = 1) -> bytes:
    """Code units of a string literal, `width` bytes each, without the final zero."""
    return unescape(text[text.index('"') + 1 : -1], width)
