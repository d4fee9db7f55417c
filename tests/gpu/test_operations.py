"""What instructions do by kind, against ncu: small kernels of nvcc's, run on the model and, on 2026-11-30, on an H200
under `ncu --metrics smsp__sass_thread_inst_executed_op_*_pred_on.sum`; tests/gpu/data/operations has both."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

import runtime
from runtime.profile import metrics
from runtime.profile.facts import gather
from runtime.profile.kinds import OPERATIONS

DATA = Path(__file__).parent / "data/operations"
COUNTS: dict[str, dict[str, int]] = json.loads((DATA / "counts.json").read_text())
STEM = "smsp__sass_thread_inst_executed_op_"


@pytest.mark.parametrize("source", sorted(DATA.glob("*.cu")), ids=lambda path: path.stem)
def test_operations_are_what_ncu_counted(source: Path) -> None:
    gpu = runtime.Device()
    module = gpu.load(lzma.decompress(source.with_suffix(".cubin.xz").read_bytes()))
    text = source.read_text()
    for name in re.findall(r"__global__ void (\w+)", text):
        a, b = gpu.zeros(1 << 22, "u1"), gpu.zeros(1 << 22, "u1")
        a.fill(0x3C)
        call = re.search(rf"\b{name}<<<g, t>>>\(.*?\)b((?:, \d+)*)\)", text)
        numbers = [int(n) for n in re.findall(r"\d+", call[1])] if call else []
        launch = module[name][8, 256](a.address, b.address, *numbers)
        launch.wait()
        facts = gather(launch)
        found = metrics.values(facts)
        want = dict(COUNTS[name])
        assert found["smsp__thread_inst_executed_pred_on.sum"] == want.pop("all"), name
        got = {op: found.get(f"{STEM}{op}_pred_on.sum", 0) for op in OPERATIONS.values()}
        assert {op: n for op, n in got.items() if n} == want, name
