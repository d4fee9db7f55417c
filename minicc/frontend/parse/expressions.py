"""Expressions: precedence climbing, with types assigned as they are read."""

from __future__ import annotations

from minicc.diagnostics import Span
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.heap import Heap
from minicc.frontend.parse.primaries import has, only_parameters
from minicc.frontend.sema.access import ambiguous, closed, closed_destructor, out_of_protection
from minicc.frontend.sema.convert import bit_field, is_derived
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.sema.initialise import BracedList, Designator, Subscript
from minicc.frontend.sema.traits import element
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token
from minicc.frontend.types import Field, Type

_LEVELS: dict[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<=>": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
    "->*": 12,
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


class Expressions(Heap):
    # -- levels

    def expression(self) -> ast.Expr:
        left = self.assignment()
        while self.at(","):
            at = self.take()
            left = self.comma(left, self.assignment(), at)
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
                    right = self.temporary(right, left.type)
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
            self.nest -= 1
            no = self.assignment()
            if isinstance(yes, ast.Overloads):
                yes = self.function_value(yes, no.type if no.type.kind in ("pointer", "member") else None)
            if isinstance(no, ast.Overloads):
                no = self.function_value(no, yes.type if yes.type.kind in ("pointer", "member") else None)
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
        while True:
            token = self.tokens[self.i]
            op = token.text
            here = _LEVELS.get(op, 0)
            if op == "." and token.kind == PUNCT and self.peek().text == "*":
                if level > _LEVELS["->*"]:
                    return left
                self.i += 2
                left = self.member_through(left, self.binary_expression(_LEVELS["->*"] + 1), False, token)
                continue
            if here < level or here == 0 or token.kind == STRING:
                return left
            if self.greater_ends and op in (">", ">>"):
                return left
            self.i += 1
            if op == "<<" and self.at("<"):
                self.fail("launching kernels from device code is not supported", token)
            right = self.binary_expression(here + 1)
            combined = self.through_pointer if op == "->*" else self.binary
            left = combined(op, left, right, token)

    def unary_expression(self) -> ast.Expr:
        token = self.tokens[self.i]
        kind, text = token.kind, token.text
        if kind == PUNCT:
            if text in ("-", "+", "!", "~", "*", "&"):
                if text == "&" and self.peek().kind == IDENT and self.peek(2).text in ("::", "<"):
                    named = self._member_address(token)
                    if named is not None:
                        return named
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
                folded = self.fold_expression()
                return self._postfix(folded) if folded is not None else self._cast_or_parenthesised(token)
            if text == "::" and self.peek().text in ("new", "delete"):
                return self.new_expression(token) if self.peek().text == "new" else self.delete_expression(token)
            if text == "&&" and self.peek().kind == IDENT:
                self.fail("labels as values are not supported", token)
        elif kind == IDENT:
            if text in ("sizeof", "alignof", "noexcept"):
                return self._size_of(token)
            if text == "new":
                return self.new_expression(token)
            if text == "delete":
                return self.delete_expression(token)
            if text in ("throw", "typeid", "co_await"):
                self.fail(f"'{text}' is not supported in device code", token)
        return self.postfix_expression()

    def _member_address(self, token: Token) -> ast.Expr | None:
        """`&Class::member` at the cursor, if that names a member of every object."""
        start, tail = self.i, len(self.tokens)
        self.i += 1
        self.quiet += 1
        try:
            entity, name = self.qualified()
        except Abandon:
            entity = None
        finally:
            self.quiet -= 1
        owner = self.qualifier.record_type if self.qualifier is not None else None
        if owner is not None and owner.record is not None and isinstance(entity, Field | list):
            self.check_access(owner.record, name)
        if isinstance(entity, Field) and owner is not None:
            while owner.record is not None and entity in owner.record.fields[: owner.record.inherited]:
                offset = entity.offset
                owner, at = next((b, o) for b, o in owner.record.bases if o <= offset < o + b.size)
                assert owner.record is not None
                entity = next(f for f in owner.record.fields if f.offset == offset - at and f.name == name.text)
            return ast.Number(ty.member_pointer(owner, entity.type), token, entity.offset)
        if isinstance(entity, list) and owner is not None:
            functions = [f for f in entity if isinstance(f, ast.Function) and f.this is not None]
            if functions and not self.at("<"):
                e = ast.Overloads(ty.VOID, name, name.text, list(functions))
                return self.function_value(e, None) if len(functions) == 1 else e
        self.i = start + len(self.tokens) - tail
        return None

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
                made = self.initialise(target, self.braced_list(), token)
                return self._postfix(
                    ast.Temporary(made.type, token, made, lvalue=True) if made.type.kind == "array" else made
                )
            if self.token.kind == EOF or self.token.text in (")", ";", ",", "]", "}"):
                self.fail("expected expression", self.token, code="frontend.syntax")
            operand = self.unary_expression()
        finally:
            self.nest -= 1
        return self.explicit_cast(operand, target, token)

    def nothrow(self, e: ast.Expr | ast.Stmt | ast.Variable) -> bool:
        """All that an expression calls says noexcept."""
        if isinstance(e, ast.Call | ast.Construct) and not self._says_noexcept(e.function):
            return False
        if isinstance(e, ast.IndirectCall | ast.New):
            return False
        return isinstance(e, ast.Variable) or all(map(self.nothrow, ast.children(e)))

    def _says_noexcept(self, f: ast.Function) -> bool:
        if f.defaulted and f.nothrow is None:
            return True
        if f.library or f.comparing or f.nothrow is None or len(f.nothrow) == 1:
            return f.nothrow is not None or f.library or f.comparing
        saved, self.scope = self.scope, f.param_scope or f.scope or self.scope
        try:
            return self.satisfied(f.nothrow)
        finally:
            self.scope = saved

    def _size_of(self, token: Token) -> ast.Expr:
        self.i += 1
        if token.text == "noexcept":
            self.expect("(")
            self.unevaluated += 1
            try:
                e = self.expression()
            finally:
                self.unevaluated -= 1
            self.expect(")")
            return self.dependent_number(token) if dependent(e.type) else self.number(self.nothrow(e), ty.BOOL, token)
        if self.at("...") and self.peek().text == "(":
            self.i += 2
            name = self.identifier()
            self.expect(")")
            pack, scope = self.lookup(name.text), self.scope.parent
            while scope is not None and not isinstance(pack, tuple):
                # Within an expansion of the pack its name means an element.
                around = scope.names.get(name.text)
                pack, scope = (around if isinstance(around, tuple) else pack), scope.parent
            if self.pattern and isinstance(pack, Type | ast.Variable):
                counted = pack.stand_in if isinstance(pack, ast.Variable) else pack
                return self.dependent_number(token, ast.Asked("sZ", counted) if counted is not None else None)
            size = len(pack) if isinstance(pack, tuple) else -1
            if size < 0:
                self.fail(f"'{name.text}' does not refer to the name of a parameter pack", name)
            return self.number(size, ty.ULONG, token)
        ends, self.greater_ends = self.greater_ends, False
        start, named = self.i, False
        if self.at("(") and self.starts_type(1):
            self.i += 1
            t = self.type_name()
            named = self.accept(")") is not None and not self.at("{")
            # Otherwise an expression that begins with a functional cast, or a list of its type.
            self.i = self.i if named else start
        if not named and self.peek().text not in ("(", "{", "<", "::") and self.starts_type(0):
            after = Span(token.source, token.start + len(token.text), token.start + len(token.text) + 1)
            what = f"expected parentheses around type name in {token.text} expression"
            self.fail(what, after, code="frontend.syntax")
        if not named:
            self.enter(token)
            self.unevaluated += 1
            try:
                e = self.unary_expression()
            finally:
                self.unevaluated -= 1
            self.nest -= 1
            if bit_field(e) is not None:
                self.fail(f"invalid application of '{token.text}' to bit-field", self.tokens[start])
            t = e.type
        self.greater_ends = ends
        if dependent(t):
            how = "st" if token.text == "sizeof" else "at"
            return self.dependent_number(token, ast.Asked(how, t) if named else None)
        if t.kind == "reference":
            assert t.elem is not None
            t = t.elem
        if t.kind == "void" and token.text == "sizeof":
            self.warn("frontend.incomplete", "invalid application of 'sizeof' to a void type", token)
        elif t.kind == "void" or not ty.is_complete(t):
            self.fail(f"invalid application of '{token.text}' to an incomplete type '{t}'", token)
        self.require_whole(t)
        align = max(t.align, self.named_align) if named else t.align
        return self.number(t.size if token.text == "sizeof" else align, ty.ULONG, token)

    def postfix_expression(self) -> ast.Expr:
        return self._postfix(self.primary())

    def _postfix(self, e: ast.Expr) -> ast.Expr:
        """What follows the primary expression `e` and belongs to it."""
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
            elif text == "->" or (text == "." and self.peek().text != "*"):
                e = self._member_access(e, token)
            elif text == "++" or text == "--":
                self.i += 1
                e = self.step(text, e, False, token)
            elif text == "<<" and self.peek().text == "<":
                e = self.launch(e, token)
            else:
                return e

    def launch(self, callee: ast.Expr, at: Token) -> ast.Expr:
        """`<<<` at the cursor."""
        self.fail("launching kernels from device code is not supported", at)

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
        items: list[tuple[Designator | None, ast.Expr]] = []
        while not self.at("}"):
            designator: Designator | None = None
            if self.at(".") and self.peek().kind == IDENT and self.peek(2).text in ("=", "{"):
                self.i += 1
                designator = Designator(self.token.text, self.take())
                self.accept("=")
            elif self.at("[") and self.tokens[self.past_brackets(self.i)].text == "=":
                designator = self._subscript()
            items += [(designator, a) for a in self.expanded(self._clause)]
            if not self.accept(","):
                break
        self.greater_ends = ends
        self.nest -= 1
        self.expect("}")
        named = [d for d, _ in items if d is not None]
        if named and len(named) < len(items):
            self.fail("mixing designated and non-designated initializers is nonstandard in C++", named[0].at)
        return BracedList(at, items)

    def _subscript(self) -> Subscript:
        """`[place] =`, which g++ and nvcc have of C."""
        self.i += 1
        at = self.token
        made = Subscript("[]", at)
        made.place = self.constant_integer(self.conditional_expression(), "array designator index is not constant")
        if made.place < 0:
            self.fail(f"array designator value '{made.place}' is negative", at)
        self.expect("]")
        self.expect("=")
        return made

    def _clause(self) -> ast.Expr:
        return self.braced_list() if self.at("{") else self.assignment()

    def _member_access(self, base: ast.Expr, token: Token) -> ast.Expr:
        self.i += 1
        if self.accept("template") is None and self.peek().text == "<":
            self._check_dependent(base)
        if token.text == "->":
            seen: set[Type] = set()
            while base.type.kind == "record":
                if base.type in seen:
                    self.fail(f"circular pointer delegation detected in class '{base.type.bare}'", token)
                seen.add(base.type)
                found = self.operator_call("->", [base], token)
                if found is None:
                    self.fail(f"member reference type '{base.type}' is not a pointer; did you mean to use '.'?", token)
                base = found
            base = self.decay(base)
            if base.type.kind != "pointer":
                self.fail(f"member reference type '{base.type}' is not a pointer", token)
            base = self.dereference(base, token)
        t = base.type
        if self.token.text == "~" or self.peek().text in ("::", "<"):
            base, ends = self._of_destructor(base)
            if ends:
                return self._destruction(base, token)
        name = self._member_name()
        if t.kind == "pointer" and t.elem is not None and t.elem.kind == "record":
            self.fail(f"member reference type '{t}' is a pointer; did you mean to use '->'?", token)
        if t.kind != "record":
            only = base.functions[0] if isinstance(base, ast.Overloads) and len(base.functions) == 1 else None
            t = only.type if isinstance(only, ast.Function) else t
            self.fail(f"member reference base type '{t}' is not a structure or union", token)
        record = t.record
        assert record is not None
        if not record.complete and not (self.function is not None and self.function.record is t.bare):
            self.fail(f"member access into incomplete type '{t}'", token)
        made = self.member_named(base, name)
        owner = out_of_protection(record, name.text, self.scope, self.function)
        if owner is not None:
            self.fail(f"'{name.text}' is a protected member of '{owner.name}'", name, code="frontend.access")
        return made

    def _check_dependent(self, base: ast.Expr) -> None:
        """`base.name<` at the cursor, where `name` is a template: `<` compares if the template's parameters have to be
        known for the type of a function's parameter `base`, and no template is called so around it ([temp.names])."""
        v = base.variable if isinstance(base, ast.Name) else None
        f = v.owner if v is not None else None
        pattern = f.template.pattern if f is not None and f.template is not None else None
        if f is None or pattern is None or any(p.variadic or p.kind == "pack" for p in pattern.params):
            return
        declared = next((t for p, t in zip(f.params, pattern.params, strict=False) if p is v), None)
        while declared is not None and declared.kind in ("reference", "pointer"):
            declared = declared.elem
        if declared is None or declared.kind != "param" or self.library:
            return
        if self._names_template(base.type.record) and not self._names_template(None):
            what = f"missing 'template' keyword prior to dependent template name '{self.token.text}'"
            self.fail(what, self.token, code="frontend.syntax")

    def _names_template(self, record: ty.Record | None) -> bool:
        """The word at the cursor is a template's name, as a member of `record` or where it stands."""
        scope = record.scope if record is not None else None
        found = self.find_in(scope, self.token.text) if scope is not None else self.lookup(self.token.text)
        each = found if isinstance(found, list) else [found]
        return any(isinstance(f, ast.ClassTemplate | ast.FunctionTemplate) for f in each)

    def _of_destructor(self, base: ast.Expr) -> tuple[ast.Expr, bool]:
        """Steps over the `T::` of `object.T::~T()`, up to the `~`: (the object or its base class T, there is one)."""
        before, entity = self.i, None
        while self.token.kind == IDENT and self.peek().text in ("::", "<"):
            name = self.identifier()
            entity = self.lookup(name.text)
            if self.at("<"):
                if not isinstance(entity, ast.ClassTemplate):
                    break
                entity = self.template_id(entity, name)
            if not self.accept("::"):
                break
        if not self.at("~"):
            self.i = before
            return base, False
        if isinstance(entity, Type) and is_derived(base.type.bare, entity.bare):
            base = ast.Cast(ty.qualified(entity.bare, base.type.quals), base.at, "relabel", base, lvalue=True)
        return base, True

    def _destruction(self, base: ast.Expr, at: Token) -> ast.Expr:
        """`object.~T()`."""
        self.i += 1
        name = self.identifier()
        if self.at("<"):
            self.skip_template_arguments()
        elif base.type.record is not None and self.lookup(name.text) is None and not self._names(base.type, name.text):
            self.fail(f"undeclared identifier '{name.text}' in destructor name", name)
        self.expect("(")
        self.expect(")")
        self.check_destructor(base.type, name)
        for _, f in ty.destructors(base.type):
            self.need_body(f)
        return ast.Delete(ty.VOID, at, self.address_of(base, at), frees=False)

    def _names(self, t: Type, name: str) -> bool:
        record = t.record
        return record is not None and (
            name in (record.name.partition("<")[0], record.template_name)
            or (record.scope is not None and self.find_in(record.scope, name) is not None)
        )

    def _member_name(self) -> Token:
        if self.at("operator"):
            return self.operator_name()
        name = self.identifier()
        return name

    def check_access(self, record: ty.Record, name: Token) -> None:
        """`record`'s member `name` may be named here."""
        found = closed(record, name.text, self.scope, self.function)
        if found is not None:
            self.fail(f"'{name.text}' is a {found[1]} member of '{found[0].name}'", name, code="frontend.access")
        fault = ambiguous(record, name.text)
        if fault is not None:
            self.fail(fault, name)

    def check_type_access(self, record: ty.Record | None, name: Token, f: ast.Function | None = None) -> None:
        """`record`'s member `name`, a type, may be named here, or by the declaration of `f`."""
        around = f or self.function
        found = closed(record, name.text, self.scope, around) if record is not None and not self.library else None
        if found is not None:
            self.fail(f"'{name.text}' is a {found[1]} member of '{found[0].name}'", name, code="frontend.access")

    def check_destructor(self, t: Type, at: Token, variable: bool = False) -> None:
        """An object of class `t`, or an array of such, may be ended here; it is a `variable`, or ended by name."""
        found = closed_destructor(t, self.scope, self.function)
        if found is not None and variable:
            self.fail(f"variable of type '{element(t).bare}' has {found} destructor", at, code="frontend.access")
        if found is not None:
            self.fail(f"calling a {found} destructor of class '{t.bare}'", at, code="frontend.access")

    def _base_named(self, record: ty.Record, name: Token) -> object:
        """The class that `name`, `space::name` or `name<...>` means where the expression stands; a class template's
        name alone is the instance of it that `record` or a base of it is."""
        entity = self.lookup(name.text)
        while isinstance(entity, ast.Scope) and self.accept("::"):
            name = self.take()
            entity = self.find_in(entity, name.text)
        if isinstance(entity, ast.ClassTemplate) and not self.at("<"):
            return _instance_among(record, entity) or entity
        return self.template_id(entity, name) if isinstance(entity, ast.ClassTemplate) else entity

    def member_named(self, base: ast.Expr, name: Token) -> ast.Expr:
        record = base.type.record
        assert record is not None
        self.require_whole(base.type)
        self.check_access(record, name)
        found = record.find(name.text)
        if found is None and record.scope is not None:
            entity = self.find_in(record.scope, name.text)
            if entity is None and (self.at("::") or self.at("<")):
                entity = self._base_named(record, name)
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
            elif isinstance(entity, list) or name.text == "operator=":
                entity = entity if isinstance(entity, list) else []  # The one that every class has.
                explicit = None
                if self.at("<") and any(isinstance(f, ast.FunctionTemplate) for f in entity):
                    explicit = self.template_arguments(only_parameters(entity))
                return ast.Overloads(ty.VOID, name, name.text, entity, explicit, base)
            elif isinstance(entity, ast.Variable):
                return self.use_variable(entity, name)
        if found is None:
            for field in record.fields:
                # Members of an unnamed struct or union are members of the outer one.
                if not field.name and field.type.record is not None and has(field.type.record, name.text):
                    return self.member_named(self.member(base, field, name), name)
            self.fail(f"no member named '{name.text}' in '{base.type.bare}'", name, code="frontend.no-member")
        return self.member(base, found, name)


def _instance_among(record: ty.Record, template: ast.ClassTemplate) -> Type | None:
    """The class of `record`, or its base class, that is an instance of the template."""
    if record.template is template and record.scope is not None:
        return record.scope.record_type
    found = (_instance_among(base.record, template) for base, _ in record.bases if base.record is not None)
    return next((t for t in found if t is not None), None)
