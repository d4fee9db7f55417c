"""Moves pure instructions next to their only users before the DAG is built, so that tiles can cover both.

An instruction moves from its block to a later one when all its uses are there and the later block is reached from the
first through blocks with a single predecessor each: it is never executed more often than before.

What all threads have alike and only a loop uses (the step of a grid-stride loop) moves to the way into it where that is
one side of a branch, into a block made for it if there is none: NVIDIA's ptxas keeps such values in uniform registers,
and copies much around to have them live across a branch at which threads part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from minicc.nvvm import ir
from minicc.nvvm.tokens import BINARY, CASTS

PURE = BINARY | CASTS | {"icmp", "fcmp", "select", "getelementptr", "fneg", "extractvalue", "insertvalue"}
_CALLS = re.compile(r"llvm\.([us](min|max)|abs|fsh[lr]|ct(pop|lz|tz)|bswap|bitreverse|fabs|fma|fmuladd|m(in|ax)num)\.")
_LAUNCH = r"llvm\.nvvm\.read\.ptx\.sreg\.(n?ctaid|ntid)\.[xyz]"


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


Way = tuple[ir.Block, set[ir.Block], ir.Block]
"""A loop's header, its blocks, and the block before it, or an empty one that may be put there."""


def sink(function: ir.Function, loops: Sequence[tuple[ir.Block, set[ir.Block]]] = ()) -> None:
    """Sink in place, in one backward pass. `loops` are headers and blocks, outer ones before those in them."""
    preds = predecessors(function)
    used = users(function)
    inputs: dict[ir.Inst, dict[ir.Value, ir.Block | None]] = {}
    ways = [(header, body, before) for header, body in loops if (before := _way_in(header, body, preds))]
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
        around = [way for way in ways if block not in way[1]]
        kept: list[ir.Inst] = []
        moved: dict[ir.Block, list[ir.Inst]] = {}
        for inst in reversed(block.insts):
            target = None if _loaded(inst, used) else _target(inst, used.get(inst, []), around, inputs)
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
    for header, _, before in ways:
        if before.insts and before.terminator.op != "br":
            _put(function, before, preds[before][0], header)


def _way_in(header: ir.Block, body: set[ir.Block], preds: dict[ir.Block, list[ir.Block]]) -> ir.Block | None:
    """The block before a loop, if one side of a branch leads there; an empty one, not yet in the function, if the only
    edge into the loop is such a side itself."""
    into = [block for block in preds[header] if block not in body]
    if len(into) != 1 or into[0].terminator.op != "br":
        return None
    if len(into[0].successors) == 1:
        above = preds[into[0]]
        return into[0] if len(above) == 1 and len(above[0].successors) > 1 else None
    before = ir.Block(f"{header.name}.before")
    preds[before] = into
    return before


def _put(function: ir.Function, block: ir.Block, before: ir.Block, header: ir.Block) -> None:
    """Have a block of instructions stand on the edge before -> header."""
    branch = ir.Inst(ir.VOID, "br", [], blocks=[header])
    branch.parent = block
    block.insts.append(branch)
    last = before.terminator
    last.blocks = [block if b is header else b for b in last.blocks]
    for phi in header.insts:
        if phi.op != "phi":
            break
        phi.blocks = [block if b is before else b for b in phi.blocks]
    function.blocks.append(block)


def _alike(value: ir.Value, depth: int = 4) -> bool:
    """All threads of a block have the same: parameters, constants, the launch's shape, and what is computed of them in
    up to `depth` steps."""
    if not isinstance(value, ir.Inst):
        return True
    if value.op == "call":
        return re.fullmatch(_LAUNCH, getattr(value.callee, "name", "")) is not None
    return depth > 0 and (value.op in BINARY or value.op in CASTS) and all(_alike(a, depth - 1) for a in value.args)


def _pure(inst: ir.Inst) -> bool:
    return inst.op in PURE or (inst.op == "call" and _CALLS.match(getattr(inst.callee, "name", "")) is not None)


def _loaded(inst: ir.Inst, used: dict[ir.Value, list[ir.Inst]]) -> bool:
    """Whether it extends with a sign what a load brings to it alone: the load does that itself."""
    loaded = inst.args[0] if inst.op == "sext" else None
    return isinstance(loaded, ir.Inst) and loaded.op == "load" and used[loaded] == [inst]


def _inputs(phi: ir.Inst) -> dict[ir.Value, ir.Block | None]:
    """Each input's block; None if it comes from several."""
    found: dict[ir.Value, ir.Block | None] = {}
    for value, block in zip(phi.args, phi.blocks, strict=True):
        found[value] = None if value in found else block
    return found


def _target(
    inst: ir.Inst, uses: list[ir.Inst], ways: list[Way], inputs: dict[ir.Inst, dict[ir.Value, ir.Block | None]]
) -> ir.Block | None:
    """The block that all uses are in, or that leads into the loop that they are in. `inputs`: see `_inputs`."""
    if not uses or not _pure(inst):
        return None
    target = None
    for use in uses:
        place = use.parent
        if use.op == "phi":  # read at the end of the block it comes from
            if use not in inputs:
                inputs[use] = _inputs(use)
            place = inputs[use][inst]
        way = next((before for _, body, before in ways if place in body), None) if ways else None
        computed = inst.op in BINARY or (inst.op in CASTS and getattr(inst.args[0], "op", "") in BINARY)
        if way is not None and computed and _alike(inst):
            place = way
        if place is None or (target is not None and place is not target):
            return None
        target = place
    return target
