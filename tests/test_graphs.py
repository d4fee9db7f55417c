"""Graph algorithms beside networkx."""

from __future__ import annotations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from minicc.graphs import components, cycles

NODES = 9


@given(st.lists(st.lists(st.integers(0, NODES - 1), max_size=3), min_size=NODES, max_size=NODES))
def test_components(succs: list[list[int]]) -> None:
    """The same, each behind what it leads to; on a cycle is who comes back."""
    graph = networkx.DiGraph((n, other) for n, after in enumerate(succs) for other in after)
    graph.add_nodes_from(range(NODES))
    found = components(succs)
    assert {frozenset(group) for group in found} == set(map(frozenset, networkx.strongly_connected_components(graph)))
    place = {node: n for n, group in enumerate(found) for node in group}
    assert all(place[other] <= place[n] for n, after in enumerate(succs) for other in after)
    back = {n for n, after in enumerate(succs) if any(networkx.has_path(graph, other, n) for other in after)}
    assert cycles(succs) == back
