"""Asks the GPU: runs every kernel that `build.py` made and compares with our answers. Standard library only.

    python run.py FOLDER [REPORT_FOLDER]

Writes report.json (per case: words that differ, first few of them) and, for cases that differ, NAME.got.
"""

from __future__ import annotations

import ctypes
import json
import sys
from array import array
from pathlib import Path
from typing import Any

CUDA = ctypes.CDLL("libcuda.so.1")


class Failure(Exception):
    """A driver call that did not return 0."""


def check(status: int, what: str) -> None:
    if status:
        raise Failure(f"{what}: CUDA error {status}")


def start() -> ctypes.c_void_p:
    """Initialises the driver and makes the primary context current."""
    check(CUDA.cuInit(0), "cuInit")
    context = ctypes.c_void_p()
    check(CUDA.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "cuDevicePrimaryCtxRetain")
    check(CUDA.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    return context


def run(image: bytes, name: str, data: bytes, threads: int, block: int, constant: int) -> bytes:
    """Output words of one kernel: 16 bytes a thread."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(CUDA.cuModuleLoadData(ctypes.byref(module), image), "cuModuleLoadData")
    check(CUDA.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), "cuModuleGetFunction")
    source, result = ctypes.c_uint64(), ctypes.c_uint64()
    check(CUDA.cuMemAlloc_v2(ctypes.byref(source), ctypes.c_size_t(len(data))), "cuMemAlloc")
    check(CUDA.cuMemAlloc_v2(ctypes.byref(result), ctypes.c_size_t(16 * threads)), "cuMemAlloc")
    check(CUDA.cuMemcpyHtoD_v2(source, data, ctypes.c_size_t(len(data))), "cuMemcpyHtoD")
    values = [source, result, ctypes.c_uint64(constant)]
    pointers = (ctypes.c_void_p * 3)(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
    status = CUDA.cuLaunchKernel(function, threads // block, 1, 1, block, 1, 1, 0, None, pointers, None)
    check(status, "cuLaunchKernel")
    check(CUDA.cuCtxSynchronize(), "cuCtxSynchronize")
    out = ctypes.create_string_buffer(16 * threads)
    check(CUDA.cuMemcpyDtoH_v2(out, result, ctypes.c_size_t(16 * threads)), "cuMemcpyDtoH")
    check(CUDA.cuMemFree_v2(source), "cuMemFree")
    check(CUDA.cuMemFree_v2(result), "cuMemFree")
    check(CUDA.cuModuleUnload(module), "cuModuleUnload")
    return out.raw


def main() -> int:
    folder = Path(sys.argv[1])
    report_folder = Path(sys.argv[2]) if len(sys.argv) > 2 else folder
    plan = json.loads((folder / "cases.json").read_text())
    start()
    report: list[dict[str, Any]] = []
    for case in plan["cases"]:
        name = case["name"]
        entry: dict[str, Any] = {"name": name, "text": case["text"]}
        report.append(entry)
        data = (folder / case["input"]).read_bytes()
        try:
            got = run(
                (folder / f"{name}.cubin").read_bytes(), name, data, case["threads"], plan["block"], plan["constant"]
            )
        except Failure as problem:
            entry["error"] = str(problem)
            print(f"{name} {case['text']}: {problem}", flush=True)
            CUDA.cuDevicePrimaryCtxReset_v2(0)
            start()
            continue
        want = (folder / f"{name}.expect").read_bytes()
        if got == want:
            entry["differ"] = 0
            continue
        a, b, words = array("I", got), array("I", want), array("I", data)
        wrong = [i for i in range(len(a)) if a[i] != b[i]]
        entry["differ"] = len(wrong)
        entry["first"] = [
            {
                "thread": i // 4,
                "word": i % 4,
                "chip": hex(a[i]),
                "ours": hex(b[i]),
                "operands": [hex(w) for w in words[i // 4 * 8 : i // 4 * 8 + 8]],
            }
            for i in wrong[:6]
        ]
        (report_folder / f"{name}.got").write_bytes(got)
        print(f"{name} {case['text']}: {len(wrong)} of {len(a)} words differ", flush=True)
    (report_folder / "report.json").write_text(json.dumps(report, indent=1))
    good = sum(e.get("differ") == 0 for e in report)
    print(f"{good} of {len(report)} equal")
    return 0 if good == len(report) else 1


if __name__ == "__main__":
    raise SystemExit(main())
