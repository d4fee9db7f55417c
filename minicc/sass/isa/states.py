"""Names of the convergence-barrier and thread-state registers that BMOV moves (bits 24..28)."""

from __future__ import annotations

NAMES = {
    **{k: f"B{k}" for k in range(16)},
    **{16 + k: f"THREAD_STATE_ENUM.{k}" for k in range(5)},
    21: "TRAP_RETURN_PC.LO",
    22: "TRAP_RETURN_PC.HI",
    23: "TRAP_RETURN_MASK",
    24: "MEXITED",
    25: "MKILL",
    26: "MACTIVE",
    27: "MATEXIT",
    28: "OPT_STACK",
    29: "API_CALL_DEPTH",
    30: "ATEXIT_PC.LO",
    31: "ATEXIT_PC.HI",
}
