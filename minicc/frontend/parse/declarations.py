"""Declarations: variables, functions, namespaces, typedefs, linkage blocks."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.member_initialisers import MemberInitialisers
from minicc.frontend.parse.primaries import AUTOMATIC
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema import constant
from minicc.frontend.sema.convert import common_type
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import Record, Type

_BEGINS = frozenset(("template", "namespace", "using", "static_assert"))
"""What never goes on with a declaration."""
_OF_MEMBERS = frozenset(("friend", "virtual", "explicit", "mutable"))
_NO_RETURN = "non-void function does not return a value"


def _falls_through(s: ast.Stmt) -> bool:
    """Control surely may reach the end of the statement: where that takes a closer look, it may not."""
    if isinstance(s, ast.Block):
        return not any(map(_ends, s.items)) and (not s.items or _falls_through(s.items[-1]))
    if isinstance(s, ast.If):
        both = [s.then, s.other] if s.other is not None else []
        return not isinstance(s.condition, ast.Number) and (not both or any(map(_falls_through, both)))
    if isinstance(s, ast.ExprStmt):
        return not isinstance(s.value, ast.Call | ast.BuiltinCall | ast.IndirectCall)
    return isinstance(s, ast.DeclStmt)


def _ends(s: ast.Stmt) -> bool:
    """What follows the statement is surely not reached that way."""
    if isinstance(s, ast.ExprStmt):
        return isinstance(s.value, ast.Call) and s.value.function.noreturn
    return isinstance(s, ast.Return)


class Declarations(MemberInitialisers):
    strict: bool = False
    befriending: Record | None = None
    """The class whose friend declaration is read."""
    parcelled: bool = False
    """The file's brackets match, so that where its declarations end is known."""

    # -- top level

    def declarations(self, until: str = "") -> None:
        """Declarations to the end of the file (or to `until`), each error contained in its own."""
        while self.token.kind != EOF and not (until and self.at(until)):
            end = self._parcel() if self.tokens is self.unit and self.parcelled else self.i
            if end == self.i:
                self._contained(until)
                continue
            # A list of its own: what is put into it (a `>>` in two) does not move the rest of the file.
            last = self.unit[end]
            self.turn = self.tokens = [*self.unit[self.i : end], Token(EOF, "", last.source, last.start, True, True)]
            self.i = 0
            try:
                while self.token.kind != EOF:
                    self._contained(until)
            finally:
                self.turn, self.tokens, self.i = self.unit, self.unit, end

    def _contained(self, until: str) -> None:
        """One declaration, past which reading goes on whatever is wrong with it."""
        here, nest, start = self.scope, self.nest, self.i
        self.deduced.clear()
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

    def _parcel(self) -> int:
        """Index in the file of a place after the cursor where some declaration ends and another begins; that of the
        cursor where a namespace opens."""
        k, depth, tokens = self.i, 0, self.tokens
        if tokens[k].text == "namespace" or tokens[k + 1].text == "namespace" or tokens[k + 1].kind is STRING:
            return k
        while (kind := tokens[k].kind) != EOF:
            if kind is PUNCT:
                text = tokens[k].text
                if text in "({[":
                    depth += 1
                elif text in ")}]":
                    depth -= 1
                    if depth < 0 or (depth == 0 and text == "}" and tokens[k + 1].text in _BEGINS):
                        return k + (depth == 0)
                elif depth == 0 and text == ";":
                    return k + 1
            k += 1
        return k

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
        if text == "extern" and self.peek().text == "template":
            # An instance that another file makes.
            self.skip_declaration()
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
            # The host's: nvcc's device code has none of it.
            self.i += 1
            self.skip_balanced()
            self.expect(";")
            return []
        if token.kind == "pragma":
            self.take()
            files: list[str] = []
            while self.token.kind not in ("pragma", EOF):
                files.append(self.take().text)
            if token.text == "minicc_library":
                self.offer(files)
            self.take()
            return []
        if self.peek().text == "(" and token.kind == IDENT and self.guide_follows():
            self.guide([])
            return []
        if self.function is not None and not self.library:
            self.check_typename()
        if self.function is None:
            autos = self.take_autos()
            if autos:
                self.abbreviated(autos, None)
                return []
        self.named_types = []
        specs = self.specifiers(need_type=False)
        for word in specs.words & _OF_MEMBERS:
            self.fail(f"'{word}' is only allowed in a class", specs.at)
        if specs.type is None and self._is_constructor_outline():
            d = self.constructor_outline()
            f = self._member_definition(specs, d, constructor=True)
            if self.at("=") and self.peek().text == "default":
                at = self.token  # `= default ;` is `{ } ;`
                self.tokens[self.i : self.i + 2] = [Token(PUNCT, text, at.source, at.start) for text in "{}"]
            self.function_body(f, d)
            return []
        if specs.type is None:
            self._no_type()
        if self.accept(";"):
            record = specs.type.record if specs.type is not None else None
            if record is not None and specs.defined and record.name.startswith("(unnamed") and self.function:
                return self.unnamed_object(specs)
            if not specs.defined:
                self.warn("frontend.empty-declaration", "declaration does not declare anything", specs.at)
            return []
        return self._declarators(specs)

    def _check_named_types(self, d: Declarator, f: ast.Function | None) -> None:
        """Types that a declaration at a namespace's level names, which only members and friends may."""
        found = self.named_types if d.owner is None and self.function is None else []
        self.named_types = []
        for record, name in found:
            self.check_type_access(record, name, f)

    def _declarators(self, specs: Specifiers) -> list[ast.Variable]:
        assert specs.type is not None
        out: list[ast.Variable] = []
        first, auto = True, None
        if self.binding_follows():
            out = self.structured_binding(specs)
            self.expect(";", "at end of declaration")
            return out
        while True:
            d = self.declarator(specs.type)
            if d.type.kind == "function" and d.params is not None and "typedef" not in specs.words:
                f = self.function_declarator(specs, d)
                self._check_named_types(d, f)
                if self.at("=") and self.peek().text == "delete":
                    if f.first is not d.name:
                        self.fail("deleted definition must be first declaration", d.name or specs.at)
                    self.i += 2
                    f.deleted = True
                if self.at("{") or (self.at(":") and f.constructor):
                    if self.function is not None:
                        self.fail("function definition is not allowed here", self.token, code="frontend.syntax")
                    if not first:
                        self.fail("expected ';' after top level declarator", self.token, code="frontend.syntax")
                    self.function_body(f, d)
                    return out
            elif "typedef" in specs.words:
                assert d.name is not None
                self._typedef(d, max(specs.align, d.align))
            else:
                self._check_named_types(d, None)
                out.append(self.variable(specs, d))
                meant = _meant_by_auto(d.type, out[-1].type)
                if meant is not None and auto is not None and meant is not auto:
                    what = "'auto'" if specs.type.template is None else "template arguments"
                    self.fail(
                        f"{what} deduced as '{auto}' in declaration of '{out[0].name}' and deduced as '{meant}' in"
                        f" declaration of '{out[-1].name}'",
                        out[-1].at,
                    )
                auto = auto or meant
            first = False
            if not self.accept(","):
                break
        after = "after top level declarator" if self.function is None else "at end of declaration"
        self.expect(";", after)
        return out

    def _typedef(self, d: Declarator, align: int) -> None:
        assert d.name is not None
        name = d.name.text
        old = self.scope.names.get(name)
        if isinstance(old, Type) and old.bare is not d.type.bare:
            self.fail(
                f"typedef redefinition with different types ('{d.type}' vs '{old}')",
                d.name,
                code="frontend.redefinition",
            )
        if d.type.record is not None and d.type.record.name.startswith("(unnamed") and not d.type.quals:
            # typedef struct { ... } Name: the typedef names it for linkage.
            d.type.record.name = name
            d.type.name = name
        elif d.type.kind == "enum" and d.type.name == "(unnamed enum)" and not d.type.quals:
            d.type.name = name
        self.declare(name, d.type, d.name)
        self.scope.names[name] = ty.aligned(d.type, align)

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
        open_names, opened = {""}, self.token
        if self.function is not None and self.peek(2).text != "=":
            self.fail("namespaces can only be defined in global or namespace scope", opened)
        if self.accept("inline"):
            open_names.add(self.peek().text)
        self.i += 1
        outer = self.scope
        self._attributes()
        names = [] if self.at("{") else [self.identifier().text]
        if self.accept("="):
            entity, _ = self.qualified()
            self.expect(";")
            outer.names[names[0]] = entity
            return
        while self.accept("::"):
            if self.accept("inline"):
                open_names.add(self.token.text)
            names.append(self.identifier().text)
        for name in names or [""]:
            found = self.scope.names.get(name)
            if not isinstance(found, ast.Scope):
                found = self.builtin(name) if name == "std" and self.scope.parent is None else None
            if not isinstance(found, ast.Scope):
                found = ast.Scope("namespace", self.scope, name=name)
                found.at = opened
                if name == "cuda" and self.scope.parent is None:
                    found.files = ("integers", "functional")
                    found.names["std"] = self.cuda_std_scope(found)
                if name:
                    self.scope.names[name] = found
                if name in open_names:
                    self.scope.using.append(found)
                    found.inline = bool(name)
            self.scope = found
        self._attributes()
        self.expect("{")
        self.enter(self.token)
        self.declarations("}")
        self.nest -= 1
        self.expect("}")
        self.scope = outer

    def _attributes(self) -> None:
        """Those of a namespace say nothing to the device."""
        while self.at("__attribute__") or (self.at("[") and self.peek().text == "["):
            self.i += self.at("__attribute__")
            self.skip_balanced()

    def _using(self) -> None:
        self.i += 1
        if self.accept("namespace"):
            entity, name = self.qualified()
            self.expect(";", "after namespace name")
            if not isinstance(entity, ast.Scope):
                self.fail(f"'{name.text}' is not a namespace", name)
            self.scope.using.append(entity)
            self.scope.directives.setdefault(id(entity), name)
            return
        if self.accept("enum"):
            at = self.token
            t = self.simple_type()
            self.expect(";", "after using declaration")
            for key, made in t.bare.cache.items():
                if isinstance(key, tuple) and key[0] == "enumerator":
                    value = ast.Variable(str(key[1]), t.bare, self.token, "enumerator", value=made.count)
                    known = self.scope.names.setdefault(value.name, value)
                    if isinstance(known, ast.Variable) and known.type.bare is not t.bare:
                        what = "target of using declaration conflicts with declaration already in scope"
                        self.fail(what, at, notes=[self.note("conflicting declaration", known.at)])
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
        if isinstance(entity, Type) and entity.kind == "auto" and isinstance(entity.template, ast.ClassTemplate):
            entity = entity.template
        known = self.scope.names.get(name.text)
        if entity is self.builtin(name.text) and isinstance(entity, list):
            entity = [*entity]  # What is declared beside it is no built-in function.
        if isinstance(known, list) and isinstance(entity, list):
            entity = known + [f for f in entity if f not in known]
        self.scope.names[name.text] = entity

    def static_assert(self) -> None:
        at, value, message = self.assertion()
        if value is None:
            self.fail("static assertion expression is not an integral constant expression", at)
        if not value:
            self.report("frontend.static-assert", f"static assertion failed{message}", at)

    def assertion(self) -> tuple[Token, bool | None, str]:
        """(place, value if it is a constant, message) of the static assertion at the cursor."""
        self.i += 1
        self.expect("(", "after 'static_assert'")
        at = self.token
        e = self.conditional_expression()
        message = ""
        if self.accept(","):
            if self.token.kind != STRING:
                self.fail("expected string literal for diagnostic message in static_assert", self.token)
            message = ": "
            while self.token.kind == STRING:
                message += self.take().text[1:-1]
        self.expect(")")
        self.expect(";", "after 'static_assert'")
        return at, constant.truth(self.condition(e)), message

    # -- functions

    def make_function(self, specs: Specifiers, d: Declarator) -> ast.Function:
        assert d.name is not None
        if d.type.elem is not None and d.type.elem.kind == "auto":
            self.check_arguments(d.type, specs.at)
        f = ast.Function(d.name.text, d.type, d.name, d.params or [], d.defaults, scope=self.scope)
        f.depth = self.depth
        f.space = self._function_space(specs, d)
        f.both = {"host", "device"} <= set(specs.spaces)
        f.noinline = "__noinline__" in specs.words
        f.forceinline = "__forceinline__" in specs.words
        f.static, f.noreturn = "static" in specs.words, "noreturn" in specs.words
        f.constexpr = bool({"constexpr", "consteval"} & specs.words)
        f.immediate = "consteval" in specs.words
        f.extern_c = self.extern_c and self.scope.kind in ("file", "namespace")
        f.bounds, f.cluster = specs.bounds, specs.cluster
        f.param_scope, f.nothrow = d.param_scope, d.nothrow
        f.library, f.strict = self.library, self.strict
        f.befriended = [self.befriending] if self.befriending is not None else None
        for p in f.params:
            p.owner = f
        for space in ("shared", "constant", "managed"):
            if space in specs.spaces:
                self.fail(f"'__{space}__' attribute only applies to variables", d.name)
        return f

    def _function_space(self, specs: Specifiers, d: Declarator) -> str:
        if "global" in specs.spaces:
            if d.type.variadic:
                self.fail("a __global__ function cannot have ellipsis", d.name or specs.at)
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
        if d.space is not None and self.scope.kind != "template":
            # A definition outside of its namespace.
            outer, space, self.scope, d.space = self.scope, d.space, d.space, None
            try:
                if not isinstance(space.names.get(name), list):
                    where = f"namespace '{space.name}'"
                    self.fail(f"out-of-line definition of '{name}' does not match any declaration in {where}", d.name)
                return self.function_declarator(specs, d)
            finally:
                self.scope = outer
        f = self.make_function(specs, d)
        if d.this_quals:
            self.fail("non-member function cannot have a qualifier", d.name)
        self.check_operator(f)
        if f.space == "global":
            ret = f.type.elem
            assert ret is not None
            if ret.kind != "void":
                self.fail(f"kernel function type '{f.type}' must have void return type", d.name)
            if f.type.variadic:
                self.fail("a __global__ function cannot have ellipsis", d.name)
            moved = next((p for p in f.params if p.type.kind == "reference" and p.type.rvalue), None)
            if moved is not None:
                self.fail("a __global__ function cannot have a parameter with rvalue reference type", moved.at)
        elif f.bounds:
            self.fail("'__launch_bounds__' is only allowed on a __global__ function", d.name)
        self.hide_tag(name)
        found = self.scope.names.get(name)
        if self.function is not None and (found is None or isinstance(found, list)):
            f = self._declared_within(f)
            if found and f in found:
                return f
        elif not self.library and (known := self._announced(f)) is not None:
            if isinstance(found, list):
                self.signatures.append(found, known)
            else:
                found = self.scope.names[name] = [known]
        if found is None:
            if not (name.startswith("__") and f.space == "device" and self.at(";") and self.builtin(name)):
                # What CUDA has, declared as its own headers do, stays what it is.
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
        same = self.signatures.of(found).get(f.type.params)
        for other in found if f.extern_c else ():
            if isinstance(other, ast.Function) and other is not same and other.extern_c:
                self.fail(
                    f"conflicting types for '{name}'",
                    d.name,
                    notes=[self.note("previous declaration is here", other.at)],
                )
        if same is not None:
            return self._redeclared(same, f, d)
        self.signatures.append(found, f)
        return f

    def _declared_within(self, f: ast.Function) -> ast.Function:
        """What a declaration in a function's body names: a function of the namespace around."""
        around = self.lookup(f.name)
        for other in around if isinstance(around, list) else ():
            if isinstance(other, ast.Function) and other.type is f.type:
                return other
        space: ast.Scope | None = self.scope
        while space is not None and space.kind not in ("file", "namespace"):
            space = space.parent
        if space is None:
            return f
        f.scope, known = space, self._announced(f, space)
        if known is None:
            space.announced = space.announced or {}
            space.announced.setdefault(f.name, []).append(f)
        return known or f

    def _announced(self, f: ast.Function, space: ast.Scope | None = None) -> ast.Function | None:
        """The function of this namespace that a body has declared before."""
        before = (space or self.scope).announced or {}
        return next((g for g in before.get(f.name, ()) if g.type.params == f.type.params), None)

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
                if old.defaults[i] is not None:
                    self.fail("redefinition of default argument", new.params[i].at)
                old.defaults[i] = default
        old.befriended = ast.both_befriended(old, new)
        if old.body is None and not old.parsed:
            # What a body was read with stays its own.
            old.params, old.param_scope = new.params, new.param_scope
            for p in old.params:
                p.owner = old
            old.at = new.at
        old.bounds = new.bounds or old.bounds
        old.noinline = old.noinline or new.noinline
        old.forceinline = old.forceinline or new.forceinline
        return old

    def _member_definition(self, specs: Specifiers, d: Declarator, constructor: bool = False) -> ast.Function:
        assert (
            d.owner is not None
            and d.name is not None
            and d.owner.record is not None
            and d.owner.record.scope is not None
        )
        found: object = d.owner.record.scope.names.get(d.name.text)
        if constructor and not d.name.text.startswith(("~", "operator ")):
            found = d.owner.record.constructors
        for f in found if isinstance(found, list) else ():
            if isinstance(f, ast.Function) and f.type.params == d.type.params and f.this_quals == d.this_quals:
                f.params, f.param_scope = d.params or [], d.param_scope
                for p in f.params:
                    p.owner = f
                if f.param_scope is not None:
                    f.param_scope.parent = d.owner.record.scope
                return f
        self.fail(f"out-of-line definition of '{d.name.text}' does not match any declaration in '{d.owner}'", d.name)

    def function_body(self, f: ast.Function, d: Declarator | None = None) -> None:
        """Parse `{ ... }` of `f` at the cursor."""
        f.parsed = True
        with self.having(
            function=f, scope=f.param_scope, labels={}, gotos=[], switches=[], loops=0, greater_ends=False, unroll=None,
            made=None,
        ):  # fmt: skip
            for p in f.params:
                if p.type.kind == "record" and not ty.is_complete(p.type):
                    self.report("frontend.incomplete", f"variable has incomplete type '{p.type}'", p.at)
                self.require_whole(p.type)
            if self.at(":"):
                self.member_initialisers(f)
            elif f.constructor:
                self.default_members(f, set())
            f.body = self.block(scope=False)
            self.check_labels()
            self._check_returns(f)
            if self.locals or f.params:
                self.unused(f, self.i)
            ret = f.type.elem
            assert ret is not None
            if ret.kind == "auto":
                self.set_return_type(f, ty.VOID)
        self.functions.append(f)

    def _check_returns(self, f: ast.Function) -> None:
        """Warn where a function that has a value to return plainly ends without."""
        ret = f.type.elem
        assert ret is not None and f.body is not None
        if ret.kind in ("void", "auto", "error") or f.constructor or f.library or f.noreturn or f.name[:1] == "~":
            return
        if f.space == "host" or self.pattern or not _falls_through(f.body):
            return
        at = f.body.end or f.body.at
        if (at.source, at.start) not in self.warned:
            self.warned.add((at.source, at.start))
            some = any(t.text == "return" for t in self.tokens[self.i - 1 :: -1][:2000] if t.start > f.at.start)
            self.warn("940-D", _NO_RETURN + (" in all control paths" if some else ""), at)

    def finish(self, f: ast.Function) -> None:
        """Parse the body of `f` now."""
        if f.pending is None or f.body is not None or f.pure_at:
            return
        f.pure_at = 1
        tokens, start = f.pending
        with self.having(
            tokens=tokens, i=start, library=f.library, nest=self.nest, strict=f.strict, depth=f.depth
        ):  # fmt: skip
            try:
                self.function_body(f)
            except Abandon:
                f.body = ast.Block(f.at)
                if self.quiet:
                    raise

    def default_argument(self, f: ast.Function, index: int, at: Token) -> ast.Expr:
        default = f.defaults[index]
        assert default is not None
        tokens, scope = default
        tokens = [*tokens, Token(EOF, "", at.source, at.start)]
        inner = f.param_scope.parent if f.param_scope is not None else None
        scope = inner or scope or self.scope
        with self.having(tokens=tokens, i=0, scope=scope, elsewhere=self.elsewhere + 1):
            e = self.braced_list() if self.at("{") else self.assignment()
            if (local := self._local_named(e)) is not None:
                what = f"default argument references local variable '{local.variable.name}' of enclosing function"
                self.fail(what, local.at)
            return e

    def _local_named(self, e: ast.Expr | ast.Stmt | ast.Variable) -> ast.Name | None:
        """A variable of a function whose value an expression asks for."""
        if isinstance(e, ast.Name) and e.variable.storage in AUTOMATIC and e.variable.owner is not None:
            return e if e.variable.name != "this" and e.variable.value is None else None
        parts = ast.children(e) if isinstance(e, ast.Expr) else []
        return next((found for part in parts if (found := self._local_named(part)) is not None), None)

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


def _meant_by_auto(declared: Type, made: Type) -> Type | None:
    """What `auto` stands for, where a variable that was `declared` with it is of the type that was `made`."""
    while declared.kind in ("reference", "pointer"):
        if declared.elem is None or made.elem is None:
            return None
        declared, made = declared.elem, made.elem
    if declared.kind != "auto" or declared is ty.DECLTYPE_AUTO:
        return None
    return ty.qualified(made.bare, made.quals & ~declared.quals)


__all__ = ["Declarations", "common_type"]
