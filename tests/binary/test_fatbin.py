"""fatbins: round trips, what cuobjdump makes of ours, what we make of nvcc's, and hostile inputs."""

from __future__ import annotations

import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc.binary import Entry, read_cubin, read_fatbin, write_cubin, write_fatbin
from minicc.diagnostics import CompileError
from minicc.sass.program import Function, Program
from minicc.verbs import as_, objdump
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


SEARCHED = [
    "-lelf", "-lptx", "-ltext", "-sass", "-ptx", "-res-usage", "-res-usage -fun k_one", "-sort -sass", "-xelf all",
    "-xptx all", "-xtext k_", "-lelf -arch sm_80",
]  # fmt: skip


@pytest.mark.parametrize("source", ["fatbin", "object"])
def test_objdump_of_a_container_is_cuobjdump_s(oracle, tmp_path, monkeypatch, capsys, source):
    """What it prints and the files that it extracts: with and without the name of a source (an object with lines)."""
    file = tmp_path / "some name.v2.cu"
    file.write_text((HERE / "kernels.cu").read_text().replace("__cluster_dims__(2, 1, 1)", ""))
    how = ["-fatbin"] if source == "fatbin" else ["-c", "-lineinfo"]
    codes = [
        "-std=c++17",
        "-gencode",
        "arch=compute_80,code=sm_80",
        "-gencode",
        "arch=compute_90,code=[sm_90,compute_90]",
    ]
    output(oracle("nvcc"), *how, *codes, file, "-o", tmp_path / "made")
    for k, options in enumerate(SEARCHED):
        folders = [tmp_path / f"{who}{k}" for who in ("theirs", "ours")]
        for folder in folders:
            folder.mkdir()
        words = [*options.split(), "../made"]
        monkeypatch.chdir(folders[0])
        theirs = output(oracle("cuobjdump"), *words)
        monkeypatch.chdir(folders[1])
        assert objdump.main(words) == 0
        ours = capsys.readouterr().out
        assert ours.split("\n") == theirs.split("\n"), options
        left = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
        assert left[0] == left[1], options
        assert ("-x" in options) == bool(left[1])


def test_a_function_that_is_not_there_is_told(tmp_path, capsys):
    path = tmp_path / "k.cubin"
    path.write_bytes(_cubin())
    for how in ("-asm", "-sass", "-res-usage"):
        assert objdump.main([how, "-fun", "none", str(path)]) == 0
        said = capsys.readouterr()
        assert "no function is called none; there are: k" in said.err and ".function" not in said.out
    with pytest.raises(CompileError, match="'-arch 90' is no architecture"):
        objdump.main(["-arch", "90", str(path)])


def test_a_container_s_listing_can_be_assembled(tmp_path, capsys):
    path = tmp_path / "x.fatbin"
    path.write_bytes(
        write_fatbin([Entry("cubin", "sm_90", _cubin(), "zstd", "file.k"), Entry("ptx", "compute_90", PTX.encode())])
    )
    assert objdump.main(["-asm", str(path)]) == 0
    (tmp_path / "x.sass").write_text(capsys.readouterr().out)
    assert as_.main([str(tmp_path / "x.sass")]) == 0
    assert read_cubin((tmp_path / "x.cubin").read_bytes(), "x").functions[0].code == EXIT
