"""Launches of `stored.cu`: loads of what the same threads stored, or change in place."""

from __future__ import annotations

from tests.gpu.micro.plan_tools import MB, Program, i32, program

KERNELS = (
    "store_load1", "store_load4", "store4_load1", "load_store_load1", "load_store_load4", "store_both1", "store_both4",
    "load_both1", "load_both4", "both1", "both4", "store_wait_load1", "load_store_wait_load1",
)  # fmt: skip
ROWS = ((8, 8, 1), (16, 16, 1), (16, 17, 1), (100, 100, 1), (64, 64, 1), (8, 32, 4), (16, 1, 0), (4, 32, 8))
"""Words of a row, words from row to row, words from word to word (0: rows lie across, word by word of all threads)."""


def stored_programs() -> list[Program]:
    rows = []
    for kernel in KERNELS:
        for words, row, step in ROWS:
            for block in (32, 64, 256):
                args = ["p", *map(i32, (words, row, step or block)), {"u32": 7}]
                rows.append((f"{kernel} {words}x{step or block} row {row} 1x{block}", kernel, 1, block, args))
    return [program("stored", "stored", {"p": {"bytes": 4 * MB}}, rows)]
