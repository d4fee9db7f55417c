"""The way from the machines to the extension: instructions that few kernels have, compiled on their own.

mbarriers, bulk copies, clusters, warpgroup matrix instructions and textures are a third piece of machine code
(`extension`), so that a kernel without them does not wait until those are compiled. The machines call it by address;
it finds the tables through `G_TABLES`: for each name in TABLES, the address and the row length.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.device.sm.lang import I64, Macro, Primitive, View
from runtime.device.sm.table import ROWS

if TYPE_CHECKING:
    from runtime.device.sm.emit import Emitter

TABLES = ("CODE", "WS", "LPC", "CT", "WAKE", "G", "SC", "SM", "IC0", "IC1", "IC2", "FP", "PCC", "L1", "BK", "L2", "MP",
          "X")  # fmt: skip

extension = Primitive(
    "extension", "int64(int64, int64, int64, int64, uint32, int64, int64)",
    "%f = inttoptr i64 %0 to ptr\n"
    "%r = call i64 %f(i64 %1, i64 %2, i64 %3, i32 %4, i64 %5, i64 %6) nounwind\nret i64 %r",
)  # fmt: skip
"""(address, what, w, i, mask, t, tables): call `extension.extend` at its address."""


def _opener(name: str) -> Macro:
    number = TABLES.index(name)

    def expand(emitter: Emitter, arguments: Sequence[ast.expr]) -> View:
        words = emitter.new(f"inttoptr i64 {emitter.cast(emitter.value(arguments[0]), I64)} to ptr")

        def word(k: int, kind: str) -> str:
            return emitter.new(f"load {kind}, ptr {emitter.new(f'getelementptr i64, ptr {words}, i64 {k}')}")

        stride = word(2 * number + 1, "i64") if ROWS[name] == (0,) else ""
        return View(name, word(2 * number, "ptr"), stride)

    return Macro(expand)


OPEN = {name: _opener(name) for name in TABLES}
"""By name: the table, from the address of the list of tables."""
