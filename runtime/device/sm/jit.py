"""Compiling the engine with numba, once per host.

There are two machines, timed and untimed; each is one piece of machine code, in which numba has all functions together.
numba's file cache does not notice when a callee in another file changes, so the cache directory is named by a hash of
every source of this package. Where no directory is writable the engine is compiled in each process. `warm` loads (or
compiles) a machine under a file lock.
"""

# mypy: disable-error-code="no-untyped-call"
# numba is untyped.

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import inspect
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import attrs
import numba
from numba.core import config as numba_config
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target

from runtime.cache import root
from runtime.device.sm.table import ROWS, Table

RECORDING = "MINICC_RECORD" in os.environ
"""Whether this process has the engine that records issues (see `observe`)."""

config = cast(Any, numba_config)
"""numba sets its settings as attributes at run time."""

_COMMON = ("raw", "access", "front", "converge", "control", "cta", "memop")
MODULES = {
    "timed": (*_COMMON, "l2", "hazard", "observe", "issue", "machine"),
    "untimed": (*_COMMON, "functional"),
    "extension": (*_COMMON, "l2", "mbarrier", "cluster", "bulk", "tma", "sync", "gmma", "texture", "heap", "extension"),
}
"""The modules that hold compiled functions of either machine and of what both call by address (see `extend`), callees
first."""

_SOURCES = (
    *dict.fromkeys((*MODULES["timed"], *MODULES["untimed"], *MODULES["extension"])),
    "extend",
    "layout",
    "abi",
    "invoke",
    "table",
    "vector",
    "jit",
)


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


@attrs.frozen
class _Compiled:
    """A function, its signature, and the module that it is in."""

    dispatcher: Any
    signature: Any
    module: str


_PARTS: list[_Compiled] = []
_ENTRIES: list[_Compiled] = []
"""Functions that only compiled code calls, and those that Python calls, both in order of definition."""


def compiled(signature: str, entry: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` with an explicit signature (arrays are tables, see `table`), no bounds checks, nothing checked for
    division by zero. It is compiled by `warm`; `entry` says that Python calls it: only those are kept, with all that
    they call inside."""

    def decorate(function: Callable[..., Any]) -> Any:
        directory = cache_directory() if entry else None
        before = config.CACHE_DIR
        try:
            if directory is not None:
                config.CACHE_DIR = str(directory)
            dispatcher = cast(Any, numba.njit)(
                cache=directory is not None,
                boundscheck=False,
                _nrt=False,
                error_model="numpy",
                no_cpython_wrapper=not entry,
                no_cfunc_wrapper=True,
                **options,
            )(function)
        finally:
            config.CACHE_DIR = before
        module = function.__module__.rpartition(".")[2]
        (_ENTRIES if entry else _PARTS).append(_Compiled(dispatcher, _signature(signature, function), module))
        return dispatcher

    return decorate


class _Part(JITCodeLibrary):
    """The code of a function that only compiled code calls. Its callers take it in and are optimised as a whole, so
    it is neither optimised nor made machine code by itself: that would do the same work at every level of calls."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


def _compile(wanted: _Compiled, part: bool) -> None:
    """Compile (or load) a function once."""
    if wanted.dispatcher.overloads:
        return
    codegen: Any = cpu_target.target_context.codegen()
    ordinary = codegen._library_class
    try:
        if part:
            # There is no machine code that an environment (for objects of Python's) could be given to.
            codegen._library_class, codegen.set_env = _Part, lambda *_: None
        wanted.dispatcher.compile(wanted.signature)
    finally:
        codegen._library_class = ordinary
        vars(codegen).pop("set_env", None)
    wanted.dispatcher.disable_compile()


_ready: set[str] = set()


def warm(progress: Callable[[str], None] | None = None, machines: tuple[str, ...] = ("timed", "untimed")) -> None:
    """Load the machines, compiling what is not kept yet (some ten seconds the first time). Two processes that find
    nothing do not both work."""
    for machine in machines:
        if machine not in _ready:
            with _locked(cache_directory()) as directory, _uncollected():
                _warm(machine, directory, progress)
            _ready.add(machine)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection, which finds nothing in the millions of objects that compiling makes, and takes a
    sixth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def extension_address() -> int:
    """Host address of the extension's entry (see `extend`), compiled or loaded."""
    warm(machines=("extension",))
    entry = next(e for e in _ENTRIES if e.module == "extension")
    made = next(iter(entry.dispatcher.overloads.values()))
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


@contextlib.contextmanager
def _locked(directory: Path | None) -> Iterator[Path | None]:
    """Hold the lock of a directory, where there is one and the system has locks."""
    if directory is None:
        yield None
        return
    with open(directory / "lock", "w") as lock:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield directory


def _warm(machine: str, directory: Path | None, progress: Callable[[str], None] | None) -> None:
    modules = MODULES[machine]
    for name in modules:
        importlib.import_module(f"runtime.device.sm.{name}")
    kept = directory / machine if directory is not None else None
    if kept is None or not kept.exists():
        for name in modules:
            if progress is not None:
                progress(f"SM model, {machine}: {name}")
            for wanted in _PARTS:
                if wanted.module == name:
                    _compile(wanted, True)
        if progress is not None:
            progress(f"SM model, {machine}: machine code")
    for wanted in _ENTRIES:
        if wanted.module in modules:
            _compile(wanted, False)
    if kept is not None:
        kept.touch()
