"""The uniform datapath: one value per warp, its own 63 registers and 7 predicates. Bit 91 is set in all of them."""

from __future__ import annotations

from minicc.sass.isa.logic import SHIFT
from minicc.sass.isa.notation import BOOL, CMP, SIGN, op
from minicc.sass.isa.timing import UALU, UMOV

NO_CARRY = "carry_a=87..90=15 carry_b=77..80=15"
SET = {"cmp": CMP, "sign": SIGN, "bool": BOOL}
BYTE = "76..77: - B1 B2 B3"
LEA_HIGH = "high=64..69=63"
OLD = "sm_80 sm_90"
LUTS = {"lut2": "16..23"}

ROWS = (
    op("UIADD3", 0x090, " URd, UPd?, UPe?, -UA, -UB, -UC", UALU, "14", on=OLD, when="74=0 91=1", hidden=NO_CARRY),
    op("UIADD3", 0x090, ".X URd, UPd?, UPe?, ~UA, ~UB, ~UC, !UPs, !UPt", UALU, "14", on=OLD, when="74=1 91=1"),
    op("UIADD3", 0x097, ".64 URd:2, UPd?, UPe?, -UA:2, -UB:2, -UC:2", UALU, "14", on=OLD, when="74=0 91=1",
       hidden=NO_CARRY),
    op("UIADD3", 0x097, ".64.X URd:2, UPd?, UPe?, ~UA:2, ~UB:2, ~UC:2, !UPs, !UPt", UALU, "14", on=OLD,
       when="74=1 91=1"),
    op("UIMAD", 0x0A4, "{sign} URd, UA, UB, -UC", UALU, "124", when="74=0 91=1", hidden="carry=87..90=15 out=81..83=7",
       sign=SIGN),
    op("UIMAD", 0x0A4, "{sign}.X URd, UA, UB, ~UC, !UPs", UALU, "124", when="74=1 91=1", hidden="out=81..83=7",
       sign=SIGN),
    op("UIMAD", 0x0A5, ".WIDE{sign} URd:2, UPd?, UA, UB, -UC:2", UALU, "14", when="74=0 91=1", hidden="carry=87..90=15",
       sign=SIGN),
    op("UIMAD", 0x0A5, ".WIDE{sign}.X URd:2, UPd?, UA, UB, ~UC:2, !UPs", UALU, "14", when="74=1 91=1", sign=SIGN),
    op("UISETP", 0x08C, "{cmp}{sign}{bool} UPd, UPe, UA, UB, !UPs", UALU, "14", when="72=0 91=1", hidden="low=68..71=7",
       on="sm_80 sm_90 sm_100", **SET),
    op("UISETP", 0x08C, "{cmp}{sign}{bool}.EX UPd, UPe, UA, UB, !UPs, !UPu", UALU, "14", when="72=1 91=1", **SET),
    op("ULEA", 0x091, " URd, UPd?, -UA, -UB, #shift", UALU, "14", imm="uint", when="74=0 80=0 91=1",
       hidden="high=64..69=63 carry=87..90=15", shift="75..79"),
    op("ULEA", 0x091, ".X URd, UPd?, ~UA, ~UB, #shift, !UPs", UALU, "14", imm="uint", when="74=1 80=0 91=1",
       hidden=LEA_HIGH, shift="75..79"),
    op("ULEA", 0x091, ".HI URd, UPd?, -UA, -UB, UC, #shift", UALU, "14", imm="uint", when="73=0 74=0 80=1 91=1",
       hidden="carry=87..90=15", shift="75..79"),
    op("ULEA", 0x091, ".HI.X URd, UPd?, ~UA, ~UB, UC, #shift, !UPs", UALU, "14", imm="uint", when="73=0 74=1 80=1 91=1",
       shift="75..79"),
    op("ULEA", 0x091, ".HI URd, UPd?, -UA, UB, UC, #shift", UALU, "2", imm="uint", when="73=0 74=0 80=1 91=1",
       hidden="carry=87..90=15", shift="75..79"),
    op("ULEA", 0x091, ".HI.X URd, UPd?, ~UA, UB, UC, #shift, !UPs", UALU, "2", imm="uint", when="73=0 74=1 80=1 91=1",
       shift="75..79"),
    op("ULEA", 0x091, ".HI.SX32 URd, UPd?, -UA, -UB, #shift", UALU, "14", imm="uint", when="73=1 74=0 80=1 91=1",
       hidden="high=64..69=63 carry=87..90=15", shift="75..79"),
    op("ULEA", 0x091, ".HI.X.SX32 URd, UPd?, ~UA, ~UB, #shift, !UPs", UALU, "14", imm="uint",
       when="73=1 74=1 80=1 91=1", hidden=LEA_HIGH, shift="75..79"),
    op("ULOP3", 0x092, ".LUT{pand} UPd?, URd, UA, UB, UC, #lut, !UPs", UALU, "14", imm="uint", when="91=1",
       lut="72..79", pand="80: - PAND"),
    op("UPRMT", 0x096, " URd, UA, UB, UC", UALU, "14", imm="uint", when="91=1"),
    op("USHF", 0x099, "{dir}{wrap}{type}{high} URd, UA, UB, UC", UALU, "124", imm="uint", when="91=1", **SHIFT),
    op("USGXT", 0x09A, "{wrap}{sign} URd, UA, UB", UALU, "14", imm="uint", when="91=1", sign=SIGN, wrap="75: - W"),
    op("UBMSK", 0x09B, "{wrap} URd, UA, UB", UALU, "14", imm="uint", when="91=1", wrap="75: - W"),
    op("UFLO", 0x0BD, "{sign}{shift} URd, UPd?, ~UB", UALU, "14", imm="uint", when="91=1", sign=SIGN, shift="74: - SH"),
    op("UBREV", 0x0BE, " URd, UB", UALU, "14", imm="uint", when="91=1"),
    op("UPOPC", 0x0BF, " URd, ~UB", UALU, "14", imm="uint", when="91=1"),
    op("USEL", 0x087, " URd, UA, UB, !UPs", UALU, "14", imm="uint", when="91=1"),
    op("UMOV", 0x882, " URd, #value", UMOV, value="32..63"),
    op("UMOV", 0xC82, " URd, URb", UMOV, when="80=0 91=1"),
    op("UCLEA", 0x8BC, " URd:2, UPd, URa, #base, #shift", UALU, when="91=1", base="32..47", shift="73..76"),
    op("UCLEA", 0xCBC, " URd:2, UPd, URa, URb, #shift", UALU, when="91=1", shift="73..76"),
    op("UP2UR", 0x883, "{byte} URd, 'UPR', URa, #mask", UALU, when="91=1", byte=BYTE, mask="32..63"),
    op("UP2UR", 0xC83, "{byte} URd, 'UPR', URa, URb", UALU, when="91=1", byte=BYTE),
    op("UR2UP", 0x884, " 'UPR', URa{byte}, #mask?=0xff", UALU, when="91=1", byte=BYTE, mask="32..63"),
    op("UR2UP", 0xC84, " 'UPR', URa{byte}, URb", UALU, when="91=1", byte=BYTE),
    op("UPLOP3", 0x89C, ".LUT UPd, UPe, !UPs, !UPt, !UPu, #lut, #lut2", UALU, lut="64..66,72..76", **LUTS),
    op("UPLOP3", 0x29D, ".LUT UPd, UPe, !UPs, URb.SIGN, !UPu, #lut, #lut2", UALU, when="91=1", lut="72..79", **LUTS),
    op("UPLOP3", 0x29E, ".LUT UPd, UPe, !UPs, URb.SIGN, URc.SIGN, #lut, #lut2", UALU, when="91=1", lut="72..79",
       **LUTS),
    op("UPLOP3", 0x29F, ".LUT UPd, UPe, URa.SIGN, URb.SIGN, URc.SIGN, #lut, #lut2", UALU, when="91=1", lut="72..79",
       **LUTS),
    op("ULEPC", 0x3CE, " URd:2", UALU, when="91=1", on="sm_90 sm_100 sm_120"),
    op("ULEPC", 0x9CE, " URd:2, @to", UALU, when="91=1", on="sm_90 sm_100 sm_120", to="24..81 rel"),
)  # fmt: skip
