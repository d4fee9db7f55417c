"""The host engine: wakes on a doorbell, fetches GPFIFO entries, decodes pushbuffer methods, executes semaphores and
hands everything else to the engine of the subchannel.

A channel whose semaphore acquire does not hold yet is set aside; the engine goes on with other channels and comes back
whenever one of them made progress. All state that the driver can see is in memory: USERD, semaphores, the notifier.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Protocol

import attrs

from runtime.device.memory import BadAddress, DeviceMemory
from runtime.device.timeline import Timeline
from runtime.hw import channel as hw
from runtime.hw import methods
from runtime.hw.methods import Host, Method, SemOp
from runtime.hw.trace import Tracer


class EngineFault(Exception):
    """An engine cannot go on with a channel; `error` is the robust-channel error number for its notifier."""

    def __init__(self, error: int, message: str) -> None:
        super().__init__(message)
        self.error = error


class Engine(Protocol):
    """What a subchannel is bound to."""

    def method(self, token: int, address: int, data: int) -> Callable[[], bool] | None:
        """Execute one method for the channel `token`; raises `EngineFault`. None if the work is done, else what says
        whether it is: the channel waits until then."""

    def go_on(self) -> bool:
        """Do some of the work that waits; False if there is none."""


@attrs.define(eq=False)
class ChannelState:
    """The host engine's side of a channel."""

    token: int
    ring: int
    entries: int
    userd: int
    notifier: int
    get: int = 0
    base: int = 0
    """Bits 56:40 of pushbuffer addresses."""
    classes: dict[int, int] = attrs.field(factory=dict)
    pending: Iterator[Method] | None = None
    semaphore: dict[int, int] = attrs.field(factory=dict)
    blocked: Callable[[], bool] | None = None
    """When set, the channel waits until it returns True."""
    halted: str = ""
    """Why the channel was stopped; "" while it runs."""


class HostEngine:
    """One host engine serving all channels of a device. `engines` maps class numbers to engines; `clock` gives ns."""

    def __init__(
        self,
        memory: DeviceMemory,
        engines: dict[int, Engine],
        clock: Callable[[int], int],
        timeline: Timeline,
        tracer: Tracer,
    ) -> None:
        self.memory, self.engines, self.clock, self.tracer = memory, engines, clock, tracer
        self.timeline = timeline
        self.channels: dict[int, ChannelState] = {}
        self._busy = False
        """Whether a grid runs: what finalizers ask for meanwhile comes later."""

    def attach(self, ring: int, entries: int, userd: int, notifier: int) -> int:
        """Make a channel known (the kernel driver's part of creating one); returns its work submit token."""
        token = len(self.channels) + 1
        self.channels[token] = ChannelState(token, ring, entries, userd, notifier)
        return token

    def reset(self, token: int) -> None:
        """Clear the error of a channel and drop what it had queued, so that it can be used again."""
        channel = self.channels[token]
        channel.halted, channel.pending, channel.blocked = "", None, None
        channel.get = self._word(channel.userd + hw.GP_PUT) % channel.entries
        self.memory.write(channel.userd + hw.GP_GET, struct.pack("<I", channel.get))
        self.memory.write(channel.notifier, bytes(hw.NOTIFIER.size))

    def why_halted(self, token: int) -> str:
        """What the kernel driver logs of a stopped channel."""
        return self.channels[token].halted

    def doorbell(self, token: int) -> None:
        """Work until every channel is idle, halted or waiting: for a semaphore, or for a grid, which runs once the CPU
        has nothing more to submit (`settle`). Unknown tokens are ignored, as on the chip."""
        if token in self.channels and not self._busy:
            self._work()

    def settle(self) -> None:
        """Work until no grid waits either: as much as happens while the CPU waits."""
        progress = not self._busy
        while progress:
            self._work()
            self._busy = True
            try:
                progress = any(engine.go_on() for engine in self.engines.values())
            finally:
                self._busy = False

    def _work(self) -> None:
        progress = True
        while progress:
            progress = False
            for channel in list(self.channels.values()):
                progress = self._advance(channel) or progress

    def _word(self, address: int) -> int:
        return int(struct.unpack("<I", self.memory.read(address, 4))[0])

    def _advance(self, channel: ChannelState) -> bool:
        """Run one channel as far as it goes; True if anything was done."""
        done = False
        try:
            while not channel.halted:
                if channel.blocked is not None:
                    if not channel.blocked():
                        return done
                    channel.blocked, done = None, True
                if channel.pending is None and not self._fetch(channel):
                    return done
                done = True
                for method in channel.pending or ():
                    self._execute(channel, method)
                    if channel.blocked is not None:
                        break
                else:
                    channel.pending = None
        except EngineFault as fault:
            self._halt(channel, fault.error, str(fault))
        except BadAddress as error:
            self._halt(channel, hw.ERROR_MMU_FAULT, str(error))
        except methods.BadPushbuffer as error:
            self._halt(channel, hw.ERROR_PBDMA, str(error))
        return done

    def _halt(self, channel: ChannelState, error: int, message: str) -> None:
        channel.halted, channel.pending, channel.blocked = message, None, None
        record = hw.NOTIFIER.pack(self.clock(channel.token), error, 0, hw.NOTIFIER_ERROR)
        self.memory.write(channel.notifier, record)
        self.tracer.step("host engine", "channel stopped", token=channel.token, error=error, why=message)

    def _fetch(self, channel: ChannelState) -> bool:
        """Take the next GPFIFO entry, if GP_PUT is ahead of GP_GET."""
        put = self._word(channel.userd + hw.GP_PUT)
        if put >= channel.entries:
            raise EngineFault(hw.ERROR_PBDMA, f"GP_PUT {put} is outside the ring of {channel.entries} entries")
        if channel.get == put:
            return False
        at = channel.ring + hw.ENTRY_BYTES * channel.get
        entry = hw.unpack(struct.unpack("<Q", self.memory.read(at, 8))[0])
        channel.get = (channel.get + 1) % channel.entries
        self.memory.write(channel.userd + hw.GP_GET, struct.pack("<I", channel.get))
        if isinstance(entry, hw.Control):
            if entry.opcode == hw.OPCODE_SET_PB_SEGMENT_EXTENDED_BASE:
                channel.base = entry.operand
            elif entry.opcode != hw.OPCODE_NOP:
                raise EngineFault(hw.ERROR_PBDMA, f"GPFIFO control entry with opcode {entry.opcode}")
            channel.pending = iter(())
            return True
        address = channel.base << 40 | entry.address
        self.tracer.step("host engine", "fetch GPFIFO entry", entry=at, pushbuffer=address, words=entry.words)
        raw = self.memory.read(address, 4 * entry.words)
        channel.pending = methods.decode(struct.unpack(f"<{entry.words}I", raw))
        return True

    def _execute(self, channel: ChannelState, method: Method) -> None:
        bound = channel.classes.get(method.subchannel, 0)
        if self.tracer.enabled and not _dull(bound, method.address):
            self.tracer.step(
                "host engine", f"method {methods.name_of(bound, method.address)}", subch=method.subchannel,
                addr=f"0x{method.address:04x}", data=f"0x{method.data:08x}",
            )  # fmt: skip
        if method.address == Host.SET_OBJECT:
            if method.data & 0xFFFF not in self.engines:
                raise EngineFault(hw.ERROR_PBDMA, f"SET_OBJECT of unknown class 0x{method.data & 0xFFFF:04x}")
            channel.classes[method.subchannel] = method.data & 0xFFFF
        elif method.address < 0x100:
            channel.semaphore[method.address] = method.data
            if method.address == Host.SEM_EXECUTE:
                self._semaphore(channel, method.data)
        elif not bound:
            raise EngineFault(
                hw.ERROR_PBDMA, f"method 0x{method.address:04x} on unbound subchannel {method.subchannel}"
            )
        else:
            channel.blocked = self.engines[bound].method(channel.token, method.address, method.data)

    def _semaphore(self, channel: ChannelState, execute: int) -> None:
        """SEM_EXECUTE: release, or wait for, the semaphore that the four methods before it describe."""
        state = channel.semaphore
        address = state.get(Host.SEM_ADDR_HI, 0) << 32 | state.get(Host.SEM_ADDR_LO, 0) & ~3
        wide = bool(execute & methods.SEM_PAYLOAD_64BIT)
        payload = state.get(Host.SEM_PAYLOAD_LO, 0) | (state.get(Host.SEM_PAYLOAD_HI, 0) << 32 if wide else 0)
        size = 8 if wide else 4
        operation = execute & 7
        if operation == SemOp.RELEASE:
            data = payload.to_bytes(8, "little")[: 8 if execute & methods.SEM_TIMESTAMP else size]
            if execute & methods.SEM_TIMESTAMP:
                data += struct.pack("<Q", self.clock(channel.token))
            self.memory.write(address, data)
            self.timeline.release(channel.token, address)
            self.tracer.step("host engine", "semaphore release", address=address, payload=payload)
            return
        compare = _ACQUIRE.get(operation)
        if compare is None:
            raise EngineFault(hw.ERROR_PBDMA, f"semaphore operation {operation} is not supported")

        def holds() -> bool:
            if not compare(int.from_bytes(self.memory.read(address, size), "little"), payload, 8 * size):
                return False
            self.timeline.acquire(channel.token, address)
            return True

        if not holds():
            self.tracer.step("host engine", "semaphore wait", address=address, payload=payload)
            channel.blocked = holds


_ACQUIRE: dict[int, Callable[[int, int, int], bool]] = {
    SemOp.ACQUIRE: lambda value, payload, bits: value == payload,
    SemOp.ACQ_STRICT_GEQ: lambda value, payload, bits: value >= payload,
    # Circular: value - payload, as a signed number of the semaphore's width, is not negative.
    SemOp.ACQ_CIRC_GEQ: lambda value, payload, bits: not value - payload >> bits - 1 & 1,
    SemOp.ACQ_AND: lambda value, payload, bits: bool(value & payload),
    SemOp.ACQ_NOR: lambda value, payload, bits: bool(~(value | payload) & (1 << bits) - 1),
}


def _dull(bound: int, address: int) -> bool:
    """Methods that a log can leave out: the inner words of an inline QMD (the driver has logged its fields), and a
    semaphore's address and payload (its release or wait is logged with both)."""
    first = methods.Compute.LOAD_INLINE_QMD_DATA
    inner = bound == methods.HOPPER_COMPUTE_A and first < address < first + 4 * 95
    return inner or Host.SEM_ADDR_LO <= address < Host.SEM_EXECUTE
