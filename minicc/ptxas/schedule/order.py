"""The order of one run by list scheduling: the ready instruction with the longest way to go first, and what is done
where live registers or predicates are short.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from minicc.arch.schema import Arch
from minicc.ptxas.schedule.dag import Node
from minicc.ptxas.schedule.pressure import Pressure
from minicc.ptxas.timing import Footprint

_LOOK = 24
"""Candidates compared when registers are short."""
_LOOK_FAR = 160
"""Where predicates are."""
NEAR_MEMORY = 60
"""Expected cycles of a load that is not from global memory, at most."""
_PATIENCE = 48
"""Cycles to wait for an instruction that ends a predicate or a register; rather than longer, one predicate more is made
live, or up to three registers of those that `allocate.comfortable` keeps back."""
_MORE = 1.5
"""Of the live registers that are aimed at, up to which a predicate is spared for one more of them: 28 divisions in a
row would all begin at once."""
_PREDICATES = 7
"""As many as there are."""
_CONSTANTS = 6
"""Constants that are made as early as may be, at most."""
_SOON = 8
"""Cycles that are waited for something more urgent where registers are short."""

Entry = tuple[int, int]
"""-height, index: entries in order are by urgency."""
Waiting = tuple[int, int, int]
"""The same behind the earliest cycle."""


class Order:
    """A topological order of the run, with an eye on live registers, which may be `short`, and live predicates
    (`flags`; what makes them may be `late`)."""

    def __init__(
        self,
        nodes: list[Node],
        prints: list[Footprint],
        arch: Arch,
        pressure: Pressure | None = None,
        short: bool = False,
        flags: Pressure | None = None,
        late: bool = False,
    ) -> None:
        self.nodes, self.prints = nodes, prints
        self.pressure, self.short, self.flags = pressure, short, flags
        self.left = [n.preds for n in nodes]
        self.least = [0] * len(nodes)
        self.held = _Held(nodes, prints)
        self.later = _Late(nodes, prints, flags if late else None, self.held)
        self.waiting: list[Waiting] = []  # sorted
        self.ready: list[Entry] = sorted(
            (-node.height, i)
            for i, node in enumerate(nodes)
            if not self.left[i] and i not in self.held.users and i not in self.later.waiting
        )
        for constant in [*self.held.begin, *(c for _, i in self.ready for c in self.held.wanted(i))]:
            insort(self.ready, (-nodes[constant].height, constant))
        self.now, self.depends = 0, False
        self.pipes = [p.timing.pipe for p in prints]
        self.intervals = {n: arch.pipes[n].interval if n in arch.pipes else 1 for n in set(self.pipes)}
        self.free = dict.fromkeys(self.intervals, 0)
        """When each pipe can take another instruction."""

    def made(self) -> tuple[list[int], int, bool]:
        """The order; its cycles, and whether it depended on the registers."""
        out: list[int] = []
        waiting, pressure, flags = self.waiting, self.pressure, self.flags
        while self.ready or waiting:
            if waiting and waiting[0][0] <= self.now:
                arrived = bisect_left(waiting, (self.now + 1,))
                for _, height, i in waiting[:arrived]:
                    insort(self.ready, (height, i))
                del waiting[:arrived]
            if not self.ready:
                self.now = waiting[0][0]
                continue
            spared = self._spared() if flags is not None and flags.tight else None
            if spared is not None:
                i = self._take(spared)
            elif pressure is not None and pressure.tight:
                i = self._ending(pressure)
            else:
                i = self._urgent(pressure)
            out.append(i)
            if pressure is not None:
                pressure.take(i)
                if flags is not None:
                    flags.take(i)
            self._issue(i)
        assert len(out) == len(self.nodes)
        return out, self.now, self.depends

    def _issue(self, i: int) -> None:
        """What waits for an instruction alone comes when its result does."""
        if self.pressure is None:
            self.now = max(self.now, self.free[self.pipes[i]])
        nodes, left, least, now = self.nodes, self.left, self.least, self.now
        held, later = self.held, self.later
        self.free[self.pipes[i]] = now + self.intervals[self.pipes[i]]
        for succ, cycles in nodes[i].succs:
            if least[succ] < now + cycles:
                least[succ] = now + cycles
            left[succ] -= 1
            released = [succ] if not left[succ] and succ not in later.waiting else []
            if later.waiting:
                released += [compare for compare in later.wanted(succ, i) if not left[compare]]
            for one in released:
                insort(self.waiting, (least[one], -nodes[one].height, one))
                for constant in held.wanted(one) if held.makers else ():
                    insort(self.ready, (-nodes[constant].height, constant))
        self.now = now + self.prints[i].timing.stall

    def _take(self, spared: Waiting) -> int:
        when, height, i = spared
        if when < 0:
            self.ready.remove((height, i))
        else:
            self.waiting.remove(spared)
            self.now = when
        return i

    def _urgent(self, pressure: Pressure | None) -> int:
        """There are registers enough: what has the longest way to go, or the next one if its pipe is taken."""
        ready, free, pipes = self.ready, self.free, self.pipes
        first = ready[0][1]
        if self.waiting and self.prints[first].timing.stall > 1:
            sooner = self._sooner()
            if sooner is not None:
                self.waiting.remove(sooner)
                self.now = sooner[0]
                return sooner[2]
        if pressure is not None and self.short and self.prints[first].timing.variable:
            partner = self._partner(pressure)
            if partner is not None:
                self.now = partner[0]
                self.waiting.remove(partner)
                return partner[2]
        if pressure is not None and pressure.foresees and not pressure.fits(first):
            fit = next((entry for entry in ready[1:_LOOK] if pressure.fits(entry[1])), None)
            if fit is None:
                return self._fitting(pressure)[1]
            ready.remove(fit)
            return fit[1]
        if free[pipes[first]] <= self.now:
            return ready.pop(0)[1]
        if pressure is None:
            return self._elsewhere()
        second = len(ready) > 1 and free[pipes[ready[1][1]]] <= self.now
        return ready.pop(1 if second else 0)[1]

    def _sooner(self) -> Waiting | None:
        """What is more urgent than a barrier, or the like, which holds the warp, and comes before it would go on."""
        height, first = self.ready[0]
        until = self.now + self.prints[first].timing.stall
        soon = [e for e in self.waiting[: bisect_left(self.waiting, (until,))] if e[1] < height]
        return min(soon, default=None)

    def _elsewhere(self) -> int:
        """With registers given, the clock waits for a pipe that is taken, and what goes to another comes first: what
        is most urgent of that, else what can go before the pipe is free, if it does not hold the warp for longer (a
        barrier)."""
        ready, waiting, free, pipes = self.ready, self.waiting, self.free, self.pipes
        until = free[pipes[ready[0][1]]]
        for at, (_, i) in enumerate(ready[1:_LOOK], 1):
            if free[pipes[i]] <= self.now <= until - self.prints[i].timing.stall:
                return ready.pop(at)[1]
        for at, (when, _, i) in enumerate(waiting):
            if when >= until:
                break
            if free[pipes[i]] <= when <= until - self.prints[i].timing.stall:
                self.now = when
                return waiting.pop(at)[2]
        return ready.pop(0)[1]

    def _ending(self, pressure: Pressure) -> int:
        """Registers are short: what ends the most lives. Anything that is free of unmet dependences will do, even if
        it has to wait."""
        self.depends = True
        ready, waiting, change = self.ready, self.waiting, pressure.change
        best = min([(change[i], height, i) for height, i in ready[:_LOOK]])
        if best[0] > 0 and pressure.fixed:
            # Long blocks with hundreds of values: what is not urgent at all (a store) may end some; else what comes
            # first in the order as it was, which is as good as any.
            _, height, i = min([(change[i], height, i) for height, i in ready[-_LOOK:]])
            if change[i] > 0:
                i, height = min([(i, height) for height, i in ready])
            best = change[i], height, i
        if best[0] > 0 and pressure.foresees:
            return self._fitting(pressure)[1]
        if waiting:
            other = min([(change[i], height, i, when) for when, height, i in waiting[:_LOOK]])
            if other < best and not (other[3] > self.now + _PATIENCE and pressure.live < pressure.target + 3):
                self.now = other[3]
                waiting.remove((self.now, *other[1:3]))
                return other[2]
        ready.remove(best[1:])
        return best[2]

    def _fitting(self, pressure: Pressure) -> Entry:
        """What to take where nothing that is urgent fits: what is next in the order as it was, or what comes first of
        those that fit."""
        first, height = min([(i, height) for height, i in self.ready])
        entry = height, first
        if not pressure.fits(entry[1]):
            found = next((entry for entry in self.waiting if pressure.fits(entry[2])), None)
            if found is not None:
                self.waiting.remove(found)
                self.now = found[0]
                return found[1:]
        self.ready.remove(entry)
        return entry

    def _partner(self, pressure: Pressure) -> Waiting | None:
        """What to wait for rather than take a register for something that is wanted later: of the two loads of a
        product one is of no use without the other."""
        height, i = self.ready[0]
        if pressure.change[i] <= 0:
            return None
        soon = [e for e in self.waiting[: bisect_left(self.waiting, (self.now + _SOON,))] if e[1] < height]
        return min(soon, key=lambda entry: entry[1], default=None)

    def _spared(self) -> Waiting | None:
        """Predicates are short: what to take of those that make no further one live. None if that takes long."""
        flags = self.flags
        assert flags is not None
        spared = _sparing(flags, self.pressure, self.ready, self.waiting)
        if spared and flags.live == flags.target and spared[0] > self.now + _PATIENCE:
            # One more, rather than to wait long.
            return None
        return spared


def _sparing(
    flags: Pressure, pressure: Pressure | None, ready: list[tuple[int, int]], waiting: list[tuple[int, int, int]]
) -> tuple[int, int, int] | None:
    """(when or -1, -height, index) of the candidate to take, of those that make no further predicate live: one that
    need not wait if there is one, or where registers are short what ends most lives."""
    change = flags.change
    tight = pressure is not None and pressure.tight
    best: tuple[int, int, int] | None = None
    fits = pressure.fits if pressure is not None and pressure.foresees else None
    for candidates in (((-1, height, i) for height, i in ready[:_LOOK_FAR]), waiting[:_LOOK_FAR]):
        fit = (entry for entry in candidates if change[entry[2]] <= 0 and (fits is None or fits(entry[2])))
        if not tight:
            first = next(fit, None)
            if first is not None:
                return first
            continue
        assert pressure is not None
        lives = pressure.change
        found = min(fit, key=lambda entry: (lives[entry[2]], entry), default=None)
        if found is None:
            continue
        if not pressure.fixed and (lives[found[2]] <= 0 or pressure.live < _MORE * pressure.target):
            return found
        if best is None or lives[found[2]] < lives[best[2]]:
            best = found
    if best is None and flags.live > flags.target:
        # Nothing fits, and predicates are short, too: no more of them, whatever it takes of registers.
        least = min((entry for entry in ready if change[entry[1]] <= 0), key=lambda entry: entry[1], default=None)
        best = None if least is None else (-1, *least)
    elif best is not None and tight and pressure is not None and pressure.change[best[2]] > 0:
        # Nothing ends a life without another predicate, which the order as it was comes to; it may bring many at once.
        every = [*((-1, *entry) for entry in ready), *waiting[:_LOOK_FAR]]
        if flags.live >= _PREDICATES:
            every = [entry for entry in every if change[entry[2]] <= 0]
        best = min(every, key=lambda entry: entry[2])
    return best


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
            if pure and i not in constants.users and first - early[i] > NEAR_MEMORY:
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
