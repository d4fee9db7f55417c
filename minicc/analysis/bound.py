"""What a kernel's code can reach at most: the cycles that each resource needs for one iteration of each loop.

The manner is that of the project's document on SGEMM upper bounds (seed 002, section 4): assume that no access
conflicts, every address is coalesced and every latency is hidden, and count what is left: issue slots, the pipes that
the instruction mix needs, register reads, the load/store unit that the four sub-cores share, and bytes. The tightest of
them bounds the loop; the share of multiply-adds in it bounds the kernel's share of the arithmetic peak. Input: machine
code; nothing is run.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from minicc.analysis.access import access_of
from minicc.analysis.banks import banks
from minicc.analysis.mix import SIZE, instructions
from minicc.arch.schema import Arch
from minicc.sass import effects
from minicc.sass.instr import Instr, Target

FLOPS = {"FADD": 1, "FMUL": 1, "FFMA": 2, "DADD": 1, "DMUL": 1, "DFMA": 2, "HADD2": 2, "HMUL2": 2, "HFMA2": 4}
"""Floating-point operations of a lane."""
MATRIX = {"16816": 4096, "1688": 2048, "16832": 8192, "884": 512, "1684": 1024}
"""Of a warp, by the shape in the mnemonic."""
DOUBLE, HALF = ("DADD", "DMUL", "DFMA"), ("HADD2", "HMUL2", "HFMA2")


@attrs.frozen
class Loop:
    """A stretch of code, `first` to `last` (byte offsets), run once by a warp. `cycles`: of a sub-core, by resource.
    `alone`: cycles that one warp takes by its stall counts. Bytes are those of a warp, if every lane's are needed."""

    first: int
    last: int
    count: int
    opcodes: dict[str, int]
    cycles: dict[str, float]
    flops: dict[str, float]
    alone: int
    global_bytes: int
    shared_bytes: int

    @property
    def tightest(self) -> tuple[str, float]:
        """The resource that bounds it, bytes apart, and its cycles."""
        inside = {name: c for name, c in self.cycles.items() if not name.endswith("no cache")}
        return max(inside.items(), key=lambda item: (item[1], item[0]))

    @property
    def warps(self) -> float:
        """Warps of a scheduler that hide the stall counts."""
        return self.alone / max(self.tightest[1], 1)

    def peak_share(self, arch: Arch) -> dict[str, float]:
        """Fraction of the arithmetic peak at the bound, by precision."""
        return {name: done / self.tightest[1] / peak(arch)[name] for name, done in self.flops.items() if done}


def peak(arch: Arch) -> dict[str, float]:
    """Floating-point operations a cycle of one sub-core."""
    return {
        "fp32": 64 / arch.pipes["fma"].interval,
        "fp64": 64 / arch.pipes["fp64"].interval,
        "fp16": 128 / arch.pipes["half"].interval,
        "tensor": 4096 / arch.pipes["tensor"].interval,
    }


def _target(instr: Instr) -> int | None:
    place = next((op for op in instr.operands if isinstance(op, Target)), None)
    return place.address if place is not None else None


def spans(listing: Sequence[Instr]) -> list[tuple[int, int]]:
    """(first, last) instruction of every loop: the stretches that backward branches jump over, innermost first. Without
    one, all of the code."""
    found = []
    for i, instr in enumerate(listing):
        target = _target(instr) if instr.mnemonic in ("BRA", "JMP") else None
        if target is not None and target <= SIZE * i:
            found.append((target // SIZE, i))
    merged: dict[int, int] = {}
    for first, last in found:
        merged[first] = max(merged.get(first, 0), last)
    loops = sorted(merged.items(), key=lambda span: (span[1] - span[0], span[0]))
    return loops or [(0, len(listing) - 1)]


def _precision(instr: Instr) -> tuple[str, float]:
    name = instr.mnemonic
    if name in ("HMMA", "IMMA", "DMMA"):
        return "tensor", next((float(MATRIX[m]) for m in instr.modifiers if m in MATRIX), 0.0)
    done = 32.0 * FLOPS.get(name, 0)
    return "fp64" if name in DOUBLE else "fp16" if name in HALF else "fp32", done


def loop(code: bytes, listing: Sequence[Instr], first: int, last: int, arch: Arch) -> Loop:
    """Account for instructions `first` to `last`."""
    body = listing[first : last + 1]
    cycles: dict[str, float] = {"issue slots": float(len(body))}
    opcodes: dict[str, int] = {}
    flops: dict[str, float] = {}
    passes = 0.0
    bytes_ = {"global": 0, "shared": 0}
    for instr in body:
        opcodes[instr.mnemonic] = opcodes.get(instr.mnemonic, 0) + 1
        precision, done = _precision(instr)
        flops[precision] = flops.get(precision, 0.0) + done
        space, _, width = access_of(instr)
        if space in ("global", "generic", "shared", "local"):
            passes += max(width / 4, 1.0)
            bytes_["shared" if space == "shared" else "global"] += 32 * width
            continue
        pipe = effects(instr, arch).pipe
        pipe = {"fmawide": "fmaheavy"}.get(pipe, pipe)
        if pipe in arch.pipes and pipe not in ("none", "cbu", "udp1"):
            interval = arch.pipes[effects(instr, arch).pipe].interval
            name = "pipe fma" if pipe == "fma" else f"pipe {pipe}"
            cycles[name] = cycles.get(name, 0.0) + interval
    if "pipe fmaheavy" in cycles:
        # IMAD goes to one half of the pipe, FFMA to either: both halves together do an FFMA a cycle.
        cycles["pipe fma"] = cycles.get("pipe fma", 0.0) + cycles["pipe fmaheavy"] / 2
    if passes:
        cycles["load/store unit"] = arch.sub_cores * passes
    reads = banks(code[SIZE * first : SIZE * (last + 1)], arch)
    if reads.reads:
        cycles["register reads"] = reads.reads / arch.core.register_banks
    share = arch.sm_count * arch.sub_cores
    if bytes_["global"]:
        cycles["L2 bandwidth, no cache"] = bytes_["global"] * share / arch.memory.l2_bandwidth
        cycles["DRAM bandwidth, no cache"] = bytes_["global"] * share / arch.memory.dram_bandwidth
    alone = sum(max(instr.control.stall, 1) for instr in body)
    ordered = dict(sorted(opcodes.items(), key=lambda item: (-item[1], item[0])))
    ends = (SIZE * first, SIZE * last, len(body))
    return Loop(*ends, ordered, cycles, flops, alone, bytes_["global"], bytes_["shared"])


def bounds(code: bytes, arch: Arch) -> list[Loop]:
    """Every loop of one function, innermost first; all of the code if it has none."""
    listing = instructions(code, arch)
    return [loop(code, listing, first, last, arch) for first, last in spans(listing)]
