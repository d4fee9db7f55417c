"""The passes of instruction selection over one function, in order, by name: IR to IR, IR to expressions, expressions to
PTX. What -O0 leaves out (the passes over the IR, and `spread`) can be left out by name, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from minicc import passes
from minicc.arch.schema import Arch
from minicc.diagnostics import SourceFile, Span, fail
from minicc.isel.cover.cover import Cover
from minicc.isel.cover.database import of
from minicc.isel.emit.debug import Locations
from minicc.isel.emit.emit import Emitter, Inputs, demand, mark_uses, number_results, phi_inputs
from minicc.isel.emit.symbols import spread
from minicc.isel.options import Options
from minicc.isel.prepare.addresses import share
from minicc.isel.prepare.cases import choose
from minicc.isel.prepare.contract import sums
from minicc.isel.prepare.equal import unite, unite_comparisons
from minicc.isel.prepare.factor import factor
from minicc.isel.prepare.hoist import hoist, loops
from minicc.isel.prepare.outlive import outliving
from minicc.isel.prepare.retype import retype
from minicc.isel.prepare.sink import sink, users
from minicc.isel.prepare.slots import merge
from minicc.nvvm import ir
from minicc.nvvm.tokens import offset_of
from minicc.record import NamedTuple

if TYPE_CHECKING:
    from minicc.isel.lower.lower import Lowering


class Work:
    """A function on its way."""

    def __init__(
        self, lowering: Lowering, arch: Arch, options: Options, number: int, locations: Locations, explain: bool
    ) -> None:
        self.lowering, self.arch, self.options = lowering, arch, options
        self.function = lowering.function
        self.cover = Cover(of(arch), options.how == "first-match", explain)
        self.number, self.locations = number, locations

    @cached_property
    def loops(self) -> list[tuple[ir.Block, set[ir.Block]]]:
        """Header and blocks of each loop, outer ones before those in them."""
        return loops(self.function)

    @cached_property
    def inputs(self) -> Inputs:
        """What phis get, once the expressions are made."""
        return phi_inputs(self.lowering.blocks, self.lowering)

    @cached_property
    def emitter(self) -> Emitter:
        """What writes the PTX."""
        return Emitter(self.lowering, self.cover, self.number, self.locations)


def _hoist(w: Work) -> None:
    w.loops = hoist(w.function)


def _outlive(w: Work) -> None:
    w.lowering.outlive = outliving(w.function, w.loops)


def _contract(w: Work) -> None:
    if w.options.fmad:
        w.lowering.users = users(w.function)
        w.lowering.sums, w.lowering.absorbed = sums(w.lowering.users)


def _reductions(w: Work) -> None:
    """Atomics whose result nobody asks for are reductions; these are relaxed or releases only."""
    mark_uses(w.lowering.blocks, w.inputs)
    for dag in w.lowering.blocks:
        for node in dag.nodes:
            if node.head != "atom" or node.uses or node.op.startswith(("atom.exch", "atom.cas")):
                continue
            if node.data[0] in ("relaxed", "release"):
                node.rename("red" + node.op[4:], "")


def _cover(w: Work) -> None:
    ordered = sorted((node for dag in w.lowering.blocks for node in dag.nodes), key=lambda n: n.index)
    missing = w.cover.run(ordered)
    if missing is not None:
        module, function = w.lowering.module, w.function
        where = Span(SourceFile(module.name, module.text), *offset_of(module.text, function.offset))
        fail("isel.unsupported", f"no pattern for '{missing.op}' in function '{function.name}'", where)
    demand(w.lowering.blocks, w.inputs)
    number_results(w.lowering.blocks, w.emitter)


def _spread(w: Work) -> None:
    if "cluster" in w.arch.features:
        w.emitter.spread = spread(w.lowering.blocks, w.lowering.module, w.lowering.names)


class Pass(NamedTuple):
    """One pass; `optional` ones can be left out by name."""

    name: str
    run: Callable[[Work], object]
    optional: bool = True


PASSES = (
    Pass("retype", lambda w: retype(w.function)),
    Pass("cases", lambda w: choose(w.function)),
    Pass("slots", lambda w: merge(w.function, w.lowering.layout)),
    Pass("addresses", lambda w: share(w.function, w.lowering.layout)),
    Pass("factor", lambda w: factor(w.function)),
    Pass("equal", lambda w: unite(w.function)),
    Pass("hoist", _hoist),
    Pass("comparisons", lambda w: unite_comparisons(w.function)),
    Pass("sink", lambda w: sink(w.function, w.loops)),
    Pass("outlive", _outlive),
    Pass("contract", _contract),
    Pass("dag", lambda w: w.lowering.run(), optional=False),
    Pass("reductions", _reductions, optional=False),
    Pass("cover", _cover, optional=False),
    Pass("spread", _spread),
    Pass("emit", lambda w: w.emitter.run(), optional=False),
)
_OF_IR = next(n for n, p in enumerate(PASSES) if p.name == "dag")


def run(work: Work) -> Emitter:
    """The PTX of one function, as was asked."""
    asked, done = work.options.asked, 0
    if asked is not None:
        passes.check(asked, PASSES, "isel")

    def show() -> str:
        from minicc.isel import dump

        if done < _OF_IR:
            return dump.function(work.function)
        return dump.ptx(work.emitter.out) if done == len(PASSES) - 1 else dump.dag(work.lowering.blocks)

    def verify(after: str) -> None:
        if done < _OF_IR:
            from minicc.isel import verify

            verify.verify(work.lowering.module, work.function, after)

    def counted(number: int, p: Pass) -> None:
        nonlocal done
        done = number
        p.run(work)

    steps = [(p, partial(counted, number, p)) for number, p in enumerate(PASSES)]
    passes.run(steps, asked, work.function.name, show, verify, work.options.opt_level == 0)
    return work.emitter
