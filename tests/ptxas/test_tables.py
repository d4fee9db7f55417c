"""What the scheduler takes an instruction for before it has registers (`ptxas.timing.footprint`) and what its
declaration says of the finished one (`sass.effects`, which the static checker asks) agree: every register that is
declared read or written is known, and no distance is shorter, for all instructions emitted for these programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from minicc import arch as archs
from minicc import ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas import Options, emit
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.operands import BASE, Components
from minicc.ptxas.timing import Distances, Footprint, footprint
from minicc.sass import effects
from minicc.sass.instr import Instr
from tests.ptxas.lower.test_like_nvidia import program

ARCH = archs.get("sm_90a")
READERS = sorted({reader for row in ARCH.latency.raw.values() for reader in row})
UNIFORM = ("vector", "uniform", "umov", "uldc", "mem", "branch")
"""Readers of uniform registers."""
HALVES = {"wide", "wide_lo", "wide_hi"}
"""Of IMAD.WIDE: that one half comes early and one is read late was measured, and is the scheduler's alone."""
MORE = """.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 sm[];
.visible .entry k(.param .u64 out)
{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<8>; .reg .f64 %fd<16>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, sm; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; add.u32 %r0, %r0, %r2;
cp.async.cg.shared.global [%r0], [%rd0+64], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3,%r4,%r5,%r6}, [%r0];
ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r7,%r8}, [%r0];
ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%rd0];
add.u32 %r3, %r3, %r1; add.f32 %f1, %f1, %f2;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r3,%r4,%r5,%r6}, {%r7,%r8}, {%f0,%f1,%f2,%f3};
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r3,%r4}, {%r7}, {%f0,%f1,%f2,%f3};
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f4,%f5,%f6,%f7}, {%r3,%r4,%r5,%r6}, {%r7,%r8}, {%f0,%f1,%f2,%f3};
mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r9,%r10,%r11,%r12}, {%r3,%r4,%r5,%r6}, {%r7,%r8}, {%r3,%r4,%r5,%r6};
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r13,%r14}, {%r3}, {%r7}, {%r9,%r10};
ld.global.f64 %fd0, [%rd0]; add.f64 %fd1, %fd0, %fd0; cvt.f64.f32 %fd2, %f4;
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3,%fd4}, {%fd0}, {%fd1}, {%fd2,%fd1};
shfl.sync.bfly.b32 %r15|%p1, %r9, %r1, 31, -1; vote.sync.ballot.b32 %r16, %p1, -1; redux.sync.add.u32 %r17, %r15, -1;
match.any.sync.b32 %r18, %r15, -1; atom.global.add.u32 %r19, [%rd0], %r15; red.shared.max.s32 [%r0], %r16;
atom.shared.cas.b32 %r20, [%r0], %r17, %r18; popc.b32 %r21, %r20; bfind.u32 %r22, %r21; tanh.approx.f32 %f8, %f4;
sqrt.approx.f32 %f9, %f8; cvt.rzi.s32.f32 %r23, %f9; cvt.rn.f16x2.f32 %r24, %f8, %f9; fma.rn.f16x2 %r25, %r24, %r3, %r4;
dp4a.u32.u32 %r26, %r25, %r24, %r23; prmt.b32 %r27, %r26, %r25, 0x5140; mul.wide.u32 %rd1, %r27, %r26;
mad.lo.s64 %rd2, %rd1, %rd0, %rd1; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r27};
movmatrix.sync.aligned.m8n8.trans.b16 %r28, %r27; setp.lt.f64 %p2, %fd3, %fd4; @%p2 st.global.f64 [%rd0+8], %fd3;
st.global.v2.u32 [%rd0+16], {%r28,%r13}; st.global.v2.f32 [%rd0+24], {%f5,%f6}; st.global.u64 [%rd0+32], %rd2;
membar.gl; elect.sync %r29|%p3, -1; @%p3 st.shared.u32 [%r0+4], %r29; bar.red.popc.u32 %r30, 1, %p3;
st.global.u32 [%rd0+40], %r30; ret;
}
"""


@pytest.fixture
def emitted(monkeypatch: pytest.MonkeyPatch, kernels_ptx: str) -> list[tuple[Instr, Footprint]]:
    """Finished instructions beside what the scheduler takes them for, one of each shape."""
    out: list[tuple[Instr, Footprint]] = []
    seen: set[object] = set()
    plain = emit.instructions

    def listening(functions: list[MFunction]) -> tuple[list[Instr], list[dict[str, int]], list[MInst]]:
        result = plain(functions)
        parts = {id(i): Components(f) for f in functions for b in f.blocks for i in b.insts}
        for instr, inst in zip(result[0], result[2], strict=False):
            shape = (instr.mnemonic, instr.modifiers, tuple(type(o) for o in instr.operands))
            if id(inst) in parts and shape not in seen:
                seen.add(shape)
                out.append((instr, footprint(inst, parts[id(inst)])))
        return result

    monkeypatch.setattr(emit, "instructions", listening)
    for text in (MORE, program(), kernels_ptx):
        ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), ARCH, Options())
    return out


def keys(file: str, index: int, count: int) -> Iterator[int]:
    return iter(range(BASE[file] + index, BASE[file] + index + count))


def test_the_scheduler_waits_for_what_is_declared(emitted: list[tuple[Instr, Footprint]]) -> None:
    distances = Distances(ARCH)
    assert len(emitted) > 150 and {"HMMA", "IMMA", "DMMA", "LDSM", "LDGSTS", "SHFL"} <= {i.mnemonic for i, _ in emitted}
    for instr, known in emitted:
        declared = effects(instr, ARCH)
        reads: dict[int, set[str]] = {}
        for key, reader in known.reads:
            reads.setdefault(key, set()).add(reader)
        writes = dict(known.writes)
        for access in declared.reads:
            if access.file == "B":
                continue
            for key in keys(access.file, access.index, access.count):
                assert key in reads, f"{instr}: {access} is not read"
                for producer in ARCH.latency.raw:
                    have = max(distances.raw(producer, reader) for reader in reads[key])
                    assert have >= distances.raw(producer, access.cls) or reads[key] & HALVES, f"{instr}: {access}"
        for access in declared.writes:
            for key in keys(access.file, access.index, access.count):
                assert key in writes, f"{instr}: {access} is not written"
                producer = writes[key]
                assert known.timing.variable or not declared.variable or not producer, f"{instr}: {access} is late"
                if producer and not declared.variable and producer not in HALVES:
                    for reader in UNIFORM if access.file == "UR" else READERS:
                        assert distances.raw(producer, reader) >= distances.raw(access.cls, reader), (
                            f"{instr}: {access}"
                        )
