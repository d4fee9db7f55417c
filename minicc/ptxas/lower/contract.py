"""mul followed by add becomes fma where PTX allows it: neither names a rounding mode, nothing else needs the product.

PTX ISA, "add": "An add instruction with no rounding modifier ... may be optimized aggressively by the code optimizer";
compilers that do not want it write .rn. Works on the flat statement list, inside straight-line stretches, and chooses
as NVIDIA's ptxas 13.0 does (found by giving it such sequences): first products of one use, the first operand's before
the second's; then products that several additions use, which are computed again in each of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.ptx import model as ptx
from minicc.ptxas.lower.flatten import Flat
from minicc.record import evolve

_PLAIN: dict[tuple[str, ...], tuple[str, ...]] = {
    ("f32",): ("rn", "f32"),
    ("ftz", "f32"): ("rn", "ftz", "f32"),
    ("f64",): ("rn", "f64"),
}
"""Modifiers of a mul or add without rounding -> those of the fma."""


Product = tuple[int, ptx.Inst]
"""Where a multiplication stands, and the instruction."""


def contract(flat: Flat) -> None:
    """Fuse in place."""
    if not any(type(s) is ptx.Inst and s.opcode == "mul" and s.modifiers in _PLAIN for s in flat.statements):
        return
    uses = uses_of(flat)
    statements = flat.statements
    dead: set[int] = set()
    repeated: dict[int, int] = {}
    for index, inst, products in _sums(statements, uses):
        several = []
        for position in (1, 2):
            place, fused = _fuse(inst, position, products)
            if fused is None:
                continue
            if uses[_product(statements, place)][1] == 1:
                statements[index] = fused
                dead.add(place)
                break
            several.append(place)
        else:
            for place in several:
                repeated[place] = repeated.get(place, 0) + 1
    whole = {place for place, count in repeated.items() if count == uses[_product(statements, place)][1]}
    if whole:
        fusing = set(whole)
        for index, inst, products in _sums(statements, uses):
            for position in (1, 2):
                place, fused = _fuse(inst, position, products)
                if fused is None or place not in fusing:
                    continue
                statements[index] = fused
                repeated[place] -= 1
                other = inst.operands[3 - position]
                if isinstance(other, ptx.Reg) and other.name in products:
                    fusing.discard(products[other.name][0])  # an fma needs it as it is
                break
        dead |= {place for place in whole if not repeated[place]}
    if dead:
        flat.statements = [s for i, s in enumerate(statements) if i not in dead]


def _product(statements: list[ptx.Inst | ptx.Label], place: int) -> str:
    """The register of a product."""
    inst = statements[place]
    assert isinstance(inst, ptx.Inst) and isinstance(inst.operands[0], ptx.Reg)
    return inst.operands[0].name


def _sums(
    statements: list[ptx.Inst | ptx.Label], uses: dict[str, tuple[int, int]]
) -> Iterator[tuple[int, ptx.Inst, dict[str, Product]]]:
    """Each add and sub without rounding, with the products that are at hand there: made in its stretch, in a register
    that is written once, of factors that are still the same."""
    products: dict[str, Product] = {}
    of_factor: dict[str, list[str]] = {}
    """Register -> products that it is a factor of, or was."""
    for index, inst in enumerate(statements):
        if not isinstance(inst, ptx.Inst):
            products.clear()
            continue
        if products and inst.opcode in ("add", "sub") and inst.modifiers in _PLAIN and len(inst.operands) == 3:
            yield index, inst, products
        for written in names_of(inst.operands[0]) if products and inst.operands else ():
            # Stores and calls are taken for writers, to be safe.
            for name in (written, *of_factor.pop(written, ())):
                products.pop(name, None)
        if inst.opcode == "mul" and inst.guard is None and inst.modifiers in _PLAIN and len(inst.operands) == 3:
            d = inst.operands[0]
            factors = [name for operand in inst.operands[1:] for name in names_of(operand)]
            if isinstance(d, ptx.Reg) and uses.get(d.name, (0, 0))[0] == 1 and d.name not in factors:
                products[d.name] = (index, inst)
                for name in factors:
                    of_factor.setdefault(name, []).append(d.name)
        elif inst.opcode in ("bra", "brx", "ret", "exit", "call"):
            products.clear()


def _fuse(inst: ptx.Inst, position: int, products: dict[str, Product]) -> tuple[int, ptx.Inst | None]:
    """(where the product in an operand was made, the fma with it), or no fma."""
    mine, other = inst.operands[position], inst.operands[3 - position]
    if not isinstance(mine, ptx.Reg) or mine.name not in products or mine == other:
        return -1, None
    place, product = products[mine.name]
    if product.modifiers != inst.modifiers:
        return -1, None
    _, x, y = product.operands
    addend = other
    if inst.opcode == "sub":
        if position == 2:
            if isinstance(x, ptx.Reg):
                x = evolve(x, minus=True)
            elif isinstance(y, ptx.Reg):
                y = evolve(y, minus=True)
            else:
                return -1, None
        elif isinstance(addend, ptx.Reg):
            addend = evolve(addend, minus=True)
        elif isinstance(addend, ptx.Float):
            addend = ptx.Float(addend.bits ^ 1 << (addend.width - 1), addend.width)
        else:
            return -1, None
    operands = (inst.operands[0], x, y, addend)
    return place, ptx.Inst("fma", _PLAIN[inst.modifiers], operands, inst.guard, inst.loc, inst.where)


def names_of(operand: ptx.Operand | None) -> list[str]:
    if isinstance(operand, ptx.Reg):
        return [operand.name]
    if isinstance(operand, ptx.Vector | ptx.Tuple | ptx.Bracket):
        return [n for item in operand.items for n in names_of(item)]
    if isinstance(operand, ptx.Pair):
        return names_of(operand.first) + names_of(operand.second)
    if isinstance(operand, ptx.Address):
        return names_of(operand.base)
    return []


def uses_of(flat: Flat) -> dict[str, tuple[int, int]]:
    """Register -> (times it stands first, times it stands elsewhere)."""
    first: dict[str, int] = {}
    later: dict[str, int] = {}
    for inst in flat.statements:
        if not isinstance(inst, ptx.Inst):
            continue
        for position, operand in enumerate(inst.operands):
            table = first if position == 0 and not isinstance(operand, ptx.Address) else later
            for name in names_of(operand):
                table[name] = table.get(name, 0) + 1
        if inst.guard is not None:
            later[inst.guard.name] = later.get(inst.guard.name, 0) + 1
    return {name: (count, later.get(name, 0)) for name, count in first.items()}
