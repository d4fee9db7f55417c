"""What values in the engine's tables mean: kinds of instruction and what they do, faults, reasons to wait, hazards.

Constants of the compiled code, as are the columns in `layout`.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from runtime.device.grid import FaultKind, FindingKind

# Execution pipes (index from S_PIPE). FMA takes either half of the FMA pipe, HALF both.
PIPE_NONE, PIPE_ALU, PIPE_FMA, PIPE_HEAVY, PIPE_BOTH, PIPE_FP64, PIPE_UNIFORM, PIPE_CBU = range(8)
# Kinds of instruction.
(
    K_EXEC,
    K_MEM,
    K_SPECIAL,
    K_BRA,
    K_BRA_REG,
    K_CALL,
    K_BSSY,
    K_BSYNC,
    K_BREAK,
    K_WARPSYNC,
    K_ENDCOLLECTIVE,
    K_YIELD,
    K_EXIT,
    K_BAR,
    K_B2R,
    K_DEPBAR,
    K_MEMBAR,
    K_NANOSLEEP,
    K_NOP,
    K_BMOV_READ,
    K_BMOV_WRITE,
    K_LEPC,
    K_TRAP,
    K_ILLEGAL,
    K_LDGDEPBAR,
    K_CCTL,
    K_BRA_DIV,
    K_QSPC,
    K_EXTENDED,
) = range(29)
"""K_EXTENDED: C_OP says which of the operations below; `extension` carries them out."""
(
    X_ARRIVE,
    X_PHASE,
    X_SYNC_LOAD,
    X_SYNC_EXCHANGE,
    X_SYNC_CAS,
    X_NOTHING,
    X_COPIES_ARRIVE,
    X_BULK,
    X_TENSOR,
    X_BULK_GROUP,
    X_CLUSTER_ARRIVE,
    X_CLUSTER_WAIT,
    X_STORE_ASYNC,
    X_REDUCE_ASYNC,
    X_MATRIX,
    X_MATRIX_WAIT,
    X_TEXTURE,
    X_REGISTERS,
    X_PLACE,
    X_EXIT,
    X_HEAP,
    X_RETURN_PC,
    X_GATHER,
    X_TURN,
) = range(24)

# C_AUX of BRA.U: the guard must hold in all lanes that run, or in one.
BRA_ALL, BRA_ANY = 1, 2
# C_AUX of a direct call: a function of the driver's.
CALL_PRINT, CALL_ASSERT, CALL_MALLOC, CALL_FREE = 1, 2, 3, 4

# Queues of variable-latency work in a sub-core.
Q_NONE, Q_LSU, Q_XU, Q_ADU = range(4)

# Memory spaces and accesses.
SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_GENERIC, SPACE_CONST = range(5)
A_LOAD, A_STORE, A_ATOM, A_RED, A_LDGSTS, A_LDSM, A_STSM = range(7)
(
    OP_ADD,
    OP_MIN,
    OP_MAX,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_EXCH,
    OP_CAS,
    OP_INC,
    OP_DEC,
    OP_CAST,
    OP_ARRIVE,
) = range(12)
WINDOW_SHARED, WINDOW_LOCAL = 1, 2
"""Windows of generic addresses in which an atomic with a predicate is done (C_AUX3)."""
T_U32, T_S32, T_U64, T_S64, T_F32, T_F64, T_F16X2, T_BF16X2, T_F32_FTZ = range(9)

AR_COUNTED, AR_BYTES, AR_COMPLETE, AR_LEAVE, AR_REGISTER, AR_EXPECT_ONE, AR_MASK = 1, 2, 4, 8, 16, 32, 64
"""What an arrival at an mbarrier does (C_AUX): it is counted; the register has bytes to expect, or bytes that came; the
thread leaves; the register has the number of arrivals; one byte is to be expected; all lanes get the state before the
first of them, and their mask in the lower register."""
CA_BYTE, CA_COUNTED, CA_WORDS = range(3)
"""What each lane's ARRIVES does (C_AUX): a byte comes; it arrives; it does so at an mbarrier from before sm_90."""
BC_TO_SHARED, BC_FROM_SHARED, BC_MULTICAST, BC_REDUCE, BC_IM2COL = 1, 2, 4, 8, 16
"""What a bulk copy does (C_AUX2)."""

GM_F16, GM_BF16, GM_TF32, GM_E4M3, GM_E5M2, GM_U8, GM_S8, GM_B1 = range(8)
"""Formats of A and B of a warpgroup matrix instruction (C_TYPE: that of A, and that of B times 8)."""
GM_TO_F32, GM_TO_F16, GM_TO_S32, GM_SATURATE = 0, 1, 2, 4
"""Its result (C_AUX)."""
GM_NEGATE_A, GM_NEGATE_B, GM_TRANSPOSE_A, GM_TRANSPOSE_B = 1, 2, 4, 8
GM_FROM_REGISTERS, GM_SPARSE, GM_GROUP = 16, 32, 64
"""Its operands, and whether it ends a group (C_AUX2)."""

(TX_FETCH, TX_TEXEL, TX_GATHER, TX_QUERY, TX_LOAD_SURFACE, TX_STORE_SURFACE) = range(6)
"""What a texture instruction does (C_AUX)."""
TF_UNSIGNED, TF_SIGNED, TF_FLOAT = range(3)

FAULTS: tuple[FaultKind, ...] = get_args(FaultKind)
"""By their numbers, from 1 on."""
F_ADDRESS, F_ALIGN, F_INSTR, F_DEADLOCK, F_TIMEOUT, F_ASSERT, F_TRAP, F_STACK, F_LAUNCH = range(1, 10)

FINDINGS: tuple[FindingKind, ...] = get_args(FindingKind)
"""What a checked run finds, by number."""
FIND_RAW, FIND_WAR, FIND_WAW, FIND_STORE, FIND_SHARED, FIND_GLOBAL, FIND_RESERVED, FIND_BARRIER = range(8)

# Counters of an instruction: its warp-cycles by reason.
REASONS = (
    "selected",
    "not_selected",
    "wait",
    "long_scoreboard",
    "short_scoreboard",
    "lg_throttle",
    "mio_throttle",
    "math_pipe_throttle",
    "dispatch_stall",
    "imc_miss",
    "no_instruction",
    "branch_resolving",
    "barrier",
    "membar",
    "sleeping",
    "drain",
    "tex_throttle",
    "gmma",
    "misc",
)
(
    R_SELECTED,
    R_NOT_SELECTED,
    R_WAIT,
    R_LONG,
    R_SHORT,
    R_LG,
    R_MIO,
    R_MATH,
    R_DISPATCH,
    R_IMC,
    R_NOINST,
    R_BRANCH,
    R_BARRIER,
    R_MEMBAR,
    R_SLEEP,
    R_DRAIN,
    R_TEX,
    R_GMMA,
    R_MISC,
) = range(2, 2 + len(REASONS))
"""Columns of PCC: what most issues count is in one line of the host's caches, with `layout.P_THREADS`, `P_ACTIVE`."""
R_ALL = slice(R_SELECTED, R_MISC + 1)

SPECIALS = (
    "SR_LANEID",
    "SR_TID.X",
    "SR_TID.Y",
    "SR_TID.Z",
    "SR_CTAID.X",
    "SR_CTAID.Y",
    "SR_CTAID.Z",
    "SR_CLOCKLO",
    "SR_CLOCKHI",
    "SR_GLOBALTIMERLO",
    "SR_GLOBALTIMERHI",
    "SR_EQMASK",
    "SR_LTMASK",
    "SR_LEMASK",
    "SR_GTMASK",
    "SR_GEMASK",
    "SR_VIRTUALSMID",
    "SR_VIRTID",
    "SR_SWINHI",
    "SR_SWINLO",
    "SR_LWINHI",
    "SR_LWINLO",
    "SRZ",
    "SR_NTID",
    "SR_TID",
    "SR_CgaCtaId",
)

HAZARDS: Final[tuple[Literal["raw", "war", "waw"], ...]] = ("raw", "war", "waw")
H_RAW, H_WAR, H_WAW = range(3)
