"""curand_kernel.h on this machine: known answers of Philox, XORWOW's jumps against stepping, distributions."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.end_to_end.harness import compiled, run_script

from .host import Compiled

U, Q = ctypes.c_uint, ctypes.c_ulonglong
SOURCE = """
#include <curand_kernel.h>
template <typename S> __device__ void numbers(unsigned long long seed, unsigned long long seq, unsigned long long skip, unsigned *out, int n)
{
    S s;
    curand_init(seed, seq, skip, &s);
    for (int i = 0; i < n; i++) out[i] = curand(&s);
}
extern "C" {
__device__ void xorwow(unsigned long long a, unsigned long long b, unsigned long long c, unsigned *o, int n) { numbers<curandState>(a, b, c, o, n); }
__device__ void philox(unsigned long long a, unsigned long long b, unsigned long long c, unsigned *o, int n) { numbers<curandStatePhilox4_32_10_t>(a, b, c, o, n); }
__device__ void mrg(unsigned long long a, unsigned long long b, unsigned long long c, unsigned *o, int n) { numbers<curandStateMRG32k3a>(a, b, c, o, n); }
__device__ void uniform(unsigned long long seed, double *out, int n)
{
    curandState s;
    curand_init(seed, 0, 0, &s);
    for (int i = 0; i < n; i += 2) { out[i] = curand_uniform(&s); out[i + 1] = curand_uniform_double(&s); }
}
__device__ void normal(unsigned long long seed, double *out, int n)
{
    curandStatePhilox4_32_10_t s;
    curand_init(seed, 0, 0, &s);
    for (int i = 0; i < n; i++) out[i] = curand_normal_double(&s);
}
__device__ void sobol(const unsigned *v, unsigned c, unsigned skip, unsigned *o, int n)
{
    curandStateScrambledSobol32_t s;
    curand_init(v, c, skip, &s);
    for (int i = 0; i < n; i++) o[i] = curand(&s);
}
}
"""  # noqa: E501


@pytest.fixture(scope="module")
def library() -> Compiled:
    return Compiled(SOURCE, optimise=True)


def numbers(library: Compiled, name: str, seed: int, sequence: int, skip: int, n: int) -> list[int]:
    out = np.zeros(n, np.uint32)
    library.function(name, None, Q, Q, Q, ctypes.c_void_p, ctypes.c_int)(seed, sequence, skip, out.ctypes.data, n)
    return [int(x) for x in out]


def marsaglia(seed: int, n: int) -> list[int]:
    """XORWOW as published, with cuRAND's mixing of the seed."""
    mask = 0xFFFFFFFF
    a = 1099087573 * ((seed & mask) ^ 0xAAD26B49) & mask
    b = 2591861531 * ((seed >> 32) ^ 0xF7DCEFDD) & mask
    d = (6615241 + a + b) & mask
    v = [(123456789 + a) & mask, 362436069 ^ a, (521288629 + b) & mask, 88675123 ^ b, (5783321 + a) & mask]
    out = []
    for _ in range(n):
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], v[4] ^ (v[4] << 4 & mask) ^ t ^ (t << 1 & mask)]
        d = (d + 362437) & mask
        out.append((v[4] + d) & mask)
    return out


def test_philox_s_known_answers(library: Compiled) -> None:
    """From the Random123 distribution: counter and key zero."""
    assert numbers(library, "philox", 0, 0, 0, 4) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("seed", [0, 1234, 0xDEADBEEF12345678])
def test_xorwow(library: Compiled, seed: int) -> None:
    want = marsaglia(seed, 3000)
    assert numbers(library, "xorwow", seed, 0, 0, 50) == want[:50]
    for skip in (1, 5, 64, 1000, 2047):
        assert numbers(library, "xorwow", seed, 0, skip, 20) == want[skip : skip + 20]


@pytest.mark.parametrize("name", ["xorwow", "philox"])
def test_jumps_add_up(library: Compiled, name: str) -> None:
    far = numbers(library, name, 7, 3, (1 << 40) + 12345, 40)
    assert numbers(library, name, 7, 3, (1 << 40) + 12355, 30) == far[10:]
    assert len({tuple(numbers(library, name, 7, s, 0, 4)) for s in range(16)}) == 16
    if name == "xorwow":
        # A sequence is 2^67 numbers: eight times 2^64.
        assert numbers(library, name, 7, 0, 0, 4) != numbers(library, name, 7, 1, 0, 4)
    else:
        first = numbers(library, name, 7, 5, 0, 9)
        assert all(numbers(library, name, 7, 5, k, 9 - k) == first[k:] for k in range(8))


def test_distributions(library: Compiled) -> None:
    n = 20000
    for name, mean, variance in (("uniform", 0.5, 1 / 12), ("normal", 0.0, 1.0)):
        out: Any = np.zeros(n)
        library.function(name, None, Q, ctypes.c_void_p, ctypes.c_int)(99, out.ctypes.data, n)
        assert abs(out.mean() - mean) < 5 * np.sqrt(variance / n) and abs(out.var() / variance - 1) < 0.06
        assert name == "normal" or (out.min() > 0 and out.max() <= 1)


def lecuyer(n: int) -> list[int]:
    """MRG32k3a as published (L'Ecuyer 1999), begun with 12345 everywhere, scaled to 32 bits as cuRAND does."""
    m1, m2 = 4294967087, 4294944443
    x, y = [12345] * 3, [12345] * 3
    out = []
    for _ in range(n):
        x = [*x[1:], (1403580 * x[1] - 810728 * x[0]) % m1]
        y = [*y[1:], (527612 * y[2] - 1370589 * y[0]) % m2]
        out.append(int(((x[2] - y[2] - 1) % m1 + 1) * 1.000000048662))
    return out


def test_mrg_is_lecuyers_generator(library: Compiled) -> None:
    expected = lecuyer(300)
    assert abs(expected[0] / 2**32 - 0.1270111220) < 1e-9  # RngStreams' first number
    assert numbers(library, "mrg", 0, 0, 0, 40) == expected[:40]
    assert numbers(library, "mrg", 0, 0, 250, 50) == expected[250:]


def test_mrg_sequences_are_apart(library: Compiled) -> None:
    first = numbers(library, "mrg", 7, 3, 0, 20)
    assert numbers(library, "mrg", 7, 3, 5, 15) == first[5:]
    assert not set(first) & set(numbers(library, "mrg", 7, 4, 0, 20))


@pytest.mark.parametrize("skip", [0, 1, 77])
def test_sobol_points_are_sums_of_the_directions_in_gray_code(library: Compiled, skip: int) -> None:
    rng = np.random.default_rng(5)
    directions = (rng.integers(0, 1 << 32, 32, np.uint32) >> np.arange(32)).astype(np.uint32)
    directions |= np.uint32(1) << (31 - np.arange(32)).astype(np.uint32)
    out = np.zeros(100, np.uint32)
    call = library.function("sobol", None, ctypes.c_void_p, U, U, ctypes.c_void_p, ctypes.c_int)
    call(directions.ctypes.data, 0x12345678, skip, out.ctypes.data, 100)
    for n, got in enumerate(out, skip):
        want = 0x12345678
        for k in range(32):
            want ^= int(directions[k]) if (n ^ n >> 1) >> k & 1 else 0
        assert got == want


def test_poisson_has_the_mean_and_the_variance(tmp_path: Path) -> None:
    means = [0.5, 7.0, 63.0, 64.0, 300.0, 3999.0, 9000.0]
    file = tmp_path / "poisson.k"
    head = [f"//! o{k} = zeros(4096, u32)\n//! poisson[1, 64](o{k}, {mean})\n" for k, mean in enumerate(means)]
    file.write_text(
        "".join(head) + "#include <curand_kernel.h>\n__global__ void poisson(unsigned *o, double mean) { curandState s;"
        " curand_init(99, threadIdx.x, 0, &s); for (int i = 0; i < 64; i++) o[threadIdx.x * 64 + i] ="
        " curand_poisson(&s, mean); }\n"
    )
    got = run_script(file, compiled(file).fatbin, timing=False)
    for k, mean in enumerate(means):
        out = got.variables[f"o{k}"]
        assert abs(out.mean() - mean) < 5 * (mean / len(out)) ** 0.5
        assert abs(out.var() / mean - 1) < 0.15
