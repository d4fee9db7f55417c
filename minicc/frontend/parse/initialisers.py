"""What a variable begins as: its initialiser, what `auto` is by it, and what an object without one gets."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.statements import Statements
from minicc.frontend.sema import constant
from minicc.frontend.sema.calls import deduced_type
from minicc.frontend.sema.convert import decltype_of, is_xvalue
from minicc.frontend.sema.initialise import BracedList
from minicc.frontend.sema.wellformed import no_default, undefaultable
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Type


class Initialisers(Statements):
    def initialiser(self, v: ast.Variable, value: ast.Expr | None = None) -> None:
        """Give `v` its initialiser, from the cursor or `value`, and with it the type and the size that it leaves open.

        Raises what a wrong initialiser, or the lack of one, is called by clang or nvcc."""
        if value is not None:
            self._from_value(v, value)
        elif self.at("("):
            self._from_arguments(v)
        elif self.at("=") or self.at("{"):
            copied = self.accept("=") is not None
            named = not self.at("(")
            self._from_value(v, self.braced_list() if self.at("{") else self.assignment(), copied, named)
        else:
            self._by_default(v)
        if v.init is not None:
            if v.type.kind == "array" and v.type.count < 0:
                v.type = ty.array(v.type.elem or ty.INT, v.init.type.count)
            self._constant_value(v, v.init)
            self._check_static(v, v.init)

    def _from_arguments(self, v: ast.Variable) -> None:
        """`(...)` at the cursor."""
        named = self.peek().text != "("
        args = self.arguments()
        if deduced_type(v.type) and not _deduced_class(v.type) and len(args) == 1:
            self._from_value(v, args[0], named=named)
            return
        if _deduced_class(v.type):
            v.type = self._deduced_type(v.type, args, v.at)
        self._construct_variable(v, args)

    def _from_value(self, v: ast.Variable, e: ast.Expr, copied: bool = False, named: bool = False) -> None:
        """`e` or, where it is `copied`, `= e`; `named` where no bracket stands around it."""
        if v.type is ty.DECLTYPE_AUTO and not isinstance(e, ast.Overloads | ast.Init):
            v.type = decltype_of(e, named)
            v.storage = "reference" if v.storage == "local" and v.type.kind == "reference" else v.storage
        if v.storage in ("shared", "dynamic"):
            self.fail("initialization is not supported for __shared__ variables", v.at)
        if _deduced_class(v.type):
            listed = e if isinstance(e, BracedList) else None
            items = [x for _, x in listed.items] if listed is not None else [e]
            v.type = self._deduced_type(v.type, items, v.at, listed)
        if copied and v.type.bare is ty.AUTO and (list_type := self.list_type(e)) is not None:
            v.type = ty.qualified(list_type, v.type.quals)
        if deduced_type(v.type):
            e = self._deduce_auto(v, e)
        if v.type.kind == "reference":
            v.init = self.bind_list(e, v.type)
        else:
            v.init = self.initialise(v.type, self.initial(e), v.at)

    def _by_default(self, v: ast.Variable) -> None:
        """No initialiser: an object of a class is made by its default constructor, and nothing else may be without
        whose type or value hangs on one."""
        template = v.type.template
        if isinstance(template, ast.ClassTemplate) and v.type.kind == "auto" and not template.concept:
            what = "no viable constructor or deduction guide for deduction of template arguments of"
            self.fail(f"{what} '{template.name}'", v.at)
        if deduced_type(v.type):
            self.fail(f"declaration of variable '{v.name}' with deduced type '{v.type}' requires an initializer", v.at)
        if v.type.kind == "reference":
            self.fail(f"declaration of reference variable '{v.name}' requires an initializer", v.at)
        t = v.type
        while t.kind == "array":
            assert t.elem is not None
            t = t.elem
        if t.record is not None and not v.extern and v.storage in ("local", "shared") and undefaultable(t):
            self.fail(no_default(t), v.at, code="frontend.no-match")
        if v.storage not in ("shared", "dynamic") and self._made_by_default(t):
            if v.type.kind == "array":
                parts: list[tuple[int, Field | None, ast.Expr]] = []
                self._default_element(v.type, 0, parts, v.at)
                v.init = ast.Init(v.type, v.at, parts)
            elif _is_dim3(t):
                v.init = self.construct(t, [], v.at)
            else:
                v.init = self.default_value(t, v.at)
        elif v.type.const and v.storage in ("local", "static", "host") and not v.extern and v.type.scalar:
            self.fail(f"default initialization of an object of const type '{v.type}'", v.at)

    def _made_by_default(self, t: Type) -> bool:
        """An object of `t` without an initialiser has one all the same."""
        if t.record is None:
            return False
        declared = bool(t.record.constructors) and not t.record.has_default
        return declared or self._needs_construction(t) or _is_dim3(t)

    def _constant_value(self, v: ast.Variable, init: ast.Expr) -> None:
        """What is known of `v` while compiling; constexpr asks for all of it."""
        known = True
        if (v.type.const and v.type.scalar and not v.type.volatile) or v.constexpr:
            v.value = constant.evaluate(init) if v.type.scalar else None
            varies = v.value is None and (v.type.kind != "pointer" or self._names_automatic(init))
            known = not (v.type.scalar and varies)
        if v.type.kind == "record":
            if isinstance(init, ast.Construct):
                known = init.function.constexpr or self.library
            if v.storage == "host" and v.type.const and not v.constexpr:
                v.constant = not v.type.volatile and constant.cells(init, v.type) is not None
        if v.constexpr and not known:
            self.fail(f"constexpr variable '{v.name}' must be initialized by a constant expression", v.at)

    def _check_static(self, v: ast.Variable, init: ast.Expr) -> None:
        """The device runs nothing before a kernel: what has static storage begins as a constant."""
        if v.storage not in ("static", "device", "constant") or not v.type.scalar or v.type.kind == "pointer":
            return
        if constant.evaluate(init) is None:
            what = f"__{v.storage}__ variables"
            if v.storage == "static":
                what = "a function-scope static variable in device code"
            self.fail(f"dynamic initialization is not supported for {what}", v.at)

    def _names_automatic(self, e: ast.Expr | ast.Stmt | ast.Variable) -> bool:
        """A pointer's value hangs on what a variable of the function holds, or where it lies."""
        if isinstance(e, ast.Name):
            v = e.variable
            own = v.storage in ("local", "param") and v.owner is self.function
            return own and not v.constexpr and v.value is None
        return isinstance(e, ast.Expr) and any(map(self._names_automatic, ast.children(e)))

    def _deduced_type(self, t: Type, args: list[ast.Expr], at: Token, listed: ast.Expr | None = None) -> Type:
        """The class that a placeholder stands for."""
        assert isinstance(t.template, ast.ClassTemplate)
        return ty.qualified(self.deduced_class(t.template, args, at, listed), t.quals)

    def _construct_variable(self, v: ast.Variable, args: list[ast.Expr]) -> None:
        t = v.type
        if v.storage in ("shared", "dynamic"):
            self.fail("initialization is not supported for __shared__ variables", v.at)
        if t.kind == "reference":
            if len(args) != 1:
                self.fail(f"excess elements in initializer of type '{t}'", v.at)
            v.init = self.bind(args[0], t)
        elif t.kind == "record":
            v.init = self.construct(t.bare, args, v.at)
        elif len(args) != 1:
            self.fail(f"{'excess elements in' if args else 'expected expression as'} initializer of type '{t}'", v.at)
        elif t.kind == "bool" and args[0].type.kind == "nullptr":
            v.init = self.cast(args[0], t)
        else:
            v.init = self.initialise(t, args[0], v.at)

    def _deduce_auto(self, v: ast.Variable, e: ast.Expr) -> ast.Expr:
        if isinstance(e, BracedList):
            if len(e.items) != 1:
                self.fail(
                    f"cannot deduce actual type for variable '{v.name}' with type 'auto' from initializer list", v.at
                )
            e = e.items[0][1]
        if isinstance(e, ast.Overloads) and e.base is not None and all(_of_objects(f) for f in e.functions):
            self.fail("reference to non-static member function must be called", e.at)
        t = v.type
        quals = t.quals
        if t.kind == "reference":
            assert t.elem is not None
            source = e.type if e.lvalue else e.type.bare
            if t.rvalue and (not e.lvalue or is_xvalue(e)):
                v.type = ty.reference(ty.qualified(source, t.elem.quals), True)
            else:
                v.type = ty.reference(ty.qualified(source, t.elem.quals))
            v.storage = "reference" if v.storage == "local" else v.storage
            return e
        e = self.decay(e)
        if t.kind == "pointer":
            if e.type.kind != "pointer":
                self.fail(f"variable '{v.name}' with type '{t}' has incompatible initializer of type '{e.type}'", v.at)
            assert t.elem is not None and e.type.elem is not None
            v.type = ty.qualified(ty.pointer(ty.qualified(e.type.elem, t.elem.quals)), quals)
            return e
        if e.type.kind == "void":
            self.fail("variable has incomplete type 'void'", v.at)
        v.type = ty.qualified(e.type.bare, quals)
        return e


def _deduced_class(t: Type) -> bool:
    """A placeholder for a class: `std::array a{1, 2}`."""
    return t.kind == "auto" and t.template is not None


def _is_dim3(t: Type) -> bool:
    """CUDA's own dim3 has no constructor here, and begins as (1, 1, 1)."""
    return t.record is not None and t.record.name == "dim3" and not t.record.constructors


def _of_objects(f: object) -> bool:
    """A member function that is not static."""
    return isinstance(f, ast.Function) and f.this is not None
