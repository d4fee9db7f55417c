"""The way from the machines to the extension: instructions that few kernels have, compiled on their own.

mbarriers, bulk copies, clusters, warpgroup matrix instructions and textures are a third piece of machine code
(`extension`), so that a kernel without them does not wait until those are compiled. The machines call it by address;
it finds the tables through `G_TABLES`: for each name in TABLES, the address and the row length.
"""

# mypy: disable-error-code="no-untyped-call"
# numba's extension interface is untyped.

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from runtime.device.sm.table import ROWS, Table

TABLES = ("CODE", "WS", "LPC", "CT", "WAKE", "G", "SC", "SM", "IC0", "IC1", "IC2", "FP", "PCC", "L1", "BK", "L2", "MP",
          "X")  # fmt: skip
_I64 = ir.IntType(64)


@intrinsic
def extension(typing_context: Any, address: Any, what: Any, w: Any, i: Any, mask: Any, t: Any, tables: Any) -> Any:
    """Call `extension.extend` at its address, as numba's functions are called: a place for the result, one for an
    exception (there are none), the arguments."""
    arguments = (types.int64, types.int64, types.int64, types.uint32, types.int64, types.int64)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        i8 = ir.IntType(8).as_pointer()
        record = ir.LiteralStructType([i8, ir.IntType(32), i8, i8, ir.IntType(32)]).as_pointer()
        kinds = [_I64.as_pointer(), record.as_pointer(), _I64, _I64, _I64, ir.IntType(32), _I64, _I64]
        pointer = builder.inttoptr(args[0], ir.FunctionType(ir.IntType(32), kinds).as_pointer())
        result = cgutils.alloca_once(builder, _I64)
        raised = cgutils.alloca_once(builder, record)
        builder.call(pointer, [result, raised, *args[1:]])
        return builder.load(result)

    return types.int64(types.int64, *arguments), generate


def _opener(name: str) -> Any:
    kind, number = Table(ROWS[name]), TABLES.index(name)

    @intrinsic
    def table(typing_context: Any, tables: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            record = cgutils.create_struct_proxy(kind)(context, builder)
            words = builder.inttoptr(args[0], _I64.as_pointer())

            def word(k: int) -> Any:
                return builder.load(builder.gep(words, [ir.Constant(_I64, 2 * number + k)]))

            record.data = builder.inttoptr(word(0), _I64.as_pointer())
            if kind.open:
                record.stride = word(1)
            return record._getvalue()

        return kind(types.int64), generate

    return table


OPEN = {name: _opener(name) for name in TABLES}
"""By name: the table, from the address of the list of tables."""
