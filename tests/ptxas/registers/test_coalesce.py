"""Copies that go: what a random block leaves in the registers asked for behind it stays."""

from __future__ import annotations

import copy
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from minicc import arch
from minicc.ptxas import options
from minicc.ptxas.mir import Block, MFunction, MInst, Part, V, VReg
from minicc.ptxas.operands import parts, reads
from minicc.ptxas.registers import coalesce

ARCH = arch.get("sm_90")
OPS = ["IADD3", "FMUL", "LOP3", "LDG"]


def drawn(rng: random.Random) -> MFunction:
    """Arithmetic and copies among single registers and quads, some of which a second block asks for."""
    singles = [VReg(n, "R") for n in range(6)]
    quads = [VReg(10 + n, "R", 4) for n in range(2)]
    places = [V(r) for r in singles] + [V(q, part) for q in quads for part in range(4)]
    insts = [MInst("FMUL", (), (place,), ()) for place in places]
    for _ in range(rng.randrange(4, 16)):
        if rng.random() < 0.45:
            target, source = rng.choice(places), rng.choice(places[:6])
            if target.reg is not source.reg:
                insts.append(MInst("MOV", (), (target,), (source,)))
        else:
            made = V(VReg(20 + len(insts), "R")) if rng.random() < 0.6 else rng.choice(places)
            sources = tuple(rng.choice(places) for _ in range(2))
            insts.append(MInst(rng.choice(OPS), (), (made,), sources))
            if made.reg.id >= 20:
                insts.append(MInst(rng.choice(OPS), (), (rng.choice(places),), (made, made)[: rng.randint(0, 2)]))
                insts.append(MInst("MOV", (), (rng.choice(places[6:]),), (made,)))
    asked = [V(q, 0, 4) for q in quads] + rng.sample([V(r) for r in singles], 3)
    for n, inst in enumerate(insts):
        inst.loc = n  # tells instructions apart
    function = MFunction("f", True)
    function.blocks = [Block("a", insts), Block("b", [MInst("STG", (), (), (v,)) for v in asked])]
    return function


def left(function: MFunction) -> list[object]:
    """What the second block is given: how each value was made, as nested tuples."""
    values: dict[Part, object] = {}
    out: list[object] = []
    for n, block in enumerate(function.blocks):
        for inst in block.insts:
            got = tuple(values.get(part) for v in reads(inst) for part in parts(v))
            if n:
                out.append(got)
            for v in inst.dsts:
                assert isinstance(v, V)
                values[v.parts[0]] = got[0] if inst.mnemonic == "MOV" else hash((inst.loc, got))
    return out


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_what_is_asked_for_stays(seed: int) -> None:
    function = drawn(random.Random(seed))
    want = left(copy.deepcopy(function))
    coalesce.run(function, ARCH, options.Options())
    assert left(function) == want
