"""minicc.attrs beside attrs: the same declarations, made with each, behave alike."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from types import ModuleType
from typing import Any

import attrs as oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import attrs as ours

DECLARATIONS = """
from __future__ import annotations
from typing import ClassVar

@attrs.frozen
class Point:
    x: int
    y: int = 2
    where: object = attrs.field(default=None, eq=False)
    origin: ClassVar[str] = "here"

@attrs.define
class Bag:
    name: str
    items: list[object] = attrs.field(factory=list)
    _hidden: int = attrs.field(default=3, repr=False)
    total: int = attrs.field(init=False)
    late: int = attrs.field(init=False)
    kept: str = attrs.field(default="k", init=False)

    @total.default
    def _total(self):
        return len(self.items) + self._hidden

    def __attrs_post_init__(self):
        self.late = self.total + 1

@attrs.define(eq=False)
class Same:
    value: object = 0

@attrs.frozen(repr=False)
class Key:
    value: object = 0

    def __repr__(self):
        return "its own"

@attrs.frozen
class Empty:
    pass

@attrs.frozen
class Place(Point):
    name: str = ""
    y: int = 5

@attrs.define
class Plain(Same):
    def __eq__(self, other):
        return True

class Under(Point):
    pass
"""
NAMES = ("Point", "Bag", "Same", "Key", "Empty", "Place", "Plain", "Under")


def _declared(attrs: ModuleType) -> dict[str, Any]:
    module: dict[str, Any] = {"attrs": attrs, "__name__": __name__}
    exec(DECLARATIONS, module)
    return module


OURS, THEIRS = _declared(ours), _declared(oracle)


def _outcome(what: Any) -> Any:
    """What it gives, or the kind of error."""
    try:
        return what()
    except Exception as error:
        return type(error)


def _seen(value: Any) -> Any:
    """What can be compared of values of two families of classes."""
    if hasattr(value, "__slots__"):
        names = (name for kind in reversed(type(value).__mro__) for name in getattr(kind, "__slots__", ()))
        return type(value).__name__, {n: _seen(getattr(value, n, "unset")) for n in names if n != "__weakref__"}
    return value


ARGUMENTS = st.lists(st.integers(0, 2) | st.lists(st.integers(0, 1), max_size=2), max_size=4)
NAMED = st.dictionaries(
    st.sampled_from(("x", "y", "where", "name", "items", "hidden", "total", "value", "wrong")),
    st.integers(0, 2),
    max_size=3,
)


@given(st.sampled_from(NAMES), ARGUMENTS, NAMED, ARGUMENTS, NAMED)
def test_as_attrs(
    name: str, args: list[Any], named: dict[str, Any], others: list[Any], changes: dict[str, Any]
) -> None:
    made = []
    for module, attrs in ((OURS, ours), (THEIRS, oracle)):
        kind = module[name]
        one, two = (_outcome(lambda a=a, n=n, kind=kind: kind(*a, **n)) for a, n in ((args, named), (others, changes)))
        record = not isinstance(one, type)
        made.append((
            _seen(one),
            _seen(two),
            repr(one),
            record and (one == two, one != two, one == kind, one == one, copy.copy(one) == one),
            record and _outcome(lambda one=one: hash(one) == hash(copy.copy(one))),
            record and not isinstance(two, type) and one == two and _outcome(lambda a=one, b=two: hash(a) == hash(b)),
            record and _seen(_outcome(lambda one=one, attrs=attrs: attrs.evolve(one, **changes))),
            record and _outcome(lambda one=one, attrs=attrs: attrs.asdict(one)),
            kind.__match_args__,
            kind.__slots__ if name != "Under" else (),
        ))  # fmt: skip
    assert made[0] == made[1]


def test_records_within_records() -> None:
    for module, attrs in ((OURS, ours), (THEIRS, oracle)):
        point = module["Point"]
        outer = module["Bag"]("b", [point(1), (point(2), {3: point(4)})])
        inner = {"y": 2, "where": None}
        wanted = [{"x": 1, **inner}, [{"x": 2, **inner}, {3: {"x": 4, **inner}}]]
        assert json.dumps(attrs.asdict(outer)["items"]) == json.dumps(wanted)
        assert attrs.asdict(outer, recurse=False)["items"] is outer.items
        assert [f.name for f in attrs.fields(point)] == ["x", "y", "where"]


def test_names_that_are_not_fields() -> None:
    with pytest.raises(AttributeError):
        OURS["Bag"]("b").itmes = []
    assert OURS["Point"].origin == "here"
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        OURS["Point"]()


def test_pickle() -> None:
    from minicc.sass.instr import Reg

    reg = Reg("R", 4, neg=True)
    assert pickle.loads(pickle.dumps(reg)) == reg


def test_a_compile_needs_no_attrs() -> None:
    code = (
        "import sys; sys.modules['attrs'] = sys.modules['attr'] = None; import minicc; minicc.compile('samples/vadd.k')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
