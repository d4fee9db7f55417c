"""`minicc as x.sass -o x.cubin -arch sm_90`: the assembler as a command."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from minicc.diagnostics import SourceFile, Span, fail
from minicc.output import write

USAGE = """Usage: minicc as FILE.sass [-o FILE.cubin] [-arch sm_90]

Assembles what `minicc objdump` prints into a cubin. FILE `-` is standard input, `-o -` standard output.

  -o FILE      where the cubin goes (default: the input's name with .cubin)
  -arch NAME   machine (default: the listing's .target, else sm_90)
  --json       errors as JSON

Lines are `[control] instruction ;` with the control codes as `minicc objdump --control` shows them; without them the
assembler makes every instruction wait for all before it. Labels are `name:` and are used as `(name) in back quotes.
"""


def main(argv: Sequence[str]) -> int:
    """Run the verb; exit status 0, or `CompileError` with the status that the driver uses."""
    source_name = output = arch_name = None
    words = list(argv)
    while words:
        word = words.pop(0)
        if word in ("-h", "--help"):
            sys.stdout.write(USAGE)
            return 0
        if word in ("-json", "--json"):  # diagnostics: see `cli.main`
            continue
        if word in ("-o", "--output-file") or word.startswith("-o="):
            output = (
                word[3:]
                if word.startswith("-o=")
                else words.pop(0)
                if words
                else fail("cli.value", "'-o' needs a file")
            )
        elif word.startswith(("-arch", "--gpu-architecture")):
            _, equals, value = word.partition("=")
            arch_name = value if equals else words.pop(0) if words else fail("cli.value", "'-arch' needs a name")
        elif word != "-" and word.startswith("-"):
            fail("cli.option", f"unknown option '{word}' (see minicc as --help)")
        elif source_name is None:
            source_name = word
        else:
            fail("cli.input", "one input file at a time")
    if source_name is None:
        fail("cli.input", "no input file (see minicc as --help)")
    data = assemble_file(source_name, arch_name)
    beside = "a.cubin" if source_name == "-" else str(Path(source_name).with_suffix(".cubin"))
    write(output or beside, data)
    return 0


def assemble_file(name: str, arch_name: str | None) -> bytes:
    """The cubin of a listing."""
    from minicc.binary import write_cubin
    from minicc.sass.assembler import assemble
    from minicc.sass.listing import arch_of

    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text()
    except OSError as error:
        fail("cli.input", f"cannot read '{name}': {error.strerror}")
    except UnicodeDecodeError:
        fail("cli.input", f"'{name}' is not a text file")
    source = SourceFile("<stdin>" if name == "-" else name, text)
    where = None
    if arch_name is None and (found := re.search(r"^\.target +(\S+)", text, re.MULTILINE)):
        arch_name, where = found[1], Span(source, *found.span(1))
    return write_cubin(assemble(source, arch_of(arch_name or "sm_90", where)))
