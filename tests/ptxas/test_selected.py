"""What is selected here is not checked again on the way to machine code: so it is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from minicc import arch, cli, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile


def test_selected_ptx_is_right(sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.ptx"
    assert cli.main(["-ptx", "-o", str(out), str(sample)]) == 0
    assert ptx.verify(ptx.parse(SourceFile(str(out), out.read_text())), arch.get("sm_90")) == []


def test_inline_assembly_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The user's PTX within a kernel is checked all the same, and a right one passes."""
    for text, status in (("add.u32 %0, %1, %1;", 0), ("add.b32 %0, %1, %1;", 1)):
        source = tmp_path / "x.k"
        source.write_text(
            f'__global__ void k(unsigned *p) {{ unsigned a = p[0], b; asm("{text}" : "=r"(b) : "r"(a)); p[1] = b; }}\n'
        )
        assert (cli.main(["-cubin", "-o", str(tmp_path / "x.cubin"), str(source)]) != 0) == bool(status)
    assert "add.b32" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "selected"), [("add.b32 %r1, %r1, %r1;", False), ("mov.u32 %r1, %q;", False), ("mov.u32 %r1, %q;", True)]
)
def test_wrong_ptx_is_reported(body: str, selected: bool) -> None:
    """Also where lowering is the first to stumble over it."""
    text = f".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{ .reg .b32 %r<3>;\n{body}\nret; }}\n"
    with pytest.raises(CompileError):
        ptxas.assemble(ptx.parse(SourceFile("x.ptx", text)), arch.get("sm_90"), ptxas.Options(selected=selected))
