"""Kernels with real calls as cases for a real GPU: recursion, function pointers, arguments on the stack.

python -m tests.gpu.calls.make_cases CASES         here
python tests/gpu/run_cubins.py CASES OUT           on the GPU
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from minicc import binary
from minicc.sass.program import Program
from tests.ptxas.calls import EXPECTED, MODULE
from tests.ptxas.lower.harness import assemble

THREADS = 192
TWINS: dict[str, dict[str, object]] = {
    "auto": {},
    "never": {"inline": "never"},
    "serial": {"inline": "never", "sched": "serial"},
    "spill": {"inline": "never", "ra": "spill-all"},
    "few": {"inline": "never", "max_registers": 32},
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, value in EXPECTED.items():
        np.array([value(i) for i in range(THREADS)], np.uint32).tofile(folder / f"{kernel}.expect")
    images: dict[str, bytes] = {}
    if ptxas := shutil.which("ptxas"):
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "calls.ptx").write_text(MODULE)
            subprocess.run([ptxas, "-arch=sm_90", "calls.ptx", "-o", "calls.cubin"], cwd=place, check=True)
            images["nvidia"] = (Path(place) / "calls.cubin").read_bytes()
    for twin, options in TWINS.items():
        program = assemble(MODULE, **options)
        assert isinstance(program, Program)
        images[twin] = binary.write_cubin(program)
    for twin, image in images.items():
        (folder / f"{twin}.cubin").write_bytes(image)
        for kernel in EXPECTED:
            case = {
                "image": f"{twin}.cubin",
                "kernel": kernel,
                "grid": [4, 1, 1],
                "block": [THREADS // 4, 1, 1],
                "args": [{"out": 4 * THREADS}, {"u32": THREADS}],
                "expect": f"{kernel}.expect",
            }
            (folder / f"{kernel}_{twin}.json").write_text(json.dumps(case))
    print(f"{len(EXPECTED) * len(images)} cases in {folder}")


if __name__ == "__main__":
    main()
