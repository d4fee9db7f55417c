"""Which short bodies run under a guard, and that they give the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from minicc import sass
from minicc.binary import read_cubin, write_cubin
from minicc.diagnostics import SourceFile
from tests.ptxas.conftest import ARCH, assemble, checked

TEXT = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n)
{
.shared .align 4 .u32 s[64];
.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;
ld.param.u64 %rd0, [x]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8;
add.s64 %rd0, %rd0, %rd1; shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.s32 %r6, %r6, %r5;
ld.global.u32 %r7, [%rd0]; st.shared.u32 [%r6], %r7;
setp.ge.u32 %p0, %r1, %r0;
@%p0 bra JOIN;
BODY
JOIN: ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd0+4], %r7;
ret;
}
"""
FAR = "ld.global.u32 %r2, [%rd0]; ld.global.u32 %r3, [%rd0+4]; mad.lo.s32 %r4, %r2, %r3, %r1; xor.b32 %r4, %r4, %r3;"
NEAR = FAR.replace("global", "shared").replace("[%rd0]", "[%r6]").replace("[%rd0+4]", "[%r6]")
STORE = "st.shared.u32 [%r6], %r4;"


@pytest.mark.parametrize(
    ("body", "after", "branches"),
    [
        (FAR + STORE, "", 1), (NEAR + STORE, "", 0), ("st.shared.u32 [%r6], 5;", "", 0),
        (FAR + STORE, "bar.sync 0;", 0),
    ],
)  # fmt: skip
def test_far_loads_that_are_stored_keep_their_branch(body: str, after: str, branches: int) -> None:
    """Unless a barrier comes next, at which the others would wait for them in any case."""
    program = assemble(TEXT.replace("BODY", body).replace("JOIN: ", "JOIN: " + after))
    code = sass.decode_all(program.functions[0].code, ARCH)
    assert sum(i.mnemonic == "BRA" and i.guard.index != 7 for i in code) == branches
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    x = np.arange(1, 129, dtype=np.uint32)
    y = x.copy()
    kernel[1, 64](y, np.uint32(40))
    tid = np.arange(64, dtype=np.uint32)
    a, b = x[0::2], x[1::2] if body.startswith("ld.global") else x[0::2]
    inside = (a * b + tid) ^ b if body.startswith("ld") else np.full(64, 5, np.uint32)
    assert np.array_equal(y[1::2], np.where(tid < 40, inside, a))


def test_a_tile_is_filled_by_two_guarded_loads_that_wait_together(tmp_path: Path) -> None:
    """The second jumps past the other side of the condition around both."""
    source = """
//! a = i32(arange(64) * 7 % 31)
//! b = i32(arange(64) * 5 % 29)
//! o = zeros(64, i32)
//! f[1, 64](a, b, o, 40, 50, 60)
//! t = arange(64)
//! x = where(t < 40, a, 0)
//! y = where(t < 50, b, 0)
//! expect(o, where(t < 60, 3 * x + y, 0))
__global__ void f(const int *a, const int *b, int *o, int n, int m, int k) {
    __shared__ int s[64], r[64];
    int t = threadIdx.x;
    if (t < k) {
        s[t] = t < n ? 3 * a[t] : 0;
        r[t] = t < m ? b[t] : 0;
    } else {
        s[t] = 0;
        r[t] = 0;
    }
    __syncthreads();
    o[t] = s[t] + r[t];
}
"""
    names = checked(tmp_path, source)
    loads = [n for n, name in enumerate(names) if name == "LDG"]
    assert len(loads) == 2 and loads[1] < names.index("STS", loads[0])


@pytest.mark.parametrize(
    ("slow", "branches"), [("cvt.rn.f64.s64 %f, %d; mul.rn.f64 %f, %f, %f; cvt.rni.s64.f64 %d, %f;", 1), ("", 0)]
)
def test_what_slow_units_compute_in_a_loop_with_barriers_is_passed_by(slow: str, branches: int) -> None:
    """A sine's large argument is reduced in such a body: no lane needs it, and it would take a third of the time."""
    far = "ld.global.nc.u32 %r2, [%rd0]; cvt.u64.u32 %d, %r2;" + "mad.lo.s64 %d, %d, %rd0, %rd1;" * 5 + slow
    text = TEXT.replace(".reg .pred", ".reg .b64 %d; .reg .f64 %f; .reg .pred")
    text = text.replace("@%p0 bra JOIN;", "mov.u64 %d, 7; mov.u32 %r8, 3; LOOP: @%p0 bra JOIN;").replace("BODY", far)
    back = "bar.sync 0; cvt.u32.u64 %r3, %d; st.shared.u32 [%r6], %r3; add.s32 %r8, %r8, -1;"
    back += " setp.ne.s32 %p1, %r8, 0; @%p1 bra LOOP;"
    program = assemble(text.replace("JOIN: ", "JOIN: " + back))
    code = sass.decode_all(program.functions[0].code, ARCH)
    assert sum(i.mnemonic == "BRA" and i.guard.index != 7 for i in code) == 1 + branches


def test_loads_behind_a_continue_are_made_together(tmp_path: Path) -> None:
    """All others' distances: the turn that is a thread's own is seldom, so that nothing goes around the loads."""
    source = """
//! p = i32(arange(96) * 37 % 101)
//! best = zeros(32, i32)
//! f[1, 32](p, best, 32)
//! j, i = meshgrid(arange(32), arange(32))
//! x = p[3 * i] - p[3 * j]
//! y = p[3 * i + 1] - p[3 * j + 1]
//! z = p[3 * i + 2] - p[3 * j + 2]
//! d = x * x + y * y + z * z
//! expect(best, min(where(i == j, 1 << 30, 32 * d + j), 1))
__global__ void f(const int *p, int *best, int n) {
    int me = threadIdx.x, which = -1, least = 1 << 24;
    int x = p[3 * me], y = p[3 * me + 1], z = p[3 * me + 2];
    for (int i = 0; i < n; i++) {
        if (i == me) continue;
        int dx = x - p[3 * i], dy = y - p[3 * i + 1], dz = z - p[3 * i + 2], d = dx * dx + dy * dy + dz * dz;
        if (d < least) { least = d; which = i; }
    }
    best[me] = 32 * least + which;
}
"""
    code = checked(tmp_path, source)
    assert "BSSY" not in code
    assert code.count("LDG") > 20


def test_loads_of_two_sides_are_under_way_together(tmp_path: Path) -> None:
    """A step of a longest common subsequence: the neighbour on the diagonal, or the greater of the other two."""
    source = """
//! a = i32(arange(32) % 3)
//! d = i32(arange(400) * 29 % 31)
//! out = zeros(32, i32)
//! f[1, 32](a, d, out, 10)
//! i = arange(32)
//! l = d[i + 10]
//! r = d[i * 10]
//! expect(out, where(a == 1, d[i] + 1, where(l > r, l, r)))
__global__ void f(const int *a, const int *d, int *out, int w) {
    int i = threadIdx.x;
    out[i] = a[i] == 1 ? d[i] + 1 : max(d[i + w], d[i * w]);
}
"""
    code = checked(tmp_path, source)
    assert "BSSY" not in code and "LDG" not in code[code.index("VIMNMX") :]


PLACES = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{
.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;
ld.param.u64 %rd0, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd0, %rd1;
ld.global.s32 %r2, [%rd1]; mov.u64 %rd2, %rd0;
setp.lt.s32 %p0, %r2, 0;
@%p0 bra ELSE;
FIRST shl.b32 %r3, %r2, 1; xor.b32 %r4, %r2, 5; cvt.s64.s32 %rd3, %r2;
shl.b64 %rd4, %rd3, 2; add.s64 %rd4, %rd2, %rd4; ld.global.u32 %r5, [%rd4]; add.s32 %r5, %r5, %r1; bra JOIN;
ELSE: xor.b32 %r4, %r2, 5; shl.b32 %r3, %r2, 1; cvt.s64.s32 %rd3, %r2; mov.u32 %r5, 7;
JOIN: add.s32 %r6, %r5, %r3; add.s32 %r6, %r6, %r4; cvt.u32.u64 %r7, %rd3; add.s32 %r6, %r6, %r7;
st.global.u32 [%rd1+256], %r6;
ret;
}
"""


@pytest.mark.parametrize(("first", "branches"), [("", 0), ("mul.lo.s32 %r2, %r2, 3; and.b32 %r2, %r2, 63;", 1)])
def test_what_both_sides_compute_is_made_once(first: str, branches: int) -> None:
    """As LLVM leaves an index that is used in them and after them: without it they are short. Not where one side has
    changed what it is computed from."""
    program = assemble(PLACES.replace("FIRST", first))
    code = sass.decode_all(program.functions[0].code, ARCH)
    assert sum(i.mnemonic == "BRA" and i.guard.index != 7 for i in code) == branches
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    x = np.arange(128, dtype=np.int32) * 7 % 64 - np.where(np.arange(128) % 3, 0, 64).astype(np.int32)
    y = x.copy()
    kernel[1, 64](y)
    tid, v = np.arange(64), x[:64]
    w = np.where((v >= 0) & bool(first), v * 3 & 63, v)
    inside = np.where(v >= 0, x[np.maximum(w, 0)] + tid, 7)
    assert np.array_equal(y[64:], inside + 2 * w + (w ^ 5) + w)


def test_the_last_of_several_cases(tmp_path: Path) -> None:
    """Of four ways two are branched to; the last test's two sides run under guards. Words decide, not pairs."""
    source = """
//! s = i64(arange(32) * 12345678901)
//! x = zeros(32, i32)
//! y = zeros(32, i32)
//! f[1, 32](s, x, y)
//! k = (arange(32) * 12345678901 >> 20) & 3
//! expect(x, where(k == 0, 1, where(k == 1, 2, 0)))
//! expect(y, where(k == 2, 3, where(k == 3, 4, 0)))
__global__ void f(const long long *s, int *x, int *y) {
    int i = threadIdx.x, a = x[i], b = y[i];
    switch ((s[i] >> 20) & 3) {
        case 0: a = a * a + 1; break;
        case 1: a = a * 5 + 2; break;
        case 2: b = b * b + 3; break;
        default: b = b * 7 + 4;
    }
    x[i] = a;
    y[i] = b;
}
"""
    code = checked(tmp_path, source)
    assert code.count("ISETP") == 3
    assert code.count("BRA") == 4  # two to cases, and past them


def test_the_borders_of_a_tile_are_loaded_together(tmp_path: Path) -> None:
    """LLVM makes a switch of each pair of tests; every load is under way before something is stored."""
    source = """
//! a = uniform(-1, 1, 10 * 34, f32)
//! b = zeros(8 * 32, f32)
//! f[1, (32, 8)](a, b, 34)
//! s = reshape(a, (10, 34))
//! expect(b, reshape(s[0:8, 1:33] + s[2:10, 1:33] + (s[1:9, 0:32] + s[1:9, 2:34]), 256))
__global__ void f(const float *__restrict__ a, float *b, int w) {
    __shared__ float s[10][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1, i = y * w + x;
    s[y][x] = a[i];
    if (threadIdx.x == 0) s[y][0] = a[i - 1];
    if (threadIdx.x == 31) s[y][33] = a[i + 1];
    if (threadIdx.y == 0) s[0][x] = a[i - w];
    if (threadIdx.y == 7) s[9][x] = a[i + w];
    __syncthreads();
    b[threadIdx.y * 32 + threadIdx.x] = s[y - 1][x] + s[y + 1][x] + (s[y][x - 1] + s[y][x + 1]);
}
"""
    code = checked(tmp_path, source)
    assert "BSSY" not in code and "LDG" not in code[code.index("STS") :]


def test_a_function_in_pieces_has_no_branch(tmp_path: Path) -> None:
    """Magnitudes go into the operands of its sums of products; the inner condition holds only within the outer one."""
    source = """
//! a = uniform(-3, 3, 64, f32)
//! b = zeros(64, f32)
//! f[1, 64](a, b)
//! x = abs(f64(a))
//! near = (1.5 * x - 2.5) * x * x + 1
//! far = ((-0.5 * x + 2.5) * x - 4) * x + 2
//! expect(b, where(x <= 1, near, where(x < 2, far, 0)), abs=1e-5)
__global__ void f(const float *a, float *b) {
    float x = fabsf(a[threadIdx.x]), w = 0;
    if (x <= 1) w = (1.5f * x - 2.5f) * x * x + 1;
    else if (x < 2) w = ((-0.5f * x + 2.5f) * x - 4) * x + 2;
    b[threadIdx.x] = w;
}
"""
    code = checked(tmp_path, source)
    assert "BSSY" not in code and "FADD" not in code


@pytest.mark.parametrize("threads", [32, 64, 96, 192, 256])
@pytest.mark.parametrize("turns", [3, 4])
def test_a_tile_is_filled_by_turns_under_guards(tmp_path: Path, threads: int, turns: int) -> None:
    """Turns that a block of any size may make: what one of them asks for says what those before it do."""
    size = 64 * turns
    source = f"""
//! a = uniform(-1, 1, {size}, f32)
//! b = zeros({size}, f32)
//! f[1, {threads}](a, b)
//! m = {min(threads, 64)}
//! expect(b[0:m], a[0:m])
//! expect(b[{size - 64}:{size - 64} + m], a[{size - 64}:{size - 64} + m])
__global__ void f(const float *a, float *b) {{
    __shared__ float s[{size}];
    for (int i = threadIdx.x; i < {size}; i += 64) s[i] = a[i];
    __syncthreads();
    if (threadIdx.x < 64)
        for (int i = threadIdx.x; i < {size}; i += 64) b[i] = s[i];
}}
"""
    code = checked(tmp_path, source)
    filled = code[: code.index("BAR")]
    assert filled.count("LDG") == turns and "BSSY" not in filled
    assert "LDG" not in filled[filled.index("STS") :]


def test_a_body_within_a_body_that_goes_on(tmp_path: Path) -> None:
    """What follows the inner one belongs to the outer one, which has no branch either: a scan of sums in segments."""
    source = """
//! v = randint(0, 100, 64, i32)
//! g = randint(0, 2, 64, i32)
//! o = zeros(64, i32)
//! h = zeros(64, i32)
//! f[1, 64](v, g, o, h, 3)
//! w = copy(v)
//! e = copy(g)
//! w[3:64] = where(g[3:64] == 0, v[3:64] + v[0:61], v[3:64])
//! e[3:64] = g[3:64] | g[0:61]
//! expect(o, w)
//! expect(h, e)
__global__ void f(const int *v, const int *g, int *o, int *h, int d) {
    __shared__ int s[64], m[64];
    int t = threadIdx.x, a = 0, b = 0;
    s[t] = v[t];
    m[t] = g[t];
    __syncthreads();
    if (t >= d) { a = s[t - d]; b = m[t - d]; }
    __syncthreads();
    if (t >= d) { if (!m[t]) s[t] += a; m[t] |= b; }
    __syncthreads();
    o[t] = s[t];
    h[t] = m[t];
}
"""
    assert "BSSY" not in checked(tmp_path, source)


def test_an_online_softmax_has_no_branch_in_its_loop(tmp_path: Path) -> None:
    """Each side computes one exponential: of the sum's old scale, or of the new term."""
    source = """
//! x = uniform(-4, 4, (40, 32), f32)
//! y = zeros(32, f32)
//! f[1, 32](x, y, 40)
//! most = max(f64(x), axis=0)
//! expect(y, most + log(sum(exp(f64(x) - most), axis=0)), rel=1e-5)
__global__ void f(const float *x, float *y, int n) {
    float most = -1e30f, sum = 0;
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        float v = x[32 * i + threadIdx.x];
        if (v > most) { sum = sum * __expf(most - v) + 1; most = v; }
        else sum += __expf(v - most);
    }
    y[threadIdx.x] = most + __logf(sum);
}
"""
    code = checked(tmp_path, source)
    assert "BSSY" not in code and code.count("MUFU") >= 3


def test_sides_that_begin_with_one_operation_under_other_guards() -> None:
    """What one side does under a guard of its own is not what the other does in any case."""
    body = """setp.lt.u32 %p0, %r1, 5; setp.lt.u32 %p1, %r1, 3; mov.u32 %r2, 7; @%p0 bra SOME;
mov.u32 %r2, 9; xor.b32 %r3, %r7, %r2; bra OUT;
SOME: @%p1 mov.u32 %r2, 9; add.u32 %r3, %r7, %r1;
OUT: add.u32 %r2, %r2, %r3; st.global.u32 [%rd0], %r2; st.shared.u32 [%r6], %r2;"""
    text = TEXT.replace("setp.ge.u32 %p0, %r1, %r0;\n@%p0 bra JOIN;\nBODY", body)
    x = np.arange(64, dtype=np.uint32).reshape(32, 2)
    before = x[:, 0].copy()
    runtime.Device().load(write_cubin(assemble(text)))["k"][1, 32](x, 0)
    lanes = np.arange(32, dtype=np.uint32)
    chosen = np.where((lanes < 3) | (lanes >= 5), 9, 7)
    assert (x[:, 0] == chosen + np.where(lanes < 5, before + lanes, before ^ chosen)).all()


def tree(low: int, high: int, end: str) -> str:
    """Tests by halves, whose leaves store numbers and end so."""
    if high - low == 1:
        return f"st.global.u32 [%rd0+4], {3 * low + 1}; {end}\n"
    middle, label = (low + high) // 2, f"AT{low}_{high}"
    halves = tree(low, middle, end), tree(middle, high, end)
    return f"setp.ge.u32 %p0, %r7, {middle}; @%p0 bra {label};\n{halves[0]}{label}: {halves[1]}"


@pytest.mark.parametrize(("end", "more"), [("ret;", 0), ("bra.uni JOIN;", 5)])
def test_leaves_of_a_tree_of_tests(end: str, more: int) -> None:
    """Two stores at a time are guarded, not branched to, where both ways end or go on at one far place."""
    text = TEXT.replace("BODY", tree(0, 16, end)).replace("st.global.u32 [%rd0+4], %r7;", (
        "ld.global.u32 %r2, [%rd0+4]; add.s32 %r2, %r2, 5; st.global.u32 [%rd0+4], %r2;"
    ))  # fmt: skip
    program = assemble(text)
    code = sass.decode_all(program.functions[0].code, ARCH)
    assert sum(i.mnemonic == "STG" and i.guard.index != 7 for i in code) >= 14
    x = np.zeros(128, np.uint32)
    x[::2] = [(7 * t) % 16 for t in range(64)]
    want = 3 * x[::2] + 1 + more
    runtime.Device("sm_90").load(write_cubin(program))["k"][1, 64](x, np.uint32(64))
    assert (x[1::2] == want).all()


@pytest.mark.parametrize(("values", "branches"), [(1, 0), (2, 0), (3, 5)])
def test_long_steps_of_sums_by_halves_keep_their_branches(values: int, branches: int) -> None:
    """Most warps of a block have no part in them, and would issue them all the same."""
    step = " ".join(f"s[t][{v}] += s[t + h][{v}];" for v in range(values))
    text = f"""extern "C" __global__ void k(float *x) {{
    __shared__ float s[256][{values}]; int t = threadIdx.x;
    for (int v = 0; v < {values}; v++) s[t][v] = x[{values} * t + v];
    __syncthreads();
    #pragma unroll
    for (int h = 128; h >= 8; h /= 2) {{ if (t < h) {{ {step} }} __syncthreads(); }}
    if (t < 8) for (int v = 0; v < {values}; v++) x[{values} * t + v] = s[t][v]; }}"""
    image = minicc.compile(SourceFile("k.cu", text)).cubin
    code = sass.decode_all(read_cubin(image, "k").functions[0].code, ARCH)
    inside = [n for n, i in enumerate(code) if i.mnemonic == "BAR"]
    kept = sum(i.mnemonic == "BRA" and i.guard.index != 7 for i in code[inside[0] : inside[-1]])
    assert kept == branches
    x = np.arange(256 * values, dtype=np.float32)
    sums = x.reshape(32, 8, values).sum(0)
    runtime.Device("sm_90").load(image)["k"][1, 256](x)
    assert (x[: 8 * values] == sums.ravel()).all()


def test_steps_by_halves_of_pairs_keep_their_branches() -> None:
    """The larger key goes with its place, which is loaded under a condition of its own: most warps pass the step by."""
    text = """struct pair { float v; int p; };
    extern "C" __global__ void k(float *x, int *o) {
    __shared__ pair s[256]; int t = threadIdx.x;
    s[t] = {x[t], t};
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h /= 2) { if (t < h) { if (s[t].v < s[t + h].v) s[t] = s[t + h]; }
        __syncthreads(); }
    if (t == 0) o[0] = s[0].p; }"""
    image = minicc.compile(SourceFile("k.cu", text)).cubin
    code = sass.decode_all(read_cubin(image, "k").functions[0].code, ARCH)
    first, last = (n for n, i in enumerate(code) if i.mnemonic == "BAR")
    assert sum(i.mnemonic == "BRA" and i.guard.index != 7 for i in code[first:last]) == 2
    x, out = np.random.RandomState(1).random_sample(256).astype(np.float32), np.zeros(1, np.int32)
    runtime.Device("sm_90").load(image)["k"][1, 256](x, out)
    assert out[0] == x.argmax()
