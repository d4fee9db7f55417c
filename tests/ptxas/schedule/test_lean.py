"""The lean order: what is remembered of a candidate's cost is what it would be found to cost now."""

from __future__ import annotations

import random

from minicc.ptxas.operands import Components
from minicc.ptxas.schedule.dag import build
from minicc.ptxas.schedule.lean import _DEPTH, _Backward
from minicc.ptxas.timing import Distances, footprint
from tests.ptxas.conftest import ARCH, assemble
from tests.ptxas.programs import Generator


def test_costs_are_kept_as_long_as_they_hold() -> None:
    rng = random.Random(5)
    kept = 0
    for seed in range(12):
        f = Generator(seed, 120, 20, 5).f
        insts = max(f.blocks, key=lambda b: len(b.insts)).insts
        components = Components(f)
        prints = [footprint(i, components) for i in insts]
        general = {components.start[r.id] + p for r in f.vregs if r.file == "R" for p in range(r.width)}
        live = {key for key in general if rng.random() < 0.3}
        run = _Backward(build(insts, prints, Distances(ARCH)), prints, live, general)
        while run.ready:
            for candidate in run.ready:
                if candidate in run.costs:
                    kept += 1
                    assert run.costs[candidate] == run._more(candidate, _DEPTH, candidate)
                else:
                    run.cost(candidate)
            run.take(rng.choice(run.ready))
    assert kept > 1000


def test_loads_of_a_long_block_come_where_they_are_wanted() -> None:
    """A thousand values, all loaded before the first is compared, as LLVM writes a vector's greatest element."""
    count = 1000
    loads = "".join(f"ld.global.nc.f32 %f{k}, [%rd0+{4 * k}];" for k in range(count))
    names, most = [f"%f{k}" for k in range(count)], ""
    while len(names) > 1:
        one, two = names.pop(0), names.pop(0)
        most += f"max.f32 {one}, {one}, {two};"
        names.append(one)
    program = assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) .maxntid 32
{{ .reg .b64 %rd<1>; .reg .f32 %f<{count}>; ld.param.u64 %rd0, [x]; {loads} {most}
st.global.f32 [%rd0], {names[0]}; ret; }}
"""
    )
    (function,) = program.functions
    assert function.registers <= 128 and not function.frame
