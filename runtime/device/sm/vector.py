"""Questions about 32 lane addresses, or about the wake times of a sub-core's 16 warps, answered by vector code.

The lane addresses of a memory instruction are 32 i64 at a host address; `mask` has a bit per lane that takes part.
All of it is portable LLVM vector code; with 512-bit vectors each function is some ten instructions.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I1, _I32, _I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
_NEVER = 1 << 60
"""layout.BIG"""


def _vector(kind: Any, n: int, value: int) -> Any:
    """A constant vector of n equal elements."""
    return ir.Constant(ir.VectorType(kind, n), [ir.Constant(kind, value)] * n)


def _splat(builder: Any, value: Any, n: int) -> Any:
    """A vector of n copies of a scalar."""
    kind = ir.VectorType(value.type, n)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), _vector(_I32, n, 0))


def _load(builder: Any, address: Any, kind: Any, n: int) -> Any:
    value = builder.load(builder.inttoptr(address, ir.VectorType(kind, n).as_pointer()))
    value.align = 4
    return value


def _store(builder: Any, address: Any, value: Any) -> None:
    builder.store(value, builder.inttoptr(address, value.type.as_pointer())).align = 4


def _lanes(builder: Any, mask: Any) -> Any:
    """A u32 mask as 32 truth values."""
    return builder.bitcast(mask, ir.VectorType(_I1, 32))


def _bits(builder: Any, truth: Any, n: int) -> Any:
    """n truth values as an integer."""
    return builder.bitcast(truth, ir.IntType(n))


def _reduce(builder: Any, name: str, value: Any) -> Any:
    kind = value.type
    full = f"llvm.vector.reduce.{name}.v{kind.count}i{kind.element.width}"
    function_type = ir.FunctionType(kind.element, [kind])
    function = builder.module.globals.get(full) or ir.Function(builder.module, function_type, full)
    return builder.call(function, [value])


@intrinsic
def prefetch(typing_context: Any, address: Any) -> Any:
    """Ask the host's caches for the line at an address; any address may be given."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(
            builder.module, ir.FunctionType(ir.VoidType(), [pointer, _I32, _I32, _I32]), name
        )
        constants = [ir.Constant(_I32, v) for v in (0, 3, 1)]
        builder.call(function, [builder.inttoptr(args[0], pointer), *constants])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def due(typing_context: Any, times: Any, now: Any) -> Any:
    """Which of 16 times at a host address have come: a bit each."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = _load(builder, args[0], _I64, 16)
        truth = builder.icmp_signed("<=", values, _splat(builder, args[1], 16))
        return builder.zext(_bits(builder, truth, 16), _I64)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def next_due(typing_context: Any, times: Any, now: Any) -> Any:
    """The first of 16 times at a host address that is after `now`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = _load(builder, args[0], _I64, 16)
        later = builder.icmp_signed(">", values, _splat(builder, args[1], 16))
        return _reduce(builder, "smin", builder.select(later, values, _vector(_I64, 16, _NEVER)))

    return types.int64(types.int64, types.int64), generate


def _finder(count: int) -> Any:
    @intrinsic
    def find(typing_context: Any, tags: Any, wanted: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = _load(builder, args[0], _I64, count)
            truth = builder.icmp_signed("==", values, _splat(builder, args[1], count))
            return builder.zext(_bits(builder, truth, count), _I64)

        return types.int64(types.int64, types.int64), generate

    return find


def _least(count: int) -> Any:
    @intrinsic
    def least(typing_context: Any, values: Any, floor: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector = _load(builder, args[0], _I64, count)
            low = _splat(builder, args[1], count)
            vector = builder.select(builder.icmp_signed(">", vector, low), vector, low)
            low = _reduce(builder, "smin", vector)
            truth = builder.icmp_signed("==", vector, _splat(builder, low, count))
            bits = builder.zext(_bits(builder, truth, count), _I64)
            return builder.cttz(bits, ir.Constant(_I1, 1))

        return types.int64(types.int64, types.int64), generate

    return least


find8, find16 = _finder(8), _finder(16)
"""(tags, wanted): which of 8 or 16 tags at a host address equal `wanted`: a bit each."""
least8, least16 = _least(8), _least(16)
"""(values, floor): the place of the least (the first, of several) of 8 or 16 numbers at a host address, where those
below `floor` count as `floor`."""


@intrinsic
def consecutive(typing_context: Any, lanes: Any, width: Any) -> Any:
    """1 if lane k's address is lane 0's plus k times `width`, else 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = _load(builder, args[0], _I64, 32)
        first = builder.extract_element(values, ir.Constant(_I32, 0))
        numbers = ir.Constant(ir.VectorType(_I64, 32), [ir.Constant(_I64, k) for k in range(32)])
        wanted = builder.add(_splat(builder, first, 32), builder.mul(numbers, _splat(builder, args[1], 32)))
        word = _bits(builder, builder.icmp_signed("==", values, wanted), 32)
        return builder.zext(builder.icmp_signed("==", word, ir.Constant(_I32, -1)), _I64)

    return types.int64(types.int64, types.int64), generate


def _extreme(name: str, other: int) -> Any:
    @intrinsic
    def extreme(typing_context: Any, lanes: Any, mask: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = _load(builder, args[0], _I64, 32)
            kept = builder.select(_lanes(builder, args[1]), values, _vector(_I64, 32, other))
            return _reduce(builder, name, kept)

        return types.int64(types.int64, types.uint32), generate

    return extreme


lowest = _extreme("smin", (1 << 63) - 1)
"""(lanes, mask): the least address of the lanes."""
highest = _extreme("smax", -(1 << 63))
"""(lanes, mask): the greatest address of the lanes."""
any_bits = _extreme("or", 0)
"""(lanes, mask): all addresses of the lanes ORed together."""


@intrinsic
def lanes_at(typing_context: Any, lanes: Any, shift: Any, value: Any) -> Any:
    """Which lanes have `address >> shift == value`: a bit each."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = builder.lshr(_load(builder, args[0], _I64, 32), _splat(builder, args[1], 32))
        return _bits(builder, builder.icmp_signed("==", values, _splat(builder, args[2], 32)), 32)

    return types.uint32(types.int64, types.int64, types.int64), generate


@intrinsic
def touched(typing_context: Any, lanes: Any, mask: Any, shift: Any, ones: Any) -> Any:
    """`ones << (address >> shift & 31)` of the lanes of `mask`, ORed together (a bit per bank of a 32-bank memory)."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        shifted = builder.lshr(_load(builder, args[0], _I64, 32), _splat(builder, args[2], 32))
        banks = builder.and_(builder.trunc(shifted, ir.VectorType(_I32, 32)), _vector(_I32, 32, 31))
        marks = builder.shl(_splat(builder, builder.trunc(args[3], _I32), 32), banks)
        kept = builder.select(_lanes(builder, args[1]), marks, _vector(_I32, 32, 0))
        return _reduce(builder, "or", kept)

    return types.uint32(types.int64, types.uint32, types.int64, types.int64), generate


def _copier(count: int, out: bool) -> Any:
    """Memory word w of lane k is element k * count + w; row w holds lane k at w * 32 + k."""
    n = 32 * count
    order = [w * 32 + k for k in range(32) for w in range(count)]
    if not out:
        order = [k * count + w for w in range(count) for k in range(32)]

    @intrinsic
    def copy(typing_context: Any, target: Any, source: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = _load(builder, args[1], _I32, n)
            if count > 1:
                mask = ir.Constant(ir.VectorType(_I32, n), [ir.Constant(_I32, k) for k in order])
                values = builder.shuffle_vector(values, ir.Constant(values.type, ir.Undefined), mask)
            _store(builder, args[0], values)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    return copy


copy_words = _copier(1, False)
"""(target, source): 32 words."""
rows_from_pairs, rows_from_quads = _copier(2, False), _copier(4, False)
"""(rows, memory): 32 lanes have 2 or 4 consecutive words each; as many rows of 32 words."""
pairs_from_rows, quads_from_rows = _copier(2, True), _copier(4, True)
"""(memory, rows): the other way."""


@intrinsic
def add_all(typing_context: Any, target: Any, source: Any, delta: Any) -> Any:
    """32 i64 at `target` = those at `source` plus `delta`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _store(builder, args[0], builder.add(_load(builder, args[1], _I64, 32), _splat(builder, args[2], 32)))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def spread(typing_context: Any, row: Any, value: Any) -> Any:
    """A u32 into all 32 words of a row."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _store(builder, args[0], _splat(builder, args[1], 32))
        return context.get_dummy_value()

    return types.void(types.int64, types.uint32), generate


@intrinsic
def ramp(typing_context: Any, row: Any, value: Any) -> Any:
    """`value` plus the number of the lane into the 32 words of a row."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = ir.Constant(ir.VectorType(_I32, 32), [ir.Constant(_I32, k) for k in range(32)])
        _store(builder, args[0], builder.add(_splat(builder, args[1], 32), numbers))
        return context.get_dummy_value()

    return types.void(types.int64, types.uint32), generate


@intrinsic
def clear_tally(typing_context: Any, tally: Any) -> Any:
    """Set 32 counters of a byte each, at a host address, to 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _store(builder, args[0], _vector(ir.IntType(8), 32, 0))
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def count(typing_context: Any, tally: Any, marks: Any) -> Any:
    """Add bit b of `marks` (u32) to counter b."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bytes_ = ir.VectorType(ir.IntType(8), 32)
        ones = builder.zext(_lanes(builder, args[1]), bytes_)
        _store(builder, args[0], builder.add(_load(builder, args[0], ir.IntType(8), 32), ones))
        return context.get_dummy_value()

    return types.void(types.int64, types.uint32), generate


@intrinsic
def largest(typing_context: Any, tally: Any) -> Any:
    """The largest of 32 counters."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.zext(_reduce(builder, "umax", _load(builder, args[0], ir.IntType(8), 32)), _I64)

    return types.int64(types.int64), generate
