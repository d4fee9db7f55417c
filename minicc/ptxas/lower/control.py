"""Branches, jump tables, barriers, exits and traps.

Branches carry no convergence yet: `converge` adds BSSY and BSYNC when the whole function is known.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.anywhere import collective
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.mir import ZERO, MOperand, V
from minicc.record import evolve
from minicc.sass.instr import Imm

RETURN = ".return"
"""Label of the end of a device function."""


def bra(b: Builder, inst: ptx.Inst) -> None:
    """bra{.uni} label"""
    target = inst.operands[0]
    if not isinstance(target, ptx.Symbol):
        b.wrong("bra: a label was expected")
    guard = b.guard
    b.guard = None
    if target.name not in b.flat_labels:
        b.wrong(f"Label '{target.name}' is not defined in this function")
    b.jump(target.name, guard)
    if "uni" in inst.modifiers and guard is not None:
        b.uniform_branches.add(b.last_jump)


def brx(b: Builder, inst: ptx.Inst) -> None:
    """brx.idx index, list: a chain of compares for short lists, a binary tree for long ones.

    A table of code addresses in constant bank 2 would need relocations against labels; compares need none."""
    index, table = inst.operands
    if not isinstance(table, ptx.Symbol) or table.name not in b.flat.targets:
        b.wrong("brx.idx: a .branchtargets list was expected")
    targets = b.flat.targets[table.name]
    for name in targets:
        if name not in b.flat_labels:
            b.wrong(f"Label '{name}' is not defined in this function")
    guard = b.guard
    b.guard = None
    after = None
    if guard is not None:
        after = b.label("brx")
        b.jump(after, _not(guard))
    value = b.reg(b.val(index))
    _tree(b, value, targets, 0, len(targets))
    if after is not None:
        b.start(after)


def _tree(b: Builder, value: MOperand, targets: tuple[str, ...], low: int, high: int) -> None:
    """Jump to targets[value] for low <= value < high; out of range is undefined in PTX."""
    if len(set(targets[low:high])) == 1:
        b.jump(targets[low])
        return
    middle = (low + high) // 2
    if high - low <= 3:
        p = b.setp("ISETP.EQ.U32.AND", value, imm(low))
        b.jump(targets[low], p)
        _tree(b, value, targets, low + 1, high)
        return
    right = b.label("brx")
    p = b.setp("ISETP.GE.U32.AND", value, imm(middle))
    b.jump(right, p)
    _tree(b, value, targets, low, middle)
    b.start(right)
    _tree(b, value, targets, middle, high)


def _not(p: V) -> V:

    return evolve(p, inv=not p.inv)


def ret(b: Builder, inst: ptx.Inst) -> None:
    """exit, and ret of a kernel. A device function returns from one place, where its threads meet again."""
    if not b.fn.entry and inst.opcode == "ret":
        guard, b.guard = b.guard, None
        b.jump(RETURN, guard)
        return
    b.emit("EXIT", side=True)
    if b.guard is None:
        b.start(b.label("dead"))


def trap(b: Builder, inst: ptx.Inst) -> None:
    b.emit("BPT.TRAP", (), (Imm(1, "uint"),), side=True)


def barrier(b: Builder, inst: ptx.Inst) -> None:
    """bar/barrier .sync, .arrive, .red; bar.warp.sync."""
    mods = inst.modifiers
    if "warp" in mods:
        from minicc.ptxas.lower.warp import warpsync

        warpsync(b, inst.operands[0])
        return
    operands = list(inst.operands)
    if inst.opcode == "bar" or "aligned" in mods:
        # A warp counts as there when the first of its lanes is; `converge` keeps this where others may be late.
        b.before_barriers.add(b.emit("WARPSYNC.ALL", side=True, memory="barrier"))
    if "cluster" in mods:
        from minicc.ptxas.lower.mbarrier import cluster

        cluster(b, inst)
        return
    if "red" in mods:
        d, operands = operands[0], operands[1:]
        predicate = b.pred_of(operands.pop())
        how = next(m for m in mods if m in ("popc", "and", "or")).upper()
        where = place(b, operands)
        meet(b, inst)
        b.emit(f"BAR.RED.{how}.DEFER_BLOCKING", (), (*where, predicate), memory="barrier", side=True)
        if how == "POPC":
            b.emit("B2R.RESULT", (b.dst(d),), (), side=True)
        else:
            b.emit("B2R.RESULT", (ZERO, b.dst_pred(d)), (), side=True)
        return
    where = place(b, operands)
    meet(b, inst)
    if "arrive" in mods:
        b.emit("BAR.ARV", (), tuple(where), memory="barrier", side=True)
    else:
        b.emit("BAR.SYNC.DEFER_BLOCKING", (), tuple(where), memory="barrier", side=True)


def meet(b: Builder, inst: ptx.Inst) -> None:
    """`barrier` without .aligned may be executed by part of a warp, and counts the whole: its lanes meet first. As a
    collective, which those need not come to that wait for them elsewhere, if nothing of it is in registers: lanes may
    execute that of others."""
    if inst.opcode != "barrier" or "aligned" in inst.modifiers:
        return
    if "red" not in inst.modifiers and all(b.constant(o) is not None for o in inst.operands):
        b.barriers.add(collective(b))
    else:
        b.emit("WARPSYNC.ALL", side=True, memory="barrier")
    b.collective.add(b.block.insts[-1])


def place(b: Builder, operands: list[ptx.Operand]) -> list[MOperand]:
    """Barrier number and thread count as BAR prints them. Two registers are one: count << 16 | number."""
    number = b.constant(operands[0])
    b.fn.barriers = max(b.fn.barriers, number + 1 if number is not None else 16)
    if number is not None and not 0 <= number < 16:
        b.wrong("barrier number out of range, expected 0..15")
    if len(operands) == 1:
        return [Imm(number, "uint") if number is not None else b.reg(b.val(operands[0]))]
    count = b.constant(operands[1])
    if number is not None and count is not None:
        return [Imm(number, "uint"), Imm(count & 0xFFF, "uint")]
    if number is not None:
        return [Imm(number, "uint"), b.reg(b.val(operands[1]))]
    if count is not None:
        return [b.reg(b.val(operands[0])), Imm(count & 0xFFF, "uint")]
    shifted = b.new("SHF.L.U32", b.reg(b.val(operands[1])), imm(16), ZERO)
    packed = b.temp()
    b.lop(packed, shifted, imm(0xF), b.val(operands[0]), 0xF8)
    return [packed, packed]


def call(b: Builder, inst: ptx.Inst) -> None:
    """call: of what has not been expanded in place."""
    from minicc.ptxas.lower import calls

    calls.call(b, inst)


def nop(b: Builder, inst: ptx.Inst) -> None:
    """Hints that need no machine code."""


LOWER = {
    "bra": bra,
    "brx": brx,
    "ret": ret,
    "exit": ret,
    "trap": trap,
    "brkpt": trap,
    "bar": barrier,
    "barrier": barrier,
    "call": call,
    "applypriority": nop,
    "discard": nop,
    "pmevent": nop,
}
