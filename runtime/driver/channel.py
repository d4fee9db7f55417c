"""A channel as the CPU sees it: a pushbuffer, a GPFIFO ring, USERD, an error notifier, and a semaphore that counts the
work done. A stream is one channel.

Order of a submission: methods into the pushbuffer, the GPFIFO entry, GP_PUT in USERD, the token to the doorbell.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import attrs

from runtime.device.gpu import Gpu
from runtime.hw import channel as hw
from runtime.hw import methods
from runtime.hw.methods import Compute, Copy, Host, SemOp, packet

RING_ENTRIES = 1024
PUSHBUFFER_BYTES = 1 << 20

SHARED_WINDOW = 0x7294_0000_0000
LOCAL_WINDOW = 0x7292_8000_0000
"""Generic addresses of the shared and local windows. Code forms a shared address from the upper 32 bits alone, so
their lower halves are 0; any place outside the device's memory will do."""


class ChannelError(Exception):
    """The device stopped the channel; `error` is the number in its notifier."""

    def __init__(self, error: int, why: str) -> None:
        super().__init__(f"{why} (error {error})")
        self.error = error


@attrs.define(eq=False)
class Channel:
    """Created by `open_channel`. Addresses are device virtual addresses."""

    gpu: Gpu
    ring: int
    userd: int
    notifier: int
    pushbuffer: int
    semaphore: int
    token: int = 0
    put: int = 0
    fill: int = 0
    """Bytes of the pushbuffer in use since it last started over."""
    submitted: int = 0
    """Semaphore value that the last submission will release."""
    segment_base: int = 0

    def submit(self, words: Sequence[int], what: str = "methods") -> int:
        """Give methods, and a semaphore release behind them, to the device and ring the doorbell; returns the value to
        wait for. `what` is for the log."""
        self.submitted += 1
        words = [*words, *self._release(self.submitted)]
        size = 4 * len(words)
        if size > PUSHBUFFER_BYTES:
            raise ValueError(f"{size} bytes of methods do not fit in the pushbuffer")
        if self.fill + size > PUSHBUFFER_BYTES:
            self._drain()
            self.fill = 0
        address = self.pushbuffer + self.fill
        memory, tracer = self.gpu.memory, self.gpu.tracer
        memory.write(address, struct.pack(f"<{len(words)}I", *words))
        tracer.step("driver", f"write methods: {what}", pushbuffer=address, words=len(words))
        self.fill += size
        if address >> 40 != self.segment_base:
            self.segment_base = address >> 40
            self._entry(hw.pack_control(hw.OPCODE_SET_PB_SEGMENT_EXTENDED_BASE, self.segment_base))
        self._entry(hw.pack_segment(address, len(words)))
        memory.write(self.userd + hw.GP_PUT, struct.pack("<I", self.put))
        tracer.step("driver", "GP_PUT", userd=self.userd + hw.GP_PUT, value=self.put)
        tracer.step("driver", "ring doorbell", offset=f"0x{hw.DOORBELL:x}", token=self.token)
        self.gpu.write_usermode(hw.DOORBELL, self.token)
        return self.submitted

    def _entry(self, entry: int) -> None:
        """Append a GPFIFO entry. If the ring is full, the device has to take older ones first."""
        following = (self.put + 1) % RING_ENTRIES
        if following == self._word(self.userd + hw.GP_GET):
            self.gpu.settle()
        if following == self._word(self.userd + hw.GP_GET):
            raise RuntimeError("the GPFIFO ring is full: the stream waits for an event that was never recorded")
        at = self.ring + hw.ENTRY_BYTES * self.put
        self.gpu.memory.write(at, struct.pack("<Q", entry))
        if self.gpu.tracer.enabled:
            self.gpu.tracer.step("driver", "GPFIFO entry", address=at, value=f"0x{entry:016x}", means=hw.unpack(entry))
        self.put = following

    def _release(self, value: int) -> list[int]:
        execute = SemOp.RELEASE | methods.SEM_RELEASE_WFI | methods.SEM_PAYLOAD_64BIT | methods.SEM_TIMESTAMP
        return semaphore_words(self.semaphore, value, execute)

    def _word(self, address: int) -> int:
        return int(struct.unpack("<I", self.gpu.memory.read(address, 4))[0])

    def _drain(self) -> None:
        """The pushbuffer starts over: everything in it must have been read."""
        if self._word(self.userd + hw.GP_GET) != self.put:
            self.gpu.settle()
        if self._word(self.userd + hw.GP_GET) != self.put:
            raise RuntimeError("the pushbuffer is full: the stream waits for an event that was never recorded")

    @property
    def completed(self) -> int:
        """Value of the completion semaphore."""
        return int(struct.unpack("<Q", self.gpu.memory.read(self.semaphore, 8))[0])

    def check(self) -> None:
        """Raise `ChannelError` if the device stopped the channel; the channel is usable again afterwards."""
        _, error, _, status = hw.NOTIFIER.unpack(self.gpu.memory.read(self.notifier, hw.NOTIFIER.size))
        if status == hw.NOTIFIER_ERROR:
            why = self.gpu.host.why_halted(self.token)
            self.gpu.reset_channel(self.token)
            self.put = self._word(self.userd + hw.GP_GET)
            self.gpu.memory.write(self.semaphore, struct.pack("<Q", self.submitted))
            raise ChannelError(error, why)

    def wait(self, value: int) -> None:
        """Return once the semaphore has reached `value`; `ChannelError` if the channel was stopped instead."""
        self.check()
        if self.completed < value:
            self.gpu.settle()
            self.check()
            if self.completed < value:
                raise RuntimeError("the stream waits for an event that was never recorded")
        self.gpu.timeline.wait(self.token)


def semaphore_words(address: int, payload: int, execute: int) -> list[int]:
    """The five host methods that release or acquire a semaphore, as one packet."""
    data = (address & 0xFFFFFFFF, address >> 32, payload & 0xFFFFFFFF, payload >> 32, execute)
    return packet(0, Host.SEM_ADDR_LO, data)


def open_channel(gpu: Gpu) -> Channel:
    """Allocate a channel's memory, have it created, and bind compute and copy classes to their subchannels."""
    memory = gpu.memory
    ring = memory.allocate(RING_ENTRIES * hw.ENTRY_BYTES)
    userd = memory.allocate(hw.USERD_BYTES)
    notifier, semaphore = memory.allocate(hw.NOTIFIER.size), memory.allocate(16)
    pushbuffer = memory.allocate(PUSHBUFFER_BYTES)
    for address, size in ((ring, RING_ENTRIES * 8), (userd, hw.USERD_BYTES), (notifier, 16), (semaphore, 16)):
        memory.fill(address, 0, size)
    channel = Channel(gpu, ring, userd, notifier, pushbuffer, semaphore)
    channel.token = gpu.create_channel(ring, RING_ENTRIES, userd, notifier)
    gpu.tracer.step("driver", "create channel", token=channel.token, ring=ring, userd=userd, pushbuffer=pushbuffer)
    compute, copy = methods.SUBCHANNEL_COMPUTE, methods.SUBCHANNEL_COPY
    channel.submit(
        [
            *packet(compute, Compute.SET_OBJECT, [methods.HOPPER_COMPUTE_A]),
            *packet(copy, Copy.SET_OBJECT, [methods.HOPPER_DMA_COPY_A]),
            *packet(
                compute, Compute.SET_SHADER_SHARED_MEMORY_WINDOW_A, [SHARED_WINDOW >> 32, SHARED_WINDOW & 0xFFFFFFFF]
            ),
            *packet(compute, Compute.SET_SHADER_LOCAL_MEMORY_WINDOW_A, [LOCAL_WINDOW >> 32, LOCAL_WINDOW & 0xFFFFFFFF]),
        ],
        "bind classes, set windows",
    )
    return channel
