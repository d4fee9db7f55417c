"""Launches of `rows.cu`: reductions to few slices of L2, and constants that warps lack each for itself."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import Program, i32, program, words


def row_programs() -> list[Program]:
    sums: list[Any] = []
    constants: list[Any] = []

    def add(kernel: str, grid: int, block: int, size: int, number: int, gap: int, group: int, n: int) -> None:
        """Adds to `number` rows of `size` words, `gap` words apart, by `group` lanes side by side, n times."""
        name = f"{kernel} {grid}x{block} {size}/{number}/{gap} {group} *{n}"
        sums.append((name, kernel, grid, block, [i32(a) for a in (size, number, gap, group, n)] + ["p"]))

    def load(kernel: str, grid: int, block: int, apart: int, spread: int, far: int, n: int, again: int) -> None:
        """n places of each of `spread` rows that are `far` apart, those of the next warp `apart` farther."""
        name = f"{kernel} {grid}x{block} {apart} {spread}/{far} {n}*{again}"
        constants.append((name, kernel, grid, block, [i32(a) for a in (apart, spread, far, n, again)] + ["p"]))

    for grid in (1, 2, 4, 8, 16, 33, 66, 132):
        add("rows_s32", grid, 256, 256, grid, 256, 1, 16)
    for size in (8, 64, 1024, 4096):
        add("rows_s32", 132, 256, size, 132, size, 1, 16)
    for grid in (1, 2):
        add("rows_s32", grid, 256, 4096, grid, 4096, 1, 16)
    for gap in (1024, 4096):
        add("rows_s32", 132, 256, 256, 132, gap, 1, 16)
    for block, n in ((64, 16), (256, 4), (256, 48), (1024, 4)):
        add("rows_s32", 132, block, 256, 132, 256, 1, n)
    for size in (64, 256, 1024, 4096, 16384, 65536, 262144):
        add("rows_s32", 132, 256, size, 1, size, 1, 16)
    for number in (4, 16, 33, 66):
        add("rows_s32", 132, 256, 256, number, 256, 1, 16)
    for group in (2, 4, 8, 32):
        add("rows_s32", 132, 256, 256, 132, 256, group, 16)
        add("rows_s32", 132, 256, 65536, 1, 256, group, 16)
        add("rows_s32", 1, 256, 256, 1, 256, group, 16)
    for lanes in (1, 4, 16):
        add("few_s32", 132, 256, 256, 132, 256, lanes, 16)
        add("few_s32", 1, 256, 256, 1, 256, lanes, 16)
    for size in (64, 256, 1024, 4096):
        add("rows_f32", 132, 256, size, 132, size, 1, 16)
        add("rows_f32", 1, 256, size, 1, size, 1, 16)
        add("rows_f32", 132, 256, size, 1, size, 1, 16)
    for block in (32, 128, 256, 512, 1024):
        load("ldc_rows", 132, block, 256, 1, 0, 64, 4)
        load("ldc_pairs", 132, block, 128, 1, 0, 32, 4)
    for block in (32, 128, 256):
        load("ldc_rows", 132, block, 256, 2, 128, 64, 4)
        load("ldc_pairs", 132, block, 128, 2, 64, 32, 4)
    for block in (256, 1024):
        load("ldc_rows", 132, block, 0, 1, 0, 64, 8)
        load("ldc_rows", 132, block, 16, 1, 0, 16, 16)
    load("ldc_rows", 1, 1024, 256, 1, 0, 64, 4)
    load("ldc_rows", 132, 256, 0, 8, 128, 64, 4)
    return [
        program("sums", "rows", {"p": words(1 << 20)}, sums),
        program("constants", "rows", {"p": words(4096)}, constants),
    ]
