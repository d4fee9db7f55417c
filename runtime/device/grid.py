"""What the compute work distributor gets from a QMD and gives back: the line between the launch path and the SMs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import attrs

Dim = tuple[int, int, int]


@attrs.frozen
class Grid:
    """One compute grid. Addresses are device virtual addresses; sizes in bytes.

    `shared` is what one CTA takes (reserved 1024 + static + dynamic); `local` is per thread; `registers` per thread.
    `constants` maps a bank number to (address, size). `entry` is the address of the first instruction;
    `code` is (address, size) of the mapped code around it."""

    entry: int
    code: tuple[int, int]
    grid: Dim
    block: Dim
    registers: int
    shared: int
    local: int
    barriers: int
    constants: dict[int, tuple[int, int]]
    arch: str
    name: str = ""
    """Kernel name, for messages only."""
    cluster: Dim = (1, 1, 1)
    shared_window: int = 0
    """Generic addresses [shared_window, shared_window + 16 MiB) are shared memory; likewise local below."""
    local_window: int = 0
    prefetch: int = 0
    """Bytes of code that are fetched before the first CTA begins."""


CYCLE_LIMIT = 3_600_000_000
"""About two seconds of an H200: as long as a GPU that also drives a display lets a kernel run."""


RUNAWAY_LIMIT, RUNAWAY_OF_A_WARP, CHECKING = 1_000_000_000, 100_000_000, 4
"""Warp instructions in which no CTA ends before a kernel counts as one that never will: of all warps, and of each that
the machine holds; a check, which is slower, takes so much less. Seconds to minutes of the host."""


Progress = Callable[[str, int, int, int], None]
"""Told now and then, while a grid runs, its name, how many of its CTAs are done, how many there are, and the cycle."""


@attrs.frozen
class Options:
    """How to simulate. `timing` False runs functionally at full speed (cycles are then 0).
    `hazards`: "hardware" reads stale values as the chip does; "report" also records every such read; "off" trusts the
    code. `cycle_limit`, `instruction_limit` (warp instructions) and `runaway_limit` (warp instructions in which no CTA
    ends; None: as `runaway` says) end a runaway kernel with a fault (0 = none)."""

    timing: bool = True
    hazards: Literal["hardware", "report", "off"] = "report"
    cycle_limit: int = CYCLE_LIMIT
    instruction_limit: int = 0
    runaway_limit: int | None = None
    trace: bool = False
    progress: Progress | None = None
    sample: int = 0
    """Stretches of a big grid that are simulated with timing (see `runtime.device.sm.sample`); 0: all of it is."""
    cores: int = 1
    """How many threads simulate (see `runtime.device.sm.machines.threads`); nothing that they find depends on it."""
    count_bytes: bool = False
    """Count the bytes that loads and stores name, each once."""
    check: bool = False
    """Look for races and for memory that nobody wrote (see `runtime.device.sm.machines.checking`); without timing."""

    def runaway(self, warps: int) -> int:
        """The warp instructions in which a CTA must end where the machine holds so many warps (0: none)."""
        if self.runaway_limit is not None:
            return self.runaway_limit
        return min(RUNAWAY_LIMIT, RUNAWAY_OF_A_WARP * warps) // (CHECKING if self.check else 1)


FaultKind = Literal[
    "illegal_address",
    "misaligned_address",
    "illegal_instruction",
    "deadlock",
    "timeout",
    "assert",
    "trap",
    "stack_overflow",
    "invalid_launch",
]


@attrs.frozen
class Fault:
    """Why a kernel ended early. `address` is the data address, if any; `pc` a byte offset in the function."""

    kind: FaultKind
    message: str
    pc: int = 0
    block: Dim = (0, 0, 0)
    thread: Dim = (0, 0, 0)
    address: int | None = None


@attrs.frozen
class Hazard:
    """What came too early, by `early` cycles. "raw": `consumer` (byte offset) read `register` before `producer`'s value
    was there. Otherwise `producer` comes behind `consumer`: "war": it wrote what `consumer` had not read yet; "waw":
    its value was there before that of `consumer`, which replaced it."""

    producer: int
    consumer: int
    register: str
    early: int
    count: int = 1
    kind: Literal["raw", "war", "waw"] = "raw"

    @property
    def text(self) -> str:
        """What happened, for a message."""
        consumer, producer, early = f"0x{self.consumer:x}", f"0x{self.producer:x}", f"{self.early} cycle(s) before"
        what = {
            "raw": f"read at {consumer}, {early} the value of {producer} was there",
            "war": f"overwritten at {producer}, {early} {consumer} had read it",
            "waw": f"written at {producer}, {early} {consumer}, which replaced it",
        }[self.kind]
        return f"{self.register} was {what} ({self.count} times)"


FindingKind = Literal[
    "read_after_write",
    "write_after_read",
    "write_after_write",
    "one_store",
    "unwritten_shared",
    "unwritten_global",
    "reserved_shared",
    "divergent_barrier",
]


@attrs.frozen
class Finding:
    """What a checked run found wrong, though the kernel went on. `pc` is the instruction's byte offset in the function,
    `other` that of the earlier one of two that race. `block`, `thread`, `before` (the thread of the earlier one) and
    `address` (an offset in the block's shared memory, or of the device; of a barrier the lanes that came, as bits) are
    of the first of `count` times. `place` and `other_place` are of the source, where the code says it."""

    kind: FindingKind
    pc: int
    block: Dim
    thread: Dim
    address: int
    count: int
    other: int | None = None
    before: Dim | None = None
    place: str = ""
    other_place: str = ""

    @property
    def text(self) -> str:
        """What it is, for a message."""
        who, there = f"thread {self.thread} of block {self.block}", f"shared memory at 0x{self.address & 0xFFFFFF:x}"
        earlier = f"thread {self.before} %s at {self.other_place or f'0x{self.other or 0:x}'}"
        what = {
            "read_after_write": f"{who} reads {there}, which {earlier % 'wrote'}: no barrier is between them",
            "write_after_read": f"{who} writes {there}, which {earlier % 'read'}: no barrier is between them",
            "write_after_write": f"{who} writes {there}, which {earlier % 'wrote'}: no barrier is between them",
            "one_store": f"{who} and thread {self.before} write different values to {there} at once",
            "unwritten_shared": f"{who} reads {there}, which nothing of its block had written",
            "unwritten_global": f"{who} reads memory at 0x{self.address:x}, which nothing wrote since it was allocated",
            "reserved_shared": f"{who} is {-self.address} bytes in front of its block's shared memory",
            "divergent_barrier": f"{who}: of its warp lanes 0x{self.address:08x} alone come to the barrier",
        }[self.kind]
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.place or f'at 0x{self.pc:x}'}: {what}{times}"


@attrs.frozen
class Sampled:
    """What an estimate of cycles rests on: `simulated` of `ctas` CTAs ran with timing, in so many stretches; `error` is
    half of the 95 % interval of the estimate, as a fraction of it, from the variance within the sample."""

    simulated: int
    ctas: int
    stretches: int
    cycles: int
    error: float


@attrs.frozen
class Outcome:
    """Result of a grid. `cycles` is gpc__cycles_elapsed.max as the model has it. `counters` are under their ncu names.
    `stalls[reason]` are warp-cycles under ncu's warp-state names; `per_pc[offset]` maps a counter name to its sum."""

    cycles: int
    counters: dict[str, float] = attrs.field(factory=dict)
    stalls: dict[str, float] = attrs.field(factory=dict)
    per_pc: dict[int, dict[str, float]] = attrs.field(factory=dict)
    fault: Fault | None = None
    hazards: tuple[Hazard, ...] = ()
    findings: tuple[Finding, ...] | None = None
    """What a checked run found; None: it was not checked."""
    output: bytes = b""
    """What printf wrote."""
    seconds: float = 0.0
    instructions: int = 0
    issues: Any = None
    """Rows of `runtime.device.sm.core.observe`, one for each issue of an SM, in a process that records them."""
    sampled: Sampled | None = None
    """Set if the cycles are an estimate; counters but instructions are then scaled."""
    entry: int = 0
    """Byte offset of the entry in the code; instruction numbers of `issues` count from the code's beginning."""
