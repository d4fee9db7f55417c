"""Lambdas: an unnamed class whose fields are the captures and whose operator() is the body.

Captures are fields named like what they capture, so that the body, whose scope lies within the class's, finds them
first. A generic lambda's operator() is a template, each `auto` a parameter of its own.
"""

from __future__ import annotations

from minicc.diagnostics import SourceFile
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.mangle import Mangler
from minicc.frontend.parse.constraints import names_pack
from minicc.frontend.parse.declarators import Declarator
from minicc.frontend.parse.guides import Guides
from minicc.frontend.parse.primaries import AUTOMATIC
from minicc.frontend.sema.layout import Layout
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import CONST, Field, Record, Type

Parts = list[tuple[int, Field | None, ast.Expr]]


class Lambdas(Guides):
    lambdas: int = 0
    closures: dict[tuple[object, str], list[tuple[SourceFile, int]]]
    """By function and parameters: where the lambdas stand, in the order in which they were read."""

    def lambda_expression(self) -> ast.Expr:
        at = self.token
        self.lambdas += 1
        record = Record("struct", f"lambda{self.lambdas}", closure=True)
        made = ty.new_record(record)
        record.scope = ast.Scope("record", self.scope, name=record.name, record=record, record_type=made)
        layout = Layout(record, 0)
        parts: Parts = []
        implicit = self._captures(layout, parts)
        params = self.template_parameters() if self.at("<") else None
        device = False
        while self.token.kind == IDENT and not self.at("mutable"):
            self._annotated(self.token)
            device = device or self.token.text == "__device__"
            self.i += 1
        if params is None and self.at("<"):
            params = self.template_parameters()
        end, body = self._lambda_extent()
        if implicit:
            self._implicit_captures(layout, parts, end, by_reference=implicit == "&")
        layout.finish(made)
        record.owner = outer = self.function
        inside = outer is not None and outer.space != "host"
        space = "device" if device or inside or outer is None else "host"
        generic = any(t.text == "auto" and t.kind == IDENT for t in self.tokens[self.i : body])
        if params is not None or (generic and self.at("(")):
            self._generic_operator(made, body, end, space, params or [])
        else:
            self._operator(made, end, space)
        self._numbered(record, at)
        self.i = end if self.i < end else self.i
        return ast.Init(made, at, parts)

    def _annotated(self, word: Token) -> None:
        if word.text in ("__device__", "__host__") and not self.options.extended_lambda and not self.library:
            self.fail("__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag", word)

    def _numbered(self, record: Record, at: Token) -> None:
        """Count a lambda among those with such parameters around it: by its place, for it may be read repeatedly."""
        key = record.owner or self.global_scope(), Mangler().signature(record)
        places = self.closures.setdefault(key, [])
        place = (at.source, at.start)
        if place not in places:
            places.append(place)
        record.number = places.index(place)

    def _lambda_extent(self) -> tuple[int, int]:
        """(index past the body, index of its brace)."""
        saved = self.i
        if self.at("("):
            self.skip_balanced()
        while not self.at("{"):
            if self.token.kind == EOF or self.at(";"):
                self.fail("expected body of lambda expression", self.token, code="frontend.syntax")
            self.i += 1
        body = self.i
        self.skip_balanced()
        end, self.i = self.i, saved
        return end, body

    # -- captures

    def _captures(self, layout: Layout, parts: Parts) -> str:
        """`[...]` at the cursor: explicit captures; returns the default, `=`, `&` or nothing."""
        self.expect("[")
        implicit = ""
        ends, self.greater_ends = self.greater_ends, False
        while not self.at("]"):
            token = self.token
            if token.text in ("=", "&") and self.peek().text in (",", "]"):
                implicit = self.take().text
            elif token.text == "this" or (token.text == "*" and self.peek().text == "this"):
                copied = self.accept("*") is not None
                self.i += 1
                this = self.object_of(token, lambda record: not record.closure)
                if this is None:
                    self.fail("'this' cannot be captured in this context", token)
                if copied:
                    self._add(layout, parts, "*this", this.type.bare, this)
                else:
                    pointer = self.address_of(this, token)
                    self._add(layout, parts, "this", pointer.type.bare, pointer)
            else:
                by_reference = self.accept("&") is not None
                spread = self.accept("...") is not None
                name = self.identifier()
                if any(f.name == name.text for f in layout.record.fields):
                    self.fail(f"'{name.text}' can appear only once in a capture list", name)
                if spread:
                    self.expect("=")
                    self._capture_expansion(layout, parts, name, by_reference)
                    self.accept(",")
                    continue
                if self.at("=") or self.at("{") or self.at("("):
                    if self.accept("="):
                        e = self.assignment()
                    else:
                        e = (self.arguments(self._closer()) or [self.number(0, ty.INT, name)])[0]
                    e = e if by_reference else self.decay(e)
                else:
                    found = self.lookup(name.text)
                    if isinstance(found, tuple):
                        self._capture_pack(layout, parts, name, found, by_reference)
                        self.accept("...")
                        self.accept(",")
                        continue
                    if found is None:
                        self.undeclared(name)
                    if isinstance(found, ast.Variable) and found.storage not in AUTOMATIC:
                        if not found.constexpr:
                            what = (
                                f"'{name.text}' cannot be captured because it does not have automatic storage duration"
                            )
                            self.fail(what, name)
                        self.accept(",")
                        continue
                    if implicit == ("&" if by_reference else "="):
                        precedes = "cannot precede" if by_reference else "must precede"
                        self.fail(f"'&' {precedes} a capture when the capture default is '{implicit}'", name)
                    e = self.entity_expression(found, name)
                self._add(layout, parts, name.text, e.type, e, by_reference)
            if not self.accept(","):
                break
        self.greater_ends = ends
        self.expect("]")
        return implicit

    def _closer(self) -> str:
        return "}" if self.at("{") else ")"

    def _add(self, layout: Layout, parts: Parts, name: str, t: Type, e: ast.Expr, by_reference: bool = False) -> Field:
        record = layout.record
        if by_reference:
            layout.add(name, ty.reference(t), 0, -1, None)
            field = record.fields[-1]
            parts.append((field.offset, None, self.address_of(self.bind(e, field.type), e.at)))
        else:
            layout.add(name, ty.unqualified(t) if t.kind != "array" else t, 0, -1, None)
            field = record.fields[-1]
            parts.append((field.offset, None, self.initialise_copy(field.type, e)))
        return field

    def initialise_copy(self, t: Type, e: ast.Expr) -> ast.Expr:
        return e if t.kind == "array" else self.convert(e, t)

    def _capture_pack(
        self, layout: Layout, parts: Parts, name: Token, pack: tuple[object, ...], by_reference: bool
    ) -> None:
        fields: list[object] = []
        for k, entity in enumerate(pack):
            e = self.entity_expression(entity, name)
            fields.append(self._add(layout, parts, f"{name.text}#{k}", e.type, e, by_reference))
        assert layout.record.scope is not None
        layout.record.scope.names[name.text] = tuple(fields)

    def _capture_expansion(self, layout: Layout, parts: Parts, name: Token, by_reference: bool) -> None:
        """`...name = pattern`, the pattern at the cursor."""
        start = self.i
        while not self.at(",") and not self.at("]") and self.token.kind != EOF:
            if self.token.text in ("(", "{", "[") and self.token.kind is not STRING:
                self.skip_balanced()
            else:
                self.i += 1
        fields: list[object] = []
        for k in self.expansions(start, self.i):
            e = self.assignment()
            e = e if by_reference else self.decay(e)
            fields.append(self._add(layout, parts, f"{name.text}#{k}", e.type, e, by_reference))
        assert layout.record.scope is not None
        layout.record.scope.names[name.text] = tuple(fields)

    def _implicit_captures(self, layout: Layout, parts: Parts, end: int, by_reference: bool) -> None:
        """What the body names of the functions around it."""
        done = {f.name for f in layout.record.fields}
        this = False
        for k in range(self.i, end):
            token = self.tokens[k]
            if token.kind != IDENT or token.text in done or self.tokens[k - 1].text in (".", "->", "::"):
                continue
            if token.text == "this":
                this = True
                continue
            found = self.lookup(token.text)
            if isinstance(found, Field):
                holder = self.object_of(token, lambda record: found in record.fields)  # noqa: B023
                if holder is None or holder.type.record is None or not holder.type.record.closure:
                    this = True
                    continue
            elif isinstance(found, list):
                this = this or any(isinstance(f, ast.Function | ast.FunctionTemplate) and f.record for f in found)
                continue
            elif isinstance(found, tuple):
                done.add(token.text)
                if all(isinstance(v, ast.Variable) and v.storage in AUTOMATIC for v in found):
                    self._capture_pack(layout, parts, token, found, by_reference)
                continue
            elif not self._captured(found):
                continue
            done.add(token.text)
            e = self.entity_expression(found, token)
            if by_reference or self._copies(e):
                self._add(layout, parts, token.text, e.type, e, by_reference)
        if this and not done & {"this", "*this"}:
            object_ = self.object_of(self.token, lambda record: not record.closure)
            if object_ is not None:
                pointer = self.address_of(object_, self.token)
                self._add(layout, parts, "this", pointer.type.bare, pointer)

    def _copies(self, e: ast.Expr) -> bool:
        """An object that cannot be copied is not what the body names: something that it declares is called so, too."""
        self.quiet += 1
        try:
            self.initialise_copy(ty.unqualified(e.type), e)
        except Abandon:
            return False
        finally:
            self.quiet -= 1
        return True

    def _captured(self, found: object) -> bool:
        if not isinstance(found, ast.Variable) or found.storage not in AUTOMATIC or found.stand_in is not None:
            return False
        if found.owner is None or self.out_of_reach(found):
            # What a lambda around this one did not capture may be the name of a parameter of this one.
            return False
        return not (found.value is not None and found.type.scalar)

    # -- the body

    def _operator(self, made: Type, end: int, space: str) -> None:
        record = made.record
        assert record is not None and record.scope is not None
        outer = self.scope
        self.scope = record.scope
        name = Token(IDENT, "operator()", self.token.source, self.token.start)
        d = Declarator(name, ty.AUTO)
        begin = self.i
        try:
            if self.at("("):
                self._function_suffix(d)
            else:
                d.params, d.type = [], ty.function(ty.AUTO, [])
                d.param_scope = ast.Scope("function", record.scope)
                self._trailing_return(d)
            mutable = "mutable" in [t.text for t in self.tokens[begin : self.i]]
            f = ast.Function("operator()", d.type, name, d.params or [], d.defaults, scope=record.scope)
            f.space, f.param_scope, f.record, f.nothrow = space, d.param_scope, made, d.nothrow
            f.library, f.strict, f.constexpr = self.library, self.strict, True
            for p in f.params:
                p.owner = f
            self._add_this(f, made, 0 if mutable else CONST)
            record.scope.names["operator()"] = [f]
            while not self.at("{"):
                self.i += 1
            start = self.i
            f.pending = (self.closed(start, end), 0)
            f.constexpr = space != "host" or (self.function is not None and self.function.constexpr)
        finally:
            self.scope = outer
        self.i = end
        if space != "host" and not self.unevaluated:
            f.parsed = True
            before = len(self.todo)
            self.finish(f)
            for g in self.todo[before:]:
                g.kept = True

    def conversions(self, source: Type) -> list[ast.Function]:
        """A lambda that captures nothing converts to a pointer to function, too."""
        made_before = super().conversions(source)
        record = source.record
        if made_before or record is None or not record.closure or record.fields or record.scope is None:
            return made_before
        operators = record.scope.names.get("operator()")
        f = operators[0] if isinstance(operators, list) else None
        if not isinstance(f, ast.Function) or f.pending is None or f.space == "host" or f.param_scope is None:
            return made_before
        # The body once more, as a function without an object.
        plain = ast.Function("__invoke", f.type, f.at, [], f.defaults, scope=record.scope, space=f.space)
        plain.param_scope = ast.Scope("function", record.scope)
        plain.library, plain.strict, plain.pending = f.library, f.strict, f.pending
        plain.constexpr = f.constexpr
        for p in f.params:
            own = ast.Variable(
                p.name, p.type, p.at, p.storage, restrict=p.restrict, scope=plain.param_scope, owner=plain
            )
            plain.params.append(own)
        own_of = dict(zip(map(id, f.params), plain.params, strict=True))
        # The parameters alone: the scope also holds what the body declared, if that was read before.
        for name, found in f.param_scope.names.items():
            if id(found) in own_of:
                plain.param_scope.names[name] = own_of[id(found)]
            elif isinstance(found, tuple) and all(id(p) in own_of for p in found):
                plain.param_scope.names[name] = tuple(own_of[id(p)] for p in found)
        pointer = ty.pointer(f.type)
        made = ast.Function("operator fp", ty.function(pointer, []), f.at, [], [], scope=record.scope, space=f.space)
        made.record, made.parsed, made.constexpr = source.bare, True, True
        self._add_this(made, source.bare, CONST)
        made.body = ast.Block(f.at, [ast.Return(f.at, ast.FunctionAddress(pointer, f.at, plain))])
        self.functions.append(made)
        record.scope.names["operator fp"] = [made]
        self.need_body(plain)
        return [made]

    def _trailing_return(self, d: Declarator) -> None:
        while self.token.text in ("mutable", "noexcept", "throw", "constexpr", "__device__", "__host__"):
            self._annotated(self.token)
            if self.take().text == "throw":
                self.exception_specification()
        if self.accept("->"):
            d.type = ty.function(self.type_name(), [])

    def _generic_operator(self, made: Type, body: int, end: int, space: str, params: list[ast.TemplateParam]) -> None:
        """operator() as a template with the given parameters, and one for each `auto`."""
        record = made.record
        assert record is not None and record.scope is not None
        head: list[Token] = []
        at = self.token
        for word in (["__device__", "constexpr"] if space != "host" else []) + ["auto", "operator", "(", ")"]:
            head.append(Token(PUNCT if word in "()" else IDENT, word, at.source, at.start))
        mutable = "mutable" in [token.text for token in self.tokens[self.i : body]]
        depth = 0
        in_parameters = True
        for k in range(self.i, body):
            token = self.tokens[k]
            if token.kind is not STRING:
                depth += {"(": 1, ")": -1}.get(token.text, 0)
            if token.text in ("mutable", "__device__", "__host__") or (
                depth == 0 and token.text in ("constexpr", "consteval")
            ):
                continue
            if in_parameters and token.text == "auto" and token.kind == IDENT and not self.constrains:
                name = f"auto{len(params)}#"
                pack = names_pack(self.tokens, k)
                self.has_packs = self.has_packs or pack
                p = ast.TemplateParam(name, "type", pack=pack)
                p.marker = Type("param", name, count=len(params), variadic=pack)
                params.append(p)
                token = Token(IDENT, name, token.source, token.start, True)
            head.append(token)
            if depth == 0 and token.text == ")" and in_parameters:
                in_parameters = False
                if not mutable:
                    head.append(Token(IDENT, "const", token.source, token.start, True))
        tokens = [*head, *self.closed(body, end)]
        with self.having(tokens=tokens, i=0, scope=record.scope):
            for p in self.take_autos() if self.constrains else ():
                assert p.marker is not None
                p.marker.count = len(params)
                params.append(p)
            template = ast.FunctionTemplate("operator()", params, self.tokens, record.scope, at)
            template.record = made
            template.constraints = [p.constraint for p in params if p.constraint is not None]
            d, _, _ = self.template_pattern(params)
        if d is not None:
            template.pattern = d.type
            template.required = sum(
                x is None and p.kind != "pack" for x, p in zip(d.defaults, d.type.params, strict=False)
            )
        record.scope.names["operator()"] = [template]
        self.i = end
