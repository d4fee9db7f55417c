"""The figures that docs/performance.md quotes."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import Sample, median, once, paired
from tests.conftest import SAMPLES, find_tool

MINICC = str(Path(sys.executable).with_name("minicc"))

# Sizes at which a sample takes some ten million warp instructions; scan takes no more than this many elements.
LARGE = {
    "vadd": ["n=20000000"], "saxpy": ["n=25000003"], "daxpy": ["n=40000000"], "dot": ["n=40000000"],
    "transpose_naive": ["n=4608"], "transpose_tiled": ["n=5120"], "sgemm_naive": ["n=512"], "sgemm_tiled": ["n=512"],
    "sgemm_regblock": ["n=1024"], "stencil2d": ["w=4000", "h=3000"], "conv1d": ["n=6000000"],
    "scan": ["n=1 << 19"], "histogram": ["n=72000000"], "bitonic": ["n=1 << 19"], "mandelbrot": ["limit=2000"],
    "nbody": ["n=4096"], "blackscholes": ["n=2000000"], "softmax": ["rows=21000"], "collatz": ["n=200000"],
    "sha256": ["n=1 << 16"], "montecarlo": ["draws=1000"], "spmv_scalar": ["rows=1600000"],
    "spmv_vector": ["rows=200000"], "spmv_merge": ["rows=600000"],
}  # fmt: skip


def geometric_mean(values: list[float]) -> float:
    return statistics.geometric_mean(values) if values else float("nan")


def compile_times(runs: int) -> None:
    """Whole-process time to a cubin beside nvcc's, every sample."""
    nvcc = find_tool("nvcc")
    print(f"\ncompile to cubin, whole process, median of {runs}; nvcc: {nvcc or 'not here'}")
    print(f"{'sample':18}{'minicc':>10}{'nvcc':>10}{'ratio':>8}{'MiB':>8}{'nvcc MiB':>10}")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(SAMPLES.glob("*.k")):
            ours = [MINICC, "-cubin", "-arch=sm_90", "-o", f"{folder}/a.cubin", str(path)]
            theirs = [nvcc, "-x", "cu", "-cubin", "-arch=sm_90", "-o", f"{folder}/b.cubin", str(path)] if nvcc else None
            a, b = paired(ours, theirs, runs)
            row = f"{path.stem:18}{median(a, 'wall'):9.3f}s"
            if b:
                ratio = statistics.median(x.wall / y.wall for x, y in zip(a, b, strict=True))
                ratios.append(ratio)
                row += f"{median(b, 'wall'):9.3f}s{ratio:8.2f}{median(a, 'peak'):8.0f}{median(b, 'peak'):10.0f}"
            print(row, flush=True)
    if ratios:
        print(f"{'geometric mean':18}{'':20}{geometric_mean(ratios):8.2f}")


def simulate() -> None:
    """Warp instructions per second of the SM model, timing on and off, one core and two; machines that are compiled in
    full."""
    subprocess.run([MINICC, "cache", "warm"], check=True, capture_output=True)
    print("\nSM model, one core and two (taskset), hazards=off for speed and =report as tests run it")
    columns = {
        "timing": ("0", ["--hazards", "off"]),
        "two cores": ("0,1", ["--hazards", "off", "--cores", "2"]),
        "report": ("0", []),
        "functional": ("0", ["--no-timing"]),
    }
    print(f"{'sample':18}{'warp instr.':>14}" + "".join(f"{column:>12}" for column in columns) + "   per second")
    rates: dict[str, list[float]] = {column: [] for column in columns}
    for name, sizes in LARGE.items():
        settings = [word for size in sizes for word in ("--set", size)]
        row, instructions = "", 0
        for column, (cores, extra) in columns.items():
            command = ["taskset", "-c", cores, MINICC, "run", str(SAMPLES / f"{name}.k"), "--json", *settings, *extra]
            done = subprocess.run(command, capture_output=True, text=True)
            if not done.stdout:
                row += f"{'failed':>12}"
                continue
            launches = json.loads(done.stdout)["launches"]
            instructions = sum(launch["stats"]["smsp__inst_executed.sum"] for launch in launches)
            seconds = sum(launch["simulation_seconds"] for launch in launches)
            rates[column].append(instructions / seconds)
            row += f"{instructions / seconds:12.3g}"
        print(f"{name:18}{instructions:14.4g}{row}", flush=True)
    print(f"{'geometric mean':32}" + "".join(f"{geometric_mean(values):12.3g}" for values in rates.values()))


def first_result(runs: int) -> None:
    """Time to the first result of `minicc run samples/vadd.k`: nothing cached, and warm."""
    command = [MINICC, "run", str(SAMPLES / "vadd.k")]
    with tempfile.TemporaryDirectory() as folder:
        cold = once(command, {"MINICC_CACHE_DIR": folder})
        warm: list[Sample] = [once(command, {"MINICC_CACHE_DIR": folder}) for _ in range(runs)]
    print(f"\nminicc run samples/vadd.k: cold {cold.wall:.1f} s ({cold.peak:.0f} MiB), "
          f"warm {median(warm, 'wall'):.2f} s ({median(warm, 'peak'):.0f} MiB), median of {runs}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("compile", "first", "simulate", "all"), default="all")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="whole processes a median is of")
    asked = parser.parse_args()
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    if asked.what in ("compile", "all"):
        compile_times(asked.runs)
    if asked.what in ("first", "all"):
        first_result(asked.runs)
    if asked.what in ("simulate", "all"):
        simulate()


if __name__ == "__main__":
    main()
