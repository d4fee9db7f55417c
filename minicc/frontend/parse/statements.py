"""Statements."""

from __future__ import annotations

import re
from collections.abc import Callable

from minicc.frontend import ast, literals
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.names import SPECIFIERS, TYPEOF
from minicc.frontend.parse.records import Records
from minicc.frontend.preprocessor import PRAGMA
from minicc.frontend.sema import arithmetic, constant
from minicc.frontend.sema.associated import with_associated
from minicc.frontend.sema.calls import deduced_type
from minicc.frontend.sema.convert import decltype_of, operand_type, promoted
from minicc.frontend.sema.copies import copies_members, takes_rvalues
from minicc.frontend.tokens import EOF, IDENT, STRING, Token

_DECLARES = frozenset(("typedef", "using", "static_assert", "namespace", "template"))
_SURE = (SPECIFIERS | TYPEOF | {"decltype", "typename"}) - {"inline"}
_CONSTRAINT = r"(?:[=+]&?)?([hrlfdnqCb]|[0-9]+)$"

_POINTER_WORDS = frozenset(("const", "volatile", "__restrict__"))


class Statements(Records):
    unroll: tuple[int, Token] | None = None
    switches: list[ast.Switch]
    loops: int = 0
    labels: dict[str, tuple[Token, list[ast.Variable]]]
    """Of the function that is being read: where, and the initialised variables there."""
    gotos: list[tuple[Token, Token, list[ast.Variable]]]

    def block(self, scope: bool = True) -> ast.Block:
        """`{ ... }`; errors are contained in the statement they are in."""
        at = self.expect("{")
        self.enter(at)
        made = ast.Block(at)
        if scope:
            self.push("block")
        here = self.scope
        nest = self.nest
        while not self.at("}"):
            if self.token.kind == EOF:
                self.report("frontend.syntax", "expected '}'", self.token, [self.note("to match this '{'", at)])
                raise Abandon
            start = self.i
            try:
                made.items.append(self.statement())
            except Abandon:
                if self.quiet:
                    raise
                self.scope, self.nest = here, nest
                self.greater_ends = False
                if self.i == start or self.tokens[self.i - 1].text not in (";", "}"):
                    self.recover()
                elif self.i > start and self.tokens[self.i - 1].text == "}" and self.token.kind == EOF:
                    pass
                if self.i == start and not self.at("}"):
                    self.i += 1
        if scope:
            self.pop()
        self.nest -= 1
        made.end = self.take()
        return made

    def statement(self) -> ast.Stmt:
        token = self.token
        text = token.text
        if token.kind == IDENT:
            handler = _STATEMENTS.get(text)
            if handler is not None:
                self.enter(token)
                made: ast.Stmt = handler(self, token)
                self.nest -= 1
                return made
            if (
                self.peek().text == ":"
                and self.peek(2).text != ":"
                and not isinstance(self.lookup(text), ast.Scope)
                and text not in ("public",)
            ):
                self.i += 2
                if text in self.labels:
                    self.fail(f"redefinition of label '{text}'", token)
                self.labels[text] = token, self._initialised()
                label = ast.Block(token, [ast.Label(token, text)])
                if not self.at("}"):
                    label.items.append(self.statement())
                return label
        elif text == "{" and token.kind is not STRING:
            return self.block()
        elif text == ";" and token.kind is not STRING:
            self.i += 1
            return ast.Block(token)
        elif token.kind == PRAGMA:
            return self._pragma(token)
        elif text == "[" and self.peek().text == "[":
            self.attributes()
            return self.statement()
        if self.starts_declaration():
            return self.declaration_statement()
        e = self.expression()
        if isinstance(e, ast.Overloads):
            self.fail("reference to overloaded function could not be resolved; did you mean to call it?", e.at)
        if self.at("<<<") or (self.at("<<") and self.peek().text == "<"):
            self.fail("launching kernels from device code is not supported", self.token)
        self.expect(";", "after expression")
        self._warn_unused(e)
        return ast.ExprStmt(token, e)

    def _warn_unused(self, e: ast.Expr) -> None:
        if isinstance(e, ast.Binary):
            self.warn("frontend.unused-value", "expression result unused", e.at)

    def starts_declaration(self) -> bool:
        token = self.token
        if token.text in _DECLARES:
            return True
        if not self.starts_type(0):
            return False
        if token.text in ("decltype", "typename"):
            return self._looks_ahead()
        if token.text in _SURE or (
            token.text in ("struct", "auto", "unsigned", "signed") and self.peek().text not in ("(", "{")
        ):
            return True
        # `T(...)`, `T{...}` and `T::f()` are expressions.
        following = self.peek().text
        if following == "(":
            self.i += 1
            found = self._declares_parenthesised()
            self.i -= 1
            return found
        if following == "{":
            return token.text in ("struct", "union", "enum", "class")
        if following in ("::", "<") or token.text == "::":
            return self.placeholder_at(self.i) or self._looks_ahead()
        return True

    def _declares_parenthesised(self) -> bool:
        """At the bracket behind a type: `T (*p)[4];` and `T (C::*p)();` declare; `T(x).y` does not."""
        if self.peek().kind == IDENT and self.peek(2).text in ("::", "<"):
            self.i += 1
            found = self._is_member_pointer()
            self.i -= 1
            return found
        k, depth, named = 1, 1, False
        while self.peek(k).text in ("(", "*", "&") or (named and self.peek(k).text in _POINTER_WORDS):
            depth += self.peek(k).text == "("
            named = named or self.peek(k).text != "("
            k += 1
        if self.peek(k).kind != IDENT:
            return False
        k += 1
        while named and self.peek(k).text == "[":
            k = self.past_brackets(self.i + k) - self.i
        after = self.peek(k + depth).text
        return all(self.peek(k + j).text == ")" for j in range(depth)) and (
            after == "=" or (named and after in ("[", "("))
        )

    def _looks_ahead(self) -> bool:
        saved, state = self.i, self.scope
        self.quiet += 1
        try:
            self.simple_type()
            if self.at("("):
                return self._declares_parenthesised()
            return self.token.text not in ("{", "::")
        except Abandon:
            return False
        finally:
            self.quiet -= 1
            self.i, self.scope = saved, state

    # -- pragmas

    def _pragma(self, token: Token) -> ast.Stmt:
        self.i += 1
        factor = 0
        if token.text == "nounroll":
            factor = 1
        while self.token.kind not in (PRAGMA, EOF):
            bracket = self.accept("(")
            e = self.conditional_expression()
            factor = self.constant_integer(e, "expression in '#pragma unroll' is not an integral constant expression")
            if factor < 0 or factor >= 1 << 31:
                self.warn("frontend.unroll", f"invalid value '{factor}' in '#pragma unroll'; ignored", e.at)
                factor = 0
            elif factor == 0:
                factor = 1
            if bracket:
                self.expect(")")
        self.take()
        if self.token.text not in ("for", "while", "do"):
            return self.statement() if not self.at("}") else ast.Block(token)
        self.unroll = (factor, token)
        return self.statement()

    def _take_unroll(self) -> int | None:
        taken, self.unroll = self.unroll, None
        return taken[0] if taken else None

    # -- control

    def _if(self, token: Token) -> ast.Stmt:
        self.i += 1
        static = self.accept("constexpr") is not None
        self.expect("(", "after 'if'")
        scope = self.push("head")
        before = self._init_statement()
        declared, condition = self._condition(")")
        self.expect(")")
        known = constant.truth(condition) if static else None
        if static and known is None:
            self.fail("constexpr if condition is not a constant expression", ast.start(condition))
        if known is not None:
            condition = self.number(int(known), ty.BOOL, condition.at)
        then: ast.Stmt = ast.Block(token)
        if known is False:
            self._skip_statement()
        else:
            then = self._scoped()
        other = None
        if self.accept("else"):
            if known is True:
                self._skip_statement()
            else:
                self.nest -= 1  # `else if` goes on and on without nesting
                if self.at("if") and not scope.names:
                    self.scope = scope.parent or scope
                    other = self.statement()
                else:
                    other = self._scoped()
                self.nest += 1
        self.scope = scope.parent or scope
        made: ast.Stmt = ast.If(token, condition, then, other)
        return self._wrapped(token, [*before, *([declared] if declared else [])], made)

    def _wrapped(self, token: Token, before: list[ast.Stmt], made: ast.Stmt) -> ast.Stmt:
        return ast.Block(token, [*before, made], token) if before else made

    def _skip_statement(self) -> None:
        """Past a discarded branch of `if constexpr`."""
        if self.at("{"):
            self.skip_balanced()
            return
        if self.token.text in ("if", "for", "while", "switch"):
            is_if = self.take().text == "if"
            self.accept("constexpr")
            self.skip_balanced()
            self._skip_statement()
            if is_if and self.accept("else"):
                self._skip_statement()
            return
        while not self.at(";") and self.token.kind != EOF:
            if self.token.text in ("(", "{", "[") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1
        self.accept(";")

    def _scoped(self) -> ast.Stmt:
        self.push("block")
        here = self.scope
        made = self.statement()
        self.scope = here
        self.pop()
        open_block = isinstance(made, ast.DeclStmt) or (isinstance(made, ast.Block) and made.end is None)
        return ast.Block(made.at, [made], made.at) if open_block else made

    def _init_statement(self) -> list[ast.Stmt]:
        """`if (init; cond)`."""
        depth, i = 0, self.i
        while self.tokens[i].kind != EOF:
            text = self.tokens[i].text
            if text in ("(", "{", "["):
                depth += 1
            elif text in (")", "}", "]"):
                if depth == 0:
                    return []
                depth -= 1
            elif text == ";" and depth == 0:
                break
            i += 1
        else:
            return []
        if self.starts_declaration():
            return [self.declaration_statement()]
        at = self.token
        made: list[ast.Stmt] = []
        if not self.at(";"):
            made = [ast.ExprStmt(at, self.expression())]
        if not self.at(";"):
            # The semicolon is that of a statement behind a condition without its end.
            self.expect(")")
        self.expect(";")
        return made

    def _condition(self, close: str) -> tuple[ast.DeclStmt | None, ast.Expr]:
        if self.starts_declaration():
            v = self.condition_variable()
            t = v.type if v.type.kind != "reference" else v.type.elem
            assert t is not None
            return ast.DeclStmt(v.at, [v]), self.condition(ast.Name(t, v.at, v, lvalue=True))
        if self.at(close):
            self.fail("expected expression", self.token, code="frontend.syntax")
        e = self.expression()
        if isinstance(e, ast.Assign) and self.tokens[self.i - 1].text != ")":
            self.warn(
                "frontend.assign-in-condition",
                "using the result of an assignment as a condition without parentheses",
                e.at,
            )
        return None, self.condition(e)

    def _while(self, token: Token) -> ast.Stmt:
        unroll = self._take_unroll()
        self.i += 1
        self.expect("(", "after 'while'")
        scope = self.push("head")
        declared, condition = self._condition(")")
        self.expect(")")
        body = self._loop_body()
        self.scope = scope.parent or scope
        return ast.Loop(token, "while", condition, None, body, unroll, declared)

    def _loop_body(self) -> ast.Stmt:
        self.loops += 1
        try:
            return self._scoped()
        finally:
            self.loops -= 1

    def _do(self, token: Token) -> ast.Stmt:
        unroll = self._take_unroll()
        self.i += 1
        body = self._loop_body()
        self.expect("while", "in do/while loop")
        self.expect("(", "after 'while'")
        condition = self.condition(self.expression())
        self.expect(")")
        self.expect(";", "after do/while statement")
        return ast.Loop(token, "do", condition, None, body, unroll)

    def _for(self, token: Token) -> ast.Stmt:
        unroll = self._take_unroll()
        self.i += 1
        self.expect("(", "after 'for'")
        scope = self.push("head")
        before: list[ast.Stmt] = []
        at = self.token
        if self.at(";"):
            self.i += 1
        elif self._is_range_for(False) or self._is_range_for(True):
            if not self._is_range_for(False):
                before = self._init_statement()
            made = self._range_for(token, unroll)
            self.scope = scope.parent or scope
            return self._wrapped(token, before, made)
        elif self.starts_declaration():
            before.append(self.declaration_statement())
        else:
            before.append(ast.ExprStmt(at, self.expression()))
            self.expect(";", "in 'for' statement specifier")
        declared: ast.DeclStmt | None = None
        condition: ast.Expr | None = None
        if not self.at(";"):
            declared, condition = self._condition(";")
        self.expect(";", "in 'for' statement specifier")
        step: ast.Expr | None = None
        if not self.at(")"):
            step = self.expression()
            self._warn_unused(step)
        self.expect(")")
        body = self._loop_body()
        self.scope = scope.parent or scope
        return self._wrapped(token, before, ast.Loop(token, "for", condition, step, body, unroll, declared))

    def _is_range_for(self, after_init: bool) -> bool:
        """A `:` before any `;` of this bracket, or after the first one."""
        depth, k, first = 0, self.i, after_init
        while self.tokens[k].kind != EOF:
            text = self.tokens[k].text
            if self.tokens[k].kind is not STRING:
                if text in ("(", "[", "{"):
                    depth += 1
                elif text in (")", "]", "}"):
                    if depth == 0:
                        return False
                    depth -= 1
                elif depth == 0 and first:
                    first = text != ";"
                elif depth == 0 and text in (";", "?"):
                    return False
                elif depth == 0 and text == ":":
                    return True
            k += 1
        return False

    def _range_for(self, token: Token, unroll: int | None) -> ast.Stmt:
        """`for (declaration : range)`, as the loop over iterators that it stands for."""
        start = self.i
        depth = 0
        while not (self.at(":") and depth == 0):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.token.text, 0)
            self.i += 1
        at = self.take()
        if self.at("{"):
            items = self.braced_list().items
            if not items:
                self.fail("cannot use an empty initializer list as a range", at)
            element = self.decay(items[0][1]).type.bare
            t = ty.array(element, len(items))
            source = self._hidden(
                t,
                at,
                ast.Init(t, at, [(k * element.size, None, self.convert(e, element)) for k, (_, e) in enumerate(items)]),
            )
            statements: list[ast.Stmt] = [ast.DeclStmt(at, [source])]
            whole: ast.Expr = ast.Name(t, at, source, lvalue=True)
        else:
            whole = self.expression()
            if not whole.lvalue:
                whole = ast.Temporary(whole.type, at, whole, lvalue=True)
            source = self._hidden(ty.reference(whole.type), at, whole)
            statements = [ast.DeclStmt(at, [source])]
            whole = ast.Name(whole.type, at, source, lvalue=True)
        self.expect(")")
        first, last = self._range_ends(whole, at)
        begin, end = self._hidden(first.type.bare, at, first), self._hidden(last.type.bare, at, last)
        statements.append(ast.DeclStmt(at, [begin, end]))
        condition = self.condition(self.binary("!=", self._read(begin), self._read(end), at))
        step = self.step("++", self._read(begin), True, at)
        after = self.i
        self.i = start
        self.scope = ast.Scope("head", self.scope)
        declared = self.range_variable(self.unary("*", self._read(begin), at))
        self.i = after
        body = self._loop_body()
        inner = ast.Block(token, [declared, body], token)
        statements.append(ast.Loop(token, "for", condition, step, inner, unroll))
        return ast.Block(token, statements, token)

    def _hidden(self, t: ty.Type, at: Token, init: ast.Expr) -> ast.Variable:
        storage = "reference" if t.kind == "reference" else "local"
        return ast.Variable("", t, at, storage, init=init, scope=self.scope, owner=self.function)

    def _read(self, v: ast.Variable) -> ast.Expr:
        return ast.Name(v.type, v.at, v, lvalue=True)

    def _range_ends(self, whole: ast.Expr, at: Token) -> tuple[ast.Expr, ast.Expr]:
        t = whole.type
        if t.kind == "array":
            first = self.decay(whole)
            return first, self.binary("+", first, self.number(t.count, ty.LONG, at), at)
        ends: list[ast.Expr] = []
        for word in ("begin", "end"):
            name = Token(IDENT, word, at.source, at.start)
            entity = self.find_in(t.record.scope, word) if t.record is not None and t.record.scope is not None else None
            if isinstance(entity, list):
                ends.append(self.call(self.member_named(whole, name), [], at))
                continue
            found = with_associated(word, [], [whole])
            if t.record is None or not found:
                self.fail(f"invalid range expression of type '{t}'; no viable 'begin' function available", at)
            ends.append(self.call(ast.Overloads(ty.VOID, name, word, found), [whole], at))
        return ends[0], ends[1]

    def _switch(self, token: Token) -> ast.Stmt:
        self.i += 1
        self.expect("(", "after 'switch'")
        scope = self.push("head")
        before = self._init_statement()
        at = self.token
        if self.starts_declaration():
            v = self.condition_variable()
            before.append(ast.DeclStmt(at, [v]))
            value: ast.Expr = ast.Name(v.type, v.at, v, lvalue=True)
        else:
            value = self.expression()
        self.expect(")")
        value = self.builtin_operand(value)
        for to in (ty.INT, ty.UINT, ty.LONG) if value.type.kind == "record" else ():
            if self.conversion_function(value, to) is not None:
                value = self.convert(value, to)
        t = value.type.bare
        if not (t.integral or t.kind == "enum"):
            self.fail(f"statement requires expression of integer type ('{value.type}' invalid)", token)
        target = t if t.scoped else promoted(operand_type(value))
        made = ast.Switch(token, self.cast(value, target), ast.Block(token))
        self.switches.append(made)
        self.loops += 1
        try:
            made.body = self._scoped()
        finally:
            self.loops -= 1
            self.switches.pop()
        self.scope = scope.parent or scope
        return self._wrapped(token, before, made)

    def _case(self, token: Token) -> ast.Stmt:
        self.i += 1
        if not self.switches:
            self.fail(f"'{token.text}' statement not in switch statement", token)
        switch = self.switches[-1]
        low = high = None
        if token.text == "case":
            low = high = self._case_value(switch)
            if self.accept("..."):
                high = self._case_value(switch)
        self.expect(":", f"after '{token.text}'")
        made = ast.Case(token, low, high)
        if low is None:
            if switch.default is not None:
                self.fail(
                    "multiple default labels in one switch",
                    token,
                    notes=[self.note("previous case defined here", switch.default.at)],
                )
            switch.default = made
        else:
            assert high is not None
            for other in switch.cases:
                if other.low is not None and other.high is not None and other.low <= high and low <= other.high:
                    self.fail(
                        f"duplicate case value '{low}'",
                        token,
                        notes=[self.note("previous case defined here", other.at)],
                    )
            switch.cases.append(made)
        if self.at("}"):
            return made
        return ast.Block(token, [made, self.statement()])

    def _case_value(self, switch: ast.Switch) -> int:
        e = self.conditional_expression()
        value = constant.evaluate(e)
        if value is None or e.type.kind == "float":
            self.fail("expression is not an integral constant expression", e.at)
        wanted = switch.condition.type
        if (wanted.scoped or e.type.scoped) and e.type.bare is not wanted.bare:
            self.fail(f"value of type '{e.type}' is not implicitly convertible to '{wanted}'", e.at)
        if arithmetic.wrap(value, wanted) != value:
            self.fail(f"case value evaluates to {value}, which cannot be narrowed to type '{wanted}'", e.at)
        return int(arithmetic.wrap(value, switch.condition.type))

    def _jump(self, token: Token) -> ast.Stmt:
        self.i += 1
        if token.text == "continue" and self.loops <= len(self.switches):
            self.fail("'continue' statement not in loop statement", token)
        if token.text == "break" and not self.loops:
            self.fail("'break' statement not in loop or switch statement", token)
        self.expect(";", f"after {token.text} statement")
        return ast.Jump(token, token.text)

    def _return(self, token: Token) -> ast.Stmt:
        self.i += 1
        f = self.function
        assert f is not None
        ret = f.placeholder or f.type.elem
        assert ret is not None
        if self.accept(";"):
            if ret.kind == "auto":
                self._deduced_result(f, ret, ty.VOID, token)
            elif ret.kind != "void" and not f.constructor:
                self.warn("frontend.return", f"non-void function '{f.name}' should return a value", token)
            return ast.Return(token, None)
        named = not self.at("(")
        e: ast.Expr = self.braced_list() if self.at("{") else self.expression()
        self.expect(";", "after return statement")
        if ret is ty.DECLTYPE_AUTO and not isinstance(e, ast.Overloads | ast.Init):
            deduced = decltype_of(e, named).bare
            self._deduced_result(f, ret, deduced, e.at)
            ret = deduced
        elif deduced_type(ret):
            if isinstance(e, ast.Overloads):
                e = self.function_value(e, None)
            if ret.kind == "reference":
                assert ret.elem is not None
                deduced = ty.reference(ty.qualified(e.type, ret.elem.quals), ret.rvalue and not e.lvalue)
            else:
                deduced = self.decay(e).type.bare
            self._deduced_result(f, ret, deduced, e.at)
            ret = deduced
        if ret.kind == "void":
            if e.type.kind != "void":
                self.fail(f"void function '{f.name}' should not return a value", token)
            return ast.Block(token, [ast.ExprStmt(token, e), ast.Return(token, None)])
        if ret.kind == "reference":
            return ast.Return(token, self.bind(e, ret, "returning"))
        if isinstance(e, ast.Init):
            return ast.Return(token, (self.temporary if ret.scalar else self.braced)(e, ret))
        if self.function is not None and self.function.constexpr:
            e = self.initial(e)
        return ast.Return(token, self.convert(self._expiring(e, ret), ret, "returning"))

    def _expiring(self, e: ast.Expr, ret: ty.Type) -> ast.Expr:
        """A variable of the function that is returned may be moved from."""
        record = ret.bare.record
        if (
            isinstance(e, ast.Name)
            and e.variable.storage in ("local", "param")
            and e.type.kind == "record"
            and record is not None
            and (takes_rvalues(ret.bare) or copies_members(ret.bare))
        ):
            moved = ast.Cast(e.type, e.at, "move", e, lvalue=True)
            return moved if self.rank(moved, ret) is not None else e
        return e

    def _deduced_result(self, f: ast.Function, placeholder: ty.Type, deduced: ty.Type, at: Token) -> None:
        """A return statement gives `deduced` for `auto`: all of a function's give the same."""
        if f.placeholder is not None and f.type.elem is not deduced and f.space != "host":
            self.fail(
                f"'auto' in return type deduced as '{deduced}' here but deduced as '{f.type.elem}' in earlier return"
                " statement",
                at,
            )
        f.placeholder = placeholder
        self.set_return_type(f, deduced)

    def set_return_type(self, f: ast.Function, t: ty.Type) -> None:
        declared, f.type = f.type.elem, ty.function(t, f.type.params, f.type.variadic)
        if declared is not None:
            self.check_placeholder(declared, t, f.at)

    def _goto(self, token: Token) -> ast.Stmt:
        self.i += 1
        name = self.identifier()
        self.expect(";", "after goto statement")
        self.gotos.append((token, name, self._initialised()))
        return ast.Goto(token, name.text)

    def _asm(self, token: Token) -> ast.Stmt:
        self.i += 1
        volatile = False
        while self.token.text in ("volatile", "goto", "inline") and self.token.kind == IDENT:
            volatile = volatile or self.token.text == "volatile"
            self.i += 1
        self.expect("(", "after 'asm'")
        text = self._asm_string()
        outputs: list[tuple[str, ast.Expr]] = []
        inputs: list[tuple[str, ast.Expr]] = []
        clobbers: list[str] = []
        section = 0
        while not self.at(")"):
            if self.at("::"):
                section += 2
                self.i += 1
            elif self.at(":"):
                section += 1
                self.i += 1
            else:
                self.fail("expected ')'", self.token, code="frontend.syntax")
            if self.at(")") or self.at(":") or self.at("::"):
                continue
            while True:
                if section >= 3:
                    clobbers.append(self._asm_string().decode("latin-1"))
                else:
                    (outputs if section == 1 else inputs).append(self._asm_operand(section == 1))
                # nvcc does not miss a comma between operands.
                if not self.accept(",") and (section >= 3 or self.token.kind != STRING):
                    break
        self.expect(")")
        self.expect(";", "after asm statement")
        return ast.Asm(token, text, outputs, inputs, clobbers, volatile or not outputs)

    def _asm_string(self) -> bytes:
        if self.token.kind != STRING:
            self.fail("expected string literal in 'asm'", self.token, code="frontend.syntax")
        data = b""
        while self.token.kind == STRING:
            try:
                if literals.prefix(self.token.text):
                    self.fail("cannot use an encoding prefix in an inline assembly string", self.token)
                data += literals.string(self.take().text)
            except literals.BadLiteral as bad:
                self.fail(str(bad), self.tokens[self.i - 1])
        return data

    def _asm_operand(self, output: bool) -> tuple[str, ast.Expr]:
        if self.at("["):
            self.fail("symbolic operand names are not supported by nvcc's inline PTX", self.token)
        at = self.token
        constraint = self._asm_string().decode("latin-1")
        if not re.match(_CONSTRAINT, constraint) or output != (constraint[0] in "=+"):
            self.fail(f"invalid {'output' if output else 'input'} constraint '{constraint}' in asm", at)
        self.expect("(")
        e = self.expression()
        self.expect(")")
        if output:
            self.require_assignable(e, e.at)
        else:
            e = self.decay(e)
        if not e.type.scalar:
            self.fail(f"an asm operand must have scalar type, not '{e.type}'", e.at)
        letter = constraint[-1]
        sizes = {"h": (2,), "r": (4,), "l": (8,), "f": (4,), "d": (8,), "q": (16,)}
        if letter in sizes:
            want_float = letter in "fd"
            size = e.type.size
            if (e.type.kind == "float") != want_float or (
                size != sizes[letter][0] and not (size < sizes[letter][0] and letter in "hr")
            ):
                self.fail(f"an asm operand of type '{e.type}' does not fit constraint '{constraint}'", e.at)
        if letter == "n" and constant.evaluate(e) is None:
            self.fail("an asm operand with constraint 'n' must be a constant", e.at)
        return constraint, e

    def _initialised(self) -> list[ast.Variable]:
        """The automatic variables in scope that have an initial value, which no jump may leave out."""
        out: list[ast.Variable] = []
        scope: ast.Scope | None = self.scope
        while scope is not None and scope.kind != "record":
            own = (v for v in scope.names.values() if isinstance(v, ast.Variable) and v.owner is self.function)
            out += [v for v in own if v.storage in ("local", "reference") and v.init is not None]
            scope = scope.parent if scope.kind != "function" else None
        return out

    def check_labels(self) -> None:
        for at, name, before in self.gotos:
            if name.text not in self.labels:
                self.report("frontend.label", f"use of undeclared label '{name.text}'", name)
                continue
            missed = [v for v in self.labels[name.text][1] if v not in before]
            if missed:
                notes = [self.note("jump bypasses variable initialization", v.at) for v in missed]
                self.report("frontend.label", "cannot jump from this goto statement to its label", at, notes)

    def _else(self, token: Token) -> ast.Stmt:
        self.fail("expected expression", token, code="frontend.syntax")

    def _exceptions(self, token: Token) -> ast.Stmt:
        kind = "__global__" if self.function is not None and self.function.space == "global" else "__device__"
        self.report("frontend.semantic", f"cannot use '{token.text}' in {kind} function", token)
        if token.text == "throw":
            raise Abandon
        self.i += 1
        while self.at("{") or self.accept("catch"):
            self.skip_balanced()
        return ast.Block(token)


_STATEMENTS: dict[str, Callable[[Statements, Token], ast.Stmt]] = {
    "if": Statements._if, "while": Statements._while, "do": Statements._do, "for": Statements._for,
    "switch": Statements._switch, "case": Statements._case, "default": Statements._case, "break": Statements._jump,
    "continue": Statements._jump, "return": Statements._return, "goto": Statements._goto, "asm": Statements._asm,
    "else": Statements._else, "try": Statements._exceptions, "throw": Statements._exceptions,
}  # fmt: skip
