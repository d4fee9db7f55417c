"""Words put together from bytes of other words: `prmt` takes any four bytes of two words at once.

`or`, `add` and `xor` of parts that do not overlap, each a word shifted and masked by whole bytes, are joined by one
permutation less than there are words. `byte_of` finds the same for one byte: the dot products of `dots` begin there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.isel.dag import Node

if TYPE_CHECKING:
    from minicc.isel.builder import Builder

Part = tuple[Node, int] | None
"""Where a byte of a word comes from: a byte of another word, or it is zero."""
Parts = tuple[Part, Part, Part, Part]

_MOVES = frozenset({"shl.i32", "lshr.i32", "and.i32", "or.i32", "add.i32", "xor.i32", "prmt.i32"})
_MOST = 4
"""Words that one may be joined from."""


def parts_of(node: Node, depth: int = 8) -> Parts:
    """The bytes of an i32, lowest first."""
    found = _moved(node, depth) if depth and node.op in _MOVES else None
    if found is not None:
        return found
    if node.is_const and node.data == 0:
        return None, None, None, None
    return (node, 0), _if(node, 1), _if(node, 2), _if(node, 3)


def _if(node: Node, byte: int) -> Part:
    return (node, byte) if node.zb > 8 * byte else None


def _moved(node: Node, depth: int) -> Parts | None:
    """Bytes of a word that is made of others by moving whole bytes; None if it is not."""
    a, b = node.args[:2]
    if node.op in ("or.i32", "add.i32", "xor.i32"):
        if a.is_const or b.is_const:
            return None
        return _joined(parts_of(a, depth - 1), parts_of(b, depth - 1))
    if node.op == "prmt.i32":
        chosen = node.args[2]
        if not chosen.is_const or chosen.data & 0x8888:
            return None
        words = parts_of(a, depth - 1) + parts_of(b, depth - 1)
        x, y, z, t = (words[chosen.data >> 4 * i & 7] for i in range(4))
        return x, y, z, t
    if not b.is_const:
        return None
    if node.op == "and.i32":
        kept = [b.data >> 8 * i & 255 for i in range(4)]
        if any(mask not in (0, 255) for mask in kept):
            return None
        x, y, z, t = (part if mask else None for part, mask in zip(parts_of(a, depth - 1), kept, strict=True))
        return x, y, z, t
    if b.data % 8 or b.data >= 32:
        return None
    count = b.data // 8
    inner = parts_of(a, depth - 1)
    empty: tuple[Part, ...] = (None,) * count
    x, y, z, t = (*empty, *inner[: 4 - count]) if node.op == "shl.i32" else (*inner[count:], *empty)
    return x, y, z, t


def _joined(a: Parts, b: Parts) -> Parts | None:
    """The bytes of two words that have none in common."""
    if any(x is not None and y is not None for x, y in zip(a, b, strict=True)):
        return None
    x, y, z, t = (first or second for first, second in zip(a, b, strict=True))
    return x, y, z, t


def permuted(build: Builder, a: Node, b: Node) -> Node | None:
    """a | b, whose set bytes do not overlap, by permutations, if these are fewer than shifts and logic."""
    if a.op not in _MOVES and b.op not in _MOVES:
        return None
    parts = _joined(parts_of(a), parts_of(b))
    if parts is None:
        return None
    words = list(dict.fromkeys(part[0] for part in parts if part is not None))
    if len(words) == 1 and all(part in (None, (words[0], place)) for place, part in enumerate(parts)):
        kept = sum(255 << 8 * place for place, part in enumerate(parts) if part)
        return build.binary("and", "i32", words[0], build.const("i32", kept))
    if not 2 <= len(words) <= _MOST:
        return None
    zeros = None in parts and _zero(words) is None
    if len(words) - 1 + zeros >= _steps(a) + _steps(b) + (_masked(a) and _masked(b)) + 1:
        return None
    return assembled(build, parts, words)


def _steps(node: Node) -> int:
    """Instructions that a part of an `or` takes: shifts, and what joins other parts; one mask belongs to the `or`."""
    if node.op == "prmt.i32" or (node.op in ("or.i32", "add.i32", "xor.i32") and not node.args[1].is_const):
        return _steps(node.args[0]) + _steps(node.args[1]) + 1
    if node.op == "and.i32" and node.args[1].is_const:
        return _steps(node.args[0])
    return int(node.op in ("shl.i32", "lshr.i32"))


def _masked(node: Node) -> bool:
    if node.op in ("shl.i32", "lshr.i32"):
        node = node.args[0]
    return node.op == "and.i32" and node.args[1].is_const


def masked(build: Builder, a: Node, mask: int) -> Node | None:
    """Bytes of a permutation, the others 0, as one permutation."""
    kept = [mask >> 8 * i & 255 for i in range(4)]
    if a.op != "prmt.i32" or not set(kept) <= {0, 255}:
        return None
    x, y, z, t = (part if byte else None for part, byte in zip(parts_of(a), kept, strict=True))
    words = list(dict.fromkeys(part[0] for part in (x, y, z, t) if part is not None))
    return assembled(build, (x, y, z, t), words) if len(words) == 2 and _zero(words) is not None else None


def _zero(words: list[Node]) -> Node | None:
    """One of the words whose highest byte is known to be 0."""
    return next((word for word in words if word.zb <= 24), None)


def assembled(build: Builder, parts: Parts, words: list[Node]) -> Node:
    """A word from bytes of others: one permutation for each word after the first, one more for bytes that are zero if
    no word has such a byte."""
    empty = _zero(words)
    if empty is not None:
        x, y, z, t = (part or (empty, 3) for part in parts)
        parts = x, y, z, t
    have = words[0]
    places = [part[1] if part is not None and part[0] is have else 0 for part in parts]
    rest = words[1:]
    if None in parts:
        rest = [*rest, build.const("i32", 0)]
    for word in rest:
        selector = 0
        for i, part in enumerate(parts):
            if (part is None) if word.is_const and word.data == 0 else (part is not None and part[0] is word):
                selector |= (4 + (part[1] if part is not None else 0)) << 4 * i
            else:
                selector |= places[i] << 4 * i
        have = build.pure("prmt.i32", "i32", have, word, build.const("i32", selector))
        places = [0, 1, 2, 3]
    return have


def gathered(build: Builder, values: list[Node]) -> Node | None:
    """A word of the lowest bytes of four values, if they are bytes of one word in turn, or of two at most."""
    x, y, z, t = (parts_of(value)[0] for value in values)
    words = list(dict.fromkeys(part[0] for part in (x, y, z, t) if part is not None))
    if None in (x, y, z, t) or len(words) > 2 or any(word.type != "i32" for word in words):
        return None
    if len(words) == 1 and [part[1] for part in (x, y, z, t) if part is not None] == [0, 1, 2, 3]:
        return words[0]
    return assembled(build, (x, y, z, t), [*words, *words][:2])


def byte_of(node: Node) -> tuple[Node, int, bool] | None:
    """(word, which byte, signed) if the node is one byte of another word, extended."""
    if node.op == "sext8.i32":
        inner, signed = parts_of(node.args[0])[0], True
    elif node.op == "ashr.i32" and node.args[1].is_const and node.args[1].data == 24:
        inner, signed = parts_of(node.args[0])[3], True
    else:
        parts = parts_of(node)
        inner, signed = parts[0], False
        if any(parts[1:]):
            return None
    return None if inner is None else (*inner, signed)
