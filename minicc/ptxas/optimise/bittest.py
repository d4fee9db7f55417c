"""A test of bits is one instruction: the logic operation whose result is compared with zero sets the predicate itself.

    LOP3 t, x, y, z, table;  ISETP.NE.AND p, t, RZ, PT      LOP3 p, RZ, x, y, z, table, !PT     (t of one use)
    ...;                     ISETP.NE.AND p, t, RZ, q       LOP3.PAND p, RZ, x, y, z, table, q
    ...;                     ISETP.EQ.AND p, t, RZ, q       LOP3 p, RZ, x, y, z, table, !q      (p's users ask for !p)

Runs after predication, which looks for compares.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, TRUE, ZERO, Block, MFunction, MInst, MOperand, V
from minicc.ptxas.operands import guarded, reads, writes
from minicc.ptxas.options import Options
from minicc.record import evolve
from minicc.sass.instr import Reg

_NEAR = 48
"""Instructions looked back through."""
_ASKS = frozenset({"ISETP", "FSETP", "DSETP", "SEL", "FSEL", "PLOP3", "LOP3"})
"""Whose predicate sources can be inverted; a guard always can."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Join what can be joined inside each block."""
    found = [
        (block, at)
        for block in function.blocks
        for at, inst in enumerate(block.insts)
        if inst.mnemonic == "ISETP" and _zero_test(inst)
    ]
    if not found:
        return
    wanted = {s.reg.id for block, at in found for s in block.insts[at].srcs[:2] if isinstance(s, V)}
    flags = {d.reg.id for block, at in found for d in block.insts[at].dsts if isinstance(d, V)}
    uses: dict[int, int] = {}
    readers: dict[int, list[MInst]] = {}
    makers: dict[int, list[MInst]] = {}
    for block in function.blocks:
        for inst in block.insts:
            for operand in reads(inst):
                if type(operand) is V:
                    name = operand.reg.id
                    if name in wanted:
                        uses[name] = uses.get(name, 0) + 1
                    elif name in flags:
                        readers.setdefault(name, []).append(inst)
            for operand in writes(inst):
                if type(operand) is V and operand.reg.id in flags:
                    makers.setdefault(operand.reg.id, []).append(inst)
    gone: dict[int, set[int]] = {}
    for block, at in found:
        inst = block.insts[at]
        t = inst.srcs[0]
        if not isinstance(t, V) or t.reg.width != 1 or uses.get(t.reg.id) != 1:
            continue
        origin = _origin(block, at, t)
        if origin is None:
            continue
        flag = inst.dsts[0]
        assert isinstance(flag, V)
        asking = readers.get(flag.reg.id, [])
        equal = inst.modifiers[0] == "EQ"
        if equal and (guarded(inst) or len(makers[flag.reg.id]) != 1 or not all(_invertible(r, flag) for r in asking)):
            continue
        logic, both, chained = block.insts[origin], "AND" in inst.modifiers, inst.srcs[2]
        words: tuple[str, ...] = ("LUT",)
        if chained == TRUE and both:
            chained = FALSE
        else:
            assert isinstance(chained, V | Reg)
            if both != equal:
                words = ("LUT", "PAND")
            if equal:
                chained = evolve(chained, inv=not chained.inv)
        if equal:
            for reader in {id(r): r for r in asking}.values():
                _invert(reader, flag)
        inst.mnemonic, inst.modifiers, inst.dsts = "LOP3", words, (flag, ZERO)
        inst.srcs = (*logic.srcs[:4], chained)
        gone.setdefault(id(block), set()).add(id(logic))
    for block in function.blocks:
        if id(block) in gone:
            dropped = gone[id(block)]
            block.insts = [i for i in block.insts if id(i) not in dropped]


def _zero_test(inst: MInst) -> bool:
    words = inst.modifiers
    return (
        words[0] in ("EQ", "NE")
        and words[-1] in ("AND", "OR")
        and len(inst.srcs) == 3
        and inst.srcs[1] == ZERO
        and len(inst.dsts) == 2
        and inst.dsts[1] == TRUE
        and isinstance(inst.dsts[0], V)
        and not (inst.srcs[2] == FALSE or (inst.srcs[2] == TRUE and words[-1] == "OR"))
    )


def _origin(block: Block, at: int, t: V) -> int | None:
    """Index of the LOP3 that made `t`, if its sources still hold at `at`."""
    if t.neg or t.inv or t.abs:
        return None
    changed: set[int] = set()
    for back in range(at - 1, max(-1, at - 1 - _NEAR), -1):
        inst = block.insts[back]
        written = writes(inst)
        if any(isinstance(w, V) and w.reg is t.reg for w in written):
            fits = (
                inst.mnemonic == "LOP3" and len(inst.dsts) == 1 and len(inst.srcs) == 5 and inst.srcs[4] == FALSE
            ) and not (guarded(inst) and inst.guard != block.insts[at].guard)
            if not fits or any(isinstance(r, V) and r.reg.id in changed for r in reads(inst)):
                return None
            return back
        changed.update(w.reg.id for w in written if isinstance(w, V))
    return None


def _invertible(reader: MInst, flag: V) -> bool:
    """Whether the reader can ask for the opposite."""
    return reader.mnemonic in _ASKS or not any(isinstance(s, V) and s.reg is flag.reg for s in reader.srcs)


def _invert(reader: MInst, flag: V) -> None:
    def opposite(operand: MOperand) -> MOperand:
        if isinstance(operand, V) and operand.reg is flag.reg:
            return evolve(operand, inv=not operand.inv)
        return operand

    reader.srcs = tuple(opposite(s) for s in reader.srcs)
    guard = opposite(reader.guard)
    assert isinstance(guard, V | Reg)
    reader.guard = guard
