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


OPERATIONS: dict[str, str] = {
    opcode: name
    for name, opcodes in {
        "bit": "BMSK BREV PLOP3 PRMT SEL",
        "control": "BRA BREAK BRX BSSY BSYNC CALL CGAERRBAR ERRBAR EXIT NANOSLEEP RET",
        "conversion": "F2F F2FP F2I FRND I2F I2FP",
        "fp16": "HADD2 HFMA2 HMMA HMNMX2 HMUL2 HSET2",
        "fp32": "FADD FCHK FFMA FMNMX FMUL FSEL FSETP MUFU",
        "fp64": "DADD DFMA DMUL DSETP",
        "integer": "FLO IABS IADD3 IDP IMAD ISETP LEA LOP3 POPC SGXT SHF VIADD VIADDMNMX VIMNMX",
        "inter_thread_communication": "MATCH REDUX SHFL VOTE VOTEU",
        "memory": "ATOMG ATOMS CCTL LDC LDG LDGDEPBAR LDGSTS LDL LDS MEMBAR REDG STG STL STS",
        "misc": "B2R BAR CS2R DEPBAR MOV NOP S2R S2UR",
        "uniform": "UIADD3 ULDC ULEA ULOP3 UMOV",
    }.items()
    for opcode in opcodes.split()
}
"""ncu's operations, smsp__sass_thread_inst_executed_op_NAME_pred_on, by opcode: as it counted 47 small kernels of
nvcc's on an H200 (2026-11-30), whose sums these opcodes make up exactly (tests/gpu/test_operations.py). What was
not in them is in no operation."""


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
