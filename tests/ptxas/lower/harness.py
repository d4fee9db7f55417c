"""Run PTX instructions on the SM model, element-wise over arrays, and hand back their results."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

import runtime
from minicc import arch, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options
from minicc.sass.program import Program

Array = npt.NDArray[np.generic]
THREADS = 128
_LOAD = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
_REGISTER = {1: "b16", 2: "b16", 4: "b32", 8: "b64"}


@attrs.frozen
class Case:
    """`text` is PTX over %a, %b, %c (inputs), %d (the result) and anything it declares in its own braces.
    `inputs` are numpy types of %a.. and `output` that of %d."""

    text: str
    inputs: tuple[str, ...]
    output: str


def kernel(name: str, case: Case, prologue: str = "") -> str:
    """A kernel that applies one case to arrays: parameters are the inputs, the output and the count."""
    names = "abc"[: len(case.inputs)]
    sizes = [np.dtype(t).itemsize for t in case.inputs]
    out_size = np.dtype(case.output).itemsize
    params = ",\n".join(f"\t.param .u64 p{i}" for i in range(len(sizes) + 1))
    lines = [f".visible .entry {name}(\n{params},\n\t.param .u32 count\n)\n{{"]
    lines.append("\t.reg .pred %keep;\n\t.reg .b32 %i, %n, %t, %w;\n\t.reg .b64 %p, %o, %wide;")
    for letter, size in zip(names, sizes, strict=True):
        lines.append(f"\t.reg .{_REGISTER[size]} %{letter};")
    lines.append(f"\t.reg .{_REGISTER[out_size]} %d;")
    lines.append("\tmov.u32 %i, %ctaid.x;\n\tmov.u32 %n, %ntid.x;\n\tmov.u32 %t, %tid.x;")
    lines.append("\tmad.lo.u32 %i, %i, %n, %t;\n\tld.param.u32 %n, [count];\n\tsetp.ge.u32 %keep, %i, %n;")
    lines.append("\t@%keep ret;\n\tcvt.u64.u32 %wide, %i;")
    for index, (letter, size) in enumerate(zip(names, sizes, strict=True)):
        lines.append(f"\tld.param.u64 %p, [p{index}];\n\tmad.wide.u32 %p, %i, {size}, %p;")
        lines.append(f"\tld.global.{_LOAD[size]} %{letter}, [%p];")
    lines.append(f"\t{{ {case.text} }}")
    lines.append(f"\tld.param.u64 %o, [p{len(sizes)}];\n\tmad.wide.u32 %o, %i, {out_size}, %o;")
    lines.append(f"\tst.global.{_LOAD[out_size]} [%o], %d;\n\tret;\n}}\n")
    return prologue + "\n".join(lines)


_DEVICE: list[runtime.Device] = []


def device() -> runtime.Device:
    """One SM model for all cases of a session, without timing."""
    if not _DEVICE:
        _DEVICE.append(runtime.Device("sm_90", timing=False))
    return _DEVICE[0]


def module(cases: dict[str, Case]) -> str:
    """PTX text with one kernel per case."""
    head = ".version 9.0\n.target sm_90\n.address_size 64\n"
    return head + "\n".join(kernel(name, case) for name, case in cases.items())


def assemble(text: str, **options: object) -> Program:
    """PTX text to a `Program`."""
    chosen = Options()
    for name, value in options.items():
        setattr(chosen, name, value)
    return ptxas.assemble(ptx.parse(SourceFile("case.ptx", text)), arch.get("sm_90"), chosen)


def run(cases: dict[str, Case], inputs: dict[str, Sequence[Array]], **options: object) -> dict[str, Array]:
    """Results of every case by name. `inputs[name]` are arrays of equal length."""
    from minicc import binary

    program = assemble(module(cases), **options)
    loaded = device().load(binary.write_cubin(program))
    results: dict[str, Array] = {}
    for name, case in cases.items():
        arrays = [np.ascontiguousarray(x, dtype=t) for x, t in zip(inputs[name], case.inputs, strict=True)]
        count = len(arrays[0])
        out = np.zeros(count, case.output)
        blocks = -(-count // THREADS)
        loaded[name][(blocks,), (THREADS,)](*arrays, out, np.uint32(count))
        results[name] = out
    return results
