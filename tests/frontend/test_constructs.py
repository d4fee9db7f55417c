"""C++ as kernels use it: every file in constructs/ compiles, and its kernels have nvcc's names."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

from minicc import frontend
from minicc.diagnostics import SourceFile
from minicc.frontend.options import Options
from tests.conftest import nvcc_makes

FILES = sorted((Path(__file__).parent / "constructs").glob("*.cu"))


def names(text: str, mark: str) -> list[str]:
    return sorted(line.split(mark)[1].split("(")[0].strip('"') for line in text.splitlines() if mark in line)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_construct(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    std = text.split("std=")[1].split()[0] if text.startswith("// std=") else "c++17"
    options = Options(includes=[str(path.parent)], std=std, relaxed_constexpr=True, extended_lambda=True)
    ir = frontend.compile(SourceFile(str(path), text), options)
    llvm.parse_assembly(ir).verify()
    ours = names(ir, "define ptx_kernel void @")
    assert ours
    flags = (f"-std={std}", "-w", "--extended-lambda", "--expt-relaxed-constexpr")
    assert names(nvcc_makes(path, tmp_path / "o.ptx", *flags).decode(), ".visible .entry ") == ours
