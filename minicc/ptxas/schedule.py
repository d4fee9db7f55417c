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
_ROOMY = 200
"""Registers of nearly a whole file, as no limit of the user's: Triton's products take half as many spills for it."""
_NEAR_MEMORY = 60
"""Expected cycles of a load that is not from global memory, at most."""
_FLAGS = 5
"""Live predicates, of seven, above which instructions are preferred that end one: those that are spilled cost a SEL and
an ISETP, and a wide softmax would have dozens at once."""
_PATIENCE = 48
"""Cycles to wait for an instruction that ends a predicate or a register; rather than longer, one predicate more is made
live, or up to three registers of those that `allocate.comfortable` keeps back."""
_CONSTANTS = 6
"""Constants that are made as early as may be, at most."""
_SOON = 8
"""Cycles that are waited for something more urgent where registers are short."""
_LONGEST = 1024
"""Longer runs are cut, which bounds the cost of every list here."""


def run(
    function: MFunction,
    arch: Arch,
    options: Options,
    *,
    target: int | None = None,
    free: int = FREE,
    launched: int = 0,
) -> tuple[int, bool, int]:
    """Reorder every block of `function`. `target` is the number of live general registers above which the scheduler
    prefers instructions that end lives; None (after allocation) does not look. So many as `free` are always allowed.
    With `launched`, a run whose own order keeps to `LAUNCHED` keeps to that many.
    Returns the cycles that a warp alone would take, each loop counting for several rounds, whether it would take
    fewer with more free registers, and the most registers that are live."""
    cycles, held, most = 0, False, 0
    if options.sched == "serial" or options.opt_level == 0:
        return cycles, held, most
    distances = Distances(arch)
    components = Components(function)
    live = None
    if target is not None:
        live = analyse(function, Cfg.of(function))
        function.broadcasts = broadcast.found(function)
    general = {components.start[r.id] + p for r in function.vregs if r.file == "R" for p in range(r.width)}
    flags = {components.start[r.id] for r in function.vregs if r.file == "P"}
    for b, block in enumerate(function.blocks):
        if len(block.insts) < 3:
            continue
        prints = [footprint(i, components) for i in block.insts]
        if target is None:
            function.prints.update(zip(block.insts, prints, strict=True))
        out: list[MInst] = []
        runs = runs_of(prints)
        lives = behind(live, b, runs, components) if live is not None else []
        for n, (start, end) in enumerate(runs):
            part, part_prints = block.insts[start:end], prints[start:end]
            if end - start < 3:
                out.extend(part)
                continue
            after_it = prints[end] if end < len(prints) else None
            nodes = build(part, part_prints, distances, after_it, function.renewed, function.ahead)
            if function.broadcasts:
                # Of loads that are wanted together, one for all lanes goes before one that takes the L1 a while. An
                # H200 walks down the rows of a matrix, times a vector, 5 % faster for it.
                for node, inst in zip(nodes, part, strict=True):
                    node.height += inst in function.broadcasts
            if target is None:
                order, _ = _order(nodes, part_prints, arch, None)
            else:
                pressure = _Pressure(part_prints, lives[n], general)
                pressure.aim(target, _together(part, part_prints, nodes), free, launched)
                few = None
                if sum(1 for p in part_prints for key, _ in p.writes if key in flags) > _FLAGS:
                    few = _Pressure(part_prints, lives[n], flags)
                    few.target = _FLAGS
                order, taken = _order(nodes, part_prints, arch, pressure, few)
                cycles += block.weight * taken
                held |= pressure.held and pressure.target == free
                # With nearly a whole file, short is what does not fit.
                function.short |= pressure.short and (target < _ROOMY or pressure.most > target)
                most = max(most, pressure.most)
            out.extend(part[i] for i in order)
        block.insts = out
    return cycles, held, most


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


class _Pressure:
    """Live registers of one kind, whose keys are in `kind`, while a run is being ordered. A register that is written
    again holds a new value: values are counted, not names."""

    target = 0
    """Live values from which on to take care."""
    short = False
    """Whether there are fewer than the run would like to have."""
    held = False
    """Whether the order depended on the target."""
    most = 0
    """Values that have been live at one time, of those taken."""

    def __init__(self, prints: list[Footprint], live_after: set[int], kind: set[int]) -> None:
        self.uses: list[int] = []
        """Instructions left that read it, per value."""
        self.left: list[int] = []
        """Sum of their indices: of the last one, it is the index."""
        self.reads: list[list[int]] = []
        self.writes: list[list[int]] = []
        current: dict[int, int] = {}
        self.live: set[int] = set()

        def fresh(key: int) -> int:
            self.uses.append(0)
            self.left.append(0)
            current[key] = len(self.uses) - 1
            return current[key]

        for key in sorted(live_after):
            if key in kind:
                self.live.add(fresh(key))
        start = set(self.live)
        for i, print_ in enumerate(prints):
            reads: list[int] = []
            writes: list[int] = []
            for key in sorted({k for k, _ in print_.reads if k in kind}):
                value = current.get(key)
                if value is None:
                    value = fresh(key)
                    start.add(value)
                reads.append(value)
            for key, _ in print_.writes:
                if key not in kind:
                    continue
                if print_.guarded and key in current:
                    if current[key] not in reads:
                        reads.append(current[key])
                    continue
                writes.append(fresh(key))
            for value in reads:
                self.uses[value] += 1
                self.left[value] += i
            self.reads.append(reads)
            self.writes.append(writes)
        self.after = {current[key] for key in live_after if key in kind}
        # What is live after the run, but was first written in it, is not live before.
        touched = {value for reads in self.reads for value in reads}
        self.live = {v for v in start if v in touched or v in self.after}
        self.change = [len(w) for w in self.writes]
        """Live values that each instruction would add (or, negative, end) if it came now."""
        for value, uses in enumerate(self.uses):
            if uses == 1 and value not in self.after:
                self.change[self.left[value]] -= 1

    def aim(self, target: int, far: int, free: int, launched: int) -> None:
        """Set the target. Few registers are no gain in themselves: a run may take some more than its own order needs,
        up to what is given, and more for the `far` registers that loads from global memory can fill at one time, which
        it pays to have many of under way."""
        peak = self._peak()
        more = max(peak // 8, min(far, _FLIGHT, max(_MANY - peak, 0)))
        self.short = target < max(FREE, peak + more)
        self.target = min(target, max(free if peak + more <= free else FREE, peak + more))
        if peak > target >= _ROOMY:
            # It spills whatever is done here; moving everything about for a target out of reach makes that worse.
            self.target = peak
        if launched and peak <= LAUNCHED:
            self.target = min(self.target, max(launched, peak))

    def _peak(self) -> int:
        live, uses, peak = set(self.live), list(self.uses), len(self.live)
        for reads, writes in zip(self.reads, self.writes, strict=True):
            for value in reads:
                uses[value] -= 1
                if not uses[value] and value not in self.after:
                    live.discard(value)
            live.update(v for v in writes if uses[v] or v in self.after)
            peak = max(peak, len(live))
        return peak

    def take(self, i: int) -> None:
        """Instruction `i` comes next."""
        for value in self.reads[i]:
            self.uses[value] = uses = self.uses[value] - 1
            self.left[value] -= i
            if uses < 2 and value not in self.after:
                if uses:
                    self.change[self.left[value]] -= 1
                else:
                    self.live.discard(value)
        self.live.update(v for v in self.writes[i] if self.uses[v] or v in self.after)
        self.most = max(self.most, len(self.live))

    @property
    def tight(self) -> bool:
        return len(self.live) >= self.target


def _order(
    nodes: list[Node],
    prints: list[Footprint],
    arch: Arch,
    pressure: _Pressure | None,
    flags: _Pressure | None = None,
) -> tuple[list[int], int]:
    """A topological order of the run, with an eye on live registers and live predicates; and its cycles."""
    waiting: list[tuple[int, int, int]] = []  # (earliest cycle, -height, index), sorted
    left = [n.preds for n in nodes]
    held = _Held(nodes, prints)
    ready = sorted((-node.height, i) for i, node in enumerate(nodes) if not left[i] and i not in held.users)
    for constant in [*held.begin, *(c for _, i in ready for c in held.wanted(i))]:
        insort(ready, (-nodes[constant].height, constant))
    now = 0
    pipe_free: dict[str, int] = {}
    pipes = arch.pipes
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
        if spared and flags and ready and spared[0] > now + _PATIENCE and len(flags.live) == _FLAGS:
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
            pressure.held = True
            change = pressure.change
            best = min([(change[i], height, i) for height, i in ready[:_LOOK]])
            if waiting:
                other = min([(change[i], height, i, when) for when, height, i in waiting[:_LOOK]])
                if other < best and not (other[3] > now + _PATIENCE and len(pressure.live) < pressure.target + 3):
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
            if pressure is not None and pressure.short and prints[ready[0][1]].timing.variable:
                urgent = _urgent(pressure, ready, waiting, now)
            if urgent is not None:
                now, _, i = urgent
                waiting.remove(urgent)
            else:
                busy = pipe_free.get(prints[ready[0][1]].timing.pipe, 0) > now
                second = busy and len(ready) > 1 and pipe_free.get(prints[ready[1][1]].timing.pipe, 0) <= now
                i = ready.pop(1 if second else 0)[1]
        out.append(i)
        if pressure is not None:
            pressure.take(i)
            if flags is not None:
                flags.take(i)
        timing = prints[i].timing
        pipe = pipes.get(timing.pipe)
        pipe_free[timing.pipe] = now + (pipe.interval if pipe else 1)
        for succ, cycles in nodes[i].succs:
            node = nodes[succ]
            if node.least < now + cycles:
                node.least = now + cycles
            left[succ] -= 1
            if not left[succ]:
                insort(waiting, (node.least, -node.height, succ))
                for constant in held.wanted(succ):
                    insort(ready, (-nodes[constant].height, constant))
        now += timing.stall
    return out, now


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


def _urgent(
    pressure: _Pressure, ready: list[tuple[int, int]], waiting: list[tuple[int, int, int]], now: int
) -> tuple[int, int, int] | None:
    """What to wait for rather than take a register for something that is wanted later: of the two loads of a product
    one is of no use without the other."""
    height, i = ready[0]
    if pressure.change[i] <= 0:
        return None
    soon = [entry for entry in waiting[: bisect_left(waiting, (now + _SOON,))] if entry[1] < height]
    return min(soon, key=lambda entry: entry[1], default=None)


def _sparing(
    flags: _Pressure, pressure: _Pressure | None, ready: list[tuple[int, int]], waiting: list[tuple[int, int, int]]
) -> tuple[int, int, int] | None:
    """(when or -1, -height, index) of the candidate to take, of those that make no further predicate live: one that
    need not wait if there is one."""
    change = flags.change
    for candidates in ([(-1, height, i) for height, i in ready[:_LOOK_FAR]], waiting[:_LOOK_FAR]):
        fit = [entry for entry in candidates if change[entry[2]] <= 0]
        if fit:
            if pressure is not None and pressure.tight:
                return min(fit, key=lambda entry: (pressure.change[entry[2]], entry))
            return fit[0]
    return None
