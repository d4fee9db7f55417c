"""Command lines and files made at random: an exit status that nvcc has, words about it, whole files or none."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import cli

KERNEL = "__global__ void k(int *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = n; }\n"
WORDS = [
    "",
    *"""
    -ptx -cubin -fatbin -c -E -G -lineinfo -w -v -M -MD -MF=x.d -dc -dlink -rdc=true -arch=sm_90 -arch=sm_90a
    -arch=all -arch=sm_1 -arch= -code=sm_90 -code=[sm_90,sm_90a] -gencode=arch=compute_90,code=sm_90
    -gencode=code=sm_90 -gencode -O0 -O4 -Xptxas=-v,-O1 -Xptxas=--none -Xptxas -maxrregcount=0 -maxrregcount=-5
    -maxrregcount=32 -fmad=false -fmad -ftz=1 -std=c++17 -std=c++03 -DX=1 -D -UX -I. -include=none.h -o out.x -o
    none/out.x -o . -o -odir=none --keep --keep-dir=kept --dryrun -x=cu -x=c -m64 -m32 -h -V --json --emit=ll
    --emit=x -optf=self.txt -optf=none.txt -diag-error=20 -compress-mode=size -lfoo --nonsense a.cu a.k none.cu .
    a.o bad.ptx bad.cubin -- = @a
    """.split(),
]
VERBS = [
    ["objdump", "-sass"],
    ["objdump", "--why"],
    ["objdump", "-lelf"],
    ["bound"],
    ["run"],
    ["-fatbin", "-o", "out.x"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made: Path = tmp_path_factory.mktemp("commands")
    for name in ("a.cu", "a.k"):
        (made / name).write_text(KERNEL)
    (made / "self.txt").write_text("--options-file=self.txt\n")
    (made / "bad.ptx").write_text("garbage")
    (made / "bad.cubin").write_bytes(b"\x7fELFgarbage")
    (made / "a.o").write_bytes(b"\x7fELF")
    with contextlib.chdir(made):
        assert cli.main(["-cubin", "-arch=sm_90", "-o", "good.cubin", "a.cu"]) == 0
    return made


def command(words: list[str]) -> int:
    """The exit status; what is said goes with it."""
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main(words)
    said = err.getvalue()
    assert status in (0, 1, 255), (status, said)
    assert "internal error" not in said
    assert "Traceback" not in said
    assert status == 0 or said.strip()
    return status


slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@slow
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_any_command_line(folder: Path, words: list[str]) -> None:
    before = {path.name for path in folder.iterdir()}
    with contextlib.chdir(folder):
        status = command(["a.cu", *words])  # in front, so that a last -o does not name it
        assert (folder / "a.cu").read_text() == KERNEL
        for path in folder.iterdir():
            assert "tmp" not in path.name
            if path.name not in before and path.is_file():
                assert status == 0 or path.stat().st_size > 0
                path.unlink()


@slow
@given(st.sampled_from(VERBS), st.integers(0), st.integers(0), st.binary(max_size=16), st.booleans())
def test_any_damage_to_a_cubin(folder: Path, verb: list[str], at: int, length: int, new: bytes, cut: bool) -> None:
    data = (folder / "good.cubin").read_bytes()
    at %= len(data)
    rest = b"" if cut else data[at + length % 64 :]
    (folder / "damaged.cubin").write_bytes(data[:at] + new + rest)
    with contextlib.chdir(folder):
        status = command([*verb, "damaged.cubin"])
        assert status == 0 or not Path("out.x").exists()
        Path("out.x").unlink(missing_ok=True)
