"""Programs on the SM model: structures, arrays and module variables that point at buffers."""

from __future__ import annotations

import struct
from pathlib import Path

from minicc import driver
from minicc.diagnostics import SourceFile
from tests.gpu import programs

SOURCE = """
struct List { int n; int *a, *b; };
__constant__ int *where;
__global__ void k(List list, int **rows) {
    int i = threadIdx.x;
    if (i < list.n) list.b[i] = list.a[i] + 10 * rows[1][i] + 100 * where[i];
}
"""


def test_pointers(tmp_path: Path) -> None:
    (tmp_path / "k.cubin").write_bytes(driver.compile(SourceFile("k.cu", SOURCE)).cubin)
    numbers = {"dtype": "<i4", "count": 8, "ramp": [0, 1]}
    listed = {"bytes": (struct.pack("<i4x", 4) + bytes(16)).hex(), "pointers": {"8": "a", "16": "o+4"}}
    program = {
        "name": "k",
        "image": "k.cubin",
        "buffers": {
            "a": numbers,
            "o": {"dtype": "<i4", "count": 8},
            "rows": {"bytes": 16, "pointers": {"0": "o", "8": "a+4"}},
        },
        "globals": {"where": {"bytes": 8, "pointers": {"0": "a+8"}}},
        "launches": [{"label": "k", "kernel": "_Z1k4ListPPi", "grid": 1, "block": 8, "args": [listed, "rows"]}],
        "save": ["o"],
    }
    _, saved = programs.on_model(program, tmp_path)
    assert saved["o"].tolist() == [0, *(i + 10 * (i + 1) + 100 * (i + 2) for i in range(4)), 0, 0, 0]
