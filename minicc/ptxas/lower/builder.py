"""The emitter that every lowering function writes through: one kernel's blocks, virtual registers and operands.

A lowering function gets the builder and a PTX instruction and calls `emit`. The PTX guard of the instruction in hand is
added here: to every machine instruction that writes something a later PTX instruction can see, or has a side effect.
Temporaries are computed unguarded, so that their live ranges begin at full definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from minicc.arch import Arch
from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.numbers import bits_of, float_of
from minicc.ptx import model as ptx
from minicc.ptx.names import SIZES
from minicc.ptxas.lower.graph import ends
from minicc.ptxas.mir import FALSE, TRUE, ZERO, Block, MemoryKind, MFunction, MInst, MOperand, V, VConst, VMem, VReg
from minicc.record import evolve
from minicc.sass.instr import Const, Imm, Reg, Target

if TYPE_CHECKING:
    from minicc.ptxas.lower.flatten import Flat
    from minicc.ptxas.lower.symbols import Symbols
    from minicc.ptxas.lower.wgmma import Plan

STACK = Reg("R", 1)
Pair = tuple[MOperand, MOperand]
_MODS: dict[str, tuple[str, tuple[str, ...]]] = {}


def mnemonic(dotted: str) -> tuple[str, tuple[str, ...]]:
    """ "IMAD.WIDE.U32" -> ("IMAD", ("WIDE", "U32"))"""
    found = _MODS.get(dotted)
    if found is None:
        name, *mods = dotted.split(".")
        found = _MODS[dotted] = name, tuple(mods)
    return found


def imm(value: int) -> MOperand:
    """A 32-bit immediate; zero is RZ."""
    bits = value & 0xFFFFFFFF
    return Imm(bits) if bits else ZERO


def number(value: int) -> Imm:
    """A number that is a field of its own (a LUT, a lane mask): never RZ."""
    return Imm(value & 0xFFFFFFFF, "uint")


def fimm(bits: int) -> Imm:
    """An f32 immediate by its bits."""
    return Imm(bits, "f32")


def is_reg(x: MOperand) -> bool:
    return isinstance(x, V | Reg)


def neg(x: MOperand) -> MOperand:
    """Toggle the minus sign of a register operand."""

    assert isinstance(x, V | Reg)
    return evolve(x, neg=not x.neg)


def absolute(x: MOperand) -> MOperand:

    assert isinstance(x, V | Reg)
    return evolve(x, abs=True, neg=False)


def inv(x: MOperand) -> MOperand:
    """Toggle `!` of a predicate or `~` of a register."""

    assert isinstance(x, V | Reg)
    return evolve(x, inv=not x.inv)


class Builder:
    """State of one function's lowering."""

    def __init__(self, function: MFunction, flat: Flat, symbols: Symbols, arch: Arch) -> None:
        self.fn = function
        self.flat = flat
        self.symbols = symbols
        self.arch = arch
        self.regs: dict[str, VReg] = {}
        self.values: dict[str, V] = {}
        """PTX register -> its low 32 bits, without a sign."""
        self.block = Block("entry")
        self.blocks = [self.block]
        self.cold: list[Block] = []
        self.entry_insts: list[MInst] = []
        self.guard: V | None = None
        self.loc: object | None = None
        self.inst: ptx.Inst | None = None
        self.floor = 0
        self.labels = 0
        self.operations: dict[tuple[str, str], int] | None = None
        """How often an operation on a type stands in the function, of those that have long paths (`routine`)."""
        self.constants: dict[str, int] = {}
        """PTX register -> its value where the register has one definition, a 32-bit or 64-bit constant."""
        self.descriptor: VReg | None = None
        self.carry: VReg | None = None
        self.definitions: dict[str, ptx.Inst | bool] | None = None
        """What defines each register, for `same`."""
        self.products: dict[int, Any] | None = None
        """What `products` has found."""
        self.moved: list[tuple[MOperand, V]] | None = None
        """Values that `uniform.group` moved to uniform registers, while that is asked."""
        self.taken: VReg | None = None
        """The lowest address of local memory taken at run time; see `stack`."""
        self.rank: VReg | None = None
        """The block's rank in its cluster, where shared addresses have it."""
        self.params: dict[str, list[VReg]] = {}
        self.entry_params: dict[str, int] = {}
        self.local_offsets: dict[str, int] = {}
        self.flat_labels: set[str] = set()
        self.uniform_branches: set[MInst | None] = set()
        """BRAs that PTX marks .uni."""
        self.last_jump: MInst | None = None
        self.turns: list[tuple[MInst | None, MInst, MInst]] = []
        """What elects a lane, the branch around its turn and the branch back (see `lone`)."""
        self.collective: set[MInst] = set()
        """WARPSYNCs that a warp in step does not need."""
        self.barriers: set[MInst] = set()
        """Those of them that are collective themselves, before a CTA barrier."""
        self.before_barriers: set[MInst] = set()
        """Others, which only lanes need that were let go from a BSYNC: before barriers that a whole warp executes."""
        self.in_cold = False
        self.has_calls = False
        self.gmma: Plan
        """The register groups of warpgroup multiplies; see `wgmma`."""
        self.pinned: dict[tuple[str, int], VReg] = {}
        """The virtual registers that stand for physical ones, by (file, number); see `abi`."""

    # --- errors -------------------------------------------------------------------------------------------------

    def unsupported(self, what: str = "") -> NoReturn:
        """The instruction in hand has no lowering."""
        assert self.inst is not None
        name = what or f"instruction '{self.inst.name}'"
        fail("ptxas.unsupported", f"Feature not supported: {name}", self.inst.where, exit_status=EXIT_PTXAS)

    def wrong(self, message: str) -> NoReturn:
        assert self.inst is not None
        fail("ptxas.operand", message, self.inst.where, exit_status=EXIT_PTXAS)

    # --- blocks -------------------------------------------------------------------------------------------------

    def label(self, stem: str = "L") -> str:
        """A fresh block label."""
        self.labels += 1
        return f".{stem}_{self.labels}"

    def start(self, label: str) -> None:
        """Begin a block that the current one falls through to, unless it ended with a jump."""
        block = Block(label)
        (self.cold if self.in_cold else self.blocks).append(block)
        self.block = block

    def start_cold(self, label: str) -> None:
        """Begin a block away from the main line (a slow path); it must leave by `resume`."""
        self.in_cold = True
        self.start(label)

    def resume(self, label: str) -> None:
        """Leave a slow path for a new block of the main line, which the last main block falls through to."""
        if not self.ended():
            self.block.insts.append(self.make("BRA", (), (Target(label=label),)))
        self.in_cold = False
        self.start(label)

    def ended(self) -> bool:
        return ends(self.block)

    def jump(self, label: str, guard: MOperand | None = None) -> MInst:
        """BRA to a label. The block ends; a new one begins if it can be reached by falling through."""
        self.last_jump = jump = self.make("BRA", (), (Target(label=label),), guard)
        self.block.insts.append(jump)
        self.start(self.label())
        return jump

    # --- emission -----------------------------------------------------------------------------------------------

    def make(self, op: str, dsts: Sequence[MOperand], srcs: Sequence[MOperand], guard: MOperand | None = None) -> MInst:
        name, mods = mnemonic(op)
        inst = MInst(name, mods, tuple(dsts), tuple(srcs), loc=self.loc, ptx=self.inst)
        if guard is not None:
            assert isinstance(guard, V | Reg)
            inst.guard = guard
        return inst

    def emit(
        self,
        op: str,
        dsts: Sequence[MOperand] = (),
        srcs: Sequence[MOperand] = (),
        guard: MOperand | None = None,
        side: bool = False,
        memory: MemoryKind = "",
        space: str = "",
    ) -> MInst:
        """Append one instruction, with the PTX guard where it matters."""
        own = self.guard
        if own is not None and (side or memory or any(self.visible(d) for d in dsts)):
            guard = own if guard is None else self.both(own, guard)
        inst = self.make(op, dsts, srcs, guard)
        inst.side_effect = side or memory in ("store", "atomic", "fence", "barrier")
        inst.memory = memory
        inst.space = space
        self.block.insts.append(inst)
        return inst

    def visible(self, dst: MOperand) -> bool:
        return isinstance(dst, V) and dst.reg.id < self.floor

    def both(self, a: MOperand, b: MOperand) -> V:
        """A fresh predicate: a and b."""
        out = self.pred()
        self.block.insts.append(self.make("PLOP3.LUT", (out, TRUE), (a, b, TRUE, number(0x80), number(0))))
        return out

    # --- registers ----------------------------------------------------------------------------------------------

    def temp(self, width: int = 1, hint: str = "") -> V:
        """A fresh general register (or aligned group)."""
        return V(self.fn.new("R", width, hint), 0, width)

    def pred(self, hint: str = "") -> V:
        return V(self.fn.new("P", 1, hint))

    def uniform(self, width: int = 1) -> V:
        return V(self.fn.new("UR", width), 0, width)

    def vreg(self, name: str) -> VReg:
        """The virtual register of a PTX register."""
        found = self.regs.get(name)
        if found is None:
            type_ = self.flat.type_of(name)
            if type_ is None:
                self.wrong(f"Unknown symbol '{name}'")
            if type_ == "pred":
                found = self.fn.new("P", 1, name)
            else:
                size = SIZES.get(type_)
                if size is None or "." in type_:
                    self.unsupported(f"register type '.{type_}'")
                found = self.fn.new("R", max(1, size // 4), name)
            self.regs[name] = found
        return found

    def dst(self, operand: ptx.Operand, width: int | None = None) -> V:
        """The destination register of a PTX operand; `_` gives a register that nobody reads."""
        if isinstance(operand, ptx.Symbol) and operand.name == "_":
            return self.temp(width or 1)
        if not isinstance(operand, ptx.Reg):
            self.wrong("Arguments mismatch: a destination must be a register")
        reg = self.vreg(operand.name)
        if reg.file != "R":
            self.wrong(f"Arguments mismatch: '{operand.name}' is a predicate")
        return V(reg, 0, reg.width)

    def dst_pred(self, operand: ptx.Operand | None) -> MOperand:
        if operand is None or (isinstance(operand, ptx.Symbol) and operand.name == "_"):
            return TRUE
        if not isinstance(operand, ptx.Reg) or self.vreg(operand.name).file != "P":
            self.wrong("Arguments mismatch: a predicate was expected")
        return V(self.vreg(operand.name))

    # --- operands -----------------------------------------------------------------------------------------------

    def constant(self, operand: ptx.Operand) -> int | None:
        """The integer value of an operand, if it is known here."""
        if isinstance(operand, ptx.Int):
            return operand.value
        if isinstance(operand, ptx.Reg):
            return self.constants.get(operand.name)
        return None

    def val(self, operand: ptx.Operand, type_: str = "u32") -> MOperand:
        """A value of at most 32 bits: a register, or an immediate. Bits above the type's size are unspecified."""
        if isinstance(operand, ptx.Reg):
            known = self.constants.get(operand.name)
            if known is not None:
                return self.immediate(known ^ 0x80000000 if operand.minus else known, type_)
            value = self.values.get(operand.name)
            if value is None:
                reg = self.vreg(operand.name)
                if reg.file != "R":
                    self.wrong(f"Arguments mismatch: '{operand.name}' is a predicate")
                value = self.values[operand.name] = V(reg)
            return V(value.reg, neg=True) if operand.minus else value
        if isinstance(operand, ptx.Int):
            return self.immediate(operand.value, type_)
        if isinstance(operand, ptx.Float):
            return self.float_immediate(operand, type_)
        if isinstance(operand, ptx.Symbol):
            return self.val64(operand)[0]
        if isinstance(operand, ptx.Special):
            from minicc.ptxas.lower.special import read

            return read(self, operand.name)[0]
        self.wrong("Arguments mismatch: operand kind")

    def immediate(self, value: int, type_: str) -> MOperand:
        if type_ == "f32":
            return Imm(value & 0xFFFFFFFF, "f32") if value & 0xFFFFFFFF else ZERO
        return imm(value)

    def float_immediate(self, operand: ptx.Float, type_: str) -> MOperand:
        bits = operand.bits
        if type_ == "f64" or type_ in ("u64", "s64", "b64"):
            self.wrong("a 64-bit literal was not expected here")
        if operand.width == 64:
            bits = bits_of(float_of(bits, 64), 32)
        if type_ in ("f32", "b32", "u32", "s32"):
            return Imm(bits, "f32" if type_ == "f32" else "int") if bits else ZERO
        self.wrong(f"a floating literal cannot be used as '.{type_}'")

    def val64(self, operand: ptx.Operand, type_: str = "u64") -> Pair:
        """A 64-bit value as (low, high)."""
        if isinstance(operand, ptx.Reg):
            known = self.constants.get(operand.name)
            if known is not None:
                return imm(known), imm(known >> 32)
            reg = self.vreg(operand.name)
            if reg.file != "R":
                self.wrong(f"Arguments mismatch: '{operand.name}' is a predicate")
            if reg.width == 1:
                return V(reg), ZERO
            return V(reg, 0), V(reg, 1)
        if isinstance(operand, ptx.Int):
            return imm(operand.value), imm(operand.value >> 32)
        if isinstance(operand, ptx.Float):
            bits = operand.bits
            if operand.width == 32:
                bits = bits_of(float_of(bits, 32), 64)
            return imm(bits), imm(bits >> 32)
        if isinstance(operand, ptx.Symbol):
            from minicc.ptxas.lower.symbols import address

            return address(self, operand)
        if isinstance(operand, ptx.Special):
            from minicc.ptxas.lower.special import read

            return read(self, operand.name)
        self.wrong("Arguments mismatch: operand kind")

    def pair(self, operand: ptx.Operand, type_: str = "u64") -> V | Reg:
        """A 64-bit value in an aligned register pair; zero is RZ."""
        if isinstance(operand, ptx.Reg) and operand.name not in self.constants:
            reg = self.vreg(operand.name)
            if reg.width == 2:
                return V(reg, 0, 2, neg=operand.minus)
        return self.join(*self.val64(operand, type_))

    def join(self, low: MOperand, high: MOperand) -> V | Reg:
        """Two halves as an aligned pair."""
        if low == ZERO and high == ZERO:
            return ZERO
        if isinstance(low, V) and isinstance(high, V) and low.reg is high.reg and low.part == 0 and high.part == 1:
            return V(low.reg, 0, 2)
        out = self.temp(2)
        self.move(V(out.reg, 0), low)
        self.move(V(out.reg, 1), high)
        return out

    def pred_of(self, operand: ptx.Operand) -> MOperand:
        """A predicate source, with its negation."""
        if isinstance(operand, ptx.Int):
            return TRUE if operand.value else FALSE
        if not isinstance(operand, ptx.Reg):
            self.wrong("Arguments mismatch: a predicate was expected")
        reg = self.vreg(operand.name)
        if reg.file != "P":
            self.wrong(f"Arguments mismatch: '{operand.name}' is not a predicate")
        return V(reg, inv=operand.neg)

    def reg(self, x: MOperand) -> V | Reg:
        """The operand in a register (without changing modifiers it has)."""
        if isinstance(x, V | Reg) and (isinstance(x, Reg) or x.reg.file == "R"):
            return x
        out = self.temp()
        self.move(out, x)
        return out

    def move(self, out: MOperand, x: MOperand, guard: MOperand | None = None) -> None:
        """out = x, 32 bits or a predicate."""
        if out == x:
            return
        if out == TRUE or (isinstance(out, V) and out.reg.file == "P"):
            self.emit("PLOP3.LUT", (out, TRUE), (x, TRUE, TRUE, number(0x80), number(0)), guard)
            return
        if isinstance(x, V) and x.reg.file == "UR":
            self.emit("MOV", (out,), (x,), guard)
        elif isinstance(x, Imm | Const):
            self.emit("MOV", (out,), (Imm(x.bits) if isinstance(x, Imm) else x,), guard)
        elif isinstance(x, VConst):
            self.emit("LDC", (out,), (x,), guard)
        else:
            self.emit("MOV", (out,), (x,), guard)

    def move64(self, out: V, low: MOperand, high: MOperand) -> None:
        self.move(V(out.reg, 0), low)
        self.move(V(out.reg, 1), high)

    # --- operand slots ------------------------------------------------------------------------------------------

    def slots(self, *operands: MOperand) -> list[MOperand]:
        """Operands for an ALU instruction: the first a register, at most one of the others not."""
        out: list[MOperand] = [self.reg(operands[0])]
        free = True
        for x in operands[1:]:
            if is_reg(x) and not (isinstance(x, V) and x.reg.file != "R"):
                out.append(x)
            elif free:
                free = False
                out.append(x)
            else:
                out.append(self.reg(x))
        return out

    def swap(self, a: MOperand, b: MOperand) -> Pair:
        """The two operands of a commutative operation, the register first."""
        return (b, a) if not is_reg(a) and is_reg(b) else (a, b)

    def op(self, op: str, dst: MOperand, *srcs: MOperand, guard: MOperand | None = None) -> None:
        """An ALU instruction with legal slots."""
        self.emit(op, (dst,), self.slots(*srcs), guard)

    def new(self, op: str, *srcs: MOperand) -> V:
        """An ALU instruction into a fresh register."""
        out = self.temp()
        self.emit(op, (out,), self.slots(*srcs))
        return out

    def lop(
        self, dst: MOperand, a: MOperand, b: MOperand, c: MOperand, lut: int, guard: MOperand | None = None
    ) -> None:
        """LOP3.LUT of three operands; constants may stand anywhere, the table is permuted to suit."""
        order = [a, b, c]
        if not is_reg(c) and is_reg(b):
            order, lut = [a, c, b], _permute(lut, (0, 2, 1))
        if not is_reg(order[0]) and is_reg(order[1]):
            order, lut = [order[1], order[0], order[2]], _permute(lut, (1, 0, 2))
        x, y, z = order
        x, z = self.reg(x), self.reg(z)
        self.emit("LOP3.LUT", (dst,), (x, y, z, number(lut), FALSE), guard)

    def logic(self, a: MOperand, b: MOperand, lut: int, c: MOperand = ZERO) -> V:
        """`lop` into a fresh register."""
        out = self.temp()
        self.lop(out, a, b, c, lut)
        return out

    def setp(self, op: str, a: MOperand, b: MOperand, combine: MOperand = TRUE, extra: Sequence[MOperand] = ()) -> V:
        """A compare into a fresh predicate: "ISETP.LT.AND"."""
        out = self.pred()
        x, y = self.slots(a, b)
        self.emit(op, (out, TRUE), (x, y, combine, *extra))
        return out

    def select(self, dst: MOperand, a: MOperand, b: MOperand, p: MOperand) -> None:
        """dst = p ? a : b"""
        if not is_reg(a) and is_reg(b):
            a, b, p = b, a, inv(p)
        x, y = self.slots(a, b)
        self.emit("SEL", (dst,), (x, Imm(y.bits) if isinstance(y, Imm) else y, p))

    def sel(self, a: MOperand, b: MOperand, p: MOperand) -> V:
        out = self.temp()
        self.select(out, a, b, p)
        return out

    # --- 64-bit helpers -----------------------------------------------------------------------------------------

    def add64(self, out: V, a: Pair, b: Pair) -> None:
        """out = a + b; halves may carry a minus sign only if both do (see `sub64`)."""
        carry = self.pred()
        lo = self.slots(*self.swap(a[0], b[0]))
        self.emit("IADD3", (V(out.reg, 0), carry), (*lo, ZERO))
        hi = self.slots(*self.swap(a[1], b[1]))
        self.emit("IADD3.X", (V(out.reg, 1),), (*hi, ZERO, carry, FALSE))

    def sub64(self, out: V, a: Pair, b: Pair) -> None:
        """out = a - b = a + ~b + 1"""
        carry = self.pred()
        self.emit("IADD3", (V(out.reg, 0), carry), self.minus(a[0], b[0]))
        self.emit("IADD3.X", (V(out.reg, 1),), (*self.minus(a[1], b[1], True), carry, FALSE))

    def minus(self, a: MOperand, b: MOperand, bitwise: bool = False) -> tuple[MOperand, ...]:
        """Operands of an IADD3 that computes a - b (or a + ~b) with a full carry chain."""
        turned = inv if bitwise else neg
        if not is_reg(b):
            b = self.reg(b)
        if not is_reg(a):
            return (turned(b), a, ZERO)
        return (a, turned(b), ZERO)

    # --- descriptors, cold paths --------------------------------------------------------------------------------

    def desc(self) -> V:
        """The uniform pair that desc[UR][...] accesses name, loaded once at the entry."""
        if self.descriptor is None:
            self.descriptor = self.fn.new("UR", 2, "desc")
            offset = self.arch.abi.memory_descriptor
            inst = MInst("ULDC", ("64",), (V(self.descriptor, 0, 2),), (Const(0, offset),))
            self.entry_insts.append(inst)
        return V(self.descriptor, 0, 2)

    def global_address(self, base: V | Reg | None, offset: int) -> VMem:
        return VMem(base, offset, None, self.desc())

    def begin_end(self) -> None:
        """Start what follows the last PTX instruction."""
        self.inst = self.guard = self.loc = None

    def begin(self, inst: ptx.Inst) -> None:
        """Start the lowering of one PTX instruction."""
        self.inst = inst
        self.loc = inst.loc
        self.floor = len(self.fn.vregs)
        self.guard = None
        if inst.guard is not None:
            self.vreg(inst.guard.name)
            self.floor = len(self.fn.vregs)
            guard = self.pred_of(inst.guard)
            assert isinstance(guard, V)
            self.guard = guard
        regs = self.regs
        for operand in inst.operands:
            if type(operand) is not ptx.Reg or operand.name not in regs:
                self.declare(operand)
        self.floor = len(self.fn.vregs)

    def declare(self, operand: ptx.Operand | None) -> None:
        """Make the virtual registers of an operand now, so that they are not taken for temporaries."""
        if isinstance(operand, ptx.Reg):
            self.vreg(operand.name)
        elif isinstance(operand, ptx.Vector | ptx.Tuple | ptx.Bracket):
            for item in operand.items:
                self.declare(item)
        elif isinstance(operand, ptx.Pair):
            self.declare(operand.first)
            self.declare(operand.second)
        elif isinstance(operand, ptx.Address):
            self.declare(operand.base)


def _permute(lut: int, order: tuple[int, int, int]) -> int:
    """The table when operand i of the new instruction is operand order[i] of the old one."""
    out = 0
    for index in range(8):
        bits = [index >> 2 & 1, index >> 1 & 1, index & 1]
        old = [0, 0, 0]
        for position, source in enumerate(order):
            old[source] = bits[position]
        out |= (lut >> (old[0] << 2 | old[1] << 1 | old[2]) & 1) << index
    return out
