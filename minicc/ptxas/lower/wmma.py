"""wmma.load, wmma.mma, wmma.store of shape m16n16k16 with f16 or bf16 factors, as two m16n8k16 products.

A fragment's layout is opaque in PTX, so it is that of mma.sync: lane = 4*g + t holds of A (row g or g+8, columns 2t
and 2t+8 pairwise) four registers, of B (two tiles of 8 columns) two each, of C (two tiles) four floats or two pairs of
halves each. f16 factors have eight registers in PTX; the last four repeat the first.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import ZERO, Builder, imm
from minicc.ptxas.lower.memory import address, space_of
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import MOperand, V, VMem
from minicc.sass.instr import Imm, Name, Reg

SHAPE = "m16n16k16"


class Tile:
    """Addresses of one matrix: `at(major, minor)` is element (g + major, 2t + minor) of the layout's own axes."""

    def __init__(self, b: Builder, inst: ptx.Inst, where: ptx.Operand, stride: ptx.Operand, size: int, paired: bool):
        self.b = b
        self.space = space_of(inst)
        self.size = size
        self.paired = paired
        lane = b.temp()
        b.emit("S2R", (lane,), (Name("SR_LANEID"),))
        g = b.new("SHF.R.U32.HI", ZERO, imm(2), lane)
        pair = b.new("SHF.L.U32", b.logic(lane, imm(3), 0xC0), imm(1), ZERO)
        self.step = b.reg(b.val(stride))
        first, second = (g, pair) if paired else (pair, g)
        element = b.new("IMAD", first, self.step, second)
        base, self.offset = address(b, where, self.space)
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
        return dotted(head, {16: "U16", 32: "", 64: "64"}[bits])


def _kind(inst: ptx.Inst) -> str:
    return next((m for m in inst.modifiers if m in ("f16", "bf16", "f32")), "")


def _fit(b: Builder, inst: ptx.Inst) -> None:
    if SHAPE not in inst.modifiers or space_of(inst) not in ("", "global", "shared"):
        b.unsupported()


def _places(which: str, kind: str) -> list[tuple[int, int]]:
    """(major, minor) of each register, where major is the axis of g: rows of A and C, columns of B."""
    if which == "a":
        return [(0, 0), (8, 0), (0, 8), (8, 8)]
    if which == "b":
        return [(0, 0), (0, 8), (8, 0), (8, 8)]
    if kind == "f32":
        return [(row, tile + i) for tile in (0, 8) for row in (0, 8) for i in (0, 1)]
    return [(row, tile) for tile in (0, 8) for row in (0, 8)]


def load(b: Builder, inst: ptx.Inst) -> None:
    """wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type {d...}, [p]{, stride}"""
    _fit(b, inst)
    which = inst.modifiers[1]
    kind = _kind(inst)
    d, where, *rest = inst.operands
    if kind not in ("f16", "bf16", "f32") or not isinstance(d, ptx.Vector):
        b.unsupported()
    paired = ("row" in inst.modifiers) == (which != "b")
    tile = Tile(b, inst, where, rest[0] if rest else ptx.Int(16), 4 if kind == "f32" else 2, paired)
    values: list[MOperand] = []
    for major, minor in _places(which, kind):
        out = b.temp()
        values.append(out)
        if kind == "f32" or paired:
            b.emit(tile.mnemonic(True, 32), (out,), (tile.at(major, minor),), memory="load", space=tile.space)
            continue
        halves = (b.temp(), b.temp())
        for i in (0, 1):
            source = tile.at(major, minor + i)
            b.emit(tile.mnemonic(True, 16), (halves[i],), (source,), memory="load", space=tile.space)
        b.emit("PRMT", (out,), (halves[0], imm(0x5410), halves[1]))
    if len(d.items) not in (len(values), 2 * len(values)):
        b.wrong("Arguments mismatch for instruction 'wmma'")
    for i, item in enumerate(d.items):
        if item is not None:
            b.move(b.dst(item), values[i % len(values)])


def store(b: Builder, inst: ptx.Inst) -> None:
    """wmma.store.d.sync.aligned.layout.shape{.space}.type [p], {s...}{, stride}"""
    _fit(b, inst)
    kind = _kind(inst)
    where, source, *rest = inst.operands
    if kind not in ("f16", "f32") or not isinstance(source, ptx.Vector):
        b.unsupported()
    paired = "row" in inst.modifiers
    tile = Tile(b, inst, where, rest[0] if rest else ptx.Int(16), 4 if kind == "f32" else 2, paired)
    places = _places("d", kind)
    values = [b.reg(b.val(i)) for i in source.items if i is not None]
    if len(values) != len(places):
        b.wrong("Arguments mismatch for instruction 'wmma'")
    for (major, minor), value in zip(places, values, strict=True):
        if kind == "f32" or paired:
            b.emit(tile.mnemonic(False, 32), (), (tile.at(major, minor), value), memory="store", space=tile.space)
            continue
        high = b.new("SHF.R.U32.HI", ZERO, imm(16), value)
        for i, half in enumerate((value, high)):
            target = tile.at(major, minor + i)
            b.emit(tile.mnemonic(False, 16), (), (target, half), memory="store", space=tile.space)


def multiply(b: Builder, inst: ptx.Inst) -> None:
    """wmma.mma.sync.aligned.alayout.blayout.shape.types d, a, b, c: two products of eight columns."""
    if SHAPE not in inst.modifiers or len(inst.operands) != 4:
        b.unsupported()
    types = [m for m in inst.modifiers if m in ("f16", "bf16", "f32", "s8", "u8", "s32", "tf32", "f64")]
    if types in (["f32", "f32"], ["f16", "f16"]):
        dtype, atype = types[0], "f16"
    elif types == ["f32", "bf16", "bf16", "f32"]:
        dtype, atype = "f32", "bf16"
    else:
        b.unsupported()
    d, *factors = inst.operands
    words: list[list[MOperand]] = []
    for item in factors:
        if not isinstance(item, ptx.Vector):
            b.wrong("Arguments mismatch for instruction 'wmma'")
        words.append([b.val(i) for i in item.items if i is not None])
    per_tile = 4 if dtype == "f32" else 2
    if len(words[0]) < 4 or len(words[1]) < 4 or len(words[2]) != 2 * per_tile:
        b.wrong("Arguments mismatch for instruction 'wmma'")
    left = _group(b, words[0][:4])
    results: list[MOperand] = []
    op = dotted("HMMA.16816", dtype.upper(), "BF16" if atype == "bf16" else "")
    for tile in (0, 1):
        right = _group(b, words[1][2 * tile : 2 * tile + 2])
        third = _group(b, words[2][per_tile * tile : per_tile * (tile + 1)])
        out = b.temp(per_tile)
        b.emit(op, (out,), (left, right, third), side=True)
        results += [V(out.reg, i) for i in range(per_tile)]
    if isinstance(d, ptx.Vector) and len(d.items) == len(results):
        for target, value in zip(d.items, results, strict=True):
            if target is not None:
                b.move(b.dst(target), value)
    else:
        b.wrong("Arguments mismatch for instruction 'wmma'")


def _group(b: Builder, values: list[MOperand]) -> V | Reg:
    if all(v == ZERO for v in values):
        return ZERO
    out = b.temp(len(values))
    for i, v in enumerate(values):
        b.move(V(out.reg, i), Imm(v.bits) if isinstance(v, Imm) else v)
    return out


def wmma(b: Builder, inst: ptx.Inst) -> None:
    """By the first modifier."""
    {"load": load, "store": store, "mma": multiply}.get(inst.modifiers[0], lambda b, i: b.unsupported())(b, inst)


LOWER = {"wmma": wmma}
