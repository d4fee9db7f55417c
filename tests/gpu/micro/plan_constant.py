"""Launches of `constant.cu`: constant memory by operand, LDC and ULDC."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import Program, i32, program, words

PASSES = 4


def constant_programs() -> list[Program]:
    out = []

    def add(name: str, kernel: str, grid: int, block: int, args: list[Any], count: int) -> None:
        out.append(program(name, "constant", {"o": words(count)}, [("", kernel, grid, block, [*args, "o"])], ["o"]))

    for step in (1, 4, 8, 16, 32, 64, 256):
        n = min(512, 16384 // step)
        add(f"ldc trace {4 * step}", "ldc_trace", 1, 32, [i32(step), i32(n), i32(2)], 2 * n)
    for kernel in ("ldc", "uldc"):
        for kilobytes in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64):
            n = 16 * kilobytes
            add(f"{kernel} {kilobytes}K", f"{kernel}_pass", 1, 32, [i32(16), i32(n), i32(PASSES)], PASSES)
        for grid, block in ((132, 32), (132, 256), (264, 1024)):
            add(
                f"{kernel} 12K {grid}x{block}", f"{kernel}_pass", grid, block, [i32(16), i32(192), i32(PASSES)],
                PASSES * grid,
            )  # fmt: skip
        add(f"{kernel} 4K words", f"{kernel}_pass", 132, 256, [i32(1), i32(1024), i32(PASSES)], PASSES * 132)
    for spread, step in (
        (1, 1),
        (2, 1),
        (4, 1),
        (8, 1),
        (16, 1),
        (32, 1),
        (2, 16),
        (4, 16),
        (8, 16),
        (32, 16),
        (32, 4),
    ):
        for block in (32, 1024):
            add(f"ldc rate {spread} by {step} x{block}", "ldc_rate", 132, block, [i32(spread), i32(step), i32(64)], 264)
    for block in (32, 256, 1024):
        add(f"ldc wide x{block}", "ldc_wide", 132, block, [i32(64)], 264)
    for step in (4, 8, 16, 32, 64, 128):
        add(f"operands {4 * step}", f"operand_trace_{step}", 1, 32, [], 64)
    for n in (16, 32, 48, 64, 128, 256, 512, 1024):
        add(f"operand passes {n}", f"operand_pass_{n}", 1, 32, [i32(PASSES)], PASSES)
    for n in (64, 512):
        add(f"operand passes {n} 132x256", f"operand_pass_{n}", 132, 256, [i32(PASSES)], PASSES * 132)
    for first in (0, 1):
        add(f"both ways {first}", "both_ways", 1, 32, [i32(24), i32(first)], 4)
    return out
