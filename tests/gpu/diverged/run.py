#!/usr/bin/env python3
"""Runs kernels p0, p1 ... of an image on a GPU: python tests/gpu/diverged/run.py IMAGE COUNT OUT [FIRST].

OUT has a line of JSON for each: device, driver, date, the error that it ended with, if any, and the words that it left
in the host's memory (32 * NOTES pairs). After an error the next ones run in a new process.
"""

from __future__ import annotations

import ctypes
import datetime
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from run_cubins import Cuda, CudaError

SIZE = 32 * 32 * 8


def main(image: str, count: int, out: Path, first: int) -> None:
    """From the kernel of number `first` on, until one ends with an error."""
    cuda = Cuda(0)
    module = cuda.load(Path(image).read_bytes())
    host, notes = ctypes.c_void_p(), ctypes.c_uint64()
    cuda("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(1 << 16), ctypes.c_uint(2))
    cuda("cuMemHostGetDevicePointer_v2", ctypes.byref(notes), host, ctypes.c_uint(0))
    ended = cuda.allocate(4)
    seen = {"device": cuda.name, "driver": cuda.driver, "date": str(datetime.date.today())}
    values = (ctypes.c_uint64 * 2)(notes.value, ended)
    slots = (ctypes.c_void_p * 2)(ctypes.addressof(values), ctypes.addressof(values) + 8)
    at = first
    while at < count:
        ctypes.memset(host, 0, SIZE)
        cuda.write(ended, bytes(4))
        function = ctypes.c_void_p()
        cuda("cuModuleGetFunction", ctypes.byref(function), module, f"p{at}".encode())
        shape = [ctypes.c_uint(n) for n in (1, 1, 1, 64, 1, 1, 0)]
        error = ""
        try:
            cuda("cuLaunchKernel", function, *shape, ctypes.c_void_p(None), slots, ctypes.c_void_p(None))
            cuda("cuCtxSynchronize")
        except CudaError as failure:
            error = failure.name
        words = ctypes.string_at(host.value, SIZE).hex()
        with out.open("a") as file:
            file.write(json.dumps({**seen, "piece": at, "error": error, "notes": words}) + "\n")
        at += 1
        if error:
            break


if __name__ == "__main__":
    image, count, out = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    if len(sys.argv) > 4:
        main(image, count, out, int(sys.argv[4]))
    else:
        at = 0
        while at < count:
            subprocess.run([sys.executable, __file__, image, str(count), str(out), str(at)], timeout=60, check=False)
            last = json.loads(out.read_text().splitlines()[-1]) if out.exists() else {"piece": at}
            at = max(at, last["piece"]) + 1
