#!/usr/bin/env python3
"""Build the latency cases as cubins for `tests/gpu/run_cubins.py`:

    python tests/gpu/latency/make_cases.py CASES
    python tests/gpu/run_cubins.py CASES OUT          (on the GPU's machine)
    python tests/gpu/latency/check_results.py OUT     (there or here)

Every case gives two kernels: NAME.ok (the table's distance: every thread must get the right value) and NAME.short (one
cycle less, or no wait: some must not).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from minicc.record import evolve

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from minicc import arch as archs
from minicc import sass
from minicc.binary import write_cubin
from minicc.sass.instr import Control, Instr, Target
from minicc.sass.program import Function, Param, Program
from tests.gpu.latency.cases import BLOCK, CASES, GRID, Case

ROUNDS = 8
SAFE = Control(stall=15, yield_=True)
EVERYTHING = 0b111111


def _safe(text: str) -> list[Instr]:
    """Instructions that each take full stalls, wait for everything before them, and set a scoreboard if they may
    need it."""
    out = []
    for line in text.split(";"):
        instr = sass.parse(line.strip())
        late = instr.mnemonic in ("S2R", "LDC", "LDS", "STS", "POPC", "LDG", "STG", "SHFL")
        result = late and instr.mnemonic not in ("STS", "STG")
        control = evolve(SAFE, wait=EVERYTHING, wbar=0 if result else 7, rbar=2 if late and not result else 7)
        out.append(evolve(instr, control=control))
    return out


def code(case: Case, *, short: bool) -> list[Instr]:
    """The kernel."""
    out = _safe(
        "S2R R2, SR_TID.X; S2R R3, SR_CTAID.X; ULDC.64 UR4, c[0x0][0x208]; LDC.64 R6, c[0x0][0x210];"
        "IMAD R4, R3, 0x20, R2; IMAD.WIDE R6, R4, 0x4, R6; MOV R5, " + hex(ROUNDS)
    )
    top = len(out)
    out += _safe(case.setup)
    settle = _safe("NOP; NOP; NOP; NOP")
    out += settle
    distance = case.distance
    if short and not case.barrier:
        distance = case.short if case.short is not None else distance - 1
    stall = evolve(SAFE, stall=distance, yield_=distance >= 12)
    producer, consumer = sass.parse(case.producer), sass.parse(case.consumer)
    wait = 0b10 if case.barrier and not short else 0
    out.append(evolve(producer, control=evolve(stall, wbar=1 if case.barrier else 7)))
    out.append(evolve(consumer, control=evolve(SAFE, wait=wait, wbar=3 if case.late else 7)))
    out += settle
    if case.after:
        out += _safe(case.after)
    out += settle
    out += _safe("IADD3 R5, R5, -0x1, RZ; ISETP.NE.AND P6, PT, R5, RZ, PT")
    out.append(Instr("BRA", (Target(address=16 * top),), guard=sass.parse("@P6 EXIT").guard, control=SAFE))
    out += _safe(f"STG.E desc[UR4][R6.64], {case.out}; EXIT")
    out.append(Instr("BRA", (Target(address=16 * len(out)),), control=Control(stall=0, yield_=True)))
    return out


def cubin(case: Case, *, short: bool) -> bytes:
    """The kernel `k(unsigned *out)` as a cubin."""
    arch = archs.get("sm_90")
    words = [sass.encode(instr, arch, 16 * n) for n, instr in enumerate(code(case, short=short))]
    function = Function(
        "k",
        b"".join(w.to_bytes(16, "little") for w in words),
        registers=96,
        shared=256,
        params=[Param(0, 0, 8)],
        param_bytes=8,
    )
    return write_cubin(Program("sm_90", [function]))


def make(folder: Path) -> None:
    """Write every case; a case that cannot be encoded is named and left out."""
    folder.mkdir(parents=True, exist_ok=True)
    count = GRID * BLOCK
    for case in CASES:
        try:
            images = {kind: cubin(case, short=kind == "short") for kind in ("ok", "short")}
        except Exception as error:
            print(f"{case.name}: left out: {error}", file=sys.stderr)
            continue
        for kind, data in images.items():
            name = f"{case.name}.{kind}"
            (folder / f"{name}.cubin").write_bytes(data)
            record = {
                "image": f"{name}.cubin",
                "kernel": "k",
                "grid": [GRID, 1, 1],
                "block": [BLOCK, 1, 1],
                # Room past the results, still zero, for the case that loads from global memory.
                "args": [{"out": 4 * count + 0x8000}],
            }
            (folder / f"{name}.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(Path(sys.argv[1]))
