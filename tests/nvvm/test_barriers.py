"""Loops with barriers go four turns at a time where all threads make as many, and mean what they meant."""

from __future__ import annotations

from functools import cache

import llvmlite.binding
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc.diagnostics import SourceFile
from minicc.nvvm.barriers import marked
from runtime import Device

THREADS = 64
KERNEL = """__global__ void k(const int *x, int *out, int n, int from)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, mine = x[t];
    s[0][t] = mine;
    s[1][t] = 0;
    __syncthreads();
    for (LOOP) {
        int *a = s[i & 1], *b = s[~i & 1];
        if ((t ^ i) & 1) b[t] = a[(t + 1) & 63] * 3 + i;
        else b[t] = a[t];
        __syncthreads();
    }
    out[t] = s[0][t] * 5 + s[1][t];
}
"""
ALIKE = ["int i = 0; i < n; i++", "int i = from; i < n; i += 3", "int i = n; i > from; i--"]
APART = ["int i = 0; i < mine; i++", "int i = t & 32; i < n; i++", "int i = 1; i < n; i *= 2", "int i = t; i != n; i--"]


@cache
def compiled(loop: str) -> minicc.Compiled:
    return minicc.compile(SourceFile("k.k", KERNEL.replace("LOOP", loop)), arch="sm_90")


@pytest.mark.parametrize("loop", ALIKE)
def test_turns_that_all_threads_make_go_by_four(loop):
    assert compiled(loop).ptx.count("bar.sync") >= 1 + 4


@pytest.mark.parametrize("loop", APART)
def test_others_stay(loop):
    assert compiled(loop).ptx.count("bar.sync") == 1 + 1


def turns(loop: str, n: int, start: int) -> range:
    return {
        ALIKE[0]: range(n),
        ALIKE[1]: range(start, n, 3),
        ALIKE[2]: range(n, start, -1),
    }[loop]


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(ALIKE), st.integers(-3, 14), st.integers(-2, 5))
def test_they_mean_what_they_meant(loop, n, start):
    device = Device("sm_90")
    x = np.arange(THREADS, dtype=np.int32) * 7 % 61
    data, out = device.buffer(x), device.buffer(np.zeros(THREADS, np.int32))
    device.load(compiled(loop).cubin)["k"][1, THREADS](data, out, np.int32(n), np.int32(start))
    shared = np.stack([x, np.zeros_like(x)])
    for i in turns(loop, n, start):
        a, b = shared[i & 1], shared[~i & 1]
        b[:] = np.where((np.arange(THREADS) ^ i) & 1, np.roll(a, -1) * 3 + i, a)
    assert (out.numpy() == shared[0] * 5 + shared[1]).all()


def test_a_loop_that_a_parameter_keeps_going_stays():
    name = "void @llvm.nvvm.barrier.cta.sync.aligned.all"
    again = f"again:\n  call {name}(i32 0)\n  br i1 %on, label %again, label %end\n"
    body = f"entry:\n  br label %again\n{again}end:\n  ret void\n"
    text = f"declare {name}(i32)\n\ndefine ptx_kernel void @f(i1 %on) {{\n{body}}}\n"
    llvmlite.binding.parse_assembly(text).verify()
    assert marked(text) is None


@pytest.mark.parametrize(("line", "short"), [("getelementptr i8, ptr %p, i32", True), ("add i32 %i,", False)])
def test_the_length_of_a_turn_is_what_code_is_made_for(line, short):
    barrier = "void @llvm.nvvm.barrier.cta.sync.aligned.all"
    turn = f"turn:\n  %i = phi i32 [ 0, %entry ], [ %j, %turn ]\n  call {barrier}(i32 0)\n  %j = add i32 %i, 1\n"
    turn += "".join(f"  %x{n} = {line} {n}\n" for n in range(48))
    turn += "  %more = icmp slt i32 %j, %n\n  br i1 %more, label %turn, label %end\nend:\n  ret void\n"
    text = (
        f"declare {barrier}(i32)\n\ndefine ptx_kernel void @f(ptr %p, i32 %n) {{\nentry:\n  br label %turn\n{turn}}}\n"
    )
    llvmlite.binding.parse_assembly(text).verify()
    assert (marked(text) is not None) == short


def test_metadata_whose_numbers_have_gaps():
    """Functions that were taken from another text brought theirs."""
    barrier = "void @llvm.nvvm.barrier.cta.sync.aligned.all"
    turn = f"turn:\n  %i = phi i32 [ 0, %entry ], [ %j, %turn ]\n  call {barrier}(i32 0)\n  %j = add i32 %i, 1\n"
    turn += "  %more = icmp slt i32 %j, %n\n  br i1 %more, label %turn, label %end\nend:\n  ret void\n"
    text = f"declare {barrier}(i32)\n\ndefine ptx_kernel void @f(i32 %n) {{\nentry:\n  br label %turn\n{turn}}}\n"
    text += "\n!some = !{!0, !2}\n!0 = !{i32 1}\n!2 = distinct !{!2}\n"
    changed = marked(text)
    assert changed is not None
    llvmlite.binding.parse_assembly(changed).verify()


GUARDED = """
#include <cooperative_groups.h>
#include <mma.h>
__global__ void k(int *out)
{
    __shared__ int x;
    __shared__ half h[256];
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> f;
    bool one = threadIdx.x == 0;
    if (one) x = out[1];
    TOGETHER;
    if (one) out[0] = x;
}
"""


@pytest.mark.parametrize(
    ("statement", "instruction"),
    [
        ('asm volatile("bar.sync 0;")', "bar.sync"),
        ('asm volatile("{ barrier.sync.aligned 1, 64; }" ::: "memory")', "barrier.sync"),
        ('asm("vote.sync.ballot.b32 %0, 1, -1;" : "=r"(x))', "vote.sync"),
        ("cooperative_groups::this_cluster().sync()", "barrier.cluster.arrive"),
        ("nvcuda::wmma::load_matrix_sync(f, (float *)h, 16, nvcuda::wmma::mem_row_major)", "wmma.load"),
    ],
)
def test_between_branches_of_one_condition_there_is_one(statement: str, instruction: str) -> None:
    """Inline PTX, too: LLVM's jump threading made it again on each side, where each lane came to one of the two."""
    made = minicc.compile(SourceFile("k.k", GUARDED.replace("TOGETHER", statement)), arch="sm_90")
    assert made.ptx.count(instruction) == 1


PRODUCT = """
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, const half *b, float *c, int n)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (LOOP) {
        wmma::load_matrix_sync(x, a + i, 96);
        wmma::load_matrix_sync(y, b + i * 16, 16);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
"""


def test_turns_of_products_go_together() -> None:
    """Two, as many as registers are loaded into, and what is left over, whatever the number of turns."""
    alike = minicc.compile(SourceFile("k.k", PRODUCT.replace("LOOP", "int i = 0; i < n; i += 16")), arch="sm_90")
    apart = PRODUCT.replace("LOOP", "int i = threadIdx.x & 32; i < n; i += 16")
    assert alike.ptx.count("wmma.mma") == 2 + 1
    # A factor whose pairs lie across rows is loaded by words, which lanes exchange.
    assert "MOVM.16.MT88" in alike.sass and "U16" not in alike.sass
    assert minicc.compile(SourceFile("k.k", apart), arch="sm_90").ptx.count("wmma.mma") == 1
    device, random = Device("sm_90"), np.random.default_rng(1)
    x, y = (random.integers(-4, 5, size).astype(np.float16) for size in ((16, 96), (96, 16)))
    a, b, out = device.buffer(x), device.buffer(y), device.buffer(np.zeros((16, 16), np.float32))
    kernel = device.load(alike.cubin)["k"]
    for n in range(0, 97, 16):
        kernel[1, 32](a, b, out, np.int32(n))
        assert (out.numpy() == x[:, :n].astype(np.float32) @ y[:n].astype(np.float32)).all()
