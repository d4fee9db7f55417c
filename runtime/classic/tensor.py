"""Matrix instructions of the textbook SM: gathering fragments, the array, writing back (seed 003, "TensorCore
Complications").

A 16x16x16 product has 4 registers of A, 4 of B, 8 of C and 8 of D in each lane. Gathering reads one register of all
lanes in 32 / (banks x ports) cycles, one after the other, into a staging buffer; with two of these the next instruction
gathers while this one executes. The array takes a new product every `tensor_compute` cycles. Writing back begins with a
cycle of arbitration for the bus and ends with one in which the scoreboard is cleared."""

from __future__ import annotations

import attrs

from minicc.arch.classic.schema import Textbook

FRAGMENTS = (("A", 4), ("B", 4), ("C", 8))
RESULTS = 8
LANES = 32


@attrs.frozen
class Phase:
    """A phase of one instruction, first and last cycle."""

    name: str
    first: int
    last: int

    @property
    def cycles(self) -> int:
        """How long it takes."""
        return self.last - self.first + 1


@attrs.frozen
class Wmma:
    """One instruction: when it was picked, and its phases in order."""

    picked: int
    phases: tuple[Phase, ...]

    @property
    def latency(self) -> int:
        """From being picked until its last register is written."""
        return self.phases[-1].last - self.picked + 1

    def of(self, *names: str) -> int:
        """Cycles of the phases named."""
        return sum(phase.cycles for phase in self.phases if phase.name in names)


def run(m: Textbook, count: int = 4) -> list[Wmma]:
    """`count` independent matrix instructions, one after the other."""
    read = -(-LANES // (m.banks * m.read_ports))
    write = -(-LANES // (m.banks * m.write_ports))
    buffers = [0] * m.tensor_buffers
    """When each staging buffer is free."""
    banks_free = array_free = ports_free = 0
    found: list[Wmma] = []
    for _ in range(count):
        slot = min(range(len(buffers)), key=lambda k: buffers[k])
        # The buffer is claimed in the cycle of dispatch; reading begins in the next one.
        t = max(banks_free, buffers[slot] + m.dispatch + 1, m.dispatch + 1)
        picked = t - m.dispatch - 1
        phases = []
        for name, registers in FRAGMENTS:
            phases.append(Phase(f"gather {name}", t, t + registers * read - 1))
            t += registers * read
        banks_free = t
        phases.append(Phase("permute in", t, t + m.tensor_permute - 1))
        t += m.tensor_permute
        # A product follows the one before as soon as the array's first stage is free.
        t = max(t, array_free)
        array_free = t + m.tensor_compute
        for name, cycles in (("fill", m.tensor_fill), ("compute", m.tensor_compute), ("drain", m.tensor_drain)):
            phases.append(Phase(name, t, t + cycles - 1))
            t += cycles
            if name == "fill":
                buffers[slot] = t
        phases.append(Phase("permute out", t, t + m.tensor_permute - 1))
        t = max(t + m.tensor_permute, ports_free)
        phases.append(Phase("arbitrate", t, t))
        t += 1
        phases.append(Phase("writeback", t, t + RESULTS * write - 1))
        ports_free = t + RESULTS * write
        phases.append(Phase("scoreboard", ports_free, ports_free))
        found.append(Wmma(picked, tuple(phases)))
    return found


def throughput(m: Textbook, count: int = 32) -> float:
    """Cycles between two instructions in a long row of them."""
    found = run(m, count)
    half = count // 2
    return (found[-1].phases[-1].last - found[half].phases[-1].last) / (count - 1 - half)
