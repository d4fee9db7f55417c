"""Selection beside its peers: `python -m tests.isel.peers [FILE...]` prints a table for docs/isel.md.

For each kernel file: PTX instructions that we, LLVM's own NVPTX backend (from the same IR) and nvcc (from the
same source) write, and SASS instructions after NVIDIA's ptxas has compiled each of the three. Without files: the
samples, and the kernels of tests/end_to_end and tests/bench.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from minicc import cli

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "samples", ROOT / "tests" / "end_to_end" / "kernels", ROOT / "tests" / "bench" / "kernels")
_INSTRUCTION = re.compile(r"\s+(?:@!?%\w+\s+)?[a-z][\w.:]*(?:\s[^;]*)?;\s*$")


def ptx_count(text: str) -> int:
    """Instructions of a PTX file: declarations and directives do not count."""
    return sum(1 for line in text.split("\n") if _INSTRUCTION.match(line))


def sass_count(path: Path, into: Path) -> int:
    """Machine instructions after NVIDIA's ptxas, without padding; -1 if refused."""
    done = subprocess.run(["ptxas", "-arch=sm_90", str(path), "-o", str(into)], capture_output=True, text=True)
    if done.returncode:
        return -1
    listing = subprocess.run(["cuobjdump", "-sass", str(into)], capture_output=True, text=True).stdout
    names = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", listing)
    return sum(1 for name in names if name != "NOP")


def measure(source: Path, folder: Path) -> dict[str, tuple[int, int]]:
    """Peer -> (PTX instructions, SASS instructions)."""
    made = {"ours": folder / "ours.ptx", "llvm": folder / "llvm.ptx", "nvcc": folder / "nvcc.ptx"}
    for path in made.values():
        path.unlink(missing_ok=True)
    cli.main([str(source), "-ptx", "-w", "-o", str(made["ours"])])
    cli.main([str(source), "--emit=nvptx", "-w", "-o", str(made["llvm"])])
    command = ["nvcc", "-x", "cu", "-arch=sm_90", "-ptx", str(source), "-o", str(made["nvcc"])]
    subprocess.run(command, capture_output=True)
    return {
        name: (ptx_count(path.read_text()), sass_count(path, folder / "x.cubin"))
        for name, path in made.items()
        if path.exists()
    }


def main(names: list[str]) -> None:
    files = [Path(name) for name in names] or [
        path for folder in FOLDERS for path in sorted(folder.glob("*")) if path.suffix in (".k", ".cu")
    ]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            found = measure(path, Path(folder))
            if len(found) == 3:
                rows.append((path.stem, found))
    print("| kernel | PTX: ours | LLVM | nvcc | SASS: ours | LLVM | nvcc |\n|---|---|---|---|---|---|---|")
    for name, found in rows:
        ptx = " | ".join(str(found[peer][0]) for peer in ("ours", "llvm", "nvcc"))
        sass = " | ".join(str(found[peer][1]) for peer in ("ours", "llvm", "nvcc"))
        print(f"| {name} | {ptx} | {sass} |")
    for index, what in enumerate(("PTX", "SASS")):
        for peer in ("llvm", "nvcc"):
            ratios = [f["ours"][index] / f[peer][index] for _, f in rows if min(f["ours"][index], f[peer][index]) > 0]
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{what}, ours / {peer}: geometric mean {mean:.3f} of {len(ratios)}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
