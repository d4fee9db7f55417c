"""Members of class templates that are defined outside of their classes: `template <class T> void Class<T>::f() {}`.

Such a definition is an `Outline` of the class template; an instance's member gets its body from the one that has the
same parameters, among those of the specialisation that the instance was made of.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

from minicc.frontend import ast
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.instances import Instances
from minicc.frontend.parse.specifiers import SPACES, Specifiers
from minicc.frontend.sema.deduce import Bindings, pattern_key, unify_arguments
from minicc.frontend.tokens import EOF, IDENT, Token
from minicc.frontend.types import Record, Type

HEAD_BRACKETS = frozenset(("__launch_bounds__", "__align__", "alignas", "__attribute__", "explicit", "noexcept"))


class Outlines(Instances):
    def head_name(self) -> Token | None:
        name = None
        angle = 0
        while self.token.kind != EOF and (angle > 0 or self.token.text not in ("(", ";", "{")):
            if self.token.text in HEAD_BRACKETS:
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

    def owner_template(self, start: int, name: Token | None) -> tuple[ast.ClassTemplate, int] | None:
        """Of a member defined outside, `Class<T>::name`: the class template, and where its arguments begin."""
        k, angle = start, 0
        owner: tuple[ast.ClassTemplate, int] | None = None
        scope: ast.Scope | None = None
        while self.tokens[k].kind != EOF and self.tokens[k].text not in ("{", ";"):
            token = self.tokens[k]
            if token.text in HEAD_BRACKETS and self.tokens[k + 1].text == "(":
                k = self.past_brackets(k + 1)
                continue
            if token.text == "(" and angle == 0:
                return None
            if name is not None and _begins(token, name):
                return owner if self.tokens[k - 1].text in ("::", "~") else None
            if token.kind == IDENT and angle == 0:
                found = self.lookup(token.text) if scope is None else self.find_in(scope, token.text)
                scope = found if isinstance(found, ast.Scope) and self.tokens[k + 1].text == "::" else None
                if isinstance(found, ast.ClassTemplate) and self.tokens[k + 1].text == "<":
                    owner = found, k + 1
            angle += self.brackets(k, angle)
            k += 1
        return None

    def member_template_outline(self, params: list[ast.TemplateParam]) -> None:
        """`template <class T> template <class U> void Class<T>::f(U) { ... }`"""
        self.i += 1
        inner = self.template_parameters()
        if self.token.text in ("struct", "class", "union") and self.member_class_outline(params, inner):
            return
        own = None
        if self.accept("template"):
            own = self.template_parameters()
        start = self.i
        name = self.head_name()
        owner = self.owner_template(start, name)
        self.skip_declaration()
        if owner is None or name is None:
            self.fail("out-of-line definition does not match any declaration", self.tokens[start])
        tokens = self.closed(start, self.i)
        at = next((k for k, t in enumerate(tokens) if _begins(t, name)), 0)
        k = at - 2
        if k >= 0 and tokens[k].text in (">", ">>"):
            # Outer<T>::Inner<U>::name
            depth = 0
            while k > 0:
                depth += {">": 1, ">>": 2, "<": -1}.get(tokens[k].text, 0)
                k -= 1
                if depth <= 0:
                    break
            if tokens[k].text == owner[0].name:
                k = -1
        else:
            k = -1
        nested = tokens[k].text if k >= 0 else member_class(tokens, name)
        self.add_outline(owner, ast.Outline(params, tokens, name.text, inner, nested, own))

    def add_outline(self, owner: tuple[ast.ClassTemplate, int], outline: ast.Outline) -> None:
        template, at = owner
        self._check_declared(template, outline)
        plain = ",".join(p.name + ("..." if p.pack else "") for p in outline.params)
        with self.having(i=at, tokens=self.tokens, quiet=self.quiet + 1):
            self.skip_template_arguments()
            if "".join(t.text for t in self.tokens[at + 1 : self.i - 1]) != plain:
                self.i = at
                try:
                    outline.pattern = self.pattern_arguments(outline.params, template, self.token)
                except Abandon:
                    outline.pattern = None
        template.outlines.append(outline)

    def _check_declared(self, template: ast.ClassTemplate, outline: ast.Outline) -> None:
        """What is defined outside is named in the class, or in one of its specialisations."""
        name = outline.name.removeprefix("~")
        read = [template.tokens, *(p.tokens for p in template.partials), *template.specialised.values()]
        if outline.nested or name.startswith("operator") or not any(t.text == "}" for t in template.tokens[-3:]):
            return
        if not any(t.text == name for tokens in read for t in tokens):
            what = f"out-of-line definition of '{outline.name}' does not match any declaration in '{template.name}'"
            self.fail(what, self.tokens[self.i - 1] if outline.kind != "function" else self._named(outline))

    def _named(self, outline: ast.Outline) -> Token:
        return next((t for t in outline.tokens if t.text == outline.name), outline.tokens[0])

    def pattern_arguments(
        self, params: list[ast.TemplateParam], template: ast.ClassTemplate, at: Token
    ) -> list[object]:
        """`<...>` at the cursor, the arguments of a partial specialisation, with stand-ins for its parameters."""
        scope = self.scope
        inner = self.push("template")
        for p in params:
            inner.names[p.name] = self.stand_in(p)
        self.pattern += 1
        try:
            pattern = self.template_arguments(template.params)
            return self.with_defaults(template, pattern, at) if len(pattern) < len(template.params) else pattern
        finally:
            self.pattern -= 1
            self.scope = scope

    def outlines_of(self, record: Record, kind: str = "function") -> Iterator[tuple[ast.Outline, Sequence[object]]]:
        """The members of that kind that are defined outside of a class template's instance, with the values of the
        parameters around it."""
        template, made_of = record.template, record.specialisation
        for o in template.outlines if isinstance(template, ast.ClassTemplate) else ():
            if o.kind != kind:
                continue
            if o.pattern is None:
                if made_of is None:
                    yield o, record.template_args
            elif isinstance(made_of, ast.Partial) and _keys(made_of.pattern) == _keys(o.pattern):
                bindings: Bindings = {}
                if unify_arguments(o.pattern, record.template_args, bindings):
                    yield o, [bindings.get(p.name, ()) for p in o.params]

    def member_outline(
        self, template: ast.FunctionTemplate
    ) -> tuple[list[Token], ast.Scope, list[ast.TemplateParam]] | None:
        """The definition outside of its class of a member template of a class template."""
        record = template.record.record if template.record is not None else None
        if record is None or record.scope is None or any(t.text == "{" for t in template.tokens):
            return None
        own = record.template if isinstance(record.template, ast.ClassTemplate) else None
        around = own.scope if own is not None else record.scope.around
        name = "operator " if template.name.startswith("operator ") else template.name
        found: list[tuple[list[Token], ast.Scope, list[ast.TemplateParam]]] = []
        for o, args in self.outlines_of(record) if own is not None else ():
            if o.inner is not None and not o.nested and o.name == name:
                found.append((o.tokens, self.bind_parameters(record.scope, o.params, args, template.at), o.inner))
        for o, args in self.outlines_of(around.record) if around is not None and around.record is not None else ():
            # Of a class in a class template, or behind the parameters of both of a template in one.
            params = o.inner if own is None else o.own
            if params is None or (o.own is None) is not (own is None) or o.name != name:
                continue
            if o.nested == (own.name if own is not None else record.name):
                scope = self.bind_parameters(record.scope, o.params, args, template.at)
                if own is not None and o.inner is not None:
                    scope = self.bind_parameters(scope, o.inner, record.template_args, template.at)
                found.append((o.tokens, scope, params))
        found = [each for each in found if len(each[2]) == len(template.params)]
        if len(found) > 1 and template.pattern is not None:
            key = [pattern_key(p) for p in template.pattern.params]
            found = [o for o in found if self._outline_key(*o) == key] or found
        return found[0] if found else None

    def _outline_key(self, tokens: list[Token], scope: ast.Scope, params: list[ast.TemplateParam]) -> list[str]:
        """Of a member template's definition outside of its class, what its parameters are."""
        with self.having(tokens=tokens, i=0, scope=scope, function=None):
            d, _, _ = self.template_pattern(params)
        return [pattern_key(p) for p in d.type.params] if d is not None else []

    def defines_member(self, params: list[ast.TemplateParam], start: int, name: Token, d: Declarator | None) -> bool:
        """`template <class U> void Class::f(U) { ... }`: the tokens from `start` to the cursor are the definition of a
        member template that `Class`, no template, declares."""
        tokens = self.closed(start, self.i)
        at = begin = next((k for k, t in enumerate(tokens) if _begins(t, name)), 0)
        while begin > 1 and tokens[begin - 1].text == "::" and tokens[begin - 2].kind == IDENT:
            begin -= 2
        entity: object = None
        for token in tokens[begin : at - 1 : 2]:
            inner = entity.record.scope if isinstance(entity, Type) and entity.record is not None else entity
            entity = self.find_in(inner, token.text) if isinstance(inner, ast.Scope) else self.lookup(token.text)
        if not isinstance(entity, Type) or entity.record is None or entity.record.scope is None:
            return False
        record, names = entity.record, entity.record.scope.names
        if name.text == "operator ":
            declared = [f for n, fs in names.items() if n.startswith("operator ") and isinstance(fs, list) for f in fs]
        else:
            found = names.get(name.text)
            declared = record.constructors if name.text == record.name else found if isinstance(found, list) else []
        open_ = [
            f
            for f in declared
            if isinstance(f, ast.FunctionTemplate)
            and len(f.params) == len(params)
            and not any(t.text == "{" for t in f.tokens)
        ]
        if d is not None:
            key = [pattern_key(p) for p in d.type.params]
            open_ = [f for f in open_ if f.pattern and [pattern_key(p) for p in f.pattern.params] == key] or open_
        if not open_:
            return False
        chosen = open_[0]
        for old, new in zip(chosen.params, params, strict=True):
            new.default = new.default or old.default
        before = copy.copy(chosen)
        chosen.declared = chosen.tokens, chosen.params
        chosen.params, chosen.tokens = params, tokens[:begin] + tokens[at:]
        self._complete_instances(before, chosen)
        return True

    def _complete_instances(self, declared: ast.FunctionTemplate, defined: ast.FunctionTemplate) -> None:
        """Instances that were made from a declaration get the definition that follows it."""
        known = declared.instances
        defined.instances = {}
        for key, f in known.items():
            if f is None or f.body is not None or f.pending is not None:
                if f is not None:
                    defined.instances[key] = f
                continue
            made = self.instantiate(defined, f.template_args)
            if made is not None:
                f.params, f.param_scope, f.pending, f.template = made.params, made.param_scope, made.pending, defined
                f.noinline, f.forceinline, f.bounds = made.noinline, made.forceinline, made.bounds
                if f.space == "host":
                    f.space = made.space
                for p in f.params:
                    p.owner = f
            defined.instances[key] = f

    def attach_outline(self, f: ast.Function) -> None:
        """Find the definition of a class template's member outside of the class."""
        record = f.record.record if f.record is not None else None
        if record is None or record.scope is None or record.scope.parent is None:
            return
        own = record.template if isinstance(record.template, ast.ClassTemplate) else None
        around = own.scope if own is not None else record.scope.around
        outer = around.record if around is not None else None
        outlines = [(o, args) for o, args in self.outlines_of(record) if o.inner is None and not o.nested]
        if outer is not None:
            # Members of a member class; of a member template, behind both templates' parameters.
            inner = own.name if own is not None else record.name
            outlines += [
                (o, args)
                for o, args in self.outlines_of(outer)
                if o.nested == inner and (o.inner is None) is (own is None) and o.own is None
            ]
        for o, args in outlines:
            special = f.constructor or f.name.startswith("~")
            converts = f.name.startswith("operator ")
            wanted = (own.name if own is not None else record.name) if special else f.name
            if o.name != ("operator " if converts else wanted):
                continue
            with self.having(
                tokens=o.tokens, i=0, scope=self.scope, function=None, nest=self.nest, greater_ends=False,
                quiet=self.quiet + 1,
            ):  # fmt: skip
                try:
                    params, parent = o.params, record.scope
                    if o.inner is not None:
                        parent = self.bind_parameters(parent, o.params, args, f.at)
                        params, args = o.inner, record.template_args
                    scope = self.scope = self.bind_parameters(parent, params, args, f.at)
                    if converts:
                        specs = Specifiers(self.token)
                        while not self.at("operator"):
                            if self.token.text in SPACES:
                                specs.spaces.add(SPACES[self.token.text])
                            self.i += 1
                        d = self.conversion_declarator()
                    else:
                        specs = self.specifiers(need_type=False)
                        if (specs.type is None) != special:
                            continue
                        d = self.declarator(specs.type) if specs.type is not None else self.constructor_outline()
                    if d.params is None or d.type.params != f.type.params or d.this_quals != f.this_quals:
                        continue
                    if converts and d.type.elem is not f.type.elem:
                        continue
                    if special and d.name is not None and d.name.text.startswith("~") == f.constructor:
                        continue
                    f.params, f.param_scope, f.pending = d.params, d.param_scope, (self.tokens, self.i)
                    if d.param_scope is not None:
                        d.param_scope.parent = scope
                    for p in f.params:
                        p.owner = f
                    if "device" in specs.spaces:
                        f.space = "device"
                    return
                except Abandon:
                    continue


def _begins(token: Token, name: Token) -> bool:
    """The name itself, which a macro may give its place to; or `operator`, from which on a name was put together."""
    return token is name or (token.text == "operator" and token.start == name.start and token.source is name.source)


def _keys(pattern: list[object]) -> list[str]:
    return [pattern_key(p) if isinstance(p, Type) else str(p) for p in pattern]


def member_class(tokens: list[Token], name: Token) -> str:
    """`Class<T>::Inner::name`: Inner, a class that is no template; else nothing."""
    at = next((k for k, t in enumerate(tokens) if _begins(t, name)), 0)
    at -= tokens[at - 1].text == "~"
    found = (
        at > 4 and tokens[at - 1].text == "::" and tokens[at - 2].kind == IDENT and tokens[at - 4].text in (">", ">>")
    )
    return tokens[at - 2].text if found else ""
