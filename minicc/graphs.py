"""Control-flow graphs as numbered nodes: depth-first order, reachability, dominators, cycles, natural loops.

Nodes are 0..n-1 with their successors or predecessors in lists; the caller keeps the map to blocks. Near linear for the
graphs that compilers make.
"""

from __future__ import annotations

from collections.abc import Iterable

Edges = list[list[int]]


def postorder(succs: Edges, root: int = 0) -> list[int]:
    """Nodes reachable from `root` as a depth-first walk leaves them, successors visited first to last."""
    if not succs:
        return []
    seen = bytearray(len(succs))
    seen[root] = 1
    order: list[int] = []
    stack = [(root, 0)]
    while stack:
        node, at = stack.pop()
        after = succs[node]
        while at < len(after) and seen[after[at]]:
            at += 1
        if at < len(after):
            stack.append((node, at + 1))
            seen[after[at]] = 1
            stack.append((after[at], 0))
        else:
            order.append(node)
    return order


def reachable(edges: Edges, starts: Iterable[int], end: int = -1, known: set[int] | None = None) -> set[int]:
    """Nodes on walks along `edges` from `starts` (themselves included) that do not come to `end`. They are added to
    those `known` of other walks up to the same end, which are not walked again."""
    seen = set() if known is None else known
    stack = [node for node in set(starts) if node != end and node not in seen]
    seen.update(stack)
    while stack:
        for node in edges[stack.pop()]:
            if node != end and node not in seen:
                seen.add(node)
                stack.append(node)
    return seen


def dominators(order: list[int], preds: Edges) -> list[int]:
    """Immediate dominator of each node, from a postorder of the reachable ones; the root's is itself, -1 for nodes not
    in the order (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm")."""
    idom = [-1] * len(preds)
    if not order:
        return idom
    number = [-1] * len(preds)
    for position, node in enumerate(order):
        number[node] = position
    root = order[-1]
    idom[root] = root
    rest = order[-2::-1]
    changed = True
    while changed:
        changed = False
        for node in rest:
            best = -1
            for p in preds[node]:
                if idom[p] < 0:
                    continue
                if best < 0:
                    best = p
                    continue
                a, b = p, best
                while a != b:
                    while number[a] < number[b]:
                        a = idom[a]
                    while number[b] < number[a]:
                        b = idom[b]
                best = a
            if best >= 0 and idom[node] != best:
                idom[node] = best
                changed = True
    return idom


def dominates(idom: list[int], a: int, b: int) -> bool:
    """Is a on b's chain of dominators? For many questions, see `nesting`."""
    while b != a:
        up = idom[b]
        if up == b or up < 0:
            return False
        b = up
    return True


def nesting(idom: list[int]) -> list[tuple[int, int]]:
    """(first, last) number of each node's subtree in a walk of the dominator tree: a dominates b if and only if
    first[a] <= first[b] <= last[a]. Nodes that are not in the tree have (1, 0)."""
    children: Edges = [[] for _ in idom]
    roots = []
    for node, up in enumerate(idom):
        if up == node:
            roots.append(node)
        elif up >= 0:
            children[up].append(node)
    out = [(1, 0)] * len(idom)
    clock = 2
    for root in roots:
        stack = [(root, -1)]
        while stack:
            node, first = stack.pop()
            if first >= 0:
                out[node] = first, clock - 1
            else:
                stack.append((node, clock))
                stack.extend((child, -1) for child in children[node])
                clock += 1
    return out


def natural_loops(succs: Edges, preds: Edges, idom: list[int]) -> dict[int, set[int]]:
    """Header -> all nodes of its natural loops; unreachable nodes are in none."""
    found: dict[int, set[int]] = {}
    nested = nesting(idom)
    for node, after in enumerate(succs):
        if idom[node] < 0:
            continue
        for header in after:
            if not nested[header][0] <= nested[node][0] <= nested[header][1]:
                continue
            body = found.setdefault(header, {header})
            stack = [node]
            while stack:
                at = stack.pop()
                if at not in body:
                    body.add(at)
                    stack += [p for p in preds[at] if idom[p] >= 0]
    return found


def components(succs: Edges) -> list[list[int]]:
    """The strongly connected components (Tarjan's), each behind all that it leads to."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside = bytearray(len(succs))
    out: list[list[int]] = []
    for root in range(len(succs)):
        work = [] if root in index else [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                inside[node] = 1
            if at < len(succs[node]):
                work.append((node, at + 1))
                if succs[node][at] not in index:
                    work.append((succs[node][at], 0))
                continue
            low[node] = min([low[node], *(low[other] for other in succs[node] if inside[other])])
            if low[node] == index[node]:
                group: list[int] = []
                while not group or group[-1] != node:
                    group.append(stack.pop())
                    inside[group[-1]] = 0
                out.append(group)
    return out


def cycles(succs: Edges) -> set[int]:
    """The nodes that lead to themselves, be it in a natural loop or in one with several entries."""
    return {node for group in components(succs) for node in group if len(group) > 1 or node in succs[node]}
