"""Register allocation: linear scan over live ranges with holes, in aligned groups, bank-aware, spilling by cost.

Each register file is coloured apart: barrier and uniform registers first, then predicates (spilled into general
registers), then general registers (spilled to local memory, or computed again). `VReg.fixed` gets the register number.

General registers and predicates are per lane and need ordinary liveness only; `warpwide` numbers what lanes share.

Cost: near linear in intervals; an interval with holes is compared with the others that have holes.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Collection, Sequence

from minicc.arch.schema import Arch
from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.numbers import align_up
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, V, VReg, step_of
from minicc.ptxas.operands import reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.registers import need, warpwide
from minicc.ptxas.registers.intervals import Interval, Ranges, Segments, bits_of, build, merge, overlap
from minicc.ptxas.registers.spill import Spiller
from minicc.sass.instr import Imm

STACK_POINTER = 1
_SIZE = {"P": 7}
_ALIGNED = {1: ~0, 2: sum(1 << i for i in range(0, 256, 2)), 4: sum(1 << i for i in range(0, 256, 4))}
_ALIGNED[3] = _ALIGNED[4]
_ODD = sum(1 << i for i in range(1, 256, 2))
_COOLING, _LONG = 20, 64
"""Points (two an instruction) after a late read of a register during which others rather take another one; so many more
where there is room for it: cp.async after cp.async waits for registers that the queue of memory instructions has yet to
read."""
_EXTRA = 2
"""ptxas reports (and the driver is told) two registers more than the highest used: read off its output on sm_90, where
an empty kernel that only loads R1 has 4."""
_FREE = 32 - _EXTRA
"""Numbers that may be used while an SM has room for all its warps, whatever the size of a block."""
_CROWDED = 0.75
"""Of the register file, how much is in use where pairs are kept whole."""
_HINTS = 64
"""Copy partners that are asked for their register."""


def register_limit(function: MFunction, arch: Arch, options: Options) -> int:
    """Most registers the kernel may report: its own .maxnreg; else what its launch bounds allow (they make ptxas ignore
    -maxrregcount); else that; or what `fit` has settled on."""
    limit = function.budget or arch.occupancy.max_registers_per_thread
    threads = function.req_threads or function.max_threads
    if function.max_registers:
        limit = min(limit, function.max_registers)
    elif options.max_registers and not threads:
        limit = min(limit, options.max_registers)
    if threads:
        asked = 1 if beyond(function, arch) else max(1, function.min_ctas or 1)
        limit = min(limit, max(blocks_limit(arch, threads, asked), 16))
    return limit


def beyond(function: MFunction, arch: Arch) -> str:
    """What of an SM its launch bounds ask too much of, in ptxas's words, if they do: they are ignored then."""
    threads, blocks = function.req_threads or function.max_threads, function.min_ctas or 1
    if blocks > arch.occupancy.max_blocks:
        return "minnctapersm"
    if threads and threads[0] * threads[1] * threads[2] * blocks > arch.occupancy.max_warps * 32:
        return "threads per SM"
    return ""


def blocks_limit(arch: Arch, threads: tuple[int, int, int], blocks: int) -> int:
    """Registers a thread with which so many blocks of so many threads are on an SM at once."""
    occupancy = arch.occupancy
    unit = occupancy.warp_granularity
    warps = -(-max(1, threads[0] * threads[1] * threads[2]) // 32) * blocks
    warps = align_up(warps, unit)
    per_warp = occupancy.registers_per_sm // warps // occupancy.register_unit_per_warp
    return per_warp * occupancy.register_unit_per_warp // 32


def run(
    function: MFunction,
    arch: Arch,
    options: Options,
    enough: Callable[[], bool] | None = None,
    ranges: Ranges | None = None,
    stay: Collection[int] | None = None,
) -> None:
    """Colour every virtual register of `function`, adding spill code; sets `attributes["registers"]`,
    `["spill_stores"]`, `["spill_loads"]` (static bytes) and grows `frame`. Raises `CompileError` when a limit cannot be
    met, or after spill code that is `enough` to give up, or at the first of what has to `stay` in registers (ids), if
    that is told, that would go to local memory. `ranges` are the function's as it is, if they are known."""
    limit = register_limit(function, arch, options)
    usable = limit - _EXTRA
    if usable < 4:
        fail("ptxas.registers", f"too few registers allowed for '{function.name}': {limit}", exit_status=EXIT_PTXAS)
    spiller = Spiller(function, arch, window=6 if usable >= 32 else 0, local=stay is None)
    if options.ra == "spill-all":
        ranges = None
        spiller.rewrite({reg for reg in _present(function) if reg.file == "R" and reg.fixed is None and reg.spillable})
    rooms = [] if function.short else [step - _EXTRA for step in steps(function, arch, options)]
    for attempt in range(40):
        if attempt and enough is not None and enough():
            fail("ptxas.registers", f"'{function.name}' needs too much spill code", exit_status=EXIT_PTXAS)
        cfg = Cfg.of(function)
        if attempt or ranges is None:
            ranges = build(function, cfg)
        if attempt == 0:
            ranges = warpwide.number(function, cfg, ranges)
        spilled = Scan(ranges, "P", _SIZE["P"], function).run()
        if spilled:
            spiller.rewrite(spilled)
            continue
        regions = _regions(function, cfg, ranges.starts, limit)
        if homeless := _place_wide(ranges, regions):
            from minicc.ptxas.registers import park

            wide = [i for i in ranges.intervals if i is not None and i.reg.width > 4 and i.reg.fixed is not None]
            if not park.run(function, ranges, homeless, wide, spiller):
                fail(
                    "ptxas.registers",
                    f"'{function.name}' needs more than the {limit} registers allowed",
                    exit_status=EXIT_PTXAS,
                )
            continue
        usable = regions[-1].limit - _EXTRA - 1  # one is the stack pointer
        tighter = [(r.limit - _EXTRA - 1, r.segments) for r in regions[:-1]]
        if function.crowded:
            from minicc.ptxas.registers import crowd

            if spilled := crowd.spills(ranges, usable, tighter):
                spiller.rewrite(spilled, ranges)
                continue
        scan = Scan(ranges, "R", regions[-1].limit - _EXTRA, function, regions[:-1], rooms, stay or ())
        spilled = scan.run()
        if not spilled:
            break
        spiller.rewrite(spilled, ranges)
    else:
        fail("ptxas.registers", f"'{function.name}' does not fit in {limit} registers", exit_status=EXIT_PTXAS)
    if function.entry and len(regions) == 1:
        # What saves registers for a caller, or gives some back, has been told their numbers.
        function.colouring = ranges, [i.reg for i in scan.todo]
    spiller.finish()
    present = [interval.reg for interval in ranges.intervals if interval is not None and interval.reg.file == "R"]
    highest = max([STACK_POINTER, *(reg.fixed + reg.width - 1 for reg in present if reg.fixed is not None)])
    # With setmaxnreg, what a launch gives a warp is what the code before it counts on.
    function.attributes["registers"] = limit if len(regions) > 1 else highest + 1 + _EXTRA


class _Region:
    """Points at which no more than `limit` registers may be used."""

    def __init__(self, limit: int, segments: Segments) -> None:
        self.limit, self.segments = limit, segments


def _regions(function: MFunction, cfg: Cfg, starts: list[int], limit: int) -> list[_Region]:
    """Where how many registers are there, the fewest first: setmaxnreg changes what the launch gave."""
    if not any(i.mnemonic == "USETMAXREG" for b in function.blocks for i in b.insts):
        return [_Region(limit, [])]
    entry = [0] * len(function.blocks)
    found: dict[int, Segments] = {}

    def block(b: int, keep: bool) -> int:
        have, since = entry[b], starts[b]
        for i, inst in enumerate(function.blocks[b].insts):
            counts = [s.bits for s in inst.srcs if isinstance(s, Imm)] if inst.mnemonic == "USETMAXREG" else []
            if counts:
                at = starts[b] + 2 * i + (0 if "DEALLOC" in inst.modifiers else 2)
                if keep and at > since:
                    found.setdefault(have, []).append((since, at))
                have, since = counts[0], at
        if keep and starts[b + 1] > since:
            found.setdefault(have, []).append((since, starts[b + 1]))
        return have

    entry[cfg.rpo[0]] = limit
    changed = True
    while changed:
        changed = False
        for b in cfg.rpo:
            after = block(b, False)
            for s in cfg.succs[b]:
                if not entry[s] or after < entry[s]:
                    entry[s] = after
                    changed = True
    for b in range(len(function.blocks)):
        block(b, True)
    return [_Region(least, sorted(found[least])) for least in sorted(found) if least]


def _place_wide(ranges: Ranges, regions: list[_Region]) -> Interval | None:
    """Give groups wider than a quad (accumulators of warpgroup multiplies) their numbers, before anything else breaks
    up the file: from R24 up, as ptxas does, at a multiple of eight or what they ask for. The first for which there is
    no room is returned."""
    found = [i for i in ranges.intervals if i is not None and i.reg.file == "R" and i.reg.width > 4]
    placed = [i for i in found if i.reg.fixed is not None]
    for interval in sorted((i for i in found if i.reg.fixed is None), key=lambda i: (-i.weight, i.reg.id)):
        width = interval.reg.width
        most = min(
            (r.limit for r in regions if any(overlap(r.segments, p) for p in interval.parts)),
            default=regions[-1].limit,
        )
        last = most - _EXTRA - width
        align = interval.reg.align
        first = align_up(24, align)
        for base in (*range(first, last + 1, align), *range(align, min(first, last + 1), align)):
            if not any(
                base < o.reg.fixed + o.reg.width and o.reg.fixed < base + width and o.overlaps(interval)
                for o in placed
                if o.reg.fixed is not None
            ):
                interval.reg.fixed = base
                break
        else:
            return interval
        placed.append(interval)
    return None


def _present(function: MFunction) -> list[VReg]:
    """Virtual registers that occur, in order of appearance."""
    seen: dict[int, VReg] = {}
    for block in function.blocks:
        for inst in block.insts:
            for operand in (*reads(inst), *writes(inst)):
                if isinstance(operand, V):
                    seen[operand.reg.id] = operand.reg
    return list(seen.values())


class _Live:
    """A part of a register under way: `at` is the index of the segment it is in or waits for."""

    def __init__(self, interval: Interval, segments: Segments, color: int, at: int = 0) -> None:
        self.interval, self.segments, self.color, self.at = interval, segments, color, at


class _Taken:
    """Numbers that belong to registers that had them before, at the same points: what calls may change, above all."""

    def __init__(self, numbers: int, segments: Segments) -> None:
        self.numbers = numbers
        """A mask of them."""
        self.ends = [point for segment in segments for point in segment]
        """Where the segments start and end, ascending."""

    def meets(self, segments: Segments) -> bool:
        """Whether the ascending list shares a point with them."""
        ends = self.ends
        for start, end in segments:
            at = bisect.bisect_right(ends, start)
            if at == len(ends):
                return False
            if at & 1 or ends[at] < end:
                return True
        return False


class Scan:
    """One linear scan of one register file. `run` sets `fixed` or returns the registers to spill (and sets nothing).
    That one of those that `stay` (ids) would be spilled is a `CompileError`."""

    def __init__(
        self, ranges: Ranges, file: str, size: int, function: MFunction, regions: Sequence[_Region] = (),
        steps: Sequence[int] = (), stay: Collection[int] = (),
    ) -> None:  # fmt: skip
        self.size = size
        self.stay = stay
        self.steps = steps
        """Numbers that may be used with room for as many blocks, the fewest first, if the size of blocks is known."""
        self.regions = regions
        """Where fewer than `size` may be used."""
        self.everything = (1 << size) - 1
        if file == "R":
            self.everything &= ~(1 << STACK_POINTER)
        self.todo: list[Interval] = []
        pinned: list[Interval] = []
        for interval in ranges.intervals:
            if interval is not None and interval.reg.file == file and any(interval.parts):
                (self.todo if interval.reg.fixed is None else pinned).append(interval)
        self.todo.sort(key=lambda i: (i.start, i.reg.id))
        self.color: dict[int, int] = {}
        wide: list[Interval] = []
        taken: dict[int, Segments] = {}
        for interval in pinned:
            number = interval.reg.fixed
            assert number is not None
            self.color[interval.reg.id] = number
            if interval.reg.width > 4:
                wide.append(interval)
                continue
            for part, segments in enumerate(interval.parts):
                taken.setdefault(number + part, []).extend(segments)
        alike: dict[tuple[tuple[int, int], ...], int] = {}
        for number, segments in taken.items():
            points = tuple(merge(segments))
            alike[points] = alike.get(points, 0) | 1 << number
        self.taken = [_Taken(numbers, list(points)) for points, numbers in alike.items()]
        self.spilled: dict[int, VReg] = {}
        self.prices: dict[int, float] = {}
        self.function = function
        self.live: dict[tuple[int, int], _Live] = {}
        self.resting: dict[tuple[int, int], _Live] = {}
        self.waking: list[tuple[int, tuple[int, int]]] = []
        """The resting ones by the start of their next segment."""
        self.sleeping: dict[int, list[tuple[int, tuple[int, int]]]] = {}
        """The same of each number: where many rest few numbers are free, and only theirs have to be looked at."""
        self.events: list[tuple[int, int, tuple[int, int]]] = []  # (point, 0 segment ends | 1 next one starts, name)
        self.busy = 0
        self.freed: dict[int, int] = {}
        """Up to which point numbers were in use."""
        self.hot: dict[int, int] = {}
        """Numbers that a memory instruction may still be reading, and up to which point to leave them alone."""
        for interval in wide:
            for part, segments in enumerate(interval.parts):
                if segments:
                    number = self.color[interval.reg.id] + part
                    self._rest((interval.reg.id, part), _Live(interval, segments, number))

    def _advance(self, point: int) -> None:
        events, live, resting = self.events, self.live, self.resting
        while events and events[0][0] <= point:
            _, kind, name = heapq.heappop(events)
            entry = live.get(name) if kind == 0 else resting.get(name)
            if entry is None:
                continue
            if kind == 0:
                del live[name]
                self.busy &= ~(1 << entry.color)
                end = entry.segments[entry.at][1]
                self.freed[entry.color] = end
                if end in entry.interval.late:
                    self.hot[entry.color] = end + (_LONG if self.steps else _COOLING)
                entry.at += 1
                if entry.at < len(entry.segments):
                    self._rest(name, entry)
            else:
                del resting[name]
                self._wake(name, entry)
                live[name] = entry
                self.busy |= 1 << entry.color
                heapq.heappush(events, (entry.segments[entry.at][1], 0, name))

    def _rest(self, name: tuple[int, int], entry: _Live) -> None:
        """A part waits for its next segment."""
        self.resting[name] = entry
        start = entry.segments[entry.at][0]
        bisect.insort(self.waking, (start, name))
        bisect.insort(self.sleeping.setdefault(entry.color, []), (start, name))
        heapq.heappush(self.events, (start, 1, name))

    def _wake(self, name: tuple[int, int], entry: _Live) -> None:
        """A part waits no longer."""
        start = entry.segments[entry.at][0]
        for table in (self.waking, self.sleeping[entry.color]):
            del table[bisect.bisect_left(table, (start, name))]
        if not self.sleeping[entry.color]:
            del self.sleeping[entry.color]

    def _free(self, current: Interval, point: int) -> int:
        """Mask of the numbers that `current` may start at (before alignment)."""
        fit = -1
        for part, segments in enumerate(current.parts):
            free = self.everything
            if segments:
                if segments[0][0] <= point:
                    free &= ~self.busy
                else:
                    begin = segments[0][0]
                    for entry in self.live.values():
                        # What is live until then meets it there.
                        if entry.segments[entry.at][1] > begin or overlap(entry.segments, segments, point, entry.at):
                            free &= ~(1 << entry.color)
                if self.waking and self.waking[0][0] < segments[-1][1]:
                    for number in self.sleeping:
                        if free >> number & 1 and self._wakes_in(number, segments, point):
                            free &= ~(1 << number)
                for theirs in self.taken:
                    if free & theirs.numbers and theirs.meets(segments):
                        free &= ~theirs.numbers
            fit &= free >> part
        for region in self.regions:
            if any(overlap(region.segments, segments) for segments in current.parts):
                fit &= (1 << max(0, region.limit - _EXTRA - current.reg.width + 1)) - 1
                break
        return fit

    def _wakes_in(self, number: int, segments: Segments, point: int) -> bool:
        """Whether something that rests in that number shares a point with the ascending segments."""
        last, at = segments[-1][1], 0
        for start, name in self.sleeping[number]:
            if start >= last:
                return False
            while segments[at][1] <= start:
                at += 1
            begin = segments[at][0]
            theirs = self.resting[name]
            # What wakes in a hole is there behind it, too, or never meets it.
            if begin <= start or (
                theirs.segments[-1][1] > begin and overlap(theirs.segments, segments, point, theirs.at)
            ):
                return True
        return False

    def _rivals(self, current: Interval, point: int) -> list[tuple[int, int]]:
        """Names under way that share a point with `current`."""
        found: set[tuple[int, int]] = set()
        for segments in filter(None, current.parts):
            begin, last = segments[0][0], segments[-1][1]
            for name, entry in self.live.items():
                # What is live until then meets it there.
                if entry.segments[entry.at][1] > begin or overlap(entry.segments, segments, point, entry.at):
                    found.add(name)
            for _, name in self.waking[: bisect.bisect_left(self.waking, (last,))]:
                if name not in found and overlap(self.resting[name].segments, segments, point, self.resting[name].at):
                    found.add(name)
        return sorted(found)

    def run(self) -> set[VReg]:
        high = 0
        for current in self.todo:
            point = current.start
            self._advance(point)
            base = self._choose(current, self._free(current, point), high)
            if base is None:
                base = self._evict(current, self._rivals(current, point))
                if base is None:
                    self._spill(current.reg)
                    continue
            self.color[current.reg.id] = base
            high = max(high, base + current.reg.width)
            for part, segments in enumerate(current.parts):
                if not segments:
                    continue
                name = (current.reg.id, part)
                entry = _Live(current, segments, base + part)
                if segments[0][0] <= point:
                    self.live[name] = entry
                    self.busy |= 1 << entry.color
                    heapq.heappush(self.events, (segments[0][1], 0, name))
                else:
                    self._rest(name, entry)
        if self.spilled:
            return set(self.spilled.values())
        for interval in self.todo:
            interval.reg.fixed = self.color[interval.reg.id]
        return set()

    def _choose(self, current: Interval, fit: int, high: int) -> int | None:
        """Lowest fitting number, preferring that of a copy partner."""
        width = current.reg.width
        free = fit & self.everything
        fit = free & _ALIGNED[width]
        if not fit:
            return None
        for hint, offset in current.hints[:_HINTS]:
            wanted = self.color.get(hint.id, -256) + offset
            if wanted >= 0 and fit >> wanted & 1:
                return wanted
        for address in current.addresses[:_HINTS]:
            # Where registers are short, half a pair would be one pair less as long as the value lives.
            wanted = self.color.get(address.id, -256)
            if wanted >= 0 and fit >> wanted & 1 and (width == address.width or high < _CROWDED * self.size):
                return wanted
        if not current.reg.spillable and self.function.frame:
            # What is loaded again can be loaded early where nothing else was for long.
            below = fit & (1 << high) - 1 or fit
            freed = self.freed
            return min([(freed.get(c, 0), c) for c in bits_of(below)])[1]
        hot, start = 0, current.start
        for color, until in list(self.hot.items()):
            if until <= start:
                del self.hot[color]
            else:
                hot |= 1 << color
        if hot:
            # A load would overwrite its own address without a wait; others take cool registers if there are some.
            for shift in range(1, width):
                hot |= hot >> shift
            below = fit & (1 << next((step for step in self.steps if step >= high), max(high, _FREE))) - 1
            if below & ~hot:
                fit = below & ~hot
            elif below and self.steps and width == 1:
                return min((until, color) for color, until in self.hot.items() if below >> color & 1)[1]
        if width <= 2 and high:
            # Keep whole quads and pairs free: fill what is broken already, below the top.
            below = (1 << high) - 1
            quads = free & free >> 1
            quads &= quads >> 2 & _ALIGNED[4]
            broken = fit & ~(quads * 15) & below
            if width == 1:
                lone = broken & ~((free >> 1 & ~_ODD) | (free << 1 & _ODD))
                broken = lone or broken
            if broken:
                return (broken & -broken).bit_length() - 1
        return (fit & -fit).bit_length() - 1

    def _price(self, interval: Interval) -> float:
        """Cost of spilling, per point of range freed: long and rarely used ranges go first."""
        found = self.prices.get(interval.reg.id)
        if found is None:
            found = self.prices[interval.reg.id] = interval.weight / (interval.length + 8)
        return found

    def _evict(self, current: Interval, rivals: list[tuple[int, int]]) -> int | None:
        """Spill the cheapest set of registers that makes room for `current`; None if `current` is the cheapest."""
        width = current.reg.width
        step = step_of(width)
        cost = [0.0] * self.size
        blocked = [not self.everything >> n & 1 for n in range(self.size)]
        for region in self.regions:
            if any(overlap(region.segments, segments) for segments in current.parts):
                for n in range(region.limit - _EXTRA, self.size):
                    blocked[n] = True
                break
        for theirs in self.taken:
            if any(map(theirs.meets, current.parts)):
                for n in bits_of(theirs.numbers & self.everything):
                    blocked[n] = True
        holders: dict[int, set[int]] = {}
        for name in rivals:
            entry = self.live.get(name) or self.resting[name]
            holders.setdefault(entry.color, set()).add(name[0])
            cost[entry.color] += self._price(entry.interval)
            if not entry.interval.reg.spillable:
                blocked[entry.color] = True
        best, where = float("inf"), -1
        for base in range(0, self.size - width + 1, step):
            if any(blocked[base : base + width]):
                continue
            total = sum(cost[base : base + width])
            if total < best:
                best, where = total, base
        own = self._price(current) if current.reg.spillable else float("inf")
        if where < 0 or best >= own:
            if not current.reg.spillable:
                self._impossible()
            return None
        gone = {reg for n in range(where, where + width) for reg in holders.get(n, ())}
        for table in (self.live, self.resting):
            for name in [n for n in table if n[0] in gone]:
                entry = table.pop(name)
                if table is self.live:
                    self.busy &= ~(1 << entry.color)
                else:
                    self._wake(name, entry)
                self._spill(entry.interval.reg)
        return where

    def _spill(self, reg: VReg) -> None:
        if reg.id in self.stay:
            need.fail_for_local(self.function)
        self.spilled[reg.id] = reg

    def _impossible(self) -> None:
        fail(
            "ptxas.registers",
            f"'{self.function.name}' needs more than the {self.size + _EXTRA} registers allowed",
            exit_status=EXIT_PTXAS,
        )


def room(function: MFunction, arch: Arch, options: Options) -> int:
    """General registers that may be live at once, at most."""
    return register_limit(function, arch, options) - _EXTRA - 1  # one is the stack pointer


def comfortable(function: MFunction, arch: Arch, options: Options) -> int:
    """Live general registers that the scheduler may aim for before allocation: some under the limit, since pairs and
    quads leave gaps."""
    limits = [
        s.bits for b in function.blocks for i in b.insts if i.mnemonic == "USETMAXREG" for s in i.srcs
        if isinstance(s, Imm)
    ]  # fmt: skip
    usable = max(register_limit(function, arch, options), *limits, 0) - _EXTRA - 1
    return max(8, usable - max(4, usable // 16))


def steps(function: MFunction, arch: Arch, options: Options) -> list[int]:
    """Registers a thread beyond which an SM has room for a block less, where it is known how large blocks are; the
    fewest first."""
    threads, occupancy = function.req_threads, arch.occupancy
    if not threads:
        return []
    limit = register_limit(function, arch, options)
    warps = -(-max(1, threads[0] * threads[1] * threads[2]) // 32)
    most = min(occupancy.max_blocks, occupancy.max_warps // warps)
    return sorted({min(limit, blocks_limit(arch, threads, blocks)) for blocks in range(1, most + 1)})
