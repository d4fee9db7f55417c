"""Accesses to local and shared arrays say how far they are aligned, so that LLVM joins neighbours to vectors.

LLVM does not see through a cast between address spaces that an address is of an array that begins at a multiple of
sixteen bytes: a fragment of eight words in local memory, or eight halves of a pixel in shared memory that a function
took by a generic pointer, are eight accesses.

    %p = addrspacecast ptr %fragment to ptr addrspace(5)              %fragment = alloca [2 x [8 x float]], align 16
    %q = getelementptr [8 x float], ptr addrspace(5) %p, i32 %i
    store float %x, ptr addrspace(5) %q, align 4                      align 16

    %q = getelementptr [144 x half], ptr addrspace(3) @tile, i32 %y   @tile = ... addrspace(3) global ..., align 16
    %p = addrspacecast ptr addrspace(3) %q to ptr
    %r = getelementptr half, ptr %p, i64 %x                           %x = shl i64 %column, 3
    %v = load half, ptr %r, align 2                                   align 16

Of each number and each address the least power of two that may divide it is what its operands make of theirs, from
sixteen downwards until nothing changes: so are those that a loop carries. Input: a module's text after LLVM's pipeline;
the same with greater alignments.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from minicc.nvvm.bodies import CASTS, GLOBAL, NAME

_MOST = 16
_NAME = rf"(?:{NAME}|@{GLOBAL})"
_POINTER = r"ptr(?: addrspace\(\d\))?"
_MADE = re.compile(
    rf"  (?P<name>{_NAME}) = (?:alloca [^\n]*?, align (?P<align>\d+)"
    rf"|(?:(?P<op>shl|mul|add|sub|or|and) (?:nuw |nsw |disjoint )*i\d+ (?P<left>[^\s,]+), (?P<right>[^\s,]+))"
    rf"|(?:zext|sext|trunc|addrspacecast) (?:\w+ )*?(?:i\d+|{_POINTER}) (?P<same>{_NAME}) to "
    rf"|phi (?:i\d+|{_POINTER}) (?P<ways>\[[^\n!]*\])"
    rf"|getelementptr (?:inbounds |nuw |nusw )*(?P<type>[^%@\n]+?), {_POINTER} (?P<base>{_NAME}), "
    rf"(?P<at>[^\n!]+?)(?:, !|$))"
)
_ACCESS = re.compile(rf"(?P<head>  (?:{NAME} = load|store) [^\n]*{_POINTER} (?P<base>{_NAME}), align )(?P<align>\d+)")
_GLOBAL = re.compile(rf"(?m)^(@{GLOBAL}) = [^\n]* addrspace\(3\) global [^\n]*, align (\d+)")
_ARRAY = re.compile(r"\[(\d+) x (.*)\]$")
_SIZES = {"i8": 1, "i16": 2, "half": 2, "bfloat": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}


def marked(text: str) -> str:
    """The module's text with what is known of such accesses."""
    arrays = {name: _power(int(align)) for name, align in _GLOBAL.findall(text)}
    return "\n}\n".join([_function(f, arrays) if any(cast in f for cast in CASTS) else f for f in text.split("\n}\n")])


def _function(text: str, arrays: dict[str, int]) -> str:
    lines = text.split("\n")
    made = [found for line in lines if (found := _MADE.match(line))]
    known = arrays | {m["name"]: _MOST for m in made}

    def of(operand: str) -> int:
        return known.get(operand, 1) if operand[0] in "%@" else _power(int(operand)) if operand[-1].isdigit() else 1

    lower = True
    while lower:
        lower = False
        for m in made:
            if (power := _divisor(m, of)) < known[m["name"]]:
                known[m["name"]], lower = power, True
    for at, line in enumerate(lines):
        if (access := _ACCESS.match(line)) and known.get(access["base"], 0) > int(access["align"]):
            lines[at] = f"{access['head']}{known[access['base']]}{line[access.end() :]}"
    return "\n".join(lines)


def _divisor(m: re.Match[str], of: Callable[[str], int]) -> int:
    """The power of two that divides what a line makes, by those of its operands."""
    if m["align"]:
        return _power(int(m["align"]))
    if m["same"]:
        return of(m["same"])
    if m["ways"]:
        return min(of(way.split(",")[0].strip()) for way in m["ways"][1:].split("["))
    if m["base"]:
        return min(of(m["base"]), _offset(m["type"], m["at"], of))
    left, right = of(m["left"]), m["right"]
    if m["op"] == "shl":
        return left if right[0] == "%" else _power(left << int(right))
    if m["op"] == "mul":
        return _power(left * of(right))
    return (max if m["op"] == "and" else min)(left, of(right))


def _offset(kind: str, at: str, of: Callable[[str], int]) -> int:
    """The power of two that divides the offset of an element."""
    found = _MOST
    for position, index in enumerate(at.split(", ")):
        if position:
            array = _ARRAY.match(kind)
            if array is None:
                return 1
            kind = array[2]
        found = min(found, _power(_size(kind) * of(index.split()[-1])))
    return found


def _power(number: int) -> int:
    """The greatest power of two that divides a number, sixteen at most."""
    return min(number & -number, _MOST) or _MOST


def _size(kind: str) -> int:
    """Of a type, in bytes; 1 if that is not known."""
    if array := _ARRAY.match(kind):
        return int(array[1]) * _size(array[2])
    return _SIZES.get(kind, 1)
