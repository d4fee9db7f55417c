"""The layouts that driver and device share: QMD, methods, GPFIFO entries, constant bank 0."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import arch
from runtime.device.compute import decode
from runtime.hw import bank0, channel, methods, qmd

VERSIONS = pytest.mark.parametrize("version", list(qmd.VERSIONS.values()), ids=lambda v: v.name)


@VERSIONS
def test_fields_do_not_overlap_and_fit(version):
    owner = {}
    for field in version.fields.values():
        assert 0 <= field.low <= field.high < 8 * version.size
        for bit in range(field.low, field.high + 1):
            assert bit not in owner, (field.name, owner.get(bit))
            owner[bit] = field.name


@VERSIONS
@given(data=st.data())
def test_unpack_inverts_pack(version, data):
    settable = [n for n in version.fields if "VERSION" not in n or n == "SASS_VERSION"]
    names = data.draw(st.lists(st.sampled_from(settable), unique=True, max_size=40))
    values = {n: data.draw(st.integers(0, (1 << version.fields[n].width) - 1)) for n in names}
    packed = qmd.pack(version, values)
    assert len(packed) == version.size
    found, fields = qmd.unpack(packed)
    assert found is version
    assert all(fields[n] == v for n, v in values.items())
    assert sum(bool(v) for n, v in fields.items() if n in settable) == sum(bool(v) for v in values.values())


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="does not fit"):
        qmd.pack(qmd.V04_00, {"BARRIER_COUNT": 32})
    with pytest.raises(KeyError):
        qmd.pack(qmd.V04_00, {"NO_SUCH_FIELD": 1})
    with pytest.raises(ValueError, match="not known"):
        qmd.unpack(bytes(384))
    with pytest.raises(ValueError, match="384 bytes"):
        qmd.unpack(qmd.pack(qmd.V04_00, {})[:256])


def test_known_places():
    """Bits that the class header fixes, spelled out."""
    data = qmd.pack(qmd.V04_00, {"GRID_WIDTH": 0x01020304, "REGISTER_COUNT": 12, "QMD_TYPE": "GRID_CTA"})
    words = struct.unpack("<96I", data)
    assert words[32] == 0x01020304 and words[37] >> 16 & 0x1FF == 12
    assert words[0] >> 23 & 7 == 2 and words[18] & 0xFF == 0x40
    words = struct.unpack("<64I", qmd.pack(qmd.V03_00, {"CTA_RASTER_WIDTH": 7, "PROGRAM_ADDRESS_LOWER": 0x1000}))
    assert words[12] == 7 and words[48] == 0x1000 and words[18] & 0xFF == 0x30


@given(st.data())
def test_a_v03_qmd_decodes_to_a_grid(data):
    number = st.integers(1, 65535)
    grid, block = data.draw(st.tuples(number, number, number)), data.draw(st.tuples(number, number, number))
    entry = data.draw(st.integers(0, (1 << 49) - 1))
    banks = data.draw(
        st.dictionaries(st.integers(0, 7), st.tuples(st.integers(0, (1 << 49) - 1), st.integers(0, 8191)))
    )
    values = {
        "CTA_RASTER_WIDTH": grid[0], "CTA_RASTER_HEIGHT": grid[1], "CTA_RASTER_DEPTH": grid[2],
        "CTA_THREAD_DIMENSION0": block[0], "CTA_THREAD_DIMENSION1": block[1], "CTA_THREAD_DIMENSION2": block[2],
        "PROGRAM_ADDRESS_LOWER": entry & 0xFFFFFFFF, "PROGRAM_ADDRESS_UPPER": entry >> 32,
        "REGISTER_COUNT_V": 40, "BARRIER_COUNT": 3, "SHARED_MEMORY_SIZE": 2048, "SHADER_LOCAL_MEMORY_HIGH_SIZE": 64,
    }  # fmt: skip
    for i, (address, size) in banks.items():
        values |= {
            f"CONSTANT_BUFFER_VALID[{i}]": 1,
            f"CONSTANT_BUFFER_ADDR_LOWER[{i}]": address & 0xFFFFFFFF,
            f"CONSTANT_BUFFER_ADDR_UPPER[{i}]": address >> 32,
            f"CONSTANT_BUFFER_SIZE_SHIFTED4[{i}]": size,
        }
    found, _ = decode(qmd.pack(qmd.V03_00, values), 1, 2, "sm_90")
    assert (found.grid, found.block, found.entry) == (grid, block, entry)
    assert (found.registers, found.barriers, found.shared, found.local) == (40, 3, 2048, 64)
    assert found.constants == {i: (address, 16 * size) for i, (address, size) in banks.items()}


packets = st.lists(
    st.tuples(
        st.sampled_from([methods.Op.INC, methods.Op.NON_INC, methods.Op.ONE_INC]),
        st.integers(0, 7),
        st.integers(0, 0xFFF).map(lambda n: 4 * n),
        st.lists(st.integers(0, 0xFFFFFFFF), max_size=8),
    ),
    max_size=6,
)


@given(packets)
def test_decoding_packets(given_packets):
    words, want = [], []
    for op, subchannel, address, data in given_packets:
        words += methods.packet(subchannel, address, data, op) if data else [0]
        for i, value in enumerate(data):
            step = {methods.Op.INC: i, methods.Op.NON_INC: 0, methods.Op.ONE_INC: min(i, 1)}[op]
            want.append(methods.Method(subchannel, address + 4 * step, value))
    assert list(methods.decode(words)) == want


@given(st.lists(st.integers(0, 0xFFFFFFFF), max_size=30))
def test_any_words_decode_or_are_refused(words):
    with contextlib.suppress(methods.BadPushbuffer):
        list(methods.decode(words))


def test_header_bits():
    """INC of 5 words at 0x5c on subchannel 1: the sum the class header's fields give."""
    assert methods.packet(1, 0x5C, [0] * 5)[0] == 0x20000000 | 5 << 16 | 1 << 13 | 0x5C >> 2


@given(st.integers(0, (1 << 38) - 1).map(lambda n: 4 * n), st.integers(1, (1 << 21) - 1))
def test_gpfifo_segments(address, words):
    assert channel.unpack(channel.pack_segment(address, words)) == channel.Segment(address & 0xFFFFFFFFFC, words)


@given(st.integers(0, 255), st.integers(0, (1 << 17) - 1))
def test_gpfifo_controls(opcode, operand):
    assert channel.unpack(channel.pack_control(opcode, operand)) == channel.Control(opcode, operand)


def test_bank0_words():
    machine = arch.get("sm_90")
    words = bank0.LaunchWords((6, 2, 3), (4, 5, 6), (2, 1, 1), 100, 0x400, 0x7294 << 32, 0x7293 << 32, 9)
    data = bank0.build(machine, words, b"\x11" * 28)
    assert len(data) == 0x210 + 28 and data[0x210:] == b"\x11" * 28
    assert struct.unpack_from("<6I", data, 0) == (4, 5, 6, 6, 2, 3)
    assert struct.unpack_from("<QQII", data, 0x18) == (0x7294 << 32, 0x7293 << 32, 0x400, 100)
    assert struct.unpack_from("<3I", data, 0x144) == (2, 1, 1) and struct.unpack_from("<f", data, 0x150) == (0.5,)
    assert struct.unpack_from("<3I", data, 0x15C) == (3, 2, 3)
