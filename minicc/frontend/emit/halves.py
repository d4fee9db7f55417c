"""Arithmetic of 16-bit floats: LLVM's half and bfloat behind the integers that cuda_fp16.h and cuda_bf16.h store.

The headers' classes hold their bits as unsigned short (one value) or unsigned int (a pair, .x low). The built-ins
`__mcc_KIND_OP` take and give such integers; KIND is h, h2, b or b2. In this form LLVM folds constants, and
multiplications and additions contract as -fmad says (`_rn`: never), which is what NVIDIA's ptxas does with add.f16 and
mul.f16.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.emit.values import Values
from minicc.frontend.types import Type

_KINDS = {"h": ("half", 1), "h2": ("half", 2), "b": ("bfloat", 1), "b2": ("bfloat", 2)}
_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul"}
_EXTREMES = {"min": "minimumnum", "max": "maximumnum", "minnan": "minimum", "maxnan": "maximum"}
"""minimumnum is PTX's min: the other operand of a NaN, and -0 below +0; minimum is min.NaN."""
_FMA = {"fma": "fma", "fmarelu": "nvvm.fma.rn.relu", "fmasat": "nvvm.fma.rn.sat"}
_PREDICATES = frozenset("oeq one olt ole ogt oge ueq une ult ule ugt uge uno".split())


def find(name: str) -> list[object] | None:
    """The built-in `__mcc_KIND_OP`, or None."""
    words = name.split("_")[3:]
    if len(words) < 2 or words[0] not in _KINDS:
        return None
    op = words[1]
    bits = ty.USHORT if _KINDS[words[0]][1] == 1 else ty.UINT
    ret: Type = bits
    if op in _BINARY or op in _EXTREMES:
        params: tuple[Type, ...] = (bits, bits)
    elif op in _FMA:
        params = (bits, bits, bits)
    elif op in ("neg", "abs"):
        params = (bits,)
    elif op in ("fromf", "fromd"):
        params = (ty.FLOAT if op == "fromf" else ty.DOUBLE,)
    elif op == "tof":
        params, ret = (bits,), ty.FLOAT
    elif op in _PREDICATES:
        params, ret = (bits, bits), ty.BOOL
    else:
        return None
    return [Builtin(name, ret, params, "e", "halves:" + ":".join(words))]


def emit(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    kind, n = _KINDS[d[0]]
    op = d[1]
    llvm = kind if n == 1 else f"<{n} x {kind}>"
    bits = f"i{16 * n}"
    flags = "" if d[-1] == "rn" else v.flags
    if op in ("fromf", "fromd"):
        made = v.make(f"fptrunc {'float' if op == 'fromf' else 'double'} {a[0]} to {kind}")
        return v.make(f"bitcast {kind} {made} to {bits}")
    if op == "neg":
        # On the bits: signs of NaNs turn, too, as neg.f16 does.
        return v.make(f"xor {bits} {a[0]}, {-32768 if n == 1 else -2147450880}")
    if op == "abs":
        return v.make(f"and {bits} {a[0]}, {32767 if n == 1 else 2147450879}")
    values = [v.make(f"bitcast {bits} {x} to {llvm}") for x in a]
    if op == "tof":
        return v.make(f"fpext {kind} {values[0]} to float")
    if op in _PREDICATES:
        return v.make(f"fcmp {op} {llvm} {values[0]}, {values[1]}")
    short = "f16" if kind == "half" else "bf16"
    if op in _EXTREMES or op in _FMA:
        name = _EXTREMES.get(op) or _FMA[op]
        suffix = f"{short}x{n}" if n > 1 and name.startswith("nvvm") else f"v{n}{short}" if n > 1 else short
        made = v.intrinsic(f"llvm.{name}.{suffix}", llvm, [(llvm, x) for x in values])
    else:
        made = v.make(f"{_BINARY[op]}{flags} {llvm} {values[0]}, {values[1]}")
    return v.make(f"bitcast {llvm} {made} to {bits}")
