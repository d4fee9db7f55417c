"""Double precision. Registers are pairs; an immediate is the high half of a double."""

from __future__ import annotations

from minicc.sass.isa.notation import BOOL, ROUND, op
from minicc.sass.isa.timing import FP64

COMPARE = "76..79: MIN LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU MAX"

ROWS = (
    op("DADD", 0x029, "{round} Rd:2, -|A|:2, -|C|:2", FP64, "C", imm="f64hi", round=ROUND),
    op("DMUL", 0x028, "{round} Rd:2, -|A|:2, -|B|:2", FP64, "B", imm="f64hi", round=ROUND),
    op("DFMA", 0x02B, "{round} Rd:2, -|A|:2, -|B|:2, -|C|:2", FP64, "BC", imm="f64hi", round=ROUND),
    op("DSETP", 0x02A, "{cmp}{bool} Pd, Pe, -|A|:2, -|B|:2, !Ps", FP64, "K", imm="f64hi", cmp=COMPARE, bool=BOOL),
)
