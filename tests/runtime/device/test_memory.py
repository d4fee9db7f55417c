"""DeviceMemory against a dict of byte strings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.device.memory import BASE, GRANULE, BadAddress, DeviceMemory, OutOfMemory


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3000), st.sampled_from([1, 256, 512, 4096]), st.booleans()), max_size=40))
def test_allocations_do_not_overlap_and_keep_their_bytes(steps: list[tuple[int, int, bool]]) -> None:
    memory = DeviceMemory(1 << 26)
    live: dict[int, bytes] = {}
    for number, (size, align, drop) in enumerate(steps):
        address = memory.allocate(size, align)
        assert address % align == 0
        data = bytes((number * 7 + i) & 255 for i in range(size))
        memory.write(address, data)
        live[address] = data
        if drop:
            victim = sorted(live)[number % len(live)]
            memory.free(victim)
            del live[victim]
            assert memory.find(victim) is None
    for address, data in live.items():
        assert memory.read(address, len(data)) == data
        offset = address - BASE
        last = offset + len(data) - 1
        assert (last & 255) + 1 <= memory.limits[last >> 8]
        assert ((last + 1) & 255) + 1 > memory.limits[(last + 1) >> 8]
        with pytest.raises(BadAddress):
            memory.read(address, len(data) + 1)
    assert memory.used == sum(map(len, live.values()))
    for address in list(live):
        memory.free(address)
    assert not memory.limits.any()
    assert memory.allocate(memory.size - 2 * GRANULE)


def test_full_and_bad_frees() -> None:
    memory = DeviceMemory(1 << 26)
    with pytest.raises(OutOfMemory):
        memory.allocate(1 << 27)
    address = memory.allocate(100)
    with pytest.raises(BadAddress):
        memory.free(address + 16)
    memory.fill(address, 7, 100)
    memory.copy(address + 10, address, 50)
    assert memory.read(address, 100) == b"\7" * 100
