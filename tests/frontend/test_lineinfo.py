"""Line tables with whole chains of inlined calls: what nvdisasm prints for our cubin is what the source says."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest

import minicc

SOURCE = """\
template <typename T> __device__ T inner(T a) {
  T b = a * T(2);
  return b + T(1) / a;
}
struct Scale {
  float k;
  __device__ float operator()(float v) const {
    return inner(v) * k;
  }
};
template <typename F> __device__ float middle(float a, int n, F f) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += f(a + i);
  return s;
}
__device__ float outer(float a, int n) {
  return middle(a, n, Scale{3.f}) * inner(a);
}
__device__ __noinline__ float apart(float a) {
  return inner(a) - 1.f;
}
__global__ void k(float *o, int n) {
  int i = threadIdx.x;
  o[i] = outer(o[i], n);
  o[i + 1] = apart(outer(o[i + 1], 2));
}
"""
DEEPEST = (3, 8, 14, 18, 25)
"""Lines of a chain that must be there: inner in operator() in middle in outer in k."""
CALLS = {1: (8, 18, 21), 7: (14,), 11: (18,), 17: (25, 26), 20: (26,), 23: ()}
"""By the line that a function begins on: the lines that call it in place."""


def chains(nvdisasm: str, cubin: Path) -> tuple[set[tuple[int, ...]], list[int]]:
    """(chains of lines, innermost first; addresses of instructions that stand before any line)."""
    listing = subprocess.run([nvdisasm, "-gi", str(cubin)], capture_output=True, text=True, check=True).stdout
    found: set[tuple[int, ...]] = set()
    homeless: list[int] = []
    chain: list[int] = []
    begun = False
    for line in listing.splitlines():
        if ".section\t.text" in line:
            begun, chain = False, []
        place = re.search(r'//## File "[^"]*", line (\d+)( inlined at)?', line)
        if place:
            chain.append(int(place[1]))
            if not place[2]:
                found.add(tuple(chain))
                chain, begun = [], True
        elif not begun and re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+[@A-Z]", line):
            homeless.append(int(line.split("*")[1], 16))
    return found, homeless


def function_of(line: int) -> int:
    return max(start for start in CALLS if start <= line)


@pytest.mark.parametrize("options", ["-lineinfo", "-lineinfo -Xptxas -O1", "-G"])
def test_every_instruction_has_its_chain(options: str, oracle, tmp_path: Path) -> None:
    path = tmp_path / "in.cu"
    path.write_text(SOURCE)
    cubin = tmp_path / "in.cubin"
    cubin.write_bytes(minicc.compile(path, arch="sm_90", options=options).cubin)
    found, homeless = chains(oracle("nvdisasm"), cubin)
    assert found and homeless == []
    for chain in found:
        for inner, call in itertools.pairwise(chain):
            assert call in CALLS[function_of(inner)], chain
        assert function_of(chain[-1]) in (20, 23) or options == "-G", chain
    if options != "-G":
        assert DEEPEST in found


def test_ptxas_reads_the_same_chains_from_our_ptx(oracle, tmp_path: Path) -> None:
    path, text, theirs, ours = (tmp_path / name for name in ("in.cu", "in.ptx", "theirs.cubin", "ours.cubin"))
    path.write_text(SOURCE)
    made = minicc.compile(path, arch="sm_90", options="-lineinfo")
    text.write_text(made.ptx)
    ours.write_bytes(made.cubin)
    subprocess.run([oracle("ptxas"), "-arch=sm_90", "-lineinfo", "-o", str(theirs), str(text)], check=True)
    nvdisasm = oracle("nvdisasm")
    assert DEEPEST in chains(nvdisasm, theirs)[0]
    # The call of `apart` is expanded in ours and a real one in theirs.
    cut = {c[: c.index(21) + 1] if 21 in c else c for c in chains(nvdisasm, ours)[0]}
    assert {c for c in cut if len(c) > 1} <= chains(nvdisasm, theirs)[0]
    # Ours from the text, as from the module in memory.
    again = tmp_path / "again.cubin"
    again.write_bytes(minicc.compile(text, arch="sm_90", options="-lineinfo").cubin)
    assert chains(nvdisasm, again)[0] == chains(nvdisasm, ours)[0]
