"""A bench for the SM engine: machine code from hand-written instructions or from nvcc, run on a bare device memory."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from minicc import arch as machines
from minicc import sass
from minicc.binary import read_cubin
from minicc.record import evolve
from minicc.sass.instr import Control
from minicc.sass.program import Program
from runtime.device import sm, syscalls
from runtime.device.grid import Grid, Options, Outcome
from runtime.device.memory import DeviceMemory
from runtime.device.sm.language import jit, lang
from tests.conftest import nvcc_makes

ARCH = machines.get("sm_90")
SHARED_WINDOW = 0x7E1000000000
LOCAL_WINDOW = 0x7E2000000000
STACK = 1024

Line = tuple[str, dict[str, Any]]


def i(text: str, stall: int = 1, **control: Any) -> Line:
    """One instruction with its control field; `yield_`, `wbar`, `rbar`, `wait`, `reuse` as in `Control`."""
    return text, {"stall": stall, **control}


def assemble(lines: Sequence[Line]) -> bytes:
    """Machine code of a list of instructions."""
    code = b""
    for text, control in lines:
        instr = evolve(sass.parse(text + " ;"), control=Control(**control))
        code += sass.encode(instr, ARCH, len(code)).to_bytes(16, "little")
    return code


HEAD = [
    i("LDC.64 R2, c[0x0][0x210]", 2, wbar=0),
    i("ULDC.64 UR4, c[0x0][0x208]", 2),
    i("S2R R0, SR_TID.X", 2, wbar=1),
    i("NOP", 2, wait=3),
    i("IMAD.WIDE.U32 R2, R0, 0x4, R2", 6),
]
"""R0 = threadIdx.x, R2:R3 = address of the thread's word of the first argument, UR4 = memory descriptor."""


def tail(register: int = 4) -> list[Line]:
    """Store a register to the thread's word and leave."""
    return [i("NOP", 15, yield_=True), i(f"STG.E desc[UR4][R2.64], R{register}", 4, wait=63), i("EXIT", 5)]


class Bench:
    """A device memory and how to run code on it."""

    def __init__(self, size: int = 1 << 28) -> None:
        self.memory = DeviceMemory(size)

    def buffer(self, array: Any) -> int:
        """Copy an array in; its address."""
        data = np.ascontiguousarray(array).tobytes()
        address = self.memory.allocate(len(data))
        self.memory.write(address, data)
        return address

    def array(self, address: int, dtype: Any, count: int) -> Any:
        """Copy an array out."""
        return np.frombuffer(self.memory.read(address, np.dtype(dtype).itemsize * count), dtype).copy()

    def run(
        self,
        code: bytes,
        grid: int | tuple[int, ...],
        block: int | tuple[int, ...],
        parameters: bytes,
        *,
        registers: int = 64,
        shared: int = 0,
        banks: dict[int, bytes] | None = None,
        stack: int = STACK,
        name: str = "test",
        **options: Any,
    ) -> Outcome:
        """Launch code whose first instruction is the entry."""
        dims = [(*(d if isinstance(d, tuple) else (d,)), 1, 1)[:3] for d in (grid, block)]
        place = self.memory.allocate(len(code))
        self.memory.write(place, code)
        bank0 = bytearray(0x210) + parameters + bytes(64)
        struct.pack_into("<3I3I", bank0, 0, *dims[1], *dims[0])
        struct.pack_into("<QQI", bank0, 0x18, SHARED_WINDOW, LOCAL_WINDOW, stack)
        constants = {}
        for bank, data in {0: bytes(bank0), **(banks or {})}.items():
            if data:
                constants[bank] = (self.buffer(np.frombuffer(data, np.uint8)), len(data))
        description = Grid(
            entry=place,
            code=(place, len(code)),
            grid=dims[0],  # type: ignore[arg-type]
            block=dims[1],  # type: ignore[arg-type]
            registers=registers,
            shared=ARCH.abi.shared_reserved + shared,
            local=stack,
            barriers=16,
            constants=constants,
            arch=ARCH.name,
            name=name,
            shared_window=SHARED_WINDOW,
            local_window=LOCAL_WINDOW,
        )
        return sm.run(description, self.memory, ARCH, Options(**options))

    def words(self, lines: Sequence[Line], count: int = 32, block: int = 32, **options: Any) -> tuple[Any, Outcome]:
        """Run HEAD + lines + tail() of one CTA; the words it stored and the outcome."""
        out = self.buffer(np.zeros(count, np.uint32))
        outcome = self.run(assemble([*HEAD, *lines, *tail()]), 1, block, struct.pack("<Q", out), **options)
        return self.array(out, np.uint32, count), outcome

    def kernel(
        self, program: Program, name: str, grid: Any, block: Any, arguments: Sequence[Any], **options: Any
    ) -> Outcome:
        """Launch a kernel of a cubin as the driver would."""
        function = program.function(name)
        addresses: dict[str, int] = dict(syscalls.ADDRESSES)
        constant3 = bytearray()
        for v in program.variables:
            data = (v.init or b"").ljust(max(v.size, 1), b"\0")
            if v.space == "global":
                addresses[v.name] = self.buffer(np.frombuffer(data, np.uint8))
            else:
                end = (v.offset or 0) + v.size
                constant3.extend(bytes(max(0, end - len(constant3))))
                constant3[v.offset or 0 : end] = data[: v.size]
        parameters = bytearray(function.param_bytes)
        for place, value in zip(function.params, arguments, strict=True):
            if isinstance(value, float):
                data = struct.pack("<f" if place.size == 4 else "<d", value)
            else:
                data = int(value).to_bytes(place.size, "little", signed=int(value) < 0)
            parameters[place.offset : place.offset + place.size] = data
        banks = {
            2: function.constant2,
            3: bytes(constant3),
            4: b"".join(struct.pack("<Q", addresses.get(symbol, 0)) for symbol in program.constant4),
        }
        return self.run(
            function.code,
            grid,
            block,
            bytes(parameters),
            registers=function.registers,
            shared=function.shared,
            banks=banks,
            stack=STACK + (function.frame + 15) // 16 * 16,
            name=name,
            **options,
        )


@functools.cache
def _compile(source: str, folder: str) -> Program:
    path = Path(folder) / f"{hashlib.sha256(source.encode()).hexdigest()[:16]}.cu"
    path.write_text(source)
    return read_cubin(nvcc_makes(path, path.with_suffix(".cubin")), "test")


def nvcc(source: str, folder: Path) -> Program:
    """What nvcc makes of CUDA C++ source."""
    return _compile(source, str(folder))


@contextlib.contextmanager
def loaded(functions: list[lang.Function]) -> Iterator[None]:
    """Functions of the engine's language, compiled as the machines are, so that Python can call them."""
    data = jit.optimised(lang.Program(functions).text())
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine()
    )
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(data))
    engine.finalize_object()
    for function in functions:
        kinds = [ctypes.c_int64] * (len(function.parameters) + 1)
        function.call = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(engine.get_function_address(function.name))
    yield
    del engine
