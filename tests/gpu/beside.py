"""Several compilers' images of one plan beside one another, by turns in one process.

    python -m tests.gpu.beside model PLAN MODEL.json FOLDER...            the model's figures, to be frozen first
    ncu --csv --page raw ... --log-file OUT/ncu.csv \
        python -m tests.gpu.beside run PLAN OUT FOLDER... [ROUNDS]        on a GPU
    python -m tests.gpu.beside count MODEL.json OUT [RECORD.json]         ratios, bits, errors; RECORD: both, by label

Each FOLDER has the images that PLAN (of `tests.gpu.programs`) names; its own name is the compiler's. A round runs each
program's launches with every folder's image, from the same contents in the same buffers: what a buffer's place or the
chip's clock does to one image it does to the other. Every second round goes through the folders backwards.
OUT/turns.json says of which folder and launch each row of ncu is, OUT/bits.json in how many elements the saved buffers
differ from the first folder's after a round, and OUT/refused.json why a program has no rows of a folder.
"""

from __future__ import annotations

import ctypes
import json
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from tests.gpu import errors, programs
from tests.gpu.compare import CYCLES, Row, labels, read_ncu
from tests.gpu.run_cubins import Cuda, CudaError


def freeze(plan: Path, out: Path, folders: list[Path]) -> None:
    """The model's figures of each folder's images."""
    with ProcessPoolExecutor() as pool:
        figures = {
            folder.name: {
                label: row
                for each in pool.map(errors.on_model, [(p, folder) for p in programs.plan(plan)])
                for label, row in each.items()
            }
            for folder in folders
        }
    out.write_text(json.dumps(figures))


def difference(ours: programs.Array, other: programs.Array) -> dict[str, float]:
    """In how many elements two arrays have other bits, and by how much at most (numbers alone)."""
    differ = ours.view(f"V{ours.itemsize}") != other.view(f"V{other.itemsize}")
    a, b = (x[differ].astype(np.float64) for x in (ours, other))
    with np.errstate(all="ignore"):
        most = float(np.nanmax(np.abs(a - b), initial=0.0))
        size = float(np.nanmax(np.abs(other.astype(np.float64)), initial=0.0))
    return {"differ": int(differ.sum()), "of": int(differ.size), "most": most, "largest": size}


class Turns:
    """What `run` keeps: see the module."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.turns: list[tuple[str, str]] = []
        self.bits: dict[str, dict[str, dict[str, float]]] = {}
        self.refused: dict[str, str] = {}

    def save(self) -> None:
        for name in ("turns", "bits", "refused"):
            (self.out / f"{name}.json").write_text(json.dumps(getattr(self, name)))

    def program(self, cuda: Cuda, program: dict[str, Any], folders: list[Path], rounds: int) -> None:
        """A program's launches, by turns of the folders."""
        hosts = {name: programs.contents(spec) for name, spec in program["buffers"].items()}
        addresses = {name: cuda.allocate(array.nbytes) for name, array in hosts.items()}
        modules = {folder.name: cuda.load((folder / program["image"]).read_bytes()) for folder in folders}
        names = [folder.name for folder in folders]
        first: dict[str, programs.Array] = {}
        for turn in range(rounds):
            for name in names[:: -1 if turn % 2 else 1]:
                if f"{name}/{program['name']}" in self.refused:
                    continue
                programs.fill(cuda, modules[name], program, hosts, addresses)
                try:
                    for launch, label in zip(programs.launches(program), labels([program]), strict=True):
                        programs.start(cuda, modules[name], launch, addresses)
                        self.turns.append((name, label))
                except CudaError as error:
                    self.refused[f"{name}/{program['name']}"] = str(error)
                    continue
                if turn == 0:
                    saved = programs.saved(cuda, program, hosts, addresses)
                    first = first or saved
                    self.bits[f"{name}/{program['name']}"] = {k: difference(a, first[k]) for k, a in saved.items()}
        for address in addresses.values():
            cuda("cuMemFree_v2", ctypes.c_uint64(address))
        for module in modules.values():
            cuda("cuModuleUnload", module)


def run(plan: Path, out: Path, folders: list[Path], rounds: int) -> None:
    """All programs on a GPU."""
    out.mkdir(parents=True, exist_ok=True)
    cuda, turns = Cuda(0), Turns(out)
    for program in programs.plan(plan):
        turns.program(cuda, program, folders, rounds)
        turns.save()
    print(f"{len(turns.turns)} launches on {cuda.name}, {len(turns.refused)} programs refused")


def measured(out: Path) -> dict[str, dict[str, Row]]:
    """The median of each launch's rounds, by folder and label."""
    order = json.loads((out / "turns.json").read_text())
    rows: dict[str, dict[str, list[Row]]] = {}
    for (name, label), row in zip(order, read_ncu(out / "ncu.csv"), strict=False):
        rows.setdefault(name, {}).setdefault(label, []).append(row)
    return {
        name: {label: {m: median(r[m] for r in each) for m in each[0]} for label, each in own.items()}
        for name, own in rows.items()
    }


def geometric(ratios: list[float]) -> float:
    return math.exp(fmean(map(math.log, ratios)))


def count(model: Path, out: Path, record: Path | None = None) -> None:
    """Print how the folders compare, and how the model's figures compare with what was measured."""
    figures, gpu = json.loads(model.read_text()), measured(out)
    names = [name for name in figures if name in gpu]
    for other in names[1:]:
        base, own = gpu[names[0]], gpu[other]
        ratios = {label: own[label][CYCLES] / base[label][CYCLES] for label in base if label in own}
        above = sum(r > 1.05 for r in ratios.values())
        print(f"{other} / {names[0]}: {geometric([*ratios.values()]):.3f} of {len(ratios)}, {above} above 1.05")
        for label, ratio in sorted(ratios.items(), key=lambda pair: -pair[1]):
            print(f"{ratio:7.3f}  {own[label][CYCLES]:9.0f} {base[label][CYCLES]:9.0f}  {label}")
    for program, buffers in json.loads((out / "bits.json").read_text()).items():
        for buffer, d in buffers.items():
            if d["differ"]:
                print(f"bits: {program} {buffer}: {d['differ']} of {d['of']}, {d['most']:.3g} of {d['largest']:.3g}")
    for program, why in json.loads((out / "refused.json").read_text()).items():
        print(f"refused: {program}: {why}")
    both: dict[str, Any] = {}
    for name in names:
        both[name] = errors.shown(name, figures[name], gpu[name])
    if record is not None:
        record.write_text(json.dumps(both, indent=0))


def main(words: list[str]) -> None:
    match words:
        case ["model", plan, out, *folders]:
            freeze(Path(plan), Path(out), [*map(Path, folders)])
        case ["run", plan, out, *folders] if len(folders) > 1:
            rounds = int(folders.pop()) if folders[-1].isdigit() else 1
            run(Path(plan), Path(out), [*map(Path, folders)], rounds)
        case ["count", model, out, *record] if len(record) < 2:
            count(Path(model), Path(out), *map(Path, record))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
