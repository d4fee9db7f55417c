"""Compiled execute functions on disk: one small object file per semantic form.

The name of a file is a hash of everything that its code depends on: the form's key, the sources of the semantics and of
the code generator, the version of llvmlite, the CPU and its features.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import minicc.sass.semantics as semantics
from runtime import cache as cache_root


@cache
def source_hash() -> str:
    """Hash of the Python sources that decide what the generated code does."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    paths = sorted(Path(semantics.__file__).parent.glob("*.py"))
    paths += [here / n for n in ("abi.py", "codegen_llvm.py", "codegen_cache.py", "codegen.py")]
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def directory() -> Path:
    """Where objects are kept: beside the other compiled code (`runtime.cache`), but under names that survive changes
    elsewhere in the package. A folder of another user is never used, since objects are code."""
    path = cache_root.root() / "execute"
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = path / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
        if not hasattr(os, "getuid") or path.stat().st_uid == os.getuid():
            return path
    except OSError:
        pass
    return cache_root.directory()


def name_of(key: str, target: str) -> str:
    """File name (and symbol stem) of a form for a target description."""
    text = "\0".join((key, target, source_hash()))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def load(name: str) -> bytes | None:
    """The object, if it is there."""
    try:
        return (directory() / f"{name}.o").read_bytes()
    except OSError:
        return None


def store(name: str, data: bytes) -> None:
    """Keeps an object; written aside and renamed, so that readers never see half of it."""
    folder = directory()
    temporary = folder / f".{name}.{os.getpid()}"
    try:
        temporary.write_bytes(data)
        temporary.replace(folder / f"{name}.o")
    except OSError:
        temporary.unlink(missing_ok=True)
