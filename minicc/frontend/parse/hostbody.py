"""Bodies of host functions: read as far as it takes to know which kernel templates they launch.

A body is read like any other, quietly, statement by statement, and its calls of host templates, members of instances
and lambdas are followed. A statement that cannot be read (the host's library, exceptions) is walked instead, token by
token: what looks like a declaration is declared, so that its type is known; launches of kernel templates and calls of
host function templates are looked for; the rest is stepped over without an error: it is the host compiler's concern.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections import Counter
from collections.abc import Callable

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import KEYWORDS, Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.launches import Launches
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema import constant
from minicc.frontend.sema.calls import deduced_type
from minicc.frontend.tokens import EOF, IDENT, STRING, Token

_INSTANCES = 2000
"""Of one host function: a template that instantiates itself without end is given up here."""
_HEADED = frozenset(("if", "for", "while", "switch", "catch"))


class HostBody(Launches):
    host_instances: Counter[tuple[int, int]]
    host_copies: dict[int, ast.Function]
    host_function: ast.Function | None = None
    """The host function whose body is being read, while it is `function`."""
    host_unread: frozenset[str] = frozenset()
    """Names in the statements that could not be read as such."""

    @property
    def hosting(self) -> bool:
        return self.host_function is not None and self.function is self.host_function

    # -- whole bodies

    def function_body(self, f: ast.Function, d: Declarator | None = None) -> None:
        if f.space != "host" or f.constexpr or f.library or f.strict:
            super().function_body(f, d)
            return
        f.parsed = True
        scope, tokens = self.scope, self.tokens
        self.scope = f.param_scope or self.scope
        try:
            if self.at("("):
                self.host_parameters()
            if self.at(":"):
                self._host_members_set()
            while not self.at("{") and self.token.kind != EOF:
                self.i += 1
            self.host_body(f)
        finally:
            self.scope, self.tokens = scope, tokens

    def host_parameters(self) -> None:
        """Of a host function whose head could not be read: those of them that can be."""
        last, function = self.past_brackets(self.i) - 1, self.function
        tail = len(self.tokens) - last
        self.function = ast.Function("", ty.function(ty.AUTO, []), self.token, space="host")
        self.quiet += 1
        while self.i < len(self.tokens) - tail and self.token.kind != EOF:
            self.i += 1
            self._attempt(self._host_declaration)
            while self.i < len(self.tokens) - tail and not self.at(","):
                if self.token.kind is not STRING and self.token.text in ("(", "[", "{"):
                    self.skip_balanced()
                elif not (self.at("<") and self._attempt(self._past_arguments)):
                    self.i += 1
        self.quiet -= 1
        self.function, self.i = function, len(self.tokens) - tail + 1

    def _host_members_set(self) -> None:
        """`: a(1), b{2}` before a constructor's body."""
        while not self.at("{") and self.token.kind != EOF:
            while not (self.at("(") or self.at("{")) and self.token.kind != EOF:
                self.i += 1
            tail = len(self.tokens) - self.past_brackets(self.i)
            if self.kernel_templates:
                self._walk_apart(tail)
            self.i = len(self.tokens) - tail
            self.accept("...")
            if not self.accept(","):
                return

    def host_body(self, f: ast.Function | None) -> None:
        """From `{` to past its `}`."""
        self.check_launches(f.params if f is not None else [])
        # Somebody may have to know the result that the body tells.
        waited_for = self.deducing and f is not None and f.type.elem is not None and deduced_type(f.type.elem)
        if not self.kernel_templates and not waited_for:
            self.skip_balanced()
            return
        start = self.i
        self.skip_balanced()
        length = len(self.tokens) - self.i
        self.i = start
        if f is None:
            at = self.token
            f = ast.Function("", ty.function(ty.AUTO, []), at, space="host")
        with self.having(
            scope=self.scope, function=f, host_function=f, nest=self.nest, switches=[], loops=0, labels={}, gotos=[],
            greater_ends=False, unroll=None, unevaluated=0, pattern=0, quiet=self.quiet + 1,
        ):  # fmt: skip
            with contextlib.suppress(Abandon):
                self.block(scope=False)
            body = self.tokens[start : len(self.tokens) - length]
            returns = any(a.text == "return" and b.text != ";" for a, b in itertools.pairwise(body))
            if f.name and f.type.elem is not None and f.type.elem.kind == "auto" and not returns:
                self.set_return_type(f, ty.VOID)
        # Splitting `>>` lengthens the list of tokens, so the end is counted from its end.
        self.i = len(self.tokens) - length

    def walk_initialiser(self, end: int) -> None:
        """Of a host variable that cannot be read, up to its `;`: it may hold lambdas and addresses of kernels."""
        if not self.kernel_templates or self.token.text in ("struct", "class", "union", "using", "typedef"):
            return
        # The variable itself is this scope's; what the walk takes for others (parameters, say) is nobody's.
        tail = len(self.tokens) - end
        start = self.i
        self.quiet += 1
        self._attempt(self._host_declaration)
        self.quiet -= 1
        self.i = start
        self._walk_apart(tail)

    def _walk_apart(self, tail: int) -> None:
        """Outside of bodies, until so many tokens are left; what is declared there is nobody's."""
        function, state, scope = self.function, self.host_function, self.scope
        self.function = self.host_function = ast.Function("", ty.function(ty.AUTO, []), self.token, space="host")
        self.quiet += 1
        self.push("block")
        try:
            self._walk(tail)
        finally:
            self.quiet -= 1
            self.function, self.host_function, self.scope = function, state, scope

    # -- what is called

    def need_body(self, f: ast.Function) -> None:
        if not self.hosting:
            super().need_body(f)
            return
        if (f.both or f.constexpr) and not (f.constructor or self.unevaluated) and self._takes_host_code(f):
            f = self._for_host(f)
        if f.constexpr:
            with contextlib.suppress(Abandon):
                self.finish(f)
            return
        # What runs on the device is needed where device code calls it.
        if f.space not in ("global", "host") or f.parsed or self.unevaluated:
            return
        if f.space == "host":
            place = id(f.at.source), f.at.start
            self.host_instances[place] += 1
            if self.host_instances[place] > _INSTANCES:
                return
        super().need_body(f)
        if f.constructor and f.record is not None:
            self._need_destructor(f.record)

    def _takes_host_code(self, f: ast.Function) -> bool:
        """Does an argument hold code of the host, such as a lambda that launches kernels?"""
        for t in f.type.params:
            record = (t.elem if t.kind == "reference" and t.elem is not None else t).record
            if record is None or record.scope is None:
                continue
            called = record.scope.names.get("operator()")
            for each in called if isinstance(called, list) else ():
                if isinstance(each, ast.FunctionTemplate):
                    head = itertools.takewhile(lambda token: token.text != "{", each.tokens)
                    if not any(token.text == "__device__" for token in head):
                        return True
                elif isinstance(each, ast.Function) and each.space == "host":
                    return True
        return False

    def _for_host(self, f: ast.Function) -> ast.Function:
        """The host's own of a function of both sides, to be read as a host function; the device's stays as it is."""
        own = self.host_copies.get(id(f))
        if own is None:
            own = self.host_copies[id(f)] = copy.copy(f)
            own.space, own.both, own.constexpr, own.library, own.strict = "host", False, False, False, False
            own.parsed, own.body, own.pure_at = False, None, 0
            if f.param_scope is not None:
                own.param_scope = copy.copy(f.param_scope)
                own.param_scope.names = dict(f.param_scope.names)
        return own

    def _need_destructor(self, t: ty.Type) -> None:
        scope = t.record.scope if t.record is not None else None
        for name, found in scope.names.items() if scope is not None else ():
            if name.startswith("~") and isinstance(found, list):
                for f in found:
                    if isinstance(f, ast.Function):
                        self.need_body(f)

    def finish(self, f: ast.Function) -> None:
        if not self.hosting or f.space == "host":
            super().finish(f)
            return
        try:
            super().finish(f)
        except Abandon:
            # Device code that calls it reports what is wrong.
            f.body, f.pure_at, f.parsed = None, 0, False
            raise

    def need_unread(self) -> bool:
        """Queue the host members that statements which could not be read may have called; whether there are any."""
        waiting, self.host_members = self.host_members, []
        found = False
        for f in waiting:
            if f.parsed or f.pending is None:
                continue
            name = f.record.record.template_name if f.record is not None and f.record.record is not None else ""
            special = f.constructor or f.name.startswith("~")
            if (name if special else f.name) in self.host_unread:
                f.parsed = found = True
                self.todo.append(f)
            else:
                self.host_members.append(f)
        return found

    def _storage(self, specs: Specifiers, v: ast.Variable, local: bool) -> str:
        if not self.hosting or v.extern or specs.spaces:
            return super()._storage(specs, v, local)
        return "reference" if v.type.kind == "reference" else "local"

    def launch(self, callee: ast.Expr, at: Token) -> ast.Expr:
        """`<<< ... >>>(arguments)` at the cursor, of host code."""
        if not self.hosting:
            return super().launch(callee, at)
        self._skip_configuration()
        if not self.at("("):
            raise Abandon
        args = self.arguments()
        if isinstance(callee, ast.Overloads):
            chosen = self.resolve(callee.name, callee.functions, args, callee.args, callee.at).entity
            if isinstance(chosen, ast.Function):
                self.need_body(chosen)
        return ast.Cast(ty.VOID, at, "void", self.number(0, ty.INT, at))

    def lambda_expression(self) -> ast.Expr:
        made = super().lambda_expression()
        record = made.type.record
        found = record.scope.names.get("operator()") if self.hosting and record is not None and record.scope else None
        if isinstance(found, list) and isinstance(found[0], ast.Function):
            # No template: it is compiled whether or not it is called.
            self.need_body(found[0])
        return made

    # -- statements

    def statement(self) -> ast.Stmt:
        if not self.hosting:
            return super().statement()
        start, scope, nest, tail = self.i, self.scope, self.nest, len(self.tokens) - self.i
        switches, loops, failed = len(self.switches), self.loops, self.host_unread
        try:
            return super().statement()
        except Abandon:
            self.host_unread = failed
            self.function = self.host_function
            self.i = min(start, len(self.tokens) - tail)
            self.scope, self.nest, self.greater_ends, self.loops = scope, nest, False, loops
            self.unevaluated = self.pattern = 0
            del self.switches[switches:]
        if self.token.kind == EOF:
            raise Abandon
        return self._walked_statement()

    def _walked_statement(self) -> ast.Stmt:
        """A statement that could not be read: its head is walked, what it holds is read."""
        at = self.token
        text = at.text if at.kind == IDENT else ""
        scope = self.push("block")
        if text in _HEADED or text in ("do", "else", "try"):
            self.i += 1
            self.accept("constexpr")
            if self.at("("):
                self._walk(len(self.tokens) - self.past_brackets(self.i))
            self.statement()
            if text == "if" and self.accept("else"):
                self.statement()
        elif text in ("case", "default"):
            while not (self.at(":") or self.at(";") or self.at("}") or self.token.kind == EOF):
                self.i += 1
            self.accept(":")
        elif self.at("{"):
            self._walk(len(self.tokens) - self.past_brackets(self.i))
        else:
            self.pop()
            self._walk(len(self.tokens) - self._end_of_statement())
            self.accept(";")
            return ast.Block(at)
        self.scope = scope.parent or scope
        return ast.Block(at)

    def _end_of_statement(self) -> int:
        """Index of its `;`, or of the `}` of its block."""
        start = self.i
        while self.token.kind != EOF and not (self.at(";") or self.at("}")):
            if self.token.kind is not STRING and self.token.text in ("(", "[", "{"):
                self.skip_balanced()
            else:
                self.i += 1
        end, self.i = self.i, start
        return end

    def _walk(self, tail: int) -> None:
        """Token by token, until so many are left."""
        fresh, first = True, self.i
        while self.token.kind != EOF and self.i < len(self.tokens) - tail:
            fresh = self._host_token(fresh)
        self.host_unread |= {t.text for t in self.tokens[first : self.i] if t.kind == IDENT}

    def _host_token(self, fresh: bool) -> bool:
        """One step; `fresh` says whether a statement may begin here, as does the result for the next."""
        token = self.token
        text = token.text
        if token.kind == STRING or token.kind != IDENT:
            if token.kind != STRING and text == "[" and self.peek(-1).text in ("(", ",", "=", "{", "return"):
                if not self._attempt(self._host_lambda):
                    self.i += 1
                return False
            self.i += 1
            if token.kind != STRING and text == "{":
                self.push("block")
            elif token.kind != STRING and text == "}" and self.scope.kind == "block" and self.scope.parent:
                self.pop()
            return token.kind != STRING and text in ("{", "}", ";", "(")
        if fresh and self._attempt(self._host_declaration):
            return False
        if text in KEYWORDS:
            self.i += 1
            return text == "else"
        if not self._attempt(self._host_call):
            self.i += 1
        return False

    def _attempt(self, step: Callable[[], bool]) -> bool:
        """Run a step; where it gives up, the cursor goes back."""
        start, scope, nest, tail = self.i, self.scope, self.nest, len(self.tokens) - self.i
        greater, function = self.greater_ends, self.function
        try:
            return step()
        except Abandon:
            self.i = min(start, len(self.tokens) - tail)
            return False
        finally:
            self.scope, self.nest, self.greater_ends, self.function = scope, nest, greater, function

    def _past_arguments(self) -> bool:
        self.skip_template_arguments()
        return True

    def _host_lambda(self) -> bool:
        self.lambda_expression()
        return True

    def _host_declaration(self) -> bool:
        if not self.starts_type():
            return False
        specs = self.specifiers()
        if specs.type is None or "typedef" in specs.words or specs.spaces:
            raise Abandon
        after = self.i
        while True:
            d = self.declarator(specs.type)
            if d.name is None or d.params is not None:
                raise Abandon
            self._host_variable(specs, d)
            while not (self.at(",") or self.at(";") or self.at(")") or self.at(":") or self.at("}")):
                if self.token.kind == EOF:
                    raise Abandon
                if self.token.kind != STRING and self.token.text in ("(", "[", "{"):
                    self.skip_balanced()
                else:
                    self.i += 1
            if not self.accept(","):
                break
        # The initialisers are walked like everything else: they may call.
        self.i = after
        return True

    def _host_variable(self, specs: Specifiers, d: Declarator) -> None:
        assert d.name is not None
        if d.type.bare.kind in ("auto", "void") or (d.type.elem is not None and d.type.elem.bare.kind == "auto"):
            return
        v = ast.Variable(d.name.text, d.type, d.name, scope=self.scope, owner=self.function)
        v.constexpr = "constexpr" in specs.words
        self.scope.names[v.name] = v
        if (d.type.const or v.constexpr) and d.type.integral and self.at("="):
            start = self.i
            self.i += 1
            try:
                value = constant.evaluate(self.convert(self.conditional_expression(), d.type.bare, "initializing"))
            except Abandon:
                value = None
            self.i = start
            if isinstance(value, int):
                v.value = value

    def _host_call(self) -> bool:
        """A launch or call of a template, with explicit arguments or none, or the address of an instance."""
        at = self.token
        if self.i and self.tokens[self.i - 1].text in (".", "->"):
            return False
        if self.peek().text not in ("<", "<<", "(", "::"):
            return False
        entity, name = self.qualified() if self.peek().text == "::" else (self.lookup(at.text), self.take())
        if not isinstance(entity, list):
            raise Abandon
        templates = [t for t in entity if isinstance(t, ast.FunctionTemplate)]
        if not templates:
            raise Abandon
        explicit = self.template_arguments(None) if self.at("<") else None
        launched = self.at("<<") and self.peek().text == "<"
        if launched:
            self._skip_configuration()
        if not self.at("("):
            if explicit is None or launched:
                raise Abandon
            self.function_value(ast.Overloads(ty.VOID, name, name.text, list(entity), explicit), None)
            return True
        start, nest = self.i, self.nest
        made: list[ast.Function | None]
        try:
            args = self.arguments()
            chosen = self.resolve(name.text, list(entity), args, explicit, at).entity
            made = [chosen] if isinstance(chosen, ast.Function) else []
        except Abandon:
            made = [self.deduce(t, None, explicit) for t in templates]
        self.nest = nest
        # The arguments are walked again: they may hold calls themselves.
        self.i = start + 1
        for f in made:
            if f is not None and (f.space == "global") == launched:
                self.need_body(f)
        return True

    def _skip_configuration(self) -> None:
        """`<<< ... >>>`."""
        self.i += 2
        while not (self.at(">>") and self.peek().text == ">"):
            if self.token.kind == EOF or self.at(";"):
                raise Abandon
            if self.token.kind != STRING and self.token.text in ("(", "[", "{"):
                self.skip_balanced()
            else:
                self.i += 1
        self.i += 2
