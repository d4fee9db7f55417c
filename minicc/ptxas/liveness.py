"""Which virtual registers are live where.

Exact over the control-flow graph, per 32-bit part of a register. A guarded write does not end the life of the old
value, unless the value cannot have been written before, or two writes under opposite guards follow each other. Names
that live inside one block never enter the data flow, so cost is near linear.

Registers and predicates are per lane, so that ordinary control flow is right for them even where a warp diverges: what
the lanes of another path do cannot touch them. That does not hold for uniform and barrier registers; their allocation
does not rely on this (see `allocate`).
"""

from __future__ import annotations

import attrs

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst, V
from minicc.ptxas.operands import guarded, reads, writes


@attrs.define(eq=False, repr=False)
class Access:
    """Registers of one instruction as (vreg id, mask of parts)."""

    uses: list[tuple[int, int]]
    defs: list[tuple[int, int]]
    """Definitions that end the life of the old value."""
    partial: list[tuple[int, int]]
    """Definitions that do not."""


def _parts(operand: V) -> int:
    return ((1 << operand.count) - 1) << operand.part


@attrs.define(eq=False, repr=False)
class Liveness:
    """`accesses[b][i]` per instruction; `live_in[b]`/`live_out[b]` map a vreg id to the mask of its live parts."""

    accesses: list[list[Access]]
    live_in: list[dict[int, int]]
    live_out: list[dict[int, int]]


def _guard_key(inst: MInst) -> tuple[object, bool]:
    guard = inst.guard
    return (guard.reg.id, guard.inv) if isinstance(guard, V) else (("phys", guard.file, guard.index), guard.inv)


def _uses(inst: MInst) -> list[tuple[int, int]]:
    """The parts that it reads, in a list that others have too."""
    read = reads(inst)
    known = inst.used
    if known is None or known[0] is not read:
        known = inst.used = read, [(v.reg.id, _parts(v)) for v in read if type(v) is V]
    return known[1]


def _block_accesses(insts: list[MInst]) -> list[Access]:
    """Accesses with the first write of an opposite-guard pair made complete."""
    out: list[Access] = []
    # (vreg, part mask) -> (index, guard key, inverted): last guarded write not yet read, seen in program order.
    open_writes: dict[int, tuple[int, int, object, bool]] = {}
    under: dict[object, set[int]] = {}
    """Registers in `open_writes` by their guard."""
    for at, inst in enumerate(insts):
        uses, written = _uses(inst), [(v.reg.id, _parts(v)) for v in writes(inst) if type(v) is V]
        if open_writes:
            for reg, _ in uses:
                open_writes.pop(reg, None)
        if guarded(inst):
            # A spill temporary lives from its guarded definition to the store under the same guard, never longer.
            temporary = [
                (v.reg.id, _parts(v)) for v in writes(inst) if isinstance(v, V) and (v.reg.whole or not v.reg.spillable)
            ]
            access = Access(uses, temporary, [w for w in written if w not in temporary])
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
        else:
            access = Access(uses, written, [])
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
    live_in, live_out = _backward(cfg, gen, kill_bits, reach)
    return Liveness(accesses, [_unpack(v, starts) for v in live_in], [_unpack(v, starts) for v in live_out])


def _complete_private(function: MFunction, accesses: list[list[Access]]) -> None:
    """A guarded write is a complete one where everything else that is done with the register is done in the same block
    under the same guard: a carry of a predicated sum would otherwise be alive in the whole loop around it."""
    names = {reg for block in accesses for access in block for reg, _ in access.partial}
    if not names:
        return
    events: dict[int, list[tuple[int, int]]] = {}
    keys: dict[tuple[int, int], tuple[object, bool]] = {}
    changes: dict[tuple[int, object], list[int]] = {}
    for b, block in enumerate(function.blocks):
        for at, (inst, access) in enumerate(zip(block.insts, accesses[b], strict=True)):
            for reg, _ in access.uses:
                if reg in names:
                    events.setdefault(reg, []).append((b, at))
            for reg, _ in (*access.defs, *access.partial):
                changes.setdefault((b, reg), []).append(at)
                if reg in names:
                    events.setdefault(reg, []).append((b, at))
            if guarded(inst):
                keys[b, at] = _guard_key(inst)
    private: set[int] = set()
    for reg in sorted(names):
        row = events[reg]
        (b, first), (_, last) = row[0], row[-1]
        guard = keys.get((b, first))
        if guard is None or guard[0] == reg or any(place != b or keys.get((place, at)) != guard for place, at in row):
            continue
        if any(first <= at < last for at in changes.get((b, guard[0]), ())):
            continue
        written, early = 0, 0
        for _, at in row:
            access = accesses[b][at]
            for r, mask in access.uses:
                early |= mask & ~written if r == reg else 0
            for r, mask in (*access.defs, *access.partial):
                written |= mask if r == reg else 0
        if not early:
            private.add(reg)
    if private:
        for entries in accesses:
            for access in entries:
                if access.partial and any(reg in private for reg, _ in access.partial):
                    access.defs += [w for w in access.partial if w[0] in private]
                    access.partial = [w for w in access.partial if w[0] not in private]


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


def _backward(cfg: Cfg, gen: list[int], kill: list[int], reach: list[int]) -> tuple[list[int], list[int]]:
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
    return live_in, live_out


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
