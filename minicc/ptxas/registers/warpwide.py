"""Numbers for the registers that the lanes of a warp share: uniform ones, uniform predicates, convergence barriers.

Lanes on both sides of a branch, which may run in either order, see one file, so a value that crosses a block is given
a register to itself; barriers likewise, as long as there are enough. Where uniform registers do not suffice, constants
are made again before each reader, and what is taken for the block behind a branch is taken again there.
"""

from __future__ import annotations

import bisect
from functools import partial

from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.lower.abi import SAVED_UNIFORM
from minicc.ptxas.mir import Block, MFunction, MInst, Part, V, VReg, step_of
from minicc.ptxas.operands import counted, guarded, map_reads, parts_read, parts_written, reads, renamed
from minicc.ptxas.registers.intervals import Interval, Ranges, build
from minicc.sass.instr import Imm

_SIZE = {"UP": 7, "UR": 63, "B": 16}
_FILE_WORD = {"UR": "uniform", "UP": "uniform predicate", "B": "convergence barrier"}


def number(function: MFunction, cfg: Cfg, ranges: Ranges) -> Ranges:
    """Give each of them its number (`VReg.fixed`). The ranges, made anew if the code has changed."""
    _unshared(function, ranges, "B")
    if not _unshared(function, ranges, "UR", again=True):
        _nearer(function)
        _behind(function, cfg)
        ranges = build(function, cfg)
        _unshared(function, ranges, "UR")
    _unshared(function, ranges, "UP")
    return ranges


def _nearer(function: MFunction) -> None:
    """Constants in uniform registers are made just before what reads them, for each reader again."""
    _, makers = counted(function)
    constants: dict[VReg, dict[int, MInst]] = {}
    for inst in (i for block in function.blocks for i in block.insts if i.mnemonic == "UMOV" and not guarded(i)):
        if isinstance(inst.srcs[0], Imm) and isinstance(d := inst.dsts[0], V):
            constants.setdefault(d.reg, {})[d.part] = inst
    known = {r.id: parts for r, parts in constants.items() if len(parts) == r.width == makers[r.id]}
    made = {inst for parts in known.values() for inst in parts.values()}
    for block in function.blocks:
        insts: list[MInst] = []
        for inst in block.insts:
            if inst in made:
                continue
            near: dict[int, VReg] = {}
            for v in reads(inst):
                if isinstance(v, V) and v.reg.id in known and v.reg.id not in near:
                    new = near[v.reg.id] = function.new("UR", v.reg.width)
                    for part, source in known[v.reg.id].items():
                        insts.append(MInst("UMOV", (), (V(new, part),), source.srcs, loc=source.loc))
            if near:
                map_reads(inst, partial(renamed, near))
            insts.append(inst)
        block.insts = insts


def _behind(function: MFunction, cfg: Cfg) -> None:
    """What is taken in a block for the one behind its branch (the operands of a copy, by lanes that have the same ones:
    see `lower.uniform.together`) is taken there once more, so that nothing lives from the one to the other."""
    _, makers = counted(function)
    for b in cfg.rpo:
        block = function.blocks[b]
        made = _taken(function.blocks[cfg.preds[b][0]]) if len(cfg.preds[b]) == 1 else {}
        again: dict[int, VReg] = {}
        copies: list[MInst] = []
        for v in (v for inst in block.insts for v in reads(inst) if isinstance(v, V)) if made else ():
            parts = [n for n, part in enumerate(v.reg.parts) if part in made]
            if v.reg.id not in again and parts and len(parts) == makers[v.reg.id]:
                new = again[v.reg.id] = function.new("UR", v.reg.width)
                new.align = v.reg.align
                for n in parts:
                    maker = made[v.reg.id, n]
                    copies.append(MInst(maker.mnemonic, (), (V(new, n),), maker.srcs, loc=maker.loc))
        if again:
            for inst in block.insts:
                map_reads(inst, partial(renamed, again))
            block.insts[:0] = copies


def _taken(block: Block) -> dict[Part, MInst]:
    """What makes parts of uniform registers of constants and of general registers that are still there at the end."""
    made: dict[Part, MInst] = {}
    for inst in block.insts:
        for part in parts_written(inst):
            made = {p: maker for p, maker in made.items() if p != part and part not in parts_read(maker)}
        constant = inst.mnemonic == "UMOV" and isinstance(inst.srcs[0], Imm)
        if (inst.mnemonic == "R2UR" or constant) and not inst.modifiers and not guarded(inst):
            made.update((p, inst) for p in parts_written(inst))
    return made


def _unshared(function: MFunction, ranges: Ranges, file: str, again: bool = False) -> bool:
    """Give each register of a warp-wide file its own number; when they run out, values that live inside one block
    share. Alignment: pairs even, quads by four. With `again` no number is given where they do not suffice, and the
    answer is no."""
    found = [i for i in ranges.intervals if i is not None and i.reg.file == file]
    if not found:
        return True
    # What a device function leaves alone, its callers keep values in.
    size = SAVED_UNIFORM if file == "UR" and not function.entry else _SIZE[file]
    given: list[VReg] = []
    taken = 0
    first = 4 if file == "UR" else 0  # ptxas starts at UR4
    starts = ranges.starts

    def local(interval: Interval) -> bool:
        b = bisect.bisect_right(starts, interval.start) - 1
        return interval.end <= starts[b + 1]

    for interval in found:
        if interval.reg.fixed is not None:
            taken |= ((1 << interval.reg.width) - 1) << interval.reg.fixed
    lanes = [_Lane() for _ in range(size)]
    # Block-crossing values first, so that only values inside one block ever share.
    for wanted in (False, True):
        for lane in lanes:
            lane.rewind()
        for interval in sorted((i for i in found if local(i) == wanted), key=lambda i: i.start):
            reg = interval.reg
            if reg.fixed is not None:
                continue
            mask = (1 << reg.width) - 1
            # Five and more (coordinates of tensors): illegal on an H200 but at multiples of eight.
            step = reg.align if reg.width > 4 else step_of(reg.width)
            choice = -1
            for base in (*range(-(-first // step) * step, size - reg.width + 1, step), *range(0, first, step)):
                if not taken & mask << base and base + reg.width <= size:
                    choice = base
                    break
            if choice < 0:
                for base in range(0, size - reg.width + 1, step):
                    if all(lanes[n].takes(interval) for n in range(base, base + reg.width)):
                        choice = base
                        break
            if choice < 0 and again:
                for reg in given:
                    reg.fixed = None
                return False
            if choice < 0:
                fail(
                    "ptxas.registers",
                    f"'{function.name}' needs more than {size} {_FILE_WORD[file]} registers at once",
                    exit_status=EXIT_PTXAS,
                )
            taken |= mask << choice
            reg.fixed = choice
            given.append(reg)
            shares = local(interval) or file == "B"
            for n in range(choice, choice + reg.width):
                lanes[n].add(interval, shares)
    return True


class _Lane:
    """The intervals that have one number of a warp-wide file. Asked in order of their starts, from the first again
    after `rewind`."""

    def __init__(self) -> None:
        self.all: list[Interval] = []
        self.shares = False
        self.active: list[Interval] = []
        self.later: list[Interval] = []

    def rewind(self) -> None:
        self.later = sorted(self.all, key=lambda i: -i.start)
        self.active = []

    def add(self, interval: Interval, shares: bool) -> None:
        self.shares = shares and (self.shares or not self.all)
        self.all.append(interval)
        self.active.append(interval)

    def takes(self, interval: Interval) -> bool:
        """Whether the number may be shared with `interval`."""
        if not self.shares:
            return False
        while self.later and self.later[-1].start < interval.end:
            self.active.append(self.later.pop())
        self.active = [i for i in self.active if i.end > interval.start]
        return not any(i.overlaps(interval) for i in self.active)
