"""Rows of stores to parts of a line, some cycles apart, after which each sector is loaded and timed.

    python -m tests.gpu.micro.parts FOLDER         writes FOLDER/parts_local.cubin and FOLDER/parts_global.cubin
    python -m tests.gpu.micro.parts FOLDER OUT     runs them on a GPU: OUT/SPACE_WARPS.npy, uint32[round, warp, load]

One block of 1 to 8 warps, each in lines of its own. A row runs three times in other lines, so that its code is in the
caches; the last time is looked at.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import attrs
import numpy as np

from minicc import arch as archs
from minicc import sass
from minicc.binary import write_cubin
from minicc.record import evolve
from minicc.sass.instr import Control, Instr, Target
from minicc.sass.program import Function, Param, Program
from tests.gpu.run_cubins import Cuda

SPACES = ("local", "global")
PASSES, LINES, PLACES = 3, 8, 960
"""Times that a row runs, lines of each, lines of a warp after which rows begin again at the first."""
WIDTHS = {1: ".U8", 2: ".U16", 4: ""}
SAFE = Control(stall=15, yield_=True)


@attrs.frozen
class Row:
    """Stores: (line, first lane, lane behind the last, cycles until the next; a line below 0: a load of line -1 - it).
    Lane l names the line `l % lanes` behind that; `width`: bytes."""

    stores: tuple[tuple[int, int, int, int], ...]
    lanes: int = 1
    width: int = 4

    @property
    def lines(self) -> int:
        """How many lines are looked at afterwards."""
        return min(max(line for line, *_ in self.stores) + self.lanes, LINES)


def rows() -> list[Row]:
    """All rows, in the order of the program."""
    out: list[Row] = []

    def add(*stores: tuple[int, int, int, int], lanes: int = 1, width: int = 4) -> None:
        out.append(Row(stores, lanes, width))

    def letters(word: str, gaps: range, width: int, first: int, last: int) -> None:
        """Stores to the lines that the letters are, as many cycles apart as each of `gaps`."""
        for gap in gaps:
            add(*((ord(c) - 65, first, last, gap) for c in word), width=width)

    def twice(a: tuple[int, int], b: tuple[int, int], gaps: range, lanes: int = 1, width: int = 4) -> None:
        for gap in gaps:
            add((0, *a, gap), (0, *b, 15), lanes=lanes, width=width)

    def ended(word: str, gaps: range) -> None:
        """The same of one lane, with 15 cycles behind the last."""
        for gap in gaps:
            add(*((ord(c) - 65, 0, 1, gap) for c in word[:-1]), (ord(word[-1]) - 65, 0, 1, 15))

    twice((0, 1), (0, 1), range(2, 41))
    twice((0, 1), (1, 2), range(2, 41))
    twice((0, 1), (9, 10), range(8, 24))
    twice((0, 32), (1, 2), range(8, 24))
    twice((0, 1), (0, 32), range(8, 24))
    twice((0, 12), (4, 20), range(8, 24))
    ended("AAA", range(2, 24))
    for word in ("ABA", "ABCA", "ABCDA", "ABAB", "ABCABC"):
        ended(word, range(2, 16))
    for gap in range(2, 24, 2):
        for other in (2, 6, 12):
            add((0, 0, 1, gap), (1, 0, 1, other), (0, 0, 1, 15))
    for gap in range(4, 24, 2):
        add((0, 0, 1, gap), (-1, 0, 0, gap), (0, 0, 1, 15))
    for lanes in (2, 4, 8):
        twice((0, 32), (0, 32), range(2, 72, 2), lanes)
    twice((0, 2), (0, 2), range(2, 72, 2), 2)
    twice((0, 4), (0, 4), range(2, 72, 2), 4)
    twice((0, 4), (0, 1), range(2, 72, 2), 4)
    for width in (1, 2):
        letters("AA", range(2, 41), width, 0, 32)
        letters("ABA", range(2, 25), width, 0, 32)
        letters("ABCA", range(2, 25), width, 0, 32)
        letters("ABCDA", range(2, 17), width, 0, 32)
        letters("ABCDEA", range(2, 17), width, 0, 32)
    letters("ABAB", range(2, 17), 1, 0, 32)
    letters("ABCDABCD", range(2, 17), 1, 0, 32)
    letters("AA", range(2, 25), 1, 0, 1)
    for word in ("ABA", "ABCA", "ABCDA", "AABA"):
        letters(word, range(2, 17), 1, 0, 1)
    twice((0, 32), (0, 32), range(2, 72, 2), 4, 1)
    twice((0, 32), (0, 32), range(2, 72, 2), 8, 1)
    letters("AABA", range(2, 17), 4, 0, 1)
    letters("ABCDEA", range(2, 17), 4, 0, 1)
    letters("ABA", range(2, 25), 4, 0, 32)
    letters("ABCA", range(2, 17), 4, 0, 32)
    return out


def _safe(text: str) -> list[Instr]:
    """Instructions that each take full stalls, and wait for everything before them."""
    out = []
    for line in filter(str.strip, text.split(";")):
        instr = sass.parse(line.strip())
        store = instr.mnemonic == "STG"
        late = instr.mnemonic in ("S2R", "LDC")
        control = evolve(SAFE, wait=0b111111, wbar=0 if late else 7, rbar=2 if store else 7)
        out.append(evolve(instr, control=control))
    return out


def _timed(text: str, stall: int, wbar: int = 7) -> Instr:
    """An instruction after which the next comes so many cycles later."""
    return evolve(sass.parse(text), control=Control(stall=stall, yield_=stall >= 12, wbar=wbar))


def _ranges(row: Row) -> list[tuple[int, int]]:
    """The ranges of lanes that store, each of which has a predicate."""
    return sorted({(first, last) for line, first, last, _ in row.stores if line >= 0})


def _stores(row: Row, space: str) -> list[Instr]:
    """The row itself."""
    ranges, out = _ranges(row), []
    for line, first, last, gap in row.stores:
        stall = min(gap, 15)
        if line < 0:
            at = -line - 1
            text = f"LDL R13, [R10+{4 * at:#x}]"
            if space == "global":
                text = f"LDG.E R13, desc[UR4][R10.64+{128 * at:#x}]"
            out.append(_timed(text, stall, wbar=5))
        else:
            text = f"STL{WIDTHS[row.width]} [R10+{4 * line:#x}], R2"
            if space == "global":
                text = f"STG.E{WIDTHS[row.width]} desc[UR4][R10.64+{128 * line:#x}], R2"
            out.append(_timed(f"@P{ranges.index((first, last))} {text}", stall))
        while gap > 15:
            gap -= 15
            out.append(_timed("NOP", min(gap, 15)))
    return out


def code(space: str, words: int) -> tuple[list[Instr], int]:
    """The kernel `k(unsigned *out, char *p)`, and how many loads a warp times; `words`: that number."""
    out = _safe(
        "S2R R2, SR_TID.X; S2R R20, SR_CTAID.X; ULDC.64 UR4, c[0x0][0x208]; LDC.64 R6, c[0x0][0x210];"
        "LDC.64 R8, c[0x0][0x218]; LOP3.LUT R3, R2, 0x1f, RZ, 0xc0, !PT; SHF.R.U32.HI R4, RZ, 0x5, R2;"
        f"MOV R16, c[0x0][0x28]; IADD3 R16, R16, -0x1000, RZ; IMAD R5, R4, {4 * words:#x}, RZ;"
        "IADD3 R6, P0, R6, R5, RZ; IADD3.X R7, RZ, R7, RZ, P0, !PT"
    )
    count = 0
    for n, row in enumerate(rows()):
        at, ranges = n * LINES * PASSES % PLACES, _ranges(row)
        out += _safe(f"LOP3.LUT R11, R3, {row.lanes - 1:#x}, RZ, 0xc0, !PT")
        if space == "local":
            out += _safe(f"IMAD R10, R11, 0x4, R16; IADD3 R10, R10, {4 * at:#x}, RZ")
        else:
            out += _safe(
                "IMAD R11, R11, 0x80, RZ; IMAD R11, R3, 0x4, R11; IMAD R11, R4, 0x20000, R11;"
                f"IADD3 R11, R11, {128 * at:#x}, RZ; IADD3 R10, P0, R8, R11, RZ; IADD3.X R11, RZ, R9, RZ, P0, !PT"
            )
        for k, (first, last) in enumerate(ranges):
            out += _safe(
                f"ISETP.GE.U32.AND P{k}, PT, R3, {first:#x}, PT; ISETP.LT.U32.AND P{k}, PT, R3, {last:#x}, P{k}"
            )
        out += _safe(f"MOV R12, {PASSES:#x}")
        while len(out) % 8:
            out += _safe("NOP")
        top = len(out)
        out += _stores(row, space) + _safe("NOP;" * 20)
        if space == "local":
            out += _safe("IADD3 R10, R10, 0x20, RZ")
        else:
            out += _safe("IADD3 R10, P3, R10, 0x400, RZ; IADD3.X R11, RZ, R11, RZ, P3, !PT")
        out += _safe("IADD3 R12, R12, -0x1, RZ; ISETP.NE.AND P6, PT, R12, RZ, PT; BAR.SYNC.DEFER_BLOCKING 0x0")
        out.append(Instr("BRA", (Target(address=16 * top),), guard=sass.parse("@P6 EXIT").guard, control=SAFE))
        at += LINES * (PASSES - 1)
        if space == "local":
            out += _safe(f"IADD3 R10, R16, {4 * at:#x}, RZ")
        else:
            out += _safe(
                f"IMAD R11, R3, 0x4, RZ; IMAD R11, R4, 0x20000, R11; IADD3 R11, R11, {128 * at:#x}, RZ;"
                "IADD3 R10, P0, R8, R11, RZ; IADD3.X R11, RZ, R9, RZ, P0, !PT"
            )
        for line in range(row.lines):
            for sector in range(4):
                out += _safe(f"ISETP.EQ.AND P0, PT, R3, {8 * sector:#x}, PT; CS2R.32 R14, SR_CLOCKLO")
                text = f"@P0 LDL R13, [R10+{4 * line:#x}]"
                if space == "global":
                    text = f"@P0 LDG.E R13, desc[UR4][R10.64+{128 * line:#x}]"
                out.append(_timed(text, 2, wbar=0))
                out.append(evolve(sass.parse("IADD3 R13, R13, 0x1, RZ"), control=evolve(SAFE, wait=1)))
                out += _safe(
                    f"CS2R.32 R15, SR_CLOCKLO; IADD3 R15, R15, -R14, RZ;@P0 STG.E desc[UR4][R6.64+{4 * count:#x}], R15"
                )
                count += 1
    out += _safe("EXIT")
    out.append(Instr("BRA", (Target(address=16 * len(out)),), control=Control(stall=0, yield_=True)))
    return out, count


def cubin(space: str) -> bytes:
    """The image of the rows in local or global memory."""
    arch = archs.get("sm_90")
    _, count = code(space, 0)
    words = [sass.encode(instr, arch, 16 * n) for n, instr in enumerate(code(space, count)[0])]
    stack = 4096 if space == "local" else 0
    function = Function(
        "k",
        b"".join(w.to_bytes(16, "little") for w in words),
        registers=32,
        barriers=1,
        frame=stack,
        min_stack=stack,
        params=[Param(0, 0, 8), Param(1, 8, 8)],
        param_bytes=16,
    )
    return write_cubin(Program("sm_90", [function]))


def measure(folder: Path, out: Path, rounds: int = 5) -> None:
    """Run both images on a GPU."""
    cuda, count = Cuda(0), sum(4 * row.lines for row in rows())
    at, memory = cuda.allocate(4 * count * 8), cuda.allocate(1 << 21)
    for space in SPACES:
        function = ctypes.c_void_p()
        module = cuda.load((folder / f"parts_{space}.cubin").read_bytes())
        cuda("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        for warps in (1, 2, 4, 8):
            found = []
            for _ in range(rounds):
                cuda.write(memory, bytes(1 << 21))
                held = [ctypes.c_uint64(at), ctypes.c_uint64(memory)]
                slots = (ctypes.c_void_p * 2)(*(ctypes.addressof(x) for x in held))
                shape = [ctypes.c_uint(n) for n in (1, 1, 1, 32 * warps, 1, 1, 0)]
                cuda("cuLaunchKernel", function, *shape, ctypes.c_void_p(None), slots, ctypes.c_void_p(None))
                cuda("cuCtxSynchronize")
                found.append(np.frombuffer(cuda.read(at, 4 * count * warps), np.uint32).reshape(warps, count))
            np.save(out / f"{space}_{warps}.npy", np.array(found))


def main() -> None:
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        measure(folder, Path(sys.argv[2]))
        return
    for space in SPACES:
        (folder / f"parts_{space}.cubin").write_bytes(cubin(space))


if __name__ == "__main__":
    main()
