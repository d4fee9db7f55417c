"""Intrinsics that are selected by their own name: LLVM's backend writes the same instruction."""

from __future__ import annotations

import re

import pytest

from minicc import arch, isel, nvvm, ptx

H, F, N, D = "<2 x half>", "float", "i32", "double"
SHARED = "ptr addrspace(3)"
# (name after llvm.nvvm., results, arguments, target)
CASES = [
    ("mma.m16n8k16.row.col.f32.f32", [F] * 4, [H] * 6 + [F] * 4, "sm_90"),
    ("mma.m16n8k16.row.col.f16.f16", [H] * 2, [H] * 8, "sm_90"),
    ("mma.m16n8k16.row.col.bf16", [F] * 4, [N] * 6 + [F] * 4, "sm_90"),
    ("mma.m16n8k8.row.col.tf32", [F] * 4, [N] * 6 + [F] * 4, "sm_90"),
    ("mma.m8n8k4.row.col.f64", [D] * 2, [D] * 4, "sm_90"),
    ("mma.m16n8k32.row.col.satfinite.s8.u8", [N] * 4, [N] * 10, "sm_90"),
    ("mma.and.popc.m16n8k256.row.col.b1", [N] * 4, [N] * 10, "sm_90"),
    ("mma.m16n8k32.row.col.f32.e4m3.e5m2.f32", [F] * 4, [N] * 6 + [F] * 4, "sm_90"),
    ("wmma.m16n16k16.load.a.row.stride.f16.p3", [H] * 8, [SHARED, N], "sm_90"),
    ("wmma.m16n16k16.mma.row.col.f32.f32", [F] * 8, [H] * 16 + [F] * 8, "sm_90"),
    ("wmma.m32n8k16.mma.col.row.s8.satfinite", [N] * 8, [N] * 13, "sm_90"),
    ("wmma.m16n16k16.store.d.row.stride.f32.p3", [], [SHARED, *[F] * 8, N], "sm_90"),
    ("wmma.m8n8k128.load.b.col.stride.b1.p3", [N], [SHARED, N], "sm_90"),
    ("ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3", [N] * 4, [SHARED], "sm_90"),
    ("ldmatrix.sync.aligned.m8n8.x1.b16.p3", [N], [SHARED], "sm_90"),
    ("stmatrix.sync.aligned.m8n8.x2.b16.p3", [], [SHARED, N, N], "sm_90"),
    ("mbarrier.init.shared", [], [SHARED, N], "sm_90"),
    ("mbarrier.arrive.shared", ["i64"], [SHARED], "sm_90"),
    ("mbarrier.test.wait.shared", ["i1"], [SHARED, "i64"], "sm_90"),
    ("barrier.cta.red.popc.aligned.all", [N], [N, "i1"], "sm_90"),
    ("redux.sync.umax", [N], [N, N], "sm_90"),
    ("prmt.rc16", [N], [N, N], "sm_90"),
    ("sad.ui", [N], [N, N, N], "sm_90"),
    ("fma.rn.relu.f16x2", [H], [H, H, H], "sm_90"),
    ("fmax.nan.xorsign.abs.f16x2", [H], [H, H], "sm_90"),
    ("ff2f16x2.rn.relu", [H], [F, F], "sm_90"),
    ("f2tf32.rna", [N], [F], "sm_90"),
    ("ff.to.e4m3x2.rn", ["i16"], [F, F], "sm_90"),
    ("add.rz.ftz.f", [F], [F, F], "sm_90"),
    ("add.rm.sat.f", [F], [F, F], "sm_90"),
    ("d2f.rp", [F], [D], "sm_90"),
    ("griddepcontrol.wait", [], [], "sm_90"),
    ("prefetch.global.L2", [], ["ptr addrspace(1)"], "sm_90"),
    ("mapa.shared.cluster", ["ptr addrspace(7)"], [SHARED, N], "sm_90"),
    ("idp2a.s.u", [N], [N, N, "i1 true", N], "sm_90"),
    ("idp2a.u.s", [N], [N, N, "i1 false", N], "sm_90"),
    ("tcgen05.relinq.alloc.permit.cg1", [], [], "sm_100a"),
    ("tcgen05.wait.ld", [], [], "sm_100a"),
]


def kernel(name: str, results: list[str], arguments: list[str]) -> str:
    """A kernel that passes its parameters to the intrinsic and stores what comes out."""
    values = []
    body = []
    given = [(index, kind) for index, kind in enumerate(arguments) if not re.match(r"i\d+ ", kind)]
    for index, kind in enumerate(arguments):
        if (index, kind) not in given:  # a constant
            values.append(kind)
            continue
        if kind == "i1":
            body.append(f" %b{index} = icmp ne i32 %a{index}, 0")
        values.append(f"{kind} %{'b' if kind == 'i1' else 'a'}{index}")
    parameters = [f"{'i32' if kind == 'i1' else kind} %a{index}" for index, kind in given]
    type_ = "void" if not results else results[0] if len(results) == 1 else "{ " + ", ".join(results) + " }"
    call = f"call {type_} @llvm.nvvm.{name}({', '.join(values)})"
    body.append(f" %r = {call}" if results else f" {call}")
    for index, kind in enumerate(results):
        body.append(f" %q{index} = getelementptr i64, ptr %out, i64 {index}")
        if len(results) > 1:
            body.append(f" %e{index} = extractvalue {type_} %r, {index}")
        body.append(f" store volatile {kind} {f'%e{index}' if len(results) > 1 else '%r'}, ptr %q{index}")
    text = "\n".join(body)
    return (
        f'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k({", ".join(["ptr %out", *parameters])}) {{\n'
        f"{text}\n ret void\n}}\n"
    )


def opcodes(text: str, stem: str) -> list[str]:
    """Dotted names that begin with the instruction's own word."""
    return [n for n in re.findall(r"^\s+(?:@!?%\w+ )?([a-z][\w.:]*)[\s;]", text, re.M) if n.startswith(stem)]


@pytest.mark.parametrize(
    ("name", "results", "arguments", "target"), CASES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_as_llvm_writes_it(name: str, results: list[str], arguments: list[str], target: str) -> None:
    described = arch.get(target)
    text = kernel(name, results, arguments)
    options = nvvm.Options(sm=target, ptx_version=described.ptx_version)
    module = isel.select(nvvm.read(nvvm.optimise(text, options)), described, isel.Options())
    ours, theirs = ptx.format(module), nvvm.nvptx(text, options)
    skip = re.compile(r"(ld|st|cvta|mov|ret|setp|and|cvt\.u|cvt\.s|selp|prmt\.b32$)\b")
    wanted = [n for n in opcodes(theirs, "") if not skip.match(n)]
    got = [n for n in opcodes(ours, "") if not skip.match(n)]
    spell = {n.replace(".b32", "").replace(".u32", "") for n in got}
    assert wanted and {n.replace(".b32", "").replace(".u32", "") for n in wanted} <= spell, (wanted, got)
