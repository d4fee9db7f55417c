"""The passes of ptxas, in order, by name."""

from __future__ import annotations

import time
from collections.abc import Callable

from minicc import passes
from minicc.arch.schema import Arch
from minicc.diagnostics import EXIT_PTXAS
from minicc.ptxas.control import control
from minicc.ptxas.mir import MFunction
from minicc.ptxas.optimise import (
    addresses,
    aggregate,
    ahead,
    bits,
    bittest,
    carried,
    chains,
    combine,
    constants,
    copies,
    cse,
    dead,
    doubles,
    flow,
    hoist,
    ifconvert,
    inplace,
    invariant,
    layout,
    lift,
    native,
    parameters,
    products,
    prologue,
    renew,
    rotate,
    sums,
    unroll,
    vectorise,
    webs,
)
from minicc.ptxas.options import Options
from minicc.ptxas.registers import allocate, banks, coalesce, groups, zeros
from minicc.ptxas.schedule import balance, fit, parts, schedule

Run = Callable[[MFunction, Arch, Options], object]


class Pass:
    """One pass. `optional` ones can be disabled by name; `level` is the least -O that runs it."""

    def __init__(self, name: str, run: Run, optional: bool = True, level: int = 1) -> None:
        self.name, self.run, self.optional, self.level = name, run, optional, level


def _wide(function: MFunction, arch: Arch, options: Options) -> None:
    """Combined before counters and the parts of addresses have been looked for."""
    combine.run(function, arch, options, sums=False)


def _repeats(function: MFunction, arch: Arch, options: Options) -> None:
    """What several bodies of branches computed, each for itself, is computed once where they have become one block."""
    if function.converted:
        cse.run(function, arch, options, compares=False)
        copies.run(function, arch, options)
        dead.run(function, arch, options)


def _registers(function: MFunction, arch: Arch, options: Options) -> None:
    """Registers as `fit` has tried them, or else found now."""
    trial, function.trial = function.trial, None
    if trial is not None:
        trial.take()
    else:
        allocate.run(function, arch, options)


PASSES = [
    Pass("reach", flow.drop_unreachable, optional=False, level=0),
    Pass("native", native.run, optional=False, level=0),
    Pass("webs", webs.run),
    Pass("overwritten", dead.run),
    Pass("wide", _wide),
    Pass("copies", copies.run),
    Pass("cse", cse.run),
    Pass("products", products.run),
    Pass("unroll", unroll.run),
    Pass("aggregate", aggregate.run),
    Pass("bits", bits.run),
    Pass("addresses", addresses.run),
    Pass("chains", chains.run),
    Pass("copies-again", copies.run),
    Pass("dead", dead.run),
    Pass("combine", combine.run),
    Pass("sums", sums.run),
    Pass("dead-again", dead.run),
    Pass("lift", lift.run),
    Pass("vectorise", vectorise.run),
    Pass("parameters", parameters.run),
    Pass("invariant", invariant.run),
    Pass("constants", constants.run),
    Pass("exits", flow.thread_exits),
    Pass("predicate", ifconvert.run),
    Pass("layout", layout.run),
    Pass("straighten", flow.straighten),
    Pass("repeats", _repeats),
    Pass("prologue", prologue.run),
    Pass("hoist", hoist.run),
    Pass("doubles", doubles.run),
    Pass("ahead", ahead.run),
    Pass("inplace", inplace.run),
    Pass("carried", carried.run),
    Pass("rotate", rotate.run),
    Pass("groups", groups.run),
    Pass("coalesce", coalesce.run),
    Pass("bittest", bittest.run),
    Pass("renew", renew.run),
    Pass("parts", parts.run),
    Pass("schedule", fit.run),
    Pass("regalloc", _registers, optional=False, level=0),
    Pass("banks", banks.run),
    Pass("moves", flow.drop_idle, optional=False, level=0),
    Pass("zeros", zeros.run),
    Pass("balance", balance.run),
    Pass("reschedule", schedule.run),
    Pass("control", control.run, optional=False, level=0),
]
NAMES = tuple(p.name for p in PASSES)


def check(options: Options) -> None:
    """A pass name that does not exist, or cannot be disabled, is a `CompileError`."""
    passes.check(options, PASSES, "ptxas", EXIT_PTXAS)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Run the passes over one lowered function."""
    allocated = False
    if options.verify:
        from minicc.ptxas import verify

        verify.verify(function, "lowering")
    for p in PASSES:
        if p.name not in options.disable and options.opt_level >= p.level:
            start = time.process_time()
            p.run(function, arch, options)
            passes.clock(options, p.name, start)
        allocated = allocated or p.name == "regalloc"
        if options.verify:
            verify.verify(function, p.name, allocated=allocated)
        if passes.dumped(options, p.name):
            from minicc.ptxas import dump

            text = dump.function_text(function, controls=p.name == "control")
            options.dumps.append((p.name, function.name, text))
        if options.stop_after == p.name:
            return
