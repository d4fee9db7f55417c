"""Control-flow graph of a machine function: edges by block index, reverse postorder, dominators, loop depths."""

from __future__ import annotations

from minicc.graphs import dominators, natural_loops, nesting, postorder
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
    return inst.mnemonic in ("BRA", "BRX", "BRXU", "JMP", "JMX", "EXIT", "RET", "KILL")


def target_of(inst: MInst) -> str | None:
    """Label a BRA or BSSY names."""
    for operand in inst.srcs:
        if isinstance(operand, Target):
            return operand.label
    return None


def append(block: Block, insts: list[MInst]) -> None:
    """Put instructions before the branches that end a block."""
    at = len(block.insts)
    while at and ends(block.insts[at - 1]):
        at -= 1
    block.insts[at:at] = insts


class Cfg:
    """Edges of `function.blocks` by index. `rpo` holds reachable blocks only. Nobody changes one: passes share it as
    long as the labels are the same."""

    def __init__(self, function: MFunction, edges: list[tuple[str, ...]]) -> None:
        self.function, self.edges = function, edges
        """Each block's label, and those of its successors."""
        self.index = index = {labels[0]: i for i, labels in enumerate(edges)}
        self.succs = [list(dict.fromkeys(index[s] for s in labels[1:])) for labels in edges]
        self.preds: list[list[int]] = [[] for _ in edges]
        for i, targets in enumerate(self.succs):
            for t in targets:
                self.preds[t].append(i)
        self.rpo = postorder(self.succs)[::-1]
        self._idom: list[int] | None = None
        self._nested: list[tuple[int, int]] | None = None
        self._loops: list[tuple[int, set[int]]] | None = None

    @classmethod
    def of(cls, function: MFunction) -> Cfg:
        edges = [(block.label, *block.succs) for block in function.blocks]
        if function.cfg is None or function.cfg.edges != edges:
            function.cfg = cls(function, edges)
        return function.cfg

    def dominators(self) -> list[int]:
        """Immediate dominator of each block; the entry's is itself, -1 for unreachable blocks."""
        if self._idom is None:
            self._idom = dominators(self.rpo[::-1], self.preds)
        return self._idom

    def nesting(self) -> list[tuple[int, int]]:
        """Of the dominator tree, see `graphs.nesting`."""
        if self._nested is None:
            self._nested = nesting(self.dominators())
        return self._nested

    def loops(self) -> list[tuple[int, set[int]]]:
        """Natural loops as (header, body), bodies of one header merged; they are everybody's, not to be changed."""
        if self._loops is None:
            self._loops = list(natural_loops(self.succs, self.preds, self.dominators()).items())
        return self._loops

    def set_loop_depths(self) -> None:
        """Fill `Block.loop_depth` from the natural loops."""
        for block in self.function.blocks:
            block.loop_depth = 0
        for _, body in self.loops():
            for b in body:
                self.function.blocks[b].loop_depth += 1
