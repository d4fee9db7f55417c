"""Random expression and control-flow programs as cases for a real GPU.

    python -m tests.gpu.fuzz.make_cases CASES [N]      here: N programs of each kind (default 100)
    python tests/gpu/run_cubins.py CASES OUT           on the GPU

Each program goes from LLVM IR through isel and ptxas to a cubin, runs on the SM model, and is held to exact arithmetic
there first; what the model gave, NaN bits included, is what the GPU must give.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.fuzz import control, expr

ROWS = 64
KINDS = {
    "int": expr.INTS,
    "odd": (*expr.INTS, *expr.ODD),
    "float": (*expr.FLOATS, "i32", "i64", "i16"),
}


def rows(rnd: random.Random, columns: int, bits: int = 64) -> list[list[int]]:
    """Inputs: wide, small, and nearly all ones."""

    def word() -> int:
        drawn = rnd.choice([rnd.getrandbits(64), rnd.getrandbits(5), (1 << 64) - 1 - rnd.getrandbits(4)])
        return drawn & (1 << bits) - 1

    return [[word() for _ in range(columns)] for _ in range(ROWS)]


def write(folder: Path, name: str, ir: str, data: list[list[int]], words: int, gpu: runtime.Device) -> list[list[int]]:
    """Compile, run on the model, write the case; returns the model's rows."""
    compiled = minicc.compile(SourceFile(f"{name}.ll", ir))
    source, result = np.array(data, np.uint64), np.zeros((ROWS, words), np.uint64)
    gpu.load(compiled.cubin)["kernel"][1, ROWS](source, result)
    (folder / f"{name}.cubin").write_bytes(compiled.cubin)
    source.tofile(folder / f"{name}.in")
    result.tofile(folder / f"{name}.expect")
    case: dict[str, Any] = {
        "kernel": "kernel",
        "grid": [1, 1, 1],
        "block": [ROWS, 1, 1],
        "args": [{"in": f"{name}.in"}, {"out": result.nbytes}],
        "expect": f"{name}.expect",
    }
    (folder / f"{name}.json").write_text(json.dumps(case))
    return [[int(v) for v in row] for row in result]


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    folder.mkdir(parents=True, exist_ok=True)
    gpu = runtime.Device("sm_90")
    rnd = random.Random(1)
    chosen = settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def numbered(kind: str) -> Callable[[], str]:
        made = iter(range(10**9))
        return lambda: f"{kind}{next(made):04}"

    def arithmetic(name: Callable[[], str], types: tuple[str, ...]) -> None:
        @chosen
        @given(program=expr.expressions(types, depth=5))
        def expressions(program: Any) -> None:
            data = rows(rnd, max(expr.argument_count(program), 1))
            expr.check(program, data, lambda ir, given_rows, words: write(folder, name(), ir, given_rows, words, gpu))

        expressions()

    for kind, types in KINDS.items():
        arithmetic(numbered(kind), types)

    name = numbered("control")

    @chosen
    @given(program=control.programs())
    def programs(program: Any) -> None:
        data = rows(rnd, control.VARIABLES, 32)
        got = write(folder, name(), control.to_ir(program), data, control.VARIABLES, gpu)
        assert got == [control.evaluate(program, row) for row in data]

    programs()
    print(f"{len(list(folder.glob('*.json')))} programs in {folder}")


if __name__ == "__main__":
    main()
