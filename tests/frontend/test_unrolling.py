"""Loops around tensor-core instructions are not unrolled without end; those that end where memory says are, by four."""

from __future__ import annotations

import re

import pytest

from minicc import frontend
from minicc.diagnostics import SourceFile
from minicc.frontend.options import Options

TEXT = """
#include <mma.h>
using namespace nvcuda;
__global__ void k(const %(t)s *a, const %(t)s *b, %(r)s *d)
{
    wmma::fragment<wmma::accumulator, %(m)d, %(n)d, %(k)d, %(r)s> %(d)s;
    for (int j = 0; j < 4; j++) wmma::fill_fragment(%(c)s, (%(r)s)0);
    #pragma unroll
    for (int t = 0; t < %(turns)d; t++) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::matrix_a, %(m)d, %(n)d, %(k)d, %(t)s, wmma::row_major> x;
            wmma::fragment<wmma::matrix_b, %(m)d, %(n)d, %(k)d, %(t)s, wmma::col_major> y;
            wmma::load_matrix_sync(x, a + t * 64 + j * 16, 16);
            wmma::load_matrix_sync(y, b + t * 64 + j * 16, 16);
            wmma::mma_sync(%(c)s, x, y, %(c)s);
        }
    }
    for (int j = 0; j < 4; j++) wmma::store_matrix_sync(d + j * 256, %(c)s, 16, wmma::mem_row_major);
}
"""


@pytest.mark.parametrize(
    ("element", "result", "shape", "turns", "fragment", "count"),
    [
        ("half", "float", (16, 16, 16), 512, "c[j]", 128),
        ("half", "float", (16, 16, 16), 64, "c[j]", None),
        ("half", "float", (16, 16, 16), 512, "c", None),
        ("double", "double", (8, 8, 4), 2048, "c[j]", 512),
        ("double", "double", (8, 8, 4), 64, "c[j]", None),
    ],
)
def test_loops_of_mma(
    element: str, result: str, shape: tuple[int, int, int], turns: int, fragment: str, count: int | None
) -> None:
    m, n, k = shape
    text = TEXT % {
        "t": element,
        "r": result,
        "m": m,
        "n": n,
        "k": k,
        "turns": turns,
        "c": fragment,
        "d": fragment.replace("j", "4"),
    }
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    counts = [int(c) for c in re.findall(r'"llvm.loop.unroll.count", i32 (\d+)', ir)]
    assert counts == ([count] if count is not None else [])


@pytest.mark.parametrize(
    ("body", "straight"),
    [
        ("s += x[k];", True),
        ("for (int j = 0; j < 4; j++) s += x[4 * k + j];", True),
        ("if (x[k] < y) { float t = y - x[k]; s += t * t; }", True),
        ("if (n == 2) s = fmaxf(s, x[k]); else s += x[k];", True),
        ("if (x[k] < y || k == n) continue; float t = x[n + k]; if (t < y) s = t;", True),
        ("if (x[k] < y) s += __ldg(x + n + k);", True),
        ("if (x[k] < y) { continue; } d[k] = s;", False),
        ("for (int j = 0; j < n; j++) s += x[4 * k + j];", False),
        ("if (x[k] < y) s += y / x[k];", False),
        ("if (x[k] < y) d[k] = s;", False),
        ("if (x[k] < y) break; s += x[k];", False),
        ("if (x[k] < y) atomicAdd(d, s);", False),
        ("s += powf(x[k], y);", True),
        ("s += powf(powf(x[k], y), powf(y, powf(y, x[k])));", False),
    ],
)
def test_loops_to_where_memory_says(body: str, straight: bool) -> None:
    """A turn that chooses values is as straight as one that does not; one that branches or is long stays alone."""
    text = "__global__ void k(const int *p, const float *x, float *d, float y, int n)"
    text += f" {{ float s = 0; for (int k = p[0]; k < p[1]; k++) {{ {body} }} d[0] = s; }}"
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    assert ('"llvm.loop.unroll.count", i32 4' in ir) == straight
    assert ('"llvm.loop.unroll.disable"' in ir) != straight


def test_two_turns_of_a_long_loop_to_where_memory_says() -> None:
    text = "__global__ void k(const int *p, const float *x, float *d) { float s = 0;"
    text += " for (int k = p[0]; k < p[1]; k++) s += powf(powf(s, 3), x[k]); d[0] = s; }"
    assert '"llvm.loop.unroll.count", i32 2' in frontend.compile(SourceFile("a.cu", text), Options())


@pytest.mark.parametrize(
    ("head", "body", "whole"),
    [
        ("i = 0; i < 4; i++", "for (int j = 0; j < n; j++) d[j] += x[i];", True),
        ("i = 0; i < 16; i++", "for (int j = 0; j < n; j++) d[j] += x[i];", False),
        ("i = 0; i < 512; i = i + 512 / warpSize", "for (int j = 0; j < n; j++) d[j] += x[i];", False),
        ("i = 0; i < 16; i++", "add(d, x[i], n);", False),
        ("i = 0; i < 16; i++", "for (int j = 0; j < n; j++) a[i] += d[j];", True),
        ("i = 0; i < 16; i++", "for (int j = 0; j < 8; j++) d[j] += x[i];", True),
        ("i = 0; i < n; i++", "for (int j = 0; j < n; j++) d[j] += x[i];", True),
        ("i = 0; i < 16; i++", "for (int j = 0; j < 15 - i; j++) d[j] += x[i];", True),
        ("i = 0; i < 16; i++", "for (int j = i; j < n; j++) d[j] += x[i];", False),
        ("i = 0; i < 16; i++", "for (int j = i & 1; j + 1 < 15; j++) d[j] += x[i];", True),
        ("i = 0; i - 1 < 63; i++", "for (int j = 0; j < n; j++) d[j] += x[i];", False),
    ],
)
def test_loops_around_loops(head: str, body: str, whole: bool) -> None:
    """A constant loop around one of unknown turns is written out while that is short, or makes an array registers."""
    text = "__device__ void add(float *d, float x, int n) { for (int j = 0; j < n; j++) d[j] += x; }"
    text += "__global__ void k(const float *x, float *d, int n)"
    text += f" {{ float a[16] = {{}}; for (int {head}) {{ {body} }} d[n] = a[0] + a[15]; }}"
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    assert ('"llvm.loop.unroll.disable"' in ir) != whole


@pytest.mark.parametrize(("start", "few"), [("threadIdx.x", True), ("i & 1", False), ("0", False), ("n", True)])
def test_few_turns(start: str, few: bool) -> None:
    """What threads share out in four turns is written out; where a loop around it says the start, LLVM makes it all."""
    text = "__global__ void k(float *d, int n) { for (int i = 0; i < 8; i++)"
    text += f" for (int j = {start}; j < 7; j += 2) d[j] += d[j + 1]; }}"
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    assert ('"llvm.loop.unroll.count", i32 4' in ir) == few


@pytest.mark.parametrize(
    ("turns", "body", "count"),
    [
        (16, "s += x[i] / s;", None),
        (17, "s += x[i] / s;", 4),
        (17, "s /= x[i];", 4),
        (17, "s += x[i] / 3;", None),
        (17, "s += sqrt(x[i]);", 4),
        (17, "s += ratio(x[i], s);", 4),
        (8, "for (int j = 0; j < 4; j++) s += x[i] / s;", 4),
        (8, "s = (x[i] / s + s / x[i]) / (s / x[i] + x[i] / s + s) + s / x[i];", 2),
        (17, "a[i] = x[i] / s;", None),
        (4, "for (int j = 0; j < 8; j++) s += x[i] / s;", None),
    ],
)
def test_constant_loops_that_divide(turns: int, body: str, count: int | None) -> None:
    """They are written out as far as their long ways are few; where an array becomes registers by it, in any case."""
    text = "__device__ double ratio(double x, double y) { return x / y; }"
    text += "__global__ void k(const double *x, double *d) { double s = 1, a[20] = {};"
    text += f" for (int i = 0; i < {turns}; i++) {{ {body} }} d[0] = s + a[d[1] > 0]; }}"
    ir = frontend.compile(SourceFile("a.cu", text), Options())
    counts = [int(c) for c in re.findall(r'"llvm.loop.unroll.count", i32 (\d+)', ir)]
    assert counts[:1] == ([count] if count is not None else [])
