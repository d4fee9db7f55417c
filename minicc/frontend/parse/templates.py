"""Declarations of templates. They are kept as tokens, and read again with their parameters bound for each instance.

A function template's signature is read once with stand-ins for its parameters: that pattern serves deduction, partial
ordering and mangling.
"""

from __future__ import annotations

from itertools import pairwise

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.instances import Instances
from minicc.frontend.parse.names import unspoken
from minicc.frontend.sema.deduce import argument_key, dependent, is_dependent, pattern_key
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import Type

_HEAD_BRACKETS = frozenset(("__launch_bounds__", "__align__", "alignas", "__attribute__", "explicit", "noexcept"))


class Templates(Instances):
    kernel_templates: bool = False
    """A kernel template was declared: host code may need instances of it."""

    def template_declaration(self, member_of: Type | None = None) -> None:
        at = self.take()
        if not self.at("<"):
            self._explicit_instantiation()
            return
        params = self._template_parameters()
        if not params:
            self._specialisation(at)
            return
        outer, self.constraints = self.constraints, [p.constraint for p in params if p.constraint is not None]
        if self.at("requires"):
            if not self.constrains:
                self.fail("constraints need -std=c++20", self.token)
            self.constraints.append(self.constraint_tokens())
        try:
            self._templated(params, member_of, at)
        finally:
            self.constraints = outer

    constraints: list[list[Token]]
    """Of the template whose declaration is being read."""

    def abbreviated(self, autos: list[ast.TemplateParam], made: Type | None) -> None:
        """A function declaration at the cursor, each `auto` of whose parameters is a template parameter."""
        outer, self.constraints = self.constraints, [p.constraint for p in autos if p.constraint is not None]
        try:
            self._function_template(autos, self.i, made, self.token)
        finally:
            self.constraints = outer

    def _templated(self, params: list[ast.TemplateParam], member_of: Type | None, at: Token) -> None:
        """What follows the parameters of a template."""
        start = self.i
        text = self.token.text
        if text == "template":
            self._member_template_outline(params)
        elif text == "using":
            self._alias_template(params)
        elif text in ("struct", "class", "union") and self._class_follows(params, start):
            pass
        elif text == "friend" and self.peek().text in ("class", "struct"):
            self.recover()
        elif text == "friend":
            self.i += 1
            self._function_template(params, self.i, None, at, friend=True)
        elif self.guide_follows():
            self.guide(params)
        elif text == "concept" and self.constrains:
            self._concept(params)
        elif text == "concept":
            self.fail("concepts need -std=c++20", self.token)
        elif self._variable_follows():
            self._variable_template(params, start)
        else:
            self._function_template(params, start, member_of, at)

    def _concept(self, params: list[ast.TemplateParam]) -> None:
        self.i += 1
        name = self.identifier()
        self.expect("=")
        start = self.i
        while not self.at(";") and self.token.kind != EOF:
            if self.token.text in ("(", "[", "{") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1
        tokens = self.closed(start, self.i)
        self.expect(";")
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name, variable=True, concept=True)
        self.declare(name.text, made, name)

    def _template_parameters(self) -> list[ast.TemplateParam]:
        self.expect("<")
        out: list[ast.TemplateParam] = []
        scope = self.push("template")
        self.pattern += 1
        ends, self.greater_ends = self.greater_ends, True
        while not self.at(">"):
            p = self._template_parameter(len(out))
            self.has_packs = self.has_packs or p.pack
            if p.name in scope.names:
                self.fail(f"redefinition of template parameter '{p.name}'", self.tokens[self.i - 1])
            scope.names[p.name] = self._stand_in(p)
            if self.accept("="):
                begin = self.i
                self._skip_template_default()
                p.default = self.tokens[begin : self.i]
                if not p.default:
                    self.fail("expected a type" if p.kind == "type" else "expected expression", code="frontend.syntax")
            out.append(p)
            if not self.accept(","):
                break
        self.greater_ends = ends
        self.pattern -= 1
        self.expect(">")
        self.pop()
        return out

    def _template_parameter(self, index: int) -> ast.TemplateParam:
        token = self.token
        if token.text == "template":
            self.i += 1
            self.skip_template_arguments()
            if self.token.text not in ("class", "typename"):
                self.fail("template template parameter requires 'class' or 'typename' after the parameter list")
            self.i += 1
            pack = self.accept("...") is not None
            name = self.identifier().text if self.token.kind == IDENT else f"#{index}"
            p = ast.TemplateParam(name, "template", pack=pack)
            p.marker = Type("spec", name, template=name, count=index, variadic=pack)
            return p
        if token.text in ("typename", "class") and self._type_parameter_follows():
            self.i += 1
            pack = self.accept("...") is not None
            name = self.identifier().text if self.token.kind == IDENT else f"#{index}"
            p = ast.TemplateParam(name, "type", pack=pack)
            p.marker = Type("param", name, count=index, variadic=pack)
            return p
        concept = self.type_constraint() if token.kind == IDENT else None
        if concept is not None:
            pack = self.accept("...") is not None
            name = self.identifier().text if self.token.kind == IDENT else f"#{index}"
            p = ast.TemplateParam(name, "type", pack=pack, constraint=self.applied(concept, name, pack))
            p.marker = Type("param", name, count=index, variadic=pack)
            return p
        start = self.i
        specs = self.specifiers()
        assert specs.type is not None
        pack = self.accept("...") is not None
        d = self.declarator(specs.type, abstract=True)
        pack = pack or self.accept("...") is not None
        if pack and d.name is None and self.token.kind == IDENT:
            d.name = self.identifier()
        name = d.name.text if d.name is not None else f"#{index}"
        p = ast.TemplateParam(name, "value", d.type.bare, pack=pack)
        if dependent(d.type):
            p.tokens = self.closed(start, self.i)
        p.marker = Type("value", name, variadic=pack, count=index)
        return p

    def _type_parameter_follows(self) -> bool:
        """`typename T`, `typename = int`, `class...`: not `typename A::b c`."""
        k = 1
        if self.peek(k).text == "...":
            return True
        if self.peek(k).kind != IDENT:
            return True
        return self.peek(k + 1).text in (",", ">", "=", ">>", ">=")

    def _stand_in(self, p: ast.TemplateParam) -> object:
        """What the parameter's name means in a pattern."""
        if p.kind == "value":
            t = p.type if p.type is not None and p.type.kind != "auto" else ty.INT
            return ast.Variable(p.name, t, self.token, "stand-in", stand_in=p.marker)
        return p.marker

    def _skip_template_default(self) -> None:
        depth = 0
        while self.token.kind != EOF:
            text = self.token.text
            if text in ("(", "[", "{") and self.token.kind is not STRING:
                self.skip_balanced()
                continue
            if text == "<":
                depth += 1
            elif depth == 0 and text in (">", ","):
                return
            elif text == ">":
                depth -= 1
            elif text == ">>":
                if depth == 0:
                    return
                if depth == 1:
                    self.expect(">")
                    return
                depth -= 2
            self.i += 1

    # -- classes, types, variables

    def _class_follows(self, params: list[ast.TemplateParam], start: int) -> bool:
        """A class template, or a partial specialisation; not a function that returns `struct S`."""
        k = 1
        while self.peek(k).text in ("__align__", "alignas", "__attribute__", "[") or self.peek(k).text == "__device__":
            if self.peek(k).text == "[":
                while self.peek(k).text != "]" and self.peek(k).kind != EOF:
                    k += 1
                k += 1 + (self.peek(k + 1).text == "]")
                continue
            k += 1
            depth = 0
            while self.peek(k).text == "(" or depth:
                depth += {"(": 1, ")": -1}.get(self.peek(k).text, 0)
                k += 1
                if depth == 0:
                    break
        name = self.peek(k)
        if name.kind != IDENT:
            return False
        after = self.peek(k + 1).text
        if after in ("{", ":", ";", "final"):
            self._class_template(params, name, start)
            return True
        if after in ("<", "::"):
            return self._partial_specialisation(params, start, k)
        return False

    def _class_template(self, params: list[ast.TemplateParam], name: Token, start: int) -> None:
        self.skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        found = self.scope.names.get(name.text)
        tokens = self.closed(start, self.i)
        if isinstance(found, ast.ClassTemplate):
            for old, new in zip(found.params, params, strict=False):
                new.default = new.default or old.default
            self._ordered(params, name)
            if _has_body(tokens):
                if _has_body(found.tokens):
                    self._once(found.at, name)
                found.tokens, found.params, found.at = tokens, [*params], name
            else:
                for old, new in zip(found.params, params, strict=False):
                    old.default = old.default or new.default
            return
        self._ordered(params, name)
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name)
        made.constraints = self.constraints
        self.declare(name.text, made, name)

    def _ordered(self, params: list[ast.TemplateParam], name: Token) -> None:
        """Parameters of a class template with a default, and packs, come last."""
        for p, following in pairwise(params):
            if p.pack:
                self.fail("template parameter pack must be the last template parameter", name)
            if p.default is not None and following.default is None and not following.pack:
                self.fail(f"template parameter '{following.name}' is missing a default argument", name)

    def _once(self, old: Token, new: Token) -> None:
        """A definition stands once; the same one may be read again, and one of a header of ours gives way."""
        again = old.source is new.source and old.start == new.start
        if not again and not old.source.name.startswith("<"):
            self.fail(
                f"redefinition of '{new.text}'",
                new,
                code="frontend.redefinition",
                notes=[self.note("previous definition is here", old)],
            )

    def _partial_specialisation(self, params: list[ast.TemplateParam], start: int, k: int) -> bool:
        self.i += k
        scope = self.scope
        name = self.token
        entity: object = self.lookup(name.text)
        self.i += 1
        while self.at("::") and isinstance(entity, ast.Scope):
            self.i += 1
            name = self.identifier()
            entity = self.find_in(entity, name.text)
        if not isinstance(entity, ast.ClassTemplate) or not self.at("<"):
            self.i = start
            return False
        begin = self.i
        inner = self.push("template")
        for p in params:
            inner.names[p.name] = self._stand_in(p)
        self.pattern += 1
        try:
            pattern = self.template_arguments(entity.params)
            if len(pattern) < len(entity.params):
                pattern = self.with_defaults(entity, pattern, name)
        finally:
            self.pattern -= 1
            self.scope = scope
        arguments = self.closed(begin, self.i)
        if self.token.text not in ("{", ":", ";", "final"):
            self.i = start
            return False
        self.skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        tokens = self.closed(start, self.i)
        entity.partials.append(ast.Partial(params, pattern, arguments, tokens, scope, self.constraints))
        return True

    def _alias_template(self, params: list[ast.TemplateParam]) -> None:
        self.i += 1
        name = self.identifier()
        while self.at("[") or self.at("__attribute__"):
            self.i += self.at("__attribute__")
            self.skip_balanced()
        self.expect("=")
        begin = self.i
        while not self.at(";") and self.token.kind != EOF:
            self.i += 1
        tokens = self.closed(begin, self.i)
        self.expect(";")
        self.declare(name.text, ast.ClassTemplate(name.text, params, tokens, self.scope, name, alias=True), name)

    def _variable_follows(self) -> bool:
        """`constexpr bool name = ...;`, `T name;`, `T Class<T>::member = ...;`."""
        k, angle = self.i, 0
        while self.tokens[k].kind != EOF:
            text = self.tokens[k].text
            if text in _HEAD_BRACKETS and self.tokens[k + 1].text == "(":
                return False
            if text in ("<", ">", ">>"):
                angle += self.brackets(k, angle)
            elif angle <= 0 and text in ("(", "operator"):
                return False
            elif angle <= 0 and text in ("=", "{", ";"):
                return self.tokens[k - 1].kind == IDENT or self.tokens[k - 1].text in (">", "]")
            k += 1
        return False

    def _variable_template(self, params: list[ast.TemplateParam], start: int) -> None:
        angle, name = 0, self.token
        while angle > 0 or not (self.at("=") or self.at("{") or self.at(";")):
            if self.token.kind == EOF:
                self.fail("expected ';'", name, code="frontend.syntax")
            angle += self.brackets(self.i, angle)
            if self.token.kind == IDENT and angle == 0:
                name = self.token
            self.i += 1
        while not self.at(";") and self.token.kind != EOF:
            if self.token.text in ("(", "[", "{") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1
        tokens = self.closed(start, self.i + 1)
        self.expect(";")
        for i, t in enumerate(tokens):
            if t is name and i and tokens[i - 1].text == "::":
                return
        old = self.scope.names.get(name.text)
        if isinstance(old, ast.ClassTemplate) and old.variable:
            whole = tokens[next(k for k, t in enumerate(tokens) if t is name) + 1].text != "<"
            if whole and all("=" in [t.text for t in read] for read in (old.tokens, tokens)):
                self._once(old.at, name)
            return
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name, variable=True)
        self.declare(name.text, made, name)

    # -- functions

    def _function_template(
        self, params: list[ast.TemplateParam], start: int, member_of: Type | None, at: Token, friend: bool = False
    ) -> None:
        self.i = start
        self.kernel_templates = self.kernel_templates or self._is_kernel()
        if self.constrains:
            autos = [p for p in self.take_autos() if p not in params]
            for p in autos:
                assert p.marker is not None
                p.marker.count = len(params)
                params = [*params, p]
            self.constraints = [*self.constraints, *(p.constraint for p in autos if p.constraint is not None)]
        d, explicit, constructor = self.template_pattern(params)
        end_of_head = self.i
        name: Token | None
        if d is not None:
            name = d.name
        else:
            # The head means nothing before its parameters are known; the name is what stands before the first '('.
            self.i = start
            name = self._head_name()
            end_of_head = self.i
        qualified = self._owner_template(start, name)
        self.i = end_of_head
        self.skip_declaration()
        if name is None:
            self.fail("expected unqualified-id", at, code="frontend.syntax")
        if qualified is not None:
            tokens = self.closed(start, self.i)
            nested = _member_class(tokens, name)
            qualified.outlines.append(ast.Outline(params, tokens, name.text, nested=nested))
            return
        if member_of is None and self.defines_member(params, start, name, d):
            return
        scope = d.space if d is not None and d.space is not None else self.scope
        while friend and scope.kind in ("record", "template") and scope.parent is not None:
            scope = scope.parent
        template = ast.FunctionTemplate(name.text, params, self.closed(start, self.i), scope, name)
        template.record = member_of if not friend else None
        if friend:
            # The body names what the class's scope knows.
            template.scope = self.scope
        template.constructor = constructor
        template.explicit = explicit
        template.static = any(t.text == "static" for t in self.tokens[start:end_of_head])
        template.constraints = self.constraints
        if d is not None:
            template.pattern = d.type
            template.required = sum(
                x is None and p.kind != "pack" for x, p in zip(d.defaults, d.type.params, strict=False)
            )
        if constructor and member_of is not None and member_of.record is not None:
            member_of.record.constructors.append(template)
            return
        self._declare_template(scope, template)

    def _is_kernel(self) -> bool:
        k = self.i
        while self.tokens[k].kind != EOF and self.tokens[k].text not in ("{", ";"):
            if self.tokens[k].text == "__global__":
                return True
            k += 1
        return False

    def _declare_template(self, scope: ast.Scope, template: ast.FunctionTemplate) -> None:
        name = template.at
        found = scope.names.get(template.name)
        if isinstance(found, list):
            for k, other in enumerate(found):
                if (
                    isinstance(other, ast.FunctionTemplate)
                    and len(other.params) == len(template.params)
                    and other.pattern is not None
                    and template.pattern is not None
                    and pattern_key(other.pattern) == pattern_key(template.pattern)
                    and [pattern_key(p.type) for p in other.params] == [pattern_key(p.type) for p in template.params]
                    and self.spelled(other) == self.spelled(template)
                ):
                    if _has_body(other.tokens) and _has_body(template.tokens):
                        if template.record is None and not self._unspoken(template):
                            self._once(other.at, name)
                        continue
                    if _has_body(other.tokens):
                        return
                    for old, new in zip(other.params, template.params, strict=True):
                        new.default = new.default or old.default
                    if other.required < template.required:
                        template.required, template.declared = other.required, (other.tokens, other.params)
                    self._complete_instances(other, template)
                    found[k] = template
                    return
            found.append(template)
        elif found is None:
            scope.names[template.name] = [template]
        else:
            self.fail(f"redefinition of '{name.text}' as different kind of symbol", name, code="frontend.redefinition")

    def _unspoken(self, template: ast.FunctionTemplate) -> bool:
        """Too little of the head is known to compare it with another."""
        return any(p.tokens is not None or p.kind == "template" for p in template.params) or (
            template.pattern is not None and unspoken(template.pattern)
        )

    def _head_name(self) -> Token | None:
        name = None
        angle = 0
        while self.token.kind != EOF and (angle > 0 or self.token.text not in ("(", ";", "{")):
            if self.token.text in _HEAD_BRACKETS:
                self.i += 1
                if self.at("("):
                    self.skip_balanced()
                continue
            if self.token.text in ("decltype",):
                self.i += 1
                self.skip_balanced()
                continue
            if self.token.text == "operator":
                if self.peek().kind != IDENT or self.peek().text in ("new", "delete"):
                    return self.operator_name()
                # Of a conversion outside of its class, whose type is known there alone.
                at = self.take()
                while not self.at("(") and self.token.kind != EOF:
                    self.i += 1
                return Token(IDENT, "operator ", at.source, at.start)
            if self.token.kind == IDENT and angle == 0:
                name = self.token
            angle += self.brackets(self.i, angle)
            self.i += 1
        return name

    def _owner_template(self, start: int, name: Token | None) -> ast.ClassTemplate | None:
        """The class template that a member defined outside belongs to: `Class<T>::name`."""
        k, angle = start, 0
        owner: ast.ClassTemplate | None = None
        scope: ast.Scope | None = None
        while self.tokens[k].kind != EOF and self.tokens[k].text not in ("{", ";"):
            token = self.tokens[k]
            if token.text in _HEAD_BRACKETS and self.tokens[k + 1].text == "(":
                k = self.past_brackets(k + 1)
                continue
            if token.text == "(" and angle == 0:
                return None
            if token is name or (name is not None and token.start == name.start and token.source is name.source):
                return owner if self.tokens[k - 1].text in ("::", "~") else None
            if token.kind == IDENT and angle == 0:
                found = self.lookup(token.text) if scope is None else self.find_in(scope, token.text)
                scope = found if isinstance(found, ast.Scope) and self.tokens[k + 1].text == "::" else None
                if isinstance(found, ast.ClassTemplate) and self.tokens[k + 1].text == "<":
                    owner = found
            angle += self.brackets(k, angle)
            k += 1
        return None

    def _member_template_outline(self, params: list[ast.TemplateParam]) -> None:
        """`template <class T> template <class U> void Class<T>::f(U) { ... }`"""
        self.i += 1
        inner = self._template_parameters()
        start = self.i
        name = self._head_name()
        owner = self._owner_template(start, name)
        self.skip_declaration()
        if owner is None or name is None:
            self.fail("out-of-line definition does not match any declaration", self.tokens[start])
        tokens = self.closed(start, self.i)
        at = next((k for k, t in enumerate(tokens) if t.start == name.start and t.source is name.source), 0)
        k = at - 2
        if k >= 0 and tokens[k].text in (">", ">>"):
            # Outer<T>::Inner<U>::name
            depth = 0
            while k > 0:
                depth += {">": 1, ">>": 2, "<": -1}.get(tokens[k].text, 0)
                k -= 1
                if depth <= 0:
                    break
            if tokens[k].text == owner.name:
                k = -1
        else:
            k = -1
        nested = tokens[k].text if k >= 0 else ""
        owner.outlines.append(ast.Outline(params, tokens, name.text, inner, nested))

    def template_pattern(self, params: list[ast.TemplateParam]) -> tuple[Declarator | None, bool, bool]:
        """(the declarator with stand-ins for the parameters, explicit, constructor)."""
        saved, nest, ends = self.i, self.nest, self.greater_ends
        scope = self.push("template")
        # A friend or member sees its class's scope from within the stand-ins' scope.
        if scope.parent is not None and scope.parent.record is not None:
            scope.record_type = None
        for p in params:
            scope.names[p.name] = self._stand_in(p)
        self.quiet += 1
        self.pattern += 1
        self.greater_ends = False
        try:
            specs = self.specifiers(need_type=False)
            explicit = "explicit" in specs.words
            if specs.type is None and self.at("operator"):
                d = self.conversion_declarator()
                return d, explicit, False
            if specs.type is None and scope.parent is not None and scope.parent.record is not None:
                d = self.constructor_declarator(scope.parent.record)
                return d, explicit, True
            if specs.type is None:
                raise Abandon
            d = self.declarator(specs.type)
            return (d if d.params is not None else None), explicit, False
        except Abandon:
            self.i = saved
            return None, False, False
        finally:
            self.quiet -= 1
            self.pattern -= 1
            self.nest, self.greater_ends = nest, ends
            self.scope = scope.parent or scope

    # -- explicit instances and specialisations

    def _explicit_instantiation(self) -> None:
        """`template __global__ void k<float>(...);` and `template struct S<int>;`"""
        if self.token.text in ("struct", "class"):
            self.i += 1
            t = self.simple_type()
            self.expect(";")
            self.need_members(t)
            return
        specs = self.specifiers()
        assert specs.type is not None
        d, entity, explicit, name = self._specialised_head(specs.type)
        self.expect(";")
        f = self._matching_instance(entity, explicit, d)
        if f is None:
            self.fail(
                f"explicit instantiation of '{name.text}' does not refer to a function template, variable template, member function, member class, or static data member",  # noqa: E501
                name,
            )
        self.need_body(f)

    def need_members(self, t: Type) -> None:
        """All of the host's members of an explicit instance."""
        ty.is_complete(t)
        for f in self.host_members:
            if f.record is not None and f.record.bare is t.bare:
                self.need_body(f)

    def _specialised_head(self, base: Type) -> tuple[Declarator, list[object], list[object], Token]:
        """(declarator, overloads, explicit arguments, name) of `name<args>(params)` after the specifiers."""
        while True:
            if self.at("*") or self.at("&"):
                base = ty.pointer(base) if self.take().text == "*" else ty.reference(base)
            elif self.token.text in ("const", "__restrict__"):
                self.i += 1
            elif self.token.text in ("__launch_bounds__",):
                self.i += 1
                self.skip_balanced()
            else:
                break
        wrapped = self.accept("(")
        if self.at("operator"):
            name = self.operator_name()
            entity = self.lookup(name.text)
        else:
            entity, name = self.qualified()
        if wrapped:
            self.expect(")")
        if not isinstance(entity, list):
            self.fail(f"no function template matches function template specialization '{name.text}'", name)
        explicit = self.template_arguments(None) if self.at("<") else []
        d = Declarator(name, base)
        self._function_suffix(d)
        return d, entity, explicit, name

    def _matching_instance(self, entity: list[object], explicit: list[object], d: Declarator) -> ast.Function | None:
        for template in entity:
            if isinstance(template, ast.FunctionTemplate):
                given: list[tuple[Type, bool] | None] = [
                    (t.elem, True) if t.kind == "reference" and t.elem is not None else (t, False)
                    for t in d.type.params
                ]
                f = self.deduce_types(template, given, explicit, d.type.elem)
                if f is not None and f.type.params == d.type.params:
                    return f
        return None

    def _specialisation(self, at: Token) -> None:
        """`template <>` before a function, a class or a variable."""
        while self.at("template") and self.peek().text == "<" and self.peek(2).text == ">":
            self.i += 3
        if self.at("template"):
            self._specialised_member_template(at)
            return
        if self.token.text in ("struct", "class", "union"):
            self._class_specialisation()
            return
        if self._variable_follows():
            self._variable_specialisation()
            return
        if self._member_specialisation():
            return
        specs = self.specifiers()
        assert specs.type is not None
        d, entity, explicit, name = self._specialised_head(specs.type)
        f = self._matching_instance(entity, explicit, d)
        if f is None:
            self.fail(
                f"no function template matches function template specialization '{name.text}'",
                name,
                notes=[self.note("in this specialisation", at)],
            )
        own = self.make_function(specs, d)
        f.params, f.param_scope, f.noinline, f.bounds = own.params, own.param_scope, own.noinline, own.bounds
        f.space = own.space
        f.static, f.forceinline = own.static, own.forceinline
        for p in f.params:
            p.owner = f
        if f.record is not None and f.record.record is not None and f.param_scope is not None:
            f.param_scope.parent = f.record.record.scope
        if self.at("{"):
            f.pending = None
            self.function_body(f)
        else:
            self.expect(";")

    def _member_specialisation(self) -> bool:
        """`template <> void Class<int>::f() { ... }`: a member of one instance."""
        start = self.i
        name = self._head_name()
        self.i = start
        if self._owner_template(start, name) is None:
            return False
        specs = self.specifiers(need_type=False)
        if specs.type is None:
            return False
        d = self.declarator(specs.type)
        if d.owner is None or d.params is None:
            self.i = start
            return False
        f = self.function_declarator(specs, d)
        f.pending = None
        if self.at("{"):
            self.function_body(f, d)
        else:
            self.expect(";")
        return True

    def _specialised_member_template(self, at: Token) -> None:
        """`template <> template <class U> void Class<int>::f(U) { ... }`: a member template of one instance."""
        self.i += 1
        params = self._template_parameters()
        start = self.i
        d, _, _ = self.template_pattern(params)
        self.skip_declaration()
        if d is None or d.name is None:
            self.fail("no function template matches function template specialization", at)
        record = d.owner.record if d.owner is not None else None
        found = record.scope.names.get(d.name.text) if record is not None and record.scope is not None else None
        for template in found if isinstance(found, list) else ():
            if isinstance(template, ast.FunctionTemplate) and pattern_key(template.pattern) == pattern_key(d.type):
                template.tokens, template.params = self.closed(start, self.i), params
                return
        self.fail(f"no function template matches function template specialization '{d.name.text}'", d.name)

    def _class_specialisation(self) -> None:
        start = self.i
        self.i += 1
        while self.token.text in ("__align__", "alignas", "__attribute__"):
            self.i += 1
            self.skip_balanced()
        scope: ast.Scope | None = None
        name = self.identifier()
        entity = self.lookup(name.text)
        while self.at("::"):
            self.i += 1
            scope = entity if isinstance(entity, ast.Scope) else None
            name = self.identifier()
            entity = self.find_in(scope, name.text) if scope is not None else None
        if not isinstance(entity, ast.ClassTemplate):
            self.fail(f"no template named '{name.text}'", name)
        given = self.complete_arguments(entity, self.template_arguments(entity.params), name)
        self.skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        old, tokens = entity.specialised.get(argument_key(given)), self.closed(start, self.i)
        if old is not None and _has_body(old) and _has_body(tokens):
            self._once(old[0], tokens[0])
        entity.specialised[argument_key(given)] = tokens

    def _variable_specialisation(self) -> None:
        start = self.i
        while self.token.kind == IDENT and not (
            isinstance(self.lookup(self.token.text), ast.ClassTemplate)
            and getattr(self.lookup(self.token.text), "variable", False)
        ):
            self.i += 1
        name = self.token
        entity = self.lookup(name.text)
        if not isinstance(entity, ast.ClassTemplate):
            self.fail(f"no variable template matches specialization '{name.text}'", name)
        self.i += 1
        given = self.complete_arguments(entity, self.template_arguments(entity.params), name)
        after = self.i
        while not self.at(";") and self.token.kind != EOF:
            if self.token.text in ("(", "[", "{") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1
        self.expect(";")
        head = list(self.tokens[start:after])
        cut = next(k for k, t in enumerate(head) if t is name)
        entity.specialised[argument_key(given)] = [*head[: cut + 1], *self.closed(after, self.i)]


def _has_body(tokens: list[Token]) -> bool:
    """A declaration that is a definition; braces stand in default arguments, too."""
    return any(t.text == "}" for t in tokens[-3:-1])


def _member_class(tokens: list[Token], name: Token) -> str:
    """`Class<T>::Inner::name`: Inner, a class that is no template; else nothing."""
    at = next((k for k, t in enumerate(tokens) if t.start == name.start and t.source is name.source), 0)
    at -= tokens[at - 1].text == "~"
    found = (
        at > 4 and tokens[at - 1].text == "::" and tokens[at - 2].kind == IDENT and tokens[at - 4].text in (">", ">>")
    )
    return tokens[at - 2].text if found else ""


__all__ = ["Templates", "is_dependent"]
