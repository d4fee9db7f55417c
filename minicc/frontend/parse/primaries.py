"""Primary expressions: literals, names, keywords, casts in function style, what brackets hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from minicc.frontend import ast, literals
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import KEYWORDS, Abandon
from minicc.frontend.parse.questions import ASKED, Questions
from minicc.frontend.sema import constant
from minicc.frontend.sema.convert import bit_field, is_derived
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.tokens import CHAR, IDENT, NUMBER, OTHER, PUNCT, STRING, Token
from minicc.frontend.types import Field, Type

_CHARACTERS = {"": ty.CHAR, "L": ty.WCHAR, "u": ty.CHAR16, "U": ty.CHAR32, "u8": ty.CHAR}
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"))


class Primaries(Questions):
    qualifier: ast.Scope | None = None
    """The scope that the last qualified name was looked up in; None if it was not qualified."""

    def explicit_cast(self, e: ast.Expr, target: Type, at: Token, style: str = "C-style cast") -> ast.Expr:
        if self.pattern and (dependent(e.type) or dependent(target)):
            return self.dependent_number(at)
        return super().explicit_cast(e, target, at, style)

    # -- primary

    def primary(self) -> ast.Expr:
        token = self.tokens[self.i]
        kind = token.kind
        if kind == NUMBER:
            self.i += 1
            return self._numeric(token)
        if kind == IDENT:
            return self._identifier_expression(token)
        if kind == PUNCT:
            if token.text == "(":
                if self.peek().text == "{" and self.function is not None:
                    return self._statement_expression(token)
                folded = self.fold_expression()
                if folded is not None:
                    return folded
                return self._parenthesised(token)
            if token.text == "::":
                return self._identifier_expression(token)
            if token.text == "[":
                return self.lambda_expression()
            if token.text == "<<<" or (token.text == "<<" and self.peek().text == "<"):
                self.fail("launching kernels from device code is not supported", token)
        if kind == STRING:
            return self._text(token)
        if kind == CHAR:
            self.i += 1
            return self._suffixed(token, [self._character(token)])
        if kind == OTHER:
            if token.text == "'" and self.peek().text[:1] == "'" and not self.peek().space:
                self.fail("empty character constant", token, code="frontend.syntax")
            if token.text in "\"'":
                self.fail(f"missing terminating {token.text} character", token, code="frontend.syntax")
            self.fail(f"unexpected character <U+{ord(token.text):04X}>", token, code="frontend.syntax")
        self.fail("expected expression", token, code="frontend.syntax")

    def _statement_expression(self, token: Token) -> ast.Expr:
        self.i += 1
        ends, self.greater_ends = self.greater_ends, False
        block = self.block()
        self.greater_ends = ends
        self.expect(")")
        last = block.items[-1] if block.items else None
        if not isinstance(last, ast.ExprStmt) or last.value.type.kind == "void":
            return ast.StatementExpression(ty.VOID, token, block, None)
        block.items.pop()
        value = self.decay(last.value)
        return ast.StatementExpression(value.type.bare, token, block, value)

    def _bit_cast(self, token: Token) -> ast.Expr:
        self.i += 2
        t = self.type_name()
        self.expect(",")
        e = self.assignment()
        self.expect(")")
        functions = self.standard("bit_cast")
        assert isinstance(functions, list)
        return self.call(ast.Overloads(ty.VOID, token, "bit_cast", functions, [t]), [e], token)

    def _character(self, token: Token) -> ast.Expr:
        prefix, _, body = token.text.partition("'")
        try:
            if prefix:
                element = self._character_type(prefix)
                return self.number(literals.wide_character(body[:-1], element.size), element, token)
            value = literals.character(token.text)
        except literals.BadLiteral as bad:
            self.fail(str(bad), bad.within(token))
        return self.number(value, ty.CHAR if len(literals.unescape(token.text[1:-1])) == 1 else ty.INT, token)

    def _suffixed(self, token: Token, args: list[ast.Expr]) -> ast.Expr:
        """A character or a text, of which `args` tell a literal operator if its name follows at once."""
        following = self.tokens[self.i]
        if following.text.startswith("_") and not following.space and following.kind == IDENT:
            self.i += 1
            return self._user_literal(token, following.text, args)
        return args[0]

    def _user_literal(self, token: Token, suffix: str, args: list[ast.Expr]) -> ast.Expr:
        """`12_km`, `"text"_s`: a call of operator""_km."""
        name = Token(IDENT, f'operator""{suffix}', token.source, token.start)
        found = self.lookup(name.text)
        if not isinstance(found, list):
            self.fail(f"no matching literal operator for call to '{name.text}'", token)
        if isinstance(args[0], ast.Text) and all(isinstance(f, ast.FunctionTemplate) for f in found):
            # A template takes the text as an argument of its own, an object of a class ([lex.ext]).
            value = self.constant_argument(args[0], found[0].params[0])
            return self.call(ast.Overloads(ty.VOID, name, name.text, found, [value]), [], token)
        return self.call(ast.Overloads(ty.VOID, name, name.text, found), args, token)

    def _numeric(self, token: Token) -> ast.Expr:
        text = token.text
        cut = literals.suffix(text)
        if cut > 0 and (text[cut] == "_" or self.lookup(f'operator""{text[cut:]}') is not None):
            suffix, text = text[cut:], text[:cut]
            raw = self.lookup(f'operator""{suffix}')
            if isinstance(raw, list) and all(isinstance(f, ast.FunctionTemplate) for f in raw):
                # A template takes the characters as its arguments.
                name = Token(IDENT, f'operator""{suffix}', token.source, token.start)
                return self.call(ast.Overloads(ty.VOID, name, name.text, raw, [*map(ord, text)]), [], token)
            takes = [f.type.params for f in raw if isinstance(f, ast.Function)] if isinstance(raw, list) else []
            wanted = "float" if literals.is_floating(text) else "int"
            if not any(p and p[0].kind == wanted for p in takes) and any(p and p[0].kind == "pointer" for p in takes):
                # No operator takes the number itself: one for its spelling does ([lex.ext]).
                return self._user_literal(token, suffix, [self.decay(self.make_text(text.encode(), token))])
            number = self._numeric(Token(NUMBER, text, token.source, token.start))
            wide = ty.LDOUBLE if number.type.kind == "float" else ty.ULLONG
            return self._user_literal(token, suffix, [self.cast(number, wide)])
        try:
            if literals.is_floating(text):
                value, single = literals.floating(text)
                wide = ty.LDOUBLE if text[-1] in "lL" else ty.DOUBLE
                return ast.Number(ty.FLOAT if single else wide, token, value)
            n = literals.integer(text)
        except literals.BadLiteral as bad:
            self.fail(str(bad), bad.within(token), code="frontend.literal")
        if n.value < 1 << 31 and not n.unsigned and not n.longs:
            return ast.Number(ty.INT, token, n.value)
        ladder = [(ty.INT, ty.UINT), (ty.LONG, ty.ULONG), (ty.LLONG, ty.ULLONG)][n.longs :]
        for signed, unsigned in ladder:
            if not n.unsigned and n.value < 1 << (signed.bits - 1):
                return ast.Number(signed, token, n.value)
            if (n.unsigned or not n.decimal) and n.value < 1 << unsigned.bits:
                return ast.Number(unsigned, token, n.value)
        self.warn(
            "frontend.literal",
            "integer literal is too large to be represented in a signed integer type, interpreting as unsigned",
            token,
        )
        return ast.Number(ty.ULLONG if n.longs == 2 else ty.ULONG, token, n.value)

    def _text(self, token: Token) -> ast.Expr:
        first = self.i
        while self.token.kind == STRING:
            self.i += 1
        parts, prefix = self.tokens[first : self.i], ""
        for part in parts:
            # Those without a prefix take on the others'.
            own = literals.prefix(part.text)
            if own and prefix not in ("", own):
                self.fail("unsupported non-standard concatenation of string literals", part)
            prefix = own or prefix
        data, element = b"", self._character_type(prefix)
        for part in parts:
            try:
                data += literals.string(part.text, element.size)
            except literals.BadLiteral as bad:
                self.fail(str(bad), bad.within(part))
        text = self.make_text(data, token, element)
        return self._suffixed(token, [text, self.number(len(data) // element.size, ty.ULONG, token)])

    def make_text(self, data: bytes, at: Token, element: Type = ty.CHAR) -> ast.Expr:
        data += bytes(element.size)
        return ast.Text(ty.array(ty.qualified(element, ty.CONST), len(data) // element.size), at, data, lvalue=True)

    def _character_type(self, prefix: str) -> Type:
        return ty.CHAR8 if prefix == "u8" and self.constrains else _CHARACTERS[prefix]

    def _identifier_expression(self, token: Token) -> ast.Expr:
        text = token.text
        if text in KEYWORDS or text == "__FUNCTION__":
            return self._keyword_expression(token)
        if text in ASKED and self.peek().text == "(":
            return self.question(token)
        if text in ("offsetof", "__builtin_offsetof") and self.peek().text == "(":
            return self._offset_of(token)
        if text == "__builtin_addressof" and self.peek().text == "(":
            self.i += 1
            return self.address_of(self._parenthesised(token), token)
        if text == "__builtin_bit_cast" and self.peek().text == "(":
            return self._bit_cast(token)
        if text == "requires" and self.constrains:
            return self.requires_expression(token)
        if self.starts_type(0):
            return self._functional_cast()
        if self.peek().text == "(" and self.lookup(text) is None:
            # A function that the arguments' classes may bring along.
            self.i += 1
            return ast.Overloads(ty.VOID, token, text, [])
        if self.peek().text == "<" and self.constrains and self._calls_template():
            self.i += 1
            return ast.Overloads(ty.VOID, token, text, [], self.template_arguments(None))
        entity, name = self.qualified()
        if name is not token and self.qualifier is not None and self.qualifier.record is not None:
            self.check_access(self.qualifier.record, name)
        made = self._own_assignment(name) if name.text == "operator=" else None
        made = made or self.entity_expression(entity, name)
        if name is not token and isinstance(made, ast.Overloads):
            made.direct = True
        return made

    def _own_assignment(self, name: Token) -> ast.Expr | None:
        """`operator=` or `Base::operator=` of the object whose member function this is; None where there is none."""
        this = self.object_of(name, lambda record: not record.closure)
        owner = self.qualifier.record_type if self.qualifier is not None else None
        if this is None:
            return None
        if owner is not None and owner.bare is not this.type.bare:
            if not is_derived(this.type.bare, owner.bare):
                return None
            this = self.bind(this, ty.reference(ty.qualified(owner, this.type.quals)))
        return self.member_named(this, name)

    def _offset_of(self, token: Token) -> ast.Expr:
        """`offsetof(T, a.b[2])`"""
        self.i += 2
        t = self.type_name()
        self.expect(",")
        offset = 0
        at = self.identifier()
        while True:
            field = (t.record.find(at.text) or t.record.find_unnamed(at.text)) if t.record is not None else None
            if t.record is None or field is None:
                self.fail(f"no member named '{at.text}' in '{t}'", at, code="frontend.no-member")
            offset += t.record.unnamed_offset(field)
            if field.bit_width:
                self.fail(f"cannot compute offset of bit-field '{at.text}'", at)
            offset, t = offset + field.offset, field.type
            while self.accept("[") and t.elem is not None:
                t = t.elem
                offset += t.size * self.constant_integer(self.expression(), "array index is not constant")
                self.expect("]")
            if not self.accept("."):
                break
            at = self.identifier()
        self.expect(")")
        return self.number(offset, ty.ULONG, token)

    def _keyword_expression(self, token: Token) -> ast.Expr:
        text = token.text
        if text in ("true", "false"):
            self.i += 1
            return self.number(int(text == "true"), ty.BOOL, token)
        if text == "nullptr":
            self.i += 1
            return self.number(0, ty.NULLPTR, token)
        if text == "this":
            self.i += 1
            this = self.object_of(token, lambda record: not record.closure)
            if this is None:
                self.fail("invalid use of 'this' outside of a non-static member function", token)
            return self.address_of(this, token)
        if text == "__FUNCTION__":
            self.i += 1
            return self.make_text((self.function.name if self.function else "").encode(), token)
        if text in _CASTS:
            self.i += 1
            self.expect("<", f"after '{text}'")
            target = self.type_name()
            self.expect(">")
            e = self._parenthesised(token)
            if text == "dynamic_cast":
                self.fail("'dynamic_cast' is not supported in device code", token)
            return self.explicit_cast(e, target, token, text)
        if text == "operator":
            name = self.operator_name()
            self.qualifier = None
            own = self._own_assignment(name) if name.text == "operator=" else None
            if own is not None:
                return own
            found = self.lookup(name.text)
            if not isinstance(found, list):
                self.fail(f"use of undeclared '{name.text}'", name)
            return self.entity_expression(found, name)
        if self.starts_type(0):
            return self._functional_cast()
        self.fail("expected expression", token, code="frontend.syntax")

    def _calls_template(self) -> bool:
        """`name<...>(` at the cursor, of a name that is not known: a function template that the arguments' classes may
        bring along, from C++20 on ([temp.names])."""
        start = self.i
        if self.lookup(self.token.text) is not None:
            return False
        self.i += 1
        self.skip_template_arguments()
        called, self.i = self.at("("), start
        return called

    def _parenthesised(self, at: Token) -> ast.Expr:
        """( expression ), in which > compares."""
        self.expect("(")
        self.enter(at)
        ends, self.greater_ends = self.greater_ends, False
        e = self.expression()
        self.greater_ends = ends
        self.nest -= 1
        self.expect(")")
        return e

    def _functional_cast(self) -> ast.Expr:
        at = self.token
        t = self.simple_type()
        if self.at("::"):
            self.i += 1
            name = self.identifier()
            entity = (
                self.find_in(t.record.scope, name.text) if t.record is not None and t.record.scope is not None else None
            )
            if entity is None and self.pattern and dependent(t):
                return self.dependent_number(name)
            if entity is None:
                self.fail(f"no member named '{name.text}' in '{t}'", name)
            return self.entity_expression(entity, name)
        if self.at("{"):
            listed = self.braced_list()
            if t.kind == "auto" and isinstance(t.template, ast.ClassTemplate):
                t = self.deduced_class(t.template, [x for _, x in listed.items], at, listed)
            e = self.braced(listed, t)
            return ast.Cast(t.bare, at, "convert", e) if e.lvalue and (t.scalar or t.kind == "record") else e
        if not self.at("("):
            self.fail("expected '(' for function-style cast or type construction", self.token, code="frontend.syntax")
        args = self.arguments()
        if t.kind == "auto" and isinstance(t.template, ast.ClassTemplate):
            t = self.deduced_class(t.template, args, at)
        if t.kind == "reference" and len(args) == 1:
            return self.explicit_cast(args[0], t, at)
        if t.kind == "record":
            if not args:
                return self.default_value(t, at)
            return self.construct(t.bare, args, at)
        if not args:
            if t.kind == "void":
                return ast.Cast(ty.VOID, at, "void", self.number(0, ty.INT, at))
            return (
                ast.Zero(t.bare, at) if not t.arithmetic else self.number(0.0 if t.kind == "float" else 0, t.bare, at)
            )
        if len(args) > 1:
            self.fail(f"excess elements in initializer of type '{t}'", args[1].at)
        return self.explicit_cast(args[0], t, at, "C-style cast")

    def entity_expression(self, entity: object, name: Token) -> ast.Expr:
        """What a name means as an expression."""
        if isinstance(entity, ast.Variable):
            return self.use_variable(entity, name)
        if isinstance(entity, Field):
            return self._implicit_member(name, entity)
        if isinstance(entity, ast.Expr):
            return entity
        if isinstance(entity, tuple):
            self.fail(f"expression contains unexpanded parameter pack '{name.text}'", name)
        if isinstance(entity, list):
            explicit = None
            if self.at("<") and any(isinstance(f, ast.FunctionTemplate) for f in entity):
                explicit = self.template_arguments(only_parameters(entity))
            base = None
            if any(isinstance(f, ast.Function | ast.FunctionTemplate) and f.record is not None for f in entity):
                base = self.object_of(
                    name, lambda record: record.scope is not None and self.find_in(record.scope, name.text) is entity
                )
            if len(entity) == 1 and isinstance(entity[0], Builtin) and entity[0].how == "value":
                return self.builtin_call(entity[0], [], name)
            return ast.Overloads(ty.VOID, name, name.text, entity, explicit, base)
        if isinstance(entity, Type):
            self.fail(f"unexpected type name '{name.text}': expected expression", name, code="frontend.syntax")
        self.fail(f"unexpected name '{name.text}': expected expression", name, code="frontend.syntax")

    def _this(self, at: Token) -> ast.Expr:
        if self.made is not None and self.made.type.elem is not None:
            self.made.used = True
            return ast.Name(self.made.type.elem, at, self.made, lvalue=True)
        assert self.function is not None and self.function.this is not None
        this = self.function.this
        assert this.type.elem is not None
        value = ast.Name(this.type, at, this, lvalue=True)
        return ast.Deref(this.type.elem, at, value, lvalue=True)

    def _implicit_member(self, name: Token, field: Field) -> ast.Expr:
        this = self.object_of(name, lambda record: field in record.fields or has(record, name.text))
        if this is None and self.unevaluated:
            return ast.Name(field.type, name, ast.Variable(name.text, field.type, name), lvalue=True)
        if this is None:
            self.fail(f"invalid use of member '{name.text}' in static member function", name)
        owner = self.qualifier.record_type if self.qualifier is not None else None
        own = owner.record if owner is not None else None
        if owner is not None and own is not None and is_derived(this.type.bare, owner.bare) and field in own.fields:
            # `Base::x`, which a member of this class may hide.
            return self.member(self.bind(this, ty.reference(ty.qualified(owner, this.type.quals))), field, name)
        if this.type.record is not None:
            self.check_access(this.type.record, name)
        return (
            self.member(this, field, name)
            if field in (this.type.record or _NONE).fields
            else self.member_named(this, name)
        )

    def object_of(self, at: Token, holds: Callable[[ty.Record], bool]) -> ast.Expr | None:
        """`*this`, or within a lambda the captured one, of a class that `holds` accepts."""
        if self.made is None and (self.function is None or self.function.this is None):
            return None
        this = self._this(at)
        record = this.type.record
        while record is not None and record.closure and not holds(record):
            outer = record.find("this")
            if outer is None:
                copied = record.find("*this")
                return self.member(this, copied, at) if copied is not None else None
            pointer = self.member(this, outer, at)
            assert pointer.type.elem is not None
            this = ast.Deref(pointer.type.elem, at, pointer, lvalue=True)
            record = this.type.record
        return this

    def use_variable(self, v: ast.Variable, at: Token) -> ast.Expr:
        v.used = True
        if v.storage == "enumerator":
            return ast.Number(v.type, at, v.value if v.value is not None else 0)
        fixed = (v.constexpr or v.constant) and v.init is not None and (v.type.aggregate or _is_text(v.init))
        if (
            (v.storage == "host" or (v.storage == "member" and (not v.type.const or v.init is None)))
            and v.value is None
            and not fixed
            and not self.unevaluated
            and self.function is not None
            and self.function.space != "host"
        ):
            self.fail(f'identifier "{v.name}" is undefined in device code', at, code="frontend.host-variable")
        if v.storage == "host" and v.constexpr and _is_text(v.init):
            return v.init
        if self.out_of_reach(v):
            self._reach(v, at)
        t = v.type
        if t.kind == "reference":
            assert t.elem is not None
            if v.init is not None and bit_field(v.init) is not None:
                # No reference can be bound to one: such a name, of a structured binding or of an unnamed union's
                # member, is the member itself.
                return v.init
            return ast.Name(t.elem, at, v, lvalue=True)
        if t.kind == "error":
            raise Abandon
        return ast.Name(t, at, v, lvalue=True)

    def out_of_reach(self, v: ast.Variable) -> bool:
        """`v` belongs to a function around the one that is being read: only its value or its type may be asked for."""
        f = self.function
        if f is None or v.owner is f or v.owner is None or v.storage not in AUTOMATIC:
            return False
        return not (f.space == "host" or self.unevaluated or v.value is not None or v.constexpr)

    def _reach(self, v: ast.Variable, at: Token) -> None:
        f = self.function
        assert f is not None and v.owner is not None
        inside = f.record is not None and f.record.record is not None and f.record.record.closure
        self.fail(
            f"variable '{v.name}' cannot be implicitly captured in a lambda with no capture-default specified"
            if inside
            else f"reference to local variable '{v.name}' declared in enclosing function '{v.owner.name}'",
            at,
            notes=[self.note(f"'{v.name}' declared here", v.at)],
        )

    def constant_integer(self, e: ast.Expr, what: str) -> int:
        value = constant.evaluate(e)
        if value is None or not (e.type.integral or e.type.kind == "enum"):
            self.fail(what, e.at)
        return int(value)


def _is_text(e: ast.Expr | None) -> TypeGuard[ast.Expr]:
    """A string, as a pointer to its characters."""
    return isinstance(e, ast.Cast) and e.kind == "decay" and isinstance(e.operand, ast.Text)


AUTOMATIC = ("local", "param", "reference")
"""Storage of variables that a lambda has to capture."""
_NONE = ty.Record("struct", "")


def has(record: ty.Record, name: str) -> bool:
    return record.find(name) is not None or any(
        not f.name and f.type.record is not None and has(f.type.record, name) for f in record.fields
    )


def only_parameters(entity: list[object]) -> list[ast.TemplateParam] | None:
    """The parameters that explicit arguments are for, where a name means one function template alone."""
    template = entity[0] if len(entity) == 1 else None
    return template.params if isinstance(template, ast.FunctionTemplate) else None
