"""Textures and surfaces by 64-bit handles (texture and surface objects): tex, tld4, txq, suld, sust, sured, suq.

Read off ptxas 13.0's code for sm_90a. The low word of the handle goes into a uniform pair; lanes with different handles
take turns. Coordinates lie in consecutive registers: for a fetch the layer (at most 65535) first, for a surface last; a
float 1-D texture is a 2-D one with y = 0. A fetch without a level has level -32 (TEX.LL: below the lowest, clamped). Of
four results the wanted ones are packed: two in one register pair, the rest in another.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptx import model as ptx
from minicc.ptxas.lower import uniform
from minicc.ptxas.lower.builder import TRUE, ZERO, Builder, imm, inv
from minicc.ptxas.lower.memory import gather, size_suffix, spread
from minicc.ptxas.lower.same import same
from minicc.ptxas.lower.types import bits, dotted, type_of
from minicc.ptxas.mir import MOperand, V, VMem
from minicc.sass.instr import Imm, Name

_LAYERS = 0xFFFF
_LOWEST = 0xC2000000
"""-32.0: the level of a fetch that names none."""
_SHAPES = {
    "1d": ("1D", 1, False), "2d": ("2D", 2, False), "3d": ("3D", 3, False), "a1d": ("ARRAY_1D", 1, True),
    "a2d": ("ARRAY_2D", 2, True), "cube": ("CUBE", 3, False), "acube": ("ARRAY_CUBE", 3, True),
    "2dms": ("2D", 2, False), "a2dms": ("ARRAY_2D", 2, True),
}  # fmt: skip
"""Geometry -> printed dimension, coordinates, whether a layer comes first."""
_SURFACES = {
    "1d": ("1D", 1, False), "2d": ("2D", 2, False), "3d": ("3D", 3, False), "a1d": ("1D_ARRAY", 1, True),
    "a2d": ("2D_ARRAY", 2, True),
}  # fmt: skip
_CLAMPS = {"trap": "TRAP", "clamp": "", "zero": "IGN"}
_QUERIES = {"width": 1, "height": 2, "depth": 4}
_REDUCTIONS = ("add", "min", "max", "and", "or", "xor", "inc", "dec")


def _items(operand: ptx.Operand) -> list[ptx.Operand]:
    found = operand.items if isinstance(operand, ptx.Vector) else (operand,)
    return [i for i in found if i is not None]


def _place(b: Builder, where: ptx.Operand) -> tuple[ptx.Operand, list[ptx.Operand]]:
    """(handle, coordinates) of `[handle, {c...}]`."""
    if not isinstance(where, ptx.Bracket) or len(where.items) != 2:
        b.unsupported()
    handle, coordinates = where.items
    if not isinstance(handle, ptx.Reg) or coordinates is None:
        b.unsupported("a texture or surface by name (use its handle)")
    return handle, _items(coordinates)


def _each(b: Builder, handle: ptx.Operand, use: Callable[[V], None]) -> None:
    """Run `use` with the handle in a uniform pair, once for each value that lanes have."""
    low = b.val64(handle)[0]
    if same(b, handle):
        use(uniform.group(b, (low, ZERO), side=True))
        return
    own = b.reg(low)
    turn, after = b.label("turn"), b.label("next")
    b.start(turn)
    pair = uniform.group(b, (own, ZERO), side=True)
    p = b.setp("ISETP.EQ.U32.AND", own, V(pair.reg, 0))
    b.jump(after, inv(p))
    use(V(pair.reg, 0, 2))
    b.start(after)
    b.jump(turn, inv(p))


def branches(inst: ptx.Inst) -> bool:
    """Lanes with different handles take turns."""
    return True


def _words(b: Builder, values: list[MOperand]) -> MOperand:
    """Values in consecutive registers."""
    if len(values) == 1:
        return b.reg(values[0])
    out = b.temp(4 if len(values) == 3 else len(values))
    for k, value in enumerate(values):
        b.move(V(out.reg, k), value)
    return V(out.reg, 0, len(values))


def _coordinates(b: Builder, shape: str, items: list[ptx.Operand], type_: str) -> list[MOperand]:
    """Layer and coordinates of a fetch."""
    dimension, count, layered = _SHAPES[shape]
    values: list[MOperand] = []
    if layered:
        layer = b.reg(b.val(items[0]))
        values.append(b.new("VIMNMX.U32", layer, imm(_LAYERS), TRUE))
    start = 1 if layered else 0
    coordinates = [b.val(i, type_) for i in items[start : start + count]]
    if len(coordinates) != count:
        b.wrong("Arguments mismatch: coordinates")
    if "CUBE" in dimension:
        x, y, z = (b.reg(c) for c in coordinates)
        most = b.temp()
        b.emit("FMNMX", (most,), (_magnitude(x), _magnitude(y), inv(TRUE)))
        largest = b.temp()
        b.emit("FMNMX", (largest,), (most, _magnitude(z), inv(TRUE)))
        scale = b.temp()
        b.emit("MUFU.RCP", (scale,), (largest,))
        coordinates = [b.new("FMUL", c, scale) for c in (x, y, z)]
    return values + coordinates


def _magnitude(x: MOperand) -> MOperand:
    from minicc.ptxas.lower.builder import absolute

    return absolute(x)


def _fetched(b: Builder, d: ptx.Operand, type_: str, emit: Callable[[MOperand, MOperand, int], None]) -> None:
    """Give `emit` the two result groups and the mask; hand the results out."""
    outs = d.items if isinstance(d, ptx.Vector) else (d,)
    half = type_ in ("f16x2", "f16")
    if half or len(outs) != 4:
        b.unsupported()
    wanted = [k for k, o in enumerate(outs) if o is not None and not isinstance(o, ptx.Symbol)]
    if not wanted:
        return
    first = b.temp(min(2, len(wanted)))
    second: MOperand = b.temp(len(wanted) - 2) if len(wanted) > 2 else ZERO
    emit(second, first, sum(1 << k for k in wanted))
    for n, k in enumerate(wanted):
        target = outs[k]
        assert target is not None
        b.move(b.dst(target), V(first.reg, n) if n < 2 else V(second.reg, n - 2))  # type: ignore[union-attr]


def tex(b: Builder, inst: ptx.Inst) -> None:
    """tex{.base,.level,.grad}.GEOMETRY.v4.DTYPE.CTYPE d, [handle, {c}]{, level | gradients}{, offsets}"""
    mods = inst.modifiers
    d, where, *more = inst.operands
    handle, items = _place(b, where)
    shape = next(m for m in mods if m in _SHAPES)
    dtype, ctype = mods[-2], mods[-1]
    level = b.val(more.pop(0), "b32") if "level" in mods else None
    gradients = [more.pop(0), more.pop(0)] if "grad" in mods else []
    if more and not isinstance(more[0], ptx.Vector):
        b.unsupported()  # a depth to compare with
    offset = _offset(b, _items(more[0])) if more else None
    dimension = _SHAPES[shape][0]
    sample: MOperand | None = None
    if shape.endswith("ms"):
        sample = b.val(items[0])
        items = items[1:]
    values = _coordinates(b, shape, items, "f32" if ctype == "f32" else "b32")
    aoffi = "AOFFI" if offset is not None else ""
    if ctype == "f32" and dimension == "1D":
        dimension = "2D"
        values.append(ZERO)
    if gradients:
        if shape not in ("1d", "2d", "a1d", "a2d"):
            b.unsupported()
        over_x, over_y = ([b.val(i, "f32") for i in _items(g)] for g in gradients)
        if shape == "1d":
            over_x, over_y = [*over_x, ZERO], [*over_y, ZERO]
        pairs = [v for pair in zip(over_x, over_y, strict=True) for v in pair]
        op, extra = dotted("TXD", aoffi), _words(b, [*pairs, offset] if offset is not None else pairs)
    elif ctype == "f32":
        values_b = [level if level is not None else imm(_LOWEST)]
        op, extra = dotted("TEX.LL", aoffi), _words(b, values_b if offset is None else [*values_b, offset])
    else:
        words = [v for v in (level, sample, offset) if v is not None]
        op = dotted("TLD.LZ" if level is None else "TLD.LL", aoffi, "MS" if sample is not None else "",
                    "CL" if level is not None else "")  # fmt: skip
        extra = _words(b, words) if words else ZERO
    coordinates = _words(b, values)

    def use(pair: V) -> None:
        def one(second: MOperand, first: MOperand, mask: int) -> None:
            srcs = (coordinates, extra, pair, Imm(0, "uint"), Name(dimension), Imm(mask, "uint"))
            b.emit(op, (TRUE, second, first), srcs, memory="load", space="texture", side=True)

        _fetched(b, d, dtype, one)

    _each(b, handle, use)


def _offset(b: Builder, items: list[ptx.Operand]) -> MOperand:
    """Texel offsets, four bits each."""
    known = [b.constant(i) for i in items]
    if all(k is not None for k in known):
        return imm(sum((k & 15) << 4 * n for n, k in enumerate(known) if k is not None))
    out = b.logic(b.val(items[0]), imm(15), 0xC0)
    for n, item in enumerate(items[1:], 1):
        moved = b.new("SHF.L.U32", b.reg(b.val(item)), imm(4 * n), ZERO)
        out = b.logic(moved, imm(15 << 4 * n), 0xEA, out)  # (moved & mask) | out
    return out


def tld4(b: Builder, inst: ptx.Inst) -> None:
    """tld4.COMPONENT.GEOMETRY.v4.DTYPE.f32 d, [handle, {c}]{, offsets}"""
    mods = inst.modifiers
    d, where, *more = inst.operands
    handle, items = _place(b, where)
    shape = next(m for m in mods if m in _SHAPES)
    if more and not isinstance(more[0], ptx.Vector):
        b.unsupported()
    offset = _offset(b, _items(more[0])) if more else None
    coordinates = _words(b, _coordinates(b, shape, items, "f32"))
    op = dotted("TLD4", mods[0].upper(), "AOFFI" if offset is not None else "")
    extra = ZERO if offset is None else b.reg(offset)

    def use(pair: V) -> None:
        def one(second: MOperand, first: MOperand, mask: int) -> None:
            srcs = (coordinates, extra, pair, Imm(0, "uint"), Name(_SHAPES[shape][0]), Imm(mask, "uint"))
            b.emit(op, (TRUE, second, first), srcs, memory="load", space="texture", side=True)

        _fetched(b, d, mods[-2], one)

    _each(b, handle, use)


def query(b: Builder, inst: ptx.Inst) -> None:
    """txq{.level}.{width,height,depth}.b32 d, [handle]{, level}; suq likewise"""
    d, where, *level = inst.operands
    what = next((m for m in inst.modifiers if m in _QUERIES), "")
    handle = where.base if isinstance(where, ptx.Address) else None
    if not what or not isinstance(handle, ptx.Reg):
        b.unsupported()
    at = b.reg(b.val(level[0])) if level else b.reg(b.temp())
    if not level:
        b.move(at, ZERO)
    out = b.dst(d)

    def use(pair: V) -> None:
        srcs = (at, Name("TEX_HEADER_DIMENSION"), pair, Imm(0, "uint"), Imm(_QUERIES[what], "uint"))
        b.emit("TXQ", (ZERO, V(out.reg, 0)), srcs, memory="load", space="texture", side=True)

    _each(b, handle, use)


def _surface(b: Builder, inst: ptx.Inst, where: ptx.Operand) -> tuple[ptx.Operand, VMem, str, str]:
    """(handle, place, printed dimension, what happens outside)."""
    handle, items = _place(b, where)
    dimension, count, layered = _SURFACES[next(m for m in inst.modifiers if m in _SURFACES)]
    values = [b.val(i) for i in items]
    if layered:
        values = [*values[1 : 1 + count], values[0]]
    base = _words(b, values[: count + layered])
    clamp = next((_CLAMPS[m] for m in inst.modifiers if m in _CLAMPS), "TRAP")
    return handle, VMem(base), dimension, clamp  # type: ignore[arg-type]


def _strength(inst: ptx.Inst) -> str:
    return "STRONG.SYS" if any(m in inst.modifiers for m in ("cg", "cv", "wt")) else "STRONG.SM"


def suld(b: Builder, inst: ptx.Inst) -> None:
    """suld.b.GEOMETRY{.cop}.vec.TYPE.clamp d, [handle, {c}]: x in bytes"""
    d, where = inst.operands
    handle, place, dimension, clamp = _surface(b, inst, where)
    type_ = type_of(inst)
    outs: list[ptx.Operand | None] = list(d.items) if isinstance(d, ptx.Vector) else [d]
    size = size_suffix(bits(type_) * len(outs), type_)
    op = dotted("SULD.D.BA", dimension, size, _strength(inst), clamp)

    def use(pair: V) -> None:
        def load(out: V) -> None:
            srcs = (place, V(pair.reg, 0), Imm(0, "uint"))
            b.emit(op, (TRUE, out), srcs, memory="load", space="texture", side=True)

        spread(b, outs, bits(type_), load)

    _each(b, handle, use)


def sust(b: Builder, inst: ptx.Inst) -> None:
    """sust.b.GEOMETRY{.cop}.vec.TYPE.clamp [handle, {c}], a: x in bytes"""
    if "p" in inst.modifiers:
        b.unsupported()
    where, source = inst.operands
    handle, place, dimension, clamp = _surface(b, inst, where)
    type_ = type_of(inst)
    values = _items(source)
    data = gather(b, values, bits(type_), type_)
    width = bits(type_) * len(values)
    op = dotted("SUST.D.BA", dimension, size_suffix(width, f"u{width}"), _strength(inst), clamp)

    def use(pair: V) -> None:
        b.emit(op, (), (place, data, V(pair.reg, 0), Imm(0, "uint")), memory="store", space="texture")

    _each(b, handle, use)


def sured(b: Builder, inst: ptx.Inst) -> None:
    """sured.{b,p}.OP.GEOMETRY.TYPE.clamp [handle, {c}], a"""
    where, source = inst.operands
    handle, place, dimension, clamp = _surface(b, inst, where)
    type_ = type_of(inst)
    what = next(m for m in inst.modifiers if m in _REDUCTIONS)
    kind = "U64" if bits(type_) == 64 else "S32" if type_ == "s32" and what in ("min", "max") else ""
    data = b.pair(source, type_) if bits(type_) == 64 else b.reg(b.val(source))
    op = dotted("SURED.D", "BA" if "b" in inst.modifiers else "", dimension, what.upper(), kind, "STRONG.SYS", clamp)

    def use(pair: V) -> None:
        b.emit(op, (), (place, data, V(pair.reg, 0), Imm(0, "uint")), memory="atomic", space="texture")

    _each(b, handle, use)


LOWER = {"tex": tex, "tld4": tld4, "txq": query, "suq": query, "suld": suld, "sust": sust, "sured": sured}
