"""Orders tried with registers: the function stays as it was, an order is tried once, and what is taken is what
allocation would find."""

from __future__ import annotations

from math import inf

import pytest

from minicc.ptxas import Options, pipeline
from minicc.ptxas.dump import function_text
from minicc.ptxas.mir import MFunction, V
from minicc.ptxas.operands import reads, writes
from minicc.ptxas.registers import allocate
from minicc.ptxas.schedule import fit
from minicc.ptxas.schedule.trial import Trial, Trials
from tests.ptxas.conftest import ARCH
from tests.ptxas.programs import Generator


def short_of_registers(seed: int) -> MFunction:
    """A program that has to spill: forty values in sixteen registers."""
    function = Generator(seed, 120, values=40).f
    function.max_registers = 16
    pipeline.run(function, ARCH, Options(stop_after="renew"))
    return function


@pytest.mark.parametrize("seed", range(3))
def test_what_is_taken_is_what_allocation_finds(seed: int) -> None:
    taken, found = short_of_registers(seed), short_of_registers(seed)
    fit.run(taken, ARCH, Options())
    fit.run(found, ARCH, Options())
    insts = {inst for block in taken.blocks for inst in block.insts}
    assert taken.trial is not None
    taken.trial.take()
    allocate.run(found, ARCH, Options())
    assert function_text(taken) == function_text(found)
    assert (taken.attributes, taken.frame, len(taken.vregs)) == (found.attributes, found.frame, len(found.vregs))
    # Others know the instructions themselves.
    assert insts & {inst for block in taken.blocks for inst in block.insts}


def test_a_trial_leaves_the_function_as_it_was() -> None:
    function = short_of_registers(1)
    before = function_text(function), len(function.vregs), dict(function.attributes), function.frame
    trial = Trials(function, ARCH, Options()).of()
    assert trial.spilled and trial.local > 0 and trial.cost > trial.alone > 0
    assert (function_text(function), len(function.vregs), function.attributes, function.frame) == before


@pytest.mark.parametrize("seed", range(6))
def test_what_is_tried_makes_what_it_reads(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that are made again for each use leave the order of before with names that nobody makes in it."""
    function = short_of_registers(seed)
    find = Trials.of

    def checked(self: Trials, most: float = inf, *, local: float = inf) -> Trial:
        insts = [inst for block in function.blocks for inst in block.insts]
        made = {part for inst in insts for v in writes(inst) if isinstance(v, V) for part in v.parts}
        assert made >= {part for inst in insts for v in reads(inst) if isinstance(v, V) for part in v.parts}
        return find(self, most, local=local)

    monkeypatch.setattr(Trials, "of", checked)
    fit.run(function, ARCH, Options())


def test_a_trial_is_given_up_where_spill_code_alone_costs_too_much() -> None:
    """What is given up would have cost that much; what would not have is made to its end."""
    function = short_of_registers(1)
    whole = Trials(function, ARCH, Options()).of()
    given_up = Trials(function, ARCH, Options()).of(1)
    assert given_up.failed and given_up.cost == inf and Trials(function, ARCH, Options()).known() is None
    assert Trials(function, ARCH, Options()).of(whole.cost).cost == whole.cost


@pytest.mark.parametrize("part", [0, 0.5])
def test_a_trial_is_given_up_at_more_accesses_to_local_memory_than_are_allowed(part: float) -> None:
    """It stays given up for who asks so again, and is made to its end for who allows as many as there are."""
    most = Trials(short_of_registers(1), ARCH, Options()).of().local
    trials = Trials(short_of_registers(1), ARCH, Options())
    given_up = trials.of(local=part * most)
    assert given_up.failed and trials.of(local=part * most) is given_up
    whole = trials.of(local=most)
    assert not whole.failed and whole.local == most > 0 and trials.known() is whole


def test_an_order_is_tried_once_under_the_same_limits() -> None:
    function = short_of_registers(2)
    trials = Trials(function, ARCH, Options())
    first = trials.of()
    for block in function.blocks:
        block.insts = list(block.insts)
    assert trials.of() is first and trials.known() is first
    function.crowded = True
    assert trials.known() is None and trials.of() is not first
    function.crowded = False
    block = max(function.blocks, key=lambda block: len(block.insts))
    block.insts[0], block.insts[1] = block.insts[1], block.insts[0]
    assert trials.known() is None


@pytest.mark.parametrize("seed", range(3))
def test_what_follows_an_order_that_spills_either_way_has_its_registers_in_the_better_way(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = short_of_registers(seed)
    costs: list[tuple[bool, float]] = []
    find = Trials.of

    def counted(self: Trials, most: float = inf) -> Trial:
        trial = find(self, most)
        costs.append((function.crowded, trial.cost))
        return trial

    monkeypatch.setattr(Trials, "of", counted)
    fit.run(function, ARCH, Options())
    (_, usual), (_, crowded) = costs[:2]
    assert [way for way, _ in costs[:2]] == [False, True]
    assert {way for way, _ in costs[2:]} == {crowded < usual}
