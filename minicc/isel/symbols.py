"""One move of a symbol's address for a function, where the blocks that need it part.

Emission moves an address into a register once per block, always the same register. ptxas takes a shared variable's
address apart into three instructions, and makes them where the move stands: so all but one move go.
"""

from __future__ import annotations

from collections.abc import Iterable

from minicc.isel.order import dominators
from minicc.nvvm import ir
from minicc.ptx import model as ptx

_LEAVES = frozenset({"bra", "brx", "ret", "exit", "trap"})
SymbolMove = tuple[ptx.Reg, ir.Block, list[ptx.Statement], ptx.Statement]


def share_symbols(
    function: ir.Function, body: list[ptx.Statement], labels: dict[ir.Block, str], symbols: Iterable[list[SymbolMove]]
) -> None:
    """Rewrite `body`, and the scopes within it, in place. `labels` are still there."""
    above = dominators(function)
    rank = {block: number for number, block in enumerate(above)}
    for moves in symbols:
        meet = moves[0][1]
        for _, block, _, _ in moves[1:]:
            while meet is not block:
                if rank[meet] > rank[block]:
                    meet = above[meet] or meet
                else:
                    block = above[block] or block
        kept = next((move for move in moves if move[1] is meet), None)
        end = _end(body, labels[meet])
        for move in moves:
            if move is not kept:
                _, _, statements, statement = move
                at = next(i for i, s in enumerate(statements) if s is statement)
                del statements[at]
                end -= statements is body and at < end
        if kept is None:
            body.insert(end, moves[0][3])


def _end(body: list[ptx.Statement], label: str) -> int:
    """Before the first branch that ends a block: what follows it is on one way out only."""
    start = next(i for i, s in enumerate(body) if isinstance(s, ptx.Label) and s.name == label)
    for at in range(start + 1, len(body)):
        s = body[at]
        if isinstance(s, ptx.Label) or (isinstance(s, ptx.Inst) and s.opcode in _LEAVES):
            return at
    return len(body)
