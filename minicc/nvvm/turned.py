"""Kernels with loops of few turns that pass values on from variable to variable: written out, as in NVIDIA's code.

    for (int r = 0; r < 7; r++) { ...; for (int k = 0; k < 16; k++) t[k] = m[P[k]]; for (...) m[k] = t[k]; }

Written out, the next turn has the values under other names; else each is moved: sixteen moves for 128 instructions of a
round of BLAKE3. LLVM reckons what the turns compute, and leaves the loop where that passes its limit.

Input: a module's text after LLVM's pipeline.
"""

from __future__ import annotations

import re

from minicc.nvvm.bodies import NAME, bodies

LIMIT, LONGER = 1500, 8
"""LLVM's limit for what comes of such loops, and how many times as long a kernel may become."""
_TURNS, _SHARE = 16, 20
"""The most turns of such a loop, and of how many of its lines one is a move at least."""
_END = re.compile(rf"^  ({NAME}) = icmp eq i32 {NAME}, (\d+)\n  br i1 \1, label {NAME}, label %([-\w.$]+)", re.M)
"""The end of a block that goes on at a constant, and where to until then."""
_PHI = re.compile(rf"^  ({NAME}) = phi [^\n\[]*([^\n]*)", re.M)


def kernels(text: str) -> set[str]:
    """Those with such loops."""
    return {
        name
        for name, head, body in bodies(text)
        if "ptx_kernel" in head and any(int(end[2]) <= _TURNS and _passes_on(body, end) for end in _END.finditer(body))
    }


def _passes_on(body: str, end: re.Match[str]) -> bool:
    """Whether a loop of one block gives its next turn many values that this one had itself."""
    start = body.rfind(f"\n{end[3]}:", 0, end.start())
    block = body[start : end.start()] if start >= 0 else "\n\n"
    if "\n\n" in block:
        return False
    phis = dict(_PHI.findall(block))
    own = re.compile(rf"({NAME}), %{re.escape(end[3])} \]")
    moved = sum(not phis.keys().isdisjoint(own.findall(ways)) for ways in phis.values())
    return moved * _SHARE >= block.count("\n")
