"""Which lines of L1 late stores to parts of them lose, against an H200 (2026-12-01): the rows of `micro/parts.py`."""

from __future__ import annotations

import json
import lzma

import numpy as np
import pytest

import runtime
from tests.gpu.accuracy_page import DATA
from tests.gpu.micro.parts import LINES, PASSES, PLACES, SPACES, rows

MISS = 110
"""Cycles of a load that L1 does not have."""
SEEN = PLACES // (LINES * PASSES) + 1
"""Rows after which all lines have been loaded once."""


@pytest.mark.parametrize("space", SPACES)
def test_lines_that_late_stores_lose(space: str) -> None:
    record = json.loads((DATA / "parts.json").read_text())[space]
    device = runtime.Device("sm_90", hazards="off")
    module = device.load(lzma.decompress((DATA / f"micro/parts_{space}.cubin.xz").read_bytes()))
    out = device.zeros(sum(4 * row.lines for row in rows()), np.uint32)
    module["k"][1, 32](np.uint64(out.address), np.uint64(device.zeros(1 << 19, np.uint32).address))
    device.synchronize()
    # The first load of a row finds its first line as the stores left it; later ones find what that load did.
    first = np.cumsum([0, *(4 * row.lines for row in rows()[:-1])])
    hits = out.numpy()[first] < MISS
    known = [(row, hits[k] == (record[k][0] == "1")) for k, row in enumerate(rows()) if k >= SEEN and row.lanes == 1]
    assert len(known) > 600
    # Of a line that it came too late for L1 has the words that a store wrote, and no others; here all of its sectors.
    assert np.mean([agrees for _, agrees in known]) > 0.94
    narrow = [agrees for row, agrees in known if row.width < 4]
    assert len(narrow) > 300
    assert np.mean(narrow) > 0.985
