"""The parts of a division that hang on the divisor alone are computed before the loop around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from minicc import ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas import Options
from tests.counting import calls_of_pass
from tests.ptxas.conftest import ARCH, checked

SOURCE = """
//! x = i32(arange(600) * 7919 % 10007 - 5000)
//! out = zeros(600, i32)
//! f[1, 32](x, out, 600, {a}, {b})
//! expect(out, {expected})
__global__ void f(const int *x, int *out, int n, int a, int b) {{
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = {divided};
}}
"""
TRUNCATED = "where(x < 0, -((-x) // {0}), x // {0})"


@pytest.mark.parametrize(
    ("divided", "expected", "inside"),
    [
        ("x[i] / a", TRUNCATED.format(7), 0),
        ("x[i] / a + x[i] / b", f"{TRUNCATED.format(7)} + {TRUNCATED.format(12)}", 0),
        ("a * 1000 / (x[i] * x[i] + 1)", "7000 // (x * x + 1)", 1),
    ],
)
def test_reciprocals_of_what_stays_leave_the_loop(tmp_path: Path, divided: str, expected: str, inside: int) -> None:
    """None is left where the divisor is the launch's; a divisor of each turn keeps its own."""
    code = checked(tmp_path, SOURCE.format(divided=divided, expected=expected, a=7, b=12), "HI")
    start = code.index("LDG")
    assert ("MUFU" in code[start:]) == bool(inside)
    assert "MUFU" in code
    if not inside:
        turn = code[start : code.index("BRA", start)]
        assert turn.count("IMAD.HI") == divided.count("/"), "the second step of a reciprocal has left the loop, too"


def test_few_registers_are_kept_for_it(tmp_path: Path) -> None:
    """Ten divisors would cost twenty registers over the loop: some stay in it."""
    divisors = [f"(b + {3 * k})" for k in range(10)]
    source = SOURCE.format(
        divided=" ^ ".join(f"x[i] / {d}" for d in divisors),
        expected=" ^ ".join(TRUNCATED.format(12 + 3 * k) for k in range(10)),
        a=7,
        b=12,
    )
    code = checked(tmp_path, source)
    start = code.index("LDG")
    assert code[start:].count("MUFU") >= 5 > 0 and code[:start].count("MUFU") >= 3


def test_a_divisor_from_a_table_stays_with_its_index(tmp_path: Path) -> None:
    """What a turn reads by its own index, from constants as from shared memory, is another number in each turn."""
    source = """
//! x = f32(arange(1, 33))
//! out = zeros(32, f32)
//! f[1, 32](x, out, 9)
//! expect(out, f32(x * 2.828968254), rel=1e-6)
__constant__ float table[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
__global__ void f(const float *x, float *out, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) sum += x[threadIdx.x] / table[i];
    out[threadIdx.x] = sum;
}
"""
    checked(tmp_path, source)


def test_not_into_the_loop_before(tmp_path: Path) -> None:
    """Where one loop ends in the next, its end is no place: it is come to in each of its turns."""
    source = """
//! x = i32(arange(320))
//! out = zeros(32, i32)
//! f[1, 32](x, out, 10, 32)
//! expect(out, 1440 + 10 * arange(32) + 45)
__global__ void f(const int *x, int *out, int n, int d) {
    int t = threadIdx.x, s = 0, i = 0;
#pragma unroll 1
    do { s += x[32 * i + t]; } while (++i < n);
#pragma unroll 1
    do { s += x[32 * --i + t] / d; } while (i);
    out[t] = s;
}
"""
    code = checked(tmp_path, source)
    first = code.index("BRA")
    assert code.count("BRA") == 2 and "MUFU" not in code[:first] and "MUFU" in code[first:]


def test_loops_one_behind_the_other_take_a_time_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one loop loses is not looked up for the whole function again."""
    spent = calls_of_pass(monkeypatch, "invariant")
    for count in (10, 40):
        loops = "".join(
            f"ld.global.u32 %d, [%rd1+{4 * k}]; mov.u32 %i, 0;\nL{k}: div.u32 %q, %i, %d; st.global.u32 [%rd1], %q;\n"
            f"add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 100; @%p bra L{k};\n"
            for k in range(count)
        )
        text = (
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {\n"
            f".reg .b64 %rd<2>; .reg .b32 %d, %q, %i; .reg .pred %p;\nld.param.u64 %rd1, [x];\n{loops}ret;\n}}\n"
        )
        ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), ARCH, Options(disable=frozenset({"unroll"})))
    assert spent[1] < 6 * spent[0]
