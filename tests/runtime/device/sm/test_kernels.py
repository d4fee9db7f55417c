"""nvcc's cubins give numpy's results, with and without timing, and the counters count what they should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minicc.sass.program import Program
from runtime.device.grid import Outcome
from tests.conftest import nvcc_makes
from tests.runtime.device.sm.kit import ARCH, Bench, nvcc

TIMING = pytest.mark.parametrize("timing", [True, False])
SOURCE = (Path(__file__).parent / "kernels.cu").read_text()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return nvcc(SOURCE, tmp_path_factory.mktemp("cubins"))


class Run:
    """One launch: arrays in order, then what the kernel made of them."""

    def __init__(self, program: Program, name: str, grid: Any, block: Any, *arguments: Any, **options: Any) -> None:
        bench = Bench()
        places = [bench.buffer(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self.outcome: Outcome = bench.kernel(program, name, grid, block, places, **options)
        assert self.outcome.fault is None, self.outcome.fault
        assert not self.outcome.hazards, self.outcome.hazards
        self.arrays = [
            bench.array(place, a.dtype, a.size).reshape(a.shape) if isinstance(a, np.ndarray) else a
            for place, a in zip(places, arguments, strict=True)
        ]


def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


@TIMING
def test_reductions(program: Program, timing: bool) -> None:
    a = rng().integers(-100, 100, 5000).astype(np.int32)
    r = Run(program, "reduce_shared", 20, 256, a, np.zeros(1, np.int32), 5000, timing=timing)
    assert r.arrays[1][0] == a.sum()
    f = rng().integers(0, 50, 1024).astype(np.float32)
    r = Run(program, "reduce_shuffle", 4, 256, f, np.zeros(4, np.float32), timing=timing)
    assert np.array_equal(r.arrays[1], f.reshape(4, 256).sum(axis=1))


@TIMING
def test_histogram(program: Program, timing: bool) -> None:
    a = rng().integers(0, 256, 20000).astype(np.uint8)
    r = Run(program, "histogram", 7, 256, a, np.zeros(256, np.int32), a.size, timing=timing)
    assert np.array_equal(r.arrays[1], np.bincount(a, minlength=256))


@TIMING
def test_divergent_loops_with_early_exit(program: Program, timing: bool) -> None:
    a = rng().integers(1, 100000, 500).astype(np.uint32)
    r = Run(program, "collatz", 4, 128, a, np.zeros(500, np.int32), 500, timing=timing)

    def steps(x: int) -> int:
        n = 0
        while x != 1:
            x = 3 * x + 1 if x & 1 else x >> 1
            n += 1
        return n

    assert list(r.arrays[1]) == [steps(int(x)) for x in a]


@TIMING
def test_lock_taken_by_every_thread(program: Program, timing: bool) -> None:
    r = Run(program, "lock", 4, 64, np.zeros(2, np.int32), timing=timing, instruction_limit=10**7)
    assert list(r.arrays[0]) == [0, 256]


@TIMING
def test_switch_recursion_and_pointers_of_any_space(program: Program, timing: bool) -> None:
    v = rng().integers(0, 11, 96).astype(np.int32)
    lane = np.arange(96, dtype=np.int32)
    cases = [lane * 3, lane + 7, lane ^ 5, -lane, lane * lane, lane << 3, ~lane, lane % 5, 1000 // (lane + 1)]
    r = Run(program, "switch_", 1, 96, v, np.zeros(96, np.int32), timing=timing)
    assert np.array_equal(r.arrays[1], np.select([v == k for k in range(9)], cases, 99))

    def fact(n: int) -> int:
        return 1 if n <= 1 else n * fact(n - 1) + 1

    r = Run(program, "recursion", 1, 64, np.zeros(64, np.int32), timing=timing)
    assert list(r.arrays[0]) == [fact(n & 7) if n & 1 else -fact(n & 3) for n in range(64)]
    p = rng().integers(0, 9, 64).astype(np.int32)
    total = int(p[:8].sum())
    r = Run(program, "generic", 1, 64, p, np.zeros(64, np.int32), timing=timing)
    assert list(r.arrays[1]) == [(total, 2 * total, total + 8 * n)[n % 3] for n in range(64)]


@TIMING
def test_matrix_product_in_tiles(program: Program, timing: bool) -> None:
    a, b = (rng().integers(0, 9, (64, 64)).astype(np.float32) for _ in range(2))
    r = Run(program, "matmul", (4, 4), (16, 16), a, b, np.zeros((64, 64), np.float32), 64, timing=timing)
    assert np.array_equal(r.arrays[2], a @ b)


@TIMING
def test_warp_votes_and_block_votes(program: Program, timing: bool) -> None:
    v = rng().integers(1, 10, 128).astype(np.int32)
    expected = []
    for w in v.reshape(-1, 32):
        ballot = sum(1 << k for k in range(32) if w[k] > 5)
        for k in range(32):
            match = sum(1 << j for j in range(32) if w[j] == w[k])
            expected.append(ballot ^ match ^ int((w > 0).all()) ^ int(w.sum()))
    r = Run(program, "votes", 2, 64, v, np.zeros(128, np.uint32), timing=timing)
    assert list(r.arrays[1]) == expected
    v = v[:96]
    r = Run(program, "block_votes", 1, 96, v, np.zeros(96, np.int32), timing=timing)
    assert set(r.arrays[1]) == {int((v > 3).sum()) * 100 + int((v > 0).all()) * 10 + int((v > 8).any())}


@TIMING
def test_named_barriers(program: Program, timing: bool) -> None:
    r = Run(program, "producer_consumer", 1, 64, np.zeros(32, np.int32), timing=timing)
    assert list(r.arrays[0]) == [(31 - lane) * 6 for lane in range(32)]


@TIMING
def test_atomics_of_many_types(program: Program, timing: bool) -> None:
    r = Run(
        program, "atomics", 2, 64, np.zeros(1, np.float32), np.zeros(1), np.zeros(8, np.int32), np.zeros(1, np.uint64),
        timing=timing,
    )  # fmt: skip
    assert r.arrays[0][0] == 192
    assert r.arrays[1][0] == 32
    assert list(r.arrays[2][:5]) == [58, -63, 0, 128 % 11, 7]
    assert r.arrays[3][0] == 2 * sum(range(64)) << 33


@TIMING
def test_printf_and_assert(program: Program, timing: bool) -> None:
    a = np.arange(4, dtype=np.int32) * 10
    r = Run(program, "print", 1, 4, a, timing=timing)
    expected = b"".join(b"%d %5.2f str %x %c %d\n" % (10 * k, 1.5 * k, k, 65 + k, -k) for k in range(4))
    assert r.outcome.output == expected
    bench = Bench()
    outcome = bench.kernel(program, "asserts", 1, 64, [3], timing=timing)
    assert outcome.fault is not None
    assert outcome.fault.kind == "assert"
    assert outcome.fault.thread == (3, 0, 0)
    assert "Assertion `int(threadIdx.x) < n' failed".replace("'", "`") in outcome.fault.message.replace("'", "`")


def test_same_run_same_cycles_and_counters(program: Program) -> None:
    a = rng().integers(-100, 100, 5000).astype(np.int32)
    runs = [Run(program, "reduce_shared", 20, 256, a, np.zeros(1, np.int32), 5000).outcome for _ in range(2)]
    assert runs[0].cycles == runs[1].cycles
    assert runs[0].counters == runs[1].counters
    assert runs[0].per_pc == runs[1].per_pc


def test_every_warp_cycle_has_one_reason(program: Program) -> None:
    """Stall identities: the states of all warps add up to the warp-cycles, and selected is 1 per instruction."""
    a, b = (rng().integers(0, 9, (64, 64)).astype(np.float32) for _ in range(2))
    o = Run(program, "matmul", (4, 4), (16, 16), a, b, np.zeros((64, 64), np.float32), 64).outcome
    c = o.counters
    assert o.stalls["selected"] == o.instructions == c["sm__inst_executed.sum"]
    warp_cycles = c["smsp__warps_active.avg.per_cycle_active"] * c["smsp__cycles_active.avg"] * 132 * 4
    assert sum(o.stalls.values()) == pytest.approx(warp_cycles, rel=1e-9)
    ratio = c["smsp__average_warp_latency_per_inst_issued.ratio"]
    assert ratio == pytest.approx(
        c["smsp__warps_active.avg.per_cycle_active"] / c["smsp__issue_active.avg.per_cycle_active"], rel=1e-9
    )
    assert o.stalls["barrier"] > 0
    assert sum(row.get("stall_barrier", 0) for row in o.per_pc.values()) == o.stalls["barrier"]


def test_timed_and_untimed_execute_the_same_instructions(program: Program) -> None:
    a = rng().integers(0, 256, 20000).astype(np.uint8)
    timed, untimed = (
        Run(program, "histogram", 7, 256, a, np.zeros(256, np.int32), a.size, timing=t).outcome for t in (True, False)
    )
    assert timed.instructions == untimed.instructions
    assert timed.cycles > 0
    assert untimed.cycles == 0


@pytest.mark.parametrize("spread", [1, 2, 8, 32, 1000])
def test_sectors_and_requests(program: Program, spread: int) -> None:
    """Sectors are the distinct 32-byte pieces of each warp's addresses."""
    index = rng().integers(0, 32 * spread, 1024).astype(np.int32)
    data = np.arange(32 * spread, dtype=np.float32)
    r = Run(program, "gather", 8, 128, data, index, np.zeros(1024, np.float32))
    assert np.array_equal(r.arrays[2], data[index])
    gathered = sum(np.unique(w // 8).size for w in index.reshape(-1, 32))
    c = r.outcome.counters
    assert c["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 64
    assert c["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == gathered + 32 * 4
    assert c["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 32 * 4


@pytest.mark.parametrize("stride", [1, 2, 3, 8, 16, 17, 32])
def test_shared_bank_conflicts(program: Program, stride: int) -> None:
    """Wavefronts are the most words that one bank has to deliver."""
    r = Run(program, "shared_stride", 1, 32, np.zeros(32, np.int32), stride)
    assert list(r.arrays[0]) == [k * stride for k in range(32)]
    words = np.arange(32) * stride
    fronts = max(np.unique(words[words % 32 == bank]).size for bank in range(32))
    c = r.outcome.counters
    assert c["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == fronts
    assert c["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] == fronts - 1


def test_a_grid_in_several_waves_keeps_every_sm_busy(program: Program) -> None:
    n = 132 * 8 * 3 * 256
    a, b = (np.arange(n, dtype=np.float32) for _ in range(2))
    r = Run(program, "vadd", n // 256, 256, a, b, np.zeros(n, np.float32), n)
    assert np.array_equal(r.arrays[2], a + b)
    c = r.outcome.counters
    assert c["launch__waves_per_multiprocessor"] == 3
    assert c["sm__warps_active.avg.pct_of_peak_sustained_active"] > 50
    assert c["sm__cycles_active.avg"] > 0.8 * (r.outcome.cycles - ARCH.core.grid_overhead)


DEBUG_SOURCE = """
#include <cassert>
#include <cstdio>
__device__ __noinline__ float step(float x, int n) { for (int i = 0; i < n; i++) x = x * x + 1.0f; return x; }
extern "C" __global__ void k(float *p, int n)
{
    int i = threadIdx.x;
    p[i] = step(p[i], n);
    if (i == 3)
        printf("thread %d\\n", i);
    assert(p[i] < 1e6f);
}
"""


@TIMING
def test_debug_build_calls_absolute_addresses(tmp_path: Path, timing: bool) -> None:
    """nvcc -G places functions apart and calls them, and the driver's, at relocated addresses."""
    import runtime
    from runtime.errors import DeviceError

    source = tmp_path / "debug.cu"
    source.write_text(DEBUG_SOURCE)
    kernel = runtime.Device(timing=timing).load(nvcc_makes(source, tmp_path / "debug.cubin", "-G"))["k"]
    x = np.arange(32, dtype=np.float32) / 64
    y = x.copy()
    launch = kernel[1, 32](y, 2)
    assert np.allclose(y, (x * x + 1) ** 2 + 1)
    assert launch.output == "thread 3\n"
    with pytest.raises(DeviceError, match="Assertion `p"):
        kernel[1, 32](np.full(32, 2000, np.float32), 1)
