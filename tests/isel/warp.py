"""What operations of a warp mean: memory, votes, exchanges, barriers. The oracle for patterns, beside `meaning`.

`perform(op, args, state)` takes for each operand a list with every lane's bits (an address: the byte of `state.memory`
that it points at) and gives for each result a list with every lane's bits; None where the operation is not described.
A result may be a function that says whether bits are right, where more than one may be.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from tests.isel import meaning
from tests.isel.kernels import COUNTED, MEMORY, SEEN
from tests.isel.synthesise import LANE

LANES = 32
Answer = int | Callable[[int], bool] | None
Results = dict[int, list[Answer]]
"""Place of a result -> every lane's."""
BYTES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "i16": 2, "i64": 8, "f64": 8, "i128": 16}
"""Bytes of what is no word of 32 bits."""


@attrs.define
class State:
    """What a warp may read and change."""

    memory: bytearray
    words: list[list[int]]
    """Every lane's operands."""
    texels: Any = None
    unknown: set[int] = attrs.field(factory=set)
    """Bytes of memory that nothing is said about."""

    def load(self, at: int, size: int) -> int:
        return int.from_bytes(self.memory[at : at + size], "little")

    def store(self, at: int, size: int, value: int) -> None:
        self.memory[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def copy(self, target: int, source: int, size: int) -> None:
        self.memory[target : target + size] = self.memory[source : source + size]


def perform(op: str, args: list[list[int]], state: State) -> Results | None:
    """Results of an operation, with its effect on memory."""
    for where, what in _TABLE:
        found = re.fullmatch(where, op)
        if found:
            return what(found, args, state)
    return None


def every(value: Answer) -> Results:
    return {0: [value] * LANES}


def columns(results: list[list[int]]) -> Results:
    """Every lane's list of results, by place."""
    return {place: list(column) for place, column in enumerate(zip(*results, strict=True))}


# --- memory ---------------------------------------------------------------------------------------------------------


def _load(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    count, size = int(found[1] or 1), BYTES.get(found[2], 4)
    return {i: [state.load(at + size * i, size) for at in args[0]] for i in range(count)}


def _returned(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """A function's result, copied to the lane's memory: bytes that it does not store are anything."""
    state.unknown.update(range(MEMORY))
    args = [[lane * LANE + at for lane, at in enumerate(args[0])], *args[1:]]
    for at in args[0]:
        state.unknown.difference_update(range(at, at + BYTES.get(found[2], 4) * (len(args) - 1)))
    return _store(found, args, state)


def _store(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    size = BYTES.get(found[2], 4)
    for lane, at in enumerate(args[0]):
        for i, values in enumerate(args[1:]):
            state.store(at + size * i, size, values[lane])
    return {}


def _parts(kind: str) -> tuple[str, int]:
    """(type of a part, parts) of a type."""
    return (kind[:-2], 2) if kind.endswith("x2") else (kind, 1)


def _changed(what: str, old: int, new: int, kind: str) -> int:
    """What an atomic operation leaves; NAN if a part of it is one."""
    width = 8 * BYTES.get(kind, 4)
    if what == "exch":
        return new
    if what == "inc":
        return 0 if old >= new else old + 1
    if what == "dec":
        return new if old == 0 or old > new else old - 1
    if what == "fadd":
        part, count = _parts(kind)
        bits = meaning.bits_of(part)
        mask = (1 << bits) - 1
        name = "fadd.ftz.f32" if part == "f32" else f"fadd.{part}"  # global memory's unit has no denormal singles
        sums = [meaning.evaluate(name, [old >> bits * i & mask, new >> bits * i & mask]) for i in range(count)]
        return meaning.NAN if None in sums else sum((one or 0) << bits * i for i, one in enumerate(sums))
    name = {"min": "smin", "max": "smax"}.get(what, what)
    found = meaning.evaluate(f"{name}.i{width}", [old, new])
    assert found is not None, what
    return found


def _atomic(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    head, what, kind = found[1], found[2], found[3]
    size = BYTES.get(kind, 4)
    whole = 2 if kind == "i128" else 1
    old = []
    for lane, at in enumerate(args[0]):
        values = [values[lane] for values in args[1:]]
        joined = [sum(v << 64 * i for i, v in enumerate(values[k : k + whole])) for k in range(0, len(values), whole)]
        before = state.load(at, size)
        if what == "cas":
            mask = (1 << 8 * size) - 1
            after = joined[1] if before == joined[0] & mask else before
        else:
            after = _changed(what, before, joined[0], kind)
        if after == meaning.NAN:
            state.unknown.update(range(at, at + size))
        state.store(at, size, after)
        old.append([before >> 64 * i & (1 << 64) - 1 for i in range(whole)])
    return columns(old) if head == "atom" else {}


def _nothing(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    return {}


def _discard(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    for at in args[0]:
        state.unknown.update(range(at, at + args[1][0]))
    return {}


def _copied(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """cp.async: as many bytes as there are to read, zeros after them."""
    size = int(found[1])
    for lane, (to, at) in enumerate(zip(args[0], args[1], strict=True)):
        given = min(args[2][lane], size) if len(args) > 2 else size
        state.memory[to : to + size] = state.memory[at : at + given] + bytes(size - given)
    return {}


def _bulk(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    for to, at, size in zip(*args[:3], strict=True):
        state.copy(to, at, size)
    return {}


def _waited(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """The text around it copies 16 bytes from global to shared memory, or back."""
    for lane in range(LANES):
        near, far = lane * LANE, lane * LANE + MEMORY // 2
        state.copy(*((far, near) if found[0].startswith("bulk") else (near, far)), 16)
    return {}


# --- tensors by their maps: 4 float32 in a box, of a tensor that fills the far half of the memory ---------------------

SIZES = (8, 8, 4, 4, 2)
"""Of the tensor, fastest dimension first; a tensor of n dimensions has the first n."""


def _place(at: tuple[int, ...]) -> int:
    """Byte of a box' first element."""
    place, step = 0, 4
    for x, size in zip(at, SIZES, strict=False):
        place, step = place + x * step, step * size
    return MEMORY // 2 + place


def _tensor(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    way = found[1]
    first = {"g2s": 3, "prefetch": 1}.get(way, 2)
    for lane in range(LANES):
        box = _place(tuple(column[lane] for column in args[first:]))
        near = args[0][lane]
        if way == "g2s":
            state.copy(near, box, 16)
        elif way == "s2g":
            state.copy(box, near, 16)
        elif way.startswith("reduce"):
            for i in range(0, 16, 4):
                state.store(box + i, 4, _changed(found[2], state.load(box + i, 4), state.load(near + i, 4), "i32"))
    return {}


# --- textures: point sampling, coordinates clamped -------------------------------------------------------------------


def _texel(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """The four channels at texel numbers, or at unnormalised coordinates; rows of the array are the last coordinate."""
    layered, floats = ".array" in found[1], found[3] == "f32"
    out = []
    dims = state.texels.ndim - 1
    for lane in range(LANES):
        at = [column[lane] for column in args[1 : 1 + dims]]
        which = [at[0]] if layered else []
        place = [struct.unpack("<f", struct.pack("<I", x))[0] // 1 if floats else meaning.signed(x, 32) for x in at]
        index = [*which, *reversed(place[len(which) :])]
        clamped = tuple(int(max(0, min(x, size - 1))) for x, size in zip(index, state.texels.shape, strict=False))
        out.append([int(word) for word in state.texels[clamped].view(np.uint32)])
    return columns(out)


def _surface(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """A word of a surface; the first coordinate counts bytes."""
    store = found[1] == "sust.b"
    words = state.texels.view(np.uint32).reshape(*state.texels.shape[:-2], -1)
    out = []
    for lane in range(LANES):
        at = [column[lane] for column in args[1 : 1 + words.ndim]]
        index = (*reversed(at[1:]), at[0] // 4)
        if store:
            words[index] = args[-1][lane]
        out.append([int(words[index])])
    return {} if store else columns(out)


# --- within the warp ------------------------------------------------------------------------------------------------


def _vote(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    mode, said = found[1], args[1]
    return every({"all": all(said), "any": any(said), "uni": len(set(said)) == 1}[mode])


def _ballot(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    return every(sum(said << lane for lane, said in enumerate(args[1])))


def _match(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    values = args[1]
    if found[1] == "any":
        return {0: [sum((other == value) << lane for lane, other in enumerate(values)) for value in values]}
    same = len(set(values)) == 1
    return {0: [0xFFFFFFFF * same] * LANES, 1: [int(same)] * LANES}


def _shuffle(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """The segment is what the mask in c leaves of the lane; a lane that reads outside keeps its own value."""
    how = found[2]
    value, inside = [], []
    for lane in range(LANES):
        by, clamp, mask = args[2][lane] & 31, args[3][lane] & 31, args[3][lane] >> 8 & 31
        highest = lane & mask | clamp & ~mask
        source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": lane & mask | by & ~mask & 31}[how]
        there = source >= highest if how == "up" else source <= highest
        value.append(args[1][source if there else lane])
        inside.append(int(there))
    return {0: value, 1: inside} if found[1] else {0: value}  # type: ignore[dict-item]


def _reduce(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    total = args[0][0]
    for value in args[0][1:]:
        total = _changed(found[1], total, value, "i32")
    return every(total)


def _least(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    values = [meaning.number(bits, "f32") for bits in args[0]]
    return every(args[0][values.index((min if found[1] == "min" else max)(values))])


def _elect(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    return {0: [0] * LANES, 1: [int(lane == 0) for lane in range(LANES)]}


def _reduced(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """A barrier that counts, or asks all or any."""
    said = args[-1]
    return every({"popc": sum(said), "and": int(all(said)), "or": int(any(said))}[found[1]])


# --- barriers in memory: the text around the instruction tests the first phase, lets every lane arrive, tests again ---


def _phases(arrived: int, count: int) -> Results:
    """Whether the phase is over after so many arrivals, and after one more of each lane (by the parity of phases)."""
    return {SEEN + i: [(arrived + LANES * i) // count % 2] * LANES for i in range(2)}


def _barrier(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    op, count = found[0], state.words[0][COUNTED]
    state.unknown.update(range(128, 144))
    if op.startswith("mbar.init"):
        return _phases(0, args[1][0])
    if op.startswith("mbar.inval"):
        return {SEEN: [int(count <= LANES)] * LANES}
    if op.startswith("mbar.expect"):
        return {SEEN: [0] * LANES, SEEN + 1: [1] * LANES}
    if op.startswith("mbar.copies"):
        return _phases(LANES if "noinc" in op else 0, count)
    if op.startswith("mbar.pending"):
        return every(count)
    if ".wait" in op:
        return every(int(count <= LANES))
    given = {} if op.endswith("cluster") else every(lambda bits: True)  # the phase's state is opaque
    return _phases(LANES, count) | given


# --- addresses, special registers -----------------------------------------------------------------------------------


def _window(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """Addresses of global memory are generic ones; those of a window are as far from them in every lane."""
    if found[2].startswith(("global", "const")):
        return {0: list(args[0])}
    apart: set[int] = set()

    def as_far(value: int) -> Callable[[int], bool]:
        return lambda bits: apart.add(bits - value & (1 << 64) - 1) is None and len(apart) == 1

    return {0: [as_far(value) for value in args[0]]}


def _made(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """Some address, which only the machine knows; alloca's is aligned."""
    unit = args[1][0] if found[1] == "alloca" else 4
    return every(lambda bits: bits % unit == 0)


def _special(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    lanes: dict[str, list[Answer]] = {"i32": list(range(LANES)), "i64": [lambda t: t > 0] * LANES, "p": [0] * LANES}
    return {0: lanes[found[1]]}


def _carried(found: re.Match[str], args: list[list[int]], state: State) -> Results:
    """Integers of several words."""
    count = int(found[2])
    out = []
    for lane in range(LANES):
        words = [column[lane] for column in args]
        a, b = (sum(word << 64 * i for i, word in enumerate(half)) for half in (words[:count], words[count:]))
        total = a + b if found[1] == "add" else a - b
        out.append([total >> 64 * i & (1 << 64) - 1 for i in range(count)])
    return columns(out)


_What = Callable[[re.Match[str], list[list[int]], State], Results]
_TABLE: list[tuple[str, _What]] = [
    (r"ld(?:nc|cs|u|vol|ord)?(\d?)\.\w+\.(\w+)", _load),
    (r"st(\d?)\.param\.(\w+)", _returned),
    (r"st(?:nc|cs|vol|ord)?(\d?)\.\w+\.(\w+)", _store),
    (r"(atom|red)\.(\w+)\.(?:gen|global|shared)\.(\w+)", _atomic),
    (r"(fence|membar|prefetch|applypriority|nanosleep|pmevent|griddep|wgmma\.|setmaxnreg|clusterarrive|clusterwait"
     r"|bar(sync|count|arrive|warp|rier\w*)\.|bulk\.prefetch).*", _nothing),
    (r"discard.*", _discard),
    (r"cpasync\.c[ag]\.(\d+)(?:\.s)?", _copied),
    (r"cpcommit\.|cpwait\.|cpwaitall\.|bulkcommit\.|bulkwait\.", _waited),
    (r"bulk\.(g2s|s2g|s2c)", _bulk),
    (r"tensor\.(g2s|s2g|prefetch|reduce\.(\w+))\.tile\.\dd", _tensor),
    (r"tex\.unified\.(\dd(?:\.array)?)(?:\.level)?\.(v4\w+)\.(\w+)", _texel),
    (r"(suld|sust\.b)\.(\d)d\.i32\.\w+", _surface),
    (r"suq\.width", lambda found, args, state: every(state.texels.shape[-2])),
    (r"vote\.(\w+)\.p", _vote),
    (r"ballot\.i32", _ballot),
    (r"match(any|all)\.i\d\d", _match),
    (r"shflsync(p?)\.(\w+)\.\w+", _shuffle),
    (r"redux\.(\w+)\.i32", _reduce),
    (r"redux\.f(min|max)\.f32", _least),
    (r"elect\.", _elect),
    (r"activemask\.i32", lambda found, args, state: every(0xFFFFFFFF)),
    (r"barred(?:\.unaligned)?\.(popc|and|or)(?:\.count)?\.\w+", _reduced),
    (r"mbar\..*", _barrier),
    (r"(movsym|alloca|stacksave|cvta\.param|cvta\.funcparam)\b.*", _made),
    (r"(cvta|cvtato|mapa)\.(\w+)\S*", _window),
    (r"getctarank\..*", lambda found, args, state: every(0)),
    (r"isspacep\.(\w+)\.i64", lambda found, args, state: every(int(found[1] in ("global",)))),
    (r"sreg\.(\w+)", _special),
    (r"(add|sub)w\.x(\d)", _carried),
    (r"unpackh\.i32", lambda found, args, state: columns([[a & 0xFFFF, a >> 16] for a in args[0]])),
    (r"exit\.", lambda found, args, state: {SEEN: [0] * LANES}),
    (r"call\.", lambda found, args, state: {SEEN: [LANES] * LANES}),
    (r"stackrestore\.i64", _nothing),
]  # fmt: skip
"""(operation, its meaning)"""
