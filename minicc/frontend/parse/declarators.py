"""Types as written: specifiers, declarators, type names, qualified names, template arguments."""

from __future__ import annotations

import attrs

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import KEYWORDS
from minicc.frontend.parse.expressions import Expressions
from minicc.frontend.sema import constant
from minicc.frontend.tokens import IDENT, NUMBER, PUNCT, STRING, Token
from minicc.frontend.types import CONST, VOLATILE, Type

_BASIC = frozenset(("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "wchar_t"))
_SPACES = {"__device__": "device", "__global__": "global", "__host__": "host", "__shared__": "shared", "__constant__": "constant",  # noqa: E501
           "__managed__": "managed"}  # fmt: skip
SPECIFIERS = frozenset(
    [
        "const",
        "volatile",
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
        "alignas",
        "consteval",
        "constinit",
    ]
)
_TAGS = frozenset(("struct", "class", "union", "enum"))
_STARTS = _BASIC | SPECIFIERS | _TAGS | frozenset(("auto", "decltype", "typename"))
_CHOICES: dict[tuple[str, ...], Type] = {
    ("void",): ty.VOID, ("bool",): ty.BOOL, ("float",): ty.FLOAT, ("double",): ty.DOUBLE, ("wchar_t",): ty.WCHAR,
    ("char",): ty.CHAR, ("char", "signed"): ty.SCHAR, ("char", "unsigned"): ty.UCHAR,
    ("short",): ty.SHORT, ("short", "signed"): ty.SHORT, ("short", "unsigned"): ty.USHORT,
    ("int", "short"): ty.SHORT, ("int", "short", "signed"): ty.SHORT, ("int", "short", "unsigned"): ty.USHORT,
    ("int",): ty.INT, ("signed",): ty.INT, ("int", "signed"): ty.INT, ("unsigned",): ty.UINT, ("int", "unsigned"): ty.UINT,  # noqa: E501
    ("long",): ty.LONG, ("int", "long"): ty.LONG, ("long", "signed"): ty.LONG, ("int", "long", "signed"): ty.LONG,
    ("long", "unsigned"): ty.ULONG, ("int", "long", "unsigned"): ty.ULONG,
    ("long", "long"): ty.LLONG, ("int", "long", "long"): ty.LLONG, ("long", "long", "signed"): ty.LLONG,
    ("int", "long", "long", "signed"): ty.LLONG,
    ("long", "long", "unsigned"): ty.ULLONG, ("int", "long", "long", "unsigned"): ty.ULLONG,
    ("double", "long"): ty.DOUBLE,
}  # fmt: skip


Default = tuple[list[Token], ast.Scope | None] | None


@attrs.define(eq=False, repr=False)
class Specifiers:
    """What stands before the declarators."""

    at: Token
    type: Type | None = None
    quals: int = 0
    words: set[str] = attrs.field(factory=set)
    spaces: set[str] = attrs.field(factory=set)
    align: int = 0
    bounds: tuple[int, ...] = ()
    cluster: tuple[int, ...] = ()
    defined: bool = False
    """Defines or declares a struct, union or enum."""


@attrs.define(eq=False, repr=False)
class Declarator:
    name: Token | None
    type: Type
    restrict: bool = False
    params: list[ast.Variable] | None = None
    """Of a function declarator."""
    defaults: list[Default] = attrs.field(factory=list)
    this_quals: int = 0
    owner: Type | None = None
    """`Class::name`."""
    param_scope: ast.Scope | None = None


class Declarators(Expressions):
    # -- names

    def type_of_name(self, token: Token) -> Type | None:
        found = self.lookup(token.text)
        return found if isinstance(found, Type) else None

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
        if isinstance(found, ast.ClassTemplate) and self.peek(ahead + 1).text == "<":
            return self._qualified_is_type(self.i + ahead)
        return isinstance(found, Type | ast.ClassTemplate)

    def _qualified_is_type(self, start: int) -> bool:
        i, scope, found = start, None, None
        tokens = self.tokens
        if tokens[i].text == "::":
            scope = self._global_scope()
            i += 1
        while True:
            token = tokens[i]
            if token.kind != IDENT:
                return False
            found = self.lookup(token.text) if scope is None else self.find_in(scope, token.text)
            if scope is not None and found is None and scope.name == "std":
                found = self.builtin(token.text)
            i += 1
            if isinstance(found, ast.ClassTemplate) and tokens[i].text == "<":
                depth = 0
                while True:
                    text = tokens[i].text
                    if text == "<":
                        depth += 1
                    elif text in (">", ">>"):
                        depth -= len(text)
                    elif text in (";", "{", ""):
                        return False
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
        from minicc.frontend.cursor import Abandon

        saved = self.i
        self.i = start
        self.quiet += 1
        try:
            entity, _ = self.qualified()
            return isinstance(entity, Type)
        except Abandon:
            return False
        finally:
            self.quiet -= 1
            self.i = saved

    def _global_scope(self) -> ast.Scope:
        scope = self.scope
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def qualified(self) -> tuple[object, Token]:
        """A name, perhaps qualified, and its entity; template-ids of classes are instantiated."""
        scope: ast.Scope | None = None
        if self.at("::"):
            self.i += 1
            scope = self._global_scope()
        while True:
            if scope is not None and self.at("operator"):
                name = self.operator_name()
            else:
                self.accept("template")
                name = self.identifier()
            if scope is None:
                entity = self.lookup(name.text)
                if entity is None:
                    self._undeclared(name)
            else:
                entity = self.find_in(scope, name.text)
                if scope.name == "std" and name.text in ("min", "max"):
                    self.fail(f"std::{name.text} is a __host__ function; use {name.text} in device code", name)
                if entity is None and (scope.name == "std" or scope.parent is None):
                    entity = self.builtin(name.text)
                if entity is None:
                    if scope.record is not None:
                        self.fail(
                            f"no member named '{name.text}' in '{scope.record.name}'", name, code="frontend.no-member"
                        )
                    where = f"namespace '{scope.name}'" if scope.name else "the global namespace"
                    self.fail(f"no member named '{name.text}' in {where}", name, code="frontend.no-member")
            if isinstance(entity, ast.ClassTemplate):
                entity = self.template_id(entity, name)
            if not self.at("::"):
                return entity, name
            if isinstance(entity, ast.Scope):
                scope = entity
            elif isinstance(entity, Type) and entity.record is not None and entity.record.scope is not None:
                scope = entity.record.scope
            elif isinstance(entity, Type) and entity.kind == "enum":
                self.i += 1
                return self._enumerator(entity), name
            else:
                self.fail(f"'{name.text}' is not a class, namespace, or enumeration", name)
            self.i += 1

    def _enumerator(self, t: Type) -> ast.Variable:
        name = self.identifier()
        found = t.bare.cache.get(("enumerator", name.text))
        if found is None:
            self.fail(f"no member named '{name.text}' in '{t}'", name)
        return ast.Variable(name.text, t, name, "enumerator", value=found.count)

    def _undeclared(self, name: Token) -> None:
        near = self.suggestion(name.text)
        extra = f"; did you mean '{near}'?" if near else ""
        self.fail(f"use of undeclared identifier '{name.text}'{extra}", name, code="frontend.undeclared")

    def suggestion(self, name: str) -> str | None:
        """A name in scope that differs by one or two letters."""
        if len(name) < 3:
            return None
        best: tuple[int, str] | None = None
        scope: ast.Scope | None = self.scope
        while scope is not None:
            for other in scope.names:
                if abs(len(other) - len(name)) <= 1 and other != name:
                    distance = _edits(name, other)
                    if distance <= (len(name) + 2) // 4 and (best is None or distance < best[0]):
                        best = (distance, other)
            scope = scope.parent
        return best[1] if best else None

    def template_id(self, template: ast.ClassTemplate, at: Token) -> Type:
        if not self.at("<"):
            # Inside its own definition the bare name is the instance.
            scope: ast.Scope | None = self.scope
            while scope is not None:
                if (
                    scope.record is not None
                    and scope.record.template_name == template.name
                    and scope.record_type is not None
                ):
                    return scope.record_type
                scope = scope.parent
            self.fail(f"use of class template '{template.name}' requires template arguments", at)
        return self.class_instance(template, self.template_arguments(template.params), at)

    def class_instance(self, template: ast.ClassTemplate, args: list[object], at: Token) -> Type:
        raise NotImplementedError

    def template_arguments(self, params: list[ast.TemplateParam] | None) -> list[object]:
        """`< type or constant, ... >` at the cursor: Types and ints (or stand-ins, within a pattern)."""
        self.expect("<")
        self.enter(self.token)
        out: list[object] = []
        ends, self.greater_ends = self.greater_ends, True
        while not self.at(">") and not self.at(">>"):
            if self.starts_type(0) and not self._functional_ahead():
                out.append(self.type_name())
            else:
                e = self.conditional_expression()
                if isinstance(e, ast.Name) and e.variable.storage == "stand-in":
                    out.append(Type("value", e.variable.name))
                else:
                    value = constant.evaluate(e)
                    if value is None:
                        self.fail("non-type template argument is not a constant expression", e.at)
                    out.append(value)
            if self.at("..."):
                self.i += 1
                last = out.pop()
                if isinstance(last, tuple):
                    out += last
            if not self.accept(","):
                break
        self.greater_ends = ends
        self.nest -= 1
        self.expect(">")
        return out

    def _functional_ahead(self) -> bool:
        return False

    # -- specifiers

    def simple_type(self) -> Type:
        token = self.token
        if token.text in _BASIC:
            words: list[str] = []
            while self.token.kind == IDENT and self.token.text in _BASIC:
                words.append(self.take().text)
            return self._combine(words, token)
        if token.text == "typename":
            self.i += 1
        if token.text in ("decltype", "auto"):
            specs = self.specifiers()
            assert specs.type is not None
            return specs.type
        entity, name = self.qualified()
        if not isinstance(entity, Type):
            self.fail(f"'{name.text}' is not a type", name)
        return entity

    def _combine(self, words: list[str], at: Token) -> Type:
        found = _CHOICES.get(tuple(sorted(words)))
        if found is None:
            self.fail(f"cannot combine '{' '.join(words)}' in a type", at)
        if words.count("long") == 1 and "double" in words:
            self.warn("frontend.long-double", "'long double' is treated as 'double' in device code", at)
        return found

    def specifiers(self, need_type: bool = True) -> Specifiers:
        specs = Specifiers(self.token)
        words: list[str] = []
        while True:
            token = self.token
            text = token.text
            if token.kind != IDENT:
                if text == "[" and self.peek().text == "[" and token.kind == PUNCT:
                    self.skip_balanced()
                    continue
                if text == "::" and specs.type is None and not words and token.kind == PUNCT:
                    specs.type = self.simple_type()
                    continue
                break
            if text in _BASIC:
                if specs.type is not None:
                    self.fail(f"cannot combine with previous '{specs.type}' declaration specifier", token)
                words.append(text)
                self.i += 1
            elif text == "const":
                specs.quals |= CONST
                self.i += 1
            elif text == "volatile":
                specs.quals |= VOLATILE
                self.i += 1
            elif text in SPECIFIERS:
                self._specifier(specs, token)
            elif specs.type is not None or words:
                break
            elif text in _TAGS:
                specs.type = self.tagged(specs)
            elif text == "auto":
                specs.type = ty.AUTO
                self.i += 1
            elif text == "decltype":
                specs.type = self._decltype()
            elif text == "typename":
                self.i += 1
                specs.type = self._typename()
            elif self._is_constructor_name():
                break
            else:
                if not self.starts_type(0):
                    break
                specs.type = self.simple_type()
        if words:
            specs.type = self._combine(words, specs.at)
        if specs.type is None and need_type:
            self._no_type()
        if specs.type is not None:
            specs.type = ty.qualified(specs.type, specs.quals)
        return specs

    def _typename(self) -> Type:
        entity, name = self.qualified()
        if not isinstance(entity, Type):
            self.fail(f"no type named '{name.text}'", name)
        return entity

    def _no_type(self) -> None:
        token = self.token
        if token.kind == IDENT and token.text not in ("operator",):
            if self.peek().kind == IDENT or self.peek().text in ("*", "&", "<", "::"):
                from minicc.frontend import predefined

                notes = []
                if token.text.endswith("_t") and token.text in predefined.STDINT:
                    notes = [self.note("include <cstdint> (or <stdint.h>) for this type, as nvcc demands", token)]
                near = self.suggestion(token.text)
                self.fail(
                    f"unknown type name '{token.text}'" + (f"; did you mean '{near}'?" if near else ""),
                    token,
                    code="frontend.unknown-type",
                    notes=notes,
                )
            self.fail("a type specifier is required for all declarations", token, code="frontend.syntax")
        self.fail(
            "expected unqualified-id" if token.kind == PUNCT else "expected a declaration",
            token,
            code="frontend.syntax",
        )

    def _is_constructor_name(self) -> bool:
        """In a class: `Name (` declares a constructor, not a variable of type Name."""
        record = self.scope.record
        return (
            record is not None
            and self.token.text in (record.name.partition("<")[0], record.template_name)
            and self.peek().text == "("
        )

    def _specifier(self, specs: Specifiers, token: Token) -> None:
        text = token.text
        self.i += 1
        if text in _SPACES:
            specs.spaces.add(_SPACES[text])
        elif text in ("__align__", "alignas"):
            self.expect("(")
            if self.starts_type(0):
                value = self.type_name().align
            else:
                value = self.constant_integer(self.conditional_expression(), "alignment is not a constant expression")
            self.expect(")")
            if value <= 0 or value & (value - 1) or value > 1 << 16:
                self.fail("requested alignment is not a power of 2", token)
            specs.align = max(specs.align, value)
        elif text == "__launch_bounds__":
            specs.bounds = self._integers(token, 1, 3)
        elif text == "__maxnreg__":
            self._integers(token, 1, 1)
        elif text == "__cluster_dims__":
            specs.cluster = self._integers(token, 1, 3)
        elif text == "__attribute__":
            self._attribute(specs)
        elif text == "thread_local":
            self.fail("thread-local storage is not supported in device code", token)
        elif text == "virtual":
            self.fail("virtual functions are not supported", token)
        else:
            specs.words.add(text)

    def _integers(self, token: Token, least: int, most: int) -> tuple[int, ...]:
        self.expect("(", f"after '{token.text}'")
        out: list[int] = []
        while True:
            e = self.conditional_expression()
            known = constant.evaluate(e)
            if known is None and not self.quiet:
                self.fail(f"'{token.text}' attribute requires an integer constant", e.at)
            # Reading a template's pattern, its parameters have no values yet.
            value = int(known or 0)
            if value < 0:
                self.fail(
                    f"'{token.text}' attribute requires a non-negative integral compile time constant expression", token
                )
            out.append(value)
            if not self.accept(","):
                break
        self.expect(")")
        if not least <= len(out) <= most:
            self.fail(
                f"'{token.text}' attribute takes {'at least ' + str(least) if len(out) < least else 'no more than ' + str(most)} argument",  # noqa: E501
                token,
            )
        return tuple(out)

    def _attribute(self, specs: Specifiers) -> None:
        start = self.i
        self.skip_balanced()
        inner = self.tokens[start + 2 : self.i - 2]
        for k, token in enumerate(inner):
            name = token.text.strip("_")
            if name in ("device", "global", "shared", "constant", "host"):
                specs.spaces.add(name)
            elif name == "noinline":
                specs.words.add("__noinline__")
            elif name == "always_inline":
                specs.words.add("__forceinline__")
            elif name in ("aligned", "align") and k + 2 < len(inner) and inner[k + 2].kind == NUMBER:
                specs.align = max(specs.align, int(inner[k + 2].text, 0))

    def _decltype(self) -> Type:
        self.i += 1
        self.expect("(")
        bare_name = self.token.kind == IDENT and self.peek().text == ")"
        e = self.expression()
        self.expect(")")
        if isinstance(e, ast.Name) and bare_name:
            return e.variable.type
        return ty.reference(e.type) if e.lvalue and not isinstance(e, ast.Member) else e.type

    def tagged(self, specs: Specifiers) -> Type:
        raise NotImplementedError

    # -- declarators

    def type_name(self) -> Type:
        """A type-id: specifiers and an abstract declarator."""
        specs = self.specifiers()
        assert specs.type is not None
        if self.token.text in (")", ">", ",", ">>"):
            return specs.type
        return self.declarator(specs.type, abstract=True).type

    def declarator(self, base: Type, abstract: bool = False) -> Declarator:
        restrict = False
        while True:
            token = self.token
            if token.text == "*" and token.kind == PUNCT:
                self.i += 1
                if base.kind == "reference":
                    self.fail(f"'{base}' declared as a pointer to a reference of type '{base}'", token)
                base, restrict = ty.pointer(base), False
                while self.token.kind == IDENT and self.token.text in ("const", "volatile", "__restrict__", "restrict"):
                    word = self.take().text
                    if word == "const":
                        base = ty.qualified(base, CONST)
                    elif word == "volatile":
                        base = ty.qualified(base, VOLATILE)
                    else:
                        restrict = True
            elif token.text in ("&", "&&") and token.kind == PUNCT:
                self.i += 1
                if base.kind == "void":
                    self.fail("cannot form a reference to 'void'", token)
                base = ty.reference(base, token.text == "&&")
                while self.token.text in ("__restrict__", "const"):
                    restrict = restrict or self.take().text == "__restrict__"
            elif token.text in ("const", "volatile") and token.kind == IDENT:
                self.i += 1
                base = ty.qualified(base, CONST if token.text == "const" else VOLATILE)
            elif token.text in ("__restrict__",):
                self.i += 1
                restrict = True
            elif token.text in SPECIFIERS and token.kind == IDENT and token.text.startswith("__"):
                # nvcc takes __device__ and the like between * and the name too.
                ignored = Specifiers(token)
                self._specifier(ignored, token)
            else:
                break
        if self.at("(") and self._nested_declarator(abstract):
            start = self.i + 1
            self.enter(self.token)
            self.skip_balanced()
            outer = Declarator(None, base)
            self._suffixes(outer, abstract)
            end = self.i
            self.i = start
            inner = self.declarator(outer.type, abstract)
            self.expect(")")
            self.nest -= 1
            self.i = end
            if inner.params is None:
                inner.params, inner.defaults, inner.param_scope = None, outer.defaults, outer.param_scope
            return inner
        made = Declarator(None, base, restrict)
        if self.at("operator") and not abstract:
            made.name = self.operator_name()
        elif self.token.kind == IDENT and not (abstract and self.token.text in KEYWORDS):
            made.name = self._declared_name(made)
        elif not abstract:
            self.fail("expected unqualified-id", self.token, code="frontend.syntax")
        while self.at("[") and self.peek().text == "[":
            self.skip_balanced()
        self._suffixes(made, abstract)
        return made

    def _declared_name(self, made: Declarator) -> Token:
        name = self.identifier("unqualified-id")
        while self.at("::") or (self.at("<") and isinstance(self.lookup(name.text), ast.ClassTemplate)):
            found = self.lookup(name.text) if made.owner is None else None
            if isinstance(found, ast.ClassTemplate):
                found = self.template_id(found, name)
            if not self.at("::"):
                break
            self.i += 1
            if isinstance(found, Type) and found.record is not None:
                made.owner = found
            elif not isinstance(found, ast.Scope):
                self.fail(f"'{name.text}' is not a class or namespace", name)
            name = self.operator_name() if self.at("operator") else self.identifier("unqualified-id")
        return name

    def _nested_declarator(self, abstract: bool) -> bool:
        after = self.peek()
        if after.text in ("*", "&", "&&") and after.kind == PUNCT:
            return True
        return not abstract and after.text == "(" and after.kind == PUNCT

    def _suffixes(self, made: Declarator, abstract: bool) -> None:
        if self.at("["):
            made.type = self._array_suffix(made.type)
        elif (
            self.at("(")
            and (not abstract or self.peek().text in (")", "void") or self.starts_type(1))
            and self._is_parameter_list()
        ):
            self._function_suffix(made)

    def _is_parameter_list(self) -> bool:
        """Inside functions `T x(a)` constructs; a parameter list begins with a type, or is empty at file scope."""
        after = self.peek()
        if after.text in (")", "..."):
            return self.function is None or after.text == "..."
        return self.function is None or self.starts_type(1)

    def _array_suffix(self, elem: Type) -> Type:
        bounds: list[tuple[int | str, Token]] = []
        while self.at("["):
            token = self.take()
            if self.accept("]"):
                bounds.append((-1, token))
                continue
            ends, self.greater_ends = self.greater_ends, False
            e = self.conditional_expression()
            self.greater_ends = ends
            self.expect("]")
            if isinstance(e, ast.Cast) and isinstance(e.operand, ast.Name):
                e = e.operand
            if isinstance(e, ast.Name) and e.variable.storage == "stand-in":
                bounds.append((e.variable.name, token))
                continue
            value = constant.evaluate(e)
            if value is None:
                self.fail("variable length arrays are not supported for the current target", e.at)
            if not (e.type.integral or e.type.kind == "enum"):
                self.fail(f"size of array has non-integer type '{e.type}'", e.at)
            if value < 0:
                self.fail("array size is negative", e.at)
            bounds.append((int(value), token))
        if elem.kind == "reference":
            self.fail(f"array of references of type '{elem}'", bounds[0][1])
        if elem.kind == "void":
            self.fail("array has incomplete element type 'void'", bounds[0][1])
        for k, (count, token) in enumerate(reversed(bounds)):
            if isinstance(count, str):
                made = Type("array", "", 0, 1, elem=elem, count=-1, llvm="")
                made.cache["bound"] = Type("value", count)
                elem = made
                continue
            if count < 0 and k != len(bounds) - 1:
                self.fail("array has incomplete element type", token)
            if max(count, 1) * elem.size > 1 << 34:
                self.fail("array is too large", token)
            elem = ty.array(elem, count)
        return elem

    def _function_suffix(self, made: Declarator) -> None:
        self.enter(self.token)
        self.i += 1
        outer = self.scope
        scope = self.push("function")
        made.param_scope = scope
        params: list[ast.Variable] = []
        defaults: list[Default] = []
        variadic = False
        if self.at("void") and self.peek().text == ")":
            self.i += 1
        while not self.at(")"):
            if self.accept("..."):
                variadic = True
                break
            self._parameter(params, defaults)
            if not self.accept(","):
                break
        self.expect(")")
        self.nest -= 1
        self.scope = outer
        while self.token.kind == IDENT and self.token.text in ("const", "volatile", "noexcept", "override", "final"):
            word = self.take().text
            made.this_quals |= {"const": CONST, "volatile": VOLATILE}.get(word, 0)
            if word == "noexcept" and self.at("("):
                self.skip_balanced()
        if self.at("->"):
            self.i += 1
            self.scope = scope
            made.type = self.type_name()
            self.scope = outer
        if made.type.kind in ("array", "function"):
            self.fail(f"function cannot return {made.type.kind} type '{made.type}'", made.name or self.token)
        made.params, made.defaults = params, defaults
        made.type = ty.function(
            made.type, [ty.unqualified(p.type) if p.type.kind != "array" else p.type for p in params], variadic
        )

    def _parameter(self, params: list[ast.Variable], defaults: list[Default]) -> None:
        specs = self.specifiers()
        assert specs.type is not None
        pack = None
        if self.at("...") and isinstance(specs.type, Type):
            self.i += 1
            pack = True
        d = self.declarator(specs.type, abstract=True)
        if self.accept("..."):
            pack = True
            if self.token.kind == IDENT:
                d.name = self.identifier()
        t = d.type
        if t.kind == "array":
            assert t.elem is not None
            t = ty.pointer(t.elem)
        elif t.kind == "function":
            t = ty.pointer(t)
        if t.kind == "void":
            self.fail("argument may not have 'void' type", specs.at)
        name = d.name.text if d.name is not None else ""
        if pack:
            self.parameter_pack(t, name, d, specs, params, defaults)
            return
        v = ast.Variable(name, t, d.name or specs.at, "param", restrict=d.restrict, constexpr=False)
        v.value = None
        params.append(v)
        if name:
            if name in self.scope.names:
                self.fail(f"redefinition of parameter '{name}'", v.at)
            self.scope.names[name] = v
        if self.accept("="):
            start = self.i
            self._skip_default()
            defaults.append((self.tokens[start : self.i], self.scope.parent))
        else:
            if defaults and defaults[-1] is not None:
                self.fail(
                    f"missing default argument on parameter '{name}'"
                    if name
                    else "missing default argument on parameter",
                    v.at,
                )
            defaults.append(None)

    def parameter_pack(
        self, t: Type, name: str, d: Declarator, specs: Specifiers, params: list[ast.Variable], defaults: list[Default]
    ) -> None:
        self.fail("parameter packs are not supported", specs.at)

    def _skip_default(self) -> None:
        depth = 0
        while True:
            token = self.token
            if token.kind == "eof":
                self.fail("expected ')'", token, code="frontend.syntax")
            if token.kind == PUNCT:
                if token.text in "([{":
                    depth += 1
                elif token.text in ")]}":
                    if depth == 0:
                        return
                    depth -= 1
                elif token.text == "," and depth == 0:
                    return
            self.i += 1

    def operator_name(self) -> Token:
        """`operator+`, `operator()`, `operator float`: one token that holds the whole name."""
        token = self.take()
        nxt = self.token
        if nxt.text in ("(", "[") and nxt.kind == PUNCT:
            self.i += 1
            self.expect(")" if nxt.text == "(" else "]")
            text = "operator" + ("()" if nxt.text == "(" else "[]")
        elif nxt.kind == PUNCT:
            self.i += 1
            text = "operator" + nxt.text
        elif nxt.kind == STRING:
            self.fail("user-defined literals are not supported", nxt)
        else:
            specs = self.specifiers()
            t = specs.type or ty.INT
            while self.at("*") or self.at("&"):
                t = ty.pointer(t) if self.take().text == "*" else ty.reference(t)
            text = f"operator {t}"
            self.conversion_type = t
        return Token(IDENT, text, token.source, token.start, token.space, False, None, self.tokens[self.i - 1].span.end)

    conversion_type: Type | None = None


def _edits(a: str, b: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, ch in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (ch != other))
    return row[-1]
