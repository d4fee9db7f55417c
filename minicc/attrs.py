"""Records: attrs' interface, as far as minicc uses it, at a tenth of its cost.

A compile declares 190 classes of records, most of which it never compares, prints or even makes one of. attrs
generates the source of all methods of a class where it is declared, which was a quarter of a small compile; here a
method is generated when it is first called. Type checkers see attrs itself: what that knows of records, such as the
parameters of `__init__` and `evolve`, and that nobody writes to a frozen one, is theirs to check, and is not checked
while the program runs. A method of a record cannot say `super()` without arguments: its class is made twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

_NOTHING: Any = object()
"""No default; to `__init__`, an argument that a factory is to make."""


class _Field:
    """One field. It comes from an argument of `__init__`, which may have a default `value` or a `factory` of such;
    without `init`, always from these. `eq` (of `__eq__` and `__hash__`) and `repr`: whether it counts there."""

    __slots__ = ("eq", "factory", "init", "name", "repr", "takes_self", "value")

    def __init__(
        self,
        default: Any = _NOTHING,
        *,
        factory: Callable[..., Any] | None = None,
        init: bool = True,
        eq: bool = True,
        repr: bool = True,
    ) -> None:
        self.name = ""
        self.value, self.factory, self.takes_self = default, factory, False
        self.init, self.eq, self.repr = init, eq, repr

    def default(self, method: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Decorates the method that makes the field, when those before it are made."""
        self.factory, self.takes_self = method, True
        return method

    @property
    def argument(self) -> str:
        """Its name as a parameter of `__init__`."""
        return self.name.lstrip("_")


def _define(cls: Any = None, *, eq: bool = True, repr: bool = True, frozen: bool = False) -> Any:
    """The class once more, with a slot for each annotated name and those of the methods that it does not have."""
    if cls is None:
        return lambda cls: _define(cls, eq=eq, repr=repr, frozen=frozen)
    body = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    own: dict[str, _Field] = {}
    for name, kind in body.get("__annotations__", {}).items():
        if not kind.startswith("ClassVar"):
            value = body.pop(name, _NOTHING)
            own[name] = value if isinstance(value, _Field) else _Field(value)
            own[name].name = name
    inherited = {f.name: f for base in cls.__mro__[:0:-1] for f in vars(base).get("__fields__", ())}
    slots = [name for name in own if name not in inherited]
    if not hasattr(cls.__base__, "__weakref__"):
        slots.append("__weakref__")
    fields = *(f for f in inherited.values() if f.name not in own), *own.values()
    methods = {"__init__": _init}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _eq
        if frozen:
            methods["__hash__"] = _hash
        else:
            body.setdefault("__hash__", None)
    body |= {"__slots__": tuple(slots), "__fields__": fields}
    body["__match_args__"] = tuple(f.name for f in fields if f.init)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    for name, make in methods.items():
        if name not in body:
            setattr(made, name, _late(made, name, make))
    return made


def _frozen(cls: Any = None, **options: Any) -> Any:
    return _define(cls, frozen=True, **options)


def _late(cls: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that makes the real one when it is first called, and gives its place to it."""

    def method(*args: Any, **named: Any) -> Any:
        made = make(cls)
        setattr(cls, name, made)
        return made(*args, **named)

    return method


def _compiled(cls: Any, name: str, parameters: list[str], body: list[str], **values: Any) -> Callable[..., Any]:
    exec(f"def {name}({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), values)
    made: Callable[..., Any] = values[name]
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    return made


def _init(cls: Any) -> Callable[..., Any]:
    parameters, body, values = ["self"], [], {"NOTHING": _NOTHING}
    for f in cls.__fields__:
        source, default = f.argument, f"default_{f.name}"
        if f.factory is not None:
            values[default] = f.factory
            made = f"{default}({'self' if f.takes_self else ''})"
            parameters += [f"{source}=NOTHING"] if f.init else []
            source = f"{made} if {source} is NOTHING else {source}" if f.init else made
        elif f.value is not _NOTHING:
            values[default] = f.value
            parameters += [f"{source}={default}"] if f.init else []
            source = source if f.init else default
        elif f.init:
            parameters.append(source)
        else:
            continue
        body.append(f"self.{f.name} = {source}")
    if hasattr(cls, "__attrs_post_init__"):
        body.append("self.__attrs_post_init__()")
    return _compiled(cls, "__init__", parameters, body, **values)


def _eq(cls: Any) -> Callable[..., Any]:
    same = " and ".join(f"self.{f.name} == other.{f.name}" for f in cls.__fields__ if f.eq) or "True"
    body = ["if other.__class__ is not self.__class__: return NotImplemented", f"return {same}"]
    return _compiled(cls, "__eq__", ["self", "other"], body)


def _hash(cls: Any) -> Callable[..., Any]:
    parts = "".join(f"self.{f.name}, " for f in cls.__fields__ if f.eq)
    return _compiled(cls, "__hash__", ["self"], [f"return hash(({parts}))"])


def _repr(cls: Any) -> Callable[..., Any]:
    shown = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in cls.__fields__ if f.repr)
    return _compiled(cls, "__repr__", ["self"], [f'return f"{{self.__class__.__qualname__}}({shown})"'])


def _evolve(record: Any, /, **changes: Any) -> Any:
    """A new record, of these changes and the fields of another."""
    for f in record.__fields__:
        if f.init and f.argument not in changes:
            changes[f.argument] = getattr(record, f.name)
    return record.__class__(**changes)


def _asdict(record: Any, recurse: bool = True) -> dict[str, Any]:
    """Its fields by name; with `recurse`, of records within, too, and lists of tuples and sets."""
    made = {f.name: getattr(record, f.name) for f in record.__fields__}
    return {name: _plain(value) for name, value in made.items()} if recurse else made


def _plain(value: Any) -> Any:
    if _has(type(value)):
        return _asdict(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    return value


def _has(cls: Any) -> bool:
    """Whether it is a class of records."""
    return hasattr(cls, "__fields__")


def _fields(cls: Any) -> Any:
    return cls.__fields__


if TYPE_CHECKING:
    from attrs import asdict, define, evolve, field, fields, frozen, has
else:
    asdict, define, evolve, field = _asdict, _define, _evolve, _Field
    fields, frozen, has = _fields, _frozen, _has

__all__ = ["asdict", "define", "evolve", "field", "fields", "frozen", "has"]
