"""Which PTX registers hold one value for all lanes, as far as definitions show it.

A register with one definition, not under a guard, whose operands are constants, launch parameters, block coordinates or
such registers. One that depends on itself is none. What a lane of the whole warp has (shfl.idx with a constant lane,
not one of each part of the warp) counts too.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder

_PURE = frozenset(
    {"mov", "add", "sub", "mul", "mad", "mul24", "mad24", "shl", "shr", "and", "or", "xor", "not", "neg", "min", "max",
     "abs", "bfe", "bfi", "lop3", "prmt", "shf", "cvt", "cvta", "mapa", "div", "rem", "popc", "clz"}
)  # fmt: skip
_SPECIAL = ("%ctaid", "%nctaid", "%ntid", "%cluster", "%nclusterid", "%smid", "%nsmid", "%gridid")
_WHOLE = (31, -1), (31, 0xFFFFFFFF)
"""The last operands of a shfl.sync.idx of the whole warp: no bits of the lane's number are kept, and all are there."""
_DEPTH = 64
"""Definitions followed one after another; beyond, nothing is known."""


def same(b: Builder, operand: ptx.Operand) -> bool:
    """Has the operand (or address) one value in all lanes?"""
    if b.definitions is None:
        b.definitions = _definitions(b)
    return _same(b, operand, b.definitions, 0)


def _definitions(b: Builder) -> dict[str, ptx.Inst | bool]:
    """What defines each register, or False where more than one thing does."""
    found: dict[str, ptx.Inst | bool] = {}
    for inst in b.flat.statements:
        if not isinstance(inst, ptx.Inst) or not inst.operands or inst.opcode in ("bar", "barrier"):
            continue
        first = inst.operands[0]
        if isinstance(first, ptx.Reg):
            found[first.name] = False if first.name in found or inst.guard is not None else inst
        else:
            for item in _within(first):
                found[item.name] = False
    return found


def _within(operand: ptx.Operand | None) -> list[ptx.Reg]:
    if isinstance(operand, ptx.Reg):
        return [operand]
    if isinstance(operand, ptx.Pair):
        return [*_within(operand.first), *_within(operand.second)]
    if isinstance(operand, ptx.Vector | ptx.Tuple):
        return [r for item in operand.items for r in _within(item)]
    return []


def _same(b: Builder, operand: ptx.Operand | None, definitions: dict[str, ptx.Inst | bool], depth: int) -> bool:
    if isinstance(operand, ptx.Int | ptx.Float | ptx.Symbol):
        return True
    if isinstance(operand, ptx.Special):
        return operand.name.startswith(_SPECIAL)
    if isinstance(operand, ptx.Vector | ptx.Bracket):
        return all(_same(b, item, definitions, depth) for item in operand.items)
    if isinstance(operand, ptx.Address):
        return _same(b, operand.base, definitions, depth)
    if not isinstance(operand, ptx.Reg) or depth > _DEPTH:
        return False
    known = definitions.get(operand.name, False)
    if isinstance(known, bool):
        return known
    definitions[operand.name] = False  # until it is known: one that depends on itself is not the same
    if known.opcode == "ld":
        where = known.operands[1]
        base = where.base if isinstance(where, ptx.Address) else None
        answer = isinstance(base, ptx.Symbol) and base.name in b.entry_params
    elif known.opcode == "shfl":
        lane, parts, mask = [o.value if isinstance(o, ptx.Int) else None for o in (*known.operands, None)[2:5]]
        answer = "idx" in known.modifiers and lane is not None and (parts, mask) in _WHOLE
    else:
        answer = known.opcode in _PURE and all(_same(b, o, definitions, depth + 1) for o in known.operands[1:])
    definitions[operand.name] = answer
    return answer
