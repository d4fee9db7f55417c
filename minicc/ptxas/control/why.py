"""Why each control field of finished code is what it is: `explain`.

Walks the code as the checker does, and notes which pairs of instructions stand exactly as far apart as they must, which
scoreboard announces what, and who needs it. For anybody's code.
"""

from __future__ import annotations

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas.control.check import SIZE, Checker, _Node, _State
from minicc.ptxas.control.scoreboard import LEAVES
from minicc.ptxas.operands import key_name
from minicc.ptxas.timing import of_instr


@attrs.define(eq=False)
class Reasons:
    """Of one instruction: what its stall count keeps apart, and what each of its waits is for."""

    stall: list[str] = attrs.field(factory=list)
    wait: list[str] = attrs.field(factory=list)

    def text(self) -> str:
        return "; ".join((*self.stall, *self.wait))


class _Why(Checker):
    def __init__(self, code: bytes, arch: Arch) -> None:
        super().__init__(code, arch)
        self.exact: dict[tuple[int, int], str] = {}
        """(producer, consumer) at the least distance -> what is at stake."""
        self.waits: list[dict[int, list[str]]] = [{} for _ in self.nodes]

    def _place(self, i: int) -> str:
        return f"{self.nodes[i].instr.mnemonic} at {i * SIZE:#06x}"

    def tight(self, kind: str, first: int, second: int, key: int, cycles: int) -> None:
        verb = {"raw": "read", "waw": "overwritten", "war": "overwritten"}[kind]
        note = f"{key_name(key)} of {self._place(first)} may be {verb} after {cycles} cycles, by {self._place(second)}"
        self.exact.setdefault((first, second), note)

    def waited(self, i: int, node: _Node, state: _State) -> None:
        wanted = {key for key, _ in node.reads}
        written = {key for key, _ in node.writes}
        rows = self.waits[i]
        for table, what, keys in (
            (state.slow, "is the result of", wanted | written),
            (state.held, "is read by", written),
        ):
            for (key, p), mask in table.items():
                common = mask & node.instr.control.wait
                if common and key in keys:
                    bar = (common & -common).bit_length() - 1
                    rows.setdefault(bar, []).append(f"{key_name(key)} {what} {self._place(p)}")
        for (bar, setter), _ in state.setters.items():
            if node.instr.control.wait >> bar & 1 and bar not in rows:
                rows[bar] = [f"set by {self._place(setter)}, not needed by this instruction itself"]

    def reasons(self) -> list[Reasons]:
        self.run()
        out = [Reasons() for _ in self.nodes]
        begin = {}
        for b, start in enumerate(self.leaders):
            for i in range(start, self.ends[b]):
                begin[i] = start
        for (first, second), note in sorted(self.exact.items()):
            start = first if begin.get(first) == begin.get(second) and first < second else begin.get(second, second)
            for i in range(start, second):
                if self.nodes[i].instr.control.stall > 1 and note not in out[i].stall:
                    out[i].stall.append(note)
            if begin.get(first) != begin.get(second):
                last = self.ends[self.leaders.index(begin[first])] - 1
                if self.nodes[last].instr.control.stall > 1:
                    out[last].stall.append(note)
        for i, node in enumerate(self.nodes):
            self._others(i, node, out[i])
        return out

    def _others(self, i: int, node: _Node, found: Reasons) -> None:
        control = node.instr.control
        least = of_instr(node.instr).stall
        after = self.nodes[i + 1].instr.control.wait if i + 1 < len(self.nodes) else 0
        own = (1 << control.wbar if control.wbar < 6 else 0) | (1 << control.rbar if control.rbar < 6 else 0)
        if control.stall > 1 and not found.stall:
            if own & after and control.stall <= self.distances.setup:
                found.stall.append(f"the next instruction waits for its scoreboard: {self.distances.setup} cycles")
            elif i + 1 < len(self.nodes) and self.nodes[i + 1].instr.mnemonic in LEAVES:
                found.stall.append("every result lands before other code runs")
            elif control.stall <= least:
                found.stall.append(f"{node.instr.mnemonic} takes {least} cycles before the next instruction")
            else:
                found.stall.append("nothing here needs it")
        for bar, notes in sorted(self.waits[i].items()):
            more = f" and {len(notes) - 2} more" if len(notes) > 2 else ""
            found.wait.append(f"SB{bar}: {', '.join(notes[:2])}{more}")
        for bar in range(6):
            if control.wait >> bar & 1 and bar not in self.waits[i]:
                found.wait.append(f"SB{bar}: nothing here has set it")


def explain(code: bytes, arch: Arch) -> list[Reasons]:
    """For each 16-byte instruction of a function."""
    return _Why(code, arch).reasons()


__all__ = ["Reasons", "explain"]
