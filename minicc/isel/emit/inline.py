"""Inline assembly: LLVM's template text with operands -> PTX statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from minicc.diagnostics import CompileError, SourceFile
from minicc.isel.emit.emit import CLASS
from minicc.ptx import model as ptx

if TYPE_CHECKING:
    from minicc.isel.lower.lower import Lowering

_OPERAND = re.compile(r"\$(?:\$|(\d+)|\{(\d*):?(\w*)\})")


def _text(operand: ptx.Operand) -> str:
    match operand:
        case ptx.Reg():
            return operand.name
        case ptx.Int():
            return str(operand.value)
        case ptx.Float():
            return f"0{'f' if operand.width == 32 else 'd'}{operand.bits:0{operand.width // 4}X}"
        case ptx.Symbol():
            return f"{operand.name}+{operand.offset}" if operand.offset else operand.name
    raise TypeError(operand)


_NAME = re.compile(r"[%$_A-Za-z][\w$]*")
_REGISTERS = {"pred": "p", "b16": "h", "u16": "h", "s16": "h", "b32": "i32", "u32": "i32", "s32": "i32", "f32": "f32",
              "b64": "i64", "u64": "i64", "s64": "i64", "f64": "f64", "b128": "i128"}  # fmt: skip
"""Type of a declared register to the emitter's kind of one."""


class Opened:
    """What texts so far have declared for later ones: `asm("{"); asm(".reg .pred p;"); ... asm("}");`."""

    def __init__(self, register: Callable[[str], ptx.Reg]) -> None:
        self.register = register
        self.scopes: list[dict[str, ptx.Reg]] = [{}]
        """Of the function itself, then of each brace that is open: name to the register that stands for it."""

    def find(self, name: str) -> str:
        return next((scope[name].name for scope in reversed(self.scopes) if name in scope), name)

    def rename(self, text: str) -> str:
        return _NAME.sub(lambda found: self.find(found[0]), text)

    @property
    def registers(self) -> list[ptx.Reg]:
        return [reg for scope in self.scopes for reg in scope.values()]


def _pieces(text: str) -> list[str]:
    """The text cut at braces whose other halves it lacks, which are pieces of their own."""
    opens: list[int] = []
    alone: list[int] = []
    for found in re.finditer(r"[{}]", text):
        if found[0] == "{":
            opens.append(found.start())
        elif opens:
            opens.pop()
        else:
            alone.append(found.start())
    out, begin = [], 0
    for at in sorted(alone + opens):
        out += [text[begin:at], text[at]]
        begin = at + 1
    return [piece for piece in [*out, text[begin:]] if piece.strip()]


def splice(
    text: str, operands: list[ptx.Operand], lowering: Lowering, suffix: str, opened: Opened
) -> list[ptx.Statement]:
    """Statements of the text. If it declares registers or labels outside braces, it is wrapped in a scope, so that two
    copies of one text do not clash; in a scope that an earlier text opened its registers are the function's."""

    def substitute(found: re.Match[str]) -> str:
        number = found[1] or found[2]
        if number:
            if int(number) >= len(operands):
                lowering.unsupported(f"inline assembly operand ${number}")
            return _text(operands[int(number)])
        return suffix if found[3] == "uid" else "$" if found[0] == "$$" else suffix

    out: list[ptx.Statement] = []
    for piece in _pieces(_OPERAND.sub(substitute, text)):
        if piece == "{":
            opened.scopes.append({})
        elif piece != "}":
            out += _statements(piece.strip(), operands, lowering, opened)
        elif len(opened.scopes) > 1:
            opened.scopes.pop()
        else:
            lowering.unsupported("inline assembly: a '}' without its '{'")
    return out


def _statements(body: str, operands: list[ptx.Operand], lowering: Lowering, opened: Opened) -> list[ptx.Statement]:
    if body[-1] not in ";}":
        body += ";"
    body = opened.rename(body)
    operands = [*operands, *opened.registers]
    function = _parsed(body, operands, lowering)
    statements: list[ptx.Statement] = list(function.body or [])
    outer = {o.name for o in operands if isinstance(o, ptx.Reg)}
    own = {name: kind for name, kind in function.regs.items() if name not in outer}
    labels = any(isinstance(s, ptx.Label) for s in statements)
    ranges = list(function.reg_ranges)
    kept = len(opened.scopes) > 1 or not statements
    if own and kept and not ranges and not labels and _REGISTERS.keys() >= set(own.values()):
        # Later texts may name them.
        opened.scopes[-1].update((name, opened.register(_REGISTERS[kind])) for name, kind in own.items())
        return list(_parsed(opened.rename(body), operands, lowering).body or [])
    if own or ranges or labels or any(isinstance(s, ptx.Variable) for s in statements):
        return [ptx.Scope(statements, own, ranges)]
    return statements


def _parsed(body: str, operands: list[ptx.Operand], lowering: Lowering) -> ptx.Function:
    """The text as a function's body, in which the operands are declared."""
    from minicc.ptx.parser import parse

    declared = "".join(
        f".reg .{CLASS[o.name.rstrip('0123456789')]} {o.name};\n"
        for o in dict.fromkeys(o for o in operands if isinstance(o, ptx.Reg))
    )
    used = {s.name for s in operands if isinstance(s, ptx.Symbol)}
    symbols = "".join(f".extern .global .b8 {name}[];\n" for name in sorted(used))
    version = "{}.{}".format(*lowering.arch.ptx_version)
    source = (
        f".version {version}\n.target {lowering.arch.name}\n.address_size 64\n{symbols}"
        f".func __asm()\n{{\n{declared}{body}\n}}\n"
    )
    try:
        module = parse(SourceFile("<inline asm>", source))
    except CompileError as error:
        lowering.unsupported(f"inline assembly: {error.diagnostics[0].message} in `{' '.join(body.split())}`")
    return module.functions[0]
