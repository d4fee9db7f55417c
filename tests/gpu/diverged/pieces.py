"""Pieces of hand-built code for one warp, in which every lane notes where it was and when.

A piece is a mask, of whose lanes P0 is true, and its lines: `label: instruction ~stall` (15 cycles, if it is not said),
or `note N`, by which the running lanes note the number and the clock. Lanes find their bit in R6, and leave R2, R3, R8,
R9 and R12 to R15 alone.

A second warp, where there is one, waits for a while and ends the launch with a trap if lanes are left: what they noted
by then is in the memory of the host.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minicc import arch as archs
from minicc import sass
from minicc.binary import write_cubin
from minicc.record import evolve
from minicc.sass.instr import Control
from minicc.sass.program import Function, Param, Program

if TYPE_CHECKING:
    from tests.runtime.device.sm.kit import Bench

NOTES = 32
"""Room for each lane."""
Piece = tuple[int, Sequence[str]]
Group = tuple[int, int, int]
"""What lanes noted together: the number, the lanes, the cycles since the first note."""

_SAFE: dict[str, Any] = {"stall": 15, "yield_": True}
_HEAD: list[tuple[str, dict[str, Any]]] = [
    ("LDC.64 R2, c[0x0][0x210]", {**_SAFE, "wbar": 0}),
    ("LDC.64 R14, c[0x0][0x218]", {**_SAFE, "wbar": 0}),
    ("ULDC.64 UR4, c[0x0][0x208]", _SAFE),
    ("S2R R0, SR_TID.X", {**_SAFE, "wbar": 1}),
    ("NOP", {**_SAFE, "wait": 3}),
    ("MOV R12, 0x1", _SAFE),
    ("ISETP.GT.AND P6, PT, R0, 0x1f, PT", _SAFE),
    ("@P6 BRA WATCH", _SAFE),
    ("SHF.L.U32 R6, R12, R0, RZ", _SAFE),
    ("IMAD R2, R0, {size}, R2", _SAFE),
    ("LOP3.LUT R7, R6, {mask}, RZ, 0xc0, !PT", _SAFE),
    ("ISETP.NE.U32.AND P0, PT, R7, RZ, PT", _SAFE),
]
_ENDED = "REDG.E.ADD.STRONG.GPU desc[UR4][R14.64], R12"
_WATCH = [
    ("WATCH: MOV R10, 0x180", _SAFE),
    ("AGAIN: NANOSLEEP 0x400", _SAFE),
    ("IADD3 R10, R10, -0x1, RZ", _SAFE),
    ("ISETP.NE.AND P0, PT, R10, RZ, PT", _SAFE),
    ("@P0 BRA AGAIN", _SAFE),
    ("LDG.E.STRONG.GPU R11, desc[UR4][R14.64]", {**_SAFE, "wbar": 0}),
    ("NOP", {**_SAFE, "wait": 1}),
    ("ISETP.NE.AND P0, PT, R11, 0x20, PT", _SAFE),
    ("@P0 BPT.TRAP 0x1", _SAFE),
    ("EXIT", _SAFE),
]


def _expanded(lines: Iterable[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    for line in lines:
        label, colon, rest = line.rpartition(": ")
        first = label + colon
        if rest.startswith("note"):
            group = ["CS2R.32 R8, SR_CLOCKLO", f"MOV R9, {rest[5:]}", "STG.E.64 desc[UR4][R2.64], R8",
                     "IADD3 R2, R2, 0x8, RZ"]  # fmt: skip
        elif rest.endswith("EXIT"):
            group = [rest.replace("EXIT", _ENDED), rest]
        else:
            group = [rest]
        for text in group:
            text, _, stall = text.partition(" ~")
            yield first + text, {"stall": int(stall), "yield_": int(stall) > 11} if stall else _SAFE
            first = ""


def code(piece: Piece) -> bytes:
    """The kernel `(notes, ended)`: 32 * NOTES pairs of clock and number, and how many lanes have ended."""
    mask, text = piece
    lines = [(t.format(size=hex(8 * NOTES), mask=hex(mask)), c) for t, c in _HEAD]
    lines += [*_expanded([*text, "EXIT"]), *_WATCH]
    labels: dict[str, int] = {}
    plain = []
    for line, control in lines:
        label, colon, rest = line.rpartition(": ")
        if colon:
            labels[label] = 16 * len(plain)
        plain.append((rest, control))
    out = b""
    for line, control in plain:
        words = line.split(" ")
        if words[-1] in labels:
            words[-1] = hex(labels[words[-1]])
        instr = evolve(sass.parse(" ".join(words) + " ;"), control=Control(**control))
        out += sass.encode(instr, archs.get("sm_90"), len(out)).to_bytes(16, "little")
    return out


def stuck(bench: Bench, piece: Piece) -> tuple[bool, list[Group]]:
    """Whether the SM model does not come to the end of a piece, and what lanes noted by then."""
    notes, ended = bench.buffer(np.zeros(64 * NOTES, np.uint32)), bench.buffer(np.zeros(1, np.uint32))
    outcome = bench.run(code(piece), 1, 32, struct.pack("<2Q", notes, ended), instruction_limit=20000)
    return outcome.fault is not None, groups(bench.array(notes, np.uint32, 64 * NOTES))


def image(pieces: Iterable[Piece]) -> bytes:
    """A cubin of kernels p0, p1 ..."""
    params = [Param(0, 0, 8), Param(1, 8, 8)]
    functions = [
        Function(f"p{n}", code(piece), registers=64, params=params, param_bytes=16) for n, piece in enumerate(pieces)
    ]
    return write_cubin(Program("sm_90", functions))


def groups(notes: Any) -> list[Group]:
    """What `notes` say, in order of time."""
    found: dict[tuple[int, int], int] = {}
    for lane, own in enumerate(notes.reshape(32, NOTES, 2).tolist()):
        for clock, number in own:
            if number:
                found[clock, number] = found.get((clock, number), 0) | 1 << lane
    if not found:
        return []
    # The clock's 32 bits may have gone round.
    start = min(clock for clock, _ in found)
    if max(clock for clock, _ in found) - start > 1 << 31:
        start = min(clock for clock, _ in found if clock >> 31)
    timed = sorted(((clock - start) & 0xFFFFFFFF, number, lanes) for (clock, number), lanes in found.items())
    return [(number, lanes, clock) for clock, number, lanes in timed]
