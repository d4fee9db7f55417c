"""Memory: loads and stores by state space, width and vector length; atomics, reductions, fences, copies, textures."""

from __future__ import annotations

from minicc.isel.patterns import Row

_SPACES = {"gen": "", "global": ".global", "shared": ".shared", "local": ".local", "const": ".const", "param": ".param"}
_LOAD = {"shared": "lds", "const": "ldc", "param": "ldc"}
_PARTS = {2: ("$d0, $d1", "a, b", "$a, $b"), 4: ("$d0, $d1, $d2, $d3", "a, b, c, e", "$a, $b, $c, $e")}

ROWS: list[Row] = []
for _s, _dot in _SPACES.items():
    _l = _LOAD.get(_s, "ldg")
    _store = "sts" if _s == "shared" else "stg"
    for _m in ("narrow", "m32", "m64"):
        ROWS.append(Row(f"ld.{_s}.{{{_m}}}(p:m)", f"ld{_dot}.{{{_m}}} $d, [$p]", _l))
        if _s != "const":
            ROWS.append(Row(f"st.{_s}.{{{_m}}}(p:m, a)", f"st{_dot}.{{{_m}}} [$p], $a", _store))
    for _n, (_to, _names, _from) in _PARTS.items():
        _m = "mem" if _n == 2 else "mem4"
        ROWS.append(
            Row(f"ld{_n}.{_s}.{{{_m}}}(p:m)", f"ld{_dot}.v{_n}.{{{_m}}} {{{_to}}}, [$p]", _l if _l == "lds" else "ldg2")
        )
        if _s != "const":
            ROWS.append(
                Row(f"st{_n}.{_s}.{{{_m}}}(p:m, {_names})", f"st{_dot}.v{_n}.{{{_m}}} [$p], {{{_from}}}", _store)
            )

# A narrow load sign-extends for nothing.
ROWS += [
    Row("sext8.i32(ld.{data}.u8(p:m))", "ld{data}.s8 $d, [$p]", "ldg"),
    Row("sext16.i32(ld.{data}.u16(p:m))", "ld{data}.s16 $d, [$p]", "ldg"),
    Row("sext8.i32(ld.{abs}.u8(p:m))", "ld{abs}.s8 $d, [$p]", "ldc"),
    Row("sext16.i32(ld.{abs}.u16(p:m))", "ld{abs}.s16 $d, [$p]", "ldc"),
    Row("sext8.i32(ldnc.global.u8(p:m))", "ld.global.nc.s8 $d, [$p]", "ldnc", 35),
    Row("sext16.i32(ldnc.global.u16(p:m))", "ld.global.nc.s16 $d, [$p]", "ldnc", 35),
]

# Read-only data of the kernel's lifetime; data used once (nontemporal); both scalar and in vectors.
for _m in ("narrow", "m32", "m64"):
    ROWS.append(Row(f"ldnc.global.{{{_m}}}(p:m)", f"ld.global.nc.{{{_m}}} $d, [$p]", "ldnc", 35))
for _n, (_to, _names, _from) in _PARTS.items():
    _m = "mem" if _n == 2 else "mem4"
    ROWS += [
        Row(f"ldnc{_n}.global.{{{_m}}}(p:m)", f"ld.global.nc.v{_n}.{{{_m}}} {{{_to}}}, [$p]", "ldnc", 35),
        Row(f"ldcs{_n}.{{gs}}.{{{_m}}}(p:m)", f"ld{{gs}}.cs.v{_n}.{{{_m}}} {{{_to}}}, [$p]", "ldg2"),
        Row(f"stcs{_n}.{{gs}}.{{{_m}}}(p:m, {_names})", f"st{{gs}}.cs.v{_n}.{{{_m}}} [$p], {{{_from}}}", "stg"),
    ]
ROWS += [
    Row("ldcs.{gs}.{mem}(p:m)", "ld{gs}.cs.{mem} $d, [$p]", "ldg"),
    Row("stcs.{gs}.{mem}(p:m, a)", "st{gs}.cs.{mem} [$p], $a", "stg"),
    Row("ldu.global.{mem}(p:m)", "ldu.global.{mem} $d, [$p]", "ldnc"),
]
# 256 bits at once, from sm_100 on.
ROWS += [
    Row("{ldg}8.global.{m32}(p:m)", "ld.global{ldg}.v8.{m32} {$d*8}, [$p]", "ldg4", 100),
    Row("{ldg}4.global.{m64}(p:m)", "ld.global{ldg}.v4.{m64} {$d*4}, [$p]", "ldg4", 100),
    Row("st8.global.{m32}(p:m, a*8)", "st.global.v8.{m32} [$p], {$a*8}", "stg", 100),
    Row("st4.global.{m64}(p:m, a*4)", "st.global.v4.{m64} [$p], {$a*4}", "stg", 100),
]

# Volatile and ordered accesses, one scalar at a time; {sem} and {scope} come from the instruction.
ROWS += [
    Row("ldvol.{gs}.{mem}(p:m)", "ld.volatile{gs}.{mem} $d, [$p]", "ldg"),
    Row("stvol.{gs}.{mem}(p:m, a)", "st.volatile{gs}.{mem} [$p], $a", "stg"),
    Row("ldord.{gs}.{mem}(p:m)", "ld.{sem}.{scope}{gs}.{mem} $d, [$p]", "ldg", 70),
    Row("stord.{gs}.{mem}(p:m, a)", "st.{sem}.{scope}{gs}.{mem} [$p], $a", "stg", 70),
]

# Atomics: (operation, operand class, type of the node, of the instruction, first SM). red: the old value is not used.
_ATOMICS = [
    ("add", "ri", "i32", "add.u32", 20),
    ("add", "ri", "i64", "add.u64", 20),
    ("{mm}", "ri", "i32", "{mm.0}.{mm.1}32", 20),
    ("{mm}", "ri", "i64", "{mm.0}.{mm.1}64", 35),
    ("{lop}", "ri", "i32", "{lop}.b32", 20),
    ("{lop}", "ri", "i64", "{lop}.b64", 35),
    ("{incdec}", "ri", "i32", "{incdec}.u32", 20),
    ("fadd", "ri", "f32", "add.f32", 20),
    ("fadd", "ri", "f64", "add.f64", 60),
    ("fadd", "r", "f16", "add.noftz.f16", 70),
    ("fadd", "r", "f16x2", "add.noftz.f16x2", 60),
    ("fadd", "r", "{bx}", "add.noftz.{bx}", 90),
]
for _op, _c, _k, _name, _sm in _ATOMICS:
    _mod = "{sem}.{scope}{atom}."
    ROWS += [
        Row(f"atom.{_op}.{{atom}}.{_k}(p:m, a:{_c})", f"atom.{_mod}{_name} $d, [$p], $a", "{atom.1}", _sm),
        Row(f"red.{_op}.{{atom}}.{_k}(p:m, a:{_c})", f"red.{_mod}{_name} [$p], $a", "red", _sm),
    ]
ROWS += [
    Row("atom.exch.{atom}.{word}(p:m, a:ri)", "atom.{sem}.{scope}{atom}.exch.{word} $d, [$p], $a", "{atom.1}"),
    Row("atom.cas.{atom}.{word}(p:m, a:ri, b:ri)", "atom.{sem}.{scope}{atom}.cas.{word} $d, [$p], $a, $b", "{atom.1}"),
    Row(
        "atom.cas.{atom}.i16(p:m, a, b)",
        "cvt.u16.u32 $t1.h, $a; cvt.u16.u32 $t2.h, $b;"
        " atom.{sem}.{scope}{atom}.cas.b16 $t3.h, [$p], $t1.h, $t2.h; cvt.u32.u16 $d, $t3.h",
        "{atom.1}",
        70,
    ),
    Row(
        "atom.cas.{atom}.i128(p:m, a*2, b*2)",
        "mov.b128 $t1.i128, {$a0, $a1}; mov.b128 $t2.i128, {$b0, $b1};"
        " atom.{sem}.{scope}{atom}.cas.b128 $t3.i128, [$p], $t1.i128, $t2.i128; mov.b128 {$d0, $d1}, $t3.i128",
        "{atom.1}",
        90,
    ),
    Row(
        "atom.exch.{atom}.i128(p:m, a*2)",
        "mov.b128 $t1.i128, {$a0, $a1};"
        " atom.{sem}.{scope}{atom}.exch.b128 $t3.i128, [$p], $t1.i128; mov.b128 {$d0, $d1}, $t3.i128",
        "{atom.1}",
        90,
    ),
]

ROWS += [
    Row("fence{sc}.{scope3}", "fence.{sc}.{scope3}", "fence", 70),
    Row("fence{sc}.cluster", "fence.{sc}.cluster", "fence", 90),
    Row("membar.{level}", "membar.{level}", "fence"),
    Row("fenceproxy.{proxy}", "fence.proxy.{proxy}", "fence", 90),
    Row("fencembarinit.", "fence.mbarrier_init.release.cluster", "fence", 90),
]

# Asynchronous copies to shared memory.
ROWS += [
    Row("cpasync.ca.{size}(p:m, q:m)", "cp.async.ca.shared.global [$p], [$q], {size}", "async", 80),
    Row("cpasync.cg.16(p:m, q:m)", "cp.async.cg.shared.global [$p], [$q], 16", "async", 80),
    Row("cpasync.ca.{size}.s(p:m, q:m, a:ri)", "cp.async.ca.shared.global [$p], [$q], {size}, $a", "async", 80),
    Row("cpasync.cg.16.s(p:m, q:m, a:ri)", "cp.async.cg.shared.global [$p], [$q], 16, $a", "async", 80),
    Row("cpcommit.", "cp.async.commit_group", "async", 80),
    Row("cpwait.(a:i)", "cp.async.wait_group $a", "async", 80),
    Row("cpwaitall.", "cp.async.wait_all", "async", 80),
    Row("bulkcommit.", "cp.async.bulk.commit_group", "tma", 90),
    Row("bulkwait{read}.(a:i)", "cp.async.bulk.wait_group{read} $a", "tma", 90),
    Row(
        "bulk.g2s(p:m, q:m, a:ri, b:m)",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$p], [$q], $a, [$b]",
        "tma",
        90,
    ),
    Row("bulk.s2g(p:m, q:m, a:ri)", "cp.async.bulk.global.shared::cta.bulk_group [$p], [$q], $a", "tma", 90),
    Row(
        "bulk.s2c(p:m, q:m, a:ri, b:m)",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$p], [$q], $a, [$b]",
        "tma",
        90,
    ),
    Row("bulk.prefetch(p:m, a:ri)", "cp.async.bulk.prefetch.L2.global [$p], $a", "tma", 90),
    Row("prefetch.{pspace}{level2}(p:m)", "prefetch{pspace}{level2} [$p]", "ldg"),
    Row("prefetchu.(p:m)", "prefetchu.L1 [$p]", "ldg"),
    Row("prefetchl2.{evict}(p:m)", "prefetch.global.L2::{evict} [$p]", "ldg", 80),
    Row("discard{pglobal}.(p:m, =128)", "discard{pglobal}.L2 [$p], 128", "ldg", 80),
    Row("applypriority{pglobal}.(p:m, =128)", "applypriority{pglobal}.L2::evict_normal [$p], 128", "ldg", 80),
]

# Textures: (geometry, coordinates); handles are 64 bits. Coordinates of arrays begin with the index.
_GEOMETRIES = [("1d", 1, 0), ("2d", 2, 0), ("3d", 3, 0), ("1d.array", 1, 1), ("2d.array", 2, 1)]
for _g, _n, _array in _GEOMETRIES:
    _ptx = _g if not _array else "a" + _g[:2]
    _count = {1: 1, 2: 2, 3: 4}[_n + _array]
    _at = (["$i"] if _array else []) + [f"$a{_i}" for _i in range(_n)]
    _at += [_at[-1]] * (_count - len(_at))
    _leaf = ("i, " if _array else "") + f"a*{_n}"
    ROWS += [
        Row(
            f"tex.unified.{_g}.{{vt}}.{{ct}}(t, {_leaf})",
            f"tex.{_ptx}.{{vt}}.{{ct}} {{$d*4}}, [$t, {{{', '.join(_at)}}}]",
            "tex",
        ),
        Row(
            f"tex.unified.{_g}.level.{{vt}}.f32(t, {_leaf}, l)",
            f"tex.level.{_ptx}.{{vt}}.f32 {{$d*4}}, [$t, {{{', '.join(_at)}}}], $l",
            "tex",
        ),
    ]
for _g, _n, _array in _GEOMETRIES[:3]:
    _count = {1: 1, 2: 2, 3: 4}[_n]
    _at = [f"$a{_i}" for _i in range(_n)]
    _at += [_at[-1]] * (_count - len(_at))
    _list = f"{{{', '.join(_at)}}}"
    ROWS += [
        Row(f"suld.{_g}.i32.{{oob}}(t, a*{_n})", f"suld.b.{_g}.b32.{{oob}} {{$d0}}, [$t, {_list}]", "surf"),
        Row(f"sust.b.{_g}.i32.{{oob}}(t, a*{_n}, v)", f"sust.b.{_g}.b32.{{oob}} [$t, {_list}], {{$v}}", "surf"),
    ]
ROWS.append(Row("suq.{query}(t)", "suq.{query}.b32 $d, [$t]", "surf"))
