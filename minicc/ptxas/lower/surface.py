"""Surfaces by 64-bit handles (surface objects): suld, sust, sured. As `texture`, but that the layer comes last."""

from __future__ import annotations

from collections.abc import Sequence

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.memory import gather, size_suffix, spread
from minicc.ptxas.lower.texture import branches, each, items, place, words
from minicc.ptxas.lower.types import bits, dotted, type_of
from minicc.ptxas.mir import TRUE, V, VMem
from minicc.sass.instr import Imm

_SHAPES = {
    "1d": ("1D", 1, False), "2d": ("2D", 2, False), "3d": ("3D", 3, False), "a1d": ("1D_ARRAY", 1, True),
    "a2d": ("2D_ARRAY", 2, True),
}  # fmt: skip
"""Geometry -> printed dimension, coordinates, whether a layer comes first."""
_CLAMPS = {"trap": "TRAP", "clamp": "", "zero": "IGN"}
_REDUCTIONS = ("add", "min", "max", "and", "or", "xor")
_COMPONENTS = {1: "R", 2: "RG", 4: ""}


def _surface(b: Builder, inst: ptx.Inst, where: ptx.Operand) -> tuple[Sequence[ptx.Operand], VMem, str, str]:
    """(handles, place, printed dimension, what happens outside)."""
    handles, given = place(b, where)
    dimension, count, layered = _SHAPES[next(m for m in inst.modifiers if m in _SHAPES)]
    values = [b.val(i) for i in given]
    if layered:
        values = [*values[1 : 1 + count], values[0]]
    base = words(b, values[: count + layered])
    clamp = next((_CLAMPS[m] for m in inst.modifiers if m in _CLAMPS), "TRAP")
    return handles, VMem(base), dimension, clamp


def _order(inst: ptx.Inst) -> str:
    """How long it is worth keeping."""
    return "EF" if "cs" in inst.modifiers else ""


def _strength(inst: ptx.Inst) -> str:
    return "STRONG.SYS" if any(m in inst.modifiers for m in ("cg", "cv", "wt")) else "STRONG.SM"


def suld(b: Builder, inst: ptx.Inst) -> None:
    """suld.b.GEOMETRY{.cop}.vec.TYPE.clamp d, [handle, {c}]: x in bytes"""
    d, where = inst.operands
    handles, where_, dimension, clamp = _surface(b, inst, where)
    type_ = type_of(inst)
    outs: list[ptx.Operand | None] = list(d.items) if isinstance(d, ptx.Vector) else [d]
    size = size_suffix(bits(type_) * len(outs), type_)
    op = dotted("SULD.D.BA", dimension, _order(inst), size, _strength(inst), clamp)

    def use(pair: V) -> None:
        def load(out: V) -> None:
            srcs = (where_, V(pair.reg, 0), Imm(0, "uint"))
            b.emit(op, (TRUE, out), srcs, memory="load", space="texture", side=True)

        spread(b, outs, bits(type_), load)

    each(b, handles, use)


def sust(b: Builder, inst: ptx.Inst) -> None:
    """sust.{b,p}.GEOMETRY{.cop}.vec.TYPE.clamp [handle, {c}], a: x in bytes, or in texels (.p), then with conversion"""
    where, source = inst.operands
    handles, where_, dimension, clamp = _surface(b, inst, where)
    type_ = type_of(inst)
    values = items(source)
    data = gather(b, values, bits(type_), type_)
    width = bits(type_) * len(values)
    if "p" in inst.modifiers:
        op = dotted("SUST.P", dimension, _order(inst), _strength(inst), _COMPONENTS[len(values)], clamp)
    else:
        op = dotted("SUST.D.BA", dimension, _order(inst), size_suffix(width, f"u{width}"), _strength(inst), clamp)

    def use(pair: V) -> None:
        b.emit(op, (), (where_, data, V(pair.reg, 0), Imm(0, "uint")), memory="store", space="texture")

    each(b, handles, use)


def sured(b: Builder, inst: ptx.Inst) -> None:
    """sured.{b,p}.OP.GEOMETRY.TYPE.clamp [handle, {c}], a"""
    where, source = inst.operands
    handles, where_, dimension, clamp = _surface(b, inst, where)
    type_ = type_of(inst)
    what = next(m for m in inst.modifiers if m in _REDUCTIONS)
    if "b" in inst.modifiers:
        kind = {"s32": "S32", "u64": "U64", "s64": "S64"}.get(type_, "")
    else:
        kind = f"SD{bits(type_)}" if what in ("min", "max") else ""
    data = b.pair(source, type_) if bits(type_) == 64 else b.reg(b.val(source))
    op = dotted("SURED.D", "BA" if "b" in inst.modifiers else "", dimension, what.upper(), kind, "STRONG.SYS", clamp)

    def use(pair: V) -> None:
        b.emit(op, (), (where_, data, V(pair.reg, 0), Imm(0, "uint")), memory="atomic", space="texture")

    each(b, handles, use)


__all__ = ["branches"]
LOWER = {"suld": suld, "sust": sust, "sured": sured}
