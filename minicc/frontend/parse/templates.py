"""Templates: kept as tokens, and read again with their parameters bound for each instance."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarations import Declarations
from minicc.frontend.parse.declarators import Declarator, Specifiers
from minicc.frontend.sema import constant
from minicc.frontend.sema.calls import Bindings, dependent
from minicc.frontend.tokens import EOF, STRING, Token
from minicc.frontend.types import Record, Type


class Templates(Declarations):
    packs: list[dict[str, object]]

    # -- declarations

    def template_declaration(self, member_of: Type | None = None) -> None:
        at = self.take()
        if not self.at("<"):
            self._explicit_instantiation()
            return
        params = self._template_parameters()
        if self.at("requires"):
            self.fail("constraints are not supported", self.token)
        if not params:
            self._specialisation(at)
            return
        start = self.i
        if self.token.text == "template":
            self.fail("templates of member templates are not supported", self.token)
        if self.token.text == "using":
            self._alias_template(params, start)
            return
        if self.token.text in ("struct", "class", "union"):
            k = 1
            while self.peek(k).text in ("__align__", "alignas"):
                k += 1
                depth = 0
                while True:
                    depth += {"(": 1, ")": -1}.get(self.peek(k).text, 0)
                    k += 1
                    if depth == 0:
                        break
            name = self.peek(k)
            after = self.peek(k + 1).text
            if after in ("{", ":", ";", "final"):
                self._class_template(params, name, start)
                return
            if after == "<":
                self.fail("partial specialisation of class templates is not supported", name)
        self._function_template(params, start, member_of, at)

    def member_template(self, made: Type) -> None:
        self.template_declaration(made)

    def _template_parameters(self) -> list[ast.TemplateParam]:
        self.expect("<")
        out: list[ast.TemplateParam] = []
        scope = self.push("template")
        while not self.at(">"):
            token = self.token
            pack = False
            if token.text in ("typename", "class") and self.peek(2).text != "::":
                self.i += 1
                pack = self.accept("...") is not None
                name = self.identifier().text if self.token.kind == "ident" else f"#{len(out)}"
                p = ast.TemplateParam(name, "type", pack=pack)
                p.marker = Type("param", name, count=len(out))
                scope.names[name] = p.marker
            elif token.text == "template":
                self.fail("template template parameters are not supported", token)
            else:
                specs = self.specifiers()
                assert specs.type is not None
                pack = self.accept("...") is not None
                d = self.declarator(specs.type, abstract=True)
                name = d.name.text if d.name is not None else f"#{len(out)}"
                p = ast.TemplateParam(name, "value", d.type.bare, pack=pack)
                scope.names[name] = ast.Variable(name, d.type, token, "stand-in")
            if self.accept("="):
                begin = self.i
                self._skip_template_default()
                p.default = self.tokens[begin : self.i]
            out.append(p)
            if not self.accept(","):
                break
        self.expect(">")
        self.pop()
        return out

    def _skip_template_default(self) -> None:
        depth = 0
        while self.token.kind != EOF:
            text = self.token.text
            if text in ("(", "[", "{"):
                self.skip_balanced()
                continue
            if text == "<":
                depth += 1
            elif (text == ">" and depth == 0) or (text == "," and depth == 0):
                return
            elif text == ">":
                depth -= 1
            elif text == ">>":
                if depth == 0:
                    return
                depth -= 2
            self.i += 1

    def _skip_declaration(self) -> None:
        """Past a function or class declaration: its `;` or its body."""
        while self.token.kind != EOF:
            text = self.token.text
            if self.token.kind is not STRING:
                if text == ";":
                    self.i += 1
                    return
                if text == "{":
                    self.skip_balanced()
                    return
                if text == "(":
                    self.skip_balanced()
                    continue
            self.i += 1

    def _closed(self, start: int, end: int) -> list[Token]:
        last = self.tokens[end - 1]
        return [*self.tokens[start:end], Token(EOF, "", last.source, last.start)]

    def _class_template(self, params: list[ast.TemplateParam], name: Token, start: int) -> None:
        self._skip_declaration()
        if self.tokens[self.i - 1].text == "}":
            self.expect(";", "after class")
        found = self.scope.names.get(name.text)
        tokens = self._closed(start, self.i)
        if isinstance(found, ast.ClassTemplate):
            if any(t.text == "{" for t in tokens):
                found.tokens, found.params = tokens, [*params]
            return
        self.declare(name.text, ast.ClassTemplate(name.text, params, tokens, self.scope, name), name)

    def _alias_template(self, params: list[ast.TemplateParam], start: int) -> None:
        self.i += 1
        name = self.identifier()
        self.expect("=")
        begin = self.i
        while not self.at(";") and self.token.kind != EOF:
            self.i += 1
        tokens = self._closed(begin, self.i)
        self.expect(";")
        self.declare(name.text, ast.ClassTemplate(name.text, params, tokens, self.scope, name, alias=True), name)

    def _function_template(
        self, params: list[ast.TemplateParam], start: int, member_of: Type | None, at: Token
    ) -> None:
        d = self._pattern(params, member_of)
        end_of_head = self.i
        name: Token | None
        if d is not None:
            name = d.name
        else:
            # The head means nothing before its parameters are known; the name is what stands before the first '('.
            self.i = start
            name = None
            while self.token.kind != EOF and self.token.text not in ("(", ";", "{"):
                if self.token.text in ("__launch_bounds__", "__align__", "alignas"):
                    self.i += 1
                    self.skip_balanced()
                    continue
                if self.token.kind == "ident":
                    name = self.token
                self.i += 1
            end_of_head = self.i
        self.i = end_of_head
        self._skip_declaration()
        if name is None:
            self.fail("expected unqualified-id", at, code="frontend.syntax")
        template = ast.FunctionTemplate(name.text, params, self._closed(start, self.i), self.scope, at)
        template.at = name
        template.record = member_of
        if d is not None:
            template.pattern = d.type
            template.required = sum(x is None for x in d.defaults)
        if d is not None and d.owner is not None:
            self.fail("out-of-line definitions of member templates are not supported", name)
        found = self.scope.names.get(name.text)
        if isinstance(found, list):
            for k, other in enumerate(found):
                same = (
                    isinstance(other, ast.FunctionTemplate)
                    and len(other.params) == len(params)
                    and not any(t.text == "{" for t in other.tokens)
                    and _same_pattern(other.pattern, template.pattern)
                )
                if same:
                    found[k] = template
                    return
            found.append(template)
        elif found is None:
            self.scope.names[name.text] = [template]
        else:
            self.fail(f"redefinition of '{name.text}' as different kind of symbol", name, code="frontend.redefinition")

    def _pattern(self, params: list[ast.TemplateParam], member_of: Type | None) -> Declarator | None:
        """The declarator with stand-ins for the parameters."""
        saved = self.i
        scope = self.push("template")
        for p in params:
            scope.names[p.name] = (
                p.marker if p.marker is not None else ast.Variable(p.name, p.type or ty.INT, self.token, "stand-in")
            )
        self.quiet += 1
        try:
            specs = self.specifiers()
            assert specs.type is not None
            d = self.declarator(specs.type)
            return d if d.params is not None else None
        except Abandon:
            self.i = saved
            return None
        finally:
            self.quiet -= 1
            self.scope = scope.parent or scope

    def parameter_pack(self, t, name, d, specs, params, defaults):  # type: ignore[no-untyped-def]
        scope: ast.Scope | None = self.scope
        bound: object = None
        while scope is not None:
            bound = scope.names.get("#pack")
            if bound is not None:
                break
            scope = scope.parent
        if bound is None:
            raise Abandon if self.quiet else self.fail("parameter packs are not supported here", specs.at)
        self.fail("function parameter packs are not supported", specs.at)

    # -- instances

    def _bind(
        self, parent: ast.Scope, params: list[ast.TemplateParam], args: tuple[object, ...], at: Token
    ) -> ast.Scope:
        scope = ast.Scope("template", parent)
        for p, value in zip(params, args, strict=False):
            if isinstance(value, Type) or p.pack:
                scope.names[p.name] = value
            else:
                assert isinstance(value, int | float)
                t = p.type or ty.INT
                if t.kind in ("param", "auto"):
                    t = ty.INT
                scope.names[p.name] = ast.Variable(p.name, t, at, "enumerator", value=constant.wrap(value, t))
        return scope

    def template_default(
        self, scope: ast.Scope, param: ast.TemplateParam, bindings: Bindings, params: list[ast.TemplateParam]
    ) -> object:
        assert param.default is not None
        at = param.default[0]
        known = [p for p in params if p.name in bindings]
        saved = self.tokens, self.i, self.scope
        self.scope = self._bind(scope, known, tuple(bindings[p.name] for p in known), at)
        self.tokens, self.i = [*param.default, Token(EOF, "", at.source, at.start)], 0
        try:
            if param.kind == "type":
                return self.type_name()
            return self.constant_integer(
                self.conditional_expression(), "non-type template argument is not a constant expression"
            )
        finally:
            self.tokens, self.i, self.scope = saved

    def instantiate(self, template: ast.FunctionTemplate, args: tuple[object, ...]) -> ast.Function | None:
        """Declare the instance for `args`; its body waits until it is called."""
        key = tuple(a if not isinstance(a, Type) else id(a) for a in args)
        known = template.instances.get(key)
        if known is not None:
            return known
        self.count_instance(template.at)
        saved = (
            self.tokens,
            self.i,
            self.scope,
            self.function,
            self.nest,
            self.library,
            self.extern_c,
            self.greater_ends,
        )
        self.tokens, self.i, self.function, self.extern_c = template.tokens, 0, None, False
        self.greater_ends = False
        self.scope = self._bind(template.scope, template.params, args, template.at)
        self.quiet += 1
        try:
            specs = self.specifiers()
            assert specs.type is not None
            d = self.declarator(specs.type)
            if d.params is None or d.type.kind != "function":
                raise Abandon
            f = self.make_function(specs, d)
            for p in f.params:
                if p.type.kind == "void":
                    raise Abandon
        except Abandon:
            return None
        finally:
            self.quiet -= 1
            end, tokens = self.i, self.tokens
            (
                self.tokens,
                self.i,
                self.scope,
                self.function,
                self.nest,
                self.library,
                self.extern_c,
                self.greater_ends,
            ) = saved
        f.template, f.template_args = template, args
        f.scope = template.scope
        if template.record is not None:
            f.record = template.record
            if "static" not in specs.words:
                quals = d.this_quals
                f.this_quals = quals
                f.this = ast.Variable("this", ty.pointer(ty.qualified(template.record, quals)), f.at, "param")
        if tokens[end].text in ("{", ":"):
            f.pending = (tokens, end)
        template.instances[key] = f
        return f

    def class_instance(self, template: ast.ClassTemplate, args: list[object], at: Token) -> Type:
        given = list(args)
        bindings: Bindings = {}
        params = template.params
        plain = [p for p in params if not p.pack]
        if len(given) > len(plain) and len(plain) == len(params):
            self.fail(f"too many template arguments for class template '{template.name}'", at)
        if any(p.pack for p in params):
            self.fail("class templates with parameter packs are not supported", at)
        for p, value in zip(params, given, strict=False):
            if (p.kind == "type") != (isinstance(value, Type) and value.kind != "value"):
                want = "type" if p.kind == "type" else "an expression"
                self.fail(
                    f"template argument for template {p.kind if p.kind == 'type' else 'non-type'} parameter must be {'a ' if want == 'type' else ''}{want}",  # noqa: E501
                    at,
                )
            bindings[p.name] = value
        if any(isinstance(v, Type) and (v.kind == "value" or dependent(v)) for v in given):
            made = Type("spec", template.name)
            made.cache["args"] = Type(
                "function", "", params=tuple(v if isinstance(v, Type) else Type("value", f"={v}") for v in given)
            )
            return made
        for p in params[len(given) :]:
            if p.default is None:
                self.fail(f"too few template arguments for class template '{template.name}'", at)
            value = self.template_default(template.scope, p, bindings, params)
            bindings[p.name] = value
            given.append(value)
        key = tuple(id(a) if isinstance(a, Type) else a for a in given)
        known = template.instances.get(key)
        if known is not None:
            return known
        self.count_instance(at)
        scope = self._bind(template.scope, params, tuple(given), at)
        tokens = template.specialised.get(key, template.tokens)
        saved = self.tokens, self.i, self.scope, self.function, self.nest, self.greater_ends, self.extern_c
        self.tokens, self.i, self.scope, self.function = tokens, 0, scope, None
        self.greater_ends, self.extern_c = False, False
        try:
            if template.alias:
                made = self.type_name()
                template.instances[key] = made
                return made
            tag = self.take()
            spelled = ", ".join(str(a) for a in given)
            record = Record("union" if tag.text == "union" else "struct", f"{template.name}<{spelled}>")
            record.template_name, record.template_args = template.name, tuple(given)
            made = ty.new_record(record)
            record.scope = ast.Scope("record", scope, name=template.name, record=record, record_type=made)
            template.instances[key] = made
            align = 0
            while self.token.text in ("__align__", "alignas"):
                holder = Specifiers(tag)
                self._specifier(holder, self.token)
                align = max(align, holder.align)
            self.identifier()
            if self.at("<"):
                self._skip_template_arguments()
            if self.at(";"):
                self.fail(f"implicit instantiation of undefined template '{record.name}'", at)
            self._body(made, template.at, align)
            return made
        finally:
            self.tokens, self.i, self.scope, self.function, self.nest, self.greater_ends, self.extern_c = saved

    def _skip_template_arguments(self) -> None:
        depth = 0
        while self.token.kind != EOF:
            text = self.take().text
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            if depth <= 0:
                return

    def _explicit_instantiation(self) -> None:
        """`template __global__ void k<float>(...);` and `template struct S<int>;`"""
        if self.token.text in ("struct", "class"):
            self.i += 1
            self.simple_type()
            self.expect(";")
            return
        specs = self.specifiers()
        assert specs.type is not None
        base = specs.type
        while self.at("*") or self.at("&"):
            base = ty.pointer(base) if self.take().text == "*" else ty.reference(base)
        entity, name = self.qualified()
        if not isinstance(entity, list):
            self.fail(f"explicit instantiation of '{name.text}' does not refer to a function template", name)
        explicit = self.template_arguments(None) if self.at("<") else []
        d = Declarator(name, base)
        self._function_suffix(d)
        self.expect(";")
        f = self._matching_instance(entity, explicit, d)
        if f is None:
            self.fail(
                f"explicit instantiation of '{name.text}' does not refer to a function template, variable template, member function, member class, or static data member",  # noqa: E501
                name,
            )
        self.need_body(f)

    def _matching_instance(self, entity: list[object], explicit: list[object], d: Declarator) -> ast.Function | None:
        for template in entity:
            if isinstance(template, ast.FunctionTemplate):
                args = [
                    ast.Zero(t if t.kind != "reference" else t.elem or t, template.at, lvalue=t.kind == "reference")
                    for t in d.type.params
                ]
                f = self.deduce(template, list(args), explicit)
                if f is not None and f.type.params == d.type.params:
                    return f
        return None

    def _specialisation(self, at: Token) -> None:
        """`template <>` before a function or class."""
        if self.token.text in ("struct", "class"):
            start = self.i
            name = self.peek()
            entity = self.lookup(name.text)
            if not isinstance(entity, ast.ClassTemplate):
                self.fail(f"no template named '{name.text}'", name)
            self.i += 2
            given = self.template_arguments(entity.params)
            self._skip_declaration()
            self.expect(";", "after class")
            entity.specialised[tuple(id(a) if isinstance(a, Type) else a for a in given)] = self._closed(start, self.i)
            return
        specs = self.specifiers()
        assert specs.type is not None
        base = specs.type
        while self.at("*") or self.at("&"):
            base = ty.pointer(base) if self.take().text == "*" else ty.reference(base)
        entity_, name = self.qualified()
        if not isinstance(entity_, list):
            self.fail(f"no function template matches function template specialization '{name.text}'", name)
        explicit = self.template_arguments(None) if self.at("<") else []
        d = Declarator(name, base)
        self._function_suffix(d)
        f = self._matching_instance(entity_, explicit, d)
        if f is None:
            self.fail(
                f"no function template matches function template specialization '{name.text}'",
                name,
                notes=[self.note("in this specialisation", at)],
            )
        own = self.make_function(specs, d)
        f.params, f.param_scope, f.space, f.noinline, f.bounds = (
            own.params,
            own.param_scope,
            own.space,
            own.noinline,
            own.bounds,
        )
        if self.at("{"):
            f.pending = None
            self.function_body(f)
        else:
            self.expect(";")

    def pack_names(self) -> dict[str, object]:
        return {}


def _same_pattern(a: Type | None, b: Type | None) -> bool:
    return a is not None and b is not None and [str(p) for p in a.params] == [str(p) for p in b.params]
