"""Atomics of vectors and of 128 bits, and malloc and free, in nvcc's code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime
from tests.conftest import nvcc_makes


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("wide") / "wide.cubin"
    return nvcc_makes(Path(__file__).with_name("wide.cu"), out)


@pytest.fixture(params=[False, True], ids=["untimed", "timed"])
def module(request: pytest.FixtureRequest, image: bytes) -> Any:
    device = runtime.Device("sm_90", timing=request.param)
    return device.load(image)


def test_vectors(module: Any) -> None:
    total, old = np.zeros((2, 4), np.float32), np.zeros((32, 4), np.float32)
    halves, most = np.zeros(8, np.float16), np.full(4, 0xC2C8C2C8, np.uint32)  # -100 in each half
    module["vectors"][1, 32](total, old, halves.view(np.uint32), most)
    each = np.arange(32)[:, None] * np.array([1, 2, 0, -1]) + np.array([0, 0, 1, 0])
    assert np.array_equal(total[0], each.sum(0))
    assert np.array_equal(old, each.cumsum(0) - each)
    assert total[1].tolist() == [496, 16, 0, 0]
    assert halves.tolist() == [64, 32, -32, 16] * 2
    assert (most & 0xFFFF == np.float32(21).view(np.uint32) >> 16).all()
    assert (most >> 16 == np.float32(5).view(np.uint32) >> 16).all()


def test_quads(module: Any) -> None:
    cell, seen, locked = np.zeros(2, np.uint64), np.zeros((32, 2), np.uint64), np.zeros(1, np.int32)
    module["quads"][1, 32](cell, seen, locked)
    k = np.arange(1, 33, dtype=np.uint64)
    assert np.array_equal(np.sort(seen[:, 0]), np.arange(32))
    assert np.array_equal(seen[1:][seen[1:, 0] > 0][:, 1], ~seen[1:][seen[1:, 0] > 0][:, 0])
    assert k.size == 32 and locked[0] == 1 and cell.tolist() == [7, 7]


def test_heap(module: Any) -> None:
    out = np.zeros(70, np.int32)
    for n in (10, 25):
        module["heap"][1, 70](out, n)
        values: list[int] = []
        for k in range(n):
            values.append(k)
            if k % 3 == 2:
                del values[-2]
        assert np.array_equal(out, sum(values) * np.arange(1, 71))
    none = np.ones(1, np.uint64)
    module["too_much"][1, 1](none)
    assert none[0] == 0
