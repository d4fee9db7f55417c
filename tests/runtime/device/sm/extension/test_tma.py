"""Tensor maps equal those of an H200's driver; tensor copies in nvcc's code and in ours move what numpy says."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
import runtime
from runtime.driver import tensormap
from runtime.errors import LaunchError
from tests.conftest import needs_nvcc, nvcc_makes

MAPS = json.loads((Path(__file__).parents[3] / "data" / "tensor_maps.json").read_text())
Array = npt.NDArray[Any]


@pytest.mark.parametrize("kind", ["tiled", "im2col"])
def test_maps_are_those_of_the_driver(kind: str) -> None:
    for row in MAPS[kind]:
        description = {k: v for k, v in row.items() if k != "words"}
        words = struct.unpack("<16Q", getattr(tensormap, kind)(**description))
        assert [f"{word:016x}" for word in words[:10]] == row["words"], description
        assert not any(words[10:])


@pytest.mark.parametrize(
    "change",
    [{"type_": "f8"}, {"sizes": [0, 4]}, {"strides": [40]}, {"box": [3, 1]}, {"box": [257, 1]}, {"address": 8},
     {"steps": [9, 1]}, {"swizzle": 32, "box": [16, 1]}, {"sizes": [4] * 6, "strides": [64] * 5}],
)  # fmt: skip
def test_what_a_map_cannot_be(change: dict[str, Any]) -> None:
    fine: dict[str, Any] = {"address": 256, "type_": "f32", "sizes": [64, 4], "strides": [256], "box": [16, 2]}
    tensormap.tiled(**fine)
    with pytest.raises(LaunchError, match="tensor map"):
        tensormap.tiled(**fine | change)


@pytest.fixture(scope="module", params=["nvcc", "minicc"])
def image(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    source = Path(__file__).with_name("tma.cu")
    if request.param == "minicc":
        return minicc.compile(source, arch="sm_90a").cubin
    return nvcc_makes(source, tmp_path_factory.mktemp("tma") / "tma.cubin", arch="sm_90a")


@pytest.fixture(scope="module")
def device() -> Any:
    return runtime.Device("sm_90", timing=False)


@pytest.fixture(scope="module")
def module(image: bytes, device: Any) -> Any:
    return device.load(image)


def swizzled(box: Array, swizzle: int) -> Array:
    """Bytes of a box as they lie at a multiple of 1024 in shared memory."""
    flat = np.ascontiguousarray(box).view(np.uint8).reshape(-1)
    at = np.arange(flat.size)
    mask = {0: 0, 32: 1, 64: 3, 128: 7}[swizzle]
    out = np.empty_like(flat)
    out[at ^ (at >> 7 & mask) << 4] = flat
    return out


def boxed(tensor: Array, corner: Sequence[int], box: Sequence[int], steps: Sequence[int]) -> Array:
    """tensor[..., y, x] from `corner` (x first), zeros outside."""
    grids = [c + s * np.arange(max(b // s, 1)) for c, b, s in zip(corner, box, steps, strict=True)][::-1]
    where = np.ix_(*(np.clip(g, 0, n - 1) for g, n in zip(grids, tensor.shape, strict=True)))
    inside = np.ones([len(g) for g in grids], bool)
    for axis, (g, n) in enumerate(zip(grids, tensor.shape, strict=True)):
        inside &= ((g >= 0) & (g < n)).reshape([-1 if k == axis else 1 for k in range(len(grids))])
    return np.where(inside, tensor[where], tensor.dtype.type(0))


@needs_nvcc
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_boxes(module: Any, device: Any, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["u8", "u16", "u32", "u64", "f16", "f32"]))
    width = tensormap.TYPES[kind][1]
    dtype = np.dtype(f"u{width}")
    rank = data.draw(st.integers(1, 3))
    swizzle = data.draw(st.sampled_from([0, 32, 64, 128]))
    row = swizzle or 16 * data.draw(st.integers(1, 6))
    box = [row // width, *(data.draw(st.integers(1, 6)) for _ in range(rank - 1))]
    if box[0] > 256:
        box[0], swizzle = 128, 0
    steps = [1, *(data.draw(st.integers(1, 3)) for _ in range(rank - 1))]
    sizes = [16 // width * data.draw(st.integers(1, 20)), *(data.draw(st.integers(1, 9)) for _ in range(rank - 1))]
    corner = [data.draw(st.integers(-5, n + 3)) for n in sizes]
    corner[0] = corner[0] * width // 16 * 16 // width
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    tensor = rng.integers(0, 1 << 8 * width, sizes[::-1], np.uint64).astype(dtype)
    given_ = device.buffer(tensor)
    strides = [width * int(np.prod(sizes[:d])) for d in range(1, rank)]
    map_ = tensormap.tiled(given_.address, kind, sizes, strides, box, steps, swizzle=swizzle)  # type: ignore[arg-type]
    if data.draw(st.booleans()):
        # Code that makes maps on the device leaves out what the driver notes beside.
        map_ = map_[:64] + bytes(64)
    want = swizzled(boxed(tensor, corner, box, steps), swizzle)
    out = np.zeros(-(-want.size // 4), np.uint32)
    module[f"load{rank}"][1, 32, 32768](map_, out, want.size, *(corner + [0] * 3)[:3], 0)
    assert np.array_equal(out.view(np.uint8)[: want.size // 4 * 4], want[: want.size // 4 * 4])


@needs_nvcc
@pytest.mark.parametrize("swizzle", [0, 64])
@pytest.mark.parametrize("name", ["store2", "add2", "max2"])
@pytest.mark.parametrize("kind", ["f32", "i32", "f16"])
def test_stores_and_reductions(module: Any, device: Any, name: str, swizzle: int, kind: str) -> None:
    if name == "max2" and kind == "f32":
        pytest.skip("there is no such reduction")
    rng = np.random.default_rng(3)
    dtype = {"f32": np.float32, "i32": np.int32, "f16": np.float16}[kind]
    columns = 64 // np.dtype(dtype).itemsize
    tensor = rng.integers(-100, 100, (12, 40)).astype(dtype)
    box = rng.integers(-100, 100, (5, columns)).astype(dtype)
    target = device.buffer(tensor)
    pitch = 40 * tensor.itemsize
    map_ = tensormap.tiled(target.address, kind, [40, 12], [pitch], [columns, 5], swizzle=swizzle)  # type: ignore[arg-type]
    left = 16 // tensor.itemsize
    module[name][1, 32, 4096](map_, swizzled(box, swizzle).view(np.uint32), box.nbytes, -left, 9)
    want = tensor.copy()
    part = want[9:12, : columns - left]
    patch = box[:3, left:]
    part[...] = patch if name == "store2" else part + patch if name == "add2" else np.maximum(part, patch)
    assert np.array_equal(target.numpy(), want)


@needs_nvcc
def test_columns_of_images(module: Any, device: Any) -> None:
    """im2col against the definition: pixels in order through the box, each read at the filter's offset."""
    images = np.arange(3 * 7 * 9 * 16, dtype=np.uint32).reshape(3, 7, 9, 16)
    tensor = device.buffer(images)
    for lower, upper, step, (w, h, n), (ow, oh) in (
        ((0, 0), (0, 0), 1, (0, 0, 0), (0, 0)),
        ((-1, -1), (-1, -1), 1, (-1, -1, 1), (2, 1)),
        ((-1, -1), (-1, -1), 2, (3, 1, 1), (0, 2)),
        ((0, 0), (-2, -2), 1, (5, 4, 1), (1, 1)),
    ):
        map_ = tensormap.im2col(
            tensor.address, "u32", [16, 9, 7, 3], [64, 576, 4032], lower, upper, 8, 24, [1, step, step, 1]
        )
        out = np.zeros((24, 8), np.uint32)
        module["columns"][1, 32, 4096](map_, out, out.nbytes, 4, w, h, n | ow << 8 | oh << 16)
        want = np.zeros_like(out)
        for pixel in range(24):
            y, x = h + oh, w + ow
            if 0 <= n < 3 and 0 <= y < 7 and 0 <= x < 9:
                want[pixel] = images[n, y, x, 4:12]
            w += step
            if w >= 9 + upper[0]:
                w, h = lower[0], h + step
                if h >= 7 + upper[1]:
                    h, n = lower[1], n + 1
        assert np.array_equal(out, want), (lower, upper, step)


@needs_nvcc
def test_what_traps_and_what_rounds(module: Any, device: Any) -> None:
    """As on an H200: a box begins at a multiple of 16 bytes, 0x7ff7 fills, TF32 rounds, the map says how many bytes."""
    tensor = np.array([1.0, 0.1, np.nan, -1e-40, 3.3e38, 1.00048828125, -7.7, 0.0] * 4, np.float32).reshape(4, 8)
    given_ = device.buffer(tensor)
    out = np.zeros(32, np.uint32)
    map_ = tensormap.tiled(given_.address, "tf32", [8, 4], [32], [8, 4], nan_outside=True)
    module["load2"][1, 32, 4096](map_, out, 128, 4, 2, 0, 0)
    want = np.full((4, 8), 0x7FF77FF7, np.uint32)
    words = tensor.view(np.uint32)
    want[:2, :4] = (words[2:, 4:] + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    assert np.array_equal(out.reshape(4, 8), want)
    with pytest.raises(runtime.DeviceError, match=r"illegal instruction: the tensor map at .* multiple of 16 bytes"):
        module["load2"][1, 32, 4096](map_, out, 128, 1, 2, 0, 0)


@needs_nvcc
def test_a_box_for_two_blocks(image: bytes) -> None:
    for timing in (False, True):
        device = runtime.Device("sm_90", timing=timing)
        tensor = np.arange(16 * 16, dtype=np.uint32).reshape(16, 16)
        given_ = device.buffer(tensor)
        map_ = tensormap.tiled(given_.address, "u32", [16, 16], [64], [16, 8])
        out = np.zeros((2, 256), np.uint32)
        device.load(image)["both"][2, 32](map_, out)
        assert np.array_equal(out, np.stack([tensor.reshape(-1)] * 2))
