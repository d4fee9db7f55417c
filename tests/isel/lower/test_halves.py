"""Halves as bits: signs are logic, pairs and their parts are moves, and a load is as wide as what is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc import isel, ptx
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, kernel, run_rows

START = "entry:\n  %word = load i32, ptr %in, align 4\n  %s = trunc i32 %word to i16\n"
HALF = START + "  %h = bitcast i16 %s to half\n"
CASES = {
    "fabs": (HALF + "  %a = call half @llvm.fabs.f16(half %h)\n  %r = bitcast half %a to i16", lambda w: w & 0x7FFF),
    "fneg": (HALF + "  %a = fneg half %h\n  %r = bitcast half %a to i16", lambda w: w & 0xFFFF ^ 0x8000),
    "unordered": (
        HALF + "  %c = fcmp uno half %h, 0.0\n  %r = zext i1 %c to i16",
        lambda w: int(w & 0x7FFF > 0x7C00),
    ),
    "high": (
        START + "  %u = lshr i32 %word, 16\n  %t = trunc i32 %u to i16\n  %h = bitcast i16 %t to half\n"
        "  %c = fcmp uno half %h, 0.0\n  %r = zext i1 %c to i16",
        lambda w: int(w >> 16 & 0x7FFF > 0x7C00),
    ),
    "other": (HALF + "  %b = bitcast half %h to bfloat\n  %a = fneg bfloat %b\n  %r = bitcast bfloat %a to i16",
              lambda w: w & 0xFFFF ^ 0x8000),
    "shifted": (START + "  %x = sext i16 %s to i32\n  %y = shl i32 %x, 16\n  %r0 = lshr i32 %y, 20\n"
                "  %r = trunc i32 %r0 to i16", lambda w: w >> 4 & 0xFFF),
    "joined": (
        START + "  %f = bitcast i32 %word to float\n"
        "  %p = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %f, float 1.0)\n"
        "  %q = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float 1.0, float %f)\n"
        "  %x = zext i16 %p to i32\n  %y = zext i16 %q to i32\n  %z = shl i32 %y, 16\n  %w = or i32 %z, %x\n"
        "  %v = bitcast i32 %w to <2 x half>\n  %h = extractelement <2 x half> %v, i32 1\n"
        "  %b = bitcast half %h to i16\n  %r = xor i16 %b, %q",
        lambda w: 0,
    ),
}  # fmt: skip
ABSENT = {
    "fabs": r"\babs\.",
    "other": r"\bmov\.b16",
    "fneg": r"\bneg\.",
    "unordered": r"mov\.b16",
    "high": r"\bshr\.",
    "shifted": r"cvt\.s32",
    "joined": r"\bcvt\.",
}


def text_of(body: str) -> str:
    declared = "\ndeclare half @llvm.fabs.f16(half)\ndeclare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)"
    return (
        'target triple = "nvptx64-nvidia-cuda"\n'
        + kernel(f"{body}\n  store i16 %r, ptr %out, align 4\n  br label %end")
        + declared
    )


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=40, deadline=None)
@given(word=st.integers(0, 2**32 - 1) | st.sampled_from([0x7C00, 0x7C01, 0xFC00, 0x7E000000, 0x8000, 0]))
def test_bits(name: str, word: int) -> None:
    body, exact = CASES[name]
    module = isel.select(read(text_of(body)), ARCH, isel.Options())
    assert not re.search(ABSENT[name], ptx.format(module))
    assert run_rows(module, [[word]], 1)[0][0] & 0xFFFF == exact(word)


@pytest.mark.parametrize(("use", "loaded"), [
    ("%v = trunc i32 %x to i8", "u8"), ("%v = and i32 %x, 65535", "u16"), ("%v = and i32 %x, 4095", "u32"),
    ("%y = trunc i32 %x to i8\n  %z = trunc i32 %x to i16\n  %e = zext i8 %y to i16\n  %v = or i16 %e, %z", "u16"),
])  # fmt: skip
def test_what_is_asked_for(use: str, loaded: str) -> None:
    """Little-endian: the low part is where the whole is."""
    type_ = "i16" if "or i16" in use else "i8" if "to i8" in use else "i32"
    body = f"entry:\n  %x = load i32, ptr %in, align 4\n  {use}\n  store {type_} %v, ptr %out, align 4\n  br label %end"
    module = isel.select(read(kernel(body)), ARCH, isel.Options())
    assert f"ld.{loaded}" in ptx.format(module)
    for word in (0x12345678, 0xFFFFFFFF):
        mask = {"u8": 0xFF, "u16": 0xFFFF, "u32": 0xFFF}[loaded]
        assert run_rows(module, [[word]], 1)[0][0] & 0xFFFFFFFF == word & mask


def test_assigned_whole(tmp_path: Path) -> None:
    """A pair of halves is assigned as the word it is: its class's operator= from other types copy nothing."""
    source = """#include <cuda_fp16.h>
__global__ void k(const __half2 *a, __half2 *b, int n) {
    __half2 sum = a[0];
    for (int i = 1; i < n; i++) sum = __hadd2(sum, a[i]);
    b[0] = sum;
}"""
    path = tmp_path / "k.cu"
    path.write_text(source)
    text = minicc.compile(path, arch="sm_90").ptx
    assert not re.search(r"\b(ld|st)\.\S*[usb](8|16)\b|prmt", text)


def test_pairs_as_shorts_stay_pairs() -> None:
    """A pair that a class holds as two shorts, put together again for the next operation, leaves no trace of them."""
    code = (
        " %x = load <2 x half>, ptr %in, align 4\n %a = fmul <2 x half> %x, %x\n"
        " %b = bitcast <2 x half> %a to <2 x i16>\n %l = extractelement <2 x i16> %b, i32 0\n"
        " %h = extractelement <2 x i16> %b, i32 1\n"
        " %zl = zext i16 %l to i32\n %zh = zext i16 %h to i32\n %s = shl i32 %zh, 16\n %w = or i32 %s, %zl\n"
        " %c = bitcast i32 %w to <2 x half>\n %d = fmul <2 x half> %c, %x\n store <2 x half> %d, ptr %out, align 4\n"
    )
    text = (
        f'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k(ptr %in, ptr %out) {{\n{code} ret void\n}}\n'
    )
    written = ptx.format(isel.select(read(text), ARCH, isel.Options()))
    assert (
        written.count("mul.rn.f16x2") == 2
        and "prmt" not in written
        and "mov.b32" not in written
        and "cvt" not in written
    )
