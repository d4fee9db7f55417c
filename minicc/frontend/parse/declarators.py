"""Types as written: specifiers, declarators, type names."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import KEYWORDS, Abandon
from minicc.frontend.parse.names import BASIC, SPECIFIERS, TAGS, TYPEOF, Names, opaque
from minicc.frontend.sema import constant
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.sema.traits import MAKERS
from minicc.frontend.tokens import EOF, IDENT, NUMBER, PUNCT, STRING, Token
from minicc.frontend.types import CONST, VOLATILE, Type

_SPACES = {"__device__": "device", "__global__": "global", "__host__": "host", "__shared__": "shared", "__constant__": "constant",  # noqa: E501
           "__managed__": "managed"}  # fmt: skip
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
    ("__int128",): ty.INT128, ("__int128", "signed"): ty.INT128, ("__int128", "unsigned"): ty.UINT128,
    ("char8_t",): ty.UCHAR, ("char16_t",): ty.USHORT, ("char32_t",): ty.UINT,
}  # fmt: skip


_AFTER_PARAMETERS = frozenset(("const", "volatile", "noexcept", "override", "final", "mutable"))

Default = tuple[list[Token], ast.Scope | None] | None


class Specifiers:
    """What stands before the declarators."""

    def __init__(self, at: Token) -> None:
        self.at = at
        self.type: Type | None = None
        self.quals = 0
        self.words: set[str] = set()
        self.spaces: set[str] = set()
        self.align = 0
        self.bounds: tuple[int, ...] = ()
        self.cluster: tuple[int, ...] = ()
        self.defined = False
        """Defines or declares a struct, union or enum."""


class Declarator:
    def __init__(self, name: Token | None, type: Type, restrict: bool = False) -> None:
        self.name, self.type, self.restrict = name, type, restrict
        self.params: list[ast.Variable] | None = None
        """Of a function declarator."""
        self.defaults: list[Default] = []
        self.this_quals = 0
        self.owner: Type | None = None
        self.space: ast.Scope | None = None
        """The namespace that `space::name` names."""

    """`Class::name`."""
    override: bool = False
    final: bool = False
    param_scope: ast.Scope | None = None
    constraint: list[Token] | None = None
    """Of the requires-clause after the parameters."""


_THIS_QUALS = {"const": CONST, "volatile": VOLATILE, "&": ty.ON_LVALUE, "&&": ty.ON_RVALUE}


class Declarators(Names):
    # -- specifiers

    def simple_type(self) -> Type:
        token = self.token
        if token.text in BASIC:
            words: list[str] = []
            while self.token.kind == IDENT and self.token.text in BASIC:
                words.append(self.take().text)
            return self._combine(words, token)
        if token.text == "typename":
            self.i += 1
            return self._typename()
        if token.text in ("decltype", "auto", *TYPEOF, *MAKERS):
            specs = self.specifiers()
            assert specs.type is not None
            return specs.type
        return self.type_entity(*self.qualified())

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
                    if self.peek(2).text == "noreturn":
                        specs.words.add("noreturn")
                    self.skip_balanced()
                    continue
                if text == "::" and specs.type is None and not words and token.kind == PUNCT:
                    specs.type = self.simple_type()
                    continue
                break
            if text in BASIC:
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
            elif text in TAGS:
                specs.type = self.tagged(specs)
            elif text == "auto":
                specs.type = ty.AUTO
                self.i += 1
            elif text == "decltype" or text in TYPEOF:
                specs.type = self._decltype() if text == "decltype" else self._typeof()
            elif text in MAKERS:
                specs.type = self._made_type()
            elif text == "typename":
                self.i += 1
                specs.type = self._typename()
            elif self._is_constructor_name() or (self.function is None and self._is_constructor_outline()):
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
        if self.at("decltype"):
            return self._decltype()
        outer, self.naming_type = self.naming_type, True
        try:
            return self.type_entity(*self.qualified())
        finally:
            self.naming_type = outer

    def _no_type(self) -> None:
        token = self.token
        self.why_not(token.text)
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
        scope = self.scope
        if scope.kind == "template" and scope.parent is not None:
            scope = scope.parent
        record = scope.record
        if record is None or self.token.text not in (record.name.partition("<")[0], record.template_name):
            return False
        if self.peek().text != "<":
            return self.peek().text == "("
        converts = self.tokens[self.i - 1].text in ("operator", "const", "volatile")
        return not converts and self.tokens[self._past_arguments(self.i + 1)].text == "("

    def _past_arguments(self, k: int) -> int:
        """The index behind the `<...>` at index `k`."""
        depth = 0
        while self.tokens[k].kind != EOF:
            depth += self.brackets(k, depth)
            k += 1
            if depth <= 0:
                break
        return k

    def _is_constructor_outline(self) -> bool:
        """`Class::Class(`, `Class<T>::Class(`, `Outer::Class::~Class`."""
        k = self.i
        while self.tokens[k].kind == IDENT:
            name = self.tokens[k].text
            k += 1
            if self.tokens[k].text == "<":
                k = self._past_arguments(k)
            if self.tokens[k].text != "::" or self.tokens[k].kind == EOF:
                return False
            k += 1
            if self.tokens[k].text == "~":
                return True
            if self.tokens[k].text == name and self.tokens[k + 1].text == "(":
                return True
        return False

    def constructor_outline(self) -> Declarator:
        """`Class::Class(params)` at the cursor."""
        at = self.token
        owner = self.type_entity(*self._class_before_colons())
        ends = self.accept("~") is not None
        name = self.identifier()
        if ends:
            name = Token(IDENT, "~" + name.text, at.source, name.start)
        d = Declarator(name, ty.VOID)
        d.owner = owner
        self._function_suffix(d)
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
            if scope is None or self.at("~") or (self.token.text == name.text and self.peek().text == "("):
                return found, name

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

    def _made_type(self) -> Type:
        """`__underlying_type(T)` and its kind."""
        made = MAKERS[self.take().text]
        self.expect("(")
        t = self.type_name()
        self.expect(")")
        return opaque() if dependent(t) else made(t)

    def _typeof(self) -> Type:
        """GNU's typeof: of a type, or of an expression, without reference."""
        if self.peek().text == "(" and self.starts_type(2):
            self.i += 2
            t = self.type_name()
            self.expect(")")
        else:
            t = self._decltype()
        return t.elem if t.kind == "reference" and t.elem is not None else t

    def _decltype(self) -> Type:
        self.i += 1
        start = self.i
        self.expect("(")
        if self.at("auto") and self.peek().text == ")":
            self.i += 2
            return ty.DECLTYPE_AUTO
        self.unevaluated += 1
        ends, self.greater_ends = self.greater_ends, False
        try:
            plain = self._unparenthesised()
            e = self.expression()
            self.expect(")")
            if isinstance(e, ast.Overloads):
                e = self.function_value(e, None)
                return e.type.elem or e.type
        except Abandon:
            if not self.pattern:
                raise
            self.i = start
            self.skip_balanced()
            return opaque()
        finally:
            self.unevaluated -= 1
            self.greater_ends = ends
        if plain and isinstance(e, ast.Name) and e.variable.storage != "special":
            t = e.variable.type
        elif plain and isinstance(e, ast.Member):
            t = e.field.type
        elif isinstance(e, ast.Call) and e.function.type.elem is not None:
            t = e.function.type.elem
        else:
            t = ty.reference(e.type) if e.lvalue else e.type
        # decltype(f())::type
        if self.at("::") and t.record is not None and t.record.scope is not None:
            while self.at("::") and t.record is not None and t.record.scope is not None:
                entity = self._member_entity(t.record.scope, self.peek())
                if not isinstance(entity, Type):
                    break
                self.i += 2
                t = entity
        return (
            opaque() if self.pattern and (t.kind == "error" or (isinstance(e, ast.Name) and e.variable.stand_in)) else t
        )

    def _unparenthesised(self) -> bool:
        """`decltype(x)` and `decltype(a.b)` give the declared type."""
        k = self.i
        while self.tokens[k].kind == IDENT or self.tokens[k].text in (".", "->", "::"):
            k += 1
        return self.tokens[k].text == ")"

    def tagged(self, specs: Specifiers) -> Type:
        raise NotImplementedError

    @property
    def constrains(self) -> bool:
        raise NotImplementedError

    def constraint_tokens(self) -> list[Token]:
        raise NotImplementedError

    # -- declarators

    def simple_type_with_pointers(self) -> Type:
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
            elif token.kind == IDENT and self.peek().text in ("::", "<") and self._is_member_pointer():
                base = ty.member_pointer(self._member_pointer_class(), base, self.member_quals)
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
            if self.at("(") and self.peek().text == ")":
                self._function_suffix(outer)
            else:
                self._suffixes(outer, abstract)
            end = self.i
            self.i = start
            quals, self.member_quals = self.member_quals, outer.this_quals
            inner = self.declarator(outer.type, abstract)
            self.member_quals = quals
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
        while self.at("__attribute__"):
            self.i += 1
            self.skip_balanced()
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
        entity: object = self.lookup_qualifier(name.text)
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
        while self.at("::") or (self.at("<") and isinstance(self.lookup(name.text), ast.ClassTemplate)):
            outer = made.space
            if made.owner is not None and made.owner.record is not None:
                outer = made.owner.record.scope
            found = self.lookup(name.text) if outer is None else self.find_in(outer, name.text)
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
            and self._is_parameter_list()
        ):
            self._function_suffix(made)

    def _is_parameter_list(self) -> bool:
        """Inside functions `T x(a)` constructs; a parameter list begins with a type, or is empty at file scope."""
        after = self.peek()
        if after.text in (")", "..."):
            return self.function is None or after.text == "..."
        if self.function is not None:
            return self.starts_type(1)
        if after.kind == IDENT:
            return not isinstance(self.lookup(after.text), ast.Variable) or self.peek(2).text == "::"
        return after.kind == PUNCT and after.text in ("[", "::")

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
            value = constant.evaluate(e)
            if value is None and self.pattern:
                bounds.append((Type("value", "?"), token))
                continue
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
            self.scope = made.owner.record.scope if outer.kind != "template" else outer
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
            if word == "noexcept" and self.at("("):
                self.skip_balanced()
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
        d = self.declarator(specs.type, abstract=True)
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
        name = d.name.text if d.name is not None else ""
        if pack and self.pattern:
            t = Type("pack", "", elem=t)
        v = ast.Variable(name, t, d.name or specs.at, "param", restrict=d.restrict)
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
            self.i += 1
            text = 'operator""' + self.identifier().text
        else:
            specs = self.specifiers()
            t = specs.type or ty.INT
            while self.at("*") or self.at("&"):
                t = ty.pointer(t) if self.take().text == "*" else ty.reference(t)
            text = f"operator {t}"
            self.conversion_type = t
        return Token(IDENT, text, token.source, token.start, token.space, False, None, self.tokens[self.i - 1].span.end)

    conversion_type: Type | None = None
