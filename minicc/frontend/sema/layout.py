"""Where the members of a class lie."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Record, Type
from minicc.numbers import align_up

_APART = 64
"""So far from an array's beginning its elements share no place with an empty class: those lie one behind another."""


class Layout:
    """Offsets by the Itanium ABI (2.4): natural alignment, bit-fields packed into their type's units, empty classes
    where no other object of their type lies."""

    def __init__(self, record: Record, forced: int, pack: int = 0) -> None:
        self.record, self.forced, self.pack = record, forced, pack
        """Members are aligned to no more than this, if not 0."""
        self.size = 0
        """Where the next member may begin."""
        self.whole = 0
        """Bytes of all that lies there: empty classes may reach beyond the others."""
        self.align = 1
        self.bit = 0
        """Next free bit, when the last member was a bit-field."""
        self.in_bits = False
        self.taken: frozenset[tuple[int, Type]] = frozenset()
        """Where which empty classes lie."""

    def restore(self, before: Layout) -> None:
        """Forget the members that came since `before`, a copy, was made."""
        self.size, self.whole, self.align, self.taken = before.size, before.whole, before.align, before.taken
        self.bit, self.in_bits = before.bit, before.in_bits

    def add_base(self, base: Type) -> int:
        return self._shared(base, min(base.align, self.pack or base.align))

    def _shared(self, t: Type, align: int) -> int:
        """Place a base class, or what is like one: others may lie in the room at its end, and an empty one anywhere."""
        assert t.record is not None
        empty = (0, t.bare) in t.record.empties
        # An empty class that does not fit at the beginning is tried from the end of what there is.
        first = 0 if empty and not self._meets(t, 0) else align_up(self.size, align)
        offset = self._free(t, first, align)
        end = offset + (t.size if empty else t.record.data_size)
        self.size = self.size if empty else end
        self.whole, self.align = max(self.whole, end), max(self.align, align)
        return offset

    def _free(self, t: Type, offset: int, step: int) -> int:
        """The first place from `offset` on where no empty class in `t` meets another of its type."""
        while self._meets(t, offset):
            offset += step
        self.taken |= {(offset + at, empty) for at, empty in _empties(t)}
        return offset

    def _meets(self, t: Type, offset: int) -> bool:
        """An empty class in `t` at `offset` would lie where another of its type does."""
        return any((offset + at, empty) in self.taken for at, empty in _empties(t))

    def add_shared(self, name: str, t: Type, align: int, default: tuple[list[Token], ast.Scope] | None) -> bool:
        """Place a member that is marked [[no_unique_address]] as a base would be, if it is of a class."""
        if t.record is None or self.record.tag == "union":
            return False
        self.in_bits = False
        self.record.fields.append(Field(name, t, self._shared(t, max(t.align, align)), default=default))
        return True

    def add(self, name: str, t: Type, align: int, width: int, default: tuple[list[Token], ast.Scope] | None) -> None:
        natural = max(min(t.align, self.pack or t.align), align)
        if width >= 0:
            self._bit_field(name, t, width, default)
            return
        self.in_bits = False
        self.align = max(self.align, natural)
        if self.record.tag == "union":
            self.record.fields.append(Field(name, t, 0, default=default))
            self.taken |= set(_empties(t))
            self.size = max(self.size, t.size)
            return
        offset = self._free(t, align_up(self.size, natural), natural)
        self.record.fields.append(Field(name, t, offset, default=default))
        self.size = offset + t.size

    def _bit_field(self, name: str, t: Type, width: int, default: tuple[list[Token], ast.Scope] | None) -> None:
        unit = t.size * 8
        align = min(t.align, self.pack or t.align)
        if name:
            # One without a name takes room, but does not align its class.
            self.align = max(self.align, align)
        if self.record.tag == "union":
            self.record.fields.append(Field(name, t, 0, 0, width, default, unit=-(-width // 8) if self.pack else 0))
            self.size = max(self.size, -(-width // 8))
            return
        start = self.bit if self.in_bits else self.size * 8
        if width == 0:
            self.size, self.in_bits = -(-start // unit) * t.size, False
            return
        step = align * 8
        """Where a unit that holds the field may begin."""
        if start // step * step + unit < start + width:
            start = align_up(start, step)
        reach = -(-(start % step + width) // 8) if self.pack else 0
        self.record.fields.append(Field(name, t, start // step * align, start % step, width, default, unit=reach))
        self.bit, self.in_bits = start + width, True
        self.size = max(self.size, -(-self.bit // 8))

    def finish(self, made: Type) -> None:
        record, align = self.record, max(self.align, self.forced)
        record.plain_data = self._plain_data()
        record.empties = (*self.taken, *([(0, made)] if self.size == 0 else []))
        used = max(self.size, self.whole, 1)
        size = align_up(used, align)
        # The tail of a class that is more than plain data may hold a derived class's members.
        record.data_size = size if record.plain_data else used
        ty.complete(made, size, align)

    def _plain_data(self) -> bool:
        """A "POD for the purpose of layout", as nvcc and GCC have it: C++11's, and no member has an initialiser."""
        record = self.record
        if record.bases or record.tables or record.closure or record.provided or record.closed_data:
            return False
        if record.copied_alone and not (record.has_default or record.constructors):
            return False
        if any(not (isinstance(c, ast.Function) and c.deleted) for c in record.constructors):
            return False
        return not any(f.default is not None or f.type.kind == "reference" or _more(f.type) for f in record.fields)


def _more(t: Type) -> bool:
    """A class, or an array of one, that is more than plain data."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    return t.record is not None and not t.record.plain_data


def _empties(t: Type) -> list[tuple[int, Type]]:
    """The empty classes in an object, itself perhaps, and where they lie."""
    if t.kind == "array" and t.elem is not None:
        each = _empties(t.elem)
        places = range(0, min(t.size, _APART), max(t.elem.size, 1)) if each else ()
        return [(k + at, empty) for k in places for at, empty in each]
    return [(at, empty.bare) for at, empty in t.record.empties] if t.record is not None else []
