"""The columns of control instructions: what `control`, `converge` and `barrier` read of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from minicc.sass.instr import PT, RZ, Imm, Instr, Mem, Name, Reg, Target
from runtime.device.sm.execute import abi
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

Table = npt.NDArray[np.int64]

KINDS = {
    "BRA": K.K_BRA, "BRX": K.K_BRA_REG, "BRXU": K.K_BRA_REG, "JMP": K.K_CALL, "JMX": K.K_BRA_REG, "JMXU": K.K_BRA_REG,
    "CALL": K.K_CALL, "RET": K.K_BRA_REG, "EXIT": K.K_EXIT, "KILL": K.K_EXIT, "BSSY": K.K_BSSY, "BSYNC": K.K_BSYNC,
    "BREAK": K.K_BREAK, "WARPSYNC": K.K_WARPSYNC, "YIELD": K.K_YIELD, "NANOSLEEP": K.K_NANOSLEEP, "BAR": K.K_BAR,
    "B2R": K.K_B2R, "DEPBAR": K.K_DEPBAR, "MEMBAR": K.K_MEMBAR, "LDGDEPBAR": K.K_LDGDEPBAR, "CCTL": K.K_CCTL,
    "SETLMEMBASE": K.K_NOP,
    "BPT": K.K_TRAP, "LEPC": K.K_LEPC, "NOP": K.K_NOP, "ERRBAR": K.K_NOP, "CGAERRBAR": K.K_NOP, "FENCE": K.K_NOP,
    "PREEXIT": K.K_NOP, "ACQBULK": K.K_NOP, "ENDCOLLECTIVE": K.K_ENDCOLLECTIVE, "PMTRIG": K.K_NOP, "CCTLL": K.K_NOP,
    "QSPC": K.K_QSPC,
}  # fmt: skip


@attrs.frozen
class Parts:
    """A control instruction's operands by what they are."""

    name: str
    modifiers: tuple[str, ...]
    operands: tuple[Any, ...]
    at: int
    """Index of the instruction."""
    target: int | None
    """Byte that a direct jump names."""
    general: list[Reg]
    predicates: list[Reg]
    immediates: list[Imm]

    @classmethod
    def of(cls, instr: Instr, at: int) -> Parts:
        registers = [o for o in instr.operands if isinstance(o, Reg)]
        return cls(
            instr.mnemonic,
            instr.modifiers,
            instr.operands,
            at,
            next((o.address for o in instr.operands if isinstance(o, Target)), None),
            [r for r in registers if r.file in ("R", "UR")],
            [r for r in registers if r.file in ("P", "UP")],
            [o for o in instr.operands if isinstance(o, Imm)],
        )


def place(reg: Reg, write: bool = False) -> int:
    """Byte offset of a register in the warp state."""
    return 4 * abi.word(reg.file, reg.index, write=write)


def always(predicate: Reg) -> bool:
    """Whether it is PT."""
    return predicate.index == PT and not predicate.inv


def fill(row: Table, i: int, instr: Instr, absolute: list[int]) -> None:
    """Fill the columns of instruction i. It joins `absolute` if it jumps to an address."""
    kind = KINDS.get(instr.mnemonic, K.K_ILLEGAL)
    parts = Parts.of(instr, i)
    row[L.C_KIND] = kind
    row[L.C_MISSED] = kind == K.K_EXIT
    row[L.C_DATA] = row[L.C_DATA2] = row[L.C_AUX] = -1
    row[L.C_TARGET] = -1
    if parts.target is not None:
        row[L.C_TARGET] = parts.target >> 4 if parts.target % 16 == 0 else -1
    if kind not in _OWN_PREDICATES and parts.predicates and not always(parts.predicates[0]):
        row[L.C_PRED] = place(parts.predicates[0])
        row[L.C_PINV] = 0xFFFFFFFF if parts.predicates[0].inv else 0
    if kind in _FILL:
        _FILL[kind](row, parts)
    if kind in (K.K_BRA_REG, K.K_CALL) and not parts.general and ("ABS" in parts.modifiers or parts.name == "JMP"):
        absolute.append(i)
        row[L.C_TARGET] = -1 if parts.target is None else parts.target
        if not any(isinstance(o, Target) for o in parts.operands) and parts.immediates:
            row[L.C_TARGET] = parts.immediates[-1].bits
    if parts.name == "BMOV":
        _barrier_move(row, parts)


def _branch(row: Table, parts: Parts) -> None:
    row[L.C_AUX] = 0 if "U" not in parts.modifiers else K.BRA_ANY if "ANY" in parts.modifiers else K.BRA_ALL
    if "DIV" in parts.modifiers or "CONV" in parts.modifiers:
        row[L.C_KIND] = K.K_BRA_DIV
        # `~URZ` (sm_80) stands for all lanes, which are the bits of the predicate that is true.
        named = parts.general[0] if parts.general else None
        row[L.C_AUX] = 4 * abi.p_word(PT) if named is None or named.inv else place(named)
        row[L.C_AUX2] = "CONV" in parts.modifiers


def _jump(row: Table, parts: Parts) -> None:
    """Branches through registers, and calls. The offset of a relative one is in C_AUX3, C_AUX2 says that the registers
    are uniform."""
    row[L.C_AUX] = 0
    if parts.general:
        row[L.C_DATA] = place(parts.general[0])
        row[L.C_AUX2] = parts.general[0].file == "UR"
        relative = "REL" in parts.modifiers or parts.name in ("BRX", "BRXU")
        row[L.C_AUX] = 0 if relative else 1
        offset = parts.target or 0
        if not any(isinstance(o, Target) for o in parts.operands) and parts.immediates:
            value = parts.immediates[-1].bits
            offset = 16 * (parts.at + 1) + (value - (1 << 32) if value > 0 and value >> 31 & 1 else value)
        row[L.C_AUX3] = offset


def _convergence(row: Table, parts: Parts) -> None:
    number = next((o.index for o in parts.operands if isinstance(o, Reg) and o.file == "B"), -1)
    row[L.C_AUX] = number
    if not 0 <= number < 16:
        row[L.C_KIND] = K.K_ILLEGAL


def _warpsync(row: Table, parts: Parts) -> None:
    row[L.C_AUX2] = "EXCLUSIVE" in parts.modifiers
    if parts.general:
        row[L.C_DATA] = place(parts.general[0])
    elif parts.immediates:
        row[L.C_AUX] = parts.immediates[0].bits


def _nanosleep(row: Table, parts: Parts) -> None:
    row[L.C_AUX] = parts.immediates[-1].bits if parts.immediates else 0
    if parts.general:
        row[L.C_DATA] = place(parts.general[0])


def _barrier(row: Table, parts: Parts) -> None:
    modes = {"SYNC": 0, "SYNCALL": 0, "ARV": 1, "RED": 2}
    mode = next((modes[m] for m in parts.modifiers if m in modes), -1)
    numbers = [o for o in parts.operands if isinstance(o, Imm) or (isinstance(o, Reg) and o.file in ("R", "UR"))]
    row[L.C_AUX2] = mode
    row[L.C_AUX] = row[L.C_AUX3] = 0
    if mode < 0:
        row[L.C_KIND] = K.K_ILLEGAL
        return
    if numbers:
        which = numbers[0]
        if isinstance(which, Imm):
            row[L.C_AUX] = which.bits & 15
        else:
            row[L.C_AUX], row[L.C_DATA] = -1, place(which)
    if len(numbers) > 1:
        count = numbers[1]
        if isinstance(count, Imm):
            row[L.C_AUX3] = count.bits
        else:
            row[L.C_AUX3], row[L.C_DATA2] = -1, place(count)
            if isinstance(numbers[0], Reg):
                row[L.C_AUX] = -2  # one register for both: count << 16 | number
    if mode == 2:
        row[L.C_OP] = 1 if "AND" in parts.modifiers else 2 if "OR" in parts.modifiers else 0
        source = parts.predicates[-1] if parts.predicates else Reg("P", PT)
        row[L.C_TYPE] = place(source)
        row[L.C_BYPASS] = 0xFFFFFFFF if source.inv else 0


def _barrier_result(row: Table, parts: Parts) -> None:
    row[L.C_DEST] = place(parts.general[0], write=True) if parts.general else 4 * abi.DUMP_ROW * abi.LANES
    if parts.predicates and parts.predicates[-1].index != PT:
        row[L.C_AUX] = place(parts.predicates[-1], write=True)


def _scoreboards(row: Table, parts: Parts) -> None:
    """DEPBAR: the scoreboards that must be clear (C_AUX3), and one that may have a count left (C_AUX, C_AUX2)."""
    numbers = [o.index for o in parts.operands if isinstance(o, Reg) and o.file == "SB"]
    row[L.C_AUX3] = 0
    for o in parts.operands:
        if isinstance(o, Name):
            for digit in o.text.strip("{}").replace(" ", "").split(","):
                if digit.isdigit():
                    row[L.C_AUX3] |= 1 << int(digit)
    if "LE" in parts.modifiers and numbers and parts.immediates:
        if parts.immediates[0].bits == 0:
            row[L.C_AUX3] |= 1 << numbers[0]
        else:
            row[L.C_AUX], row[L.C_AUX2] = numbers[0], parts.immediates[0].bits
        numbers = numbers[1:]
    for number in numbers:
        row[L.C_AUX3] |= 1 << number


def _fence(row: Table, parts: Parts) -> None:
    row[L.C_AUX] = 1 if "CTA" in parts.modifiers else 48 if "SYS" in parts.modifiers else 16


def _cache_control(row: Table, parts: Parts) -> None:
    if "IVALL" not in parts.modifiers:
        row[L.C_KIND] = K.K_NOP


def _trap(row: Table, parts: Parts) -> None:
    if "TRAP" not in parts.modifiers:
        row[L.C_KIND] = K.K_NOP


def _code_address(row: Table, parts: Parts) -> None:
    row[L.C_DEST] = place(parts.general[0], write=True)
    row[L.C_AUX] = 16 * parts.at if parts.target is None else parts.target


def _space_query(row: Table, parts: Parts) -> None:
    memory = next(o for o in parts.operands if isinstance(o, Mem))
    row[L.C_DEST] = place(parts.predicates[0], write=True)
    row[L.C_DATA] = place(memory.base if memory.base is not None else Reg("R", RZ))
    row[L.C_DATA2] = place(memory.ureg) if memory.ureg is not None else -1
    wide = memory.base is not None and memory.base.index != RZ and "U32" not in memory.base.suffix
    row[L.C_AUX] = "E" in parts.modifiers and wide
    row[L.C_AUX2] = {"S": 1, "L": 2, "D": 3}.get(parts.modifiers[-1] if parts.modifiers else "", 0)
    row[L.C_AUX3] = memory.offset


def _barrier_move(row: Table, parts: Parts) -> None:
    """BMOV between a convergence barrier (or the mask of running lanes) and a register."""
    to, source = parts.operands[:2]

    def number(op: Any) -> int:
        if isinstance(op, Reg) and op.file == "B":
            return op.index
        return 16 if isinstance(op, Name) and op.text == "MACTIVE" else 17

    if isinstance(to, Reg) and to.file in ("R", "UR"):
        row[L.C_KIND] = K.K_BMOV_READ
        row[L.C_DEST] = place(to, write=True)
        row[L.C_AUX] = number(source)
        row[L.C_AUX2] = "CLEAR" in parts.modifiers
    else:
        row[L.C_KIND] = K.K_BMOV_WRITE
        row[L.C_AUX] = number(to)
        if isinstance(source, Reg) and source.file in ("R", "UR"):
            row[L.C_DATA] = place(source)
        elif isinstance(source, Imm):
            row[L.C_AUX2] = source.bits


_FILL: dict[int, Callable[[Table, Parts], None]] = {
    K.K_BRA: _branch, K.K_BRA_REG: _jump, K.K_CALL: _jump, K.K_BSSY: _convergence, K.K_BSYNC: _convergence,
    K.K_BREAK: _convergence, K.K_WARPSYNC: _warpsync, K.K_NANOSLEEP: _nanosleep, K.K_BAR: _barrier,
    K.K_B2R: _barrier_result, K.K_DEPBAR: _scoreboards, K.K_MEMBAR: _fence, K.K_CCTL: _cache_control, K.K_TRAP: _trap,
    K.K_LEPC: _code_address, K.K_QSPC: _space_query,
}  # fmt: skip
_OWN_PREDICATES = (K.K_BAR, K.K_B2R, K.K_QSPC)
"""Kinds whose predicates are operands, not a condition."""
