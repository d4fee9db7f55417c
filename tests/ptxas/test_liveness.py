"""Guarded writes that end the life of the old value: whatever stood there otherwise, nothing else comes out."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import Block, MFunction, MInst, V, VMem
from minicc.sass.instr import RZ, Imm, Reg

ZERO = Reg("R", RZ)
TURNS = 3


class Loop:
    """A loop of one block, of guarded and unguarded loads, sums, choices, compares and stores at random."""

    def __init__(self, seed: int, length: int) -> None:
        self.random = rng = random.Random(seed)
        self.function = f = MFunction("f", True)
        insts: list[MInst] = []
        regs, preds = [f.new("R") for _ in range(rng.randint(1, 3))], [f.new("P") for _ in range(rng.randint(1, 2))]

        def made(often: float, *parts: Any, **more: Any) -> None:
            inst = MInst(*parts, **more)
            if rng.random() < often:
                inst.guard = V(rng.choice(preds), inv=rng.random() < 0.2)
            insts.append(inst)

        for _ in range(length):
            kind, (x, y, z) = rng.random(), (V(rng.choice(regs)) for _ in range(3))
            if kind < 0.3:
                made(0.6, "LDS", (), (x,), (VMem(ZERO),), memory="load", space="shared")
            elif kind < 0.5:
                made(0.2, "IADD3", (), (x,), (y, z, ZERO))
            elif kind < 0.58:
                made(0.4, "SEL", (), (x,), (y, z, V(rng.choice(preds))))
            elif kind < 0.74:
                made(0.3, "ISETP", ("LT", "AND"), (V(rng.choice(preds)),), (y, Imm(0)))
            else:
                made(0.6, "STS", (), (), (VMem(ZERO), x), memory="store", space="shared")
        written = {d.reg.id for inst in insts for d in inst.dsts if isinstance(d, V)}
        names = [reg for reg in regs if reg.id not in written or rng.random() < 0.2]
        start = [MInst("MOV", (), (V(reg),), (Imm(n),)) for n, reg in enumerate(names)]
        f.blocks = [Block("b0", start, ["b1"]), Block("b1", insts, ["b1", "b2"]), Block("b2", [MInst("EXIT")], [])]
        live = analyse(f, Cfg.of(f))
        self.accesses = live.accesses[1]
        self.regs, self.preds, self.start, self.insts = regs, preds, start, insts
        self.carried, self.written = live.live_in[1], written

    def stores(self, seed: int, *, spoiled: bool) -> list[object]:
        """What is stored in a few turns. `spoiled`: what does not live is something else."""
        rng, other = random.Random(seed), random.Random(seed + 1)

        def junk() -> int:
            return other.randint(-1 << 30, 1 << 30)

        values = {reg.id: 0 for reg in self.regs} | {p.id: rng.random() < 0.5 for p in self.preds}
        values |= {i.dsts[0].reg.id: i.srcs[0].bits for i in self.start}  # type: ignore[union-attr]
        out: list[object] = []
        for _ in range(TURNS):
            if spoiled:
                values |= {reg.id: junk() for reg in self.regs if reg.id not in self.carried}
                values |= {p.id: junk() < 0 for p in self.preds if p.id not in self.carried and p.id in self.written}
            for inst, access in zip(self.insts, self.accesses, strict=True):
                read = [values[s.reg.id] for s in inst.srcs if isinstance(s, V)]
                fresh = rng.randint(-100, 100)
                goes = inst.guard.inv != values[inst.guard.reg.id] if isinstance(inst.guard, V) else True
                new = {"LDS": fresh, "IADD3": sum(read), "ISETP": bool(read and read[0] < 0)}.get(inst.mnemonic, 0)
                if inst.mnemonic == "SEL":
                    new = read[0] if read[2] else read[1]
                for d in inst.dsts:
                    assert isinstance(d, V)
                    if goes:
                        values[d.reg.id] = new
                    elif spoiled and any(reg == d.reg.id for reg, _ in access.defs):
                        values[d.reg.id] = junk() < 0 if d.reg.file == "P" else junk()
                if inst.mnemonic == "STS":
                    out.append(read[0] if goes else None)
        return out


@settings(max_examples=800, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 40), length=st.integers(3, 9))
def test_what_does_not_live_is_not_missed(seed: int, length: int) -> None:
    loop = Loop(seed, length)
    for run in range(6):
        assert loop.stores(run, spoiled=False) == loop.stores(run, spoiled=True)


def test_a_predicated_load_does_not_live_around_the_loop() -> None:
    """Its value meets another in a sum that is made in any case, and ends in a store under the same predicate, if that
    is not another one by then."""
    f = MFunction("f", True)
    a, b, c, p = f.new("R"), f.new("R"), f.new("R"), f.new("P")
    loads = [MInst("LDS", (), (V(r),), (VMem(ZERO),), memory="load", space="shared", guard=V(p)) for r in (a, b)]
    total = MInst("IADD3", (), (V(c),), (V(a), V(b), ZERO))
    store = MInst("STS", (), (), (VMem(ZERO), V(c)), memory="store", space="shared", guard=V(p))
    compare = MInst("ISETP", ("LT", "AND"), (V(p),), (V(c), Imm(0)))

    def around(*insts: MInst) -> set[int]:
        f.blocks = [Block("b0", list(insts), ["b0", "b1"]), Block("b1", [MInst("EXIT")], [])]
        return set(analyse(f, Cfg.of(f)).live_out[0])

    assert not {a.id, b.id, c.id} & around(*loads, total, store)
    assert {a.id, b.id} <= around(*loads, total, compare, store)


def test_a_predicated_load_that_is_compared_does_not_live_around_the_loop() -> None:
    """The larger of it and the largest so far is chosen in any case, and is the largest under the predicate alone."""
    f = MFunction("f", True)
    a, b, most, p, q = f.new("R"), f.new("R"), f.new("R"), f.new("P"), f.new("P")
    load = MInst("LDS", (), (V(a),), (VMem(ZERO),), memory="load", space="shared", guard=V(p))
    compare = MInst("FSETP", ("GT", "AND"), (V(q),), (V(a), V(most)))
    choice = MInst("SEL", (), (V(b),), (V(a), V(most), V(q)))
    taken = MInst("MOV", (), (V(most),), (V(b),), guard=V(p))
    f.blocks = [Block("b0", [load, compare, choice, taken], ["b0", "b1"]), Block("b1", [MInst("EXIT")], [])]
    assert set(analyse(f, Cfg.of(f)).live_out[0]) == {most.id}
