"""C++20 constraints: concepts, requires-clauses, requires-expressions, and `auto` parameters.

A constraint is kept as tokens and read where the parameters are bound. Each of its atoms is read by itself: one that
cannot be read is false. Reading stops nowhere else, so `A<T> || B<T>` holds where only B exists.
"""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.declarators import Declarator, Declarators
from minicc.frontend.sema import arithmetic, constant
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import Type

_OPEN = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def names_pack(tokens: list[Token], k: int) -> bool:
    """Behind the `auto` at index `k`, and what it is qualified with, stands `...`."""
    k += 1
    while tokens[k].text in ("const", "volatile", "&", "&&", "*"):
        k += 1
    return tokens[k].text == "..."


class Constraints(Declarators):
    @property
    def constrains(self) -> bool:
        """`requires` and `concept` are words of the language."""
        return self.options.std in ("c++20", "c++23")

    # -- reading

    def constraint_tokens(self) -> list[Token]:
        """The requires-clause at the cursor, without its first word: primaries joined by && and ||."""
        self.i += 1
        start = self.i
        while True:
            if self.at("("):
                self.skip_balanced()
            elif self.at("requires"):
                self.i += 1
                if self.at("("):
                    self.skip_balanced()
                self.skip_balanced()
            else:
                self.accept("!")
                self.accept("::")
                self.identifier_or_word()
                while self.at("::") or self.at("<"):
                    if self.at("<"):
                        self.skip_template_arguments()
                    else:
                        self.i += 1
                        self.identifier_or_word()
            if not (self.accept("&&") or self.accept("||")):
                break
        last = self.tokens[self.i - 1]
        return [*self.tokens[start : self.i], Token(EOF, "", last.source, last.start)]

    def identifier_or_word(self) -> None:
        if self.token.kind != IDENT:
            self.fail("expected expression", self.token, code="frontend.syntax")
        self.i += 1

    def satisfied(self, tokens: list[Token]) -> bool:
        """Whether a constraint holds, its names looked up in the scope at hand."""
        with self.having(tokens=tokens, i=0, greater_ends=False, nest=self.nest, scope=self.scope):
            return self._either()

    def _either(self) -> bool:
        value = self._both()
        while self.accept("||"):
            value = self._both() or value
        return value

    def _both(self) -> bool:
        value = self._atom()
        while self.accept("&&"):
            value = self._atom() and value
        return value

    def _atom(self) -> bool:
        start = self.i
        if self.at("("):
            self.skip_balanced()
            alone, end = self.token.text in ("&&", "||", ")", ""), self.i
            self.i = start
            if alone and self._fold_place()[1] is None:
                self.i += 1
                value = self._either()
                self.i = end
                return value
        tail = len(self.tokens)
        scope, nest, function = self.scope, self.nest, self.function
        self.quiet += 1
        self.unevaluated += 1
        self.function = None
        try:
            e = self.binary_expression(3)
            if e.type.bare.kind == "bool" or self.pattern or dependent(e.type):
                return bool(constant.truth(self.condition(e)))
        except (Abandon, arithmetic.NotConstant):
            self.i = start + len(self.tokens) - tail
            self._skip_atom()
            return False
        finally:
            self.quiet -= 1
            self.unevaluated -= 1
            self.scope, self.nest, self.function = scope, nest, function
        self.fail(f"atomic constraint must be of type 'bool' (found '{e.type.bare}')", ast.start(e))

    def _skip_atom(self) -> None:
        while self.token.kind != EOF and self.token.text not in ("&&", "||", ")", ";"):
            if self.token.text == "<":
                self.skip_template_arguments()
            elif self.token.text in ("(", "[", "{") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1

    def concept_at(self, k: int) -> ast.ClassTemplate | None:
        """The concept that the name at token `k` means."""
        scope: ast.Scope | None = None
        while self.tokens[k].kind == IDENT:
            name = self.tokens[k].text
            found = self.lookup(name) if scope is None else self.within(scope, name)
            if isinstance(found, ast.ClassTemplate) and found.concept:
                return found
            if not isinstance(found, ast.Scope) or self.tokens[k + 1].text != "::":
                return None
            scope = found
            k += 2
        return None

    def type_constraint(self) -> list[Token] | None:
        """`Concept` or `Concept<A, B>` before a parameter's name: its tokens, taken; None if there is none."""
        if not self.constrains or self.concept_at(self.i) is None:
            return None
        start = self.i
        self.i += 1
        while self.at("::"):
            self.i += 2
        if self.at("<"):
            self.skip_template_arguments()
        return self.tokens[start : self.i]

    def placeholder_at(self, k: int) -> bool:
        """`Concept auto`, `Concept<A> decltype(auto)` at token `k`."""
        if not self.constrains or self.tokens[k].kind != IDENT or self.concept_at(k) is None:
            return False
        saved, self.i = self.i, k
        self.type_constraint()
        found, self.i = self.token.text in ("auto", "decltype"), saved
        return found

    def check_placeholder(self, declared: Type, deduced: Type, at: Token) -> None:
        """What `auto` in a declared type became satisfies the concept before it."""
        while declared.kind in ("pointer", "reference") and declared.elem is not None:
            declared, deduced = declared.elem, (deduced.elem or deduced) if deduced.kind == declared.kind else deduced
        declared = declared.bare
        if not isinstance(declared, ty.ConstrainedAuto):
            return
        scope = self.push("template")
        scope.names["auto#"] = deduced.bare
        try:
            holds = self.satisfied(self.applied(declared.constraint, "auto#", False))
        finally:
            self.pop()
        if not holds:
            concept = "".join(token.text for token in declared.constraint)
            self.fail(f"deduced type '{deduced.bare}' does not satisfy '{concept}'", at)

    def applied(self, concept: list[Token], name: str, pack: bool) -> list[Token]:
        """`Concept<name, A, B>`, for each element of a pack."""
        at = concept[0]
        k = next((n for n, t in enumerate(concept) if t.text == "<"), len(concept))
        head, rest = concept[:k], concept[k + 1 :]
        middle = [Token(PUNCT, "<", at.source, at.start), Token(IDENT, name, at.source, at.start)]
        comma = [Token(PUNCT, ",", at.source, at.start)] if rest and rest[0].text != ">" else []
        out = [*head, *middle, *comma, *(rest or [Token(PUNCT, ">", at.source, at.start)])]
        if pack:
            fold = [Token(PUNCT, t, at.source, at.start) for t in ("&&", "...", ")")]
            out = [Token(PUNCT, "(", at.source, at.start), *out, *fold]
        return [*out, Token(EOF, "", at.source, at.start)]

    # -- requires-expressions

    def check_requirements(self, tokens: list[Token]) -> None:
        """`{ e } -> C`: a concept, which clang asks for before any template's parameters are known."""
        saved, self.tokens = self.tokens, [*tokens, Token(EOF, "", self.token.source, self.token.start)]
        try:
            for k, token in enumerate(tokens):
                after = k + 1 + (self.tokens[k + 1].text == "noexcept")
                if token.text == "}" and self.tokens[after].text == "->" and self.concept_at(after + 1) is None:
                    self.fail("expected concept name with optional arguments", self.tokens[after + 1])
        finally:
            self.tokens = saved

    def requires_expression(self, at: Token) -> ast.Expr:
        """`requires (T t) { ... }` at the cursor: true if all of it can be read."""
        self.i += 1
        if self.pattern:
            start = self.i
            if self.at("("):
                self.skip_balanced()
            self.skip_balanced()
            self.check_requirements(self.tokens[start : self.i])
            return self.dependent_number(at)
        scope, function = self.scope, self.function
        self.function = None
        self.quiet += 1
        self.unevaluated += 1
        holds = True
        try:
            if self.at("("):
                end = self.i
                self.skip_balanced()
                after, self.i = self.i, end
                d = Declarator(None, ty.VOID)
                try:
                    self._function_suffix(d)
                    self.scope = d.param_scope or scope
                except Abandon:
                    holds = False
                self.i = after
            self.expect("{")
            while not self.at("}") and self.token.kind != EOF:
                holds = self._requirement() and holds
        finally:
            self.quiet -= 1
            self.unevaluated -= 1
            self.scope, self.function = scope, function
        self.expect("}")
        return self.number(int(holds), ty.BOOL, at)

    def _requirement(self) -> bool:
        start, scope, nest, tail = self.i, self.scope, self.nest, len(self.tokens)
        try:
            if self.accept("typename"):
                self.simple_type()
                holds = True
            elif self.accept("requires"):
                begin = self.i
                while not self.at(";") and self.token.kind != EOF:
                    if self.token.text in ("(", "[", "{") and self.token.kind is not STRING:
                        self.skip_balanced()
                    else:
                        self.i += 1
                last = self.tokens[self.i - 1]
                holds = self.satisfied([*self.tokens[begin : self.i], Token(EOF, "", last.source, last.start)])
            elif self.accept("{"):
                e = self.expression()
                self.expect("}")
                self.accept("noexcept")
                holds = self._returns(e) if self.accept("->") else True
            else:
                self.expression()
                holds = True
            self.expect(";")
            return holds
        except (Abandon, arithmetic.NotConstant):
            self.scope, self.nest = scope, nest
            self.i = start + len(self.tokens) - tail
            while not self.at(";") and self.token.kind != EOF:
                if self.token.text in ("(", "[", "{") and self.token.kind is not STRING:
                    self.skip_balanced()
                else:
                    self.i += 1
            self.accept(";")
            return False

    def _returns(self, e: ast.Expr) -> bool:
        """`-> Concept<A>` of a compound requirement."""
        concept, at = self.concept_at(self.i), self.token
        taken = self.type_constraint()
        if concept is None or taken is None:
            return False
        if isinstance(e, ast.Overloads):
            e = self.function_value(e, None)
        saved, self.i = self.i, self.i - len(taken)
        while not self.at("<") and self.i < saved:
            self.i += 1
        args = self.template_arguments(None) if self.i < saved else []
        self.i = saved
        v = self.class_instance(concept, [ty.reference(e.type) if e.lvalue else e.type, *args], at)
        return isinstance(v, ast.Variable) and bool(v.value)

    # -- `auto` parameters

    def take_autos(self) -> list[ast.TemplateParam]:
        """A parameter for each `auto` in the parameter list of the function declaration at the cursor, which is
        rewritten to name them (none: it is left as it is)."""
        k, angle = self.i, 0
        while self.tokens[k].text != "(" or angle > 0:
            text = self.tokens[k].text
            if self.tokens[k].kind == EOF or text in (";", "{", "=", "}"):
                return []
            if text in ("__launch_bounds__", "__attribute__", "alignas", "__align__", "decltype", "noexcept"):
                saved, self.i = self.i, k + 1
                self.skip_balanced()
                k, self.i = self.i, saved
                continue
            angle += {"<": 1, ">": -1, ">>": -2}.get(text, 0) if text != "operator" else 0
            k += 2 if text == "operator" else 1
        if not any(t.text == "auto" for t in self.tokens[k : self.past_brackets(k)]):
            return []
        tokens = list(self.tokens)
        out: list[ast.TemplateParam] = []
        depth = 0
        while tokens[k].kind != EOF:
            token = tokens[k]
            depth += _OPEN.get(token.text, 0) if token.kind is not STRING else 0
            if depth == 0:
                break
            if token.text == "auto" and depth == 1 and token.kind == IDENT:
                out.append(self._auto(tokens, k, len(out)))
            k += 1
        if out:
            self.tokens = tokens
        return out

    def _auto(self, tokens: list[Token], k: int, index: int) -> ast.TemplateParam:
        name = f"auto{index}#"
        pack = names_pack(tokens, k)
        self.has_packs = self.has_packs or pack
        p = ast.TemplateParam(name, "type", pack=pack)
        p.marker = Type("param", name, count=index, variadic=pack)
        tokens[k] = Token(IDENT, name, tokens[k].source, tokens[k].start, True)
        # A concept before it, perhaps with arguments.
        begin, depth = k - 1, 0
        while depth > 0 or tokens[begin].text not in ("(", ",", "const", "volatile"):
            depth += {">": 1, ">>": 2, "<": -1}.get(tokens[begin].text, 0)
            begin -= 1
        with self.having(tokens=list(tokens), i=begin + 1):
            taken = self.type_constraint() if begin + 1 < k else None
        if taken is not None:
            p.constraint = self.applied(taken, name, pack)
            for n in range(begin + 1, k):
                tokens[n] = Token(IDENT, "register", tokens[n].source, tokens[n].start, True)
        return p

    # -- which of two templates is the more constrained

    def atoms(self, constraints: list[list[Token]], names: dict[str, str], depth: int = 0) -> set[str]:
        """The conditions that all have to hold, spelled with the parameters renamed as `names` says."""
        out: set[str] = set()
        for tokens in constraints:
            part: list[Token] = []
            level = 0
            for token in tokens:
                level += {"<": 1, ">": -1, ">>": -2, **_OPEN}.get(token.text, 0) if token.kind is not STRING else 0
                if token.kind == EOF or (token.text == "&&" and level == 0):
                    if part:
                        out |= self._atom_names(part, names, depth)
                    part = []
                else:
                    part.append(token)
            if part:
                out |= self._atom_names(part, names, depth)
        return out

    def spelled(self, template: ast.FunctionTemplate | ast.Partial) -> set[str]:
        """A template's conditions, comparable with those of another."""
        names = {p.name: f"#{k}" for k, p in enumerate(template.params)}
        trailing = template.trailing if isinstance(template, ast.FunctionTemplate) else None
        with self.having(scope=template.scope):
            return self.atoms([*template.constraints, *([trailing] if trailing else [])], names)

    def more_constrained(self, a: ast.FunctionTemplate | ast.Partial, b: ast.FunctionTemplate | ast.Partial) -> bool:
        return self.spelled(a) > self.spelled(b)

    def as_constrained(self, a: ast.Partial, b: ast.Partial) -> bool:
        """Of what two templates demand neither contains the other's; not said of alternatives."""
        first, second = self.spelled(a), self.spelled(b)
        return not (first > second or second > first or any("||" in atom for atom in first | second))

    @staticmethod
    def _ends_first(part: list[Token]) -> bool:
        """The bracket that opens it is closed by its last token."""
        depth = 0
        for token in part[:-1]:
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if depth == 0:
                return False
        return True

    def _atom_names(self, part: list[Token], names: dict[str, str], depth: int) -> set[str]:
        if part[0].text == "(" and self._ends_first(part):
            return self.atoms([part[1:-1]], names, depth)
        text = " ".join(names.get(t.text, t.text) for t in part)
        found = self.lookup(part[0].text)
        for k in range(2, len(part), 2):
            if isinstance(found, ast.Scope) and part[k - 1].text == "::":
                found = self.within(found, part[k].text)
        if not isinstance(found, ast.ClassTemplate) or not found.concept or depth > 8:
            return {text}
        start = next((k for k, t in enumerate(part) if t.text == "<"), len(part))
        given: list[str] = [""]
        level = 0
        for token in part[start + 1 : -1]:
            level += {"<": 1, ">": -1, ">>": -2, **_OPEN}.get(token.text, 0)
            if token.text == "," and level == 0:
                given.append("")
            else:
                given[-1] += " " + names.get(token.text, token.text)
        inner = {p.name: g.strip() for p, g in zip(found.params, given, strict=False)}
        with self.having(scope=found.scope):
            return {text} | self.atoms([found.tokens], inner, depth + 1)


__all__ = ["Constraints"]
