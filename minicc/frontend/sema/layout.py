"""Where the members of a class lie."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Record, Type
from minicc.numbers import align_up


class Layout:
    """Offsets by the Itanium ABI for plain data: natural alignment, bit-fields packed into their type's units."""

    def __init__(self, record: Record, forced: int, pack: int = 0) -> None:
        self.record, self.forced, self.pack = record, forced, pack
        """Members are aligned to no more than this, if not 0."""
        self.size = 0
        self.align = 1
        self.bit = 0
        """Next free bit, when the last member was a bit-field."""
        self.in_bits = False

    def restore(self, before: Layout) -> None:
        """Forget the members that came since `before`, a copy, was made."""
        self.size, self.align, self.bit, self.in_bits = before.size, before.align, before.bit, before.in_bits

    def add_base(self, base: Type) -> int:
        assert base.record is not None
        if not base.record.fields:
            # An empty base takes no room.
            return 0
        align = min(base.align, self.pack or base.align)
        offset = -(-self.size // align) * align
        self.size, self.align = offset + base.record.data_size, max(self.align, align)
        return offset

    def add_empty(self, name: str, t: Type, default: tuple[list[Token], ast.Scope] | None) -> bool:
        """A member of an empty class that is marked [[no_unique_address]] takes no room at the beginning, unless
        another of its class lies there."""
        if t.record is None or t.record.fields or any(b.bare is t.bare for b, _ in self.record.bases):
            return False
        if any(f.offset == 0 and f.type.bare is t.bare for f in self.record.fields):
            return False
        self.record.fields.append(Field(name, t, 0, default=default))
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
            self.size = max(self.size, t.size)
            return
        offset = -(-self.size // natural) * natural
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
        align = max(self.align, self.forced)
        # The tail of a class that is no aggregate may hold a derived class's members.
        plain = not (self.record.constructors or self.record.bases)
        size = -(-max(self.size, 1) // align) * align
        self.record.data_size = size if plain else self.size
        ty.complete(made, size, align)
