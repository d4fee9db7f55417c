"""Launches of `gpcs.cu`: LDC that misses, by one SM, a pair, a GPC's, one of each pair, all."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import Program, i32, program, words

WHO = {
    "one": (0,),
    "pair": (0, 1),
    "two of a GPC": (0, 16),
    "two GPCs": (0, 2),
    "four pairs' first": (0, 16, 32, 48),
    "four": (0, 1, 16, 17),
    "eight pairs' first": (0, 16, 32, 48, 124, 126, 128, 130),
    "eight": (0, 1, 16, 17, 32, 33, 48, 49),
    "a GPC": (0, 1, 16, 17, 32, 33, 48, 49, *range(124, 132)),
    "each pair's first": tuple(range(0, 132, 2)),
    "all": tuple(range(132)),
}
"""SMs by number: 0, 1, 16, 17, 32, 33, 48, 49 and 124 to 131 are one GPC (`gpc_columns` in the machine description)."""


def gpc_programs() -> list[Program]:
    out = []
    for name, who in WHO.items():
        rows: list[Any] = []
        buffers: dict[str, Any] = {}
        masks = [sum(1 << (sm & 31) for sm in who if sm >> 5 == k) for k in range(5)]
        for places, warps, own in (
            (1, 1, 0), (1, 1, 37), (8, 1, 0), (8, 1, 37), (32, 1, 0), (32, 1, 37), (8, 4, 0), (8, 4, 37), (32, 4, 37),
            (8, 16, 37),
        ):  # fmt: skip
            count, took = f"c{len(rows)}", f"t{len(rows)}"
            buffers |= {count: words(4), took: words(132)}
            apart, next_ = (1, 40) if places > 1 else (1, 1)
            args = [
                *({"u32": m} for m in masks),
                *map(i32, (places, apart, next_, own, 101, 64)),
                count,
                i32(len(who)),
                took,
            ]
            rows.append((f"{places} places {warps} warps own {own}", "gpcs", 132, 32 * warps, args))
        out.append(program(f"gpcs {name}", "gpcs", buffers, rows, [b for b in buffers if b[0] == "t"]))
    rows = [("operands", "operands", 132, 32, ["c", i32(132), "t"])]
    out.append(program("operands", "gpcs", {"c": words(4), "t": words(132)}, rows, ["t"]))
    rows, buffers = [], {}
    for grid in (1, 2, 4, 8, 16, 33, 64, 66, 100, 132, 264):
        buffers[f"t{grid}"] = words(grid)
        rows.append((f"{grid}", "where", grid, 64, [f"t{grid}"]))
    return [*out, program("where", "gpcs", buffers, rows, list(buffers))]
