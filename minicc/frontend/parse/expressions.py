"""Expressions: precedence climbing, with types assigned as they are read."""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend import ast, literals
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.cursor import KEYWORDS
from minicc.frontend.parse.packs import Packs
from minicc.frontend.sema import constant
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.sema.initialise import BracedList
from minicc.frontend.sema.traits import ASKED_OF_CONVERSIONS, QUESTIONS
from minicc.frontend.tokens import CHAR, EOF, IDENT, NUMBER, OTHER, PUNCT, STRING, Token
from minicc.frontend.types import Field, Type

_LEVELS: dict[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_ASSIGN = {
    "+=": "+",
    "-=": "-",
    "*=": "*",
    "/=": "/",
    "%=": "%",
    "&=": "&",
    "|=": "|",
    "^=": "^",
    "<<=": "<<",
    ">>=": ">>",
}
_WORDS = {"and": "&&", "or": "||", "not": "!", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~", "not_eq": "!="}
_CHARACTERS = {"L": ty.WCHAR, "u": ty.USHORT, "U": ty.UINT, "u8": ty.CHAR}
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"))


class Expressions(Packs):
    unevaluated: int = 0
    """Above zero inside decltype and sizeof."""

    pattern: int

    # -- from the type parser

    def lambda_expression(self) -> ast.Expr:
        raise NotImplementedError

    def starts_type(self, ahead: int = 0) -> bool:
        raise NotImplementedError

    def type_name(self) -> Type:
        raise NotImplementedError

    def simple_type(self) -> Type:
        """The type before ( or { of a functional cast."""
        raise NotImplementedError

    def template_arguments(
        self, params: list[ast.TemplateParam] | None, first: str = "<", last: str = ">"
    ) -> list[object]:
        raise NotImplementedError

    def qualified(self) -> tuple[object, Token]:
        """A possibly qualified name and what it means."""
        raise NotImplementedError

    # -- levels

    def expression(self) -> ast.Expr:
        left = self.assignment()
        while self.at(","):
            at = self.take()
            right = self.assignment()
            left = ast.Comma(right.type, at, left, right, lvalue=right.lvalue)
        return left

    def assignment(self) -> ast.Expr:
        left = self.conditional_expression()
        token = self.tokens[self.i]
        if token.kind == PUNCT:
            text = token.text
            if text == "=":
                self.i += 1
                self.enter(token)
                right = self.braced_list() if self.at("{") else self.assignment()
                self.nest -= 1
                if isinstance(right, BracedList):
                    right = self.braced(right, left.type)
                return self.assign(left, right, token)
            op = _ASSIGN.get(text)
            if op is not None:
                self.i += 1
                self.enter(token)
                right = self.assignment()
                self.nest -= 1
                return self.compound(op, left, right, token)
        return left

    def conditional_expression(self) -> ast.Expr:
        left = self.binary_expression(1)
        if self.at("?"):
            at = self.take()
            if self.at(":"):
                return self._else_itself(left, at)
            self.enter(at)
            ends, self.greater_ends = self.greater_ends, False
            yes = self.expression()
            self.greater_ends = ends
            self.expect(":")
            no = self.assignment()
            self.nest -= 1
            if isinstance(yes, ast.Overloads):
                yes = self.function_value(yes, no.type if no.type.kind == "pointer" else None)
            if isinstance(no, ast.Overloads):
                no = self.function_value(no, yes.type if yes.type.kind == "pointer" else None)
            return self.conditional(left, yes, no, at)
        return left

    def _else_itself(self, left: ast.Expr, at: Token) -> ast.Expr:
        """GNU's `a ?: b`: a, evaluated once, if it is true."""
        self.i += 1
        no = self.assignment()
        left = self.decay(left)
        kept = ast.Variable("", left.type.bare, at, init=left, scope=self.scope, owner=self.function)
        value = ast.Name(kept.type, at, kept, lvalue=True)
        made = self.conditional(value, value, no, at)
        block = ast.Block(at, [ast.DeclStmt(at, [kept])])
        return ast.StatementExpression(made.type.bare, at, block, made)

    def binary_expression(self, level: int) -> ast.Expr:
        left = self.unary_expression()
        tokens = self.tokens
        while True:
            token = self.tokens[self.i]
            op = token.text
            here = _LEVELS.get(op, 0)
            if here == 0 and token.kind == IDENT and op in _WORDS:
                op = _WORDS[op]
                here = _LEVELS.get(op, 0)
            if here < level or here == 0 or token.kind == STRING:
                return left
            if self.greater_ends and op in (">", ">>"):
                return left
            self.i += 1
            if op == "<<" and self.at("<"):
                self.fail("launching kernels from device code is not supported", token)
            right = self.binary_expression(here + 1)
            left = self.binary(op, left, right, token)
        del tokens

    def unary_expression(self) -> ast.Expr:
        token = self.tokens[self.i]
        kind, text = token.kind, token.text
        if kind == PUNCT:
            if text in ("-", "+", "!", "~", "*", "&"):
                self.i += 1
                self.enter(token)
                operand = self.unary_expression()
                self.nest -= 1
                return self.unary(text, operand, token)
            if text in ("++", "--"):
                self.i += 1
                self.enter(token)
                operand = self.unary_expression()
                self.nest -= 1
                return self.step(text, operand, True, token)
            if text == "(" and self.starts_type(1):
                return self._cast_or_parenthesised(token)
            if text == "&&" and self.peek().kind == IDENT:
                self.fail("labels as values are not supported", token)
        elif kind == IDENT:
            if text in ("sizeof", "alignof", "noexcept"):
                return self._size_of(token)
            if text in _WORDS and text in ("not", "compl"):
                self.i += 1
                return self.unary(_WORDS[text], self.unary_expression(), token)
            if text == "new":
                return self._new(token)
            if text == "delete":
                return self._delete(token)
            if text in ("throw", "typeid", "co_await"):
                self.fail(f"'{text}' is not supported in device code", token)
        return self.postfix_expression()

    def _new(self, token: Token) -> ast.Expr:
        """`new T`, `new T(...)`, `new T[n]`, `new (place) T(...)`."""
        self.i += 1
        place: ast.Expr | None = None
        if self.at("(") and not self.starts_type(1):
            args = self.arguments()
            if len(args) != 1:
                self.fail("only placement new with one argument is supported", token)
            place = self.convert(args[0], ty.pointer(ty.VOID))
        bracket = self.accept("(") is not None
        t = self.simple_type_with_pointers()
        count: ast.Expr | None = None
        if self.at("["):
            self.i += 1
            count = self.convert(self.expression(), ty.ULONG)
            self.expect("]")
            while self.at("["):
                self.i += 1
                size = self.constant_integer(self.conditional_expression(), "array size is not a constant expression")
                t = ty.array(t, size)
                self.expect("]")
        if bracket:
            self.expect(")")
        self.require_complete(t, token)
        if t.record is not None and t.record.abstract:
            self.fail(f"allocating an object of abstract class type '{t}'", token)
        init: ast.Expr | None = None
        if count is not None:
            if self.at("(") or self.at("{"):
                self.skip_balanced()
            if self._needs_construction(t):
                init = self.default_value(t, token)
        elif self.at("{"):
            init = self.braced(self.braced_list(), t)
        elif self.at("("):
            args = self.arguments()
            if t.kind == "record":
                init = self.construct(t.bare, args, token)
            else:
                init = self.convert(args[0], t) if args else ast.Zero(t.bare, token)
        elif self._needs_construction(t):
            init = self.default_value(t, token)
        return ast.New(ty.pointer(t), token, t, count, init, place)

    def simple_type_with_pointers(self) -> Type:
        """A type-id without arrays and functions."""
        raise NotImplementedError

    def _delete(self, token: Token) -> ast.Expr:
        self.i += 1
        array = self.accept("[") is not None
        if array:
            self.expect("]")
        operand = self.decay(self.unary_expression())
        if operand.type.kind != "pointer":
            self.fail(f"cannot delete expression of type '{operand.type}'", token)
        for _, f in ty.destructors(operand.type.elem) if operand.type.elem is not None else ():
            self.need_body(f)
        return ast.Delete(ty.VOID, token, operand, array)

    def _cast_or_parenthesised(self, token: Token) -> ast.Expr:
        start = self.i
        self.i += 1
        self.enter(token)
        try:
            target = self.type_name()
            if not self.at(")"):
                # (T(x) + 1): an expression that begins with a functional cast.
                self.i = start
                return self.postfix_expression()
            self.i += 1
            if self.at("{"):
                return self.braced(self.braced_list(), target)
            if self.token.kind == EOF or self.token.text in (")", ";", ",", "]", "}"):
                self.fail("expected expression", self.token, code="frontend.syntax")
            operand = self.unary_expression()
        finally:
            self.nest -= 1
        return self.explicit_cast(operand, target, token)

    def _size_of(self, token: Token) -> ast.Expr:
        self.i += 1
        if token.text == "noexcept":
            self.skip_balanced()
            return self.number(1, ty.BOOL, token)
        if self.at("...") and self.peek().text == "(":
            self.i += 2
            name = self.identifier()
            self.expect(")")
            pack = self.lookup(name.text)
            if self.pattern and isinstance(pack, Type | ast.Variable):
                return self._dependent_number(token)
            size = len(pack) if isinstance(pack, tuple) else -1
            if size < 0:
                self.fail(f"'{name.text}' does not refer to the name of a parameter pack", name)
            return self.number(size, ty.ULONG, token)
        ends, self.greater_ends = self.greater_ends, False
        if self.at("(") and self.starts_type(1):
            self.i += 1
            t = self.type_name()
            self.expect(")")
        else:
            self.enter(token)
            self.unevaluated += 1
            try:
                t = self.unary_expression().type
            finally:
                self.unevaluated -= 1
            self.nest -= 1
        self.greater_ends = ends
        if dependent(t):
            return self._dependent_number(token)
        if t.kind == "reference":
            assert t.elem is not None
            t = t.elem
        if t.kind == "void" or not ty.is_complete(t):
            self.fail(f"invalid application of '{token.text}' to an incomplete type '{t}'", token)
        return self.number(t.size if token.text == "sizeof" else t.align, ty.ULONG, token)

    def _dependent_number(self, at: Token) -> ast.Expr:
        v = ast.Variable("?", ty.ULONG, at, "stand-in", stand_in=Type("value", "?"))
        return ast.Name(ty.ULONG, at, v, lvalue=True)

    def postfix_expression(self) -> ast.Expr:
        e = self.primary()
        while True:
            token = self.tokens[self.i]
            if token.kind != PUNCT:
                return e
            text = token.text
            if text == "[":
                self.i += 1
                self.enter(token)
                ends, self.greater_ends = self.greater_ends, False
                index = self.expression()
                self.greater_ends = ends
                self.nest -= 1
                self.expect("]")
                e = self.subscript(e, index, token)
            elif text == "(":
                args = self.arguments()
                e = self.call(e, args, token)
            elif text == "." or text == "->":
                e = self._member_access(e, token)
            elif text == "++" or text == "--":
                self.i += 1
                e = self.step(text, e, False, token)
            else:
                return e

    def arguments(self, close: str = ")") -> list[ast.Expr]:
        """`( a, b )` at the cursor."""
        token = self.take()
        self.enter(token)
        ends, self.greater_ends = self.greater_ends, False
        out: list[ast.Expr] = []
        if not self.at(close):
            while True:
                if self.at("{"):
                    out.append(self.braced_list())
                else:
                    out += self.argument()
                if not self.accept(","):
                    break
        self.greater_ends = ends
        self.nest -= 1
        self.expect(close)
        return out

    def braced_list(self) -> BracedList:
        at = self.expect("{")
        self.enter(at)
        ends, self.greater_ends = self.greater_ends, False
        items: list[tuple[str | None, ast.Expr]] = []
        while not self.at("}"):
            designator: str | None = None
            if self.at(".") and self.peek().kind == IDENT and self.peek(2).text in ("=", "{"):
                self.i += 1
                designator = self.take().text
                self.accept("=")
            if self.at("{"):
                items.append((designator, self.braced_list()))
            else:
                items += [(designator, a) for a in self.argument()]
            if not self.accept(","):
                break
        self.greater_ends = ends
        self.nest -= 1
        self.expect("}")
        return BracedList(at, items)

    def _member_access(self, base: ast.Expr, token: Token) -> ast.Expr:
        self.i += 1
        self.accept("template")
        if token.text == "->":
            if base.type.kind == "record":
                found = self.operator_call("->", [base], token)
                if found is None:
                    self.fail(f"member reference type '{base.type}' is not a pointer; did you mean to use '.'?", token)
                base = found
            base = self.decay(base)
            if base.type.kind != "pointer":
                self.fail(f"member reference type '{base.type}' is not a pointer", token)
            base = self.dereference(base, token)
        t = base.type
        if self.at("~"):
            return self._destruction(base, token)
        name = self._member_name()
        if t.kind == "pointer" and t.elem is not None and t.elem.kind == "record":
            self.fail(f"member reference type '{t}' is a pointer; did you mean to use '->'?", token)
        if t.kind != "record":
            self.fail(f"member reference base type '{t}' is not a structure or union", token)
        record = t.record
        assert record is not None
        if not record.complete and not (self.function is not None and self.function.record is t.bare):
            self.fail(f"member access into incomplete type '{t}'", token)
        return self.member_named(base, name)

    def _destruction(self, base: ast.Expr, at: Token) -> ast.Expr:
        """`object.~T()`."""
        self.i += 1
        self.identifier()
        if self.at("<"):
            self.skip_template_arguments()
        self.expect("(")
        self.expect(")")
        for _, f in ty.destructors(base.type):
            self.need_body(f)
        return ast.Delete(ty.VOID, at, self.address_of(base, at), frees=False)

    def skip_template_arguments(self) -> None:
        raise NotImplementedError

    def _member_name(self) -> Token:
        if self.at("operator"):
            return self.operator_name()
        name = self.identifier()
        return name

    def operator_name(self) -> Token:
        raise NotImplementedError

    def member_named(self, base: ast.Expr, name: Token) -> ast.Expr:
        record = base.type.record
        assert record is not None
        found = record.find(name.text)
        if found is None and record.scope is not None:
            entity = self.find_in(record.scope, name.text)
            if isinstance(entity, Type) and self.at("::"):
                # p->Base::f()
                self.i += 1
                inner = entity.record
                if inner is None:
                    self.fail(f"'{name.text}' is not a class", name)
                made = self.member_named(
                    self.bind(base, ty.reference(ty.qualified(entity, base.type.quals))), self._member_name()
                )
                if isinstance(made, ast.Overloads):
                    made.direct = True
                return made
            elif isinstance(entity, list):
                explicit = None
                if self.at("<") and any(isinstance(f, ast.FunctionTemplate) for f in entity):
                    explicit = self.template_arguments(None)
                return ast.Overloads(ty.VOID, name, name.text, entity, explicit, base)
            elif isinstance(entity, ast.Variable):
                return self.use_variable(entity, name)
        if found is None:
            for field in record.fields:
                # Members of an unnamed struct or union are members of the outer one.
                if not field.name and field.type.record is not None and _has(field.type.record, name.text):
                    return self.member_named(self.member(base, field, name), name)
            self.fail(f"no member named '{name.text}' in '{base.type.bare}'", name, code="frontend.no-member")
        return self.member(base, found, name)

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
                self.i += 1
                self.enter(token)
                ends, self.greater_ends = self.greater_ends, False
                e = self.expression()
                self.greater_ends = ends
                self.nest -= 1
                self.expect(")")
                return e
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
            prefix, _, body = token.text.partition("'")
            try:
                if prefix:
                    return self.number(literals.wide_character(body[:-1]), _CHARACTERS[prefix], token)
                value = literals.character(token.text)
            except literals.BadLiteral as bad:
                self.fail(str(bad), token)
            return self.number(value, ty.CHAR if len(literals.unescape(token.text[1:-1])) == 1 else ty.INT, token)
        if kind == OTHER:
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

    def block(self, scope: bool = True) -> ast.Block:
        raise NotImplementedError

    def _user_literal(self, token: Token, suffix: str, args: list[ast.Expr]) -> ast.Expr:
        """`12_km`, `"text"_s`: a call of operator""_km."""
        name = Token(IDENT, f'operator""{suffix}', token.source, token.start)
        found = self.lookup(name.text)
        if not isinstance(found, list):
            self.fail(f"no matching literal operator for call to '{name.text}'", token)
        return self.call(ast.Overloads(ty.VOID, name, name.text, found), args, token)

    def _numeric(self, token: Token) -> ast.Expr:
        text = token.text
        cut = text.find("_")
        if cut > 0:
            suffix, text = text[cut:], text[:cut]
            number = self._numeric(Token(NUMBER, text, token.source, token.start))
            wide = ty.DOUBLE if number.type.kind == "float" else ty.ULLONG
            return self._user_literal(token, suffix, [self.cast(number, wide)])
        try:
            if literals.is_floating(text):
                value, single = literals.floating(text)
                return ast.Number(ty.FLOAT if single else ty.DOUBLE, token, value)
            n = literals.integer(text)
        except literals.BadLiteral as bad:
            self.fail(str(bad), token, code="frontend.literal")
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
        data = b""
        try:
            while self.tokens[self.i].kind == STRING:
                data += literals.string(self.tokens[self.i].text)
                self.i += 1
        except literals.BadLiteral as bad:
            self.fail(str(bad), token)
        following = self.tokens[self.i]
        if following.text.startswith("_") and not following.space and following.kind == IDENT:
            self.i += 1
            size = self.number(len(data), ty.ULONG, token)
            return self._user_literal(token, following.text, [self.decay(self.make_text(data, token)), size])
        return self.make_text(data, token)

    def make_text(self, data: bytes, at: Token) -> ast.Expr:
        data += b"\0"
        return ast.Text(ty.array(ty.qualified(ty.CHAR, ty.CONST), len(data)), at, data, lvalue=True)

    def _identifier_expression(self, token: Token) -> ast.Expr:
        text = token.text
        if text in KEYWORDS or text == "__FUNCTION__":
            return self._keyword_expression(token)
        if text.startswith("__is_") and self.peek().text == "(" and (text in QUESTIONS or text in ASKED_OF_CONVERSIONS):
            return self._question(token)
        if self.starts_type(0):
            return self._functional_cast()
        if self.peek().text == "(" and self.lookup(text) is None:
            # A function that the arguments' classes may bring along.
            self.i += 1
            return ast.Overloads(ty.VOID, token, text, [])
        entity, name = self.qualified()
        made = self.entity_expression(entity, name)
        if name is not token and isinstance(made, ast.Overloads):
            made.direct = True
        return made

    def _question(self, token: Token) -> ast.Expr:
        """`__is_enum(T)` and its kind."""
        self.i += 1
        at = self.token
        types = [t for t in self.template_arguments(None, "(", ")") if isinstance(t, Type)]
        if any(map(dependent, types)):
            return self._dependent_number(token)
        if token.text in QUESTIONS:
            return self.number(int(QUESTIONS[token.text](*types)), ty.BOOL, token)
        values: list[ast.Expr] = [
            ast.Zero(t.elem, at, lvalue=not t.rvalue) if t.kind == "reference" and t.elem else ast.Zero(t, at)
            for t in types
        ]
        if token.text == "__is_constructible":
            answer = self.constructible(types[0], values[1:])
        elif token.text == "__is_assignable":
            answer = self.rank(values[1], types[0].elem or types[0]) is not None
        else:
            answer = (types[0].kind == types[1].kind == "void") or (
                types[1].kind not in ("void", "array", "function") and self.rank(values[0], types[1]) is not None
            )
        return self.number(int(answer), ty.BOOL, token)

    def constructible(self, t: Type, args: list[ast.Expr]) -> bool:
        record = t.record
        if record is None or (len(args) == 1 and args[0].type.bare is t.bare):
            return not args or (len(args) == 1 and self.rank(args[0], t) is not None)
        if not record.constructors:
            return not args
        return (not args and record.has_default) or bool(self.viable(list(record.constructors), args, None))

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
            self.expect("(")
            self.enter(token)
            ends, self.greater_ends = self.greater_ends, False
            e = self.expression()
            self.greater_ends = ends
            self.nest -= 1
            self.expect(")")
            if text == "dynamic_cast":
                self.fail("'dynamic_cast' is not supported in device code", token)
            return self.explicit_cast(e, target, token, text)
        if text == "operator":
            name = self.operator_name()
            found = self.lookup(name.text)
            if not isinstance(found, list):
                self.fail(f"use of undeclared '{name.text}'", name)
            return self.entity_expression(found, name)
        if self.starts_type(0):
            return self._functional_cast()
        self.fail("expected expression", token, code="frontend.syntax")

    def _functional_cast(self) -> ast.Expr:
        at = self.token
        t = self.simple_type()
        if self.at("::"):
            self.i += 1
            name = self.identifier()
            entity = (
                self.find_in(t.record.scope, name.text) if t.record is not None and t.record.scope is not None else None
            )
            if entity is None:
                self.fail(f"no member named '{name.text}' in '{t}'", name)
            return self.entity_expression(entity, name)
        if self.at("{"):
            e = self.braced(self.braced_list(), t)
            return ast.Cast(t.bare, at, "convert", e) if e.lvalue and t.scalar else e
        if not self.at("("):
            self.fail("expected '(' for function-style cast or type construction", self.token, code="frontend.syntax")
        args = self.arguments()
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
        if isinstance(entity, tuple):
            self.fail(f"expression contains unexpanded parameter pack '{name.text}'", name)
        if isinstance(entity, list):
            explicit = None
            if self.at("<") and any(isinstance(f, ast.FunctionTemplate) for f in entity):
                explicit = self.template_arguments(None)
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
        assert self.function is not None and self.function.this is not None
        this = self.function.this
        assert this.type.elem is not None
        value = ast.Name(this.type, at, this, lvalue=True)
        return ast.Deref(this.type.elem, at, value, lvalue=True)

    def _implicit_member(self, name: Token, field: Field) -> ast.Expr:
        this = self.object_of(name, lambda record: field in record.fields or _has(record, name.text))
        if this is None and self.unevaluated:
            return ast.Name(field.type, name, ast.Variable(name.text, field.type, name), lvalue=True)
        if this is None:
            self.fail(f"invalid use of member '{name.text}' in static member function", name)
        return (
            self.member(this, field, name)
            if field in (this.type.record or _NONE).fields
            else self.member_named(this, name)
        )

    def object_of(self, at: Token, holds: Callable[[ty.Record], bool]) -> ast.Expr | None:
        """`*this`, or within a lambda the captured one, of a class that `holds` accepts."""
        if self.function is None or self.function.this is None:
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
        fixed = v.constexpr and v.init is not None and v.type.aggregate
        if (
            v.storage == "host"
            and v.value is None
            and not fixed
            and self.function is not None
            and self.function.space != "host"
        ):
            self.fail(f'identifier "{v.name}" is undefined in device code', at, code="frontend.host-variable")
        t = v.type
        if t.kind == "reference":
            assert t.elem is not None
            return ast.Name(t.elem, at, v, lvalue=True)
        if t.kind == "error":
            from minicc.frontend.cursor import Abandon

            raise Abandon
        return ast.Name(t, at, v, lvalue=True)

    def builtin_call(self, builtin: Builtin, args: list[ast.Expr], at: Token) -> ast.Expr:
        raise NotImplementedError

    def constant_integer(self, e: ast.Expr, what: str) -> int:
        value = constant.evaluate(e)
        if value is None or not (e.type.integral or e.type.kind == "enum"):
            self.fail(what, e.at)
        return int(value)


_NONE = ty.Record("struct", "")


def _has(record: ty.Record, name: str) -> bool:
    return record.find(name) is not None or any(
        not f.name and f.type.record is not None and _has(f.type.record, name) for f in record.fields
    )
