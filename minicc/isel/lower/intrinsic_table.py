"""Intrinsics that are one node: data for `minicc.isel.lower.intrinsics`.

NVVM maps the name after "llvm.nvvm." to (node op, whether it has an effect or must stay in order).
"""

from __future__ import annotations

IGNORED = frozenset(
    [
        "lifetime.start",
        "lifetime.end",
        "assume",
        "expect",
        "expect.with.probability",
        "dbg.value",
        "dbg.declare",
        "dbg.label",
        "dbg.assign",
        "annotation",
        "var.annotation",
        "ptr.annotation",
        "invariant.start",
        "invariant.end",
        "launder.invariant.group",
        "strip.invariant.group",
        "sideeffect",
        "experimental.noalias.scope.decl",
        "donothing",
        "fake.use",
        "prefetch",
        "is.constant",
        "ssa.copy",
        "arithmetic.fence",
        "pseudoprobe",
        "threadlocal.address",
        "experimental.convergence.entry",
        "experimental.convergence.anchor",
        "experimental.convergence.loop",
        "codeview.annotation",
    ]
)
"""No code; those with a result return their first operand."""

OVERLOADED = {
    "fabs": "fabs",
    "floor": "ffloor",
    "ceil": "fceil",
    "trunc": "ftrunc",
    "rint": "frint",
    "nearbyint": "frint",
    "roundeven": "frint",
    "minnum": "fmin",
    "maxnum": "fmax",
    "minimumnum": "fmin",
    "maximumnum": "fmax",
    "exp2": "fex2",
    "log2": "flg2",
    "sin": "fsin",
    "tanh": "ftanh",
    "cos": "fcos",
}

EXTREMES = {"minimum": "fminnan", "maximum": "fmaxnan"}
"""NaN if one operand is."""

SREG_BITS = {
    "tid.x": 10,
    "tid.y": 10,
    "tid.z": 6,
    "ntid.x": 11,
    "ntid.y": 11,
    "ntid.z": 7,
    "ctaid.x": 31,
    "ctaid.y": 16,
    "ctaid.z": 16,
    "nctaid.x": 31,
    "nctaid.y": 16,
    "nctaid.z": 16,
    "laneid": 5,
    "warpsize": 6,
    "warpid": 6,
    "nwarpid": 6,
}
"""Special registers are below 2**n: limits of the CUDA programming model (compute capability 3.0 and later)."""

NVVM: dict[str, tuple[str, bool]] = {
    "barrier.cta.sync.aligned.all": ("barsync.i32", True),
    "barrier.cta.sync.aligned.count": ("barcount.i32", True),
    "barrier.cta.arrive.aligned.count": ("bararrive.i32", True),
    "barrier.cta.sync.all": ("barrier.i32", True),
    "barrier.cta.sync.count": ("barriercount.i32", True),
    "barrier.n": ("barsync.i32", True),
    "barrier": ("barcount.i32", True),
    "barrier.sync": ("barrier.i32", True),
    "barrier.sync.cnt": ("barriercount.i32", True),
    "bar.sync": ("barsync.i32", True),
    "bar.warp.sync": ("barwarp.i32", True),
    "barrier.cluster.arrive.aligned": ("clusterarrive.aligned.", True),
    "barrier.cluster.wait.aligned": ("clusterwait.aligned.", True),
    "barrier.cluster.arrive": ("clusterarrive.", True),
    "barrier.cluster.wait": ("clusterwait.", True),
    "membar.cta": ("membar.cta", True),
    "membar.gl": ("membar.gl", True),
    "membar.sys": ("membar.sys", True),
    "fence.sc.cluster": ("fencesc.cluster", True),
    "nanosleep": ("nanosleep.i32", True),
    "exit": ("exit.", True),
    "activemask": ("activemask.i32", True),
    "vote.all.sync": ("vote.all.p", True),
    "vote.any.sync": ("vote.any.p", True),
    "vote.uni.sync": ("vote.uni.p", True),
    "vote.ballot.sync": ("ballot.i32", True),
    "match.any.sync.i32": ("matchany.i32", True),
    "match.any.sync.i64": ("matchany.i64", True),
    "match.all.sync.i32p": ("matchall.i32", True),
    "match.all.sync.i64p": ("matchall.i64", True),
    "prmt": ("prmt.i32", False),
    "sad.i": ("sads.i32", False),
    "sad.ui": ("sadu.i32", False),
    "mul24.i": ("mul24.i32", False),
    "mul24.ui": ("umul24.i32", False),
    "mulhi.i": ("mulhis.i32", False),
    "mulhi.ui": ("mulhiu.i32", False),
    "mulhi.ll": ("mulhis.i64", False),
    "mulhi.ull": ("mulhiu.i64", False),
    "brev32": ("brev.i32", False),
    "brev64": ("brev.i64", False),
    "popc.i": ("popc.i32", False),
    "popc.ll": ("popc.i64", False),
    "clz.i": ("clz.i32", False),
    "clz.ll": ("clz.i64", False),
    "fns": ("fns.i32", False),
    "fshl.clamp.i32": ("shflc.i32", False),
    "fshr.clamp.i32": ("shfrc.i32", False),
    "idp4a.s.s": ("dp4a.ss.i32", False),
    "idp4a.u.u": ("dp4a.uu.i32", False),
    "idp4a.u.s": ("dp4a.us.i32", False),
    "idp4a.s.u": ("dp4a.su.i32", False),
    "saturate.f": ("fsat.f32", False),
    "saturate.ftz.f": ("fsat.ftz.f32", False),
    "saturate.d": ("fsat.f64", False),
    "sqrt.f": ("fsqrt.f32", False),
    "sqrt.approx.f": ("fsqrtapprox.f32", False),
    "sqrt.approx.ftz.f": ("fsqrtapprox.ftz.f32", False),
    "rsqrt.approx.f": ("frsqrt.f32", False),
    "rsqrt.approx.ftz.f": ("frsqrt.ftz.f32", False),
    "rsqrt.approx.d": ("frsqrt.f64", False),
    "rsqrt.approx.ftz.d": ("frsqrt.ftz.f64", False),
    "rcp.approx.f": ("frcpapprox.f32", False),
    "rcp.approx.ftz.f": ("frcpapprox.ftz.f32", False),
    "rcp.approx.ftz.d": ("frcpapprox.ftz.f64", False),
    "ex2.approx.f": ("fex2.f32", False),
    "ex2.approx.ftz.f": ("fex2.ftz.f32", False),
    "ex2.approx.f32": ("fex2.f32", False),
    "ex2.approx.ftz.f32": ("fex2.ftz.f32", False),
    "ex2.approx.f16": ("fex2.f16", False),
    "ex2.approx": ("fex2.f32", False),
    "ex2.approx.ftz": ("fex2.ftz.f32", False),
    "lg2.approx.f": ("flg2.f32", False),
    "lg2.approx.ftz.f": ("flg2.ftz.f32", False),
    "sin.approx.f": ("fsin.f32", False),
    "sin.approx.ftz.f": ("fsin.ftz.f32", False),
    "cos.approx.f": ("fcos.f32", False),
    "cos.approx.ftz.f": ("fcos.ftz.f32", False),
    "tanh.approx.f": ("ftanh.f32", False),
    "tanh.approx.f32": ("ftanh.f32", False),
    "div.approx.f": ("fdivapprox.f32", False),
    "div.approx.ftz.f": ("fdivapprox.ftz.f32", False),
    "div.full": ("fdivfull.f32", False),
    "div.full.ftz": ("fdivfull.ftz.f32", False),
    "fmin.f": ("fmin.f32", False),
    "fmax.f": ("fmax.f32", False),
    "fmin.ftz.f": ("fmin.ftz.f32", False),
    "fmax.ftz.f": ("fmax.ftz.f32", False),
    "fmin.d": ("fmin.f64", False),
    "fmax.d": ("fmax.f64", False),
    "fmin.nan.f": ("fminnan.f32", False),
    "fmax.nan.f": ("fmaxnan.f32", False),
    "fabs": ("fabs.f32", False),
    "fabs.f": ("fabs.f32", False),
    "fabs.ftz": ("fabs.ftz.f32", False),
    "fabs.ftz.f": ("fabs.ftz.f32", False),
    "fabs.d": ("fabs.f64", False),
    "bitcast.f2i": ("bitcast.i32.f32", False),
    "bitcast.i2f": ("bitcast.f32.i32", False),
    "bitcast.d2ll": ("bitcast.i64.f64", False),
    "bitcast.ll2d": ("bitcast.f64.i64", False),
    "d2i.lo": ("dlo.i32", False),
    "d2i.hi": ("dhi.i32", False),
    "lohi.i2d": ("lohi.f64", False),
    "cp.async.ca.shared.global.4": ("cpasync.ca.4", True),
    "cp.async.ca.shared.global.8": ("cpasync.ca.8", True),
    "cp.async.ca.shared.global.16": ("cpasync.ca.16", True),
    "cp.async.cg.shared.global.16": ("cpasync.cg.16", True),
    "cp.async.commit.group": ("cpcommit.", True),
    "cp.async.wait.group": ("cpwait.", True),
    "cp.async.wait.all": ("cpwaitall.", True),
    "barrier.cta.red.popc.aligned.all": ("barred.popc.i32", True),
    "barrier.cta.red.and.aligned.all": ("barred.and.p", True),
    "barrier.cta.red.or.aligned.all": ("barred.or.p", True),
}
for _mode in ("idx", "up", "down", "bfly"):
    for _t in ("i32", "f32"):
        NVVM[f"shfl.sync.{_mode}.{_t}"] = (f"shflsync.{_mode}.{_t}", True)
        NVVM[f"shfl.sync.{_mode}.{_t}p"] = (f"shflsyncp.{_mode}.{_t}", True)
for _op in ("add", "min", "max", "umin", "umax", "and", "or", "xor"):
    NVVM[f"redux.sync.{_op}"] = (f"redux.{_op}.i32", True)
for _op in ("fmin", "fmax"):
    for _s in ("", ".abs", ".NaN", ".abs.NaN"):
        NVVM[f"redux.sync.{_op}{_s}"] = (f"redux.{_op}{_s}.f32", True)

for _r in ("rn", "rz", "rm", "rp"):
    for _f in ("", ".ftz"):
        for _op in ("fma", "add", "mul", "div", "rcp", "sqrt"):
            _head = _op if _op == "fma" else f"f{_op}"
            NVVM[f"{_op}.{_r}{_f}.f"] = (f"{_head}.{_r}{_f}.f32", False)
            if _op in ("fma", "add"):
                NVVM[f"{_op}.{_r}{_f}.sat.f"] = (f"{_head}.{_r}{_f}.sat.f32", False)
            if not _f:
                NVVM[f"{_op}.{_r}.d"] = (f"{_head}.{_r}.f64", False)
        for _n, _kind, _s in (("i", "i32", "s"), ("ui", "i32", "u"), ("ll", "i64", "s"), ("ull", "i64", "u")):
            _signed = "si" if _s == "s" else "ui"
            for _from, _type in (("f", "f32"), ("d", "f64")):
                if _from == "d" and _f:
                    continue
                _to = (
                    f"fpto{_signed}.{_kind}.{_type}" if _r == "rz" and not _f else f"f2i.{_s}.{_r}{_f}.{_kind}.{_type}"
                )
                NVVM[f"{_from}2{_n}.{_r}{_f}"] = (_to, False)
                if not _f:
                    _exact = _r == "rn" or (_type, _kind) == ("f64", "i32")
                    _back = f"{_signed}tofp.{_type}.{_kind}" if _exact else f"i2f.{_s}.{_r}.{_type}.{_kind}"
                    NVVM[f"{_n}2{_from}.{_r}"] = (_back, False)
        NVVM[f"d2f.{_r}{_f}"] = ("fptrunc.f32.f64" if _r == "rn" and not _f else f"d2f.{_r}{_f}.f32.f64", False)
for _op in ("floor", "ceil", "trunc", "round"):
    _head = {"round": "frint"}.get(_op, f"f{_op}")
    NVVM[f"{_op}.f"] = (f"{_head}.f32", False)
    NVVM[f"{_op}.ftz.f"] = (f"{_head}.ftz.f32", False)
    NVVM[f"{_op}.d"] = (f"{_head}.f64", False)

# Minima and maxima with modifiers; a packed pair is an i32.
for _op in ("fmin", "fmax"):
    for _f in ("", ".ftz"):
        for _n in ("", ".nan"):
            NVVM[f"{_op}{_f}{_n}.f"] = (f"{_op}{'nan' if _n else ''}{_f}.f32", False)
            NVVM[f"{_op}{_f}{_n}.xorsign.abs.f"] = (f"{_op}.m{_f}{_n}.f32", False)
            for _t in ("f16", "f16x2", "bf16", "bf16x2"):
                if _f and _t[0] == "b":
                    continue
                _plain = f"{_op}{'nan' if _n else ''}.{_t}"
                NVVM[f"{_op}{_f}{_n}.{_t}"] = (f"{_op}.m{_f}{_n}.{_t}" if _f else _plain, False)
                NVVM[f"{_op}{_f}{_n}.xorsign.abs.{_t}"] = (f"{_op}.m{_f}{_n}.xorsign.abs.{_t}", False)
for _t in ("f16", "f16x2", "bf16", "bf16x2"):
    for _m in ("", ".relu", ".ftz", ".ftz.relu", ".sat", ".ftz.sat"):
        NVVM[f"fma.rn{_m}.{_t}"] = (f"fma.rn{_m}.{_t}" if _m not in ("",) else f"fma.{_t}", False)
    NVVM[f"ex2.approx.{_t}"] = (f"fex2.{_t}", False)
    NVVM[f"ex2.approx.ftz.{_t}"] = (f"fex2.{_t}", False)
    NVVM[f"tanh.approx.{_t}"] = (f"ftanh.{_t}", False)
    NVVM[f"neg.{_t}"] = (f"fneg.{_t}", False)
    NVVM[f"fabs.{_t}"] = (f"fabs.{_t}", False)
for _h, _k in (("f16", "f16"), ("bf16", "bf16")):
    for _r in ("rn", "rz"):
        for _m in ("", ".relu"):
            NVVM[f"ff2{_h}x2.{_r}{_m}"] = (f"ff2h.{_r}{_m}.{_k}x2", False)
            NVVM[f"f2{_h}.{_r}{_m}"] = (f"f2h.{_r}{_m}.{_k}.f32", False)
            NVVM[f"f2tf32.{_r}{_m}"] = (f"f2tf32.{_r}{_m}.i32", False)
NVVM["f2tf32.rna"] = ("f2tf32.rna.i32", False)
for _m in ("", ".relu"):
    for _e in ("e4m3", "e5m2"):
        NVVM[f"ff.to.{_e}x2.rn{_m}"] = (f"ff2e.{_e}{_m}.h", False)
        NVVM[f"f16x2.to.{_e}x2.rn{_m}"] = (f"h2e.{_e}{_m}.h", False)
    for _e in ("e2m3", "e3m2"):
        NVVM[f"ff.to.{_e}x2.rn{_m}.satfinite"] = (f"ff2e.{_e}{_m}.h", False)
    for _e in ("e4m3", "e5m2", "e2m3", "e3m2"):
        NVVM[f"{_e}x2.to.f16x2.rn{_m}"] = (f"e2h.{_e}{_m}.i32", False)
for _r in ("rz", "rp"):
    for _m in ("", ".satfinite"):
        NVVM[f"ff.to.ue8m0x2.{_r}{_m}"] = (f"ff2ue.{_r}{_m}.h", False)
        NVVM[f"bf16x2.to.ue8m0x2.{_r}{_m}"] = (f"h2ue.{_r}{_m}.h", False)
NVVM["ue8m0x2.to.bf16x2"] = ("ue2h.i32", False)

# Bytes, fields, differences.
for _m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
    NVVM[f"prmt.{_m}"] = (f"prmt.{_m}.i32", False)
for _m in ("wrap", "clamp"):
    NVVM[f"bmsk.{_m}"] = (f"bmsk.{_m}.i32", False)
    NVVM[f"sext.{_m}"] = (f"szext.s.{_m}.i32", False)
    NVVM[f"zext.{_m}"] = (f"szext.u.{_m}.i32", False)
NVVM["sad.ll"] = ("sads.i64", False)
NVVM["sad.ull"] = ("sadu.i64", False)

# Barriers, by threads that need not be aligned and with their results.
NVVM["barrier.cta.arrive.count"] = ("barrierarrive.i32", True)
for _op in ("popc", "and", "or"):
    _k = "i32" if _op == "popc" else "p"
    for _a, _u in ((".aligned", ""), ("", ".unaligned")):
        NVVM[f"barrier.cta.red.{_op}{_a}.all"] = (f"barred{_u}.{_op}.{_k}", True)
        NVVM[f"barrier.cta.red.{_op}{_a}.count"] = (f"barred{_u}.{_op}.count.{_k}", True)
for _a in ("", ".aligned"):
    NVVM[f"barrier.cluster.arrive{_a}"] = (f"clusterarrive{_a}.", True)
    NVVM[f"barrier.cluster.arrive.relaxed{_a}"] = (f"clusterarrive.relaxed{_a}.", True)
    NVVM[f"barrier.cluster.wait{_a}"] = (f"clusterwait{_a}.", True)
NVVM["pm.event.mask"] = ("pmevent.", True)
NVVM["griddepcontrol.wait"] = ("griddep.wait", True)
NVVM["griddepcontrol.launch.dependents"] = ("griddep.launch.dependents", True)
NVVM["setmaxnreg.inc.sync.aligned.u32"] = ("setmaxnreg.inc", True)
NVVM["setmaxnreg.dec.sync.aligned.u32"] = ("setmaxnreg.dec", True)
NVVM["elect.sync"] = ("elect.", True)

# Barriers in memory.
for _s in ("", ".shared"):
    for _op in ("init", "inval", "test.wait"):
        NVVM[f"mbarrier.{_op}{_s}"] = (f"mbar.{_op}{_s}" + (".p" if _op == "test.wait" else ""), True)
    for _d in ("", ".drop"):
        NVVM[f"mbarrier.arrive{_d}{_s}"] = (f"mbar.arrive{_d}{_s}.i64", True)
        NVVM[f"mbarrier.arrive{_d}.noComplete{_s}"] = (f"mbar.arrive{_d}.noComplete{_s}.i64", True)
    for _n in ("", ".noinc"):
        NVVM[f"cp.async.mbarrier.arrive{_n}{_s}"] = (f"mbar.copies{_n}{_s}", True)
NVVM["mbarrier.pending.count"] = ("mbar.pending.count.i32", False)
for _c in ("cta", "cluster"):
    for _x in ("", ".relaxed"):
        for _d in ("", ".drop"):
            for _e in ("", ".expect.tx"):
                _name = f"arrive{_d}{_e}{_x}.scope.{_c}.space"
                NVVM[f"mbarrier.{_name}.cta"] = (f"mbar.{_name}.cta.i64", True)
                NVVM[f"mbarrier.{_name}.cluster"] = (f"mbar.{_name}.cluster", True)
        for _w in ("test.wait", "test.wait.parity", "try.wait", "try.wait.parity", "try.wait.tl", "try.wait.parity.tl"):
            NVVM[f"mbarrier.{_w}{_x}.scope.{_c}.space.cta"] = (f"mbar.{_w}{_x}.scope.{_c}.space.cta.p", True)
    for _op in ("expect.tx", "complete.tx"):
        for _y in ("cta", "cluster"):
            NVVM[f"mbarrier.{_op}.scope.{_c}.space.{_y}"] = (f"mbar.{_op}.scope.{_c}.space.{_y}", True)

# Copies and hints.
for _n in ("4", "8", "16"):
    NVVM[f"cp.async.ca.shared.global.{_n}.s"] = (f"cpasync.ca.{_n}.s", True)
NVVM["cp.async.cg.shared.global.16.s"] = ("cpasync.cg.16.s", True)
NVVM["cp.async.bulk.commit.group"] = ("bulkcommit.", True)
NVVM["cp.async.bulk.wait.group"] = ("bulkwait.", True)
NVVM["cp.async.bulk.wait.group.read"] = ("bulkwait.read.", True)
for _s, _k in (("", "gen"), (".global", "global"), (".local", "local")):
    for _l in ("L1", "L2"):
        NVVM[f"prefetch{_s}.{_l}"] = (f"prefetch.{_k}.{_l}", True)
NVVM["prefetchu.L1"] = ("prefetchu.", True)
NVVM["prefetch.global.L2.evict.last"] = ("prefetchl2.evict.last", True)
NVVM["prefetch.global.L2.evict.normal"] = ("prefetchl2.evict.normal", True)
for _s in ("", ".global"):
    NVVM[f"discard{_s}.L2"] = (f"discard{_s}.", True)
    NVVM[f"applypriority{_s}.L2.evict.normal"] = (f"applypriority{_s}.", True)
for _p, _q in (("alias", "alias"), ("async", "async"), ("async.global", "async.global"),
               ("async.shared_cta", "async.shared_cta"), ("async.shared_cluster", "async.shared_cluster")):  # fmt: skip
    NVVM[f"fence.proxy.{_p}"] = (f"fenceproxy.{_q}", True)
NVVM["fence.mbarrier_init.release.cluster"] = ("fencembarinit.", True)
NVVM["mapa"] = ("mapa.i64", False)
NVVM["mapa.shared.cluster"] = ("mapa.i32", False)
NVVM["getctarank"] = ("getctarank.i32.i64", False)
NVVM["getctarank.shared.cluster"] = ("getctarank.i32.i32", False)
for _s, _m in (("async.shared", ""), ("async.multicast.shared", ".multicast")):
    NVVM[f"clusterlaunchcontrol.try_cancel.{_s}"] = (f"clc.try{_m}", True)
