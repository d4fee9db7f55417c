"""Fit: where registers are short, how many of them the schedule should count on.

Pairs and quads leave gaps, so an order whose live values just fit may need spill code, and one that leaves more room
makes loads wait for one another. Neither can be told beforehand: the order is made for several targets, registers are
given to each, and the one whose code would take least time is kept. Only functions pay for it that are short of
registers (a limit of the user's, or launch bounds, or nearly a whole file full).

Where nothing limits them, fewer registers may be worth more than the time that a warp takes longer with them: more
warps are there at once. Functions that pass some of `_STEPS` by are tried with so many, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import inf

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction, MInst, VReg
from minicc.ptxas.options import Options
from minicc.ptxas.registers import again, allocate, crowd
from minicc.ptxas.registers.intervals import Ranges
from minicc.ptxas.registers.spill import Spiller
from minicc.ptxas.schedule import schedule
from minicc.ptxas.schedule.facts import Facts
from minicc.ptxas.schedule.trial import DOUBT, Trials, among, length, of_local, warps

_LARGEST = 8000
"""Instructions of the largest function that is tried more than once."""
_WORK = 10_000
"""Instructions in all trials together, about; two are always made."""
_GAIN = 0.99
"""Of the best cost so far, what another must at most have."""
_HOPELESS = 1.4
"""Of the best cost so far, what an order may take before it has its registers: scheduling it again then gains less, and
spill code nothing (what was kept of ten searches in PTX of CUTLASS and Triton had taken 1.16 at most)."""
_FULL_WORTH = 1.05
"""Of the cycles of a warp alone, what full occupancy may cost."""
_ANY_BLOCK = 64
"""Registers with which a block of 1,024 threads can still be launched: where nothing says how large blocks are, a
function that can do with them does."""
_LAUNCHED = (schedule.LAUNCHED, 42, 30)
"""Live registers that are tried for it: pairs of which one half lives on leave gaps."""
_GAINED = 1.1
"""What scheduling an order again with its registers may gain of its cycles where it needs no local memory: 1.09 at most
of 60 that were tried. One that takes so much longer than it may gets none."""
_SPILLED = 0.08
"""Of the instructions that a warp issues, what may be of local memory for blocks of 1,024 threads: of eleven functions
with such an order five were taken, with 0.016 to 0.067; those with 0.073 to 0.15 took too long."""
_STEPS = (64, 48, 40, 32)
"""Registers with which an SM has room for half, five eighths, three quarters and all of its warps; those that are
passed by are tried, until a warp alone takes too long with them."""
_GAPS = 7
"""Registers beside the live ones, as a rule: the stack pointer, what ptxas always adds, and the gaps of pairs."""
_JUST = 8
"""By how many registers a step is just passed by: with 33 to 40 an SM has room for three blocks of 512 threads, not
four. Long functions are tried with that step only (two of 1,100 and 1,600 instructions took 1.06 and 1.20 of nvcc's
cycles on an H200, whose code has 32 and 26)."""
_WORTH = 0.98
"""Of the cycles that an SM full of warps takes for each of them, what fewer registers must come down to. Of 22 kernels
on an H200 the ten that come down so far took 0.84 to 1.03 of the time with fewer registers, the others 0.95 to 1.17."""
_ANY_WORTH = 1.03
"""The same for as many as leave blocks of 1,024 threads: launches of so many are refused otherwise."""
_LONGER = 1.12
"""Of the cycles of a warp alone, what it may take with fewer registers: nobody knows here whether a launch fills an SM.
Four of those ten take 1.00 to 1.05; products of matrices whose loads would wait for one another 1.28 to 1.47 (and one
whose threads leave at once 1.14 of the time on an H200, for its frame)."""
_LONGER_KNOWN = 1.09
"""The same where it is known how large blocks are: on an H200 six kernels of Triton whose warps take 1.00 to 1.08 of
the cycles with 64 registers take 0.94 to 0.99 of the time, one whose warps take 1.11 takes 1.08. Fewer gain nothing."""
_SMALL, _WAITING = 400, 1000
"""Instructions up to which that is tried: what is longer computes more than it waits, and its trials take long; up to
the second where a loop in a loop loads from far memory, for an order without spill code, or the leanest one with it if
blocks of 1,024 threads can be launched for it."""
_NEARLY_ANY = 96
"""Registers up to which `_ANY_BLOCK` are tried whatever a function waits for, up to `_SEARCHED` instructions: nvcc's
code of such functions mostly has no more. Of five with 86 to 94 registers two have an order for 64,
with 0.83 and 0.75 of the cycles; a sixth has 54 for 82. With up to `_ROOM` they are where its values take them; of
three with 98 to 102 two have an order."""
_SEARCHED, _TRIED = 2000, 12_000
"""Instructions up to which room for one block more is searched for, where an SM has room for `_FEW_WARPS`; up to the
second by another order alone."""
_FEW_WARPS = 15
_ROOM = 128
"""Registers for that where it is not known how large blocks are: with more, an SM has room for one of 256 threads."""
_SAFE, _SLACK = 40, 4
"""Live registers that fit in any case, and by how many more are live than were aimed at."""
_WINDOW = 6
"""Instructions over which what is computed again is used again."""

_TRIALS = (("given", 0), ("lean", 0), ("given", None), ("given", 2), ("given", -3), ("lean", 2))
"""Order to start from, and registers more than usual to count on; None leaves it as it is."""

Orders = list[list[MInst]]


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Schedule `function`, for the target that suits it; regalloc has the registers of the order if it has been
    tried."""
    trials = Trials(function, arch, options)
    _run(function, arch, options, trials)
    function.trial = trials.known() if trials.made else None
    if function.trial is not None:
        # What other orders have made again.
        del function.vregs[function.trial.own :]


def _run(function: MFunction, arch: Arch, options: Options, trials: Trials) -> None:
    given = _orders(function)
    leanest = _Leanest(function, arch, options, given, trials.facts)
    graphs = {"given": schedule.Graphs(function, arch, options, facts=trials.facts)}
    usual = allocate.comfortable(function, arch, options)
    bounds = function.req_threads or function.max_threads or function.max_registers or options.max_registers
    if bounds:
        most = _usual(function, graphs["given"], usual, 0)
        if function.req_threads:
            if _for_more_blocks(function, arch, options, trials, graphs["given"], leanest):
                return
            if not function.short and _for_more_warps(function, trials, graphs["given"], most, leanest):
                return
    else:
        most = _for_any_block(function, trials, graphs["given"], usual)
        if _for_more_warps(function, trials, graphs["given"], most, leanest):
            return
        taken = known.registers if (known := trials.known()) else most + 2 * _GAPS
        if taken > _ROOM and _for_more_blocks(function, arch, options, trials, graphs["given"], leanest):
            return
    if not (function.short or most > schedule.NEARLY * usual) or sum(map(len, given)) > _LARGEST:
        return
    if any(inst.mnemonic == "USETMAXREG" for insts in given for inst in insts):
        return
    search = _Search(function, arch, options, trials)
    first = _orders(function)
    if (function.is_routine or not function.short) and not search.attempt(first):
        _reorder(function, first)
    else:
        _search(search, leanest, first, graphs, usual)


def _search(search: _Search, leanest: _Leanest, first: Orders, graphs: dict[str, schedule.Graphs], usual: int) -> None:
    """Make orders of the program's own one, for several targets, of which the search keeps the best; `first` is the one
    for the usual target."""
    from minicc.ptxas.schedule import lean

    function, arch, options, given = search.function, search.arch, search.options, leanest.given
    facts = leanest.facts
    sources = [(inst, inst.srcs) for insts in given for inst in insts]
    scheduled: Orders | None = first
    crowding = leanest.crowding(usual)
    if crowding:
        if usual < schedule.ROOMY:
            # Many warps, to which instructions are dearer than latency.
            search.attempt(first)
        given = leanest.make_again(crowding)
        graphs = {"given": schedule.Graphs(function, arch, options, facts=facts)}
        graphs["given"].schedule(schedule.Aim(usual, schedule.FULL))
        scheduled = _orders(function)
    for step, more in _TRIALS[: max(2, _WORK // sum(map(len, given)))]:
        if step not in graphs:
            _reorder(function, given)
            lean.run(function, arch, facts)
            graphs[step] = schedule.Graphs(function, arch, options, schedule.WHOLE, facts)
        if scheduled is None:
            if more is None:
                _reorder(function, given)
            else:
                graphs[step].schedule(schedule.Aim(usual + more))
            scheduled = _orders(function)
        search.attempt(scheduled)
        scheduled = None
    if crowding and search.kept is first:
        for inst, srcs in sources:
            inst.srcs = srcs
    function.crowded = search.crowded
    _reorder(function, search.kept)


class _Leanest:
    """The program's order, and the one of it in which fewest values are live, found once."""

    def __init__(self, function: MFunction, arch: Arch, options: Options, given: Orders, facts: Facts) -> None:
        self.function, self.arch, self.options, self.given, self.facts = function, arch, options, given, facts

    @cached_property
    def orders(self) -> Orders:
        from minicc.ptxas.schedule import lean

        _reorder(self.function, self.given)
        lean.run(self.function, self.arch, self.facts)
        return _orders(self.function)

    @cached_property
    def ranges(self) -> Ranges:
        """Where all are live in it."""
        _reorder(self.function, self.orders)
        return self.facts.ranges()

    @cached_property
    def candidates(self) -> set[int]:
        """What could be made again, of any order."""
        return again.candidates(self.function)

    @cached_property
    def graphs(self) -> schedule.Graphs:
        _reorder(self.function, self.orders)
        return schedule.Graphs(self.function, self.arch, self.options, schedule.WHOLE, self.facts)

    def crowding(self, usual: int) -> set[VReg]:
        """What to make again for each use, where it has more registers live than are counted on."""
        return crowd.spills(self.ranges, usual, [], self.candidates)

    def make_again(self, crowding: set[VReg]) -> Orders:
        """The program's order, in which what is crowding is made again for each use."""
        _reorder(self.function, self.given)
        Spiller(self.function, self.arch, _WINDOW).rewrite(crowding, self.ranges, load=False)
        return _orders(self.function)

    def graphs_for(self, usual: int) -> schedule.Graphs:
        """Of the leanest order in which what would crowd so many registers is made again."""
        from minicc.ptxas.schedule import lean

        crowding = self.crowding(usual)
        if not crowding:
            return self.graphs
        self.make_again(crowding)
        lean.run(self.function, self.arch, self.facts)
        return schedule.Graphs(self.function, self.arch, self.options, schedule.WHOLE, self.facts)


class _Search:
    """Orders with registers, and which of them would take least time."""

    def __init__(self, function: MFunction, arch: Arch, options: Options, trials: Trials) -> None:
        self.function, self.arch, self.options, self.trials = function, arch, options, trials
        self.best = inf
        self.kept: Orders = []
        self.crowded = False
        self.ways = [False, True]
        """Those of giving registers that are still tried."""

    def attempt(self, orders: Orders) -> bool:
        """Give the order registers, in two ways if some have to be spilled; whether they have. For what comes after an
        order that spills either way, the better way is tried alone, and none if it takes too long by itself."""
        costs: dict[bool, float] = {}
        _reorder(self.function, orders)
        if self.kept and length(self.function, self.arch).cost > _HOPELESS * self.best:
            return True
        for way in self.ways:
            _reorder(self.function, orders)
            self.function.crowded = way
            # The first of two ways has to be known to the end: the other one is compared with it, too.
            last = way == self.ways[-1]
            trial = self.trials.of(max(_GAIN * self.best, *costs.values(), 0) if last else inf)
            costs[way] = trial.cost
            if trial.cost < _GAIN * self.best or not self.kept:
                self.best, self.crowded, self.kept = trial.cost, way, orders
            if not trial.spilled:
                return False
        if min(costs.values()) < inf:
            self.ways = [min(costs, key=lambda way: costs[way])]
        return True


def _for_any_block(function: MFunction, trials: Trials, graphs: schedule.Graphs, usual: int) -> int:
    """The usual order, with fewer registers if it is just the loads under way that take more than a large block has;
    the most live ones."""
    first: Orders = []
    least = 0
    for launched in _LAUNCHED:
        most = _usual(function, graphs, usual, launched)
        least = least or most
        first = first or _orders(function)
        large = sum(map(len, first)) > _LARGEST
        if large or not _SAFE < most <= launched + _SLACK:
            return most
        if trials.of().registers <= _ANY_BLOCK:
            return most
        function.budget = _ANY_BLOCK
        if not trials.of().spilled:
            return most
        function.budget = None
    _reorder(function, first)
    return least


def _for_more_warps(function: MFunction, trials: Trials, graphs: schedule.Graphs, most: int, leanest: _Leanest) -> bool:
    """The order as it is, or one for fewer registers if an SM that is full takes less time for a warp with it; whether
    it is such a one."""
    known, size = function.req_threads is not None, sum(map(len, leanest.given))
    # Fewer registers than blocks of any size need are not worth accesses to local memory, its own or spill code.
    steps: tuple[int, ...] = _STEPS[:1] if known or of_local(function) else _STEPS
    longest = _WAITING if _waits(function) else _SMALL
    if not known and longest < size:
        # Of a long function the step alone that is just passed by.
        steps = (steps[0], *(s for s in steps[1:] if s < most + _GAPS <= s + _JUST))
    if steps[-1] >= most + (_GAPS if size <= longest else 2 * _GAPS) or function.is_routine or size > _SEARCHED:
        return False
    first = kept = _Kept(function, _orders(function))
    program = _Kept(function, leanest.given)
    usual = trials.of()
    if not known and longest < size:
        # Where it is loads under way that take more than the program's own order needs, they would wait with fewer.
        waiting = graphs.peak + _GAPS > _ANY_BLOCK and graphs.peak + 2 * _GAPS < most
        if usual.registers > (_NEARLY_ANY if waiting else _ROOM):
            return False
    # Few orders for fewer registers are faster for a warp alone than the usual one: what more warps
    # gain is about the most that there is (of 70 such orders of 150 functions six came down by over a hundredth more).
    time = length(function, graphs.arch, trials.facts)
    within = among(time, function, graphs.arch, usual.registers)
    worth = {step: _WORTH if step < _ANY_BLOCK else 1 if known else _ANY_WORTH for step in steps}
    fewer_are = (step for step in steps if step < usual.registers)
    steps = tuple(s for s in fewer_are if among(time, function, graphs.arch, s) <= worth[s] * within)
    if not steps:
        return False
    best, most_alone = usual.among(usual.registers), (_LONGER_KNOWN if known else _LONGER) * usual.alone
    program.restore()
    least = trials.need.between(graphs.live)
    for wanted in steps:
        function.budget = wanted
        if not known and wanted < _ANY_BLOCK and least > allocate.room(function, graphs.arch, graphs.options):
            # No order has what it needs without local memory, nor with fewer.
            break
        hopeless = True
        for leaner in (False,) if known else (False, True):
            program.restore()
            function.budget = wanted
            aimed = allocate.comfortable(function, graphs.arch, graphs.options)
            made = leanest.graphs_for(aimed) if leaner else graphs
            live = made.schedule(schedule.Aim(aimed)).most
            few = _SPILLED * time.issued if wanted == _ANY_BLOCK and (leaner or size <= _SMALL) else 0
            local = inf if known else few
            if not local and length(function, graphs.arch, trials.facts).alone > _GAINED * most_alone:
                continue
            fewer = trials.of(local=local)
            if fewer.failed and (made.peak <= aimed < live or made.peak + _GAPS <= aimed):
                # Rather than to wait, it has taken more than were aimed at, or gaps between quads that are loaded
                # have; so many fewer then.
                live = made.schedule(schedule.Aim(2 * aimed - live if aimed < live else aimed - _GAPS)).most
                fewer = trials.of(local=local)
            if fewer.failed and leaner and leanest.graphs.peak + _GAPS <= aimed:
                # An order that hides latency takes more than the leanest one, which may do.
                program.restore()
                function.budget = wanted
                _reorder(function, leanest.orders)
                fewer = trials.of(local=local)
            if fewer.failed:
                # Fewer registers may do, where it is gaps that take too many: more is made again for them then.
                hopeless &= live > allocate.room(function, graphs.arch, graphs.options)
                continue
            if fewer.alone > most_alone:
                continue
            hopeless = False
            full = fewer.among(fewer.registers) * (DOUBT if fewer.local and wanted < _ANY_BLOCK else 1)
            if full <= worth[wanted] * best:
                function.short = first.short
                best, kept = min(best, full), _Kept(function, _orders(function))
                break
        if hopeless:
            break
    program.restore()
    kept.restore()
    return kept is not first


def _order_for(leanest: _Leanest, graphs: Callable[[int], schedule.Graphs]) -> int:
    """An order for the registers of the budget, by the graphs for so many live ones; the most live ones."""
    live = allocate.comfortable(leanest.function, leanest.arch, leanest.options)
    return graphs(live).schedule(schedule.Aim(live)).most


def _waits(function: MFunction) -> bool:
    """Whether a loop in a loop loads from far memory."""
    return any(block.loop_depth > 1 and inst.mnemonic == "LDG" for block in function.blocks for inst in block.insts)


def _for_more_blocks(
    function: MFunction, arch: Arch, options: Options, trials: Trials, graphs: schedule.Graphs, leanest: _Leanest
) -> bool:
    """The order as it is, or one for as few registers as leave room for a block more on an SM, where few warps would be
    there otherwise; whether it is that one, whose instructions read what is made again: no others go with them."""
    size = sum(map(len, leanest.given))
    if size > _TRIED:
        return False
    usual = trials.of()
    steps = allocate.steps(function, arch, options) or [_ROOM]
    wanted = max((step for step in steps if step < usual.registers), default=0)
    # What spills with all registers that there are would spill far more with half of them.
    short = usual.spilled and usual.frame > function.frame
    if short or wanted < _ANY_BLOCK or warps(function, arch, usual.registers) > _FEW_WARPS:
        return False
    kept, program = _Kept(function, _orders(function)), _Kept(function, leanest.given)
    ways = (
        lambda: graphs.schedule(schedule.Aim(wanted - _GAPS)),
        lambda: _order_for(
            leanest,
            leanest.graphs_for
            if size <= _SEARCHED
            else lambda live: schedule.Graphs(function, arch, options, facts=trials.facts),
        ),
    )
    for way in ways:
        program.restore()
        function.budget = wanted
        way()
        fewer = trials.of()
        if fewer.failed:
            continue
        worth = fewer.among(fewer.registers) <= _WORTH * usual.among(usual.registers)
        # Where blocks may be large, a warp may take as much longer as it leaves room: they are refused otherwise.
        room = 1 if function.req_threads else usual.registers / fewer.registers
        if worth and fewer.alone <= _LONGER * room * usual.alone:
            return True
    program.restore()
    kept.restore()
    return False


class _Kept:
    """Orders, with what their instructions read, and the limits, to come back to."""

    def __init__(self, function: MFunction, orders: Orders) -> None:
        self.function, self.orders = function, orders
        self.sources = [(inst, inst.srcs) for insts in orders for inst in insts]
        self.short, self.budget = function.short, function.budget

    def restore(self) -> None:
        for inst, srcs in self.sources:
            inst.srcs = srcs
        self.function.short, self.function.budget = self.short, self.budget
        _reorder(self.function, self.orders)


def _usual(function: MFunction, graphs: schedule.Graphs, usual: int, launched: int) -> int:
    """The order for `usual` registers, or for full occupancy if that takes about as long; the most live ones."""
    tight = graphs.schedule(schedule.Aim(usual, schedule.FULL, launched))
    if tight.held:
        full = _orders(function)
        loose = graphs.schedule(schedule.Aim(usual, launched=launched))
        if tight.cycles > _FULL_WORTH * loose.cycles:
            return loose.most
        _reorder(function, full)
    return tight.most


def _orders(function: MFunction) -> Orders:
    return [block.insts for block in function.blocks]


def _reorder(function: MFunction, orders: Orders) -> None:
    for block, insts in zip(function.blocks, orders, strict=True):
        block.insts = list(insts)
