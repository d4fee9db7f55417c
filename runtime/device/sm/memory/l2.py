"""Timing of the memory system beyond an SM: ports to L2, L2's slices in two partitions, DRAM.

Everything is decided when a request is made: caches keep, for each sector, the time at which it is (or will be) there;
bandwidth is a row of time buckets that requests fill, so that SMs may be simulated one after another within a quantum
without queueing behind each other's later requests. No data lives here.

A set of a cache is one piece of memory, so that the host's caches have it together, in words of 32 bits:
L2 uint32[partition, 64 * sets]: of a set, 16 tags, 16 last uses, and for each of 16 lines two words: valid (bits 0..3),
dirty (bits 4..7) and asked for (8..11) sectors, those that were written in part (12..15), the SM whose fill was the
latest (16..23), the bytes stored to the former (24..31); and the time until which that is under way. A line that was
not used in this run is not there. In a run of more than 2^32 cycles what comes later than that counts as there, and
what was used later as used at once.
BW uint16[resource, NB]: bandwidth, a ring of buckets of 32 cycles: units of 1/16 cycle taken. QUEUE int64[resource, 4]:
a run of buckets that are full (from, to), so that nobody has to walk through it, and the first bucket that is not of
this turn of the ring yet.
BK int64[...]: DRAM rows that are open, lines written last, what SMs ask for together.
BANK uint32[bank, BANK_ROW]: of each DRAM bank a ring of 64 buckets of 128 cycles: cycles taken, above them which turn
of the ring, counted on from run to run (in a run of more than 2^33 cycles turns come again).
MP int64[...] parameters; MP_EPOCH (in place) and MP_STAMP tell a run's entries and last uses from those of the run
before (see `workspace`).
"""

from __future__ import annotations

import numpy as np

from runtime.device.memory import BASE
from runtime.device.sm.language.lang import compiled, seldom
from runtime.device.sm.language.raw import address, choose, first, over, popcount
from runtime.device.sm.language.vector import find16, least16, prefetch
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import BANK, BK, BW, L2, MP, PCC, QUEUE, SM, X

NB = L.BUCKETS
BUCKET_SHIFT = 5
"""Buckets are 32 cycles wide; their ring spans 131072 cycles."""
L2_SET = 64
"""Words of a set."""
STATES = 32
"""Where in a set of L2 the states begin."""
LAST = (1 << 32) - 1
PART, WHO, STORED, VALUE = 12, 16, 24, 65535
DEVICE, DEVICE_LINES = 38, BASE >> 7
WAITED = 4009
"""Where in X a read leaves whether what it waited for was under way before it asked."""
LOCAL_REGION = 1 << 46
"""Where local memory lies in the caches' address space: interleaved by word, as lanes of a warp share lines."""
LOCAL_LINES = LOCAL_REGION >> 7
assert DEVICE_LINES >> DEVICE & 1 and not LOCAL_LINES >> DEVICE & 1, "the bit that tells them apart"
assert DEVICE_LINES & 0x7FFFFFFF == LOCAL_LINES & 0x7FFFFFFF == 0
L2_WAYS = 16
AHEAD = 6
"""How many lines of an access before its turn the host fetches the set of one: what is more than it can have under way
would hold up the first."""

# MP: parameters, all int64.
(
    MP_L1_HIT,
    MP_NEAR,
    MP_FAR,
    MP_DRAM,
    MP_L2_SETS,
    MP_SLACK,
    MP_SLICES,
    MP_CHANNELS,
    MP_AT_DOWN,
    MP_AT_SLICE,
    MP_AT_CHANNEL,
    MP_ASK,
    MP_SEND_SECTOR,
    MP_SEND_PART,
    MP_SEND_JOIN,
    MP_SEND_ATOM,
    MP_SEND_ASK,
    MP_RECEIVE,
    MP_RECEIVE_LINE,
    MP_READ,
    MP_READ_SECTOR,
    MP_FILL,
    MP_FILL_SECTOR,
    MP_WRITE,
    MP_WRITE_SECTOR,
    MP_WRITE_PARTS,
    MP_WRITE_PART,
    MP_WRITE_AGAIN,
    MP_WRITE_BYTE,
    MP_DRAM_LINE,
    MP_ATOM_LINE,
    MP_ATOM_SECTOR,
    MP_ATOM_SLOW,
    MP_ATOM_AGAIN,
    MP_ATOM_SUM,
    MP_ATOM_PASS,
    MP_SENT,
    MP_PARTS,
    MP_DRAM_ATOM,
    MP_DRAM_ROW,
    MP_DRAM_CYCLE,
    MP_DRAM_FAR,
    MP_ROOM,
    MP_AT_LATE,
    MP_AT_CONSTANTS,
    MP_AT_INDEXED,
    MP_REFRESH,
    MP_REFRESHED,
    MP_EPOCH,
    MP_STAMP,
    MP_L2_OVER,
    MP_CHANNELS_OVER,
    MP_REFRESH_OVER,
    MP_GROUPS,
    MP_GROUPS_OVER,
    MP_QUARTER,
    MP_COUNT,
) = range(57)

"""MP_x_OVER: the reciprocal of MP_x (see `raw.over`). MP_GROUPS: of eight slices of a partition."""

BK_OPEN, BK_WRITTEN, BK_ASKED, BK_COMES, BK_ROWS = range(5)
"""Rows of BK. BK_OPEN: of each channel, the row that each of 16 banks has open."""
BW_RETIRE, BW_UP = 0, 7
"""Rows of BW (with nothing between: `distance` tells slices by these numbers). BW_UP + sm is the SM's port to L2;
MP[MP_AT_DOWN] + sm // 2 the port from L2 that two SMs share; MP[MP_AT_SLICE] + slice; MP[MP_AT_CHANNEL] + DRAM
channel."""
Q_FROM, Q_TO, Q_NEW, Q_SUMS = range(4)
CAPACITY = 512
"""Units of a bucket: 32 cycles."""
BANKS = 16
BANK_SHIFT, RING_SHIFT = 7, 6
"""Buckets of a bank are 128 cycles, its ring 64 of them."""
TAKEN_BITS = 12
TURNS = (1 << 32 - TAKEN_BITS) - 1
NEAR_BIT = 30
HOME = 0x130D560 | 1 << NEAR_BIT
"""Bits of a line's number whose parity is its partition: 12, 13, 15, 17, 19, 21, 22, 27, 28 and 31 of the address; and
one that only lines of local memory have, each of which is in the partition of its SM."""
TURN = 2
"""Pieces of 64 bytes that could move while a channel turns around to read what a line lacks, in a row that is not open
(H200: scattered words of lines that follow each other, whose rows are, take half as long as words anywhere)."""
CHUNK_SHIFT = 9 - 7
"""512 bytes next to each other are in one DRAM channel, in lines."""
REFRESHED_SHIFT = 14 - 7
ROW_SHIFT = 18 - 7
"""Of 256 KB, what lies in a channel is in one row."""


def resources(sms: int, slices: int, channels: int) -> tuple[int, ...]:
    """Rows of BW: where the ports from L2, slices, channels, what comes to L1 late, the constant caches of GPCs (each
    that of its first SM) and those for LDC (of an SM two: places, lines) begin, and how many rows there are."""
    down = BW_UP + sms
    slice_ = down + (sms + 1) // 2
    channel = slice_ + slices
    late = channel + channels
    constants = late + sms
    indexed = constants + sms
    return down, slice_, channel, late, constants, indexed, indexed + 2 * sms


@compiled(inline=True)
def sector_count(bits: int) -> int:
    """How many of four sector bits are set."""
    return popcount(np.uint32(bits & 15))


@compiled(inline=True)
def both(bits: int) -> int:
    """Four sector bits, with those of the other sectors of their 64 bytes."""
    return bits | (bits & 5) << 1 | bits >> 1 & 5


@compiled(rare=True)
def renew(resource: int, b: int) -> None:
    """Empty the buckets of a resource that are not of this turn of the ring, up to those beside bucket b."""
    begin = max(QUEUE[resource, Q_NEW], (b | 31) + 1 - NB)
    while begin <= b:
        for k in range(32):
            BW[resource, (begin & (NB - 1)) + k] = 0
        begin += 32
    QUEUE[resource, Q_NEW] = begin


@compiled(inline=True)
def take(resource: int, t: int, units: int) -> int:
    """Take a resource for `units` sixteenths of a cycle, not before `t`; the time at which that begins."""
    start = t >> BUCKET_SHIFT
    low = QUEUE[resource, Q_FROM]
    high = QUEUE[resource, Q_TO]
    b = choose((start >= low) & (start < high), high, start)
    if seldom(b >= QUEUE[resource, Q_NEW]):
        renew(resource, b)
    used = BW[resource, b & (NB - 1)]
    if seldom(used >= CAPACITY):
        while used >= CAPACITY:
            b += 1
            if b >= low and b < high:
                b = high
            if seldom(b >= QUEUE[resource, Q_NEW]):
                renew(resource, b)
            used = BW[resource, b & (NB - 1)]
        # The buckets from start to b are full: more of them, or others that are worth more.
        if start < low or b != high:
            if start <= high and b >= low:
                if start < low:
                    QUEUE[resource, Q_FROM] = start
                if b > high:
                    QUEUE[resource, Q_TO] = b
            elif start > high or b - start > high - low:
                QUEUE[resource, Q_FROM] = start
                QUEUE[resource, Q_TO] = b
    served = (b << BUCKET_SHIFT) + (used >> 4)
    rest = used + units - CAPACITY
    BW[resource, b & (NB - 1)] = min(used + units, CAPACITY)
    while seldom(rest > 0):
        # What does not fit goes on in the next buckets.
        b += 1
        if seldom(b >= QUEUE[resource, Q_NEW]):
            renew(resource, b)
        used = BW[resource, b & (NB - 1)]
        BW[resource, b & (NB - 1)] = min(used + rest, CAPACITY)
        rest += used - CAPACITY
    return served if served > t else t


@compiled(inline=True)
def rest(x: int, d: int, reciprocal: int) -> int:
    """x modulo d (see `over`)."""
    return x - over(x, reciprocal) * d


@compiled(inline=True)
def l2_set(line: int) -> int:
    """Where the set of a line begins in a partition."""
    return L2_SET * rest(line ^ (line >> 13) ^ (line >> 21), MP[MP_L2_SETS], MP[MP_L2_OVER])


@compiled(inline=True)
def tag_of(line: int) -> int:
    """32 bits of a line's number that tell it from all others: of device memory, or of the region of local memory,
    neither of which has more than 2^31 of them."""
    return line & 0x7FFFFFFF | line >> DEVICE - 31 & 0x80000000


@compiled(inline=True)
def line_of(tag: int) -> int:
    """The number of the line with a tag."""
    return (tag & 0x7FFFFFFF) + (DEVICE_LINES if tag >> 31 else LOCAL_LINES)


@compiled(inline=True)
def l2_find(partition: int, at: int, tag: int, stamp: int) -> int:
    """Way of the line of this tag in the set at `at` of the partition, or -1 - (way to use instead)."""
    tags = address(L2, (partition, at))
    hits = find16(tags, tag, MP[MP_STAMP])
    if hits:
        way = first(np.uint32(hits))
        L2[partition, at + 16 + way] = stamp
        return way
    # Ways that this run has not used are taken in order, whatever earlier runs left there.
    return -1 - least16(tags + 64, MP[MP_STAMP])


@compiled(inline=True)
def l2_home(line: int) -> int:
    """The partition that has a line's memory (H200: 4 KB at a time, by the parity of some bits; what atomics of each SM
    take tells it)."""
    return popcount(np.uint32(line & HOME)) & 1


@compiled(inline=True)
def until(t: int) -> int:
    """A time as a table has it."""
    return t if t <= LAST else 1


@compiled(inline=True)
def bank_bucket(bank: int, b: int) -> int:
    """Bucket b of a bank: empty if it is not of this turn of the ring yet."""
    turn = (MP[MP_STAMP] >> BANK_SHIFT + RING_SHIFT) + (b >> RING_SHIFT) & TURNS
    word = BANK[bank, b & 63]
    return word if word >> TAKEN_BITS == turn else turn << TAKEN_BITS


@compiled
def activate(bank: int, t: int) -> int:
    """When a bank can open another row, asked at `t`: one a row cycle."""
    b = t >> BANK_SHIFT
    word = bank_bucket(bank, b)
    while word & (1 << TAKEN_BITS) - 1 >= 1 << BANK_SHIFT:
        b += 1
        word = bank_bucket(bank, b)
    taken = word & (1 << TAKEN_BITS) - 1
    BANK[bank, b & 63] = word + MP[MP_DRAM_CYCLE]
    rest = taken + MP[MP_DRAM_CYCLE] - (1 << BANK_SHIFT)
    if rest > 0:
        BANK[bank, b + 1 & 63] = bank_bucket(bank, b + 1) + rest
    return max(t, (b << BANK_SHIFT) + taken)


@compiled(inline=True)
def dram_bank(line: int) -> int:
    """The DRAM bank that has a line: BANKS times its channel, and which of that."""
    chunk = line >> CHUNK_SHIFT
    mixed = (chunk ^ chunk >> 7 ^ chunk >> 15) * 0x2545F491 >> 7 & 0xFFFFFF
    channel = rest(mixed, MP[MP_CHANNELS], MP[MP_CHANNELS_OVER])
    row = line >> ROW_SHIFT
    return channel * BANKS + ((row ^ row >> 4 ^ row >> 9) & (BANKS - 1))


@compiled(inline=True)
def refreshed(line: int, t: int) -> int:
    """When DRAM listens to who asks at `t` for a line: 16 KB of addresses are refreshed together. Turns are as random
    as a chip's are from run to run, but in each megabyte about as many are refreshed at any time as in all memory: the
    turns of neighbours differ by the golden section."""
    region = line >> REFRESHED_SHIFT
    mixed = (region >> 6) * 0x9E3779B1 & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 0x2545F491 + region * 0x9E3779B1 & 0xFFFFFFFF
    turn = mixed * MP[MP_REFRESH] >> 32
    period = over(t + turn, MP[MP_REFRESH_OVER])
    mixed = (mixed + period * 0x85EBCA6B & 0xFFFFFFFF) * 0x2545F491 & 0xFFFFFFFF
    begin = period * MP[MP_REFRESH] - turn + ((mixed ^ mixed >> 15) * (MP[MP_REFRESH] - MP[MP_REFRESHED]) >> 32)
    end = begin + MP[MP_REFRESHED]
    return end if t >= begin and t < end else t


@compiled(inline=True)
def dram(line: int, t: int, atoms: int) -> int:
    """Move 64-byte pieces of a line through its DRAM channel; when that begins."""
    bank = dram_bank(line)
    row = line >> ROW_SHIFT
    units = atoms * MP[MP_DRAM_ATOM]
    t = refreshed(line, t)
    if BK[BK_OPEN, bank] != row | MP[MP_EPOCH]:
        BK[BK_OPEN, bank] = row | MP[MP_EPOCH]
        units += MP[MP_DRAM_ROW]
        t = activate(bank, t)
    return take(MP[MP_AT_CHANNEL] + bank // BANKS, t, units)


@compiled(inline=True)
def held_at(line: int) -> int:
    """Where in SM a line is noted that is stored to (see `stores`)."""
    return L.M_STORE + L.NOTED * ((line ^ line >> 6) & (L.STORES - 1))


@compiled(inline=True)
def l2_slice(line: int, partition: int) -> int:
    """The resource that is a line's slice in a partition (H200, by requests of the busiest slice: lines in pairs, 1 KB
    has two slices, 8 KB have eight, which 4 KB of each partition share, the next 8 KB eight others)."""
    half = MP[MP_SLICES] >> 1
    chunk = line >> 6
    turn = over(chunk, MP[MP_GROUPS_OVER])
    mixed = (turn ^ turn >> 12) * 0x2545F491 & 0xFFFFFFFF
    group = rest(chunk + (mixed >> 16), MP[MP_GROUPS], MP[MP_GROUPS_OVER])
    return MP[MP_AT_SLICE] + partition * half + group * 8 + ((line >> 2 & 6 | line >> 1 & 1) ^ (mixed >> 8 & 7))


@compiled(inline=True)
def distance(quarter: int, slice_: int) -> int:
    """How much longer than the mean a request of an SM's takes to a slice and back (H200, every second line of 768 KB
    from every SM: half of the slices of each half of L2 are 30 cycles nearer than the others to some TPCs of a GPC, and
    farther from the others; of what is left 95 % are within 10 cycles). Which slices those are is a guess."""
    return MP[MP_QUARTER] if (slice_ * 0x9E3779B1 & 0xFFFFFFFF) * 0x2545F491 >> 24 & 1 == quarter else -MP[MP_QUARTER]


@compiled
def write_back(line: int, state: int, t: int, i: int) -> int:
    """Write the dirty sectors of a line to DRAM; the rest of those written in part is read first, which takes the
    channel to turn around. When that begins."""
    part = state >> PART & 15
    if part:
        PCC[i, L.P_DRAM] += sector_count(part)
        opened = BK[BK_OPEN, dram_bank(line)] == line >> ROW_SHIFT | MP[MP_EPOCH]
        t = dram(line, t, (sector_count(part | part >> 1 & 5) + 1 >> 1) + choose(opened, 0, TURN))
    dirty = state >> 4 & 15
    PCC[i, L.P_WRITTEN] += sector_count(dirty)
    return dram(line, t, sector_count(dirty | dirty >> 1 & 5) + 1 >> 1)


@compiled(rare=True)
def keep_parts(partition: int, at: int, slot: int, t: int, i: int) -> int:
    """A set has few places for lines that are written in part: the one of the others used longest ago is made whole
    and written back. When there is a place."""
    count = 0
    oldest = -1
    for way in range(L2_WAYS):
        if L2[partition, at + STATES + 2 * way] >> PART & 15 and L2[partition, at + 16 + way] >= MP[MP_STAMP]:
            count += 1
            if way != slot and (oldest < 0 or L2[partition, at + 16 + way] < L2[partition, at + 16 + oldest]):
                oldest = way
    if count > MP[MP_PARTS] and oldest >= 0:
        place = at + STATES + 2 * oldest
        t = write_back(line_of(L2[partition, at + oldest]), L2[partition, place], t, i)
        L2[partition, place] &= ~(15 << PART | 15 << 4)
    return t


@compiled
def l2_replace(partition: int, at: int, way: int, tag: int, t: int, i: int) -> int:
    """Give a way of the set at `at` to the line of this tag; what was dirty there goes to DRAM. The way."""
    place = at + STATES + 2 * way
    if L2[partition, place] >> 4 & 15 and L2[partition, at + 16 + way] >= MP[MP_STAMP]:
        write_back(line_of(L2[partition, at + way]), L2[partition, place], t, i)
    L2[partition, at + way] = tag
    L2[partition, at + 16 + way] = min(t + MP[MP_STAMP], LAST)
    L2[partition, place] = 0
    L2[partition, place + 1] = 0
    return way


@compiled(inline=True)
def l2_write(m: int, t: int, line: int, need: int, how: int, i: int) -> int:
    """One request of SM m to write the sectors `need` (bits) of a 128-byte line at `t` (arrival in L2's terms: when an
    L1 hit would have been served). `how`: 1 whole sectors, 2 parts, 4 many lanes to one place, 6 to one byte (16 more
    if other sectors of the line are on the way with it, 256 times the bytes stored), 3 + 16 times the time that it
    takes its slice a reduction, 5 + 16 times that one that is answered. The time at which L2 accepted it; for what is
    answered, when it has what it adds to."""
    write = how & 15
    sectors = sector_count(need)
    home = l2_home(line)
    slice_ = l2_slice(line, home)
    if write == 3 or write == 5:
        units = how >> 4
    else:
        units = sectors * (MP[MP_WRITE_SECTOR] if write == 1 else MP[MP_WRITE_PART])
        if not how & 16:
            units += MP[MP_WRITE] if write == 1 else MP[MP_WRITE_PARTS]
        if write == 4 or write == 6:
            # Lanes that store to one place: one after another of them is cheap, but of bytes.
            if BK[BK_WRITTEN, slice_] == line | MP[MP_EPOCH]:
                units = MP[MP_WRITE_AGAIN] if write == 4 else MP[MP_WRITE_BYTE]
            BK[BK_WRITTEN, slice_] = line | MP[MP_EPOCH]
    served = take(slice_, t, units)
    at = l2_set(line)
    slot = l2_find(home, at, tag_of(line), min(served + MP[MP_STAMP], LAST))
    there = slot >= 0
    if not there:
        slot = l2_replace(home, at, -1 - slot, tag_of(line), served, i)
    place = at + STATES + 2 * slot
    state = L2[home, place]
    # A written sector needs no fill: it counts as a hit, in the partition that it comes by as well.
    if write == 1 or write == 3 or write == 5:
        L2[home, place] = (state | need | need << 4) & ~(need << PART)
    else:
        part = need & (~state | state >> PART)
        L2[home, place] = state | need | need << 4 | part << PART
        if part:
            # Once as many bytes have been stored as its sectors have that were in part, they count as whole.
            parts = part | state >> PART & 15
            stored = (how >> 8) + (state >> STORED if state >> PART & 15 else 0)
            if stored >= 32 * sector_count(parts):
                L2[home, place] = (state | need | need << 4) & ~(15 << PART) & (1 << STORED) - 1
            else:
                L2[home, place] = L2[home, place] & (1 << STORED) - 1 | stored << STORED
                if state >> PART & 15 == 0:
                    served = keep_parts(home, at, slot, served, i)
    if write == 1 or write == 2 or write == 4 or write == 6:
        hits = sectors if home == SM[m, L.M_SIDE] else 2 * sectors
        PCC[i, L.P_L2] += hits
        PCC[i, L.P_L2HIT] += hits
        return served
    pending = 0
    missing = need & (~state | state >> PART)
    if missing:
        # What is added to has to be there first.
        whole = both(missing)
        count = sector_count(whole)
        PCC[i, L.P_DRAM] += count
        late = dram(line, served, count >> 1) + MP[MP_DRAM]
        pending = take(slice_, late, MP[MP_FILL] + count * MP[MP_FILL_SECTOR])
        L2[home, place] = ((L2[home, place] | whole) & VALUE) | (m & 255) << WHO
        L2[home, place + 1] = until(pending)
    elif there and write == 5:
        pending = L2[home, place + 1]
        if pending > served + MP[MP_NEAR]:
            # Its fill, asked for by someone else, is still on the way; it is no later for that.
            far = MP[MP_DRAM_FAR] if home != SM[m, L.M_SIDE] else 0
            pending = min(pending, refreshed(line, served) + MP[MP_DRAM] + far)
    if write == 5 and pending > served + MP[MP_NEAR]:
        return pending - MP[MP_NEAR]
    return served


@compiled(inline=True)
def given(sectors: int) -> int:
    """What it takes a slice to give these sectors (bits) of a line."""
    return MP[MP_READ] + sector_count(sectors) * MP[MP_READ_SECTOR]


@compiled(inline=True)
def l2_read(m: int, t: int, line: int, need: int, home: int, at: int, scattered: bool, i: int) -> int:
    """One request of SM m to read the sectors `need` (bits) of a 128-byte line at `t` (as of `l2_write`). `home`, `at`:
    its partition, its set; `scattered`: it is of a load that is not coalesced. The time at which the reader has it."""
    sectors = sector_count(need)
    near = SM[m, L.M_SIDE]
    tag = tag_of(line)
    slice_ = l2_slice(line, near)
    stamp = min(t + MP[MP_STAMP], LAST)
    slot = l2_find(near, at, tag, stamp)
    missing = need
    if slot >= 0:
        state = L2[near, at + STATES + 2 * slot]
        missing = need & (~state | state >> PART)
    # What is not there is given when it comes; to look for it takes none of the time of who gives.
    served = t
    if missing != need:
        served = take(slice_, t, given(need & ~missing))
    pending = 0
    if slot >= 0:
        pending = L2[near, at + STATES + 2 * slot + 1]
        if pending > served + MP[MP_NEAR]:
            # Its fill, asked for by someone else, is still on the way; it is no later for that.
            limit = refreshed(line, served) + MP[MP_DRAM] + (MP[MP_DRAM_FAR] if home != near else 0)
            if scattered and missing == 0 and need & state >> 8 == 0 and state >> WHO & 255 == m & 255:
                # The other half of 64 bytes that this SM has under way waits for them and goes the same way again.
                pending = (pending if pending < limit else limit) + MP[MP_DRAM]
            elif limit < pending:
                pending = limit
    else:
        slot = l2_replace(near, at, -1 - slot, tag, served, i)
    place = at + STATES + 2 * slot
    L2[near, place] = (L2[near, place] | need | need << 8) & ~(need << PART)
    PCC[i, L.P_L2] += sectors if home == near else sectors + sector_count(missing)
    late = served + MP[MP_NEAR]
    X[WAITED] = 0
    if pending > late:
        late = pending
        X[WAITED] = 1
    hits = sectors - sector_count(missing)
    if missing:
        other = 0
        if home != near:
            other = l2_find(home, at, tag, stamp)
            found = 0
            if other >= 0:
                state = L2[home, at + STATES + 2 * other]
                found = missing & state & ~(state >> PART)
                pending = L2[home, at + STATES + 2 * other + 1]
            else:
                other = l2_replace(home, at, -1 - other, tag, served, i)
            other = at + STATES + 2 * other
            L2[home, other] = (L2[home, other] | missing | missing << 8) & ~(missing << PART)
            if found:
                # Both sectors of 64 bytes come, as from DRAM.
                L2[near, place] |= both(found) & state & ~(state >> PART)
                late = take(slice_, served + MP[MP_FAR] - MP[MP_NEAR], given(found)) + MP[MP_NEAR]
                if pending + MP[MP_DRAM_FAR] > late:
                    limit = refreshed(line, served) + MP[MP_DRAM]
                    if scattered and found == missing and found & state >> 8 == 0 and state >> WHO & 255 == m & 255:
                        pending = (pending if pending < limit else limit) + MP[MP_DRAM]
                    elif limit < pending:
                        pending = limit
                    if pending + MP[MP_DRAM_FAR] > late:
                        late = pending + MP[MP_DRAM_FAR]
                        X[WAITED] = 1
                hits += sector_count(found)
            missing &= ~found
        if missing:
            # DRAM gives 64 bytes at a time, and both sectors of them stay.
            X[WAITED] = 0
            whole = both(missing)
            count = sector_count(whole)
            PCC[i, L.P_DRAM] += count
            late = dram(line, served, count >> 1) + MP[MP_DRAM] + 31
            if count == 4:
                late += MP[MP_DRAM_LINE]
            # What comes takes the slice as well, and so does what of it goes on.
            filled = take(slice_, late, MP[MP_FILL] + count * MP[MP_FILL_SECTOR] + given(missing))
            if filled > late:
                late = filled
            L2[near, place] |= whole
            if home != near:
                L2[home, other] |= whole
                if late > L2[home, other + 1]:
                    L2[home, other] = (L2[home, other] & VALUE) | (m & 255) << WHO
                    L2[home, other + 1] = until(late)
                late += MP[MP_DRAM_FAR]
        if late > L2[near, place + 1]:
            L2[near, place] = (L2[near, place] & VALUE) | (m & 255) << WHO
            L2[near, place + 1] = until(late)
    PCC[i, L.P_L2HIT] += hits
    return late + distance(SM[m, L.M_QUARTER], slice_)


@compiled(inline=True)
def l2_ahead(at: int, partition: int) -> None:
    """Have the host fetch the set at `at` of a partition; changes nothing."""
    tags = address(L2, (partition, at))
    for piece in range(4):
        prefetch(tags + 64 * piece)
