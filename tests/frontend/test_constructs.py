"""C++ as kernels use it: every file in constructs/ compiles, and its kernels have nvcc's names."""

from __future__ import annotations

import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from minicc import frontend
from minicc.diagnostics import SourceFile
from minicc.frontend.options import Options
from tests.frontend import named
from tests.suites.results import unnamed

FILES = sorted((Path(__file__).parent / "constructs").glob("*.cu"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_construct(path: Path) -> None:
    options = Options(
        includes=[str(path.parent)], std=named.standard(path), relaxed_constexpr=True, extended_lambda=True
    )
    ir = frontend.compile(SourceFile(str(path), path.read_text()), options)
    llvm.parse_assembly(ir).verify()
    ours = sorted(unnamed(name) for name in re.findall(r"^define ptx_kernel void @\"?([\w$]+)", ir, re.M))
    assert ours and ours == named.names(path)
