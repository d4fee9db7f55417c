"""Names of instructions, and where results and memory may be: the same orders and operands as NVIDIA's ptxas takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from minicc import arch, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptx.verify import verify
from minicc.ptxas.options import Options
from tests.conftest import needs_ptxas
from tests.ptx.judge import refused_by_nvidia

PLACES = """.version 9.0
.target sm_90a
.address_size 64
.global .align 16 .b8 far[256]; .shared .align 16 .b8 near[256];
.visible .entry k(.param .u64 out)
{
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>;
"""
NAMED = """mul.wide.u16 %r1, %h1, %h2;
mad.lo.cc.u32 %r1, %r2, %r3, %r4;
madc.hi.cc.u32 %r1, %r2, %r3, %r4;
div.full.ftz.f32 %f1, %f2, %f3;
dp2a.lo.u32.s32 %r1, %r2, %r3, %r4;
shf.l.wrap.b32 %r1, %r2, %r3, %r4;
testp.finite.f32 %p1, %f1;
cvta.to.shared.u64 %rd1, %rd2;
cvt.pack.sat.u16.s32 %r1, %r2, %r3;
bar.cta.red.popc.u32 %r1, 1, %p1;
barrier.cta.red.and.aligned.pred %p1, 1, 64, %p2;
barrier.cluster.wait.acquire.aligned;
fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
membar.proxy.alias;
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd1, [%rd2], %r1;
mbarrier.try_wait.parity.acquire.cta.b64 %p1, [%rd1], 0;
createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0.5;
multimem.ld_reduce.relaxed.gpu.global.add.u32 %r1, [%rd1];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%rd1], %r1, [%rd2];
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%rd2];
tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 2, %r1;
cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {%r1}], [%rd2];
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%rd2], %r1;
cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r1}];
cp.async.mbarrier.arrive.noinc.shared.b64 [%rd1];
cp.async.bulk.wait_group.read 1;
elect.sync %r1|%p1, %r2;
match.any.sync.b32 %r1, %r2, %r3;
shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;
ld.relaxed.gpu.global.L1::no_allocate.v2.u32 {%r1, %r2}, [%rd1];
atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], %r2;"""


def rearranged() -> Iterator[str]:
    """Each instruction of NAMED as it is, and with one of its modifiers at each other place."""
    for line in NAMED.splitlines():
        name, _, operands = line.rstrip(";").partition(" ")
        opcode, *modifiers = name.split(".")
        orders = [modifiers]
        for at in range(len(modifiers)):
            rest = modifiers[:at] + modifiers[at + 1 :]
            orders += [[*rest[:to], modifiers[at], *rest[to:]] for to in range(len(modifiers))]
        yield from (f"{'.'.join([opcode, *order])} {operands};" for order in orders)


def in_other_spaces() -> Iterator[str]:
    """Instructions whose addresses are in global and in shared memory, and results that are no results."""
    for to in ("far", "near", "%rd1"):
        for source in ("far", "near", "%rd2"):
            yield f"cp.async.ca.shared.global [{to}], [{source}], 4;"
            yield f"cp.async.bulk.global.shared::cta.bulk_group [{to}], [{source}], 16;"
            for last in ("far", "near"):
                done = "mbarrier::complete_tx::bytes"
                yield f"cp.async.bulk.shared::cluster.global.{done} [{to}], [{source}], 16, [{last}];"
        yield f"mbarrier.init.b64 [{to}], 1;"
        yield f"mbarrier.init.shared.b64 [{to}], 1;"
        yield f"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {{%r1}}], [{to}];"
    for predicate in ("%p1", "!%p1", "_"):
        yield f"testp.finite.f32 {predicate}, %f1;"
        yield f"isspacep.global {predicate}, %rd1;"
        yield f"bar.red.and.pred {predicate}, 1, !%p2;"
        yield f"setp.eq.u32 {predicate}, %r1, %r2;"
    for register in ("%r1", "%f1"):
        yield f"min.u16x2 {register}, %r2, %r3;"
        yield f"add.s16x2 %r1, {register}, %r3;"
    for number in (0, 4, 5, 12, 13):
        yield f"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], {number}, %r1;"
        yield f"tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], {number};"


@needs_ptxas
@pytest.mark.parametrize("made", [rearranged, in_other_spaces])
def test_names_and_places(made: Callable[[], Iterator[str]], tmp_path: Path) -> None:
    """Some modifiers are part of an instruction's name and stand where they stand there, others anywhere. What is taken
    compiles in all its orders."""
    lines = list(dict.fromkeys(made()))

    def module(some: list[str]) -> str:
        return PLACES + "\n".join(some) + "\nret;\n}\n"

    refused = refused_by_nvidia(lines, tmp_path, module, PLACES.count("\n") + 1)
    machine = arch.get("sm_90a")
    for n, line in enumerate(lines):
        source = ptx.parse(SourceFile("k.ptx", module([line])))
        assert bool(verify(source, machine)) == (n in refused), line
    taken = [line for n, line in enumerate(lines) if n not in refused]
    assert 10 < len(taken) < len(lines)
    ptxas.assemble(ptx.parse(SourceFile("k.ptx", module(taken))), machine, Options())
