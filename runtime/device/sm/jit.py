"""Compiling the engine, once per host.

There are two machines, timed and untimed, and the extension; each is one piece of machine code with one entry, made by
`lang` and LLVM and kept as an object file. The directory is named by a hash of every source of the engine. Where none
is writable the engine is compiled in each process.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from runtime.cache import root
from runtime.device.sm.lang import FUNCTIONS, Function, Program

RECORDING = "MINICC_RECORD" in os.environ
"""Whether this process has the engine that records issues (see `observe`)."""

_COMMON = ("raw", "vector", "invoke", "extend", "access", "front", "converge", "control", "cta", "memop")
_MEMORY = ("l2", "ahead", "hazard", "observe", "units", "issue", "machine")
_EXTENSION = ("l2", "mbarrier", "cluster", "share", "bulk", "tma", "sync", "gmma", "texture", "heap", "extension")
MACHINES = {"timed": "machine", "untimed": "functional", "extension": "extension"}
"""The module that has the entry of either machine and of what both call by address (see `extend`)."""
_LANGUAGE = ("layout", "abi", "table", "lang", "emit", "jit")
_SOURCES = dict.fromkeys((*_COMMON, *_MEMORY, "functional", "warming", *_EXTENSION, *_LANGUAGE))


@cache
def _target() -> Any:
    """LLVM's machine for this host."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, reloc="default", codemodel="jitdefault"
    )


@cache
def cache_directory() -> Path | None:
    """Where compiled code of exactly these sources is kept; None if nothing is writable."""
    import llvmlite
    import llvmlite.binding as llvm

    variant = f"{llvmlite.__version__} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()} {RECORDING}"
    digest = hashlib.sha256(variant.encode())
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes() + b"\0")
    for base in (root(), Path(tempfile.gettempdir()) / f"minicc-{os.getuid()}"):
        directory = base / "sm" / digest.hexdigest()[:20]
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = directory / f".probe{os.getpid()}"
            probe.write_bytes(b"")
            probe.unlink()
            if directory.stat().st_uid == os.getuid():
                return directory
        except OSError:
            continue
    return None


def _entry(machine: str) -> Function:
    """The function that Python calls, or whose address the machines have."""
    module = MACHINES[machine]
    importlib.import_module(f"runtime.device.sm.{module}")
    return next(f for f in FUNCTIONS if f.entry and f.module == module)


def program(machine: str) -> str:
    """The LLVM IR of a machine, as it is before LLVM sees it."""
    return Program([_entry(machine)]).text()


def optimised(text: str) -> bytes:
    """An object file of LLVM IR."""
    import llvmlite.binding as llvm

    target = _target()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


_addresses: dict[str, int] = {}
_held: list[Any] = []
"""LLVM's engines, which own the machine code."""


def _load(machine: str, data: bytes) -> None:
    """Make the machine code of an object file callable."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    own = llvm.Target.from_default_triple().create_target_machine(cpu=llvm.get_host_cpu_name(), features=features)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), own)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(data))
    engine.finalize_object()
    _held.append(engine)
    entry = _entry(machine)
    address = _addresses[machine] = engine.get_function_address(entry.name)
    assert address, entry.name
    entry.call = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * (len(entry.parameters) + 1))(address)


def warm(progress: Callable[[str], None] | None = None, machines: tuple[str, ...] = ("timed", "untimed")) -> None:
    """Load the machines, compiling what is not kept yet (seconds, the first time). Two processes that find nothing do
    not both work."""
    for machine in machines:
        if machine in _addresses:
            continue
        _target()
        directory = cache_directory()
        kept = directory / f"{machine}.o" if directory is not None else None
        if kept is not None and kept.exists():
            _load(machine, kept.read_bytes())
            continue
        with _locked(directory):
            if kept is not None and kept.exists():
                data = kept.read_bytes()
            else:
                if progress is not None:
                    progress(machine)
                data = optimised(program(machine))
                if kept is not None:
                    aside = kept.with_suffix(f".{os.getpid()}")
                    aside.write_bytes(data)
                    aside.replace(kept)
        _load(machine, data)


def extension_address() -> int:
    """Host address of the extension's entry (see `extend`), compiled or loaded."""
    warm(machines=("extension",))
    return _addresses["extension"]


@contextlib.contextmanager
def _locked(directory: Path | None) -> Iterator[None]:
    """Hold the lock of a directory, where there is one and the system has locks."""
    if directory is None:
        yield
        return
    with open(directory / "lock", "w") as lock:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


__all__ = ["RECORDING", "cache_directory", "extension_address", "optimised", "program", "warm"]
