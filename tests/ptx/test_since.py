"""Modules of older versions and targets: what they may not use yet, judged by NVIDIA's ptxas."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minicc import arch, ptx
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx.verify import verify
from tests.conftest import needs_ptxas
from tests.ptx.judge import refused_by_nvidia

REGISTERS = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %d<9>; .reg .f64 %e<4>;\n"
LINES = """
abs.f16 %h1, %h2;
abs.bf16 %h1, %h2;
add.f16 %h1, %h2, %h3;
add.bf16x2 %r1, %r2, %r3;
add.cc.u64 %d1, %d2, %d3;
activemask.b32 %r1;
alloca.u64 %d1, %d2;
applypriority.global.L2::evict_normal [%d1], 128;
atom.add.f64 %e1, [%d1], %e2;
atom.cas.b16 %h1, [%d1], %h2, %h3;
atom.cluster.add.u32 %r1, [%d1], %r2;
atom.gpu.add.u32 %r1, [%d1], %r2;
atom.relaxed.gpu.add.u32 %r1, [%d1], %r2;
atom.add.noftz.f16 %h1, [%d1], %h2;
atom.add.noftz.f16x2 %r1, [%d1], %r2;
bar.cta.sync 0;
bar.warp.sync %r1;
barrier.sync 0;
barrier.cluster.arrive.relaxed;
barrier.cluster.wait;
cp.async.bulk.commit_group;
cp.async.ca.shared.global [%d1], [%d2], 4;
cp.async.ca.shared::cta.global [%d1], [%d2], 4, %p1;
cp.async.cg.shared.global.L2::128B [%d1], [%d2], 16;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d1], [%d2], 16, [%d3];
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%d1], [%d2], 16, [%d3];
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%d1], [%d2], 16, [%d3];
createpolicy.fractional.L2::evict_last.b64 %d1;
cvt.rna.tf32.f32 %r1, %f1;
cvt.rn.bf16x2.f32 %r1, %f1, %f2;
cvt.rn.satfinite.f16.f32 %h1, %f1;
cvt.rn.relu.bf16.f32 %h1, %f1;
cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;
cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;
elect.sync %r1|%p1, %r2;
ex2.approx.f16 %h1, %h2;
fence.acq_rel.gpu;
fence.sc.cluster;
fence.acquire.sync_restrict::shared::cluster.cluster;
fence.proxy.alias;
fence.proxy.async;
fence.proxy.tensormap::generic.release.gpu;
fma.rn.bf16 %h1, %h2, %h3, %h1;
fma.rn.relu.f16 %h1, %h2, %h3, %h1;
griddepcontrol.wait;
isspacep.shared::cta %p1, %d1;
isspacep.param %p1, %d1;
ld.global.L1::no_allocate.u32 %r1, [%d1];
ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;
ld.global.L2::256B.u32 %r1, [%d1];
ld.global.nc.u32 %r1, [%d1];
ld.weak.global.u32 %r1, [%d1];
ld.acquire.gpu.global.u32 %r1, [%d1];
ld.mmio.relaxed.sys.global.u32 %r1, [%d1];
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%d1];
match.any.sync.b32 %r1, %r2, %r3;
mapa.shared::cluster.u64 %d1, %d2, %r1;
max.NaN.f32 %f1, %f2, %f3;
max.u16x2 %r1, %r2, %r3;
mbarrier.arrive.b64 %d1, [%d2];
mbarrier.arrive.release.cta.b64 %d1, [%d2];
mbarrier.test_wait.parity.b64 %p1, [%d1], %r1;
mbarrier.try_wait.relaxed.cta.b64 %p1, [%d1], %d2;
min.xorsign.abs.f32 %f1, %f2, %f3;
mov.u32 %r1, %clusterid.x;
mov.u32 %r1, %aggr_smem_size;
mov.u32 %r1, %total_smem_size;
mov.u64 %d1, %globaltimer;
mov.b32 %r1, %reserved_smem_offset_begin;
mov.u64 %d1, %current_graph_exec;
multimem.red.add.u32 [%d1], %r1;
multimem.ld_reduce.add.acc::f32.f16x2 %r1, [%d1];
nanosleep.u32 %r1;
neg.f16 %h1, %h2;
prefetch.global.L2::evict_last [%d1];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%d1], %r1, [%d2];
redux.sync.add.u32 %r1, %r2, %r3;
set.eq.u32.f16 %r1, %h1, %h2;
setp.eq.f16 %p1, %h1, %h2;
shfl.sync.idx.b32 %r1, %r2, %r3, %r4, %r5;
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%d1], %r1, [%d2];
stmatrix.sync.aligned.m8n8.x1.shared.b16 [%d1], {%r1};
tanh.approx.f32 %f1, %f2;
tanh.approx.bf16 %h1, %h2;
vote.sync.any.pred %p1, %p2, %r1;
""".strip().splitlines()
MODULES = [
    ("9.0", "sm_90"), ("9.0", "sm_89"), ("9.0", "sm_86"), ("9.0", "sm_80"), ("9.0", "sm_75"), ("9.0", "sm_50"),
    ("8.1", "sm_90"), ("8.0", "sm_90"), ("7.8", "sm_90"), ("7.5", "sm_80"), ("7.0", "sm_80"), ("6.3", "sm_70"),
    ("6.0", "sm_70"), ("5.0", "sm_60"), ("4.2", "sm_53"), ("3.1", "sm_35"), ("3.0", "sm_30"),
]  # fmt: skip


def module(version: str, target: str, lines: list[str], directive: str = "") -> str:
    head = f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {directive} {{\n"
    return head + REGISTERS + "\n".join(lines) + "\nret; }\n"


def wrong(text: str) -> list[str]:
    return [d.message for d in verify(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90a"))]


@needs_ptxas
@pytest.mark.parametrize(("version", "target"), MODULES)
def test_ptxas_finds_the_same_too_new(version: str, target: str, tmp_path: Path) -> None:
    refused = refused_by_nvidia(LINES, tmp_path, lambda some: module(version, target, some), 6)
    for n, line in enumerate(LINES):
        found = wrong(module(version, target, [line]))
        assert bool(found) == (n in refused), (line, found)
        assert all(re.search(r"requires (PTX ISA \.version|\.target sm_)|without '\.sync'", m) for m in found), found


@pytest.mark.parametrize(
    "line",
    ["wgmma.fence.sync.aligned;", "setmaxnreg.inc.sync.aligned.u32 40;",
     "tensormap.replace.tile.rank.b1024.b32 [%d1], %r2;"],
)  # fmt: skip
def test_what_only_accelerated_targets_have(line: str) -> None:
    assert not wrong(module("9.0", "sm_90a", [line]))
    assert "not supported on .target 'sm_90'" in wrong(module("9.0", "sm_90", [line]))[0]


def test_targets_that_a_version_does_not_know() -> None:
    assert wrong(module("7.7", "sm_90", [])) == ["PTX .version 7.7 does not support .target sm_90"]
    assert not wrong(module("7.8", "sm_90", []))
    for version in ("0.9", "1.6", "6.6", "8.9"):
        with pytest.raises(CompileError, match="Unsupported"):
            wrong(module(version, "sm_30", []))


@pytest.mark.parametrize("directive", [".reqnctapercluster 2", ".maxclusterrank 8", ".explicitcluster"])
def test_directives_of_clusters(directive: str) -> None:
    assert not wrong(module("7.8", "sm_90", [], directive))
    assert "requires PTX ISA .version 7.8" in wrong(module("7.7", "sm_80", [], directive))[0]
    assert "requires .target sm_90" in wrong(module("7.8", "sm_80", [], directive))[0]


def test_doubles_may_be_mapped_to_floats_where_there_are_none() -> None:
    """A word of the first targets; later machines compute in doubles."""
    assert not wrong(module("1.4", "sm_10, map_f64_to_f32", []))
    with pytest.raises(CompileError, match="Unrecognized target"):
        ptx.parse(SourceFile("k.ptx", module("3.0", "sm_20, map_f64_to_f32", [])))


TEXTURES = """
tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1}];
tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f1}, [t, {%r1,%r2}];
tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1,%f2,%f3,%f1}];
tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1,%f2,%f3}];
tex.3d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1,%f2}];
tex.a1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%r1,%f1,%f2,%f3}];
tex.cube.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1,%f2,%f3,%f1}];
tex.level.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1,%f2,%f3,%f1}], %f1;
tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%d1, {%f1}];
tld4.r.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [t, {%f1,%f2}];
txq.width.b32 %r1, [t];
txq.width.b32 %r1, [%d1];
suld.b.2d.b32.trap {%r1}, [s, {%r1,%r2,%r3,%r4}];
suld.b.1d.b32.trap {%r1}, [%d1, {%r1}];
sust.b.1d.b32.trap [s, {%r1,%r2,%r3,%r4}], {%r1};
mad.f32 %f1, %f2, %f3, %f1;
mad.ftz.f32 %f1, %f2, %f3, %f1;
mad.f64 %e1, %e2, %e3, %e1;
""".strip().splitlines()
"""Of which older versions have some, and a place may have elements that nothing looks at."""


@needs_ptxas
@pytest.mark.parametrize(
    ("version", "target"), [("1.4", "sm_13"), ("2.3", "sm_20"), ("3.1", "sm_30"), ("8.0", "sm_80")]
)
def test_textures_and_sums_of_products_of_old(version: str, target: str, tmp_path: Path) -> None:
    first = version == "1.4"
    names = ".tex .u32 t;" if first else ".global .texref t; .global .surfref s;"
    lines = [x for x in TEXTURES if not (first and re.match("tld4|txq|tex.a1d", x))]

    def old(some: list[str]) -> str:
        text = module(version, target, some).replace(".visible", f"{names} .visible")
        return text.replace(".address_size 64", "") if first else text

    refused = refused_by_nvidia(lines, tmp_path, old, 6)
    assert refused and [n for n, line in enumerate(lines) if wrong(old([line]))] == sorted(refused)


def test_textures_in_a_space_of_their_own_are_no_more() -> None:
    with pytest.raises(CompileError, match="of PTX version 1"):
        ptx.parse(SourceFile("k.ptx", ".version 1.5\n.target sm_20\n.tex .u32 t;\n"))
