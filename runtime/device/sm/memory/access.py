"""What the load/store unit does with 32 lane addresses: translation and bounds, moving the data, atomics, coalescing.

`lanes` is the host address of 32 u64 device addresses, `hosts` of 32 int64 host addresses. Rows of registers are 128
bytes apart; `dst`, `src` are host addresses of a first row.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled, u32, u64
from runtime.device.sm.language.raw import (
    add_f32,
    add_f64,
    first,
    load8,
    load16,
    load32,
    load64,
    loads64,
    popcount,
    store8,
    store16,
    store32,
    store64,
)
from runtime.device.sm.language.vector import (
    add_all,
    after_half,
    after_two,
    any_bits,
    clear_tally,
    copy8,
    count,
    highest,
    lanes_at,
    largest,
    lowest,
    most,
    moved,
    spread8,
    touched,
)
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, G, X

FULL = 0xFFFFFFFF
EIGHTS = 0x01010101
"""The first lane of each eight."""
EVEN, LOWER = 0x55555555, 0x33333333
"""The first lane of each two, the first two of each four."""
WINDOW = 1 << 24
"""Bytes of the generic windows of shared and local memory (of each CTA of a cluster)."""
MANY = 6
"""From so many lanes on that are in another line than the lane before them, lanes are looked at one after another."""
SURVEY_PASSES = 4001
"""Where `survey` leaves its second answer."""


@compiled(inline=True)
def allocated(width: int, low: int, high: int, i: int) -> int:
    """Whether `width` bytes at the offsets from `low` to `high` lie in one allocation. Instruction i begins with
    the one that it found last."""
    spans = G[L.G_SPANS]
    k = CODE[i, L.C_SPAN]
    if low >= loads64(spans + 16 * k) and high + width <= loads64(spans + 16 * k + 8):
        return 1
    first_ = 0
    last = G[L.G_NSPANS]
    while last - first_ > 1:
        middle = (first_ + last) >> 1
        if loads64(spans + 16 * middle) <= low:
            first_ = middle
        else:
            last = middle
    if low >= loads64(spans + 16 * first_) and high + width <= loads64(spans + 16 * first_ + 8):
        CODE[i, L.C_SPAN] = first_
        return 1
    return 0


@compiled(rare=True)
def translate_each(
    space: int, width: int, mask: u32, lanes: int, hosts: int, shared: int, local: int, bank: int
) -> int:
    """Host addresses of the active lanes, one by one: 0, or minus the first lane's fault (lane, address in G).
    `shared`/`local` are host addresses of the CTA's and of the warp's lane 0's memory."""
    base = G[L.G_MEMBASE]
    size = G[L.G_MEMSIZE]
    limits = G[L.G_LIMITS]
    memory = G[L.G_MEM]
    shared_window = G[L.G_SHAREDWIN]
    local_window = G[L.G_LOCALWIN]
    for k in range(32):
        if not (mask >> np.uint32(k)) & np.uint32(1):
            continue
        a = loads64(lanes + 8 * k)
        fault = 0
        host = 0
        if space == K.SPACE_CONST:
            a &= 0xFFFFFFFF
            if a + width <= G[L.G_CSIZE + bank]:
                host = G[L.G_CBANK + bank] + a
            else:
                host = G[L.G_ZERO]
        else:
            kind = space
            if space == K.SPACE_GENERIC:
                kind = K.SPACE_GLOBAL
                if a >= shared_window and a < shared_window + WINDOW * G[L.G_CLUSTER] and shared_window:
                    kind = K.SPACE_SHARED
                    a -= shared_window
                    if G[L.G_CLUSTER] > 1:
                        # The CTA of that rank in the cluster.
                        shared = loads64(G[L.G_MATES] + 8 * (a >> 24))
                        a &= WINDOW - 1
                elif a >= local_window and a < local_window + WINDOW and local_window:
                    kind = K.SPACE_LOCAL
                    a -= local_window
            if a & (width - 1):
                fault = K.F_ALIGN
            elif kind == K.SPACE_GLOBAL:
                off = a - base
                if off < 0 or off + width > size or (off & 255) + width > np.int64(load16(limits + (off >> 8) * 2)):
                    fault = K.F_ADDRESS
                host = memory + off
            elif kind == K.SPACE_SHARED:
                a &= 0xFFFFFFFF
                if a + width > G[L.G_SHAREDSIZE]:
                    fault = K.F_ADDRESS
                host = shared + a
            else:
                a &= 0xFFFFFFFF
                off = a - (G[L.G_LOCALTOP] - G[L.G_LOCALSIZE])
                if off < 0 or off + width > G[L.G_LOCALSIZE]:
                    fault = K.F_STACK if off < 0 else K.F_ADDRESS
                host = local + k * G[L.G_LOCALSIZE] + off
        if fault:
            G[L.G_FLANE] = k
            G[L.G_FADDR] = loads64(lanes + 8 * k)
            return -fault
        store64(hosts + 8 * k, np.uint64(host))
    return 0


@compiled
def translate(
    space: int, width: int, mask: u32, lanes: int, hosts: int, shared: int, local: int, bank: int, i: int
) -> int:
    """As `translate_each`, all lanes at a time where that will do. 1: in shared or global memory, all hosts at one
    distance from their lanes; 0: fine otherwise; negative: minus the fault."""
    bits = any_bits(lanes, mask)
    if space == K.SPACE_SHARED and bits & (width - 1) == 0 and bits >= 0 and bits + width <= G[L.G_SHAREDSIZE]:
        # No lane is beyond the bits that any has.
        add_all(hosts, lanes, shared)
        return 1
    low = lowest(lanes, mask)
    high = highest(lanes, mask)
    if space == K.SPACE_CONST:
        if low >= 0 and high + width <= G[L.G_CSIZE + bank]:
            add_all(hosts, lanes, G[L.G_CBANK + bank])
            return 0
    elif bits & (width - 1) == 0:
        if space == K.SPACE_SHARED:
            if low >= 0 and high + width <= G[L.G_SHAREDSIZE]:
                add_all(hosts, lanes, shared)
                return 1
        elif space == K.SPACE_LOCAL:
            bottom = G[L.G_LOCALTOP] - G[L.G_LOCALSIZE]
            if low >= bottom and high + width <= G[L.G_LOCALTOP]:
                for k in range(32):
                    store64(hosts + 8 * k, np.uint64(local + k * G[L.G_LOCALSIZE] + loads64(lanes + 8 * k) - bottom))
                return 0
        elif allocated(width, low - G[L.G_MEMBASE], high - G[L.G_MEMBASE], i):
            add_all(hosts, lanes, G[L.G_MEM] - G[L.G_MEMBASE])
            return 1
    return translate_each(space, width, mask, lanes, hosts, shared, local, bank)


@compiled
def load_lanes(width: int, signed: int, hosts: int, mask: u32, dst: int, following: u32, same: u32) -> None:
    """Registers at `dst` from memory; narrow loads extend to 32 bits. Of the lanes `following` is one width behind the
    lane before it, `same` where that is."""
    if mask == np.uint32(FULL) and width >= 4:
        if width == 4 and following | np.uint32(EIGHTS) == np.uint32(FULL):
            # Rows of a tile: runs of consecutive lanes.
            for k in range(0, 32, 8):
                copy8(dst + 4 * k, loads64(hosts + 8 * k))
            return
        if same | np.uint32(EIGHTS) == np.uint32(FULL):
            # Columns of it: one address for many lanes.
            for word in range(0, width, 4):
                for k in range(0, 32, 8):
                    spread8(dst + 32 * word + 4 * k, load32(loads64(hosts + 8 * k) + word))
            return
        for word in range(0, width, 4):
            for k in range(32):
                store32(dst + 32 * word + 4 * k, load32(loads64(hosts + 8 * k) + word))
        return
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        h = loads64(hosts + 8 * k)
        d = dst + 4 * k
        if width >= 4:
            for word in range(0, width, 4):
                store32(d + 32 * word, load32(h + word))
        elif width == 1:
            value = np.int64(load8(h))
            if signed and value & 0x80:
                value |= 0xFFFFFF00
            store32(d, np.uint32(value))
        else:
            value = np.int64(load16(h))
            if signed and value & 0x8000:
                value |= 0xFFFF0000
            store32(d, np.uint32(value))


@compiled
def store_lanes(width: int, hosts: int, mask: u32, src: int, following: u32) -> None:
    """Memory from registers at `src`; lanes in ascending order, so the highest lane wins where they collide.
    `following`: as of `load_lanes`."""
    if width == 4 and mask == np.uint32(FULL) and following | np.uint32(EIGHTS) == np.uint32(FULL):
        for k in range(0, 32, 8):
            copy8(loads64(hosts + 8 * k), src + 4 * k)
        return
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        h = loads64(hosts + 8 * k)
        s = src + 4 * k
        if width >= 4:
            for word in range(0, width, 4):
                store32(h + word, load32(s + 32 * word))
        elif width == 1:
            store8(h, np.uint64(load32(s)))
        else:
            store16(h, np.uint64(load32(s)))


@compiled
def half_to_float(h: u64) -> u64:
    """binary16 bits to binary32 bits."""
    sign = (h & np.uint64(0x8000)) << np.uint64(16)
    exponent = np.int64(h >> np.uint64(10)) & 31
    fraction = np.int64(h & np.uint64(0x3FF))
    if exponent == 31:
        return sign | np.uint64(0x7F800000) | np.uint64(fraction << 13)
    if exponent == 0:
        if fraction == 0:
            return sign
        exponent = 1
        while not fraction & 0x400:
            fraction <<= 1
            exponent -= 1
        fraction &= 0x3FF
    return sign | np.uint64(((exponent + 112) << 23) | (fraction << 13))


@compiled
def round_float(f: u64, exponent_bits: int, fraction_bits: int) -> u64:
    """binary32 bits to a 16-bit format (binary16: 5, 10; bfloat16: 8, 7), to nearest even."""
    sign = np.int64(f >> np.uint64(31)) << 15
    exponent = np.int64(f >> np.uint64(23)) & 255
    fraction = np.int64(f & np.uint64(0x7FFFFF))
    top = (1 << exponent_bits) - 1
    if exponent == 255:
        return np.uint64(0x7FFF) if fraction else np.uint64(sign | top << fraction_bits)
    drop = 23 - fraction_bits
    e = exponent - 127 + (top >> 1)
    value = fraction | (0x800000 if exponent else 0)
    if e <= 0:
        if exponent_bits == 8:
            e = 0
        else:
            drop += 1 - e
            e = 0
            if drop > 30:
                return np.uint64(sign)
        kept = value >> drop
        rest = value & ((1 << drop) - 1)
        half = 1 << (drop - 1)
        if rest > half or (rest == half and kept & 1):
            kept += 1
        return np.uint64(sign | kept)
    kept = (e << fraction_bits) + ((value & 0x7FFFFF) >> drop)
    rest = value & ((1 << drop) - 1)
    half = 1 << (drop - 1)
    if rest > half or (rest == half and kept & 1):
        kept += 1
    if kept >= top << fraction_bits:
        kept = top << fraction_bits
    return np.uint64(sign | kept)


@compiled
def combine_half(operation: int, kind: int, old: u64, value: u64) -> u64:
    """old op value of one 16-bit float (T_F16X2 or T_BF16X2): ADD; MIN and MAX, which prefer numbers."""
    if operation == K.OP_ADD:
        if kind == K.T_F16X2:
            return round_float(add_f32(half_to_float(old), half_to_float(value)), 5, 10)
        return round_float(add_f32(old << np.uint64(16), value << np.uint64(16)), 8, 7)
    top = 0x7C00 if kind == K.T_F16X2 else 0x7F80
    a = np.int64(old)
    b = np.int64(value)
    if a & 0x7FFF > top:
        return np.uint64(0x7FFF) if b & 0x7FFF > top else value
    if b & 0x7FFF > top:
        return old
    x = -(a & 0x7FFF) - 1 if a >> 15 else a
    y = -(b & 0x7FFF) - 1 if b >> 15 else b
    if operation == K.OP_MIN:
        return old if x < y else value
    return value if x < y else old


PHASE = 1 << 31
EXPECTED = 1 << 30
"""In the upper word of an mbarrier: which phase; the lower word's count is below this one."""


@compiled
def arrived(word: u64) -> u64:
    """An mbarrier of machines before sm_90 after one more arrival. Its upper word counts up to the next phase's bit;
    the lower one has what the count begins with (read off ptxas 13.0's code for sm_80)."""
    low = np.int64(word & np.uint64(0xFFFFFFFF))
    up = np.int64(word >> np.uint64(32)) + 1
    if up & (PHASE - 1) == 0:
        up = (up & PHASE) | EXPECTED | (low & (EXPECTED - 1))
    return np.uint64(low | up << 32)


@compiled
def combine(op: int, kind: int, old: u64, value: u64) -> u64:
    """old op value, as the bits of the type `kind` (T_*)."""
    if op == K.OP_EXCH:
        return value
    if op == K.OP_AND:
        return old & value
    if op == K.OP_OR:
        return old | value
    if op == K.OP_XOR:
        return old ^ value
    if kind == K.T_F16X2 or kind == K.T_BF16X2:
        low = np.uint64(0xFFFF)
        up = np.uint64(16)
        above = combine_half(op, kind, old >> up & low, value >> up & low)
        return combine_half(op, kind, old & low, value & low) | above << up
    if op == K.OP_ADD:
        if kind == K.T_F32:
            return add_f32(old, value)
        if kind == K.T_F32_FTZ:
            tiny = np.uint64(0x7F800000)
            a = old if old & tiny else old & np.uint64(0x80000000)
            b = value if value & tiny else value & np.uint64(0x80000000)
            r = add_f32(a, b)
            return r if r & tiny else r & np.uint64(0x80000000)
        if kind == K.T_F64:
            return add_f64(old, value)
        return old + value
    if op == K.OP_INC:
        return np.uint64(0) if old >= value else old + np.uint64(1)
    if op == K.OP_ARRIVE:
        return arrived(old)
    if op == K.OP_DEC:
        return value if old == np.uint64(0) or old > value else old - np.uint64(1)
    less = old < value
    if kind == K.T_S32:
        less = np.int64(old << np.uint64(32)) < np.int64(value << np.uint64(32))
    elif kind == K.T_S64:
        less = np.int64(old) < np.int64(value)
    if op == K.OP_MIN:
        return old if less else value
    return value if less else old


@compiled
def vector_lanes(op: int, kind: int, width: int, hosts: int, mask: u32, src: int, src2: int, dst: int) -> None:
    """`atomic_lanes` of several words each: EXCH and CAS of all of them, anything else word by word."""
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        h = loads64(hosts + 8 * k)
        same = True
        for word in range(0, width, 4):
            if load32(h + word) != load32(src + 32 * word + 4 * k):
                same = False
        for word in range(0, width, 4):
            old = load32(h + word)
            if op == K.OP_CAS or op == K.OP_CAST:
                if same:
                    store32(h + word, load32(src2 + 32 * word + 4 * k))
            else:
                new = combine(op, kind, np.uint64(old), np.uint64(load32(src + 32 * word + 4 * k)))
                store32(h + word, np.uint32(new & np.uint64(0xFFFFFFFF)))
            if dst and op != K.OP_CAST:
                store32(dst + 32 * word + 4 * k, old)
        if dst and op == K.OP_CAST:
            store32(dst + 4 * k, np.uint32(1 if same else 0))


@compiled
def atomic_lanes(op: int, kind: int, width: int, hosts: int, mask: u32, src: int, src2: int, dst: int) -> None:
    """Read-modify-write, lane by lane in ascending order. CAS compares with `src` and stores `src2`; CAST does
    the same and answers 1 if it stored, 0 if not. `dst` 0: no result. What is wider than its type is a vector."""
    if width == 16 or (width == 8 and kind >= K.T_F32 and kind != K.T_F64):
        vector_lanes(op, kind, width, hosts, mask, src, src2, dst)
        return
    for k in range(32):
        if not (mask >> np.uint32(k)) & np.uint32(1):
            continue
        h = loads64(hosts + 8 * k)
        value = np.uint64(load32(src + 4 * k))
        old = np.uint64(load32(h))
        if width == 8:
            value |= np.uint64(load32(src + 128 + 4 * k)) << np.uint64(32)
            old = load64(h)
        if op == K.OP_CAS or op == K.OP_CAST:
            new = np.uint64(load32(src2 + 4 * k))
            if width == 8:
                new |= np.uint64(load32(src2 + 128 + 4 * k)) << np.uint64(32)
            if old != value:
                new = old
        else:
            new = combine(op, kind, old, value)
        if width == 8:
            store64(h, new)
        else:
            store32(h, np.uint32(new))
        if dst:
            if op == K.OP_CAST:
                old = np.uint64(1) if old == value else np.uint64(0)
            store32(dst + 4 * k, np.uint32(old))
            if width == 8:
                store32(dst + 128 + 4 * k, np.uint32(old >> np.uint64(32)))


@compiled(inline=True)
def paired(lanes: int, mask: u32, again: u32) -> bool:
    """Whether each active lane names the address of its neighbour (lane ^ 1), or each that of lane ^ 2."""
    apart = mask & mask << np.uint32(1) & ~(again | np.uint32(EVEN))
    if np.uint32(apart) == np.uint32(0):
        return True
    apart = mask & mask << np.uint32(2) & ~(after_two(lanes, 0) | np.uint32(LOWER))
    return np.uint32(apart) == np.uint32(0)


@compiled
def wavefronts(width: int, lanes: int, mask: u32, again: u32, each: int, load: int, tally: int) -> int:
    """Passes over shared memory (32 banks of 4 bytes) that the access takes: for 64- and 128-bit accesses the warp goes
    in halves and quarters, in wholes and halves if it is a `load` whose lanes are paired (H200: 13 patterns of lanes).
    Equal words are read once, unless `each` (atomics, which take turns); `again`: lanes that read what the one before
    them reads. `tally`: host address of 32 bytes to count in."""
    words = max(width >> 2, 1)
    group = 32 >> (words >> 1)
    if load and words > 1 and paired(lanes, mask, again):
        group *= 2
    ones = (1 << words) - 1
    total = 0
    again16 = after_half(lanes, 0)
    for start in range(0, 32, group):
        part = mask & np.uint32((1 << group) - 1 << start)
        if part == np.uint32(0):
            continue
        if not each:
            part &= ~((again & part << np.uint32(1)) | (again16 & part << np.uint32(16)))
        if popcount(touched(lanes, part, 2, ones)) == popcount(part) * words:
            # No two lanes share a bank.
            total += 1
            continue
        clear_tally(tally)
        while part:
            k = first(part)
            here = np.uint32(1) << np.uint32(k)
            if not each:
                here |= lanes_at(lanes, 7, loads64(lanes + 8 * k) >> 7) & part
            count(tally, touched(lanes, here, 2, ones))
            part &= ~here
        total += largest(tally)
    return total


@compiled
def wide_passes(width: int, lanes: int, mask: u32, tally: int) -> int:
    """The passes over L1's 16 banks of 8 bytes of a warp that goes in halves (64 bits) or quarters (128): an H200 takes
    as many for each as if it were alone, even if all name one word."""
    ones = 3 if width == 16 else 1
    group = 32 >> (width >> 3)
    total = 0
    for start in range(0, 32, group):
        part = mask & np.uint32((1 << group) - 1 << start)
        if part == np.uint32(0):
            continue
        clear_tally(tally)
        while part:
            k = first(part)
            here = (lanes_at(lanes, 7, loads64(lanes + 8 * k) >> 7) & part) | (np.uint32(1) << np.uint32(k))
            part &= ~here
            marks = touched(lanes, here, 3, ones)
            marks |= marks >> np.uint32(16)
            count(tally, marks & np.uint32(0xFFFF))
        total += largest(tally)
    return total


@compiled(inline=True)
def ascending(lanes: int, mask: u32) -> int:
    """`survey` of lanes of which none is in a line below that of the one before it, lane after lane: where lines are
    many that is sooner done than to ask all lanes for each of them. -1: there are other lanes (X has been written)."""
    count_ = 0
    last = np.int64(-1)
    sectors = 0
    banks = 0
    below = 0
    above = 0
    while mask:
        a = loads64(lanes + 8 * first(mask))
        mask &= mask - np.uint32(1)
        line = a >> 7
        if line < last:
            return -1
        sectors = sectors if line == last else 0
        banks = banks if line == last else 0
        count_ += 0 if line == last else 1
        last = line
        sectors |= 1 << (a >> 5 & 3)
        X[2 * count_ - 2] = line
        X[2 * count_ - 1] = sectors
        bank = 1 << (a >> 3 & 15)
        more = 0 if banks & bank else 1 << (a & 56)
        banks |= bank
        below += 0 if a & 64 else more
        above += more if a & 64 else 0
    X[SURVEY_PASSES] = most(below, above)
    return count_


@compiled
def survey(width: int, lanes: int, mask: u32, tally: int) -> int:
    """The distinct 128-byte lines of the active lanes, in order of their first lanes: X[2 k], X[2 k + 1] = line number,
    sector bits. Their number; in X[SURVEY_PASSES] the passes over L1's 16 banks of 8 bytes that distinct words take: a
    counter of a byte for each bank."""
    if popcount(moved(lanes, 7) & mask) >= MANY:
        found = ascending(lanes, mask)
        if found >= 0:
            if width > 4:
                X[SURVEY_PASSES] = wide_passes(width, lanes, mask, tally)
            return found
    ones = 3 if width == 16 else 1
    lines = 0
    todo = mask
    clear_tally(tally)
    below = np.uint64(0)
    above = np.uint64(0)
    while todo:
        k = first(todo)
        a = loads64(lanes + 8 * k)
        line = a >> 7
        here = (lanes_at(lanes, 7, line) & todo) | (np.uint32(1) << np.uint32(k))
        todo &= ~here
        X[2 * lines] = line
        if here & (here - np.uint32(1)) == np.uint32(0):
            # A lane alone, in one sector.
            X[2 * lines + 1] = 1 << (a >> 5 & 3)
            lines += 1
            if a & 64:
                above += np.uint64(1 << (a & 56))
            else:
                below += np.uint64(1 << (a & 56))
            continue
        marks = touched(lanes, here, 3, ones)
        marks |= marks >> np.uint32(16)
        count(tally, marks & np.uint32(0xFFFF))
        bits = np.int64(marks)
        X[2 * lines + 1] = (
            (1 if bits & 15 else 0) | (2 if bits & 240 else 0) | (4 if bits & 3840 else 0) | (8 if bits & 61440 else 0)
        )
        lines += 1
    if width > 4:
        X[SURVEY_PASSES] = wide_passes(width, lanes, mask, tally)
    else:
        # Not back to the tally: the host would wait for two short stores until it could load them as one.
        X[SURVEY_PASSES] = most(load64(tally) + below, load64(tally + 8) + above)
    return lines


@compiled
def most_on_one(lanes: int, mask: u32) -> int:
    """The largest number of active lanes that name one address (at least 1)."""
    worst = 1
    todo = mask
    while popcount(todo) > worst:
        k = first(todo)
        here = (lanes_at(lanes, 0, loads64(lanes + 8 * k)) & todo) | (np.uint32(1) << np.uint32(k))
        todo &= ~here
        if popcount(here) > worst:
            worst = popcount(here)
    return worst


@compiled(rare=True)
def bytes_named(lanes: int, mask: u32, width: int, consecutive: int) -> int:
    """How many bytes the active lanes name, each counted once (`consecutive` as `translate` has it)."""
    if consecutive:
        return width if consecutive == 2 else 32 * width
    repeated = np.uint32(G[L.G_SAME]) & (mask << np.uint32(1))
    return distinct(lanes, mask & ~repeated) * width


@compiled
def distinct(lanes: int, mask: u32) -> int:
    """How many different addresses the active lanes have."""
    found = 0
    while mask:
        k = first(mask)
        mask &= ~(lanes_at(lanes, 0, loads64(lanes + 8 * k)) | (np.uint32(1) << np.uint32(k)))
        found += 1
    return found


@compiled
def packets(lanes: int, mask: u32, line: int, sectors: int) -> int:
    """How many packets a reduction of the active lanes makes of a line of which it names these sectors (bits): of each,
    as many as there are lanes on one of its words."""
    total = 0
    for s in range(4):
        if sectors >> s & 1:
            total += most_on_one(lanes, lanes_at(lanes, 5, 4 * line + s) & mask)
    return total
