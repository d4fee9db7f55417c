"""Members of one instance of a class template that are specialised: `template <> int Class<float>::f() { ... }`."""

from __future__ import annotations

from collections.abc import Sequence

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.parse.templates import Templates
from minicc.frontend.sema.deduce import pattern_key
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type


class SpecialisedMembers(Templates):
    def specialised_entity(self) -> tuple[object, Token, ast.Scope | None]:
        """(what `A::B<int>::name` at the cursor names, the last name, the scope before it), without arguments behind
        that."""
        scope: ast.Scope | None = None
        name = self.identifier()
        entity: object = self.lookup(name.text)
        while True:
            if isinstance(entity, ast.ClassTemplate) and self.at("<"):
                if self.tokens[self.past_arguments(self.i)].text != "::":
                    return entity, name, scope
                entity = self.template_id(entity, name)
            if not self.at("::"):
                return entity, name, scope
            scope = entity if isinstance(entity, ast.Scope) else None
            if isinstance(entity, Type) and entity.record is not None:
                scope = entity.record.scope
            self.i += 1
            name = self.identifier()
            entity = self.find_in(scope, name.text) if scope is not None else None

    def specialised_class(self, made: Type, name: Token, scope: ast.Scope) -> None:
        """`template <> struct Class<int>::Inner { ... };`: the class `made` of one instance, behind its name."""
        start = self.i
        self.skip_declaration()
        if self.tokens[self.i - 1].text != "}":
            return
        self.expect(";", "after class")
        tokens = self.closed(start, self.i)
        record = made.record
        if record is None or type(record) is not ty.UnreadRecord:
            self.fail(f"explicit specialization of '{name.text}' after instantiation", name)

        def begin() -> bool:
            inner = ty.begin_reading(made)
            inner.scope = ast.Scope("record", scope, name=name.text, record=inner, record_type=made)
            inner.scope.names[name.text] = made
            self.tokens, self.scope = tokens, scope
            return True

        ty.begin_reading(made)
        self.put_off_body(made, name, 0, begin)

    def member_specialisation(self) -> bool:
        """`template <> void Class<int>::f() { ... }`: a member of one instance, or with another `template <>` before
        it, of its member template."""
        start = self.i
        name = self.head_name()
        self.i = start
        if self.owner_template(start, name) is None:
            return False
        specs = self.specifiers(need_type=False)
        if specs.type is None and not self._is_constructor_outline():
            return False
        d = self.constructor_outline() if specs.type is None else self.declarator(specs.type)
        if d.owner is None or d.params is None or d.name is None:
            self.i = start
            return False
        members = self._members_named(d, d.name.text, specs.type is None)
        plain = any(self._has_head(f, d) for f in members)
        f = None if plain else self.matching_instance(members, [], d)
        if f is not None:
            self.specialise(f, specs, d)
            return True
        f = self._member_definition(specs, d, True) if specs.type is None else self.function_declarator(specs, d)
        f.pending = None
        if self.at("{") or self.at(":"):
            self.function_body(f, d)
        else:
            self.expect(";")
        return True

    def _members_named(self, d: Declarator, name: str, special: bool) -> list[object]:
        record = d.owner.record if d.owner is not None else None
        if record is None or record.scope is None:
            return []
        if special and name.startswith("operator "):
            lists = [fs for n, fs in record.scope.names.items() if n.startswith("operator ")]
            return [f for fs in lists if isinstance(fs, list) for f in fs]
        if special and not name.startswith("~"):
            return [*record.constructors]
        found = record.scope.names.get(name)
        return found if isinstance(found, list) else []

    def _has_head(self, f: object, d: Declarator) -> bool:
        if not isinstance(f, ast.Function) or f.type.params != d.type.params or f.this_quals != d.this_quals:
            return False
        return not f.name.startswith("operator ") or f.type.elem is d.type.elem

    def matching_instance(self, entity: Sequence[object], explicit: list[object], d: Declarator) -> ast.Function | None:
        """The instance that a declarator means: of the most specialised template that has it ([temp.func.order])."""
        found: list[ast.Function] = []
        for template in entity:
            if isinstance(template, ast.FunctionTemplate):
                given: list[tuple[Type, bool] | None] = [
                    (t.elem, True) if t.kind == "reference" and t.elem is not None else (t, False)
                    for t in d.type.params
                ]
                f = self.deduce_types(template, given, explicit, d.type.elem)
                if f is not None and f.type.params == d.type.params:
                    found.append(f)
        return self.most_specialised(found)

    def specialise(self, f: ast.Function, specs: Specifiers, d: Declarator) -> None:
        """The instance `f` has its own definition, whose head was read."""
        own = self.make_function(specs, d)
        f.params, f.param_scope, f.noinline, f.bounds = own.params, own.param_scope, own.noinline, own.bounds
        f.space = own.space
        f.static, f.forceinline = own.static, own.forceinline
        for p in f.params:
            p.owner = f
        if f.record is not None and f.record.record is not None and f.param_scope is not None:
            f.param_scope.parent = f.record.record.scope
        f.pending = None
        if self.accept("="):
            self.expect("delete")
            f.deleted = True
        if self.at("{") or self.at(":"):
            self.function_body(f, d)
        else:
            self.expect(";")

    def specialised_member_template(self, at: Token) -> None:
        """`template <> template <class U> void Class<int>::f(U) { ... }`: a member template of one instance."""
        self.i += 1
        params = self.template_parameters()
        start = self.i
        if self.token.text in ("struct", "class", "union"):
            self._member_class_template(params)
            return
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

    def _member_class_template(self, params: list[ast.TemplateParam]) -> None:
        """`template <> template <class U> struct Class<int>::Inner { ... };`"""
        tag = self.take()
        entity, name, _ = self.specialised_entity()
        if not isinstance(entity, ast.ClassTemplate):
            self.fail(f"no template named '{name.text}'", name)
        start = self.i - 1
        pattern = self.pattern_arguments(params, entity, name) if self.at("<") else None
        arguments = self.closed(start + 1, self.i)
        self.skip_declaration()
        self.expect(";", "after class")
        tokens = [tag, *self.closed(start, self.i)]
        if pattern is None:
            entity.tokens, entity.params = tokens, params
        else:
            entity.partials.append(ast.Partial(params, pattern, arguments, tokens, entity.scope, self.constraints))

    def datum_specialisation(self) -> bool:
        """`template <> const int Class<int>::size = 3;`: a static member of one instance."""
        k, angle = self.i, 0
        while angle > 0 or self.tokens[k].text not in ("=", "{", ";", "["):
            angle += self.brackets(k, angle)
            k += 1
        if self.owner_template(self.i, self.tokens[k - 1]) is None:
            return False
        specs = self.specifiers()
        assert specs.type is not None
        self.static_member(specs, self.declarator(specs.type))
        self.expect(";")
        return True
