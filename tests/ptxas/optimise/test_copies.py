"""Constants that stand first in a compare or a choice are operands, too: the other way round, with the same results."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import minicc
import runtime
from minicc import arch
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.ptxas.mir import ZERO
from minicc.sass.instr import Const, Imm

COMPARES = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
TYPES = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}
VALUES = (0, 1, 41, 42, 43, (1 << 31) - 1, -1, -42, 42 << 32, (42 << 32) - 1, (42 << 32) + 1)
LIMIT = 42


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("compare", COMPARES)
def test_values(compare: str, type_: str) -> None:
    text = f"""
extern "C" __global__ void k(const {type_} *a, int *b, {type_} n)
{{
    {type_} x = a[threadIdx.x];
    b[2 * threadIdx.x] = n {compare} x ? 17 : (int)x;
    b[2 * threadIdx.x + 1] = x {compare} n ? (int)x + 1 : -3;
}}"""
    code, device = built(text)
    assert not any(moved(inst, Const) for inst in code)
    kind: Any = TYPES[type_]
    a, b = (
        np.array([v % (1 << 8 * kind().itemsize) for v in VALUES], f"u{kind().itemsize}").view(kind),
        np.zeros(22, "i4"),
    )
    result = device["k"][(1, 1, 1), (len(a), 1, 1)](a, b, kind(LIMIT))
    assert not result.hazards
    holds = COMPARES[compare]
    for n, x in enumerate(a):
        low = int(x) & 0xFFFFFFFF
        low -= low >> 31 << 32
        assert b[2 * n] == (17 if holds(LIMIT, int(x)) else low)
        assert b[2 * n + 1] == np.int64(low + 1).astype("i4") if holds(int(x), LIMIT) else -3


@pytest.mark.parametrize(("first", "second"), [(123, 0), (0, 123)])
def test_two_constants(first: int, second: int) -> None:
    """One of two constants that are chosen between is an operand, whichever it is."""
    choice = f"a[threadIdx.x] > 9 ? {first} : {second}"
    code, device = built(f'extern "C" __global__ void k(const int *a, int *b) {{ b[threadIdx.x] = {choice}; }}')
    assert not any(moved(inst, Imm) and Imm(123) in inst.operands for inst in code)
    a, b = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    device["k"][(1, 1, 1), (32, 1, 1)](a, b)
    assert b.tolist() == [first if v > 9 else second for v in range(32)]


@pytest.mark.parametrize("first", "su")
@pytest.mark.parametrize("second", "su")
def test_dot_products(first: str, second: str) -> None:
    """A constant is an operand of sums of products of bytes on either side, with the signs of its side."""
    asm = 'asm("dp4a.{}32.{}32 %0, %1, %2, %3;" : "=r"(y) : "r"({}), "r"({}), "r"(y));'
    code, device = built(f"""
extern "C" __global__ void k(const int *a, int *b, int n)
{{
    int x = a[threadIdx.x], y = 5;
    {asm.format(first, second, "n", "x")}
    {asm.format(first, second, "x", "n")}
    b[threadIdx.x] = y;
}}""")
    assert not any(moved(inst, Const) for inst in code)
    a, b = np.array([0x01FF80FE, -1, 0x7F808182, 77], "i4"), np.zeros(4, "i4")
    n = np.int32(-0x01FC7D81)
    assert not device["k"][(1, 1, 1), (4, 1, 1)](a, b, n).hazards
    kinds = {"s": "i1", "u": "u1"}
    for x, y in zip(a, b, strict=True):
        p, q = (np.array([v], "i4").view(kinds[first]).astype(int) for v in (n, x))
        r, s = (np.array([v], "i4").view(kinds[second]).astype(int) for v in (x, n))
        assert y == 5 + int(p @ r) + int(q @ s)


WORDS = [0, 1, 5, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 7 << 32, (7 << 32) + 1, 2**63 - 1, 2**63, 2**64 - 1]


@pytest.mark.parametrize("type_", ["long long", "unsigned long long"])
@pytest.mark.parametrize("compare", COMPARES)
def test_upper_words_alone(compare: str, type_: str) -> None:
    """Sums and compares of numbers whose lower words are zero or known take no carry."""
    code, device = built(f"""
extern "C" __global__ void k(const {type_} *a, {type_} *b)
{{
    {type_} x = a[threadIdx.x], high = x & ~0xffffffffll, far = (7ll << 32);
    b[2 * threadIdx.x] = (x << 33) + high;
    b[2 * threadIdx.x + 1] = high {compare} far;
}}""")
    assert not any("X" in inst.modifiers and inst.mnemonic == "IADD3" for inst in code)
    kind: Any = TYPES[type_]
    a, b = np.array(WORDS, "u8").view(kind), np.zeros(2 * len(WORDS), kind)
    result = device["k"][(1, 1, 1), (len(a), 1, 1)](a, b)
    assert not result.hazards
    with np.errstate(over="ignore"):
        high = a & kind(-1 << 32 if kind is np.int64 else (-1 << 32) % (1 << 64))
        assert np.array_equal(b[::2], (a << kind(33)) + high)
        assert np.array_equal(b[1::2], COMPARES[compare](high, kind(7 << 32)))


def test_products_without_an_upper_word() -> None:
    """A number of 64 bits times one without a sign of 32: its upper word, zero, is multiplied with nothing."""
    code, device = built("""
extern "C" __global__ void k(const int *a, const unsigned *b, long long *d)
{
    d[threadIdx.x] = (long long)a[threadIdx.x] * b[threadIdx.x];
}""")
    products = [inst.operands[1:3] for inst in code if inst.mnemonic == "IMAD"]
    assert products and not any(len([s for s in factors if s == ZERO]) == 1 for factors in products)
    a, b = np.array([3, -3, -(2**31), 2**31 - 1], "i4"), np.array([5, 2**32 - 1, 2**32 - 1, 2**31], "u4")
    d = np.zeros(4, "i8")
    assert not device["k"][(1, 1, 1), (4, 1, 1)](a, b, d).hazards
    assert d.tolist() == [int(x) * int(y) for x, y in zip(a, b, strict=True)]


def test_differences_with_numbers_of_one_word() -> None:
    """The upper word of what is taken away is known: it is an immediate, turned, and nothing is moved."""
    code, device = built("""
extern "C" __global__ void k(const long long *a, const unsigned *b, long long *d)
{
    d[2 * threadIdx.x] = a[threadIdx.x] - b[threadIdx.x];
    d[2 * threadIdx.x + 1] = a[threadIdx.x] - (b[threadIdx.x] | 0x1200000000ll);
}""")
    uppers = [i for i in code if i.mnemonic == "IADD3" and "X" in i.modifiers]
    assert 0xFFFFFFFF in [s.bits for i in uppers for s in i.operands if isinstance(s, Imm)]
    values = [0, 1, -1, 1 << 32, -(1 << 32), (1 << 32) - 1, 1 << 62, 5]
    a, b = np.array(values, "i8"), np.array([1, 2, 2**32 - 1, 0, 7, 2**32 - 1, 2**31, 6], "u4")
    d = np.zeros(16, "i8")
    assert not device["k"][(1, 1, 1), (8, 1, 1)](a, b, d).hazards
    assert d[::2].tolist() == [int(x) - int(y) for x, y in zip(a, b, strict=True)]
    assert d[1::2].tolist() == [int(x) - (int(y) | 0x12 << 32) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize(("kind", "header"), [("__half", "cuda_fp16.h"), ("__nv_bfloat16", "cuda_bf16.h")])
def test_constants_of_halves(kind: str, header: str) -> None:
    """A half is an immediate, once for each of the two that an instruction works on."""
    make = {"__half": "__float2half", "__nv_bfloat16": "__float2bfloat16"}[kind]
    code, device = built(f"""
#include <{header}>
extern "C" __global__ void k(const {kind} *a, {kind} *b)
{{
    {kind} x = a[threadIdx.x];
    b[4 * threadIdx.x] = __hmul(x, {make}(-0.5f));
    b[4 * threadIdx.x + 1] = __hfma(x, {make}(1.5f), {make}(0.25f));
    b[4 * threadIdx.x + 2] = __hmin({make}(2.0f), __hmax(x, {make}(-3.0f)));
    b[4 * threadIdx.x + 3] = __hsub({make}(1.0f), x);
}}""")
    assert sum(isinstance(s, Imm) and s.kind in ("f16x2", "bf16x2") for inst in code for s in inst.operands) == 5
    x = np.array([0.0, -0.0, 1.0, -1.75, 2.5, -4.0, 10.0, 0.125], "f4")
    bits = x.astype("f2").view("u2") if kind == "__half" else (x.view("u4") >> 16).astype("u2")
    b = np.zeros(4 * len(x), "u2")
    assert not device["k"][(1, 1, 1), (len(x), 1, 1)](bits, b).hazards
    got = b.view("f2").astype("f4") if kind == "__half" else (b.astype("u4") << 16).view("f4")
    want = np.stack([x * -0.5, x * 1.5 + 0.25, np.minimum(2, np.maximum(x, -3)), 1 - x], 1)
    assert np.array_equal(got, want.ravel()), (got, want)


def test_halves_where_they_are() -> None:
    """Either half of a pair is read in its place, not moved down first."""
    code, device = built("""
#include <cuda_fp16.h>
extern "C" __global__ void k(const __half2 *a, float *f, __half *h, int *less)
{
    int i = threadIdx.x;
    __half2 v = a[i];
    f[i] = __high2float(v) + 4.0f * __low2float(v);
    h[2 * i] = __hfma(__high2half(v), __low2half(v), __high2half(v));
    h[2 * i + 1] = __hsub(__low2half(v), __high2half(v));
    less[i] = __hlt(__high2half(v), __low2half(v));
}""")
    assert not any(inst.mnemonic in ("PRMT", "SHF") and len(inst.operands) == 4 for inst in code)
    a = np.array([[0.5, 2], [-3, 1.5], [7, 7], [-0.0, 4], [1, -8]], "f2")
    f, h, less = np.zeros(5, "f4"), np.zeros((5, 2), "f2"), np.zeros(5, "i4")
    assert not device["k"][(1, 1, 1), (5, 1, 1)](a, f, h, less).hazards
    low, high = a.T.astype("f4")
    assert np.array_equal(f, high + 4 * low) and np.array_equal(less, high < low)
    assert np.array_equal(h, np.stack([high * low + high, low - high], 1))


def built(text: str) -> tuple[list[Any], Any]:
    """The instructions of a kernel `k`, and a device that holds it."""
    image = minicc.compile(SourceFile("k.k", text), arch="sm_90", options="-Xptxas --verify-passes").cubin
    code = instructions(read_cubin(image, "k").functions[0].code, arch.get("sm_90"))
    return list(code), runtime.Device("sm_90", hazards="report").load(image)


def moved(inst: Any, kind: type) -> bool:
    """Whether an instruction only brings a constant of a kind."""
    return (
        inst.mnemonic in ("MOV", "IMAD")
        and "MOV" in (inst.mnemonic, *inst.modifiers)
        and any(isinstance(s, kind) for s in inst.operands)
    )
