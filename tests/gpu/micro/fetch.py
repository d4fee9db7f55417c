"""One way through lines of code, noted line by line: what cold code costs, straight on, over gaps, and by which jump.

    python -m tests.gpu.micro.fetch FOLDER         writes FOLDER/fetch_IMAGE.cubin.xz
    python -m tests.gpu.micro.fetch FOLDER OUT     runs them on a GPU (under ncu, which flushes): OUT/fetch.json, cycles
                                                   a step by `cases`, the mean of medians of all warps

A line of 128 bytes notes the clock in shared memory and goes on to the next one or jumps, as a table in memory says
(images `brx`, `ret`, `call` by what it jumps with) or always over eight lines (`bra8`, `call8`).
"""

from __future__ import annotations

import ctypes
import json
import lzma
import sys
from collections.abc import Iterator
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

LINES, FIRST, STEPS = 4096, 16, 256
"""Lines of an image, the first that is a place, the most steps of a way."""
DYNAMIC = ("brx", "ret", "call")
FIXED = {"bra8": "BRA", "call8": "CALL.REL.NOINC"}
IMAGES = (*DYNAMIC, *FIXED)
SAFE = Control(stall=15, yield_=True)


@attrs.frozen
class Case:
    """A way: the lines to which a warp comes one after the other."""

    name: str
    way: tuple[int, ...]
    image: str = "brx"
    sms: int = 132
    warps: int = 1


def _steps(begin: int, step: int, count: int) -> tuple[int, ...]:
    return tuple(begin + step * k for k in range(count))


def _runs(begin: int, run: int, skip: int, count: int) -> tuple[int, ...]:
    """`run` lines each, then the one `skip` behind the last of them."""
    return tuple(begin + (run - 1 + skip) * k + j for k in range(count) for j in range(run))[:255]


def _waits(begin: int, turns: int, step: int, count: int) -> tuple[int, ...]:
    """Each line turned in before it goes on to the next."""
    return tuple(begin + step * k for k in range(count) for _ in range(turns + 1))[:255]


def cases() -> Iterator[Case]:
    """What is measured, in order."""
    for begin in (FIRST, 600):
        last = 500 if begin == FIRST else 4000
        for sms in (1, 132):
            for step in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64):
                yield Case(f"step {step}", _steps(begin, step, min(64, (last - begin) // step)), "brx", sms)
            for step in (1, 2, 4, 8, 16, 32):
                count = min(64, (last - begin) // step)
                yield Case(f"back {step}", _steps(begin + step * count, -step, count), "brx", sms)
            for run, skip in ((2, 4), (2, 8), (4, 3), (4, 8), (8, 8), (4, 16), (8, 32), (2, 32)):
                count = min(40, (last - begin) // (run + skip))
                yield Case(f"run {run} skip {skip}", _runs(begin, run, skip, count), "brx", sms)
            for turns in (1, 2, 4, 8, 16):
                for step in (1, 2, 4, 8):
                    yield Case(f"wait {turns} step {step}", _waits(begin, turns, step, 14), "brx", sms)
            order = np.random.RandomState(1).permutation(np.arange(begin, last))[:96].tolist()
            yield Case("random", tuple(order), "brx", sms)
        for warps in (4, 8, 16):
            for step in (1, 4, 8):
                yield Case(f"step {step}", _steps(begin, step, 40), "brx", 132, warps)
            yield Case("run 4 skip 8", _runs(begin, 4, 8, 30), "brx", 132, warps)
        for image in IMAGES[1:]:
            yield Case("step 8", _steps(begin, 8, 50), image, 132)
            yield Case("step 8 twice", _steps(begin, 8, 40) * 2, image, 1)
        yield Case("step 8 twice", _steps(begin, 8, 40) * 2, "brx", 1)
    # What has been gone through once: in L1, in L1.5, beyond.
    for step, count in ((1, 16), (4, 16), (2, 64), (1, 128)):
        yield Case(f"again step {step} x {count}", (_steps(64, step, count) * 6)[:255], "brx", 1)
    for image in IMAGES:
        for warps in (1, 4, 16):
            yield Case("eight", (_steps(64, 8, 8) * 16) if image not in FIXED else _steps(64, 8, 50), image, 1, warps)
    for sms in (1, 132):
        order = np.random.RandomState(2).permutation(np.arange(600, 4000))[:120].tolist()
        yield Case("random twice", (*order, *order), "brx", sms)
        yield Case("far twice", _steps(600, 28, 120) * 2, "brx", sms)


def _safe(text: str) -> list[Instr]:
    """Instructions that each take full stalls, and wait for everything before them."""
    out = []
    for line in filter(str.strip, text.split(";")):
        instr = sass.parse(line.strip())
        late = instr.mnemonic in ("S2R", "LDC", "LDG", "LDS")
        control = evolve(SAFE, wait=0b111111, wbar=0 if late else 7, rbar=2 if instr.mnemonic in ("STG", "STS") else 7)
        out.append(evolve(instr, control=control))
    return out


def _timed(text: str, stall: int, **control: int) -> Instr:
    return evolve(sass.parse(text), control=Control(stall=stall, yield_=stall >= 12, **control))


def _jump(image: str, away: int, base: int) -> Instr:
    """To R8 behind an address, which is so many bytes away."""
    if image == "brx":
        return _timed(f"BRX R8 {away:#x}", 5)
    text = f"RET.REL.NODEC R8 {base:#x}" if image == "ret" else f"CALL.REL.NOINC R8 {base:#x}"
    return _timed(text, 5)


def _place(n: int, image: str, done: int, lines: int) -> list[Instr]:
    """The code of line n of so many; `done`: the instruction at which ways end, from which targets count."""
    here = 8 * n
    out = [
        _timed("CS2R.32 R16, SR_CLOCKLO", 1),
        _timed("IADD3 R2, R2, 0x4, RZ", 1, wait=0b10),
        _timed("ISETP.GE.AND P0, PT, R10, RZ, PT", 1, wait=0b01),
        _timed("MOV R8, R10", 5),
        _timed("LDS R10, [R2]", 8, wbar=0),
        _timed("STS [R2+0x3f8], R16", 2, rbar=1),
    ]
    if image in DYNAMIC:
        out.append(_timed("NOP", 1))
        return [*out, evolve(_jump(image, 16 * (done - here - 8), 16 * done), guard=sass.parse("@P0 EXIT").guard)]
    jump = _timed(f"BRX R8 {16 * (done - here - 7):#x}", 5)
    out.append(evolve(jump, guard=sass.parse("@P0 EXIT").guard))
    there = 8 * (n + 8) if n + 8 < lines - 1 else done
    if FIXED[image] == "BRA":
        return [*out, Instr("BRA", (Target(address=16 * there),), control=Control(stall=5))]
    return [*out, Instr("CALL", (Target(address=16 * there),), ("REL", "NOINC"), control=Control(stall=5))]


def code(image: str, lines: int = LINES) -> tuple[list[Instr], int]:
    """The kernel `k(unsigned *out, const int *way)`: out[SM, warp of 16, STEPS] has the clocks at its lines. And the
    byte at which ways end."""
    out = _safe(
        "S2R R2, SR_TID.X; S2R R20, SR_CTAID.X; ULDC.64 UR4, c[0x0][0x208];"
        "LDC.64 R6, c[0x0][0x210]; LDC.64 R24, c[0x0][0x218]; SHF.R.U32.HI R4, RZ, 0x5, R2;"
        "LOP3.LUT R5, R2, 0x1f, RZ, 0xc0, !PT; IMAD.WIDE.U32 R24, R5, 0x4, R24; IMAD R21, R20, 0x10, R4;"
        "IMAD R21, R21, 0x100, R5; IMAD.WIDE.U32 R6, R21, 0x4, R6; MOV R3, 0x400; IMAD R2, R4, 0x800, R3;"
        "IMAD R3, R5, 0x4, R2; MOV R9, RZ"
    )
    for k in range(8):
        out += _safe(f"LDG.E R{12 + k}, desc[UR4][R24.64+{128 * k:#x}]")
    for k in range(8):
        out += _safe(f"STS [R3+{128 * k:#x}], R{12 + k}; STS [R3+{1024 + 128 * k:#x}], RZ")
    out += _safe("BAR.SYNC.DEFER_BLOCKING 0x0; LDS R8, [R2]; IADD3 R2, R2, 0x4, RZ; LDS R10, [R2]; NOP")
    begin = len(out)
    done = begin + 1
    out.append(evolve(sass.parse("BRX R8 0x0"), control=SAFE))
    for k in range(8):
        out += _safe(f"LDS R12, [R3+{1024 + 128 * k:#x}]; STG.E desc[UR4][R6.64+{128 * k:#x}], R12")
    out += _safe("EXIT")
    assert len(out) <= 8 * FIRST, len(out)
    out += _safe("NOP") * (8 * FIRST - len(out))
    for n in range(FIRST, lines - 1):
        out += _place(n, image, done, lines)
    return out + _safe("EXIT; NOP; NOP; NOP; NOP; NOP; NOP; NOP"), 16 * done


def cubin(image: str, lines: int = LINES) -> bytes:
    """One image."""
    arch = archs.get("sm_90")
    instructions, _ = code(image, lines)
    words = [sass.encode(instr, arch, 16 * n) for n, instr in enumerate(instructions)]
    function = Function(
        "k",
        b"".join(w.to_bytes(16, "little") for w in words),
        registers=32,
        barriers=1,
        params=[Param(0, 0, 8), Param(1, 8, 8)],
        param_bytes=16,
        shared=32768,
    )
    return write_cubin(Program("sm_90", [function]))


def table(case: Case, done: int) -> Any:
    """What the lines of a way read: where each goes on."""
    out = np.full(STEPS, 0, np.int32)
    way = case.way
    out[0] = 128 * way[0] - done
    for k, line in enumerate(way):
        following = way[k + 1] if k + 1 < len(way) else None
        if following is None:
            out[k + 1] = 0
        elif case.image in FIXED or (following == line + 1 and case.name.split()[0] in ("step", "again", "run")):
            out[k + 1] = -1
        else:
            out[k + 1] = 128 * following - done
    return out


def noted(case: Case, found: Any) -> float:
    """Cycles a step, the mean of the medians of all warps; `found`: uint32[SM, warp, STEPS]."""
    clocks = found[: case.sms, : case.warps, : len(case.way)].astype(np.int64)
    return round(float(np.median(np.diff(clocks, axis=2), axis=(0, 1)).mean()), 1)


def measure(folder: Path, out: Path) -> None:
    """All cases on a GPU."""
    cuda = Cuda(0)
    functions, done = {}, code("brx")[1]
    at, way = cuda.allocate(132 * 16 * STEPS * 4), cuda.allocate(4 * STEPS)
    for image in IMAGES:
        functions[image] = ctypes.c_void_p()
        module = cuda.load(lzma.decompress((folder / f"fetch_{image}.cubin.xz").read_bytes()))
        cuda("cuModuleGetFunction", ctypes.byref(functions[image]), module, b"k")

    def launch(case: Case) -> Any:
        cuda.write(way, table(case, done).tobytes())
        held: list[Any] = [ctypes.c_uint64(at), ctypes.c_uint64(way)]
        slots = (ctypes.c_void_p * 2)(*(ctypes.addressof(x) for x in held))
        shape = [ctypes.c_uint(n) for n in (case.sms, 1, 1, 32 * case.warps, 1, 1, 0)]
        cuda("cuLaunchKernel", functions[case.image], *shape, ctypes.c_void_p(None), slots, ctypes.c_void_p(None))
        cuda("cuCtxSynchronize")
        return np.frombuffer(cuda.read(at, 132 * 16 * STEPS * 4), np.uint32).reshape(132, 16, STEPS)

    found = []
    for case in cases():
        found.append(noted(case, launch(case)))
    (out / "fetch.json").write_text(json.dumps(found))


def main() -> None:
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        measure(folder, Path(sys.argv[2]))
        return
    for image in IMAGES:
        (folder / f"fetch_{image}.cubin.xz").write_bytes(lzma.compress(cubin(image)))


if __name__ == "__main__":
    main()
