"""LLVM IR that calls libdevice's functions and LLVM's mathematical intrinsics: linked, run, and compared with numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minicc
import runtime

ONE = {"exp": np.exp, "exp2": np.exp2, "exp10": lambda x: 10**x, "log": np.log, "log2": np.log2, "log10": np.log10,
       "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
       "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh}  # fmt: skip
TWO = {"pow": np.power, "atan2": np.arctan2}
KINDS = {"f16": ("half", np.float16), "f32": ("float", np.float32), "f64": ("double", np.float64)}
X = np.linspace(0.05, 0.95, 8)
ULPS = 4


def run(ir: str, values: np.ndarray[Any, Any], folder: Path, count: int = 0) -> np.ndarray[Any, Any]:
    """What `void k(ptr out, ptr in)` writes."""
    path = folder / "k.ll"
    path.write_text('target triple = "nvptx64-nvidia-cuda"\n' + ir)
    device = runtime.Device("sm_90")
    source = device.buffer(values)
    target = device.zeros(count or len(values), values.dtype)
    device.load(minicc.compile(path, arch="sm_90").cubin)["k"][1, 1](target, source)
    return np.asarray(target.numpy())


def close(found: np.ndarray[Any, Any], exact: np.ndarray[Any, Any]) -> bool:
    want = np.asarray(exact).astype(found.dtype)
    return bool(np.all(np.abs(found - want) <= ULPS * np.spacing(np.abs(want))))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2])
def test_intrinsics(kind: str, count: int, tmp_path: Path) -> None:
    """All of them in one kernel, of scalars and of vectors."""
    scalar, dtype = KINDS[kind]
    type_ = f"<{count} x {scalar}>" if count > 1 else scalar
    suffix = f"v{count}{kind}" if count > 1 else kind
    declared, body, exact = [], [], []
    x = X.astype(dtype)[:count]
    functions: list[tuple[str, int, Callable[..., Any]]] = [(n, 1, f) for n, f in ONE.items()]
    functions += [(n, 2, f) for n, f in TWO.items()]
    for n, (name, operands, function) in enumerate(functions):
        arguments = ", ".join([f"{type_} %x"] * operands)
        declared.append(f"declare {type_} @llvm.{name}.{suffix}({', '.join([type_] * operands)})")
        body += [
            f"  %r{n} = call {type_} @llvm.{name}.{suffix}({arguments})",
            f"  %p{n} = getelementptr {scalar}, ptr %out, i64 {n * count}",
            f"  store {type_} %r{n}, ptr %p{n}, align 2",
        ]
        exact.append(function(*[x.astype(np.float64)] * operands))
    head = f"define ptx_kernel void @k(ptr %out, ptr %in) {{\n  %x = load {type_}, ptr %in, align 2\n"
    found = run("\n".join([*declared, head, *body, "  ret void\n}\n"]), x, tmp_path, count * len(functions))
    for n, (name, *_) in enumerate(functions):
        assert close(found[n * count : n * count + count], exact[n]), name


def test_library_names(tmp_path: Path) -> None:
    """Names of libdevice: with pointers, with another name in C++, one that the module defines itself."""
    ir = """declare void @__nv_sincosf(float, ptr, ptr)
declare i32 @__nv_isnanf(float noundef) #0
declare noundef float @__nv_fast_expf(float)
declare float @__nv_fmaf_rn(float, float, float)
declare float @__nv_powif(float, i32)
declare { float, float } @llvm.sincos.f32(float)
declare float @llvm.sin.f32(float)
define float @__nv_mine(float %x) { ret float %x }
define ptx_kernel void @k(ptr %out, ptr %in) {
  %x = load float, ptr %in
  %p1 = getelementptr float, ptr %out, i64 1
  call void @__nv_sincosf(float %x, ptr %out, ptr %p1)
  %nan = call i32 @__nv_isnanf(float %x)
  %e = call float @__nv_fast_expf(float %x)
  %f = call float @__nv_fmaf_rn(float %x, float %e, float 1.0)
  %g = call float @__nv_powif(float %x, i32 3)
  %m = call float @__nv_mine(float %g)
  %pair = call { float, float } @llvm.sincos.f32(float %x)
  %c = extractvalue { float, float } %pair, 1
  %fast = call afn float @llvm.sin.f32(float %x)
  %n = icmp eq i32 %nan, 0
  %h = select i1 %n, float %f, float 0.0
  %p2 = getelementptr float, ptr %out, i64 2
  store float %h, ptr %p2
  %p3 = getelementptr float, ptr %out, i64 3
  store float %m, ptr %p3
  %p4 = getelementptr float, ptr %out, i64 4
  store float %c, ptr %p4
  %p5 = getelementptr float, ptr %out, i64 5
  store float %fast, ptr %p5
  ret void
}
attributes #0 = { nounwind }
"""
    x = np.float32(0.7)
    found = run(ir, np.array([x]), tmp_path, 6)
    w = np.float64(x)
    exact = np.array([np.sin(w), np.cos(w), w * np.exp(w) + 1, w**3, np.cos(w), np.sin(w)])
    assert close(found[:5], exact[:5])
    assert abs(found[5] - exact[5]) < 1e-6  # sin.approx
    assert "sin.approx.f32" in minicc.compile(tmp_path / "k.ll", arch="sm_90").ptx


def test_unknown_name(tmp_path: Path) -> None:
    path = tmp_path / "k.ll"
    path.write_text("""declare float @__nv_nothing(float)
define ptx_kernel void @k(ptr %p) {
  %x = load float, ptr %p
  %y = call float @__nv_nothing(float %x)
  store float %y, ptr %p
  ret void
}
""")
    with pytest.raises(minicc.CompileError, match="__nv_nothing"):
        minicc.compile(path, arch="sm_90")


def test_divisions_of_128_bits(tmp_path: Path) -> None:
    """All four, of operands of every length and next to powers of two, by the dividend's and the divisor's halves."""
    rng = np.random.default_rng(11)
    edges = [(1 << k) + d for k in (0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 126, 127) for d in (-1, 0, 1)]
    drawn = [int.from_bytes(rng.bytes(16), "little") >> int(rng.integers(0, 128)) for _ in range(300)]
    first = [a for a in edges for _ in edges] + drawn + [(1 << 128) - 1 - a for a in drawn]
    second = [b for _ in edges for b in edges] + drawn[::-1] + drawn
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if b % (1 << 128)]
    source = """
    typedef unsigned __int128 u; typedef __int128 s;
    extern "C" __global__ void k(const u *in, u *out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        u a = in[2 * i], b = in[2 * i + 1];
        out[6 * i] = a / b, out[6 * i + 1] = a % b, out[6 * i + 4] = a / 1000000007, out[6 * i + 5] = a % 16;
        out[6 * i + 2] = (s)a / (s)b, out[6 * i + 3] = (s)a % (s)b;
    }"""
    path = tmp_path / "k.k"
    path.write_text(source)
    device = runtime.Device("sm_90")
    words = [part for pair in pairs for x in pair for part in (x % (1 << 64), x >> 64)]
    target = device.zeros(12 * len(pairs), np.dtype(np.uint64))
    for options in ("", "-G", "-use_fast_math -lineinfo"):
        image = minicc.compile(path, arch="sm_90", options=options).cubin
        device.load(image)["k"][len(pairs), 1](device.buffer(np.array(words, np.uint64)), target)
        found = target.numpy().reshape(len(pairs), 6, 2)
        for (a, b), row in zip(pairs, found, strict=True):
            x, y = (v - (1 << 128 if v >> 127 else 0) for v in (a, b))
            quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            want = [a // b, a % b, quotient, x - quotient * y, a // 1000000007, a % 16]
            assert [int(low) | int(high) << 64 for low, high in row] == [w % (1 << 128) for w in want], (a, b, options)
