"""Atomic operations that a whole warp makes on one word: one lane makes one for all.

    REDG.ADD [p], 1      VOTE.ANY m; FLO leader, m; POPC n, m;  @(lane == leader) REDG.ADD [p], n
    ATOMG.ADD r, [p], 1  the same with ATOMG; then r = the leader's result (SHFL) + number of lanes before this one

Only where the address is the same in every lane: it comes from launch parameters, block indices and constants. The
addend is, too; where it is not, and the old value is not wanted, the lanes' operands are reduced first:

    REDG.MAX [p], r      VOTE.ANY m; FLO leader, m; REDUX.MAX u, r; @(lane == leader) REDG.MAX [p], u

Who acts, and for how many, is asked once for several in a row. ATOMS, on shared memory, likewise. Threads that count,
add up or append to a list do this, and the word would be updated once for each of them. Where only one lane of a warp
can come (`if (threadIdx.x == 0)`), nothing is changed.
"""

from __future__ import annotations

from typing import Literal

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, target_of
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MFunction, MInst, MOperand, V, VConst, VMem
from minicc.ptxas.operands import guarded, reads
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.record import evolve
from minicc.sass.instr import PT, RZ, Const, Imm, Name, Reg

_UNIFORM = frozenset({"MOV", "LDC", "ULDC", "IADD3", "VIADD", "IMAD", "SHF", "LEA", "LOP3"})
_SPECIAL = ("SR_CTAID", "SR_NCTAID", "SR_NTID", "SR_GRIDID")
_ATOMICS = ("REDG", "ATOMG", "ATOMS")
_DEEP = 24
_LANES = ("SR_TID.X", "SR_LANEID")
_REDUX = {
    ("ADD",): (("SUM",), 0),
    ("MIN",): (("MIN",), 0xFFFFFFFF),
    ("MIN", "S32"): (("MIN", "S32"), 0x7FFFFFFF),
    ("MAX",): (("MAX",), 0),
    ("MAX", "S32"): (("MAX", "S32"), 0x80000000),
    ("AND",): ((), 0xFFFFFFFF),
    ("OR",): (("OR",), 0),
    ("XOR",): (("XOR",), 0),
}
"""Operation of REDG or ATOMS -> that of REDUX, and the operand of a lane that takes no part."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Rewrite the atomics of the function."""
    if not any(i.mnemonic in _ATOMICS for b in function.blocks for i in b.insts):
        return
    single = Single.of(function)
    cfg = Cfg.of(function)
    idom = cfg.dominators()
    lane = V(function.new("R", 1, "lane"))
    wanted = {o.reg.id for b in function.blocks for i in b.insts for o in reads(i) if isinstance(o, V)}
    for b, block in enumerate(function.blocks):
        if not any(i.mnemonic in _ATOMICS for i in block.insts):
            continue
        out: list[MInst] = []
        alone = _alone(cfg, idom, b, single)
        asked = _Asked(function, lane)
        for inst in block.insts:
            asked.pass_by(inst)
            alone = alone or (inst.mnemonic == "EXIT" and _one(inst, False, single))
            if alone or inst.mnemonic not in _ATOMICS or not _one_place(inst, single):
                out.append(inst)
                continue
            to = inst.dsts[-1] if inst.dsts else ZERO
            result = to if isinstance(to, V) and to.reg.id in wanted else None
            if _operation(inst) == ("ADD",) and _operand(inst.srcs[1], single, _DEEP):
                out += _aggregated(asked, inst, _constant(inst.srcs[1], single), result)
            elif result is None:
                out += _reduced(asked, inst)
            else:
                out.append(inst)
        block.insts = out
    if any(o.reg is lane.reg for b in function.blocks for i in b.insts for o in reads(i) if isinstance(o, V)):
        function.blocks[0].insts.insert(0, MInst("S2R", (), (lane,), (Name("SR_LANEID"),)))


def _operation(inst: MInst) -> tuple[str, ...]:
    """Operation and type; nothing for what cannot be put together."""
    if inst.mnemonic == "ATOMS":
        return inst.modifiers
    kept = inst.modifiers[0] == "E" and inst.modifiers[-2] == "STRONG" and inst.modifiers[-1] in ("GPU", "SYS")
    return inst.modifiers[1:-2] if kept else ()


def _one_place(inst: MInst, single: Single) -> bool:
    """Whether the address of the instruction is uniform."""
    place = inst.srcs[0]
    if not isinstance(place, VMem) or place.ureg is not None:
        return False
    if not isinstance(place.base, V):
        return inst.mnemonic == "ATOMS"
    return _operand(place.base, single, _DEEP)


def _alone(cfg: Cfg, idom: list[int], b: int, single: Single) -> bool:
    """Whether a block is reached only where what differs in every lane equals something that does not."""
    blocks = cfg.function.blocks
    for _ in range(_DEEP):
        if idom[b] in (b, -1):
            return False
        below, b = b, idom[b]
        insts = blocks[b].insts
        if (
            cfg.preds[below] == [b]
            and insts
            and insts[-1].mnemonic == "BRA"
            and _one(insts[-1], target_of(insts[-1]) == blocks[below].label, single)
        ):
            return True
        if any(i.mnemonic == "EXIT" and _one(i, False, single) for i in insts):
            return True
    return False


def _one(last: MInst, taken: bool, single: Single) -> bool:
    """Whether one lane at most takes a branch, or stays where it is not taken."""
    if not isinstance(last.guard, V):
        return False
    found = single.table.get((last.guard.reg.id, last.guard.part))
    if found is None or found.inst.mnemonic != "ISETP" or found.inst.dsts[0] != V(last.guard.reg, last.guard.part):
        return False
    compare = found.inst
    holds = taken != last.guard.inv
    if compare.modifiers[0] != ("EQ" if holds else "NE") or "AND" not in compare.modifiers or "EX" in compare.modifiers:
        return False
    if not holds and compare.srcs[2] != TRUE:
        return False
    return any(_distinct(x, single) and _operand(y, single, _DEEP) for x, y in (compare.srcs[:2], compare.srcs[1::-1]))


def _distinct(operand: MOperand, single: Single) -> bool:
    """Whether a register differs in every lane of a warp: the thread's number, maybe with something uniform added, or
    its lowest bits."""
    found = single.table.get((operand.reg.id, operand.part)) if isinstance(operand, V) else None
    if found is None or guarded(found.inst):
        return False
    inst = found.inst
    if inst.mnemonic == "S2R":
        return isinstance(inst.srcs[0], Name) and inst.srcs[0].text in _LANES
    if inst.mnemonic == "IMAD" and not inst.modifiers:
        return _distinct(inst.srcs[2], single) and all(_operand(s, single, _DEEP) for s in inst.srcs[:2])
    if inst.mnemonic == "LOP3":
        mask = inst.srcs[1]
        whole = isinstance(mask, Imm) and mask.bits & 31 == 31 and inst.srcs[2] == ZERO
        return whole and isinstance(inst.srcs[3], Imm) and inst.srcs[3].bits == 0xC0 and _distinct(inst.srcs[0], single)
    return False


def _operand(operand: MOperand, single: Single, depth: int) -> bool:
    if isinstance(operand, Imm | Const):
        return True
    if isinstance(operand, Reg):
        return operand.index == RZ or (operand.file == "P" and operand.index == PT)
    if isinstance(operand, VConst):
        return not isinstance(operand.base, V) or _operand(operand.base, single, depth)
    if not isinstance(operand, V) or not depth:
        return False
    for part in operand.parts:
        found = single.table.get(part)
        if found is None or guarded(found.inst):
            return False
        inst = found.inst
        if inst.mnemonic == "S2R":
            source = inst.srcs[0]
            if not isinstance(source, Name) or not source.text.startswith(_SPECIAL):
                return False
        elif inst.mnemonic not in _UNIFORM or not all(_operand(s, single, depth - 1) for s in inst.srcs):
            return False
    return True


def _constant(operand: MOperand, single: Single) -> MOperand:
    """The number that a register holds, if it was just set to one."""
    found = single.table.get((operand.reg.id, operand.part)) if isinstance(operand, V) else None
    if found is not None and found.inst.mnemonic == "MOV" and isinstance(found.inst.srcs[0], Imm):
        return found.inst.srcs[0]
    return operand


class _Leader:
    """Of the lanes that take part: a mask, the number of the one that acts, whether it is this one, how many."""

    def __init__(self, mask: V, number: V, chosen: V, lanes: V) -> None:
        self.mask, self.number, self.chosen, self.lanes = mask, number, chosen, lanes


class _Asked:
    """What is known of the lanes that come by, along a block."""

    def __init__(self, function: MFunction, lane: V) -> None:
        self.function, self.lane = function, lane
        self.known: dict[MOperand, _Leader] = {}
        """By the guard of an atomic."""

    def pass_by(self, inst: MInst) -> None:
        """After an instruction that lanes may leave or come back at, or that writes a guard, all is asked again."""
        if self.known and (
            (not inst.dsts and inst.memory not in ("load", "store", "atomic"))
            or any(isinstance(d, V) and any(d.reg is g.reg for g in self.known if isinstance(g, V)) for d in inst.dsts)
        ):
            self.known = {}


class _Writer:
    """Makes the instructions that stand for one."""

    def __init__(self, asked: _Asked, inst: MInst) -> None:
        self.asked, self.inst = asked, inst

    def word(self, file: Literal["R", "UR", "P"] = "R") -> V:
        return V(self.asked.function.new(file, 1, "aggregate"))

    def make(self, op: str, dsts: tuple[MOperand, ...], *srcs: MOperand, side: bool = False) -> MInst:
        mnemonic, *modifiers = op.split(".")
        inst = self.inst
        return MInst(mnemonic, tuple(modifiers), dsts, srcs, loc=inst.loc, ptx=inst.ptx, side_effect=side)

    def leader(self) -> tuple[list[MInst], _Leader]:
        """Code that finds it, if that is not known yet."""
        executes = self.inst.guard
        if found := self.asked.known.get(executes):
            return [], found
        found = _Leader(self.word(), self.word(), self.word("P"), self.word())
        self.asked.known[executes] = found
        code = [
            self.make("VOTE.ANY", (found.mask, TRUE), executes, side=True),
            self.make("FLO.U32", (found.number,), found.mask),
            self.make("ISETP.EQ.U32.AND", (found.chosen, TRUE), self.asked.lane, found.number, executes),
            self.make("POPC", (found.lanes,), found.mask),
        ]
        return code, found


def _reduced(asked: _Asked, inst: MInst) -> list[MInst]:
    """The instructions that stand for one atomic of operands that differ, whose old value is not wanted; itself where
    there is no such reduction."""
    found = _REDUX.get(_operation(inst))
    data = inst.srcs[1]
    if found is None or not isinstance(data, V) or data.count != 1 or data.reg.file != "R" or len(inst.srcs) != 2:
        return [inst]
    modifiers, nothing = found
    writer = _Writer(asked, inst)
    code, leader = writer.leader()
    if guarded(inst):
        mine = writer.word()
        code.append(writer.make("SEL", (mine,), data, ZERO if not nothing else Imm(nothing), inst.guard))
        data = mine
    total, moved = writer.word("UR"), writer.word()
    code.append(writer.make(".".join(("REDUX", *modifiers)), (total,), data, side=True))
    code.append(writer.make("MOV", (moved,), total))
    return [*code, evolve(inst, srcs=(inst.srcs[0], moved), guard=leader.chosen)]


def _aggregated(asked: _Asked, inst: MInst, data: MOperand, result: V | None) -> list[MInst]:
    """The instructions that stand for one atomic; `data` is the addend, `result` the old value where it is wanted."""
    if result is not None and any(isinstance(r, V) and r.reg is result.reg for r in reads(inst)):
        return [inst]
    writer = _Writer(asked, inst)
    word, make = writer.word, writer.make
    place = inst.srcs[0]
    out, leader = writer.leader()
    total = leader.lanes
    if data != Imm(1):
        total = word()
        out.append(make("IMAD", (total,), leader.lanes, data, ZERO))
    if result is None:
        return [*out, evolve(inst, srcs=(place, total), guard=leader.chosen)]
    old, spread, before, rank, mine = word(), word(), word(), word(), word()
    out += [
        evolve(inst, dsts=(*inst.dsts[:-1], old), srcs=(place, total), guard=leader.chosen),
        make("S2R", (before,), Name("SR_LTMASK")),
        make("LOP3.LUT", (rank,), before, leader.mask, ZERO, Imm(0xC0, "uint"), FALSE),
        make("POPC", (mine,), rank),
        make("SHFL.IDX", (TRUE, spread), old, leader.number, Imm(0x1F, "uint"), side=True),
    ]
    last = make("IMAD", (result,), mine, data, spread)
    if data == Imm(1):
        last = make("IADD3", (result,), mine, spread, ZERO)
    last.guard = inst.guard
    return [*out, last]
