"""`model.Module` -> PTX text, laid out as nvcc lays it out.

`format(parse(text))` parses back to an equal module. Comments are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from minicc import texts
from minicc.ptx.model import (
    Address,
    Alias,
    Bracket,
    Branchtargets,
    Callprototype,
    Float,
    Function,
    Initial,
    Inst,
    Int,
    Label,
    Loc,
    Module,
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

_DOUBLE_SPACED = frozenset({"and", "or", "xor"})
"""nvcc prints two blanks after these with a .b type; so do we, so that a diff of the two is about code."""


def format(module: Module) -> str:
    """The whole module's text."""
    target = ", ".join((module.target, *module.target_options))
    out = [
        f".version {module.version[0]}.{module.version[1]}\n.target {target}\n.address_size {module.address_size}\n\n"
    ]
    items = module.order or [*module.variables, *module.functions]
    for item in items:
        if isinstance(item, Function):
            out.append(_function(item))
        elif isinstance(item, Variable):
            out.append(f"{variable(item)};\n")
        elif isinstance(item, Alias):
            out.append(f".alias {item.name}, {item.target};\n")
        else:
            out.append(f'.pragma "{item.text}";\n')
    for index, path in sorted(module.files.items()):
        out.append(f'\t.file\t{index} "{texts.quoted(path)}"\n')
    for section in module.sections:
        out.append(f"\t{section}\n")
    return "".join(out)


def statements(body: list[Statement]) -> str:
    """Statements alone, as they stand in a function."""
    out: list[str] = []
    _Body(out).scope(Scope(body), body)
    return "".join(out)


def variable(item: Variable) -> str:
    """A declaration without its ';'."""
    parts = [f".{item.linkage}"] if item.linkage else []
    parts.append(f".{item.space}")
    parts += [f".attribute({text})" for text in item.attributes]
    if item.align is not None and item.ptr is None:
        parts.append(f".align {item.align}")
    if item.vector is not None:
        parts.append(f".v{item.vector}")
    parts.append(f".{item.type}")
    if item.ptr is not None:
        if item.align is not None:
            parts.insert(-1, f".align {item.align}")
        parts.append(".ptr")
        if item.ptr[0] is not None:
            parts.append(f".{item.ptr[0]}")
        if item.ptr[1] is not None:
            parts.append(f".align {item.ptr[1]}")
    dims = "".join("[]" if size is None else f"[{size}]" for size in item.dims)
    parts.append(item.name + dims)
    text = " ".join(parts)
    if item.init is not None:
        text += f" = {_initialiser(item.init)}"
    return text


def _initialiser(value: Initial) -> str:
    if isinstance(value, list):
        return "{" + ", ".join(_initialiser(item) for item in value) + "}"
    if isinstance(value, tuple):
        return f"{value[0]} = {_initialiser(value[1])}"
    return operand(value)


def _function(function: Function) -> str:
    out = [f".{function.linkage} " if function.linkage else "", ".entry " if function.entry else ".func "]
    for name, _ in function.directives:
        if name.startswith("attribute:"):
            out.append(f".attribute({name[10:]}) ")
    if function.returns:
        out.append(f" ({', '.join(variable(v) for v in function.returns)}) ")
    out.append(function.name)
    if function.params:
        out.append("(\n" + ",\n".join(f"\t{variable(p)}" for p in function.params) + "\n)\n")
    else:
        out.append("()\n")
    for name, values in function.directives:
        if name.startswith("pragma:"):
            out.append(f'.pragma "{name[7:]}";\n')
        elif not name.startswith("attribute:"):
            out.append(_directive(name, values) + "\n")
    if function.body is None:
        out.append(";\n")
        return "".join(out)
    out.append("{\n")
    _Body(out).scope(function, function.body)
    out.append("\n}\n")
    return "".join(out)


def _directive(name: str, values: tuple[int, ...]) -> str:
    return f".{name} {', '.join(map(str, values))}" if values else f".{name}"


class _Body:
    """Prints statements; remembers the line in force, so that `.loc` appears where it changes."""

    def __init__(self, out: list[str]) -> None:
        self.out = out
        self.loc: Loc | None = None
        self.places: dict[tuple[int, int, int], Loc] = {}

    def scope(self, scope: Function | Scope, body: list[Statement]) -> None:
        head = 0
        if isinstance(scope, Scope):
            self.out += _registers(scope.regs.items(), scope.reg_ranges)
        while isinstance(scope, Function) and head < len(body) and isinstance(local := body[head], Variable):
            self.out.append(f"\t{variable(local)};\n")
            head += 1
        if isinstance(scope, Function):
            self.out += _registers(scope.regs.items(), scope.reg_ranges)
            self.out.append("\n")
        for position in range(head, len(body)):
            item = body[position]
            if type(item) is Inst:
                self.instruction(item)
                if item.guard is not None and item.opcode == "bra":
                    following = body[position + 1] if position + 1 < len(body) else None
                    if type(following) is not Label and getattr(following, "opcode", "") != "bra":
                        self.out.append("\n")
            else:
                self.other(item)

    def instruction(self, item: Inst) -> None:
        loc = item.loc
        if (
            loc is not None
            and loc is not self.loc
            and (self.loc is None or loc != self.loc or loc.chain != self.loc.chain)
        ):
            self.loc = loc
            self.place(loc)
        self.out.append(f"\t{instruction(item)}\n")

    def place(self, loc: Loc) -> None:
        """A place, after the place of the call that it was inlined at: inlined_at means the last .loc of that name."""
        call = loc.inlined_at
        if call is not None:
            outer = loc.outer or Loc(*call)
            known = self.places.get(call)
            if known is None or (loc.outer is not None and known.chain != outer.chain):
                self.place(outer)
        self.places[loc.file, loc.line, loc.column] = loc
        self.out.append(f"\t{location(loc)}\n")

    def other(self, item: Statement) -> None:
        out = self.out
        if isinstance(item, Label):
            out.append(f"\n{item.name}:\n")
        elif isinstance(item, Scope):
            out.append("\t{\n")
            self.scope(item, item.body)
            out.append("\t}\n")
        elif isinstance(item, Variable):
            out.append(f"\t{variable(item)};\n")
        elif isinstance(item, Pragma):
            out.append(f'\t.pragma "{item.text}";\n')
        elif isinstance(item, Branchtargets):
            targets = ",\n".join(f"\t\t{name}" for name in item.targets)
            out.append(f"\t{item.name}: .branchtargets\n{targets};\n")
        elif isinstance(item, Callprototype):
            returns = f"({', '.join(variable(v) for v in item.returns)}) " if item.returns else ""
            params = ", ".join(variable(v) for v in item.params)
            directives = "".join(" " + _directive(*directive) for directive in item.directives)
            out.append(f"\t{item.name} : .callprototype {returns}_ ({params}){directives};\n")


def _registers(regs: Iterable[tuple[str, str]], ranges: list[tuple[str, int, str]]) -> list[str]:
    dotted = {t: ".".join(("", *t.split("."))).replace(".", " .")[1:] for _, t in regs}
    lines = [f"\t.reg {dotted[type_]} \t{name};\n" for name, type_ in regs]
    for prefix, count, type_ in ranges:
        lines.append(f"\t.reg {'.' + type_.replace('.', ' .')} \t{prefix}<{count}>;\n")
    return lines


def location(loc: Loc) -> str:
    """The `.loc` directive of a place."""
    text = f".loc\t{loc.file} {loc.line} {loc.column}"
    if loc.function_name is not None:
        text += f", function_name {loc.function_name}"
    if loc.inlined_at is not None:
        text += ", inlined_at {} {} {}".format(*loc.inlined_at)
    return text


def instruction(item: Inst) -> str:
    """One instruction on one line, with its ';'."""
    guard = "" if item.guard is None else f"@{'!' if item.guard.neg else ''}{item.guard.name} "
    name = item.name
    if not item.operands:
        return f"{guard}{name};"
    if item.opcode in _DOUBLE_SPACED and item.modifiers and item.modifiers[0][0] == "b":
        name += " "
    return f"{guard}{name} \t{', '.join([operand(o) for o in item.operands])};"


def operand(item: Operand) -> str:
    """One operand."""
    if isinstance(item, Reg):
        if not (item.neg or item.minus or item.part):
            return item.name
        part = f".{item.part}" if item.part else ""
        return f"{'!' if item.neg else '-' if item.minus else ''}{item.name}{part}"
    if isinstance(item, Int):
        return str(item.value)
    if isinstance(item, Address):
        base = operand(item.base)
        return f"[{base}+{item.offset}]" if item.offset else f"[{base}]"
    if isinstance(item, Float):
        return f"0f{item.bits:08X}" if item.width == 32 else f"0d{item.bits:016X}"
    if isinstance(item, Symbol):
        offset = f"+{item.offset}" if item.offset else ""
        if item.mask is not None:
            inner = f"generic({item.name}){offset}" if item.generic else f"{item.name}{offset}"
            return f"0x{item.mask:X}({inner})"
        return f"generic({item.name}){offset}" if item.generic else f"{item.name}{offset}"
    if isinstance(item, Special):
        return item.name
    if isinstance(item, Vector):
        return "{" + ", ".join("_" if i is None else operand(i) for i in item.items) + "}"
    if isinstance(item, Pair):
        return f"{operand(item.first)}|{'_' if item.second is None else operand(item.second)}"
    if isinstance(item, Tuple):
        return f"({', '.join(operand(i) for i in item.items)})"
    if isinstance(item, Bracket):
        return f"[{', '.join(operand(i) for i in item.items)}]"
    raise TypeError(f"not a PTX operand: {item!r}")
