"""Abstract instruction streams: `FFMA R0, R1, R4, R5` is an opcode, a destination and sources. Nothing is computed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from minicc.diagnostics import fail

_REGISTER = re.compile(r"R(\d+)$")


@attrs.frozen
class Op:
    """One instruction. Registers by number; `writes` has several for wide loads."""

    opcode: str
    writes: tuple[int, ...]
    reads: tuple[int, ...]
    text: str = ""


def parse(text: str) -> Op:
    """One instruction from `OPCODE Rd, Ra, Rb, ...`. LDS.64 and LDS.128 write two and four registers from Rd; an
    address operand is [R]."""
    opcode, _, rest = text.strip().partition(" ")
    numbers = []
    for part in map(str.strip, rest.replace("[", "").replace("]", "").split(",")):
        match = _REGISTER.match(part)
        if match is None:
            fail("classic.operand", f"'{part}' in '{text}' is not a register" if part else f"'{text}' has no operands")
        numbers.append(int(match[1]))
    width = {"64": 2, "128": 4}.get(opcode.partition(".")[2], 1)
    return Op(opcode, tuple(range(numbers[0], numbers[0] + width)), tuple(numbers[1:]), text.strip())


def program(text: str) -> tuple[Op, ...]:
    """A stream, an instruction a line or separated by `;`."""
    return tuple(parse(part) for part in re.split(r"[;\n]", text) if part.strip())


def repeat(body: Sequence[Op], count: int) -> tuple[Op, ...]:
    """`body`, `count` times."""
    return tuple(body) * count
