"""Control flow, convergence barriers and the program counter."""

from __future__ import annotations

from minicc.sass.isa.notation import Row, op
from minicc.sass.isa.timing import ALU, BRANCH, BSSY, MOVE_B, NONE, SYSTEM

NEW = "sm_90 sm_100 sm_120"
INC = "85..86: - INC DEC ?"
RECONVERGENT = "72..73: - RELIABLE RECONVERGENT ?"
KIND = "32..33: - ? DIV CONV"
UNIFORM_KIND = "32..33: - U DIV CONV"


def branch(
    mnemonic: str, opcode: int, syntax: str, target: str = "rel", when: str = "", hidden: str = "", **fields: str
) -> tuple[Row, ...]:
    """A jump. `@to` counts in words of four bytes: since sm_90 its low eight bits are 16..23, the rest 34..81."""
    top = 81 if target in ("rel", "int") else 80
    return (
        op(
            mnemonic,
            opcode,
            syntax,
            BRANCH,
            on=NEW,
            when=when,
            hidden=hidden,
            to=f"16..23,34..{top} {target}*4",
            **fields,
        ),
        op(
            mnemonic, opcode, syntax, BRANCH, on="sm_80", when=when, hidden=hidden, to=f"34..{top} {target}*4", **fields
        ),
    )


ROWS = (
    *branch("BRA", 0x947, "{inc}{kind} !Ps?, @to", when="91=0", inc=INC, kind=KIND, hidden="any=84=0"),
    *branch("BRA", 0x947, "{inc}.U{any} !Ps?, @to", when="91=0 32..33=1", inc=INC, any="84: - ANY"),
    *branch("BRA", 0x547, "{inc}.U{any} !Ps?, !UPq, @to", when="91=1 32..33=1", inc=INC, any="84: - ANY"),
    *branch("BRA", 0x947, "{inc}{kind} !Ps?, ~URa, @to", when="91=1", inc=INC, kind="32..33: ? ? DIV CONV",
            hidden="any=84=0", URa_inv="30"),
    *branch("JMP", 0x94A, "{inc}{kind} !Ps?, @to", "abs", when="91=0", inc=INC, kind=KIND, hidden="any=84=0"),
    *branch("JMP", 0x94A, "{inc}.U{any} !Ps?, @to", "abs", when="91=0 32..33=1", inc=INC, any="84: - ANY"),
    *branch("JMP", 0x54A, "{inc}.U{any} !Ps?, !UPq, @to", "abs", when="91=1 32..33=1", inc=INC, any="84: - ANY"),
    *branch("JMP", 0x94A, "{inc}{kind} !Ps?, ~URa, @to", "abs", when="91=1", inc=INC, kind="32..33: ? ? DIV CONV",
            hidden="any=84=0", URa_inv="30"),
    op("JMP", 0xB4A, "{inc}{kind} !Ps?, c[#bank][-+#at]", BRANCH, when="91=0", on="sm_80 sm_90", inc=INC, kind=KIND,
       hidden="any=84=0", at="40..53 int*4"),
    op("JMP", 0xB4A, "{inc}.U{any} !Ps?, c[#bank][-+#at]", BRANCH, when="91=0 32..33=1", on="sm_80 sm_90", inc=INC,
       any="84: - ANY", at="40..53 int*4"),
    op("JMP", 0x74A, "{inc}.U{any} !Ps?, !UPq, c[#bank][-+#at]", BRANCH, when="91=1 32..33=1", on="sm_80 sm_90",
       inc=INC, any="84: - ANY", at="40..53 int*4"),
    op("JMP", 0xB4A, "{inc}{kind} !Ps?, ~URa, c[#bank][-+#at]", BRANCH, when="91=1", on="sm_80 sm_90", inc=INC,
       kind="32..33: ? ? DIV CONV", hidden="any=84=0", URa_inv="30", at="40..53 int*4"),
    *branch("BRX", 0x949, "{inc} !Ps?, Ra:2 #to?", "int", inc=INC),
    *branch("JMX", 0x94C, "{inc} !Ps?, Ra:2 #to?", "int", inc=INC),
    *branch("BRXU", 0x958, "{inc}{kind} !Ps?, URa:2 #to?", "int", when="91=1", inc=INC, kind=UNIFORM_KIND),
    *branch("JMXU", 0x959, "{inc}{kind} !Ps?, URa:2 #to?", "int", when="91=1", inc=INC, kind=UNIFORM_KIND),
    *branch("CALL", 0x944, ".REL{noinc} !Ps?, @to", when="91=0", noinc="86: - NOINC"),
    *branch("CALL", 0x344, ".REL{noinc} !Ps?, Ra:2 @to", noinc="86: - NOINC"),
    *branch("CALL", 0x944, ".REL{noinc} !Ps?, URa:2 @to", when="91=1", noinc="86: - NOINC"),
    *branch("CALL", 0x943, ".ABS{noinc} !Ps?, @to", "abs", when="91=0", noinc="86: - NOINC"),
    *branch("CALL", 0x343, ".ABS{noinc} !Ps?, Ra:2 #to?", "int", noinc="86: - NOINC"),
    *branch("CALL", 0x943, ".ABS{noinc} !Ps?, URa:2 #to?", "int", when="91=1", noinc="86: - NOINC"),
    op("CALL", 0xB43, ".ABS{noinc} !Ps?, c[#bank][-+#off]", BRANCH, on="sm_80 sm_90", noinc="86: - NOINC",
       off="40..53 int*4"),
    *branch("RET", 0x950, ".REL{nodec} !Ps?, Ra:2 @to", when="91=0 85=0", nodec="86: - NODEC"),
    *branch("RET", 0x950, ".ABS{nodec} !Ps?, Ra:2 #to", "int", when="91=0 85=1", nodec="86: - NODEC"),
    *branch("RET", 0x950, ".REL{nodec} !Ps?, URa:2 @to", when="91=1 85=0", nodec="86: - NODEC"),
    *branch("RET", 0x950, ".ABS{nodec} !Ps?, URa:2 #to", "int", when="91=1 85=1", nodec="86: - NODEC"),
    op("EXIT", 0x94D, "{keep}{how} !Ps?", BRANCH, keep="84..85: - KEEPREFCOUNT PREEMPTED ?", how="86: - NO_ATEXIT"),
    op("KILL", 0x95B, " !Ps?", BRANCH),
    op("BSSY", 0x945, " !Ps?, Bd, @to", BSSY, on="sm_80 sm_90", to="34..63 rel*4"),
    op("BSSY", 0x945, "{kind} !Ps?, Bd, @to", BSSY, on="sm_100 sm_120", to="34..63 rel*4", kind=RECONVERGENT),
    op("BSYNC", 0x941, " !Ps?, Bs", BRANCH, on="sm_80 sm_90"),
    op("BSYNC", 0x941, "{kind} !Ps?, Bs", BRANCH, on="sm_100 sm_120", kind=RECONVERGENT),
    op("BREAK", 0x942, " !Ps?, Bs", BRANCH, on="sm_80 sm_90"),
    op("BREAK", 0x942, "{kind} !Ps?, Bs", BRANCH, on="sm_100 sm_120", kind=RECONVERGENT),
    op("YIELD", 0x946, " !Ps?", BRANCH),
    op("WARPSYNC", 0x348, "{exclusive} !Ps?, Ra", BRANCH, when="86=0", on=NEW, exclusive="85: - EXCLUSIVE"),
    op("WARPSYNC", 0x348, "{exclusive} !Ps?, Rb", BRANCH, on="sm_80", exclusive="86: - EXCLUSIVE"),
    op("WARPSYNC", 0x948, "{exclusive}.ALL !Ps?", BRANCH, when="86=0", on=NEW, exclusive="85: - EXCLUSIVE"),
    op("WARPSYNC", 0x348, "{exclusive}.COLLECTIVE !Ps?, Ra, @to", BRANCH, when="86=1", on=NEW,
       exclusive="85: - EXCLUSIVE", to="16..23,34..81 rel*4"),
    op("WARPSYNC", 0x948, "{exclusive}.COLLECTIVE.ALL !Ps?, @to", BRANCH, when="86=1", on=NEW,
       exclusive="85: - EXCLUSIVE", to="16..23,34..81 rel*4"),
    op("WARPSYNC", 0x948, "{exclusive} !Ps?, #mask", BRANCH, on="sm_80", mask="32..63", exclusive="86: - EXCLUSIVE"),
    op("NANOSLEEP", 0x15D, "{rand}{warp}{syncs} !Ps?, B", SYSTEM, "B", imm="uint", when="83=0", rand="86: - RAND",
       warp="85: - WARP", syncs="84: - SYNCS"),
    op("NANOSLEEP", 0x95D, ".CLEAR !Ps?", SYSTEM, when="83=1"),
    op("LEPC", 0x34E, " Rd:2", ALU),
    op("LEPC", 0x94E, " Rd:2, @to", ALU, on=NEW, to="24..81 rel"),
    # Convergence barriers as registers. The mask of waiting threads, or parts of a thread's control state.
    op("BMOV", 0x355, ".32{clear} Rd, {state}", MOVE_B, clear="84: - CLEAR", state="24..28: state"),
    op("BMOV", 0x156, ".32{pquad} {state}, B", MOVE_B, "B", imm="uint", pquad="84: - PQUAD", state="24..28: state"),
    op("BMOV", 0xF55, ".32{clear} Bd, {state}", MOVE_B, clear="84: - CLEAR", state="24..28: state"),
    op("BMOV", 0xF56, ".32{pquad} {state}, Bs", MOVE_B, pquad="84: - PQUAD", state="24..28: state"),
    op("BMOV", 0x157, ".64 'ATEXIT_PC', B:2", MOVE_B, "15u6"),
    *branch("BMOV", 0x957, ".64 'ATEXIT_PC', #to", "uint"),
    op("NOP", 0x918, " ", NONE),
)  # fmt: skip
