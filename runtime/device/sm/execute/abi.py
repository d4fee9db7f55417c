"""The binary interface between the SM engine and the execute functions that `codegen` makes.

One warp's architectural state is one block of `STATE_WORDS` 32-bit words (`W`, 64-byte aligned if the engine can). All
operands are word offsets into it, so a function needs no register numbers and is shared by every instruction of the
same semantic form. The signature of every execute function is

    void f(u32 *W, const Operands *d, u32 mask, u32 *O, const i32 *dst)

`mask` holds the lanes that execute (active and guard true); the engine does not call when it is zero. Sources are read
from `W` at `d->src[k]`; immediates and constant-bank values from `d->imm[k]`. Result row k goes to `O + dst[k]`:

* straight into the registers: `O = W`, `dst = &d->dst[0]`. Lanes outside `mask` keep their old value.
* staged: `O` = any buffer of STAGE_WORDS words, `dst` = STAGE. The engine later commits row k (R: 32 words; P: one word
  of lane bits; UR, UP: one word) to `W + d->dst[k]`, merging by `mask` (R lanes, P bits).

What the rows are, and which registers are read, is in `codegen.Bound` (`results`, `sources`) for each instruction.
All results of one call are computed before any is stored, so a destination may overlap a source.

Memory instructions have an execute function too: it writes 32 u64 lane addresses to `O + dst[0]` (so always call it
staged; `mask` is ignored, all lanes are written) and the engine moves the data. Instructions with `Bound.special`
read a
value that the engine must put in the SPECIAL rows first (S2R, CS2R, S2UR: low words in the first row, high in the next;
uniform ones use lane 0).
"""

from __future__ import annotations

import numpy as np

LANES = 32

# Word offsets of the parts of a warp's state. What every warp has comes first and the general registers last, so that a
# state is only as long as the kernel's registers need: small states are what the host's caches and TLB hold.
P = 0
"""P0..P6, then P7 = all ones, then P8 = dump; a word of 32 lane bits each."""
P_DUMP = 8
UP = P + 16
"""UP0..UP6, UP7 = all ones, UP8 = dump; each 0 or 0xffffffff."""
UR = UP + 16
"""UR0..UR62, URZ = 63 and 64..66 zero, 68..71 dump."""
UR_ZERO = 63
UR_DUMP = 68
ENGINE = UR + 80
"""16 words that belong to the engine."""
# From here on in rows of 32 words.
RZ_ROW = (ENGINE + 16) // LANES
"""Rows 4..7: RZ, and zeros after it, so that wide RZ operands read zero."""
DUMP_ROW = RZ_ROW + 4
"""Rows 8..11: where writes to RZ go (never read)."""
SPECIAL_ROW = DUMP_ROW + 4
"""Rows 12..15: values from the engine for S2R and its kin."""
R_ROW = SPECIAL_ROW + 4
"""R0..R254 from row 16 on."""
RZ = 255
STATE_WORDS = (R_ROW + 256) * LANES


def state_words(registers: int) -> int:
    """Words of a state with R0..R(registers - 1)."""
    return (R_ROW + registers) * LANES


MAX_RESULTS = 8
STAGE_WORDS = MAX_RESULTS * LANES
STAGE = np.arange(MAX_RESULTS, dtype=np.int32) * LANES
"""The `dst` array of a staged call: row k at word 32*k."""

OPERANDS = np.dtype(
    [
        ("src", np.int32, 12),  # word offsets into W
        ("dst", np.int32, 8),  # word offsets into W
        ("imm", np.uint64, 4),  # immediates, already placed (f64hi shifted up), and constant-bank values
        ("const_slot", np.int32),  # index into imm that the engine fills from the constant bank at launch; -1 none
        ("const_bank", np.int32),
        ("const_offset", np.int32),  # bytes
        ("const_size", np.int32),  # 4 or 8 bytes
    ],
    align=True,
)
"""The record that execute functions read: 128 bytes. Constant banks do not change during a grid, so a c[bank][offset]
operand is an immediate that the engine writes into `imm[const_slot]` when the grid starts."""
assert OPERANDS.itemsize == 128

SRC_OFFSET = 0
DST_OFFSET = 48
IMM_OFFSET = 80


def new_state(count: int = 1) -> np.ndarray:
    """Zeroed states of `count` warps, uint32[count, STATE_WORDS], with PT and UPT set."""
    raw = np.zeros(count * STATE_WORDS + 16, np.uint32)
    skip = (-raw.ctypes.data % 64) // 4
    state = raw[skip : skip + count * STATE_WORDS].reshape(count, STATE_WORDS)
    state[:, P + 7] = 0xFFFFFFFF
    state[:, UP + 7] = 0xFFFFFFFF
    return state


def r_row(index: int, *, write: bool = False) -> int:
    """Word offset of GPR `index`; RZ (255) is the zero row when read and the dump row when written."""
    if index == RZ:
        return (DUMP_ROW if write else RZ_ROW) * LANES
    return (R_ROW + index) * LANES


def p_word(index: int, *, write: bool = False) -> int:
    """Word offset of predicate `index` (7 = PT)."""
    return P + (P_DUMP if write and index == 7 else index)


def ur_word(index: int, *, write: bool = False) -> int:
    """Word offset of uniform register `index` (63 = URZ)."""
    return UR + (UR_DUMP if write and index == UR_ZERO else index)


def up_word(index: int, *, write: bool = False) -> int:
    """Word offset of uniform predicate `index` (7 = UPT)."""
    return UP + (P_DUMP if write and index == 7 else index)


def word(file: str, index: int, *, write: bool = False) -> int:
    """Word offset of a register by its file: R, UR, P or UP."""
    return {"R": r_row, "UR": ur_word, "P": p_word, "UP": up_word}[file](index, write=write)
