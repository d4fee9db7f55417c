"""Records: the part of attrs that the compiler's own classes need, by the same names and with the same meaning.

Importing attrs itself, with `inspect` behind it, is a sixth of what a small compile executes, and making a class takes
it as long as a hundred instructions take to compile. Here a class gets at once what is cheap, and an `__init__` of its
own with its first object: most compiles never make a `ptx.Bracket`. What attrs asks of its classes it finds in these,
too (`__attrs_attrs__`), so its `evolve`, `fields`, `asdict` and `has` work on them. There are no converters,
validators, base classes and private names. Objects are slotted; copies and pickles have the fields alone.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal, TypeVar, dataclass_transform, overload

T = TypeVar("T")
C = TypeVar("C", bound=type)

_NOTHING: Any = object()


class FrozenInstanceError(AttributeError):
    """A field of a frozen object was to be changed."""


class Attribute:
    """A field, as attrs knows it. `usual` is its default, or what makes one: of nothing, or of the object."""

    __slots__ = ("alias", "eq", "init", "kind", "name", "usual")

    def __init__(self, usual: Any, kind: Literal["", "value", "factory", "method"], init: bool, eq: bool) -> None:
        self.usual, self.kind, self.init, self.eq = usual, kind, init, eq
        self.name = self.alias = ""


def field(
    *,
    default: Any = _NOTHING,
    factory: Callable[[], Any] | None = None,
    method: Callable[[Any], Any] | None = None,
    init: bool = True,
    eq: bool = True,
) -> Any:
    """What is to be said of a field beyond its default: `factory` makes one for each object, `method` of the object
    with the fields before this one. `init`: whether it is an argument; `eq`: whether objects are compared by it."""
    if method is not None:
        return Attribute(method, "method", init, eq)
    if factory is not None:
        return Attribute(factory, "factory", init, eq)
    return Attribute(default, "" if default is _NOTHING else "value", init, eq)


@overload
def define(cls: C, /) -> C: ...
@overload
def define(
    *, eq: bool = True, repr: bool = True, unsafe_hash: bool = False, frozen: bool = False, cache_hash: bool = False
) -> Callable[[C], C]: ...
@dataclass_transform(field_specifiers=(field,))
def define(
    cls: Any = None, /, *, eq: bool = True, repr: bool = True, unsafe_hash: bool = False, frozen: bool = False,
    cache_hash: bool = False,
) -> Any:  # fmt: skip
    """Make the class one of slotted records of what it annotates. `eq`: compared by fields, not by identity;
    `unsafe_hash`: hashed by them though they may be changed; `cache_hash`: once for each object."""
    if cls is None:
        return lambda made: _made(made, eq, repr, unsafe_hash or frozen, frozen, cache_hash)
    return _made(cls, eq, repr, unsafe_hash or frozen, frozen, cache_hash)


@overload
def frozen(cls: C, /) -> C: ...
@overload
def frozen(*, eq: bool = True, repr: bool = True, cache_hash: bool = False) -> Callable[[C], C]: ...
@dataclass_transform(field_specifiers=(field,), frozen_default=True)
def frozen(cls: Any = None, /, **options: Any) -> Any:
    """`define`, and no field can be changed."""
    made = define(frozen=True, **options)
    return made if cls is None else made(cls)


def fields(cls: type) -> tuple[Attribute, ...]:
    """The fields of a class of records, in order."""
    return cls.__attrs_attrs__  # type: ignore[attr-defined, no-any-return]


def evolve(inst: T, **changes: Any) -> T:
    """A new object, with some fields changed. `inst` may be a record of attrs."""
    cls = inst.__class__
    for attribute in cls.__attrs_attrs__:  # type: ignore[attr-defined]
        if attribute.init and attribute.name not in changes:
            changes[attribute.name] = getattr(inst, attribute.name)
    return cls(**changes)


def _made(old: type, eq: bool, repr: bool, hashed: bool, frozen: bool, cache_hash: bool) -> type:
    body = dict(old.__dict__)
    found: list[Attribute] = []
    for name in body.get("__annotations__", ()):
        default = body.pop(name, _NOTHING)
        found.append(default if isinstance(default, Attribute) else field(default=default))
        found[-1].name = found[-1].alias = name
    names = [a.name for a in found]
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body["__slots__"] = (*names, "_hash", "__weakref__") if cache_hash else (*names, "__weakref__")
    body["__attrs_attrs__"] = tuple(found)
    compared = [a.name for a in found if a.eq]
    if eq:
        key = _getter(compared)
        body["__eq__"] = _equality(key)
        body["__hash__"] = (_kept_hash if cache_hash else _hash)(key) if hashed else None
    if repr and "__repr__" not in body:
        body["__repr__"] = _repr
    if frozen:
        body["__setattr__"] = body["__delattr__"] = _refuse
    body["__getstate__"], body["__setstate__"] = _state, _restore
    owner: list[type] = []
    body["__init__"] = _lazy(found, frozen, owner)
    body["__qualname__"] = old.__qualname__
    owner.append(type(old)(old.__name__, old.__bases__, body))
    return owner[0]


def _getter(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _equality(key: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    return __eq__


def _hash(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    return lambda self: hash(key(self))


def _kept_hash(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        try:
            return self._hash  # type: ignore[no-any-return]
        except AttributeError:
            found = hash(key(self))
            object.__setattr__(self, "_hash", found)
            return found

    return __hash__


def _repr(self: Any) -> str:
    values = ", ".join(f"{a.name}={getattr(self, a.name)!r}" for a in self.__attrs_attrs__)
    return f"{self.__class__.__qualname__}({values})"


def _refuse(self: object, *_: object) -> None:
    raise FrozenInstanceError(f"{self.__class__.__name__} is frozen")


def _state(self: Any) -> dict[str, Any]:
    names = (a.name for a in self.__attrs_attrs__)
    return {name: getattr(self, name) for name in names if hasattr(self, name)}


def _restore(self: Any, state: dict[str, Any]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)


def _lazy(found: list[Attribute], frozen: bool, owner: list[type]) -> Callable[..., None]:
    """The `__init__` that makes the class's own when it is first called; `owner` will hold the class."""

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        (cls,) = owner
        own = _initialiser(cls, found, frozen)
        cls.__init__ = own  # type: ignore[misc]
        own(self, *args, **named)

    return __init__


def _initialiser(cls: type, found: list[Attribute], frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_NOTHING": _NOTHING}
    heads, lines = ["self"], []
    for a in found:
        if not a.init and not a.kind:
            continue
        usual = f"_{a.name}"
        names[usual] = a.usual
        made = {"": a.name, "value": usual, "factory": f"{usual}()", "method": f"{usual}(self)"}[a.kind]
        value = made
        if a.init:
            simple = a.kind in ("", "value")
            heads.append(a.name + ("" if not a.kind else f"={usual}" if simple else "=_NOTHING"))
            value = a.name if simple else f"{made} if {a.name} is _NOTHING else {a.name}"
        if frozen:
            names[f"_set_{a.name}"] = cls.__dict__[a.name].__set__
            lines.append(f"    _set_{a.name}(self, {value})")
        else:
            lines.append(f"    self.{a.name} = {value}")
    text = f"def __init__({', '.join(heads)}):\n" + ("\n".join(lines) or "    pass")
    exec(text, names)
    own: Callable[..., None] = names["__init__"]
    own.__qualname__ = f"{cls.__qualname__}.__init__"
    return own
