"""An instruction as text, exactly as nvdisasm prints it."""

from __future__ import annotations

from minicc.sass.codec import form_of
from minicc.sass.instr import PT, Imm, Instr, Reg
from minicc.sass.isa.aliases import alias_of
from minicc.sass.operand import immediate_text, register_text

BARE_CONTROL = 0x7E0
"""Control field of no stall, no barriers, yield: nvdisasm leaves out the blank before the semicolon."""


def format(instr: Instr, family: str = "", explicit: bool = False) -> str:
    """Text of one instruction with guard and `;`. `explicit` also prints operands that are
    usually left out, and as raw bits the immediates whose text does not hold all of them."""
    plan = form_of(instr, family)
    head = "" if instr.guard.index == PT and not instr.guard.inv else f"@{register_text(instr.guard)} "
    if plan is None:
        # Something that no form fits: the text is for messages only.
        words = [
            register_text(o) if isinstance(o, Reg) else immediate_text(o) if isinstance(o, Imm) else repr(o)
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
        word = codec.full_text(operand) if explicit else codec.text(operand)
        if explicit and type(operand) is Imm and ("NAN" in word or operand.kind in ("f16", "bf16")):
            word = f"{operand.bits:#x}"
        if reuse and codec.reuse and reuse >> (codec.source or 0) & 1:
            stem, dot, suffix = word.partition(".")
            word = f"{stem}.reuse{dot}{suffix}"
        text += (codec.separator if text else " ") + word
    return f"{head}{mnemonic}{text}{';' if bare else ' ;'}"
