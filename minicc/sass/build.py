"""Instructions made by programs: `make` picks the form that the operands ask for."""

from __future__ import annotations

from minicc.diagnostics import fail
from minicc.sass.codec import plans
from minicc.sass.instr import PT, Control, Imm, Instr, Operand, Reg
from minicc.sass.operand import NoFit, TargetCodec, kind_of, telling

_ALWAYS = Reg("P", PT)
_PLAIN = Control()


def make(
    mnemonic: str,
    operands: tuple[Operand, ...] = (),
    modifiers: tuple[str, ...] = (),
    guard: Reg = _ALWAYS,
    control: Control = _PLAIN,
    hidden: tuple[tuple[str, int], ...] = (),
    family: str = "sm_90",
) -> Instr:
    """The canonical instruction. Operands that are usually not printed may be left out; immediates may be given as
    Imm of kind "int" with negative or unsigned bits. `CompileError` (sass.encode) says why nothing fits."""
    kinds = tuple([kind_of(o) for o in operands])
    why = ""
    for plan in plans(mnemonic, modifiers, kinds):
        if family not in plan.form.families:
            why = why or f"not available in the {family} encoding"
            continue
        full: list[Operand] = []
        try:
            for codec, place in zip(plan.form.operands, plan.places, strict=True):
                operand = codec.default if place < 0 else operands[place]
                assert operand is not None
                if type(operand) is Imm and not isinstance(codec, TargetCodec):
                    operand = codec.decode(codec.encode(operand, 0) | plan.base, 0)
                elif not isinstance(codec, TargetCodec):
                    codec.encode(operand, 0)
                full.append(operand)
        except NoFit as error:
            why = telling(why, str(error))
            continue
        return Instr(mnemonic, tuple(full), modifiers, guard, control, hidden)
    from minicc.sass.explain import explain

    fail("sass.encode", explain(Instr(mnemonic, operands, modifiers, guard), kinds, why))
