"""Compiling the engine with numba, once per machine.

numba's file cache does not notice when a callee in another file changes, so the cache directory is named by a hash of
every source of this package. Where no directory is writable the engine is compiled in each process. `warm` loads (or
compiles) everything under a file lock, so that two cold processes do not both work.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core import config as numba_config

from runtime.cache import root
from runtime.device.sm.table import ROWS, Table

RECORDING = "MINICC_RECORD" in os.environ
"""Whether this process has the engine that records issues (see `observe`)."""

config = cast(Any, numba_config)
"""numba sets its settings as attributes at run time."""

MODULES = ("raw", "l2", "access", "front", "converge", "control", "memop", "functional", "hazard", "observe",
           "issue", "machine")  # fmt: skip
"""The modules that hold compiled functions, callees first."""

_SOURCES = (*MODULES, "layout", "abi", "invoke", "table", "vector", "jit")


@cache
def cache_directory() -> Path | None:
    """Where compiled code of exactly these sources is kept; None if nothing is writable."""
    variant = f"{numba.__version__} {config.CPU_NAME} {config.CPU_FEATURES} {RECORDING}"
    digest = hashlib.sha256(variant.encode())
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes() + b"\0")
    for base in (root(), Path(tempfile.gettempdir()) / f"minicc-{os.getuid()}"):
        directory = base / "sm" / digest.hexdigest()[:20]
        try:
            directory.mkdir(parents=True, exist_ok=True)
            probe = directory / f".probe{os.getpid()}"
            probe.write_bytes(b"")
            probe.unlink()
            return directory
        except OSError:
            continue
    return None


def _signature(text: str, function: Callable[..., Any]) -> Any:
    """`text`, with the arguments that are arrays typed as the tables of their names."""
    result, _, arguments = text.partition("(")
    kinds: list[Any] = []
    words = re.findall(r"\w+(?:\[[^]]*\])?", arguments)
    for name, word in zip(inspect.signature(function).parameters, words, strict=True):
        kinds.append(Table(ROWS[name]) if "[" in word else getattr(numba.types, word))
    return getattr(numba.types, result)(*kinds)


def compiled(signature: str, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` with an explicit signature (arrays are tables, see `table`), no bounds checks, and this package's
    cache."""

    def decorate(function: Callable[..., Any]) -> Any:
        directory = cache_directory()
        before = config.CACHE_DIR
        try:
            if directory is not None:
                config.CACHE_DIR = str(directory)
            return cast(Any, numba.njit)(
                _signature(signature, function),
                cache=directory is not None,
                boundscheck=False,
                _nrt=False,
                error_model="numpy",
                **options,
            )(function)
        finally:
            config.CACHE_DIR = before

    return decorate


def warm(progress: Callable[[str], None] | None = None) -> None:
    """Load every compiled module, compiling what is not cached yet (tens of seconds the first time)."""
    directory = cache_directory()
    lock = None
    try:
        if directory is not None:
            lock = open(directory / "lock", "w")  # noqa: SIM115 - held until the end of the function
            try:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX)
            except (ImportError, OSError):
                pass
        for name in MODULES:
            if progress is not None:
                progress(f"SM model: {name}")
            importlib.import_module(f"runtime.device.sm.{name}")
    finally:
        if lock is not None:
            lock.close()
