"""Every sample, from its text to its result, and NVIDIA's tools on everything in between."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

from tests.conftest import SAMPLES, nvcc_makes, nvidia_assembles
from tests.end_to_end.harness import compiled, run_script

QUICK = ("dot", "bitonic", "softmax", "collatz", "conv1d", "daxpy", "scan")
"""Samples that between them use shuffles, barriers, atomics, constants, doubles and 64-bit loops."""


def test_result_equals_the_reference_without_hazards(sample):
    outcome = run_script(sample, compiled(sample).fatbin)
    assert [check for check in outcome.checks if not check.ok] == []
    assert [launch.result.hazards for launch in outcome.launches if launch.result.hazards] == []


def test_ptxas_accepts_our_ptx_and_its_cubin_gives_the_same_result(sample, tmp_path):
    outcome = run_script(sample, nvidia_assembles(compiled(sample).ptx, tmp_path))
    assert [check for check in outcome.checks if not check.ok] == []


@pytest.fixture(scope="module")
def theirs(sample, tmp_path_factory):
    """The PTX that nvcc makes of the sample; its cubin is what ptxas makes of that."""
    ptx = tmp_path_factory.mktemp("nvcc") / "a.ptx"
    nvcc_makes(sample, ptx)
    return ptx


def test_nvcc_s_cubin_gives_the_same_result(sample, theirs, tmp_path):
    outcome = run_script(sample, nvidia_assembles(theirs.read_text(), tmp_path))
    assert [check for check in outcome.checks if not check.ok] == []


def test_nvcc_s_ptx_compiles_here_and_gives_the_same_result(sample, theirs):
    outcome = run_script(sample, compiled(theirs).fatbin)
    assert [check for check in outcome.checks if not check.ok] == []


def instructions(listing: str) -> list[str]:
    """The instruction texts of a disassembly, white space squeezed."""
    return [
        re.sub(r"\s+", " ", text).strip()
        for text in re.findall(r"/\*[0-9a-f]{4,}\*/\s+(.*?;)", listing)
        if not text.startswith("NOP")
    ]


def test_nvdisasm_prints_what_we_print(sample, oracle, tmp_path, capsys):
    from minicc.verbs import objdump

    cubin = tmp_path / "a.cubin"
    cubin.write_bytes(compiled(sample).cubin)
    theirs = subprocess.run(
        [oracle("cuobjdump"), "-sass", str(cubin)], capture_output=True, text=True, check=True
    ).stdout
    assert objdump.main(["-sass", str(cubin)]) == 0
    ours = capsys.readouterr().out
    assert instructions(theirs) == instructions(ours)
    assert len(instructions(ours)) > 5


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize(
    "options", ["-O0", "-Xptxas --sched=serial", "-Xptxas --ra=spill-all", "--isel=first-match", "-Xptxas -O0"]
)
def test_every_simple_twin_agrees(name, options):
    path = SAMPLES / f"{name}.k"
    outcome = run_script(path, compiled(path, options).fatbin)
    assert [check for check in outcome.checks if not check.ok] == []


@pytest.mark.parametrize("name", QUICK)
def test_timing_changes_no_result(name):
    path = SAMPLES / f"{name}.k"
    timed = run_script(path, compiled(path).fatbin)
    functional = run_script(path, compiled(path).fatbin, timing=False)
    for key in timed.outputs:
        free = any(check.free_order and check.name == key for check in timed.checks)
        if not free:
            np.testing.assert_array_equal(timed.variables[key], functional.variables[key])


@pytest.mark.parametrize("name", QUICK)
def test_same_input_same_bytes_same_cycles(name):
    path = SAMPLES / f"{name}.k"
    first, second = compiled(path), compiled.__wrapped__(path)
    assert first.fatbin == second.fatbin and first.artifacts == second.artifacts
    cycles = [[launch.result.cycles for launch in run_script(path, first.fatbin).launches] for _ in range(2)]
    assert cycles[0] == cycles[1]
