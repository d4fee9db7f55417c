"""GPFIFO entries, USERD, the doorbell and the error notifier: what a channel is made of.

Sources: open-gpu-kernel-modules clc86f.h (entry, Nvc86fControl), uvm_hopper_host.c (56-bit pushbuffer addresses),
clc361.h (doorbell); open-gpu-doc dev_ram.ref and dev_pbdma.ref.
"""

from __future__ import annotations

import struct

import attrs

ENTRY_BYTES = 8
USERD_BYTES = 512
GP_GET, GP_PUT = 0x88, 0x8C
"""Byte offsets in USERD; both hold entry indices."""

DOORBELL = 0x90
"""Byte offset in the usermode region: a write of a channel's work submit token rings it."""

OPCODE_NOP, OPCODE_SET_PB_SEGMENT_EXTENDED_BASE = 0, 4

NOTIFIER = struct.Struct("<QIHH")
"""NvNotification: u64 time stamp, u32 info32 (error), u16 info16, u16 status (0 = no event)."""
NOTIFIER_ERROR = 0xFFFF
ERROR_GR_EXCEPTION, ERROR_MMU_FAULT, ERROR_PBDMA = 13, 31, 32
"""Robust-channel error numbers (nverror.h), as the kernel driver logs them after "Xid"."""


@attrs.frozen
class Segment:
    """A GPFIFO entry that names `words` words of pushbuffer at `address` (low 40 bits; the rest is the base that a
    control entry set)."""

    address: int
    words: int

    def __str__(self) -> str:
        return f"{self.words} words at ..{self.address:010x}"


@attrs.frozen
class Control:
    """A GPFIFO entry of length 0."""

    opcode: int
    operand: int = 0

    def __str__(self) -> str:
        if self.opcode == OPCODE_SET_PB_SEGMENT_EXTENDED_BASE:
            return f"address bits 56:40 = 0x{self.operand:x}"
        return f"control {self.opcode}"


def pack_segment(address: int, words: int) -> int:
    """Entry for a pushbuffer segment; bits above 39 of the address are left to the segment base."""
    if address & 3 or not 0 < words < 1 << 21:
        raise ValueError(f"pushbuffer segment of {words} words at 0x{address:x}")
    return address & 0xFFFFFFFFFC | words << 42


def pack_control(opcode: int, operand: int = 0) -> int:
    """A control entry; `operand` fills bits 24:8 of the first word."""
    return (operand & 0x1FFFF) << 8 | opcode << 32


def unpack(entry: int) -> Segment | Control:
    """The entry's meaning."""
    words = entry >> 42 & 0x1FFFFF
    if words:
        return Segment(entry & 0xFFFFFFFFFC, words)
    return Control(entry >> 32 & 0xFF, entry >> 8 & 0x1FFFF)
