"""One move of a symbol's address for a function, where the blocks that need it part.

Emission moves an address into a register once per block, always the same register. ptxas takes a shared variable's
address apart into three instructions, and makes them where the move stands: so all but one move go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from minicc.isel.dag import BlockDag
from minicc.isel.order import dominators
from minicc.nvvm import ir
from minicc.ptx import model as ptx

_LEAVES = frozenset({"bra", "brx", "ret", "exit", "trap"})
SymbolMove = tuple[ptx.Reg, ir.Block, list[ptx.Statement], ptx.Statement]


def spread(blocks: list[BlockDag], module: ir.Module, names: dict[str, str]) -> set[str]:
    """Shared variables that several basic blocks access by name. NVIDIA's ptxas makes such an address from a special
    register, the thread block's number in its cluster, anew in each of them."""
    shared = {names[name] for name, variable in module.variables.items() if variable.space == 3 and name in names}
    if not shared:
        return set()
    used: Counter[str] = Counter()
    for dag in blocks:
        tiles = [node.place.tile for node in dag.nodes if node.place is not None]
        operands = [node for tile in tiles if tile is not None for _, node, *_ in tile.operands.values()]
        used.update({node.data[0] for node in operands if node.head == "sym"} & shared)
    return {name for name, count in used.items() if count > 1}


def share_symbols(
    function: ir.Function, body: list[ptx.Statement], labels: dict[ir.Block, str], symbols: Iterable[list[SymbolMove]]
) -> None:
    """Rewrite `body`, and the scopes within it, in place. `labels` are still there."""
    above = dominators(function)
    rank = {block: number for number, block in enumerate(above)}
    gone: set[int] = set()
    changed = {id(body): body}
    late: dict[str, list[ptx.Statement]] = {}
    """Label of a block -> moves that go to its end."""
    for moves in symbols:
        meet = moves[0][1]
        for _, block, _, _ in moves[1:]:
            while meet is not block:
                if rank[meet] > rank[block]:
                    meet = above[meet] or meet
                else:
                    block = above[block] or block
        kept = next((move for move in moves if move[1] is meet), None)
        for move in moves:
            if move is not kept:
                _, _, statements, statement = move
                changed[id(statements)] = statements
                gone.add(id(statement))
        if kept is None:
            late.setdefault(labels[meet], []).append(moves[0][3])
    for statements in changed.values():
        statements[:] = [s for s in statements if id(s) not in gone]
    if late:
        body[:] = _with_late(body, late)


def _with_late(body: list[ptx.Statement], late: dict[str, list[ptx.Statement]]) -> list[ptx.Statement]:
    """With the statements before the first branch that ends a block: what follows it is on one way out only."""
    out: list[ptx.Statement] = []
    waiting: list[ptx.Statement] = []
    for s in body:
        if isinstance(s, ptx.Label):
            out += waiting
            waiting = late.get(s.name, [])
        elif waiting and isinstance(s, ptx.Inst) and s.opcode in _LEAVES:
            out += waiting
            waiting = []
        out.append(s)
    return out + waiting
