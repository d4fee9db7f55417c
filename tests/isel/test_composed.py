"""Typed expressions made of patterns: the trees of rows put into one another where their types fit.

Hypothesis draws an expression, then operands for a warp; patterns are chosen for it by least cost, compiled by our
ptxas and run on the model. What is expected is what `test_meaning` expects of a tree.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import arch
from minicc.isel.cover.database import ADDR, REG, Leaf, Tree, database
from minicc.isel.patterns import Row, rows_of
from minicc.record import evolve
from tests.isel import meaning
from tests.isel.synthesise import Probe, argument_type, build, plain, result_type
from tests.isel.test_meaning import ARCH, Bench, probes

DEPTH = 3
LEAVES = 24
"""Words of a lane that an expression may read."""


def leaves(tree: Tree) -> list[Leaf]:
    return [leaf for child in tree.children for leaf in (leaves(child) if isinstance(child, Tree) else [child])]


def described(tree: Tree) -> bool:
    """Whether exact arithmetic says what each operation of a tree gives for some words."""
    op = plain(tree.op)
    kinds = [
        argument_type(op, child.name) if isinstance(child, Leaf) else result_type(plain(child.op))
        for child in tree.children
    ]
    words = [
        0x3C00 if kind in ("f16", "h") else meaning.encode(1.0, kind) if kind in meaning.FORMATS else 1
        for kind in kinds
    ]
    return meaning.evaluate(op, words) is not None and all(
        described(child) for child in tree.children if isinstance(child, Tree)
    )


@cache
def pure() -> dict[str, list[tuple[Row, Probe]]]:
    """Result type -> the patterns of values alone."""
    rows = {row for category in ("arithmetic", "bitwise", "floating", "convert") for row in rows_of(category)}
    found: dict[str, list[tuple[Row, Probe]]] = {}
    for row, probe in probes():
        plain_leaves = all(not leaf.accept & ADDR for leaf in leaves(probe.tree))
        if row in rows and plain_leaves and len(probe.kinds) == 1 and described(probe.tree):
            found.setdefault(probe.kinds[0], []).append((row, probe))
    return found


@st.composite
def expressions(draw: st.DrawFn) -> tuple[Row, Tree]:
    """A pattern and a tree that it is the top of."""
    row, probe = draw(st.sampled_from([pair for pairs in pure().values() for pair in pairs]))
    number = 0

    def grown(tree: Tree, left: int) -> Tree:
        nonlocal number
        number += 1
        mine, taken = number, dict[str, Tree | Leaf]()

        def operand(child: Tree | Leaf, op: str) -> Tree | Leaf:
            if isinstance(child, Tree):
                return evolve(child, children=tuple(operand(c, plain(child.op)) for c in child.children))
            if child.value is not None or not child.accept & REG or child.check is not None:
                return child if child.value is not None else evolve(child, name=f"{child.name}|{mine}")
            if child.name not in taken:
                fitting = pure().get(argument_type(op, child.name), [])
                deeper = left > 0 and fitting and draw(st.booleans())
                taken[child.name] = (
                    grown(draw(st.sampled_from(fitting))[1].tree, left - 1)
                    if deeper
                    else evolve(child, name=f"{child.name}|{mine}")
                )
            return taken[child.name]

        return operand(tree, "")  # type: ignore[return-value]

    return row, grown(probe.tree, draw(st.integers(0, DEPTH)))


@settings(max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=expressions(), draw=st.randoms(use_true_random=False))
def test_least_cost(drawn: tuple[Row, Tree], draw: random.Random) -> None:
    """The tree and what it was made of mean the same."""
    row, tree = drawn
    target = arch.get(ARCH)
    base = database(target.sm, target.feature)
    op = plain(tree.op)
    pattern = next(p for p in base.lookup(op) if p.row is row)
    probe: Any = build(pattern, op, base, target, 0, tree=tree)
    BENCH.run(BENCH.load([probe]), probe, draw)


BENCH = Bench()
