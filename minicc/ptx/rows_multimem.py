"""Rows of `isa` for multicast addresses: an order and a scope stand together or not at all. Source: PTX ISA 9.0,
"multimem"; ptxas 13.0 was asked where it is silent."""

from __future__ import annotations

from collections.abc import Iterator

_SCOPE = "(cta/cluster/gpu/sys)"
_SINCE = "8.1, 90"
_PAIRS, _WORDS = "f16x2,bf16x2", "u32,s32,u64"


def rows() -> Iterator[str]:
    """All of them, in the notation of `isa`."""
    for order in ("weak?", f"(relaxed/release) {_SCOPE}"):
        head = f"multimem | st {order} global?"
        yield f"{head} T:b32,b64,{_WORDS},s64 | @ a:T | {_SINCE}"
        yield f"{head} T:f32,f64,{_PAIRS} | @ v:T | {_SINCE}"
        yield f"{head} (v2/v4/v8) T:f16,bf16 | @ v:T | {_SINCE}"
        yield f"{head} (v2/v4) T:{_PAIRS},f32 | @ v:T | {_SINCE}"
    for order in ("weak?", f"(relaxed/acquire) {_SCOPE}"):
        head = f"multimem | ld_reduce {order} global?"
        yield f"{head} add T:{_WORDS} | d:T @ | {_SINCE}"
        yield f"{head} (min/max) T:{_WORDS},s64 | d:T @ | {_SINCE}"
        yield f"{head} (and/or/xor) T:b32,b64 | d:T @ | {_SINCE}"
        yield f"{head} add T:f32,f64 | v:T @ | {_SINCE}"
        yield f"{head} add (v2/v4) T:f32 | v:T @ | {_SINCE}"
        for what in ("add acc::f32", "(add/min/max)"):
            yield f"{head} {what} T:{_PAIRS} | v:T @ | {_SINCE}"
            yield f"{head} {what} (v2/v4/v8) T:f16,bf16 | v:T @ | {_SINCE}"
            yield f"{head} {what} (v2/v4) T:{_PAIRS} | v:T @ | {_SINCE}"
    for order in ("", f"(relaxed/release) {_SCOPE}"):
        head = f"multimem | red {order} global?"
        yield f"{head} add T:{_WORDS},f32,f64,{_PAIRS} | @ a:T | {_SINCE}"
        yield f"{head} (min/max) T:{_WORDS},s64,{_PAIRS} | @ a:T | {_SINCE}"
        yield f"{head} (and/or/xor) T:b32,b64 | @ a:T | {_SINCE}"
        yield f"{head} (add/min/max) (v2/v4/v8) T:f16,bf16 | @ v:T | {_SINCE}"
        yield f"{head} (add/min/max) (v2/v4) T:{_PAIRS} | @ v:T | {_SINCE}"
        yield f"{head} add (v2/v4) T:f32 | @ v:T | {_SINCE}"
