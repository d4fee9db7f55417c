"""Which scoreboard an instruction sets, where others are under way."""

from __future__ import annotations

import pytest

from minicc import sass
from minicc.ptxas.control import scoreboard
from minicc.ptxas.mir import MInst
from minicc.ptxas.timing import Footprint, timing
from tests.ptxas.conftest import ARCH, assemble

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


@pytest.mark.parametrize(
    ("load", "barrier", "waits"),
    [
        ("ld.shared.u32 %r1, [%r0];", "bar.sync 0;", False),
        ("ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r0];", "barrier.cta.arrive.aligned 1, 64;", False),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r0];", "bar.sync 0;", False),
        ("atom.shared.exch.b32 %r1, [%r0], %r2;", "bar.sync 0;", True),
        ("ld.u32 %r1, [%rd0];", "bar.sync 0;", True),
        ("ld.shared.u32 %r1, [%r0];", "fence.acq_rel.cta;", True),
        ("ld.shared.u32 %r1, [%r0];", "barrier.cluster.arrive.aligned;", True),
    ],
)
def test_a_barrier_of_the_cta_does_not_wait_for_what_is_in_its_queue(load: str, barrier: str, waits: bool) -> None:
    """As in nvcc's code; what makes a value of such a load comes after it, too."""
    code = assemble(
        ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n"
        ".reg .b64 %rd<2>; .reg .b32 %r<8>; .shared .align 16 .b8 s[4096];\nld.param.u64 %rd0, [x];\n"
        "mov.u32 %r2, %tid.x; mov.u32 %r5, s; shl.b32 %r0, %r2, 4; add.u32 %r0, %r0, %r5;\n"
        f"{load}\n{barrier}\nxor.b32 %r6, %r1, 5; st.shared.u32 [%r0+4], %r6; ret;\n}}\n"
    )
    insts = sass.decode_all(code.functions[0].code, ARCH)
    names = [i.mnemonic for i in insts]
    at = next(n for n, name in enumerate(names) if name in ("BAR", "MEMBAR", "UCGABAR_ARV"))
    load_at = next(n for n, name in enumerate(names) if name in ("LDS", "LDSM", "ATOMS", "LD"))
    told = [i.mnemonic for i in insts[load_at + 1 : at + 1] if i.control.wait >> insts[load_at].control.wbar & 1]
    assert bool(told) == waits
    assert waits or names.index("LOP3", at) > at
