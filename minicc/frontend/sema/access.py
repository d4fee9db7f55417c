"""Who may name a member of a class: [class.access], for fields, functions, static members and constructors.

Of types, the names behind `::` are, in functions and in what is declared outside of classes. A friend is known by its
name alone, so that friends which are templates, or of other namespaces, may do what they may in C++, and now and then a
namesake may, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.frontend import ast
from minicc.frontend.sema.traits import element
from minicc.frontend.tokens import Token
from minicc.frontend.types import Record, Type


class Section:
    """The members of a class that stand under one access specifier are noted as they are declared; not those of our
    own headers, whose classes need not hide what NVIDIA's do."""

    def __init__(self, record: Record, at: Token) -> None:
        self.record, self.ours = record, at.source.name.startswith("<")
        self.access = "private" if record.tag == "class" else "public"
        self.fields, self.names, self.constructors = len(record.fields), self._names(), len(record.constructors)

    def _names(self) -> dict[str, int]:
        """How many functions each name of the scope has, or 1."""
        assert self.record.scope is not None
        return {n: len(e) if isinstance(e, list) else 1 for n, e in self.record.scope.names.items()}

    def switch(self, access: str) -> None:
        """`public:` and its kind."""
        self.note()
        self.access = access

    def note(self) -> None:
        if self.access != "public" and len(self.record.fields) > self.fields:
            self.record.closed_data = True
        if self.ours:
            self.fields = len(self.record.fields)
            return
        record, before = self.record, (self.fields, self.names, self.constructors)
        self.fields, self.names, self.constructors = len(record.fields), self._names(), len(record.constructors)
        found = [f.name for f in record.fields[before[0] :] if f.name]
        found += [n for n, count in self.names.items() if count != before[1].get(n)]
        if self.access == "public":
            # One of several overloads that is open makes the name so.
            for name in found:
                record.hidden.pop(name, None)
            return
        for name in found:
            if name not in before[1]:
                record.hidden[name] = self.access
        record.closed += [(c, self.access) for c in record.constructors[before[2] :]]


def closed(record: Record, name: str, scope: ast.Scope, function: ast.Function | None) -> tuple[Record, str] | None:
    """(the class that declares `name` for `record`, how) if it may not be named in `scope`, within `function`."""
    owner = _declares(record, name)
    if owner is None or _open(record, owner, name, scope, function):
        return None
    access = owner.hidden.get(name, "public")
    if access == "public" or _admitted(owner, access, scope, function):
        access = closed_base(record, owner, scope, function) or access
    return owner, access


def out_of_protection(record: Record, name: str, scope: ast.Scope, function: ast.Function | None) -> Record | None:
    """[class.protected]: the class that declares `name`, a protected member which is of each object, if a class derived
    from it names it of an object of class `record`, which is not derived from that class in turn."""
    owner = _declares(record, name)
    if owner is None or owner.hidden.get(name) != "protected":
        return None
    entity = owner.scope.names.get(name) if owner.scope is not None else None
    if isinstance(entity, list) and any(isinstance(f, ast.FunctionTemplate) or f.this is None for f in entity):
        return None
    if isinstance(entity, Type | ast.Variable):
        return None
    around = _around(scope, function)
    if any(r is owner or _derived(record, r) or r is record or r.name in owner.friends for r in around):
        return None
    names = {f.name for f in _functions(function)}
    if names & (owner.friends | record.friends):
        return None
    return owner if any(_derived(r, owner) for r in around) else None


def _functions(function: ast.Function | None) -> Iterator[ast.Function]:
    """A function, and those within which the classes of it and of them are declared."""
    while function is not None:
        yield function
        member = function.record.record if function.record is not None else None
        outer = member.owner if member is not None else None
        function = outer if isinstance(outer, ast.Function) else None


def _around(scope: ast.Scope | None, function: ast.Function | None) -> list[Record]:
    """The classes that a place stands in."""
    out: list[Record] = []
    while scope is not None:
        out += [scope.record] if scope.record is not None else []
        scope = scope.parent
    return out + [f.record.record for f in _functions(function) if f.record is not None and f.record.record]


def _open(record: Record, owner: Record, name: str, scope: ast.Scope, function: ast.Function | None) -> bool:
    """[class.access.base]: as a member of `record`, or as one of a base that is open itself."""
    access = _access(record, owner, name)
    if access == "public" or (access is not None and _admitted(record, access, scope, function)):
        return True
    return any(
        _open(base, owner, name, scope, function)
        for base, how in _bases(record)
        if (base is owner or _derived(base, owner)) and (how == "public" or _admitted(record, how, scope, function))
    )


def _access(record: Record, owner: Record, name: str) -> str | None:
    """How `record` has the member `name` of its base `owner`; None: not at all."""
    if record is owner:
        return owner.hidden.get(name, "public")
    best: str | None = None
    for base, how in _bases(record):
        inner = _access(base, owner, name) if base is owner or _derived(base, owner) else None
        if inner in ("public", "protected"):
            found = max(inner, how, key=_OPEN.index)
            best = found if best is None else min(best, found, key=_OPEN.index)
    return best


_OPEN = ["public", "protected", "private"]


def _bases(record: Record) -> list[tuple[Record, str]]:
    """The direct bases, and how the class is derived from each."""
    return [(t.record, record.closed_bases.get(t, "public")) for t, _ in record.bases if t.record is not None]


def ambiguous(record: Record, name: str) -> str | None:
    """What is wrong with the name of a member that several base classes, or several bases of one class, bring
    ([class.member.lookup]); types are not asked about."""
    found = _places(record, name, 0) if record.bases else set()
    owners = {owner for owner, _ in found}
    if len(owners) > 1:
        return f"member '{name}' found in multiple base classes of different types"
    owner = next(iter(owners), None)
    if len(found) > 1 and owner is not None and owner.declares(name):
        return f"non-static member '{name}' found in multiple base-class subobjects of type '{owner.name}'"
    return None


def _places(record: Record, name: str, at: int) -> set[tuple[Record, int]]:
    """The classes that declare `name` for `record`, a part of an object that lies at `at`, and where they lie."""
    entity = record.scope.names.get(name) if record.scope is not None else None
    if isinstance(entity, Type):
        return set()
    if entity is not None or name in record.hidden or record.declares(name):
        return {(record, at)}
    return {p for base, offset in record.bases if base.record for p in _places(base.record, name, at + offset)}


def closed_base(record: Record, base: Record, scope: ast.Scope, function: ast.Function | None) -> str | None:
    """How `record` hides from `scope`, within `function`, that it is derived from `base`; None if it does not."""
    found: str | None = None
    for t, _ in record.bases:
        if t.record is None or (t.record is not base and not _derived(t.record, base)):
            continue
        access = record.closed_bases.get(t, "public")
        found = None if access == "public" or _admitted(record, access, scope, function) else access
        if found is None and t.record is not base:
            found = closed_base(t.record, base, scope, function)
        if found is None:
            return None
    return found


def parts_of(record: Record, base: Record) -> int:
    """How many objects of class `base` there are in one of class `record`."""
    return sum((t.record is base) + parts_of(t.record, base) for t, _ in record.bases if t.record is not None)


def _derived(record: Record, base: Record) -> bool:
    return any(t.record is base or (t.record is not None and _derived(t.record, base)) for t, _ in record.bases)


def closed_constructor(
    record: Record, constructor: ast.Function, scope: ast.Scope, function: ast.Function | None
) -> str | None:
    for c, access in record.closed:
        if c is constructor or (isinstance(c, ast.FunctionTemplate) and constructor.template is c):
            return None if _admitted(record, access, scope, function) else access
    return None


def closed_destructor(t: Type, scope: ast.Scope | None, function: ast.Function | None) -> str | None:
    """How the destructor of a class, or of an array's, is hidden from `scope`, within `function`; None if it is not."""
    record = element(t).record
    hidden = next((n for n in record.hidden if n[0] == "~"), None) if record is not None else None
    found = closed(record, hidden, scope, function) if record is not None and hidden and scope is not None else None
    return found[1] if found is not None else None


def _declares(record: Record, name: str) -> Record | None:
    if name in record.hidden or (record.scope is not None and name in record.scope.names):
        return record
    if record.declares(name):
        return record
    found = (_declares(base.record, name) for base, _ in record.bases if base.record is not None)
    return next((r for r in found if r is not None), None)


def _admitted(owner: Record, access: str, scope: ast.Scope, function: ast.Function | None) -> bool:
    if any(_belongs(record, owner, access) for record in _around(scope, function)):
        return True
    return any(f.name in owner.friends for f in _functions(function))


def _belongs(record: Record, owner: Record, access: str) -> bool:
    if record is owner or record.name in owner.friends or record.template_name in owner.friends:
        return True
    return access == "protected" and any(
        base.record is owner or (base.record is not None and _belongs(base.record, owner, access))
        for base, _ in record.bases
    )
