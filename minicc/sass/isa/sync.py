"""Barriers, fences, scoreboards and cluster synchronisation."""

from __future__ import annotations

from minicc.sass.isa.notation import op
from minicc.sass.isa.timing import B2R, BARRIER, NONE, SYNCS, SYSTEM

NEW = "sm_90 sm_100 sm_120"
PLAIN = "77..80: SYNC ? ? ? ? ? ? ? SYNC.DEFER_BLOCKING"
REDUCE = (
    "74..75,77..80: 8=RED.POPC 9=RED.AND 10=RED.OR"
    " 40=RED.POPC.DEFER_BLOCKING 41=RED.AND.DEFER_BLOCKING 42=RED.OR.DEFER_BLOCKING"
)
SCAN = {"when": "77..80=3", "hidden": "reduce=74..75=0"}
COUNT = "42..53 uint"

ROWS = (
    # BAR: barrier number and number of threads, each a number or a register; none of the latter means all of the block.
    # (ARV and SCAN print that, too.)
    op("BAR", 0xB1D, "{kind} #bar, #threads?", BARRIER, bar="54..57", threads=COUNT, kind=PLAIN,
       hidden="reduce=74..75=0"),
    op("BAR", 0xB1D, ".ARV #bar, #threads", BARRIER, when="77..80=1", bar="54..57", threads=COUNT,
       hidden="reduce=74..75=0"),
    op("BAR", 0xB1D, "{kind} #bar, #threads?, !Ps", BARRIER, bar="54..57", threads=COUNT, kind=REDUCE),
    op("BAR", 0xB1D, ".SCAN #bar, #threads, !Ps", BARRIER, bar="54..57", threads=COUNT, **SCAN),
    op("BAR", 0x51D, "{kind} Rb, #threads?", BARRIER, threads=COUNT, kind=PLAIN, hidden="reduce=74..75=0"),
    op("BAR", 0x51D, ".ARV Rb, #threads", BARRIER, when="77..80=1", threads=COUNT, hidden="reduce=74..75=0"),
    op("BAR", 0x51D, "{kind} Rb, #threads?, !Ps", BARRIER, threads=COUNT, kind=REDUCE),
    op("BAR", 0x51D, ".SCAN Rb, #threads, !Ps", BARRIER, threads=COUNT, **SCAN),
    op("BAR", 0x91D, "{kind} #bar, Rb?", BARRIER, bar="54..57", kind=PLAIN, hidden="reduce=74..75=0"),
    op("BAR", 0x91D, ".ARV #bar, Rb", BARRIER, when="77..80=1", bar="54..57", hidden="reduce=74..75=0"),
    op("BAR", 0x91D, "{kind} #bar, Rb?, !Ps", BARRIER, bar="54..57", kind=REDUCE),
    op("BAR", 0x91D, ".SCAN #bar, Rb, !Ps", BARRIER, bar="54..57", **SCAN),
    op("BAR", 0x31D, "{kind} Rb, Rb'", BARRIER, kind=PLAIN, hidden="reduce=74..75=0"),
    op("BAR", 0x31D, ".ARV Rb, Rb'", BARRIER, when="77..80=1", hidden="reduce=74..75=0"),
    op("BAR", 0x31D, "{kind} Rb, Rb', !Ps", BARRIER, kind=REDUCE),
    op("BAR", 0x31D, ".SCAN Rb, Rb', !Ps", BARRIER, **SCAN),
    op("B2R", 0x31C, ".RESULT Rd, Pd?", B2R, when="78..79=1"),
    op("B2R", 0x31C, ".WARP Rd", B2R, when="78..79=2"),
    op("B2R", 0x31C, " Rd, #bar", B2R, when="78..79=0", bar="54..57"),
    op("DEPBAR", 0x91A, ".LE SBa, #count, {more}?", SYSTEM, when="47=1", count="38..43",
       more="32..37: mask"),
    op("DEPBAR", 0x91A, " {more}?", SYSTEM, when="47=0", hidden="sb=44..46=0 count=38..43=0", more="32..37: mask"),
    op("DEPBAR", 0xD1A, ".LE SBa, URb, {more}?", SYSTEM, when="47=1 91=1", on="sm_90", more="38..43: mask"),
    op("MEMBAR", 0x992, "{order}{scope} ", SYSTEM, order="79..80: SC ALL - MMIO",
       scope="76..78: CTA SM GPU SYS ? VC CTA.PARTIAL ?"),
    op("ERRBAR", 0x9AB, " ", SYSTEM),
    op("CGAERRBAR", 0x5AB, " ", SYSTEM, on=NEW),
    op("FENCE", 0x3C6, ".VIEW.ASYNC{space} ", SYSTEM, on=NEW, space="72: S G"),
    op("LDGDEPBAR", 0x9AF, " ", SYSTEM),
    op("ARRIVES", 0x9B0, ".LDGSTSBAR.64{count} [Ra+URc+#off]", SYSTEM, when="91=1", on="sm_90",
       count="70..71: - ARVCNT TRANSCNT ?", hidden="size=73..75=5", off="40..63 int"),
    op("ARRIVES", 0x9B0, ".LDGSTSBAR.64{count} [Ra+URc+#off]", SYSTEM, when="91=1", on="sm_100 sm_120",
       count="76..77: - ARVCNT TRANSCNT ?", hidden="size=73..75=5", off="40..63 int"),
    op("ARRIVES", 0x9B0, ".LDGSTSBAR.64 [Ra+URc+#off]", SYSTEM, when="91=1", on="sm_80", hidden="size=73..75=5",
       off="40..63 int"),
    op("ACQBULK", 0x82E, " ", NONE, on=NEW),
    op("PREEXIT", 0x82D, " ", NONE, on=NEW),
    op("UCGABAR_ARV", 0x9C7, " ", SYSTEM._replace(uniform=True), when="91=1", on=NEW),
    op("UCGABAR_WAIT", 0xDC7, " ", SYSTEM._replace(uniform=True), when="91=1", on=NEW),
    # mbarrier objects in shared memory.
    op("SYNCS", 0x5A7, ".PHASECHK.TRANS64{try_} Pd, [Ra+URc+#off], Rb", SYNCS, when="91=1", on="sm_90",
       hidden="what=70..71=1", try_="72: - TRYWAIT", off="40..63 int"),
    op("SYNCS", 0x5A7, ".PHASECHK.TRANS64{try_} Pd, [Ra+URc+#off], Rb", SYNCS, when="91=1", on="sm_100 sm_120",
       hidden="what=76..77=1", try_="72: - TRYWAIT", off="40..63 int"),
    op("SYNCS", 0x9A7, ".ARRIVE.TRANS64{kind}{optout}{count} Rd:2, [Ra+URc+#off], Rb", SYNCS, when="91=1", on=NEW,
       kind="73..74: - TMASK RED ?", optout="75: - OPTOUT", count="84..86: - A1T0 A0T1 A0TR A0TX ART0 ? ?",
       off="40..63 int"),
    op("SYNCS", 0x5B1, ".LD.64{watch} Rd:2, [Ra+URc+#off]", SYNCS, when="73=1 91=1", on=NEW, watch="74: - WATCH",
       off="40..63 int"),
    op("SYNCS", 0x9B1, ".CCTL{what} ", SYNCS, when="91=0", on=NEW, what="72: IVALL WBALL"),
    op("SYNCS", 0x9B1, ".CCTL{what} [Ra+URc+#off]", SYNCS, when="91=1", on=NEW, what="72: IV WB", off="40..63 int"),
    op("SYNCS", 0x3B2, ".CAS.64 URd:2, [URa+#off], URb:2, URb':2", SYNCS._replace(uniform=True), when="72..73=2 91=1",
       on=NEW, off="40..63 int"),
    op("SYNCS", 0x5B2, ".EXCH.64 URd:2, [URa+#off], URb:2", SYNCS._replace(uniform=True), when="72..73=1 91=1", on=NEW,
       off="40..63 int"),
    op("SYNCS", 0x9B2, ".LD.64 URd:2, [URa+#off]", SYNCS._replace(uniform=True), when="72..73=0 91=1", on=NEW,
       off="40..63 int"),
)  # fmt: skip
