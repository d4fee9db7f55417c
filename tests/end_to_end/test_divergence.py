"""Random kernels whose warps part and meet: our code and nvcc's, on the SM model, against numpy."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.conftest import nvcc_makes
from tests.end_to_end.divergence import CTAS, FUNCTION, THREADS, Program

DATA = np.random.default_rng(7).integers(0, 1 << 32, CTAS * THREADS, np.uint32)


def outputs(image: bytes, names: list[str], *, timing: bool) -> list[np.ndarray]:
    """What each kernel of an image leaves."""
    module = runtime.Device("sm_90", hazards="report" if timing else "off", timing=timing).load(image)
    out = []
    for name in names:
        out.append(np.zeros_like(DATA))
        assert not module[name][CTAS, THREADS](DATA, out[-1]).hazards
    return out


@pytest.mark.parametrize("options", ["", "-O0", "-G"])
def test_our_code_does_what_the_source_says(options):
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(draw=st.randoms(use_true_random=False))
    def check(draw):
        program = Program(draw)
        image = minicc.compile(
            SourceFile("program.cu", FUNCTION + program.source("kernel")), arch="sm_90", options=options
        )
        np.testing.assert_array_equal(outputs(image.cubin, ["kernel"], timing=True)[0], program.run(DATA))

    check()


def test_the_model_runs_nvcc_s_code(tmp_path):
    programs = {f"kernel{seed}": Program(Random(seed)) for seed in range(40)}
    source = tmp_path / "programs.cu"
    source.write_text(FUNCTION + "".join(program.source(name) for name, program in programs.items()))
    image = nvcc_makes(source, tmp_path / "programs.cubin")
    timed, untimed = (outputs(image, list(programs), timing=timing) for timing in (True, False))
    for (name, program), *words in zip(programs.items(), timed, untimed, strict=True):
        want = program.run(DATA)
        for got in words:
            np.testing.assert_array_equal(got, want, err_msg=name)


RECURSION = """__device__ __noinline__ unsigned deep(unsigned r, unsigned times) {
    return times ? deep(r * 3, times - 1) + times : r;
}
extern "C" __global__ void kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], r = x ^ i, way = (x >> 12) & 3;
    unsigned all = __ballot_sync(0xffffffffu, r & 1);
    if (r & 1) {
        unsigned same = __match_any_sync(all, way);
        switch (way) {
        case 0: r = deep(r, x & 3); break;
        case 1: r = deep(r, x & 3); break;
        case 2: r += __match_any_sync(same, way) == same; __syncwarp(same); break;
        default: r += 5;
        }
        __syncwarp(all);
    }
    __syncwarp();
    out[i] = r;
}
"""


def recursion(x: int, i: int) -> int:
    """What one thread of it leaves."""

    def deep(r: int, times: int) -> int:
        return deep(r * 3, times - 1) + times if times else r

    r, way = x ^ i, x >> 12 & 3
    if r & 1:
        r = deep(r, x & 3) if way < 2 else r + 1 if way == 2 else r + 5
    return r & 0xFFFFFFFF


def test_lanes_of_one_call_do_not_wait_for_those_of_another(tmp_path):
    """Each call has the barrier register that its caller had, while lanes of other calls wait in it."""
    source = tmp_path / "recursion.cu"
    source.write_text(RECURSION)
    theirs = nvcc_makes(source, tmp_path / "recursion.cubin")
    ours = minicc.compile(source, arch="sm_90").cubin
    want = [recursion(int(x), i) for i, x in enumerate(DATA)]
    for image in (theirs, ours):
        assert outputs(image, ["kernel"], timing=True)[0].tolist() == want


BEFORE_A_CALL = """__device__ __noinline__ unsigned called(unsigned r, unsigned n) { return n ? r * n / 7 : r + 1; }
extern "C" __global__ void kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i], r;
    if (x & 3) r = __shfl_sync(0xffffffffu, x, 3); else r = __shfl_sync(0xffffffffu, i, 3);
    __syncwarp();
    out[i] = called(r, x & 3);
}
"""


def test_what_stands_before_a_call_is_not_copied_into_the_ways_to_it():
    image = minicc.compile(SourceFile("calls.cu", BEFORE_A_CALL), arch="sm_90")
    i = np.arange(DATA.size, dtype=np.uint32)
    given = np.where(DATA & 3, DATA, i)
    r = given.reshape(-1, 32)[:, 3].repeat(32)
    n = DATA & 3
    np.testing.assert_array_equal(outputs(image.cubin, ["kernel"], timing=True)[0], np.where(n, r * n // 7, r + 1))
