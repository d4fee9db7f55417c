"""tensormap.replace and tensormap.cp_fenceproxy: fields of a tensor map in memory.

Where the fields of the 128 bytes are, and which are stored less one, was read off the code that ptxas 13.0 makes for
sm_90a.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.lower.memory import MAX_OFFSET, memory_operand, space_of
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V, VMem
from minicc.sass.instr import Name

_FIELDS = {
    "rank": (0x8, 4, 3), "elemtype": (0x8, 7, 4), "interleave_layout": (0x8, 11, 2), "swizzle_mode": (0x8, 13, 2),
    "fill_mode": (0x8, 15, 1),
}  # fmt: skip
"""Field -> (byte offset of its word, lowest bit, bits)."""
_BYTES = 128
"""Of a map."""
_NUMBERED = ("global_stride", "global_dim", "box_dim", "element_stride")
"""Fields that have a number for each dimension."""
_HEADS = {"shared": ("LDS", "STS"), "global": ("LDG.E", "STG.E"), "": ("LD.E", "ST.E")}


def tensormap(b: Builder, inst: ptx.Inst) -> None:
    """tensormap.replace.tile.FIELD{.space}.b1024.TYPE [map], {number,} value; tensormap.cp_fenceproxy"""
    if "cp_fenceproxy" in inst.modifiers:
        _copy(b, inst)
        return
    space = space_of(inst)
    where, *operands = inst.operands
    memory = memory_operand(b, where, space, MAX_OFFSET - _BYTES)
    field = next(m for m in inst.modifiers if m in _FIELDS or m in _NUMBERED or m == "global_address")
    if field == "global_address":
        op = dotted(_HEADS[space][1], "64")
        b.emit(op, (), (memory, b.pair(operands[0])), memory="store", space=space)
        return
    if field in _FIELDS:
        _insert(b, memory, space, *_FIELDS[field], b.val(operands[0]))
        return
    number = b.constant(operands[0])
    if number is None or not 0 <= number <= 4:
        b.wrong("tensormap.replace: the number of the dimension must be a constant from 0 to 4")
    if field == "global_stride":
        low, high = b.val64(operands[1])
        word = b.new("SHF.R.U64", b.reg(low), imm(4), b.reg(high))
        _store(b, memory, space, 0xC + 4 * number, word)
        _insert(b, memory, space, 0x1C, 4 * number, 4, b.new("SHF.R.U32.HI", ZERO, imm(4), b.reg(high)))
        return
    less = b.new("IADD3", b.val(operands[1]), imm(-1), ZERO)
    if field == "global_dim":
        _store(b, memory, space, 0x20 + 4 * number, less)
    elif field == "box_dim":
        offset, low_bit = (0x34, 24) if number == 0 else (0x38, 8 * (number - 1))
        _insert(b, memory, space, offset, low_bit, 8, less)
    elif field == "element_stride":
        _insert(b, memory, space, 0x34, 3 * number, 3, less)
    else:
        b.unsupported()


def _moved(memory: VMem, offset: int) -> VMem:
    return VMem(memory.base, memory.offset + offset, None, memory.desc)


def _store(b: Builder, memory: VMem, space: str, offset: int, value: MOperand) -> None:
    b.emit(_HEADS[space][1], (), (_moved(memory, offset), b.reg(value)), memory="store", space=space)


def _insert(b: Builder, memory: VMem, space: str, offset: int, low: int, width: int, value: MOperand) -> None:
    """Put a value into `width` bits of a word."""
    old = b.temp()
    b.emit(_HEADS[space][0], (old,), (_moved(memory, offset),), memory="load", space=space)
    mask = ((1 << width) - 1) << low
    placed = b.new("SHF.L.U32", b.reg(value), imm(low), ZERO) if low else b.reg(value)
    # (old & ~mask) | (placed & mask), the mask in the middle
    _store(b, memory, space, offset, b.logic(old, imm(mask), 0xB8, placed))


def _copy(b: Builder, inst: ptx.Inst) -> None:
    """A warp copies a map from shared to global memory, where other proxies see it: lane by lane, by exchanges."""
    to, source, _ = inst.operands
    near = memory_operand(b, source, "shared")
    far = memory_operand(b, to, "global")
    lane = b.temp()
    b.emit("S2R", (lane,), (Name("SR_LANEID"),))
    offset = b.new("SHF.L.U32", lane, imm(2), ZERO)
    word = b.temp()
    at = offset if near.base is None or near.base == ZERO else b.new("IADD3", offset, near.base, ZERO)
    b.emit("LDS", (word,), (VMem(at, near.offset),), memory="load", space="shared")
    assert isinstance(far.base, V)
    total = b.temp(2)
    b.add64(total, (V(far.base.reg, far.base.part), V(far.base.reg, far.base.part + 1)), (offset, ZERO))
    target = VMem(V(total.reg, 0, 2, suffix=("64",)), far.offset, None, far.desc)
    b.emit("ATOMG.E.EXCH.STRONG.GPU", (TRUE, ZERO), (target, word), memory="atomic", space="global", side=True)


LOWER = {"tensormap": tensormap}
