"""Latency classes of machine instructions: what the scheduler, the control codes and the checker ask.

Class names are those of `minicc.arch` (`Latency.raw`), the class of each instruction is what its declaration says
(`minicc.sass.isa`); figures stay in the architecture's data. Here is what is the scheduler's alone: how long it hopes
a result takes, and the least stall counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from minicc.arch.schema import Arch, Latency
from minicc.ptxas.mir import GMMA, MInst, V, VConst, VMem
from minicc.ptxas.operands import BASE, ZERO, Components, reg_count
from minicc.record import evolve
from minicc.sass import declared
from minicc.sass.effects import result_class, slot_class
from minicc.sass.instr import Const, Imm, Instr, Mem, Reg

IN_ORDER = frozenset({"LDS", "LDSM"})
"""Loads in one queue with BAR: they have read when it is through, whoever stores then (NVIDIA's ptxas waits for none
of them there)."""


class Timing:
    """Class of one mnemonic with its modifiers.

    `pipe` names an `arch.pipes` entry. `result`/`uniform`/`predicate` are producer classes of register, uniform
    register and predicate results ("" for a variable-latency instruction). `reader` is the class as a reader of
    registers, `slots` that of the first, second and third register source where they differ, `address` of address
    registers, `preader` of predicate sources, `ureader` of uniform registers. `arrival` names the
    variable latency (see `Latency.arrival`); "" for fixed latency. `expect` is the latency in cycles that the
    scheduler hopes for. `flow`: changes control flow. `stall`: least stall count."""

    __match_args__ = (
        "pipe", "result", "uniform", "predicate", "reader", "slots", "address", "preader", "ureader", "arrival",
        "expect", "flow", "stall",
    )  # fmt: skip

    def __init__(
        self,
        pipe: str,
        result: str = "",
        uniform: str = "",
        predicate: str = "",
        reader: str = "alu",
        slots: tuple[str, ...] = (),
        address: str = "lds_addr",
        preader: str = "pred",
        ureader: str = "vector",
        arrival: str = "",
        expect: int = 0,
        flow: bool = False,
        stall: int = 1,
    ) -> None:
        self.pipe, self.result, self.uniform, self.predicate = pipe, result, uniform, predicate
        self.reader, self.slots, self.address, self.preader, self.ureader = reader, slots, address, preader, ureader
        self.arrival, self.expect, self.flow, self.stall = arrival, expect, flow, stall
        self.variable = arrival != ""
        """Whether results need a scoreboard and sources are read late."""
        rest = dict.fromkeys(("UR", "B", "SB"), ureader)
        self.readers = {"R": reader, "P": preader, "UP": preader, **rest}
        rest = dict.fromkeys(("R", "B", "SB"), result)
        self.results = {"P": predicate, "UP": predicate, "UR": uniform, **rest}
        """Reader and producer classes by register file."""


_FLOW = frozenset({
    "BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "EXIT", "RET", "CALL", "BSYNC", "WARPSYNC", "BREAK", "KILL", "YIELD",
    "NANOSLEEP", "BPT", "ENDCOLLECTIVE",
})  # fmt: skip
"""Behind them other lanes may be there than before, so nothing that lanes do together passes one."""
_COUNTED = frozenset({"MEMBAR", "FENCE", "LDGDEPBAR", "ARRIVES"})
"""They have no result, but are done only when memory says so."""
_HOPE = {
    "xu": 18, "xu64": 20, "s2r": 24, "s2ur": 35, "shfl": 24, "ldc": 26, "lds": 24, "atoms": 40, "match": 28,
    "redux": 38, "dmma": 34, "fp64": 20, "r2ur": 14,
}  # fmt: skip
"""Cycles until a result comes, by its class. Beyond L1 the figure is a hope: L2 is 270 cycles away (arch memory
table); 120 for a load makes loads go first."""
_HOPE_OF = {"LDSM": 33, "MOVM": 30, "LDL": 40, "LDG": 120, "LD": 120, "FENCE": 20}
_FAR = 200
# A stall below 5 was never seen in ptxas output after these and after what changes control flow (control.md, "Stall
# minimums"); that of warp-group instructions is ptxas's least, too. At BAR one warp was let through early at stall 1
# and 2 (h200_probes, "Issue"); 6 is what ptxas leaves.
_LEAST = {
    "NANOSLEEP": 5, "BMOV": 5, "BAR": 6, "MEMBAR": 6, "WARPGROUP": 6, **dict.fromkeys(GMMA, 4),
    # Its scoreboard counts it a cycle after issue (uarch.md, "Six dependence counters"), and a DEPBAR may follow.
    "LDGDEPBAR": 2,
    # Below 4 the next instruction is not held (uarch.md, "DEPBAR.LE"; seen on an H200, too).
    "DEPBAR": 4,
    # What nvcc leaves, in front of UCGABAR_ARV and of what reads memory. Four cycles after its arrival a warp comes
    # through a cluster's barrier that others have yet to reach; after six none did (an H200, tests/gpu/README.md).
    "CGAERRBAR": 8, "UCGABAR_ARV": 6, "CCTL.IVALL": 4,
}  # fmt: skip
_UNKNOWN = Timing("lsu", reader="xu", preader="guard", ureader="mem", arrival="ldg", expect=_FAR)


@cache
def timing(mnemonic: str, modifiers: tuple[str, ...], uncoupled: frozenset[str] = frozenset()) -> Timing:
    """The classes of an instruction; `uncoupled` is `Latency.uncoupled` of the machine. A mnemonic that is not declared
    counts as variable latency, so that its results are waited for."""
    known = declared(mnemonic, modifiers)
    if known is None:
        return _UNKNOWN
    flow = mnemonic in _FLOW
    found = Timing(
        known.pipe,
        reader=known.src,
        slots=tuple(slot_class(known, slot, modifiers) for slot in ("Ra", "Rb", "Rc")) if known.slots else (),
        address=known.addr,
        preader=known.psrc,
        ureader=known.usrc,
        flow=flow,
        stall=5 if flow else _LEAST.get(mnemonic) or _LEAST.get(".".join((mnemonic, *modifiers)), 1),
    )
    if mnemonic in GMMA:  # WARPGROUP.DEPBAR waits for the results
        return found
    variable = known.variable or known.out in uncoupled or known.uout in uncoupled
    if variable or known.late or mnemonic in _COUNTED:
        # Of a store no result comes: it is done when its sources have been read.
        arrival = "lds" if mnemonic == "STS" else "ldg"
        if variable:
            arrival = known.uout if known.uniform or not known.out else known.out
        hope = _HOPE_OF.get(mnemonic) or (_HOPE.get(arrival, _FAR) if variable else 1)
        return evolve(found, arrival=arrival, expect=hope)
    return evolve(
        found,
        result=result_class(known, mnemonic, modifiers, "R"),
        uniform=known.uout,
        predicate=known.pout,
    )


class Footprint:
    """What an instruction touches: (key, reader class) pairs read, (key, producer class) pairs written. Guards make a
    write partial. Keys as in `operands`."""

    def __init__(
        self, timing: Timing, reads: list[tuple[int, str]], writes: list[tuple[int, str]], guarded: bool
    ) -> None:
        self.timing, self.reads, self.writes, self.guarded = timing, reads, writes, guarded


def footprint(inst: MInst, components: Components) -> Footprint:
    """The footprint of a machine instruction, whether allocated or not."""
    info = timing(inst.mnemonic, inst.modifiers, components.uncoupled)
    reads: list[tuple[int, str]] = []
    start, slots, readers = components.start, info.slots, info.readers
    for position, operand in enumerate(inst.srcs):
        kind = type(operand)
        if kind is Imm:
            continue
        if kind is V:
            file, count = operand.reg.file, operand.count  # type: ignore[union-attr]
            cls = slots[position] if file == "R" and position < len(slots) else readers[file]
            first = start[operand.reg.id] + operand.part  # type: ignore[union-attr]
            reads.append((first, cls))
            for key in range(first + 1, first + count):
                reads.append((key, cls))
            if count == 2 and info.result == "wide" and position == 2:
                reads[-1] = (reads[-1][0], "wide_hi")
        elif kind is Reg:
            file, index = operand.file, operand.index  # type: ignore[union-attr]
            if file != "SR" and index != ZERO.get(file):
                cls = slots[position] if file == "R" and position < len(slots) else readers[file]
                reads.append((BASE[file] + index, cls))
        elif isinstance(operand, VMem | Mem | VConst | Const):
            for part in (operand.base, getattr(operand, "ureg", None), getattr(operand, "desc", None)):
                if part is None or (isinstance(part, Reg) and part.index == ZERO.get(part.file)):
                    continue
                file = part.file
                cls = info.address if file == "R" else info.ureader
                reads.extend([(key, cls) for key in components.keys(part)])
    guard = inst.guard
    guarded = True
    if isinstance(guard, V):
        reads.append((start[guard.reg.id], "guard"))
    elif guard.index != 7:
        reads.append((BASE[guard.file] + guard.index, "guard"))
    else:
        guarded = guard.inv
    writes: list[tuple[int, str]] = []
    for operand in inst.dsts:
        if type(operand) is V:
            file, count = operand.reg.file, operand.count
            first = start[operand.reg.id] + operand.part
        elif type(operand) is Reg and operand.index != ZERO.get(operand.file) and operand.file != "SR":
            file, count = operand.file, reg_count(operand)
            first = BASE[file] + operand.index
        else:
            continue
        cls = info.results[file]
        if count == 1:
            writes.append((first, cls))
        elif cls == "wide" and count == 2:
            # The low half is written two cycles before the high half (probes, rows "IMAD.WIDE low/high").
            writes += ((first, "wide_lo"), (first + 1, "wide"))
        else:
            writes += [(key, cls) for key in range(first, first + count)]
    for v in inst.implicit_reads:
        reads.extend((key, info.reader if v.reg.file == "R" else "guard") for key in components.keys(v))
    for v in inst.implicit_writes:
        writes.extend((key, "alu" if v.reg.file == "R" else "p_alu") for key in components.keys(v))
    return Footprint(info, reads, writes, guarded)


_NONE: Mapping[str, int] = {}


class Distances:
    """The arch's minimum distances, as look-ups that always answer: an unlisted reader gets the row's largest."""

    def __init__(self, arch: Arch) -> None:
        latency: Latency = arch.latency
        self._raw = {p: dict(row) for p, row in latency.raw.items()}
        self._most = {p: max(row.values()) for p, row in latency.raw.items()}
        self._waw = latency.waw
        self._war = latency.war
        self.setup = latency.barrier_setup
        self.longest = max(self._most.values())

    def raw(self, producer: str, reader: str) -> int:
        """Cycles from a fixed-latency producer to a reader of its result."""
        if not producer:
            return 1
        row = self._raw[producer]
        if reader == "wide_hi" and reader not in row:
            reader = "fma"
        return row.get(reader, self._most[producer])

    def landed(self, producer: str) -> int:
        """Cycles after which a fixed-latency result can be read by anything."""
        return self._most[producer] if producer else 1

    def waw(self, first: str, second: str) -> int:
        """Cycles from one fixed-latency writer to the next writer ("" is a variable-latency one)."""
        row = self._waw.get(first)
        if row is None:
            return 1
        if not second:
            return max(row.values())
        return row.get(second, 1)

    def war(self, reader: str, writer: str) -> int:
        """Cycles from a fixed-latency reader to a writer of what it read."""
        return self._war.get(reader, _NONE).get(writer, 1)


def of_instr(instr: Instr) -> Timing:
    """Timing of a finished instruction."""
    return timing(instr.mnemonic, instr.modifiers)


__all__ = ["Distances", "Footprint", "Timing", "footprint", "of_instr", "timing"]
