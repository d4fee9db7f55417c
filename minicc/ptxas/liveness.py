"""Which virtual registers are live where.

Exact over the control-flow graph, per 32-bit part of a register. A guarded write does not end the life of the old
value, unless the value cannot have been written before, or two writes under opposite guards follow each other. Names
that live inside one block never enter the data flow, so cost is near linear.

Registers and predicates are per lane, so that ordinary control flow is right for them even where a warp diverges: what
the lanes of another path do cannot touch them. That does not hold for uniform and barrier registers; their allocation
does not rely on this (see `allocate`).
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.operands import guarded, reads, writes

ARITHMETIC = frozenset({
    "BMSK", "BREV", "DADD", "DFMA", "DMUL", "DSETP", "F2F", "F2FP", "F2I", "FADD", "FFMA", "FLO", "FMNMX", "FMUL",
    "FRND", "FSEL", "FSET", "FSETP", "HADD2", "HFMA2", "HMNMX2", "HMUL2", "HSETP2", "I2F", "I2FP", "IABS", "IADD3",
    "IMAD", "ISETP", "LEA", "LOP3", "MOV", "MUFU", "PLOP3", "POPC", "PRMT", "SEL", "SGXT", "SHF", "VIADD", "VIADDMNMX",
    "VIMNMX", "VIMNMX3",
})  # fmt: skip
"""What makes a value or a predicate of others of its lane and does nothing else."""


class Access:
    """Registers of one instruction as (vreg id, mask of parts)."""

    def __init__(
        self,
        uses: list[tuple[int, int]],
        defs: list[tuple[int, int]],
        partial: list[tuple[int, int]],
        named: list[int],
    ) -> None:
        self.uses = uses
        self.named = named
        """The ids of all of them."""
        self.defs = defs
        """Definitions that end the life of the old value."""
        self.partial = partial
        """Definitions that do not."""


def _parts(operand: V) -> int:
    return ((1 << operand.count) - 1) << operand.part


class Liveness:
    """`accesses[b][i]` per instruction; `live_in[b]`/`live_out[b]` map a vreg id to the mask of its live parts."""

    def __init__(
        self,
        accesses: list[list[Access]],
        before: list[int],
        behind: list[int],
        unwritten: list[int],
        starts: list[tuple[int, int]],
    ) -> None:
        self.accesses, self.before, self.behind, self.starts = accesses, before, behind, starts
        """What is live before and behind each block, as bit sets; `starts[bit]` is (vreg id, part)."""
        self.unwritten = unwritten
        """What would be live before each block, had it been written on any way there."""

    @cached_property
    def live_out(self) -> list[dict[int, int]]:
        return [_unpack(value, self.starts) for value in self.behind]

    @cached_property
    def live_in(self) -> list[dict[int, int]]:
        return [_unpack(value, self.starts) for value in self.before]


def _guard_key(inst: MInst) -> tuple[object, bool]:
    guard = inst.guard
    return (guard.reg.id, guard.inv) if isinstance(guard, V) else (("phys", guard.file, guard.index), guard.inv)


def _plain(inst: MInst) -> Access:
    """What it reads and writes, in an object that others have too: its writes are complete if it has no guard."""
    read, written = reads(inst), writes(inst)
    known = inst.touched
    if known is not None and known[0] is read and known[1] is written:
        return known[2]
    uses = [(v.reg.id, _parts(v)) for v in read if type(v) is V]
    defs = [(v.reg.id, _parts(v)) for v in written if type(v) is V]
    access = Access(uses, defs, [], [reg for reg, _ in (*uses, *defs)])
    inst.touched = read, written, access
    return access


def _block_accesses(insts: list[MInst]) -> list[Access]:
    """Accesses with the first write of an opposite-guard pair made complete."""
    out: list[Access] = []
    # (vreg, part mask) -> (index, guard key, inverted): last guarded write not yet read, seen in program order.
    open_writes: dict[int, tuple[int, int, object, bool]] = {}
    under: dict[object, set[int]] = {}
    """Registers in `open_writes` by their guard."""
    for at, inst in enumerate(insts):
        access = _plain(inst)
        written = access.defs
        if open_writes:
            for reg, _ in access.uses:
                open_writes.pop(reg, None)
        if guarded(inst):
            # A spill temporary lives from its guarded definition to the store under the same guard, never longer.
            temporary = [
                (v.reg.id, _parts(v)) for v in writes(inst) if isinstance(v, V) and (v.reg.whole or not v.reg.spillable)
            ]
            access = Access(access.uses, temporary, [w for w in written if w not in temporary], access.named)
            written = access.partial[:]
            key, inv = _guard_key(inst)
            for reg, mask in written:
                found = open_writes.pop(reg, None)
                if found is not None and found[1] == mask and found[2] == key and found[3] != inv:
                    first = out[found[0]]
                    if (reg, mask) in first.partial:
                        first.partial.remove((reg, mask))
                        first.defs.append((reg, mask))
                else:
                    open_writes[reg] = (at, mask, key, inv)
                    under.setdefault(key, set()).add(reg)
        for reg, _ in written if open_writes else ():
            # A changed guard register ends the pairing.
            for name in under.pop(reg, ()):
                if name in open_writes and open_writes[name][2] == reg:
                    del open_writes[name]
        out.append(access)
    return out


def analyse(function: MFunction, cfg: Cfg) -> Liveness:
    """Liveness of every virtual register at block boundaries."""
    blocks = function.blocks
    accesses = [_block_accesses(b.insts) for b in blocks]
    _complete_private(function, accesses)
    # Upward-exposed parts per block; only those names enter the data flow.
    exposed: list[dict[int, int]] = []
    killed: list[dict[int, int]] = []
    defined: list[dict[int, int]] = []
    guarded_writes: set[int] = set()
    """Blocks that have some."""
    for b, block in enumerate(accesses):
        up: dict[int, int] = {}
        kill: dict[int, int] = {}
        some: dict[int, int] = {}
        for access in block:
            for reg, mask in access.uses:
                if reg not in kill:
                    up[reg] = up.get(reg, 0) | mask
                elif mask & ~kill[reg]:
                    up[reg] = up.get(reg, 0) | mask & ~kill[reg]
            for reg, mask in access.defs:
                kill[reg] = kill.get(reg, 0) | mask
            if access.partial:
                guarded_writes.add(b)
                for reg, mask in access.partial:
                    some[reg] = some.get(reg, 0) | mask
        exposed.append(up)
        killed.append(kill)
        defined.append(some)
    bit: dict[int, int] = {}
    at = 0
    for up in exposed:
        for reg in up:
            if reg not in bit:
                bit[reg] = at
                at += function.vregs[reg].width
    starts = [(reg, part) for reg in bit for part in range(function.vregs[reg].width)]

    def pack(table: dict[int, int]) -> int:
        value = 0
        for reg, mask in table.items():
            where = bit.get(reg)
            if where is not None:
                value |= mask << where
        return value

    gen, kill_bits = list(map(pack, exposed)), list(map(pack, killed))
    reach = _forward(cfg, [kill | pack(some) for kill, some in zip(kill_bits, defined, strict=True)])
    # A guarded write of what cannot have been written before is a complete one.
    for b in sorted(guarded_writes):
        block, before = accesses[b], reach[b]
        seen: dict[int, int] = {}
        for access in block:
            for reg, mask in list(access.partial):
                where = bit.get(reg)
                earlier = seen.get(reg, 0) | (before >> where if where is not None else 0)
                if not earlier & mask:
                    access.partial.remove((reg, mask))
                    access.defs.append((reg, mask))
            for reg, mask in access.defs:
                seen[reg] = seen.get(reg, 0) | mask
            for reg, mask in access.partial:
                seen[reg] = seen.get(reg, 0) | mask
    return Liveness(accesses, *_backward(cfg, gen, kill_bits, reach), starts)


def _complete_private(function: MFunction, accesses: list[list[Access]]) -> None:
    """A guarded write is a complete one where what comes of it is wanted under the same guard alone, in the same block:
    a carry of a predicated sum would otherwise be alive in the whole loop around it, as would a predicated load whose
    value, in a sum that is made in any case, ends in a predicated store."""
    partial = [b for b, block in enumerate(accesses) if any(access.partial for access in block)]
    if not partial:
        return
    named = [set(chain.from_iterable([access.named for access in block])) for block in accesses]
    once: set[int] = set()
    """Registers that one block alone names."""
    again: set[int] = set()
    for regs in named:
        again |= once & regs
        once |= regs
    once -= again
    for b in partial:
        block, own = accesses[b], named[b] & once
        private = _wanted_under_guard(function.blocks[b].insts, block, own - _early(block, own))
        for access in block if private else ():
            if access.partial and any(reg in private for reg, _ in access.partial):
                access.defs += [w for w in access.partial if w[0] in private]
                access.partial = [w for w in access.partial if w[0] not in private]


def _wanted_under_guard(insts: list[MInst], block: list[Access], own: set[int]) -> set[int]:
    """Of the block's own registers (read after they are written, and only here), those that are written under a guard
    and wanted under that alone: by what it guards, and by arithmetic of which the same is true."""
    always: tuple[object, bool] = (None, False)
    wanted: dict[int, tuple[object, bool]] = {}
    """Register -> the guard under which what is in it here is wanted."""
    under: dict[object, list[int]] = {}
    found: set[int] = set()
    no: set[int] = set()
    for inst, access in zip(reversed(insts), reversed(block), strict=True):
        key = always
        if guarded(inst):
            key = _guard_key(inst)
            for reg, _ in access.partial:
                (found if wanted.get(reg, key) == key else no).add(reg)
        elif inst.mnemonic in ARITHMETIC:
            keys = {wanted.get(reg, always) if reg in own else always for reg, _ in access.defs}
            key = keys.pop() if len(keys) == 1 else always
        for row in (access.defs, access.partial):
            for reg, _ in row:
                for name in under.pop(reg, ()):
                    if wanted[name][0] == reg:
                        wanted[name] = always
        for reg, _ in access.uses:
            if reg in own and wanted.setdefault(reg, key) != key:
                wanted[reg] = always
            elif reg in own:
                under.setdefault(key[0], []).append(reg)
        if isinstance(inst.guard, V):
            wanted[inst.guard.reg.id] = always
    return (found - no) & own


def _early(block: list[Access], names: set[int]) -> set[int]:
    """Of these registers, those of which something is read before it is written in the block."""
    written: dict[int, int] = {}
    early: set[int] = set()
    for access in block:
        for reg, mask in access.uses:
            if reg in names and mask & ~written.get(reg, 0):
                early.add(reg)
        for row in (access.defs, access.partial):
            for reg, mask in row:
                written[reg] = written.get(reg, 0) | mask
    return early


def _forward(cfg: Cfg, defined: list[int]) -> list[int]:
    """Per block, parts that may have been written before it."""
    reach = [0] * len(defined)
    changed = True
    while changed:
        changed = False
        for b in cfg.rpo:
            value = 0
            for p in cfg.preds[b]:
                value |= reach[p] | defined[p]
            if value != reach[b]:
                reach[b] = value
                changed = True
    return reach


def _backward(cfg: Cfg, gen: list[int], kill: list[int], reach: list[int]) -> tuple[list[int], list[int], list[int]]:
    live_in, live_out = [0] * len(gen), [0] * len(gen)
    changed = True
    while changed:
        changed = False
        for b in reversed(cfg.rpo):
            out = 0
            for s in cfg.succs[b]:
                out |= live_in[s]
            live_out[b] = out
            new = (gen[b] | out & ~kill[b]) & reach[b]
            if new != live_in[b]:
                live_in[b] = new
                changed = True
    unwritten = [(g | out & ~k) & ~r for g, out, k, r in zip(gen, live_out, kill, reach, strict=True)]
    return live_in, live_out, unwritten


def _unpack(value: int, starts: list[tuple[int, int]]) -> dict[int, int]:
    """Bit set to {vreg id: part mask}; `starts[bit]` is (vreg id, part)."""
    out: dict[int, int] = {}
    if value:
        text = bin(value)[:1:-1]
        at = text.find("1")
        while at >= 0:
            reg, part = starts[at]
            out[reg] = out.get(reg, 0) | 1 << part
            at = text.find("1", at + 1)
    return out
