"""One mechanism of an SM at a time: MATCH, loads of many lines that hit, loads beside stores, a word for everybody."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words


def _program(name: str, rows: list[Any], **buffers: Any) -> Program:
    """Each launch with a buffer of its own for three words a block."""
    out = []
    for n, (label, kernel, grid, block, args) in enumerate(rows):
        buffers[f"t{n}"] = words(3 * grid)
        out.append((label, kernel, grid, block, [*args, f"t{n}"]))
    return program(name, "mechanisms", buffers, out)


def _match() -> Program:
    rows = []
    for kind in ("any32", "any64", "all32"):
        for values in (1, 2, 4, 8, 16, 32) if kind != "all32" else (1, 32):
            for block in (32, 128, 512):
                rows.append((f"match_{kind} {values} 1x{block}", f"match_{kind}", 1, block, [i32(values), i32(64)]))
    return _program("match", rows)


def _hits() -> Program:
    rows = []
    shapes = ((1, 1, 0), (2, 1, 0), (4, 1, 0), (8, 1, 0), (16, 1, 0), (32, 1, 0), (32, 2, 0), (32, 8, 0))
    for width in (4, 8, 16):
        for lines, step, across in (*shapes, *(((1, 1, 1), (8, 1, 1), (16, 1, 1), (32, 1, -1)) if width == 4 else ())):
            for block in (32, 128, 512):
                label = f"hits{width} {lines} lines step {step} across {across} 1x{block}"
                args = ["p", i32(lines), i32(step), i32(max(across, 0)), i32(int(across < 0)), i32(16), i32(1)]
                rows.append((label, f"hits{width}", 1, block, args))
    return _program("hits", rows, p={"bytes": 4 * MB})


def _beside() -> Program:
    rows = []
    for mode in (1, 2, 3, 5):
        for row in (16, 64, 257):
            for block in (32, 64, 256):
                args = ["p", i32(row), i32(mode), i32(MB), i32(8 if row < 100 else 2)]
                rows.append((f"beside mode {mode} {row} 1x{block}", "beside", 1, block, args))
    return _program("beside", rows, p={"bytes": 4 * MB})


def _same() -> Program:
    rows = []
    shapes = (
        (132, 32, 0, 1, 64),
        (132, 1024, 0, 1, 8),
        (4096, 512, 0, 1, 1),
        (4096, 64, 0, 1, 1),
        (132, 1024, 4, 8, 8),
        (132, 1024, 32, 4, 8),
        (132, 1024, 128, 16, 8),
        (132, 1024, 4096, 16, 8),
        (1, 1024, 0, 1, 16),
        (1, 32, 0, 1, 64),
    )
    for kind, name in enumerate(("volatile", "cg", "relaxed")):
        for grid, block, stride, places, reps in shapes:
            label = f"same {name} stride {stride} places {places} reps {reps} {grid}x{block}"
            rows.append((label, "same", grid, block, ["p", i32(kind), i32(stride), i32(places), i32(reps)]))
    for grid, block in ((132, 32), (132, 128), (528, 128), (1024, 256), (4096, 64), (528, 1024)):
        for places in (1, 2, 8):
            for load in (0, 1):
                label = f"one_place {places} load {load} {grid}x{block}"
                rows.append((label, "one_place", grid, block, ["p", i32(places), i32(load)]))
    return _program("same", rows, p={"bytes": 4 * MB})


def mechanism_programs() -> list[Program]:
    return [_match(), _hits(), _beside(), _same()]
