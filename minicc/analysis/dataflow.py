"""Who made a value, and who set a scoreboard: reaching definitions over finished code.

Input: decoded instructions in address order. Paths follow branches with known targets and fall through; a branch
through a register ends its path. A guarded write may not happen, so the search goes on behind it. Cost: one backward
walk for each question, each instruction at most once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import attrs

from minicc.arch.schema import Arch
from minicc.sass import Effects, effects
from minicc.sass.instr import PT, Instr, Reg, Target

STOPS = ("EXIT", "BRX", "BRXU", "JMX", "JMXU", "RET", "KILL")


@attrs.define(eq=False)
class Dataflow:
    """Answers about one piece of code. Instructions are named by index; None stands for one that was not decoded."""

    instrs: Sequence[Instr | None]
    arch: Arch
    before: list[list[int]] = attrs.field(init=False)
    """Indices that may run just before each instruction."""
    effect: list[Effects | None] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.effect = [effects(instr, self.arch) if instr is not None else None for instr in self.instrs]
        self.before = [[] for _ in self.instrs]
        for i, instr in enumerate(self.instrs):
            if instr is None:
                continue
            guards = (instr.guard, *(op for op in instr.operands if isinstance(op, Reg)))
            always = all(op.file in ("P", "UP") and op.index == PT and not op.inv for op in guards)
            if instr.mnemonic in ("BRA", "JMP"):
                place = next((op for op in instr.operands if isinstance(op, Target)), None)
                if place is not None and place.address is not None:
                    target = place.address // 16
                    if 0 <= target < len(self.instrs):
                        self.before[target].append(i)
            jumps = instr.mnemonic in ("BRA", "JMP") and always
            stops = instr.mnemonic in STOPS and self._certain(i)
            if not jumps and not stops and i + 1 < len(self.instrs):
                self.before[i + 1].append(i)

    def _search(self, start: int, hit: Callable[[int], bool], sure: Callable[[int], bool]) -> list[int]:
        """Instructions before `start` that `hit`, along every path back to the first that is `sure`."""
        found: set[int] = set()
        seen: set[int] = set()
        todo = list(self.before[start])
        while todo:
            i = todo.pop()
            if i in seen:
                continue
            seen.add(i)
            if hit(i):
                found.add(i)
                if sure(i):
                    continue
            todo += self.before[i]
        return sorted(found)

    def _certain(self, i: int) -> bool:
        instr = self.instrs[i]
        return instr is not None and instr.guard.index == PT and not instr.guard.inv

    def definitions(self, i: int, file: str, index: int) -> list[int]:
        """Instructions whose write of a register may be what instruction i reads."""

        def hit(k: int) -> bool:
            found = self.effect[k]
            return found is not None and any(
                a.file == file and a.index <= index < a.index + a.count for a in found.writes
            )

        return self._search(i, hit, self._certain)

    def setters(self, i: int, barrier: int) -> list[int]:
        """Instructions that may have set the scoreboard that instruction i waits on."""

        def hit(k: int) -> bool:
            instr = self.instrs[k]
            return instr is not None and barrier in (instr.control.wbar, instr.control.rbar)

        return self._search(i, hit, self._certain)

    def sources(self, i: int, operands: Callable[[int], bool] = lambda operand: True) -> set[int]:
        """Instructions that made the registers and predicates which instruction i reads; `operands` picks by operand
        number (-1 is the guard)."""
        found: set[int] = set()
        effect = self.effect[i]
        for access in effect.reads if effect is not None else ():
            if operands(access.operand):
                for k in range(access.count):
                    found.update(self.definitions(i, access.file, access.index + k))
        return found

    def registers(self, file: str, kind: Literal["reads", "writes"], certain: bool = False) -> list[int]:
        """Of a file the registers that each instruction reads or writes, as bits; of writes, if `certain`, none that
        a guard may stop."""
        out = [0] * len(self.instrs)
        for i, effect in enumerate(self.effect):
            if effect is None or (certain and not self._certain(i)):
                continue
            for access in effect.reads if kind == "reads" else effect.writes:
                if access.file == file:
                    out[i] |= (1 << access.count) - 1 << access.index
        return out

    def live_sets(self, file: str = "R") -> list[int]:
        """Registers of a file whose values are still needed, at each instruction, as bits: what it reads, and what
        comes after it reads without its being written for certain."""
        after: list[list[int]] = [[] for _ in self.instrs]
        for i, before in enumerate(self.before):
            for k in before:
                after[k].append(i)
        reads, kills = self.registers(file, "reads"), self.registers(file, "writes", certain=True)
        found = list(reads)
        todo = set(range(len(self.instrs)))
        while todo:
            i = todo.pop()
            out = 0
            for k in after[i]:
                out |= found[k]
            here = reads[i] | out & ~kills[i]
            if here != found[i]:
                found[i] = here
                todo.update(self.before[i])
        return found

    def live(self) -> list[int]:
        """How many general registers those are."""
        return [bits.bit_count() for bits in self.live_sets()]
