"""LDC by lists: rows of places that lanes name, by 1 to 32 warps of 1 to 132 SMs, with the clock around each.

    python -m tests.gpu.micro.lists FOLDER                     the plan; nvcc's -cubin of lists.cu beside it
    ncu ... python -m tests.gpu.programs FOLDER/lists.json OUT     on a GPU
    python -m tests.gpu.micro.lists FOLDER OUT/lists.npz       what is kept of it (data/lists.json), to standard output

Of a launch is kept how long it took from the first clock to the last, of those of one place by one warp which missed.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.gpu.programs import Array
from tests.gpu.seen import seen

WARPS = {"1": 1, "0,1": 3, "0,4": 0x11, "0-3": 15, "0-7": 255, "0-15": 65535, "0-31": 0xFFFFFFFF}
"""Which warps of a block take part, a bit each: two of two sub-cores, two of one."""
LINE, TOOK, MISS = 64, 2560, 60
"""Bytes of a line of constants; clocks that a launch can note; cycles of a load of one place that missed."""
PAD = 8
Rows = Any


def _program(name: str, rows: Rows, launches: list[tuple[str, int, int, int, int, int, int, int]]) -> dict[str, Any]:
    """`launches`: label, rows at a time, warps, lines brought before, rows of each, rows from warp to warp, from block
    to block, blocks."""
    table = np.concatenate([np.asarray(rows).reshape(-1, 32), np.zeros((PAD, 32), int)]).astype("<u2")
    at, out = 0, []
    for label, depth, who, warm, n, apart, blocks, grid in launches:
        args: list[Any] = ["list", {"u32": who}, *({"i32": a} for a in (warm, n, apart, blocks)), f"t+{4 * at}"]
        block = 32 * who.bit_length()
        out.append({"label": label, "kernel": f"lists_{depth}", "grid": [grid], "block": [block], "args": args})
        size = n // depth * (1 + depth) * who.bit_count()
        assert size <= TOOK
        at += size
    places = base64.b64encode(zlib.compress(table.tobytes(), 9)).decode()
    buffers = {"list": {"dtype": "<u2", "count": table.size, "zlib": places}, "t": {"dtype": "<u4", "count": at}}
    return {"name": name, "image": "lists.cubin", "buffers": buffers, "launches": out, "save": ["t"]}


def _structured() -> Rows:
    """Rows of so many places in so many lines, side by side or by turns, each three times."""
    rows, base = [], 0
    for lines in (1, 2, 4, 8, 16, 32):
        for places in sorted({lines, min(32, 4 * lines), 32}):
            for turns in (0, 1) if 1 < lines < places else (0,):
                k = np.arange(32) % places
                line = k % lines if turns else k * lines // places
                word = k // lines if turns else k % (places // lines)
                for _ in range(4):
                    base = (base + 40) % 256
                    rows += 3 * [(base + line) % 256 * LINE + word * 4 % LINE]
    return rows


def plan() -> list[dict[str, Any]]:
    random = np.random.RandomState(7)
    out = [
        _program(f"one {n}", np.repeat(random.randint(0, n, 512) * LINE, 32), [("1", 1, 1, n, 512, 0, 0, 1)])
        for n in (24, 36, 40, 48, 64)
    ]
    structured = _structured()
    out.append(_program("structured", structured, [("1", 1, 1, 256, len(structured), 0, 0, 1)]))
    for lines in (8, 16, 32, 40, 48, 64, 128):
        rows = random.randint(0, lines * 16, (32 * 40 + 200, 32)) * 4
        launches = [("1", 1, 1, lines, 160, 0, 0, 1)]
        if lines in (16, 64):
            launches.append(("1 d4", 4, 1, lines, 160, 0, 0, 1))
        if lines in (16, 64, 128):
            for name, who in list(WARPS.items())[1:]:
                warps = who.bit_count()
                launches.append((name, 1, who, lines, min(64, 1280 // warps), 40, 0, 1))
                if warps in (4, 8, 32):
                    launches.append((f"{name} d4", 4, who, lines, min(64, 2048 // warps) // 4 * 4, 40, 0, 1))
        if lines == 64:
            for name in ("0-3", "0-15"):
                n = min(64, 1280 // WARPS[name].bit_count())
                launches.append((f"{name} same", 1, WARPS[name], lines, n, 0, 0, 1))
        if lines in (16, 64):
            for grid in (4, 32, 132):
                for name in ("1", "0-3", "0-7", "0-31"):
                    n = min(64, 1280 // WARPS[name].bit_count())
                    launches.append((f"{name} x{grid}", 1, WARPS[name], lines, n, 40, 1, grid))
                launches.append((f"0-31 d4 x{grid}", 4, WARPS["0-31"], lines, 40, 40, 1, grid))
        out.append(_program(f"random {lines}", np.concatenate([rows, rows[:200]]), launches))
    for lines in (1, 4, 8, 32):
        k = np.arange(32) % lines
        rows = np.array([[(w * 48 + i * lines % 48 + k) % 1000 * LINE for i in range(80)] for w in range(16)])
        launches = []
        for name, who in list(WARPS.items())[:-1]:
            warps = who.bit_count()
            launches.append((name, 1, who, 1000, min(64, 1280 // warps), 80, 0, 1))
            if warps in (1, 4, 16):
                launches.append((f"{name} d4", 4, who, 1000, min(64, 2048 // warps // 4 * 4), 80, 0, 1))
        out.append(_program(f"fresh {lines}", rows, launches))
    return out


def took(program: dict[str, Any], clocks: Array) -> dict[str, dict[str, Any]]:
    """Of each launch, by label: its cycles; of one warp's single places, which of them missed ("1")."""
    out: dict[str, dict[str, Any]] = {}
    at = 0
    for launch in program["launches"]:
        who, n, depth = launch["args"][1]["u32"], launch["args"][3]["i32"], int(launch["kernel"][-1])
        mine = clocks[at : at + n // depth * (1 + depth) * who.bit_count()].astype(np.int64).reshape(-1, 1 + depth)
        at += mine.size
        row = out[f"{program['name']}/{launch['label']}"] = {"cycles": int(mine.max() - mine.min())}
        if program["name"].startswith("one"):
            row["missed"] = "".join("01"[int(d > MISS)] for d in mine[:, 1] - mine[:, 0])
    return out


def main() -> None:
    match sys.argv[1:]:
        case [folder]:
            (Path(folder) / "lists.json").write_text(json.dumps(plan()))
        case [_, measured]:
            saved = np.load(measured)
            rows = {k: row for p in plan() for k, row in took(p, saved[f"{p['name']}/t"]).items()}
            lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(row)}" for k, row in rows.items())
            about = json.dumps(seen())[1:-1]
            sys.stdout.write(f'{{{about},\n"launches": {{\n{lines}\n}}}}\n')
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
