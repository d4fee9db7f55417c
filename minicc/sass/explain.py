"""Why an instruction cannot be encoded, in words."""

from __future__ import annotations

import difflib

from minicc.sass.instr import Instr


def explain(instr: Instr, kinds: tuple[str, ...], why: str, text: str = "") -> str:
    """Message for an instruction that no form fits; `why` is what the nearest form said, `text` the source."""
    from minicc.sass.codec import _match_modifiers, _match_operands, _rows_by_mnemonic, forms_of_mnemonic
    from minicc.sass.printer import format

    forms = forms_of_mnemonic(instr.mnemonic)
    if not forms:
        near = difflib.get_close_matches(instr.mnemonic, list(_rows_by_mnemonic()), 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"unknown instruction '{instr.mnemonic}'{hint}"
    text = text or format(instr).removesuffix(";").rstrip()
    if why:
        return f"cannot encode '{text}': {why}"
    if not any(_match_modifiers(form, instr.modifiers) is not None for form in forms):
        known = sorted({s for f in forms for p in f.parts for s in ([p] if isinstance(p, str) else sum(p.values, ()))})
        unknown = [m for m in instr.modifiers if m not in known]
        if unknown:
            return f"cannot encode '{text}': {instr.mnemonic} has no modifier .{unknown[0]} (it has: {' '.join(known)})"
        return f"cannot encode '{text}': this combination or order of modifiers does not exist"
    shapes = sorted({f"{f.mnemonic} {f.row.syntax.partition(' ')[2]}" for f in forms})
    if not any(_match_operands(form.operands, kinds) is not None for form in forms):
        return f"cannot encode '{text}': operands do not fit; forms are: {' | '.join(shapes[:4])}"
    return (
        f"cannot encode '{text}': no form has these operands with these modifiers; forms are: {' | '.join(shapes[:4])}"
    )
