"""Tensor maps: the 128 bytes by which TMA finds a box in a tensor, as cuTensorMapEncodeTiled and ...Im2col make them.

Input: a description in the driver API's words and limits. Output: bytes to pass for a `__grid_constant__` parameter of
type CUtensorMap, on the model or on a GPU. The layout (see `runtime.device.sm.extension.tma`) was read off the maps of
an H200's driver; what is wrong with a description is a `LaunchError`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Literal, NoReturn

from runtime.errors import LaunchError

Swizzle = Literal[0, 32, 64, 128]
TYPES = {
    "u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "i32": (3, 4), "u64": (4, 8), "i64": (5, 8), "f16": (6, 2),
    "f32": (7, 4), "f64": (9, 8), "bf16": (10, 2), "f32.ftz": (8, 4), "tf32": (7, 4), "tf32.ftz": (8, 4),
}  # fmt: skip
"""Type -> (number in the map, bytes)."""
_TF32, _NAN, _IM2COL = 1 << 16, 1 << 15, 1
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
_PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}


def _wrong(why: str) -> NoReturn:
    raise LaunchError("launch.tensor_map", f"tensor map: {why}")


def tiled(
    address: int,
    type_: str,
    sizes: Sequence[int],
    strides: Sequence[int],
    box: Sequence[int],
    steps: Sequence[int] | None = None,
    *,
    swizzle: Swizzle = 0,
    promotion: int = 0,
    nan_outside: bool = False,
) -> bytes:
    """A tensor of `sizes` elements, fastest dimension first; `strides`: bytes from one to the next in the second
    dimension and those after it. A copy moves `box` elements of which every `steps`-th counts."""
    rank = len(sizes)
    steps = steps or [1] * rank
    if len(box) != rank or len(steps) != rank:
        _wrong(f"{rank} sizes, {len(box)} box sizes, {len(steps)} steps")
    for b, step in zip(box, steps, strict=True):
        if not 1 <= b <= 256 or not 1 <= step <= 8:
            _wrong(f"box size {b} with step {step}: 1 to 256 and 1 to 8 are possible")
    flags, width = _common(type_, rank, address, sizes, strides, swizzle, promotion, nan_outside)
    if box[0] * width % 16:
        _wrong(f"a box row of {box[0] * width} bytes is not a multiple of 16")
    if swizzle and box[0] * width > swizzle:
        _wrong(f"a box row of {box[0] * width} bytes does not fit a swizzle of {swizzle}")
    moved = width
    for b, step in zip(box, steps, strict=True):
        moved *= max(b // step, 1)
    boxes = sum((b - 1) << 8 * d for d, b in enumerate(box[1:]))
    return _pack(address, flags, sizes, strides, steps, box[0], boxes, moved, swizzle)


def im2col(
    address: int,
    type_: str,
    sizes: Sequence[int],
    strides: Sequence[int],
    lower: Sequence[int],
    upper: Sequence[int],
    channels: int,
    pixels: int,
    steps: Sequence[int] | None = None,
    *,
    swizzle: Swizzle = 0,
    promotion: int = 0,
    nan_outside: bool = False,
) -> bytes:
    """A tensor of channels, one to three spatial dimensions and images. A copy moves `pixels` pixels with `channels`
    channels each; pixels run through the box from `lower` to the image's size plus `upper`, in steps."""
    rank = len(sizes)
    steps = steps or [1] * rank
    if not 3 <= rank <= 5 or len(lower) != rank - 2 or len(upper) != rank - 2 or len(steps) != rank:
        _wrong(f"im2col of {rank} dimensions with {len(lower)} and {len(upper)} corner offsets, {len(steps)} steps")
    if not 1 <= channels <= 256 or not 1 <= pixels <= 1024 or any(not 1 <= s <= 8 for s in steps):
        _wrong(f"{channels} channels of {pixels} pixels: 1 to 256 and 1 to 1024 are possible, in steps of 1 to 8")
    bits = {1: 16, 2: 8, 3: 5}[rank - 2]
    corners = 0
    for half, offsets in enumerate((lower, upper)):
        for d, offset in enumerate(offsets):
            if not -1 << bits - 1 <= offset < 1 << bits - 1:
                _wrong(f"corner offset {offset} does not fit {bits} bits")
            corners |= (offset & (1 << bits) - 1) << 16 * half + bits * d
    flags, width = _common(type_, rank, address, sizes, strides, swizzle, promotion, nan_outside)
    if channels * width % 16:
        _wrong(f"{channels * width} bytes of channels are not a multiple of 16")
    corners |= (pixels - 1) << 32
    moved = channels * pixels * width
    return _pack(address, flags | _IM2COL, sizes, strides, steps, channels, corners, moved, swizzle)


def _common(
    type_: str,
    rank: int,
    address: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    swizzle: int,
    promotion: int,
    nan_outside: bool,
) -> tuple[int, int]:
    """(flag word, bytes of an element) after checking what both kinds of map have."""
    if type_ not in TYPES:
        _wrong(f"unknown type {type_}; {', '.join(TYPES)} are known")
    if not 1 <= rank <= 5 or len(strides) != rank - 1:
        _wrong(f"{rank} dimensions with {len(strides)} strides: 1 to 5, with one stride less, are possible")
    if address % 16:
        _wrong(f"address 0x{address:x} is not a multiple of 16")
    if any(not 1 <= size <= 1 << 32 for size in sizes):
        _wrong(f"sizes {tuple(sizes)}: 1 to 2^32 are possible")
    if any(stride % 16 or not 0 <= stride < 1 << 40 for stride in strides):  # 0: CUTLASS, for dimensions of one
        _wrong(f"strides {tuple(strides)}: multiples of 16 below 2^40 are possible")
    if swizzle not in _SWIZZLES or promotion not in _PROMOTIONS:
        _wrong(f"swizzle {swizzle}, promotion {promotion}")
    number, width = TYPES[type_]
    flags = (rank - 1) << 4 | number << 7 | _SWIZZLES[swizzle] << 13 | _PROMOTIONS[promotion] << 17
    return flags | (_NAN if nan_outside else 0) | (_TF32 if type_.startswith("tf32") else 0), width


def _pack(
    address: int,
    flags: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    steps: Sequence[int],
    first_box: int,
    boxes: int,
    moved: int,
    swizzle: int,
) -> bytes:
    stride = [s >> 4 for s in strides] + [0] * (5 - len(sizes))
    less = [s - 1 for s in sizes] + [0] * (5 - len(sizes))
    high = sum((s >> 32) << 4 * d for d, s in enumerate(stride))
    step = sum((s - 1) << 3 * d for d, s in enumerate(steps))
    words = [
        address,
        flags | (stride[0] & 0xFFFFFFFF) << 32,
        stride[1] & 0xFFFFFFFF | (stride[2] & 0xFFFFFFFF) << 32,
        stride[3] & 0xFFFFFFFF | high << 32,
        less[0] | less[1] << 32,
        less[2] | less[3] << 32,
        less[4] | step << 32 | (first_box - 1) << 56,
        boxes,
        moved,
        8 * swizzle if swizzle else 16,
    ]
    return struct.pack("<16Q", *words, *[0] * 6)
