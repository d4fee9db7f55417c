"""Register banks: the colouring stays right when values change places; conflicts go; the reuse cache never lies."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc import arch, sass
from minicc.analysis.banks import banks
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.ptxas import Options, pipeline
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.registers.banks import Places
from minicc.ptxas.registers.intervals import build
from tests.conftest import SAMPLES
from tests.ptxas.programs import Generator

SM_90 = arch.get("sm_90")
TAKEN = ("sha256", "sgemm_regblock", "softmax", "nbody")
FLOW = ("BRA", "EXIT", "BSYNC", "WARPSYNC", "CALL", "RET", "BRX")


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32), size=st.integers(10, 120), values=st.integers(3, 40), limit=st.sampled_from([None, 24])
)
def test_no_two_share_a_register(seed: int, size: int, values: int, limit: int | None) -> None:
    function = Generator(seed, size, values, 4).f
    pipeline.run(function, SM_90, Options(max_registers=limit, stop_after="banks"))
    taken: dict[int, list[tuple[int, int]]] = {}
    for interval in build(function, Cfg.of(function)).intervals:
        if interval is not None and interval.reg.file == "R":
            assert interval.reg.fixed is not None
            for part, segments in enumerate(interval.parts):
                taken.setdefault(interval.reg.fixed + part, []).extend(segments)
    for segments in taken.values():
        segments.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(segments))


HEAT = """
__global__ void heat(const float *a, float *b, int nx, int ny, int nz, float c0, float c1) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
    int p = nx * ny, id = j * nx + i;
    float below = a[id], here = a[id + p];
    for (int k = 1; k < nz - 1; k++) {
        float above = a[id + (k + 1) * p];
        int q = id + k * p;
        b[q] = c0 * here + c1 * (below + above + a[q - 1] + a[q + 1] + a[q - nx] + a[q + nx]);
        below = here;
        here = above;
    }
}
"""


def test_a_load_is_not_made_to_wait_for_a_number() -> None:
    """A sum that moved to where the last of five loads goes would stand before it (1.09 of the loop's time)."""
    code = read_cubin(minicc.compile(SourceFile("heat.cu", HEAT), arch="sm_90").cubin, "heat").functions[0].code
    names = [i.mnemonic for i in instructions(code, SM_90)]
    assert names[: names.index("FADD")].count("LDG") == 2 + 5


def largest(name: str, options: str = "") -> bytes:
    image = minicc.compile(SAMPLES / f"{name}.k", arch="sm_90", options=options).cubin
    return max((f.code for f in read_cubin(image, name).functions), key=len)


def test_conflicts_go() -> None:
    """Of what the allocator leaves, most."""
    before = sum(banks(largest(name, "-Xptxas --disable=banks"), SM_90).extra for name in TAKEN)
    after = sum(banks(largest(name), SM_90).extra for name in TAKEN)
    assert after < 0.6 * before


@pytest.mark.parametrize("name", TAKEN)
def test_flags_are_true(name: str) -> None:
    """From a flagged read to the next one of that bank in that slot nothing writes the register, and it is the same."""
    listing = list(instructions(largest(name), SM_90))
    found = [sass.effects(i, SM_90) for i in listing]
    flags = 0
    for n, instr in enumerate(listing):
        for access in found[n].reads:
            if access.file != "R" or access.slot < 0 or not instr.control.reuse >> access.slot & 1:
                continue
            flags += 1
            hit = False
            for k in range(n, len(listing)):
                again = [r for r in found[k].reads if k > n and r.slot == access.slot and r.file == "R"]
                if any((r.index - access.index) % 2 == 0 or r.count > 1 for r in again):
                    hit = [(r.index, r.count) for r in again] == [(access.index, access.count)]
                    break
                assert not any(w.file == "R" and w.index <= access.index < w.index + w.count for w in found[k].writes)
                assert listing[k].mnemonic not in FLOW
            assert hit, (n, instr)
    assert flags >= 10


def test_cache_is_by_slot_and_bank() -> None:
    """As measured: other slots and the other bank leave an entry alone, a read without the flag ends it."""
    pad = "FFMA R20, R21, R22, R23"

    def extra(*lines: str) -> int:
        code = b"".join(
            sass.encode(sass.parse(line), SM_90, 16 * n).to_bytes(16, "little") for n, line in enumerate(lines)
        )
        return banks(code, SM_90).reused

    first = "FFMA R8, R2.reuse, R4, R5"
    again = "FFMA R9, R2, R6, R7"
    assert extra(first, again) == 1
    assert extra(first, "FFMA R10, R3, R6, R7", again) == 1
    assert extra(first, "FFMA R10, R12, R6, R7", again) == 0
    assert extra(first, again, again) == 1
    assert extra(pad, again) == 0


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(20, 120), values=st.integers(8, 60))
def test_gains_are_what_changes_bring(seed: int, size: int, values: int) -> None:
    """What the tables say that a change gains is what all sites cost before it and after."""
    function = Generator(seed, size, values, 4).f
    pipeline.run(function, SM_90, Options(stop_after="regalloc"))
    ranges, free = function.colouring
    places = Places(function, ranges, free, SM_90)
    apply = places.apply

    def cost() -> int:
        copies = (
            weight * (places.place[a] - places.place[b] != by)
            for a, row in places.copies.items() for b, by, weight in row if b in places.place and a in places.place
        )  # fmt: skip
        assert all(site.even + site.odd >= len(site.moving) for site in places.sites)
        return sum(site.price() for site in places.sites) + sum(copies) // 2

    def watched(moved: dict[int, int]) -> None:
        before, gain = cost(), places.gain(moved)
        apply(moved)
        assert before - cost() == gain

    places.apply = watched  # type: ignore[method-assign]
    places.improve()
