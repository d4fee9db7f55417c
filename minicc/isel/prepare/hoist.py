"""What two blocks compute is computed once, where the ways to them part.

Where the second block can be reached from the first (two conditional blocks, one after the other) the work is done
twice whenever both conditions hold; in the nearest block that dominates both it is done once. Of the two sides of a
condition one is taken: what both compute is computed before, in half the code; what only some of several ways need is
left where it is. LLVM's backends do the same after selection (MachineCSE). Taken are integers, addresses, minima, bits'
counts and order, and special registers that never change; extensions only together with what uses them, since selection
makes one instruction of both.

Comparisons whose operands a loop does not change are made before it, some of them: CodeGenPrepare puts them next to
their branches, and LLVM's backends take them out again (MachineLICM). So are divisions, which LLVM leaves behind the
condition that they stand under, since elsewhere they may trap.
"""

from __future__ import annotations

import re

from minicc import graphs
from minicc.isel.order import edges
from minicc.isel.prepare.equal import key_of, replace
from minicc.nvvm import ir

_INTEGER = frozenset({"add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor"})
_EXTENSIONS = frozenset({"zext", "sext", "trunc"})
_CALLS = re.compile(
    r"llvm\.([us](min|max)|abs|ctlz|cttz|ctpop|bitreverse|bswap|fsh[lr])\."
    r"|llvm\.nvvm\.read\.ptx\.sreg\.(n?tid|n?ctaid|laneid|lanemask)\b"
)

_MOST_PREDICATES = 4
"""Comparisons that are kept throughout a loop; the machine has seven predicates. And as many quotients."""


def hoist(function: ir.Function) -> list[tuple[ir.Block, set[ir.Block]]]:
    """Rewrite in place. Returns the loops: header and blocks, outer ones before those in them."""
    blocks = function.blocks
    if len(blocks) == 1:
        return []
    hoisting = _Hoisting(function)
    if len(blocks) > 2:
        hoisting.run()
        hoisting.invariant("icmp", "fcmp")
        hoisting.invariant("sdiv", "udiv", "srem", "urem")
    return hoisting.nest()


def loops(function: ir.Function) -> list[tuple[ir.Block, set[ir.Block]]]:
    """The loops alone: header and blocks, outer ones before those in them."""
    return _Hoisting(function).nest() if len(function.blocks) > 1 else []


class _Hoisting:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.blocks = function.blocks
        self.succs, self.preds = edges(function)
        self.order = graphs.postorder(self.succs)[::-1]
        self.idom = graphs.dominators(self.order[::-1], self.preds)
        self.number = {block: n for n, block in enumerate(self.blocks)}
        self.loops = graphs.natural_loops(self.succs, self.preds, self.idom)
        self.instead: dict[ir.Value, ir.Value] = {}

    def nest(self) -> list[tuple[ir.Block, set[ir.Block]]]:
        """Header and blocks of each loop, outer ones first."""
        blocks, loops = self.blocks, self.loops
        return [(blocks[n], {blocks[b] for b in loops[n]}) for n in self.order if n in loops]

    def run(self) -> None:
        """One pass in reverse postorder: operands are united before what uses them."""
        first: dict[object, list[ir.Inst]] = {}
        for n in self._beside():
            for inst in self.blocks[n].insts:
                if not _may_move(inst):
                    continue
                leaders = first.setdefault(self._key(inst), [])
                if not any(self._unite(leader, inst, n) for leader in leaders):
                    leaders.append(inst)
        replace(self.function, self.instead)
        if self.instead:
            replace(self.function, self._single())

    def _single(self) -> dict[ir.Value, ir.Value]:
        """Phis of one value, and that value."""
        found: dict[ir.Value, ir.Value] = {}
        for n in self.order:
            for inst in self.blocks[n].insts:
                if inst.op != "phi":
                    break
                first, *others = {found.get(arg, arg) for arg in inst.args} - {inst}
                if not others and isinstance(first, ir.Inst):
                    found[inst] = first
        return found

    def invariant(self, *ops: str) -> None:
        """Out of the outermost loop that does not change their operands, if one block leads into it."""
        for header in self.order:  # outer loops first
            loop = self.loops.get(header, set())
            into = [p for p in self.preds[header] if p not in loop]
            if not loop or len(into) != 1:
                continue
            inside = (inst for n in self.order if n in loop for inst in self.blocks[n].insts)
            same = [i for i in inside if i.op in ops and all(self._outside(a, loop) for a in i.args)]
            for inst in same[:_MOST_PREDICATES]:
                self._put(inst, self.blocks[into[0]])

    def _outside(self, value: ir.Value, loop: set[int]) -> bool:
        return not isinstance(value, ir.Inst) or (value.parent is not None and self.number[value.parent] not in loop)

    def _beside(self) -> list[int]:
        """Blocks, in reverse postorder, that neither dominate nor are dominated by some other one, both with something
        to move."""
        movable = {n for n in self.order if any(map(_may_move, self.blocks[n].insts))}
        holding = set(movable)  # or dominating a block that is
        branches = dict.fromkeys(self.order, 0)
        for n in self.order[:0:-1]:
            if n in holding:
                branches[self.idom[n]] += 1
                holding.add(self.idom[n])
        beside: set[int] = set()
        for n in self.order[1:]:
            up = self.idom[n]
            if up in beside or branches[up] > (n in holding):
                beside.add(n)
        return [n for n in self.order if n in beside and n in movable]

    def _key(self, value: ir.Value, extended: bool = True) -> object:
        """Equal for values that are computed in the same way; of an operand, the value or its extension."""
        value = self.instead.get(value, value)
        if not isinstance(value, ir.Inst) or (not extended and value.op not in _EXTENSIONS):
            return key_of(value)
        callee = value.callee.name if isinstance(value.callee, ir.Global) else ""
        return value.op, value.type, value.source, callee, *(self._key(arg, False) for arg in value.args)

    def _unite(self, leader: ir.Inst, inst: ir.Inst, n: int) -> bool:
        """Have `inst` be `leader`, which is moved up if it must."""
        assert leader.parent is not None
        home = self.number[leader.parent]
        where = self._common(home, n)
        sides = self.preds[home] == [where] == self.preds[n] and len(self.succs[where]) == 2
        if _steps(inst) and not sides:
            return False
        if where != home:
            if not sides and n not in graphs.reachable(self.succs, [home], where):
                return False
            if any(where in loop and not (home in loop and n in loop) for loop in self.loops.values()):
                return False
            if not self._move(leader, where):
                return False
        leader.flags &= inst.flags
        self.instead[inst] = leader
        return True

    def _common(self, a: int, b: int) -> int:
        """The nearest block that dominates both."""
        above = {a}
        while self.idom[a] != a:
            a = self.idom[a]
            above.add(a)
        while b not in above:
            b = self.idom[b]
        return b

    def _move(self, inst: ir.Inst, where: int) -> bool:
        """Put an instruction, with extensions that it uses, at the end of a block that dominates its own, unless an
        operand is not known there."""
        moved = [inst]
        for arg in inst.args:
            arg = self.instead.get(arg, arg)
            if not isinstance(arg, ir.Inst) or self._known(arg, where):
                continue
            if arg.op not in _EXTENSIONS or not all(self._known(self.instead.get(a, a), where) for a in arg.args):
                return False
            moved.append(arg)
        for one in reversed(dict.fromkeys(moved)):
            if one is not inst:
                one.flags = frozenset()  # of an extension, `nneg` was known where it stood
            self._put(one, self.blocks[where])
        return True

    @staticmethod
    def _put(inst: ir.Inst, block: ir.Block) -> None:
        """Move an instruction to the end of a block, before its terminator."""
        assert inst.parent is not None
        inst.parent.insts.remove(inst)
        inst.parent = block
        block.insts.insert(-1, inst)

    def _known(self, value: ir.Value, where: int) -> bool:
        return not isinstance(value, ir.Inst) or (
            value.parent is not None and graphs.dominates(self.idom, self.number[value.parent], where)
        )


def _may_move(inst: ir.Inst) -> bool:
    if inst.op == "call":
        return isinstance(inst.callee, ir.Global) and _CALLS.match(inst.callee.name) is not None
    if inst.op == "getelementptr":
        return any(isinstance(index, ir.Inst) for index in inst.args[1:])
    return inst.op in _INTEGER and inst.type.kind == "int"


def _steps(inst: ir.Inst) -> bool:
    """Whether it adds a constant: often part of an address, and as cheap as keeping it."""
    return inst.op == "add" and isinstance(inst.args[1], ir.ConstInt)
