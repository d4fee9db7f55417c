"""fatbins: round trips, what cuobjdump makes of ours, what we make of nvcc's, and hostile inputs."""

from __future__ import annotations

import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import objdump
from minicc.binary import Entry, read_cubin, read_fatbin, write_cubin, write_fatbin
from minicc.diagnostics import CompileError
from minicc.sass.program import Function, Program
from tests.binary.conftest import HERE, damaged, output
from tests.binary.test_cubin import EXIT

PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


@st.composite
def entries(draw) -> Entry:
    kind = draw(st.sampled_from(["cubin", "ptx"]))
    letter = draw(st.sampled_from(["", "a", "f"]))
    arch = f"{'sm' if kind == 'cubin' else 'compute'}_{draw(st.sampled_from([75, 80, 90, 100, 120]))}{letter}"
    data = draw(st.binary(min_size=1, max_size=300)) * draw(st.integers(1, 20))
    if kind == "ptx":
        data = data.replace(b"\0", b" ")
    elif len(data) % 8:
        data += bytes(-len(data) % 8)  # without an ELF header its exact size is not known to a reader
    text = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
    return Entry(
        kind,
        arch,
        data,
        draw(st.sampled_from(["none", "lz4", "zstd"])),
        draw(text),
        draw(text) if kind == "ptx" else "",
        (draw(st.integers(0, 9)), draw(st.integers(0, 9))),
        draw(st.booleans()),
    )


@given(st.lists(entries(), max_size=5))
def test_what_is_written_is_read_back(given_entries):
    data = write_fatbin(given_entries)
    assert data == write_fatbin(given_entries)
    assert read_fatbin(data) == given_entries
    assert struct.unpack_from("<Q", data, 8)[0] == len(data) - 16


@given(st.lists(entries(), max_size=3), st.lists(entries(), max_size=3))
def test_concatenated_fatbins_are_all_read(first, second):
    data = write_fatbin(first)
    data += bytes(-len(data) % 8) + write_fatbin(second)
    assert read_fatbin(data) == first + second


@given(st.lists(entries(), min_size=1, max_size=3), st.data())
def test_damaged_files_give_errors(given_entries, data):
    good = write_fatbin(given_entries)
    for _ in range(8):
        try:
            read_fatbin(damaged(good, data), "bad.fatbin")
        except CompileError as error:
            assert "bad.fatbin: byte 0x" in str(error)


@pytest.mark.parametrize("method", ["zstd", "lz4"])
def test_a_bomb_is_refused(method):
    """A small payload that claims, or would decompress to, far more than it may."""
    size = 1 << 28
    bomb = bytearray(write_fatbin([Entry("ptx", "compute_90", b" " * (1 << 20), method)]))
    at = 16 + 0x38
    for claim in (size, 1 << 40, (1 << 64) - 1):
        struct.pack_into("<Q", bomb, at, claim)
        with pytest.raises(CompileError, match="byte 0x"):
            read_fatbin(bytes(bomb), "bomb")
    struct.pack_into("<Q", bomb, at, 100)
    with pytest.raises(CompileError, match="byte 0x"):
        read_fatbin(bytes(bomb), "bomb")


def _cubin() -> bytes:
    return write_cubin(Program("sm_90", [Function("k", EXIT, registers=8)]))


@pytest.mark.parametrize("method", ["none", "lz4", "zstd"])
@pytest.mark.parametrize("name", ["", "file.k"])
def test_cuobjdump_lists_and_extracts_ours(oracle, tmp_path, method, name):
    tool, cubin = oracle("cuobjdump"), _cubin()
    made = [Entry("cubin", "sm_90", cubin, method, name), Entry("ptx", "compute_90", PTX.encode(), method, name)]
    path = tmp_path / "x.fatbin"
    path.write_bytes(write_fatbin(made))
    stem = "file" if name else "x.1"
    assert f"{stem}.sm_90.cubin" in output(tool, "-lelf", path)
    assert f"{stem}.sm_90.ptx" in output(tool, "-lptx", path)
    for option in ("-xelf", "-xptx"):
        subprocess.run([tool, option, "all", path], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / f"{stem}.sm_90.cubin").read_bytes() == cubin
    assert (tmp_path / f"{stem}.sm_90.ptx").read_text() == PTX
    listing = output(tool, path)
    assert ("compressed" in listing) == (method != "none")
    assert (f"identifier = {name}" in listing) == bool(name)
    assert "code version = [1,8]" in listing and "code version = [8,0]" in listing


@pytest.mark.parametrize("mode", ["default", "size", "speed", "balance", "none"])
def test_reading_what_nvcc_makes(oracle, tmp_path, mode):
    path = tmp_path / "x.fatbin"
    output(oracle("nvcc"), "-arch=sm_90", "-fatbin", "--compress-mode", mode, HERE / "kernels.cu", "-o", path)
    found = read_fatbin(path.read_bytes(), str(path))
    assert [(e.kind, e.arch) for e in found] == [("cubin", "sm_90"), ("ptx", "compute_90")]
    assert {f.name for f in read_cubin(found[0].data, "x").functions} == {"k_one", "k_switch", "_Z9k_clusterPi"}
    assert b".entry k_one" in found[1].data
    wanted = {"size": ["zstd", "zstd"], "speed": ["none", "lz4"], "none": ["none", "none"]}
    assert [e.compression for e in found] == wanted.get(mode, ["none", "zstd"])


def test_bad_architectures_are_refused():
    with pytest.raises(CompileError, match="not an architecture"):
        write_fatbin([Entry("cubin", "gfx90", b"x")])
    with pytest.raises(CompileError, match="not a fatbin"):
        read_fatbin(b"\x7fELF" + bytes(100), "x")


def test_objdump_refuses_a_header_of_no_bytes(tmp_path):
    """Such a fatbin is as long as nothing: stepping over it would not end."""
    path = tmp_path / "a.fatbin"
    path.write_bytes(struct.pack("<IHHQ", 0xBA55ED50, 1, 0, 0) + bytes(64))
    with pytest.raises(CompileError, match=r"byte 0x4: .*header of 0 bytes"):
        objdump.main(["-ptx", str(path)])
