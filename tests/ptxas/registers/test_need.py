"""A function that needs more registers than there are, whatever is made again, has no order without local memory."""

from __future__ import annotations

import random

import pytest

from minicc.ptxas import Options, pipeline
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import MFunction
from minicc.ptxas.registers import allocate
from minicc.ptxas.registers.intervals import build
from minicc.ptxas.registers.need import Need
from minicc.ptxas.schedule import lean, schedule
from minicc.ptxas.schedule.trial import Trials
from tests.ptxas.conftest import ARCH
from tests.ptxas.programs import Generator


def made(seed: int) -> MFunction:
    function = Generator(seed, 120, values=random.Random(seed).randrange(12, 40)).f
    pipeline.run(function, ARCH, Options(stop_after="renew"))
    return function


@pytest.mark.parametrize("seed", range(6))
def test_with_fewer_registers_than_are_needed_there_is_spill_code(seed: int) -> None:
    """The whole allocator, which may use local memory, is the oracle: what has none has registers for the need."""
    function = made(seed)
    need = Need(function)
    for budget in range(24, 64, 4):
        function.budget = budget
        trial = Trials(function, ARCH, Options()).of()
        alone = Trials(function, ARCH, Options()).of(local=0)
        assert alone.failed == (trial.failed or trial.local > 0)
        if not alone.failed:
            assert need.along(build(function, Cfg.of(function))) <= allocate.room(function, ARCH, Options())


@pytest.mark.parametrize("seed", range(6))
def test_what_is_needed_between_blocks_hangs_on_no_order(seed: int) -> None:
    function = made(seed)
    need = Need(function)

    def between() -> int:
        return need.between(analyse(function, Cfg.of(function)))

    first = between()
    assert first <= need.along(build(function, Cfg.of(function)))
    schedule.Graphs(function, ARCH, Options()).schedule(schedule.Aim(20))
    assert between() == first <= need.along(build(function, Cfg.of(function)))
    lean.run(function, ARCH)
    assert between() == first <= need.along(build(function, Cfg.of(function)))
