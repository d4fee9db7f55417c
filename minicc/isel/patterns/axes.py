"""Axes: parts of an operation's name that PTX writes as a modifier. A pattern covers all values of its axes.

`{name}` in a pattern's tree stands for one of the texts on the left; in its template (and cost class) `{name}` becomes
the text on the right, `{name.1}` the second of them. `{z}` alone is `.ftz` where the function flushes denormals.
"""

from __future__ import annotations

_SIGNS = {"s": ("slt", "sle", "sgt", "sge"), "u": ("ult", "ule", "ugt", "uge")}
_ROUNDS = ("rn", "rz", "rm", "rp")


def _same(*texts: str) -> dict[str, tuple[str, ...]]:
    return {text: (text,) for text in texts}


def _pairs(text: str) -> dict[str, tuple[str, ...]]:
    """ "left right left right": one text each."""
    words = text.split()
    return {left: (right,) for left, right in zip(words[::2], words[1::2], strict=True)}


def _comparisons() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {"eq": ("eq", "s"), "ne": ("ne", "s")}
    for sign, preds in _SIGNS.items():
        found.update({pred: (pred[1:], sign) for pred in preds})
    return found


def _dotted(*texts: str) -> dict[str, tuple[str, ...]]:
    """Present as a word of its own, or absent."""
    return {f".{text}" if text else "": (f".{text}" if text else "",) for text in texts}


AXES: dict[str, dict[str, tuple[str, ...]]] = {
    # Comparisons: LLVM's predicate -> PTX's, and the signedness of the type.
    "icc": _comparisons(),
    "fcc": _pairs(
        "oeq eq  ogt gt  oge ge  olt lt  ole le  one ne  ord num  ueq equ  ugt gtu  uge geu  ult ltu  "
        "ule leu  une neu  uno nan"
    ),
    "lop": _same("and", "or", "xor"),
    "sign": {"s": ("s",), "u": ("u",)},
    # Floating modifiers: flushing that the operation names itself; contraction (a plain operation must not be fused).
    "fz": {"": ("{z}",), ".ftz": (".ftz",)},
    "ftz": _dotted("", "ftz"),
    "c": {"": (".rn",), "c": ("",)},
    "rnd": _same(*_ROUNDS),
    "relu": _dotted("", "relu"),
    "nan": {"": ("",), ".nan": (".NaN",)},
    "xs": {"": ("",), ".xorsign.abs": (".xorsign.abs",)},
    # Formats that share a register.
    "hx": _same("f16", "f16x2"),
    "bx": _same("bf16", "bf16x2"),
    "hb": _same("f16", "bf16"),
    "x2": _same("f16x2", "bf16x2"),
    # What memory holds: type of the node -> type of the access.
    "narrow": {"u8": ("u8",), "u16": ("u16",), "f16": ("b16",), "bf16": ("b16",)},
    "m32": {"i32": ("u32",), "f32": ("f32",)},
    "m64": {"i64": ("u64",), "f64": ("f64",)},
    "mem": _pairs("u8 u8  u16 u16  f16 b16  bf16 b16  i32 u32  f32 f32  i64 u64  f64 f64"),
    "mem4": {"u8": ("u8",), "u16": ("u16",), "f16": ("b16",), "bf16": ("b16",), "i32": ("u32",), "f32": ("f32",)},
    # State spaces: of the node -> of the instruction, and the cost class of a load or of an atomic there.
    "data": {
        "gen": ("", "ldg"),
        "global": (".global", "ldg"),
        "shared": (".shared", "lds"),
        "local": (".local", "ldg"),
    },
    "abs": {"const": (".const", "ldc"), "param": (".param", "ldc")},
    "gs": {"gen": ("",), "global": (".global",), "shared": (".shared",)},
    "atom": {"gen": ("", "atom"), "global": (".global", "atom"), "shared": (".shared", "atoms")},
    "scope": _same("cta", "cluster", "gpu", "sys"),
    "scope3": {"cta": ("cta",), "gpu": ("gpu",), "sys": ("sys",)},
    "sc": {"": ("acq_rel",), "sc": ("sc",)},
    "ldg": {"ld": ("",), "ldnc": (".nc",)},
    "word": {"i32": ("b32",), "i64": ("b64",)},
    "level": _same("cta", "gl", "sys"),
    "proxy": _pairs(
        "alias alias  async async  async.global async.global  async.shared_cta async.shared::cta  "
        "async.shared_cluster async.shared::cluster"
    ),
    "flat": _same("global", "const"),
    "window": _same("shared", "local"),
    "anywhere": _same("global", "shared", "const", "local"),
    "peer": {"i64": (".u64",), "i32": (".shared::cluster.u32",)},
    "same32": _same("i32.f32", "f32.i32"),
    "same64": _same("i64.f64", "f64.i64"),
    # Atomics and reductions.
    "mm": {"min": ("min", "s"), "max": ("max", "s"), "umin": ("min", "u"), "umax": ("max", "u")},
    "incdec": _same("inc", "dec"),
    "reduce": _pairs(
        "add add.s32  min min.s32  max max.s32  umin min.u32  umax max.u32  and and.b32  or or.b32  xor xor.b32"
    ),
    "freduce": {f"f{op}{a}{n}": (f"{op}{a}{n}",) for op in ("min", "max") for a in ("", ".abs") for n in ("", ".NaN")},
    "red8": _same("add", "min", "max", "inc", "dec", "and", "or", "xor"),
    # Conversions.
    "rop": {"ffloor": ("rmi",), "fceil": ("rpi",), "frint": ("rni",)},
    "rni": _same("rn", "rz"),
    "ru": _same("rz", "rp"),
    "sat": _dotted("", "satfinite"),
    "e8": _same("e4m3", "e5m2"),
    "e6": _same("e2m3", "e3m2"),
    # Integer helpers.
    "dot": {"ss": ("s32.s32",), "su": ("s32.u32",), "us": ("u32.s32",), "uu": ("u32.u32",)},
    "shift": {"": ("",), ".shift": (".shiftamt",)},
    "orx": _same("or", "add", "xor"),
    "wrap": _same("wrap", "clamp"),
    "prmt2": _same("f4e", "b4e"),
    "prmt1": _same("rc8", "ecl", "ecr", "rc16"),
    # Copies, prefetches, textures.
    "size": _same("4", "8", "16"),
    "read": _dotted("", "read"),
    "pspace": {"gen": ("",), "global": (".global",), "local": (".local",)},
    "level2": _dotted("L1", "L2"),
    "evict": {"evict.last": ("evict_last",), "evict.normal": ("evict_normal",)},
    "pglobal": _dotted("", "global"),
    "vt": {"v4f32": ("v4.f32",), "v4s32": ("v4.s32",), "v4u32": ("v4.u32",)},
    "ct": _same("s32", "f32"),
    "oob": _same("trap", "clamp", "zero"),
    "query": _pairs(
        "width width  height height  depth depth  array.size array_size  "
        "channel.data.type channel_data_type  channel.order channel_order"
    ),
    # Barriers and warps.
    "unaligned": {"": ("bar",), ".unaligned": ("barrier",)},
    "andor": _same("and", "or"),
    "relaxed": _dotted("", "relaxed"),
    "relaxed1": {"": (".release",), ".relaxed": (".relaxed",)},
    "relaxed2": {"": (".acquire",), ".relaxed": (".relaxed",)},
    "aligned": _dotted("", "aligned"),
    "grid": {"launch.dependents": ("launch_dependents",), "wait": ("wait",)},
    "shared": {"": ("",), ".shared": (".shared",)},
    "drop": {"": ("",), ".drop": ("_drop",)},
    "tx": {"": ("",), ".expect.tx": (".expect_tx",)},
    "noinc": _dotted("", "noinc"),
    "cc": _same("cta", "cluster"),
    "cc2": _same("cta", "cluster"),
    "txop": {"expect.tx": ("expect_tx",), "complete.tx": ("complete_tx",)},
    "waits": {"test": ("test_wait",), "try": ("try_wait",)},
    "mode": _same("all", "any", "uni"),
    "lanes": _same("idx", "up", "down", "bfly"),
    "multicast": {"": ("",), ".multicast": (".multicast::cluster::all",)},
    "h": _same("f16", "bf16", "h"),
    # Matrices.
    "s16": _same("m16n16k16", "m32n8k16", "m8n32k16"),
    "s168": _same("m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8"),
    "s8": _same("m8n8k32", "m8n8k128"),
    "ab": _same("a", "b"),
    "rc": _same("row", "col"),
    "arow": {"a.row": ("a", "row"), "b.col": ("b", "col")},
    "lay": _same("row.row", "row.col", "col.row", "col.col"),
    "i8": _same("s8", "u8"),
    "i4": _same("s4", "u4"),
    "dr": {text: (text,) for text in ("", *[f"{r}." for r in _ROUNDS])},
    "bop": _same("xor", "and"),
    "ii8": {"s8": ("s8.s8",), "u8": ("u8.u8",), "s8.u8": ("s8.u8",), "u8.s8": ("u8.s8",)},
    "ii4": {"s4": ("s4.s4",), "u4": ("u4.u4",), "s4.u4": ("s4.u4",), "u4.s4": ("u4.s4",)},
    "ee8": _same("e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"),
    "et": _same("e4m3", "e5m2", "e2m3", "e3m2", "e2m1"),
    "et2": _same("e4m3", "e5m2", "e2m3", "e3m2", "e2m1"),
    "om": {"": ("",), ".ordered.metadata": ("::ordered_metadata",)},
    "trans": _dotted("", "trans"),
    "b8": {"b8": ("b8",), "b8x16.b6x16_p32": ("b8x16.b6x16_p32",), "b8x16.b4x16_p64": ("b8x16.b4x16_p64",)},
    "cg": {"cg1": ("cta_group::1",), "cg2": ("cta_group::2",)},
    "cshared": {"": ("",), ".shared": (".shared::cta",)},
    "xyz": _same("x", "y", "z"),
    "tshared": {"": ("",), ".shared": (".shared::cluster",)},
    "ldst": _same("ld", "st"),
    "before": _same("before", "after"),
    "tcp": _pairs(
        "128x256b 128x256b  4x256b 4x256b  128x128b 128x128b  32x128b_warpx4 32x128b.warpx4  "
        "64x128b_warpx2_02_13 64x128b.warpx2::02_13  64x128b_warpx2_01_23 64x128b.warpx2::01_23"
    ),
    "tfmt": {"": ("",), ".b6x16_p32": (".b8x16.b6x16_p32",), ".b4x16_p64": (".b8x16.b4x16_p64",)},
}

SINCE: dict[tuple[str, str], int] = {("bop", "and"): 80}
"""(axis, text) -> the first SM that has it, where that is later than the pattern's own."""
