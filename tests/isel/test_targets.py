"""PTX for every architecture: one kernel, selected differently, valid where NVIDIA's ptxas still knows the target."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from minicc import cli
from minicc.arch import NAMES, virtual
from tests.conftest import PTXAS

TARGETS = (*virtual.TABLE, *NAMES)

KERNEL = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(float *p, int *q, float a, unsigned u, half2 *h, __nv_bfloat16 *b, long long *l)
{
    int i = threadIdx.x;
    p[i] = fmaxf(fmaxf(a, p[i]), p[i + 1]);
    q[i] = ((u & i) | (~u & q[i])) + max(min(q[i], q[i + 1]), 0);
    atomicAdd(q + 5, 3);
    atomicAdd_block(q + 7, 2);
    h[i] = __hfma2(h[i], h[i + 1], h[i + 2]);
    b[i] = b[i] + b[i + 1];
    l[i] = __funnelshift_l(u, i, 7) + l[i];
    __threadfence();
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("targets") / "k.cu"
    path.write_text(KERNEL)
    return path


def compiled(source: Path, target: str, folder: Path) -> str:
    out = folder / f"{target}.ptx"
    assert cli.main([str(source), "-ptx", f"-arch={target}", "-o", str(out)]) == 0
    return out.read_text()


@pytest.mark.parametrize("target", TARGETS)
def test_valid(target: str, source: Path, tmp_path: Path) -> None:
    """ptxas 13 takes sm_75 and later; the header names target and version of all."""
    text = compiled(source, target, tmp_path)
    assert f".target {target}\n" in text
    if PTXAS and int(target[3:].rstrip("a")) >= 75:
        command = [PTXAS, f"-arch={target}", str(tmp_path / f"{target}.ptx"), "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_selection_follows_the_target(source: Path, tmp_path: Path) -> None:
    """Each instruction appears with the machine that brought it."""
    text = {
        name: compiled(source, name, tmp_path)
        for name in ("sm_30", "sm_35", "sm_50", "sm_60", "sm_70", "sm_90", "sm_100")
    }
    since = {
        "shf.l.wrap": "sm_35",
        "lop3.b32": "sm_50",
        "fma.rn.f16x2": "sm_60",
        ".cta": "sm_60",
        "atom.relaxed": "",
        "red.relaxed.gpu": "sm_70",
        "add.bf16": "sm_90",
        "min.relu.s32": "sm_90",
    }
    order = list(text)
    for words, first in since.items():
        have = [words in text[name] for name in order]
        assert have == [first != "" and order.index(name) >= order.index(first) for name in order], words
    assert text["sm_90"].count("max.f32") == 2 and text["sm_100"].count("max.f32") == 1


def test_no_machine_code(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cubin for a machine that has only PTX is refused by name."""
    assert cli.main([str(source), "-cubin", "-arch=sm_75", "-o", str(tmp_path / "x.cubin")]) != 0
    assert "no machine code" in capsys.readouterr().err
