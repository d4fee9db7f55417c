"""The tables and figures of the project's document on SGEMM upper bounds (seed 002), as the simulator gives them,
beside the figures of the document where it states them."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from minicc.arch import classic
from minicc.arch.classic.schema import Machine
from runtime.classic import banks
from runtime.classic.sm import Result, run
from runtime.classic.stream import program

WIDTHS = {"LDS": 1, "LDS.64": 2, "LDS.128": 4}

TABLE2: tuple[tuple[str, float], ...] = (
    ("FADD R0, R1, R0", 128.7), ("FADD R0, R1, R2", 132.0), ("FADD R0, R1, R3", 66.2),
    ("FMUL R0, R1, R0", 129.0), ("FMUL R0, R1, R2", 132.0), ("FMUL R0, R1, R3", 66.2),
    ("FFMA R0, R1, R4, R0", 129.0), ("FFMA R0, R1, R4, R5", 132.0), ("FFMA R0, R1, R3, R5", 66.2),
    ("FFMA R0, R1, R3, R9", 44.2),
    ("IADD R0, R1, R0", 128.7), ("IADD R0, R1, R2", 132.4), ("IADD R0, R1, R3", 66.2),
    ("IMUL R0, R1, R0", 33.2), ("IMUL R0, R1, R2", 33.2), ("IMUL R0, R1, R3", 33.2),
    ("IMAD R0, R1, R4, R0", 33.2), ("IMAD R0, R1, R4, R5", 33.1), ("IMAD R0, R1, R3, R5", 33.2),
    ("IMAD R0, R1, R3, R9", 26.5),
)  # fmt: skip
"""Seed 002, Table 2: instruction and what the document measured on Kepler, thread instructions a cycle."""

STATED = {
    ("gf110", "LDS", 512): 31.3,
    ("gf110", "LDS.64", 512): 30.8,
    ("gf110", "LDS.128", 512): 24.5,
    ("gk104", "LDS.64", 1024): 122.4,
    ("gk104", "LDS.128", 1024): 119.9,
}
"""Seed 002, sections 4.2 and 4.5: throughput of FFMA and loads at 3, 6 and 12 to 1, by machine, load and threads."""


@attrs.frozen
class Row:
    """One measurement beside the document's figure (0 if it states none)."""

    name: str
    simulated: float
    stated: float = 0.0

    @property
    def error(self) -> float:
        """Relative error in percent."""
        return 100 * (self.simulated / self.stated - 1) if self.stated else 0.0


def table2(machine: Machine | None = None, warps: int = 64) -> list[Row]:
    """Throughput of one instruction over and over, with registers in different banks; Kepler unless told otherwise."""
    m = machine or classic.get("gk104")
    return [
        Row(text, run(m, program(text), warps).throughput, stated if m.name == "gk104" else 0.0)
        for text, stated in TABLE2
        if text.split()[0] in m.opcodes
    ]


def mix(machine: Machine, load: str, ratio: int, threads: int, dependent: bool = True) -> Result:
    """`ratio` FFMA to one load of shared memory, in each warp; `dependent`: the FFMAs read what the load brings.
    Registers are chosen so that no two of an FFMA share a bank, on Kepler's banks: a load brings registers 0 to 3,
    whose bit 2 is clear, and accumulators have it set."""
    width = WIDTHS[load]
    accumulators = [r for r in range(8, 56) if r >> 2 & 1]
    lines = [f"{load} R0, [R60]"]
    for i in range(ratio):
        acc = accumulators[i % len(accumulators)]
        k = i % width
        lines.append(f"FFMA R{acc}, R{k if dependent else 48 + k}, R{57 if k % 2 == 0 else 56}, R{acc}")
    return run(machine, program("\n".join(lines)), threads // 32)


def figure2(
    machine: str, ratios: Sequence[int] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
) -> dict[str, list[tuple[int, float]]]:
    """Throughput of FFMA mixed with loads, by load and ratio, at the threads that fill the register file for SGEMM."""
    m = classic.get(machine)
    threads = sgemm_threads(m)
    return {load: [(r, mix(m, load, r, threads).throughput) for r in ratios] for load in WIDTHS}


def figure4(machine: str) -> dict[str, list[tuple[int, float]]]:
    """Throughput of FFMA and LDS.64 at 6 to 1, by active threads, with and without dependence."""
    m = classic.get(machine)
    counts = [n for n in (64, 128, 192, 256, 384, 512, 640, 768, 1024, 1280, 1536, 2048) if n <= m.threads_per_sm]
    return {
        name: [(n, mix(m, "LDS.64", 6, n, dependent).throughput) for n in counts]
        for name, dependent in (("independent", False), ("dependent", True))
    }


def sgemm_threads(machine: Machine) -> int:
    """Threads an SM holds when each takes all the registers that it may, in whole multiples of 256."""
    return machine.registers_per_sm // (machine.registers_per_thread + 1) // 256 * 256


@attrs.frozen
class Bound:
    """Seed 002, Equations 2 to 9, for one configuration of a register-blocked SGEMM."""

    machine: Machine
    blocking: int
    load: str
    threads: int
    block: int
    stride: int
    throughput: float
    """FFMA and loads, thread instructions a cycle: simulated, or given"""

    @property
    def ffma_share(self) -> float:
        """FFMAs among the main loop's instructions: B^2 / (B^2 + 2 B F), F one over the load's width."""
        b = self.blocking
        return b * b / (b * b + 2 * b / WIDTHS[self.load])

    @property
    def sm_bound(self) -> float:
        """Fraction of the peak that instructions allow (Equation 8)."""
        return self.ffma_share * self.throughput / self.machine.peak

    @property
    def peak_gflops(self) -> float:
        """Of the device."""
        return self.machine.sms * self.machine.peak * 2 * self.machine.clock_mhz / 1e3

    @property
    def shared_blocking(self) -> float:
        """Edge of the tile of C that a block computes."""
        return float(self.block**0.5 * self.blocking)

    @property
    def memory_bound(self) -> float:
        """Fraction of the peak that global memory allows (Equation 6): a tile edge of floats for two of them."""
        flops_a_byte = 2 * self.shared_blocking**2 / (2 * self.shared_blocking * 4)
        return flops_a_byte * self.machine.bandwidth / self.peak_gflops

    @property
    def bound(self) -> float:
        """Equation 9."""
        return min(self.sm_bound, self.memory_bound)

    def registers(self, addresses: int = 7) -> int:
        """Registers of a thread (Equation 4): accumulators, prefetch, a column, one of the row, addresses."""
        b = self.blocking
        prefetch = 2 * self.block**0.5 * b * self.stride / self.block
        return int(b * b + prefetch + b + 1 + addresses)

    @property
    def shared(self) -> int:
        """Bytes of shared memory of an SM (Equation 5)."""
        blocks = self.threads // self.block
        return int(blocks * 2 * self.block**0.5 * self.blocking * self.stride * 4)

    def fits(self) -> bool:
        """Whether registers and shared memory allow it."""
        m = self.machine
        return (
            self.registers() <= m.registers_per_thread
            and self.threads * (m.registers_per_thread + 1) <= m.registers_per_sm
            and self.shared <= m.shared_per_sm
            and self.threads <= m.threads_per_sm
        )


def bound(
    machine: str, blocking: int = 6, load: str = "LDS.64", threads: int = 0, block: int = 256, stride: int = 16,
    throughput: float = 0.0,
) -> Bound:  # fmt: skip
    """The bound of a configuration. `threads` of an SM: 0 takes what the registers allow. `throughput`: 0 simulates the
    mix of the main loop."""
    m = classic.get(machine)
    threads = threads or sgemm_threads(m)
    ratio = round(blocking * WIDTHS[load] / 2)
    throughput = throughput or mix(m, load, ratio, threads).throughput
    return Bound(m, blocking, load, threads, block, stride, throughput)


BOUNDS = (("gf110", "LDS.64", 82.5, 30.8), ("gk104", "LDS.64", 54.6, 122.4), ("gk104", "LDS.128", 57.6, 119.9))
"""Seed 002, section 4.5: machine, load, its bound in percent of the peak, and the throughput that it measured."""


def bounds() -> list[tuple[str, str, float, float, float]]:
    """(machine, load, the document's bound, the bound with its throughput, with ours) in percent of the peak."""
    return [
        (m, load, stated, 100 * bound(m, load=load, throughput=x).bound, 100 * bound(m, load=load).bound)
        for m, load, stated, x in BOUNDS
    ]


def largest_blocking(machine: str, load: str = "LDS.64", threads: int = 0) -> int:
    """The largest blocking factor whose registers fit (Equation 4)."""
    return max((b for b in range(1, 16) if bound(machine, b, load, threads, throughput=1.0).fits()), default=1)


@attrs.frozen
class Allocated:
    """Figure 8: conflicts of one register allocation, and what the main loop's FFMAs then reach."""

    name: str
    two_way: float
    three_way: float
    ffma: float
    """thread instructions a cycle"""
    peak: float
    """of the machine's peak, percent"""


def figure8(machine: Machine | None = None, blocking: int = 6) -> list[Allocated]:
    """Register allocations of the SGEMM main loop: in order of need, the best and the worst of these, and by banks.
    Kepler unless told otherwise."""
    m = machine or classic.get("gk104")
    every = list(banks.orders(blocking))
    every.sort(key=lambda one: banks.conflicts(m, one.step()).two + 2 * banks.conflicts(m, one.step()).three)
    rows = []
    for name, one in (
        ("in order, first registers", banks.in_order(blocking)),
        ("in order, best start", every[0]),
        ("in order, worst start", every[-1]),
        ("by banks", banks.planned(m, blocking)),
    ):
        step = one.step()
        two, three = banks.conflicts(m, step).share
        ffma = run(m, step, sgemm_threads(m) // 32).of("FFMA")
        rows.append(Allocated(name, two, three, ffma, 100 * ffma / m.peak))
    return rows
