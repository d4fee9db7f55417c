"""`select`: one LLVM module -> one PTX module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.arch.schema import Arch
from minicc.isel import pipeline
from minicc.isel.emit.debug import Locations
from minicc.isel.emit.globals import Globals, linkage, ptx_names, referenced
from minicc.isel.lower.calls import is_kernel
from minicc.isel.lower.lower import Lowering
from minicc.isel.options import Options
from minicc.nvvm import ir
from minicc.ptx import model as ptx

if TYPE_CHECKING:
    from minicc.isel.cover.explain import Explanation
    from minicc.isel.emit.dwarf import DebugInfo


def select(module: ir.Module, arch: Arch, options: Options, explanation: Explanation | None = None) -> ptx.Module:
    """PTX of an optimised, prepared module. `explanation`, if given, receives what was weighed for each instruction.

    The module is consumed (pure instructions are moved). A construct without a pattern is a `CompileError`.
    """
    names = ptx_names(module)
    out = ptx.Module(arch.ptx_version, arch.name)
    if options.debug == "full":
        out.target_options = ("debug",)
    locations = Locations(module)
    debug = None
    if options.debug == "full":
        from minicc.isel.emit.dwarf import DebugInfo

        debug = DebugInfo(module, locations)
    if debug is not None:
        debug.begin()
    called = _calls(module)
    order = _callees_first(module, called)
    variables = Globals(module, names)
    declared = set(variables.addressed())
    out.functions = [_declaration(module, module.functions[f], names, arch, options) for f in variables.addressed()]
    out.variables = variables.variables()
    out.order = [*out.functions, *out.variables]
    annotations = _annotations(module)
    if annotations:
        for name, function in module.functions.items():
            if name in annotations and "kernel" in annotations[name]:
                function.cc = "ptx_kernel"
    for number, function in enumerate(order):
        for callee in called.get(function.name, []):
            if callee not in declared and callee in module.functions:
                prototype = _declaration(module, module.functions[callee], names, arch, options)
                declared.add(callee)
                out.order.append(prototype)
                out.functions.append(prototype)
        if not function.blocks:
            continue
        made = _function(module, function, names, arch, options, number, locations, annotations, explanation, debug)
        declared.add(function.name)
        out.functions.append(made)
        out.order.append(made)
    out.sections = locations.sections()
    if debug is not None:
        debug.variables(names)
        out.sections += debug.sections()
    out.files = locations.files
    return out


def _function(
    module: ir.Module, function: ir.Function, names: dict[str, str], arch: Arch, options: Options, number: int,
    locations: Locations, annotations: dict[str, dict[str, int]], explanation: Explanation | None,
    debug: DebugInfo | None = None,
) -> ptx.Function:  # fmt: skip
    lowering = Lowering(module, function, names, arch, options)
    work = pipeline.Work(lowering, arch, options, number, locations, options.explain or explanation is not None)
    emitter = pipeline.run(work)
    made = _header(lowering, function, names, annotations)
    made.body = emitter.out
    made.reg_ranges = emitter.declarations()
    if lowering.depot_size:
        depot = ptx.Variable(emitter.depot_name, "local", "b8", lowering.depot_align, (lowering.depot_size,))
        made.body.insert(0, depot)
    if debug is not None:
        debug.function(function, made, number, lowering.frame)
    if explanation is not None:
        first = options.how == "first-match"
        explanation.add(function.name, made.body, emitter.explained, work.cover.database, first)
    return made


def _header(
    lowering: Lowering, function: ir.Function, names: dict[str, str], annotations: dict[str, dict[str, int]]
) -> ptx.Function:
    kernel = is_kernel(function)
    attributes = [arg.attributes for arg in function.args]
    name = names[function.name]
    returns, params = lowering.signature(name, function.type, attributes, kernel)
    link = linkage(function.linkage, not function.blocks)
    made = ptx.Function(name, kernel, params, returns, linkage=link)  # type: ignore[arg-type]
    if kernel and link == "":
        made.linkage = "visible"
    if kernel:
        made.directives = _directives(function, annotations.get(function.name, {}))
    elif "noreturn" in function.attributes:
        made.directives = [("noreturn", ())]
    return made


def _declaration(
    module: ir.Module, function: ir.Function, names: dict[str, str], arch: Arch, options: Options
) -> ptx.Function:
    lowering = Lowering(module, function, names, arch, options)
    made = _header(lowering, function, names, {})
    if not function.blocks:
        made.linkage = "extern"
    return made


def _directives(function: ir.Function, notes: dict[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """Performance directives from function attributes, or from the older !nvvm.annotations."""
    out: list[tuple[str, tuple[int, ...]]] = []
    attributes = function.attributes
    for key, directive in (
        ("nvvm.maxntid", "maxntid"),
        ("nvvm.reqntid", "reqntid"),
        ("nvvm.minctasm", "minnctapersm"),
        ("nvvm.maxnreg", "maxnreg"),
        ("nvvm.cluster_dim", "reqnctapercluster"),
        ("nvvm.maxclusterrank", "maxclusterrank"),
    ):
        if key in attributes:
            values = tuple(int(v) for v in str(attributes[key]).split(",") if v.strip())
            if directive in ("maxntid", "reqntid"):
                values = (*values, 1, 1)[:3]
            out.append((directive, values))
    for directive, keys in (
        ("maxntid", ("maxntidx", "maxntidy", "maxntidz")),
        ("reqntid", ("reqntidx", "reqntidy", "reqntidz")),
    ):
        if keys[0] in notes:
            out.append((directive, tuple(notes.get(k, 1) for k in keys)))
    if "minctasm" in notes:
        out.append(("minnctapersm", (notes["minctasm"],)))
    if "maxnreg" in notes:
        out.append(("maxnreg", (notes["maxnreg"],)))
    return out


def _annotations(module: ir.Module) -> dict[str, dict[str, int]]:
    """!nvvm.annotations: function -> {key: value}."""
    out: dict[str, dict[str, int]] = {}
    for ref in module.named_metadata.get("nvvm.annotations", []):
        node = module.node(ref)
        if node is None or not node.items or not isinstance(node.items[0], ir.Global):
            continue
        found = out.setdefault(node.items[0].name, {})
        for key, value in zip(node.items[1::2], node.items[2::2], strict=False):
            if isinstance(key, str) and isinstance(value, ir.ConstInt):
                found[key] = value.value
    return out


def _calls(module: ir.Module) -> dict[str, list[str]]:
    """Functions that each function names (called, or address taken)."""
    out: dict[str, list[str]] = {}
    ours = {name for name in module.functions if not name.startswith("llvm.")}
    for function in module.functions.values():
        found: dict[str, None] = {}
        for inst in function.instructions():
            for value in inst.args if inst.callee is None else [inst.callee, *inst.args]:
                if type(value) is not ir.Inst:
                    found.update(dict.fromkeys(name for name in referenced(value) if name in ours))
        out[function.name] = list(found)
    return out


def _callees_first(module: ir.Module, called: dict[str, list[str]]) -> list[ir.Function]:
    """Functions in an order that needs few forward declarations."""
    done: dict[str, None] = {}
    for root in module.functions:
        stack = [(root, iter(called.get(root, [])))]
        open_ = {root}
        while stack:
            name, rest = stack[-1]
            after = next((c for c in rest if c not in done and c not in open_), None)
            if after is not None:
                open_.add(after)
                stack.append((after, iter(called.get(after, []))))
            else:
                done[name] = None
                stack.pop()
    return [module.functions[name] for name in done if not name.startswith("llvm.")]
