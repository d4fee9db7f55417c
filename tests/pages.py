"""Run what a page shows and put in what it prints: `python -m tests.pages docs/walk.md docs/prof.md`.

In a fenced block without a language, a line that begins with `$ ` is a command for the shell and one with `>>> `
(more of it with `... `) is Python; the lines behind it are what it prints. Commands and Python run in one new folder
that has samples/ and tests/ of this tree in it, so that they can leave files for one another; `minicc` is this tree's.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```\n(?P<body>(?:\$|>>>) .*?)^```$", re.DOTALL | re.MULTILINE)


def refresh(text: str) -> str:
    """The page with every output renewed. RuntimeError if a command fails."""
    names: dict[str, Any] = {}

    def renew(match: re.Match[str]) -> str:
        body = match["body"]
        lines = _python(body, names) if body.startswith(">>>") else _shell(body)
        return "```\n" + "".join(lines) + "```"

    with folder():
        return BLOCK.sub(renew, text)


def _shell(body: str) -> Iterator[str]:
    for line in body.splitlines():
        if line.startswith("$ "):
            print(line, file=sys.stderr, flush=True)
            done = subprocess.run(["bash", "-c", line[2:]], capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{line}: exit status {done.returncode}\n{done.stderr}")
            yield f"{line}\n{_trimmed(done.stdout)}"


def _python(body: str, names: dict[str, Any]) -> Iterator[str]:
    for example in doctest.DocTestParser().get_examples(body):
        buffer = io.StringIO()
        with contextlib.redirect_stdout(buffer):
            exec(compile(example.source, "<page>", "single"), names)
        first, *rest = example.source.splitlines()
        yield "".join(
            [f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in rest), _trimmed(buffer.getvalue())]
        )


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


@contextlib.contextmanager
def folder() -> Iterator[None]:
    """Work in a new folder in which `minicc` and the samples are this tree's."""
    before, path, modules = Path.cwd(), os.environ["PATH"], os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        tool = folder / "bin/minicc"
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m minicc "$@"\n')
        tool.chmod(0o755)
        for part in ("samples", "tests"):
            (folder / part).symlink_to(ROOT / part)
        os.environ |= {"PATH": f"{folder / 'bin'}:{path}", "PYTHONPATH": str(ROOT), "MINICC": str(ROOT / "minicc")}
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            os.environ["PATH"] = path
            if modules is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = modules


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(refresh(page.read_text()))
