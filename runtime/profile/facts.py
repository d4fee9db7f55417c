"""What a report is about, gathered from a launch: free of text layout."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from typing import Any

import attrs

from minicc.analysis.access import access_of
from minicc.arch import Arch
from minicc.diagnostics import CompileError
from minicc.sass.instr import Instr
from minicc.sass.program import Line
from runtime.device.grid import Dim, Outcome
from runtime.device.sm.code.timing import Timing, timing

NOT_STALLS = ("selected", "not_selected")


def warp_cycles(counters: Mapping[str, float]) -> float:
    """Those that warps spent, in whatever state, where these were counted."""
    return sum(v for k, v in counters.items() if k.startswith("stall_"))


@attrs.frozen
class Hot:
    """One instruction: byte offset from the kernel's entry, text, counters, source place ("" and 0 if unknown).
    `unit` is the SM model's row for it: pipe, intervals."""

    offset: int
    text: str
    counters: dict[str, float]
    file: str = ""
    line: int = 0
    instr: Instr | None = None
    unit: Timing | None = None
    access: tuple[str, str, int] = ("", "", 0)
    """(space, kind, width in bytes) of a memory instruction"""

    @property
    def samples(self) -> float:
        """Warp-cycles spent at this instruction."""
        return warp_cycles(self.counters)

    @property
    def executed(self) -> float:
        """Times a warp issued it."""
        return self.counters.get("inst_executed", 0.0)

    @property
    def threads(self) -> float:
        """Thread instructions, guard true."""
        return self.counters.get("thread_inst_executed_pred_on", 0.0)

    @property
    def mnemonic(self) -> str:
        """The opcode as sass__inst_executed_per_opcode has it."""
        return self.instr.mnemonic if self.instr else "?"

    @property
    def source(self) -> str:
        """file:line, without the folder."""
        return f"{self.file.rsplit('/', 1)[-1]}:{self.line}" if self.file else ""


@attrs.frozen(eq=False)
class Facts:
    """A launch as the report sees it."""

    kernel: str
    outcome: Outcome
    grid: Dim
    block: Dim
    registers: int
    shared: int
    static_shared: int
    device: str
    arch: Arch
    instructions: tuple[Hot, ...]
    """Every instruction of the kernel, executed or not, and those of functions that it called."""
    stack: int = 0
    """bytes of local memory of a thread"""
    footprint: int = 0
    """bytes of the arrays that the launch was given; 0 if not known"""

    @property
    def clock_mhz(self) -> int:
        """SM clock."""
        return self.arch.clock_mhz

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
        rows = [(n, v / total) for n, v in self.outcome.stalls.items() if v and n not in NOT_STALLS] if total else []
        return sorted(rows, key=lambda row: (-row[1], row[0]))[:count]

    @property
    def demangled(self) -> str:
        """The kernel's name as C++ has it, with parameter types; the symbol if it is not mangled."""
        from minicc.binary.mangling import signature

        return signature(self.kernel).shown


def line_at(lines: list[Line], offset: int) -> tuple[str, int]:
    """(file, line) of a code offset; `lines` sorted by offset."""
    at = bisect.bisect([line.offset for line in lines], offset) - 1
    return (lines[at].file, lines[at].line) if at >= 0 else ("", 0)


def _instruction(code: bytes, at: int, arch: Arch) -> tuple[str, Instr | None, Timing | None, tuple[str, str, int]]:
    from minicc import sass

    word = int.from_bytes(code[at : at + 16], "little")
    try:
        instr = sass.decode(word, arch, at)
        access = access_of(instr)
        return sass.format(instr).rstrip(" ;"), instr, timing(instr, *access), access
    except CompileError:
        return f"0x{word:032x}", None, None, ("", "", 0)


def listing(function: Any, arch: Arch, base: int, per_pc: dict[int, dict[str, float]]) -> list[Hot]:
    """All instructions of a function whose code begins at `base` from the entry of the kernel."""
    lines = sorted(function.lines, key=lambda line: line.offset)
    rows = []
    for at in range(0, len(function.code), 16):
        text, instr, unit, access = _instruction(function.code, at, arch)
        counters = per_pc.get(base + at, {})
        rows.append(Hot(base + at, text, counters, *line_at(lines, at), instr, unit, access))
    while rows and not rows[-1].counters and rows[-1].mnemonic == "NOP":
        rows.pop()
    if rows and not rows[-1].counters and rows[-1].mnemonic == "BRA":
        rows.pop()  # the loop that ends the code
    return rows


def gather(launch: Any, footprint: int = 0) -> Facts:
    """Facts of a `runtime.model.ModelLaunch`. `footprint`: bytes of the arrays that it was given."""
    outcome = launch.outcome
    arch = launch.device.arch
    entry = launch.completion.grid.entry
    rows: list[Hot] = []
    covered: set[int] = set()
    for address, function in sorted(launch.device._functions.items()):
        base = address - entry
        used = base == 0 or any(base <= pc < base + len(function.code) for pc in outcome.per_pc)
        if used:
            found = listing(function, arch, base, outcome.per_pc)
            rows += found
            covered.update(row.offset for row in found)
    rows += [Hot(pc, "", counters) for pc, counters in outcome.per_pc.items() if pc not in covered]
    configuration = launch.configuration
    return Facts(
        kernel=launch.kernel.name,
        outcome=outcome,
        grid=configuration.grid,
        block=configuration.block,
        registers=launch.kernel.registers,
        shared=launch.kernel.shared + configuration.shared,
        static_shared=launch.kernel.shared,
        device=arch.device_name,
        arch=arch,
        instructions=tuple(sorted(rows, key=lambda row: row.offset)),
        stack=launch.completion.grid.local,
        footprint=footprint,
    )
