"""Wide loads: neighbours in shared or constant memory are loaded together where the address is proved to be aligned.

    LDS a, [R4]             LDS.128 q, [R4]
    LDS b, [R4+0x4]    ->   (a is q[0], b is q[1], ...)          (LDC: by two words)
    ...

LLVM has joined what its types proved; here addresses are known: a variable has its place, and a register the low zero
bits of everything it was ever set to. Loads join across anything but stores, barriers and jumps.
"""

from __future__ import annotations

from itertools import islice

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, MOperand, Part, V, VConst, VMem, VReg
from minicc.ptxas.operands import guarded, map_reads, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import early
from minicc.ptxas.timing import timing
from minicc.record import evolve
from minicc.sass.instr import RZ, Imm, Reg

_MOST = 16
"""Low zero bits that are told apart."""
_SIZES = {(): 1, ("64",): 2}
_WIDE = {2: ("64",), 4: ("128",)}
_PURE = frozenset({"IADD3", "IMAD", "MOV", "SHF", "LEA", "LOP3", "VIADD"})


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Join the loads of every block."""
    if not any(_where(i) for b in function.blocks for i in b.insts):
        return
    makers: dict[int, list[MInst]] = {}
    for block in function.blocks:
        for inst in block.insts:
            for w in writes(inst):
                if isinstance(w, V):
                    makers.setdefault(w.reg.id, []).append(inst)
    insts = [inst for block in function.blocks for inst in block.insts]
    pairs = {v.reg.id for i in insts for v in (*reads(i), *writes(i)) if isinstance(v, V) and v.count > 1}
    zeros = _Zeros(makers)
    renamed: dict[Part, tuple[VReg, int]] = {}
    kept = early(function)
    for block in function.blocks:
        _block(function, block, makers, pairs, kept, zeros, renamed)
    if renamed:

        def change(v: V) -> V:
            found = renamed.get((v.reg.id, v.part))
            return v if found is None else evolve(v, reg=found[0], part=found[1])

        for block in function.blocks:
            for inst in block.insts:
                map_reads(inst, change)


class _Zeros:
    """Low zero bits of registers of one word, whatever path set them."""

    def __init__(self, makers: dict[int, list[MInst]]) -> None:
        self.makers = makers
        self.known: dict[int, int] = {}

    def of(self, reg: VReg) -> int:
        """At least that many low bits of `reg` are zero. Cycles are assumed to keep them, then checked."""
        if reg.id in self.known:
            return self.known[reg.id]
        # The registers that it comes from, then a descent from "all zero" to what holds everywhere.
        members: list[int] = []
        stack = [reg]
        while stack:
            r = stack.pop()
            if r.id in self.known:
                continue
            self.known[r.id] = _MOST if r.file == "R" and r.width == 1 and r.fixed is None else 0
            members.append(r.id)
            if len(members) > 256:
                break
            for inst in self.makers.get(r.id, ()):
                if inst.mnemonic in _PURE:
                    stack.extend(s.reg for s in inst.srcs if isinstance(s, V) and s.reg.file == "R")
        if stack:
            for name in members:
                self.known[name] = 0
            return 0
        changed = True
        while changed:
            changed = False
            for name in members:
                least = min((self._made(i) for i in self.makers.get(name, ())), default=0)
                if least < self.known[name]:
                    self.known[name] = least
                    changed = True
        return self.known[reg.id]

    def _operand(self, operand: MOperand) -> int:
        if isinstance(operand, Imm):
            return _low_zeros(operand.bits)
        if isinstance(operand, Reg):
            return _MOST if operand.file == "R" and operand.index == RZ and not operand.inv else 0
        if isinstance(operand, V) and not operand.inv and not operand.abs and not operand.suffix:
            return self.known.get(operand.reg.id, 0)
        return 0

    def _made(self, inst: MInst) -> int:
        s = inst.srcs
        if inst.mnemonic not in _PURE or len(inst.dsts) != 1 or inst.hidden:
            return 0
        if inst.mnemonic == "MOV" and not inst.modifiers:
            return self._operand(s[0])
        if inst.mnemonic in ("IADD3", "VIADD") and not inst.modifiers:
            return min(self._operand(x) for x in s)
        if inst.mnemonic == "IMAD" and not set(inst.modifiers) - {"U32"} and len(s) == 3:
            return min(_MOST, self._operand(s[0]) + self._operand(s[1]), self._operand(s[2]))
        if inst.mnemonic == "LEA" and not inst.modifiers and len(s) == 3 and isinstance(s[2], Imm):
            return min(_MOST, self._operand(s[0]) + s[2].bits, self._operand(s[1]))
        if inst.mnemonic == "SHF" and inst.modifiers == ("L", "U32") and isinstance(s[1], Imm):
            return min(_MOST, self._operand(s[0]) + s[1].bits)
        if inst.mnemonic == "LOP3" and len(s) == 5 and isinstance(s[3], Imm):
            return self._logic(s, s[3].bits)
        return 0

    def _logic(self, s: tuple[MOperand, ...], table: int) -> int:
        """Bits at which the inputs known to be zero make the result zero."""
        known = [self._operand(x) for x in s[:3]]
        for bit in range(_MOST):
            zero = [bit < k for k in known]
            if any(table >> row & 1 for row in range(8) if not any(zero[k] and row >> 2 - k & 1 for k in range(3))):
                return bit
        return _MOST


def _low_zeros(value: int) -> int:
    value &= 0xFFFFFFFF
    return min(_MOST, (value & -value).bit_length() - 1) if value else _MOST


Name = tuple[int, int]
"""Bank of constants or -1, and the register that the address hangs on or -1."""


def _where(inst: MInst) -> VMem | VConst | None:
    """The address of a load that may be part of a wider one."""
    where = inst.srcs[0] if inst.srcs else None
    if inst.mnemonic == "LDS" and isinstance(where, VMem) and where.ureg is None:
        return where
    return where if inst.mnemonic == "LDC" and isinstance(where, VConst) and isinstance(where.base, V) else None


class _Load:
    def __init__(self, at: int, offset: int, words: int, dst: V) -> None:
        self.at, self.offset, self.words, self.dst = at, offset, words, dst


def _block(
    function: MFunction,
    block: Block,
    makers: dict[int, list[MInst]],
    pairs: set[int],
    kept: frozenset[Part],
    zeros: _Zeros,
    renamed: dict[Part, tuple[VReg, int]],
) -> None:
    open_: dict[Name, list[_Load]] = {}
    gone: set[int] = set()

    def close(name: Name) -> None:
        loads = open_.pop(name, [])
        if len(loads) > 1:
            _join(function, block, loads, zeros, renamed, gone)

    for at, inst in enumerate(block.insts):
        ends = timing(inst.mnemonic, inst.modifiers).flow or inst.memory in ("store", "atomic", "fence", "barrier")
        if ends and not (inst.memory in ("store", "atomic") and inst.space in ("global", "local")):
            for name in list(open_):
                close(name)
        load = _candidate(inst, at, makers, pairs, kept)
        if load is not None:
            where = _where(inst)
            assert where is not None
            bank = where.bank if isinstance(where, VConst) else -1
            open_.setdefault((bank, where.base.reg.id if isinstance(where.base, V) else -1), []).append(load)
        if open_:
            written = {w.reg.id for w in writes(inst) if isinstance(w, V)}
            for name in [name for name in open_ if name[1] in written]:
                close(name)
    for name in list(open_):
        close(name)
    if gone:
        block.insts = [inst for at, inst in enumerate(block.insts) if at not in gone]


def _candidate(
    inst: MInst, at: int, makers: dict[int, list[MInst]], pairs: set[int], kept: frozenset[Part]
) -> _Load | None:
    """The load, if all of a register comes of it, or a word of one that is nowhere read or written as a whole. `kept`:
    parts that the turn before has left for what comes before the load."""
    where = _where(inst)
    if where is None or inst.modifiers not in _SIZES or guarded(inst) or inst.side_effect or inst.hidden:
        return None
    d, words = inst.dsts[0], _SIZES[inst.modifiers]
    if not isinstance(d, V):
        return None
    base = where.base
    if isinstance(base, V):
        if base.reg.width != 1 or base.suffix:
            return None
    elif not (isinstance(base, Reg) and base.index == RZ):
        return None
    whole = (d.part == 0 and d.count == d.reg.width == words) or (words == d.count == 1 and d.reg.id not in pairs)
    if not whole or d.reg.fixed is not None or (isinstance(base, V) and base.reg is d.reg):
        return None
    parts = set(d.parts)
    if not parts.isdisjoint(kept):
        return None
    made = (i for i in makers[d.reg.id] for w in writes(i) if isinstance(w, V) and not parts.isdisjoint(w.parts))
    if len(list(islice(made, 2))) != 1:
        return None
    return _Load(at, where.offset, words, d)


def _join(
    function: MFunction,
    block: Block,
    loads: list[_Load],
    zeros: _Zeros,
    renamed: dict[Part, tuple[VReg, int]],
    gone: set[int],
) -> None:
    first = _where(block.insts[loads[0].at])
    assert first is not None
    alignment = 1 << (zeros.of(first.base.reg) if isinstance(first.base, V) else _MOST)
    by_offset = {load.offset: load for load in reversed(loads)}
    for words in (4, 2) if isinstance(first, VMem) else (2,):
        for offset in sorted(by_offset):
            if offset not in by_offset or (offset | alignment) % (4 * words) or alignment < 4 * words:
                continue
            group: list[_Load] = []
            at = offset
            while at < offset + 4 * words and at in by_offset and at + 4 * by_offset[at].words <= offset + 4 * words:
                group.append(by_offset[at])
                at += 4 * by_offset[at].words
            if at == offset + 4 * words and len(group) > 1:
                _replace(function, block, group, words, renamed, gone)
                for load in group:
                    del by_offset[load.offset]


def _replace(
    function: MFunction,
    block: Block,
    group: list[_Load],
    words: int,
    renamed: dict[Part, tuple[VReg, int]],
    gone: set[int],
) -> None:
    wide = function.new("R", words, group[0].dst.reg.hint)
    place = min(load.at for load in group)
    where = _where(block.insts[place])
    assert where is not None
    moved = evolve(where, offset=group[0].offset)
    for load in group:
        for word, part in enumerate(load.dst.parts):
            renamed[part] = (wide, (load.offset - group[0].offset) // 4 + word)
        if load.at != place:
            gone.add(load.at)
    block.insts[place] = evolve(block.insts[place], modifiers=_WIDE[words], dsts=(V(wide, 0, words),), srcs=(moved,))
