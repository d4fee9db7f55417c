"""Branch layout: the blocks of a loop stand together, so that a turn of the loop takes one jump.

A: @!P BRA C         A: @P BRA B
B: ...; BRA D        C: ...; @Q BRA A
C: ...; @Q BRA A  -> E: BRA D
D: ...               B: ...
                     D: ...

and a loop's last branch goes back: `@P BRA out; BRA loop` is turned.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, falls_through, is_plain, target_of
from minicc.ptxas.mir import Block, MFunction, MInst, V
from minicc.ptxas.options import Options
from minicc.record import evolve
from minicc.sass.instr import Target


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Move blocks that stand inside a loop's span without belonging to it behind the loop, outer loops first."""
    loops = Cfg.of(function).loops()
    if not loops:
        return
    order = list(range(len(function.blocks)))
    place = order[:]
    for _, body in sorted(loops, key=lambda loop: -len(loop[1])):
        places = [place[b] for b in body]
        first, last = min(places), max(places)
        if first and len(places) <= last - first:
            span = order[first : last + 1]
            order[first : last + 1] = [b for b in span if b in body] + [b for b in span if b not in body]
            for at in range(first, last + 1):
                place[order[at]] = at
    if order != sorted(order):
        arrange(function, order)
    _turn(function)


def _turn(function: MFunction) -> None:
    """`@P BRA out; BRA loop` becomes `@!P BRA loop; BRA out`."""
    depth = {block.label: block.loop_depth for block in function.blocks}
    for block in function.blocks:
        if len(block.insts) < 2:
            continue
        leave, stay = block.insts[-2:]
        out, loop = target_of(leave), target_of(stay)
        if leave.mnemonic != "BRA" or stay.mnemonic != "BRA" or len(leave.srcs) != 1 or not is_plain(stay):
            continue
        if isinstance(leave.guard, V) and out is not None and loop is not None and depth[loop] > depth[out]:
            leave.guard = evolve(leave.guard, inv=not leave.guard.inv)
            leave.srcs, stay.srcs = stay.srcs, leave.srcs


def arrange(function: MFunction, order: list[int]) -> None:
    """Put the blocks into a new order; branches are turned, dropped or added to keep the edges."""
    before = function.blocks
    onward = [
        before[at + 1].label if at + 1 < len(before) and falls_through(b) else None for at, b in enumerate(before)
    ]
    function.blocks = [before[b] for b in order]
    for at, b in enumerate(order):
        follows = function.blocks[at + 1].label if at + 1 < len(order) else None
        _end(before[b], onward[b], follows)


def _end(block: Block, onward: str | None, follows: str | None) -> None:
    """Give a block that went on at `onward` (None: it ended with a jump) the ending it needs before `follows`."""
    insts = block.insts
    last = insts[-1] if insts else None
    if onward is None:
        if last is None or last.mnemonic != "BRA" or not is_plain(last):
            return
        onward = target_of(last)
        jump = insts.pop()
        last = insts[-1] if insts else None
    else:
        jump = MInst("BRA", (), (), (Target(label=onward),), side_effect=True)
    if onward == follows or onward is None:
        return
    turns = last is not None and last.mnemonic == "BRA" and len(last.srcs) == 1 and target_of(last) == follows
    if turns and last is not None and isinstance(last.guard, V):
        last.guard = evolve(last.guard, inv=not last.guard.inv)
        last.srcs = (Target(label=onward),)
        return
    insts.append(jump)
