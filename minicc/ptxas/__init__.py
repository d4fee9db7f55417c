"""PTX to machine code: `assemble`.

Lowering (`lower`) makes machine IR over virtual registers; the passes of `pipeline.PASSES` turn it into scheduled,
allocated code with control codes; `emit` encodes it.
"""

from __future__ import annotations

import gc
import time

from minicc import passes, shares
from minicc.arch.schema import Arch
from minicc.diagnostics import EXIT_PTXAS, CompileError, Diagnostic, fail
from minicc.ptx import model
from minicc.ptxas import emit, pipeline, report
from minicc.ptxas.mir import MFunction
from minicc.ptxas.options import LEAST_REGISTERS, Options
from minicc.ptxas.registers import allocate
from minicc.sass.program import Function, Program


def assemble(module: model.Module, arch: Arch, options: Options) -> Program:
    """Compile a PTX module. Errors of the PTX, and limits that cannot be met, are a `CompileError` with ptxas's exit
    status. `options.messages` gets what ptxas would print. Nothing here makes garbage that counting does not free, and
    looking for it would double the time of large modules: the collector rests meanwhile."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _assemble(module, arch, options)
    finally:
        if collecting:
            gc.enable()


def _assemble(module: model.Module, arch: Arch, options: Options) -> Program:
    from minicc.ptx import verify
    from minicc.ptxas.lower import lower
    from minicc.ptxas.lower.routine import narrow

    if not arch.sass:
        compute = arch.name.replace("sm_", "compute_")
        fail(
            "ptxas.no-machine-code",
            f"there is PTX for {arch.name} but no machine code; use -ptx, or -arch={compute} -code={compute}",
        )
    pipeline.check(options)
    start = time.process_time()
    found = verify(module, arch, options.selected)
    passes.clock(options, "verify", start)
    _stop_at_errors(found, strict=options.warnings == "errors")
    if options.warnings == "shown":
        options.messages.extend(d.render() for d in found if d.severity == "warning")
    start = time.process_time()
    try:
        lowered = lower(module, arch, options)
    except Exception:
        _stop_at_errors(verify(module, arch) if options.selected else [])
        raise
    passes.clock(options, "lower", start)
    if options.verbose:
        options.messages.extend(report.head(lowered))
    done: set[int] = set()

    def make(function: MFunction) -> tuple[Function | None, list[str]]:
        """Its code, unless a pass is asked for, and what there is to say."""
        start, said = time.perf_counter(), len(options.messages)
        asked = function.max_registers
        if asked is not None and asked < LEAST_REGISTERS:
            options.warn(
                f"For entry {function.name} adjusting per thread register count of {asked} to lower "
                f"bound of {LEAST_REGISTERS}"
            )
            function.max_registers = LEAST_REGISTERS
        if what := allocate.beyond(function, arch):
            options.warn(f"Value of {what} for entry {function.name} is out of range. .minnctapersm will be ignored")
        parts = {part.name: part for part in (function, *lowered.device.get(function.name, ()))}
        for part in sorted(parts.values(), key=lambda part: bool(part.routines)):
            if id(part) not in done:
                done.add(id(part))
                narrow(part, parts)
                pipeline.run(part, arch, options)
        made = None
        if options.stop_after is None or options.stop_after == pipeline.NAMES[-1]:
            last = time.process_time()
            made = emit.emit(function, lowered, arch, options)
            passes.clock(options, "emit", last)
            if options.verbose:
                spent = (time.perf_counter() - start) * 1000
                options.messages.extend(report.function_lines(function, made, arch.name, spent))
            report.warn(function, made, options)
        messages = options.messages[said:]
        del options.messages[said:]
        return made, messages

    sizes = [sum(len(block.insts) for block in function.blocks) for function in lowered.functions]
    if options.dump_after or options.stop_after or options.time_passes:
        made = [make(function) for function in lowered.functions]
    else:
        made = shares.each(lowered.functions, sizes, make)
    functions = [code for code, _ in made if code is not None]
    for _, messages in made:
        options.messages.extend(messages)
    options.messages.extend(passes.report(options, "ptxas"))
    out = emit.program(lowered, functions, arch)
    target = int(module.target.partition("_")[2].rstrip("af"))
    out.virtual = target if target != arch.sm else 0
    return out


def _stop_at_errors(found: list[Diagnostic], strict: bool = False) -> None:
    errors = [d for d in found if d.severity == "error" or strict]
    if errors:
        raise CompileError(errors, EXIT_PTXAS)


__all__ = ["Options", "assemble"]
