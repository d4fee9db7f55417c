"""Covers the DAG with patterns at least cost: bottom-up dynamic programming, shared values become roots of tiles.

A tile's cost is its pattern's, plus the cost of operands that nothing else uses. A shared operand costs a tile nothing:
it is computed anyway. A node inside a tile must be used by it alone, unless its pattern says `dup`: then it may be
computed again within the tile, and if all its users do that, it is never materialised.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from minicc.isel.cover import cost as costs
from minicc.isel.cover.database import ADDR, IMM, NEG, REG, Database, Leaf, Pattern, Tree, unify
from minicc.isel.dag import COMMUTATIVE, Node
from minicc.numbers import signed

_add = cache(costs.add)
_compare = cache(costs.compare)

STRUCTURAL = frozenset({"phi", "res", "scope", "endscope", "asm", "switch"})
"""Node heads that are no instructions (declarations, results, text) or that emission expands."""


class Tile:
    """A pattern laid over a node. `operands`: leaf name -> (kind, node or address); `inner` the nodes covered; `wild`
    axes that inner nodes bound."""

    def __init__(
        self, pattern: Pattern, node: Node, operands: dict[str, Any], inner: list[Node], wild: dict[str, str]
    ) -> None:
        self.pattern, self.node, self.operands, self.inner, self.wild = pattern, node, operands, inner, wild


Shape = tuple[tuple[str, int], ...]
"""Of a node's operands: operation, and whether a tile may cover it: 0 never, 1 if its pattern says `dup`, 2 yes."""


def shape(node: Node) -> Shape:
    """What can be seen of a node's operands without looking into them."""
    return tuple([(a.op, 0 if a.root else 1 if a.uses > 1 else 2) for a in node.args])


def possible(pattern: Pattern, operands: Shape) -> bool:
    """Whether the pattern's root may match a node with such operands: most patterns fail here, once per shape."""
    tree = pattern.tree
    assert tree is not None
    items = tree.children
    if len(items) != len(operands):
        return not items
    least = 1 if pattern.row.flags == "dup" else 2
    if all(_may_be(item, *seen, least) for item, seen in zip(items, operands, strict=True)):
        return True
    return tree.commutative and _may_be(items[0], *operands[1], least) and _may_be(items[1], *operands[0], least)


def _may_be(item: Tree | Leaf, op: str, cover: int, least: int) -> bool:
    head, _, type_ = op.partition(".")
    if isinstance(item, Tree):
        if cover < (2 if head.startswith("ld") else least):
            return False
        return unify(item.op, op) is not None if item.wild else item.op == op
    if item.value is not None:
        return head == "const"
    if item.accept & ADDR:
        return True
    if head == "const" and type_ != "p":
        return bool(item.accept & (IMM | REG))
    return bool(item.accept & (REG | NEG))


_Work = tuple[Tree | Leaf, Node, "_Work | None"]
"""Parts of a pattern still to be matched, each with its node, as a list of pairs."""


def _orders(tree: Tree, node: Node, after: _Work | None) -> list[_Work | None]:
    """The operands of a node beside those of a pattern, both ways round where that is the same, before `after`."""
    children, args = tree.children, node.args
    if len(children) != len(args):
        return [] if children else [after]
    if len(args) != 2:
        work = after
        for child, arg in zip(children[::-1], args[::-1], strict=True):
            work = child, arg, work
        return [work]
    (first, second), (a, b) = children, args
    out: list[_Work | None] = []
    if _seems(first, a) and _seems(second, b):
        out.append((first, a, (second, b, after)))
    if node.head in COMMUTATIVE and _seems(first, b) and _seems(second, a):
        out.append((first, b, (second, a, after)))
    return out


def _shared(node: Node) -> set[tuple[int, int]]:
    """How deep operands of one operand of a node stand that are operands of the other, too (0: the operand itself)."""
    levels = [({arg}, set(arg.args), {inner for below in arg.args for inner in below.args}) for arg in node.args]
    pairs = {(m, n) for m in range(3) for n in range(3) if not levels[0][m].isdisjoint(levels[1][n])}
    return pairs | {(n, m) for m, n in pairs} if node.head in COMMUTATIVE else pairs


def _seems(item: Tree | Leaf, node: Node) -> bool:
    return item.__class__ is Leaf or item.op == node.op  # type: ignore[union-attr]


class Matcher:
    """One attempt after the other to lay patterns over a node."""

    def __init__(self) -> None:
        self.bound: dict[str, Any] = {}
        self.inner: list[Node] = []
        self.wild: dict[str, str] = {}
        self.duplicate = False
        self.node: Node | None = None
        self.shared: set[tuple[int, int]] = set()
        """Of `node`, the one last asked about (see `_shared`)."""

    def match(self, pattern: Pattern, node: Node) -> bool:
        self.bound = {}
        self.inner = []
        self.wild = {}
        self.duplicate = pattern.row.flags == "dup"
        if pattern.repeats:
            if pattern.across:
                if self.node is not node:
                    self.node, self.shared = node, _shared(node)
                if self.shared.isdisjoint(pattern.across):
                    return False
            return any(self._rest(work) for work in _orders(pattern.tree, node, None))
        return self._children(pattern.tree, node)

    def _rest(self, work: _Work | None) -> bool:
        """Match what is left to do, trying both orders everywhere: where an operand stands twice in a pattern, the
        order that fits one operation may not fit the next."""
        if work is None:
            return True
        item, node, after = work
        if isinstance(item, Leaf):
            known = item.name in self.bound
            if self._leaf(item, node) and self._rest(after):
                return True
            if not known:
                self.bound.pop(item.name, None)
            return False
        if item.op != node.op or node.root or not self._may_cover(node):
            return False
        self.inner.append(node)
        if any(self._rest(rest) for rest in _orders(item, node, after)):
            return True
        self.inner.pop()
        return False

    def _children(self, tree: Tree, node: Node) -> bool:
        args = node.args
        children = tree.children
        if len(children) != len(args):
            return not children
        if not tree.commutative:
            return all(map(self._item, children, args))
        saved = dict(self.bound), list(self.inner), dict(self.wild)
        if self._item(children[0], args[0]) and self._item(children[1], args[1]):
            return True
        self.bound, self.inner, self.wild = saved
        return self._item(children[0], args[1]) and self._item(children[1], args[0])

    def _item(self, item: Tree | Leaf, node: Node) -> bool:
        if isinstance(item, Leaf):
            return self._leaf(item, node)
        if item.wild:
            found = unify(item.op, node.op)
            if found is None:
                return False
            for axis, word in found.items():
                if self.wild.setdefault(axis, word) != word:
                    return False
        elif item.op != node.op:
            return False
        if node.root or not self._may_cover(node):
            return False
        self.inner.append(node)
        return self._children(item, node)

    def _may_cover(self, node: Node) -> bool:
        return node.uses <= 1 or (self.duplicate and not node.op.startswith("ld"))

    def _leaf(self, leaf: Leaf, node: Node) -> bool:
        if leaf.value is not None:
            return node.is_const and (node.data == leaf.value or signed(node.data, 64) == leaf.value
                                      or (node.type == "i32" and signed(node.data, 32) == leaf.value))  # fmt: skip
        accept = leaf.accept
        binding: Any
        if accept & ADDR:
            binding = ("address", *address(node))
        elif node.is_const and node.type != "p":
            if accept & IMM:
                if leaf.check is not None and not leaf.check(node.data):
                    return False
                binding = ("imm", node)
            elif accept & REG:
                binding = ("reg", node)
            else:
                return False
        elif accept & NEG and node.op == "xor.p" and node.args[1].is_const and node.args[0].op != "xor.p":
            binding = ("not", node.args[0])
        elif accept & REG:
            binding = ("reg", node)
        else:
            return False
        before = self.bound.get(leaf.name)
        if before is not None:
            return bool(before == binding)
        self.bound[leaf.name] = binding
        return True


def address(node: Node) -> tuple[Node, int]:
    """(base, offset): constants are peeled off while the offset fits 32 bits."""
    offset = 0
    while node.head == "add" and node.args[1].is_const:
        more = signed(node.args[1].data, 64 if node.type == "i64" else 32)
        if not -(1 << 31) <= offset + more < 1 << 31:
            break
        offset += more
        node = node.args[0]
    if node.head == "zext" and node.args[0].head == "sym":
        node = node.args[0]
    return node, offset


def _is_rotation(bound: dict[str, Any]) -> bool:
    """Flag "rot": the two shift amounts b and last leaf add up to 32."""
    amounts = [binding[1].data for binding in bound.values() if binding[0] == "imm"]
    return sum(amounts) == 32 and len(amounts) == 2


def _complements(bound: dict[str, Any]) -> bool:
    """Flag "comp": the two masks are each other's complement."""
    masks = [binding[1].data for binding in bound.values() if binding[0] == "imm"]
    return len(masks) == 2 and masks[0] ^ masks[1] == 0xFFFFFFFF


_CHECKS = {"rot": _is_rotation, "comp": _complements}


def leaf_nodes(tile: Tile) -> list[Node]:
    """Nodes that the tile needs in registers (constants and symbols excepted)."""
    out = []
    for binding in tile.operands.values():
        node = binding[1]
        if binding[0] != "imm" and not node.is_const and node.head != "sym":
            out.append(node)
    return out


class Cover:
    """Covers one function's nodes. `explain` keeps every candidate on the node."""

    def __init__(self, database: Database, first_match: bool = False, explain: bool = False) -> None:
        self.database = database
        self.first_match = first_match
        self.explain = explain
        self.matcher = Matcher()
        self.candidates: dict[tuple[str, Shape], list[Pattern]] = {}

    def run(self, nodes: list[Node]) -> Node | None:
        """Choose a tile for every node in order (operands come before users). Returns a node without a pattern."""
        for node in nodes:
            if node.uses == 0 and not node.root:
                continue
            if node.head in STRUCTURAL:
                node.cost = costs.ZERO
                continue
            if not self.choose(node):
                return node
        return None

    def choose(self, node: Node) -> bool:
        matcher = self.matcher
        best: Tile | None = None
        least = costs.INFINITY
        weighed: list[tuple[Pattern, costs.Cost]] = []
        operands = shape(node)
        candidates = self.candidates.get((node.op, operands))
        if candidates is None:
            candidates = [p for p in self.database.lookup(node.op) if possible(p, operands)]
            self.candidates[node.op, operands] = candidates
        fitting: list[Tile] = []
        for pattern in candidates:
            if not matcher.match(pattern, node) or not self.placed(node, matcher.inner):
                continue
            check = _CHECKS.get(pattern.row.flags)
            if check is None or check(matcher.bound):
                fitting.append(Tile(pattern, node, matcher.bound, matcher.inner, matcher.wild))
        if len(fitting) == 1 and (node.uses > 1 or node.root) and not self.explain:
            node.tile, node.cost = fitting[0], costs.ZERO  # no choice, and nobody asks what it costs
            return True
        for tile in fitting:
            pattern = tile.pattern
            total = self.database.cost(pattern)
            shared = [arg for inner in tile.inner if inner.uses > 1 for arg in inner.args]
            for binding in tile.operands.values():
                leaf = binding[1]
                if binding[0] == "reg" and (leaf.is_const or leaf.head == "sym"):
                    total = _add(total, self._move_cost())
                elif binding[0] == "imm" or leaf.uses > 1 or leaf.cost is None or leaf.root:
                    continue
                elif leaf not in shared:  # what a node with other users needs is computed for them anyway
                    total = _add(total, leaf.cost)
            if self.explain:
                weighed.append((pattern, total))
            if best is None or _compare(total, least) < 0:
                best, least = tile, total
                if self.first_match:
                    break
        node.tile, node.cost = best, least
        if self.explain:
            node.weighed = weighed
        return best is not None

    def placed(self, node: Node, inner: list[Node]) -> bool:
        """Covered nodes are in the same block, or cost no more in this one, however often it runs: an extension, which
        is part of what uses it, and what is computed where it was anyway."""
        return all(
            other.block == node.block
            or other.head in ("sext", "zext")
            or (other.uses > 1 and other.head in ("shl", "add"))
            for other in inner
        )

    def _move_cost(self) -> costs.Cost:
        return self.database.cost(self.database.lookup("mov.i32")[0])
