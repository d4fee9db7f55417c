"""Threads meet again before a CTA barrier although some paths end early (on an H200 the barrier fails otherwise)."""

import random
import re
from typing import Any

import numpy as np
import pytest

import minicc
from minicc import arch
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.graphs import dominators, natural_loops, postorder
from minicc.ptxas.control.check import check
from minicc.ptxas.lower import converge
from minicc.ptxas.lower.closed import Found, Loops
from minicc.ptxas.lower.rounds import rounds
from tests.ptxas.conftest import assemble
from tests.ptxas.lower.harness import device


def test_the_largest_loop_that_has_one_block_and_not_another() -> None:
    """On random graphs, within each loop and in all, beside the definition."""
    rng = random.Random(5)
    for _ in range(60):
        count = rng.randrange(3, 24)
        succs = [[n + 1] if n + 1 < count else [] for n in range(count)]
        for _ in range(count):
            n = rng.randrange(count)
            succs[n].append(min(max(0, n + rng.randrange(-6, 4)), count - 1))
        preds: list[list[int]] = [[n for n in range(count) if s in succs[n]] for s in range(count)]
        bodies = natural_loops(succs, preds, dominators(postorder(succs), preds))
        loops = Loops(bodies)
        for some in (bodies.keys(), *[bodies.keys() & body - {header} for header, body in bodies.items()]):
            for node in range(count):
                for end in range(count):
                    fit = [h for h in some if node in bodies[h] and end not in bodies[h]]
                    assert loops.outermost(node, end, some) == max(fit, key=lambda h: len(bodies[h]), default=None)


BODIES = {
    "unreachable": """switch (x & 3) { case 0: p[t + 64] = x * 3; break;
        case 1: for (int i = 0; i < x; i++) p[t + 64] += i * p[t]; break;
        case 2: p[t + 64] = x / 7; break; case 3: p[t + 64] = __popc(x) * p[0]; break; }""",
    "trap": "if (x & 1) { for (int i = 0; i < x; i++) p[i] += p[t]; if (p[t] == 77) __trap(); p[t + 64] = x; }",
    "return": 'if (x & 1) { if (x == 3) { p[t] = 9; asm volatile("exit;"); } for (int i = 0; i < x; i++) p[i]++; }',
}


WAYS = (
    """for (int i = 0; i < 9; i++) { if ((x + i) & 1) for (int j = 0; j < (x & 3); j++) atomicAdd(&p[j + 64 * i], x);
        atomicAdd(&p[i], t); }""",
    """for (int i = 0; i < 8; i++) { if ((x * i) & 2) for (int j = 0; j < (x & 7); j++) atomicSub(&p[j + 32 * i], x);
        atomicMax(&p[i + 1], t); }""",
)


def test_lanes_meet_within_each_way_that_ends():
    """A kernel of two ways, each with an end of its own, holds as many meetings as two kernels of one way."""
    head = "__global__ void k(int *p, int mode) { int t = threadIdx.x, x = p[t];"
    alone, both = [f"{head} {way} }}" for way in WAYS], f"{head} if (mode) {WAYS[0]} else {WAYS[1]} }}"
    met = [minicc.compile(SourceFile("k.cu", source)).sass.count("BSYNC") for source in (*alone, both)]
    assert met[0] + met[1] == met[2] >= 3


@pytest.mark.parametrize("name", BODIES)
def test_meeting_before_a_barrier(name):
    source = f"""__global__ void k(int *p) {{ __shared__ int s[64]; int t = threadIdx.x, x = p[t]; {BODIES[name]}
        s[t] = x; __syncthreads(); p[t + 128] = s[(t + 33) & 63]; }}"""
    text = minicc.compile(SourceFile("k.cu", source)).sass
    before = re.findall(r"\b(BSSY|BSYNC|BRA)\b", text.partition("BAR.SYNC")[0])
    assert before[-1] == "BSYNC"
    assert before.count("BSSY") <= before.count("BSYNC") + 1


MERGE = """extern "C" __global__ void merge(const int *a, const int *b, const int *n, int *out) {
    int t = threadIdx.x, i = 0, j = 0, m = n[t], k = 0, sum = 0;
    a += t; b += t;
    while (true) {
        if (i < m && a[i] <= b[j]) { sum += a[i] * ++k; i++; if (sum & 64) sum ^= b[i]; }
        else {
            if (j >= m) break;
            for (int l = 0; l < (b[j] & 3); l++) sum = sum * 5 + l;
            j++;
        }
        if (sum == 12345) { out[t] = -1; return; }
    }
    out[t] = sum * 64 + k;
}"""


def merged(a: np.ndarray, b: np.ndarray, n: np.ndarray, t: int) -> int:
    i = j = k = total = 0
    while True:
        if i < n[t] and a[t + i] <= b[t + j]:
            k += 1
            total += int(a[t + i]) * k
            i += 1
            total ^= int(b[t + i]) if total & 64 else 0
        else:
            if j >= n[t]:
                return total * 64 + k
            for extra in range(int(b[t + j]) & 3):
                total = total * 5 + extra & 0xFFFFFFFF
            j += 1
        if total == 12345:
            return -1


@pytest.mark.parametrize("options", ["", "-Xptxas -O0", "-Xptxas --sched=serial", "-Xptxas --ra=spill-all"])
def test_lanes_that_stay_in_a_loop_meet_each_round(options):
    """Merging lists: lanes on both sides of the `if` wait for one another at the end of a round, and those that leave
    the loop take themselves out."""
    random = np.random.default_rng(7)
    a, b = (np.sort(random.integers(0, 900, 256)).astype(np.int32) for _ in range(2))
    n = random.integers(0, 40, 128).astype(np.int32)
    image = minicc.compile(SourceFile("k.cu", MERGE), options=options)
    assert "BREAK" in image.sass
    for function in read_cubin(image.cubin, "k").functions:
        assert not check(function.code, arch.get("sm_90"))
    out = np.zeros_like(n)
    device().load(image.cubin)["merge"][(1,), (128,)](a, b, n, out)
    assert [int(x) & 0xFFFFFFFF for x in out] == [merged(a, b, n, t) & 0xFFFFFFFF for t in range(128)]


SEARCHES = """extern "C" __global__ void roots(const int *parent, const int *far, int *out, int turns) {
    int a = threadIdx.x, k = 0, sum = 0;
    do {
        while (parent[a] != a) a = parent[a];
        sum = sum * 3 + a;
        a = far[a];
    } while (++k < turns);
    out[threadIdx.x] = sum;
}"""


def test_lanes_meet_after_a_search_within_each_turn():
    """The loop around a search begins with the search and nothing before it: lanes whose search ends early wait for the
    others there, not at the end of their turn."""
    random = np.random.default_rng(11)
    parent = np.array([random.integers(max(0, i - 40), i + 1) for i in range(512)], np.int32)
    far = random.integers(0, 512, 512).astype(np.int32)
    image = minicc.compile(SourceFile("k.cu", SEARCHES))
    out = np.zeros(32, np.int32)
    result = device().load(image.cubin)["roots"][(1,), (32,)](parent, far, out, 12)
    want, steps = [], np.zeros((32, 12), int)
    for a in range(32):
        total, lane = 0, a
        for k in range(12):
            steps[lane, k] = 1
            while parent[a] != a:
                a = parent[a]
                steps[lane, k] += 1
            total = total * 3 + int(a)
            a = far[a]
        want.append(total & 0xFFFFFFFF)
    assert [int(x) & 0xFFFFFFFF for x in out] == want
    search, turn, around = 7, 14, 24  # instructions, at most
    assert result.stats["smsp__inst_executed.sum"] <= steps.max(axis=0).sum() * search + 12 * turn + around


WAITING = """extern "C" __global__ void lock(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0) ;
    __threadfence(); *(volatile int *)count = *(volatile int *)count + 1; __threadfence();
    atomicExch(lock, 0);
}
extern "C" __global__ void flags(volatile int *flag, int *out) {
    __shared__ volatile int ready[64];
    int t = threadIdx.x;
    ready[t] = 0;
    __syncthreads();
    if (t & 1) { while (flag[t - 1] == 0) ; out[t] = 7; } else { out[t] = 3; __threadfence(); flag[t] = 1; }
    if (t & 2) ready[t ^ 2] = 1; else while (!ready[t]) ;
}
extern "C" __global__ void turns(volatile int *turn, int *out) {
    int t = threadIdx.x;
    while (turn[0] != t) ;
    out[t] = t * turn[0]; __threadfence();
    turn[0] = t + 1;
}
extern "C" __global__ void counted(const int *n, int *sum) {
    for (int i = 0; i < n[threadIdx.x]; i++) atomicAdd(sum, i);
}
extern "C" __global__ void tries(const int *n, float *sum) {
    __shared__ float s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, (float)n[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *sum = s;
}"""


def test_lanes_that_wait_for_lanes_of_their_warp_let_them_run():
    """On an H200 nothing but YIELD does that; where the loop's end does not hang on other threads there is none, nor
    where a lane tries again because another has come through."""
    image = minicc.compile(SourceFile("k.cu", WAITING))
    loaded = device().load(image.cubin)
    held, count, flag, out = (np.zeros(64, np.int32) for _ in range(4))
    loaded["lock"][(1,), (64,)](held, count)
    assert count[0] == 64
    loaded["flags"][(1,), (64,)](flag, out)
    assert list(out) == [3, 7] * 32
    turn = np.zeros(1, np.int32)
    loaded["turns"][(1,), (64,)](turn, out)
    assert list(out) == [t * t for t in range(64)]
    n, total = np.arange(64, dtype=np.int32), np.zeros(1, np.int32)
    loaded["counted"][(1,), (64,)](n, total)
    assert total[0] == sum(i for t in range(64) for i in range(t))
    added = np.zeros(1, np.float32)
    loaded["tries"][(1,), (64,)](n, added)
    assert added[0] == sum(range(64))
    codes = {f.name: f.code for f in read_cubin(image.cubin, "k").functions}
    words = {name: [code[at : at + 2] for at in range(0, len(code), 16)] for name, code in codes.items()}
    has = {name: any(int.from_bytes(w, "little") & 0xFFF == 0x946 for w in words[name]) for name in words}
    assert has == {"lock": True, "flags": True, "turns": True, "counted": False, "tries": False}


SPINNING = {
    "yields": "if (t == 0) while (((volatile int *)p)[64] < 3);",
    "sleeps": "if (t == 0) while (atomicAdd(p + 64, 0) < 3) __nanosleep(20);",
}


@pytest.mark.parametrize("name", [*SPINNING, *BODIES])
def test_lanes_that_were_let_go_are_fetched_before_a_barrier(name):
    """As nvcc does: a BSYNC that waits for lanes which yield or sleep lets go, and BAR counts a warp when the first of
    its lanes comes (wrong results on an H200)."""
    body = SPINNING.get(name) or BODIES[name]
    source = f"""__global__ void k(int *p) {{ __shared__ int s[64]; int t = threadIdx.x, x = p[t]; {body}
        s[t] = x; __syncthreads(); p[t + 128] = s[(t + 33) & 63]; }}"""
    text = minicc.compile(SourceFile("k.cu", source)).sass
    assert ("WARPSYNC.ALL" in text.partition("BAR.SYNC")[0]) == (name in SPINNING)


@pytest.mark.parametrize("failed", ["", "failed: st.global.u32 [%rd1], %r1; trap;"])
def test_lanes_are_together_in_a_loop_that_ends_in_an_exit(failed: str) -> None:
    """They meet behind the `if` although no block follows the loop, so that the shuffle finds the warp whole. What a
    failed assertion comes to is no place to meet, though it does more than the loop's end."""
    way = "setp.eq.u32 %p1, %r1, 77; @%p1 bra failed;" if failed else ""
    turn = "setp.lt.u32 %p2, %r3, %r1; @%p2 bra head; bra.uni done;"
    leave = turn if failed else "setp.ge.u32 %p2, %r3, %r1; @%p2 bra done;"
    text = f""".version 8.0\n.target sm_90\n.address_size 64
    .visible .entry k(.param .u64 p, .param .u32 n) {{
        .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0;
        mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
        {way} bra.uni head;
    join: shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r5;
        {leave}
    head: ld.volatile.global.u32 %r4, [%rd1]; setp.lt.u32 %p1, %r4, %r2; @%p1 bra join;
        div.u32 %r4, %r4, %r2; atom.global.add.u32 %r4, [%rd1], %r4; st.global.u32 [%rd1+64], %r4; bra.uni join;
    done: ret; {failed}
    }}"""
    image = minicc.compile(SourceFile("k.ptx", text)).sass
    assert "WARPSYNC" not in image
    assert len(re.findall(r"\bBSYNC\b", image)) == 1 + bool(failed)


RANKS = """extern "C" __global__ void ranks(const int *__restrict__ key, int *__restrict__ rank) {
    __shared__ int count[2][16];
    int lane = threadIdx.x & 31, *mine = count[threadIdx.x >> 5];
    if (lane < 16) mine[lane] = 0;
    for (int i = 0; i < 4; i++) {
        __syncwarp();
        int digit = key[i * 64 + threadIdx.x] & 15;
        unsigned alike = __match_any_sync(~0u, digit);
        int before = __popc(alike & ((1u << lane) - 1)), base = mine[digit];
        __syncwarp();
        if (before == 0) mine[digit] = base + __popc(alike);
        rank[i * 64 + threadIdx.x] = base + before;
    }
}"""


def test_a_warp_in_step_waits_at_no_barrier_of_its_own():
    """It only keeps its accesses in order (nvcc has a NOP there): loads of constants pass it, and all come first."""
    image = minicc.compile(SourceFile("k.cu", RANKS))
    assert "WARPSYNC" not in image.sass
    assert image.sass.rindex("LDG.E.CONSTANT") < image.sass.index("MATCH.ANY")
    keys, ranks = np.random.default_rng(4).integers(0, 99, 256).astype(np.int32), np.zeros(256, np.int32)
    device().load(image.cubin)["ranks"][(1,), (64,)](keys, ranks)
    for warp in range(2):
        digits, found = (x.reshape(4, 2, 32)[:, warp].ravel() for x in (keys & 15, ranks))
        assert found.tolist() == [np.count_nonzero(digits[:i] == digits[i]) for i in range(128)]


def test_branches_that_meet_at_one_place_in_a_round_have_one_region(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that begin one in the other's body and go back at various places: each branch in each of them has to meet
    somewhere, and a set of blocks for each would grow with the cube of their number."""
    found: list[tuple[int, Found]] = []

    def noted(*given: Any) -> list[tuple[int, Found]]:
        found.extend(rounds(*given))
        return found

    monkeypatch.setattr(converge, "rounds", noted)
    count = 60
    turns = "".join(
        f"L{i}: add.u32 %b, %t, {i}; st.global.u32 [%x+{4 * i}], %b;"
        f"setp.lt.u32 %p, %b, %n; @%p bra L{max(0, i - 1 - i * 13 % 17)};"
        for i in range(count)
    )
    assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n)
{{
.reg .b64 %x; .reg .b32 %t, %b, %n; .reg .pred %p;
ld.param.u64 %x, [x]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;
{turns}
ret;
}}
"""
    )
    regions = [(header, start, end) for header, (start, end, _) in found]
    assert len(regions) > count / 2 and len(set(regions)) == len(regions)


SEARCH = """extern "C" __global__ void search(const int *a, const int *b, int *out, int n) {
    int t = threadIdx.x, own = b[t], found = -1;
    #pragma unroll
    for (int k = 1; k <= 6; k++)
        if (t + k < n && a[t + k] == a[t] && b[t + k] < own) {
            found = b[t + k] + b[t + 2 * k];
            break;
        }
    out[t] = found;
}"""


def test_lanes_meet_between_turns_of_a_search_that_is_written_out() -> None:
    """Each of six tests parts a warp further, if the lanes that go on do not meet before the next."""
    random = np.random.RandomState(1)
    a, b = random.randint(0, 2, 64).astype(np.int32), random.randint(0, 100, 64).astype(np.int32)
    n, out = 50, np.zeros(32, np.int32)
    want = [
        next((b[t + k] + b[t + 2 * k] for k in range(1, 7) if t + k < n and a[t + k] == a[t] and b[t + k] < b[t]), -1)
        for t in range(32)
    ]
    compiled = minicc.compile(SourceFile("search.cu", SEARCH))
    result = device().load(compiled.cubin)["search"][1, 32](a, b, out, np.int32(n))
    np.testing.assert_array_equal(out, want)
    assert result.stats["smsp__inst_executed.sum"] < 150
