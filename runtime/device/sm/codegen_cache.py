"""Compiled execute functions on disk: one small object file per semantic form.

The name of a file is a hash of everything that its code depends on: the form's key, the sources of the semantics and of
the code generator, the version of llvmlite, the CPU and its features. A directory that cannot be written is replaced by
one under the system's temporary folder; without either, nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

import minicc.sass.semantics as semantics


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
def directory() -> Path | None:
    """Where objects are kept, or None. MINICC_CACHE_DIR, then XDG_CACHE_HOME, then ~/.cache, then the temporary folder."""
    base = os.environ.get("MINICC_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    candidates = [Path(base)] if base else []
    if not base:
        candidates += [Path.home() / ".cache"]
    candidates.append(Path(tempfile.gettempdir()) / f"minicc-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
    for candidate in candidates:
        path = candidate / "minicc" / "execute"
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = path / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError:
            continue
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            continue  # objects are code: never load another user's
        return path
    return None


def name_of(key: str, target: str) -> str:
    """File name (and symbol stem) of a form for a target description."""
    text = "\0".join((key, target, source_hash()))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def load(name: str) -> bytes | None:
    """The object, if it is there."""
    folder = directory()
    if folder is None:
        return None
    try:
        return (folder / f"{name}.o").read_bytes()
    except OSError:
        return None


def store(name: str, data: bytes) -> None:
    """Keeps an object; written aside and renamed, so that readers never see half of it."""
    folder = directory()
    if folder is None:
        return
    temporary = folder / f".{name}.{os.getpid()}"
    try:
        temporary.write_bytes(data)
        temporary.replace(folder / f"{name}.o")
    except OSError:
        temporary.unlink(missing_ok=True)
