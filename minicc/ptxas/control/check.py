"""A static checker of control codes: does every read of a register find its value, on all paths?

Works on finished code, whoever made it: decoded instructions, their declared effects (`minicc.sass.effects`) and the
arch's minimum distances. Per instruction and path it knows the least number of cycles since each fixed-latency result
was issued, and which scoreboards announce each variable-latency result or late read that may be under way. It reports
instruction pairs:

    raw     a result is read too soon after its producer
    waw     a result is overwritten too soon after its producer (the older one may land later)
    war     a source is overwritten before it has been read
    wait    a variable-latency result is read or overwritten without a wait on its scoreboard
    late    a source of a variable-latency instruction is overwritten without a wait on its read barrier
    group   a register of a warpgroup multiply under way is touched before WARPGROUP.DEPBAR has waited for its group,
            or one that it adds to after WARPGROUP.ARRIVE: the other warps' multiplies may have begun with it
    setup   a scoreboard is waited for less than two cycles after the instruction that sets it
    control a stall or barrier field that the hardware does not take
    align   a group of registers that does not begin where the hardware takes it
    reuse   the operand cache serves a register that has been written since, or half a pair (see `kept`)
    pairing BSYNC of a convergence barrier that no BSSY on some path has set

It errs on the side of silence where hardware keeps its own order (memory instructions of one queue) and of noise
nowhere: NVIDIA's code must pass.
"""

from __future__ import annotations

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas.control import kept
from minicc.ptxas.mir import GMMA
from minicc.ptxas.operands import BASE, key_name
from minicc.ptxas.timing import Distances
from minicc.record import evolve
from minicc.sass import Effects, decode, effects
from minicc.sass.instr import Imm, Instr, Mem, Name, Reg, Target

SIZE = 16
_DEPBAR_STALL = 4
_CLUSTER = {("CGAERRBAR", "UCGABAR_ARV"): 8, ("UCGABAR_ARV", "UCGABAR_WAIT"): 6}
"""Least stall of the first of two neighbours: what nvcc leaves (with 4 for 6 an H200's warps come through early)."""
_INVALIDATE_STALL = 4
_SHARED = frozenset({"LDS", "STS", "LDSM", "STSM", "ATOMS", "SYNCS"})
"""What L1's tags are not asked for: it may follow an invalidation of them at once."""
_WIDEST = 8
"""Groups begin at multiples of their size, the largest at multiples of this."""
_ACCUMULATORS = 4
"""Those of warpgroup multiplies at multiples of this (NVIDIA's ptxas has 64 of them from R188 on)."""
_OLD = 40
"""Cycles after which every fixed-latency result has landed."""
_CACHED = frozenset({"LDG", "LD", "LDL", "LDC", "ATOM", "ATOMG", "TXQ", "SUATOM"})
"""Loads that may hit or miss: a later one may be first."""
_TEXTURES = frozenset({"TEX", "TLD", "TLD4", "TXD", "TMML", "SULD"})
"""They answer in order, each other only; NVIDIA's DEPBAR counts loads of surfaces with them."""
_COUNTED = (_TEXTURES, frozenset({"DMMA"}))
"""What of the same set answers in order, so that DEPBAR tells by their number which are there."""
_DOUBLES = frozenset({"DADD", "DMUL", "DFMA", "DSETP"})
_ANSWERS = (frozenset({"LDS", "LDSM", "SHFL"}), frozenset({"S2R", "S2UR"}), _DOUBLES, *_COUNTED)
_ENDS = frozenset({"BRA", "EXIT", "RET", "JMP", "BRX", "JMX", "BRXU", "JMXU", "KILL"})


@attrs.frozen
class Problem:
    """`kind` as above; `first` and `second` are byte offsets of the instructions (equal if only one is involved)."""

    kind: str
    first: int
    second: int
    text: str

    def __str__(self) -> str:
        return f"{self.first:#06x} -> {self.second:#06x}: {self.kind}: {self.text}"


@attrs.define(eq=False)
class _Node:
    instr: Instr
    found: Effects
    reads: list[tuple[int, str]]
    writes: list[tuple[int, str]]
    guarded: bool


Pending = dict[tuple[int, int], int]
"""(key, instruction index) -> age in cycles, or scoreboard mask."""


@attrs.define(eq=False)
class _State:
    """At the start of a block. `fixed`: least age of fixed-latency writes; `reads`: least age of uniform reads; `slow`:
    mask of scoreboards that announce a variable-latency write; `held`: likewise late reads; `setters`: age of the last
    setter of a scoreboard; `younger`: what DEPBAR counts with one that a scoreboard announces, on it since; `sums`,
    `factors`: groups ended since a multiply that adds to, or reads, a register; `arrived`: what has touched a register
    since WARPGROUP.ARRIVE; `reguarded`: instructions whose guard has been written since."""

    fixed: Pending = attrs.field(factory=dict)
    uniform: Pending = attrs.field(factory=dict)
    slow: Pending = attrs.field(factory=dict)
    held: Pending = attrs.field(factory=dict)
    setters: Pending = attrs.field(factory=dict)
    younger: Pending = attrs.field(factory=dict)
    sums: Pending = attrs.field(factory=dict)
    factors: Pending = attrs.field(factory=dict)
    arrived: Pending = attrs.field(factory=dict)
    reguarded: set[int] = attrs.field(factory=set)

    def copy(self) -> _State:
        return _State(
            dict(self.fixed), dict(self.uniform), dict(self.slow), dict(self.held), dict(self.setters),
            dict(self.younger), dict(self.sums), dict(self.factors), dict(self.arrived), set(self.reguarded),
        )  # fmt: skip

    def merge(self, other: _State) -> bool:
        changed = False
        for mine, theirs in (
            (self.fixed, other.fixed),
            (self.uniform, other.uniform),
            (self.setters, other.setters),
            (self.younger, other.younger),
            (self.sums, other.sums),
            (self.factors, other.factors),
            (self.arrived, other.arrived),
        ):
            for key, age in theirs.items():
                if age < mine.get(key, _OLD):
                    mine[key] = age
                    changed = True
        for mine, theirs in ((self.slow, other.slow), (self.held, other.held)):
            for key, mask in theirs.items():
                old = mine.get(key)
                new = mask if old is None else old & mask
                if new != old:
                    mine[key] = new
                    changed = True
        under_way = {p for table in (other.fixed, other.slow, other.held) for _, p in table}
        if not (lost := other.reguarded & under_way) <= self.reguarded:
            self.reguarded |= lost
            changed = True
        return changed


def _node(instr: Instr, arch: Arch) -> _Node:
    found = effects(instr, arch)
    reads = [(BASE[a.file] + a.index + k, a.cls) for a in found.reads if a.file in BASE for k in range(a.count)]
    if instr.mnemonic == "IMAD" and ("WIDE" in instr.modifiers or "HI" in instr.modifiers):
        # The high word of the addend is read late (see the arch's "wide_hi"; nvcc relies on it for IMAD.HI, too).
        high = {(BASE["R"] + a.index + 1, a.cls) for a in found.reads if a.file == "R" and a.count == 2}
        reads = [(key, "wide_hi") if (key, cls) in high else (key, cls) for key, cls in reads]
    writes = []
    for a in found.writes:
        if a.file not in BASE:
            continue
        for k in range(a.count):
            cls = "wide_lo" if a.cls == "wide" and a.count == 2 and k == 0 else a.cls
            writes.append((BASE[a.file] + a.index + k, cls))
    if instr.mnemonic in GMMA:
        # Their registers are followed by group, not by scoreboard.
        found = evolve(found, variable=False, late=False)
        writes = []
    guard = instr.guard
    return _Node(instr, found, reads, writes, guard.index != 7 or guard.inv)


def _announced(mask: int) -> str:
    bars = [f"SB{k}" for k in range(6) if mask >> k & 1]
    return f"{' or '.join(bars)} is not waited for" if bars else "no scoreboard announces it"


class Checker:
    """Checks one function; `run` gives the problems, sorted by place."""

    def __init__(self, code: bytes, arch: Arch) -> None:
        self.arch = arch
        self.distances = Distances(arch)
        words = [int.from_bytes(code[i : i + SIZE], "little") for i in range(0, len(code) - SIZE + 1, SIZE)]
        self.nodes = [_node(decode(w, arch, i * SIZE), arch) for i, w in enumerate(words)]
        self._guard = [BASE[n.instr.guard.file] + n.instr.guard.index for n in self.nodes]
        self.multiplies = any(n.instr.mnemonic in GMMA for n in self.nodes)
        self.problems: dict[tuple[str, int, int, str], Problem] = {}
        self._blocks()

    def _targets(self, instr: Instr) -> list[int]:
        return [o.address // SIZE for o in instr.operands if isinstance(o, Target) and o.address is not None]

    def _blocks(self) -> None:
        count = len(self.nodes)
        leaders = {0}
        self.convergence: set[int] = set()
        for i, node in enumerate(self.nodes):
            name = node.instr.mnemonic
            if name in _ENDS or name in ("CALL", "BSYNC", "WARPSYNC"):
                leaders.add(i + 1)
            if name in ("BRA", "JMP", "BSSY", "CALL"):
                leaders.update(t for t in self._targets(node.instr) if 0 <= t < count)
        self.leaders = sorted(n for n in leaders if n < count)
        index = {n: b for b, n in enumerate(self.leaders)}
        self.ends = [*self.leaders[1:], count]
        self.succs: list[list[int]] = []
        for b, start in enumerate(self.leaders):
            last = self.nodes[self.ends[b] - 1].instr
            out: list[int] = []
            plain = last.guard.index == 7 and not last.guard.inv
            if last.mnemonic in ("BRA", "JMP"):
                out += [index[t] for t in self._targets(last) if t in index]
                # A predicate operand beside the guard also lets control fall through.
                conditional = any(
                    isinstance(o, Reg) and (o.index != 7 or o.inv) and o.file in ("P", "UP") for o in last.operands
                )
                plain = plain and not conditional
            elif last.mnemonic == "CALL" and not any(isinstance(o, Reg) and o.file == "R" for o in last.operands):
                out += [index[t] for t in self._targets(last) if t in index]
            if (last.mnemonic not in _ENDS or not plain) and b + 1 < len(self.leaders):
                out.append(b + 1)
            self.succs.append(list(dict.fromkeys(out)))
            assert start < self.ends[b]

    def run(self) -> list[Problem]:
        entry: list[_State | None] = [None] * len(self.leaders)
        entry[0] = _State()
        work = [0]
        fresh = iter(range(len(entry)))
        while work:
            b = work.pop()
            state = entry[b]
            assert state is not None
            out = self._walk(b, state.copy(), report=False)
            for s in self.succs[b]:
                there = entry[s]
                if there is None:
                    entry[s] = out.copy()
                    work.append(s)
                elif there.merge(out):
                    work.append(s)
            if not work:
                # What only pointers lead to: functions and jump tables.
                found = next((n for n in fresh if entry[n] is None), None)
                if found is not None:
                    entry[found] = _State()
                    work.append(found)
        for b, state in enumerate(entry):
            if state is not None:
                self._walk(b, state.copy(), report=True)
        for by, reader, text in kept.problems([(n.instr, n.found) for n in self.nodes], set(self.leaders)):
            self._report("reuse", by, reader, text)
        return sorted(self.problems.values(), key=lambda p: (p.second, p.first, p.kind))

    def _report(self, kind: str, first: int, second: int, text: str) -> None:
        self.problems.setdefault((kind, first, second, text), Problem(kind, first * SIZE, second * SIZE, text))

    def tight(self, kind: str, first: int, second: int, key: int, cycles: int) -> None:
        """Two instructions stand exactly as far apart as they must."""

    def waited(self, i: int, node: _Node, state: _State) -> None:
        """An instruction waits; `state` is before it has."""

    def _walk(self, b: int, state: _State, *, report: bool) -> _State:
        for i in range(self.leaders[b], self.ends[b]):
            node = self.nodes[i]
            control = node.instr.control
            if report:
                self._fields(i, node)
                for (bar, setter), age in state.setters.items():
                    if control.wait >> bar & 1 and age < self.distances.setup:
                        self._report("setup", setter, i, f"SB{bar} is waited for {age} cycle after it is set")
                if control.wait:
                    self.waited(i, node, state)
            if control.wait:
                state.slow = {k: mask for k, mask in state.slow.items() if not control.wait & mask}
                state.held = {k: mask for k, mask in state.held.items() if not control.wait & mask}
            if report:
                self._uses(i, node, state)
            if node.instr.mnemonic == "DEPBAR":
                self._depbar(node.instr, state)
            if self.multiplies:
                self._groups(i, node, state, report=report)
            self._apply(i, node, state)
        return state

    def _fields(self, i: int, node: _Node) -> None:
        control = node.instr.control
        if not control.yield_ and (control.stall == 0 or control.stall >= 12):
            self._report("control", i, i, f"stall {control.stall} without yield")
        if node.instr.mnemonic == "DEPBAR" and 0 < control.stall < _DEPBAR_STALL:
            self._report("control", i, i, f"a stall of {_DEPBAR_STALL} is what holds the instruction after DEPBAR")
        after = self.nodes[i + 1] if i + 1 < len(self.nodes) else node
        least = _CLUSTER.get((node.instr.mnemonic, after.instr.mnemonic), 0)
        far = after.instr.mnemonic not in _SHARED and any(isinstance(o, Mem) for o in after.instr.operands)
        if "IVALL" in node.instr.modifiers and far:
            least = _INVALIDATE_STALL
        if max(control.stall, 1) < least:
            self._report("control", i, i, f"nvcc leaves {least} cycles between {node.instr.mnemonic} and the next")
        for bar in (control.wbar, control.rbar):
            if bar == 6:
                self._report("control", i, i, "barrier 6 does not exist")
        widest = _ACCUMULATORS if node.instr.mnemonic in GMMA else _WIDEST
        for access in (*node.found.reads, *node.found.writes):
            # Others are illegal on an H200; tensor map copies need all of it for their coordinates.
            step = 1 << (access.count - 1).bit_length()
            if access.file in ("R", "UR") and access.index % min(step, widest):
                self._report("align", i, i, f"{access.count} registers of {access.file} begin at {access.index}")

    def _uses(self, i: int, node: _Node, state: _State) -> None:
        wanted: dict[int, list[str]] = {}
        for key, cls in node.reads:
            wanted.setdefault(key, []).append(cls)
        written = dict(node.writes)
        for (key, p), age in state.fixed.items():
            if (key not in wanted and key not in written) or self._exclusive(p, i, state):
                continue
            producer = next((c for k, c in self.nodes[p].writes if k == key), "")
            for cls in wanted.get(key, ()):
                need = self.distances.raw(producer, cls)
                if age == need:
                    self.tight("raw", p, i, key, need)
                if age < need:
                    self._report(
                        "raw", p, i, f"{key_name(key)} read after {age} of {need} cycles ({producer} to {cls})"
                    )
            if key in written and not node.found.variable:
                need = self.distances.waw(producer, written[key])
                if age == need > 1:
                    self.tight("waw", p, i, key, need)
                if age < need:
                    self._report("waw", p, i, f"{key_name(key)} overwritten after {age} of {need} cycles")
        for (key, p), age in state.uniform.items():
            if key in written:
                reader = next((c for k, c in self.nodes[p].reads if k == key), "")
                need = self.distances.war(reader, written[key])
                if age == need > 1:
                    self.tight("war", p, i, key, need)
                if age < need:
                    self._report("war", p, i, f"{key_name(key)} overwritten after {age} of {need} cycles")
        for (key, p), mask in state.slow.items():
            after = self._in_order(p, i) or self._answers_in_order(p, i)
            touched = key in wanted or (key in written and not after)
            if touched and not self._exclusive(p, i, state):
                self._report("wait", p, i, f"{key_name(key)}: {_announced(mask)}")
        for (key, p), mask in state.held.items():
            touched = key in written and not (node.found.late and self._in_order(p, i))
            if touched and not self._exclusive(p, i, state):
                self._report("late", p, i, f"{key_name(key)} overwritten: {_announced(mask)}")

    def _depbar(self, instr: Instr, state: _State) -> None:
        """Of what answers in order, all but the youngest of a scoreboard are there; of scoreboards in braces, all."""
        more = next((o.text for o in instr.operands if isinstance(o, Name)), "")
        mask = sum(1 << int(bar) for bar in more.strip("{}").split(",") if bar)
        bar, left = -1, 0
        if len(instr.operands) > 1 and isinstance(instr.operands[0], Reg) and isinstance(instr.operands[1], Imm):
            bar, left = instr.operands[0].index, instr.operands[1].bits
        for table in (state.slow, state.held):
            for k, announced in list(table.items()):
                # Other things may count down the same scoreboard in any order, so only none left tells of them.
                if announced & mask or (
                    bar >= 0 and announced >> bar & 1 and (not left or state.younger.get((bar, k[1]), 0) >= left)
                ):
                    del table[k]

    def _groups(self, i: int, node: _Node, state: _State, *, report: bool) -> None:
        """Multiplies of a warpgroup begin, their groups end, or are waited for; nothing else touches what they do."""
        instr = node.instr
        if instr.mnemonic == "WARPGROUP" and "DEPBAR" in instr.modifiers:
            left = next((o.bits for o in instr.operands if isinstance(o, Imm)), 0)
            for table in (state.sums, state.factors):
                for k in [k for k, ended in table.items() if ended > left or not left]:
                    del table[k]
            return
        multiplies = instr.mnemonic in GMMA
        own = {
            BASE["R"] + a.index + k for a in effects(instr, self.arch).writes for k in range(a.count) if a.file == "R"
        }
        if report and (state.sums or state.factors):
            read = {key for key, _ in node.reads}
            written = {key for key, _ in node.writes}
            for key, p in state.sums:
                if (key in read or key in written) and not (multiplies and key in own):
                    self._report("group", p, i, f"{key_name(key)} is being added to")
            for key, p in state.factors:
                if key in written or (multiplies and key in own):
                    self._report("group", p, i, f"{key_name(key)} is being read")
        if not multiplies:
            if instr.mnemonic == "WARPGROUP":
                state.arrived.clear()
            state.arrived.update(((key, i), 0) for key, _ in (*node.reads, *node.writes) if key < BASE["UR"])
            return
        if report:
            for key, p in state.arrived:
                if key in own:
                    self._report("group", p, i, f"{key_name(key)} is touched after WARPGROUP.ARRIVE")
        for key, _ in node.reads:
            if key < BASE["UR"] and key not in own:
                state.factors[(key, i)] = 0
        for key in own:
            state.sums[(key, i)] = 0
        if any(isinstance(o, Name) and o.text == "gsb0" for o in instr.operands):
            for table in (state.sums, state.factors):
                for k in table:
                    table[k] = min(table[k] + 1, _OLD - 1)

    def _exclusive(self, first: int, second: int, state: _State) -> bool:
        """Whether no lane runs both: they are guarded by a predicate and its opposite."""
        a, b = self.nodes[first].instr.guard, self.nodes[second].instr.guard
        return (a.file, a.index) == (b.file, b.index) and a.inv != b.inv and first not in state.reguarded

    def _in_order(self, first: int, second: int) -> bool:
        """Whether the two are in one queue, which reads registers in order and (loads of one kind) answers in order."""
        a, b = self.nodes[first].found, self.nodes[second].found
        return a.pipe == b.pipe and a.late and b.late

    def _answers_in_order(self, first: int, second: int) -> bool:
        """Whether the result of the second tells that the first's is there: nvcc relies on it for shared memory and
        shuffles, and for special registers."""
        a, b = self.nodes[first], self.nodes[second]
        for names in _ANSWERS:
            if a.instr.mnemonic in names and b.instr.mnemonic in names:
                return True
        return (
            self._in_order(first, second) and a.found.out == b.found.out and a.instr.mnemonic not in _CACHED | _TEXTURES
        )

    def _counted(self, first: int, second: int) -> bool:
        """Whether DEPBAR may count the two together."""
        a, b = self.nodes[first].instr.mnemonic, self.nodes[second].instr.mnemonic
        return any(a in names and b in names for names in _COUNTED)

    def _apply(self, i: int, node: _Node, state: _State) -> None:
        """What is pending behind the instruction."""
        control, found = node.instr.control, node.found
        step = control.stall or (self.arch.core.stall_zero_pause if control.yield_ else 1)
        if not node.guarded:
            self._forget({key for key, _ in node.writes}, state)
        self._age(step, state)
        self._reguard(i, {key for key, _ in node.writes}, state)
        bars = (1 << control.wbar if control.wbar < 6 else 0) | (1 << control.rbar if control.rbar < 6 else 0)
        self._announce(i, node, bars, state)
        for key, cls in node.reads:
            if BASE["UR"] <= key < BASE["P"] and cls == "uniform":
                state.uniform[(key, i)] = step
        for key, _ in node.writes:
            if found.variable:
                # What an atomic knows from the address alone is there when its registers have been read.
                early = node.instr.mnemonic == "ATOM" and key >= BASE["P"]
                state.slow[(key, i)] = bars if early else 1 << control.wbar if control.wbar < 6 else 0
            else:
                state.fixed[(key, i)] = step
        if found.late:
            own = {key for key, _ in node.writes}
            for key, cls in node.reads:
                # Uniform registers are read at issue: nvcc's nbody overwrites the address of an LDS [UR] without a
                # wait.
                if cls != "guard" and key < BASE["UR"] and key not in own:
                    state.held[(key, i)] = bars
        for bar in (control.wbar, control.rbar):
            if bar < 6:
                state.setters[(bar, i)] = step

    def _forget(self, overwritten: set[int], state: _State) -> None:
        """What is written again is no more what was pending."""
        if overwritten:
            for table in (state.fixed, state.uniform, state.slow, state.held):
                for k in [k for k in table if k[0] in overwritten]:
                    del table[k]

    def _age(self, step: int, state: _State) -> None:
        for table in (state.fixed, state.uniform, state.setters):
            for k in list(table):
                age = table[k] + step
                if age >= _OLD:
                    del table[k]
                else:
                    table[k] = age

    def _reguard(self, i: int, written: set[int], state: _State) -> None:
        """Guards of what is pending that no longer say whether it ran."""
        state.reguarded.discard(i)
        if any(BASE["P"] <= key < BASE["B"] for key in written):
            for table in (state.fixed, state.slow, state.held):
                state.reguarded |= {p for _, p in table if self._guard[p] in written}
            if self._guard[i] in written:
                state.reguarded.add(i)

    def _announce(self, i: int, node: _Node, bars: int, state: _State) -> None:
        """The barriers of an instruction speak for those before it, too: a queue reads its registers in order, and what
        does not go to the caches answers in order."""
        wbar = node.instr.control.wbar
        if bars and node.found.late:
            for k, mask in state.held.items():
                if self._in_order(k[1], i):
                    state.held[k] = mask | bars
        if wbar < 6 and node.found.variable and node.instr.mnemonic not in _CACHED:
            for k, mask in state.slow.items():
                if self._answers_in_order(k[1], i):
                    state.slow[k] = mask | 1 << wbar
            for p in {p for _, p in state.slow if self._counted(p, i)}:
                state.younger[wbar, p] = min(state.younger.get((wbar, p), -1) + 1, _OLD - 1)
        if self._counted(i, i):
            for bar in range(6):
                state.younger.pop((bar, i), None)
            if wbar < 6:
                state.younger[wbar, i] = 0


def check(code: bytes, arch: Arch) -> list[Problem]:
    """Problems of one function's code; an empty list if there is none."""
    return Checker(code, arch).run() if code else []


__all__ = ["Checker", "Problem", "check"]
