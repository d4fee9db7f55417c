"""Predication: a short body that a forward branch jumps over runs under the inverted guard instead.

    head: ... BSSY B; @P BRA join          head: ... @!P body
    body: ...                        ->    join: ...
    join: BSYNC B; ...

The branch, and the barrier if it served this branch alone, go away. Results that are used in the body only
are computed unguarded, as long as that cannot fault. A guarded instruction waits for the predicate as long as a branch
does, so a short body costs no more than its issue slots.
"""

from __future__ import annotations

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import target_of
from minicc.ptxas.mir import Block, MFunction, MInst, V
from minicc.ptxas.operands import guarded, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing

_LONGEST = 5
"""Instructions of a body."""
_NEVER = frozenset(
    "BSSY BAR CALL LEPC NANOSLEEP DEPBAR LDGDEPBAR SHFL VOTE MATCH REDUX BMOV".split()  # noqa: SIM905
)


def _simple(inst: MInst) -> bool:
    """Whether it may run under a guard just as well."""
    return not (
        guarded(inst)
        or timing(inst.mnemonic, inst.modifiers).flow
        or inst.mnemonic in _NEVER
        or inst.memory in ("fence", "barrier")
        or (inst.side_effect and inst.memory not in ("store", "atomic"))
        or any(not isinstance(w, V) or w.reg.file not in ("R", "P") for w in writes(inst))
    )


class _Converter:
    """Tables over the function, kept up to date, so that cost is linear."""

    def __init__(self, function: MFunction) -> None:
        self.blocks = function.blocks
        self.mentions: dict[int, int] = {}
        self.named: dict[str, int] = {}
        self.preds: dict[str, set[str]] = {}
        for block in function.blocks:
            for succ in block.succs:
                self.preds.setdefault(succ, set()).add(block.label)
            for inst in block.insts:
                target = target_of(inst)
                if target is not None:
                    self.named[target] = self.named.get(target, 0) + 1
                for operand in (*reads(inst), *writes(inst)):
                    if isinstance(operand, V):
                        self.mentions[operand.reg.id] = self.mentions.get(operand.reg.id, 0) + 1

    def convert(self, at: int) -> bool:
        """Convert the triangle of blocks at, at + 1, at + 2, if it is one."""
        head, body, join = self.blocks[at : at + 3]
        if not head.insts or not 0 < len(body.insts) <= _LONGEST or body.succs != [join.label]:
            return False
        branch = head.insts[-1]
        guard = branch.guard
        if branch.mnemonic != "BRA" or len(branch.srcs) != 1 or not isinstance(guard, V) or guard.reg.file != "P":
            return False
        if target_of(branch) != join.label or not all(_simple(i) for i in body.insts):
            return False
        if any(isinstance(w, V) and w.reg is guard.reg for i in body.insts for w in writes(i)):
            return False
        if self.preds.get(body.label) != {head.label} or self.named.get(body.label):
            return False
        barrier = self._barrier(head, body, join)
        if barrier is not None:
            head.insts.remove(barrier[0])
            join.insts.remove(barrier[1])
            self._unname(barrier[0])
        private = self._private(body)
        head.insts.remove(branch)
        self._unname(branch)
        self.mentions[guard.reg.id] += len(body.insts)
        opposite = attrs.evolve(guard, inv=not guard.inv)
        for inst in body.insts:
            alone = inst.dsts and all(isinstance(w, V) and w.reg.id in private for w in writes(inst))
            if not alone or inst.memory:
                inst.guard = opposite
            head.insts.append(inst)
        head.succs = [join.label]
        self.preds[join.label].discard(body.label)
        del self.blocks[at + 1]
        return True

    def _unname(self, inst: MInst) -> None:
        target = target_of(inst)
        if target is not None:
            self.named[target] -= 1

    def _barrier(self, head: Block, body: Block, join: Block) -> tuple[MInst, MInst] | None:
        """BSSY of the head and BSYNC of the join, if nobody else comes to that BSYNC."""
        if not join.insts or join.insts[0].mnemonic != "BSYNC":
            return None
        if self.preds.get(join.label) != {head.label, body.label}:
            return None
        name = join.insts[0].srcs[0]
        for inst in head.insts:
            if inst.mnemonic == "BSSY" and isinstance(name, V) and inst.dsts == (V(name.reg),):
                return (inst, join.insts[0]) if self.mentions.get(name.reg.id) == 2 else None
        return None

    def _private(self, body: Block) -> set[int]:
        """Registers that only the body touches, and writes before it reads them."""
        inside: dict[int, int] = {}
        written: set[int] = set()
        early: set[int] = set()
        for inst in body.insts:
            for operand in reads(inst):
                if isinstance(operand, V):
                    inside[operand.reg.id] = inside.get(operand.reg.id, 0) + 1
                    if operand.reg.id not in written:
                        early.add(operand.reg.id)
            for operand in writes(inst):
                if isinstance(operand, V):
                    inside[operand.reg.id] = inside.get(operand.reg.id, 0) + 1
                    written.add(operand.reg.id)
        return {name for name in written - early if self.mentions[name] == inside[name]}


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Convert until nothing changes, from the last block to the first, so that inner bodies go first."""
    converter = _Converter(function)
    at = len(function.blocks) - 3
    while at >= 0:
        if at + 2 < len(function.blocks) and converter.convert(at):
            at = min(at + 1, len(function.blocks) - 3)
        else:
            at -= 1
