"""The drawn sets once more: nvcc's images and plans of launches whose record is kept, from the suites that they are of.

    python -m tests.gpu.validation.again SUITES FOLDER

SUITES holds `hec/src` (HeCBench) and `samples` (NVIDIA's). For each label of nvcc's code in the records of the first,
second, fourth, fifth and sixth sets its program is compiled, and its arguments are drawn as `found` draws them; it is
the same launch if it executes as many instructions as were recorded. FOLDER gets images and SET_nvcc.json, which
`tests.gpu.errors` takes, and missing.json: why others are not there (28 of 430 on 2026-11-23).
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tests.gpu import programs
from tests.gpu.accuracy_page import DATA
from tests.gpu.errors import EXECUTED
from tests.gpu.validation import found
from tests.gpu.validation.plan import compile_image, kernels

SETS = {"first": "blind", "second": "unseen", "fourth": "unseen4", "fifth": "unseen5", "sixth": "unseen6"}
Wanted = dict[str, tuple[str, float]]
"""Of a program: its set and how many instructions were executed, by launch."""


def wanted() -> dict[str, Wanted]:
    """What the records have of HeCBench and the samples, by program."""
    out: dict[str, Wanted] = {}
    for name, file in SETS.items():
        for label, row in json.loads((DATA / f"{file}.json").read_text())["nvcc"].items():
            suite, program, launch = label.split("/", 2)
            if suite in ("hec", "samples"):
                out.setdefault(f"{suite}/{program}", {})[launch] = name, row["h200"][EXECUTED]
    return out


def sources(program: str, suites: Path) -> list[Path]:
    """The files that may hold a program's kernels, the likeliest first."""
    suite, name = program.split("/")
    if suite == "samples":
        return sorted((suites / "samples").rglob(f"{name}.cu"))
    return sorted((suites / "hec/src" / f"{name}-cuda").rglob("*.cu"), key=lambda p: (p.name != "main.cu", p.name))


def same(program: str, image: Path, launch: str, executed: float, types: dict[str, Any]) -> dict[str, Any] | None:
    """The program whose only launch has this label and executes so many instructions, if the image has one."""
    code = found.disassembly(image)
    for kernel, known in types.items():
        if known is None or not launch.startswith(kernel[:40] + " "):
            continue
        for attempt in range(found.TRIES):
            drawn = {**found.draw(program, kernel, known, code.get(kernel, ""), attempt), "image": image.name}
            if drawn["launches"][0]["label"] != launch:
                continue
            try:
                results, _ = programs.on_model(
                    drawn, image.parent, hazards="off", memory=1 << 28, timing=False, instruction_limit=8_000_000
                )
            except Exception:  # other arguments than those that were measured may do anything
                continue
            if abs(results[0].stats[EXECUTED] / executed - 1) < 0.002:
                return drawn
    return None


def build(program: str, rows: Wanted, suites: Path, folder: Path) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    """(set and program of each launch that is there again; the launches that are not, and errors of the compiler)."""
    out: list[tuple[str, dict[str, Any]]] = []
    missing, errors = dict(rows), []
    for source in sources(program, suites):
        text = source.read_text(errors="replace")
        if not missing or ("__global__" not in text and "<<<" not in text):
            continue
        image = folder / f"nvcc_{program.replace('/', '_')}_{source.stem}.cubin"
        places = [*list(source.parents)[: len(source.relative_to(suites).parts) - 1], suites / "samples/Common"]
        include = [f"-I{place / more}" for place in places for more in (".", "include", "src")]
        error = compile_image(["nvcc", "-std=c++17", "-w", "-arch=sm_90", "-cubin", *include, str(source)], image)
        if error:
            errors.append(f"{source.name}: {error}")
            continue
        names = kernels(image)
        texts = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True).stdout.splitlines()
        types = {k: found.parameters(t) for k, t in zip(names, texts, strict=True)}
        for launch, (name, executed) in list(missing.items()):
            drawn = same(program, image, launch, executed, types)
            if drawn is not None:
                out.append((name, drawn))
                del missing[launch]
    return out, [*missing, *errors] if missing else []


def main(suites: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    plans: dict[str, list[dict[str, Any]]] = {name: [] for name in SETS}
    missing: dict[str, list[str]] = {}
    with ProcessPoolExecutor() as pool:
        jobs = {program: pool.submit(build, program, rows, suites, folder) for program, rows in wanted().items()}
        for program, job in jobs.items():
            there, lost = job.result()
            for name, drawn in there:
                plans[name].append(drawn)
            if lost:
                missing[program] = lost
    for name, plan in plans.items():
        (folder / f"{name}_nvcc.json").write_text(json.dumps(plan))
    (folder / "missing.json").write_text(json.dumps(missing, indent=0))
    print({name: len(plan) for name, plan in plans.items()})


if __name__ == "__main__":
    main(*(Path(a).resolve() for a in sys.argv[1:3]))
