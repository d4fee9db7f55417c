"""Made-up kernel arguments: what memory of a type is filled with, reproducibly.

A `Layout` says where numbers and pointers lie in a type; it comes from the frontend's types or from PTX parameters.
Integers are small (0 to 11), so that they can serve as indices; floats lie between 0.5 and 2, so that sums of products
neither vanish nor overflow; pointers lead to further buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from minicc.frontend.types import Type

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
DEPTH = 3
"""Buffers of pointers to buffers of pointers: how deep."""
_SLOTS = 4096
_HALVES = {"__half": "half", "__nv_bfloat16": "bfloat16"}


@attrs.frozen
class Slot:
    """One number or pointer. `kind`: int, float, half, bfloat16 or pointer (`target` is the pointee)."""

    offset: int
    size: int
    kind: str
    target: Type | None = None


@attrs.frozen
class Layout:
    """A type's size in bytes and what lies in it."""

    size: int
    slots: tuple[Slot, ...]


def layout(t: Type) -> Layout:
    """Of a C++ type; void counts as int. Unknown contents (empty classes, functions) have no slots."""
    out: list[Slot] = []
    _slots(t, 0, out)
    return Layout(max(t.size, 1), tuple(out))


def _slots(t: Type, at: int, out: list[Slot]) -> None:
    if len(out) >= _SLOTS:
        return
    if t.kind == "array" and t.elem is not None:
        for k in range(min(t.count, _SLOTS)):
            _slots(t.elem, at + k * t.elem.size, out)
    elif t.kind == "record" and t.record is not None:
        if t.name in _HALVES:
            out.append(Slot(at, 2, _HALVES[t.name]))
            return
        for base, offset in t.record.bases:
            _slots(base, at + offset, out)
        for field in t.record.fields[t.record.inherited :]:
            _slots(field.type, at + field.offset, out)
    elif t.kind in ("pointer", "reference"):
        out.append(Slot(at, 8, "pointer", t.elem))
    elif t.kind == "float":
        out.append(Slot(at, t.size, "float"))
    elif t.kind in ("int", "bool", "enum"):
        out.append(Slot(at, t.size, "bool" if t.kind == "bool" else "int"))
    elif t.kind == "void":
        out.append(Slot(at, 1, "int"))


def numbers(slot: Slot, count: int, rng: np.random.Generator) -> Bytes:
    """[count, slot.size] bytes of random values."""
    if slot.kind == "float":
        values: Any = rng.uniform(0.5, 2, count).astype(np.float32 if slot.size == 4 else np.float64)
    elif slot.kind == "half":
        values = rng.uniform(0.5, 2, count).astype(np.float16)
    elif slot.kind == "bfloat16":
        values = (rng.uniform(0.5, 2, count).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif slot.kind == "bool":
        values = rng.integers(0, 2, count).astype(np.uint8)
    else:
        values = np.zeros((count, slot.size), np.uint8)
        values[:, 0] = rng.integers(0, 12, count)
    return np.asarray(values).view(np.uint8).reshape(count, slot.size)


def fill(shape: Layout, size: int, seed: int, pointer: Callable[[Type | None, int], int]) -> Bytes:
    """`size` bytes of consecutive objects; `pointer(pointee, k)` gives the address that the k-th pointer slot holds."""
    rng = np.random.default_rng(seed)
    count = max(1, size // shape.size)
    out = np.zeros((count, shape.size), np.uint8)
    for k, slot in enumerate(shape.slots):
        if slot.kind == "pointer":
            address = np.array([pointer(slot.target, k)], np.uint64).view(np.uint8)
            out[:, slot.offset : slot.offset + 8] = address
        else:
            out[:, slot.offset : slot.offset + slot.size] = numbers(slot, count, rng)
    return out.reshape(-1)


def argument(shape: Layout, integer: int, pointer: Callable[[Type | None, int], int]) -> bytes:
    """One parameter: integers are `integer`, floats 1.25, pointers lead to buffers."""
    out = bytearray(shape.size)
    for k, slot in enumerate(shape.slots):
        if slot.kind == "pointer":
            data = pointer(slot.target, k).to_bytes(8, "little")
        elif slot.kind == "float":
            data = np.array(1.25, np.float32 if slot.size == 4 else np.float64).tobytes()
        elif slot.kind in ("half", "bfloat16"):
            data = (0x3D00 if slot.kind == "half" else 0x3FA0).to_bytes(2, "little")
        else:
            data = (1 if slot.kind == "bool" else integer).to_bytes(16, "little")[: slot.size]
        out[slot.offset : slot.offset + slot.size] = data
    return bytes(out)
