"""Arithmetic of 16-bit floats as built-ins, `__mcc_KIND_OP`: their signatures. `emit/halves.py` says what they are."""

from __future__ import annotations

from minicc.frontend import types as ty
from minicc.frontend.types import Type

KINDS = {"h": ("half", 1), "h2": ("half", 2), "b": ("bfloat", 1), "b2": ("bfloat", 2)}
BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul"}
EXTREMES = {"min": "minimumnum", "max": "maximumnum", "minnan": "minimum", "maxnan": "maximum"}
"""minimumnum is PTX's min: the other operand of a NaN, and -0 below +0; minimum is min.NaN."""
FMA = {"fma": "fma", "fmarelu": "nvvm.fma.rn.relu", "fmasat": "nvvm.fma.rn.sat"}
PREDICATES = frozenset("oeq one olt ole ogt oge ueq une ult ule ugt uge uno".split())


def signature(name: str) -> tuple[Type, tuple[Type, ...], str] | None:
    """(result, parameters, what `emit/halves.py` is given) of `__mcc_KIND_OP`, or None."""
    words = name.split("_")[3:]
    if len(words) < 2 or words[0] not in KINDS:
        return None
    op = words[1]
    bits = ty.USHORT if KINDS[words[0]][1] == 1 else ty.UINT
    ret: Type = bits
    if op in BINARY or op in EXTREMES:
        params: tuple[Type, ...] = (bits, bits)
    elif op in FMA:
        params = (bits, bits, bits)
    elif op in ("neg", "abs"):
        params = (bits,)
    elif op in ("fromf", "fromd"):
        params = (ty.FLOAT if op == "fromf" else ty.DOUBLE,)
    elif op == "tof":
        params, ret = (bits,), ty.FLOAT
    elif op in PREDICATES:
        params, ret = (bits, bits), ty.BOOL
    else:
        return None
    return ret, params, "halves:" + ":".join(words)
