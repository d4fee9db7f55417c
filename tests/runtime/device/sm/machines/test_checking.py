"""Checked runs: each wrong kernel is found out, at its lines, and nothing is said of it once it is mended; random
programs of loads, stores and barriers race exactly where two warps meet in one interval between barriers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc.diagnostics import SourceFile

WRONG = """
// A barrier is missing between all stores and all loads.
__shared__ float s[256];
s[t] = a[t];                               //! read_after_write write_after_read unwritten_shared
mend __syncthreads();
o[t] = s[255 - t];                         //! read_after_write write_after_read unwritten_shared

// A tile is stored while others still read the one before.
__shared__ float s[256];
float x = 0;
for (int k = 0; k < 4; k++) {
  s[t] = a[t];                             //! read_after_write write_after_read
  __syncthreads();
  x += s[t ^ 64];                          //! read_after_write write_after_read
  mend __syncthreads();
}
o[t] = x;

// A sum by halves without a barrier a step.
__shared__ float s[256];
s[t] = a[t];
__syncthreads();
for (int d = 128; d > 0; d /= 2) {
  if (t < d) s[t] += s[t + d];             //! write_after_read read_after_write
  mend __syncthreads();
}
o[t] = s[0];                               //! read_after_write write_after_read

// Atomics are done when all have come to a barrier.
__shared__ float sum;
if (t == 0) sum = 0;
__syncthreads();
atomicAdd(&sum, a[t]);                     //! read_after_write write_after_read
mend __syncthreads();
o[t] = sum;                                //! read_after_write write_after_read

// An accumulator that nobody cleared.
__shared__ int n;
mend if (t == 0) n = 0;
mend __syncthreads();
atomicAdd(&n, 1);                          //! unwritten_shared
__syncthreads();
o[t] = n;

// The edges of a window.
__shared__ float s[258];
s[t + 1] = a[t];
mend if (t == 0) s[0] = s[257] = 0;
__syncthreads();
o[t] = s[t] + s[t + 2];                    //! unwritten_shared

// Lanes of one warp store different values to one place.
__shared__ int first;
mend if (t == 3)
if (t < 32) first = t;                     //! one_store
__syncthreads();
o[t] = first;

// One barrier for half of a warp.
__shared__ float s[256];
float x = s[t] = a[t];
mend __syncthreads();
if (t % 2) {
  bad __syncthreads();                     //! divergent_barrier
  x = s[t ^ 64];
}
o[t] = x + s[t ^ 1];

// In front of the array.
__shared__ float s[256];
s[t] = a[t];
__syncthreads();
int k = t - 1;
mend k = t ? k : 0;
o[t] = s[k];                               //! reserved_shared

// A lock that some do not take.
__shared__ int lock, n;
if (t == 0) lock = n = 0;
__syncthreads();
if (t % 32 == 0) {
  mend while (atomicCAS(&lock, 0, 1)) ;
  n = n + 1;                               //! read_after_write write_after_read write_after_write
  mend atomicExch(&lock, 0);
}
__syncthreads();
o[t] = n;
"""
KERNELS = [part.strip().split("\n") for part in WRONG.split("\n\n")]


def findings(body: list[str], **options: Any) -> tuple[Any, ...]:
    """What a checked run of one block of 256 threads finds; line n of the body is line n of the file."""
    head = "__global__ void wrong(float *o, const float *a) { int t = threadIdx.x; " + body[0]
    source = SourceFile("wrong.cu", "\n".join([head, *body[1:], "}"]))
    gpu = runtime.Device(check=True)
    kernel = gpu.load(minicc.compile(source, options="-lineinfo"))["wrong"]
    result: tuple[Any, ...] = kernel[1, 256](np.zeros(256, np.float32), np.ones(256, np.float32)).findings
    return result


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel[0][3:].rstrip("."))
def test_a_wrong_kernel_is_found_out_where_it_is_wrong(kernel: list[str]) -> None:
    lines = ["", *kernel[1:]]
    said = {n: set(line.partition("//!")[2].split()) for n, line in enumerate(lines, 1) if "//!" in line}
    wrong = ["" if line.strip().startswith("mend ") else line.replace("bad ", "") for line in lines]
    found = findings(wrong)
    assert found
    for finding in found:
        assert finding.kind in said[int(finding.place.partition(":")[2])], finding.text
        assert not finding.other_place or int(finding.other_place.partition(":")[2]) in said, finding.text
        assert finding.place in finding.text
    mended = ["" if line.strip().startswith("bad ") else line.replace("mend ", "") for line in lines]
    assert findings(mended) == ()


def test_what_nobody_wrote_in_device_memory() -> None:
    gpu = runtime.Device(check=True)
    text = "__global__ void copy(int *o, const int *a) { o[threadIdx.x] = a[threadIdx.x]; }"
    copy = gpu.load(minicc.compile(SourceFile("copy.cu", text)))["copy"]
    a, b, c = gpu.empty(64, np.int32), gpu.zeros(64, np.int32), gpu.empty(64, np.int32)
    a[:40] = np.arange(40)
    (finding,) = copy[1, 64](b, a).findings
    assert (finding.kind, finding.thread, finding.address, finding.count) == (
        "unwritten_global", (40, 0, 0), a.address + 160, 24,
    )  # fmt: skip
    assert copy[1, 64](c, b).findings == () and copy[1, 64](a, c).findings == () and copy[1, 64](b, a).findings == ()
    address = a.address
    a.free()
    again = gpu.empty(64, np.int32)
    assert again.address == address and copy[1, 64](b, again).findings


WARPS, WORDS = 4, 3
ACCESS = st.tuples(st.integers(0, WARPS - 1), st.sampled_from("rwa"), st.integers(0, WORDS - 1))
"""Warp, read, write or add, word."""


@settings(max_examples=25, deadline=None)
@example([[(0, "a", 1), (1, "a", 1), (1, "r", 1)]])
@given(st.lists(st.lists(ACCESS, max_size=4), min_size=1, max_size=4))
def test_two_warps_race_if_they_meet_between_barriers(intervals: list[list[tuple[int, str, int]]]) -> None:
    body = ["__shared__ int s[3]; int x = 0; if (t < 3) s[t] = 0; __syncthreads();"]
    does = {
        "r": "x += *(volatile int *)&s[{}];",
        "w": "*(volatile int *)&s[{}] = t & ~31;",
        "a": "atomicAdd(&s[{}], 1);",
    }
    for interval in intervals:
        body += [f"if (t / 32 == {warp}) {does[what].format(word)}" for warp, what, word in interval]
        body.append("__syncthreads();")
    body.append("o[t] = x;")

    def race(one: tuple[int, str, int], other: tuple[int, str, int]) -> bool:
        apart = one[0] != other[0] and one[2] == other[2]
        return apart and {one[1], other[1]} not in ({"r"}, {"a"})

    want = {
        frozenset((first + m, first + n))
        for first, interval in _numbered(intervals)
        for m, one in enumerate(interval)
        for n, other in enumerate(interval[:m])
        if race(one, other)
    }
    found = findings(body)
    got = {frozenset(map(int, re.findall(r"wrong.cu:(\d+)", f"{one.place} {one.other_place}"))) for one in found}
    assert got <= want, "what is found is a race"
    racing = {word for pair in want for word in [_word(intervals, min(pair))]}
    assert {one.address // 4 for one in found} >= racing if len(racing) == 1 else bool(found) == bool(want)


def _numbered(intervals: list[list[tuple[int, str, int]]]) -> list[tuple[int, list[tuple[int, str, int]]]]:
    """Each interval with the line of its first access."""
    out, line = [], 2
    for interval in intervals:
        out.append((line, interval))
        line += len(interval) + 1
    return out


def _word(intervals: list[list[tuple[int, str, int]]], line: int) -> int:
    return next(part[line - first][2] for first, part in _numbered(intervals) if first <= line < first + len(part))


def test_a_run_that_is_not_checked_has_no_findings_and_a_gpu_has_another_tool() -> None:
    gpu = runtime.Device(timing=False)
    text = "__global__ void k(int *o) { __shared__ int s[2]; *o = s[1]; }"
    assert gpu.load(minicc.compile(SourceFile("k.cu", text)))["k"][1, 1](np.zeros(1, np.int32)).findings == ()
    with pytest.raises(runtime.LaunchError, match="compute-sanitizer"):
        runtime.Device("cuda:0", check=True)
