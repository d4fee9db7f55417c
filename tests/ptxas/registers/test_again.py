"""Values made again where they are wanted: the same results, from what is still right there."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from minicc import arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import TRUE, ZERO, Block, MFunction, MInst, V, VMem
from minicc.ptxas.optimise import dead
from minicc.ptxas.registers import again
from minicc.ptxas.registers.intervals import build
from minicc.ptxas.registers.spill import Spiller
from minicc.ptxas.verify import verify
from minicc.sass.instr import RZ, Imm, Name, Reg, Target
from tests.ptxas import machine
from tests.ptxas.programs import INPUTS, Generator

ARCH = arch.get("sm_90")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30), size=st.integers(20, 150), values=st.integers(2, 30), every=st.integers(1, 4))
def test_meaning_is_kept(seed: int, size: int, values: int, every: int) -> None:
    want = machine.run(Generator(seed, size, values).f, INPUTS)
    function = Generator(seed, size, values).f
    names = sorted(again.candidates(function))[::every]
    assume(names)
    ranges = build(function, Cfg.of(function))
    Spiller(function, ARCH, 6).rewrite({function.vregs[n] for n in names}, ranges, load=False)
    dead.sweep(function)
    verify(function, "again")
    assert not any(i.space == "local" for b in function.blocks for i in b.insts)
    assert machine.run(function, INPUTS) == want


def test_chains_are_made_from_what_several_of_them_need() -> None:
    """(t | c) * 3 for twenty c, used after all of them: none of the products need live, and t does."""
    f = MFunction("f", True)
    f.blocks = [Block("entry")]
    code = f.blocks[0].insts
    t = f.new("R")
    code.append(MInst("S2R", (), (V(t),), (Name("SR_TID.X"),)))
    products = []
    for c in range(20):
        joined, product = f.new("R"), f.new("R")
        zero, table = Reg("R", RZ), (Imm(0xFC, "uint"), Reg("P", 7, inv=True))
        code.append(MInst("LOP3", ("LUT",), (V(joined),), (V(t), Imm(32 * c), zero, *table)))
        code.append(MInst("IMAD", (), (V(product),), (V(joined), Imm(3), zero)))
        products.append(product)
    for n, product in enumerate(products):
        code.append(MInst("STS", (), (), (VMem(Reg("R", RZ), 4 * n), V(product)), memory="store", space="shared"))
    code.append(MInst("EXIT", (), (), ()))
    wanted = {p.id: p for p in products}
    found = again.operations(f, wanted, build(f, Cfg.of(f)))
    assert found.keys() == wanted.keys()
    assert all([i.mnemonic for i in row] == ["LOP3", "IMAD"] for row in found.values())


def test_what_a_loop_reads_before_it_writes_it_is_kept() -> None:
    """A turn that asks for x + 1 of the one before cannot make it of its own x."""
    f = MFunction("f", True)
    x, y, total, go = f.new("R"), f.new("R"), f.new("R"), f.new("P")
    more = MInst("IADD3", (), (V(total),), (V(total), V(y), ZERO))
    make = MInst("IADD3", (), (V(y),), (V(x), Imm(1), ZERO))
    load = MInst("S2R", (), (V(x),), (Name("SR_CLOCKLO"),))
    ends = MInst("ISETP", ("GT", "AND"), (V(go), TRUE), (V(total), Imm(9), TRUE))
    jump = MInst("BRA", (), (), (Target(label="loop"),), V(go), side_effect=True)
    start = MInst("MOV", (), (V(total),), (Imm(0),))
    done = MInst("EXIT", side_effect=True)
    early = [load, more, make, ends, jump]
    f.blocks = [Block("entry", [start], ["loop"]), Block("loop", early, ["loop", "end"], 1), Block("end", [done], [])]
    assert y.id not in again.candidates(f)
    f.blocks[1].insts, f.early, f.definitions = [load, make, more, ends, jump], None, None
    assert y.id in again.candidates(f)


def test_a_pair_of_which_half_is_written_again_is_kept() -> None:
    """Its product alone is not what it holds in the end, nor is the carry of the second sum (mul.hi.u64)."""
    f = MFunction("f", True)
    f.blocks = [Block("entry")]
    x, pair, total, carry = f.new("R"), f.new("R", 2), f.new("R"), f.new("P")
    more = MInst("IADD3", (), (V(pair, 1), V(carry)), (V(pair, 1), V(x), ZERO))
    f.blocks[0].insts = code = [
        MInst("S2R", (), (V(x),), (Name("SR_TID.X"),)),
        MInst("IMAD", ("WIDE", "U32"), (V(pair, 0, 2),), (V(x), Imm(3), ZERO)),
        more,
        MInst("SEL", (), (V(total),), (V(pair, 1), V(pair), V(carry))),
        MInst("STS", (), (), (VMem(ZERO, 0), V(total)), memory="store", space="shared"),
        MInst("EXIT", side_effect=True),
    ]
    assert pair.id not in again.candidates(f)
    code.remove(more)
    code.insert(2, MInst("IADD3", (), (V(f.new("R")), V(carry)), (V(pair, 1), V(x), ZERO)))
    assert pair.id in again.candidates(f)
