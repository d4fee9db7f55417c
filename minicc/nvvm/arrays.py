"""Local arrays that would be registers if the loops around them were written out: their indices are constants then.

LLVM's limit for unrolling knows nothing of that. So where functions still have local variables after its pipeline, the
pipeline is run again with a larger limit, and kept if there are fewer loads and stores then (unrolling makes more of
them, unless an array goes with it) or a function has no array any more. Inverting 4 x 4 matrices with pivots took 1.44
of the cycles of nvcc's code on an H200 without, and takes 0.99.

Input: a module's text after LLVM's pipeline, in which a loop goes back to a block further up.
"""

from __future__ import annotations

import re
from itertools import count

from minicc.nvvm.bodies import bodies

UNROLLED = 8000
"""The larger limit, in LLVM's instructions."""
SHORT, LONGER = 6000, 4
"""A function of more lines than this may be so many times as long at most: sines and powers that are inlined in its
loops are written out with them, and code has caches, too."""
_LABEL = re.compile(r"^([-\w.$]+):", re.M)
_END = re.compile(r"^  (%\S+) = icmp [a-z ]+ i\d+ [^,\n]+, -?\d+\n  br i1 \1, label %(\S+), label %([^\s,]+)", re.M)
"""A block ends with a compare with a constant."""


_HALF = re.compile(r"^  store (half|bfloat) ([^\n,]+), (?=ptr )", re.M)


def as_words(ir: str) -> str:
    """A module's text with its halves stored as integers: LLVM makes no register of a local array of halves that is
    read by wider floats (eight halves written, one float4 read)."""
    number = count()
    return _HALF.sub(
        lambda s: f"  %stored.{(n := next(number))} = bitcast {s[1]} {s[2]} to i16\n  store i16 %stored.{n}, ", ir
    )


def kept(text: str) -> dict[str, str]:
    """The functions of a module's text that have local variables and a loop of a constant number of turns."""
    return {name: body for name, _, body in bodies(text) if " = alloca " in body and _counted(body)}


def gone(text: str, before: dict[str, str]) -> set[str]:
    """Those of such functions that have fewer loads and stores in another text of the module, or no array any more, and
    are not too long there. Fewer arrays alone say little: HeCBench's rsbench lost three of six, for three times its
    code."""
    after = {name: body for name, _, body in bodies(text) if name in before}
    return {
        name
        for name, body in after.items()
        if (" = alloca " not in body or _accesses(body) < _accesses(before[name]))
        and body.count("\n") <= max(SHORT, LONGER * before[name].count("\n"))
    }


def _counted(body: str) -> bool:
    """Whether a loop seems to end at a constant."""
    place = {label[1]: label.start() for label in _LABEL.finditer(body)}
    return any(place.get(end[k], end.end()) < end.end() for end in _END.finditer(body) for k in (2, 3))


def _accesses(body: str) -> int:
    return body.count(" = load ") + body.count("\n  store ")
