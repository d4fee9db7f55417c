"""Live values of one kind along a run of instructions, while the scheduler orders it.

A register that is written again holds a new value: values are counted, not names.
"""

from __future__ import annotations

from itertools import accumulate

from minicc.ptxas.timing import Footprint

_MANY = 64
"""Registers from which on it can be foreseen how many will be live: with fewer, lives are short."""
_PART = 32
"""Instructions over which what will be live is summed up."""
_EVER = 1 << 30
"""Uses of a value that is live after the run, besides those in it."""


class Values:
    """The values that a run reads and makes in registers whose keys are in `kind`."""

    def __init__(self, prints: list[Footprint], live_after: set[int], kind: set[int]) -> None:
        self.uses: list[int] = []
        """Instructions that read it, per value."""
        self.where: list[int] = []
        """Sum of their indices: of the last one, it is the index."""
        self.users: list[list[int]] = []
        """Their indices; of a value that is live after the run, none that matters."""
        self.reads: list[list[int]] = []
        writes: list[list[int]] = []
        current = {key: value for value, key in enumerate(live_after & kind)}
        uses, where = self.uses, self.where
        uses += [0] * len(current)
        where += uses
        before = list(range(len(uses)))
        for i, print_ in enumerate(prints):
            read: list[int] = []
            written: list[int] = []
            for key, _ in print_.reads:
                if key in kind:
                    value = current.get(key)
                    if value is None:
                        value = current[key] = len(uses)
                        before.append(value)
                        uses.append(0)
                        where.append(0)
                    if value not in read:
                        read.append(value)
            for key, _ in print_.writes:
                if key in kind:
                    value = current.get(key)
                    if print_.guarded and value is not None:
                        if value not in read:
                            read.append(value)
                    else:
                        written.append(len(uses))
                        current[key] = len(uses)
                        uses.append(0)
                        where.append(0)
            for value in read:
                uses[value] += 1
                where[value] += i
            self.reads.append(read)
            writes.append(written)
        for key in live_after & kind:
            uses[current[key]] += _EVER
        self.before = sum(1 for value in before if uses[value])
        """How many are live before the run."""
        self.through = sum(1 for value in before if uses[value] == _EVER)
        """Of those, how many are live behind it, too, and not read here."""
        self.born = [sum(1 for value in row if uses[value]) for row in writes]
        """How many each instruction makes that are read, here or later."""
        self.change = [len(row) for row in writes]
        """Live values that each instruction would add (or, negative, end) if it came first."""
        for value, count in enumerate(uses):
            if count == 1:
                self.change[where[value]] -= 1

        self.users = [[] for _ in uses]
        for i, read in enumerate(self.reads):
            for value in read:
                if uses[value] < _EVER:
                    self.users[value].append(i)
        self.steps = self.born.copy()
        """How many more are live behind each instruction than before it, in the order as it stands."""
        for users in self.users:
            if users:
                self.steps[users[-1]] -= 1
        self.peak = max(accumulate(self.steps, initial=self.before))
        """The most that are live at one time in that order."""


class Pressure:
    """What is live as instructions are taken one by one."""

    def __init__(self, values: Values, target: int, *, fixed: bool = False, foresee: bool = False) -> None:
        self.reads, self.born = values.reads, values.born
        self.uses, self.where, self.change = values.uses.copy(), values.where.copy(), values.change.copy()
        self.live, self.most = values.before, 0
        """Values that are live now, and that have been after any instruction."""
        self.target = target
        """Live values from which on to take care."""
        self.fixed = fixed
        """Whether that is what there is, rather than what is to be aimed at."""
        self.foresees = foresee and target >= _MANY
        """Whether it is foreseen how many will be live."""
        self.steps = values.steps.copy() if self.foresees else []
        """How many more are live behind each instruction than before it, if what is left is done in the order as it
        was; 0 for what has been taken."""
        self.users = [users.copy() for users in values.users] if self.foresees else []
        self.parts: list[tuple[int, int] | None] = [None] * (len(self.steps) // _PART)
        """Of each so many of `steps`: their sum, and the most that are live in them more than before them; None if that
        has changed."""
        self.foreseen: list[int] = []
        """What will be live before each of these parts; empty if not known."""
        self.peaks: list[int] = []
        """The most that will be, in those before it."""
        self.done = bytearray(len(values.reads))
        self.front = 0
        """What comes before it in the order as it was has been taken."""

    @property
    def tight(self) -> bool:
        return self.live >= self.target

    def fits(self, i: int) -> bool:
        """Whether what `i` makes can live from now on until its place in the order as it was comes, if all else is done
        in that order."""
        change = self.change[i]
        if change <= 0 or i == self.front or not self.foresees:
            return True
        if not self.foreseen:
            self._look()
        part, room = i // _PART, self.target - change
        if self.peaks[part] > room:
            return False
        return max(accumulate(self.steps[part * _PART : i], initial=self.foreseen[part])) <= room

    def _look(self) -> None:
        """What will be live before each part."""
        for part, known in enumerate(self.parts):
            if known is None:
                sums = list(accumulate(self.steps[part * _PART : (part + 1) * _PART]))
                self.parts[part] = sums[-1], max(sums)
        now = peak = self.live
        self.foreseen, self.peaks = [now], [peak]
        for known in self.parts:
            assert known is not None
            if now + known[1] > peak:
                peak = now + known[1]
            now += known[0]
            self.foreseen.append(now)
            self.peaks.append(peak)

    def take(self, i: int) -> None:
        """Instruction `i` comes next."""
        self.done[i] = 1
        while self.front < len(self.done) and self.done[self.front]:
            self.front += 1
        uses, where = self.uses, self.where
        live = self.live + self.born[i]
        for value in self.reads[i]:
            left = uses[value] - 1
            uses[value] = left
            where[value] -= i
            if left == 1:
                self.change[where[value]] -= 1
            elif not left:
                live -= 1
        self.live = live
        if live > self.most:
            self.most = live
        if self.foresees:
            self._foresee(i)

    def _foresee(self, i: int) -> None:
        """What ended with `i` ends with the last one of its other users."""
        self.foreseen = []
        self._step(i, -self.steps[i])
        for value in self.reads[i]:
            users = self.users[value]
            if users and users[-1] == i:
                while users and self.done[users[-1]]:
                    users.pop()
                if users:
                    self._step(users[-1], -1)

    def _step(self, i: int, more: int) -> None:
        self.steps[i] += more
        if i // _PART < len(self.parts):
            self.parts[i // _PART] = None


__all__ = ["Pressure", "Values"]
