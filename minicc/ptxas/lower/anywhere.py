"""Exchanges of the whole warp to which lanes come at several places.

WARPSYNC gathers lanes at one place. Of a shfl, vote or match CUDA asks that all lanes of the mask execute the same
intrinsic, which need not be the same call of it: the two sides of a branch, or rounds of an unrolled loop. Where lanes
of a function may come to one exchange without another, those of the whole warp are collectives: who comes last executes
his for all, so that operands and results are in the same registers everywhere. nvcc's code does the same, behind a
BRA.DIV that asks whether lanes are missing, and for every mask. With masks of part of the warp the chip takes some
collectives that wait beside each other for an illegal instruction (ours and nvcc's, one of 80 random programs each).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from minicc.graphs import dominates
from minicc.ptxas.lower import abi
from minicc.ptxas.mir import AFTER_COLLECTIVE, TRUE, Block, MFunction, MInst, MOperand, V
from minicc.sass.codec import has
from minicc.sass.instr import Reg

if TYPE_CHECKING:
    from minicc.ptxas.lower.builder import Builder

_EXCHANGES = frozenset({"SHFL", "VOTE", "MATCH"})


def collective(b: Builder) -> MInst:
    """What the next barrier or exchange that is one of the whole warp begins with; `control` puts it right before that,
    and ENDCOLLECTIVE behind."""
    b.fn.collectives = True
    return b.emit("WARPSYNC.COLLECTIVE.ALL", (), (AFTER_COLLECTIVE,), side=True, memory="barrier")


def scattered(function: MFunction, builder: Builder, apart: set[int], idom: list[int], ipdom: list[int]) -> list[int]:
    """The blocks with exchanges that part of a warp may execute (`apart`), if lanes may come to one without another."""
    if not builder.collective or not has("WARPSYNC", ("COLLECTIVE", "ALL"), builder.arch.sass):
        return []
    blocks = [n for n in sorted(apart) if _sites(function.blocks[n], builder)]
    return [] if all(_together(a, b, idom, ipdom) for a, b in pairwise(blocks)) else blocks


def gather_anywhere(function: MFunction, builder: Builder, apart: set[int]) -> None:
    """Make collectives of the exchanges in these blocks."""
    for n in sorted(apart):
        for sync, exchange in _sites(function.blocks[n], builder):
            _collect(builder, function.blocks[n], sync, exchange)


def _sites(block: Block, builder: Builder) -> list[tuple[MInst, MInst]]:
    """Each WARPSYNC before an exchange, and that."""
    out: list[tuple[MInst, MInst]] = []
    sync: MInst | None = None
    for inst in block.insts:
        if inst in builder.collective and inst not in builder.barriers:
            sync = None if inst.srcs else inst
        elif sync is not None and inst.mnemonic in _EXCHANGES:
            if inst.guard == TRUE and sync.guard == TRUE and "U64" not in inst.modifiers:
                out.append((sync, inst))
            sync = None
    return out


def _together(a: int, b: int, idom: list[int], ipdom: list[int]) -> bool:
    """Do lanes that come to one of the blocks come to the other, in the same order?"""
    return (dominates(idom, a, b) and dominates(ipdom, b, a)) or (dominates(idom, b, a) and dominates(ipdom, a, b))


def _collect(b: Builder, block: Block, sync: MInst, exchange: MInst) -> None:
    """Replace a WARPSYNC and its exchange by a collective of registers that are the same everywhere."""
    numbers = {"R": abi.FIRST, "P": 0}

    def pin(operand: MOperand) -> V:
        file = operand.reg.file if isinstance(operand, V) else operand.file if isinstance(operand, Reg) else "R"
        assert file in ("R", "P")
        numbers[file] += 1
        return abi.pinned(b, file, numbers[file] - 1)

    results, given = [pin(d) for d in exchange.dsts], [pin(s) for s in exchange.srcs]
    before, after = Block("", []), Block("", [])
    current, b.block = b.block, before
    for to, source in zip(given, exchange.srcs, strict=True):
        b.move(to, source)
    collective(b).implicit_reads = tuple(given)
    b.block = after
    for wanted, result in zip(exchange.dsts, results, strict=True):
        if isinstance(wanted, V):
            b.move(wanted, result)
    b.block = current
    for inst in (*before.insts, *after.insts):
        inst.loc, inst.ptx = exchange.loc, exchange.ptx
    # No other side effect may come between the two.
    exchange.dsts, exchange.srcs, exchange.memory = tuple(results), tuple(given), "barrier"
    at = block.insts.index(exchange)
    block.insts[at : at + 1] = [*before.insts, exchange, *after.insts]
    block.insts.remove(sync)
