"""Time whole processes: wall seconds, CPU seconds and peak memory of each run, as the operating system counts them."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence

import attrs


@attrs.frozen
class Sample:
    """One run. Seconds; peak resident memory in MiB (largest single process)."""

    wall: float
    cpu: float
    peak: float


def once(command: Sequence[str], env: dict[str, str] | None = None) -> Sample:
    """Run a command, its output thrown away; a command that fails ends the benchmark."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **(env or {})}
    )
    assert process.stderr
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{error.decode()}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def paired(a: Sequence[str], b: Sequence[str] | None, runs: int) -> tuple[list[Sample], list[Sample]]:
    """`runs` runs of each, in turn (A B A B ...), after one that is not counted."""
    once(a)
    if b:
        once(b)
    first, second = [], []
    for _ in range(runs):
        first.append(once(a))
        if b:
            second.append(once(b))
    return first, second


def median(samples: Sequence[Sample], field: str) -> float:
    return statistics.median(getattr(sample, field) for sample in samples)
