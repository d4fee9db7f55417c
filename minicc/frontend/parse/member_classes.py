"""Member classes and static members of class templates that are defined outside: `template <class T> struct
Class<T>::Inner { ... };`, `template <class T> const int Class<T>::size = 3;`.

Like a member function's, such a definition is an `Outline` of the class template. What an instance declares is unread
until something of it is asked for, and then is read from the outline whose parameters are the instance's.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.outlines import Outlines
from minicc.frontend.tokens import EOF, IDENT, Token
from minicc.frontend.types import Record, Type


class MemberClasses(Outlines):
    def member_class_outline(
        self, params: list[ast.TemplateParam], inner: list[ast.TemplateParam] | None = None
    ) -> bool:
        """At the cursor stands such a definition, of a class or (with the parameters `inner`) of a class template."""
        start, k, angle = self.i, self.i + 1, 0
        while angle > 0 or self.tokens[k].text not in ("{", ":", ";", "(", "final"):
            if self.tokens[k].kind == EOF:
                return False
            angle += self.brackets(k, angle)
            k += 1
        name = self.tokens[k - 1]
        if name.kind != IDENT or self.tokens[k - 2].text != "::" or self.tokens[k].text in ("(", ";"):
            return False
        owner = self.owner_template(start + 1, name)
        if owner is None:
            return False
        self.skip_declaration()
        self.expect(";", "after class")
        outline = ast.Outline(params, [self.tokens[start], *self.closed(k - 1, self.i)], name.text, inner)
        outline.kind = "class"
        self.add_outline(owner, outline)
        return True

    def declared_class(self, made: Type, name: Token) -> Type:
        """The member class `made` of an instance, declared at `name`: its definition may stand outside."""
        scope = self.scope
        inner = made.record.scope if made.record is not None else None
        assert scope.record is not None and inner is not None
        owner = scope.record

        def begin() -> bool:
            found = self.outlines_of(owner, "class")
            outside = next(((o, args) for o, args in found if o.name == name.text and o.inner is None), None)
            if outside is None:
                return False
            o, args = outside
            ty.begin_reading(made).scope = inner
            self.tokens, self.i = o.tokens, 2
            self.scope = inner.parent = self.bind_parameters(scope, o.params, args, name)
            return True

        return self.put_off_body(made, name, 0, begin)

    def datum_outline(self, params: list[ast.TemplateParam], start: int, tokens: list[Token], name: Token) -> None:
        """`tokens`, from index `start` of the file's on, give the static member `name` its value."""
        owner = self.owner_template(start, name)
        value = next((k for k, t in enumerate(tokens) if t is name), 0) + 1
        while tokens[value].text == "[":
            value = next(k for k in range(value, len(tokens)) if tokens[k].text == "]") + 1
        if owner is not None and tokens[value].text != ";":
            outline = ast.Outline(params, tokens[value:], name.text)
            outline.kind = "datum"
            self.add_outline(owner, outline)

    def declared_datum(self, v: ast.Variable, record: Record) -> None:
        """The static member `v` of an instance, whose value may stand outside."""
        scope = self.scope

        def later(v: ast.Variable) -> None:
            for o, args in self.outlines_of(record, "datum"):
                if o.name == v.name:
                    self.tokens, self.scope = o.tokens, self.bind_parameters(scope, o.params, args, v.at)
                    self.read_static_value(v)

        ast.UnreadVariable.put_off(v, lambda v: self.apart(lambda: later(v)))

    def outlined_template(
        self, template: ast.ClassTemplate
    ) -> tuple[list[Token], list[ast.TemplateParam], ast.Scope] | None:
        """Of a member class template that its class only declares: the definition outside, its parameters and scope."""
        owner = template.scope.record
        for o, args in self.outlines_of(owner, "class") if owner is not None else ():
            if o.name == template.name and o.inner is not None:
                return o.tokens, o.inner, self.bind_parameters(template.scope, o.params, args, template.at)
        return None
