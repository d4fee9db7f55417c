"""Launches of `narrow.cu`: bytes and halves stored and loaded, arrays in local memory, LDC that misses."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

STRIDES = (4, 12, 20, 28, 32, 36, 44, 52, 64, 68, 96, 100, 128, 132, 260)
"""Bytes from lane to lane."""
ARRAYS = ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 3), (2, 4), (2, 8), (4, 1), (4, 2), (4, 4), (4, 8))
"""Bytes of an element, number of arrays."""


def after_programs() -> list[Program]:
    """A store and a load near it, by turns."""

    def row(widths: str, lanes: int, lane: int, away: int, turn: int, gap: int, rest: int, warps: int = 1) -> Any:
        label = f"after_{widths} {lanes}x{lane}+{away} turn {turn} gap {gap}/{rest} warps {warps}"
        args = ["p", *map(i32, (lanes, lane, away, turn, gap, rest, 64))]
        return label, f"after_{widths}", 1, 32 * warps, args

    rows = [
        row(widths, 32, lane, away, 0, 0, 0)
        for widths in ("1_1", "2_2", "4_4", "1_4", "4_1")
        for lane in STRIDES
        for away in ((0,) if widths in ("1_4", "4_1") else (0, 4))
    ]
    rows += [
        row(widths, 32, lane, away, 0, gap, rest)
        for widths, lane, away in (("1_1", 36, 0), ("4_4", 36, 4), ("1_1", 4, 0), ("1_1", 128, 0), ("2_2", 36, 0))
        for gap, rest in ((2, 0), (4, 0), (8, 0), (16, 0), (32, 0), (64, 0), (0, 2), (0, 8), (0, 32), (32, 32))
    ]
    rows += [
        row(widths, lanes, lane, away, 0, 0, 0)
        for widths, lane, away in (("1_1", 36, 0), ("1_1", 132, 0), ("4_4", 132, 4), ("2_2", 132, 0))
        for lanes in (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 16, 17, 20, 24, 28)
    ]
    rows += [
        row(widths, 32, lane, away, turn, 0, 0, warps)
        for widths, away in (("1_1", 0), ("4_4", 0), ("4_4", 4), ("2_2", 0), ("1_1", -1))
        for lane in (4, 36, 68)
        for turn, warps in ((1, 1), (4, 1), (0, 2), (0, 4), (0, 8), (4, 4))
        if not (widths != "1_1" and turn == 1) and not (away < 0 and turn == 0)
    ]
    return [program("after", "narrow", {"p": {"bytes": MB}}, rows)]


def array_programs() -> list[Program]:
    """Arrays as local memory has them, and in local memory."""
    rows: list[Any] = []
    for width, count in ARRAYS:
        for unit, order in ((2, 0), (2, 1), (1, 0), (1, 2)):
            for back, gap, warps in ((unit, 0, 1), (unit, 0, 4), (unit, 0, 16), (0, 0, 1), (0, 0, 4), (unit, 16, 4)):
                kernel = f"arrays_{width}_{count}_{unit}_{order}"
                args = ["p", *map(i32, (4096, back, gap, 128 // unit // (width // 2 or 1)))]
                label = f"{kernel} back {back} gap {gap} warps {warps}"
                rows.append((label, kernel, 1, 32 * warps, args))
    out = [program("arrays", "narrow", {"p": {"bytes": MB}}, rows)]
    rows = []
    for width in (1, 2, 4):
        for mode in range(5):
            for grid, block in ((1, 32), (1, 128), (1, 512), (132, 128)):
                args = ["p", *map(i32, (128, mode, 0))]
                rows.append((f"locals_{width} {mode} {grid}x{block}", f"locals_{width}", grid, block, args))
    out.append(program("locals", "narrow", {"p": words(1024)}, rows))
    return out


def lookup_programs() -> list[Program]:
    """Constants by lane: lines of 64 bytes that a warp names, warps, SMs; rows of each warp's own or the same."""
    rows = []
    for step in (1, 2, 4, 8, 9):
        for size in (512, 1024, 2048):
            for own, next_ in ((0, 32), (32, 128), (8, 8)):
                for grid, block in ((1, 32), (1, 64), (1, 128), (1, 512), (2, 128), (16, 128), (132, 32), (132, 128)):
                    args = [*map(i32, (step, own * step, next_ * step, size, 64))]
                    label = f"lookups {step}/{8 * size} {own} {next_} {grid}x{block}"
                    rows.append((label, "lookups", grid, block, args))
    return [program("lookups", "narrow", {}, rows)]


def narrow_programs() -> list[Program]:
    return after_programs() + array_programs() + lookup_programs()
