"""`minicc cache info|clear|warm`: what is kept between runs: compiled execute functions and the SM model."""

from __future__ import annotations

import shutil
import sys

from minicc.diagnostics import fail


def main(words: list[str]) -> int:
    """Print where the cache is and what it holds, empty it, or fill it."""
    from runtime.cache import root

    command = words[0] if words else "info"
    directory = root()
    files = [path for path in directory.rglob("*") if path.is_file()] if directory.exists() else []
    size = sum(path.stat().st_size for path in files)
    if command == "info":
        print(f"{directory}\n{len(files)} files, {size / 1e6:.1f} MB")
    elif command == "clear":
        shutil.rmtree(directory, ignore_errors=True)
        print(f"removed {len(files)} files, {size / 1e6:.1f} MB from {directory}")
    elif command == "warm":
        warm()
    else:
        fail("cli.bad-value", f"minicc cache takes info, clear or warm, not '{command}'")
    return 0


def warm() -> None:
    """Compile what is compiled once, with a line for each part on standard error; nothing if it is there."""
    from runtime.device import sm

    sm.warm(lambda machine: print(f"minicc: compiling the SM model ({machine}), once", file=sys.stderr))
