"""What a constructor does before its body: the list of member initialisers, and the members and bases that it leaves
out ([class.base.init])."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.variables import Variables
from minicc.frontend.sema import constant
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Type


def _unnamed_in(field: Field, names: set[str]) -> bool:
    """An unnamed struct or union with a member of one of these names."""
    inner = field.type.record
    return not field.name and inner is not None and any(m.name in names or _unnamed_in(m, names) for m in inner.fields)


class MemberInitialisers(Variables):
    def member_initialisers(self, f: ast.Function) -> None:
        self.i += 1
        done: set[str] = set()
        while True:
            end = self.expansion_end(angles=True) if self.has_packs else None
            if end is not None:
                for _ in self.expansions(self.i, end):
                    self._member_initialiser(f, done)
                self.i += 1
            elif self._member_initialiser(f, done):
                return
            if not self.accept(","):
                break
        self.default_members(f, done)

    def _member_initialiser(self, f: ast.Function, done: set[str]) -> bool:
        """One of them; whether it is another constructor of the class."""
        assert f.record is not None and f.record.record is not None
        record, name = f.record.record, self.token
        field: Field | None = None
        if self.peek().text in ("<", "::") or name.text == "::":
            t: Type | None = self.simple_type().bare
        else:
            name = self.identifier()
            field = record.find(name.text) or record.find_unnamed(name.text)
            t = self.initialised_class(f.record, name) if field is None else None
        if t is f.record.bare:
            own = self.braced_list() if self.at("{") else None
            value = self.braced(own, f.record) if own is not None else self.construct(f.record, self.arguments(), name)
            if isinstance(value, ast.Construct) and value.function is f:
                self.fail(f"constructor for '{f.record}' creates a delegation cycle", name)
            f.base_inits.append((0, value))
            return True
        base = next(((b, offset) for b, offset in record.bases if b is t), None)
        if field is not None and field.name in done:
            self.fail(f"multiple initializations given for non-static member '{field.name}'", name)
        if base is not None and f"base {base[1]} {base[0]}" in done:
            self.fail(f"multiple initializations given for base '{base[0]}'", name)
        if base is not None:
            b, offset = base
            listed = self.at("{")
            made = self.braced(self.braced_list(), b) if listed else self.construct(b, self.arguments(), name)
            f.base_inits.append((offset, made))
            done.add(f"base {offset} {b}")
        elif t is not None:
            self.fail(f"type '{t}' is not a direct or virtual base of '{f.record}'", name)
        elif field is None:
            self.fail(f"member initializer '{name.text}' does not name a non-static data member or base class", name)
        else:
            f.inits += [(x, e) for x, e in self._member_values(field, record, self.token)]
            done.add(field.name)
        return False

    def initialised_class(self, own: Type, name: Token) -> Type | None:
        """The class that a plain name means before its arguments: itself, one of its bases, or another."""
        found = self.lookup(name.text)
        assert own.record is not None
        for t in (own.bare, *(base for base, _ in own.record.bases)):
            assert t.record is not None
            if t is found or name.text in (t.record.name.partition("<")[0], t.record.template_name):
                return t
        return found.bare if isinstance(found, Type) and found.record is not None else None

    def _member_values(self, field: Field, record: ty.Record, at: Token) -> list[tuple[Field, ast.Expr]]:
        if field not in record.fields:
            # A member of an unnamed struct or union: where it lies in the whole.
            field = field.moved(record.unnamed_offset(field))
        return [(field, self._member_value(field, at))]

    def _member_value(self, field: Field, at: Token) -> ast.Expr:
        if self.at("{"):
            e = self.braced_list()
            if field.type.kind == "reference":
                return self.address_of(self.bind_list(e, field.type), at)
            return self.braced(e, field.type)
        args = self.arguments()
        if field.type.kind == "reference":
            return self.address_of(self.bind(args[0], field.type), at)
        if field.type.kind == "record":
            return self.construct(field.type.bare, args, at)
        if not args:
            return ast.Zero(field.type.bare, at)
        return self.initialise(field.type, args[0], at)

    def default_members(self, f: ast.Function, done: set[str]) -> None:
        assert f.record is not None and f.record.record is not None
        record = f.record.record
        for t, offset in record.bases:
            if f"base {offset} {t}" not in done and self._needs_construction(t):
                f.base_inits.append((offset, self.default_value(t, f.at)))
        self._default_fields(f, record.fields[record.inherited :], record.tag == "union", done)
        # They begin in the order of their declarations ([class.base.init]), however the list names them.
        f.base_inits.sort(
            key=lambda made: next((k for k, b in enumerate(record.bases) if b == (made[1].type.bare, made[0])), 0)
        )
        f.inits.sort(key=lambda made: constant.start(made[0]))

    def _default_fields(self, f: ast.Function, fields: list[Field], union: bool, done: set[str]) -> None:
        """What the constructor `f` does to the members that its list does not name; of a union's, one is initialised
        if it has a default and the list names no other ([class.base.init])."""
        if union:
            named = any(m.name in done or _unnamed_in(m, done) for m in fields)
            fields = [] if named else [m for m in fields if m.default is not None][:1]
        for field in fields:
            if field.name and field.name in done:
                continue
            inner = field.type.record
            if not field.name and inner is not None:
                self._default_fields(f, [m.moved(field.offset) for m in inner.fields], inner.tag == "union", done)
                continue
            if field.default is None and (field.type.kind == "reference" or (field.type.const and field.type.scalar)):
                kind = "reference" if field.type.kind == "reference" else "const"
                self.fail(
                    f"constructor for '{f.record}' must explicitly initialize the {kind} member '{field.name}'", f.at
                )
            assert f.record is not None
            default = self.default_member(field, f.at)
            if default is not None:
                f.inits.append((field, default))
            elif self._needs_construction(field.type):
                parts: list[tuple[int, Field | None, ast.Expr]] = []
                self._default_element(field.type, 0, parts, f.at)
                f.inits.append(
                    (
                        field,
                        ast.Init(field.type, f.at, parts)
                        if len(parts) != 1 or field.type.kind == "array"
                        else parts[0][2],
                    )
                )
