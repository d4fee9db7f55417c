"""Declarators and type names: pointers, arrays, parameters, what is a parameter list and what a value."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import KEYWORDS
from minicc.frontend.parse.names import BASIC, SPECIFIERS
from minicc.frontend.parse.specifiers import QUALIFIERS, Specifiers, TypeSpecifiers
from minicc.frontend.sema import constant
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import Type

_QUALIFIERS = frozenset("const volatile typename struct class union enum register static auto decltype".split())
_AFTER_PARAMETERS = frozenset(("const", "volatile", "noexcept", "throw", "override", "final", "mutable"))

Default = tuple[list[Token], ast.Scope | None] | None


class Declarator:
    def __init__(self, name: Token | None, type: Type, restrict: bool = False) -> None:
        self.name, self.type, self.restrict = name, type, restrict
        self.params: list[ast.Variable] | None = None
        """Of a function declarator."""
        self.defaults: list[Default] = []
        self.this_quals = 0
        self.owner: Type | None = None
        self.align = 0
        """Of an attribute behind it."""
        self.space: ast.Scope | None = None
        """The namespace that `space::name` names."""

    """`Class::name`."""
    override: bool = False
    final: bool = False
    param_scope: ast.Scope | None = None
    constraint: list[Token] | None = None
    """Of the requires-clause after the parameters."""
    nothrow: list[Token] | None = None
    """Of `noexcept(condition)`."""


_THIS_QUALS = {**QUALIFIERS, "&": ty.ON_LVALUE, "&&": ty.ON_RVALUE}


class Declarators(TypeSpecifiers):
    def constructor_outline(self) -> Declarator:
        """`Class::Class(params)` or `Class::operator type()` at the cursor."""
        at = self.token
        owner = self.type_entity(*self._class_before_colons())
        if self.at("operator"):
            # The type may be one of the class, or a parameter of the templates around.
            inner = self.push("template")
            if owner.record is not None and owner.record.scope is not None:
                known = owner.record.scope.names.items()
                inner.names = {name: t for name, t in known if isinstance(t, Type | ast.ClassTemplate)}
            try:
                d = self.conversion_declarator()
            finally:
                self.pop()
            d.owner = owner
            return d
        ends = self.accept("~") is not None
        name = self.identifier()
        if ends:
            name = Token(IDENT, "~" + name.text, at.source, name.start)
        d = Declarator(name, ty.VOID)
        d.owner = owner
        self._function_suffix(d)
        return d

    def conversion_declarator(self) -> Declarator:
        """`operator type()` at the cursor."""
        name = self.operator_name()
        d = Declarator(name, self.conversion_type or ty.INT)
        self._function_suffix(d)
        if d.type.params:
            self.fail("conversion function cannot have any parameters", name)
        return d

    def _class_before_colons(self) -> tuple[object, Token]:
        scope: ast.Scope | None = None
        while True:
            name = self.identifier()
            found = self.lookup(name.text) if scope is None else self.find_in(scope, name.text)
            if isinstance(found, ast.ClassTemplate):
                found = self.template_id(found, name)
            self.expect("::")
            scope = found if isinstance(found, ast.Scope) else None
            if isinstance(found, Type) and found.record is not None:
                scope = found.record.scope
            if (
                scope is None
                or self.token.text in ("~", "operator")
                or (self.token.text == name.text and self.peek().text == "(")
            ):
                return found, name

    # -- declarators

    def simple_type_with_pointers(self) -> Type:
        """A type-id without arrays and functions."""
        specs = self.specifiers()
        assert specs.type is not None
        t = specs.type
        while self.at("*"):
            self.i += 1
            t = ty.pointer(t)
            while self.token.text in ("const", "volatile", "__restrict__"):
                self.i += 1
        return t

    def type_name(self) -> Type:
        """A type-id: specifiers and an abstract declarator."""
        specs = self.specifiers()
        self.named_align = specs.align
        assert specs.type is not None
        if specs.type.kind == "auto" and not (self.at("(") or self.at("{")):
            self.check_arguments(specs.type, specs.at)
        if self.token.text in (")", ">", ",", ">>") or (self.at("(") and self._operand_follows()):
            return specs.type
        return self.declarator(specs.type, abstract=True).type

    def _operand_follows(self) -> bool:
        """`(*name`, behind a type's name: no pointer to a function's, but an argument."""
        k = 1
        while self.peek(k).text in ("*", "&", "const", "volatile", "__restrict__"):
            k += 1
        return k > 1 and self.peek(k).kind == IDENT

    def declarator(
        self, base: Type, abstract: bool = False, parameter: bool = False, inner: bool = False
    ) -> Declarator:
        """From `*` and `&` to the brackets behind the name, which `abstract` ones lack; `inner`: within brackets."""
        base, restrict = self._pointer_operators(base)
        named = self.at("(") and (parameter or (inner and not abstract)) and self._named_within(1)
        if named or (self.at("(") and self._nested_declarator(abstract)):
            return self._bracketed(base, abstract, parameter)
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
        if self.at("__attribute__"):
            made.align = self.gnu_alignment()
        return made

    def _pointer_operators(self, base: Type) -> tuple[Type, bool]:
        """The type that the `*`, `&`, qualifiers and `Class::*` at the cursor make of `base`, and whether the last
        pointer or reference is restrict."""
        restrict = refers = points = False
        while True:
            token = self.token
            if token.text == "*" and token.kind == PUNCT:
                self.i += 1
                if base.kind == "reference":
                    self.fail(f"'{base}' declared as a pointer to a reference of type '{base}'", token)
                base, restrict, points = ty.pointer(base), False, True
            elif token.text in ("&", "&&") and token.kind == PUNCT:
                self.i += 1
                if base.kind == "void":
                    self.fail("cannot form a reference to 'void'", token)
                if refers:
                    name = f"'{self.token.text}'" if self.token.kind == IDENT else "type name"
                    self.fail(f"{name} declared as a reference to a reference", token)
                refers = True
                base = ty.reference(base, token.text == "&&")
            elif token.text in QUALIFIERS and token.kind == IDENT:
                self.i += 1
                base = ty.qualified(base, QUALIFIERS[token.text])
            elif token.kind == IDENT and (token.text == "__restrict__" or (token.text == "restrict" and points)):
                self.i += 1
                restrict = True
            elif token.kind == IDENT and self.peek().text in ("::", "<") and self._is_member_pointer():
                base = ty.member_pointer(self._member_pointer_class(), base, self.member_quals)
            elif token.text in SPECIFIERS and token.kind == IDENT and token.text.startswith("__"):
                # nvcc takes __device__ and the like between * and the name too.
                ignored = Specifiers(token)
                self._specifier(ignored, token)
            else:
                return base, restrict

    def _bracketed(self, base: Type, abstract: bool, parameter: bool) -> Declarator:
        """`(declarator)` at the cursor and what stands behind it, which is read first: it binds closer to `base`."""
        start = self.i + 1
        self.enter(self.token)
        self.skip_balanced()
        outer = Declarator(None, base)
        if self.at("(") and self.peek().text == ")":
            self._function_suffix(outer)
        else:
            self._suffixes(outer, abstract)
        end = self.i
        self.i = start
        quals, self.member_quals = self.member_quals, outer.this_quals
        made = self.declarator(outer.type, abstract, parameter, True)
        self.member_quals = quals
        self.expect(")")
        self.nest -= 1
        self.i = end
        if made.type is outer.type and outer.params is not None:
            # `T (name)(...)` is `T name(...)`, which no macro takes for its own.
            outer.name, outer.owner, outer.space = made.name, made.owner, made.space
            return outer
        if made.params is None:
            made.defaults, made.param_scope = outer.defaults, outer.param_scope
        return made

    def _is_member_pointer(self) -> bool:
        """`Class::*`, which is taken."""
        k = self.i
        while self.tokens[k].kind == IDENT and self.tokens[k + 1].text in ("::", "<"):
            k += 1
            depth = 0
            while self.tokens[k].text != "::" or depth > 0:
                if self.tokens[k].kind == EOF or self.tokens[k].text in (";", "{"):
                    return False
                depth += {"<": 1, ">": -1, ">>": -2}.get(self.tokens[k].text, 0)
                if depth <= 0 and self.tokens[k].text not in (">", ">>"):
                    return False
                k += 1
            k += 1
        return self.tokens[k].text == "*" and self.tokens[k - 1].text == "::"

    member_quals: int = 0
    """Qualifiers after the parameter list of what a pointer to a member function points to."""

    def _member_pointer_class(self) -> Type:
        """`Class::*` at the cursor."""
        name = self.identifier()
        entity: object = self.lookup_qualifier(name)
        while True:
            if isinstance(entity, ast.ClassTemplate):
                entity = self.template_id(entity, name)
            self.expect("::")
            if self.accept("*"):
                return self.type_entity(entity, name)
            scope = entity if isinstance(entity, ast.Scope) else None
            if isinstance(entity, Type) and entity.record is not None:
                scope = entity.record.scope
            name = self.identifier()
            entity = self.find_in(scope, name.text) if scope is not None else None

    def _declared_name(self, made: Declarator) -> Token:
        name = self.identifier("unqualified-id")
        while self.at("::") or self.at("<"):
            outer = made.space
            if made.owner is not None and made.owner.record is not None:
                outer = made.owner.record.scope
            found = self.lookup(name.text) if outer is None else self.find_in(outer, name.text)
            if not self.at("::") and not isinstance(found, ast.ClassTemplate):
                break
            if isinstance(found, ast.ClassTemplate):
                found = self.template_id(found, name)
            if not self.at("::"):
                break
            self.i += 1
            if isinstance(found, Type) and found.record is not None:
                made.owner = found
            elif isinstance(found, ast.Scope):
                made.space = found
            else:
                self.fail(f"'{name.text}' is not a class or namespace", name)
            name = self.operator_name() if self.at("operator") else self.identifier("unqualified-id")
        return name

    def _named_within(self, ahead: int) -> bool:
        """What a declarator declares, or how it goes on, stands there: no parameter."""
        token = self.peek(ahead)
        return token.text in ("(", "*", "&", "&&") or (token.kind == IDENT and not self.starts_type(ahead))

    def _nested_declarator(self, abstract: bool) -> bool:
        after = self.peek()
        if after.text in ("*", "&", "&&") and after.kind == PUNCT:
            return True
        if after.kind == IDENT and self.peek(2).text in ("::", "<"):
            self.i += 1
            found = self._is_member_pointer()
            self.i -= 1
            if found:
                return True
        if not abstract and after.kind == IDENT and self.peek(2).text == ")" and self.peek(3).text == "=":
            return True
        if not abstract and after.kind == IDENT and self.peek(2).text == ")" and self.peek(3).text == "(":
            return self.function is None and not self.starts_type(1)
        return not abstract and after.text == "(" and after.kind == PUNCT

    def _suffixes(self, made: Declarator, abstract: bool) -> None:
        if self.at("["):
            made.type = self._array_suffix(made.type)
        elif (
            self.at("(")
            and (
                not abstract
                or self.peek().text in (")", "void")
                or self.starts_type(1)
                or isinstance(self.lookup(self.peek().text), tuple)
            )
            and ((not abstract and self.peek().text == ")") or self._is_parameter_list())
        ):
            # (`T x()` declares a function in functions, too.)
            self._function_suffix(made)

    def _is_parameter_list(self) -> bool:
        """Inside functions `T x(a)` constructs; a parameter list begins with a type, or is empty at file scope and in
        classes."""
        after = self.peek()
        inside = self.function is not None and self.scope.kind != "record"
        if after.text in (")", "..."):
            return not inside or self.type_argument or after.text == "..."
        if inside:
            pack = self.lookup(after.text) if after.kind == IDENT else None
            if isinstance(pack, tuple):
                return self.type_argument or (len(pack) > 0 and isinstance(pack[0], Type))
            return self.starts_type(1) and not self._is_cast(1)
        if after.kind == IDENT:
            return not isinstance(self.lookup(after.text), ast.Variable) or self.peek(2).text == "::"
        return after.kind == PUNCT and after.text in ("[", "::")

    def _is_cast(self, ahead: int) -> bool:
        """A type's name, and behind it what no parameter's declarator can be: `T(3)`, `T(a).b`, `T(a) + 1`, `T{}`."""
        k = self.i + ahead
        if self.tokens[k].text in _QUALIFIERS:
            return False
        while self.tokens[k + 1].text == "::":
            k += 2
        k += 1
        if self.tokens[k].text == "<":
            k = self.past_arguments(k)
        if self.tokens[k].text == "{":
            return True
        if self.tokens[k].text != "(":
            return False
        inner = k + 1
        while self.tokens[inner].text in ("*", "&", "&&", "const"):
            inner += 1
        if self.tokens[inner].text == "(":
            return not self.starts_type(inner - self.i) and self.tokens[inner + 1].text != "*"
        if self.tokens[inner].text in (")", "[", "..."):
            return False
        if self.tokens[inner].kind != IDENT:
            return True
        if self.tokens[inner].text in BASIC or isinstance(
            self.lookup(self.tokens[inner].text), Type | ast.ClassTemplate
        ):
            return False
        inner += 1
        while self.tokens[inner].text in ("[", "("):
            inner = self.past_brackets(inner)
        end = self.past_brackets(k)
        if self.tokens[inner].text != ")" or self.tokens[end].text not in (",", ")", "=", "[", "("):
            return True
        if self.tokens[end].text != "," or self.tokens[end + 1].text == "...":
            return False
        # `T(a), 3`: they are all parameters, or none is.
        behind = end + 1 - self.i
        return not self.starts_type(behind) or self._is_cast(behind)

    def _array_suffix(self, elem: Type) -> Type:
        bounds: list[tuple[int | Type, Token]] = []
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
            if isinstance(e, ast.Name) and e.variable.stand_in is not None:
                bounds.append((e.variable.stand_in, token))
                continue
            if e.type.kind == "record" and not self.pattern and self.conversions(e.type.bare):
                # [dcl.array]: a constant that is converted to std::size_t.
                e = self.convert(e, ty.ULONG, "converting")
            value = constant.evaluate(e)
            if value is None and self.pattern:
                bounds.append((Type("value", "?"), token))
                continue
            if value is None:
                kind = "__global__" if self.function is not None and self.function.space == "global" else "__device__"
                self.fail(f"cannot use variable-length arrays in {kind} functions", token)
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
            if isinstance(count, Type):
                made = Type("array", "", 0, 1, elem=elem, count=-1, llvm="")
                made.cache["bound"] = count
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
        self.expect("(")
        outer = self.scope
        if made.owner is not None and made.owner.record is not None and made.owner.record.scope is not None:
            # Parameters of a member defined outside of its class are looked up in the class.
            self.scope = made.owner.record.scope
            templates = [outer] if outer.kind == "template" else []
            while templates and templates[-1].parent is not None and templates[-1].parent.kind == "template":
                templates.append(templates[-1].parent)
            for parameters in reversed(templates):
                self.scope = ast.Scope("template", self.scope)
                self.scope.names = parameters.names
        elif made.space is not None and outer.kind != "template":
            self.scope = made.space
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
            self._parameters(params, defaults)
            if not self.accept(",") and not self.at("..."):
                break
        self.expect(")")
        self.nest -= 1
        self.scope = outer
        while (self.token.kind == IDENT and self.token.text in _AFTER_PARAMETERS) or (self.at("&") or self.at("&&")):
            word = self.take().text
            made.this_quals |= _THIS_QUALS.get(word, 0)
            made.override, made.final = made.override or word == "override", made.final or word == "final"
            if word == "noexcept":
                start = self.i
                if self.at("("):
                    self.skip_balanced()
                made.nothrow = [*self.tokens[start : self.i], Token(EOF, "", self.token.source, self.token.start)]
            elif word == "throw":
                made.nothrow = self.exception_specification() or made.nothrow
        if self.at("->"):
            self.i += 1
            self.scope = scope
            made.type = self.type_name()
            self.scope = outer
        if self.token.text == "requires" and self.constrains:
            made.constraint = self.constraint_tokens()
        if made.type.kind in ("array", "function"):
            self.fail(f"function cannot return {made.type.kind} type '{made.type}'", made.name or self.token)
        made.params, made.defaults = params, defaults
        made.type = ty.function(
            made.type, [ty.unqualified(p.type) if p.type.kind != "array" else p.type for p in params], variadic
        )

    def exception_specification(self) -> list[Token] | None:
        """Behind `throw`: `()`, which is `noexcept`, or types, as there were before C++17."""
        start = self.i
        self.skip_balanced()
        if self.i == start + 2:
            return [Token(EOF, "", self.token.source, self.token.start)]
        if self.options.std >= "c++17":
            self.fail("ISO C++17 does not allow dynamic exception specifications", self.tokens[start - 1])
        return None

    def _parameters(self, params: list[ast.Variable], defaults: list[Default]) -> None:
        """One parameter, or those that a pack expands to."""
        end = self.expansion_end(angles=True) if self.has_packs else None
        if end is None:
            self._parameter(params, defaults)
            return
        names, first, scope = self.pack_names(self.i, end), len(params), self.scope
        if all(not self.lookup(n) for n in names):
            # No elements: past the whole of it.
            self.i = end + 1
            name = self.take().text if self.token.kind == IDENT else ""
            for text in (")", "]"):
                if self.at(text) and name == "":
                    break
            if name:
                scope.names[name] = ()
            return
        name, after = "", 0
        for _ in self.expansions(self.i, end):
            inner = self.scope
            self.scope = ast.Scope("template", inner)
            self._parameter(params, defaults)
            name, after = params[-1].name, len(self.tokens) - self.i
            self.scope = inner
        self.i = len(self.tokens) - after
        if name:
            scope.names[name] = tuple(params[first:])

    def _parameter(self, params: list[ast.Variable], defaults: list[Default]) -> None:
        specs = self.specifiers()
        assert specs.type is not None
        d = self.declarator(specs.type, abstract=True, parameter=True)
        pack = self.accept("...") is not None
        if pack:
            if self.token.kind == IDENT:
                d.name = self.identifier()
            elif self.at("("):
                pass
        t = d.type
        if t.kind == "array":
            assert t.elem is not None
            t = ty.pointer(t.elem)
        elif t.kind == "function":
            t = ty.pointer(t)
        if t.kind == "void":
            self.fail("argument may not have 'void' type", specs.at)
        self.check_arguments(t, specs.at)
        if type(t.record) is ty.Record and t.record.complete and t.record.abstract:
            self.fail(f"parameter type '{t}' is an abstract class", d.name or specs.at)
        if "__grid_constant__" in specs.words and not t.const and not self.pattern:
            self.fail("__grid_constant__ is only allowed on const-qualified kernel parameters", d.name or specs.at)
        name = d.name.text if d.name is not None else ""
        if pack and self.pattern:
            t = Type("pack", "", elem=t)
        v = ast.Variable(name, t, d.name or specs.at, "param", restrict=d.restrict)
        v.grid_constant = "__grid_constant__" in specs.words
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
                elif token.text == "<" and depth == 0 and self._follows_template():
                    self.skip_template_arguments()
                    continue
            self.i += 1

    def _follows_template(self) -> bool:
        """The `<` at the cursor opens the arguments of the template that is named before it."""
        name = self.peek(-1)
        if name.kind != IDENT:
            return False
        if self.peek(-2).text in ("::", ".", "->"):
            # Whatever the name means there: no comparison ends like this.
            start = self.i
            self.skip_template_arguments()
            behind, self.i = self.token.text, start
            return behind in ("(", "{", "::", ")", ",")
        found = self.lookup(name.text)
        if isinstance(found, Type):
            return found.kind == "spec" or (found.record is not None and bool(found.record.template_name))
        return isinstance(found, ast.ClassTemplate) or (
            isinstance(found, list) and any(isinstance(f, ast.FunctionTemplate) for f in found)
        )

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
            self.i += 1
            text = 'operator""' + self.identifier().text
        elif nxt.text in ("new", "delete"):
            self.i += 1
            text = f"operator {nxt.text}"
            if self.accept("["):
                self.expect("]")
                text += "[]"
        else:
            specs = self.specifiers()
            t = specs.type or ty.INT
            while self.token.text in ("*", "&", "&&"):
                mark = self.take().text
                t = ty.pointer(t) if mark == "*" else ty.reference(t, mark == "&&")
                while self.token.text in QUALIFIERS:
                    t = ty.qualified(t, QUALIFIERS[self.take().text])
            text = f"operator {t}"
            self.conversion_type = t
        return Token(IDENT, text, token.source, token.start, token.space, False, None, self.tokens[self.i - 1].span.end)

    conversion_type: Type | None = None
