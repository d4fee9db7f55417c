"""The device library for LLVM IR that comes as a file.

Compilers that write IR call NVIDIA's library by its names (`__nv_expf`), and leave what no instruction does to LLVM's
intrinsics (`llvm.exp.f32`), which LLVM's NVPTX backend refuses. Ours is written in the input language: the frontend
compiles the functions that are called, under the options of the compile, and LLVM links them. An intrinsic of vectors
or halves is its function of each element, in single precision. Sines, cosines, powers and logarithms of two in single
precision that may be approximate (`afn`, `fast`) stay intrinsics: selection has an instruction for them. `frem` is the
library's fmod in the same way, unless it may be approximate.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minicc.diagnostics import SourceFile

if TYPE_CHECKING:
    from minicc.frontend.options import Options
    from minicc.nvvm.options import Options as NvvmOptions

_MATH = "a(?:cos|sin|tan2?)|cosh?|exp(?:2|10)?|fmod|log(?:2|10)?|powi?|sin(?:cos|h)?|tanh?"
_LIBRARY = re.compile(rf"@(?:__nv_|llvm\.(?:{_MATH})\.)")
_DECLARED = re.compile(r"^declare [^@\n]*?(void|\w+|<[^>]*>|\{[^}]*\}) @([\w.]+)\(([^()\n]*)\)[^\n]*\n", re.M)
_INTRINSIC = re.compile(rf"llvm\.({_MATH})\.(?:v(\d+))?(b?f\d+)(?:\.i\d+)?")
_CALL = re.compile(rf"^(.*\bcall\b.*)@llvm\.((?:{_MATH})\.[\w.]+\()", re.M)
_APPROXIMATE = re.compile(r"(?:sin|cos|exp2|log2)\.f(?:16|32)\(")
_DIVISION = re.compile(r"^(\s*%\S+ = )([us](?:div|rem))(?: exact)? i128 ([^,\n]+), ([^,\s]+)", re.M)
_REMAINDER = re.compile(
    r"^(\s*%\S+ = )frem ((?:(?!fast|afn)[a-z]+ )*?)(half|bfloat|float|double|<\d+ x \w+>) "
    r"(<[^>]*>|[^,\n]+), (<[^>]*>|[^,\n]+)",
    re.M,
)
_ROOTS = "minicc_roots"

_TYPES = {"float": "float", "double": "double", "i32": "int", "i64": "long long", "i16": "short", "i8": "char"}
_LLVM = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}
_NAMES = {
    "isnan": "isnanf isnand", "isinf": "isinff isinfd", "signbit": "signbitf signbitd",
    "isfinite": "finitef isfinited", "pow": "powi powif",
}  # fmt: skip
_CALLED = {f"__nv_{name}": function for function, names in _NAMES.items() for name in names.split()}
"""Functions of the library that C++ has under another name."""


def link(ir: str, options: Options, target: NvvmOptions) -> str:
    """The module with what it calls of the device library; as it is where that is nothing."""
    ir, remainders = _remainders(ir)
    if _LIBRARY.search(ir) is None:
        return ir
    text = _CALL.sub(_own, ir)
    if text != ir:
        called: dict[str, str] = {}
        declared = (d for d in _DECLARED.finditer(f"{ir}\n{remainders}") if _INTRINSIC.fullmatch(d[2]))
        made = [_wrapper(d[1], d[2], d[3], called) for d in declared]
        made += [line for name, line in called.items() if f"@{name}(" not in ir]
        text = "\n".join([text, *made])
    functions = {found[2]: _function(*found.groups()) for found in _DECLARED.finditer(text)}
    functions = {name: code for name, code in functions.items() if code}
    if not functions:
        return text

    return _linked(text, list(functions), "\n".join(functions.values()), options, target)


def _remainders(ir: str) -> tuple[str, str]:
    """The module with calls of `llvm.fmod` for `frem`, which no instruction does, and declarations of these."""
    if " frem " not in ir:
        return ir, ""
    declared: dict[str, None] = {}

    def call(found: re.Match[str]) -> str:
        result, flags, type_, a, b = found.groups()
        vector = re.fullmatch(r"<(\d+) x (\w+)>", type_)
        kind = next(kind for kind, name in _LLVM.items() if name == (vector[2] if vector else type_))
        name = f"llvm.fmod.{f'v{vector[1]}' if vector else ''}{kind}"
        declared[f"declare {type_} @{name}({type_}, {type_})\n"] = None
        return f"{result}call {flags}{type_} @{name}({type_} {a}, {type_} {b})"

    return _REMAINDER.sub(call, ir), "".join(declared)


def divisions(ir: str, options: Options, target: NvvmOptions) -> str:
    """The module with ours instead of LLVM's divisions of 128-bit integers, which take a loop of 128 rounds, and which
    there are none of without optimisation. Constant divisors that are powers of two are left to the optimiser."""
    names: set[str] = set()

    def call(found: re.Match[str]) -> str:
        head, operation, left, right = found.groups()
        if target.opt_level and right.isdigit() and int(right) & (int(right) - 1) == 0:
            return found[0]
        names.add(operation)
        return f"{head}call i128 @__minicc_{operation}(i128 {left}, i128 {right})"

    text = _DIVISION.sub(call, ir)
    if not names:
        return ir
    from minicc.frontend.builtins import library

    functions = [f"__minicc_{operation}" for operation in sorted(names)]
    declared = [f"declare i128 @{name}(i128, i128)\n" for name in functions]
    code = library.source("divide128").text
    return _linked("\n".join([text, *declared]), functions, code, options.of_library(), target)


def _linked(ir: str, functions: list[str], code: str, options: Options, target: NvvmOptions) -> str:
    """The module with `functions` of C++ code."""
    from minicc import frontend, nvvm

    roots = " ".join(f"p[{k}] = (void *){name};" for k, name in enumerate(functions))
    source = f'{code}\nextern "C" __global__ void {_ROOTS}(void **p) {{ {roots} }}\n'
    library = frontend.compile(SourceFile("<libdevice>", source), options)
    start = library.index("define", library.rindex("\n", 0, library.index(f"@{_ROOTS}(")))
    library = library[:start] + library[library.index("\n}\n", start) + 3 :]
    return nvvm.link(ir, library, target, functions)


def _own(call: re.Match[str]) -> str:
    """A call of an intrinsic, as one of our function of that name."""
    words = call[1].split()
    if _APPROXIMATE.fullmatch(call[2]) and ("afn" in words or "fast" in words):
        return call[0]
    return f"{call[1]}@minicc.{call[2]}"


def _wrapper(result: str, name: str, params: str, called: dict[str, str]) -> str:
    """IR of the function instead of an intrinsic; `called` gets the declarations of what it calls."""
    found = _INTRINSIC.fullmatch(name)
    assert found is not None
    stem, count, kind = found[1], int(found[2] or 1), _LLVM[found[3]]
    types = [_type(param) for param in params.split(",")]
    single = "double" if kind == "double" else "float"
    suffix = "" if single == "double" else "f"
    body = ""
    out = ["poison"] * (2 if stem == "sincos" else 1)
    for i in range(count):
        args = []
        for k, type_ in enumerate(types):
            value, scalar = f"%a{k}", type_
            if type_.startswith("<"):
                scalar = type_.strip("<>").split(" x ")[1]
                body += f"  %e{k}.{i} = extractelement {type_} %a{k}, i32 {i}\n"
                value = f"%e{k}.{i}"
            if scalar in ("half", "bfloat"):
                body += f"  %w{k}.{i} = fpext {scalar} {value} to float\n"
                value, scalar = f"%w{k}.{i}", "float"
            args.append(f"{scalar} {value}")
        for k, function in enumerate(("sin", "cos") if stem == "sincos" else (stem,)):
            callee = f"__nv_{function}{suffix}"
            called[callee] = f"declare {single} @{callee}({', '.join(arg.split()[0] for arg in args)})\n"
            value = f"%r{k}.{i}"
            body += f"  {value} = call {single} @{callee}({', '.join(args)})\n"
            if single != kind:
                body += f"  %n{k}.{i} = fptrunc float {value} to {kind}\n"
                value = f"%n{k}.{i}"
            if found[2]:
                body += f"  %o{k}.{i} = insertelement <{count} x {kind}> {out[k]}, {kind} {value}, i32 {i}\n"
                value = f"%o{k}.{i}"
            out[k] = value
    value, whole = out[0], types[0]
    if stem == "sincos":
        body += f"  %s = insertvalue {result} poison, {whole} {out[0]}, 0\n"
        body += f"  %sc = insertvalue {result} %s, {whole} {out[1]}, 1\n"
        value = "%sc"
    head = ", ".join(f"{type_} %a{k}" for k, type_ in enumerate(types))
    own = name.replace("llvm.", "minicc.", 1)
    return f"define internal {result} @{own}({head}) alwaysinline {{\n{body}  ret {result} {value}\n}}\n"


def _type(param: str) -> str:
    param = param.strip()
    return param[: param.index(">") + 1] if param.startswith("<") else param.split()[0]


def _function(result: str, name: str, params: str) -> str:
    """C++ of a function that the library is asked for; empty if C++ has none of that name."""
    from minicc.frontend.builtins.table import find

    if not name.startswith("__nv_"):
        return ""
    base = name[5:]
    own = _CALLED.get(name), base, f"__{base}", f"__{base.removeprefix('fast_')}"
    called = next((word for word in own if word and find(word, fast=False)), None)
    if called is None:
        return ""
    real = "float" if base.endswith("f") else "double"
    pointee = "int" if base.startswith(("frexp", "remquo")) else real
    kinds = [f"{pointee} *" if _type(p) == "ptr" else _TYPES.get(_type(p), "") for p in params.split(",") if p.strip()]
    back = "void" if result == "void" else _TYPES.get(result, "")
    if not (back and all(kinds)):
        return ""
    head = ", ".join(f"{kind} a{k}" for k, kind in enumerate(kinds))
    values = ", ".join(f"a{k}" for k in range(len(kinds)))
    return f'extern "C" __device__ {back} {name}({head}) {{ return {called}({values}); }}'
