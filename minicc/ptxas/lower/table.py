"""Which module lowers which PTX opcode. Modules are imported when their first instruction is met.

A key is (opcode, family) with the families of `types.group`, or (opcode, "") for all types.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from minicc.ptxas.lower.types import group

if TYPE_CHECKING:
    from minicc.ptx import model as ptx
    from minicc.ptxas.lower.builder import Builder

    Lowering = Callable[[Builder, ptx.Inst], None]

_MODULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "integer": (
        "i",
        ("add", "sub", "addc", "subc", "mul", "mad", "madc", "mul24", "mad24", "sad", "abs", "neg", "min", "max",
         "popc", "clz", "bfind", "dp4a", "dp2a"),
    ),
    "division": ("i", ("div", "rem")),
    "float32": (
        "f32",
        ("add", "sub", "mul", "fma", "mad", "neg", "abs", "min", "max", "rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin",
         "cos", "tanh", "div"),
    ),
    "float64": (
        "f64", ("add", "sub", "mul", "fma", "mad", "neg", "abs", "min", "max", "rcp", "rsqrt", "sqrt", "div"),
    ),
    "half": ("h", ("add", "sub", "mul", "fma", "neg", "abs", "min", "max", "ex2", "tanh")),
    "logic": (
        "",
        ("and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "bfe", "bfi", "bmsk", "szext", "prmt", "brev",
         "fns"),
    ),
    "compare": ("", ("setp", "set", "selp", "slct", "testp", "mov", "copysign")),
    "convert": ("", ("cvt",)),
    "memory": ("", ("ld", "ldu", "st", "fence", "membar", "prefetch", "prefetchu", "cvta", "isspacep")),
    "atomics": ("", ("atom", "red")),
    "control": (
        "",
        ("bra", "brx", "ret", "exit", "trap", "brkpt", "bar", "barrier", "call", "applypriority", "discard", "pmevent"),
    ),
    "warp": ("", ("shfl", "vote", "match", "redux", "activemask", "elect", "nanosleep")),
    "wmma": ("", ("wmma",)),
    "wgmma": ("", ("wgmma",)),
    "tensormap": ("", ("tensormap",)),
    "texture": ("", ("tex", "tld4")),
    "surface": ("", ("suld", "sust", "sured")),
    "texquery": ("", ("txq", "suq", "istypep")),
    "multimem": ("", ("multimem",)),
    "stack": ("", ("alloca", "stacksave", "stackrestore")),
    "mbarrier": ("", ("mbarrier", "mapa", "getctarank", "setmaxnreg", "griddepcontrol")),
    "video": (
        "",
        (*(f"v{op}{n}" for n in ("", "2", "4") for op in ("add", "sub", "absdiff", "min", "max", "set")), "vavrg2",
         "vavrg4", "vshl", "vshr", "vmad"),
    ),
    "bulk": ("", ("createpolicy",)),
    "matrix": ("", ("mma", "ldmatrix", "stmatrix", "movmatrix", "cp")),
}  # fmt: skip

_TABLE = {(op, family): module for module, (family, ops) in _MODULES.items() for op in ops}
_FOUND: dict[tuple[str, str], Lowering] = {}


def find(inst: ptx.Inst) -> Lowering | None:
    """The lowering function of an instruction; None if there is none."""
    key = (inst.opcode, "")
    if key not in _TABLE:
        key = (inst.opcode, group(inst))
    found = _FOUND.get(key)
    if found is None:
        module = _TABLE.get(key)
        if module is None:
            return None
        found = import_module(f"minicc.ptxas.lower.{module}").LOWER[inst.opcode]
        _FOUND[key] = found
    return found


def branching(inst: ptx.Inst) -> bool:
    """Does the lowering make blocks, so that a guard must become a branch around it?"""
    module = _TABLE.get((inst.opcode, "")) or _TABLE.get((inst.opcode, group(inst)))
    if module is None or module == "control":
        return inst.opcode == "call" or (inst.opcode == "barrier" and "cluster" in inst.modifiers)
    test = getattr(import_module(f"minicc.ptxas.lower.{module}"), "branches", None)
    if test is not None:
        return bool(test(inst))
    return inst.opcode in getattr(import_module(f"minicc.ptxas.lower.{module}"), "BRANCHING", ())


def opcodes() -> list[str]:
    """Every opcode with a lowering, sorted."""
    return sorted({op for op, _ in _TABLE})
