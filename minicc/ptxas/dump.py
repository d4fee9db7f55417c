"""Machine IR as text, for people: one line an instruction, virtual registers by name, control codes once they are
set."""

from __future__ import annotations

from minicc.ptx import printer
from minicc.ptxas.mir import MFunction, MInst, MOperand, V, VConst, VMem
from minicc.sass.instr import Const, Control, Imm, Mem, Name, Reg, Target


def _v(v: V | Reg) -> str:
    if isinstance(v, Reg):
        special = {("R", 255): "RZ", ("UR", 63): "URZ", ("P", 7): "PT", ("UP", 7): "UPT"}
        text = special.get((v.file, v.index), f"{v.file}{v.index}")
    else:
        fixed = v.reg.fixed
        text = repr(v.reg) if fixed is None else f"{v.reg.file}{fixed + v.part}"
        if fixed is None and (v.part or v.count != v.reg.width):
            text += f"[{v.part}" + (f"..{v.part + v.count - 1}]" if v.count > 1 else "]")
        elif fixed is not None and v.count > 1:
            text += f"..{fixed + v.part + v.count - 1}"
    text = "".join((text, *(f".{s}" for s in v.suffix)))
    if v.abs:
        text = f"|{text}|"
    if v.inv:
        text = ("!" if v.file in ("P", "UP") else "~") + text
    return ("-" if v.neg else "") + text


def operand_text(operand: MOperand) -> str:
    """One operand."""
    if isinstance(operand, V | Reg):
        return _v(operand)
    if isinstance(operand, VMem | Mem):
        parts = [_v(p) for p in (operand.base, operand.ureg) if p is not None]
        if operand.offset or not parts:
            parts.append(hex(operand.offset))
        text = f"[{'+'.join(parts)}]"
        return f"desc[{_v(operand.desc)}]{text}" if operand.desc is not None else text
    if isinstance(operand, VConst | Const):
        parts = [_v(operand.base)] if operand.base is not None else []
        return f"c[{operand.bank:#x}][{'+'.join([*parts, hex(operand.offset)])}]"
    if isinstance(operand, Imm):
        return ("-" if operand.neg else "") + hex(operand.bits)
    if isinstance(operand, Target):
        return f"`({operand.label})" if operand.label is not None else hex(operand.address or 0)
    assert isinstance(operand, Name)
    return operand.text


def inst_text(inst: MInst) -> str:
    """One instruction."""
    guard = _v(inst.guard)
    text = "" if guard == "PT" else f"@{guard} "
    text += ".".join((inst.mnemonic, *inst.modifiers))
    return f"{text} {', '.join(operand_text(o) for o in (*inst.dsts, *inst.srcs))}".rstrip()


def _control(control: Control) -> str:
    wait = "".join(str(k) if control.wait >> k & 1 else "-" for k in range(6))
    bars = f"{'-' if control.wbar == 7 else control.wbar}{'-' if control.rbar == 7 else control.rbar}"
    return f"{wait}:{bars}:{'Y' if control.yield_ else '-'}:{control.stall:02d}"


def function_text(function: MFunction, *, controls: bool = False) -> str:
    """A whole function."""
    lines = [f"{'entry' if function.entry else 'function'} {function.name}:"]
    for block in function.blocks:
        lines.append(f"{block.label}:  // depth {block.loop_depth} -> {', '.join(block.succs)}")
        for inst in block.insts:
            prefix = f"{_control(inst.control)}  " if controls else ""
            origin = f"  // {printer.instruction(inst.ptx)}" if inst.ptx else ""
            lines.append(f"    {prefix}{inst_text(inst)}{origin}")
    return "\n".join(lines) + "\n"
