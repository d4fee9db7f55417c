"""Rows of `isa` for textures and surfaces. Source: PTX ISA 9.0, "Texture Instructions", "Surface Instructions";
ptxas 13.0 was asked where it is silent (it crashes on sured.xor, .inc and .exch)."""

from __future__ import annotations

from collections.abc import Iterator

_SHAPES = {
    "1d": (1, 0, 1, True), "2d": (2, 0, 2, True), "3d": (4, 0, 4, False), "a1d": (2, 1, 1, True),
    "a2d": (4, 1, 2, True), "cube": (4, 0, 4, True), "acube": (4, 1, 4, True), "2dms": (4, 1, 2, False),
    "a2dms": (4, 2, 2, False),
}  # fmt: skip
"""Geometry -> elements of a place, how many of them are a layer or sample, those of offsets and gradients, and whether
a depth can be compared."""
_SURFACES = ("1d", "2d", "3d", "a1d", "a2d")
_RESULTS = ("v4 T:u32,s32,f16,f32", "v2 T:f16x2")
_ABOUT = "channel_data_type/channel_order/array_size/memory_layout"
_SAMPLED = "normalized_coords/num_mipmap_levels/num_samples/filter_mode/addr_mode_0/addr_mode_1/addr_mode_2"
_LOADED, _STORED, _OUTSIDE = "(ca/cg/cs/cv)?", "(wb/cg/cs/wt)?", "(trap/clamp/zero)"
_REDUCED = (
    ("b", "add", "u32,s32,u64"), ("b", "(min/max)", "u32,s32,u64,s64"), ("b", "(and/or/xor)", "b32"),
    ("p", "(add/and/or/xor)", "b32"), ("p", "(min/max)", "b32,b64"),
)  # fmt: skip


def rows() -> Iterator[str]:
    """All of them, in the notation of `isa`."""
    for shape in _SHAPES:
        for result in _RESULTS:
            yield from _fetches(shape, result)
    for shape in ("2d", "a2d", "cube", "acube"):
        yield from _fetch(f"tld4 | (r/g/b/a) {shape} v4 T:u32,s32,f32 S:f32 | r:T {_place(shape)}", shape, " a:f32?")
    yield f"txq | (width/height/depth/{_ABOUT}/{_SAMPLED}/force_unnormalized_coords) b32 | d:b32 @@"
    yield "txq | level (width/height/depth) b32 | d:b32 @@ a:b32"
    yield f"suq | (width/height/depth/{_ABOUT}) b32 | d:b32 @@"
    yield "istypep | (texref/samplerref/surfref) | P g:u64"
    for shape in _SURFACES:
        place = _place(shape).replace(":S", ":s32")
        for width in ("(v2/v4)? T:b8,b16,b32", "v2? T:b64"):
            yield f"suld | b {shape} {_LOADED} {width} {_OUTSIDE} | v:~T {place}"
            yield f"sust | b {shape} {_STORED} {width} {_OUTSIDE} | {place} v:~T"
        yield f"sust | p {shape} {_STORED} (v2/v4)? T:b32 {_OUTSIDE} | {place} v:T"
        if shape[0] != "a":
            for kind, operation, types in _REDUCED:
                yield f"sured | {kind} {operation} {shape} T:{types} {_OUTSIDE} | {place} a:T"


def _fetches(shape: str, result: str) -> Iterator[str]:
    around = _SHAPES[shape][2]
    sampled, depth = shape.endswith("ms"), " a:f32?" if _SHAPES[shape][3] else ""
    beside = {"": "", "base": "", "level": " a:S", "grad": f" n{around}:f32 n{around}:f32"}
    for mip in ("", "base") if sampled else beside:
        head = f"tex | {mip} {shape} {result}"
        place = f"r:T {_place(shape)}{beside[mip]}"
        if not sampled:
            yield from _fetch(f"{head} S:f32 | {place}", shape, depth)
        if "cube" not in shape:
            yield from _fetch(f"{head} S:s32 | {place}", shape)


def _fetch(row: str, shape: str, depth: str = "") -> Iterator[str]:
    """Offsets and a depth to compare with came later than the fetch itself."""
    yield row
    if more := _offsets(shape) + depth:
        yield f"{row}{more} | 4.3, 0"


def _place(shape: str) -> str:
    return f"@{_SHAPES[shape][0]}+{_SHAPES[shape][1]}:S"


def _offsets(shape: str) -> str:
    return "" if "cube" in shape else f" n{_SHAPES[shape][2]}:s32?"
