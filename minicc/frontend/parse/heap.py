"""`new` and `delete`: which functions allocate, how the objects begin, what of them has to end."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.primaries import Primaries
from minicc.frontend.sema import constant
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type


class Heap(Primaries):
    def new_expression(self, token: Token) -> ast.Expr:
        """`new T`, `new T(...)`, `new T[n]`, `new T[]{...}`, also at a place; `::new` passes over a class's own."""
        own = self.accept("::") is None
        self.i += 1
        placed: list[ast.Expr] = []
        if self.at("(") and not self.starts_type(1):
            placed = self.arguments()
        bracket, named = self.accept("(") is not None, self.token
        t = self.simple_type_with_pointers()
        count: ast.Expr | None = None
        unbound = False
        if self.at("["):
            self.i += 1
            unbound = self.at("]")
            if not unbound:
                count = self.convert(self.expression(), ty.ULONG)
            self.expect("]")
            while self.at("["):
                self.i += 1
                size = self.constant_integer(self.conditional_expression(), "array size is not a constant expression")
                t = ty.array(t, size)
                self.expect("]")
        if bracket:
            self.expect(")")
        t = self._deduced_new(t, named) if t.bare is ty.AUTO else t
        self.require_complete(t, token)
        if t.record is not None and t.record.abstract:
            self.fail(f"allocating an object of abstract class type '{t}'", named)
        if unbound and (not self.at("{") or self.options.std not in ("c++20", "c++23")):
            self.fail("array size must be specified in new expression", token)
        listed: ast.Expr | None = None
        if count is None and not unbound:
            init = self._new_value(t, token)
        elif self.at("{"):
            listed = self.initialise(ty.array(t, -1), self.braced_list(), token)
            count = count or self.number(listed.type.count, ty.ULONG, token)
            known = constant.evaluate(count)
            if known is not None and known < listed.type.count:
                self.fail("excess elements in array initializer", token)
            init = self.default_value(t, token) if known != listed.type.count else None
        elif self.accept("("):
            if not self.at(")"):
                self.fail("array 'new' cannot have initialization arguments", token)
            self.expect(")")
            init = self.default_value(t, token)
        else:
            init = self.default_value(t, token) if self._needs_construction(t) else None
        return ast.New(ty.pointer(t), token, t, count, init, self._place(t, count, placed, own, token), listed)

    def _deduced_new(self, t: Type, at: Token) -> Type:
        """What `auto` means before the initialiser at the cursor, which stays."""
        start = self.i
        given = [e for _, e in self.braced_list().items] if self.at("{") else self.arguments() if self.at("(") else []
        self.i = start
        if len(given) != 1:
            fault = "contains multiple constructor arguments" if given else "requires a constructor argument"
            self.fail(f"new expression for type '{t}' {fault}", at)
        return ty.qualified(self.decay(given[0]).type.bare, t.quals)

    def _new_value(self, t: Type, token: Token) -> ast.Expr | None:
        """What is laid into the memory of one object."""
        if self.at("{"):
            return (self.temporary if t.scalar else self.braced)(self.braced_list(), t)
        if not self.at("("):
            return self.default_value(t, token) if self._needs_construction(t) else None
        args = self.arguments()
        if t.kind == "record":
            return self.construct(t.bare, args, token)
        if len(args) > 1:
            self.fail(f"excess elements in initializer of type '{t}'", args[1].at)
        return self.convert(args[0], t) if args else self.default_value(t, token)

    def _place(
        self, t: Type, count: ast.Expr | None, placed: list[ast.Expr], own: bool, token: Token
    ) -> ast.Expr | None:
        """Where the objects go: what the class's own `operator new` or that of the program returns, or a place that is
        given; None for the device's heap."""
        name = "operator new" if count is None else "operator new[]"
        scope = t.record.scope if own and t.record is not None else None
        found = self.find_in(scope, name) if scope is not None else None
        if not isinstance(found, list):
            found = self.global_scope().names.get(name)
        device = _on_device(found)
        if device:
            if ty.destructors(t) and name.endswith("[]"):
                self.fail(f"'{name}' of its own for a class with a destructor is not supported", token)
            size: ast.Expr = self.number(t.size, ty.ULONG, token)
            if count is not None:
                size = self.binary("*", count, size, token)
            return self.call(ast.Overloads(ty.VOID, token, name, device), [size, *placed], token)
        if len(placed) > 1:
            self.fail("only placement new with one argument is supported", token)
        return self.convert(placed[0], ty.pointer(ty.VOID)) if placed else None

    def delete_expression(self, token: Token) -> ast.Expr:
        own = self.accept("::") is None
        self.i += 1
        array = self.accept("[") is not None
        if array:
            self.expect("]")
        operand = self.decay(self.unary_expression())
        if operand.type.kind != "pointer":
            self.fail(f"cannot delete expression of type '{operand.type}'", token)
        t = operand.type.elem
        if t is not None and t.kind == "record" and ty.is_complete(t):
            self.check_destructor(t, token)
        for _, f in ty.destructors(t) if t is not None else ():
            self.need_body(f)
        name = "operator delete[]" if array else "operator delete"
        scope = t.record.scope if own and t is not None and t.record is not None else None
        found = self.find_in(scope, name) if scope is not None else None
        if not isinstance(found, list):
            found = self.global_scope().names.get(name)
        device = _on_device(found)
        if device:
            return self._own_delete(device, name, operand, array, token)
        return ast.Delete(ty.VOID, token, operand, array)

    def _own_delete(self, functions: list[object], name: str, operand: ast.Expr, array: bool, token: Token) -> ast.Expr:
        """The object ends, then the class's function gets its memory, each unless the pointer is null."""
        t = operand.type.elem
        assert t is not None
        ends = bool(ty.destructors(t))
        if ends and array:
            self.fail(f"'{name}' of its own for a class with a destructor is not supported", token)
        kept = ast.Variable("", operand.type.bare, token, init=operand, scope=self.scope, owner=self.function)
        pointer = ast.Name(kept.type, token, kept, lvalue=True)
        size = self.number(t.size, ty.ULONG, token)
        memory = self.convert(pointer, ty.pointer(ty.VOID))
        sized = bool(self.viable(functions, [memory, size], None)) and not self.viable(functions, [memory], None)
        freed = self.call(ast.Overloads(ty.VOID, token, name, functions), [memory, size] if sized else [memory], token)
        if ends:
            freed = ast.Comma(ty.VOID, token, ast.Delete(ty.VOID, token, pointer, frees=False), freed)
        nothing = ast.Cast(ty.VOID, token, "void", self.number(0, ty.INT, token))
        chosen = self.conditional(self.condition(pointer), freed, nothing, token)
        return ast.StatementExpression(ty.VOID, token, ast.Block(token, [ast.DeclStmt(token, [kept])]), chosen)


def _on_device(found: object) -> list[object]:
    return [f for f in found if not isinstance(f, ast.Function) or f.space != "host"] if isinstance(found, list) else []
