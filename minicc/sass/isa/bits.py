"""Bit fields: where a value sits in the 128-bit word, and what its values print as."""

from __future__ import annotations

from collections.abc import Callable, Iterator


class Bits:
    """A field of one or more bit ranges, first range least significant. `scale` multiplies the stored number."""

    __slots__ = ("limit", "mask", "parts", "single", "width")

    def __init__(self, parts: tuple[tuple[int, int], ...]) -> None:
        self.parts = parts
        self.width = sum(width for _, width in parts)
        self.limit = 1 << self.width
        self.mask = sum(((1 << width) - 1) << low for low, width in parts)
        self.single = parts[0][0] if len(parts) == 1 else None

    def get(self, word: int) -> int:
        """The field's value in `word`."""
        if self.single is not None:
            return word >> self.single & self.limit - 1
        value = shift = 0
        for low, width in self.parts:
            value |= (word >> low & (1 << width) - 1) << shift
            shift += width
        return value

    def put(self, value: int) -> int:
        """`value` placed at the field's bits."""
        if self.single is not None:
            return value << self.single
        word = 0
        for low, width in self.parts:
            word |= (value & (1 << width) - 1) << low
            value >>= width
        return word


def parse_bits(text: str) -> Bits:
    """Bits from "76..78" or "74,77..79"."""
    parts = []
    for piece in text.split(","):
        low, _, high = piece.partition("..")
        parts.append((int(low), int(high) - int(low) + 1 if high else 1))
    return Bits(tuple(parts))


class Field:
    """A modifier field: `prints[value]` is the tuple of suffixes; a value that is missing is refused by the machine.

    `default` is what a silent text means; `quiet` the value that prints nothing, None if every value prints."""

    __slots__ = ("bits", "default", "name", "prints", "values")

    def __init__(self, name: str, bits: Bits, prints: dict[int, tuple[str, ...]], default: int) -> None:
        self.name = name
        self.bits = bits
        self.prints = prints
        self.default = default
        self.values: dict[tuple[str, ...], int] = {}
        for value, text in prints.items():
            if text not in self.values or value == default:
                self.values[text] = value


def parse_field(name: str, text: str) -> Field:
    """A field from "bits: v0 v1 ..." or "bits: 1=A 5=B" (see `notation`)."""
    where, _, values = text.partition(":")
    prints: dict[int, tuple[str, ...]] = {}
    starred = None
    special = values.strip()
    if special in NAMED:
        named = NAMED[special]()
        return Field(name, parse_bits(where), {k: tuple(v.split(".")) for k, v in named.items()}, 0)
    for value, word in _numbered(values.split()):
        if word.endswith("*"):
            word, starred = word[:-1], value
        if word != "?":
            prints[value] = () if word == "-" else tuple(word.split("."))
    quiet = next((value for value, suffixes in prints.items() if not suffixes), None)
    default = starred if starred is not None else quiet if quiet is not None else next(iter(prints), 0)
    return Field(name, parse_bits(where), prints, default)


def _states() -> dict[int, str]:
    from minicc.sass.isa.states import NAMES

    return NAMES


def _swizzle() -> dict[int, str]:
    """Sign patterns of FSWZADD: four lanes of two signs each, highest bits first; P plus, N minus, Z zero."""
    return {v: "".join(("PP", "PN", "NP", "ZP")[v >> (6 - 2 * k) & 3] for k in range(4)) for v in range(256)}


NAMED: dict[str, Callable[[], dict[int, str]]] = {"state": _states, "swizzle": _swizzle}
"""Value lists that are computed or shared: written as one word after the bits."""


def _numbered(words: list[str]) -> Iterator[tuple[int, str]]:
    for position, word in enumerate(words):
        number, equals, text = word.partition("=")
        yield (int(number, 0), text) if equals else (position, word)
