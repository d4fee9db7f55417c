"""Cost arithmetic against exact rationals."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from minicc.isel.cover import cost
from minicc.isel.cover.cost import Cost

COSTS = st.one_of(
    st.just(cost.ZERO),
    st.integers(0, 2**64 - 1).map(cost.from_int),
    st.tuples(st.integers(2**63, 2**64 - 1), st.integers(-200, 200)),
    st.tuples(st.integers(2**63, 2**64 - 1), st.integers(cost.MIN_SCALE, cost.MAX_SCALE - 1)),
)
LIMIT = Fraction(cost.MAX_MANTISSA) * Fraction(2) ** cost.MAX_SCALE
ULP = Fraction(1, 2**63)


def exact(value: Cost) -> Fraction:
    return Fraction(0) if value[0] == 0 else Fraction(value[0]) * Fraction(2) ** value[1]


def close(got: Cost, want: Fraction) -> bool:
    if want >= LIMIT:
        return got == cost.INFINITY
    tiny = Fraction(2) ** (cost.MIN_SCALE + 63)
    if want < tiny:
        return abs(exact(got) - want) <= Fraction(2) ** cost.MIN_SCALE
    return abs(exact(got) - want) <= want * ULP


def canonical(value: Cost) -> bool:
    """One form: zero is ZERO; otherwise normalised, or denormal at the least scale."""
    if value[0] == 0:
        return value == cost.ZERO
    if not cost.MIN_SCALE <= value[1] <= cost.MAX_SCALE:
        return False
    return 2**63 <= value[0] < 2**64 or value[1] == cost.MIN_SCALE


@given(COSTS, COSTS)
def test_add(a: Cost, b: Cost) -> None:
    got = cost.add(a, b)
    assert canonical(got)
    assert close(got, exact(a) + exact(b))
    assert got == cost.add(b, a)


@given(COSTS, COSTS)
def test_subtract(a: Cost, b: Cost) -> None:
    got = cost.subtract(a, b)
    want = max(Fraction(0), exact(a) - exact(b))
    assert canonical(got)
    assert abs(exact(got) - want) <= max(exact(a), exact(b)) * ULP


@given(COSTS, COSTS)
def test_compare_is_exact(a: Cost, b: Cost) -> None:
    want = (exact(a) > exact(b)) - (exact(a) < exact(b))
    assert cost.compare(a, b) == want
    assert cost.compare(b, a) == -want


@given(COSTS, COSTS)
def test_weigh(a: Cost, b: Cost) -> None:
    got = cost.weigh(a, b)
    assert canonical(got)
    if cost.INFINITY not in (a, b):
        assert close(got, exact(a) * exact(b))


@given(COSTS, st.integers(1, 10**12))
def test_normalise(a: Cost, divisor: int) -> None:
    got = cost.normalise(a, divisor)
    assert canonical(got)
    if a != cost.INFINITY:
        assert close(got, exact(a) / divisor)


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))
def test_fixed_quotient(mantissa: int, divisor: int) -> None:
    assert close(cost.fixed_quotient(mantissa, divisor), Fraction(mantissa, divisor))


@given(COSTS, st.integers(-40000, 40000))
def test_adjust(a: Cost, delta: int) -> None:
    got = cost.adjust(a, delta)
    assert canonical(got)
    if a != cost.INFINITY:
        assert close(got, exact(a) * Fraction(2) ** delta)


def test_the_seeds_example() -> None:
    """Latency 1.0, throughput 0.5: (1 * 1 + 0.5 * 3) / 100 = 0.025."""
    half = cost.adjust(cost.from_int(1), -1)
    assert close(cost.combine(1, half), Fraction(25, 1000))


@given(st.lists(COSTS, min_size=1, max_size=6))
def test_cheapest(costs: list[Cost]) -> None:
    index = cost.cheapest(costs)
    feasible = [exact(c) for c in costs if cost.compare(c, cost.INFINITY) < 0]
    if not feasible:
        assert index == -1
        return
    assert exact(costs[index]) == min(feasible)
    assert all(exact(c) > exact(costs[index]) for c in costs[:index])


def test_specials() -> None:
    assert cost.normalise(cost.ZERO) == cost.ZERO
    assert cost.normalise(cost.INFINITY) == cost.INFINITY
    assert cost.fixed_quotient(5, 0) == cost.INFINITY
    assert cost.add(cost.INFINITY, cost.INFINITY) == cost.INFINITY
    assert cost.total([]) == cost.ZERO
