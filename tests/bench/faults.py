"""Of single-field faults in control codes that alter a result on the SM model, how many does the static checker catch?

    python -m tests.bench.faults [--each 40] [--seed 1] [FILE.ptx...]

One control field of one instruction is damaged at a time: a smaller stall, a wait bit less, no write barrier, no read
barrier, another scoreboard. The damaged kernel runs on the model; where memory after it differs, or it hangs or faults,
the checker must report something for that code. Kernels: those with real calls, and those of PTX files.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from minicc import arch, binary, ptx, ptxas, sass
from minicc.diagnostics import SourceFile
from minicc.frontend import types
from minicc.ptxas.control.check import check
from minicc.ptxas.options import Options
from minicc.sass.program import Program
from tests.ptxas.calls import EXPECTED, MODULE
from tests.ptxas.control.test_check import controls, damage
from tests.ptxas.lower.harness import assemble
from tests.suites.results import Kernel, Shape, launch, ptx_kernels

ARCH = arch.get("sm_90")
SHAPE = Shape((2, 1), (48, 1), 16, 1 << 18)


def faults(code: bytes, rng: random.Random) -> list[tuple[str, int, dict[str, int]]]:
    """(kind, instruction, changed fields), shuffled."""
    out: list[tuple[str, int, dict[str, int]]] = []
    for at, c in enumerate(controls(code)[:-1]):
        if c.stall > 1:
            out.append(("stall", at, {"stall": c.stall - 1, "yield_": c.yield_ if c.stall - 1 >= 12 else False}))
            out.append(("stall", at, {"stall": 1, "yield_": False}))
        for bar in range(6):
            if c.wait >> bar & 1:
                out.append(("wait", at, {"wait": c.wait & ~(1 << bar)}))
        if c.wbar < 6:
            out.append(("write barrier", at, {"wbar": 7}))
            out.append(("write barrier", at, {"wbar": (c.wbar + 1) % 6}))
        if c.rbar < 6:
            out.append(("read barrier", at, {"rbar": 7}))
            out.append(("read barrier", at, {"rbar": (c.rbar + 1) % 6}))
    rng.shuffle(out)
    return out


def programs(files: list[Path]) -> list[tuple[str, Program, Kernel]]:
    """(name, program, kernel): those with real calls, and those of PTX files with made-up arguments."""
    made = assemble(MODULE, inline="never")
    assert isinstance(made, Program)
    two = (types.pointer(types.UINT), types.UINT)
    out = [(f"calls/{kernel}", made, Kernel(kernel, two)) for kernel in EXPECTED]
    for file in files:
        text = file.read_text()
        parsed = ptx.parse(SourceFile(str(file), text))
        program = ptxas.assemble(parsed, ARCH, Options())
        out += [(f"{file.stem}/{kernel.symbol}", program, kernel) for kernel in ptx_kernels(parsed, text)]
    return out


def run(program: Program, kernel: Kernel) -> list[bytes] | str:
    """Memory after one launch, or the fault that ended it (hangs are faults)."""
    image = binary.write_cubin(program)
    done = launch(image, kernel, {}, SHAPE, timing=True, hazards="hardware", cycle_limit=3_000_000)
    return done.fault.partition(":")[0] or [a.tobytes() for a in done.after]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", type=Path, help="PTX files")
    wanted = parser.parse_args()
    rng = random.Random(wanted.seed)
    altered: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for name, program, kernel in programs(wanted.files):
        function = program.function(kernel.symbol)
        right, code = run(program, kernel), function.code
        if isinstance(right, str):
            continue
        for kind, at, change in faults(code, rng)[: wanted.each]:
            function.code = damage(code, at, **change)
            result = run(program, kernel)
            reported = bool(check(function.code, ARCH))
            if result != right:
                altered[kind] += 1
                caught[kind] += reported
                if not reported:
                    text = sass.format(
                        sass.decode(int.from_bytes(code[16 * at : 16 * at + 16], "little"), ARCH, 16 * at)
                    )
                    print(f"missed: {name} {16 * at:#06x} {text} {change}", flush=True)
            elif reported:
                silent[kind] += 1
        function.code = code
    for kind in altered:
        print(f"{kind:14} altered {altered[kind]:4}, caught {caught[kind]:4}; no effect but reported {silent[kind]:4}")
    total = sum(altered.values())
    print(f"all: {sum(caught.values())} of {total} = {100 * sum(caught.values()) / max(total, 1):.1f} %")


if __name__ == "__main__":
    main()
