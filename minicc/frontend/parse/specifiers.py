"""What stands before declarators: types by their words and names, storage, attributes."""

from __future__ import annotations

from typing import NoReturn

from minicc.diagnostics import Span
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.names import BASIC, SPECIFIERS, TAGS, TYPEOF, Names, opaque
from minicc.frontend.sema import constant
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.sema.traits import MAKERS
from minicc.frontend.tokens import EOF, IDENT, PUNCT, Token
from minicc.frontend.types import CONST, VOLATILE, Type

SPACES = {"__device__": "device", "__global__": "global", "__host__": "host", "__shared__": "shared", "__constant__": "constant",  # noqa: E501
           "__managed__": "managed"}  # fmt: skip
QUALIFIERS = {"const": CONST, "volatile": VOLATILE}
_STORAGE = frozenset(("static", "extern", "register", "typedef", "mutable"))
"""A declaration has one of them at most ([dcl.stc])."""
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
    ("double", "long"): ty.LDOUBLE,
    ("__int128",): ty.INT128, ("__int128", "signed"): ty.INT128, ("__int128", "unsigned"): ty.UINT128,
    ("char8_t",): ty.CHAR8, ("char16_t",): ty.CHAR16, ("char32_t",): ty.CHAR32,
}  # fmt: skip


def _combines(words: list[str]) -> bool:
    """The words of a type, or some of them."""
    return any(all(words.count(w) <= whole.count(w) for w in words) for whole in _CHOICES)


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


class TypeSpecifiers(Names):
    named_types: list[tuple[ty.Record, Token]]
    """Of the declaration at a namespace's level that is being read: members of classes that it names as types. Whether
    it may is known once it is seen what it declares ([class.access])."""

    def simple_type(self) -> Type:
        """The type before ( or { of a functional cast."""
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
        entity, name = self.qualified()
        if name is not token and self.qualifier is not None and self.qualifier.record is not None:
            if self.function is not None:
                self.check_type_access(self.qualifier.record, name)
            elif _at_namespace(self.scope) and not (self.quiet or self.pattern or self.library):
                self.named_types.append((self.qualifier.record, name))
        return self.type_entity(entity, name)

    def _combine(self, words: list[str], at: Token) -> Type:
        found = _CHOICES.get(tuple(sorted(words)))
        plain = next((w for w in words if w in ("float", "double", "bool", "void")), None)
        if found is None and plain is not None and {"signed", "unsigned"} & set(words):
            self.fail(f"'{plain}' cannot be signed or unsigned", at)
        if found is None:
            first = next(k for k in range(1, len(words) + 1) if not _combines(words[:k]))
            before = " ".join(words[: first - 1])
            slip = next(t for t in self.tokens[self.i - 1 :: -1] if t.text == words[-1]) if first == len(words) else at
            self.fail(f"cannot combine with previous '{before}' declaration specifier", slip)
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
                    if self.peek(2).text in ("noreturn", "no_unique_address"):
                        specs.words.add(self.peek(2).text)
                    self.attributes()
                    continue
                if text == "::" and specs.type is None and not words and token.kind == PUNCT:
                    specs.type = self.simple_type()
                    continue
                break
            if text in BASIC:
                if specs.type is not None:
                    self._second_type(specs, token)
                words.append(text)
                self.i += 1
            elif text in QUALIFIERS:
                specs.quals |= QUALIFIERS[text]
                self.i += 1
            elif text in SPECIFIERS:
                self._specifier(specs, token)
            elif specs.type is not None or words:
                break
            else:
                specs.type = self._type_specifier(specs)
                if specs.type is None:
                    break
        if words:
            specs.type = self._combine(words, specs.at)
        if specs.type is None and need_type:
            self._no_type()
        if specs.type is not None:
            specs.type = ty.qualified(specs.type, specs.quals)
        return specs

    def _type_specifier(self, specs: Specifiers) -> Type | None:
        """A type that is one word or one construct at the cursor, or None where none begins there."""
        text = self.token.text
        if text in TAGS:
            return self.tagged(specs)
        if text == "auto":
            self.i += 1
            return ty.AUTO
        if text == "decltype":
            return self._decltype()
        if text in TYPEOF:
            return self._typeof()
        if text in MAKERS:
            return self._made_type()
        if text == "typename":
            self.i += 1
            return self._typename()
        if self.placeholder_at(self.i):
            constraint = self.type_constraint() or []
            return ty.ConstrainedAuto(constraint) if self.accept("auto") else self._decltype()
        constructor = self._is_constructor_name() or (self.function is None and self._is_constructor_outline())
        if constructor or not self.starts_type(0):
            return None
        named = self.simple_type()
        if named.plain is None or named.quals:
            return named
        # The alignment of a typedef is for objects of that name alone.
        if self.token.text not in ("*", "&", "&&"):
            specs.align = max(specs.align, named.align)
        return named.plain

    def _second_type(self, specs: Specifiers, token: Token) -> NoReturn:
        """A word for a type behind a type; behind a class, it is a semicolon that is missing."""
        if specs.defined and (brace := self._behind_class()) is not None:
            end = brace.span.end
            self.fail(f"expected ';' after {specs.at.text}", Span(brace.source, end, end + 1), code="frontend.syntax")
        self.fail(f"cannot combine with previous '{specs.type}' declaration specifier", token)

    def _behind_class(self) -> Token | None:
        """The brace of a class, where only words like __global__ stand between it and the cursor."""
        k = self.i - 1
        while self.tokens[k].text in SPECIFIERS:
            k -= 1
        return self.tokens[k] if self.tokens[k].text == "}" else None

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
        return not converts and self.tokens[self.past_arguments(self.i + 1)].text == "("

    def past_arguments(self, k: int) -> int:
        """The index behind the `<...>` at index `k`."""
        depth = 0
        while self.tokens[k].kind != EOF:
            depth += self.brackets(k, depth)
            k += 1
            if depth <= 0:
                break
        return k

    def _is_constructor_outline(self) -> bool:
        """`Class::Class(`, `Class<T>::Class(`, `Outer::Class::~Class`, `Class::operator int(`."""
        k = self.i
        while self.tokens[k].kind == IDENT:
            name = self.tokens[k].text
            k += 1
            if self.tokens[k].text == "<":
                k = self.past_arguments(k)
            if self.tokens[k].text != "::" or self.tokens[k].kind == EOF:
                return False
            k += 1
            if self.tokens[k].text == "~":
                return True
            if self.tokens[k].text == "operator":
                return self.tokens[k + 1].kind == IDENT and self.tokens[k + 1].text not in ("new", "delete")
            if self.tokens[k].text == name and self.tokens[k + 1].text == "(":
                return True
        return False

    def _alignment(self) -> int:
        if self.starts_type(0):
            return self.type_name().align
        return self.constant_integer(self.conditional_expression(), "alignment is not a constant expression")

    def _specifier(self, specs: Specifiers, token: Token) -> None:
        text = token.text
        self.i += 1
        if text in SPACES:
            specs.spaces.add(SPACES[text])
        elif text in ("__align__", "alignas"):
            self.expect("(")
            for value in self.expanded(self._alignment):
                if value < 0 or value & (value - 1) or value > 1 << 16:
                    self.fail("requested alignment is not a power of 2", token)
                specs.align = max(specs.align, value)
            self.expect(")")
        elif text == "__launch_bounds__":
            specs.bounds = self._integers(token, 1, 3)
        elif text == "__maxnreg__":
            self._integers(token, 1, 1)
        elif text == "__cluster_dims__":
            specs.cluster = self._integers(token, 1, 3)
        elif text == "__attribute__":
            self._attribute(specs)
        else:
            before = next((w for w in specs.words & _STORAGE if w != text), None) if text in _STORAGE else None
            if before is not None:
                self.fail(f"cannot combine with previous '{before}' declaration specifier", token)
            if text != "explicit" or not self.at("(") or self._explicit_if(token):
                specs.words.add(text)

    def _explicit_if(self, token: Token) -> bool:
        """`(condition)` behind explicit; in a pattern, where it has no value yet, false."""
        self.expect("(")
        known = constant.evaluate(self.condition(self.conditional_expression()))
        self.expect(")")
        if known is None and not self.pattern:
            self.fail("explicit specifier argument is not a constant expression", token)
        return bool(known)

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
                self.warn("frontend.negative-bound", f"'{token.text}' attribute is ignored: a value is negative", token)
            out.append(max(value, 0))
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
        """`((...))` behind `__attribute__`."""
        start = self.i
        self.skip_balanced()
        end = self.i
        for k, token in enumerate(self.tokens[start + 2 : end - 2], start + 2):
            name = token.text.strip("_")
            if name in ("device", "global", "shared", "constant", "host"):
                specs.spaces.add(name)
            elif name == "noinline":
                specs.words.add("__noinline__")
            elif name == "always_inline":
                specs.words.add("__forceinline__")
            elif name in ("aligned", "align"):
                self.i = k + 1
                value = self._integers(token, 1, 1)[0] if self.at("(") else 16
                specs.align = max(specs.align, value)
        self.i = end

    def gnu_alignment(self) -> int:
        """What `__attribute__((aligned(n)))` at the cursor asks for, behind a declarator or a class; else 0."""
        holder = Specifiers(self.token)
        while self.accept("__attribute__"):
            self._attribute(holder)
        return holder.align

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
        quiet, self.quiet = self.quiet, self.quiet + bool(self.pattern)
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
            self.quiet, self.greater_ends = quiet, ends
        if plain and isinstance(e, ast.Name) and e.variable.storage != "special":
            t = e.variable.declared or e.variable.type
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


def _at_namespace(scope: ast.Scope | None) -> bool:
    """A namespace's scope, or that of the parameters of a function declared there."""
    while scope is not None and scope.kind == "function":
        scope = scope.parent
    return scope is not None and scope.kind in ("file", "namespace")
