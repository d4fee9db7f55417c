"""Loads at the top of a loop are made a round ahead, so that their latency passes beside the round's work.

    loop: addresses of i; LDG v                 addresses of i; LDG w
          STS v; BAR; work; BAR           loop: v = w; i' = i + 1; p' = i' < n; addresses of i'; @p' LDG w
          i = i + 1; p = i < n      ->          STS v; BAR; work; BAR
          @p BRA loop                           i = i'; @p' BRA loop

The loop is left only by the branch at its end. What that branch asks, and what the loads' addresses hang on, is
computed for the next round behind the loads of this one; a load whose round does not come is not executed. It may so
pass barriers of the round before: either it is one that nothing stores to (`LDG.CONSTANT`), or no store to global
memory comes before it. Allocation gives v and w one register where w is loaded after the last use of v.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, ends, falls_through, is_plain, target_of
from minicc.ptxas.mir import TRUE, Block, MFunction, MInst, MOperand, Part, V, VMem, VReg
from minicc.ptxas.operands import guarded, map_operand, parts, parts_read, parts_used, reads, writes
from minicc.ptxas.optimise import dead
from minicc.ptxas.options import Options
from minicc.record import evolve
from minicc.sass.instr import Imm, Target

Place = tuple[int, int]
"""(block, index)"""
Names = Mapping[Part, VReg]
"""Registers in which copies left what a part holds."""

PURE = frozenset({
    "IADD3", "IMAD", "LEA", "SHF", "LOP3", "MOV", "ISETP", "SEL", "PRMT", "IMNMX", "VIMNMX", "SGXT", "PLOP3",
})  # fmt: skip
"""What addresses and counters are made of."""
WEAK = frozenset({"E", "CONSTANT", "U8", "S8", "U16", "S16", "64", "128"})
"""Modifiers of loads that are ordered by barriers only."""
_QUIET = frozenset({"BAR", "BRA", "BREAK", "BSSY", "BSYNC", "EXIT", "NOP", "SHFL", "STL", "STS", "VOTE", "WARPSYNC"})
"""What has a side effect, but none on global memory."""
_MEETINGS = frozenset({"BAR", "NOP", "WARPSYNC"})
"""Where threads meet that may have stored (NOP: a warp that is together anyhow)."""


class _Unfit(Exception):
    """This loop, or this load, stays as it is."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Rotate every loop whose header has loads that can be made ahead."""
    if not any(i.mnemonic == "LDG" for b in function.blocks if b.loop_depth for i in b.insts):
        return
    seen: set[str] = set()
    while _rotated(function, seen):
        pass
    if function.ahead:
        dead.sweep(function)


def _rotated(function: MFunction, seen: set[str]) -> bool:
    """Rotate loops whose labels are not in `seen`; whether some wait, as a loop in or around them has changed."""
    facts = _Facts.of(function)
    touched: set[int] = set()
    entries: list[tuple[int, Block]] = []
    left = False
    uses: Counter[Part] | None = None
    for header, body in facts.cfg.loops():
        label = function.blocks[header].label
        if label in seen:
            continue
        if touched & body:
            left = True
            continue
        seen.add(label)
        try:
            loop = _Loop(function, facts, header, body)
        except _Unfit:
            continue
        if uses is None:
            uses = parts_used(function)
        entry = loop.rotate(uses)
        touched |= body
        if entry is not None:
            entries.append((header, entry))
    for header, entry in sorted(entries, key=lambda e: -e[0]):
        function.blocks.insert(header, entry)
    return left


class _Facts:
    """What several loops ask about the function."""

    def __init__(self, cfg: Cfg, stored: set[int], brought: bool, named: set[str | None]) -> None:
        self.cfg = cfg
        self.stored = stored
        """Blocks that a store to global memory, or what might be as good as one, can come before or is in."""
        self.brought = brought
        """Whether such a store can come before a barrier, which brings it to others wherever they meet this one."""
        self.named = named
        """Labels where convergence barriers are."""

    @classmethod
    def of(cls, function: MFunction) -> _Facts:
        cfg = Cfg.of(function)
        stored: set[int] = set()
        named: set[str | None] = set()
        meetings: set[int] = set()
        for b, block in enumerate(function.blocks):
            for inst in block.insts:
                if stores(inst):
                    stored.add(b)
                if inst.mnemonic == "BSSY":
                    named.add(target_of(inst))
                elif inst.mnemonic in _MEETINGS:
                    meetings.add(b)
        stack = list(stored)
        while stack:
            for s in cfg.succs[stack.pop()]:
                if s not in stored:
                    stored.add(s)
                    stack.append(s)
        return cls(cfg, stored, bool(stored & meetings), named)


def stores(inst: MInst) -> bool:
    """Whether global memory may be another after the instruction."""
    if inst.memory in ("store", "atomic", "fence") and inst.space not in ("shared", "local"):
        return True
    if inst.mnemonic == "CALL" or inst.implicit_writes or "STRONG" in inst.modifiers:
        return True
    return inst.side_effect and inst.mnemonic not in _QUIET


class _Loop:
    """A natural loop that is left by the branch at its end only, and what of it is made ahead. Raises `_Unfit`; nothing
    is changed before `rotate`."""

    def __init__(self, function: MFunction, facts: _Facts, header: int, body: set[int]) -> None:
        self.function, self.facts, self.header, self.body = function, facts, header, body
        self.cfg, self.blocks = facts.cfg, function.blocks
        self.top = self.blocks[header].insts
        if not any(i.mnemonic == "LDG" for i in self.top):
            raise _Unfit
        self.latch, self.branch, self.again = self._end()
        self.defs: dict[Part, list[Place]] = {}
        meets = False
        for b in sorted(body):
            for i, inst in enumerate(self.blocks[b].insts):
                if inst.implicit_writes or inst.mnemonic == "CALL" or (inst.mnemonic != "BRA" and ends(inst)):
                    raise _Unfit
                if inst.memory == "fence" or (inst.memory == "barrier" and inst.mnemonic not in ("BAR", "NOP")):
                    raise _Unfit
                if inst.side_effect and not inst.memory and inst.mnemonic not in _QUIET:
                    raise _Unfit
                meets |= inst.mnemonic in _MEETINGS
                for w in writes(inst):
                    for part in parts(w):
                        self.defs.setdefault(part, []).append((b, i))
        self.calm = header not in facts.stored and not (meets and facts.brought)
        """Whether no store to global memory can come before a load of the loop: in the thread itself or, if the loop
        has barriers, in another one that meets it at a barrier elsewhere, as a warp does that makes what this one uses.
        """
        self.carried: dict[int, VReg] = {}
        """The register in which the next round's load leaves what a register of this one gets."""
        self.loads: list[int] = []
        """Indices in `top` of the loads that are made ahead."""
        self.cut = 0
        """Index in `top` before which the next round's are put."""
        for i in self._worth(list(self._candidates())):
            try:
                self.cut = i + 1
                self._ahead([i])
                self.loads.append(i)
            except _Unfit:
                continue
        if not self.loads:
            raise _Unfit
        self.cut = self.loads[-1] + 1
        self.carried = {d.reg.id: function.new("R", d.reg.width, d.reg.hint) for d in map(self._result, self.loads)}
        self.made = self._ahead(self.loads)
        self.before = self._preheader()

    def _end(self) -> tuple[int, MInst, V]:
        """The block of the branch back, the branch, and its guard."""
        latches = [p for p in self.cfg.preds[self.header] if p in self.body]
        last = self.blocks[latches[0]].insts[-2:]
        if len(latches) != 1 or not last:
            raise _Unfit
        end = last[0] if last[-1].mnemonic == "BRA" and is_plain(last[-1]) else last[-1]
        if end.mnemonic != "BRA" or len(end.srcs) != 1 or not isinstance(end.guard, V):
            raise _Unfit
        if end.guard.reg.file != "P" or target_of(end) != self.blocks[self.header].label:
            raise _Unfit
        if any(i.mnemonic == "BRA" and i not in last for i in self.blocks[latches[0]].insts) or (
            end is last[-1] and last[0].mnemonic == "BRA" and last[0] is not end
        ):
            raise _Unfit
        for b in self.body:
            inside = {s for s in self.cfg.succs[b] if s in self.body}
            if inside != ({self.header} if b == latches[0] else set(self.cfg.succs[b])):
                raise _Unfit
        return latches[0], end, end.guard

    def _candidates(self) -> Iterator[int]:
        """Loads at the top that may be made earlier."""
        for i, inst in enumerate(self.top):
            if inst.mnemonic != "LDG" or inst.side_effect or not WEAK.issuperset(inst.modifiers):
                continue
            if "CONSTANT" not in inst.modifiers and not self.calm:
                continue
            d = inst.dsts[0]
            if len(inst.dsts) == 1 and isinstance(d, V) and d.count == d.reg.width:
                yield i

    def _worth(self, loads: list[int]) -> list[int]:
        """Those of the loads that are worth it: all where a barrier makes every warp wait for them, else those whose
        results are addresses of others. Warps without barriers hide each other's latencies, and what is carried costs a
        move and a register: a loop of kmeans that loads 16 values and adds them takes 1.07 to 1.49 of its time on an
        H200, a saxpy of few elements 1.18."""
        if any(inst.memory == "barrier" for b in self.body for inst in self.blocks[b].insts):
            return loads
        feeds: dict[int, set[int]] = {}
        """Loads of which registers are made, by their ids."""
        addresses: set[int] = set()
        for i, inst in enumerate(self.top):
            for operand in (*inst.srcs, *inst.dsts):
                if isinstance(operand, VMem) and isinstance(operand.base, V):
                    addresses |= feeds.get(operand.base.reg.id, set())
            found = {i} if i in loads else set()
            if not inst.memory:
                found.update(*(feeds.get(r.reg.id, ()) for r in reads(inst) if isinstance(r, V)))
            for w in writes(inst):
                if isinstance(w, V) and found:
                    feeds.setdefault(w.reg.id, set()).update(found)
        return [i for i in loads if i in addresses]

    def _order(self, place: Place) -> tuple[int, int]:
        """Where in a round; places in blocks between header and latch are in no order."""
        return 0 if place[0] == self.header else 2 if place[0] == self.latch else 1, place[1]

    def _result(self, i: int) -> V:
        d = self.top[i].dsts[0]
        assert isinstance(d, V)
        return d

    def _needs(self, i: int, last: int | None = None) -> set[int]:
        """The instructions at the top of the loop that the `i`-th needs, itself included; `last`: the guarded one that
        follows it as the only other writer of its result."""
        inst = self.top[i]
        found = {i}
        for w in writes(inst):
            if not isinstance(w, V) or w.reg.file not in ("R", "P"):
                raise _Unfit
            for b, at in {place for part in parts(w) for place in self.defs[part]} - {(self.header, i)}:
                if b != self.header or (at > i and at != last):
                    raise _Unfit
                if at < i:
                    between = self.top[at + 1 : i]
                    if not guarded(inst) or any(r.reg is w.reg for x in between for r in reads(x) if isinstance(r, V)):
                        raise _Unfit
                    found |= self._pure(at, i)
        for r in reads(inst):
            for part in parts(r):
                early = [at for b, at in self.defs.get(part, ()) if b == self.header and at < i]
                if early and len(early) != len(self.defs[part]):
                    raise _Unfit
                for at in early:
                    found |= self._pure(at)
        return found

    def _pure(self, i: int, last: int | None = None) -> set[int]:
        inst = self.top[i]
        if inst.mnemonic not in PURE or inst.hidden:
            raise _Unfit
        return self._needs(i, last)

    def _ahead(self, loads: list[int]) -> list[MInst]:
        """Copies that make these loads for the next round, for the place of `cut`; `self.known` and `self.asked` get
        what they know of the end of this round."""
        out: list[MInst] = []
        late: dict[Part, VReg] = {}
        """What a part will hold at the end of the round, where it does not hold it at `cut` already."""
        self.known: dict[Place, MInst] = {}

        def early(place: Place) -> bool:
            return place[0] == self.header and place[1] < self.cut

        def at_end(part: Part) -> bool:
            """Whether the part changes between `cut` and the end of the round; then `late` knows it."""
            places = self.defs.get(part, [])
            if part in late or not places or all(map(early, places)):
                return part in late
            b, i = places[0]
            inst = self.blocks[b].insts[i]
            if len(places) > 1 or b not in (self.header, self.latch) or inst.mnemonic not in PURE:
                raise _Unfit
            targets = [part for w in inst.dsts for part in parts(w)]
            if guarded(inst) or inst.hidden or any(len(self.defs[part]) > 1 for part in targets):
                raise _Unfit
            names: dict[Part, VReg] = {}
            for r in reads(inst):
                for source in parts(r):
                    others = self.defs.get(source, [])
                    # What is written only later holds the value of the round before.
                    if not all(self._order(p) >= self._order((b, i)) for p in others) and at_end(source):
                        names[source] = late[source]
            out.append(self.known.setdefault((b, i), self._copy(inst, names, late)))
            return True

        for part in parts(self.again):
            at_end(part)
        self.asked = _renamed(self.again, late)
        top: dict[Part, VReg] = {}
        for i in sorted(set().union(*map(self._needs, loads))):
            names = {}
            for r in reads(self.top[i]):
                for part in parts(r):
                    if any(b == self.header and at < i for b, at in self.defs.get(part, ())):
                        names[part] = top[part]
                    elif at_end(part):
                        names[part] = late[part]
            copy = self._copy(self.top[i], names, top)
            if i in loads:
                out += self._narrow(copy)
            out.append(copy)
        return out

    def _narrow(self, load: MInst) -> list[MInst]:
        """Let the load be executed only if there is a next round; what its guard takes."""
        if not guarded(load):
            load.guard = self.asked
            return []
        both = V(self.function.new("P"))
        sources = (load.guard, self.asked, TRUE, Imm(0x80, "uint"), Imm(0, "uint"))
        load.guard = both
        return [MInst("PLOP3", ("LUT",), (both, TRUE), sources, loc=load.loc)]

    def _copy(self, inst: MInst, names: Names, into: dict[Part, VReg]) -> MInst:
        """A copy that reads what `names` has, and writes registers of its own (or what a load is carried in), which
        `into` gets."""
        own: dict[int, VReg] = {reg: v for (reg, _), v in into.items()}
        for w in inst.dsts:
            if isinstance(w, V):
                reg = (
                    self.carried.get(w.reg.id)
                    or own.get(w.reg.id)
                    or self.function.new(w.reg.file, w.reg.width, w.reg.hint)
                )
                into.update(dict.fromkeys(parts(w), reg))
        dsts = tuple(_renamed(d, into) for d in inst.dsts)
        srcs = tuple(map_operand(s, lambda v: _renamed(v, names)) for s in inst.srcs)
        copy = MInst(inst.mnemonic, inst.modifiers, dsts, srcs, _renamed(inst.guard, names), inst.loc, inst.ptx)
        copy.memory, copy.space = inst.memory, inst.space
        return copy

    def _preheader(self) -> Block | None:
        """The block from which the loop is entered, if that leads nowhere else; None if there is room for a new one."""
        outside = [self.blocks[p] for p in self.cfg.preds[self.header] if p not in self.body]
        head = self.blocks[self.header]
        if len(outside) == 1 and outside[0].succs == [head.label]:
            last = outside[0].insts[-1] if outside[0].insts else None
            if last is None or not ends(last) or (last.mnemonic == "BRA" and is_plain(last)):
                return outside[0]
        if head.label in self.facts.named:
            raise _Unfit
        if self.header and self.header - 1 in self.body and falls_through(self.blocks[self.header - 1]):
            raise _Unfit
        return None

    def _enter(self) -> Block:
        """A new block before the header, through which the loop is entered."""
        head = self.blocks[self.header]
        new = Block(f"{head.label}_ahead", [], [head.label], max(head.loop_depth - 1, 0))
        for block in (self.blocks[p] for p in self.cfg.preds[self.header] if p not in self.body):
            block.succs = [new.label if s == head.label else s for s in block.succs]
            for inst in block.insts:
                if target_of(inst) == head.label:
                    inst.srcs = tuple(Target(label=new.label) if isinstance(s, Target) else s for s in inst.srcs)
        return new

    def rotate(self, uses: Counter[Part]) -> Block | None:
        """Make the first round's loads before the loop, and in each round those of the next; `uses`: how often parts
        were read before. Gives the block that the function must get before the header, if it takes one."""
        first = self._first()
        entry = None if self.before else self._enter()
        before = self.before or entry
        assert before is not None
        at = len(before.insts) - (1 if before.insts and before.insts[-1].mnemonic == "BRA" else 0)
        before.insts[at:at] = first
        # What is known of the end of the round is not computed again.
        known = Counter(p for b, i in self.known for p in parts_read(self.blocks[b].insts[i]))
        for (b, i), copy in self.known.items():
            inst = self.blocks[b].insts[i]
            (d, *more), made = inst.dsts, copy.dsts[0]
            if any(uses[p] > known[p] for carry in more for p in parts(carry)):
                continue
            if isinstance(d, V) and isinstance(made, V) and d.reg.file == "R" and d.count == 1:
                self.blocks[b].insts[i] = MInst("MOV", (), (d,), (made,), loc=inst.loc)
        replaced = {at for i in self.loads for _, at in self.defs[self._result(i).reg.id, 0]}
        out: list[MInst] = []
        for i, inst in enumerate(self.top):
            if i == self.cut:
                out += self.made
            if i in self.loads:
                d = self._result(i)
                held = self.carried[d.reg.id]
                out += [MInst("MOV", (), (V(d.reg, p),), (V(held, p),), loc=inst.loc) for p in range(d.count)]
            elif i not in replaced:
                out.append(inst)
        self.blocks[self.header].insts = out
        self.branch.guard = self.asked
        self.function.ahead.update(i for i in (*first, *self.made) if i.mnemonic == "LDG")
        return entry

    def _first(self) -> list[MInst]:
        """Copies that make the first round's loads, before the loop."""
        out: list[MInst] = []
        top: dict[Part, VReg] = {}
        for i in sorted(set().union(*map(self._needs, self.loads))):
            names: dict[Part, VReg] = {}
            for r in reads(self.top[i]):
                for part in parts(r):
                    if any(b == self.header and at < i for b, at in self.defs.get(part, ())):
                        names[part] = top[part]
            out.append(self._copy(self.top[i], names, top))
        return out


def _renamed(operand: MOperand, names: Names) -> Any:
    """The operand with the register that `names` has for its parts."""
    if not isinstance(operand, V):
        return operand
    found = {names.get(part) for part in parts(operand)}
    if len(found) > 1:
        raise _Unfit
    (reg,) = found
    return operand if reg is None else evolve(operand, reg=reg)
