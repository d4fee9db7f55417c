"""Launches of `bytes.cu`: constants by lane, arrays in local memory, loads of what was just stored, packed bytes."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program

RECORDS = (
    *((n, 0) for n in (1, 2, 3, 4, 8)),
    *((0, n) for n in (1, 2, 3, 4, 8)),
    *((1, 1), (1, 2), (3, 1), (1, 4), (3, 4), (4, 3), (5, 8)),
)
"""Bytes loaded and stored of a record."""


def byte_programs() -> list[Program]:
    out: list[Program] = []
    rows: list[Any] = []
    for width in (1, 2, 4):
        for way, n, blocks in (("chain", 256, (32, 128)), ("rate", 512, (32, 128, 512))):
            for spread, step in ((1, 1), (2, 1), (4, 1), (8, 1), (32, 1), (2, 4), (8, 4), (32, 4), (32, 2), (16, 8)):
                if step % width == 0:
                    kernel = f"constant_{way}_{width}"
                    args = [i32(spread), i32(step // width), i32(n)]
                    rows += [(f"{kernel} {spread}/{step} 1x{b}", kernel, 1, b, args) for b in blocks]
    for width in (8, 16):
        for way, n, blocks in (("chain", 128, (32, 128)), ("rate", 256, (32, 128, 512))):
            for spread, step in ((1, width), (2, width), (8, width), (32, width), (32, 32)):
                kernel = f"constant_{way}_{width}"
                args = [i32(spread), i32(step // width), i32(n)]
                rows += [
                    (f"{kernel} {spread}/{step} 1x{b}", kernel, 1, b, args) for b in blocks if step < 32 or width < 16
                ]
    for step in (8, 64, 72):
        for size in (1024, 8192, 32768):
            for grid, block in ((1, 32), (1, 128), (132, 128), (264, 256)):
                args = [*map(i32, (step // 8, size // 8, 64))]
                rows.append((f"constant_rows {step}/{size} {grid}x{block}", "constant_rows", grid, block, args))
    out.append(program("constant", "bytes", {}, rows))
    rows = []
    for width in (1, 4):
        for spread, step in ((1, 0), (32, 1), (32, 4), (32, 7), (8, 4)):
            for mode in range(6):
                for grid, block in ((1, 32), (1, 128), (1, 512), (132, 128)):
                    label = f"local_{width} {spread}/{step} {mode} {grid}x{block}"
                    args = [*map(i32, (spread, step, 256, mode, 0))]
                    rows.append((label, f"local_{width}", grid, block, args))
    out.append(program("local", "bytes", {}, rows))
    rows = []
    for width in (1, 4):
        for back in (1, 2, 4, 8, 16, 32, 64):
            for row, block in ((256, 1), (256, 32), (256, 256), (300, 64)):
                for warm in (0, 1):
                    label = f"follow_{width} {back} row {row} 1x{block} warm {warm}"
                    args = ["p", *map(i32, (row * width, back, 256, warm, 0))]
                    rows.append((label, f"follow_{width}", 1, block, args))
    for gap in (4, 16, 64):
        for width in (1, 4):
            for block in (1, 32, 256):
                label = f"follow_{width} 1 row 256 1x{block} gap {gap}"
                rows.append((label, f"follow_{width}", 1, block, ["p", *map(i32, (256 * width, 1, 256, 1, gap))]))
    out.append(program("follow", "bytes", {"p": {"bytes": MB}}, rows))
    rows = []
    for width, lanes, turns in (
        (1, (1, 4, 16, 32, 36, 128), (0, 1, 4, 32, 128)),
        (4, (4, 32, 36, 64, 128), (0, 4, 32, 128)),
    ):
        for lane in lanes:
            for turn in turns:
                for block in (32, 64):
                    args = ["p", *map(i32, (lane, turn, 8192, 128))]
                    rows.append((f"again_{width} {lane}/{turn} 1x{block}", f"again_{width}", 1, block, args))
    out.append(program("again", "bytes", {"p": {"bytes": MB}}, rows))
    rows = []
    for loaded, stored in RECORDS:
        for grid, block, reps in ((1, 32, 32), (1, 256, 32), (132, 256, 8), (256, 256, 1)):
            kernel = f"records_{loaded}_{stored}"
            rows.append((f"{kernel} {grid}x{block} *{reps}", kernel, grid, block, ["p", "r", i32(reps)]))
    out.append(program("records", "bytes", {"p": {"bytes": 4 * MB}, "r": {"bytes": 4 * MB}}, rows))
    rows = []
    for row in (64, 100, 128, 256):
        for grid, block in ((1, 32), (1, 128), (32, 64), (132, 128)):
            shape = f"row {row} {grid}x{block}"
            rows += [(f"{k} {shape}", k, grid, block, ["p", i32(row), i32(64)]) for k in ("row_chain", "row_four")]
            rows += [
                (f"row_store {shape} gap {gap}", "row_store", grid, block, ["p", i32(row), i32(64), i32(gap)])
                for gap in (0, 16)
            ]
    out.append(program("rows", "bytes", {"p": {"bytes": 8 * MB}}, rows))
    return out
