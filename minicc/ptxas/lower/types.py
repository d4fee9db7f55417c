"""PTX types as lowering asks about them, and the modifiers of an instruction taken apart."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptx.names import SIZES

FLOATS = frozenset({"f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "tf32", "f32x2"})
HALVES = frozenset({"f16", "f16x2", "bf16", "bf16x2"})
INTEGERS = frozenset({f"{k}{n}" for k in "usb" for n in (8, 16, 32, 64)}) | {"u16x2", "s16x2"}
ROUNDING = {"rn": "", "rz": "RZ", "rm": "RM", "rp": "RP"}
INTEGER_ROUNDING = {"rni": "", "rzi": "TRUNC", "rmi": "FLOOR", "rpi": "CEIL"}


def types_of(inst: ptx.Inst) -> list[str]:
    """The type modifiers, in order."""
    return [m for m in inst.modifiers if m in SIZES or m in ("pred", "u16x2", "s16x2")]


def type_of(inst: ptx.Inst) -> str:
    """The last type modifier, or ""."""
    for modifier in reversed(inst.modifiers):
        if modifier in SIZES or modifier in ("pred", "u16x2", "s16x2"):
            return modifier
    return ""


def bits(type_: str) -> int:
    """Width of a type in bits (4 for a packed pair of halves is 32)."""
    if type_ in ("u16x2", "s16x2"):
        return 32
    return 8 * SIZES.get(type_, 0)


def signed(type_: str) -> bool:
    return type_[0] == "s"


def group(inst: ptx.Inst) -> str:
    """Which family of lowering functions an arithmetic instruction belongs to: "i", "f32", "f64", "h" or "pred"."""
    type_ = type_of(inst)
    if type_ == "f32x2":
        return "f32"
    if type_ in HALVES:
        return "h"
    if type_ in ("f32", "f64", "pred"):
        return type_
    return "i"


def dotted(*parts: str) -> str:
    """Non-empty parts joined by dots."""
    return ".".join(p for p in parts if p)
