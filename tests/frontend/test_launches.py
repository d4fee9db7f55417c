"""Instances of kernel templates that host code launches in all manners: ours are those of nvcc."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minicc import frontend
from minicc.diagnostics import CompileError, SourceFile
from minicc.frontend.options import Options
from tests.frontend import named

FILES = sorted((Path(__file__).parent / "launches").glob("*.cu"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_instances_are_those_of_nvcc(path: Path) -> None:
    theirs = set(named.names(path))
    ir = frontend.compile(SourceFile(str(path), path.read_text()), Options(std="c++20", extended_lambda=True))
    ours = set(re.findall(r"^define ptx_kernel void @(\w+)", ir, re.M))
    assert ours == theirs


@pytest.mark.parametrize("use", ["Host *h) { p[0] = h->v; }", "Host *) { p[0] = sizeof(Of<int>); }"])
def test_host_class_that_cannot_be_read_whole_is_none_of_device_code(use: str) -> None:
    members = "std::thread t; int v; void go(int *p) { k<<<1, 1>>>(p); }"
    text = f"""#include <thread>
template <class T> __global__ void k(T *p) {{ *p = 1; }}
struct Host {{ {members} }};
template <class T> struct Of {{ {members} }};
__global__ void device(int *p, {use}
int main() {{ Of<int> o; }}
"""
    with pytest.raises(CompileError) as caught:
        frontend.compile(SourceFile("t.cu", text), Options())
    where = caught.value.diagnostics[0].where
    assert where is not None and where.start in {m.start() for m in re.finditer(r"\bstd::thread", text)}
