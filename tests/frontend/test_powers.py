"""Powers whose exponent is a constant: products, square roots and quotients, rounded once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import minicc
import runtime
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile

EXPONENTS = (1, 2, 3, 4, 5, 7, 8, 11, 16, -1)


def source(type_: str, function: str) -> str:
    kernels = [f"void p{k}({type_} *a, {type_} *r) {{ r[i] = helper(a[i], {n}); }}" for k, n in enumerate(EXPONENTS)]
    kernels.append(f"void half({type_} *a, {type_} *r) {{ r[i] = {function}(a[i], ({type_})0.5); }}")
    kernels.append(f"void any({type_} *a, {type_} *r) {{ r[i] = {function}(a[i], r[i]); }}")
    helper = f"__device__ {type_} helper({type_} x, {type_} n) {{ return {function}(x, n); }}\n"
    head = "{ int i = threadIdx.x + blockIdx.x * blockDim.x;"
    return helper + "".join(f'extern "C" __global__ {k.replace("{", head, 1)}\n' for k in kernels)


def arguments(dtype: Any) -> Any:
    random = np.random.RandomState(1)
    limit = np.log2(float(np.finfo(dtype).max))
    sizes = 2.0 ** np.concatenate([random.uniform(-limit / k, limit / k, 60) for k in (1, 2, 3, 8)])
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, -2.0, float(np.finfo(dtype).smallest_subnormal)]
    return np.concatenate([sizes * random.choice([-1, 1], len(sizes)), special, [3.0] * 7]).astype(dtype)


@pytest.mark.parametrize(("type_", "function", "dtype"), [("double", "pow", np.float64), ("float", "powf", np.float32)])
def test_constant_exponents(type_: str, function: str, dtype: Any) -> None:
    text = source(type_, function)
    module = runtime.Device().load(minicc.compile(SourceFile("powers.k", text)).cubin)
    x = arguments(dtype)
    r = np.zeros_like(x)
    for k, n in enumerate(EXPONENTS):
        module[f"p{k}"][1, len(x)](x, r)
        for one, got in zip(x, r, strict=True):
            with np.errstate(all="ignore"):
                near = np.power(dtype(one), dtype(n))
            if np.isfinite(one) and one and np.isfinite(near) and np.isfinite(got):
                off = abs(Fraction(float(got)) - Fraction(float(one)) ** n)
                # Of the smallest numbers what the product lost is subnormal.
                bound = 501 if abs(got) >= np.finfo(dtype).tiny / np.finfo(dtype).eps else 1001
                assert off <= Fraction(bound, 1000) * Fraction(float(np.spacing(abs(got)))), (one, n, got)
            else:
                np.testing.assert_array_equal(got, near)
            assert np.isnan(near) or np.signbit(near) == np.signbit(got), (one, n)
    module["half"][1, len(x)](x, r)
    with np.errstate(invalid="ignore"):
        want = np.where(x == -np.inf, np.inf, np.sqrt(x) + dtype(0))
    np.testing.assert_array_equal(r, want)
    assert not np.signbit(r[x == 0]).any()


@pytest.mark.parametrize(("type_", "function"), [("double", "pow"), ("float", "powf")])
def test_a_constant_exponent_takes_no_logarithm(type_: str, function: str) -> None:
    image = minicc.compile(SourceFile("powers.k", source(type_, function))).cubin
    length = {f.name: len(f.code) // 16 for f in read_cubin(image, "powers").functions}
    assert length["p1"] < 16 and all(2 * length[f"p{k}"] < length["any"] for k in range(len(EXPONENTS) - 1)), length
