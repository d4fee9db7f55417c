"""The SM model is held to what an H200 did: same cubin, same inputs, same bits out (tests/gpu/data, see its README)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import SAMPLES
from tests.end_to_end.harness import run_script

DATA = Path(__file__).parent / "data"
RECORD = json.loads((DATA / "samples.json").read_text())
CASES = [
    (sample, variant)
    for sample, variants in sorted(RECORD["samples"].items())
    for variant in variants
    if (DATA / variant / f"{sample}.cubin").exists()
]


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:32]


@pytest.mark.parametrize(("sample", "variant"), CASES)
def test_the_model_gives_the_bits_that_the_gpu_gave(sample, variant):
    recorded = RECORD["samples"][sample][variant]
    image = (DATA / variant / f"{sample}.cubin").read_bytes()
    assert hashlib.sha256(image).hexdigest()[:32] == recorded["cubin"], "the data file is of another cubin"
    outcome = run_script(SAMPLES / f"{sample}.k", image)
    free = {check.name for check in outcome.checks if check.free_order}
    assert all(check.ok for check in outcome.checks)
    for name in outcome.outputs:
        if name not in free:
            assert digest(outcome.variables[name]) == recorded["outputs"][name], name


def test_the_record_covers_every_sample_ours_and_nvcc_s():
    for variant in ("ours", "nvcc"):
        assert {sample for sample, v in CASES if v == variant} == {path.stem for path in SAMPLES.glob("*.k")}
