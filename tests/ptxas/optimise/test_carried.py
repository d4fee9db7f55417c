"""Loads into registers that a loop carries: all of a round's are under way before any is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

import minicc
from tests.end_to_end.harness import run_script
from tests.ptxas.conftest import mnemonics

_TURNS = {
    "largest": (
        "if (v > c) { s = s * expf(c - v) + 1; c = v; } else s += expf(v - c);",
        ["more = v > c", "s = where(more, s * exp(c - v) + 1, s + exp(v - c))", "c = where(more, v, c)"],
    ),
    "last": ("s = s * 0.5f + (v - c); c = v;", ["s = s * 0.5 + (v - c)", "c = v"]),
}
"""What a turn does, and the same as lines of a script."""


def _source(name: str) -> str:
    body, lines = _TURNS[name]
    script = ["x = uniform(-4, 4, (42, 32), f32)", "y = zeros(32, f32)", "f[1, 32](x, y, 42)", "c = zeros(32, f64)"]
    script += ["s = zeros(32, f64)", "for k in range(42):", "    v = f64(x[k])"]
    script += [f"    {line}" for line in lines] + ["expect(y, s, rel=1e-4, abs=1e-4)"]
    return "".join(f"//! {line}\n" for line in script) + (
        "__global__ void f(const float *x, float *y, int n) { float c = 0, s = 0;\n#pragma unroll 4\n"
        f"for (int i = 0; i < n; i++) {{ float v = x[32 * i + threadIdx.x]; {body} }} y[threadIdx.x] = s; }}"
    )


def _together(image: bytes) -> int:
    """The most loads with no arithmetic of floats between them."""
    most = count = 0
    for name in mnemonics(image):
        count = 0 if name[:1] in "DF" else count + (name == "LDG")
        most = max(most, count)
    return most


@pytest.mark.parametrize("name", _TURNS)
def test_loads_of_a_round_are_under_way_together(tmp_path: Path, name: str) -> None:
    path = tmp_path / "f.k"
    path.write_text(_source(name))
    counts = []
    for options in ("", "-Xptxas --disable=carried"):
        image = minicc.compile(path, arch="sm_90", options=options).cubin
        (check,) = run_script(path, image).checks
        assert check.ok, options
        counts.append(_together(image))
    assert counts[0] == 4 > counts[1]
