"""Variables: storage, initialisers, deduction of auto, structured bindings."""

from __future__ import annotations

from collections import Counter

from minicc.diagnostics import SourceFile
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.parse.statements import Statements
from minicc.frontend.sema import constant
from minicc.frontend.sema.access import closed
from minicc.frontend.sema.calls import deduced_type
from minicc.frontend.sema.convert import bit_field, decltype_of, is_xvalue
from minicc.frontend.sema.flow import Flow
from minicc.frontend.sema.initialise import BracedList
from minicc.frontend.sema.wellformed import no_default, undefaultable
from minicc.frontend.tokens import IDENT, Token
from minicc.frontend.types import Field, Type

_MEMORY = ("shared", "constant", "managed")


_NOT_LOCAL = "__constant__, __device__, and __managed__ are not allowed on non-static local variables"


class Variables(Statements):
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
        if self._binding_follows():
            return ast.DeclStmt(at, self._structured_binding(specs, e))
        d = self.declarator(specs.type)
        if self.at(","):
            self.fail("for range declaration must declare a single variable", d.name or at)
        return ast.DeclStmt(at, [self.variable(specs, d, e)])

    def _binding_follows(self) -> bool:
        k = 1 if self.token.text in ("&", "&&") else 0
        return self.peek(k).text == "[" and self.peek(k + 1).kind == IDENT and self.peek(k + 2).text in (",", "]")

    def _structured_binding(self, specs: Specifiers, e: ast.Expr | None = None) -> list[ast.Variable]:
        """`auto [a, b] = e`: a hidden object, and references to its parts."""
        mark = self.token
        by_reference = bool(self.accept("&") or self.accept("&&"))
        at = self.expect("[")
        if specs.type is not None and specs.type.bare.kind not in ("auto", "error"):
            what = f"decomposition declaration cannot be declared with type '{specs.type}'"
            self.fail(f"{what}; declared type must be 'auto' or reference to 'auto'", at)
        names = [self.identifier()]
        while self.accept(","):
            names.append(self.identifier())
        self.expect("]")
        if e is None:
            if self.accept("="):
                e = self.assignment()
            else:
                e = (self.arguments("}" if self.at("{") else ")") or [self.number(0, ty.INT, at)])[0]
        whole = ast.Variable("", e.type, mark, scope=self.scope, owner=self.function)
        quals = specs.quals
        if by_reference:
            rvalue = mark.text == "&&" and (not e.lvalue or is_xvalue(e))
            whole.type, whole.storage = ty.reference(ty.qualified(e.type, quals), rvalue), "reference"
            whole.init = self.bind(e, whole.type)
        else:
            whole.type = ty.qualified(e.type.bare, quals) if e.type.kind != "array" else e.type
            whole.init = e if e.type.kind == "array" else self.initialise(whole.type, e, at)
        t = whole.type.elem if whole.type.kind == "reference" else whole.type
        assert t is not None
        base = ast.Name(t, at, whole, lvalue=True)
        parts: list[ast.Expr]
        if t.kind == "array":
            parts = [self.subscript(base, self.number(k, ty.INT, at), at) for k in range(t.count)]
            declared = [part.type for part in parts]
        elif t.record is not None:
            size = self._tuple_size(t, at)
            if t.record.tag == "union" and size is None:
                self.fail(f"cannot decompose union type '{t}'", at)
            if size is None:
                for f in t.record.fields:
                    hidden = closed(t.record, f.name, self.scope, self.function)
                    if hidden is not None:
                        self.fail(f"cannot decompose {hidden[1]} member '{f.name}' of '{hidden[0].name}'", at)
                parts = [self.member(base, f, at) for f in t.record.fields]
                declared = [
                    f.type if f.type.kind == "reference" else ty.qualified(f.type, t.quals) for f in t.record.fields
                ]
            else:
                parts = [self._tuple_part(base, k, at) for k in range(size)]
                declared = [self._tuple_element(t, k, at) or part.type for k, part in enumerate(parts)]
        else:
            self.fail(f"cannot decompose non-class, non-array type '{t}'", at)
        if len(parts) != len(names):
            self.fail(f"type '{t}' decomposes into {len(parts)} elements, but {len(names)} names were provided", at)
        out = [whole]
        for name, part, type_ in zip(names, parts, declared, strict=True):
            v = ast.Variable(
                name.text, ty.reference(part.type), name, "reference", scope=self.scope, owner=self.function
            )
            if not part.lvalue:
                v.type, v.storage = part.type.bare, "local"
            v.init, v.declared = part, type_
            self.declare(name.text, v, name)
            if bit_field(part) is None:
                out.append(v)
        return out

    def _unnamed_object(self, specs: Specifiers) -> list[ast.Variable]:
        """`union { ... };` in a function: a hidden local object, its members named like variables."""
        assert specs.type is not None
        at = specs.at
        whole = ast.Variable("", specs.type, at, scope=self.scope, owner=self.function)
        out = [whole]

        def name_members(base: ast.Expr) -> None:
            assert base.type.record is not None
            for field in base.type.record.fields:
                part = self.member(base, field, at)
                if field.name:
                    v = ast.Variable(
                        field.name, ty.reference(part.type), at, "reference", scope=self.scope, owner=self.function
                    )
                    v.init, v.used = part, True
                    self.declare(field.name, v, at)
                    if not field.bit_width:
                        out.append(v)
                elif part.type.record is not None:
                    name_members(part)

        name_members(ast.Name(specs.type, at, whole, lvalue=True))
        return out

    def _tuple_size(self, t: Type, at: Token) -> int | None:
        """std::tuple_size<t>::value, where there is such a specialisation."""
        record = t.record
        if record is None or record.vector or record.closure:
            return None
        template = self.standard("tuple_size")
        assert isinstance(template, ast.ClassTemplate)
        self.quiet += 1
        try:
            made = self.class_instance(template, [t.bare], at)
            found = (
                self.find_in(made.record.scope, "value")
                if isinstance(made, Type) and made.record is not None and made.record.scope is not None
                else None
            )
            return self.constant_integer(self.use_variable(found, at), "") if isinstance(found, ast.Variable) else None
        except Abandon:
            return None
        finally:
            self.quiet -= 1

    def _tuple_element(self, t: Type, index: int, at: Token) -> Type | None:
        """std::tuple_element<index, t>::type"""
        template = self.standard("tuple_element")
        assert isinstance(template, ast.ClassTemplate)
        made = self.class_instance(template, [index, t], at)
        scope = made.record.scope if isinstance(made, Type) and made.record is not None else None
        found = self.find_in(scope, "type") if scope is not None else None
        return found if isinstance(found, Type) else None

    def _tuple_part(self, base: ast.Expr, index: int, at: Token) -> ast.Expr:
        """get<index>(base), a member or a function beside the class."""
        record = base.type.record
        assert record is not None
        name = Token(IDENT, "get", at.source, at.start)
        own = self.find_in(record.scope, "get") if record.scope is not None else None
        explicit: list[object] = [index]
        if isinstance(own, list):
            return self.call(ast.Overloads(ty.VOID, name, "get", own, explicit, base), [], at)
        found = self.standard("get")
        functions = list(found) if isinstance(found, list) else []
        return self.call(ast.Overloads(ty.VOID, name, "get", functions, explicit), [base], at)

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
            self._initialiser(v, value)
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
        self._initialiser(found)
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

    def _initialiser(self, v: ast.Variable, value: ast.Expr | None = None) -> None:
        at = v.at
        if value is None and self.at("(") and v.type.kind == "auto" and v.type.template is not None:
            args = self.arguments()
            v.type = self._deduced_type(v.type, args, at)
            self._construct_variable(v, args)
        elif value is None and self.at("(") and deduced_type(v.type) is False:
            args = self.arguments()
            self._construct_variable(v, args)
        elif value is not None or self.at("=") or self.at("{"):
            named = copied = False
            if value is not None:
                e = value
            else:
                copied = self.accept("=") is not None
                named = not self.at("(")
                e = self.braced_list() if self.at("{") else self.assignment()
            if v.type is ty.DECLTYPE_AUTO and not isinstance(e, ast.Overloads | ast.Init):
                v.type = decltype_of(e, named)
                v.storage = "reference" if v.storage == "local" and v.type.kind == "reference" else v.storage
            if v.storage in ("shared", "dynamic"):
                self.fail("initialization is not supported for __shared__ variables", at)
            if v.type.kind == "auto" and v.type.template is not None:
                items = [x for _, x in e.items] if isinstance(e, BracedList) else [e]
                v.type = self._deduced_type(v.type, items, at, e if isinstance(e, BracedList) else None)
            if v.storage == "host" and self.function is None and not v.type.const and not self.library:
                # nvcc compiles host variables for the host; here their values are of no use.
                pass
            if copied and v.type.bare is ty.AUTO and (listed := self.list_type(e)) is not None:
                v.type = ty.qualified(listed, v.type.quals)
            if deduced_type(v.type):
                e = self._deduce_auto(v, e)
            if v.type.kind == "reference":
                v.init = self.bind_list(e, v.type)
            else:
                v.init = self.initialise(v.type, self.initial(e), at)
        else:
            if isinstance(v.type.template, ast.ClassTemplate) and v.type.kind == "auto" and not v.type.template.concept:
                what = "no viable constructor or deduction guide for deduction of template arguments of"
                self.fail(f"{what} '{v.type.template.name}'", at)
            if deduced_type(v.type):
                self.fail(
                    f"declaration of variable '{v.name}' with deduced type '{v.type}' requires an initializer", at
                )
            if v.type.kind == "reference":
                self.fail(f"declaration of reference variable '{v.name}' requires an initializer", at)
            t = v.type
            while t.kind == "array":
                assert t.elem is not None
                t = t.elem
            if t.record is not None and not v.extern and v.storage in ("local", "shared") and undefaultable(t):
                self.fail(no_default(t), at, code="frontend.no-match")
            if (
                t.record is not None
                and (
                    (t.record.constructors and not t.record.has_default)
                    or self._needs_construction(t)
                    or t.record.name == "dim3"
                )
                and v.storage not in ("shared", "dynamic")
            ):
                if v.type.kind == "array":
                    parts: list[tuple[int, Field | None, ast.Expr]] = []
                    self._default_element(v.type, 0, parts, at)
                    v.init = ast.Init(v.type, at, parts)
                else:
                    v.init = (
                        self.default_value(t, at)
                        if t.record.constructors or t.record.name != "dim3"
                        else self.construct(t, [], at)
                    )
            elif v.type.const and v.storage in ("local", "static", "host") and not v.extern and v.type.scalar:
                self.fail(f"default initialization of an object of const type '{v.type}'", at)
        if v.init is not None:
            if v.type.kind == "array" and v.type.count < 0:
                v.type = ty.array(v.type.elem or ty.INT, v.init.type.count)
            if (v.type.const and v.type.scalar and not v.type.volatile) or v.constexpr:
                v.value = constant.evaluate(v.init) if v.type.scalar else None
                varies = v.value is None and (v.type.kind != "pointer" or self._names_automatic(v.init))
                if v.constexpr and v.type.scalar and varies:
                    self.fail(f"constexpr variable '{v.name}' must be initialized by a constant expression", at)
            made = v.init if v.type.kind == "record" else None
            if v.constexpr and isinstance(made, ast.Construct) and not (made.function.constexpr or self.library):
                self.fail(f"constexpr variable '{v.name}' must be initialized by a constant expression", at)
            if v.storage == "host" and v.type.kind == "record" and v.type.const and not v.constexpr:
                v.constant = not v.type.volatile and constant.cells(v.init, v.type) is not None
            if (
                v.storage == "static"
                and v.type.scalar
                and constant.evaluate(v.init) is None
                and v.type.kind != "pointer"
            ):
                self.fail(
                    "dynamic initialization is not supported for a function-scope static variable in device code", at
                )
            if (
                v.storage in ("device", "constant")
                and v.type.scalar
                and v.type.kind != "pointer"
                and constant.evaluate(v.init) is None
            ):
                self.fail(f"dynamic initialization is not supported for __{v.storage}__ variables", at)

    def _names_automatic(self, e: ast.Expr | ast.Stmt | ast.Variable) -> bool:
        """A pointer's value hangs on what a variable of the function holds, or where it lies."""
        if isinstance(e, ast.Name):
            v = e.variable
            own = v.storage in ("local", "param") and v.owner is self.function
            return own and not v.constexpr and v.value is None
        return isinstance(e, ast.Expr) and any(map(self._names_automatic, ast.children(e)))

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

    def _deduced_type(self, t: Type, args: list[ast.Expr], at: Token, listed: ast.Expr | None = None) -> Type:
        """The class that a placeholder stands for."""
        assert isinstance(t.template, ast.ClassTemplate)
        return ty.qualified(self.deduced_class(t.template, args, at, listed), t.quals)

    def _construct_variable(self, v: ast.Variable, args: list[ast.Expr]) -> None:
        t = v.type
        if v.storage in ("shared", "dynamic"):
            self.fail("initialization is not supported for __shared__ variables", v.at)
        if t.kind == "reference":
            if len(args) != 1:
                self.fail(f"excess elements in initializer of type '{t}'", v.at)
            v.init = self.bind(args[0], t)
        elif t.kind == "record":
            v.init = self.construct(t.bare, args, v.at)
        elif len(args) != 1:
            self.fail(f"{'excess elements in' if args else 'expected expression as'} initializer of type '{t}'", v.at)
        elif t.kind == "bool" and args[0].type.kind == "nullptr":
            v.init = self.cast(args[0], t)
        else:
            v.init = self.initialise(t, args[0], v.at)

    def _deduce_auto(self, v: ast.Variable, e: ast.Expr) -> ast.Expr:
        if isinstance(e, BracedList):
            if len(e.items) != 1:
                self.fail(
                    f"cannot deduce actual type for variable '{v.name}' with type 'auto' from initializer list", v.at
                )
            e = e.items[0][1]
        if isinstance(e, ast.Overloads) and e.base is not None and all(_of_objects(f) for f in e.functions):
            self.fail("reference to non-static member function must be called", e.at)
        t = v.type
        quals = t.quals
        if t.kind == "reference":
            assert t.elem is not None
            source = e.type if e.lvalue else e.type.bare
            if t.rvalue and (not e.lvalue or is_xvalue(e)):
                v.type = ty.reference(ty.qualified(source, t.elem.quals), True)
            else:
                v.type = ty.reference(ty.qualified(source, t.elem.quals))
            v.storage = "reference" if v.storage == "local" else v.storage
            return e
        e = self.decay(e)
        if t.kind == "pointer":
            if e.type.kind != "pointer":
                self.fail(f"variable '{v.name}' with type '{t}' has incompatible initializer of type '{e.type}'", v.at)
            assert t.elem is not None and e.type.elem is not None
            v.type = ty.qualified(ty.pointer(ty.qualified(e.type.elem, t.elem.quals)), quals)
            return e
        if e.type.kind == "void":
            self.fail("variable has incomplete type 'void'", v.at)
        v.type = ty.qualified(e.type.bare, quals)
        return e


def _does_something(t: Type) -> bool:
    """An object of the type is of use by its constructor or destructor."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    return t.record is not None and bool(t.record.constructors or t.record.destructor)


def _of_objects(f: object) -> bool:
    """A member function that is not static."""
    return isinstance(f, ast.Function) and f.this is not None
