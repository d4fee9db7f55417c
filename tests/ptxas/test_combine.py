"""Two instructions that become one, and give what they gave."""

from __future__ import annotations

from pathlib import Path

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
