"""LLVM IR as any frontend and LLVM's own passes may write it: it gives what LLVM's code for the host gives.

Each case (`forms.py`) is a function of a few values. All are compiled with our compiler, with and without optimisation,
run on the SM model, and held to the same IR compiled by LLVM's just-in-time compiler for the machine that the test runs
on, which shares nothing with selection.
"""

from __future__ import annotations

import ctypes
import functools
import math
import random
import re
import struct

import llvmlite.binding as llvm
import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.isel.forms import GROUPS, Case, plain

SLOT, ARGUMENTS, ROWS = 64, 4, 64
"""Bytes of an operand, operands of a case, threads."""
FLOATS = {"half": "<e", "float": "<f", "double": "<d"}


def bodies(cases: list[Case], entry: str) -> str:
    """The cases as functions of the places of their operands and of their result, and a kernel (or none) for each."""
    out: list[str] = []
    for case in cases:
        name = f"f_{case.name}"
        lines = [f"define {entry} @{name}(ptr %in, ptr %out) {{"]
        for k, kind in enumerate(case.kinds):
            lines.append(f"%s{k} = getelementptr i8, ptr %in, i64 {k * SLOT}")
            lines.append(f"%a{k} = load {plain(kind)}, ptr %s{k}, align 16")
        store = "" if case.result == "void" else f"store {case.result} %r, ptr %out, align 16"
        out.append("\n".join([*lines, case.code, store, "ret void", "}"]))
    declared = dict.fromkeys(line for case in cases for line in case.declared.split("\n") if line)
    return "\n".join([*out, *declared])


def kernels(cases: list[Case]) -> str:
    """A kernel around each case, one thread a row."""
    around = [
        f'define ptx_kernel void @"{case.name}"(ptr %in, ptr %out) {{\n'
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        f"%i = mul i32 %t, {SLOT * ARGUMENTS}\n%o = mul i32 %t, {SLOT}\n"
        "%from = getelementptr i8, ptr %in, i32 %i\n%to = getelementptr i8, ptr %out, i32 %o\n"
        f"call void @f_{case.name}(ptr %from, ptr %to)\nret void\n}}"
        for case in cases
    ]
    return "\n".join([*around, "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"])


# --- operands -------------------------------------------------------------------------------------------------------


def scalar(kind: str, bound: int, rng: random.Random) -> int:
    """The bits of a value; special ones often."""
    if kind in FLOATS:
        if bound:
            value = rng.uniform(-bound, bound)
        else:
            ends = [
                0.0,
                -0.0,
                1.0,
                -1.5,
                0.5,
                math.inf,
                -math.inf,
                math.nan,
                2.5,
                -3.5,
                1e-40,
                2.0**31,
                -(2.0**63),
                65519.0,
            ]
            value = rng.choice(
                [rng.choice(ends), rng.uniform(-4, 4), math.ldexp(rng.uniform(-1, 1), rng.randint(-140, 130))]
            )
        if kind == "half" and math.isfinite(value):
            value = max(-65504.0, min(value, 65504.0))
        if kind == "float" and math.isfinite(value):
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return int.from_bytes(struct.pack(FLOATS[kind], value), "little")
    bits = 64 if kind == "ptr" else int(kind[1:])
    top = (1 << bits) - 1
    if bound:
        return rng.randrange(bound)
    some, ends = rng.getrandbits(bits), (0, 1 & top, top, top >> 1, (top >> 1) + 1)
    return rng.choice([some, rng.choice(ends), some >> rng.randrange(bits)])


def operand(kind: str, rng: random.Random) -> bytes:
    found = re.search(r"(?<=[\w>])<(\d+)$", kind)
    bound, type_ = int(found[1]) if found else 0, plain(kind)
    vector = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    count, element = (int(vector[1]), vector[2]) if vector else (1, type_)
    bits = {"half": 16, "float": 32, "double": 64, "ptr": 64}.get(element) or int(element[1:])
    word = sum(scalar(element, bound, rng) << bits * k for k in range(count))  # a vector's elements lie bit by bit
    return word.to_bytes(SLOT, "little")


def rows(case: Case) -> bytes:
    rng = random.Random(case.name)
    empty = bytes(SLOT)
    return b"".join(
        b"".join(operand(case.kinds[k], rng) if k < len(case.kinds) else empty for k in range(ARGUMENTS))
        for _ in range(ROWS)
    )


ROUNDED = """
define bfloat @__truncsfbf2(float %x) {
  %b = bitcast float %x to i32
  %high = lshr i32 %b, 16
  %odd = and i32 %high, 1
  %up = add i32 %odd, 32767
  %sum = add i32 %b, %up
  %cut = lshr i32 %sum, 16
  %half = trunc i32 %cut to i16
  %nan = fcmp uno float %x, %x
  %r = select i1 %nan, i16 32704, i16 %half
  %to = bitcast i16 %r to bfloat
  ret bfloat %to
}
define bfloat @__truncdfbf2(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %b = bitcast float %near to i32
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.fabs.f64(double %back)
  %above = fcmp ogt double %c, %a
  %lower = sext i1 %above to i32
  %below = add i32 %b, %lower
  %inexact = fcmp one double %back, %x
  %odd = zext i1 %inexact to i32
  %bits = or i32 %below, %odd
  %f = bitcast i32 %bits to float
  %r = call bfloat @__truncsfbf2(float %f)
  ret bfloat %r
}
"""
"""What libgcc has since version 13 only: to bfloat with one rounding (of a double, by a float rounded to odd)."""


# --- the two machines -----------------------------------------------------------------------------------------------


@functools.cache
def host_machine() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.load_library_permanently("libgcc_s.so.1")  # division of 128 bits


def on_host(cases: list[Case]) -> dict[str, bytes]:
    host_machine()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features()
    features["avx512bf16"] = features["avxneconvert"] = False  # their conversions flush denormals
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=1, jit=True)
    text = bodies(cases, "void")
    if "bfloat" in text:
        declared = "declare double @llvm.fabs.f64(double)"
        text += ROUNDED + ("" if declared in text else declared)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    found = {}
    for case in cases:
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
            engine.get_function_address(f"f_{case.name}")
        )
        given = np.frombuffer(rows(case), np.uint8).copy()
        out = np.zeros(ROWS * SLOT + 16, np.uint8)
        skip = -out.ctypes.data % 16
        inner = np.zeros(len(given) + 16, np.uint8)
        at = -inner.ctypes.data % 16
        inner[at : at + len(given)] = given
        for row in range(ROWS):
            function(inner.ctypes.data + at + row * SLOT * ARGUMENTS, out.ctypes.data + skip + row * SLOT)
        found[case.name] = out[skip : skip + ROWS * SLOT].tobytes()
    return found


def on_model(cases: list[Case], level: int) -> dict[str, bytes]:
    text = f'target triple = "nvptx64-nvidia-cuda"\n{bodies(cases, "internal void")}\n{kernels(cases)}'
    device = runtime.Device("sm_90", hazards="report")
    module = device.load(minicc.compile(SourceFile("forms.ll", text), arch="sm_90", options=f"-O{level}"))
    found = {}
    for case in cases:
        out = np.zeros(ROWS * SLOT, np.uint8)
        module[case.name][1, ROWS](np.frombuffer(rows(case), np.uint8).copy(), out)
        found[case.name] = out.tobytes()
    return found


def canonical(case: Case, row: bytes) -> bytes:
    """A result, with one NaN for all in the places of its floats."""
    element = re.sub(r"^<\d+ x (\w+)>$", r"\1", case.result)
    if element not in FLOATS:
        return row
    size = struct.calcsize(FLOATS[element])
    values = [row[at : at + size] for at in range(0, SLOT, size)]
    return b"".join(b"NaN" if math.isnan(struct.unpack(FLOATS[element], v)[0]) else v for v in values)


def differences(cases: list[Case], expected: dict[str, bytes], level: int) -> list[str]:
    """What of the cases' results differs on the model: the first row of each."""
    got, wrong = on_model(cases, level), []
    for case in cases:
        for row in range(ROWS):
            there, here = (canonical(case, some[case.name][row * SLOT : row * SLOT + SLOT]) for some in (expected, got))
            if there != here:
                given = rows(case)[row * SLOT * ARGUMENTS :][: SLOT * ARGUMENTS]
                wrong.append(f"{case.name}: row {row} {given.hex()}\n host {there.hex()}\n ours {here.hex()}")
                break
    return wrong


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("group", GROUPS)
def test_as_on_the_host(group: str, level: int) -> None:
    cases = GROUPS[group]
    wrong = differences(cases, on_host(cases), level)
    assert not wrong, "\n".join(wrong)
