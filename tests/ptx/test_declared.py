"""Declarations of a module: what is legal is asked of NVIDIA's ptxas."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from minicc import arch, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx.verify import verify
from tests.ptx.judge import refused_by_nvidia

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
    (".global .u32 g; .global .u32 g;", False), (".extern .global .u32 g = 1;", False),
    (".global .u64 g = h; .global .u32 h;", False), (".global .u64 g = g;", False), (".global .u64 g = nope;", False),
    (".global .u32 g[2][2] = {1, 2, 3, 4};", False), (".global .v2 .f32 g[2] = {{1.0, 2.0}, {3.0, 4.0}};", True),
    (".global .v2 .f32 g = {1.0, 2.0, 3.0};", False), (".global .u32 g[2][] = {1};", False),
    (".global .v8 .f32 g;", False), (".global .u32 _;", False), (".global .u32 WARP_SZ;", False),
    (".global .u32 %tid;", False), (".global .attribute(.managed) .u32 g;", True),
    (".global .attribute(.other) .u32 g;", False), ('.file 1 "a" .file 2 "b"', True),
    ('.file 1 "a" .file 1 "b"', False), (".func f(.param .b32 a); .func f(.param .b32 z) { ret; }", True),
    (".func f(.param .b32 a); .func f(.param .u32 a) { ret; }", False),
    (".func f(.param .b32 a); .func f() { ret; }", False), (".func f(.param .b32 _) { ret; }", False),
    (".func f(.param .align 8 .b8 a[8]); .func f(.param .align 4 .b8 a[8]) { ret; }", False),
    (".func f(.param .b32 a); .func f(.reg .b32 a) { ret; }", False),
    (".entry j(.param .u32 a, .param .u32 a) { ret; }", False), (".entry j(.param .u32 a = 1) { ret; }", False),
    (".entry j(.param .u32 a[2][2]) { ret; }", False), (".entry j(.param .v4 .f32 a) { ret; }", False),
    (".entry j(.param .pred a) { ret; }", False), (".entry j(.reg .u32 a) { ret; }", False),
    (".entry j(.param .b8 a[]) { ret; }", False), (".func f(.param .b8 a[]) { ret; }", True),
    (".func (.param .b8 a[]) f() { ret; }", False), (".func f(.param .f16x2 a) { ret; }", False),
    (".visible .func g(); .alias g, f; .visible .func f() { ret; }", False),
    (".visible .func g(); .weak .func f() { ret; } .alias g, f;", False),
    (".visible .func g(); .visible .entry f() { ret; } .alias g, f;", False),
    (".visible .func g(.reg .b64 a); .visible .func f(.reg .b32 a) { ret; } .alias g, f;", False),
    (".visible .func g(); .visible .func h(); .alias g, h;", False), (".global .u32 f; .func f() { ret; }", False),
    (".global .attribute(.unified(1, 2)) .u32 g;", False), (".const .attribute(.managed) .u32 g;", False),
    ('.pragma "nounroll";', True), ('.pragma "other";', False), ('.pragma "frequency 3";', False),
    (".func f(.param .b32 a) { .reg .b32 a; ret; }", False), (".func f(.param .b32 a) { { .reg .b32 a; } ret; }", True),
    (".func f(.param .b32 a) { st.param.b32 [a], 1; ret; }", False), (".func f() { g: .reg .b32 g; ret; }", False),
    (".func (.param .b32 a) f() { .reg .b32 x; ld.param.b32 x, [a]; ret; }", False),
    (".entry j() { call f, (); ret; } .func f() { ret; }", False),
    (".func f(.reg .u16 a) { ret; } .entry j() { call f, (1); ret; }", False),
    (".func f(.reg .v2 .u16 a) { ret; } .entry j() { .reg .v2 .u16 b; call f, (b); ret; }", True),
    (".func f(.reg .u16 a) { ret; } .entry j() { call f, (1); ret; }"
     " .func (.reg .b32 x, .reg .b32 y) g() { ret; }", True),
    (".entry j() { .reg .b32 r; brx.idx r, B; B: .branchtargets A; A: ret; }", False),
    (".entry j() { .reg .b64 r; call r, L; L: .callprototype _; ret; }", False),
    (".entry j(.hidden .param .u32 a, .param .u32 b) { ret; }", True),
    (".entry j(.param .hidden .u32 a) { ret; }", False), (".entry j(.hidden .hidden .param .u32 a) { ret; }", False),
    (".entry j(.visible .param .u32 a) { ret; }", False), (".func f(.hidden .param .u32 a) { ret; }", False),
    (".func (.hidden .param .b32 r) f() { ret; }", False), (".hidden .global .u32 g;", False),
    (".visible .func f() .visible .func f() { ret; }", True), (".entry j() .entry j() { ret; }", False),
    (".func f() f() { ret; }", False), (".func f() .maxntid 32 { ret; }", False),
    (".func f() .noreturn { trap; }", True),
    (".func (.param .u32 z) f() .noreturn { trap; }", False),
]  # fmt: skip
DIRECTIVES = [
    (".maxntid 8, 8, 8, 8", False), (".maxnreg 32, 2", False),
    (".maxntid 16, 8", True), (".maxntid 0", False), (".reqntid 0", False), (".maxnreg 0", False),
    (".maxntid 32 .minnctapersm 0", False), (".maxntid 32 .minnctapersm 2", True), (".maxnctapersm 4", False),
    (".reqnctapercluster 2", True), (".maxclusterrank 4 .reqnctapercluster 2", False), (".blocksareclusters", False),
    (".reqntid 32 .blocksareclusters", False), (".reqntid 32 .reqnctapercluster 2 .blocksareclusters", True),
    ('.pragma "nounroll";', True), ('.pragma "used_bytes_mask 0xfff";', False), ('.pragma "frequency 3";', False),
]  # fmt: skip
BODIES = [
    (";", False), ("{ };", False), ("{ }", True), ("\v", False), (".reg .b32 %a; .reg .b32 %a;", False),
    (".reg .b32 %a<4>; .reg .b32 %a<2>;", False), (".reg .b32 %a<4>; .reg .b32 %a1;", False),
    (".reg .b32 %a<4>; .reg .b32 %a4; { .reg .f32 %a<2>; }", True), ("mov .u32 r, 1;", True),
    ("ld .global .u32 r, [q];", True), ("ld.global.u32 r, [q+-4];", True), ("ld.global.u32 r, [q-4];", False),
    ("ld.global.u32 r, [16];", False), ("ld.shared.u32 r, [16];", False), ("ld.local.u32 r, [16];", True),
    ("mov.u32 %a, 1; .reg .b32 %a;", False), ("add.u32 r, r, %a1; .reg .b32 %a<2>;", False),
    ("{ mov.u32 %a, 1; } .reg .b32 %a;", False), ("mov.u32 r, 1; .reg .b32 %a; mov.u32 %a, r;", True),
    ("ld.global.u32 r, [f];", False), ("ld.shared.u32 r, [r];", True),
]  # fmt: skip
CALLEES = """.func f(.param .b32 a) { ret; } .func u(.param .u32 a) { ret; } .func d(.param .f64 a) { ret; }
.func s(.param .align 8 .b8 a[16]) { ret; } .func v(.param .align 4 .b8 a[]) { ret; } .func r(.reg .f32 a) { ret; }
.func (.param .b32 z) g() { ret; } .global .b32 n; .global .u64 t[2] = {f, u};
"""
CALLS = [
    ("call f, (1);", True), ("call f, ();", False), ("call f;", False), ("call f, (1, 2);", False),
    ("call f, (_);", False), ("call g;", False), ("call (_), g;", True), ("call (%f), g;", True),
    ("call f, (1.5);", True), ("call u, (1.5);", False), ("call u, (%f);", False), ("call u, (%r);", True),
    ("call d, (1);", False), ("call d, (%d);", True), ("call d, (%f);", False), ("call r, (0f3f800000);", True),
    ("call r, (2);", False), ("call r, (p32);", True), ("call r, (p64);", False), ("call f, (p64);", False),
    ("call u, (pf);", False), ("call f, (pf);", True), ("call s, (p16);", True), ("call s, (p16b);", False),
    ("call s, (p20);", False), ("call s, (q2);", True), ("call s, (%d);", False), ("call s, (1);", False),
    ("call v, (p16b);", True), ("call v, (p16);", False), ("call f, (n);", False), ("call f, (x);", False),
    ("call k, (1);", False), ("call (p32), %d, (p32), P;", True), ("call %d, (p32), P;", False),
    ("call %d, (p32), t;", True), ("call %d, (p64), t;", False), ("call %d, (p32), T;", True),
    ("call %d, (pf), T;", False), ("B: .branchtargets A<2>; brx.idx %r, B;", True),
    ("call (p32), g; @%p ld.param.b32 %r, [p32];", False), ("@%p st.param.b32 [p32], 1; call f, (p32);", False),
]  # fmt: skip
PROTOTYPES = [("9.0", "", True), ("9.0", ".noreturn .abi_preserve 4", True), ("8.0", ".abi_preserve 4", False)]
CALL = (
    "{head}.entry k(.param .u64 a) {{ .reg .u64 r; ld.param.u64 r, [a]; "
    "p: .callprototype _ () {text}; call r, (), p; }}"
)
CASES = [
    *((CALL.format(head=HEAD.replace("9.0", version), text=text), legal) for version, text, legal in PROTOTYPES),
    *((HEAD + KERNEL.replace("DIRECTIVES", "") + text, legal) for text, legal in LEGAL),
    *((HEAD + KERNEL.replace("DIRECTIVES", text), legal) for text, legal in DIRECTIVES),
    *(
        (f"{HEAD}.entry k() {{ .reg .b32 r; .reg .f64 f; .reg .b64 q; {text} ret; }}\n", legal)
        for text, legal in BODIES
    ),
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


def calls(lines: list[str]) -> str:
    """A module that makes these calls, each in its own line from the sixth on."""
    locals_ = (
        ".param .b32 p32; .param .f32 pf; .param .b64 p64; .param .align 8 .b8 p16[16]; .param .align 4 .b8 p16b[16];"
        " .param .align 8 .b8 p20[20]; .param .b64 q2[2]; .reg .b32 %r; .reg .f32 %f; .reg .b64 %d; .reg .pred %p;"
        " P: .callprototype (.param .b32 _) _ (.param .b32 _); T: .calltargets f, u;"
    )
    body = "\n".join(f"{{ {line} }}" for line in lines)
    return f"{HEAD.replace(chr(10), ' ')}\n{CALLEES}.entry k(.param .b64 x) {{ {locals_}\n{body}\nA0: A1: ret; }}\n"


def test_calls(tmp_path: Path, oracle: Callable[[str], str]) -> None:
    """Arguments and results against what a function, prototype or table says."""
    oracle("ptxas")
    lines = [line for line, _ in CALLS]
    wrong = {n for n, (_, legal) in enumerate(CALLS) if not legal}
    assert refused_by_nvidia(lines, tmp_path, calls, 6) == wrong
    found = verify(ptx.parse(SourceFile("c.ptx", calls(lines))), arch.get("sm_90a"))
    assert {d.where.source.position(d.where.start)[0] - 6 for d in found if d.where} == wrong
