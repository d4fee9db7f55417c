"""Which constants stand for which types, line markers, a kernel's directives, sizes of shared variables: as ptxas."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import minicc
from minicc.diagnostics import CompileError, SourceFile

HEAD = ".version 9.0\n.target {0}\n.address_size 64\n"
TYPES = "u16 s16 b16 u32 s32 b32 f32 u64 s64 b64 f64".split()
CONSTANTS = "0 3 -3 3U 70000 1.5 0f3f800000 0d3ff0000000000000".split()
PROGRAMS = [
    *(
        ("sm_90a", f".entry k() {{ .reg .{t} x; .reg .pred %p; {op}.{t} x, {rest}{c}{end}; ret; }}")
        for t in TYPES
        for c in CONSTANTS
        for op, rest, end in (("mov", "", ""), ("selp", "x, ", ", %p"))
    ),
    ("sm_90", '#line 3 "x.c"\n.entry k() {\n# 4 "x.c"\nret;\n}'),
    ("sm_90", "#define X 3\n.entry k() { ret; }"),
    ("sm_90", "# pragma\n.entry k() { ret; }"),
    ("sm_90", "  # 3\n.entry k() { ret; }"),
    ("sm_90", ".entry k() .maxntid 32 .reqntid 32 { ret; }"),
    ("sm_90", ".entry k() .maxntid 32 .minnctapersm 2 { ret; }"),
    *(
        (target, f".shared .b8 s[{n}]; .entry k() {{ st.shared.u32 [s], 1; ret; }}")
        for target in ("sm_90", "sm_90a")
        for n in (48 << 10, (48 << 10) + 1, 227 << 10, (227 << 10) + 1)
    ),
]


def refused(target: str, text: str) -> bool:
    try:
        minicc.compile(SourceFile("k.ptx", HEAD.format(target) + text), arch=target)
    except CompileError as error:
        assert error.exit_status == 255
        return True
    return False


def test_some_are_refused() -> None:
    assert 60 < sum(refused(*program) for program in PROGRAMS) < 120


def test_nvidia_agrees(tmp_path: Path, oracle: Callable[[str], str]) -> None:
    """NVIDIA's ptxas is the judge."""
    nvidia = oracle("ptxas")
    for target, text in PROGRAMS:
        (tmp_path / "k.ptx").write_text(HEAD.format(target) + text)
        command = [nvidia, f"-arch={target}", "-o", str(tmp_path / "k.cubin"), str(tmp_path / "k.ptx")]
        theirs = subprocess.run(command, capture_output=True, timeout=60).returncode != 0
        assert refused(target, text) == theirs, (target, text)
