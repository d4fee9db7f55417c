"""What objdump writes around machine code is what nvdisasm writes: source lines, life ranges, the flow graph."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from minicc import cli
from tests.conftest import SAMPLES

CALLED = """__device__ __forceinline__ float square(float x) {
    return x * x + 1.0f; }
__device__ __forceinline__ float fourth(float x) {
    return square(square(x)); }
__global__ void k(float *a) {
    int i = threadIdx.x;
    a[i] = fourth(a[i]); }
"""


def objdump(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(["objdump", *words]) == 0
    return capsys.readouterr().out


def places(text: str) -> dict[str, list[str]]:
    """The notes above each address that has some."""
    out, notes = {}, []
    for line in text.splitlines():
        if "//##" in line:
            notes.append(line.strip())
        elif (found := re.match(r"\s*/\*([0-9a-f]{4,})\*/", line)) and notes:
            out[found[1]], notes = notes, []
    return out


@pytest.mark.parametrize("option", ["-g", "-gi"])
def test_source_lines(
    oracle: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    source, made = tmp_path / "called.cu", str(tmp_path / "called.cubin")
    source.write_text(CALLED)
    assert cli.main(["-cubin", "-lineinfo", str(source), "-o", made]) == 0
    theirs = subprocess.run([oracle("nvdisasm"), "-c", option, made], capture_output=True, text=True, check=True)
    ours = places(objdump(capsys, option, made))
    assert ours == places(theirs.stdout)
    assert any("inlined" in note for notes in ours.values() for note in notes) == (option == "-gi")


def ranges(text: str) -> dict[str, list[dict[int, str]]]:
    """By address, the marks by register of each file; without R1, which nvdisasm has in use everywhere."""
    out: dict[str, list[dict[int, str]]] = {}
    heads: list[list[re.Match[str]]] = []
    for line in text.splitlines():
        code, _, row = line.partition("// |")
        cells = row.rstrip().rstrip("|").split("|")
        if "#" in cells[0]:
            heads = [list(re.finditer(r"\d+", cell)) for cell in cells]
        elif found := re.match(r"\s*/\*([0-9a-f]{4,})\*/", code):
            marks = [
                {int(n[0]): mark for n in head if (mark := cell[n.start() : n.end()].strip())}
                for head, cell in zip(heads, cells, strict=True)
            ]
            marks[0].pop(1, None)
            out[found[1]] = marks
    return out


@pytest.mark.parametrize("name", ["dot", "histogram", "spmv_merge"])
def test_life_ranges(
    oracle: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    made = str(tmp_path / "x.cubin")
    assert cli.main(["-cubin", str(SAMPLES / f"{name}.k"), "-o", made]) == 0
    theirs = subprocess.run([oracle("nvdisasm"), "-c", "-plr", made], capture_output=True, text=True, check=True)
    want, got = ranges(theirs.stdout), ranges(objdump(capsys, "-plr", made))
    assert len(want) > 50
    assert {at: got[at] for at in want} == want
    counts = re.findall(r"// \|\s+(\d+)", objdump(capsys, "-lrm", "count", made))
    assert max(map(int, counts)) == max(len(marks[0]) for marks in got.values())
    narrow = objdump(capsys, "-lrm=narrow", made)
    assert [re.sub(r"[^:vx^]", "", line.partition("// |")[2]) for line in narrow.splitlines() if "*/" in line] == [
        "".join(mark for marks in files for mark in marks.values()) for files in _all(objdump(capsys, "-plr", made))
    ]


def _all(text: str) -> list[list[dict[int, str]]]:
    rows = [line.partition("// |")[2] for line in text.splitlines() if "*/" in line]
    return [[dict(enumerate(re.findall(r"[:vx^]", row)))] for row in rows]


def test_the_graph_has_each_instruction_once_and_the_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = str(tmp_path / "x.fatbin")
    assert cli.main([str(SAMPLES / "dot.k"), "-fatbin", "-o", made]) == 0
    dot = objdump(capsys, "-cfg", "-fun", "dot", made).strip()
    listing = objdump(capsys, "-sass", "-raw", made)
    code = re.findall(r"/\*([0-9a-f]{4,})\*/", listing)
    shown = re.findall(r"/\*([0-9a-f]{4,})\*/", dot)
    assert dot.startswith("digraph") and dot.endswith("}")
    assert shown == code[: len(shown)] and listing.count("NOP") + len(shown) == len(code)
    ways = re.findall(r'"0_([0-9a-f]+)" -> "0_([0-9a-f]+)"', dot)
    assert any(int(to, 16) <= int(at, 16) for at, to in ways)
    heads = set(re.findall(r'^"0_([0-9a-f]+)" \[', dot, re.MULTILINE))
    assert {end for way in ways for end in way} <= heads
