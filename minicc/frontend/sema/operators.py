"""Operators: typing of unary, binary, assignment, conditional, subscript and member expressions."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema import constant, flow
from minicc.frontend.sema.candidates import object_rank, takes
from minicc.frontend.sema.convert import (
    Conversions,
    bit_field,
    common_type,
    element_quals,
    is_derived,
    is_xvalue,
    operand_type,
    promoted,
    similar,
)
from minicc.frontend.sema.copies import assigns_members, simple, value_type
from minicc.frontend.sema.wellformed import unassignable
from minicc.frontend.tokens import Token
from minicc.frontend.types import CONST, Field, Type

COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))


def _is_this(e: ast.Expr, f: ast.Function) -> bool:
    return isinstance(e, ast.Name) and e.variable is f.this


def _only_moves(record: ty.Record, right: ast.Expr) -> bool:
    """There is no implicit operator= for `right`, since something that moves is declared ([class.copy.assign])."""
    special = record.special
    moves = "move=" in special and (is_xvalue(right) or not right.lvalue)
    return "copy=" not in special and bool(special & {"move", "move="}) and not moves


def _foldable(*operands: ast.Expr) -> bool:
    return all(isinstance(e, ast.Number) for e in operands)


class Operators(Conversions):
    def fold(self, e: ast.Expr) -> ast.Expr:
        """A constant instead of a tree of constants."""
        value = constant.evaluate(e)
        return e if value is None else ast.Number(e.type, e.at, value)

    def value(self, e: ast.Expr) -> ast.Expr:
        return self.decay(e)

    def builtin_operand(self, e: ast.Expr) -> ast.Expr:
        """An object whose class has one conversion to a scalar type, converted: for the built-in operators."""
        if e.type.kind != "record":
            return e
        given = [f for f in self.conversions(e.type.bare) if not f.explicit]
        found = [f for f in given if f.type.elem is not None and value_type(f.type.elem).scalar]
        targets = {id(value_type(f.type.elem)) for f in found if f.type.elem is not None}
        fitting = [f for f in found if takes(f, e)]
        if len(targets) != 1 or not fitting:
            return e
        made = self.call_method(e, min(fitting, key=lambda f: object_rank(f, e)), [], e.at)
        return made if made.type.scalar else e

    # -- unary

    def unary(self, op: str, e: ast.Expr, at: Token) -> ast.Expr:
        if e.type.kind in ("record", "enum"):
            found = self.operator_call(op, [e], at)
            if found is not None:
                return found
        if op == "&":
            if is_xvalue(e):
                self.fail(f"cannot take the address of an rvalue of type '{e.type}'", at)
            return self.address_of(e, at)
        if op != "!":
            e = self.builtin_operand(e)
        e = self.decay(e)
        if op == "*":
            return self.dereference(e, at)
        t = e.type.bare
        if op == "!":
            if t.kind == "record" and self.conversion_function(e, ty.BOOL, explicit=True) is None:
                self.fail(f"invalid argument type '{e.type}' to unary expression", at)
            e = self.condition(e)
            made: ast.Expr = ast.Unary(ty.BOOL, at, "!", e)
            return self.fold(made) if _foldable(e) else made
        if op == "+" and t.kind == "pointer":
            return ast.Cast(t, at, "convert", e)
        if not (t.arithmetic or (t.kind == "enum" and not t.scoped)) or (op == "~" and t.kind == "float"):
            self.fail(f"invalid argument type '{e.type}' to unary expression", at)
        target = promoted(operand_type(e))
        e = self.cast(e, target)
        if op == "+":
            return ast.Cast(target, at, "convert", e) if e.lvalue else e
        made = ast.Unary(target, at, op, e)
        return self.fold(made) if _foldable(e) else made

    def address_of(self, e: ast.Expr, at: Token) -> ast.Expr:
        if isinstance(e, ast.Overloads):
            return e if len(e.functions) > 1 else self.function_value(e, None)
        if e.type.kind == "function":
            return self.decay(e)
        if not e.lvalue:
            self.fail(f"cannot take the address of an rvalue of type '{e.type}'", at)
        if bit_field(e) is not None:
            self.fail("address of bit-field requested", at)
        if isinstance(e, ast.Deref):
            return e.operand if not e.operand.lvalue else ast.Cast(e.operand.type.bare, at, "convert", e.operand)
        if isinstance(e, ast.Name) and e.variable.storage == "special":
            self.fail(f"cannot take the address of built-in variable '{e.variable.name}'", at)
        return ast.AddressOf(ty.pointer(e.type), at, e)

    def dereference(self, e: ast.Expr, at: Token) -> ast.Expr:
        t = e.type.bare
        if t.kind != "pointer":
            self.fail(f"indirection requires pointer operand ('{e.type}' invalid)", at)
        assert t.elem is not None
        if t.elem.kind == "function":
            return ast.Deref(t.elem, at, e, lvalue=True)
        if t.elem.kind == "void":
            self.fail("ISO C++ does not allow indirection on operand of type 'void *'", at)
        self.require_complete(t.elem, at)
        return ast.Deref(t.elem, at, e, lvalue=True)

    def require_complete(self, t: Type, at: Token) -> None:
        if (
            not ty.is_complete(t)
            and t.kind != "error"
            and not (t.kind == "array" and t.elem and ty.is_complete(t.elem))
        ):
            self.fail(f"incomplete type '{t}' where a complete type is required", at)
        self.require_whole(t)

    def require_whole(self, t: Type) -> None:
        """Device code has no class of which something could not be read: that is the error then."""
        while t.kind == "array" and t.elem is not None:
            t = t.elem
        record = t.record
        if record is not None and record.lacking is not None and self.function and self.function.space != "host":
            message, where = record.lacking
            self.fail(message, where)

    def step(self, op: str, e: ast.Expr, prefix: bool, at: Token) -> ast.Expr:
        if e.type.kind in ("record", "enum"):
            operands = [e] if prefix else [e, self.number(0, ty.INT, at)]
            found = self.operator_call(op, operands, at)
            if found is not None:
                return found
            e = self.builtin_operand(e)
        t = e.type
        word = "increment" if op == "++" else "decrement"
        if not (t.arithmetic or t.kind == "pointer") or t.kind == "bool":
            self.fail(f"cannot {word} value of type '{t}'", at)
        self.require_assignable(e, at)
        if t.kind == "pointer":
            assert t.elem is not None
            self._arithmetic_pointee(t, at)
        return ast.Step(t if prefix else t.bare, at, op, prefix, e, lvalue=prefix)

    def _arithmetic_pointee(self, t: Type, at: Token) -> None:
        assert t.elem is not None
        if t.elem.kind == "void":
            self.fail("arithmetic on a pointer to void", at)
        self.require_complete(t.elem, at)

    def require_assignable(self, e: ast.Expr, at: Token) -> None:
        if not e.lvalue or (e.type.scalar and is_xvalue(e)):
            self.fail("expression is not assignable", at)
        if e.type.const:
            if isinstance(e, ast.Name):
                name, v = e.variable.name, e.variable
                notes = [self.note(f"variable '{name}' declared const here", v.at)] if v.storage != "special" else []
                kind = "variable" if v.storage != "member" else "static data member"
                self.fail(f"cannot assign to {kind} '{name}' with const-qualified type '{e.type}'", at, notes=notes)
            if isinstance(e, ast.Member):
                record = e.base.type.record
                if record is not None and record.closure:
                    self.fail("cannot assign to a variable captured by copy in a non-mutable lambda", at)
                method = self.function
                if isinstance(e.base, ast.Deref) and method is not None and _is_this(e.base.operand, method):
                    within = f"within const member function '{method.name}'"
                    self.fail(f"cannot assign to non-static data member {within}", at)
                if e.field.type.const:
                    kind = f"non-static data member '{e.field.name}'"
                    self.fail(f"cannot assign to {kind} with const-qualified type '{e.field.type}'", at)
            self.fail(f"read-only variable is not assignable (type '{e.type}')", at)
        if isinstance(e, ast.Name) and e.variable.storage == "constant" and self.function is not None:
            # As nvcc: its parts are not asked about.
            self.fail(f"cannot assign to __constant__ variable '{e.variable.name}' in device code", at)

    # -- binary

    def _warn_pointless(self, op: str, left: ast.Expr, right: ast.Expr, at: Token) -> None:
        """An unsigned number beside 0, outside of templates, where another type may stand."""
        swapped = isinstance(left, ast.Number)
        number, other = (left, right) if swapped else (right, left)
        if (
            not isinstance(number, ast.Number)
            or number.value != 0
            or op not in (("<=", ">") if swapped else ("<", ">="))
        ):
            return
        f, t = self.function, other.type.bare
        plain = f is not None and f.template is None and (f.record is None or not self._of_template(f))
        if plain and t.kind == "int" and not t.signed and t.size >= 4:
            shown = f"0 {op} unsigned expression" if swapped else f"unsigned expression {op} 0"
            always = "true" if op in (">=", "<=") else "false"
            self.warn("186-D", f"result of comparison of {shown} is always {always}", at)

    def _of_template(self, f: ast.Function) -> bool:
        record = f.record.record if f.record is not None else None
        return record is not None and record.template is not None

    def comma(self, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        """`left, right`: an operator function of either's class, else the right one after the left one."""
        if "void" not in (left.type.kind, right.type.kind) and {left.type.kind, right.type.kind} & {"record", "enum"}:
            found = self.operator_call(",", [left, right], at)
            if found is not None:
                return found
        return ast.Comma(right.type, at, left, right, lvalue=right.lvalue)

    def binary(self, op: str, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        if left.type.kind in ("record", "enum") or right.type.kind in ("record", "enum"):
            found = self.operator_call(op, [left, right], at)
            if found is not None:
                return found
            if op not in ("&&", "||"):
                left, right = self.builtin_operand(left), self.builtin_operand(right)
        if op in ("&&", "||"):
            left, right = self.condition(left), self.condition(right)
            logical = ast.Logical(ty.BOOL, at, op, left, right)
            return self.fold(logical) if isinstance(left, ast.Number) else logical
        if op == "<=>":
            return self._three_way(left, right, at)
        left, right = self.decay(left), self.decay(right)
        a, b = left.type.bare, right.type.bare
        if "member" in (a.kind, b.kind) and op in ("==", "!="):
            of = self._common_member(left, right)
            return ast.Binary(ty.BOOL, at, op, self.convert(left, of), self.convert(right, of))
        if a.kind == "pointer" or b.kind == "pointer" or a.kind == "nullptr" or b.kind == "nullptr":
            return self._pointer_binary(op, left, right, at)
        if op in COMPARISONS and a.kind == "enum" and a is b:
            assert a.elem is not None
            left, right = self.cast(left, a.elem), self.cast(right, a.elem)
            a = b = a.elem
        ok_a = a.arithmetic or (a.kind == "enum" and not a.scoped)
        ok_b = b.arithmetic or (b.kind == "enum" and not b.scoped)
        if not ok_a or not ok_b:
            self._invalid_operands(left, right, at)
        if op in COMPARISONS:
            self._warn_pointless(op, left, right, at)
        if op in ("%", "&", "|", "^", "<<", ">>") and (a.kind == "float" or b.kind == "float"):
            self._invalid_operands(left, right, at)
        if op in ("<<", ">>"):
            target = promoted(operand_type(left))
            left, right = self.cast(left, target), self.cast(right, promoted(b))
            if isinstance(right, ast.Number):
                if right.value < 0:
                    self.warn("frontend.shift", "shift count is negative", at)
                elif right.value >= target.bits:
                    self.warn("frontend.shift", "shift count >= width of type", at)
            made: ast.Expr = ast.Binary(target, at, op, left, right)
            return self.fold(made) if _foldable(left, right) else made
        target = common_type(operand_type(left), operand_type(right))
        left, right = self.cast(left, target), self.cast(right, target)
        if op in ("/", "%") and isinstance(right, ast.Number) and right.value == 0 and target.kind == "int":
            word = "division" if op == "/" else "remainder"
            self.warn("frontend.division-by-zero", f"{word} by zero is undefined", at)
        made = ast.Binary(ty.BOOL if op in COMPARISONS else target, at, op, left, right)
        return self.fold(made) if _foldable(left, right) else made

    def _three_way(self, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        """The built-in `<=>`, of operands as `<` has them."""
        less = self.binary("<", left, right, at)
        if isinstance(less, ast.Binary):
            left, right = less.left, less.right
        else:
            t = common_type(operand_type(left), operand_type(right))
            left, right = self.cast(left, t), self.cast(right, t)
        name = "__three_way_floating" if left.type.kind == "float" else "__three_way_exact"
        functions = self.standard(name)
        assert isinstance(functions, list)
        return self.call(ast.Overloads(ty.VOID, at, name, functions), [left, right], at)

    def _invalid_operands(self, left: ast.Expr, right: ast.Expr, at: Token) -> None:
        self.fail(f"invalid operands to binary expression ('{left.type}' and '{right.type}')", at)

    def _pointer_binary(self, op: str, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        a, b = left.type.bare, right.type.bare
        integer = ("int", "bool", "enum")
        if op == "+" and a.kind in integer and b.kind == "pointer":
            left, right, a, b = right, left, b, a
        if op in ("+", "-") and a.kind == "pointer" and b.kind in integer and not b.scoped:
            self._arithmetic_pointee(a, at)
            return ast.Binary(a, at, op, left, self.cast(right, promoted(b)))
        if op == "-" and a.kind == "pointer" and b.kind == "pointer":
            assert a.elem is not None and b.elem is not None
            if ty.unqualified(a.elem) is not ty.unqualified(b.elem):
                self.fail(f"'{left.type}' and '{right.type}' are not pointers to compatible types", at)
            self._arithmetic_pointee(a, at)
            return ast.Binary(ty.LONG, at, "-", left, right)
        if op in COMPARISONS:
            if a.kind == "nullptr" and b.kind == "nullptr":
                return self.number(int(op in ("==", "<=", ">=")), ty.BOOL, at)
            if self.is_null_constant(right) and a.kind == "pointer":
                return ast.Binary(ty.BOOL, at, op, left, self.cast(right, a))
            if self.is_null_constant(left) and b.kind == "pointer":
                return ast.Binary(ty.BOOL, at, op, self.cast(left, b), right)
            if a.kind == "pointer" and b.kind == "pointer":
                assert a.elem is not None and b.elem is not None
                if not (
                    ty.unqualified(a.elem) is ty.unqualified(b.elem)
                    or "void" in (a.elem.kind, b.elem.kind)
                    or self.rank(left, b) is not None
                    or self.rank(right, a) is not None
                ):
                    self.fail(f"comparison of distinct pointer types ('{left.type}' and '{right.type}')", at)
                return ast.Binary(ty.BOOL, at, op, left, right)
            if "int" in (a.kind, b.kind):
                self.fail(f"comparison between pointer and integer ('{left.type}' and '{right.type}')", at)
        self._invalid_operands(left, right, at)
        raise AssertionError

    def subscript(self, base: ast.Expr, index: ast.Expr, at: Token) -> ast.Expr:
        if base.type.kind == "record":
            found = self.operator_call("[]", [base, index], at)
            if found is not None:
                return found
            base = self.builtin_operand(base)
            if base.type.kind == "record":
                self.fail(f"type '{base.type}' does not provide a subscript operator", at)
        base, index = self.decay(base), self.decay(self.builtin_operand(index))
        if base.type.kind in ("int", "bool") and index.type.kind == "pointer":
            base, index = index, base
        if base.type.kind != "pointer":
            self.fail("subscripted value is not an array, pointer, or vector", at)
        if not (index.type.integral or (index.type.kind == "enum" and not index.type.scoped)):
            self.fail("array subscript is not an integer", at)
        if isinstance(base, ast.Cast) and base.kind == "decay" and isinstance(index, ast.Number):
            count = base.operand.type.count
            if count > 0 and not 0 <= index.value < count:
                where = "past the end of" if index.value > 0 else "before the beginning of"
                self.warn(
                    "frontend.array-bounds",
                    f"array index {index.value} is {where} the array (which contains {count} elements)",
                    at,
                )
        made = self.dereference(ast.Binary(base.type.bare, at, "+", base, self.cast(index, promoted(index.type))), at)
        if isinstance(base, ast.Cast) and base.kind == "decay" and isinstance(index, ast.Number):
            root = flow.root_of(base.operand)
            if root is None or root.variable.storage == "member" or self.library:
                return self.fold_host(made, base.operand)
            # An element of an array at namespace scope is there for constant expressions alone, as with nvcc.
        return made

    def fold_host(self, e: ast.Expr, base: ast.Expr) -> ast.Expr:
        """A part of a constexpr variable of the host, which device code can read as a constant only."""
        while isinstance(base, ast.Member | ast.Cast):
            base = base.base if isinstance(base, ast.Member) else base.operand
        if not isinstance(base, ast.Name) or base.variable.storage not in ("host", "member") or not e.type.scalar:
            return e
        return self.fold(e)

    def initial(self, e: ast.Expr) -> ast.Expr:
        """What begins a variable or is returned: there an element of a constexpr array of the host is a constant."""
        root = flow.root_of(e) if isinstance(e, ast.Deref) else None
        return self.fold(e) if root is not None and root.variable.storage == "host" and e.type.scalar else e

    # -- members

    def member(self, base: ast.Expr, field: Field, at: Token) -> ast.Expr:
        t = field.type
        if t.kind == "reference":
            assert t.elem is not None
            pointer = ast.Member(ty.pointer(t.elem), at, base, field, lvalue=base.lvalue)
            return ast.Deref(t.elem, at, pointer, lvalue=True)
        if t.aggregate and not base.lvalue:
            base = ast.Temporary(base.type, base.at, base, lvalue=True)
        # (A number in an object that ends is a value of its own, as nvcc has it.)
        quals = element_quals(base.type) & ~(ty.CONST if field.mutable else 0)
        made = ast.Member(ty.qualified(t, quals), at, base, field, lvalue=base.lvalue)
        return self.fold_host(made, base)

    def through_pointer(self, op: str, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        """`left ->* right` or `left .* right`."""
        own = self.operator_call(op, [left, right], at) if op == "->*" and left.type.record else None
        return own or self.member_through(left, right, op == "->*", at)

    def member_through(self, base: ast.Expr, pointer: ast.Expr, arrow: bool, at: Token) -> ast.Expr:
        """`base.*pointer` and `base->*pointer`."""
        if arrow:
            base = self.dereference(self.decay(base), at)
        if isinstance(pointer, ast.FunctionAddress) or (
            isinstance(pointer, ast.Overloads) and len(pointer.functions) == 1
        ):
            f = pointer.function if isinstance(pointer, ast.FunctionAddress) else pointer.functions[0]
            assert isinstance(f, ast.Function)
            return ast.Overloads(ty.VOID, at, f.name, [f], None, base)
        t = pointer.type.bare
        if t.kind != "member" or t.elem is None:
            sign = "->*" if arrow else ".*"
            self.fail(f"right hand operand to {sign} has non-pointer-to-member type '{pointer.type}'", at)
        owner = t.params[0]
        if base.type.bare is not owner and not is_derived(base.type.bare, owner):
            self.fail(f"left hand operand must be of type '{owner}' or derived from it, not '{base.type}'", at)
        if not base.lvalue:
            base = ast.Temporary(base.type, base.at, base, lvalue=True)
        if base.type.bare is not owner:
            base = ast.Cast(ty.qualified(owner, base.type.quals), base.at, "relabel", base, lvalue=True)
        if t.elem.kind == "function":
            return ast.BoundMember(t.elem, at, base, pointer)
        chars = ty.pointer(ty.CHAR)
        start = ast.Cast(chars, at, "convert", self.address_of(base, at))
        moved = ast.Binary(chars, at, "+", start, self.cast(pointer, ty.LONG))
        found = ty.qualified(t.elem, base.type.quals)
        return ast.Deref(found, at, ast.Cast(ty.pointer(found), at, "convert", moved), lvalue=True)

    # -- assignment

    def assign(self, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        if left.type.kind == "record":
            found = self.operator_call("=", [left, right], at)
            if found is not None:
                return found
        self.require_assignable(left, at)
        record = left.type.record
        lacks = unassignable(left.type) or (record is not None and _only_moves(record, right))
        if record is not None and right.type.bare is left.type.bare and lacks:
            why = "because its copy assignment operator is implicitly deleted"
            self.fail(f"object of type '{left.type}' cannot be assigned {why}", at)
        if record is not None and right.type.bare is left.type.bare and assigns_members(left.type):
            return self._assign_members(left, right, at)
        if left.type.kind == "array":
            self.fail(f"array type '{left.type}' is not assignable", at)
        if left.type.kind == "record" and right.type.bare is left.type.bare:
            return ast.Assign(left.type, at, left, right, lvalue=True)
        where = at if left.type.kind == "record" else None
        return ast.Assign(left.type, at, left, self.convert(right, left.type, "assigning", where), lvalue=True)

    def named(self, e: ast.Expr) -> tuple[ast.Stmt, ast.Expr]:
        """A hidden reference to an object, and what names it: for what is to be evaluated once."""
        moved = is_xvalue(e) or not e.lvalue
        if not e.lvalue:
            e = ast.Temporary(e.type.bare, e.at, e, lvalue=True)
        v = ast.Variable("", ty.reference(e.type), e.at, "alias", init=e, scope=self.scope, owner=self.function)
        name = ast.Name(e.type, e.at, v, lvalue=True)
        return ast.DeclStmt(e.at, [v]), ast.Cast(e.type, e.at, "move", name, lvalue=True) if moved else name

    def _assign_members(self, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        """Assignment of a class one of whose members has an operator= of its own."""
        record = left.type.record
        if record is None or record.tag == "union":
            return ast.Assign(left.type, at, left, right, lvalue=True)
        if not (simple(left) and simple(right)):
            source, right = self.named(right)
            target, left = self.named(left)
            done = ast.ExprStmt(at, self._assign_members(left, right, at))
            return ast.Comma(
                left.type, at, ast.StatementExpression(ty.VOID, at, ast.Block(at, [source, target, done]), None), left,
                lvalue=True,
            )  # fmt: skip
        made: ast.Expr | None = None
        kind = "move" if is_xvalue(right) else "relabel"
        pairs = [
            (ast.Cast(b, at, "relabel", left, lvalue=True), ast.Cast(b, at, kind, right, lvalue=True))
            for b, _ in record.bases
        ] + [
            (ast.Member(f.type, at, left, f, lvalue=True), ast.Member(f.type, at, right, f, lvalue=True))
            for f in record.fields[record.inherited :]
            if f.name or not f.bit_width
        ]
        for to, value in pairs:
            plain = to.type.kind in ("array", "reference")
            one = ast.Assign(to.type, at, to, value, lvalue=True) if plain else self.assign(to, value, at)
            made = one if made is None else ast.Comma(ty.VOID, at, made, one)
        return ast.Comma(left.type, at, made, left, lvalue=True) if made is not None else left

    def compound(self, op: str, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        if left.type.kind in ("record", "enum") or right.type.kind in ("record", "enum"):
            found = self.operator_call(op + "=", [left, right], at)
            if found is not None:
                return found
            left, right = self.builtin_operand(left), self.builtin_operand(right)
        self.require_assignable(left, at)
        right = self.decay(right)
        a, b = left.type.bare, right.type.bare
        if a.kind == "pointer":
            if op not in ("+", "-") or not (b.integral or (b.kind == "enum" and not b.scoped)):
                self._invalid_operands(left, right, at)
            self._arithmetic_pointee(a, at)
            return ast.CompoundAssign(left.type, at, op, left, self.cast(right, promoted(b)), a, lvalue=True)
        if not a.arithmetic or not (b.arithmetic or (b.kind == "enum" and not b.scoped)):
            self._invalid_operands(left, right, at)
        if op in ("%", "&", "|", "^", "<<", ">>") and (a.kind == "float" or b.kind == "float"):
            self._invalid_operands(left, right, at)
        if op in ("<<", ">>"):
            common = promoted(operand_type(left))
            right = self.cast(right, promoted(b))
            if isinstance(right, ast.Number) and not 0 <= right.value < common.bits:
                what = "shift count is negative" if right.value < 0 else "shift count >= width of type"
                self.warn("frontend.shift", what, at)
        else:
            common = common_type(operand_type(left), operand_type(right))
            right = self.cast(right, common)
        return ast.CompoundAssign(left.type, at, op, left, right, common, lvalue=True)

    def _common_member(self, left: ast.Expr, right: ast.Expr) -> Type:
        """The type of a pointer to a member that both become, one of them as it is."""
        a, b = left.type.bare, right.type.bare
        return b if a.kind != "member" or (b.kind == "member" and self.rank(left, b) is not None) else a

    # -- ?:

    def conditional(self, condition: ast.Expr, yes: ast.Expr, no: ast.Expr, at: Token) -> ast.Expr:
        condition = self.condition(condition)
        if yes.type.kind == "void" or no.type.kind == "void":
            if yes.type.kind != no.type.kind:
                self.fail(
                    "right operand to ? is void, but left operand is of type "
                    f"'{yes.type if no.type.kind == 'void' else no.type}'",
                    at,
                )
            return ast.Conditional(ty.VOID, at, condition, yes, no)
        if yes.lvalue and no.lvalue and is_xvalue(yes) == is_xvalue(no):
            if yes.type is not no.type:
                yes, no = self._bound_as(yes, no) or yes, self._bound_as(no, yes) or no
            if yes.type is no.type:
                return self._pick(ast.Conditional(yes.type, at, condition, yes, no, lvalue=True))
        yes, no = self.decay(yes), self.decay(no)
        a, b = yes.type.bare, no.type.bare
        target: Type | None = None
        if a is b:
            target = a
        elif (a.arithmetic and b.arithmetic) or (
            {a.kind, b.kind} <= {"int", "bool", "float", "enum"} and not (a.scoped or b.scoped)
        ):
            target = common_type(operand_type(yes), operand_type(no))
        elif "record" in (a.kind, b.kind):
            self._check_one_way(yes, no, at)
            if b.kind == "record" and self.rank(yes, b) is not None:
                target = b
            elif a.kind == "record" and self.rank(no, a) is not None:
                target = a
            elif a.kind == "record" and self.rank(yes, b) is not None:
                target = b
            elif b.kind == "record" and self.rank(no, a) is not None:
                target = a
            else:  # [expr.cond]/6: as the built-in operator takes them (two lambdas are pointers to functions).
                plain = self.builtin_operand(yes), self.builtin_operand(no)
                if not any(e.type.kind == "record" for e in plain):
                    return self.conditional(condition, *plain, at)
        elif "pointer" in (a.kind, b.kind):
            target = self._common_pointer(yes, no)
        elif "member" in (a.kind, b.kind):
            target = self._common_member(yes, no)
        if target is None:
            self.fail(f"incompatible operand types ('{yes.type}' and '{no.type}')", at)
        return self._pick(ast.Conditional(target, at, condition, self.convert(yes, target), self.convert(no, target)))

    def _check_one_way(self, yes: ast.Expr, no: ast.Expr, at: Token) -> None:
        """[expr.cond]: of two classes one at most becomes the other."""
        a, b = yes.type.bare, no.type.bare
        if a.kind != "record" or b.kind != "record" or is_derived(a, b) or is_derived(b, a):
            return
        if self.rank(yes, b) is not None and self.rank(no, a) is not None:
            self.fail(f"conditional expression is ambiguous; '{a}' can be converted to '{b}' and vice versa", at)

    def _bound_as(self, e: ast.Expr, other: ast.Expr) -> ast.Expr | None:
        """[expr.cond]: what a reference to the type of `other`, of the same value category, is to that is bound to `e`;
        None where it would not be `e` or a base of it."""
        t = other.type
        same = ty.unqualified(e.type) is ty.unqualified(t)
        if not (same or is_derived(e.type.bare, t.bare)) or element_quals(e.type) & ~element_quals(t):
            return None
        if bit_field(e) is not None:
            return None
        if not same:
            self.check_base(e.type, t, e.at)
        return ast.Cast(t, e.at, "move" if is_xvalue(e) else "relabel", e, lvalue=True)

    def _pick(self, e: ast.Conditional) -> ast.Expr:
        """What a constant condition chooses; a value, though it be an object's."""
        if not isinstance(e.condition, ast.Number):
            return e
        chosen = e.yes if e.condition.value else e.no
        if e.lvalue or not chosen.lvalue:
            return chosen
        return ast.Cast(e.type, e.at, "convert", chosen) if e.type.scalar else e

    def _common_pointer(self, yes: ast.Expr, no: ast.Expr) -> Type | None:
        a, b = yes.type.bare, no.type.bare
        if self.is_null_constant(no) and a.kind == "pointer":
            return a
        if self.is_null_constant(yes) and b.kind == "pointer":
            return b
        if a.kind == "pointer" and b.kind == "pointer":
            assert a.elem is not None and b.elem is not None
            quals = a.elem.quals | b.elem.quals
            if ty.unqualified(a.elem) is ty.unqualified(b.elem):
                return ty.pointer(ty.qualified(ty.unqualified(a.elem), quals))
            if "void" in (a.elem.kind, b.elem.kind):
                return ty.pointer(ty.qualified(ty.VOID, quals & CONST))
            for inner, outer in ((a.elem, b.elem), (b.elem, a.elem)):
                if is_derived(inner.bare, outer.bare):
                    return ty.pointer(ty.qualified(outer.bare, quals))
            if similar(a, b):
                return b
            if similar(b, a):
                return a
        return None
