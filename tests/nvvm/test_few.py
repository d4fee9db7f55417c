"""Small local arrays of which an index chooses become registers."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
from minicc.diagnostics import SourceFile
from minicc.nvvm.few import LOADED, STORED
from runtime import Device

LANES, TURNS, WORDS = 32, 9, 256


def kernel(source: str):
    image = minicc.compile(SourceFile("k.k", source), arch="sm_90").cubin
    return Device("sm_90").load(image)["k"]


def loaded(kind: str, count: int, more: str = "") -> str:
    return f"""__global__ void k(const {kind} *x, {kind} *out, const int *at, int n)
{{
    int i = threadIdx.x;
    {kind} a[{count}], s = 0;
    for (int j = 0; j < {count}; j++) a[j] = x[i + j];
    for (int j = 0; j < n; j++) {{ s += a[at[i + j]] * ({kind})(j + 1); {more} }}
    out[i] = s;
}}
"""


def stored(kind: str, count: int, first: str = "{}") -> str:
    return f"""__global__ void k(const {kind} *x, {kind} *out, const int *at, int n)
{{
    int i = threadIdx.x;
    {kind} a[{count}] = {first}, s = 0;
    for (int j = 0; j < n; j++) a[at[i + j]] += x[i + j];
    for (int j = 0; j < {count}; j++) s += a[j] * ({kind})(j + 1);
    out[i] = s;
}}
"""


TYPES = {"int": "i4", "float": "f4", "double": "f8", "short": "i2", "long long": "i8"}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("count", [2, LOADED, LOADED + 1])
def test_loads(kind: str, count: int) -> None:
    function = kernel(loaded(kind, count))
    assert bool(function.local) == (count > LOADED)
    random = np.random.RandomState(1)
    x, at = random.randint(0, 99, WORDS).astype(TYPES[kind]), random.randint(0, count, WORDS).astype(np.int32)
    out = np.zeros(LANES, TYPES[kind])
    function[1, LANES](x, out, at, TURNS)
    assert out.tolist() == [sum(int(x[i + at[i + j]]) * (j + 1) for j in range(TURNS)) for i in range(LANES)]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("count", [2, STORED, STORED + 1])
@pytest.mark.parametrize("first", [0, 4])
def test_stores(kind: str, count: int, first: int) -> None:
    """From zeros, which LLVM may clear together, and from other numbers."""
    function = kernel(stored(kind, count, "{" + ", ".join([str(first)] * count) + "}"))
    assert bool(function.local) == (count > STORED)
    random = np.random.RandomState(2)
    x, at = random.randint(0, 99, WORDS).astype(TYPES[kind]), random.randint(0, count, WORDS).astype(np.int32)
    out = np.zeros(LANES, TYPES[kind])
    function[1, LANES](x, out, at, TURNS)
    for i in range(LANES):
        sums = [first] * count
        for j in range(TURNS):
            sums[at[i + j]] += int(x[i + j])
        assert out[i] == sum(s * (k + 1) for k, s in enumerate(sums))


def test_structures_and_places_beside_the_index() -> None:
    """Of two structures a member each, and elements before and after the one that the index means."""
    function = kernel(
        """struct P { float x, y, z; };
__global__ void k(const float *x, float *out, const int *at, int n)
{
    int i = threadIdx.x;
    P p[2] = {{x[i], x[i + 1], x[i + 2]}, {x[i + 3], x[i + 4], x[i + 5]}};
    int q[3] = {i, i + 7, i + 20};
    float s = 0;
    for (int j = 0; j < n; j++) {
        int m = at[i + j] & 1;
        s += p[m].y * p[m ^ 1].z + (float)(q[m + 1] - q[m]);
    }
    out[i] = s;
}
"""
    )
    assert not function.local
    x, at = np.arange(WORDS, dtype=np.float32), np.random.RandomState(3).randint(0, 2, WORDS).astype(np.int32)
    out = np.zeros(LANES, np.float32)
    function[1, LANES](x, out, at, TURNS)
    for i in range(LANES):
        want = 0.0
        for m in at[i : i + TURNS]:
            want += float(x[i + 3 * m + 1] * x[i + 3 * (m ^ 1) + 2]) + (13 if m else 7)
        assert out[i] == want


@pytest.mark.parametrize("more", ['asm volatile("" :: "l"(a) : "memory");', "if (at[j] > 1000) out = a;"])
def test_arrays_whose_address_goes_elsewhere_stay(more: str) -> None:
    assert kernel(loaded("int", 2, more)).local


def test_what_overlaps_in_part_stays() -> None:
    source = loaded("int", 2, "s += *(short *)((char *)a + 2 * (at[j] & 1));")
    assert kernel(source).local
