"""The GPU: memory, the usermode region with its doorbell, one host engine, a compute engine and a copy engine.

What the CPU side may touch: `memory` (loads and stores of mapped memory), `write_usermode` (the mapped
register page), `create_channel`/`reset_channel` (what the kernel driver does for it). `completed` is the profiler's and
debugger's view.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from runtime.device.compute import ComputeEngine, Run
from runtime.device.copy import CopyEngine
from runtime.device.grid import Grid, Options, Outcome
from runtime.device.host import Engine, HostEngine
from runtime.device.memory import DeviceMemory
from runtime.device.timeline import Timeline
from runtime.hw import channel as hw
from runtime.hw.methods import HOPPER_COMPUTE_A, HOPPER_DMA_COPY_A
from runtime.hw.trace import Tracer


class Gpu:
    """One device of architecture `arch`. `run` executes a grid; by default the SM model."""

    def __init__(
        self,
        arch: Arch,
        memory: DeviceMemory | None = None,
        run: Run | None = None,
        options: Options | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        self.arch = arch
        self.memory = memory if memory is not None else DeviceMemory()
        self.tracer = tracer or Tracer()
        self.timeline = Timeline(arch.sm_count)
        self.compute = ComputeEngine(self.memory, arch, run or _sm_run, self.nanoseconds, self.timeline, self.tracer)
        self.compute.options = options or Options()
        if run is None:
            from runtime.device import sm

            self.compute.sms = sm
        self.copy = CopyEngine(self.memory, self.nanoseconds, self.tracer)
        engines: dict[int, Engine] = {HOPPER_COMPUTE_A: self.compute, HOPPER_DMA_COPY_A: self.copy}
        self.host = HostEngine(self.memory, engines, self.nanoseconds, self.timeline, self.tracer)

    def nanoseconds(self, token: int) -> int:
        """What the device's clock says when a channel has come as far as it has: grid cycles at the SM clock."""
        return self.timeline.now(token) * 1000 // self.arch.clock_mhz

    def create_channel(self, ring: int, entries: int, userd: int, notifier: int) -> int:
        """A channel over memory that the driver allocated; returns its work submit token."""
        return self.host.attach(ring, entries, userd, notifier)

    def reset_channel(self, token: int) -> None:
        """Recover a channel that an error stopped."""
        self.host.reset(token)

    def write_usermode(self, offset: int, value: int) -> None:
        """A 32-bit store to the usermode region."""
        if offset == hw.DOORBELL:
            self.tracer.step("device", "doorbell", token=value)
            self.host.doorbell(value)

    def settle(self) -> None:
        """The CPU waits: the device does all that it can."""
        self.host.settle()


def _sm_run(grid: Grid, memory: DeviceMemory, arch: Arch, options: Options) -> Outcome:
    from runtime.device import sm

    outcome = sm.run(grid, memory, arch, options)
    assert isinstance(outcome, Outcome)
    return outcome
