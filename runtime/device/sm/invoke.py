"""Calling an execute function by address from numba code.

`invoke(address, state, operands, mask, out, dst)`: all pointers as int64 addresses, `mask` as uint32. It compiles to
one indirect call, holds no global pointer (so callers may be cached), and follows the C signature in `abi`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def invoke(typing_context: Any, address: Any, state: Any, operands: Any, mask: Any, out: Any, dst: Any) -> Any:
    """void (*address)(state, operands, mask, out, dst)"""
    signature = types.void(types.int64, types.int64, types.int64, types.uint32, types.int64, types.int64)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer, i32, pointer, pointer])
        function = builder.inttoptr(args[0], kind.as_pointer())
        state_, operands_, out_, dst_ = (builder.inttoptr(args[i], pointer) for i in (1, 2, 4, 5))
        builder.call(function, [state_, operands_, args[3], out_, dst_])
        return context.get_dummy_value()

    _ = cgutils
    return signature, generate
