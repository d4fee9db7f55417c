"""libcuda through ctypes: the calls that `runtime.cuda` makes, each checked."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from runtime.errors import DeviceError, LaunchError

JIT_INFO_LOG, JIT_INFO_LOG_BYTES, JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 3, 4, 5, 6
"""CUjit_option."""
FUNC_MAX_THREADS, FUNC_SHARED, FUNC_LOCAL, FUNC_REGISTERS, FUNC_MAX_DYNAMIC_SHARED = 0, 1, 3, 4, 8
FUNC_NON_PORTABLE_CLUSTER = 14
"""CUfunction_attribute."""
CLUSTER_DIMENSION = 4
"""CUlaunchAttributeID."""
PORTABLE_CLUSTER = 8
"""Blocks of a cluster that every device has."""

# Errors that say what was asked is wrong, rather than that the device failed.
_ASKED = {"CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_IMAGE", "CUDA_ERROR_NOT_FOUND", "CUDA_ERROR_OUT_OF_MEMORY",
          "CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_PTX", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
          "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "CUDA_ERROR_INVALID_DEVICE", "CUDA_ERROR_NO_DEVICE"}  # fmt: skip


class Driver:
    """The loaded library. Calling it with a function's name and arguments runs that function and raises on failure:
    `LaunchError` if the request was wrong, `DeviceError` if the device failed."""

    def __init__(self) -> None:
        try:
            self.lib = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise LaunchError("cuda.driver", f"no CUDA driver on this machine: {error}") from None
        self("cuInit", ctypes.c_uint(0))

    def __call__(self, name: str, *args: Any) -> None:
        status = self.function(name)(*args)
        if status:
            code, text = self.describe(status)
            kind = code.removeprefix("CUDA_ERROR_").lower()
            if code in _ASKED:
                raise LaunchError(f"cuda.call.{kind}", f"{name}: {code} ({text})")
            raise DeviceError(f"{name}: {code} ({text})", kind)

    def function(self, name: str) -> Any:
        """The C function; `LaunchError` if this driver is too old to have it."""
        try:
            return getattr(self.lib, name)
        except AttributeError:
            raise LaunchError("cuda.driver", f"the CUDA driver has no {name}; it is too old") from None

    def has(self, name: str) -> bool:
        """Whether this driver has the function."""
        return hasattr(self.lib, name)

    def describe(self, status: int) -> tuple[str, str]:
        """(CUDA_ERROR_..., text) of a status."""
        name, text = ctypes.c_char_p(), ctypes.c_char_p()
        self.lib.cuGetErrorName(ctypes.c_int(status), ctypes.byref(name))
        self.lib.cuGetErrorString(ctypes.c_int(status), ctypes.byref(text))
        return (name.value or b"CUDA_ERROR_UNKNOWN").decode(), (text.value or b"?").decode()


@cache
def driver() -> Driver:
    """The one loaded driver."""
    return Driver()


class _Attribute(ctypes.Structure):
    """CUlaunchAttribute; the value is a union of 64 bytes."""

    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16))


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint),
    )  # fmt: skip


def launch_config(
    grid: tuple[int, int, int], block: tuple[int, int, int], shared: int, stream: int, cluster: tuple[int, int, int]
) -> LaunchConfig:
    """A launch in clusters."""
    attribute = _Attribute(CLUSTER_DIMENSION, 0, (ctypes.c_uint * 16)(*cluster))
    three = ctypes.c_uint * 3
    return LaunchConfig(three(*grid), three(*block), shared, stream, ctypes.pointer(attribute), 1)
