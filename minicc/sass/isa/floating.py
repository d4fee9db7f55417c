"""Single-precision arithmetic, comparison and the special functions."""

from __future__ import annotations

from minicc.sass.isa.notation import BOOL, FCMP, FTZ, ROUND, SAT, op
from minicc.sass.isa.timing import ALU, FMA, XU

FLUSH = "76,80: - FMZ FTZ ?"
SET = {"cmp": FCMP, "ftz": FTZ, "bool": BOOL}
SCALE = "84..86: ? D8 D4 D2 - M2 M4 M8"
SHORT_FUNCTION = "74..79: COS SIN EX2 LG2 RCP RSQ ? ? SQRT TANH"
HALVES = {"fn": SHORT_FUNCTION, "half": "60: - H1"}
FUNCTION = "74..79: COS SIN EX2 LG2 RCP RSQ RCP64H RSQ64H SQRT TANH"
NEW = "sm_90 sm_100 sm_120"

ROWS = (
    op("FADD", 0x021, "{ftz}{round}{sat} Rd, -|A|, -|B|", FMA, "K", imm="f32", ftz=FTZ, round=ROUND, sat=SAT),
    op("FMUL", 0x020, "{ftz}{scale}{round}{sat} Rd, -|A|, -|B|", FMA, "B", imm="f32", ftz=FLUSH, scale=SCALE,
       round=ROUND, sat=SAT),
    op("FFMA", 0x023, "{ftz}{round}{sat} Rd, -|A|, -|B|, -|C|", FMA, "BC", imm="f32", ftz=FLUSH, round=ROUND, sat=SAT),
    op("FSWZADD", 0x822, "{ftz}{round}{ndv} Rd, Ra, Rc, {lanes}", FMA, ftz=FTZ, round=ROUND, ndv="77: - NDV",
       lanes="32..39: swizzle"),
    op("FMNMX", 0x009, "{ftz}{nan}{xorsign} Rd, -|A|, -|B|, !Ps", ALU, "B", imm="f32", when="65=0", ftz=FTZ,
       nan="81: - NAN", xorsign="82: - XORSIGN"),
    op("FMNMX", 0x009, "{ftz}{nan}{xorsign}.IS_A Rd, Pd, -|A|, -|B|, !Ps", ALU, "B", imm="f32", when="65=1", on=NEW,
       ftz=FTZ, nan="81: - NAN", xorsign="82: - XORSIGN", Pd_at="66..68"),
    op("FSEL", 0x008, "{ftz} Rd, -|A|, -|B|, !Ps", ALU, "B", imm="f32", ftz=FTZ),
    op("FSET", 0x00A, ".BF{cmp}{ftz}{bool} Rd, -|A|, -|B|, !Ps", ALU, "B", imm="f32", **SET),
    op("FSETP", 0x00B, "{cmp}{ftz}{bool} Pd, Pe, -|A|, -|B|, !Ps", ALU, "B", imm="f32", **SET),
    op("FCHK", 0x102, " Pd, -|A|, -|B|", XU, "B", imm="f32"),
    op("MUFU", 0x108, "{fn} Rd, B", XU, "4", imm="f64hi", when="72..73=0", fn="74..79: 6=RCP64H 7=RSQ64H"),
    op("MUFU", 0x108, "{fn} Rd, -|B|", XU, "B", imm="f32", when="72..73=0", fn=FUNCTION),
    op("MUFU", 0x108, "{fn}.F16 Rd, -|B|{half}", XU, "156u", when="72..73=1", on=NEW, **HALVES),
    op("MUFU", 0x108, "{fn}.F16 Rd, -|B|{half}", XU, "156u", when="72..73=2", on="sm_80", **HALVES),
    op("MUFU", 0x108, "{fn}.BF16 Rd, -|B|{half}", XU, "156u", when="72..73=2", on=NEW, **HALVES),
    op("MUFU", 0x108, "{fn}.F16 Rd, B", XU, "4", when="72..73=1", imm="f16", on=NEW, fn=SHORT_FUNCTION),
    op("MUFU", 0x108, "{fn}.F16 Rd, B", XU, "4", when="72..73=2", imm="f16", on="sm_80", fn=SHORT_FUNCTION),
    op("MUFU", 0x108, "{fn}.BF16 Rd, B", XU, "4", when="72..73=2", imm="bf16", on=NEW, fn=SHORT_FUNCTION),
)  # fmt: skip
