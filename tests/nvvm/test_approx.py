"""Approximate functions of constants are the constants that nvcc makes of them, whenever that becomes known."""

from __future__ import annotations

import math
import random
import re
import struct
from pathlib import Path

import minicc
from minicc.nvvm.approx import fold
from tests.conftest import nvcc_makes

CALLS = ("__log2f", "exp2f", "__sinf", "__cosf", "__logf", "__expf", "__log10f", "__exp10f")
TREE = """__global__ void tree(float *o) {
    __shared__ float w[16][16];
    int y = threadIdx.y, x = threadIdx.x;
    w[y][x] = o[y * 16 + x];
    __syncthreads();
    for (int i = 1; i <= __log2f(16); i++) {
        int p = __powf(2, i);
        if (y % p == 0) w[y][x] += w[y + p / 2][x];
        __syncthreads();
    }
    o[y * 16 + x] = w[y][x];
}"""


def ptx(text: str, folder: Path) -> str:
    (folder / "a.cu").write_text(text)
    return minicc.compile(folder / "a.cu", arch="sm_90").ptx


def words(text: str) -> list[int]:
    """Words of a PTX file that are stored or moved as immediates."""
    found = [int(x) & 0xFFFFFFFF for x in re.findall(r"(?:mov|st\.\w+)\.[bu]32[^;]*?(-?\d+);", text)]
    return sorted(found + [int(x, 16) for x in re.findall(r"0f([0-9A-F]{8})", text)])


def test_constants_are_nvcc_s(tmp_path):
    draw = random.Random("approx")
    lines = [f"p[{i}] = {draw.choice(CALLS)}({draw.uniform(0.1, 9):.5f}f);" for i in range(40)]
    source = "__global__ void k(volatile float *p) {\n" + "\n".join(lines) + "\n}\n"
    mine = ptx(source, tmp_path)
    assert ".approx" not in mine
    theirs = words(nvcc_makes(tmp_path / "a.cu", tmp_path / "b.ptx").decode())
    assert len(set(theirs)) > 30 and set(words(mine)) == set(theirs)


def test_a_loop_to_a_logarithm_is_unrolled(tmp_path):
    """Its turns are known, and the powers in its body after that."""
    text = ptx(TREE, tmp_path)
    assert ".approx" not in text and "rem" not in text
    assert text.count("bar.sync") == 5


def test_turns_that_are_made_together_are_not_multiplied(tmp_path):
    """By what is done again for a constant elsewhere in the file: four turns became sixteen."""
    loop = """__global__ void k(const int *x, int *o, int n, int m) {
        int s = 0, t = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (x[s += i ^ j] > t) t = x[s] * x[t];
        *o = s + t;
    }
    """
    alone, beside = ptx(loop, tmp_path), ptx(loop + TREE, tmp_path)
    assert 4 <= alone.count("ld.global") == beside.partition(".entry _Z4tree")[0].count("ld.global")


def test_powers_and_logarithms_of_doubles_are_constants(tmp_path):
    """They begin with the reciprocal of a constant, and correct it: what comes out is the host's value or near it."""
    draw = random.Random("reciprocal")
    some = [(draw.uniform(0.1, 9), draw.uniform(-9, 9)) for _ in range(6)]
    calls = [("pow(2.0, 32.0)", 2.0**32), ("log10(2.0)", math.log10(2)), ("powf(2.0f, 3.0f)", 8.0)]
    calls += [(f"pow({x!r}, {y!r})", x**y) for x, y in some] + [(f"log({x!r})", math.log(x)) for x, _ in some]
    text = ptx(
        "".join(f"__global__ void k{n}(double *p) {{ *p = {call}; }}\n" for n, (call, _) in enumerate(calls)), tmp_path
    )
    assert "fma" not in text and ".approx" not in text
    found = [float(struct.unpack(">d", bytes.fromhex(x))[0]) for x in re.findall(r"0d([0-9A-F]{16})", text)]
    found += [
        float(struct.unpack("<d", struct.pack("<q", int(x)))[0]) for x in re.findall(r"[bu]64[^;]*?(-?\d{5,});", text)
    ]
    for call, want in calls:
        assert any(abs(x - want) <= 2 * math.ulp(want) for x in found), (call, want, found)


def test_only_ordinary_numbers_of_constants():
    """Infinities and NaN are left to the machine, as is everything that is no constant."""
    call = "  %a = call float @llvm.nvvm.lg2.approx{}(float {})\n"
    assert fold(call.format(".f", "%x")) is None
    assert fold(call.format(".f", "0.000000e+00")) is None
    assert fold(call.format(".f", "-1.000000e+00")) is None
    assert fold(call.format(".f", "8.000000e+00")) == "  %a = bitcast float 0x4008000000000000 to float\n"
    assert fold(call.format(".ftz.f", "0x3800000000000000")) is None, "a denormal number is flushed to zero"
    assert "0xC060000000000000" in (fold(call.format(".f", "0x37F0000000000000")) or ""), "2**-128"
