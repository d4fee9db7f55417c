"""Operands read and rewritten."""

from __future__ import annotations

from minicc.ptxas.mir import MFunction, MInst, V, VMem
from minicc.ptxas.operands import map_reads, map_writes, reads
from minicc.record import evolve
from minicc.sass.instr import Imm


def test_what_is_not_replaced_stays_the_same_object() -> None:
    """What passes have found out about an instruction is known by its operands."""
    function = MFunction("k", True)
    a, b, c = (V(function.new("R")) for _ in range(3))
    inst = MInst("IADD3", (), (a,), (b, VMem(c, 4), Imm(1)))
    srcs, dsts, read = inst.srcs, inst.dsts, reads(inst)
    map_reads(inst, lambda v: v)
    map_writes(inst, lambda v: v)
    assert inst.srcs is srcs and inst.dsts is dsts and reads(inst) is read
    map_reads(inst, lambda v: evolve(a) if v is c else v)
    assert inst.srcs == (b, VMem(a, 4), Imm(1)) and reads(inst) == (b, a)
    map_writes(inst, lambda v: c)
    assert inst.dsts == (c,)
