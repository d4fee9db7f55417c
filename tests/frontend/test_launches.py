"""Instances of kernel templates that host code launches in all manners: ours are those of nvcc."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from minicc import frontend
from minicc.diagnostics import SourceFile
from minicc.frontend.options import Options
from tests.suites.results import unnamed

FILES = sorted((Path(__file__).parent / "launches").glob("*.cu"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_instances_are_those_of_nvcc(path: Path, tmp_path: Path) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("nvcc is not installed")
    out = tmp_path / "theirs.ptx"
    subprocess.run(["nvcc", "-ptx", "-arch=sm_90", "-std=c++20", "-w", "-o", str(out), str(path)], check=True)
    theirs = set(map(unnamed, re.findall(r"\.entry\s+(\w+)", out.read_text())))
    ir = frontend.compile(SourceFile(str(path), path.read_text()), Options(std="c++20"))
    ours = set(re.findall(r"^define ptx_kernel void @(\w+)", ir, re.M))
    assert ours == theirs
