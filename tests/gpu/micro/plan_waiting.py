"""What waits: asynchronous copies, stores to places whose load is under way, stores of all blocks to the same lines."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

SHARED = 80 << 10
"""Four places of 16 KB for copies, and what lanes that store far apart need behind them."""


def _asynchronous() -> Program:
    rows: list[Any] = []

    def row(grid: int, block: int, mode: int, n: int, batch: int, from_lane: int, to_lane: int) -> None:
        args = ["p", *map(i32, (mode, n, batch, from_lane, to_lane))]
        label = f"{mode} {grid}x{block} {n} {batch} {from_lane} {to_lane}"
        rows.append((label, "cpa", grid, block, args, SHARED))

    for mode in (4, 8, 16, 0):
        width = mode or 16
        for grid, block in ((1, 32), (132, 64), (132, 256)):
            row(grid, block, mode, 64, 1, width, width)
        row(1, 32, mode, 64, 1, 0, width)
        row(1, 32, mode, 64, 4, width, width)
        row(132, 256, mode, 64, 4, width, width)
    for to_lane in (32, 64, 80, 400, 512):
        row(1, 32, 16, 64, 1, 16, to_lane)
    row(1, 32, 2, 64, 1, 4, 4)
    return program("async", "waiting", {"p": words(MB)}, rows)


def _behind_loads() -> Program:
    rows: list[Any] = []
    for kernel in ("rw4", "rw16"):
        for kind in (0, 1, 2):
            for grid, block in ((96, 1024), (132, 256), (528, 256)):
                args = ["p", "q", "r", i32(kind)]
                rows.append((f"{kernel} {kind} {grid}x{block}", kernel, grid, block, args))
    return program("behind", "waiting", {name: words(4 * MB) for name in "pqr"}, rows)


def _same_lines() -> Program:
    rows: list[Any] = []
    for pattern in (0, 1, 2):
        for lines in (1, 2, 8):
            for grid, block in ((528, 256), (4096, 256), (1056, 32)):
                args = ["q", i32(pattern), i32(lines)]
                rows.append((f"{pattern} {lines} {grid}x{block}", "same", grid, block, args))
    return program("same lines", "waiting", {"q": words(1024)}, rows)


def waiting_programs() -> list[Program]:
    return [_asynchronous(), _behind_loads(), _same_lines()]
