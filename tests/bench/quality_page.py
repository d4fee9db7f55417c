"""The table of docs/quality.md: `python -m tests.bench.quality_page IMAGES OUT...` prints it.

IMAGES is what `tests.bench.quality --images` wrote, each OUT a run of `tests.gpu.record_cycles` over it. Static columns
are of the largest kernel of a file: registers, SASS instructions, cycles that its stall counts add up to, and cycles
that register banks cost if every instruction runs once (`minicc.analysis.banks`). Cycles are medians on the GPU.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import attrs

from minicc import arch as archs
from minicc.analysis.banks import banks
from minicc.analysis.mix import instructions
from minicc.arch.schema import Arch
from minicc.binary import read_cubin
from tests.gpu.cycles_table import cycles


@attrs.frozen
class Static:
    """Of the largest kernel of an image."""

    registers: int
    instructions: int
    stalls: int
    conflicts: int


def static(path: Path, arch: Arch) -> Static:
    largest = max(read_cubin(path.read_bytes(), path.name).functions, key=lambda f: len(f.code))
    decoded = [i for i in instructions(largest.code, arch) if i.mnemonic != "NOP"]
    stalls = sum(i.control.stall for i in decoded)
    return Static(largest.registers, len(decoded), stalls, banks(largest.code, arch).extra)


def main() -> None:
    images, arch = Path(sys.argv[1]), archs.get("sm_90")
    runs = {way: [cycles(Path(out, f"ncu_{way}.csv")) for out in sys.argv[2:]] for way in ("ours", "nvcc")}
    print("| kernel | registers | SASS | stall counts | bank cycles | H200 cycles | ratio |")
    print("|---" * 7 + "|")
    ratios, conflicts = [], [0, 0]
    for name in sorted(runs["ours"][0].keys() & runs["nvcc"][0].keys()):
        a, b = (static(images / way / f"{name}.cubin", arch) for way in runs)
        ours, nvcc = (statistics.median(run[name] for run in found) for found in runs.values())
        ratios.append(ours / nvcc)
        conflicts[0] += a.conflicts
        conflicts[1] += b.conflicts
        pairs = [f"{x} / {y}" for x, y in zip(attrs.astuple(a), attrs.astuple(b), strict=True)]
        print(f"| {name} | {' | '.join(pairs)} | {ours:.0f} / {nvcc:.0f} | {ratios[-1]:.3f} |")
    mean = statistics.geometric_mean(ratios)
    print(
        f"| {len(ratios)} kernels | | | | {conflicts[0]} / {conflicts[1]} | | {mean:.3f} (largest {max(ratios):.3f}) |"
    )


if __name__ == "__main__":
    main()
