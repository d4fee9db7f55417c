"""Launches of `lost.cu`: which lines of L1 a row of stores loses."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import MB, Program, i32, program, words

ROWS = (
    "A", "AA", "Aa", "AB", "ABA", "ABa", "ABab", "AaBb", "ABba", "ABCabc", "AaBbCc", "ABCDabcd", "AaBbCcDd", "ABAB",
    "AABB", "AAAA", "AaAa", "ABABABAB", "ABCABC", "ABCDABCD", "AABBCCDD", "ABCDEFGH", "AaBbCcDdEeFfGgHh",
    "ABCDEFGHabcdefgh",    "ABabABab", "BbAa", "AB", "ABCD", "ABCa", "ABCDa", "ABCDEa", "ABCDEFa", "ABCDEFGa",
)  # fmt: skip
"""Arrays in the order in which they are stored to: the first elements of words, or (small) the second."""


def lost_programs() -> list[Program]:
    buffers: dict[str, Any] = {"p": {"bytes": MB}}
    rows: list[Any] = []

    def add(kernel: str, row: str, lane: int, space: int, prepare: int) -> None:
        took = f"t{len(rows)}"
        buffers[took] = words(64)
        ops = sum(("ABCDEFGHabcdefgh".index(c)) << 4 * k for k, c in enumerate(row))
        args = ["p", i32(lane), i32(space), {"u64": ops}, i32(prepare), took]
        kernel = f"lost_{kernel[0]}_{len(row)}_{kernel[2:]}"
        rows.append((f"{kernel} {row} lane {lane} space {space} prepare {prepare}", kernel, 1, 32, args))

    for row in dict.fromkeys(ROWS):
        for kernel in ("1_0", "2_0", "4_0"):
            for prepare in (0, 1, 3, 4):
                add(kernel, row, 4, 4096, prepare)
        for kernel in ("2_2", "2_4", "2_8"):
            add(kernel, row, 4, 4096, 0)
        for space in (1024, 4096 + 128, 4096 + 256, 8192 + 1024, 16384):
            add("2_0", row, 4, space, 0)
    for lane in (12, 20, 28, 36, 44, 32):
        for row in ("A", "AA", "Aa", "AAAA"):
            for kernel in ("1_0", "2_0", "4_0"):
                for prepare in (0, 1, 2):
                    add(kernel, row, lane, 8192, prepare)
    return [program("lost", "lost", buffers, rows, [b for b in buffers if b != "p"])]
