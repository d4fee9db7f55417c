"""Launches of `steps.cu`: exchanges in global memory between barriers, trees in local memory, rows of results, a filter
slid over an image."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, floats, i32, program, words


def step_programs() -> list[Program]:
    mixed = {"dtype": "<u4", "count": 4096, "integers": [0, 1 << 30], "seed": 3}
    out = []
    for n, block in ((64, 64), (256, 256), (1024, 1024), (1024, 512), (1024, 256), (2048, 1024), (4096, 1024)):
        rows: list[Any] = [("", "sort_words", 1, block, ["q", i32(n), "t"])]
        out.append(program(f"sort {n} 1x{block}", "steps", {"q": mixed, "t": words(128)}, rows, ["t"]))
    rows = [
        (f"{j} mode {mode} 1x{block}", "exchange", 1, block, ["q", i32(j), i32(64), i32(mode), "t"])
        for block in (32, 128, 512, 1024)
        for mode, places in (
            (0, (0,)),
            (1, (1, 16, 32, 256)),
            (2, (0,)),
            (3, (1, 32)),
            (4, (0,)),
            (5, (0,)),
            (6, (1, 32)),
            (7, (1, 32)),
        )
        for j in places
        if j < block
    ]
    out.append(program("exchange", "steps", {"q": words(4096), "t": words(64)}, rows))
    rows = [
        (f"{n} *{adds} {all_} {grid}x{block}", "trees", grid, block, ["q", *map(i32, (n, adds, all_))])
        for n, adds in ((32, 32), (100, 100), (256, 64), (500, 32))
        for grid, block in ((1, 32), (1, 128), (1, 512), (8, 64), (132, 128))
        for all_ in (0, 1)
    ]
    out.append(program("trees", "steps", {"q": words(1 << 16)}, rows))
    rows = [
        (f"{n}/{row} {grid}x{block}", "results", grid, block, ["q", "p", i32(n), i32(row)])
        for n, row in ((8, 8), (16, 16), (16, 17), (16, 24), (48, 48), (32, 32), (24, 24), (16, 32))
        for grid, block in ((1, 256), (132, 128), (132, 256), (264, 256), (792, 256))
    ]
    out.append(program("results", "steps", {"q": words(16 * MB), "p": floats(1 << 18)}, rows))
    rows = [
        (f"{size} {edges} {width}x{height} {bx}x{by}", "slide", [width // bx, height // by], [bx, by],
         ["p", "f", "q", *map(i32, (width, height, size, edges))])
        for size in (3, 5, 9)
        for edges in (0, 1)
        for width, height, bx, by in ((256, 256, 16, 16), (512, 512, 32, 32), (512, 512, 32, 8), (1024, 256, 256, 1))
    ]  # fmt: skip
    out.append(program("slide", "steps", {"p": floats(MB), "f": floats(128), "q": floats(MB)}, rows))
    rows = []
    buffers: dict[str, Any] = {"q": words(1 << 17)}
    for kernel in ("scattered_local", "scattered_global"):
        for mode in range(5):
            for group, next_ in ((32, 0), (32, 1), (16, 1), (8, 1), (4, 1), (2, 0), (2, 1), (1, 0), (1, 1), (1, 7)):
                for block in (32, 128) if group in (32, 1) else (32,):
                    took = f"t{len(rows)}"
                    buffers[took] = words(64)
                    args = ["q", *map(i32, (group, next_, 64, mode)), took]
                    rows.append((f"{kernel} {mode} {group}+{next_} 1x{block}", kernel, 1, block, args))
    return [*out, program("scattered", "steps", buffers, rows, [b for b in buffers if b != "q"])]
