"""Module-scope variables: LLVM globals with their initialisers -> PTX variables; names PTX can spell."""

from __future__ import annotations

import re
from typing import NoReturn

from minicc.diagnostics import SourceFile, Span, fail
from minicc.isel.layout import DataLayout
from minicc.nvvm import ir
from minicc.nvvm.tokens import offset_of
from minicc.ptx import model as ptx

_SPACES: dict[int, ptx.Space] = {0: "global", 1: "global", 3: "shared", 4: "const", 5: "local"}
_BAD = re.compile(r"[^A-Za-z0-9_$]")
_SCALARS = {"half": "b16", "bfloat": "b16", "float": "f32", "double": "f64"}


def ptx_names(module: ir.Module) -> dict[str, str]:
    """PTX name of every global: characters PTX does not allow become _$_, as LLVM does it."""
    out: dict[str, str] = {}
    taken: set[str] = set()
    for name in [*module.variables, *module.functions, *module.aliases]:
        if name.startswith("llvm."):
            continue
        plain = _BAD.sub("_$_", name)
        if plain[0].isdigit():
            plain = "_$_" + plain
        while plain in taken:
            plain += "_"
        taken.add(plain)
        out[name] = plain
    return out


def linkage(text: str, declaration: bool) -> str:
    """PTX linkage of an LLVM one."""
    if declaration:
        return "extern"
    if text in ("internal", "private"):
        return ""
    if text in ("linkonce", "linkonce_odr", "weak", "weak_odr"):
        return "weak"
    if text == "common":
        return "common"
    return "visible"


class Globals:
    """Makes the variables of one module."""

    def __init__(self, module: ir.Module, names: dict[str, str]) -> None:
        self.module = module
        self.names = names
        self.layout = DataLayout(module.datalayout)
        self.made: ir.GlobalVariable | None = None
        """The variable in hand."""

    def unsupported(self, what: str) -> NoReturn:
        where = None
        if self.made is not None:
            where = Span(SourceFile(self.module.name, self.module.text), *offset_of(self.module.text, self.made.offset))
        fail("isel.unsupported", f"no pattern for {what}", where)

    def variables(self) -> list[ptx.Variable]:
        """All of them, each after those its initialiser names."""
        done: dict[str, ptx.Variable] = {}
        visiting: set[str] = set()

        def visit(name: str) -> None:
            variable = self.module.variables[name]
            if name in done or name in visiting or name.startswith("llvm."):
                return
            visiting.add(name)
            for other in referenced(variable.init):
                if other in self.module.variables:
                    visit(other)
            done[name] = self.variable(variable)

        for name in self.module.variables:
            visit(name)
        return list(done.values())

    def addressed(self) -> list[str]:
        """Functions that initialisers name: PTX wants those declared first."""
        named = (name for v in self.module.variables.values() for name in referenced(v.init))
        return [name for name in dict.fromkeys(named) if name in self.module.functions]

    def variable(self, variable: ir.GlobalVariable) -> ptx.Variable:
        self.made = variable
        space = _SPACES.get(variable.space)
        if space is None:
            self.unsupported(f"a variable in addrspace({variable.space})")
        type_ = variable.type
        declaration = variable.init is None and variable.linkage in ("external", "extern_weak", "")
        size = self.layout.size(type_)
        align = max(variable.align, self.layout.align(type_))
        name = self.names[variable.name]
        link = linkage(variable.linkage, declaration)
        if space == "shared" and link == "common":
            link = ""
        made = ptx.Variable(name, space, "b8", align, (size,), linkage=link)  # type: ignore[arg-type]
        if declaration:
            made.dims = (None,) if size == 0 else (size,)
            return made
        if space in ("shared", "local") or isinstance(variable.init, ir.Undef | ir.Zero) or variable.init is None:
            made.dims = (max(size, 1),)
            return made
        self.initialise(made, variable.init, type_, size)
        return made

    def initialise(self, made: ptx.Variable, init: ir.Value, type_: ir.Type, size: int) -> None:
        element, count = type_, 1
        while element.is_aggregate and element.kind == "array":
            count *= element.count
            element = element.element
        image = bytearray(size)
        pointers: dict[int, ptx.Symbol] = {}
        self.fill(image, pointers, init, type_, 0)
        if pointers:
            if any(at % 8 for at in pointers) or size % 8:
                self.unsupported("an initialiser with addresses that are not aligned to 8")
            made.type, made.dims = "u64", (size // 8,)
            made.init = [
                pointers.get(at) or ptx.Int(int.from_bytes(image[at : at + 8], "little")) for at in range(0, size, 8)
            ]
            return
        kind = _SCALARS.get(element.kind)
        if element.kind == "int" and element.bits in (8, 16, 32, 64):
            kind = f"b{element.bits}" if element.bits == 8 else f"u{element.bits}"
        unit = self.layout.size(element)
        if kind is None or kind == "b16":
            kind, unit = "b8", 1
        made.type = kind
        made.dims = (size // unit,) if type_.is_aggregate or unit != size else ()
        items: list[object] = []
        for at in range(0, size, unit):
            bits = int.from_bytes(image[at : at + unit], "little")
            items.append(ptx.Float(bits, 32 if kind == "f32" else 64) if kind[0] == "f" else ptx.Int(bits))
        made.init = items if made.dims else items[0]  # type: ignore[assignment]

    def fill(self, image: bytearray, pointers: dict[int, ptx.Symbol], value: ir.Value, type_: ir.Type, at: int) -> None:
        """Write a constant's bytes; addresses are noted aside."""
        match value:
            case ir.ConstInt():
                size = self.layout.store_size(type_)
                image[at : at + size] = value.value.to_bytes(size, "little")
            case ir.ConstFloat():
                size = self.layout.store_size(type_)
                image[at : at + size] = value.bits.to_bytes(size, "little")
            case ir.ConstBytes():
                image[at : at + len(value.data)] = value.data
            case ir.Zero() | ir.Undef():
                pass
            case ir.ConstAggregate() if type_.kind == "vector" and (bits := self.layout.bits(type_.element)) % 8:
                numbers = [item.value if isinstance(item, ir.ConstInt) else 0 for item in value.items]
                whole = sum(number << bits * n for n, number in enumerate(numbers))  # they lie bit by bit
                integer = ir.int_type(bits * type_.count)
                self.fill(image, pointers, ir.ConstInt(integer, whole), integer, at)
            case ir.ConstAggregate():
                if type_.kind == "struct":
                    for item, field, offset in zip(
                        value.items, type_.elements, self.layout.offsets(type_), strict=True
                    ):
                        self.fill(image, pointers, item, field, at + offset)
                else:
                    array, element = type_.kind == "array", type_.element
                    step = 8 * self.layout.size(element) if array else self.layout.bits(element)
                    for index, item in enumerate(value.items):
                        self.fill(image, pointers, item, element, at + index * step // 8)
            case ir.Global() | ir.ConstExpr():
                number, symbol = self.address(value)
                if symbol is None:
                    size = self.layout.store_size(type_)
                    image[at : at + size] = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
                else:
                    pointers[at] = symbol
            case _:
                self.unsupported(f"an initialiser of type {value.type}")

    def address(self, value: ir.Value) -> tuple[int, ptx.Symbol | None]:
        """A constant address expression as (number, None) or (0, symbol + offset)."""
        if isinstance(value, ir.ConstInt):
            return value.value, None
        if isinstance(value, ir.Zero | ir.Undef):
            return 0, None
        if isinstance(value, ir.Global):
            name = value.name
            if name in self.module.aliases and isinstance(self.module.aliases[name].target, ir.Global):
                return self.address(self.module.aliases[name].target)
            generic = value.type.space == 0 and name in self.module.variables
            return 0, ptx.Symbol(self.names[name], 0, generic)
        if isinstance(value, ir.ConstExpr):
            if value.op in ("bitcast", "ptrtoint", "ptrtoaddr", "inttoptr"):
                return self.address(value.args[0])
            if value.op == "addrspacecast":
                number, symbol = self.address(value.args[0])
                if symbol is not None and value.type.space == 0:
                    symbol = ptx.Symbol(symbol.name, symbol.offset, True)
                return number, symbol
            if value.op == "getelementptr":
                number, symbol = self.address(value.args[0])
                offset = self.offset(value)
                if symbol is None:
                    return number + offset, None
                return 0, ptx.Symbol(symbol.name, symbol.offset + offset, symbol.generic)
            if value.op in ("add", "sub"):
                number, symbol = self.address(value.args[0])
                other, second = self.address(value.args[1])
                if second is None:
                    delta = other if value.op == "add" else -other
                    if symbol is None:
                        return number + delta, None
                    return 0, ptx.Symbol(symbol.name, symbol.offset + delta, symbol.generic)
        self.unsupported("this constant expression in an initialiser")

    def offset(self, value: ir.ConstExpr) -> int:
        """Byte offset of a constant GEP."""
        assert value.source is not None
        total = 0
        type_ = value.source
        for position, index in enumerate(value.args[1:]):
            number = index.value if isinstance(index, ir.ConstInt) else 0
            if index.type.kind == "int" and number >> (index.type.bits - 1):
                number -= 1 << index.type.bits
            if position == 0:
                total += number * self.layout.size(type_)
            elif type_.kind == "struct":
                total += self.layout.offsets(type_)[number]
                type_ = type_.elements[number]
            else:
                type_ = type_.element
                total += number * self.layout.size(type_)
        return total


def referenced(value: ir.Value | None) -> list[str]:
    """Globals that a value names, inside constant expressions and aggregates too."""
    if isinstance(value, ir.Global):
        return [value.name]
    if isinstance(value, ir.ConstAggregate):
        return [name for item in value.items for name in referenced(item)]
    if isinstance(value, ir.ConstExpr):
        return [name for item in value.args for name in referenced(item)]
    return []
