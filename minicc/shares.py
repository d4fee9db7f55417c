"""Work on the functions of a large module, shared out to processes that go on from where this one is (fork).

What a function becomes hangs on no other, so the results are the same in any number of processes. What goes wrong in
another process is done again in this one, where it is reported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
F = TypeVar("F")

processes = 1
"""The most that there may be. A program that only compiles says more (`minicc.cli`); one with threads may not fork."""
WORTH = 500
"""Instructions of a share, at least: a process costs some 20 ms, as much as 150 of them."""


def each(items: Sequence[F], sizes: Sequence[int], make: Callable[[F], T]) -> list[T]:
    """`make` of each item, in order; `sizes` are about the work that each is."""
    shares = _shares(sizes, min(processes, sum(sizes) // WORTH))
    started = [(share, *_start([items[k] for k in share], make)) for share in shares[1:]]
    done: dict[int, T] = {}
    failed: dict[int, Exception] = {}
    for k in shares[0]:
        try:
            done[k] = make(items[k])
        except Exception as error:  # the first in order is raised, below
            failed[k] = error
            break
    if started:
        import pickle  # not imported by what is done in one process
    for share, pid, pipe in started:
        with os.fdopen(pipe, "rb") as file:
            data = file.read()
        if os.waitpid(pid, 0)[1] == 0:
            done.update(zip(share, pickle.loads(data), strict=True))
    out = []
    for k, item in enumerate(items):
        if k in failed:
            raise failed[k]
        out.append(done[k] if k in done else make(item))
    return out


def _shares(sizes: Sequence[int], most: int) -> list[list[int]]:
    """The numbers of the items of each share, ascending: the largest go first, each to who has least."""
    shares: list[list[int]] = [[] for _ in range(max(1, min(most, len(sizes))))]
    work = [0] * len(shares)
    for k in sorted(range(len(sizes)), key=lambda k: -sizes[k]):
        least = work.index(min(work))
        shares[least].append(k)
        work[least] += sizes[k]
    return [sorted(share) for share in shares]


def _start(items: Sequence[F], make: Callable[[F], T]) -> tuple[int, int]:
    """(process, where its results are read from): it makes them all, or fails."""
    import pickle

    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    status = 1
    try:
        os.close(read)
        with os.fdopen(write, "wb") as file:
            pickle.dump([make(item) for item in items], file, pickle.HIGHEST_PROTOCOL)
        status = 0
    finally:
        os._exit(status)
