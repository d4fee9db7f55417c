"""Offsets of the instructions that attribute records list, found by opcode.

Opcodes are bits 0..11 of the 128-bit word; from the opcode map that nvdisasm 13.5 accepts for SM90 (sm_80 and later
share them).
"""

from __future__ import annotations

import struct

INSTRUCTION = 16
"""Bytes of one instruction."""

_EXIT = {0x94D}
_WARP_SYNC = {0x389, 0x589, 0x989, 0xF89, 0x806, 0x3A1, 0x348, 0x948, 0x3C4}
"""SHFL, VOTE, MATCH, WARPSYNC, REDUX."""
_WARP_WIDE = {0x886}
"""VOTEU: what ptxas makes when it gathers a warp's atomics."""
_CALL_ABSOLUTE = {0x343, 0x943, 0xB43}
_DIVERGENT = {0x945, 0x343, 0x344, 0x943, 0x944, 0xB43}
"""BSSY and every CALL."""

NOP = bytes.fromhex("1879000000000000" + "0000000000c00f00")
"""The NOP that fills a text section: opcode 0x918 guarded by PT, no stall."""


class Offsets:
    """Byte offsets by kind, ascending."""

    def __init__(
        self, exits: list[int], warp_sync: list[int], warp_wide: list[int], system_calls: list[int], divergent: bool
    ) -> None:
        self.exits, self.warp_sync = exits, warp_sync
        self.warp_wide, self.system_calls, self.divergent = warp_wide, system_calls, divergent


def scan(code: bytes, externs: bool) -> Offsets:
    """Classify every instruction of `code`. Absolute calls count as system calls when the function uses externs."""
    exits, sync, wide, calls, divergent = [], [], [], [], False
    for at in range(0, len(code) - INSTRUCTION + 1, INSTRUCTION):
        opcode = struct.unpack_from("<H", code, at)[0] & 0xFFF
        if opcode in _EXIT:
            exits.append(at)
        elif opcode in _WARP_SYNC:
            sync.append(at)
        elif opcode in _WARP_WIDE:
            wide.append(at)
        elif opcode in _CALL_ABSOLUTE and externs:
            calls.append(at)
        divergent = divergent or opcode in _DIVERGENT
    return Offsets(exits, sync, wide, calls, divergent)


def strip_padding(code: bytes) -> bytes:
    """`code` without the NOPs after its last other instruction."""
    end = len(code) // INSTRUCTION * INSTRUCTION
    while end >= INSTRUCTION and code[end - INSTRUCTION : end] == NOP:
        end -= INSTRUCTION
    return code[:end]


def pad(code: bytes, extra: int) -> bytes:
    """`code` filled with NOPs to a multiple of 128 bytes, and `extra` bytes more (room for instruction prefetch)."""
    size = -(-len(code) // 128) * 128 + extra
    return code + NOP * ((size - len(code)) // INSTRUCTION)
