"""Whose fault a slow kernel is: `python -m tests.bench.split PLANS [--only GLOB]`.

PLANS is what `tests.gpu.validation.plan` (or anything that makes such a folder, NAME.cu beside `ours.json`) left.
Each source is compiled four ways, PTX by minicc or nvcc, machine code by minicc or by NVIDIA's ptxas, and each launch
runs on the SM model. Of a launch the columns are, for nvcc/NVIDIA: cycles and warp instructions; then cycles over that,
and (in brackets) warp instructions over that, for minicc's PTX through NVIDIA's ptxas (the middle end and selection),
nvcc's PTX through our ptxas (the backend), and minicc alone.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.gpu.programs import on_model

WAYS = {
    "nvcc": ("nvcc", "nvidia"),
    "middle": ("minicc", "nvidia"),
    "backend": ("nvcc", "minicc"),
    "minicc": ("minicc",) * 2,
}
ARCH = "-arch=sm_90"


def build(source: Path, folder: Path, includes: list[str], fresh: bool) -> dict[str, Path]:
    """Way -> image of one source; a way that fails is missing. nvcc's PTX is kept between runs unless `fresh`."""
    minicc = [sys.executable, "-m", "minicc", ARCH, "-w"]
    ptx = {who: folder / f"{source.stem}.{who}.ptx" for who in ("nvcc", "minicc")}
    commands = {"nvcc": ["nvcc", "-w", ARCH], "minicc": minicc}
    images = {}
    for who, command in commands.items():
        if fresh or who == "minicc" or not ptx[who].exists():
            include = [*(f"-I{i}" for i in [source.parent, *includes]), "-ptx", str(source), "-o", str(ptx[who])]
            subprocess.run([*command, *include], capture_output=True)
    for way, (who, backend) in WAYS.items():
        image = folder / f"{source.stem}.{way}.cubin"
        image.unlink(missing_ok=True)
        command = ["ptxas", ARCH, str(ptx[who])] if backend == "nvidia" else [*minicc, "-cubin", str(ptx[who])]
        done = subprocess.run([*command, "-o", str(image)], capture_output=True, text=True)
        if done.returncode == 0 and image.exists():
            images[way] = image
        else:
            print(f"{source.stem} {way}: {(done.stderr or done.stdout).strip()[-200:]}")
    return images


def run(program: dict[str, Any], image: Path) -> list[tuple[int, int]]:
    """(cycles, warp instructions) of each launch."""
    results, _ = on_model(program | {"image": image.name}, image.parent, hazards="off")
    return [(int(r.cycles), int(r.stats["smsp__inst_executed.sum"])) for r in results]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plans", type=Path)
    parser.add_argument("--only", default="*", help="programs whose name (polybench/gemm) matches, several by comma")
    parser.add_argument("--skip", default="", help="launches whose label matches, several by comma")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--fresh", action="store_true", help="ask nvcc again")
    given = parser.parse_args()
    folder = given.plans / "split"
    folder.mkdir(exist_ok=True)
    only, skip = given.only.split(","), given.skip.split(",")
    print(f"{'launch':58}{'nvcc':>9}{'instr.':>9}  {'middle end':^14}{'backend':^14}{'minicc':^14}")
    ratios: dict[str, list[float]] = {way: [] for way in WAYS}
    for program in json.loads((given.plans / "ours.json").read_text()):
        if not any(fnmatch.fnmatch(program["name"], pattern) for pattern in only):
            continue
        rows = program["launches"]
        program["launches"] = [r for r in rows if not any(s and s in r["label"] for s in skip)]
        source = given.plans / f"{Path(program['image']).stem.removeprefix('ours_')}.cu"
        found = {way: run(program, image) for way, image in build(source, folder, given.includes, given.fresh).items()}
        for number, launch in enumerate(program["launches"] if "nvcc" in found else []):
            cycles, executed = found["nvcc"][number]
            line = f"{program['name'] + ' ' + launch['label']:58.58}{cycles:9}{executed:9}"
            for way in ("middle", "backend", "minicc"):
                if way not in found:
                    line += f"{'-':^14}"
                    continue
                ratios[way].append(found[way][number][0] / cycles)
                line += f"  {ratios[way][-1]:5.3f} ({found[way][number][1] / executed:4.2f})"
            print(line, flush=True)
    means = "".join(
        f"  {statistics.geometric_mean(ratios[w] or [1]):5.3f}       " for w in ("middle", "backend", "minicc")
    )
    print(f"{'geometric mean':76}{means}")


if __name__ == "__main__":
    main()
