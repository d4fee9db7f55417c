"""Choices made in place: where the predicate is there in time, and not where a guard would have to wait for it."""

from __future__ import annotations

from pathlib import Path

from tests.ptxas.conftest import checked
from tests.ptxas.optimise.test_chains import made

_STEPS = 6
_WORK = "".join(f"mad.lo.s32 %r{40 + k % 30}, %r2, %r{40 + k % 30}, %r3;\n" for k in range(150))
"""As much other work as the choices take to wait for one another, and that waits for none of them."""


def _walk(compared: str, work: str = "") -> int:
    """How many selects are left of a walk that turns where `compared` (a place, r3) says so, place by place."""
    body = "mov.u32 %r10, %r0; mov.u32 %r11, %r1;\n" + work
    for k in range(_STEPS):
        step, at, back, new, to = (f"%r{10 + 4 * k + n}" for n in (0, 1, 3, 4, 5))
        place = f"%r{12 + 4 * k}"
        body += f"add.s32 {place}, {at}, {step}; setp.eq.s32 %p{k}, {compared.format(place)}, %r3;\n"
        body += f"neg.s32 {back}, {step}; selp.b32 {new}, {back}, {step}, %p{k}; xor.b32 {to}, {place}, %r3;\n"
    body += f"add.s32 %r2, {new}, {to}; st.global.u32 [%rd0], %r2;\n"
    body += "".join(f"st.global.u32 [%rd0], %r{40 + k};" for k in range(30)) if work else ""
    return made(body)["SEL"]


def test_late_predicates_stay_with_selects() -> None:
    """Each choice hangs on the place that the one before led to: nothing is longer than the way through all."""
    assert _walk("{}") == _STEPS


def test_early_predicates_guard() -> None:
    """What is compared is known beforehand."""
    assert _walk("%r2") <= 2


def test_issue_hides_late_predicates() -> None:
    """Where the block has enough to do, fewer instructions are what counts."""
    assert _walk("{}", _WORK) <= 2


def test_choice_of_two_results(tmp_path: Path) -> None:
    """One of two sums by a condition that stays: the second is made in place of the first, around the loop as well."""
    source = """
//! x = f32(arange(32))
//! want = f32(arange(32))
//! for k in range(19):
//!     want = where(arange(32) % 2 == 1, want * 0.5 + 3, want * 0.75 - 1)
//! f[1, 32](x, 19)
//! expect(x, want, rel=1e-5)
__global__ void f(float *x, int turns) {
    float v = x[threadIdx.x];
    for (int i = 0; i < turns; i++)
        v = threadIdx.x & 1 ? v * 0.5f + 3 : v * 0.75f - 1;
    x[threadIdx.x] = v;
}
"""
    code = checked(tmp_path, source)
    assert code.count("FFMA") >= 16 > 2 * (code.count("SEL") + code.count("FSEL"))
