"""Turns that lanes take for a uniform instruction (`uniform`), where one lane of a warp at most comes by.

    elect.sync _|p; @!p bra done; ...       behind the branch there is one lane: no ELECT, no loop around a copy

A block has one lane if it, or one that dominates it, is reached only by a branch under a condition that holds in one
lane at most: that of an elect.sync of the whole warp, a thread's number that equals a constant, or what follows from
these by `and`, `not`, selections and compares with zero.
"""

from __future__ import annotations

from itertools import product

from minicc.ptxas.cfg import target_of
from minicc.ptxas.lower.graph import Graph
from minicc.ptxas.mir import TRUE, MFunction, MInst, MOperand, V
from minicc.ptxas.operands import guarded, writes
from minicc.sass.instr import Imm, Name, Reg

Turn = tuple[MInst | None, MInst, MInst]
"""What elects a lane (if that is how turns are taken), the branch around the body, the branch back."""
_DEEP = 16


def drop_turns(function: MFunction, turns: list[Turn]) -> bool:
    """Remove those that one lane at most takes; whether there were any. The blocks must be linked. What is left of them
    stays in order: a block of many copies has not enough uniform registers for all their operands at once."""
    graph = Graph.of(function)
    idom = graph.dominators()
    lanes = _Lanes(function)
    needless: set[MInst] = set()
    found = {around: (elected, back) for elected, around, back in turns}
    for n, block in enumerate(function.blocks):
        for inst in block.insts[-1:]:
            if inst in found and _alone(function, graph, idom, n, lanes):
                elected, back = found[inst]
                needless |= {inst, back} if elected is None else {elected, inst, back}
                for made in (*block.insts, *function.blocks[n + 1].insts):
                    made.side_effect = made.side_effect or made.mnemonic in ("R2UR", "UMOV")
    for block in function.blocks if needless else ():
        block.insts = [inst for inst in block.insts if inst not in needless]
    return bool(needless)


def _alone(function: MFunction, graph: Graph, idom: list[int], n: int, lanes: _Lanes) -> bool:
    """Is the block reached only through a branch that one lane at most takes, or does not take?"""
    while idom[n] not in (n, -1):
        below, n = n, idom[n]
        last = function.blocks[n].insts[-1:]
        if graph.preds[below] == [n] and len(graph.succs[n]) == 2 and last and last[0].mnemonic == "BRA":
            taken = target_of(last[0]) == function.blocks[below].label
            if len(last[0].srcs) == 1 and lanes.one(last[0].guard, taken, _DEEP):
                return True
    return False


class _Lanes:
    """Which conditions hold in one lane of a warp at most, by the instructions that make them."""

    def __init__(self, function: MFunction) -> None:
        self.makers: dict[int, list[MInst]] = {}
        self.places: dict[MInst, tuple[int, int]] = {}
        for b, block in enumerate(function.blocks):
            for n, inst in enumerate(block.insts):
                self.places[inst] = b, n
                for v in writes(inst):
                    if isinstance(v, V):
                        self.makers.setdefault(v.reg.id, []).append(inst)
        threads = function.req_threads
        self.numbers = ("SR_LANEID", "SR_TID.X") if threads and threads[1:] == (1, 1) else ("SR_LANEID",)

    def maker(self, operand: MOperand) -> MInst | None:
        """The only instruction that makes a register."""
        makers = self.makers.get(operand.reg.id, []) if isinstance(operand, V) else []
        return makers[0] if len(makers) == 1 and not guarded(makers[0]) else None

    def one(self, p: MOperand, value: bool, depth: int) -> bool:
        """Has the predicate the value in one lane at most?"""
        made = self.maker(p)
        if made is None or not isinstance(p, V) or not depth:
            return False
        value ^= p.inv
        if made.mnemonic == "ELECT":
            return value and made.ptx is not None and made.ptx.opcode == "elect"
        if made.dsts[0] != V(p.reg):
            return False
        if made.mnemonic == "PLOP3":
            return any(self.one(x, needed, depth - 1) for x, needed in _needed(made, value))
        if made.mnemonic == "ISETP" and made.modifiers[0] in ("EQ", "NE") and made.modifiers[-1] == "AND":
            x, y, joined = made.srcs[:3]
            if "EX" in made.modifiers or (joined != TRUE and not value):
                return False
            if joined != TRUE and self.one(joined, True, depth - 1):
                return True
            if (made.modifiers[0] == "EQ") == value:
                return (self.distinct(x) and _constant(y)) or (self.distinct(y) and _constant(x))
            return (_zero(y) and self.nonzero(x, depth - 1)) or (_zero(x) and self.nonzero(y, depth - 1))
        return False

    def distinct(self, operand: MOperand) -> bool:
        """Is it the lane's or thread's number?"""
        made = self.maker(operand)
        while made is not None and made.mnemonic == "MOV":
            made = self.maker(made.srcs[0])
        source = made.srcs[0] if made is not None and made.mnemonic == "S2R" else None
        return isinstance(source, Name) and source.text in self.numbers

    def nonzero(self, operand: MOperand, depth: int) -> bool:
        """Is the register other than zero in one lane at most? Chosen by a predicate, or set to zero and, in the same
        block, to something else under a guard."""
        if not isinstance(operand, V) or not depth:
            return False
        makers = self.makers.get(operand.reg.id, [])
        set_, under = [i for i in makers if not guarded(i)], [i for i in makers if guarded(i)]
        if len(makers) == 1 and set_ and set_[0].mnemonic == "SEL":
            first, second, p = set_[0].srcs
            return (_zero(second) and self.one(p, True, depth)) or (_zero(first) and self.one(p, False, depth))
        if len(makers) == 1 and set_ and set_[0].mnemonic == "MOV":
            return self.nonzero(set_[0].srcs[0], depth - 1)
        if len(under) != 1 or not all(self.clears(i) for i in set_):
            return False
        place = self.places[under[0]]
        cleared = any(self.places[i][0] == place[0] and self.places[i] < place for i in set_)
        return cleared and self.one(under[0].guard, True, depth)

    def clears(self, inst: MInst) -> bool:
        """Does it set a register to zero, maybe by one that was made zero before in the block?"""
        if inst.mnemonic != "MOV":
            return False
        source = inst.srcs[0]
        if not isinstance(source, V):
            return _zero(source)
        before = [i for i in self.makers.get(source.reg.id, []) if self.places[i][0] == self.places[inst][0]]
        before = [i for i in before if self.places[i] < self.places[inst]]
        return bool(before) and not guarded(before[-1]) and self.clears(before[-1])


def _needed(made: MInst, value: bool) -> list[tuple[MOperand, bool]]:
    """The predicates that a PLOP3 reads of which one value is needed for its result to be `value`, and that."""
    table = made.srcs[3]
    if not isinstance(table, Imm):
        return []
    ways = [
        bits
        for bits in product((False, True), repeat=3)
        if bool(table.bits >> (4 * bits[0] + 2 * bits[1] + bits[2]) & 1) == value
        and all(bit != x.inv for x, bit in zip(made.srcs, bits, strict=False) if isinstance(x, Reg))
    ]
    out: list[tuple[MOperand, bool]] = []
    for n, x in enumerate(made.srcs[:3]):
        values = {bits[n] for bits in ways}
        if isinstance(x, V) and len(values) == 1:
            out.append((x, values.pop()))
    return out


def _constant(operand: MOperand) -> bool:
    return isinstance(operand, Imm) or _zero(operand)


def _zero(operand: MOperand) -> bool:
    return (isinstance(operand, Imm) and not operand.bits) or (isinstance(operand, Reg) and operand.index == 255)
