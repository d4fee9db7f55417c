"""Control codes of the finished order: scoreboards, stall counts, yield. (Reuse flags come with emission.)

The last pass: every register is physical, and nothing moves after it (it only adds NOPs where a stall does not fit in
15 cycles). With `sched=serial` every instruction takes the longest stall and waits for everything before it.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.control import scoreboard, stall
from minicc.ptxas.control.scoreboard import NONE
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.operands import BASE, Components
from minicc.ptxas.options import Options
from minicc.ptxas.timing import Distances, footprint
from minicc.record import evolve
from minicc.sass.instr import Control

_YIELD_FROM = 12
"""nvdisasm rejects stalls of 12 and more without the yield bit (control.md), and hardware takes them as 1 or 2."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Set `MInst.control` of every instruction."""
    if function.collectives:
        for block in function.blocks:
            block.insts = _collectives(block.insts)
    if options.sched == "serial":
        _serial(function)
        return
    distances = Distances(arch)
    components = Components(function)
    cfg = Cfg.of(function)
    known = function.prints
    prints = [[known.get(i) or footprint(i, components) for i in block.insts] for block in function.blocks]
    marks = scoreboard.assign(function, cfg, prints)
    stalls = stall.assign(function, cfg, prints, marks, distances)
    for b, block in enumerate(function.blocks):
        for inst, mark, count in zip(block.insts, marks[b], stalls[b], strict=True):
            if inst.mnemonic == "ERRBAR":
                count = 0  # the long pause, as ptxas always has it there
            inst.control = Control(count, count == 0 or count >= _YIELD_FROM, mark.wbar, mark.rbar, mark.wait)
        block.insts = _waiting(block.insts)


def _collectives(insts: list[MInst]) -> list[MInst]:
    """Between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE stands the barrier or exchange alone: lanes from elsewhere execute
    it, too, and go on behind it with its results, for which ENDCOLLECTIVE waits."""
    out: list[MInst] = []
    pending: list[MInst] = []
    for inst in insts:
        if inst.mnemonic == "WARPSYNC" and "COLLECTIVE" in inst.modifiers:
            pending.append(inst)
        elif pending and inst.memory == "barrier":
            end = MInst("ENDCOLLECTIVE", loc=inst.loc, side_effect=True)
            end.implicit_reads = tuple(d for d in inst.dsts if isinstance(d, V))
            moves = [MInst("MOV", (), (to,), (inst.dsts[-1],), loc=inst.loc) for to in inst.implicit_writes]
            out += [pending.pop(), inst, *moves, end]
        else:
            out.append(inst)
    return out


def _waiting(insts: list[MInst]) -> list[MInst]:
    """WARPGROUP.DEPBAR cannot wait for a scoreboard (nvdisasm refuses it): a NOP before it does."""
    if not any(i.mnemonic == "WARPGROUP" and i.control.wait and "DEPBAR" in i.modifiers for i in insts):
        return insts
    out: list[MInst] = []
    for inst in insts:
        if inst.mnemonic == "WARPGROUP" and inst.control.wait and "DEPBAR" in inst.modifiers:
            out.append(MInst("NOP", loc=inst.loc, control=Control(wait=inst.control.wait)))
            inst.control = evolve(inst.control, wait=0)
        out.append(inst)
    return out


def _serial(function: MFunction) -> None:
    """Full stalls; scoreboard 0 for results, 1 for sources, both waited for by every instruction."""
    components = Components(function)
    preset = 0
    for block in function.blocks:
        for inst in block.insts:
            for bar in (inst.control.wbar, inst.control.rbar):
                preset |= 1 << bar if bar != NONE else 0
    spare = [k for k in range(scoreboard.COUNT) if not preset >> k & 1]
    result, source = spare[0], spare[1 % len(spare)]
    everything = 1 << result | 1 << source
    for block in function.blocks:
        out: list[MInst] = []
        for inst in block.insts:
            print_ = footprint(inst, components)
            wbar, rbar = inst.control.wbar, inst.control.rbar
            if print_.timing.variable and wbar == rbar == NONE:
                wbar = result if scoreboard.announces(print_) else NONE
                rbar = source if any(key < BASE["P"] for key, _ in print_.reads) else NONE
            inst.control = Control(stall.LIMIT, True, wbar, rbar, inst.control.wait | everything)
            slow = print_.timing.result.startswith("mma") or inst.mnemonic == "R2UR"
            if slow and print_.timing.flow is False:
                out += [inst, MInst("NOP", loc=inst.loc, control=Control(stall.LIMIT, True))]
            else:
                out.append(inst)
        block.insts = _waiting(out)
