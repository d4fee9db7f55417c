"""The SM model as a `Device`: everything goes through the driver, a channel and the doorbell."""

from __future__ import annotations

import bisect
import contextlib
import functools
import struct
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Literal, NoReturn, ParamSpec, TypeVar

import attrs
import numpy as np

from minicc import arch as machines
from minicc.record import evolve
from minicc.sass.program import Function, Line
from runtime import api
from runtime.api import Configuration, Device, Event, Kernel, Launch, Module, Stream, Variable
from runtime.device.compute import Completion, Run
from runtime.device.gpu import Gpu
from runtime.device.grid import CYCLE_LIMIT, Finding, Hazard, Options, Outcome, Progress
from runtime.device.memory import BadAddress, DeviceMemory, OutOfMemory
from runtime.driver import images, launch
from runtime.driver.channel import Channel, ChannelError, open_channel, semaphore_words
from runtime.driver.module import LoadedModule, Placed
from runtime.errors import DeviceError, LaunchError
from runtime.hw import methods, qmd
from runtime.hw.methods import Copy, SemOp, packet
from runtime.hw.trace import Tracer

if TYPE_CHECKING:
    from runtime.device.texture import Texture

CLEAR_BYTES = 16 << 20
STAGING_BYTES = 4 << 20
"""The driver's window for copies: host bytes are stored there and the copy engine moves them on."""

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def _alone(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that one thread at a time is in, as a driver's calls are: the driver and the model have one state."""

    @functools.wraps(method)
    def held(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        device: Any = getattr(self, "device", self)
        with device.lock:
            return method(self, *args, **options)

    return held


class ModelDevice(Device):
    """See `Device` for the options. `run` replaces the SM model, for tests."""

    def __init__(
        self,
        name: str = "sm_90",
        *,
        timing: bool = True,
        hazards: Literal["hardware", "report", "off"] = "report",
        trace: bool | Callable[[str], None] = False,
        cycle_limit: int = CYCLE_LIMIT,
        instruction_limit: int = 0,
        runaway_limit: int | None = None,
        progress: Progress | None = None,
        sample: int = 0,
        cores: int = 1,
        count_bytes: bool = False,
        check: bool = False,
        memory: int | None = None,
        stack: int = launch.STACK_LIMIT,
        run: Run | None = None,
    ) -> None:
        if name not in machines.NAMES:
            known = ", ".join(machines.NAMES)
            raise LaunchError("device.name", f"no device {name!r}: {known} are models; cuda:0, cuda:1 ... GPUs")
        self.lock = threading.RLock()
        self.arch = machines.get(name)
        self.name = self.arch.device_name
        self.stack = stack
        if hazards not in ("hardware", "report", "off"):
            raise LaunchError("device.option", f"hazards '{hazards}' is not one of hardware, report, off")
        numbers = {"cycle_limit": cycle_limit, "instruction_limit": instruction_limit,
                   "runaway_limit": runaway_limit or 0, "sample": sample, "cores": cores, "stack": stack,
                   "memory": memory or 0}  # fmt: skip
        for option, value in numbers.items():
            if not isinstance(value, int | np.integer) or value < 0:
                raise LaunchError("device.option", f"{option} {value!r} is not a number from 0 on")
        limits = (cycle_limit, instruction_limit, runaway_limit)
        timing = timing and not check
        options = Options(
            timing,
            hazards,
            *limits,
            progress=progress,
            sample=sample,
            cores=cores,
            count_bytes=count_bytes,
            check=check,
        )
        self.tracer = Tracer(bool(trace), sink=trace if callable(trace) else None)
        self.gpu = Gpu(self.arch, DeviceMemory(memory) if memory else None, run, options, self.tracer)
        self.gpu.compute.completed = self._completed
        if check:
            self.gpu.memory.watch()
        self._completions: dict[int, Completion] = {}
        self._launches: dict[int, ModelLaunch] = {}
        """Launches whose memory is still held, by id."""
        self._next = 1
        self._functions: dict[int, Function] = {}
        """Entry address -> function, to name source lines."""
        try:
            self._default = ModelStream(self, open_channel(self.gpu))
        except OutOfMemory as error:
            raise LaunchError("device.memory", str(error)) from None
        self._streams = [self._default]
        self._staging = self.allocate(STAGING_BYTES)

    def __repr__(self) -> str:
        return f"<Device {self.name}>"

    @_alone
    def load(self, source: object) -> Module:
        image, name = images.read(source)
        module = ModelModule(self, images.to_program(image, name, self.arch, self.tracer))
        module.signatures = getattr(source, "signatures", {})
        return module

    # -- memory --------------------------------------------------------------------------------------------------

    @_alone
    def allocate(self, size: int) -> int:
        try:
            address = self.gpu.memory.allocate(size)
        except OutOfMemory as error:
            raise LaunchError("device.memory", str(error)) from None
        self.tracer.step("driver", "allocate", address=address, bytes=size)
        return address

    @_alone
    def free(self, address: int) -> None:
        # What was launched may use it.
        self.gpu.settle()
        self.gpu.memory.free(address)

    @_alone
    def texture(
        self,
        array: object,
        *,
        channels: int = 1,
        layers: bool = False,
        filter: str = "point",
        address: str | Sequence[str] = "clamp",
        normalized: bool = False,
        fractions: bool = False,
        border: Sequence[float] = (),
    ) -> Texture:
        from runtime.device.texture import ADDRESS_MODES, FORMATS, Texture, Textures

        def wrong(why: str) -> NoReturn:
            raise LaunchError("device.texture", f"texture: {why}")

        texels = np.ascontiguousarray(array)
        shape = texels.shape[:-1] if channels > 1 else texels.shape
        if channels not in (1, 2, 4) or (channels > 1 and texels.shape[-1:] != (channels,)):
            wrong(f"{channels} channels of an array of shape {texels.shape}")
        if texels.dtype.str[1:] not in FORMATS or not 1 <= len(shape) <= 3 or 0 in shape:
            wrong(f"an array of {texels.dtype}, shape {shape}")
        modes = (address,) * 3 if isinstance(address, str) else tuple(address)
        if any(mode not in ADDRESS_MODES for mode in modes) or filter not in ("point", "linear"):
            wrong(f"address mode {address}, filter {filter}")
        if filter == "linear" and texels.dtype.kind != "f" and not fractions:
            wrong("linear filtering of integers that are not read as fractions")
        if fractions and texels.dtype.itemsize > 2 and texels.dtype.kind != "f":
            wrong(f"fractions of {texels.dtype}")
        if layers and len(shape) < 2:
            wrong("layers of what has one dimension")
        buffer = self.buffer(texels)
        if self.gpu.memory.textures is None:
            self.gpu.memory.textures = Textures()
        x, y, z = (*shape[::-1], 1, 1)[:3]
        m = (*(ADDRESS_MODES[mode] for mode in modes), 1, 1)[:3]
        handle = self.gpu.memory.textures.add(
            buffer.address, texels.dtype, channels, (x, y, z), (m[0], m[1], m[2]), filter == "linear", normalized,
            fractions, tuple(border),
        )  # fmt: skip
        return Texture(handle, buffer)

    def view(self, address: int, size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Device memory as a numpy view (the model's memory is the host's)."""
        return self.gpu.memory.view(address, size) if size else np.zeros(0, np.uint8)

    @_alone
    def write(self, address: int, data: memoryview | bytes, stream: Stream | None = None) -> None:
        self._check_range(address, len(data))
        channel = self._channel(stream)
        for at in range(0, len(data), STAGING_BYTES):
            part = data[at : at + STAGING_BYTES]
            self.gpu.memory.write(self._staging, part)
            self._copy(channel, address + at, self._staging, len(part))

    @_alone
    def read(self, address: int, size: int, stream: Stream | None = None) -> bytearray:
        self._check_range(address, size)
        if stream is None:
            self.synchronize()
        channel, out = self._channel(stream), bytearray(size)
        for at in range(0, size, STAGING_BYTES):
            count = min(STAGING_BYTES, size - at)
            self._copy(channel, self._staging, address + at, count)
            out[at : at + count] = self.gpu.memory.view(self._staging, count).data
        return out

    @_alone
    def clear(self, address: int, size: int, stream: Stream | None = None) -> None:
        """Zero a range with the copy engine. Pieces that are zero already are left alone: memory that was never used
        then costs nothing."""
        self._check_range(address, size)
        if stream is not self._default:
            self.gpu.settle()
        channel, copy = self._channel(stream), methods.SUBCHANNEL_COPY
        flags = methods.DMA_NON_PIPELINED | methods.DMA_SRC_PITCH | methods.DMA_DST_PITCH | methods.DMA_REMAP
        for at in range(0, size, CLEAR_BYTES):
            target, count = address + at, min(CLEAR_BYTES, size - at)
            if self.gpu.memory.known is not None or self.gpu.memory.view(target, count).any():
                words = [
                    *packet(copy, Copy.SET_REMAP_CONST_A, [0]),
                    *packet(copy, Copy.SET_REMAP_COMPONENTS, [methods.REMAP_CONST_A]),
                    *packet(copy, Copy.OFFSET_OUT_UPPER, [target >> 32, target & 0xFFFFFFFF]),
                    *packet(copy, Copy.LINE_LENGTH_IN, [count]),
                    *packet(copy, Copy.LAUNCH_DMA, [flags]),
                ]
                self._wait(channel, channel.submit(words, f"fill {count} bytes"))

    def zeros(self, shape: int | Sequence[int], dtype: Any = np.float32) -> api.Buffer:
        out = self.empty(shape, dtype)
        if out.nbytes:
            self.clear(out.address, out.nbytes)
        return out

    def _check_range(self, address: int, size: int) -> None:
        try:
            self.gpu.memory.check(address, size)
        except BadAddress as error:
            raise LaunchError("device.address", str(error)) from None

    def _copy(self, channel: Channel, target: int, source: int, size: int) -> None:
        copy = methods.SUBCHANNEL_COPY
        flags = methods.DMA_NON_PIPELINED | methods.DMA_SRC_PITCH | methods.DMA_DST_PITCH | methods.DMA_FLUSH
        words = [
            *packet(copy, Copy.OFFSET_IN_UPPER, [source >> 32, source & 0xFFFFFFFF, target >> 32, target & 0xFFFFFFFF]),
            *packet(copy, Copy.LINE_LENGTH_IN, [size]),
            *packet(copy, Copy.LAUNCH_DMA, [flags]),
        ]
        self._wait(channel, channel.submit(words, f"copy {size} bytes"))

    # -- work ----------------------------------------------------------------------------------------------------

    def _channel(self, stream: Stream | None) -> Channel:
        if stream is None:
            # As on a real one, the default stream waits for all others.
            self.gpu.settle()
            return self._default.channel
        if not isinstance(stream, ModelStream) or stream.device is not self:
            raise LaunchError("launch.stream", "the stream belongs to another device")
        return stream.channel

    def _wait(self, channel: Channel, value: int) -> None:
        try:
            channel.wait(value)
        except ChannelError as error:
            raise self._fault(channel, error) from None

    def _fault(self, channel: Channel, error: ChannelError) -> DeviceError:
        """What to tell the user of a stopped channel: the fault of the grid that stopped it."""
        for completion in reversed(self._completions.values()):
            if completion.token == channel.token and completion.outcome.fault:
                return self.describe(completion)
        return DeviceError(f"the device stopped the stream: {error}", "channel")

    def describe(self, completion: Completion) -> DeviceError:
        """The error of a grid that ended in a fault, with kernel, block, thread, place and source line."""
        fault = completion.outcome.fault
        assert fault is not None
        name = completion.grid.name
        line = self._line(completion.grid.entry + fault.pc)
        early = "".join(f"\nbefore that, {h.text}" for h in completion.outcome.hazards[:8])
        return DeviceError(
            f"{fault.message}{early}",
            fault.kind,
            name,
            fault.block,
            fault.thread,
            fault.pc,
            line.file if line else "",
            line.line if line else 0,
            fault.address,
            completion.outcome.output.decode("utf-8", "replace"),
        )

    def place(self, entry: int, offset: int) -> str:
        """file:line of a byte offset in the function at an address, where its code says it."""
        line = self._line(entry + offset)
        return f"{line.file}:{line.line}" if line else ""

    def _line(self, address: int) -> Line | None:
        """The source line of a code address."""
        entries = sorted(self._functions)
        at = bisect.bisect_right(entries, address) - 1
        if at < 0:
            return None
        function, offset = self._functions[entries[at]], address - entries[at]
        index = bisect.bisect_right([line.offset for line in function.lines], offset) - 1
        return function.lines[index] if index >= 0 and offset < len(function.code) else None

    def _completed(self, completion: Completion) -> None:
        self._completions[completion.debug_id] = completion
        owner = self._launches.get(completion.debug_id)
        if owner is not None:
            owner.completion = completion
        while len(self._completions) > 64:
            self._completions.pop(next(iter(self._completions)))

    @_alone
    def _launch(self, kernel: Kernel, request: Configuration, parameters: bytes) -> Launch:
        module = kernel.module
        assert isinstance(module, ModelModule)
        channel = self._channel(request.stream)
        try:
            channel.check()
        except ChannelError as error:
            raise self._fault(channel, error) from None
        function = module.program.function(kernel.name)
        asked = launch.Request(request.grid, request.block, request.shared, request.cluster, self.stack)
        shared = launch.check(asked, Placed(function, 0, 0, None), self.arch)
        placed = module.loaded.place(kernel.name)
        for one in module.loaded.placed.values():
            self._functions[one.entry] = one.function
        self.gpu.compute.names[placed.entry] = kernel.name
        number, memory = self._next, self.gpu.memory
        self._next += 1
        self.tracer.step(
            "driver", "launch", kernel=kernel.name, grid=request.grid, block=request.block, dynamic=request.shared
        )
        bank3 = module.loaded.bank3
        constants = bank3[0] if bank3 else 0
        bank0 = launch.constant_bank0(asked, placed, self.arch, parameters, number, constants)
        bank0 += bytes(-len(bank0) % 16)
        try:
            bank_address, qmd_address = memory.allocate(len(bank0)), memory.allocate(512)
        except OutOfMemory as error:
            raise LaunchError("device.memory", str(error)) from None
        base = self.arch.abi.param_base
        if self.arch.abi.parameter_window is not None:
            # Where code finds its parameters in memory.
            at = self.arch.abi.parameter_window
            bank0 = bank0[:at] + (bank_address + base).to_bytes(8, "little") + bank0[at + 8 :]
        memory.write(bank_address, bank0)
        self.tracer.step(
            "driver", "constant bank 0", address=bank_address, bytes=len(bank0), parameters_at=f"0x{base:x}",
            parameters=parameters.hex(" ", -8),
        )  # fmt: skip
        banks = {0: (bank_address, len(bank0)), **module.loaded.banks(placed)}
        data = launch.build_qmd(asked, placed, self.arch, shared, banks, number)
        if self.tracer.enabled:
            fields = {name: value for name, value in qmd.unpack(data)[1].items() if value}
            self.tracer.step("driver", "build QMD V04_00", address=qmd_address, bytes=len(data), **fields)
        result = ModelLaunch(self, channel, kernel, request, number, [bank_address, qmd_address])
        self._launches[number] = result
        result.value = channel.submit(launch.launch_words(data, qmd_address), f"launch {kernel.name}")
        if request.stream is None or self.tracer.enabled:
            self.gpu.settle()
        result.log = self.tracer.take() if self.tracer.enabled else ""
        self._reap()
        return result

    def _reap(self) -> None:
        """Free what finished launches held."""
        for number, one in list(self._launches.items()):
            if one.completion is not None or one.channel.completed >= one.value > 0:
                for address in one.held:
                    self.gpu.memory.free(address)
                one.held = []
                del self._launches[number]

    @_alone
    def synchronize(self) -> None:
        for stream in self._streams:
            stream.synchronize()

    @_alone
    def stream(self, priority: int = 0) -> Stream:
        if not isinstance(priority, int | np.integer):
            raise LaunchError("stream.priority", f"{priority!r} is no priority; {api.STREAM_PRIORITIES} are the limits")
        out = ModelStream(self, open_channel(self.gpu))
        least, most = api.STREAM_PRIORITIES
        self.gpu.compute.priorities[out.channel.token] = min(max(priority, most), least)
        self._streams.append(out)
        return out

    @_alone
    def event(self) -> Event:
        return ModelEvent(self)


class ModelStream(Stream):
    """A channel of the model."""

    def __init__(self, device: ModelDevice, channel: Channel) -> None:
        self.device, self.channel = device, channel

    @_alone
    def synchronize(self) -> None:
        self.device._wait(self.channel, self.channel.submitted)

    @_alone
    def wait(self, event: Event) -> None:
        mark = _own(event, self.device)
        if mark.value:
            execute = SemOp.ACQ_STRICT_GEQ | methods.SEM_PAYLOAD_64BIT
            self.channel.submit(semaphore_words(mark.address, mark.value, execute), "wait for event")


class ModelEvent(Event):
    """A semaphore in device memory: 8 bytes of count, 8 bytes of time stamp."""

    def __init__(self, device: ModelDevice) -> None:
        self.device = device
        self.address = device.gpu.memory.allocate(16)
        device.gpu.memory.fill(self.address, 0, 16)
        self.value = 0
        self._channel: Channel | None = None

    @_alone
    def record(self, stream: Stream | None = None) -> Event:
        channel = self.device._channel(stream)
        self.value += 1
        self._channel = channel
        execute = SemOp.RELEASE | methods.SEM_RELEASE_WFI | methods.SEM_PAYLOAD_64BIT | methods.SEM_TIMESTAMP
        channel.submit(semaphore_words(self.address, self.value, execute), "record event")
        return self

    def _words(self) -> tuple[int, int]:
        count, stamp = struct.unpack("<QQ", self.device.gpu.memory.read(self.address, 16))
        return count, stamp

    @property
    @_alone
    def done(self) -> bool:
        self.device.gpu.settle()
        return self._words()[0] >= self.value

    @_alone
    def synchronize(self) -> None:
        if not self.done and self._channel is not None:
            self.device._wait(self._channel, self._channel.submitted)

    @_alone
    def elapsed(self, since: Event) -> float:
        for event in (self, _own(since, self.device)):
            if not event.value:
                raise LaunchError("event.unrecorded", "no time passed between events that were not both recorded")
            event.synchronize()
        return (self._words()[1] - _own(since, self.device)._words()[1]) / 1e6


def _own(event: object, device: ModelDevice) -> ModelEvent:
    """The event, if it is one of the device."""
    if not isinstance(event, ModelEvent) or event.device is not device:
        raise LaunchError("event.device", f"{event!r} is no event of {device!r}")
    return event


class ModelModule(Module):
    """A program on the model."""

    def __init__(self, device: ModelDevice, program: Any) -> None:
        self.device: ModelDevice = device
        self.program = program
        # Code and variables come without waiting for kernels, none of which can have to do with them.
        write = functools.partial(device.write, stream=device._default)
        clear = functools.partial(device.clear, stream=device._default)
        self.loaded = LoadedModule(program, device.arch, device.gpu.memory.allocate, write, clear, device.tracer)

    @property
    def kernels(self) -> list[str]:
        return [f.name for f in self.program.functions if f.entry]

    def _kernel(self, symbol: str) -> Kernel:
        f: Function = self.program.function(symbol)
        places = [(p.offset, p.size) for p in f.params]
        return Kernel(
            self, symbol, api.typed_parameters(symbol, places), f.parameter_size, f.registers, f.shared, f.min_stack
        )

    def variable(self, name: str) -> Variable:
        names = [v.name for v in self.program.variables]
        symbol = api.resolve(name, names, "variable")
        size = next(v.size for v in self.program.variables if v.name == symbol)
        return Variable(self.device, symbol, self.loaded.addresses[symbol], size)


@attrs.define(eq=False, repr=False)
class ModelLaunch(Launch):
    """A launch on the model."""

    device: ModelDevice
    channel: Channel
    kernel: Kernel
    configuration: Configuration
    number: int
    held: list[int]
    value: int = 0
    completion: Completion | None = None
    log: str = ""

    def __repr__(self) -> str:
        done = self.completion
        state = "not run yet" if done is None else done.outcome.fault or f"{done.outcome.cycles} cycles"
        return f"<Launch {self.kernel.name}[{self.configuration}]: {getattr(state, 'kind', state)}>"

    @_alone
    def wait(self) -> Launch:
        if self.completion is None:
            self.device._wait(self.channel, self.value)
        if self.completion is None:
            raise DeviceError(
                "the kernel was not run: an earlier one in its stream failed", "dropped", self.kernel.name
            )
        if self.completion.outcome.fault is not None:
            # The stream's own notice of this fault is taken here, so that later work is not refused for it.
            with contextlib.suppress(ChannelError):
                self.channel.check()
            raise self.device.describe(self.completion)
        return self

    @property
    def outcome(self) -> Outcome:
        """Everything the model measured."""
        self.wait()
        assert self.completion is not None
        return self.completion.outcome

    @property
    def cycles(self) -> int:
        return self.outcome.cycles

    @property
    def stats(self) -> dict[str, float]:
        return self.outcome.counters

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        return self.outcome.hazards

    @property
    def findings(self) -> tuple[Finding, ...]:
        findings = self.outcome.findings or ()
        entry = self.completion.grid.entry if self.completion else 0
        out: dict[object, Finding] = {}
        for one in findings:
            place = self.device.place(entry, one.pc)
            other = "" if one.other is None else self.device.place(entry, one.other)
            key = (one.kind, place, other) if place else (one.kind, one.pc, one.other)
            # A line may have become several instructions.
            count = one.count + (out[key].count if key in out else 0)
            out[key] = evolve(out.get(key, one), place=place, other_place=other, count=count)
        return tuple(out.values())

    @property
    def output(self) -> str:
        return self.outcome.output.decode("utf-8", "replace")

    @property
    def trace(self) -> str:
        return self.log

    def summary(self) -> str:
        from runtime import profile

        return str(profile.summary(self))

    def report(self) -> str:
        from runtime import profile

        return str(profile.report(self))

    def _repr_html_(self) -> str:
        """What a notebook shows of a launch: its summary and its warp states."""
        from runtime import profile

        return str(profile.html(self))
