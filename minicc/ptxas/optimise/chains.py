"""Chains of compares: what joins two predicates is done by the compare that makes one of them.

    ISETP.LT.AND p, a, b, PT;  PLOP3 r, p, q, & (or | ^)    ISETP.LT.AND (.OR, .XOR) r, a, b, q

The compare is made again at each such place if nothing else asks for its result, so that it goes away itself and one
predicate less is live: a tile's masks (rows here, columns there) need only the rows. Of two it is the one that is asked
for less, or that is made in the same block (not before the loop). Those that are chained already change places where
what the first compares comes later: `x * x + y * y < 4 && i < n` ends with the compare of the sum.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import TRUE, Block, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import OPPOSITE, OPPOSITE_OF_FLOATS, counted, guarded, parts_read, parts_written, reads
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.ptxas.timing import timing
from minicc.sass.instr import Imm

_AND = 0x80
_JOINS = {_AND: "AND", 0xA8: "OR", 0x28: "XOR"}
"""Tables of PLOP3, with PT as third operand."""
_COMPARES = ("ISETP", "FSETP", "DSETP")
_STEP, _LATER = 5, 12
"""Cycles of an operation, and from a compare to what takes its result, about."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Fold compares into every PLOP3 that they can stand for; `dead` takes away what nobody reads then."""
    _selections(function)
    _late(function)
    joins = {id(i): i for block in function.blocks for i in block.insts if _join(i) is not None}
    if not joins:
        return
    wanted = {s.reg.id for i in joins.values() for s in i.srcs[:2] if isinstance(s, V)}
    uses = dict.fromkeys(wanted, 0)
    others: set[int] = set()
    for block in function.blocks:
        for inst in block.insts:
            for r in reads(inst):
                if isinstance(r, V) and r.reg.id in wanted:
                    uses[r.reg.id] += 1
                    if id(inst) not in joins:
                        others.add(r.reg.id)
    single = Single.of(function)
    for b, block in enumerate(function.blocks):
        here = set(block.insts)
        for at, inst in enumerate(block.insts):
            if id(inst) not in joins:
                continue
            found: list[tuple[int, bool, tuple[MInst, tuple[str, ...]], MOperand]] = []
            for mine, other in ((inst.srcs[0], inst.srcs[1]), (inst.srcs[1], inst.srcs[0])):
                if isinstance(mine, V) and mine.reg.id not in others:
                    compare = _compare(mine, single, b, at)
                    if compare is not None:
                        found.append((uses[mine.reg.id], compare[0] not in here, compare, other))
            if found:
                _, _, compare, other = min(found, key=lambda f: f[:2])
                words = (*compare[1][:-1], _join(inst) or "")
                again = MInst(compare[0].mnemonic, words, inst.dsts, (*compare[0].srcs[:2], other), loc=inst.loc)
                again.ptx, again.hidden = inst.ptx, compare[0].hidden
                block.insts[at] = again


def _ready(block: Block) -> dict[int, int]:
    """Of each compare, when what it compares is there if all of the block begin as early as they can."""
    made: dict[Part, int] = {}
    out: dict[int, int] = {}
    for inst in block.insts:
        at = max([made.get(part, 0) for part in parts_read(inst)], default=0)
        if inst.mnemonic in _COMPARES:
            values = [part for r in inst.srcs[:2] if isinstance(r, V) for part in r.parts]
            out[id(inst)] = max([made.get(part, 0) for part in values], default=0)
        after = at + max(timing(inst.mnemonic, inst.modifiers).expect, _STEP)
        for part in parts_written(inst):
            made[part] = after
    return out


def _late(function: MFunction) -> None:
    """Of two compares in a chain, the one whose operands come later is the second."""
    chained = [i for block in function.blocks for i in block.insts if _chained(i)]
    if not chained:
        return
    uses, _ = counted(function)
    single = Single.of(function)
    for b, block in enumerate(function.blocks):
        ready = _ready(block) if any(map(_chained, block.insts)) else {}
        out: list[MInst] = []
        for at, inst in enumerate(block.insts):
            p = inst.srcs[2] if _chained(inst) else None
            if isinstance(p, V) and uses[p.reg.id] == 1 and (found := _compare(p, single, b, at)):
                first, words = found
                if single.table[p.reg.id, 0].block == b and ready[id(first)] > ready[id(inst)] + _LATER:
                    q = V(function.new("P"))
                    other = (*inst.modifiers[:-1], "AND"), (q, TRUE), (*inst.srcs[:2], TRUE)
                    out.append(MInst(inst.mnemonic, *other, loc=inst.loc, ptx=inst.ptx))
                    out[-1].hidden = inst.hidden
                    words = (*words[:-1], inst.modifiers[-1])
                    inst, hidden = (
                        MInst(first.mnemonic, words, inst.dsts, (*first.srcs[:2], q), loc=inst.loc),
                        first.hidden,
                    )
                    inst.ptx, inst.hidden = out[-1].ptx, hidden
            out.append(inst)
        block.insts = out


def _chained(inst: MInst) -> bool:
    """Whether it compares, and joins the result with another predicate."""
    return (
        inst.mnemonic in _COMPARES
        and len(inst.srcs) == 3
        and inst.dsts[1] == TRUE
        and inst.srcs[2] != TRUE
        and not guarded(inst)
    )


def _selections(function: MFunction) -> None:
    """Join the predicates of nested selections, where a compare that nobody else asks for makes one of them."""
    made = {
        i.dsts[0].reg.id: i for block in function.blocks for i in block.insts if _selects(i) and type(i.dsts[0]) is V
    }
    if not any(_inner(i, made) for i in made.values()):
        return
    uses, makers = counted(function)
    single = Single.of(function)
    idle: set[int] = set()
    for b, block in enumerate(function.blocks):
        out: list[MInst] = []
        for at, inst in enumerate(block.insts):
            inner = _inner(inst, made)
            if inner is not None:
                (value, other, q), (before, _, p) = inst.srcs, inner.srcs
                assert isinstance(value, V)
                alone = [
                    x for x in (p, q) if isinstance(x, V) and uses.get(x.reg.id) == 1 and _compare(x, single, b, at)
                ]
                there = all(isinstance(x, V) and (x.reg.id, x.part) in single.table for x in (value, before, p, q))
                there &= not isinstance(other, V) or (other.reg.id, other.part) in single.table
                if uses[value.reg.id] == makers[value.reg.id] == 1 and alone and there:
                    both = V(function.new("P"))
                    table = Imm(_AND, "uint"), Imm(0, "uint")
                    out.append(MInst("PLOP3", ("LUT",), (both, TRUE), (p, q, TRUE, *table), loc=inst.loc, ptx=inst.ptx))
                    inst.srcs = (before, other, both)
                    idle.add(id(inner))
            out.append(inst)
        block.insts = out
    for block in function.blocks:
        block.insts = [inst for inst in block.insts if id(inst) not in idle]


def _selects(inst: MInst) -> bool:
    """Whether one of two values is chosen by a predicate."""
    return (
        inst.mnemonic in ("SEL", "FSEL") and not inst.modifiers and not guarded(inst)
        and isinstance(inst.srcs[0], V) and isinstance(inst.srcs[2], V)
    )  # fmt: skip


def _inner(inst: MInst, made: dict[int, MInst]) -> MInst | None:
    """The selection of the same second value whose result this one chooses otherwise."""
    value = inst.srcs[0] if inst.srcs else None
    if not isinstance(value, V) or value.reg.width > 1 or value.neg or value.abs or not _selects(inst):
        return None
    inner = made.get(value.reg.id)
    fits = inner is not None and (inner.mnemonic, inner.srcs[1]) == (inst.mnemonic, inst.srcs[1])
    return inner if fits else None


def _join(inst: MInst) -> str | None:
    """How an instruction joins its first two sources, if it is a PLOP3 that does."""
    if inst.mnemonic != "PLOP3" or guarded(inst) or inst.dsts[1] != TRUE or inst.srcs[2] != TRUE:
        return None
    table, second = inst.srcs[3:5]
    if not isinstance(table, Imm) or not isinstance(second, Imm) or second.bits or TRUE in inst.srcs[:2]:
        return None
    return _JOINS.get(table.bits)


def _compare(p: V, single: Single, b: int, at: int) -> tuple[MInst, tuple[str, ...]] | None:
    """The compare that makes `p`, which could be made at (b, at) just as well, and its modifiers with `p`'s sign."""
    found = single.table.get((p.reg.id, 0))
    if found is None:
        return None
    inst, words = found.inst, found.inst.modifiers
    if inst.mnemonic not in _COMPARES or len(inst.srcs) != 3 or inst.srcs[2] != TRUE or words[-1] != "AND":
        return None
    if inst.dsts[1] != TRUE or not single.dominates(found.block, found.at, b, at):
        return None
    for r in reads(inst):
        if not isinstance(r, V) or any(part not in single.table for part in r.parts):
            return None
    if not p.inv:
        return inst, words
    kind = (OPPOSITE if inst.mnemonic == "ISETP" else OPPOSITE_OF_FLOATS).get(words[0])
    return (inst, (kind, *words[1:])) if kind else None


__all__ = ["run"]
