"""Divisors 2**k << n are shifts by a frozen n, not frozen themselves: LLVM divides by a shift with a shift.

    %d = shl i32 1, %n                 %places.q = freeze i32 %n
    %q = freeze i32 %d                 %q = shl i32 1, %places.q
    %r = udiv i32 %x, %q               %r = udiv i32 %x, %q

Input: a module's text once variables are values, before LLVM's pipeline.
"""

from __future__ import annotations

import re

from minicc.nvvm.bodies import NAME

_BY_A_VALUE = re.compile(rf" = shl [^\n]*, {NAME}\n")
_POWER = re.compile(rf"^  ({NAME}) = shl (?:nuw |nsw )*i\d+ (\d+), ({NAME})$", re.M)
_FROZEN = re.compile(rf"^  %(\S+) = freeze (i\d+) ({NAME})$", re.M)


def possible(ir: str) -> bool:
    """Whether there may be such divisors in what the module is made of: something is shifted by a value."""
    return _BY_A_VALUE.search(ir) is not None


def shifted(text: str) -> str:
    """The text with such divisors."""
    return "\n}\n".join(map(_function, text.split("\n}\n")))


def _function(text: str) -> str:
    powers = {m[1]: (m[2], m[3]) for m in _POWER.finditer(text) if int(m[2]).bit_count() == 1}

    def shift(m: re.Match[str]) -> str:
        if m[3] not in powers:
            return m[0]
        power, places = powers[m[3]]
        return f"  %places.{m[1]} = freeze {m[2]} {places}\n  %{m[1]} = shl {m[2]} {power}, %places.{m[1]}"

    return _FROZEN.sub(shift, text) if powers else text
