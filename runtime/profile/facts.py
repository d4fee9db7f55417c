"""What a report is about, gathered from a launch: free of text layout."""

from __future__ import annotations

import bisect
from typing import Any

import attrs

from minicc.sass.program import Line
from runtime.device.grid import Outcome

_NOT_STALLS = ("selected", "not_selected")


@attrs.frozen
class Hot:
    """One instruction: byte offset, text, counters, source place."""

    offset: int
    text: str
    counters: dict[str, float]
    source: str = ""

    @property
    def samples(self) -> float:
        """Warp-cycles spent at this instruction."""
        return sum(v for k, v in self.counters.items() if k.startswith("stall_"))


@attrs.frozen
class Facts:
    """A launch as the report sees it."""

    kernel: str
    outcome: Outcome
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    registers: int
    shared: int
    device: str
    clock_mhz: int
    instructions: tuple[Hot, ...]

    @property
    def counters(self) -> dict[str, float]:
        """The counters, under ncu's names."""
        return self.outcome.counters

    def get(self, name: str) -> float:
        """A counter, 0 if the kernel did nothing of the kind."""
        return self.outcome.counters.get(name, 0.0)

    @property
    def microseconds(self) -> float:
        """Modelled duration."""
        return self.outcome.cycles / self.clock_mhz

    def states(self) -> list[tuple[str, float]]:
        """(warp state, warp-cycles per issued instruction), the largest first."""
        issued = self.outcome.stalls.get("selected", 0.0)
        if not issued:
            return []
        rows = [(name, value / issued) for name, value in self.outcome.stalls.items() if value]
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def top_stalls(self, count: int = 3) -> list[tuple[str, float]]:
        """(reason, share of all warp-cycles) of what warps waited for most."""
        total = sum(self.outcome.stalls.values())
        rows = [(n, v / total) for n, v in self.outcome.stalls.items() if v and n not in _NOT_STALLS] if total else []
        return sorted(rows, key=lambda row: (-row[1], row[0]))[:count]


def _source(lines: list[Line], offset: int) -> str:
    at = bisect.bisect([line.offset for line in lines], offset) - 1
    if at < 0:
        return ""
    return f"{lines[at].file.rsplit('/', 1)[-1]}:{lines[at].line}"


def gather(launch: Any) -> Facts:
    """Facts of a `runtime.model.ModelLaunch`."""
    from minicc import sass

    outcome = launch.outcome
    arch = launch.device.arch
    function = None
    code = b""
    lines: list[Line] = []
    try:
        function = launch.kernel.module.program.function(launch.kernel.name)
        code, lines = function.code, sorted(function.lines, key=lambda line: line.offset)
    except (AttributeError, KeyError):
        pass
    rows = []
    for offset in sorted(outcome.per_pc):
        text = ""
        if 0 <= offset < len(code):
            word = int.from_bytes(code[offset : offset + 16], "little")
            try:
                text = sass.format(sass.decode(word, arch, offset)).rstrip(" ;")
            except Exception:
                text = f"0x{word:032x}"
        rows.append(Hot(offset, text, outcome.per_pc[offset], _source(lines, offset)))
    configuration = launch.configuration
    return Facts(
        kernel=launch.kernel.name,
        outcome=outcome,
        grid=configuration.grid,
        block=configuration.block,
        registers=launch.kernel.registers,
        shared=launch.kernel.shared + configuration.shared,
        device=arch.device_name,
        clock_mhz=arch.clock_mhz,
        instructions=tuple(rows),
    )
