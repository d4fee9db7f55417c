"""What an instruction reads and writes, and when: all the scheduler, the allocator's checks and the SM model need."""

from __future__ import annotations

from minicc.arch import Arch
from minicc.sass.codec import form_of
from minicc.sass.instr import PT, RZ, URZ, Const, Imm, Instr, Mem, Name, Operand, Reg
from minicc.sass.isa.timing import Timing
from minicc.sass.isa.widths import width_of
from minicc.sass.operand import Codec, MemCodec, RegCodec


class Access:
    """Registers `index` .. `index + count - 1` of a file, as reader or result class `cls`. `operand` is the index of
    the operand, -1 for the guard. `slot` is the place among the sources (0, 1, 2), -1 if it has none."""

    __slots__ = __match_args__ = ("file", "index", "count", "cls", "operand", "slot")

    def __init__(self, file: str, index: int, count: int, cls: str, operand: int, slot: int = -1) -> None:
        self.file, self.index, self.count, self.cls, self.operand, self.slot = file, index, count, cls, operand, slot


class Effects:
    """`variable`: results come without fixed latency; a write barrier is needed if `writes` is not empty. `late`:
    register sources are read after issue; overwriting them needs a read barrier. `out` is the class of the main
    result."""

    __slots__ = __match_args__ = ("reads", "writes", "pipe", "variable", "late", "out")

    def __init__(
        self, reads: tuple[Access, ...], writes: tuple[Access, ...], pipe: str, variable: bool, late: bool, out: str
    ) -> None:
        self.reads, self.writes, self.pipe, self.variable, self.late = reads, writes, pipe, variable, late
        self.out = out


NOTHING = Effects((), (), "none", False, False, "")
_SMALL = frozenset({"1688", "8816", "8832"})
"""Shapes of HMMA and IMMA that take one pass."""
_ZERO = {"R": RZ, "UR": URZ, "P": PT, "UP": PT}


def effects(instr: Instr, arch: Arch) -> Effects:
    """Effects of one instruction. RZ, URZ, PT and UPT are left out. An instruction without a form has no effects."""
    plan = form_of(instr, arch.sass)
    if plan is None:
        return NOTHING
    form = plan.form
    timing = form.row.timing
    reads: list[Access] = []
    writes: list[Access] = []
    guard = instr.guard
    if guard.index != PT:
        reads.append(Access(guard.file, guard.index, 1, "guard", -1))
    for codec, place in zip(form.operands, plan.places, strict=True):
        operand = instr.operands[place] if place >= 0 else codec.default
        if operand is not None:
            _collect(timing, codec, operand, place, instr, reads, writes)
    out = result_class(timing, instr.mnemonic, instr.modifiers, "R")
    return Effects(tuple(reads), tuple(writes), timing.pipe, variable(timing, arch), timing.late, out)


def variable(timing: Timing, arch: Arch) -> bool:
    """Whether results come without fixed latency."""
    uncoupled = arch.latency.uncoupled
    return timing.variable or timing.out in uncoupled or timing.uout in uncoupled


def result_class(timing: Timing, mnemonic: str, modifiers: tuple[str, ...], file: str) -> str:
    """Producer class of a result in a register file."""
    if file == "P" or file == "UP":
        return timing.pout
    if file == "UR":
        return timing.uout
    if mnemonic == "CS2R" and "32" not in modifiers:
        return "cs2r64"
    if timing.out == "mma16816" and "1688" in modifiers and "TF32" not in modifiers:
        return "mma1688"
    return timing.out


def _collect(
    timing: Timing, codec: Codec, operand: Operand, place: int, instr: Instr, reads: list[Access], writes:
    list[Access],
) -> None:  # fmt: skip
    if isinstance(operand, Reg):
        if operand.file in ("SR", "SB") or operand.index == _ZERO.get(operand.file):
            return
        count = width_of(codec.width, instr)
        if codec.write:
            writes.append(Access(operand.file, operand.index, count, _result(timing, instr, operand.file), place))
        if codec.read:
            slot = codec.source if codec.source is not None else -1
            reads.append(
                Access(
                    operand.file, operand.index, count, _reader(timing, codec, operand, instr.modifiers), place, slot
                )
            )
    elif isinstance(operand, Mem):
        assert isinstance(codec, MemCodec)
        for part, reg in ((codec.base, operand.base), (codec.ureg, operand.ureg), (codec.desc, operand.desc)):
            if part is not None and reg is not None and reg.index != _ZERO[reg.file]:
                cls = timing.addr if reg.file == "R" else timing.usrc
                reads.append(Access(reg.file, reg.index, width_of(part.width, instr), cls, place))
    elif isinstance(operand, Const):
        for base, reg in ((True, operand.base), (False, operand.ureg)):
            if reg is not None and reg.index != _ZERO[reg.file]:
                cls = timing.addr if base and reg.file == "R" else timing.usrc
                reads.append(Access(reg.file, reg.index, 1 if base else 2, cls, place))
    elif isinstance(operand, Name) and operand.text in ("PR", "UPR"):
        file = "P" if operand.text == "PR" else "UP"
        # A mask, when it is a number, says which of them matter.
        last = instr.operands[-1]
        mask = last.bits if isinstance(last, Imm) else 0x7F
        indices = [index for index in range(7) if mask >> index & 1]
        if place == 0:  # R2P, UR2UP
            writes += [Access(file, index, 1, timing.pout, place) for index in indices]
        else:  # P2R, UP2UR
            reads += [Access(file, index, 1, timing.psrc, place) for index in indices]


def slot_class(timing: Timing, slot: str, modifiers: tuple[str, ...]) -> str:
    """Reader class of a register source in a slot. The accumulator of the small shapes is read as early as B
    (h200_probes, column "B, 1688 C")."""
    cls = dict(timing.slots).get(slot, timing.src)
    if cls == "mma_c" and not _SMALL.isdisjoint(modifiers) and "TF32" not in modifiers:
        return "mma_b"
    return cls


def _result(timing: Timing, instr: Instr, file: str) -> str:
    return result_class(timing, instr.mnemonic, instr.modifiers, file)


def _reader(timing: Timing, codec: Codec, reg: Reg, modifiers: tuple[str, ...]) -> str:
    if reg.file == "R":
        return slot_class(timing, codec.name, modifiers) if timing.slots else timing.src
    if reg.file == "UR":
        return timing.usrc
    return timing.psrc if reg.file in ("P", "UP") else ""


__all__ = ["NOTHING", "Access", "Effects", "RegCodec", "effects", "result_class", "slot_class", "variable"]
