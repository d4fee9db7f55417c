"""Surface loads, stores and atomics, and cache control."""

from __future__ import annotations

from minicc.sass.isa.notation import EVICT, EXTENDED, LOAD_SCOPE, SCOPE, Row, op
from minicc.sass.isa.timing import LDG, STG, TEX, Timing

OLD = "sm_80 sm_90"
DIM = "61..63: 1D 1D_BUFFER 1D_ARRAY 2D 2D_ARRAY 3D ? ?"
CLAMP = "59..60: IGN - TRAP ?"
BA = "72: - BA"
COMMON = {"dim": DIM, "evict": EVICT, "clamp": CLAMP}
SIZE = "73..75: U8 S8 U16 S16 -* 64 128 ?"
COMPONENTS = "72..75: 1=R 3=RG 15=-"
UNSEEN = "upper=76=0"
"""Of formatted accesses nvdisasm shows no difference."""
TYPE = "73..75: - S32 U64 F32.FTZ.RN F16x2.RN S64 SD32 SD64"
INTEGER = "87..90: ADD MIN MAX INC DEC AND OR XOR EXCH"
REDUCTION = "87..89: ADD MIN MAX INC DEC AND OR XOR"


def surface(
    mnemonic: str,
    number: int,
    register: int,
    reg_slot: str,
    mods: str,
    before: str,
    after: str,
    timing: Timing,
    **fields: str,
) -> tuple[Row, ...]:
    """Named by header and bank number, by an offset pair, by a uniform register (operation `number`), or by register
    (`register`, all 12 bits)."""
    return (
        op(mnemonic, number | (0x200 if number & 0x800 else 0), f"{mods} {before}[Ra]{after}, #bank, #header", timing,
           on=OLD, header="40..53", bank="54..58", **fields),
        op(mnemonic, 0x600 | number & 0x1FF, f"{mods} {before}[Ra]{after}, #bank, #low, #high", timing, on=OLD,
           low="40..45", high="46..53", bank="54..58", **fields),
        op(mnemonic, 0xE00 | number & 0x1FF, f"{mods} {before}[Ra]{after}, URe, #slot", timing, when="91=1", on=OLD,
           slot="46..53", **fields),
        op(mnemonic, register, f"{mods} {before}[Ra]{after}, {reg_slot}", timing, on="sm_80 sm_90 sm_100", **fields),
    )  # fmt: skip


FORMATTED = ".P{dim}{evict}{scope}{comp}{clamp}"
TYPED = ".D{ba}{dim}{evict}{size}{scope}{clamp}"

ROWS = (
    *surface("SULD", 0x997, 0x998, "Rc", FORMATTED, "Pd?, Rd, ", "", TEX, scope=LOAD_SCOPE, comp=COMPONENTS,
             hidden=UNSEEN, **COMMON),
    *surface("SULD", 0x999, 0x99A, "Rc", TYPED, "Pd?, Rd:size, ", "", TEX, ba=BA, size=SIZE, scope=LOAD_SCOPE,
             **COMMON),
    *surface("SUST", 0x99B, 0x99C, "Rc", FORMATTED, "", ", Rb", STG, scope=SCOPE, comp=COMPONENTS, hidden=UNSEEN,
             **COMMON),
    *surface("SUST", 0x99D, 0x99E, "Rc", TYPED, "", ", Rb:size", STG, ba=BA, size=SIZE, scope=SCOPE, **COMMON),
    *surface("SUATOM", 0x593, 0x394, "Rc", ".D{ba}{dim}{op}{evict}{type}{scope}{clamp}", "Pd?, Rd:type, ", ", Rb:type",
             LDG, ba=BA, op=INTEGER, type=TYPE, scope=SCOPE, **COMMON),
    *surface("SUATOM", 0x595, 0x396, "Rc", ".D{ba}{dim}.CAS{evict}{type}{scope}{clamp}", "Pd?, Rd:type, ", ", Rb:type",
             LDG, ba=BA, type="73..75: - S32 64 ?", scope=SCOPE, **COMMON),
    *surface("SURED", 0x59F, 0x3A0, "Rc", ".D{ba}{dim}{op}{evict}{type}{scope}{clamp}", "", ", Rb:type", STG, ba=BA,
             op=REDUCTION, type=TYPE, scope=SCOPE, **COMMON),
    *surface("SUQUERY", 0x9B3, 0x9B3, "Rc", "{ba}{dim}", "Pd?, Rd, ", ", 'COMP_STATUS'", LDG, ba=BA, dim=DIM),
    op("CCTL", 0x98F, "{cache}{what} ", STG, when="91=0", hidden="base=24..31=255", cache="78..79: - U C I",
       what="87..90: 4=IVALL 6=IVALLP 7=WBALL 8=WBALLP"),
    op("CCTL", 0x98F, "{e}{cache}{what} [Ra:e+#off]", STG, when="91=0", e=EXTENDED, cache="78..79: - U C I",
       what="87..90: PF1 PF2 WB IV ? RS ? ? ? PML2 DML2 RML2", off="32..63 int"),
    op("CCTL", 0xD8F, "{e}{cache}{what} [Ra:e+URb]", STG, when="91=1", e=EXTENDED, cache="78..79: - U C I",
       what="87..90: PF1 PF2 WB IV ? RS ? ? ? PML2 DML2 RML2", off="40..63 int"),
    op("CCTLL", 0x990, "{what} [Ra+#off]", STG, when="91=0", what="87..89: PF1 PF2 WB IV ? RS ? ?", off="40..63 int"),
    op("CCTLL", 0xD90, "{what} [Ra+URb]", STG, when="91=1", what="87..89: PF1 PF2 WB IV ? RS ? ?",
       off="40..63 int"),
    op("CCTLT", 0x391, ".IVALL ", STG),
    op("CCTLT", 0xB91, ".IVTH #bank, #header", STG, when="85..86=1", on=OLD, header="40..53", bank="54..58"),
    op("CCTLT", 0xD91, ".IVTH URb", STG, when="85..86=1 91=1"),
    op("QSPC", 0x3AA, "{e}{space} Pd, Rd, [Ra:e+#off]", LDG, when="91=0", e=EXTENDED, space="73..74: G L S D",
       off="40..63 int"),
    op("QSPC", 0x9AA, "{e}{space} Pd, Rd, [Ra.U32+URb+#off]", LDG, when="91=1", e=EXTENDED, space="73..74: G L S D",
       off="40..63 int"),
)  # fmt: skip
