"""nvcc's PTX compiled here against nvcc's own cubin of the same source, both on the SM model: the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import nvcc_makes
from tests.ptxas.lower.harness import assemble, device

MATH = """
extern "C" __global__ void k(float* o, const float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = a[i]; double d = x; float* p = o + i * 16;
  p[0] = sinf(x); p[1] = expf(x); p[2] = powf(fabsf(x), 1.7f); p[3] = tanf(x * 50); p[4] = x / 3.7f;
    p[5] = sqrtf(fabsf(x));
  p[6] = (float)sin(d); p[7] = (float)(pow(fabs(d), 1.3) / 7.1); p[8] = (float)log(fabs(d) + 0.1);
    p[9] = fmodf(x * 9, 3.3f);
  p[10] = rsqrtf(fabsf(x)); p[11] = (float)(long long)(d * 1e12); p[12] = __fdiv_rd(x, 3.f); p[13] = erff(x);
  p[14] = roundf(x * 7); p[15] = (float)sqrt(fabs(d));
}
"""
CONTROL = """
struct P { int a; short b; char c; double d; float v[5]; };
__device__ P table[4] = {{1, 2, 3, 4.0, {1, 2, 3, 4, 5}}, {5, 6, 7, 8.0, {9}}};
__device__ __noinline__ int helper(P p, int k) { int s = p.a + p.b * k; for (int i = 0; i < 5;
  i++) s += (int)p.v[(i + k) % 5]; return s; }
extern "C" __global__ void k(float* of, const float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; int* o = (int*)of + i * 16; __shared__ int h[128];
    h[threadIdx.x] = i * 7; __syncthreads();
  P loc[3]; for (int j = 0; j < 3; j++) { loc[j] = table[(i + j) & 3]; loc[j].a += i; loc[j].v[j] = a[i] * 100; }
  int r = helper(loc[i % 3], i & 7);
  unsigned long long u = (unsigned long long)i * 0x123456789abcdefULL + 7; u = u % 1000003u + u / 77u;
  switch (i % 9) { case 0: r += 1; break; case 1: r *= 3; break; case 2: r ^= 0x55; case 3: r -= 9; break;
    case 4: r <<= 2; break;
                   case 5: r = ~r; break; case 6: r /= 7; break; case 7: r %= 13; break; default: r = __ffs(r); }
  int brk = 0; for (int j = 0; j < i % 7 + 3; j++) { if ((j * i) % 5 == 3) continue; if (j > 5) break;
    brk += j * i; if (brk > 999) { brk = -brk; break; } }
  int st[32], sp = 0, sum = 0; st[sp++] = i; while (sp > 0 && sum < 1000) { int v = st[--sp]; sum += v & 15;
    if ((v & 3) && sp < 30) { st[sp++] = v / 2; if (v % 5 == 0) st[sp++] = v / 3; } }
  unsigned m = __ballot_sync(~0u, a[i] > 0); int w = 0; if (a[i] > 0) w = __shfl_sync(m, i * 2, __ffs(m) - 1);
  int x = brk; for (int k = 1; k < 32; k <<= 1) { int t = __shfl_up_sync(~0u, x, k);
    if ((threadIdx.x & 31) >= k) x += t; }
  o[0] = r; o[1] = (int)u; o[2] = (int)(u >> 32); o[3] = brk; o[4] = sum; o[5] = w; o[6] = x;
    o[7] = h[127 - threadIdx.x]; o[8] = (short)(r * 7);
  o[9] = __byte_perm(r, i, 0x5142); o[10] = __mulhi(r, i * 99); o[11] = __float2int_rn(a[i] * 1000);
    o[12] = (int)(-(long long)u / 12345);
}
"""


@pytest.mark.parametrize("source", [MATH, CONTROL], ids=["math", "control"])
def test_same_bits(source: str, tmp_path: Path) -> None:
    from minicc import binary

    (tmp_path / "k.cu").write_text(source)
    text, theirs = (nvcc_makes(tmp_path / "k.cu", tmp_path / name) for name in ("k.ptx", "k.cubin"))
    ours = binary.write_cubin(assemble(text.decode()))
    data = (np.random.default_rng(0).random(256) * 4 - 2).astype(np.float32)
    results = []
    for image in (ours, theirs):
        out = np.zeros(256 * 16, np.float32)
        kernel: Any = device().load(image)["k"]
        kernel[(2,), (128,)](out, data, np.int32(256))
        results.append(out.view(np.uint32))
    assert np.array_equal(*results)
