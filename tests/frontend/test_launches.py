"""Instances of kernel templates that host code launches in all manners: ours are those of nvcc."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minicc import frontend
from minicc.diagnostics import SourceFile
from minicc.frontend.options import Options
from tests.conftest import nvcc_makes
from tests.suites.results import unnamed

FILES = sorted((Path(__file__).parent / "launches").glob("*.cu"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_instances_are_those_of_nvcc(path: Path, tmp_path: Path) -> None:
    text = nvcc_makes(path, tmp_path / "theirs.ptx", "-std=c++20", "-w", "--extended-lambda").decode()
    theirs = set(map(unnamed, re.findall(r"\.entry\s+(\w+)", text)))
    ir = frontend.compile(SourceFile(str(path), path.read_text()), Options(std="c++20", extended_lambda=True))
    ours = set(re.findall(r"^define ptx_kernel void @(\w+)", ir, re.M))
    assert ours == theirs
