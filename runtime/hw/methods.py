"""Pushbuffer methods: how packets are encoded, and the methods of the classes that the driver uses.

Sources: packet header from NVIDIA/open-gpu-doc classes/host/clc76f.h and manuals dev_ram.ref (NV_FIFO_DMA); host
methods from open-gpu-kernel-modules clc86f.h; compute class 0xCBC0 from open-gpu-doc clcbc0.h; copy class 0xC8B5
from clc8b5.h.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import chain, repeat
from typing import NamedTuple

HOPPER_CHANNEL_GPFIFO_A = 0xC86F
HOPPER_COMPUTE_A = 0xCBC0
HOPPER_DMA_COPY_A = 0xC8B5
HOPPER_USERMODE_A = 0xC661

SUBCHANNEL_COMPUTE, SUBCHANNEL_COPY = 1, 4
"""Subchannels by convention of the graphics/compute run list (dev_ram.ref)."""


class Op(IntEnum):
    """Packet opcode, bits 31:29."""

    INC = 1
    NON_INC = 3
    IMMEDIATE = 4
    ONE_INC = 5
    END_SEGMENT = 7


class Method(NamedTuple):
    """One decoded method: `address` is its byte address in the class."""

    subchannel: int
    address: int
    data: int


class BadPushbuffer(ValueError):
    """A pushbuffer word that is not a valid packet header."""


def packet(subchannel: int, address: int, data: Sequence[int], op: Op = Op.INC) -> list[int]:
    """Words of one packet: header, then data."""
    if len(data) > 0x1FFF:
        raise ValueError("a packet holds at most 8191 words")
    return [int(op) << 29 | len(data) << 16 | subchannel << 13 | address >> 2, *(d & 0xFFFFFFFF for d in data)]


def decode(words: Sequence[int]) -> Iterator[Method]:
    """Methods of a pushbuffer segment in order. `BadPushbuffer` for an opcode that does not exist or a cut packet."""
    at = 0
    while at < len(words):
        header = words[at]
        at += 1
        if header == 0:  # NOP
            continue
        op, count, subchannel, address = header >> 29, header >> 16 & 0x1FFF, header >> 13 & 7, (header & 0xFFF) << 2
        if op == Op.IMMEDIATE:
            yield Method(subchannel, address, count)
            continue
        if op == Op.END_SEGMENT:
            return
        if op not in (Op.INC, Op.NON_INC, Op.ONE_INC):
            raise BadPushbuffer(f"word {at - 1}: opcode {op} in pushbuffer header 0x{header:08x}")
        if at + count > len(words):
            raise BadPushbuffer(f"word {at - 1}: packet of {count} words, {len(words) - at} left")
        places: Iterable[int] = range(address, address + 4 * count, 4)
        if op == Op.NON_INC:
            places = repeat(address)
        elif op == Op.ONE_INC:
            places = chain((address,), repeat(address + 4))
        for place, data in zip(places, words[at : at + count], strict=False):
            yield Method(subchannel, place, data)
        at += count


class Host:
    """Methods below 0x100: executed by the host engine whatever the subchannel (clc86f.h)."""

    SET_OBJECT = 0x0000
    NON_STALL_INTERRUPT = 0x0020
    SEM_ADDR_LO = 0x005C
    SEM_ADDR_HI = 0x0060
    SEM_PAYLOAD_LO = 0x0064
    SEM_PAYLOAD_HI = 0x0068
    SEM_EXECUTE = 0x006C
    WFI = 0x0078


class SemOp(IntEnum):
    """SEM_EXECUTE bits 2:0."""

    ACQUIRE = 0
    RELEASE = 1
    ACQ_STRICT_GEQ = 2
    ACQ_CIRC_GEQ = 3
    ACQ_AND = 4
    ACQ_NOR = 5
    REDUCTION = 6


SEM_RELEASE_WFI = 1 << 20
SEM_PAYLOAD_64BIT = 1 << 24
SEM_TIMESTAMP = 1 << 25


class Compute:
    """Class 0xCBC0 (clcbc0.h)."""

    SET_OBJECT = 0x0000
    NO_OPERATION = 0x0100
    WAIT_FOR_IDLE = 0x0110
    INVALIDATE_SHADER_CACHES = 0x021C
    SET_QMD_VERSION = 0x0288
    SET_SHADER_SHARED_MEMORY_WINDOW_A = 0x02A0
    SET_SHADER_SHARED_MEMORY_WINDOW_B = 0x02A4
    SEND_PCAS_A = 0x02B4
    SEND_PCAS_B = 0x02B8
    SEND_SIGNALING_PCAS_B = 0x02BC
    SEND_SIGNALING_PCAS2_B = 0x02C0
    SET_INLINE_QMD_ADDRESS_A = 0x0318
    SET_INLINE_QMD_ADDRESS_B = 0x031C
    LOAD_INLINE_QMD_DATA = 0x0320
    SET_SHADER_LOCAL_MEMORY_A = 0x0790
    SET_SHADER_LOCAL_MEMORY_B = 0x0794
    SET_SHADER_LOCAL_MEMORY_WINDOW_A = 0x07B0
    SET_SHADER_LOCAL_MEMORY_WINDOW_B = 0x07B4
    INVALIDATE_SHADER_CACHES_NO_WFI = 0x1698


INLINE_QMD_384 = 1 << 30
"""SET_INLINE_QMD_ADDRESS_A bit 30: the inline QMD has 96 words, not 64."""
PCAS2_PREFETCH_SCHEDULE = 9
PCAS2_SCHEDULE = 2
PCAS_SCHEDULE = 2
INVALIDATE_ALL = 0x1011
"""INVALIDATE_SHADER_CACHES*: instruction (bit 0), global data (4), constant (12)."""


class Copy:
    """Class 0xC8B5 (clc8b5.h)."""

    SET_OBJECT = 0x0000
    SET_SEMAPHORE_A = 0x0240
    SET_SEMAPHORE_B = 0x0244
    SET_SEMAPHORE_PAYLOAD = 0x0248
    LAUNCH_DMA = 0x0300
    OFFSET_IN_UPPER = 0x0400
    OFFSET_IN_LOWER = 0x0404
    OFFSET_OUT_UPPER = 0x0408
    OFFSET_OUT_LOWER = 0x040C
    PITCH_IN = 0x0410
    PITCH_OUT = 0x0414
    LINE_LENGTH_IN = 0x0418
    LINE_COUNT = 0x041C
    SET_REMAP_CONST_A = 0x0700
    SET_REMAP_CONST_B = 0x0704
    SET_REMAP_COMPONENTS = 0x0708


DMA_NON_PIPELINED = 2
DMA_FLUSH = 1 << 2
DMA_SEMAPHORE_ONE_WORD = 1 << 3
DMA_SEMAPHORE_TIMESTAMP = 2 << 3
DMA_SRC_PITCH = 1 << 7
DMA_DST_PITCH = 1 << 8
DMA_MULTI_LINE = 1 << 9
DMA_REMAP = 1 << 10
REMAP_CONST_A = 4
"""SET_REMAP_COMPONENTS destination selector: the constant A."""


def _names(table: type) -> dict[int, str]:
    return {v: n for n, v in vars(table).items() if n.isupper() and isinstance(v, int)}


NAMES = {0: _names(Host), HOPPER_COMPUTE_A: _names(Compute), HOPPER_DMA_COPY_A: _names(Copy)}
"""Class number (0: host) -> method address -> name, for logs."""


def name_of(class_: int, address: int) -> str:
    """A method's name for a log."""
    if address < 0x100 and address in NAMES[0]:
        return NAMES[0][address]
    if class_ == HOPPER_COMPUTE_A and 0x320 <= address < 0x320 + 4 * 96:
        return f"LOAD_INLINE_QMD_DATA({(address - 0x320) // 4})"
    return NAMES.get(class_, {}).get(address, f"0x{address:04x}")
