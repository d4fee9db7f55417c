"""`minicc cache info|clear|warm`: what is kept between runs: compiled execute functions and the SM model."""

from __future__ import annotations

import json
import shutil
import sys

from minicc.diagnostics import fail

HELP = """Usage: minicc cache [info|clear|warm] [--json]

The SM model and the execute functions of instructions are compiled once and kept between runs.

  info      where they are kept, and how much (default); --json for programs
  clear     forget them
  warm      compile what is missing now, not in the first run

MINICC_CACHE_DIR in the environment names another folder.
"""


def main(words: list[str]) -> int:
    """Print where the cache is and what it holds, empty it, or fill it."""
    from runtime.cache import root

    as_json = "--json" in words
    words = [word for word in words if word != "--json"]
    command = words[0] if words else "info"
    if command in ("-h", "--help"):
        print(HELP, end="")
        return 0
    if len(words) > 1:
        fail("cli.input", f"minicc cache takes info, clear or warm; what is '{words[1]}'?")
    directory = root()
    files = [path for path in directory.rglob("*") if path.is_file()] if directory.exists() else []
    size = sum(path.stat().st_size for path in files)
    if command == "info" and as_json:
        print(json.dumps({"schema": 1, "directory": str(directory), "files": len(files), "bytes": size}))
    elif command == "info":
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
