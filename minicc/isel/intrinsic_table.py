"""Intrinsics that are one node: data for `minicc.isel.intrinsics`.

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
    "minimum": "fminnan",
    "maximum": "fmaxnan",
    "exp2": "fex2",
    "log2": "flg2",
    "sin": "fsin",
    "cos": "fcos",
}

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
    "barrier0": ("barsync.", True),
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
    "barrier.cluster.arrive.aligned": ("clusterarrive.", True),
    "barrier.cluster.wait.aligned": ("clusterwait.", True),
    "barrier.cluster.arrive": ("clusterarrive.", True),
    "barrier.cluster.wait": ("clusterwait.", True),
    "membar.cta": ("membar.cta", True),
    "membar.gl": ("membar.gl", True),
    "membar.sys": ("membar.sys", True),
    "fence.sc.cluster": ("fencesc.cluster", True),
    "nanosleep": ("nanosleep.i32", True),
    "exit": ("exit.", True),
    "activemask": ("activemask.i32", True),
    "vote.all.sync": ("voteall.p", True),
    "vote.any.sync": ("voteany.p", True),
    "vote.uni.sync": ("voteuni.p", True),
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
    "idp4a.s.s": ("dp4ass.i32", False),
    "idp4a.u.u": ("dp4auu.i32", False),
    "idp4a.u.s": ("dp4aus.i32", False),
    "idp4a.s.u": ("dp4asu.i32", False),
    "saturate.f": ("fsat.f32", False),
    "saturate.ftz.f": ("fsatftz.f32", False),
    "sqrt.f": ("fsqrt.f32", False),
    "sqrt.approx.f": ("fsqrtapprox.f32", False),
    "sqrt.approx.ftz.f": ("fsqrtapproxftz.f32", False),
    "rsqrt.approx.f": ("frsqrt.f32", False),
    "rsqrt.approx.ftz.f": ("frsqrtftz.f32", False),
    "rsqrt.approx.d": ("frsqrt.f64", False),
    "rsqrt.approx.ftz.d": ("frsqrtftz.f64", False),
    "rcp.approx.f": ("frcpapprox.f32", False),
    "rcp.approx.ftz.f": ("frcpapproxftz.f32", False),
    "rcp.approx.ftz.d": ("frcpapproxftz.f64", False),
    "ex2.approx.f": ("fex2.f32", False),
    "ex2.approx.ftz.f": ("fex2ftz.f32", False),
    "ex2.approx.f32": ("fex2.f32", False),
    "ex2.approx.ftz.f32": ("fex2ftz.f32", False),
    "ex2.approx.f16": ("fex2.f16", False),
    "ex2.approx": ("fex2.f32", False),
    "ex2.approx.ftz": ("fex2ftz.f32", False),
    "lg2.approx.f": ("flg2.f32", False),
    "lg2.approx.ftz.f": ("flg2ftz.f32", False),
    "sin.approx.f": ("fsin.f32", False),
    "sin.approx.ftz.f": ("fsinftz.f32", False),
    "cos.approx.f": ("fcos.f32", False),
    "cos.approx.ftz.f": ("fcosftz.f32", False),
    "tanh.approx.f": ("ftanh.f32", False),
    "tanh.approx.f32": ("ftanh.f32", False),
    "div.approx.f": ("fdivapprox.f32", False),
    "div.approx.ftz.f": ("fdivapproxftz.f32", False),
    "div.full": ("fdivfull.f32", False),
    "div.full.ftz": ("fdivfullftz.f32", False),
    "fmin.f": ("fmin.f32", False),
    "fmax.f": ("fmax.f32", False),
    "fmin.ftz.f": ("fminftz.f32", False),
    "fmax.ftz.f": ("fmaxftz.f32", False),
    "fmin.d": ("fmin.f64", False),
    "fmax.d": ("fmax.f64", False),
    "fmin.nan.f": ("fminnan.f32", False),
    "fmax.nan.f": ("fmaxnan.f32", False),
    "fabs": ("fabs.f32", False),
    "fabs.f": ("fabs.f32", False),
    "fabs.ftz": ("fabsftz.f32", False),
    "fabs.ftz.f": ("fabsftz.f32", False),
    "fabs.d": ("fabs.f64", False),
    "bitcast.f2i": ("bitcast.i32.f32", False),
    "bitcast.i2f": ("bitcast.f32.i32", False),
    "bitcast.d2ll": ("bitcast.i64.f64", False),
    "bitcast.ll2d": ("bitcast.f64.i64", False),
    "d2i.lo": ("dlo.i32", False),
    "d2i.hi": ("dhi.i32", False),
    "lohi.i2d": ("lohi.f64", False),
    "cp.async.ca.shared.global.4": ("cpasync.ca4", True),
    "cp.async.ca.shared.global.8": ("cpasync.ca8", True),
    "cp.async.ca.shared.global.16": ("cpasync.ca16", True),
    "cp.async.cg.shared.global.16": ("cpasync.cg16", True),
    "cp.async.commit.group": ("cpcommit.", True),
    "cp.async.wait.group": ("cpwait.", True),
    "cp.async.wait.all": ("cpwaitall.", True),
    "barrier.cta.red.popc.aligned.all": ("barpopc.i32", True),
    "barrier.cta.red.and.aligned.all": ("barand.p", True),
    "barrier.cta.red.or.aligned.all": ("baror.p", True),
}
for _mode in ("idx", "up", "down", "bfly"):
    for _t, _k in (("i32", "i32"), ("f32", "f32")):
        NVVM[f"shfl.sync.{_mode}.{_t}"] = (f"shflsync{_mode}.{_k}", True)
        NVVM[f"shfl.sync.{_mode}.{_t}p"] = (f"shflsyncp{_mode}.{_k}", True)
for _op in ("add", "min", "max", "umin", "umax", "and", "or", "xor"):
    NVVM[f"redux.sync.{_op}"] = (f"redux{_op}.i32", True)

_SUFFIX = {"f32": "f", "f64": "d"}
for _r in ("rn", "rz", "rm", "rp"):
    for _f in ("", "ftz"):
        _dot = ".ftz" if _f else ""
        for _op in ("fma", "add", "mul", "div", "rcp", "sqrt"):
            _head = _op if _op == "fma" else f"f{_op}"
            NVVM[f"{_op}.{_r}{_dot}.f"] = (f"{_head}{_r}{_f}.f32", False)
            if not _f:
                NVVM[f"{_op}.{_r}.d"] = (f"{_head}{_r}.f64", False)
        _cvt = {"rz": "fpto"}
        for _n, _kind, _s in (("i", "i32", "s"), ("ui", "i32", "u"), ("ll", "i64", "s"), ("ull", "i64", "u")):
            _signed = "si" if _s == "s" else "ui"
            for _from, _type in (("f", "f32"), ("d", "f64")):
                if _from == "d" and _f:
                    continue
                _to = f"fpto{_signed}.{_kind}.{_type}" if _r == "rz" else f"f2{_s}{_r}.{_kind}.{_type}"
                NVVM[f"{_from}2{_n}.{_r}{_dot}"] = (_to, False)
                if not _f:
                    _back = f"{_signed}tofp.{_type}.{_kind}" if _r == "rn" else f"{_s}2f{_r}.{_type}.{_kind}"
                    NVVM[f"{_n}2{_from}.{_r}"] = (_back, False)
        NVVM[f"d2f.{_r}{_dot}"] = ("fptrunc.f32.f64" if _r == "rn" else f"d2f{_r}.f32.f64", False)
for _op in ("floor", "ceil", "trunc", "round"):
    _head = {"round": "frint"}.get(_op, f"f{_op}")
    NVVM[f"{_op}.f"] = (f"{_head}.f32", False)
    NVVM[f"{_op}.ftz.f"] = (f"{_head}ftz.f32", False)
    NVVM[f"{_op}.d"] = (f"{_head}.f64", False)
