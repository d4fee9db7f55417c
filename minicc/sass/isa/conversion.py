"""Conversions between number formats. The unit is the special-function unit, except for the packing ones."""

from __future__ import annotations

from minicc.sass.isa.notation import FTZ, ROUND, op
from minicc.sass.isa.timing import ALU, XU, XU64

TO_INT = "78..79: - FLOOR CEIL TRUNC"
HALF = "60: - H1"
INT_TO = "72,75..76: U8 S8 U16 S16 U32 -"
LONG_TO = "72,75..76: 6=U64 7=S64"
INT_ANY = "72,75..76: U8 S8 U16 S16 U32 - U64 S64"
INT_FROM = "74,84..85: U8 S8 U16 S16 U32 -"
FLOAT_TO = "75..77: ? F16 F32 ? BF16"
FROM_64 = "75..77: ? F16 F32 F64 BF16"
BYTE = "60..61: - B1 B2 B3"
TO_64 = "75..77: 3=F64"
FLOAT_DST = "75..77: ? F16 - ? BF16"

NEW = "sm_89 sm_90 sm_100 sm_120"
SATURATE = "74..75: - SAT SATRELU ?"
PACK = {
    "on": NEW, "satfinite": "77: - SATFINITE", "relu": "75: - RELU", "to": "76,86..87: F16 BF16 ? TF32 E5M2 E4M3 ? ?",
    "round": "79..80: - ? ? RZ",
}  # fmt: skip
OLD_PACK = {
    "on": "sm_80!", "satfinite": "77: - SATFINITE", "relu": "75: - RELU", "to": "76: - BF16",
    "round": "79..80: - ? ? RZ",
}  # fmt: skip
UNPACK = {
    "when": "78=0 89..90=1", "on": NEW, "relu": "75: - RELU", "type": "73..74: ? ? E5M2 E4M3", "half": "88: - H1",
    "hidden": "a=24..31=255 c=64..71=255",
}  # fmt: skip
UNPACK_MERGE = {
    "when": "78=0 89..90=2", "on": NEW, "satfinite": "77: - SATFINITE", "relu": "75: - RELU",
    "to": "76,86..87: ? ? ? ? E5M2 E4M3", "half": "72: - H1", "hidden": "a=24..31=255 from=73..74=1",
}  # fmt: skip

ROWS = (
    op("F2F", 0x104, "{ftz}{to}.F16{round} Rd, -|B|{half}", XU, "156u", when="84..86=1", to=FLOAT_TO, round=ROUND,
       ftz=FTZ, half=HALF),
    op("F2F", 0x104, "{ftz}{to}.F16{round} Rd, B", XU, "4", imm="f16", when="84..86=1", to=FLOAT_TO, round=ROUND,
       ftz=FTZ),
    op("F2F", 0x104, "{ftz}{to}.BF16{round} Rd, B", XU, "4", imm="bf16", when="84..86=4", to=FLOAT_TO, round=ROUND,
       ftz=FTZ),
    op("F2F", 0x104, "{ftz}{to}.F32{round} Rd, -|B|", XU, "B", imm="f32", when="84..86=2", to=FLOAT_TO, round=ROUND,
       ftz=FTZ),
    op("F2F", 0x104, "{ftz}{to}.BF16{round} Rd, -|B|{half}", XU, "156u", when="84..86=4", to=FLOAT_TO, round=ROUND,
       ftz=FTZ, half=HALF),
    op("F2F", 0x110, "{ftz}{to}.F64{round} Rd:f2f, -|B|:2", XU64, "B", imm="f64hi", when="84..86=3", to=FROM_64,
       round=ROUND, ftz=FTZ),
    op("F2F", 0x110, "{ftz}{to}.F32{round} Rd:f2f, -|B|", XU64, "B", imm="f32", when="84..86=2", to=TO_64, round=ROUND,
       ftz=FTZ),
    op("F2F", 0x110, "{ftz}{to}.F16{round} Rd:f2f, -|B|{half}", XU64, "156u", when="84..86=1", to=TO_64, round=ROUND,
       ftz=FTZ, half=HALF),
    op("F2F", 0x110, "{ftz}{to}.BF16{round} Rd:f2f, -|B|{half}", XU64, "156u", when="84..86=4", to=TO_64, round=ROUND,
       ftz=FTZ, half=HALF),
    op("F2F", 0x110, "{ftz}{to}.F16{round} Rd:f2f, B", XU64, "4", imm="f16", when="84..86=1", to=TO_64, round=ROUND,
       ftz=FTZ),
    op("F2F", 0x110, "{ftz}{to}.BF16{round} Rd:f2f, B", XU64, "4", imm="bf16", when="84..86=4", to=TO_64, round=ROUND,
       ftz=FTZ),
    op("F2I", 0x105, "{ftz}{to}.F16{round}{ntz} Rd, -|B|{half}", XU, "156u", when="84..86=1", to=INT_TO, round=TO_INT,
       ntz="77: - NTZ", ftz=FTZ, half=HALF),
    op("F2I", 0x105, "{ftz}{to}.F16{round}{ntz} Rd, B", XU, "4", imm="f16", when="84..86=1", to=INT_TO, round=TO_INT,
       ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x105, "{ftz}{to}.BF16{round}{ntz} Rd, B", XU, "4", imm="bf16", when="84..86=4", to=INT_TO, round=TO_INT,
       ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x105, "{ftz}{to}{round}{ntz} Rd, -|B|", XU, "B", imm="f32", when="84..86=2", to=INT_TO, round=TO_INT,
       ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x105, "{ftz}{to}.BF16{round}{ntz} Rd, -|B|{half}", XU, "156u", when="84..86=4", to=INT_TO, round=TO_INT,
       ntz="77: - NTZ", ftz=FTZ, half=HALF),
    op("F2I", 0x111, "{ftz}{to}.F16{round}{ntz} Rd:int64, -|B|{half}", XU64, "156u", when="84..86=1", to=LONG_TO,
       round=TO_INT, ntz="77: - NTZ", ftz=FTZ, half=HALF),
    op("F2I", 0x111, "{ftz}{to}.F16{round}{ntz} Rd:int64, B", XU64, "4", imm="f16", when="84..86=1", to=LONG_TO,
       round=TO_INT, ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x111, "{ftz}{to}.BF16{round}{ntz} Rd:int64, B", XU64, "4", imm="bf16", when="84..86=4", to=LONG_TO,
       round=TO_INT, ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x111, "{ftz}{to}{round}{ntz} Rd:int64, -|B|", XU64, "B", imm="f32", when="84..86=2", to=LONG_TO,
       round=TO_INT, ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x111, "{ftz}{to}.F64{round}{ntz} Rd:int64, -|B|:2", XU64, "B", imm="f64hi", when="84..86=3", to=INT_ANY,
       round=TO_INT, ntz="77: - NTZ", ftz=FTZ),
    op("F2I", 0x111, "{ftz}{to}.BF16{round}{ntz} Rd:int64, -|B|{half}", XU64, "156u", when="84..86=4", to=LONG_TO,
       round=TO_INT, ntz="77: - NTZ", ftz=FTZ, half=HALF),
    op("I2F", 0x106, "{to}.U8{round} Rd, B{byte}", XU, "156u", when="74=0 84..85=0", to=FLOAT_DST, round=ROUND,
       byte="60..61: - B1 B2 B3"),
    op("I2F", 0x106, "{to}.S8{round} Rd, B{byte}", XU, "156u", when="74=1 84..85=0", to=FLOAT_DST, round=ROUND,
       byte="60..61: - B1 B2 B3"),
    op("I2F", 0x106, "{to}.U16{round} Rd, B{byte}", XU, "156u", when="74=0 84..85=1", to=FLOAT_DST, round=ROUND,
       byte="60..61: - H1"),
    op("I2F", 0x106, "{to}.S16{round} Rd, B{byte}", XU, "156u", when="74=1 84..85=1", to=FLOAT_DST, round=ROUND,
       byte="60..61: - H1"),
    op("I2F", 0x106, "{to}.U32{round} Rd, B", XU, "B", imm="uint", when="74=0 84..85=2", to=FLOAT_DST, round=ROUND),
    op("I2F", 0x106, "{to}{round} Rd, B", XU, "B", when="74=1 84..85=2", to=FLOAT_DST, round=ROUND),
    op("I2F", 0x106, "{to}{from_}{round} Rd, B", XU, "4", imm="uint", to=FLOAT_DST, round=ROUND, from_=INT_FROM),
    op("I2F", 0x112, "{to}.U8{round} Rd:2, B{byte}", XU64, "156u", when="74=0 84..85=0", to=TO_64, round=ROUND,
       byte=BYTE),
    op("I2F", 0x112, "{to}.S8{round} Rd:2, B{byte}", XU64, "156u", when="74=1 84..85=0", to=TO_64, round=ROUND,
       byte=BYTE),
    op("I2F", 0x112, "{to}.U16{round} Rd:2, B{byte}", XU64, "156u", when="74=0 84..85=1", to=TO_64, round=ROUND,
       byte="60..61: - H1"),
    op("I2F", 0x112, "{to}.S16{round} Rd:2, B{byte}", XU64, "156u", when="74=1 84..85=1", to=TO_64, round=ROUND,
       byte="60..61: - H1"),
    op("I2F", 0x112, "{to}.U32{round} Rd:2, B", XU64, "B", imm="uint", when="74=0 84..85=2", to=TO_64, round=ROUND),
    op("I2F", 0x112, "{to}{round} Rd:2, B", XU64, "B", when="74=1 84..85=2", to=TO_64, round=ROUND),
    op("I2F", 0x112, "{to}.U64{round} Rd:2, B:2", XU64, "B", imm="uint", when="74=0 84..85=3", to=TO_64, round=ROUND),
    op("I2F", 0x112, "{to}.S64{round} Rd:2, B:2", XU64, "B", when="74=1 84..85=3", to=TO_64, round=ROUND),
    op("I2F", 0x112, "{to}.U64{round} Rd:f2f, B:2", XU64, "B", imm="uint", when="74=0 84..85=3", to=FLOAT_DST,
       round=ROUND),
    op("I2F", 0x112, "{to}.S64{round} Rd:f2f, B:2", XU64, "B", when="74=1 84..85=3", to=FLOAT_DST, round=ROUND),
    op("FRND", 0x107, "{ftz}.F16{round} Rd, -|B|{half}", XU, "156u", when="84..86=1", hidden="to=75..77=1",
       round=TO_INT, ftz=FTZ, half=HALF),
    op("FRND", 0x107, "{ftz}.F16{round} Rd, B", XU, "4", imm="f16", when="84..86=1", hidden="to=75..77=1", round=TO_INT,
       ftz=FTZ),
    op("FRND", 0x107, "{ftz}.BF16{round} Rd, B", XU, "4", imm="bf16", when="84..86=4", hidden="to=75..77=4",
       round=TO_INT, ftz=FTZ),
    op("FRND", 0x107, "{ftz}{round} Rd, -|B|", XU, "B", imm="f32", when="84..86=2", hidden="to=75..77=2", round=TO_INT,
       ftz=FTZ),
    op("FRND", 0x107, "{ftz}.BF16{round} Rd, -|B|{half}", XU, "156u", when="84..86=4", hidden="to=75..77=4",
       round=TO_INT, ftz=FTZ, half=HALF),
    op("FRND", 0x113, "{ftz}.F64{round} Rd:2, -|B|:2", XU64, "B", imm="f64hi", hidden="to=75..77=3 from=84..86=3",
       round=TO_INT, ftz=FTZ),
    # On the ALU.
    op("I2FP", 0x045, ".F32.U32{round} Rd, B", ALU, "B", imm="uint", on="sm_86 sm_89 sm_90", when="74=0",
       hidden="to=75..77=2 from=84..85=2", round="78..79: - ? ? RZ"),
    op("I2FP", 0x045, ".F32.S32{round} Rd, B", ALU, "B", on="sm_86 sm_89 sm_90", when="74=1",
       hidden="to=75..77=2 from=84..85=2", round="78..79: - ? ? RZ"),
    op("I2FP", 0x045, ".F32.U32{round} Rd, B", ALU, "146", imm="uint", on="sm_100 sm_120", when="74=0",
       hidden="to=75..77=2 from=84..85=2", round="78..79: - ? ? RZ"),
    op("I2FP", 0x045, ".F32.S32{round} Rd, B", ALU, "146", on="sm_100 sm_120", when="74=1",
       hidden="to=75..77=2 from=84..85=2", round="78..79: - ? ? RZ"),
    op("I2I", 0x038, "{to}.S32.SAT Rd, B", ALU, "B", to="76..77: U8 S8 U16 S16"),
    # Two floats packed into a register; MERGE_C puts one beside a half of C; UNPACK_B widens pairs of 8-bit floats.
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F32.PACK_AB{round} Rd, A, B", ALU, "B", imm="f32", when="78=0 89..90=0",
       hidden="c=64..71=255", **PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.PACK_AB{round} Rd, A, B", ALU, "B", imm="f32", when="78=0",
       hidden="c=64..71=255", **OLD_PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.MERGE_C{round} Rd, B, C{half}", ALU, "147", imm="f32", when="78=1",
       half="72: - H1", **OLD_PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.MERGE_C{round} Rd, B, C.{half}?", ALU, "2", imm="f32", when="78=1",
       half="72: - H1", **OLD_PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.MERGE_C{round} Rd, B, C{half}", ALU, "3t", when="78=1",
       half="72: - H1", **OLD_PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F32.MERGE_C{round} Rd, B, C{half}", ALU, "147", imm="f32",
       when="78=1 89..90=0", half="72: - H1", **PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F32.MERGE_C{round} Rd, B, C.{half}?", ALU, "2", imm="f32",
       when="78=1 89..90=0", half="72: - H1", **PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F32.MERGE_C{round} Rd, B, C{half}", ALU, "3t", when="78=1 89..90=0",
       half="72: - H1", **PACK),
    op("F2FP", 0x03E, "{relu}{to}.F32.PACK_B{round} Rd, B", ALU, "1", when="78=1 89..90=1",
       hidden="a=24..31=255 c=64..71=255", on=NEW, relu="75: - RELU", to="76,86..87: ? ? ? TF32",
       round="79..80: - ? ? RZ"),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F32.PACK_AB_MERGE_C{round} Rd, A, B, C{half}", ALU, "1345ut", imm="f32",
       when="78=1 89..90=2", half="72: - H1", **PACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F32.PACK_AB_MERGE_C{round} Rd, A, B, C.{half}?", ALU, "2", imm="f32",
       when="78=1 89..90=2", half="72: - H1", **PACK),
    op("F2FP", 0x03E, "{relu}.F16{type}.UNPACK_B Rd, B{half}", ALU, "15u", **UNPACK),
    op("F2FP", 0x03E, "{relu}.F16{type}.UNPACK_B Rd, B.{half}?", ALU, "4", imm="f32", **UNPACK),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F16.UNPACK_B_MERGE_C Rd, B, C{half}", ALU, "1345ut", imm="f32",
       **UNPACK_MERGE),
    op("F2FP", 0x03E, "{satfinite}{relu}{to}.F16.UNPACK_B_MERGE_C Rd, B, C.{half}?", ALU, "2", imm="f32",
       **UNPACK_MERGE),
    op("F2IP", 0x043, "{to}.F32{round}{ntz}{relu} Rd, A, B, C{half}", ALU, "13456ut7", imm="f32", on=NEW,
       to="76: U8 S8", round="78..79: - ? ? TRUNC", ntz="74: - NTZ", relu="75: - RELU", half_C="72: - H1"),
    op("F2IP", 0x043, "{to}.F32{round}{ntz}{relu} Rd, A, B, C.{half}?", ALU, "2", imm="f32", on=NEW, half="72: - H1",
       to="76: U8 S8", round="78..79: - ? ? TRUNC", ntz="74: - NTZ", relu="75: - RELU"),
    *(
        row
        for on, sat in (("sm_80", "74: SAT -"), ("sm_90 sm_100 sm_120", SATURATE))
        for row in (
            op("I2IP", 0x039, "{to}.S32{sat} Rd, A, B, C{part}", ALU, "B", when="73=0 78=0", to="76..77: U8 S8 U16 S16",
               sat=sat, part_C="72: - H1", on=on),
            op("I2IP", 0x039, "{to}.S32{sat} Rd, A, B, C.28", ALU, "B", when="72..73=3 77..78=2", to="76: U2 S2",
               sat=sat, on=on),
            op("I2IP", 0x039, "{to}.S32{sat} Rd, A, B, C.24", ALU, "B", when="72..73=2 77..78=3", to="76: U4 S4",
               sat=sat, on=on),
        )
    ),
)  # fmt: skip
