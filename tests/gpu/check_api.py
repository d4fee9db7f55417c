"""`runtime.Device("cuda:0")` on a real GPU: arrays, buffers, streams, events, variables, printf, errors.

    python -m tests.gpu.binary.make_cases CASES      here
    PYTHONPATH=. python tests/gpu/check_api.py CASES [DEVICE]     on the GPU; needs numpy and attrs

DEVICE may also be sm_90: the same checks on the SM model.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import runtime
from minicc.diagnostics import CompileError


def check(name: str, condition: object) -> None:
    """Print the verdict; raises on a failed check."""
    print(f"{'ok  ' if condition else 'FAIL'} {name}", flush=True)
    if not condition:
        raise SystemExit(1)


def refused(kind: type[Exception], text: str, what: Callable[[], object]) -> bool:
    """Whether `what` raises `kind` with `text` in its message."""
    try:
        what()
    except kind as error:
        print(f"     ({error})")
        return text.lower() in str(error).lower()
    return False


def main(folder: Path, name: str) -> None:
    """All checks, in order; the fault comes last."""
    gpu = runtime.Device(name)
    print(gpu, getattr(gpu, "driver_version", ""))
    p, v = np.load(folder / "p.npy"), np.load(folder / "v.npy")
    want, s = np.fromfile(folder / "one.exp", np.float32), struct.pack("<if", 7, 2.5)
    for image in ("ptxas.bin", "ours.bin", "fatbin.bin"):
        module = gpu.load((folder / image).read_bytes())
        check(f"{image}: kernels", set(module.kernels) == {"k_one", "k_switch", "_Z9k_clusterPi"})
        kernel = module["k_one"]
        check("parameters", [q.size for q in kernel.parameters] == [8, 4, 8])
        check("resources", kernel.registers > 8 and kernel.shared >= 1000)
        data = p.copy()
        launch = kernel[1, 64, 1024](data, 3, s)
        check("array in and out", np.array_equal(data, want))
        check("printf", launch.output.startswith("hello 3 "))
        check("read a variable", module.variable("gcount").read(np.int32)[0] == 64)
        module.variable("gcount").write(5)
        module.variable("ctab").write(np.full(16, 100, np.float32))
        again = p.copy()
        kernel[1, 64, 1024](again, 3, s)
        check(
            "write variables",
            module.variable("gcount").read(np.int32)[0] == 69 and abs(again[5] - want[5] - 100) < 1e-4,
        )
    cluster = gpu.zeros(4, np.int32)
    module["k_cluster"][4, 1](cluster)
    check("base name, cluster, buffer", cluster.numpy().tolist() == [1, 1, 1, 1])
    one, two = gpu.stream(), gpu.stream()
    numbers = gpu.buffer(v)
    start = gpu.event().record(one)
    module["k_switch"][1, 32, 0, one](numbers, 1)
    middle = gpu.event().record(one)
    two.wait(middle)
    module["k_switch"][1, 32, 0, two](numbers, 3)
    stop = gpu.event().record(two)
    two.synchronize()
    check("streams and events in order", np.array_equal(numbers.numpy(two), v * 3 ^ 55))
    check("events", stop.done and 0 <= stop.elapsed(start) < 1000)
    print("    ", module["k_switch"][1, 32](numbers, 1).wait().summary())
    big = np.random.default_rng(1).random(5_000_000)
    check("large buffers", np.array_equal(gpu.buffer(big).numpy(), big))
    check("too few arguments", refused(runtime.LaunchError, "takes 2 arguments", lambda: module["k_switch"][1, 32](v)))
    check("no such kernel", refused(runtime.LaunchError, "no kernel 'nope'", lambda: module["nope"]))
    check("no such variable", refused(runtime.LaunchError, "n", lambda: module.variable("nope")))
    check("not an image", refused(CompileError, "", lambda: gpu.load(b"nonsense")))
    check("block too large", refused(runtime.LaunchError, "", lambda: module["k_switch"][1, 2048](numbers, 1)))
    bad = 0x1000
    check("a fault", refused(runtime.DeviceError, "illegal", lambda: module["k_switch"][1, 32](bad, 1).wait()))
    if name.startswith("cuda"):
        return  # on a real GPU a fault ends the process's context for good
    data = v.copy()
    module["k_switch"][1, 32](data, 1)
    check("usable after the fault", np.array_equal(data, v * 3))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cuda:0")
