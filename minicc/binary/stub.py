"""What the host must know of a kernel to register and launch it, and the registration stub as readable C."""

from __future__ import annotations

import re
from typing import Literal

import attrs

from minicc.binary.mangling import signature
from minicc.sass.program import Program

ParamKind = Literal["int", "float", "bytes", "floats"]


@attrs.frozen
class HostParam:
    """One kernel parameter as the host passes it: "int" (integers and pointers), "float", "floats" (a struct of nothing
    but floating point, which travels in other registers), or "bytes" (any other struct)."""

    size: int
    kind: ParamKind = "int"


@attrs.frozen
class HostKernel:
    """A kernel to register: device name (mangled), parameters, and the thread limit of its launch bounds (or -1)."""

    name: str
    params: tuple[HostParam, ...] = ()
    thread_limit: int = -1


@attrs.frozen
class HostVariable:
    """A `__device__` or `__constant__` variable to register with a host shadow of `size` bytes."""

    name: str
    size: int
    constant: bool = False


_ENTRY = re.compile(r"\.entry\s+([\w$.]+)\s*(?:\(([^)]*)\))?")
_FLOATS = {".f32": 4, ".f64": 8}
_FLOAT_VECTORS = {f"{base}{n}" for base in ("float", "double") for n in (1, 2, 3, 4)}


def kernels_of(program: Program, ptx: str | None = None) -> tuple[list[HostKernel], list[HostVariable]]:
    """Kernels and variables of `program`. Sizes come from it; that a parameter is floating point or a struct is known
    from the .param types of `ptx`, else from a mangled name; without either, scalars are taken for integers."""
    kinds: dict[str, list[ParamKind]] = {}
    for match in _ENTRY.finditer(ptx or ""):
        kinds[match[1]] = [
            "bytes" if "[" in p else "float" if any(f in p.split() for f in _FLOATS) else "int"
            for p in (match[2] or "").split(",")
            if p.strip()
        ]
    kernels = []
    for f in program.functions:
        if not f.entry:
            continue
        named, known = _from_name(f.name), kinds.get(f.name, [])
        if len(known) != len(named):
            known = known or named
        else:  # PTX tells scalars apart, the name what a struct is
            known = [n if k == "bytes" else k for k, n in zip(known, named, strict=True)]
        params = []
        for i, p in enumerate(f.params):
            kind: ParamKind = "int" if p.size in (1, 2, 4, 8) else "bytes"
            params.append(HostParam(p.size, known[i] if len(known) == len(f.params) else kind))
        bounds = f.req_threads or f.max_threads
        limit = bounds[0] * bounds[1] * bounds[2] if bounds else -1
        kernels.append(HostKernel(f.name, tuple(params), limit))
    plain = re.compile(r"[A-Za-z_]\w*")
    variables = [
        HostVariable(v.name, v.size, v.space == "constant")
        for v in program.variables
        if plain.fullmatch(v.name) and not v.name.startswith("__")
    ]
    return kernels, variables


def _from_name(name: str) -> list[ParamKind]:
    """Kinds of the parameters that a mangled name tells; empty if it does not tell."""
    kinds: dict[str, ParamKind] = {"float": "float", "class": "bytes"}
    params = signature(name).params or ()
    return ["floats" if p.name in _FLOAT_VECTORS else kinds.get(p.kind, "int") for p in params]


def _c_type(param: HostParam) -> str:
    if param.kind == "float":
        return {4: "float", 8: "double"}.get(param.size, "float")
    if param.kind == "int":
        return {1: "unsigned char", 2: "unsigned short", 4: "unsigned int"}.get(param.size, "unsigned long long")
    return f"struct minicc_{param.kind}{param.size}"


def stub_c(program: Program, name: str = "kernels", ptx: str | None = None) -> str:
    """C for the host side of `program`: the fatbin file (`name`.fatbin) included as data, its wrapper, a launch stub a
    kernel, and the constructor that registers all of it. Compiles without CUDA headers; link with -lcudart."""
    kernels, variables = kernels_of(program, ptx)
    fatbin = f"{name}.fatbin".replace("\\", "\\\\").replace('"', '\\"')
    out = [_PRELUDE.format(source=name.replace("*/", ""), fatbin=fatbin)]
    for kind, size in sorted({(p.kind, p.size) for k in kernels for p in k.params if p.kind in ("bytes", "floats")}):
        member = f"unsigned char byte[{size}]" if kind == "bytes" else f"float value[{size // 4}]"
        out.append(f"struct minicc_{kind}{size} {{ {member}; }};\n")
    for v in variables:
        out.append(f"/* host shadow of a {'__constant__' if v.constant else '__device__'} variable */")
        out.append(f'char {v.name}[{v.size}] __attribute__((visibility("hidden"), aligned(16)));\n')
    for k in kernels:
        params = ", ".join(f"{_c_type(p)} par{i}" for i, p in enumerate(k.params)) or "void"
        args = ", ".join(f"&par{i}" for i in range(len(k.params))) or "0"
        out.append(_STUB.format(name=k.name, c=_c_name(k.name), params=params, args=args, n=max(len(k.params), 1)))
    out.append("static void minicc_register_entities(void **handle)\n{")
    for k in kernels:
        out.append(
            f'    __cudaRegisterFunction(handle, (const char *){_c_name(k.name)}, (char *)"{k.name}", "{k.name}",'
            f" {k.thread_limit}, 0, 0, 0, 0, 0);"
        )
    for v in variables:
        out.append(
            f'    __cudaRegisterVar(handle, {v.name}, (char *)"{v.name}", "{v.name}", 0, {v.size},'
            f" {int(v.constant)}, 0);"
        )
    out.append("}\n")
    out.append(_CONSTRUCTOR)
    return "\n".join(out)


def _c_name(name: str) -> str:
    return re.sub(r"\W", "_", name)


_PRELUDE = """/* Registration stub of {source}, written by minicc. Build: gcc -c this.c; link with -lcudart. */
#include <stddef.h>

typedef struct {{ unsigned x, y, z; }} minicc_dim3;

extern void **__cudaRegisterFatBinary(void *wrapper);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaUnregisterFatBinary(void **handle);
extern void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                                   void *tid, void *bid, void *block, void *grid, int *warp);
extern void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
extern unsigned __cudaPopCallConfiguration(minicc_dim3 *grid, minicc_dim3 *block, size_t *shared, void *stream);
extern int cudaLaunchKernel(const void *host, minicc_dim3 grid, minicc_dim3 block, void **args, size_t shared,
                            void *stream);
extern int atexit(void (*)(void));

/* The device code: every cubin and the PTX. */
__asm__(".section .nv_fatbin, \\"a\\"\\n.align 8\\nminicc_fatbin:\\n.incbin \\"{fatbin}\\"\\n.align 8\\n.previous\\n");
extern const unsigned long long minicc_fatbin[] __attribute__((visibility("hidden")));

static struct {{ int magic, version; const void *data; void *unused; }} minicc_wrapper
    __attribute__((used, aligned(8), section(".nvFatBinSegment"))) = {{ 0x466243b1, 1, minicc_fatbin, 0 }};

/* The module id that tools look for. */
static const char minicc_module_id[] __attribute__((used, section("__nv_module_id"))) = "__NV_MODULE_ID";
"""

_STUB = """/* The address of this host function is how the runtime finds the kernel {name}. */
void {c}({params})
{{
    minicc_dim3 grid, block;
    size_t shared;
    void *stream;
    void *args[{n}] = {{ {args} }};
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream))
        return;
    cudaLaunchKernel((const void *){c}, grid, block, args, shared, stream);
}}
"""

_CONSTRUCTOR = """static void **minicc_handle;

static void minicc_unregister(void)
{
    __cudaUnregisterFatBinary(minicc_handle);
}

__attribute__((constructor)) static void minicc_register(void)
{
    minicc_handle = __cudaRegisterFatBinary(&minicc_wrapper);
    minicc_register_entities(minicc_handle);
    __cudaRegisterFatBinaryEnd(minicc_handle);
    atexit(minicc_unregister);
}
"""
