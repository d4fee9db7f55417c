"""Arrays of local and shared memory are read and written by vectors where their offsets allow it."""

from __future__ import annotations

import operator
import random
import re

import numpy as np

import minicc
from minicc.diagnostics import SourceFile
from minicc.nvvm.aligned import marked
from runtime import Device

BUFFERS = """__global__ void product(const float *a, float *out, int n)
{
    __shared__ float4 tile[64];
    float fragment[2][8], sum = 0;
    int t = threadIdx.x;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        tile[t] = ((const float4 *)a)[k * 32 + t];
        tile[32 + t] = ((const float4 *)a)[k * 32 + (t ^ 1)];
        __syncthreads();
        float4 x = tile[31 - t], y = tile[32 + t];
        float *f = fragment[k & 1];
        f[0] = x.x, f[1] = x.y, f[2] = x.z, f[3] = x.w, f[4] = y.x, f[5] = y.y, f[6] = y.z, f[7] = y.w;
        if (k)
            for (int i = 0; i < 8; i++) sum = sum * 0.5f + fragment[~k & 1][i] * (i + 1);
    }
    out[t] = sum;
}
"""


def test_fragments_are_vectors() -> None:
    made = minicc.compile(SourceFile("k.cu", BUFFERS), arch="sm_90")
    lines = minicc.compile(SourceFile("k.cu", BUFFERS), arch="sm_90", options="-lineinfo")
    assert len(re.findall(r"local\.v4", lines.ptx)) == len(re.findall(r"local\.v4", made.ptx))
    assert len(re.findall(r"(?:ld|st)\.local\.v4", made.ptx)) >= 4 and not re.search(r"(?:ld|st)\.local\.f32", made.ptx)
    n = 5
    a, out, sums = np.random.RandomState(2).rand(n, 32, 4).astype(np.float32), np.zeros(32, np.float32), np.zeros(32)
    Device("sm_90").load(made.cubin)["product"][1, 32](a, out, n)
    for turn in a[: n - 1].astype(np.float64):
        fragment = np.concatenate([turn[::-1], turn[np.arange(32) ^ 1]], axis=1)
        for i in range(8):
            sums = sums * 0.5 + fragment[:, i] * (i + 1)
    assert np.allclose(out, sums, rtol=1e-5)


PIXELS = """struct half { unsigned short bits; };
__device__ inline const half *pixel(const half (*const s)[144], int x, int y) { return s[1 + y] + (1 + x) * 8; }
__global__ void taps(int *out, const int *given)
{
    __shared__ half s[18][144];
    for (int i = threadIdx.x; i < 18 * 144; i += blockDim.x) s[i / 144][i % 144].bits = given[i];
    __syncthreads();
    const half *from[9];
    for (int p = 0; p < 9; p++) from[p] = pixel(s, threadIdx.x + p % 3 - 1, threadIdx.y + p / 3 - 1);
    int sum = 0;
    for (int p = 0; p < 9; p++)
        for (int c = 0; c < 8; c++) sum = sum * 3 + from[p][c].bits;
    out[threadIdx.y * 16 + threadIdx.x] = sum;
}
"""


def test_pixels_of_shared_memory_are_vectors() -> None:
    made = minicc.compile(SourceFile("k.cu", PIXELS), arch="sm_90")
    assert len(re.findall(r"ld\.shared\.v4", made.ptx)) == 9 and not re.search(r"ld\.shared\.u16", made.ptx)
    given, out = np.random.RandomState(3).randint(0, 1 << 16, (18, 18, 8), np.int32), np.zeros((2, 16), np.int32)
    Device("sm_90").load(made.cubin)["taps"][1, (16, 2)](out, given)
    sums = np.zeros((2, 16), np.int32)
    for p in range(9):
        for c in range(8):
            sums = sums * 3 + given[p // 3 : p // 3 + 2, p % 3 : p % 3 + 16, c]
    assert (out == sums).all()


def test_no_more_is_said_than_is_so() -> None:
    """Of random elements of random elements: what their access says divides their address for any index."""
    draw, types = random.Random(7), {"i8": 1, "float": 4, "double": 8, "[3 x float]": 12, "[8 x half]": 16}
    arrays, greater = {"[6 x [4 x i16]]": (8, 2), "[2 x [8 x float]]": (32, 4), "[3 x double]": (8,)}, 0
    for _ in range(200):
        lines, at, name = (
            ["  %a = alloca [64 x i8], align 16", "  %p0 = addrspacecast ptr %a to ptr addrspace(5)"],
            0,
            0,
        )
        for name in range(1, draw.randint(2, 4)):
            number, variable = draw.randint(-9, 9), draw.choice(["", "%i"])
            if draw.random() < 0.5:
                kind, size = draw.choice(list(types.items()))
                at, index = at + size * number, f"i32 {variable or number}"
            else:
                kind, sizes = draw.choice(list(arrays.items()))
                at += sizes[0] * number + (sizes[1] if len(sizes) > 1 else 0)
                index = f"i32 0, i32 {variable or number}" + (", i32 1" if len(sizes) > 1 else "")
            lines.append(f"  %p{name} = getelementptr inbounds {kind}, ptr addrspace(5) %p{name - 1}, {index}")
        text = "\n".join([*lines, f"  store float %x, ptr addrspace(5) %p{name}, align 1", "}"])
        said = int(re.findall(r"align (\d+)", marked(text))[-1])
        greater += said > 1
        assert 16 % said == 0 and at % said == 0, text
    assert greater > 50


OPERATIONS = {
    "shl": operator.lshift,
    "mul": operator.mul,
    "add": operator.add,
    "sub": operator.sub,
    "or": operator.or_,
    "and": operator.and_,
}


def test_numbers_that_indices_are_made_of() -> None:
    """The same of random sums, products, shifts and masks: it divides the offset whatever the unknown numbers are."""
    draw, greater = random.Random(8), 0
    for _ in range(200):
        values, lines = {"%i": draw.getrandbits(16), "%j": draw.getrandbits(16)}, []
        for name in range(draw.randint(1, 5)):
            op, left = draw.choice(list(OPERATIONS)), draw.choice(list(values))
            right = draw.choice([*values, str(draw.randint(1, 24))]) if op != "shl" else str(draw.randint(0, 3))
            a, b = values[left], values.get(right) if right in values else int(right)
            values[f"%n{name}"] = OPERATIONS[op](a, b)
            lines.append(f"  %n{name} = {op} i32 {left}, {right}")
        lines.append(f"  %w = sext i32 {draw.choice(list(values))} to i64")
        at = values[lines[-1].split()[4]]
        text = "\n".join(
            [
                "@s = internal addrspace(3) global [64 x i16] undef, align 16",
                "define void @k(i32 %i, i32 %j) {",
                *lines,
                "  %p = addrspacecast ptr addrspace(3) @s to ptr",
                "  %q = getelementptr inbounds [2 x i16], ptr %p, i64 %w, i32 0",
                "  %v = load i16, ptr %q, align 2",
                "}",
            ]
        )
        said = int(re.findall(r"align (\d+)", marked(text))[-1])
        greater += said > 4
        assert 16 % said == 0 and 4 * at % said == 0, text
    assert greater > 10


def test_pointers_that_a_loop_carries() -> None:
    """A pointer is aligned as what all turns add to it allows."""
    text = """@s = internal addrspace(3) global [64 x i16] undef, align 16
define void @k(i32 %i) {
  %a = addrspacecast ptr addrspace(3) @s to ptr
loop:
  %p = phi ptr [ %a, %entry ], [ %q, %loop ]
  %v = load i16, ptr %p, align 2
  %q = getelementptr inbounds i16, ptr %p, i64 STEP
}"""
    for step, said in ((4, 8), (6, 4), (16, 16)):
        assert f"%v = load i16, ptr %p, align {said}" in marked(text.replace("STEP", str(step)))
