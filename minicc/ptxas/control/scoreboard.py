"""Scoreboards: which variable-latency instruction sets which of the six, and who waits for what.

A result of variable latency is in its register when the instruction's write barrier says so; its sources may be
overwritten when its read barrier does (or the write barrier, which comes later). Scoreboards are counters: one that
several instructions share is waited for until all of them are done.

Choice is greedy in program order: results that are first needed by the same instruction share; else a scoreboard with
nothing in flight; else the one of the same kind of instruction that is needed nearest. Waits are found by a forward
data flow of "may be in flight" over the blocks, so that what crosses a branch is waited for exactly where it is used.
"""

from __future__ import annotations

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.operands import BASE
from minicc.ptxas.timing import IN_ORDER, Footprint

COUNT = 6
NONE = 7
_FAR = 1 << 20
LEAVES = frozenset({"CALL", "RET"})
"""Other code follows, which knows nothing of what is under way here."""
_FIRST_PREDICATE = BASE["P"]
_QUEUES = {
    **dict.fromkeys("LDS STS ATOMS LDG STG LD ST LDL STL REDG RED".split(), 1),
    **dict.fromkeys(("MUFU", "POPC", "FLO", "BREV", "I2F", "F2I", "F2F", "FRND"), 2),
}
"""Instructions of one queue read their registers in order, so that a later one may overwrite what an earlier one reads
(nvcc's code relies on it: `LDG R5, [R4]; LDG R4, [R4+4]` has no read barrier; the XU pipe takes one instruction at a
time). For the same reason the read barrier of a later one announces the reads of those before it. 0: on its own."""
_LATENCY = {"read": 15, "xu": 18, "ldg": 400}
_USUAL = 25
"""Rough cycles until a scoreboard of a kind clears, and of a kind that is not named."""
_QUEUE = 1 << 12
"""Keys of `_State.read` are key + queue * _QUEUE."""


class Marks:
    """What the control field of one instruction will hold."""

    def __init__(self, wbar: int = NONE, rbar: int = NONE, wait: int = 0, chosen: bool = False) -> None:
        self.wbar, self.rbar, self.wait, self.chosen = wbar, rbar, wait, chosen


class _State:
    """Physical keys in flight: `written` by, and `read` by, instructions under the scoreboards of a bit mask."""

    def __init__(
        self,
        written: dict[int, int] | None = None,
        read: dict[int, int] | None = None,
        shared: int = 0,
        elsewhere: int = 0,
    ) -> None:
        self.written: dict[int, int] = {} if written is None else written
        self.read: dict[int, int] = {} if read is None else read
        self.shared, self.elsewhere = shared, elsewhere
        """Scoreboards of loads that a CTA barrier does not overtake, for which other barriers and fences wait, and of
        others that may be from shared memory, for which all do."""

    def copy(self) -> _State:
        return _State(dict(self.written), dict(self.read), self.shared, self.elsewhere)

    def merge(self, other: _State) -> bool:
        """Union; whether anything was new."""
        before = self.shared, self.elsewhere
        self.shared |= other.shared
        self.elsewhere |= other.elsewhere
        changed = before != (self.shared, self.elsewhere)
        for mine, theirs in ((self.written, other.written), (self.read, other.read)):
            for key, mask in theirs.items():
                old = mine.get(key, 0)
                if mask & ~old:
                    mine[key] = old | mask
                    changed = True
        return changed

    def clear(self, mask: int) -> None:
        keep = ~mask
        for table in (self.written, self.read):
            for key in [k for k, m in table.items() if m & mask]:
                left = table[key] & keep
                if left:
                    table[key] = left
                else:
                    del table[key]
        self.shared &= keep
        self.elsewhere &= keep

    def busy(self) -> int:
        mask = 0
        for value in self.written.values():
            mask |= value
        for value in self.read.values():
            mask |= value
        return mask


class _Needs:
    """Of one instruction: index in its block at which the result is first touched, at which a source is first
    overwritten (`_FAR`: not in this block), and whether a source is overwritten anywhere later at all; `first`: before
    the result is touched, here or in a block that follows. `covered`: a later instruction of its queue announces that
    its sources have been read."""

    def __init__(self, result: int = _FAR, overwrite: int = _FAR, later: bool = False, covered: bool = False) -> None:
        self.result, self.overwrite, self.later, self.covered = result, overwrite, later, covered
        self.first = False


class _Start:
    """Where a block first writes and first touches each key, and first sets each scoreboard: (index, latency)."""

    def __init__(self, prints: list[Footprint]) -> None:
        self.sets: dict[int, tuple[int, int]] = {}
        self.writes: dict[int, int] = {}
        self.touches: dict[int, int] = {}
        for i, print_ in enumerate(prints):
            for key, _ in print_.reads:
                self.touches.setdefault(key, i)
            for key, _ in print_.writes:
                self.touches.setdefault(key, i)
                self.writes.setdefault(key, i)

    def chosen(self, k: int, i: int, latency: int) -> None:
        """Instruction `i` sets scoreboard `k`."""
        self.sets.setdefault(k, (i, latency))

    def due(self, state: _State) -> list[int]:
        """Where each scoreboard that is under way before the block is first waited for."""
        out = [_FAR] * COUNT
        for table, first in ((state.written, self.touches), (state.read, self.writes)):
            for key, mask in table.items():
                at = first.get(key % _QUEUE, _FAR)
                for k in range(COUNT) if at != _FAR else ():
                    if mask >> k & 1:
                        out[k] = min(out[k], at)
        return out

    def loss(self, at: int, k: int) -> int:
        """Cycles about that a wait of instruction `at` for what was under way before takes longer since `k` was set."""
        i, latency = self.sets.get(k, (_FAR, 0))
        return max(latency - (at - i), 0) if i < at else 0


def announces(print_: Footprint) -> bool:
    """Whether a write barrier would ever be released: it takes a result in a general, uniform or predicate register.
    BMOV to a convergence barrier has none; with a write barrier it hung an H200 at the next wait."""
    return any(not BASE["B"] <= key < BASE["SB"] for key, _ in print_.writes)


def _block_needs(
    insts: list[MInst], prints: list[Footprint], overwritten_after: set[int], following: list[_Start]
) -> list[_Needs | None]:
    """`following` are the blocks that may come next."""
    touch: dict[int, int] = {}
    write: dict[int, tuple[int, int]] = {}  # key -> (index, queue) of the next writer
    leaves = _FAR  # index of the next CALL or RET: other code may write anything
    out: list[_Needs | None] = [None] * len(prints)
    announcer: dict[int, int] = {}  # queue -> where the next read barrier of it is waited for
    for i in range(len(prints) - 1, -1, -1):
        print_ = prints[i]
        queue = _QUEUES.get(insts[i].mnemonic, 0)
        if print_.timing.variable:
            needs = _Needs()
            for key, _ in print_.writes:
                needs.result = min(needs.result, touch.get(key, _FAR))
            own = {key for key, _ in print_.writes}
            for key, _ in print_.reads:
                if key < _FIRST_PREDICATE and key not in own:
                    writer = write.get(key)
                    if writer is not None:
                        if not writer[1] or writer[1] != queue:
                            needs.overwrite = min(needs.overwrite, writer[0])
                            needs.later = True
                    elif key in overwritten_after:
                        needs.later = True
                        needs.first = needs.first or any(
                            key in block.writes
                            and block.writes[key] < min((block.touches.get(k, _FAR) for k in own), default=_FAR)
                            for block in following
                        )
            if leaves != _FAR and any(key < _FIRST_PREDICATE for key, _ in print_.reads):
                needs.overwrite = min(needs.overwrite, leaves)
                needs.later = True
            needs.first = needs.overwrite < needs.result or (needs.first and needs.result == _FAR)
            if needs.later and queue and (needs.first or not print_.writes):
                # Only by one that is waited for no later anyway.
                needs.covered = announcer.get(queue, _FAR) <= needs.overwrite < _FAR
                if not needs.covered and not print_.guarded:
                    announcer[queue] = needs.overwrite
            out[i] = needs
        if insts[i].control.rbar != NONE or insts[i].control.wbar != NONE:
            announcer.clear()  # barriers that are preset are not for us
        if insts[i].mnemonic in LEAVES:
            leaves = i
        for key, _ in print_.reads:
            touch[key] = i
        for key, _ in print_.writes:
            touch[key] = i
            # A guarded writer may leave the register to the next one, of whatever queue.
            write[key] = (i, 0 if print_.guarded else queue)
    return out


def _written_from(function: MFunction, cfg: Cfg, prints: list[list[Footprint]]) -> list[set[int]]:
    """Per block, keys that may be written after it."""
    own = [{key for p in block for key, _ in p.writes if key < _FIRST_PREDICATE} for block in prints]
    for block, mine in zip(function.blocks, own, strict=True):
        if any(inst.mnemonic in LEAVES for inst in block.insts):
            mine.update(range(_FIRST_PREDICATE))
    after: list[set[int]] = [set() for _ in own]
    changed = True
    while changed:
        changed = False
        for b in reversed(cfg.rpo):
            size = len(after[b])
            for s in cfg.succs[b]:
                after[b] |= own[s]
                after[b] |= after[s]
            changed = changed or len(after[b]) != size
    return after


def assign(function: MFunction, cfg: Cfg, prints: list[list[Footprint]]) -> list[list[Marks]]:
    """Barriers and waits of every instruction. Barriers preset in `MInst.control` (asynchronous copies that DEPBAR
    counts) are kept, and their scoreboards used for nothing else."""
    marks = [[Marks() for _ in block] for block in prints]
    reserved = 0
    for b, block in enumerate(function.blocks):
        for i, inst in enumerate(block.insts):
            control = inst.control
            for bar in (control.wbar, control.rbar):
                if bar != NONE:
                    reserved |= 1 << bar
            if control.wbar != NONE or control.rbar != NONE:
                marks[b][i] = Marks(control.wbar, control.rbar, 0, True)
            marks[b][i].wait = control.wait
    preset_waits = [[m.wait for m in block] for block in marks]
    pool = [k for k in range(COUNT) if not reserved >> k & 1]
    after = _written_from(function, cfg, prints)
    needs: list[list[_Needs | None] | None] = [None] * len(prints)
    starts = [_Start(block) for block in prints]
    walked: set[int] = set()
    """Blocks that have been: of a loop's end, the loop has."""
    entry = [_State() for _ in prints]
    queued = set(cfg.rpo)
    order = {b: n for n, b in enumerate(cfg.rpo)}
    work = list(cfg.rpo)
    while work:
        for b in work:
            queued.discard(b)
            found = needs[b]
            if found is None:
                following = [starts[s] for s in cfg.succs[b]]
                found = needs[b] = _block_needs(function.blocks[b].insts, prints[b], after[b], following)
                walked.add(b)
            state = entry[b].copy()
            behind = [starts[s] for s in cfg.succs[b] if s in walked]
            _walk(function, b, prints[b], marks[b], preset_waits[b], found, state, pool, starts[b], behind)
            for s in cfg.succs[b]:
                if entry[s].merge(state):
                    queued.add(s)
        work = sorted(queued, key=order.__getitem__)
        queued = set(work)
    return marks


def _walk(
    function: MFunction,
    b: int,
    prints: list[Footprint],
    marks: list[Marks],
    preset: list[int],
    needs: list[_Needs | None],
    state: _State,
    pool: list[int],
    start: _Start,
    behind: list[_Start],
) -> None:
    """Transfer of one block: sets waits, and barriers where they are not chosen yet; `behind` are those of the blocks
    that follow it whose barriers are."""
    insts = function.blocks[b].insts
    chooser = _Chooser(state, start, behind)
    unannounced: dict[int, list[int]] = {}
    early: list[int] = []
    if function.ahead and len(pool) > 2 and any(inst in function.ahead for inst in insts):
        # Who waits for a result of this round shall not wait for one of the next.
        early, pool = pool[:1], pool[1:]
    slow = pool
    if len(pool) > 2 and _mixed(prints, needs):
        slow = pool[:-1]  # one is left for what is soon done
    for i, print_ in enumerate(prints):
        mark, need = marks[i], needs[i]
        mark.wait = wait = preset[i] | _awaited(insts[i], print_, state)
        if wait:
            state.clear(wait)
            chooser.waited(wait)
        if need is None:
            continue
        if not mark.chosen:
            mark.chosen = True
            kind = print_.timing.arrival
            if announces(print_):
                apart = early if early and insts[i] in function.ahead else slow if kind == "ldg" else pool
                mark.wbar = chooser.choose(i, need.result, kind, print_.writes, apart)
            elif print_.writes and any(key < _FIRST_PREDICATE for key, _ in print_.reads):
                # Done when its source has been read.
                mark.rbar = chooser.choose(i, need.result, "read", print_.writes, pool)
            if mark.rbar == NONE and need.later and (need.first or not print_.writes) and not need.covered:
                # The write barrier's own scoreboard is no good here: it would wait for the result.
                busy_pool = [k for k in pool if k != mark.wbar] or pool
                mark.rbar = chooser.choose(i, need.overwrite, "read", print_.reads, busy_pool)
        _announce(insts[i], print_, mark, need, state, unannounced)


def _awaited(inst: MInst, print_: Footprint, state: _State) -> int:
    """The scoreboards that an instruction has to wait for."""
    wait = 0
    written, read = state.written, state.read
    if written:
        for key, _ in print_.reads:
            wait |= written.get(key, 0)
    if written or read:
        own_queue = _QUEUES.get(inst.mnemonic, 0)
        for key, _ in print_.writes:
            wait |= written.get(key, 0) | read.get(key, 0)
            for queue in (1, 2):
                if queue != own_queue:
                    wait |= read.get(key + queue * _QUEUE, 0)
    # A NOP stands for the barrier of a warp that is together, whose accesses come in order anyhow.
    if inst.memory in ("barrier", "fence") and inst.mnemonic != "NOP":
        wait |= state.elsewhere if inst.mnemonic == "BAR" else state.shared | state.elsewhere
    return wait | state.busy() if inst.mnemonic in LEAVES else wait


def _announce(
    inst: MInst, print_: Footprint, mark: Marks, need: _Needs, state: _State, unannounced: dict[int, list[int]]
) -> None:
    """Note in the state what the scoreboards of an instruction tell of; `unannounced` has, by queues, registers whose
    reads a later instruction of their queue tells of."""
    told = mark.wbar if announces(print_) else mark.rbar
    if told != NONE and print_.writes:
        bit = 1 << told
        for key, _ in print_.writes:
            state.written[key] = state.written.get(key, 0) | bit
        if inst.memory in ("load", "atomic") and inst.space in ("shared", "generic", ""):
            if inst.mnemonic in IN_ORDER:
                state.shared |= bit
            else:
                state.elsewhere |= bit
    guard = mark.rbar if mark.rbar != NONE else mark.wbar
    if (guard == NONE and not need.covered) or not need.later:
        return
    number = _QUEUES.get(inst.mnemonic, 0)
    own = {key for key, _ in print_.writes} if mark.rbar == NONE else set()
    keys = [key + number * _QUEUE for key, _ in print_.reads if key < _FIRST_PREDICATE and key not in own]
    if need.covered:
        unannounced.setdefault(number, []).extend(keys)
        return
    if mark.rbar != NONE and not print_.guarded:
        keys += unannounced.pop(number, ())
    for key in keys:
        state.read[key] = state.read.get(key, 0) | 1 << guard


def _mixed(prints: list[Footprint], needs: list[_Needs | None]) -> bool:
    """Whether a block has results of global memory, and others or read barriers."""
    far = near = False
    for print_, need in zip(prints, needs, strict=True):
        if need is None:
            continue
        if print_.writes and print_.timing.arrival == "ldg":
            far = True
        elif print_.writes:
            near = True
        near = near or (need.later and not need.covered and (need.first or not print_.writes))
    return far and near


def _slower(a: str, b: str) -> str:
    return a if a and _LATENCY.get(a, _USUAL) > _LATENCY.get(b, _USUAL) else b


class _Chooser:
    """Chooses the scoreboards of one block, in order."""

    def __init__(self, state: _State, start: _Start, behind: list[_Start]) -> None:
        self.state, self.start, self.behind = state, start, behind
        self.due = start.due(state)
        self.need_at = [_FAR] * COUNT
        """Who waits first for each of those that are under way."""
        self.kinds = [""] * COUNT
        self.last = [0] * COUNT
        """Who set each last."""

    def waited(self, mask: int) -> None:
        for k in range(COUNT):
            if mask >> k & 1:
                self.need_at[k], self.kinds[k] = _FAR, ""

    def choose(self, at: int, need: int, kind: str, keys: list[tuple[int, str]], pool: list[int]) -> int:
        """The scoreboard for what instruction `at` sets and `need` waits for: the one that costs least, in cycles
        about. Whoever waits first for a shared one also waits for the other's result. `keys` are what is waited for: in
        blocks behind this one, if they are not needed here."""
        busy = self.state.busy()
        mine = _LATENCY.get(kind, _USUAL)
        later: list[tuple[_Start, int]] = []
        for start in self.behind if need == _FAR else ():
            first = start.writes if kind == "read" else start.touches
            later.append((start, min((first[key] for key, _ in keys if key in first), default=0)))

        def cost(k: int) -> tuple[int, int]:
            loss = max((start.loss(index, k) for start, index in later), default=0)
            if not self.kinds[k]:
                if not busy >> k & 1:
                    return max(1, loss), k if mine > 100 else -k
                # Set before this block, and not waited for since: likely done. What is soon done takes the last ones.
                ours = mine - (self.due[k] - at) if self.due[k] < need else 0
                return max(8, ours, loss), k if mine > 100 else -k
            first, theirs = self.need_at[k], _LATENCY.get(self.kinds[k], _USUAL)
            if need == first and self.kinds[k] == kind and need != _FAR:
                return 0, k
            if self.kinds[k] == kind:
                # Of one kind, they come back in order or nearly so.
                stray = 4 if mine > 100 else 0
                if need <= first:
                    return max(stray, loss), k
                return max(stray + min(max(mine - (first - at), 0), at - self.last[k]), loss), k
            if need <= first:
                return 10 + max(theirs - (need - self.last[k]) if need != _FAR else 0, loss), k
            return 10 + max(mine - (first - at), loss), k

        chosen = min(pool, key=cost)
        self.need_at[chosen] = min(self.need_at[chosen], need)
        self.kinds[chosen] = _slower(self.kinds[chosen], kind)
        self.last[chosen] = at
        self.start.chosen(chosen, at, mine)
        return chosen
