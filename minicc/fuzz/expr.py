"""Random typed expression kernels: a Hypothesis strategy, their LLVM IR, their CUDA source, and their exact value.

A program is one expression over arguments that each thread reads from its row of `in` (one 64-bit slot an argument);
its value goes to the thread's row of `out` (one slot per 64 bits). How a kernel is executed is the caller's business:
an oracle is a callable `run(text, rows) -> results`. Expressions have no undefined behaviour: shift amounts are masked,
divisors are made odd (signed ones positive, too).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
from hypothesis import strategies as st

from minicc.numbers import bits_of, float_of, signed

INTS = ("i1", "i8", "i16", "i32", "i64")
ODD = ("i7", "i24", "i33", "i48", "i96", "i128")
FLOATS = ("float", "double")
HALVES = ("half",)


@attrs.frozen
class Expr:
    """`op` over `args`, of LLVM type `type`. Leaves: "arg" (data: index), "const" (data: bits)."""

    op: str
    type: str
    args: tuple[Expr, ...] = ()
    data: Any = None


def width(type_: str) -> int:
    """Bits of a type."""
    return {"half": 16, "float": 32, "double": 64}.get(type_) or int(type_[1:])


def is_float(type_: str) -> bool:
    return type_ in FLOATS or type_ in HALVES


_ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr")
_DIVISION = ("udiv", "urem", "sdiv", "srem")
_INTRINSICS = ("umin", "umax", "smin", "smax", "ctpop", "ctlz", "cttz", "bitreverse", "fshl", "fshr", "abs")
_PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
_FPREDICATES = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")


@st.composite
def expressions(draw: st.DrawFn, types: Sequence[str] = INTS, depth: int = 4, arguments: int = 4) -> Expr:
    """An expression whose sub-expressions have any of `types` (i1 and i32 are always among them)."""
    pool = tuple(dict.fromkeys([*types, "i1", "i32"]))
    kinds = [draw(st.sampled_from(pool)) for _ in range(arguments)]

    def leaf(type_: str) -> Expr:
        fitting = [i for i, kind in enumerate(kinds) if kind == type_]
        chosen = draw(st.booleans())
        if fitting and chosen:
            return Expr("arg", type_, (), draw(st.sampled_from(fitting)))
        if draw(st.integers(0, 3)) and fitting:
            return Expr("arg", type_, (), fitting[0])
        if is_float(type_):
            value = draw(st.floats(-1e6, 1e6, width=32))
            return Expr("const", type_, (), float_bits(value, type_))
        bits = width(type_)
        value = draw(
            st.one_of(st.integers(0, (1 << bits) - 1), st.sampled_from([0, 1, (1 << bits) - 1, 1 << (bits - 1)]))
        )
        return Expr("const", type_, (), value)

    def make(type_: str, left: int) -> Expr:
        if left <= 0 or draw(st.integers(0, 7)) == 0:
            return leaf(type_)
        if is_float(type_):
            return floating(type_, left)
        choice = draw(st.integers(0, 9))
        bits = width(type_)
        if choice <= 4:
            return Expr(draw(st.sampled_from(_ARITHMETIC)), type_, (make(type_, left - 1), make(type_, left - 1)))
        if choice == 5:
            other = draw(st.sampled_from([t for t in pool if t != "i128"]))
            source = make(other, left - 1)
            if is_float(other):
                return Expr("fptosi.sat", type_, (source,)) if bits in (32, 64) else leaf(type_)
            if width(other) == bits:
                return source
            return Expr("trunc" if width(other) > bits else draw(st.sampled_from(("zext", "sext"))), type_, (source,))
        if choice == 6:
            condition = make("i1", left - 1)
            return Expr("select", type_, (condition, make(type_, left - 1), make(type_, left - 1)))
        if choice == 7 and type_ == "i1":
            other = draw(st.sampled_from(pool))
            pair = (make(other, left - 1), make(other, left - 1))
            if is_float(other):
                return Expr("fcmp", "i1", pair, draw(st.sampled_from(_FPREDICATES)))
            return Expr("icmp", "i1", pair, draw(st.sampled_from(_PREDICATES)))
        if choice == 8 and 8 <= bits <= 64:
            name = draw(st.sampled_from(_INTRINSICS))
            count = {"fshl": 3, "fshr": 3, "ctpop": 1, "ctlz": 1, "cttz": 1, "bitreverse": 1, "abs": 1}.get(name, 2)
            return Expr(name, type_, tuple(make(type_, left - 1) for _ in range(count)))
        if choice == 9 and 8 <= bits <= 64:
            return Expr(draw(st.sampled_from(_DIVISION)), type_, (make(type_, left - 1), make(type_, left - 1)))
        return Expr(draw(st.sampled_from(_ARITHMETIC)), type_, (make(type_, left - 1), make(type_, left - 1)))

    def floating(type_: str, left: int) -> Expr:
        choice = draw(st.integers(0, 7))
        if choice <= 3:
            op = draw(st.sampled_from(("fadd", "fsub", "fmul", "fdiv")))
            return Expr(op, type_, (make(type_, left - 1), make(type_, left - 1)))
        if choice == 4:
            source = draw(st.sampled_from([t for t in pool if t in ("i8", "i16", "i32", "i64")] or ["i32"]))
            return Expr(draw(st.sampled_from(("sitofp", "uitofp"))), type_, (make(source, left - 1),))
        if choice == 5:
            others = [t for t in pool if is_float(t) and t != type_]
            if others:
                other = draw(st.sampled_from(others))
                op = "fpext" if width(type_) > width(other) else "fptrunc"
                return Expr(op, type_, (make(other, left - 1),))
        if choice == 6:
            return Expr(
                draw(st.sampled_from(("fneg", "fabs", "floor", "ceil", "trunc.f", "rint"))),
                type_,
                (make(type_, left - 1),),
            )
        condition = make("i1", left - 1)
        return Expr("select", type_, (condition, make(type_, left - 1), make(type_, left - 1)))

    return make(draw(st.sampled_from(pool)), depth)


# --- value ------------------------------------------------------------------------------------------------------


def float_bits(value: float, type_: str) -> int:
    """IEEE bits; float rounds to nearest."""
    return bits_of(value, width(type_))


def float_value(bits: int, type_: str) -> float:
    return float_of(bits, width(type_))


NAN = {"half": 0x7E00, "float": 0x7FC00000, "double": 0x7FF8000000000000}


def evaluate(expr: Expr, arguments: Sequence[int], fuse: bool = False) -> int:
    """Bits of the value. `arguments` are the 64-bit slots. NaNs are all the same NaN (`NAN`)."""
    memo: dict[int, int] = {}

    def value(e: Expr) -> int:
        found = memo.get(id(e))
        if found is None:
            found = memo[id(e)] = _canonical(_evaluate(e, arguments, value), e.type)
        return found

    return value(expr)


def _canonical(bits: int, type_: str) -> int:
    bits &= (1 << width(type_)) - 1
    if is_float(type_) and math.isnan(float_value(bits, type_)):
        return NAN[type_]
    return bits


def _evaluate(e: Expr, arguments: Sequence[int], value: Callable[[Expr], int]) -> int:
    bits = width(e.type)
    if e.op == "const":
        return int(e.data)
    if e.op == "arg":
        slot = int(arguments[int(e.data)])
        return slot & (1 << min(bits, 64)) - 1
    args = [value(a) for a in e.args]
    if e.op == "select":
        return args[1] if args[0] else args[2]
    if e.op == "icmp":
        return int(_compare(e.data, args[0], args[1], width(e.args[0].type)))
    if e.op == "fcmp":
        return int(_float_compare(e.data, *(float_value(a, x.type) for a, x in zip(args, e.args, strict=True))))
    if e.op in ("zext", "trunc"):
        return args[0]
    if e.op == "sext":
        return signed(args[0], width(e.args[0].type))
    if is_float(e.type) or (e.args and is_float(e.args[0].type)):
        return _float_op(e, args)
    a = args[0]
    b = args[1] if len(args) > 1 else 0
    low = bits - 1 if bits & (bits - 1) == 0 else (1 << (bits.bit_length() - 1)) - 1
    match e.op:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << (b & low)
        case "lshr":
            return a >> (b & low)
        case "ashr":
            return signed(a, bits) >> (b & low)
        case "udiv":
            return a // (b | 1)
        case "urem":
            return a % (b | 1)
        case "sdiv" | "srem":
            x, y = signed(a, bits), (b & ((1 << (bits - 1)) - 1)) | 1
            quotient = abs(x) // y * (-1 if x < 0 else 1)
            return quotient if e.op == "sdiv" else x - quotient * y
        case "umin" | "umax":
            return min(a, b) if e.op == "umin" else max(a, b)
        case "smin" | "smax":
            return (min if e.op == "smin" else max)(signed(a, bits), signed(b, bits))
        case "abs":
            return abs(signed(a, bits))
        case "ctpop":
            return a.bit_count()
        case "ctlz":
            return bits - a.bit_length()
        case "cttz":
            return (a & -a).bit_length() - 1 if a else bits
        case "bitreverse":
            return int(f"{a:0{bits}b}"[::-1], 2)
        case "fshl":
            return (a << bits | b) << (args[2] % bits) >> bits
        case "fshr":
            return (a << bits | b) >> (args[2] % bits)
    raise NotImplementedError(e.op)


def _compare(pred: str, a: int, b: int, bits: int) -> bool:
    if pred[0] == "s":
        a, b = signed(a, bits), signed(b, bits)
    kind = pred if pred in ("eq", "ne") else pred[1:]
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[kind]


def _float_compare(pred: str, a: float, b: float) -> bool:
    unordered = math.isnan(a) or math.isnan(b)
    if pred in ("ord", "uno"):
        return unordered == (pred == "uno")
    if unordered:
        return pred[0] == "u"
    kind = pred[1:]
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[kind]


def _float_op(e: Expr, args: list[int]) -> int:
    source = e.args[0].type
    if e.op in ("sitofp", "uitofp"):
        number = signed(args[0], width(source)) if e.op == "sitofp" else args[0]
        return float_bits(float(number), e.type) if e.type == "double" else _int_to_float(number, e.type)
    values = [float_value(a, x.type) for a, x in zip(args, e.args, strict=True)]
    a = values[0]
    match e.op:
        case "fneg":
            return args[0] ^ 1 << (width(e.type) - 1)
        case "fabs":
            return args[0] & (1 << (width(e.type) - 1)) - 1
        case "fpext" | "fptrunc":
            return float_bits(a, e.type)
        case "fptosi.sat":
            bits = width(e.type)
            if math.isnan(a):
                return 0
            high = (1 << (bits - 1)) - 1
            return high if a >= high + 1 else max(int(a), -high - 1) if not math.isinf(a) else -high - 1
        case "floor" | "ceil" | "trunc.f" | "rint":
            if math.isnan(a) or math.isinf(a) or abs(a) >= 2.0**52:
                return args[0]
            functions: dict[str, Callable[[float], int]] = {
                "floor": math.floor, "ceil": math.ceil, "trunc.f": math.trunc, "rint": round,
            }  # fmt: skip
            function = functions[e.op]
            return float_bits(math.copysign(float(function(a)), a), e.type)
    b = values[1]
    # float in double and rounded once more is exact for + - * / of binary32.
    try:
        result = {"fadd": a.__add__, "fsub": a.__sub__, "fmul": a.__mul__}[e.op](b) if e.op != "fdiv" else a / b
    except ZeroDivisionError:
        if a == 0 or math.isnan(a):
            result = math.nan
        else:
            result = math.copysign(math.inf, a) * math.copysign(1.0, b)
    return float_bits(result, e.type)


def _int_to_float(number: int, type_: str) -> int:
    """Integer to float or half with one rounding, to nearest even."""
    magnitude = abs(number)
    excess = magnitude.bit_length() - (11 if type_ == "half" else 24)
    if excess > 0:
        rest = magnitude & ((1 << excess) - 1)
        magnitude >>= excess
        half = 1 << (excess - 1)
        if rest > half or (rest == half and magnitude & 1):
            magnitude += 1
        magnitude <<= excess
    return float_bits(-float(magnitude) if number < 0 else float(magnitude), type_)


# --- LLVM IR ----------------------------------------------------------------------------------------------------


def slots(type_: str) -> int:
    """64-bit words of a result row."""
    return (width(type_) + 63) // 64


def argument_count(expr: Expr) -> int:
    """Argument slots that a row needs."""
    if expr.op == "arg":
        return int(expr.data) + 1
    return max([argument_count(a) for a in expr.args], default=0)


def to_ir(expr: Expr, name: str = "kernel") -> str:
    """A kernel `void name(ptr in, ptr out)`: thread i of one block computes row i."""
    lines: list[str] = []
    declarations: dict[str, str] = {}
    memo: dict[int, str] = {}
    arguments: dict[tuple[int, str], str] = {}
    count = max(argument_count(expr), 1)

    def fresh() -> str:
        return f"%v{len(lines)}"

    def line(text: str) -> str:
        register = fresh()
        lines.append(f"  {register} = {text}")
        return register

    def argument(index: int, type_: str) -> str:
        if (index, type_) not in arguments:
            pointer = line(f"getelementptr i64, ptr %row, i64 {index}")
            raw = line(f"load i64, ptr {pointer}, align 8")
            bits = width(type_)
            if bits < 64:
                raw = line(f"trunc i64 {raw} to i{bits}")
            elif bits > 64:
                raw = line(f"zext i64 {raw} to i{bits}")
            if is_float(type_):
                raw = line(f"bitcast i{bits} {raw} to {type_}")
            arguments[index, type_] = raw
        return arguments[index, type_]

    def intrinsic(name_: str, type_: str, args: str, parameters: str) -> str:
        full = f"llvm.{name_}.{'f' + str(width(type_)) if is_float(type_) else type_}"
        declarations[full] = f"declare {type_} @{full}({parameters})"
        return line(f"call {type_} @{full}({args})")

    def emit(e: Expr) -> str:
        found = memo.get(id(e))
        if found is None:
            found = memo[id(e)] = build(e)
        return found

    def build(e: Expr) -> str:
        t = e.type
        if e.op == "const":
            if is_float(t):
                if t == "half":
                    return f"0xH{e.data:04X}"
                return f"0x{float_bits(float_value(e.data, t), 'double'):016X}"
            return str(signed(e.data, width(t))) if t != "i1" else ("true" if e.data else "false")
        if e.op == "arg":
            return argument(e.data, t)
        args = [emit(a) for a in e.args]
        source = e.args[0].type
        if e.op in ("shl", "lshr", "ashr"):
            bits = width(t)
            low = bits - 1 if bits & (bits - 1) == 0 else (1 << (bits.bit_length() - 1)) - 1
            amount = line(f"and {t} {args[1]}, {low if t != 'i1' else 'false'}")
            return line(f"{e.op} {t} {args[0]}, {amount}")
        if e.op in _DIVISION:
            divisor = args[1]
            if e.op[0] == "s":
                divisor = line(f"and {t} {divisor}, {(1 << (width(t) - 1)) - 1}")
            divisor = line(f"or {t} {divisor}, 1")
            return line(f"{e.op} {t} {args[0]}, {divisor}")
        if e.op in _ARITHMETIC or e.op in ("fadd", "fsub", "fmul", "fdiv"):
            return line(f"{e.op} {t} {args[0]}, {args[1]}")
        if e.op in ("icmp", "fcmp"):
            return line(f"{e.op} {e.data} {source} {args[0]}, {args[1]}")
        if e.op == "select":
            return line(f"select i1 {args[0]}, {t} {args[1]}, {t} {args[2]}")
        if e.op in ("zext", "sext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp"):
            return line(f"{e.op} {source} {args[0]} to {t}")
        if e.op == "fneg":
            return line(f"fneg {t} {args[0]}")
        if e.op == "fptosi.sat":
            full = f"llvm.fptosi.sat.{t}.f{width(source)}"
            declarations[full] = f"declare {t} @{full}({source})"
            return line(f"call {t} @{full}({source} {args[0]})")
        name_ = {"trunc.f": "trunc"}.get(e.op, e.op)
        if name_ in ("ctlz", "cttz", "abs"):
            return intrinsic(name_, t, f"{t} {args[0]}, i1 false", f"{t}, i1")
        return intrinsic(name_, t, ", ".join(f"{t} {a}" for a in args), ", ".join([t] * len(args)))

    result = emit(expr)
    bits = width(expr.type)
    if is_float(expr.type):
        result = line(f"bitcast {expr.type} {result} to i{bits}")
    words = slots(expr.type)
    if bits < 64 * words:
        result = line(f"zext i{bits} {result} to i{64 * words}")
    body = "\n".join(lines)
    header = (
        f'target triple = "nvptx64-nvidia-cuda"\n\ndefine ptx_kernel void @{name}(ptr %in, ptr %out) {{\n'
        f"  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n"
        f"  %first = mul i64 %i, {count}\n  %row = getelementptr i64, ptr %in, i64 %first\n"
        f"  %place = mul i64 %i, {words}\n  %to = getelementptr i64, ptr %out, i64 %place\n"
    )
    footer = f"  store i{64 * words} {result}, ptr %to, align 8\n  ret void\n}}\n"
    declared = "\n".join([*declarations.values(), "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"])
    return f"{header}{body}\n{footer}\n{declared}\n"


def canonical_result(bits: int, type_: str) -> int:
    """A result as `evaluate` gives it: NaNs made one."""
    return _canonical(bits, type_)


Run = Callable[[str, list[list[int]], int], list[list[int]]]
"""An oracle: (IR or source text, rows of argument slots, result slots) -> rows of result slots."""


def check(expr: Expr, rows: list[list[int]], run: Run) -> None:
    """Run a program on an executor and compare every row with `evaluate`. Raises AssertionError."""
    results = run(to_ir(expr), rows, slots(expr.type))
    for row, result in zip(rows, results, strict=True):
        got = canonical_result(sum(word << (64 * i) for i, word in enumerate(result)), expr.type)
        want = evaluate(expr, row)
        assert got == want, f"{expr.type}: got {got:#x}, want {want:#x} for {[hex(v) for v in row]}\n{to_ir(expr)}"
