"""The `minicc` command: verbs, the compile command, and the exit status."""

from __future__ import annotations

import codecs
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from minicc.diagnostics import EXIT_INTERNAL, EXIT_SOURCE, CompileError, Diagnostic
from minicc.output import report, say, write
from minicc.texts import stem_and_suffix
from minicc.verbs import VERBS

if TYPE_CHECKING:
    from minicc.isel.cover.explain import Explanation

_PROCESSES = 4
"""For the functions of one module, at most."""


def entry() -> NoReturn:
    """The console script: `main`, and out. A compile lives for a fraction of a second and ends with its process, so
    collecting cycles and taking the heap apart at exit would be a fifth of its time; verbs run as usual."""
    try:
        if len(sys.argv) > 1 and sys.argv[1] in VERBS:
            sys.exit(main())
        import gc

        from minicc import ahead, shares

        gc.disable()
        shares.processes = min(len(os.sched_getaffinity(0)), _PROCESSES)
        if any(word == "-" or word.endswith((".k", ".cu", ".ll")) for word in sys.argv):
            ahead.load_llvm()
        status = main()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)
    except KeyboardInterrupt:  # before `main` and behind it
        os._exit(130)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit status. Nothing escapes as a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    as_json = "--json" in words or "-json" in words
    if words and words[0] == "help" and not os.path.exists("help"):
        words = [*words[1:2], "--help"]
    try:
        if words and words[0] in VERBS and not (stem_and_suffix(words[0])[1] and os.path.exists(words[0])):
            status = _verb(words[0], words[1:])
        else:
            status = _compile(words)
        sys.stdout.flush()
        return status
    except CompileError as error:
        report(error.diagnostics, as_json)
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_SOURCE
    except OSError as error:
        # Files are read and written where their errors are told; what is left is standard output, and the machine.
        text = f"{error.filename or 'standard output'}: {error.strerror or error}"
        report([Diagnostic("error", "driver.system", text)], as_json)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_SOURCE
    except MemoryError:
        report([Diagnostic("error", "driver.memory", "out of memory")], as_json)
        return EXIT_SOURCE
    except ModuleNotFoundError as error:
        if (package := str(error.name).partition(".")[0]) in ("minicc", "runtime"):
            return _internal_error(error, as_json)
        text = f"the Python package '{package}' is not installed for {sys.executable}; minicc needs it"
        report([Diagnostic("error", "driver.package", text)], as_json)
        return EXIT_SOURCE
    except Exception as error:
        return _internal_error(error, as_json)


def _open_streams() -> None:
    """Streams that the shell closed (>&-) are as /dev/null. What the locale has no character for is printed escaped,
    and bytes of a name that are no text as they are."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (lives as long as the process)
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors="minicc")
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115


def _escaped(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    out = bytearray()
    for c in error.object[error.start : error.end]:
        out += bytes([ord(c) & 0xFF]) if "\udc80" <= c <= "\udcff" else c.encode("ascii", "backslashreplace")
    return bytes(out), error.end


codecs.register_error("minicc", _escaped)


def _verb(verb: str, words: list[str]) -> int:
    if verb == "run":
        from minicc.verbs import run

        return run.main(words)
    if verb == "prof":
        from minicc.verbs import prof

        return prof.main(words)
    if verb == "bound":
        from minicc.verbs import bound

        return bound.main(words)
    if verb == "classic":
        from minicc.verbs import classic

        return classic.main(words)
    if verb == "fuzz":
        from minicc.verbs import fuzz

        return fuzz.main(words)
    if verb == "patterns":
        from minicc.verbs import patterns

        return patterns.main(words)
    if verb == "objdump":
        from minicc.verbs import objdump

        return objdump.main(words)
    if verb == "as":
        from minicc.verbs import as_

        return as_.main(words)
    if verb == "cache":
        from minicc.verbs import cache

        return cache.main(words)
    from minicc.verbs import completion

    return completion.main(words)


def _compile(words: list[str]) -> int:
    from minicc import driver
    from minicc.diagnostics import fail
    from minicc.options import describe, parse

    request = parse([*_words_in("NVCC_PREPEND_FLAGS"), *words, *_words_in("NVCC_APPEND_FLAGS")])
    if request.has("help") or not words:
        print(describe(VERBS), end="")
        return 0 if words else EXIT_SOURCE
    if request.has("version"):
        from minicc import __version__

        print(f"minicc: an open, readable nvcc\nminicc release {__version__}")
        return 0
    if request.has("list_arch") or request.has("list_code"):
        from minicc import arch

        kind = "sm_" if request.has("list_code") else "compute_"
        print("\n".join(name.replace("sm_", kind) for name in arch.NAMES))
        return 0
    if not request.inputs:
        fail("cli.no-input", "No input files specified; use option --help for more information")
    if (output := request.values.get("output")) is not None:
        if len(request.inputs) > 1:
            fail("cli.several-inputs", "A single input file is required when an output file is named with -o")
        if not output:
            fail("cli.bad-value", "Output file '' could not be opened")
        named = output in ("-", os.devnull) or output.endswith(".fatbin")
        if request.links and not named:
            text = f"no program is linked here: {output} would be a fatbin; say -fatbin, -cubin, -ptx or -c"
            fail("cli.no-program", f"{text}, or name it {stem_and_suffix(output)[0]}.fatbin")

    _perhaps_a_verb(words[0])

    as_json, quiet = request.has("json"), request.has("no_warnings")
    for option in request.replaced if not quiet else ():
        text = f"incompatible redefinition for option '{option}', the last value of this option was used"
        report([Diagnostic("warning", "cli.redefined", text)], as_json)
    if request.has("debug") and request.has("lineinfo") and not quiet:
        text = "'-device-debug (-G)' overrides '-generate-line-info (-lineinfo)'"
        report([Diagnostic("warning", "cli.lineinfo", text)], as_json)
    for name in request.inputs:
        seen: list[Diagnostic] = []
        build = driver.open_input(name, request, seen.append)
        if request.has("dryrun") or request.has("verbose"):
            say(as_json, "plan", list(driver.plan(build)), "#$ ")
        if request.has("dryrun"):
            continue
        if request.has("depend_only"):
            driver.preprocessed(build)
            rule = request.values.get("depend_file") or request.values.get("output", "-")
            write(rule, driver.dependency_rule(build, f"{build.stem}.o"))
            continue
        start = time.perf_counter()
        result = driver.run(build)
        report(seen, as_json)
        say(as_json, "info", build.info)
        if request.has("verbose"):
            times = [*build.times, ("total", time.perf_counter() - start)]
            say(as_json, "times", [f"{stage:24} {seconds * 1e3:8.1f} ms" for stage, seconds in times], "#$ ")
        output = driver.output_name(build)
        if request.has("keep"):
            directory = request.values.get("keep_dir", ".")
            for artifact, content in build.artifacts.items():
                write(os.path.join(directory, artifact), content)
        write(output, result)
        if request.has("explain"):
            _print_explanation(build.explanation, as_json, sys.stderr if output == "-" else sys.stdout)
        if request.has("depend"):
            rule = request.values.get("depend_file") or f"{os.path.splitext(output)[0]}.d"
            write(rule, driver.dependency_rule(build, output))
    return 0


def _words_in(variable: str) -> list[str]:
    """Options that the environment gives, as nvcc reads them."""
    text = os.environ.get(variable)
    if not text:
        return []
    import shlex

    from minicc.diagnostics import fail

    try:
        return shlex.split(text)
    except ValueError as error:
        fail("cli.environment", f"{variable}: {error}")


def _perhaps_a_verb(word: str) -> None:
    """A first word that is no file and nearly a verb is an error that says so."""
    if not word.startswith("-") and not stem_and_suffix(word)[1] and not os.path.exists(word):
        from difflib import get_close_matches

        from minicc.diagnostics import fail

        if close := get_close_matches(word, VERBS, n=1):
            fail("cli.verb", f"{word}: no such file; did you mean 'minicc {close[0]}'?")


def _print_explanation(explanation: Explanation | None, as_json: bool, to: TextIO) -> None:
    if explanation is None:
        from minicc.isel.cover.explain import Explanation

        explanation = Explanation()
    if as_json:
        import json

        print(json.dumps({"schema": 1, "explain": explanation.to_json()}, indent=2), file=to)
    else:
        print(explanation.render(), end="", file=to)


def _internal_error(error: Exception, as_json: bool) -> int:
    """A fault of minicc itself: say so, say how to report it, and show the stack only where asked for."""
    import traceback

    if os.environ.get("MINICC_TRACEBACK"):
        traceback.print_exc()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    if as_json:
        report([Diagnostic("error", "internal", f"{type(error).__name__}: {error} (at {place})")], as_json)
        return EXIT_INTERNAL
    print(
        f"minicc: internal error: {type(error).__name__}: {error} (at {place})\n"
        "This is a fault of minicc, not of your program. Please report it with the input and the command line;\n"
        "MINICC_TRACEBACK=1 in the environment shows where it happened.",
        file=sys.stderr,
    )
    return EXIT_INTERNAL
