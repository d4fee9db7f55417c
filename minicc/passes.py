"""What may be asked of a level's named passes, in the same words at every level: `-Xnvvm`, `-Xisel` and `-Xptxas` take

    --disable=P+Q      leave passes out (those that code can do without)
    --stop-after=P     run no optional pass after it
    --dump-after=P+Q   print what there is after passes; `all` for each
    --time-passes      processor time of each pass
    --verify-passes    hold what there is to its rules after each pass

A level keeps what it was asked for in an object with the attributes of `Control`; `Asked` is one with nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from minicc.diagnostics import EXIT_SOURCE, fail


class Control(Protocol):
    """What was asked of the passes of a level, and what they had to say."""

    disable: frozenset[str]
    dump_after: frozenset[str]
    stop_after: str | None
    time_passes: bool
    verify: bool
    dumps: list[tuple[str, str, str]]
    """(pass, function or module, text)."""
    seconds: dict[str, float]
    """Processor time by pass."""


class Asked:
    """A `Control` that asks for nothing yet."""

    def __init__(self) -> None:
        self.disable: frozenset[str] = frozenset()
        self.dump_after: frozenset[str] = frozenset()
        self.stop_after: str | None = None
        self.time_passes = self.verify = False
        self.dumps: list[tuple[str, str, str]] = []
        self.seconds: dict[str, float] = {}


class Named(Protocol):
    """A pass, as far as its name goes."""

    @property
    def name(self) -> str: ...

    @property
    def optional(self) -> bool: ...


def word(control: Control, name: str, take: Callable[[], str]) -> bool:
    """Read one word ("disable"; `take` gives its value) if it is about passes; whether it was."""
    if name == "disable":
        control.disable |= frozenset(take().split("+"))
    elif name == "dump-after":
        control.dump_after |= frozenset(take().split("+"))
    elif name == "stop-after":
        control.stop_after = take()
    elif name == "time-passes":
        control.time_passes = True
    elif name == "verify-passes":
        control.verify = True
    else:
        return False
    return True


def parse(words: Sequence[str], level: str) -> Asked:
    """What the words of `-Xnvvm` or `-Xisel` ask for; an unknown one is a `CompileError`."""
    asked = Asked()
    queue = [part for text in words for part in text.split()]
    while queue:
        text = queue.pop(0)
        name, equals, value = text.lstrip("-").partition("=")

        def take(text: str = text, glued: str = equals, value: str = value) -> str:
            if not glued and not queue:
                fail(f"{level}.option", f"Missing value of option '{text}' of -X{level}")
            return value if glued else queue.pop(0)

        if not text.startswith("-") or not word(asked, name, take):
            known = "--disable=, --stop-after=, --dump-after=, --time-passes, --verify-passes"
            fail(f"{level}.option", f"Unknown option '{text}' of -X{level}; there are {known}")
    return asked


def check(control: Control, passes: Iterable[Named], level: str, exit_status: int = EXIT_SOURCE) -> None:
    """A pass name that does not exist, or cannot be disabled, is a `CompileError`."""
    known = {p.name: p for p in passes}
    named = {*control.disable, *control.dump_after} - {"all"} | ({control.stop_after} if control.stop_after else set())
    for name in sorted(named - known.keys()):
        fail(f"{level}.pass", f"no pass is called '{name}'; there are: {', '.join(known)}", exit_status=exit_status)
    for name in sorted(control.disable & known.keys()):
        if not known[name].optional:
            fail(f"{level}.pass", f"pass '{name}' cannot be disabled", exit_status=exit_status)


def clock(control: Control, name: str, start: float) -> None:
    """Note what a pass took that began at `start`, of `time.process_time`."""
    if control.time_passes:
        control.seconds[name] = control.seconds.get(name, 0.0) + time.process_time() - start


def dumped(control: Control, name: str) -> bool:
    """Whether to print after the pass."""
    return name in control.dump_after or "all" in control.dump_after


def report(control: Control, level: str) -> list[str]:
    """The lines that dumps and times make."""
    out = [f"// {what}: after {name}\n{text.rstrip()}" for name, what, text in control.dumps]
    total = sum(control.seconds.values()) or 1.0
    return out + [
        f"{level:5} info    : {name:14}{1000 * spent:9.3f} ms {spent / total:6.1%}"
        for name, spent in control.seconds.items()
    ]


def run(passes: Sequence[tuple[Named, Callable[[], object]]], asked: Asked | None, what: str,
        show: Callable[[], str], verify: Callable[[str], None], skip: bool = False) -> None:  # fmt: skip
    """Run passes over one function or module, as was asked. `show` prints it, `verify(pass)` raises for a broken rule;
    with `skip` only those run that cannot be left out."""
    stopped = False
    for named, action in passes:
        name = named.name
        left_out = asked is not None and (name in asked.disable or stopped)
        if not named.optional or not (skip or left_out):
            start = time.process_time()
            action()
            if asked is not None:
                clock(asked, name, start)
        if asked is None:
            continue
        if asked.verify:
            verify(name)
        if dumped(asked, name):
            asked.dumps.append((name, what, show()))
        stopped = stopped or asked.stop_after == name
