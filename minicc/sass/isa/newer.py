"""Instructions of sm_100 and sm_120: what differs from sm_90, as far as it was seen in ptxas output.

Uniform registers have eight bits there, so selectors of address forms moved; constant operands of the ALU are gone, and
LDCU loads constants into uniform registers; carry-outs that are PT are printed.
"""

from __future__ import annotations

from minicc.sass.isa.atomics import CAS_TYPE, COMMON, FLOAT, INTEGER, REDUCTION, SHARED, TYPE
from minicc.sass.isa.floating import FLUSH
from minicc.sass.isa.floating import SET as FLOAT_SET
from minicc.sass.isa.integer import NO_CARRY, VMM
from minicc.sass.isa.memory import COPY, COPY_MODS
from minicc.sass.isa.notation import BOOL, CMP, EVICT, FTZ, LOAD_SCOPE, ROUND, SAT, SCOPE, SIGN, Row, op
from minicc.sass.isa.surface import BA, CLAMP, DIM, SIZE
from minicc.sass.isa.texture import AOFFI, GATHER_DIM, HALF, LOAD_DIM, NODEP, SCR
from minicc.sass.isa.texture import DIM as TEX_DIM
from minicc.sass.isa.timing import (
    ALU,
    ATOMG,
    ATOMS,
    IMAD,
    LDCU,
    LDG,
    LDGSTS,
    MMA16816,
    REDUX,
    STG,
    SYSTEM,
    TEX,
    UALU,
    UMOV,
    Timing,
)

BOTH = "sm_100 sm_120"
SHORT = COMMON | {"off": "40..62 int"}
COPY100 = COPY | {"prefetch": "72..73: - LTC64B LTC128B LTC256B", "size": "74..75: - 64 128 ?"}
TYPE64 = "73,80: U32 - U64 S64"


def atomic(mnemonic: str, opcode: int, selector: int, **fields: str) -> tuple[Row, ...]:
    """Address forms with descriptor or uniform addend: bit 63 is the 64-bit register, `selector` the descriptor."""
    mods, after = "{e}{op}{evict}{type}{scope}", ", Rb:type"
    long = mods.replace("{e}", ".E")
    return (
        op(mnemonic, opcode, f"{long} Pd, Rd:type, desc[URc:2][Ra.64:2+#off]{after}", ATOMG,
           when=f"91=1 72=1 63=1 {selector}=1", on=BOTH, **fields),
        op(mnemonic, opcode, f"{long} Pd, Rd:type, [Ra.64:2+URc+#off]{after}", ATOMG,
           when=f"91=1 72=1 63=1 {selector}=0", on=BOTH, **fields),
        op(mnemonic, opcode, f"{mods} Pd, Rd:type, [Ra.U32+URc:2+#off]{after}", ATOMG, when=f"91=1 63=0 {selector}=0",
           on=BOTH, **fields),
    )  # fmt: skip


def reduction(opcode: int, **fields: str) -> tuple[Row, ...]:
    """REDG: bit 90 is the 64-bit register, bit 81 the descriptor."""
    mods, after, timing = "{e}{op}{evict}{type}{scope}", ", Rb:type", STG
    long = mods.replace("{e}", ".E")
    return (
        op(
            "REDG",
            opcode,
            f"{long} desc[URc:2][Ra.64:2+#off]{after}",
            timing,
            when="91=1 72=1 90=1 81=1",
            on=BOTH,
            **fields,
        ),
        op("REDG", opcode, f"{long} [Ra.64:2+URc+#off]{after}", timing, when="91=1 72=1 90=1 81=0", on=BOTH, **fields),
        op("REDG", opcode, f"{mods} [Ra.U32+URc:2+#off]{after}", timing, when="91=1 90=0 81=0", on=BOTH, **fields),
    )


def sampled(mnemonic: str, opcode: int, mods: str, dim: str, hidden: str = "", **fields: str) -> tuple[Row, ...]:
    """A texture fetch whose header is in uniform registers, without slot number."""
    return (
        op(mnemonic, opcode, f"{mods} Pd?, Rf, Rd, Ra, Rb?, URe:2, {{dim}}, #mask?=15", TEX, when="91=1", on=BOTH,
           hidden=f"slot=48..55=255 {hidden}", dim=dim, mask="72..75", evict=EVICT, half=HALF, aoffi=AOFFI, nodep=NODEP,
           scr=SCR, **fields),
    )  # fmt: skip


def surface(mnemonic: str, opcode: int, before: str, after: str, timing: Timing, scope: str) -> Row:
    """A surface access whose header is in a uniform register, without slot number."""
    mods = ".D{ba}{dim}{evict}{size}{scope}{clamp}"
    return op(mnemonic, opcode, f"{mods} {before}[Ra]{after}, URe", timing, when="91=1", on=BOTH,
              hidden="slot=48..55=255",
              ba=BA, dim=DIM, evict=EVICT, size=SIZE, scope=scope, clamp=CLAMP)  # fmt: skip


MINMAX = {"type": VMM, "relu": "76: - RELU"}

ROWS = (
    op("IADD3", 0x010, " Rd, Pd, Pe, -A, -B, -C", ALU, "B", when="74=0", hidden=NO_CARRY, on=BOTH),
    op("IADD3", 0x010, ".X Rd, Pd, Pe, ~A, ~B, ~C, !Ps, !Pt", ALU, "B", when="74=1", on=BOTH),
    op("UIADD3", 0x090, " URd, UPd, UPe, -UA, -UB, -UC", UALU, "14", when="74=0 91=1", hidden=NO_CARRY, on=BOTH),
    op("UIADD3", 0x090, ".X URd, UPd, UPe, ~UA, ~UB, ~UC, !UPs, !UPt", UALU, "14", when="74=1 91=1", on=BOTH),
    op("UIADD3", 0x097, ".64 URd:2, UPd, UPe, -UA:2, -UB:2, -UC:2", UALU, "14", when="74=0 91=1", hidden=NO_CARRY,
       on=BOTH),
    op("UIADD3", 0x097, ".64.X URd:2, UPd, UPe, ~UA:2, ~UB:2, ~UC:2, !UPs, !UPt", UALU, "14", when="74=1 91=1",
       on=BOTH),
    op("ISETP", 0x00C, "{cmp}{sign}{bool} Pd, Pe, A, B, !Ps", ALU, "B", when="72=0", on="sm_120", hidden="low=68..71=7",
       cmp=CMP, sign=TYPE64, bool=BOOL),
    op("UISETP", 0x08C, "{cmp}{sign}{bool} UPd, UPe, UA:size, UB:size, !UPs", UALU, "14", when="72=0 91=1", on="sm_120",
       hidden="low=68..71=7", cmp=CMP, sign=TYPE64, bool=BOOL),
    op("UIMAD", 0x0A6, ".HI{sign} URd, UPd?, UA, UB, -UC", UALU, "14", when="74=0 91=1", on="sm_120",
       hidden="carry=87..90=15", sign=SIGN),
    op("VIMNMX", 0x048, "{type}{relu} Rd, Pd, Pe, A, B, !Ps", ALU, "B", on="sm_100", **MINMAX),
    op("VIMNMX", 0x048, "{type}{relu} Rd, Pd?, Pe?, A, B, !Ps", ALU, "B", on="sm_120",
       type="72..74: U32 S32 U16x2 S16x2 U8x4 S8x4 ? ?", relu="76: - RELU"),
    op("VIADD", 0x036, "{two} Rd, A, -B", IMAD, "B", imm="uint", on="sm_120", two="73..75: 32* 16x2 ? ? U8x4 ? ? ?"),
    op("IADD", 0x035, " Rd, Pd?, -A, -B", ALU, "B", on="sm_120", when="73..74=0", hidden="carry=87..90=15"),
    op("IADD", 0x035, ".X Rd, Pd?, ~A, ~B, !Ps", ALU, "B", on="sm_120", when="73..74=2"),
    op("IADD", 0x035, ".64 Rd:2, Pd?, -A:2, -B:2", ALU, "B", on="sm_120", when="73..74=1", hidden="carry=87..90=15"),
    op("IADD", 0x035, ".64.X Rd:2, Pd?, ~A:2, ~B:2, !Ps", ALU, "B", on="sm_120", when="73..74=3"),
    op("UFMUL", 0x056, "{ftz}{round}{sat} URd, -|UA|, -|UB|", UALU, "14", imm="f32", when="91=1", on="sm_120",
       hidden="scale=84..86=4", ftz=FLUSH, round=ROUND, sat=SAT),
    op("UFFMA", 0x055, "{ftz}{round}{sat} URd, -|UA|, -|UB|, -|UC|", UALU, "124", imm="f32", when="91=1", on="sm_120",
       ftz=FLUSH, round=ROUND, sat=SAT),
    op("UFADD", 0x054, "{ftz}{round}{sat} URd, -|UA|, -|UC|", UALU, "12", imm="f32", when="91=1", on="sm_120", ftz=FTZ,
       round=ROUND, sat=SAT),
    op("UFSEL", 0x051, "{ftz} URd, -|UA|, -|UB|, !UPs", UALU, "14", imm="f32", when="91=1", on="sm_120", ftz=FTZ),
    op("UFSETP", 0x053, "{cmp}{ftz}{bool} UPd, UPe, -|UA|, -|UB|, !UPs", UALU, "14", imm="f32", when="91=1",
       on="sm_120", **FLOAT_SET),
    op("UI2F", 0x05A, ".U32{round} URd, UB", UALU, "14", imm="uint", when="74=0 91=1", on="sm_120",
       hidden="to=75..77=2 from=84..85=2", round=ROUND),
    op("UI2F", 0x05A, "{round} URd, UB", UALU, "14", when="74=1 91=1", on="sm_120",
       hidden="to=75..77=2 from=84..85=2", round=ROUND),
    op("UI2FP", 0x05E, ".F32.U32{round} URd, UB", UALU, "14", imm="uint", when="74=0 91=1", on="sm_120",
       hidden="to=75..77=2 from=84..85=2", round="78..79: - ? ? RZ"),
    op("UI2FP", 0x05E, ".F32.S32{round} URd, UB", UALU, "14", when="74=1 91=1", on="sm_120",
       hidden="to=75..77=2 from=84..85=2", round="78..79: - ? ? RZ"),
    op("SEL", 0x407, ".64 Rd:2, Ra:2, #value, !Ps", ALU, on="sm_120", value="32..64 int"),
    op("SEL", 0x607, ".64 Rd:2, Ra:2, Rb:2, !Ps", ALU, on="sm_120"),
    op("SEL", 0xE07, ".64 Rd:2, Ra:2, URb:2, !Ps", ALU, when="91=1", on="sm_120"),
    op("USEL", 0x487, ".64 URd:2, URa:2, #value, !UPs", UALU, when="91=1", on="sm_120", value="32..64 int"),
    op("USEL", 0xC87, ".64 URd:2, URa:2, URb:2, !UPs", UALU, when="91=1", on="sm_120"),
    op("CS2UR", 0x8CB, "{width} URd:cs2r, SRa", UALU, on="sm_120", width="80: 32 -*"),
    op("FMNMX3", 0x076, "{ftz}{nan} Rd, -|A|, -|B|, -|C|, !Ps", ALU, "B", imm="f32", on=BOTH, ftz=FTZ, nan="81: - NAN"),
    op("IMNMX", 0x017, "{type} Pd, Pe, Rd:2, A:2, B:2, !Ps, !Pt", ALU, "146", on="sm_120", type="73..74: ? ? U64 S64"),
    op("UIMNMX", 0x085, "{type} UPd, UPe, URd:2, UA:2, UB:2, !UPs, !UPt", UALU, "14", when="91=1",
       on="sm_120", type="73..74: U32 ? U64 S64"),
    op("UVIMNMX", 0x04A, "{type} URd, UA, UB, !UPs", UALU, "14", when="91=1", on="sm_120", hidden="results=81..86=63",
       type="72..73: U32 S32 ? ?"),
    op("UF2I", 0x05C, "{ftz}{to}{round}{ntz} URd, -|UB|", UALU, "14", imm="f32", when="91=1", on="sm_120",
       hidden="from=84..86=2", ftz=FTZ, to="72,75..76: U8 S8 U16 S16 U32 -", round="78..79: - FLOOR CEIL TRUNC",
       ntz="77: - NTZ"),
    op("UMOV", 0x482, ".64 URd:2, #value", UMOV, when="91=1", on="sm_120", value="24..87"),
    op("MOV", 0x402, ".64 Rd:2, #value", ALU, on="sm_120", value="24..87"),
    op("MOV", 0x002, ".64 Rd:2, B:2, #lanes?=15", ALU, "16", on="sm_120", when="80=1", lanes="72..75"),
    op("UMOV", 0xC82, ".64 URd:2, URb:2", UMOV, when="91=1 80=1", on="sm_120"),
    op("LDCU", 0x7AC, "{size} URd:size, c[#bank][URa+#off]?", LDCU, when="91=1", on=BOTH,
       size="73..75: U8 S8 U16 S16 -* 64 128 ?", off="37..53 int"),
    op("CREDUX", 0x2CC, "{op}{sign} URd, Ra", REDUX._replace(reuse="A"), on=BOTH, op="79: MAX MIN", sign="73: - S32"),
    op("QMMA", 0x27A, ".16832{acc}{a}{b} Rd:imma_d, Ra:imma_a, Rb:imma_b, Rc:imma_d, !UPx?", MMA16816, on="sm_120",
       hidden="layout=74=1", acc="75..77: ? ? ? ? ? F32 ? ?", a="78: E4M3 E5M2", b="79: E4M3 E5M2"),
    *atomic("ATOMG", 0x9A8, 76, op=INTEGER, type=TYPE, **SHORT),
    *atomic("ATOMG", 0x9A3, 90, op="87..89: ADD ? MIN ? MAX ? ? ?", type=FLOAT, **SHORT),
    *atomic("ATOM", 0x98A, 76, op=INTEGER, type=TYPE, **SHORT),
    *atomic("ATOM", 0x9A2, 90, op="87..89: ADD ? MIN ? MAX ? ? ?", type=FLOAT, **SHORT),
    *reduction(0x98E, op=REDUCTION, type="73..74: - S32 64 S64", **COMMON),
    *reduction(0x9A6, op="87..89: ADD ? MIN ? MAX", type=FLOAT, **COMMON),
    op("ATOMS", 0x58D, ".CAST.SPIN{type} Pd, [Ra{scaled}+#off], Rb:type, Rc:type", ATOMS, when="87..88=3", on=BOTH,
       type=CAS_TYPE, scaled=SHARED, off="40..63 int"),
    op("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], desc[URc:2][Ra.64:2+#off], !Ps?", LDGSTS, when="91=1 83=1 76=1",
       on=BOTH, **COPY100),
    op("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], [Ra.64:2+URc+#off]?, !Ps?", LDGSTS, when="91=1 83=1 76=0", on=BOTH,
       **COPY100),
    op("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], [Ra.U32+URc:2+#off]?, !Ps?", LDGSTS, when="91=1 83=0 76=0", on=BOTH,
       **COPY100),
    *sampled("TEX", 0xF60, "{scr}{half}{lod}{aoffi}{dc}{evict}{ndv}{nodep}", TEX_DIM, lod="87..89: - LL ? ? ? ? ? ?",
             dc="78: - DC", ndv="77: - NDV"),
    *sampled("TLD4", 0xF63, "{scr}{comp}{half}{aoffi}{ptp}{dc}{evict}{nodep}", GATHER_DIM, "dim_low=61=1",
             comp="87..88: R G B A", ptp="77: - PTP", dc="78: - DC"),
    *sampled("TLD", 0xF66, "{scr}{half}{lod}{aoffi}{evict}{ms}{cl}{nodep}", LOAD_DIM, lod="88: LZ LL", ms="78: - MS",
             cl="77: - CL"),
    surface("SULD", 0xF99, "Pd?, Rd:size, ", "", LDG, LOAD_SCOPE),
    surface("SUST", 0xF9D, "", ", Rb:size", STG, SCOPE),
    op("CCTL", 0x540, ".E.C.LDCU.IV.DEEP [URa:2]", SYSTEM, when="91=1 79=1", on=BOTH, hidden="what=86..88=7"),
)  # fmt: skip
