"""Sums of three words of 64 bits, and registers that inline assembly writes again and again."""

from __future__ import annotations

from pathlib import Path

from tests.ptxas.conftest import checked

SUMS = """\
//! n = 256
//! a = randint(-4, 4, n, i64)
//! b = randint(-9223372036854775808, 9223372036854775807, n, i64)
//! c = randint(-4294967300, -4294967290, n, i64)
//! d = zeros(4 * n, i64)
//! f[1, n](a, b, c, d, n)
//! expect(d[0:n], a + b + c)
//! expect(d[n:2 * n], (a ^ b) + c + 81985529216486895 + a)
//! expect(d[2 * n:3 * n], a - b + c)
//! expect(d[3 * n:4 * n], (a + a) + (c + c))

__global__ void f(const unsigned long long *a, const unsigned long long *b, const unsigned long long *c,
                  unsigned long long *d, int n)
{
    int i = threadIdx.x;
    unsigned long long x = a[i], y = b[i], z = c[i];
    d[i] = x + y + z;
    d[n + i] = (x ^ y) + z + 0x123456789abcdefull + x;
    d[2 * n + i] = x - y + z;
    d[3 * n + i] = (x + x) + (z + z);
}
"""


def test_sums_of_three(tmp_path: Path) -> None:
    """Two carries of the lower words: they reach 2 * 2^32 where all three are near the top."""
    code = checked(tmp_path, SUMS)
    assert code.count("IADD3") <= 10


ABOVE = """\
//! n = 256
//! a = randint(-2147483648, 2147483647, n, i32)
//! b = randint(-9223372036854775808, 9223372036854775807, n, i64)
//! c = zeros(n, i64)
//! f[1, n](a, b, c)
//! w = u32(a)
//! expect(c, (i64(w) | (i64(w ^ 85) << 32)) + b)

__global__ void f(const unsigned *a, const long long *b, unsigned long long *c)
{
    unsigned w = a[threadIdx.x];
    c[threadIdx.x] = ((unsigned long long)w | (unsigned long long)(w ^ 85) << 32) + b[threadIdx.x];
}
"""


def test_words_above_a_sum(tmp_path: Path) -> None:
    """LLVM adds the upper word after the sum of the lower one, as it does for structures of two words."""
    code = checked(tmp_path, ABOVE)
    assert code.count("IADD3") == 2


AGAIN = """\
//! n = 256
//! a = randint(-9223372036854775808, 9223372036854775807, n, i64)
//! b = randint(-9223372036854775808, 9223372036854775807, n, i64)
//! c = zeros(3 * n, i64)
//! f[1, n](a, b, c, n)
//! expect(c[0:n], (a ^ b) ^ (a + 1))
//! expect(c[n:2 * n], where(a < b, a + 7, a + 3) * 2)
//! expect(c[2 * n:3 * n], a + b + a)

__global__ void f(const long long *a, const long long *b, long long *c, int n)
{
    int i = threadIdx.x;
    long long x = a[i], y = b[i], r, s, t;
    asm("xor.b64 %0, %1, %2;  xor.b64 %0, %0, %3;" : "=l"(r) : "l"(x), "l"(y), "l"(x + 1));
    asm("{ .reg .pred p;  .reg .b32 l, h;  setp.lt.s64 p, %1, %2;  add.s64 %0, %1, 3;  @p add.s64 %0, %1, 7;"
        "  mov.b64 {l, h}, %0;  mov.b64 %0, {l, h};  add.s64 %0, %0, %0; }" : "=l"(s) : "l"(x), "l"(y));
    asm("{ .reg .b32 l, h, u, v, w, z;  mov.b64 {l, h}, %1;  mov.b64 {u, v}, %2;"
        "  add.cc.u32 w, l, u;  addc.u32 z, h, v;  add.cc.u32 w, w, l;  addc.u32 z, z, h;  mov.b64 %0, {w, z}; }"
        : "=l"(t) : "l"(x), "l"(y));
    c[i] = r;
    c[n + i] = s;
    c[2 * n + i] = t;
}
"""


def test_registers_written_again(tmp_path: Path) -> None:
    """Each value is one of its own: two exclusive ors are one, two sums of words with a carry one of three."""
    code = checked(tmp_path, AGAIN)
    assert code.count("LOP3") == 2


TABLES = """\
//! n = 16
//! a = randint(0, 16, n, i32)
//! c = zeros(2 * n, i32)
//! f[1, n](a, c, n)
//! expect(c[0:n], 16 * a + 16)
//! expect(c[n:2 * n], 3 * a + 6)

__constant__ int before[60] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54};
__constant__ int table[17] = {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256};

__global__ void f(const int *a, int *c, int n)
{
    unsigned i = a[threadIdx.x];
    c[threadIdx.x] = table[i + 1];
    c[n + threadIdx.x] = before[i + 2];
}
"""


def test_places_in_constant_memory(tmp_path: Path) -> None:
    """Where a table begins, and a constant index in it, is an offset of LDC."""
    code = checked(tmp_path, TABLES)
    assert code.count("LDC") == 2
    assert code.count("IADD3") == 1


COUNTED = """\
//! n = 256
//! x = randint(-3, 3, n, i32)
//! y = randint(-3, 3, 8 * n, i32)
//! c = zeros(n, i32)
//! f[1, n](x, y, c)
//! less = zeros(n, i32)
//! for k in range(8):
//!     less = less + i32(y[k * n:(k + 1) * n] < x)
//! expect(c, less - i32(x == 1))

__global__ void f(const int *x, const int *y, int *c)
{
    int i = threadIdx.x, a = x[i], less = 0;
    for (int k = 0; k < 8; k++)
        less += y[k * 256 + i] < a;
    c[i] = less - (a == 1);
}
"""


def test_what_is_counted_is_carries(tmp_path: Path) -> None:
    """Two comparisons a sum, of three words where it is the first. A difference takes none."""
    code = checked(tmp_path, COUNTED)
    assert code.count("SEL") <= 3 and code.count("IADD3") <= 5
