"""mbarriers, bulk copies and clusters in nvcc's code give what numpy says, with timing and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime
from tests.conftest import nvcc_makes

RNG = np.random.default_rng(11)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("cluster") / "cluster.cubin"
    return nvcc_makes(Path(__file__).with_name("cluster.cu"), out, arch="sm_90a")


@pytest.fixture(params=[False, True], ids=["untimed", "timed"])
def module(request: pytest.FixtureRequest, image: bytes) -> Iterator[Any]:
    device = runtime.Device("sm_90", timing=request.param)
    yield device.load(image)


def test_blocks_of_a_cluster_reach_one_another(module: Any) -> None:
    given = RNG.integers(-1000, 1000, 64 * 8).astype(np.int32)
    out, sums, ranks = np.zeros(512, np.int32), np.zeros(128, np.int32), np.zeros(8, np.uint32)
    module["ring"][8, 64](given, out, sums, ranks)
    blocks = given.reshape(2, 4, 64)
    assert np.array_equal(out.reshape(2, 4, 64), np.roll(blocks, -1, 1) + 1000 * np.arange(4)[:, None])
    assert np.array_equal(sums.reshape(2, 64), blocks.sum(1))
    assert np.array_equal(ranks, np.tile(np.arange(4), 2) | 4 << 8)


def test_coordinates_in_a_cluster(module: Any) -> None:
    out = np.zeros((6, 4), np.uint32)
    module["corners"][(4, 6), 32](out)
    y, x = np.mgrid[:6, :4]
    assert np.array_equal(out, x % 2 | y % 2 << 8 | x // 2 << 16 | y // 2 << 24)


PLAIN = """.version 8.0
.target sm_90
.address_size 64
.visible .entry ranks(.param .u64 out)
{
.reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r0, %r2, %r1, %r0;
mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank; shl.b32 %r4, %r4, 8; or.b32 %r3, %r3, %r4;
st.global.u32 [%rd0], %r3;
ret;
}
"""


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (4, 1), (2, 3), (8, 1)])
def test_the_launch_says_how_many_blocks_a_cluster_has(size: tuple[int, int]) -> None:
    device = runtime.Device("sm_90", timing=False)
    kernel = device.load(PLAIN)["ranks"]
    out = np.zeros((6, 8), np.uint32)
    kernel[(8, 6), 1].cluster(*size)(out)
    y, x = np.mgrid[:6, :8]
    width, height = size
    assert np.array_equal(out, y % height * width + x % width | width * height << 8)
    for wrong in ((3, 1), (16, 2), (0, 1)):
        with pytest.raises(runtime.LaunchError, match="cluster"):
            kernel[(8, 6), 1].cluster(*wrong)(out)


def test_a_compiled_cluster_is_kept_to(module: Any) -> None:
    ranks = np.zeros(8, np.uint32)
    with pytest.raises(runtime.LaunchError, match="was compiled for"):
        module["ring"][8, 64].cluster(2)(
            np.zeros(512, np.int32), np.zeros(512, np.int32), np.zeros(128, np.int32), ranks
        )


def test_what_an_address_is(module: Any) -> None:
    """The shared memory of the own block lies in that of the cluster."""
    out = np.zeros((4, 4), np.uint32)
    module["spaces"][4, 1](out)
    assert np.array_equal(out, [[1 | 2, 2, 4, 8]] * 4)


def test_a_warpgroup_gathers(module: Any) -> None:
    out = np.zeros(256, np.int32)
    module["gather"][1, 256](out)
    assert np.array_equal(out, np.full(256, 4))


def test_bulk_copies(module: Any) -> None:
    given = RNG.standard_normal(1024 * 6).astype(np.float32)
    out, total = np.zeros_like(given), np.zeros(1024, np.float32)
    module["tiles"][2, 96](given, out, total, 3)
    assert np.array_equal(out, 2 * given + 1)
    assert np.allclose(total, out.reshape(6, 1024).sum(0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("stages", [1, 2, 7])
def test_producer_and_consumers(module: Any, stages: int) -> None:
    given = RNG.integers(0, 1 << 31, 128 * stages).astype(np.int32)
    out = np.zeros(128, np.int32)
    module["pipeline"][1, 160](given, out, stages)
    want = np.zeros(128, np.uint32)
    for row in given.reshape(stages, 128).astype(np.uint32):
        want = want * np.uint32(31) + row
    assert np.array_equal(out.view(np.uint32), want)


def test_a_tile_for_the_whole_cluster(module: Any) -> None:
    given = RNG.integers(-1000, 1000, 512).astype(np.int32)
    out = np.zeros((8, 288), np.int32)
    module["spread"][8, 32](given, out)
    for block in range(8):
        rank = block % 4
        assert np.array_equal(out[block, :256], given.reshape(2, 256)[block // 4] + rank)
        assert np.array_equal(out[block, 256:], np.arange(32) + 100 * ((rank - 1) % 4))


def test_arrivals_from_another_block(module: Any) -> None:
    out = np.zeros(4, np.int32)
    module["remote"][4, 64](out)
    assert out.tolist() == [2016, 12016] * 2


def test_arrivals_that_do_not_complete(module: Any) -> None:
    out = np.zeros(32, np.uint32)
    module["alone"][1, 32](out)
    assert out[1::2].tolist() == [100 - 2 * k for k in range(16)]
    assert not out[::2].any()


def test_a_barrier_that_nobody_comes_to(module: Any) -> None:
    with pytest.raises(runtime.DeviceError, match="mbarrier whose phase does not end"):
        module["stuck"][2, 64]().wait()


def test_the_same_cycles_again(image: bytes) -> None:
    """What the SMs of a cluster tell each other does not depend on what ran before."""
    seen = set()
    for _ in range(2):
        device = runtime.Device("sm_90")
        launch = device.load(image)["spread"][264, 32](
            device.zeros(256 * 66, np.int32), device.zeros(288 * 264, np.int32)
        )
        seen.add(launch.cycles)
    assert len(seen) == 1
