"""Warpgroup matrix multiply: wgmma.mma_async and its fences, groups and waits (sm_90a).

The machine reads A and adds to D long after the instruction has issued, until WARPGROUP.DEPBAR says that its group is
done. As ptxas 13.0 does it: a fence is WARPGROUP.ARRIVE, both descriptors go into four uniform registers, the HGMMA (or
QGMMA, IGMMA, BGMMA) that ends a group carries gsb0, and a wait is WARPGROUP.DEPBAR.LE gsb0, n.

`plan` gives each accumulator, and each fragment of A, one aligned group of registers that stands for its PTX registers
everywhere (`substitute`); a list that shares registers with another one is copied, and its multiply waited for at once.
`warpgroup.finish` then ends the groups and tells the passes behind what is under way.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower import uniform
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.lower.warpgroup import COMMIT, GSB
from minicc.ptxas.mir import ZERO, MFunction, MOperand, V, VMem, VReg
from minicc.ptxas.operands import map_reads, map_writes
from minicc.record import evolve
from minicc.sass.instr import Imm, Reg

_ALWAYS, _NEVER = Reg("UP", 7), Reg("UP", 7, inv=True)
_HALF = {"f16": "", "bf16": "BF16", "tf32": "TF32"}
_EIGHT = {"e4m3": "E4M3", "e5m2": "E5M2"}
_BYTES = {"s8": "S8", "u8": "U8"}
_TYPES = frozenset({"f32", "s32", "b1", *_HALF, *_EIGHT, *_BYTES})
_DEPTH = {**dict.fromkeys(("f16", "bf16"), 16), "tf32": 8, **dict.fromkeys((*_EIGHT, *_BYTES), 32), "b1": 256}
"""Columns of A that a dense multiply takes, by its type."""
_FLAGS = ("negA", "negB", "tnspA", "tnspB")
_MOST = 7
"""Groups that a wait can leave under way."""


class Plan:
    """`place`: PTX register -> (group, number in it). `groups`: the registers of a list -> its group. `truth`:
    predicates that have one definition, a constant."""

    def __init__(
        self,
        place: dict[str, tuple[VReg, int]] | None = None,
        groups: dict[tuple[str, ...], VReg] | None = None,
        truth: dict[str, bool] | None = None,
    ) -> None:
        self.place: dict[str, tuple[VReg, int]] = {} if place is None else place
        self.groups: dict[tuple[str, ...], VReg] = {} if groups is None else groups
        self.truth: dict[str, bool] = {} if truth is None else truth


def _names(operand: ptx.Operand) -> tuple[str, ...] | None:
    """The registers of a list, if it holds nothing else and none twice."""
    if not isinstance(operand, ptx.Vector):
        return None
    names = tuple(i.name for i in operand.items if isinstance(i, ptx.Reg))
    return names if len(names) == len(operand.items) and len(set(names)) == len(names) else None


def plan(b: Builder) -> Plan:
    """The groups of a function's accumulators, then of its fragments of A; a register belongs to the first one."""
    out = Plan()
    multiplies = [
        s for s in b.flat.statements
        if isinstance(s, ptx.Inst) and s.opcode == "wgmma" and "mma_async" in s.modifiers and len(s.operands) > 3
    ]  # fmt: skip
    for number in (0, 1):
        for inst in multiplies:
            names = _names(inst.operands[number])
            if not names or names in out.groups or any(n in out.place or n in b.constants for n in names):
                continue
            if any(b.flat.type_of(n) not in ("b32", "f32", "u32", "s32") for n in names):
                continue
            group = out.groups[names] = _fresh(b, len(names))
            out.place.update((n, (group, i)) for i, n in enumerate(names))
    if multiplies:
        out.truth = _truth(b)
    return out


def _fresh(b: Builder, width: int) -> VReg:
    group = b.fn.new("R", width, "gmma")
    group.spillable = False
    return group


def _truth(b: Builder) -> dict[str, bool]:
    made: dict[str, bool | None] = {}
    for inst in b.flat.statements:
        if isinstance(inst, ptx.Inst) and inst.operands and inst.opcode not in ("st", "red", "bra"):
            d = inst.operands[0]
            first = d.first if isinstance(d, ptx.Pair) else d
            for operand in (first, d.second if isinstance(d, ptx.Pair) else None):
                if isinstance(operand, ptx.Reg) and b.flat.type_of(operand.name) == "pred":
                    single = operand.name not in made and inst.guard is None and operand is first
                    made[operand.name] = _known(b, inst) if single else None
    return {name: value for name, value in made.items() if value is not None}


def _known(b: Builder, inst: ptx.Inst) -> bool | None:
    """The value of a predicate that `mov`, or `setp.ne` or `setp.eq` of constants, makes."""
    values = [b.constant(o) for o in inst.operands[1:]]
    if inst.opcode == "mov" and len(values) == 1 and values[0] is not None:
        return values[0] != 0
    if inst.opcode == "setp" and len(values) == 2 and len(inst.modifiers) == 2 and inst.modifiers[0] in ("ne", "eq"):
        left, right = values
        if left is not None and right is not None:
            return (left != right) == (inst.modifiers[0] == "ne")
    return None


def wgmma(b: Builder, inst: ptx.Inst) -> None:
    """wgmma.{fence,commit_group,wait_group,mma_async}"""
    mods = inst.modifiers
    if ("fence" in mods or "commit_group" in mods) and inst.operands:
        b.wrong(f"Arguments mismatch for instruction 'wgmma.{mods[0]}'")
    if "fence" in mods:
        b.emit("WARPGROUP.ARRIVE", side=True)
    elif "commit_group" in mods:
        b.emit(COMMIT, side=True)
    elif "wait_group" in mods:
        _wait(b, b.constant(inst.operands[0]) or 0)
    elif "mma_async" in mods:
        _multiply(b, inst)
    else:
        b.unsupported()


def _wait(b: Builder, groups: int) -> None:
    b.emit(
        "WARPGROUP.DEPBAR.LE", (), (GSB, Imm(min(groups, _MOST), "uint")), side=True, memory="barrier", space="shared"
    )


def _multiply(b: Builder, inst: ptx.Inst) -> None:
    """wgmma.mma_async{.sp}.sync.aligned.shape.dtype.atype.btype d, a, b-desc, {metadata, selector,} scale-d, ..."""
    mods = inst.modifiers
    shape = next((m for m in mods if m.startswith("m64n") and "k" in m), "")
    types = [m for m in mods if m in _TYPES]
    if len(types) != 3 or not shape or len(inst.operands) < 4 or any(m.startswith("kind::") for m in mods):
        b.unsupported()
    columns, depth = (int(part) for part in shape[4:].split("k"))
    d, left, right, *rest = inst.operands
    metadata: tuple[MOperand, ...] = ()
    if "sp" in mods:
        which = b.constant(rest[1]) if len(rest) > 2 else None
        if which is None or not 0 <= which <= (types[1] in _HALF):
            b.wrong("wgmma.mma_async.sp: the selector must be 0, or 1 for halves")
        metadata = (b.reg(b.val(rest[0])), Imm(which, "uint"))
        rest = rest[2:]
    _agree(b, shape, depth, types, mods)
    op = _operation(b, columns, depth, types, mods)
    size = columns // 4 if types[0] == "f16" else columns // 2
    items = d.items if isinstance(d, ptx.Vector) else (d,)
    if len(items) != size:
        b.wrong(f"Arguments mismatch: an accumulator of {size} registers was expected")
    from_registers = isinstance(left, ptx.Vector)
    # Negations of A and B, then transpositions; a fragment of A has no transposition.
    numbers = _numbers(b, rest, types[1], from_registers)
    set_ = [n < 0 for n in numbers[:2]] + [n != 0 for n in numbers[2:]]
    if from_registers and len(set_) > 2:
        set_.insert(2, False)
    negative = from_registers and set_[:1] == [True]
    if negative:
        set_[0] = False
    # With A in registers the lower pair counts for nothing.
    words = (*((None, None) if from_registers else b.val64(left)), *b.val64(right))
    descriptors = uniform.group(b, words, side=True)
    flags = tuple(name for name, is_set in zip(_FLAGS, set_, strict=False) if is_set)
    where = VMem(None, 0, None, V(descriptors.reg, 0, len(words), suffix=flags))
    scale = _scale(b, rest[0])
    accumulator, own = _registers(b, d, fill=scale != _NEVER)
    srcs: tuple[MOperand, ...] = (where,)
    if from_registers:
        fragment, _ = _registers(b, left, fill=True)
        srcs = (evolve(fragment, neg=negative), where)
    third = ZERO if scale == _NEVER else accumulator
    b.emit(op, (accumulator,), (*srcs, third, scale, *metadata), side=True)
    if not own:
        _wait(b, 0)
        for i, item in enumerate(items):
            if item is not None:
                b.move(b.dst(item), V(accumulator.reg, i))


def _agree(b: Builder, shape: str, depth: int, types: list[str], mods: tuple[str, ...]) -> None:
    """Types that do not go together, or not with the shape."""
    result, left, right = types
    family = next((f for f in (_EIGHT, _BYTES) if left in f), (left,))
    narrow = ("f16", "f32") if left in ("f16", *_EIGHT) else ("f32",)
    if left not in _DEPTH or right not in family or result not in (narrow if left in (*_HALF, *_EIGHT) else ("s32",)):
        b.wrong("Unexpected instruction types specified for 'wgmma.mma_async'")
    sparse = "sp" in mods
    if depth != _DEPTH[left] * (2 if sparse else 1) or (sparse and left == "b1"):
        b.wrong(f"Illegal instruction types specified for 'wgmma.mma_async' with shape '.{shape}'")
    if "satfinite" in mods and left not in _BYTES:
        b.wrong("Illegal modifier '.satfinite' for instruction 'wgmma.mma_async'")


def _numbers(b: Builder, rest: list[ptx.Operand], kind: str, from_registers: bool) -> list[int]:
    """What follows scale-d: signs of floats, transpositions of halves (of A only in shared memory)."""
    signs = 2 if kind in (*_HALF, *_EIGHT) else 0
    turns = (1 if from_registers else 2) if kind in ("f16", "bf16") else 0
    numbers = [b.constant(o) for o in rest[1:]]
    right = len(numbers) == signs + turns and all(n in (-1, 1) for n in numbers[:signs])
    if not right or not all(n in (0, 1) for n in numbers[signs:]):
        b.wrong("Arguments mismatch for instruction 'wgmma.mma_async'")
    if isinstance(rest[0], ptx.Int) and rest[0].value not in (0, 1):
        b.wrong("scale-d of 'wgmma.mma_async' is a predicate, 0 or 1")
    return [n or 0 for n in numbers]


def _operation(b: Builder, columns: int, depth: int, types: list[str], mods: tuple[str, ...]) -> str:
    dtype, left, right = types
    shape = f"64x{columns}x{depth}"
    sparse = "SP" if "sp" in mods else ""
    if left in _HALF:
        return dotted("HGMMA", sparse, shape, dtype.upper(), _HALF[left])
    if left in _EIGHT:
        return dotted("QGMMA", sparse, shape, dtype.upper(), _EIGHT[left], _EIGHT[right])
    if left in _BYTES:
        return dotted("IGMMA", sparse, shape, _BYTES[left], _BYTES[right], "SAT" if "satfinite" in mods else "")
    if "and" not in mods:
        b.unsupported()
    return dotted("BGMMA", shape, "AND.POPC")


def _registers(b: Builder, operand: ptx.Operand, *, fill: bool) -> tuple[V, bool]:
    """(the group of a list, whether it stands for the PTX registers); if not, they are copied into it."""
    items = operand.items if isinstance(operand, ptx.Vector) else (operand,)
    found = b.gmma.groups.get(_names(operand) or ())
    if found is not None:
        return V(found, 0, found.width), True
    group = _fresh(b, len(items))
    if fill:
        for i, item in enumerate(items):
            if item is not None:
                b.move(V(group, i), b.val(item, "b32"))
    return V(group, 0, group.width), False


def _scale(b: Builder, operand: ptx.Operand) -> MOperand:
    """scale-d: whether the accumulator is added to."""
    if isinstance(operand, ptx.Int):
        return _ALWAYS if operand.value else _NEVER
    if isinstance(operand, ptx.Reg):
        known = b.gmma.truth.get(operand.name)
        if known is not None:
            return _ALWAYS if known != operand.neg else _NEVER
    out = V(b.fn.new("UP"))
    b.emit("VOTEU.ANY", (Reg("UR", 63), out), (b.pred_of(operand),), side=True)
    return out


def substitute(b: Builder, function: MFunction) -> None:
    """Let the groups stand for their PTX registers."""
    table = {b.regs[name].id: place for name, place in b.gmma.place.items() if name in b.regs}
    if not table:
        return

    def change(v: V) -> V:
        found = table.get(v.reg.id)
        return v if found is None else evolve(v, reg=found[0], part=found[1])

    for block in function.blocks:
        for inst in block.insts:
            map_reads(inst, change)
            map_writes(inst, change)


LOWER = {"wgmma": wgmma}
