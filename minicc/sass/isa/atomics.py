"""Atomic operations on global, generic and shared memory. RED has no result."""

from __future__ import annotations

from minicc.sass.isa.notation import EVICT, EXTENDED, SCOPE, Row, described, op
from minicc.sass.isa.timing import ATOMG, ATOMS, STG, Timing

NEW = "sm_90"
OFF = "40..63 int"
INTEGER = "87..90: ADD MIN MAX INC DEC AND OR XOR EXCH"
GLOBAL = f"{INTEGER} SAFEADD"
REDUCTION = "87..89: ADD MIN MAX INC DEC AND OR XOR"
TYPE = "73..75: - S32 64 S64 128 ? ? ?"
SHARED_TYPE = "73..75: - S32 64 ? 128 ? ? ?"
CAS_TYPE = "73..75: - S32 64 ? 128"
FLOAT = (
    "73..76: F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN ? ? ? F32.FTZ.RN F32x2.FTZ.RN F32x4.FTZ.RN"
    " F32.RN F32x2.RN F32x4.RN F64.RN"
)
FLOAT_OP = "87..90: ADD ? MIN ? MAX ? ? ?"
SHARED = "78..79: - X4 X8 X16"
COMMON = {"e": EXTENDED, "evict": EVICT, "scope": SCOPE, "off": OFF}


MODS = "{e}{op}{evict}{type}{scope}"
LONG = MODS.replace("{e}", ".E")
"""With a 64-bit register, E is always set."""
OLD_TYPE = "73..75: - S32 64 F32.FTZ.RN F16x2.RN S64 F64.RN ?"


def addressed(mnemonic: str, opcode: int, uniform: int, plain_on: str, on: str, **fields: str) -> tuple[Row, ...]:
    """Address forms of a global atomic: plain; descriptor (bit 71; sm_80 prints nothing of it); uniform addend with a
    64-bit (bit 70) or 32-bit register."""
    before, after, timing = "Pd, Rd:type, ", ", Rb:type", ATOMG
    return (
        op(mnemonic, opcode, f"{MODS} {before}[Ra:e+#off]{after}", timing, when="91=0", on=plain_on, **fields),
        *described(mnemonic, uniform, f"{LONG} {before}desc[URc:2][Ra.64:2+#off]{after}", timing, when="91=1 70..72=7",
                   on=on, **fields),
        op(mnemonic, uniform, f"{LONG} {before}[Ra.64:2+URc+#off]{after}", timing, when="91=1 70..72=5", on=on,
           **fields),
        op(mnemonic, uniform, f"{MODS} {before}[Ra.U32+URc:2+#off]{after}", timing, when="91=1 70..71=0", on=on,
           **fields),
    )  # fmt: skip


def reduction(mnemonic: str, opcode: int, mods: str, timing: Timing, on: str, **fields: str) -> tuple[Row, ...]:
    """Address forms of a global reduction: the selectors are bits 90 (64-bit register) and 71 (descriptor)."""
    after = ", Rb:type"
    long = mods.replace("{e}", ".E")
    return (
        op(mnemonic, opcode, f"{mods} [Ra:e+#off]{after}", timing, when="91=0",
           on="sm_90 sm_100 sm_120" if on == "sm_90" else on, **fields),
        *described(mnemonic, opcode, f"{long} desc[URc:2][Ra.64:2+#off]{after}", timing, when="91=1 90=1 71..72=3",
                   on=on, **fields),
        op(mnemonic, opcode, f"{long} [Ra.64:2+URc+#off]{after}", timing, when="91=1 90=1 71..72=2", on=on, **fields),
        op(mnemonic, opcode, f"{mods} [Ra.U32+URc:2+#off]{after}", timing, when="91=1 90=0", on=on, hidden="desc=71=0",
           **fields),
    )  # fmt: skip


ROWS = (
    *addressed("ATOMG", 0x3A8, 0x9A8, "sm_90 sm_100 sm_120", "sm_90", op=GLOBAL, type=TYPE, **COMMON),
    *addressed("ATOMG", 0x3A3, 0x9A3, "sm_90 sm_100 sm_120", "sm_90", op=FLOAT_OP, type=FLOAT, **COMMON),
    *addressed("ATOMG", 0x3A8, 0x9A8, "sm_80", "sm_80", op=GLOBAL, type=OLD_TYPE, **COMMON),
    *addressed("ATOM", 0x38A, 0x98A, "sm_90 sm_100 sm_120", "sm_90", op=INTEGER, type=TYPE, **COMMON),
    *addressed("ATOM", 0x3A2, 0x9A2, "sm_90 sm_100 sm_120", "sm_90", op=FLOAT_OP, type=FLOAT, **COMMON),
    *addressed("ATOM", 0x38A, 0x98A, "sm_80", "sm_80", op=INTEGER, type=OLD_TYPE, **COMMON),
    op("ATOMG", 0x3A9, "{e}.CAS{evict}{type}{scope} Pd, Rd:type, [Ra:e+#off], Rb:type, Rc:type", ATOMG, type=CAS_TYPE,
       **COMMON),
    op("ATOM", 0x38B, "{e}{op}{evict}{type}{scope} Pd, Rd:type, [Ra:e+#off], Rb:type, Rc:type", ATOMG,
       op="87..88: CAS CAST CAS CAST.SPIN", type=CAS_TYPE, **COMMON),
    *reduction("REDG", 0x98E, "{e}{op}{evict}{type}{scope}", STG, NEW, op=REDUCTION, type="73..74: - S32 64 S64",
               **COMMON),
    *reduction("REDG", 0x9A6, "{e}{op}{evict}{type}{scope}", STG, NEW, op="87..89: ADD ? MIN ? MAX", type=FLOAT,
               **COMMON),
    *reduction("RED", 0x98E, "{e}{op}{evict}{type}{scope}", STG, "sm_80", op=REDUCTION,
               type="73..75: - S32 64 F32.FTZ.RN F16x2.RN S64 F64.RN", **COMMON),
    op("ATOMS", 0x38C, "{op}{type} Rd:type, [Ra{scaled}+#off], Rb:type", ATOMS, op=INTEGER, type=SHARED_TYPE,
       scaled=SHARED, off=OFF),
    op("ATOMS", 0x98C, "{op}{type} Rd:type, [Ra{scaled}+URc+#off], Rb:type", ATOMS, when="91=1", op=INTEGER,
       type=SHARED_TYPE, scaled=SHARED, off=OFF),
    op("ATOMS", 0x38D, "{op}{type} Rd:type, [Ra{scaled}+#off], Rb:type, Rc:type", ATOMS,
       op="87..88: CAS CAST CAS CAST.SPIN", type=CAS_TYPE, scaled=SHARED, off=OFF),
    op("ATOMS", 0xF8C, ".POPC.INC.32 Rd, [Ra{scaled}+URc+#off]", ATOMS, when="91=1", scaled=SHARED,
       hidden="op=87..90=11", off=OFF, on="sm_90 sm_100 sm_120"),
    op("ATOMS", 0xF8C, ".POPC.INC.32 Rd, [Ra{scaled}+URc+#off]", ATOMS, when="91=1 87..90=10", scaled=SHARED, off=OFF,
       on="sm_80"),
    # An arrival at an mbarrier of the machines before sm_90.
    op("ATOMS", 0xF8C, ".ARRIVE.64 Rd:2, [Ra{scaled}+URc+#off]", ATOMS, when="91=1 87..90=9 73..74=2", scaled=SHARED,
       off=OFF, on="sm_80"),
    op("ATOM", 0xF8A, ".E.ARRIVE{evict}.64{scope} Pd, Rd:2, [Ra.64:2+URc+#off]", ATOMG, when="91=1 87..90=9 72..76=5",
       hidden="desc=70..71=1", evict=EVICT, scope=SCOPE, off=OFF, on="sm_80"),
    op("ATOM", 0xF8A, ".E.POPC.INC{evict}.32{scope} Pd, Rd, [Ra.64:2+URc+#off]", ATOMG, when="91=1 87..90=10 72..76=1",
       hidden="desc=70..71=1", evict=EVICT, scope=SCOPE, off=OFF, on="sm_80"),
    # Loads from a multicast address: a reduction over all copies.
    op("LDGMC", 0x9A4, "{e}{op}{type}{scope} Rd:type, [Ra.64:2+URc+#off]", ATOMG, when="70=1 91=1", on="sm_90",
       e=EXTENDED, op="87..90: ADD MIN MAX ? ? AND OR XOR ? ? ? ? ? ? ? ?", type="73..75: 32 S32 64 S64 ? ? ? ?",
       scope=SCOPE, off="40..63 int"),
    op("LDGMC", 0x9A5, "{e}{op}{type}{scope} Rd:type, [Ra.64:2+URc+#off]", ATOMG, when="70=1 91=1", on="sm_90",
       e=EXTENDED, op="88..89: ADD MIN MAX F32ADD", scope=SCOPE, off="40..63 int",
       type="73..76: F16x2.RN F16x4.RN F16x8.RN BF16x2.RN BF16x4.RN BF16x8.RN ? ? ? ? ? ? F32.RN F32x2.RN F32x4.RN"
       " F64.RN"),
)  # fmt: skip
