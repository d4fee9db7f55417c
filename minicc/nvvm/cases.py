"""Switches that name every value they can have: the last case becomes the default.

    switch i32 %x, label %never [ ... i32 3, label %d ]     never: unreachable
    switch i32 %x, label %d [ ... ]

LLVM makes the default unreachable where it knows that. For its unrolling that block is another way out of the loop
around the switch, and it leaves such loops as they are; NVIDIA's compiler writes them out.

Input: a module's text after LLVM's pipeline.
"""

from __future__ import annotations

import re

_NEVER = re.compile(r"^([-\w.$]+):[^\n]*\n  unreachable$", re.M)
_SWITCH = re.compile(
    r"(  switch i\d+ [^,\n]+, label )%([-\w.$]+)( \[\n(?:    [^\n]*\n)*)    i\d+ [^,\n]+, label (%[-\w.$]+)\n  \]"
)


def complete(text: str) -> str | None:
    """The text with such switches of functions with loops changed; None if it has none."""
    result = "\ndefine ".join([_function(function) for function in text.split("\ndefine ")])
    return None if result == text else result


def _function(text: str) -> str:
    if " switch " not in text or " phi " not in text:
        return text
    never = set(_NEVER.findall(text))
    return _SWITCH.sub(lambda s: f"{s[1]}{s[4]}{s[3]}  ]" if s[2] in never else s[0], text)
