"""Small tidying passes: unreachable blocks, jumps to jumps and to exits, values that nobody reads."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

from minicc.graphs import nesting
from minicc.ptxas.lower.graph import Graph, ends, link
from minicc.ptxas.mir import TRUE, ZERO, Block, MFunction, MInst, MOperand, V, VConst, VMem
from minicc.ptxas.operands import reads
from minicc.ptxas.optimise.dead import sweep
from minicc.record import evolve
from minicc.sass.instr import Reg, Target


def prune(function: MFunction) -> None:
    """Drop blocks that cannot be reached."""
    link(function)
    index = {b.label: b for b in function.blocks}
    seen = {function.blocks[0].label}
    stack = [function.blocks[0]]
    while stack:
        block = stack.pop()
        for label in (*block.succs, *_marked(block)):
            if label not in seen:
                seen.add(label)
                stack.append(index[label])
    function.blocks = [b for b in function.blocks if b.label in seen]
    link(function)


def _marked(block: Block) -> list[str]:
    """Labels that BSSYs of a block name."""
    return [t.label for i in block.insts if i.mnemonic == "BSSY" for t in i.srcs if isinstance(t, Target) and t.label]


def thread(function: MFunction, kept: Container[str] = ()) -> None:
    """Branches to a block that only branches, or only exits, go there (or exit) at once; not past those of `kept`."""
    onward: dict[str, str] = {}
    exits: set[str] = set()
    for position, block in enumerate(function.blocks):
        if block.label in kept:
            continue
        if len(block.insts) == 1 and block.insts[0].guard == TRUE:
            only = block.insts[0]
            if only.mnemonic == "BRA":
                target = only.srcs[0]
                assert isinstance(target, Target) and target.label
                onward[block.label] = target.label
            elif only.mnemonic == "EXIT":
                exits.add(block.label)
        elif not block.insts and position + 1 < len(function.blocks):
            onward[block.label] = function.blocks[position + 1].label

    def final(label: str) -> str:
        seen = set()
        while label in onward and label not in seen:
            seen.add(label)
            label = onward[label]
        return label

    for block in function.blocks:
        for inst in block.insts:
            if inst.mnemonic == "BRA":
                target = inst.srcs[0]
                assert isinstance(target, Target) and target.label
                label = final(target.label)
                if label in exits:
                    inst.mnemonic, inst.srcs, inst.side_effect = "EXIT", (), True
                elif label != target.label:
                    inst.srcs = (Target(label=label),)
            elif inst.mnemonic == "BSSY":
                target = inst.srcs[0]
                assert isinstance(target, Target) and target.label
                inst.srcs = (Target(label=final(target.label)),)
    prune(function)


def fold_empty(function: MFunction, lasting: Container[str] = ()) -> None:
    """Remove blocks without instructions; what went to one goes to the block after it. Not those of `lasting`."""
    onward: dict[str, str] = {}
    kept: list[Block] = []
    label: str | None = None
    for block in reversed(function.blocks):
        if not block.insts and label is not None and block.label not in lasting:
            onward[block.label] = label
        else:
            kept.append(block)
            label = block.label
    if not onward:
        return
    function.blocks = kept[::-1]
    for block in function.blocks:
        for inst in block.insts:
            for source in inst.srcs:
                if isinstance(source, Target) and source.label in onward:
                    inst.srcs = tuple(
                        Target(label=onward.get(s.label or "", s.label)) if isinstance(s, Target) else s
                        for s in inst.srcs
                    )
                    break
    link(function)


def straighten(function: MFunction, kept: Container[str] = ()) -> None:
    """Drop branches to the next block, and join a block to its only successor where that has no other predecessor;
    empty blocks go, but for those of `kept`."""
    fold_empty(function, kept)
    blocks = function.blocks
    for here, after in pairwise(blocks):
        _turn(here, after)
        if here.insts and here.insts[-1].mnemonic == "BRA":
            target = here.insts[-1].srcs[0]
            if isinstance(target, Target) and target.label == after.label:
                here.insts.pop()
    link(function)
    counts: dict[str, int] = {}
    for block in blocks:
        for label in block.succs:
            counts[label] = counts.get(label, 0) + 1
    named = {t.label for block in blocks for inst in block.insts for t in inst.srcs if type(t) is Target}
    out: list[Block] = []
    for block in blocks:
        previous = out[-1] if out else None
        if (
            previous is not None
            and previous.succs == [block.label]
            and counts.get(block.label) == 1
            and block.label not in named
            and not ends(previous)
        ):
            previous.insts += block.insts
            previous.succs = block.succs
        else:
            out.append(block)
    function.blocks = out
    link(function)


def _turn(here: Block, after: Block) -> None:
    """[@P BRA next][BRA other] becomes [@!P BRA other]."""
    if len(here.insts) < 2:
        return
    first, second = here.insts[-2:]
    if first.mnemonic != "BRA" or second.mnemonic != "BRA" or second.guard != TRUE or not isinstance(first.guard, V):
        return
    if first.srcs == (Target(label=after.label),):
        first.guard = evolve(first.guard, inv=not first.guard.inv)
        first.srcs = second.srcs
        here.insts.pop()


def discard(function: MFunction) -> None:
    """Results that nobody reads go to PT or RZ; an atomic without a result is a reduction."""
    used: set[int] = set()
    for block in function.blocks:
        for inst in block.insts:
            used.update([v.reg.id for v in reads(inst) if type(v) is V])
    for block in function.blocks:
        for inst in block.insts:
            several = len(inst.dsts) > 1 or inst.mnemonic == "ATOMS"
            if several and any(isinstance(d, V) and d.reg.id not in used for d in inst.dsts):
                atomic = inst.memory == "atomic"
                inst.dsts = tuple(
                    _nothing(d, atomic) if isinstance(d, V) and d.reg.id not in used else d for d in inst.dsts
                )
            if inst.mnemonic == "ATOMG" and inst.dsts == (TRUE, ZERO) and not {"CAS", "EXCH"} & set(inst.modifiers):
                inst.mnemonic, inst.dsts = "REDG", ()


def _nothing(d: V, atomic: bool) -> MOperand:
    if d.reg.file == "P":
        return TRUE
    return ZERO if atomic and d.reg.file == "R" else d


def propagate(function: MFunction) -> None:
    """Replace copies by what they copy, where both registers have one definition and the copy dominates the use."""
    moves = [i for b in function.blocks for i in b.insts if i.mnemonic == "MOV" and type(i.srcs[0]) is V]
    involved = {v.reg.id for inst in moves for v in (*inst.dsts, *inst.srcs) if isinstance(v, V)}
    definitions: dict[tuple[int, int], list[tuple[int, int, MInst]]] = {}
    for number, block in enumerate(function.blocks if moves else ()):
        for position, inst in enumerate(block.insts):
            for d in (*inst.dsts, *inst.implicit_writes):
                if type(d) is V and d.reg.id in involved:
                    for part in d.parts:
                        definitions.setdefault(part, []).append((number, position, inst))
    copies: dict[int, tuple[V, int, int]] = {}
    for inst in moves:
        found = _copy(inst, definitions)
        if found is not None:
            d, source, number, position = found
            copies[d.reg.id] = (source, number, position)
    if not copies:
        return
    graph = Graph.of(function)
    nested = nesting(graph.dominators())

    def usable(reg: int, number: int, position: int) -> bool:
        _, at, index = copies[reg]
        if at == number:
            return index < position
        return nested[at][0] <= nested[number][0] <= nested[at][1]

    def swap(x: MOperand | None, number: int, position: int) -> MOperand | None:
        if isinstance(x, V):
            for _ in range(8):
                if x.reg.id not in copies or not usable(x.reg.id, number, position):
                    break
                x = evolve(x, reg=copies[x.reg.id][0].reg)
            return x
        if isinstance(x, VMem):
            base = swap(x.base, number, position)
            assert base is None or isinstance(base, V | Reg)
            return x if base is x.base else evolve(x, base=base)
        if isinstance(x, VConst):
            base = swap(x.base, number, position)
            assert base is None or isinstance(base, V | Reg)
            return x if base is x.base else evolve(x, base=base)
        return x

    for number, block in enumerate(function.blocks):
        for position, inst in enumerate(block.insts):
            if not any(type(v) is V and v.reg.id in copies for v in reads(inst)):
                continue
            inst.srcs = tuple([swap(x, number, position) for x in inst.srcs])  # type: ignore[misc]
            if isinstance(inst.guard, V):
                guard = swap(inst.guard, number, position)
                assert isinstance(guard, V | Reg)
                inst.guard = guard


def _copy(
    inst: MInst, definitions: dict[tuple[int, int], list[tuple[int, int, MInst]]]
) -> tuple[V, V, int, int] | None:
    """(destination, source, block, position) if the instruction completes a plain copy of a whole register."""
    if inst.mnemonic != "MOV" or inst.guard != TRUE or len(inst.srcs) != 1:
        return None
    d, source = inst.dsts[0], inst.srcs[0]
    if not isinstance(d, V) or not isinstance(source, V) or d.reg.width != source.reg.width:
        return None
    if d.reg.fixed is not None or source.reg.fixed is not None:
        return None
    if d.reg.file != "R" or source.reg.file != "R" or d.part != d.reg.width - 1 or d.reg is source.reg:
        return None
    last = (0, 0)
    for part in range(d.reg.width):
        mine = definitions.get((d.reg.id, part), [])
        theirs = definitions.get((source.reg.id, part), [])
        if len(mine) != 1 or len(theirs) != 1:
            return None
        number, position, copy = mine[0]
        if copy.mnemonic != "MOV" or copy.guard != TRUE or theirs[0][2].guard != TRUE:
            return None
        if copy.srcs != (V(source.reg, part),) or number != definitions[(d.reg.id, d.part)][0][0]:
            return None
        last = max(last, (number, position))
    return d, source, last[0], last[1]


def clean(function: MFunction) -> None:
    """What every function goes through last."""
    straighten(function)
    propagate(function)
    sweep(function)
    discard(function)
