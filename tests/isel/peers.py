"""Selection beside its peers: `python -m tests.isel.peers [-j JOBS] [-I DIR]... [FILE...]` has docs/isel.md's figures.

For each kernel: PTX instructions that we, LLVM's own NVPTX backend (from the same IR) and nvcc (from the same source)
write, and SASS instructions after NVIDIA's ptxas has compiled each of the three. A name counts what the file has under
it (an entry, or a function that is called). Without files: the samples, and the kernels of tests/end_to_end and
tests/bench. `--keep FOLDER` leaves PTX and cubins as FOLDER/<file>.<peer>.ptx.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from tests.conftest import find_tool

CUOBJDUMP = find_tool("cuobjdump") or "cuobjdump"
ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "samples", ROOT / "tests" / "end_to_end" / "kernels", ROOT / "tests" / "bench" / "kernels")
PEERS = ("ours", "llvm", "nvcc")
_MINICC = (sys.executable, "-c", "from minicc.cli import entry; entry()")
_RELAXED = ("--expt-relaxed-constexpr", "--expt-extended-lambda")
_FUNCTION = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
_INSTRUCTION = re.compile(r"\s+(?:@!?%\w+\s+)?[a-z][\w.:]*(?:\s[^;]*)?;\s*$")
_MACHINE = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")

Counts = dict[str, int]
"""Function -> instructions."""
Row = dict[str, tuple[int, int]]
"""Peer -> (PTX instructions, SASS instructions) of one function."""


def ptx_counts(text: str) -> Counts:
    """Instructions of a PTX file's functions: declarations and directives do not count."""
    found: Counts = Counter()
    name = ""
    for line in text.split("\n"):
        if head := _FUNCTION.search(line):
            name = head[1]
        elif _INSTRUCTION.match(line):
            found[name] += 1
    return found


def sass_counts(path: Path, into: Path) -> Counts:
    """Machine instructions after NVIDIA's ptxas, without padding; none if it is refused."""
    command = ["ptxas", "-arch=sm_90", str(path), "-o", str(into)]
    if subprocess.run(command, capture_output=True, timeout=300).returncode:
        return {}
    listing = subprocess.run([CUOBJDUMP, "-sass", str(into)], capture_output=True, text=True).stdout
    found: Counts = Counter()
    name = ""
    for line in listing.split("\n"):
        if "Function : " in line:
            name = line.split(" : ")[1].strip()
        elif (op := _MACHINE.match(line)) and op[1] != "NOP":
            found[name] += 1
    return found


def measure(source: Path, folder: Path, peers: tuple[str, ...], includes: list[str]) -> dict[str, Row]:
    """Kernel -> row, of what all peers compile."""
    include = [f"-I{path}" for path in (source.parent, source.parent.parent, *includes)]
    commands = {
        "ours": [*_MINICC, str(source), "-ptx", "-w", *include],
        "llvm": [*_MINICC, str(source), "--emit=nvptx", "-w", *include],
        "nvcc": ["nvcc", "-x", "cu", "-arch=sm_90", "-ptx", "-w", *_RELAXED, str(source), *include],
    }
    counts: dict[str, tuple[Counts, Counts]] = {}
    for peer in peers:
        made = folder / f"{source.parent.name}.{source.stem}.{peer}.ptx"
        try:
            command = [*commands[peer], "-o", str(made)]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
            if done.returncode:
                error = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
                print(f"{source}: not compiled, {peer}: {error}", file=sys.stderr)
                continue
            counts[peer] = ptx_counts(made.read_text()), sass_counts(made, made.with_suffix(".cubin"))
        except subprocess.TimeoutExpired:
            print(f"{source}: not compiled, {peer}: more than two minutes", file=sys.stderr)
    rows: dict[str, Row] = {}
    for peer, (ptx, sass) in counts.items():
        for kernel in sorted(set(ptx) & set(sass)):
            rows.setdefault(kernel, {})[peer] = ptx[kernel], sass[kernel]
    return {kernel: row for kernel, row in rows.items() if len(row) > 1 and "ours" in row}


def summary(rows: list[Row], peers: tuple[str, ...]) -> None:
    """Means, and how many kernels have more than a peer's."""
    for index, what in enumerate(("PTX", "SASS")):
        for peer in peers[1:]:
            ratios = sorted(f["ours"][index] / f[peer][index] for f in rows if peer in f)
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                above = [sum(ratio > limit for ratio in ratios) for limit in (1, 1.01, 1.03)]
                print(
                    f"{what}, ours / {peer}: geometric mean {mean:.3f} of {len(ratios)}; above {above[0]}, "
                    f"by more than 1 % {above[1]}, 3 % {above[2]}; worst {ratios[-1]:.2f}"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--without-nvcc", action="store_true")
    options = parser.parse_args()
    files = options.files or [
        path for folder in FOLDERS for path in sorted(folder.glob("*")) if path.suffix in (".k", ".cu")
    ]
    peers = PEERS[: 2 if options.without_nvcc else 3]
    rows: list[Row] = []
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with (
        nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        names = " | ".join(peers)
        print(f"| kernel | PTX: {names} | SASS: {names} |\n|{'---|' * (2 * len(peers) + 1)}")
        found = pool.map(partial(measure, folder=Path(folder), peers=peers, includes=options.includes), files)
        for path, kernels in zip(files, found, strict=True):
            for kernel, counts in kernels.items():
                rows.append(counts)
                cells = " | ".join(
                    str(counts[peer][index]) if peer in counts else "" for index in range(2) for peer in peers
                )
                print(f"| {path.stem} {kernel} | {cells} |", flush=True)
    summary(rows, peers)


if __name__ == "__main__":
    main()
