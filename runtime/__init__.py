"""Runs what minicc builds: on the SM model, or on a real GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.api import Buffer, Event, Kernel, Launch, Module, Stream, Variable
    from runtime.errors import DeviceError, LaunchError

    # `api.Device` is abstract: calling it makes the kind that the name asks for. All take what the model takes.
    from runtime.model import ModelDevice as Device

_API = ("Buffer", "Device", "Event", "Kernel", "Launch", "Module", "Stream", "Variable")
_ERRORS = ("DeviceError", "LaunchError")


def __getattr__(name: str) -> Any:
    if name in _API:
        from runtime import api

        return getattr(api, name)
    if name in _ERRORS:
        from runtime import errors

        return getattr(errors, name)
    raise AttributeError(f"module 'runtime' has no attribute '{name}'")


__all__ = [
    "Buffer",
    "Device",
    "DeviceError",
    "Event",
    "Kernel",
    "Launch",
    "LaunchError",
    "Module",
    "Stream",
    "Variable",
]
