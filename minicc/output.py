"""What a command leaves: files, and lines on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from minicc.diagnostics import Diagnostic, fail
from minicc.texts import as_bytes


def write(path: str, content: str | bytes) -> None:
    """Write a whole file or nothing: to a temporary name beside it, then renamed. "-" is standard output."""
    data = as_bytes(content) if isinstance(content, str) else content
    if path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as out:
                out.write(data)
            return
        folder, name = os.path.split(path)
        temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}")
        with open(temporary, "xb") as out:
            try:
                out.write(data)
                out.flush()
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
    except OSError as error:
        fail("driver.cannot-write", f"{path}: {error.strerror or error}")


def say(as_json: bool, what: str, lines: list[str], prefix: str = "") -> None:
    """Lines of a report on standard error, as a document of its own if asked for."""
    if as_json and lines:
        import json

        print(json.dumps({"schema": 1, what: lines}), file=sys.stderr)
    elif lines:
        print("\n".join(prefix + line for line in lines), file=sys.stderr)


def report(diagnostics: Sequence[Diagnostic], as_json: bool) -> None:
    """Diagnostics on standard error."""
    if as_json:
        import json

        if diagnostics:
            print(json.dumps({"schema": 1, "diagnostics": [d.to_json() for d in diagnostics]}), file=sys.stderr)
        return
    for diagnostic in diagnostics:
        print(diagnostic.render(), file=sys.stderr)
    errors = sum(d.severity == "error" for d in diagnostics)
    if errors > 1:
        print(f"{errors} errors generated.", file=sys.stderr)
