"""Integer arithmetic on the ALU and on the FMA pipes."""

from __future__ import annotations

from minicc.sass.isa.notation import BOOL, CMP, SIGN, op
from minicc.sass.isa.timing import ALU, CLMAD, HIGH, IMAD, R2P, WIDE, XU

NO_CARRY = "carry_a=87..90=15 carry_b=77..80=15"
"""Both carry inputs are !PT where the text shows none."""
VMM = "72..73: U32 - U16x2 S16x2"
BYTE = "76..77: - B1 B2 B3"
SET = {"cmp": CMP, "sign": SIGN, "bool": BOOL}
NEW = "sm_90 sm_100 sm_120"
WIDE_ADDEND = "134567ut"
"""All forms but an immediate in the place of the pair that is added."""

ROWS = (
    op("IADD3", 0x010, " Rd, Pd?, Pe?, -A, -B, -C", ALU, "B", when="74=0", hidden=NO_CARRY, on="sm_80 sm_90"),
    op("IADD3", 0x010, ".X Rd, Pd?, Pe?, ~A, ~B, ~C, !Ps, !Pt", ALU, "B", when="74=1", on="sm_80 sm_90"),
    op("ISETP", 0x00C, "{cmp}{sign}{bool} Pd, Pe, A, B, !Ps", ALU, "B", when="72=0", on="sm_80 sm_90 sm_100",
       hidden="low=68..71=7", **SET),
    op("ISETP", 0x00C, "{cmp}{sign}{bool}.EX Pd, Pe, A, B, !Ps, !Pu", ALU, "B", when="72=1", **SET),
    op("IMNMX", 0x017, "{sign} Rd, A, B, !Ps", ALU, "B", sign=SIGN, on="sm_80 sm_90 sm_100"),
    op("IABS", 0x013, " Rd, B", ALU, "B"),
    # Multiply-add. WIDE writes a pair; HI takes a pair as addend and keeps the high half.
    op("IMAD", 0x024, "{sign} Rd, A, B, -C", IMAD, "BC", when="74=0", hidden="carry=87..90=15 out=81..83=7", sign=SIGN),
    op("IMAD", 0x024, "{sign}.X Rd, A, B, ~C, !Ps", IMAD, "BC", when="74=1", hidden="out=81..83=7", sign=SIGN),
    op("IMAD", 0x025, ".WIDE{sign} Rd:2, Pd?, A, B, -C:2", WIDE, WIDE_ADDEND, when="74=0", hidden="carry=87..90=15",
       sign=SIGN),
    op("IMAD", 0x025, ".WIDE{sign}.X Rd:2, Pd?, A, B, ~C:2, !Ps", WIDE, WIDE_ADDEND, when="74=1", sign=SIGN),
    op("IMAD", 0x027, ".HI{sign} Rd, Pd?, A, B, -C:2", HIGH, WIDE_ADDEND, when="74=0", hidden="carry=87..90=15",
       sign=SIGN),
    op("IMAD", 0x027, ".HI{sign}.X Rd, Pd?, A, B, ~C:2, !Ps", HIGH, WIDE_ADDEND, when="74=1", sign=SIGN),
    op("IDP", 0x026, ".4A{a}{b} Rd, A, B, -C", IMAD, "156u", when="76..77=0", a="73: U8 S8", b="74: U8 S8"),
    op("IDP", 0x026, ".2A{half}{a}{b} Rd, A, B, -C", IMAD, "156u", when="76=1", half="77: LO HI", a="73: U16 S16",
       b="74: U8 S8"),
    op("CLMAD", 0x02C, "{half} Rd:2, A:2, B:2, C:2", CLMAD, "1356ut7", half="77: LO HI"),
    # Shift-add: Rd = (A << shift) + B; HI takes the high part of (C:A) << shift.
    op("LEA", 0x011, " Rd, Pd?, -A, -B, #shift", ALU, "B", imm="uint", when="73=0 74=0 80=0",
       hidden="high=64..71=255 carry=87..90=15", shift="75..79"),
    op("LEA", 0x011, ".X Rd, Pd?, ~A, ~B, #shift, !Ps", ALU, "B", imm="uint", when="73=0 74=1 80=0",
       hidden="high=64..71=255", shift="75..79"),
    op("LEA", 0x011, ".HI Rd, Pd?, -A, -B, C, #shift", ALU, "B", imm="uint", when="73=0 74=0 80=1",
       hidden="carry=87..90=15", shift="75..79"),
    op("LEA", 0x011, ".HI Rd, Pd?, -A, B, C, #shift", ALU, "2", imm="uint", when="73=0 74=0 80=1",
       hidden="carry=87..90=15", shift="75..79"),
    op("LEA", 0x011, ".HI.X Rd, Pd?, ~A, ~B, C, #shift, !Ps", ALU, "B", imm="uint", when="73=0 74=1 80=1",
       shift="75..79"),
    op("LEA", 0x011, ".HI.X Rd, Pd?, ~A, B, C, #shift, !Ps", ALU, "2", imm="uint", when="73=0 74=1 80=1",
       shift="75..79"),
    op("LEA", 0x011, ".HI.SX32 Rd, Pd?, -A, -B, #shift", ALU, "B", imm="uint", when="73=1 74=0 80=1",
       hidden="high=64..71=255 carry=87..90=15", shift="75..79"),
    op("LEA", 0x011, ".HI.X.SX32 Rd, Pd?, ~A, ~B, #shift, !Ps", ALU, "B", imm="uint", when="73=1 74=1 80=1",
       hidden="high=64..71=255", shift="75..79"),
    # Two 16-bit or one 32-bit lane.
    op("VIADD", 0x036, "{two} Rd, A, -B", IMAD, "B", imm="uint", on="sm_90 sm_100", two="73: - 16x2"),
    op("VIADDMNMX", 0x046, "{type}{relu} Rd, A, -B, C, !Ps", ALU, "BC", imm="uint", on="sm_90 sm_100", type=VMM,
       relu="76: - RELU"),
    op("VIMNMX", 0x048, "{type}{relu} Rd, Pd?, Pe?, A, B, !Ps", ALU, "B", on="sm_90", type=VMM, relu="76: - RELU"),
    op("VIMNMX3", 0x00F, "{type}{relu} Rd, A, B, C, !Ps", ALU, "B", imm="uint", on="sm_90 sm_100", type=VMM,
       relu="76: - RELU"),
    op("VABSDIFF", 0x014, "{sign} Rd, Pd?, A, B, C", ALU, "BC", imm="uint", on="sm_80 sm_90 sm_100", sign=SIGN),
    op("VABSDIFF4", 0x015, "{sign}{acc} Rd, Pd?, A, B, C", ALU, "BC", imm="uint", on="sm_80 sm_90 sm_100",
       sign="73: U8 -*", acc="75: - ACC"),
    # Bit counting runs on the special-function unit.
    op("FLO", 0x100, "{sign}{shift} Rd, Pd?, ~B", XU, "B", imm="uint", sign=SIGN, shift="74: - SH"),
    op("POPC", 0x109, " Rd, ~B", XU, "B", imm="uint"),
    op("BREV", 0x101, " Rd, B", XU, "B", imm="uint"),
    # Predicates as bits of a register.
    op("P2R", 0x003, "{byte} Rd, 'PR', A, B", ALU, "B", imm="uint", byte=BYTE),
    op("R2P", 0x804, " 'PR', Ra{byte}, #mask?=255", R2P, byte=BYTE, mask="32..63 uint"),
    op("R2P", 0x004, " 'PR', A{byte}, B", R2P, "156u", byte=BYTE),
)  # fmt: skip
