"""What is known of a function whose blocks are put in one order after another, found out once.

An order keeps who reads what: of each instruction which of its writes end the life of an old value, and what is live
between blocks, hang on the code alone and are looked for once (`liveness`). Where values live within blocks hangs on
the order, and is kept for each that is asked for (`ranges`). Code is known by its instructions and by what they read:
nothing else of it changes while orders are tried.
"""

from __future__ import annotations

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import Access, Liveness, analyse
from minicc.ptxas.mir import MFunction, MInst, MOperand
from minicc.ptxas.operands import Components
from minicc.ptxas.registers.intervals import Ranges, build
from minicc.ptxas.schedule import dag
from minicc.ptxas.schedule.dag import Node
from minicc.ptxas.timing import Distances, Footprint, footprint

Order = list[list[tuple[MInst, tuple[MOperand, ...]]]]
"""The instructions of each block, with what they read."""


def order_of(function: MFunction) -> Order:
    """As the function stands."""
    return [[(inst, inst.srcs) for inst in block.insts] for block in function.blocks]


_Code = dict[MInst, tuple[tuple[MOperand, ...], Access]]
"""The instructions of a block: what they read, and how."""


class Facts:
    """Those of one function."""

    def __init__(self, function: MFunction) -> None:
        self.function = function
        self.codes: list[tuple[list[_Code], Liveness]] = []
        self.orders: list[tuple[Order, Ranges]] = []
        self.prints: dict[MInst, tuple[tuple[MOperand, ...], Footprint]] = {}
        self.graphs: dict[tuple[object, ...], tuple[list[tuple[MOperand, ...]], list[Node]]] = {}

    def liveness(self) -> Liveness:
        """Of the function as it stands."""
        insts = [block.insts for block in self.function.blocks]
        for code, live in self.codes:
            rows = [_accesses(known, block) for known, block in zip(code, insts, strict=True)]
            accesses = [row for row in rows if row is not None]
            if len(accesses) == len(rows):
                found = Liveness(accesses, live.before, live.behind, live.unwritten, live.starts)
                found.live_out = live.live_out
                return found
        live = analyse(self.function, Cfg.of(self.function))
        of_blocks = zip(insts, live.accesses, strict=True)
        code = [{i: (i.srcs, a) for i, a in zip(block, row, strict=True)} for block, row in of_blocks]
        self.codes.append((code, live))
        return live

    def ranges(self) -> Ranges:
        """Of the function as it stands; they are everybody's, not to be changed."""
        order = order_of(self.function)
        for known, ranges in self.orders:
            if known == order:
                return ranges
        ranges = build(self.function, Cfg.of(self.function), live=self.liveness())
        self.orders.append((order, ranges))
        return ranges

    def footprints(self, insts: list[MInst], components: Components) -> list[Footprint]:
        """Of instructions of the function; components that have more registers number those that were there alike."""
        prints, out = self.prints, []
        for inst in insts:
            known = prints.get(inst)
            if known is None or known[0] is not inst.srcs:
                known = prints[inst] = inst.srcs, footprint(inst, components)
            out.append(known[1])
        return out

    def graph(
        self, insts: list[MInst], prints: list[Footprint], start: int, distances: Distances, renewed: bool = True
    ) -> list[Node]:
        """The graph of the instructions that have the footprints from `start` on, for others to read: where an order
        has changed nothing a block has the one that it had. Compares that are made again may come at any time if they
        are not to be `renewed`."""
        function, end = self.function, start + len(insts)
        after = prints[end] if end < len(prints) else None
        late = function.renewed if renewed else {}
        key = bool(late), after, *[(inst, id(inst.srcs)) for inst in insts]
        if key not in self.graphs:
            made = dag.build(insts, prints[start:end], distances, after, late, function.ahead)
            # What is read is kept, too, so that its place says which it is.
            self.graphs[key] = [inst.srcs for inst in insts], made
        return self.graphs[key][1]


def _accesses(code: _Code, insts: list[MInst]) -> list[Access] | None:
    """Of the instructions, if they are those of the block."""
    if len(code) != len(insts):
        return None
    found = [code.get(inst) for inst in insts]
    accesses = [one[1] for one, inst in zip(found, insts, strict=True) if one is not None and one[0] is inst.srcs]
    return accesses if len(accesses) == len(insts) else None


__all__ = ["Facts", "Order", "order_of"]
