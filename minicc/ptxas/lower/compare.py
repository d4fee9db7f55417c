"""Comparisons and selections: setp, set, selp, slct, testp; and mov with its packings."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.lower.integer import operand
from minicc.ptxas.lower.types import bits, dotted, signed, type_of, types_of
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm

INTEGER = {
    "eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE",
    "lo": "LT", "ls": "LE", "hi": "GT", "hs": "GE",
}  # fmt: skip
FLOATING = {c: c.upper() for c in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu")}
FLOATING |= {"num": "NUM", "nan": "NAN"}
BOOLEAN = {"and": "AND", "or": "OR", "xor": "XOR"}


def compare(
    b: Builder, inst: ptx.Inst, type_: str, left: ptx.Operand, right: ptx.Operand,
    dsts: tuple[MOperand, MOperand], combine: MOperand,
) -> None:  # fmt: skip
    """Emit the compare of an instruction into two predicates."""
    how = next((m for m in inst.modifiers if m in FLOATING or m in INTEGER), None)
    boolean = next((BOOLEAN[m] for m in inst.modifiers if m in BOOLEAN), "AND")
    ftz = "FTZ" if "ftz" in inst.modifiers else ""
    if how is None:
        b.wrong("a comparison was expected")
    if type_ in ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2"):
        test = FLOATING.get(how)
        if test is None:
            b.wrong(f"comparison '.{how}' is not for floating types")
        if type_ == "f32":
            x, y = b.slots(b.val(left, "f32"), b.val(right, "f32"))
            b.emit(dotted("FSETP", test, ftz, boolean), dsts, (x, y, combine))
        elif type_ == "f64":
            b.emit(dotted("DSETP", test, boolean), dsts, (b.pair(left, "f64"), b.pair(right, "f64"), combine))
        else:
            from minicc.ptxas.lower.half import source

            kind = "BF16_V2" if type_.startswith("bf") else ""
            x, y = source(b, left, type_), source(b, right, type_)
            b.emit(dotted("HSETP2", kind, test, ftz, boolean), dsts, (x, y, combine))
        return
    unsigned = how in ("lo", "ls", "hi", "hs") or not signed(type_)
    test = INTEGER.get(how)
    if test is None:
        b.wrong(f"comparison '.{how}' is not for integer types")
    u32 = "U32" if unsigned else ""
    if bits(type_) == 64:
        xs, ys = b.val64(left), b.val64(right)
        low = b.setp(f"ISETP.{test}.U32.AND", xs[0], ys[0])
        x, y = b.slots(xs[1], ys[1])
        b.emit(dotted("ISETP", test, u32, boolean, "EX"), dsts, (x, y, combine, low))
    else:
        narrow = f"{'u' if unsigned else 's'}{bits(type_)}"
        x, y = b.slots(operand(b, left, narrow), operand(b, right, narrow))
        b.emit(dotted("ISETP", test, u32, boolean), dsts, (x, y, combine))


def setp(b: Builder, inst: ptx.Inst) -> None:
    """setp.cmp{.bool}.type p{|q}, a, b{, c}"""
    d, left, right, *rest = inst.operands
    combine = b.pred_of(rest[0]) if rest else TRUE
    first, second = (d.first, d.second) if isinstance(d, ptx.Pair) else (d, None)
    compare(b, inst, type_of(inst), left, right, (b.dst_pred(first), b.dst_pred(second)), combine)


_TRUTH = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}
"""One, by type; true is all ones in the others."""


def set_(b: Builder, inst: ptx.Inst) -> None:
    """set.cmp{.bool}.dtype.stype d, a, b{, c}: all ones or 1.0 where true."""
    d, left, right, *rest = inst.operands
    into, from_ = types_of(inst)
    combine = b.pred_of(rest[0]) if rest else TRUE
    if from_ in ("f16x2", "bf16x2") or (from_ in ("f16", "bf16") and into == from_):
        from minicc.ptxas.lower.half import set_half

        set_half(b, inst, into, from_, combine)
        return
    p = b.pred()
    compare(b, inst, from_, left, right, (p, TRUE), combine)
    b.select(b.dst(d), imm(_TRUTH.get(into, -1)), ZERO, p)


def _choose(b: Builder, type_: str, d: ptx.Operand, first: ptx.Operand, second: ptx.Operand, p: MOperand) -> None:
    """d = p ? first : second"""
    out = b.dst(d)
    if bits(type_) == 64:
        xs, ys = b.val64(first), b.val64(second)
        for i in (0, 1):
            b.select(V(out.reg, i), xs[i], ys[i], p)
    else:
        b.select(out, b.val(first, type_), b.val(second, type_), p)


def selp(b: Builder, inst: ptx.Inst) -> None:
    """selp d, a, b, p"""
    type_ = type_of(inst)
    d, first, second, chooser = inst.operands
    _choose(b, type_, d, first, second, b.pred_of(chooser))


def slct(b: Builder, inst: ptx.Inst) -> None:
    """slct.dtype.ctype d, a, b, c: c >= 0 ? a : b; a NaN chooses b."""
    into, by = types_of(inst)
    d, first, second, chooser = inst.operands
    if by == "f32":
        ftz = "FTZ" if "ftz" in inst.modifiers else ""
        p = b.setp(dotted("FSETP.GE", ftz, "AND"), b.reg(b.val(chooser, "f32")), ZERO)
    else:
        p = b.setp("ISETP.GE.AND", b.reg(b.val(chooser)), ZERO)
    _choose(b, into, d, first, second, p)


def testp(b: Builder, inst: ptx.Inst) -> None:
    """testp.{finite,infinite,number,notanumber,normal,subnormal}"""
    type_ = type_of(inst)
    d, item = inst.operands
    out = b.dst_pred(d)
    how = next(m for m in inst.modifiers if m != type_)
    if type_ == "f32":
        high = b.reg(b.val(item, "f32"))
        magnitude = b.logic(high, imm(0x7FFFFFFF), 0xC0)
        least, top, low = 0x00800000, 0x7F800000, None
    else:
        low_, high_ = b.val64(item)
        magnitude = b.logic(b.reg(high_), imm(0x7FFFFFFF), 0xC0)
        least, top, low = 0x00100000, 0x7FF00000, b.reg(low_)
    if how in ("finite", "normal", "subnormal"):
        if how == "finite":
            b.emit("ISETP.LT.U32.AND", (out, TRUE), (magnitude, imm(top), TRUE))
        elif how == "normal":
            # Zeros count as normal.
            whole = magnitude if low is None else b.logic(magnitude, low, 0xFC)
            nothing = b.setp("ISETP.EQ.U32.AND", whole, ZERO)
            large = b.setp("ISETP.GE.U32.OR", magnitude, imm(least), nothing)
            b.emit("ISETP.LT.U32.AND", (out, TRUE), (magnitude, imm(top), large))
        else:
            some = magnitude if low is None else b.logic(magnitude, low, 0xFC)
            small = b.setp("ISETP.LT.U32.AND", magnitude, imm(least))
            b.emit("ISETP.NE.U32.AND", (out, TRUE), (some, ZERO, small))
        return
    if low is None:
        test = {"infinite": "EQ", "number": "LE", "notanumber": "GT"}[how]
        b.emit(f"ISETP.{test}.U32.AND", (out, TRUE), (magnitude, imm(top), TRUE))
    else:
        test = {"infinite": "EQ", "number": "LE", "notanumber": "GT"}[how]
        first = b.setp(f"ISETP.{test}.U32.AND", low, ZERO)
        b.emit(f"ISETP.{test}.U32.AND.EX", (out, TRUE), (magnitude, imm(top), TRUE, first))


# --- mov ------------------------------------------------------------------------------------------------------------


def mov(b: Builder, inst: ptx.Inst) -> None:
    """mov of registers, constants, addresses, special registers, and packing or unpacking of vectors."""
    type_ = type_of(inst)
    d, source = inst.operands
    if type_ == "pred":
        if isinstance(source, ptx.Special):  # %is_explicit_cluster
            p: MOperand = b.setp("ISETP.NE.AND", b.reg(b.val(source, "u32")), ZERO)
        else:
            p = b.pred_of(source)
        b.move(b.dst_pred(d), p)
        return
    if isinstance(d, ptx.Vector) and ("v2" in inst.modifiers or "v4" in inst.modifiers):
        if isinstance(source, ptx.Special):
            source = ptx.Vector(tuple(ptx.Special(f"{source.name}.{axis}") for axis in "xyzw"))
        assert isinstance(source, ptx.Vector)
        _each(b, d, source, type_)
        return
    if isinstance(d, ptx.Vector):
        unpack(b, d, source, bits(type_))
    elif isinstance(source, ptx.Vector):
        pack(b, b.dst(d), source, bits(type_))
    elif bits(type_) == 128:
        values: list[MOperand]
        if isinstance(source, ptx.Reg):
            values = [V(b.dst(source).reg, i) for i in range(4)]
        else:
            values = [*b.val64(source), ZERO, ZERO]
        _move_all(b, b.dst(d), values)
    elif isinstance(source, ptx.Reg):
        # Not `val`: the definition itself must exist even where its uses have become constants.
        out = b.dst(d)
        if bits(type_) == 64:
            low, high = b.val64(source)
            b.move64(out, low, high)
        else:
            b.move(V(out.reg, 0), b.val(source, type_))
    else:
        out = b.dst(d)
        if bits(type_) == 64 or out.reg.width == 2:
            low, high = b.val64(source, type_)
            b.move64(out, low, high)
        else:
            given = b.val(source, type_)
            b.move(out, Imm(given.bits) if isinstance(given, Imm) else given)


def _each(b: Builder, d: ptx.Vector, source: ptx.Vector, type_: str) -> None:
    """mov.v4: all sources are read before the first destination is written."""
    copies: list[list[MOperand]] = []
    for item in source.items:
        assert item is not None
        words = b.val64(item, type_) if bits(type_) == 64 else (b.val(item, type_),)
        copy = b.temp(len(words))
        copies.append([V(copy.reg, i) for i in range(len(words))])
        _move_all(b, copy, list(words))
    for target, values in zip(d.items, copies, strict=True):
        if target is not None:
            _move_all(b, b.dst(target), values)


def pack(b: Builder, out: V, vector: ptx.Vector, width: int) -> None:
    """mov.b32 d, {a, b} and its like: elements from the lowest up."""
    items = vector.items
    each = width // len(items)
    if any(i is None for i in items):
        b.wrong("'_' cannot be packed")
    if each >= 32:
        values: list[MOperand] = []
        for item in items:
            assert item is not None
            if each == 64:
                values += b.val64(item)
            else:
                values.append(b.val(item))
        _move_all(b, out, values)
        return
    per_word = 32 // each
    words: list[MOperand] = []
    for start in range(0, len(items), per_word):
        group = [b.val(i, f"u{each}") for i in items[start : start + per_word] if i is not None]
        if each == 16:
            if len(group) == 1:
                words.append(group[0])
            else:
                words.append(_halves(b, group[0], group[1]))
        else:
            low = _bytes(b, group[0], group[1])
            words.append(low if len(group) == 2 else _halves(b, low, _bytes(b, group[2], group[3])))
    _move_all(b, out, words)


def _halves(b: Builder, low: MOperand, high: MOperand) -> MOperand:
    return _joined(b, low, high, 16, 0x5410)


def _bytes(b: Builder, low: MOperand, high: MOperand) -> MOperand:
    return _joined(b, low, high, 8, 0x0040)


def _joined(b: Builder, low: MOperand, high: MOperand, width: int, selector: int) -> MOperand:
    """The low bits of two words beside one another; a constant where both are."""
    known = [x.bits if isinstance(x, Imm) else 0 for x in (low, high) if isinstance(x, Imm) or x == ZERO]
    if len(known) == 2:
        mask = (1 << width) - 1
        return imm(known[0] & mask | (known[1] & mask) << width)
    out = b.temp()
    b.emit("PRMT", (out,), (b.reg(low), imm(selector), b.reg(high)))
    return out


def _move_all(b: Builder, out: V, values: list[MOperand]) -> None:
    """Word i of `out` = value i, also where a value is a word of `out` itself."""
    if any(isinstance(x, V) and x.reg is out.reg and x.part != i for i, x in enumerate(values)):
        copies: list[MOperand] = []
        for x in values:
            copy = b.temp()
            b.move(copy, x)
            copies.append(copy)
        values = copies
    for i, x in enumerate(values):
        b.move(V(out.reg, i), Imm(x.bits) if isinstance(x, Imm) else x)


def unpack(b: Builder, vector: ptx.Vector, source: ptx.Operand, width: int) -> None:
    """mov.b32 {a, b}, d and its like."""
    items = vector.items
    each = width // len(items)
    words: list[MOperand]
    if width == 128:
        whole = b.dst(source)
        words = [V(whole.reg, i) for i in range(4)]
    elif width == 64:
        words = list(b.val64(source))
    else:
        words = [b.val(source)]
    taken: list[tuple[V, MOperand]] = []
    for index, item in enumerate(items):
        if item is None:
            continue
        out = b.dst(item)
        word: MOperand
        if each >= 32:
            for part in range(each // 32):
                taken.append((V(out.reg, part), words[index * each // 32 + part]))
            continue
        word = b.reg(words[index * each // 32])
        place = index * each % 32
        if place == 0:
            taken.append((out, word))
            continue
        part_ = b.temp()
        selector = 0x7732 if each == 16 else 0x7770 | place // 8
        b.emit("PRMT", (part_,), (word, imm(selector), ZERO))
        taken.append((out, part_))
    if len(taken) > 1 and any(isinstance(x, V) and any(x.reg is o.reg for o, _ in taken) for _, x in taken):
        copies = []
        for o, x in taken:
            copy = b.temp()
            b.move(copy, x)
            copies.append((o, copy))
        taken = [*copies]
    for o, x in taken:
        b.move(o, x)


def copysign(b: Builder, inst: ptx.Inst) -> None:
    """copysign d, a, b: the magnitude of b with the sign of a."""
    d, sign, magnitude = inst.operands
    out = b.dst(d)
    if type_of(inst) == "f32":
        b.lop(out, b.val(sign), imm(0x80000000), b.val(magnitude), 0xE2)
    else:
        _, s = b.val64(sign)
        low, high = b.val64(magnitude)
        b.lop(V(out.reg, 1), s, imm(0x80000000), high, 0xE2)
        b.move(V(out.reg, 0), low)


LOWER = {
    "setp": setp,
    "set": set_,
    "selp": selp,
    "slct": slct,
    "testp": testp,
    "mov": mov,
    "copysign": copysign,
}
