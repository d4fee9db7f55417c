"""Operands for probes of patterns: words of every lane, as their operation takes them.

Most are any bits and ordinary numbers of each type in turn; addresses point into the lane's own memory, sizes and
counts are ones that the instruction allows.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable

import numpy as np

from minicc.isel.cover.database import ADDR, IMM, Leaf, Tree
from tests.isel import matrices, meaning
from tests.isel.kernels import BARRIER, COUNTED, MEMORY
from tests.isel.synthesise import LANE, OFFSET, Probe, argument_type, plain, space
from tests.isel.warp import LANES, SIZES

WORDS = LANE // 8
FAR = MEMORY // 2
Draw = Callable[[int, random.Random], int]
"""A lane's word."""


def _shared(lane: int, draw: random.Random) -> int:
    return LANE * lane + 16 * draw.randrange(8)


def _coordinate(limit: int) -> Draw:
    return lambda lane, draw: draw.randrange(limit)


def _real(lane: int, draw: random.Random) -> int:
    return int(np.float32(draw.randrange(-3, 12) + 0.5).view(np.uint32))


def _always(value: int) -> Draw:
    return lambda lane, draw: value


def _one_of(*values: int) -> Draw:
    """The same in every lane."""
    return lambda lane, draw: values[draw.randrange(1 << 30) % len(values)] if lane == 0 else -1


# (operation, operand, its word)
_ROLES: list[tuple[str, str, Draw]] = [
    (r"wmma|mbar|clc|cvta\.(shared|cluster)", "p", _always(0)),
    (r"(bulk\.(g2s|s2c))", "b", _always(BARRIER - OFFSET)),
    (r"tensor\.g2s", "q", _always(BARRIER - OFFSET)),
    (r"bulk\.s2c", "p", lambda lane, draw: LANE * lane + 16 * draw.randrange(6)),
    (r"bulk\.s2c", "q", lambda lane, draw: LANE * lane + 16 * draw.randrange(6) - OFFSET),
    (r"tensor", "p", lambda lane, draw: LANE * lane),
    (r"bulk\.g2s", "p", lambda lane, draw: LANE * lane + 16 * draw.randrange(6)),
    (r"bulk\.s2g", "q", lambda lane, draw: LANE * lane + 16 * draw.randrange(6)),
    (r"bulk\.(g2s|prefetch)", "[pq]", lambda lane, draw: FAR + LANE * lane + 16 * draw.randrange(6)),
    (r"bulk\.s2g", "p", lambda lane, draw: FAR + LANE * lane + 16 * draw.randrange(6)),
    (r"(ld|st)(8|4.*64)", "p", lambda lane, draw: FAR + LANE * lane + 32 * draw.randrange(4)),
    (r"tensor.*([2-5])d", "a0", lambda lane, draw: 4 * (lane % 2)),
    (r"tensor.*1d", "a0", lambda lane, draw: 4 * (lane % 2)),
    (r"tensor", "a1", lambda lane, draw: lane // 2 % 8),
    (r"tensor", "a2", lambda lane, draw: lane // 16),
    (r"tensor", "a[34]", _coordinate(2)),
    (r"bulk\.(g2s|s2c|s2g|prefetch)", "a", lambda lane, draw: 16 * (1 + lane % 2)),
    (r"cpasync.*\.4\.s$", "a", _coordinate(5)),
    (r"cpasync.*\.16\.s$", "a", _coordinate(17)),
    (r"mbar\.init", "a", _one_of(32, 33)),
    (r"mbar\.(arrive|expect)", "a", _always(1)),
    (r"mbar.*parity", "a", _always(0)),
    (r"mbar.*tl", "b", _always(20)),
    (r"mma\.sp.*tf32", "m0", _one_of(0x44444444, 0xEEEEEEEE)),
    (r"mma\.sp", "m0", _one_of(*(0x11111111 * nibble for nibble in matrices.SPARSE))),
    (r"barred", "m0", _always(3)),
    (r".*", "m0", _always(0xFFFFFFFF)),
    (r"shflsync", "c", lambda lane, draw: (0x1F, 0x181F, 0x1C03)[draw.randrange(1 << 20) % 3]),
    (r"(match)", "a", lambda lane, draw: draw.randrange(3)),
    (r"bar(sync|count|arrive|rier|red)", "a", _always(3)),
    (r"barred", "c", _always(32)),
    (r"bar(count|riercount)", "b", _always(32)),
    (r"bar(arrive|rierarrive)", "b", _always(64)),
    (r"barwarp", "a", _always(0xFFFFFFFF)),
    (r"nanosleep", "a", _always(20)),
    (r"alloca", "a", _always(64)),
    (r"mapa|getctarank", "b", _always(0)),
    (r"getctarank|mapa|cvta(to)?|isspacep", "a", lambda lane, draw: 0x500 + 16 * lane),
    (r"fns", "b", _coordinate(32)),
    (r"fns", "c", lambda lane, draw: draw.randrange(-9, 9)),
    (r"f(sin|cos|tanh|ex2).*f32", "a", lambda lane, draw: meaning.encode(draw.uniform(-6, 6), "f32")),
    (r"f(rsqrt|sqrtapprox|lg2).*f32", "a", lambda lane, draw: meaning.encode(draw.uniform(0, 1e5), "f32")),
    (r"f(rsqrt|sqrtapprox|lg2).*f64", "a", lambda lane, draw: meaning.encode(draw.uniform(0, 1e5), "f64")),
    (r"tex.*level", "l", _always(0)),
    (r"tex.*(array)", "i", _coordinate(4)),
    (r"tex.*(level|f32$)", "a\\d", _real),
    (r"tex.*3d.*s32$", "a2", _coordinate(4)),
    (r"tex.*s32$", "a\\d", _coordinate(8)),
    (r"suld", "a0", lambda lane, draw: 4 * draw.randrange(32)),
    (r"sust", "a0", lambda lane, draw: 4 * lane),  # of two lanes at one place either may win
    (r"su(ld|st)", "a[12]", _coordinate(4)),
    (r"f+2ue", "[ab]", lambda lane, draw: meaning.encode(2.0 ** draw.uniform(-99, 99), "f32")),
    (r"h2ue", "a", lambda lane, draw: 0x10001 * meaning.encode(2.0 ** draw.uniform(-99, 99), "bf16")),
    (r"redux.*f32", "a", lambda lane, draw: meaning.encode(draw.uniform(-9, 9), "f32")),
    (r"(sdiv|udiv|srem|urem)", "b", lambda lane, draw: draw.randrange(1, 1 << draw.randrange(1, 31))),
]


def _any(kind: str, draw: random.Random) -> int:
    """Any bits, or an ordinary number of some type."""
    way = draw.randrange(6)
    if way == 0:
        return draw.getrandbits(64)
    if way == 1:
        return draw.randrange(40)
    if kind in ("f16", "bf16", "f32", "f64") and way > 2:
        size = {"f16": 60, "bf16": 60, "f32": 1e5, "f64": 1e9}[kind]
        return meaning.encode(draw.uniform(-size, size), kind)
    return struct.unpack("<Q", struct.pack("<d", draw.uniform(-1e6, 1e6)))[0]


def leaves(probe: Probe) -> list[tuple[str, Leaf, str]]:
    """Operands of a pattern, each with the operation that it stands under."""
    found: dict[str, tuple[str, Leaf, str]] = {}

    def walk(tree: Tree, op: str) -> None:
        for child in tree.children:
            if isinstance(child, Tree):
                walk(child, plain(child.op))
            elif child.value is None:
                found.setdefault(child.name, (child.name, child, op))

    walk(probe.tree, probe.op)
    return list(found.values())


def words(probe: Probe, handle: int, draw: random.Random) -> list[list[int]]:
    """Every lane's operands."""
    rest = random.Random(2)  # what no operation reads is not worth a draw
    rows = [[rest.getrandbits(64) for _ in range(WORDS)] for _ in range(LANES)]
    for place, (name, item, op) in enumerate(leaves(probe)):
        kind = argument_type(op, name)
        role = next(
            (
                what
                for where, leaf, what in _ROLES
                if re.match(where, op) and re.fullmatch(leaf, name.partition("|")[0])
            ),
            None,
        )
        for lane, row in enumerate(rows):
            element = matrices.draws(op, name, draw)
            if name == "t":
                value = handle
            elif element is not None:
                value = element
            elif name == "s" and op.startswith("wmma"):
                value = matrices.stride(op)
            elif role is not None:
                value = role(lane, draw)
                value = rows[0][place] if value == -1 and lane else value
            elif item.accept & ADDR and not item.accept & IMM:
                where = space(op, name)
                value = _shared(lane, draw) if where != "local" else 16 * draw.randrange(8)
                if where in ("gen", "global"):
                    value += FAR
            elif kind == "p":
                value = draw.randrange(2) << 40  # whether it is 0
            else:
                value = _any(kind, draw)
            row[place] = value & (1 << 64) - 1
    count = (
        32 if ".tl" in probe.op else 64 if "noComplete" in probe.op or "drop" in probe.op else 32 + draw.randrange(2)
    )
    if probe.op.startswith("mbar"):
        for row in rows:
            row[COUNTED] = count
    return rows


__all__ = ["FAR", "SIZES", "WORDS", "leaves", "words"]
