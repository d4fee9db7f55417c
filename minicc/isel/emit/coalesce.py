"""Phis share a register with the values that flow into them where their lives do not overlap, and so do results of
inline assembly with the operands that they are tied to.

Without it each loop-carried value costs a mov per iteration, and accumulators of wgmma are moved between two of them,
which ptxas then has wait for one another. Lives are computed for such values only. Points
are (block, position): a value is defined at the position where its tile is emitted (a phi at -1), read where tiles that
need it are, and a phi's input is read after the last position of the predecessor, together with all other inputs there.
"""

from __future__ import annotations

from itertools import chain

from minicc.isel.cover.cover import leaf_nodes
from minicc.isel.dag import BlockDag, Node
from minicc.isel.lower.calls import AsmText
from minicc.isel.lower.lower import Lowering
from minicc.nvvm import ir

END = 1 << 40
"""Position of the copies on outgoing edges; END + 1 means live beyond the block."""


def reads(node: Node) -> list[Node]:
    """Register operands of what is emitted at this node."""
    if node.place is not None and node.place.tile is not None:
        return leaf_nodes(node.place.tile)
    if node.head in ("asm", "switch"):
        return list(node.args)
    if node.tile is not None and node.root:
        return leaf_nodes(node.tile)
    return []


def overlapping(node: Node) -> list[Node]:
    """Operands that are still read when results have been written: those of inline assembly of several instructions,
    and of one whose results are first given the operands that they are tied to."""
    if node.head != "asm":
        return []
    data: AsmText = node.data
    if ";" not in data.text.strip().rstrip(";") and all(kind[0] != "=" for kind in data.inputs):
        return []
    return [arg for arg, kind in zip(node.args, data.inputs, strict=True) if kind[0] != "="]


class Group:
    """Values of one register. They are found by blocks, so that of many those are compared that can meet."""

    def __init__(self, node: Node, lives: Lives) -> None:
        self.members = [node]
        self.made = {lives.defined[node][0]: [node]}
        self.needed = {block: [node] for block in lives.last[node]}
        self.entering = set(lives.entering[node])

    def clashes(self, other: Group, lives: Lives) -> bool:
        """Whether a member of one is alive where one of the other is made."""
        few, many = (self, other) if len(self.members) < len(other.members) else (other, self)
        made = ((x, y) for y in few.members for x in many.needed.get(lives.defined[y][0], ()))
        needed = ((y, x) for block, some in few.needed.items() for x in many.made.get(block, ()) for y in some)
        return any(lives.alive_after(a, lives.defined[b]) for a, b in chain(made, needed))

    def join(self, other: Group) -> tuple[Group, Group]:
        """Make one of two: the larger one gets what the other has, (larger, smaller)."""
        few, many = (self, other) if len(self.members) < len(other.members) else (other, self)
        for here, there in ((many.made, few.made), (many.needed, few.needed)):
            for block, nodes in there.items():
                here.setdefault(block, []).extend(nodes)
        many.entering |= few.entering
        many.members = self.members + other.members
        return many, few


class Lives:
    """Where phis and their inputs live."""

    def __init__(self, blocks: list[BlockDag], lowering: Lowering) -> None:
        self.defined: dict[Node, tuple[ir.Block, int]] = {}
        self.last: dict[Node, dict[ir.Block, int]] = {}
        """Last position in each block at which the value is still needed."""
        self.entering: dict[Node, set[ir.Block]] = {}
        self.moves: list[tuple[ir.Block, ir.Block, Node, Node]] = []
        """(predecessor, block, phi, input) of every edge."""
        self.ties: list[tuple[Node, Node]] = []
        """(result, operand) of inline assembly that begins with the operand in the result's register."""
        self.groups: dict[Node, Group] = {}
        self._collect(blocks, lowering)
        self._positions(blocks)

    def _collect(self, blocks: list[BlockDag], lowering: Lowering) -> None:
        for dag in blocks:
            for inst, nodes in dag.phis:
                for node in nodes:
                    if node.demanded:
                        self.defined[node] = (dag.block, -1)
                        self.last[node] = {}
                for position, (pred, value) in enumerate(zip(inst.blocks, inst.args, strict=True)):
                    if pred not in lowering.reachable or isinstance(value, ir.Undef):
                        continue
                    for node, part in zip(nodes, lowering.input_parts(inst, position), strict=True):
                        if node.demanded and not part.is_const and part.head != "sym":
                            self.moves.append((pred, dag.block, node, part))
                            self.last.setdefault(part, {})

            for node in dag.nodes:
                if node.head in ("asm", "res") and node.demanded:
                    made = node if node.head == "asm" else node.args[0]
                    if made.head == "asm":
                        self._tie(node, made)

    def _tie(self, result: Node, made: Node) -> None:
        """Note which operand of inline assembly a result of it is tied to."""
        data: AsmText = made.data
        place = f"={result.data if result.head == 'res' else 0}"
        for kind, arg in zip(data.inputs, made.args, strict=True):
            if kind == place and not arg.is_const and arg.head != "sym":
                self.ties.append((result, arg))
                self.last.setdefault(result, {})
                self.last.setdefault(arg, {})

    def _positions(self, blocks: list[BlockDag]) -> None:
        preds: dict[ir.Block, list[ir.Block]] = {}
        last = self.last
        results: dict[Node, list[Node]] = {}
        for node in last:
            if node.head == "res":
                results.setdefault(node.args[0], []).append(node)
        for dag in blocks:
            block = dag.block
            for successor in block.successors:
                preds.setdefault(successor, []).append(block)
            for position, node in enumerate(dag.nodes):
                made = node if node.head == "asm" else node.place
                if made is not None:
                    if made in last:
                        self.defined[made] = (block, position)
                    self.defined.update(dict.fromkeys(results.get(made, ()), (block, position)))
                if node.demanded or made is not None:
                    for read in reads(node):
                        if read in last:
                            last[read][block] = position
                    for read in overlapping(node):
                        if read in last:
                            last[read][block] = position + 1
        for pred, _, _, part in self.moves:
            last[part][pred] = END
        for node, places in last.items():
            home, at = self.defined[node]
            entering: set[ir.Block] = set()
            work = [b for b, position in places.items() if b is not home or position <= at]
            while work:
                block = work.pop()
                if block in entering:
                    continue
                entering.add(block)
                for pred in preds.get(block, []):
                    places[pred] = END + 1
                    if pred is not home:
                        work.append(pred)
            self.entering[node] = entering

    def alive_after(self, node: Node, point: tuple[ir.Block, int]) -> bool:
        """Whether the value is needed after a point."""
        block, position = point
        until = self.last[node].get(block)
        if until is None or until <= position:
            return False
        home, at = self.defined[node]
        return block in self.entering[node] or (block is home and at <= position)

    def coalesce(self) -> list[list[Node]]:
        """Groups of two or more that share a register. Back edges are served first, then those from blocks with another
        successor, where a move would need a block of its own; results of instructions with several come last, and what
        assembly ties."""
        groups, alone = self.groups, dict[Node, Group]()
        edges = sorted(
            self.moves,
            key=lambda m: (
                m[3].head == "res",
                m[0].index < m[1].index,
                len(m[0].successors) == 1,
                m[3].op.startswith("ld.param"),
            ),
        )
        for phi, part in [(phi, part) for _, _, phi, part in edges] + self.ties:
            if part.type != phi.type:
                continue
            a, b = (groups.get(node) or alone.get(node) or alone.setdefault(node, Group(node, self))
                    for node in (phi, part))  # fmt: skip
            if a is b or a.clashes(b, self):
                continue
            many, few = a.join(b)
            groups.update(dict.fromkeys((phi, part, *few.members), many))
        return [group.members for group in {id(g): g for g in groups.values()}.values()]

    def alive_into(self, node: Node, block: ir.Block) -> bool:
        """Whether the register of a phi or input holds something that `block` or its successors read."""
        group = self.groups.get(node)
        return block in (self.entering.get(node, ()) if group is None else group.entering)
