"""What operands instructions take: registers of the wrong kind, constants out of range, symbols of other spaces, parts
and signs where none belong, judged by NVIDIA's ptxas."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from minicc import arch, ptx
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx.verify import verify
from tests.conftest import needs_ptxas
from tests.ptx.judge import refused_by_nvidia

HEAD = """.version 9.0
.target sm_90a
.address_size 64
.global .align 16 .b8 gv[256]; .const .align 16 .b8 cv[256];
.visible .entry k(.param .align 16 .b8 pin[64])
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .f64 %g<9>; .reg .b128 %q<9>;
.shared .align 128 .b8 sv[256]; .shared .align 8 .b64 mv; .local .align 16 .b8 lv[128]; .reg .b64 %ga; .reg .b32 %sa;
ld.param.b64 %ga,[pin]; mov.b32 %sa, sv;
"""
FORMS = """
add.u32 R, R, R | mul.wide.u32 D, R, R | mad.wide.s16 R, H, H, R | dp4a.u32.u32 R, R, R, R | bfe.u32 R, R, 8, 300
bfe.u64 D, D, R, R | bfi.b32 R, R, R, 256, 255 | bmsk.clamp.b32 R, R, R | lop3.or.b32 R|P, R, R, R, 5, P
lop3.or.b32 R, R, R, R, 5, P | isspacep.global P, D | testp.finite.f32 _, F | vote.sync.any.pred _, P, R
shfl.sync.idx.b32 R|_, R, R, R, R | shfl.sync.idx.b32 _|P, R, R, R, R | match.all.sync.b32 _|P, R, R
match.any.sync.b32 R, R, R | elect.sync R|P, R | elect.sync R, R | redux.sync.and.b32 R, R, R | activemask.b32 R
bar.sync 15, 64 | bar.sync 16 | bar.arrive 1, 0 | bar.arrive 1, R | bar.arrive 1 | barrier.sync 1, 33 | bar.sync R, R
bar.red.popc.u32 R, 0, 33, P | bar.red.and.pred P, 0, 64, !P | bar.warp.sync R | nanosleep.u32 R | pmevent 16
createpolicy.fractional.L2::evict_last.b64 D, 0.5 | createpolicy.fractional.L2::evict_last.b64 D, 2.0
createpolicy.fractional.L2::evict_last.b64 D, F | createpolicy.cvt.L2.b64 D, D
movmatrix.sync.aligned.m8n8.trans.b16 R, R | mapa.u32 R, R, R | mapa.shared::cluster.u64 D, sv, 1
mapa.shared.u32 R, R, 1 | getctarank.u64 R, D | alloca.u64 D, D, 8 | stackrestore.u64 D | stackrestore.u64 5
stacksave.u32 R | ldmatrix.sync.aligned.m8n8.x2.b16 {R,R}, [%sa] | ldmatrix.sync.aligned.m8n8.x1.shared.b16 R, [%sa]
stmatrix.sync.aligned.m8n8.x1.b16 [%sa], {R} | stmatrix.sync.aligned.m8n8.x1.b8 [%sa], {R}
mbarrier.init.shared.b64 [mv], R | mbarrier.arrive.shared.b64 D, [mv] | mbarrier.try_wait.shared.b64 _, [mv], D
mbarrier.test_wait.parity.shared.b64 P, [mv], R | mbarrier.pending_count.b64 R, D
cp.async.ca.shared.global [%sa], [%ga], 8, R | cp.async.bulk.prefetch.L2.global [%ga], R
cp.async.bulk.prefetch.L2.global.L2::cache_hint [%ga], 64, D | cp.async.bulk.prefetch.L2.global [%ga], 64, D
ld.global.b32 R, [gv] | ld.global.b32 R, [sv] | ld.b32 R, [cv] | ld.b32 R, [pin] | ld.const.b32 R, [cv]
ld.b32 R, [lv] | ld.local.u8 R, [gv] | st.shared.u8 [pin], R | st.shared.u16 [sv+4], H | prefetch.local.L1 [lv]
atom.add.u32 R, [cv], R | red.shared::cluster.add.u32 [gv], R | ld.global.L2::cache_hint.b32 R, [%ga], D
ld.global.L2::cache_hint.b32 R, [%ga] | ld.global.b32 R, [%ga], D | st.global.b32 [%ga], R, D
atom.add.L2::cache_hint.u32 R, [%ga], R | atom.shared.add.L2::cache_hint.u32 R, [%sa], R, D
ld.weak.global.nc.b32 R, [%ga] | ld.v2.b16 {H,H}, [%ga] | ld.v2.u8 {R,H}, [%ga] | ld.v2.u32 {F,R}, [%ga]
ld.v2.u32 {F,F}, [%ga] | ld.b32 _, [%ga] | ld.v2.b32 {_,_}, [%ga] | ld.b8 F, [%ga] | ld.u16 F, [%ga] | st.f32 [%ga], 1
st.b64 [%ga], 1.0 | ld.b32 R, [Q] | cvt.rn.f16.f32 R, F | cvt.rn.bf16.f32 R, F | cvt.f32.f16 F, R
cvt.rn.f16.f32 H, 3 | cvt.rn.f16x2.f32 R, F, F | cvta.shared.u64 D, gv | cvta.to.shared.u64 D, sv
cvta.param.u64 D, pin | mov.pred P, 0 | and.pred P, 255, P | not.pred P, -1 | or.pred P, P, 1.0
mov.pred P, -1 | mov.pred P, 1.0 | mov.pred 1, P
mov.f32 F, %smid | mov.f32 F, gv | mov.b128 Q, 5 | mov.b64 D, gv+8
mov.v4.s32 {R,R,R,R}, %tid | multimem.st.gpu.b32 [%ga], R | multimem.st.weak.gpu.b32 [%ga], R
multimem.red.relaxed.add.u32 [%ga], R | multimem.red.relaxed.gpu.add.u32 [%ga], R
multimem.ld_reduce.add.f32 F, [%ga] | st.async.mbarrier::complete_tx::bytes.b32 [%sa], R, [mv] | membar.proxy.async
membar.proxy.alias | red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%sa], R, [mv]
atom.exch.b128 _, [%ga], Q | vadd.u32.u32.u32 R.b0, R, R.h1, R | vadd.u32.u32.u32 R, R.b0, R
vadd.u32.u32.u32 R.b0, R, R | vadd.u32.u32.u32 R, -R, R | vadd.u32.s32.u32.add R, R, R.b3, R
vshl.u32.u32.u32 R, R, R | vshl.u32.u32.u32.wrap R, R, R | vset.u32.u32.eq.sat R, R, R
vmad.u32.s32.u32 R, -R, -R, -R | vmad.u32.u32.u32 R, -R, R, -R | vmad.u32.u32.u32.po R, -R, R, R
vmad.u32.u32.u32.po R, R, R, -R | vadd2.u32.u32.u32 R.h10, R.h03, R, R | vadd2.u32.u32.u32 R.h01, R, R, R
vadd2.u32.u32.u32.add.sat R, R, R, R | vadd2.u32.u32.u32 R, 5, R, R | vadd4.u32.u32.u32.add R.b31, R.b7654, R, R
vadd4.u32.u32.u32 R.b13, R, R, R | vset4.u32.u32.eq R, R.b77, R, R | vavrg2.s32.u32.s32 R, R, R, R.h10
add.u32 R, R.b0, R | add.u32 R, -R, R | mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {R,R}, {R}, {R}, {R,R}
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {R,R}, R, {R}, {R,R}
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {R,R}, {R}, {R}, {0,0}
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {G,G}, {0d0000000000000000}, {G}, {0f00000000,0f3f800000}
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {0,0}, {R}, {R}, {R,R}
cp.async.bulk.shared::cta.global.bulk_group [%ga], [%sa], R | ex2.approx.ftz.f16x2 R, R | ex2.approx.f16 H, H
wmma.load.a.sync.aligned.row.m8n8k32.s4 R, [sv], 32
and.pred P, 255, P | not.pred P, -1 | or.pred P, P, 1.0 | set.lt.and.bf16.s32 H, R, R, !P | setp.lt.or.bf16 P, H, H, 1
"""
OTHERS = [*"HRDFG", "Q", "1", "-1", "1.5", "0f3f800000"]
ODD = re.compile(r"mma|shfl|prmt|\{.*1\.5|\{.*0f|mul\.wide.*%q|, -1, -?1|(dp4a|bf[ei]|cvt|shr|atom).*%q|[\d.]\.[bh]|--")
"""What ptxas is not asked about: its own checks are uneven there."""


def forms(seed: int) -> Iterator[str]:
    """Each form, and each three times with one operand of another kind."""
    draw = random.Random(seed)
    for form in re.split(r" \| |\n", FORMS.strip()):
        slots = [m.span() for m in re.finditer(r"(?<![\w.%])[HRDFGPQ](?!\w)", form)]
        for time in range(4):
            hit = draw.choice(slots) if slots and time else None
            text, last = "", 0
            for count, (at, end) in enumerate(slots, 1):
                kind = draw.choice(OTHERS) if (at, end) == hit else form[at]
                text += form[last:at] + (f"%{kind.lower()}{count}" if kind.isalpha() else kind)
                last = end
            text += form[last:]
            if time == 0 or not ODD.search(text):
                yield f"{text};"


def kernels(lines: list[str]) -> str:
    """A module with a kernel for each line."""
    top, _, body = HEAD.partition(".visible")
    made = (f".visible{body.replace(' k(', f' k{n}(')}{line}\nret; }}\n" for n, line in enumerate(lines))
    return top + "".join(made)


@needs_ptxas
@pytest.mark.parametrize("seed", [1, 2])
def test_ptxas_takes_and_refuses_the_same(seed: int, tmp_path: Path) -> None:
    lines = list(dict.fromkeys(forms(seed)))
    top, _, body = HEAD.partition(".visible")
    refused = refused_by_nvidia(lines, tmp_path, kernels, top.count("\n") + 1, body.count("\n") + 2, "-O0")
    assert 0.3 < len(refused) / len(lines) < 0.8
    machine = arch.get("sm_90a")
    wrong = []
    for n, line in enumerate(lines):
        try:
            found = bool(verify(ptx.parse(SourceFile("k.ptx", f"{HEAD}{line}\nret;\n}}\n")), machine))
        except CompileError:
            found = True
        if found != (n in refused):
            wrong.append(line)
    assert not wrong


NAMED = """
add.u64 %d1, %d2, gv; | mad.lo.u32 %r1, %r2, sv, %r3; | setp.eq.u64 %p1, %d1, gv; | cvt.u32.u64 %r1, gv;
st.global.u64 [%ga], gv; | st.global.v2.u64 [%ga], {gv, gv}; | shfl.sync.bfly.b32 %r1, sv, 4, 31, -1;
mov.u64 gv, %d1; | mov.u64 %d1, gv; | mov.u32 %r1, sv; | cvta.global.u64 %d1, gv; | bar.sync sv; | not.b64 %d1, gv;
mapa.shared::cluster.u32 %r1, sv, %r2; | atom.global.add.u64 %d1, [%ga], gv; | isspacep.global %p1, gv;
"""


@needs_ptxas
def test_names_are_operands_of_few(tmp_path: Path) -> None:
    lines = [line.strip() for line in re.split(r" \| |\n", NAMED.strip())]
    top, _, body = HEAD.partition(".visible")
    refused = refused_by_nvidia(lines, tmp_path, kernels, top.count("\n") + 1, body.count("\n") + 2, "-O0")
    assert len(refused) == len(lines) - 4
    for n, line in enumerate(lines):
        found = verify(ptx.parse(SourceFile("k.ptx", f"{HEAD}{line}\nret;\n}}\n")), arch.get("sm_90a"))
        assert bool(found) == (n in refused), line


@pytest.mark.parametrize("text", [".visible .visible .entry k() { ret; }", ".entry k(.param .param .u32 a) { ret; }"])
def test_words_that_stand_once(text: str) -> None:
    with pytest.raises(CompileError):
        ptx.parse(SourceFile("k.ptx", f".version 9.0\n.target sm_90\n{text}\n"))
