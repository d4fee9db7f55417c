"""Specialisations of templates, and explicit instances."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.specialised_members import SpecialisedMembers
from minicc.frontend.parse.templates import has_body
from minicc.frontend.sema.deduce import argument_key
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import Type


def _declares(old: ast.Partial, new: ast.Partial) -> bool:
    """`old` is a declaration, without a body, of what `new` defines, in the same words."""
    return not has_body(old.tokens) and [t.text for t in old.arguments] == [t.text for t in new.arguments]


class Specialisations(SpecialisedMembers):
    def partial_specialisation(self, params: list[ast.TemplateParam], start: int, k: int) -> bool:
        self.i += k
        scope = self.scope
        entity, name, owner = self.specialised_entity()
        if isinstance(entity, ast.ClassTemplate) and owner is not None and self.token.text in ("{", ":", "final"):
            self._member_template_class(entity, params, name, start)
            return True
        if not isinstance(entity, ast.ClassTemplate) or not self.at("<"):
            self.i = start
            return False
        begin = self.i
        pattern = self.pattern_arguments(params, entity, name)
        arguments = self.closed(begin, self.i)
        if self.token.text not in ("{", ":", ";", "final"):
            self.i = start
            return False
        packs = any(p.pack for p in entity.params) or any(isinstance(a, Type) and a.kind == "pack" for a in pattern)
        if len(pattern) > len(entity.params) and not packs:
            self.fail(f"too many template arguments for class template '{entity.name}'", name)
        own = [(p.marker, p.pack) for p in params]
        if (
            not self.constraints
            and len(pattern) == len(entity.params)
            and own == [(a, p.pack) for a, p in zip(pattern, entity.params, strict=True)]
        ):
            what = "class template partial specialization does not specialize any template argument"
            self.fail(what + "; to define the primary template, remove the template argument list", name)
        self.skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        tokens = self.closed(start, self.i)
        made = ast.Partial(params, pattern, arguments, tokens, scope, self.constraints)
        declared = next((k for k, old in enumerate(entity.partials) if _declares(old, made)), None)
        if declared is None:
            entity.partials.append(made)
        else:
            entity.partials[declared] = made
        return True

    def _member_template_class(
        self, entity: ast.ClassTemplate, params: list[ast.TemplateParam], name: Token, start: int
    ) -> None:
        """`template <class U> struct Class::Inner { ... };`, of a class that is no template."""
        self.skip_declaration()
        self.expect(";", "after class")
        if has_body(entity.tokens):
            self.once(entity.at, name)
        for old, new in zip(entity.params, params, strict=False):
            new.default = new.default or old.default
        entity.tokens, entity.params, entity.at = self.closed(start, self.i), params, name

    def partial_variable(
        self, entity: ast.ClassTemplate, params: list[ast.TemplateParam], tokens: list[Token], cut: int
    ) -> None:
        """`tokens`, a partial specialisation of a variable template whose arguments begin at index `cut`."""
        with self.having(tokens=tokens, i=cut):
            pattern = self.pattern_arguments(params, entity, tokens[cut - 1])
            arguments = self.closed(cut, self.i)
            rest = [*self.tokens[:cut], *self.tokens[self.i :]]
        entity.partials.append(ast.Partial(params, pattern, arguments, rest, self.scope, self.constraints))

    # -- explicit instances and specialisations

    def explicit_instantiation(self) -> None:
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
        f = self.matching_instance(entity, explicit, d)
        if f is None:
            self.fail(
                f"explicit instantiation of '{name.text}' does not refer to a function template, variable template, member function, member class, or static data member",  # noqa: E501
                name,
            )
        self.need_body(f)

    def need_members(self, t: Type) -> None:
        """All of the host's members of an explicit instance."""
        record = t.record
        assert record is not None and ty.is_complete(t) and record.scope is not None
        found = [*record.constructors, *(f for fs in record.scope.names.values() if isinstance(fs, list) for f in fs)]
        for f in found:
            if isinstance(f, ast.Function) and f.space == "host" and f.record is not None and f.record.bare is t.bare:
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
        self.qualifier = None
        if self.at("operator"):
            name = self.operator_name()
            entity = self.lookup(name.text)
        else:
            entity, name = self.qualified()
        if wrapped:
            self.expect(")")
        if not isinstance(entity, list):
            self.fail(f"no function template matches function template specialization '{name.text}'", name)
        space = self.qualifier  # arguments are qualified, too
        explicit = self.template_arguments(None) if self.at("<") else []
        d = Declarator(name, base)
        d.space = space
        self._function_suffix(d)
        return d, entity, explicit, name

    def specialisation(self, at: Token) -> None:
        """`template <>` before a function, a class or a variable."""
        while self.at("template") and self.peek().text == "<" and self.peek(2).text == ">":
            self.i += 3
        if self.at("template"):
            self.specialised_member_template(at)
            return
        if self.token.text in ("struct", "class", "union"):
            self._class_specialisation()
            return
        if self.variable_follows():
            if not self.datum_specialisation():
                self._variable_specialisation()
            return
        if self.member_specialisation():
            return
        specs = self.specifiers()
        assert specs.type is not None
        d, entity, explicit, name = self._specialised_head(specs.type)
        f = self.matching_instance(entity, explicit, d)
        if f is None:
            self.fail(
                f"no function template matches function template specialization '{name.text}'",
                name,
                notes=[self.note("in this specialisation", at)],
            )
        if f.pending is not None and (f.parsed or f.body is not None):
            self.fail(f"explicit specialization of '{name.text}' after instantiation", name)
        self.specialise(f, specs, d)

    def _class_specialisation(self) -> None:
        start = self.i
        self.i += 1
        while self.token.text in ("__align__", "alignas", "__attribute__"):
            self.i += 1
            self.skip_balanced()
        entity, name, scope = self.specialised_entity()
        if isinstance(entity, Type) and scope is not None and scope.record is not None:
            self.specialised_class(entity, name, scope)
            return
        if not isinstance(entity, ast.ClassTemplate):
            self.fail(f"no template named '{name.text}'", name)
        given = self.complete_arguments(entity, self.template_arguments(entity.params), name)
        self.skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        made = entity.instances.get(argument_key(given))
        if isinstance(made, Type) and type(made) is not ty.UnreadType and argument_key(given) not in entity.specialised:
            self.fail(f"explicit specialization of '{made}' after instantiation", name)
        old, tokens = entity.specialised.get(argument_key(given)), self.closed(start, self.i)
        if old is not None and has_body(old) and has_body(tokens):
            self.once(next(t for t in old if t.text == name.text), name)
        entity.specialised[argument_key(given)] = tokens

    def _variable_specialisation(self) -> None:
        start = self.i
        entity: object = None
        while self.token.kind == IDENT:
            entity = self.lookup(self.token.text)
            if self.peek().text == "::" or getattr(entity, "variable", False):
                entity, name, _ = self.specialised_entity()
                if isinstance(entity, ast.ClassTemplate):
                    break
            self.i += 1
        name = self.tokens[self.i - 1]
        if not isinstance(entity, ast.ClassTemplate):
            self.fail(f"no variable template matches specialization '{name.text}'", name)
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
