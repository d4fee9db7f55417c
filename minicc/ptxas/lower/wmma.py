"""wmma.load, wmma.mma, wmma.store, as products of mma.sync's shapes side by side.

A fragment's layout is opaque in PTX, so it is that of mma.sync: lane = 4*g + t holds of A rows g (and g+8), of B column
g, of C rows g (and g+8); along the other axis it holds what starts at t times a unit (2 halves, 4 bytes, one word). A
shape is a number of such tiles along M and along N; m8n32k16 is m32n8k16 with the factors' parts exchanged, which
transposes the result. f16 factors have eight registers in PTX whatever they need; what is missing repeats the first.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm, neg
from minicc.ptxas.lower.matrix import rounded
from minicc.ptxas.lower.memory import MAX_OFFSET, address, space_of
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import ZERO, MOperand, V, VMem
from minicc.record import evolve
from minicc.sass.instr import Imm, Name, Reg

# Shape: tiles along M, along N, factors exchanged.
_SHAPES = {
    "m16n16k16": (1, 2, False), "m32n8k16": (2, 1, False), "m8n32k16": (2, 1, True), "m16n16k8": (1, 2, False),
    "m8n8k4": (1, 1, False), "m8n8k32": (1, 1, False), "m8n8k128": (1, 1, False),
}  # fmt: skip
# Type of a factor: places of A's registers in a tile as (row, k), of B's as k; elements a register; the instruction.
_FACTORS = {
    "f16": (((0, 0), (8, 0), (0, 8), (8, 8)), (0, 8), 2, "HMMA.16816"),
    "bf16": (((0, 0), (8, 0), (0, 8), (8, 8)), (0, 8), 2, "HMMA.16816"),
    "tf32": (((0, 0), (8, 0), (0, 4), (8, 4)), (0, 4), 1, "HMMA.1684"),
    "s8": (((0, 0), (8, 0)), (0,), 4, "IMMA.16816"),
    "u8": (((0, 0), (8, 0)), (0,), 4, "IMMA.16816"),
    "f64": (((0, 0),), (0,), 1, "DMMA.8x8x4"), **dict.fromkeys(("s4", "u4", "b1"), (((0, 0),), (0,), 1, "")),
}  # fmt: skip
# Type of a result: places of a tile's registers, elements a register.
_RESULTS = {
    "f16": (((0, 0), (8, 0)), 2), "f32": (((0, 0), (0, 1), (8, 0), (8, 1)), 1),
    "s32": (((0, 0), (0, 1), (8, 0), (8, 1)), 1), "f64": (((0, 0), (0, 1)), 1),
}  # fmt: skip
_SMALL = (((0, 0), (0, 1)), 1)
"""Sums of 8 by 8."""
_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "s32": 4, "s8": 1, "u8": 1, "f64": 8, "s4": 4, "u4": 4, "b1": 4}
_NEAR = MAX_OFFSET - 256
"""Bound of the offset of a matrix: a row of a tile that a lane has parts of takes less."""
_EIGHTFOLD = 8
"""Registers of a fragment of halves, whatever its shape."""
_PACKED = {"s4": 3, "u4": 3, "b1": 5}
"""Elements narrower than a byte, as words: shift from elements to words."""
_FITTING = {
    "m16n16k8": ("tf32", "f32"),
    "m8n8k4": ("f64",),
    "m8n8k32": ("s4", "u4", "s32", "f32"),
    "m8n8k128": ("b1", "s32", "f32"),
}


class Tile:
    """Addresses of one matrix: `at(major, minor)` is element (g + major, unit t + minor) of the layout's own axes."""

    def __init__(
        self, b: Builder, inst: ptx.Inst, where: ptx.Operand, stride: ptx.Operand, kind: str, unit: int, paired: bool
    ):
        self.b = b
        self.space = space_of(inst)
        self.size = size = _BYTES[kind]
        self.paired = paired
        lane = b.temp()
        b.emit("S2R", (lane,), (Name("SR_LANEID"),))
        g = b.new("SHF.R.U32.HI", ZERO, imm(2), lane)
        place = b.logic(lane, imm(3), 0xC0)
        if unit > 1:
            place = b.new("SHF.L.U32", place, imm(unit.bit_length() - 1), ZERO)
        self.step = b.reg(b.val(stride))
        if kind in _PACKED:
            self.step = b.new("SHF.R.U32.HI", ZERO, imm(_PACKED[kind]), self.step)
        first, second = (g, place) if paired else (place, g)
        element = b.new("IMAD", first, self.step, second)
        base, self.offset = address(b, where, self.space, _NEAR)
        self.long = self.space in ("", "global")
        if self.long:
            assert isinstance(base, V)
            start = b.temp(2)
            b.emit("IMAD.WIDE.U32", (start,), (element, imm(size), V(base.reg, base.part, 2)))
        else:
            start = b.temp()
            b.op("IMAD", start, element, imm(size), b.reg(base))
        self.bases: dict[int, V] = {0: start}

    def at(self, major: int, minor: int) -> VMem:
        """The first (or only) element of a place."""
        steps, elements = (major, minor) if self.paired else (minor, major)
        base = self.bases.get(steps)
        b = self.b
        if base is None:
            start = self.bases[0]
            if self.long:
                base = b.temp(2)
                b.emit("IMAD.WIDE.U32", (base,), (self.step, imm(steps * self.size), V(start.reg, 0, 2)))
            else:
                base = b.temp()
                b.op("IMAD", base, self.step, imm(steps * self.size), start)
            self.bases[steps] = base
        offset = self.offset + elements * self.size
        if self.long:
            return b.global_address(V(base.reg, 0, 2, suffix=("64",)), offset)
        return VMem(base, offset)

    def mnemonic(self, load: bool, bits: int) -> str:
        """LDG.E, STS.U16, ... for an access of that many bits."""
        head = {"global": "LDG.E" if load else "STG.E", "": "LD.E" if load else "ST.E"}.get(self.space)
        if head is None:
            head = "LDS" if load else "STS"
        return dotted(head, {8: "U8", 16: "U16", 32: "", 64: "64"}[bits])


def _types(inst: ptx.Inst) -> list[str]:
    return [m for m in inst.modifiers if m in _BYTES]


def _shape(b: Builder, inst: ptx.Inst, kind: str) -> tuple[int, int, bool]:
    name = next((m for m in inst.modifiers if m in _SHAPES), "")
    fits = kind in _FITTING[name] if name in _FITTING else kind not in ("tf32", "f64", *_PACKED)
    if not name or not fits or space_of(inst) not in ("", "global", "shared"):
        b.unsupported()
    return _SHAPES[name]


def _result(inst: ptx.Inst, kind: str) -> tuple[tuple[tuple[int, int], ...], int]:
    """Places of a tile's registers and elements a register."""
    return _SMALL if "m8n8k32" in inst.modifiers or "m8n8k128" in inst.modifiers else _RESULTS[kind]


def _places(which: str, inst: ptx.Inst, kind: str, shape: tuple[int, int, bool]) -> list[tuple[int, int]]:
    """(major, minor) of each register, where major is the axis of g: rows of A and C, columns of B."""
    down, across, exchanged = shape
    if which in ("c", "d"):
        places = _result(inst, kind)[0]
        return [(16 * i + r, 8 * j + c) for i in range(down) for j in range(across) for r, c in places]
    if (which == "a") != exchanged:
        return [(16 * i + r, k) for i in range(down) for r, k in _FACTORS[kind][0]]
    return [(8 * j, k) for j in range(across) for k in _FACTORS[kind][1]]


def _joined(b: Builder, parts: list[V]) -> V:
    """Elements narrower than a register, in one."""
    if len(parts) == 2:
        return b.new("PRMT", parts[0], imm(0x5410), parts[1])
    low, high = b.new("PRMT", parts[0], imm(0x0040), parts[1]), b.new("PRMT", parts[2], imm(0x0040), parts[3])
    return b.new("PRMT", low, imm(0x5410), high)


def _stride(inst: ptx.Inst, which: str) -> ptx.Int:
    """What lies between rows (or columns) where no stride is given: the matrix is dense."""
    name = next(m for m in inst.modifiers if m in _SHAPES)
    m, n, k = (int(x) for x in name.replace("m", "").replace("n", " ").replace("k", " ").split())
    rows, columns = {"a": (m, k), "b": (k, n)}.get(which, (m, n))
    return ptx.Int(columns if "row" in inst.modifiers else rows)


def load(b: Builder, inst: ptx.Inst) -> None:
    """wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type {d...}, [p]{, stride}"""
    which, kind = inst.modifiers[1], _types(inst)[0]
    shape = _shape(b, inst, kind)
    result = which == "c"
    if kind not in (_RESULTS if result else _FACTORS):
        b.unsupported()
    d, where, *rest = inst.operands
    items = d.items if isinstance(d, ptx.Vector) else (d,)
    per = _result(inst, kind)[1] if result else _FACTORS[kind][2]
    row = "row" in inst.modifiers
    paired = row != shape[2] if result else row == (which != "b")
    size = _BYTES[kind]
    if kind in _PACKED and not paired:
        b.wrong(f"Illegal layout for instruction 'wmma.load.{which}'")
    stride = rest[0] if rest else _stride(inst, which)
    places = _places(which, inst, kind, shape)
    values: list[V] = []
    halves = kind in ("f16", "bf16") and not result
    if halves and space_of(inst) == "shared":
        values, places = _matrices(b, where, stride, places, paired), []
    else:
        tile = Tile(b, inst, where, stride, kind, 2 if result else per, paired or halves)
    for major, minor in places:
        if halves and not paired:
            # Words along the layout's rows, which lanes exchange.
            word, out = b.temp(), b.temp()
            b.emit(tile.mnemonic(True, 32), (word,), (tile.at(minor, major),), memory="load", space=tile.space)
            b.emit("MOVM.16.MT88", (out,), (word,), side=True)
            values.append(out)
            continue
        if paired or per == 1:
            out = b.temp(max(size // 4, 1))
            wide = tile.mnemonic(True, 8 * size * per)
            b.emit(wide, (out,), (tile.at(major, minor),), memory="load", space=tile.space)
            values.append(out)
            continue
        parts = [b.temp() for _ in range(per)]
        for i, part in enumerate(parts):
            narrow = tile.mnemonic(True, 8 * size)
            b.emit(narrow, (part,), (tile.at(major, minor + i),), memory="load", space=tile.space)
        values.append(_joined(b, parts))
    if len(items) != (_EIGHTFOLD if kind == "f16" and not result else len(values)):
        b.wrong("Arguments mismatch for instruction 'wmma'")
    for i, item in enumerate(items):
        if item is None:
            continue
        value = values[i % len(values)]
        if kind == "f64":
            b.move64(b.dst(item), V(value.reg, 0), V(value.reg, 1))
        else:
            b.move(b.dst(item), value)


def _matrices(
    b: Builder, where: ptx.Operand, stride: ptx.Operand, places: list[tuple[int, int]], paired: bool
) -> list[V]:
    """A factor of halves in shared memory: each place is a matrix of 8 by 8, and LDSM loads four (or two), of which
    each lane says where a row is. NVIDIA's ptxas has it whatever is known of address and stride."""
    lane = b.temp()
    b.emit("S2R", (lane,), (Name("SR_LANEID"),))
    row, low = b.logic(lane, imm(7), 0xC0), b.logic(lane, imm(8), 0xC0)
    high = b.logic(b.new("SHF.R.U32.HI", ZERO, imm(1), lane), imm(8), 0xC0)
    step = b.reg(b.val(stride))
    base, offset = address(b, where, "shared", _NEAR)
    values: list[V] = []
    bases: dict[tuple[int, bool], V] = {}
    for at in range(0, len(places), 4):
        origin, beside = places[at : at + 2]
        count = min(4, len(places) - at)
        # Which bit of the lane's number tells matrices apart along the layout's rows, and which within one.
        crosswise = (origin[0] != beside[0]) == paired
        down, along = (low, high if count > 2 else ZERO) if crosswise else (high if count > 2 else ZERO, low)
        steps, elements = origin if paired else origin[::-1]
        start = bases.get((0, crosswise))
        if start is None:
            element = b.new("IMAD", b.logic(row, down, 0xFC), step, along)
            start = bases[0, crosswise] = b.new("IMAD", element, imm(2), b.reg(base))
        if steps and (steps, crosswise) not in bases:
            bases[steps, crosswise] = b.new("IMAD", step, imm(2 * steps), start)
        out = b.temp(count)
        name = dotted("LDSM.16", "M88" if paired else "MT88", str(count))
        memory = VMem(bases[steps, crosswise], offset + 2 * elements)
        b.emit(name, (out,), (memory,), memory="load", space="shared", side=True)
        values += [V(out.reg, k) for k in range(count)]
    return values


def store(b: Builder, inst: ptx.Inst) -> None:
    """wmma.store.d.sync.aligned.layout.shape{.space}.type [p], {s...}{, stride}"""
    kind = _types(inst)[0]
    shape = _shape(b, inst, kind)
    where, source, *rest = inst.operands
    if kind not in _RESULTS or not isinstance(source, ptx.Vector):
        b.unsupported()
    paired = ("row" in inst.modifiers) != shape[2]
    size, per = _BYTES[kind], _result(inst, kind)[1]
    tile = Tile(b, inst, where, rest[0] if rest else _stride(inst, "d"), kind, 2, paired)
    places = _places("d", inst, kind, shape)
    items = [i for i in source.items if i is not None]
    values = [b.pair(i, "f64") if kind == "f64" else b.reg(b.val(i)) for i in items]
    if len(values) != len(places):
        b.wrong("Arguments mismatch for instruction 'wmma'")
    for (major, minor), value in zip(places, values, strict=True):
        if paired or per == 1:
            wide = tile.mnemonic(False, 8 * size * per)
            b.emit(wide, (), (tile.at(major, minor), value), memory="store", space=tile.space)
            continue
        high = b.new("SHF.R.U32.HI", ZERO, imm(16), value)
        for i, half in enumerate((value, high)):
            target = tile.at(major, minor + i)
            b.emit(tile.mnemonic(False, 16), (), (target, half), memory="store", space=tile.space)


def multiply(b: Builder, inst: ptx.Inst) -> None:
    """wmma.mma.sync.aligned.alayout.blayout.shape.types d, a, b, c: a product for each tile of the result."""
    if "satfinite" in inst.modifiers and {"bf16", "tf32", "b1"}.intersection(inst.modifiers):
        b.wrong("Illegal modifier '.satfinite' for instruction 'wmma.mma'")
    if "m8n8k32" in inst.modifiers or "m8n8k128" in inst.modifiers:
        _multiply_packed(b, inst)
        return
    given, kind, sums = _multiplied(b, inst)
    # Sums are of one type: of halves wanted, floats are narrowed at last; halves to be added are widened before.
    dtype = "f32" if (given, sums) == ("f16", "f32") else given
    shape = _shape(b, inst, kind)
    d, *factors = inst.operands
    words = [_words(b, item, kind) for item in factors]
    if (given, sums) == ("f32", "f16"):
        words[2] = [_unpacked(b, w, part) for w in words[2] for part in ("H0_H0", "H1_H1")]
    if shape[2]:
        words[0], words[1] = words[1], words[0]
    results = _products(b, _operation(inst, dtype, kind, shape[2]), kind, dtype, shape, words)
    if dtype != given:
        results = [b.new("F2FP.F16.F32.PACK_AB", results[k + 1], results[k]) for k in range(0, len(results), 2)]
    targets = d.items if isinstance(d, ptx.Vector) else (d,)
    if len(targets) * _width(kind) != len(results):
        b.wrong("Arguments mismatch for instruction 'wmma'")
    for i, target in enumerate(targets):
        if target is not None and kind == "f64":
            b.move64(b.dst(target), results[2 * i], results[2 * i + 1])
        elif target is not None:
            b.move(b.dst(target), results[i])


def _multiply_packed(b: Builder, inst: ptx.Inst) -> None:
    """Factors of less than a byte: the fragments are those of mma.sync."""
    from minicc.ptxas.lower.matrix import bits_
    from minicc.ptxas.lower.subbyte import nibbles

    if [m for m in inst.modifiers if m in ("row", "col")] != ["row", "col"]:
        b.wrong("Illegal layout for instruction 'wmma.mma': A has rows, B columns")
    if len({m for m in inst.modifiers if m in _PACKED}) != 1:
        b.wrong("Unexpected instruction types specified for 'wmma.mma'")
    if "m8n8k32" in inst.modifiers:
        nibbles(b, inst, "m8n8k32")
    else:
        bits_(b, inst, "m8n8k128")


def _multiplied(b: Builder, inst: ptx.Inst) -> tuple[str, str, str]:
    """Types of the result, of both factors, and of what is added."""
    types = _types(inst)
    if len(types) == 2 and all(t in ("f16", "f32") for t in types):
        types = [types[0], "f16", "f16", types[1]]
    if len(types) != 4 or types[1] not in _FACTORS or len(inst.operands) != 4:
        b.unsupported()
    if types[0] != types[3] and types[1] != "f16":
        b.unsupported()
    if types[1] != types[2]:
        b.wrong("Unexpected instruction types specified for 'wmma.mma'")
    return types[0], types[1], types[3]


def _width(kind: str) -> int:
    """Registers of an element of a fragment's vector."""
    return 2 if kind == "f64" else 1


def _words(b: Builder, fragment: ptx.Operand, kind: str) -> list[MOperand]:
    items = fragment.items if isinstance(fragment, ptx.Vector) else (fragment,)
    given = [i for i in items if i is not None]
    return [w for i in given for w in b.val64(i, "f64")] if kind == "f64" else [b.val(i) for i in given]


def _operation(inst: ptx.Inst, dtype: str, kind: str, exchanged: bool) -> str:
    """The instruction that multiplies two tiles."""
    head = _FACTORS[kind][3]
    if kind in ("s8", "u8"):
        names = [t.upper() for t in (_types(inst)[2:0:-1] if exchanged else _types(inst)[1:3])]
        return dotted(head, *names, "SAT" if "satfinite" in inst.modifiers else "")
    if kind == "f64":
        return rounded(inst, head)
    return dotted(head, dtype.upper(), {"bf16": "BF16", "tf32": "TF32"}.get(kind, ""))


def _products(
    b: Builder, op: str, kind: str, dtype: str, shape: tuple[int, int, bool], words: list[list[MOperand]]
) -> list[MOperand]:
    """Each tile of A by each of B and the sum so far; `words` are the registers of A, B and C."""
    down, across, _ = shape
    width = _width(kind)
    of_a, of_b = len(_FACTORS[kind][0]) * width, len(_FACTORS[kind][1]) * width
    of_c = len(_RESULTS[dtype][0]) * width
    if len(words[0]) < of_a * down or len(words[1]) < of_b * across or len(words[2]) != of_c * down * across:
        b.wrong("Arguments mismatch for instruction 'wmma'")
    # NVIDIA's ptxas multiplies tf32 in two steps of four along K, which shows in the rounding.
    steps = 2 if kind == "tf32" else 1
    half_a, half_b = of_a // steps, of_b // steps
    left = [_group(b, words[0][half_a * i : half_a * (i + 1)]) for i in range(down * steps)]
    right = [_group(b, words[1][half_b * j : half_b * (j + 1)]) for j in range(across * steps)]
    if kind in ("s8", "u8"):
        left = [evolve(x, suffix=("ROW",)) for x in left]
        right = [evolve(x, suffix=("COL",)) for x in right]
    results: list[MOperand] = []
    for i in range(down):
        for j in range(across):
            at = of_c * (across * i + j)
            total: V | Reg = _group(b, words[2][at : at + of_c])
            for k in range(steps):
                out = b.temp(of_c)
                b.emit(op, (out,), (left[i * steps + k], right[j * steps + k], total), side=True)
                total = out
            results += [V(out.reg, k) for k in range(of_c)]
    return results


def _unpacked(b: Builder, word: MOperand, part: str) -> V:
    """One half of a register as f32."""
    out = b.temp()
    b.emit("HADD2.F32", (out,), (neg(ZERO), evolve(b.reg(word), suffix=(part,))))
    return out


def _group(b: Builder, values: list[MOperand]) -> V | Reg:
    if all(v == ZERO for v in values):
        return ZERO
    if len(values) == 1:
        return b.reg(values[0])
    out = b.temp(len(values))
    for i, v in enumerate(values):
        b.move(V(out.reg, i), Imm(v.bits) if isinstance(v, Imm) else v)
    return out


def wmma(b: Builder, inst: ptx.Inst) -> None:
    """By the first modifier."""
    {"load": load, "store": store, "mma": multiply}.get(inst.modifiers[0], lambda b, i: b.unsupported())(b, inst)


LOWER = {"wmma": wmma}
