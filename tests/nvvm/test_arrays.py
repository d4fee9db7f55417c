"""Local arrays that go when loops are written out, and what stays as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minicc
from minicc import arch
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.nvvm import arrays
from runtime import Device

SM_90 = arch.get("sm_90")
INVERSE = """
__global__ void inverse(const float *in, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float m[SIZE][2 * SIZE];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            m[i][j] = in[(t * SIZE + i) * SIZE + j];
            m[i][SIZE + j] = i == j;
        }
    for (int c = 0; c < SIZE; c++) {
        int p = c;
        for (int r = c + 1; r < SIZE; r++)
            if (fabsf(m[r][c]) > fabsf(m[p][c])) p = r;
        for (int r = c + 1; r < SIZE; r++)
            if (r == p)
                for (int j = 0; j < 2 * SIZE; j++) {
                    float x = m[c][j];
                    m[c][j] = m[r][j];
                    m[r][j] = x;
                }
        float f = 1.0f / m[c][c];
        for (int j = 0; j < 2 * SIZE; j++) m[c][j] *= f;
        for (int r = 0; r < SIZE; r++)
            if (r != c) {
                float g = m[r][c];
                for (int j = 0; j < 2 * SIZE; j++) m[r][j] -= g * m[c][j];
            }
    }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) out[(t * SIZE + i) * SIZE + j] = m[i][SIZE + j];
}
"""


def local(image: bytes) -> int:
    code = read_cubin(image, "inverse").functions[0].code
    return sum(1 for i in instructions(code, SM_90) if i.mnemonic in ("LDL", "STL"))


def compiled(folder: Path, size: int) -> bytes:
    path = folder / "inverse.k"
    path.write_text(INVERSE.replace("SIZE", str(size)))
    return minicc.compile(path, arch="sm_90").cubin


POWERS = """
__device__ float fitness(const float *x, float e)
{
    float sum = 0;
    for (int i = 0; i < 29; i++) sum += powf(x[i] - 1, e) * (1 + powf(sinf(3 * x[i + 1]), e));
    return sum;
}
__global__ void better(const float *in, float *best, float e)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) * 30;
    float a[30], b[30];
    for (int j = 0; j < 30; j++) {
        a[j] = in[t + j];
        b[j] = best[t + j];
    }
    if (fitness(a, e) < fitness(b, e))
        for (int j = 0; j < 30; j++) best[t + j] = a[j];
}
"""


def test_an_array_stays_where_its_loops_would_write_out_sines_and_powers(tmp_path: Path) -> None:
    """Written out the kernel has some 12,000 instructions, of which caches hold few."""
    path = tmp_path / "better.k"
    path.write_text(POWERS)
    assert len(read_cubin(minicc.compile(path, arch="sm_90").cubin, "better").functions[0].code) < 3000 * 16


@pytest.mark.parametrize("size", [3, 4])
def test_a_small_matrix_lives_in_registers(size: int, tmp_path: Path) -> None:
    """But for its pivots' column, of which the row is chosen at run time."""
    image = compiled(tmp_path, size)
    assert local(image) < 2 * size * size
    rng = np.random.default_rng(size)
    given = rng.random((64, size, size)).astype(np.float32) - 0.5
    out = np.zeros_like(given)
    Device().load(image)["inverse"][2, 32](given, out, 64)
    want = np.linalg.inv(given.astype(np.float64))
    assert np.abs(out - want).max() < 1e-4 * np.abs(want).max()


def test_a_large_one_stays(tmp_path: Path) -> None:
    """Nothing would go, so nothing is written out for it."""
    image = compiled(tmp_path, 24)
    assert local(image) > 0 and len(read_cubin(image, "inverse").functions[0].code) < 16 * 1200


BESIDE = """
__global__ void beside(const float *in, float *out)
{
    float s = in[threadIdx.x];
    for (int i = 0; i < 300; i++) s = s * in[i] + in[2 * i];
    out[threadIdx.x] = s;
}
"""


def test_what_has_no_array_stays_as_it_is_alone(tmp_path: Path) -> None:
    codes = []
    for name, text in ("alone", BESIDE), ("both", INVERSE.replace("SIZE", "4") + BESIDE):
        path = tmp_path / f"{name}.k"
        path.write_text(text)
        codes += [f.code for f in read_cubin(minicc.compile(path, arch="sm_90").cubin, name).functions]
    assert codes[0] in codes[1:]


INDEXED = """
define ptx_kernel void @indexed(ptr %in, i32 %n) {
entry:
  %array = alloca [LENGTH x i32], align 4
  br label %counted
counted:
  %c = phi i32 [ 0, %entry ], [ %d, %counted ]
  %d = add i32 %c, 1
  %few = icmp ne i32 %d, 16
  br i1 %few, label %counted, label %loop
loop:
  %i = phi i32 [ 0, %counted ], [ %j, %loop ]
  %at = INDEX
  %place = getelementptr inbounds [LENGTH x i32], ptr %array, i64 0, i32 %at
  store i32 %i, ptr %place, align 4
  %j = add i32 %i, 1
  %more = icmp ne i32 %j, BOUND
  br i1 %more, label %loop, label %out
out:
  ret void
}
"""


@pytest.mark.parametrize(
    ("index", "bound", "length", "may"),
    [
        ("add i32 %i, 3", "12", 16, True),
        ("add i32 %i, 3", "12", 100_000, False),
        ("add i32 %i, 3", "%n", 16, False),
        ("and i32 %n, 7", "12", 16, False),
        ("load i32, ptr %in, align 4", "12", 16, False),
        ("load i32, ptr %array, align 4", "12", 16, True),
        ("call i32 @llvm.smin.i32(i32 %i, i32 4)", "12", 16, True),
        ("call i32 @f(i32 %i)", "12", 16, False),
        ("select i1 %few, i32 %i, i32 %j", "12", 16, True),
    ],
)
def test_an_array_may_go_where_its_indices_may_be_constants(index: str, bound: str, length: int, may: bool) -> None:
    text = INDEXED.replace("INDEX", index).replace("BOUND", bound).replace("LENGTH", str(length))
    assert ("indexed" in arrays.kept(text)) is may


SORT = """
__global__ void sort(const float *in, float *out)
{
    float a[SIZE];
    for (int i = 0; i < SIZE; i++) a[i] = in[threadIdx.x * SIZE + i];
    for (int i = 1; i < SIZE; i++) {
        float x = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
    out[threadIdx.x] = a[SIZE / 2];
}
"""


@pytest.mark.parametrize(("source", "size", "tried"), [(INVERSE, 4, True), (SORT, 128, False), (SORT, 300, False)])
def test_loops_that_would_be_written_out_in_each_other_without_end_are_not_tried(
    source: str, size: int, tried: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sort of 128 would have 50,258 lines, in 14 s: LLVM's limit is one for each loop."""
    found: list[dict[str, str]] = []
    kept = arrays.kept
    monkeypatch.setattr(arrays, "kept", lambda text: found.append(kept(text)) or found[-1])
    path = tmp_path / "a.k"
    path.write_text(source.replace("SIZE", str(size)))
    minicc.compile(path, arch="sm_90")
    assert [bool(names) for names in found] == [tried]


def test_halves_stored_as_words_have_names_that_nothing_has() -> None:
    text = "  %stored.0 = add i32 %n, 1\n  store half %h, ptr %p, align 2\n"
    words = arrays.as_words(text).split("\n")
    assert words[0] == text.split("\n")[0] and " = bitcast half %h to i16" in words[1]
    assert words[1].split()[0] not in text and words[2].split()[2].rstrip(",") == words[1].split()[0]
