"""What folds, and what is known of the bits of an integer operation's result."""

from __future__ import annotations

from minicc.isel.dag import Node
from minicc.numbers import signed


def fold(head: str, width: int, a: int, b: int) -> int | None:
    """Fold two constants; None where the operation is not one that folds (or is undefined)."""
    match head:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << b if b < width else 0
        case "lshr":
            return a >> b if b < width else 0
        case "ashr":
            return signed(a, width) >> min(b, width - 1)
        case _:
            return None


def _known_and(a: Node, b: Node, w: int) -> tuple[int, int]:
    return min(a.zb, b.zb), max(a.sb, b.sb)


def _known_or(a: Node, b: Node, w: int) -> tuple[int, int]:
    return max(a.zb, b.zb), max(a.sb, b.sb)


def _known_add(a: Node, b: Node, w: int) -> tuple[int, int]:
    return max(a.zb, b.zb) + 1, max(a.sb, b.sb) + 1


def _known_sub(a: Node, b: Node, w: int) -> tuple[int, int]:
    return w, max(a.sb, b.sb) + 1


def _known_mul(a: Node, b: Node, w: int) -> tuple[int, int]:
    return a.zb + b.zb, a.sb + b.sb


def _known_shl(a: Node, b: Node, w: int) -> tuple[int, int]:
    return (a.zb + b.data, a.sb + b.data) if b.is_const else (w, w)


def _known_lshr(a: Node, b: Node, w: int) -> tuple[int, int]:
    return (max(0, a.zb - b.data), w) if b.is_const else (a.zb, w)


def _known_ashr(a: Node, b: Node, w: int) -> tuple[int, int]:
    if a.zb < w:
        return (max(0, a.zb - b.data), w) if b.is_const else (a.zb, w)
    return (w, max(1, a.sb - b.data)) if b.is_const else (w, a.sb)


def _known_udiv(a: Node, b: Node, w: int) -> tuple[int, int]:
    return a.zb, w


def _known_urem(a: Node, b: Node, w: int) -> tuple[int, int]:
    return min(a.zb, b.zb), w


KNOWN = {
    "and": _known_and,
    "or": _known_or,
    "xor": _known_or,
    "add": _known_add,
    "sub": _known_sub,
    "mul": _known_mul,
    "shl": _known_shl,
    "lshr": _known_lshr,
    "ashr": _known_ashr,
    "udiv": _known_udiv,
    "urem": _known_urem,
}
"""By operation: operands and width to (zb, sb) of `Node`."""
