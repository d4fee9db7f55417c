"""Schemas of older machines. Cycles are shader cycles, throughputs thread instructions a cycle and SM, sizes bytes."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Unit:
    """An execution unit. `interval`: cycles for which a warp instruction takes it; `shared`: one for the SM, otherwise
    one for each scheduler; `latency`: from issue to the first issue of an instruction that reads the result;
    `slack`: cycles before it is free at which it takes the next one. Until then the scheduler waits with the
    instruction that it picked."""

    interval: float
    latency: int
    shared: bool = False
    slack: float = 0


@attrs.frozen
class RegisterFile:
    """How operands are read. `model`: "ideal" (no conflicts) or "banks": an instruction reads one register of each bank
    a cycle, so registers of one bank take turns. `bank_bits`: bits of the register's number that make up its bank's.
    `overlap`: cycles of a unit's work on the instruction before that reading the next one's operands may take."""

    model: str
    bank_bits: tuple[int, ...] = ()
    overlap: int = 0

    def bank(self, register: int) -> int:
        """The bank of a register."""
        return sum((register >> bit & 1) << k for k, bit in enumerate(self.bank_bits))

    @property
    def banks(self) -> int:
        """How many there are."""
        return 1 << len(self.bank_bits)


@attrs.frozen
class Machine:
    """A machine of the throughput simulator."""

    name: str
    title: str
    schedulers: int
    issue_interval: int
    """Cycles between two instructions of one scheduler."""
    peak: float
    """Thread instructions a cycle that its SPs could do."""
    units: Mapping[str, Unit]
    opcodes: Mapping[str, str]
    """Opcode to unit."""
    registers: RegisterFile
    clock_ratio: float
    """Cycles of the machine in one cycle of the clock in which the document counts."""
    sms: int
    clock_mhz: float
    bandwidth: float
    """GB/s of global memory"""
    registers_per_sm: int
    registers_per_thread: int
    shared_per_sm: int
    threads_per_sm: int


@attrs.frozen
class Textbook:
    """The operand-collector machine: one partition of an SM."""

    banks: int
    read_ports: int
    """Reads of a bank a cycle, 32 bits each."""
    write_ports: int
    collectors: int
    crossbar_latency: int
    """Cycles from a bank's grant until the collector has the data, beyond the cycle of the grant."""
    dispatch: int
    """Cycles from being picked to being in a collector."""
    issue: int
    """Cycles from all operands ready to the first cycle of execution."""
    execute: Mapping[str, int]
    """Cycles of execution by opcode."""
    writeback_buses: int
    bypass: bool
    """Collectors snoop the writeback buses."""
    gather_latency: int
    """Check 1 lets an instruction go to a collector when its sources come within so many cycles."""
    tensor_fill: int
    tensor_compute: int
    tensor_drain: int
    tensor_permute: int
    """Cycles of the network between registers and array, on each side."""
    tensor_buffers: int
    """Staged operand sets: 2 lets gathering overlap execution."""
