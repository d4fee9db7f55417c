"""The operands that a row of `isa` names, and what each of them takes.

    d:T    destination register of type T         o:T    the same or `_`
    a:T    source, register or constant           b, c, e  the same
    g:T    register only                          n:T    source, or the name of a variable
    x:T    what `mov` takes
    P      predicate                              p      predicate destination or `_`
    c!     predicate source or constant           p|q    one or two predicate destinations
    dp:T   register, maybe with a predicate       op:T   the same, `_` with one
    d|p:T  register or `_` with a predicate       _      result that nobody wants
    v:T    vector as the .vN says, or one         u:T    the same or `_`
    vN:T   always N in braces                     nN:T   N in braces, or one
    s:T    vector, or special register of one     B      registers of one size in braces
    hN     N halves in braces                     r:T    a fetch's results, maybe with a predicate
    @      address                                l      label or symbol
    @@     texture or surface in brackets         @N+K:T texture with N coordinates, the first K integers
    tN     tensor map with N coordinates          %      fraction
    #      constant                               #4/8   one of these
    w:T    threads, in whole warps                m:T    bytes, by sixteens

In video instructions `y:T` is a source, or a byte or half of it, `y2:T` one with a choice of halves, `y4:T` of bytes,
`d1`, `d2`, `d4` the same of destinations.
`~T` allows a register wider than the type, `T..N` no constant above N, `T+` not zero; `-` before a kind is a sign that
stands there, `?` after it makes it optional.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from minicc.numbers import float_of
from minicc.ptx import model as ptx
from minicc.ptx.names import SIZES, SPECIAL
from minicc.record import Record, evolve

TypeOf = Callable[[str], "str | None"]
"""A register's type by its name."""

_HANDLE = 8
"""Bytes of a texture or surface handle."""
_KINDS = {"f16x2": "h", "bf16": "x", "bf16x2": "x", "u16x2": "p", "s16x2": "p"}
_TAKES = {"b": "busfh", "u": "bush", "s": "bush", "f": "bf", "h": "bh", "x": "b", "t": "b", "e": "b", "p": "bh"}
"""First letters of types (or what `_KINDS` calls them) -> those of registers of the same size that they take."""
_PARTS = {
    **dict.fromkeys(("y", "d1"), re.compile("b[0-3]|h[01]")),
    "y2": re.compile("h[0-3]{2}"), "y4": re.compile("b[0-7]{4}"),
    "d2": re.compile("h1?0|h1"), "d4": re.compile("(?=b.)b3?2?1?0?"),
}  # fmt: skip
"""Selectors of video instructions, by kind of operand."""
_SPECIAL = {
    **dict.fromkeys(("%tid", "%ntid", "%ctaid", "%nctaid"), (2, 4)),
    **dict.fromkeys(("%clock64", "%globaltimer", "%current_graph_exec", *(f"%pm{n}_64" for n in range(8))), (8,)),
    "%gridid": (2, 4, 8), "%is_explicit_cluster": (1,),
}  # fmt: skip
"""Sizes in which `mov` reads a special register, where not 4; 1 is a predicate."""


class Spec(Record):
    """One operand of a row. `name` is the kind as written, `kind` that with N for its numbers, which are `counts`;
    `type` may be a letter that the modifiers give a type; a constant is at most `most`."""

    def __init__(
        self,
        name: str,
        kind: str,
        counts: tuple[int, ...],
        type: str,
        wide: bool,
        most: int | None,
        nonzero: bool,
        signed: bool,
        optional: bool,
    ) -> None:
        self.name, self.kind, self.counts, self.type, self.wide, self.most = name, kind, counts, type, wide, most
        self.nonzero, self.signed, self.optional = nonzero, signed, optional


_SPEC = re.compile(
    r"(?P<sign>-?)(?P<name>[^\d:+.]+?(\d+([/+]\d+)*)?)"
    r"(:(?P<wide>~?)(?P<type>\w+))?(\.\.(?P<most>\d+))?(?P<nonzero>\+?)(?P<optional>\??)"
)


@functools.cache
def spec(text: str) -> Spec:
    """An operand as the rows write it."""
    found = _SPEC.fullmatch(text)
    assert found, text
    name, most = found["name"], found["most"]
    return Spec(
        name, re.sub(r"\d+(/\d+)*", "N", name), tuple(int(n) for n in re.findall(r"\d+", name)), found["type"] or "",
        bool(found["wide"]), int(most) if most else None, bool(found["nonzero"]), bool(found["sign"]),
        bool(found["optional"]),
    )  # fmt: skip


class Place(Record):
    """Where an operand stands: its `spec`, the `type` that is wanted there, the `vector` length that the modifiers say,
    and whether it is the instruction's `first`."""

    def __init__(self, spec: Spec, type: str, vector: int, first: bool, type_of: TypeOf) -> None:
        self.spec, self.type, self.vector, self.first, self.type_of = spec, type, vector, first, type_of

    def takes(self, operand: ptx.Operand) -> bool:
        """May the operand stand here?"""
        bare = self._bare(operand)
        if bare is None:
            return False
        if isinstance(bare, ptx.Int):
            most = self.spec.most
            if (most is not None and not 0 <= bare.value <= most) or (self.spec.nonzero and not bare.value):
                return False
        return _CHECKS[self.spec.kind](self, bare)

    def _bare(self, operand: ptx.Operand) -> ptx.Operand | None:
        """The operand without the sign and the selector that may stand here; None if it has others or lacks them."""
        if not isinstance(operand, ptx.Reg):
            return None if self.spec.signed else operand
        if operand.minus != self.spec.signed:
            return None
        if operand.part is not None:
            choice = _PARTS.get(self.spec.name)
            if choice is None or not choice.fullmatch(operand.part):
                return None
        return evolve(operand, minus=False, part=None) if operand.minus or operand.part else operand

    # What each kind takes.

    def predicate(self, operand: ptx.Operand | None) -> bool:
        if not isinstance(operand, ptx.Reg) or (self.first and operand.neg):
            return False
        return self.type_of(operand.name) == "pred"

    def predicate_to(self, operand: ptx.Operand | None) -> bool:
        return self.predicate(operand) or _sink(operand)

    def predicates_to(self, operand: ptx.Operand) -> bool:
        both = (operand.first, operand.second) if isinstance(operand, ptx.Pair) else (operand,)
        return all(self.predicate_to(one) for one in both)

    def truth(self, operand: ptx.Operand) -> bool:
        return self.predicate(operand) or isinstance(operand, ptx.Int)

    def address(self, operand: ptx.Operand) -> bool:
        base = operand.base if isinstance(operand, ptx.Address) else None
        return base is not None and not (isinstance(base, ptx.Reg) and (base.part is not None or base.minus))

    def label(self, operand: ptx.Operand) -> bool:
        return isinstance(operand, ptx.Symbol)

    def nothing(self, operand: ptx.Operand) -> bool:
        return _sink(operand)

    def constant(self, operand: ptx.Operand) -> bool:
        return isinstance(operand, ptx.Int) and (not self.spec.counts or operand.value in self.spec.counts)

    def fraction(self, operand: ptx.Operand) -> bool:
        inside = not isinstance(operand, ptx.Float) or 0 < float_of(operand.bits, operand.width) <= 1
        return inside and self._typed(operand, "f32")

    def source(self, operand: ptx.Operand) -> bool:
        return self._typed(operand, self.type, self.spec.wide)

    def source_or_name(self, operand: ptx.Operand) -> bool:
        return (isinstance(operand, ptx.Symbol) and not _sink(operand)) or self.source(operand)

    def threads(self, operand: ptx.Operand) -> bool:
        return not (isinstance(operand, ptx.Int) and operand.value % 32) and self.source(operand)

    def sixteens(self, operand: ptx.Operand) -> bool:
        return not (isinstance(operand, ptx.Int) and operand.value % 16) and self.source(operand)

    def register(self, operand: ptx.Operand) -> bool:
        return isinstance(operand, ptx.Reg) and self.source(operand)

    def destination(self, operand: ptx.Operand) -> bool:
        return self._typed(operand, self.type, self.spec.wide, destination=True)

    def destination_or_nothing(self, operand: ptx.Operand) -> bool:
        return _sink(operand) or self.destination(operand)

    def destination_and_predicate(self, operand: ptx.Operand) -> bool:
        """Both, and the predicate is no `_`."""
        if not isinstance(operand, ptx.Pair) or not self.predicate(operand.second):
            return False
        return self.destination_or_nothing(operand.first)

    def destination_maybe_predicate(self, operand: ptx.Operand) -> bool:
        """Not both of the two are `_`."""
        if not isinstance(operand, ptx.Pair):
            return self.destination(operand)
        second = self.predicate(operand.second) or (_sink(operand.second) and not _sink(operand.first))
        return second and self.destination(operand.first)

    def nothing_maybe_predicate(self, operand: ptx.Operand) -> bool:
        if isinstance(operand, ptx.Pair) and _sink(operand.first):
            return self.predicate(operand.second)
        return self.destination_maybe_predicate(operand)

    def moved(self, operand: ptx.Operand) -> bool:
        size = SIZES.get(self.type, 0)
        match operand:
            case ptx.Special():
                sizes = _SPECIAL.get(operand.name.partition(".")[0], (4,))
                return self.type[0] != "f" and SIZES.get(self.type, 1) in sizes
            case ptx.Vector():
                item = next((i for i in operand.items if isinstance(i, ptx.Reg)), None)
                of = self.type_of(item.name) if item else "b32"
                return self.type[0] == "b" and len(operand.items) * SIZES.get(of or "", 0) == size
            case ptx.Int() | ptx.Float():
                truth = self.type == "pred" and isinstance(operand, ptx.Int)
                return not self.first and (truth or _constant(operand, self.type, size))
            case ptx.Symbol():
                return not self.first and self.type[0] != "f"
            case ptx.Reg():
                return self._typed(operand, self.type, destination=self.first)
        return True

    def same_size(self, operand: ptx.Operand) -> bool:
        """Constants alone are a source; which ones, the instruction's types say."""
        inside = operand.items if isinstance(operand, ptx.Vector) else ()
        sizes = {SIZES.get(self.type_of(i.name) or "") for i in inside if isinstance(i, ptx.Reg)}
        return len(sizes) == 1 or (not sizes and not self.first and bool(inside))

    def vector_of(self, operand: ptx.Operand) -> bool:
        return self.elements(operand, (self.type,) * self.spec.counts[0])

    def vector_or_one(self, operand: ptx.Operand) -> bool:
        if not isinstance(operand, ptx.Vector):
            return self.vector == 1 and self._typed(operand, self.type, self.spec.wide, destination=self.first)
        items, wide = operand.items, self.spec.wide
        registers = [i for i in items if isinstance(i, ptx.Reg)]
        sizes = {SIZES.get(self.type_of(i.name) or "") for i in registers}
        # The type of one of them is enough; all have its size.
        return (
            (len(sizes) == 1 or (not self.first and not sizes))
            and len(items) == self.vector
            and (not sizes or any(self._typed(i, self.type, wide) for i in registers))
            and all(isinstance(i, ptx.Reg) or i is None or self._typed(i, self.type, wide, self.first) for i in items)
        )

    def vector_or_nothing(self, operand: ptx.Operand) -> bool:
        return _sink(operand) or self.vector_or_one(operand)

    def vector_or_special(self, operand: ptx.Operand) -> bool:
        if isinstance(operand, ptx.Special):
            return self.vector == 4 and self.type[0] != "f" and SPECIAL.get(operand.name) == "v4.u32"
        full = isinstance(operand, ptx.Vector) and None not in operand.items
        return full and self.elements(operand, (self.type,) * self.vector)

    def values(self, operand: ptx.Operand) -> bool:
        return self.vector_of(operand) if isinstance(operand, ptx.Vector) else self.source(operand)

    def fetched(self, operand: ptx.Operand) -> bool:
        if isinstance(operand, ptx.Pair):
            return self.predicate_to(operand.second) and self.fetched(operand.first)
        return self.elements(operand, (self.type,) * self.vector)

    def halves(self, operand: ptx.Operand) -> bool:
        inside = operand.items if isinstance(operand, ptx.Vector | ptx.Bracket) else ()
        return self.elements(ptx.Vector(inside), ("u16",) * self.spec.counts[0])

    def tensor(self, operand: ptx.Operand) -> bool:
        if not isinstance(operand, ptx.Bracket) or len(operand.items) != 2:
            return False
        last = operand.items[1]
        place = last if isinstance(last, ptx.Vector) else ptx.Vector((last,) if isinstance(last, ptx.Reg) else ())
        return self.elements(place, ("u32",) * self.spec.counts[0])

    def surface(self, operand: ptx.Operand) -> bool:
        return isinstance(operand, ptx.Address) and not operand.offset and self.handle(operand.base)

    def texel(self, operand: ptx.Operand) -> bool:
        if not isinstance(operand, ptx.Bracket) or not 2 <= len(operand.items) <= 3:
            return False
        count, whole = self.spec.counts
        *handles, place = operand.items
        if len(handles) == 2 and not isinstance(place, ptx.Vector):
            return False
        found = place if isinstance(place, ptx.Vector) else ptx.Vector((place,))
        if len(found.items) in (2, 4):
            count = max(count, len(found.items))  # what stands behind the last coordinate is not looked at
        types = ("u32",) * whole + (self.type,) * (count - whole)
        return all(self.handle(h) for h in handles) and self.elements(found, types)

    # What these are made of.

    def handle(self, operand: ptx.Operand | None) -> bool:
        """A texture, sampler or surface: by handle or by name."""
        if isinstance(operand, ptx.Reg):
            return SIZES.get(self.type_of(operand.name) or "") == _HANDLE
        return isinstance(operand, ptx.Symbol) and not operand.offset

    def elements(self, operand: ptx.Operand, types: tuple[str, ...]) -> bool:
        """A vector of these types, some of its items perhaps `_`."""
        if not isinstance(operand, ptx.Vector) or len(operand.items) != len(types):
            return False
        items = zip(operand.items, types, strict=True)
        return all(item is None or _sink(item) or self._typed(item, type_) for item, type_ in items)

    def _typed(self, operand: ptx.Operand, wanted: str, wide: bool = False, destination: bool = False) -> bool:
        """Is it of that type? Untyped (.b) registers go with any type of their size, integers with each other."""
        size = 4 if wanted in ("u16x2", "s16x2") else SIZES.get(wanted, 0)
        if isinstance(operand, ptx.Reg):
            have = self.type_of(operand.name)
            if wanted == "pred" or have == "pred":
                return have == wanted
            if have is None or operand.part is not None or operand.minus or operand.neg:
                return False
            width = SIZES.get(have, 0)
            if width != size and not (wide and width > size and (wanted[0] == "b" or have[0] != "f")):
                return False
            return _KINDS.get(have, have[0]) in _TAKES[_KINDS.get(wanted, wanted[0])]
        if destination:
            return False
        if isinstance(operand, ptx.Int | ptx.Float):
            return (wide and isinstance(operand, ptx.Float)) or _constant(operand, wanted, size)
        return isinstance(operand, ptx.Special)


_CHECKS: dict[str, Callable[[Place, ptx.Operand], bool]] = {
    "P": Place.predicate, "p": Place.predicate_to, "p|q": Place.predicates_to, "c!": Place.truth,
    "@": Place.address, "l": Place.label, "_": Place.nothing, "#": Place.constant, "#N": Place.constant,
    "%": Place.fraction, "x": Place.moved, "g": Place.register, "w": Place.threads, "m": Place.sixteens,
    **dict.fromkeys(("a", "b", "c", "e", "y"), Place.source), "yN": Place.register,
    "n": Place.source_or_name, "d": Place.destination, "dN": Place.destination, "o": Place.destination_or_nothing,
    "d|p": Place.destination_and_predicate, "dp": Place.destination_maybe_predicate,
    "op": Place.nothing_maybe_predicate, "B": Place.same_size, "v": Place.vector_or_one, "vN": Place.vector_of,
    "u": Place.vector_or_nothing, "s": Place.vector_or_special, "nN": Place.values, "r": Place.fetched,
    "hN": Place.halves, "tN": Place.tensor, "@@": Place.surface, "@N+N": Place.texel,
}  # fmt: skip


def _sink(operand: ptx.Operand | None) -> bool:
    return isinstance(operand, ptx.Symbol) and operand.name == "_"


def _constant(operand: ptx.Int | ptx.Float, wanted: str, size: int) -> bool:
    """Numbers go with types of their kind, halves with none; floats with untyped registers of their own size, too.
    Integers are predicates, too, true if not zero."""
    if isinstance(operand, ptx.Int):
        return _KINDS.get(wanted, wanted[0]) in "busp"
    return wanted in ("f32", "f64") or (wanted[0] == "b" and 8 * size == operand.width)
