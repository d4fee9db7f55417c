"""Control flow: branches, integer comparisons and selection by them, barriers, calls, returns, traps."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = [
    Row("br.", "bra.uni $L", "branch"),
    Row("brcond.(p:n)", "@$p bra $L", "branch"),
    Row("ret.", "ret", "branch"),
    Row("exit.", "exit", "branch"),
    Row("trap.", "trap; exit", "branch"),
    Row("trapcall.", "trap", "branch"),
    Row("brkpt.", "brkpt", "branch"),
    Row("call.", "call.uni $data", "call"),
    Row("callreg.(a)", "call $data, $a", "call"),
    Row("barsync.", "bar.sync 0", "bar"),
    Row("barsync.i32(a:ri)", "bar.sync $a", "bar"),
    Row("barcount.i32(a:ri, b:ri)", "bar.sync $a, $b", "bar"),
    Row("bararrive.i32(a:ri, b:ri)", "bar.arrive $a, $b", "bar"),
    Row("barrier.i32(a:ri)", "barrier.sync $a", "bar", 30),
    Row("barriercount.i32(a:ri, b:ri)", "barrier.sync $a, $b", "bar", 30),
    Row("barwarp.i32(a:ri)", "bar.warp.sync $a", "bar", 70),
    Row("barpopc.i32(m0:ri, p)", "bar.red.popc.u32 $d, $m0, $p", "bar"),
    Row("barand.p(m0:ri, p)", "bar.red.and.pred $d, $m0, $p", "bar"),
    Row("baror.p(m0:ri, p)", "bar.red.or.pred $d, $m0, $p", "bar"),
    Row("clusterarrive.", "barrier.cluster.arrive.aligned", "bar", 90),
    Row("clusterwait.", "barrier.cluster.wait.aligned", "bar", 90),
    Row("nanosleep.i32(a:ri)", "nanosleep.u32 $a", "bar", 70),
    # register to register, and constants
    Row("mov.i32(a:ri)", "mov.b32 $d, $a", "mov"),
    Row("mov.i64(a:ri)", "mov.b64 $d, $a", "mov64"),
    Row("mov.f32(a:ri)", "mov.f32 $d, $a", "mov"),
    Row("mov.f64(a:ri)", "mov.f64 $d, $a", "mov64"),
    Row("mov.f16(a:ri)", "mov.b16 $d, $a", "mov"),
    Row("mov.bf16(a:ri)", "mov.b16 $d, $a", "mov"),
    Row("mov.h(a:ri)", "mov.b16 $d, $a", "mov"),
    Row("mov.p(a)", "mov.pred $d, $a", "mov"),
    Row("movimm.p(a:i)", "mov.pred $d, $a", "mov"),
    Row("movsym.i32(a:sym)", "mov.u32 $d, $a", "mov"),
    Row("movsym.i64(a:sym)", "mov.u64 $d, $a", "mov64"),
]

ICMP = {"eq": ("eq", "s"), "ne": ("ne", "s"), "slt": ("lt", "s"), "sle": ("le", "s"), "sgt": ("gt", "s")} | {
    "sge": ("ge", "s"),
    "ult": ("lt", "u"),
    "ule": ("le", "u"),
    "ugt": ("gt", "u"),
    "uge": ("ge", "u"),
}
for _t, _w, _cost in (("i32", "32", "setp"), ("i64", "64", "setp64")):
    for _p, (_cc, _s) in ICMP.items():
        ROWS.append(Row(f"icmp.{_p}.{_t}(a:ri, b:ri)", f"setp.{_cc}.{_s}{_w} $d, $a, $b", _cost))
    ROWS.append(Row(f"select.{_t}(p, a:ri, b:ri)", f"selp.b{_w} $d, $a, $b, $p", "sel" if _t == "i32" else "alu2"))

# A comparison combined with a predicate: setp writes cmp AND/OR/XOR p.
for _op in ("and", "or", "xor"):
    for _t, _cost in (("i32", "setp"), ("i64", "setp64"), ("f32", "setp"), ("f64", "fp64")):
        _cmp = "icmp" if _t[0] == "i" else "fcmp"
        _z = "{z}" if _t == "f32" else ""
        ROWS.append(
            Row(f"{_op}.p({_cmp}.*.{_t}(a:ri, b:ri), q:n)", f"setp.{{cc}}.{_op}{_z}.{{ty}} $d, $a, $b, $q", _cost)
        )
