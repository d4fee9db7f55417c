"""Bodies of host functions: read as far as it takes to know which kernel templates they launch.

A body's tokens are walked once. What looks like a declaration is declared, so that its type is known; the rest is
stepped over, but for launches of kernel templates and calls of host function templates, whose arguments are deduced and
whose instances are needed. What cannot be read (the host's library, lambdas) is passed by without an error: it is the
host compiler's concern.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend import ast
from minicc.frontend.cursor import KEYWORDS, Abandon
from minicc.frontend.parse.declarators import Declarator, Specifiers
from minicc.frontend.parse.lambdas import Lambdas
from minicc.frontend.sema import constant
from minicc.frontend.tokens import EOF, IDENT, STRING

_INSTANCES = 200
"""Of all host function templates: one that instantiates itself without end is given up here."""


class HostBody(Lambdas):
    host_instances: int = 0

    def function_body(self, f: ast.Function, d: Declarator | None = None) -> None:
        if f.space != "host" or f.constexpr or f.library or f.strict:
            super().function_body(f, d)
            return
        f.parsed = True
        scope, tokens = self.scope, self.tokens
        self.scope = f.param_scope or self.scope
        try:
            while not self.at("{") and self.token.kind != EOF:
                self.i += 1
            self.host_body(f)
        finally:
            self.scope, self.tokens = scope, tokens

    def host_body(self, f: ast.Function | None) -> None:
        """From `{` to past its `}`."""
        outer, function, nest = self.scope, self.function, self.nest
        start = self.i
        self.skip_balanced()
        length = len(self.tokens) - self.i
        self.i = start
        self.function = f
        fresh = False
        self.quiet += 1
        try:
            # Splitting `>>` lengthens the list of tokens, so the end is counted from its end.
            while self.i < len(self.tokens) - length and self.token.kind != EOF:
                fresh = self._host_token(fresh)
        finally:
            self.quiet -= 1
            self.scope, self.function, self.nest = outer, function, nest
            self.i = len(self.tokens) - length

    def _host_token(self, fresh: bool) -> bool:
        """One step; `fresh` says whether a statement may begin here, as does the result for the next."""
        token = self.token
        text = token.text
        if token.kind == STRING or token.kind != IDENT:
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
        start, scope, nest, todo, tail = self.i, self.scope, self.nest, len(self.todo), len(self.tokens) - self.i
        greater = self.greater_ends
        try:
            return step()
        except Abandon:
            self.i = min(start, len(self.tokens) - tail)
            self._forget(todo)
            return False
        finally:
            self.scope, self.nest, self.greater_ends = scope, nest, greater

    def _forget(self, todo: int) -> None:
        kept = [f for f in self.todo[todo:] if f.kept]
        for f in self.todo[todo:]:
            f.parsed = f.kept
        self.todo[todo:] = kept

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
        """`name<...><<<...>>>(...)`, `name<<<...>>>(...)`, `name<...>(...)` or `name(...)` of a template."""
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
            raise Abandon
        start, todo, nest = self.i, len(self.todo), self.nest
        made: list[ast.Function | None]
        try:
            args = self.arguments()
            chosen = self.resolve(name.text, list(entity), args, explicit, at).entity
            made = [chosen] if isinstance(chosen, ast.Function) else []
        except Abandon:
            self._forget(todo)
            made = [self.deduce(t, None, explicit) for t in templates]
        self.nest = nest
        self._forget(todo)
        # The arguments are walked again: they may hold calls themselves.
        self.i = start + 1
        for f in made:
            if f is None or f.pending is None or f.parsed or (f.space == "global") != launched:
                continue
            if f.space == "host":
                self.host_instances += 1
                if self.host_instances > _INSTANCES:
                    continue
            if f.space in ("global", "host"):
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
