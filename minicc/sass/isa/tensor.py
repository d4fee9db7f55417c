"""Matrix multiply-accumulate of a warp: Rd = Ra * Rb + Rc on register fragments.

Widths of the fragments follow from shape and type; see `effects`. SP is the sparse form with a metadata register and
selector. The optional uniform predicate switches the accumulator off.
"""

from __future__ import annotations

from minicc.sass.isa.notation import op
from minicc.sass.isa.timing import DMMA, MMA1688, MMA16816

META = {"id": "48..49"}
ROUND = "78..79: - RM RP RZ"
INT4 = {"a": "76..77: U4 S4 ? ?", "b": "78..79: U4 S4 ? ?", "sat": "82: - SAT"}
FLOAT8 = {"acc": "77: F16 F32", "a": "78: E4M3 E5M2", "b": "79: E4M3 E5M2"}
INT8 = {"a": "76..77: U8 S8 ? ?", "b": "78..79: U8 S8 ? ?", "sat": "82: - SAT"}

ROWS = (
    op("HMMA", 0x23C, "{shape}{acc}{type} Rd:hmma_d, -Ra:hmma_a, -Rb:hmma_b, Rc:hmma_d, !UPx?", MMA16816, when="73=0",
       shape="75,78: 1688 16816 1684 ?", acc="76: F16 F32", type="82..83: - BF16 TF32 ?"),
    op("HMMA", 0x23C, ".SP{shape}{acc}{type} Rd:hmma_d, -Ra:hmma_a, -Rb:hmma_b, Rc:hmma_d, !UPx?, Re, #id", MMA16816,
       when="73=1", shape="75,78: 1688 16816 ? 16832", acc="76: F16 F32", type="82..83: - BF16 TF32 ?", **META),
    op("IMMA", 0x237, "{shape}{a}{b}{sat} Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?", MMA1688,
       when="72..74=4 83..84=3", on="sm_80", shape="75,85..86: 2=8832 5=16832 6=16864", **INT4),
    op("IMMA", 0x237, "{shape}{a}{b}{sat} Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?", MMA1688,
       when="72..74=4", shape="75,86: 8816 ? 16816 16832", **INT8),
    op("IMMA", 0x237, ".SP{shape}{a}{b}{sat} Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?, Re, #id",
       MMA1688, when="72..74=5 83..84=0", shape="75,85..86: 2=8832 6=16864 5=16832", **INT8, **META),
    op("IMMA", 0x237, ".SP{shape}{a}{b}{sat} Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?, Re, #id",
       MMA1688, when="72..74=5 83..84=3", on="sm_80", shape="75,85..86: 6=16864 7=168128", **INT4, **META),
    # Products of 8-bit floats: sm_89 has them, sm_90 those of a warpgroup.
    op("QMMA", 0x27A, "{shape}{acc}{a}{b} Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?", MMA16816,
       when="74=1 76=0 80=0", on="sm_89", shape="75: 16816 16832", **FLOAT8),
    op("QMMA", 0x27A, ".SP.16864{acc}{a}{b} Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?, Re, #id",
       MMA16816, when="74..76=5 80=1", on="sm_89", **FLOAT8, **META),
    op("BMMA", 0x23D, "{shape}.AND.POPC Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?", MMA1688,
       when="74=1 78..80=5", on="sm_80 sm_90", shape="75..76: 88128 168128 168256 ?"),
    op("BMMA", 0x23D, "{shape}.XOR.POPC Rd:imma_d, Ra.ROW:imma_a, Rb.COL:imma_b, Rc:imma_d, !UPx?", MMA1688,
       when="74=1 78..80=4", on="sm_80", shape="75..76: 88128 168128 168256 ?"),
    op("DMMA", 0x23F, "{shape}{round} Rd:dmma_d, -|Ra|:dmma_a, -|Rb|:dmma_b, -|Rc|:dmma_d, !UPx?", DMMA,
       on="sm_90 sm_100 sm_120", shape="76..77: 8x8x4 16x8x4 16x8x8 16x8x16", round=ROUND),
    op("DMMA", 0x23F, ".884{round} Rd:dmma_d, -|Ra|:dmma_a, -|Rb|:dmma_b, -|Rc|:dmma_d, !UPx?", DMMA, on="sm_80",
       round=ROUND),
    op("MOVM", 0x23A, "{kind}{shape} Rd, Ra", DMMA._replace(reuse=""), kind="74..75: 16 ? U4TO8 ?",
       shape="78..79: MT88 M832 M864 ?"),
)  # fmt: skip
