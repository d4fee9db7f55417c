"""Launches of `packed.cu`: stores of bytes and halves to packed records, stores of all threads to the same words."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program

SHAPES = ((1, 32), (1, 256), (132, 256), (1056, 256))


def _records() -> Program:
    rows: list[Any] = []

    def add(width: int, stride: int, pieces: int, grid: int, block: int, **how: int) -> None:
        step, reps = how.get("step", width), how.get("reps", 1)
        apart = how.get("apart", grid * block * stride)
        active = how.get("active", 32)
        label = f"{width} {stride} {pieces}/{step} {grid}x{block} *{reps}/{apart} {active}"
        args = ["p", *map(i32, (stride, pieces, step, reps, apart, active))]
        rows.append((label, f"packed_{width}", grid, block, args))

    for grid, block in SHAPES:
        reps = 32 if grid == 1 else 4 if grid == 132 else 1
        # One piece of each record, 1 to 128 bytes apart.
        for width in (1, 2, 4, 8):
            for stride in (1, 2, 3, 4, 6, 8, 12, 16, 32, 128):
                if stride >= width and stride % width == 0:
                    add(width, stride, 1, grid, block, reps=reps)
        # All of a record, piece by piece.
        for width, stride, pieces in (
            (1, 2, 2), (1, 3, 3), (1, 4, 4), (1, 4, 3), (1, 8, 8), (1, 16, 4), (2, 4, 2), (2, 6, 3), (2, 8, 4),
            (4, 8, 2), (4, 12, 3), (4, 16, 4), (4, 16, 3), (4, 32, 8),
        ):  # fmt: skip
            add(width, stride, pieces, grid, block, reps=reps)
    # The same records again and again.
    for width in (1, 2, 4):
        for stride in (4, 16, 32):
            add(width, stride, 1, 132, 256, reps=16, apart=0)
            add(width, stride, 1, 132, 256, reps=16, apart=64 * 1024 + 128)
    # Fewer lanes.
    for width in (1, 4):
        for active in (1, 4, 8, 16):
            add(width, 16, 1, 132, 256, reps=16, active=active)
    return program("packed", "packed", {"p": {"bytes": 96 * MB}}, rows)


def _points() -> Program:
    rows = [
        (f"{count} {first} {grid}x{block}", "points", grid, block, ["p", "q", i32(count), i32(first)])
        for count in (0, 1, 2, 3, 4)
        for first in (0, 1)
        for grid, block in ((132, 256), (1056, 256))
    ]
    return program("points", "packed", {"p": {"bytes": 8 * MB}, "q": floats(MB // 2)}, rows)


def _spots() -> Program:
    rows: list[Any] = []
    for grid, block in ((1, 256), (132, 256), (528, 256), (1500, 512), (1500, 64)):
        for n, gap in ((1, 0), (7, 4), (7, 32), (7, 128), (7, 4096), (2, 128), (16, 128)):
            for who in (0, 1, 2):
                if grid == 1500 or (n, gap) in ((1, 0), (7, 4), (7, 128)):
                    rows.append((f"{n}/{gap} {who} {grid}x{block}", "spots", grid, block,
                                 ["p", *map(i32, (n, gap, who, 0))]))  # fmt: skip
            if grid in (132, 1500) and gap in (0, 128, 4096):
                rows.append((f"{n}/{gap} own {grid}x{block}", "spots", grid, block, ["p", *map(i32, (n, gap, 0, 1))]))
    return program("spots", "packed", {"p": {"bytes": MB}}, rows)


def packed_programs() -> list[Program]:
    return [_records(), _points(), _spots()]
