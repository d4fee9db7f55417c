"""Declarations of a module: what is legal is asked of NVIDIA's ptxas."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from minicc import arch, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile

HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
KERNEL = (
    ".visible .entry k(.param .u64 p) DIRECTIVES { .reg .b64 q; ld.param.u64 q, [p]; st.global.u32 [q], 1; ret; }\n"
)
LEGAL = [
    (".global .u32 g = 3, h[2] = {1};", True), (".global .u32 g[2][2] = {{1, 2}, {3}};", True),
    (".global .u32 g = {1};", False), (".global .u32 g[2] = {1,};", False), (".global .u32 g = 1.5;", False),
    (".global .s32 g[2] = {1, 0f3f800000};", False), (".global .f32 g = 1;", False), (".global .f32 g = 1.0;", True),
    (".global .f64 g[2] = {1.0, 0d3ff0000000000000};", True), (".global .b32 g = 0f3f800000;", True),
    (".global .f16 g;", True), (".global .f16 g = 1.0;", False), (".global .f16x2 g = 1;", False),
    (".global .b16 g = 0x3c00;", True), (".global .u32 g[];", False), (".global .u32 g[0];", False),
    (".global .u32 g[] = {1, 2};", True), (".const .u32 g[];", False), (".shared .u32 g[];", False),
    (".extern .shared .u32 g[];", True), (".shared .u32 g = 1;", False), (".shared .u32 g;", True),
    (".global .pred g;", False), (".global .e4m3 g;", False), (".global .bf16 g;", False), (".global .s4 g;", False),
    (".global .u32 h; .global .u64 g[2] = {h, generic(h)+8};", True), (".global .u64 g = k;", True),
    (".func f() { ret; } .global .u64 g = f;", True), (".func f() { ret; } .global .u64 g = f+1;", False),
    (".extern .global .u32 g; .visible .global .u32 g = 4;", True), (".extern .global .u32 g; .global .u32 g;", False),
    (".extern .global .u32 g; .visible .global .u64 g;", False), (".entry j;", False), (";", False),
    (".visible .func g(); .visible .func f() { ret; } .alias g, f;", True),
    (".visible .func f() { ret; } .alias g, f;", False),
    (".visible .func f() { ret; } .visible .func g() { ret; } .alias g, f;", False),
    (".func f() .noreturn { trap; }", True), (".func (.param .u32 z) f() .noreturn { trap; }", False),
]  # fmt: skip
DIRECTIVES = [
    (".maxntid 16, 8", True), (".maxntid 0", False), (".reqntid 0", False), (".maxnreg 0", False),
    (".maxntid 32 .minnctapersm 0", False), (".maxntid 32 .minnctapersm 2", True), (".maxnctapersm 4", False),
    (".reqnctapercluster 2", True), (".maxclusterrank 4 .reqnctapercluster 2", False), (".blocksareclusters", False),
    (".reqntid 32 .blocksareclusters", False), (".reqntid 32 .reqnctapercluster 2 .blocksareclusters", True),
    ('.pragma "nounroll";', True), ('.pragma "used_bytes_mask 0xfff";', False), ('.pragma "frequency 3";', False),
]  # fmt: skip
CASES = [
    *((HEAD + KERNEL.replace("DIRECTIVES", "") + text, legal) for text, legal in LEGAL),
    *((HEAD + KERNEL.replace("DIRECTIVES", text), legal) for text, legal in DIRECTIVES),
]


@pytest.mark.parametrize(("text", "legal"), CASES)
def test_legal(text: str, legal: bool) -> None:
    try:
        ptxas.assemble(ptx.parse(SourceFile("d.ptx", text)), arch.get("sm_90a"), ptxas.Options())
    except CompileError:
        assert not legal
    else:
        assert legal


def test_nvidia_agrees(tmp_path: Path, oracle: Callable[[str], str]) -> None:
    nvidia = oracle("ptxas")
    for text, legal in CASES:
        (tmp_path / "d.ptx").write_text(text)
        command = [nvidia, "-arch=sm_90a", "-o", str(tmp_path / "d.cubin"), str(tmp_path / "d.ptx")]
        assert (subprocess.run(command, capture_output=True).returncode == 0) == legal, text
