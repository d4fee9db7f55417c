"""The copy engine (class 0xC8B5): linear and pitched copies, constant fill, and a semaphore release after."""

from __future__ import annotations

import struct
from collections.abc import Callable

from runtime.device.host import EngineFault
from runtime.device.memory import DeviceMemory
from runtime.hw import channel as hw
from runtime.hw import methods
from runtime.hw.methods import Copy
from runtime.hw.trace import Tracer


class CopyEngine:
    """Method state is kept per channel. A copy is done when LAUNCH_DMA returns; both sides are device virtual
    addresses."""

    def __init__(self, memory: DeviceMemory, clock: Callable[[int], int], tracer: Tracer) -> None:
        self.memory, self.clock, self.tracer = memory, clock, tracer
        self.state: dict[int, dict[int, int]] = {}

    def method(self, token: int, address: int, data: int) -> None:
        """Keep the value; LAUNCH_DMA executes."""
        state = self.state.setdefault(token, {})
        state[address] = data
        if address == Copy.LAUNCH_DMA:
            self._launch(token, state, data)

    def go_on(self) -> bool:
        """Copies are done at once."""
        return False

    def _launch(self, token: int, state: dict[int, int], launch: int) -> None:
        if launch & 3:
            self._copy(state, launch)
        kind = launch & 3 << 3
        if kind:
            address = state.get(Copy.SET_SEMAPHORE_A, 0) << 32 | state.get(Copy.SET_SEMAPHORE_B, 0)
            payload = state.get(Copy.SET_SEMAPHORE_PAYLOAD, 0)
            data = struct.pack("<I", payload)
            if kind == methods.DMA_SEMAPHORE_TIMESTAMP:
                data = struct.pack("<QQ", payload, self.clock(token))
            self.memory.write(address, data)
            self.tracer.step("copy engine", "semaphore release", address=address, payload=payload)

    def _copy(self, state: dict[int, int], launch: int) -> None:
        if not launch & methods.DMA_SRC_PITCH or not launch & methods.DMA_DST_PITCH:
            raise EngineFault(hw.ERROR_GR_EXCEPTION, "copy engine: block-linear layouts are not supported")
        source = state.get(Copy.OFFSET_IN_UPPER, 0) << 32 | state.get(Copy.OFFSET_IN_LOWER, 0)
        target = state.get(Copy.OFFSET_OUT_UPPER, 0) << 32 | state.get(Copy.OFFSET_OUT_LOWER, 0)
        length = state.get(Copy.LINE_LENGTH_IN, 0)
        lines = state.get(Copy.LINE_COUNT, 1) if launch & methods.DMA_MULTI_LINE else 1
        if launch & methods.DMA_REMAP:
            self._fill(state, target, length)
            return
        self.tracer.step("copy engine", "copy", source=source, target=target, bytes=length, lines=lines)
        pitch_in, pitch_out = state.get(Copy.PITCH_IN, length), state.get(Copy.PITCH_OUT, length)
        for line in range(lines):
            self.memory.copy(target + line * pitch_out, source + line * pitch_in, length)

    def _fill(self, state: dict[int, int], target: int, elements: int) -> None:
        """Fill with the constant A: one component of 1 to 4 bytes, LINE_LENGTH_IN elements."""
        components = state.get(Copy.SET_REMAP_COMPONENTS, 0)
        if components & 7 != methods.REMAP_CONST_A or components >> 24 & 3:
            raise EngineFault(hw.ERROR_GR_EXCEPTION, "copy engine: only a fill with one constant is supported")
        size = (components >> 16 & 3) + 1
        pattern = struct.pack("<I", state.get(Copy.SET_REMAP_CONST_A, 0))[:size]
        self.tracer.step("copy engine", "fill", target=target, bytes=size * elements, value=pattern.hex())
        if len(set(pattern)) == 1:
            self.memory.fill(target, pattern[0], size * elements)
        else:
            self.memory.write(target, pattern * elements)
