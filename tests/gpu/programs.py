"""Programs: buffers with reproducible contents and a row of launches, for a GPU and for the SM model alike.

    python -m tests.gpu.programs PLAN OUT [--only GLOB]          on a GPU (libcuda and numpy)
    ncu ... python -m tests.gpu.programs PLAN OUT [--only GLOB]  its rows are the launches, in order

A plan is a JSON list of programs. Images lie beside the plan.

    {"name": "atax", "image": "atax.cubin",
     "buffers": {"A": {"dtype": "<f4", "count": 65536, "uniform": [0, 1], "seed": 1}, "y": {"bytes": 1024}},
     "globals": {"table": {...as a buffer...}},
     "launches": [{"label": "atax 1", "kernel": "_Z3...", "grid": [8], "block": [256], "shared": 0,
                   "args": [{"i32": 256}, "A", "y"], "repeat": 1}],
     "save": ["y"]}

Contents: zero by default; "uniform": [low, high] and "integers": [low, high) of a `numpy.random.RandomState` (whose
streams never change), "ramp": [first, step], "list" of all values, "zlib" of their bytes in base64, "value": v,
"permutation" of 0..count-1, or a cycle through all places as u32 byte offsets, "chase": {"stride": bytes, "order":
"next" or "random"}. An argument is a buffer's name, optionally with an offset in bytes ("A+64"), or a scalar as in
`run_cubins`. "pointers": {"8": "A", ...} beside "bytes" (of an argument; of a buffer, where "bytes" is a number) puts
the addresses of buffers at those offsets: structures and arrays of pointers.

With `--rounds N` a GPU goes through each program's launches N times, from the same contents: ncu's rows are then the
launches of a program in order, N times over, before those of the next.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import fnmatch
import json
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.gpu.run_cubins import MAX_DYNAMIC_SHARED, SCALARS, Cuda

Array = np.ndarray[Any, Any]


def contents(spec: dict[str, Any]) -> Array:
    """The initial array of a buffer."""
    if "bytes" in spec:
        return np.full(spec["bytes"], spec.get("value", 0), np.uint8)
    dtype, count = np.dtype(spec["dtype"]), int(spec["count"])
    random = np.random.RandomState(spec.get("seed", 1))
    if "uniform" in spec:
        low, high = spec["uniform"]
        return (low + (high - low) * random.random_sample(count)).astype(dtype)
    if "integers" in spec:
        low, high = spec["integers"]
        return random.randint(low, high, count).astype(dtype)
    if "list" in spec:
        return np.array(spec["list"], dtype)
    if "zlib" in spec:
        return np.frombuffer(zlib.decompress(base64.b64decode(spec["zlib"])), dtype)
    if "ramp" in spec:
        first, step = spec["ramp"]
        return (first + step * np.arange(count)).astype(dtype)
    if "permutation" in spec:
        return random.permutation(count).astype(dtype)
    if "chase" in spec:
        stride = spec["chase"]["stride"] // dtype.itemsize
        places = np.arange(0, count, stride)
        if spec["chase"]["order"] == "random":
            places[1:] = random.permutation(places[1:])
        out = np.zeros(count, dtype)
        out[places] = np.roll(places, -1) * dtype.itemsize
        return out
    return np.full(count, spec.get("value", 0), dtype)


def scalar(spec: dict[str, Any]) -> bytes:
    """The bytes of a scalar argument."""
    ((kind, value),) = spec.items()
    return struct.pack("<" + SCALARS[kind], value)


def place(spec: str, addresses: dict[str, int]) -> int:
    """The address that an argument such as "A" or "A+64" means."""
    name, _, offset = spec.partition("+")
    return addresses[name] + int(offset or 0)


def pointed(data: bytes, spec: dict[str, Any], addresses: dict[str, int]) -> bytes:
    """The data with the addresses that the spec's "pointers" are."""
    out = bytearray(data)
    for offset, name in spec.get("pointers", {}).items():
        struct.pack_into("<Q", out, int(offset), place(name, addresses))
    return bytes(out)


def argument(spec: str | dict[str, Any], addresses: dict[str, int]) -> bytes:
    """The bytes of any argument."""
    if isinstance(spec, str):
        return struct.pack("<Q", place(spec, addresses))
    return pointed(bytes.fromhex(spec["bytes"]), spec, addresses) if "bytes" in spec else scalar(spec)


def plan(path: Path, only: str = "*") -> list[dict[str, Any]]:
    """The programs of a plan whose names match."""
    return [p for p in json.loads(path.read_text()) if fnmatch.fnmatch(p["name"], only)]


def launches(program: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Its launches, one by one as they happen."""
    for launch in program["launches"]:
        for _ in range(launch.get("repeat", 1)):
            yield launch


def triple(value: Any) -> tuple[int, int, int]:
    """A grid or block as three numbers."""
    x, y, z = [*([value] if isinstance(value, int) else value), 1, 1][:3]
    return int(x), int(y), int(z)


def start(cuda: Cuda, module: Any, launch: dict[str, Any], addresses: dict[str, int]) -> None:
    """One launch on a GPU, to its end."""
    function = ctypes.c_void_p()
    cuda("cuModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
    shared = int(launch.get("shared", 0))
    if shared > 32 << 10:
        cuda("cuFuncSetAttribute", function, ctypes.c_int(MAX_DYNAMIC_SHARED), ctypes.c_int(shared))
    data = [argument(a, addresses) for a in launch.get("args", [])]
    held = [ctypes.create_string_buffer(d, len(d)) for d in data]
    slots = (ctypes.c_void_p * max(len(held), 1))(*(ctypes.addressof(h) for h in held))
    shape = [ctypes.c_uint(n) for n in (*triple(launch["grid"]), *triple(launch["block"]), shared)]
    cuda("cuLaunchKernel", function, *shape, ctypes.c_void_p(None), slots, ctypes.c_void_p(None))
    cuda("cuCtxSynchronize")


def fill(cuda: Cuda, module: Any, program: dict[str, Any], hosts: dict[str, Array], addresses: dict[str, int]) -> None:
    """A program's buffers and module variables as they begin."""
    for name, array in hosts.items():
        cuda.write(addresses[name], pointed(array.tobytes(), program["buffers"][name], addresses))
    for name, spec in program.get("globals", {}).items():
        pointer, size = ctypes.c_uint64(), ctypes.c_size_t()
        cuda("cuModuleGetGlobal_v2", ctypes.byref(pointer), ctypes.byref(size), module, name.encode())
        cuda.write(pointer.value, pointed(contents(spec).tobytes(), spec, addresses)[: size.value])
    cuda("cuCtxSynchronize")


def saved(cuda: Cuda, program: dict[str, Any], hosts: dict[str, Array], addresses: dict[str, int]) -> dict[str, Array]:
    """The buffers to save, as they are now."""
    return {
        name: np.frombuffer(cuda.read(addresses[name], hosts[name].nbytes), hosts[name].dtype)
        for name in program.get("save", [])
    }


def on_gpu(cuda: Cuda, program: dict[str, Any], folder: Path, rounds: int = 1) -> dict[str, Array]:
    """Run a program on a GPU, so many times over; the buffers to save."""
    module = cuda.load((folder / program["image"]).read_bytes())
    hosts = {name: contents(spec) for name, spec in program["buffers"].items()}
    addresses = {name: cuda.allocate(array.nbytes) for name, array in hosts.items()}
    for _ in range(rounds):
        fill(cuda, module, program, hosts, addresses)
        for launch in launches(program):
            start(cuda, module, launch, addresses)
    out = saved(cuda, program, hosts, addresses)
    for address in addresses.values():
        cuda("cuMemFree_v2", ctypes.c_uint64(address))
    cuda("cuModuleUnload", module)
    return out


def on_model(program: dict[str, Any], folder: Path, **options: Any) -> tuple[list[Any], dict[str, Array]]:
    """Run a program on the SM model: what each launch returned, and the buffers to save. Scalars go by type."""
    import runtime

    device = runtime.Device("sm_90", **options)
    module = device.load((folder / program["image"]).read_bytes())
    hosts = {name: contents(spec) for name, spec in program["buffers"].items()}
    buffers = {name: device.buffer(array) for name, array in hosts.items()}
    addresses = {name: buffer.address for name, buffer in buffers.items()}
    for name, spec in program["buffers"].items():
        if "pointers" in spec:
            buffers[name].write(np.frombuffer(pointed(hosts[name].tobytes(), spec, addresses), np.uint8))
    for name, spec in program.get("globals", {}).items():
        data = pointed(contents(spec).tobytes(), spec, addresses)
        module.variable(name).write(np.frombuffer(data, np.uint8) if "pointers" in spec else contents(spec))
    results = []
    for launch in launches(program):
        kernel = module[launch["kernel"]]
        args: list[Any] = []
        for a in launch.get("args", []):
            if isinstance(a, str):
                args.append(np.uint64(place(a, addresses)))
            elif "bytes" in a:
                args.append(argument(a, addresses))
            else:
                ((kind, value),) = a.items()
                args.append(
                    np.frombuffer(
                        struct.pack("<" + SCALARS[kind], value),
                        "<" + kind[0] + str(int(kind[1:]) // 8),
                    )[0]
                )
        result = kernel[triple(launch["grid"]), triple(launch["block"]), int(launch.get("shared", 0))](*args)
        device.synchronize()
        results.append(result)
    return results, {name: buffers[name].numpy() for name in program.get("save", [])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    cuda = Cuda(0)
    saved: dict[str, Array] = {}
    labels: list[str] = []
    for program in plan(arguments.plan, arguments.only):
        for name, array in on_gpu(cuda, program, arguments.plan.parent, arguments.rounds).items():
            saved[f"{program['name']}/{name}"] = array
        labels += [f"{program['name']}/{launch['label']}" for launch in launches(program)]
        (arguments.out / f"{arguments.plan.stem}.labels.json").write_text(json.dumps(labels))
    np.savez_compressed(arguments.out / f"{arguments.plan.stem}.npz", **saved)
    print(f"{len(labels)} launches of {arguments.plan.stem} on {cuda.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
