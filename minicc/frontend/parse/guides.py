"""Class template argument deduction: `Box b(3.f)`, `Pair{1, 2.0}`.

Deduction guides, those in the source and those that constructors imply, are function templates whose result is the
class: `template <class T> auto guide(T) -> Box<T>;`. Overload resolution among them finds the class. Until its
initialiser is read, the type of what is declared is the placeholder `auto` with the template noted.
"""

from __future__ import annotations

import contextlib

from minicc.frontend import ast
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.specialisations import Specialisations
from minicc.frontend.sema.overloads import takes_list
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import Type

_BEFORE = frozenset(
    "__host__ __device__ constexpr explicit inline __forceinline__ __inline__ __noinline__ consteval".split()
)


_NO_MEMBER = frozenset("static using typedef friend template struct class union enum public".split())
"""What begins a declaration in a class that is no data member's."""


def _split(words: list[Token]) -> list[list[Token]]:
    """At the commas between declarators."""
    parts: list[list[Token]] = [[]]
    angle = 0
    for t in words:
        angle += {"<": 1, ">": -1, ">>": -2}.get(t.text, 0)
        if t.text == "," and angle == 0:
            parts.append([])
        else:
            parts[-1].append(t)
    return parts


def _spelt_out(words: list[Token], aliases: dict[str, list[Token]]) -> list[Token]:
    """With the class's own names of types replaced by what they stand for, from which arguments can be deduced."""
    out: list[Token] = []
    for k, t in enumerate(words):
        known = aliases.get(t.text) if t.kind == IDENT else None
        if not known or (k and words[k - 1].text == "::"):
            out.append(t)
            continue
        # `const P`, where P is `T *`, is `T *const`.
        behind = [out.pop()] if k and words[k - 1].text in ("const", "volatile") and known[-1].text == "*" else []
        out += [*known, *behind]
    return out


class Guides(Specialisations):
    # -- guides in the source

    def guide_follows(self) -> bool:
        """`Name(...) -> Type;` at the cursor, where Name is a class template."""
        k = self.i
        while self.tokens[k].text in _BEFORE:
            k += 1
        if self.tokens[k].kind != IDENT or self.tokens[k + 1].text != "(":
            return False
        if not isinstance(self.scope.names.get(self.tokens[k].text), ast.ClassTemplate):
            return False
        return self.tokens[self._past_bracket(self.tokens, k + 1)].text == "->"

    def guide(self, params: list[ast.TemplateParam]) -> None:
        """Take the guide at the cursor."""
        while self.token.text in _BEFORE:
            self.i += 1
        name = self.take()
        start = self.i
        self.skip_declaration()
        self._check_result(name, self.tokens[start : self.i - 1])
        self._add_guide(params, f"guide {name.text}", self.tokens[start : self.i], name)

    def _check_result(self, name: Token, tail: list[Token]) -> None:
        """Behind the parameters, and the arrow, stands the class itself ([temp.deduct.guide])."""
        k = self._past_bracket(tail, 0)
        result = tail[k + 1 :]
        opens = next((n for n, t in enumerate(result) if t.text == "<"), len(result))
        if opens and result[opens - 1].text != name.text:
            spelled = "".join(t.text for t in result)
            what = f"deduced type '{spelled}' of deduction guide is not written as a specialization of template"
            self.fail(f"{what} '{name.text}'", result[0])

    def _add_guide(self, params: list[ast.TemplateParam], name: str, tail: list[Token], at: Token) -> None:
        """Declare `auto name tail` where the class template is declared."""
        head = [Token(IDENT, text, at.source, at.start) for text in ("__device__", "auto", name)]
        end = Token(EOF, "", at.source, at.start)
        with self.having(tokens=[*head, *tail, end], i=0, function=None):
            if params:
                self._function_template(params, 0, None, at)
            else:
                specs = self.specifiers()
                assert specs.type is not None
                self.function_declarator(specs, self.declarator(specs.type))

    # -- guides that constructors imply

    def _imply(self, template: ast.ClassTemplate) -> list[object]:
        name = f"constructors of {template.name}"
        known = template.scope.names.get(name)
        if isinstance(known, list):
            return known
        with self.having(scope=template.scope, quiet=self.quiet + 1, nest=self.nest):
            for inner, parameters in self._constructors(template):
                with contextlib.suppress(Abandon):
                    self._add_guide([*template.params, *inner], name, self._result(template, parameters), template.at)
        made = template.scope.names.setdefault(name, [])
        return made if isinstance(made, list) else []

    def _result(self, template: ast.ClassTemplate, parameters: list[Token]) -> list[Token]:
        """`(parameters) -> Name<T, N, Ts...>;`"""
        at = template.at
        out = list(parameters)

        def add(kind: str, text: str) -> None:
            out.append(Token(kind, text, at.source, at.start))

        add(PUNCT, "->")
        add(IDENT, template.name)
        add(PUNCT, "<")
        for k, p in enumerate(template.params):
            if k:
                add(PUNCT, ",")
            add(IDENT, p.name)
            if p.pack:
                add(PUNCT, "...")
        add(PUNCT, ">")
        add(PUNCT, ";")
        return out

    def _constructors(self, template: ast.ClassTemplate) -> list[tuple[list[ast.TemplateParam], list[Token]]]:
        """(own template parameters, tokens of the parameter list) of each; one without parameters if there are none."""
        tokens = template.tokens
        out: list[tuple[list[ast.TemplateParam], list[Token]]] = []
        aliases: dict[str, list[Token]] = {}
        k = next((n for n, t in enumerate(tokens) if t.text == "{"), len(tokens) - 1) + 1
        while k < len(tokens) and tokens[k].text != "}" and tokens[k].kind != EOF:
            inner: list[ast.TemplateParam] = []
            if tokens[k].text == "template":
                with self.having(tokens=list(tokens), i=k + 1):
                    inner = self.template_parameters()
                    tokens, k = self.tokens, self.i
            while tokens[k].text in _BEFORE:
                k += 1
            if tokens[k].text == template.name and tokens[k + 1].text == "(":
                end = self._past_bracket(tokens, k + 1)
                out.append((inner, tokens[k + 1 : end]))
            end = self._past_member(tokens, k)
            if tokens[k].text == "using" and tokens[k + 2].text == "=":
                aliases[tokens[k + 1].text] = _spelt_out(tokens[k + 3 : end - 1], aliases)
            elif tokens[k].text == "typedef" and tokens[end - 2].kind == IDENT:
                aliases[tokens[end - 2].text] = _spelt_out(tokens[k + 1 : end - 2], aliases)
            k = end
        out = [(inner, _spelt_out(parameters, aliases)) for inner, parameters in out]
        if not out:
            out.append(([], [Token(PUNCT, text, template.at.source, template.at.start) for text in "()"]))
            members = self._aggregate(template) if self.constrains else []
            if members:
                out.append(([], members))
        return out

    def _aggregate(self, template: ast.ClassTemplate) -> list[Token]:
        """`(Base, T a, U b = 1)` of a class with such bases and members, and no arrays ([over.match.class.deduct])."""
        tokens = template.tokens
        k = next((n for n, t in enumerate(tokens) if t.text in ("{", ":")), len(tokens) - 1)
        comma = Token(PUNCT, ",", template.at.source, template.at.start)
        out: list[Token] = []
        if tokens[k].text == ":":
            end = next((n for n, t in enumerate(tokens) if t.text == "{"), len(tokens) - 1)
            open_ = tokens[0].text != "class"
            for base in _split(tokens[k + 1 : end]):
                access = {t.text for t in base} & {"private", "protected", "virtual", "public"}
                if access - {"public"} or not (open_ or access):
                    return []
                out += [*([comma] if out else []), *(t for t in base if t.text != "public")]
            k = end
        if tokens[k].text != "{":
            return []
        k += 1
        while tokens[k].text != "}" and tokens[k].kind != EOF:
            end = self._past_member(tokens, k)
            words = tokens[k : end - 1]
            k = end
            if any(t.text in ("[", ":", "private", "protected") for t in words):
                return []
            if not words or words[0].text in _NO_MEMBER or any(t.text in ("(", "operator") for t in words):
                continue
            parts = _split(words)
            head = next((n for n, t in enumerate(parts[0]) if t.text in ("=", "{")), len(parts[0]))
            names = [n for n, t in enumerate(parts[0][:head]) if t.kind == IDENT]
            before = parts[0][: next((n for n, t in enumerate(parts[0]) if t.text in ("*", "&")), names[-1])]
            for n, part in enumerate(parts):
                out += [*([comma] if out else []), *(before if n else []), *part]
        ends = [Token(PUNCT, text, template.at.source, template.at.start) for text in "()"]
        return [ends[0], *out, ends[1]] if out else []

    def _past_bracket(self, tokens: list[Token], k: int) -> int:
        depth = 0
        while tokens[k].kind != EOF:
            if tokens[k].kind is not STRING:
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[k].text, 0)
            k += 1
            if depth == 0:
                break
        return min(k, len(tokens) - 1)

    def _past_member(self, tokens: list[Token], k: int) -> int:
        """Index past a member's `;`, its body, or an access specifier's colon."""
        while tokens[k].kind != EOF and tokens[k].text != "}":
            text = tokens[k].text
            if text in ("(", "["):
                k = self._past_bracket(tokens, k)
            elif text == "{":
                k = self._past_bracket(tokens, k)
                if tokens[k].text == ";":
                    return k + 1
                if tokens[k].text not in (",", "{"):
                    return k
            elif text == ";" or (text == ":" and tokens[k - 1].text in ("public", "private", "protected")):
                return k + 1
            else:
                k += 1
        return k

    # -- deduction

    def deduced_class(
        self, template: ast.ClassTemplate, args: list[ast.Expr], at: Token, listed: ast.Expr | None = None
    ) -> Type:
        """The instance of `template` that an initialiser with `args` means, the elements of a list if one is given."""
        if len(args) == 1:
            t = args[0].type.bare
            if t.record is not None and t.record.template is template:
                return t
        own = template.scope.names.get(f"guide {template.name}")
        for guides in (own if isinstance(own, list) else [], self._imply(template)):
            lists = [g for g in guides if _takes_list(g)]
            if listed is not None and lists and self.viable(lists, [listed], None):
                # A constructor for a std::initializer_list goes before all others ([over.match.list]).
                guides, args = lists, [listed]
            if guides and self.viable(guides, args, None):
                chosen = self.resolve(template.name, guides, args, None, at).entity
                if isinstance(chosen, ast.Function) and chosen.type.elem is not None:
                    return chosen.type.elem.bare
        self.fail(
            f"no viable constructor or deduction guide for deduction of template arguments of '{template.name}'",
            at,
            notes=[self.note("template is declared here", template.at)],
        )


def _takes_list(guide: object) -> bool:
    """The first parameter of a deduction guide is a std::initializer_list."""
    pattern = guide.pattern if isinstance(guide, ast.FunctionTemplate) else None
    return pattern is not None and bool(pattern.params) and takes_list(pattern.params[0])
