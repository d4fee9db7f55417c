"""The engine's tables as numba sees them: a bare pointer whose row lengths are part of the type.

A numpy array argument is a record of seven words that every call copies, with strides that are only known at run time
and indices that may be negative. The timed machine passes some twenty tables down five levels of calls, so a table here
is one word (two if its row length is only known at run time). Elements are int64; indices are not checked and not
wrapped.
"""

# mypy: disable-error-code="no-untyped-call,untyped-decorator,attr-defined,misc,no-any-return"
# numba's extension interface is untyped.

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import (
    NativeValue,
    intrinsic,
    lower_builtin,
    models,
    register_model,
    type_callable,
    unbox,
)

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


class Table(types.Type):
    """The type of a table with these dimensions after the first."""

    def __init__(self, inner: tuple[int, ...]) -> None:
        self.inner = inner
        super().__init__(name=f"Table{inner}")

    @property
    def key(self) -> tuple[int, ...]:
        return self.inner

    @property
    def open(self) -> bool:
        """Whether the row length is known at run time only."""
        return self.inner == (0,)


class Ref:
    """A contiguous int64 array on its way into compiled code; keeps the array alive."""

    __slots__ = ("_numba_type_", "address", "array", "stride")

    def __init__(self, name: str, array: Any) -> None:
        inner = ROWS[name]
        if str(array.dtype) != "int64" or not array.flags.c_contiguous or array.ndim != len(inner) + 1:
            raise TypeError(f"table {name}: {array.dtype}, {array.ndim} dimensions")
        if inner != (0,) and array.shape[1:] != inner:
            raise TypeError(f"table {name}: rows of {array.shape[1:]}, not {inner}")
        self._numba_type_ = Table(inner)
        self.array = array
        self.address = int(array.ctypes.data)
        self.stride = int(array.shape[1]) if array.ndim > 1 else 1


@register_model(Table)
class _Model(models.StructModel):
    def __init__(self, manager: Any, kind: Table) -> None:
        members: list[tuple[str, Any]] = [("data", types.CPointer(types.int64))]
        if kind.open:
            members.append(("stride", types.int64))
        super().__init__(manager, kind, members)


@type_callable(operator.getitem)
def _type_getitem(context: Any) -> Any:
    def typer(table: Any, index: Any) -> Any:
        return types.int64 if isinstance(table, Table) else None

    return typer


@type_callable(operator.setitem)
def _type_setitem(context: Any) -> Any:
    def typer(table: Any, index: Any, value: Any) -> Any:
        return signature(types.none, table, index, value) if isinstance(table, Table) else None

    return typer


def _place(context: Any, builder: Any, kind: Table, table: Any, index_type: Any, index: Any) -> Any:
    """Pointer to the element."""
    record = cgutils.create_struct_proxy(kind)(context, builder, value=table)
    if isinstance(index_type, types.BaseTuple):
        parts = list(zip(index_type.types, cgutils.unpack_tuple(builder, index), strict=True))
    else:
        parts = [(index_type, index)]
    offset = None
    for k, (part_type, part) in enumerate(parts):
        number = context.cast(builder, part, part_type, types.int64)
        if offset is None:
            offset = number
            continue
        stride = record.stride if kind.open else ir.Constant(ir.IntType(64), kind.inner[k - 1])
        offset = builder.add(builder.mul(offset, stride, flags=("nsw",)), number, flags=("nsw",))
    return builder.gep(record.data, [offset], inbounds=True)


@lower_builtin(operator.getitem, Table, types.Any)
def _getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_place(context, builder, sig.args[0], args[0], sig.args[1], args[1]))


@lower_builtin(operator.setitem, Table, types.Any, types.Any)
def _setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value = context.cast(builder, args[2], sig.args[2], types.int64)
    builder.store(value, _place(context, builder, sig.args[0], args[0], sig.args[1], args[1]))
    return context.get_dummy_value()


@intrinsic
def row_length(typing_context: Any, table: Any) -> Any:
    """Columns of a table whose row length is known at run time."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0]).stride

    return types.int64(table), generate


@intrinsic
def address(typing_context: Any, table: Any, index: Any) -> Any:
    """Host address of an element."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ptrtoint(_place(context, builder, sig.args[0], args[0], sig.args[1], args[1]), ir.IntType(64))

    return types.int64(table, index), generate


@unbox(Table)
def _unbox(kind: Table, value: Any, c: Any) -> Any:
    record = cgutils.create_struct_proxy(kind)(c.context, c.builder)

    def number(name: str) -> Any:
        attribute = c.pyapi.object_getattr_string(value, name)
        result = c.pyapi.number_as_ssize_t(attribute)
        c.pyapi.decref(attribute)
        return result

    record.data = c.builder.inttoptr(number("address"), ir.IntType(64).as_pointer())
    if kind.open:
        record.stride = number("stride")
    return NativeValue(record._getvalue())
