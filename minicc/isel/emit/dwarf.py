"""Debug metadata to the PTX sections .debug_info and .debug_abbrev: DWARF 2, in the shape that nvcc -G gives it.

What is said of a variable is where it lies: an address, and in DW_AT_address_class the state space of the address
("PTX Interoperability", DWARF: 2 registers, 4 constant, 5 global, 6 local, 7 parameters, 8 shared, 12 generic). Since
unoptimised code keeps every variable in memory, no lists of places are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from minicc.isel.emit.debug import Locations
from minicc.numbers import sleb, uleb
from minicc.nvvm import ir
from minicc.ptx import model as ptx
from minicc.texts import as_bytes

# DWARF 2, figures 14 to 20: tags, attributes and forms by their numbers.
ARRAY, ENUMERATION, PARAMETER, BLOCK, MEMBER, POINTER, REFERENCE, UNIT = 0x01, 0x04, 0x05, 0x0B, 0x0D, 0x0F, 0x10, 0x11
STRUCTURE, FUNCTION_TYPE, UNION, INHERITANCE, SUBRANGE, BASE = 0x13, 0x15, 0x17, 0x1C, 0x21, 0x24
CONST, ENUMERATOR, SUBPROGRAM, VARIABLE, VOLATILE, UNSPECIFIED = 0x26, 0x28, 0x2E, 0x34, 0x35, 0x3B
LOCATION, NAME, BYTE_SIZE, BIT_OFFSET, BIT_SIZE, STMT_LIST, LOW_PC, HIGH_PC = 2, 3, 0x0B, 0x0C, 0x0D, 0x10, 0x11, 0x12
LANGUAGE, COMP_DIR, CONST_VALUE, PRODUCER, ADDRESS_CLASS, ARTIFICIAL = 0x13, 0x1B, 0x1C, 0x25, 0x33, 0x34
COUNT, MEMBER_LOCATION, DECL_FILE, DECL_LINE, ENCODING = 0x37, 0x38, 0x3A, 0x3B, 0x3E
EXTERNAL, FRAME_BASE, TYPE, LINKAGE_NAME = 0x3F, 0x40, 0x49, 0x2007
ADDR, DATA2, DATA4, STRING, BLOCK1, DATA1, FLAG, SDATA, UDATA, REF4 = 1, 5, 6, 8, 0x0A, 0x0B, 0x0C, 0x0D, 0x0F, 0x13
OP_ADDR, OP_PLUS_UCONST, OP_CALL_FRAME_CFA = 0x03, 0x23, 0x9C
_CPLUSPLUS = 4
_CONSTANT, _GLOBAL, _LOCAL, _PARAM, _SHARED, _GENERIC = 4, 5, 6, 7, 8, 12
_CLASSES = {0: _GLOBAL, 1: _GLOBAL, 3: _SHARED, 4: _CONSTANT}
_ENCODINGS = {
    "DW_ATE_boolean": 2, "DW_ATE_float": 4, "DW_ATE_signed": 5, "DW_ATE_signed_char": 6, "DW_ATE_unsigned": 7,
    "DW_ATE_unsigned_char": 8,
}  # fmt: skip
_DERIVED = {
    "DW_TAG_pointer_type": POINTER, "DW_TAG_reference_type": REFERENCE, "DW_TAG_rvalue_reference_type": REFERENCE,
    "DW_TAG_const_type": CONST, "DW_TAG_volatile_type": VOLATILE,
}  # fmt: skip
_HEADER = 11
"""Bytes of a unit before its first entry: length, version, place of the abbreviations, size of an address."""


@attrs.define(eq=False, repr=False)
class Die:
    """A debugging information entry: (attribute, form, value) each; a value is a number, text, another entry, a
    symbol's name, or a block's parts."""

    tag: int
    values: list[tuple[int, int, object]] = attrs.field(factory=list)
    children: list[Die] = attrs.field(factory=list)
    offset: int = 0
    code: int = 0

    def add(self, attribute: int, form: int, value: object) -> None:
        self.values.append((attribute, form, value))

    def number(self, attribute: int, value: int) -> None:
        """In as many bytes as it takes."""
        form = DATA1 if 0 <= value < 1 << 8 else DATA2 if 0 <= value < 1 << 16 else DATA4
        self.add(attribute, form, value)

    def walk(self) -> Iterator[Die]:
        yield self
        for child in self.children:
            yield from child.walk()


@attrs.define(eq=False, repr=False)
class DebugInfo:
    """The entries of one module, filled function by function."""

    module: ir.Module
    locations: Locations
    unit: Die = attrs.field(factory=lambda: Die(UNIT))
    types: dict[object, Die] = attrs.field(factory=dict)
    scopes: dict[int, Die] = attrs.field(factory=dict)
    """Functions and blocks by their nodes' numbers."""

    def begin(self) -> None:
        root = self.module.node((self.module.named_metadata.get("llvm.dbg.cu") or [None])[0])
        file = self.module.node(root.fields.get("file")) if root is not None else None
        fields = file.fields if file is not None else {}
        self.unit.add(PRODUCER, STRING, str(root.fields.get("producer", "")) if root is not None else "")
        self.unit.number(LANGUAGE, _CPLUSPLUS)
        self.unit.add(NAME, STRING, str(fields.get("filename", "")))
        self.unit.add(STMT_LIST, DATA4, ".debug_line")
        self.unit.add(COMP_DIR, STRING, str(fields.get("directory", "")))
        self.unit.add(LOW_PC, ADDR, 0)

    # -- functions and variables

    def function(self, function: ir.Function, made: ptx.Function, number: int, frame: dict[ir.Value, int]) -> None:
        """Describe a function, put the labels that its ranges name into its body. `frame`: where each alloca lies in
        `__local_depot<number>`."""
        reference = function.metadata.get("dbg")
        node = self.module.node(reference)
        if not isinstance(reference, ir.MdRef) or node is None:
            return
        begin, end = f"$L__func_begin{number}", f"$L__func_end{number}"
        die = self.scopes[reference.number] = Die(SUBPROGRAM)
        self.unit.children.append(die)
        die.add(LOW_PC, ADDR, begin)
        die.add(HIGH_PC, ADDR, end)
        die.add(FRAME_BASE, BLOCK1, [OP_CALL_FRAME_CFA])
        die.add(LINKAGE_NAME, STRING, str(node.fields.get("linkageName", "")))
        self._named(die, node)
        kind = self.module.node(node.fields.get("type"))
        types = self.module.node(kind.fields.get("types")) if kind is not None else None
        if types is not None and types.items and types.items[0] is not None:
            die.add(TYPE, REF4, self.type(types.items[0]))
        die.add(EXTERNAL, FLAG, 1)
        wanted: list[tuple[ir.MdRef, Die]] = []
        for value, variable in function.declares:
            described = self.module.node(variable)
            scope = described.fields.get("scope") if described is not None else None
            if described is not None and isinstance(scope, ir.MdRef) and self._function_of(scope) == reference:
                entry = self._local(described, value, made, number, frame)
                if entry is not None:
                    wanted.append((scope, entry))
        ranges = self._label(made, reference)
        for scope, entry in wanted:
            self._scope(scope, ranges, (begin, end)).children.append(entry)
        first = next((i for i, s in enumerate(made.body or ()) if not isinstance(s, ptx.Variable)), 0)
        assert made.body is not None
        made.body.insert(first, ptx.Label(begin))
        made.body.append(ptx.Label(end))

    def _local(
        self, node: ir.Node, value: ir.Value, made: ptx.Function, number: int, frame: dict[ir.Value, int]
    ) -> Die | None:
        argument = node.fields.get("arg", 0)
        die = Die(PARAMETER if argument else VARIABLE)
        if value in frame:
            die.number(ADDRESS_CLASS, _LOCAL)
            place = [OP_ADDR, f"__local_depot{number}", OP_PLUS_UCONST, *uleb(frame[value])]
        elif isinstance(value, ir.Argument) and value.index < len(made.params):
            die.number(ADDRESS_CLASS, _PARAM)
            place = [OP_ADDR, made.params[value.index].name]
        else:
            return None
        die.add(LOCATION, BLOCK1, place)
        self._named(die, node)
        die.add(TYPE, REF4, self.type(node.fields.get("type")))
        if "Artificial" in str(node.fields.get("flags", "")):
            die.add(ARTIFICIAL, FLAG, 1)
        return die

    def variables(self, names: dict[str, str]) -> None:
        """Variables with static storage, those of functions under their functions."""
        for variable in self.module.variables.values():
            pair = self.module.node(variable.metadata.get("dbg"))
            node = self.module.node(pair.fields.get("var")) if pair is not None else None
            if node is None:
                continue
            die = Die(VARIABLE)
            self._named(die, node)
            die.add(TYPE, REF4, self.type(node.fields.get("type")))
            die.add(EXTERNAL, FLAG, int(node.fields.get("isLocal") != "true"))
            die.number(ADDRESS_CLASS, _CLASSES.get(variable.space, _GENERIC))
            die.add(LOCATION, BLOCK1, [OP_ADDR, names.get(variable.name, variable.name)])
            die.add(LINKAGE_NAME, STRING, str(node.fields.get("linkageName", "")))
            scope = node.fields.get("scope")
            owner = self.scopes.get(scope.number) if isinstance(scope, ir.MdRef) else None
            (owner or self.unit).children.append(die)

    def _named(self, die: Die, node: ir.Node) -> None:
        if node.fields.get("name"):
            die.add(NAME, STRING, str(node.fields["name"]))
        file, line = self.locations.file(node), int(node.fields.get("line", 0) or 0)
        if file is not None and line:
            die.number(DECL_FILE, file)
            die.number(DECL_LINE, line)

    # -- blocks

    def _function_of(self, scope: object) -> object:
        node = self.module.node(scope)
        while node is not None and node.kind != "DISubprogram":
            scope = node.fields.get("scope")
            node = self.module.node(scope)
        return scope

    def _scope(self, scope: ir.MdRef, ranges: dict[int, tuple[str, str]], whole: tuple[str, str]) -> Die:
        found = self.scopes.get(scope.number)
        if found is None:
            node = self.module.node(scope)
            assert node is not None
            found = self.scopes[scope.number] = Die(BLOCK)
            begin, end = ranges.get(scope.number, whole)
            found.add(LOW_PC, ADDR, begin)
            found.add(HIGH_PC, ADDR, end)
            self._scope(node.fields["scope"], ranges, whole).children.append(found)
        return found

    def _label(self, made: ptx.Function, function: ir.MdRef) -> dict[int, tuple[str, str]]:
        """Labels before the first and behind the last instruction of each block of the source."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        body = made.body or []
        for at, statement in enumerate(body):
            loc = getattr(statement, "loc", None)
            scope = self.locations.scopes.get(id(loc)) if loc is not None else None
            while isinstance(scope, ir.MdRef) and scope != function:
                first.setdefault(scope.number, at)
                last[scope.number] = at
                node = self.module.node(scope)
                scope = node.fields.get("scope") if node is not None else None
        names: dict[int, str] = {}
        for at in sorted({*first.values(), *(at + 1 for at in last.values())}, reverse=True):
            names[at] = f"$L__tmp{self.locations.labels}"
            self.locations.labels += 1
            body.insert(at, ptx.Label(names[at]))
        return {scope: (names[at], names[last[scope] + 1]) for scope, at in first.items()}

    # -- types

    def type(self, reference: object) -> Die:
        """The entry of a type; of void where there is none."""
        key = reference.number if isinstance(reference, ir.MdRef) else None
        found = self.types.get(key)
        if found is None:
            node = self.module.node(reference)
            found = self.types[key] = Die(UNSPECIFIED)
            self.unit.children.append(found)
            if node is None:
                found.add(NAME, STRING, "void")
            else:
                self._type(found, node)
        return found

    def _type(self, die: Die, node: ir.Node) -> None:
        fields, tag = node.fields, str(node.fields.get("tag", ""))
        size = int(fields.get("size", 0) or 0) // 8
        if fields.get("name"):
            die.add(NAME, STRING, str(fields["name"]))
        if node.kind == "DIBasicType":
            die.tag = BASE
            die.number(ENCODING, _ENCODINGS.get(str(fields.get("encoding")), 7))
            die.number(BYTE_SIZE, size)
        elif node.kind == "DISubroutineType":
            die.tag = FUNCTION_TYPE
            types = self.module.node(fields.get("types"))
            result, *params = types.items if types is not None and types.items else [None]
            if result is not None:
                die.add(TYPE, REF4, self.type(result))
            die.children = [Die(PARAMETER, [(TYPE, REF4, self.type(p))]) for p in params]
        elif tag in _DERIVED:
            die.tag = _DERIVED[tag]
            die.add(TYPE, REF4, self.type(fields.get("baseType")))
            if die.tag in (POINTER, REFERENCE):
                die.add(ADDRESS_CLASS, DATA4, _GENERIC)
        elif tag == "DW_TAG_array_type":
            die.tag = ARRAY
            die.add(TYPE, REF4, self.type(fields.get("baseType")))
            for bound in self._elements(node):
                inner = Die(SUBRANGE)
                inner.number(COUNT, int(bound.fields.get("count", 0) or 0))
                die.children.append(inner)
        elif tag == "DW_TAG_enumeration_type":
            die.tag = ENUMERATION
            die.number(BYTE_SIZE, size)
            for value in self._elements(node):
                inner = Die(ENUMERATOR, [(NAME, STRING, str(value.fields.get("name", "")))])
                inner.add(CONST_VALUE, SDATA, int(value.fields.get("value", 0) or 0))
                die.children.append(inner)
        elif node.kind == "DICompositeType":
            die.tag = UNION if "union" in tag else STRUCTURE
            die.number(BYTE_SIZE, size)
            die.children = [self._member(m) for m in self._elements(node)]

    def _elements(self, node: ir.Node) -> Iterable[ir.Node]:
        elements = self.module.node(node.fields.get("elements"))
        found = [self.module.node(item) for item in (elements.items if elements is not None else ())]
        return [node for node in found if node is not None]

    def _member(self, node: ir.Node) -> Die:
        die = Die(INHERITANCE if node.fields.get("tag") == "DW_TAG_inheritance" else MEMBER)
        offset = int(node.fields.get("offset", 0) or 0)
        if node.fields.get("name"):
            die.add(NAME, STRING, str(node.fields["name"]))
        die.add(TYPE, REF4, self.type(node.fields.get("baseType")))
        storage = node.fields.get("extraData")
        if isinstance(storage, ir.ConstInt):
            base = self.module.node(node.fields.get("baseType"))
            unit, width = int(base.fields.get("size", 32)) if base is not None else 32, int(node.fields.get("size", 0))
            die.number(BYTE_SIZE, unit // 8)
            die.number(BIT_SIZE, width)
            die.number(BIT_OFFSET, unit - (offset - storage.value) - width)
            offset = storage.value
        die.add(MEMBER_LOCATION, BLOCK1, [OP_PLUS_UCONST, *uleb(offset // 8)])
        return die

    # -- text

    def sections(self) -> list[str]:
        """.debug_abbrev, .debug_info and .debug_loc, which is empty."""
        kinds: dict[tuple[int, bool, tuple[tuple[int, int], ...]], int] = {}
        at = _HEADER
        for die in self.unit.walk():
            kind = die.tag, bool(die.children), tuple((a, f) for a, f, _ in die.values)
            die.code = kinds.setdefault(kind, len(kinds) + 1)
        at = _place(self.unit, at)
        abbreviations: list[int] = []
        for (tag, children, values), code in kinds.items():
            abbreviations += [*uleb(code), *uleb(tag), int(children)]
            for attribute, form in values:
                abbreviations += [*uleb(attribute), form]
            abbreviations += [0, 0]
        body = [f".b32 {at - 4}", ".b8 2,0", ".b32 .debug_abbrev", ".b8 8", *_lines(self.unit)]
        return [
            _section(".debug_abbrev", [_bytes([*abbreviations, 0])]),
            _section(".debug_info", body),
            _section(".debug_loc", [".b8 0"]),
        ]


def _section(name: str, lines: list[str]) -> str:
    return "\n".join([f".section\t{name}", "{", *lines, "}"])


def _bytes(data: Iterable[int]) -> str:
    return ".b8 " + ",".join(str(b & 255) for b in data)


def _place(die: Die, at: int) -> int:
    """Give the entry and those below it their offsets; returns where they end."""
    die.offset = at
    at += len(uleb(die.code)) + sum(_size(form, value) for _, form, value in die.values)
    if die.children:
        for child in die.children:
            at = _place(child, at)
        at += 1
    return at


def _size(form: int, value: object) -> int:
    match form:
        case 8:
            return len(as_bytes(str(value))) + 1
        case 0x0A:
            assert isinstance(value, list)
            return 1 + sum(8 if isinstance(part, str) else 1 for part in value)
        case 0x0D:
            assert isinstance(value, int)
            return len(sleb(value))
    return {ADDR: 8, DATA1: 1, FLAG: 1, DATA2: 2, DATA4: 4, REF4: 4}[form]


def _lines(die: Die) -> list[str]:
    out = [_bytes(uleb(die.code))]
    for _, form, value in die.values:
        match value:
            case Die():
                out.append(f".b32 {value.offset}")
            case str() if form == STRING:
                out.append(_bytes([*as_bytes(str(value)), 0]))
            case str() | int() if form in (ADDR, DATA4):
                out.append(f".b{64 if form == ADDR else 32} {value}")
            case int() if form == SDATA:
                out.append(_bytes(sleb(value)))
            case int():
                out.append(_bytes(value.to_bytes(_size(form, value), "little")))
            case list():
                out.append(_bytes([_size(form, value) - 1]))
                out += [f".b64 {part}" if isinstance(part, str) else _bytes([part]) for part in value]
    for child in die.children:
        out += _lines(child)
    return [*out, ".b8 0"] if die.children else out
