"""What C++ and LLVM leave open and the machine does not: constants are what the same operation gives at run time, and
small kernels of special values are what nvcc makes of them."""

from __future__ import annotations

import math
import os
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.conftest import nvcc_makes

INTEGERS = {"signed char": np.int8, "unsigned char": np.uint8, "short": np.int16, "unsigned short": np.uint16,
            "int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}  # fmt: skip
FLOATS = {"float": np.float32, "double": np.float64}
VALUES = (0.0, -0.0, 1.5, -1.5, 300.0, -129.0, 40000.0, 2.0**31, -(2.0**31) - 512, 2.0**32, 1e10, -1e10, 2.0**63,
          -(2.0**64), 1e30, -1e30, math.inf, -math.inf, math.nan)  # fmt: skip


def literal(value: float, kind: str) -> str:
    """Of bits, so that it becomes a constant in the optimiser and not before."""
    word = int(np.array(value, FLOATS[kind]).view(np.uint32 if kind == "float" else np.uint64))
    return f"__int_as_float({word:#x})" if kind == "float" else f"__longlong_as_double({word:#x}ll)"


def run(source: str, name: str, *arrays: np.ndarray[Any, Any], options: str = "", threads: int = 1) -> None:
    """The arrays hold what the kernel wrote."""
    image = minicc.compile(SourceFile("k.cu", source), arch="sm_90", options=f"-w {options}")
    runtime.Device("sm_90", hazards="report").load(image)[name][1, threads](*arrays)


@pytest.mark.parametrize("kind", FLOATS)
def test_conversions_of_constants(kind: str) -> None:
    """Each conversion of each value, found by the optimiser, beside the same one of what memory holds."""
    values = [literal(value, kind) for value in VALUES]
    stores = [
        f"out[{len(values) * k + i}] = (long long)({target})({value});"
        for k, target in enumerate(INTEGERS)
        for i, value in enumerate(values)
    ]
    loads = [f"out[{len(values) * k} + i] = (long long)({target})in[i];" for k, target in enumerate(INTEGERS)]
    source = (
        f'extern "C" __global__ void constants(long long *out) {{ {" ".join(stores)} }}\n'
        f'extern "C" __global__ void variables(long long *out, const {kind} *in) {{\n'
        f"    int i = threadIdx.x; {' '.join(loads)} }}\n"
    )
    found, expected = (np.full(len(INTEGERS) * len(VALUES), 77, np.int64) for _ in range(2))
    run(source, "constants", found)
    run(source, "variables", expected, np.array(VALUES, FLOATS[kind]), threads=len(VALUES))
    assert found.tolist() == expected.tolist()
    alone = minicc.compile(SourceFile("k.cu", source[: source.index("\n")]), arch="sm_90", options="-w").ptx
    assert "cvt." not in alone.replace("cvta.", "")


@pytest.mark.parametrize("used", ["called(v, c)", "lambda(v)", "100 / v"])
def test_what_has_no_value_and_is_not_used(used: str) -> None:
    """Lanes whose variable was never set read nothing for it, wherever it is handed on: n lanes have an element."""
    source = f"""__device__ __noinline__ int called(int v, bool c) {{ return c ? 100 / v : 0; }}
    extern "C" __global__ void k(const int *in, int *out, int n) {{
        int i = threadIdx.x, v;
        bool c = i < n;
        if (c) v = in[i << 20];
        auto lambda = [=](int v) {{ return c ? 100 / v : 0; }};
        int r = {used};
        out[i] = c ? r : 0;
    }}"""
    out = np.full(32, 7, np.int32)
    run(source, "k", np.array([9], np.int32), out, np.int32(1), threads=32)
    assert out.tolist() == [11] + [0] * 31


def test_shifts_of_constants_beyond_the_width() -> None:
    """As PTX's, which clamp the amount; what depends on one is not taken for unreachable."""
    source = """extern "C" __global__ void k(long long *out, int i, unsigned u) {
        out[0] = i >> 32; out[1] = u >> 33; out[2] = i << 40; out[3] = (long long)i >> 64;
        if ((i << 32) > i) out[4] = 1; else out[4] = 2;
    }"""
    out = np.zeros(5, np.int64)
    image = minicc.compile(SourceFile("k.cu", source), arch="sm_90", options="-w")
    runtime.Device("sm_90").load(image)["k"][1, 1](out, -7, 9)
    assert out.tolist() == [-1, 0, 0, -1, 1]


@pytest.mark.parametrize("flush", [False, True])
def test_neighbours_and_powers_of_two(flush: bool) -> None:
    """nextafterf and ldexpf against numpy; where denormals are flushed, operands and results are."""
    rng = np.random.default_rng(5)
    words = rng.integers(0, 1 << 32, 4096, dtype=np.uint64).astype(np.uint32)
    special = np.array(
        [0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0x7F800000], np.uint32
    )
    words[:2048] = np.where(rng.random(2048) < 0.5, rng.choice(special, 2048), words[:2048])
    x, y = words[:2048].view(np.float32).copy(), rng.permutation(words)[:2048].view(np.float32).copy()
    n = rng.integers(-300, 300, 2048).astype(np.int32)
    source = """extern "C" __global__ void k(float *next, float *scaled, const float *x, const float *y, const int *n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        next[i] = nextafterf(x[i], y[i]); scaled[i] = ldexpf(x[i], n[i]);
    }"""
    following, scaled = np.zeros(2048, np.float32), np.zeros(2048, np.float32)
    image = minicc.compile(SourceFile("k.cu", source), arch="sm_90", options="-ftz=true" if flush else "")
    runtime.Device("sm_90").load(image)["k"][8, 256](following, scaled, x, y, n)

    def flushed(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.where(np.abs(a) < np.float32(2.0**-126), np.copysign(np.float32(0), a), a) if flush else a

    with np.errstate(all="ignore"):
        x, y = flushed(x), flushed(y)
        exact = np.ldexp(x.astype(np.float64), n)
        powers = exact.astype(np.float32)
        if flush:  # what is below the least normal number is flushed before it is rounded
            powers = np.where(np.abs(exact) < 2.0**-126, np.copysign(np.float32(0), x), powers)
        neighbours = np.nextafter(x, y)
        if flush:
            least = np.copysign(np.float32(2.0**-126), y)
            neighbours = flushed(np.where((x == 0) & (y != 0) & ~np.isnan(y), least, neighbours))
    for found, expected in (following, neighbours), (scaled, powers):
        np.testing.assert_array_equal(found, expected)
        numbers = ~np.isnan(expected)
        assert (np.signbit(found) == np.signbit(expected))[numbers].all()


def test_negated_denormals_of_bf16() -> None:
    """-ftz flushes what is single precision; the sign of a bf16 is none of its business."""
    source = """#include <cuda_bf16.h>
    extern "C" __global__ void k(unsigned *out, const float *in) {
        out[threadIdx.x] = __float_as_uint(__bfloat162float(__hneg(__float2bfloat16(in[threadIdx.x]))));
    }"""
    words = np.array([0x0040, 0x8001, 0x3F80, 0x0000], np.uint32)
    out = np.zeros(4, np.uint32)
    image = minicc.compile(SourceFile("k.cu", source), arch="sm_90", options="-ftz=true")
    runtime.Device("sm_90").load(image)["k"][1, 4](out, (words << 16).view(np.float32))
    assert out.tolist() == [(int(word) ^ 0x8000) << 16 for word in words]


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
def test_ieee_products_do_not_flush(mode: str) -> None:
    source = f"""extern "C" __global__ void k(float *o, float x, float y) {{
        o[0] = __fmaf_ieee_{mode}(x, 1.0f, 0.0f); o[1] = __fmaf_{mode}(x, 1.0f, 0.0f);
        o[2] = __fmaf_ieee_{mode}(x, y, x);
    }}"""
    out, tiny = np.zeros(3, np.float32), np.float32(1e-40)
    image = minicc.compile(SourceFile("k.cu", source), arch="sm_90", options="-ftz=true")
    runtime.Device("sm_90").load(image)["k"][1, 1](out, tiny, np.float32(-math.inf))
    assert out.tolist() == [tiny, 0, -math.inf]


def test_products_flush_constants() -> None:
    source = """extern "C" __global__ void k(float *o) {
        o[0] = fmaf(1e-40f, 1e30f, 1e-40f); o[1] = fmaf(2.0f, -1.5f, -1e-40f);
    }"""
    for options, expected in ("-ftz=true", [0, -3]), ("", [1e-40 * 1e30, -3]):
        out = np.ones(2, np.float32)
        run(source, "k", out, options=options)
        np.testing.assert_allclose(out, expected, rtol=1e-4)


# --- beside nvcc ----------------------------------------------------------------------------------------------------

NAMES = {"i": "int", "u": "unsigned", "l": "long long", "m": "unsigned long long", "f": "float", "d": "double"}
CALLS = {
    "i": "abs({i}) __clz({i}) __ffs({i}) __mulhi({i},{i}) __float2int_rn({f}) __double2int_ru({d}) min({i},{i}) "
         "isnan({f}) (int)(signed)({f}) (int)(signed_char)({d}) (int)(short)({f}) __float_as_int({f}) __ffsll({l}) "
         "signbit({d}) __shfl_sync(~0u,{i},{i}) __shfl_up_sync(~0u,{i},{u}) __shfl_down_sync(~0u,{i},{u},8) "
         "ilogbf({f}) isinf({d}) (int)roundf({f}) __vimax3_s32({i},{i},{i}) __hadd({i},{i})",
    "u": "__brev({u}) __umulhi({u},{u}) __float2uint_rz({f}) __double2uint_rn({d}) umax({u},{u}) (unsigned)({f}) "
         "__byte_perm({u},{u},{u}) __funnelshift_l({u},{u},{u}) __funnelshift_rc({u},{u},{u}) __popc({u}) "
         "__vabs2({u}) (unsigned)__half_as_ushort(__float2half({f})) "
         "(unsigned)__half_as_ushort(__int2half_rn({i})) (unsigned)__half_as_ushort(__double2half({d})) "
         "(unsigned)__half2int_rz(__float2half({f})) (unsigned)__bfloat16_as_ushort(__float2bfloat16({f})) "
         "(unsigned)(unsigned_char)({d})",
    "l": "llabs({l}) __mul64hi({l},{l}) __float2ll_rn({f}) (signed_long_long)({d}) __double_as_longlong({d}) "
         "llmin({l},{l})",
    "m": "__brevll({m}) __umul64hi({m},{m}) __double2ull_rz({d}) __float2ull_ru({f}) (unsigned_long_long)({f})",
    "f": "fminf({f},{f}) fmaxf({f},{f}) copysignf({f},{f}) __saturatef({f}) fmaf({f},{f},{f}) __int_as_float({i}) "
         "(-({f})) __double2float_rz({d}) (float)({d}) __int2float_rd({i}) (float)({l}) (float)({u}) "
         "__half2float(__float2half({f})) fdimf({f},{f}) ldexpf({f},(int)((unsigned)({i})%400u)-200) "
         "nextafterf({f},{f}) roundf({f}) fabsf({f}) sqrtf({f}) "
         "__half2float(__hmax_nan(__float2half({f}),__float2half({f}))) __shfl_xor_sync(~0u,{f},3)",
    "d": "fmin({d},{d}) fmax({d},{d}) copysign({d},{d}) (double)({f}) (double)({m}) __longlong_as_double({l}) "
         "trunc({d}) __hiloint2double({i},{i}) rint({d}) ceil({d}) (-({d})) fabs({d}) nextafter({d},{d})",
}  # fmt: skip
KERNELS = int(os.environ.get("MINICC_LEFT_OPEN", "30"))
_WIDTH = {"i": 32, "u": 32, "l": 64, "m": 64, "f": 32, "d": 64}
SPECIAL = {
    "f": (0, 1 << 31, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x3F800000, 0x4F000000, 0xCF000000, 0x5F000000,
          0x4F800000, 0x00800000, 0x477FF000, 0x43960000, 0xC3010000),
    "d": (0, 1 << 63, 1, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0x3FF << 52, 0x41E << 52, 0xC1E0000000100000,
          0x43E << 52, 0x47EFFFFFE0000000, 0x36A << 52, 0x4072C << 44),
}  # fmt: skip


class Writer:
    """Random expressions of which CUDA says what they are, though LLVM may not: signed sums, differences and products
    are made of unsigned ones, divisors are odd, amounts of shifts are below the width."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def leaf(self, kind: str) -> str:
        """A variable, or bits that only the optimiser takes for a constant."""
        if self.rng.random() < 0.7:
            return f"{kind}{self.rng.randrange(2)}"
        word = self.word(kind)
        return {"f": f"__int_as_float({word:#x})", "d": f"__longlong_as_double({word:#x}ull)"}.get(
            kind, f"({NAMES[kind]}){word:#x}{'ull' if kind in 'lm' else 'u'}"
        )

    def word(self, kind: str) -> int:
        bits = _WIDTH[kind]
        ends = SPECIAL.get(kind, (0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, bits - 1, bits))
        return self.rng.choice((self.rng.getrandbits(bits), self.rng.choice(ends), self.rng.choice(ends)))

    def expression(self, kind: str, depth: int) -> str:
        rng = self.rng
        if not depth:
            return self.leaf(kind)
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        other = rng.choice("iulmfd")
        test = (
            f"{self.expression(other, depth - 1)} {rng.choice(['<', '<=', '==', '!=', '>=', '>'])} {self.leaf(other)}"
        )
        forms = [f"({test} ? {a} : {b})", f"({a} < {self.leaf(kind)} ? {a} : {b})"]
        if kind in "fd":
            forms += [f"({a} {rng.choice('+-*')} {b})", f"({a} / {b})"]
        else:
            wide = "unsigned" if _WIDTH[kind] == 32 else "unsigned long long"
            forms += [f"({NAMES[kind]})(({wide}){a} {rng.choice('+-*&|^')} ({wide}){b})"]
            forms += [f"({a} {rng.choice(['<<', '>>'])} (i0 & {_WIDTH[kind] - 1}))", f"({wide}){a} / (({wide}){b} | 1)"]
        call = rng.choice(CALLS[kind].split())
        call = re.sub(r"\{(\w)\}", lambda found: self.expression(found[1], depth - 1), call)
        return (
            rng.choice([*forms, call, call, call])
            .replace("d_char", "d char")
            .replace("d_long", "d long")
            .replace("g_long", "g long")
        )

    def kernel(self, name: str) -> str:
        kind = self.rng.choice("iulmffdd")
        columns = [f"{letter}{k}" for letter in NAMES for k in range(2)]
        loads = " ".join(
            f"{NAMES[c[0]]} {c} = *(const {NAMES[c[0]]} *)(in + t * {len(columns)} + {k});"
            for k, c in enumerate(columns)
        )
        bits = {"f": "__float_as_uint(r)", "d": "__double_as_longlong(r)"}.get(kind, "r")
        nan = "r != r ? ~0ull : " if kind in "fd" else ""
        return (
            f'extern "C" __global__ void {name}(const unsigned long long *in, unsigned long long *out) {{\n'
            f"    int t = threadIdx.x; {loads}\n    {NAMES[kind]} r = {self.expression(kind, 3)};\n"
            f"    out[t] = {nan}(unsigned long long){bits};\n}}\n"
        )


def test_as_nvcc(tmp_path: Path) -> None:
    """Small kernels of special values; MINICC_LEFT_OPEN says how many."""
    writer = Writer(random.Random("left open"))
    names = [f"k{n}" for n in range(KERNELS)]
    path = tmp_path / "k.cu"
    heads = "".join(f"#include <{name}>\n" for name in ("cuda_fp16.h", "cuda_bf16.h", "math.h"))
    path.write_text(heads + "".join(writer.kernel(name) for name in names))
    device = runtime.Device("sm_90", timing=False)
    modules = [
        device.load(nvcc_makes(path, tmp_path / "k.cubin", "-w", "-fmad=false")),
        device.load(minicc.compile(path, arch="sm_90", options="-w -fmad=false")),
    ]
    data = np.array([[writer.word(kind) for kind in NAMES for _ in range(2)] for _ in range(64)], np.uint64)
    wrong = []
    for name in names:
        theirs, ours = (np.zeros(64, np.uint64) for _ in modules)
        for module, out in zip(modules, (theirs, ours), strict=True):
            module[name][1, 64](data, out)
        if (rows := np.flatnonzero(theirs != ours)).size:
            text = path.read_text().split(f"void {name}(")[1].split("r = ")[1].split(";\n")[0]
            wrong.append(f"{text}: row {rows[0]}, nvcc {int(theirs[rows[0]]):#x}, ours {int(ours[rows[0]]):#x}")
    assert not wrong, "\n".join(wrong)
