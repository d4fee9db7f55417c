"""Loops in loops go four turns at a time, others eight, beside one another; and what `replaced` refuses."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc.diagnostics import SourceFile
from minicc.nvvm.functions import replaced
from runtime import Device

TWO = """__global__ void nested(const int *x, int *out, int rows, int columns)
{
    int t = threadIdx.x, s = t;
    for (int r = 0; r < rows; r++) {
        s = s * 3 + r;
        for (int c = 0; c < columns; c++) {
            int v = x[r * 16 + c] ^ c;
            s += (v & 1 ? v * 3 + t : v >> 2) ^ (v * v + c) ^ (v % 7 * t);
        }
    }
    out[t] = s;
}
__global__ void flat(const int *x, int *out, int rows, int columns)
{
    int t = threadIdx.x, s = t;
    for (int c = 0; c < columns; c++) s += x[c] ^ c;
    out[t] = s;
}
__global__ void apart(const int *x, int *out, int rows, int columns)
{
    int t = threadIdx.x, s = t, most = 0;
    if (t >= 64) return;
    for (int c = t; c < columns; c += 32) most = max(most, x[c]);
    for (int d = 16; d > 0; d /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
    for (int c = t; c < columns; c += 32) s += x[c] ^ most;
    out[t] = s;
}
"""


GATHER = """__global__ void least(const int *row, const int *column, const int *x, int *out)
{
    int least = 1 << 30, n = row[1];
    for (int e = row[0]; e != n; e++) { int v = x[column[e]]; if (v > 3) least = min(least, x[v] ^ e); }
    out[threadIdx.x] = least;
}
"""

BEST = """__global__ void best(float **image, const float *angle, const float *speed, float *out, int n, int m)
{
    int t = threadIdx.x, k = 0;
    float most = 0, a = 0, s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float e = image[k++][t];
            if (e > most) { most = e; s = speed[i]; a = angle[j]; }
        }
    if (a < 0) a += 6.28;
    out[t] = most + a * s;
}
"""

TILE = """__global__ void waves(const float4 *x, float *out, int n)
{
    __shared__ float4 tile[128];
    int t = threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k += 128) {
        tile[t] = x[k + t];
        __syncthreads();
        for (int i = 0, most = min(n - k, 128); i < most; i++) s += __sinf(tile[i].x * t + tile[i].y);
        __syncthreads();
    }
    out[t] = s;
}
"""


@cache
def compiled() -> minicc.Compiled:
    return minicc.compile(SourceFile("k.k", TWO), arch="sm_90")


def test_each_kernel_has_its_number_of_turns():
    text = compiled().ptx
    nested, flat = (text[text.index(f".entry _Z{name}") :].partition("\n}")[0] for name in ("6nested", "4flat"))
    apart = text[text.index(".entry _Z5apart") :]
    assert flat.count("ld.global") == 8 + 7 and apart.count("ld.global") == 2 * (8 + 7), "loops one after the other"
    assert nested.count("ld.global") == 4 + 1, "its turns are too long for what is left over to be taken apart"


def test_names_in_quotes_are_names():
    text = re.sub(r"@_Z(\w+)\(", r'@"the \1"(', compiled().ll)
    text = re.sub(r"%([a-z][\w.]*)", r'%"the \1"', re.sub(r"^([a-z][\w.]*):", r'"the \1":', text, flags=re.M))
    assert len(re.findall('"the ', text)) > 200
    quoted, plain = (minicc.compile(SourceFile("k.ll", ll), arch="sm_90").ptx for ll in (text, compiled().ll))
    assert quoted.replace("the_$_", "_Z") == plain


def test_neighbours_under_a_condition_go_by_four():
    """And what is left over of them by two and one, as without the condition."""
    text = minicc.compile(SourceFile("k.k", GATHER), arch="sm_90").ptx
    assert text.count("ld.global") == 2 + 3 * (4 + 3)


def test_a_loop_around_may_become_two_turns_for_it():
    """By eight each of up to seven turns left over waits for its loads (ten images 1.6 of the cycles)."""
    text = minicc.compile(SourceFile("k.k", BEST), arch="sm_90").ptx
    assert text.count("setp.gt.f32") + text.count("setp.leu.f32") == 3 * (4 + 1)


def test_what_threads_have_put_into_shared_memory_is_gone_through_by_eight():
    text = minicc.compile(SourceFile("k.k", TILE), arch="sm_90").ptx
    assert text.count("sin.approx") == 8 + 4 + 2 + 1


@settings(max_examples=15, deadline=None)
@given(st.integers(-1, 5), st.integers(-1, 16))
def test_they_mean_what_they_meant(rows, columns):
    x = np.arange(80, dtype=np.int32) * 37 % 101
    module, t = Device("sm_90").load(compiled().cubin), np.arange(32)
    c = np.arange(max(columns, 0))
    for name in ("nested", "flat"):
        out = np.zeros(32, np.int32)
        module[name][1, 32](x, out, rows, columns)
        s = t.copy()
        for r in range(rows) if name == "nested" else ():
            v = x[r * 16 + c] ^ c
            v = v[:, None]
            terms = np.where(v & 1, v * 3 + t, v >> 2) ^ (v * v + c[:, None]) ^ (v % 7 * t)
            s = s * 3 + r + terms.sum(0)
        if name == "flat":
            s += (x[c] ^ c).sum()
        assert (out == s).all()


MODULE = """@g = internal addrspace(1) global i32 1
define void @f() #0 {
  %a = load i32, ptr addrspace(1) @g, !note !1
  ret void
}
define void @h() #0 {
  ret void
}
attributes #0 = { nounwind }
!1 = !{}
"""


def test_a_function_comes_with_its_notes():
    other = MODULE.replace("load i32", "load volatile i32").replace("nounwind", "norecurse")
    both = replaced(MODULE, other, {"f"}, 2)
    assert both is not None and "load volatile" in both
    assert both.count("attributes #") == 2 and "nounwind" in both and "norecurse" in both
    assert "@f() #0" not in both and "@h() #0" in both


@pytest.mark.parametrize("old, new", [("global i32 1", "global i8 1"), ("@h() #0", "@h(i32 %x) #0"), ("@h()", "@k()")])
def test_modules_that_differ_in_more_stay_apart(old, new):
    assert replaced(MODULE, MODULE.replace(old, new), {"f"}, 2) is None


def test_what_others_use_may_differ():
    """As it does where they are not optimised: an address is taken, a variable is not gone."""
    text = MODULE.replace("@g = internal", "@u = internal addrspace(3) global i32 1\n@g = internal unnamed_addr")
    other = MODULE.replace("@g = ", "@u = internal addrspace(3) global i8 1\n@w = internal global i32 1\n@g = ")
    both = replaced(text, other.replace("load i32", "load volatile i32"), {"f"}, 2)
    assert both is not None and "load volatile" in both and "@w" not in both
