"""Timing classes: which pipe an instruction uses, when its results can be read, and how early its operands are read.

The names are the keys of `Latency.raw` and `Latency.arrival` of the machine descriptions (`minicc.arch`), where the
cycles are. Class membership comes from distances measured on an H200 and, for what was not measured, from what ptxas
13.0 writes (scoreboards and stall counts of its output).
"""

from __future__ import annotations

from minicc.record import NamedTuple


class Timing(NamedTuple):
    """`out`, `pout`, `uout`: producer class of GPR, predicate and uniform results. With `variable`, results come when
    they come and need a write barrier. `late`: registers are read after issue, so that overwriting them needs a read
    barrier. `src`, `psrc`, `usrc`: reader class of register, predicate and uniform sources; `addr`: of address
    registers; `slots`: reader classes of single slots that differ, by slot name."""

    pipe: str
    out: str = "alu"
    pout: str = "p_alu"
    uout: str = "ualu"
    src: str = "alu"
    psrc: str = "pred"
    usrc: str = "vector"
    addr: str = "ldg_addr"
    variable: bool = False
    late: bool = False
    uniform: bool = False
    """Runs in the uniform datapath: its guard is a uniform predicate."""
    slots: tuple[tuple[str, str], ...] = ()
    reuse: str = ""
    """Sources that may stay in the operand cache, for which nvdisasm knows `.reuse` (and often refuses words that have
    other flags)."""


ALU = Timing("alu", reuse="ABC")
CS2R = Timing("alu")
"""CS2R of 64 bits is class cs2r64: see `effects`."""
FMA = Timing("fma", out="fma", pout="p_fma", src="fma", psrc="pred_fma", reuse="ABC")
IMAD = Timing("fmaheavy", out="fma", pout="p_fma", src="fma", psrc="pred_fma", reuse="ABC")
WIDE = Timing("fmawide", out="wide", pout="p_fma", src="fma", psrc="pred_fma", reuse="ABC",
              slots=tuple((slot, "wide_in") for slot in ("A", "B", "Ra", "Rb")))  # fmt: skip
"""The factors are a reader class of their own: sm_80 reads a pair made just before later than the addend."""
HIGH = Timing("fmawide", out="fma", pout="p_fma", src="fma", psrc="pred_fma", reuse="ABC")
HALF = Timing("half", out="half", src="half", reuse="ABC")
HALF_F32 = Timing("half", out="fma", src="fma", reuse="ABC")
"""HADD2.F32: measured in the FMA class, as producer and as reader."""
HALF_MMA = Timing("fp64", out="half_mma", src="fp64", reuse="ABC")
FP64 = Timing("fp64", out="fp64", pout="p_fp64", src="fp64", psrc="pred_fma", reuse="ABC")
R2P = Timing("alu", pout="p_r2p", reuse="ABC")
CLMAD = Timing("fma", out="fma", src="fma", variable=True, reuse="ABC")
XU = Timing("xu", out="xu", src="xu", usrc="mem", variable=True, late=True)
XU64 = Timing("xu", out="xu64", src="xu", usrc="mem", variable=True, late=True)
MMA_SLOTS = (("Ra", "mma_a"), ("Rb", "mma_b"), ("Rc", "mma_c"))
MMA16816 = Timing("tensor", out="mma16816", src="mma_a", slots=MMA_SLOTS, reuse="AB")
MMA1688 = Timing("tensor", out="mma1688", src="mma_a", slots=MMA_SLOTS, reuse="AB")
DMMA = Timing("tensor", out="dmma", src="mma_a", slots=MMA_SLOTS, variable=True, late=True, reuse="AB")
GMMA = Timing("tensor", out="gmma", src="mma_a", usrc="mem", variable=True, late=True)

LDS = Timing("lsu", out="lds", src="xu", usrc="mem", addr="lds_addr", variable=True, late=True, psrc="guard")
LDG = Timing("lsu", out="ldg", src="xu", usrc="mem", addr="ldg_addr", variable=True, late=True, psrc="guard")
LDC = Timing("lsu", out="ldc", src="ldg_addr", usrc="mem", addr="xu", variable=True, late=True)
"""ptxas 13.0 leaves 4 cycles between MOV and the address of an LDC, and between IMAD and a REDUX."""
STS = Timing("lsu", src="xu", usrc="mem", addr="sts_addr", late=True, psrc="guard")
STG = Timing("lsu", src="xu", usrc="mem", addr="stg_addr", late=True, psrc="guard")
LDGSTS = Timing("lsu", src="xu", usrc="mem", addr="ldg_addr", late=True, psrc="guard")
ATOMS = Timing("lsu", out="atoms", src="xu", usrc="mem", addr="lds_addr", variable=True, late=True)
SYNCS = ATOMS._replace(addr="xu")
"""ptxas 13.0 leaves 4 cycles between IMAD and the address, less than LDS needs; how late it is read is not known."""
ATOMG = Timing("lsu", out="ldg", src="xu", usrc="mem", addr="ldg_addr", variable=True, late=True)
SHFL = Timing(
    "lsu", out="shfl", src="xu", usrc="mem", variable=True, late=True, slots=(("Rb", "sts_addr"), ("Rc", "sts_addr"))
)
MATCH = Timing("lsu", out="match", src="match", usrc="mem", variable=True, late=True)
REDUX = Timing("lsu", out="redux", uout="redux", src="xu", usrc="mem", variable=True, late=True)
S2R = Timing("adu", out="s2r", src="xu", variable=True)
S2UR = Timing("adu", uout="s2ur", variable=True, uniform=True)
BARRIER = Timing("adu", src="xu", usrc="mem", psrc="guard", late=True)
"""A number in a register is read late: nvcc always sets a read barrier there. Without one, the number of a next barrier
was read on an H200, with the count of the first (an illegal instruction)."""
B2R = Timing("adu", out="s2r", pout="p_alu", src="xu", usrc="mem", psrc="guard", variable=True)
SYSTEM = Timing("adu", src="xu", usrc="mem", psrc="guard")
BRANCH = Timing("cbu", src="xu", psrc="guard", usrc="branch")
BSSY = BRANCH._replace(out="bssy")
MOVE_B = Timing("cbu", out="s2r", src="xu", psrc="guard", usrc="branch", variable=True)
TEX = Timing("lsu", out="ldg", src="xu", usrc="mem", addr="xu", variable=True, late=True)
"""Loads of surfaces, too: ptxas 13.0 leaves 4 cycles between SHF and the address of a SULD."""
NONE = Timing("none")

R2UR = Timing("alu", uout="r2ur", src="ur", reuse="ABC")
VOTE = Timing("alu", psrc="guard")
ELECT = ALU._replace(uout="umov")
VOTEU = Timing("udp1", uout="umov", pout="up_vote", src="umov", psrc="guard", usrc="umov")
UALU = Timing("uniform", uout="ualu", pout="up_alu", usrc="uniform", psrc="pred", uniform=True)
UMOV = Timing("udp1", uout="umov", usrc="umov", uniform=True)
ULDC = Timing("udp1", uout="umov", usrc="uldc", uniform=True)
LDCU = Timing("lsu", uout="ldc", usrc="uldc", addr="uldc", variable=True, uniform=True)
UMEM = Timing("lsu", usrc="mem", addr="mem", psrc="branch", late=True, uniform=True)
"""TMA and bulk copies: no register result; uniform registers are read late."""
