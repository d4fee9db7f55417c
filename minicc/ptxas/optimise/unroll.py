"""Unrolling: rounds of a short loop with loads are made together, so that their loads are under way together; so are
those of one with shuffles, such as a sum over the lanes in each round (what only some lanes do with it, they do under a
guard then, so that the loop is one block).

    loop: LDG v, [a]             entry: p = i < n; @p and n - i > 2: go on, else go to rest
          s = s + v; a = a + 4   four:  LDG v0, [a]; LDG v1, [a+4]; LDG v2, [a+8]; LDG v3, [a+12]
          i = i + 1; p = i < n          s = s + v0; s = s + v1; ...; a = a + 16; i = i + 4
          @p BRA loop         ->        p = i < n; @p and n - i > 3 BRA four
                                 rest:  @!p BRA out
                                 two:   (if two are left, so many together)
                                 loop:  (as it was, for what is left)

The loop is one block that a compare of a counter ends. What is counted is known as its value before the round plus a
constant; the rounds of `four` need no compare of their own, since as many as it makes remain (a difference without a
sign is exact where p holds, and where p is an inequality it says more than is needed). Loops that PTX marks
`.pragma "nounroll"` stay, as do those whose addresses come from the round before, or whose stores might be loaded.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import target_of
from minicc.ptxas.mir import Block, MFunction, V
from minicc.ptxas.operands import reads
from minicc.ptxas.optimise import dead, flow, ifconvert
from minicc.ptxas.options import Options
from minicc.sass.instr import Target

_LONGEST = 112
"""Instructions of a loop that is looked at; what nobody reads is among them."""


def _exchanges(block: Block) -> bool:
    """Whether it is in a loop, and lanes ask one another there."""
    return block.loop_depth > 0 and any(inst.mnemonic == "SHFL" for inst in block.insts)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Unroll every loop that is worth it."""
    if any(map(_exchanges, function.blocks)):
        ifconvert.convert(function, _exchanges)
        flow.straighten(function, arch, options)
    loops = [
        b for b in function.blocks
        if b.label in b.succs and b.label not in function.rolled and len(b.insts) <= _LONGEST
        and any(i.mnemonic in ("LDG", "SHFL") for i in b.insts)
    ]  # fmt: skip
    if not loops:
        return
    from minicc.ptxas.optimise.counting import Unfit
    from minicc.ptxas.optimise.together import Rounds, inner

    nested = inner(function, arch)

    made: dict[str, list[Block]] = {}
    homes: dict[int, set[str]] = {}
    for block in function.blocks:
        for inst in block.insts:
            for r in reads(inst):
                if isinstance(r, V):
                    homes.setdefault(r.reg.id, set()).add(block.label)
    for block in loops:
        dead.drop_overwritten(block)
        try:
            made[block.label] = Rounds(function, block, homes, block.label in nested).unrolled()
        except Unfit:
            continue
    if not made:
        return
    for block in function.blocks:
        if block.label in made:
            continue
        for label in block.succs:
            if label in made:
                entry = made[label][0].label
                block.succs = [entry if s == label else s for s in block.succs]
                for inst in block.insts:
                    if inst.mnemonic == "BRA" and target_of(inst) == label:
                        inst.srcs = tuple(Target(label=entry) if isinstance(s, Target) else s for s in inst.srcs)
    function.blocks = [b for block in function.blocks for b in (*made.get(block.label, ()), block)]
    dead.sweep(function)
