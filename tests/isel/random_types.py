"""Random LLVM IR's types, constants and lines."""

from __future__ import annotations

import random
import re

INTEGERS = ("i1", "i8", "i16", "i24", "i32", "i64", "i128")
FLOATS = ("half", "bfloat", "float", "double")
VECTORS = (
    "<3 x i8>", "<4 x i8>", "<8 x i8>", "<16 x i8>", "<2 x i16>", "<4 x i16>", "<3 x i16>", "<8 x i16>", "<2 x i32>",
    "<3 x i32>", "<4 x i32>", "<2 x i64>", "<2 x half>", "<4 x half>", "<8 x half>", "<2 x bfloat>", "<2 x float>",
    "<3 x float>", "<4 x float>", "<2 x double>",
)  # fmt: skip
TYPES = (*INTEGERS, *FLOATS, *VECTORS)
OPERANDS = (
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "half",
    "float",
    "double",
    "<4 x i8>",
    "<2 x i16>",
    "<4 x i32>",
    "<2 x half>",
)
PACKED = ("i1", "i24", "<3 x i8>", "<3 x i16>", "<3 x i32>", "<3 x float>")
"""Types whose size in memory is not their bits."""
BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
SUFFIX = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
NAN = {"half": "0xH7E00", "bfloat": "0xR7FC0", "float": "0x7FF8000000000000", "double": "0x7FF8000000000000"}


def parts(type_: str) -> tuple[int, str]:
    """Elements (0 of a scalar) and their type."""
    found = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    return (int(found[1]), found[2]) if found else (0, type_)


def like(type_: str, element: str) -> str:
    """The type with other elements."""
    count, _ = parts(type_)
    return f"<{count} x {element}>" if count else element


def bits(element: str) -> int:
    return BITS.get(element) or int(element[1:])


def size(type_: str) -> int:
    count, element = parts(type_)
    return max(count, 1) * bits(element)


def suffix(type_: str) -> str:
    count, element = parts(type_)
    return (f"v{count}" if count else "") + SUFFIX.get(element, element)


class Text:
    """One function's lines, and the names that are known of each type."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.declared: dict[str, None] = {}
        self.known: dict[str, list[str]] = {}
        self.block = "start"
        self.names = 0
        self.turns = 0
        self.kinds = [rng.choice(OPERANDS) for _ in range(4)]
        for k, kind in enumerate(self.kinds):
            self.known.setdefault(kind, []).append(f"%a{k}")

    def line(self, type_: str, text: str) -> str:
        self.names += 1
        name = f"%x{self.names}"
        self.lines.append(f"{name} = {text}")
        self.known.setdefault(type_, []).append(name)
        return name

    def call(self, type_: str, name: str, *arguments: tuple[str, str]) -> str:
        """A call of an intrinsic, overloaded by its first argument's or by its result's type."""
        types = ", ".join(
            f"{kind} immarg" if name.startswith("is.fpclass") and kind == "i32" else kind for kind, _ in arguments
        )
        self.declared[f"declare {type_} @llvm.{name}({types})"] = None
        return self.line(type_, f"call {type_} @llvm.{name}({', '.join(f'{t} {v}' for t, v in arguments)})")

    def each(self, type_: str, value: str | None = None) -> str:
        """A constant: `value` in every element, or any."""
        count, element = parts(type_)
        if not count:
            return value or self.number(element)
        return f"<{', '.join(f'{element} {value or self.number(element)}' for _ in range(count))}>"

    def number(self, element: str) -> str:
        rng = self.rng
        if element in BITS:
            value = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 255.0, 1024.0])
            return (
                f"0xR{ {0.5: 0x3F00, 2.0: 0x4000, 1.0: 0x3F80}.get(value, 0xC040):04X}"
                if element == "bfloat"
                else str(value)
            )
        n = bits(element)
        if n == 1:
            return rng.choice(["true", "false"])
        near = rng.choice(
            [0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 255, 0xFFFF, 0xFF00, -1, -2, 1 << n - 1, (1 << n - 1) - 1, 10, 100]
        )
        value = rng.choice(
            [near, near, rng.getrandbits(n), rng.getrandbits(n) >> rng.randrange(n), 1 << rng.randrange(n)]
        )
        value &= (1 << n) - 1
        return str(value - (1 << n) if value >> n - 1 else value)
