"""Tensor-core and asynchronous-copy basics: mma.sync, ldmatrix, stmatrix, movmatrix, cp.async.

Fragments are PTX vectors; the machine wants them in aligned groups of 1, 2 or 4 registers, made by copies here.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm, inv, neg
from minicc.ptxas.lower.memory import address, memory_operand
from minicc.ptxas.lower.types import ROUNDING, dotted
from minicc.ptxas.mir import ZERO, MOperand, V, VMem
from minicc.record import evolve
from minicc.sass.instr import Control, Imm, Reg

_INTEGER = {"s8": "S8", "u8": "U8"}
_HALF = {"f16": "", "bf16": "BF16", "tf32": "TF32"}
_SHAPES = {
    ("m16n8k16", "f16"): ("16816", 4, 2), ("m16n8k16", "bf16"): ("16816", 4, 2),
    ("m16n8k8", "f16"): ("1688", 2, 1), ("m16n8k8", "bf16"): ("1688", 2, 1),
    ("m16n8k8", "tf32"): ("1688", 4, 2), ("m16n8k4", "tf32"): ("1684", 2, 1),
    ("m16n8k32", "s8"): ("16832", 4, 2), ("m16n8k32", "u8"): ("16832", 4, 2),
    ("m16n8k16", "s8"): ("16816", 2, 1), ("m16n8k16", "u8"): ("16816", 2, 1),
    ("m8n8k16", "s8"): ("8816", 1, 1), ("m8n8k16", "u8"): ("8816", 1, 1),
}  # fmt: skip
"""(shape, type of A) -> printed shape, registers of A and B."""


def group(b: Builder, item: ptx.Operand, count: int) -> V | Reg:
    """A fragment in `count` consecutive registers."""
    items = item.items if isinstance(item, ptx.Vector) else (item,)
    if len(items) != count:
        b.wrong(f"Arguments mismatch: a fragment of {count} registers was expected")
    values = [b.val(i) for i in items if i is not None]
    if len(values) != count:
        b.wrong("Arguments mismatch: '_' in a fragment")
    if count == 1:
        return b.reg(values[0])
    if all(v == ZERO for v in values):
        return ZERO
    out = b.temp(count)
    for i, v in enumerate(values):
        b.move(V(out.reg, i), v)
    return out


def scatter(b: Builder, item: ptx.Operand, value: V) -> None:
    """Copy a group into the registers of a PTX vector."""
    items = item.items if isinstance(item, ptx.Vector) else (item,)
    if len(items) != value.count:
        b.wrong(f"Arguments mismatch: a fragment of {value.count} registers was expected")
    for i, target in enumerate(items):
        if target is not None:
            b.move(b.dst(target), V(value.reg, i))


_RESULTS = {
    "f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",),
    "e4m3": ("f16", "f32"), "e5m2": ("f16", "f32"), "s8": ("s32",), "u8": ("s32",), "s4": ("s32",), "u4": ("s32",),
    "b1": ("s32",),
}  # fmt: skip
"""Types of the sum by the type of A."""


_MIXED = ({"s8", "u8"}, {"s4", "u4"}, {"e4m3", "e5m2"})
"""Types that factors may have one of each."""
_CONSTANTS: dict[str, set[type]] = {
    "f16": set(), "f32": {ptx.Float}, "f64": {ptx.Float}, "s32": {ptx.Int},
}  # fmt: skip
"""Which constants may stand for the registers of a fragment, by its type. Fragments of other types take either kind
beside a register, as ptxas 13.0 does."""


def _agree(b: Builder, inst: ptx.Inst) -> None:
    """The types of a product must go together."""
    later = next((m for m in inst.modifiers if m.startswith("kind::")), None)
    if later is not None:
        b.wrong(f"Feature '.{later}' requires .target sm_120 or higher")
    words = [m for m in inst.modifiers if m in _RESULTS or m in ("f32", "s32")]
    if len(words) != 4 or words[1] not in _RESULTS:
        b.unsupported()
    d, left, right, c = words
    if right != left and {left, right} not in _MIXED:
        b.wrong("Unexpected instruction types specified for 'mma'")
    saturates = "satfinite" in inst.modifiers
    if d not in _RESULTS[left] or c not in _RESULTS[left] or (saturates and (d != "s32" or left == "b1")):
        b.wrong("Unexpected instruction types specified for 'mma'")
    layouts = [m for m in inst.modifiers if m in ("row", "col")]
    if layouts != ["row", "col"] and (left != "f16" or "m8n8k4" not in inst.modifiers or len(layouts) != 2):
        b.wrong("Illegal layout for instruction 'mma': A has rows, B columns")
    for word, operand in zip(words[1:], inst.operands[1:4], strict=False):
        items = operand.items if isinstance(operand, ptx.Vector) else (operand,)
        kinds = {type(i) for i in items} & {ptx.Int, ptx.Float}
        alone = _CONSTANTS.get(word)
        if kinds and alone is None and not any(isinstance(i, ptx.Reg) for i in items):
            b.wrong("Arguments mismatch for instruction 'mma'")
        if alone is not None and not kinds <= alone:
            b.wrong("Arguments mismatch for instruction 'mma'")


def mma(b: Builder, inst: ptx.Inst) -> None:
    """mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c"""
    mods = inst.modifiers
    shape = next((m for m in mods if m[:1] == "m" and "n" in m and "k" in m), "")
    types = [m for m in mods if m in ("f16", "bf16", "tf32", "f32", "f64", "s32", *_INTEGER)]
    _agree(b, inst)
    if "sp" in mods or any(m.startswith("sp::") for m in mods):
        sparse(b, inst, shape)
        return
    if "b1" in mods:
        bits_(b, inst, shape)
        return
    if any(m in _EIGHT for m in mods):
        eight(b, inst, shape)
        return
    if any(m in ("s4", "u4") for m in mods):
        from minicc.ptxas.lower.subbyte import nibbles

        nibbles(b, inst, shape)
        return
    if len(types) != 4 or len(inst.operands) != 4:
        b.unsupported()
    dtype, atype, btype, _ = types
    d, left, right, third = inst.operands
    if atype == "f64":
        if shape not in _DOUBLES:
            b.unsupported()
        double(b, inst, shape)
        return
    if shape == "m8n8k4":
        from minicc.ptxas.lower.octet import multiply

        multiply(b, inst)
        return
    found = _SHAPES.get((shape, atype))
    if found is None or "row" not in mods or "col" not in mods:
        b.unsupported()
    printed, size_a, size_b = found
    size_c = 2 if dtype == "f16" or shape == "m8n8k16" else 4
    x, y, z = group(b, left, size_a), group(b, right, size_b), group(b, third, size_c)
    out = b.temp(size_c)
    if atype in _INTEGER:
        saturate = "SAT" if "satfinite" in mods else ""
        op = dotted("IMMA", printed, _INTEGER[atype], _INTEGER[btype], saturate)
        x, y = evolve(x, suffix=("ROW",)), evolve(y, suffix=("COL",))
    else:
        op = dotted("HMMA", printed, dtype.upper(), _HALF[atype])
    b.emit(op, (out,), (x, y, z), side=True)
    scatter(b, d, out)


_DOUBLES = {"m8n8k4": ("8x8x4", 1, 1, 2), "m16n8k4": ("16x8x4", 2, 1, 4), "m16n8k8": ("16x8x8", 4, 2, 4),
            "m16n8k16": ("16x8x16", 8, 4, 4)}  # fmt: skip
"""Shape -> printed shape, doubles of A, B and C in a lane."""
_EIGHT = {"e4m3": "E4M3", "e5m2": "E5M2"}
_BIT_SHAPES = {"m16n8k256": ("168256", 4, 2, 4), "m16n8k128": ("168128", 2, 1, 4), "m8n8k128": ("88128", 1, 1, 2)}
_SPARSE = {
    ("m16n8k32", "f16"): ("16832", 4, 4), ("m16n8k32", "bf16"): ("16832", 4, 4), ("m16n8k16", "f16"): ("16816", 2, 2),
    ("m16n8k16", "bf16"): ("16816", 2, 2), ("m16n8k16", "tf32"): ("16816", 4, 4), ("m16n8k8", "tf32"): ("1688", 2, 2),
    ("m16n8k64", "s8"): ("16864", 4, 4), ("m16n8k64", "u8"): ("16864", 4, 4), ("m16n8k32", "s8"): ("16832", 2, 2),
    ("m16n8k32", "u8"): ("16832", 2, 2),
}  # fmt: skip
"""(shape, type of A) -> printed shape, registers of A (compressed) and B."""


def bits_(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """Single bits: and, then population count."""
    xor = "xor" in inst.modifiers
    if not (xor or "and" in inst.modifiers) or shape not in _BIT_SHAPES or len(inst.operands) != 4:
        b.unsupported()
    printed, size_a, size_b, size_c = _BIT_SHAPES[shape]
    d, left, right, third = inst.operands
    x, y, z = group(b, left, size_a), group(b, right, size_b), group(b, third, size_c)
    if xor:
        from minicc.ptxas.lower.subbyte import exclusive

        scatter(b, d, exclusive(b, printed, x, y, z, size_a, size_b, size_c))
        return
    x, y = evolve(x, suffix=("ROW",)), evolve(y, suffix=("COL",))
    out = b.temp(size_c)
    b.emit(f"BMMA.{printed}.AND.POPC", (out,), (x, y, z), side=True)
    scatter(b, d, out)


def eight(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """8-bit floats: unpacked to halves, low and high elements of each pair apart, and two products summed from zero,
    then added to the accumulator, as ptxas does (the sum differs in rounding from one product)."""
    kinds = [m for m in inst.modifiers if m in _EIGHT]
    dtype = next((m for m in inst.modifiers if m in ("f16", "f32")), "")
    sizes = {"m16n8k32": ("16816", 4, 2), "m16n8k16": ("1688", 2, 1)}.get(shape)
    if sizes is None or len(kinds) != 2 or not dtype or len(inst.operands) != 4:
        b.unsupported()
    printed, size_a, size_b = sizes
    d, left, right, third = inst.operands
    x, y = group(b, left, size_a), group(b, right, size_b)
    packed = [(x, size_a, kinds[0]), (y, size_b, kinds[1])]
    scatter(b, d, two_products(b, dotted("HMMA", printed, dtype.upper()), packed, third, [(), ()]))


def two_products(
    b: Builder, op: str, packed: list[tuple[V | Reg, int, str]], third: ptx.Operand, more: list[tuple[MOperand, ...]]
) -> V:
    """The sum of the product of the lower halves of `packed` (registers, their number, the type), that of the upper
    ones, and the third operand; `more` are further operands of each product."""
    result = "F16" if op.endswith(".F16") else "F32"
    size = 2 if result == "F16" else 4
    addend = group(b, third, size)
    total: MOperand = ZERO
    for half, operands in zip(((), ("H1",)), more, strict=True):
        halves: list[V] = []
        for words, count, kind in packed:
            out = b.temp(count)
            for k in range(count):
                word = V(words.reg, words.part + k, suffix=half) if isinstance(words, V) else ZERO
                b.emit(f"F2FP.F16.{_EIGHT[kind]}.UNPACK_B", (V(out.reg, k),), (word,))
            halves.append(out)
        product = b.temp(size)
        b.emit(op, (product,), (*halves, total, *operands), side=True)
        total = product
    assert isinstance(total, V)
    out = b.temp(size)
    for k in range(size):
        word = V(addend.reg, addend.part + k) if isinstance(addend, V) else ZERO
        b.emit("HADD2" if result == "F16" else "FADD", (V(out.reg, k),), (V(total.reg, k), word))
    return out


def sparse(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """mma.sp: two of four (or one of two) elements of A, chosen by metadata of the lanes that a selector names."""
    mods = inst.modifiers
    if len(inst.operands) != 6:
        b.unsupported()
    if "s4" in mods or "u4" in mods:
        from minicc.ptxas.lower import subbyte

        subbyte.sparse(b, inst, shape)
        return
    if any(m in _EIGHT for m in mods):
        from minicc.ptxas.lower import sparse_eight

        sparse_eight.multiply(b, inst, shape)
        return
    types = [m for m in mods if m in ("f16", "bf16", "tf32", "f32", "s32", *_INTEGER)]
    if len(types) != 4:
        b.unsupported()
    dtype, atype, btype, _ = types
    found = _SPARSE.get((shape, atype))
    if found is None:
        b.unsupported()
    printed, size_a, size_b = found
    size_c = 2 if dtype == "f16" else 4
    d, left, right, third, metadata, selector = inst.operands
    x, y, z = group(b, left, size_a), group(b, right, size_b), group(b, third, size_c)
    which = b.constant(selector)
    most = 3 if size_a == 2 or atype in ("f16", "bf16") else 1
    if atype in _INTEGER:
        most //= 3 if size_a == 2 else 2
    if which is None or not 0 <= which <= most:
        b.wrong(f"mma.sp: the selector must be a constant from 0 to {most}")
    out = b.temp(size_c)
    if atype in _INTEGER:
        op = dotted("IMMA.SP", printed, _INTEGER[atype], _INTEGER[btype], "SAT" if "satfinite" in mods else "")
        x, y = evolve(x, suffix=("ROW",)), evolve(y, suffix=("COL",))
    else:
        op = dotted("HMMA.SP", printed, dtype.upper(), _HALF[atype])
    b.emit(op, (out,), (x, y, z, b.reg(b.val(metadata)), Imm(which, "uint")), side=True)
    scatter(b, d, out)


def rounded(inst: ptx.Inst, op: str) -> str:
    """A product of doubles, with the rounding that the instruction names."""
    return dotted(op, next((ROUNDING[m] for m in inst.modifiers if m in ROUNDING), ""))


def double(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """Products of doubles."""
    d, left, right, third = inst.operands
    printed, size_a, size_b, size_c = _DOUBLES[shape]
    outs = d.items if isinstance(d, ptx.Vector) else (d,)
    if len(outs) != size_c:
        b.wrong("Arguments mismatch for instruction 'mma'")
    x, y, z = _doubles(b, left, size_a), _doubles(b, right, size_b), _doubles(b, third, size_c)
    result = b.temp(2 * size_c)
    result.reg.spillable = size_c == 2
    b.emit(rounded(inst, f"DMMA.{printed}"), (result,), (x, y, z), side=True)
    for i, item in enumerate(outs):
        if item is not None:
            b.move64(b.dst(item), V(result.reg, 2 * i), V(result.reg, 2 * i + 1))


def _doubles(b: Builder, item: ptx.Operand, count: int) -> V | Reg:
    """Doubles of a lane in consecutive registers."""
    items = item.items if isinstance(item, ptx.Vector) else (item,)
    if len(items) != count or any(i is None for i in items):
        b.wrong("Arguments mismatch for instruction 'mma'")
    if count == 1 and items[0] is not None:
        return b.pair(items[0], "f64")
    out = b.temp(2 * count)
    out.reg.spillable = count <= 2
    out.reg.align = max(8, 2 * count)
    for i, each in enumerate(items):
        assert each is not None
        for part, value in enumerate(b.val64(each, "f64")):
            b.move(V(out.reg, 2 * i + part), value)
    return out


def _count(b: Builder, inst: ptx.Inst) -> tuple[int, str, str]:
    """(matrices, printed layout, printed count)"""
    if "m8n8" not in inst.modifiers:
        b.unsupported()
    count = next((int(m[1]) for m in inst.modifiers if m in ("x1", "x2", "x4")), 1)
    return count, "MT88" if "trans" in inst.modifiers else "M88", "" if count == 1 else str(count)


def ldmatrix(b: Builder, inst: ptx.Inst) -> None:
    """ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {d...}, [a]"""
    count, layout, number = _count(b, inst)
    d, where = inst.operands
    out = b.temp(count)
    memory = memory_operand(b, where, "shared")
    b.emit(dotted("LDSM.16", layout, number), (out,), (memory,), memory="load", space="shared", side=True)
    scatter(b, d, out)


def stmatrix(b: Builder, inst: ptx.Inst) -> None:
    """stmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 [a], {s...}"""
    count, layout, number = _count(b, inst)
    where, source = inst.operands
    value = group(b, source, count)
    memory = memory_operand(b, where, "shared")
    b.emit(dotted("STSM.16", layout, number), (), (memory, value), memory="store", space="shared")


def movmatrix(b: Builder, inst: ptx.Inst) -> None:
    """movmatrix.sync.aligned.m8n8.trans.b16 d, a"""
    d, source = inst.operands
    b.emit("MOVM.16.MT88", (b.dst(d),), (b.reg(b.val(source)),), side=True)


SCOREBOARD = 0
"""The scoreboard that counts groups of asynchronous copies, as ptxas uses it."""
COPY_OFFSET, COPY_TO = 1 << 11, 1 << 19
"""LDGSTS has twelve signed bits for the offset of what it reads, and twenty for that of what it writes."""


def copy(b: Builder, inst: ptx.Inst) -> None:
    """cp.async{.ca,.cg}.shared.global [d], [s], size{, source size}; commit_group, wait_group, wait_all."""
    mods = inst.modifiers
    if "bulk" in mods:
        from minicc.ptxas.lower.bulk import bulk

        bulk(b, inst)
        return
    if "mbarrier" in mods:
        from minicc.ptxas.lower.mbarrier import copy_arrive

        copy_arrive(b, inst)
        return
    if "commit_group" in mods or "wait_all" in mods or "wait_group" in mods:
        groups = 0
        if "wait_group" in mods:
            groups = max(0, b.constant(inst.operands[0]) or 0)
        if "wait_group" not in mods:
            mark = b.emit("LDGDEPBAR", side=True, memory="barrier", space="shared")
            mark.control = Control(wbar=SCOREBOARD)
        if "commit_group" not in mods:
            wait = (Reg("SB", SCOREBOARD), Imm(min(groups, 63), "uint"))
            b.emit("DEPBAR.LE", (), wait, side=True, memory="barrier", space="shared")
        return
    if "async" not in mods or "global" not in mods or len(inst.operands) < 3:
        b.unsupported()
    to, source, size_, *rest = inst.operands
    if "L2::cache_hint" in mods:
        rest.pop()  # only a hint
    size = b.constant(size_)
    if size not in (4, 8, 16):
        b.wrong("cp.async: the size must be 4, 8 or 16")
    target = VMem(*address(b, to, "shared", COPY_TO))
    memory = memory_operand(b, source, "global", COPY_OFFSET)
    width = {4: "", 8: "64", 16: "128"}[size]
    head = dotted("LDGSTS.E", "BYPASS" if "cg" in mods else "", _prefetch(inst), width)
    if not rest or (b.constant(rest[0]) == size):
        b.emit(head, (), (target, memory), memory="store", space="shared")
        return
    operands: tuple[MOperand, ...]
    known = b.constant(rest[0])
    # A partial copy is a whole one from an address moved up by the bytes that are missing; the unit fills by it.
    if isinstance(rest[0], ptx.Reg) and b.vreg(rest[0].name).file == "P":
        operands = (target, memory, inv(b.pred_of(rest[0])))
    elif known is not None and 0 < known < size and memory.offset < COPY_OFFSET - size:
        operands = (target, evolve(memory, offset=memory.offset + size - known))
    else:
        count = b.reg(b.val(rest[0]))
        missing = b.logic(b.new("IADD3", neg(count), imm(size), ZERO), imm(size - 1), 0xC0)
        present = b.setp("ISETP.NE.U32.AND", count, ZERO)
        assert isinstance(memory.base, V)
        moved = b.temp(2)
        b.add64(moved, (V(memory.base.reg, 0), V(memory.base.reg, 1)), (missing, ZERO))
        memory = VMem(V(moved.reg, 0, 2, suffix=("64",)), memory.offset, None, memory.desc)
        operands = (target, memory, present)
    b.emit(dotted(head, "ZFILL"), (), operands, memory="store", space="shared")


def _prefetch(inst: ptx.Inst) -> str:
    from minicc.ptxas.lower.memory import PREFETCH

    return next((PREFETCH[m] for m in inst.modifiers if m in PREFETCH), "")


def branches(inst: ptx.Inst) -> bool:
    """What one lane at a time does makes blocks."""
    mods = inst.modifiers
    return inst.opcode == "cp" and ("mbarrier" in mods or ("bulk" in mods and "wait_group" not in mods))


LOWER = {"mma": mma, "ldmatrix": ldmatrix, "stmatrix": stmatrix, "movmatrix": movmatrix, "cp": copy}
