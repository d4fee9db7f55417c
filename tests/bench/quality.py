"""Code quality beside nvcc: `python -m tests.bench.quality [FILE.k | FOLDER ...] [--images DIR] [--options "..."]`.

For each kernel file (default: samples and tests/bench/kernels): registers and SASS instructions of the largest kernel,
warp instructions and cycles of its script's launches on the SM model, ours and nvcc -O3's; `ratio` is ours over nvcc's
cycles. `--images` also writes DIR/ours and DIR/nvcc/<name>.cubin, as tests.gpu.record_samples takes them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import attrs

import minicc
from minicc.binary import read_cubin
from minicc.diagnostics import CompileError
from tests.conftest import SAMPLES, find_tool
from tests.end_to_end.harness import run_script

KERNELS = Path(__file__).with_name("kernels")


@attrs.frozen
class Figures:
    """Of one image: static ones of its largest kernel, dynamic ones summed over the script's launches."""

    registers: int
    instructions: int
    executed: int
    cycles: int
    wrong: str


def measure(path: Path, image: bytes) -> Figures:
    """Run the script of `path` with an image."""
    functions = read_cubin(image, path.name).functions
    largest = max(functions, key=lambda f: len(f.code))
    outcome = run_script(path, image, hazards="off")
    executed = sum(int(r.result.stats["smsp__inst_executed.sum"]) for r in outcome.launches)
    wrong = ", ".join(c.name for c in outcome.checks if not c.ok)
    cycles = sum(r.result.cycles for r in outcome.launches)
    return Figures(largest.registers, len(largest.code) // 16, executed, cycles, wrong)


def nvcc_image(path: Path, nvcc: str, folder: str) -> bytes:
    out = Path(folder) / f"{path.stem}.cubin"
    subprocess.run([nvcc, "-x", "cu", "-cubin", "-arch=sm_90", "-O3", "-o", str(out), str(path)], check=True)
    return out.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[SAMPLES, KERNELS])
    parser.add_argument("--images", type=Path)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--options", default="")
    given = parser.parse_args()
    files: list[Path] = []
    for path in given.paths:
        files += sorted(path.glob("*.k")) if path.is_dir() else [path]
    nvcc = find_tool("nvcc")
    if nvcc is None:
        sys.exit("nvcc is not here")
    print(f"{'kernel':20}{'regs':>10}{'SASS instr.':>14}{'executed':>20}{'cycles':>18}{'ratio':>7}")
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            try:
                ours = minicc.compile(path, arch="sm_90", options=given.options).cubin
                theirs = nvcc_image(path, nvcc, folder)
                if given.images:
                    for kind, image in (("ours", ours), ("nvcc", theirs)):
                        place = given.images / kind
                        os.makedirs(place, exist_ok=True)
                        (place / f"{path.stem}.cubin").write_bytes(image)
                if given.no_run:
                    continue
                a, b = measure(path, ours), measure(path, theirs)
            except (CompileError, subprocess.CalledProcessError) as error:
                print(f"{path.stem:20} {error}")
                continue
            ratio = a.cycles / max(1, b.cycles)
            ratios.append(ratio)
            print(
                f"{path.stem:20}{a.registers:5}{b.registers:5}{a.instructions:7}{b.instructions:7}"
                f"{a.executed:10}{b.executed:10}{a.cycles:9}{b.cycles:9}{ratio:7.3f}"
                + (f"  wrong: {a.wrong or '-'} / {b.wrong or '-'}" if a.wrong or b.wrong else ""),
                flush=True,
            )
    if ratios:
        print(f"{'geometric mean':82}{statistics.geometric_mean(ratios):7.3f}  of {len(ratios)}")


if __name__ == "__main__":
    main()
