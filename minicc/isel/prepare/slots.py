"""Local variables that never live at once share a place in the frame: those of a function that is inlined many times.

A variable may live from its `llvm.lifetime.start` until its `llvm.lifetime.end`, on any way between them; one without
such marks always. Two of which neither may live where the other starts are one. (What LLVM has moved before a start
can only be a load whose value nobody asks for.) In: IR; cost: near linear in it, and in variables that live at once.
"""

from __future__ import annotations

from minicc.isel.layout import DataLayout
from minicc.nvvm import ir

_MARK = "llvm.lifetime."


def merge(function: ir.Function, layout: DataLayout) -> None:
    """Make variables of the frame one another, in place."""
    found = [
        inst
        for inst in function.blocks[0].insts
        if inst.op == "alloca" and inst.source is not None and all(isinstance(a, ir.ConstInt) for a in inst.args)
    ]
    if len(found) < 2:
        return
    marks = {b: _marks(b, set(found)) for b in function.blocks}
    started = {var for block in marks.values() for var, start in block if start}
    if len(started) < 2:
        return
    apart = _apart(function, marks)
    instead: dict[ir.Value, ir.Inst] = {}
    slots: list[tuple[ir.Inst, set[ir.Inst]]] = []
    """A variable that stays, and what may live where it or those that became it start, or the other way round."""

    def size(var: ir.Inst) -> int:
        count = var.args[0].value if var.args and isinstance(var.args[0], ir.ConstInt) else 1
        assert var.source is not None
        return layout.size(var.source) * count

    for var in sorted((v for v in found if v in started), key=lambda v: -size(v)):
        for slot, others in slots:
            if var not in others and slot.type is var.type:
                instead[var] = slot
                slot.align = max(slot.align, var.align, layout.align(var.source) if var.source is not None else 1)
                others |= apart[var]
                break
        else:
            slots.append((var, set(apart[var])))
    if not instead:
        return
    moved = {slot for slot, _ in slots}
    entry = function.blocks[0]
    entry.insts = [slot for slot, _ in slots] + [i for i in entry.insts if i not in moved and i not in instead]
    for block in function.blocks:
        for inst in block.insts:
            if any(a in instead for a in inst.args):
                inst.args = [instead.get(a, a) for a in inst.args]


def _marks(block: ir.Block, variables: set[ir.Inst]) -> list[tuple[ir.Inst, bool]]:
    """Where variables start (true) and end, in order."""
    return [
        (var, inst.callee.name.startswith(_MARK + "start"))
        for inst in block.insts
        if inst.op == "call" and isinstance(inst.callee, ir.Global) and inst.callee.name.startswith(_MARK)
        for var in inst.args
        if isinstance(var, ir.Inst) and var in variables
    ]


def _apart(function: ir.Function, marks: dict[ir.Block, list[tuple[ir.Inst, bool]]]) -> dict[ir.Inst, set[ir.Inst]]:
    """What may live where each variable starts, and each that starts while it may live."""
    after: dict[ir.Block, set[ir.Inst]] = {block: set() for block in function.blocks}
    before: dict[ir.Block, set[ir.Inst]] = {block: set() for block in function.blocks}
    apart: dict[ir.Inst, set[ir.Inst]] = {var: set() for block in marks.values() for var, _ in block}
    todo = list(reversed(function.blocks))
    while todo:
        block = todo.pop()
        live = set(before[block])
        for var, start in marks[block]:
            if start:
                live.discard(var)
                apart[var] |= live
                for other in live:
                    apart[other].add(var)
                live.add(var)
            else:
                live.discard(var)
        if not after[block] >= live:
            after[block] = live
            for successor in block.successors:
                if not before[successor] >= live:
                    before[successor] |= live
                    todo.append(successor)
    return apart
