"""Divisions and roots whose result counts only under a condition: their long way is taken under it alone.

    setp.ne p, n, 0;  div.rn q, x, y;  mul z, q, w;  selp r, z, 0, p        the long way where FCHK says so, and p

LLVM makes such a result before it is known to be asked for, and what the condition keeps out is mostly what takes the
long way: zeros. Going backwards, a register counts where what is made of it does; a selection of it says where that is.
Of one condition alone, in the stretch of straight code in which both are made, each once; elsewhere a result counts.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.contract import names_of
from minicc.ptxas.lower.flatten import Flat
from minicc.ptxas.mir import MOperand

_LONG = frozenset({"div", "rcp", "rsqrt", "sqrt"})
_COMPUTES = _LONG | frozenset(
    {
        "abs", "add", "and", "copysign", "cos", "cvt", "ex2", "fma", "lg2", "mad", "max", "min", "mov", "mul", "neg",
        "not", "or", "shl", "shr", "sin", "sub", "tanh", "xor",
    }
)  # fmt: skip
"""What only makes a value of others, of its own lane."""

Condition = tuple[str, bool]
"""A predicate, and its value where a result counts."""


def asked_for(b: Builder, check: MOperand) -> MOperand:
    """The predicate `check`, where the result of the instruction counts."""
    assert b.inst is not None
    target = b.inst.operands[0]
    under = conditions(b.flat).get(target.name) if isinstance(target, ptx.Reg) else None
    if under is None:
        return check
    return b.both(check, b.pred_of(ptx.Reg(under[0], neg=not under[1])))


def conditions(flat: Flat) -> dict[str, Condition]:
    """Of each division and root whose result counts under a condition."""
    if flat.wanted is None:
        flat.wanted = _conditions(flat.statements)
    return flat.wanted


def _conditions(statements: list[ptx.Inst | ptx.Label]) -> dict[str, Condition]:
    if not {"selp"} < {s.opcode for s in statements if type(s) is ptx.Inst} & (_LONG | {"selp"}):
        return {}
    made: dict[str, tuple[int, int]] = {}
    """Register -> the stretch that makes it, and where."""
    several: set[str] = set()
    """Those that are made more than once, or that a turn has from the one before."""
    stretch = 0
    for at, inst in enumerate(statements):
        if not isinstance(inst, ptx.Inst):
            stretch += 1
            continue
        for k, operand in enumerate(inst.operands):
            for name in names_of(operand):
                if (k == 0) == (name in made):
                    several.add(name)
                elif k == 0:
                    made[name] = (stretch, at)
    counts: dict[str, Condition | None] = dict.fromkeys(several)
    """Register -> where it counts; None if anywhere."""
    found: dict[str, Condition] = {}
    for inst in reversed(statements):
        if not isinstance(inst, ptx.Inst) or not inst.operands:
            continue
        target = inst.operands[0]
        own = counts.get(target.name) if isinstance(target, ptx.Reg) else None
        computes = inst.guard is None and inst.opcode in _COMPUTES
        if own and inst.opcode in _LONG and computes:
            assert isinstance(target, ptx.Reg)
            (where, at), by = made[target.name], made.get(own[0])
            if by is not None and by[0] == where and by[1] < at and own[0] not in several:
                found[target.name] = own
        selects = inst.opcode == "selp" and inst.guard is None
        for k, operand in enumerate(inst.operands):
            for name in names_of(operand):
                if k == 0 and operand is target and isinstance(target, ptx.Reg) and (computes or selects):
                    continue
                under = own if computes else None
                if selects and k in (1, 2) and inst.operands[1] != inst.operands[2]:
                    under = _condition(inst.operands[3], k == 1)
                if under is None or counts.setdefault(name, under) != under:
                    counts[name] = None
    return found


def _condition(predicate: ptx.Operand, value: bool) -> Condition | None:
    return (predicate.name, value != predicate.neg) if isinstance(predicate, ptx.Reg) else None
