"""Rows of `isa` for what works beside the program: mbarriers, asynchronous copies, tensor maps.

Their modifiers go together in few of the ways that alternatives within one row could say, so rows are made here.
Source: PTX ISA 9.0, "Parallel Synchronization", "Data Movement"; ptxas 13.0 was asked where it is silent.
"""

from __future__ import annotations

from collections.abc import Iterator

_NEAR = "(shared/shared::cta)?"
_DONE = "mbarrier::complete_tx::bytes"
_PREFETCH = "(L2::64B/L2::128B/L2::256B)?"
_HINT = "L2::cache_hint?"
"""Operand `k` comes with it."""
_LANDING = (("shared::cluster", "8.0"), ("shared::cta", "8.6"))
"""Where copies from global memory go, and since when."""
_FIELDS = (
    ("global_address", "b64", "a:u64"), ("rank", "b32", "a:u32"),
    ("(box_dim/global_dim/element_stride)", "b32", "#0/1/2/3/4 a:u32"),
    ("global_stride", "b64", "#0/1/2/3/4 a:u64"), ("elemtype", "b32", "#0/1/2/3/4/5/6/7/8/9/10/11/12"),
    ("swizzle_mode", "b32", "#0/1/2/3/4"), ("interleave_layout", "b32", "#0/1/2"), ("fill_mode", "b32", "#0/1"),
)  # fmt: skip
"""Fields of a tensor map: name, width, operands."""
_REDUCE_GLOBAL = (
    ("add", "u32,s32,u64,f32,f64"), ("add noftz", "f16,bf16"), ("(min/max)", "u32,s32,u64,s64,f16,bf16"),
    ("(inc/dec)", "u32"), ("(and/or/xor)", "b32,b64"),
)  # fmt: skip
_REDUCE_SHARED = (("add", "u32,s32,u64"), ("(min/max)", "u32,s32"), ("(inc/dec)", "u32"), ("(and/or/xor)", "b32"))


def rows() -> Iterator[str]:
    """All of them, in the notation of `isa`."""
    yield from _mbarrier()
    yield from _copies()
    yield from _bulk()
    yield from _tensor()
    for name, type_, operands in _FIELDS:
        yield f"tensormap | replace tile {name} (global/shared::cta)? b1024 {type_} | @ {operands} | 8.3, 90"
    fence = "cp_fenceproxy global shared::cta tensormap::generic release"
    yield f"tensormap | {fence} (cta/cluster/gpu/sys) sync aligned | @ @ #128 | 8.3, 90"


def _orders(*orders: str) -> Iterator[str]:
    yield ""
    yield from (f"{order} {scope}" for order in orders for scope in ("cta", "cluster"))


def _since(order: str, plain: str = "7.0") -> str:
    """Version and target of what machines before clusters have, too, but in the order that it always had."""
    return f"{plain}, 80" if order in ("", "acquire cta", "release cta") else "8.0, 90"


def _mbarrier() -> Iterator[str]:
    yield f"mbarrier | init {_NEAR} b64 | @ a:u32 | 7.0, 80"
    yield f"mbarrier | inval {_NEAR} b64 | @ | 7.0, 80"
    yield "mbarrier | pending_count b64 | d:u32 a:u64 | 7.0, 80"
    for order in _orders("relaxed"):
        window = "(shared/shared::cta/shared::cluster)?"
        yield f"mbarrier | (expect_tx/complete_tx) {order} {window} b64 | @ a:u32 | 8.0, 90"
    for order in _orders("release", "relaxed"):
        head = f"mbarrier | (arrive/arrive_drop) {order}"
        yield f"{head} {_NEAR} b64 | o:u64 @ | {_since(order)}"
        yield f"{head} {_NEAR} b64 | o:u64 @ a:u32+ | 7.8, 90"
        yield f"{head} shared::cluster b64 | _ @ a:u32+? | 8.0, 90"
        yield f"{head} expect_tx {_NEAR} b64 | o:u64 @ a:u32 | 8.0, 90"
        yield f"{head} expect_tx shared::cluster b64 | _ @ a:u32 | 8.0, 90"
        if order in ("", "release cta"):
            yield f"{head} noComplete {_NEAR} b64 | o:u64 @ a:u32 | 7.0, 80"
    for order in _orders("acquire", "relaxed"):
        yield f"mbarrier | test_wait {order} {_NEAR} b64 | P @ a:u64 | {_since(order)}"
        yield f"mbarrier | test_wait parity {order} {_NEAR} b64 | P @ a:u32..1 | {_since(order, '7.1')}"
        yield f"mbarrier | try_wait {order} {_NEAR} b64 | P @ a:u64 a:u32? | 7.8, 90"
        yield f"mbarrier | try_wait parity {order} {_NEAR} b64 | P @ a:u32..1 a:u32? | 7.8, 90"


def _copies() -> Iterator[str]:
    """cp.async: a thread's own copies."""
    for cache, size in (("ca", 4), ("ca", 8), ("(ca/cg)", 16)):
        head = f"cp | async {cache} (shared/shared::cta) global {_HINT} {_PREFETCH} | @ @ #{size}"
        yield f"{head} a:u32..{size}? k | 7.0, 80"
        yield f"{head} P k | 7.5, 80"
    yield f"cp | async mbarrier arrive noinc? {_NEAR} b64 | @ | 7.0, 80"
    yield "cp | async (commit_group/wait_all) | | 7.0, 80"
    yield "cp | async wait_group | # | 7.0, 80"


def _bulk() -> Iterator[str]:
    yield "cp | async bulk commit_group | | 8.0, 90"
    yield "cp | async bulk wait_group read? | # | 8.0, 90"
    for near, version in _LANDING:
        yield f"cp | async bulk {near} global {_DONE} {_HINT} | @ @ m:u32 @ k | {version}, 90"
    yield f"cp | async bulk shared::cluster global {_DONE} multicast::cluster {_HINT} | @ @ m:u32 @ a:u16 k | 8.0, 90"
    yield f"cp | async bulk global shared::cta bulk_group {_HINT} | @ @ m:u32 k | 8.0, 90"
    yield f"cp | async bulk prefetch L2 global {_HINT} | @ m:u32 k | 8.0, 90"
    for what, types in _REDUCE_GLOBAL:
        head = "cp | reduce async bulk global shared::cta bulk_group"
        yield f"{head} {_HINT} {what} T:{types} | @ @ m:u32 k | 8.0, 90"
    yield f"cp | async bulk shared::cluster shared::cta {_DONE} | @ @ m:u32 @ | 8.0, 90"
    for what, types in _REDUCE_SHARED:
        yield f"cp | reduce async bulk shared::cluster shared::cta {_DONE} {what} T:{types} | @ @ m:u32 @ | 8.0, 90"


def _tensor() -> Iterator[str]:
    """Boxes of tensors of 1 to 5 dimensions; im2col has offsets in all but two of them."""
    for rank in range(1, 6):
        dims = f"tensor {rank}d"
        shapes = [("tile?", "")] + ([("im2col", f" h{rank - 2}")] if rank > 2 else [])
        for shape, offsets in shapes:
            head, tail = f"cp | async bulk {dims}", f"{_HINT} | @ t{rank} @{offsets}"
            for near, version in _LANDING:
                yield f"{head} {near} global {shape} {_DONE} {tail} k | {version}, 90"
            yield f"{head} shared::cluster global {shape} {_DONE} multicast::cluster {tail} a:u16 k | 8.0, 90"
            yield f"cp | async bulk prefetch {dims} L2 global {shape} {_HINT} | t{rank}{offsets} k | 8.0, 90"
        out = "(tile/im2col_no_offs)?" if rank > 2 else "tile?"
        yield f"cp | async bulk {dims} global shared::cta {out} bulk_group {_HINT} | t{rank} @ k | 8.0, 90"
        head = f"cp | reduce async bulk {dims} global shared::cta (add/min/max/inc/dec/and/or/xor)"
        yield f"{head} {out} bulk_group {_HINT} | t{rank} @ k | 8.0, 90"
