"""Switches: an indexed branch for dense ones, bit tests where few targets share many cases, else a binary search.

Cases in order are joined to ranges of one target; neighbouring ranges that lie within 32 values and go to few targets
become one bit test: `1 << (value - first)` is made once, and each target is a mask. PTX's shift gives zero for amounts
beyond 31, so that a value outside needs no test of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.isel.cover import template
from minicc.isel.dag import WIDTH, BlockDag, Node
from minicc.isel.prepare.cases import Range, otherwise, ranges
from minicc.numbers import signed
from minicc.nvvm import ir
from minicc.ptx import model as ptx

if TYPE_CHECKING:
    from minicc.isel.emit.emit import Emitter

LEAF = 7
"""Ranges that are tested one after the other: all of a switch, or those at the end of the search. A search parts a warp
once more, and the default is then run for each part (seven operations chosen by each thread: 0.89 of the cycles
without); NVIDIA's ptxas makes an indexed branch of each part. More are an indexed branch, if at least half of their
range are cases."""


Cluster = list[Range]
"""One range, or those of one bit test."""


def clusters(found: list[Range]) -> list[Cluster]:
    """Ranges joined to bit tests, from the lowest on, where that takes fewer instructions: a shift, and for each target
    a mask and a branch, against a comparison and a branch for each range."""
    out: list[Cluster] = []
    at = 0
    while at < len(found):
        best = at + 1
        for end in range(at + 2, len(found) + 1):
            group = found[at:end]
            if group[-1].high - group[0].low >= 32:
                break
            if sum(r.compares for r in group) >= len({id(r.target) for r in group}) + 2:
                best = end
        out.append(found[at:best])
        at = best
    return out


class Switch:
    """Emission of one switch."""

    def __init__(self, emitter: Emitter, dag: BlockDag, node: Node, following: ir.Block | None) -> None:
        self.emitter = emitter
        self.dag = dag
        self.value: Node = node.args[0]
        self.type: str = self.value.type
        self.following = following
        default, cases = node.data
        self.default: ir.Block = otherwise(default, [target for _, target in cases])
        self.cases: list[tuple[int, ir.Block]] = cases
        self.labels: dict[ir.Block, str] = {}
        self.count = 0

    def run(self) -> None:
        emitter = self.emitter
        value = self.value
        if value.is_const:
            target = next((b for v, b in self.cases if v == value.data), self.default)
            emitter.jump(self.dag, target, self.following)
            return
        found = ranges(self.cases, self.default)
        targets = list(dict.fromkeys([self.default, *(r.target for r in found)]))
        reg = emitter.reg(value)
        if self.type == "i64" and value.zb < 32:
            reg = self.low(reg)
            self.type = "i32"
        written: set[ptx.Reg] = set()
        for target in targets:
            label = emitter.labels[target]
            moved = {emitter.result(phi) for phi, _ in emitter.incoming(self.dag, target)}
            others = [other for other in targets if other is not target]
            if moved and not moved & written and emitter.may_hoist(self.dag, reg, target, others):
                emitter.copies(self.dag, target)
                written |= moved
            elif moved:
                label = f"{emitter.labels[self.dag.block]}_edge{len(emitter.edges)}_{label.rpartition('_')[2]}"
                emitter.edges.append((label, self.dag, target))
            self.labels[target] = label
        self.next = emitter.labels[self.following] if self.following is not None else ""
        tests = clusters(found) if self.type == "i32" else [[r] for r in found]
        spread = found[-1].high - found[0].low if found else 0
        count = sum(r.high - r.low + 1 for r in found)
        dense = len(tests) > LEAF and spread < 2 * count
        if dense and emitter.cover.database.lookup("brtable.i32"):
            self.table(found, reg)
        else:
            self.search(tests, reg, True)

    def plain(self, op: str, *operands: ptx.Operand) -> None:
        """The instruction of an operation with such operands."""
        step = template.parse(self.emitter.cover.database.simple(op).template)[0]
        self.emitter.purpose = f"a switch of {len(self.cases)} cases"
        self.emitter.emitted(op, self.emitter.inst(step.opcode, step.modifiers, operands))

    def literal(self, value: int) -> ptx.Int:
        return ptx.Int(signed(value, WIDTH[self.type]))

    def minus(self, reg: ptx.Reg, first: int) -> ptx.Reg:
        """The value less a constant."""
        if not first:
            return reg
        moved = self.emitter.register(self.type)
        self.plain(f"add.{self.type}", moved, reg, self.literal(-first))
        return moved

    def low(self, reg: ptx.Reg) -> ptx.Reg:
        """The lower word of 64 bits."""
        word = self.emitter.register("i32")
        self.plain("trunc.i32.i64", word, reg)
        return word

    def branch(self, pred: str, reg: ptx.Reg, value: int, label: str, kind: str = "") -> None:
        """Compare with a constant and branch if it holds."""
        holds = self.emitter.register("p")
        self.plain(f"icmp.{pred}.{kind or self.type}", holds, reg, self.literal(value))
        step = template.parse(self.emitter.cover.database.lookup("brcond.")[0].template)[0]
        self.emitter.used_labels.add(label)
        self.emitter.emitted("brcond.", self.emitter.inst(step.opcode, step.modifiers, (ptx.Symbol(label),), holds))

    def table(self, found: list[Range], reg: ptx.Reg) -> None:
        """A dense switch: bounds, then an indexed branch. Holes go to the default."""
        first, span = found[0].low, found[-1].high - found[0].low
        index = self.minus(reg, first)
        self.branch("ugt", index, span, self.labels[self.default])
        if self.type == "i64":
            index = self.low(index)
        names = [self.labels[self.default]] * (span + 1)
        for r in found:
            names[r.low - first : r.high - first + 1] = [self.labels[r.target]] * (r.high - r.low + 1)
        self.emitter.used_labels.update(names)
        name = f"{self.emitter.labels[self.dag.block]}_table"
        self.emitter.out.append(ptx.Branchtargets(name, tuple(names)))
        self.plain("brtable.i32", index, ptx.Symbol(name))

    def search(self, tests: list[Cluster], reg: ptx.Reg, last: bool) -> None:
        """Branches to the target of the cluster that has the value, or to the default. `last`: the next block is
        what follows."""
        if len(tests) > LEAF:
            middle = len(tests) // 2
            self.count += 1
            label = f"{self.emitter.labels[self.dag.block]}_case{self.count}"
            self.branch("uge", reg, tests[middle][0].low, label)
            self.search(tests[:middle], reg, False)
            self.emitter.out.append(ptx.Label(label))
            self.search(tests[middle:], reg, last)
            return
        steps: list[tuple[str, ptx.Reg, int, str]] = []
        for cluster in tests:
            steps += self.bits(cluster, reg) if len(cluster) > 1 else self.within(cluster[0], reg)
        default = self.labels[self.default]
        if last and default != self.next:  # what goes to the next block is tested last, the other way round
            steps.sort(key=lambda step: step[3] == self.next)
            if steps and steps[-1][3] == self.next:
                pred, operand, value, _ = steps.pop()
                steps.append((_OPPOSITE[pred], operand, value, default))
                default = self.next
        for pred, operand, value, label in steps:
            self.branch(pred, operand, value, label)
        if not (last and default == self.next):
            self.emitter.branch(default)

    def within(self, found: Range, reg: ptx.Reg) -> list[tuple[str, ptx.Reg, int, str]]:
        """The comparison that finds a range."""
        label = self.labels[found.target]
        if found.low == found.high:
            return [("eq", reg, found.low, label)]
        return [("ule", self.minus(reg, found.low), found.high - found.low, label)]

    def bits(self, cluster: Cluster, reg: ptx.Reg) -> list[tuple[str, ptx.Reg, int, str]]:
        """A test of bits for each target."""
        emitter = self.emitter
        first = cluster[0].low if cluster[-1].high >= 32 else 0
        masks: dict[str, int] = {}
        for r in cluster:
            label = self.labels[r.target]
            masks[label] = masks.get(label, 0) | ((2 << r.high - r.low) - 1) << r.low - first
        bit = emitter.register("i32")
        self.plain("shl.i32", bit, ptx.Int(1), self.minus(reg, first))
        out = []
        for label, mask in masks.items():
            found = emitter.register("i32")
            self.plain("and.i32", found, bit, self.literal(mask))
            out.append(("ne", found, 0, label))
        return out


_OPPOSITE = {"eq": "ne", "ne": "eq", "ule": "ugt"}
