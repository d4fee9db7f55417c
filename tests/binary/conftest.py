"""Files made by NVIDIA's ptxas, and runners for the oracles. kernels.ptx is nvcc -ptx -lineinfo of kernels.cu."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.conftest import find_tool

HERE = Path(__file__).parent


def output(*command: object) -> str:
    """Standard output and error of a command that must succeed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def damaged(good: bytes, data: st.DataObject) -> bytes:
    """The file, perhaps cut off, with up to four bits of it flipped."""
    bad = bytearray(good)
    if data.draw(st.booleans()):
        bad = bad[: data.draw(st.integers(0, len(bad) - 1))]
    for _ in range(data.draw(st.integers(0, 4))):
        if bad:
            bad[data.draw(st.integers(0, len(bad) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    return bytes(bad)


@pytest.fixture(scope="session", params=["sm_90", "sm_90 -lineinfo", "sm_90a"])
def reference_cubin(request, tmp_path_factory) -> Path:
    """kernels.ptx assembled by ptxas."""
    tool = find_tool("ptxas")
    if tool is None:
        pytest.skip("ptxas is not here")
    arch, _, option = request.param.partition(" ")
    path = tmp_path_factory.mktemp("ptxas") / f"kernels.{request.param.replace(' ', '')}.cubin"
    output(tool, f"-arch={arch}", *([option] if option else []), HERE / "kernels.ptx", "-o", path)
    return path
