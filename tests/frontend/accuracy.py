"""Maximum error of the single-precision library on the SM model, function by function, beside what CUDA documents.

The model's special-function unit is that of the hardware bit for bit, so these are the errors of the device. Run as
`python -m tests.frontend.accuracy` it prints the table of docs/math.md.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import minicc
import runtime
from minicc.diagnostics import SourceFile

L = np.longdouble
Array = np.ndarray[Any, Any]
PI = L("3.14159265358979323846264338327950288")


def _turns(f: Callable[..., Any]) -> Callable[[Array], Array]:
    return lambda x: f((x - 2 * np.rint(x / 2)) * PI)


def _each(f: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda x: np.array([f(float(v)) for v in x], L)


_LIBM = ctypes.CDLL("libm.so.6")


def _c(name: str) -> Callable[[Array], Array]:
    """A function of the C library, which has the Bessel functions."""
    f = getattr(_LIBM, name)
    f.restype, f.argtypes = ctypes.c_double, [ctypes.c_double]
    return _each(f)


def _modified_bessel(n: int) -> Callable[[Array], Array]:
    """I_n by its power series, all of whose terms are positive."""

    def series(x: Array) -> Array:
        term = total = (x / 2) ** n
        for k in range(1, 200):
            term = term * (x * x / 4) / (k * (k + n))
            total = total + term
        return total

    return series


def _tgamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


# name: (bound that CUDA's programming guide documents, reference, lowest and highest argument)
SINGLE: dict[str, tuple[float, Callable[..., Any], float, float]] = {
    "exp": (2, np.exp, -104, 88.7), "exp2": (2, np.exp2, -149, 127.9), "exp10": (2, lambda x: L(10) ** x, -45, 38.5),
    "expm1": (1, np.expm1, -20, 88.7), "log": (1, np.log, 1e-44, 3e38), "log2": (1, np.log2, 1e-44, 3e38),
    "log10": (2, np.log10, 1e-44, 3e38), "log1p": (1, np.log1p, -0.99999, 1e38), "sin": (2, np.sin, -40000, 40000),
    "cos": (2, np.cos, -40000, 40000), "tan": (4, np.tan, -40000, 40000), "sinpi": (1, _turns(np.sin), -100, 100),
    "cospi": (1, _turns(np.cos), -100, 100), "asin": (2, np.arcsin, -1, 1), "acos": (2, np.arccos, -1, 1),
    "atan": (2, np.arctan, -50, 50), "sinh": (3, np.sinh, -89, 89), "cosh": (2, np.cosh, -89, 89),
    "tanh": (2, np.tanh, -12, 12), "asinh": (3, np.arcsinh, -1e30, 1e30), "acosh": (4, np.arccosh, 1, 1e30),
    "atanh": (3, np.arctanh, -0.999999, 0.999999), "cbrt": (1, np.cbrt, -1e37, 1e37),
    "rcbrt": (1, lambda x: 1 / np.cbrt(x), -1e37, 1e37), "rsqrt": (2, lambda x: 1 / np.sqrt(x), 1e-37, 1e38),
    "erf": (2, _each(math.erf), -5, 5), "erfc": (4, _each(math.erfc), -4, 10),
    "normcdf": (5, _each(lambda x: 0.5 * math.erfc(-x * 0.7071067811865476)), -14, 8),
    "tgamma": (5, _each(_tgamma), -20, 35), "lgamma": (6, _each(math.lgamma), -2.2, 1e30),
    "erfcx": (4, lambda x: np.exp(x * x) * _each(math.erfc)(x), -9, 20),
    "j0": (9, _c("j0"), -8, 8), "j1": (9, _c("j1"), -8, 8), "y0": (9, _c("y0"), 1e-9, 8), "y1": (9, _c("y1"), 1e-9, 8),
    "cyl_bessel_i0": (6, _modified_bessel(0), -85, 85), "cyl_bessel_i1": (6, _modified_bessel(1), -85, 85),
}  # fmt: skip
PAIRS: dict[str, tuple[float, Callable[..., Any], tuple[float, float], tuple[float, float]]] = {
    "pow": (4, lambda x, y: x**y, (1e-3, 1e3), (-12, 12)),
    "atan2": (3, np.arctan2, (-10, 10), (-10, 10)),
    "hypot": (3, np.hypot, (-1e15, 1e15), (-1e15, 1e15)),
}


@cache
def _device() -> runtime.Device:
    return runtime.Device("sm_90")


@cache
def _module(name: str, arity: int, kind: str) -> Any:
    args = "x[i]" if arity == 1 else "x[i], y[i]"
    text = (
        'extern "C" __global__ void k(const @ *x, const @ *y, @ *z, int n)'
        f"{{ int i = blockIdx.x * 256 + threadIdx.x; if (i < n) z[i] = {name}({args}); }}"
    )
    return _device().load(minicc.compile(SourceFile(f"{name}.k", text.replace("@", kind))).fatbin)


def call(name: str, x: Array, y: Array | None = None) -> Array:
    """`name` of every element, computed by the model."""
    device = _device()
    kernel = _module(name, 1 if y is None else 2, "float" if x.dtype == np.float32 else "double")["k"]
    a, b, out = device.buffer(x), device.buffer(x if y is None else y), device.empty(len(x), x.dtype)
    kernel[(len(x) + 255) // 256, 256](a, b, out, np.int32(len(x)))
    return out.numpy()


def inputs(low: float, high: float, n: int = 8000) -> Array:
    """Even and logarithmic spacing; seeded, so that a failure repeats."""
    rng = np.random.default_rng(7)
    even = rng.uniform(low, high, n) if high - low < 1e30 else np.zeros(0)
    size = np.exp(rng.uniform(np.log(max(1e-12, low)), np.log(max(abs(low), abs(high))), n))
    if low < 0:
        size = size * rng.choice([-1, 1], n)
    return np.clip(np.concatenate([even, size]), low, high).astype(np.float32)


def ulps(got: Array, want: Array) -> float:
    """Largest error in units of the last place of a float around the reference."""
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.abs(want))
        spacing = np.ldexp(L(1), np.maximum(exponent - 24, -149))
        error = np.abs(got.astype(L) - want) / spacing
        same = (got == want.astype(np.float32)) | (np.isnan(got) & np.isnan(want))
    return float(np.max(np.where(same, np.minimum(np.nan_to_num(error, posinf=0.0), 0.5), error)))


def measure(name: str) -> float:
    if name in PAIRS:
        _, reference, first, second = PAIRS[name]
        x, y = inputs(*first), np.random.default_rng(3).permutation(inputs(*second))
        with np.errstate(all="ignore"):
            return ulps(call(name + "f", x, y), reference(x.astype(L), y.astype(L)))
    _, reference, low, high = SINGLE[name]
    x = inputs(low, high)
    with np.errstate(all="ignore"):
        return ulps(call(name + "f", x), reference(x.astype(L)))


if __name__ == "__main__":
    for name, row in {**SINGLE, **PAIRS}.items():
        print(f"| {name}f | {measure(name):.2f} | {row[0]:g} |", flush=True)
