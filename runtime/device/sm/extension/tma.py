"""Tensor copies: boxes of tensors of one to five dimensions between global and shared memory (UTMALDG, UTMASTG,
UTMAREDG), by the 128 bytes of a tensor map as the driver's cuTensorMapEncode* make them.

Words of 64 bits: 0 the address; 1 (below) bit 0 im2col, 4..6 rank - 1, 7..10 type, 11..12 interleave, 13..14 swizzle,
15 NaN outside, 16 TF32, 17..18 promotion, (above) the second dimension's stride / 16; 2, 3 those of the others, with
bits 32..35 of each in word 3 from 32 on; 4..6 sizes less 1, 32 bits each; 6 from 32 on steps less 1, 3 bits each, and
from 56 on the box's first size less 1; 7 the others' or, for im2col, the corners (lower, then upper, a byte each) and
above pixels less 1. Read off the maps that an H200's driver (580.159.04) made of 60 descriptions, 2026-11-21."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.extension.bulk import move, told, touch
from runtime.device.sm.extension.cluster import OFFSET, shared_host
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import load16, load32, load64, loads64, store8, store16, store32, store64
from runtime.device.sm.memory.access import allocated, combine, combine_half
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, WS, G

MAP = 128
"""Bytes of a map."""
SIZE, STRIDE, BOX, STEP, AT, INDEX = 0, 8, 16, 24, 32, 40
"""Places in the work area (words) of what a map says of each dimension, of the coordinates, and of the position in the
box."""
S32, S64, F16, F32, F32_FTZ, F64, BF16 = 3, 5, 6, 7, 8, 9, 10
"""Types of maps that matter here."""


@compiled(inline=True)
def element_bytes(kind: int) -> int:
    """Bytes of an element of a map's type."""
    if kind == 0:
        return 1
    if kind == 1 or kind == 6 or kind == 10:
        return 2
    if kind == 4 or kind == 5 or kind == 9:
        return 8
    return 4


@compiled
def parse(place: int, work: int) -> None:
    """A tiled map's sizes, strides, box and steps to the work area."""
    high = loads64(place + 24) >> 32
    for d in range(5):
        word = loads64(place + 32 + 8 * (d >> 1))
        store64(work + 8 * (SIZE + d), np.uint64((word >> 32 * (d & 1) & 0xFFFFFFFF) + 1))
        step = (loads64(place + 48) >> (32 + 3 * d) & 7) + 1
        store64(work + 8 * (STEP + d), np.uint64(step))
        box = loads64(place + 48) >> 56 & 255 if d == 0 else loads64(place + 56) >> 8 * (d - 1) & 255
        store64(work + 8 * (BOX + d), np.uint64(box + 1))
        if d:
            stride = np.int64(load32(place + 8 + 4 * d)) | (high >> 4 * (d - 1) & 15) << 32
            store64(work + 8 * (STRIDE + d), np.uint64(stride << 4))


@compiled(inline=True)
def swizzled(a: int, how: int) -> int:
    """A shared address with its bits from 4 on mixed with those from 7 on: 1: 32, 2: 64, 3: 128 bytes."""
    return a ^ ((a >> 7) & ((1 << how) - 1)) << 4


@compiled(inline=True)
def outside(target: int, size: int, nan: int) -> None:
    """What an element outside the tensor reads as: zeros, or 0x7ff7 over and over."""
    for k in range(size):
        store8(target + k, np.uint64((0x7F if k & 1 else 0xF7) if nan else 0))


@compiled(inline=True)
def fetch(target: int, source: int, flags: int) -> None:
    """An element of a tensor to shared memory; TF32 rounds to nearest."""
    size = element_bytes(flags >> 7 & 15)
    if flags >> 16 & 1:
        word = np.int64(load32(source))
        if word & 0x7FFFFFFF > 0x7F800000:
            word = 0x7FFFE000
        else:
            word = (word + 0x1000) & 0xFFFFE000
        store32(target, np.uint32(word))
    else:
        move(target, source, size)


@compiled
def combine_element(target: int, source: int, size: int, operation: int, kind: int) -> None:
    """Combine an element of a map's type into global memory."""
    if size == 8:
        type_ = K.T_F64 if kind == F64 else K.T_S64 if kind == S64 else K.T_U64
        store64(target, combine(operation, type_, load64(target), load64(source)))
    elif size == 4:
        type_ = K.T_F32 if kind == F32 else K.T_F32_FTZ if kind == F32_FTZ else K.T_S32 if kind == S32 else K.T_U32
        new = combine(operation, type_, np.uint64(load32(target)), np.uint64(load32(source)))
        store32(target, np.uint32(new & np.uint64(0xFFFFFFFF)))
    else:
        type_ = K.T_BF16X2 if kind == BF16 else K.T_F16X2
        store16(target, combine_half(operation, type_, load16(target), load16(source)))


@compiled
def element(w: int, i: int, a: int, position: int, smem: int, flags: int, ranks: int) -> int:
    """Move one element: `a` is its device address (-1: outside the tensor), `position` its offset in the box. 0 or
    minus the fault."""
    how = CODE[i, L.C_AUX2]
    kind = flags >> 7 & 15
    size = element_bytes(kind)
    base = G[L.G_MEMBASE]
    if a >= 0:
        if not allocated(size, a - base, a - base, i):
            G[L.G_FADDR] = a
            return -K.F_ADDRESS
        touch(a, size)
        a += G[L.G_MEM] - base
    place = swizzled((smem & OFFSET) + position, flags >> 13 & 3)
    for rank in range(16):
        if ranks >> rank & 1:
            full = place | (rank << 24 if how & K.BC_MULTICAST else smem & ~OFFSET)
            host = shared_host(w, full, size)
            if host == 0:
                G[L.G_FADDR] = full
                return -K.F_ADDRESS
            if how & K.BC_TO_SHARED:
                if a < 0:
                    outside(host, size, flags >> 15 & 1)
                else:
                    fetch(host, a, flags)
            elif a >= 0:
                if how & K.BC_REDUCE:
                    combine_element(a, host, size, CODE[i, L.C_AUX], kind)
                else:
                    move(a, host, size)
    return 0


@compiled(inline=True)
def corner(place: int, k: int) -> int:
    """Corner offset k of an im2col map: those of the lower corner come first. Signed; of 16, 8 or 5 bits, as many as
    fit 16 bits."""
    rank = (np.int64(load32(place + 8)) >> 4 & 7) + 1
    word = np.int64(load32(place + 56))
    count = rank - 2
    bits = 16 if count == 1 else 8 if count == 2 else 5
    half = word >> 16 if k >= count else word
    value = half >> bits * (k % count) & (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


@compiled
def columns(w: int, i: int, place: int, smem: int, ranks: int, extra: int) -> int:
    """An im2col copy: pixels one after the other through the bounding box that the corners leave of each image,
    beginning at the coordinates, each with its channels; `extra` has the offsets of the filter's position. Bytes, or
    minus the fault."""
    work = G[L.G_WORK]
    flags = np.int64(load32(place + 8))
    rank = (flags >> 4 & 7) + 1
    size = element_bytes(flags >> 7 & 15)
    channels = loads64(work + 8 * BOX)
    position = 0
    inner = rank - 2
    bits = 16 if inner == 1 else 8 if inner == 2 else 5
    for _ in range((loads64(place + 56) >> 32 & 0xFFFF) + 1):
        for channel in range(channels):
            a = loads64(place)
            for d in range(rank):
                x = loads64(work + 8 * (AT + d))
                if d == 0:
                    x += channel
                elif d <= inner:
                    x += extra >> bits * (d - 1) & (1 << bits) - 1
                if x < 0 or x >= loads64(work + 8 * (SIZE + d)):
                    a = -1
                elif a >= 0:
                    a += x * (size if d == 0 else loads64(work + 8 * (STRIDE + d)))
            bad = element(w, i, a, position, smem, flags, ranks)
            if bad:
                return bad
            position += size
        d = 1
        while d <= inner:
            x = loads64(work + 8 * (AT + d)) + loads64(work + 8 * (STEP + d))
            if x < loads64(work + 8 * (SIZE + d)) + corner(place, inner + d - 1):
                store64(work + 8 * (AT + d), np.uint64(x))
                break
            store64(work + 8 * (AT + d), np.uint64(corner(place, d - 1)))
            d += 1
        if d > inner:
            store64(work + 8 * (AT + d), np.uint64(loads64(work + 8 * (AT + d)) + 1))
    return position


@compiled
def box(w: int, i: int, place: int, smem: int, ranks: int) -> int:
    """A tiled copy. Bytes, or minus the fault."""
    work = G[L.G_WORK]
    flags = np.int64(load32(place + 8))
    rank = (flags >> 4 & 7) + 1
    size = element_bytes(flags >> 7 & 15)
    count = 1
    for d in range(rank):
        # The first dimension has no steps.
        steps = loads64(work + 8 * (BOX + d)) // (loads64(work + 8 * (STEP + d)) if d else 1)
        if steps == 0:
            steps = 1
        store64(work + 8 * (BOX + d), np.uint64(steps))
        store64(work + 8 * (INDEX + d), np.uint64(0))
        count *= steps
    # A step of the first dimension makes the copy end early, and nothing else.
    count //= loads64(work + 8 * STEP)
    for n in range(count):
        a = loads64(place)
        for d in range(rank):
            x = loads64(work + 8 * (INDEX + d)) * (loads64(work + 8 * (STEP + d)) if d else 1)
            x += loads64(work + 8 * (AT + d))
            if x < 0 or x >= loads64(work + 8 * (SIZE + d)):
                a = -1
                break
            a += x * (size if d == 0 else loads64(work + 8 * (STRIDE + d)))
        bad = element(w, i, a, n * size, smem, flags, ranks)
        if bad:
            return bad
        for d in range(rank):
            k = loads64(work + 8 * (INDEX + d)) + 1
            if k < loads64(work + 8 * (BOX + d)):
                store64(work + 8 * (INDEX + d), np.uint64(k))
                break
            store64(work + 8 * (INDEX + d), np.uint64(0))
    return count * size


@compiled
def tensor(w: int, i: int) -> int:
    """Carry out tensor copy i of warp w. Operands in uniform registers: shared address, mbarrier (copies to shared
    memory only), coordinates; the map's address; and the ranks to send to, with the offsets of im2col below. 0 or minus
    the fault."""
    state = WS[w, L.W_STATE]
    how = CODE[i, L.C_AUX2]
    rank = CODE[i, L.C_WIDTH]
    work = G[L.G_WORK]
    at = np.int64(load64(state + CODE[i, L.C_DATA]))
    offset = at - G[L.G_MEMBASE]
    G[L.G_FADDR] = at
    if at & 63:
        return -K.F_ALIGN
    if not allocated(MAP, offset, offset, i):
        return -K.F_ADDRESS
    place = G[L.G_MEM] + offset
    flags = np.int64(load32(place + 8))
    if (flags >> 4 & 7) + 1 != rank or (flags & 1) != (1 if how & K.BC_IM2COL else 0) or flags >> 11 & 3:
        # Not such a map (or an interleaved one, which is not modelled).
        return -K.F_INSTR
    parse(place, work)
    operands = state + CODE[i, L.C_DEST]
    smem = np.int64(load32(operands))
    first = 2 if how & K.BC_TO_SHARED else 1
    for d in range(rank):
        c = np.int64(load32(operands + 4 * (first + d)))
        store64(work + 8 * (AT + d), np.uint64(c - (1 << 32) if c >> 31 else c))
    if loads64(work + 8 * AT) * element_bytes(flags >> 7 & 15) & 15:
        # A box begins at a multiple of 16 bytes of its row: anything else traps.
        return -K.F_INSTR
    extra = np.int64(load32(state + CODE[i, L.C_DATA2])) if CODE[i, L.C_DATA2] >= 0 else 0
    ranks = extra >> 16 & 0xFFFF if how & K.BC_MULTICAST else 1
    if how & K.BC_IM2COL:
        size = columns(w, i, place, smem, ranks, extra & 0xFFFF)
    else:
        size = box(w, i, place, smem, ranks)
    if size < 0 or not how & K.BC_TO_SHARED:
        return size if size < 0 else 0
    barrier = np.int64(load32(operands + 4))
    for r in range(16):
        if ranks >> r & 1:
            bad = told(w, barrier, r, size, 0 if how & K.BC_MULTICAST else 1)
            if bad:
                return bad
    return 0
