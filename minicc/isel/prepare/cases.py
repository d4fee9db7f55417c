"""Switches that only choose a value become selections, and those that are a few tests in a row become these again.

Where every case goes straight on to one block, and only says what its phis are there (or computes it in an instruction
or two), the phis become selections by comparisons: threads that differ in their case do not part, and each case takes a
comparison, not a branch. LLVM makes tables in memory of such switches for other targets, and keeps the branches for
this one.

Where every case is a short body that goes on to the default,

    if (threadIdx.x == 0) left();         switch (threadIdx.x) { case 0: left(); break;
    if (threadIdx.x == 31) right();                              case 31: right(); }

LLVM has joined what the source tests one after the other. Each test with its body can run under a guard, so that the
loads of all bodies are under way at once; the branches of a switch cannot.
"""

from __future__ import annotations

from minicc.isel.prepare.equal import key_of
from minicc.isel.prepare.sink import predecessors
from minicc.nvvm import ir
from minicc.record import Record

_MOST_TESTS = 12
"""Comparisons that are made whatever the value is."""
_MOST_PHIS = 2
_MADE = {"add", "sub", "and", "or", "xor", "shl", "lshr", "ashr", "sext", "zext", "trunc", "getelementptr"}
_MOST_MADE, _MOST_OF_ALL = 2, 6
"""What a case, and all of them, may compute whatever the value is: operations, and how many."""
_MOST_BODIES, _LONGEST_BODY = 4, 8
"""Bodies that become tests in a row, and instructions of each."""
Key = tuple[object, ...]
"""What the phis are."""


class Range(Record):
    """Neighbouring values with one target."""

    def __init__(self, low: int, high: int, target: ir.Block) -> None:
        self.low, self.high, self.target = low, high, target

    @property
    def compares(self) -> int:
        return 1 if self.low == self.high else 2


def ranges(cases: list[tuple[int, ir.Block]], default: ir.Block) -> list[Range]:
    """The cases in order of their values, those of one target in a row joined."""
    out: list[Range] = []
    for value, target in sorted((case for case in cases if case[1] is not default), key=lambda case: case[0]):
        if out and out[-1].high == value - 1 and out[-1].target is target:
            out[-1] = Range(out[-1].low, value, target)
        else:
            out.append(Range(value, value, target))
    return out


def otherwise(default: ir.Block, targets: list[ir.Block]) -> ir.Block:
    """The target that needs no test: the default, or the most frequent one if the default is never reached."""
    if default.insts[0].op != "unreachable":
        return default
    return max(dict.fromkeys(targets), key=targets.count, default=default)


def choose(function: ir.Function) -> None:
    """Rewrite in place."""
    switches = [block for block in function.blocks if block.terminator.op == "switch"]
    if switches:
        preds = predecessors(function)
        gone = {block for switch in switches for block in _Choice(switch, preds).rewrite()}
        function.blocks = [block for block in function.blocks if block not in gone]
        for switch in switches:
            if switch.terminator.op == "switch":
                _in_a_row(function, switch, preds)


def _in_a_row(function: ir.Function, block: ir.Block, preds: dict[ir.Block, list[ir.Block]]) -> None:
    """Make tests one after the other of a switch whose cases are short bodies before its default."""
    switch = block.terminator
    value, (default, *bodies) = switch.args[0], switch.blocks
    if not 2 <= len(bodies) <= _MOST_BODIES or len(set(bodies)) < len(bodies) or default.insts[0].op == "phi":
        return
    for body in bodies:
        short = len(body.insts) <= _LONGEST_BODY and not any(inst.op in ("call", "phi") for inst in body.insts)
        if not short or preds[body] != [block] or body.successors != [default]:
            return
    tests = [block, *(ir.Block(f"{body.name}.test") for body in bodies[1:])]
    for test, body, case, after in zip(tests, bodies, switch.cases, [*tests[1:], default], strict=True):
        equal = ir.Inst(ir.I1, "icmp", [value, ir.ConstInt(value.type, case)], pred="eq")
        branch = ir.Inst(ir.VOID, "br", [equal])
        branch.blocks = [body, after]
        body.terminator.blocks = [after]
        for inst in (equal, branch):
            inst.parent, inst.offset, inst.metadata = test, switch.offset, switch.metadata
        test.insts[len(test.insts) - (test is block) :] = [equal, branch]
    at = function.blocks.index(block) + 1
    rest = [b for b in function.blocks[at:] if b not in bodies]
    row = [b for test, body in zip(tests, bodies, strict=True) for b in (test, body)]
    function.blocks[at:] = [*row[1:], *rest]


class _Choice:
    """A switch; `rewrite` says which blocks nothing leads to any more."""

    def __init__(self, block: ir.Block, preds: dict[ir.Block, list[ir.Block]]) -> None:
        self.block = block
        self.preds = preds
        self.switch = block.terminator
        default, *self.targets = self.switch.blocks
        self.default = otherwise(default, self.targets)
        self.inserted: list[ir.Inst] = []

    def after(self, target: ir.Block) -> ir.Block:
        """The block behind one that does next to nothing and has no other way in."""
        little = len(target.insts) <= _MOST_MADE + 1 and all(inst.op in _MADE for inst in target.insts[:-1])
        alone = little and len(target.successors) == 1 and self.preds[target] == [self.block]
        return target.successors[0] if alone else target

    def rewrite(self) -> list[ir.Block]:
        ends = {self.after(target) for target in self.targets}
        value = self.switch.args[0]
        if len(ends) != 1 or value.type.bits > 32 or isinstance(value, ir.ConstInt):
            return []
        self.join = ends.pop()
        phis = [inst for inst in self.join.insts if inst.op == "phi"]
        outside = self.after(self.default) is not self.join
        if self.join is self.block or not phis:
            return []
        cases: list[tuple[int, ir.Block]] = list(zip(self.switch.cases, self.targets, strict=True))
        first: dict[Key, ir.Block] = {} if outside else {self.key(phis, self.default): self.default}
        alike = [(case, first.setdefault(self.key(phis, target), target)) for case, target in cases]
        found = ranges(alike, self.default)
        differing = [phi for phi in phis if len({key_of(self.given(phi, t)) for t in first.values()}) > 1]
        if sum(test.compares for test in found) > _MOST_TESTS or len(differing) > _MOST_PHIS:
            return []
        reached = dict.fromkeys(self.targets if outside else (self.default, *self.targets))
        empty = [target for target in reached if target is not self.join]
        if sum(len(target.insts) - 1 for target in empty) > _MOST_OF_ALL:
            return []
        for inst in (inst for target in empty for inst in target.insts[:-1]):
            inst.parent = self.block
            self.inserted.append(inst)
        if value.type.bits < 32:
            value = self.made("zext", ir.int_type(32), [value])
        conditions: dict[ir.Block, ir.Value] = {}
        for test in found:
            holds = self.holds(value, test)
            known = conditions.get(test.target)
            conditions[test.target] = holds if known is None else self.made("or", ir.I1, [known, holds])
        chosen: dict[ir.Inst, ir.Value] = {}
        for phi in phis:
            others = list(conditions)
            result = self.given(phi, others.pop() if outside else self.default)
            for target in others if phi in differing else ():
                result = self.made("select", phi.type, [conditions[target], self.given(phi, target), result])
            chosen[phi] = result
        self.finish(chosen, list(conditions.values()) if outside else [], {self.block, *empty})
        return empty

    def key(self, phis: list[ir.Inst], target: ir.Block) -> Key:
        return tuple([key_of(self.given(phi, target)) for phi in phis])

    def given(self, phi: ir.Inst, target: ir.Block) -> ir.Value:
        """What a phi is on the way by `target`."""
        return phi.args[phi.blocks.index(self.block if target is self.join else target)]

    def made(self, op: str, type_: ir.Type, args: list[ir.Value], pred: str = "") -> ir.Inst:
        """A new instruction at the end of the block."""
        inst = ir.Inst(type_, op, args, pred=pred)
        inst.parent, inst.offset, inst.metadata = self.block, self.switch.offset, self.switch.metadata
        self.inserted.append(inst)
        return inst

    def holds(self, value: ir.Value, test: Range) -> ir.Inst:
        """Whether the value lies in a range."""
        low = ir.ConstInt(value.type, test.low)
        if test.low == test.high:
            return self.made("icmp", ir.I1, [value, low], "eq")
        above = value
        if test.low:
            above = self.made("add", value.type, [value, ir.ConstInt(value.type, -test.low & 0xFFFFFFFF)])
        return self.made("icmp", ir.I1, [above, ir.ConstInt(value.type, test.high - test.low)], "ule")

    def finish(self, chosen: dict[ir.Inst, ir.Value], conditions: list[ir.Value], ways: set[ir.Block]) -> None:
        """Put what was made in place of the switch; without `conditions` all cases lead to the join, by `ways`."""
        for phi, value in chosen.items():
            kept = [(a, b) for a, b in zip(phi.args, phi.blocks, strict=True) if b not in ways]
            phi.args, phi.blocks = [*(a for a, _ in kept), value], [*(b for _, b in kept), self.block]
        if conditions:
            any_ = conditions[0]
            for more in conditions[1:]:
                any_ = self.made("or", ir.I1, [any_, more])
            self.made("br", ir.VOID, [any_]).blocks = [self.join, self.default]
        else:
            self.made("br", ir.VOID, []).blocks = [self.join]
        self.block.insts[-1:] = self.inserted
