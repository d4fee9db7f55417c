# ruff: noqa: E501
"""The hash tables against dictionaries, and their layouts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minicc.isel.cover.database import all_rows, root, unify
from minicc.isel.cover.tables import (
    CONSTRAINT,
    COST,
    EMPTY,
    PATTERN,
    TOMBSTONE,
    ConstraintTable,
    CostTable,
    PatternTable,
    hash_key,
)
from minicc.isel.patterns.axes import AXES

KEYS = st.one_of(
    st.integers(0, 40), st.integers(0, 2**20), st.integers(0, 2**63), st.integers(0, 30).map(lambda k: k << 14)
)
STEPS = st.lists(st.tuples(st.sampled_from(("insert", "insert", "insert", "delete")), KEYS), max_size=400)


def test_layouts() -> None:
    """40, 16 and 24 bytes, fields at the seed's offsets."""
    assert (PATTERN.size, CONSTRAINT.size, COST.size) == (40, 16, 24)
    data = PATTERN.pack(1, 2, 3, 4, 5, 6, 7, 8)
    assert [int.from_bytes(data[a:b], "little") for a, b in ((0, 8), (8, 16), (16, 24), (24, 26), (26, 28), (28, 30))] == [
        1, 2, 3, 4, 5, 6,
    ]  # fmt: skip
    assert EMPTY - (1 << 64) == -4096
    assert TOMBSTONE - (1 << 64) == -8192
    table = PatternTable()
    assert len(table.data) == 512 * 40
    assert len(ConstraintTable().data) == 256 * 16


@given(st.integers(0, 2**64 - 1))
def test_hash(key: int) -> None:
    low = key & 0xFFFFFFFF
    assert hash_key(key, 512) == ((low >> 9) ^ (low >> 4)) & 511


@settings(deadline=None)
@given(STEPS)
def test_multimap(steps: list[tuple[str, int]]) -> None:
    """Insert, delete, lookup and resize behave as a dictionary of lists, order included."""
    table = PatternTable(16)
    model: dict[int, list[int]] = {}
    for number, (step, key) in enumerate(steps):
        if step == "insert":
            table.insert(key, number, 0, 0, 0, 0, 0, 0)
            model.setdefault(key, []).append(number)
        else:
            assert table.delete(key) == len(model.pop(key, []))
        assert len(table) == sum(map(len, model.values()))
        assert table.used + table.tombstones <= 0.75 * table.capacity
    for key, values in model.items():
        assert [record[1] for record in table.lookup(key)] == values
    for key in range(40):
        if key not in model:
            assert table.lookup(key) == []


@settings(deadline=None)
@given(st.lists(st.tuples(KEYS, st.integers(0, 2**64 - 1)), max_size=300))
def test_constraints(items: list[tuple[int, int]]) -> None:
    """The last value of a key wins."""
    table = ConstraintTable(16)
    for key, value in items:
        table.insert(key, value)
    model = dict(items)
    assert len(table) == len(model)
    assert all(table.get(key) == value for key, value in model.items())
    assert table.get(2**63 + 12345) is None


@settings(deadline=None)
@given(STEPS)
def test_chained(steps: list[tuple[str, int]]) -> None:
    """128 buckets whatever the load; records are reused after deletion."""
    table = CostTable()
    model: dict[int, tuple[int, int]] = {}
    most = 0
    for number, (step, key) in enumerate(steps):
        if step == "insert":
            table.insert(key, (number, -number % 100))
            model[key] = (number, -number % 100)
        else:
            assert table.delete(key) == (model.pop(key, None) is not None)
        most = max(most, len(model))
    assert len(table) == len(model)
    assert len(table.heads) == 128
    assert len(table.data) == most * COST.size
    assert all(table.lookup(key) == value for key, value in model.items())


def test_bulk_beyond_the_load_rule() -> None:
    """The shipped image is 78 % full at 512; the next insertion doubles it, and order is kept."""
    table = PatternTable()
    records = [(key << 12 | 5, key, 0, 0, 0, 0, 0, 0) for key in range(400)]
    table.bulk(records)
    assert table.capacity == 512
    table.insert(1, 7, 0, 0, 0, 0, 0, 0)
    assert table.capacity == 1024
    assert table.lookup(399 << 12 | 5)[0][1] == 399
    with pytest.raises(StopIteration):
        next(table.slots(0xDEAD << 12))


@given(st.sampled_from([op for row in all_rows() if "{" in (op := root(row.tree))]), st.data())
def test_axes_are_bound_such_that_the_name_is_read(op: str, data: st.DataObject) -> None:
    name = op
    for axis in re.findall(r"\{(\w+)\}", op):
        name = name.replace(f"{{{axis}}}", data.draw(st.sampled_from(sorted(AXES[axis]))), 1)
    bound = unify(op, name)
    assert bound is not None
    assert re.sub(r"\{(\w+)\}", lambda found: bound[found[1]], op) == name
    assert unify(op, name + "!") is None
    assert unify(name, name) == {}
