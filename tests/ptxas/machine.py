"""Two interpreters of machine IR for tests: by value (before and after allocation), and by time.

`run` executes one thread in program order over virtual or physical registers. `run_timed` executes allocated code as
the hardware would take its control codes: a fixed-latency result is seen by a reader only at the table's distance, a
variable-latency one arrives (and its sources are read) at a random time that only the scoreboards announce. Whatever
the control codes leave unprotected shows as a wrong value.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

from minicc import arch as archs
from minicc.ptxas.dump import inst_text
from minicc.ptxas.mir import MFunction, MInst, V, VMem
from minicc.ptxas.operands import Components, key_name
from minicc.ptxas.timing import Distances, footprint
from minicc.sass.instr import Const, Imm, Reg, Target

MASK = 0xFFFFFFFF
STACK_TOP = 0x10000


def _lop(a: int, b: int, c: int, lut: int) -> int:
    out = 0
    for bit in range(8):
        if lut >> bit & 1:
            out |= (a if bit & 4 else ~a) & (b if bit & 2 else ~b) & (c if bit & 1 else ~c)
    return out & MASK


def _signed(x: int) -> int:
    return x - (1 << 32) if x >> 31 else x


COMPARE = {
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
    "EQ": operator.eq,
    "NE": operator.ne,
}


class Thread:
    """What does not depend on registers: memory and inputs."""

    def __init__(self, inputs: dict[str, int] | None = None) -> None:
        self.shared: dict[int, int] = {}
        self.local: dict[int, int] = {}
        self.inputs = inputs or {}

    def evaluate(self, inst: MInst, value: Callable[[object, int], int]) -> list[tuple[object, int, int]]:
        """[(destination operand, word, value)] of an instruction that is not a branch."""
        s = inst.srcs
        m, mods = inst.mnemonic, inst.modifiers
        if m == "MOV":
            return [(inst.dsts[0], 0, value(s[0], 0))]
        if m == "IADD3":
            return [(inst.dsts[0], 0, (value(s[0], 0) + value(s[1], 1) + value(s[2], 2)) & MASK)]
        if m == "VIADD":
            return [(inst.dsts[0], 0, (value(s[0], 0) + value(s[1], 1)) & MASK)]
        if m == "IMAD":
            if "WIDE" in mods:
                addend = value(s[2], 2) | value(_word(s[2], 1), 2) << 32
                wide = value(s[0], 0) * value(s[1], 1) + addend
                return [(inst.dsts[0], 0, wide & MASK), (inst.dsts[0], 1, wide >> 32 & MASK)]
            return [(inst.dsts[0], 0, (value(s[0], 0) * value(s[1], 1) + value(s[2], 2)) & MASK)]
        if m == "LOP3":
            logic = _lop(value(s[0], 0), value(s[1], 1), value(s[2], 2), s[3].bits)
            if len(inst.dsts) == 1:
                return [(inst.dsts[0], 0, logic)]
            some, chained = logic != 0, bool(value(s[4], 4))
            return [(inst.dsts[0], 0, int(some and chained if "PAND" in mods else some or chained))]
        if m == "SHF":
            below, count, above = value(s[0], 0), value(s[1], 1) & 31, value(s[2], 2)
            if mods[0] == "L":
                return [(inst.dsts[0], 0, below << count & MASK)]
            return [(inst.dsts[0], 0, (_signed(above) if "S32" in mods else above) >> count & MASK)]
        if m == "LEA":
            a, b = value(s[0], 0), value(s[1], 1)
            if "SX32" in mods:
                return [(inst.dsts[0], 0, (_signed(a) << s[2].bits >> 32) + b & MASK)]
            if "HI" in mods:
                return [(inst.dsts[0], 0, ((value(s[2], 2) << 32 | a) << s[3].bits >> 32) + b & MASK)]
            return [(inst.dsts[0], 0, (a << s[2].bits) + b & MASK)]
        if m == "SEL":
            return [(inst.dsts[0], 0, value(s[0], 0) if value(s[2], 2) else value(s[1], 1))]
        if m == "POPC":
            return [(inst.dsts[0], 0, value(s[0], 0).bit_count())]
        if m == "S2R":
            return [(inst.dsts[0], 0, self.inputs[s[0].text])]
        if m == "LDC":
            assert isinstance(s[0], Const)
            return [(inst.dsts[0], 0, STACK_TOP if s[0].offset == 0x28 else s[0].offset * 77 & MASK)]
        if m == "ISETP":
            a, b = value(s[0], 0), value(s[1], 1)
            if "U32" not in mods:
                a, b = _signed(a), _signed(b)
            test, chained = COMPARE[mods[0]](a, b), value(s[2], 2)
            outcome = test != bool(chained) if "XOR" in mods else test or chained if "OR" in mods else test and chained
            return [(inst.dsts[0], 0, int(bool(outcome)))]
        if m == "PLOP3":
            row = value(s[0], 0) << 2 | value(s[1], 1) << 1 | value(s[2], 2)
            return [(inst.dsts[0], 0, s[3].bits >> row & 1)]
        if m in ("LDS", "LDL"):
            memory = self.shared if m == "LDS" else self.local
            at = self.address(s[0], value)
            count = inst.dsts[0].count
            return [(inst.dsts[0], w, memory.get(at + 4 * w, at * 3 + w & MASK)) for w in range(count)]
        if m in ("STS", "STL"):
            memory = self.shared if m == "STS" else self.local
            at = self.address(s[0], value)
            data = s[1]
            for w in range(data.count if isinstance(data, V) else 1):
                memory[at + 4 * w] = value(_word(data, w), 1)
            return []
        assert m in ("NOP", "BSSY", "BSYNC", "BAR"), m
        return []

    @staticmethod
    def address(operand: object, value: Callable[[object, int], int]) -> int:
        assert isinstance(operand, VMem)
        return ((value(operand.base, 0) if operand.base is not None else 0) + operand.offset) & 0xFFFF & ~3


def _word(operand: object, w: int) -> object:
    if isinstance(operand, V):
        return V(operand.reg, operand.part + w, 1, operand.neg, operand.abs, operand.inv)
    return operand


def _constant(operand: object) -> int | None:
    if isinstance(operand, Imm):
        return operand.bits & MASK
    if isinstance(operand, Reg) and operand.file == "R" and operand.index == 255:
        return 0
    if isinstance(operand, Reg) and operand.file == "P" and operand.index == 7:
        return 0 if operand.inv else 1
    if isinstance(operand, Const):
        return operand.offset * 77 & MASK
    return None


def _apply(operand: object, raw: int) -> int:
    file = operand.reg.file if isinstance(operand, V) else operand.file
    if file == "P":
        return raw ^ 1 if operand.inv else raw
    if operand.inv:
        raw ^= MASK
    return -raw & MASK if operand.neg else raw


class _Control:
    """Where execution is, for both interpreters."""

    def __init__(self, function: MFunction) -> None:
        self.function = function
        self.index = {b.label: i for i, b in enumerate(function.blocks)}
        self.block, self.at = 0, 0

    def fetch(self) -> MInst | None:
        while self.block < len(self.function.blocks) and self.at >= len(self.function.blocks[self.block].insts):
            self.block, self.at = self.block + 1, 0
        if self.block >= len(self.function.blocks):
            return None
        inst = self.function.blocks[self.block].insts[self.at]
        self.at += 1
        return inst

    def jump(self, inst: MInst) -> None:
        target = next(s for s in inst.srcs if isinstance(s, Target))
        self.block, self.at = self.index[target.label], 0


def _key(operand: object, components: Components) -> int:
    return components.keys(operand)[0]


def run(function: MFunction, inputs: dict[str, int], limit: int = 20000) -> dict[int, int]:
    """Final shared memory, executing in order. Registers that were never written read as a mark of their own."""
    components = Components(function)
    regs: dict[int, int] = {}
    thread, control = Thread(inputs), _Control(function)

    def value(operand: object, position: int) -> int:
        known = _constant(operand)
        if known is not None:
            return known
        return _apply(operand, regs.get(_key(operand, components), 0))

    for _ in range(limit):
        inst = control.fetch()
        if inst is None:
            break
        if not value(inst.guard, -1):
            continue
        if inst.mnemonic == "EXIT":
            return thread.shared
        if inst.mnemonic == "BRA":
            control.jump(inst)
            continue
        for operand, word, result in thread.evaluate(inst, value):
            if isinstance(operand, V) or operand.index not in (255, 7):
                regs[_key(operand, components) + word] = result
    raise AssertionError("does not end")


class _Cell:
    """One physical register: (time it becomes visible per reader class, value) of recent writes."""

    __slots__ = ("writes",)

    def __init__(self) -> None:
        self.writes: list[
            tuple[int, str, int, object]
        ] = []  # (issue or arrival time, producer class or "", value, writer)


class WrongRead(AssertionError):
    """A register was read before its value was there, or after it was gone."""


def run_timed(
    function: MFunction, inputs: dict[str, int], seed: int, limit: int = 20000, *, strict: bool = False
) -> dict[int, int]:
    """Final shared memory, obeying only the control codes. `strict` raises `WrongRead` at the first instruction that
    reads anything but the last value in program order."""
    last: dict[int, object] = {}  # key -> the write that program order says is current
    rng = random.Random(seed)
    distances = Distances(archs.get("sm_90"))
    components = Components(function)
    cells: dict[int, _Cell] = {}
    thread, control = Thread(inputs), _Control(function)
    bars = [0] * 6
    events: list[tuple[int, int, Callable[[int], None]]] = []
    count = 0
    now = 0

    def peek(key: int, reader: str, when: int, want: object, inst: MInst) -> int:
        best, seen, who, before = 0, -1, None, (-1, "")
        cell = cells.get(key)
        for time, producer, result, writer in cell.writes if cell is not None else ():
            visible = time + (distances.raw(producer, reader) if producer else 0)
            if visible > when:
                continue
            if producer and before[1]:
                # Two fixed latencies: the later one wins, unless it comes sooner than the table allows.
                newer = time - before[0] >= distances.waw(before[1], producer)
            else:
                newer = visible >= seen
            if newer:
                best, seen, who, before = result, visible, writer, (time, producer)
        if strict and who is not want:
            name = key_name(key)
            raise WrongRead(f"`{inst_text(inst)}` reads {name} at {when} from {who and who[0]}, not {want and want[0]}")
        return best

    def at(when: int, action: Callable[[int], None]) -> None:
        nonlocal count
        count += 1
        events.append((when, count, action))

    def settle(until: int) -> None:
        while True:
            due = [e for e in events if e[0] <= until]
            if not due:
                return
            first = min(due, key=lambda e: e[:2])
            events.remove(first)
            first[2](first[0])

    for _ in range(limit):
        inst = control.fetch()
        if inst is None:
            break
        code = inst.control
        settle(now)
        while any(bars[k] for k in range(6) if code.wait >> k & 1):
            now += 1
            settle(now)
        print_ = footprint(inst, components)
        classes = {}
        for key, reader in print_.reads:
            classes.setdefault(key, reader)

        issue = now

        current = dict(last) if strict else last

        def value_at(
            when: int,
            classes: dict[int, str] = classes,
            issue: int = issue,
            current: dict[int, object] = current,
            inst: MInst = inst,
        ) -> Callable[[object, int], int]:
            def value(source: object, position: int) -> int:
                known = _constant(source)
                if known is not None:
                    return known
                key = _key(source, components)
                moment = when if key < 320 else issue
                reader = "guard" if position < 0 else classes[key]
                return _apply(source, peek(key, reader, moment, current.get(key), inst))

            return value

        taken = value_at(now)(inst.guard, -1)
        if taken and inst.mnemonic == "EXIT":
            settle(1 << 60)
            return thread.shared
        if taken and inst.mnemonic == "BRA":
            control.jump(inst)
        elif taken and print_.timing.variable:
            # The memory system is in order: everything is read in issue order, at some time after issue.
            late = max(issue + rng.choice((0, 0, 3, 9, 14)), getattr(thread, "last", 0))
            thread.last = late  # type: ignore[attr-defined]
            arrive = late + rng.choice((6, 17, 25, 60))
            for bar in (code.wbar, code.rbar):
                if bar != 7:
                    # Seen from two cycles after its setter on.
                    at(issue + distances.setup, _add(bars, bar, 1))

            mark = (inst_text(inst), issue)
            for key, _ in print_.writes:
                last[key] = mark

            def read(
                when: int,
                mark: object = mark,
                inst: MInst = inst,
                issue: int = issue,
                arrive: int = arrive,
                value: object = value_at(late),
            ) -> None:
                results = thread.evaluate(inst, value)  # type: ignore[arg-type]

                def write(when: int) -> None:
                    for operand, word, result in results:
                        if isinstance(operand, V) or operand.index not in (255, 7):
                            cells.setdefault(_key(operand, components) + word, _Cell()).writes.append(
                                (when, "", result, mark)
                            )
                    if inst.control.wbar != 7:
                        bars[inst.control.wbar] -= 1

                if inst.control.rbar != 7:
                    at(max(when, issue + 3), _add(bars, inst.control.rbar, -1))
                at(arrive, write)

            at(late, read)
        elif taken:
            for operand, word, result in thread.evaluate(inst, value_at(now)):
                if isinstance(operand, V) or operand.index not in (255, 7):
                    key = _key(operand, components) + word
                    producer = next(cls for k, cls in print_.writes if k == key)
                    cell = cells.setdefault(key, _Cell())
                    last[key] = mark = (inst_text(inst), issue)
                    cell.writes.append((issue, producer, result, mark))
                    del cell.writes[:-6]
        now += max(code.stall, 1)
    raise AssertionError("does not end")


def _add(bars: list[int], bar: int, amount: int) -> Callable[[int], None]:
    def action(when: int) -> None:
        bars[bar] += amount

    return action


__all__ = ["run", "run_timed"]
