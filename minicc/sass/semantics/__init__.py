"""What instructions do. `lookup(instr, arch)` gives the `Form`; see `expr` for the language it is written in.

Imported by the SM model and by tests, never on the way from source to machine code.
"""

from __future__ import annotations

from minicc.arch import Arch
from minicc.sass.instr import Instr
from minicc.sass.semantics import (  # noqa: F401  (each module registers its mnemonics)
    convert,
    crosslane,
    float32,
    float64,
    half,
    integer,
    logic,
    memory,
    mufu,
    tensor,
)
from minicc.sass.semantics.form import SEMANTICS, Access, Builder, Form, Result, Slot, Unsupported, form_key

_UNCOVERED = """
LDGMC
TMML FOOTPRINT SUATOM SURED SUQUERY
AL2P ALD AST IPA ISBERD ISBEWR LDTRAM OUT PIXLD CSMTEST SETCTAID USETSHMSZ UCLEA ULEPC CLMAD
CREDUX CS2UR FMNMX3 IADD LDCU QMMA UF2I UFADD UFFMA UFMUL UFSEL UFSETP UI2F UI2FP UIMNMX UVIMNMX
"""
UNCOVERED = frozenset(_UNCOVERED.split())
"""The graphics pipeline, atomics of surfaces, what came after sm_90: no semantics yet."""

_FORMS: dict[tuple[str, str], Form | Unsupported] = {}

_CONTROL = """
BRA BRX BRXU JMP JMX JMXU CALL RET EXIT KILL BSSY BSYNC BREAK BMOV BPT WARPSYNC YIELD NANOSLEEP NOP BAR B2R DEPBAR
LDGDEPBAR MEMBAR ERRBAR CGAERRBAR FENCE CCTL CCTLL CCTLT PREEXIT ACQBULK UCGABAR_ARV UCGABAR_WAIT RPCMOV LEPC
SETLMEMBASE GETLMEMBASE PMTRIG ENDCOLLECTIVE USETMAXREG WARPGROUP WARPGROUPSET QSPC UTMACMDFLUSH
HGMMA QGMMA IGMMA BGMMA UBLKCP UBLKPF UBLKRED UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL
TEX TLD TLD4 TXD TXQ SULD SUST
"""
CONTROL = frozenset(_CONTROL.split())
"""Mnemonics that the SM engine itself carries out: control flow, barriers, fences, bulk copies, matrices of a warpgroup
and the like have no lane semantics."""


def lookup(instr: Instr, arch: Arch) -> Form:
    """The semantic form of an instruction. Raises `Unsupported`."""
    entry = SEMANTICS.get(instr.mnemonic)
    if entry is None:
        raise Unsupported(f"no semantics for {instr.mnemonic}")
    function, keyed = entry
    key = arch.sass, form_key(instr, keyed)
    found = _FORMS.get(key)
    if found is None:
        try:
            found = _build(function, instr, arch, key[1])
        except Unsupported as reason:
            found = reason
        except (IndexError, KeyError, StopIteration):
            # Operands or modifiers that no rule here knows, in a word that decodes.
            found = Unsupported(f"no semantics for {key[1]}")
        _FORMS[key] = found
    if isinstance(found, Unsupported):
        raise found
    return found


def _build(function: object, instr: Instr, arch: Arch, key: str) -> Form:
    builder = Builder(instr, arch)
    function(builder)  # type: ignore[operator]
    special = any(s.kind == "SPECIAL" for s in builder.slots)
    return Form(
        key, tuple(builder.slots), tuple(builder.results), builder.rounds, special, builder.access, builder.stride
    )


__all__ = ["CONTROL", "SEMANTICS", "UNCOVERED", "Access", "Form", "Result", "Slot", "Unsupported", "lookup"]
