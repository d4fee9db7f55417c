"""The compute front end (class 0xCBC0): collects a QMD from inline data or memory, makes a `Grid` of it, runs it on the
SMs, and releases its semaphores.

A grid waits until the device has nothing else to do: then those that wait run, together if they can. `go_on` comes back
when one is done, so that what was behind it in its channel can come beside the others.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Protocol

import attrs

from minicc.arch.schema import Arch
from minicc.record import evolve
from runtime.device.grid import Grid, Options, Outcome
from runtime.device.host import EngineFault
from runtime.device.memory import DeviceMemory
from runtime.device.timeline import Timeline
from runtime.hw import channel as hw
from runtime.hw import methods, qmd
from runtime.hw.methods import Compute
from runtime.hw.trace import Tracer

Run = Callable[[Grid, DeviceMemory, Arch, Options], Outcome]
"""`runtime.device.sm.run`."""


class Machine(Protocol):
    """What runs several grids at once: `runtime.device.sm.Together`."""

    def add(self, grid: Grid, at: int, priority: int) -> int:
        """A grid comes at a time; its number while it is there."""

    def run(self) -> Sequence[tuple[int, Outcome, int, int]]:
        """Go on until at least one is done: number, outcome, begin and end of each that is."""

    def close(self) -> None:
        """Nothing more comes."""


class Sms(Protocol):
    """`runtime.device.sm`, as far as grids share it."""

    def shareable(self, grid: Grid, memory: DeviceMemory, arch: Arch, options: Options) -> bool:
        """Whether a grid can run beside others."""

    def several(self, memory: DeviceMemory, arch: Arch, options: Options) -> Machine:
        """A machine without grids."""


BANKS = 8


@attrs.frozen
class Completion:
    """What a profiler or a debugger attached to the device sees of a finished grid. `debug_id`: DEBUG_ID of the QMD."""

    token: int
    debug_id: int
    grid: Grid
    outcome: Outcome


@attrs.define
class _Context:
    """Method state of one channel."""

    methods: dict[int, int] = attrs.field(factory=dict)
    inline: dict[int, int] = attrs.field(factory=dict)


@attrs.define(eq=False)
class _Waiting:
    """A grid that has been launched: by which channel, what its QMD says besides, and when."""

    token: int
    grid: Grid
    fields: dict[str, int]
    at: int
    fault: EngineFault | None = None
    done: bool = False

    @property
    def ctas(self) -> int:
        """How many there are."""
        x, y, z = self.grid.grid
        return x * y * z

    def finished(self) -> bool:
        """What the channel waits for."""
        if self.fault is not None:
            raise self.fault
        return self.done


def decode(data: bytes, shared_window: int, local_window: int, arch: str) -> tuple[Grid, dict[str, int]]:
    """(grid, all fields) of a QMD of either version. ValueError if it is of no known version or type."""
    version, f = qmd.unpack(data)
    new = version is qmd.V04_00
    if new and f["QMD_TYPE"] not in (2, 3):
        raise ValueError(f"QMD type {f['QMD_TYPE']} is not a grid")
    if not new and f["IS_QUEUE"]:
        raise ValueError("the QMD is a queue, not a grid")
    banks = {}
    for i in range(BANKS):
        if not f[f"CONSTANT_BUFFER_VALID[{i}]"]:
            continue
        size = f[f"CONSTANT_BUFFER_SIZE_SHIFTED4[{i}]"] << 4
        if new:
            low, high = f[f"CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6[{i}]"], f[f"CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6[{i}]"]
            banks[i] = ((high << 32 | low) << 6, size)
        else:
            banks[i] = (f[f"CONSTANT_BUFFER_ADDR_UPPER[{i}]"] << 32 | f[f"CONSTANT_BUFFER_ADDR_LOWER[{i}]"], size)
    names = ("GRID_WIDTH", "GRID_HEIGHT", "GRID_DEPTH") if new else (
        "CTA_RASTER_WIDTH", "CTA_RASTER_HEIGHT", "CTA_RASTER_DEPTH")  # fmt: skip
    cluster = (1, 1, 1)
    if new and f["QMD_TYPE"] == 3:
        cluster = (f["GPC_CGA_WIDTH"], f["GPC_CGA_HEIGHT"], f["GPC_CGA_DEPTH"])
    entry = f["PROGRAM_ADDRESS_UPPER"] << 32 | f["PROGRAM_ADDRESS_LOWER"]
    grid = Grid(
        entry=entry,
        code=(entry, 0),
        grid=(f[names[0]], f[names[1]], f[names[2]]),
        block=(f["CTA_THREAD_DIMENSION0"], f["CTA_THREAD_DIMENSION1"], f["CTA_THREAD_DIMENSION2"]),
        registers=f["REGISTER_COUNT"] if new else f["REGISTER_COUNT_V"],
        shared=f["SHARED_MEMORY_SIZE"],
        local=f["SHADER_LOCAL_MEMORY_LOW_SIZE"] + f["SHADER_LOCAL_MEMORY_HIGH_SIZE"],
        barriers=f["BARRIER_COUNT"],
        constants=banks,
        arch=arch,
        cluster=cluster,
        shared_window=shared_window,
        local_window=local_window,
        prefetch=f["PROGRAM_PREFETCH_SIZE"] << 8,
    )
    return grid, f


def _releases(fields: dict[str, int]) -> list[tuple[int, int, bool, bool]]:
    """(address, payload, 64-bit payload, with time stamp) of every enabled completion semaphore."""
    out = []
    for i in range(3):
        if f"RELEASE_ENABLE[{i}]" in fields:
            if not fields[f"RELEASE_ENABLE[{i}]"]:
                continue
            address = fields[f"RELEASE_SEMAPHORE{i}_ADDR_UPPER"] << 32 | fields[f"RELEASE_SEMAPHORE{i}_ADDR_LOWER"]
            low, high = fields[f"RELEASE_SEMAPHORE{i}_PAYLOAD_LOWER"], fields[f"RELEASE_SEMAPHORE{i}_PAYLOAD_UPPER"]
            wide, size = fields[f"RELEASE_PAYLOAD64B[{i}]"], fields[f"RELEASE_STRUCTURE_SIZE[{i}]"]
        else:
            if not fields[f"RELEASE{i}_ENABLE"]:
                continue
            address = fields[f"RELEASE{i}_ADDRESS_UPPER"] << 32 | fields[f"RELEASE{i}_ADDRESS_LOWER"]
            low, high = fields[f"RELEASE{i}_PAYLOAD_LOWER"], fields[f"RELEASE{i}_PAYLOAD_UPPER"]
            wide, size = fields[f"RELEASE{i}_PAYLOAD64B"], fields[f"RELEASE{i}_STRUCTURE_SIZE"]
        out.append((address, high << 32 | low if wide else low, bool(wide), size == 0))
    return out


class ComputeEngine:
    """Launches grids. `completed` is called after each; `timeline` says when it began."""

    def __init__(
        self,
        memory: DeviceMemory,
        arch: Arch,
        run: Run,
        clock: Callable[[int], int],
        timeline: Timeline,
        tracer: Tracer,
    ) -> None:
        self.memory, self.arch, self.run, self.clock, self.timeline, self.tracer = (
            memory, arch, run, clock, timeline, tracer)  # fmt: skip
        self.options = Options()
        self.completed: Callable[[Completion], None] = lambda completion: None
        self.names: dict[int, str] = {}
        """Entry address -> kernel name, as a debugger would know it; for messages only."""
        self.contexts: defaultdict[int, _Context] = defaultdict(_Context)
        self.sms: Sms | None = None
        """What runs several grids at once, if anything does."""
        self.priorities: dict[int, int] = {}
        """Of channels, 0 where none is given; lower numbers go first."""
        self._waiting: list[_Waiting] = []
        self._machine: Machine | None = None
        self._began = 0
        """When the machine's time began."""
        self._running: dict[int, _Waiting] = {}

    def method(self, token: int, address: int, data: int) -> Callable[[], bool] | None:
        """Keep the value; the last inline QMD word and the PCAS methods launch."""
        context = self.contexts[token]
        words = 96 if context.methods.get(Compute.SET_INLINE_QMD_ADDRESS_A, 0) & methods.INLINE_QMD_384 else 64
        first = Compute.LOAD_INLINE_QMD_DATA
        if first <= address < first + 4 * words:
            index = (address - first) // 4
            context.inline[index] = data
            return self._inline(token, context, words) if index == words - 1 else None
        context.methods[address] = data
        if (address == Compute.SEND_SIGNALING_PCAS2_B and data & 15 in (2, 3, 9, 10, 11)) or (
            address == Compute.SEND_SIGNALING_PCAS_B and data & methods.PCAS_SCHEDULE
        ):
            return self._launch(token, context, context.methods.get(Compute.SEND_PCAS_A, 0) << 8)
        return None

    def _inline(self, token: int, context: _Context, words: int) -> Callable[[], bool]:
        upper = context.methods.get(Compute.SET_INLINE_QMD_ADDRESS_A, 0) & 0x1FF
        address = (upper << 32 | context.methods.get(Compute.SET_INLINE_QMD_ADDRESS_B, 0)) << 8
        data = struct.pack(f"<{words}I", *(context.inline.get(i, 0) for i in range(words)))
        context.inline.clear()
        self.memory.write(address, data)
        return self._launch(token, context, address)

    def _window(self, context: _Context, name: str) -> int:
        upper = context.methods.get(getattr(Compute, f"SET_SHADER_{name}_MEMORY_WINDOW_A"), 0)
        return upper << 32 | context.methods.get(getattr(Compute, f"SET_SHADER_{name}_MEMORY_WINDOW_B"), 0)

    def _launch(self, token: int, context: _Context, address: int) -> Callable[[], bool]:
        head = self.memory.read(address, 256)
        try:
            version = qmd.version_of(head)
            data = self.memory.read(address, version.size)
            grid, fields = decode(data, self._window(context, "SHARED"), self._window(context, "LOCAL"), self.arch.name)
        except ValueError as error:
            raise EngineFault(hw.ERROR_GR_EXCEPTION, str(error)) from None
        mapped = self.memory.find(grid.entry)
        if mapped is None:
            raise EngineFault(hw.ERROR_MMU_FAULT, f"program address 0x{grid.entry:x} is not mapped")
        grid = evolve(grid, code=mapped, name=self.names.get(grid.entry, ""))
        self.tracer.step(
            "compute", f"QMD {version.name}", address=address, program=grid.entry, grid=grid.grid, block=grid.block,
            registers=grid.registers, shared=grid.shared, local=grid.local, barriers=grid.barriers,
            banks={n: f"0x{a:x}+{s}" for n, (a, s) in grid.constants.items()},
        )  # fmt: skip
        waiting = _Waiting(token, grid, fields, self.timeline.now(token))
        self._waiting.append(waiting)
        return waiting.finished

    def go_on(self) -> bool:
        """Run grids until one is done; False if none waits."""
        if self._machine is None:
            if not self._waiting:
                return False
            first = min(self._waiting, key=lambda one: (one.at, one.token))
            if len(self._waiting) == 1 or not self._shareable(first):
                self._waiting.remove(first)
                outcome = self.run(first.grid, self.memory, self.arch, self.options)
                self._finish(first, outcome, self.timeline.launch(first.token, outcome.cycles, first.ctas))
                return True
            assert self.sms is not None
            self._machine, self._began = self.sms.several(self.memory, self.arch, self.options), first.at
        for one in [one for one in self._waiting if self._shareable(one)]:
            self._waiting.remove(one)
            number = self._machine.add(one.grid, one.at - self._began, self.priorities.get(one.token, 0))
            self._running[number] = one
        for number, outcome, begin, end in self._machine.run():
            one = self._running.pop(number)
            self.timeline.ran(one.token, self._began + begin, self._began + end, one.ctas)
            self._finish(one, outcome, self._began + begin)
        if not self._running:
            self._machine.close()
            self._machine = None
        return True

    def _shareable(self, one: _Waiting) -> bool:
        return self.sms is not None and self.sms.shareable(one.grid, self.memory, self.arch, self.options)

    def _finish(self, one: _Waiting, outcome: Outcome, begin: int) -> None:
        """Tell who wants to know of a grid that is done, and release its semaphores."""
        fields = one.fields
        debug_id = fields["DEBUG_ID_UPPER"] << 32 | fields["DEBUG_ID_LOWER"]
        self.completed(Completion(one.token, debug_id, one.grid, outcome))
        self.tracer.step("compute", "grid done", begin=begin, cycles=outcome.cycles, instructions=outcome.instructions)
        if outcome.fault is not None:
            memory_kinds = ("illegal_address", "misaligned_address", "stack_overflow")
            number = hw.ERROR_MMU_FAULT if outcome.fault.kind in memory_kinds else hw.ERROR_GR_EXCEPTION
            one.fault = EngineFault(number, outcome.fault.message)
            return
        for target, payload, wide, stamped in _releases(fields):
            data = struct.pack("<Q", payload) if wide or stamped else struct.pack("<I", payload)
            self.memory.write(target, data + (struct.pack("<Q", self.clock(one.token)) if stamped else b""))
            self.tracer.step("compute", "semaphore release", address=target, payload=payload)
        one.done = True
