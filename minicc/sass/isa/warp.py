"""Communication between the lanes of a warp."""

from __future__ import annotations

from minicc.sass.isa.notation import op
from minicc.sass.isa.timing import ELECT, MATCH, REDUX, SHFL, VOTE, VOTEU

NEW = "sm_90 sm_100 sm_120"
DIRECTION = "58..59: IDX UP DOWN BFLY"

ROWS = (
    op("SHFL", 0x389, "{dir} Pd, Rd, Ra, Rb, Rc", SHFL, dir=DIRECTION),
    op("SHFL", 0x589, "{dir} Pd, Rd, Ra, Rb, #clamp", SHFL, dir=DIRECTION, clamp="40..52"),
    op("SHFL", 0x989, "{dir} Pd, Rd, Ra, #lane, Rc", SHFL, dir=DIRECTION, lane="53..57"),
    op("SHFL", 0xF89, "{dir} Pd, Rd, Ra, #lane, #clamp", SHFL, dir=DIRECTION, lane="53..57", clamp="40..52"),
    op("VOTE", 0x806, "{mode} Rd?, Pd, !Ps", VOTE, mode="72..73: ALL ANY EQ ?"),
    op("VOTEU", 0x886, "{mode} URd?, UPd, !Ps", VOTEU, mode="72..73: ALL ANY EQ ?"),
    op("MATCH", 0x3A1, ".ANY{wide} Rd, Ra:wide", MATCH, when="79=1", hidden="all_equal=81..83=7", wide="73: - U64"),
    op("MATCH", 0x3A1, ".ALL{wide} Pd, Rd, Ra:wide", MATCH, when="79=0", wide="73: - U64"),
    op("REDUX", 0x3C4, "{op}{sign} URd, Ra", REDUX, op="78..80: - OR XOR SUM MIN MAX ? ?", sign="73: - S32"),
    op("ELECT", 0x82F, "{kill} Pd, URd, !Ps", ELECT, when="91=0", on=NEW, kill="85: - IGNOREKILL"),
    op("ELECT", 0x82F, "{kill} Pd, URd, ~URa", ELECT, when="91=1", on=NEW, kill="85: - IGNOREKILL"),
)
