"""Loads and stores at integer addresses, and small integer helpers, for the compiled parts of the engine.

Addresses are int64 host addresses; nothing is checked here. Values travel as uint32 or int64/uint64.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _loader(bits: int, result: Any) -> Any:
    @intrinsic
    def load(context: Any, address: Any) -> Any:
        def generate(ctx: Any, builder: Any, sig: Any, args: Any) -> Any:
            pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
            value = builder.load(pointer)
            value.align = 1
            width = result.bitwidth
            if width > bits:
                value = (
                    builder.sext(value, ir.IntType(width)) if result.signed else builder.zext(value, ir.IntType(width))
                )
            return value

        return result(types.int64), generate

    return load


def _storer(bits: int, kind: Any) -> Any:
    @intrinsic
    def store(context: Any, address: Any, value: Any) -> Any:
        def generate(ctx: Any, builder: Any, sig: Any, args: Any) -> Any:
            value_ = args[1]
            if value_.type.width > bits:
                value_ = builder.trunc(value_, ir.IntType(bits))
            pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
            instruction = builder.store(value_, pointer)
            instruction.align = 1
            return ctx.get_dummy_value()

        return types.void(types.int64, kind), generate

    return store


def _float_op(bits: int, name: str) -> Any:
    """a op b on IEEE bit patterns held in uint64: add, or min/max that prefer numbers."""

    @intrinsic
    def apply(context: Any, a: Any, b: Any) -> Any:
        def generate(ctx: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = {16: ir.HalfType(), 32: ir.FloatType(), 64: ir.DoubleType()}[bits]
            integer = ir.IntType(bits)

            def narrow(value: Any) -> Any:
                return builder.bitcast(builder.trunc(value, integer) if bits < 64 else value, kind)

            x, y = narrow(args[0]), narrow(args[1])
            if name == "add":
                value = builder.fadd(x, y)
            else:
                suffix = {16: "f16", 32: "f32", 64: "f64"}[bits]
                function = builder.module.declare_intrinsic(f"llvm.{name}num", (), ir.FunctionType(kind, (kind, kind)))
                _ = suffix
                value = builder.call(function, (x, y))
            raw = builder.bitcast(value, integer)
            return builder.zext(raw, ir.IntType(64)) if bits < 64 else raw

        return types.uint64(types.uint64, types.uint64), generate

    return apply


load8 = _loader(8, types.uint64)
load16 = _loader(16, types.uint64)
load32 = _loader(32, types.uint32)
load64 = _loader(64, types.uint64)
loads64 = _loader(64, types.int64)
store8 = _storer(8, types.uint64)
store16 = _storer(16, types.uint64)
store32 = _storer(32, types.uint32)
store64 = _storer(64, types.uint64)
add_f32 = _float_op(32, "add")
add_f64 = _float_op(64, "add")


@intrinsic
def popcount(context: Any, value: Any) -> Any:
    """Number of set bits of a uint32, as int64."""

    def generate(ctx: Any, builder: Any, sig: Any, args: Any) -> Any:
        count = builder.ctpop(args[0])
        return builder.zext(count, ir.IntType(64))

    return types.int64(types.uint32), generate


@intrinsic
def first(context: Any, value: Any) -> Any:
    """Index of the lowest set bit of a uint32 (32 if none), as int64."""

    def generate(ctx: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.zext(builder.cttz(args[0], ir.Constant(ir.IntType(1), 0)), ir.IntType(64))

    return types.int64(types.uint32), generate


@intrinsic
def highest_bit(context: Any, value: Any) -> Any:
    """Index of the highest set bit of a positive int64."""

    def generate(ctx: Any, builder: Any, sig: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), generate
