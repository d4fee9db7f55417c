"""Classes of floating numbers (llvm.is.fpclass) by comparisons: classes in the order of their values are intervals."""

from __future__ import annotations

from minicc.isel.builder import Builder
from minicc.isel.dag import WIDTH, Node

_NAN, _ZERO = 0x003, 0x060
_CLASSES = (0x004, 0x008, 0x010, _ZERO, 0x080, 0x100, 0x200)
"""From minus infinity to infinity: infinite, normal, subnormal, zero, ..."""
_FROM = (("ge", -2), ("gt", -2), ("gt", -1), ("ge", 0), ("gt", 0), ("ge", 1), ("ge", 2))
"""What says of a number that it is of this class or beyond: of zero (0), the least normal number (1), infinity (2)."""
_BEFORE = {"gt": "le", "ge": "lt"}


def by_order(build: Builder, a: Node, mask: int) -> Node | None:
    """Whether `a`, of f32 or f64, is of a class of the mask, in as few comparisons as there are ends of intervals; None
    where these do not say it (zeros of one sign, NaN of one kind). Subnormal numbers must not be flushed."""
    has = [mask & one == one for one in _CLASSES]
    if mask & _NAN not in (0, _NAN) or mask & _ZERO not in (0, _ZERO) or len(set(has)) == 1:
        return None
    inside, outside = _intervals(has), _intervals([not one for one in has])
    taken = inside if _ends(inside) <= _ends(outside) else outside
    within = taken is inside
    of_nan = "u" if mask & _NAN else "o"
    result: Node | None = None
    for first, last in taken:
        if (first, last) == (3, 3):
            found = _compare(build, a, f"{of_nan}{'eq' if within else 'ne'}", 0)
        else:
            ends = [] if first == 0 else [(_FROM[first], within)]
            ends += [] if last == 6 else [(_FROM[last + 1], not within)]
            tests = [_compare(build, a, of_nan + (op if as_is else _BEFORE[op]), of) for (op, of), as_is in ends]
            found = tests[0] if len(tests) == 1 else build.binary("and" if within else "or", "p", *tests)
        result = found if result is None else build.binary("or" if within else "and", "p", result, found)
    return result


def _intervals(has: list[bool]) -> list[tuple[int, int]]:
    """First and last of the classes in a row that there are."""
    firsts = [n for n, one in enumerate(has) if one and (n == 0 or not has[n - 1])]
    lasts = [n for n, one in enumerate(has) if one and (n == 6 or not has[n + 1])]
    return list(zip(firsts, lasts, strict=True))


def _ends(intervals: list[tuple[int, int]]) -> int:
    return sum((first > 0) + (last < 6) - ((first, last) == (3, 3)) for first, last in intervals)


def _compare(build: Builder, a: Node, pred: str, of: int) -> Node:
    mantissa = {"f32": 23, "f64": 52}[a.type]
    width = WIDTH[a.type]
    size = (0, 1, (1 << width - 1 - mantissa) - 1)[abs(of)] << mantissa
    return build.pure(f"fcmp.{pred}.{a.type}", "p", a, build.const(a.type, size | (of < 0) << width - 1))
