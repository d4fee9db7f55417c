"""Launches of `cold.cu`: the first cycles of a launch, the turn-over of blocks, what the driver makes of L1."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program, words


def cold_programs() -> list[Program]:
    out = []
    many = {"bytes": "01000000" * 256}
    shapes = ((1, 32), (132, 32), (132, 256), (132, 1024), (528, 256), (1056, 256))
    for grid, block in shapes:
        warps = grid * block // 32
        out.append(
            program(
                f"start {grid}x{block}",
                "cold",
                {"p": floats(4 * MB), "o": words(24 * warps)},
                [("", "cold_start", grid, block, [many, "p", "o"])],
                ["o"],
            )
        )
        out.append(
            program(
                f"code {grid}x{block}",
                "cold",
                {"o": words(40 * warps)},
                [("", "cold_code", grid, block, ["o"])],
                ["o"],
            )
        )
    rows: list[Any] = []
    for grid, block in (*shapes, (4224, 256), (8448, 128)):
        n = grid * block
        rows += [
            (f"guard {grid}x{block}", "guard_only", grid, block, ["p", "q", i32(n), i32(1)]),
            (f"guarded out {grid}x{block}", "guard_only", grid, block, ["p", "q", i32(n), i32(0)]),
            (f"parameters {grid}x{block}", "parameters_only", grid, block, [many, "q", i32(8)]),
            (f"shared {grid}x{block}", "shared_only", grid, block, [i32(16), "q"]),
        ]
    out.append(program("small", "cold", {"p": floats(2 * MB), "q": floats(2 * MB)}, rows))
    return out


def turn_programs() -> list[Program]:
    out = []
    for kernel, grid, block, spin, shared in (
        ("turn_12", 4224, 32, 1000, 0),
        ("turn_12", 8448, 32, 1000, 0),
        ("turn_12", 4224, 64, 1000, 0),
        ("turn_12", 2112, 128, 1000, 0),
        ("turn_12", 2112, 256, 1000, 0),
        ("turn_12", 1056, 512, 1000, 0),
        ("turn_12", 528, 1024, 1000, 0),
        ("turn_12", 1056, 256, 1000, 49152),
        ("turn_12", 528, 256, 1000, 100000),
        ("turn_12", 264, 1024, 1000, 200000),
        ("turn_32", 2112, 256, 1000, 0),
        ("turn_64", 1056, 256, 1000, 0),
        ("turn_128", 528, 256, 1000, 0),
        ("turn_128", 1056, 32, 1000, 0),
        ("turn_12", 16896, 32, 0, 0),
        ("turn_12", 8448, 256, 0, 0),
        ("turn_12", 2112, 1024, 0, 0),
        ("turn_32", 4224, 256, 0, 0),
        ("turn_12", 1320, 256, 3000, 0),
        ("turn_12", 1060, 256, 3000, 0),
        ("turn_12", 270, 1024, 3000, 0),
        ("turn_12", 400, 1024, 3000, 0),
    ):
        out.append(
            program(
                f"{kernel} {grid}x{block} {spin}+{shared}",
                "cold",
                {"o": words(4 * grid * (block // 32))},
                [("", kernel, grid, block, ["o", i32(spin)], shared)],
                ["o"],
            )
        )
    return out


def carve_programs() -> list[Program]:
    """What part of the array the driver gives to shared memory, and what L1 then holds."""
    rows: list[Any] = []
    for block in (32, 64, 128, 256, 512, 1024):
        for shared in (0, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 100000):
            rows.append((f"config {block}+{shared}", "empty_block", 132, block, [], shared))
    out = [program("carve", "cold", {}, rows)]
    rows = []
    for block, shared in ((256, 0), (1024, 0), (256, 16384), (1024, 49152), (1024, 100000)):
        for kilobytes in (96, 128, 160, 192, 208, 224, 240):
            rows.append(
                (f"fit {block}+{shared} {kilobytes}K", "l1_fit", 1, block, ["p", i32(256 * kilobytes), "q"], shared)
            )
    out.append(program("fit", "cold", {"p": floats(MB // 4), "q": floats(64)}, rows))
    return out
