"""Atomics of a warp on one word: made by one lane for all that come by."""

from __future__ import annotations

from pathlib import Path

from tests.ptxas.conftest import checked

SEVERAL = """\
//! c = zeros(4, i32)
//! old = zeros(96, i32)
//! f[1, 96](c, old, 80)
//! expect(c[0], 80 * 3 + 40 * 5 + 13)
//! expect(c[1], 80)
//! expect(sum(old), 79 * 40)

__global__ void f(int *c, int *old, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    atomicAdd(&c[0], 1);
    old[t] = atomicAdd(&c[3], 1);
    atomicAdd(&c[0], 2);
    atomicAdd(&c[1], 1);
    if (t % 2 && t >= 10)
        return;
    if (t >= 5)
        atomicAdd(&c[0], 5);
    if (t == 7)
        for (int i = 0; i < c[2] + 1; i++)
            atomicAdd(&c[0], 13);
}
"""


def test_who_acts_is_asked_once(tmp_path: Path) -> None:
    """For four atomics in a row; again where lanes have left, and not where only one can come."""
    code = checked(tmp_path, SEVERAL)
    assert code.count("VOTE") == 2


LEAVING = """\
//! flags = arange(64) % 3
//! c = zeros(3, i32)
//! f[1, 64](flags, c)
//! expect(c[0], 64)
//! expect(c[1], 22)
//! expect(c[2], 63)

__global__ void f(const long long *flags, int *c)
{
    long long flag = flags[threadIdx.x];
    atomicAdd(&c[0], 1);
    if (flag)
        return;
    atomicAdd(&c[1], 1);
    atomicMax(&c[2], threadIdx.x);
}
"""


def test_who_acts_is_asked_again_where_lanes_have_left(tmp_path: Path) -> None:
    """By an exit within the block: all the lanes that would act have left in one warp."""
    assert checked(tmp_path, LEAVING).count("VOTE") == 2
