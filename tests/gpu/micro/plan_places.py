"""Launches of `places.cu`: chains of conversions and special functions, CTAs that take the place of others."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

CHAINS = {
    "<f4": ("rcp", "ex2", "rcp_f2i", "f2d", "frnd"),
    "<u4": ("i2f_f2i", "i2f_s", "i2f_rcp", "i2d", "popc", "flo", "imad", "umulhi", "shfl"),
    "<u8": ("i2f_64", "wide"),
}


def place_programs() -> list[Program]:
    out = []
    for dtype, names in CHAINS.items():
        value = {"uniform": [1, 2]} if dtype == "<f4" else {"integers": [1, 1 << 20]}
        buffers: dict[str, Any] = {
            "p": {"dtype": dtype, "count": 1024, **value},
            "q": {"dtype": dtype, "count": 132 * 1024},
        }
        rows: list[Any] = []
        for name in names:
            for grid, block in ((1, 32), (132, 256)):
                took = f"o{name}{grid}"
                buffers[took] = words(grid * block // 32)
                rows.append((f"{name} {grid}x{block}", f"chain_{name}", grid, block, ["p", "q", i32(16), took]))
        out.append(program(f"chains {dtype[1:]}", "places", buffers, rows, [b for b in buffers if b[0] == "o"]))
    rows, buffers = [], {"q": words(MB)}
    for block in (32, 64, 128, 256, 512, 1024):
        for mode in (0, 1, 2):
            for waves in (1, 3):
                grid = 132 * min(2048 // block, 32) * waves
                took = f"o{len(rows)}"
                buffers[took] = words(grid * block // 16)
                rows.append((f"{mode} {grid}x{block}", "places", grid, block, [i32(mode), i32(2000), "q", took]))
    out.append(program("places", "places", buffers, rows, [b for b in buffers if b[0] == "o"]))
    return out
