"""Values that are their fields: plain classes, which cost a tenth of what a generated class costs to make.

Every compile makes the classes of operands, instructions and programs before it does anything; `attrs`, which writes
and compiles methods for each, takes a fifth of a small compile's instructions, its own import included. What only some
commands import goes on using it.
"""

from __future__ import annotations

from collections import namedtuple
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

T = TypeVar("T")


class Record:
    """Equal to another one with equal fields, which are the parameters of `__init__`; a class of which there are many
    lists them again as `__slots__ = __match_args__`. Not to be changed, though nothing forbids it. Operands that every
    pass compares compare and hash themselves, without `_key`: a quarter of the time."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _key: ClassVar[attrgetter[Any]]
    """Takes out what makes two equal."""

    def __init_subclass__(cls) -> None:
        if "__match_args__" not in cls.__dict__:
            code = cls.__init__.__code__
            cls.__match_args__ = code.co_varnames[1 : code.co_argcount]  # type: ignore[misc]
        if "_key" not in cls.__dict__:
            cls._key = attrgetter(*cls.__match_args__)

    def __eq__(self, other: object) -> bool:
        return self is other or (other.__class__ is self.__class__ and bool(self._key(self) == self._key(other)))

    def __hash__(self) -> int:
        return hash(self._key(self))

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__match_args__])
        return f"{type(self).__name__}({fields})"


def evolve(thing: T, **changes: Any) -> T:
    """Another one of its class, with some fields changed. Of any class that names the parameters of its `__init__` in
    `__match_args__`, as a `Record` does."""
    cls: Any = type(thing)
    values = [changes.pop(name) if name in changes else getattr(thing, name) for name in cls.__match_args__]
    made: T = cls(*values, **changes)
    return made


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _Named(type):
        """Of what is derived from `NamedTuple` makes a named tuple."""

        def __new__(cls, name: str, _: tuple[type, ...], body: dict[str, Any]) -> type:
            types = body.pop("__annotations__", {})
            defaults = [body.pop(field) for field in types if field in body]
            made = namedtuple(name, types, defaults=defaults, module=body.pop("__module__"))
            made.__annotations__ = types
            for key, value in body.items():
                setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})
    """`typing`'s, whose annotations stay the texts that they are: compiling them takes longer than the rest of the
    class. Methods without `super()`."""
