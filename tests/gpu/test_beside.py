"""Images by turns: whose launch each row is, and what is said of bits and of launches that a GPU refuses."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import numpy as np

from tests.gpu import beside, programs
from tests.gpu.compare import CYCLES
from tests.gpu.run_cubins import CudaError

PROGRAM = {
    "name": "set/add",
    "image": "add.cubin",
    "buffers": {"x": {"dtype": "<i4", "count": 4}},
    "launches": [{"label": "add", "kernel": "add", "grid": [1], "block": [4], "args": ["x"], "repeat": 2}],
    "save": ["x"],
}


class Chip:
    """A GPU of one buffer: "add" adds a module's number, a module of the number 9 is refused."""

    name = "a chip of this test"

    def __init__(self, _: int) -> None:
        self.memory = b""

    def load(self, image: bytes) -> int:
        return int(image)

    def allocate(self, size: int) -> int:
        self.memory = b"\xff" * size
        return 1

    def write(self, address: int, data: bytes) -> None:
        self.memory = data

    def read(self, address: int, size: int) -> bytes:
        return self.memory

    def __call__(self, call: str, *args: object) -> None:
        pass


def start(cuda: Chip, module: int, launch: object, addresses: object) -> None:
    if module == 9:
        raise CudaError("cuLaunchKernel", "OUT_OF_RESOURCES", "too many registers")
    cuda.memory = (np.frombuffer(cuda.memory, np.int32) + module).tobytes()


def ran(tmp_path: Path, monkeypatch, **numbers: int) -> Path:
    monkeypatch.setattr(beside, "Cuda", Chip)
    monkeypatch.setattr(programs, "start", start)
    (tmp_path / "plan.json").write_text(json.dumps([PROGRAM]))
    for name, number in numbers.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "add.cubin").write_text(str(number))
    beside.run(tmp_path / "plan.json", tmp_path / "out", [tmp_path / name for name in numbers], 3)
    return tmp_path / "out"


def test_rounds_begin_with_either_folder_by_turns_and_from_the_same_contents(tmp_path, monkeypatch):
    out = ran(tmp_path, monkeypatch, one=1, other=1)
    turns = [name for name, _ in json.loads((out / "turns.json").read_text())]
    assert turns == ["one"] * 2 + ["other"] * 4 + ["one"] * 4 + ["other"] * 2
    assert json.loads((out / "bits.json").read_text())["other/set/add"]["x"]["differ"] == 0
    table = [["ID", CYCLES], ["", "cycle"], *([str(n), str(100 + n)] for n in range(12))]
    (out / "ncu.csv").write_text("\n".join(",".join(f'"{x}"' for x in row) for row in table))
    gpu = beside.measured(out)
    assert gpu["one"]["set/add/add"][CYCLES] == np.median([100, 101, 106, 107, 108, 109])
    assert gpu["other"]["set/add/add"][CYCLES] == np.median([102, 103, 104, 105, 110, 111])


def test_other_bits_and_launches_that_are_refused_are_told(tmp_path, monkeypatch):
    out = ran(tmp_path, monkeypatch, one=1, other=3, third=9)
    bits = json.loads((out / "bits.json").read_text())
    assert bits["other/set/add"]["x"] == {"differ": 4, "of": 4, "most": 4.0, "largest": 2.0}
    assert list(json.loads((out / "refused.json").read_text())) == ["third/set/add"]
    assert {name for name, _ in json.loads((out / "turns.json").read_text())} == {"one", "other"}


def test_bytes_of_a_buffer_may_be_given_packed():
    values = np.arange(100, dtype=np.int16)
    packed = base64.b64encode(zlib.compress(values.tobytes())).decode()
    assert (programs.contents({"dtype": "<i2", "count": 100, "zlib": packed}) == values).all()
