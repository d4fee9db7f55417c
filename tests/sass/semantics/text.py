"""A small reader of instruction text, so that these tests need no other part of the assembler."""

from __future__ import annotations

import re

from minicc.sass.instr import Const, Imm, Instr, Mem, Name, Operand, Reg

_REG = re.compile(r"^(UR|UP|SR_|R|P)(Z|T|\d+)((?:\.[A-Z0-9_]+)*)$")
SPECIAL = {"SRZ": 255, "SR_TID.X": 33, "SR_CTAID.X": 37, "SR_CLOCKLO": 80}
_NULL = {"RZ": ("R", 255), "URZ": ("UR", 63), "PT": ("P", 7), "UPT": ("UP", 7)}


def _register(text: str, **flags: bool) -> Reg | None:
    name, *suffix = text.split(".")
    if name in _NULL:
        file, index = _NULL[name]
    else:
        m = re.match(r"^(UR|UP|R|P)(\d+)$", name)
        if not m:
            return None
        file, index = m[1], int(m[2])
    return Reg(file, index, suffix=tuple(s for s in suffix if s != "reuse"), **flags)  # type: ignore[arg-type]


def operand(text: str) -> Operand:
    """One operand: registers with modifiers, 0x immediates (raw bits), `=name` words, c[b][o], [R4.64+0x10]."""
    text = text.strip()
    flags: dict[str, bool] = {}
    if m := re.match(r"^(?:desc\[(UR\d+)\])?\[(.*)\]$", text):
        base = ureg = None
        offset = 0
        for part in re.split(r"\+", m[2]):
            reg = _register(part)
            if reg is None:
                offset = int(part, 0)
            elif reg.file == "UR" and base is not None:
                ureg = reg
            else:
                base = reg
        return Mem(base, offset, ureg, _register(m[1]) if m[1] else None)
    while text and text[0] in "-~!|":
        flags[{"-": "neg", "~": "inv", "!": "inv", "|": "abs"}[text[0]]] = True
        text = text[1:]
    text = text.replace("|", "")
    if m := re.match(r"^c\[(\w+)\]\[(?:(U?R\w+)\+?)?(\w*)\](?:\.(\w+))?$", text):
        base = _register(m[2]) if m[2] else None
        return Const(int(m[1], 0), int(m[3] or "0", 0), base=base, suffix=(m[4],) if m[4] else (), **flags)
    if text.startswith("SR"):
        return Reg("SR", SPECIAL[text])
    if (reg := _register(text, **flags)) is not None:
        return reg
    if m := re.match(r"^(f64|f|h)?(0x[0-9a-fA-F]+|\d+)$", text):
        kind = {"f64": "f64hi", "f": "f32", "h": "f16x2", None: "int"}[m[1]]
        return Imm(int(m[2], 0) & 0xFFFFFFFF, kind, **flags)  # type: ignore[arg-type]
    return Name(text)


def parse(text: str) -> Instr:
    """`MNEMONIC.MOD op, op`."""
    head, _, rest = text.strip().partition(" ")
    mnemonic, *mods = head.split(".")
    operands = tuple(operand(p) for p in rest.split(",") if p.strip())
    return Instr(mnemonic, operands, tuple(mods))
