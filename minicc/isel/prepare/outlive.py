"""Phis of loops that are needed after the loop, where the block that may leave it also leads back with a new value.

Then the old value and the new one live at once, and the move between them would stand behind the branch, with a jump of
its own. A copy at the start of the turn, which is what later code uses, leaves the phi's register to the new value, and
the branch back is the loop's last instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

from minicc.nvvm import ir


def outliving(function: ir.Function, loops: Sequence[tuple[ir.Block, set[ir.Block]]]) -> set[ir.Value]:
    """The phis; `loops` are headers and blocks."""
    found: dict[ir.Value, set[ir.Block]] = {}
    for header, body in loops:
        for phi in header.insts:
            if phi.op != "phi":
                break
            if any(_leads_back(phi, value, block, body) for value, block in zip(phi.args, phi.blocks, strict=True)):
                found[phi] = body
    if not found:
        return set()
    uses = ((inst.parent, arg) for inst in function.instructions() for arg in inst.args if isinstance(arg, ir.Inst))
    return {value for place, value in uses if value in found and place not in found[value]}


def _leads_back(phi: ir.Inst, value: ir.Value, block: ir.Block, body: set[ir.Block]) -> bool:
    """Whether a block of the loop, which has another way out, gives the phi a value that the loop makes."""
    return (
        isinstance(value, ir.Inst)
        and value is not phi
        and block in body
        and value.parent in body
        and any(after not in body for after in block.successors)
    )
