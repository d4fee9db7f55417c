"""Textures and surfaces: fetches with point and linear filtering, gathers, sizes, loads and stores of surfaces.

A handle is the number of a record (int64[TX_COLUMNS], see `layout`) in the table that the device's memory keeps.
Arrays lie row after row. What linear filtering does was found on an H200 (driver 580.159.04, 2026-11-21; 94 sets of
4,096 fetches, `test_texture.py` keeps some): a coordinate is rounded to 1/256; the weights of
two dimensions are rounded to 8 bits so that they add up to 256; texels are cut to 27 bits below the largest exponent of
one that counts, their weighted sum is rounded to nearest, ties away from zero (for 8- and 16-bit formats: to 16 bits).
The weights of three dimensions are an estimate: they are off by 1/256 in one fetch of six. Mip levels are not kept.
Of cubes, an H200 gives the same for 4,096 directions (ties between faces included), but for one linear fetch; filtering
does not go across edges (`seamlessCubemap`)."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.extension.bulk import touch
from runtime.device.sm.language.lang import Primitive, compiled, u32
from runtime.device.sm.language.raw import first, highest_bit, load8, load16, load32, loads64, store8, store16, store32
from runtime.device.sm.memory.access import half_to_float
from runtime.device.sm.memory.l1 import read_lines
from runtime.device.sm.memory.stores import write_lines
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, WS, G, X

WRAP, CLAMP, MIRROR, BORDER = range(4)
"""Address modes, with the driver's numbers."""
GUARD = 4
"""Bits kept below a binary32 at the largest exponent."""
ONE = 256


real = Primitive(
    "real", "float64(int64)",
    "%w = trunc i64 %0 to i32\n%f = bitcast i32 %w to float\n%d = fpext float %f to double\nret double %d",
)  # fmt: skip
"""A binary32's bits as a number."""
bits = Primitive(
    "bits", "int64(float64)",
    "%f = fptrunc double %0 to float\n%w = bitcast float %f to i32\n%r = zext i32 %w to i64\nret i64 %r",
)  # fmt: skip
"""A number rounded to a binary32, its bits."""
floor = Primitive("floor", "float64(float64)", "%r = call double @llvm.floor.f64(double %0)\nret double %r")


@compiled(inline=True)
def field(record: int, column: int) -> int:
    """A column of a texture's record."""
    return loads64(record + 8 * column)


@compiled
def resolve(i: int, n: int, mode: int) -> int:
    """The texel that index i of a row of n means; -1: the border."""
    if i >= 0 and i < n:
        return i
    if mode == WRAP:
        return i % n
    if mode == CLAMP:
        return 0 if i < 0 else n - 1
    if mode == MIRROR:
        i = i % (2 * n)
        return i if i < n else 2 * n - 1 - i
    return -1


@compiled
def texel(record: int, x: int, y: int, z: int, channel: int) -> int:
    """Raw bits of a channel of a texel (sign-extended if it is signed), or of the border (x < 0)."""
    if channel >= field(record, L.TX_CHANNELS):
        return 0
    if x < 0 or y < 0 or z < 0:
        return field(record, L.TX_BORDER + channel)
    kind = field(record, L.TX_FORMAT)
    width = field(record, L.TX_WIDTH_BYTES)
    offset = z * field(record, L.TX_SLICE) + y * field(record, L.TX_PITCH)
    offset += (x * field(record, L.TX_CHANNELS) + channel) * width
    touch(field(record, L.TX_ADDRESS) + offset, width)
    place = field(record, L.TX_ADDRESS) - G[L.G_MEMBASE] + G[L.G_MEM] + offset
    if width == 1:
        value = np.int64(load8(place))
        return value - 256 if kind == K.TF_SIGNED and value > 127 else value
    if width == 2:
        value = np.int64(load16(place))
        return value - 65536 if kind == K.TF_SIGNED and value > 32767 else value
    return np.int64(load32(place))


@compiled
def plain(record: int, raw: int, border: int) -> int:
    """What a fetch without filtering gives for raw bits."""
    kind = field(record, L.TX_FORMAT)
    if kind == K.TF_FLOAT:
        if field(record, L.TX_WIDTH_BYTES) == 2 and not border:
            return np.int64(half_to_float(np.uint64(raw)))
        return raw & 0xFFFFFFFF
    if not field(record, L.TX_NORMALIZED_READ):
        return raw & 0xFFFFFFFF
    if border:
        return raw & 0xFFFFFFFF
    top = (1 << 8 * field(record, L.TX_WIDTH_BYTES) - (1 if kind == K.TF_SIGNED else 0)) - 1
    if raw < -top:
        raw = -top
    return bits(raw / top)


@compiled(inline=True)
def sixteen(record: int, raw: int) -> int:
    """An 8- or 16-bit texel as 16 bits."""
    if field(record, L.TX_WIDTH_BYTES) == 2:
        return raw if raw > -32768 or field(record, L.TX_FORMAT) != K.TF_SIGNED else -32767
    if field(record, L.TX_FORMAT) == K.TF_UNSIGNED:
        return raw * 257
    size = -raw if raw < 0 else raw
    if size > 127:
        size = 127
    size = size << 8 | size << 1 | size >> 6
    return -size if raw < 0 else size


@compiled
def filtered(record: int, place: int, weights: int, count: int, channel: int) -> int:
    """The weighted sum of `count` texels: their indices (x, y, z) at host address `place`, weights at `weights`."""
    kind = field(record, L.TX_FORMAT)
    if kind != K.TF_FLOAT:
        total = 0
        for k in range(count):
            w = loads64(weights + 8 * k)
            if w:
                at = place + 24 * k
                raw = texel(record, loads64(at), loads64(at + 8), loads64(at + 16), channel)
                total += w * sixteen(record, raw)
        top = 32767 if kind == K.TF_SIGNED else 65535
        return bits((total + 128 >> 8) / top)
    half = field(record, L.TX_WIDTH_BYTES) == 2
    # Bits that a binary16 has fewer.
    drop = 13 if half else 0
    top = -300
    odd = 0
    for turn in range(2):
        total = 0
        for k in range(count):
            w = loads64(weights + 8 * k)
            if w == 0:
                continue
            at = place + 24 * k
            outside = loads64(at) < 0 or loads64(at + 8) < 0 or loads64(at + 16) < 0
            raw = plain(record, texel(record, loads64(at), loads64(at + 8), loads64(at + 16), channel), outside)
            e = raw >> 23 & 255
            m = raw & 0x7FFFFF
            if e == 255:
                odd = raw if odd == 0 or odd == raw else 0x7FFFFFFF
            if e:
                m |= 1 << 23
            else:
                e = 1
            if m == 0:
                continue
            if turn == 0:
                if e > top:
                    top = e
            else:
                down = top - e + drop
                part = m << GUARD >> (down if down < 40 else 40)
                total += -part * w if raw >> 31 else part * w
    if odd:
        return odd
    if total == 0:
        return 0
    sign = 1 if total < 0 else 0
    size = -total if sign else total
    kept = 11 if half else 24
    unit = top - 127 - 23 - GUARD - 8 + drop
    e = highest_bit(size) + unit
    least = -24 if half else -149
    last = e - kept + 1
    if last < least:
        last = least
    shift = last - unit
    if shift > 0:
        size = size + (1 << shift - 1) >> shift
    else:
        size <<= -shift
    value = np.float64(size)
    for _ in range(last, 0):
        value *= 0.5
    for _ in range(0, last):
        value *= 2.0
    return bits(-value if sign else value)


@compiled
def fixed(record: int, raw: int, dimension: int, linear: int) -> int:
    """A coordinate (binary32 bits) in 1/256 texels; for a linear fetch from the middle of the first texel on."""
    n = field(record, L.TX_SIZE + dimension)
    x = real(raw)
    if x != x:
        x = 0.0
    mode = field(record, L.TX_MODE + dimension)
    if field(record, L.TX_NORMALIZED):
        whole = floor(x)
        part = x - whole
        if mode == WRAP:
            x = part
        elif mode == MIRROR:
            x = 1.0 - part if np.int64(whole) & 1 else part
        x *= n
    if x > 1e9:
        x = 1e9
    if x < -1e9:
        x = -1e9
    return np.int64(floor(x * 256.0 + 0.5)) - 128 if linear else np.int64(floor(x)) << 8


@compiled
def face_of(record: int, x: int, y: int, z: int, place: int) -> int:
    """The face of a cube that a direction (binary32 bits) meets; at `place` where on it, in a texture's coordinates."""
    a = real(x)
    b = real(y)
    c = real(z)
    u = -a if a < 0.0 else a
    v = -b if b < 0.0 else b
    w = -c if c < 0.0 else c
    face = 0
    across = 0.0
    down = -b
    size = u
    if w >= u and w >= v:
        face = 5 if c < 0.0 else 4
        across = -a if c < 0.0 else a
        size = w
    elif v >= u:
        face = 3 if b < 0.0 else 2
        across = a
        down = -c if b < 0.0 else c
        size = v
    else:
        face = 1 if a < 0.0 else 0
        across = c if a < 0.0 else -c
    if size == 0.0:
        size = 1.0
    scale = 1.0
    if not field(record, L.TX_NORMALIZED):
        scale = np.float64(field(record, L.TX_SIZE))
    store32(place, np.uint32(bits((across / size * 0.5 + 0.5) * scale)))
    store32(place + 128, np.uint32(bits((down / size * 0.5 + 0.5) * scale)))
    return face


@compiled(inline=True)
def mode_of(record: int, dimension: int) -> int:
    """An address mode; wrapping and mirroring need normalized coordinates."""
    mode = field(record, L.TX_MODE + dimension)
    if mode != CLAMP and mode != BORDER and not field(record, L.TX_NORMALIZED):
        return CLAMP
    return mode


@compiled
def put(w: int, i: int, lane: int, k: int, value: int) -> None:
    """Component number k (of those that are wanted) of a lane's result."""
    base = CODE[i, L.C_DEST] if k < 2 else CODE[i, L.C_DATA2]
    store32(WS[w, L.W_STATE] + base + 128 * (k & 1) + 4 * lane, np.uint32(value & 0xFFFFFFFF))


@compiled
def fetch(w: int, i: int, mask: u32) -> int:
    """TEX, TXD, TLD, TLD4, TXQ, SULD, SUST (C_AUX) of the lanes `mask`. 0 or minus the fault."""
    state = WS[w, L.W_STATE]
    work = G[L.G_WORK]
    what = CODE[i, L.C_AUX]
    dimensions = CODE[i, L.C_WIDTH]
    layered = CODE[i, L.C_AUX3]
    wanted = CODE[i, L.C_BANK]
    handle = np.int64(load32(state + CODE[i, L.C_TARGET])) & 0xFFFFF
    if handle == 0 or handle > G[L.G_NTEXTURES]:
        G[L.G_FADDR] = handle
        return -K.F_INSTR
    record = G[L.G_TEXTURES] + 8 * L.TX_COLUMNS * (handle - 1)
    linear = field(record, L.TX_LINEAR) and (what == K.TX_FETCH or what == K.TX_GATHER)
    while mask:
        lane = first(mask)
        mask &= mask - np.uint32(1)
        source = state + CODE[i, L.C_DATA] + 4 * lane
        if what == K.TX_QUERY:
            k = 0
            for c in range(4):
                if wanted >> c & 1:
                    put(w, i, lane, k, field(record, L.TX_SIZE + c) if c < 3 else 1)
                    k += 1
            continue
        if what == K.TX_LOAD_SURFACE or what == K.TX_STORE_SURFACE:
            bad = surface(w, i, lane, record, what, dimensions + layered, source)
            if bad:
                return bad
            continue
        layer = 0
        if layered:
            layer = np.int64(load32(source))
            last = field(record, L.TX_SIZE + dimensions) - 1
            if CODE[i, L.C_AUX2]:
                last = last // 6
            layer = layer if layer < last else last
            source += 128
        if CODE[i, L.C_AUX2]:
            # A direction; the faces of a cube are layers.
            place = work + 8 * 600
            x = np.int64(load32(source))
            y = np.int64(load32(source + 128))
            z = np.int64(load32(source + 256))
            layer = layer * 6 + face_of(record, x, y, z, place)
            source = place
        # Two indices and a weight for each dimension, at work: index, index + 1, weight of the second.
        for d in range(3):
            low = 0
            high = 0
            weight = 0
            if d < dimensions:
                raw = np.int64(load32(source + 128 * d))
                n = field(record, L.TX_SIZE + d)
                if what == K.TX_TEXEL:
                    low = raw - (1 << 32) if raw >> 31 else raw
                    low = resolve(low, n, BORDER)
                    high = low
                else:
                    at = fixed(record, raw, d, 1 if linear or what == K.TX_GATHER else 0)
                    low = resolve(at >> 8, n, mode_of(record, d))
                    high = resolve((at >> 8) + 1, n, mode_of(record, d))
                    weight = at & 255 if linear and what == K.TX_FETCH else 0
            elif d == dimensions and (layered or CODE[i, L.C_AUX2]):
                low = layer
                high = layer
            place = work + 8 * (512 + 3 * d)
            store_three(place, low, high, weight)
        count = 4 if what == K.TX_GATHER else 1
        if linear and what == K.TX_FETCH:
            count = 1 << dimensions
        corners(work, count, what)
        k = 0
        for c in range(4):
            if not wanted >> c & 1:
                continue
            value = 0
            if what == K.TX_GATHER:
                # Counter-clockwise from the lower left.
                corner = 2 if c == 0 else 3 if c == 1 else 1 if c == 2 else 0
                at = work + 24 * corner
                raw = texel(record, loads64(at), loads64(at + 8), loads64(at + 16), CODE[i, L.C_SPAN])
                value = plain(record, raw, 1 if loads64(at) < 0 or loads64(at + 8) < 0 else 0)
            elif count == 1:
                if what == K.TX_TEXEL and (loads64(work) < 0 or loads64(work + 8) < 0 or loads64(work + 16) < 0):
                    value = 0
                else:
                    raw = texel(record, loads64(work), loads64(work + 8), loads64(work + 16), c)
                    value = plain(record, raw, 1 if loads64(work) < 0 or loads64(work + 8) < 0 else 0)
            elif c < field(record, L.TX_CHANNELS):
                value = filtered(record, work, work + 8 * 256, count, c)
            put(w, i, lane, k, value)
            k += 1
    return 0


@compiled(inline=True)
def store_three(place: int, a: int, b: int, c: int) -> None:
    """Three words at a host address."""
    store64s(place, a)
    store64s(place + 8, b)
    store64s(place + 16, c)


@compiled(inline=True)
def store64s(place: int, value: int) -> None:
    """A word at a host address."""
    store32(place, np.uint32(value & 0xFFFFFFFF))
    store32(place + 4, np.uint32(value >> 32 & 0xFFFFFFFF))


@compiled
def corners(work: int, count: int, what: int) -> None:
    """From the indices of each dimension: those of each texel at `work` and its weight behind."""
    for k in range(count):
        for d in range(3):
            place = work + 8 * (512 + 3 * d)
            store64s(work + 24 * k + 8 * d, loads64(place + 8 * (k >> d & 1)))
    x = loads64(work + 8 * 514)
    y = loads64(work + 8 * 517)
    z = loads64(work + 8 * 520)
    if count == 1 or what == K.TX_GATHER:
        return
    weights = work + 8 * 256
    if count == 2:
        store64s(weights, ONE - x)
        store64s(weights + 8, x)
        return
    both = (ONE - x) * (ONE - y) + 128 >> 8
    for k in range(4):
        part = both
        if k == 1:
            part = ONE - y - both
        elif k == 2:
            part = ONE - x - both
        elif k == 3:
            part = x + y - ONE + both
        if count == 8:
            near = part * (ONE - z) + 128 >> 8
            store64s(weights + 8 * (k + 4), part - near)
            part = near
        store64s(weights + 8 * k, part)


@compiled
def surface(w: int, i: int, lane: int, record: int, what: int, dimensions: int, source: int) -> int:
    """SULD or SUST of raw bytes at (x in bytes, y, z or layer). Outside: a fault, nothing, or the nearest texel
    (C_BYPASS 0, 1, 2)."""
    width = CODE[i, L.C_SPACE]
    offset = 0
    inside = True
    for d in range(dimensions):
        raw = np.int64(load32(source + 128 * d))
        x = raw - (1 << 32) if raw >> 31 else raw
        n = field(record, L.TX_SIZE + d)
        unit = 1
        if d == 0:
            n *= field(record, L.TX_CHANNELS) * field(record, L.TX_WIDTH_BYTES)
            unit = width
        if x < 0 or x + unit > n:
            inside = False
            x = 0 if x < 0 else n - unit
        if x % unit:
            G[L.G_FLANE] = lane
            G[L.G_FADDR] = x
            return -K.F_ALIGN
        offset += x * (1 if d == 0 else field(record, L.TX_PITCH) if d == 1 else field(record, L.TX_SLICE))
        if d == 1 and dimensions == 2 and CODE[i, L.C_AUX3]:
            offset += x * (field(record, L.TX_SLICE) - field(record, L.TX_PITCH))
    data = WS[w, L.W_STATE] + CODE[i, L.C_DEST] + 4 * lane
    outside = CODE[i, L.C_BYPASS]
    if not inside and outside == 0:
        G[L.G_FLANE] = lane
        G[L.G_FADDR] = field(record, L.TX_ADDRESS) + offset
        return -K.F_ADDRESS
    place = field(record, L.TX_ADDRESS) - G[L.G_MEMBASE] + G[L.G_MEM] + offset
    if not inside and outside == 1:
        if what == K.TX_LOAD_SURFACE:
            for part in range(0, max(width, 4), 4):
                store32(data + 32 * part, np.uint32(0))
        return 0
    touch(field(record, L.TX_ADDRESS) + offset, width)
    if what == K.TX_LOAD_SURFACE:
        if width == 1:
            store32(data, np.uint32(load8(place)))
        elif width == 2:
            store32(data, np.uint32(load16(place)))
        else:
            for part in range(0, width, 4):
                store32(data + 32 * part, load32(place + part))
    elif width == 1:
        store8(place, np.uint64(load32(data)))
    elif width == 2:
        store16(place, np.uint64(load32(data)))
    else:
        for part in range(0, width, 4):
            store32(place + part, load32(data + 32 * part))
    return 0


@compiled
def texture_time(m: int, i: int, t: int) -> int:
    """When the fetches whose lines are noted are done, if the unit took them at `t`."""
    n = G[L.G_NLINE] if G[L.G_NLINE] < 1000 else 1000
    base = G[L.G_LINES]
    lines = 0
    for k in range(n):
        line = loads64(base + 16 * k)
        found = -1
        for j in range(lines):
            if X[2 * j] == line:
                found = j
                break
        if found < 0:
            found = lines
            X[2 * found] = line
            X[2 * found + 1] = 0
            lines += 1
        X[2 * found + 1] |= loads64(base + 16 * k + 8)
    G[L.G_NLINE] = 0
    if lines == 0:
        return t + CODE[i, L.C_LATENCY]
    if CODE[i, L.C_AUX] == K.TX_STORE_SURFACE:
        return write_lines(lines, 4 * m, t, -1, 0, 0, 32, 1, t, False, i)
    return read_lines(lines, m, t, CODE[i, L.C_LATENCY] + lines, 0, i)
