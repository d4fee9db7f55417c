"""Declarations: variables, functions, namespaces, typedefs, linkage blocks."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator, Specifiers
from minicc.frontend.parse.statements import Statements
from minicc.frontend.sema import constant
from minicc.frontend.sema.convert import common_type
from minicc.frontend.sema.initialise import BracedList
from minicc.frontend.tokens import EOF, STRING, Token
from minicc.frontend.types import Field, Type

_MEMORY = ("shared", "constant", "managed")


class Declarations(Statements):
    variables: list[ast.Variable]
    """Variables with static storage, in order."""
    extern_c: bool = False
    library: bool = False
    """Reading our own library: host rules do not apply."""
    strict: bool = False

    # -- top level

    def declarations(self, until: str = "") -> None:
        """Declarations to the end of the file (or to `until`), each error contained in its own."""
        here, nest = self.scope, self.nest
        while self.token.kind != EOF and not (until and self.at(until)):
            start = self.i
            try:
                self.declaration()
                if not until:
                    self.finish_todo()
            except Abandon:
                if self.quiet:
                    raise
                self.scope, self.nest, self.function = here, nest, None
                self.greater_ends = False
                self.switches, self.loops = [], 0
                if self.i == start or self.tokens[self.i - 1].text not in ("}", ";"):
                    self.recover()
                if self.i == start or (self.at("}") and not until):
                    self.i += 1

    def finish_todo(self) -> None:
        """Parse the bodies that were put off."""
        while self.todo:
            self.finish(self.todo.pop(0))

    def declaration(self) -> list[ast.Variable]:
        token = self.token
        text = token.text
        if text == ";" and token.kind is not STRING:
            self.i += 1
            return []
        if text == "extern" and self.peek().kind == STRING:
            self._linkage()
            return []
        if text == "namespace" or (text == "inline" and self.peek().text == "namespace"):
            self._namespace()
            return []
        if text == "using":
            self._using()
            return []
        if text == "static_assert" or text == "_Static_assert":
            self.static_assert()
            return []
        if text == "template":
            self.template_declaration()
            return []
        if text == "asm":
            self.fail("file-scope asm is not supported", token)
        if token.kind == "pragma":
            self.take()
            files: list[str] = []
            while self.token.kind not in ("pragma", EOF):
                files.append(self.take().text)
            if token.text == "minicc_library":
                self.offer(files)
            self.take()
            return []
        specs = self.specifiers(need_type=False)
        if specs.type is None:
            self._no_type()
        if self.accept(";"):
            if not specs.defined:
                self.warn("frontend.empty-declaration", "declaration does not declare anything", specs.at)
            return []
        return self._declarators(specs)

    def offer(self, files: list[str]) -> None:
        """Make the functions of library files known, for a header of ours."""
        raise NotImplementedError

    def _declarators(self, specs: Specifiers) -> list[ast.Variable]:
        assert specs.type is not None
        out: list[ast.Variable] = []
        first = True
        while True:
            d = self.declarator(specs.type)
            if d.type.kind == "function" and d.params is not None and "typedef" not in specs.words:
                f = self.function_declarator(specs, d)
                if self.at("{") or (self.at(":") and f.constructor):
                    if not first:
                        self.fail("expected ';' after top level declarator", self.token, code="frontend.syntax")
                    self.function_body(f, d)
                    return out
            elif "typedef" in specs.words:
                assert d.name is not None
                self._typedef(d)
            else:
                out.append(self.variable(specs, d))
            first = False
            if not self.accept(","):
                break
        if self.at(":") and self.function is not None:
            self.i += 1
            return out
        after = "after top level declarator" if self.function is None else "at end of declaration"
        self.expect(";", after)
        return out

    def _typedef(self, d: Declarator) -> None:
        assert d.name is not None
        name = d.name.text
        old = self.scope.names.get(name)
        if isinstance(old, Type) and old is not d.type:
            self.fail(
                f"typedef redefinition with different types ('{d.type}' vs '{old}')",
                d.name,
                code="frontend.redefinition",
            )
        if d.type.record is not None and d.type.record.name.startswith("(unnamed") and not d.type.quals:
            # typedef struct { ... } Name: the typedef names it for linkage.
            d.type.record.name = name
            d.type.name = name
        self.declare(name, d.type, d.name)

    def _linkage(self) -> None:
        self.i += 1
        language = self.take()
        if language.text not in ('"C"', '"C++"'):
            self.fail("unknown linkage language", language)
        outer, self.extern_c = self.extern_c, language.text == '"C"'
        try:
            if self.accept("{"):
                self.declarations("}")
                self.expect("}")
            else:
                self.declaration()
        finally:
            self.extern_c = outer

    def _namespace(self) -> None:
        self.accept("inline")
        self.i += 1
        outer = self.scope
        names = [] if self.at("{") else [self.identifier().text]
        if self.accept("="):
            entity, _ = self.qualified()
            self.expect(";")
            outer.names[names[0]] = entity
            return
        while self.accept("::"):
            names.append(self.identifier().text)
        for name in names or [""]:
            found = self.scope.names.get(name)
            if not isinstance(found, ast.Scope):
                found = ast.Scope("namespace", self.scope, name=name)
                if name:
                    self.scope.names[name] = found
                else:
                    self.scope.using.append(found)
            self.scope = found
        self.expect("{")
        self.enter(self.token)
        self.declarations("}")
        self.nest -= 1
        self.expect("}")
        self.scope = outer

    def _using(self) -> None:
        self.i += 1
        if self.accept("namespace"):
            entity, name = self.qualified()
            self.expect(";", "after namespace name")
            if not isinstance(entity, ast.Scope):
                self.fail(f"'{name.text}' is not a namespace", name)
            self.scope.using.append(entity)
            return
        if self.peek().text == "=":
            name = self.identifier()
            self.i += 1
            t = self.type_name()
            self.expect(";", "after alias declaration")
            self.declare(name.text, t, name)
            return
        self.accept("typename")
        entity, name = self.qualified()
        self.expect(";", "after using declaration")
        self.scope.names[name.text] = entity

    def static_assert(self) -> None:
        at = self.take()
        self.expect("(", "after 'static_assert'")
        e = self.conditional_expression()
        message = ""
        if self.accept(","):
            if self.token.kind != STRING:
                self.fail("expected string literal for diagnostic message in static_assert", self.token)
            message = ": " + self.take().text[1:-1]
        self.expect(")")
        self.expect(";", "after 'static_assert'")
        value = constant.truth(self.condition(e))
        if value is None:
            self.fail("static assertion expression is not an integral constant expression", e.at)
        if not value:
            self.report("frontend.static-assert", f"static assertion failed{message}", at)

    # -- variables

    def declaration_statement(self) -> ast.Stmt:
        at = self.token
        declared = self.declaration()
        return ast.DeclStmt(at, [v for v in declared if v.storage in ("local", "reference")])

    def condition_variable(self) -> ast.Variable:
        specs = self.specifiers()
        assert specs.type is not None
        d = self.declarator(specs.type)
        return self.variable(specs, d)

    def variable(self, specs: Specifiers, d: Declarator) -> ast.Variable:
        assert d.name is not None
        at = d.name
        if d.owner is not None:
            return self._static_member(specs, d)
        local = self.function is not None
        v = ast.Variable(at.text, d.type, at, restrict=d.restrict, scope=self.scope, owner=self.function)
        v.constexpr = "constexpr" in specs.words
        v.align = specs.align
        if v.constexpr:
            v.type = ty.qualified(v.type, ty.CONST)
        v.extern = "extern" in specs.words or (not local and self.extern_c and not specs.spaces)
        v.internal = "static" in specs.words or (not local and v.type.const and not v.extern)
        v.storage = self._storage(specs, v, local)
        if v.type.kind == "void":
            self.fail("variable has incomplete type 'void'", at)
        if v.type.kind == "function":
            self.fail("function declarations inside functions are not supported", at)
        if v.type.kind == "record" and not ty.is_complete(v.type):
            self.fail(f"variable has incomplete type '{v.type}'", at)
        if v.type.kind == "pointer" and v.type.elem is not None and v.type.elem.kind == "function":
            self.warn("frontend.function-pointer", "pointers to functions are not supported in device code", at)
        # A declarator's name is in scope in its own initialiser.
        declared_type = v.type
        if not (
            declared_type.kind == "auto"
            or (declared_type.kind == "reference" and declared_type.elem and declared_type.elem.kind == "auto")
        ):
            self.declare(at.text, v, at)
        try:
            self._initialiser(v)
        except Abandon:
            if self._is_auto(v.type):
                v.type = ty.ERROR
                self.scope.names.setdefault(at.text, v)
            elif v.type.kind == "array" and v.type.count < 0:
                v.type = ty.ERROR
            raise
        if self._is_auto(declared_type):
            self.declare(at.text, v, at)
        if v.type.kind == "array" and v.type.count < 0 and v.storage != "dynamic" and not v.extern:
            self.fail("definition of variable with array type needs an explicit size or an initializer", at)
        if v.storage not in ("local", "reference"):
            v.number = self._number(v)
            self.variables.append(v)
        return v

    def _is_auto(self, t: Type) -> bool:
        while t.kind in ("reference", "pointer") and t.elem is not None:
            t = t.elem
        return t.bare.kind == "auto"

    def _number(self, v: ast.Variable) -> int:
        return sum(
            1 for other in self.variables if other.owner is v.owner and other.name == v.name and v.owner is not None
        )

    def _static_member(self, specs: Specifiers, d: Declarator) -> ast.Variable:
        assert d.name is not None and d.owner is not None and d.owner.record is not None
        scope = d.owner.record.scope
        found = scope.names.get(d.name.text) if scope is not None else None
        if not isinstance(found, ast.Variable):
            self.fail(f"no member named '{d.name.text}' in '{d.owner}'", d.name)
        self._initialiser(found)
        return found

    def _storage(self, specs: Specifiers, v: ast.Variable, local: bool) -> str:
        spaces = specs.spaces
        at = v.at
        if "global" in spaces:
            self.fail("'__global__' attribute only applies to functions", at)
        if sum(s in spaces for s in _MEMORY) > 1:
            self.fail("conflicting memory space attributes", at)
        if "managed" in spaces:
            self.fail("__managed__ variables are not supported", at)
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
                self.fail("__constant__ variables must have global scope", at)
            return "constant"
        if "device" in spaces:
            return "static" if local else "device"
        if local:
            if "static" in specs.words:
                return "static"
            if v.extern:
                self.fail("extern declarations inside functions are supported for __shared__ variables only", at)
            return "reference" if v.type.kind == "reference" else "local"
        return "host" if not self.library else "device"

    def _initialiser(self, v: ast.Variable) -> None:
        at = v.at
        if self.at("(") and self._is_auto(v.type) is False:
            args = self.arguments()
            self._construct_variable(v, args)
        elif self.at("=") or self.at("{"):
            direct = not self.accept("=")
            e: ast.Expr = self.braced_list() if self.at("{") else self.assignment()
            if v.storage in ("shared", "dynamic"):
                self.fail("initialization is not supported for __shared__ variables", at)
            if v.storage == "host" and self.function is None and not v.type.const and not self.library:
                # nvcc compiles host variables for the host; here their values are of no use.
                pass
            if self._is_auto(v.type):
                e = self._deduce_auto(v, e)
            if v.type.kind == "reference":
                if isinstance(e, BracedList):
                    assert v.type.elem is not None
                    e = self.braced(e, v.type.elem.bare)
                v.init = self.bind(e, v.type)
            else:
                v.init = self.initialise(v.type, e, at)
            del direct
        else:
            if self._is_auto(v.type):
                self.fail(
                    f"declaration of variable '{v.name}' with deduced type '{v.type}' requires an initializer", at
                )
            if v.type.kind == "reference":
                self.fail(f"declaration of reference variable '{v.name}' requires an initializer", at)
            t = v.type
            while t.kind == "array":
                assert t.elem is not None
                t = t.elem
            if (
                t.record is not None
                and (t.record.constructors or self._needs_construction(t) or t.record.name == "dim3")
                and v.storage not in ("shared", "dynamic")
            ):
                if v.type.kind == "array":
                    parts: list[tuple[int, Field | None, ast.Expr]] = []
                    self._default_element(v.type, 0, parts, at)
                    v.init = ast.Init(v.type, at, parts)
                elif not t.record.has_default:
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
                if v.constexpr and v.value is None and v.type.scalar and v.type.kind != "pointer":
                    self.fail(f"constexpr variable '{v.name}' must be initialized by a constant expression", at)
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
        else:
            v.init = self.initialise(t, args[0], v.at)

    def _deduce_auto(self, v: ast.Variable, e: ast.Expr) -> ast.Expr:
        if isinstance(e, BracedList):
            if len(e.items) != 1:
                self.fail(
                    f"cannot deduce actual type for variable '{v.name}' with type 'auto' from initializer list", v.at
                )
            e = e.items[0][1]
        if isinstance(e, ast.Overloads):
            self.fail("functions as values are not supported in device code", e.at)
        t = v.type
        quals = t.quals
        if t.kind == "reference":
            assert t.elem is not None
            source = e.type if e.lvalue else e.type.bare
            if t.rvalue and not e.lvalue:
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

    # -- functions

    def make_function(self, specs: Specifiers, d: Declarator) -> ast.Function:
        assert d.name is not None
        f = ast.Function(d.name.text, d.type, d.name, d.params or [], d.defaults, scope=self.scope)
        f.space = self._function_space(specs)
        f.noinline = "__noinline__" in specs.words
        f.forceinline = "__forceinline__" in specs.words
        f.static = "static" in specs.words
        f.constexpr = bool({"constexpr", "consteval"} & specs.words)
        f.extern_c = self.extern_c and self.scope.kind in ("file", "namespace")
        f.bounds, f.cluster = specs.bounds, specs.cluster
        f.param_scope = d.param_scope
        f.library, f.strict = self.library, self.strict
        for p in f.params:
            p.owner = f
        for space in ("shared", "constant", "managed"):
            if space in specs.spaces:
                self.fail(f"'__{space}__' attribute only applies to variables", d.name)
        return f

    def _function_space(self, specs: Specifiers) -> str:
        if "global" in specs.spaces:
            if "device" in specs.spaces or "host" in specs.spaces:
                other = "device" if "device" in specs.spaces else "host"
                self.fail(f"'__global__' and '__{other}__' attributes are not compatible", specs.at)
            return "global"
        if "device" in specs.spaces or self.library:
            return "device"
        return "host"

    def function_declarator(self, specs: Specifiers, d: Declarator) -> ast.Function:
        """Declare (or find again) a function."""
        assert d.name is not None
        name = d.name.text
        if d.owner is not None:
            return self._member_definition(specs, d)
        f = self.make_function(specs, d)
        if f.space == "global":
            ret = f.type.elem
            assert ret is not None
            if ret.kind != "void":
                self.fail(f"kernel function type '{f.type}' must have void return type", d.name)
            for p in f.params:
                if p.type.kind == "reference":
                    self.fail("a __global__ function cannot have a parameter with reference type", p.at)
        elif f.bounds:
            self.warn("frontend.launch-bounds", "'__launch_bounds__' is only allowed on a __global__ function", d.name)
        found = self.scope.names.get(name)
        if found is None:
            self.scope.names[name] = [f]
            return f
        if not isinstance(found, list):
            old_at = found.at if isinstance(found, ast.Variable) else None
            notes = [self.note("previous definition is here", old_at)] if old_at else []
            self.fail(
                f"redefinition of '{name}' as different kind of symbol",
                d.name,
                code="frontend.redefinition",
                notes=notes,
            )
        for other in found:
            if isinstance(other, ast.Function) and other.type.params == f.type.params:
                return self._redeclared(other, f, d)
            if isinstance(other, ast.Function) and other.extern_c and f.extern_c:
                self.fail(
                    f"conflicting types for '{name}'",
                    d.name,
                    notes=[self.note("previous declaration is here", other.at)],
                )
        found.append(f)
        return f

    def _redeclared(self, old: ast.Function, new: ast.Function, d: Declarator) -> ast.Function:
        assert d.name is not None
        if old.type.elem is not new.type.elem:
            self.fail(
                "functions that differ only in their return type cannot be overloaded",
                d.name,
                notes=[self.note("previous declaration is here", old.at)],
            )
        if (old.body is not None or old.parsed) and self.at("{"):
            self.fail(
                f"redefinition of '{new.name}'",
                d.name,
                code="frontend.redefinition",
                notes=[self.note("previous definition is here", old.at)],
            )
        if old.space != new.space and not (old.space == "device" and new.space == "host"):
            self.fail(
                f"'{new.name}' was declared with other execution space attributes",
                d.name,
                notes=[self.note("previous declaration is here", old.at)],
            )
        for i, default in enumerate(new.defaults):
            if default is not None:
                old.defaults[i] = default
        old.params, old.param_scope = new.params, new.param_scope
        for p in old.params:
            p.owner = old
        old.at = new.at
        old.bounds = new.bounds or old.bounds
        old.noinline = old.noinline or new.noinline
        old.forceinline = old.forceinline or new.forceinline
        return old

    def _member_definition(self, specs: Specifiers, d: Declarator) -> ast.Function:
        assert (
            d.owner is not None
            and d.name is not None
            and d.owner.record is not None
            and d.owner.record.scope is not None
        )
        found = d.owner.record.scope.names.get(d.name.text)
        for f in found if isinstance(found, list) else ():
            if isinstance(f, ast.Function) and f.type.params == d.type.params and f.this_quals == d.this_quals:
                f.params, f.param_scope = d.params or [], d.param_scope
                if f.param_scope is not None:
                    f.param_scope.parent = d.owner.record.scope
                return f
        self.fail(f"out-of-line definition of '{d.name.text}' does not match any declaration in '{d.owner}'", d.name)

    def function_body(self, f: ast.Function, d: Declarator | None = None) -> None:
        """Parse `{ ... }` of `f` at the cursor."""
        f.parsed = True
        outer = (
            self.function,
            self.scope,
            self.labels,
            self.gotos,
            self.switches,
            self.loops,
            self.greater_ends,
            self.unroll,
        )
        self.function, self.labels, self.gotos, self.switches, self.loops = f, {}, [], [], 0
        self.greater_ends, self.unroll = False, None
        assert f.param_scope is not None
        self.scope = f.param_scope
        for p in f.params:
            if p.type.kind == "record" and not ty.is_complete(p.type):
                self.report("frontend.incomplete", f"variable has incomplete type '{p.type}'", p.at)
        try:
            if self.at(":"):
                self._member_initialisers(f)
            elif f.constructor:
                self._default_members(f, set())
            f.body = self.block(scope=False)
            self.check_labels()
            ret = f.type.elem
            assert ret is not None
            if ret.kind == "auto":
                self.set_return_type(f, ty.VOID)
        finally:
            (
                self.function,
                self.scope,
                self.labels,
                self.gotos,
                self.switches,
                self.loops,
                self.greater_ends,
                self.unroll,
            ) = outer
        self.functions.append(f)

    def finish(self, f: ast.Function) -> None:
        if f.pending is None or f.body is not None or f.pure_at:
            return
        f.pure_at = 1
        tokens, start = f.pending
        saved = self.tokens, self.i, self.library, self.nest, self.strict
        self.tokens, self.i, self.library, self.strict = tokens, start, f.library, f.strict
        try:
            self.function_body(f)
        except Abandon:
            f.body = ast.Block(f.at)
            if self.quiet:
                raise
        finally:
            self.tokens, self.i, self.library, self.nest, self.strict = saved

    def _member_initialisers(self, f: ast.Function) -> None:
        self.i += 1
        record = f.record.record if f.record is not None else None
        assert record is not None
        done: set[str] = set()
        while True:
            name = self.identifier()
            if self.at("<"):
                self.i -= 1
                self.simple_type()
            field = record.find(name.text)
            at = self.token
            base = record.source
            if (
                field is None
                and isinstance(base, Type)
                and record.base is not None
                and name.text in (record.base.name, record.base.template_name)
            ):
                args: list[ast.Expr] = [self.braced_list()] if self.at("{") else self.arguments()
                f.base_init = self.construct(base, args, name)
                done |= {x.name for x in record.base.fields}
            elif field is None:
                self.fail(
                    f"member initializer '{name.text}' does not name a non-static data member or base class", name
                )
            else:
                f.inits.append((field, self._member_value(field, at)))
                done.add(field.name)
            if not self.accept(","):
                break
        self._default_members(f, done)

    def _member_value(self, field: Field, at: Token) -> ast.Expr:
        if self.at("{"):
            e = self.braced(
                self.braced_list(), field.type if field.type.kind != "reference" else field.type.elem or ty.INT
            )
            return self.address_of(self.bind(e, field.type), at) if field.type.kind == "reference" else e
        args = self.arguments()
        if field.type.kind == "reference":
            return self.address_of(self.bind(args[0], field.type), at)
        if field.type.kind == "record":
            return self.construct(field.type.bare, args, at)
        if not args:
            return ast.Zero(field.type.bare, at)
        return self.initialise(field.type, args[0], at)

    def _default_members(self, f: ast.Function, done: set[str]) -> None:
        assert f.record is not None and f.record.record is not None
        inherited = {x.name for x in f.record.record.base.fields} if f.record.record.base else set()
        if (
            inherited
            and not inherited <= done
            and f.record.record.base is not None
            and f.record.record.base.constructors
        ):
            base = f.record.record.source
            assert isinstance(base, Type)
            f.base_init = self.construct(base, [], f.at)
        for field in f.record.record.fields:
            if field.name in done or field.name in inherited:
                continue
            default = self.default_member(f.record, field, f.at)
            if default is not None:
                f.inits.append((field, default))
            elif self._needs_construction(field.type):
                parts: list[tuple[int, Field | None, ast.Expr]] = []
                self._default_element(field.type, 0, parts, f.at)
                f.inits.append(
                    (
                        field,
                        ast.Init(field.type, f.at, parts)
                        if len(parts) != 1 or field.type.kind == "array"
                        else parts[0][2],
                    )
                )

    def default_argument(self, f: ast.Function, index: int, at: Token) -> ast.Expr:
        default = f.defaults[index]
        assert default is not None
        tokens, scope = default
        saved = self.tokens, self.i, self.scope
        self.tokens, self.i = [*tokens, Token(EOF, "", at.source, at.start)], 0
        inner = f.param_scope.parent if f.param_scope is not None else None
        self.scope = inner or scope or self.scope
        try:
            return self.braced_list() if self.at("{") else self.assignment()
        finally:
            self.tokens, self.i, self.scope = saved

    # -- builtins

    def builtin_call(self, builtin: Builtin, args: list[ast.Expr], at: Token) -> ast.Expr:
        how = builtin.how
        if how.startswith("lib:"):
            f = self.library_function(how[4:], builtin)
            self.need_body(f)
            made: ast.Expr = ast.Call(builtin.ret, at, f, args)
            return made
        if how == "same-type":
            return self._generic_builtin(builtin, args, at)
        return ast.BuiltinCall(builtin.ret, at, builtin, args)

    def library_function(self, where: str, builtin: Builtin) -> ast.Function:
        raise NotImplementedError

    def _generic_builtin(self, builtin: Builtin, args: list[ast.Expr], at: Token) -> ast.Expr:
        """Builtins whose result type follows the argument: __ldg and its kind."""
        if not args:
            self.fail(f"no matching function for call to '{builtin.name}'", at)
        pointer = self.decay(args[0])
        t = pointer.type
        ok = (
            t.kind == "pointer"
            and t.elem is not None
            and (t.elem.arithmetic or (t.elem.record is not None and t.elem.record.vector))
        )
        stores = builtin.data.startswith("st")
        if not ok or len(args) != (2 if stores else 1):
            self.fail(f"no matching function for call to '{builtin.name}'", at, code="frontend.no-match")
        assert t.elem is not None
        if stores:
            return ast.BuiltinCall(ty.VOID, at, builtin, [pointer, self.convert(args[1], t.elem, "passing")])
        return ast.BuiltinCall(t.elem.bare, at, builtin, [pointer])


__all__ = ["Declarations", "common_type"]
