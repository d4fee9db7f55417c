"""Host code in a .cu file: recognised and stepped over.

A function definition whose head names no execution space is host code: `hostbody.py` walks its body for the kernel
templates that it launches. Other declarations that cannot be read and that speak of the host's libraries are left out.
"""

from __future__ import annotations

import re

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import KEYWORDS, Abandon
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.hostbody import HostBody
from minicc.frontend.parse.names import BASIC, edits
from minicc.frontend.parse.outlines import HEAD_BRACKETS
from minicc.frontend.parse.specifiers import SPACES
from minicc.frontend.sema.layout import Layout
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import Record, Type

_DEVICE = frozenset(("__device__", "__global__", "__constant__", "__shared__", "__managed__"))
_NOT_FUNCTIONS = frozenset(
    "struct class union enum namespace template typedef using static_assert constexpr consteval asm friend".split()
)
_ASSERTS = ("static_assert", "_Static_assert")
_BEFORE_BODY = frozenset((")", "const", "noexcept", "override", "try"))
_HOST_WORD = (
    "std|thrust|cub|virtual|throw|dynamic_cast|typeid|FILE|DIR|va_list|jmp_buf|pthread_([a-z]+_)?t|(sem|mqd|regex|off|pid)_t|"
    "time(val|spec|b)|sockaddr|rusage|dirent|CU[a-z][A-Za-z_]*|cu(da|blas|rand|fft|sparse|solver|dnn)[A-Z_][A-Za-z_]*"
)
"""What tells the host's declarations apart: types and namespaces of its libraries, and words unknown to device code."""


class HostCode(HostBody):
    unread: dict[str, tuple[int, int, list[Token], ast.Scope]]
    """Where the declarations stand that were left out, by name."""
    left_out: frozenset[str] = frozenset()
    """Classes and types that only the host can read."""

    whole_program: bool | None = None
    """The file holds a host program, or uses the C++ library: what cannot be read may be the host's."""

    def _is_program(self) -> bool:
        if self.whole_program is None:
            self.whole_program = any(t.text in ("main", "std") and t.kind == IDENT for t in self.unit)
        return self.whole_program

    lenient: int = 0
    """Above zero while reading a class of the host's without the bases and members that cannot be read."""

    def _body(self, made: Type, at: Token, align: int) -> Type:
        """Where kernel templates may be launched by its members, a class of the host's that cannot be read whole is
        read without what cannot be."""
        inner = made.record.scope if made.record is not None else None
        if self.lenient or self.library or not self.quiet or not self.kernel_templates or inner is None:
            return super()._body(made, at, align)
        start, tail = self.i, len(self.tokens) - self.i
        saved, names = (self.scope, self.nest, self.function), dict(inner.names)
        try:
            return super()._body(made, at, align)
        except Abandon:
            self.i, (self.scope, self.nest, self.function) = min(start, len(self.tokens) - tail), saved
            if not self._may_lack(self.i):
                raise
        ty.begin_reading(made).scope = inner
        inner.names = names
        self.lenient += 1
        try:
            return super()._body(made, at, align)
        finally:
            self.lenient -= 1

    def _may_lack(self, k: int) -> bool:
        """The class whose bases or body begin at index k is the host's alone."""
        while not (self.tokens[k].text == "{" and self.tokens[k].kind is not STRING):
            if self.tokens[k].kind == EOF:
                return False
            k += 1
        words = {t.text for t in self.tokens[self.i : self.past_brackets(k)] if t.kind == IDENT}
        return not words & _DEVICE and (self._is_program() or any(map(self._host_word, words)))

    def _base(self, record: Record, at: Token, out: list[Type]) -> None:
        if not self.lenient:
            super()._base(record, at, out)
            return
        start, scope, nest = self.i, self.scope, self.nest
        try:
            super()._base(record, at, out)
        except Abandon:
            record.lacking = record.lacking or self.silenced
            self.i, self.scope, self.nest = start, scope, nest
            while not (self.at(",") or self.at("{") or self.token.kind == EOF):
                if self.at("<"):
                    self.skip_template_arguments()
                else:
                    self.i += 1

    def _member(self, made: Type, layout: Layout, pending: list[ast.Function]) -> None:
        if not self.lenient:
            super()._member(made, layout, pending)
            return
        start, scope, nest, function = self.i, self.scope, self.nest, self.function
        try:
            super()._member(made, layout, pending)
        except Abandon:
            assert made.record is not None
            made.record.lacking = made.record.lacking or self.silenced
            self.i, self.scope, self.nest, self.function = start, scope, nest, function
            self.skip_declaration()

    def skip_host_member(self, made: Type, pending: list[ast.Function]) -> bool:
        _, called, device = self._head()
        tokens, start, names_type = self.tokens, self.i, self.token.text in ("typedef", "using")
        if device or not (called or names_type):
            return False
        # A constructor's initialisers may hold braces; the body is the last of them.
        k, brace = self.i, False
        while tokens[k].text != ";" or tokens[k].kind is STRING:
            if tokens[k].kind == EOF:
                return False
            if tokens[k].text in ("(", "[", "{") and tokens[k].kind is not STRING:
                brace = brace or tokens[k].text == "{"
                k = self.past_brackets(k)
                if tokens[k - 1].text == "}" and tokens[k].text not in (",", "{", ";"):
                    break
                continue
            k += 1
        words = tokens[self.i : k]
        if any(t.text in _DEVICE for t in words):
            return False
        if not (self._is_program() or any(t.kind == IDENT and self._host_word(t.text) for t in words)):
            return False
        if called and self.kernel_templates and tokens[k - 1].text == "}":
            self._member_left_out(made, k, pending)
        self.i = k + 1 if tokens[k].text == ";" else k
        if names_type:
            self._leave_out(start, self.i)
        return True

    def _member_left_out(self, made: Type, end: int, pending: list[ast.Function]) -> None:
        """The body of a member function of the host's whose head cannot be read may still launch kernels."""
        name = self.head_name()
        if name is None or not self.at("("):
            return
        f = ast.Function(name.text, ty.function(ty.VOID, []), name, scope=self.scope, space="host")
        f.record, f.param_scope = made, ast.Scope("function", self.scope)
        f.constructor = name.text == self.scope.name
        self._add_this(f, made, 0)
        f.pending = self.closed(self.i, end), 0
        pending.append(f)

    def _host_word(self, text: str) -> bool:
        return text in self.left_out or re.fullmatch(_HOST_WORD, text) is not None

    def declaration(self) -> list[ast.Variable]:
        if self.function is not None or self.library or self.scope.kind not in ("file", "namespace"):
            return super().declaration()
        if self._is_host_definition():
            self._skip_host_definition()
            return []
        if self.token.text == "namespace" and self.peek(2).text == "=":
            return self._perhaps_host()  # std::filesystem, say.
        if self._opens_scope():
            return super().declaration()  # Each declaration in there is asked for itself.
        perhaps = ("struct", "class", "union", "using", "typedef")
        if self.token.text in perhaps or self._mentions_host() or (self._is_program() and not self._head()[2]):
            return self._perhaps_host()
        return super().declaration()

    def _opens_scope(self) -> bool:
        """`namespace name {`, `inline namespace`, `extern "C" {` are next."""
        first, second, third = (self.peek(k).text for k in range(3))
        if first == "inline":
            first, second = second, third
        return (first == "namespace" and second != "std") or (first == "extern" and third == "{")

    def _head(self) -> tuple[int, bool, bool]:
        """(index of what ends the head, whether a parameter list was seen, whether device words were)."""
        k, depth, called, device = self.i, 0, False, False
        tokens = self.tokens
        while tokens[k].kind != EOF:
            token = tokens[k]
            text = token.text
            if token.kind == IDENT:
                device = device or text in _DEVICE
            elif token.kind is not STRING:
                if text in ("(", "["):
                    called = called or (text == "(" and depth == 0 and tokens[k - 1].text not in HEAD_BRACKETS)
                    depth += 1
                elif text in (")", "]"):
                    depth -= 1
                elif depth <= 0 and (text in ("{", ";") or (text == "=" and not called)):
                    break
            k += 1
        return k, called, device

    def _is_host_definition(self) -> bool:
        token = self.token
        if (
            token.kind != IDENT
            or token.text in _NOT_FUNCTIONS
            or (token.text == "extern" and self.peek().kind == STRING)
        ):
            return False
        if token.text == "inline" and self.peek().text == "namespace":
            return False
        end, called, device = self._head()
        if not called or device or self.tokens[end].text != "{":
            return False
        words = {t.text for t in self.tokens[self.i : end]}
        if words & {"constexpr", "consteval"}:
            return False
        # A parameter's `auto` makes a template of it.
        return not (self.constrains and token.text != "auto" and "auto" in words)

    def _skip_host_definition(self) -> None:
        end, _, _ = self._head()
        self._misspelt(end)
        start, scope, nest = self.i, self.scope, self.nest
        tail = len(self.tokens) - end  # splitting `>>` lengthens the list
        inner: ast.Scope | None = None
        found: ast.Function | None = None
        self.quiet += 1
        try:
            specs = self.specifiers(need_type=False)
            special = specs.type is None and self._is_constructor_outline()
            if special or specs.type is not None:
                d = self.constructor_outline() if specs.type is None else self.declarator(specs.type)
                if d.params is not None:
                    self._defined_for_device(d)
                    f = self._member_definition(specs, d, True) if special else self.function_declarator(specs, d)
                    found = f
                    inner = d.param_scope
                    if f.space == "device":
                        # Declared for the device before, in its class or above.
                        self.quiet -= 1
                        try:
                            self.function_body(f, d)
                        finally:
                            self.quiet += 1
                        return
        except Abandon:
            pass
        finally:
            self.quiet -= 1
            self.scope, self.nest = scope, nest
        self.scope = inner or ast.Scope("function", scope)
        self.i = start
        if inner is None and self.kernel_templates and self.head_name() is not None and self.at("("):
            self.host_parameters()
        self.i = max(start, len(self.tokens) - tail)
        try:
            self.host_body(found)
        finally:
            self.scope = scope

    def _misspelt(self, end: int) -> None:
        """`__gloabl__`: no function of the host's, but a slip."""
        for token in self.tokens[self.i : end]:
            if token.kind == IDENT and token.text.startswith("__") and token.text.endswith("__"):
                meant = next((word for word in SPACES if 0 < edits(token.text, word) < 3), None)
                if meant is not None and token.text not in SPACES and self.lookup(token.text) is None:
                    what = f"unknown type name '{token.text}'; did you mean '{meant}'?"
                    self.fail(what, token, code="frontend.unknown-type")

    def _defined_for_device(self, d: Declarator) -> None:
        """A second definition of a function; what marks the first as the device's does not tell them apart."""
        found = self.scope.names.get(d.name.text) if d.name is not None and d.owner is None else None
        for f in found if isinstance(found, list) else ():
            if isinstance(f, ast.Function) and f.type.params == d.type.params and f.body is not None:
                quiet, self.quiet = self.quiet, 0
                try:
                    self.once(f.at, d.name or f.at)
                finally:
                    self.quiet = quiet

    def _mentions_host(self) -> bool:
        end, _, device = self._head()
        return not device and any(t.kind == IDENT and self._host_word(t.text) for t in self.tokens[self.i : end])

    def _perhaps_host(self) -> list[ast.Variable]:
        """Read it; if that fails and it is the host's business, step over it."""
        start, scope, nest, done = self.i, self.scope, self.nest, len(self.diagnostics.items)
        known, grown = dict(self.scope.names), self.signatures.mark
        self.quiet += 1
        try:
            return super().declaration()
        except Abandon:
            pass
        finally:
            self.quiet -= 1
        del self.diagnostics.items[done:]
        self.scope, self.nest, self.function, self.i = scope, nest, None, start
        self.scope.names.clear()
        self.scope.names.update(known)
        self.signatures.undo(grown, known.values())
        depth_end = self._extent()
        words = {t.text for t in self.tokens[start:depth_end] if t.kind == IDENT}
        if self.token.text in _ASSERTS:
            if self._asserted() is not None or self._knows_all(start, depth_end):
                return super().declaration()
            self.warn("frontend.host-assertion", "static assertion of what is not known here is left out", self.token)
        if not words & _DEVICE and (self._is_program() or any(map(self._host_word, words))):
            self._leave_out(start, depth_end)
            tail = len(self.tokens) - depth_end
            self.walk_initialiser(depth_end)
            self.i = len(self.tokens) - tail
            return []
        return super().declaration()

    def _asserted(self) -> bool | None:
        """The value of the static assertion at the cursor, which stays; None where it cannot be read."""
        with self.having(i=self.i, quiet=self.quiet + 1, nest=self.nest):
            try:
                return self.assertion()[1]
            except Abandon:
                return None

    def _knows_all(self, start: int, end: int) -> bool:
        """Every name between two places is declared, none of them in the host's libraries."""
        tokens = self.tokens
        for k in range(start + 1, end):
            name = tokens[k].text
            if tokens[k].kind != IDENT or tokens[k - 1].text in ("::", ".", "->") or name in KEYWORDS or name in BASIC:
                continue
            if self._host_word(name) or self.lookup(name) is None:
                return False
        return True

    def _leave_out(self, start: int, end: int) -> None:
        """Remember what `struct Name ...;`, `using Name = ...;` and `typedef ... Name;` would have declared."""
        first, second, last = self.tokens[start], self.tokens[start + 1], self.tokens[end - 2]
        found: set[str] = set()
        if first.text in ("struct", "class", "union", "using") and second.kind == IDENT:
            found = {second.text}
        elif first.text == "typedef":
            names = [t for t in (last, *self.tokens[start + 1 : start + 3]) if t.kind == IDENT]
            found = {t.text for t in names if t is last or self.tokens[start + 1].text in ("struct", "class")}
        self.left_out |= found
        self.unread.update(dict.fromkeys(found, (start, end, self.tokens, self.scope)))

    def why_not(self, name: str) -> None:
        """Where something that was left out is missed, the error is that for which it was."""
        start, end, tokens, scope = self.unread.pop(name, (0, 0, [], self.scope))
        if not tokens or self.quiet:
            return

        def read() -> None:
            last = tokens[end - 1]
            self.tokens, self.scope = [*tokens[start:end], Token(EOF, "", last.source, last.start)], scope
            super(HostCode, self).declaration()

        self.apart(read)

    def _extent(self) -> int:
        """Index past the `;` or the function body that ends the declaration at the cursor."""
        k, depth, body = self.i, 0, False
        while self.tokens[k].kind != EOF:
            text = self.tokens[k].text
            if self.tokens[k].kind is not STRING:
                if text in ("{", "(", "["):
                    body = body or (text == "{" and depth == 0 and self.tokens[k - 1].text in _BEFORE_BODY)
                    depth += 1
                elif text in ("}", ")", "]"):
                    depth -= 1
                    if body and depth == 0 and self.tokens[k + 1].text not in ("{", ",", ";"):
                        return k + 1
                elif text == ";" and depth <= 0:
                    return k + 1
            k += 1
        return k
