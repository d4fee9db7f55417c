"""Lines of L1 that stores of bytes and halves lose, and loads of constants that wait side by side, beside an H200."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from tests.gpu import programs
from tests.gpu.accuracy_page import DATA
from tests.gpu.compare import CYCLES, labels
from tests.gpu.micro.plan_lost import lost_programs
from tests.gpu.micro.plan_narrow import narrow_programs

LOST = {
    "A": "", "AA": "", "Aa": "", "AB": "", "ABA": "A", "ABa": "A", "ABab": "AB", "AaBb": "", "ABba": "A",
    "ABCabc": "ABC", "AaBbCc": "", "ABCDabcd": "", "ABABABAB": "AB", "ABCDa": "", "ABCa": "A", "ABCDEFGa": "",
}  # fmt: skip
"""By stores in a row (see `plan_lost.ROWS`), the arrays whose line an H200 has not in L1 any more."""


@pytest.mark.parametrize("width", [1, 2, 4])
def test_lines_that_come_again_too_soon_are_lost(width: int, tmp_path: Path) -> None:
    (tmp_path / "micro_lost.cubin").write_bytes(lzma.decompress((DATA / "micro/lost.cubin.xz").read_bytes()))
    (plan,) = lost_programs()
    names = {f"lost_{width}_{len(row)}_0 {row} lane 4 space 4096 prepare 0": row for row in LOST}
    launches = [x for x in plan["launches"] if x["label"] in names]
    assert len(launches) == len(LOST)
    took = [x["args"][-1] for x in launches]
    _, saved = programs.on_model({**plan, "launches": launches, "save": took}, tmp_path, hazards="off", memory=1 << 28)
    for launch, out in zip(launches, took, strict=True):
        row = names[launch["label"]]
        missed = {"ABCDEFGH"[k >> 3] + str(k & 7) for k in range(64) if saved[out][k] > 120}
        assert missed == {f"{array}2" for array in (LOST[row] if width < 4 else "")}, row


LOOKUPS = {
    # Rows of their own: 16 warps take as long as one, four warps of all SMs wait for the ports of their GPCs.
    "lookups/lookups 8/4096 0 32 1x32": 0.05,
    "lookups/lookups 8/8192 32 128 1x512": 0.05,
    "lookups/lookups 8/8192 32 128 132x128": 0.1,
    # Warps that go through the same rows wait as long as one.
    "lookups/lookups 1/4096 0 32 1x128": 0.1,
}
"""By launch, how far the model may be off; before LDC's waited side by side it was off by 37 to 235 %."""


@pytest.mark.parametrize("label", LOOKUPS)
def test_lookups_wait_side_by_side(label: str, tmp_path: Path) -> None:
    (tmp_path / "micro_narrow.cubin").write_bytes(lzma.decompress((DATA / "micro/narrow.cubin.xz").read_bytes()))
    row = json.loads((DATA / "micro.json").read_text())["launches"][f"narrow/{label}"]
    plan = next(p for p in narrow_programs() if label in labels([p]))
    launch = plan["launches"][labels([plan]).index(label)]
    results, _ = programs.on_model({**plan, "launches": [launch]}, tmp_path, hazards="off", memory=1 << 28)
    assert results[0].cycles == pytest.approx(row[CYCLES], rel=LOOKUPS[label])
