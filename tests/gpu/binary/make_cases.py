"""Cases that ask a real GPU's driver to load what `minicc.binary` writes.

    python -m tests.gpu.binary.make_cases CASES      here; needs NVIDIA's ptxas
    python tests/gpu/run_cubins.py CASES OUT         on the GPU

Each kernel of tests/binary/kernels.cu comes twice: as ptxas wrote the cubin, and read and written anew by us, both with
the expected output; once more from a fatbin with a zstd-compressed cubin; and, where nvcc is here, from a -G cubin and
ours of it. They use parameters by value, static and dynamic shared memory, __device__ and __constant__ variables,
pointers in initialisers, device functions, printf, a jump table and a cluster launch.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from minicc.binary import Entry, read_cubin, write_cubin, write_fatbin
from tests.conftest import find_tool

PTX = Path(__file__).parents[2] / "binary" / "kernels.ptx"
N = 64


def k_one(p: np.ndarray, n: int, b: float) -> np.ndarray:
    """What the kernel k_one leaves in `p`, with fused multiply-adds as the GPU does them."""
    t = np.zeros(250, np.float32)
    t[: p.size] = p * p
    x = t[(np.arange(p.size) + 1) % 250]
    for _ in range(n):
        x = (x.astype(np.float64) * x + 1).astype(np.float32)
    table = np.zeros(16, np.float32)
    table[:3] = 1, 2, 3
    return x + table[np.arange(p.size) & 15] + np.float32(b) + np.float32(2)


def main(folder: Path) -> None:
    """Write the cases."""
    tool = find_tool("ptxas")
    if tool is None:
        raise SystemExit("ptxas is not here")
    folder.mkdir(parents=True, exist_ok=True)
    original = folder / "ptxas.bin"
    subprocess.run([tool, "-arch=sm_90", "-lineinfo", PTX, "-o", original], check=True)
    ours = write_cubin(read_cubin(original.read_bytes(), "kernels"))
    (folder / "ours.bin").write_bytes(ours)
    (folder / "fatbin.bin").write_bytes(write_fatbin([Entry("cubin", "sm_90", ours, "zstd")]))
    images = ["ptxas", "ours", "fatbin"]
    if nvcc := find_tool("nvcc"):
        # -G: device functions in sections of their own, calls and addresses by relocations that the driver applies.
        source = PTX.with_suffix(".cu")
        subprocess.run([nvcc, "-arch=sm_90", "-cubin", "-G", source, "-o", folder / "debug.bin"], check=True)
        rewritten = write_cubin(read_cubin((folder / "debug.bin").read_bytes(), "debug"))
        (folder / "debugours.bin").write_bytes(rewritten)
        images += ["debug", "debugours"]
    p, v = np.linspace(0, 1, N).astype(np.float32), np.arange(32, dtype=np.int32)
    np.save(folder / "p.npy", p)
    np.save(folder / "v.npy", v)
    expected = {"one": k_one(p, 3, 2.5), "times3": v * 3, "xor55": v ^ 55, "cluster": np.ones(4, np.int32)}
    for name, array in expected.items():
        array.tofile(folder / f"{name}.exp")
    struct_s = struct.pack("<if", 7, 2.5).hex()
    cases: dict[str, dict[str, Any]] = {
        "one": {"kernel": "k_one", "grid": [1], "block": [N], "shared": 1024,
                "args": [{"inout": "p.npy"}, {"i32": 3}, {"bytes": struct_s}]},
        "times3": {"kernel": "k_switch", "grid": [1], "block": [32], "args": [{"inout": "v.npy"}, {"i32": 1}]},
        "xor55": {"kernel": "k_switch", "grid": [1], "block": [32], "args": [{"inout": "v.npy"}, {"i32": 3}]},
        "cluster": {"kernel": "_Z9k_clusterPi", "grid": [4], "block": [1], "args": [{"out": 16}]},
    }  # fmt: skip
    for name, case in cases.items():
        for image in images:
            text = json.dumps({"image": f"{image}.bin", "expect": f"{name}.exp", **case}, indent=1)
            (folder / f"{name}_{image}.json").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
