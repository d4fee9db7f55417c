"""Function bodies: statements, instructions and operands."""

from __future__ import annotations

from minicc.diagnostics import Span
from minicc.ptx.constexpr import evaluate, literal
from minicc.ptx.cursor import Cursor
from minicc.ptx.declare import head, is_declaration, parameters, signed_offset, variables
from minicc.ptx.model import (
    Address,
    Bracket,
    Branchtargets,
    Callprototype,
    Float,
    Function,
    Inst,
    Int,
    Label,
    Loc,
    Operand,
    Pair,
    Pragma,
    Reg,
    Scope,
    Special,
    Statement,
    Symbol,
    Tuple,
    Variable,
    Vector,
)
from minicc.ptx.names import LINKAGE, OF_FUNCTIONS, SIZES, SPECIAL

SELECTORS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
"""Element of a vector register by its selector (PTX ISA, "Vectors as Operands")."""
MAX_VECTOR = 16
"""Bytes of a vector register."""
MAX_NESTING = 64
MAX_REGISTERS = 1 << 24

_NAMES: dict[str, tuple[str, tuple[str, ...]]] = {}
"""Dotted opcode -> (opcode, modifiers): a small closed vocabulary, so it is kept between parses."""


def parse_body(cursor: Cursor, function: Function) -> list[Variable]:
    """`{ ... }` of a function; fills `body`, `regs` and `reg_ranges`. Returns the variables of module spaces that it
    declares, by names of the module's."""
    body = Body(cursor, function)
    cursor.expect("{")
    function.body = []
    body.scopes.append(function)
    body.statements(function.body, 0)
    return body.statics


class Body:
    """State of one function's parse: the scopes that are open and the line in force."""

    def __init__(self, cursor: Cursor, function: Function) -> None:
        self.cursor = cursor
        self.texts = cursor.texts
        self.starts = cursor.starts
        self.function = function
        self.scopes: list[Function | Scope] = []
        self.vectors: dict[Function | Scope, Scope] = {}
        """By scope, its registers of vector types ("v4.f32"). A module has scalars only: see `elements`."""
        self.statics: list[Variable] = []
        self.renamed: dict[Function | Scope, dict[str, str]] = {}
        """By scope, the names in the module of what it declares in module spaces."""
        self.loc: Loc | None = None
        self.places: dict[tuple[int, int, int], Loc] = {}
        """The last .loc of each place: what a later inlined_at means."""
        self.operands: dict[str, Operand] = {}
        self.early: dict[str, int] = {}
        """Registers that were named before their declaration, if there is one, and where."""
        self.formal = {v.name for v in (*function.params, *function.returns) if v.space == "reg"}
        self.grouped = {name[:-2] for name in self.formal if name.endswith("$x")}
        """Parameters of vector types: see `declare.parameters`."""

    def statements(self, out: list[Statement], depth: int) -> None:
        """Statements through the closing brace."""
        cursor, texts = self.cursor, self.texts
        if depth > MAX_NESTING:
            cursor.fail("scopes are nested too deeply")
        while True:
            token = texts[cursor.at]
            first = token[:1]
            if first == ".":
                self.directive(out)
            elif first == "}":
                cursor.at += 1
                return
            elif first == "{":
                cursor.at += 1
                scope = Scope()
                self.scopes.append(scope)
                self.operands = {}
                out.append(scope)
                self.statements(scope.body, depth + 1)
                self.scopes.pop()
                self.operands = {}
            elif first == "@":
                self.guarded(out)
            elif not token:
                cursor.fail("syntax error, expected '}'")
            elif texts[cursor.at + 1] == ":":
                self.label(out)
            else:
                out.append(self.instruction(None, cursor.at))

    def label(self, out: list[Statement]) -> None:
        """`name:`, or a table of targets or a prototype under that name."""
        cursor = self.cursor
        start = cursor.at
        name = cursor.name()
        cursor.at += 1
        word = self.texts[cursor.at]
        if word == ".branchtargets" or word == ".calltargets":
            cursor.at += 1
            targets = self.targets()
            while cursor.accept(","):
                targets += self.targets()
            cursor.expect(";")
            out.append(Branchtargets(name, tuple(targets)))
        elif word == ".callprototype":
            cursor.at += 1
            returns = parameters(cursor) if self.texts[cursor.at] == "(" else []
            if cursor.name() != "_":
                cursor.fail("syntax error, expected '_'", cursor.at - 1)
            params = parameters(cursor) if self.texts[cursor.at] == "(" else []
            directives: list[tuple[str, tuple[int, ...]]] = []
            while (word := self.texts[cursor.at][1:]) in OF_FUNCTIONS:
                cursor.at += 1
                directives.append((word, () if word == "noreturn" else (cursor.integer(),)))
            cursor.expect(";")
            out.append(Callprototype(name, tuple(returns), tuple(params), directives, cursor.tokens.span(start)))
        else:
            out.append(Label(name, cursor.tokens.span(start)))

    def targets(self) -> list[str]:
        """`name`, or `name<3>`: name0, name1, name2."""
        cursor = self.cursor
        name = cursor.name()
        if not cursor.accept("<"):
            return [name]
        return [f"{name}{n}" for n in range(self.count())]

    def directive(self, out: list[Statement]) -> None:
        """`.reg`, `.loc`, `.pragma` and variable declarations."""
        cursor = self.cursor
        token = self.texts[cursor.at]
        if token == ".loc":
            self.line()
        elif token == ".reg" or token.startswith(".reg."):
            self.registers()
        elif token == ".pragma":
            cursor.at += 1
            out.append(Pragma(cursor.string()))
            while cursor.accept(","):
                out.append(Pragma(cursor.string()))
            cursor.expect(";")
        elif is_declaration(token):
            for variable in variables(cursor, "", cursor.at):
                if variable.space in ("global", "const"):
                    self.static(variable)
                else:
                    out.append(variable)
        elif (linkage := LINKAGE.get(token)) is not None:
            cursor.at += 1
            out.extend(variables(cursor, linkage, cursor.at - 1))
        elif token in (".file", ".section"):
            cursor.fail(f"{token} belongs to module scope")
        else:
            cursor.fail("syntax error")

    def static(self, variable: Variable) -> None:
        """A variable of the module that only this scope names."""
        name = f"{self.function.name}${variable.name}${len(self.statics)}"
        self.renamed.setdefault(self.scopes[-1], {})[variable.name] = name
        self.operands = {}
        variable.name = name
        self.statics.append(variable)

    def place(self) -> tuple[int, int, int]:
        """File, line and column at the cursor."""
        numbers = []
        for _ in range(3):
            token = self.texts[self.cursor.at]
            if not token.isdigit() or len(token) > 18:
                self.cursor.fail("syntax error, expected a number")
            numbers.append(int(token))
            self.cursor.at += 1
        return numbers[0], numbers[1], numbers[2]

    def line(self) -> None:
        """`.loc 1 7 193[, function_name label[+4], inlined_at 1 7 2]`"""
        cursor, texts = self.cursor, self.texts
        cursor.at += 1
        place = self.place()
        name: str | None = None
        inlined: tuple[int, int, int] | None = None
        while texts[cursor.at] == ",":
            word = texts[cursor.at + 1]
            if word == "function_name":
                cursor.at += 2
                token = texts[cursor.at]
                if token[:1] == '"':
                    name = token
                    cursor.at += 1
                else:
                    name = cursor.name()
                    offset = signed_offset(cursor)
                    name += f"+{offset}" if offset else ""
            elif word == "inlined_at":
                cursor.at += 2
                inlined = self.place()
            else:
                break
        outer = self.places.get(inlined) or Loc(*inlined) if inlined is not None else None
        self.loc = self.places[place] = Loc(*place, name, inlined, outer)

    def registers(self) -> None:
        """`.reg .b32 %r<5>, %a, %b;` into the innermost scope."""
        cursor = self.cursor
        start = cursor.at
        declared = head(cursor)
        type_, scope = declared.type, self.scopes[-1]
        others: Function | Scope | None = self.vectors.get(scope)
        if declared.vector is not None:
            if declared.vector > 4:
                cursor.fail("syntax error, a vector register has two or four elements", start)
            if type_ == "pred":
                cursor.fail("Predicate type can only be used to define scalar register variables", start)
            if declared.vector * SIZES.get(type_, 0) > MAX_VECTOR:
                cursor.fail(f"Vector type too large, exceeds {8 * MAX_VECTOR} bit limit", start)
            type_, others = f"v{declared.vector}.{type_}", scope
            scope = self.vectors.setdefault(scope, Scope())
        self.operands = {}
        while True:
            place = cursor.at
            name = cursor.name()
            if cursor.accept("<"):
                count = self.count()
                if any(name == other for other, _, _ in scope.reg_ranges):
                    cursor.wrong(
                        "ptx.duplicate", f"Duplicate definition of variable '{name}<'", cursor.tokens.span(place)
                    )
                scope.reg_ranges.append((name, count, type_))
            else:
                if scope.type_of(name) or (others is not None and others.type_of(name)):
                    cursor.wrong(
                        "ptx.duplicate", f"Duplicate definition of variable '{name}'", cursor.tokens.span(place)
                    )
                scope.regs[name] = type_
            if not cursor.accept(","):
                break
        cursor.expect(";")
        for name, place in self.early.items():
            if scope.type_of(name):
                message = f"Unknown symbol '{name}': it is declared behind its use"
                cursor.wrong("ptx.undeclared", message, cursor.tokens.span(place))

    def count(self) -> int:
        """`3>` of a range of names."""
        cursor = self.cursor
        digits = self.texts[cursor.at]
        if not digits.isdigit() or len(digits) > 9:
            cursor.fail("syntax error, expected a count")
        if int(digits) > MAX_REGISTERS:
            cursor.fail("count out of range")
        cursor.at += 1
        cursor.expect(">")
        return int(digits)

    def guarded(self, out: list[Statement]) -> None:
        """`@p inst`, `@!p inst`"""
        cursor = self.cursor
        start = cursor.at
        cursor.at += 1
        negated = cursor.accept("!")
        guard = Reg(cursor.name(), negated)
        if self.texts[cursor.at] == "{":
            cursor.fail("syntax error, a guard stands before an instruction")
        out.append(self.instruction(guard, start))

    def instruction(self, guard: Reg | None, start: int) -> Inst:
        """One instruction through its ';'."""
        cursor, texts, starts = self.cursor, self.texts, self.starts
        at = cursor.at
        word = texts[at]
        parts = _NAMES.get(word)
        if parts is None:
            if not (word[:1].isalpha() or word[:1] == "_"):
                cursor.fail("syntax error, expected an instruction")
            opcode, *modifiers = word.split(".")
            parts = opcode, tuple(modifiers)
            if len(_NAMES) < 1 << 16:
                _NAMES[word] = parts
        at += 1
        token = texts[at]
        while token[:1] == ".":  # `ld .global .u32`
            parts = parts[0], (*parts[1], *token[1:].split("."))
            at += 1
            token = texts[at]
        operands: tuple[Operand, ...] = ()
        if token != ";":
            cursor.at = at
            operands = self.operand_list(parts[0] == "call")
            if parts[0] == "bra" and token[0] == "%" and operands == (Reg(token),) and not self.declared(token):
                operands = (Symbol(token),)  # a label that looks like a register
            at = cursor.at
        cursor.at = at + 1
        where = Span(cursor.source, starts[start], starts[at] + 1)
        return Inst(parts[0], parts[1], operands, guard, self.loc, where)

    def operand_list(self, call: bool) -> tuple[Operand, ...]:
        """Operands through the one before ';', at which the cursor stays."""
        cursor, texts = self.cursor, self.texts
        known = self.operands
        out: list[Operand] = []
        while True:
            at = cursor.at
            found = known.get(texts[at])
            following = texts[at + 1] if texts[at] else ""
            if found is not None and (following == "," or following == ";"):
                cursor.at = at + 1
                out.append(found)
            elif call and texts[at] == "(":
                out.append(self.tuple_())
                following = texts[cursor.at]
            else:
                out.append(self.operand())
                following = texts[cursor.at]
            if following == ",":
                cursor.at += 1
            elif following == ";":
                return tuple(out)
            else:
                cursor.fail("syntax error, expected ',' or ';'")

    def tuple_(self) -> Tuple:
        """`(a, b)` of a call."""
        cursor = self.cursor
        cursor.at += 1
        items: list[Operand] = []
        if cursor.accept(")"):
            return Tuple(())
        while True:
            item = self.operand()
            elements = item.items if isinstance(item, Vector) else (item,)
            items += (element for element in elements if element is not None)
            if cursor.accept(")"):
                return Tuple(tuple(items))
            cursor.expect(",")

    def operand(self) -> Operand:
        """One operand, with `a|b` pairs."""
        first = self.single()
        if self.texts[self.cursor.at] == "|" and isinstance(first, Reg | Symbol | Vector):
            self.cursor.at += 1
            return Pair(first, self.single())
        return first

    def single(self) -> Operand:
        cursor, texts = self.cursor, self.texts
        token = texts[cursor.at]
        first = token[:1]
        if first == "%" or first == "$" or first == "_" or first.isalpha():
            if token == "WARP_SZ":
                return evaluate(cursor)
            return self.word(token)
        if first == "[":
            return self.bracket()
        if first == "{":
            return self.vector()
        if first == "!" and not texts[cursor.at + 1][:1].isdigit() and texts[cursor.at + 1] != "(":
            cursor.at += 1
            name = self.single() if texts[cursor.at] not in ("!", "[", "{") else None
            if not isinstance(name, Reg):
                cursor.fail("syntax error, '!' stands before a predicate", cursor.at - 1)
            return Reg(name.name, not name.neg, name.part)
        if first == "-" and (texts[cursor.at + 1][:1] == "%" or texts[cursor.at + 1][:1].isalpha()):
            cursor.at += 1
            name = self.single()
            if not isinstance(name, Reg):
                cursor.fail("syntax error, expected a register after '-'", cursor.at - 1)
            return Reg(name.name, name.neg, name.part, True)
        following = texts[cursor.at + 1] if token else ""
        if following in (",", ";", "]", "}", ")"):
            constant = literal(token)
            if constant is not None:
                cursor.at += 1
                return constant
        return evaluate(cursor)

    def word(self, token: str) -> Operand:
        """A register, special register or symbol (with an offset)."""
        cursor = self.cursor
        found = self.operands.get(token)
        if found is None:
            found = self.resolve(token)
            self.operands[token] = found
        cursor.at += 1
        if type(found) is Symbol:
            following = self.texts[cursor.at]
            if following == "+" or following == "-":
                return Symbol(found.name, signed_offset(cursor))
            if following == "[":
                cursor.at += 1
                index = cursor.integer()
                cursor.expect("]")
                return Symbol(found.name, index * self.element_size(found.name))
        return found

    def element_size(self, name: str) -> int:
        """Bytes of one element of a variable declared in this function or before it; 1 if it is not known here."""
        for scope in self.scopes:
            for item in (*(scope.body or ()), *self.statics):
                if isinstance(item, Variable) and item.name == name:
                    return SIZES.get(item.type, 1) * (item.vector or 1)
        return 1

    def declared(self, name: str) -> bool:
        return name in self.formal or any(scope.type_of(name) for scope in self.scopes)

    def elements(self, name: str) -> tuple[Reg, ...]:
        """The scalars of a register of a vector type, declared here when they are first named; of others none."""
        for scope in reversed(self.scopes):
            vectors = self.vectors.get(scope)
            if vectors is not None and (type_ := vectors.type_of(name)) is not None:
                count, _, element = type_[1:].partition(".")
                items = tuple(f"{name}${selector}" for selector in "xyzw"[: int(count)])
                for item in items:
                    scope.regs[item] = element
                return tuple(Reg(item) for item in items)
            if scope.type_of(name) is not None:
                return ()
        return tuple(Reg(f"{name}${s}") for s in "xyzw" if f"{name}${s}" in self.formal) if name in self.grouped else ()

    def resolve(self, token: str) -> Operand:
        if self.vectors or self.grouped:
            stem, dot, selector = token.partition(".")
            if elements := self.elements(stem):
                if not dot:
                    return Vector(elements)
                element = SELECTORS.get(selector, MAX_VECTOR)
                if element >= len(elements):
                    self.cursor.fail(f"Unknown vector selector: '{selector}'")
                return elements[element]
        if self.declared(token):
            return Reg(token)
        if token in SPECIAL:
            return Special(token)
        stem, dot, part = token.partition(".")
        if dot and self.declared(stem):
            return Reg(stem, part=part)
        if token[0] == "%":
            self.early.setdefault(stem, self.cursor.at)
            return Reg(stem, part=part or None)
        if dot or "::" in token:
            self.cursor.fail("syntax error, unexpected '.' in an operand")
        for scope in reversed(self.scopes):
            if token in (names := self.renamed.get(scope, {})):
                return Symbol(names[token])
        return Symbol(token)

    def bracket(self) -> Address | Bracket:
        """`[reg+4]`, `[name]`, `[12]`, `[tensor, {a, b}]`"""
        cursor, texts = self.cursor, self.texts
        cursor.at += 1
        token = texts[cursor.at]
        first = token[:1]
        base: Operand
        offset = 0
        if first == "%" or first == "$" or first == "_" or first.isalpha():
            base = self.word(token)
            if self.vectors and (isinstance(base, Vector) or (isinstance(base, Reg) and "." in token)):
                cursor.fail("syntax error, an address is a scalar register", cursor.at - 1)
            following = texts[cursor.at]
            if following == "+":
                offset = signed_offset(cursor)
            if isinstance(base, Symbol) and base.offset:
                base, offset = Symbol(base.name), base.offset + offset
        elif first == "[":
            cursor.fail("syntax error, unexpected '[' in an address")
        else:
            base = self.single()
            if isinstance(base, Float):
                cursor.fail("syntax error, an address is an integer", cursor.at - 1)
        if texts[cursor.at] == "]" and isinstance(base, Reg | Symbol | Int):
            cursor.at += 1
            return Address(base, offset)
        items: list[Operand] = [base]
        while cursor.accept(","):
            items.append(self.single())
        cursor.expect("]")
        return Bracket(tuple(items))

    def vector(self) -> Vector:
        """`{a, _, c}`"""
        cursor = self.cursor
        cursor.at += 1
        items: list[Operand | None] = []
        if cursor.accept("}"):
            return Vector(())
        while True:
            if self.texts[cursor.at] == "_":
                cursor.at += 1
                items.append(None)
            else:
                if self.texts[cursor.at] in ("{", "["):
                    cursor.fail("syntax error in a vector operand")
                item = self.single()
                if isinstance(item, Vector):  # a register of a vector type
                    cursor.fail("syntax error in a vector operand", cursor.at - 1)
                items.append(item)
            if cursor.accept("}"):
                return Vector(tuple(items))
            cursor.expect(",")


__all__ = ["Body", "Pragma", "parse_body"]
