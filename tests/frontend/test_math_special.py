"""Gamma, inverse error and Bessel functions in double precision, against the C library and identities."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest

from .host import Compiled

ONE = ("lgamma", "tgamma", "erfinv", "erfcinv", "normcdfinv", "j0", "j1", "y0", "y1", "cyl_bessel_i0", "cyl_bessel_i1")
EPS = 2.0**-52
RNG = np.random.default_rng(11)


@pytest.fixture(scope="module")
def library() -> Compiled:
    lines = [f"__device__ double d_{n}(double x) {{ return {n}(x); }}" for n in ONE]
    lines += [f"__device__ double d_{n}(int n, double x) {{ return {n}(n, x); }}" for n in ("jn", "yn")]
    lines += ["__device__ double d_remquo(double x, double y, int *q) { return remquo(x, y, q); }"]
    lines += ["__device__ double d_norm(int n, const double *v) { return norm(n, v); }"]
    return Compiled('extern "C" {' + "\n".join(lines) + "}", optimise=True)


def one(library: Compiled, name: str) -> Any:
    return library.function("d_" + name, ctypes.c_double, ctypes.c_double)


def test_gamma(library: Compiled) -> None:
    f = one(library, "tgamma")
    for x in [*RNG.uniform(0.01, 171, 300), *-RNG.uniform(0.1, 30, 100)]:
        assert abs(f(x) - math.gamma(x)) <= 12 * EPS * abs(math.gamma(x)), x
    assert f(math.inf) == math.inf and math.isnan(f(-3.0)) and f(5.0) == 24.0 and f(172.0) == math.inf


def test_log_gamma(library: Compiled) -> None:
    f = one(library, "lgamma")
    for x in [*RNG.uniform(0.01, 50, 400), *np.exp(RNG.uniform(-300, 300, 100)), *-RNG.uniform(11, 90, 50)]:
        # The C library is good to an absolute 1e-15 only around the zeros at 1 and 2.
        assert abs(f(x) - math.lgamma(x)) <= 6 * EPS * max(1.0, abs(math.lgamma(x))), x
    assert f(1.0) == 0.0 and f(2.0) == 0.0 and f(-4.0) == math.inf


def test_inverse_error_functions(library: Compiled) -> None:
    inverse, tail, normal = one(library, "erfinv"), one(library, "erfcinv"), one(library, "normcdfinv")
    for y in RNG.uniform(0.01, 5, 200):
        slope = 2 / math.sqrt(math.pi) * math.exp(-y * y)
        # The argument's own rounding moves the answer by eps x / slope.
        assert abs(inverse(math.erf(y)) - y) <= 6 * EPS * y + EPS * math.erf(y) / slope
    for y in RNG.uniform(0.5, 26, 200):
        relative = EPS * math.erfc(y) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
        assert abs(tail(math.erfc(y)) - y) <= 6 * EPS * y + 2 * relative
    for p in RNG.uniform(0.001, 0.999, 100):
        assert abs(0.5 * math.erfc(-normal(p) / math.sqrt(2)) - p) <= 8 * EPS
    assert inverse(1.0) == math.inf and math.isnan(inverse(1.5)) and tail(0.0) == math.inf and normal(0.5) == 0.0


def test_bessel(library: Compiled) -> None:
    """The Wronskian J1 Y0 - J0 Y1 = 2 / (pi x), recurrences, and tabulated values (Abramowitz and Stegun 9.1, 9.8)."""
    j0, j1, y0, y1 = (one(library, n) for n in ("j0", "j1", "y0", "y1"))
    for x in [*RNG.uniform(0.1, 8, 200), *RNG.uniform(8, 500, 100)]:
        assert abs((j1(x) * y0(x) - j0(x) * y1(x)) - 2 / (math.pi * x)) <= 3e-15 * max(1, 1 / x)
    assert abs(j0(1.0) - 0.7651976865579666) < 2e-16 and abs(y1(2.0) + 0.10703243154093755) < 4e-16
    jn = library.function("d_jn", ctypes.c_double, ctypes.c_int, ctypes.c_double)
    for n, x in ((2, 1.0), (5, 3.0), (3, 20.0), (30, 12.0)):
        assert abs(jn(n - 1, x) + jn(n + 1, x) - 2 * n / x * jn(n, x)) <= 1e-15
    i0, i1 = one(library, "cyl_bessel_i0"), one(library, "cyl_bessel_i1")
    assert abs(i0(1.0) - 1.2660658777520084) < 5e-16 and abs(i1(20.0) / 42454973.385127775 - 1) < 2e-15


def test_remquo_and_norm(library: Compiled) -> None:
    f = library.function("d_remquo", ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)
    q = ctypes.c_int()
    for x, y in zip(RNG.uniform(-1e6, 1e6, 200), RNG.uniform(-50, 50, 200), strict=True):
        assert f(x, y, ctypes.byref(q)) == math.remainder(x, y)
        n = round((x - math.remainder(x, y)) / y)
        assert q.value == math.copysign(abs(n) & 7, n) and f(x, y, ctypes.byref(q)) == math.remainder(x, y)
    norm = library.function("d_norm", ctypes.c_double, ctypes.c_int, ctypes.c_void_p)
    for scale in (1.0, 1e-200, 1e200):
        v = np.array([3.0, 4.0, 12.0, 84.0]) * scale
        assert abs(norm(4, v.ctypes.data) - 85.0 * scale) <= EPS * 85.0 * scale
