"""When the work of each channel happens, in SM cycles.

Grids that wait at the same time run on one machine (`runtime.device.sm.together`), which says when. One that runs
alone, because the host waited for the others or because it cannot share a machine, is laid beside them: it takes an SM
for each of its CTAs, at most all, and begins when its channel has come so far and as many are free until its end. A
semaphore that a channel waits for, and what the host waits for, orders times as it orders work.
"""

from __future__ import annotations

import attrs


@attrs.define
class Timeline:
    """The times of one device with so many SMs."""

    sms: int
    channels: dict[int, int] = attrs.field(factory=dict)
    """How far each channel has come, by its token."""
    grids: list[tuple[int, int, int]] = attrs.field(factory=list)
    """Begin, end, SMs of grids that may still be in somebody's way."""
    released: dict[int, int] = attrs.field(factory=dict)
    """When the semaphore at an address was released last."""
    host: int = 0
    """The latest time that the host has waited for: what it submits now comes later."""

    @property
    def end(self) -> int:
        """When everything so far is done."""
        return max(self.channels.values(), default=0)

    def now(self, token: int) -> int:
        """The time at which a channel's next work could begin."""
        return max(self.channels.get(token, 0), self.host)

    def launch(self, token: int, cycles: int, ctas: int) -> int:
        """A grid takes its place; when it begins."""
        need = min(ctas, self.sms)
        ready = self.now(token)
        self.grids = [grid for grid in self.grids if grid[1] > self.host]
        for begin in sorted({ready, *(end for _, end, _ in self.grids if end > ready)}):
            if self._busy(begin, begin + cycles) + need <= self.sms:
                break
        self.grids.append((begin, begin + cycles, need))
        self.channels[token] = begin + cycles
        return begin

    def ran(self, token: int, begin: int, end: int, ctas: int) -> None:
        """A grid ran beside others, whose machine said when."""
        self.grids.append((begin, end, min(ctas, self.sms)))
        self.channels[token] = max(self.channels.get(token, 0), end)

    def _busy(self, begin: int, end: int) -> int:
        """The most SMs taken at any time of an interval."""
        near = [grid for grid in self.grids if grid[0] < end and grid[1] > begin]
        times = {begin, *(first for first, _, _ in near if first > begin)}
        return max(sum(sms for first, last, sms in near if first <= t < last) for t in times)

    def release(self, token: int, address: int) -> None:
        """A channel releases a semaphore."""
        self.released[address] = self.now(token)

    def acquire(self, token: int, address: int) -> None:
        """A channel goes on behind a semaphore."""
        self.channels[token] = max(self.now(token), self.released.get(address, 0))

    def wait(self, token: int) -> None:
        """The host has waited for a channel."""
        self.host = max(self.host, self.channels.get(token, 0))
