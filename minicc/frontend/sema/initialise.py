"""Initialisers: from `= e`, `(args)` and `{...}` to values laid over a type."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema import arithmetic, constant
from minicc.frontend.sema.calls import Calls
from minicc.frontend.sema.candidates import default_count
from minicc.frontend.sema.convert import is_derived
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Type

MAX_PARTS = 1 << 16


class Designator(str):
    """The name at `at`, behind a dot."""

    at: Token

    def __new__(cls, name: str, at: Token) -> Designator:
        made = super().__new__(cls, name)
        made.at = at
        return made


class Subscript(Designator):
    """`[place] =`, of an array."""

    place: int


class BracedList(ast.Init):
    """A braced list as written, before its type is known: (designator or None, expression or nested list)."""

    __slots__ = ("items",)

    def __init__(self, at: Token, items: list[tuple[Designator | None, ast.Expr]]) -> None:
        super().__init__(ty.ERROR, at, [])
        self.items = items


def _unnamed_with(field: Field, name: str) -> bool:
    """An unnamed union or class that has a member of that name."""
    record = field.type.record if not field.name else None
    return record is not None and (record.find(name) or record.find_unnamed(name)) is not None


class _Stream:
    def __init__(self, items: list[tuple[Designator | None, ast.Expr]]) -> None:
        self.items = items
        self.i = 0

    @property
    def more(self) -> bool:
        return self.i < len(self.items)


class Initialisers(Calls):
    def braced(self, e: ast.Init, target: Type) -> ast.Expr:
        """A braced list as a value of `target`."""
        if e.type.record is not None and target.bare is not e.type.bare:
            return self.convert(e, target, "passing")
        if not isinstance(e, BracedList):
            return e
        target = target.bare
        if target.kind == "record":
            record = target.record
            assert record is not None
            self.require_complete(target, e.at)
            if listed(target) is not None:
                return self._whole_list(e, target)
            if e.items and any(self._takes_list(c, e) for c in record.constructors):
                return self.construct(target, [e], e.at)
            if record.constructors or record.name == "dim3" or (record.inherit_from and e.items):
                if not e.items and not record.constructors and record.name != "dim3":
                    return ast.Zero(target, e.at)
                return self.construct(target, [self._plain(x) for _, x in e.items], e.at)
            if len(e.items) == 1 and e.items[0][0] is None:
                only = e.items[0][1]
                if not isinstance(only, BracedList) and (
                    only.type.bare is target or is_derived(only.type.bare, target)
                ):
                    return self.convert(only, target)
        if target.aggregate:
            own = target.record.fields[target.record.inherited :] if target.record is not None and e.items else []
            if any(f.name in target.record.hidden for f in own if target.record is not None):
                self.fail(f"no matching constructor for initialization of '{target}'", e.at, code="frontend.no-match")
            if (
                target.kind == "array"
                and len(e.items) == 1
                and isinstance(e.items[0][1], ast.Text)
                and _takes_text(target, e.items[0][1])
            ):
                return self.text_array(e.items[0][1], target)
            parts: list[tuple[int, Field | None, ast.Expr]] = []
            stream = _Stream(e.items)
            self._fill(target, 0, stream, parts, e.at, braced=True)
            if stream.more:
                late = stream.items[stream.i][0]
                if late is not None:
                    self.fail("ISO C++ requires field designators to be specified in declaration order", late.at)
                kind = (
                    "array"
                    if target.kind == "array"
                    else "struct"
                    if target.record and target.record.tag != "union"
                    else "union"
                )
                self.fail(f"excess elements in {kind} initializer", stream.items[stream.i][1].at)
            return ast.Init(target, e.at, parts)
        if not e.items:
            return ast.Zero(target, e.at)
        if len(e.items) > 1:
            self.fail("excess elements in scalar initializer", e.items[1][1].at)
        inner = e.items[0][1]
        if isinstance(inner, ast.Init):
            return self.braced(inner, target)
        if target.kind == "bool" and inner.type.kind == "nullptr":
            return self.cast(inner, target)
        if target.kind == "enum" and target.scoped and target.elem is not None and inner.type.integral:
            # [dcl.init.list]: of a fixed underlying type, whose values are the enumeration's.
            self._check_narrowing(inner, target.elem)
            return self.cast(inner, target)
        self._check_narrowing(inner, target)
        return self.convert(inner, target)

    def bind_list(self, e: ast.Expr, target: Type) -> ast.Expr:
        """What a reference refers to that is initialised by `e`: by a list, what its one element is if the types are
        related, or else a value made of it ([dcl.init.list])."""
        if isinstance(e, BracedList):
            assert target.elem is not None
            only = e.items[0][1] if len(e.items) == 1 and e.items[0][0] is None else None
            if only is None or isinstance(only, ast.Init):
                return self.bind(self.temporary(e, target.elem.bare), target)
            t = only.type.bare
            related = t is target.elem.bare or is_derived(t, target.elem.bare)
            e = only if related else self.temporary(e, target.elem.bare)
        return self.bind(e, target)

    def _whole_list(self, e: BracedList, target: Type) -> ast.Expr:
        """A std::initializer_list: the address of a temporary array, and its length."""
        element = listed(target)
        assert element is not None and target.record is not None
        if not e.items:
            return ast.Zero(target, e.at)
        values = ty.array(ty.qualified(element, ty.CONST), len(e.items))
        first = self.decay(ast.Temporary(values, e.at, self.braced(e, values), lvalue=True))
        at, size = target.record.fields
        return ast.Init(
            target, e.at, [(at.offset, None, first), (size.offset, None, self.number(len(e.items), size.type, e.at))]
        )

    def aggregate(self, t: Type, args: list[ast.Expr], at: Token) -> ast.Expr:
        """`T(a, b)`, where no constructor is declared: as `T{a, b}`, since C++20."""
        return self.braced(BracedList(at, [(None, a) for a in args]), t)

    def list_type(self, e: ast.Expr) -> Type | None:
        """The std::initializer_list that a braced list means whose elements are of one type ([temp.deduct.call])."""
        kinds = {self.decay(x).type.bare for _, x in e.items} if isinstance(e, BracedList) else set()
        template = self.standard("initializer_list")
        if len(kinds) != 1 or not isinstance(template, ast.ClassTemplate):
            return None
        made = self.class_instance(template, [*kinds], e.at)
        return made if isinstance(made, Type) else None

    def makes_of_list(self, e: ast.Expr, t: Type) -> bool:
        """A class with constructors has one that the elements of a list can call, or all of it; one of numbers alone
        has as many."""
        record = t.record
        if record is None or not isinstance(e, BracedList) or not e.items or record.inherit_from:
            return True
        args = [x for _, x in e.items]
        constructors: list[object] = list(record.constructors)
        if not constructors:
            return len(args) <= len(record.fields) or not all(f.type.scalar for f in record.fields)
        first = args[0].type.bare
        if len(args) == 1 and (isinstance(args[0], BracedList) or first is t.bare or is_derived(first, t.bare)):
            return True
        return any(self._takes_list(c, e) for c in constructors) or bool(self.viable(constructors, args, None))

    def _takes_list(self, c: object, e: BracedList) -> bool:
        """[over.match.list]: a constructor that takes all of the braces' contents as one list."""
        if not isinstance(c, ast.Function) or not c.params or len(c.params) - default_count(c) > 1:
            return False
        first = c.type.params[0]
        element = listed(first.elem if first.kind == "reference" and first.elem is not None else first)
        return element is not None and all(self.rank(x, element) is not None for _, x in e.items)

    def _plain(self, e: ast.Expr) -> ast.Expr:
        return e

    exact: int = 0
    """Above zero within lists that make no variable's value."""

    def temporary(self, e: ast.Init, target: Type) -> ast.Expr:
        """As `braced`, for an argument, an assigned value or a scalar's copy."""
        self.exact += 1
        try:
            return self.braced(e, target)
        finally:
            self.exact -= 1

    def _check_narrowing(self, e: ast.Expr, target: Type) -> None:
        """[dcl.init.list]: nvcc warns where the list is a variable's value, unless an overload depends on it."""
        source = e.type.bare
        if not source.arithmetic or not target.arithmetic or source is target:
            return
        value = constant.evaluate(e)
        narrow = False
        if source.kind == "float" and target.integral:
            narrow = True
        elif source.kind == "float" and target.kind == "float":
            narrow = target.rank < source.rank and value is None
        elif source.integral and target.kind == "float":
            narrow = value is None or (isinstance(value, int) and int(float(arithmetic.wrap(value, target))) != value)
        elif target.kind == "bool":
            narrow = value is None or value not in (0, 1)
        elif source.integral and target.integral:
            low, high = arithmetic.limits(target)
            if value is not None:
                narrow = not low <= value <= high
            else:
                source_low, source_high = (0, 1) if source.kind == "bool" else arithmetic.limits(source)
                narrow = not (low <= source_low and source_high <= high)
        if not narrow:
            return
        if value is None:
            what = f"non-constant-expression cannot be narrowed from type '{source}' to '{target}' in initializer list"
        elif source.kind == "float":
            what = f"type '{source}' cannot be narrowed to '{target}' in initializer list"
        else:
            what = f"constant expression evaluates to {value} which cannot be narrowed to type '{target}'"
        if self.quiet or self.exact:
            self.fail(what, e.at, code="frontend.narrowing")
        self.warn("2361-D", what, e.at)

    def _fill(
        self,
        t: Type,
        offset: int,
        stream: _Stream,
        parts: list[tuple[int, Field | None, ast.Expr]],
        at: Token,
        braced: bool,
    ) -> None:
        """Lay items of `stream` over an aggregate at `offset`, descending without braces where they are left out."""
        if len(parts) > MAX_PARTS:
            self.fail("initializer is too large", at)
        if t.kind == "array":
            assert t.elem is not None
            count = t.count if t.count >= 0 else MAX_PARTS
            i, filled = 0, set()
            while stream.more:
                designator = stream.items[stream.i][0]
                if designator is not None and braced:
                    i = self._index(designator, t)
                elif designator is not None or i >= count:
                    break
                self._element(t.elem, None, offset + i * t.elem.size, stream, parts, at)
                filled.add(i)
                i += 1
            if len(filled) < count and self._needs_construction(t.elem):
                for k in range(count):
                    if k not in filled:
                        self._default_element(t.elem, offset + k * t.elem.size, parts, at)
            return
        record = t.record
        assert record is not None
        fields = record.fields
        for base, at_ in record.bases:
            if stream.more and stream.items[stream.i][0] is None:
                self._element(base, None, offset + at_, stream, parts, at)
            elif self._needs_construction(base):
                parts.append((offset + at_, None, self.default_value(base, at)))
        k = record.inherited
        given: dict[int, list[tuple[int, Field | None, ast.Expr]]] = {}
        while k < len(fields):
            if not stream.more:
                break
            designator = stream.items[stream.i][0]
            if isinstance(designator, Subscript) and braced:
                self.fail(f"array designator cannot initialize non-array type '{t}'", designator.at)
            if designator is not None and braced:
                named = [n for n, f in enumerate(fields) if f.name == designator or _unnamed_with(f, designator)]
                if not named:
                    self.fail(
                        f"field designator '{designator}' does not refer to any field in type '{t}'",
                        designator.at,
                    )
                k = named[0]
                if k - record.inherited in given and fields[k].name == designator:
                    self.fail(f"duplicate designator '.{designator}'", designator.at)
            elif designator is not None:
                break
            field = fields[k]
            own = parts if k < record.inherited else given.setdefault(k - record.inherited, [])
            if designator is not None and field.name != designator:
                inner = _Stream([i for i in stream.items[stream.i :] if i[0] and _unnamed_with(field, i[0])])
                self._fill(field.type, offset + field.offset, inner, own, at, braced=True)
                stream.i += inner.i
            else:
                self._element(field.type, field, offset + field.offset, stream, own, at)
            k += 1
            if record.tag == "union":
                break
        if record.tag == "union":
            if not given:  # [dcl.init.aggr]: the member with an initialiser, or the first
                chosen = [field for field in fields if field.default is not None] or fields
                self._default_members_of(t, offset, chosen[:1], parts, at)
            for own in given.values():
                parts += own
            return
        self._default_members_of(t, offset, fields[record.inherited :], parts, at, given)

    def _index(self, designator: Designator, t: Type) -> int:
        """The element of the array `t` that is meant."""
        if not isinstance(designator, Subscript):
            self.fail(f"field designator cannot initialize a non-struct, non-union type '{t}'", designator.at)
        if t.count >= 0 and designator.place >= t.count:
            what = f"array designator index ({designator.place}) exceeds array bounds ({t.count})"
            self.fail(what, designator.at)
        return designator.place

    def inherited_construction(self, t: Type, base: Type, args: list[ast.Expr], at: Token) -> ast.Expr:
        """An object of `t` by a constructor that it has from `base`; what else it consists of is as by default."""
        assert t.record is not None
        parts: list[tuple[int, Field | None, ast.Expr]] = []
        for b, offset in t.record.bases:
            if b.bare is base.bare:
                parts.append((offset, None, self.construct(base, args, at)))
            elif self._needs_construction(b):
                parts.append((offset, None, self.default_value(b, at)))
        self._default_members_of(t, 0, t.record.fields[t.record.inherited :], parts, at)
        return ast.Init(t, at, parts)

    made: ast.Variable | None = None
    """A reference to the object, made without a constructor, whose members' own initialisers are being read."""

    def _default_members_of(
        self,
        t: Type,
        offset: int,
        fields: list[Field],
        parts: list[tuple[int, Field | None, ast.Expr]],
        at: Token,
        given: dict[int, list[tuple[int, Field | None, ast.Expr]]] | None = None,
    ) -> None:
        """What these members of the object of class `t` at `offset` are by default, between those that are `given`, by
        their place: initialisers run in the order of the members."""
        made = ast.Variable("", ty.reference(t), at, "reference")
        start = len(parts)
        outer, self.made = self.made, made
        try:
            for k, field in enumerate(fields):
                if given and k in given:
                    parts += given[k]
                elif (default := self.default_member(field, at)) is not None:
                    parts.append((offset + field.offset, field if field.bit_width else None, default))
                elif self._needs_construction(field.type):
                    self._default_element(field.type, offset + field.offset, parts, at)
        finally:
            self.made = outer
        if made.used:
            parts.insert(start, (offset, None, ast.Here(ty.VOID, at, made)))

    def _needs_construction(self, t: Type) -> bool:
        while t.kind == "array":
            assert t.elem is not None
            t = t.elem
        record = t.record
        return (
            record is not None
            and not record.vector
            and (
                (bool(record.constructors) and not record.has_default)
                or any(
                    f.default is not None or self._needs_construction(f.type) for f in record.fields[record.inherited :]
                )
                or any(self._needs_construction(base) for base, _ in record.bases)
            )
        )

    def _default_element(
        self, t: Type, offset: int, parts: list[tuple[int, Field | None, ast.Expr]], at: Token
    ) -> None:
        if t.kind == "array":
            assert t.elem is not None
            for i in range(max(0, t.count)):
                self._default_element(t.elem, offset + i * t.elem.size, parts, at)
            return
        parts.append((offset, None, self.default_value(t, at)))

    def default_value(self, t: Type, at: Token) -> ast.Expr:
        """T() or T{}."""
        if t.record is not None and t.record.constructors:
            return self.construct(t, [], at)
        return self.value_initialised(t, at)

    def value_initialised(self, t: Type, at: Token) -> ast.Expr:
        """T() of a class without a default constructor of its own."""
        if self._needs_construction(t):
            parts: list[tuple[int, Field | None, ast.Expr]] = []
            if t.kind == "array":
                self._default_element(t, 0, parts, at)
            else:
                self._fill(t, 0, _Stream([]), parts, at, braced=True)
            return ast.Init(t.bare, at, parts)
        return ast.Zero(t.bare, at)

    def _element(
        self,
        t: Type,
        field: Field | None,
        offset: int,
        stream: _Stream,
        parts: list[tuple[int, Field | None, ast.Expr]],
        at: Token,
    ) -> None:
        item = stream.items[stream.i][1]
        bit_field = field if field is not None and field.bit_width else None
        if t.kind == "reference":
            stream.i += 1
            bound = self.bind_list(item, t)
            parts.append((offset, None, self.address_of(bound, at)))
            return
        if isinstance(item, ast.Init) and isinstance(item, BracedList):
            stream.i += 1
            parts.append((offset, bit_field, self.braced(item, t)))
            return
        if t.aggregate:
            if isinstance(item, ast.Text) and _takes_text(t, item):
                stream.i += 1
                parts.append((offset, None, self.text_array(item, t)))
                return
            if t.kind == "record" and (item.type.bare is t.bare or (t.record is not None and t.record.constructors)):
                stream.i += 1
                parts.append((offset, None, self.convert(item, t)))
                return
            if t.kind == "record" and item.type.kind == "record" and self.rank(item, t) is not None:
                stream.i += 1
                parts.append((offset, None, self.convert(item, t)))
                return
            self._fill(t, offset, stream, parts, at, braced=False)
            return
        stream.i += 1
        self._check_narrowing(item, t.bare)
        parts.append((offset, bit_field, self.convert(item, t)))

    def text_array(self, text: ast.Text, target: Type) -> ast.Expr:
        if target.count >= 0 and text.type.count > target.count:
            self.fail("initializer-string for char array is too long", text.at)
        count = target.count if target.count >= 0 else text.type.count
        return ast.Text(ty.array(target.elem or ty.CHAR, count), text.at, text.data)

    def initialise(self, t: Type, e: ast.Expr, at: Token) -> ast.Expr:
        """The value of a variable of type `t` (not a reference) initialised with `= e`."""
        if t.kind == "array":
            if isinstance(e, BracedList):
                if t.count < 0:
                    t = ty.array(t.elem or ty.INT, self._count(t, e))
                return self.braced(e, t)
            if isinstance(e, ast.Text) and _takes_text(t, e):
                return self.text_array(e, t)
            if isinstance(e, ast.Text) and _is_char_array(t):
                self.fail("initializing char array with wide string literal", at)
            if isinstance(e, ast.Text):
                self.fail("initializing wide char array with non-wide string literal", at)
            self.fail(
                "array initializer must be an initializer list" + (" or string literal" if _is_char_array(t) else ""),
                at,
            )
        if isinstance(e, BracedList):
            return self.braced(e, t)
        return self.convert(e, t, "initializing", at)

    def _count(self, t: Type, e: BracedList) -> int:
        """Elements that an array of unknown bound gets from a list."""
        assert t.elem is not None
        if len(e.items) == 1 and isinstance(e.items[0][1], ast.Text) and _takes_text(t, e.items[0][1]):
            return e.items[0][1].type.count
        indices = [self._index(d, t) for d, _ in e.items if d is not None]
        if indices:
            return 1 + max(indices)
        if not t.elem.aggregate:
            return len(e.items)
        stream = _Stream(e.items)
        count = 0
        while stream.more:
            self._element(t.elem, None, 0, stream, [], e.at)
            count += 1
        return count


def listed(t: Type) -> Type | None:
    """The element type of a std::initializer_list."""
    record = t.record
    if record is None or record.template_name != "initializer_list":
        return None
    element = record.template_args[0]
    return element.bare if isinstance(element, Type) else None


def _is_char_array(t: Type) -> bool:
    return t.kind == "array" and t.elem is not None and t.elem.bare in (ty.CHAR, ty.SCHAR, ty.UCHAR)


def _takes_text(t: Type, text: ast.Text) -> bool:
    """The literal initialises the array `t` (nvcc's front end lets UTF-8 initialise arrays of char8_t and of char)."""
    unit = text.type.elem.bare if text.type.elem is not None else ty.CHAR
    if unit in (ty.CHAR, ty.CHAR8) and _is_char_array(t):
        return True
    return t.kind == "array" and t.elem is not None and t.elem.bare is unit
