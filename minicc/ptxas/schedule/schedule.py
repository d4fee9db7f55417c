"""List scheduling of each block: the ready instruction with the longest way to go first, loads early, uses late.

Runs before allocation on virtual registers, where a guard keeps the number of live values under a target, and again
after it, where spill code and register reuse are part of the graph. Instructions that change control flow stay where
they are and split a block into runs. `sched=serial` leaves the program order.
"""

from __future__ import annotations

from collections.abc import Iterable

from minicc.arch.schema import Arch
from minicc.ptxas.liveness import Liveness
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.operands import BASE, Components
from minicc.ptxas.options import Options
from minicc.ptxas.registers.intervals import bits_of
from minicc.ptxas.schedule import broadcast
from minicc.ptxas.schedule.dag import Node, build
from minicc.ptxas.schedule.facts import Facts
from minicc.ptxas.schedule.order import NEAR_MEMORY, Order
from minicc.ptxas.schedule.pressure import Pressure, Values
from minicc.ptxas.timing import Distances, Footprint, footprint

FULL, FREE = 28, 40
"""Live registers that cost nothing: up to 32 a thread occupancy is full, whatever the size of a block (nvcc
rarely takes 33 to 40), and half as many more cost little."""
LAUNCHED = 52
"""Live registers with which 64 a thread are enough: with more, blocks of 1,024 threads cannot be launched."""
_FLIGHT, _MANY = 32, 112
"""Registers for loads under way: so many more than the run's own order needs, and so many in all."""
ROOMY = 200
"""Registers of nearly a whole file, as no limit of the user's: Triton's products take half as many spills for it."""
NEARLY = 0.9
"""Of the registers that are counted on, how many live ones may not leave room enough: gaps between pairs and quads."""
_FLAGS = 5
"""Live predicates, of seven, above which instructions are preferred that end one: those that are spilled cost a SEL and
an ISETP, and a wide softmax would have dozens at once. What is live all the way and not read is not counted: it is
what will be spilled."""
_STACK = BASE["R"] + 1
"""The stack pointer."""
_LONGEST = 1024
"""Longer runs are cut, which bounds the cost of every list here."""
WHOLE = 8192
"""The same for orders from the leanest one: what is loaded a thousand instructions before its use would have to live
across the cut."""


class Aim:
    """What an order before allocation is to keep to."""

    def __init__(self, target: int, free: int = FREE, launched: int = 0) -> None:
        self.target = target
        """Live general registers above which the scheduler prefers instructions that end lives."""
        self.free = free
        """So many are always allowed."""
        self.launched = launched
        """A run whose own order keeps to `LAUNCHED` keeps to that many; 0: blocks may be as small as that takes."""


class Outcome:
    """What is known of an order."""

    def __init__(self, cycles: int = 0, held: bool = False, most: int = 0) -> None:
        self.cycles = cycles
        """What a warp alone would take, each loop counting for several rounds."""
        self.held = held
        """Whether it would take fewer with more free registers."""
        self.most = most
        """The most general registers that are live."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Reorder every block of a function that has its registers."""
    if options.sched == "serial" or options.opt_level == 0:
        return
    distances, components = Distances(arch), Components(function)
    for block in function.blocks:
        if len(block.insts) < 3:
            continue
        prints = [footprint(i, components) for i in block.insts]
        function.prints.update(zip(block.insts, prints, strict=True))
        out: list[MInst] = []
        for start, end in runs_of(prints, spilled=True):
            part = block.insts[start:end]
            if end - start >= 3:
                after = prints[end] if end < len(prints) else None
                nodes = build(part, prints[start:end], distances, after, function.renewed, function.ahead)
                nodes = _told_apart(nodes, part, function)
                part = [part[i] for i in Order(nodes, prints[start:end], arch).made()[0]]
            out += part
        block.insts = out


def _told_apart(nodes: list[Node], insts: list[MInst], function: MFunction) -> list[Node]:
    """The graph of the instructions in which of loads that are wanted together one for all lanes goes before one that
    takes the L1 a while: an H200 walks down the rows of a matrix, times a vector, 5 % faster for it."""
    found = function.broadcasts
    if found.isdisjoint(insts):
        return nodes
    pairs = zip(nodes, insts, strict=True)
    return [Node(node.succs, node.height + 1, node.preds) if inst in found else node for node, inst in pairs]


class Graphs:
    """The runs of a function before allocation, as they stand now, ready to be ordered for one aim after another."""

    def __init__(
        self, function: MFunction, arch: Arch, options: Options, longest: int = _LONGEST, facts: Facts | None = None
    ) -> None:
        facts = facts or Facts(function)
        self.function, self.arch, self.options = function, arch, options
        self.blocks: list[list[_Run]] = []
        self.live = live = facts.liveness()
        if options.sched == "serial" or options.opt_level == 0:
            return
        distances, components = Distances(arch), Components(function)
        function.broadcasts = broadcast.found(function)
        general = {components.start[r.id] + p for r in function.vregs if r.file == "R" for p in range(r.width)}
        flags = {components.start[r.id] for r in function.vregs if r.file == "P"}
        for b, block in enumerate(function.blocks):
            prints = facts.footprints(block.insts, components)
            runs = runs_of(prints, longest)
            self.blocks.append([])
            for (start, end), after in zip(runs, behind(live, b, runs, components), strict=True):
                one = _Run(block.insts[start:end], prints[start:end])
                self.blocks[-1].append(one)
                if len(block.insts) >= 3 and end - start >= 3:
                    one.nodes = _told_apart(facts.graph(one.insts, prints, start, distances), one.insts, function)
                    one.values = Values(one.prints, after, general)
                    one.peak = one.values.peak
                    one.far = _together(one.insts, one.prints, one.nodes)
                    if sum(1 for p in one.prints for key, _ in p.writes if key in flags) > _FLAGS:
                        one.flags = Values(one.prints, after, flags)

    @property
    def peak(self) -> int:
        """General registers live at one time in the order as it was."""
        return max((one.peak for runs in self.blocks for one in runs), default=0)

    def schedule(self, aim: Aim) -> Outcome:
        """Put every block of the function in order."""
        cycles, held, most = 0, False, 0
        for block, runs in zip(self.function.blocks, self.blocks, strict=False):
            out: list[MInst] = []
            for one in runs:
                if one.values is None:
                    out += one.insts
                    continue
                order = one.ordered(aim, self.arch)
                out += [one.insts[i] for i in order.order]
                cycles += block.weight * order.cycles
                held |= order.held and order.target == aim.free
                # With nearly a whole file, short is what does not fit.
                self.function.short |= order.short and (aim.target < ROOMY or order.most > aim.target)
                most = max(most, order.most)
            block.insts = out
        return Outcome(cycles, held, most)


class _Ordered:
    """An order of a run."""

    def __init__(self, order: list[int], cycles: int, target: int, short: bool, held: bool, most: int) -> None:
        self.order, self.cycles = order, cycles
        self.target = target
        """Live values that it aimed at."""
        self.short = short
        """Whether there are fewer registers than the run would like to have."""
        self.held = held
        """Whether the order depended on the target."""
        self.most = most
        """Values that have been live at one time, of those taken."""


class _Run:
    """A stretch without control flow."""

    def __init__(self, insts: list[MInst], prints: list[Footprint]) -> None:
        self.insts, self.prints = insts, prints
        self.nodes: list[Node] = []
        self.values: Values | None = None
        """Its general registers; None if it is too short for any other order."""
        self.flags: Values | None = None
        """Its predicates, if it makes many."""
        self.peak = 0
        """General registers live at one time in its own order."""
        self.far = 0
        """Registers that loads from far memory can be filling at one time."""
        self.last: _Ordered | None = None

    def ordered(self, aim: Aim, arch: Arch) -> _Ordered:
        """The order for an aim."""
        assert self.values is not None
        target, short = self._target(aim)
        last = self.last
        if last and last.short == short and max(last.most, self.values.before) < min(target, last.target):
            # So many were never live that either would have counted.
            last.target = target
            return last
        full = short or target > NEARLY * aim.target or (self.flags is not None and self.far < _FLIGHT)
        found: _Ordered | None = None
        for late in (False, True):
            pressure = Pressure(self.values, target, fixed=not aim.launched, foresee=full)
            few = Pressure(self.flags, _FLAGS + self.flags.through) if self.flags else None
            order, cycles, held = Order(self.nodes, self.prints, arch, pressure, short, few, late).made()
            if found is None or (cycles < found.cycles and pressure.most <= max(target, found.most)):
                found = _Ordered(order, cycles, target, short, held, pressure.most)
            if few is None or few.most < few.target:
                break
        self.last = found
        assert found is not None
        return found

    def _target(self, aim: Aim) -> tuple[int, bool]:
        """Live values from which on to take care, and whether registers are short. Few registers are no gain in
        themselves: a run may take some more than its own order needs, up to what is given, and more for those that
        loads from global memory can fill at one time, which it pays to have many of under way."""
        peak = self.peak
        most = peak + max(peak // 8, min(self.far, _FLIGHT, max(_MANY - peak, 0)))
        target = min(aim.target, max(aim.free if most <= aim.free else FREE, most))
        if peak > aim.target >= ROOMY:
            # It spills whatever is done here; moving everything about for a target out of reach makes that worse.
            target = peak
        if aim.launched and peak <= LAUNCHED:
            target = min(target, max(aim.launched, peak))
        return target, aim.target < max(FREE, most)


def behind(live: Liveness, b: int, runs: list[tuple[int, int]], components: Components) -> list[set[int]]:
    """What is live behind each run of block `b`."""

    def keys(found: Iterable[tuple[int, int]]) -> list[int]:
        return [components.start[reg] + part for reg, mask in found for part in bits_of(mask)]

    now = set(keys(live.live_out[b].items()))
    out: list[set[int]] = []
    for start, end in reversed(runs):
        out.append(set(now))
        for access in reversed(live.accesses[b][start:end] if start else []):
            now.difference_update(keys(access.defs))
            now.update(keys(access.uses))
    out.reverse()
    return out


def runs_of(prints: list[Footprint], longest: int = _LONGEST, *, spilled: bool = False) -> list[tuple[int, int]]:
    """[start, end) of stretches without control flow, cut at `longest`; a flow instruction is a stretch of its own. So
    is, until registers are `spilled`, what moves the stack pointer for a call: spill code beside it is based on that,
    and nothing else may come between the two."""
    out: list[tuple[int, int]] = []
    start = 0
    for i, print_ in enumerate(prints):
        if i - start == longest:
            out.append((start, i))
            start = i
        if print_.timing.flow or (not spilled and any(key == _STACK for key, _ in print_.writes)):
            if i > start:
                out.append((start, i))
            out.append((i, i + 1))
            start = i + 1
    if start < len(prints):
        out.append((start, len(prints)))
    return out


def _together(insts: list[MInst], prints: list[Footprint], nodes: list[Node]) -> int:
    """Most registers that loads from far memory can be filling at one time: a load that waits for a store that waits
    for another load is not under way with that."""
    level = [0] * len(nodes)
    filled: dict[int, int] = {}
    for i, node in enumerate(nodes):
        at = level[i]
        if prints[i].timing.expect > NEAR_MEMORY:
            filled[at] = filled.get(at, 0) + len(prints[i].writes)
        store = insts[i].memory == "store"
        for succ, _ in node.succs:
            level[succ] = max(level[succ], at + 1 if store and insts[succ].memory == "load" else at)
    return max(filled.values(), default=0)
