"""Declarations: variables with initialisers, and parameter lists.

`.visible .global .align 4 .v2 .f32 name[2][3] = {{1, 2, 3}, {4, 5, 6}}, other;`
"""

from __future__ import annotations

from minicc.ptx.constexpr import evaluate
from minicc.ptx.cursor import Cursor
from minicc.ptx.model import Float, Initial, Int, Linkage, Space, Symbol, Variable
from minicc.ptx.names import SPACES, SPECIAL, TYPES, VECTORS
from minicc.record import NamedTuple

_SPACE_WORDS = frozenset(f".{s}" for s in SPACES if s != "sreg")
MAX_NESTING = 32
RESERVED = frozenset({"_", "WARP_SZ", *SPECIAL})
"""Words that mean something as operands: no names of variables."""


def is_declaration(token: str) -> bool:
    """Does a statement that begins with this token declare variables?"""
    return token in _SPACE_WORDS or (token[:1] == "." and f".{token[1:].split('.')[0]}" in _SPACE_WORDS)


class Head(NamedTuple):
    """What stands before the names: state space, alignment, vector size, type."""

    space: Space
    type: str
    align: int | None
    vector: int | None
    ptr: tuple[str | None, int | None] | None
    attributes: tuple[str, ...]


def head(cursor: Cursor) -> Head:
    """Read `.space .align N .vN .type .ptr ...` in any order, with or without blanks between."""
    space: Space | None = None
    type_ = ""
    align = vector = None
    ptr: tuple[str | None, int | None] | None = None
    attributes: tuple[str, ...] = ()
    while (token := cursor.texts[cursor.at])[:1] == "." and len(token) > 1:
        place = cursor.at
        cursor.at += 1
        for word in token[1:].split("."):
            if word in TYPES and word != "tex":
                type_ = word
            elif word in SPACES:
                if ptr is not None:
                    ptr = (word, ptr[1])
                elif space is None:
                    space = SPACES[word]
                else:
                    cursor.fail("syntax error, more than one state space", place)
            elif word == "align":
                value = cursor.integer()
                if value <= 0 or value & (value - 1) or value > 1 << 20:
                    cursor.fail("alignment must be a power of two", cursor.at - 1)
                if ptr is not None:
                    ptr = (ptr[0], value)
                else:
                    align = value
            elif word in ("v2", "v4"):
                vector = VECTORS[word]
            elif word == "ptr":
                ptr = (None, None)
            elif word == "attribute":
                from minicc.ptx.parser import attribute_text

                attributes += (attribute_text(cursor),)
            else:
                cursor.fail("syntax error, unexpected word in a declaration", place)
    if not type_:
        cursor.fail("syntax error, a declaration needs a type")
    if space is None:
        cursor.fail("syntax error, a declaration needs a state space")
    return Head(space, type_, align, vector, ptr, attributes)


def variables(cursor: Cursor, linkage: Linkage, start: int) -> list[Variable]:
    """A declaration statement, through its ';'."""
    declared = head(cursor)
    if declared.space == "reg":
        cursor.fail("registers cannot be declared at module scope", start)
    found: list[Variable] = []
    while True:
        found.append(_declarator(cursor, declared, linkage))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return found


def _declarator(cursor: Cursor, declared: Head, linkage: Linkage, formal: bool = False) -> Variable:
    name_at = cursor.at
    if cursor.texts[name_at] in RESERVED and not (formal and cursor.texts[name_at] == "_"):
        cursor.fail("syntax error, the name is taken")
    name = cursor.name()
    dims = _dims(cursor)
    init: Initial | None = None
    if not formal and cursor.accept("="):
        init = _initialiser(cursor, 0)
    return Variable(
        name,
        declared.space,
        declared.type,
        declared.align,
        dims,
        init,
        declared.vector,
        linkage,
        cursor.tokens.span(name_at),
        declared.ptr,
        declared.attributes,
    )


def _dims(cursor: Cursor) -> tuple[int | None, ...]:
    dims: list[int | None] = []
    while cursor.accept("["):
        if cursor.accept("]"):
            dims.append(None)
            continue
        place = cursor.at
        size = cursor.integer()
        if not 0 <= size < 1 << 40:
            cursor.fail("array size out of range", place)
        cursor.expect("]")
        dims.append(size)
    if None in dims[1:]:
        cursor.fail("syntax error, only the first dimension may be left out", cursor.at - 1)
    return tuple(dims)


def _initialiser(cursor: Cursor, depth: int) -> Initial:
    """A constant, an address, or a braced list of these."""
    if depth > MAX_NESTING:
        cursor.fail("initialiser is nested too deeply")
    if not cursor.accept("{"):
        return _initial_value(cursor)
    items: list[Initial] = []
    if cursor.accept("}"):
        return items
    while True:
        if cursor.texts[cursor.at + 1 : cursor.at + 2] == ["="]:
            name = cursor.name()
            cursor.at += 1
            items.append((name, _initial_value(cursor)))
        else:
            items.append(_initialiser(cursor, depth + 1))
        if cursor.accept("}"):
            return items
        cursor.expect(",")


def _initial_value(cursor: Cursor) -> Int | Float | Symbol:
    """`12`, `0f3f800000`, `name+4`, `generic(name)+4`, `0xff00(name+4)`."""
    token = cursor.texts[cursor.at]
    following = cursor.texts[cursor.at + 1] if token else ""
    if token == "generic" and following == "(":
        cursor.at += 2
        inner = symbol_offset(cursor)
        cursor.expect(")")
        offset = inner.offset + signed_offset(cursor)
        return Symbol(inner.name, offset, True)
    if token[:2] in ("0x", "0X") and following == "(":
        mask = int(token[2:].rstrip("U"), 16)
        cursor.at += 2
        if cursor.texts[cursor.at] == "generic":
            cursor.at += 1
            cursor.expect("(")
            inner = symbol_offset(cursor)
            cursor.expect(")")
            result = Symbol(inner.name, inner.offset + signed_offset(cursor), True, mask)
        else:
            inner = symbol_offset(cursor)
            result = Symbol(inner.name, inner.offset, False, mask)
        cursor.expect(")")
        return result
    if token[:1].isalpha() or token[:1] in ("_", "$", "%"):
        if token == "WARP_SZ":
            return evaluate(cursor)
        return symbol_offset(cursor)
    return evaluate(cursor)


def symbol_offset(cursor: Cursor) -> Symbol:
    """`name`, `name+4`, `name-4`"""
    name = cursor.name()
    return Symbol(name, signed_offset(cursor))


def signed_offset(cursor: Cursor) -> int:
    """`+4`, `-4`, `+-4` or nothing."""
    token = cursor.texts[cursor.at]
    if token == "+":
        cursor.at += 1
    elif token != "-":
        return 0
    return cursor.integer()


def parameters(cursor: Cursor) -> list[Variable]:
    """`(.param .u64 a, .param .align 8 .b8 b[16])`; old modules use `.reg` for device functions."""
    cursor.expect("(")
    found: list[Variable] = []
    if cursor.accept(")"):
        return found
    while True:
        hidden: Linkage = "hidden" if cursor.accept(".hidden") else ""
        one = _declarator(cursor, head(cursor), hidden, formal=True)
        if len(one.dims) > 1:
            cursor.fail("syntax error, a parameter has one dimension", cursor.at - 1)
        if one.space == "reg" and one.vector:  # its elements, as a body's vector registers are
            names = (one.name if one.name == "_" else f"{one.name}${s}" for s in "xyzw"[: one.vector])
            found += (Variable(name, "reg", one.type, where=one.where) for name in names)
        else:
            found.append(one)
        if cursor.accept(")"):
            return found
        cursor.expect(",")
