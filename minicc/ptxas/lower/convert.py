"""cvt among all types, with rounding, .ftz and .sat; cvt.pack."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, absolute, fimm, imm, inv, neg
from minicc.ptxas.lower.integer import extend
from minicc.ptxas.lower.types import INTEGER_ROUNDING, ROUNDING, bits, dotted, signed, types_of
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.record import evolve

_WORD = {"u8": "U8", "s8": "S8", "u16": "U16", "s16": "S16", "u32": "U32", "s32": "", "u64": "U64", "s64": "S64"}
_SHORT = {"f16": "F16", "bf16": "BF16"}
ONE = 0x3F800000


def cvt(b: Builder, inst: ptx.Inst) -> None:
    """cvt{.rounding}{.ftz}{.sat}.to.from d, a"""
    if "pack" in inst.modifiers:
        pack(b, inst)
        return
    types = types_of(inst)
    if len(types) != 2:
        b.unsupported()
    to, from_ = types
    d, *sources = inst.operands
    mods = inst.modifiers
    rounding = next((ROUNDING[m] for m in mods if m in ROUNDING), "")
    whole = next((INTEGER_ROUNDING[m] for m in mods if m in INTEGER_ROUNDING), None)
    flush, sat = "ftz" in mods, "sat" in mods
    floats = {"f16", "bf16", "f32", "f64"}
    if sat and (to in ("f16", "f64") or (to, from_) == ("f32", "f16")) and from_ != "f32":
        _saturated(b, inst, b.dst(d), to)
    elif to in ("f16x2", "bf16x2") and from_ == "f32" and len(sources) == 2:
        packed_halves(b, b.dst(d), sources, to, rounding, inst)
    elif to in ("e4m3x2", "e5m2x2") or from_ in ("e4m3x2", "e5m2x2"):
        eight_bit(b, inst, to, from_)
    elif to == "tf32":
        tensor_float(b, inst)
    elif to in floats and from_ in floats:
        float_to_float(b, inst, b.dst(d), sources[0], to, from_, rounding, whole, flush, sat)
    elif to in floats and from_ in _WORD:
        integer_to_float(b, b.dst(d), sources[0], to, from_, rounding, sat)
    elif to in _WORD and from_ in floats:
        float_to_integer(b, b.dst(d), sources[0], to, from_, whole or "", flush)
    elif to in _WORD and from_ in _WORD:
        integer_to_integer(b, b.dst(d), sources[0], to, from_, sat)
    else:
        b.unsupported()


def _saturated(b: Builder, inst: ptx.Inst, out: V, to: str) -> None:
    """The same conversion without .sat, and then from 0 to 1; NaN becomes 0."""
    to_, from_ = types_of(inst)
    item, mods = inst.operands[1], inst.modifiers
    rounding = next((ROUNDING[m] for m in mods if m in ROUNDING), "")
    whole = next((INTEGER_ROUNDING[m] for m in mods if m in INTEGER_ROUNDING), None)
    result = b.temp(2 if to == "f64" else 1)
    if from_ in _WORD:
        integer_to_float(b, result, item, to_, from_, rounding, False)
    else:
        float_to_float(b, inst, result, item, to_, from_, rounding, whole, False, False)
    if to == "f16":
        b.emit("HADD2.SAT", (V(out.reg, 0),), (_half(result), neg(ZERO)))
    elif to == "f32":
        b.emit(dotted("FADD", "FTZ" if "ftz" in mods else "", "SAT"), (out,), (result, ZERO))
    else:
        one = b.temp(2)
        b.move64(one, ZERO, imm(0x3FF00000))
        positive, small = b.pred(), b.pred()
        b.emit("DSETP.GT.AND", (positive, TRUE), (result, ZERO, TRUE))
        b.emit("DSETP.LT.AND", (small, TRUE), (result, one, TRUE))
        for part in (0, 1):
            low = b.sel(V(result.reg, part), V(one.reg, part), small)
            b.select(V(out.reg, part), low, ZERO, positive)


def widen(b: Builder, item: ptx.Operand, type_: str) -> tuple[MOperand, MOperand]:
    """An integer operand as 64 bits, extended by its own type."""
    if bits(type_) == 64:
        return b.val64(item)
    low = extend(b, b.val(item, type_), type_)
    if signed(type_):
        return low, b.new("SHF.R.S32.HI", ZERO, imm(31), b.reg(low))
    return low, ZERO


def integer_to_integer(b: Builder, out: V, item: ptx.Operand, to: str, from_: str, sat: bool) -> None:
    """Truncation and extension; with .sat clamping to the target's range."""
    if sat:
        clamp(b, out, item, to, from_)
        return
    if bits(to) == 64:
        low, high = widen(b, item, from_)
        if isinstance(item, ptx.Reg) and bits(from_) == 32 and signed(from_):
            b.emit("SHF.R.S32.HI", (V(out.reg, 1),), (ZERO, imm(31), b.reg(low)))
            b.move(V(out.reg, 0), low)
        else:
            b.move64(out, low, high)
        return
    low = b.val64(item)[0] if bits(from_) == 64 else extend(b, b.val(item, from_), from_)
    if bits(to) < 32 and not _contains(to, from_) and out_is_wide(b, out, to):
        # The register is wider than the target type: PTX extends by the target's sign.
        low = extend(b, b.reg(low), to)
    b.move(V(out.reg, 0), low)
    if out.count == 2:
        if signed(to):
            b.emit("SHF.R.S32.HI", (V(out.reg, 1),), (ZERO, imm(31), V(out.reg, 0)))
        else:
            b.move(V(out.reg, 1), ZERO)


def _contains(to: str, from_: str) -> bool:
    """Is every value of one integer type a value of the other?"""
    if signed(to) == signed(from_):
        return bits(to) >= bits(from_)
    return signed(to) and bits(to) > bits(from_)


def out_is_wide(b: Builder, out: V, to: str) -> bool:
    """Is the PTX register wider than the type, so that bits above that are visible?"""
    return bits(b.flat.type_of(out.reg.hint) or "b32") > bits(to)


def clamp(b: Builder, out: V, item: ptx.Operand, to: str, from_: str) -> None:
    """Saturating integer conversion, by 64-bit minima and maxima (32-bit ones where both sides are narrow)."""
    width = bits(to)
    least = -(1 << (width - 1)) if signed(to) else 0
    most = (1 << (width - 1)) - 1 if signed(to) else (1 << width) - 1
    source_least = -(1 << (bits(from_) - 1)) if signed(from_) else 0
    source_most = (1 << (bits(from_) - 1)) - 1 if signed(from_) else (1 << bits(from_)) - 1
    if bits(from_) <= 32 and width <= 32:
        x = b.reg(extend(b, b.val(item, from_), from_))
        sign = "" if signed(from_) else "U32"
        if source_least < least:
            low = b.temp()
            b.emit(dotted("VIMNMX", sign), (low,), (*b.slots(x, imm(least)), inv(TRUE)))
            x = low
        if source_most > most:
            high = b.temp()
            b.emit(dotted("VIMNMX", sign), (high,), (*b.slots(x, imm(most)), TRUE))
            x = high
        b.move(V(out.reg, 0), x)
        if out.count == 2:
            b.emit("SHF.R.S32.HI", (V(out.reg, 1),), (ZERO, imm(31), x)) if signed(to) else b.move(V(out.reg, 1), ZERO)
        return
    from minicc.ptxas.lower.integer import compare64

    low64, high64 = widen(b, item, from_)
    pair = (b.reg(low64), b.reg(high64))
    wide_signed = signed(from_) or bits(from_) < 64
    for limit, needed, how in ((least, source_least < least, "LT"), (most, source_most > most, "GT")):
        if not needed:
            continue
        bound = (imm(limit), imm(limit >> 32))
        p = compare64(b, how, wide_signed, pair, bound)
        pair = (
            b.sel(b.reg(bound[0]), pair[0], p),
            b.sel(b.reg(bound[1]), pair[1], p),
        )
    b.move(V(out.reg, 0), pair[0])
    if out.count == 2:
        b.move(V(out.reg, 1), pair[1])


def integer_to_float(b: Builder, out: V, item: ptx.Operand, to: str, from_: str, rounding: str, sat: bool) -> None:
    """I2FP for words to f32 (it rounds to nearest or to zero; what is narrower is exact), I2F for the rest, whose unit
    takes four times as long."""
    wide = bits(from_) == 64
    x = b.pair(item) if wide else b.reg(b.val(item, from_))
    target = {"f32": "", "f64": "F64", "f16": "F16", "bf16": "BF16"}[to]
    result = b.temp(2) if to == "f64" else b.temp()
    final = result if sat else V(out.reg, 0, result.count)
    if to == "f32" and (bits(from_) < 32 or (bits(from_) == 32 and rounding in ("", "RZ"))):
        sign = "S32" if from_.startswith("s") else "U32"
        b.emit(dotted("I2FP.F32", sign, rounding if bits(from_) == 32 else ""), (final,), (extend(b, x, from_),))
    else:
        word = _WORD[from_]
        if from_ == "s32":
            word = ""
        b.emit(dotted("I2F", target, word, rounding), (final,), (x,))
    if sat:
        if to == "f32":
            b.emit("FADD.SAT", (out,), (result, ZERO))
        elif to == "f16":
            b.emit("HADD2.SAT", (V(out.reg, 0),), (_half(result), neg(ZERO)))
        else:
            b.unsupported()


def _narrow_f32(b: Builder, out: V, x: MOperand, to: str, rounding: str, flush: bool) -> None:
    """f32 to one half in the low bits."""
    if rounding in ("", "RZ") and not (flush and to == "bf16"):
        b.emit(dotted("F2FP", _SHORT[to], "F32.PACK_AB", rounding), (V(out.reg, 0),), (ZERO, x))
    else:
        # What f32 flushes is too small for f16 anyway: ptxas does not.
        ftz = "FTZ" if flush and to == "bf16" else ""
        b.emit(dotted("F2F", ftz, _SHORT[to], "F32", rounding), (V(out.reg, 0),), (x,))


def float_to_integer(b: Builder, out: V, item: ptx.Operand, to: str, from_: str, whole: str, flush: bool) -> None:
    """F2I saturates, and makes NaN zero with .NTZ, as PTX asks."""
    if from_ == "f64":
        x: MOperand = b.pair(item, "f64")
    else:
        x = b.reg(b.val(item, from_))
    source = {"f32": "", "f64": "F64", "f16": "F16", "bf16": ""}[from_]
    if from_ == "bf16":
        x = b.new("SHF.L.U32", x, imm(16), ZERO)
    word = _WORD[to]
    if bits(to) == 64:
        if flush and from_ == "f32":
            x = b.new("FMUL.FTZ", x, fimm(ONE))
        result = b.temp(2)
        b.emit(dotted("F2I", word, source, whole), (result,), (x,))
        b.move64(out, V(result.reg, 0), V(result.reg, 1))
        return
    ntz = "" if from_ == "f64" else "NTZ"
    op = dotted("F2I", "FTZ" if flush and from_ == "f32" else "", word, source, whole, ntz)
    if bits(to) < 32 and out_is_wide(b, out, to):
        narrow = b.temp()
        b.emit(op, (narrow,), (x,))
        b.move(V(out.reg, 0), extend(b, narrow, to))
    else:
        b.emit(op, (V(out.reg, 0),), (x,))
    if out.count == 2:
        b.move(V(out.reg, 1), b.new("SHF.R.S32.HI", ZERO, imm(31), V(out.reg, 0)) if signed(to) else ZERO)


def float_to_float(
    b: Builder, inst: ptx.Inst, out: V, item: ptx.Operand, to: str, from_: str, rounding: str, whole: str | None,
    flush: bool, sat: bool,
) -> None:  # fmt: skip
    if to == from_:
        same_width(b, out, item, to, whole, flush, sat)
        return
    if from_ == "f64":
        x: MOperand = b.pair(item, "f64")
    else:
        x = b.reg(b.val(item, from_ if from_ == "f32" else "u16"))
    relu = "RELU" if "relu" in inst.modifiers else ""
    if from_ == "f16" and to == "f32":
        b.emit("HADD2.F32", (out,), (neg(ZERO), _half(x)))
    elif from_ == "bf16" and to == "f32" and flush:
        b.emit("F2F.FTZ.F32.BF16", (out,), (x,))
    elif from_ == "bf16" and to == "f32":
        b.emit("SHF.L.U32", (out,), (x, imm(16), ZERO))
    elif to in ("f16", "bf16") and from_ == "f32":
        if sat:
            x = b.new("FADD.SAT", x, ZERO)
        finite = "SATFINITE" if "satfinite" in inst.modifiers else ""
        if relu or finite:
            b.emit(dotted("F2FP", finite, relu, _SHORT[to], "F32.PACK_AB", rounding), (V(out.reg, 0),), (ZERO, x))
        else:
            _narrow_f32(b, out, x, to, rounding, flush)
    elif from_ == "f32" and to == "f64":
        if flush:
            x = b.new("FMUL.FTZ", x, fimm(ONE))
        if sat:
            x = b.new("FADD.SAT", x, ZERO)
        b.emit("F2F.F64.F32", (out,), (x,))
    elif from_ == "f64" and to == "f32":
        result = b.temp()
        b.emit(dotted("F2F.F32.F64", rounding), (result,), (x,))
        if sat:
            b.emit(dotted("FADD", "FTZ" if flush else "", "SAT"), (out,), (result, ZERO))
        elif flush:
            b.emit("FMUL.FTZ", (out,), (result, fimm(ONE)))
        else:
            b.move(out, result)
    elif from_ == "f16" and to == "f64":
        b.emit("F2F.F64.F16", (out,), (x,))
    elif from_ == "bf16" and to == "f64":
        b.emit("F2F.F64.F32", (out,), (b.new("SHF.L.U32", x, imm(16), ZERO),))
    elif from_ == "f64" and to == "f16":
        b.emit(dotted("F2F.F16.F64", rounding), (V(out.reg, 0),), (x,))
    elif from_ == "f64" and to == "bf16":
        b.emit(dotted("F2F.BF16.F64", rounding), (V(out.reg, 0),), (x,))
    elif from_ == "bf16" and to == "f16":
        wide = b.new("SHF.L.U32", x, imm(16), ZERO)
        _narrow_f32(b, out, wide, to, rounding, False)
    elif from_ == "f16" and to == "bf16":
        wide_ = b.temp()
        b.emit("HADD2.F32", (wide_,), (neg(ZERO), _half(x)))
        _narrow_f32(b, out, wide_, to, rounding, False)
    else:
        b.unsupported()


def _half(x: MOperand) -> MOperand:
    return V(x.reg, x.part, suffix=("H0_H0",)) if isinstance(x, V) else x


def same_width(b: Builder, out: V, item: ptx.Operand, type_: str, whole: str | None, flush: bool, sat: bool) -> None:
    """cvt between equal types: rounding to integer, saturation, or flushing."""
    if type_ == "f64":
        x: MOperand = b.pair(item, "f64")
        if whole is not None:
            b.emit(dotted("FRND.F64", whole), (out,), (x,))
        elif sat:
            b.unsupported()
        else:
            low, high = b.val64(item, "f64")
            b.move64(out, low, high)
        return
    x = b.reg(b.val(item, "f32" if type_ == "f32" else "u16"))
    if type_ == "f32":
        if whole is not None:
            result = b.temp() if sat else out
            b.emit(dotted("FRND", "FTZ" if flush else "", whole), (result,), (x,))
            if sat:
                b.emit(dotted("FADD", "FTZ" if flush else "", "SAT"), (out,), (result, ZERO))
        elif sat:
            b.emit(dotted("FADD", "FTZ" if flush else "", "SAT"), (out,), (x, ZERO))
        elif flush:
            b.emit("FMUL.FTZ", (out,), (x, fimm(ONE)))
        else:
            b.move(out, x)
        return
    if whole is not None and type_ == "f16":
        b.emit(dotted("FRND.F16", whole), (V(out.reg, 0),), (x,))
    elif whole is not None:
        wide = b.new("SHF.L.U32", x, imm(16), ZERO)
        rounded = b.temp()
        b.emit(dotted("FRND", whole), (rounded,), (wide,))
        b.emit("SHF.R.U32.HI", (V(out.reg, 0),), (ZERO, imm(16), rounded))
    elif sat and type_ == "f16":
        b.emit("HADD2.SAT", (V(out.reg, 0),), (_half(x), neg(ZERO)))
    else:
        b.move(V(out.reg, 0), x)


def packed_halves(b: Builder, out: V, sources: list[ptx.Operand], to: str, rounding: str, inst: ptx.Inst) -> None:
    """cvt.f16x2.f32 d, high, low"""
    high, low = (b.reg(b.val(s, "f32")) for s in sources)
    kind = "F16" if to == "f16x2" else "BF16"
    relu = "RELU" if "relu" in inst.modifiers else ""
    satfinite = "SATFINITE" if "satfinite" in inst.modifiers else ""
    if rounding not in ("", "RZ"):
        b.unsupported()
    b.emit(dotted("F2FP", satfinite, relu, kind, "F32.PACK_AB", rounding), (out,), (high, low))


def eight_bit(b: Builder, inst: ptx.Inst, to: str, from_: str) -> None:
    """fp8 pairs: from two f32, from and to f16x2."""
    d, *sources = inst.operands
    relu = "RELU" if "relu" in inst.modifiers else ""
    if to in ("e4m3x2", "e5m2x2") and from_ == "f32":
        high, low = (b.reg(b.val(s, "f32")) for s in sources)
        op = dotted("F2FP.SATFINITE", relu, to[:4].upper(), "F32.PACK_AB_MERGE_C")
        b.emit(op, (b.dst(d),), (high, low, ZERO))
    elif to in ("e4m3x2", "e5m2x2") and from_ == "f16x2":
        x = b.reg(b.val(sources[0]))
        low_f, high_f = b.temp(), b.temp()
        b.emit("HADD2.F32", (low_f,), (neg(ZERO), _half(x)))
        b.emit("HADD2.F32", (high_f,), (neg(ZERO), V(x.reg, x.part, suffix=("H1_H1",)) if isinstance(x, V) else x))
        op = dotted("F2FP.SATFINITE", relu, to[:4].upper(), "F32.PACK_AB_MERGE_C")
        b.emit(op, (b.dst(d),), (high_f, low_f, ZERO))
    elif from_ in ("e4m3x2", "e5m2x2") and to == "f16x2":
        op = dotted("F2FP", relu, "F16", from_[:4].upper(), "UNPACK_B")
        b.emit(op, (b.dst(d),), (b.reg(b.val(sources[0], "u16")),))
    else:
        b.unsupported()


def tensor_float(b: Builder, inst: ptx.Inst) -> None:
    """cvt.rna.tf32.f32: add half a unit to the magnitude unless it is infinite or NaN, then clear 13 bits; what is then
    not finite is for .satfinite a unit lower (a NaN, too: NVIDIA's ptxas leaves its bits less a unit). The other
    roundings have an instruction."""
    d, source = inst.operands
    x = b.reg(b.val(source, "f32"))
    out = b.dst(d)
    relu = "RELU" if "relu" in inst.modifiers else ""
    if "rna" in inst.modifiers and not relu:
        finite = b.setp("FSETP.LT.AND", absolute(x), fimm(0x7F800000))
        moved = b.sel(b.new("IADD3", x, imm(0x1000), ZERO), x, finite)
        if "satfinite" not in inst.modifiers:
            b.lop(out, moved, imm(0xFFFFE000), ZERO, 0xC0)
            return
        rounded = b.temp()
        b.lop(rounded, moved, imm(0xFFFFE000), ZERO, 0xC0)
        whole = b.setp("FSETP.LT.AND", absolute(rounded), fimm(0x7F800000))
        b.select(out, rounded, b.new("IADD3", rounded, imm(0xFFFFE000), ZERO), whole)
        return
    rounding = "RZ" if "rz" in inst.modifiers else ""
    b.emit(dotted("F2FP", relu, "TF32.F32.PACK_B", rounding), (out,), (x,))


_SHIFTED = {"4": "24", "2": "28"}
"""cvt.pack to 4 and 2 bits: from which bit on c goes down."""


def pack(b: Builder, inst: ptx.Inst) -> None:
    """cvt.pack.sat.{u16,s16,u8,s8,u4,s4,u2,s2}.s32{.b32} d, a, b{, c}: saturate a and b, put a above b,
    and both below c, which moves up."""
    to = next(m for m in inst.modifiers if m not in ("pack", "sat"))
    d, first, second, *third = inst.operands
    x, y = b.reg(b.val(first)), b.reg(b.val(second))
    z = b.reg(b.val(third[0])) if third else ZERO
    if to[1:] in _SHIFTED:
        z = evolve(z, suffix=(_SHIFTED[to[1:]],))
    b.emit(f"I2IP.{to.upper()}.S32.SAT", (b.dst(d),), (x, y, z))


LOWER = {"cvt": cvt}
