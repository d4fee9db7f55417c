"""The scheduling field as readable text, in the manner of maxas:

    B--2---:R1:W0:Y:S04     waits on barrier 2; read barrier 1, write barrier 0; yields; stalls 4 cycles

Reuse flags are not part of it: they are `.reuse` on the operands.
"""

from __future__ import annotations

import re

from minicc.record import evolve
from minicc.sass.instr import Control

_TEXT = re.compile(r"B([-0-5]{6}):R([-0-5]):W([-0-5]):([-Y]):S(\d{1,2})")


def control_text(control: Control) -> str:
    """The field as text, 23 characters."""
    wait = "".join(str(k) if control.wait >> k & 1 else "-" for k in range(6))
    read, write = ("-" if b == 7 else str(b) for b in (control.rbar, control.wbar))
    return f"B{wait}:R{read}:W{write}:{'Y' if control.yield_ else '-'}:S{control.stall:02}"


def parse_control(text: str) -> Control:
    """The control that a text says; ValueError if it is malformed. Barrier 6 has no text: see `printable`."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected control codes like B--2---:R-:W0:-:S04")
    wait, read, write, flag, stall = match.groups()
    if int(stall) > 15:
        raise ValueError("a stall count is 0 to 15")
    mask = 0
    for place, letter in enumerate(wait):
        if letter not in ("-", str(place)):
            raise ValueError(f"barrier {letter} stands in the place of barrier {place}")
        mask |= (letter != "-") << place
    numbers = [7 if letter == "-" else int(letter) for letter in (read, write)]
    return Control(int(stall), flag == "Y", numbers[1], numbers[0], mask)


def printable(control: Control) -> bool:
    """Whether the text holds all of the field but the reuse flags."""
    return evolve(parse_control(control_text(control)), reuse=control.reuse) == control if _ok(control) else False


def _ok(control: Control) -> bool:
    return control.rbar != 6 and control.wbar != 6
