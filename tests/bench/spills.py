"""Spilling beside nvcc's: `python -m tests.bench.spills [LIMIT ...]` prints docs/quality.md's table.

Each sample and bench kernel is compiled by both with `-maxrregcount` of each limit (24 and 32 if none is given) and run
on the SM model. Only kernels that either spills, or that need more registers than the limit in ours, are rows: spilled
bytes (stores + loads in the code, all kernels of the file) and cycles, ours / nvcc's, and the ratio of the cycles; the
last column is ours over ours without a limit.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.quality import KERNELS, measure
from tests.conftest import SAMPLES, find_tool

LIMITS = (24, 32)


def compiled(command: list[str], path: Path, out: Path, limit: int) -> tuple[bytes, int]:
    """(image, spilled bytes) of one compiler."""
    more = [f"-maxrregcount={limit}"] if limit else []
    done = subprocess.run(
        [*command, "-w", "-arch=sm_90", "-cubin", "-Xptxas", "-v", *more, str(path), "-o", str(out)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = done.stdout + done.stderr
    return out.read_bytes(), sum(int(n) for n in re.findall(r"(\d+) bytes spill (?:stores|loads)", text))


def main() -> None:
    limits = [int(word) for word in sys.argv[1:]] or LIMITS
    nvcc = find_tool("nvcc")
    assert nvcc is not None
    ours_command = [sys.executable, "-m", "minicc"]
    ratios: list[float] = []
    print("| kernel | limit | spilled bytes | cycles | ratio | of ours without limit |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "x.cubin"
        for path in sorted([*SAMPLES.glob("*.k"), *KERNELS.glob("*.k")]):
            free = measure(path, compiled(ours_command, path, out, 0)[0])
            for limit in limits:
                if free.registers <= limit:
                    continue
                image, ours = compiled(ours_command, path, out, limit)
                reference, theirs = compiled([nvcc, "-x", "cu"], path, out, limit)
                mine, other = measure(path, image), measure(path, reference)
                ratio = mine.cycles / other.cycles
                ratios.append(ratio)
                print(
                    f"| {path.stem} | {limit} | {ours} / {theirs} | {mine.cycles} / {other.cycles} | {ratio:.3f} "
                    f"| {mine.cycles / free.cycles:.2f} |{' ' + mine.wrong if mine.wrong else ''}",
                    flush=True,
                )
    print(f"| {len(ratios)} rows | | | | {statistics.geometric_mean(ratios):.3f} | |")


if __name__ == "__main__":
    main()
