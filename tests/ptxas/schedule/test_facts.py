"""What is known of code whatever its order: found once, and as it would be found anew."""

from __future__ import annotations

import random
from typing import Any

import pytest

from minicc.ptxas import Options, liveness, pipeline
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.operands import Components
from minicc.ptxas.registers.intervals import Ranges, build
from minicc.ptxas.schedule import dag, facts, fit, lean, schedule
from minicc.ptxas.schedule.dag import Node
from minicc.ptxas.schedule.facts import Facts
from minicc.ptxas.timing import Distances, Footprint, footprint
from tests.ptxas.conftest import ARCH
from tests.ptxas.programs import Generator


def made(seed: int) -> MFunction:
    function = Generator(seed, 120, values=random.Random(seed).randrange(12, 40)).f
    pipeline.run(function, ARCH, Options(stop_after="renew"))
    return function


def rows(ranges: Ranges) -> list[object]:
    return [i and (i.reg.id, i.parts, i.weight, i.touched, i.late, i.hints) for i in ranges.intervals]


def same(known: Facts, function: MFunction) -> None:
    """The facts of the function as it stands are those that are found without any before."""
    live, anew = known.liveness(), liveness.analyse(function, Cfg.of(function))
    assert live.live_in == anew.live_in and live.live_out == anew.live_out
    for row, other in zip(live.accesses, anew.accesses, strict=True):
        for a, b in zip(row, other, strict=True):
            assert (sorted(a.uses), sorted(a.defs), sorted(a.partial)) == (
                sorted(b.uses), sorted(b.defs), sorted(b.partial),
            )  # fmt: skip
    assert rows(known.ranges()) == rows(build(function, Cfg.of(function)))
    components = Components(function)
    for block in function.blocks:
        for one, inst in zip(known.footprints(block.insts, components), block.insts, strict=True):
            want = footprint(inst, components)
            assert (one.reads, one.writes, one.guarded) == (want.reads, want.writes, want.guarded)
        prints = known.footprints(block.insts, components)
        for start, end in schedule.runs_of(prints):
            insts, after = block.insts[start:end], prints[end] if end < len(prints) else None
            nodes = dag.build(insts, prints[start:end], Distances(ARCH), after, function.renewed, function.ahead)
            graph = known.graph(insts, prints, start, Distances(ARCH))
            assert [(n.succs, n.height, n.preds) for n in graph] == [(n.succs, n.height, n.preds) for n in nodes]


@pytest.mark.parametrize("seed", range(6))
def test_facts_of_another_order_are_what_they_would_be_alone(seed: int) -> None:
    function = made(seed)
    known = Facts(function)
    same(known, function)
    for reorder in (
        lambda: schedule.Graphs(function, ARCH, Options()).schedule(schedule.Aim(20)),
        lambda: lean.run(function, ARCH),
    ):
        reorder()
        same(known, function)
    assert len(known.codes) == 1
    again = known.ranges()
    for block in function.blocks:
        block.insts = list(block.insts)
    assert known.ranges() is again


def test_a_run_has_one_graph_as_long_as_no_order_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    function = made(2)
    known, build, asked = Facts(function), dag.build, []

    def noted(insts: list[MInst], prints: list[Footprint], *others: Any) -> list[Node]:
        asked.append([(inst, inst.srcs) for inst in insts])
        return build(insts, prints, *others)

    monkeypatch.setattr(dag, "build", noted)
    graphs = schedule.Graphs(function, ARCH, Options(), facts=known)
    nodes = [(n, n.height) for runs in graphs.blocks for run in runs for n in run.nodes]
    lean.run(function, ARCH, known)
    graphs.schedule(schedule.Aim(20))
    schedule.Graphs(function, ARCH, Options(), facts=known)
    assert nodes and all(node.height == height for node, height in nodes)
    assert len(asked) > 1 and all(a != b for n, a in enumerate(asked) for b in asked[:n])


def test_code_that_reads_something_else_is_analysed_anew() -> None:
    function = made(1)
    known = Facts(function)
    known.liveness()
    block = max(function.blocks, key=lambda block: len(block.insts))
    inst = next(inst for inst in block.insts if inst.srcs)
    inst.srcs = (*inst.srcs,)
    known.liveness()
    assert len(known.codes) == 2
    removed = block.insts.pop()
    same(known, function)
    block.insts.append(removed)
    same(known, function)


@pytest.mark.parametrize("seed", range(3))
def test_an_order_costs_no_analysis_of_its_own(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that `fit` analyses beside spill code is different code: the program's, and what has been made again."""
    function = made(seed)
    function.max_registers = 32
    asked: list[object] = []

    def analysed(of: MFunction, cfg: Cfg) -> liveness.Liveness:
        asked.append(frozenset((inst, id(inst.srcs)) for block in of.blocks for inst in block.insts))
        return liveness.analyse(of, cfg)

    monkeypatch.setattr(facts, "analyse", analysed)
    fit.run(function, ARCH, Options())
    assert 0 < len(asked) == len(set(asked))
