"""Loads a round ahead: random loops give the same results, read nothing that they would not, and take less time."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from minicc import arch
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from tests.bench.quality import KERNELS
from tests.conftest import SAMPLES
from tests.end_to_end.harness import run_script

THREADS = 64
WORDS = 512
"""Of each input."""
STEPS = (
    ("i + tid", "int i = 0;", "i < n", "i += {step};"),
    ("i + tid", "int i = n - 1;", "i >= 0", "i -= {step};"),
    ("k & 511", "int i = 0, k = tid;", "i < n", "k = k * 5 + {step}; i += 8;"),
    ("p", "int i = 0; long long p = tid;", "i < n", "p += {step}; i += {step};"),
    ("p", "int i = n; long long p = n - 1 + tid;", "i > 0", "i -= {step}; if (i > 0) p = i;"),
)
"""Index, what comes first, whether another round comes, how it is stepped to."""


def program(seed: int) -> str:
    """A kernel with a loop of rounds that load, put what they loaded into shared memory or add it up, and step on."""
    rng = random.Random(seed)
    index, start, again, on = rng.choice(STEPS)
    loads = []
    for v in range(rng.randint(1, 4)):
        source = rng.choice("abc")
        load = rng.choice([
            f"{source}[{index}]",
            f"((i + {v}) & 3) != 0 ? {source}[{index}] : {v}",
            f"((const short *){source})[({index}) * 2 + 1]",
            f"d[{source}[{index}] & 511]",
        ])  # fmt: skip
        loads.append(f"int v{v} = {load};")
    used = " + ".join(f"v{v} * {rng.choice([1, 3, 7])}" for v in range(len(loads)))
    shared = rng.random() < 0.6
    work = [f"sum = sum * 3 + ({used});"]
    if shared:
        work = [
            f"t[tid] = {used};",
            "__syncthreads();",
            "sum += t[tid ^ 1] + t[(tid + 5) & 63] * 2;",
            "__syncthreads();",
        ]
    leave = "if (__syncthreads_or(v0 == 77)) break;" if shared else "if (v0 & 1) break;"
    others = (
        (0.3, "for (int j = 0; j < (i & 3); j++) sum = sum * 5 + j;"), (0.3, "last = v0;"), (0.3, "sum ^= i;"),
        (0.2, "e[tid] = sum;"), (0.1 if shared else 0.3, leave),
    )  # fmt: skip
    work += [text for share, text in others if rng.random() < share]
    restrict = rng.choice(["", "__restrict__"])
    # One bound for all where there are barriers; a bound for each where there are none.
    bound = "total" if shared else "total - tid % 7"
    return f"""
extern "C" __global__ void k(const int *{restrict} a, const int *{restrict} b, const int *{restrict} c,
                             const int *{restrict} d, int *{restrict} e, int *{restrict} out, int total)
{{
    __shared__ int t[{THREADS}];
    int tid = threadIdx.x, sum = tid, last = 0, n = {bound};
    {start}
#pragma unroll 1
    while ({again}) {{
        {" ".join([*loads, *work])}
        {on.format(step=rng.choice([1, 3, 8]))}
    }}
    out[tid] = sum + last;
}}
"""


def results(image: bytes, total: int) -> tuple[bytes, bytes]:
    """What a launch leaves in `e` and `out`; a load beyond an input is a fault."""
    device = runtime.Device("sm_90", hazards="report")
    rng = np.random.RandomState(total)
    inputs = [rng.randint(0, 1 << 20, total + THREADS - 1 if name < 3 else WORDS).astype(np.int32) for name in range(4)]
    e, out = np.zeros(THREADS, np.int32), np.zeros(THREADS, np.int32)
    result = device.load(image)["k"][1, THREADS](*inputs, e, out, np.int32(total))
    assert not result.hazards
    return e.tobytes(), out.tobytes()


@pytest.mark.parametrize("seed", range(24))
def test_results_stay(seed: int) -> None:
    text = program(seed)
    total = random.Random(seed).choice([1, 2, 9, 100]) if "k & 511" not in text else WORDS - THREADS + 1
    ahead, plain = (
        minicc.compile(SourceFile("k.k", text), arch="sm_90", options=f"-Xptxas --verify-passes {words}").cubin
        for words in ("", "-Xptxas --disable=ahead")
    )
    assert results(ahead, total) == results(plain, total)


def test_random_loops_are_rotated() -> None:
    changed = 0
    for seed in range(24):
        ahead, plain = (
            minicc.compile(SourceFile("k.k", program(seed)), arch="sm_90", options=words).cubin
            for words in ("", "-Xptxas --disable=ahead")
        )
        changed += ahead != plain
    assert changed >= 8


STORED = (
    # In the loop, by whatever name.
    "for (int i = 0; i < n; i++) { t[tid] = a[i + tid]; __syncthreads(); out[i + tid] = t[tid ^ 1]; __syncthreads(); }",
    # By another thread, before the first barrier of the loop.
    "out[tid] = n; for (int i = 0; i < n; i++) { t[tid] = a[i ^ tid]; __syncthreads(); n -= t[1]; __syncthreads(); }",
    # Volatile loads stay where they are.
    "volatile int *v = a; for (int i = 0; i < n; i++) { t[tid] = v[i ^ tid]; __syncthreads(); n -= t[1]; }",
)  # fmt: skip


@pytest.mark.parametrize("body", STORED)
def test_what_may_be_stored_to_is_not_read_early(body: str) -> None:
    text = f"""__global__ void k(int *a, int *out, int n) {{
        __shared__ int t[64]; int tid = threadIdx.x;
        {body}
        out[tid] = n + t[tid];
    }}"""
    ahead, plain = (
        minicc.compile(SourceFile("k.k", text), arch="sm_90", options=words).cubin
        for words in ("", "-Xptxas --disable=ahead")
    )
    assert ahead == plain


@pytest.mark.parametrize("path", [KERNELS / "matmul_f64.k", SAMPLES / "sgemm_tiled.k"], ids=lambda path: path.stem)
def test_latency_of_tiles_passes_beside_products(path: Path) -> None:
    cycles = {}
    for words in ("", "-Xptxas --disable=ahead"):
        image = minicc.compile(path, arch="sm_90", options=words).cubin
        outcome = run_script(path, image)
        assert all(check.ok for check in outcome.checks) and not outcome.launches[0].result.hazards
        cycles[words] = outcome.launches[0].result.cycles
        code = instructions(read_cubin(image, path.name).functions[0].code, arch.get("sm_90"))
        loads = [inst for inst in code if inst.mnemonic == "LDG"]
        assert len(loads) == (2 if words else 4)
        assert sum(inst.guard.index != 7 for inst in loads) >= (0 if words else 2)
    assert cycles[""] < 0.93 * cycles["-Xptxas --disable=ahead"]


def test_a_barrier_brings_what_another_warp_stores() -> None:
    """One warp stores, the other one loads between barriers: nothing may be loaded before its barrier."""
    bar = 'asm volatile("bar.sync 1, 64;" ::: "memory");'
    text = f"""
extern "C" __global__ void k(int *buffer, int *out, int n)
{{
    int lane = threadIdx.x & 31, sum = 0;
    if (threadIdx.x < 32) {{
#pragma unroll 1
        for (int i = 0; i < n; i++) {{
            buffer[lane] = i * 32 + lane + 1;
            {bar}
            {bar}
        }}
    }} else {{
#pragma unroll 1
        for (int i = 0; i < n; i++) {{
            {bar}
            sum = sum * 3 + buffer[lane];
            {bar}
        }}
        out[lane] = sum;
    }}
}}"""
    device = runtime.Device("sm_90")
    buffer, out = device.buffer(np.zeros(32, np.int32)), device.buffer(np.zeros(32, np.int32))
    device.load(minicc.compile(SourceFile("k.k", text)).fatbin)["k"][1, 64](buffer, out, np.int32(6))
    want = np.zeros(32, np.int32)
    for i in range(6):
        want = want * 3 + i * 32 + np.arange(32, dtype=np.int32) + 1
    np.testing.assert_array_equal(out.numpy(), want)
