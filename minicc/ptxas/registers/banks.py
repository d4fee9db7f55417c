"""Banks: values change places until few instructions read two registers of one bank in a cycle.

A bank gives one register a cycle. After allocation, which fills the file from below, every instruction that would wait
for a bank is looked at, those in the deepest loops first: one of its registers changes its number for one of another
bank, with what lies there at the same time (and what that displaces, and so on: a Kempe chain, so that the colouring
stays right). A change is made if it costs less than it gains; copies that have become idle stay so.

An operand that the instruction before reads in the same slot comes from the reuse cache and needs no bank (`reuse`);
factors change sides for it. Cost: linear in instructions and live ranges; so are the changes that are tried.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import combinations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, V, VReg
from minicc.ptxas.operands import writes
from minicc.ptxas.options import Options
from minicc.ptxas.registers.intervals import Ranges, Segments
from minicc.ptxas.timing import timing

_CHAIN = 8
"""Most registers that change places at once."""
_ROUNDS = 4
_BUDGET = 4000
"""Chains looked at beside one for each instruction."""
_SEGMENTS = 16
"""Segments of a range that count as another chain."""
_COOLING = 20
"""Points after a late read of a register during which nothing should write it (as in `allocate`)."""
_AHEAD = 64
"""Points by which a load may go before others yet, if nothing else is in its register then."""
_COPY = 2
"""Cost of a copy, in bank cycles."""
_FACTORS = frozenset({"FFMA", "FMUL"})
"""Whose first two sources are factors."""


def commute(block: Block) -> None:
    """Factors change sides where the instruction before reads one of them in that slot."""
    before: tuple[object, object] = (None, None)
    for inst in block.insts:
        if inst.mnemonic not in _FACTORS:
            before = (None, None)
            continue
        a, b = inst.srcs[0], inst.srcs[1]
        if type(a) is not V or type(b) is not V:
            before = (None, None)
            continue
        x, y = (a.reg.id, a.part), (b.reg.id, b.part)
        # Not every form has signs on both sides.
        plain = not (a.neg or a.abs or b.neg or b.abs or a.suffix or b.suffix or inst.hidden)
        if plain and (before[1] == x or before[0] == y) and before[0] != x and before[1] != y:
            inst.srcs = (b, a, *inst.srcs[2:])
            x, y = y, x
        before = x, y


class _Site:
    """An instruction that may wait for banks: cycles until the next one, how many registers of either bank it reads,
    ids of those that can move, and what it costs wherever these go."""

    def __init__(self, weight: int, interval: int, even: int, odd: int, moving: list[int], least: int) -> None:
        self.weight, self.interval, self.even = weight, interval, even
        self.odd, self.moving, self.least = odd, moving, least

    def price(self, more: int = 0) -> int:
        """Bank cycles, with so many `more` of the odd bank in place of the even one."""
        even, odd = self.even - more, self.odd + more
        wait = (even if even > odd else odd) - self.interval
        return wait * self.weight if wait > 0 else 0


Lane = list[tuple[int, int, int]]
"""(start, end, register) of what lives in a number, by start."""


class Places:
    """Who is where when, and what that costs."""

    def __init__(self, function: MFunction, ranges: Ranges, free: list[VReg], arch: Arch) -> None:
        self.intervals = ranges.intervals
        self.movable = {reg.id for reg in free if reg.width == 1}
        self.given = {
            number for reg in free if reg.fixed is not None for number in range(reg.fixed, reg.fixed + reg.width)
        }
        """Numbers that allocation gave away."""
        self.place: dict[int, int] = {}
        self.sites: list[_Site] = []
        self.sites_of: dict[int, list[_Site]] = {}
        self.common: dict[tuple[int, int], list[_Site]] = {}
        """Those of two registers, named in ascending order."""
        self.alone: dict[int, int] = {}
        """What a register gains at its sites if it alone changes its bank, where that has been asked."""
        self.copies: dict[int, list[tuple[int, int, int]]] = {}
        """(partner, how much less than ours its number is in an idle copy, weight)."""
        self.segments: dict[int, Segments] = {}
        """Of the movable ones."""
        self.lanes: dict[int, Lane] = {}
        self.budget = _BUDGET + sum(len(block.insts) for block in function.blocks)
        """Chains that may still be looked at, and sites that may change."""
        self.stuck: set[int] = set()
        """Registers that no number would take."""
        self.filled: set[int] = set()
        """Those that loads write."""
        self._collect(function, arch)

    def _collect(self, function: MFunction, arch: Arch) -> None:
        for block in function.blocks:
            weight = block.weight
            before: dict[int, tuple[int, int]] = {}
            for inst in block.insts:
                if inst.memory == "load":
                    self.filled.update(w.reg.id for w in inst.dsts if type(w) is V)
                now: dict[int, tuple[int, int]] = {}
                named: dict[tuple[int, int], int] = {}
                for slot, s in enumerate(inst.srcs):
                    if type(s) is V and s.reg.file == "R":
                        name = now[slot] = s.reg.id, s.part
                        if before.get(slot) != name:
                            named[name] = s.count
                if not now:
                    before = now
                    continue
                if len(named) > 1:
                    self._site(inst, named, weight, arch, function)
                if inst.mnemonic == "MOV" and len(now) == 1 and type(inst.dsts[0]) is V:
                    d, (source, part) = inst.dsts[0], now[0]
                    if d.reg.file == "R":
                        self.copies.setdefault(d.reg.id, []).append((source, part - d.part, weight * _COPY))
                        self.copies.setdefault(source, []).append((d.reg.id, d.part - part, weight * _COPY))
                for w in writes(inst):
                    if type(w) is V and any(name[0] == w.reg.id for name in now.values()):
                        now = {slot: name for slot, name in now.items() if name[0] != w.reg.id}
                before = now

    def _site(
        self, inst: MInst, named: dict[tuple[int, int], int], weight: int, arch: Arch, function: MFunction
    ) -> None:
        facts = timing(inst.mnemonic, inst.modifiers)
        pipe = arch.pipes.get(facts.pipe)
        interval = pipe.interval if pipe else 1
        total = sum(named.values())
        if facts.variable or interval >= total:
            return
        steady = [0, 0]
        moving: list[int] = []
        for (reg, part), count in named.items():
            if reg in self.movable:
                moving.append(reg)
                continue
            fixed = function.vregs[reg].fixed
            assert fixed is not None
            for number in range(fixed + part, fixed + part + count):
                steady[number & 1] += 1
        if moving:
            even, odd = steady
            least = max(even, odd, (total + 1) // 2) - interval
            site = _Site(weight, interval, even, odd, moving, max(least, 0) * weight)
            for n, reg in enumerate(moving):
                self.sites_of.setdefault(reg, []).append(site)
                for other in moving[:n]:
                    self.common.setdefault((min(reg, other), max(reg, other)), []).append(site)
            self.sites.append(site)

    def _flip(self, reg: int) -> int:
        """Registers of the odd bank that there are more when `reg` changes its bank."""
        return -1 if self.place[reg] & 1 else 1

    def improve(self) -> None:
        """Make changes as long as they gain."""
        for interval in self.intervals:
            if interval is not None and interval.reg.file == "R" and interval.reg.fixed is not None:
                self.place[interval.reg.id] = interval.reg.fixed
        for site in self.sites:
            odd = sum(self.place[reg] & 1 for reg in site.moving)
            site.odd += odd
            site.even += len(site.moving) - odd
        for turn in range(_ROUNDS):
            if self.budget <= 0:
                break
            bad = [site for site in self.sites if site.price() > site.least]
            if not bad:
                break
            if turn == 0:
                self._fill()
            # Others (the stack pointer, what calls change) are not ours to take.
            numbers = sorted(self.given.intersection(self.lanes))
            self.stuck.clear()
            bad.sort(key=lambda s: -s.weight)
            if not [1 for site in bad if site.price() > site.least and self._change(site, numbers)]:
                break
        for reg in self.movable:
            found = self.intervals[reg]
            if found is not None:
                found.reg.fixed = self.place[reg]

    def _fill(self) -> None:
        for name, number in self.place.items():
            interval = self.intervals[name]
            assert interval is not None
            if name in self.movable:
                self.segments[name] = interval.parts[0]
            for part, segments in enumerate(interval.parts):
                lane = self.lanes.setdefault(number + part, [])
                lane += [(start, end, name) for start, end in segments]
        for lane in self.lanes.values():
            lane.sort()

    def _change(self, site: _Site, numbers: list[int]) -> bool:
        """Make the first change that clears the site, or else the best one."""
        best, chosen = 0, None
        for reg in dict.fromkeys(site.moving):
            if reg in self.stuck:
                continue
            at = self.place[reg]
            stuck = True
            for number in [n for n in numbers if (n ^ at) & 1]:
                self.budget -= 1
                moved = self._chain(reg, at, number) if self.budget > 0 else None
                if moved is None:
                    continue
                stuck = False
                gain = self.gain(moved)
                if gain > best and not self._warm(moved):
                    best, chosen = gain, moved
                    if gain >= site.weight:
                        break
            if stuck:
                self.stuck.add(reg)
            if best >= site.weight:
                break
        if chosen is not None:
            self.apply(chosen)
        return chosen is not None

    def _chain(self, reg: int, a: int, b: int) -> dict[int, int] | None:
        """Where everything goes if `reg` moves from number `a` to `b`; None if something cannot, or there is much."""
        moved = {reg: b}
        todo = [reg]
        place, segments_of, movable, copies, lanes = self.place, self.segments, self.movable, self.copies, self.lanes
        while todo:
            one = todo.pop()
            there = moved[one]
            here = a if there == b else b
            lane = lanes[there]
            size = len(lane)
            self.budget -= len(segments_of[one]) // _SEGMENTS
            for start, end in segments_of[one]:
                # Those of a lane do not overlap: only the one before can reach into this.
                n = bisect_left(lane, (start,))
                if n and lane[n - 1][1] > start:
                    n -= 1
                while n < size and lane[n][0] < end:
                    other = lane[n][2]
                    if other not in moved:
                        if other not in movable or len(moved) == _CHAIN:
                            return None
                        moved[other] = here
                        todo.append(other)
                    n += 1
            for partner, by, _ in copies.get(one, ()):
                if by == 0 and partner not in moved and partner in movable and place[partner] == here:
                    if len(moved) == _CHAIN:
                        return None
                    moved[partner] = there
                    todo.append(partner)
        return moved

    def _warm(self, moved: dict[int, int]) -> bool:
        """Whether a slow reader would still be at work when a number is written again, or a load would have to wait
        longer for its number than it has."""
        for reg, number in moved.items():
            interval = self.intervals[reg]
            assert interval is not None
            lane = self.lanes[number]
            for start, end in self.segments[reg]:
                n = bisect_left(lane, (start,))
                if n and lane[n - 1][2] not in moved:
                    _, last, name = lane[n - 1]
                    if reg in self.filled and start - last < self._free(reg, start):
                        return True
                    other = self.intervals[name]
                    if other is not None and start - last < _COOLING and last in other.late:
                        return True
                n = bisect_left(lane, (end,))
                if n == len(lane) or lane[n][2] in moved:
                    continue
                begin, _, name = lane[n]
                if end in interval.late and begin - end < _COOLING:
                    return True
                if name in self.filled and begin - end < self._free(name, begin):
                    return True
        return False

    def _free(self, reg: int, point: int) -> int:
        """For how many points before that at which its life begins there the number of a register is nobody's, up to
        those that matter."""
        lane = self.lanes[self.place[reg]]
        n = bisect_left(lane, (point,))
        return min(point - lane[n - 1][1], _AHEAD) if n else _AHEAD

    def gain(self, moved: dict[int, int]) -> int:
        gain = sum(map(self._gain_alone, moved))
        if len(moved) > 1:
            shared = {s for pair in combinations(sorted(moved), 2) for s in self.common.get(pair, ())}
            for site in shared:
                flips = [self._flip(reg) for reg in site.moving if reg in moved]
                now = site.price()
                gain += now - site.price(sum(flips)) - sum(now - site.price(flip) for flip in flips)
        place = self.place
        for reg, number in moved.items():
            for partner, by, weight in self.copies.get(reg, ()):
                if partner in place:
                    was = place[partner] + by == place[reg]
                    now = moved.get(partner, place[partner]) + by == number
                    gain += weight * (now - was)
        return gain

    def _gain_alone(self, reg: int) -> int:
        found = self.alone.get(reg)
        if found is None:
            flip = self._flip(reg)
            found = self.alone[reg] = sum(site.price() - site.price(flip) for site in self.sites_of.get(reg, ()))
        return found

    def apply(self, moved: dict[int, int]) -> None:
        touched = {site for reg in moved for site in self.sites_of.get(reg, ())}
        self.budget -= len(touched)
        alone = self.alone
        for site in touched:
            for reg in site.moving:
                if reg in alone:
                    alone[reg] -= site.price() - site.price(self._flip(reg))
        for site in touched:
            more = sum(self._flip(reg) for reg in site.moving if reg in moved)
            site.even -= more
            site.odd += more
        for reg in moved:
            lane = self.lanes[self.place[reg]]
            for start, end in self.segments[reg]:
                del lane[bisect_left(lane, (start, end, reg))]
        for reg, number in moved.items():
            self.place[reg] = number
            lane = self.lanes[number]
            for start, end in self.segments[reg]:
                insort(lane, (start, end, reg))
        for site in touched:
            for reg in site.moving:
                if reg in alone:
                    alone[reg] += site.price() - site.price(self._flip(reg))


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Spread the registers that allocation was free to choose over the banks."""
    if function.colouring is None:
        return
    ranges, free = function.colouring
    function.colouring = None
    for block in function.blocks:
        commute(block)
    Places(function, ranges, free, arch).improve()


__all__ = ["run"]
