"""Where compiled code is kept between runs.

One directory per state of the package's sources, because an object cache must not outlive the code that made it.
`MINICC_CACHE_DIR` moves it; where the place cannot be written, a temporary one serves for the life of the process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path


def root() -> Path:
    """Holds every version's cache: $MINICC_CACHE_DIR, else $XDG_CACHE_HOME/minicc, else ~/.cache/minicc."""
    if given := os.environ.get("MINICC_CACHE_DIR"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "minicc"


@cache
def fingerprint() -> str:
    """A hash of every source file that compiled code depends on, and of the libraries that compile it."""
    import importlib.metadata

    digest = hashlib.sha256()
    for package in ("runtime/device", "minicc/sass", "minicc/arch"):
        folder = Path(__file__).resolve().parent.parent / package
        for path in sorted(folder.rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    for library in ("llvmlite", "numpy"):
        digest.update(importlib.metadata.version(library).encode())
    return digest.hexdigest()[:16]


@cache
def directory() -> Path:
    """The directory for this state of the sources, created; a temporary one if it cannot be."""
    wanted = root() / fingerprint()
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        probe = wanted / f".write-{os.getpid()}"
        probe.touch()
        probe.unlink()
        return wanted
    except OSError:
        temporary = Path(tempfile.mkdtemp(prefix="minicc-cache-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return temporary
