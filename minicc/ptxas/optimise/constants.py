"""Constants in registers: made once, before the loops that use them.

What an operand slot takes has been put there (see `copies`); these are the others. A constant in a loop moves before
the outermost loop around it, and constants of one block that are equal become one. The spiller can still make them
again at their uses where registers are short.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, append
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.operands import guarded, map_reads, writes
from minicc.ptxas.options import Options
from minicc.record import evolve
from minicc.sass.instr import Imm

_MOST = 12
"""Constants moved before one loop."""
_APART = 200
"""Instructions between equal constants of a block that are no loop's."""


def _constant(inst: MInst) -> bool:
    if inst.mnemonic != "MOV" or guarded(inst) or inst.hidden or len(inst.srcs) != 1:
        return False
    d = inst.dsts[0]
    return (
        isinstance(inst.srcs[0], Imm)
        and isinstance(d, V)
        and d.reg.width == 1
        and d.reg.file == "R"
        and d.reg.fixed is None
    )


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Hoist and merge."""
    made: dict[int, int] = {}
    found = False
    for block in function.blocks:
        for inst in block.insts:
            for w in writes(inst):
                if isinstance(w, V):
                    made[w.reg.id] = made.get(w.reg.id, 0) + 1
            found = found or _constant(inst)
    if not found:
        return
    once = {reg for reg, count in made.items() if count == 1}
    moved = _hoist(function, once)
    _merge(function, once, moved)


def _hoist(function: MFunction, once: set[int]) -> set[int]:
    """Move constants out of loops; ids of the registers that hold them."""
    cfg = Cfg.of(function)
    loops = cfg.loops()
    if not loops:
        return set()
    idom = cfg.dominators()
    outermost: dict[int, int] = {}
    for header, body in sorted(loops, key=lambda loop: len(loop[1])):
        for b in body:
            outermost[b] = header
    moved: set[int] = set()
    waiting: dict[int, list[MInst]] = {}
    kinds: dict[int, set[int]] = {}
    for b, header in sorted(outermost.items()):
        before = idom[header]
        if before < 0 or before == header or before in outermost:
            continue
        block = function.blocks[b]
        kept = []
        for inst in block.insts:
            if _constant(inst) and inst.dsts[0].reg.id in once:  # type: ignore[union-attr]
                bits = inst.srcs[0].bits  # type: ignore[union-attr]
                seen = kinds.setdefault(header, set())
                if bits in seen or len(seen) < _MOST:
                    seen.add(bits)
                    waiting.setdefault(before, []).append(inst)
                    moved.add(inst.dsts[0].reg.id)  # type: ignore[union-attr]
                    continue
            kept.append(inst)
        block.insts = kept
    for b, insts in waiting.items():
        append(function.blocks[b], insts)
    return moved


def _merge(function: MFunction, once: set[int], moved: set[int]) -> None:
    instead: dict[int, V] = {}
    for block in function.blocks:
        last: dict[int, tuple[V, int, bool]] = {}
        kept = []
        for at, inst in enumerate(block.insts):
            if _constant(inst):
                d, bits = inst.dsts[0], inst.srcs[0].bits  # type: ignore[union-attr]
                assert isinstance(d, V)
                if d.reg.id in once:
                    before = last.get(bits)
                    far = d.reg.id in moved
                    if before is not None and (at - before[1] <= _APART or (far and before[2])):
                        instead[d.reg.id] = before[0]
                        continue
                    last[bits] = (d, at, far)
            kept.append(inst)
        block.insts = kept
    if not instead:
        return

    def renamed(v: V) -> V:
        other = instead.get(v.reg.id)
        return v if other is None else evolve(v, reg=other.reg, part=other.part)

    for block in function.blocks:
        for inst in block.insts:
            map_reads(inst, renamed)
