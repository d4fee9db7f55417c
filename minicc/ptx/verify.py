"""Checks of a module that need no machine: names, targets, and each instruction against `isa`.

`verify(module, arch)` returns diagnostics, worst first by place; it never raises for what a user wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from minicc.arch import Arch
from minicc.diagnostics import Diagnostic, Span
from minicc.ptx import called, since
from minicc.ptx import model as ptx
from minicc.ptx.declared import declarations, variable

_TARGET = re.compile(r"sm_([0-9]+)([af]?)$")
_GENERIC = frozenset({"global", "shared", "local"})
_WINDOWS = _GENERIC | {"const", "param"}
_SHARED = frozenset({"shared"})
_MISMATCH = "State space mismatch between instruction and address in instruction '{}'"
_WIDE = 90
"""From this target on addresses have 64 bits."""
LIMIT = 50
"""Errors after which checking a module stops."""


def verify(module: ptx.Module, arch: Arch, selected: bool = False) -> list[Diagnostic]:
    """Everything that is wrong with a module for one architecture; with `selected`, with its header and with those of
    its instructions that have a place in a text."""
    checker = _Checker(module, arch, selected)
    checker.target()
    checker.run()
    return checker.found


def _spaces(inst: ptx.Inst) -> set[str]:
    """The state spaces that an instruction names."""
    return {m.partition("::")[0] for m in inst.modifiers} & _WINDOWS


def _at(name: str, whole: Span | None) -> Span | None:
    """Where a name stands in an instruction."""
    if whole is None:
        return None
    found = re.search(rf"(?<![\w$%.]){re.escape(name)}(?![\w$])", whole.source.text[whole.start : whole.end])
    return Span(whole.source, whole.start + found.start(), whole.start + found.end()) if found else whole


class _Names:
    """What the names at a place stand for; scopes and spaces with the innermost last."""

    def __init__(
        self, scopes: list[ptx.Function | ptx.Scope], spaces: list[dict[str, str]], registers: dict[str, str]
    ) -> None:
        self.scopes, self.spaces, self.registers = scopes, spaces, registers

    def within(self, scope: ptx.Scope | None, here: dict[str, str]) -> _Names:
        """The names of a body: those of its own registers, if it has any, and `here`, which may still be filled."""
        return _Names(self.scopes + ([scope] if scope else []), [*self.spaces, here], self.registers)

    def space_of(self, name: str) -> str | None:
        """The state space of a variable, "" of labels and functions."""
        return next((found[name] for found in reversed(self.spaces) if name in found), None)

    def type_of(self, name: str) -> str | None:
        """The type of a register."""
        for scope in reversed(self.scopes):
            if (found := scope.type_of(name)) is not None:
                return found
        return self.registers.get(name)


def _address(
    inst: ptx.Inst,
    place: int,
    address: ptx.Address,
    names: _Names,
) -> Iterator[str]:
    """What is wrong with the base of an address. Instructions that name one space take symbols of that space only;
    without one they take generic addresses, which constants and parameters have none of. Copies name where they go
    and where they come from, and mbarriers are in shared memory."""
    base = address.base
    if isinstance(base, ptx.Symbol) and (space := names.space_of(base.name)) is not None:
        spaces = [s for m in inst.modifiers if (s := m.partition("::")[0]) in _WINDOWS]
        named = frozenset(spaces) or (_SHARED if inst.opcode == "mbarrier" else _GENERIC)
        if len(spaces) == 2:
            named = frozenset({spaces[place]}) if place < 2 else _SHARED
        if space == "":
            yield f"Illegal to use symbol '{base.name}' as address operand"
        elif space not in named:
            yield _MISMATCH.format(inst.opcode)
    if isinstance(base, ptx.Int) and "local" not in inst.modifiers:
        yield "Immediate addresses allowed only for .local state space"
    elif isinstance(base, ptx.Reg) and names.type_of(base.name) == "b128":
        yield "Illegal operand type for address/array-index"
    elif isinstance(base, ptx.Reg) and (type_ := names.type_of(base.name) or "b64")[0] in "fp":
        yield (f"Illegal to use symbol '{base.name}' of type .{type_} as address operand. Use integer or bit only.")


class _Checker:
    def __init__(self, module: ptx.Module, arch: Arch, selected: bool) -> None:
        self.module = module
        self.arch = arch
        self.selected = selected
        match = _TARGET.match(module.target)
        self.number = int(match[1]) if match else 0
        self.accelerated = match is None or bool(match[2])
        self.found: list[Diagnostic] = []
        self.callees = called.Callees(module)
        self.device: ptx.Function | None = None
        """The function in hand that is no kernel."""
        self.own: dict[str, ptx.Variable] = {}
        """The formal parameters of the function in hand."""
        self.tables: set[int] = set()
        """Tables of targets and prototypes before the instruction in hand: none is named before it."""
        self.declared: list[dict[str, ptx.Statement]] = []
        """What the bodies of the open scopes declare, innermost last."""
        self.globals: dict[str, str] = {}
        """The state space of each name of the module; of functions there is none."""

    def error(self, code: str, message: str, where: Span | None) -> None:
        self.found.append(Diagnostic("error", code, message, where))

    def run(self) -> None:
        self.globals.update((v.name, v.space) for v in self.module.variables)
        self.globals.update((f.name, "") for f in self.module.functions)
        for item_ in self.module.order:
            if isinstance(item_, ptx.Alias):
                self.globals[item_.name] = ""
        self.found += declarations(self.module)
        defined: dict[str, ptx.Function] = {}
        for function in self.module.functions:
            if function.body is None:
                continue
            if function.name in defined:
                self.error("ptx.duplicate", f"Duplicate definition of function '{function.name}'", function.where)
            defined[function.name] = function
            self.function(function)
            if len(self.found) >= LIMIT:
                return

    def target(self) -> None:
        if self.module.address_size == 32 and self.arch.sm >= _WIDE:
            message = "32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures"
            self.error("ptx.target", message, None)
        match, where = _TARGET.match(self.module.target), self.module.where
        if match is None:
            return
        (major, minor), target = self.module.version, self.module.target
        if (major, minor) < since.TARGETS.get(target, (1, 0)):
            self.error("ptx.version", f"PTX .version {major}.{minor} does not support .target {target}", where)
        number, feature = int(match[1]), match[2]
        if number > self.arch.sm or (feature == "a" and (number != self.arch.sm or self.arch.feature != "a")):
            message = f"SM version specified by .target is higher than default SM version assumed ({self.arch.name})"
            self.error("ptx.target", f"{message}: .target {self.module.target}", where)

    def function(self, function: ptx.Function) -> None:
        have = self.module.version, min(self.number or self.arch.sm, self.arch.sm)
        self.directives(function.directives, function.where)
        if any(p.linkage == "hidden" for p in function.params):
            for code, message in since.lacking("Feature 'kernel parameter hidden attribute'", since.HIDDEN, have):
                self.error(code, message, function.where)
        self.device = None if function.entry else function
        self.own = {v.name: v for v in (*function.params, *function.returns)}
        spaces: dict[str, str] = {name: v.space for name, v in self.own.items()}
        registers = {v.name: v.type for v in (*function.params, *function.returns) if v.space == "reg"}
        for name in self.own:
            if function.type_of(name):
                self.error("ptx.duplicate", f"Duplicate definition of variable '{name}'", function.where)
        self.scope(function, function.body or [], _Names([function], [self.globals, spaces], registers))

    def directives(self, found: ptx.Directives, where: Span | None) -> None:
        """Whether the module is new enough for what a function, or a prototype, says of itself."""
        have = self.module.version, min(self.number or self.arch.sm, self.arch.sm)
        for name, _ in found:
            if name in since.DIRECTIVES:
                for code, message in since.lacking(f"Feature '.{name}'", since.DIRECTIVES[name], have):
                    self.error(code, message, where)

    def scope(self, scope: ptx.Function | ptx.Scope, body: list[ptx.Statement], names: _Names) -> None:
        here: dict[str, str] = {}
        items: dict[str, ptx.Statement] = {}
        for item in body:
            if isinstance(item, ptx.Variable | ptx.Label | ptx.Branchtargets | ptx.Callprototype):
                formal = not self.declared and item.name in self.own
                if item.name in here or formal or scope.type_of(item.name):
                    where = getattr(item, "where", None)
                    self.error("ptx.duplicate", f"Duplicate definition of '{item.name}'", where)
                here[item.name] = item.space if isinstance(item, ptx.Variable) else ""
                items[item.name] = item
            if isinstance(item, ptx.Variable):
                for message in variable(item, (), self.globals):
                    self.error("ptx.declaration", message, item.where)
            elif isinstance(item, ptx.Callprototype):
                self.directives(item.directives, item.where)
        inner = names.within(None, here)
        self.declared.append(items)
        for item in body:
            if len(self.found) >= LIMIT:
                break
            if isinstance(item, ptx.Branchtargets | ptx.Callprototype):
                self.tables.add(id(item))
            if isinstance(item, ptx.Inst):
                if item.where is not None or not self.selected:
                    self.instruction(item, inner)
            elif isinstance(item, ptx.Scope):
                self.scope(item, item.body, inner.within(item, {}))
        self.declared.pop()

    def instruction(self, inst: ptx.Inst, names: _Names) -> None:
        """Names first, then what they stand for in this instruction, and its form at last: one thing is said of it."""
        from minicc.ptx.isa import check, forms

        before = len(self.found)
        known = bool(forms(inst.opcode))
        if inst.guard is not None and known:
            self.visit(inst.guard, inst, names)
            if len(self.found) == before and names.type_of(inst.guard.name) != "pred":
                self.error("ptx.guard", f"Guard '{inst.guard.name}' is not a predicate", inst.where)
        for place, operand in enumerate(inst.operands if known else ()):
            self.visit(operand, inst, names)
            if len(self.found) > before:
                continue
            if isinstance(operand, ptx.Symbol) and inst.opcode == "cvta":
                if "to" not in inst.modifiers and names.space_of(operand.name) not in _spaces(inst):
                    self.error("ptx.address", _MISMATCH.format(inst.opcode), inst.where)
                elif "to" in inst.modifiers and not operand.offset:
                    self.error("ptx.address", "Argument 1 of instruction 'cvta.to': must be register", inst.where)
            if isinstance(operand, ptx.Address):
                for message in _address(inst, place, operand, names):
                    self.error("ptx.address", message, inst.where)
        if inst.opcode == "call" and len(self.found) == before:
            self.call(inst, names.type_of)
        elif inst.opcode in ("ld", "st"):
            self.parameter(inst)
        if len(self.found) == before:
            target = self.number, self.accelerated
            for code, message in check(inst, names.type_of, self.module.version, self.arch, *target):
                self.error(code, message, inst.where)

    def visit(self, operand: ptx.Operand | None, inst: ptx.Inst, names: _Names) -> None:
        """Whether the names of an operand are declared."""
        match operand:
            case ptx.Reg():
                if names.type_of(operand.name) is None:
                    self.undeclared(operand.name, inst)
            case ptx.Symbol():
                table = self.find(operand.name) if inst.opcode in ("brx", "call") else None
                late = isinstance(table, ptx.Branchtargets | ptx.Callprototype) and id(table) not in self.tables
                if late or (operand.name != "_" and names.space_of(operand.name) is None):
                    self.undeclared(operand.name, inst)
            case ptx.Address():
                self.visit(operand.base, inst, names)
            case ptx.Vector() | ptx.Tuple() | ptx.Bracket():
                for item in operand.items:
                    self.visit(item, inst, names)
            case ptx.Pair():
                self.visit(operand.first, inst, names)
                self.visit(operand.second, inst, names)

    def undeclared(self, name: str, inst: ptx.Inst) -> None:
        self.error("ptx.undeclared", f"Unknown symbol '{name}'", _at(name, inst.where))

    def find(self, name: str) -> ptx.Statement | None:
        """What a name is in the open scopes."""
        return next((items[name] for items in reversed(self.declared) if name in items), None)

    def parameter(self, inst: ptx.Inst) -> None:
        """Formal parameters of a function are read, its results written; what a call takes and gives, always."""
        base = next((o.base for o in inst.operands if isinstance(o, ptx.Address)), None)
        if not isinstance(base, ptx.Symbol):
            return
        item = self.find(base.name)
        if isinstance(item, ptx.Variable):
            if item.space == "param" and inst.guard is not None:
                message = f"Illegal to predicate instruction '{inst.opcode}.param' with operand '{base.name}'"
                self.error("ptx.param", message, inst.where)
        elif self.device and base.name in self.own and self.own[base.name].space == "param":
            output = any(v is self.own[base.name] for v in self.device.returns)
            if inst.opcode == "ld" and output:
                self.error("ptx.param", f"Illegal to read function return parameter '{base.name}'", inst.where)
            elif inst.opcode == "st" and not output:
                self.error("ptx.param", f"Illegal to write to function input parameter '{base.name}'", inst.where)

    def call(self, inst: ptx.Inst, type_of: Callable[[str], str | None]) -> None:
        found = self.callees.formals(inst, self.find)
        if isinstance(found, str):
            self.error("ptx.call", found, inst.where)
            return
        for formals in found:
            for message in called.check(inst, formals, self.callees.abi, self.own, self.find, type_of):
                self.error("ptx.call", message, inst.where)
