"""Which loads read one word for the whole warp: `found(function)`.

A guess for scheduling, not a proof: a register counts as equal in all lanes unless something that differs by lane went
into it; that lanes may be apart is not looked at.
"""

from __future__ import annotations

from minicc.ptxas.lower.converge import varies
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.operands import reads, writes

_ROUNDS = 4


def found(function: MFunction) -> set[MInst]:
    """The global loads in loops whose address is the same in every lane, where there are others too."""
    loads = [i for b in function.blocks if b.loop_depth for i in b.insts if i.mnemonic == "LDG"]
    if len(loads) < 2:
        return set()
    varying: set[int] = set()
    for _ in range(_ROUNDS):
        before = len(varying)
        for block in function.blocks:
            for inst in block.insts:
                if inst.implicit_writes or (inst.dsts and varies(inst, varying)):
                    varying.update(w.reg.id for w in writes(inst) if type(w) is V)
        if len(varying) == before:
            break
    else:
        return set()
    return {i for i in loads if not any(type(r) is V and r.reg.id in varying for r in reads(i))}
