"""What a loop computes slowly and alike in all its turns is computed before it: the reciprocals of divisors, above all.

    loop: f = I2F d; g = MUFU.RCP f; r = F2I g; q = IMAD.HI x, r; ...       f, g, r before the loop, q in it

LLVM has moved what it knows of; a division is one instruction there, and only here does it have parts that hang on the
divisor alone. What goes is what the units for conversions and special functions compute, what that needs, and what is
made of it, as long as few values are then kept over the loop. Nothing of it can fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, append
from minicc.ptxas.mir import MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, parts, parts_read, parts_written, reads
from minicc.ptxas.optimise.cse import is_pure
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.sass.instr import Reg

_SLOW = frozenset({"MUFU", "I2F", "F2I"})
_KEPT = 10
"""Registers that one loop may cost."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Move such computations before the outermost loop that leaves them as they are."""
    slow = {b for b, block in enumerate(function.blocks) if any(inst.mnemonic in _SLOW for inst in block.insts)}
    if not slow:
        return
    cfg = Cfg.of(function)
    loops = cfg.loops()
    places = {part: found.block for part, found in Single.of(function).table.items()}
    for header, body in sorted(loops, key=lambda loop: -len(loop[1])):
        before = cfg.dominators()[header]
        if body.isdisjoint(slow) or before < 0 or before in body:
            continue
        if all(before not in other or header in other for _, other in loops):
            insts = [inst for b in sorted(body, key=cfg.nesting().__getitem__) for inst in function.blocks[b].insts]
            if gone := _leaving(insts, body, places):
                for b in body:
                    block = function.blocks[b]
                    block.insts = [inst for inst in block.insts if id(inst) not in gone]
                append(function.blocks[before], list(gone.values()))
                places.update((part, before) for inst in gone.values() for part in parts_written(inst))
                slow.add(before)


def _leaving(insts: list[MInst], body: set[int], places: dict[Part, int]) -> dict[int, MInst]:
    """By id, what of a loop's instructions goes, in order. `places`: blocks of parts that are written once."""
    still: list[MInst] = []
    made: dict[Part, MInst] = {}

    def fixed(read: V | Reg) -> bool:
        if not isinstance(read, V) or read.reg.file != "R":
            return False
        return all(part in places and (places[part] not in body or part in made) for part in parts(read))

    for inst in insts:
        if _movable(inst) and all(p in places for p in parts_written(inst)) and all(map(fixed, reads(inst))):
            still.append(inst)
            made.update(dict.fromkeys(parts_written(inst), inst))
    if not any(inst.mnemonic in _SLOW for inst in still):
        return {}
    users: dict[Part, list[MInst]] = {}
    """What reads each part."""
    for inst in insts:
        for part in parts_read(inst):
            if part in made:
                users.setdefault(part, []).append(inst)
    gone: set[int] = set()
    kept = 0
    for group in _groups(still, made, users):
        lasting = {
            p
            for inst in group.values()
            for p in parts_written(inst)
            if any(id(user) not in group for user in users.get(p, ()))
        }
        if kept + len(lasting) <= _KEPT:
            kept += len(lasting)
            gone |= group.keys()
    return {id(inst): inst for inst in still if id(inst) in gone}


def _movable(inst: MInst) -> bool:
    """Whether it may be computed earlier, if what it reads is there."""
    return (
        (is_pure(inst) or inst.mnemonic == "MOV")
        and not guarded(inst)
        and not inst.side_effect
        and not inst.memory
        and not inst.hidden
        and not inst.implicit_reads
        and all(isinstance(d, V) and d.reg.file == "R" and d.reg.fixed is None for d in inst.dsts)
    )


def _groups(still: list[MInst], made: dict[Part, MInst], users: dict[Part, list[MInst]]) -> Iterator[dict[int, MInst]]:
    """By id, what goes together: something slow, all that is made of it, and all that this needs."""
    movable = set(map(id, still))
    done: set[int] = set()
    for slow in still:
        if slow.mnemonic not in _SLOW or id(slow) in done:
            continue
        group = {id(slow): slow}
        todo = [slow]
        while todo:
            for p in parts_written(todo.pop()):
                for user in users.get(p, ()):
                    if id(user) in movable and id(user) not in group:
                        group[id(user)] = user
                        todo.append(user)
        todo = list(group.values())
        while todo:
            for p in parts_read(todo.pop()):
                if p in made and id(made[p]) not in group:
                    group[id(made[p])] = made[p]
                    todo.append(made[p])
        done |= group.keys()
        yield group
