"""memset and memcpy of sizes that only the launch knows: the same bytes, by words where alignment allows."""

import re

import numpy as np

import minicc
from minicc.diagnostics import SourceFile
from tests.ptxas.lower.harness import device

SOURCE = """
template <class T> __device__ void body(T *to, const T *from, int n, unsigned byte) {
    __shared__ T here[256 / sizeof(T)];
    T *of = threadIdx.x ? to + 1024 / sizeof(T) : to;
    for (int i = threadIdx.x; i < 256; i += 2) ((unsigned char *)here)[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) memset(here, byte, n);
    __syncthreads();
    memcpy(of, n & 1 ? here : from, n);
    if (n > 100 && from[0]) memset(of + 768 / sizeof(T), byte + 1, n - 100);
}
extern "C" __global__ void by1(unsigned char *to, const unsigned char *from, int n, int b) { body(to, from, n, b); }
extern "C" __global__ void by4(int *to, const int *from, int n, int b) { body(to, from, n, b); }
extern "C" __global__ void words(unsigned char *to, const unsigned char *from, int n) {
    __shared__ int here[64], there[64];
    for (int i = threadIdx.x; i < 64; i += 2) { here[i] = ((int *)from)[i]; there[i] = 0; }
    __syncthreads();
    if (threadIdx.x == 0) memcpy(there + 1, here + 2, n);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 2) to[i] = ((unsigned char *)there)[i];
}
extern "C" __global__ void large(char *to) {
    __shared__ int s[1500];
    memset(s, 7, 6000);
    __syncthreads();
    memcpy(to, s, 5999);
}
"""


def test_the_bytes_are_those_of_c():
    loaded = device().load(minicc.compile(SourceFile("k.cu", SOURCE)).cubin)
    given = (np.arange(256) * 7 + 1).astype(np.uint8)
    for name in ("by1", "by4"):
        for n in (0, 3, 4, 15, 64, 85, 101, 256):
            to = np.zeros(2048, np.uint8)
            loaded[name][(1,), (2,)](to, given, n, 200)
            expected, set_ = np.zeros(2048, np.uint8), np.arange(256, dtype=np.uint8)
            set_[:n] = 200
            for at in (0, 1024):
                expected[at : at + n] = (set_ if n & 1 else given)[:n]
                if n > 100:
                    expected[at + 768 : at + 668 + n] = 201
            assert (to == expected).all(), (name, n)
    for n in (0, 1, 4, 7, 16, 33, 248):
        to = np.zeros(256, np.uint8)
        loaded["words"][(1,), (2,)](to, given, n)
        assert (to == np.concatenate([[0] * 4, given[8 : 8 + n], [0] * (252 - n)])).all(), n
    to = np.zeros(6000, np.uint8)
    loaded["large"][(1,), (1,)](to)
    assert (to[:5999] == 7).all() and to[5999] == 0


def test_words_are_as_wide_as_is_known():
    ptx = minicc.compile(SourceFile("k.cu", SOURCE)).ptx
    assert ptx is not None
    kernels = {part.partition("(")[0]: part for part in ptx.split(".entry ")[1:]}
    assert "st.shared.v2.u64" in kernels["large"] and "st.shared.v2.u64" in kernels["by4"]
    copies = re.findall(r"(?:\s+ld\.shared\.\w+ [^\n]+\n){4}(?:\s+st\.shared\.(\w+) [^\n]+\n){4}", kernels["words"])
    assert copies == ["u32"]
