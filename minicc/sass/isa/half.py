"""Half precision: two lanes of f16 or bf16 in a register; a suffix picks halves."""

from __future__ import annotations

from minicc.sass.isa.notation import FTZ, SAT, op
from minicc.sass.isa.timing import ALU, HALF, HALF_F32, HALF_MMA

HALVES = "- ? H0_H0 H1_H1"
LANES = {"half_A": f"74..75: {HALVES}", "half_B": f"60..61: {HALVES}"}
LANES3 = {
    "half_A": f"74..75: {HALVES}",
    "half_B": "60..61,86: - F32 H0_H0 H1_H1 H0_NH1 ? ? ?",
    "half_C": "81..82: - F32 H0_H0 H1_H1",
    "half_BC": "81..82,86: - F32 H0_H0 H1_H1 H0_NH1 ? ? ?",
    "half_CB": f"60..61: {HALVES}",
}
C_SIGNS = {"C_abs": "83", "C_neg": "84"}
BF16 = "85: - BF16_V2"
NEW = "sm_90 sm_100 sm_120"
FLUSH = "76,80: - FMZ FTZ OOB"
COMPARE = "76..79: F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T"
SET = {"cmp": COMPARE, "bool": "69..70: AND OR XOR ?", "bf16": "65: - BF16_V2", "ftz": FTZ}
MINMAX = {"bf16": BF16, "ftz": FTZ, "nan": "81: - NAN", "xorsign": "82: - XORSIGN"}

ROWS = (
    op("HADD2", 0x030, "{bf16}{ftz}{sat} Rd, -|A|{half}, -|B|{half}", HALF, "K", imm="f16x2", when="78=0", bf16=BF16,
       ftz=FTZ, sat=SAT, **LANES),
    op("HADD2", 0x030, ".F32{ftz}{sat} Rd, -A{half}, -|B|{half}", HALF_F32, "1cvw", when="78=1", ftz=FTZ, sat=SAT,
       **LANES),
    op("HADD2", 0x030, ".F32{ftz}{sat} Rd, -A{half}, B", HALF_F32, "i", imm="f16", when="78=1", ftz=FTZ, sat=SAT,
       **LANES),
    op("HMUL2", 0x032, "{bf16}{ftz}{sat} Rd, -|A|{half}, -|B|{half}", HALF, "B", imm="f16x2", bf16=BF16,
       ftz="76,80: - FMZ FTZ ?", sat=SAT, **LANES),
    op("HFMA2", 0x031, "{f32}{bf16}{ftz}{sat} Rd, -|A|{half}, -|B|{half}, -|C|{half}", HALF, "BC", imm="f16x2",
       when="79=0", f32="78: - F32", bf16=BF16, ftz=FLUSH, sat=SAT, **LANES3, **C_SIGNS),
    op("HFMA2", 0x031, "{f32}{bf16}{ftz}.RELU Rd, -|A|{half}, -|B|{half}, -|C|{half}, !Ps?", HALF, "BC", imm="f16x2",
       when="77=0 79=1", f32="78: - F32", bf16=BF16, ftz=FLUSH, **LANES3, **C_SIGNS),
    # The same operation on the FP64/MMA pipe.
    op("HFMA2", 0x035, ".MMA{bf16}{ftz}{sat} Rd, -|A|, -|B|, -|C|", HALF_MMA, "BC", imm="f16x2", when="79=0",
       on="sm_80 sm_90", bf16=BF16, ftz="76,80: - FMZ FTZ ?", sat=SAT, **C_SIGNS),
    op("HFMA2", 0x035, ".MMA{bf16}{ftz}.RELU Rd, -|A|, -|B|, -|C|, !Ps?", HALF_MMA, "BC", imm="f16x2", when="77=0 79=1",
       on="sm_80 sm_90", bf16=BF16, ftz="76,80: - FMZ FTZ ?", **C_SIGNS),
    op("HMNMX2", 0x040, "{bf16}{ftz}{nan}{xorsign} Rd, -|A|{half}, -|B|{half}, !Ps", ALU, "B", imm="f16x2", when="65=0",
       **MINMAX, **LANES),
    op("HMNMX2", 0x040, "{bf16}{ftz}{nan}{xorsign}.IS_A Rd, Pd, Pe, -|A|{half}, -|B|{half}, !Ps", ALU, "B", imm="f16x2",
       when="65=1", Pd_at="66..68", Pe_at="69..71", on=NEW, **MINMAX, **LANES),
    op("HSET2", 0x033, "{bf16}{bf}{cmp}{ftz}{bool} Rd, -|A|{half}, -|B|{half}, !Ps", ALU, "K", imm="f16x2",
       bf="71: - BF", **SET, **LANES),
    op("HSETP2", 0x034, "{bf16}{cmp}{hand}{ftz}{bool} Pd, Pe, -|A|{half}, -|B|{half}, !Ps", ALU, "K", imm="f16x2",
       hand="71: - H_AND", **SET, **LANES),
    op("VHMNMX", 0x047, "{bf16}{ftz}{nan}{xorsign} Rd, -|A|{half}, -|B|{half}, -|C|{half}, !Ps", ALU, "B", imm="f16x2",
       on="sm_90 sm_100", half_C="76..77: - ? H0_H0 H1_H1", **MINMAX, **LANES, **C_SIGNS),
)  # fmt: skip
