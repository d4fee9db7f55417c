"""The engine's tables: int64 arrays as compiled code sees them, a bare pointer whose row length is known.

Elements are int64; indices are not checked and not wrapped. `lang` compiles `T[row, column]` by the row lengths here.
"""

from __future__ import annotations

from typing import Any

from runtime.device.sm import layout as L

ROWS: dict[str, tuple[int, ...]] = {
    "CODE": (L.C_COLUMNS,),
    "WS": (L.W_COLUMNS,),
    "LPC": (64,),
    "CT": (L.T_COLUMNS,),
    "WAKE": (),
    "NEXT": (),
    "G": (),
    "SC": (L.S_COLUMNS,),
    "SM": (L.M_COLUMNS,),
    "IC0": (0,),
    "IC1": (0,),
    "IC2": (0,),
    "FP": (),
    "PCC": (L.P_COLUMNS,),
    "L1": (0,),
    "BK": (L.BUCKETS,),
    "L2": (0,),
    "MP": (),
    "X": (),
    "RES": (4,),
    "SRC": (2,),
    "RAW": (0,),
    "PEND": (4,),
    "HAZ": (5,),
    "SBR": (6 * 17,),
}
"""Every table's dimensions after the first; 0: known at run time."""


class Ref:
    """A contiguous int64 array on its way into compiled code; keeps the array alive."""

    __slots__ = ("address", "array", "stride")

    def __init__(self, name: str, array: Any) -> None:
        inner = ROWS[name]
        if str(array.dtype) != "int64" or not array.flags.c_contiguous or array.ndim != len(inner) + 1:
            raise TypeError(f"table {name}: {array.dtype}, {array.ndim} dimensions")
        if inner != (0,) and array.shape[1:] != inner:
            raise TypeError(f"table {name}: rows of {array.shape[1:]}, not {inner}")
        self.array = array
        self.address = int(array.ctypes.data)
        self.stride = int(array.shape[1]) if array.ndim > 1 else 1
