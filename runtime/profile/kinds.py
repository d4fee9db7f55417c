"""What a kernel's own code consists of: its instructions in order, their dataflow, and the kinds that tables put them
in."""

from __future__ import annotations

from functools import lru_cache

from minicc.analysis.dataflow import Dataflow
from runtime.profile.facts import Facts, Hot
from runtime.profile.units import dims

CLASSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("global load", ("LDG", "LD", "LDL", "LDGSTS")),
    ("global store and atomic", ("STG", "ST", "STL", "REDG", "RED", "ATOMG", "ATOM")),
    ("shared memory", ("LDS", "STS", "LDSM", "STSM", "ATOMS")),
    ("shuffle and vote", ("SHFL", "VOTE", "VOTEU", "MATCH", "REDUX")),
    ("address and integer", ("IMAD", "IADD3", "LEA", "SHF", "LOP3", "IABS", "VIADD", "UIADD3", "ULEA", "UIMAD", "USHF",
                             "ULOP3", "FLO", "POPC", "VIMNMX", "IMNMX", "BMSK", "SGXT")),
    ("floating point", ("FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA", "HADD2", "HMUL2", "HFMA2", "MUFU", "FMNMX",
                        "FCHK")),
    ("tensor", ("HMMA", "IMMA", "DMMA", "BMMA")),
    ("compare and select", ("ISETP", "FSETP", "DSETP", "HSETP2", "SEL", "FSEL", "PLOP3", "USETP", "UISETP", "USEL")),
    ("control", ("BRA", "BSSY", "BSYNC", "EXIT", "CALL", "RET", "BREAK", "WARPSYNC", "BRX", "BAR", "NOP", "DEPBAR")),
)  # fmt: skip
"""Kinds of instruction for the tables of the mix and of what stalls come from."""


def kind_of(row: Hot) -> str:
    """The class of an instruction."""
    return next((name for name, opcodes in CLASSES if row.mnemonic in opcodes), "moves and special registers")


def own(f: Facts) -> tuple[Hot, ...]:
    """The kernel's own instructions, without those of functions that it calls, in address order."""
    rows: list[Hot] = []
    for row in f.instructions:
        if row.offset == 16 * len(rows):
            rows.append(row)
    return tuple(rows)


@lru_cache(maxsize=8)
def flow(f: Facts) -> Dataflow:
    """Dataflow of the kernel's own code."""
    return Dataflow([row.instr for row in own(f)], f.arch)


def title(f: Facts) -> str:
    """A launch's name in tables: kernel, grid, block."""
    return f"{f.demangled.split('(')[0]} ({dims(f.grid)})x({dims(f.block)})"
