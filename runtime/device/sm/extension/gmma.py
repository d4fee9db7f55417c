"""Matrix multiply-add of a warpgroup (HGMMA, QGMMA, IGMMA, BGMMA), bit for bit as an H200 does it.

Each of the four warps makes its 16 rows of the 64 x N result. Operands come from shared memory by descriptors (A also
from registers), the accumulator is in registers. One step takes all k at once: exact products, all terms cut to a
multiple of 2^(E - F), E the largest exponent of a term that is not zero, summed exactly, rounded once. The arithmetic,
the fragment layouts and the descriptors were measured on an H200 (driver 580.159.04, 2026-11-20); `test_gmma.py` holds
this module to the measured tiles.

Operands are unpacked into the work area, int64 each: A's rows [16, K], B's columns [N, K], as significand and exponent,
and a mark for each row and column that has an infinity or a NaN.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import warp_of
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import (
    highest_bit,
    load8,
    load16,
    load32,
    load64,
    loads64,
    popcount,
    store16,
    store32,
    store64,
)
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, WS, G

NO = -(1 << 20)
"""Exponent of a zero."""
A_MANTISSA, A_EXPONENT, B_MANTISSA, B_EXPONENT, A_MARK, B_MARK, A_RAW, B_RAW, WORDS = (
    0, 1 << 10, 1 << 11, (1 << 11) + (1 << 14), (1 << 11) + (1 << 15), (1 << 11) + (1 << 15) + 16,
    (1 << 11) + (1 << 15) + 512, (1 << 11) + (1 << 15) + 2048, (1 << 11) + (1 << 15) + 2048 + (1 << 14),
)  # fmt: skip
"""Places in the work area, in words."""


@compiled(inline=True)
def descriptor_address(descriptor: int, index: int, k_byte: int, element: int, transposed: int) -> int:
    """Shared address of an element: `index` is the row of A or column of B, `k_byte` its k times the element's size
    (bytes; K-major), or k itself if the operand is stored the other way (16-bit elements only)."""
    start = (descriptor & 0x3FFF) << 4
    leading = (descriptor >> 16 & 0x3FFF) << 4
    stride = (descriptor >> 32 & 0x3FFF) << 4
    offset = descriptor >> 49 & 7
    swizzle = descriptor >> 62 & 3
    width = 16 if swizzle == 0 else 256 >> swizzle
    mask = 0 if swizzle == 0 else 15 >> swizzle
    if not transposed:
        a = start + (index & 7) * width + (index >> 3) * stride + k_byte // width * leading + k_byte % width
    else:
        byte = index * element
        k = k_byte
        if swizzle:
            a = start + (k & 7) * width + (k >> 3) * stride + byte // width * leading + byte % width
        else:
            a = start + (k & 7) * 16 + (k >> 3) * leading + (byte >> 4) * stride + (byte & 15)
    return a ^ (((a >> 7) - offset & mask) << 4)


@compiled(inline=True)
def bits_of(kind: int) -> int:
    """Bits of an element of a format."""
    if kind == K.GM_TF32:
        return 32
    if kind <= K.GM_BF16:
        return 16
    return 1 if kind == K.GM_B1 else 8


@compiled(inline=True)
def unpack(raw: int, kind: int, negate: int, mantissa: int, exponent: int, mark: int) -> None:
    """An element's bits as significand, exponent (of its significand's one) and mark, at these host addresses."""
    e_bits = 5
    f_bits = 10
    if kind == K.GM_BF16:
        e_bits = 8
        f_bits = 7
    elif kind == K.GM_TF32:
        e_bits = 8
        raw >>= 13
    elif kind == K.GM_E4M3:
        e_bits = 4
        f_bits = 3
    elif kind == K.GM_E5M2:
        f_bits = 2
    e = raw >> f_bits & (1 << e_bits) - 1
    m = raw & (1 << f_bits) - 1
    sign = (raw >> (e_bits + f_bits) & 1) ^ negate
    top = (1 << e_bits) - 1
    if kind == K.GM_E4M3:
        if e == top and m == 7:
            store64(mark, np.uint64(1))
    elif e == top:
        store64(mark, np.uint64(1))
    bias = (1 << (e_bits - 1)) - 1
    if e:
        m |= 1 << f_bits
    else:
        e = 1
    store64(exponent, np.uint64(e - bias if m else NO))
    store64(mantissa, np.uint64(-m if sign else m))


@compiled(inline=True)
def special(raw: int, kind: int) -> int:
    """1: infinity, 2: NaN, -1: zero, 0: any other; the sign apart."""
    if kind == K.GM_TF32:
        raw >>= 13
        top = 255 << 10
        m = 1023
        whole = (1 << 18) - 1
    elif kind == K.GM_F16:
        top = 31 << 10
        m = 1023
        whole = 0x7FFF
    elif kind == K.GM_BF16:
        top = 255 << 7
        m = 127
        whole = 0x7FFF
    elif kind == K.GM_E4M3:
        if raw & 127 == 127:
            return 2
        return -1 if raw & 127 == 0 else 0
    else:
        top = 31 << 2
        m = 3
        whole = 127
    if raw & top == top:
        return 2 if raw & m else 1
    return -1 if raw & whole == 0 else 0


@compiled
def to_f32(total: int, unit: int, kept: int) -> int:
    """Bits of total * 2^unit, towards zero, with `kept` significant bits."""
    if total == 0:
        return 0
    sign = 1 if total < 0 else 0
    size = -total if sign else total
    e = highest_bit(size) + unit
    if e >= 128:
        return sign << 31 | 0x7F800000
    last = e - kept + 1
    lowest = -125 - kept
    if last < lowest:
        last = lowest
    shift = last - unit
    if shift > 62:
        return 0
    size = size >> shift if shift > 0 else size << -shift
    if size == 0:
        return 0
    # In units of the last place of a binary32.
    if e < -126:
        return sign << 31 | size << (last + 149)
    return sign << 31 | (e + 126 << 23) + (size << (last - e + 23))


@compiled
def to_f16(total: int, unit: int) -> int:
    """Bits of total * 2^unit as a binary16, to nearest even."""
    if total == 0:
        return 0
    sign = 1 if total < 0 else 0
    size = -total if sign else total
    e = highest_bit(size) + unit
    if e >= 16:
        return sign << 15 | 0x7C00
    last = e - 10
    if last < -24:
        last = -24
    shift = last - unit
    if shift > 62:
        return 0
    if shift > 0:
        rest = size & (1 << shift) - 1
        size >>= shift
        half = 1 << (shift - 1)
        if rest > half or (rest == half and size & 1):
            size += 1
    else:
        size <<= -shift
    if size == 0:
        return 0
    value = size if e < -14 else (e + 14 << 10) + (size << (last - e + 10))
    return sign << 15 | (value if value < 0x7C00 else 0x7C00)


@compiled
def special_dot(work: int, r: int, n: int, depth: int, types: int, c: int, to: int) -> int:
    """A dot product with an infinity or NaN among its operands (raw bits in the work area, c as binary32 or 16 bits):
    0x7F800000 or 0x7C00 with a sign, the NaN, or -1 if it is finite after all."""
    kind_a = types & 7
    kind_b = types >> 3
    sign_a = bits_of(kind_a) - 1
    sign_b = bits_of(kind_b) - 1
    plus = 0
    minus = 0
    wrong = 0
    for k in range(depth):
        a = loads64(work + 8 * (A_RAW + r * depth + k))
        b = loads64(work + 8 * (B_RAW + n * depth + k))
        x = special(a, kind_a)
        y = special(b, kind_b)
        if x == 2 or y == 2 or (x + y == 0 and x * y < 0):
            wrong = 1
        elif x == 1 or y == 1:
            if (a >> sign_a ^ b >> sign_b) & 1:
                minus = 1
            else:
                plus = 1
    if to == K.GM_TO_F16:
        if c & 0x7C00 == 0x7C00:
            if c & 0x3FF:
                wrong = 1
            elif c >> 15:
                minus = 1
            else:
                plus = 1
    elif c & 0x7F800000 == 0x7F800000:
        if c & 0x7FFFFF:
            wrong = 1
        elif c >> 31:
            minus = 1
        else:
            plus = 1
    if wrong or (plus and minus):
        return 0x7FFF if to == K.GM_TO_F16 else 0x7FFFFFFF
    if plus or minus:
        return (minus << 15 | 0x7C00) if to == K.GM_TO_F16 else (minus << 31 | 0x7F800000)
    return -1


@compiled(inline=True)
def fused_dot(work: int, r: int, n: int, depth: int, fraction: int, f: int, floor: int, c: int, to: int) -> int:
    """Row r times column n plus c (bits); `fraction`: bits below a product's one, `f`: bits kept below E's."""
    ma = work + 8 * (A_MANTISSA + r * depth)
    ea = work + 8 * (A_EXPONENT + r * depth)
    mb = work + 8 * (B_MANTISSA + n * depth)
    eb = work + 8 * (B_EXPONENT + n * depth)
    top = floor
    for k in range(depth):
        e = loads64(ea + 8 * k) + loads64(eb + 8 * k)
        if e > top:
            top = e
    # The accumulator.
    if to == K.GM_TO_F16:
        ec = c >> 10 & 31
        mc = (c & 0x3FF) << 13
        negative = c >> 15 & 1
        bias = 15
    else:
        ec = c >> 23 & 255
        mc = c & 0x7FFFFF
        negative = c >> 31 & 1
        bias = 127
    if ec:
        mc |= 1 << 23
    else:
        ec = 1
    ec -= bias
    if mc and ec > top:
        top = ec
    up = f - fraction
    total = 0
    for k in range(depth):
        p = loads64(ma + 8 * k) * loads64(mb + 8 * k)
        down = top - loads64(ea + 8 * k) - loads64(eb + 8 * k)
        down = down if down < 62 else 62
        sign = p >> 63
        total += (((p ^ sign) - sign << up >> down) ^ sign) - sign
    if mc:
        down = top - ec - (f - 23)
        term = mc << -down if down < 0 else (mc >> down if down < 62 else 0)
        total += -term if negative else term
    if to == K.GM_TO_F16:
        return to_f16(total, top - f)
    return to_f32(total, top - f, 24 if f == 25 else 14)


@compiled(inline=True)
def integer_dot(work: int, r: int, n: int, depth: int, types: int, c: int, saturate: int) -> int:
    """The same in integers: bytes, or 256 bits in words of 32."""
    total = c - (1 << 32) if c >> 31 else c
    for k in range(depth):
        a = loads64(work + 8 * (A_RAW + r * depth + k))
        b = loads64(work + 8 * (B_RAW + n * depth + k))
        if types & 7 == K.GM_B1:
            total += popcount(np.uint32(a & b))
        else:
            if types & 7 == K.GM_S8 and a > 127:
                a -= 256
            if types >> 3 == K.GM_S8 and b > 127:
                b -= 256
            total += a * b
    if saturate:
        if total > (1 << 31) - 1:
            total = (1 << 31) - 1
        if total < -(1 << 31):
            total = -(1 << 31)
    return total & 0xFFFFFFFF


@compiled(inline=True)
def load_element(place: int, bits: int) -> int:
    """An element (of 1 bit: 32 of them) at a host address."""
    if bits == 16:
        return np.int64(load16(place))
    if bits == 8:
        return np.int64(load8(place))
    return np.int64(load32(place))


@compiled(inline=True)
def metadata(state: int, register: int, kind: int, selector: int, r: int, j: int, depth: int) -> int:
    """The metadata field of compressed element j of row r of a warp's 16: which of 4 (16-bit and bytes) it is, or for
    K.GM_TF32 two fields of 2 bits that pick halves."""
    g = r & 7
    h = r >> 3
    if kind <= K.GM_BF16:
        lane = 4 * g + 2 * (selector & 1) + (j >> 3) if depth == 16 else 4 * g + selector
        return np.int64(load32(state + register + 4 * lane)) >> (16 * h + 2 * (j & 7)) & 3
    if kind == K.GM_TF32:
        lane = 4 * g + 2 * (selector & 1) + (j >> 2) if depth == 8 else 4 * g + selector
        return np.int64(load32(state + register + 4 * lane)) >> (16 * h + 4 * (j & 3)) & 15
    lane = 4 * g + h + (2 * (j >> 4) if depth == 32 else 2 * selector)
    return np.int64(load32(state + register + 4 * lane)) >> (2 * (j & 15)) & 3


@compiled(inline=True)
def step_of(bits: int) -> int:
    """Bits of memory that are read at a time: single bits come by words."""
    return 32 if bits == 1 else bits


@compiled(inline=True)
def descriptor(i: int, state: int, which: int) -> int:
    """Of A (0) or B (1). With A in registers B's has a register of its own."""
    if CODE[i, L.C_AUX2] & K.GM_FROM_REGISTERS:
        return np.int64(load64(state + CODE[i, L.C_AUX3] + 8))
    return np.int64(load64(state + CODE[i, L.C_DATA] + 8 * which))


@compiled
def read_a(w: int, i: int, count: int, shared: int) -> int:
    """This warp's 16 rows of A, `count` elements each, as raw bits to the work area. 0 or minus the fault."""
    state = WS[w, L.W_STATE]
    work = G[L.G_WORK]
    how = CODE[i, L.C_AUX2]
    kind = CODE[i, L.C_TYPE] & 7
    bits = bits_of(kind)
    step = step_of(bits)
    from_memory = descriptor(i, state, 0)
    first_row = (WS[w, L.W_ID] & 3) * 16
    for r in range(16):
        store64(work + 8 * (A_MARK + r), np.uint64(0))
        for k in range(count):
            if how & K.GM_FROM_REGISTERS:
                # 4 bytes of k in a register: lane, register, part.
                group = k * step >> 5
                lane = 4 * (r & 7) + (group & 3)
                register = (r >> 3) + 2 * (group >> 2)
                word = np.int64(load32(state + CODE[i, L.C_DATA] + 128 * register + 4 * lane))
                raw = word >> (k * step & 31) & (1 << step) - 1
            else:
                if how & K.GM_TRANSPOSE_A:
                    a = descriptor_address(from_memory, first_row + r, k, 2, 1)
                else:
                    a = descriptor_address(from_memory, first_row + r, k * step >> 3, 2, 0)
                if a + (step >> 3) > G[L.G_SHAREDSIZE]:
                    G[L.G_FADDR] = a
                    return -K.F_ADDRESS
                raw = load_element(shared + a, step)
            if kind <= K.GM_E5M2 and how & K.GM_NEGATE_A:
                raw ^= 1 << bits - 1
            store64(work + 8 * (A_RAW + r * count + k), np.uint64(raw))
    return 0


@compiled
def read_b(w: int, i: int, full: int, shared: int) -> int:
    """All columns of B, `full` elements each, likewise."""
    work = G[L.G_WORK]
    how = CODE[i, L.C_AUX2]
    kind = CODE[i, L.C_TYPE] & 7
    bits = bits_of(kind)
    step = step_of(bits)
    from_memory = descriptor(i, WS[w, L.W_STATE], 1)
    for n in range(CODE[i, L.C_WIDTH]):
        store64(work + 8 * (B_MARK + n), np.uint64(0))
        for k in range(full):
            if how & K.GM_TRANSPOSE_B:
                a = descriptor_address(from_memory, n, k, 2, 1)
            else:
                a = descriptor_address(from_memory, n, k * step >> 3, 2, 0)
            if a + (step >> 3) > G[L.G_SHAREDSIZE]:
                G[L.G_FADDR] = a
                return -K.F_ADDRESS
            raw = load_element(shared + a, step)
            if kind <= K.GM_E5M2 and how & K.GM_NEGATE_B:
                raw ^= 1 << bits - 1
            store64(work + 8 * (B_RAW + n * full + k), np.uint64(raw))
    return 0


@compiled
def unpack_a(kind: int, count: int) -> None:
    """Mantissas, exponents and marks of A's rows."""
    work = G[L.G_WORK]
    for at in range(16 * count):
        unpack(
            loads64(work + 8 * (A_RAW + at)), kind, 0, work + 8 * (A_MANTISSA + at), work + 8 * (A_EXPONENT + at),
            work + 8 * (A_MARK + at // count),
        )  # fmt: skip


@compiled
def unpack_b(kind: int, count: int, columns: int) -> None:
    """Mantissas, exponents and marks of B's columns."""
    work = G[L.G_WORK]
    for at in range(columns * count):
        unpack(
            loads64(work + 8 * (B_RAW + at)), kind, 0, work + 8 * (B_MANTISSA + at), work + 8 * (B_EXPONENT + at),
            work + 8 * (B_MARK + at // count),
        )  # fmt: skip


@compiled(inline=True)
def fraction_bits(kind: int) -> int:
    """Of a floating format, without the leading one."""
    return 10 if kind == K.GM_F16 or kind == K.GM_TF32 else 7 if kind == K.GM_BF16 else 3 if kind == K.GM_E4M3 else 2


@compiled(inline=True)
def element_at(r: int, n: int, to: int) -> int:
    """Byte offset, from the first register of an accumulator, of row r's element n."""
    lane = 4 * (r & 7) + (n >> 1 & 3)
    if to == K.GM_TO_F16:
        return 128 * ((r >> 3) + 2 * (n >> 3)) + 4 * lane + 2 * (n & 1)
    return 128 * (2 * (r >> 3) + (n & 1) + 4 * (n >> 3)) + 4 * lane


@compiled(inline=True)
def dot(i: int, r: int, n: int, count: int, fraction: int, c: int) -> int:
    """The bits of row r times column n plus c."""
    work = G[L.G_WORK]
    types = CODE[i, L.C_TYPE]
    to = CODE[i, L.C_AUX] & 3
    kind = types & 7
    if kind > K.GM_E5M2:
        return integer_dot(work, r, n, count, types, c, CODE[i, L.C_AUX] & K.GM_SATURATE)
    top = 0x7C00 if to == K.GM_TO_F16 else 0x7F800000
    out = -1
    if c & top == top or load64(work + 8 * (A_MARK + r)) or load64(work + 8 * (B_MARK + n)):
        out = special_dot(work, r, n, count, types, c, to)
    if out < 0:
        f = 13 if kind == K.GM_E4M3 or kind == K.GM_E5M2 else 25
        out = fused_dot(work, r, n, count, fraction, f, -21 if to == K.GM_TO_F16 else -133, c, to)
    return out


@compiled
def multiply(w: int, i: int) -> int:
    """Carry out instruction i for warp w. C_WIDTH is N, C_SPACE K of A (as stored), C_TYPE the formats, C_OP's result
    in C_AUX, C_AUX2 how, C_DEST and C_DATA2 the first registers of result and accumulator (C_DATA2 -1: zero), C_DATA
    the descriptors or A's registers, C_AUX3 B's descriptor then, C_BANK the predicate of the accumulator (-1 none) and
    C_BYPASS its inversion, C_CLASS -1, C_TARGET the metadata register, C_SPAN its selector. 0 or minus the fault."""
    state = WS[w, L.W_STATE]
    shared = CT[WS[w, L.W_CTA], L.T_SHARED]
    columns = CODE[i, L.C_WIDTH]
    depth = CODE[i, L.C_SPACE]
    kind_a = CODE[i, L.C_TYPE] & 7
    kind_b = CODE[i, L.C_TYPE] >> 3
    sparse = CODE[i, L.C_AUX2] & K.GM_SPARSE
    count = depth >> 5 if bits_of(kind_a) == 1 else depth
    bad = read_a(w, i, count, shared)
    if bad < 0:
        return bad
    # Wide enough for a metadata field to reach.
    bad = read_b(w, i, 2 * count if sparse else count, shared)
    if bad < 0:
        return bad
    if kind_a <= K.GM_E5M2:
        unpack_a(kind_a, count)
        if not sparse:
            unpack_b(kind_b, count, columns)
    wanted = CODE[i, L.C_DATA2] >= 0
    if CODE[i, L.C_BANK] >= 0 and load32(state + CODE[i, L.C_BANK]) ^ np.uint32(CODE[i, L.C_BYPASS]) == np.uint32(0):
        wanted = False
    to = CODE[i, L.C_AUX] & 3
    fraction = fraction_bits(kind_a) + fraction_bits(kind_b)
    for r in range(16):
        if sparse:
            choose(state, G[L.G_WORK], r, columns, count, kind_a, kind_b, CODE[i, L.C_TARGET], CODE[i, L.C_SPAN])
        for n in range(columns):
            at = element_at(r, n, to)
            c = 0
            if wanted:
                place = state + CODE[i, L.C_DATA2] + at
                c = np.int64(load16(place)) if to == K.GM_TO_F16 else np.int64(load32(place))
            out = dot(i, r, n, count, fraction, c)
            if to == K.GM_TO_F16:
                store16(state + CODE[i, L.C_DEST] + at, np.uint64(out))
            else:
                store32(state + CODE[i, L.C_DEST] + at, np.uint32(out))
    WS[w, L.W_MULTIPLIED] += 1
    if WS[w, L.W_ID] & 3 == 0 and not wanted:
        begin(w, columns // 4 if to == K.GM_TO_F16 else columns // 2, CODE[i, L.C_DEST])
    return 0


@compiled
def begin(w: int, registers: int, place: int) -> None:
    """The first warp of a group has come to a multiply that begins at zero: the accumulators of the others are written,
    though they have not come to it yet (H200, 2026-11-22: `docs/ptxas.md`, rules of the machine)."""
    for n in range(WS[w, L.W_ID] + 1, min(WS[w, L.W_ID] + 4, G[L.G_WARPS])):
        other = warp_of(WS[w, L.W_CTA], n)
        if WS[other, L.W_MULTIPLIED] < WS[w, L.W_MULTIPLIED]:
            for at in range(32 * registers):
                store32(WS[other, L.W_STATE] + place + 4 * at, np.uint32(0))


@compiled
def choose(
    state: int, work: int, r: int, columns: int, count: int, kind_a: int, kind_b: int, register: int, selector: int
) -> None:
    """Sparse A: what row r's metadata picks from all columns of B, to where a dense B would be; raw bits of the whole
    of B stay behind it."""
    whole = WORDS
    if r == 0:
        for at in range(columns * 2 * count):
            store64(work + 8 * (whole + at), load64(work + 8 * (B_RAW + at)))
    for n in range(columns):
        store64(work + 8 * (B_MARK + n), np.uint64(0))
    for j in range(count):
        field = metadata(state, register, kind_a, selector, r, j, count)
        for n in range(columns):
            if kind_a == K.GM_TF32:
                pair = whole + n * 2 * count + 2 * j
                low = loads64(work + 8 * (pair + (field >> 1 & 1))) >> 16 * (field & 1) & 0xFFFF
                high = loads64(work + 8 * (pair + (field >> 3 & 1))) >> 16 * (field >> 2 & 1) & 0xFFFF
                raw = low | high << 16
            else:
                raw = loads64(work + 8 * (whole + n * 2 * count + 4 * (j >> 1) + field))
            at = n * count + j
            store64(work + 8 * (B_RAW + at), np.uint64(raw))
            if kind_b <= K.GM_E5M2:
                unpack(
                    raw, kind_b, 0, work + 8 * (B_MANTISSA + at), work + 8 * (B_EXPONENT + at), work + 8 * (B_MARK + n)
                )
