"""Spill code: general registers to local memory or computed again, predicates to bits of registers, and the frame.

A spilled register vanishes: every use loads it into a short-lived register just before, every definition stores one
just after (under the same guard). Within a few instructions of one block a loaded or stored value is used again.
Instead of loading it is computed again what is a constant, and what two operations at most make of registers that are
there anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from minicc.arch.schema import Arch
from minicc.numbers import align_up
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MFunction, MInst, MOperand, V, VMem, VReg
from minicc.ptxas.operands import guarded, map_reads, map_writes, reads, renamed, writes
from minicc.ptxas.optimise import dead
from minicc.ptxas.registers import again
from minicc.ptxas.registers.intervals import Ranges
from minicc.ptxas.registers.need import fail_for_local
from minicc.record import evolve
from minicc.sass.codec import has
from minicc.sass.instr import Const, Imm, Reg

STACK = Reg("R", 1)
INCOMING = Reg("R", 1, suffix=("caller",))
"""As an address: the caller's stack pointer, which is R1 plus the frame once that is known."""
_START = 16
"""What the stack pointer that the driver gives is a multiple of."""
_KEPT = (*range(16, 20), *range(22, 256))
"""General registers that a device function must leave as they were; also barriers from `_KEPT_BARRIER` on."""
_KEPT_BARRIER = 6
_SCRATCH = Reg("R", 0)
"""Holds no argument and no result."""


class _Holder:
    """The bit of a general register that holds a predicate; `first`: writing it clears the others."""

    def __init__(self, reg: VReg, bit: int, first: bool) -> None:
        self.reg, self.bit, self.first = reg, bit, first


class Spiller:
    """Adds spill code to one function, round by round; `finish` adds the frame set-up. `window`: instructions over
    which a reloaded value is kept. Where local memory is not allowed a register that would go there is a
    `CompileError`."""

    def __init__(self, function: MFunction, arch: Arch, window: int, local: bool = True) -> None:
        self.window, self.local = window, local
        self.function = function
        self.arch = arch
        self.store_bytes = 0
        self.load_bytes = 0

    def rewrite(self, spilled: Collection[VReg], ranges: Ranges | None = None, *, load: bool = True) -> None:
        """Replace each of `spilled` everywhere. Those for which others of them are needed make these stay, as do those
        that would have to be loaded, without `load`."""
        predicates = {reg.id for reg in spilled if reg.file == "P"}
        general = {reg.id: reg for reg in sorted(spilled, key=lambda reg: reg.id) if reg.file == "R"}
        redone = {} if ranges is None else again.operations(self.function, general, ranges)
        for code in redone.values():
            for v in (v for inst in code for v in reads(inst) if isinstance(v, V) and v.reg.id not in redone):
                general.pop(v.reg.id, None)
        remade = again.remade(self.function, {name: reg for name, reg in general.items() if name not in redone})
        slots: dict[int, int] = {}
        stored = sorted(general.keys() - remade.keys() - redone.keys()) if load else []
        if stored and not self.local:
            fail_for_local(self.function)
        for name in stored:
            slots[name] = self.slot((1, 1, 2, 4, 4)[general[name].width])
        holders = self._holders(predicates)
        for block in self.function.blocks:
            block.insts = _Rewriter(self, slots, remade, redone, holders).block(block.insts)
        if any(len(code) > 1 for code in redone.values()):
            dead.sweep(self.function)

    def slot(self, width: int) -> int:
        """A place in the frame for so many registers."""
        unit = 4 * min(width, 4)
        place = -(-self.function.frame // unit) * unit
        self.function.frame = place + 4 * width
        return place

    def access(self, mnemonic: str, held: V, offset: int, like: MInst | None = None, guard: V | Reg = TRUE) -> MInst:
        """A spilled register is loaded or stored, at the place of `like`."""
        inst = _access(mnemonic, held, offset)
        if mnemonic == "LDL":
            self.load_bytes += 4 * held.count
        else:
            self.store_bytes += 4 * held.count
        if like is not None:
            inst.loc = like.loc
        inst.guard = guard
        return inst

    def _holders(self, predicates: set[int]) -> dict[int, _Holder]:
        """Where predicates are kept. Those that one block makes, each at one place and read by none before that, are
        bits of one register, which is written anew where the first of them is made."""
        made: dict[int, list[int]] = {name: [] for name in predicates}
        together: list[list[int]] = []
        for b, block in enumerate(self.function.blocks if predicates else ()):
            fit: dict[int, None] = {}
            early: set[int] = set()
            for inst in block.insts:
                early |= {r.reg.id for r in reads(inst) if isinstance(r, V) and r.reg.id in predicates}
                for w in writes(inst):
                    if isinstance(w, V) and w.reg.id in predicates:
                        made[w.reg.id].append(b)
                        if w.reg.id not in early and not guarded(inst):
                            fit[w.reg.id] = None
            together.append(list(fit))
        found: dict[int, _Holder] = {}
        for names in together:
            once = [name for name in names if len(made[name]) == 1]
            for start in range(0, len(once), 32):
                reg = self.function.new("R", 1, "spilled predicates")
                found.update({name: _Holder(reg, 1 << n, not n) for n, name in enumerate(once[start : start + 32])})
        for name in sorted(predicates - found.keys()):
            found[name] = _Holder(self.function.new("R", 1, "spilled predicate"), 1, True)
        return found

    def finish(self) -> None:
        """Frame set-up, as ptxas does it: R1 from the constant bank, less the frame, down to a multiple of the stack's
        alignment, of which frames are multiples."""
        function = self.function
        save, restore = ([], []) if function.entry or function.is_routine else self._keep()
        unit = function.stack_align
        function.frame = align_up(function.frame + function.incoming, unit)
        function.attributes["spill_stores"] = self.store_bytes
        function.attributes["spill_loads"] = self.load_bytes
        uses_stack = bool(function.frame or function.callees or function.calls or function.indirect) or any(
            isinstance(r, Reg) and r == STACK for b in function.blocks for i in b.insts for r in (*reads(i), *writes(i))
        )
        setup: list[MInst] = []
        if function.entry and uses_stack:
            setup.append(MInst("LDC", (), (STACK,), (Const(0, self.arch.abi.stack_base),)))
        if function.frame:
            setup.append(self._add_stack(-function.frame))
            if not function.entry:
                restore.append(self._add_stack(function.frame))
        if function.entry and uses_stack and unit > _START:
            multiple = (STACK, Imm(-unit & 0xFFFFFFFF), ZERO, Imm(0xC0, "uint"), FALSE)
            setup.append(MInst("LOP3", ("LUT",), (STACK,), multiple))
            function.frame += unit - _START
        if not function.entry:
            for block in function.blocks:
                if block.insts and block.insts[-1].mnemonic == "RET":
                    block.insts[-1:-1] = restore
                for inst in block.insts:
                    for operand in inst.srcs:
                        if isinstance(operand, VMem) and operand.base == INCOMING:
                            below = VMem(STACK, operand.offset + function.frame)
                            inst.srcs = tuple(below if s is operand else s for s in inst.srcs)
        function.blocks[0].insts[:0] = setup + save

    def _add_stack(self, amount: int) -> MInst:
        terms = STACK, Imm(amount & 0xFFFFFFFF)
        if has("VIADD", (), self.arch.sass):
            return MInst("VIADD", (), (STACK,), terms)
        return MInst("IADD3", (), (STACK,), (*terms, ZERO))

    def _keep(self) -> tuple[list[MInst], list[MInst]]:
        """Code that saves and restores what a device function uses of the registers that its callers count on."""
        general: set[int] = set()
        barriers: set[int] = set()
        for block in self.function.blocks:
            for inst in block.insts:
                for operand in writes(inst):
                    if isinstance(operand, V) and operand.reg.fixed is not None:
                        first = operand.reg.fixed + operand.part
                        if operand.reg.file == "R":
                            general.update(range(first, first + operand.count))
                        elif operand.reg.file == "B":
                            barriers.add(first)
        save: list[MInst] = []
        restore: list[MInst] = []
        frame = self.function.frame = -(-self.function.frame // 4) * 4
        for number in sorted(general.intersection(_KEPT)):
            save.append(_access("STL", Reg("R", number), frame))
            restore.append(_access("LDL", Reg("R", number), frame))
            frame += 4
        for number in sorted(b for b in barriers if b >= _KEPT_BARRIER):
            barrier = Reg("B", number)
            taken = MInst("BMOV", ("32", "CLEAR"), (_SCRATCH,), (barrier,), side_effect=True)
            cleared = self.function.new("B")
            cleared.fixed = number
            # It clears late: a BSSY that does not wait for it loses what it set, and its BSYNC hangs (seen on an H200).
            taken.implicit_writes = (V(cleared),)
            save.append(taken)
            save.append(_access("STL", _SCRATCH, frame))
            restore.append(_access("LDL", _SCRATCH, frame))
            restore.append(MInst("BMOV", ("32",), (barrier,), (_SCRATCH,), side_effect=True))
            frame += 4
        self.function.frame = frame
        return save, restore


def _access(mnemonic: str, held: Reg | V, offset: int) -> MInst:
    where, width = VMem(STACK, offset), _width(held.count if isinstance(held, V) else 1)
    if mnemonic == "LDL":
        return MInst(mnemonic, width, (held,), (where,), memory="load", space="local")
    return MInst(mnemonic, width, (), (where, held), memory="store", space="local")


class _Rewriter:
    """Rewrites one block. `kept` maps (vreg id, part, count) to (register that holds it now, age)."""

    def __init__(
        self,
        owner: Spiller,
        slots: dict[int, int],
        remade: dict[int, dict[int, MInst]],
        redone: dict[int, list[MInst]],
        holders: dict[int, _Holder],
    ) -> None:
        self.owner = owner
        self.function = owner.function
        self.slots, self.remade, self.redone, self.holders = slots, remade, redone, holders
        self.names = {*slots, *remade, *redone, *holders}
        self.out: list[MInst] = []
        self.kept: dict[tuple[int, int, int], tuple[VReg, int]] = {}
        self.at = 0

    def block(self, insts: list[MInst]) -> list[MInst]:
        for inst in insts:
            self.at += 1
            self._one(inst)
        return self.out

    def _one(self, inst: MInst) -> None:
        if inst.mnemonic == "CALL":
            self.kept.clear()  # few registers survive it
        touched = [o for o in (*reads(inst), *writes(inst)) if isinstance(o, V)]
        names = {o.reg.id for o in touched}
        if not names & self.names:
            self.out.append(inst)
            return
        if any(isinstance(o, V) and (o.reg.id in self.remade or o.reg.id in self.redone) for o in writes(inst)):
            return  # the definition moves to the uses
        fresh: dict[tuple[int, int, int], VReg] = {}

        def use(v: V) -> MOperand:
            name = v.reg.id
            if name not in self.names:
                return v
            whole = name in self.redone
            key = (name, 0, v.reg.width) if whole else (name, v.part, v.count)
            if key not in fresh:
                kept = self.kept.get(key)
                if kept is not None and self.at - kept[1] <= self.owner.window:
                    fresh[key] = kept[0]
                else:
                    fresh[key] = self._again(v.reg) if whole else self._load(v, inst)
                self.kept[key] = (fresh[key], self.at)
            return evolve(v, reg=fresh[key], part=v.part if whole else 0)

        # What changes its own guard leaves none for the store behind it: the old value is loaded and stored again.
        guard = inst.guard
        owns = (
            isinstance(guard, V)
            and guard.reg.id not in self.names
            and any(isinstance(w, V) and _shares(w.reg, guard.reg) for w in writes(inst))
        )
        map_reads(inst, use)
        after: list[MInst] = []

        def define(v: V) -> MOperand:
            name = v.reg.id
            if name not in self.slots and name not in self.holders:
                return v
            temp = self._load(v, inst) if owns else self._temp(v)
            for key in [k for k in self.kept if k[0] == name]:
                del self.kept[key]
            if not guarded(inst):
                self.kept[(name, v.part, v.count)] = (temp, self.at)
            after.extend(self._store(name, v, temp, inst, TRUE if owns else inst.guard))
            return evolve(v, reg=temp, part=0)

        map_writes(inst, define)
        self.out.append(inst)
        self.out.extend(after)

    def _temp(self, v: V) -> VReg:
        width = 4 if v.count == 3 else v.count
        temp = self.function.new(v.reg.file, width, v.reg.hint)
        temp.spillable = False
        return temp

    def _load(self, v: V, at: MInst) -> VReg:
        temp = self._temp(v)
        name = v.reg.id
        if name in self.holders:
            holder = self.holders[name]
            sources = (V(holder.reg), Imm(holder.bit), ZERO, Imm(0xC0, "uint"), FALSE)
            self.out.append(MInst("LOP3", ("LUT",), (V(temp), ZERO), sources, loc=at.loc))
        elif name in self.remade:
            for part in range(v.count):
                source = self.remade[name].get(v.part + part)
                if source is not None:
                    self.out.append(evolve(source, dsts=(V(temp, part),)))
        else:
            for part, count in _pieces(v.count):
                place = self.slots[name] + 4 * (v.part + part)
                self.out.append(self.owner.access("LDL", V(temp, part, count), place, at))
        return temp

    def _again(self, reg: VReg) -> VReg:
        fresh: dict[int, VReg] = {}

        for source in self.redone[reg.id]:
            inst = evolve(source)
            map_reads(inst, partial(renamed, fresh))
            d = inst.dsts[0]
            assert isinstance(d, V)
            fresh[d.reg.id] = temp = self._temp(d)
            temp.spillable = True
            inst.dsts = (V(temp, 0, d.count),)
            self.out.append(inst)
        return fresh[reg.id]

    def _store(self, name: int, v: V, temp: VReg, inst: MInst, guard: V | Reg) -> list[MInst]:
        if name in self.holders:
            holder, bit = V(self.holders[name].reg), Imm(self.holders[name].bit)
            if self.holders[name].first:
                return [MInst("SEL", (), (holder,), (ZERO, bit, V(temp, inv=True)), guard=guard, loc=inst.loc)]
            either = (holder, bit, ZERO, Imm(0xFC, "uint"), FALSE)
            return [MInst("LOP3", ("LUT",), (holder,), either, guard=V(temp), loc=inst.loc)]
        place = self.slots[name] + 4 * v.part
        return [
            self.owner.access("STL", V(temp, part, count), place + 4 * part, inst, guard)
            for part, count in _pieces(v.count)
        ]


def _shares(one: VReg, other: VReg) -> bool:
    """Whether two are one register, or have one's number: predicates have theirs before general registers do."""
    return one is other or (one.file == other.file and one.fixed is not None and one.fixed == other.fixed)


def _pieces(count: int) -> tuple[tuple[int, int], ...]:
    return ((0, 2), (2, 1)) if count == 3 else ((0, count),)


def _width(count: int) -> tuple[str, ...]:
    return {1: (), 2: ("64",), 4: ("128",)}[count]


__all__ = ["STACK", "Spiller"]
