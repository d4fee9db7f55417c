"""Phis of integers that only carry the bits of floats become phis of floats.

Classes of CUDA keep halves as their bits, and LLVM leaves a phi of i16 where a loop's sum is stored after it. An i16
lives in a register of 32 bits, so each turn would widen each half, and ptxas could not keep two of them in a register.
A web of phis is retyped if all that flows into it are bitcasts of one type of float and constants, and nothing computes
with it.
"""

from __future__ import annotations

from minicc.isel.prepare.sink import users
from minicc.nvvm import ir

_CARRIES = frozenset({"bitcast", "store", "insertelement", "insertvalue", "phi"})
_FLOATS = ("half", "bfloat", "float", "double")


def retype(function: ir.Function) -> None:
    """Rewrite in place. Bitcasts that nothing asks for any more remain."""
    phis = [i for block in function.blocks for i in block.insts if i.op == "phi" and i.type.kind == "int"]
    if not any(_source(arg) for phi in phis for arg in phi.args):
        return
    used = users(function)
    known: set[ir.Inst] = set()
    for phi in phis:
        if phi not in known:
            web = _web(phi, used)
            known.update(web)
            kind = _kind(web, used)
            if kind is not None:
                _rewrite(web, kind, used)


def _source(value: ir.Value) -> ir.Type | None:
    """The type of float whose bits a value is."""
    if isinstance(value, ir.Inst) and value.op == "bitcast" and value.args[0].type.kind in _FLOATS:
        return value.args[0].type
    return None


def _web(phi: ir.Inst, used: dict[ir.Value, list[ir.Inst]]) -> dict[ir.Inst, None]:
    """Phis that are connected by what flows from one to another."""
    found = {phi: None}
    work = [phi]
    while work:
        inst = work.pop()
        for other in (*inst.args, *used.get(inst, ())):
            if isinstance(other, ir.Inst) and other.op == "phi" and other not in found:
                found[other] = None
                work.append(other)
    return found


def _kind(web: dict[ir.Inst, None], used: dict[ir.Value, list[ir.Inst]]) -> ir.Type | None:
    """The float that all inputs of a web have the bits of, if nothing computes with the integers."""
    kinds: set[ir.Type] = set()
    for phi in web:
        if any(user.op not in _CARRIES for user in used.get(phi, ())):
            return None
        for arg in phi.args:
            if arg in web or isinstance(arg, (ir.ConstInt, ir.Zero, ir.Undef)):
                continue
            kind = _source(arg)
            if kind is None:
                return None
            kinds.add(kind)
    return kinds.pop() if len(kinds) == 1 else None


def _rewrite(web: dict[ir.Inst, None], kind: ir.Type, used: dict[ir.Value, list[ir.Inst]]) -> None:
    for phi in web:
        back = ir.Inst(phi.type, "bitcast", [phi])
        back.parent, back.offset = phi.parent, phi.offset
        for user in used.get(phi, ()):
            if user not in web:
                user.args = [back if arg is phi else arg for arg in user.args]
        assert phi.parent is not None
        insts = phi.parent.insts
        first = next(at for at, inst in enumerate(insts) if inst.op != "phi")
        insts.insert(first, back)
    for phi in web:
        phi.type = kind
        phi.args = [_carried(arg, web, kind) for arg in phi.args]


def _carried(value: ir.Value, web: dict[ir.Inst, None], kind: ir.Type) -> ir.Value:
    """A phi's input as a float."""
    match value:
        case ir.ConstInt():
            return ir.ConstFloat(kind, value.value)
        case ir.Zero() | ir.Undef():
            return type(value)(kind)
        case ir.Inst() if value not in web:
            return value.args[0]
    return value
