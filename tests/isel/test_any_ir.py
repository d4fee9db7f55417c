# ruff: noqa: E501
"""LLVM IR that no CUDA frontend writes: odd widths, wide atomics, rare intrinsics. It selects, and ptxas takes it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from minicc import ptx
from tests.conftest import PTXAS
from tests.isel.run_ptx import compile_ir

_RMW = ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap")


def _call(type_: str, name: str, *arguments: str) -> str:
    """A kernel that stores the intrinsic of its parameters."""
    params = "".join(f", {kind} %a{i}" for i, kind in enumerate(arguments))
    values = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(arguments))
    return (
        f"define ptx_kernel void @k(ptr %p{params}) {{\n %r = call {type_} @llvm.{name}({values})\n store {type_} %r, ptr %p\n"
        f" ret void\n}}\ndeclare {type_} @llvm.{name}({', '.join(arguments)})\n"
    )


def _body(code: str, params: str = "ptr %p") -> str:
    return f"define ptx_kernel void @k({params}) {{\n{code}\n ret void\n}}\n"


CASES = {
    "udiv.i128": _body(" %a = load i128, ptr %p\n %b = load i128, ptr %q\n %c = udiv i128 %a, %b\n store i128 %c, ptr %p",
                       "ptr %p, ptr %q"),
    "ctpop.i37": _call("i37", "ctpop.i37", "i37"),
    "bitreverse.i128": _call("i128", "bitreverse.i128", "i128"),
    "bswap.i128": _call("i128", "bswap.i128", "i128"),
    "uadd.sat.v4i8": _call("<4 x i8>", "uadd.sat.v4i8", "<4 x i8>", "<4 x i8>"),
    "ushl.sat.i32": _call("i32", "ushl.sat.i32", "i32", "i32"),
    "sshl.sat.i64": _call("i64", "sshl.sat.i64", "i64", "i64"),
    "fptosi.sat.i8.f16": _call("i8", "fptosi.sat.i8.f16", "half"),
    "lround.i32.f32": _call("i32", "lround.i32.f32", "float"),
    "llrint.i64.f64": _call("i64", "llrint.i64.f64", "double"),
    "vector.reduce.fadd": _call("float", "vector.reduce.fadd.v4f32", "float", "<4 x float>"),
    "vector.reduce.fmax": _call("half", "vector.reduce.fmax.v8f16", "<8 x half>"),
    "vector.reduce.umin": _call("i16", "vector.reduce.umin.v8i16", "<8 x i16>"),
    "fshl.i64": _call("i64", "fshl.i64", "i64", "i64", "i64"),
    "fshl.i128": _call("i128", "fshl.i128", "i128", "i128", "i128"),
    "uadd.with.overflow.v3i16": _call("{ <3 x i16>, <3 x i1> }", "uadd.with.overflow.v3i16", "<3 x i16>", "<3 x i16>"),
    "vector.reduce.smax.v3i65": _call("i65", "vector.reduce.smax.v3i65", "<3 x i65>"),
    "frexp.v2f16": _call("{ <2 x half>, <2 x i32> }", "frexp.v2f16.v2i32", "<2 x half>"),
    "canonicalize.bf16": _call("bfloat", "canonicalize.bf16", "bfloat"),
    "ptrtoint.i1": _body(" %c = ptrtoint ptr @k to i1\n br i1 %c, label %a, label %b\na:\n store i32 1, ptr %p\n br label %b\nb:\n"),
    "v3": _body(" %a = load <3 x i32>, ptr %p\n %c = mul <3 x i32> %a, %a\n %d = ashr <3 x i32> %c, <i32 1, i32 2, i32 3>\n"
                " store <3 x i32> %d, ptr %p"),
    "atomicrmw": _body("\n".join(f" %r{i} = atomicrmw {op} ptr %p, i32 %a seq_cst\n"
                                 f" %s{i} = atomicrmw {op} ptr %p, i64 7 syncscope(\"block\") acquire"
                                 for i, op in enumerate(_RMW)), "ptr %p, i32 %a"),
    "atomicrmw.narrow": _body(" %x = atomicrmw fadd ptr %p, half 1.0 monotonic\n %y = atomicrmw add ptr %p, i8 3 acq_rel\n"
                              " %z = atomicrmw fmax ptr %p, float 2.0 release\n %w = atomicrmw xchg ptr %p, i16 9 monotonic"),
    "cmpxchg": _body(" %x = cmpxchg ptr %p, i8 1, i8 2 acq_rel monotonic\n %y = cmpxchg weak ptr %p, i64 1, i64 2 monotonic monotonic"
                     "\n %z = cmpxchg ptr %p, i128 1, i128 2 monotonic monotonic"),
    "nontemporal": _body(" %a = load <4 x float>, ptr addrspace(1) %p, align 16, !nontemporal !0\n"
                         " store <4 x float> %a, ptr addrspace(1) %q, align 16, !nontemporal !0",
                         "ptr addrspace(1) %p, ptr addrspace(1) %q") + "!0 = !{i32 1}\n",
    "indirect": _body(" %x = call i32 %f(i32 3, double 2.0)\n store i32 %x, ptr %p", "ptr %p, ptr %f"),
    "extract": _body(" %a = load <8 x i16>, ptr %p\n %x = extractelement <8 x i16> %a, i32 %i\n"
                     " %b = insertelement <8 x i16> %a, i16 %x, i32 %j\n store <8 x i16> %b, ptr %p",
                     "ptr %p, i32 %i, i32 %j"),
}  # fmt: skip
WORDS = {"nontemporal": "ld.global.cs.v4.f32", "atomicrmw": "atom.acq_rel", "indirect": ".callprototype"}


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", CASES)
def test_selects(name: str, level: int, tmp_path: Path) -> None:
    text = ptx.format(compile_ir('target triple = "nvptx64-nvidia-cuda"\n' + CASES[name], level))
    assert WORDS.get(name, "") in text
    if PTXAS:
        path = tmp_path / "k.ptx"
        path.write_text(text)
        done = subprocess.run([PTXAS, "-arch=sm_90", str(path), "-o", os.devnull], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
