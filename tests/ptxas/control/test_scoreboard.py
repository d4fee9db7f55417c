"""Which scoreboard an instruction sets, where others are under way."""

from __future__ import annotations

from minicc.ptxas.control import scoreboard
from minicc.ptxas.mir import MInst
from minicc.ptxas.timing import Footprint, timing

_ADDRESS, _RESULT = 8, 9


def _start(touched_at: int, sets: dict[int, int]) -> scoreboard._Start:
    """A block that writes `_ADDRESS` and reads `_RESULT` in instruction `touched_at`, after far loads that set
    scoreboards."""
    idle = Footprint(timing("IADD3", ()), [], [], False)
    user = Footprint(timing("IADD3", ()), [(_RESULT, "alu")], [(_ADDRESS, "alu")], False)
    start = scoreboard._Start([idle] * touched_at + [user])
    for k, at in sets.items():
        start.chosen(k, at, 400)
    return start


def test_the_next_round_waits_for_no_load_of_its_own() -> None:
    """What reads an address at the end of a loop is waited for at its top, behind loads that are wanted later."""
    here = _start(0, {})
    for loads, wanted in (({1: 3}, 0), ({0: 3}, 1), ({0: 30, 1: 3}, 0), ({}, 1)):
        chooser = scoreboard._Chooser(scoreboard._State(), here, [_start(10, loads)])
        assert chooser.choose(50, scoreboard._FAR, "read", [(_ADDRESS, "alu")], [0, 1]) == wanted


def test_what_was_under_way_before_is_not_waited_for_with_a_load() -> None:
    for under_way in (0, 1):
        state = scoreboard._State({_RESULT: 1 << under_way, 30: 3})
        chooser = scoreboard._Chooser(state, _start(10, {}), [])
        assert chooser.choose(2, 300, "ldg", [(40, "alu")], [0, 1]) == 1 - under_way


def test_an_address_overwritten_in_the_next_block_waits_for_no_result() -> None:
    """A load whose address goes there before its result is wanted has a read barrier: else who writes the address waits
    for memory. What comes first is the block's matter: the address or the result, and not both in one instruction."""
    load = MInst("LDG", ("E",))
    asks = Footprint(timing("LDG", ("E",)), [(_ADDRESS, "lsu")], [(_RESULT, "load")], False)
    idle = Footprint(timing("IADD3", ()), [], [], False)
    writes = Footprint(timing("IADD3", ()), [], [(_ADDRESS, "alu")], False)
    wants = Footprint(timing("IADD3", ()), [(_RESULT, "alu")], [], False)
    for block, first in (([writes, wants], True), ([wants, writes], False), ([idle, writes], True), ([idle], False)):
        following = [scoreboard._Start([idle]), scoreboard._Start(block)]
        (need,) = scoreboard._block_needs([load], [asks], {_ADDRESS}, following)
        assert need is not None and need.later and need.first is first
