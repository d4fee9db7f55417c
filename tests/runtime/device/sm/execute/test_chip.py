"""Our semantics against what an H200 stored (recorded by tests/gpu/semantics, driver 580.159.04, November 2026)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.gpu.semantics.build import answer

FILE = Path(__file__).parent / "data" / "chip.npz"
UNDEFINED: frozenset[str] = frozenset()
"""Instructions whose result on the chip is no function of what we model."""


def recorded() -> list[tuple[str, str, Any]]:
    if not FILE.exists():
        return []
    with np.load(FILE) as z:
        return [(str(t), str(k), a) for t, k, a in zip(z["texts"], z["kinds"], z["answers"], strict=True)]


RECORDED = recorded()


@pytest.fixture(scope="module")
def inputs() -> dict[str, Any]:
    with np.load(FILE) as z:
        return {name.removeprefix("in_"): z[name] for name in z.files if name.startswith("in_")}


@pytest.mark.parametrize(("text", "kind", "chip"), RECORDED, ids=[t for t, _, _ in RECORDED])
def test_equals_the_chip(text: str, kind: str, chip: Any, inputs: dict[str, Any]) -> None:
    if text in UNDEFINED:
        pytest.skip("not modelled")
    np.testing.assert_array_equal(answer(text, inputs[kind]), chip)
