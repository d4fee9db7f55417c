"""Conversions: the usual arithmetic ones, implicit ones with their ranks, and casts."""

from __future__ import annotations

from minicc.diagnostics import Span
from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Cursor
from minicc.frontend.sema import arithmetic
from minicc.frontend.sema.access import closed_base, parts_of
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type

EXACT, UNDERLYING, PROMOTION, CONVERSION, USER, ELLIPSIS = 0, 1, 2, 3, 4, 8
"""How well an argument converts; UNDERLYING promotes an enumeration to the type that it was declared with."""
LISTED = ELLIPSIS + 1
"""By how much a list fits a std::initializer_list better."""


def promoted(t: Type) -> Type:
    """Integral promotion."""
    t = t.bare
    if t.kind == "enum":
        assert t.elem is not None
        own = t.cache.get("promoted")
        return own if isinstance(own, Type) else promoted(t.elem)
    if t.kind == "bool" or (t.kind == "int" and t.rank <= ty.INT.rank and t is not ty.UINT):
        return ty.UINT if t is ty.CHAR32 else ty.INT
    return t


def bit_field(e: ast.Expr) -> ast.Member | None:
    """The bit-field that a glvalue refers to; of two that a condition chooses between the wider one."""
    while not isinstance(e, ast.Member):
        if isinstance(e, ast.Assign | ast.CompoundAssign):
            e = e.left
        elif isinstance(e, ast.Comma):
            e = e.right
        elif isinstance(e, ast.Step) and e.prefix:
            e = e.operand
        elif isinstance(e, ast.Conditional) and e.lvalue:
            found = [m for m in (bit_field(e.yes), bit_field(e.no)) if m is not None]
            return max(found, key=lambda m: m.field.bit_width, default=None)
        else:
            return None
    return e if e.field.bit_width else None


def operand_type(e: ast.Expr) -> Type:
    """What promotion begins with: a bit-field counts as int or unsigned, if that can hold its values ([conv.prom]), and
    so does what it was before a step."""
    t = e.type.bare
    if t.kind != "int" or t.rank < ty.INT.rank:
        return t
    found = bit_field(e.operand if isinstance(e, ast.Step) else e)
    if found is None or found.field.bit_width > ty.INT.bits:
        return t
    return ty.INT if t.signed or found.field.bit_width < ty.INT.bits else ty.UINT


def common_type(a: Type, b: Type) -> Type:
    """The usual arithmetic conversions."""
    a, b = a.bare, b.bare
    if a.kind == "float" or b.kind == "float":
        floats = [t for t in (a, b) if t.kind == "float"]
        return max(floats, key=lambda t: t.rank)
    a, b = promoted(a), promoted(b)
    if a is b:
        return a
    if a.signed == b.signed:
        return a if a.rank > b.rank else b
    unsigned, signed = (b, a) if a.signed else (a, b)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.size > unsigned.size:
        return signed
    return {ty.LONG: ty.ULONG, ty.LLONG: ty.ULLONG, ty.INT: ty.UINT}[signed]


def _of_base(source: Type, target: Type) -> bool:
    """Both point to members of one type, the source's a base class of the target's ([conv.mem])."""
    alike = source.kind == target.kind == "member" and source.elem is target.elem and source.count == target.count
    return alike and is_derived(target.params[0], source.params[0])


def is_derived(t: Type, base: Type) -> bool:
    """`t` is a class that inherits `base`, directly or not."""
    return t is not base and t.record is not None and base.record is not None and ty.base_offset(t, base) is not None


def _as_dimensions(source: Type, target: Type) -> bool:
    """What vector_types.h gives dim3: it is made of a number or a uint3, and becomes a uint3."""
    dimensions, words = ty.vector("dim3"), ty.vector("uint3")
    if target is dimensions:
        return source is words or source.arithmetic or (source.kind == "enum" and not source.scoped)
    return target is words and source is dimensions


def _standard_rank(source: Type, target: Type) -> int | None:
    """How good the conversion of numbers and pointers is, by type alone ([conv])."""
    if target.arithmetic and (source.arithmetic or (source.kind == "enum" and not source.scoped)):
        if source.kind == "enum" and source.cache.get("fixed") is target:
            return UNDERLYING
        promotes = target is promoted(source) and source.kind != "float"
        return PROMOTION if promotes or (source is ty.FLOAT and target is ty.DOUBLE) else CONVERSION
    if target.kind == "bool" and source.kind == "pointer":
        return CONVERSION
    if target.kind == source.kind == "pointer":
        assert target.elem is not None and source.elem is not None
        if element_quals(source.elem) & ~element_quals(target.elem):
            return None
        if similar(source, target):
            return EXACT
        if target.elem.kind == "void" or is_derived(source.elem.bare, target.elem.bare):
            return CONVERSION
    if target.kind == "member" and _of_base(source, target):
        return CONVERSION
    return None


def plain(t: Type) -> bool:
    """A finished class without base classes, constructors and conversion functions: no other class converts to it, and
    it converts to no other such class."""
    r = t.record
    if r is None or not r.complete or r.scope is None:
        return False
    if r.plain is None:
        r.plain = not (r.bases or r.constructors or any(name.startswith("operator ") for name in r.scope.names))
    return r.plain


def more_qualified(target: Type, source: Type) -> bool:
    return source.quals & ~target.quals == 0


def similar(a: Type, b: Type) -> bool:
    """Equal but for qualifiers below the top, where `b` (the target) may add them to pointees."""
    a, b = a.bare, b.bare
    if a is b:
        return True
    if a.kind == b.kind == "pointer":
        assert a.elem is not None and b.elem is not None
        return element_quals(b.elem) & element_quals(a.elem) == element_quals(a.elem) and similar(a.elem, b.elem)
    if a.kind == b.kind == "array":
        return ty.unqualified(a) is ty.unqualified(b)
    return False


def _plain(t: Type) -> Type:
    """Without qualifiers, those of what it points to included."""
    t = ty.unqualified(t)
    return ty.pointer(_plain(t.elem)) if t.kind == "pointer" and t.elem is not None else t


def element_quals(t: Type) -> int:
    while t.kind == "array":
        assert t.elem is not None
        t = t.elem
    return t.quals


def is_xvalue(e: ast.Expr) -> bool:
    """An object that may be moved from: what a T&& that is no variable refers to."""
    if isinstance(e, ast.Call | ast.IndirectCall):
        ret = e.function.type.elem if isinstance(e, ast.Call) else e.callee.type.elem and e.callee.type.elem.elem
        return e.lvalue and ret is not None and ret.rvalue
    if isinstance(e, ast.Cast):
        return e.kind == "move"
    if isinstance(e, ast.Conditional):
        return e.lvalue and is_xvalue(e.yes) and is_xvalue(e.no)
    if isinstance(e, ast.Comma):
        return is_xvalue(e.right)
    return isinstance(e, ast.Temporary) or (isinstance(e, ast.Member) and is_xvalue(e.base))


def subscripted(e: ast.Expr) -> ast.Expr | None:
    """The array of which `e` is an element."""
    place = e.operand if isinstance(e, ast.Deref) else None
    base = place.left if isinstance(place, ast.Binary) and place.op == "+" else None
    return base.operand if isinstance(base, ast.Cast) and base.kind == "decay" else None


def decltype_of(e: ast.Expr, named: bool) -> Type:
    """What decltype(auto) makes of an expression: the declared type of what is `named` without parentheses."""
    if named and isinstance(e, ast.Name | ast.Member):
        return e.variable.type if isinstance(e, ast.Name) else e.field.type
    if is_xvalue(e):
        return ty.reference(e.type, True)
    return ty.reference(e.type) if e.lvalue else e.type.bare


def prvalue(e: ast.Expr, at: Token) -> ast.Expr:
    """T(e): an object of its own, where `e` is one of that class that is copied as bytes."""
    return ast.Cast(e.type.bare, at, "convert", e) if e.lvalue and e.type.kind == "record" else e


class Conversions(Cursor):
    # -- small makers

    def number(self, value: int | float, t: Type, at: Token) -> ast.Number:
        return ast.Number(t, at, value)

    def cast(self, e: ast.Expr, t: Type) -> ast.Expr:
        """A value of scalar type as another scalar type; constants are folded."""
        t = t.bare
        if e.type.bare is t and not e.lvalue:
            return e
        if t.kind == "member" and self.is_null_constant(e):
            return ast.Number(t, e.at, -1 if t.size == 8 else 0)
        if isinstance(e, ast.Number) and t.kind in ("int", "bool", "float", "enum"):
            try:
                return ast.Number(t, e.at, arithmetic.wrap(e.value, t))
            except arithmetic.NotConstant:
                pass
        if e.type.bare is t and e.lvalue:
            return e
        return ast.Cast(t, e.at, "convert", e)

    def decay(self, e: ast.Expr) -> ast.Expr:
        """Arrays become pointers to their first element, where a value is wanted."""
        if e.type.kind == "array":
            assert e.type.elem is not None
            return ast.Cast(ty.pointer(e.type.elem), e.at, "decay", e)
        if isinstance(e, ast.Overloads):
            return self.function_value(e, None)
        if e.type.kind == "function":
            if isinstance(e, ast.Deref):
                return e.operand if not e.operand.lvalue else ast.Cast(e.operand.type.bare, e.at, "convert", e.operand)
            return ast.Cast(ty.pointer(e.type), e.at, "decay", e)
        return e

    def is_null_constant(self, e: ast.Expr) -> bool:
        return (isinstance(e, ast.Number) and e.value == 0 and e.type.kind == "int") or e.type.kind == "nullptr"

    # -- implicit conversions

    nest_user: bool = False
    """Looking for a constructor to convert with."""

    def rank(self, e: ast.Expr, target: Type) -> int | None:
        """How well `e` converts to `target` without a cast: EXACT ... USER, or None."""
        if target.kind == "reference":
            assert target.elem is not None
            return self._reference_rank(e, target)
        source = e.type.bare
        target = target.bare
        if target.kind == "error" or source.kind == "error":
            return self._list_rank(e, target)
        if isinstance(e, ast.Overloads):
            return self._overloads_rank(e, target)
        if source.kind == "function":
            source = ty.pointer(source)
        if source.kind == "array":
            assert source.elem is not None
            if target.kind == "array":
                return EXACT if ty.unqualified(source) is ty.unqualified(target) else None
            if isinstance(e, ast.Text) and target.kind == "pointer" and target.elem is source.elem.bare:
                return CONVERSION
            source = ty.pointer(source.elem)
        if source is target:
            return EXACT
        if target.kind == "record":
            return self._to_class_rank(e, source, target)
        if source.kind == "record":
            return self._from_class_rank(e, target)
        if target.kind in ("pointer", "nullptr", "member") and self.is_null_constant(e):
            return CONVERSION
        return _standard_rank(source, target)

    def _overloads_rank(self, e: ast.Overloads, target: Type) -> int | None:
        """A function's name, for a pointer to a function; whether there is one, for bool."""
        wanted = target.elem if target.kind in ("pointer", "member") else None
        if wanted is None or wanted.kind != "function":
            return CONVERSION if target.kind == "bool" else None
        return EXACT if any(f.type is wanted for f in self.functions_of(e, wanted)) else None

    def _to_class_rank(self, e: ast.Expr, source: Type, target: Type) -> int | None:
        if _as_dimensions(source, target):
            return None if self.nest_user else USER
        if source.kind == "record" and plain(source) and plain(target):
            return None
        if is_derived(source, target):
            return CONVERSION
        converts = self.converting_constructor(e, target) or self.converts_to_class(e, target)
        return USER if converts is not None else None

    def _from_class_rank(self, e: ast.Expr, target: Type) -> int | None:
        # One conversion by a constructor or a function in a sequence, no more.
        f = self.conversion_function(e, target) if not self.nest_user else None
        if f is None or f.type.elem is None:
            return None
        # [over.ics.rank]: of one function's result, what follows it decides.
        given = f.type.elem.elem if f.type.elem.kind == "reference" else f.type.elem
        after = self.rank(ast.Zero(given.bare, f.at), target) if given is not None and given.scalar else None
        return USER + min(after or EXACT, CONVERSION)

    def _list_rank(self, e: ast.Expr, target: Type) -> int | None:
        """[over.ics.list]: `{}` and `{x}` for a scalar are as good as no conversion, and as x; a list for a
        std::initializer_list as its worst element, but better than any other; other classes have a constructor."""
        from minicc.frontend.sema.initialise import BracedList, listed

        if not isinstance(e, BracedList):
            return None if target.scalar else CONVERSION
        if not target.scalar:
            element = listed(target)
            if element is None:
                return USER if self.makes_of_list(e, target) else None
            ranks = [self.rank(x, element) for _, x in e.items]
            return None if None in ranks else max((r for r in ranks if r is not None), default=EXACT) - LISTED
        if len(e.items) > 1:
            return None
        return self.rank(e.items[0][1], target) if e.items else EXACT

    def _reference_rank(self, e: ast.Expr, target: Type) -> int | None:
        referred = target.elem
        assert referred is not None
        if isinstance(e, ast.Overloads):
            if referred.kind == "function":
                return EXACT if any(f.type is referred for f in self.functions_of(e, referred)) else None
            return self.rank(e, referred.bare) if referred.const or target.rvalue else None
        same = ty.unqualified(e.type) is ty.unqualified(referred)
        derived = is_derived(e.type.bare, referred.bare)
        if e.lvalue and not target.rvalue and (same or derived):
            if is_xvalue(e) and not referred.const:
                return None
            missing = element_quals(e.type) & ~element_quals(referred)
            return None if missing else (EXACT if same else CONVERSION)
        if not (same or derived) and self.reference_conversion(e, target) is not None:
            return USER
        if target.rvalue:
            if e.lvalue and (same or derived) and not is_xvalue(e):
                return None
        elif not referred.const or referred.volatile:
            return None
        if (same or derived) and e.type.kind == "record" and element_quals(e.type) & ~element_quals(referred):
            return None
        if same:
            return EXACT
        if derived:
            return CONVERSION
        rank = self.rank(e, referred.bare)
        return rank

    def convert(
        self, e: ast.Expr, target: Type, context: str = "initializing", where: Token | Span | None = None
    ) -> ast.Expr:
        """Implicit conversion to a non-reference type, or an error in clang's words for `context`."""
        target = target.bare
        if isinstance(e, ast.Init) and e.type.kind == "error":
            return e
        if target.kind == "error" or e.type.kind == "error":
            return ast.Zero(ty.INT, e.at) if target.kind == "error" else ast.Zero(target, e.at)
        rank = self.rank(e, target)
        if rank is None:
            self._cannot_convert(e, target, context, where)
        if isinstance(e, ast.Overloads):
            e = self.function_value(e, target)
        elif e.type.kind == "function":
            e = self.decay(e)
        if e.type.kind == "array" and target.kind == "pointer":
            if isinstance(e, ast.Text) and target.elem is not None and not target.elem.quals:
                # As C had it; nvcc takes it, too.
                self.warn("2464-D", f'conversion from a string literal to "{target}" is deprecated', e.at)
            e = self.decay(e)
        if target.kind == "record":
            if rank == USER and not (e.type.kind == "record" and _as_dimensions(e.type.bare, target)):
                f = self.converts_to_class(e, target)
                if f is not None and self.converting_constructor(e, target) is None:
                    return self.convert(self.call_method(e, f, [], e.at), target)
                return self.construct(target, [e], e.at, implicit=True)
            if isinstance(e, ast.Name) and e.variable.storage == "host" and e.type.bare is target:
                # A constexpr object of the host has no place on the device, but a value.
                v = e.variable
                if (v.constexpr or v.constant) and v.init is not None and v.init.type.bare is target:
                    return v.init
            if e.type.bare is not target:
                # The base of an object, of one that may be moved from or not.
                self.check_base(e.type, target, e.at)
                whole = e if e.lvalue else ast.Temporary(e.type.bare, e.at, e, lvalue=True)
                kind = "move" if is_xvalue(whole) else "relabel"
                e = ast.Cast(ty.qualified(target, e.type.quals), e.at, kind, whole, lvalue=True)
            if e.lvalue and (target.record is None or not target.record.vector):
                copied = self.copied(e, target)
                if copied is not None:
                    return copied
            return e
        if e.type.kind == "record":
            f = self.conversion_function(e, target)
            assert f is not None
            return self.cast(self.call_method(e, f, [], e.at), target)
        if target.kind == "pointer" and e.type.kind == "pointer":
            self.check_base(e.type.elem, target.elem, e.at)
        return self.cast(e, target)

    def check_base(self, derived: Type | None, base: Type | None, at: Token) -> None:
        """A conversion from a class to a base that not everyone may know of."""
        if derived is None or base is None or derived.record is None or not is_derived(derived.bare, base.bare):
            return
        assert base.record is not None
        if parts_of(derived.record, base.record) > 1:
            self.fail(f"ambiguous conversion from derived class '{derived.bare}' to base class '{base.bare}'", at)
        access = closed_base(derived.record, base.record, self.scope, self.function)
        if access is not None:
            self.fail(
                f"cannot cast '{derived.bare}' to its {access} base class '{base.bare}'", at, code="frontend.access"
            )

    def _cannot_convert(self, e: ast.Expr, target: Type, context: str, where: Token | Span | None) -> None:
        source = e.type
        kind = "lvalue" if e.lvalue else "rvalue"
        if isinstance(e, ast.Overloads):
            self.fail("reference to overloaded function could not be resolved; did you mean to call it?", e.at)
        if context == "initializing":
            if target.kind == "record" and source.kind != "record":
                self.fail(f"no viable conversion from '{source}' to '{target}'", where or ast.start(e))
            message = f"cannot initialize a variable of type '{target}' with an {kind} of type '{source}'"
            if target.kind == "record" or source.kind == "record":
                message = f"no viable conversion from '{source}' to '{target}'"
        elif context == "assigning":
            message = f"assigning to '{target}' from incompatible type '{source}'"
            if target.kind == "record":
                message = "no viable overloaded '='"
        elif context == "returning":
            message = f"cannot initialize return object of type '{target}' with an {kind} of type '{source}'"
            if target.kind == "record" or source.kind == "record":
                message = (
                    f"no viable conversion from returned value of type '{source}' to function return type '{target}'"
                )
        elif context == "passing":
            message = f"cannot initialize a parameter of type '{target}' with an {kind} of type '{source}'"
        else:
            message = f"cannot convert '{source}' to '{target}'"
        self.fail(message, where or ast.start(e))

    def bind(self, e: ast.Expr, target: Type, context: str = "initializing") -> ast.Expr:
        """What a reference of type `target` refers to: an lvalue expression."""
        referred = target.elem
        assert referred is not None
        rank = self._reference_rank(e, target)
        if rank is None:
            same = ty.unqualified(e.type) is ty.unqualified(referred)
            if e.lvalue and same and not target.rvalue:
                self.fail(
                    f"binding reference of type '{referred}' to value of type '{e.type}' drops 'const' qualifier", e.at
                )
            if target.rvalue and e.lvalue and same:
                self.fail(f"rvalue reference to type '{referred}' cannot bind to lvalue of type '{e.type}'", e.at)
            if not referred.const and not target.rvalue:
                if e.lvalue:
                    self.fail(
                        f"non-const lvalue reference to type '{referred}' cannot bind to a value of unrelated type '{e.type}'",  # noqa: E501
                        e.at,
                    )
                self.fail(
                    f"non-const lvalue reference to type '{referred}' cannot bind to a temporary of type '{e.type}'",
                    e.at,
                )
            self.fail(
                f"reference to type '{referred}' could not bind to an {'lvalue' if e.lvalue else 'rvalue'} of type '{e.type}'",  # noqa: E501
                e.at,
            )
        same = ty.unqualified(e.type) is ty.unqualified(referred)
        if isinstance(e, ast.Overloads) and referred.kind == "function":
            pointer = self.function_value(e, ty.pointer(referred))
            return ast.Deref(referred, e.at, pointer, lvalue=True)
        member = bit_field(e)
        if member is not None:
            if not referred.const:
                self.fail(f"non-const reference cannot bind to bit-field '{member.field.name}'", e.at)
        elif e.lvalue and (same or is_derived(e.type.bare, referred.bare)):
            if e.type is referred:
                return e
            if not same:
                self.check_base(e.type, referred, e.at)
            return ast.Cast(referred, e.at, "relabel", e, lvalue=True)
        if not same and is_derived(e.type.bare, referred.bare):
            # The base of the whole object, not a copy of the base.
            self.check_base(e.type, referred, e.at)
            whole = ast.Temporary(ty.qualified(e.type.bare, referred.quals), e.at, e, lvalue=True)
            return ast.Cast(referred, e.at, "relabel", whole, lvalue=True)
        f = None if same else self.reference_conversion(e, target)
        if f is not None:
            return self.bind(self.call_method(e, f, [], e.at), target, context)
        value = self.convert(e, referred.bare, context)
        return ast.Temporary(referred, e.at, value, lvalue=True)

    def condition(self, e: ast.Expr) -> ast.Expr:
        """Contextual conversion to bool."""
        e = self.decay(e)
        if e.type.kind == "record":
            f = self.conversion_function(e, ty.BOOL, explicit=True)
            if f is not None:
                return self.cast(self.call_method(e, f, [], e.at), ty.BOOL)
        if e.type.kind == "member":
            return ast.Binary(ty.BOOL, e.at, "!=", e, self.cast(self.number(0, ty.NULLPTR, e.at), e.type))
        if not e.type.scalar or (e.type.kind == "enum" and e.type.scoped):
            self.fail(f"value of type '{e.type}' is not contextually convertible to 'bool'", ast.start(e))
        return self.cast(e, ty.BOOL)

    # -- explicit casts

    def _check_const_cast(self, e: ast.Expr, target: Type, at: Token) -> None:
        """[expr.const.cast]: between pointers or references that differ in qualifiers alone."""
        to_reference = target.kind == "reference" and target.elem is not None
        if not (to_reference or target.kind in ("pointer", "member")):
            kinds = "which is not a reference, pointer-to-object, or pointer-to-data-member"
            self.fail(f"const_cast to '{target}', {kinds}", at)
        source = e.type if to_reference else self.decay(e).type
        if _plain((target.elem or target) if to_reference else target) is not _plain(source):
            self.fail(f"const_cast from '{e.type}' to '{target}' is not allowed", at)

    def explicit_cast(self, e: ast.Expr, target: Type, at: Token, style: str = "C-style cast") -> ast.Expr:
        """(T)e, static_cast, reinterpret_cast, const_cast: `style` names which."""
        if style == "const_cast" and not self.pattern:
            self._check_const_cast(e, target, at)
        if target.kind == "reference":
            assert target.elem is not None
            if not e.lvalue and not target.elem.const and not target.rvalue:
                self.fail(f"{style} from rvalue to reference type '{target}'", at)
            if not e.lvalue:
                e = ast.Temporary(e.type, at, e, lvalue=True)
            return ast.Cast(target.elem, at, "move" if target.rvalue else "relabel", e, lvalue=True)
        if target.kind == "void":
            return ast.Cast(ty.VOID, at, "void", self.decay(e) if isinstance(e, ast.Overloads) else e)
        bare = target.bare
        if style in ("C-style cast", "static_cast"):
            if bare.kind == "record" or e.type.kind == "record":
                return self._cast_of_class(e, bare, at, style)
            if isinstance(e, ast.Overloads):
                e = self.function_value(e, bare)
        e = self.decay(e)
        source = e.type.bare
        if not self._castable(e, target, at, style):
            if bare.kind in ("array", "function") or source.kind == "void" or not bare.scalar:
                self.fail(f"cannot convert '{e.type}' to '{target}' without a conversion operator", at)
            self.fail(f"{style} from '{e.type}' to '{target}' is not allowed", at)
        if e.type.bare is bare and e.lvalue:
            # The result is a value: reading it here keeps (int)x = 1 an error.
            return ast.Cast(bare, at, "convert", e)
        return self.cast(e, bare)

    def _cast_of_class(self, e: ast.Expr, bare: Type, at: Token, style: str) -> ast.Expr:
        """To a class or from one, by a constructor or a conversion function, explicit ones too."""
        if bare.kind == "record" and e.type.bare is not bare and (self.rank(e, bare) or USER) >= USER:
            return self.construct(bare, [e], at)
        f = self.conversion_function(e, bare, explicit=True) if bare.kind != "record" else None
        if f is not None:
            return self.cast(self.call_method(e, f, [], at), bare)
        return prvalue(self.convert(e, bare, style), at)

    def _castable(self, e: ast.Expr, target: Type, at: Token, style: str) -> bool:
        """Whether a cast of the `style` takes `e`, of a scalar type, to `target`."""
        source, bare = e.type.bare, target.bare
        integral = ("int", "bool", "enum")
        if source.kind in (*integral, "float") and bare.kind in (*integral, "float"):
            return style != "reinterpret_cast" or source is bare
        if bare.kind == source.kind == "pointer":
            assert source.elem is not None and bare.elem is not None
            strict = style == "reinterpret_cast" or (style == "static_cast" and source.elem.kind == "void")
            if strict and source.elem.const and not bare.elem.const:
                self.fail(f"{style} from '{e.type}' to '{target}' casts away qualifiers", at)
            if style != "static_cast":
                return True
            self.check_base(source.elem, bare.elem, at)
            down = source.elem.kind == "void" or is_derived(bare.elem.bare, source.elem.bare)
            return down or self.rank(e, bare) is not None
        if bare.kind == "pointer" and source.kind in (*integral, "nullptr"):
            return style != "static_cast" or self.is_null_constant(e)
        if source.kind in ("pointer", "nullptr") and bare.kind in integral:
            if bare.kind != "bool" and bare.size < 8:
                self.fail(f"cast from pointer to smaller type '{bare}' loses information", at)
            return style != "static_cast" or bare.kind == "bool"
        return bare is source or (bare.kind == "member" and (_of_base(source, bare) or _of_base(bare, source)))
