"""A log of a launch's steps, for people: who did what, at which address, with which fields."""

from __future__ import annotations

from collections.abc import Callable

import attrs


@attrs.frozen
class Step:
    """One step. `actor` is who did it ("driver", "host engine", "compute", "copy engine"); fields print in order."""

    actor: str
    what: str
    fields: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        rest = "  ".join(f"{name}={value}" for name, value in self.fields)
        return f"{self.actor:<12} {self.what}" + (f"  {rest}" if rest else "")


def _show(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return str(value)
    return str(value) if -4096 < value < 4096 else f"0x{value:x}"


@attrs.define
class Tracer:
    """Collects steps; `sink`, if set, gets each as a line when it happens. Off unless `enabled`."""

    enabled: bool = False
    steps: list[Step] = attrs.field(factory=list)
    sink: Callable[[str], None] | None = None

    def step(self, actor: str, what: str, **fields: object) -> None:
        """Record a step; integers of 4096 and more print in hex."""
        if not self.enabled:
            return
        step = Step(actor, what, tuple((name, _show(value)) for name, value in fields.items()))
        self.steps.append(step)
        if self.sink:
            self.sink(str(step))

    def take(self) -> str:
        """The log so far as text; the log is then empty."""
        text = "\n".join(map(str, self.steps))
        self.steps.clear()
        return text
