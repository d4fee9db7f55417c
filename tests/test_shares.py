"""Work shared out to processes: the same results in the same order, and the first error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import shares

KERNELS = "".join(
    f"__global__ void k{n}(const float *x, float *y, int n) {{ float s = 0;"
    f" for (int i = 0; i < n; i++) s = s * x[i] + {n}; y[threadIdx.x] = s; }}\n"
    for n in range(5)
)


@given(st.lists(st.integers(1, 1000), max_size=12), st.integers(1, 5))
def test_every_item_is_in_one_share(sizes: list[int], most: int) -> None:
    parts = shares._shares(sizes, most)
    assert sorted(k for part in parts for k in part) == list(range(len(sizes)))
    work = [sum(sizes[k] for k in part) for part in parts]
    assert max(work) - min(work) <= max(sizes, default=0) and all(part == sorted(part) for part in parts)


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_order(processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "processes", processes)
    sizes = [700, 900, 100, 1500, 800]
    assert shares.each(range(5), sizes, lambda n: n * n) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("wrong", [{2}, {3, 4}, {0, 4}, {1, 2, 3}])
def test_the_first_error_is_raised(wrong: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "processes", 3)

    def make(n: int) -> int:
        if n in wrong:
            raise ValueError(n)
        return n

    with pytest.raises(ValueError, match=f"^{min(wrong)}$"):
        shares.each(range(5), [1000] * 5, make)


def test_the_same_image(tmp_path: Path) -> None:
    """Of kernels in one process and in three, warnings too."""
    (tmp_path / "x.cu").write_text(KERNELS)
    made = []
    for processes in (1, 3):
        code = f"from minicc import cli, shares; shares.processes, shares.WORTH = {processes}, 1; cli.main()"
        command = [sys.executable, "-c", code, "-cubin", "-arch=sm_90", "-Xptxas", "-v,-O3", "-o", "x.cubin", "x.cu"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        lines = [line for line in run.stderr.splitlines() if "Compile time" not in line]
        made.append(((tmp_path / "x.cubin").read_bytes(), lines))
    assert made[0] == made[1] and len(made[0][1]) > 5
