"""Launches of `adds.cu`: reductions of all threads, by what lanes name and what comes next."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

PATTERNS = (
    # Words from lane to lane, from add to add, adds, side by side, mixed.
    (1, 1 << 16, 16, 1, 0),
    (2, 1 << 16, 8, 2, 0),
    (2, 2, 8, 2, 0),
    (4, 2, 8, 2, 0),
    (8, 8, 16, 1, 0),
    (32, 8, 16, 1, 0),
    (34, 2, 8, 2, 0),
    (2, 2, 8, 2, 1),
    (2, 64, 8, 2, 1),
    (4, 2, 8, 2, 2),
    (0, 1 << 10, 8, 1, 2),
)


def add_programs() -> list[Program]:
    """Adds of floats and integers, one SM to all, in rows of 64 KB to 4 MB; rays through an image, where half of the
    threads (whose number is taken as unsigned) all name the same places."""
    rows: list[Any] = []

    def add(kernel: str, grid: int, block: int, pattern: tuple[int, ...], size: int, pause: int = 0) -> None:
        lane, next_, n, pair, mixed = pattern
        label = f"{kernel} {lane}+{next_} {n}x{pair} mixed {mixed} {size} {grid}x{block} pause {pause}"
        args = ["p", *map(i32, (lane, next_, n, pair)), {"u32": size - 1}, i32(mixed), i32(pause)]
        rows.append((label, kernel, grid, block, args))

    for pattern in PATTERNS:
        for kernel in ("adds_f32", "adds_s32"):
            for grid in (1, 33, 132, 528):
                add(kernel, grid, 256, pattern, 1 << 20)
            add(kernel, 132, 256, pattern, 1 << 14)
        add("adds_f32", 132, 256, pattern, 1 << 17)
        add("adds_f32", 528, 256, pattern, 1 << 17)
        add("adds_f32", 528, 256, pattern, 1 << 20, 16)
        add("adds_f32", 528, 256, pattern, 1 << 20, 64)
        for grid in (1, 132):
            add("asks_f32", grid, 256, pattern, 1 << 20)
    out = [program("adds", "adds", {"p": words(2 * MB)}, rows)]
    rows = [
        (
            f"{width} {m} {step} {gx}x{gy} {bx}x{by}",
            "rays",
            [gx, gy],
            [bx, by],
            ["p", *map(i32, (width, m)), {"f32": step}],
        )
        for width, m, gx, gy, bx, by, step in (
            (512, 2, 8, 32, 32, 8, 0.1),
            (512, 2, 8, 32, 32, 8, 0.01),
            (512, 2, 8, 8, 32, 32, 0.1),
            (512, 2, 1, 64, 256, 1, 0.05),
            (512, 4, 8, 8, 32, 8, 0.1),
            (256, 3, 4, 32, 32, 8, 0.1),
            (512, 2, 8, 1, 32, 8, 0.0),
            (512, 2, 8, 1, 32, 8, 1.5707963),
        )
    ]
    return [*out, program("rays", "adds", {"p": words(MB)}, rows)]
