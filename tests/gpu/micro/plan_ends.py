"""How grids begin (constants that all SMs ask for, code that is fetched before) and end (with and without loads)."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

SHAPES = (
    *((1, 32), (2, 256), (16, 256), (64, 256), (132, 256), (264, 256), (528, 256), (1056, 256)),
    *((1024, 128), (2112, 64), (132, 1024), (264, 1024), (1056, 32)),
)
WAVES = ((2112, 256), (4224, 256), (1056, 512), (528, 1024), (4224, 128))


def _tails() -> Program:
    rows: list[Any] = []

    def row(kind: int, grid: int, block: int, spin: int, step: int = 0) -> None:
        args = ["p", "q", i32(kind), i32(spin), i32(step)]
        rows.append((f"{kind} {grid}x{block} {spin} {step}", "tail", grid, block, args))

    for kind in (0, 1, 2, 4, 10, 16):
        for grid, block in SHAPES:
            row(kind, grid, block, 4000)
    for kind in (0, 2):
        for grid in (264, 528, 792):
            row(kind, grid, 256, 3000, 3)
        for grid, block in WAVES:
            row(kind, grid, block, 500 if grid > 4000 else 1500)
    return program("tail", "ends", {"p": words(2 * MB), "q": words(2 * MB)}, rows)


def _usual() -> Program:
    rows: list[Any] = []
    buffers = {"p": words(2 * MB), "q": words(2 * MB), "r": words(2 * MB)}
    for grid, block in (*SHAPES, (528, 512), (528, 1024), (2112, 256), (4224, 256), (4224, 128), (792, 256)):
        args = ["p", "q", i32(1 << 30), "r", *map(i32, (1, 2, 3, 4))]
        rows.append((f"{grid}x{block}", "usual", grid, block, args))
    return program("usual", "ends", buffers, rows)


def ends_programs() -> list[Program]:
    code: list[Any] = [(f"{g}x{b}", "code64k", g, b, ["p", i32(0)]) for g, b in ((1, 32), (132, 256), (1056, 128))]
    return [_tails(), _usual(), program("code", "code", {"p": words(1024)}, code)]
