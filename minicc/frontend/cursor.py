"""The parser's foundation: a cursor over tokens, scopes, and error reporting with recovery.

A semantic or syntax error is reported and raises `Abandon`; the statement or declaration loop catches it and skips to a
place where parsing can go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from minicc.diagnostics import CompileError, Diagnostic, Diagnostics, Span
from minicc.frontend.builtins.standard import HIDDEN
from minicc.frontend.entities import Function, Scope, Variable, others
from minicc.frontend.options import Options
from minicc.frontend.tokens import CLOSING, EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import Record, Type

if TYPE_CHECKING:
    from minicc.frontend.layers import Layers
else:
    Layers = object

MAX_NESTING = 256
_PLAIN = frozenset(("block", "head", "function", "template"))
"""Scopes that have the names that were declared in them, and no others."""


class Abandon(Exception):
    """The construct at hand is beyond use; its error has been reported."""


KEYWORDS = frozenset(
    [
        "alignas",
        "alignof",
        "asm",
        "auto",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "const_cast",
        "constexpr",
        "continue",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "nullptr",
        "operator",
        "private",
        "protected",
        "public",
        "reinterpret_cast",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
    ]
)


class Cursor(Layers):
    """State of all the parser's layers starts out in `Parser.__init__`; plain classes, since attrs would build twelve."""  # noqa: E501

    options: Options
    diagnostics: Diagnostics
    tokens: list[Token]
    unit: list[Token]
    """The whole file's; `tokens` is what is being read, perhaps a template's."""
    turn: list[Token]
    """What is read in the file's turn: `unit`, or a part of it."""
    i: int = 0
    scope: Scope
    function: Function | None = None
    """The function whose body is being read."""
    std_scope: Scope | None = None
    cuda_scope: Scope | None = None
    nest: int = 0
    quiet: int = 0
    """Above zero while reading tentatively: errors abandon without a report."""
    unevaluated: int = 0
    """Above zero inside decltype and sizeof."""
    named_align: int = 0
    """What the name of a type that was read last asks for beyond the type's own alignment, if anything."""
    depth: int = 0
    """How many instances of templates asked for each other, down to the code that is read now."""
    pattern: int = 0
    """Above zero while reading the pattern of a template, whose parameters have no values yet."""
    library: bool = False
    """Reading our own library: host rules do not apply."""
    silenced: tuple[str, Span | Token | None] = "", None
    """The last error that was not to be reported."""
    unfinished: int = 0
    """How often a function was called whose result its body was about to tell: later the same call may succeed."""
    elsewhere: int = 0
    """Above zero while reading what a call or an object brings along: default arguments, members' initial values."""

    @contextmanager
    def having(self, **state: Any) -> Iterator[None]:
        """Within, these of the parser's attributes are as given; afterwards they are what they were."""
        before = {name: getattr(self, name) for name in state}
        vars(self).update(state)
        try:
            yield
        finally:
            vars(self).update(before)

    # -- tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.i]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.i + ahead, len(self.tokens) - 1)]

    def at(self, text: str) -> bool:
        token = self.tokens[self.i]
        return token.text == text and token.kind is not STRING

    def take(self) -> Token:
        token = self.tokens[self.i]
        if token.kind != EOF:
            self.i += 1
        return token

    def accept(self, text: str) -> Token | None:
        token = self.tokens[self.i]
        if token.text == text and token.kind is not STRING:
            self.i += 1
            return token
        return None

    def previous_end(self) -> Span:
        """Just past the token before: where clang points for a missing ';'."""
        if self.i == 0:
            return self.token.span
        token = self.tokens[self.i - 1]
        end = token.span.end
        return Span(token.source, end, end + 1)

    def expect(self, text: str, after: str = "") -> Token:
        """Take `text`, or report that it is missing and abandon."""
        token = self.tokens[self.i]
        if token.text == text and token.kind is not STRING:
            self.i += 1
            return token
        if text == ">" and token.text in (">>", ">=", ">>=") and token.kind == PUNCT:
            return self._split_greater(token)
        if text == ";":
            self.report("frontend.syntax", f"expected ';'{' ' + after if after else ''}", self.previous_end())
            raise Abandon
        self.fail(f"expected '{text}'{' ' + after if after else ''}", token, code="frontend.syntax")

    def _split_greater(self, token: Token) -> Token:
        """A template list ended by the first half of >> or >=."""
        rest = Token(PUNCT, token.text[1:], token.source, token.start + 1, False, False, token.hide)
        first = Token(PUNCT, ">", token.source, token.start, token.space, token.bol, token.hide)
        # The list may be read again (templates), so it is edited in a copy.
        tokens = [*self.tokens[: self.i], first, rest, *self.tokens[self.i + 1 :]]
        if self.tokens is self.turn:
            self.turn = tokens
        self.tokens = tokens
        self.i += 1
        return first

    def identifier(self, what: str = "identifier") -> Token:
        token = self.tokens[self.i]
        if token.kind != IDENT or token.text in KEYWORDS:
            self.fail(f"expected {what}", token, code="frontend.syntax")
        self.i += 1
        return token

    # -- errors

    def report(
        self, code: str, message: str, where: Span | Token | None = None, notes: list[Diagnostic] | None = None
    ) -> None:
        if self.quiet:
            self.silenced = message, where
            raise Abandon
        span = where.span if isinstance(where, Token) else where
        self.diagnostics.error(code, message, span, notes or ())

    def fail(
        self,
        message: str,
        where: Token | Span | None = None,
        *,
        code: str = "frontend.semantic",
        notes: list[Diagnostic] | None = None,
    ) -> NoReturn:
        self.report(code, message, where if where is not None else self.token, notes)
        raise Abandon

    def warn(self, code: str, message: str, where: Token, notes: list[Diagnostic] | None = None) -> None:
        if not self.quiet:
            self.diagnostics.warn(code, message, where.span, notes or ())

    def note(self, message: str, where: Token) -> Diagnostic:
        return Diagnostic("note", "frontend.note", message, where.span)

    def enter(self, at: Token) -> None:
        """Count one level of nesting; pair with `self.nest -= 1`."""
        self.nest += 1
        if self.nest > MAX_NESTING:
            raise CompileError(
                [
                    *self.diagnostics.items,
                    Diagnostic(
                        "error",
                        "frontend.nesting",
                        f"bracket nesting level exceeded maximum of {MAX_NESTING}",
                        at.span,
                    ),
                ]
            )

    # -- skipping

    def brackets(self, k: int, depth: int) -> int:
        """What the token at index `k` adds to the `depth` of angle brackets. Within some, `<` behind `Class<T>::name`
        compares: a template would be named by `template`."""
        text, tokens = self.tokens[k].text, self.tokens
        if text == "<":
            named = depth > 0 and tokens[k - 1].kind == IDENT and tokens[k - 2].text == "::"
            return 0 if named and tokens[k - 3].text == ">" else 1
        return -1 if text == ">" else -2 if text == ">>" else 0

    def past_brackets(self, k: int) -> int:
        """Index past the brackets that open at index k."""
        saved, self.i = self.i, k
        self.skip_balanced()
        k, self.i = self.i, saved
        return k

    def skip_balanced(self) -> None:
        """From an opening bracket to past its partner. Others are not counted: what is left open within, a `(` in a
        function's body, say, is an error where the body is read, and does not swallow what follows it."""
        tokens, i, depth = self.tokens, self.i, 0
        opens = tokens[i].text
        closes = CLOSING.get(opens)
        if closes is None:
            self.take()
            return
        while (kind := tokens[i].kind) != EOF:
            if kind == PUNCT:
                text = tokens[i].text
                if text == opens:
                    depth += 1
                elif text == closes:
                    depth -= 1
            i += 1
            if depth <= 0:
                break
        self.i = i

    def attributes(self) -> None:
        """Past `[[...]]`."""
        while self.at("[") and self.peek().text == "[" and self.token.kind is not STRING:
            word, given = self.peek(2), self.peek(4)
            if word.text in ("deprecated", "nodiscard") and self.peek(3).text == "(" and given.kind is not STRING:
                what = f"expected string literal as argument of '{word.text}' attribute"
                self.fail(what, given, code="frontend.syntax")
            self.skip_balanced()

    def recover(self) -> None:
        """After an error: past the next ';' of this nesting level, or to before the '}' that closes it."""
        depth = 0
        while self.token.kind != EOF:
            text = self.token.text
            if self.token.kind == PUNCT:
                if text in ("(", "[", "{"):
                    depth += 1
                elif text in (")", "]"):
                    depth = max(0, depth - 1)
                elif text == "}":
                    if depth == 0:
                        return
                    depth -= 1
                    if depth == 0 and self.peek().text not in (";", ",", ")"):
                        self.i += 1
                        return
                elif text == ";" and depth == 0:
                    self.i += 1
                    return
            self.i += 1

    # -- names

    def push(self, kind: str) -> Scope:
        self.scope = Scope(kind, self.scope)
        return self.scope

    def pop(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def lookup(self, name: str) -> object | None:
        scope: Scope | None = self.scope
        while scope is not None:
            found = scope.names.get(name)
            if found is None and (scope.using or scope.kind not in _PLAIN):
                found = self.find_in(scope, name)
                if found is not None and scope.using and scope.parent is not None:
                    hiding = self._hiding(scope, name)
                    if hiding is not None:
                        scope = hiding
                        continue
                record = scope.record
                if found is not None and record is not None and record.dependent_bases:
                    found = found if self._found_here(record, name) else None
            elif scope.using and type(found) is list:
                # A using-directive adds to what the scope has itself ([basic.lookup.unqual]).
                found = self.with_used(scope, name, found)
            if found is not None:
                if type(found) is list and scope.parent is None:
                    # CUDA's own functions are file-scope functions, too.
                    own = self.builtin(name)
                    if type(own) is list and own is not found:
                        return found + others(found, own)
                return found
            scope = scope.parent
        return self.builtin(name)

    def _hiding(self, scope: Scope, name: str) -> Scope | None:
        """The scope that hides what a using-directive of `scope` brought: such a name lies where the namespace that has
        it and the directive's place meet ([namespace.udir])."""
        around: list[Scope | None] = []
        for used in scope.using:
            outer: Scope | None = used
            while outer is not None:
                around.append(outer)
                outer = outer.parent
        outer = scope
        while outer is not None and outer.parent is not None and outer not in around:
            if name in outer.names:
                return outer if outer is not scope else None
            outer = outer.parent
        return None

    def _found_here(self, record: Record, name: str) -> bool:
        """The name that the class or a base of it has is not one of a base that depends on a template's parameters."""
        if record.declares(name) or (record.scope is not None and name in record.scope.names):
            return True
        if any(not f.name and f.type.record is not None for f in record.fields[record.inherited :]):
            return True
        others = [t.record for t, _ in record.bases if t.record is not None and t not in record.dependent_bases]
        return any(r.scope is not None and self.find_in(r.scope, name) is not None for r in others)

    def find_in(self, scope: Scope, name: str) -> object | None:
        """What `name` means in a scope, its base classes or the namespaces that it uses, and those use."""
        found = self._own_name(scope, name)
        return self.with_used(scope, name, None) if found is None and scope.using else found

    clash: tuple[object, object] | None = None
    """Two things of one name that using-directives brought when it was last looked up."""

    def with_used(self, scope: Scope, name: str, found: object | None) -> object | None:
        """What `name` means in the namespaces that a scope uses; functions of all of them overload each other, of other
        things two leave a `clash`."""
        seen, work, source = [scope], [*scope.using], None
        for other in work:
            if other in seen or (other is self.std_scope and name in HIDDEN and scope.name not in ("thrust", "std")):
                continue
            more = self._own_name(other, name)
            if found is None:
                found, source = more, other
            elif type(more) is list and type(found) is list and more is not found:
                found = found + [f for f in more if f not in found]
            elif more is not None and more is not found and source is not None and source.at and other.at:
                self.clash = found, more
            seen.append(other)
            work += other.using
        return found

    def _own_name(self, scope: Scope, name: str) -> object | None:
        found = scope.names.get(name)
        if found is None and scope.record is not None:
            field = scope.record.find(name) or scope.record.find_unnamed(name)
            if field is not None:
                return field
            for base, _ in scope.record.bases:
                if base.record is not None and base.record.scope is not None:
                    found = self.find_in(base.record.scope, name)
                    if found is not None:
                        return found
        if scope is self.std_scope and (found is None or type(found) is list):
            # Namespace std; several headers may overload a name.
            found = self.standard(name) or found
        if found is None and scope.files:
            found = self.standard(name, scope)
        return found

    def lookup_tag(self, name: str) -> object | None:
        """What `struct name` means: a class is found though a variable or function of its scope hides it."""
        scope: Scope | None = self.scope
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return (scope.tags.get(name) if scope is not None else None) or self.lookup(name)

    def hide_tag(self, name: str) -> None:
        """A variable or function takes the name of a class of its scope ([basic.scope.hiding])."""
        old = self.scope.names.get(name)
        if isinstance(old, Type) and (old.record is not None or old.kind == "enum") and old.name == name:
            self.scope.tags[name] = old
            del self.scope.names[name]

    def declare(self, name: str, entity: object, at: Token) -> None:
        if isinstance(entity, Variable):
            self.hide_tag(name)
        template = self.function.template if self.function is not None else None
        if template is not None and any(p.name == name for p in template.params):
            self.fail(f"declaration of '{name}' shadows template parameter", at)
        if isinstance(entity, Variable) and not self.library and self._binds_parameter(name):
            self.fail(f"declaration of '{name}' shadows template parameter", at)
        old = self.scope.names.get(name) or self._of_head(name)
        if old is not None and not (isinstance(old, Type) and isinstance(entity, Type) and old is entity):
            if (
                isinstance(old, Variable)
                and isinstance(entity, Variable)
                and (old.extern or entity.extern)
                and _alike(old.type, entity.type)
            ):
                if entity.storage != "dynamic" and entity.extern and entity.init is None:
                    entity.defined = old
                    return
                if entity.storage != "dynamic":
                    old.defined = entity
                self.scope.names[name] = entity
                return
            notes = [self.note("previous definition is here", old.at)] if isinstance(old, Variable | Function) else None
            kind = "redefinition of"
            if isinstance(old, Variable) and isinstance(entity, Variable) and old.type is not entity.type:
                self.report(
                    "frontend.redefinition",
                    f"redefinition of '{name}' with a different type: '{entity.type}' vs '{old.type}'",
                    at,
                    notes,
                )
                return
            if not isinstance(old, Variable) and not isinstance(entity, Type):
                kind = "redefinition of"
                self.report("frontend.redefinition", f"{kind} '{name}' as different kind of symbol", at, notes)
                return
            self.report("frontend.redefinition", f"{kind} '{name}'", at, notes)
            return
        self.scope.names[name] = entity

    def _binds_parameter(self, name: str) -> bool:
        """A class around is an instance of a template that has a parameter of this name."""
        scope: Scope | None = self.scope
        while scope is not None:
            outer = scope.parent
            held = scope.record is not None and not scope.record.closure
            if held and outer is not None and outer.kind == "template" and name in outer.names:
                return True
            scope = outer
        return False

    def _of_head(self, name: str) -> object | None:
        """What the head of the statement declares whose body, or the outermost block of it, is the scope: no name is
        declared twice in the two ([basic.scope.block])."""
        head = self.scope.parent if self.scope.kind == "block" else None
        if head is not None and head.kind == "block":
            head = head.parent
        return head.names.get(name) if head is not None and head.kind == "head" else None


def _alike(a: Type, b: Type) -> bool:
    """Types of declarations of one variable: an array's bound may be missing in one."""
    return a is b or (a.kind == b.kind == "array" and a.elem is b.elem and min(a.count, b.count) < 0)
