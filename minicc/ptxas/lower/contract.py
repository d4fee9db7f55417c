"""mul followed by add becomes fma where PTX allows it: neither names a rounding mode, and the product has no other use.

PTX ISA, "add": "An add instruction with no rounding modifier ... may be optimized aggressively by the code optimizer";
compilers that do not want it write .rn. Works on the flat statement list, inside straight-line stretches.
"""

from __future__ import annotations

import attrs

from minicc.ptx import model as ptx
from minicc.ptxas.lower.flatten import Flat

_PLAIN: dict[tuple[str, ...], tuple[str, ...]] = {
    ("f32",): ("rn", "f32"),
    ("ftz", "f32"): ("rn", "ftz", "f32"),
    ("f64",): ("rn", "f64"),
}
"""Modifiers of a mul or add without rounding -> those of the fma."""


def contract(flat: Flat) -> None:
    """Fuse in place."""
    if not any(type(s) is ptx.Inst and s.opcode == "mul" and s.modifiers in _PLAIN for s in flat.statements):
        return
    uses = _uses(flat)
    statements = flat.statements
    products: dict[str, tuple[int, ptx.Inst]] = {}
    dead: set[int] = set()
    for index, inst in enumerate(statements):
        if not isinstance(inst, ptx.Inst):
            products.clear()
            continue
        if products and inst.opcode in ("add", "sub") and inst.guard is None and inst.modifiers in _PLAIN:
            fused = _fuse(inst, products, uses)
            if fused is not None:
                new, place = fused
                statements[index] = inst = new
                dead.add(place)
        written = _written(inst)
        if written:
            for name in [n for n, (_, p) in products.items() if n in written or _reads(p, written)]:
                del products[name]
        if inst.opcode == "mul" and inst.guard is None and inst.modifiers in _PLAIN and len(inst.operands) == 3:
            d = inst.operands[0]
            if isinstance(d, ptx.Reg) and uses.get(d.name) == (1, 1) and not _reads(inst, {d.name}):
                products[d.name] = (index, inst)
        elif inst.opcode in ("bra", "brx", "ret", "exit", "call"):
            products.clear()
    if dead:
        flat.statements = [s for i, s in enumerate(statements) if i not in dead]


def _fuse(
    inst: ptx.Inst, products: dict[str, tuple[int, ptx.Inst]], uses: dict[str, tuple[int, int]]
) -> tuple[ptx.Inst, int] | None:
    """(the fma, where its product was made); the second operand's product is preferred."""
    if len(inst.operands) != 3:
        return None
    d, left, right = inst.operands
    for mine, other, second in ((right, left, True), (left, right, False)):
        if not isinstance(mine, ptx.Reg) or mine.name not in products or mine == other:
            continue
        place, product = products[mine.name]
        if product.modifiers != inst.modifiers:
            continue
        _, x, y = product.operands
        addend = other
        if inst.opcode == "sub":
            if second:
                if isinstance(x, ptx.Reg):
                    x = attrs.evolve(x, minus=True)
                elif isinstance(y, ptx.Reg):
                    y = attrs.evolve(y, minus=True)
                else:
                    continue
            elif isinstance(addend, ptx.Reg):
                addend = attrs.evolve(addend, minus=True)
            elif isinstance(addend, ptx.Float):
                addend = ptx.Float(addend.bits ^ 1 << (addend.width - 1), addend.width)
            else:
                continue
        new = ptx.Inst("fma", _PLAIN[inst.modifiers], (d, x, y, addend), None, inst.loc, inst.where)
        return new, place
    return None


def _names(operand: ptx.Operand | None) -> list[str]:
    if isinstance(operand, ptx.Reg):
        return [operand.name]
    if isinstance(operand, ptx.Vector | ptx.Tuple | ptx.Bracket):
        return [n for item in operand.items for n in _names(item)]
    if isinstance(operand, ptx.Pair):
        return _names(operand.first) + _names(operand.second)
    if isinstance(operand, ptx.Address):
        return _names(operand.base)
    return []


def _written(inst: ptx.Inst) -> set[str]:
    """Registers that an instruction may write (stores and calls included, to be safe)."""
    return set(_names(inst.operands[0])) if inst.operands else set()


def _reads(inst: ptx.Inst, names: set[str]) -> bool:
    return any(n in names for operand in inst.operands[1:] for n in _names(operand))


def _uses(flat: Flat) -> dict[str, tuple[int, int]]:
    """Register -> (times it stands first, times it stands elsewhere)."""
    first: dict[str, int] = {}
    later: dict[str, int] = {}
    for inst in flat.statements:
        if not isinstance(inst, ptx.Inst):
            continue
        for position, operand in enumerate(inst.operands):
            table = first if position == 0 and not isinstance(operand, ptx.Address) else later
            for name in _names(operand):
                table[name] = table.get(name, 0) + 1
        if inst.guard is not None:
            later[inst.guard.name] = later.get(inst.guard.name, 0) + 1
    return {name: (count, later.get(name, 0)) for name, count in first.items()}
