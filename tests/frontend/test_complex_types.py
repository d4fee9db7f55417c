"""Complex numbers of CUDA and thrust are types of their own: aligned as wholes, with the names that nvcc's have."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile

TEXT = """
#include <complex>
#include <cuda/std/complex>
#include <thrust/complex.h>
template <class C, class R> struct Behind { R first; C second; };
template <class C, class R> __device__ void sizes(int *out) {
  out[0] = sizeof(C); out[1] = alignof(C); out[2] = sizeof(Behind<C, R>);
}
__global__ void layouts(int *out) {
  sizes<std::complex<float>, float>(out);
  sizes<cuda::std::complex<float>, float>(out + 3);
  sizes<thrust::complex<float>, float>(out + 6);
  sizes<std::complex<double>, double>(out + 9);
  sizes<cuda::std::complex<double>, double>(out + 12);
  sizes<thrust::complex<double>, double>(out + 15);
}
__global__ void square(cuda::std::complex<float> *p, float *absolute) {
  auto z = p[threadIdx.x];
  p[threadIdx.x] = z * z;
  absolute[threadIdx.x] = cuda::std::abs(z) + cuda::std::norm(z) + cuda::std::abs(-2.0f) + cuda::std::min(1, 3);
}
"""


def test_layouts_are_nvccs() -> None:
    out = np.zeros(18, np.int32)
    runtime.Device().load(minicc.compile(SourceFile("complex.cu", TEXT)).cubin)["layouts"][1, 1](out)
    assert out.reshape(6, 3).tolist() == [[8, 4, 12], [8, 8, 16], [8, 8, 16], [16, 8, 24], [16, 16, 32], [16, 16, 32]]


def test_whole_numbers_are_accessed_under_nvccs_name() -> None:
    compiled = minicc.compile(SourceFile("complex.cu", TEXT))
    body = compiled.ptx.split(".entry _Z6squarePN4cuda3std3__47complexIfEEPf(")[1]
    assert "ld.global.v2.f32" in body and "st.global.v2.f32" in body
    numbers = (np.arange(8) - 3 + 1j * np.arange(8)[::-1]).astype(np.complex64)
    words, absolute = numbers.view(np.float32).copy(), np.zeros(8, np.float32)
    runtime.Device().load(compiled.cubin)["square"][1, 8](words, absolute)
    assert words.view(np.complex64) == pytest.approx(numbers * numbers)
    assert absolute == pytest.approx(abs(numbers) + abs(numbers) ** 2 + 3)
