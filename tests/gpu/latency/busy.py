#!/usr/bin/env python3
"""How early matrix products read their operands while other warps keep the SM busy.

    python -m tests.gpu.latency.busy make CASES
    python tests/gpu/run_cubins.py CASES OUT                    (on the GPU's machine)
    python tests/gpu/latency/busy.py judge CASES OUT            (standard library only)

A kernel per producer, operand and shape. Of each sub-core's warps the first writes an operand, issues the product 1, 2,
... `MOST` cycles later and counts wrong results, `ROUNDS` times each; the others run HMMA, FFMA, MUFU or LDS in a row
until it has finished. The launch says which (parameter 2) and how many (block size). `judge` prints, for each, the
least distance from which on no thread saw a wrong result.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

GRID, ROUNDS, MOST = 132, 48, 10
KINDS = ("idle", "hmma", "ffma", "mufu", "lds")
WARPS = (2, 4, 8)
"""Warps a sub-core, the probing one included."""
PRODUCERS = {
    "alu": "MOV {t}, R20",
    "fma": "FFMA {t}, R20, R22, -RZ",
    "imad": "IMAD {t}, R20, R23, RZ",
    "wide": "IMAD.WIDE {t}, RZ, RZ, R20",
}
HALF, ONE, DOUBLE = 0x3C003C00, 0x3F800000, 0x3FF00000
# shape: (product, first register of A, B, C that is written, count of A and B registers, is it double)
SHAPES = {
    "16816": ("HMMA.16816.F32 R44, R32, R36, R40", {"a": 32, "b": 36, "c": 40}, (4, 2), False),
    "1688": ("HMMA.1688.F32 R44, R32, R36, R40", {"a": 32, "b": 36, "c": 40}, (2, 1), False),
    "884": ("DMMA.8x8x4 R44, R32, R36, R40", {"a": 32, "b": 36, "c": 40}, (2, 2), True),
}


def names() -> list[str]:
    """Every kernel: producer, operand, shape."""
    return [
        f"{p}.{o}.{s}"
        for p in PRODUCERS
        for o in "abc"
        for s in SHAPES
        if not (p == "wide" and o == "b" and s == "1688")
    ]


def code(name: str) -> list[object]:
    """The kernel k(unsigned *counts, unsigned kind): counts[block][thread][MOST]."""

    from minicc import sass
    from minicc.record import evolve
    from minicc.sass.instr import Control, Instr, Target
    from tests.gpu.latency.make_cases import SAFE, _safe

    producer, operand, shape = name.split(".")
    product, places, (na, nb), double = SHAPES[shape]
    out: list[Instr] = []
    labels: dict[str, int] = {}

    def add(text: str) -> None:
        for line in text.split(";"):
            instr = sass.parse(line.strip())
            late = instr.mnemonic == "DMMA"
            (safe,) = _safe(line)
            out.append(evolve(safe, control=evolve(safe.control, wbar=1)) if late else safe)

    def jump(label: str, guard: str = "") -> None:
        instr = Instr("BRA", (Target(label=label),), control=SAFE)
        out.append(evolve(instr, guard=sass.parse(f"{guard} EXIT").guard) if guard else instr)

    add("S2R R2, SR_TID.X; S2R R3, SR_CTAID.X; ULDC.64 UR4, c[0x0][0x208]; LDC.64 R6, c[0x0][0x210]")
    add("LDC R9, c[0x0][0x0]; IMAD R4, R3, R9, R2; IMAD R4, R4, 0x28, RZ; IMAD.WIDE R6, R4, 0x1, R6")
    add("LOP3.LUT R8, R2, 0x60, RZ, 0xc0, !PT; SHF.R.U32.HI R8, RZ, 0x3, R8; STS [R8], RZ")
    add("BAR.SYNC.DEFER_BLOCKING 0x0; ISETP.GE.U32.AND P0, PT, R2, 0x80, PT")
    jump("busy", "@P0")
    one = DOUBLE if double else HALF
    add(f"MOV R22, {ONE:#x}; MOV R23, 0x1")
    for n in range(32, 44):
        add(f"MOV R{n}, RZ")
    for first, count in ((32, na), (36, nb)):
        for n in range(first, first + count):
            if not double or n % 2:
                add(f"MOV R{n}, {one:#x}")
    # What the product gives when it sees the new value, and the new value.
    new = (DOUBLE if double else ONE) if operand == "c" else one
    first = places[operand]
    pair = producer == "wide"
    target = first if pair or not double else first + 1
    add(f"MOV R20, {0 if double and pair else new:#x}; MOV R21, {new:#x}")
    targets = (first, first + 1) if pair else (target,)
    for n in targets:
        add(f"MOV R{n}, {0 if double and pair and n == first else new:#x}")
    add(product)
    add("NOP; NOP; MOV R24, R44; MOV R25, R45; MOV R26, R46; MOV R27, R47")
    for distance in range(1, MOST + 1):
        add(f"MOV R10, RZ; MOV R5, {ROUNDS:#x}")
        labels[f"top{distance}"] = len(out)
        for n in targets:
            add(f"MOV R{n}, RZ")
        add("MOV R44, RZ; MOV R45, RZ; MOV R46, RZ; MOV R47, RZ; NOP; NOP")
        maker = sass.parse(PRODUCERS[producer].format(t=f"R{target}"))
        out.append(evolve(maker, control=Control(stall=distance)))
        add(product)
        add("NOP; NOP; NOP")
        add("LOP3.LUT R28, R44, R24, RZ, 0x3c, !PT; LOP3.LUT R29, R45, R25, RZ, 0x3c, !PT")
        add("LOP3.LUT R30, R46, R26, RZ, 0x3c, !PT; LOP3.LUT R31, R47, R27, RZ, 0x3c, !PT")
        add("LOP3.LUT R28, R28, R29, R30, 0xfe, !PT; LOP3.LUT R28, R28, R31, RZ, 0xfc, !PT")
        add("ISETP.NE.AND P1, PT, R28, RZ, PT; @P1 IADD3 R10, R10, 0x1, RZ")
        add("IADD3 R5, R5, -0x1, RZ; ISETP.NE.AND P2, PT, R5, RZ, PT")
        jump(f"top{distance}", "@P2")
        add(f"STG.E desc[UR4][R6.64+{4 * distance - 4:#x}], R10")
    add("MOV R11, 0x1; STS [R8], R11; EXIT")
    labels["busy"] = len(out)
    add("LDC R12, c[0x0][0x218]; MOV R13, RZ")
    for kind in range(len(KINDS)):
        add(f"ISETP.EQ.AND P3, PT, R12, {kind:#x}, PT")
        jump(f"kind{kind}", "@P3")
    add("EXIT")
    for kind, word in enumerate(KINDS):
        labels[f"kind{kind}"] = len(out)
        for n in range(8 if word == "hmma" else 16):
            line = {
                "idle": "NOP",
                "hmma": f"HMMA.16816.F32 R{16 + 4 * n}, R48, R52, RZ",
                "ffma": f"FFMA R{16 + n}, R48, R52, R50",
                "mufu": f"MUFU.RSQ R{16 + n}, R48",
                "lds": f"LDS R{16 + n}, [R8+0x40]",
            }[word]
            instr = sass.parse(line)
            late = word in ("mufu", "lds")
            control = Control(stall=2 if word in ("hmma", "lds") else 1, wbar=0 if late else 7)
            control = SAFE if word == "idle" else control
            out.append(evolve(instr, control=control))
        add("IADD3 R13, R13, 0x1, RZ; LDS R14, [R8]; ISETP.EQ.AND P4, PT, R14, RZ, PT")
        add("ISETP.LT.AND P4, PT, R13, 0x20000, P4")
        jump(f"kind{kind}", "@P4")
        add("EXIT")
    out.append(Instr("BRA", (Target(address=16 * len(out)),), control=Control(stall=0, yield_=True)))
    placed: list[object] = []
    for instr in out:
        at = instr.operands[0] if instr.mnemonic == "BRA" else None
        if isinstance(at, Target) and at.label:
            instr = evolve(instr, operands=(Target(address=16 * labels[at.label]),))
        placed.append(instr)
    return placed


def cubin(name: str) -> bytes:
    """The kernel as a cubin."""
    from minicc import arch as archs
    from minicc import sass
    from minicc.binary import write_cubin
    from minicc.sass.program import Function, Param, Program

    arch = archs.get("sm_90")
    words = [sass.encode(instr, arch, 16 * n) for n, instr in enumerate(code(name))]  # type: ignore[arg-type]
    function = Function(
        "k",
        b"".join(w.to_bytes(16, "little") for w in words),
        registers=64,
        shared=256,
        barriers=1,
        params=[Param(0, 0, 8), Param(1, 8, 4)],
        param_bytes=12,
    )
    return write_cubin(Program("sm_90", [function]))


def make(folder: Path, grid: int = GRID) -> None:
    """Write every kernel and a case for every launch."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names():
        (folder / f"{name}.cubin").write_bytes(cubin(name))
        for kind, word in enumerate(KINDS):
            for warps in WARPS if kind else (1,):
                block = 128 * warps
                record = {
                    "image": f"{name}.cubin",
                    "kernel": "k",
                    "grid": [grid, 1, 1],
                    "block": [block, 1, 1],
                    "args": [{"out": 4 * MOST * grid * block}, {"u32": kind}],
                }
                (folder / f"{name}.{word}.{warps}.json").write_text(json.dumps(record))


def judge(cases: Path, folder: Path) -> None:
    """A line a launch: the least safe distance and how many of the results were wrong below it."""
    for path in sorted(cases.glob("*.json")):
        out = folder / f"{path.stem}.arg0.bin"
        if not out.exists():
            print(f"{path.stem:28} missing")
            continue
        record = json.loads(path.read_text())
        grid, block = record["grid"][0], record["block"][0]
        words = struct.unpack(f"<{MOST * grid * block}I", out.read_bytes())
        wrong = [sum(words[d::MOST]) for d in range(MOST)]
        safe = max((d + 1 for d, w in enumerate(wrong) if w), default=0) + 1
        tried = ROUNDS * grid * 128
        print(f"{path.stem:28} safe from {safe:2}; wrong " + " ".join(f"{w / tried:.5f}" for w in wrong))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
        make(Path(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "judge":
        judge(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(__doc__)
