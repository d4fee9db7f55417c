"""Where lanes meet again within a round of a loop that some of them may leave on the way.

The immediate post-dominator of a branch in a loop with a `break` or `return` is after the loop, or rounds later, and
lanes that took different sides would go round after round apart (a merge of two lists took five times as long on an
H200). So for the lanes that stay, ways out of the loop do not count: a branch's post-dominator is taken in the loop's
body alone, its next round standing for the end. A lane that leaves takes itself out of the barrier (BREAK), as in
NVIDIA's code.

LLVM makes two loops of one with two ways back (the second header only moves values, or does little, and leads to the
first). Lanes that go back by one and by the other would not meet: `joined` gives both ways the same header again.

Cost: linear in the bodies of the loops, for each depth.
"""

from __future__ import annotations

from collections.abc import Iterable

from minicc.ptxas.lower.closed import Closed, Found, Loops
from minicc.ptxas.lower.graph import Graph, link
from minicc.ptxas.mir import TRUE, Block, MFunction, MInst
from minicc.record import evolve
from minicc.sass.instr import Target


def rounds(graph: Graph, ipdom: list[int], nests: dict[int, set[int]], divergent: list[int]) -> list[tuple[int, Found]]:
    """Header and region, for the divergent branches in loops that meet after the round only."""
    out: list[tuple[int, Found]] = []
    splits, loops = ranks(divergent), Loops(nests)
    for header, body in nests.items():
        wanted = [b for b in among(splits, body) if len(graph.succs[b]) > 1]
        if wanted:
            again = {n for n in body if header in graph.succs[n]}
            inner = nests.keys() & body - {header}
            found = _staying(graph, body, header, header, again, wanted, ipdom, loops, inner)
            out += [(header, region) for region in found]
    return out


def stretches(
    graph: Graph, idom: list[int], ipdom: list[int], nests: dict[int, set[int]], divergent: list[int],
    regions: Iterable[Found],
) -> list[Found]:  # fmt: skip
    """Regions within others from which lanes may go to the end on the way, if there are several one after the other (a
    search of few turns that is written out): lanes would part at each and not meet before the end. Of the ways to the
    end only that counts which has the most dominators. One such region alone costs more than it gains: loops by several
    turns with what is left over 1.00 to 1.03 of the cycles without (nine samples, SM model)."""
    out: list[Found] = []
    splits, loops = ranks(divergent), Loops(nests)
    depth = _depths(idom)
    for start, end, body in regions:
        wanted = [b for b in among(splits, body) if len(graph.succs[b]) > 1 and ipdom[b] == end]
        ways = [n for n in body if end in graph.succs[n]]
        if len(wanted) > 1 and len(ways) > 1:
            inner = {h for h in nests.keys() & body if nests[h] <= body}
            last = max(ways, key=lambda n: (depth[n], n))
            found = _staying(graph, body, start, end, {last}, wanted, ipdom, loops, inner)
            left = [f for f in found if f[1] != end and leaving(graph, f)]
            if len({stop for _, stop, _ in left}) > 1:
                out += left
    return out


def _depths(idom: list[int]) -> list[int]:
    """How many dominators each block has."""
    depth = [0] * len(idom)
    for node in range(len(idom)):
        path = []
        while not depth[node] and idom[node] not in (node, -1):
            path.append(node)
            node = idom[node]
        for above, below in zip([node, *reversed(path)], reversed(path), strict=False):
            depth[below] = depth[above] + 1
    return depth


def _staying(
    graph: Graph, body: set[int], first: int, end: int, ways: set[int], wanted: list[int], ipdom: list[int],
    loops: Loops, inner: set[int],
) -> list[Found]:  # fmt: skip
    """Where lanes of the branches `wanted` meet that come to `end` by the `ways`, if not where their post-dominators in
    the whole graph are. `inner`: which of the loops are in the body."""
    staying, todo = {first, *ways}, [n for n in ways if n != first]
    while todo:
        for p in graph.preds[todo.pop()]:
            if p not in staying and p in body:
                staying.add(p)
                todo.append(p)
    wanted = [b for b in wanted if b in staying and sum(s in staying for s in graph.succs[b]) > 1]
    if not wanted:
        return []
    nodes = [first, *sorted(staying - {first})]
    index = {n: i for i, n in enumerate(nodes)}
    last = len(nodes)
    succs = [
        [last if s == end else index[s] for s in graph.succs[n] if (n in ways if s == end else s in staying)]
        for n in nodes
    ] + [[]]
    preds: list[list[int]] = [[] for _ in succs]
    for n, after in enumerate(succs):
        for s in after:
            preds[s].append(n)
    local = Graph(succs, preds)
    after_ = local.postdominators()
    wanted = [b for b in wanted if after_[index[b]] == last or nodes[after_[index[b]]] != ipdom[b]]
    if not wanted:
        return []
    closed = Closed(local, local.dominators(), after_, loops, inner, [*nodes, -1])
    regions = {found[:2]: found[2] for branch in wanted if (found := closed.of(index[branch])) is not None}
    return [
        (nodes[start], end if stop == last else nodes[stop], {nodes[n] for n in within})
        for (start, stop), within in regions.items()
    ]


def ranks(items: Iterable[int]) -> dict[int, int]:
    """The place of each of them."""
    return {item: place for place, item in enumerate(items)}


def among(places: dict[int, int], some: set[int]) -> list[int]:
    """Those of `some` that have a place, in its order: the cost is that of `some` alone."""
    return sorted((n for n in some if n in places), key=places.__getitem__)


_MOVES = 12
"""Instructions of a header that are made twice."""


def joined(function: MFunction, graph: Graph, nests: dict[int, set[int]], headers: Iterable[int]) -> bool:
    """Let what goes back to a loop whose header does little and leads to one of `headers`, go there at once, by a copy
    of what it does. Whether anything was changed; `graph` is old then."""
    blocks = function.blocks
    wanted = set(headers)
    added: dict[int, list[Block]] = {}
    for outer, body in nests.items():
        node, moves = outer, list[MInst]()
        for _ in range(4):
            if (node in wanted and node != outer) or len(graph.succs[node]) != 1:
                break
            moves += [i for i in blocks[node].insts if i.mnemonic != "BRA"]
            node = graph.succs[node][0]
        if node == outer or node not in wanted or node not in body or len(moves) > _MOVES:
            continue
        if any(i.side_effect or i.memory or i.implicit_writes or i.guard != TRUE for i in moves):
            continue
        for n, u in enumerate(sorted(p for p in graph.preds[outer] if p in body)):
            way = Block(f"{blocks[outer].label}_again{n}", [evolve(i) for i in moves])
            way.insts.append(MInst("BRA", (), (), (Target(label=blocks[node].label),)))
            for inst in blocks[u].insts:
                if inst.mnemonic == "BRA" and inst.srcs == (Target(label=blocks[outer].label),):
                    inst.srcs = (Target(label=way.label),)
            added.setdefault(u, []).append(way)
    if added:
        function.blocks = [b for n, block in enumerate(blocks) for b in (block, *added.get(n, ()))]
        link(function)
    return bool(added)


def leaving(graph: Graph, region: Found) -> list[tuple[int, int]]:
    """Edges by which a lane leaves a region other than to its end."""
    _, end, nodes = region
    return [(u, v) for u in sorted(nodes) for v in graph.succs[u] if v not in nodes and v != end]


__all__ = ["among", "joined", "leaving", "ranks", "rounds", "stretches"]
