"""What C++ and LLVM leave open and the machine does not: constants are what the same operation gives at run time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile

INTEGERS = {"signed char": np.int8, "unsigned char": np.uint8, "short": np.int16, "unsigned short": np.uint16,
            "int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}  # fmt: skip
FLOATS = {"float": np.float32, "double": np.float64}
VALUES = (0.0, -0.0, 1.5, -1.5, 300.0, -129.0, 40000.0, 2.0**31, -(2.0**31) - 512, 2.0**32, 1e10, -1e10, 2.0**63,
          -(2.0**64), 1e30, -1e30, math.inf, -math.inf, math.nan)  # fmt: skip


def literal(value: float, kind: str) -> str:
    """Of bits, so that it becomes a constant in the optimiser and not before."""
    word = int(FLOATS[kind](value).view(np.uint32 if kind == "float" else np.uint64))
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
