"""Operands of double instructions: signs, immediates, launch parameters, constants in bank 2 and in uniform registers.

    LOP3 a[1], x[1], 0x7fffffff; MOV a[0], x[0]; DSETP a, y     DSETP |x|, y
    MOV c[0], RZ; MOV c[1], 0x3ff00000; DADD x, c               DADD x, 1
    MOV c[0], c[0][n]; MOV c[1], c[0][n+4]; DMUL x, c           DMUL x, c[0][n]
    MOV c[0], lo; MOV c[1], hi; DFMA x, y, c                    DFMA x, y, c[2][n]
        in a loop                                               UMOV u[0], lo; UMOV u[1], hi; loop: DFMA x, y, u

Neither takes general registers or a read port: a DFMA of three pairs takes three cycles of its pipe instead of two
(h200_probes, "Issue"). Bank 2 takes no instruction, and on an H200 even with cold caches no more time than two UMOVs
(nvcc's way): pow of four million doubles 0.92, atan 0.89. In loops uniform registers are better by 1 to 4 %. Functions
that share the bank have them everywhere, and those that have two at most: the first line of the bank comes from far
(Newton's iteration with one constant, 1.10 of nvcc's cycles on the model to 1.00). An instruction has one such operand.
"""

from __future__ import annotations

from typing import Literal

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg, ends
from minicc.ptxas.mir import FALSE, ZERO, MFunction, MInst, MOperand, V
from minicc.ptxas.optimise import dead
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition, Single
from minicc.record import evolve
from minicc.sass.instr import Const, Imm

_SLOTS = {"DADD": (1,), "DMUL": (1,), "DFMA": (1, 2), "DSETP": (1,)}
"""Source positions that may hold something else than general registers, one of them at a time."""
_COMMUTES = frozenset({"DADD", "DMUL", "DFMA"})
"""Whose sources 0 and 1 may be exchanged."""
_SIGN = 0x80000000
_SIGNS = {(_SIGN - 1, 0xC0): (True, False), (_SIGN, 0x3C): (False, True), (_SIGN, 0xFC): (True, True)}
"""What a LOP3 of the high word with a constant does, by that and the table: (|x|, -x)."""
_MOST = {"UR": (16, 16), "R": (2, 3)}
"""By file, constants of a block that are kept for their next use, and those made before loops, at most."""
_BANK = 1 << 15
"""Bytes of bank 2 for constants."""
_FEW = 2
"""Constants of a function for which the bank is not opened: its first line comes from far."""

File = Literal["UR", "R"]
Held = dict[File, dict[int, V]]
"""By file, the pairs that hold constants, by their bits."""


class _Operands:
    def __init__(self, function: MFunction) -> None:
        self.function = function
        self.single = Single.of(function)
        self.uniform = not function.is_routine  # whose callers keep theirs
        # A table of functions has the bank for itself, and device functions belong to several kernels.
        free = function.entry and not (function.calls or function.indirect or function.constant2)
        self.banked = free and len(self._constants()) > _FEW
        self.bank: dict[int, Const] = {}
        """Where constants are in bank 2, by their bits."""
        self.changed = False
        self.outside: dict[tuple[int, File], dict[int, V]] = {}
        """Header of a loop and file of registers -> constants that are made before it."""
        self.header: dict[int, int] = {}
        """Block -> header of the outermost loop around it, where constants can be made before that."""
        self.before: dict[int, int] = {}

    def run(self) -> None:
        blocks = self.function.blocks
        if self.uniform and not any(inst.mnemonic == "CALL" for block in blocks for inst in block.insts):
            self._loops()
        for b, block in enumerate(blocks):
            held: Held = {"UR": {}, "R": {}}
            out: list[MInst] = []
            for at, inst in enumerate(block.insts):
                if inst.mnemonic in _SLOTS:
                    self._operands(inst, b, at, held, out)
                elif inst.mnemonic == "CALL":
                    held["UR"].clear()
                out.append(inst)
            block.insts = out
        for (header, _), constants in self.outside.items():
            insts = blocks[self.before[header]].insts
            at = len(insts)
            while at and ends(insts[at - 1]):
                at -= 1
            insts[at:at] = [inst for bits, u in constants.items() for inst in _made(u, bits, None)]

    def _constants(self) -> set[int]:
        """The constants that are neither words of their own nor immediates."""
        values = (
            self._value(operand, b, at)
            for b, block in enumerate(self.function.blocks)
            for at, inst in enumerate(block.insts)
            if inst.mnemonic in _SLOTS
            for operand in inst.srcs
        )
        return {value & ~(_SIGN << 32) for value in values if isinstance(value, int) and value & 0xFFFFFFFF}

    def _loops(self) -> None:
        cfg = Cfg.of(self.function)
        loops = cfg.loops()
        idom = cfg.dominators() if loops else []
        for header, body in sorted(loops, key=lambda loop: len(loop[1])):
            self.before[header] = idom[header]
            self.header.update(dict.fromkeys(body, header))
        inside = set(self.header)
        for b, header in list(self.header.items()):
            before = self.before[header]
            if before < 0 or before == header or before in inside:
                del self.header[b]

    def _definition(self, v: V, b: int, at: int) -> Definition | None:
        """What makes a register that is read at a point, if it is one place that comes before."""
        found = self.single.table.get((v.reg.id, v.part))
        if found is None or v.reg.fixed is not None or not self.single.dominates(found.block, found.at, b, at):
            return None
        return found

    def _value(self, operand: MOperand, b: int, at: int) -> MOperand | int | None:
        """What a pair is: another pair with signs, a constant-bank operand, the bits of a constant; None for itself."""
        if not isinstance(operand, V) or operand.count != 2 or operand.reg.file != "R":
            return None
        first = self._definition(operand, b, at)
        high = V(operand.reg, operand.part + 1)
        second = self._definition(high, b, at)
        absolute, minus = operand.abs, operand.neg
        while second is not None and (signs := _signs(second.inst)) is not None:
            if not absolute:
                absolute, minus = signs[0], signs[1] != minus
            high = second.inst.srcs[0]  # type: ignore[assignment]
            second = self._definition(high, second.block, second.at)
        if first is None or second is None:
            return None
        low, top = _word(first), _word(second)
        if isinstance(low, V):
            alone = (
                high == V(low.reg, low.part + 1) and low.part % 2 == 0 and self._definition(low, first.block, first.at)
            )
            return V(low.reg, low.part, 2, minus, absolute) if alone else None
        if isinstance(low, int) and isinstance(top, int):
            top = top & ~_SIGN if absolute else top
            return low | (top ^ _SIGN if minus else top) << 32
        if isinstance(low, Const) and low.offset % 8 == 0 and top == evolve(low, offset=low.offset + 4):
            return evolve(low, neg=minus, abs=absolute)
        return None

    def _operands(self, inst: MInst, b: int, at: int, held: Held, out: list[MInst]) -> None:
        sources = list(inst.srcs)
        values: list[MOperand | int | None] = [None] * len(sources)
        for n in range(3 if inst.mnemonic == "DFMA" else 2):
            values[n] = self._value(sources[n], b, at)
            if isinstance(value := values[n], V):
                sources[n], values[n], self.changed = value, self._value(value, b, at), True
        if inst.mnemonic in _COMMUTES and values[0] is not None and values[1] is None and isinstance(sources[1], V):
            sources[0], sources[1] = sources[1], sources[0]
            values[0], values[1] = None, values[0]
        slots = _SLOTS[inst.mnemonic]
        if all(getattr(sources[n], "file", "") == "R" for n in slots):
            wanted = [n for n in slots if values[n] is not None]
            # What needs nothing before it first.
            for n in sorted(wanted, key=lambda n: isinstance(v := values[n], int) and v & 0xFFFFFFFF != 0)[:1]:
                value = values[n]
                if isinstance(value, Const):
                    sources[n] = value
                elif isinstance(value, int) and not value & 0xFFFFFFFF:
                    sources[n] = Imm(value >> 32, "f64hi")
                elif isinstance(value, int) and self.uniform:
                    sources[n] = self._constant("UR", value, b, held, out, inst)
                self.changed = True
        for n, value in enumerate(values):
            if isinstance(value, int) and sources[n] is inst.srcs[n] and inst.mnemonic == "DFMA":
                sources[n] = self._constant("R", value, b, held, out, inst)
                self.changed = True
        inst.srcs = tuple(sources)

    def _constant(self, file: File, bits: int, b: int, held: Held, out: list[MInst], inst: MInst) -> V | Const:
        """What holds a constant, or its negative: registers, or a place in bank 2."""
        header = self.header.get(b)
        outside = self.outside.setdefault((header, file), {}) if header is not None else {}
        for table in (held[file], outside, self.bank if file == "UR" else {}):
            if bits in table:
                return table[bits]
            if bits ^ _SIGN << 32 in table:
                return evolve(table[bits ^ _SIGN << 32], neg=True)
        most, before = _MOST[file]
        hoisted = header is not None and sum(len(c) for (_, f), c in self.outside.items() if f == file) < before
        constants = self.function.constant2
        if file == "UR" and not hoisted and self.banked and len(constants) < _BANK:
            self.bank[bits] = Const(2, len(constants))
            constants += bits.to_bytes(8, "little")
            return self.bank[bits]
        made = V(self.function.new(file, 2), 0, 2)
        if hoisted:
            outside[bits] = made
            return made
        if len(held[file]) == most:
            del held[file][next(iter(held[file]))]
        held[file][bits] = made
        out += _made(made, bits, inst)
        return made


def _signs(inst: MInst) -> tuple[bool, bool] | None:
    """(|x|, -x) of what changes a sign bit alone, that of its first source."""
    if inst.mnemonic != "LOP3" or len(inst.dsts) != 1 or inst.srcs[4:] != (FALSE,):
        return None
    x, mask, _, table = inst.srcs[:4]
    if isinstance(x, V) and x == V(x.reg, x.part) and isinstance(mask, Imm) and isinstance(table, Imm):
        return _SIGNS.get((mask.bits, table.bits))
    return None


def _made(u: V, bits: int, inst: MInst | None) -> list[MInst]:
    loc = inst.loc if inst is not None else None
    move = "UMOV" if u.reg.file == "UR" else "MOV"
    words = (bits & 0xFFFFFFFF, bits >> 32)
    return [MInst(move, (), (V(u.reg, n),), (Imm(word),), loc=loc) for n, word in enumerate(words)]


def _word(found: Definition) -> MOperand | int | None:
    """What one word of a pair is a copy of: the bits of a constant, a constant-bank operand, a register."""
    inst = found.inst
    if inst.mnemonic == "LDC" and inst.modifiers == ("64",):
        source = inst.srcs[0]
        if isinstance(source, Const) and source.base is None and source.ureg is None:
            return evolve(source, offset=source.offset + 4 * found.word)
    if inst.mnemonic != "MOV" or inst.modifiers or inst.hidden or len(inst.srcs) != 1:
        return None
    source = inst.srcs[0]
    if isinstance(source, Imm):
        return source.bits & 0xFFFFFFFF
    if source == ZERO:
        return 0
    if isinstance(source, Const) and source.base is None and source.ureg is None:
        return source
    return source if isinstance(source, V) and source == V(source.reg, source.part) else None


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Give the double instructions of `function` their operands, and drop what made those."""
    if not any(inst.mnemonic in _SLOTS for block in function.blocks for inst in block.insts):
        return
    operands = _Operands(function)
    operands.run()
    if operands.changed:
        dead.sweep(function)


__all__ = ["run"]
