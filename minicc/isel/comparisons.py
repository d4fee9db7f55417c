"""A comparison that was made on every way here is not made again.

LLVM's CodeGenPrepare gives each block that branches on a comparison one of its own, for targets whose flags do not
live long; LLVM's backends take them for one again after selection. So does this, before it: of equal comparisons, the
uses of those that another one dominates become uses of that one. A predicate then lives from there on.
"""

from __future__ import annotations

from minicc.isel.order import dominators
from minicc.nvvm import ir


def unite(function: ir.Function) -> None:
    """Rewrite in place."""
    found: dict[tuple[object, ...], dict[ir.Block, list[ir.Inst]]] = {}
    for block in function.blocks:
        for inst in block.insts:
            if inst.op in ("icmp", "fcmp"):
                key = (inst.op, inst.pred, inst.flags, *map(_key, inst.args))
                found.setdefault(key, {}).setdefault(block, []).append(inst)
    equal = [places for places in found.values() if len(places) > 1]
    if not equal:
        return
    above = dominators(function)
    instead: dict[ir.Value, ir.Value] = {}
    for places in equal:
        for block, insts in places.items():
            at = above.get(block)
            while at is not None:
                if at in places:
                    instead.update(dict.fromkeys(insts, places[at][0]))
                at = above.get(at)
    if not instead:
        return
    for block in function.blocks:
        block.insts = [inst for inst in block.insts if inst not in instead]
        for inst in block.insts:
            if any(arg in instead for arg in inst.args):
                inst.args = [instead.get(arg, arg) for arg in inst.args]


def _key(value: ir.Value) -> object:
    """Equal for equal values."""
    if isinstance(value, ir.ConstInt):
        return value.type, value.value
    if isinstance(value, ir.ConstFloat):
        return value.type, value.bits
    return value.type if isinstance(value, ir.Zero) else value
