"""C++ types as the device sees them (LP64), interned so that equal types are the same object.

`const` and `volatile` versions of a type are variants of it: `t.bare` is the unqualified one, `qualified(t, CONST)`
makes one. Records know their fields' offsets; in LLVM IR a record is bytes (`[n x i8]`), addressed by offset, so that
unions, over-aligned members and bit-fields need nothing special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minicc.frontend.entities import Function, FunctionTemplate, Scope
    from minicc.frontend.tokens import Token

CONST, VOLATILE = 1, 2
ON_LVALUE, ON_RVALUE = 4, 8
"""Among the qualifiers of a member function: `&` and `&&`, the objects that it is for."""


class Type:
    """One type. Which of the later fields mean something depends on `kind`."""

    def __init__(
        self,
        kind: str,
        name: str,
        size: int = 0,
        align: int = 1,
        signed: bool = False,
        rank: int = 0,
        code: str = "",
        llvm: str = "",
        elem: Type | None = None,
        count: int = 0,
        params: tuple[Type, ...] = (),
        variadic: bool = False,
        rvalue: bool = False,
        record: Record | None = None,
        scoped: bool = False,
        quals: int = 0,
        template: object = None,
        plain: Type | None = None,
    ) -> None:
        self.kind = kind
        """void bool int float nullptr pointer reference array record enum function member error (a `member` is a
        pointer to one: `params` holds its class, `count` the qualifiers of a member function's object); in patterns of
        templates also param (a type parameter), spec (a class template with arguments that depend on parameters),
        opaque (what cannot be deduced from), pack (`elem...`) and value (a constant argument: the parameter `name`)."""
        self.name = name
        """C spelling of void, arithmetic types, records, enums and template parameters."""
        self.size, self.align, self.signed = size, align, signed
        self.rank = rank
        """Integer conversion rank, or for floats 1 = float, 2 = double."""
        self.code = code
        """Itanium mangling of a builtin type."""
        self.llvm = llvm
        """How it lies in memory."""
        self.elem = elem
        """Pointee, referred type, array element, underlying type of an enum, return type of a function."""
        self.count = count
        """Elements of an array; -1: not known."""
        self.params, self.variadic = params, variadic
        self.rvalue = rvalue
        """This reference is &&."""
        self.record = record
        self.scoped = scoped
        """enum class."""
        self.quals = quals
        self.template = template
        """Of a spec: the class template, or the name of a template parameter; of an enum: its scope; of auto: the
        class template whose arguments the initialiser decides; of an unnamed value: the type it would be."""
        self.plain = plain
        self.cache: dict[object, Type] = {}

    @property
    def bare(self) -> Type:
        return self.plain or self

    @property
    def const(self) -> bool:
        return bool(self.quals & CONST) if self.kind != "array" else bool(self.elem and self.elem.const)

    @property
    def volatile(self) -> bool:
        return bool(self.quals & VOLATILE)

    @property
    def integral(self) -> bool:
        """Integers, characters and bool."""
        return self.kind in ("int", "bool")

    @property
    def arithmetic(self) -> bool:
        return self.kind in ("int", "float", "bool")

    @property
    def scalar(self) -> bool:
        return self.kind in ("int", "float", "bool", "pointer", "enum", "nullptr", "member")

    @property
    def truth(self) -> bool:
        """bool, or an enumeration of that type: a register holds one bit of it, memory a byte."""
        return self.kind == "bool" or (self.kind == "enum" and self.elem is BOOL)

    @property
    def aggregate(self) -> bool:
        return self.kind in ("record", "array")

    @property
    def step(self) -> str:
        """What an element of an array lies in: a long double is a double and padding."""
        return self.llvm if self.kind != "float" or self.size <= 8 else f"[{self.size} x i8]"

    @property
    def bits(self) -> int:
        return self.size * 8

    def __str__(self) -> str:
        return spell(self)

    __repr__ = __str__


class Field:
    """A member of a class at `offset`; `mutable` ones of a constant object may be changed."""

    def __init__(
        self,
        name: str,
        type: Type,
        offset: int,
        bit_offset: int = 0,
        bit_width: int = 0,
        default: tuple[list[Token], Scope] | None = None,
        mutable: bool = False,
        unit: int = 0,
    ) -> None:
        self.name, self.type, self.offset, self.bit_offset = name, type, offset, bit_offset
        self.bit_width = bit_width
        """0: an ordinary member."""
        self.default = default
        """Tokens of a default member initialiser (re-read for each use)."""
        self.mutable = mutable
        self.unit = unit
        """Bytes to read and write for a bit-field of a packed class: beyond them is another object; 0: its type's."""

    def moved(self, by: int) -> Field:
        """The same member of what its class lies in, `by` bytes from its start."""
        bits, at = (self.bit_offset, self.bit_width), self.offset + by
        return Field(self.name, self.type, at, *bits, self.default, self.mutable, self.unit)


class Slot:
    """An entry of a virtual table: `key` is what an overrider has in common with it; no function: a destructor, which
    `frees` its object's memory too in the second of its two slots. Callers expect a pointer or reference to a `result`,
    if that is a class."""

    def __init__(
        self, key: tuple[object, ...], function: Function | None, frees: bool = False, result: Type | None = None
    ) -> None:
        self.key, self.function, self.frees, self.result = key, function, frees, result


VTABLE_POINTER = " vtable"
"""Name of the field that points to a virtual table; no program can say it."""


class Record:
    """`tag` is struct, class or union. `scope` holds its member functions, types and static members."""

    def __init__(self, tag: str, name: str, vector: bool = False, closure: bool = False) -> None:
        self.tag, self.name = tag, name
        self.vector = vector
        """A built-in vector type: float4, uint3 ..."""
        self.closure = closure
        """The class of a lambda: fields are its captures."""
        self.fields: list[Field] = []
        self.complete = False
        self.plain: bool | None = None
        """What `sema.convert.plain` has found."""
        self.ends: list[tuple[int, Function]] | None = None
        """What `destructors` has found."""
        self.scope: Scope | None = None
        self.constructors: list[Function | FunctionTemplate] = []
        self.has_default = False
        """A defaulted default constructor stands beside others."""
        self.template_name = ""
        self.template_args: tuple[object, ...] = ()
        self.template: object = None
        """The class template that this is an instance of."""
        self.bases: list[tuple[Type, int]] = []
        """Base classes and where they lie."""
        self.owner: object = None
        """The function in which it is declared, if in one."""
        self.number = 0
        """How many classes of that name, or lambdas with such parameters, its function has before it."""
        self.inherit_from: list[Type] = []
        """Base classes whose constructors are this class's too."""
        self.destructor: Function | None = None
        self.data_size = 0
        """Bytes that are its own: a derived class's members may lie behind them."""
        self.plain_data = True
        """A "POD": all of it is its own, padding at the end too."""
        self.empties: tuple[tuple[int, Type], ...] = ()
        """Where in it which empty classes lie."""
        self.provided = False
        """Its destructor or an assignment is the program's."""
        self.copied_alone = False
        """A copy or move constructor is declared as defaulted: without another one, nothing makes an object anew."""
        self.special: set[str] = set()
        """Which special functions are declared, in any way: "copy" and "move" (constructors), "copy=" and "move="."""
        self.closed_data = False
        """A member is private or protected."""
        self.inherited = 0
        """How many of the fields come from base classes: the first ones."""
        self.final = False
        self.virtuals: list[Function] = []
        """Virtual functions declared here, in order, the destructor among them."""
        self.tables: list[tuple[int, list[Slot]]] = []
        """Virtual tables: where in an object the pointer to each lies, and what it lists. The first is the class's
        own."""
        self.hidden: dict[str, str] = {}
        """Names declared here that are private or protected, or that a using-declaration brings (`sema/access.py`)."""
        self.closed_bases: dict[Type, str] = {}
        """Base classes that are private or protected."""
        self.dependent_bases: set[Type] = set()
        """Base classes that a template's parameters name: only qualified names are looked up there ([temp.dep])."""
        self.closed: list[tuple[Function | FunctionTemplate, str]] = []
        """Constructors that are private or protected."""
        self.friends: set[str] = set()
        """The words of the friend declarations: the friends' names are among them."""
        self.depth = 0
        """Of instances that asked for each other, down to this."""
        self.specialisation: object = None
        """The partial specialisation that an instance was made of (an `entities.Partial`)."""
        self.lacking: tuple[str, Any] | None = None
        """Of the host's classes: the error of the first base or member that could not be read, and its place."""
        self.reader: Callable[[], bool] | None = None
        """Of an unread class: reads it; False while there is nothing to read."""
        self.forget(0)

    def forget(self, kept: int) -> None:
        """Only the first `kept` fields stay."""
        del self.fields[kept:]
        self._indexed = 0, 0
        self._named: dict[str, Field] = {}
        self._own: set[str] = set()
        self._unnamed: list[Field] = []

    @property
    def moves_only(self) -> bool:
        """What moves is declared, and so there is no copy constructor where none is declared ([class.copy.ctor])."""
        return "copy" not in self.special and bool(self.special & {"move", "move="})

    def declares(self, name: str) -> bool:
        """Whether a field called `name` is its own, not a base's."""
        self._index()
        return name in self._own

    def find(self, name: str) -> Field | None:
        """The member called `name`: the class's own goes before one that it inherits, and its functions hide those."""
        field = self._index()[0].get(name)
        return None if field is not None and self.inherited and self._hides(name) else field

    def _index(self) -> tuple[dict[str, Field], list[Field]]:
        """The fields that each name means, if no function hides it, and those without one; what has come since it was
        last asked for is added."""
        count, inherited = self._indexed
        if count != len(self.fields):
            if inherited != self.inherited:
                count, self._named, self._own, self._unnamed = 0, {}, set(), []
            for n, field in enumerate(self.fields[count:], count):
                if n >= self.inherited:
                    self._own.add(field.name)
                if self.inherited or field.name not in self._named:
                    self._named[field.name] = field
                if not field.name and field.type.record is not None:
                    self._unnamed.append(field)
            self._indexed = len(self.fields), self.inherited
        return self._named, self._unnamed

    def _hides(self, name: str) -> bool:
        """A base's field is not what `name` means: a function, say, of this class or of that base is."""
        if self.declares(name):
            return False
        if self.scope is not None and name in self.scope.names:
            return True
        found = (t.record for t, _ in self.bases if t.record is not None)
        return any(r.find(name) is None for r in found if name in r._index()[0])

    def find_unnamed(self, name: str) -> Field | None:
        """A member of an unnamed struct or union in this one."""
        for field in self._index()[1]:
            inner = field.type.record
            if inner is not None:
                found = inner.find(name) or inner.find_unnamed(name)
                if found is not None:
                    return found
        return None

    def unnamed_offset(self, wanted: Field) -> int:
        """Where the unnamed struct or union lies that holds `wanted`."""
        for field in self.fields:
            inner = field.type.record
            if not field.name and inner is not None:
                if wanted in inner.fields:
                    return field.offset
                if inner.find_unnamed(wanted.name) is wanted:
                    return field.offset + inner.unnamed_offset(wanted)
        return 0

    @property
    def abstract(self) -> bool:
        return any(s.function is not None and s.function.pure for _, slots in self.tables for s in slots)


def _integer(name: str, size: int, signed: bool, rank: int, code: str) -> Type:
    return Type("int", name, size, size, signed, rank, code, f"i{size * 8}")


VOID = Type("void", "void", 1, 1, code="v", llvm="void")
BOOL = Type("bool", "bool", 1, 1, False, 1, "b", "i8")
CHAR = _integer("char", 1, True, 2, "c")
SCHAR = _integer("signed char", 1, True, 2, "a")
UCHAR = _integer("unsigned char", 1, False, 2, "h")
SHORT = _integer("short", 2, True, 3, "s")
USHORT = _integer("unsigned short", 2, False, 3, "t")
INT = _integer("int", 4, True, 4, "i")
UINT = _integer("unsigned int", 4, False, 4, "j")
LONG = _integer("long", 8, True, 5, "l")
ULONG = _integer("unsigned long", 8, False, 5, "m")
LLONG = _integer("long long", 8, True, 6, "x")
ULLONG = _integer("unsigned long long", 8, False, 6, "y")
INT128 = _integer("__int128", 16, True, 7, "n")
UINT128 = _integer("unsigned __int128", 16, False, 7, "o")
WCHAR = _integer("wchar_t", 4, True, 4, "w")
CHAR8 = _integer("char8_t", 1, False, 2, "Du")
CHAR16 = _integer("char16_t", 2, False, 3, "Ds")
CHAR32 = _integer("char32_t", 4, False, 4, "Di")
FLOAT = Type("float", "float", 4, 4, True, 1, "f", "float")
DOUBLE = Type("float", "double", 8, 8, True, 2, "d", "double")
LDOUBLE = Type("float", "long double", 16, 16, True, 3, "e", "double")
"""As large as the host's, and in device code worth a double."""
NULLPTR = Type("nullptr", "std::nullptr_t", 8, 8, code="Dn", llvm="ptr")
ERROR = Type("error", "<error>")
AUTO = Type("auto", "auto")
DECLTYPE_AUTO = Type("auto", "decltype(auto)")


class ConstrainedAuto(Type):
    """`Concept auto`: what it becomes satisfies the concept, whose tokens are kept."""

    def __init__(self, constraint: list[Token]) -> None:
        super().__init__("auto", "auto")
        self.constraint = constraint


BY_CODE: dict[str, Type] = {
    t.code: t
    for t in (
        VOID,
        BOOL,
        CHAR,
        SCHAR,
        UCHAR,
        SHORT,
        USHORT,
        INT,
        UINT,
        LONG,
        ULONG,
        LLONG,
        ULLONG,
        INT128,
        UINT128,
        FLOAT,
        DOUBLE,
        LDOUBLE,
    )
}


def pointer(to: Type) -> Type:
    made = to.cache.get("*")
    if made is None:
        made = to.cache["*"] = Type("pointer", "", 8, 8, llvm="ptr", elem=to)
    return made


def member_pointer(owner: Type, to: Type, quals: int = 0) -> Type:
    """A pointer to a member of type `to`: its offset, -1 for none; or, for a function, its address; of a virtual
    one the offset of its slot. The upper half is 1 for a virtual one, and twice how far its class lies from the
    owner's beginning, if that is another (as in the ARM variant of the Itanium C++ ABI, 2.3)."""
    if to.kind == "function" and to.quals:
        to, quals = to.bare, quals | to.quals
    key = ("member", id(owner.bare), quals)
    made = to.cache.get(key)
    if made is None:
        size = 16 if to.kind == "function" else 8
        made = to.cache[key] = Type(
            "member", "", size, 8, llvm=f"i{8 * size}", elem=to, params=(owner.bare,), count=quals
        )
    return made


def member_function(t: Type, quals: int) -> Type:
    """A member function's type with the qualifiers behind its parameters: what T of `T Class::*` stands for."""
    if not quals:
        return t
    made = t.cache.get(("cv", quals))
    if made is None:
        made = t.cache["cv", quals] = copy(t)
        made.quals, made.plain, made.cache = quals, t, {}
    return made


def reference(to: Type, rvalue: bool = False) -> Type:
    if to.kind == "reference":
        # && collapses into &.
        return to if rvalue or not to.rvalue or to.elem is None else reference(to.elem)
    key = "&&" if rvalue else "&"
    made = to.cache.get(key)
    if made is None:
        made = to.cache[key] = Type("reference", "", 8, 8, llvm="ptr", elem=to, rvalue=rvalue)
    return made


def array(of: Type, count: int) -> Type:
    made = of.cache.get(count)
    if made is None:
        size = of.size * max(count, 0)
        made = Type("array", "", size, of.align, llvm=f"[{max(count, 0)} x {of.step}]", elem=of, count=count)
        of.cache[count] = made
    return made


def function(ret: Type, params: Sequence[Type], variadic: bool = False) -> Type:
    key = ("()", tuple(map(id, params)), variadic)
    made = ret.cache.get(key)
    if made is None:
        made = ret.cache[key] = Type(
            "function", "", 1, 1, llvm="ptr", elem=ret, params=tuple(params), variadic=variadic
        )
    return made


def base_offset(derived: Type, base: Type) -> int | None:
    """Where the base class `base` lies in `derived`; None if it is none."""
    if derived is base:
        return 0
    for t, offset in derived.record.bases if derived.record is not None else ():
        inner = base_offset(t, base)
        if inner is not None:
            return offset + inner
    return None


def destructors(t: Type, offset: int = 0) -> list[tuple[int, Function]]:
    """The destructors that end an object of type `t`, in order, with the offsets of what they end."""
    if t.kind == "array" and t.elem is not None:
        each = destructors(t.elem)
        return [(offset + i * t.elem.size + at, f) for i in range(t.count)[::-1] for at, f in each] if each else []
    record = t.record
    if record is None or record.vector:
        return []
    found = record.ends
    if found is None:
        found = [(0, record.destructor)] if record.destructor is not None else []
        for field in record.fields[record.inherited :][::-1]:
            found += destructors(field.type, field.offset)
        for base, at in record.bases[::-1]:
            found += destructors(base, at)
        if record.complete:
            record.ends = found
    return [(offset + at, f) for at, f in found]


def qualified(t: Type, quals: int) -> Type:
    """`t` with more qualifiers; those of an array belong to its elements; references and functions take none."""
    if not quals or t.quals | quals == t.quals or t.kind in ("reference", "function", "error"):
        return t
    if t.kind == "array":
        assert t.elem is not None
        return array(qualified(t.elem, quals), t.count)
    bare = t.bare
    wanted = t.quals | quals
    made = bare.cache.get(("cv", wanted))
    if made is None and type(bare) is UnreadType:
        made = bare.cache["cv", wanted] = Type("record", bare.name, quals=wanted, plain=bare, record=bare.record)
        _forget(made, UnreadType, _LATER_OF_TYPE)
    elif made is None:
        # Records may be completed after a const version was named, so such variants are refreshed in `complete`.
        made = bare.cache["cv", wanted] = copy(bare)
        made.quals, made.plain, made.cache = wanted, bare, {}
    return made


def aligned(t: Type, align: int) -> Type:
    """What a typedef with an alignment of its own names: `t` in all but the place of its objects."""
    # Without one, what is not read yet stays so.
    placed = align and not t.quals and t.kind in ("int", "float", "bool", "enum", "pointer", "record")
    if not placed or not is_complete(t) or align <= t.align:
        return t
    made = t.cache.get(("aligned", align))
    if made is None:
        made = t.cache["aligned", align] = copy(t)
        made.align, made.plain, made.cache = align, t.bare, {}
    return made


def unqualified(t: Type) -> Type:
    """Without qualifiers at the top (for arrays: of the elements)."""
    if t.kind == "array":
        assert t.elem is not None
        return array(unqualified(t.elem), t.count) if t.elem.quals or t.elem.kind == "array" else t
    return t.plain or t


def new_record(record: Record) -> Type:
    return Type("record", record.name, 0, 1, llvm="[0 x i8]", record=record)


def complete(t: Type, size: int, align: int) -> None:
    """Set the layout of a record type and of the qualified variants made while it was incomplete."""
    assert t.record is not None
    t.record.complete = True
    for each in _variants(t):
        each.size, each.align, each.llvm = size, align, f"[{size} x i8]"


# -- classes that are read when something of them is asked for

_LATER_OF_TYPE = {"size": 0, "align": 1, "llvm": "[0 x i8]"}
_LATER = frozenset(
    "fields complete scope constructors has_default bases inherit_from destructor data_size plain_data empties provided copied_alone special closed_data inherited final virtuals tables hidden friends closed".split()  # noqa: E501
)


class UnreadRecord(Record):
    """A class that is to be read when it has to exist: whoever needs a member, a base or its size asks an attribute
    that is not there yet, and so reads it ([temp.inst]: instances of templates are made when they are needed)."""

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        if name not in _LATER:
            raise AttributeError(name)
        assert self.reader is not None
        return getattr(self if self.reader() else Record(self.tag, self.name), name)


class UnreadType(Type):
    """The type of an unread class: it has no size yet."""

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        if name not in _LATER_OF_TYPE:
            raise AttributeError(name)
        # Asking the class reads it, if it can be read.
        return getattr(self, name) if self.record and self.record.complete else _LATER_OF_TYPE[name]


def _forget(entity: Record | Type, kind: type, names: Iterable[str]) -> None:
    for name in names:
        delattr(entity, name)
    entity.__class__ = kind


def put_off(t: Type, reader: Callable[[], bool]) -> Type:
    """The class `t`, of which nothing was read, is read when something of it is asked for. `reader` has to begin with
    `begin_reading`."""
    assert t.record is not None
    t.record.reader = reader
    _forget(t.record, UnreadRecord, _LATER)
    for each in _variants(t):
        _forget(each, UnreadType, _LATER_OF_TYPE)
    return t


def begin_reading(t: Type) -> Record:
    """An unread class becomes an incomplete one."""
    record = t.record
    assert record is not None
    fresh = Record(record.tag, record.name)
    record.__class__ = Record
    for name in _LATER:
        setattr(record, name, getattr(fresh, name))
    record.forget(0)
    for each in _variants(t):
        each.__class__ = Type
        for name, value in _LATER_OF_TYPE.items():
            setattr(each, name, value)
    return record


def _variants(t: Type) -> list[Type]:
    """A type and its qualified versions."""
    return [t, *(v for k, v in t.cache.items() if isinstance(k, tuple) and k[0] == "cv")]


def is_complete(t: Type) -> bool:
    if t.kind == "record":
        assert t.record is not None
        return t.record.complete
    if t.kind == "array":
        assert t.elem is not None
        return t.count >= 0 and is_complete(t.elem)
    return t.kind not in ("void", "error", "function")


def spell(t: Type, inner: str = "") -> str:
    """C++ spelling of a type, as clang prints it in messages."""
    quals = ("const " if t.quals & CONST else "") + ("volatile " if t.quals & VOLATILE else "")
    if t.kind == "pointer":
        assert t.elem is not None
        after = (" " + quals.strip() if quals else "") + inner
        if t.elem.kind in ("array", "function"):
            return spell(t.elem, f"(*{after})")
        return spell(t.elem, f"*{after}" if after else "*")
    if t.kind == "member":
        assert t.elem is not None
        inner = f"{t.params[0]}::*{inner}"
        if t.elem.kind == "function":
            return spell(t.elem, f"({inner})") + (" const" if t.count & CONST else "")
        return f"{spell(t.elem)} {inner}"
    if t.kind == "reference":
        assert t.elem is not None
        sign = "&&" if t.rvalue else "&"
        if t.elem.kind in ("array", "function"):
            return spell(t.elem, f"({sign}{inner})")
        return spell(t.elem, sign + inner)
    if t.kind == "array":
        assert t.elem is not None
        return spell(t.elem, f"{inner}[{t.count if t.count >= 0 else ''}]")
    if t.kind == "function":
        assert t.elem is not None
        return spell(t.elem, f"{inner}({', '.join(spell(p) for p in t.params)}{', ...' if t.variadic else ''})")
    text = quals + t.name
    return f"{text} {inner}" if inner and inner[0] in "*&(" else text + inner


# Built-in vector types: element, alignment of the 2- and 4-component versions.
_VECTORS: dict[str, tuple[Type, int, int]] = {
    "char": (SCHAR, 2, 4),
    "uchar": (UCHAR, 2, 4),
    "short": (SHORT, 4, 8),
    "ushort": (USHORT, 4, 8),
    "int": (INT, 8, 16),
    "uint": (UINT, 8, 16),
    "long": (LONG, 16, 16),
    "ulong": (ULONG, 16, 16),
    "longlong": (LLONG, 16, 16),
    "ulonglong": (ULLONG, 16, 16),
    "float": (FLOAT, 8, 16),
    "double": (DOUBLE, 16, 16),
}
_made: dict[str, Type] = {}


def vector(name: str) -> Type | None:
    """The built-in vector type of that name (float4, uchar2, dim3 ...), or None."""
    found = _made.get(name)
    if found is not None:
        return found
    if name == "dim3":
        return _vector(name, UINT, 3, 4)
    base, digit = name[:-1], name[-1:]
    if base in _VECTORS and digit in "1234" and digit:
        element, two, four = _VECTORS[base]
        count = int(digit)
        return _vector(name, element, count, {2: two, 4: four}.get(count, element.align))
    if name in ("double4_16a", "double4_32a", "long4_16a", "long4_32a", "longlong4_16a", "longlong4_32a",
                "ulong4_16a", "ulong4_32a", "ulonglong4_16a", "ulonglong4_32a"):  # fmt: skip
        return _vector(name, _VECTORS[name.partition("4")[0]][0], 4, int(name[-3:-1]))
    return None


def _vector(name: str, element: Type, count: int, align: int) -> Type:
    record = Record("struct", name, vector=True)
    record.fields = [Field("xyzw"[i], element, i * element.size) for i in range(count)]
    made = new_record(record)
    size = record.data_size = -(-count * element.size // align) * align
    complete(made, size, align)
    _made[name] = made
    return made
