"""How many general registers are needed whatever is made again for each use: with fewer, a function has spill code.

What a few operations or none make of what is there anyway need not stay in a register (see `again`); all else has to,
or goes to local memory. Between blocks that holds for any order of the instructions in them, and along the code for one
order. It is asked before an order is tried with registers that may be too few: a trial takes ten times as long.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NoReturn

from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.ptxas.liveness import Liveness
from minicc.ptxas.mir import MFunction
from minicc.ptxas.registers import again
from minicc.ptxas.registers.intervals import Ranges


class Need:
    """Of a function's registers as they are now: none that is made later counts."""

    def __init__(self, function: MFunction) -> None:
        general = {reg.id: reg for reg in function.vregs if reg.file == "R" and reg.fixed is None}
        self.stay = general.keys() - again.candidates(function) - again.remade(function, general).keys()
        """Ids of those that nothing makes again."""

    def between(self, live: Liveness) -> int:
        """The most that are needed where a block begins or ends."""
        mask = sum(1 << bit for bit, (reg, _) in enumerate(live.starts) if reg in self.stay)
        return max(((value & mask).bit_count() for value in (*live.before, *live.behind)), default=0)

    def along(self, ranges: Ranges) -> int:
        """The most that are needed anywhere in the order of the ranges."""
        change = [0] * (ranges.starts[-1] + 3)
        for reg in self.stay:
            found = ranges.intervals[reg]
            for segments in found.parts if found is not None else ():
                for start, end in segments:
                    change[start] += 1
                    change[end] -= 1
        return max(accumulate(change))


def fail_for_local(function: MFunction) -> NoReturn:
    """Registers do not suffice, and local memory is not allowed."""
    fail("ptxas.registers", f"'{function.name}' needs local memory", exit_status=EXIT_PTXAS)


__all__ = ["Need", "fail_for_local"]
