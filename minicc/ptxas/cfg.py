"""Control-flow graph of a machine function: edges by block index, reverse postorder, dominators, loop depths."""

from __future__ import annotations

import attrs

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


@attrs.define(eq=False, repr=False)
class Cfg:
    """Edges of `function.blocks` by index. `rpo` holds reachable blocks only."""

    function: MFunction
    index: dict[str, int]
    succs: list[list[int]]
    preds: list[list[int]]
    rpo: list[int]

    @classmethod
    def of(cls, function: MFunction) -> Cfg:
        index = {block.label: i for i, block in enumerate(function.blocks)}
        succs = [list(dict.fromkeys(index[s] for s in block.succs)) for block in function.blocks]
        preds: list[list[int]] = [[] for _ in succs]
        for i, targets in enumerate(succs):
            for t in targets:
                preds[t].append(i)
        return cls(function, index, succs, preds, _reverse_postorder(succs))

    def dominators(self) -> list[int]:
        """Immediate dominator of each block; the entry's is itself, -1 for unreachable blocks (Cooper, Harvey,
        Kennedy: "A simple, fast dominance algorithm")."""
        order = {b: i for i, b in enumerate(self.rpo)}
        idom = [-1] * len(self.succs)
        if not self.rpo:
            return idom
        idom[self.rpo[0]] = self.rpo[0]
        changed = True
        while changed:
            changed = False
            for b in self.rpo[1:]:
                new = -1
                for p in self.preds[b]:
                    if idom[p] < 0:
                        continue
                    if new < 0:
                        new = p
                        continue
                    x, y = p, new
                    while x != y:
                        while order[x] > order[y]:
                            x = idom[x]
                        while order[y] > order[x]:
                            y = idom[y]
                    new = x
                if new != idom[b]:
                    idom[b] = new
                    changed = True
        return idom

    def loops(self) -> list[tuple[int, set[int]]]:
        """Natural loops as (header, body), bodies of one header merged."""
        idom = self.dominators()
        depth = [0] * len(idom)
        for b in self.rpo[1:]:
            depth[b] = depth[idom[b]] + 1

        def dominates(a: int, b: int) -> bool:
            while depth[b] > depth[a]:
                b = idom[b]
            return a == b

        bodies: dict[int, set[int]] = {}
        for u in self.rpo:
            for h in self.succs[u]:
                if dominates(h, u):
                    body = bodies.setdefault(h, {h})
                    work = [u]
                    while work:
                        b = work.pop()
                        if b not in body:
                            body.add(b)
                            work.extend(p for p in self.preds[b] if idom[p] >= 0)
        return list(bodies.items())

    def set_loop_depths(self) -> None:
        """Fill `Block.loop_depth` from the natural loops."""
        for block in self.function.blocks:
            block.loop_depth = 0
        for _, body in self.loops():
            for b in body:
                self.function.blocks[b].loop_depth += 1


def _reverse_postorder(succs: list[list[int]]) -> list[int]:
    if not succs:
        return []
    seen = [False] * len(succs)
    seen[0] = True
    post: list[int] = []
    stack = [(0, 0)]
    while stack:
        b, at = stack.pop()
        if at < len(succs[b]):
            stack.append((b, at + 1))
            t = succs[b][at]
            if not seen[t]:
                seen[t] = True
                stack.append((t, 0))
        else:
            post.append(b)
    post.reverse()
    return post
