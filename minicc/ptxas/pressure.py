"""Live values of one kind along a run of instructions, while the scheduler orders it.

A register that is written again holds a new value: values are counted, not names.
"""

from __future__ import annotations

from minicc.ptxas.timing import Footprint

_MANY = 64
"""Registers from which on it can be foreseen how many will be live: with fewer, lives are short."""
_EVER = 1 << 30
"""Uses of a value that is live after the run, besides those in it."""


class Values:
    """The values that a run reads and makes in registers whose keys are in `kind`."""

    def __init__(self, prints: list[Footprint], live_after: set[int], kind: set[int]) -> None:
        self.uses: list[int] = []
        """Instructions that read it, per value."""
        self.where: list[int] = []
        """Sum of their indices: of the last one, it is the index."""
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

        self.levels = self._levels()
        """How many are live before each instruction in the order as it stands, and behind the last one."""

    def _levels(self) -> list[int]:
        uses, live = self.uses.copy(), self.before
        levels = [live]
        for read, born in zip(self.reads, self.born, strict=True):
            for value in read:
                uses[value] -= 1
                if not uses[value]:
                    live -= 1
            live += born
            levels.append(live)
        return levels

    @property
    def peak(self) -> int:
        """The most that are live at one time in that order."""
        return max(self.levels)


class Most:
    """The largest of any stretch of a list."""

    def __init__(self, row: list[int]) -> None:
        self.rows = [row]
        """Of stretches as long as powers of two."""
        step = 1
        while len(row) > step:
            row = list(map(max, row, row[step:]))
            self.rows.append(row)
            step *= 2

    def of(self, start: int, end: int) -> int:
        """Of [start, end), which is not empty."""
        level = (end - start).bit_length() - 1
        row = self.rows[level]
        return max(row[start], row[end - (1 << level)])


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
        self.levels = values.levels
        """How many are live before each instruction in the order as it was; `most_of` any stretch of it, if lives are
        to be foreseen."""
        self.most_of = Most(values.levels) if foresee and target >= _MANY else None
        self.done = bytearray(len(values.reads))
        self.front = 0
        """What comes before it in the order as it was has been taken."""

    @property
    def tight(self) -> bool:
        return self.live >= self.target

    def fits(self, i: int) -> bool:
        """Whether what `i` makes can live from now on until its place in the order as it was comes, if all else is done
        in that order."""
        front, change = self.front, self.change[i]
        if change <= 0 or i == front or self.most_of is None:
            return True
        return self.most_of.of(front, i + 1) + self.live - self.levels[front] + change <= self.target

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


__all__ = ["Pressure", "Values"]
