"""How many registers a function is given where nothing says it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import minicc
import runtime
from minicc.arch.schema import Arch
from minicc.binary import read_cubin, write_cubin
from minicc.diagnostics import SourceFile
from minicc.ptxas.mir import MFunction
from minicc.ptxas.registers.need import Need
from minicc.ptxas.schedule import lean
from minicc.ptxas.schedule.facts import Facts
from minicc.ptxas.schedule.trial import Trial, Trials
from tests.conftest import SAMPLES
from tests.ptxas.conftest import assemble

VALUES, STEPS, LANES = 64, 8, 128


def test_known_blocks_leave_room_for_half_of_the_warps() -> None:
    """Sixty-four loads under way together take more than that; a few of them later take a warp hardly longer."""
    loads = "".join(f"ld.global.f32 %f{k}, [%rd0+{4 * LANES * k}];" for k in range(VALUES))
    steps = "".join(f"fma.rn.f32 %f{k}, %f{k}, %f{k}, 0f3e80000{n};" for k in range(VALUES) for n in range(STEPS))
    stores = "".join(f"st.global.f32 [%rd0+{4 * LANES * k}], %f{k};" for k in range(VALUES))
    program = assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) .reqntid {LANES}
{{
.reg .b64 %rd<2>; .reg .f32 %f<{VALUES}>; .reg .b32 %t;
ld.param.u64 %rd0, [x]; mov.u32 %t, %tid.x; mad.wide.u32 %rd0, %t, 4, %rd0;
{loads}
{steps}
{stores}
ret;
}}
"""
    )
    assert program.functions[0].registers <= 64
    x = np.random.RandomState(1).random_sample(VALUES * LANES).astype(np.float32) / 8
    y, want = x.copy(), x.astype(np.float64)
    runtime.Device("sm_90").load(write_cubin(program))["k"][1, LANES](y)
    for n in range(STEPS):
        want = want * want + float(np.array(0x3E800000 + n, np.uint32).view(np.float32))
    assert np.allclose(y, want, rtol=1e-5)


@pytest.mark.parametrize("count", [40, 42, 43])
def test_a_long_function_leaves_room_for_two_blocks_if_gaps_alone_take_more(count: int) -> None:
    """So many numbers and the addresses that they go back to are live over 2,000 operations."""
    loads = "".join(
        f"ld.global.u32 %i{k}, [%rd0+{4 * LANES * k}];mad.wide.u32 %a{k}, %i{k}, 4, %rd0; ld.global.f32 %f{k}, [%a{k}];"
        for k in range(count)
    )
    step = "fma.rn.f32 %f{}, %f{}, %f{}, %f{};"
    steps = "".join(
        step.format(k, (7 * k + 3) % count, k, (5 * k + 1) % count) for _ in range(50) for k in range(count)
    )
    stores = "".join(f"st.global.f32 [%a{k}+4096], %f{k};" for k in range(count))
    program = assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{{
.reg .b64 %rd<2>; .reg .b64 %a<{count}>; .reg .b32 %i<{count}>; .reg .f32 %f<{count}>; .reg .b32 %t;
ld.param.u64 %rd0, [x]; mov.u32 %t, %tid.x; mad.wide.u32 %rd0, %t, 4, %rd0;
{loads}{steps}{stores}
ret;
}}
"""
    )
    assert program.functions[0].registers <= 128


@pytest.mark.parametrize("known", ["", ".reqntid 256"])
@pytest.mark.parametrize("count", [140, 240])
def test_what_one_operation_makes_is_made_again_for_more_warps(known: str, count: int) -> None:
    """A hash that takes so many words twice, each a word of the message and a constant: an SM has room for 16 warps."""
    words, keys = 16, [0x9E3779B9 * (k + 1) % (1 << 32) for k in range(count)]
    made = "".join(f"xor.b32 %k{k}, %m{k % words}, {key};" for k, key in enumerate(keys))
    loads = "".join(f"ld.global.u32 %m{k}, [%rd0+{4 * k}];" for k in range(words))
    step = "add.u32 %v, %v, %k{}; shf.l.wrap.b32 %w, %v, %v, 7; xor.b32 %v, %w, %k{};"
    steps = "".join(step.format(k, (7 * k + 3) % len(keys)) for _ in range(2) for k in range(len(keys)))
    program = assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {known}
{{
.reg .b64 %rd<1>; .reg .b32 %m<{words}>; .reg .b32 %k<{len(keys)}>; .reg .b32 %v; .reg .b32 %w;
ld.param.u64 %rd0, [x]; mov.u32 %v, 0;
{loads}{made}{steps}
st.global.u32 [%rd0], %v;
ret;
}}
"""
    )
    assert program.functions[0].registers <= 128
    x = np.random.RandomState(2).randint(0, 1 << 31, words).astype(np.uint32)
    table = [int(x[k % words]) ^ key for k, key in enumerate(keys)]
    want = 0
    for k in [*range(len(keys))] * 2:
        want = (want + table[k]) % (1 << 32)
        want = (want << 7 | want >> 25) % (1 << 32) ^ table[(7 * k + 3) % len(keys)]
    runtime.Device("sm_90").load(write_cubin(program))["k"][1, 256 if known else 32](x)
    assert x[0] == want


WINDOW = """
__global__ void k(int count, const float *in, int height, int width, int rows, int columns, int high, int wide,
                  int stride, float *out, int *where)
{
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += blockDim.x * gridDim.x) {
        int x = at % columns, y = at / columns % rows;
        int top = y * stride, left = x * stride, below = min(top + high, height), right = min(left + wide, width);
        const float *plane = in + at / columns / rows * height * width;
        float most = -1.0f;
        int found = -1;
        for (int h = top; h < below; ++h)
            for (int w = left; w < right; ++w)
                if (plane[h * width + w] > most) {
                    found = h * width + w;
                    most = plane[found];
                }
        out[at] = most;
        where[at] = found;
    }
}
"""


def test_divisions_in_a_row_do_not_all_begin_at_once() -> None:
    """Eight quotients by what lanes of the warp have, each of which needs five predicates on its way."""
    text = """__global__ void k(int *o, const int *a, int n) {
        int sum[8] = {}, t = threadIdx.x;
        for (int i = 0; i < n; i++)
        #pragma unroll
            for (int j = 0; j < 8; j++) {
                int all = __shfl_sync(~0u, a[0], i), some = __shfl_sync(~0u, a[1], i);
                sum[j] += (t + j * blockDim.x) / all % some * __shfl_sync(~0u, a[2], i);
            }
        #pragma unroll
        for (int j = 0; j < 8; j++) o[t + j * blockDim.x] = sum[j];
    }"""
    made = minicc.compile(SourceFile("k.cu", text)).cubin
    assert max(f.registers for f in read_cubin(made, "k").functions) <= 84


def test_loads_of_what_unrolling_leaves_over_take_no_registers_elsewhere() -> None:
    """Each of nine guarded loads would keep one over all loops, as its value is compared in any case; and what holds a
    launch parameter is made again where it is used, which leaves room for five eighths of all warps."""
    made = minicc.compile(SourceFile("k.cu", WINDOW), arch="sm_90").cubin
    assert max(f.registers for f in read_cubin(made, "k").functions) <= 48
    size, rows = 9, 4
    x = np.random.RandomState(3).random_sample((2, size, size)).astype(np.float32)
    out, where = np.zeros((2, rows, rows), np.float32), np.zeros((2, rows, rows), np.int32)
    count = out.size
    runtime.Device("sm_90").load(made)["k"][1, 32](count, x, size, size, rows, rows, 3, 3, 2, out, where)
    for plane, row, column in np.ndindex(*out.shape):
        window = x[plane, 2 * row : 2 * row + 3, 2 * column : 2 * column + 3]
        assert out[plane, row, column] == window.max()
        assert x[plane].flat[where[plane, row, column]] == window.max()


def test_blocks_of_1024_threads_can_be_launched_for_a_few_spills() -> None:
    """Eighteen rows fetched together, of which each turn takes one: two or four registers too many for such blocks."""
    rows = range(18)
    fetch = "".join(
        f"v{k} = *(const __half2 *)&values[stride * (t + {k} * step) + i]; w{k} = weights[t + {k} * step];\n"
        for k in rows
    )
    cases = "".join(f"case {k}: v = __half22float2(v{k}); w = w{k}; break;\n" for k in rows)
    source = f"""#include <cuda_fp16.h>
__global__ void mix(const __half *values, const float *weights, float *out, int width, int stride, int length)
{{
    __shared__ float x[32], y[32];
    for (int i = 2 * threadIdx.x; i < width; i += 64) {{
        if (threadIdx.y == 0)
            x[threadIdx.x] = y[threadIdx.x] = 0;
        __syncthreads();
        float2 sum = {{0, 0}};
        {"".join(f"__half2 v{k}; float w{k};" for k in rows)}
        int step = blockDim.y, t = threadIdx.y;
        for (int turn = 0; turn < length / step - {rows[-1]}; t += step, turn++) {{
            if (turn % {len(rows)} == 0) {{
                {fetch}
            }}
            float2 v; float w;
            switch (turn % {len(rows)}) {{
                {cases}
            }}
            sum.x += v.x * w;
            sum.y += v.y * w;
        }}
        for (; t < length; t += step) {{
            float2 v = __half22float2(*(const __half2 *)&values[stride * t + i]);
            sum.x += v.x * weights[t];
            sum.y += v.y * weights[t];
        }}
        atomicAdd(&x[threadIdx.x], sum.x);
        atomicAdd(&y[threadIdx.x], sum.y);
        __syncthreads();
        if (threadIdx.y == 0)
            *(float2 *)&out[i] = make_float2(x[threadIdx.x], y[threadIdx.x]);
    }}
}}
"""
    length, width = 32 * 20, 64
    random = np.random.RandomState(1)
    values, weights = random.random_sample((length, width)).astype(np.float16), random.random_sample(length)
    out, weights = np.zeros(width, np.float32), weights.astype(np.float32)
    kernel = runtime.Device("sm_90").load(minicc.compile(SourceFile("mix.cu", source), arch="sm_90"))["mix"]
    kernel[1, (32, 32)](values, weights, out, width, width, length)
    assert np.allclose(out, weights.astype(np.float64) @ values.astype(np.float64), rtol=1e-4)


@pytest.mark.parametrize("foreseen", [True, False])
def test_the_leanest_order_is_found_once(foreseen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a function that is tried with fewer registers again and again, for whichever limit; and not at all where so
    many values go from block to block that no order of their instructions can help."""
    if not foreseen:
        monkeypatch.setattr(Need, "between", lambda self, live: 0)
    run, asked = lean.run, []

    def noted(function: MFunction, arch: Arch, facts: Facts) -> None:
        asked.append([(inst, inst.srcs) for block in function.blocks for inst in block.insts])
        run(function, arch, facts)

    monkeypatch.setattr(lean, "run", noted)
    live = range(56)
    loads = "".join(f"ld.global.f32 %f{k}, [%rd0+{4 * k}];" for k in live)
    tests = "".join(f"setp.gt.f32 %p, %f{k}, 0f00000000; @%p bra L; add.f32 %g, %g, %f{k};" for k in live)
    stores = "".join(f"st.global.f32 [%rd0+{4 * k}], %f{k};" for k in live)
    assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{{
.reg .b64 %rd<1>; .reg .f32 %f<{len(live)}>; .reg .f32 %g; .reg .pred %p;
ld.param.u64 %rd0, [x]; mov.f32 %g, 0f00000000;
{loads}{tests}
L: st.global.f32 [%rd0+4096], %g;
{stores}
ret;
}}
"""
    )
    assert bool(asked) != foreseen and all(a != b for n, a in enumerate(asked) for b in asked[:n])


PRODUCT = """__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}"""


@pytest.mark.parametrize("source", [PRODUCT, (SAMPLES / "sha256.k").read_text()])
def test_an_order_that_waits_too_long_gets_no_registers(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of matrices has many loads under way. With fewer registers they would wait for one another, which is
    seen before those are given: only the usual order has them. What always issues gains nothing from more warps."""
    of, given = Trials.of, set()

    def noted(self: Trials, most: float = inf, *, local: float = inf) -> Trial:
        given.add(self.function.budget)
        return of(self, most, local=local)

    monkeypatch.setattr(Trials, "of", noted)
    minicc.compile(SourceFile("k.cu", source), arch="sm_90")
    assert given == {None}


IMAGES = """
__global__ void k(double *out, const double *at, const double *to, const double *cell, const double *inverse, int n,
                  int many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double least = 1e9, a[3], sums[12] = {};
    for (int d = 0; d < 3; d++)
        a[d] = inverse[3 * d] * at[3 * i] + inverse[3 * d + 1] * at[3 * i + 1] + inverse[3 * d + 2] * at[3 * i + 2];
    for (int j = 0; j < many; j++) {
        for (int k = 0; k < 12; k++) sums[k] += to[3 * j + k] * a[k % 3];
        double f[3], g[3], s[3], p[3][3][3];
        for (int d = 0; d < 3; d++) {
            f[d] = inverse[3 * d] * to[3 * j] + inverse[3 * d + 1] * to[3 * j + 1] + inverse[3 * d + 2] * to[3 * j + 2];
            f[d] -= floor(f[d]);
            g[d] = a[d] - floor(a[d]);
        }
        for (int d = 0; d < 3; d++) s[d] = g[0] * cell[d] + g[1] * cell[3 + d] + g[2] * cell[6 + d];
        for (int m = 0; m < 3; m++)
            for (int c = 0; c < 3; c++)
                for (int d = 0; d < 3; d++) p[m][c][d] = (f[c] + m - 1) * cell[3 * c + d];
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++)
                for (int z = 0; z < 3; z++) {
                    double u = p[x][0][0] + p[y][1][0] + p[z][2][0] - s[0],
                           v = p[x][0][1] + p[y][1][1] + p[z][2][1] - s[1],
                           w = p[x][0][2] + p[y][1][2] + p[z][2][2] - s[2];
                    least = min(least, u * u + v * v + w * w);
                }
    }
    for (int k = 0; k < 12; k++) least += sums[k];
    out[i] = least;
}
"""


def test_the_order_as_it_stands_leaves_room_for_blocks_of_512_threads() -> None:
    """The least distance over 27 images of a cell, and a dozen sums: with all registers that it may have, 138."""
    program = minicc.compile(SourceFile("k.k", IMAGES), arch="sm_90").cubin
    kernel = runtime.Device("sm_90").load(program)["k"]
    assert kernel.registers <= 128 and not kernel.local
    random = np.random.RandomState(3)
    n, many = 32, 3
    at, to, cell = random.random_sample((n, 3)) * 9, random.random_sample((many + 4, 3)) * 9, np.diag([3.0, 4.0, 5.0])
    inverse = np.diag(1 / cell.diagonal())
    out = np.zeros(n)
    kernel[1, n](out, at.ravel(), to.ravel(), cell.ravel(), inverse.ravel(), n, many)
    apart = (at @ inverse)[:, None] - (to[:many] @ inverse)
    nearest = ((apart - np.rint(apart)) @ cell) ** 2
    sums = sum(to.ravel()[3 * j + k] * (at @ inverse)[:, k % 3] for j in range(many) for k in range(12))
    assert np.allclose(out, nearest.sum(2).min(1) + sums)


def test_blocks_of_1024_threads_can_be_launched_for_a_long_function() -> None:
    """A lattice of nineteen directions, whose code is too long to be tried for the sake of more warps."""
    all_ = [(x, y, z) for x in (0, 1, -1) for y in (0, 1, -1) for z in (0, 1, -1)]
    steps = [step for far in range(3) for step in all_ if np.abs(step).sum() == far]
    x, y, z = (", ".join(str(step[k]) for step in steps) for k in range(3))
    source = f"""
__global__ void collide(const float *__restrict__ f, float *__restrict__ out, int nx, int ny, int nz, float rate)
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int all = nx * ny * nz;
    const int cx[19] = {{{x}}}, cy[19] = {{{y}}}, cz[19] = {{{z}}};
    float g[19], r = 0, u = 0, v = 0, w = 0;
    #pragma unroll
    for (int k = 0; k < 19; k++) {{
        int from = (z - cz[k] + nz) % nz * ny + (y - cy[k] + ny) % ny;
        g[k] = f[k * all + from * nx + (x - cx[k] + nx) % nx];
        r += g[k]; u += cx[k] * g[k]; v += cy[k] * g[k]; w += cz[k] * g[k];
    }}
    u /= r; v /= r; w /= r;
    #pragma unroll
    for (int k = 0; k < 19; k++) {{
        float along = 3 * (cx[k] * u + cy[k] * v + cz[k] * w);
        float weight = k == 0 ? 1.f / 3 : k < 7 ? 1.f / 18 : 1.f / 36;
        float rest = weight * r * (1 + along + 0.5f * along * along - 1.5f * (u * u + v * v + w * w));
        out[k * all + (z * ny + y) * nx + x] = g[k] - rate * (g[k] - rest);
    }}
}}
"""
    shape = (2, 16, 32)  # z, y, x
    f = np.random.RandomState(1).uniform(0.5, 1, (19, *shape)).astype(np.float32)
    out = np.zeros_like(f)
    kernel = runtime.Device("sm_90").load(minicc.compile(SourceFile("collide.cu", source), arch="sm_90"))["collide"]
    kernel[1, (32, 16, 2)](f, out, *reversed(shape), np.float32(1.2))
    moved = np.array(
        [np.roll(plane, step[::-1], (0, 1, 2)) for plane, step in zip(f.astype(float), steps, strict=True)]
    )
    total = moved.sum(0)
    mean = np.einsum("kd,kzyx->dzyx", steps, moved) / total
    along = 3 * np.einsum("kd,dzyx->kzyx", steps, mean)
    weight = np.array([1 / 3] + 6 * [1 / 18] + 12 * [1 / 36])[:, None, None, None]
    rest = weight * total * (1 + along + along**2 / 2 - 1.5 * (mean**2).sum(0))
    assert np.allclose(out, moved - 1.2 * (moved - rest), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("n", "threads", "most", "function", "term"),
    [
        (16, 1024, 64, "exp", "b{0} * a{1} / (a{0} + b{2})"),
        (22, 1024, 64, "sqrt", "b{0} * a{1} * b{2}"),
        (37, 512, 128, "exp", "b{0} * a{1} / (a{0} + b{2})"),
    ],
)
def test_a_long_function_leaves_room_for_blocks_of_many_threads(
    n: int, threads: int, most: int, function: str, term: str
) -> None:
    """Sixteen exponentials and quotients of doubles: three quarters of an SM's cycles with 64 registers instead of 90,
    some of them kept in local memory, since nothing says that fewer than 1,024 threads share it; 22 roots, instead of
    100. Of 37 exponentials a warp alone takes longer with 128 registers instead of 174, but blocks of 512 threads would
    be refused."""
    rows = "".join(f"double a{k} = in[t + {k} * n], b{k} = {function}(a{k});\n" for k in range(n))
    total = " + ".join(term.format(k, (k + 1) % n, (k + 2) % n) for k in range(n))
    text = f"""__global__ void k(double *out, const double *in, int n) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        if (t >= n) return;
        {rows} out[t] = {total};
    }}"""
    kernel = runtime.Device("sm_90").load(minicc.compile(SourceFile("k.cu", text), arch="sm_90"))["k"]
    assert kernel.registers <= most
    x = np.random.RandomState(1).uniform(0.1, 1, (n, threads))
    out, f = np.zeros(threads), getattr(np, function)(x)
    kernel[1, threads](out, x, threads)
    values = {f"a{k}": x[k] for k in range(n)} | {f"b{k}": f[k] for k in range(n)}
    assert np.allclose(out, eval(total, values), rtol=1e-13)


@pytest.mark.parametrize("neighbours", [8, 12])
def test_what_stands_before_loads_that_wait_for_one_another_takes_no_registers_at_once(neighbours: int) -> None:
    """Each load may read what the store before it has written. The addresses of all could be made in the first wait,
    where they take more registers than two blocks of 1,024 threads have."""
    at = [f"t {'+' if k % 2 else '-'} w {'+' if k % 3 else '-'} {k}u" for k in range(neighbours)]
    steps = "".join(f"if (in[{index}] >= low) out[{index}] = 9;\n" for index in at)
    text = f"""using word = unsigned short;
    __global__ void k(word *out, const word *in, word low, unsigned w, unsigned n) {{
        unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
        if (t < 2 * w || t >= n - 2 * w) return;
        {steps}
    }}"""
    kernel = runtime.Device("sm_90").load(minicc.compile(SourceFile("k.cu", text), arch="sm_90"))["k"]
    assert kernel.registers <= 32
    n, w, low = 2048, 64, 700
    x = np.random.RandomState(5).randint(0, 1000, n).astype(np.uint16)
    out = np.zeros(n, np.uint16)
    kernel[2, 1024](out, x, np.uint16(low), w, n)
    want = np.zeros(n, np.uint16)
    for t in range(2 * w, n - 2 * w):
        for k in range(neighbours):
            index = t + (w if k % 2 else -w) + (k if k % 3 else -k)
            if x[index] >= low:
                want[index] = 9
    assert (out == want).all()


def test_a_long_function_that_just_passes_all_warps_by_leaves_room_for_them() -> None:
    """A polynomial of 300 coefficients: few are live in its own order, 35 registers with those that are under way."""
    text = """extern __shared__ float4 s[];
    __global__ void k(float *o) {
        float x = o[threadIdx.x], y = o[threadIdx.x + 256], r = 0;
    #pragma unroll
        for (int k = 0; k < 100; k++) r = ((r * s[k].x + x) * s[k].y + y) * s[k].z + s[k].w;
        o[threadIdx.x] = r;
    }"""
    made = minicc.compile(SourceFile("k.cu", text)).cubin
    assert read_cubin(made, "k").functions[0].registers <= 32


def test_the_leanest_order_leaves_room_for_all_warps_where_none_that_hides_latency_does() -> None:
    """Bytes by seven threads a group, with two barriers a turn: of four turns together the addresses are made early."""
    source = """struct Row { unsigned char at[7]; };
__global__ void k(unsigned char *out, const unsigned char *bits, const Row *rows, int n) {
    __shared__ unsigned char s[32][7];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 7, group = i % blockDim.x / 7, at = i / 7 * 7;
    for (int k = 0; k < n / (int)(blockDim.x * gridDim.x); k++, at += blockDim.x * gridDim.x) {
        s[group][lane] = bits[at + lane];
        __syncthreads();
        int row = s[group][0] * 8 + s[group][1] * 4 + s[group][3] * 2 + s[group][4];
        int low = s[group][2] * 4 + s[group][5] * 2 + s[group][6];
        if (rows[row * 8 + low].at[lane]) out[at + lane] |= 1; else out[at + lane] &= 254;
        __syncthreads();
    }
}"""
    (function,) = read_cubin(minicc.compile(SourceFile("k.cu", source)).cubin, "k").functions
    assert function.registers <= 32
