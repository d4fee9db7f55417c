"""Which functions are emitted: kernels, and what they reach."""

from __future__ import annotations

from minicc.diagnostics import CompileError, Diagnostic, SourceFile
from minicc.frontend import ast, mangle, types
from minicc.frontend.emit.layout import NotStatic
from minicc.frontend.emit.module import Module
from minicc.frontend.emit.statements import FunctionEmitter
from minicc.frontend.options import Options
from minicc.frontend.parser import Parser
from minicc.graphs import cycles


def emit(parsed: Parser, source: SourceFile, options: Options, host: bool = False) -> str:
    """The module's text. With `host` every plain device function is emitted, for the machine at hand (tests)."""
    module = Module(options, source.name, host)
    if options.debug != "none" and not host:
        from minicc.frontend.emit.debug import DebugInfo

        module.debug = DebugInfo(module, options.debug)
        module.debug.start(source.name)
    for v in parsed.variables:
        # Variables that the host can name exist whether or not a kernel uses them.
        if v.storage in ("device", "constant") and v.owner is None and not v.extern and not host and not v.internal:
            try:
                module.variable_pointer(v)
            except NotStatic:
                text = f"dynamic initialization is not supported for variable '{v.name}' with static storage"
                raise CompileError(Diagnostic("error", "frontend.unsupported", text, v.at.span)) from None
    roots = [f for f in parsed.functions if f.space == "global" or (host and f.space == "device" and not f.library)]
    options.signatures = {f.name: mangle.signature(f) for f in roots if f.extern_c}
    module.tensor = "__wmma_mma" in parsed.known
    module.recursive = _recursive(parsed.functions)
    module.destructors = any(f.name.startswith("~") for f in parsed.functions)
    for f in roots:
        module.function_symbol(f)
    at = 0
    while at < len(module.queue):
        f = module.queue[at]
        at += 1
        if f.body is None:
            text = f"function '{f.name}' is called but has no definition"
            if options.relocatable:
                text += "; -rdc=true does not link it from another file here"
            raise CompileError(Diagnostic("error", "frontend.undefined", text, f.at.span))
        module.bodies.append(FunctionEmitter(module, f).run())
    return module.render()


def _recursive(functions: list[ast.Function]) -> set[int]:
    """Functions on a cycle of calls: those cannot all be inlined."""
    number = {id(f): n for n, f in enumerate(functions)}
    succs = [[number[called] for called in _callees(f) if called in number] for f in functions]
    return {id(functions[n]) for n in cycles(succs)}


def _callees(f: ast.Function) -> list[int]:
    out: list[int] = []
    seen: set[int] = set()
    work: list[object] = [f.body, [e for _, e in f.inits], [e for _, e in f.base_inits]]
    while work:
        node = work.pop()
        if isinstance(node, list | tuple):
            work.extend(node)
            continue
        if not isinstance(node, ast.Expr | ast.Stmt | ast.Variable):
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ast.Variable):
            work.append(node.init)
            if node.storage == "local":
                out += [id(g) for _, g in types.destructors(node.type)]
            continue
        if isinstance(node, ast.Call | ast.Construct | ast.FunctionAddress):
            out.append(id(node.function))
        work.extend(ast.children(node))
    return out
