"""Print docs/samples.md: `python -m tests.gpu.samples_table > docs/samples.md`, from tests/gpu/data and the model.

For each sample: what it teaches, and for our cubin and nvcc's: registers, machine instructions, the worst error on the
H200 against the reference, whether the model's bits are the H200's, cycles on both and the H200's time.
"""

from __future__ import annotations

import csv
import io
import statistics
import sys

from minicc import binary
from minicc.diagnostics import SourceFile
from runtime import script
from tests.conftest import SAMPLES
from tests.end_to_end.harness import run_script
from tests.gpu.test_recorded import DATA, RECORD, digest

HEAD = """## On an H200 and on the model

{device}, driver {driver}, {date}: `{command}` ran every image below through `minicc run`'s own script; cycles are
`gpc__cycles_elapsed.max` of `ncu --cache-control all --clock-control none`, summed over the sample's launches; times
are CUDA events around each launch, medians of seven, launch overhead included. This page is the output of
`python -m tests.gpu.samples_table`; the cubins and what the GPU made of them are in `tests/gpu/data`, and
`tests/gpu/test_recorded.py` holds the model to them.

*worst error* is the GPU's largest difference from the numpy reference (float64 for floats); *bits* says whether every
output of the model equals the GPU's, bit for bit (a free order of float atomics excepted). The model's
parameters come from micro-benchmarks, but earlier ones were fitted to this table; docs/accuracy.md has kernels that no
parameter was fitted to.
"""


def ncu(variant: str) -> dict[str, list[float]]:
    """gpc__cycles_elapsed.max of each launch, by sample, as Nsight Compute gave them (data/ncu_<variant>.csv)."""
    path = DATA / f"ncu_{variant}.csv"
    found: dict[str, list[float]] = {}
    if path.exists():
        for row in csv.reader(io.StringIO(path.read_text())):
            if len(row) > 15 and row[13] == "gpc__cycles_elapsed.max":
                found.setdefault(row[0], []).append(float(row[15].replace(",", "")))
    return found


def main() -> None:
    cycles = {variant: ncu(variant) for variant in ("ours", "nvcc")}
    print(
        "# The samples\n\nEach runs alone: `minicc run samples/NAME.k`. [labs.md](labs.md) asks questions about some.\n"
    )
    print("| sample | teaches |\n|---|---|")
    for path in sorted(SAMPLES.glob("*.k")):
        print(f"| {path.stem} | {script.parse(SourceFile(path.name, path.read_text())).teaches} |")
    print()
    print(HEAD.format(**RECORD))
    print("| sample | code | registers | instructions | worst error | bits | cycles H200 | model | error | time us |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    ratios: list[float] = []
    errors: dict[str, list[float]] = {"ours": [], "nvcc": []}
    for path in sorted(SAMPLES.glob("*.k")):
        for variant in ("ours", "nvcc"):
            recorded = RECORD["samples"][path.stem][variant]
            image = (DATA / variant / f"{path.stem}.cubin").read_bytes()
            program = binary.read_cubin(image, path.stem)
            outcome = run_script(path, image)
            free = {c.name for c in outcome.checks if c.free_order}
            same = all(digest(outcome.variables[n]) == recorded["outputs"][n] for n in outcome.outputs if n not in free)
            bits = ("same" if same else "DIFFER") + (" (free order)" if free else "")
            worst = max(c["worst"] for c in recorded["checks"])
            registers = max(f.registers for f in program.functions if f.entry)
            count = sum(len(f.code) // 16 for f in program.functions)
            model = sum(launch.result.cycles for launch in outcome.launches)
            real = sum(cycles[variant].get(path.stem, [])) or None
            gap = f"{(model - real) / real:+.0%}" if real else ""
            if real:
                errors[variant].append(abs(model - real) / real)
            time = 1e3 * sum(recorded["milliseconds"])
            chip = f"{real:.0f}" if real else ""
            cells = (path.stem, variant, registers, count, f"{worst:.3g}", bits, chip, model, gap)
            print("| " + " | ".join(map(str, (*cells, f"{time:.1f}"))) + " |")
            sys.stdout.flush()
    for variant, values in errors.items():
        if values:
            print(f"\nMean absolute error of cycles, {variant}: {statistics.mean(values):.1%}")
    for sample, total in sorted(cycles["ours"].items()):
        if sample in cycles["nvcc"]:
            ratios.append(sum(total) / sum(cycles["nvcc"][sample]))
    if ratios:
        print(f"\nCycles on the GPU, ours over nvcc's, geometric mean: {statistics.geometric_mean(ratios):.3f}")


main()
