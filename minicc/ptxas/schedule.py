"""List scheduling of each block: the ready instruction with the longest way to go first, loads early, uses late.

Runs before allocation on virtual registers, where a guard keeps the number of live values under a target, and again
after it, where spill code and register reuse are part of the graph. Instructions that change control flow stay where
they are and split a block into runs. `sched=serial` leaves the program order.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

from minicc.arch.schema import Arch
from minicc.ptxas import broadcast
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.dag import Node, build
from minicc.ptxas.intervals import bits_of
from minicc.ptxas.liveness import Liveness, analyse
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.operands import Components
from minicc.ptxas.options import Options
from minicc.ptxas.pressure import Pressure, Values
from minicc.ptxas.timing import Distances, Footprint, footprint

_LOOK = 24
"""Candidates compared when registers are short."""
_LOOK_FAR = 160
"""Where predicates are."""
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
_NEAR_MEMORY = 60
"""Expected cycles of a load that is not from global memory, at most."""
_FLAGS = 5
"""Live predicates, of seven, above which instructions are preferred that end one: those that are spilled cost a SEL and
an ISETP, and a wide softmax would have dozens at once. What is live all the way and not read is not counted: it is
what will be spilled."""
_PATIENCE = 48
"""Cycles to wait for an instruction that ends a predicate or a register; rather than longer, one predicate more is made
live, or up to three registers of those that `allocate.comfortable` keeps back."""
_CONSTANTS = 6
"""Constants that are made as early as may be, at most."""
_SOON = 8
"""Cycles that are waited for something more urgent where registers are short."""
_LONGEST = 1024
"""Longer runs are cut, which bounds the cost of every list here."""


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
        for start, end in runs_of(prints):
            part = block.insts[start:end]
            if end - start >= 3:
                nodes = _graph(function, part, prints, start, distances)
                part = [part[i] for i in _order(nodes, prints[start:end], arch)[0]]
            out += part
        block.insts = out


def _graph(
    function: MFunction, insts: list[MInst], prints: list[Footprint], start: int, distances: Distances
) -> list[Node]:
    """The graph of the instructions that have the footprints from `start` on."""
    end = start + len(insts)
    after_it = prints[end] if end < len(prints) else None
    nodes = build(insts, prints[start:end], distances, after_it, function.renewed, function.ahead)
    if function.broadcasts:
        # Of loads that are wanted together, one for all lanes goes before one that takes the L1 a while. An
        # H200 walks down the rows of a matrix, times a vector, 5 % faster for it.
        for node, inst in zip(nodes, insts, strict=True):
            node.height += inst in function.broadcasts
    return nodes


class Graphs:
    """The runs of a function before allocation, as they stand now, ready to be ordered for one aim after another."""

    def __init__(self, function: MFunction, arch: Arch, options: Options) -> None:
        self.function, self.arch = function, arch
        self.blocks: list[list[_Run]] = []
        if options.sched == "serial" or options.opt_level == 0:
            return
        distances, components = Distances(arch), Components(function)
        live = analyse(function, Cfg.of(function))
        function.broadcasts = broadcast.found(function)
        general = {components.start[r.id] + p for r in function.vregs if r.file == "R" for p in range(r.width)}
        flags = {components.start[r.id] for r in function.vregs if r.file == "P"}
        for b, block in enumerate(function.blocks):
            prints = [footprint(i, components) for i in block.insts]
            runs = runs_of(prints)
            self.blocks.append([])
            for (start, end), after in zip(runs, behind(live, b, runs, components), strict=True):
                one = _Run(block.insts[start:end], prints[start:end])
                self.blocks[-1].append(one)
                if len(block.insts) >= 3 and end - start >= 3:
                    one.nodes = _graph(function, one.insts, prints, start, distances)
                    one.values = Values(one.prints, after, general)
                    one.peak = one.values.peak
                    one.far = _together(one.insts, one.prints, one.nodes)
                    if sum(1 for p in one.prints for key, _ in p.writes if key in flags) > _FLAGS:
                        one.flags = Values(one.prints, after, flags)

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
            order, cycles, held = _order(self.nodes, self.prints, arch, pressure, short, few, late)
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


def runs_of(prints: list[Footprint]) -> list[tuple[int, int]]:
    """[start, end) of stretches without control flow; a flow instruction is a stretch of its own."""
    out: list[tuple[int, int]] = []
    start = 0
    for i, print_ in enumerate(prints):
        if i - start == _LONGEST:
            out.append((start, i))
            start = i
        if print_.timing.flow:
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
        if prints[i].timing.expect > _NEAR_MEMORY:
            filled[at] = filled.get(at, 0) + len(prints[i].writes)
        store = insts[i].memory == "store"
        for succ, _ in node.succs:
            level[succ] = max(level[succ], at + 1 if store and insts[succ].memory == "load" else at)
    return max(filled.values(), default=0)


def _order(
    nodes: list[Node],
    prints: list[Footprint],
    arch: Arch,
    pressure: Pressure | None = None,
    short: bool = False,
    flags: Pressure | None = None,
    late: bool = False,
) -> tuple[list[int], int, bool]:
    """A topological order of the run, with an eye on live registers, which may be short, and live predicates (which may
    be made `late`); its cycles, and whether it depended on the registers."""
    waiting: list[tuple[int, int, int]] = []  # (earliest cycle, -height, index), sorted
    left = [n.preds for n in nodes]
    least = [0] * len(nodes)
    held = _Held(nodes, prints)
    later = _Late(nodes, prints, flags if late else None, held)
    ready = sorted(
        (-node.height, i)
        for i, node in enumerate(nodes)
        if not left[i] and i not in held.users and i not in later.waiting
    )
    for constant in [*held.begin, *(c for _, i in ready for c in held.wanted(i))]:
        insort(ready, (-nodes[constant].height, constant))
    now, depends = 0, False
    pipes = [p.timing.pipe for p in prints]
    intervals = {name: arch.pipes[name].interval if name in arch.pipes else 1 for name in set(pipes)}
    free = dict.fromkeys(intervals, 0)
    """When each pipe can take another instruction."""
    out: list[int] = []
    while ready or waiting:
        if waiting and waiting[0][0] <= now:
            arrived = bisect_left(waiting, (now + 1,))
            for _, height, i in waiting[:arrived]:
                insort(ready, (height, i))
            del waiting[:arrived]
        if not ready:
            now = waiting[0][0]
            continue
        spared = _sparing(flags, pressure, ready, waiting) if flags is not None and flags.tight else None
        if spared and ready and flags and flags.live == flags.target and spared[0] > now + _PATIENCE:
            # One more, rather than to wait long.
            spared = None
        if spared is not None:
            when, height, i = spared
            if when < 0:
                ready.remove((height, i))
            else:
                waiting.remove(spared)
                now = when
        elif pressure is not None and pressure.tight:
            # Anything that is free of unmet dependences will do, even if it has to wait.
            depends = True
            change = pressure.change
            best = min([(change[i], height, i) for height, i in ready[:_LOOK]])
            if best[0] > 0 and pressure.fixed:
                # Long blocks with hundreds of values: what is not urgent at all (a store) may end some; else what comes
                # first in the order as it was, which is as good as any.
                height, i = min(ready[-_LOOK:], key=lambda entry: change[entry[1]])
                if change[i] > 0:
                    height, i = min(ready, key=lambda entry: entry[1])
                best = change[i], height, i
            if best[0] > 0 and pressure.foresees:
                now, entry = _fitting(pressure, ready, waiting, now)
                best = change[entry[1]], *entry
            elif waiting:
                other = min([(change[i], height, i, when) for when, height, i in waiting[:_LOOK]])
                if other < best and not (other[3] > now + _PATIENCE and pressure.live < pressure.target + 3):
                    best = other[:3]
                    now = other[3]
                    waiting.remove((now, *best[1:]))
                else:
                    ready.remove(best[1:])
            else:
                ready.remove(best[1:])
            i = best[2]
        else:
            urgent = None
            if pressure is not None and short and prints[ready[0][1]].timing.variable:
                urgent = _urgent(pressure, ready, waiting, now)
            if urgent is not None:
                now, _, i = urgent
                waiting.remove(urgent)
            elif pressure is not None and pressure.foresees and not pressure.fits(ready[0][1]):
                fit = next((entry for entry in ready[1:_LOOK] if pressure.fits(entry[1])), None)
                if fit is None:
                    now, fit = _fitting(pressure, ready, waiting, now)
                else:
                    ready.remove(fit)
                i = fit[1]
            else:
                busy = free[pipes[ready[0][1]]] > now
                second = busy and len(ready) > 1 and free[pipes[ready[1][1]]] <= now
                i = ready.pop(1 if second else 0)[1]
        out.append(i)
        if pressure is not None:
            pressure.take(i)
            if flags is not None:
                flags.take(i)
        free[pipes[i]] = now + intervals[pipes[i]]
        for succ, cycles in nodes[i].succs:
            if least[succ] < now + cycles:
                least[succ] = now + cycles
            left[succ] -= 1
            free_now = [succ] if not left[succ] and succ not in later.waiting else []
            if later.waiting:
                free_now += [compare for compare in later.wanted(succ, i) if not left[compare]]
            for one in free_now:
                insort(waiting, (least[one], -nodes[one].height, one))
                for constant in held.wanted(one) if held.makers else ():
                    insort(ready, (-nodes[constant].height, constant))
        now += prints[i].timing.stall
    assert len(out) == len(nodes)
    return out, now, depends


def _fitting(
    pressure: Pressure, ready: list[tuple[int, int]], waiting: list[tuple[int, int, int]], now: int
) -> tuple[int, tuple[int, int]]:
    """What to take, and when, where nothing that is urgent fits: what is next in the order as it was, or what comes
    first of those that fit."""
    entry = min(ready, key=lambda entry: entry[1])
    if not pressure.fits(entry[1]):
        found = next((entry for entry in waiting if pressure.fits(entry[2])), None)
        if found is not None:
            waiting.remove(found)
            return found[0], found[1:]
    ready.remove(entry)
    return now, entry


class _Held:
    """Constants of a run that has many wait until what needs one could go as soon as all that it needs besides has been
    issued: early they would only fill registers, and a polynomial of doubles has a pair for each step."""

    def __init__(self, nodes: list[Node], prints: list[Footprint]) -> None:
        self.users = {
            i: [succ for succ, _ in node.succs]
            for i, (node, print_) in enumerate(zip(nodes, prints, strict=True))
            if not node.preds and node.succs and not print_.reads and not print_.timing.variable
        }
        """Constant -> instructions that need it."""
        if len(self.users) < _CONSTANTS:
            self.users = {}
        self.needs: dict[int, list[int]] = {}
        for i, users in self.users.items():
            for user in users:
                self.needs.setdefault(user, []).append(i)
        self.short = {user: nodes[user].preds - len(constants) for user, constants in self.needs.items()}
        """Of what needs some, what it needs besides and is not ready to go."""
        self.given: set[int] = set()
        self.begin = [i for user, count in self.short.items() if not count for i in self._give(user)]
        """Those that are wanted from the start."""
        self.makers: dict[int, list[int]] = {}
        for i, node in enumerate(nodes) if self.users else ():
            found = [succ for succ, _ in node.succs if succ in self.short]
            if found and i not in self.users:
                self.makers[i] = found

    def wanted(self, i: int) -> list[int]:
        """Constants that are wanted, now that `i` is ready to go."""
        out: list[int] = []
        for user in self.makers.get(i, ()):
            self.short[user] -= 1
            if not self.short[user]:
                out += self._give(user)
        return out

    def _give(self, user: int) -> list[int]:
        found = [i for i in self.needs[user] if i not in self.given]
        self.given.update(found)
        return found


class _Late:
    """Compares for what comes much later wait, in a run that makes many, until all else that one of their users needs
    has been issued: early they would only fill predicates, and others wait for some to be free."""

    def __init__(self, nodes: list[Node], prints: list[Footprint], flags: Pressure | None, constants: _Held) -> None:
        self.waiting: set[int] = set()
        self.constants = constants
        self.needs: dict[int, list[int]] = {}
        """User -> the compares that it needs."""
        if flags is None:
            return
        early = [0] * len(nodes)
        """In which cycle each instruction can come."""
        for i, node in enumerate(nodes):
            for succ, cycles in node.succs:
                early[succ] = max(early[succ], early[i] + cycles)
        due = early.copy()
        """The same, of what waits that of its first user."""
        for i in range(len(nodes) - 1, -1, -1):
            pure = flags.born[i] and len(prints[i].writes) == flags.born[i]
            first = min((due[succ] for succ, _ in nodes[i].succs), default=0)
            if pure and i not in constants.users and first - early[i] > _NEAR_MEMORY:
                self.waiting.add(i)
                due[i] = first
                for user, _ in nodes[i].succs:
                    self.needs.setdefault(user, []).append(i)
        self.short = {
            user: nodes[user].preds - len(compares) - len(constants.needs.get(user, ()))
            for user, compares in self.needs.items()
        }
        """Of what needs some, what it needs besides, constants apart, and is still to come."""
        for user in self.needs:
            self._let(user)

    def _let(self, user: int) -> list[int]:
        """The compares that `user` needs no longer wait, if nothing else is missing; those that have waited."""
        if self.short[user] or user in self.waiting:
            return []
        found = [compare for compare in self.needs[user] if compare in self.waiting]
        self.waiting.difference_update(found)
        for compare in tuple(found):
            if compare in self.needs:
                found += self._let(compare)
        return found

    def wanted(self, user: int, i: int) -> list[int]:
        """Compares that need no longer wait, now that `i` has been issued, of which `user` has need."""
        if user not in self.needs or i in self.needs[user] or i in self.constants.users:
            return []
        self.short[user] -= 1
        return self._let(user)


def _urgent(
    pressure: Pressure, ready: list[tuple[int, int]], waiting: list[tuple[int, int, int]], now: int
) -> tuple[int, int, int] | None:
    """What to wait for rather than take a register for something that is wanted later: of the two loads of a product
    one is of no use without the other."""
    height, i = ready[0]
    if pressure.change[i] <= 0:
        return None
    soon = [entry for entry in waiting[: bisect_left(waiting, (now + _SOON,))] if entry[1] < height]
    return min(soon, key=lambda entry: entry[1], default=None)


def _sparing(
    flags: Pressure, pressure: Pressure | None, ready: list[tuple[int, int]], waiting: list[tuple[int, int, int]]
) -> tuple[int, int, int] | None:
    """(when or -1, -height, index) of the candidate to take, of those that make no further predicate live: one that
    need not wait if there is one, or where registers are short what ends most lives."""
    change = flags.change
    tight = pressure is not None and pressure.tight
    best: tuple[int, int, int] | None = None
    for candidates in ([(-1, height, i) for height, i in ready[:_LOOK_FAR]], waiting[:_LOOK_FAR]):
        fit = [entry for entry in candidates if change[entry[2]] <= 0]
        if pressure is not None and pressure.foresees:
            fit = [entry for entry in fit if pressure.fits(entry[2])]
        if not fit:
            continue
        if not tight:
            return fit[0]
        assert pressure is not None
        lives = pressure.change
        found = min(fit, key=lambda entry: (lives[entry[2]], entry))
        if not pressure.fixed:
            return found
        if best is None or lives[found[2]] < lives[best[2]]:
            best = found
    if best is None and flags.live > flags.target:
        # Nothing fits, and predicates are short, too: no more of them, whatever it takes of registers.
        least = min((entry for entry in ready if change[entry[1]] <= 0), key=lambda entry: entry[1], default=None)
        best = None if least is None else (-1, *least)
    elif best is not None and tight and pressure is not None and pressure.change[best[2]] > 0:
        # Nothing ends a life without another predicate, which the order as it was comes to.
        best = min([*((-1, *entry) for entry in ready), *waiting[:_LOOK_FAR]], key=lambda entry: entry[2])
    return best
