"""cubin (ELF), fatbin, host object and registration stub: readers and writers. Loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minicc.binary.cubin_read import read_cubin
    from minicc.binary.cubin_write import write_cubin
    from minicc.binary.fatbin import Entry, read_fatbin, write_fatbin
    from minicc.binary.hostobj import write_object
    from minicc.binary.stub import stub_c

_WHERE = {
    "read_cubin": "cubin_read",
    "write_cubin": "cubin_write",
    "Entry": "fatbin",
    "read_fatbin": "fatbin",
    "write_fatbin": "fatbin",
    "write_object": "hostobj",
    "stub_c": "stub",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        from importlib import import_module

        return getattr(import_module(f"minicc.binary.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'minicc.binary' has no attribute '{name}'")


__all__ = ["Entry", "read_cubin", "read_fatbin", "stub_c", "write_cubin", "write_fatbin", "write_object"]
