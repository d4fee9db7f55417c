"""Random machine IR programs for tests: straight code, diamonds, loops, pairs and quads, guards, loads and stores.

Programs end by storing every long-lived value to shared memory, so that `machine.run` tells them apart by value.
"""

from __future__ import annotations

import random

from minicc.ptxas.mir import Block, MFunction, MInst, V, VMem, VReg
from minicc.record import evolve
from minicc.sass.instr import Imm, Name, Reg, Target

RZ, PT = Reg("R", 255), Reg("P", 7)
INPUTS = {"SR_TID.X": 5, "SR_CTAID.X": 3}


class Generator:
    """One random program. `size` is roughly the number of instructions."""

    def __init__(self, seed: int, size: int = 60, values: int = 12, predicates: int = 4) -> None:
        self.rng = random.Random(seed)
        self.f = MFunction("k", True)
        self.block = Block("entry")
        self.f.blocks.append(self.block)
        self.labels = 0
        self.loops = 0
        self.values: list[VReg] = []
        self.wide: list[VReg] = []
        self.preds: list[VReg] = []
        for n in range(values):
            reg = self.f.new("R")
            if n < 2:
                self.emit("S2R", (), (V(reg),), (Name(("SR_TID.X", "SR_CTAID.X")[n]),))
            else:
                self.emit("MOV", (), (V(reg),), (Imm(self.rng.getrandbits(20)),))
            self.values.append(reg)
        for _ in range(max(1, values // 4)):
            reg = self.f.new("R", self.rng.choice((2, 2, 4)))
            for part in range(reg.width):
                self.emit("MOV", (), (V(reg, part),), (self.source(),))
            self.wide.append(reg)
        for _ in range(predicates):
            reg = self.f.new("P")
            self.setp(reg)
            self.preds.append(reg)
        self.body(size, 0)
        for n, reg in enumerate([*self.values, *self.wide]):
            for part in range(reg.width):
                self.emit("STS", (), (), (VMem(RZ, 0x8000 + 16 * n + 4 * part), V(reg, part)), memory="store")
        for n, reg in enumerate(self.preds):
            out = self.f.new("R")
            self.emit("SEL", (), (V(out),), (V(self.values[0]), RZ, V(reg)))
            self.emit("STS", (), (), (VMem(RZ, 0x9000 + 4 * n), V(out)), memory="store")
        self.emit("EXIT", (), (), (), side=True)

    def emit(self, name, mods, dsts, srcs, guard=PT, memory="", side=False):  # type: ignore[no-untyped-def]
        inst = MInst(name, mods, dsts, srcs, guard, memory=memory, space="shared" if memory else "", side_effect=side)
        self.block.insts.append(inst)

    def source(self) -> V:
        if self.wide and self.rng.random() < 0.2:
            reg = self.rng.choice(self.wide)
            return V(reg, self.rng.randrange(reg.width))
        return V(self.rng.choice(self.values))

    def target(self) -> V:
        if self.wide and self.rng.random() < 0.15:
            reg = self.rng.choice(self.wide)
            return V(reg, self.rng.randrange(reg.width))
        return V(self.rng.choice(self.values))

    def guard(self) -> V | Reg:
        if self.preds and self.rng.random() < 0.25:
            return V(self.rng.choice(self.preds), inv=self.rng.random() < 0.5)
        return PT

    def setp(self, reg: VReg, guard: V | Reg = PT) -> None:
        mods = (self.rng.choice(("LT", "GE", "NE", "EQ")), "AND")
        extra = V(self.rng.choice(self.preds)) if self.preds and self.rng.random() < 0.3 else PT
        self.emit("ISETP", mods, (V(reg), PT), (self.source(), self.source(), extra), guard)

    def address(self) -> VMem:
        return (
            VMem(self.source(), 4 * self.rng.randrange(8))
            if self.rng.random() < 0.6
            else VMem(RZ, 4 * self.rng.randrange(64))
        )

    def one(self) -> None:
        rng, guard = self.rng, self.guard()
        kind = rng.randrange(18)
        if kind == 0:
            self.emit("IADD3", (), (self.target(),), (self.source(), self.source(), self.source()), guard)
        elif kind == 1:
            self.emit("IMAD", (), (self.target(),), (self.source(), self.source(), self.source()), guard)
        elif kind == 2:
            lut = Imm(rng.randrange(256), "uint")
            self.emit(
                "LOP3",
                ("LUT",),
                (self.target(),),
                (self.source(), self.source(), self.source(), lut, Reg("P", 7, inv=True)),
                guard,
            )
        elif kind == 3:
            self.emit("POPC", (), (self.target(),), (self.source(),), guard)
        elif kind == 4 and self.preds:
            self.emit(
                "SEL",
                (),
                (self.target(),),
                (self.source(), self.source(), V(rng.choice(self.preds), inv=rng.random() < 0.5)),
                guard,
            )
        elif kind == 5 and self.preds:
            self.setp(rng.choice(self.preds), guard)
        elif kind == 6:
            self.emit("LDS", (), (self.target(),), (self.address(),), guard, "load")
        elif kind == 7:
            self.emit("STS", (), (), (self.address(), self.source()), guard, "store")
        elif kind == 8 and self.wide:
            reg = rng.choice(self.wide)
            part = 2 * rng.randrange(reg.width // 2)
            size = ("64",) if reg.width == 2 or rng.random() < 0.5 else ("128",)
            count = 2 if size == ("64",) else 4
            v = V(reg, part if count == 2 else 0, count)
            if rng.random() < 0.5:
                self.emit("LDS", size, (v,), (self.address(),), guard, "load")
            else:
                self.emit("STS", size, (), (self.address(), v), guard, "store")
        elif kind == 9 and self.wide:
            reg = rng.choice(self.wide)
            self.emit(
                "IMAD",
                ("WIDE", "U32"),
                (V(reg, 0, 2),),
                (self.source(), self.source(), V(rng.choice(self.wide), 0, 2)),
                guard,
            )
        elif kind == 10:
            self.emit("VIADD", (), (self.target(),), (self.source(), Imm(rng.getrandbits(8))), guard)
        elif kind == 11:
            self.shift(guard)
        elif kind == 12 and self.preds:
            self.bit_test(guard)
        elif kind == 13 and self.preds:
            self.guarded_value()
        elif kind == 14 and self.preds:
            self.joined()
        elif kind == 15 and self.preds:
            self.chosen()
        else:
            self.emit(
                "MOV", (), (self.target(),), (self.source() if rng.random() < 0.7 else Imm(rng.getrandbits(16)),), guard
            )

    def shift(self, guard: V | Reg) -> None:
        """A shift, mostly by a constant, and sometimes an addition of its result alone."""
        mods = self.rng.choice((("L", "U32"), ("R", "U32", "HI"), ("R", "S32", "HI")))
        x, count = self.source(), Imm(self.rng.randrange(32), "uint")
        t = self.target() if self.rng.random() < 0.4 else V(self.f.new("R"))
        self.emit("SHF", mods, (t,), (x, count, RZ) if mods[0] == "L" else (RZ, count, x), PT)
        if t not in map(V, self.values) or self.rng.random() < 0.3:
            self.emit("IADD3", (), (self.target(),), (t, self.source(), RZ), guard)

    def guarded_value(self) -> None:
        """A value that is made and used under one guard; where that may change in between, it has a value before."""
        t, changes = V(self.f.new("R")), self.rng.random() < 0.3
        guard = V(self.rng.choice(self.preds), inv=self.rng.random() < 0.5)
        if changes:
            self.emit("MOV", (), (t,), (Imm(self.rng.getrandbits(16)),))
        self.emit("IADD3", (), (t,), (self.source(), self.source(), RZ), guard)
        for _ in range(self.rng.randrange(3)):
            if changes:
                self.setp(guard.reg if self.rng.random() < 0.5 else self.rng.choice(self.preds))
            self.emit("IADD3", (), (self.target(),), (self.source(), self.source(), RZ), PT)
        if self.rng.random() < 0.3:
            self.emit("IADD3", (), (t,), (t, self.source(), RZ), guard)
        if self.rng.random() < 0.8:
            self.emit("IADD3", (), (self.target(),), (t, self.source(), RZ), guard)

    def joined(self) -> None:
        """Compares of values that may change later, whose results are joined, and now and then asked for themselves."""
        rng = self.rng
        fresh = [V(self.f.new("R")) for _ in range(2)]
        for t in fresh:
            self.emit("IADD3", (), (t,), (self.source(), self.source(), RZ), PT)
        p = V(self.f.new("P"))
        some = (rng.choice(fresh), rng.choice([*fresh, self.source()]))
        self.emit("ISETP", (rng.choice(("LT", "GE", "NE", "EQ")), "AND"), (p, PT), (*some, PT))
        for _ in range(rng.randrange(1, 3)):
            if rng.random() < 0.3:
                self.emit("MOV", (), (self.target(),), (Imm(rng.getrandbits(16)),), PT)
            both = [evolve(p, inv=rng.random() < 0.5), V(rng.choice(self.preds), inv=rng.random() < 0.5)]
            rng.shuffle(both)
            table = Imm(rng.choice((0x80, 0xA8, 0x28)), "uint")
            q = V(rng.choice(self.preds) if rng.random() < 0.7 else self.f.new("P"))
            self.emit("PLOP3", ("LUT",), (q, PT), (*both, PT, table, Imm(0, "uint")), PT)
            self.emit("SEL", (), (self.target(),), (self.source(), self.source(), q), PT)
        if rng.random() < 0.3:
            self.emit("MOV", (), (self.target(),), (Imm(9),), p)

    def chosen(self) -> None:
        """A value chosen between an operation of it and what it was; it, and the result, may be asked for later."""
        rng = self.rng
        x, t, y = (V(self.f.new("R")) for _ in range(3))
        self.emit("IADD3", (), (x,), (self.source(), self.source(), RZ), PT)
        if rng.random() < 0.3:
            self.emit("MOV", (), (self.target(),), (x,), PT)
        self.emit("IADD3", (), (t,), (x, self.source() if rng.random() < 0.5 else Imm(5), RZ), PT)
        if rng.random() < 0.3:
            self.emit("MOV", (), (self.target(),), (rng.choice((x, t, self.source())),), PT)
        pair = (t, x) if rng.random() < 0.5 else (x, t)
        self.emit("SEL", (), (y,), (*pair, V(rng.choice(self.preds), inv=rng.random() < 0.5)), PT)
        if rng.random() < 0.3:
            self.emit("MOV", (), (self.target(),), (rng.choice((x, t, y)),), PT)
        self.emit("IADD3", (), (self.target(),), (y, self.source(), RZ), PT)

    def bit_test(self, guard: V | Reg) -> None:
        """A logic operation whose result is compared with zero."""
        t = V(self.f.new("R"))
        lut, false = Imm(self.rng.randrange(256), "uint"), Reg("P", 7, inv=True)
        self.emit("LOP3", ("LUT",), (t,), (self.source(), self.source(), self.source(), lut, false), PT)
        if self.rng.random() < 0.3:
            self.emit("MOV", (), (self.target(),), (Imm(self.rng.getrandbits(16)),), guard)
        mods = (self.rng.choice(("NE", "EQ")), self.rng.choice(("AND", "OR")))
        chained = V(self.rng.choice(self.preds), inv=self.rng.random() < 0.5)
        p = V(self.rng.choice(self.preds) if self.rng.random() < 0.6 else self.f.new("P"))
        self.emit(
            "ISETP", mods, (p, PT), (t, RZ, PT if mods[1] == "AND" and self.rng.random() < 0.6 else chained), guard
        )
        if p.reg not in self.preds and guard == PT:
            self.emit("SEL", (), (self.target(),), (self.source(), self.source(), p), PT)
            self.emit("MOV", (), (self.target(),), (Imm(7),), evolve(p, inv=self.rng.random() < 0.5))

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def start(self, label: str, *, falls: bool = True) -> None:
        if falls:
            self.block.succs.append(label)
        self.block = Block(label)
        self.f.blocks.append(self.block)

    def branch(self, label: str, guard: V | Reg = PT) -> None:
        self.emit("BRA", (), (), (Target(label=label),), guard)
        self.block.succs.append(label)

    def body(self, size: int, depth: int) -> None:
        left = size
        while left > 0:
            kind = self.rng.random()
            if kind < 0.08 and depth < 3 and left > 6 and self.preds:
                inner = self.rng.randrange(1, left // 2)
                other, join = self.label(), self.label()
                p = V(self.rng.choice(self.preds), inv=self.rng.random() < 0.5)
                self.branch(other, p)
                self.start(self.label())
                self.body(inner, depth + 1)
                if self.rng.random() < 0.6:
                    self.branch(join)
                    self.start(other, falls=False)
                    self.body(self.rng.randrange(1, left // 2), depth + 1)
                    self.start(join)
                else:
                    self.start(other)
                left -= 2 * inner
            elif kind < 0.14 and depth < 2 and left > 6:
                counter, p, head = self.f.new("R"), self.f.new("P"), self.label()
                self.emit("MOV", (), (V(counter),), (Imm(self.rng.randrange(1, 4)),))
                self.start(head)
                inner = self.rng.randrange(1, left // 2)
                self.body(inner, depth + 1)
                self.emit("VIADD", (), (V(counter),), (V(counter), Imm(0xFFFFFFFF)))
                self.emit("ISETP", ("NE", "AND"), (V(p), PT), (V(counter), RZ, PT))
                self.branch(head, V(p))
                self.start(self.label())
                left -= inner
            else:
                self.one()
                left -= 1
