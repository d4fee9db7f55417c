"""Control: branches, calls, comparisons and selection, barriers, warp communication, moves, special registers."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = [
    Row("br.", "bra.uni $L", "branch"),
    Row("brcond.(p:n)", "@$p bra $L", "branch"),
    Row("brtable.i32(a)", "brx.idx $a, $L", "jump"),
    Row("ret.", "ret", "branch"),
    Row("exit.", "exit", "branch"),
    Row("trap.", "trap; exit", "branch"),
    Row("trapcall.", "trap", "branch"),
    Row("brkpt.", "brkpt", "branch"),
    Row("call.", "call.uni $data", "call"),
    Row("callreg.(a)", "call $data, $a", "call"),
    Row("alloca.i64(a, b:p2)", "alloca.u64 $d, $a, $b", "alu2", 52),
    Row("stacksave.i64", "stacksave.u64 $d", "mov", 52),
    Row("stackrestore.i64(a)", "stackrestore.u64 $a", "mov", 52),
    # Barriers.
    Row("barsync.i32(a:ri)", "bar.sync $a", "bar"),
    Row("barcount.i32(a:ri, b:ri)", "bar.sync $a, $b", "bar"),
    Row("bararrive.i32(a:ri, b:ri)", "bar.arrive $a, $b", "bar"),
    Row("barrier.i32(a:ri)", "barrier.sync $a", "bar", 30),
    Row("barriercount.i32(a:ri, b:ri)", "barrier.sync $a, $b", "bar", 30),
    Row("barrierarrive.i32(a:ri, b:ri)", "barrier.arrive $a, $b", "bar", 30),
    Row("barwarp.i32(a:ri)", "bar.warp.sync $a", "bar", 70),
    Row("barred{unaligned}.popc.i32(m0:ri, q)", "{unaligned}.red.popc.u32 $d, $m0, $q", "bar"),
    Row("barred{unaligned}.popc.count.i32(m0:ri, c:ri, q)", "{unaligned}.red.popc.u32 $d, $m0, $c, $q", "bar"),
    Row("barred{unaligned}.{andor}.p(m0:ri, q)", "{unaligned}.red.{andor}.pred $d, $m0, $q", "bar"),
    Row("barred{unaligned}.{andor}.count.p(m0:ri, c:ri, q)", "{unaligned}.red.{andor}.pred $d, $m0, $c, $q", "bar"),
    Row("clusterarrive{relaxed}{aligned}.", "barrier.cluster.arrive{relaxed}{aligned}", "bar", 90),
    Row("clusterwait{aligned}.", "barrier.cluster.wait{aligned}", "bar", 90),
    Row("nanosleep.i32(a:ri)", "nanosleep.u32 $a", "bar", 70),
    Row("pmevent.(a:i)", "pmevent.mask $a", "bar", 20),
    Row("griddep.{grid}", "griddepcontrol.{grid}", "bar", 90),
    Row("setmaxnreg.{incdec}(a:i)", "setmaxnreg.{incdec}.sync.aligned.u32 $a", "bar", 90, "a"),
    # Barriers in memory.
    Row("mbar.init{shared}(p:m, a:ri)", "mbarrier.init{shared}.b64 [$p], $a", "mbar", 80),
    Row("mbar.inval{shared}(p:m)", "mbarrier.inval{shared}.b64 [$p]", "mbar", 80),
    Row("mbar.arrive{drop}{shared}.i64(p:m)", "mbarrier.arrive{drop}{shared}.b64 $d, [$p]", "mbar", 80),
    Row(
        "mbar.arrive{drop}.noComplete{shared}.i64(p:m, a:ri)",
        "mbarrier.arrive{drop}.noComplete{shared}.b64 $d, [$p], $a",
        "mbar",
        80,
    ),
    Row("mbar.test.wait{shared}.p(p:m, a)", "mbarrier.test_wait{shared}.b64 $d, [$p], $a", "mbar", 80),
    Row("mbar.pending.count.i32(a)", "mbarrier.pending_count.b64 $d, $a", "mbar", 80),
    Row("mbar.copies{noinc}{shared}(p:m)", "cp.async.mbarrier.arrive{noinc}{shared}.b64 [$p]", "mbar", 80),
    Row(
        "mbar.arrive{drop}{tx}{relaxed1}.scope.{cc}.space.cta.i64(p:m, a:ri)",
        "mbarrier.arrive{drop}{tx}{relaxed1}.{cc}.shared::cta.b64 $d, [$p], $a",
        "mbar",
        90,
    ),
    Row(
        "mbar.arrive{drop}{tx}{relaxed1}.scope.{cc}.space.cluster(p:m, a:ri)",
        "mbarrier.arrive{drop}{tx}{relaxed1}.{cc}.shared::cluster.b64 _, [$p], $a",
        "mbar",
        90,
    ),
    Row(
        "mbar.{txop}.scope.{cc}.space.{cc2}(p:m, a:ri)",
        "mbarrier.{txop}.relaxed.{cc}.shared::{cc2}.b64 [$p], $a",
        "mbar",
        90,
    ),
    Row(
        "mbar.{waits}.wait{relaxed2}.scope.{cc}.space.cta.p(p:m, a)",
        "mbarrier.{waits}{relaxed2}.{cc}.shared::cta.b64 $d, [$p], $a",
        "mbar",
        90,
    ),
    Row(
        "mbar.{waits}.wait.parity{relaxed2}.scope.{cc}.space.cta.p(p:m, a:ri)",
        "mbarrier.{waits}.parity{relaxed2}.{cc}.shared::cta.b64 $d, [$p], $a",
        "mbar",
        90,
    ),
    Row(
        "mbar.try.wait.tl{relaxed2}.scope.{cc}.space.cta.p(p:m, a, b:ri)",
        "mbarrier.try_wait{relaxed2}.{cc}.shared::cta.b64 $d, [$p], $a, $b",
        "mbar",
        90,
    ),
    Row(
        "mbar.try.wait.parity.tl{relaxed2}.scope.{cc}.space.cta.p(p:m, a:ri, b:ri)",
        "mbarrier.try_wait.parity{relaxed2}.{cc}.shared::cta.b64 $d, [$p], $a, $b",
        "mbar",
        90,
    ),
    # Within a warp.
    Row("activemask.i32", "activemask.b32 $d", "vote", 30),
    Row("elect.(m0:ri)", "elect.sync $d0|$d1, $m0", "vote", 90),
    Row("vote.{mode}.p(m0:ri, q:n)", "vote.sync.{mode}.pred $d, $q, $m0", "vote", 30),
    Row("ballot.i32(m0:ri, q:n)", "vote.sync.ballot.b32 $d, $q, $m0", "vote", 30),
    Row("matchany.i32(m0:ri, a:ri)", "match.any.sync.b32 $d, $a, $m0", "match", 70),
    Row("matchany.i64(m0:ri, a:ri)", "match.any.sync.b64 $d, $a, $m0", "match", 70),
    Row("matchall.i32(m0:ri, a:ri)", "match.all.sync.b32 $d0|$d1, $a, $m0", "match", 70),
    Row("matchall.i64(m0:ri, a:ri)", "match.all.sync.b64 $d0|$d1, $a, $m0", "match", 70),
    Row("shflsync.{lanes}.i32(m0:ri, a, b:ri, c:ri)", "shfl.sync.{lanes}.b32 $d, $a, $b, $c, $m0", "shfl", 30),
    Row("shflsync.{lanes}.f32(m0:ri, a, b:ri, c:ri)", "shfl.sync.{lanes}.b32 $d, $a, $b, $c, $m0", "shfl", 30),
    Row("shflsyncp.{lanes}.i32(m0:ri, a, b:ri, c:ri)", "shfl.sync.{lanes}.b32 $d0|$d1, $a, $b, $c, $m0", "shfl", 30),
    Row("shflsyncp.{lanes}.f32(m0:ri, a, b:ri, c:ri)", "shfl.sync.{lanes}.b32 $d0|$d1, $a, $b, $c, $m0", "shfl", 30),
    Row("redux.{reduce}.i32(a, m0:ri)", "redux.sync.{reduce} $d, $a, $m0", "redux", 80),
    Row("redux.{freduce}.f32(a, m0:ri)", "redux.sync.{freduce}.f32 $d, $a, $m0", "redux", 100, "a"),
    # Work that another block left, from sm_100 on.
    Row(
        "clc.try{multicast}(p:m, q:m)",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{multicast}.b128 [$p], [$q]",
        "tma",
        100,
    ),
    Row(
        "clc.canceled.p(a, b)",
        "mov.b128 $t1.i128, {$a, $b}; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 $d, $t1.i128",
        "alu2",
        100,
    ),
    Row(
        "clc.ctaid.{xyz}.i32(a, b)",
        "mov.b128 $t1.i128, {$a, $b}; clusterlaunchcontrol.query_cancel.get_first_ctaid::{xyz}.b32.b128 $d, $t1.i128",
        "alu2",
        100,
    ),
    # Register to register, and constants.
    Row("mov.i32(a:ri)", "mov.b32 $d, $a", "mov"),
    Row("mov.i64(a:ri)", "mov.b64 $d, $a", "mov64"),
    Row("mov.f32(a:ri)", "mov.f32 $d, $a", "mov"),
    Row("mov.f64(a:ri)", "mov.f64 $d, $a", "mov64"),
    Row("mov.{h}(a:ri)", "mov.b16 $d, $a", "mov"),
    Row("mov.p(a)", "mov.pred $d, $a", "mov"),
    Row("movimm.p(a:i)", "mov.pred $d, $a", "mov"),
    Row("movsym.i32(a:sym)", "mov.u32 $d, $a", "mov"),
    Row("movsym.i64(a:sym)", "mov.u64 $d, $a", "mov64"),
    Row("sreg.i32", "mov.u32 $d, $data", "sreg"),
    Row("sreg.i64", "mov.u64 $d, $data", "sreg"),
    Row("sreg.p", "mov.pred $d, $data", "sreg", 90),
]

for _t, _w, _cost in (("i32", "32", "setp"), ("i64", "64", "setp64")):
    ROWS += [
        Row(f"icmp.{{icc}}.{_t}(a:ri, b:ri)", f"setp.{{icc}}.{{icc.1}}{_w} $d, $a, $b", _cost),
        Row(f"select.{_t}(p, a:ri, b:ri)", f"selp.b{_w} $d, $a, $b, $p", "sel" if _t == "i32" else "alu2"),
        # A comparison combined with a predicate.
        Row(
            f"{{lop}}.p(icmp.{{icc}}.{_t}(a:ri, b:ri), q:n)",
            f"setp.{{icc}}.{{lop}}.{{icc.1}}{_w} $d, $a, $b, $q",
            _cost,
        ),
    ]
ROWS += [
    Row("{lop}.p(fcmp.{fcc}.f32(a:ri, b:ri), q:n)", "setp.{fcc}.{lop}{z}.f32 $d, $a, $b, $q", "setp"),
    Row("{lop}.p(fcmp.{fcc}.f64(a:ri, b:ri), q:n)", "setp.{fcc}.{lop}.f64 $d, $a, $b, $q", "fp64"),
    # Selection by a sign.
    Row("select.i32(icmp.sgt.i32(c, =-1), a:ri, b:ri)", "slct.s32.s32 $d, $a, $b, $c", "setp"),
    Row("select.f32(icmp.sgt.i32(c, =-1), a:ri, b:ri)", "slct.f32.s32 $d, $a, $b, $c", "setp"),
    Row("select.i64(icmp.sgt.i32(c, =-1), a:ri, b:ri)", "slct.s64.s32 $d, $a, $b, $c", "setp64"),
    Row("select.f64(icmp.sgt.i32(c, =-1), a:ri, b:ri)", "slct.f64.s32 $d, $a, $b, $c", "setp64"),
]
