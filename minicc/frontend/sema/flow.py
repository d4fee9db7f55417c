"""What nvcc says of a function's variables: #549-D used before they are set, #550-D set and never used.

One walk over a body in the order of its source, as nvcc's front end has it: no flow is followed. A variable is named
that is read before anything sets it, unless a loop or a label lies between its declaration and the use, as then
something below may have set it; one whose address is taken, or that a reference is bound to, may be set and used by
anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minicc.frontend import ast
from minicc.frontend.tokens import Token


class _State:
    def __init__(self, loops: int, set: bool) -> None:
        self.loops = loops
        """How many loops and labels came before the declaration."""
        self.set = set
        """Something may have set it."""
        self.sets = 0
        self.uses = 0


class Flow:
    """`early`: variables used before they are set, and where; `idle`: those that are set and never used."""

    def __init__(self, f: ast.Function, others: list[ast.Variable]) -> None:
        """`others`: what no statement declares, such as shared variables."""
        known = [*f.params, *(v for v in others if v.storage != "local")]
        self.variables = [v for v in known if v.type.kind != "reference"]
        self.states: dict[int, _State] = {id(v): _State(0, True) for v in self.variables}
        self.loops = 0
        self.early: list[tuple[ast.Variable, Token]] = []
        if f.body is not None:
            self._visit(f.body)

    @property
    def idle(self) -> Iterator[ast.Variable]:
        for v in self.variables:
            state = self.states[id(v)]
            if state.sets and not state.uses:
                yield v

    def _declare(self, v: ast.Variable) -> None:
        if v.init is not None:
            (self._escape if v.storage == "reference" else self._visit)(v.init)
        if v.type.kind == "reference":
            return
        record = v.type.record
        given = v.init is not None or v.storage not in ("local", "reference")
        made = record is not None and bool(record.constructors or record.destructor)
        self.states[id(v)] = _State(self.loops, given or made)
        self.variables.append(v)

    def _visit(self, node: ast.Expr | ast.Stmt | None) -> None:
        if node is None:
            return
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        for child in ast.children(node):
            if not isinstance(child, ast.Variable):
                self._visit(child)

    def _name(self, e: ast.Name) -> None:
        state = self.states.get(id(e.variable))
        if state is None:
            return
        state.uses += 1
        if not state.set:
            state.set = True
            if state.loops == self.loops:
                self.early.append((e.variable, e.at))

    def _target(self, e: ast.Expr) -> None:
        """What an assignment sets: a variable, a member, an element of an array."""
        root = root_of(e)
        state = self.states.get(id(root.variable)) if root is not None else None
        if state is None:
            self._visit(e)
            return
        while not isinstance(e, ast.Name):  # Indices are read.
            if isinstance(e, ast.Binary):
                self._visit(e.right)
            e = _inner(e) or e
        state.sets += 1
        state.set = True

    def _escape(self, e: ast.Expr) -> None:
        root = root_of(e)
        state = self.states.get(id(root.variable)) if root is not None else None
        if state is not None:
            state.set = True
        self._visit(e)

    def _assign(self, e: ast.Assign) -> None:
        self._visit(e.right)
        self._target(e.left)

    def _address(self, e: ast.AddressOf) -> None:
        self._escape(e.operand)

    def _cast(self, e: ast.Cast) -> None:
        if e.kind in ("decay", "void", "relabel"):
            self._escape(e.operand)
        else:
            self._visit(e.operand)

    def _element(self, e: ast.Deref) -> None:
        """An element of an array is read as the array is; what a pointer points to is not the pointer."""
        inner = e.operand
        while isinstance(inner, ast.Binary) and isinstance(inner.left, ast.Binary | ast.Cast):
            self._visit(inner.right)
            inner = inner.left
        if isinstance(inner, ast.Cast) and inner.kind == "decay" and isinstance(inner.operand, ast.Name | ast.Deref):
            self._visit(inner.operand)
        else:
            self._visit(inner)

    def _call(self, e: ast.Call | ast.IndirectCall | ast.Construct) -> None:
        called = e.callee.type.elem or e.callee.type if isinstance(e, ast.IndirectCall) else e.function.type
        params = called.params
        this = getattr(e, "this", None)
        if isinstance(this, ast.Expr):
            self._escape(this)
        for k, arg in enumerate(e.args):
            by_reference = k < len(params) and params[k].kind == "reference"
            (self._escape if by_reference else self._visit)(arg)

    def _init(self, e: ast.Init) -> None:
        closure = e.type.record is not None and e.type.record.closure
        for _, _, part in e.parts:
            (self._escape if closure else self._visit)(part)

    def _loop(self, s: ast.Loop) -> None:
        if s.declared is not None:
            self._visit(s.declared)
        self.loops += 1
        for part in (s.condition, s.body, s.step):
            self._visit(part)

    def _label(self, s: ast.Label) -> None:
        self.loops += 1

    def _if(self, s: ast.If) -> None:
        for part in (s.condition, s.then, s.other):
            self._visit(part)

    def _conditional(self, e: ast.Conditional) -> None:
        for part in (e.condition, e.yes, e.no):
            self._visit(part)

    def _asm(self, s: ast.Asm) -> None:
        for _, e in s.inputs:
            self._visit(e)
        for constraint, e in s.outputs:
            (self._escape if "+" in constraint else self._target)(e)

    def _declarations(self, s: ast.DeclStmt) -> None:
        for v in s.variables:
            self._declare(v)

    def _switch(self, s: ast.Switch) -> None:
        self._visit(s.condition)
        self._visit(s.body)


_HANDLERS: dict[type, Callable[[Flow, Any], None]] = {
    ast.Name: Flow._name, ast.Assign: Flow._assign, ast.AddressOf: Flow._address, ast.Cast: Flow._cast,
    ast.Deref: Flow._element, ast.Call: Flow._call, ast.IndirectCall: Flow._call, ast.Construct: Flow._call,
    ast.Init: Flow._init, ast.Loop: Flow._loop, ast.Label: Flow._label, ast.If: Flow._if, ast.Asm: Flow._asm,
    ast.Conditional: Flow._conditional, ast.DeclStmt: Flow._declarations, ast.Switch: Flow._switch,
}  # fmt: skip


def _inner(e: ast.Expr) -> ast.Expr | None:
    """The whole of which `e` is a part."""
    if isinstance(e, ast.Member):
        return e.base
    if isinstance(e, ast.Cast) and e.kind in ("decay", "relabel"):
        return e.operand
    if isinstance(e, ast.Deref):
        return e.operand if root_of(e.operand) is not None else None
    if isinstance(e, ast.Binary) and e.op == "+" and e.type.kind == "pointer":
        return e.left if isinstance(e.left, ast.Cast | ast.Binary) else None
    return None


def root_of(e: ast.Expr) -> ast.Name | None:
    """The variable that holds the object `e`."""
    while not isinstance(e, ast.Name):
        if isinstance(e, ast.Deref) and not _array(e.operand):
            return None
        inner = e.operand if isinstance(e, ast.Deref) else _inner(e)
        if inner is None:
            return None
        e = inner
    return e


def _array(pointer: ast.Expr) -> bool:
    """`pointer` is an array that decayed, or such and an index."""
    while isinstance(pointer, ast.Binary) and pointer.op == "+":
        pointer = pointer.left
    return isinstance(pointer, ast.Cast) and pointer.kind == "decay"
