"""What `minicc run` says of kernels that go wrong, and of launches that cannot be: the line of the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from minicc import cli

FAULTS = {
    "o[i + 8] = 1;": "illegal address",
    "*(long long *)(o + 1) = 1;": "misaligned address",
    "__trap();": "trap instruction",
    "while (*(volatile int *)o == 0) ;": "an endless loop?",
}
LAUNCHES = {
    "k[1, 2048](o)": "block x is 2048",
    "k[1, 8, 1 << 20](o)": "bytes of shared memory",
    "k[1, 8](o, 3)": "takes 1 arguments; 2 were given",
    "k[1, 8](zeros(8, f64))": "a pointer to 32-bit integers is expected",
    "other[1, 8](o)": "there is no kernel 'other'",
    "k[1, 8](o.reshape(8))": "'.reshape()' is not part of the launch script",
    "expect(o, zeros(9, i32))": "o has shape (8,), what is expected has (9,)",
}


def run(folder: Path, call: str, statement: str, *options: str) -> int:
    source = folder / "k.k"
    source.write_text(f"//! o = zeros(8, i32)\n//! {call}\n__global__ void k(int *o)\n{{\n    int i = threadIdx.x;\n"
                      f"    {statement}\n}}\n")  # fmt: skip
    return cli.main(["run", str(source), *options])


@pytest.mark.parametrize("how", ["--cycle-limit=200000", "--no-timing", "--check"])
@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_names_its_line(statement: str, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "k[1, 8](o)", statement, how, "--runaway-limit=1000000") == 1
    said = capsys.readouterr().err
    assert "k.k:6: error: " in said and FAULTS[statement] in said


DEEP = """//! o = zeros(8, i32)
//! k[1, 8](o)
//! expect(o, 300 * 301 / 2)
__device__ __noinline__ int sum(int n, volatile int *p)
{
    volatile int here[8];
    for (int i = 0; i < 8; i++) here[i] = n + (p ? p[i] - p[0] : 0);
    return n ? here[0] + sum(n - 1, here) : 0;
}
__global__ void k(int *o) { o[threadIdx.x] = sum(300, 0); }
"""


def test_recursion_that_is_too_deep_for_the_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.k").write_text(DEEP)
    assert cli.main(["run", str(tmp_path / "k.k")]) == 1
    said = capsys.readouterr().err
    assert "k.k:" in said and "outside of a thread's" in said and "--stack" in said
    assert cli.main(["run", str(tmp_path / "k.k"), "--stack", "65536"]) == 0


@pytest.mark.parametrize("call", LAUNCHES)
def test_a_launch_that_cannot_be_names_the_script_s(
    call: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, call, "o[i] = 0;") == 1
    said = capsys.readouterr().err
    assert "k.k:2:" in said and LAUNCHES[call] in said and "^~" in said
