"""Static libraries: members as an independent writer laid them out, damage with its place, dumps as cuobjdump's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc.binary import archive
from minicc.diagnostics import CompileError
from minicc.verbs import objdump
from tests.binary.conftest import HERE, damaged, output
from tests.conftest import needs_ptxas

MEMBERS = {"a.o": b"odd", "a name that is longer than sixteen.o": b"\x7fELF", "empty.o": b""}


def header(name: bytes, size: int) -> bytes:
    return name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"644".ljust(8) + str(size).encode().ljust(10) + b"`\n"


def bsd() -> bytes:
    out = archive.MAGIC
    for name, body in MEMBERS.items():
        text = name.encode() + b"\0" * 3
        out += header(b"#1/%d" % len(text), len(text) + len(body)) + text + body
        out += b"\n" * (len(out) % 2)
    return out


@pytest.fixture(scope="module")
def system_v(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    if shutil.which("ar") is None:
        pytest.skip("binutils are not installed")
    folder = tmp_path_factory.mktemp("archive")
    for name, body in MEMBERS.items():
        (folder / name).write_bytes(body)
    subprocess.run(["ar", "rc", "x.a", *MEMBERS], cwd=folder, check=True)
    return (folder / "x.a").read_bytes()


def test_members_are_read(system_v: bytes) -> None:
    assert dict(archive.members(system_v, "x")) == dict(archive.members(bsd(), "y")) == MEMBERS


@given(st.data())
def test_damage_is_an_error_with_its_place(data: st.DataObject) -> None:
    try:
        archive.members(damaged(bsd(), data), "x.a")
    except CompileError as error:
        assert "x.a: byte 0x" in str(error)


@needs_ptxas
def test_dumps_are_cuobjdump_s(oracle, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("ar") is None or shutil.which("nvcc") is None:
        pytest.skip("binutils or nvcc are not installed")
    for name, more in (("one.o", ()), ("two.o", ("-dc",))):
        output("nvcc", "-arch=sm_90", *(more or ("-c",)), HERE / "kernels.cu", "-o", tmp_path / name)
    output("ar", "rc", tmp_path / "x.a", tmp_path / "one.o", tmp_path / "two.o")
    for option in ("-lelf", "-ltext", "-sass", "-symbols"):
        wanted = output(oracle("cuobjdump"), option, tmp_path / "x.a")
        objdump.main([option, str(tmp_path / "x.a")])
        assert capsys.readouterr().out.split("\n") == wanted.split("\n"), option
