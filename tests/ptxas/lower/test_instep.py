"""Exchanges among part of a warp: where all lanes that come to them come together, nothing gathers them."""

import numpy as np
import pytest

import minicc
from minicc.diagnostics import SourceFile
from tests.ptxas.lower.harness import device

FULL = (1 << 32) - 1


class Nested:
    """Random nested conditions and loops of lanes, with exchanges among all lanes that come by, and what they give."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.values = np.arange(32, dtype=np.uint32) * 37 + 11

    def body(self, lanes: np.ndarray, depth: int) -> str:
        return "".join(self.statement(lanes, depth) for _ in range(self.random.integers(1, 4)))

    def statement(self, lanes: np.ndarray, depth: int) -> str:
        """Source text of one; `values` are those behind it."""
        bit, kind = int(self.random.integers(0, 5)), self.random.integers(0, 6 if depth else 3)
        numbers, x = np.arange(32), self.values
        mask = sum(1 << int(lane) for lane in numbers[lanes])
        if kind == 0:
            x[lanes] = x[lanes] * 5 + numbers[lanes]
            return "x = x * 5 + lane;\n"
        if kind < 3:
            other = numbers ^ (1 << bit)
            x[lanes] = np.where(lanes[other], x + x[other], x)[lanes]
            there = f"{mask:#x}u >> (lane ^ {1 << bit}) & 1"
            return f"{{ unsigned y = __shfl_xor_sync({mask:#x}u, x, {1 << bit}); if ({there}) x += y; }}\n"
        chosen = lanes & (numbers >> bit & 1 == 1)
        if kind == 3:
            turns = numbers % 7
            for turn in range(7):
                x[lanes & (turns > turn)] ^= np.uint32(turn * 129)
            return "for (int i = 0; i < lane % 7; i++) { x ^= i * 129; p[64 + lane] = x; }\n"
        text = f"if (lane >> {bit} & 1) {{\n{self.body(chosen, depth - 1) if chosen.any() else ''}}}"
        rest = lanes & ~chosen
        return text + (f" else {{\n{self.body(rest, depth - 1)}}}\n" if kind == 4 and rest.any() else "\n")


@pytest.mark.parametrize("seed", range(12))
def test_random_exchanges_among_lanes_that_come_together(seed: int) -> None:
    program = Nested(seed)
    text = program.body(np.ones(32, bool), 4)
    source = f"""extern "C" __global__ void k(unsigned *p) {{ unsigned lane = threadIdx.x, x = lane * 37 + 11;
        {text} p[lane] = x; }}"""
    out = np.zeros(128, np.uint32)
    device().load(minicc.compile(SourceFile("k.cu", source)).cubin)["k"][(1,), (32,)](out)
    assert out[:32].tolist() == program.values.tolist()


SCAN = """extern "C" __global__ void k(const long long *x, long long *y, int n) {
    __shared__ long long sums[8];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int b = 0; b < n; b += 256) {
        long long v = x[b + threadIdx.x];
        for (int o = 1; o < 32; o <<= 1) { long long t = __shfl_up_sync(~0u, v, o); if (lane >= o) v += t; }
        if (lane == 31) sums[w] = v;
        __syncthreads();
        if (w == 0 && lane < 8) {
            long long s = sums[lane];
            for (int o = 1; o < 8; o <<= 1) { long long t = __shfl_up_sync(0xff, s, o); if (lane >= o) s += t; }
            sums[lane] = s;
        }
        __syncthreads();
        if (w) v += sums[w - 1];
        y[b + threadIdx.x] = v;
        __syncthreads();
    }
}"""
LOOP = """extern "C" __global__ void k(int *p) {
    int lane = threadIdx.x, x = p[lane];
    for (int i = 0; i < x; i++) if (p[i] & 1) { x += __shfl_xor_sync(p[64 + lane], x, 1); __syncwarp(p[65 + lane]); }
    p[lane] = x;
}"""


def test_lanes_are_gathered_only_where_they_may_come_one_by_one() -> None:
    """Lanes of a loop that some leave before others come there from several places."""
    assert "WARPSYNC" not in minicc.compile(SourceFile("k.cu", SCAN)).sass
    assert minicc.compile(SourceFile("k.cu", LOOP)).sass.count("WARPSYNC") >= 2


TILES = """extern "C" __global__ void k(const int *x, int *out) {
    int lane = threadIdx.x, at = lane & -WIDTH, turns = 0;
    unsigned mask = WIDTH == 32 ? ~0u : (1u << WIDTH) - 1 << at;
    do {
        int c = 0;
        for (int u = at; u < at + 20; u++) { if (x[u & 255] == turns + (lane & 3)) break; c++; }
        for (int o = WIDTH / 2; o; o /= 2) c += __shfl_down_sync(mask, c, o, WIDTH);
        c = __shfl_sync(mask, c, 0, WIDTH);
        at += c + 1;
        turns++;
    } while (at % 13 && turns < 9);
    out[lane] = at * 16 + turns;
}"""


@pytest.mark.parametrize("width", [8, 32])
def test_lanes_that_met_for_an_exchange_are_together_for_the_next(width: int) -> None:
    compiled = minicc.compile(SourceFile("k.cu", TILES.replace("WIDTH", str(width))))
    assert compiled.sass.count("WARPSYNC") == 1 and compiled.sass.count("SHFL") == width.bit_length()
    x = np.random.default_rng(1).integers(0, 9, 256).astype(np.int32)
    out = np.zeros(32, np.int32)
    device().load(compiled.cubin)["k"][(1,), (32,)](x, out)
    lanes, at, turns = np.arange(32), np.arange(32) & -width, np.zeros(32, int)
    running = np.ones(32, bool)
    while running.any():
        found = [next((i for i in range(20) if x[a + i & 255] == t + (lane & 3)), 20)
                 for lane, a, t in zip(lanes, at, turns, strict=True)]  # fmt: skip
        at = np.where(running, at + np.repeat(np.reshape(found, (-1, width)).sum(1), width) + 1, at)
        turns += running
        running &= (at % 13 != 0) & (turns < 9)
    assert out.tolist() == (at * 16 + turns).tolist()


COLLECTED = """extern "C" __global__ void k(unsigned *p, unsigned *out) {
    unsigned lane = threadIdx.x, x = p[lane], y = 0;
    if (lane & 1) y = __shfl_sync(~0u, x, lane ^ 2);
    p[lane] = x + 1;
    if (!(lane & 1)) y = __shfl_sync(~0u, x, lane ^ 2);
    unsigned z = __shfl_sync(~0u, y + x, lane ^ 1);
    out[lane] = __ballot_sync(~0u, z & 1);
}"""


def test_lanes_go_on_behind_a_collective_as_they_came() -> None:
    """No BSYNC waits for lanes that wait for others in one side's exchange: two parts of the warp come to the third."""
    x = np.random.default_rng(1).integers(0, 1 << 31, 32).astype(np.uint32)
    out, lanes = np.zeros(32, np.uint32), np.arange(32)
    z = (x + x[lanes ^ 2])[lanes ^ 1]
    device().load(minicc.compile(SourceFile("k.cu", COLLECTED)).cubin)["k"][(1,), (32,)](x, out)
    assert (out == sum(int(v & 1) << n for n, v in enumerate(z))).all()


SIDES = """extern "C" __global__ void k(const unsigned *p, unsigned *out, unsigned mask) {
    unsigned lane = threadIdx.x, x = p[lane];
    if (lane & 1) {
        if (x == 7) { out[lane] = x; return; }
        for (int n = x >> 8 & 3; n > 0; n--) x = p[x % 32] * 5;
    } else if (x & 4) {
        for (int n = x >> 9 & 3; n > 0; n--) x ^= p[x % 32] >> 1;
    }
    out[lane] = __ballot_sync(mask, x & 8);
}"""


def test_sides_that_come_from_meetings_of_their_own() -> None:
    """Lanes that leave in one of them keep the sides from being met as one region."""
    p, out = np.random.default_rng(3).integers(8, 1 << 31, 32).astype(np.uint32), np.zeros(32, np.uint32)
    device().load(minicc.compile(SourceFile("k.cu", SIDES)).cubin)["k"][(1,), (32,)](p, out, np.uint32(FULL))
    want = 0
    for lane, x in enumerate(map(int, p)):
        for _ in range(x >> 8 & 3 if lane & 1 else x >> 9 & 3 if x & 4 else 0):
            x = int(p[x % 32]) * 5 & FULL if lane & 1 else x ^ int(p[x % 32]) >> 1
        want |= (x >> 3 & 1) << lane
    assert (out == want).all()


WAITING = """extern "C" __global__ void k(const unsigned *words, const unsigned *masks, unsigned *out) {
    unsigned lane = threadIdx.x, w = words[lane], x = lane * 37 + 11;
    for (unsigned i = 0; i < (w >> 22 & 1); i++) {
        if (x >> 4 & 1) {
            if (w >> 26 & 1) break;
            x += __any_sync(masks[lane], (x & 8) == 0) * 77;
        }
        if (w >> 4 & 1) x += __reduce_xor_sync(masks[32 + lane], x >> 3);
        x += __reduce_add_sync(masks[64 + lane], x >> 3);
    }
    out[lane] = __ballot_sync(masks[96 + lane], x + 1 > 0);
    out[32 + lane] = x;
}"""


@pytest.mark.parametrize("seed", range(4))
def test_no_meeting_waits_for_lanes_that_wait_for_others(seed: int) -> None:
    """A BSYNC lets lanes go while others wait at a WARPSYNC."""
    words, lanes = np.random.default_rng(seed).integers(0, 1 << 32, 32, np.uint32), np.arange(32)
    inside, asked = words >> 22 & 1 == 1, (lanes * 37 + 11) >> 4 & 1 == 1
    stay = inside & ~(asked & (words >> 26 & 1 == 1))
    chosen = stay & asked, stay & (words >> 4 & 1 == 1), stay, lanes >= 0
    masks = np.array([np.where(some, sum(1 << int(lane) for lane in lanes[some]), 0) for some in chosen], np.uint32)
    out = np.zeros(64, np.uint32)
    device().load(minicc.compile(SourceFile("k.cu", WAITING)).cubin)["k"][(1,), (32,)](words, masks, out)
    assert (out[:32] == sum(1 << lane for lane in range(32) if out[32 + lane] != FULL)).all()
