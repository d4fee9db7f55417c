"""Random programs keep their meaning through every pass, under every twin, and under their own control codes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from minicc import arch as archs
from minicc.ptxas import pipeline
from minicc.ptxas.mir import MFunction
from minicc.ptxas.options import Options
from minicc.record import evolve
from tests.ptxas import machine
from tests.ptxas.programs import INPUTS, Generator

ARCH = archs.get("sm_90")
SLOW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def compiled(seed: int, size: int, values: int, predicates: int, options: Options) -> MFunction:
    function = Generator(seed, size, values, predicates).f
    options.verify = True
    pipeline.run(function, ARCH, options)
    return function


@SLOW
@given(
    seed=st.integers(0, 1 << 30),
    size=st.integers(1, 150),
    values=st.integers(2, 40),
    predicates=st.integers(1, 12),
    limit=st.sampled_from([None, 24, 18]),
    sched=st.sampled_from(["list", "list", "serial"]),
    ra=st.sampled_from(["linear", "linear", "spill-all"]),
    level=st.sampled_from([0, 3, 3]),
)
@example(30236, 51, 13, 12, None, "list", "linear", 3)  # a load, and the second of two stores that may touch it
@example(0, 47, 22, 1, None, "list", "linear", 3)  # a block writes one half of a pair twice and reads the other
def test_meaning_is_kept(
    seed: int, size: int, values: int, predicates: int, limit: int | None, sched: str, ra: str, level: int
) -> None:
    want = machine.run(Generator(seed, size, values, predicates).f, INPUTS)
    options = Options(max_registers=limit, sched=sched, ra=ra, opt_level=level)  # type: ignore[arg-type]
    function = compiled(seed, size, values, predicates, options)
    assert machine.run(function, INPUTS) == want
    for trial in range(2):
        assert machine.run_timed(function, INPUTS, trial, strict=True) == want
    used = function.attributes["registers"]
    assert isinstance(used, int) and used <= (limit or 255)


@pytest.mark.parametrize("broken", ["stall", "wait"])
def test_timed_machine_notices(broken: str) -> None:
    """The oracle itself: shortening stalls or dropping waits must change results."""

    changed = 0
    for seed in range(12):
        function = compiled(seed, 80, 10, 4, Options())
        want = machine.run(function, INPUTS)
        for block in function.blocks:
            for inst in block.insts:
                control = inst.control
                if broken == "stall" and control.stall > 1:
                    inst.control = evolve(control, stall=control.stall - 1)
                elif broken == "wait":
                    inst.control = evolve(control, wait=0)
        try:
            changed += machine.run_timed(function, INPUTS, 1) != want
        except AssertionError:  # a broken loop counter
            changed += 1
    assert changed >= 10
