"""An instruction as text, exactly as nvdisasm prints it."""

from __future__ import annotations

from minicc.sass.codec import form_of
from minicc.sass.instr import PT, Instr, Reg, Target
from minicc.sass.isa.aliases import alias_of
from minicc.sass.operand import LANES, register_text

BARE_CONTROL = 0x7E0
"""Control field of no stall, no barriers, yield: nvdisasm leaves out the blank before the semicolon."""


def format(instr: Instr, family: str = "", explicit: bool = False) -> str:
    """Text of one instruction with guard and `;`. `explicit` prints operands that are usually left out, too."""
    plan = form_of(instr, family)
    head = "" if instr.guard.index == PT and not instr.guard.inv else f"@{register_text(instr.guard)} "
    if plan is None:
        from minicc.sass.operand import immediate_text  # text of something that no form fits, for messages

        words = [
            register_text(o) if isinstance(o, Reg) else getattr(o, "text", "") or immediate_text_or_repr(o, immediate_text)
            for o in instr.operands
        ]
        mnemonic = ".".join((instr.mnemonic, *instr.modifiers))
        return f"{head}{mnemonic} {', '.join(words)} ;"
    form = plan.form
    mnemonic = ".".join((instr.mnemonic, *alias_of(instr), *instr.modifiers))
    bare = instr.control.pack() == BARE_CONTROL
    reuse = instr.control.reuse if not instr.control.yield_ else 0
    text = ""
    for codec, place in zip(form.operands, plan.places, strict=True):
        operand = instr.operands[place] if place >= 0 else codec.default
        assert operand is not None
        if codec.hides and operand == codec.default and not explicit:
            continue
        word = codec.text(operand)
        if reuse and codec.reuse is not None and reuse >> (codec.reuse - 122) & 1:
            stem, dot, last = word.rpartition(".")
            word = f"{stem}.reuse.{last}" if last in LANES else word + ".reuse"
        text += (codec.separator if text else " ") + word
        if explicit and isinstance(operand, Target):
            continue
    return f"{head}{mnemonic}{text}{';' if bare else ' ;'}"


def immediate_text_or_repr(operand: object, text: object) -> str:
    """Text of an immediate, else the record's repr."""
    from minicc.sass.instr import Imm

    return text(operand) if isinstance(operand, Imm) else repr(operand)  # type: ignore[operator]
