"""What matrix instructions mean: numpy's products of whole matrices, over the fragments that PTX documents.

Elements are small integers, exact in every format, so that products and sums are exact, too. The registers of `wmma`
have no documented order: what is around such a pattern loads, multiplies and stores, and memory is compared.
"""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

from minicc.isel.cover.database import unify
from minicc.isel.patterns.tensor import _FRAGMENTS
from tests.isel import meaning
from tests.isel.synthesise import LANE, Probe
from tests.isel.warp import LANES, Results, State, columns

Array = np.ndarray[Any, Any]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4}
BITS |= {"b1": 1, "e4m3": 8, "e5m2": 8}


def decode(bits: int, kind: str) -> float:
    if kind in ("s32", "s8", "s4"):
        return meaning.signed(bits, BITS[kind])
    if kind in ("u8", "u4", "b1"):
        return bits
    if kind in meaning.NARROW:
        return float(meaning.widened(bits, kind))
    return float(meaning.number(bits, "f32" if kind == "tf32" else kind))


def encode(value: float, kind: str) -> int:
    if kind in ("s32", "s8", "s4", "u8", "u4", "b1"):
        return int(value) & (1 << BITS[kind]) - 1
    if kind in meaning.NARROW:
        return meaning.narrowed(value, kind)
    return meaning.encode(value, "f32" if kind == "tf32" else kind)


def element(kind: str, draw: random.Random) -> int:
    """Bits of a small number."""
    low, high = (0, 1) if kind == "b1" else (0, 3) if kind[0] == "u" else (-3, 3)
    return encode(draw.randint(low, high), kind)


def word(kind: str, draw: random.Random) -> int:
    """A register full of elements: any of an integer type, small ones of another."""
    width = BITS[kind]
    if kind[0] in "bsu" and kind != "bf16":
        return draw.getrandbits(max(width, 32))
    return sum(element(kind, draw) << i for i in range(0, max(width, 32), width))


def split(register: int, kind: str) -> list[float]:
    width = BITS[kind]
    return [decode(register >> i & (1 << width) - 1, kind) for i in range(0, max(width, 32), width)]


def join(values: list[float], kind: str) -> int:
    return sum(encode(value, kind) << BITS[kind] * i for i, value in enumerate(values))


# --- fragments: (row, column) of element j of register i of a lane ---------------------------------------------------


def place(part: str, lane: int, i: int, j: int, each: int, rows: int) -> tuple[int, int]:
    """Of the shapes m16n8 and m8n8; `each` elements a register, `rows` of the matrix."""
    group, member = divmod(lane, 4)
    if part == "a":
        down, right = (i & 1, i >> 1) if rows == 16 else (0, i)
        return group + 8 * down, member * each + j + right * 4 * each
    if part == "b":
        return member * each + j + i * 4 * each, group
    if each == 2:
        return group + 8 * i, 2 * member + j
    return group + 8 * (i >> 1), 2 * member + (i & 1)


def volta(part: str, lane: int, i: int, j: int, row_major: bool, kind: str) -> tuple[int, int, int]:
    """Of m8n8k4 on halves: (which of four products, row, column)."""
    high = 4 * (lane >= 16)
    near, far = lane % 4 + high, 2 * i + j
    which = lane % 16 // 4
    if part == "a":
        return (which, near, far) if row_major else (which, far % 4 + high, lane % 4)
    if part == "b":
        return (which, lane % 4, far + high) if row_major else (which, far, near)
    if kind == "f32":
        return which, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)
    return which, near, far


def gather(args: list[list[int]], kind: str, shape: tuple[int, int], part: str) -> Array:
    """The matrix that registers hold."""
    out = np.full(shape, np.nan)
    for i, register in enumerate(args):
        for lane, bits in enumerate(register):
            values = split(bits, kind)
            for j, value in enumerate(values):
                out[place(part, lane, i, j, len(values), shape[0])] = value
    assert not np.isnan(out).any()
    return out


def scatter(matrix: Array, kind: str) -> Results:
    """The registers that hold a result."""
    each = 2 if kind == "f16" else 1
    count = matrix.size // LANES // each
    return columns(
        [
            [
                join([matrix[place("c", lane, i, j, each, matrix.shape[0])] for j in range(each)], kind)
                for i in range(count)
            ]
            for lane in range(LANES)
        ]
    )


# --- mma ------------------------------------------------------------------------------------------------------------


def types(op: str) -> tuple[str, str, str, str]:
    """Types of D, A, B, C."""
    words = op.split(".")
    kinds = [w for w in words if w in BITS]
    first = kinds[0]
    if "b1" in kinds:
        return "s32", "b1", "b1", "s32"
    if first in ("bf16", "tf32"):
        return "f32", first, first, "f32"
    if first == "f64":
        return "f64", "f64", "f64", "f64"
    if first[0] in "su":
        return "s32", first, kinds[-1], "s32"
    if len(kinds) == 4:
        return kinds[0], kinds[1], kinds[2], kinds[3]
    return kinds[0], "f16", "f16", kinds[-1]


def product(op: str, a: Array, b: Array, c: Array) -> Array:
    if "popc" in op:
        both = np.logical_xor if ".xor." in op else np.logical_and
        return both(a[:, :, None], b[None, :, :]).sum(axis=1) + c
    return a @ b + c


SPARSE = {0b0100: (0, 1), 0b1000: (0, 2), 0b1001: (1, 2), 0b1100: (0, 3), 0b1101: (1, 3), 0b1110: (2, 3)}
"""Metadata of four elements -> the two of them that are there."""


def expand(a: Array, nibble: int, kind: str) -> Array:
    """The whole of a sparse A whose groups all have the same metadata. tf32: one of two; 4 bits: pairs."""
    run, there = {
        "tf32": (2, [SPARSE[nibble][0] // 2]),
        "s4": (8, [2 * k + i for k in SPARSE[nibble] for i in (0, 1)]),
    }.get(kind.replace("u", "s"), (4, list(SPARSE[nibble])))
    out = np.zeros((a.shape[0], a.shape[1] * run // len(there)))
    for group in range(a.shape[1] // len(there)):
        out[:, [group * run + k for k in there]] = a[:, group * len(there) : (group + 1) * len(there)]
    return out


def multiply(op: str, args: list[list[int]], kinds: tuple[str, str, str, str]) -> Results:
    """D of a product of registers of A, B and C, sparse or not, of the given types of D, A, B, C."""
    d, a, b, c = kinds
    m, n, k = map(int, re.search(r"m(\d+)n(\d+)k(\d+)", op).groups())  # type: ignore[union-attr]
    sparse = op.startswith("mma.sp")
    if (m, n, k, a) == (8, 8, 4, "f16"):
        return _volta(op, args, d, c)

    def registers(kind: str, rows: int, cols: int) -> int:
        return rows * cols * BITS[kind] // LANES // max(32, BITS[kind])

    counts = registers(a, m, k // 2 if sparse else k), registers(b, k, n), registers(c, m, n)
    parts = [args[: counts[0]], args[counts[0] : sum(counts[:2])], args[sum(counts[:2]) : sum(counts)]]
    left = gather(parts[0], a, (m, k // 2 if sparse else k), "a")
    if sparse:
        left = expand(left, args[-2][0] & 15, a)
    right, start = gather(parts[1], b, (k, n), "b"), gather(parts[2], c, (m, n), "c")
    return scatter(product(op, left, right, start), d)


def _volta(op: str, args: list[list[int]], d: str, c: str) -> Results:
    rows = [word == "row" for word in op.split(".") if word in ("row", "col")]
    a, b, total = np.zeros((4, 8, 4)), np.zeros((4, 4, 8)), np.zeros((4, 8, 8))
    for out, part, first, count, kind in (
        (a, "a", 0, 2, "f16"),
        (b, "b", 2, 2, "f16"),
        (total, "c", 4, len(args) - 4, c),
    ):
        for i in range(count):
            for lane, bits in enumerate(args[first + i]):
                for j, value in enumerate(split(bits, kind)):
                    out[volta(part, lane, i, j, rows[part == "b"], kind)] = value
    found = a @ b + total
    each = 2 if d == "f16" else 1
    return columns(
        [[join([found[volta("c", lane, i, j, True, d)] for j in range(each)], d) for i in range(8 // each)]
         for lane in range(LANES)]
    )  # fmt: skip


# --- ldmatrix, stmatrix ---------------------------------------------------------------------------------------------


def matrix_load(op: str, args: list[list[int]], state: State) -> Results:
    """Lane 8 * k + r says where row r of matrix k is; a lane gets two neighbours of a row, or of a column."""
    count, across = int(re.search(r"x(\d)", op)[1]), ".trans" in op  # type: ignore[index]
    out: list[list[int]] = []
    for lane in range(LANES):
        line, pair = divmod(lane, 4)
        places = [(2 * pair + i, line) if across else (line, 2 * pair + i) for i in (0, 1)]
        halves = [[state.load(args[0][8 * k + row] + 2 * col, 2) for row, col in places] for k in range(count)]
        out.append([low | high << 16 for low, high in halves])
    return columns(out)


def matrix_store(op: str, args: list[list[int]], state: State) -> Results:
    across = ".trans" in op
    for k, values in enumerate(args[1:]):
        for lane, value in enumerate(values):
            line, pair = divmod(lane, 4)
            for i in (0, 1):
                row, col = (2 * pair + i, line) if across else (line, 2 * pair + i)
                state.store(args[0][8 * k + row] + 2 * col, 2, value >> 16 * i)
    return {}


# --- wmma: matrices at fixed places of shared memory -----------------------------------------------------------------

PLACES = {"a": 2048, "b": 3072, "c": 4096, "d": 5120}
OWN = 128
"""Where the pattern's own address points."""


def _parsed(op: str) -> tuple[str, str, str, str, dict[str, str]]:
    """(shape, load, store or mma, fragment, layout of A or of the fragment, type of each part)"""
    found = re.fullmatch(r"wmma\.(m\d+n\d+k\d+)\.(load|store|mma)\.(.*)", op)
    assert found is not None
    shape, what, rest = found.groups()
    words = rest.split(".")
    if what == "mma":
        d, a, b, c = types(rest)
        layouts = [w for w in words if w in ("row", "col")]
        return shape, what, "", ".".join(layouts), {"d": d, "a": a, "b": b, "c": c}
    kind = words[-1]
    if words[0] in "ab":
        big = {"f16": "f32", "bf16": "f32", "tf32": "f32", "f64": "f64"}.get(kind, "s32")
        kinds = {"a": kind, "b": kind, "c": big, "d": big}
    else:
        small = {"f16": "f16", "f64": "f64", "f32": "tf32" if shape.endswith("k8") else "f16"}.get(kind)
        small = small or {"k16": "s8", "k32": "s4", "128": "b1"}[shape[-3:]]
        kinds = {"a": small, "b": small, "c": kind, "d": kind}
    return shape, what, words[0], words[1], kinds


def _registers(shape: str, part: str, kind: str) -> int:
    """Of a fragment, by the patterns that load it."""
    for name, which, type_, count, _ in _FRAGMENTS:
        named = {"{ab}": "ab", "{arow}": "ab"}.get(which, which)
        kinds = {"{i8}": ("s8", "u8"), "{i4}": ("s4", "u4")}.get(type_, (type_,))
        if ("c" if part == "d" else part) in named and kind in kinds and unify(name, shape) is not None:
            return count
    raise KeyError((shape, part, kind))


def _extent(shape: str, part: str) -> tuple[int, int]:
    m, n, k = map(int, re.findall(r"\d+", shape))
    return {"a": (m, k), "b": (k, n)}.get(part, (m, n))


def _layouts(op: str) -> dict[str, str]:
    _, what, fragment, layout, _ = _parsed(op)
    found = {"a": "row", "b": "col", "c": "row", "d": "row"}
    if what == "mma":
        found["a"], found["b"] = layout.split(".")
    else:
        found[fragment] = layout
    return found


def stride(op: str) -> int:
    """Elements from one row or column of the pattern's own matrix to the next."""
    shape, _, fragment, layout, _ = _parsed(op)
    rows, cols = _extent(shape, fragment)
    return cols if layout == "row" else rows


def around(probe: Probe) -> tuple[str, str]:
    """PTX that loads what the pattern does not, multiplies, and stores."""
    shape, what, fragment, _, kinds = _parsed(probe.op)
    layouts = _layouts(probe.op)
    sort = {"f32": "f32", "f64": "f64"}

    def names(part: str) -> str:
        return "{" + ", ".join(f"%m{part}{i}" for i in range(_registers(shape, part, kinds[part]))) + "}"

    def declare(part: str) -> str:
        return f" .reg .{sort.get(kinds[part], 'b32')} %m{part}<8>;\n"

    def step(part: str, act: str, at: int) -> str:
        rows, cols = _extent(shape, part)
        ld = cols if layouts[part] == "row" else rows
        text = f"wmma.{act}.{part}.sync.aligned.{layouts[part]}.{shape}.shared.{kinds[part]}"
        place = f"[%xd4+{at}]"
        return (
            f" {text} {names(part)}, {place}, {ld};\n" if act == "load" else f" {text} {place}, {names(part)}, {ld};\n"
        )

    def move(part: str, act: str, base: str, first: int) -> str:
        """Registers of a fragment from or to the lane's words."""
        kind = sort.get(kinds[part], "b32")
        return "".join(
            f" ld.global.{kind} %m{part}{i}, [{base}+{8 * (first + i)}];\n" if act == "load"
            else f" st.global.{kind} [{base}+{8 * (first + i)}], %m{part}{i};\n"
            for i in range(_registers(shape, part, kinds[part]))
        )  # fmt: skip

    def loads(*parts: str) -> str:
        return "".join(step(part, "load", PLACES[part]) for part in parts)

    if "f16" in kinds["a"] and kinds["a"] == "f16":
        name = f"{kinds['d']}.{kinds['c']}"
    else:
        name = ".".join(kinds[part] for part in "dabc")
    op = ".xor.popc" if kinds["a"] == "b1" else ""
    mma = f" wmma.mma{op}.sync.aligned.{layouts['a']}.{layouts['b']}.{shape}.{name}"
    mma += " " + ", ".join(names(part) for part in "dabc") + ";\n"
    sent = step("d", "store", PLACES["d"])
    declared = "".join(map(declare, "abcd"))
    if what == "mma":
        first = [0, *np.cumsum([_registers(shape, part, kinds[part]) for part in "abc"]).tolist()]
        before = loads("a", "b", "c") + "".join(
            move(p, "store", "%xd2", at) for p, at in zip("abc", first, strict=False)
        )
        return declared + before, move("d", "load", "%xd3", 0) + sent
    if what == "store":
        return declared + loads("c").replace("%mc", "%md") + move("d", "store", "%xd2", 1), ""
    mine = move(fragment, "load", "%xd3", 0)
    return declared, mine + loads(*(p for p in "abc" if p != fragment)) + mma + sent


def prepare(op: str, memory: bytearray, draw: random.Random) -> None:
    """Matrices where the kernel looks for them."""
    shape, what, fragment, _, kinds = _parsed(op)
    for part in "abc":
        rows, cols = _extent(shape, part)
        bits = sum(element(kinds[part], draw) << BITS[kinds[part]] * i for i in range(rows * cols))
        at = OWN if what == "load" and part == fragment else PLACES[part]
        data = bits.to_bytes(rows * cols * BITS[kinds[part]] // 8, "little")
        memory[at : at + len(data)] = data


def _read(memory: bytearray, at: int, kind: str, extent: tuple[int, int], layout: str) -> Array:
    rows, cols = extent
    width = BITS[kind]
    bits = int.from_bytes(memory[at : at + rows * cols * width // 8], "little")
    values = np.array([decode(bits >> width * i & (1 << width) - 1, kind) for i in range(rows * cols)])
    return values.reshape(rows, cols) if layout == "row" else values.reshape(cols, rows).T


def whole(op: str, args: list[list[int]], state: State) -> Results:
    """The matrix that is stored at the end."""
    shape, what, fragment, _, kinds = _parsed(op)
    layouts = _layouts(op)
    matrices = {
        part: _read(state.memory, OWN if what == "load" and part == fragment else PLACES[part], kinds[part],
                    _extent(shape, part), layouts[part])
        for part in "abc"
    }  # fmt: skip
    result = matrices["c"] if what == "store" else product(".xor.popc." * (kinds["a"] == "b1"), *matrices.values())
    flat = (result if layouts["d"] == "row" else result.T).reshape(-1)
    data = sum(encode(value, kinds["d"]) << BITS[kinds["d"]] * i for i, value in enumerate(flat))
    at = OWN if what == "store" else PLACES["d"]
    state.memory[at : at + flat.size * BITS[kinds["d"]] // 8] = data.to_bytes(
        flat.size * BITS[kinds["d"]] // 8, "little"
    )
    anything: Results = {i: [lambda bits: True] * LANES for i in range(8)}
    return {} if what == "store" else anything


def perform(op: str, args: list[list[int]], state: State) -> Results | None:
    if op.startswith("ldmatrix"):
        return matrix_load(op, args, state)
    if op.startswith("stmatrix"):
        return matrix_store(op, args, state)
    if op.startswith("mma"):
        return multiply(op, args, types(op))
    return whole(op, args, state) if op.startswith("wmma.") else None


def draws(op: str, name: str, draw: random.Random) -> int | None:
    """A word of elements for an operand of a product; the same metadata everywhere."""
    if op.startswith("mma"):
        _, a, b, c = types(op)
        if name == "m0":
            return None
        return word({"a": a, "b": b, "c": c}[name[0]], draw) if name[0] in "abc" else None
    return None


__all__ = ["LANE", "around", "draws", "perform", "prepare", "stride"]
