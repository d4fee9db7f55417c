"""`runtime.cuda` and tests/gpu/run_cubins.py against a stand-in for libcuda (host memory, a kernel that adds, one that
faults, aborts or hangs), each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
RUNNER = HERE.parent / "gpu" / "run_cubins.py"

USE = """
import numpy as np, runtime
gpu = runtime.Device("cuda:0")
assert gpu.name == "Fake GPU" and gpu.driver_version == (13, 0)
module = gpu.load(b"\\x7fELF123")
assert module.kernels == ["_Z4vaddPKfS0_Pfi", "boom"]
k = module["vadd"]
assert [p.size for p in k.parameters] == [8, 8, 8, 4] and k.parameters[3].type.kind == "int"
a, c = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
launch = k[4, 256](a, a, c, 100)
assert np.array_equal(c, 2 * a) and launch.output == "hello from 4\\n" and launch.milliseconds == 0.5
assert "registers" in launch.summary() and launch.stats["gpu__time_duration.sum"] == 5e5
c[:] = 0
launch = k[4, 256].cluster(2, 1)(a, a, c, 100)
assert np.array_equal(c, 2 * a) and launch.output == "clusters of 2x1x1\\nhello from 4\\n"
A, C, s = gpu.buffer(a), gpu.empty(100), gpu.stream()
k[4, 256, 0, s](A, A, C, 100)
shared = C.__cuda_array_interface__
assert shared["data"] == (C.address, False) and shared["shape"] == (100,) and shared["typestr"] == "<f4"
assert np.array_equal(C.numpy(s), 2 * a) and gpu.event().record(s).done
assert module.variable("counter").read(np.int32)[0] == 3
class Other:  # as CuPy's, numba's and PyTorch's arrays look
    __cuda_array_interface__ = shared
C.fill(0)
k[4, 256](A, A, Other(), 100).wait()
assert np.array_equal(C.numpy(), 2 * a)

def fails(kind, text, what):
    try:
        what()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)

fails(runtime.LaunchError, "takes 4 arguments", lambda: k[4, 256](a, a, c))
fails(runtime.LaunchError, "CUDA_ERROR_INVALID_IMAGE", lambda: gpu.load(b"zzz"))
fails(runtime.LaunchError, "no kernel 'nope'", lambda: module["nope"])
fails(runtime.LaunchError, "CUDA_ERROR_NOT_FOUND", lambda: module.variable("none"))
fails(runtime.DeviceError, "boom: error: cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS",
      lambda: module["boom"][1, 1]().wait())
fails(runtime.DeviceError, "ILLEGAL_ADDRESS", lambda: k[4, 256](a, a, c, 100))
print("all good")
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """An environment whose libcuda.so.1 is the stand-in."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not here")
    folder = tmp_path_factory.mktemp("fake")
    command = [gcc, "-shared", "-fPIC", "-w", "-o", folder / "libcuda.so.1", HERE / "fake_libcuda.c"]
    subprocess.run(command, check=True)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder)}


def test_the_device(environment):
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, timeout=60)
    # What a kernel prints before some other call synchronizes goes to standard output.
    assert done.stdout.endswith("all good\n"), done.stdout + done.stderr


def test_without_a_driver_the_error_is_clear(tmp_path):
    (tmp_path / "libcuda.so.1").touch()  # found before the driver's, where there is one, and no library
    code = "import runtime\ntry: runtime.Device('cuda:0')\nexcept runtime.LaunchError as e: print(e)"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert "CUDA" in done.stdout, done.stdout + done.stderr


def test_the_runner_survives_what_kernels_do(environment, tmp_path):
    a = np.arange(10, dtype=np.float32)
    np.save(tmp_path / "a.npy", a)
    (2 * a).tofile(tmp_path / "right.bin")
    (2 * a + 1).tofile(tmp_path / "wrong.bin")
    (tmp_path / "x.cubin").write_bytes(b"\x7fELF")
    add = {"image": "x.cubin", "kernel": "_Z4vaddPKfS0_Pfi", "grid": [1], "block": [32],
           "args": [{"in": "a.npy"}, {"ref": 0}, {"out": [10], "dtype": "<f4"}, {"i32": 10}]}  # fmt: skip
    boom = {"image": "x.cubin", "kernel": "boom", "args": []}
    cases = {
        "a_good": {**add, "expect": "right.bin"},
        "b_wrong": {**add, "expect": "wrong.bin"},
        "c_fault": boom,
        "d_abort": {**boom, "shared": 13},
        "e_hang": {**boom, "shared": 14},
        "f_none": {**add, "kernel": "nope"},
        "g_argument": {**add, "args": [{"nonsense": 1}]},
        "h_good": {**add, "expect": "right.bin"},
    }
    for name, case in cases.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(case))
    command = [sys.executable, RUNNER, tmp_path, tmp_path / "out", "--repeat", "3", "--timeout", "3"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    report = json.loads((tmp_path / "out" / "results.json").read_text())
    results = report["cases"]
    assert (report["device"], report["driver"]) == ("Fake GPU", 13000) and list(results) == sorted(cases)
    for name in ("a_good", "h_good"):
        assert results[name]["ok"] and results[name]["match"] and results[name]["ms_median"] == 0.5
        assert np.array_equal(np.load(tmp_path / "out" / f"{name}.arg2.npy"), 2 * a)
    assert results["a_good"]["printf"].startswith("hello from 1")
    assert results["b_wrong"]["match"] is False and results["b_wrong"]["mismatches"] == 10
    errors = {
        "c_fault": "ILLEGAL_ADDRESS",
        "d_abort": "ended with status",
        "e_hang": "longer than",
        "f_none": "NOT_FOUND",
    }
    for name, text in errors.items():
        assert not results[name]["ok"] and text in results[name]["error"]
    assert "unknown kind of argument" in results["g_argument"]["error"]
