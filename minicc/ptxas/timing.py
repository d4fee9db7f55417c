"""Latency classes of machine instructions: what the scheduler, the control codes and the checker ask.

Class names are those of `minicc.arch` (`Latency.raw`); figures stay in the architecture's data. The grouping of
mnemonics into classes was measured on an H200 (h200_probes, "Minimum safe distance": its row and column headings).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import attrs

from minicc.arch.schema import Arch, Latency
from minicc.ptxas.mir import GMMA, MInst, V, VConst, VMem
from minicc.ptxas.operands import BASE, ZERO, Components, reg_count
from minicc.sass.instr import Const, Instr, Mem, Reg


@attrs.frozen(repr=False)
class Timing:
    """Class of one mnemonic with its modifiers.

    `pipe` names an `arch.pipes` entry. `result`/`predicate` are producer classes of register and predicate results
    ("" for a variable-latency instruction). `reader` is the class as a reader of registers, `address` as a reader of
    address registers, `preader` as a reader of predicate sources, `ureader` of uniform registers. `arrival` names the
    variable latency (see `Latency.arrival`); "" for fixed latency. `expect` is the latency in cycles that the
    scheduler hopes for. `flow`: changes control flow. `stall`: least stall count."""

    pipe: str
    result: str = ""
    predicate: str = "p_alu"
    reader: str = "alu"
    address: str = "lds_addr"
    preader: str = "pred"
    ureader: str = "vector"
    arrival: str = ""
    expect: int = 0
    flow: bool = False
    stall: int = 1

    @property
    def variable(self) -> bool:
        """Whether results need a scoreboard and sources are read late."""
        return self.arrival != ""


def _spread(timing: Timing, words: str) -> dict[str, Timing]:
    return dict.fromkeys(words.split(), timing)


def _late(pipe: str, arrival: str, expect: int, **more: object) -> Timing:
    base = Timing(pipe, "", "", "xu", preader="guard", ureader="mem", arrival=arrival, expect=expect)
    return attrs.evolve(base, **more)  # type: ignore[arg-type]


_ALU = Timing("alu", "alu")
_FMA = Timing("fma", "fma", reader="fma")
_HALF = Timing("half", "half", reader="half")
_FP64 = Timing("fp64", "fp64", "p_fp64", "fp64", preader="pred_fma")
_UALU = Timing("uniform", "ualu", "up_alu", "ur", ureader="uniform")
_UMOV = Timing("udp1", "umov", "up_vote", "ur", ureader="umov", preader="guard")
_XU = _late("xu", "xu", 18)
_FLOW = Timing("cbu", "alu", reader="mma_a", preader="guard", ureader="branch", flow=True, stall=5)
_SYNC = Timing("adu", "alu", reader="mma_a", preader="guard", ureader="mem")

_TABLE: dict[str, Timing] = {
    **_spread(
        _ALU,
        "IADD3 LOP3 SHF SEL LEA MOV ISETP FSETP FMNMX VIMNMX VIMNMX3 PRMT FSEL IABS SGXT BMSK P2R I2FP F2FP "
        "F2IP VABSDIFF HSET2 HSETP2 HMNMX2 "
        "VABSDIFF4 VIADDMNMX PLOP3 FSET FSWZADD I2IP I2I LEPC IMNMX VHMNMX CLMAD RPCMOV",
    ),
    "R2P": Timing("alu", "alu", "p_r2p"),
    "VOTE": Timing("alu", "alu", preader="guard"),
    **_spread(_FMA, "FFMA FADD FMUL IDP"),
    # VIADD is timed as IMAD (h200_probes: FMA row).
    **_spread(Timing("fmaheavy", "fma", reader="fma", preader="pred_fma"), "IMAD VIADD"),
    **_spread(_HALF, "HADD2 HMUL2 HFMA2"),
    **_spread(_FP64, "DADD DMUL DFMA DSETP"),
    "CS2R": Timing("alu", "cs2r64"),
    **_spread(_XU, "MUFU POPC FLO BREV I2F F2I F2F FRND FCHK"),
    **_spread(_UALU, "UIADD3 UIMAD ULOP3 USHF ULEA USEL UPRMT UFLO UPOPC UISETP UPLOP3 USGXT UBMSK UBREV UP2UR "
    "UR2UP ULEPC"),
    **_spread(_UMOV, "UMOV VOTEU"),
    "ULDC": Timing("udp1", "umov", "up_vote", "ur", ureader="uldc", preader="guard"),
    "R2UR": Timing("uniform", "r2ur", "up_alu", "ur", preader="guard"),
    **_spread(Timing("tensor", "mma16816", reader="mma_a", preader="guard", ureader="mem"), "HMMA IMMA BMMA"),
    "DMMA": _late("tensor", "dmma", 34, reader="mma_a"),
    # Results are waited for by WARPGROUP.DEPBAR; the stalls are ptxas's least ones.
    **dict.fromkeys(GMMA, Timing("tensor", "", reader="mma_a", preader="guard", ureader="gmma", stall=4)),
    "WARPGROUP": attrs.evolve(_SYNC, stall=6),
    "S2R": _late("adu", "s2r", 24),
    "S2UR": _late("adu", "s2ur", 35),
    "B2R": _late("adu", "s2r", 24),
    "SHFL": _late("lsu", "shfl", 24),
    "LDC": _late("lsu", "ldc", 26, address="ldg_addr"),
    "LDS": _late("lsu", "lds", 24),
    "LDSM": _late("lsu", "lds", 33),
    "MOVM": _late("lsu", "lds", 30, reader="mma_a"),
    "ATOMS": _late("lsu", "atoms", 40),
    "MATCH": _late("lsu", "match", 28, reader="ldg_addr"),
    "REDUX": _late("lsu", "redux", 38),
    # Beyond L1 the figure is a hope: L2 is 270 cycles away (arch memory table); 120 makes loads go first.
    "LDG": _late("lsu", "ldg", 120, address="ldg_addr"),
    "LD": _late("lsu", "ldg", 120, address="ldg_addr"),
    "LDL": _late("lsu", "ldg", 40, address="ldg_addr"),
    **_spread(_late("lsu", "ldg", 200, address="ldg_addr"), "ATOM ATOMG TEX TLD TLD4 TXD TXQ TMML SULD SUATOM QSPC"),
    "STS": _late("lsu", "lds", 1, address="sts_addr"),
    **_spread(_late("lsu", "ldg", 1, address="stg_addr"), "STG ST STL REDG RED REDAS SUST SURED STSM STAS CCTL "
    "CCTLL CCTLT"),
    **_spread(_late("lsu", "ldg", 1), "LDGSTS SYNCS UBLKCP UBLKPF UBLKRED UTMALDG UTMASTG UTMAPF "
    "UTMAREDG UTMACCTL UTMACMDFLUSH"),
    **_spread(_FLOW, "BRA BRX BRXU JMP JMX JMXU EXIT RET CALL BSYNC WARPSYNC BREAK KILL YIELD"),
    # A stall below 5 after these was never seen in ptxas output (control.md, "Stall minimums").
    "NANOSLEEP": attrs.evolve(_SYNC, stall=5),
    "BSSY": Timing("cbu", "alu", preader="guard"),
    # One warp was let through early at stall 1 and 2 (h200_probes, "Issue"); 6 is what ptxas leaves.
    "BAR": attrs.evolve(_SYNC, stall=6),
    "MEMBAR": _late("lsu", "ldg", 1, stall=6),
    "FENCE": _late("lsu", "ldg", 20),
    "ERRBAR": attrs.evolve(_SYNC, stall=1),
    "CGAERRBAR": attrs.evolve(_SYNC, stall=6),
    # Its scoreboard counts it a cycle after issue (uarch.md, "Six dependence counters"), and a DEPBAR may follow.
    "LDGDEPBAR": _late("lsu", "ldg", 1, stall=2),
    # Below 4 the next instruction is not held (uarch.md, "DEPBAR.LE"; seen on an H200, too).
    "DEPBAR": attrs.evolve(_SYNC, stall=4),
    "BPT": _FLOW,
    "NOP": Timing("none"),
    "BMOV": _late("adu", "s2r", 24, stall=5),
    "ELECT": Timing("alu", "alu", reader="mma_a", preader="guard", ureader="mem"),
}  # fmt: skip

_UNKNOWN = _late("lsu", "ldg", 200)
_SOURCE_ROLES = {"HMMA": ("mma_a", "mma_b", "mma_c"), "IMMA": ("mma_a", "mma_b", "mma_c")}


@cache
def timing(mnemonic: str, modifiers: tuple[str, ...]) -> Timing:
    """The classes of an instruction. A mnemonic that is not in the table counts as variable latency, so that its
    results are waited for."""
    found = _TABLE.get(mnemonic, _UNKNOWN)
    if mnemonic == "IMAD":
        if "WIDE" in modifiers:
            return attrs.evolve(found, pipe="fmawide", result="wide")
        if "HI" in modifiers:
            return attrs.evolve(found, pipe="fmawide")
    elif mnemonic in ("HFMA2", "HADD2"):
        if "MMA" in modifiers:
            return attrs.evolve(found, pipe="fp64", result="fp64", reader="fp64")
        if "F32" in modifiers and mnemonic == "HADD2":
            return _FMA
    elif mnemonic == "CS2R" and "32" in modifiers:
        return attrs.evolve(found, result="alu")
    elif mnemonic in ("HMMA", "IMMA"):
        small = any(m in ("1688", "8816", "8832") for m in modifiers) and "TF32" not in modifiers
        return attrs.evolve(found, result="mma1688" if small else "mma16816")
    elif mnemonic in ("F2I", "F2F") and "F64" in modifiers:
        return attrs.evolve(found, arrival="xu64", expect=20)
    return found


@attrs.define(eq=False, repr=False)
class Footprint:
    """What an instruction touches: (key, reader class) pairs read, (key, producer class) pairs written. Guards make a
    write partial. Keys as in `operands`."""

    timing: Timing
    reads: list[tuple[int, str]]
    writes: list[tuple[int, str]]
    guarded: bool


def _reader(timing: Timing, file: str, mnemonic: str, position: int, modifiers: tuple[str, ...]) -> str:
    """Reader class of the `position`-th source operand."""
    if file == "R":
        roles = _SOURCE_ROLES.get(mnemonic)
        if roles is not None and position < 3:
            # The accumulator of the 1688 shapes is read as early as B (probes, column "B, 1688 C").
            return "mma_b" if position == 2 and timing.result == "mma1688" else roles[position]
        if mnemonic == "SHFL" and position > 0:
            return "sts_addr"
        return timing.reader
    if file in ("P", "UP"):
        return timing.preader
    return timing.ureader


def footprint(inst: MInst, components: Components) -> Footprint:
    """The footprint of a machine instruction, whether allocated or not."""
    mnemonic = inst.mnemonic
    info = timing(mnemonic, inst.modifiers)
    reads: list[tuple[int, str]] = []
    start = components.start
    usual = mnemonic not in _SOURCE_ROLES and mnemonic != "SHFL"
    position = 0
    for operand in inst.srcs:
        if type(operand) is V:
            kind = operand.reg.file
            cls = info.reader if usual and kind == "R" else _reader(info, kind, mnemonic, position, inst.modifiers)
            first = start[operand.reg.id] + operand.part
            reads.append((first, cls))
            for key in range(first + 1, first + operand.count):
                reads.append((key, cls))
            if operand.count == 2 and info.result == "wide" and position == 2:
                reads[-1] = (reads[-1][0], "wide_hi")
        elif type(operand) is Reg:
            if operand.file != "SR" and operand.index != ZERO.get(operand.file):
                first = BASE[operand.file] + operand.index
                reads.append((first, _reader(info, operand.file, mnemonic, position, inst.modifiers)))
        elif isinstance(operand, VMem | Mem):
            for part in (operand.base, operand.ureg, operand.desc):
                if part is None or (isinstance(part, Reg) and part.index == ZERO.get(part.file)):
                    continue
                file = part.reg.file if isinstance(part, V) else part.file
                cls = info.address if file == "R" else info.ureader
                for key in components.keys(part):
                    reads.append((key, cls))
        elif isinstance(operand, VConst | Const):
            for part in (operand.base, getattr(operand, "ureg", None)):
                if part is None or (isinstance(part, Reg) and part.index == ZERO.get(part.file)):
                    continue
                file = part.reg.file if isinstance(part, V) else part.file
                for key in components.keys(part):
                    reads.append((key, info.address if file == "R" else info.ureader))
        position += 1
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
            file = operand.reg.file
            first, count = start[operand.reg.id] + operand.part, operand.count
            if count == 1:
                writes.append((first, info.predicate if file in ("P", "UP") else info.result))
                continue
        elif type(operand) is Reg and operand.index != ZERO.get(operand.file) and operand.file != "SR":
            file, first, count = operand.file, BASE[operand.file] + operand.index, reg_count(operand)
        else:
            continue
        writes.extend(_results(info, file, first, count))
    for v in inst.implicit_reads:
        reads.extend((key, info.reader if v.reg.file == "R" else "guard") for key in components.keys(v))
    for v in inst.implicit_writes:
        writes.extend((key, "alu" if v.reg.file == "R" else "p_alu") for key in components.keys(v))
    return Footprint(info, reads, writes, guarded)


def _results(info: Timing, file: str, first: int, count: int) -> Iterable[tuple[int, str]]:
    cls = info.predicate if file in ("P", "UP") else info.result
    if cls == "wide" and count == 2:
        # The low half is written two cycles before the high half (probes, rows "IMAD.WIDE low/high").
        return ((first, "wide_lo"), (first + 1, "wide"))
    return ((key, cls) for key in range(first, first + count))


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
        if writer == "umov" and reader in ("uniform", "uldc"):  # nvcc lets a UMOV follow a UMOV at once
            return max((row.get("umov", 1) for row in self._war.values()), default=1)
        return 1


def of_instr(instr: Instr) -> Timing:
    """Timing of a finished instruction."""
    return timing(instr.mnemonic, instr.modifiers)


__all__ = ["Distances", "Footprint", "Timing", "footprint", "of_instr", "timing"]
