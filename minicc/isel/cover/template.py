"""PTX templates: text of a pattern row -> what to build.

`op.mods a, b; op ...`: instructions separated by `;`. Operands: $d $d0 $d1 results, $name operand, $name:f with the
immediate passed through a function, [$p] address, {a, b} vector, a|b pair, $t1.i32 a temporary, %special, integers,
0f.../0d... floats, `$L` the target label, `$data` the node's own datum. In modifiers: {z} is .ftz where the function
flushes, {sem} {scope} {space} come from the node's data, other {axis} from what the matched nodes are.
"""

from __future__ import annotations

import re
from functools import cache


class Step:
    """One instruction of a template. `operands` are specs for `Emitter.operand`."""

    def __init__(
        self,
        opcode: str,
        modifiers: tuple[str, ...],
        operands: tuple[tuple[str, ...], ...],
        guard: str | None,
        dynamic: str,
    ) -> None:
        self.opcode, self.modifiers, self.operands, self.guard = opcode, modifiers, operands, guard
        self.dynamic = dynamic
        """The whole dotted name if it has {placeholders}, else empty."""


def _split(text: str) -> list[str]:
    out = []
    depth = 0
    current = ""
    for char in text:
        if char == "," and depth == 0:
            out.append(current.strip())
            current = ""
            continue
        depth += (char in "{[(") - (char in "}])")
        current += char
    if current.strip():
        out.append(current.strip())
    return out


def _operand(text: str) -> tuple[str, ...]:
    if text[0] == "[":
        inner = text[1:-1]
        if "," in inner:
            return ("bracket", inner)
        return ("address", inner[1:]) if inner[0] == "$" else ("absolute", inner)
    if text[0] == "{":
        return ("vector", text[1:-1])
    if "|" in text:
        return ("pair", *text.split("|"))
    if text[0] == "$":
        name = text[1:]
        if name == "data":
            return ("data",)
        if name == "L":
            return ("label",)
        if re.fullmatch(r"d\d*", name):
            return ("result", name[1:] or "0")
        if re.fullmatch(r"t\d+\.\w+", name):
            return ("temp", *name.split("."))
        name, _, function = name.partition(":")
        return ("operand", name, function)
    if text[0] == "%":
        return ("special", text)
    if text[:2] in ("0f", "0d"):
        return ("float", text)
    if text.lstrip("-")[:1].isdigit():
        return ("int", text)
    return ("symbol", text)


@cache
def operands(text: str) -> tuple[tuple[str, ...], ...]:
    """Specs of a list."""
    return tuple(_operand(item) for item in _split(text))


@cache
def parse(template: str) -> tuple[Step, ...]:
    """Steps of a template."""
    steps = []
    for part in template.split(";"):
        part = part.strip()
        guard = None
        if part[0] == "@":
            guard, _, part = part.partition(" ")
            guard = guard[1:]
        name, _, rest = part.partition(" ")
        opcode, *modifiers = name.split(".")
        dynamic = name if "{" in name else ""
        steps.append(Step(opcode, tuple(modifiers), tuple(_operand(o) for o in _split(rest)), guard, dynamic))
    return tuple(steps)
