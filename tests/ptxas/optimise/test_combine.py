"""Two instructions that become one, and give what they gave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.ptxas.conftest import checked

ROTATED = """\
//! n = 256
//! a = randint(-2147483648, 2147483647, n, i32)
//! b = randint(-2147483648, 2147483647, n, i32)
//! c = zeros(n, i32)
//! f[1, n](a, b, c)
//! u = u32(a)
//! expect(c, i32(((u << 7) | (u >> 25)) - u32(b)))

__global__ void f(const unsigned *a, const unsigned *b, unsigned *c)
{
    unsigned x = a[threadIdx.x];
    c[threadIdx.x] = ((x << 7) | (x >> 25)) - b[threadIdx.x];
}
"""


def test_rotation_and_addition(tmp_path: Path) -> None:
    """Rounds of MD5 and SHA-1 are made of them."""
    code = checked(tmp_path, ROTATED)
    assert "LEA" in code
    assert "SHF" not in code


FUNNELS = """\
//! n = 256
//! a = randint(-2147483648, 2147483647, n, i32)
//! b = randint(-2147483648, 2147483647, n, i32)
//! c = zeros(4 * n, i32)
//! f[1, n](a, b, c, n)
//! u = u32(a)
//! v = u32(b)
//! expect(c[0:n], i32((u << 7) | (u >> 25)))
//! expect(c[n:2 * n], i32((u << 31) | (v >> 1)))
//! expect(c[2 * n:3 * n], i32((u << 14) | (v >> 18)))
//! expect(c[3 * n:4 * n], i32((v << 14) | (u >> 18)))

__global__ void f(const unsigned *a, const unsigned *b, unsigned *c, int n)
{
    unsigned u = a[threadIdx.x], v = b[threadIdx.x], x, y, z, w;
    asm("{ .reg .b32 s, t; shl.b32 s, %1, 7; shr.u32 t, %1, 25; add.s32 %0, t, s; }" : "=r"(x) : "r"(u));
    asm("{ .reg .b32 s, t; shl.b32 s, %1, 31; shr.u32 t, %2, 1; xor.b32 %0, s, t; }" : "=r"(y) : "r"(u), "r"(v));
    asm("{ .reg .b64 r, s, t; mov.b64 r, {%2, %3}; shl.b64 s, r, 14; shr.u64 t, r, 50; or.b64 r, s, t; "
        "mov.b64 {%0, %1}, r; }" : "=r"(z), "=r"(w) : "r"(u), "r"(v));
    c[threadIdx.x] = x, c[n + threadIdx.x] = y, c[2 * n + threadIdx.x] = z, c[3 * n + threadIdx.x] = w;
}
"""


def test_words_shifted_apart(tmp_path: Path) -> None:
    """Rotations as hashes in others' PTX have them: one instruction a word."""
    code = checked(tmp_path, FUNNELS)
    assert code.count("SHF") == 4
    assert "LOP3" not in code and "LEA" not in code


LIMITED = """\
//! n = 256
//! a = randint(-2147483648, 2147483647, n, i32)
//! b = randint(-2147483648, 2147483647, n, i32)
//! c = zeros(4 * n, i32)
//! f[1, n](a, b, c, n)
//! u = u32(a)
//! v = u32(b)
//! expect(c[0:n], maximum(i32(u + v), 0))
//! expect(c[n:2 * n], i32(minimum(u - v, v)))
//! expect(c[2 * n:3 * n], minimum(i32(u + 7), b))
//! expect(c[3 * n:4 * n], i32(maximum(v, u + 9)))

__global__ void f(const unsigned *a, const unsigned *b, int *c, int n)
{
    int i = threadIdx.x;
    unsigned u = a[i], v = b[i];
    c[i] = max((int)(u + v), 0);
    c[n + i] = (int)min(u - v, v);
    c[2 * n + i] = min((int)(u + 7), (int)v);
    c[3 * n + i] = (int)max(v, u + 9);
}
"""


def test_sums_within_limits(tmp_path: Path) -> None:
    """Indices that are kept inside of an image; sums wrap before they are compared."""
    code = checked(tmp_path, LIMITED)
    assert code.count("VIADDMNMX") == 4
    assert "VIMNMX" not in code


CHAIN = """\
//! n = 256
//! a = randint(0, 100, n, i32)
//! b = randint(0, 100, n, i32)
//! c = zeros(n, i32)
//! f[1, n](a, b, c)
//! expect(c, minimum(a + b, minimum(minimum(a, b) + 3, b * 2 + 1) + 1))

__global__ void f(const int *a, const int *b, int *c)
{
    int u = a[threadIdx.x], v = b[threadIdx.x];
    c[threadIdx.x] = min(u + v, min(min(u, v) + 3, 2 * v + 1) + 1);
}
"""


def test_of_two_sums_the_later_one_is_limited(tmp_path: Path) -> None:
    """What waits longest (a cell of edit distances) is added by the instruction that compares."""
    code = checked(tmp_path, CHAIN)
    after = code[code.index("VIADDMNMX") :]
    assert after.count("VIADDMNMX") == 2 and not {"VIADD", "IADD3"} & {*after}


SIGNED = """\
//! n = 256
//! a = uniform(-2, 2, n, f32)
//! b = uniform(-2, 2, n, f32)
//! c = zeros(7 * n, f32)
//! f[1, n](a, b, c, n)
//! expect(c[0:n], where(abs(a) < abs(b), 1, 0))
//! expect(c[n:2 * n], abs(a) * -abs(b))
//! expect(c[2 * n:3 * n], abs(a) * f32(0.375))
//! expect(c[3 * n:4 * n], b - abs(a))
//! expect(c[4 * n:5 * n], minimum(abs(a), -b))
//! expect(c[5 * n:6 * n], abs(a) * -b)
//! expect(c[6 * n:7 * n], where(-a < b, 1, 0))

__global__ void f(const float *a, const float *b, float *c, int n)
{
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    c[i] = fabsf(x) < fabsf(y) ? 1.0f : 0.0f;
    c[n + i] = fabsf(x) * -fabsf(y);
    c[2 * n + i] = fabsf(x) * 0.375f;
    c[3 * n + i] = __fadd_rn(y, -fabsf(x));
    c[4 * n + i] = fminf(fabsf(x), -y);
    c[5 * n + i] = fabsf(x) * -y;
    c[6 * n + i] = -x < y ? 1.0f : 0.0f;
}
"""


def test_signs_go_into_operands(tmp_path: Path) -> None:
    """Magnitudes and changed signs take no instruction of their own."""
    code = checked(tmp_path, SIGNED)
    assert code.count("FADD") == 1


SUMS = """\
//! n = 256
//! a = randint(-2147483648, 2147483647, 2 * n, i32)
//! b = randint(-2147483648, 2147483647, n, i32)
//! c = zeros(10 * n, i32)
//! f[1, n](a, b, c, n)
//! x = i64(u64(u32(a[0:n])) | (u64(u32(a[n:2 * n])) << 32))
//! y = (x >> 7) ^ i64(b)
//! s = (x << 5) + y
//! t = (x << 31) - 1
//! u = i64(b) + y
//! v = i64(b) + 1
//! w = u64(i64(b)) + u64(x)
//! expect(u64(c[0:n]) << 32 | u64(u32(c[n:2 * n])), u64(s))
//! expect(u64(c[2 * n:3 * n]) << 32 | u64(u32(c[3 * n:4 * n])), u64(t))
//! expect(u64(c[4 * n:5 * n]) << 32 | u64(u32(c[5 * n:6 * n])), u64(u))
//! expect(u64(c[6 * n:7 * n]) << 32 | u64(u32(c[7 * n:8 * n])), u64(v))
//! expect(u64(c[8 * n:9 * n]) << 32 | u64(u32(c[9 * n:10 * n])), w)

__device__ void put(int *c, int n, int i, long long x)
{
    c[i] = (int)(x >> 32);
    c[n + i] = (int)x;
}

__global__ void f(const unsigned *a, const int *b, int *c, int n)
{
    int i = threadIdx.x;
    long long x = (long long)((unsigned long long)a[n + i] << 32 | a[i]), z = b[i], y = x >> 7 ^ z;
    put(c, n, i, (x << 5) + y);
    put(c + 2 * n, n, i, (x << 31) - 1);
    put(c + 4 * n, n, i, z + y);
    put(c + 6 * n, n, i, z + 1);
    put(c + 8 * n, n, i, z + x);
}
"""


def test_sums_of_what_was_shifted_or_extended(tmp_path: Path) -> None:
    """Addresses of LLVM's 64-bit indices: two instructions, not four, and no sign of its own."""
    code = checked(tmp_path, SUMS)
    assert code.count("LEA") >= 7


COMPARED = """\
//! n = 256
//! a = uniform(-1, 1, n, f32)
//! b = uniform(-1, 1, n, f32)
//! c = zeros(4 * n, f32)
//! f[1, n](a, b, c, n, 0.25)
//! expect(c[0:n], f32(a >= 0.25))
//! expect(c[n:2 * n], f32(abs(b) < 0.5) * a)
//! expect(c[2 * n:3 * n], f32(a > b) * b)
//! expect(c[3 * n:4 * n], zeros(n, f32))

__global__ void f(const float *a, const float *b, float *c, int n, float t)
{
    int i = threadIdx.x;
    float x = a[i], y = b[i], large = (fabsf(x) + 1e-3f) * 1e38f * 1e38f, none = large - large;
    c[i] = x >= t ? 1.0f : 0.0f;
    c[n + i] = (fabsf(y) < 0.5f) * x;
    c[2 * n + i] = (x <= y ? 0.0f : 1.0f) * y;
    c[3 * n + i] = !(none > x) ? 0.0f : 1.0f;
}
"""


def test_one_or_zero_as_floats_compare(tmp_path: Path) -> None:
    """No predicate where nothing else asks; what is false of NaNs is not true of them turned round."""
    code = checked(tmp_path, COMPARED)
    assert code.count("FSET") == 4
    assert not {"SEL", "FSEL"} & set(code)


def test_extremes_of_three(tmp_path: Path) -> None:
    """The same way, signed or not; others, and one with a second use, stay two."""
    source = """
//! n = 256
//! a = randint(-2147483648, 2147483647, 3 * n, i32)
//! o = zeros(6 * n, i32)
//! f[1, n](a, o, n)
//! x = a[0:n]
//! y = a[n:2 * n]
//! z = a[2 * n:3 * n]
//! low = minimum(minimum(x, y), z)
//! expect(o[0:n], low)
//! expect(o[n:2 * n], i32(maximum(maximum(u32(x), u32(y)), u32(z))))
//! expect(o[2 * n:3 * n], maximum(maximum(x, 77), z))
//! expect(o[3 * n:4 * n], minimum(maximum(x, 5), z))
//! expect(o[4 * n:5 * n], minimum(maximum(y, -100), 100))
//! expect(o[5 * n:6 * n], minimum(low, 0))
__global__ void f(const int *a, int *o, int n) {
    int i = threadIdx.x, x = a[i], y = a[n + i], z = a[2 * n + i];
    o[i] = min(min(x, y), z);
    o[n + i] = max(max((unsigned)x, (unsigned)y), (unsigned)z);
    o[2 * n + i] = max(max(x, 77), z);
    o[3 * n + i] = min(max(x, 5), z);
    o[4 * n + i] = min(max(y, -100), 100);
    o[5 * n + i] = min(min(min(x, y), z), 0);
}
"""
    code = checked(tmp_path, source)
    assert code.count("VIMNMX3") == 3 and code.count("VIMNMX") == 5


_ROWS = """
//! s = randint(0, 4, (9, 32), i32)
//! t = randint(0, 4, (8, 32), i32)
//! o = zeros(32, i32)
//! f[1, 32](s, t, o, 9)
//! h = zeros((9, 32), i32){first}
//! for k in range(9):
//!     old = copy(h)
//!     for j in range(1, 9):
{cell}
//! expect(o, h[8])
__global__ void f(const int *s, const int *t, int *o, int rows) {{
    int h[9], i = threadIdx.x;
    for (int j = 0; j < 9; j++) h[j] = {start};
    for (int k = 0; k < rows; k++) {{
        int c = s[k * 32 + i], diag = h[0];
        {edge}
        for (int j = 1; j < 9; j++) {{ int old = h[j], same = c == t[(j - 1) * 32 + i]; h[j] = {choice}; diag = old; }}
    }}
    o[i] = h[8];
}}
"""


@pytest.mark.parametrize("relu", [False, True])
def test_rows_of_distances_add_what_comes_last(tmp_path: Path, relu: bool) -> None:
    """Each cell waits for its left neighbour through one choice and one sum with a choice, not for a sum as well: that
    of the diagonal is there long before."""
    if relu:
        cell = "//!         d = old[j - 1] + where(s[k] == t[j - 1], 3, -2)\n"
        cell += "//!         h[j] = maximum(maximum(d, 0), maximum(old[j], h[j - 1]) - 1)"
        choice = "max(max(0, diag + (same ? 3 : -2)), max(old, h[j - 1]) - 1)"
        source = _ROWS.format(first="", start="0", edge="", cell=cell, choice=choice)
    else:
        cell = "//!         h[0] = k + 1\n//!         d = old[j - 1] + (s[k] != t[j - 1])\n"
        cell += "//!         h[j] = minimum(minimum(old[j], h[j - 1]) + 1, d)"
        choice = "min(min(old, h[j - 1]) + 1, diag + !same)"
        first = "\n//! for j in range(9):\n//!     h[j] = j"
        source = _ROWS.format(first=first, start="j", edge="h[0] = k + 1;", cell=cell, choice=choice)
    code = checked(tmp_path, source, "RELU")
    assert code.count("VIADDMNMX.RELU" if relu else "VIADDMNMX") >= 8
    assert code.count("VIADD") + code.count("IADD3") <= 4 + 8 * relu


IN_PLACE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u64 p, .param .u32 turns) {
.reg .b32 %n, %t, %low, %up; .reg .pred %more; .reg .b64 %p, %at, %x, %y, %c, %s;
ld.param.u64 %p, [p]; ld.param.u32 %n, [turns]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 8; add.s64 %at, %p, %at;
ld.global.u64 %x, [%at]; mov.u64 %y, %x;
LOOP: ld.global.u64 %c, [%p+256];
shl.b64 %s, %x, 5; add.s64 %x, %s, %c;
mov.b64 {%low, %up}, %y; cvt.s64.s32 %s, %low; add.s64 %y, %s, %c;
add.s64 %p, %p, 8; sub.u32 %n, %n, 1; setp.ne.u32 %more, %n, 0; @%more bra LOOP;
st.global.u64 [%at], %x; st.global.u64 [%at+512], %y; ret; }
"""


def test_sums_that_write_what_they_add() -> None:
    """The upper word of such a sum asks for the lower word of before."""
    p = np.random.default_rng(1).integers(-(1 << 63), 1 << 63, 96)
    x, y, added = p[:32].copy(), p[:32].copy(), p[32:35].copy()
    for c in added:
        x, y = (x << 5) + c, y.astype(np.int32) + c
    image = minicc.compile(SourceFile("f.ptx", IN_PLACE), arch="sm_90").cubin
    runtime.Device("sm_90", timing=False).load(image)["f"][1, 32](p, np.uint32(len(added)))
    assert p[:32].tolist() == x.tolist() and p[64:].tolist() == y.tolist()
