"""Moves pure instructions next to their only users before the DAG is built, so that tiles can cover both.

An instruction moves from its block to a later one when all its uses are there and the later block is reached from the
first through blocks with a single predecessor each: it is never executed more often than before.
"""

from __future__ import annotations

import re

from minicc.nvvm import ir
from minicc.nvvm.tokens import BINARY, CASTS

PURE = BINARY | CASTS | {"icmp", "fcmp", "select", "getelementptr", "fneg", "extractvalue", "insertvalue"}
_CALLS = re.compile(r"llvm\.([us](min|max)|abs|fsh[lr]|ct(pop|lz|tz)|bswap|bitreverse|fabs|fma|fmuladd|m(in|ax)num)\.")


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


def sink(function: ir.Function) -> None:
    """Sink in place, in one backward pass."""
    preds = predecessors(function)
    used = users(function)
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
        kept: list[ir.Inst] = []
        moved: dict[ir.Block, list[ir.Inst]] = {}
        for inst in reversed(block.insts):
            target = _target(inst, used.get(inst, []))
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
                at = next(i for i, inst in enumerate(target.insts) if inst.op != "phi")
                target.insts[at:at] = insts


def _pure(inst: ir.Inst) -> bool:
    return inst.op in PURE or (inst.op == "call" and _CALLS.match(getattr(inst.callee, "name", "")) is not None)


def _target(inst: ir.Inst, uses: list[ir.Inst]) -> ir.Block | None:
    if not uses or not _pure(inst):
        return None
    target = None
    for use in uses:
        place = use.parent
        if use.op == "phi":  # read at the end of the block it comes from
            places = [block for value, block in zip(use.args, use.blocks, strict=True) if value is inst]
            place = places[0] if len(places) == 1 else None
        if place is None or (target is not None and place is not target):
            return None
        target = place
    return target
