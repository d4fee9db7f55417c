"""The math library on the SM model: errors within CUDA's documented bounds, and special values."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile

from . import test_math as double
from .accuracy import PAIRS, SINGLE, L, call, measure

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, -1e-40, 3e38, -3e38], np.float32)


@pytest.mark.parametrize("name", [*SINGLE, *PAIRS])
def test_error_is_within_the_documented_bound(name: str) -> None:
    assert measure(name) <= (PAIRS[name] if name in PAIRS else SINGLE[name])[0]


LONG = ("tgamma", "lgamma", "erfcx", "j0", "j1", "y0", "y1", "cyl_bessel_i0", "cyl_bessel_i1")
"""Functions whose results have several wrong bits, ordinary ones too; `EXACT` says what is exact of them."""
INF, NAN = np.inf, np.nan
EXACT = {
    "tgamma": [
        (0.0, INF),
        (-0.0, -INF),
        (1, 1),
        (2, 1),
        (3, 2),
        (-1, NAN),
        (36, INF),
        (INF, INF),
        (-INF, NAN),
        (-50.5, -0.0),
    ],
    "lgamma": [(0.0, INF), (1, 0.0), (2, 0.0), (-3, INF), (INF, INF), (-INF, INF), (NAN, NAN)],
    "erfcx": [(0.0, 1), (-0.0, 1), (INF, 0.0), (-INF, INF), (NAN, NAN)],
    "j0": [(INF, 0.0), (-INF, 0.0), (NAN, NAN)],
    "j1": [(0.0, 0.0), (-0.0, -0.0), (INF, 0.0), (NAN, NAN)],
    "y0": [(0.0, -INF), (-1, NAN), (INF, 0.0), (NAN, NAN)],
    "y1": [(0.0, -INF), (-1, NAN), (INF, 0.0), (NAN, NAN)],
    "cyl_bessel_i0": [(INF, INF), (-INF, INF), (NAN, NAN)],
    "cyl_bessel_i1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
}


@pytest.mark.parametrize("name", LONG)
def test_exact_values(name: str) -> None:
    x, want = np.array(EXACT[name], np.float32).T
    got = call(name + "f", np.ascontiguousarray(x))
    np.testing.assert_array_equal(got, want)
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


@pytest.mark.parametrize("name", [n for n in SINGLE if n not in LONG])
def test_special_values(name: str) -> None:
    got = call(name + "f", SPECIAL).astype(np.float64)
    with np.errstate(all="ignore"):
        want = np.asarray(SINGLE[name][1](SPECIAL.astype(L)))
        if name in ("sinpi", "cospi"):
            # A zero of the argument's sign; cospi's are positive. Nothing is rounded away below.
            zero = np.copysign(0, SPECIAL) if name == "sinpi" else np.zeros(len(SPECIAL))
            want = np.where((np.abs(want) < 1e-10) & (np.abs(SPECIAL) >= 1e-30), zero, want)
            want = np.where(np.abs(SPECIAL) == 0, zero if name == "sinpi" else 1, want)
        want = want.astype(np.float32).astype(np.float64)
    for x, a, b in zip(SPECIAL, got, want, strict=True):
        if np.isnan(b):
            assert np.isnan(a), x
        else:
            assert abs(a - b) <= 2e-7 * abs(b) + 3e-45 or a == b, (x, a, b)
            assert np.signbit(a) == np.signbit(b), (x, a, b)


@pytest.mark.parametrize(
    "x", [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, np.inf, -np.inf, np.nan, 1e-40, 3e38]
)
def test_pow_special(x: float) -> None:
    ys = np.array(
        [0, -0.0, 1, -1, 2, 3, -3, 0.5, -0.5, 2.5, np.inf, -np.inf, np.nan, 1e30, -1e30, 16777217, 33], np.float32
    )
    xs = np.full_like(ys, x)
    got = call("powf", xs, ys)
    with np.errstate(all="ignore"):
        want = np.power(xs.astype(np.float64), ys.astype(np.float64)).astype(np.float32)
    for y, a, b in zip(ys, got, want, strict=True):
        if np.isnan(b):
            assert np.isnan(a), (x, y, a)
        else:
            assert (a == b or abs(a - b) <= 3e-7 * abs(b)) and np.signbit(a) == np.signbit(b), (x, y, a, b)


@pytest.mark.parametrize("name", [*double.DOUBLE, "rsqrt"])
def test_double_precision_with_the_device_s_reciprocals(name: str) -> None:
    """On the host 1 / x stands for MUFU.RCP64H, which is coarser; here it is the hardware's."""
    row = (1.0, lambda x: 1 / np.sqrt(x), 1e-310, 1e308) if name == "rsqrt" else double.DOUBLE[name]
    bound, reference, low, high = row
    x = double.inputs(low, high, np.float64, 1500)
    with np.errstate(all="ignore"):
        assert double.ulps(call(name, x), reference(x.astype(L))) <= bound


def test_lgamma_left_of_zero() -> None:
    """Outside of the interval that CUDA's bounds except, in which most of its zeros lie."""
    rng = np.random.default_rng(3)
    for name, kind, bound, far in (("lgammaf", np.float32, 6, -10.001), ("lgamma", np.float64, 4, -11.0001)):
        x = np.concatenate([rng.uniform(-150, far, 2000), rng.uniform(-2.2637, -0.001, 2000)]).astype(kind)
        lgammal = ctypes.CDLL(None).lgammal
        lgammal.restype, lgammal.argtypes = ctypes.c_longdouble, [ctypes.c_longdouble]
        # A long double comes back as a double: half a unit more.
        want = np.array([lgammal(v) for v in x.tolist()], L)
        assert double.ulps(call(name, x), want) <= bound, name


@pytest.mark.parametrize("options", ["", "-ftz=true"])
def test_frexp_is_a_fraction_and_an_exponent_or_zero(options: str) -> None:
    """Of denormals, too, which -ftz=true takes for zeros."""
    source = """extern "C" __global__ void k(const float *x, float *m, int *e) {
        m[threadIdx.x] = frexpf(x[threadIdx.x], &e[threadIdx.x]); }"""
    device = runtime.Device("sm_90")
    x = np.array([0.0, -0.0, 1e-40, -1.1754942e-38, 1.1754944e-38, -3e38, 1.0, 0.75], np.float32)
    m, e = device.zeros(len(x), np.dtype(np.float32)), device.zeros(len(x), np.dtype(np.int32))
    image = minicc.compile(SourceFile("k.k", source), arch="sm_90", options=options).cubin
    device.load(image)["k"][1, len(x)](device.buffer(x), m, e)
    flushed = np.where((np.abs(x) < np.finfo(np.float32).tiny) & bool(options), np.float32(0) * x, x)
    want = np.frexp(flushed)
    np.testing.assert_array_equal(m.numpy(), want[0])
    np.testing.assert_array_equal(np.signbit(m.numpy()), np.signbit(x))
    np.testing.assert_array_equal(e.numpy(), want[1])


@pytest.mark.parametrize("flushed", [False, True])
def test_subnormal_floats_become_doubles(flushed: bool) -> None:
    """-ftz=true takes them for zeros of their sign on the way, too (cvt.ftz.f64.f32, as nvcc writes)."""
    source = "__global__ void k(const float *x, double *out) { out[threadIdx.x] = x[threadIdx.x]; }"
    image = minicc.compile(SourceFile("k.k", source), arch="sm_90", options=f"-ftz={str(flushed).lower()}").cubin
    x = np.array([*SPECIAL, 1.17549435e-38, -1.17549421e-38, 1e-45], np.float32)
    out = np.zeros(len(x))
    runtime.Device("sm_90").load(image)["k"][1, len(x)](x, out)
    want = np.where(flushed & (np.abs(x) < np.finfo(np.float32).tiny), np.copysign(0, x), x).astype(np.float64)
    np.testing.assert_array_equal(out, want)
    assert (np.signbit(out) == np.signbit(want))[~np.isnan(want)].all()


@pytest.mark.parametrize("flushed", [False, True])
def test_a_function_that_rounds_flushes_what_it_leaves_as_it_is(flushed: bool) -> None:
    """x * 1 by __fmul_rn is an operation: with -ftz=true a denormal x becomes a zero."""
    sums = ("__fadd_rn(x[i], -0.0f)", "__fsub_rn(x[i], 0.0f)", "__fmul_rn(1.0f, x[i])", "__fdiv_rn(x[i], 1.0f)")
    stores = "".join(f"out[i + {k} * blockDim.x] = {text};" for k, text in enumerate(sums))
    source = f"__global__ void k(const float *x, float *out) {{ int i = threadIdx.x; {stores} }}"
    image = minicc.compile(SourceFile("k.k", source), arch="sm_90", options=f"-ftz={str(flushed).lower()}").cubin
    x = np.array([*SPECIAL, 1.17549435e-38, -1.17549421e-38, 1e-45], np.float32)
    out = np.zeros((len(sums), len(x)), np.float32)
    runtime.Device("sm_90").load(image)["k"][1, len(x)](x, out)
    want = np.where(flushed & (np.abs(x) < np.finfo(np.float32).tiny), np.copysign(np.float32(0), x), x)
    for got in out:
        np.testing.assert_array_equal(got, want)
        assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()
