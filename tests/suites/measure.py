"""How much of a folder of CUDA files compiles: `tests/suites/measure.py FOLDER... [-I DIR]... [-D NAME=VALUE]...`.

For each .cu file below the folders: ok and the seconds, or the first diagnostic, an internal error, or a timeout; then
the share, and the causes by count. With --nvcc, files that the installed nvcc rejects as well are counted apart. The
folders that a file lies in, up to the folder given, are searched for its includes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

_INTERNAL = 70
"""Exit statuses from here on are not the source's fault (`minicc.diagnostics`)."""


@attrs.frozen
class Result:
    """`status` is ok, error, INTERNAL, TIMEOUT or rejected (by nvcc as well); `text` the first diagnostic."""

    path: Path
    status: str
    text: str
    seconds: float


def _run(command: Sequence[str], timeout: float, env: dict[str, str]) -> tuple[int | None, str]:
    """(exit status or None after `timeout` seconds, what was written to stderr)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, env=env)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stderr


def _first(text: str) -> str:
    lines = [line for line in text.splitlines() if re.search(r"\b(error|fatal|internal)\b", line, re.IGNORECASE)]
    return (lines or text.splitlines() or ["no diagnostic"])[0].strip()


def measure(path: Path, flags: Sequence[str], timeout: float, nvcc: str | None, scratch: Path) -> Result:
    """Compile one file to a cubin, which is thrown away."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(scratch / "bytecode")
    output = scratch / f"{abs(hash(path)):x}.cubin"
    common = ["-cubin", "-arch=sm_90", "-w", "-o", str(output), *flags, str(path)]
    start = time.perf_counter()
    status, text = _run([sys.executable, "-c", "from minicc.cli import entry; entry()", *common], timeout, env)
    seconds = time.perf_counter() - start
    output.unlink(missing_ok=True)
    if status == 0:
        return Result(path, "ok", "", seconds)
    if status is None:
        return Result(path, "TIMEOUT", f"more than {timeout:g} s", seconds)
    if status >= _INTERNAL or status < 0 or "internal error" in text:
        return Result(path, "INTERNAL", _first(text), seconds)
    if nvcc and _run([nvcc, *common], 3 * timeout, env)[0] != 0:
        return Result(path, "rejected", _first(text), seconds)
    output.unlink(missing_ok=True)
    return Result(path, "error", _first(text), seconds)


def _cause(result: Result) -> str:
    """A diagnostic without its place and with names left out, so that equal causes count together."""
    text = re.sub(r"^\S+?[:(]\d+\S*\s*", "", result.text)
    return f"{result.status}: " + re.sub(r"'[^']{3,}'", "'…'", text)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--timeout", type=float, default=60, help="seconds a file")
    parser.add_argument("--nvcc", action="store_true", help="leave out files that nvcc does not compile either")
    parser.add_argument("--match", default="", help="only files whose path holds this")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    nvcc = shutil.which("nvcc") if options.nvcc else None

    work: list[tuple[Path, list[str]]] = []
    for folder in options.folders:
        for path in sorted(folder.rglob("*.cu")):
            if options.match not in str(path):
                continue
            above = [p for p in path.parents if p == folder or folder in p.parents]
            flags = [f"-I{p}" for p in above] + [f"-I{i}" for i in options.includes]
            work.append((path, flags + [f"-D{d}" for d in options.defines]))

    results: list[Result] = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda w: measure(w[0], w[1], options.timeout, nvcc, Path(scratch)), work):
            results.append(result)
            print(f"{result.path}: {result.status} {result.seconds:.1f} s  {result.text}".rstrip(), flush=True)
    counted = [r for r in results if r.status != "rejected"]
    good = sum(r.status == "ok" for r in counted)
    rejected = len(results) - len(counted)
    print(f"\n{good} of {len(counted)} files compile ({100 * good / max(1, len(counted)):.1f} %)", end="")
    print(f"; {rejected} more that nvcc rejects, too" if nvcc else "")
    for cause, count in Counter(_cause(r) for r in counted if r.status != "ok").most_common():
        print(f"{count:4} {cause}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
