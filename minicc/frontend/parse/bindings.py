"""Names for the parts of an object: structured bindings, and the members of an unnamed union in a function."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.initialisers import Initialisers
from minicc.frontend.parse.specifiers import Specifiers
from minicc.frontend.sema.access import closed
from minicc.frontend.sema.convert import bit_field, is_xvalue
from minicc.frontend.tokens import IDENT, Token
from minicc.frontend.types import Type


class Bindings(Initialisers):
    def binding_follows(self) -> bool:
        k = 1 if self.token.text in ("&", "&&") else 0
        return self.peek(k).text == "[" and self.peek(k + 1).kind == IDENT and self.peek(k + 2).text in (",", "]")

    def structured_binding(self, specs: Specifiers, e: ast.Expr | None = None) -> list[ast.Variable]:
        """`auto [a, b] = e`: a hidden object, and references to its parts."""
        mark = self.token
        by_reference = bool(self.accept("&") or self.accept("&&"))
        at = self.expect("[")
        if specs.type is not None and specs.type.bare.kind not in ("auto", "error"):
            what = f"decomposition declaration cannot be declared with type '{specs.type}'"
            self.fail(f"{what}; declared type must be 'auto' or reference to 'auto'", at)
        names = [self.identifier()]
        while self.accept(","):
            names.append(self.identifier())
        self.expect("]")
        if e is None:
            if self.accept("="):
                e = self.assignment()
            else:
                e = (self.arguments("}" if self.at("{") else ")") or [self.number(0, ty.INT, at)])[0]
        whole = ast.Variable("", e.type, mark, scope=self.scope, owner=self.function)
        quals = specs.quals
        if by_reference:
            rvalue = mark.text == "&&" and (not e.lvalue or is_xvalue(e))
            whole.type, whole.storage = ty.reference(ty.qualified(e.type, quals), rvalue), "reference"
            whole.init = self.bind(e, whole.type)
        else:
            whole.type = ty.qualified(e.type.bare, quals) if e.type.kind != "array" else e.type
            whole.init = e if e.type.kind == "array" else self.initialise(whole.type, e, at)
        t = whole.type.elem if whole.type.kind == "reference" else whole.type
        assert t is not None
        base = ast.Name(t, at, whole, lvalue=True)
        parts: list[ast.Expr]
        if t.kind == "array":
            parts = [self.subscript(base, self.number(k, ty.INT, at), at) for k in range(t.count)]
            declared = [part.type for part in parts]
        elif t.record is not None:
            size = self._tuple_size(t, at)
            if t.record.tag == "union" and size is None:
                self.fail(f"cannot decompose union type '{t}'", at)
            if size is None:
                for f in t.record.fields:
                    hidden = closed(t.record, f.name, self.scope, self.function)
                    if hidden is not None:
                        self.fail(f"cannot decompose {hidden[1]} member '{f.name}' of '{hidden[0].name}'", at)
                parts = [self.member(base, f, at) for f in t.record.fields]
                declared = [
                    f.type if f.type.kind == "reference" else ty.qualified(f.type, t.quals) for f in t.record.fields
                ]
            else:
                parts = [self._tuple_part(base, k, at) for k in range(size)]
                declared = [self._tuple_element(t, k, at) or part.type for k, part in enumerate(parts)]
        else:
            self.fail(f"cannot decompose non-class, non-array type '{t}'", at)
        if len(parts) != len(names):
            self.fail(f"type '{t}' decomposes into {len(parts)} elements, but {len(names)} names were provided", at)
        out = [whole]
        for name, part, type_ in zip(names, parts, declared, strict=True):
            v = ast.Variable(
                name.text, ty.reference(part.type), name, "reference", scope=self.scope, owner=self.function
            )
            if not part.lvalue:
                v.type, v.storage = part.type.bare, "local"
            v.init, v.declared = part, type_
            self.declare(name.text, v, name)
            if bit_field(part) is None:
                out.append(v)
        return out

    def unnamed_object(self, specs: Specifiers) -> list[ast.Variable]:
        """`union { ... };` in a function: a hidden local object, its members named like variables."""
        assert specs.type is not None
        at = specs.at
        whole = ast.Variable("", specs.type, at, scope=self.scope, owner=self.function)
        out = [whole]

        def name_members(base: ast.Expr) -> None:
            assert base.type.record is not None
            for field in base.type.record.fields:
                part = self.member(base, field, at)
                if field.name:
                    v = ast.Variable(
                        field.name, ty.reference(part.type), at, "reference", scope=self.scope, owner=self.function
                    )
                    v.init, v.used = part, True
                    self.declare(field.name, v, at)
                    if not field.bit_width:
                        out.append(v)
                elif part.type.record is not None:
                    name_members(part)

        name_members(ast.Name(specs.type, at, whole, lvalue=True))
        return out

    def _tuple_size(self, t: Type, at: Token) -> int | None:
        """std::tuple_size<t>::value, where there is such a specialisation."""
        record = t.record
        if record is None or record.vector or record.closure:
            return None
        template = self.standard("tuple_size")
        assert isinstance(template, ast.ClassTemplate)
        self.quiet += 1
        try:
            made = self.class_instance(template, [t.bare], at)
            found = (
                self.find_in(made.record.scope, "value")
                if isinstance(made, Type) and made.record is not None and made.record.scope is not None
                else None
            )
            return self.constant_integer(self.use_variable(found, at), "") if isinstance(found, ast.Variable) else None
        except Abandon:
            return None
        finally:
            self.quiet -= 1

    def _tuple_element(self, t: Type, index: int, at: Token) -> Type | None:
        """std::tuple_element<index, t>::type"""
        template = self.standard("tuple_element")
        assert isinstance(template, ast.ClassTemplate)
        made = self.class_instance(template, [index, t], at)
        scope = made.record.scope if isinstance(made, Type) and made.record is not None else None
        found = self.find_in(scope, "type") if scope is not None else None
        return found if isinstance(found, Type) else None

    def _tuple_part(self, base: ast.Expr, index: int, at: Token) -> ast.Expr:
        """get<index>(base), a member or a function beside the class."""
        record = base.type.record
        assert record is not None
        name = Token(IDENT, "get", at.source, at.start)
        own = self.find_in(record.scope, "get") if record.scope is not None else None
        explicit: list[object] = [index]
        if isinstance(own, list):
            return self.call(ast.Overloads(ty.VOID, name, "get", own, explicit, base), [], at)
        found = self.standard("get")
        functions = list(found) if isinstance(found, list) else []
        return self.call(ast.Overloads(ty.VOID, name, "get", functions, explicit), [base], at)
