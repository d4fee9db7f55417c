"""An occupancy calculator: warps that an SM would hold of a kernel with other blocks, registers or shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from minicc.analysis.occupancy import occupancy
from runtime.profile.facts import Facts
from runtime.profile.metrics import Values
from runtime.profile.units import table


def occupancy_curves(f: Facts, out: Values) -> list[str]:
    """Warps that an SM holds if the block, the registers or the shared memory were others, all else as it is."""
    del out
    threads = f.block[0] * f.block[1] * f.block[2]
    lines: list[str] = []

    def curve(title: str, name: str, values: Sequence[int], at: int, warps: Sequence[tuple[int, str]]) -> None:
        rows: list[tuple[str, ...]] = [(name, "warps", "occupancy", "limited by", "")]
        for value, (count, limiter) in zip(values, warps, strict=True):
            share = f"{100 * count / f.arch.occupancy.max_warps:.0f} %"
            rows.append((f"{value:,}", str(count), share, limiter, "<- this launch" if value == at else ""))
        lines.extend(table(title, rows, "rrrll", head=True))

    def at(registers: int, shared: int, block: int) -> tuple[int, str]:
        found = occupancy(f.arch, registers, shared, block)
        return found.warps, found.limiter if found.blocks else "cannot run"

    blocks = sorted({32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, threads})
    curve("By threads of a block", "threads", blocks, threads, [at(f.registers, f.shared, n) for n in blocks])
    limit = f.arch.occupancy.max_registers_per_thread
    counts = sorted({16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 168, 255, f.registers})
    counts = [n for n in counts if n <= limit]
    curve("By registers of a thread", "registers", counts, f.registers, [at(n, f.shared, threads) for n in counts])
    sizes = sorted({0, *(1024 * k for k in (4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 227)), f.shared})
    curve("By shared memory of a block", "bytes", sizes, f.shared, [at(f.registers, n, threads) for n in sizes])
    return lines
