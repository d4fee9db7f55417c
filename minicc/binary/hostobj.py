"""The host object: x86-64 ELF with the fatbin, its wrapper, launch stubs and the constructor that registers them.

No C compiler is used: the object is LLVM IR compiled by llvmlite's x86-64 target machine. Sections and the order of
runtime calls are those of an object that nvcc 13.0.88 makes; the launch goes through `cudaLaunchKernel`, which every
libcudart exports.
"""

from __future__ import annotations

from collections.abc import Sequence

from minicc.binary.stub import HostKernel, HostParam, HostVariable, kernels_of
from minicc.sass.program import Program

TRIPLE = "x86_64-unknown-linux-gnu"
WRAPPER_MAGIC = 0x466243B1


def write_object(fatbin: bytes, program: Program, name: str = "", ptx: str | None = None) -> bytes:
    """The relocatable object that registers the kernels and variables of `program`; `name` is the source's.

    Host functions have the kernels' own (mangled) names and are hidden, as nvcc's are. `ptx`, if given, tells which
    parameters are floating point (see `kernels_of`)."""
    import llvmlite.binding as llvm

    kernels, variables = kernels_of(program, ptx)

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(f"; {name!a}\n" + host_ir(fatbin, kernels, variables))
    module.verify()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu="x86-64", opt=2, reloc="pic", codemodel="default")
    out = machine.emit_object(module)
    assert isinstance(out, bytes)
    return out


def _escape(data: bytes) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)


def _array(data: bytes) -> str:
    return f'[{len(data)} x i8] c"{_escape(data)}"'


def _quoted(name: str) -> str:
    return f'"{_escape(name.encode())}"'


def _pieces(param: HostParam) -> list[str]:
    """LLVM types of the registers that carry `param` in the x86-64 System V calling convention. A struct of up to 16
    bytes is taken to travel in integer registers; a larger one is passed in memory."""
    if param.kind == "float":
        return ["double" if param.size == 8 else "float"]
    if param.kind == "int":
        return [f"i{8 * param.size}"]
    if param.kind == "floats" and param.size <= 16:
        return ["double"] * (param.size // 8) + (["float"] if param.size % 8 else [])
    if param.size > 16:
        return [f"ptr byval([{param.size} x i8]) align 8"]
    return ["i64"] * (param.size // 8) + ([f"i{8 * (param.size % 8)}"] if param.size % 8 else [])


def host_ir(fatbin: bytes, kernels: Sequence[HostKernel], variables: Sequence[HostVariable] = ()) -> str:
    """The object as LLVM IR."""
    data = fatbin + bytes(-len(fatbin) % 8)
    out = [
        f'target triple = "{TRIPLE}"',
        f'@fatbinData = internal constant {_array(data)}, section ".nv_fatbin", align 8',
        "@__fatDeviceText = internal global { i32, i32, ptr, ptr } "
        f'{{ i32 {WRAPPER_MAGIC}, i32 1, ptr @fatbinData, ptr null }}, section ".nvFatBinSegment", align 8',
        f'@__module_id_str = internal constant {_array(b"__NV_MODULE_ID" + bytes(1))}, section "__nv_module_id"',
        # By section name, not llvm.global_ctors, which this target machine would put in .ctors.
        '@constructor = internal global ptr @__sti____cudaRegisterAll, section ".init_array", align 8',
        "@llvm.compiler.used = appending global [3 x ptr] "
        '[ptr @__fatDeviceText, ptr @__module_id_str, ptr @constructor], section "llvm.metadata"',
        "@handle = internal global ptr null",
        "declare ptr @__cudaRegisterFatBinary(ptr)",
        "declare void @__cudaRegisterFatBinaryEnd(ptr)",
        "declare void @__cudaUnregisterFatBinary(ptr)",
        "declare void @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)",
        "declare void @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)",
        "declare i32 @__cudaPopCallConfiguration(ptr, ptr, ptr, ptr)",
        # dim3 by value: 12 bytes in two integer registers.
        "declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)",
        "declare i32 @atexit(ptr)",
    ]
    for i, k in enumerate(kernels):
        out.append(f"@name.k{i} = private unnamed_addr constant {_array(k.name.encode() + bytes(1))}")
        out.append(_stub(k))
    for i, v in enumerate(variables):
        out.append(f"@name.v{i} = private unnamed_addr constant {_array(v.name.encode() + bytes(1))}")
        out.append(f"@{_quoted(v.name)} = hidden global [{max(v.size, 1)} x i8] zeroinitializer, align 16")
    out.append(_register(kernels, variables))
    return "\n".join(out) + "\n"


def _stub(kernel: HostKernel) -> str:
    """The host function of a kernel: gathers addresses of its arguments and launches with the pushed configuration."""
    signature, body, addresses = [], [], []
    for i, param in enumerate(kernel.params):
        pieces = _pieces(param)
        if "byval" in pieces[0]:
            signature.append(f"{pieces[0]} %p{i}")
            addresses.append(f"%p{i}")
            continue
        body.append(f"  %a{i} = alloca [{max(8 * len(pieces), param.size)} x i8], align 16")
        for j, piece in enumerate(pieces):
            signature.append(f"{piece} %p{i}.{j}")
            body.append(f"  %a{i}.{j} = getelementptr i8, ptr %a{i}, i64 {8 * j}")
            body.append(f"  store {piece} %p{i}.{j}, ptr %a{i}.{j}, align 1")
        addresses.append(f"%a{i}")
    for i, address in enumerate(addresses):
        body.append(f"  %slot{i} = getelementptr ptr, ptr %args, i64 {i}")
        body.append(f"  store ptr {address}, ptr %slot{i}")
    setup = "\n".join(body)
    name = _quoted(kernel.name)
    return f"""define hidden void @{name}({", ".join(signature)}) {{
  %args = alloca [{max(len(addresses), 1)} x ptr], align 16
  %grid = alloca [2 x i64], align 8
  %block = alloca [2 x i64], align 8
  %shared = alloca i64, align 8
  %stream = alloca ptr, align 8
{setup}
  %status = call i32 @__cudaPopCallConfiguration(ptr %grid, ptr %block, ptr %shared, ptr %stream)
  %ok = icmp eq i32 %status, 0
  br i1 %ok, label %launch, label %done
launch:
  %gxy = load i64, ptr %grid
  %gz.p = getelementptr i8, ptr %grid, i64 8
  %gz = load i32, ptr %gz.p
  %bxy = load i64, ptr %block
  %bz.p = getelementptr i8, ptr %block, i64 8
  %bz = load i32, ptr %bz.p
  %smem = load i64, ptr %shared
  %queue = load ptr, ptr %stream
  %r = call i32 @cudaLaunchKernel(ptr @{name}, i64 %gxy, i32 %gz, i64 %bxy, i32 %bz, ptr %args, i64 %smem, ptr %queue)
  br label %done
done:
  ret void
}}"""


def _register(kernels: Sequence[HostKernel], variables: Sequence[HostVariable]) -> str:
    calls = [
        f"  call void @__cudaRegisterFunction(ptr %h, ptr @{_quoted(k.name)}, ptr @name.k{i}, ptr @name.k{i}, "
        f"i32 {k.thread_limit}, ptr null, ptr null, ptr null, ptr null, ptr null)"
        for i, k in enumerate(kernels)
    ]
    calls += [
        f"  call void @__cudaRegisterVar(ptr %h, ptr @{_quoted(v.name)}, ptr @name.v{i}, ptr @name.v{i}, "
        f"i32 0, i64 {v.size}, i32 {int(v.constant)}, i32 0)"
        for i, v in enumerate(variables)
    ]
    body = "\n".join(calls)
    return f"""define internal void @unregister() {{
  %h = load ptr, ptr @handle
  call void @__cudaUnregisterFatBinary(ptr %h)
  ret void
}}
define internal void @__sti____cudaRegisterAll() {{
  %h = call ptr @__cudaRegisterFatBinary(ptr @__fatDeviceText)
  store ptr %h, ptr @handle
{body}
  call void @__cudaRegisterFatBinaryEnd(ptr %h)
  %r = call i32 @atexit(ptr @unregister)
  ret void
}}"""
