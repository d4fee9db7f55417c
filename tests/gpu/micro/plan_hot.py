"""Launches of `hot.cu`: reductions of all threads to few places, by where those are and in what order."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program

PLACES = {
    "1w": (0,),
    "2w": (0, 4),
    "4w": (0, 4, 8, 12),
    "8w": tuple(range(0, 32, 4)),
    "2s": (0, 32),
    "2s4w": (0, 4, 8, 12, 32, 36, 40, 44),
    "4l": (0, 1024, 2048, 3072),
    "2h": (0, 4096),
    "8h": tuple(range(0, 8 * 4096, 4096)),
    "16h": tuple(range(0, 16 * 4096, 4096)),
    "ray": (*range(4072, 4096, 4), 0, 4, 8, 12),
}
"""Bytes: so many words of a sector, sectors of a line, lines of 1 KB, pages of 4 KB (half of them in each half of L2);
what rays through an image of pairs of words meet at its edge."""


def hot_programs() -> list[Program]:
    """Whole warps to a place after the other, one lane alone, lanes beside each other."""
    buffers: dict[str, Any] = {"p": {"bytes": MB}}
    rows: list[Any] = []

    def add(
        kernel: str, place: str, grid: int, n: int, turn: int, spread: int = 0, ways: int = 1, lanes: int = 32
    ) -> None:
        at = PLACES[place]
        buffers[f"at {place}"] = {"dtype": "<i4", "count": len(at), "list": list(at)}
        label = f"{kernel} {place} {grid}x256 {n} turn {turn} spread {spread}/{ways} lanes {lanes}"
        args = ["p", f"at {place}", *map(i32, (len(at), n, turn, spread, ways, lanes))]
        rows.append((label, f"hot_{kernel}", grid, 256, args))

    for place in ("1w", "2w", "4w", "8w", "2s", "2s4w", "4l", "2h", "ray"):
        for turn in (0, 1) if len(PLACES[place]) > 1 else (0,):
            add("f32", place, 1, 64, turn)
            add("f32", place, 64, 16, turn, lanes=1)
            add("f32", place, 64, 64, turn, lanes=1)
    for place in ("4l", "2h"):
        for turn in (0, 1):
            add("f32", place, 8, 32, turn)
            add("f32", place, 64, 16, turn, lanes=8)
    for kernel in ("f32", "s32"):
        for ways, spread in ((16, 4), (32, 4), (8, 4096)):
            add(kernel, "1w", 64, 16, 0, spread, ways)
            add(kernel, "2s", 64, 16, 1, spread, ways)
            add(kernel, "2h", 64, 16, 1, spread, ways)
        for turn in (0, 1):
            add(kernel, "16h", 64, 16, turn)
    add("f32", "8h", 64, 16, 1)
    for kernel in ("f64", "u64", "max"):
        add(kernel, "16h", 64, 16, 0)
    for kernel in ("u64", "max"):
        add(kernel, "1w", 64, 16, 0, 8, 4)
        add(kernel, "1w", 64, 16, 0, 8, 16)
    return [program("hot", "hot", buffers, rows)]
