"""Shared by all tests: Hypothesis profiles and the oracles that may be there."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"

settings.register_profile("default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2000)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default")
settings.load_profile(PROFILE)

T = TypeVar("T")


def by_turns(ways: Sequence[T], case: int, of: int) -> Sequence[T]:
    """The ways in which a case of many is tried: all of them, in CI every `of`-th, the next case's being the others."""
    return ways[case % of :: of] if PROFILE == "ci" else ways


def pytest_collection_finish() -> None:
    """What was imported and collected lives until the end, so that looking through it for garbage finds none (an eighth
    of the suite's time with the interpreter's own thresholds)."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


READERS = ("cuobjdump", "nvdisasm")


def find_tool(name: str) -> str | None:
    """One of NVIDIA's tools: on PATH, or from the wheels of the test extra. The readers are the wheels' alone: what
    they print changes with each release (13.0's table of symbols is not 13.5's), and ours follows pyproject's. nvcc is
    PATH's alone: the wheels lack headers (cooperative_groups, cuda/std)."""
    if (name not in READERS and (found := shutil.which(name))) or name == "nvcc":
        return found
    for path in sorted((Path(sysconfig.get_path("purelib")) / "nvidia").rglob(name)):
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return None


PTXAS, NVCC = find_tool("ptxas") or "", find_tool("nvcc") or ""
needs_ptxas = pytest.mark.skipif(not PTXAS, reason="NVIDIA's ptxas is not here")
needs_nvcc = pytest.mark.skipif(not NVCC, reason="nvcc is not here")


def nvidia_assembles(text: str, folder: Path, arch: str = "sm_90") -> bytes:
    """The cubin that NVIDIA's ptxas makes of PTX; the test is skipped where there is no ptxas."""
    if not PTXAS:
        pytest.skip("NVIDIA's ptxas is not here")
    (folder / "k.ptx").write_text(text)
    subprocess.run([PTXAS, f"-arch={arch}", "k.ptx", "-o", "k.cubin"], cwd=folder, check=True, capture_output=True)
    return (folder / "k.cubin").read_bytes()


def nvcc_makes(source: Path, out: Path, *options: str, arch: str = "sm_90") -> bytes:
    """What nvcc makes of CUDA C++, a .cubin or .ptx as `out` is called; the test is skipped where there is no nvcc."""
    if not NVCC:
        pytest.skip("nvcc is not here")
    command = [NVCC, "-x", "cu", f"-arch={arch}", f"-{out.suffix[1:]}", *options, source, "-o", out]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out.read_bytes()


@pytest.fixture(scope="session")
def oracle():
    """`oracle("nvdisasm")` is the path of a tool; the test is skipped where there is none."""

    def get(name: str) -> str:
        path = find_tool(name)
        if path is None:
            pytest.skip(f"{name} is not here")
        return path

    return get


@pytest.fixture(scope="module", params=sorted(SAMPLES.glob("*.k")), ids=lambda path: path.stem)
def sample(request) -> Path:
    """Each sample's path, all tests of one behind each other."""
    return request.param
