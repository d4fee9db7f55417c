"""Lift: what R2UR takes from general registers is computed where it is wanted, in uniform ones.

    SGXT.U32 r, s, 0xf                        SGXT.U32 r, s, 0xf
    IADD3 a, r, 0x2, RZ                       R2UR ua, r
    MOV b, 0x40000040                  ->     UIADD3 u[0], ua, 0x2, URZ
    R2UR u[0], a; R2UR u[1], b                UMOV u[1], 0x40000040

The descriptors of matrix multiplies are such: a constant in the upper half, and in the lower one an address that many
have in common, plus a constant. R2UR takes twelve cycles until a multiply may read its result, twice as many as the
uniform datapath, and what it reads takes a general register, often across a loop.

An operation is lifted if nobody but R2UR and what is lifted needs its result, and what it is made of is wanted several
times; what is there already is moved. All take their values from the same lane, since nothing is moved to where other
lanes are active.
"""

from __future__ import annotations

from collections.abc import Mapping

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import guarded, reads
from minicc.ptxas.optimise import dead
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition, Single
from minicc.sass.instr import PT, Imm, Reg

_UNIFORM = frozenset({"IADD3", "LEA", "LOP3", "SGXT", "SHF"})
"""Operations that the uniform datapath has, too."""
_SHARED = 2
"""How many must want what operations are made of."""
_HOPELESS = 300
"""Live registers with which much is spilled whatever is done. What fills the gaps that R2URs leave is then better than
what the scheduler makes of none: on an H200 Triton's attention over 128 columns without cp.async takes 1.4 times as
long with lifted descriptors, which others take 0.89 to 0.97 for where registers suffice."""
_TWINS: dict[MOperand, Reg] = {ZERO: Reg("UR", 63), FALSE: Reg("UP", PT, inv=True), TRUE: Reg("UP", PT)}


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Take constants and sums of constants out of general registers where R2UR is their only reader."""
    movers = [
        (inst, b, at) for b, block in enumerate(function.blocks) for at, inst in enumerate(block.insts)
        if inst.mnemonic == "R2UR" and not guarded(inst)
    ]  # fmt: skip
    if movers and _most(function, {b for _, b, _ in movers}) <= _HOPELESS:
        _Lift(function, movers).rewrite()
        dead.sweep(function)


def _most(function: MFunction, blocks: set[int]) -> int:
    """The most general registers that are live at one time in any of the blocks, as they stand."""
    live = analyse(function, Cfg.of(function))
    general = {reg.id for reg in function.vregs if reg.file == "R"}
    most = 0
    for b in blocks:
        now = {reg: mask for reg, mask in live.live_out[b].items() if reg in general}
        count = sum(mask.bit_count() for mask in now.values())
        for access in reversed(live.accesses[b]):
            for found, gone in ((access.defs, True), (access.uses, False)):
                for reg, mask in found:
                    if reg in general:
                        before = now.get(reg, 0)
                        now[reg] = before & ~mask if gone else before | mask
                        count += now[reg].bit_count() - before.bit_count()
            most = max(most, count)
    return most


class _Lift:
    def __init__(self, function: MFunction, movers: list[tuple[MInst, int, int]]) -> None:
        self.function = function
        self.single = Single.of(function)
        self.movers = {id(inst) for inst, _, _ in movers}
        self.lifted: dict[Part, Definition] = {}
        self.wanted: dict[Part, int] = {}
        """How many lifted operations, and R2URs, read a part."""
        self.readers: dict[Part, int] = {}
        for block in function.blocks:
            for inst in block.insts:
                for v in reads(inst):
                    if isinstance(v, V) and v.reg.file == "R":
                        for part in v.parts:
                            self.readers[part] = self.readers.get(part, 0) + 1
        self._choose([(_source(inst), b, at) for inst, b, at in movers])

    def _choose(self, todo: list[tuple[Part | None, int, int]]) -> None:
        """Find what to lift: of what nobody else reads, first what is read last."""
        sources: dict[Part, tuple[Definition, Part | None]] = {}
        while todo:
            part, b, at = todo.pop()
            if part is None:
                continue
            self.wanted[part] = self.wanted.get(part, 0) + 1
            found = self._made_once(part, b, at)
            if part in sources or found is None:
                continue
            inputs = _inputs(found.inst)
            if inputs is None or (inputs and self.wanted[part] < self.readers[part]):
                continue
            source = inputs[0] if inputs else None
            if source is not None and self._made_once(source, found.block, found.at) is None:
                continue
            sources[part] = found, source
            todo.append((source, found.block, found.at))
        self.lifted = {
            part: found for part, (found, source) in sources.items() if source is None or self._shared(source, sources)
        }

    def _made_once(self, part: Part, b: int, at: int) -> Definition | None:
        """The only definition of a part, if it comes before (b, at) on every way."""
        found = self.single.table.get(part)
        return found if found and self.single.dominates(found.block, found.at, b, at) else None

    def _shared(self, part: Part, sources: Mapping[Part, tuple[Definition, Part | None]]) -> bool:
        """Whether several want the part, or what is at the end of the operations that make it."""
        while self.wanted[part] < _SHARED:
            below = sources[part][1] if part in sources else None
            if below is None:
                return False
            part = below
        return True

    def rewrite(self) -> None:
        """Put uniform operations in the place of R2URs."""
        for b, block in enumerate(self.function.blocks):
            out: list[MInst] = []
            there: dict[Part, V] = {}
            """What uniform registers hold in this block."""
            for at, inst in enumerate(block.insts):
                part = _source(inst) if id(inst) in self.movers else None
                target = inst.dsts[0] if inst.dsts else None
                if part is not None and isinstance(target, V) and self._made_once(part, b, at):
                    known = there.setdefault(part, target)
                    if part in self.lifted:
                        inst = self._made(part, target, inst, there, out)
                    elif known is not target:
                        inst = MInst("UMOV", (), (target,), (known,), loc=inst.loc, ptx=inst.ptx)
                        inst.side_effect = True
                out.append(inst)
            block.insts = out

    def _made(self, part: Part, target: MOperand, mover: MInst, there: dict[Part, V], out: list[MInst]) -> MInst:
        """The uniform operation for a lifted part, in the place of the R2UR."""
        inst = self.lifted[part].inst
        srcs = tuple(self._operand(s, mover, there, out) for s in inst.srcs)
        made = MInst("U" + inst.mnemonic, inst.modifiers, (target,), srcs, loc=mover.loc, ptx=mover.ptx)
        made.side_effect = mover.side_effect
        return made

    def _operand(self, s: MOperand, mover: MInst, there: dict[Part, V], out: list[MInst]) -> MOperand:
        if not isinstance(s, V):
            return _TWINS.get(s, s)
        part = (s.reg.id, s.part)
        if part not in there:
            target = there[part] = V(self.function.new("UR"))
            if part in self.lifted:
                made = self._made(part, target, mover, there, out)
                made.side_effect = False
            else:
                made = MInst("R2UR", (), (target,), (s,), loc=mover.loc, ptx=mover.ptx)
            out.append(made)
        return there[part]


def _source(inst: MInst) -> Part | None:
    """The part that an R2UR reads."""
    (s,) = inst.srcs[:1]
    return (s.reg.id, s.part) if isinstance(s, V) and s.count == 1 else None


def _inputs(inst: MInst) -> list[Part] | None:
    """The part that an operation reads beside constants, if the uniform datapath has it."""
    if guarded(inst) or inst.side_effect or inst.hidden or len(inst.dsts) != 1:
        return None
    if inst.mnemonic == "MOV":
        return [] if isinstance(inst.srcs[0], Imm) or inst.srcs[0] == ZERO else None
    if inst.mnemonic not in _UNIFORM or "X" in inst.modifiers or "HI" in inst.modifiers:
        return None
    found = []
    for s in inst.srcs:
        if isinstance(s, V):
            if s.count != 1 or s.reg.file != "R" or s.reg.fixed is not None or not s.plain:
                return None
            found.append((s.reg.id, s.part))
        elif not isinstance(s, Imm) and s not in _TWINS:
            return None
    return found if len(found) == 1 else None
