"""Groups of warpgroup multiplies in machine code: where they end, what is under way, who waits.

Rules of the machine, as ptxas 13.0 keeps them:
- WARPGROUP.ARRIVE stands before the first multiply of a block, and before one that reads a register written since;
- the accumulators of the multiplies behind it belong to them from there on: the other warps' multiplies may begin with
  them before this warp comes to its own (H200: a temporary in one of them is lost now and then);
- gsb0, on a multiply, ends a group; a group of PTX without a multiply in its block ends at one that does nothing. A
  fence, a wait and the end of a block end a group too: more groups than PTX has only make a wait longer;
- a register under way that is read, or written, by anything but the next multiply is waited for first.

For the passes behind, a wait reads all registers under way and writes the accumulators (`MInst.implicit_reads`,
`implicit_writes`); an ARRIVE reads what the multiplies after it read, and writes their accumulators, which a multiply
that begins at zero then reads: so that nothing moves across, and no register under way is given to another value.
"""

from __future__ import annotations

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import GMMA, ZERO, MFunction, MInst, V, VReg
from minicc.ptxas.operands import reads, writes
from minicc.sass.instr import Imm, Mem, Name, Reg

COMMIT = "WGCOMMIT"
"""Stands where PTX commits a group, until `finish`."""
GSB = Name("gsb0")
_OLDEST = 64
"""Groups are counted up to here."""
Pending = dict[tuple[int, bool], int]
"""(group of registers, is an accumulator) -> least number of groups committed since its multiply, itself included."""


def finish(function: MFunction) -> None:
    """End the groups of a function that has multiplies; see above. Blocks must be linked."""
    _Waits(function, _groups(function)).run()
    for block in function.blocks:
        _stages(block.insts)
        _arrivals(block.insts)


def part(function: MFunction, sums: VReg) -> bool:
    """Wait between the multiplies of these accumulators and others, so that they need not be there together (ptxas's
    C7512, where registers are short); whether there are such neighbours."""
    parted = False
    for block in function.blocks:
        out: list[MInst] = []
        last: MInst | None = None
        for inst in block.insts:
            if inst.mnemonic == "WARPGROUP":
                last = None
            elif inst.mnemonic in GMMA:
                if last is not None and (_sums(last) is sums) != (_sums(inst) is sums):
                    if GSB not in last.srcs:
                        last.srcs = (*last.srcs, GSB)
                    out += [_wait(inst.loc), _arrive(inst.loc)]
                    parted = True
                last = inst
            out.append(inst)
        block.insts = out
    if parted:
        _Waits(function, _groups(function)).run()
        for block in function.blocks:
            _arrivals(block.insts)
    return parted


def _sums(inst: MInst) -> VReg | None:
    return next((d.reg for d in inst.dsts if isinstance(d, V)), None)


def _groups(function: MFunction) -> dict[int, VReg]:
    return {
        op.reg.id: op.reg
        for block in function.blocks
        for inst in block.insts
        if inst.mnemonic in GMMA
        for op in (*reads(inst), *writes(inst))
        if isinstance(op, V) and op.reg.file == "R"
    }


class _Waits:
    """Puts in the waits that PTX lacks, and says what each wait is for."""

    def __init__(self, function: MFunction, groups: dict[int, VReg]) -> None:
        self.function = function
        self.groups = groups

    def run(self) -> None:
        cfg = Cfg.of(self.function)
        entry: list[Pending | None] = [None] * len(self.function.blocks)
        entry[cfg.rpo[0]] = {}
        work = list(cfg.rpo)
        while work:
            again: set[int] = set()
            for b in work:
                start = entry[b]
                if start is None:
                    continue
                state = self._block(b, dict(start), None)
                for s in cfg.succs[b]:
                    if _merge(entry, s, state):
                        again.add(s)
            work = [b for b in cfg.rpo if b in again]
        for b, block in enumerate(self.function.blocks):
            out: list[MInst] = []
            self._block(b, dict(entry[b] or {}), out)
            block.insts = out

    def _block(self, b: int, state: Pending, out: list[MInst] | None) -> Pending:
        for inst in self.function.blocks[b].insts:
            if inst.mnemonic == COMMIT:
                state = {key: min(age + 1, _OLDEST) for key, age in state.items()}
            elif inst.mnemonic == "WARPGROUP" and "DEPBAR" in inst.modifiers:
                if out is not None:
                    self._mark(inst, state)
                left = inst.srcs[1]
                assert isinstance(left, Imm)
                state = {key: age for key, age in state.items() if left.bits and age <= left.bits}
            elif state and self._touches(inst, state):
                if out is not None:
                    wait = _wait(inst.loc)
                    self._mark(wait, state)
                    out.append(wait)
                state = {}
            if inst.mnemonic in GMMA:
                for operand in (*inst.dsts, *inst.srcs):
                    if isinstance(operand, V) and operand.reg.file == "R":
                        state[(operand.reg.id, operand in inst.dsts)] = 0
            if out is not None:
                out.append(inst)
        return state

    def _touches(self, inst: MInst, state: Pending) -> bool:
        if inst.mnemonic in ("EXIT", "CALL", "RET"):
            return True
        own = {v.reg.id for v in inst.dsts if isinstance(v, V)} if inst.mnemonic in GMMA else set()
        for v in reads(inst):
            if isinstance(v, V) and (v.reg.id, True) in state and v.reg.id not in own:
                return True
        for v in writes(inst):
            if isinstance(v, V) and v.reg.id not in own and ((v.reg.id, True) in state or (v.reg.id, False) in state):
                return True
        return any((name, False) in state for name in own)

    def _mark(self, wait: MInst, state: Pending) -> None:
        names = sorted({name for name, _ in state})
        wait.implicit_reads = tuple(V(self.groups[n], 0, self.groups[n].width) for n in names)
        wait.implicit_writes = tuple(
            V(self.groups[n], 0, self.groups[n].width) for n in sorted(n for n, is_sum in state if is_sum)
        )


def _merge(entry: list[Pending | None], at: int, state: Pending) -> bool:
    old = entry[at]
    if old is None:
        entry[at] = dict(state)
        return True
    changed = False
    for key, age in state.items():
        if old.get(key, _OLDEST + 1) > age:
            old[key] = age
            changed = True
    return changed


def _arrive(loc: object | None) -> MInst:
    return MInst("WARPGROUP", ("ARRIVE",), loc=loc, side_effect=True)


def _wait(loc: object | None) -> MInst:
    srcs = (GSB, Imm(0, "uint"))
    return MInst("WARPGROUP", ("DEPBAR", "LE"), (), srcs, loc=loc, side_effect=True, memory="barrier", space="shared")


def _stages(insts: list[MInst]) -> None:
    """Put in what ARRIVEs are missing, and end the groups."""
    out: list[MInst] = []
    last: MInst | None = None  # the multiply that a group may end at
    arrived = multiplied = False
    dirty: set[int] = set()

    def end() -> None:
        nonlocal last
        if last is not None:
            last.srcs = (*last.srcs, GSB)
        last = None

    for inst in insts:
        if inst.mnemonic == "WARPGROUP":
            end()
            arrived = "ARRIVE" in inst.modifiers
            if arrived:
                dirty.clear()
        elif inst.mnemonic == COMMIT:
            if not multiplied:
                if not arrived:
                    out.append(_arrive(inst.loc))
                    arrived = True
                never = Reg("UP", 7, inv=True)
                idle = (Mem(None, desc=Reg("UR", 63)), ZERO, never, GSB)
                out.append(MInst("HGMMA", ("64x8x16", "F16"), (ZERO,), idle, loc=inst.loc, side_effect=True))
            end()
            multiplied = False
            continue
        elif inst.mnemonic in GMMA:
            if not arrived or dirty & {v.reg.id for v in reads(inst) if isinstance(v, V)}:
                end()
                out.append(_arrive(inst.loc))
                arrived = True
                dirty.clear()
            last, multiplied = inst, True
        else:
            dirty.update(v.reg.id for v in writes(inst) if isinstance(v, V) and v.reg.file == "R")
        out.append(inst)
    end()
    insts[:] = out


def _arrivals(insts: list[MInst]) -> None:
    """Let each ARRIVE read what the multiplies up to the next one read and do not make, and write what they make."""
    wanted: dict[tuple[int, int], V] = {}
    made: dict[tuple[int, int], V] = {}
    for inst in reversed(insts):
        if inst.mnemonic in GMMA:
            sums = [d for d in inst.dsts if isinstance(d, V)]
            read = [v for v in inst.srcs if isinstance(v, V) and v.reg.file == "R"]
            inst.implicit_reads = tuple(d for d in sums if d not in read)
            for d in sums:
                wanted.pop((d.reg.id, d.part), None)
                made[(d.reg.id, d.part)] = d
            wanted.update(((v.reg.id, v.part), V(v.reg, v.part, v.count)) for v in read)
        elif inst.mnemonic == "WARPGROUP" and "ARRIVE" in inst.modifiers:
            inst.implicit_reads = tuple(wanted[key] for key in sorted(wanted))
            inst.implicit_writes = tuple(made[key] for key in sorted(made))
            wanted, made = {}, {}
