"""The preprocessor: directives, macros, includes.

Input: a source file and the options. Output: the list of tokens that the parser sees. `#pragma unroll` survives as a
token of kind PRAGMA. Macro expansion follows Prosser's algorithm (hide sets), iteratively over a stack of pending
tokens, and is bounded, as are nested includes, so that no input can make it run away.
"""

from __future__ import annotations

import os
import re

from minicc import texts
from minicc.diagnostics import CompileError, Diagnostic, Diagnostics, SourceFile
from minicc.frontend import predefined
from minicc.frontend.condition import Condition
from minicc.frontend.options import Options
from minicc.frontend.tokens import CHAR, EOF, IDENT, NUMBER, OTHER, PUNCT, STRING, Token, scan

PRAGMA = "pragma"
MAX_INCLUDES = 64
MAX_TOKENS = 2_000_000
HEADERS = os.path.join(os.path.dirname(__file__), "include")


class Macro:
    def __init__(
        self,
        name: str,
        body: list[Token],
        params: list[str] | None = None,
        variadic: bool = False,
        where: Token | None = None,
    ) -> None:
        self.name, self.body, self.params, self.variadic, self.where = name, body, params, variadic, where


class _Group:
    """One open #if: `live` while this group is read, `taken` once any group was, `outer` what the enclosing one is."""

    def __init__(self, opened: Token, live: bool, taken: bool, outer: bool) -> None:
        self.opened, self.live, self.taken, self.outer = opened, live, taken, outer
        self.had_else = False


class Preprocessor:
    def __init__(self, options: Options, diagnostics: Diagnostics) -> None:
        self.options, self.diagnostics = options, diagnostics
        self.macros: dict[str, Macro] = {}
        self.out: list[Token] = []
        self.once: set[str] = set()
        self.depth = 0
        self.work = 0
        self.lazy: dict[str, str] = predefined.macros(options)
        """Predefined macros that were not asked for yet: name to the text of a #define."""
        self.counter = 0
        self.pragmas = False
        """`_Pragma` was seen."""
        self.packing: list[int] = []
        """What `#pragma pack(push)` put away."""
        for text in options.defines:
            name, equals, value = text.partition("=")
            *line, end = scan(SourceFile("<command-line>", f"{name} {value if equals else '1'}"))
            if self._named(line, end):
                self._define(line)
        for name in options.undefines:
            self.macros.pop(name, None)
            self.lazy.pop(name, None)

    # -- errors

    def error(self, token: Token, message: str, code: str = "frontend.preprocessor") -> None:
        self.diagnostics.error(code, message, token.span)

    # -- macros

    def lookup(self, name: str) -> Macro | None:
        macro = self.macros.get(name)
        if macro is None and name in self.lazy:
            self._define(scan(SourceFile("<built-in>", self.lazy.pop(name)))[:-1])
            macro = self.macros.get(name)
        return macro

    def _named(self, line: list[Token], at: Token) -> str:
        """The macro that a directive's line begins with; "" after an error."""
        if not line:
            self.error(at, "macro name missing")
        elif line[0].kind != IDENT:
            self.error(line[0], "macro name must be an identifier")
        elif line[0].text in ("defined", "__VA_ARGS__") or line[0].text in predefined.OPERATORS:
            self.error(line[0], f"'{line[0].text}' cannot be used as a macro name")
        else:
            return line[0].text
        return ""

    def _define(self, line: list[Token]) -> None:
        name = line[0]
        params: list[str] | None = None
        variadic = False
        rest = line[1:]
        if rest and rest[0].text == "(" and not rest[0].space:
            params = []
            i = 1
            while i < len(rest) and rest[i].text != ")":
                if rest[i].text == "...":
                    variadic = True
                    params.append("__VA_ARGS__")
                elif rest[i].kind == IDENT:
                    params.append(rest[i].text)
                    if i + 1 < len(rest) and rest[i + 1].text == "...":
                        variadic = True
                        i += 1
                else:
                    self.error(rest[i], "invalid token in macro parameter list")
                    return
                i += 1
                if i < len(rest) and rest[i].text == ",":
                    i += 1
                elif i < len(rest) and rest[i].text != ")":
                    self.error(rest[i], "expected comma in macro parameter list")
                    return
            if i >= len(rest):
                self.error(name, "missing ')' in macro parameter list")
                return
            rest = rest[i + 1 :]
        if rest and (rest[0].text == "##" or rest[-1].text == "##"):
            self.error(rest[0], "'##' cannot appear at either end of a macro expansion")
            return
        if params is not None:
            for i, token in enumerate(rest):
                if token.text == "#" and (i + 1 == len(rest) or rest[i + 1].text not in params):
                    self.error(token, "'#' is not followed by a macro parameter")
                    return
        old = self.macros.get(name.text)
        if old is not None and (old.params != params or [t.text for t in old.body] != [t.text for t in rest]):
            notes = (
                [Diagnostic("note", "frontend.preprocessor", "previous definition is here", old.where.span)]
                if old.where
                else []
            )
            self.diagnostics.warn("frontend.macro-redefined", f"'{name.text}' macro redefined", name.span, notes)
        self.macros[name.text] = Macro(name.text, rest, params, variadic, name)
        self.lazy.pop(name.text, None)

    def expand(self, tokens: list[Token], condition: bool = False) -> list[Token]:
        """Fully expand a closed list (a macro argument, a directive's line: of #if, what `defined` asks for stays)."""
        out: list[Token] = []
        self.condition, outer = condition, self.condition
        self._expand_into(list(reversed(tokens)), out, None)
        self.condition = outer
        return out

    condition: bool = False
    """The line of an #if is being expanded."""

    def _expand_into(self, stack: list[Token], out: list[Token], lines: _Lines | None) -> None:
        """Expand until `stack` is empty; a function-like macro at its end may take its arguments from `lines`."""
        macros, lazy = self.macros, self.lazy
        while stack:
            token = stack.pop()
            if token.kind != IDENT:
                out.append(token)
                continue
            name = token.text
            if name == "defined" and self.condition:
                asked = stack[-2:] if stack and stack[-1].text == "(" else stack[-1:]
                del stack[len(stack) - len(asked) :]
                out += [token, *reversed(asked)]
                continue
            if (name not in macros and name not in lazy) or (token.hide is not None and name in token.hide):
                if name in predefined.DYNAMIC and (token.hide is None or name not in token.hide):
                    out.append(self._dynamic(token))
                else:
                    out.append(token)
                continue
            macro = self.lookup(name)
            if macro is None:
                out.append(token)
                continue
            self.work += 1 + len(macro.body)
            if self.work > MAX_TOKENS:
                raise CompileError(
                    Diagnostic("error", "frontend.macro-limit", "macro expansion is too large", token.span)
                )
            if macro.params is None:
                hide = (token.hide or frozenset()) | {name}
                self._push(stack, self._substitute(macro, [], token, hide), token)
                continue
            args, closing = self._arguments(macro, token, stack, lines)
            if args is None:
                out.append(token)
                continue
            assert closing is not None
            hide = ((token.hide or frozenset()) & (closing.hide or frozenset())) | {name}
            self._push(stack, self._substitute(macro, args, token, hide), token)

    def _push(self, stack: list[Token], body: list[Token], at: Token) -> None:
        if body:
            body[0].space, body[0].bol = at.space, at.bol
        self.work += len(body)
        stack.extend(reversed(body))

    def _dynamic(self, token: Token) -> Token:
        if token.text == "_Pragma":
            self.pragmas = True
            return token
        if token.text == "__LINE__":
            return Token(
                NUMBER,
                str(token.source.presumed(token.start)[1]),
                token.source,
                token.start,
                token.space,
                token.bol,
            )
        if token.text == "__COUNTER__":
            self.counter += 1
            return Token(NUMBER, str(self.counter - 1), token.source, token.start, token.space, token.bol)
        name = token.source.presumed(token.start)[0].replace("\\", "\\\\").replace('"', '\\"')
        return Token(STRING, f'"{name}"', token.source, token.start, token.space, token.bol, None, token.start + 8)

    def _arguments(
        self, macro: Macro, name: Token, stack: list[Token], lines: _Lines | None
    ) -> tuple[list[list[Token]] | None, Token | None]:
        """Read `( a, b )` after a function-like macro's name. (None, None) when no parenthesis follows."""
        if not stack:
            if lines is None or not lines.next_is("("):
                return None, None
            stack.append(lines.take())
        if stack[-1].text != "(" or stack[-1].kind != PUNCT:
            return None, None
        stack.pop()
        assert macro.params is not None
        args: list[list[Token]] = [[]]
        nest = 0
        while True:
            if not stack:
                token = lines.take() if lines is not None else None
                if token is None or token.kind == EOF:
                    raise CompileError(
                        [
                            *self.diagnostics.items,
                            Diagnostic(
                                "error",
                                "frontend.preprocessor",
                                "unterminated function-like macro invocation",
                                name.span,
                            ),
                        ]
                    )
            else:
                token = stack.pop()
            if token.kind == PUNCT:
                if token.text == ")":
                    if nest == 0:
                        closing = token
                        break
                    nest -= 1
                elif token.text == "(":
                    nest += 1
                elif token.text == "," and nest == 0 and not (macro.variadic and len(args) == len(macro.params)):
                    args.append([])
                    continue
            args[-1].append(token)
        count = len(macro.params)
        if count == 0 and args == [[]]:
            args = []
        if macro.variadic and len(args) == count - 1:
            args.append([])
        if len(args) != count:
            word = "too few" if len(args) < count else "too many"
            where = closing if len(args) < count else name
            raise CompileError(
                [
                    *self.diagnostics.items,
                    Diagnostic(
                        "error",
                        "frontend.preprocessor",
                        f"{word} arguments provided to function-like macro invocation",
                        where.span,
                    ),
                ]
            )
        return args, closing

    def _substitute(self, macro: Macro, args: list[list[Token]], at: Token, hide: frozenset[str]) -> list[Token]:
        out: list[Token] = []
        body, params = macro.body, macro.params or []
        expanded: dict[int, list[Token]] = {}
        rest = params[-1] if macro.variadic else ""
        if rest and any(t.text == "__VA_OPT__" for t in body):
            body = _chosen(body, bool(self.expand(args[-1])))
        i, n = 0, len(body)
        end = at.end if at.end >= 0 else at.start + len(at.text)

        def copy(token: Token, space: bool | None = None) -> Token:
            hidden = hide if token.hide is None else token.hide | hide
            spaced = token.space if space is None else space
            return Token(token.kind, token.text, at.source, at.start, spaced, False, hidden, end)

        def keep(token: Token, space: bool) -> Token:
            # An argument's token keeps its own place: it was written there.
            hidden = hide if token.hide is None else token.hide | hide
            return Token(token.kind, token.text, token.source, token.start, space, False, hidden, token.end)

        while i < n:
            token = body[i]
            if token.text == "#" and macro.params is not None and i + 1 < n and body[i + 1].text in params:
                out.append(copy(self._stringise(args[params.index(body[i + 1].text)], token)))
                i += 2
                continue
            if token.text == "##" and out and i + 1 < n:
                right = body[i + 1]
                i += 2
                if right.text in params:
                    arg = args[params.index(right.text)]
                    if not arg:
                        # GNU: `, ## __VA_ARGS__` drops the comma when there are no arguments.
                        if right.text == rest and out[-1].text == ",":
                            out.pop()
                        continue
                    if right.text == rest and out[-1].text == ",":
                        out.extend(keep(t, t.space) for t in arg)
                        continue
                    out[-1] = self._paste(out[-1], arg[0], at, hide)
                    out.extend(keep(t, t.space) for t in arg[1:])
                else:
                    out[-1] = self._paste(out[-1], right, at, hide)
                continue
            if token.kind == IDENT and token.text in params:
                index = params.index(token.text)
                if i + 1 < n and body[i + 1].text == "##":
                    arg = args[index]
                    if not arg:
                        # An empty left operand: the right one stands alone.
                        out.append(Token(OTHER, "", at.source, at.start, token.space, False, hide, end))
                else:
                    if index not in expanded:
                        expanded[index] = self.expand(args[index])
                    arg = expanded[index]
                self.work += len(arg)
                if self.work > MAX_TOKENS:
                    raise CompileError(
                        Diagnostic("error", "frontend.macro-limit", "macro expansion is too large", at.span)
                    )
                for k, t in enumerate(arg):
                    out.append(keep(t, token.space if k == 0 else t.space))
            else:
                out.append(copy(token))
            i += 1
        return [t for t in out if t.text]

    def _stringise(self, arg: list[Token], at: Token) -> Token:
        parts: list[str] = []
        for i, token in enumerate(arg):
            if i and token.space:
                parts.append(" ")
            text = token.text
            if token.kind in (STRING, CHAR):
                text = text.replace("\\", "\\\\").replace('"', '\\"')
            parts.append(text)
        return Token(STRING, '"' + "".join(parts) + '"', at.source, at.start, at.space)

    def _paste(self, left: Token, right: Token, at: Token, hide: frozenset[str]) -> Token:
        text = left.text + right.text
        if not text:
            return left
        made = scan(SourceFile("<paste>", text))
        if len(made) != 2:
            self.error(at, f"pasting formed '{text}', an invalid preprocessing token")
        first = made[0]
        end = at.end if at.end >= 0 else at.start + len(at.text)
        return Token(first.kind, first.text, at.source, at.start, left.space, False, hide, end)

    # -- files and directives

    def run(self, source: SourceFile) -> list[Token]:
        """Preprocess `source` and whatever it includes; the result ends with EOF."""
        self.options.files_read.append(source.name)
        for name in self.options.pre_includes:
            self._file(SourceFile("<command-line>", f'#include "{name}"\n'))
        self._file(source)
        self.diagnostics.check()
        last = len(source.text)
        self.out.append(Token(EOF, "", source, last, True, True))
        return self._operators() if self.pragmas else self.out

    def _operators(self) -> list[Token]:
        """The output with each `_Pragma("...")` as the directive that it stands for."""
        tokens, self.out = self.out, []
        i = 0
        while i < len(tokens):
            token = tokens[i]
            if token.text == "_Pragma" and i + 3 < len(tokens) and tokens[i + 2].kind == STRING:
                text = tokens[i + 2].text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
                rest = [
                    Token(t.kind, t.text, token.source, token.start, t.space)
                    for t in scan(SourceFile("<pragma>", text))[:-1]
                ]
                self._pragma(token, rest, token.source)
                i += 4
                continue
            self.out.append(token)
            i += 1
        return self.out

    def _file(self, source: SourceFile) -> None:
        lines = _Lines(scan(source))
        groups: list[_Group] = []
        tokens = lines.tokens
        out, macros, lazy, dynamic = self.out, self.macros, self.lazy, predefined.DYNAMIC
        while True:
            token = tokens[lines.at]
            if token.kind == EOF:
                break
            if token.bol and token.text == "#" and token.kind == PUNCT:
                lines.at += 1
                self._directive(token, lines.rest_of_line(), groups, source)
                continue
            if groups and not groups[-1].live:
                lines.skip_line()
                continue
            lines.at += 1
            if token.kind == IDENT and (token.text in macros or token.text in lazy or token.text in dynamic):
                # What a macro leaves may call another whose arguments follow in the file, hence `lines`.
                start = len(out)
                self._expand_into([token], out, lines)
                if token.bol and [t.text for t in out[start : start + 2]] == ["#", "pragma"]:
                    # No directive in C++, but nvcc reads its preprocessor's output again.
                    made = out[start + 2 :]
                    del out[start:]
                    self._pragma(token, made, source)
            else:
                out.append(token)
        for group in groups:
            self.error(group.opened, "unterminated conditional directive")

    def _directive(self, hash_token: Token, line: list[Token], groups: list[_Group], source: SourceFile) -> None:
        if not line:
            return
        name, rest = line[0], line[1:]
        live = not groups or groups[-1].live
        kind = name.text
        if kind in ("if", "ifdef", "ifndef"):
            value = False
            if live:
                value = self._condition(kind, name, rest)
            groups.append(_Group(hash_token, live and value, value or not live, live))
            return
        if kind in ("elif", "elifdef", "elifndef", "else", "endif"):
            if not groups:
                self.error(name, f"#{kind} without #if")
                return
            group = groups[-1]
            if kind == "endif":
                groups.pop()
                return
            if group.had_else:
                self.error(name, f"#{kind} after #else")
                return
            if kind == "else":
                group.had_else = True
                group.live = group.outer and not group.taken
                group.taken = True
                return
            group.live = False
            if group.outer and not group.taken:
                group.live = self._condition("if" if kind == "elif" else kind[2:], name, rest)
                group.taken = group.live
            return
        if not live:
            return
        if kind == "define":
            if self._named(rest, name):
                self._define(rest)
        elif kind == "undef":
            macro = self._named(rest, name)
            self.macros.pop(macro, None)
            self.lazy.pop(macro, None)
        elif kind == "include":
            self._include(name, rest, source)
        elif kind == "error":
            self.error(
                name, source.text[name.start : rest[-1].span.end if rest else name.span.end][6:].strip() or "#error"
            )
        elif kind == "warning":
            text = source.text[name.start : rest[-1].span.end if rest else name.span.end][8:].strip()
            self.diagnostics.warn("frontend.user-warning", text, name.span)
        elif kind == "pragma":
            self._pragma(name, rest, source)
        elif kind == "line" or name.kind == NUMBER:
            words = self.expand(rest) if kind == "line" else line
            if words and words[0].kind == NUMBER and words[0].text.isdigit():
                named = source.presumed(name.start)[0]
                if words[1:] and words[1].kind == STRING:
                    named = re.sub(r"\\(.)", r"\1", words[1].text[1:-1])
                source.renumber(name.line + 1, int(words[0].text), named)
        else:
            self.error(name, "invalid preprocessing directive")

    def _condition(self, kind: str, name: Token, rest: list[Token]) -> bool:
        if kind != "if":
            macro = self._named(rest, name)
            return macro != "" and self.defined(macro) == (kind == "ifdef")
        return Condition(self, name).value(rest) != 0

    def defined(self, name: str) -> bool:
        return name in self.macros or name in self.lazy or name in predefined.DYNAMIC or name in predefined.WORDS

    def _pragma(self, name: Token, rest: list[Token], source: SourceFile) -> None:
        if rest and rest[0].text == "once":
            self.once.add(os.path.realpath(source.name))
        elif rest and rest[0].text in ("unroll", "nounroll"):
            head = rest[0]
            self.out.append(Token(PRAGMA, head.text, head.source, head.start, True, True))
            # As nvcc: macros are not expanded here, constants and template parameters do.
            self.out.extend(rest[1:])
            self.out.append(Token(PRAGMA, "", head.source, head.start, True))
        elif rest and rest[0].text in ("nv_diag_suppress", "diag_suppress"):
            names = {"declared_but_not_referenced": "177", "set_but_not_used": "550", "used_before_set": "549"}
            self.options.suppressed |= {names.get(t.text, t.text) for t in rest[1:]}
        elif rest and rest[0].text == "pack":
            self._pack([t.text for t in rest[1:]], name)
        elif rest and rest[0].text == "minicc_library" and source.name.startswith("<"):
            # In our headers: the functions of these library files are known from here on.
            self.out.extend([Token(PRAGMA, rest[0].text, source, name.start, True, True), *rest[1:]])
            self.out.append(Token(PRAGMA, "", source, name.start, True))

    def _pack(self, words: list[str], name: Token) -> None:
        """`pack(n)`, `pack()`, `pack(push, n)`, `pack(push)`, `pack(pop)`; as written, without macros."""
        packs = self.options.packs
        value = packs[-1][2] if packs else 0
        if "push" in words:
            self.packing.append(value)
        number = next((w for w in words if w.isdigit()), None)
        if "pop" in words:
            value = self.packing.pop() if self.packing else 0
        elif number is not None or "push" not in words:
            value = 0
        packs.append((name.source, name.start, int(number) if number is not None else value))

    def _include(self, name: Token, rest: list[Token], source: SourceFile) -> None:
        if rest and rest[0].kind == IDENT:
            rest = self.expand(rest)
        if rest and rest[0].kind == STRING:
            wanted, quoted = rest[0].text[1:-1], True
        elif rest and rest[0].text == "<":
            end = source.text.find(">", rest[0].start)
            close = next((k for k, t in enumerate(rest) if t.text == ">"), 0)
            if close and (source.text[rest[0].start] != "<" or "\n" in source.text[rest[0].start : end]):
                # A macro's name: its tokens spell the file.
                wanted, quoted = "".join(t.text for t in rest[1:close]), False
            elif end < 0 or "\n" in source.text[rest[0].start : end]:
                self.error(rest[0], "expected '>'")
                return
            else:
                wanted, quoted = source.text[rest[0].start + 1 : end], False
        else:
            self.error(rest[0] if rest else name, 'expected "FILENAME" or <FILENAME>')
            return
        if self.depth >= MAX_INCLUDES:
            raise CompileError(
                [
                    *self.diagnostics.items,
                    Diagnostic("error", "frontend.include-depth", "#include nested too deeply", name.span),
                ]
            )
        found = self._find(wanted, quoted, source)
        if found is None:
            raise CompileError(
                [
                    *self.diagnostics.items,
                    Diagnostic("error", "frontend.no-file", f"'{wanted}' file not found", rest[0].span),
                ]
            )
        if os.path.realpath(found.name) in self.once:
            return
        if found.name not in self.options.files_read and not found.name.startswith("<"):
            self.options.files_read.append(found.name)
        self.depth += 1
        self._file(found)
        self.depth -= 1

    def has_builtin(self, name: str) -> bool:
        from minicc.frontend.builtins import table

        return table.find(name, False) is not None

    def has_include(self, name: list[Token], at: Token) -> bool:
        """`__has_include(...)`: what stands in the brackets."""
        if not name:
            return False
        quoted = name[0].kind == STRING
        wanted = name[0].text[1:-1] if quoted else "".join(t.text for t in name[1:-1])
        return self._find(wanted, quoted, at.source) is not None

    def _find(self, wanted: str, quoted: bool, source: SourceFile) -> SourceFile | None:
        for folder in (*([os.path.dirname(source.name)] if quoted else []), *self.options.includes):
            path = _tidy(os.path.join(folder, wanted))
            try:
                if os.path.isfile(path):
                    return SourceFile(path, texts.read(path))
            except (OSError, ValueError):
                continue
        alias = predefined.HEADERS.get(wanted)
        if alias is None:
            alias = next((to for prefix, to in predefined.PREFIXES.items() if wanted.startswith(prefix)), None)
        if (
            alias is None
            and wanted.endswith(".h")
            and any(os.path.isfile(os.path.join(f, wanted)) for f in predefined.SYSTEM)
        ):
            alias = ""
        if alias is None:
            return None
        if alias == "":
            return SourceFile(f"<{wanted}>", "")
        return SourceFile(f"<{alias}>", texts.read(os.path.join(HEADERS, alias)))


def _tidy(path: str) -> str:
    """A path without what says nothing, so that a file has one name; `..` stays, which may lead behind a link."""
    return "/" * path.startswith("/") + "/".join(p for p in path.split("/") if p not in ("", "."))


class _Lines:
    """A cursor over a file's tokens that knows where lines end."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def rest_of_line(self) -> list[Token]:
        start = at = self.at
        tokens = self.tokens
        while not tokens[at].bol:
            at += 1
        self.at = at
        return tokens[start:at]

    def skip_line(self) -> None:
        tokens, at = self.tokens, self.at + 1
        while not tokens[at].bol:
            at += 1
        self.at = at

    def next_is(self, text: str) -> bool:
        return self.tokens[self.at].text == text

    def take(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != EOF:
            self.at += 1
        return token


def _chosen(body: list[Token], some: bool) -> list[Token]:
    """A macro's body with `__VA_OPT__(...)` replaced: its contents if there are variable arguments, else nothing."""
    out: list[Token] = []
    i = 0
    while i < len(body):
        if body[i].text != "__VA_OPT__" or i + 1 >= len(body) or body[i + 1].text != "(":
            out.append(body[i])
            i += 1
            continue
        start, depth = i + 2, 0
        while i + 1 < len(body):
            i += 1
            depth += {"(": 1, ")": -1}.get(body[i].text, 0)
            if depth == 0:
                break
        out += body[start:i] if some else []
        i += 1
    return out
