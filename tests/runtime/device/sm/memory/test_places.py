"""Where things are on an H200: the SMs of a grid's first CTAs, a line's partition and slice, a constant's line."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minicc
import minicc.arch
import runtime
from runtime.device import cwd
from runtime.device.sm import engine
from runtime.device.sm.core import units
from runtime.device.sm.memory import l2
from runtime.device.sm.tables import layout as L

ARCH = minicc.arch.get("sm_90")


def test_first_ctas_come_to_one_gpc_then_to_a_tpc_of_each():
    small, large = cwd.neighbours(64, ARCH), cwd.neighbours(132, ARCH)
    assert (
        len(large) == len(set(large)) + 66 == 132 == len(small)
    )  # two SMs of a TPC are alike, or one asks the other half
    assert [tpc for _, _, tpc, *_ in large[:8]] == [62, 62, 63, 63, 64, 64, 65, 65]
    assert {side for side, *_ in large[:8]} == {1}
    # H200: 0, 16, 32, 48, 2, 18, 34, 50, 64, 78, ... and 0, 1, 16, 17, 32, 33, 48, 49, 2, 3, ...
    assert [tpc for _, _, tpc, *_ in small[8:18]] == [0, 8, 16, 24, 1, 9, 17, 25, 32, 39]
    assert [tpc for _, _, tpc, *_ in large[8:18]] == [0, 0, 8, 8, 16, 16, 24, 24, 1, 1]
    assert max(Counter(tpc for _, _, tpc, *_ in small[8:64]).values()) == 1
    assert Counter(side for side, *_ in large) == {0: 66, 1: 66}
    # H200: the first eight SMs are near to the same quarter of L2, of all SMs that ask a half about as many to each.
    assert len({quarter for *_, quarter, _, _ in large[:8]}) == 1
    assert Counter((side, quarter) for side, *_, quarter, _, _ in large) == {
        (0, 0): 32,
        (0, 1): 34,
        (1, 0): 34,
        (1, 1): 32,
    }


def test_a_gpc_is_a_column_of_the_sms_numbers():
    """H200: parameters come to 100 SMs as late as where a GPC has 16, to 32 or 36 as where it has 18 (258, 284 cycles),
    and all SMs of a GPC ask one half of L2, near to one quarter of it."""
    places = cwd.neighbours(132, ARCH)
    assert sorted(Counter(gpc for *_, gpc, _ in places).values()) == [16] * 6 + [18] * 2
    assert len({(side, quarter, gpc) for side, _, _, quarter, gpc, _ in places}) == 8
    # A small grid fills one GPC after another.
    assert [gpc for *_, gpc, _ in cwd.neighbours(64, ARCH)[:24]] == [0] * 12 + [1] * 8 + [2] * 4


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_89", "sm_90"])
@pytest.mark.parametrize("ctas", [1, 40, 100000])
def test_every_sm_has_a_place(arch, ctas):
    described = minicc.arch.get(arch)
    places = cwd.neighbours(ctas, described)
    assert len(places) == described.sm_count
    assert max(Counter(tpc for _, _, tpc, *_ in places).values()) <= 2


def home(line: int) -> int:
    """`l2_home` in Python, which counts bits otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(l2, "popcount", lambda bits: int(bits).bit_count())
        return int(l2.l2_home.python(line))


@pytest.fixture
def parameters(monkeypatch):
    monkeypatch.setattr(l2, "MP", engine._l2_parameters(ARCH).tolist())
    monkeypatch.setattr(l2, "over", lambda x, reciprocal: x * (reciprocal % (1 << 64)) >> 63)
    monkeypatch.setattr(l2, "rest", l2.rest.python)


@given(st.integers(0, 1 << 30))
def test_4_kb_are_in_one_partition_and_the_next_4_kb_in_the_other(line):
    first = line & ~31
    assert {home(first + k) for k in range(32)} == {home(first)}
    pair = line & ~63
    assert home(pair) != home(pair + 32)


def test_slices_as_an_h200_counts_them(parameters):
    def busiest(lines: int) -> float:
        count = Counter(l2.l2_slice.python(line, 0) for line in range(lines))
        return lines / max(count.values())

    # As many slices of a half as would be as busy, if they all were (H200: 1, 1, 2, 2, 4, 8, 8, 12, 16, 24, 32).
    known = {1: 1, 2: 1, 4: 2, 8: 2, 16: 4, 32: 8, 64: 8, 96: 12, 128: 16, 192: 24}
    assert {lines: busiest(lines) for lines in known} == known
    assert 32 <= busiest(512) <= 40
    assert busiest(4096) > 42
    for stride in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 3, 5, 12, 33):
        count = Counter(l2.l2_slice.python(k * stride, 0) for k in range(96))
        assert max(count.values()) <= 12, stride


def test_half_of_the_slices_are_near_to_a_quarter(parameters):
    for quarter in (0, 1):
        count = Counter(l2.distance.python(quarter, slice_) for slice_ in range(96))
        assert set(count) == {-ARCH.memory.l2_quarter, ARCH.memory.l2_quarter}
        assert abs(count[ARCH.memory.l2_quarter] - 48) <= 8
    assert all(l2.distance.python(0, slice_) == -l2.distance.python(1, slice_) for slice_ in range(96))


def test_constants_of_each_bank_have_lines_of_their_own():
    lines = [
        units.constant_line.python(bank, 64 * k)
        for bank, count in ((0, 256), (3, 1024), (2, 64), (4, 64))
        for k in range(count)
    ]
    assert sorted(lines) == list(range(L.CONSTANT_LINES))
    assert units.constant_line.python(1, 0) == units.constant_line.python(4, 4096) == -1
    assert np.all(np.diff(sorted(lines)) == 1)


def test_a_refresh_meets_as_much_of_every_megabyte(parameters):
    """Of the 64 pieces of a megabyte as many are refreshed at any time as on average, give or take four."""
    period, busy = ARCH.memory.dram_refresh
    for megabyte in (0, 1, 77, 5000):
        lines = [(64 * megabyte + k) << l2.REFRESHED_SHIFT for k in range(64)]
        for t in range(0, 2 * period, 97):
            waiting = sum(l2.refreshed.python(line, t) > t for line in lines)
            assert abs(waiting - 64 * busy / period) <= 4


@pytest.mark.parametrize(("threads", "share"), [(32, 1 / 32), (128, 1)])
def test_stores_of_sub_cores_take_turns(threads, share):
    """Each lane stores its row of 16 words, word by word, four times (H200: one warp's lines leave once, 64 of 2,048
    sectors; of four warps all do). Here a warp's may leave four times."""
    source = """
    __global__ void rows(float *q)
    {
        volatile float *row = q + threadIdx.x * 16;
        for (int r = 0; r < 4; ++r)
            for (int k = 0; k < 16; ++k) row[k] = k;
    }
    """
    gpu = runtime.Device("sm_90")
    rows = gpu.load(minicc.compile(minicc.SourceFile("rows.cu", source), arch="sm_90"))["rows"]
    stats = rows[1, threads](np.zeros(16 * threads, np.float32)).stats
    sent = stats["lts__t_sectors_srcunit_tex.sum"] / stats["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]
    assert share * 0.9 <= sent <= min(4 * share, 1)


def test_the_last_ctas_go_to_all_sms():
    """Three waves of CTAs that load a word a thread: an SM has 12, seldom one more or less (H200: the same)."""
    source = """
    __global__ void where(const unsigned *p, unsigned *sm)
    {
        unsigned m, x = p[blockIdx.x * blockDim.x + threadIdx.x];
        asm volatile("mov.u32 %0, %%smid;" : "=r"(m));
        if (x == 0) sm[blockIdx.x] = m;
    }
    """
    gpu = runtime.Device("sm_90")
    where = gpu.load(minicc.compile(minicc.SourceFile("where.cu", source), arch="sm_90"))["where"]
    ctas = 3 * 4 * 132
    sm = np.zeros(ctas, np.uint32)
    where[ctas, 512](np.zeros(512 * ctas, np.uint32), sm)
    count = np.bincount(sm, minlength=132)
    assert count.sum() == ctas
    assert count.std() < 1


def test_each_sub_core_asks_its_gpc_for_parameters():
    """H200: a parameter takes 135 cycles where one warp of each SM asks for it, 258 where four or more do. (Of that the
    grid shows 14 here.)"""
    source = "__global__ void ask(int *q, int n) { if (n == 12345) *q = n; }"
    gpu = runtime.Device("sm_90")
    ask = gpu.load(minicc.compile(minicc.SourceFile("ask.cu", source), arch="sm_90"))["ask"]
    q = gpu.buffer(np.zeros(1, np.int32))
    one, four, all_one, all_four = (ask[grid, block](q, 1).cycles for grid in (1, 132) for block in (32, 128))
    assert four - one <= 15
    assert all_four - all_one >= 10


@pytest.mark.parametrize(("megabytes", "chip"), [(2, 6445), (4, 8211), (8, 11868)])
def test_lines_from_dram_take_their_slice_when_they_come(megabytes, chip):
    """A copy in one wave: what the slices do with lines from DRAM does not overlap the wait for the first of them."""
    source = "__global__ void copy(const float4 *p, float4 *q) { int i = blockIdx.x * 256 + threadIdx.x; q[i] = p[i]; }"
    gpu = runtime.Device("sm_90")
    copy = gpu.load(minicc.compile(minicc.SourceFile("copy.cu", source), arch="sm_90"))["copy"]
    p, q = (gpu.buffer(np.zeros(megabytes << 18, np.float32)) for _ in range(2))
    cycles = copy[megabytes << 8, 256](p, q).cycles
    assert cycles == pytest.approx(chip, rel=0.08)
