"""A power of two that both terms of a sum have is multiplied once, if nothing else asks for the terms.

x * 2 + (y * 2) * width, the place of every second pixel of every second line, is (x + y * width) * 2: a shift less, and
the one that is left becomes part of the address.
"""

from __future__ import annotations

from minicc.isel.prepare.sink import users
from minicc.nvvm import ir

_WRAPS = frozenset({"nsw", "nuw"})


def factor(function: ir.Function) -> None:
    """Rewrite in place."""
    uses: dict[ir.Value, list[ir.Inst]] = {}
    for block in function.blocks:
        for inst in list(block.insts):
            if inst.op != "add":
                continue
            terms = [arg for arg in inst.args if isinstance(arg, ir.Inst)]
            shifts = [shift for term in terms if (shift := _shift(term)) is not None]
            if len(shifts) < 2 or len({_amount(shift) for shift in shifts}) > 1:
                continue
            uses = uses or users(function)
            taken = dict.fromkeys([*terms, *shifts])
            if any(len(uses[one]) > 1 or one.parent is not block for one in taken):
                continue
            flags = _WRAPS.intersection(inst.flags, *(one.flags for one in taken))
            amount = shifts[0].args[1]
            for shift in shifts:
                block.insts.remove(shift)
            for term in terms:
                if term not in shifts:
                    term.args = [
                        arg.args[0] if isinstance(arg, ir.Inst) and arg in shifts else arg for arg in term.args
                    ]
                    term.flags = flags
            whole = ir.Inst(inst.type, "add", [term.args[0] if term in shifts else term for term in terms], flags)
            whole.parent, whole.metadata, whole.offset = block, inst.metadata, inst.offset
            block.insts.insert(block.insts.index(inst), whole)
            inst.op, inst.args, inst.flags = "shl", [whole, amount], flags


def _shift(term: ir.Inst) -> ir.Inst | None:
    """What multiplies a term by a power of two: itself, or a factor of it."""
    factors = term.args if term.op == "mul" else [term]
    return next((arg for arg in factors if isinstance(arg, ir.Inst) and _amount(arg) is not None), None)


def _amount(inst: ir.Inst) -> int | None:
    """What it shifts to the left by, if that is a constant."""
    amount = inst.args[1] if inst.op == "shl" else None
    return amount.value if isinstance(amount, ir.ConstInt) else None
