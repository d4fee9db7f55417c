"""Structures passed on by value: what is only read stays where the launch put it, what is changed is a copy."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.driver import Compiled

TEXT = """
struct Few { int f[12]; };
struct Many { int f[40]; };
template <class T> __device__ int read(T t, int i) { return t.f[i] + t.f[i + 1]; }
template <class T> __device__ int change(T t, int i) { t.f[i] += 100; return t.f[i + 1] + t.f[3]; }
template <class T> __device__ int both(T t, int i) { return change(t, i) + t.f[3]; }
extern "C" __global__ void read_few(Few t, int *out, int i) { out[threadIdx.x] = read(t, i + threadIdx.x); }
extern "C" __global__ void read_many(Many t, int *out, int i) { out[threadIdx.x] = read(t, i + threadIdx.x); }
extern "C" __global__ void change_few(Few t, int *out, int i) { out[threadIdx.x] = both(t, i + threadIdx.x); }
extern "C" __global__ void change_many(Many t, int *out, int i) { out[threadIdx.x] = both(t, i + threadIdx.x); }
"""


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    return minicc.compile(SourceFile("copies.cu", TEXT))


@pytest.mark.parametrize("size", ["few", "many"])
def test_what_is_only_read_is_no_copy(compiled: Compiled, size: str) -> None:
    bodies = {text.split("(")[0]: text for text in compiled.ptx.split(".entry ")[1:]}
    assert ".local" not in bodies[f"read_{size}"]
    assert ".local" in bodies[f"change_{size}"]


@pytest.mark.parametrize("size", ["few", "many"])
def test_values(compiled: Compiled, size: str) -> None:
    module = runtime.Device().load(compiled.cubin)
    given = np.arange(100, 112 if size == "few" else 140, dtype=np.int32)
    out = np.zeros(8, np.int32)
    module[f"read_{size}"][1, 8](given.tobytes(), out, 1)
    assert out.tolist() == [2 * given[t + 1] + 1 for t in range(8)]
    module[f"change_{size}"][1, 8](given.tobytes(), out, 1)
    assert out.tolist() == [given[t + 2] + 2 * given[3] + 100 * (t + 1 == 3) for t in range(8)]
