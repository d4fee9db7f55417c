"""Arithmetic kernels compiled by nvcc, run on the model, against Python integers and numpy.

Exact where IEEE or the language says so; else within the error bounds of the CUDA programming guide (float functions
1 to 9 units in the last place), so a wrong instruction inside one of nvcc's long sequences shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import nvcc_makes

SOURCE = Path(__file__).parent / "data" / "math.cu"
N = 768


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The kernels on the functional model."""
    import runtime

    return runtime.Device(timing=False).load(nvcc_makes(SOURCE, tmp_path_factory.mktemp("nvcc") / "math.cubin"))


def signed(x: int, bits: int) -> int:
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


def quotient(p: int, q: int) -> int:
    """Rounded toward zero."""
    return abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)


def integer_model(x: int, y: int) -> list[int]:
    sx, sy = signed(x, 32), signed(y, 32)
    yn, syn = y or 7, sy or 7
    syn = 3 if syn == -1 else syn
    wide = x << 32 | y
    other = (yn << (x & 31)) & ((1 << 64) - 1) | 1
    swide, sother = signed(wide, 64), signed(other, 64)
    out = [x // yn, x % yn, quotient(sx, syn), sx - syn * quotient(sx, syn)]
    out += [x // 7, x % 10, quotient(sx, 7), sx - 10 * quotient(sx, 10)]
    remainder = swide - sother * quotient(swide, sother)
    for v in (wide // other, wide % other, quotient(swide, sother), remainder, wide * other):
        out += [v, v >> 32]
    out += [wide * other >> 64, x * y >> 32, sx * sy >> 32, wide.bit_count(), 64 - wide.bit_length()]
    out += [(x & -x).bit_length(), int(format(x, "032b")[::-1], 2)]
    pool, selector = (y << 32 | x).to_bytes(8, "little"), x & 0x7777
    out.append(sum(pool[selector >> 4 * k & 7] << 8 * k for k in range(4)))
    out += [(y << 32 | x) << (y & 31) >> 32, (y << 32 | x) >> min(y & 63, 32)]
    out += [wide << (y & 63), (wide << (y & 63)) >> 32, swide >> (x & 63), (swide >> (x & 63)) >> 32]
    return [v & 0xFFFFFFFF for v in out]


def test_integers(module: Any) -> None:
    rng = np.random.default_rng(0)
    edges = np.array(
        [0, 1, 2, 3, 7, 10, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 255, 65536, 0xFFFFFFFE, 1000000007],
        dtype=np.uint32,
    )
    random = rng.integers(0, 1 << 32, (2, N - 256), dtype=np.uint32)
    a = np.concatenate([np.repeat(edges, 16), random[0]])
    b = np.concatenate([np.tile(edges, 16), random[1] >> rng.integers(0, 32, N - 256).astype(np.uint32)])
    out = np.zeros((N, 32), np.uint32)
    module["integers"][N // 128, 128](a, b, out)
    for i in range(N):
        assert out[i].tolist() == integer_model(int(a[i]), int(b[i])), (hex(a[i]), hex(b[i]))


def pairs(kind: Any, largest: int, rng: Any) -> tuple[Any, Any]:
    tiny, huge = np.finfo(kind).tiny, np.finfo(kind).max
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, tiny / 4, -tiny / 64, huge, 0.5, 1.5, 2.5, tiny, -3e4,
                        60], dtype=kind)  # fmt: skip
    normal = [
        rng.normal(size=256) * 10.0 ** rng.integers(-3, 3, 256),
        rng.normal(size=256) * 10.0 ** rng.integers(-largest, largest, 256),
    ]
    other = [
        rng.normal(size=256) * 10.0 ** rng.integers(-3, 3, 256),
        rng.normal(size=256) * 10.0 ** rng.integers(-largest, largest, 256),
    ]
    return (
        np.concatenate([*normal, np.repeat(special, 16)]).astype(kind),
        np.concatenate([*other, np.tile(special, 16)]).astype(kind),
    )


def close(name: str, got: Any, want: Any, places: int) -> None:
    """Equal, both NaN, or within `places` units of the last place."""
    want = want.astype(got.dtype)
    with np.errstate(all="ignore"):
        good = (got == want) | (np.isnan(got) & np.isnan(want))
        if places:
            good |= np.abs(got.astype(np.longdouble) - want) <= places * np.spacing(np.abs(want)).astype(np.longdouble)
    wrong = np.flatnonzero(~good)
    assert not len(wrong), (name, got[wrong[0]], want[wrong[0]], int(wrong[0]))


def test_floats(module: Any) -> None:
    x, y = pairs(np.float32, 38, np.random.default_rng(1))
    out = np.zeros((N, 20), np.float32)
    module["floats"][N // 128, 128](x, y, out)
    d, e = x.astype(np.float64), y.astype(np.float64)
    from math import erf

    with np.errstate(all="ignore"):
        exact = [
            x / y, np.sqrt(x), np.float32(1) / y, np.fmod(x, y), np.floor(x), np.rint(x),
            np.where(np.isnan(d), 0, np.clip(np.trunc(d), -(2.0**31), 2.0**31 - 1)),
            np.where(np.isnan(d), 0, np.clip(np.trunc(d), 0, 2.0**32 - 1)),
            np.fmin(x, y), np.fmax(x, y), x.astype(np.float16),
        ]  # fmt: skip
        for k, want in enumerate(exact):
            close(f"result {k}", out[:, k], want, 0)
        bfloat = (x.view(np.uint32) + 0x7FFF + (x.view(np.uint32) >> 16 & 1) & 0xFFFF0000).view(np.float32)
        close("bf16", out[:, 11], np.where(np.isnan(x), x, bfloat), 0)
        near = [(12, np.exp(d), 2), (13, np.log(np.abs(d)), 2), (14, np.tanh(d), 3), (15, 1 / np.sqrt(np.abs(d)), 3)]
        near += [(16, np.array([erf(v) for v in d]), 3), (19, np.power(np.abs(d), e), 9)]
        for k, want, places in near:
            close(f"result {k}", out[:, k], want, places)
        small = np.isfinite(x) & (np.abs(x) < 1e15)
        close("sin", out[small, 17], np.sin(d[small]), 2)
        close("cos", out[small, 18], np.cos(d[small]), 2)


def test_doubles(module: Any) -> None:
    x, y = pairs(np.float64, 300, np.random.default_rng(2))
    out = np.zeros((N, 12))
    module["doubles"][N // 128, 128](x, y, out)
    with np.errstate(all="ignore"):
        exact = [
            x / y,
            np.sqrt(x),
            1 / y,
            x * y,
            x - y,
            np.fmin(x, y),
            np.fmax(x, y),
            np.floor(x),
            x.astype(np.float32),
        ]
        for k, want in enumerate(exact):
            close(f"result {k}", out[:, k], want, 0)
        close("exp", out[:, 9], np.exp(x), 2)
        close("log", out[:, 10], np.log(np.abs(x)), 2)
        inside = np.abs(x) < 2.0**62
        close("s64", out[inside, 11], np.trunc(x[inside]), 0)


def test_halves(module: Any) -> None:
    x, y = pairs(np.float16, 4, np.random.default_rng(3))
    out = np.zeros((N, 4), np.float16)
    module["halves"][N // 128, 128](x, y, out)
    with np.errstate(all="ignore"):
        for k, want in enumerate((x + y, x * y, x - y, np.fmin(x, y))):
            close(f"result {k}", out[:, k], want, 0)
