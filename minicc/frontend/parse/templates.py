"""Declarations of templates. They are kept as tokens, and read again with their parameters bound for each instance.

A function template's signature is read once with stand-ins for its parameters: that pattern serves deduction, partial
ordering and mangling.
"""

from __future__ import annotations

from itertools import pairwise

from minicc.frontend import ast
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.member_classes import MemberClasses
from minicc.frontend.parse.outlines import HEAD_BRACKETS, member_class
from minicc.frontend.parse.specifiers import SPACES
from minicc.frontend.sema.deduce import dependent, is_dependent, pattern_key, unspoken
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import Type


class Templates(MemberClasses):
    kernel_templates: bool = False
    """A kernel template was declared: host code may need instances of it."""

    def template_declaration(self, member_of: Type | None = None) -> None:
        at = self.take()
        if self.extern_c and not self.library:
            self.fail("templates must have C++ linkage", at)
        if self.function is not None and self.scope.kind != "record":
            self.fail("expected expression", at, code="frontend.syntax")
        if not self.at("<"):
            self.explicit_instantiation()
            return
        params = self.template_parameters()
        if not params:
            self.specialisation(at)
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
            self.member_template_outline(params)
        elif text == "using":
            self._alias_template(params)
        elif (text in _CLASSES or text in SPACES) and self._class_follows(params):
            pass
        elif text == "friend" and self.peek().text in ("class", "struct"):
            self.recover()
        elif self._befriends():
            self.i += text == "friend"
            self._function_template(params, self.i, None, at, friend=True)
        elif self.guide_follows():
            self.guide(params)
        elif text == "concept" and self.constrains:
            self._concept(params)
        elif text == "concept":
            self.fail("concepts need -std=c++20", self.token)
        elif self.variable_follows():
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
        itself = [t for k, t in enumerate(tokens) if t.text == name.text and (not k or tokens[k - 1].text != "::")]
        if itself and itself[0].kind is IDENT and self.lookup(name.text) is None:
            self.fail(f"use of undeclared identifier '{name.text}'", itself[0])
        self.check_requirements(tokens)
        self.expect(";")
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name, variable=True, concept=True)
        self.declare(name.text, made, name)

    def template_parameters(self) -> list[ast.TemplateParam]:
        self.expect("<")
        out: list[ast.TemplateParam] = []
        scope = self.push("template")
        self.pattern += 1
        ends, self.greater_ends = self.greater_ends, True
        while not self.at(">"):
            p = self._template_parameter(len(out))
            p.at = self.tokens[self.i - 1]
            self.has_packs = self.has_packs or p.pack
            if p.name in scope.names:
                self.fail(f"redefinition of template parameter '{p.name}'", self.tokens[self.i - 1])
            scope.names[p.name] = self.stand_in(p)
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
        if d.type.kind in ("record", "float") and not (self.constrains or self.library):
            what = f"a non-type template parameter cannot have type '{d.type.bare}' before C++20"
            self.fail(what, d.name or token)
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

    def _class_follows(self, params: list[ast.TemplateParam]) -> bool:
        """A class template, or a partial specialisation, perhaps behind words that say nothing of a class (`__device__
        class S`); not a function that returns `struct S`."""
        before, start = self.i, self.i
        while self.tokens[start].text in SPACES:
            start += 1
        self.i = start
        if self.token.text in _CLASSES and self._class_here(params, start):
            return True
        self.i = before
        return False

    def _class_here(self, params: list[ast.TemplateParam], start: int) -> bool:
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
            if self.member_class_outline(params):
                return True
            return self.partial_specialisation(params, start, k)
        return False

    def _class_template(self, params: list[ast.TemplateParam], name: Token, start: int) -> None:
        self.skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        found = self.scope.names.get(name.text)
        tokens = self.closed(start, self.i)
        if isinstance(found, ast.ClassTemplate):
            self._same_parameters(found.params, params, name)
            for old, new in zip(found.params, params, strict=False):
                new.default = new.default or old.default
            self._ordered(params, name)
            if has_body(tokens):
                if has_body(found.tokens):
                    self.once(found.at, name)
                found.tokens, found.params, found.at = tokens, [*params], name
            else:
                for old, new in zip(found.params, params, strict=False):
                    old.default = old.default or new.default
            return
        self._ordered(params, name)
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name)
        made.constraints = self.constraints
        self.declare(name.text, made, name)

    def _same_parameters(self, old: list[ast.TemplateParam], new: list[ast.TemplateParam], name: Token) -> None:
        """[temp.param]: a class template is declared again with the same parameters, and a default is given once."""
        if len(old) != len(new):
            many = "many" if len(new) > len(old) else "few"
            self.fail(f"too {many} template parameters in template redeclaration", name)
        for a, b in zip(old, new, strict=True):
            if a.kind != b.kind or a.pack != b.pack:
                self.fail("template parameter has a different kind in template redeclaration", b.at or name)
            if a.default and b.default and a.default[0] is not b.default[0] and not self.library:
                self.fail("template parameter redefines default argument", b.at or name)

    def _ordered(self, params: list[ast.TemplateParam], name: Token) -> None:
        """Parameters of a class template with a default, and packs, come last."""
        for p, following in pairwise(params):
            if p.pack:
                self.fail("template parameter pack must be the last template parameter", p.at or name)
            if p.default is not None and following.default is None and not following.pack:
                what = f"template parameter '{following.name}' is missing a default argument"
                self.fail(what, following.at or name)

    def once(self, old: Token, new: Token) -> None:
        """A definition stands once; the same one may be read again, and one of a header of ours gives way."""
        again = old.source is new.source and old.start == new.start
        if not again and not old.source.name.startswith("<"):
            self.fail(
                f"redefinition of '{new.text}'",
                new,
                code="frontend.redefinition",
                notes=[self.note("previous definition is here", old)],
            )

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
        old = self.scope.names.get(name.text)
        if (
            isinstance(old, ast.ClassTemplate)
            and old.alias
            and _spelled(old.params, old.tokens) == _spelled(params, tokens)
        ):
            return  # The same once more.
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name, alias=True)
        made.constraints = self.constraints
        self.declare(name.text, made, name)

    def variable_follows(self) -> bool:
        """`constexpr bool name = ...;`, `T name;`, `T Class<T>::member = ...;`."""
        k, angle = self.i, 0
        while self.tokens[k].kind != EOF:
            text = self.tokens[k].text
            if text in HEAD_BRACKETS and self.tokens[k + 1].text == "(":
                return False
            if text in ("<", ">", ">>"):
                angle += self.brackets(k, angle)
            elif angle <= 0 and text in ("(", "operator"):
                return False
            elif angle <= 0 and text in ("=", "{", ";"):
                return self.tokens[k - 1].kind == IDENT or self.tokens[k - 1].text in (">", ">>", "]")
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
                self.datum_outline(params, start, tokens, name)
                return
        old = self.scope.names.get(name.text)
        if isinstance(old, ast.ClassTemplate) and old.variable:
            cut = next(k for k, t in enumerate(tokens) if t is name) + 1
            if tokens[cut].text == "<":
                self.partial_variable(old, params, tokens, cut)
            elif all("=" in [t.text for t in read] for read in (old.tokens, tokens)):
                self.once(old.at, name)
            return
        made = ast.ClassTemplate(name.text, params, tokens, self.scope, name, variable=True)
        made.constraints = self.constraints
        self.declare(name.text, made, name)

    # -- functions

    def _befriends(self) -> bool:
        """`friend` is among the words before the type."""
        k = self.i
        while self.tokens[k].text in _BEFORE_TYPES:
            k += 1
        return self.tokens[k].text == "friend"

    def _function_template(
        self, params: list[ast.TemplateParam], start: int, member_of: Type | None, at: Token, friend: bool = False
    ) -> None:
        self.i = start
        self.kernel_templates = self.kernel_templates or self._is_kernel()
        for p in [p for p in self.take_autos() if p not in params]:
            assert p.marker is not None
            p.marker.count = len(params)
            params = [*params, p]
            self.constraints = [*self.constraints, *([p.constraint] if p.constraint is not None else [])]
        self._whole_name()
        d, explicit, constructor = self.template_pattern(params)
        end_of_head = self.i
        name: Token | None
        if d is not None:
            name = d.name
        else:
            # The head means nothing before its parameters are known; the name is what stands before the first '('.
            self.i = start
            name = self.head_name()
            end_of_head = self.i
        qualified = self.owner_template(start, name)
        self.i = end_of_head
        self.skip_declaration()
        if name is None:
            self.fail("expected unqualified-id", at, code="frontend.syntax")
        if qualified is not None:
            tokens = self.closed(start, self.i)
            nested = member_class(tokens, name)
            self.add_outline(qualified, ast.Outline(params, tokens, name.text, nested=nested))
            return
        if member_of is None and self.defines_member(params, start, name, d):
            return
        if name.text.startswith('operator""') and not _literal(params):
            what = "template parameter list for literal operator must be either 'char...' or 'typename T, T...'"
            self.fail(what, name)
        scope = d.space if d is not None and d.space is not None else self.scope
        while friend and scope.kind in ("record", "template") and scope.parent is not None:
            scope = scope.parent
        template = ast.FunctionTemplate(name.text, params, self.closed(start, self.i), scope, name)
        template.record = member_of if not friend else None
        if friend:
            # The body names what the class's scope knows.
            template.scope = self.scope
            template.befriended = [self.scope.record] if self.scope.record is not None else None
        template.constructor = constructor
        template.explicit = explicit
        head = self.tokens[start:end_of_head]
        template.static = any(t.text == "static" for t in head)
        virtual = next((t for t in head if t.text == "virtual"), None) if member_of is not None else None
        if virtual is not None:
            self.fail("'virtual' cannot be specified on member function templates", virtual)
        template.constraints = self.constraints
        if d is not None:
            template.pattern, template.trailing = d.type, d.constraint
            template.required = sum(
                x is None and p.kind != "pack" for x, p in zip(d.defaults, d.type.params, strict=False)
            )
        if constructor and member_of is not None and member_of.record is not None:
            member_of.record.constructors.append(template)
            return
        self._declare_template(scope, template)

    def _whole_name(self) -> None:
        """`template <class T> int f<T *>(...)` specialises a function in part, which there is not."""
        k, angle, opens = self.i, 0, self.i
        while self.tokens[k].kind != EOF and not (angle <= 0 and self.tokens[k].text in ("(", "{", ";", "operator")):
            opens = k if angle == 0 and self.tokens[k].text == "<" else opens
            angle += self.brackets(k, angle)
            k += 1
        name = self.tokens[opens - 1]
        closes = self.tokens[k].text == "(" and self.tokens[k - 1].text in (">", ">>")
        known = self.scope.names.get(name.text) if name.kind == IDENT and self.scope.record is None else None
        if closes and isinstance(known, list):
            self.fail("function template partial specialization is not allowed", name)

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
                    if has_body(other.tokens) and has_body(template.tokens):
                        if template.record is None and not self._unspoken(template):
                            self.once(other.at, name)
                        continue
                    other.befriended = template.befriended = ast.both_befriended(other, template)
                    if has_body(other.tokens):
                        return
                    for old, new in zip(other.params, template.params, strict=True):
                        new.default = new.default or old.default
                    if other.required < template.required:
                        template.required, template.declared = other.required, (other.tokens, other.params)
                    self._complete_instances(other, template)
                    template.first = other.first
                    found[k] = template
                    return
            self.signatures.append(found, template)
        elif found is None:
            scope.names[template.name] = [template]
        else:
            self.fail(f"redefinition of '{name.text}' as different kind of symbol", name, code="frontend.redefinition")

    def _unspoken(self, template: ast.FunctionTemplate) -> bool:
        """Too little of the head is known to compare it with another."""
        return any(p.tokens is not None or p.kind == "template" for p in template.params) or (
            template.pattern is not None and unspoken(template.pattern)
        )

    def template_pattern(self, params: list[ast.TemplateParam]) -> tuple[Declarator | None, bool, bool]:
        """(the declarator with stand-ins for the parameters, explicit, constructor)."""
        saved, nest, ends = self.i, self.nest, self.greater_ends
        scope = self.push("template")
        # A friend or member sees its class's scope from within the stand-ins' scope.
        if scope.parent is not None and scope.parent.record is not None:
            scope.record_type = None
        for p in params:
            scope.names[p.name] = self.stand_in(p)
        self.quiet += 1
        self.pattern += 1
        self.greater_ends = False
        try:
            specs = self.specifiers(need_type=False)
            explicit = "explicit" in specs.words
            if specs.type is None and self.at("operator"):
                d = self.conversion_declarator()
                return d, explicit, False
            around = scope.parent
            while around is not None and around.kind == "template":
                around = around.parent
            if specs.type is None and around is not None and around.record is not None:
                d = self.constructor_declarator(around.record)
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


_CLASSES = ("struct", "class", "union")
_BEFORE_TYPES = frozenset("__device__ __host__ __forceinline__ __noinline__ inline constexpr consteval".split())


def has_body(tokens: list[Token]) -> bool:
    """A declaration that is a definition; braces stand in default arguments, too."""
    return any(t.text == "}" for t in tokens[-3:-1])


__all__ = ["Templates", "is_dependent"]


def _spelled(params: list[ast.TemplateParam], tokens: list[Token]) -> object:
    return [(p.name, p.kind, p.pack) for p in params], [t.text for t in tokens]


def _literal(params: list[ast.TemplateParam]) -> bool:
    """[over.literal]: the digits as a pack; a string's type and its characters; an object made of the string."""
    kinds = [(p.kind, p.pack) for p in params]
    return kinds in ([("value", True)], [("type", False), ("value", True)], [("value", False)])
