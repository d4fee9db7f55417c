"""A function with registers, put aside: what an order would come to, and, of the one that is chosen, its registers.

Registers are given to a copy of the instructions, and the function is left as it was. What its time would be is found
out when that is asked. The same order under the same limits is tried once (`Trials`), and regalloc takes what a trial
has found instead of finding it again (`take`).
"""

from __future__ import annotations

from functools import cached_property
from math import inf

from minicc.arch.schema import Arch
from minicc.diagnostics import CompileError
from minicc.ptxas.mir import Block, MFunction, MInst, VReg
from minicc.ptxas.operands import Components
from minicc.ptxas.options import Options
from minicc.ptxas.registers import allocate
from minicc.ptxas.registers.need import Need
from minicc.ptxas.schedule import schedule
from minicc.ptxas.schedule.facts import Facts, Order, order_of
from minicc.ptxas.timing import Distances, footprint
from minicc.record import NamedTuple

_ISSUE = 2
"""Cycles for each instruction beside its share of the latency of a warp: other warps have to issue, too."""
_NEAR, _FAR = 60, 300
"""A load of which the scheduler expects more cycles than the first comes from far memory and takes the second."""
_LOCAL = 60
"""More cycles for an access to local memory, whose unit all warps of an SM share: with 20, the code of 39 kernels at 24
and 32 registers takes 1.02 of the model's cycles, with 100 it is too dear for nbody."""
DOUBT = 1.06
"""Spill code costs so much more than it seems to: on an H200 a sparse product, Mandelbrot's set and a matrix product
that came down to 0.93 to 0.96 for more warps with it took 1.17, 1.05 and 1.03 of the time without."""
_BLOCK = 4
"""Warps of a block, where it is not known how large blocks are: few launches have smaller ones."""
_HELD = 10
"""Cycles for which a memory instruction holds its sources."""

State = tuple[bool, bool, int | None, Order]
"""What registers hang on: the limits, and the instructions in order."""


class Time(NamedTuple):
    """Cycles of a warp alone, until its last instruction is issued; instructions; those of local memory."""

    alone: float
    issued: float
    local: float

    @property
    def cost(self) -> float:
        """Cycles of a warp among a few, its own and what others take from it."""
        return self.alone + _ISSUE * self.issued + _LOCAL * self.local


class Trial:
    """What a function would be with registers; given up where spill code and instructions alone cost `most`, or take
    more than `local` accesses to local memory: none where there is a `need`, which says when there must be some."""

    def __init__(
        self,
        function: MFunction,
        arch: Arch,
        options: Options,
        facts: Facts,
        most: float = inf,
        local: float = inf,
        need: Need | None = None,
    ) -> None:
        self.function, self.arch, self.options = function, arch, options
        self.allowed, self.failed = 0 if need else local, False
        self.spilled, self.registers = True, 0
        ranges = facts.ranges()
        if need is not None and need.along(ranges) > allocate.room(function, arch, options):
            self.failed = True
            return
        fixed = [reg.fixed for reg in function.vregs]
        blocks, frame, attributes = function.blocks, function.frame, dict(function.attributes)
        copies = [[(inst, _clone(inst)) for inst in block.insts] for block in blocks]
        function.blocks = [
            Block(b.label, [made for _, made in pairs], list(b.succs), b.loop_depth)
            for b, pairs in zip(blocks, copies, strict=True)
        ]

        def enough() -> bool:
            time = Time(0, _issued(function), of_local(function))
            return time.cost >= most or time.local > self.allowed

        try:
            allocate.run(function, arch, options, enough, ranges, need.stay if need else None)
            self.spilled = len(function.vregs) > len(fixed)
            registers = function.attributes["registers"]
            assert isinstance(registers, int)
            self.registers = registers
        except CompileError:
            self.failed = True
        self.blocks, self.frame, self.attributes = function.blocks, function.frame, function.attributes
        self.given = [reg.fixed for reg in function.vregs]
        self.more: list[VReg] = function.vregs[len(fixed) :]
        self.colouring = function.colouring
        self.originals = {made: inst for pairs in copies for inst, made in pairs}
        function.blocks, function.frame, function.attributes = blocks, frame, attributes
        function.colouring = None
        del function.vregs[len(fixed) :]
        for reg, number in zip(function.vregs, fixed, strict=True):
            reg.fixed = number

    @cached_property
    def time(self) -> Time:
        """What its code would take, once scheduled."""
        if self.failed:
            return Time(float("inf"), 0, 0)
        function = self.function
        since = function.vregs[self.own :]
        """Registers made after the trial."""
        del function.vregs[self.own :]
        fixed, blocks = [reg.fixed for reg in function.vregs], function.blocks
        function.blocks = [Block(b.label, b.insts, b.succs, b.loop_depth) for b in self.blocks]
        self._give()
        try:
            schedule.run(function, self.arch, self.options)
            return length(function, self.arch)
        finally:
            function.blocks, function.prints = blocks, {}
            del function.vregs[len(fixed) :]
            for reg, number in zip(function.vregs, fixed, strict=True):
                reg.fixed = number
            function.vregs += since

    @property
    def own(self) -> int:
        """Virtual registers that the function had before the trial; the order has none of those made since."""
        return len(self.given) - len(self.more)

    def _give(self) -> None:
        self.function.vregs += self.more
        for reg, number in zip(self.function.vregs, self.given, strict=True):
            reg.fixed = number

    @property
    def alone(self) -> float:
        """Cycles of a warp alone, until its last instruction is issued."""
        return self.time.alone

    @property
    def local(self) -> float:
        """Instructions of local memory."""
        return self.time.local

    @property
    def cost(self) -> float:
        """Cycles of a warp among a few, those that spill code may take besides among them."""
        return self.time.cost * (DOUBT if self.spilled else 1)

    def among(self, registers: int) -> float:
        """Cycles that an SM takes for a warp if it has all those that it has room for (see below)."""
        return inf if self.failed else among(self.time, self.function, self.arch, registers)

    def take(self) -> None:
        """Give the function its registers."""
        function = self.function
        for block, made in zip(function.blocks, self.blocks, strict=True):
            block.insts = [_become(self.originals[i], i) if i in self.originals else i for i in made.insts]
        self._give()
        function.frame, function.attributes, function.colouring = self.frame, self.attributes, self.colouring


class Trials:
    """Those of one function."""

    def __init__(self, function: MFunction, arch: Arch, options: Options) -> None:
        self.function, self.arch, self.options = function, arch, options
        self.facts = Facts(function)
        self.made: list[tuple[State, Trial]] = []

    @cached_property
    def need(self) -> Need:
        """How many registers there must be, whatever order the function has: first asked while it is the program's."""
        return Need(self.function)

    def known(self) -> Trial | None:
        """That of the function as it stands, if it has been made."""
        state = _state(self.function)
        return next((trial for of, trial in self.made if of == state and not trial.failed), None)

    def of(self, most: float = inf, *, local: float = inf) -> Trial:
        """That of the function as it stands; if it costs `most` or more, or has more than `local` accesses to local
        memory, it may have been given up."""
        state = _state(self.function)
        for of, trial in self.made:
            if of == state and not (trial.failed and local > trial.allowed):
                return trial
        need = None if local else self.need
        trial = Trial(self.function, self.arch, self.options, self.facts, most, local, need)
        self.made.append((state, trial))
        return trial


def _state(function: MFunction) -> State:
    return function.short, function.crowded, function.budget, order_of(function)


def _clone(i: MInst) -> MInst:
    made = MInst(
        i.mnemonic, i.modifiers, i.dsts, i.srcs, i.guard, i.loc, i.ptx, i.side_effect, i.memory, i.space, i.control,
        i.hidden, i.implicit_reads, i.implicit_writes,
    )  # fmt: skip
    made.reading, made.writing, made.touched, made.named = i.reading, i.writing, i.touched, i.named
    return made


def _become(inst: MInst, made: MInst) -> MInst:
    """The instruction itself, which others know, as its copy is."""
    for name in MInst.__slots__:
        setattr(inst, name, getattr(made, name))
    return inst


def warps(function: MFunction, arch: Arch, registers: int) -> int:
    """Warps that an SM has room for."""
    all_ = arch.occupancy
    unit = all_.register_unit_per_warp
    found = min(all_.max_warps, all_.registers_per_sm // (-(-registers * 32 // unit) * unit))
    threads = function.req_threads
    if threads:
        block = -(-max(1, threads[0] * threads[1] * threads[2]) // 32)
        found = max(found // block, 1) * block
    else:
        found -= found % _BLOCK
    return found


def among(time: Time, function: MFunction, arch: Arch, registers: int) -> float:
    """Cycles that an SM takes for a warp if it has all those that it has room for: a sub-core issues for each what
    there is to issue (what is of local memory twice), and waits for all of them together."""
    return time.issued + time.local + time.alone * arch.sub_cores / warps(function, arch, registers)


def length(function: MFunction, arch: Arch, facts: Facts | None = None) -> Time:
    """Cycles that the code as it stands takes a warp alone, its instructions, and those of local memory; each loop
    level counts for several. The facts are the function's, if it has no registers yet."""
    components, distances = Components(function), Distances(arch)
    alone = 0.0
    for block in function.blocks:
        if facts is None:
            prints = [function.prints.get(inst) or footprint(inst, components) for inst in block.insts]
        else:
            prints = facts.footprints(block.insts, components)
        now = 0
        made: dict[int, tuple[int, str]] = {}
        """Key -> (cycle from which on it is there, or of its issue; its producer if latency is fixed)."""
        held: dict[int, int] = {}
        for print_ in prints:
            timing = print_.timing
            for key, reader in print_.reads:
                if key in made:
                    at, producer = made[key]
                    now = max(now, at + distances.raw(producer, reader) if producer else at)
            for key, _ in print_.writes:
                if key in made and not made[key][1]:
                    now = max(now, made[key][0])
                now = max(now, held.pop(key, 0))
            arrives = now + (_FAR if timing.expect > _NEAR else timing.expect)
            for key, producer in print_.writes:
                made[key] = (arrives, "") if timing.variable else (now, producer)
            if timing.variable:
                for key, _ in print_.reads:
                    held[key] = now + _HELD
            now += max(timing.stall, 1)
        alone += block.weight * now
    return Time(alone, _issued(function), of_local(function))


def _issued(function: MFunction) -> float:
    """Instructions that a warp issues."""
    return sum(block.weight * len(block.insts) for block in function.blocks)


def of_local(function: MFunction) -> float:
    """Those of local memory."""
    return sum(block.weight for block in function.blocks for inst in block.insts if inst.space == "local")
