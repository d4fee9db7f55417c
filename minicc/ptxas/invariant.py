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
from minicc.ptxas.cse import is_pure
from minicc.ptxas.mir import MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, parts, parts_read, parts_written, reads
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.sass.instr import Reg

_SLOW = frozenset({"MUFU", "I2F", "F2I"})
_KEPT = 10
"""Registers that one loop may cost."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Move such computations before the outermost loop that leaves them as they are."""
    if not any(inst.mnemonic in _SLOW for block in function.blocks for inst in block.insts):
        return
    cfg = Cfg.of(function)
    loops = cfg.loops()
    for header, body in sorted(loops, key=lambda loop: -len(loop[1])):
        before = cfg.dominators()[header]
        if before >= 0 and before not in body and all(before not in other or header in other for _, other in loops):
            _move(function, before, body)


def _move(function: MFunction, before: int, body: set[int]) -> None:
    """Move them out of one loop, to the end of a block."""
    single = Single.of(function)
    insts = [inst for b in sorted(body, key=single.nested.__getitem__) for inst in function.blocks[b].insts]
    still: list[MInst] = []
    made: dict[Part, MInst] = {}

    def fixed(read: V | Reg) -> bool:
        if not isinstance(read, V) or read.reg.file != "R":
            return False
        found = [(part, single.table.get(part)) for part in parts(read)]
        return all(f is not None and (f.block not in body or part in made) for part, f in found)

    for inst in insts:
        if _movable(inst) and all(p in single.table for p in parts_written(inst)) and all(map(fixed, reads(inst))):
            still.append(inst)
            made.update(dict.fromkeys(parts_written(inst), inst))
    gone: set[int] = set()
    kept = 0
    for group in _groups(still, made):
        asked = {p for inst in insts if id(inst) not in group for p in parts_read(inst)}
        lasting = {p for inst in still if id(inst) in group for p in parts_written(inst)} & asked
        if kept + len(lasting) <= _KEPT:
            kept += len(lasting)
            gone |= group
    if not gone:
        return
    for b in body:
        block = function.blocks[b]
        block.insts = [inst for inst in block.insts if id(inst) not in gone]
    append(function.blocks[before], [inst for inst in still if id(inst) in gone])


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


def _groups(still: list[MInst], made: dict[Part, MInst]) -> Iterator[set[int]]:
    """Ids of what goes together: something slow, all that is made of it, and all that this needs."""
    done: set[int] = set()
    for n, slow in enumerate(still):
        if slow.mnemonic not in _SLOW or id(slow) in done:
            continue
        group = {id(slow)}
        for inst in still[n:]:
            if any(id(made[p]) in group for p in parts_read(inst) if p in made):
                group.add(id(inst))
        todo = [inst for inst in still if id(inst) in group]
        while todo:
            for p in parts_read(todo.pop()):
                if p in made and id(made[p]) not in group:
                    group.add(id(made[p]))
                    todo.append(made[p])
        done |= group
        yield group
