"""Instructions of the graphics pipeline and of the system, which compute kernels do not have."""

from __future__ import annotations

from minicc.sass.isa.notation import BOOL, op
from minicc.sass.isa.timing import ALU, BRANCH, LDG, STG, SYSTEM

NEW = "sm_90 sm_100 sm_120"
ATTRIBUTES = "74..75: - 64 96 128"
SLOPE = "78..79: PASS CONSTANT STATE ?"
TEST = "76..78: F CSM_TA CSM_TR CSM_MX T FCSM_TA FCSM_TR FCSM_MX"
ISB = {"skew": "78: - SKEW", "u16": "74: - U16", "wide": "75: - 32"}

AL2P = ALU._replace(reuse="")
RPCMOV = BRANCH._replace(reuse="B")

ROWS = (
    op("PMTRIG", 0x801, " !Ps?, #id", SYSTEM, id="32..47"),
    op("CSMTEST", 0x80D, "{which}{test}{bool} Pd, Pe, #mask, !Ps", ALU, which="62..63: ? R A RA", test=TEST, bool=BOOL,
       mask="32..59"),
    op("AL2P", 0x920, "{out}{size} Rd, #off", AL2P, when="24..31=255", out="79: - O", size=ATTRIBUTES,
       off="40..49 uint"),
    op("AL2P", 0x920, "{out}{size} Rd, Ra, #off", AL2P, out="79: - O", size=ATTRIBUTES, off="40..50 int"),
    op("ALD", 0x321, "{out}{size} Rd, a[#off], Rb?", LDG, when="24..31=255", out="79: - O", size=ATTRIBUTES,
       off="40..49 uint"),
    op("ALD", 0x321, "{out}.PHYS Rd, a[Ra], Rb", LDG, out="79: - O"),
    op("ALD", 0x521, "{out}{size} Rd, a[URa+#off], Rb?", LDG, when="91=1", out="79: - O", size=ATTRIBUTES,
       off="40..50 int"),
    op("AST", 0x322, "{patch}{size} a[#off], Rb, Rc?", STG, when="24..31=255", patch="76: - P", size=ATTRIBUTES,
       off="40..49 uint"),
    op("AST", 0x322, ".PHYS a[Ra], Rb, Rc", STG),
    op("AST", 0x522, "{patch}{size} a[URa+#off], Rb, Rc?", STG, when="91=1", patch="76: - P", size=ATTRIBUTES,
       off="40..50 int"),
    op("ISBERD", 0x923, "{out}{kind}{skew}{u16}{wide} Rd, [Ra+#off]", LDG, out="79: - O",
       kind="76..77: - PATCH PRIM ATTR", off="40..55 uint", **ISB),
    op("ISBEWR", 0x927, ".O{kind}{skew}{u16}{wide} [Ra+#off], Rb", STG, when="79=1", kind="76..77: - ? ? ATTR",
       off="40..55 uint", **ISB),
    op("OUT", 0x124, "{how} Rd, Ra, B", SYSTEM, "146", how="78..79: ? EMIT ? EMIT_THEN_CUT"),
    op("PIXLD", 0x925, "{what} Rd, Pd?", LDG, what="78..80: - COVMASK CENTROID_OFFSET MY_INDEX INNER_COVERAGE ? ? ?"),
    op("IPA", 0x326, "{mode}{centroid} Rd, Pd?, a[#off]", LDG, when="77=0", mode=SLOPE, centroid="76: - CENTROID",
       off="64..71 uint*4"),
    op("IPA", 0x326, "{mode}.OFFSET Rd, Pd?, a[#off], Rb", LDG, when="76..77=2", mode=SLOPE, off="64..71 uint*4"),
    op("IPA", 0x526, "{mode}{centroid} Rd, Pd?, a[URa+#off]", LDG, when="77=0 91=1", mode=SLOPE,
       centroid="76: - CENTROID", off="64..71 uint*4"),
    op("IPA", 0x526, "{mode}.OFFSET Rd, Pd?, a[URa+#off], Rb", LDG, when="76..77=2 91=1", mode=SLOPE,
       off="64..71 uint*4"),
    op("IPA", 0x926, "{mode}.OFFSET Rd, Pd?, a[#off], #at", LDG, when="76..77=2 91=0", mode=SLOPE, off="64..71 uint*4",
       at="32..63"),
    op("IPA", 0x926, "{mode}.OFFSET Rd, Pd?, a[URa+#off], #at", LDG, when="76..77=2 91=1", mode=SLOPE,
       off="64..71 uint*4", at="32..63"),
    op("IPA", 0xB26, "{mode}.OFFSET Rd, Pd?, a[#off], c[#bank][-+#at]", LDG, when="76..77=2", on="sm_80 sm_90",
       mode=SLOPE, off="64..71 uint*4", at="40..53 int*4"),
    op("LDTRAM", 0x3AD, "{what} Rd, a[URa+#off]?", LDG, when="91=1", what="72: AB C", off="64..71 uint*4"),
    op("SETCTAID", 0x31F, "{axis} Ra", SYSTEM, axis="78..79: X Y Z -"),
    op("GETLMEMBASE", 0x3C0, " Rd:2", SYSTEM),
    op("SETLMEMBASE", 0x3C1, " Ra:2", SYSTEM),
    op("BPT", 0x95C, ".TRAP #code?", SYSTEM, when="84..86=3", code="34..36"),
    op("ENDCOLLECTIVE", 0x91B, " !Ps?", BRANCH, on=NEW),
    # The return address as a register.
    op("RPCMOV", 0x152, ".32 {half}, B", RPCMOV, "B", imm="uint", half="31: Rpc.LO Rpc.HI"),
    op("RPCMOV", 0x353, ".32 Rd, {half}", BRANCH, half="31: Rpc.LO Rpc.HI"),
    op("RPCMOV", 0x154, ".64 'Rpc', B:2", RPCMOV, "15u6"),
    op("RPCMOV", 0x954, ".64 'Rpc', #to", BRANCH, on=NEW, to="16..23,34..80 uint*4"),
    op("RPCMOV", 0x954, ".64 'Rpc', #to", BRANCH, on="sm_80", to="34..80 uint*4"),
)  # fmt: skip
