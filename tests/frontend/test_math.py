"""Accuracy of the double-precision library: its own IR runs on this machine against numpy in higher precision.

Bounds are those CUDA documents (CUDA C++ Programming Guide, mathematical functions: maximum ulp error).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import minicc
from minicc.diagnostics import SourceFile

from .host import Compiled

L = np.longdouble
# name: (bound in ulp, reference, low, high, logarithmic spacing)
DOUBLE: dict[str, tuple[float, Callable[..., Any], float, float]] = {
    "exp": (1, np.exp, -745, 709), "exp2": (1, np.exp2, -1074, 1023), "exp10": (1, lambda x: L(10) ** x, -320, 308),
    "expm1": (1, np.expm1, -40, 709), "log": (1, np.log, 1e-320, 1e308), "log2": (1, np.log2, 1e-320, 1e308),
    "log10": (1, np.log10, 1e-320, 1e308), "log1p": (1, np.log1p, -0.999, 1e300), "sin": (2, np.sin, -1e5, 1e5),
    "cos": (2, np.cos, -1e5, 1e5), "tan": (2, np.tan, -1e5, 1e5), "asin": (2, np.arcsin, -1, 1),
    "acos": (2, np.arccos, -1, 1), "atan": (2, np.arctan, -50, 50), "sinh": (2, np.sinh, -709, 709),
    "cosh": (1, np.cosh, -709, 709), "tanh": (1, np.tanh, -20, 20), "asinh": (3, np.arcsinh, -1e9, 1e9),
    "acosh": (3, np.arccosh, 1, 1e9), "atanh": (2, np.arctanh, -0.9999, 0.9999), "cbrt": (1, np.cbrt, -1e300, 1e300),
}  # fmt: skip
BINARY: dict[str, tuple[float, Callable[..., Any], tuple[float, float], tuple[float, float]]] = {
    "pow": (2, lambda x, y: x**y, (1e-5, 1e5), (-60, 60)),
    "atan2": (2, np.arctan2, (-10, 10), (-10, 10)),
    "hypot": (2, np.hypot, (-1e100, 1e100), (-1e100, 1e100)),
}


def tail(x: int) -> float:
    """P(normal > x) by Laplace's continued fraction, in 50 digits."""
    with localcontext() as context:
        context.prec = 50
        down = Decimal(x)
        for k in range(400, 0, -1):
            down = x + k / down
        pi = Decimal("3.14159265358979323846264338327950288419716939937511")
        return float((-Decimal(x * x) / 2).exp() / (2 * pi).sqrt() / down)


PHI_37 = tail(37)


def _wrappers() -> str:
    out = ['extern "C" {']
    for name in DOUBLE:
        out.append(
            f"__device__ void v_{name}(const double *x, double *y, int n) {{ for (int i = 0; i < n; i++) y[i] = {name}(x[i]); }}"  # noqa: E501
        )
    for name in ("erf", "erfc", "erfcx", "normcdf", "round", "sinpi", "cospi"):
        for t, suffix in (("float", "f"), ("double", ""))[name != "round" :]:
            out.append(
                f"__device__ void v_{name}{suffix}(const {t} *x, {t} *y, int n) {{ for (int i = 0; i < n; i++) y[i] = {name}{suffix}(x[i]); }}"  # noqa: E501
            )
    for name in (*BINARY, "fmod", "remainder"):
        for t, suffix in (("float", "f"), ("double", ""))[name in BINARY :]:
            out.append(
                f"__device__ void b_{name}{suffix}(const {t} *x, const {t} *z, {t} *y, int n)"
                f" {{ for (int i = 0; i < n; i++) y[i] = {name}{suffix}(x[i], z[i]); }}"
            )
    return "\n".join([*out, "}"])


@pytest.fixture(scope="module")
def library() -> Compiled:
    return Compiled(_wrappers(), optimise=True)


def run(library: Compiled, name: str, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = np.empty_like(inputs[0])
    pointers = [a.ctypes.data for a in (*inputs, out)]
    prefix = "v_" if len(inputs) == 1 else "b_"
    library.function(prefix + name, None, *[ctypes.c_void_p] * len(pointers), ctypes.c_int)(*pointers, len(out))
    return out


def inputs(low: float, high: float, kind: Any, n: int = 20000) -> np.ndarray[Any, Any]:
    """Even and, where the range allows, logarithmic spacing; seeded, so that a failure repeats."""
    rng = np.random.default_rng(7)
    with np.errstate(over="ignore"):
        even = rng.uniform(low / 2, high / 2, n) * 2
        size = np.exp(rng.uniform(np.log(1e-12), np.log(max(abs(low), abs(high))), n)) * rng.choice([-1, 1], n)
    values = np.concatenate([even, size[(size >= low) & (size <= high)]])
    if low > 0:
        values = np.exp(rng.uniform(np.log(low), np.log(high), 2 * n))
    with np.errstate(under="ignore"):
        return np.clip(values, low, high).astype(kind)


def ulps(got: np.ndarray[Any, Any], want: np.ndarray[Any, Any]) -> float:
    """Largest error in units of the last place of the reference, rounded to `got`'s type."""
    kind = got.dtype.type
    info = np.finfo(kind)
    with np.errstate(all="ignore"):
        rounded = want.astype(kind)
        _, exponent = np.frexp(np.abs(want))
        spacing = np.ldexp(L(1), np.maximum(exponent - info.nmant - 1, info.minexp - info.nmant))
        error = np.abs(got.astype(L) - want) / spacing
    error = np.where(
        (got == rounded) | (np.isnan(got) & np.isnan(rounded)), np.minimum(np.nan_to_num(error, posinf=0), 1), error
    )
    return float(np.max(error))


@pytest.mark.parametrize("name", DOUBLE)
def test_double(library: Compiled, name: str) -> None:
    bound, reference, low, high = DOUBLE[name]
    x = inputs(low, high, np.float64)
    with np.errstate(all="ignore"):
        assert ulps(run(library, name, x), reference(x.astype(L))) <= bound


@pytest.mark.parametrize("name", BINARY)
def test_two_arguments(library: Compiled, name: str) -> None:
    bound, reference, first, second = BINARY[name]
    x = inputs(*first, np.float64)
    y = np.random.default_rng(3).permutation(inputs(*second, np.float64))[: len(x)]
    y = np.resize(y, len(x))
    with np.errstate(all="ignore"):
        assert ulps(run(library, name, x, y), reference(x.astype(L), y.astype(L))) <= bound


def test_large_arguments_of_sine(library: Compiled) -> None:
    """Payne-Hanek reduction, against arguments whose reduction is exact by construction: sin(x + 2 pi k) is unknown to
    numpy's float64 beyond 2^63, so powers of two are checked against long double's glibc."""
    x = np.ldexp(np.random.default_rng(5).uniform(1, 2, 2000), np.random.default_rng(6).integers(17, 62, 2000))
    assert ulps(run(library, "sin", x), np.sin(x.astype(L))) <= 2
    assert ulps(run(library, "cos", x), np.cos(x.astype(L))) <= 2
    huge = np.ldexp(np.random.default_rng(5).uniform(1, 2, 500), np.random.default_rng(6).integers(62, 1000, 500))
    # float64 sine of the C library is correctly reduced for every double.
    assert ulps(run(library, "sin", huge), np.sin(huge).astype(L)) <= 3


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_error_functions(library: Compiled, name: str) -> None:
    import math

    reference = np.vectorize(getattr(math, name))
    x = inputs(-6 if name == "erf" else -5, 6 if name == "erf" else 26, np.float64, 4000)
    assert ulps(run(library, name, x), reference(x).astype(L)) <= (
        3 if name == "erf" else 6
    )  # math.erf has its own ulp


def test_erf_by_its_series(library: Compiled) -> None:
    """As far from the exact value as CUDA allows, where a C library's own error would hide that."""
    x = np.concatenate([inputs(0, 6, np.float64, 150), inputs(0, 1, np.float64, 100), np.logspace(-300, -1, 50)])
    with localcontext() as context:
        context.prec = 60
        for a, got in zip(map(Decimal, x.tolist()), run(library, "erf", x), strict=True):
            total, term, n = a, a, 0
            while abs(term) > total * Decimal("1e-40"):
                n += 1
                term = -term * a * a / n
                total += term / (2 * n + 1)
            want = total * 2 / Decimal("3.14159265358979323846264338327950288419716939937511").sqrt()
            assert abs(Decimal(float(got)) - want) <= 2 * Decimal(float(np.spacing(float(want))))


def test_lanes_stay_together_in_erf() -> None:
    """Large and small arguments go one way."""
    source = 'extern "C" __global__ void k(double *a) { a[threadIdx.x] = erf(a[threadIdx.x]); }'
    text = minicc.compile(SourceFile("k.cu", source)).sass
    assert "DFMA" in text and "BSSY" not in text


def test_remainders_are_exact(library: Compiled) -> None:
    x = inputs(-1e6, 1e6, np.float64, 3000)
    y = np.resize(inputs(-50, 50, np.float64, 3000)[::-1], len(x))
    y[y == 0] = 1
    # Quotients and operands of any size, and halves: ties.
    rng = np.random.default_rng(13)
    far = [np.ldexp(rng.integers(1, 1 << 53, 4000).astype(np.float64), rng.integers(-1126, 970, 4000)) for _ in "xy"]
    ties = rng.integers(1, 100, (2, 2000)).astype(np.float64)
    x, y = np.concatenate([x, far[0], ties[0], far[1] * 0.5]), np.concatenate([y, far[1], ties[1], far[1]])
    assert np.array_equal(run(library, "fmod", x, y), np.fmod(x, y))
    import math

    want = np.array([math.remainder(a, b) for a, b in zip(x, y, strict=True)])
    assert np.array_equal(run(library, "remainder", x, y), want)
    some = (np.abs(x) < 3e38) & (np.abs(y) < 3e38) & (np.abs(y) > 1e-44)
    f, g = x[some].astype(np.float32), y[some].astype(np.float32)
    assert np.array_equal(run(library, "fmodf", f, g), np.fmod(f, g))
    want = np.array([math.remainder(a, b) for a, b in zip(f, g, strict=True)], np.float32)
    assert np.array_equal(run(library, "remainderf", f, g), want)


@pytest.mark.parametrize(
    ("name", "x", "want"),
    [
        ("exp", np.inf, np.inf), ("exp", -np.inf, 0.0), ("exp", np.nan, np.nan), ("exp", 710.0, np.inf),
        ("log", 0.0, -np.inf), ("log", -1.0, np.nan), ("log", np.inf, np.inf), ("log", np.nan, np.nan),
        ("log2", 8.0, 3.0), ("log10", 1000.0, 3.0), ("sin", np.inf, np.nan), ("sin", -0.0, -0.0), ("cos", 0.0, 1.0),
        ("tan", 0.0, 0.0), ("atan", np.inf, np.pi / 2), ("tanh", np.inf, 1.0), ("tanh", -np.inf, -1.0), ("sinh", -np.inf, -np.inf),  # noqa: E501
        ("cosh", -np.inf, np.inf), ("cbrt", -27.0, -3.0), ("cbrt", -0.0, -0.0), ("expm1", -np.inf, -1.0), ("log1p", -1.0, -np.inf),  # noqa: E501
        ("asin", 2.0, np.nan), ("acos", 1.0, 0.0), ("erf", np.inf, 1.0), ("erfc", -np.inf, 2.0), ("erf", np.nan, np.nan),  # noqa: E501
        ("round", 2.5, 3.0), ("round", -2.5, -3.0), ("round", 0.49999999999999994, 0.0), ("sinpi", 0.5, 1.0), ("cospi", 1.0, -1.0),  # noqa: E501
        ("acosh", 0.5, np.nan), ("atanh", 1.0, np.inf), ("acosh", -1e10, np.nan), ("acosh", -np.inf, np.nan),
        ("erfcx", -27.3, np.inf), ("erfcx", -1e5, np.inf), ("erfcx", 0.0, 1.0),
        # Phi(x) for large -x, from the continued fraction of the tail in 50 digits.
        ("normcdf", -37.0, PHI_37), ("normcdf", np.inf, 1.0), ("normcdf", -np.inf, 0.0), ("normcdf", np.nan, np.nan),
    ],
)  # fmt: skip
def test_special_values(library: Compiled, name: str, x: float, want: float) -> None:
    for t, suffix in ((np.float64, ""), (np.float32, "f"))[: 2 if name == "round" and x != 0.49999999999999994 else 1]:
        got = run(library, name + suffix, np.array([x], t))[0]
        if np.isnan(want):
            assert np.isnan(got)
        else:
            assert (got == t(want) and np.signbit(got) == np.signbit(want)) or abs(got - want) <= abs(want) * np.finfo(
                t
            ).eps


@pytest.mark.parametrize(
    ("x", "y"),
    [(0.0, 0.0), (0.0, -1.0), (-0.0, -3.0), (-0.0, 3.0), (-2.0, 3.0), (-2.0, 0.5), (np.inf, -1.0), (-np.inf, 3.0), (1.0, np.nan),  # noqa: E501
     (np.nan, 0.0), (-1.0, np.inf), (0.5, np.inf), (2.0, -np.inf), (2.0, 2000.0), (2.0, -2000.0), (10.0, 2.0)],
)  # fmt: skip
def test_pow_special(library: Compiled, x: float, y: float) -> None:
    with np.errstate(all="ignore"):
        want = np.power(np.float64(x), np.float64(y))
    got = run(library, "pow", np.array([x]), np.array([y]))[0]
    assert np.array_equal(got, want, equal_nan=True) and (np.isnan(want) or np.signbit(got) == np.signbit(want))
