"""How many 32-bit registers an operand takes, where that depends on the instruction's modifiers.

Tensor fragments: bits of the operand's tile divided by 32 lanes of 32 bits; from the PTX ISA's fragment layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from minicc.sass.instr import Instr

_TYPES = {
    "64": 2,
    "S64": 2,
    "U64": 2,
    "F64": 2,
    "F32x2": 2,
    "F16x4": 2,
    "BF16x4": 2,
    "128": 4,
    "F32x4": 4,
    "F16x8": 4,
    "BF16x8": 4,
}
_HMMA = {  # shape: (A, B) registers of 16-bit types; the accumulator has 16 x 8 elements
    "1688": (2, 1),
    "16816": (4, 2),
    "16832": (4, 4),
    "1684": (2, 1),
}
_IMMA = {  # shape: (A, B, D)
    "8816": (1, 1, 2),
    "16816": (2, 1, 4),
    "16832": (4, 2, 4),
    "8832": (1, 1, 2),
    "16864": (4, 4, 4),
    "88128": (1, 1, 2),
    "168128": (2, 1, 4),
    "168256": (4, 2, 4),
}
_IMMA4 = {"8832": (1, 1, 2), "16832": (2, 1, 4), "16864": (4, 2, 4)}
_SPARSE8 = {"16832": (2, 2, 4), "16864": (4, 4, 4)}
_SPARSE4 = {"16864": (2, 2, 4), "168128": (4, 4, 4)}
_QMMA = {"16816": (2, 1, 4), "16832": (4, 2, 4), "16864": (4, 4, 4)}
_DMMA = {"884": (2, 2, 4), "8x8x4": (2, 2, 4), "16x8x4": (4, 2, 8), "16x8x8": (8, 4, 8), "16x8x16": (16, 8, 8)}


def _by_suffix(table: dict[str, int]) -> Callable[[Instr], int]:
    return lambda instr: next((table[m] for m in instr.modifiers if m in table), 1)


def _first_type(instr: Instr) -> int:
    kinds = [m for m in instr.modifiers if m != "FTZ"]
    return 2 if kinds and kinds[0] == "F64" else 1


def _shape(instr: Instr, table: Mapping[str, tuple[int, ...]], part: int) -> int:
    return next((table[m][part] for m in instr.modifiers if m in table), 1)


def _imma(instr: Instr, part: int) -> int:
    if instr.mnemonic == "QMMA":
        return 2 if part == 2 and "F16" in instr.modifiers else _shape(instr, _QMMA, part)
    if {"S4", "U4"}.isdisjoint(instr.modifiers):
        return _shape(instr, _SPARSE8 if "SP" in instr.modifiers and instr.mnemonic == "IMMA" else _IMMA, part)
    return _shape(instr, _SPARSE4 if "SP" in instr.modifiers else _IMMA4, part)


def _hmma_sparse(instr: Instr) -> int:
    """Registers of A, whose half is kept, and of B, which are as many."""
    return 2 if "1688" in instr.modifiers or {"16816", "TF32"} & {*instr.modifiers} == {"16816"} else 4


def _hmma_a(instr: Instr) -> int:
    if "SP" in instr.modifiers:
        return _hmma_sparse(instr)
    if "TF32" in instr.modifiers:
        return 2 if "1684" in instr.modifiers else 4
    return _shape(instr, _HMMA, 0)


def _hmma_b(instr: Instr) -> int:
    if "SP" in instr.modifiers:
        return _hmma_sparse(instr)
    if "TF32" in instr.modifiers:
        return 1 if "1684" in instr.modifiers else 2
    return _shape(instr, _HMMA, 1)


def _gmma_d(instr: Instr) -> int:
    """64 x N accumulator over 128 threads: N/2 registers of 32 bits, half of that for 16-bit ones."""
    shape = next((m for m in instr.modifiers if m.startswith("64x")), "64x8x16")
    columns = int(shape.split("x")[1])
    return columns // 4 if "F16" in instr.modifiers and instr.mnemonic in ("HGMMA", "QGMMA") else columns // 2


def _tile(instr: Instr) -> int:
    """Of a tensor map's copy: shared address and mbarrier of a load, shared address of what stores, coordinates."""
    dims = next((int(m[0]) for m in instr.modifiers if m[1:] == "D"), 1)
    return dims + {"UTMALDG": 2, "UTMAPF": 0}.get(instr.mnemonic, 1)


_RULES: dict[str, Callable[[Instr], int]] = {
    "size": _by_suffix({"64": 2, "128": 4}),
    "e": lambda instr: 2 if "E" in instr.modifiers else 1,
    "type": _by_suffix(_TYPES),
    "count": _by_suffix({"2": 2, "4": 4}),
    "wide": _by_suffix({"U64": 2}),
    "cs2r": lambda instr: 1 if "32" in instr.modifiers else 2,
    "f2f": _first_type,
    "int64": _by_suffix({"S64": 2, "U64": 2}),
    "from64": _by_suffix({"S64": 2, "U64": 2}),
    "hmma_a": _hmma_a,
    "hmma_b": _hmma_b,
    "hmma_d": lambda instr: 4 if "F32" in instr.modifiers else 2,
    "imma_a": lambda instr: _imma(instr, 0),
    "imma_b": lambda instr: _imma(instr, 1),
    "imma_d": lambda instr: _imma(instr, 2),
    "dmma_a": lambda instr: _shape(instr, _DMMA, 0),
    "dmma_b": lambda instr: _shape(instr, _DMMA, 1),
    "dmma_d": lambda instr: _shape(instr, _DMMA, 2),
    "gmma_d": _gmma_d,
    "tile": _tile,
    "copied": lambda instr: 1 if instr.modifiers[1:2] == ("S",) else 2,
}


def width_of(rule: str, instr: Instr) -> int:
    """Registers of an operand whose declared width is `rule` (a number or a rule's name)."""
    return int(rule) if rule.isdigit() else _RULES[rule](instr)
