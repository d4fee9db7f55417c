"""Launches of `phases.cu`: ordinary kernels whose warps note the clock between their parts."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import Program, i32, program, words

KINDS = {
    "ffma": "<f4", "wide": "<f4", "hash": "<u4", "branch": "<u4", "ballot": "<u4", "shuffle": "<u4", "exps": "<f4",
    "divide": "<u4", "shared": "<u4", "barrier": "<u4", "hits": "<u4", "double": "<f8",
}  # fmt: skip
SHAPES = (
    (1, 32, 24),
    (132, 32, 24),
    (132, 256, 24),
    (132, 1024, 12),
    (528, 256, 12),
    (1056, 256, 6),
    (2112, 256, 6),
    (4224, 128, 6),
)
"""Blocks, threads of one, turns of each loop."""


def phase_programs() -> list[Program]:
    out = []
    for kind, dtype in KINDS.items():
        value = {"integers": [1, 1 << 20]} if dtype == "<u4" else {"uniform": [1, 2]}
        buffers: dict[str, Any] = {
            "p": {"dtype": dtype, "count": (1 << 18) + 64, **value},
            "q": {"dtype": dtype, "count": 4224 * 128},
        }
        rows: list[Any] = []
        for grid, block, turns in SHAPES:
            if grid > 1000 and kind in ("hits", "barrier", "divide"):
                turns = turns // 2
            took = f"o{grid}x{block}"
            buffers[took] = words(grid * block // 4)
            label = f"{kind} {grid}x{block}"
            rows.append((label, f"phase_{kind}", grid, block, ["p", "q", i32(turns), took]))
        out.append(program(f"phase {kind}", "phases", buffers, rows, [b for b in buffers if b[0] == "o"]))
    return out
