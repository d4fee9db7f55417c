"""Integer arithmetic: IADD3, IMAD, VIADD, LEA, ISETP, minimum and maximum, dot products, and their uniform twins.

Sources: operand order and modifiers from the encoding tables; carry rules from what 64-bit sequences of ptxas rely on
(a - b is IADD3 with -b whose carry-out is "no borrow", so -x counts as ~x + 1).
"""

from __future__ import annotations

from minicc.sass.instr import PT, Imm, Reg
from minicc.sass.semantics.expr import FALSE, TRUE, E, concat, const
from minicc.sass.semantics.form import Builder, semantic


def _is_pred(b: Builder, i: int) -> bool:
    op = b.ops[i]
    return isinstance(op, Reg) and op.file in ("P", "UP")


def split_preds(b: Builder) -> tuple[list[int], list[int], list[int]]:
    """Operand numbers after the destination as (predicate destinations, sources, predicate sources)."""
    i, outs, sources, ins = 1, [], [], []
    while i < len(b.ops) and _is_pred(b, i):
        outs.append(i)
        i += 1
    while i < len(b.ops) and not _is_pred(b, i):
        sources.append(i)
        i += 1
    while i < len(b.ops):
        ins.append(i)
        i += 1
    return outs, sources, ins


@semantic("IADD3", "UIADD3")
def iadd3(b: Builder) -> None:
    """Sum of three; carry-out k is set when the sum reaches k+1 times 2^32. A source -x adds ~x + 1."""
    outs, sources, ins = split_preds(b)
    if b.has("64"):
        if ins or any(b.ops[out].index != PT for out in outs):  # type: ignore[union-attr]
            raise b.fail("carries with .64")
        b.set(0, b.integer(sources[0], 64) + b.integer(sources[1], 64) + b.integer(sources[2], 64))
        return
    if not outs:
        total = b.integer(sources[0]) + b.integer(sources[1]) + b.integer(sources[2])
        for p in ins:
            total = total + b.pred(p).zext(32)
        b.set(0, total)
        return
    wide, extra = const(0, 64), 0
    for s in sources:
        value = b.raw(s)
        if b.flag(s, "inv") or b.flag(s, "neg"):
            value = ~value
        extra += b.flag(s, "neg")
        wide = wide + value.zext(64)
    wide = wide + extra
    for p in ins:
        wide = wide + b.pred(p).zext(64)
    b.set(0, wide.trunc(32))
    for k, out in enumerate(outs):
        b.set(out, wide.uge((k + 1) << 32))


@semantic("IMAD", "UIMAD")
def imad(b: Builder) -> None:
    """a * b + c. WIDE: 32 x 32 + 64 -> 64. HI: the high half of 32 x 32 + 64, where c is a register pair."""
    outs, sources, ins = split_preds(b)
    s0, s1, s2 = sources
    carry = b.pred(ins[0]) if ins and b.has("X") else FALSE
    if b.has("MOV"):
        b.set(0, b.integer(s2))
        return
    if not b.has("WIDE", "HI"):
        if outs:
            raise b.fail("carry out of a narrow product")
        product = b.integer(s0) if b.has("IADD") else b.integer(s0) * b.integer(s1)
        b.set(0, product + b.integer(s2) + carry.zext(32))
        return
    signed = not b.has("U32")
    x = [b.raw(s).sext(64) if signed else b.raw(s).zext(64) for s in (s0, s1)]
    product = x[0] * x[1]
    if b.flag(s0, "neg") or b.flag(s1, "neg"):
        product = -product
    c = b.raw(s2, 64)
    negated = b.flag(s2, "neg")
    c = ~c if negated or b.flag(s2, "inv") else c
    low = carry.zext(64) + (1 if negated else 0)
    total = product + c + low
    b.set(0, (total >> 32).trunc(32) if b.has("HI") else total)
    if outs:
        # Carry out of bit 63: total < product, or equal to it with a carry that wrapped c around.
        partial = c + low
        overflow = partial.ult(c) | total.ult(partial)
        b.set(outs[0], overflow)


@semantic("VIADD")
def viadd(b: Builder) -> None:
    """a + b, or two 16-bit sums."""
    x, y = b.integer(1), b.raw(2)
    if not b.has("16x2"):
        b.set(0, x + b.integer(2))
        return
    halves = [x.trunc(16), (x >> 16).trunc(16)], [y.trunc(16), (y >> 16).trunc(16)]
    if b.flag(2, "neg"):
        halves = halves[0], [-h for h in halves[1]]
    b.set(0, concat(halves[0][0] + halves[1][0], halves[0][1] + halves[1][1]))


@semantic("LEA", "ULEA")
def lea(b: Builder) -> None:
    """(a << s) + b, or with HI the high word of ((c:a) << s), plus b; SX32: c is the sign of a. Carry as in IADD3."""
    outs, sources, ins = split_preds(b)
    a, y = b.raw(sources[0]), b.raw(sources[1])
    shift = b.raw(sources[-1]) & 31
    if b.has("HI"):
        if b.has("SX32"):
            wide = a.sext(64)
        else:
            wide = concat(a, b.raw(sources[2]))
        # Negation is of the shifted value; with X it is the bitwise complement, the carry completing it.
        shifted = (wide.shl(shift.zext(64)) >> 32).trunc(32)
    else:
        shifted = a.shl(shift)
    extra = 0
    if b.flag(sources[0], "neg"):
        shifted, extra = ~shifted, extra + 1
    elif b.flag(sources[0], "inv"):
        shifted = ~shifted
    if b.flag(sources[1], "neg"):
        y, extra = ~y, extra + 1
    elif b.flag(sources[1], "inv"):
        y = ~y
    carry = b.pred(ins[0]) if ins else FALSE
    if not outs:
        b.set(0, shifted + y + carry.zext(32) + extra)
        return
    total = shifted.zext(64) + y.zext(64) + carry.zext(64) + extra
    b.set(0, total.trunc(32))
    b.set(outs[0], total.uge(1 << 32))


def combine(op: str, x: E, y: E) -> E:
    """The .AND/.OR/.XOR of a comparison with its predicate operand."""
    return {"AND": x & y, "OR": x | y, "XOR": x ^ y}[op]


def set_predicates(b: Builder, result: E, pred: int) -> None:
    """SETP: destination 0 = result op P, destination 1 = !result op P."""
    op, p = b.one("AND", "OR", "XOR", default="AND"), b.pred(pred)
    b.set(0, combine(op, result, p))
    b.set(1, combine(op, ~result, p))


def compare_int(name: str, x: E, y: E, signed: bool) -> E:
    """An integer comparison by its printed name."""
    less = x.slt(y) if signed else x.ult(y)
    equal = x.eq(y)
    return {
        "F": FALSE,
        "LT": less,
        "EQ": equal,
        "LE": less | equal,
        "GT": ~(less | equal),
        "NE": ~equal,
        "GE": ~less,
        "T": TRUE,
    }[name]


@semantic("ISETP", "UISETP")
def isetp(b: Builder) -> None:
    """Comparison; EX takes the low words' result (last operand) where the high words are equal."""
    name = b.one("F", "LT", "EQ", "LE", "GT", "NE", "GE", "T")
    x, y, signed = b.integer(2), b.integer(3), not b.has("U32")
    if b.has("EX"):
        low = b.pred(5)
        if name in ("F", "T"):
            result = TRUE if name == "T" else FALSE
        elif name == "NE":
            result = x.ne(y) | low
        else:
            strict = FALSE if name == "EQ" else compare_int({"LE": "LT", "GE": "GT"}.get(name, name), x, y, signed)
            result = strict | (x.eq(y) & low)
    else:
        result = compare_int(name, x, y, signed)
    set_predicates(b, result, 4)


@semantic("IABS")
def iabs(b: Builder) -> None:
    x = b.integer(1)
    b.set(0, x.negative().select(-x, x))


def minmax(x: E, y: E, low: E, signed: bool) -> E:
    """`low` ? min : max."""
    x_less = x.slt(y) if signed else x.ult(y)
    return (x_less ^ ~low).select(x, y)


def _lanes(b: Builder, value: E) -> list[E]:
    """A 32-bit operand, or its two halves."""
    return [value.trunc(16), (value >> 16).trunc(16)] if b.has("U16x2", "S16x2") else [value]


def _simd(b: Builder, values: list[E], low: E) -> E:
    """Chain of minima or maxima over 32-bit or 16x2 operands, then RELU."""
    signed = not b.has("U32", "U16x2")
    wide = not b.has("U16x2", "S16x2")
    parts = [_lanes(b, v) for v in values]
    out = []
    for lane_values in zip(*parts, strict=True):
        result = lane_values[0]
        for v in lane_values[1:]:
            result = minmax(result, v, low, signed)
        if b.has("RELU"):
            result = result.negative().select(0, result)
        out.append(result)
    return out[0] if wide else concat(*out)


@semantic("VIMNMX", "IMNMX")
def vimnmx(b: Builder) -> None:
    """Minimum where the last predicate is true, else maximum. Predicate results: whether it is the first operand, of
    the low and the high half (nvcc's use of them for __vibmin_u16x2 and for max(a, b) == a)."""
    outs, sources, ins = split_preds(b)
    first = b.integer(sources[0])
    result = _simd(b, [first, *(b.integer(s) for s in sources[1:])], b.pred(ins[-1]))
    same = [x.eq(y) for x, y in zip(_lanes(b, result), _lanes(b, first), strict=True)]
    for position, out in enumerate(outs):
        b.set(out, same[min(position, len(same) - 1)])
    b.set(0, result)


@semantic("VIMNMX3")
def vimnmx3(b: Builder) -> None:
    b.set(0, _simd(b, [b.integer(1), b.integer(2), b.integer(3)], b.pred(4)))


@semantic("VIADDMNMX")
def viaddmnmx(b: Builder) -> None:
    """min or max of (a + b, c), the sum modulo 2^32 (or 2^16 per half)."""
    x, y = b.raw(1), b.raw(2)
    if b.has("U16x2", "S16x2"):
        lows, highs = (x.trunc(16), y.trunc(16)), ((x >> 16).trunc(16), (y >> 16).trunc(16))
        if b.flag(2, "neg"):
            total = concat(lows[0] - lows[1], highs[0] - highs[1])
        else:
            total = concat(lows[0] + lows[1], highs[0] + highs[1])
    else:
        total = x - y if b.flag(2, "neg") else x + y
    b.set(0, _simd(b, [total, b.integer(3)], b.pred(4)))


@semantic("IDP")
def idp(b: Builder) -> None:
    """4A: c + sum of four byte products. 2A: two 16-bit parts of a by the low or high two bytes of b."""
    names = [m for m in b.mods if m[0] in "US" and m[1:].isdigit()]
    x, y, c = b.raw(1), b.raw(2), b.integer(3)

    def part(v: E, at: int, bits: int, kind: str) -> E:
        piece = (v >> at).trunc(bits)
        return piece.sext(32) if kind[0] == "S" else piece.zext(32)

    total = c
    if b.has("4A"):
        for i in range(4):
            total = total + part(x, 8 * i, 8, names[0]) * part(y, 8 * i, 8, names[1])
    else:
        base = 16 if b.has("HI") else 0
        for i in range(2):
            total = total + part(x, 16 * i, 16, names[0]) * part(y, base + 8 * i, 8, names[1])
    b.set(0, total)


@semantic("VABSDIFF")
def vabsdiff(b: Builder) -> None:
    """|a - b| + c."""
    _, sources, _ = split_preds(b)
    x, y, c = (b.integer(s) for s in sources)
    less = x.ult(y) if b.has("U32") else x.slt(y)
    b.set(0, less.select(y - x, x - y) + c)


@semantic("VABSDIFF4")
def vabsdiff4(b: Builder) -> None:
    """Absolute differences of four bytes: their sum added to c (ACC), or packed (c is then ignored)."""
    _, sources, _ = split_preds(b)
    x, y, c = (b.integer(s) for s in sources)
    total, packed = c, const(0, 32)
    for i in range(4):
        p, q = ((v >> 8 * i).trunc(8) for v in (x, y))
        less = p.ult(q) if b.has("U8") else p.slt(q)
        d = less.select(q - p, p - q)
        total = total + d.zext(32)
        packed = packed | (d.zext(32) << 8 * i)
    b.set(0, total if b.has("ACC") else packed)


_RANGE = {
    "U8": (0, 255), "S8": (-128, 127), "U16": (0, 65535), "S16": (-32768, 32767), "U4": (0, 15), "S4": (-8, 7),
    "U2": (0, 3), "S2": (-2, 1),
}  # fmt: skip


def saturate(x: E, kind: str) -> E:
    """A signed 32-bit value clamped to a narrow type, kept in 32 bits."""
    low, high = _RANGE[kind]
    return x.smax(low).smin(high)


@semantic("I2I")
def i2i(b: Builder) -> None:
    """Saturating narrowing of a signed word; the result is sign- or zero-extended."""
    b.set(0, saturate(b.integer(1), b.mods[0]))


@semantic("I2IP")
def i2ip(b: Builder) -> None:
    """cvt.pack: a and b saturated, b lowest, then a, then the low bits of c."""
    kind, relu = b.mods[0], b.has("SATRELU")
    if kind not in _RANGE or isinstance(b.ops[1], Imm):
        raise b.fail()
    bits = int(kind[1:])
    values = []
    for i in (1, 2):
        v = b.integer(i)
        if relu:
            v = v.smax(0)
        if b.has("SAT", "SATRELU"):
            v = saturate(v, kind)
        values.append(v & ((1 << bits) - 1))
    packed = values[1] | values[0] << bits
    b.set(0, packed if bits == 16 else packed | b.integer(3) << 2 * bits)
