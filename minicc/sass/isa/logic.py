"""Bits, bytes, moves, selections and predicate logic."""

from __future__ import annotations

from minicc.sass.isa.notation import SIGN, op
from minicc.sass.isa.timing import ALU, R2UR, S2R, S2UR

SHIFT = {"dir": "76: L R", "wrap": "75: - W", "type": "73..74: S64 U64 S32 U32", "high": "80: - HI"}
PERMUTE = "72..74: - F4E B4E RC8 ECL ECR RC16 ?"

ROWS = (
    op("LOP3", 0x012, ".LUT{pand} Pd?, Rd, A, B, C, #lut, !Ps", ALU, "B", imm="uint", lut="72..79", pand="80: - PAND"),
    op("SHF", 0x019, "{dir}{wrap}{type}{high} Rd, A, B, C", ALU, "BC", imm="uint", **SHIFT),
    op("PRMT", 0x016, "{mode} Rd, A, B, C", ALU, "BC", imm="uint", mode=PERMUTE),
    op("SGXT", 0x01A, "{wrap}{sign} Rd, A, B", ALU, "B", imm="uint", sign=SIGN, wrap="75: - W"),
    op("BMSK", 0x01B, "{wrap} Rd, A, B", ALU, "B", imm="uint", wrap="75: - W"),
    op("MOV", 0x002, " Rd, B, #lanes?=15", ALU, "B", imm="uint", on="sm_80 sm_90", lanes="72..75"),
    op(
        "MOV",
        0x002,
        "{spill} Rd, B, #lanes?=15",
        ALU,
        "B",
        imm="uint",
        on="sm_100 sm_120",
        when="80=0",
        lanes="72..75",
        spill="88: - SPILL",
    ),
    op("SEL", 0x007, " Rd, A, B, !Ps", ALU, "B", imm="uint"),
    # Predicate logic: two tables of eight bits, the second for Pe. Sources may be sign bits of registers.
    op("PLOP3", 0x81C, ".LUT Pd, Pe, !Ps, !Pt, !Pu, #lut, #lut2", ALU, when="67=0", lut="64..66,72..76", lut2="16..23"),
    op(
        "PLOP3", 0x81C, ".LUT Pd, Pe, !Ps, !Pt, !UPu, #lut, #lut2", ALU, when="67=1", lut="64..66,72..76", lut2="16..23"
    ),
    op("PLOP3", 0x01D, ".LUT Pd, Pe, !Ps, B.SIGN, !Pu, #lut, #lut2", ALU, "156u", lut="72..79", lut2="16..23"),
    op("PLOP3", 0x01E, ".LUT Pd, Pe, !Ps, B.SIGN, C.SIGN, #lut, #lut2", ALU, "156u", lut="72..79", lut2="16..23"),
    op("PLOP3", 0x01F, ".LUT Pd, Pe, A.SIGN, B.SIGN, C.SIGN, #lut, #lut2", ALU, "156u", lut="72..79", lut2="16..23"),
    # Special registers. CS2R is the fixed-latency way and can read a pair.
    op("S2R", 0x919, " Rd, SRa", S2R),
    op("S2UR", 0x9C3, " URd, SRa", S2UR),
    op("CS2R", 0x805, "{width} Rd:cs2r, SRa", ALU, width="80: 32 -*"),
    op("R2UR", 0x3C2, " Pd?, URd, Ra", R2UR._replace(reuse=""), on="sm_80"),
    op("R2UR", 0x2CA, " Pd?, URd, Ra", R2UR, on="sm_90", when="84=0"),
    op("R2UR", 0x2CA, ".OR Pd, URd, Ra", R2UR, on="sm_90", when="84=1"),
    op("R2UR", 0x2CA, "{any}{fill} Pd?, URd, Ra", R2UR, on="sm_100 sm_120", any="84: - OR", fill="86: - FILL"),
)
