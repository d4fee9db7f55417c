"""Kernels whose loops LLVM unrolls by two, as four turns would be too long for it: by four, as in NVIDIA's code.

Four turns have half as many waits for what they load, and what neighbouring turns load both is loaded once (the window
of a convolution: ten words of two turns, seven of four). Kernels with loops that are unrolled by eight are left: these
would go by four, too.

Input: a module's text after LLVM's pipeline.
"""

from __future__ import annotations

import re

from minicc.nvvm.bodies import bodies

TURNS, LONGEST = 4, 400
"""What such kernels' loops are unrolled by, and LLVM's limit for what comes of it."""
_TWO, _EIGHT = (re.compile(rf"^  %niter[\w.]* = add [^\n]*, {turns}$", re.M) for turns in (2, 8))


def kernels(text: str) -> set[str]:
    """Those with such loops."""
    return {
        name
        for name, head, body in bodies(text)
        if "ptx_kernel" in head and _TWO.search(body) and not _EIGHT.search(body)
    }
