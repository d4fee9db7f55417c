"""Python values to kernel parameters: kind and range are checked before anything runs.

What is known of a parameter is its size; its C++ type too where the kernel's name is mangled. Used for the SM model and
for a real GPU alike, so it knows devices only through two callbacks.
"""

from __future__ import annotations

import ctypes
import numbers
import struct
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol, runtime_checkable

import attrs
import numpy as np

from minicc.binary.mangling import Type
from minicc.record import evolve
from runtime.errors import LaunchError


@attrs.frozen
class Parameter:
    """One kernel parameter: byte offset in the parameter area, size, and type where known."""

    offset: int
    size: int
    type: Type = Type("unknown")


@runtime_checkable
class DevicePointer(Protocol):
    """Anything that is on the device already."""

    address: int
    dtype: np.dtype[Any]


@attrs.frozen
class GpuArray:
    """An array of another library in the memory of a real GPU."""

    address: int
    dtype: np.dtype[Any]


def adopted(value: object) -> object:
    """Arrays of other libraries as what a launch takes: those of the host (PyTorch's tensors among them) as numpy
    arrays of the same memory, those of a GPU as `GpuArray`. All else as it is."""
    if isinstance(value, np.ndarray | np.generic | DevicePointer):
        return value
    if (face := getattr(value, "__cuda_array_interface__", None)) is not None:
        if face.get("strides") is not None:
            raise LaunchError("launch.argument", f"an array of shape {face['shape']} on a GPU is not contiguous")
        return GpuArray(int(face["data"][0]), np.dtype(face["typestr"]))
    if hasattr(value, "__array_interface__") or (hasattr(value, "__dlpack__") and hasattr(value, "__array__")):
        return np.asarray(value)
    return value


@attrs.frozen(eq=False)
class HostArray:
    """A numpy array that was copied to `address` for this launch; copied back afterwards if the kernel may write it."""

    array: np.ndarray[Any, Any]
    address: int
    written: bool


Upload = Callable[[np.ndarray[Any, Any]], int]
"""Copies an array to the device and returns its address."""


def pack(
    kernel: str,
    parameters: Sequence[Parameter],
    values: Sequence[object],
    upload: Upload,
    size: int | None = None,
) -> tuple[bytes, list[HostArray]]:
    """(the parameter area, arrays to copy back). `size` is the area's, else the end of the last parameter. All values
    are checked before the first array is uploaded; `LaunchError` says which argument is wrong and why."""
    if len(values) != len(parameters):
        raise LaunchError(
            "launch.arguments", f"kernel '{kernel}' takes {len(parameters)} arguments; {len(values)} were given"
        )
    plain: list[bytes | None] = []
    for i, (parameter, value) in enumerate(zip(parameters, values, strict=True)):
        plain.append(_check(kernel, i, parameter, value))
    area = bytearray(size if size is not None else max((p.offset + p.size for p in parameters), default=0))
    arrays: dict[tuple[int, tuple[int, ...], tuple[int, ...], str], HostArray] = {}
    for parameter, value, data in zip(parameters, values, plain, strict=True):
        if data is None:
            assert isinstance(value, np.ndarray)
            key = (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype.str)
            if key not in arrays:
                arrays[key] = HostArray(value, upload(value), False)
            if not _const(parameter):
                arrays[key] = evolve(arrays[key], written=True)
            data = struct.pack("<Q", arrays[key].address)
        area[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(area), list(arrays.values())


def _const(parameter: Parameter) -> bool:
    return parameter.type.kind == "pointer" and parameter.type.const


def _describe(parameter: Parameter) -> str:
    kind = parameter.type.kind
    words = {
        "int": "signed integer",
        "uint": "unsigned integer",
        "class": "struct or enumeration",
        "unknown": "parameter",
    }
    return f"{'an' if parameter.size == 8 else 'a'} {parameter.size}-byte {words.get(kind, kind)}"


def _check(kernel: str, index: int, parameter: Parameter, value: object) -> bytes | None:
    """The parameter's bytes, or None for a numpy array that has to be uploaded."""

    def wrong(why: str) -> NoReturn:
        raise LaunchError("launch.argument", f"kernel '{kernel}', argument {index}: {why}")

    kind, size = parameter.type.kind, parameter.size
    # A texture object is passed as the number that it is in C.
    value = getattr(value, "handle", value)
    if isinstance(value, ctypes.Structure | ctypes.Union | ctypes.Array):
        value = bytes(value)
    elif isinstance(value, ctypes._SimpleCData):
        value = value.value
    if isinstance(value, np.ndarray) and value.ndim == 0 and kind != "pointer":
        value = value[()]
    if isinstance(value, np.ndarray) or (isinstance(value, DevicePointer) and not isinstance(value, np.generic)):
        dtype = np.dtype(value.dtype)
        if kind == "class" or (kind == "unknown" and size != 8):
            if isinstance(value, np.ndarray) and value.nbytes == size:
                return value.tobytes()
            held = f" of {value.nbytes} bytes" if isinstance(value, np.ndarray) else ""
            wrong(f"{_describe(parameter)} is expected, not an array{held}")
        if kind not in ("pointer", "unknown"):
            wrong(f"{_describe(parameter)} is expected, not an array")
        if not dtype.isnative:
            wrong(f"an array of {dtype.str}: its bytes are in the order of other machines; see numpy.ndarray.astype")
        if isinstance(value, np.ndarray) and dtype.hasobject:
            wrong("an array of Python objects cannot be passed")
        target = parameter.type.pointee
        if target is not None and target.kind in ("int", "uint", "float", "bool") and target.size > 1:
            floating = dtype.kind == "f"
            if dtype.kind in "iufb" and (dtype.itemsize != target.size or floating != (target.kind == "float")):
                wrong(f"a pointer to {_plain(target)} is expected, not an array of {dtype}")
        return None if isinstance(value, np.ndarray) else struct.pack("<Q", value.address)
    if value is None:
        if kind not in ("pointer", "unknown") or size != 8:
            wrong(f"None is no value for {_describe(parameter)}")
        return bytes(8)
    if isinstance(value, bytes | bytearray | np.void):
        data = value.tobytes() if isinstance(value, np.void) else bytes(value)
        if len(data) != size:
            wrong(f"{len(data)} bytes given for {_describe(parameter)}")
        return data
    if isinstance(value, bool | np.bool_):
        value = int(value)
    if isinstance(value, numbers.Integral):
        return _integer(int(value), parameter, wrong)
    if isinstance(value, numbers.Real):
        return _real(value, parameter, wrong)
    how = {
        "pointer": "a numpy array or a Buffer",
        "class": f"{size} bytes: a numpy record, a ctypes.Structure or bytes; of an enumeration the number",
    }
    wrong(f"cannot pass a {type(value).__name__} as {_describe(parameter)}; give {how.get(kind, 'a number')}")


def _plain(target: Type) -> str:
    return f"{8 * target.size}-bit {'float' if target.kind == 'float' else 'integer'}s"


def _integer(value: int, parameter: Parameter, wrong: Callable[[str], NoReturn]) -> bytes:
    kind, size = parameter.type.kind, parameter.size
    if kind == "float":
        return _float(float(value), size, wrong)
    if size not in (1, 2, 4, 8):  # One of these may be an enumeration: its name looks like a class's.
        wrong(f"an integer is no value for {_describe(parameter)}")
    low = 0 if kind in ("uint", "bool", "pointer") else -(1 << 8 * size - 1)
    high = {"bool": 1, "int": (1 << 8 * size - 1) - 1}.get(kind, (1 << 8 * size) - 1)
    if not low <= value <= high:
        wrong(f"{value} does not fit in {_describe(parameter)}")
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def _float(value: float, size: int, wrong: Callable[[str], NoReturn]) -> bytes:
    dtype = {2: np.float16, 4: np.float32, 8: np.float64}.get(size)
    if dtype is None:
        wrong(f"a float is no value for a parameter of {size} bytes")
    with np.errstate(over="ignore"):
        return np.array(value, dtype=np.float64).astype(dtype).tobytes()


def _real(value: Any, parameter: Parameter, wrong: Callable[[str], NoReturn]) -> bytes:
    kind, size = parameter.type.kind, parameter.size
    if kind not in ("float", "unknown"):
        wrong(f"{value!r} is a float; {_describe(parameter)} is expected")
    return _float(float(value), size, wrong)
