"""Divergence and reconvergence: which branches may split a warp, and BSSY/BSYNC around what they split.

A branch is uniform only if its predicate provably is the same in all threads that execute it together. For each other
branch, threads meet again at its immediate post-dominator P. The region between is closed until it has one entry S;
BSSY stands before S's branch (for the exit of a loop, before the loop), and every edge from the region into P goes
through a block with BSYNC. A region inside another one that ends at the same P needs no barrier of its own. Where no
such region exists (paths that only end in exits), threads simply do not meet again.

Exits are no places to meet: of several, the one that most blocks lead to counts, and blocks that lead to others only
(early returns, traps, what LLVM holds for unreachable) are left out of the graph: `_doomed`. Hardware takes threads
that exit out of the barriers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.graphs import reachable
from minicc.ptxas.lower.anywhere import gather_anywhere, scattered, sites
from minicc.ptxas.lower.cleanup import prune, straighten, thread
from minicc.ptxas.lower.closed import Closed, Found, Loops
from minicc.ptxas.lower.graph import Graph, ends, link
from minicc.ptxas.lower.instep import in_step
from minicc.ptxas.lower.lone import drop_turns
from minicc.ptxas.lower.rounds import joined, leaving, rounds, stretches
from minicc.ptxas.lower.yields import yield_to_arrivals, yields
from minicc.ptxas.mir import TRUE, Block, MFunction, MInst, V, function_label
from minicc.ptxas.operands import reads
from minicc.sass.instr import Name, Target

if TYPE_CHECKING:
    from minicc.ptxas.lower.builder import Builder

_UNIFORM_SR = ("SR_CTAID", "SR_VIRTUALSMID", "SR_VIRTID", "SR_VIRTCFG", "SR_SWINHI", "SR_SMEMSZ", "SR_CgaCtaId")
_UNIFORM_RESULT = frozenset({"VOTE", "REDUX", "ELECT_UR", "B2R"})
_DIVERGENT = frozenset({"SHFL", "MATCH", "ATOM", "ATOMG", "ATOMS", "LDL", "CS2R", "LD", "QSPC", "ELECT"})
MAX_BARRIERS = 12
"""Nested regions that get a barrier register; hardware has 16."""
AROUND_CALLS = 8
"""Likewise in a function with calls, which may change six of them."""


class Region:
    """Blocks from `start` up to `end`."""

    def __init__(
        self,
        start: int,
        end: int,
        nodes: set[int],
        barrier: V | None = None,
        sync: str = "",
        leaving: list[tuple[int, int]] | None = None,
    ) -> None:
        self.start, self.end, self.nodes, self.barrier, self.sync = start, end, nodes, barrier, sync
        self.leaving: list[tuple[int, int]] = [] if leaving is None else leaving
        """Edges out of it by which lanes do not come to its end: they take themselves out of the barrier."""


def converge(function: MFunction, builder: Builder) -> None:
    """Insert BSSY and BSYNC, drop WARPSYNCs that cannot matter, and set loop depths."""
    prune(function)
    around = _around_loops(function)
    thread(function, around)
    straighten(function, around)
    if builder.turns and drop_turns(function, builder.turns):
        straighten(function, around)
    graph = Graph.of(function)
    _preheaders(function, graph.loops(graph.dominators()), builder)
    most = AROUND_CALLS if builder.has_calls else MAX_BARRIERS
    for first in (True, False):
        graph = Graph.of(function)
        doomed = _doomed(function, graph)
        live = _without(graph, doomed) if doomed else graph
        idom, ipdom = graph.dominators(), live.postdominators()
        nests = graph.loops(idom)
        divergent, apart = _analyse(function, graph, ipdom, builder)
        meeting = [b for b in divergent if b in doomed or not _leaves_at_once(function, graph, b, doomed)]
        within = rounds(live, ipdom, nests, meeting) if nests else []
        if not (first and within and joined(function, graph, nests, [header for header, _ in within])):
            break
    regions, lost = _regions(live, idom, ipdom, nests, meeting, most)
    inside = stretches(live, idom, ipdom, nests, meeting, [(r.start, r.end, r.nodes) for r in regions])
    regions = _with_rounds(function, graph, [*(found for _, found in within), *inside], regions, most)
    apart |= reachable(graph.succs, lost)
    if nests:
        yields(function, graph, ipdom, nests, divergent, builder.symbols.calls.observing)
    # What is called may be called in a loop.
    looped = set().union(*nests.values()) if function.entry else set(range(len(function.blocks)))
    together = {function_label(name) for name in function.routines}
    while True:
        parting = [n for n, block in enumerate(function.blocks) if _parts(block, n in apart, together, builder)]
        parted = reachable(graph.succs, parting)
        apart |= parted
        if not yield_to_arrivals([function.blocks[n] for n in sorted(looped & apart)]):
            break
    exchanges = sites(function, builder)
    while True:
        kinds = scattered(exchanges, apart, idom, ipdom)
        gathered = [s for s in exchanges if s.block in apart and s.kind in kinds]
        asking = {s.sync for s in gathered}
        among = {s.sync: s.block for s in exchanges if s.block in apart}
        steps = in_step(graph, nests, regions, apart, parted) if among else set()
        alike = {sync for sync, n in among.items() if n in steps}
        alike |= {sync for n in set(among.values()) for sync in _met(function.blocks[n], asking, together, builder)}
        alike -= builder.barriers | asking
        # A BSYNC does not wait for lanes that wait for others at a WARPSYNC or in a collective.
        waiting = reachable(graph.succs, {n for sync, n in among.items() if sync not in alike})
        if waiting <= parted:
            break
        parted |= waiting
        apart |= parted
    depths = [0] * len(function.blocks)
    for body in nests.values():
        for index in body:
            depths[index] += 1
    for index, block in enumerate(function.blocks):
        block.loop_depth = depths[index]
        needless = builder.collective if index not in apart else builder.collective & alike
        if index not in parted and function.entry:
            needless = needless | builder.before_barriers
        block.insts = [_in_step(i) if index not in apart or i in alike else i for i in block.insts if i not in needless]
    function.splitting = {i for b in divergent for i in function.blocks[b].insts if i.mnemonic == "BRA"}
    _apply(function, regions, builder)
    if gathered:
        gather_anywhere(function, builder, gathered)


def _in_step(inst: MInst) -> MInst:
    """A barrier of a warp that is together only keeps accesses to memory in order, as nvcc's NOP there."""
    if inst.mnemonic != "WARPSYNC" or inst.ptx is None or "warp" not in inst.ptx.modifiers:
        return inst
    return MInst("NOP", loc=inst.loc, ptx=inst.ptx, side_effect=True, memory="barrier")


_MAY_BE_MAIN = 16


def _parts(block: Block, apart: bool, together: set[str], builder: Builder) -> bool:
    """May lanes go on behind the block without those that they are to meet? From a call they may come back one after
    the other, unless it is of a routine, whose lanes meet before it ends (`together`: labels); where some sleep or
    yield, those that wait for them in a BSYNC are let go; and lanes that wait for others before a CTA barrier are not
    waited for where these meet (all seen on an H200)."""
    return any(
        (i.mnemonic == "CALL" and not _calls(i, together))
        or (apart and (i.mnemonic in ("YIELD", "NANOSLEEP") or i in builder.barriers))
        for i in block.insts
    )


def _met(block: Block, asking: set[MInst], together: set[str], builder: Builder) -> list[MInst]:
    """WARPSYNCs whose lanes have met at one of the same mask, or of the whole warp, further up, and cannot have parted
    since: with a mask in a register one takes 36 cycles. Lanes that have waited in a collective (`asking`) go on behind
    it as they came there."""
    met: set[int] = set()
    """Registers with the masks, and `everyone` when the whole warp has met."""
    everyone = -1
    out = []
    for inst in block.insts:
        if inst.mnemonic == "WARPSYNC" and inst.guard == TRUE and inst.modifiers in ((), ("ALL",)):
            mask = inst.srcs[0] if inst.srcs else None
            lanes = everyone if inst.modifiers else mask.reg.id if isinstance(mask, V) else None
            if everyone in met or lanes in met:
                out.append(inst)
            elif inst in asking:
                met.clear()
            elif lanes is not None:
                met.add(lanes)
        elif inst.mnemonic == "WARPSYNC" or _parts(Block("", [inst]), True, together, builder):
            met.clear()
        met.difference_update(d.reg.id for d in inst.dsts if isinstance(d, V))
    return out


def _calls(call: MInst, labels: set[str]) -> bool:
    target = call.srcs[0]
    return isinstance(target, Target) and target.label in labels


def _doomed(function: MFunction, graph: Graph) -> set[int]:
    """Blocks that lead to exits, but not to the main one."""
    exits = [index for index, after in enumerate(graph.succs) if not after]
    if len(exits) < 2:
        return set()
    # Not what a failed assertion comes to, if there is another: the end of a loop may be nothing but an exit.
    ends_ = [e for e in exits if all(i.mnemonic != "BPT" for i in function.blocks[e].insts)] or exits
    reaching: dict[int, set[int]] = {}
    for index in [e for e in ends_ if not _idle(function.blocks[e])][-_MAY_BE_MAIN:] or ends_[-1:]:
        reaching[index] = reachable(graph.preds, [index])
    main = max(reaching, key=lambda index: (len(reaching[index]), index))
    return reachable(graph.preds, exits) - reaching[main]


def _idle(block: Block) -> bool:
    """Does the block do nothing but end the thread?"""
    return all(inst.mnemonic in ("EXIT", "BPT", "NOP", "BRA") for inst in block.insts)


def _leaves_at_once(function: MFunction, graph: Graph, branch: int, doomed: set[int]) -> bool:
    """Do the threads that leave the others at a branch end there, so that the others stay together?"""
    after = graph.succs[branch]
    ending = [s for s in after if s in doomed]
    if len(after) - len(ending) != 1:
        return False
    for node in ending:
        while _idle(function.blocks[node]) and len(graph.succs[node]) == 1 and graph.succs[node] != [node]:
            node = graph.succs[node][0]
        if graph.succs[node] or not _idle(function.blocks[node]):
            return False
    return True


def _without(graph: Graph, doomed: set[int]) -> Graph:
    """The graph without the edges into blocks that are left out from those that are not."""
    succs = [after if n in doomed else [s for s in after if s not in doomed] for n, after in enumerate(graph.succs)]
    preds = [[p for p in before if p in doomed] if n in doomed else before for n, before in enumerate(graph.preds)]
    return Graph(succs, preds, graph.leaving)


def _analyse(function: MFunction, graph: Graph, ipdom: list[int], builder: Builder) -> tuple[list[int], set[int]]:
    """(blocks that end in a divergent branch, blocks that part of a warp may execute), iterated to a fixed point."""
    varying: set[int] = set()
    # A device function may be called by part of a warp, with arguments that differ.
    apart: set[int] = set() if function.entry else set(range(len(function.blocks)))
    divergent: set[int] = set()
    branches = {
        index: inst
        for index, block in enumerate(function.blocks)
        for inst in block.insts[-2:]
        if inst.mnemonic == "BRA" and inst.guard != TRUE
    }
    between: dict[int, set[int]] = {}
    """Blocks between divergent branches and where their threads meet again (or none: those that they never meet in)."""
    changed = True
    while changed:
        changed = False
        for index, block in enumerate(function.blocks):
            inside = index in apart
            for inst in block.insts:
                if inst.implicit_writes:
                    varying.update(d.reg.id for d in inst.implicit_writes)
                if not inst.dsts:
                    continue
                new = [d.reg.id for d in inst.dsts if isinstance(d, V) and d.reg.id not in varying]
                if new and (inside or varies(inst, varying)):
                    varying.update(new)
                    changed = True
        for index, inst in branches.items():
            if index in divergent or inst in builder.uniform_branches:
                continue
            guard = inst.guard
            if isinstance(guard, V) and guard.reg.id in varying:
                divergent.add(index)
                changed = True
                end = ipdom[index]
                reachable(graph.succs, graph.succs[index], end, between.setdefault(end, set()))
        apart.update(*between.values())
    return sorted(divergent), apart


def varies(inst: MInst, varying: set[int]) -> bool:
    """Can lanes that execute the instruction together get different results? `varying`: ids of the registers that
    differ by lane."""
    if inst.mnemonic in _UNIFORM_RESULT:
        return False
    if inst.mnemonic in _DIVERGENT or (inst.memory == "load" and inst.side_effect):
        return True
    if inst.mnemonic == "S2R":
        source = inst.srcs[0]
        return not (isinstance(source, Name) and source.text.startswith(_UNIFORM_SR))
    return any(type(v) is V and v.reg.id in varying for v in reads(inst))


def _regions(
    graph: Graph, idom: list[int], ipdom: list[int], nests: dict[int, set[int]], divergent: list[int],
    most: int,
) -> tuple[list[Region], list[int]]:  # fmt: skip
    """The regions that need a barrier (`most` at once), and the branches that have none."""
    closed = Closed(graph, idom, ipdom, Loops(nests), nests.keys(), range(len(graph.succs) + 1))
    found: dict[tuple[int, int], Region] = {}
    lost: list[int] = []
    for branch in divergent:
        blocks = closed.of(branch)
        if blocks is None:
            lost.append(branch)
        else:
            found.setdefault((blocks[0], blocks[1]), Region(*blocks))
    ending: dict[int, list[Region]] = {}
    for region in found.values():
        ending.setdefault(region.end, []).append(region)
    kept = [r for r in found.values() if not any(o is not r and _holds(o, r) for o in ending[r.end])]
    kept.sort(key=lambda r: (len(r.nodes), r.start))
    out: list[Region] = []
    depth = [0] * len(graph.succs)
    for region in reversed(kept):
        if depth[region.start] >= most:
            lost.append(region.start)
        else:
            out.append(region)
            for node in region.nodes:
                depth[node] += 1
    return out[::-1], lost


def _with_rounds(
    function: MFunction, graph: Graph, within: list[Found], regions: list[Region], most: int
) -> list[Region]:
    """The regions, and those `within` a round of a loop that lanes may leave on the way."""
    known = {(r.start, r.end) for r in regions}
    found: dict[tuple[int, int], Region] = {}
    for start, end, nodes in within:
        out = leaving(graph, (start, end, nodes))
        if (start, end) not in known and all(_jumps(function.blocks[u]) for u, _ in out):
            found.setdefault((start, end), Region(start, end, nodes, leaving=out))
    if not found:
        return regions
    depth = [0] * len(graph.succs)
    for region in regions:
        for node in region.nodes:
            depth[node] += 1
    ends_ = [*regions, *found.values()]
    added = []
    for region in sorted(found.values(), key=lambda r: (-len(r.nodes), r.start)):
        held = any(o is not region and o.end == region.end and _holds(o, region) for o in ends_)
        if not held and depth[region.start] < most:
            added.append(region)
            for node in region.nodes:
                depth[node] += 1
    return sorted([*regions, *added], key=lambda r: (len(r.nodes), r.start))


def _jumps(block: Block) -> bool:
    """Does the block go on by branches that name one place?"""
    return not any(i.mnemonic in ("BRX", "BRXU", "CALL", "RET") for i in block.insts[-2:])


def _holds(outer: Region, inner: Region) -> bool:
    """Does every thread that enters `inner` enter `outer` first?"""
    return inner.start in outer.nodes and inner.start != outer.start and len(outer.nodes) >= len(inner.nodes)


def _explicit(blocks: list[Block]) -> None:
    """Turn falling through into branches, so that blocks can be moved and inserted."""
    for position, block in enumerate(blocks):
        if not ends(block) and position + 1 < len(blocks):
            block.insts.append(_jump(blocks[position + 1].label))


def _around_loops(function: MFunction) -> set[str]:
    """Labels of loops' headers that do nothing and lead into a loop in this one: a search in each turn of another. Both
    would have one header, and be one loop: lanes would meet only where turns of the outer one end."""
    blocks = function.blocks
    empty = [n for n, b in enumerate(blocks) if len(b.succs) == 1 and all(i.mnemonic == "BRA" for i in b.insts)]
    if not empty:
        return set()
    graph = Graph.of(function)
    nests = graph.loops(graph.dominators())
    return {blocks[n].label for n in empty if n in nests and graph.succs[n][0] in nests.keys() & nests[n] - {n}}


def _preheaders(function: MFunction, nests: dict[int, set[int]], builder: Builder) -> None:
    """Give each loop a block before its header that only leads into it."""
    blocks = function.blocks
    _explicit(blocks)
    out: list[Block] = []
    entries: dict[str, tuple[int, str]] = {}
    for index, block in enumerate(blocks):
        if index in nests:
            before = Block(builder.label("loop"), [_jump(block.label)])
            before.insts[0].loc = block.insts[0].loc if block.insts else None
            entries[block.label] = index, before.label
            out.append(before)
        out.append(block)
    for other, source in enumerate(blocks):
        for inst in source.insts[-2:]:
            if inst.mnemonic == "BRA":
                target = inst.srcs[0]
                assert isinstance(target, Target) and target.label
                found = entries.get(target.label)
                if found is not None and other not in nests[found[0]]:
                    inst.srcs = (Target(label=found[1]),)
    function.blocks = out
    link(function)


def _apply(function: MFunction, regions: list[Region], builder: Builder) -> None:
    """Edit the blocks: BSYNC blocks before region ends, edges into them, BSSYs at region starts."""
    blocks = function.blocks
    _explicit(blocks)
    before: dict[int, list[Block]] = {}
    ending: dict[int, list[Region]] = {}
    for region in regions:
        region.barrier = V(function.new("B"))
        region.sync = builder.label("sync")
        ending.setdefault(region.end, []).append(region)
    edges = _breaks(blocks, regions, builder)
    for region in regions:
        assert region.barrier is not None
        end = blocks[region.end]
        same = ending[region.end]
        outer = next((o for o in same[same.index(region) + 1 :] if region.start in o.nodes), None)
        onward = outer.sync if outer is not None else end.label
        sync = Block(region.sync, [MInst("BSYNC", (), (), (region.barrier,), side_effect=True), _jump(onward)])
        sync.loop_depth = end.loop_depth
        sync.insts[0].loc = sync.insts[1].loc = end.insts[0].loc if end.insts else None
        before.setdefault(region.end, []).append(sync)
        for node in region.nodes:
            for block in (blocks[node], *edges.get(node, ())):
                _redirect(block, end.label, region.sync)
        at = blocks[region.start]
        place = len(at.insts)
        while place and at.insts[place - 1].mnemonic == "BRA":
            place -= 1
        mark = MInst("BSSY", (), (region.barrier,), (Target(label=onward),), side_effect=True)
        mark.loc = at.insts[place].loc if place < len(at.insts) else None
        at.insts.insert(place, mark)
    out: list[Block] = []
    for index, block in enumerate(blocks):
        out += before.get(index, [])
        out.append(block)
        out += edges.get(index, [])
    function.blocks = out
    link(function)
    thread(function)
    straighten(function)


def _breaks(blocks: list[Block], regions: list[Region], builder: Builder) -> dict[int, list[Block]]:
    """Blocks on the edges by which lanes leave regions, by the block that each edge is from."""
    barriers: dict[tuple[int, int], list[V]] = {}
    for region in regions:
        assert region.barrier is not None
        for edge in region.leaving:
            barriers.setdefault(edge, []).append(region.barrier)
    out: dict[int, list[Block]] = {}
    for (u, v), left in barriers.items():
        target = blocks[v]
        insts = [MInst("BREAK", (), (), (barrier,), side_effect=True) for barrier in left]
        way = Block(builder.label("break"), [*insts, _jump(target.label)])
        way.loop_depth = target.loop_depth
        for inst in way.insts:
            inst.loc = target.insts[0].loc if target.insts else None
        _redirect(blocks[u], target.label, way.label)
        out.setdefault(u, []).append(way)
    return out


def _redirect(block: Block, old: str, new: str) -> None:
    for inst in block.insts:
        if inst.mnemonic == "BRA" and inst.srcs == (Target(label=old),):
            inst.srcs = (Target(label=new),)


def _jump(label: str) -> MInst:
    return MInst("BRA", (), (), (Target(label=label),))
