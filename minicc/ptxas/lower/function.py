"""One kernel or device function: set up frame and parameters, lower each statement, put the control flow in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minicc.arch import Arch
from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.numbers import align_up
from minicc.ptx import model as ptx
from minicc.ptxas.lower import table
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.callgraph import Calls
from minicc.ptxas.lower.cleanup import clean
from minicc.ptxas.lower.contract import contract
from minicc.ptxas.lower.converge import converge
from minicc.ptxas.lower.flatten import Flat, callee, flatten
from minicc.ptxas.lower.symbols import MAX_LOCAL, Symbols, align_of, size_of
from minicc.ptxas.lower.types import bits
from minicc.ptxas.mir import TRUE, MFunction
from minicc.sass.program import Param

if TYPE_CHECKING:
    from minicc.ptxas.dwarf import Places


_LIMITS = ("max_registers", "max_threads", "req_threads", "min_ctas", "reconfigures", "stack_align")
"""What device functions have of the kernel that calls them."""


def lower_kernel(
    function: ptx.Function, symbols: Symbols, arch: Arch, options: Any, made: dict[object, MFunction]
) -> None:
    """Machine IR of one kernel, into `symbols.module`, and of the device functions whose calls were not expanded.
    `made` keeps device functions for the next kernels, which can share one if their limits and the addresses of the
    shared variables are the same."""
    out = MFunction(function.name, True)
    _directives(out, function)
    _asked(out, options)
    calls = symbols.calls
    shared: dict[int, str] = {}
    flat = flatten(function, calls.expanded, shared)
    device = _reached(flat, calls, shared) if calls.bodies else {}
    symbols.place_shared(function.name, [flat, *device.values()])
    symbols.clusters = symbols.clusters or any("cluster" in name for name, _ in function.directives)
    out.reconfigures = _reconfigures(out, [flat, *device.values()], options)
    local = (v for body in (flat, *device.values()) for v in body.variables.values() if v.space == "local")
    out.stack_align = max([out.stack_align, *map(align_of, local)])
    lower_function(out, function, flat, symbols, arch, options)
    out.shared, out.shared_align = symbols.shared_size, symbols.shared_align
    symbols.module.functions.append(out)
    limits = tuple(getattr(out, name) for name in _LIMITS)
    found: list[MFunction] = []
    for name, body in device.items():
        key = (name, limits, symbols.clusters, tuple(symbols.shared.items()))
        inner = made.get(key)
        if inner is None:
            inner = made[key] = MFunction(name, False)
            for limit, value in zip(_LIMITS, limits, strict=True):
                setattr(inner, limit, value)
            lower_function(inner, calls.bodies[name], body, symbols, arch, options)
        found.append(inner)
        out.barriers = max(out.barriers, inner.barriers)
        out.callees += [c for c in inner.callees if c not in out.callees]
    for name in dict.fromkeys(n for f in (out, *found) for n in f.routines):
        from minicc.ptxas.lower.routine import lower_routine

        inner = made.get(name)
        if inner is None:
            inner = made[name] = lower_routine(name, symbols, arch)
        found.append(inner)
    symbols.module.device[out.name] = found


def _reached(flat: Flat, calls: Calls, shared: dict[int, str]) -> dict[str, Flat]:
    """The device functions that a kernel may come to, flattened, in the order met."""
    found: dict[str, Flat] = {}
    queue = [flat]
    while queue:
        wanted: list[str] = []
        for inst in queue.pop(0).statements:
            if isinstance(inst, ptx.Inst) and inst.opcode == "call":
                name = callee(inst)
                if name is None:
                    wanted += calls.pointers
                elif name in calls.bodies:
                    wanted.append(calls.bodies[name].name)
        for name in wanted:
            if name not in found:
                found[name] = flatten(calls.bodies[name], calls.expanded, shared)
                queue.append(found[name])
    return found


def lower_function(
    out: MFunction, function: ptx.Function, flat: Flat, symbols: Symbols, arch: Arch, options: Any
) -> None:
    """Machine IR of one kernel or device function."""
    if getattr(options, "fmad", True):
        contract(flat)
    if options is not None and options.caches:
        from minicc.ptxas.lower import caching

        caching.impose(flat, options)
    b = Builder(out, flat, symbols, arch)
    back = None
    if function.entry:
        _parameters(b, function)
    _locals(b)
    b.constants = constants(b, flat)
    multiplies = any(isinstance(s, ptx.Inst) and s.opcode == "wgmma" for s in flat.statements)
    if multiplies:
        from minicc.ptxas.lower import wgmma

        b.gmma = wgmma.plan(b)
    if not function.entry:
        from minicc.ptxas.lower import abi

        back = abi.enter(b, function)
    b.flat_labels = {s.name for s in flat.statements if isinstance(s, ptx.Label)}
    debug = symbols.module.debug_names
    if debug:
        out.places = _places(b)
        branches = (s for s in flat.statements if isinstance(s, ptx.Inst) and s.opcode == "bra")
        debug = debug - {o.name for s in branches for o in s.operands if isinstance(o, ptx.Symbol)}
    for statement in flat.statements:
        if isinstance(statement, ptx.Label) and statement.name in debug:
            continue
        if isinstance(statement, ptx.Label):
            b.loc = None
            b.start(statement.name)
        else:
            _statement(b, statement)
    if back is not None:
        from minicc.ptxas.lower.control import RETURN

        b.begin_end()
        b.start(RETURN)
        abi.leave(b, function, back)
    elif not b.ended():
        b.emit("EXIT", side=True)
    out.blocks = [*b.blocks, *b.cold]
    out.blocks[0].insts[:0] = b.entry_insts
    if b.has_calls and b.descriptor is not None:
        from minicc.ptxas.lower import abi

        b.descriptor.fixed = abi.SAVED_UNIFORM
    if multiplies:
        wgmma.substitute(b, out)
    out.rolled = flat.rolled
    converge(out, b)
    if multiplies:
        from minicc.ptxas.lower import warpgroup

        warpgroup.finish(out)
    clean(out)


def _reconfigures(out: MFunction, bodies: list[Flat], options: Any) -> bool:
    """Does setmaxnreg count? ptxas leaves it out where launch bounds do not say how many registers there are."""
    if out.max_registers or getattr(options, "max_registers", None):
        return True
    if out.min_ctas and (out.max_threads or out.req_threads):
        return True
    asked = any(isinstance(s, ptx.Inst) and s.opcode == "setmaxnreg" for flat in bodies for s in flat.statements)
    if asked and options is not None:
        options.messages.append(
            "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register "
            "count at entry."
        )
    return False


def _places(b: Builder) -> Places:
    """What the debug sections may ask of the function."""
    from minicc.ptxas.dwarf import Places

    found = Places(locals=dict(b.local_offsets))
    base = b.arch.abi.param_base
    found.addresses = {name: base + at for name, at in b.entry_params.items()} | b.symbols.shared
    for at, statement in enumerate(b.flat.statements):
        if isinstance(statement, ptx.Label):
            found.labels[statement.name] = at
        else:
            found.order[id(statement)] = at
    return found


def _statement(b: Builder, inst: ptx.Inst) -> None:
    b.begin(inst)
    lowering = table.find(inst)
    if lowering is None:
        b.unsupported()
    try:
        if b.guard is not None and table.branching(inst):
            from minicc.ptxas.lower.builder import inv

            guard, b.guard = b.guard, None
            after = b.label("skip")
            b.jump(after, inv(guard))
            lowering(b, inst)
            b.start(after)
        else:
            lowering(b, inst)
    except (ValueError, IndexError, StopIteration, KeyError, TypeError) as error:
        # A form that the table of instructions lets through but the lowering did not expect.
        raise_wrong(inst, error)


def raise_wrong(inst: ptx.Inst, error: Exception) -> None:
    """Unexpected shape of an instruction: an error at its place, not a traceback."""
    from minicc.diagnostics import CompileError, Diagnostic

    diagnostic = Diagnostic("error", "ptxas.operand", f"Arguments mismatch for instruction '{inst.name}'", inst.where)
    raise CompileError(diagnostic, EXIT_PTXAS) from error


def _directives(out: MFunction, function: ptx.Function) -> None:
    for name, values in function.directives:
        full = (*values, 1, 1, 1)[:3] if values else ()
        if name == "maxntid":
            out.max_threads = (full[0], full[1], full[2])
        elif name == "reqntid":
            out.req_threads = (full[0], full[1], full[2])
        elif name == "minnctapersm":
            out.min_ctas = values[0]
        elif name == "maxnreg":
            out.max_registers = values[0]
        elif name in _CLUSTER:
            out.attributes[_CLUSTER[name]] = full if name == "reqnctapercluster" else values[:1] or True


def _asked(out: MFunction, options: Any) -> None:
    """Bounds that options give to kernels."""
    if options is None:
        return
    if options.max_registers and options.override:
        out.max_registers = options.max_registers
    if options.max_threads and (options.override or not (out.max_threads or out.req_threads)):
        x, y, z = (*options.max_threads, 1, 1)[:3]
        out.max_threads = (x, y, z)
    if options.min_ctas and (options.override or not out.min_ctas):
        out.min_ctas = options.min_ctas


def _parameters(b: Builder, function: ptx.Function) -> None:
    at = 0
    for param in function.params:
        size, align = size_of(param), align_of(param)
        base = b.arch.abi.param_base  # alignment is that of the place in the bank
        at = align_up(base + at, align) - base
        b.entry_params[param.name] = at
        if param.linkage == "hidden":
            b.fn.attributes["KPARAM_INFO_V2"] = True
        else:
            b.fn.params.append(Param(len(b.fn.params), at, size))
        at += size
    b.fn.param_bytes = at
    limit = 4096 if b.arch.sm < 70 else 32764
    if at > limit:
        fail(
            "ptxas.parameters",
            f"Entry function '{function.name}' uses too much parameter space ({at:#x} bytes, {limit:#x} max)",
            function.where,
            exit_status=EXIT_PTXAS,
        )


def _locals(b: Builder) -> None:
    at = 0
    if any(isinstance(s, ptx.Inst) and s.opcode == "tex" for s in b.flat.statements):
        from minicc.ptxas.lower.texture import outgoing

        at = outgoing(b.flat)
    for variable in b.flat.variables.values():
        if variable.space == "local":
            at = align_up(at, align_of(variable))
            b.local_offsets[variable.name] = at
            at += size_of(variable)
            if at > MAX_LOCAL:
                fail(
                    "ptxas.local",
                    f"Function uses too much local memory ({at:#x} bytes)",
                    variable.where,
                    exit_status=EXIT_PTXAS,
                )
    b.fn.frame = align_up(at, 8)


def constants(b: Builder, flat: Flat) -> dict[str, int]:
    """PTX registers that have one definition, an unguarded mov of a constant or of a shared or constant address."""
    definitions: dict[str, int] = {}
    candidates: dict[str, int] = {}
    for inst in flat.statements:
        if not isinstance(inst, ptx.Inst):
            continue
        for operand in inst.operands:
            for name in _registers(operand):
                # Any mention as first operand counts as a definition; a store's address does no harm.
                definitions.setdefault(name, 0)
        if inst.operands and inst.opcode not in ("st", "red"):
            for name in _registers(inst.operands[0]):
                definitions[name] = definitions.get(name, 0) + 1
        if inst.opcode == "mov" and inst.guard is None and len(inst.operands) == 2:
            d, source = inst.operands
            if isinstance(d, ptx.Reg) and inst.modifiers and inst.modifiers[-1] != "pred":
                value = _constant(b, source, inst.modifiers[-1])
                if value is not None and value >> bits(inst.modifiers[-1]) in (0, -1):
                    candidates[d.name] = value
    return {
        name: value
        for name, value in candidates.items()
        if definitions.get(name) == 1 and (flat.type_of(name) or "") not in ("", "pred")
    }


def _registers(operand: ptx.Operand | None) -> list[str]:
    if isinstance(operand, ptx.Reg):
        return [operand.name]
    if isinstance(operand, ptx.Vector | ptx.Tuple):
        return [n for item in operand.items for n in _registers(item)]
    if isinstance(operand, ptx.Pair):
        return _registers(operand.first) + _registers(operand.second)
    return []


def _constant(b: Builder, source: ptx.Operand, type_: str) -> int | None:
    if isinstance(source, ptx.Int):
        return source.value
    if isinstance(source, ptx.Float) and 8 * (source.width // 8) == bits(type_):
        return source.bits
    if isinstance(source, ptx.Symbol):
        if (shared := b.symbols.shared.get(source.name)) is not None:
            return None if b.symbols.clusters else shared + source.offset
        if (constant := b.symbols.constants.get(source.name)) is not None:
            return constant + source.offset
        if source.name in b.entry_params:
            return b.arch.abi.param_base + b.entry_params[source.name] + source.offset
    return None


_CLUSTER = {
    "reqnctapercluster": "CTA_PER_CLUSTER", "explicitcluster": "EXPLICIT_CLUSTER",
    "maxclusterrank": "MAX_CLUSTER_RANK", "blocksareclusters": "BLOCKS_ARE_CLUSTERS",
}  # fmt: skip
"""Directive -> record of the cubin."""

__all__ = ["TRUE", "constants", "lower_kernel"]
