"""Textures on the model give the words that an H200 gave; surfaces and sizes what numpy says.

`data/textures.npz` (H200, driver 580.159.04, 2026-11-21): texels `*_d`, coordinates, and what each fetch returned;
names are the kind of texel, the address mode's number and whether filtering was linear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime
from runtime.errors import LaunchError
from tests.conftest import needs_nvcc, nvcc_makes

DATA: Any = np.load(Path(__file__).parents[3] / "data" / "textures.npz")
MODES = ("wrap", "clamp", "mirror", "border")
DEVICE = runtime.Device("sm_90", timing=False)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("texture") / "texture.cubin"
    return DEVICE.load(nvcc_makes(Path(__file__).with_name("texture.cu"), out))


def run(module: Any, name: str, texture: Any, *coordinates: Any) -> Any:
    out = np.zeros((len(coordinates[0]), 4), np.uint32)
    module[name][4, 64](texture, *coordinates, out, len(out))
    return out


@needs_nvcc
@pytest.mark.parametrize("linear", [0, 1])
@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("normalized", [0, 2])
def test_one_dimension(module: Any, mode: int, linear: int, normalized: int) -> None:
    if mode == 3 and linear:
        pytest.skip("what a border that is not zero adds to a filtered fetch is not known")
    x = DATA["t1_x"] if not normalized else (DATA["t1_x"] / 8).astype(np.float32)
    texture = DEVICE.texture(
        DATA["t1_d"], filter=("point", "linear")[linear], address=MODES[mode], normalized=bool(normalized),
        border=(2.0, 3.0, 4.0, 5.0),
    )  # fmt: skip
    assert np.array_equal(run(module, "t1", texture, x)[:, 0], DATA[f"t1_{mode}_{linear}_{normalized}"])


@needs_nvcc
def test_exponents_far_apart(module: Any) -> None:
    texture = DEVICE.texture(DATA["p_d"], filter="linear")
    assert np.array_equal(run(module, "t1", texture, DATA["p_x"])[:, 0], DATA["p"])


FORMATS = {"t2": 1, "t4": 4, "t8": 4, "t16": 1, "s16": 1, "h16": 1, "s8": 2}


@needs_nvcc
@pytest.mark.parametrize("linear", [0, 1])
@pytest.mark.parametrize("mode", [0, 1, 3])
@pytest.mark.parametrize("name", FORMATS)
def test_two_dimensions(module: Any, name: str, mode: int, linear: int) -> None:
    texels = DATA[f"{name}_d"].reshape((6, 8, -1) if FORMATS[name] > 1 else (6, 8))
    integer = texels.dtype.kind != "f"
    texture = DEVICE.texture(
        texels, channels=FORMATS[name], filter=("point", "linear")[linear], address=MODES[mode], fractions=integer
    )
    got = run(module, "t2", texture, DATA["t_x"], DATA["t_y"])
    want = DATA[f"{name}_{mode}_{linear}"]
    if name == "s8" and linear:
        # How bytes with a sign become 16 bits is not known: one in 32767.
        assert np.abs(got.view(np.float32) - want.view(np.float32)).max() < 1.01 / 32767
    else:
        assert np.array_equal(got, want)


@needs_nvcc
def test_integers_and_normalized_coordinates(module: Any) -> None:
    x, y = DATA["t_x"], DATA["t_y"]
    for name, channels in (("t8", 4), ("s8", 2), ("t16", 1)):
        texels = DATA[f"{name}_d"].reshape((6, 8, -1) if channels > 1 else (6, 8))
        got = run(module, "t2", DEVICE.texture(texels, channels=channels), x, y)
        assert np.array_equal(got, DATA[f"{name}_int"])
    coordinates = ((x / 8).astype(np.float32), (y / 6).astype(np.float32))
    for name, mode in (("t2n", "wrap"), ("t2m", "mirror")):
        for linear in (0, 1):
            texture = DEVICE.texture(DATA["t2_d"], filter=("point", "linear")[linear], address=mode, normalized=True)
            got = run(module, "t2", texture, *coordinates)[:, 0]
            # A coordinate at the border of two weights may fall to the other side.
            assert np.count_nonzero(got != DATA[f"{name}_{linear}"][:, 0]) <= (10 if linear else 0)


@needs_nvcc
def test_gathers_and_three_dimensions(module: Any) -> None:
    x, y, z = DATA["t_x"], DATA["t_y"], DATA["t_z"]
    for mode in (0, 1, 3):
        texture = DEVICE.texture(DATA["t2_d"], address=MODES[mode])
        assert np.array_equal(run(module, "g2", texture, x, y), DATA[f"g2_{mode}"])
    for mode in (1, 3):
        texture = DEVICE.texture(DATA["t3_d"], address=MODES[mode])
        assert np.array_equal(run(module, "t3", texture, x, y, z), DATA[f"t3_{mode}_0"])
        texture = DEVICE.texture(DATA["t3_d"], address=MODES[mode], filter="linear")
        got = run(module, "t3", texture, x, y, z)[:, 0]
        want = DATA[f"t3_{mode}_1"][:, 0]
        assert np.count_nonzero(got != want) < 0.3 * len(got)
        assert np.abs(got.view(np.float32) - want.view(np.float32)).max() < 0.02


@needs_nvcc
def test_layers_sizes_and_plain_fetches(module: Any) -> None:
    rng = np.random.default_rng(0)
    layers = rng.standard_normal((3, 6, 8)).astype(np.float32)
    x, y, layer = rng.integers(0, 8, 99), rng.integers(0, 6, 99), rng.integers(0, 5, 99).astype(np.uint32)
    out = np.zeros((99, 4), np.uint32)
    texture = DEVICE.texture(layers, layers=True)
    module["a2"][1, 64](texture, layer, x.astype(np.float32), y.astype(np.float32), out, 99)
    assert np.array_equal(out[:, 0].view(np.float32), layers[np.minimum(layer, 2), y, x])
    pairs = rng.standard_normal((50, 2)).astype(np.float32)
    index = np.arange(-5, 60, dtype=np.int32)
    fetched = np.zeros((65, 2), np.float32)
    module["fetch1"][1, 64](DEVICE.texture(pairs, channels=2), index, fetched, 65)
    inside = (index >= 0) & (index < 50)
    assert np.array_equal(fetched, np.where(inside[:, None], pairs[np.clip(index, 0, 49)], 0))
    flat = DEVICE.texture(layers[0])
    three = np.zeros(99, np.float32)
    module["one"][1, 64](flat, x.astype(np.float32), y.astype(np.float32), three, 99)
    assert np.array_equal(three, 3 * layers[0][y, x])
    size = np.zeros(2, np.uint32)
    module["size"][1, 1](flat, size)
    assert size.tolist() == [8, 6]


@needs_nvcc
@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_cubes(module: Any, mode: int) -> None:
    """Directions at random, along axes, through edges and corners; faces as the programming guide's table says."""
    for layered, name in enumerate(("cube", "cubes")):
        texels = DATA["cube_d"] if layered else DATA["cube_d"][:6]
        for linear in (0, 1):
            out = np.zeros(512, np.float32)
            texture = DEVICE.texture(
                texels, layers=True, normalized=True, filter=("point", "linear")[linear], address=MODES[mode]
            )
            module[name][4, 64](texture, DATA["cube_x"], DATA["cube_y"], DATA["cube_z"], out, 512)
            assert np.array_equal(out, DATA[f"cube_{layered}_{linear}_{mode}"])


@needs_nvcc
def test_surfaces(module: Any) -> None:
    rng = np.random.default_rng(1)
    texels = rng.integers(0, 256, (20, 24, 4)).astype(np.uint8)
    given, out = DEVICE.texture(texels, channels=4), DEVICE.texture(np.zeros((24, 18, 4), np.uint8), channels=4)
    module["turn"][(3, 3), (8, 8)](given, out, 24, 20)
    want = texels.transpose(1, 0, 2)[:, :18, ::-1]
    assert np.array_equal(out.buffer.numpy(), want)


@pytest.mark.parametrize(
    "options",
    [{"channels": 3}, {"filter": "cubic"}, {"address": "far"}, {"filter": "linear", "array": np.zeros(4, np.int32)},
     {"array": np.zeros((2, 2, 2, 2), np.float32)}, {"array": np.zeros(3)}],
)  # fmt: skip
def test_what_a_texture_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(LaunchError, match="texture"):
        DEVICE.texture(options.pop("array", np.zeros(4, np.float32)), **options)


@needs_nvcc
def test_a_handle_of_nothing_is_named(module: Any) -> None:
    with pytest.raises(runtime.DeviceError, match="no texture or surface has the handle 0xfffff"):
        module["size"][1, 32](0xFFFFF, np.zeros(32, np.uint32))
