"""Print docs/samples.md's table: `python -m tests.gpu.samples_table`, from tests/gpu/data and runs of the model.

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
    print(f"{RECORD['device']}, driver {RECORD['driver']}, {RECORD['date']}; `{RECORD['command']}`\n")
    print("| sample | code | registers | instructions | worst error | bits | cycles H200 | model | error | time us |")
    print("|---|---|---|---|---|---|---|---|---|---|")
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
    print("\n| sample | teaches |\n|---|---|")
    for path in sorted(SAMPLES.glob("*.k")):
        print(f"| {path.stem} | {script.parse(SourceFile(path.name, path.read_text())).teaches} |")


main()
