"""Memory: loads and stores by state space, width and vector length; atomics, reductions, fences."""

from __future__ import annotations

from minicc.isel.patterns import Row

# memory type of a node -> (PTX type of a load, of a store)
_TYPES = {
    "u8": "u8",
    "u16": "u16",
    "i32": "u32",
    "i64": "u64",
    "f16": "b16",
    "bf16": "b16",
    "f32": "f32",
    "f64": "f64",
}
_SPACES = {"gen": "", "global": ".global", "shared": ".shared", "local": ".local", "const": ".const", "param": ".param"}
_SIZE = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}
_LOAD = {"shared": "lds", "const": "ldc", "param": "ldc"}

ROWS: list[Row] = []
for _s, _dot in _SPACES.items():
    for _k, _t in _TYPES.items():
        _l = _LOAD.get(_s, "ldg")
        ROWS.append(Row(f"ld.{_s}.{_k}(p:m)", f"ld{_dot}.{_t} $d, [$p]", _l))
        if _s != "const":
            ROWS.append(Row(f"st.{_s}.{_k}(p:m, a)", f"st{_dot}.{_t} [$p], $a", "sts" if _s == "shared" else "stg"))
        for _n, _v, _r, _a in ((2, ".v2", "$d0, $d1", "$a, $b"), (4, ".v4", "$d0, $d1, $d2, $d3", "$a, $b, $c, $e")):
            if _SIZE[_k] * _n > 16 or (_n == 4 and _SIZE[_k] == 8):
                continue
            ROWS.append(
                Row(f"ld{_n}.{_s}.{_k}(p:m)", f"ld{_dot}{_v}.{_t} {{{_r}}}, [$p]", "ldg" if _n == 2 else "ldg2")
            )
            if _s != "const":
                _args = ", ".join(_a.replace("$", "").split(", "))
                ROWS.append(Row(f"st{_n}.{_s}.{_k}(p:m, {_args})", f"st{_dot}{_v}.{_t} [$p], {{{_a}}}", "stg"))

# A narrow load sign-extends for nothing.
for _s, _dot in _SPACES.items():
    for _k, _n in (("u8", 8), ("u16", 16)):
        ROWS.append(Row(f"sext{_n}.i32(ld.{_s}.{_k}(p:m))", f"ld{_dot}.s{_n} $d, [$p]", _LOAD.get(_s, "ldg")))
for _k, _n in (("u8", 8), ("u16", 16)):
    ROWS.append(Row(f"sext{_n}.i32(ldnc.global.{_k}(p:m))", f"ld.global.nc.s{_n} $d, [$p]", "ldnc"))

# Read-only data of the kernel's lifetime.
for _k, _t in _TYPES.items():
    ROWS.append(Row(f"ldnc.global.{_k}(p:m)", f"ld.global.nc.{_t} $d, [$p]", "ldnc", 35))
    for _n, _v, _r in ((2, ".v2", "$d0, $d1"), (4, ".v4", "$d0, $d1, $d2, $d3")):
        if _SIZE[_k] * _n <= 16 and not (_n == 4 and _SIZE[_k] == 8):
            ROWS.append(Row(f"ldnc{_n}.global.{_k}(p:m)", f"ld.global.nc{_v}.{_t} {{{_r}}}, [$p]", "ldnc", 35))

# Volatile and ordered accesses, one scalar at a time; {sem} and {scope} come from the instruction.
for _s in ("gen", "global", "shared"):
    _dot = _SPACES[_s]
    for _k, _t in _TYPES.items():
        ROWS += [
            Row(f"ldvol.{_s}.{_k}(p:m)", f"ld.volatile{_dot}.{_t} $d, [$p]", "ldg"),
            Row(f"stvol.{_s}.{_k}(p:m, a)", f"st.volatile{_dot}.{_t} [$p], $a", "stg"),
            Row(f"ldord.{_s}.{_k}(p:m)", f"ld.{{sem}}.{{scope}}{_dot}.{_t} $d, [$p]", "ldg", 70),
            Row(f"stord.{_s}.{_k}(p:m, a)", f"st.{{sem}}.{{scope}}{_dot}.{_t} [$p], $a", "stg", 70),
        ]

# Atomics. {sem} and {scope} come from the instruction; red is used where the old value is not (see `unused`).
_ATOMICS = {
    "add": {"i32": "u32", "i64": "u64"},
    "min": {"i32": "s32", "i64": "s64"},
    "max": {"i32": "s32", "i64": "s64"},
    "umin": {"i32": "u32", "i64": "u64"},
    "umax": {"i32": "u32", "i64": "u64"},
    "and": {"i32": "b32", "i64": "b64"},
    "or": {"i32": "b32", "i64": "b64"},
    "xor": {"i32": "b32", "i64": "b64"},
    "inc": {"i32": "u32"},
    "dec": {"i32": "u32"},
    "fadd": {"f32": "f32", "f64": "f64", "f16": "f16", "bf16": "bf16", "f16x2": "f16x2", "bf16x2": "bf16x2"},
    "exch": {"i32": "b32", "i64": "b64"},
}
for _s in ("gen", "global", "shared"):
    _dot = _SPACES[_s]
    _cost = "atoms" if _s == "shared" else "atom"
    for _op, _kinds in _ATOMICS.items():
        _name = {"umin": "min", "umax": "max", "fadd": "add"}.get(_op, _op)
        for _k, _t in _kinds.items():
            _x = ".noftz" if "16" in _t else ""
            _c = "r" if "16" in _k else "ri"
            _sm = {"f16": 70, "bf16": 90, "f16x2": 60, "bf16x2": 90, "f64": 60}.get(_t, 20)
            ROWS.append(
                Row(
                    f"atom{_op}.{_s}.{_k}(p:m, a:{_c})",
                    f"atom.{{sem}}.{{scope}}{_dot}.{_name}{_x}.{_t} $d, [$p], $a",
                    _cost,
                    _sm,
                )
            )
            if _op != "exch":
                ROWS.append(
                    Row(
                        f"red{_op}.{_s}.{_k}(p:m, a:{_c})",
                        f"red.{{sem}}.{{scope}}{_dot}.{_name}{_x}.{_t} [$p], $a",
                        "red",
                        _sm,
                    )
                )
    for _k, _t in (("i32", "b32"), ("i64", "b64")):
        ROWS.append(
            Row(f"atomcas.{_s}.{_k}(p:m, a:ri, b:ri)", f"atom.{{sem}}.{{scope}}{_dot}.cas.{_t} $d, [$p], $a, $b", _cost)
        )
    ROWS.append(
        Row(
            f"atomcas.{_s}.i16(p:m, a, b)",
            "cvt.u16.u32 $t1.h, $a; cvt.u16.u32 $t2.h, $b;"
            f" atom.{{sem}}.{{scope}}{_dot}.cas.b16 $t3.h, [$p], $t1.h, $t2.h; cvt.u32.u16 $d, $t3.h",
            _cost,
            70,
        )
    )

for _scope, _old in (("cta", "cta"), ("cluster", ""), ("gpu", "gl"), ("sys", "sys")):
    ROWS += [
        Row(f"fence.{_scope}", f"fence.acq_rel.{_scope}", "fence", 90 if _scope == "cluster" else 70),
        Row(f"fencesc.{_scope}", f"fence.sc.{_scope}", "fence", 90 if _scope == "cluster" else 70),
    ]
    if _old:
        ROWS.append(Row(f"membar.{_old}", f"membar.{_old}", "fence"))

# Asynchronous copies to shared memory (sm_80).
ROWS += [
    Row("cpasync.ca4(p:m, q:m)", "cp.async.ca.shared.global [$p], [$q], 4", "async", 80),
    Row("cpasync.ca8(p:m, q:m)", "cp.async.ca.shared.global [$p], [$q], 8", "async", 80),
    Row("cpasync.ca16(p:m, q:m)", "cp.async.ca.shared.global [$p], [$q], 16", "async", 80),
    Row("cpasync.cg16(p:m, q:m)", "cp.async.cg.shared.global [$p], [$q], 16", "async", 80),
    Row("cpcommit.", "cp.async.commit_group", "async", 80),
    Row("cpwait.(a:i)", "cp.async.wait_group $a", "async", 80),
    Row("cpwaitall.", "cp.async.wait_all", "async", 80),
]
