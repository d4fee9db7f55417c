"""Local arrays of a few elements, of which an index chooses: registers and selections.

`int at[2] = {row, column}; for (int d = 0; d < dimensions; d++) place += at[d] * stride[d];` is a store and a load of
local memory for LLVM, for each turn. An array goes from which an index chooses among three elements at most, and among
five if it also says what is stored to: a store that lanes make at other places each takes a turn for each of these, and
what is loaded next waits for it. (NVIDIA's compiler does so with five, and with three where it stores.)

An array is taken if all that is done with its address is known: loads and stores of scalars (and vectors, zeros and
copies of constants at places that are known), none of which overlap in part. Each scalar becomes a local variable of
its own, a load at an index a load of each that it may mean, and selections; a store one of each, of the old value or
the new one. LLVM makes registers of them.

Input: a module's text after LLVM's pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from minicc.nvvm.bodies import NAME, fresh

LOADED, STORED = 3, 5
"""Elements of which an index chooses at most, in an array that it only loads from and in one that it stores to. On the
model loads from four take 1.16 of the cycles of local memory (ints; 1.22 doubles), from three 1.02 and 0.93, from two
0.94; sums added to one of two to five elements 0.25 to 0.2."""
_LARGEST = 64
"""Bytes of an array that is looked at."""
_SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
_ALLOCA = re.compile(rf"  ({NAME}) = alloca ([^,\n]+), align \d+(?:, !.*)?$")
_GEP = re.compile(rf"  ({NAME}) = getelementptr (?:(?:inbounds|nuw|nusw) )*(.+?), ptr ({NAME}), (.*)$")
_LOAD = re.compile(rf"  ({NAME}) = load (<\d+ x \w+>|\w+), ptr ({NAME}), align \d+(?:, !.*)?$")
_STORE = re.compile(rf"  store (<\d+ x \w+>|\w+) (.+), ptr ({NAME}), align \d+(?:, !.*)?$")
_LIFETIME = re.compile(rf"  call void @llvm\.lifetime\.(?:start|end)\.p0\([^%\n]*({NAME})\)")
_MEMSET = re.compile(
    rf"  (?:tail )?call void @llvm\.memset\.p0\.i\d+\(ptr [^%\n]*({NAME}), i8 0, i\d+ (\d+), i1 false\)"
)
_MEMCPY = re.compile(
    rf"  (?:tail )?call void @llvm\.memcpy\.p0\.p0\.i\d+\(ptr [^%\n]*({NAME}), ptr [^@%\n]*(@[\w.$]+), i\d+ (\d+), "
    r"i1 false\)"
)
_INDEX = re.compile(rf"(i\d+) (-?\d+|{NAME})(?:, |$)")
_VECTOR = re.compile(r"<(\d+) x (\w+)>")
_ZERO = ("0", "zeroinitializer", "0.000000e+00", "null")


@dataclass
class _Place:
    """What a pointer into an array is: the index that `scale` is multiplied by, if there is one, and bytes more."""

    index: str = ""
    """Type and name."""
    scale: int = 0
    more: int = 0


@dataclass
class _Array:
    name: str
    bytes: int
    pointers: dict[str, _Place] = field(default_factory=dict)
    slots: dict[int, str] = field(default_factory=dict)
    """The type of the scalar at each place."""
    gone: set[int] = field(default_factory=set)
    """Lines that only make addresses."""
    work: dict[int, tuple[str, re.Match[str]]] = field(default_factory=dict)
    """Lines that read or write, and how."""
    most: dict[str, int] = field(default_factory=dict)
    """Among how many elements an index chooses at most, by load and store."""


def chosen(text: str) -> str:
    """The module's text in which such arrays are single variables."""
    parts = text.split("\ndefine ")
    return "\ndefine ".join([parts[0], *map(_function, parts[1:])])


def _function(text: str) -> str:
    if " = alloca [" not in text:
        return text
    lines = text.split("\n")
    names = fresh(text, "few")
    for place in range(len(lines)):
        found = _ALLOCA.match(lines[place])
        if found and found[2].startswith("[") and 0 < (size := _size(found[2])) <= _LARGEST:
            array = _Array(found[1], size, {found[1]: _Place()}, gone={place})
            if _collect(array, lines, place) and 0 < max(array.most.values(), default=0) <= (
                STORED if "store" in array.most else LOADED
            ):
                _rewrite(array, lines, place, names)
    return "\n".join(lines)


def _size(kind: str) -> int:
    """Bytes of a scalar or of an array of such; 0 if it is something else."""
    if kind.startswith("["):
        number, _, element = kind[1:-1].partition(" x ")
        return int(number) * _size(element)
    return _SIZES.get(kind, 0)


def _mentions(lines: list[str], name: str, made: int) -> list[int]:
    """The lines that name a value, but for the one that makes it."""
    word = re.compile(re.escape(name) + r"(?![-\w.$])")
    return [k for k, line in enumerate(lines) if name in line and k != made and word.search(line)]


def _collect(array: _Array, lines: list[str], place: int) -> bool:
    """Find all uses; whether the array can go."""
    todo = [(array.name, place)]
    cleared: list[tuple[int, int]] = []
    while todo:
        name, at = todo.pop()
        here = array.pointers[name]
        for k in _mentions(lines, name, at):
            line = lines[k]
            if (gep := _GEP.match(line)) and gep[3] == name and name not in re.findall(NAME, gep[4]):
                target = _reached(here, gep[2], gep[4])
                if target is None:
                    return False
                array.pointers[gep[1]] = target
                array.gone.add(k)
                todo.append((gep[1], k))
            elif (load := _LOAD.match(line)) and load[3] == name:
                array.work[k] = "load", load
                if not _take(array, here, load[2], "load"):
                    return False
            elif (store := _STORE.match(line)) and store[3] == name and name not in re.findall(NAME, store[2]):
                wide = re.fullmatch(r"i(\d+)", store[1])
                if not here.index and store[2] in _ZERO and wide and int(wide[1]) > 8 * min(_SIZES.values()):
                    # Several zeros may be one.
                    array.work[k] = "clear", store
                    cleared.append((here.more, int(wide[1]) // 8))
                    continue
                array.work[k] = "store", store
                if not _take(array, here, store[1], "store"):
                    return False
            elif (life := _LIFETIME.match(line)) and life[1] == name:
                array.gone.add(k)
            elif (fill := _MEMSET.match(line) or _MEMCPY.match(line)) and fill[1] == name and not here.index:
                array.work[k] = "fill", fill
                cleared.append((here.more, int(fill[fill.re.groups])))
            else:
                return False
    edges = sorted((at, at + _SIZES[kind]) for at, kind in array.slots.items())
    apart = all(a[1] <= b[0] for a, b in pairwise(edges))
    whole = all(not (a < start < b or a < start + size < b) for start, size in cleared for a, b in edges)
    return apart and whole


def _reached(here: _Place, kind: str, indices: str) -> _Place | None:
    """Where a getelementptr goes to."""
    out = _Place(here.index, here.scale, here.more)
    for step, (width, value) in enumerate(_INDEX.findall(indices)):
        if step:
            if not kind.startswith("["):
                return None
            kind = kind[1:-1].partition(" x ")[2]
        size = _size(kind)
        if not size:
            return None
        if value.startswith("%"):
            if out.index:
                return None
            out.index, out.scale = f"{width} {value}", size
        else:
            out.more += int(value) * size
    return out


def _candidates(array: _Array, here: _Place, size: int) -> list[tuple[int, int]]:
    """Values of the index, and where each leads to."""
    if not here.index:
        return [(0, here.more)]
    least, most = -(here.more // here.scale), (array.bytes - size - here.more) // here.scale
    return [(k, here.more + k * here.scale) for k in range(least, most + 1)]


def _take(array: _Array, here: _Place, kind: str, how: str) -> bool:
    """Note the scalars that an access may mean; whether that is possible."""
    vector = _VECTOR.match(kind)
    element = vector[2] if vector else kind
    if element not in _SIZES or (vector and here.index):
        return False
    size = _SIZES[element]
    places = _candidates(array, here, size)
    if vector:
        places = [(0, here.more + k * size) for k in range(int(vector[1]))]
    if here.index:
        array.most[how] = max(array.most.get(how, 0), len(places))
        if not places:
            return False
    for _, at in places:
        if at < 0 or at + size > array.bytes or _SIZES[array.slots.setdefault(at, element)] != size:
            return False
    return True


def _rewrite(array: _Array, lines: list[str], place: int, names: Iterator[str]) -> None:
    """Put the single variables in the array's place."""
    slots = {at: f"{array.name}.few{at}" for at in sorted(array.slots)}
    for k in array.gone:
        lines[k] = ""
    lines[place] = "\n".join(
        f"  {slots[at]} = alloca {kind}, align {_SIZES[kind]}" for at, kind in sorted(array.slots.items())
    )
    for k, (how, found) in array.work.items():
        lines[k] = "\n".join(_lines(array, slots, how, found, names))


def _lines(array: _Array, slots: dict[int, str], how: str, found: re.Match[str], names: Iterator[str]) -> Iterator[str]:
    """What one access becomes."""

    def made() -> str:
        return f"%{next(names)}"

    if how in ("fill", "clear"):
        pointer = found[3] if how == "clear" else found[1]
        start = array.pointers[pointer].more
        size = int(found[1][1:]) // 8 if how == "clear" else int(found[found.re.groups])
        source = found[2] if how == "fill" and found.re.groups == 3 else ""
        for at, slot in slots.items():
            if start <= at < start + size:
                kind, value = array.slots[at], "zeroinitializer"
                if source:
                    yield f"  {(address := made())} = getelementptr i8, ptr {source}, i64 {at - start}"
                    yield f"  {(value := made())} = load {kind}, ptr {address}, align 1"
                yield f"  store {kind} {value}, ptr {slot}, align {_SIZES[kind]}"
        return
    kind, here = (found[2] if how == "load" else found[1]), array.pointers[found[3]]
    vector = _VECTOR.match(kind)
    if vector:
        yield from _vector(slots, how, found, vector, here.more, made)
        return
    size = _SIZES[kind]
    choice = [(k, slots[at]) for k, at in _candidates(array, here, size)]
    if not here.index:
        if how == "load":
            yield f"  {found[1]} = load {kind}, ptr {choice[0][1]}, align {size}"
        else:
            yield f"  store {kind} {found[2]}, ptr {choice[0][1]}, align {size}"
        return
    if how == "load":
        value = ""
        for step, (k, slot) in enumerate(reversed(choice)):
            last = step == len(choice) - 1
            one = found[1] if last and not value else made()
            yield f"  {one} = load {kind}, ptr {slot}, align {size}"
            if value:
                yield f"  {(same := made())} = icmp eq {here.index}, {k}"
                both = found[1] if last else made()
                yield f"  {both} = select i1 {same}, {kind} {one}, {kind} {value}"
                one = both
            value = one
        return
    for k, slot in choice:
        yield f"  {(old := made())} = load {kind}, ptr {slot}, align {size}"
        yield f"  {(same := made())} = icmp eq {here.index}, {k}"
        yield f"  {(new := made())} = select i1 {same}, {kind} {found[2]}, {kind} {old}"
        yield f"  store {kind} {new}, ptr {slot}, align {size}"


def _vector(
    slots: dict[int, str], how: str, found: re.Match[str], vector: re.Match[str], start: int, made: Callable[[], str]
) -> Iterator[str]:
    """A vector's elements, one by one."""
    kind, element, size = vector[0], vector[2], _SIZES[vector[2]]
    value = "poison"
    for k in range(int(vector[1])):
        one = made()
        if how == "store":
            yield f"  {one} = extractelement {kind} {found[2]}, i32 {k}"
            yield f"  store {element} {one}, ptr {slots[start + k * size]}, align {size}"
        else:
            yield f"  {one} = load {element}, ptr {slots[start + k * size]}, align {size}"
            both = found[1] if k == int(vector[1]) - 1 else made()
            yield f"  {both} = insertelement {kind} {value}, {element} {one}, i32 {k}"
            value = both
