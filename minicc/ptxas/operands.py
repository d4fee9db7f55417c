"""Reading and rewriting the register operands of machine instructions.

Registers are named by integer keys in the passes that care for single 32-bit registers. Physical ones: R n is n, then
UR, P, UP, B (see `BASE`). RZ, URZ, PT and UPT never appear. Virtual ones: `Components` numbers the 32-bit parts of
every virtual register of a function from `VIRTUAL` on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from operator import is_not

from minicc.ptxas.mir import TRUE, MFunction, MInst, MOperand, Part, V, VConst, VMem, VReg
from minicc.record import evolve
from minicc.sass.instr import Const, Imm, Mem, Reg

BASE = {"R": 0, "UR": 256, "P": 320, "UP": 328, "B": 336, "SB": 352}
ZERO = {"R": 255, "UR": 63, "P": 7, "UP": 7}
VIRTUAL = 512
OPPOSITE = {"LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE", "EQ": "NE", "NE": "EQ"}
"""Compare -> the one that holds where it does not."""
OPPOSITE_OF_FLOATS = {kind: other + "U" for kind, other in OPPOSITE.items()}
OPPOSITE_OF_FLOATS |= {other: kind for kind, other in OPPOSITE_OF_FLOATS.items()}
"""The same of floats: what is false of NaNs is true of them inverted."""
EXCHANGED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "EQ": "EQ", "NE": "NE"}
"""Compare -> the same, of the operands the other way round."""


def key_name(key: int) -> str:
    """Printed name of a physical key: "R4", "UR6", "P0", "B1"."""
    for file in ("SB", "B", "UP", "P", "UR", "R"):
        if key >= BASE[file]:
            return f"{file}{key - BASE[file]}"
    raise AssertionError(key)


def reg_count(reg: Reg) -> int:
    """Consecutive registers a physical address register names."""
    return 2 if "64" in reg.suffix else 1


def _inner(operand: MOperand) -> Iterator[V | Reg]:
    """Registers read by an operand that is a source."""
    if isinstance(operand, V):
        yield operand
    elif isinstance(operand, Reg):
        if operand.file != "SR" and operand.index != ZERO.get(operand.file):
            yield operand
    elif isinstance(operand, VMem | Mem):
        for part in (operand.base, operand.ureg, operand.desc):
            if part is not None and (isinstance(part, V) or part.index != ZERO.get(part.file)):
                yield part
    elif isinstance(operand, VConst):
        if operand.base is not None:
            yield operand.base
    elif isinstance(operand, Const):
        for reg in (operand.base, operand.ureg):
            if reg is not None and reg.index != ZERO.get(reg.file):
                yield reg


def reads(inst: MInst) -> tuple[V | Reg, ...]:
    """Every register read: sources, the guard, and what a call takes."""
    srcs, guard = inst.srcs, inst.guard
    known = inst.reading
    if known is not None and known[0] is srcs and known[1] is guard and known[2] is inst.implicit_reads:
        return known[3]
    out: list[V | Reg] = []
    for operand in srcs:
        kind = type(operand)
        if kind is V:
            out.append(operand)  # type: ignore[arg-type]
        elif kind is Reg:
            if operand.index != ZERO.get(operand.file) and operand.file != "SR":  # type: ignore[union-attr]
                out.append(operand)  # type: ignore[arg-type]
        elif kind is not Imm:
            out.extend(_inner(operand))
    if type(guard) is V or guard.index != 7:  # type: ignore[union-attr]
        out.append(guard)
    out.extend(inst.implicit_reads)
    found = tuple(out)
    inst.reading = srcs, guard, inst.implicit_reads, found
    return found


def parts(operand: MOperand) -> tuple[Part, ...]:
    """The parts that an operand names; none if it is no virtual register."""
    return operand.parts if type(operand) is V else ()


def parts_read(inst: MInst) -> tuple[Part, ...]:
    """The parts of virtual registers that it reads, each as often as operands name it."""
    found = reads(inst)
    known = inst.named
    if known is not None and known[0] is found:
        return known[1]
    parts = tuple([part for v in found if type(v) is V for part in v.parts])
    inst.named = found, parts
    return parts


def parts_used(function: MFunction) -> Counter[Part]:
    """How often each part is read."""
    return Counter(chain.from_iterable([parts_read(inst) for block in function.blocks for inst in block.insts]))


def writes(inst: MInst) -> tuple[V | Reg, ...]:
    """Every register written, those a call may change included."""
    dsts = inst.dsts
    known = inst.writing
    if known is not None and known[0] is dsts and known[1] is inst.implicit_writes:
        return known[2]
    out: list[V | Reg] = []
    for operand in dsts:
        if type(operand) is V or (isinstance(operand, Reg) and operand.index != ZERO.get(operand.file)):
            out.append(operand)
    out.extend(inst.implicit_writes)
    found = tuple(out)
    inst.writing = dsts, inst.implicit_writes, found
    return found


def parts_written(inst: MInst) -> list[Part]:
    """The parts of virtual registers that it writes."""
    return [part for v in writes(inst) if type(v) is V for part in v.parts]


def counted(function: MFunction) -> tuple[dict[int, int], dict[int, int]]:
    """How often each virtual register, by its id, is read and how often written."""
    uses: dict[int, int] = {}
    makers: dict[int, int] = {}
    for block in function.blocks:
        for inst in block.insts:
            for found, counts in ((reads(inst), uses), (writes(inst), makers)):
                for v in found:
                    if isinstance(v, V):
                        counts[v.reg.id] = counts.get(v.reg.id, 0) + 1
    return uses, makers


def guarded(inst: MInst) -> bool:
    """Whether the instruction may be skipped by its guard."""
    guard = inst.guard
    return guard is not TRUE and (type(guard) is V or guard.index != 7 or guard.inv)  # type: ignore[union-attr]


def is_far(inst: MInst) -> bool:
    """Whether it loads from far memory."""
    return inst.memory == "load" and inst.space not in ("shared", "local")


def waits_for_grid(inst: MInst) -> bool:
    """Whether it waits for the grid before this one (griddepcontrol.wait), after which even what a kernel loads as
    constant may be another."""
    return inst.mnemonic == "ACQBULK"


def map_operand(operand: MOperand, change: Callable[[V], MOperand]) -> MOperand:
    """The operand with every `V` in it replaced. Inside addresses the result must be a `V` or a `Reg`."""
    if isinstance(operand, V):
        return change(operand)
    if isinstance(operand, VMem):

        def part(value: V | Reg | None) -> V | Reg | None:
            if isinstance(value, V):
                new = change(value)
                assert isinstance(new, V | Reg)
                return new
            return value

        base, ureg, desc = part(operand.base), part(operand.ureg), part(operand.desc)
        if base is operand.base and ureg is operand.ureg and desc is operand.desc:
            return operand
        return VMem(base, operand.offset, ureg, desc)
    if isinstance(operand, VConst) and isinstance(operand.base, V):
        new = change(operand.base)
        assert isinstance(new, V | Reg)
        return operand if new is operand.base else evolve(operand, base=new)
    return operand


def map_reads(inst: MInst, change: Callable[[V], MOperand]) -> None:
    """Replace every virtual register that the instruction reads, guard included, in place. Where none is replaced the
    operands stay the same object, by which others know what they have found out about the instruction."""
    srcs = inst.srcs
    new = tuple([s if type(s) is Reg or type(s) is Imm else map_operand(s, change) for s in srcs])
    if any(map(is_not, new, srcs)):
        inst.srcs = new
    if isinstance(inst.guard, V):
        guard = change(inst.guard)
        assert isinstance(guard, V | Reg)
        inst.guard = guard


def map_writes(inst: MInst, change: Callable[[V], MOperand]) -> None:
    """Replace every virtual register that the instruction writes, in place; see `map_reads`."""
    dsts = inst.dsts
    new = tuple([change(d) if type(d) is V else d for d in dsts])
    if any(map(is_not, new, dsts)):
        inst.dsts = new


def renamed(instead: Mapping[int, VReg], v: V) -> V:
    """Of the register, if there is one, that stands for its own."""
    reg = instead.get(v.reg.id)
    return v if reg is None else evolve(v, reg=reg)


class Components:
    """Numbers for the 32-bit parts of the virtual registers of one function; `start[id]` is the key of part 0.
    Registers that already have a physical index (`fixed`) get the physical key."""

    def __init__(self, function: MFunction) -> None:
        self.uncoupled = function.uncoupled
        self.start: list[int] = []
        self.owner: list[int] = []
        at = VIRTUAL
        for reg in function.vregs:
            if reg.fixed is not None:
                self.start.append(BASE[reg.file] + reg.fixed)
            else:
                self.start.append(at)
                self.owner.extend([reg.id] * reg.width)
                at += reg.width
        self.end = at

    def keys(self, operand: V | Reg) -> range:
        """Keys of all registers an operand names."""
        if isinstance(operand, V):
            start = self.start[operand.reg.id] + operand.part
            return range(start, start + operand.count)
        start = BASE[operand.file] + operand.index
        return range(start, start + reg_count(operand))
