"""What the scheduler takes to be live."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.intervals import bits_of
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import Block
from minicc.ptxas.operands import Components
from minicc.ptxas.schedule import behind
from tests.ptxas.programs import Generator


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30), step=st.integers(1, 9))
def test_behind_a_run_is_what_would_be_live_if_a_block_ended_there(seed: int, step: int) -> None:
    function = Generator(seed, 80).f
    components = Components(function)
    live = analyse(function, Cfg.of(function))
    runs = [[(i, min(i + step, len(b.insts))) for i in range(0, len(b.insts), step)] for b in function.blocks]
    found = [behind(live, n, row, components) for n, row in enumerate(runs)]
    split: list[Block] = []
    for block, row in zip(function.blocks, runs, strict=True):
        parts = [Block(f"{block.label}.{n}" if n else block.label, block.insts[s:e]) for n, (s, e) in enumerate(row)]
        for part, following in pairwise(parts):
            part.succs = [following.label]
        if parts:
            parts[-1].succs = block.succs
        split += parts or [block]
    function.blocks = split
    right = analyse(function, Cfg.of(function)).live_out
    wanted = [{components.start[r] + p for r, mask in out.items() for p in bits_of(mask)} for out in right]
    flat = [live for row, block in zip(found, runs, strict=True) for live in (row if block else [set()])]
    # Guarded writes are complete or not by what else the block has.
    assert len(flat) == len(wanted)
    for have, want in zip(flat, wanted, strict=True):
        assert have <= want
