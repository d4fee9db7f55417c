"""Compiling the engine, once per host.

There are two machines, timed and untimed, and the extension; each is one piece of machine code with one entry, made by
`lang` and LLVM and kept as an object file. The directory is named by a hash of every source of the engine. Where none
is writable the engine is compiled in each process.

What is wanted first is a draft: code after few passes, which LLVM makes in a tenth of the time and which takes twice as
long. Once drafts have run for `PATIENCE` seconds on this host, in one process or in many, the machine is compiled in
full, between two calls of its entry (`go_on`): all that it knows is in the tables.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from runtime.cache import root
from runtime.device.sm.language.lang import FUNCTIONS, Function, Program

RECORDING = "MINICC_RECORD" in os.environ
"""Whether this process has the engine that records issues (see `observe`)."""

MACHINES = {"timed": "machine", "untimed": "functional", "extension": "extension"}
"""The module that has the entry of either machine and of what both call by address (see `extend`)."""
_ENGINE = Path(__file__).parents[1]
_SOURCES = ("tables", "language", "memory", "core", "extension", "machines", "execute/abi.py")
"""What the machines are made of, beneath `_ENGINE`."""

PATIENCE = 2.0
"""Seconds for which drafts of a machine run before it is compiled in full (which takes two to three)."""
NOTED = PATIENCE / 100
"""Seconds of them after which a process notes them again: to write a file takes as long as a small launch."""
_QUICK = ("always_inliner", "sroa", "simplify_cfg", "global_dead_code_eliminate")
"""LLVM's passes for a draft."""


@cache
def _llvm() -> Any:
    """LLVM, ready for this host."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def _target(effort: int = 2) -> Any:
    """LLVM's machine for this host. `effort` 0 selects instructions and registers quickly."""
    llvm = _llvm()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=effort, reloc="default", codemodel="jitdefault"
    )


@cache
def cache_directory() -> Path | None:
    """Where compiled code of exactly these sources is kept; None if nothing is writable."""
    import llvmlite
    import llvmlite.binding as llvm

    variant = f"{llvmlite.__version__} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()} {RECORDING}"
    digest = hashlib.sha256(variant.encode())
    for place in (_ENGINE / name for name in _SOURCES):
        for source in sorted(place.glob("*.py")) or [place]:
            digest.update(source.read_bytes() + b"\0")
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


@cache
def _entry(machine: str) -> Function:
    """The function that Python calls, or whose address the machines have."""
    module = MACHINES[machine]
    importlib.import_module(f"runtime.device.sm.machines.{module}")
    return next(f for f in FUNCTIONS if f.entry and f.module == module)


def program(machine: str) -> str:
    """The LLVM IR of a machine, as it is before LLVM sees it."""
    return Program([_entry(machine)]).text()


def optimised(text: str, draft: bool = False) -> bytes:
    """An object file of LLVM IR."""
    llvm = _llvm()
    target = _target(0 if draft else 2)
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    if draft:
        passes = llvm.create_new_module_pass_manager()
        for name in _QUICK:
            getattr(passes, f"add_{name}_pass")()
    else:
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    return bytes(target.emit_object(module))


_addresses: dict[str, int] = {}
_held: list[Any] = []
"""LLVM's engines, which own the machine code."""
_drafts: dict[str, float] = {}
"""The machines of this process that are drafts, and for how many seconds drafts of them have run."""
_noted: dict[str, float] = {}
"""How many of those seconds were noted last."""


def _load(machine: str, data: bytes) -> None:
    """Make the machine code of an object file callable."""
    llvm = _llvm()
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


def warm(progress: Callable[[str], None] | None = None, machines: tuple[str, ...] = tuple(MACHINES)) -> None:
    """Compile in full what is not kept yet (seconds), and load it."""
    for machine in machines:
        if machine in _drafts or machine not in _addresses:
            _load(machine, _object(machine, False, progress))
            _drafts.pop(machine, None)


def ready(machine: str) -> None:
    """Load a machine: as it is kept, or a draft (a third of a second, the first time)."""
    if machine in _addresses:
        return
    full = _kept(machine, False)
    if full is not None and full.exists():
        warm(machines=(machine,))
    else:
        _load(machine, _object(machine, True))
        _drafts[machine] = _spent(machine)


def go_on(machine: str, turns: int, tables: int) -> int:
    """Call a machine's entry. Drafts, also of the extension, that have run for long enough are replaced first."""
    if _drafts:
        warm(machines=tuple(name for name, seconds in _drafts.items() if seconds > PATIENCE))
    began = time.thread_time()
    result = call(machine, turns, tables)
    for name in _drafts.keys() & {machine, "extension"}:
        _drafts[name] += time.thread_time() - began
        if result and _drafts[name] >= _noted.get(name, -NOTED) + NOTED:
            _noted[name] = _spent(name, _drafts[name])
    return result


def call(machine: str, turns: int, tables: int) -> int:
    """Call a machine's entry as it is."""
    return int(_entry(machine)(turns, tables))


def extension_address() -> int:
    """Host address of the extension's entry (see `extend`), compiled or loaded."""
    ready("extension")
    return _addresses["extension"]


def _kept(machine: str, draft: bool) -> Path | None:
    directory = cache_directory()
    return None if directory is None else directory / f"{machine}{'.draft' if draft else ''}.o"


def _spent(machine: str, seconds: float = 0) -> float:
    """For how long drafts of a machine have run, noted beside them."""
    draft = _kept(machine, True)
    if draft is not None:
        with contextlib.suppress(OSError, ValueError):
            note = draft.with_suffix(".seconds")
            if seconds:
                note.write_text(f"{seconds:.3f}")
            return float(note.read_text())
    return seconds


def _object(machine: str, draft: bool, progress: Callable[[str], None] | None = None) -> bytes:
    """The object file of a machine, kept or compiled. Two processes that find nothing do not both work."""
    kept = _kept(machine, draft)
    if kept is not None and kept.exists():
        return kept.read_bytes()
    with _locked(kept.parent if kept is not None else None):
        if kept is not None and kept.exists():
            return kept.read_bytes()
        if progress is not None:
            progress(machine)
        data = optimised(program(machine), draft)
        if kept is not None:
            aside = kept.with_suffix(f".{os.getpid()}")
            try:
                aside.write_bytes(data)
                aside.replace(kept)
            except OSError:  # a full disk: it is compiled again next time
                aside.unlink(missing_ok=True)
        return data


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
