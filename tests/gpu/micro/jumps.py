"""Warps that jump from line to line of code, each in an order of its own.

    python -m tests.gpu.micro.jumps FOLDER         writes FOLDER/jumps_IMAGE.cubin
    python -m tests.gpu.micro.jumps FOLDER OUT     runs them on a GPU: OUT/jumps.json, cycles a jump by `cases`

A place of the code is one to four lines of 128 bytes (image `runN`); its last instruction jumps to the place that a
random number of the warp names. In a ring places lead to one another in one order, in a row the next one follows, and
warps begin anywhere. Every warp goes a way first that sees all places; the next one is looked at.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from minicc import arch as archs
from minicc import sass
from minicc.binary import write_cubin
from minicc.record import evolve
from minicc.sass.instr import Control, Instr, Target
from minicc.sass.program import Function, Param, Program
from tests.gpu.run_cubins import Cuda

RUNS = {1: 3072, 2: 1024, 4: 512}
"""Lines of a place, and how many places there are."""
RINGS = (32, 256, 512, 1024)
"""Places of a line each that lead from one to the next by a branch, in an order that all warps share."""
ROWS = (256, 384, 512, 1024)
"""Places of a line each that follow each other, the first behind the last."""
JUMPS = 400
GPC = (0, 1, 16, 17, 32, 33, 48, 49, 64, 65, 80, 81, 96, 97, 112, 113)
SMS = {
    "one": (0,), "TPC": (0, 1), "two": (0, 16), "four": (0, 16, 32, 48), "eight": GPC[::2], "GPC": GPC,
    "each": tuple(range(0, 16, 2)), "all": tuple(range(132)),
}  # fmt: skip
"""SMs that take part: of one GPC but for the last two; in each GPC one; all."""
SAFE = Control(stall=15, yield_=True)


@attrs.frozen
class Case:
    """`places` that are gone through by `warps` of each of `sms`; `apart`: each in an order of its own."""

    image: str
    places: int
    warps: int
    sms: str = "one"
    apart: bool = True


def cases() -> Iterator[Case]:
    """What is measured, in order."""
    for places in (1, 32, 48, 64, 128, 256, 320, 384, 512, 768, 1024, 1280, 1536, 2048, 3072):
        for warps in (1, 4, 8, 16, 32):
            yield Case("run1", places, warps)
    for sms in SMS:
        for warps in (1, 4, 8, 16, 32):
            yield Case("run1", 512, warps, sms)
    for places in (32, 256, 320, 384, 1024, 2048):
        for warps in (1, 4, 16, 32):
            yield Case("run1", places, warps, "all")
    for warps in (8, 32):
        yield Case("run1", 512, warps, "all", apart=False)
        yield Case("run1", 2048, warps, "all", apart=False)
    for run in (2, 4):
        for sms in ("one", "all"):
            for places in (64, 128, 256, 512):
                for warps in (1, 4, 16, 32):
                    yield Case(f"run{run}", places, warps, sms)
    for sms in ("one", "all"):
        for ring in RINGS:
            for warps in (1, 4, 8, 16, 32):
                yield Case(f"ring{ring}", ring, warps, sms)
    for row in ROWS:
        for sms in ("one", "eight", "GPC", "each", "all"):
            for warps in (1, 4, 16, 32):
                yield Case(f"row{row}", row, warps, sms)
            for warps in (1, 16, 32):
                yield Case(f"row{row}", row, warps, sms, apart=False)


def _safe(text: str) -> list[Instr]:
    """Instructions that each take full stalls, and wait for everything before them."""
    out = []
    for line in filter(str.strip, text.split(";")):
        instr = sass.parse(line.strip())
        late = instr.mnemonic in ("S2R", "LDC")
        control = evolve(SAFE, wait=0b111111, wbar=0 if late else 7, rbar=2 if instr.mnemonic == "STG" else 7)
        out.append(evolve(instr, control=control))
    return out


def _timed(text: str, stall: int) -> Instr:
    return evolve(sass.parse(text), control=Control(stall=stall, yield_=stall >= 12))


def _branch(guard: str, target: int) -> Instr:
    out = Instr("BRA", (Target(address=16 * target),), control=Control(stall=5))
    return evolve(out, guard=sass.parse(f"{guard} EXIT").guard) if guard else out


def _places(image: str) -> int:
    """The places of a ring or row."""
    return int(image.removeprefix("ring").removeprefix("row"))


def _place(n: int, image: str, begin: int, done: int) -> list[Instr]:
    """The code of place n; `begin`, `done`: the instructions at which places begin and ways end."""
    run = int(image[3:]) if image.startswith("run") else 1
    out = [_timed("NOP", 1) for _ in range(8 * (run - 1))]
    out += [
        _timed("IMAD R13, R13, R14, R15", 5),
        _timed("IADD3 R3, R3, -0x1, RZ", 1),
        _timed("IMAD.HI.U32 R8, R13, R10, RZ", 7),
        _timed("ISETP.EQ.AND P0, PT, R3, RZ, PT", 1),
        _timed(f"IMAD R8, R8, {128 * run:#x}, RZ", 14),
        _timed("NOP", 1),
        _branch("@P0", done),
    ]
    if image.startswith("ring"):
        count = _places(image)
        return [*out, _branch("", begin + 8 * ((n + (count * 5 // 8 | 1)) % count))]
    if image.startswith("row"):
        return [*out, _timed("NOP", 5) if n + 1 < _places(image) else _branch("", begin)]
    here = 16 * (begin + 8 * run * (n + 1))
    return [*out, _timed(f"BRX R8 {16 * begin - here:#x}", 5)]


def code(image: str) -> list[Instr]:
    """The kernel `k(unsigned *out, const int *takes_part, int places, int apart, int warm, int jumps)`: each warp goes
    `warm` jumps, then `jumps`; out[warp] has the cycles of those."""
    out = _safe(
        "S2R R2, SR_TID.X; S2R R20, SR_CTAID.X; S2R R22, SR_VIRTUALSMID; ULDC.64 UR4, c[0x0][0x208];"
        "LDC.64 R6, c[0x0][0x210]; LDC.64 R24, c[0x0][0x218]; IMAD.WIDE.U32 R24, R22, 0x4, R24;"
        "LDG.E R23, desc[UR4][R24.64]; NANOSLEEP 0x1000; ISETP.EQ.AND P0, PT, R23, RZ, PT; @P0 EXIT;"
        "LDC R10, c[0x0][0x220]; LDC R11, c[0x0][0x224]; LDC R12, c[0x0][0x228]; LDC R19, c[0x0][0x22c];"
        "SHF.R.U32.HI R4, RZ, 0x5, R2; IMAD R21, R20, 0x40, R4; IMAD R13, R21, R11, RZ;"
        "IADD3 R13, R13, 0x1234567, RZ; MOV R14, 0x19660d; MOV R15, 0x3c6ef35f; MOV R18, 0x2; MOV R9, RZ;"
        "IMAD R13, R13, R14, R15; IMAD R13, R13, R14, R15; IMAD R13, R13, R14, R15"
    )
    while len(out) % 8 != 7:
        out += _safe("NOP")
    done, start, end, begin = (len(out) + 1 + 8 * n for n in range(4))
    out.append(_branch("", start))
    # Where a way ends, and the next begins.
    out += _safe("CS2R.32 R17, SR_CLOCKLO; IADD3 R17, R17, -R16, RZ; IADD3 R18, R18, -0x1, RZ")
    out += _safe("ISETP.EQ.AND P1, PT, R18, RZ, PT")
    out.append(evolve(_branch("@P1", end), control=SAFE))
    out += _safe("MOV R12, R19; NOP; NOP")
    assert len(out) == start
    out += _safe("MOV R3, R12; IMAD.HI.U32 R8, R13, R10, RZ; IMAD R8, R8, 0x80, RZ;")
    out += _safe("BAR.SYNC.DEFER_BLOCKING 0x0; CS2R.32 R16, SR_CLOCKLO; NOP; NOP")
    if not image.startswith("run"):
        out.append(evolve(sass.parse(f"BRX R8 {16 * begin - 16 * (len(out) + 1):#x}"), control=SAFE))
    else:
        out.append(_branch("", begin))
    out += _safe("IMAD.WIDE.U32 R6, R21, 0x4, R6; STG.E desc[UR4][R6.64], R17; EXIT; NOP; NOP; NOP; NOP; NOP")
    assert len(out) == begin
    for n in range(RUNS[int(image[3:])] if image.startswith("run") else _places(image)):
        out += _place(n, image, begin, done)
    return out + _safe("EXIT")


IMAGES = (*(f"run{run}" for run in RUNS), *(f"ring{ring}" for ring in RINGS), *(f"row{row}" for row in ROWS))


def cubin(image: str) -> bytes:
    """One image."""
    arch = archs.get("sm_90")
    words = [sass.encode(instr, arch, 16 * n) for n, instr in enumerate(code(image))]
    sizes = (8, 8, 4, 4, 4, 4)
    function = Function(
        "k",
        b"".join(w.to_bytes(16, "little") for w in words),
        registers=32,
        barriers=1,
        params=[Param(n, sum(sizes[:n]), size) for n, size in enumerate(sizes)],
        param_bytes=sum(sizes),
    )
    return write_cubin(Program("sm_90", [function]))


def warm(case: Case) -> int:
    """Jumps of the first way, after which all places have been seen."""
    return max(JUMPS, 8 * case.places // (case.warps if case.apart else 1))


def measured(launch: Callable[[Case], Any]) -> list[float]:
    """Cycles a jump of each case, the mean of its warps; `launch` gives cycles: [SM, warp], 0 where none took part. No
    number where others took part than should, as happens now and then."""
    out = []
    for case in cases():
        found = launch(case)
        right = (found > 0).any(1).sum() == len(SMS[case.sms])
        out.append(round(float(found[found > 0].mean()) / JUMPS, 2) if right else float("nan"))
    return out


def measure(folder: Path, out: Path, rounds: int = 3) -> None:
    """All cases on a GPU."""
    cuda, functions, flags = Cuda(0), {}, {}
    at = cuda.allocate(4 * 64 * 132)
    for name, sms in SMS.items():
        flags[name] = cuda.allocate(4 * 132)
        cuda.write(flags[name], np.isin(np.arange(132), sms).astype(np.int32).tobytes())
    for image in IMAGES:
        functions[image] = ctypes.c_void_p()
        module = cuda.load((folder / f"jumps_{image}.cubin").read_bytes())
        cuda("cuModuleGetFunction", ctypes.byref(functions[image]), module, b"k")

    def launch(case: Case) -> Any:
        cuda.write(at, bytes(4 * 64 * 132))
        held: list[Any] = [ctypes.c_uint64(at), ctypes.c_uint64(flags[case.sms])]
        held += map(ctypes.c_uint32, (case.places, 0x9E3779B1 * case.apart, warm(case), JUMPS))
        slots = (ctypes.c_void_p * 6)(*(ctypes.addressof(x) for x in held))
        shape = [ctypes.c_uint(n) for n in (132, 1, 1, 32 * case.warps, 1, 1, 0)]
        cuda("cuLaunchKernel", functions[case.image], *shape, ctypes.c_void_p(None), slots, ctypes.c_void_p(None))
        cuda("cuCtxSynchronize")
        return np.frombuffer(cuda.read(at, 4 * 64 * 132), np.uint32).reshape(132, 64)

    found = np.array([measured(launch) for _ in range(rounds)])
    (out / "jumps.json").write_text(json.dumps(np.nanmedian(found, axis=0).tolist()))


def main() -> None:
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        measure(folder, Path(sys.argv[2]))
        return
    for image in IMAGES:
        (folder / f"jumps_{image}.cubin").write_bytes(cubin(image))


if __name__ == "__main__":
    main()
