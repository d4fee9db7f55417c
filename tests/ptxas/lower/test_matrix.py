"""mma.sync, ldmatrix and cp.async on the SM model: products against numpy, copies against what was copied."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minicc.diagnostics import CompileError
from tests.conftest import PTXAS, needs_ptxas, nvidia_assembles
from tests.ptxas.lower.harness import assemble, device

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
LANE = np.arange(32)
GROUP, THREAD = LANE >> 2, LANE & 3


def run(body: str, data: np.ndarray[Any, Any], words: int) -> np.ndarray[Any, Any]:
    """One warp; `words` input words and as many output words for each lane, at %in and %out."""
    from minicc import binary

    text = (
        f"{HEAD}.visible .entry k(.param .u64 a, .param .u64 b) {{ .reg .b32 %t, %r<40>; .reg .b64 %in, %out, %rd<9>;"
        f" .reg .f32 %f<9>; mov.u32 %t, %tid.x; ld.param.u64 %in, [a]; ld.param.u64 %out, [b];"
        f" mad.wide.u32 %in, %t, {4 * words}, %in; mad.wide.u32 %out, %t, {4 * words}, %out; {body} ret; }}\n"
    )
    kernel: Any = device().load(binary.write_cubin(assemble(text)))["k"]
    out = np.zeros(32 * words, np.uint32)
    kernel[(1,), (32,)](np.ascontiguousarray(data).view(np.uint32).ravel(), out)
    return out.reshape(32, words)


def pack(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Pairs of halves (last axis) as words."""
    return np.ascontiguousarray(values).view(np.uint32)[..., 0]


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_half_product(kind: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(-8, 8, (16, 16)).astype(np.float32)
    b = rng.integers(-8, 8, (16, 8)).astype(np.float32)
    c = rng.integers(-99, 99, (16, 8)).astype(np.float32)

    def half(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if kind == "f16":
            return x.astype(np.float16).view(np.uint16)
        return (x.view(np.uint32) >> 16).astype(np.uint16)

    words = np.zeros((32, 12), np.uint32)
    two = np.arange(2)
    for i, (row, column) in enumerate([(0, 0), (8, 0), (0, 8), (8, 8)]):
        words[:, i] = pack(half(a[(GROUP + row)[:, None], (2 * THREAD + column)[:, None] + two]))
    for i, k in enumerate([0, 8]):
        words[:, 4 + i] = pack(half(b[(2 * THREAD + k)[:, None] + two, GROUP[:, None]]))
    for i in range(4):
        words[:, 6 + i] = c[GROUP + 8 * (i // 2), 2 * THREAD + i % 2].view(np.uint32)
    body = (
        "ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%in]; ld.global.v2.u32 {%r4,%r5}, [%in+16];"
        " ld.global.v2.f32 {%f0,%f1}, [%in+24]; ld.global.v2.f32 {%f2,%f3}, [%in+32];"
        f" mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 {{%f4,%f5,%f6,%f7}},"
        " {%r0,%r1,%r2,%r3}, {%r4,%r5},"
        " {%f0,%f1,%f2,%f3}; st.global.v4.f32 [%out], {%f4,%f5,%f6,%f7};"
    )
    out = run(body, words, 12)[:, :4].copy().view(np.float32)
    want = a @ b + c
    for i in range(4):
        assert np.array_equal(out[:, i], want[GROUP + 8 * (i // 2), 2 * THREAD + i % 2])


def test_integer_product() -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(-128, 128, (16, 32)).astype(np.int8)
    b = rng.integers(0, 256, (32, 8)).astype(np.uint8)
    words = np.zeros((32, 8), np.uint32)
    four = np.arange(4)
    for i, (row, column) in enumerate([(0, 0), (8, 0), (0, 16), (8, 16)]):
        words[:, i] = pack(a[(GROUP + row)[:, None], (4 * THREAD + column)[:, None] + four])
    for i, k in enumerate([0, 16]):
        words[:, 4 + i] = pack(b[(4 * THREAD + k)[:, None] + four, GROUP[:, None]])
    body = (
        "ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%in]; ld.global.v2.u32 {%r4,%r5}, [%in+16]; mov.u32 %r6, 7;"
        " mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r8,%r9,%r10,%r11}, {%r0,%r1,%r2,%r3}, {%r4,%r5},"
        " {%r6,%r6,%r6,%r6}; st.global.v4.u32 [%out], {%r8,%r9,%r10,%r11};"
    )
    out = run(body, words, 8)[:, :4].copy().view(np.int32)
    want = a.astype(np.int32) @ b.astype(np.int32) + 7
    for i in range(4):
        assert np.array_equal(out[:, i], want[GROUP + 8 * (i // 2), 2 * THREAD + i % 2])


@pytest.mark.parametrize("transposed", [False, True])
def test_copy_and_load_matrix(transposed: bool) -> None:
    """cp.async brings four 8x8 matrices of halves to shared memory; ldmatrix hands out their rows (or columns)."""
    data = np.random.default_rng(5).integers(0, 1 << 16, (4, 8, 8)).astype(np.uint16)
    body = (
        ".shared .align 16 .b8 s[512]; mov.u32 %r20, s; shl.b32 %r21, %t, 4; add.u32 %r20, %r20, %r21;"
        " cp.async.cg.shared.global [%r20], [%in], 16; cp.async.commit_group; cp.async.wait_group 0; bar.warp.sync -1;"
        f" ldmatrix.sync.aligned.m8n8.x4{'.trans' if transposed else ''}.shared.b16 {{%r0,%r1,%r2,%r3}}, [%r20];"
        " st.global.v4.u32 [%out], {%r0,%r1,%r2,%r3};"
    )
    out = run(body, data, 4)
    for i in range(4):
        matrix = data[i].T if transposed else data[i]
        want = pack(np.ascontiguousarray(matrix[GROUP[:, None], (2 * THREAD)[:, None] + np.arange(2)]))
        assert np.array_equal(out[:, i], want)


@pytest.mark.parametrize(("rows", "columns"), [("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_wmma(kind: str, rows: str, columns: str) -> None:
    """wmma.load, .mma and .store of every layout of the factors, with a stride."""
    from minicc import binary

    rng = np.random.default_rng(9)
    a = rng.integers(-8, 8, (16, 16)).astype(np.float32)
    b = rng.integers(-8, 8, (16, 16)).astype(np.float32)
    stride = 24

    def stored(x: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
        out = np.zeros((16, stride), np.float32)
        out[:, :16] = x if layout == "row" else x.T
        if kind == "f16":
            return out.astype(np.float16).view(np.uint16)
        return (out.view(np.uint32) >> 16).astype(np.uint16)

    def fragment(name: str, count: int) -> str:
        return "{" + ", ".join(f"{name}{i}" for i in range(count)) + "}"

    n = 8 if kind == "f16" else 4
    types = "f32.f32" if kind == "f16" else "f32.bf16.bf16.f32"
    fa, fb, fc, fd = fragment("%a", n), fragment("%b", n), fragment("%c", 8), fragment("%d", 8)
    text = (
        f"{HEAD}.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {{ .reg .b32 %a<8>, %b<8>;"
        f" .reg .f32 %c<8>, %d<8>; .reg .b64 %p<3>; ld.param.u64 %p0, [a];"
        f" ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c];"
        f" wmma.load.a.sync.aligned.{rows}.m16n16k16.global.{kind} {fa}, [%p0], {stride};"
        f" wmma.load.b.sync.aligned.{columns}.m16n16k16.{kind} {fb}, [%p1], {stride};"
        f" wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {fc}, [%p2], 16;"
        f" wmma.mma.sync.aligned.{rows}.{columns}.m16n16k16.{types} {fd}, {fa}, {fb}, {fc};"
        f" wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%p2], {fd}, 16; ret; }}\n"
    )
    kernel: Any = device().load(binary.write_cubin(assemble(text)))["k"]
    c = rng.integers(-99, 99, (16, 16)).astype(np.float32)
    out = c.copy()
    kernel[(1,), (32,)](stored(a, rows), stored(b, columns), out)
    assert np.array_equal(out.T, a @ b + c)


@pytest.mark.parametrize("shape", ["m16n16k16", "m32n8k16", "m8n32k16"])
@pytest.mark.parametrize(("which", "layout"), [("a", "row"), ("a", "col"), ("b", "row"), ("b", "col")])
def test_factors_come_from_shared_memory_as_from_global(which: str, layout: str, shape: str) -> None:
    """By LDSM, whole matrices at a time; by loads of words and halves."""
    data = np.arange(32 * 40, dtype=np.uint16).view(np.uint32)

    def loaded(first: int, space: str, at: str) -> str:
        into = _fragment("r", 8, first)
        return f"wmma.load.{which}.sync.aligned.{layout}.{shape}.{space}.f16 {into}, [{at}+32], 40;"

    copied = "".join(
        f"ld.global.b32 %r0, [%rd2+{k}]; st.shared.b32 [%r1+{k}], %r0;" for k in range(0, 4 * len(data), 128)
    )
    body = (
        f".shared .align 32 .b8 s[{4 * len(data)}]; mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1;"
        f" ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1; mad.wide.u32 %rd2, %t, 4, %rd1; {copied}"
        f" bar.sync 0; mov.u32 %r1, s;"
        f" {loaded(10, 'shared', '%r1')} {loaded(20, 'global', '%rd1')}"
    )
    body += "".join(f" st.global.b32 [%out+{4 * k}], %r{n};" for k, n in enumerate([*range(10, 18), *range(20, 28)]))
    out = run(body, data, 16)
    assert np.array_equal(out[:, :8], out[:, 8:]) and len(np.unique(out)) > 32


def _fragment(kind: str, count: int, first: int) -> str:
    return "{" + ", ".join(f"%{kind}{first + k}" for k in range(count)) + "}"


_OUT, _FOUT = _fragment("r", 4, 20), _fragment("f", 4, 20)
FORMS = {
    "bits": ("m16n8k256.row.col.s32.b1.b1.s32.and.popc", _OUT, 4, 2, "r", 4, ""),
    "small_bits": ("m16n8k128.row.col.s32.b1.b1.s32.and.popc", _OUT, 2, 1, "r", 4, ""),
    "e4m3": ("m16n8k32.row.col.f32.e4m3.e5m2.f32", _FOUT, 4, 2, "f", 4, ""),
    "e5m2": ("m16n8k16.row.col.f32.e5m2.e4m3.f32", _FOUT, 2, 1, "f", 4, ""),
    "e4m3_half": ("m16n8k32.row.col.f16.e4m3.e4m3.f16", _fragment("r", 2, 20), 4, 2, "r", 2, ""),
    "sparse_f16": ("m16n8k32.row.col.f32.f16.f16.f32", _FOUT, 4, 4, "f", 4, ", %r9, 0x1"),
    "sparse_bf16": ("m16n8k16.row.col.f32.bf16.bf16.f32", _FOUT, 2, 2, "f", 4, ", %r9, 0x1"),
    "sparse_tf32": ("m16n8k16.row.col.f32.tf32.tf32.f32", _FOUT, 4, 4, "f", 4, ", %r9, 0x0"),
    "sparse_e4m3": ("m16n8k64.row.col.f32.e4m3.e5m2.f32", _FOUT, 4, 4, "f", 4, ", %r9, 0x0"),
    "sparse_e5m2": ("m16n8k64.row.col.f32.e5m2.e4m3.f32", _FOUT, 4, 4, "f", 4, ", %r9, 0x0"),
    "sparse_s8": ("m16n8k64.row.col.satfinite.s32.s8.u8.s32", _OUT, 4, 4, "r", 4, ", %r9, 0x0"),
}


def test_rarer_products_as_nvidia_compiles_them(tmp_path: Path) -> None:
    """8-bit floats, single bits and sparse operands: NVIDIA's code and ours give the same bits on the model."""
    from minicc import binary

    text = ".version 9.0\n.target sm_90\n.address_size 64\n"
    for name, (form, out, a, b, kind, c, more) in FORMS.items():
        variant = ".sp" if more else ""
        text += f".visible .entry {name}(.param .u64 p)\n{{ .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %rd<4>;\n"
        text += "ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; mad.wide.u32 %rd0, %r0, 128, %rd0;\n"
        text += "".join(f"ld.global.u32 %r{k}, [%rd0+{4 * k}];" for k in range(1, 14))
        text += "".join(f"mov.b32 %f{k}, %r{k};" for k in range(1, 14))
        text += f"\nmma{variant}.sync.aligned.{form} {out}, {_fragment('r', a, 1)}, {_fragment('r', b, 5)},"
        text += f" {_fragment(kind, c, 10)}{more};\n"
        for k, item in enumerate(out.strip("{}").split(", ")):
            text += f"st.global.{'f' if item[1] == 'f' else 'u'}32 [%rd0+{64 + 4 * k}], {item};"
        text += " ret; }\n"
    theirs = device().load(nvidia_assembles(text, tmp_path))
    ours = device().load(binary.write_cubin(assemble(text)))
    halves = np.random.default_rng(4).uniform(-2, 2, 32 * 64).astype(np.float16)
    for name in FORMS:
        first, second = halves.view(np.uint32).copy(), halves.view(np.uint32).copy()
        theirs[name][1, 32](first)
        ours[name][1, 32](second)
        assert np.array_equal(first, second), name
        assert not np.array_equal(first, halves.view(np.uint32)), name


def test_bits_that_differ_from_zero() -> None:
    """A fragment of zeros is no register, its inverse is as many as it has."""
    for left, right, counted in (("{%r9,%r9,%r9,%r9}", "{%r0,%r1}", (0, 1)), ("{%r0,%r1,%r2,%r3}", "{%r9,%r9}", None)):
        out = run(
            "ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%in]; mov.b32 %r9, 0;"
            " mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r4,%r5,%r6,%r7},"
            f" {left}, {right}, {{%r9,%r9,%r9,%r9}}; st.global.v4.u32 [%out], {{%r4,%r5,%r6,%r7}};",
            words := np.random.default_rng(6).integers(0, 1 << 32, (32, 4), dtype=np.uint32), 4,
        )  # fmt: skip
        bits = np.bitwise_count(words)
        lanes = [bits[4 * n : 4 * n + 4].sum(axis=0) for n in range(8)]
        if counted:
            columns = [sum(lane[k] for k in counted) for lane in lanes]
            wanted = [[columns[2 * t + k % 2] for k in range(4)] for t in THREAD]
        else:
            wanted = [[lanes[g][k // 2] + lanes[g][k // 2 + 2] for k in range(4)] for g in GROUP]
        np.testing.assert_array_equal(out, wanted)


@needs_ptxas
@pytest.mark.parametrize("name", ["e5m2", "sparse_f16", "sparse_tf32", "sparse_e4m3", "sparse_s8"])
def test_kinds_of_sparse_products_are_recorded(name: str, tmp_path: Path) -> None:
    from minicc import binary

    form, out, a, b, kind, c, more = FORMS[name]
    text = (
        f"{HEAD}.visible .entry k() {{ .reg .b32 %r<40>; .reg .f32 %f<40>;\nmma{'.sp' if more else ''}.sync.aligned."
        f"{form} {out}, {_fragment('r', a, 1)}, {_fragment('r', b, 5)}, {_fragment(kind, c, 10)}{more}; ret; }}\n"
    )
    images = nvidia_assembles(text, tmp_path), binary.write_cubin(assemble(text))
    theirs, ours = (binary.read_cubin(image, "k").functions[0].attributes["SPARSE_MMA_MASK"] for image in images)
    assert theirs == ours and bool(ours) == bool(more)


CONSTANTS = (
    "m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4},{%r1,%r1,%r1,%r1},{%r1,%r1},{0,0,0,0}",
    "m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4},{1,1,0f3f800000,1},{%r1,%r1},{%f1,%f1,%f1,%f1}",
    "m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4},{%r1,%r1,%r1,%r1},{1,2},{%f1,%f1,%f1,%f1}",
    "m16n8k16.row.col.f16.f16.f16.f16 {%r2,%r3},{%r1,%r1,%r1,%r1},{%r1,%r1},{0,0}",
    "m16n8k32.row.col.s32.s8.s8.s32 {%r2,%r3,%r4,%r5},{%r1,%r1,%r1,%r1},{%r1,%r1},{0,0f00000000,0,0}",
    "m8n8k4.row.col.f64.f64.f64.f64 {%fd2,%fd3},{%fd1},{%fd1},{0,%fd1}",
)
"""Products with constants of a kind that their fragments do not take."""


@needs_ptxas
@pytest.mark.parametrize("text", CONSTANTS)
def test_constants_that_a_fragment_does_not_take(text: str, tmp_path: Path) -> None:
    head = f"{HEAD}.visible .entry k() {{ .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
    whole = f"{head}mma.sync.aligned.{text}; ret; }}\n"
    (tmp_path / "k.ptx").write_text(whole)
    command = [PTXAS, "-arch=sm_90", "k.ptx", "-o", "k.cubin"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode
    with pytest.raises(CompileError, match="Arguments mismatch for instruction 'mma'"):
        assemble(whole)
