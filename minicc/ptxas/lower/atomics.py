"""atom and red in every space.

Global: ATOMG, or REDG where the old value is not wanted. Shared: ATOMS for what the hardware has, else a loop of CAS.
Generic: ATOM for plain integer operations; what has no generic form asks QSPC which window the address is in.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, Pair, imm, inv
from minicc.ptxas.lower.integer import compare64
from minicc.ptxas.lower.memory import SCOPES, cluster_memory, fence_words, memory_operand, quad, space_of
from minicc.ptxas.lower.types import bits, dotted, type_of
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MOperand, V, VMem
from minicc.sass.instr import Reg

_NAMES = {
    "add": "ADD", "min": "MIN", "max": "MAX", "inc": "INC", "dec": "DEC", "and": "AND", "or": "OR", "xor": "XOR",
    "exch": "EXCH", "cas": "CAS",
}  # fmt: skip
_FLOAT = {
    "f32": "F32.FTZ.RN", "f64": "F64.RN", "f16x2": "F16x2.RN", "bf16x2": "BF16x2.RN",
}  # fmt: skip


def _operation(inst: ptx.Inst) -> str:
    return next(m for m in inst.modifiers if m in _NAMES)


def _size(type_: str, op: str) -> str:
    """The printed type of an integer operation."""
    signed = type_[0] == "s" and op in ("min", "max")
    if bits(type_) == 64:
        return "S64" if signed else "64"
    return "S32" if signed else ""


def native(space: str, op: str, type_: str) -> bool:
    """Does the hardware have the operation in this space as one instruction?"""
    if bits(type_) < 32:
        return False
    if space == "shared":
        if type_ in _FLOAT:
            return False
        if bits(type_) == 64:
            return op in ("exch", "cas")
        return True
    if space == "global":
        return True
    return type_ not in _FLOAT and (bits(type_) == 32 or op in ("cas", "exch"))


def atom(b: Builder, inst: ptx.Inst) -> None:
    """atom and red."""
    if "async" in inst.modifiers:
        from minicc.ptxas.lower.mbarrier import store_async

        store_async(b, inst)
        return
    op, type_, space = _operation(inst), type_of(inst), space_of(inst)
    if inst.opcode == "red":
        where, *values = inst.operands
        d: ptx.Operand | None = None
    else:
        d, where, *values = inst.operands
        if isinstance(d, ptx.Symbol) and d.name == "_":
            d = None
    if any(m in inst.modifiers for m in ("v2", "v4", "v8")):
        vector(b, inst, d, where, values[0])
        return
    width = bits(type_)
    if width == 128:
        wide(b, inst, op, space, d, where, values)
        return
    if "shared::cluster" in inst.modifiers:
        distant(b, inst, op, type_, d, where, values)
        return
    if width < 32 and op == "cas":
        small_cas(b, space, d, where, values)
        return
    if width not in (32, 64) or type_ in ("f16", "bf16"):
        if type_ in ("f16", "bf16") and op == "add":
            half_add(b, space, d, where, values, type_)
            return
        b.unsupported()
    if type_ in _FLOAT and op not in (("add", "exch", "cas") if type_ in ("f32", "f64") else ("add",)):
        b.unsupported()
    if type_ in ("f32", "f64") and op != "add":
        type_ = type_.replace("f", "b")
    # A cache policy may follow the operands; it is a hint.
    values = values[: 2 if op == "cas" else 1]
    order = next((m for m in inst.modifiers if m in ("acquire", "release", "acq_rel")), "")
    scope = next((m for m in inst.modifiers if m in SCOPES), "gpu")
    if order in ("release", "acq_rel"):
        fence_words(b, "ALL", scope, False)
    operands = [b.pair(v, type_) if width == 64 else b.reg(b.val(v, type_)) for v in values]
    out = b.dst(d) if d is not None else None
    if native(space, op, type_):
        issue(b, space, op, type_, out, where, operands, SCOPES[scope])
    elif space == "shared":
        loop(b, VMem(*_near(b, where)), "shared", op, type_, out, operands)
    else:
        generic(b, op, type_, out, where, operands, SCOPES[scope])
    if order in ("acquire", "acq_rel"):
        b.emit("CCTL.IVALL", memory="fence")


CLUSTER = "cluster"
"""As a space: shared memory of any block of the cluster."""


def distant(
    b: Builder,
    inst: ptx.Inst,
    op: str,
    type_: str,
    d: ptx.Operand | None,
    where: ptx.Operand,
    values: list[ptx.Operand],
) -> None:
    """Shared memory of any block of the cluster, through generic addresses: integers of 32 bits, exchanges and
    compare-and-swap are single instructions there, the rest loops around one."""
    scope = SCOPES[next((m for m in inst.modifiers if m in SCOPES), "gpu")]
    width = bits(type_)
    if width == 16 and op == "cas":
        small_cas(b, CLUSTER, d, where, values)
        return
    if type_ in ("f16", "bf16") and op == "add":
        half_add(b, CLUSTER, d, where, values, type_)
        return
    if width not in (32, 64):
        b.unsupported()
    if type_ in ("f32", "f64") and op != "add":
        type_ = type_.replace("f", "b")
    memory = cluster_memory(b, where)
    operands = [b.pair(v, type_) if width == 64 else b.reg(b.val(v, type_)) for v in values[: 2 if op == "cas" else 1]]
    out = b.dst(d) if d is not None else None
    if type_ not in _FLOAT and (width == 32 or op in ("exch", "cas")):
        issue(b, "", op, type_, out, where, operands, scope, memory)
    else:
        loop(b, memory, "", op, type_, out, operands)


def wide(
    b: Builder, inst: ptx.Inst, op: str, space: str, d: ptx.Operand | None, where: ptx.Operand,
    values: list[ptx.Operand],
) -> None:  # fmt: skip
    """128 bits: exchange, compare and swap."""
    if op not in ("exch", "cas"):
        b.unsupported()
    if "shared::cluster" in inst.modifiers:
        space, memory = "", cluster_memory(b, where)
    else:
        memory = memory_operand(b, where, space)
    scope = SCOPES[next((m for m in inst.modifiers if m in SCOPES), "gpu")]
    operands = [quad(b, v) for v in values[: 2 if op == "cas" else 1]]
    name, out = _NAMES[op], b.temp(4) if d is None else b.dst(d)
    if any(v.count != 4 for v in (out, *operands)):
        b.wrong("Arguments mismatch: a 128-bit register was expected")
    if space == "shared":
        b.emit(f"ATOMS.{name}.128", (out,), (memory, *operands), memory="atomic", space="shared")
        return
    unit = "ATOMG" if space == "global" else "ATOM"
    place = _plain(memory) if op == "cas" else memory
    b.emit(f"{unit}.E.{name}.128.STRONG.{scope}", (TRUE, out), (place, *operands), memory="atomic", space=space)


_VECTORS = {
    ("f32", 2): "F32x2.FTZ.RN", ("f32", 4): "F32x4.FTZ.RN", ("f16", 2): "F16x2.RN", ("bf16", 2): "BF16x2.RN",
    ("f16", 4): "F16x4.RN", ("bf16", 4): "BF16x4.RN", ("f16", 8): "F16x8.RN", ("bf16", 8): "BF16x8.RN",
}  # fmt: skip


def vector(b: Builder, inst: ptx.Inst, d: ptx.Operand | None, where: ptx.Operand, value: ptx.Operand) -> None:
    """atom and red of .v2, .v4, .v8: floats in global memory, by generic addresses too."""
    op, type_, mods = _operation(inst), type_of(inst), inst.modifiers
    count = int(next(m for m in mods if m in ("v2", "v4", "v8"))[1])
    element, many = (type_[:-2], 2 * count) if type_.endswith("x2") else (type_, count)
    kind = _VECTORS.get((element, many))
    items = value.items if isinstance(value, ptx.Vector) else ()
    if kind is None or op not in ("add", "min", "max") or space_of(inst) not in ("", "global") or len(items) != count:
        b.unsupported()
    given = [b.reg(b.val(i, type_ if type_ == "f32" else "b32")) for i in items if i is not None]
    if type_ in ("f16", "bf16"):
        given = [b.new("PRMT", given[k], imm(0x5410), given[k + 1]) for k in range(0, count, 2)]
    order = next((m for m in mods if m in ("acquire", "release", "acq_rel")), "")
    scope = next((m for m in mods if m in SCOPES), "gpu")
    if order in ("release", "acq_rel"):
        fence_words(b, "ALL", scope, False)
    data = given[0]
    if len(given) > 1:
        data = b.temp(len(given))
        for k, word in enumerate(given):
            b.move(V(data.reg, k), word)
    space = space_of(inst)
    memory = memory_operand(b, where, space)
    tail = dotted(_NAMES[op], kind, f"STRONG.{SCOPES[scope]}")
    if d is None and space:
        b.emit(f"REDG.E.{tail}", (), (memory, data), memory="atomic", space=space)
    elif d is None:
        b.emit(f"ATOM.E.{tail}", (TRUE, ZERO), (memory, data), memory="atomic", space=space, side=True)
    else:
        outs = d.items if isinstance(d, ptx.Vector) else ()
        if len(outs) != count:
            b.wrong("Arguments mismatch for instruction 'atom'")
        out = b.temp(len(given))
        unit = "ATOMG" if space else "ATOM"
        b.emit(f"{unit}.E.{tail}", (TRUE, out), (memory, data), memory="atomic", space=space, side=True)
        for k, target in enumerate(outs):
            if target is None or isinstance(target, ptx.Symbol):
                continue
            if type_ in ("f16", "bf16"):
                b.emit("PRMT", (b.dst(target),), (V(out.reg, k // 2), imm(0x7732 if k & 1 else 0x7710), ZERO))
            else:
                b.move(b.dst(target), V(out.reg, k))
    if order in ("acquire", "acq_rel"):
        b.emit("CCTL.IVALL", memory="fence")


def _near(b: Builder, where: ptx.Operand) -> tuple[V | Reg, int]:
    from minicc.ptxas.lower.memory import address

    return address(b, where, "shared")


def issue(
    b: Builder, space: str, op: str, type_: str, out: V | None, where: ptx.Operand, operands: list[V | Reg],
    scope: str, memory: VMem | None = None,
) -> None:  # fmt: skip
    """One hardware atomic."""
    if memory is None:
        memory = memory_operand(b, where, space)
    name = _NAMES[op]
    result: MOperand = out if out is not None else ZERO
    if space == "shared":
        size = {"": "", "S32": "S32", "64": "64", "S64": "64"}[_size(type_, op)]
        b.emit(dotted(f"ATOMS.{name}", size), (result,), (memory, *operands), memory="atomic", space="shared")
        return
    unit = "ATOMG" if space == "global" else "ATOM"
    strength = f"STRONG.{scope}"
    if type_ in _FLOAT:
        kind = _FLOAT[type_]
    else:
        kind = _size(type_, op)
    if op == "cas":
        plain = _plain(memory)
        words = dotted(f"{unit}.E.CAS", kind, strength)
        b.emit(words, (TRUE, result), (plain, *operands), memory="atomic", space=space)
    elif out is None and space == "global" and op != "exch":
        b.emit(dotted(f"REDG.E.{name}", kind, strength), (), (memory, *operands), memory="atomic", space=space)
    else:
        words = dotted(f"{unit}.E.{name}", kind, strength)
        b.emit(words, (TRUE, result), (memory, *operands), memory="atomic", space=space)


def _plain(memory: VMem) -> VMem:
    """CAS has no descriptor form: [R + offset] with a 64-bit register pair."""
    base = memory.base
    if isinstance(base, V):
        base = V(base.reg, base.part, base.count)
    return VMem(base, memory.offset)


def combine(b: Builder, op: str, type_: str, old: V, operands: list[V | Reg]) -> MOperand:
    """The new value that an operation makes of the old one, in registers."""
    width = bits(type_)
    value: MOperand = operands[0]
    out = b.temp(width // 32)
    if type_ == "f32":
        b.emit("FADD", (out,), (value, old))
    elif type_ == "f64":
        b.emit("DADD", (out,), (value, old))
    elif type_ in ("f16x2", "bf16x2"):
        b.emit("HADD2" if type_ == "f16x2" else "HADD2.BF16_V2", (out,), (value, old))
    elif width == 64:
        x: Pair = (V(old.reg, 0), V(old.reg, 1))
        y: Pair = (V(value.reg, 0), V(value.reg, 1)) if isinstance(value, V) else (ZERO, ZERO)
        if op == "add":
            b.add64(out, x, y)
        elif op in ("min", "max"):
            p: MOperand = compare64(b, "LT", type_[0] == "s", x, y)
            p = p if op == "min" else inv(p)
            for i in (0, 1):
                b.select(V(out.reg, i), x[i], y[i], p)
        elif op == "exch":
            b.move64(out, *y)
        elif op == "cas":
            return operands[1]
        else:
            lut = {"and": 0xC0, "or": 0xFC, "xor": 0x3C}[op]
            for i in (0, 1):
                b.lop(V(out.reg, i), x[i], y[i], ZERO, lut)
    elif op == "add":
        b.op("IADD3", out, old, value, ZERO)
    elif op in ("min", "max"):
        b.emit(dotted("VIMNMX", "" if type_[0] == "s" else "U32"), (out,), (old, value, TRUE if op == "min" else FALSE))
    elif op == "exch":
        b.move(out, value)
    elif op == "cas":
        return operands[1]
    elif op in ("inc", "dec"):
        step = b.new("IADD3", old, imm(1 if op == "inc" else -1), ZERO)
        if op == "inc":
            p = b.setp("ISETP.GE.U32.AND", old, value)
            b.select(out, ZERO, step, p)
        else:
            p = b.setp("ISETP.GT.U32.AND", old, value)
            p = b.setp("ISETP.EQ.U32.OR", old, ZERO, p)
            b.select(out, value, step, p)
    else:
        b.lop(out, old, value, ZERO, {"and": 0xC0, "or": 0xFC, "xor": 0x3C}[op])
    return out


def loop(
    b: Builder, memory: VMem, space: str, op: str, type_: str, out: V | None, operands: list[V | Reg],
    make: Callable[[V], MOperand] | None = None,
) -> None:  # fmt: skip
    """Load, combine, compare and swap until nobody came between. Shared memory has a form that says whether it did (1)
    or not, and holds others back meanwhile: 256 threads that add to one word come through in a third of the time."""
    words = bits(type_) // 32
    old, seen = b.temp(words), b.temp(words)
    suffix = "64" if words == 2 else ""
    again = b.label("atom")
    if space == "shared":
        b.start(again)
        b.emit(dotted("LDS", suffix), (old,), (memory,), memory="load", space="shared", side=True)
        new = make(old) if make is not None else combine(b, op, type_, old, operands)
        b.emit(dotted("ATOMS.CAST.SPIN", suffix), (seen,), (memory, old, new), memory="atomic", space="shared")
        failed = b.setp("ISETP.NE.U32.AND", V(seen.reg, 0), imm(1))
        if words == 2:
            failed = b.setp("ISETP.NE.U32.AND.EX", V(seen.reg, 1), ZERO, TRUE, (failed,))
        b.jump(again, failed)
    else:
        b.emit(dotted("LD.E", suffix, "STRONG.GPU"), (old,), (memory,), memory="load", space=space, side=True)
        b.start(again)
        new = make(old) if make is not None else combine(b, op, type_, old, operands)
        words_ = dotted("ATOM.E.CAS", suffix, "STRONG.GPU")
        b.emit(words_, (TRUE, seen), (_plain(memory), old, new), memory="atomic", space=space)
        changed = b.setp("ISETP.NE.U32.AND", V(seen.reg, 0), V(old.reg, 0))
        if words == 2:
            changed = b.setp("ISETP.NE.U32.AND.EX", V(seen.reg, 1), V(old.reg, 1), TRUE, (changed,))
        for i in range(words):
            b.move(V(old.reg, i), V(seen.reg, i))
        b.jump(again, changed)
    if out is not None:
        for i in range(words):
            b.move(V(out.reg, i), V(old.reg, i))


def generic(
    b: Builder, op: str, type_: str, out: V | None, where: ptx.Operand, operands: list[V | Reg], scope: str
) -> None:
    """An operation without a generic form: by the window that the address is in."""
    memory = memory_operand(b, where, "")
    base = memory.base
    assert isinstance(base, V)
    shared, done = b.label("atom_shared"), b.label("atom_done")
    p = b.pred()
    b.emit("QSPC.E.S", (p, ZERO), (VMem(V(base.reg, base.part, 2), memory.offset),))
    result = b.temp(bits(type_) // 32) if out is not None else None
    b.jump(shared, p)
    if b.symbols.clusters:
        # Another block's shared memory: the generic compare-and-swap reaches it.
        q = b.pred()
        b.emit("QSPC.E.D", (q, ZERO), (VMem(V(base.reg, base.part, 2), memory.offset),))
        here = b.label("atom_here")
        b.jump(here, inv(q))
        loop(b, memory, "", op, type_, result, operands)
        b.jump(done)
        b.start(here)
    issue(b, "global", op, type_, result, where, operands, scope, memory)
    b.start_cold(shared)
    _own(b, base, memory.offset, op, type_, result, where, operands, scope)
    b.resume(done)
    _handed(b, out, result)


def _own(
    b: Builder, base: V, offset: int, op: str, type_: str, result: V | None, where: ptx.Operand,
    operands: list[V | Reg], scope: str,
) -> None:  # fmt: skip
    """On a generic address that is in the block's own shared memory."""
    near = VMem(V(base.reg, base.part), offset)
    if native("shared", op, type_):
        issue(b, "shared", op, type_, result, where, operands, scope, near)
    else:
        loop(b, near, "shared", op, type_, result, operands)


def _handed(b: Builder, out: V | None, result: V | None) -> None:
    if out is not None and result is not None:
        for i in range(out.count):
            b.move(V(out.reg, i), V(result.reg, i))


def _word(b: Builder, space: str, where: ptx.Operand) -> tuple[VMem, V]:
    """(the aligned word that holds a half at an address, the half's bit position 0 or 16)."""
    memory = cluster_memory(b, where) if space == CLUSTER else memory_operand(b, where, space)
    base = memory.base
    if space == "shared":
        total = b.new("IADD3", b.reg(base) if isinstance(base, V) else ZERO, imm(memory.offset), ZERO)
        low: MOperand = total
    else:
        assert isinstance(base, V)
        pair = b.temp(2)
        offset = memory.offset
        b.add64(pair, (V(base.reg, 0), V(base.reg, 1)), (imm(offset), imm(offset >> 32)))
        low = V(pair.reg, 0)
    position = b.new("SHF.L.U32", b.logic(low, imm(2), 0xC0), imm(3), ZERO)
    aligned = b.logic(low, imm(0xFFFFFFFD), 0xC0)
    if space == "shared":
        return VMem(aligned, 0), position
    word = b.temp(2)
    b.move64(word, aligned, V(pair.reg, 1))
    return VMem(V(word.reg, 0, 2, suffix=("64",)), 0, None, b.desc()), position


def small_cas(b: Builder, space: str, d: ptx.Operand | None, where: ptx.Operand, values: list[ptx.Operand]) -> None:
    """atom.cas.b16: a loop over the word around it that ends when the half differs, or was swapped."""
    memory, position = _word(b, space, where)
    expect, swap = (b.logic(b.val(v), imm(0xFFFF), 0xC0) for v in values)
    mask = b.new("SHF.L.U32", b.reg(imm(0xFFFF)), position, ZERO)
    placed_expect = b.new("SHF.L.U32", expect, position, ZERO)
    placed_swap = b.new("SHF.L.U32", swap, position, ZERO)
    old = b.temp()

    def make(word: V) -> MOperand:
        same = b.setp("ISETP.EQ.U32.AND", b.logic(word, mask, 0xC0), placed_expect)
        swapped = b.temp()
        b.lop(swapped, placed_swap, mask, word, 0xE2)
        return b.sel(swapped, word, same)

    loop(b, memory, space if space == "shared" else "", "cas", "b32", old, [], make)
    if d is not None:
        b.emit("SHF.R.U32.HI", (b.dst(d),), (ZERO, position, old))


def half_add(
    b: Builder, space: str, d: ptx.Operand | None, where: ptx.Operand, values: list[ptx.Operand],
    type_: str,
) -> None:  # fmt: skip
    """atom.add of one half: a loop over the word around it."""
    memory, position = _word(b, space, where)
    value = b.reg(b.val(values[0]))
    mask = b.new("SHF.L.U32", b.reg(imm(0xFFFF)), position, ZERO)
    old = b.temp()
    op = "HADD2" if type_ == "f16" else "HADD2.BF16_V2"

    def make(word: V) -> MOperand:
        half = b.new("SHF.R.U32.HI", ZERO, position, word)
        total = b.temp()
        low = V(half.reg, suffix=("H0_H0",))
        other = V(value.reg, value.part, suffix=("H0_H0",)) if isinstance(value, V) else value
        b.emit(op, (total,), (low, other))
        placed = b.new("SHF.L.U32", b.logic(total, imm(0xFFFF), 0xC0), position, ZERO)
        out = b.temp()
        b.lop(out, placed, mask, word, 0xE2)
        return out

    loop(b, memory, space if space == "shared" else "", "add", "b32", old, [], make)
    if d is not None:
        b.emit("SHF.R.U32.HI", (b.dst(d),), (ZERO, position, old))


LOWER = {"atom": atom, "red": atom}


def branches(inst: ptx.Inst) -> bool:
    """Loops and window tests make blocks."""
    return "shared::cluster" in inst.modifiers or not native(space_of(inst), _operation(inst), type_of(inst))
