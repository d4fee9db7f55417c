"""What a memory instruction touches, read off its mnemonic."""

from __future__ import annotations

from minicc.sass.instr import Instr, Mem

_KINDS = (("LDGSTS", "copy"), ("LDSM", "matrix_load"), ("STSM", "matrix_store"), ("ATOM", "atom"), ("RED", "red"),
          ("LD", "load"), ("ST", "store"))  # fmt: skip
_SHARED_MATRIX = {"LDGSTS": "global", "LDSM": "shared", "STSM": "shared"}


def access_of(instr: Instr) -> tuple[str, str, int]:
    """(space, kind, width in bytes) of a memory instruction, ("", "", 0) of others. Spaces: global, shared, local,
    generic, constant; kinds: load, store, copy, matrix_load, matrix_store, atom, red."""
    from minicc.sass.semantics.memory import SIZES, SPACES

    name = instr.mnemonic
    if name in ("LDC", "ULDC"):
        return "constant", "load", 4
    space = _SHARED_MATRIX.get(name) or SPACES.get(name, "")
    if not space:
        return "", "", 0
    kind = next((kind for start, kind in _KINDS if name.startswith(start)), "")
    return space, kind, next((SIZES[m][0] for m in instr.modifiers if m in SIZES), 4)


def address_operand(instr: Instr | None) -> int:
    """Number of the operand that is an address; -2 if there is none."""
    return next((k for k, op in enumerate(instr.operands) if isinstance(op, Mem)), -2) if instr else -2
