"""Control-flow graph of a machine function: edges by block index, reverse postorder, dominators, loop depths."""

from __future__ import annotations

from minicc.graphs import dominators, natural_loops, postorder
from minicc.ptxas.mir import Block, MFunction, MInst
from minicc.sass.instr import Target


def falls_through(block: Block) -> bool:
    """Whether control can reach the next block in layout order without a jump."""
    if not block.insts:
        return True
    last = block.insts[-1]
    return not (ends(last) and is_plain(last))


def is_plain(inst: MInst) -> bool:
    """Whether the instruction always takes effect: guard PT, and (for BRA) no predicate operand."""
    guard = inst.guard
    if getattr(guard, "index", None) != 7 or guard.inv:
        return False
    return inst.mnemonic != "BRA" or len(inst.srcs) == 1


def ends(inst: MInst) -> bool:
    """Whether control may leave the block's straight line here, never to return by itself."""
    return inst.mnemonic in ("BRA", "BRX", "BRXU", "JMP", "JMX", "EXIT", "RET", "KILL", "BPT")


def target_of(inst: MInst) -> str | None:
    """Label a BRA or BSSY names."""
    for operand in inst.srcs:
        if isinstance(operand, Target):
            return operand.label
    return None


class Cfg:
    """Edges of `function.blocks` by index. `rpo` holds reachable blocks only."""

    def __init__(
        self, function: MFunction, index: dict[str, int], succs: list[list[int]], preds: list[list[int]], rpo: list[int]
    ) -> None:
        self.function, self.index, self.succs, self.preds = function, index, succs, preds
        self.rpo = rpo

    @classmethod
    def of(cls, function: MFunction) -> Cfg:
        index = {block.label: i for i, block in enumerate(function.blocks)}
        succs = [list(dict.fromkeys(index[s] for s in block.succs)) for block in function.blocks]
        preds: list[list[int]] = [[] for _ in succs]
        for i, targets in enumerate(succs):
            for t in targets:
                preds[t].append(i)
        return cls(function, index, succs, preds, postorder(succs)[::-1])

    def dominators(self) -> list[int]:
        """Immediate dominator of each block; the entry's is itself, -1 for unreachable blocks."""
        return dominators(self.rpo[::-1], self.preds)

    def loops(self) -> list[tuple[int, set[int]]]:
        """Natural loops as (header, body), bodies of one header merged."""
        return list(natural_loops(self.succs, self.preds, self.dominators()).items())

    def set_loop_depths(self) -> None:
        """Fill `Block.loop_depth` from the natural loops."""
        for block in self.function.blocks:
            block.loop_depth = 0
        for _, body in self.loops():
            for b in body:
                self.function.blocks[b].loop_depth += 1
