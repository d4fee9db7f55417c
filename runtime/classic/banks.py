"""Register allocation of a register-blocked SGEMM on banks of registers (seed 002, section 5.4 and Figures 8 and 9).

One step of the main loop multiplies a column of A (`blocking` registers) with a row of B, two registers at a time, into
`blocking` squared accumulators: FFMA C[i][j], A[i], B[j], C[i][j]. An FFMA whose sources share a bank takes as many
cycles as registers of that bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from minicc.arch.classic.schema import Machine
from runtime.classic.sm import conflict_ways
from runtime.classic.stream import Op


@attrs.frozen
class Allocation:
    """Registers of A's column, B's pair and the accumulators, row after row."""

    name: str
    a: tuple[int, ...]
    b: tuple[int, ...]
    c: tuple[int, ...]

    def step(self, load: str = "LDS.64") -> tuple[Op, ...]:
        """The loads and FFMAs of one step, B two columns at a time."""
        n = len(self.a)
        width = {"LDS": 1, "LDS.64": 2, "LDS.128": 4}[load]
        ops = [Op(load, self.a[k : k + width], (60,), f"{load} R{self.a[k]}, [R60]") for k in range(0, n, width)]
        pair = len(self.b)
        for j in range(n):
            if j % pair == 0:
                ops += [
                    Op(load, self.b[k : k + width], (61,), f"{load} R{self.b[k]}, [R61]") for k in range(0, pair, width)
                ]
            for i in range(n):
                acc = self.c[n * i + j]
                reads = (self.a[i], self.b[j % pair], acc)
                ops.append(Op("FFMA", (acc,), reads, f"FFMA R{acc}, R{reads[0]}, R{reads[1]}, R{acc}"))
        return tuple(ops)


@attrs.frozen
class Conflicts:
    """FFMAs of a step whose sources meet in a bank, by how many of them do."""

    total: int
    two: int
    three: int

    @property
    def share(self) -> tuple[float, float]:
        """Percent with a two-way and with a three-way conflict."""
        return 100 * self.two / self.total, 100 * self.three / self.total


def conflicts(machine: Machine, step: Sequence[Op]) -> Conflicts:
    """Conflicts among the FFMAs of a step."""
    ways = [conflict_ways(machine, op) for op in step if op.opcode == "FFMA"]
    return Conflicts(len(ways), ways.count(2), ways.count(3))


def in_order(blocking: int = 6, a: int = 2, b: int = 8, c: int = 26) -> Allocation:
    """Registers in the order of need: the column from R`a`, the pair from R`b`, accumulators from R`c` (R26 to R61 in
    the document)."""
    return Allocation(
        f"in order (A R{a}, B R{b}, C R{c})",
        tuple(range(a, a + blocking)),
        (b, b + 1),
        tuple(range(c, c + blocking * blocking)),
    )


def orders(blocking: int = 6, c: int = 26) -> Iterator[Allocation]:
    """Every allocation in order below the accumulators: A and B aligned for LDS.64, not overlapping."""
    for a in range(2, c - blocking + 1, 2):
        for b in range(2, c - 1, 2):
            if b + 2 <= a or a + blocking <= b:
                yield in_order(blocking, a, b, c)


def planned(machine: Machine, blocking: int = 6, limit: int = 62) -> Allocation:
    """The document's plan: A's column from one pair of banks (even and odd 0), B's pair from the other (even and odd
    1), and accumulators such that each lies in neither of its operands' banks, the same number in every bank. Bipartite
    matching of accumulators to registers."""
    bank = machine.registers.bank
    a: list[int] = []
    free = list(range(2, limit))
    for k in range(2, limit - 1, 2):
        if len(a) < blocking and bank(k) in (0, 1) and bank(k + 1) in (0, 1):
            a += [k, k + 1]
    b = next((k, k + 1) for k in range(2, limit - 1, 2) if {bank(k), bank(k + 1)} == {2, 3})
    for r in (*a, *b):
        free.remove(r)
    need = blocking * blocking
    each = need // machine.registers.banks
    places: list[int] = []
    for one in range(machine.registers.banks):
        places += [r for r in reversed(free) if bank(r) == one][:each]
    wanted = [(i, j) for i in range(blocking) for j in range(blocking)]
    owner: dict[int, int] = {}

    def place(k: int, tried: set[int]) -> bool:
        i, j = wanted[k]
        for r in places:
            if r in tried or bank(r) in (bank(a[i]), bank(b[j % 2])):
                continue
            tried.add(r)
            if r not in owner or place(owner[r], tried):
                owner[r] = k
                return True
        return False

    for k in range(need):
        if not place(k, set()):
            raise ValueError("the registers do not allow it")
    registers = {k: r for r, k in owner.items()}
    return Allocation("by banks", tuple(a[:blocking]), b, tuple(registers[k] for k in range(need)))
