"""Values that are always equal are one: phis, then comparisons, and what freezing hid from LLVM.

LLVM makes a remainder of the quotient of frozen operands, since of undefined ones both would be two numbers; its value
numbering then takes the quotient for another one than that of the operands as they were. A register has one value.

LLVM keeps two phis that go round a loop in step (a counter, and what memory held of it, or the count of an unrolled
loop's turns), since each equals the other only if the other does. Here all phis of a type in a block begin as equal,
and are parted while their inputs differ.
Where a phi's input is undefined it may be that of another one: before a loop whose turns LLVM counted by fours stand
the sum so far, and the sum at the end, which nobody asks for where there was no turn. A selection with an
undefined side is its other side.

LLVM's CodeGenPrepare gives each block that branches on a comparison one of its own, for targets whose flags do not
live long; LLVM's backends take them for one again after selection. So does this, before it: of equal comparisons, the
uses of those that another one dominates become uses of that one, the branches and selections on its inverse too. A
predicate then lives from there on.
"""

from __future__ import annotations

from minicc.isel.dag import FINVERT, INVERT
from minicc.isel.order import dominators
from minicc.nvvm import ir
from minicc.nvvm.tokens import BINARY


def unite(function: ir.Function) -> None:
    """Rewrite in place."""
    if frozen := _frozen(function):
        replace(function, frozen)
        replace(function, _computed(function))
    replace(function, _phis(function))
    replace(function, _undefined(function))
    replace(function, _one_sided(function))
    unite_comparisons(function)


def unite_comparisons(function: ir.Function) -> None:
    """Rewrite in place: what is asked twice is asked once, where a loop's question was moved before it as well."""
    replace(function, _comparisons(function))


def _frozen(function: ir.Function) -> dict[ir.Value, ir.Value]:
    """Frozen values and what they are of: a register has one value, whoever reads it."""
    found: dict[ir.Value, ir.Value] = {}
    for block in function.blocks:
        for inst in block.insts:
            if inst.op == "freeze" and not isinstance(inst.args[0], ir.Undef):
                found[inst] = inst.args[0]
    return found


def _computed(function: ir.Function) -> dict[ir.Value, ir.Value]:
    """Integers that a dominating instruction, or an earlier one of the block, has computed in the same way."""
    above = dominators(function)
    made: dict[object, list[ir.Inst]] = {}
    instead: dict[ir.Value, ir.Value] = {}
    for block in above:
        for inst in block.insts:
            if inst.op not in BINARY or inst.type.kind != "int":
                continue
            key = (inst.op, inst.type, *(key_of(instead.get(arg, arg)) for arg in inst.args))
            before = made.setdefault(key, [])
            leader = next((other for other in before if _dominates(above, other.parent, block)), None)
            if leader is None:
                before.append(inst)
            else:
                leader.flags &= inst.flags
                instead[inst] = leader
    return instead


def _dominates(above: dict[ir.Block, ir.Block | None], a: ir.Block | None, b: ir.Block | None) -> bool:
    while b is not None and b is not a:
        b = above[b]
    return b is a


def _phis(function: ir.Function) -> dict[ir.Value, ir.Value]:
    """Phis and the first one of their block that they equal. Linear in phis and inputs for each round, and there are
    as many rounds as a difference takes to travel from phi to phi."""
    groups: dict[tuple[ir.Block, ir.Type], list[ir.Inst]] = {}
    for block in function.blocks:
        for inst in block.insts:
            if inst.op != "phi":
                break
            groups.setdefault((block, inst.type), []).append(inst)
    classes = [group for group in groups.values() if len(group) > 1]
    while classes:
        number: dict[ir.Value, object] = {phi: n for n, group in enumerate(classes) for phi in group}
        parted: list[list[ir.Inst]] = []
        for group in classes:
            alike: dict[frozenset[tuple[ir.Block, object]], list[ir.Inst]] = {}
            for phi in group:
                inputs = [_input(arg, number) for arg in phi.args]
                alike.setdefault(frozenset(zip(phi.blocks, inputs, strict=True)), []).append(phi)
            parted += [some for some in alike.values() if len(some) > 1]
        if sum(map(len, parted)) == len(number) and len(parted) == len(classes):
            break
        classes = parted
    return {phi: group[0] for group in classes for phi in group[1:]}


def _input(value: ir.Value, number: dict[ir.Value, object]) -> object:
    """A phi's input; sums that one block makes of phis that are equal so far, and of other things, are equal so far."""
    if isinstance(value, ir.Inst) and value not in number and value.op in ("add", "sub"):
        return value.op, value.parent, *[number.get(arg, key_of(arg)) for arg in value.args]
    return number.get(value, key_of(value))


def _undefined(function: ir.Function) -> dict[ir.Value, ir.Value]:
    """Phis with undefined inputs, and one of their block that has all their others."""
    found: dict[ir.Value, ir.Value] = {}
    for block in function.blocks:
        phis = [inst for inst in block.insts if inst.op == "phi"]
        for phi in phis:
            if not any(isinstance(arg, ir.Undef) for arg in phi.args) or phi in found.values():
                continue
            wanted = {(b, key_of(a)) for b, a in zip(phi.blocks, phi.args, strict=True) if not isinstance(a, ir.Undef)}
            for other in phis:
                has = set(zip(other.blocks, map(key_of, other.args), strict=True))
                if wanted <= has and other is not phi and other.type is phi.type and other not in found:
                    found[phi] = other
                    break
    return found


def _one_sided(function: ir.Function) -> dict[ir.Value, ir.Value]:
    """Selections with an undefined side, and the other side."""
    found: dict[ir.Value, ir.Value] = {}
    for block in function.blocks:
        for inst in block.insts:
            if inst.op == "select":
                _, yes, no = inst.args
                if isinstance(no, ir.Undef) or isinstance(yes, ir.Undef):
                    found[inst] = yes if isinstance(no, ir.Undef) else no
    return found


def _comparisons(function: ir.Function) -> dict[ir.Value, ir.Value]:
    """Comparisons and a dominating one that they equal. Those that ask the inverse are turned round first."""
    found: dict[tuple[object, ...], dict[ir.Block, list[ir.Inst]]] = {}
    for block in function.blocks:
        for inst in block.insts:
            if inst.op in ("icmp", "fcmp"):
                # Where the operands' signs differ a comparison with `samesign` is poison; code is the same for both.
                key = (inst.op, _pair(inst), inst.flags - {"samesign"}, *map(key_of, inst.args))
                found.setdefault(key, {}).setdefault(block, []).append(inst)
    equal = [places for places in found.values() if sum(map(len, places.values())) > 1]
    if not equal:
        return {}
    above = dominators(function)
    instead: dict[ir.Inst, ir.Inst] = {}
    for places in equal:
        for block, insts in places.items():
            leader = insts[0]
            at = above.get(block)
            while at is not None:
                leader = places[at][0] if at in places else leader
                at = above.get(at)
            instead.update((inst, leader) for inst in insts if inst is not leader)
    inverse: set[ir.Value] = {inst for inst, leader in instead.items() if inst.pred != leader.pred}
    kept = _turned(function, inverse)
    return {inst: leader for inst, leader in instead.items() if inst not in kept}


def _pair(inst: ir.Inst) -> frozenset[str]:
    """A predicate and its inverse."""
    return frozenset((inst.pred, (INVERT if inst.op == "icmp" else FINVERT).get(inst.pred, inst.pred)))


def _turned(function: ir.Function, inverse: set[ir.Value]) -> set[ir.Value]:
    """Exchange what branches and selections on these comparisons choose between; those with other uses, which stay."""
    if not inverse:
        return set()
    choices: list[ir.Inst] = []
    others: set[ir.Value] = set()
    for inst in function.instructions():
        if inst.op in ("br", "select") and inst.args and inst.args[0] in inverse:
            choices.append(inst)
            others.update(inverse.intersection(inst.args[1:]))
        else:
            others.update(inverse.intersection(inst.args))
    for inst in choices:
        if inst.args[0] in others:
            continue
        if inst.op == "br":
            inst.blocks = inst.blocks[::-1]
        else:
            inst.args = [inst.args[0], inst.args[2], inst.args[1]]
    return others


def replace(function: ir.Function, instead: dict[ir.Value, ir.Value]) -> None:
    """Remove the keys, and use their values, which may be keys again, in place of them."""
    if not instead:
        return
    for value in instead:  # what stands in place of another may go, too
        while instead[value] in instead:
            instead[value] = instead[instead[value]]
    for block in function.blocks:
        block.insts = [inst for inst in block.insts if inst not in instead]
        for inst in block.insts:
            if any(arg in instead for arg in inst.args):
                inst.args = [instead.get(arg, arg) for arg in inst.args]


def key_of(value: ir.Value) -> object:
    """Equal for equal values."""
    if isinstance(value, ir.ConstInt):
        return value.type, value.value
    if isinstance(value, ir.ConstFloat):
        return value.type, value.bits
    if isinstance(value, ir.Global):
        return value.name
    return value.type if isinstance(value, ir.Zero) else value
