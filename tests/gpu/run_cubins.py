#!/usr/bin/env python3
"""Runs a folder of kernel cases on a real GPU. Needs Python 3.11+ and libcuda; nothing else.

    python run_cubins.py CASES OUT [--only GLOB] [--repeat N] [--timeout SECONDS] [--device N]

A case is CASES/NAME.json:

    {"image": "NAME.cubin",        cubin, fatbin or PTX; default NAME.cubin
     "kernel": "_Z4vaddPKfS0_Pfi",
     "grid": [4, 1, 1], "block": [256, 1, 1], "shared": 0,
     "args": [...],                see below, in parameter order
     "globals": {"table": "t.bin"},   module variables to fill before the launch (.npy or raw bytes)
     "read_globals": ["counter"],     module variables to save afterwards
     "launches": 1,                launches before the outputs are saved
     "expect": "y.bin"}            optional: compared, byte for byte, with the last output saved

Arguments: {"in": FILE} copies a file in; {"inout": FILE} also saves it afterwards; {"out": BYTES} or {"out": [SHAPE],
"dtype": "<f4"} is zeroed memory that is saved; {"scratch": BYTES} is zeroed memory; {"fill": B} in those starts it as
byte B instead. Scalars: {"u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64" | "f32" | "f64": VALUE}; any
bytes: {"bytes": "00ff..."} (hex); {"ref": N} passes the pointer of argument N again.

Outputs are OUT/NAME.argN.npy (or .bin for raw inputs and byte counts) and OUT/NAME.VARIABLE.bin; OUT/results.json has
device, driver, date, and for each case: ok, error, registers, shared and local bytes, milliseconds of every timed
launch and their median, printf text, and whether `expect` matched. Timed launches (--repeat) start from the inputs.
Each case runs in a worker process; one that faults, hangs or crashes is reported and the next starts in a new worker.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import datetime
import fnmatch
import json
import os
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SCALARS = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q", "f32": "f",
           "f64": "d"}  # fmt: skip
ATTRIBUTES = {"max_threads": 0, "shared": 1, "constant": 2, "local": 3, "registers": 4, "binary_version": 6}
MAX_DYNAMIC_SHARED = 8


class CudaError(Exception):
    """A driver call that failed. `name` is CUDA_ERROR_..."""

    def __init__(self, call: str, name: str, text: str) -> None:
        super().__init__(f"{call}: {name} ({text})")
        self.name = name


class Cuda:
    """The driver calls used here, on the primary context of one device."""

    def __init__(self, device: int) -> None:
        self.lib = ctypes.CDLL("libcuda.so.1")
        self("cuInit", ctypes.c_uint(0))
        handle = ctypes.c_int()
        self("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(device))
        name = ctypes.create_string_buffer(256)
        self("cuDeviceGetName", name, ctypes.c_int(256), handle)
        self.name = name.value.decode()
        version = ctypes.c_int()
        self("cuDriverGetVersion", ctypes.byref(version))
        self.driver = version.value
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        self("cuCtxSetCurrent", context)

    def __call__(self, call: str, *args: Any) -> None:
        status = getattr(self.lib, call)(*args)
        if status:
            name, text = ctypes.c_char_p(), ctypes.c_char_p()
            self.lib.cuGetErrorName(ctypes.c_int(status), ctypes.byref(name))
            self.lib.cuGetErrorString(ctypes.c_int(status), ctypes.byref(text))
            raise CudaError(call, (name.value or b"?").decode(), (text.value or b"?").decode())

    def load(self, image: bytes) -> ctypes.c_void_p:
        """A module from a cubin, a fatbin or PTX text."""
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
        module = ctypes.c_void_p()
        held = ctypes.create_string_buffer(image, len(image) + 1)
        try:
            self("cuModuleLoadDataEx", ctypes.byref(module), held, ctypes.c_uint(2), options, values)
        except CudaError as error:
            error.args = (f"{error} {log.value.decode(errors='replace')}".strip(),)
            raise
        return module

    def allocate(self, size: int) -> int:
        pointer = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(size, 1)))
        return pointer.value

    def write(self, address: int, data: bytes) -> None:
        if data:
            self("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address: int, size: int) -> bytes:
        out = ctypes.create_string_buffer(size)
        if size:
            self("cuMemcpyDtoH_v2", out, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return out.raw


def read_array(path: Path) -> tuple[bytes, bytes]:
    """(header, data) of an .npy file; any other file is data alone."""
    raw = path.read_bytes()
    if path.suffix != ".npy":
        return b"", raw
    if raw[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is not an .npy file")
    size, start = (struct.unpack("<H", raw[8:10])[0], 10) if raw[6] == 1 else (struct.unpack("<I", raw[8:12])[0], 12)
    header = ast.literal_eval(raw[start : start + size].decode("latin1"))
    if header["fortran_order"] and len(header["shape"]) > 1:
        raise ValueError(f"{path} is in Fortran order")
    return raw[: start + size], raw[start + size :]


def npy_header(dtype: str, shape: list[int]) -> bytes:
    text = repr({"descr": dtype, "fortran_order": False, "shape": tuple(shape)})
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


class Argument:
    """One kernel argument: bytes of the parameter, and device memory with its initial contents if it is a pointer."""

    def __init__(self, cuda: Cuda, spec: dict[str, Any], folder: Path, earlier: list[Argument]) -> None:
        self.header, self.initial, self.address, self.saved = b"", b"", 0, False
        for kind, letter in SCALARS.items():
            if kind in spec:
                self.data = struct.pack("<" + letter, spec[kind])
                return
        if "bytes" in spec:
            self.data = bytes.fromhex(spec["bytes"])
            return
        if "ref" in spec:
            self.data = earlier[spec["ref"]].data
            return
        fill = bytes([spec.get("fill", 0)])
        if "in" in spec or "inout" in spec:
            self.header, self.initial = read_array(folder / spec.get("in", spec.get("inout")))
            self.saved = "inout" in spec
        elif "scratch" in spec:
            self.initial = fill * spec["scratch"]
        elif isinstance(spec.get("out"), list):
            dtype = spec.get("dtype", "<f4")
            count = 1
            for n in spec["out"]:
                count *= n
            self.initial, self.saved = fill * (count * int(dtype[2:])), True
            self.header = npy_header(dtype, spec["out"])
        elif "out" in spec:
            self.initial, self.saved = fill * spec["out"], True
        else:
            raise ValueError(f"unknown kind of argument: {spec}")
        self.address = cuda.allocate(len(self.initial))
        self.data = struct.pack("<Q", self.address)

    def reset(self, cuda: Cuda) -> None:
        if self.address:
            cuda.write(self.address, self.initial)


def run_case(cuda: Cuda, path: Path, out: Path, repeat: int) -> dict[str, Any]:
    """Run one case; errors are raised."""
    case = json.loads(path.read_text())
    folder, name = path.parent, path.stem
    module = cuda.load((folder / case.get("image", f"{name}.cubin")).read_bytes())
    function = ctypes.c_void_p()
    cuda("cuModuleGetFunction", ctypes.byref(function), module, case["kernel"].encode())
    result: dict[str, Any] = {}
    for key, number in ATTRIBUTES.items():
        value = ctypes.c_int()
        cuda("cuFuncGetAttribute", ctypes.byref(value), ctypes.c_int(number), function)
        result[key] = value.value
    shared = int(case.get("shared", 0))
    if shared + result["shared"] > 48 << 10:
        cuda("cuFuncSetAttribute", function, ctypes.c_int(MAX_DYNAMIC_SHARED), ctypes.c_int(shared))
    arguments: list[Argument] = []
    for spec in case.get("args", []):
        arguments.append(Argument(cuda, spec, folder, arguments))

    def variable(symbol: str) -> tuple[int, int]:
        pointer, size = ctypes.c_uint64(), ctypes.c_size_t()
        cuda("cuModuleGetGlobal_v2", ctypes.byref(pointer), ctypes.byref(size), module, symbol.encode())
        return pointer.value, size.value

    def prepare() -> None:
        for argument in arguments:
            argument.reset(cuda)
        for symbol, file in case.get("globals", {}).items():
            address, size = variable(symbol)
            cuda.write(address, read_array(folder / file)[1][:size])

    held = [ctypes.create_string_buffer(a.data, len(a.data)) for a in arguments]
    slots = (ctypes.c_void_p * max(len(held), 1))(*(ctypes.addressof(h) for h in held))
    grid, block = ([*case.get(k, [1]), 1, 1][:3] for k in ("grid", "block"))
    shape = [ctypes.c_uint(int(n)) for n in (*grid, *block, shared)]

    def launch() -> None:
        cuda("cuLaunchKernel", function, *shape, ctypes.c_void_p(None), slots, ctypes.c_void_p(None))

    prepare()
    for _ in range(int(case.get("launches", 1))):
        launch()
    cuda("cuCtxSynchronize")
    last = b""
    for i, argument in enumerate(arguments):
        if argument.saved:
            last = cuda.read(argument.address, len(argument.initial))
            target = out / f"{name}.arg{i}.{'npy' if argument.header else 'bin'}"
            target.write_bytes(argument.header + last)
    for symbol in case.get("read_globals", []):
        address, size = variable(symbol)
        last = cuda.read(address, size)
        (out / f"{name}.{symbol}.bin").write_bytes(last)
    if "expect" in case:
        wanted = read_array(folder / case["expect"])[1]
        result["match"] = last == wanted
        if last != wanted:
            wrong = [i for i in range(0, min(len(last), len(wanted)), 4) if last[i : i + 4] != wanted[i : i + 4]]
            result["mismatches"] = len(wrong)
            result["first"] = [
                {"word": i // 4, "got": last[i : i + 4].hex(), "expected": wanted[i : i + 4].hex()} for i in wrong[:8]
            ]
            if len(last) != len(wanted):
                result["sizes"] = [len(last), len(wanted)]
    times = []
    start, stop = ctypes.c_void_p(), ctypes.c_void_p()
    cuda("cuEventCreate", ctypes.byref(start), ctypes.c_uint(0))
    cuda("cuEventCreate", ctypes.byref(stop), ctypes.c_uint(0))
    for _ in range(repeat):
        prepare()
        cuda("cuEventRecord", start, ctypes.c_void_p(None))
        launch()
        cuda("cuEventRecord", stop, ctypes.c_void_p(None))
        cuda("cuEventSynchronize", stop)
        elapsed = ctypes.c_float()
        cuda("cuEventElapsedTime", ctypes.byref(elapsed), start, stop)
        times.append(elapsed.value)
    if times:
        result["ms"], result["ms_median"] = times, statistics.median(times)
    for argument in arguments:
        if argument.address:
            cuda("cuMemFree_v2", ctypes.c_uint64(argument.address))
    cuda("cuModuleUnload", module)
    return result


def worker(arguments: argparse.Namespace) -> int:
    """Reads case paths from standard input, writes a JSON line each. Device printf goes to a file of its own."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    printed = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
    os.dup2(printed.fileno(), 1)
    out = Path(arguments.out)
    try:
        cuda = Cuda(arguments.device)
    except (OSError, CudaError) as error:
        answers.write(json.dumps({"fatal": str(error)}) + "\n")
        return 1
    answers.write(json.dumps({"device": cuda.name, "driver": cuda.driver}) + "\n")
    for line in sys.stdin:
        printed.seek(0)
        printed.truncate()
        broken = False
        try:
            result = {"ok": True, **run_case(cuda, Path(line.strip()), out, arguments.repeat)}
        except CudaError as error:
            result = {"ok": False, "error": str(error), "name": error.name}
            # After a fault in a kernel the context is lost; whatever the error was, a failing synchronize tells.
            try:
                cuda("cuCtxSynchronize")
            except CudaError:
                broken = True
        except (OSError, ValueError, KeyError, TypeError, IndexError, struct.error) as error:
            result = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        ctypes.CDLL(None).fflush(None)
        printed.seek(0)
        text = printed.read().decode(errors="replace")
        if text:
            result["printf"] = text
        answers.write(json.dumps({**result, "lost": broken}) + "\n")
        if broken:
            return 0
    return 0


class Worker:
    """A worker process and its answers, with a time limit on each."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        command = [sys.executable, os.path.abspath(__file__), arguments.cases, arguments.out, "--worker",
                   "--repeat", str(arguments.repeat), "--device", str(arguments.device)]  # fmt: skip
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.buffer = b""

    def answer(self, timeout: float) -> dict[str, Any] | None:
        """The next answer; None if the worker ended or took too long."""
        assert self.process.stdout is not None
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                return None
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, path: Path) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{path}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("out")
    parser.add_argument("--only", default="*")
    parser.add_argument("--repeat", type=int, default=0, help="timed launches a case")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds a case may take")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments)
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    paths = sorted(p for p in Path(arguments.cases).glob("*.json") if fnmatch.fnmatch(p.stem, arguments.only))
    results: dict[str, Any] = {}
    report: dict[str, Any] = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")}
    current: Worker | None = None
    for path in paths:
        if current is None:
            current = Worker(arguments)
            hello = current.answer(120.0)
            if hello is None or "fatal" in hello:
                print(f"cannot use the GPU: {(hello or {}).get('fatal', 'the worker died')}", file=sys.stderr)
                current.stop()
                return 1
            report |= {"device": hello["device"], "driver": hello["driver"]}
        current.ask(path)
        answer = current.answer(arguments.timeout)
        if answer is None:
            try:
                code = current.process.wait(0.5)
            except subprocess.TimeoutExpired:
                code = None
            why = f"took longer than {arguments.timeout} s" if code is None else f"worker ended with status {code}"
            answer = {"ok": False, "error": why, "lost": True}
        if answer.pop("lost"):
            current.stop()
            current = None
        results[path.stem] = answer
        (out / "results.json").write_text(json.dumps({**report, "cases": results}, indent=1))
    if current is not None:
        current.stop()
    (out / "results.json").write_text(json.dumps({**report, "cases": results}, indent=1))
    bad = [n for n, r in results.items() if not r["ok"] or r.get("match") is False]
    print(f"{len(results) - len(bad)} of {len(results)} cases good on {report.get('device', 'no device')}")
    for name in bad:
        print(f"  {name}: {results[name].get('error', 'differs from what was expected')}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
