"""How many registers code takes where nothing limits it: as few as full occupancy leaves, if that is nearly free."""

from __future__ import annotations

from pathlib import Path

import pytest

import minicc
from minicc import arch
from minicc.analysis.occupancy import occupancy
from minicc.binary import read_cubin
from minicc.ptxas.registers.allocate import blocks_limit

POLYNOMIAL = "__global__ void f(double *p)\n{\n    double x = p[threadIdx.x], s = 0;\n%s    p[threadIdx.x] = s;\n}\n"


def registers(source: str, folder: Path) -> int:
    path = folder / "f.k"
    path.write_text(source)
    return read_cubin(minicc.compile(path, arch="sm_90").cubin, "f").functions[0].registers


def test_constants_do_not_wait_in_registers(tmp_path: Path) -> None:
    """Each step of a polynomial of doubles needs a pair for its constant, but not before it."""
    steps = "".join(f"    s = s * x + {1 / (n + 3):.17g};\n" for n in range(20))
    assert registers(POLYNOMIAL % steps, tmp_path) <= 20


def test_full_occupancy(tmp_path: Path) -> None:
    """Forty independent sums could fill any number of registers."""
    steps = "".join(
        f"    {{ float a = y * {n + 3}.5f, b = a * a + y, c = b * y + a; s += a * b + c * {n}.25f; }}\n"
        for n in range(40)
    )
    assert registers(POLYNOMIAL % f"    float y = x;\n{steps}", tmp_path) <= 32


def test_blocks_of_any_size_can_be_launched(tmp_path: Path) -> None:
    """Where nothing says how large blocks are, loads under way do not take the registers of a block of 1,024."""
    row = " ".join(f"s += (p{k % 6}[(t * {k + 3}) >> {k % 4}] & {k + 3}) << {k % 5};" for k in range(40))
    pointers = ", ".join(f"const unsigned char *__restrict__ p{k}" for k in range(6))
    body = f"{{ int s = 0, t = blockIdx.x * blockDim.x + threadIdx.x; {row} out[t] = s; }}"
    text = f"({pointers}, int *out)\n{body}\n"
    few, many = (registers(f"__global__ void {bounds} f{text}", tmp_path) for bounds in ("", "__launch_bounds__(128)"))
    assert few <= 64 < many


def test_no_pointer_for_each_access(tmp_path: Path) -> None:
    """Rows and columns that a loop walks along: indices from one counter, not eight pointers of two registers each."""
    total = "a[i] * c[i * m] + d[i * n] * a[i * m + n] + c[i + n] * d[i + m] + a[i * n + m] * c[i * n]"
    loop = f"for (int i = threadIdx.x; i < n; i += 32) {{ __syncthreads(); s += {total}; b[i] = s; }}"
    arguments = "const float *a, const float *c, const float *d, float *b, int n, int m"
    assert registers(f"__global__ void f({arguments})\n{{ float s = 0; {loop} }}\n", tmp_path) <= 24


def test_not_where_one_alone_takes_far_longer(tmp_path: Path) -> None:
    """A product of matrices whose loop is unrolled to 16 turns wants 58 registers: with 40 its loads wait for one
    another, and a frame costs the threads that leave at once, too."""
    path = tmp_path / "f.k"
    path.write_text("""__global__ void f(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    int row = i / n, column = i % n;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[row * n + k] * b[k * n + column];
    c[i] = s;
}
""")
    function = read_cubin(minicc.compile(path, arch="sm_90").cubin, "f").functions[0]
    assert function.frame == 0 and function.registers > 48


@pytest.mark.parametrize("warps", range(1, 33))
def test_launch_bounds_leave_what_so_many_blocks_have_room_for(warps: int) -> None:
    """As the work distributor counts, and NVIDIA's ptxas: an SM's registers go to four warps at a time, whosever."""
    sm, threads = arch.get("sm_90"), 32 * warps
    for blocks in range(1, min(32, 64 // warps) + 1):
        limit = blocks_limit(sm, (threads, 1, 1), blocks)
        if limit <= 248:
            fit = [occupancy(sm, registers, 0, threads).limits["registers"] for registers in (limit, limit + 8)]
            assert fit[0] >= blocks > fit[1]
