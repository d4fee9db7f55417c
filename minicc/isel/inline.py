"""Inline assembly: LLVM's template text with operands -> PTX statements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx import model as ptx

if TYPE_CHECKING:
    from minicc.isel.lower import Lowering

_OPERAND = re.compile(r"\$(?:\$|(\d+)|\{(\d*):?(\w*)\})")
_KINDS = {"%p": "pred", "%rs": "b16", "%r": "b32", "%rd": "b64", "%f": "f32", "%fd": "f64"}


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


def splice(text: str, operands: list[ptx.Operand], lowering: Lowering, suffix: str) -> list[ptx.Statement]:
    """Statements of the text. If it declares registers or labels outside braces, it is wrapped in a scope, so that two
    copies of one text do not clash."""
    from minicc.ptx.parser import parse

    def substitute(found: re.Match[str]) -> str:
        number = found[1] or found[2]
        if number:
            if int(number) >= len(operands):
                lowering.unsupported(f"inline assembly operand ${number}")
            return _text(operands[int(number)])
        return suffix if found[3] == "uid" else "$" if found[0] == "$$" else suffix

    body = _OPERAND.sub(substitute, text).strip()
    if not body:
        return []
    if body[-1] not in ";}":
        body += ";"
    declared = "".join(
        f".reg .{_KINDS[o.name.rstrip('0123456789')]} {o.name};\n"
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
    function = module.functions[0]
    statements: list[ptx.Statement] = list(function.body or [])
    outer = {o.name for o in operands if isinstance(o, ptx.Reg)}
    own = {name: kind for name, kind in function.regs.items() if name not in outer}
    labels = any(isinstance(s, ptx.Label) for s in statements)
    ranges = list(function.reg_ranges)
    if own or ranges or labels or any(isinstance(s, ptx.Variable) for s in statements):
        return [ptx.Scope(statements, own, ranges)]
    return statements
