"""Loads behind a branch whose ways meet again are made before it, so that their latencies pass together.

    head: x = load;  @p(x) BRA join        head: x = load;  y = load;  @p(x) BRA join
    body: ...                        ->    body: ...
    join: y = load;  @q(y) BRA ...         join: @q(y) BRA ...

Who comes to the head comes to the join as well, so no load is made that was not made before. Only where something
between is waited for: otherwise little is gained for the registers. Turns of a loop that LLVM has unrolled around a
condition stand so, one after the other; NVIDIA's ptxas makes their loads together, too (HeCBench's stsg waited eight
times where its code waits twice: 1.46 of its cycles on an H200).

    head: r = MUFU x;  @p(x) BRA slow      head: r = MUFU x;  z = y * y;  @p(x) BRA slow
    join: z = y * y;  w = r * z       ->   join: w = r * z

And what needs nothing of a slow operation (a division, a root) is computed before the branch to its long path, where a
warp waits for the operation anyhow: whatever follows then fills the time.

    test: x = load;  @p(x) BRA out         test: x = load;  i = i - 1;  q = i > 0;  @p(x) BRA out
    next: i = i - 1;  @q(i) BRA test  ->   next: @q BRA test

And what follows a branch that leaves a loop is computed before it, counters and points of floats alike, if nobody asks
for it outside: a warp waits there for the branch's condition anyhow, and leaves once. A counter that is asked for
outside is set back on the way there, if the next condition hangs on it (lanes that leave one by one each go that way).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, ends, is_plain, target_of
from minicc.ptxas.liveness import ARITHMETIC, Liveness, analyse
from minicc.ptxas.mir import ZERO, Block, MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, parts_read, parts_written, waits_for_grid, writes
from minicc.ptxas.optimise.ahead import WEAK, stores
from minicc.ptxas.options import Options
from minicc.sass.instr import Imm, Target

_BODY = 128
"""Instructions between head and join, at most: registers are held over them. A logarithm of doubles has 72."""
_WORDS = 8
"""Registers that loads of one head may take."""
_FILL = 24
"""Instructions that are computed before a branch to the long path of a slow operation (with 40 registers run short)."""
_ROOM = 24
"""Live registers behind that branch up to which that may need more of them: otherwise all turns of an unrolled loop
bring theirs before the first one's division, whose routine has 20 more (with 32 a chemical convolution of 14 divisions
of doubles takes 70 registers and 1.28 of nvcc's cycles on the SM model, so 60 and 0.97; of the samples only lbm_like
differs, 1.005)."""
_FEW = 8
"""Instructions that are computed before a branch that leaves a loop."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Move up what may come before a branch."""
    _loads(function)
    _before_leaving(function)


def _before_leaving(function: MFunction) -> None:
    """What follows a branch that leaves a loop comes before it."""
    index = {block.label: i for i, block in enumerate(function.blocks)}
    found = [
        (a, b, function.blocks[index[out]])
        for a, b in itertools.pairwise(function.blocks)
        if 0 < a.loop_depth == b.loop_depth and len(a.succs) == 2 and b.label in a.succs and a.insts and b.insts
        for out in a.succs
        if function.blocks[index[out]].loop_depth < a.loop_depth and _leads(a.insts[-1], out)
    ]
    if not found:
        return
    cfg = Cfg.of(function)
    live = analyse(function, cfg)
    for test, next_, out in found:
        if len(cfg.preds[index[next_.label]]) > 1:
            continue
        masks = live.live_in[index[out.label]].items()
        kept = {(reg, n) for reg, mask in masks for n in range(mask.bit_length()) if mask >> n & 1}
        kept.update(parts_read(test.insts[-1]))
        asked = set(parts_read(next_.insts[-1])) if next_.insts[-1].mnemonic == "BRA" else set()
        pure = {inst for inst in next_.insts if inst.mnemonic in ARITHMETIC}
        steps: dict[Part, tuple[MInst, MInst]] = {}
        moved = _movable(next_.insts, kept, set(), False, pure, ("R", "P"))[:_FEW]
        if not _make(moved, asked):
            steps = _steps(next_.insts)
            more = _movable(next_.insts, kept - steps.keys(), set(), False, pure, ("R", "P"))[:_FEW]
            moved, steps = (more, steps) if _make(more, asked) else (moved, {})
        next_.insts = [inst for inst in next_.insts if inst not in set(moved)]
        test.insts[-1:-1] = moved
        back = [back for part, (inst, back) in steps.items() if part in kept and inst in moved]
        if back:
            _leave_by(function, test, out, back)


def _make(moved: list[MInst], asked: set[Part]) -> bool:
    """Is what is asked for made by some of them?"""
    return not asked.isdisjoint(part for inst in moved for part in parts_written(inst))


def _steps(insts: list[MInst]) -> dict[Part, tuple[MInst, MInst]]:
    """Registers to which a constant is added, and nothing else is done: (the addition, what takes it back)."""
    out: dict[Part, tuple[MInst, MInst]] = {}
    written = Counter(part for inst in insts for part in parts_written(inst))
    for inst in insts:
        if inst.mnemonic != "IADD3" or inst.modifiers or guarded(inst) or len(inst.dsts) != 1:
            continue
        d, constants = inst.dsts[0], [s for s in inst.srcs if isinstance(s, Imm)]
        if isinstance(d, V) and d.reg.width == 1 and len(constants) == 1 and set(inst.srcs) == {d, constants[0], ZERO}:
            less = Imm(-constants[0].bits & 0xFFFFFFFF)
            if written[d.reg.id, 0] == 1:
                out[d.reg.id, 0] = inst, MInst("IADD3", (), (d,), (d, less, ZERO), loc=inst.loc)
    return out


def _leave_by(function: MFunction, test: Block, out: Block, back: list[MInst]) -> None:
    """Who leaves takes back what was added too early."""
    leave = MInst("BRA", (), (), (Target(label=out.label),), side_effect=True)
    block = Block(f"{test.label}_left", [*back, leave], [out.label], out.loop_depth)
    test.insts[-1].srcs = (Target(label=block.label), *test.insts[-1].srcs[1:])
    test.succs = [block.label if label == out.label else label for label in test.succs]
    function.blocks.append(block)


def _leads(inst: MInst, out: str) -> bool:
    """Whether it is a branch on a condition that goes there."""
    return inst.mnemonic == "BRA" and not is_plain(inst) and target_of(inst) == out


def _loads(function: MFunction) -> None:
    """Move loads up, from the last join to the first, so that those of several come to one head."""
    blocks = function.blocks
    cfg = Cfg.of(function)
    live: Liveness | None = None
    for head in reversed(range(len(blocks) - 2)):
        if join := _join(cfg, head):
            _move(function, head, join, range(head + 1, join))
        elif aside := _aside(cfg, head):
            join = head + 1 + _alone(cfg, head + 1)
            _move(function, head, join, (aside,), seldom=True)
            live = live or analyse(function, cfg)
            _fill(function, head, join, aside, live)


def _fill(function: MFunction, head: int, join: int, aside: int, live: Liveness) -> None:
    """Compute what needs nothing of a slow operation before the branch to its long path. What loads move does not
    change what is `live` by much."""
    top, bottom = function.blocks[head].insts, function.blocks[join].insts
    between = [*top[-1:], *function.blocks[aside].insts]
    used = {part for inst in between for part in parts_read(inst)}
    made = {part for inst in between for part in parts_written(inst)}
    wanted = {inst for inst in bottom if inst.mnemonic in ARITHMETIC}
    moved = _movable(bottom, used, made, False, wanted, ("R", "P"))[:_FILL]
    if not moved:
        return
    general = {reg.id for reg in function.vregs if reg.file == "R"}
    there, kept = (_parts(masks[join], general) for masks in (live.live_in, live.live_out))
    moved = moved[: _within(bottom, moved, general, kept | used, max(_ROOM - len(there), 0))]
    gone = set(moved)
    top[-1:-1] = moved
    function.blocks[join].insts = [inst for inst in bottom if inst not in gone]


def _parts(masks: Mapping[int, int], general: Collection[int]) -> set[Part]:
    """The general ones among live parts."""
    return {
        (reg, n) for reg, mask in masks.items() if reg in general for n in range(mask.bit_length()) if mask >> n & 1
    }


def _within(
    bottom: list[MInst], moved: list[MInst], general: Collection[int], kept: Collection[Part], room: int
) -> int:
    """How many of `moved` can leave `bottom` so that at most `room` general registers more are live behind them; `kept`
    are live anyhow."""
    readers = Counter(part for inst in bottom for part in set(parts_read(inst)) - set(kept) if part[0] in general)
    more = found = 0
    for number, inst in enumerate(moved, 1):
        more += sum(part[0] in general for part in parts_written(inst))
        for part in readers.keys() & set(parts_read(inst)):
            readers[part] -= 1
            more -= not readers[part]
        if more <= room:
            found = number
    return found


def _join(cfg: Cfg, head: int) -> int:
    """Where all ways from the head meet, if nobody else comes there or to a block between; 0 if there is no such."""
    blocks = cfg.function.blocks
    if len(cfg.succs[head]) < 2:
        return 0
    join, at, size = max(cfg.succs[head]), head + 1, 0
    while at < join:
        size += len(blocks[at].insts)
        if size > _BODY or not cfg.succs[at] or min(cfg.preds[at], default=-1) < head or max(cfg.preds[at]) >= join:
            return 0
        join, at = max(join, *cfg.succs[at]), at + 1
    if min(cfg.succs[head]) <= head or any(min(cfg.succs[b]) <= b for b in range(head, join)):
        return 0
    if min(cfg.preds[join]) < head or max(cfg.preds[join]) >= join:
        return 0
    return join + _alone(cfg, join)


def _alone(cfg: Cfg, join: int) -> bool:
    """Whether where ways meet is a BSYNC alone, since a BSSY names what comes after it."""
    return len(cfg.function.blocks[join].insts) == 1 and cfg.succs[join] == [join + 1] and cfg.preds[join + 1] == [join]


def _aside(cfg: Cfg, head: int) -> int:
    """The long path of a division, or the like, that a block branches to and that comes back to the next; 0 if there
    is no such."""
    if len(cfg.succs[head]) != 2 or head + 1 not in cfg.succs[head]:
        return 0
    aside = sum(cfg.succs[head]) - head - 1
    alone = cfg.preds[aside] == [head] and cfg.succs[aside] == [head + 1]
    if aside <= head or not alone or set(cfg.preds[head + 1]) != {head, aside}:
        return 0
    insts = cfg.function.blocks[aside].insts
    calm = all((i.mnemonic not in ("CALL", "EXIT") and i.memory in ("", "load")) or _shared(i) for i in insts)
    return aside if calm else 0


def _shared(inst: MInst) -> bool:
    """Whether a routine of ours is called, which leaves memory as it is."""
    return inst.mnemonic == "CALL" and inst.ptx is not None and inst.ptx.opcode != "call"


def _move(function: MFunction, head: int, join: int, sides: Iterable[int], *, seldom: bool = False) -> None:
    """Move the loads at the join that need nothing of what lies between, and what makes their addresses; `seldom`: what
    lies between is a path as `_aside` finds it."""
    top, bottom = function.blocks[head].insts, function.blocks[join].insts
    end = len(top)
    while end and top[end - 1].mnemonic == "BRA":
        end -= 1
    between = top[end:] + [inst for b in sides for inst in function.blocks[b].insts]
    if not seldom and any(inst.mnemonic in ("EXIT", "CALL") or waits_for_grid(inst) for inst in between):
        return
    used = {part for inst in between for part in parts_read(inst)}
    made = {part for inst in between for part in parts_written(inst)}
    if not seldom and not any(inst.mnemonic == "LDG" for inst in between) and not _waits(top[:end], used):
        return
    calm = not any(inst.memory == "barrier" or stores(inst) for inst in between if not seldom)
    wanted = _movable(bottom, used, made, calm, set(bottom))
    needed: set[MInst] = set()
    sources: set[Part] = set()
    for inst in reversed(wanted):
        if inst.mnemonic == "LDG" or not sources.isdisjoint(parts_written(inst)):
            needed.add(inst)
            sources.update(parts_read(inst))
    moved = _movable(bottom, used, made, calm, needed)
    if any(inst.mnemonic == "LDG" for inst in moved):
        gone = set(moved)
        top[end:end] = moved
        function.blocks[join].insts = [inst for inst in bottom if inst not in gone]


def _waits(insts: list[MInst], wanted: set[Part]) -> bool:
    """Whether one of the parts comes of a load."""
    wanted = set(wanted)
    for inst in reversed(insts):
        if not wanted.isdisjoint(parts_written(inst)):
            if inst.mnemonic == "LDG":
                return True
            wanted.update(parts_read(inst))
    return False


def _movable(
    insts: list[MInst], used: set[Part], made: set[Part], calm: bool, among: set[MInst], files: Collection[str] = "R"
) -> list[MInst]:
    """Those of `among` that could as well be made before what reads `used` and writes `made`, in order."""
    used, made = set(used), set(made)
    out: list[MInst] = []
    words = 0
    for inst in insts:
        if ends(inst) or waits_for_grid(inst):
            break
        inputs = parts_read(inst)
        results = parts_written(inst)
        load = inst.mnemonic == "LDG" and WEAK.issuperset(inst.modifiers)
        if (
            inst in among
            and (inst.mnemonic in ARITHMETIC or (load and (calm or "CONSTANT" in inst.modifiers)))
            and not guarded(inst)
            and not inst.hidden
            and not inst.side_effect
            and all(isinstance(w, V) and w.reg.file in files for w in writes(inst))
            and made.isdisjoint(inputs)
            and made.isdisjoint(results)
            and used.isdisjoint(results)
            and (not load or words + len(results) <= _WORDS)
        ):
            out.append(inst)
            words += len(results) if load else 0
            continue
        used.update(inputs)
        made.update(results)
        calm = calm and not stores(inst) and inst.memory != "barrier"
    return out
