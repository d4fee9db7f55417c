"""Names: lookup of qualified names, template-ids and their arguments, whether a type begins here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import names as builtin_names
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.expressions import Expressions
from minicc.frontend.sema import constant
from minicc.frontend.sema.deduce import STAND_INS, Structural, Typed, unspoken
from minicc.frontend.sema.traits import MAKERS
from minicc.frontend.tokens import EOF, IDENT, PUNCT, Token
from minicc.frontend.types import Field, Record, Type

BASIC = frozenset(
    "void bool char short int long float double signed unsigned wchar_t __int128 char8_t char16_t char32_t".split()
)
SPECIFIERS = frozenset(
    [
        "const",
        "volatile",
        "__restrict__",
        "static",
        "extern",
        "inline",
        "constexpr",
        "typedef",
        "register",
        "mutable",
        "friend",
        "virtual",
        "explicit",
        "thread_local",
        "__thread",
        "__device__",
        "__global__",
        "__host__",
        "__shared__",
        "__constant__",
        "__managed__",
        "__forceinline__",
        "__noinline__",
        "__launch_bounds__",
        "__align__",
        "__attribute__",
        "__cluster_dims__",
        "__maxnreg__",
        "__grid_constant__",
        "__tile_global__",
        "alignas",
        "consteval",
        "constinit",
    ]
)
TAGS = frozenset(("struct", "class", "union", "enum"))
TYPEOF = frozenset(("__typeof__", "__typeof", "typeof"))
_STARTS = BASIC | SPECIFIERS | TAGS | TYPEOF | frozenset(("auto", "decltype", "typename", *MAKERS))


class Names(Expressions):
    type_argument: bool = False
    """A template argument is read, where `T()` is a function's type."""

    structural: dict[tuple[object, ...], Structural]
    """Objects that are template arguments, by value."""
    read_name: tuple[tuple[list[Token], int, ast.Scope, bool], object, Token, int, ast.Scope | None] | None = None
    """The name that was read last to see whether it is a type: where, what it is, its end, what it was looked up in.
    Mostly it is read next."""
    naming_type: bool = False
    """Behind `typename`, where `<` begins arguments without `template`, too."""

    # -- names

    def starts_type(self, ahead: int = 0) -> bool:
        token = self.peek(ahead) if ahead else self.token
        if token.kind != IDENT:
            if token.text == "::" and token.kind == PUNCT:
                return self._qualified_is_type(self.i + ahead)
            return False
        if token.text in _STARTS:
            return True
        if self.peek(ahead + 1).text == "::":
            return self._qualified_is_type(self.i + ahead)
        found = self.lookup(token.text)
        if isinstance(found, ast.ClassTemplate):
            if found.variable:
                return found.concept and self.placeholder_at(self.i + ahead)
            if self.peek(ahead + 1).text == "<":
                return self._qualified_is_type(self.i + ahead)
            return True
        return isinstance(found, Type)

    def _qualified_is_type(self, start: int) -> bool:
        i, scope, found = start, None, None
        tokens = self.tokens
        if tokens[i].text == "::":
            scope = self.global_scope()
            i += 1
        while True:
            token = tokens[i]
            if token.kind != IDENT:
                return False
            if scope is None:
                found = self.lookup_qualifier(token) if tokens[i + 1].text == "::" else self.lookup(token.text)
            else:
                found = self.within(scope, token.text)
            i += 1
            if isinstance(found, ast.ClassTemplate) and found.variable:
                return found.concept and self.placeholder_at(start)
            if (isinstance(found, ast.ClassTemplate) or (isinstance(found, Type) and found.kind == "spec")) and tokens[
                i
            ].text == "<":
                depth = inner = body = 0
                """Of `<`, of all brackets within it, of braces: those of a lambda, where statements end."""
                while True:
                    text = tokens[i].text
                    if text == "" or (text == ";" and not body):
                        return False
                    if tokens[i].kind == PUNCT and text in "([{":
                        inner += 1
                        body += text == "{"
                    elif tokens[i].kind == PUNCT and text in ")]}":
                        inner -= 1
                        body -= text == "}"
                    elif text in ("<", ">", ">>") and not inner:
                        depth += self.brackets(i, depth)
                    i += 1
                    if depth <= 0:
                        break
                if tokens[i].text != "::":
                    return True
                # Foo<T>::name: read it to know.
                return self._reads_as_type(start)
            if tokens[i].text != "::":
                return isinstance(found, Type | ast.ClassTemplate)
            i += 1
            if isinstance(found, ast.Scope):
                scope = found
            elif isinstance(found, Type) and found.record is not None:
                scope = found.record.scope
            elif isinstance(found, Type) and found.kind == "enum":
                return False
            else:
                return False
            if scope is None:
                return False

    def _reads_as_type(self, start: int) -> bool:
        saved, tail, nest, ends = self.i, len(self.tokens), self.nest, self.greater_ends
        self.i = start
        self.quiet += 1
        try:
            entity, name = self.qualified()
            if not self.pattern:
                where = self.tokens, start, self.scope, self.greater_ends
                self.read_name = where, entity, name, self.i, self.qualifier
            return isinstance(entity, Type)
        except Abandon:
            return False
        finally:
            self.quiet -= 1
            self.nest, self.greater_ends = nest, ends
            # Splitting `>>` lengthens the list of tokens.
            self.i = saved if saved <= start else saved + len(self.tokens) - tail

    def global_scope(self) -> ast.Scope:
        scope = self.scope
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def qualified(self) -> tuple[object, Token]:
        """A name, perhaps qualified, and its entity; template-ids of classes are instantiated. What depends on a
        parameter in a pattern is a stand-in variable: `type_entity` makes a type of it where one is wanted."""
        if self.read_name is not None:
            (tokens, start, inside, ends), known, at, end, qualifier = self.read_name
            if tokens is self.tokens and start == self.i and inside is self.scope and ends is self.greater_ends:
                self.read_name, self.i, self.qualifier = None, end, qualifier
                return known, at
        scope: ast.Scope | None = None
        name: Token | None = None
        if self.at("::"):
            self.i += 1
            scope = self.global_scope()
        while True:
            before = name
            if scope is not None and self.at("operator"):
                name = self.operator_name()
            else:
                self.accept("template")
                name = self.identifier()
            twice = before is not None and name.text == before.text
            if twice and scope is not None and self._names_itself(scope, name):
                # Base::Base: the constructors, whatever name the class has here.
                entity: object = scope.record_type
            elif scope is None:
                self.clash = None
                entity = self.lookup_qualifier(name) if self.at("::") else self.lookup(name.text)
                if entity is None:
                    self.undeclared(name)
                if self.clash is not None and entity is self.clash[0]:
                    self._ambiguous(name, self.clash)
            else:
                entity = self._member_entity(scope, name)
            if isinstance(entity, ast.ClassTemplate) or (
                isinstance(entity, Type) and entity.kind == "spec" and not entity.params and self.at("<")
            ):
                entity = self.template_id(entity, name)  # type: ignore[arg-type]
            if not self.at("::"):
                self.qualifier = scope
                return entity, name
            if isinstance(entity, ast.Scope):
                scope = entity
            elif isinstance(entity, Type) and entity.record is not None and entity.record.scope is not None:
                scope = entity.record.scope
            elif isinstance(entity, Type) and entity.record is not None and entity.record.complete:
                # A built-in vector's members.
                scope = ast.Scope("record", None, name=name.text, record=entity.record, record_type=entity)
            elif isinstance(entity, Type) and entity.kind == "enum":
                self.i += 1
                return self._enumerator(entity), self.tokens[self.i - 1]
            elif isinstance(entity, Type) and entity.kind in STAND_INS:
                return self._dependent_member(entity), name
            else:
                self._no_scope(entity, name)
            self.i += 1

    def _ambiguous(self, name: Token, found: tuple[object, object]) -> NoReturn:
        places = [f.at for f in found if isinstance(f, ast.Variable | ast.ClassTemplate | ast.Scope)]
        notes = [self.note("candidate found by name lookup is here", at) for at in places if at is not None]
        self.fail(f"reference to '{name.text}' is ambiguous", name, notes=notes)

    def _names_itself(self, scope: ast.Scope, name: Token) -> bool:
        """`name::name` is the class, not a member of it that bears the name by which the class was found."""
        if scope.record_type is None or scope.record is None:
            return False
        own = name.text in (scope.record.name.partition("<")[0], scope.record.template_name)
        return own or self.find_in(scope, name.text) is None

    def _no_scope(self, entity: object, name: Token) -> NoReturn:
        """`name::` means nothing."""
        if isinstance(entity, Type) and entity.record is not None and entity.record.template is not None:
            self.fail(f"implicit instantiation of undefined template '{entity}'", name)
        if isinstance(entity, Type) and entity.record is not None:
            self.fail(f"incomplete type '{entity}' named in nested name specifier", name)
        if isinstance(entity, Type) and entity.name != name.text:
            if not self.depth:
                self.fail(f"'{name.text}' (aka '{entity}') is not a class, namespace, or enumeration", name)
            self.fail(f"type '{entity}' cannot be used prior to '::' because it has no members", name)
        self.fail(f"'{name.text}' is not a class, namespace, or enumeration", name)

    def lookup_qualifier(self, name: Token) -> object | None:
        """What `name::` means: variables and functions do not hide classes and namespaces there, nor do namespaces that
        were opened behind the name, which may stand in a template that is read later."""
        text = name.text
        found = self.lookup(text)
        scope: ast.Scope | None = self.scope
        while isinstance(found, ast.Variable | list | tuple) or type(found) is Field or self._opened_since(found, name):
            while scope is not None and self.find_in(scope, text) is None:
                scope = scope.parent
            if scope is None:
                return found
            inner = self.find_in(scope, text)
            if isinstance(inner, Type | ast.ClassTemplate | ast.Scope) and not self._opened_since(inner, name):
                return inner
            scope = scope.parent
        return found

    def _opened_since(self, found: object, name: Token) -> bool:
        if self.tokens is self.turn or not isinstance(found, ast.Scope) or found.at is None:
            return False
        place = self.places.get(id(name))
        return place is not None and self.places.get(id(found.at), -1) > place

    def within(self, scope: ast.Scope, name: str) -> object | None:
        """What `scope::name` is; namespace std and the global one have what the language itself knows, too."""
        entity = self.find_in(scope, name)
        if isinstance(entity, list) and scope.parent is None:
            own = self.builtin(name)
            return entity + own if isinstance(own, list) and own is not entity else entity
        if entity is None and (scope.name == "std" or scope.parent is None):
            entity = self.builtin(name)
            if entity is None and scope.name == "std":
                # <cstdint>'s types and the like.
                entity = self.global_scope().names.get(name)
        return entity

    def _member_entity(self, scope: ast.Scope, name: Token) -> object:
        entity = self.within(scope, name.text)
        if entity is None:
            if scope.record is not None:
                if name.text == "operator=":
                    return []
                self.fail(f"no member named '{name.text}' in '{scope.record.name}'", name, code="frontend.no-member")
            where = f"namespace '{scope.name}'" if scope.name else "the global namespace"
            self.fail(f"no member named '{name.text}' in {where}", name, code="frontend.no-member")
        return entity

    def _dependent_member(self, owner: Type) -> ast.Variable:
        """`::name` and what follows, of a type that depends on a parameter; as a type it says which, for mangling."""
        at = self.token
        names: list[str] = []
        plain = True
        while self.accept("::"):
            template = self.accept("template") is not None
            plain = plain and not template
            names.append((self.operator_name() if self.at("operator") else self.identifier()).text)
            if self.at("<") and (template or self.naming_type):
                plain = False
                self.skip_template_arguments()
        made = opaque()
        if plain and not unspoken(owner):
            made.name, made.params = "::".join(names), (owner.bare,)
        return ast.Variable("?", ty.INT, at, "stand-in", stand_in=Type("value", "?", template=made))

    def type_entity(self, entity: object, name: Token) -> Type:
        """`entity` as a type."""
        if isinstance(entity, Type):
            return entity
        if isinstance(entity, ast.Variable) and entity.storage == "stand-in" and entity.name == "?":
            made = entity.stand_in.template if entity.stand_in is not None else None
            return made if isinstance(made, Type) else opaque()
        self.fail(f"'{name.text}' is not a type", name)

    def skip_template_arguments(self) -> None:
        """From `<` to past its `>`."""
        depth = 0
        while self.token.kind != EOF:
            token = self.token
            text = token.text
            if token.kind == PUNCT and text in ("(", "[", "{"):
                self.skip_balanced()
                continue
            if text in (">>", ">=", ">>=") and depth == 1 and token.kind == PUNCT:
                self.expect(">")
                return
            if token.kind == PUNCT:
                depth += self.brackets(self.i, depth)
            self.i += 1
            if depth <= 0 or text in (";", "{"):
                return

    def _enumerator(self, t: Type) -> ast.Variable:
        name = self.identifier()
        found = t.bare.cache.get(("enumerator", name.text))
        if found is None:
            self.fail(f"no member named '{name.text}' in '{t}'", name)
        return ast.Variable(name.text, t, name, "enumerator", value=found.count)

    def undeclared(self, name: Token) -> None:
        self.why_not(name.text)
        if name.text.removeprefix("__builtin_") in _UNSUPPORTED:
            self.fail(f"'{name.text}' is not supported in device code", name)
        if self.token.kind == IDENT and self.tokens[self.i - 1] is name:
            self.fail(f"unknown type name '{name.text}'", name, code="frontend.unknown-type")
        near = self.suggestion(name.text, builtins=True)
        extra = f"; did you mean '{near}'?" if near else ""
        self.fail(f"use of undeclared identifier '{name.text}'{extra}", name, code="frontend.undeclared")

    def check_typename(self) -> None:
        """A declaration in a template's function that begins with `T::type` or `Class<T>::type` lacks typename, unless
        that class is the one around it ([temp.res])."""
        k = self.i
        while self.tokens[k].text in ("const", "volatile", "static"):
            k += 1
        first = self.tokens[k]
        if first.kind != IDENT or self.tokens[k + 1].text not in ("<", "::"):
            return
        end = k + 1
        if self.tokens[end].text == "<":
            depth = 0
            while self.tokens[end].kind != EOF and (depth > 0 or end == k + 1):
                depth += self.brackets(end, depth)
                end += 1
        if self.tokens[end].text != "::":
            return
        inner = self.tokens[end + 1]
        if inner.kind != IDENT or inner.text == "template":
            return
        if not any(t.kind == IDENT and self.is_parameter(t.text) for t in self.tokens[k:end]):
            return
        scope: ast.Scope | None = self.scope
        while scope is not None:
            if scope.record is not None and first.text in (scope.record.name, scope.record.template_name):
                return
            scope = scope.parent
        spelled = "".join(t.text for t in self.tokens[k : end + 2])
        self.fail(f"missing 'typename' prior to dependent type name '{spelled}'", first)

    def is_parameter(self, name: str) -> bool:
        """The name of a template's parameter, which is bound."""
        scope: ast.Scope | None = self.scope
        while scope is not None:
            if name in scope.names:
                return scope.kind == "template"
            scope = scope.parent
        return False

    def suggestion(self, name: str, builtins: bool = False) -> str | None:
        """The nearest name in scope, or of what is built in."""
        if self.quiet:
            return None
        known: list[str] = []
        scope: ast.Scope | None = self.scope
        while scope is not None:
            known += scope.names
            scope = scope.parent
        return nearest(name, [*known, *(builtin_names() if builtins else ())])

    def template_id(self, template: ast.ClassTemplate, at: Token) -> object:
        """The class, type or variable that `template < ... >` means."""
        if not self.at("<"):
            # Inside its own definition the bare name is the instance.
            scope: ast.Scope | None = self.scope
            while scope is not None:
                if scope.record is not None and scope.record.template is template and scope.record_type is not None:
                    return scope.record_type
                base = _injected(scope.record, template) if scope.record is not None else None
                if base is not None:
                    return base
                scope = scope.parent
            if self.at("::") or ((template.alias or template.variable) and not self.at(";")):
                # Before a `;` stands the end of a using-declaration.
                self.needs_arguments(template, at)
            return Type("auto", template.name, template=template)
        return self.class_instance(template, self.template_arguments(template.params), at)

    def needs_arguments(self, template: ast.ClassTemplate, at: Token) -> NoReturn:
        self.fail(f"use of class template '{template.name}' requires template arguments", at)

    def check_arguments(self, t: Type, at: Token) -> None:
        """`t` is not, and does not refer to, a class template without arguments."""
        while t.elem is not None and t.kind in ("reference", "pointer", "array", "function"):
            t = t.elem
        if t.kind == "auto" and isinstance(t.template, ast.ClassTemplate):
            self.needs_arguments(t.template, at)

    def template_arguments(
        self, params: list[ast.TemplateParam] | None, first: str = "<", last: str = ">"
    ) -> list[object]:
        """`< type or constant, ... >` at the cursor: Types, constants, templates and functions (or stand-ins, within a
        pattern)."""
        self.expect(first)
        self.enter(self.token)
        out: list[object] = []
        ends, self.greater_ends = self.greater_ends, last == ">"
        naming, self.naming_type = self.naming_type, False
        while not self.at(last) and not (last == ">" and self.at(">>")):
            end = self.expansion_end(angles=True) if self.has_packs else None
            if end is not None:
                out += [self._template_argument() for _ in self.expansions(self.i, end)]
                self.i += 1
            else:
                value = self._template_argument(params[min(len(out), len(params) - 1)] if params else None)
                if self.accept("..."):
                    value = Type("pack", "", elem=value) if isinstance(value, Type) else value
                out.append(value)
            if not self.accept(","):
                break
        self.greater_ends, self.naming_type = ends, naming
        self.nest -= 1
        self.expect(last)
        return out

    def _template_argument(self, param: ast.TemplateParam | None = None) -> object:
        named = self._template_name()
        if named is not None:
            return named
        if self.starts_type(0):
            start = self.i
            nest = self.nest
            outer, self.type_argument = self.type_argument, True
            try:
                t = self.type_name()
                if self.token.text in (",", ">", ">>", "...", ">=", ">>=", ")"):
                    return t
            except Abandon:
                if not self.pattern:
                    raise
                self.nest = nest
            finally:
                self.type_argument = outer
            # T(3) and T{} are values.
            self.i = start
        try:
            return self.constant_argument(self.conditional_expression(), param)
        except Abandon:
            if not self.pattern:
                raise
        depth = 0
        while self.token.kind != EOF:
            text = self.token.text
            if text in ("(", "[", "{"):
                self.skip_balanced()
                continue
            if depth == 0 and text in (",", ">", ">>", "...", ";"):
                break
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            self.i += 1
        return Type("value", "?")

    def _as_declared(self, e: ast.Expr, param: ast.TemplateParam | None) -> ast.Expr:
        """The argument as an object of the class, or of an instance of the class template, that the parameter has."""
        t = param.type if param is not None else None
        if t is None or self.pattern:
            return e
        if isinstance(t.template, ast.ClassTemplate) and t.kind == "auto":
            t = self.deduced_class(t.template, [e], e.at)
        if t.kind != "record" or e.type.bare is t.bare:
            return e
        self.unevaluated += 1
        try:
            return self.convert(e, t)
        finally:
            self.unevaluated -= 1

    def constant_argument(self, e: ast.Expr, param: ast.TemplateParam | None = None) -> object:
        """What an expression is as the argument for a template's parameter `param`."""
        e = self._as_declared(e, param)
        if isinstance(e, ast.Cast) and isinstance(e.operand, ast.Name):
            e = e.operand
        if isinstance(e, ast.Name) and e.variable.stand_in is not None:
            return e.variable.stand_in
        if isinstance(e, ast.Overloads):
            e = self.function_value(e, None)
        if isinstance(e, ast.FunctionAddress):
            return e.function
        if isinstance(e, ast.AddressOf) and isinstance(e.operand, ast.Name):
            if e.operand.variable.storage in ("local", "param"):
                self.fail("non-type template argument is not a constant expression", e.at)
            return e.operand.variable
        value = constant.evaluate(e)
        if e.type.kind == "record" and not self.pattern:
            # An object of a class, by value.
            cells = constant.cells(e, e.type.bare)
            if cells is not None:
                whole = Structural(e.type.bare, cells, e)
                return self.structural.setdefault(whole.key, whole)
        if value is None and isinstance(e, ast.Name) and e.variable.storage in ("device", "constant", "shared", "host"):
            # An array, or what a reference is bound to.
            return e.variable
        if value is None:
            if self.pattern:
                made = Type("value", "?")
                made.template = e
                return made
            self.fail("non-type template argument is not a constant expression", e.at)
        if isinstance(value, int) and e.type.bare is not ty.INT:
            value = Typed(value)
            value.type = e.type.bare
        return value

    def _template_name(self) -> ast.ClassTemplate | Type | None:
        """The name of a class template as an argument."""
        k = self.i + (self.token.text == "::")
        scope: ast.Scope | None = None
        while self.tokens[k].kind == IDENT:
            name = self.tokens[k].text
            found = self.lookup(name) if scope is None else self.find_in(scope, name)
            after = self.tokens[k + 1].text
            if isinstance(found, ast.Scope) and after == "::":
                scope = found
                k += 2
                continue
            stand_in = isinstance(found, Type) and found.kind == "spec" and not found.params
            if (isinstance(found, ast.ClassTemplate) or stand_in) and after in (",", ">", ">>", "..."):
                if isinstance(found, ast.ClassTemplate) and self._inside(found):
                    return None
                self.i = k + 1
                return found  # type: ignore[return-value]
            return None
        return None

    def _inside(self, template: ast.ClassTemplate) -> bool:
        scope: ast.Scope | None = self.scope
        while scope is not None:
            if scope.record is not None and scope.record.template is template:
                return True
            scope = scope.parent
        return False


def _injected(record: Record, template: ast.ClassTemplate) -> Type | None:
    """The base class whose own name, which its members and derived classes know it by, is the template's."""
    for base, _ in record.bases:
        if base.record is not None and base not in record.dependent_bases:
            if base.record.template is template:
                return base
            found = _injected(base.record, template)
            if found is not None:
                return found
    return None


def opaque() -> Type:
    """A type in a pattern that nothing can be deduced from."""
    return Type("opaque", "?", 0, 1, llvm="")


_UNSUPPORTED = frozenset(("alloca", "va_start", "va_arg", "va_copy", "va_end", "setjmp", "longjmp"))
"""What C and C++ have, and device code here has not."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The first of the names nearest to one that is not known, if it is nearly that: a letter in four is another."""
    near: dict[str, int] = {}
    for other in known if len(name) >= 3 else ():
        if abs(len(other) - len(name)) <= 1 and other != name and other not in near:
            near[other] = edits(name, other)
    best = min(near, key=near.__getitem__, default=None)
    return best if best is not None and near[best] <= (len(name) + 2) // 4 else None


def edits(a: str, b: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, ch in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (ch != other))
    return row[-1]
