"""The three hash tables of the pattern database, with their entries packed as the seed lays them out.

  primary    IR signature -> pattern      open addressing, linear probing, 512 slots of 40 bytes, a multimap
  secondary  operand mask -> constraint   open addressing, linear probing, 256 slots of 16 bytes
  tertiary   (cost family, SM) -> cost    128 buckets, chained, records of 24 bytes

All hash with `((key >> 9) ^ (key >> 4)) & mask` on the low 32 bits of the key. Open tables double when an insertion
would pass a load of 0.75 (bulk building may start beyond it); the chained table never resizes. EMPTY and TOMBSTONE are
the pointer sentinels of LLVM's DenseMap, -4096 and -8192.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

EMPTY = (1 << 64) - 4096
TOMBSTONE = (1 << 64) - 8192
MAX_LOAD = 0.75
NIL = 0xFFFFFFFF

PATTERN = struct.Struct("<QQQHHHHQ")
"""signature, template, throughput cost (secondary), latency cost (primary), minimum SM, flags, cost family, operand
mask: 40 bytes. The last two use the ten bytes that the seed calls reserved."""
CONSTRAINT = struct.Struct("<QQ")
"""operand mask (the key), constraint data: 16 bytes."""
COST = struct.Struct("<QhHIQ")
"""mantissa, exponent, SM, next record, key: 24 bytes."""
_KEY = struct.Struct("<Q")


def hash_key(key: int, capacity: int) -> int:
    """Home slot of a key; `capacity` is a power of two."""
    low = key & 0xFFFFFFFF
    return ((low >> 9) ^ (low >> 4)) & (capacity - 1)


class OpenTable:
    """Open addressing with linear probing over fixed-size records whose first 8 bytes are the key.

    A multimap: equal keys keep their order of insertion, also across a resize. Keys EMPTY and TOMBSTONE are reserved.
    """

    def __init__(self, record: struct.Struct, capacity: int) -> None:
        self.record = record
        self.capacity = capacity
        self.data = bytearray(_KEY.pack(EMPTY).ljust(record.size, b"\0") * capacity)
        self.used = 0
        self.tombstones = 0

    def _key(self, slot: int) -> int:
        key: int = _KEY.unpack_from(self.data, slot * self.record.size)[0]
        return key

    def _place(self, fields: tuple[int, ...]) -> None:
        # Always at the end of the probe sequence: filling an earlier tombstone could overtake an equal key.
        key = fields[0]
        mask = self.capacity - 1
        slot = hash_key(key, self.capacity)
        while self._key(slot) != EMPTY:
            slot = (slot + 1) & mask
        self.record.pack_into(self.data, slot * self.record.size, *fields)
        self.used += 1

    def insert(self, *fields: int) -> None:
        """Add a record. Doubles first if tombstones and records would fill more than 0.75."""
        if (self.used + self.tombstones + 1) > self.capacity * MAX_LOAD:
            self.resize(self.capacity * 2 if (self.used + 1) > self.capacity * MAX_LOAD else self.capacity)
        self._place(fields)

    def bulk(self, records: list[tuple[int, ...]]) -> None:
        """Build from scratch without the load rule, as the shipped image was; there must be a free slot left."""
        while len(records) >= self.capacity:
            self.capacity *= 2
        OpenTable.__init__(self, self.record, self.capacity)
        taken = bytearray(self.capacity)
        mask = self.capacity - 1
        size = self.record.size
        pack_into = self.record.pack_into
        for fields in records:
            low = fields[0] & 0xFFFFFFFF
            slot = taken.find(0, ((low >> 9) ^ (low >> 4)) & mask)
            if slot < 0:
                slot = taken.find(0)
            taken[slot] = 1
            pack_into(self.data, slot * size, *fields)
        self.used = len(records)

    def resize(self, capacity: int) -> None:
        """Rehash into `capacity` slots; tombstones vanish, equal keys keep their order."""
        old = list(self._in_order())
        OpenTable.__init__(self, self.record, capacity)
        for fields in old:
            self._place(fields)

    def _in_order(self) -> Iterator[tuple[int, ...]]:
        """Records such that equal keys come in order of insertion: start after an empty slot."""
        start = 0
        for slot in range(self.capacity):
            if self._key(slot) == EMPTY:
                start = slot
                break
        for step in range(self.capacity):
            slot = (start + step) & (self.capacity - 1)
            if self._key(slot) not in (EMPTY, TOMBSTONE):
                yield self.record.unpack_from(self.data, slot * self.record.size)

    def slots(self, key: int) -> Iterator[int]:
        """Slots that hold `key`, in order, probing up to the first empty slot."""
        mask = self.capacity - 1
        slot = hash_key(key, self.capacity)
        for _ in range(self.capacity):
            found = self._key(slot)
            if found == EMPTY:
                return
            if found == key:
                yield slot
            slot = (slot + 1) & mask

    def lookup(self, key: int) -> list[tuple[int, ...]]:
        """All records of a key."""
        return [self.record.unpack_from(self.data, slot * self.record.size) for slot in self.slots(key)]

    def delete(self, key: int) -> int:
        """Turn all records of a key into tombstones; returns how many."""
        slots = list(self.slots(key))
        for slot in slots:
            _KEY.pack_into(self.data, slot * self.record.size, TOMBSTONE)
        self.used -= len(slots)
        self.tombstones += len(slots)
        return len(slots)

    def entries(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """(slot, home slot of its key, record) of every record, in the order of slots."""
        for slot in range(self.capacity):
            if self._key(slot) not in (EMPTY, TOMBSTONE):
                fields = self.record.unpack_from(self.data, slot * self.record.size)
                yield slot, hash_key(fields[0], self.capacity), fields

    def probes(self, key: int) -> int:
        """Slots inspected by a full lookup of `key`, for the test that bounds it."""
        mask = self.capacity - 1
        slot = hash_key(key, self.capacity)
        count = 1
        while self._key(slot) != EMPTY and count <= self.capacity:
            slot = (slot + 1) & mask
            count += 1
        return count

    def __len__(self) -> int:
        return self.used


class PatternTable(OpenTable):
    """IR signature -> patterns."""

    def __init__(self, capacity: int = 512) -> None:
        super().__init__(PATTERN, capacity)


class ConstraintTable(OpenTable):
    """Operand mask -> constraint data. Keys are unique: inserting again replaces."""

    def __init__(self, capacity: int = 256) -> None:
        super().__init__(CONSTRAINT, capacity)

    def insert(self, *fields: int) -> None:
        for slot in self.slots(fields[0]):
            self.record.pack_into(self.data, slot * self.record.size, *fields)
            return
        super().insert(*fields)

    def get(self, mask: int) -> int | None:
        """Constraint data of a mask."""
        for slot in self.slots(mask):
            data: int = self.record.unpack_from(self.data, slot * self.record.size)[1]
            return data
        return None


class CostTable:
    """(family, SM) -> cost. 128 buckets of chains; records are appended and freed records reused."""

    def __init__(self, buckets: int = 128) -> None:
        self.heads = [NIL] * buckets
        self.data = bytearray()
        self.free = NIL
        self.used = 0

    @staticmethod
    def key(family: int, sm: int) -> int:
        """Families in bits 14 up, SM in bits 4..13, so that both reach the hash."""
        return family << 14 | sm << 4

    def _find(self, key: int) -> tuple[int, int]:
        """(record, its predecessor), NIL where there is none."""
        before = NIL
        record = self.heads[hash_key(key, len(self.heads))]
        while record != NIL:
            _, _, _, after, found = COST.unpack_from(self.data, record * COST.size)
            if found == key:
                return record, before
            before, record = record, after
        return NIL, before

    def insert(self, key: int, cost: tuple[int, int], sm: int = 0) -> None:
        """Add or replace."""
        record, _ = self._find(key)
        if record != NIL:
            after = COST.unpack_from(self.data, record * COST.size)[3]
            COST.pack_into(self.data, record * COST.size, cost[0], cost[1], sm, after, key)
            return
        if self.free != NIL:
            record = self.free
            self.free = COST.unpack_from(self.data, record * COST.size)[3]
        else:
            record = len(self.data) // COST.size
            self.data += bytes(COST.size)
        bucket = hash_key(key, len(self.heads))
        COST.pack_into(self.data, record * COST.size, cost[0], cost[1], sm, self.heads[bucket], key)
        self.heads[bucket] = record
        self.used += 1

    def lookup(self, key: int) -> tuple[int, int] | None:
        """(mantissa, exponent), or None."""
        record, _ = self._find(key)
        if record == NIL:
            return None
        mantissa, exponent, *_ = COST.unpack_from(self.data, record * COST.size)
        return mantissa, exponent

    def delete(self, key: int) -> bool:
        """Unlink a record; whether there was one."""
        record, before = self._find(key)
        if record == NIL:
            return False
        after = COST.unpack_from(self.data, record * COST.size)[3]
        if before == NIL:
            self.heads[hash_key(key, len(self.heads))] = after
        else:
            fields = list(COST.unpack_from(self.data, before * COST.size))
            fields[3] = after
            COST.pack_into(self.data, before * COST.size, *fields)
        COST.pack_into(self.data, record * COST.size, 0, 0, 0, self.free, 0)
        self.free = record
        self.used -= 1
        return True

    def __len__(self) -> int:
        return self.used

    def chain(self, bucket: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Records of a bucket (`COST`), the newest first."""
        record = self.heads[bucket]
        while record != NIL:
            fields = COST.unpack_from(self.data, record * COST.size)
            yield fields
            record = fields[3]

    def chains(self) -> list[int]:
        """Length of each bucket's chain."""
        return [sum(1 for _ in self.chain(bucket)) for bucket in range(len(self.heads))]
