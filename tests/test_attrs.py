"""`minicc.attrs` against attrs: the same classes, made by both, behave alike."""

import copy
import pickle
from typing import Any

import attrs
import pytest

from minicc import attrs as ours
from minicc.ptx import model


def classes(library: Any) -> tuple[Any, Any, Any]:
    @library.frozen
    class Point:
        x: int
        y: int = 2
        note: list[int] = library.field(factory=list, eq=False)

    @library.define(eq=False)
    class Node:
        name: str
        known: Any = library.field(default=None, init=False)
        later: Any = library.field(init=False)

    @library.define(unsafe_hash=True)
    class Mutable:
        value: int = 0

        def double(self) -> int:
            """A method stays."""
            return 2 * self.value

    return Point, Node, Mutable


@pytest.fixture(params=[attrs, ours], ids=["attrs", "ours"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_records_behave_as_those_of_attrs_do(library: Any) -> None:
    point, node, mutable = classes(library)
    a, b = point(1), point(x=1, note=[3])
    assert a == b and hash(a) == hash(b) and a != point(1, 3) and a != (1, 2, [])
    assert point(1).note is not point(1).note and b.note == [3]
    assert repr(b).endswith("Point(x=1, y=2, note=[3])")
    with pytest.raises(AttributeError):
        a.x = 5
    with pytest.raises(AttributeError):
        del a.x
    with pytest.raises(TypeError):
        point()
    with pytest.raises(TypeError):
        point(1, z=2)
    with pytest.raises(AttributeError):
        mutable(1).other = 2  # slotted
    n = node("n")
    assert n != node("n") and n == n and n.known is None and not hasattr(n, "later")
    n.later = 4
    assert copy.copy(n).later == 4
    assert {mutable(3): 1}[mutable(3)] == 1 and mutable(3).double() == 6
    assert copy.deepcopy(b) == b and copy.deepcopy(b).note is not b.note


def test_evolve_is_that_of_attrs(library: Any) -> None:
    point, node, _ = classes(library)
    for evolve in (attrs.evolve, ours.evolve):
        b = point(1, 5, [7])
        assert evolve(b, x=2) == point(2, 5) and evolve(b).note is b.note and evolve(b) is not b
        n = node("n")
        n.known = 3
        assert evolve(n, name="m").name == "m" and evolve(n).known is None  # as its `__init__` has no such argument
    assert [f.name for f in attrs.fields(point)] == [f.name for f in ours.fields(point)] == ["x", "y", "note"]
    assert attrs.has(point) and attrs.asdict(point(1)) == {"x": 1, "y": 2, "note": []}


def test_pickles_have_the_fields_and_no_hash() -> None:
    from minicc.sass.instr import Reg

    reg = Reg("R", 5, neg=True)
    assert hash(reg) == hash(Reg("R", 5, neg=True))
    back = pickle.loads(pickle.dumps(reg))
    assert back == reg and not hasattr(back, "_hash") and hash(back) == hash(reg)
    loc = model.Loc(1, 2, outer=model.Loc(1, 1))
    assert pickle.loads(pickle.dumps(loc)).outer == loc.outer and loc == model.Loc(1, 2)


def test_a_default_may_be_made_of_the_fields_before() -> None:
    @ours.frozen
    class Twice:
        value: int
        double: int = ours.field(init=False, method=lambda self: 2 * self.value)

    assert Twice(4).double == 8 and ours.evolve(Twice(4), value=5).double == 10
