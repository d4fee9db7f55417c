"""Moves pure instructions next to their only users before the DAG is built, so that tiles can cover both.

An instruction moves from its block to a later one when all its uses are there and the later block is reached from the
first through blocks with a single predecessor each: it is never executed more often than before. What only a loop uses
moves to the way into it, for which a block is made where it is one side of a branch.
"""

from __future__ import annotations

import attrs

from minicc.nvvm import ir
from minicc.nvvm.tokens import BINARY, CASTS

PURE = BINARY | CASTS | {"icmp", "fcmp", "select", "getelementptr", "fneg", "extractvalue", "insertvalue"}


def predecessors(function: ir.Function) -> dict[ir.Block, list[ir.Block]]:
    """Distinct predecessors of each block."""
    found: dict[ir.Block, list[ir.Block]] = {block: [] for block in function.blocks}
    for block in function.blocks:
        for successor in block.successors:
            found[successor].append(block)
    return found


def users(function: ir.Function) -> dict[ir.Value, list[ir.Inst]]:
    """Instructions that use each instruction's value."""
    found: dict[ir.Value, list[ir.Inst]] = {}
    for inst in function.instructions():
        for arg in inst.args:
            if isinstance(arg, ir.Inst):
                found.setdefault(arg, []).append(inst)
    return found


@attrs.frozen
class _Loop:
    body: set[ir.Block]
    before: ir.Block | None
    """The only block that leads into it, or one that can be put there."""


def sink(function: ir.Function, loops: list[tuple[ir.Block, set[ir.Block]]]) -> None:
    """Sink in place, in one backward pass. Of loops, header and blocks, the outer ones first."""
    preds = predecessors(function)
    used = users(function)
    entered, made = _ways_in(loops, preds)
    chain: dict[ir.Block, set[ir.Block]] = {}

    def above(block: ir.Block) -> set[ir.Block]:
        """Blocks that reach `block` through single predecessors."""
        found = chain.get(block)
        if found is None:
            found = set()
            at = block
            while len(preds[at]) == 1 and preds[at][0] not in found and preds[at][0] is not block:
                at = preds[at][0]
                found.add(at)
            chain[block] = found
        return found

    for block in reversed(function.blocks):
        around = [loop for loop in entered if block not in loop.body]
        kept: list[ir.Inst] = []
        moved: dict[ir.Block, list[ir.Inst]] = {}
        for inst in reversed(block.insts):
            target = _target(inst, used.get(inst, []), around)
            if target is None or target is block or block not in above(target):
                kept.append(inst)
            else:
                inst.parent = target
                moved.setdefault(target, []).append(inst)
        if moved:
            kept.reverse()
            block.insts = kept
            for target, insts in moved.items():
                insts.reverse()
                at = next((i for i, inst in enumerate(target.insts) if inst.op != "phi"), 0)
                target.insts[at:at] = insts
    for block, header in made.items():
        if block.insts:
            _put_before(function, block, preds[block][0], header)


def _ways_in(
    loops: list[tuple[ir.Block, set[ir.Block]]], preds: dict[ir.Block, list[ir.Block]]
) -> tuple[list[_Loop], dict[ir.Block, ir.Block]]:
    """What leads into each loop, and the blocks among it that the function does not have yet, with the header that
    each would be before."""
    found: list[_Loop] = []
    made: dict[ir.Block, ir.Block] = {}
    for header, body in loops:
        into = [block for block in preds[header] if block not in body]
        before = into[0] if len(into) == 1 else None
        if before is not None and len(before.successors) > 1:
            last, before = before, None
            if last.terminator.op == "br":
                before = ir.Block(f"{header.name}.before")
                preds[before] = [last]
                made[before] = header
        found.append(_Loop(body, before))
    return found, made


def _put_before(function: ir.Function, block: ir.Block, before: ir.Block, header: ir.Block) -> None:
    """Have a block of instructions stand on the edge before -> header."""
    block.insts.append(ir.Inst(ir.VOID, "br", [], blocks=[header], parent=block))
    last = before.terminator
    last.blocks = [block if b is header else b for b in last.blocks]
    for phi in header.insts:
        if phi.op != "phi":
            break
        phi.blocks = [block if b is before else b for b in phi.blocks]
    function.blocks.append(block)


def _target(inst: ir.Inst, uses: list[ir.Inst], loops: list[_Loop]) -> ir.Block | None:
    """The block that all uses are in, or that leads into the loop they are in; `inst` is in none of these loops."""
    if inst.op not in PURE or not uses:
        return None
    target = None
    for use in uses:
        place = use.parent
        if use.op == "phi":  # read at the end of the block it comes from
            places = [block for value, block in zip(use.args, use.blocks, strict=True) if value is inst]
            place = places[0] if len(places) == 1 else None
        for loop in loops:
            if place in loop.body:
                place = loop.before
                break
        if place is None or (target is not None and place is not target):
            return None
        target = place
    return target
