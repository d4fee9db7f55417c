"""Arithmetic of 16-bit floats: LLVM's half and bfloat behind the integers that cuda_fp16.h and cuda_bf16.h store.

The headers' classes hold their bits as unsigned short (one value) or unsigned int (a pair, .x low). The built-ins
`__mcc_KIND_OP` take and give such integers; KIND is h, h2, b or b2. In this form LLVM folds constants, and
multiplications and additions contract as -fmad says (`_rn`: never), which is what NVIDIA's ptxas does with add.f16 and
mul.f16.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.builtins.halves import BINARY, EXTREMES, FMA, KINDS, PREDICATES
from minicc.frontend.emit.values import Values


def emit(v: Values, e: ast.BuiltinCall, a: list[str], d: list[str]) -> str:
    kind, n = KINDS[d[0]]
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
    if op in PREDICATES:
        return v.make(f"fcmp {op} {llvm} {values[0]}, {values[1]}")
    short = "f16" if kind == "half" else "bf16"
    if op in EXTREMES or op in FMA:
        name = EXTREMES.get(op) or FMA[op]
        suffix = f"{short}x{n}" if n > 1 and name.startswith("nvvm") else f"v{n}{short}" if n > 1 else short
        made = v.intrinsic(f"llvm.{name}.{suffix}", llvm, [(llvm, x) for x in values])
    else:
        made = v.make(f"{BINARY[op]}{flags} {llvm} {values[0]}, {values[1]}")
    return v.make(f"bitcast {llvm} {made} to {bits}")
