"""How grids begin (constants that all ask for, code that is fetched before) and end (with and without loads); cold
loads of all SMs at once; printf."""

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


def _bursts() -> Program:
    """A line a warp of `grid` blocks; bytes from block to block and from warp to warp."""
    rows: list[Any] = []

    def row(kernel: str, grid: int, block: int, stride: int, apart: int) -> None:
        label = f"{kernel} {grid}x{block} {4 * stride} {4 * apart} 600"
        rows.append((label, kernel, grid, block, ["p", i32(stride), i32(apart), i32(600), "r"]))

    for grid in (16, 64, 132, 264):
        for stride in (256, 512, 1024, 4096, 16384, 1 << 18):
            row("burst", grid, 256, stride, 32)
    for grid in (64, 132):
        for stride, apart in ((64, 64), (2048, 256), (16384, 1024), (128, 128)):
            row("burst", grid, 256, stride, apart)
    for grid, block in ((528, 256), (1056, 128), (132, 1024), (132, 32), (1056, 32)):
        row("burst", grid, block, block, 32)
    for grid in (16, 64, 132, 528):
        row("burst4", grid, 256, 256, 32)
    return program("burst", "bursts", {"p": {"bytes": 288 * MB}, "r": words(MB)}, rows)


def _prints() -> Program:
    rows: list[Any] = [
        (f"print_{what} {grid}x{block}", f"print_{what}", grid, block, ["q", i32(5)])
        for what in ("no", "one", "float", "two", "eight", "warp", "ctas")
        for grid, block in ((1, 32), (64, 256))
    ]
    return program("print", "bursts", {"q": words(1024)}, rows)


def ends_programs() -> list[Program]:
    code: list[Any] = [(f"{g}x{b}", "code64k", g, b, ["p", i32(0)]) for g, b in ((1, 32), (132, 256), (1056, 128))]
    return [_tails(), _usual(), program("code", "code", {"p": words(1024)}, code), _bursts(), _prints()]
