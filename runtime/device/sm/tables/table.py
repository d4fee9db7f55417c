"""The engine's tables: arrays as compiled code sees them, a bare pointer whose row length is known.

Elements are int64, or what the host's caches should hold more of, int32, uint32 or uint16; indices are not checked and
not wrapped. Compiled functions name the tables that they work on, and `lang` compiles `T[row, column]` by the row
lengths here. All of them are found through one list of addresses, which every compiled function is handed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.device.sm.tables import layout as L

TABLES: list[Table] = []


class Table:
    """`rows`: the dimensions after the first; 0: known at run time. `number`: its place in the list of addresses.
    `kind` of its elements; compiled code has them as int64."""

    def __init__(self, name: str, *rows: int, kind: str = "int64") -> None:
        self.name, self.rows, self.number, self.kind = name, rows, len(TABLES), kind
        self.dtype = np.dtype(kind)
        TABLES.append(self)

    @property
    def open(self) -> bool:
        """Whether the row length is only known at run time."""
        return self.rows == (0,)


# Any: the functions that index them are never run as Python.
CODE: Any = Table("CODE", L.C_COLUMNS)
WS: Any = Table("WS", L.W_COLUMNS)
LPC: Any = Table("LPC", 64)
DIV: Any = Table("DIV", L.D_COLUMNS)
CT: Any = Table("CT", L.T_COLUMNS)
WAKE: Any = Table("WAKE")
NEXT: Any = Table("NEXT")
G: Any = Table("G")
SC: Any = Table("SC", L.S_COLUMNS)
SM: Any = Table("SM", L.M_COLUMNS)
CONST: Any = Table("CONST", L.N_COLUMNS)
IC0: Any = Table("IC0", 0)
IC1: Any = Table("IC1", 0)
IC2: Any = Table("IC2", 0)
FP: Any = Table("FP")
PCC: Any = Table("PCC", L.P_COLUMNS)
L1: Any = Table("L1", 0, kind="uint32")
BK: Any = Table("BK", L.BUCKET_ROW)
BANK: Any = Table("BANK", L.BANK_ROW, kind="uint32")
BW: Any = Table("BW", L.BUCKET_ROW, kind="uint16")
QUEUE: Any = Table("QUEUE", 4)
L2: Any = Table("L2", 0, kind="uint32")
MP: Any = Table("MP")
X: Any = Table("X")
RES: Any = Table("RES", 4)
SRC: Any = Table("SRC", 2)
RAW: Any = Table("RAW", 0)
PEND: Any = Table("PEND", 4)
HAZ: Any = Table("HAZ", 6)
SBR: Any = Table("SBR", L.RING_FIRST + 6 * L.RING)
TURN: Any = Table("TURN", 8)
CHECK: Any = Table("CHECK", L.V_COLUMNS)
SHADOW: Any = Table("SHADOW", L.H_COLUMNS)
FOUND: Any = Table("FOUND", L.F_COLUMNS)
GUESS: Any = Table("GUESS")


def addresses(arrays: Mapping[str, Any]) -> Any:
    """The list of a run's tables, int64[2 * tables]: for each its address and row length, 0 if the run has none. The
    caller keeps the arrays alive; TypeError if one is not as declared."""
    out = np.zeros(2 * len(TABLES), np.int64)
    for table in TABLES:
        array = arrays.get(table.name)
        if array is None:
            continue
        if array.dtype != table.dtype or not array.flags.c_contiguous or array.ndim != len(table.rows) + 1:
            raise TypeError(f"table {table.name}: {array.dtype}, {array.ndim} dimensions")
        if not table.open and array.shape[1:] != table.rows:
            raise TypeError(f"table {table.name}: rows of {array.shape[1:]}, not {table.rows}")
        out[2 * table.number : 2 * table.number + 2] = array.ctypes.data, array.shape[-1]
    return out
