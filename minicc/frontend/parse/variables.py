"""Variables: storage, initialisers, deduction of auto, structured bindings."""

from __future__ import annotations

from collections import Counter

from minicc.diagnostics import SourceFile
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.bindings import Bindings
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema import constant
from minicc.frontend.sema.calls import deduced_type
from minicc.frontend.sema.flow import Flow
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type

_MEMORY = ("shared", "constant", "managed")


_NOT_LOCAL = "__constant__, __device__, and __managed__ are not allowed on non-static local variables"


class Variables(Bindings):
    variables: list[ast.Variable]
    """Variables with static storage, in order."""
    numbers: Counter[tuple[ast.Function, str]]
    """How many of them a function has by one name."""
    extern_c: bool = False
    locals: list[ast.Variable]
    """Automatic variables of the functions whose bodies are being read."""
    warned: set[tuple[SourceFile, int]]
    """Which were warned of: templates are read repeatedly."""

    # -- variables

    def declaration_statement(self) -> ast.Stmt:
        at = self.token
        declared = self.declaration()
        return ast.DeclStmt(at, [v for v in declared if v.storage in ("local", "reference")])

    def condition_variable(self) -> ast.Variable:
        specs = self.specifiers()
        assert specs.type is not None
        d = self.declarator(specs.type)
        if self.token.text not in ("=", "{"):
            self.fail("variable declaration in condition must have an initializer", d.name or specs.at)
        return self.variable(specs, d)

    def range_variable(self, e: ast.Expr) -> ast.Stmt:
        """The declaration of a range-based for at the cursor, initialised with `e`."""
        at = self.token
        specs = self.specifiers()
        assert specs.type is not None
        if self.binding_follows():
            return ast.DeclStmt(at, self.structured_binding(specs, e))
        d = self.declarator(specs.type)
        if self.at(","):
            self.fail("for range declaration must declare a single variable", d.name or at)
        return ast.DeclStmt(at, [self.variable(specs, d, e)])

    def variable(self, specs: Specifiers, d: Declarator, value: ast.Expr | None = None) -> ast.Variable:
        """Declare a variable; `value` is its initialiser, where none stands at the cursor."""
        assert d.name is not None
        at = d.name
        if d.owner is not None:
            return self.static_member(specs, d)
        if d.space is not None and self.scope is not d.space:
            outer, self.scope = self.scope, d.space
            try:
                return self.variable(specs, d, value)
            finally:
                self.scope = outer
        local = self.function is not None
        if local and "extern" in specs.words and specs.spaces - {"shared"}:
            return self._declared_outside(specs, d)
        v = ast.Variable(at.text, d.type, at, restrict=d.restrict, scope=self.scope, owner=self.function)
        v.constexpr = "constexpr" in specs.words
        v.align = max(specs.align, d.align)
        if v.constexpr:
            v.type = ty.qualified(v.type, ty.CONST)
        v.extern = "extern" in specs.words or (not local and self.extern_c and not specs.spaces)
        v.internal = "static" in specs.words or (not local and v.type.const and not v.extern)
        v.storage = self._storage(specs, v, local)
        if "inline" in specs.words and specs.spaces and not (self.options.relocatable or self._unshared(specs, v)):
            self.fail(
                "an inline __device__/__constant__/__managed__ variable must have internal linkage when the program is "
                "compiled in whole program mode (-rdc=false)",
                at,
            )
        if v.type.kind == "void":
            self.fail("variable has incomplete type 'void'", at)
        if v.type.kind == "function":
            self.fail("function declarations inside functions are not supported", at)
        if v.type.kind == "record" and not ty.is_complete(v.type):
            self.fail(f"variable has incomplete type '{v.type}'", at)
        self.require_whole(v.type)
        if v.type.record is not None and v.type.record.abstract:
            self.fail(f"variable type '{v.type}' is an abstract class", at)
        # A declarator's name is in scope in its own initialiser.
        declared_type = v.type
        if not deduced_type(declared_type):
            self.declare(at.text, v, at)
        try:
            self.initialiser(v, value)
        except Abandon:
            if deduced_type(v.type):
                v.type = ty.ERROR
                self.scope.names.setdefault(at.text, v)
            elif v.type.kind == "array" and v.type.count < 0:
                v.type = ty.ERROR
            raise
        if deduced_type(declared_type):
            self.check_placeholder(declared_type, v.type, at)
            self.declare(at.text, v, at)
        if v.type.kind == "array" and v.type.count < 0 and v.storage != "dynamic" and not v.extern:
            self.fail("definition of variable with array type needs an explicit size or an initializer", at)
        if (
            "constinit" in specs.words
            and v.init is not None
            and v.type.arithmetic
            and constant.evaluate(v.init) is None
        ):
            self.fail("variable does not have a constant initializer", at)
        if v.constexpr and v.storage == "local" and self._constant_object(v):
            v.storage, v.internal = "static", True
        if v.storage in ("local", "static", "shared", "device", "constant") and not v.extern:
            self.check_destructor(v.type, at, variable=True)
        for _, f in ty.destructors(v.type) if v.storage == "local" else ():
            if f.deleted:
                self.fail(f"attempt to use a deleted function ('{f.name}')", at)
            self.need_body(f)
        if v.storage not in ("local", "reference"):
            v.number = self._number(v)
            self.variables.append(v)
        if local and v.storage in ("local", "shared", "static") and not self.quiet and not self.library:
            self.locals.append(v)
        return v

    def _declared_outside(self, specs: Specifiers, d: Declarator) -> ast.Variable:
        """`extern` in a function: a variable of the namespace around it ([basic.link])."""
        assert d.name is not None
        inner, function = self.scope, self.function
        while self.scope.kind not in ("file", "namespace") and self.scope.parent is not None:
            self.scope = self.scope.parent
        self.function = None
        try:
            v = self.variable(specs, d)
        finally:
            self.scope, self.function = inner, function
        inner.names[d.name.text] = v
        return v

    def _unshared(self, specs: Specifiers, v: ast.Variable) -> bool:
        """No other file can name the variable: it is static or stands in an unnamed namespace."""
        scope: ast.Scope | None = self.scope
        while scope is not None and not (scope.kind == "namespace" and not scope.name):
            scope = scope.parent
        return scope is not None or v.storage in ("shared", "dynamic") or "static" in specs.words

    def unused(self, f: ast.Function, end: int) -> None:
        """Warn of the local variables of `f`, whose body was just read, that nothing names, or that are
        set and not used, or used and not set."""
        own = [v for v in self.locals if v.owner is f]
        self.locals = [v for v in self.locals if v.owner is not f]
        if f.space == "host" or self.pattern or self.quiet or self.library:
            return
        record = f.record.record if f.record is not None else None
        instance = f.template is not None or (record is not None and record.template is not None)
        used = {(v.at.source, v.at.start) for v in own if v.used}
        words: Counter[str] = Counter()
        for v in own:
            place = (v.at.source, v.at.start)
            if place in used or not v.name or v.type.quals & ty.VOLATILE or _does_something(v.type):
                continue
            used.add(place)
            if f.template:
                # Branches that `if constexpr` leaves out are not read.
                words = words or Counter(token.text for token in self.tokens[max(0, end - 20_000) : end])
                if words[v.name] > 1:
                    continue
            self._warn_of(v, "177-D", f'variable "{v.name}" was declared but never referenced', v.at)
        flow = Flow(f, own)
        for v, at in flow.early:
            if v.name and not _does_something(v.type):
                self._warn_of(v, "549-D", f'variable "{v.name}" is used before its value is set', at)
        for v in flow.idle:
            if v.name and not instance and not v.type.quals & ty.VOLATILE and not _does_something(v.type):
                kind = "parameter" if v in f.params else "variable"
                self._warn_of(v, "550-D", f'{kind} "{v.name}" was set but never used', v.at)

    def _warn_of(self, v: ast.Variable, code: str, message: str, at: Token) -> None:
        """Once at each place, of variables that are not marked as unused."""
        begin = v.at.source.text.rfind("\n", 0, v.at.start) + 1
        before, place = v.at.source.text[begin : v.at.start], (at.source, at.start)
        if not any(mark in before for mark in ("maybe_unused", "unused)", "__unused__")) and place not in self.warned:
            self.warned.add(place)
            self.warn(code, message, at)

    def _number(self, v: ast.Variable) -> int:
        if v.owner is None:
            return 0
        self.numbers[v.owner, v.name] += 1
        return self.numbers[v.owner, v.name] - 1

    def static_member(self, specs: Specifiers, d: Declarator) -> ast.Variable:
        assert d.name is not None and d.owner is not None and d.owner.record is not None
        scope = d.owner.record.scope
        found = scope.names.get(d.name.text) if scope is not None else None
        if not isinstance(found, ast.Variable):
            self.fail(f"no member named '{d.name.text}' in '{d.owner}'", d.name)
        found.constexpr = found.constexpr or "constexpr" in specs.words
        self.initialiser(found)
        return found

    def _storage(self, specs: Specifiers, v: ast.Variable, local: bool) -> str:
        spaces = specs.spaces
        at = v.at
        if "thread_local" in specs.words and (spaces or local):
            self.fail("thread-local storage is not supported for the current target", at)
        if "global" in spaces:
            self.fail("'__global__' attribute only applies to functions", at)
        if sum(s in spaces for s in _MEMORY) > 1:
            self.fail("conflicting memory space attributes", at)
        if "managed" in spaces:
            if local:
                self.fail(_NOT_LOCAL, specs.at)
            v.managed = True
            return "device"
        if "shared" in spaces:
            if v.extern or (v.type.kind == "array" and v.type.count < 0):
                if not v.extern:
                    self.fail("definition of variable with array type needs an explicit size or an initializer", at)
                return "dynamic"
            if not local:
                return "shared"
            return "shared"
        if "constant" in spaces:
            if local:
                self.fail(_NOT_LOCAL, specs.at)
            return "constant"
        if "device" in spaces:
            if local and "static" not in specs.words:
                self.fail(_NOT_LOCAL, specs.at)
            return "static" if local else "device"
        if local:
            if "static" in specs.words:
                return "static"
            if v.extern:
                self.fail("extern declarations inside functions are supported for __shared__ variables only", at)
            return "reference" if v.type.kind == "reference" else "local"
        return "host" if not self.library else "device"

    def _constant_object(self, v: ast.Variable) -> bool:
        """A constexpr object of a function of the device that memory may hold once and for all: its initialiser may
        ask objects of the host, which the device cannot."""
        device = self.function is not None and self.function.space != "host" and not self.function.both
        return (
            device
            and not self.library
            and v.type.aggregate
            and v.init is not None
            and not ty.destructors(v.type)
            and constant.cells(v.init, v.type) is not None
        )


def _does_something(t: Type) -> bool:
    """An object of the type is of use by its constructor or destructor."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    return t.record is not None and bool(t.record.constructors or t.record.destructor)


def _of_objects(f: object) -> bool:
    """A member function that is not static."""
    return isinstance(f, ast.Function) and f.this is not None
