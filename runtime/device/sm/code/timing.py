"""Which unit executes an instruction, how often it takes one, and when a waiter may go on: facts by mnemonic.

Source of the figures: hand-built SASS on an H200 (issue intervals, queue intervals with one and with all sub-cores
busy, issue to first issue of an instruction that waits on the write or the read barrier), 2026-11-20; the latencies of
atomics and bank conflicts are slopes of the H200 micro-benchmarks of the same day. Cycles; `shared` cycles of the unit
that the four sub-cores share.
"""

from __future__ import annotations

import attrs

from minicc.sass.instr import Instr, Mem
from runtime.device.sm.tables import kinds as K


@attrs.frozen
class Timing:
    """`queue` Q_NONE: fixed latency, issued into `pipe` every `interval` cycles, holding the issue port for `hold`.
    Otherwise a request enters the queue; the sub-core lets one go every `sub` cycles, the SM one every `shared`;
    `latency`/`release`: issue to first issue of a waiter on the write/read barrier; `arrive`: issue to value."""

    pipe: int = K.PIPE_NONE
    interval: int = 1
    hold: int = 1
    late: int = 0
    """How much later than its stall count says its warp goes on, if that is one that waits for its result."""
    queue: int = K.Q_NONE
    sub: float = 2
    shared: float = 1
    latency: int = 0
    release: int = 2
    arrive: int = 0
    counter: str = ""
    """ncu's name of the pipeline, for sm__inst_executed_pipe_*"""


def _fixed(pipe: int, interval: int, counter: str, hold: int = 1, late: int = 0) -> Timing:
    return Timing(pipe, interval, hold, late, counter=counter)


def _queued(queue: int, sub: float, shared: float, latency: int, release: int, arrive: int, counter: str) -> Timing:
    return Timing(queue=queue, sub=sub, shared=shared, latency=latency, release=release, arrive=arrive, counter=counter)


ALU = _fixed(K.PIPE_ALU, 2, "alu")
FMA = _fixed(K.PIPE_FMA, 2, "fma")
HEAVY = _fixed(K.PIPE_HEAVY, 2, "fmaheavy")
# H200: chains of 128 with a stall count of 6 (IMAD.HI) and 5 (IMAD.WIDE, then IADD3).
HIGH = _fixed(K.PIPE_HEAVY, 4, "fmaheavy", hold=3, late=3)
WIDE = _fixed(K.PIPE_HEAVY, 4, "fmaheavy", hold=3, late=2)
HALF = _fixed(K.PIPE_BOTH, 2, "fp16")
FP64 = _fixed(K.PIPE_FP64, 2, "fp64")
UNIFORM = _fixed(K.PIPE_UNIFORM, 2, "uniform")
UMOV = _fixed(K.PIPE_NONE, 1, "uniform")
BRANCH = _fixed(K.PIPE_NONE, 1, "cbu")
NOTHING = _fixed(K.PIPE_NONE, 1, "")
XU = _queued(K.Q_XU, 8, 0, 17, 14, 15, "xu")
XU64 = _queued(K.Q_XU, 9, 0, 19, 16, 17, "xu")

_TABLE: dict[str, Timing] = {}


def _put(names: str, row: Timing) -> None:
    for name in names.split():
        _TABLE[name] = row


_put(
    "IADD3 LOP3 SHF SEL LEA MOV ISETP FSETP FMNMX VIMNMX VIMNMX3 IMNMX PRMT FSEL IABS SGXT BMSK P2R R2P VOTE I2FP F2FP "
    "VABSDIFF VABSDIFF4 VIADDMNMX PLOP3 FSET CS2R HSETP2 HSET2 HMNMX2 VHMNMX I2IP F2IP ELECT LEPC FSWZADD CSMTEST",
    ALU,
)
_put("FFMA FADD FMUL", FMA)
_put("IMAD IDP VIADD", HEAVY)
_put("HADD2 HMUL2 HFMA2", HALF)
_put("DFMA DADD DMUL DSETP", FP64)
_put("UIADD3 UIMAD ULOP3 USHF ULEA USEL UPRMT UFLO UPOPC UP2UR UR2UP UISETP UPLOP3 UBREV UBMSK USGXT", UNIFORM)
_TABLE["R2UR"] = _fixed(K.PIPE_ALU, 2, "uniform")
_put("UMOV ULDC VOTEU", UMOV)
_put("BRA BRX BRXU JMP JMX JMXU CALL RET EXIT BSSY BSYNC BREAK WARPSYNC YIELD KILL BPT ENDCOLLECTIVE", BRANCH)
_put("NOP DEPBAR NANOSLEEP ERRBAR CGAERRBAR CCTL MEMBAR FENCE BAR", NOTHING)
_put("MUFU POPC FLO BREV I2F F2I F2F FRND I2I FCHK", XU)
_TABLE["S2R"] = _queued(K.Q_ADU, 2, 2, 23, 14, 23, "adu")
_TABLE["B2R"] = _queued(K.Q_ADU, 2, 2, 23, 14, 23, "adu")
_TABLE["BMOV"] = _queued(K.Q_ADU, 2, 2, 12, 8, 10, "cbu")
_TABLE["S2UR"] = _queued(K.Q_ADU, 3, 2, 35, 14, 33, "adu")
_TABLE["LDC"] = _queued(K.Q_ADU, 2, 2, 25, 9, 22, "adu")
_TABLE["REDUX"] = _queued(K.Q_ADU, 4, 2, 38, 10, 36, "adu")
_TABLE["MATCH"] = _queued(K.Q_ADU, 4, 2, 28, 10, 25, "adu")
_TABLE["SHFL"] = _queued(K.Q_LSU, 2, 1, 24, 9, 22, "lsu")
_TABLE["MOVM"] = _queued(K.Q_LSU, 2, 1, 24, 9, 22, "lsu")
_TABLE["QSPC"] = _queued(K.Q_LSU, 4, 1, 31, 10, 29, "lsu")
_TABLE["SYNCS"] = _queued(K.Q_LSU, 2, 1, 26, 8, 21, "lsu")
_TABLE["ARRIVES"] = _TABLE["STAS"] = _TABLE["REDAS"] = _TABLE["SYNCS"]
_put("TEX TXD TLD TLD4 TXQ SULD SUST", _queued(K.Q_LSU, 4, 4, 60, 12, 58, "tex"))
_TABLE["LDGDEPBAR"] = _queued(K.Q_ADU, 2, 1, 4, 4, 4, "lsu")

# By access: width in bytes -> row.
_LOADS_SHARED = {4: (23, 21), 8: (24, 23), 16: (26, 24)}
_LOADS_GLOBAL = {4: (31, 29), 8: (34, 32), 16: (38, 36)}
_STORES_SHARED: dict[int, tuple[int, float, int]] = {4: (4, 1, 11), 8: (6, 2, 13), 16: (10, 4, 17)}
_STORES_GLOBAL: dict[int, tuple[int, float, int]] = {4: (6, 2, 13), 8: (8, 3, 15), 16: (12, 5.25, 19)}
"""sub-core interval, cycles of the shared unit, read barrier"""

_DMMA = {"884": (16, 26), "1684": (16, 34), "1688": (32, 50)}


def _memory(instr: Instr, space: str, kind: str, width: int) -> Timing:
    width = max(width, 4)
    counter = "lsu"
    if space == "constant":
        indexed = _TABLE["LDC"]
        return indexed
    if space == "shared":
        if kind == "load":
            latency, arrive = _LOADS_SHARED[width]
            return _queued(K.Q_LSU, 2, width / 4, latency, 8, arrive, counter)
        if kind in ("store",):
            sub, shared, release = _STORES_SHARED[width]
            return _queued(K.Q_LSU, sub, shared, release + 2, release, release, counter)
        if kind in ("matrix_load", "matrix_store"):
            return _queued(K.Q_LSU, 2, 1, 24, 8, 21, counter)
        if "CAST" in instr.modifiers:
            shared, latency = (1, 32) if width == 4 else (2, 36)
            return _queued(K.Q_LSU, 2, shared, latency, 8, 25, counter)
        cas = "CAS" in instr.modifiers
        return _queued(K.Q_LSU, 2, 1, 30 if cas else 26, 8, 25 if cas else 21, counter)
    narrow = any(isinstance(o, Mem) and o.base is not None and "U32" in o.base.suffix for o in instr.operands)
    if kind == "load":
        latency, arrive = _LOADS_GLOBAL[width]
        return _queued(
            K.Q_LSU,
            2 if narrow or space == "local" else 4,
            4 / 3,  # H200: 0.749 a cycle, of one word or of 32.
            latency - 2 * narrow,
            8 if narrow else 10,
            arrive,
            counter,
        )
    if kind == "copy":
        return _queued(K.Q_LSU, 4, 1, 39, 12, 39, counter)
    if kind == "store":
        sub, shared, release = _STORES_GLOBAL[width]
        return _queued(K.Q_LSU, sub - 2 * narrow, shared, release + 2, release, release, counter)
    return _queued(K.Q_LSU, 6, 2, 31, 15, 31, counter)


def _tensor(instr: Instr) -> Timing:
    shape = next((m for m in instr.modifiers if m.isdigit()), "")
    if instr.mnemonic == "DMMA":
        interval, latency = _DMMA.get(shape, (16, 26))
        return Timing(K.PIPE_FP64, interval, latency=latency, arrive=latency - 1, release=10, counter="fp64")
    slow = shape in ("16816", "16832") or "TF32" in instr.modifiers
    if instr.mnemonic == "IMMA":
        slow = shape == "16832"
    return Timing(K.PIPE_FP64, 6 if slow else 4, counter="tensor_op_hmma")


def _warpgroup(instr: Instr) -> Timing:
    """`interval`: what its peak rate says (N / 2 cycles; 989 TFLOP/s of 16-bit operands on 132 SMs at 1830 MHz). Small
    shapes and the `latency` on top are estimates."""
    columns = next(int(m.split("x")[1]) for m in instr.modifiers if m.startswith("64x"))
    return Timing(interval=max(columns // 2, 16), latency=30, counter="tensor_op_gmma")


def timing(instr: Instr, space: str = "", kind: str = "", width: int = 4) -> Timing:
    """The row of an instruction; `space`, `kind`, `width` are those of its memory access, if it has one."""
    name, modifiers = instr.mnemonic, instr.modifiers
    if space and kind != "sync":
        return UMOV if name == "ULDC" else _memory(instr, space, kind, width)
    if name in ("HMMA", "IMMA", "DMMA", "BMMA"):
        return _tensor(instr)
    if name == "IMAD" and ("WIDE" in modifiers or "HI" in modifiers):
        return WIDE if "WIDE" in modifiers else HIGH
    if name == "HFMA2" and "MMA" in modifiers:
        return FP64
    if name == "HADD2" and "F32" in modifiers:
        return HALF
    if name in ("HGMMA", "QGMMA", "IGMMA", "BGMMA"):
        return _warpgroup(instr)
    row = _TABLE.get(name, NOTHING)
    if name == "I2F" and {"F64", "U64", "S64"} & set(modifiers):
        return XU64
    if row is XU and name in ("F2I", "F2F", "FRND") and "F64" in modifiers[-1:] + modifiers[:1] and name != "I2F":
        return XU64 if name != "F2F" or modifiers[-1:] == ("F64",) else XU
    return row
