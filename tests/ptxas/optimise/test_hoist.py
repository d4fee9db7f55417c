"""Loads made before a branch: random rows of conditions give the same results and take less time."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from minicc import arch
from minicc.binary import read_cubin, write_cubin
from minicc.diagnostics import SourceFile
from minicc.sass import decode_all
from tests.ptxas.conftest import assemble, checked

THREADS = 64
WORDS = 256
"""Of each input."""
LONG = "for (int j = 0; j < (v & 3); j++) sum = sum * 5 + b[(v + j) & 255];"
"""A body that stays a branch."""


def program(seed: int) -> str:
    """A kernel with a row of steps that load, ask, and do something if the answer is yes."""
    rng = random.Random(seed)
    steps = []
    for step in range(rng.randint(2, 6)):
        index = rng.choice([f"tid + {step}", f"(tid * {step + 1}) & 255", "sum & 255", f"v & {63 + 64 * step & 255}"])
        body = rng.choice([
            LONG,
            LONG,
            f"if (b[v & 255] & 1) {{ {LONG} }}",
            f"e[tid] = v; {LONG}",
            f"if (v & 2) {{ {LONG} }} else sum ^= b[v & 127];",
        ])  # fmt: skip
        load = rng.choice([f"a[{index}]", f"b[{index}]", "e[tid]"])
        steps.append(f"v = {load}; sum += v; if (v % {rng.choice([2, 3, 5])} == 0) {{ {body} }}")
        if rng.random() < 0.15:
            steps.append("if (sum == 77) return;")
        if rng.random() < 0.15:
            steps.append("__syncthreads();" if "return" not in " ".join(steps) else "__threadfence();")
    restrict = rng.choice(["", "__restrict__"])
    around = rng.choice(["", "for (int i = 0; i < n; i++)"])
    return f"""
extern "C" __global__ void k(const int *{restrict} a, const int *{restrict} b, int *e, int *out, int n)
{{
    int tid = threadIdx.x, sum = 0, v = 0;
    {around} {{ {" ".join(steps)} }}
    out[tid] = sum;
}}
"""


def images(text: str) -> tuple[bytes, bytes]:
    """With the pass and without."""
    early, plain = (
        minicc.compile(SourceFile("k.k", text), arch="sm_90", options=f"-Xptxas --verify-passes {words}").cubin
        for words in ("", "-Xptxas --disable=hoist")
    )
    return early, plain


def results(image: bytes) -> tuple[bytes, ...]:
    """What a launch leaves in memory; inputs end where indices do, so a load beyond is a fault."""
    device = runtime.Device("sm_90", hazards="report")
    rng = np.random.RandomState(1)
    a, b = (rng.randint(0, 1 << 20, WORDS).astype(np.int32) for _ in range(2))
    e, out = np.zeros(THREADS, np.int32), np.zeros(THREADS, np.int32)
    result = device.load(image)["k"][1, THREADS](a, b, e, out, np.int32(3))
    assert not result.hazards
    return a.tobytes(), e.tobytes(), out.tobytes()


def test_results_stay() -> None:
    changed = 0
    for seed in range(40):
        early, plain = images(program(seed))
        changed += early != plain
        assert early == plain or results(early) == results(plain), seed
    assert changed >= 8


def test_loads_of_unrolled_turns_pass_together() -> None:
    """Four turns around a condition wait once."""
    text = f"""extern "C" __global__ void k(const int *__restrict__ a, const int *b, int *e, int *out, int n)
    {{
        int tid = threadIdx.x, sum = 0;
#pragma unroll 4
        for (int i = 0; i < 64; i++) {{ int v = a[i + tid]; if (v & 1) {{ {LONG} }} }}
        out[tid] = sum;
    }}"""
    cycles = []
    for image in images(text):
        out = np.zeros(THREADS, np.int32)
        a, b = 2 * np.arange(WORDS, dtype=np.int32), np.zeros(WORDS, np.int32)
        cycles.append(runtime.Device("sm_90").load(image)["k"][1, THREADS](a, b, out, out, np.int32(0)).cycles)
    assert cycles[0] < 0.9 * cycles[1]


def test_a_load_passes_a_logarithm() -> None:
    """The weight of a logarithm of doubles, whose branches lie between, comes with what it is of."""
    text = """extern "C" __global__ void k(const int *a, const int *b, int *e, int *out, int n)
    {
        int tid = threadIdx.x;
        double sum = 0;
        for (int i = 0; i < 8; i++)
            sum += log(1.0 + a[tid + 16 * i]) * b[tid + 16 * i];
        out[tid] = (int)sum;
    }"""
    early, plain = images(text)
    assert results(early) == results(plain)
    launches = [runtime.Device("sm_90").load(image)["k"] for image in (early, plain)]
    words, out = np.arange(WORDS, dtype=np.int32), np.zeros(THREADS, np.int32)
    cycles = [kernel[1, THREADS](words, words, out, out, np.int32(0)).cycles for kernel in launches]
    assert cycles[0] < 0.9 * cycles[1]


STAYS = (
    # Who leaves before it does not load.
    "int v = a[tid]; if (v & 1) { BODY } if (sum > n) return; out[tid] = a[sum & 255];",
    # Stored to, by this thread, by any name.
    "int v = a[tid]; if (v & 1) { BODY out[sum & 63] = v; } out[tid] = b[tid + 1] + sum;",
    # By another one, before a barrier.
    "int v = a[tid]; if (v & 1) { BODY } __syncthreads(); out[tid] = a[tid ^ 1] + sum;",
    # Volatile loads stay where they are.
    "int v = a[tid]; if (v & 1) { BODY } out[tid] = *(volatile int *)(a + (tid ^ 1)) + sum;",
)


@pytest.mark.parametrize("body", STAYS)
def test_what_may_not_be_read_early_stays(body: str) -> None:
    text = f"""extern "C" __global__ void k(int *a, int *b, int *out, int n) {{
        int tid = threadIdx.x, sum = 0;
        {body.replace("BODY", LONG)}
    }}"""
    early, plain = images(text)
    assert early == plain


def loops(seed: int) -> str:
    """A kernel with a loop or two that threads leave at different places, and that count what is asked for outside."""
    rng = random.Random(seed)

    def leave(counter: str) -> str:
        reason = rng.choice([f"a[({counter} * {rng.randint(1, 5)} + tid) & 255] % {rng.randint(3, 9)} == 1", "x > 90",
                             f"({counter} ^ tid) == 37", "(x & 31) == 7"])  # fmt: skip
        way = rng.choice(["break;", "break;", "{ y = x; break; }", "{ out[tid] = x; return; }"])
        return f"if ({reason}) {way}"

    def loop(counter: str, depth: int) -> str:
        step, start = rng.choice([1, 1, 2, 3, -1]), rng.choice(["0", "tid & 3", "1"])
        until = f"{counter} < {rng.choice(['n', '20', 'n + (tid & 7)'])}"
        head = f"for ({counter} = {start}; {until}; {counter} += {step})"
        if step < 0:
            head = f"for ({counter} = 20; {counter} > tid % 5; {counter}--)"
        parts = [leave(counter), f"x = x * 3 + {counter};", leave(counter), f"y += b[(x + {counter}) & 255] & 15;"]
        if depth and rng.random() < 0.5:
            parts.insert(rng.randrange(4), loop("j", 0))
        return f"{head} {{ {' '.join(rng.sample(parts, rng.randint(2, len(parts))))} }}"

    return f"""
extern "C" __global__ void k(const int *a, const int *b, int *e, int *out, int n)
{{
    int tid = threadIdx.x, x = tid, y = 0, i = 0, j = 0;
    n += 20;
    {rng.choice(["", "#pragma unroll 1"])}
    {loop("i", 1)}
    e[tid] = {rng.choice(["i", "i + j", "0"])};
    out[tid] = x + 5 * y;
}}
"""


def test_results_of_loops_that_are_left_stay() -> None:
    changed = 0
    for seed in range(40):
        early, plain = images(loops(seed))
        changed += early != plain
        assert early == plain or results(early) == results(plain), seed
    assert changed >= 16


def test_counting_passes_with_the_condition() -> None:
    """The counter and its compare wait for nothing, and the exit's condition for nothing of theirs."""
    text = """extern "C" __global__ void k(const int *a, const int *b, int *e, int *out, int n)
    {
        float x = threadIdx.x * 0.002f, y = 0.3f;
        int i;
#pragma unroll 1
        for (i = 0; i < 400 + n; i++) {
            float t = x * x - y * y - 0.8f;
            y = 2 * x * y + 0.156f;
            x = t;
            if (x * x + y * y > 4)
                break;
        }
        out[threadIdx.x] = i;
    }"""
    cycles, counts = [], []
    for image in images(text):
        out, words = np.zeros(THREADS, np.int32), np.zeros(WORDS, np.int32)
        cycles.append(runtime.Device("sm_90").load(image)["k"][1, THREADS](words, words, out, out, np.int32(3)).cycles)
        counts.append(out.tolist())
    assert counts[0] == counts[1]
    assert cycles[0] < 0.9 * cycles[1]


def test_only_a_counter_that_the_next_condition_asks_for_is_set_back() -> None:
    """Lanes that leave one by one each take the way on which that is done."""
    source = """extern "C" __global__ void k(const int *x, int *out, int n, int mask) {
        int u, c = 0, v = x[threadIdx.x];
        for (u = threadIdx.x; u < n; u += 3) { if (x[u & mask] == v) break; c++; }
        out[threadIdx.x] = WHICH;
    }"""

    def taken_back(which: str) -> int:
        sass = minicc.compile(SourceFile("k.cu", source.replace("WHICH", which)), arch="sm_90").sass
        return len(re.findall(r"(IADD3|VIADD) R\d+, R\d+, -", sass))

    assert taken_back("c") == 0 and taken_back("u") == 1


def test_the_next_point_is_made_while_it_is_asked_whether_this_one_leaves() -> None:
    """Sums and products of doubles, too, for which who leaves has no use: they wait for nothing that the exit's
    condition waits for."""
    text = """extern "C" __global__ void k(const int *a, const int *b, int *e, int *out, int n)
    {
        double c = threadIdx.x * 0.02 - 1.5, x = 0, y = 0.5;
        int k;
        for (k = 0; k < n; k++) {
            double a = x * x, b = y * y;
            if (a + b >= 4)
                break;
            y = 2 * x * y + 0.25;
            x = a - b + c;
        }
        out[threadIdx.x] = k;
    }"""
    cycles, counts = [], []
    for image in images(text):
        out, words = np.zeros(THREADS, np.int32), np.zeros(WORDS, np.int32)
        cycles.append(runtime.Device("sm_90").load(image)["k"][1, THREADS](words, words, out, out, np.int32(40)).cycles)
        counts.append(out.tolist())
    assert counts[0] == counts[1] and len(set(counts[0])) > 5
    assert cycles[0] < 0.93 * cycles[1]


def test_what_belongs_to_a_call_stays_with_it() -> None:
    """The return address is a constant, but only beside its call."""
    text = """
__device__ __noinline__ int even(int x) { return x / 3; }
__device__ __noinline__ int odd(int x) { return x * 7 + 1; }
__device__ int (*const ways[])(int) = {even, odd};
extern "C" __global__ void k(const int *a, const int *b, int *e, int *out, int n)
{
    unsigned live = ~0u;
    int r = threadIdx.x;
    for (int i = 0;; i++) {
        unsigned on = __ballot_sync(live, i < (r & n));
        if (i >= (r & n)) break;
        live = on;
        r = ways[r & 1](r);
    }
    out[threadIdx.x] = r;
}
"""
    early, plain = images(text)
    assert results(early) == results(plain)


def test_divisions_keep_no_load_waiting(tmp_path: Path) -> None:
    """Loads that stand behind several divisions are made before the first: their long paths are seldom gone."""
    source = """
//! x = f32(arange(96))
//! out = zeros(32, f32)
//! f[1, 32](x, out, f32(6), f32(2), f32(3))
//! i = arange(32)
//! expect(out, f32(3 * i + 2 * (i + 32) + 1.5 * (i + 64)), rel=1e-6)
__global__ void f(const float *x, float *out, float a, float b, float c) {
    int i = threadIdx.x;
    float s = a / b * x[i];
    s += a / c * x[i + 32];
    s += c / b * x[i + 64];
    out[i] = s;
}
"""
    code = checked(tmp_path, source)
    last = max(at for at, mnemonic in enumerate(code) if mnemonic == "LDG")
    assert code.count("CALL") == 3 and last < code.index("BRA")


def test_what_follows_slow_operations_fills_the_time(tmp_path: Path) -> None:
    """Both roots and the sum of products are under way before the first branch to a long path, which gives the same."""
    source = """
//! n = 256
//! a = where(arange(n) % 5 == 0, f32(1e-40), uniform(0, 9, n, f32))
//! b = where(arange(n) % 7 == 0, f32(1e-41), uniform(0, 9, n, f32))
//! o = zeros(n, f32)
//! f[1, n](a, b, o)
//! x = f64(a)
//! y = f64(b)
//! expect(o, sqrt(x) + sqrt(y) * (((y * 3 + 1) * y + 2) * y + 1), rel=1e-5)
__global__ void f(const float *a, const float *b, float *o) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    o[i] = sqrtf(x) + sqrtf(y) * (((y * 3 + 1) * y + 2) * y + 1);
}
"""
    code = checked(tmp_path, source)
    first = code[: code.index("BRA")]
    assert first.count("MUFU") == 2 and first.count("FFMA") > 6


def test_what_fills_the_time_of_many_divisions_takes_few_registers(tmp_path: Path) -> None:
    """Turns of an unrolled loop do not all bring theirs before the first one's division."""
    source = """
//! a = uniform(1, 2, (24, 64), f32)
//! out = zeros((24, 64), f32)
//! f[1, 64](a, out)
//! m = f64(a)
//! s = zeros(64, f64)
//! for i in range(12):
//!     s = (s + m[i] * m[i + 3] + m[i + 5]) / m[i] + (m[i + 1] * m[i + 7] - m[i]) * s + m[i + 2] * m[i + 4] + m[i + 11]
//! expect(out, m * s, rel=1e-3)
__global__ void f(const float *a, float *out) {
    float m[24], s = 0;
    for (int i = 0; i < 24; i++) m[i] = a[i * 64 + threadIdx.x];
    for (int i = 0; i < 12; i++) {
        float u = m[i] * m[i + 3] + m[i + 5], v = m[i + 1] * m[i + 7] - m[i], w = m[i + 2] * m[i + 4] + m[i + 11];
        s = (s + u) / m[i] + v * s + w;
    }
    for (int i = 0; i < 24; i++) out[i * 64 + threadIdx.x] = m[i] * s;
}
"""
    checked(tmp_path, source)
    early, plain = (read_cubin(image, "k").functions[0].registers for image in images(source))
    assert early <= plain + 4


TWO_STEPS = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out)
{
.reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .pred %p<4>;
ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2; mov.u32 %r1, 0; mov.u32 %r2, 0;
LOOP: ld.global.u32 %r3, [%rd0]; add.u64 %rd0, %rd0, 4; add.u32 %r2, %r2, %r3;
and.b32 %r4, %r3, 7; setp.eq.u32 %p1, %r4, 3; @%p1 bra OUT;
FIRST; and.b32 %r4, %r3, 16; setp.eq.u32 %p2, %r4, 0; @%p2 bra ON; xor.b32 %r2, %r2, %r3; ON:
add.u32 %r1, %r1, 2; setp.lt.u32 %p3, %r1, 60; @%p3 bra LOOP;
OUT: mad.lo.u32 %r2, %r2, 1000, %r1; st.global.u32 [%rd1], %r2; ret;
}
"""


@pytest.mark.parametrize("first", ["add.u32 %r1, %r1, 1", "shl.b32 %r1, %r1, 1"])
def test_a_counter_that_is_changed_twice_in_a_turn(first: str) -> None:
    """Who leaves has neither been counted once too often nor once only."""
    x = np.random.default_rng(3).integers(0, 256, WORDS).astype(np.uint32)
    out = np.zeros(THREADS, np.uint32)
    program = assemble(TWO_STEPS.replace("FIRST", first))
    runtime.Device("sm_90", timing=False).load(write_cubin(program))["k"][1, THREADS](x, out)
    for lane in range(THREADS):
        at, count, total = lane, 0, 0
        while True:
            value, at = int(x[at]), at + 1
            total += value
            if value & 7 == 3:
                break
            count = (count + 1 if "add" in first else count * 2) + 2
            total ^= value if value & 16 else 0
            if count >= 60:
                break
        assert out[lane] == total * 1000 + count & 0xFFFFFFFF


def test_nothing_is_left_between_a_way_out_and_where_others_meet() -> None:
    """What stood there was asked for by nobody."""
    text = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{
.reg .b32 %r<9>; .reg .pred %p<4>; .reg .b64 %at;
ld.param.u64 %at, [x]; mov.u32 %r0, 0; ld.global.u32 %r1, [%at]; ld.global.u32 %r2, [%at+4];
setp.gt.s32 %p0, %r1, 3; setp.gt.s32 %p1, %r2, 5;
LOOP: @%p0 bra NEXT;
st.global.u32 [%at+8], %r0;
@%p1 bra OUT;
add.u32 %r5, %r1, %r2;
NEXT: atom.global.add.u32 %r6, [%at+12], %r0; setp.eq.u32 %p0, %r6, 9; add.u32 %r0, %r0, 1;
setp.lt.u32 %p3, %r0, %r2; @%p3 bra LOOP;
OUT: st.global.u32 [%at+16], %r0; ret;
}
"""
    words = np.array([0, 4, 7, 5, 7], np.uint32)
    runtime.Device().load(write_cubin(assemble(text)))["k"][1, 1](words)
    assert words.tolist() == [0, 4, 3, 11, 4]


def test_nothing_is_loaded_before_the_wait_for_the_grid_before() -> None:
    """Until then what a kernel loads as constant may change. What comes before the wait is not kept waiting."""
    long = "".join(f"st.global.u32 [%at+{4 * n}], %r1; add.u32 %r1, %r1, %r1;" for n in range(40))
    text = f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{{
.reg .b32 %r<9>; .reg .pred %p<4>; .reg .b64 %at;
ld.param.u64 %at, [x]; ld.global.u32 %r1, [%at]; ld.global.nc.u32 %r2, [%at+4]; setp.gt.s32 %p0, %r1, 3;
@%p0 bra MET;
{long}
MET: griddepcontrol.wait; ld.global.nc.u32 %r3, [%at+8]; add.u32 %r3, %r3, %r2; st.global.u32 [%at+16], %r3; ret;
}}
"""
    program = assemble(text)
    (function,) = read_cubin(write_cubin(program), "k").functions
    code = decode_all(function.code, arch.get("sm_90"))
    wait = next(n for n, inst in enumerate(code) if inst.mnemonic == "ACQBULK")
    loads = [n for n, inst in enumerate(code) if inst.mnemonic == "LDG" and "CONSTANT" in inst.modifiers]
    assert len(loads) == 2 and loads[0] < wait < loads[1]
