"""Run the commands that a page shows and put in what they print: `python -m tests.bench.refresh docs/prof.md`.

A fenced block whose first line is `$ minicc ...` is such a command; the lines behind it are replaced. The commands run
in the repository's root, in this process, so a page is refreshed in one go."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

from minicc import cli

BLOCK = re.compile(r"```\n\$ minicc (?P<command>[^\n]*)\n(?P<old>.*?)```\n", re.DOTALL)


def output(command: str) -> str:
    """What a command prints on standard output; RuntimeError if it fails."""
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        status = cli.main(shlex.split(command))
    if status:
        raise RuntimeError(f"minicc {command}: exit status {status}")
    return "\n".join(line.rstrip() for line in buffer.getvalue().rstrip().splitlines()) + "\n"


def refresh(text: str) -> str:
    """The page with every command's output renewed."""

    def renew(match: re.Match[str]) -> str:
        print(f"minicc {match['command']}", file=sys.stderr, flush=True)
        return f"```\n$ minicc {match['command']}\n{output(match['command'])}```\n"

    return BLOCK.sub(renew, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(refresh(Path(name).read_text()))
