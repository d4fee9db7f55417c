"""Random typed expression kernels: a Hypothesis strategy, their LLVM IR and their exact value.

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


def evaluate(expr: Expr, arguments: Sequence[int]) -> int:
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
    return _INTEGER[e.op](bits, *args)


def _shift_mask(bits: int) -> int:
    """What the amount of a shift is masked with, so that it is below the width."""
    return (1 << (bits.bit_length() - 1)) - 1


def _signed_division(bits: int, a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder by a divisor made odd and positive; both go towards zero."""
    x, y = signed(a, bits), (b & ((1 << (bits - 1)) - 1)) | 1
    quotient = abs(x) // y * (-1 if x < 0 else 1)
    return quotient, x - quotient * y


_INTEGER: dict[str, Callable[..., int]] = {
    "add": lambda bits, a, b: a + b,
    "sub": lambda bits, a, b: a - b,
    "mul": lambda bits, a, b: a * b,
    "and": lambda bits, a, b: a & b,
    "or": lambda bits, a, b: a | b,
    "xor": lambda bits, a, b: a ^ b,
    "shl": lambda bits, a, b: a << (b & _shift_mask(bits)),
    "lshr": lambda bits, a, b: a >> (b & _shift_mask(bits)),
    "ashr": lambda bits, a, b: signed(a, bits) >> (b & _shift_mask(bits)),
    "udiv": lambda bits, a, b: a // (b | 1),
    "urem": lambda bits, a, b: a % (b | 1),
    "sdiv": lambda bits, a, b: _signed_division(bits, a, b)[0],
    "srem": lambda bits, a, b: _signed_division(bits, a, b)[1],
    "umin": lambda bits, a, b: min(a, b),
    "umax": lambda bits, a, b: max(a, b),
    "smin": lambda bits, a, b: min(signed(a, bits), signed(b, bits)),
    "smax": lambda bits, a, b: max(signed(a, bits), signed(b, bits)),
    "abs": lambda bits, a: abs(signed(a, bits)),
    "ctpop": lambda bits, a: a.bit_count(),
    "ctlz": lambda bits, a: bits - a.bit_length(),
    "cttz": lambda bits, a: (a & -a).bit_length() - 1 if a else bits,
    "bitreverse": lambda bits, a: int(f"{a:0{bits}b}"[::-1], 2),
    "fshl": lambda bits, a, b, c: (a << bits | b) << (c % bits) >> bits,
    "fshr": lambda bits, a, b, c: (a << bits | b) >> (c % bits),
}
"""Exact values, from width and operands without a sign; the caller cuts them to the width."""


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


class _Lines:
    """LLVM IR of an expression: a line for each operation, each argument loaded once."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.declarations: dict[str, str] = {}
        self.registers: dict[int, str] = {}
        self.arguments: dict[tuple[int, str], str] = {}

    def line(self, text: str) -> str:
        """The register that a new line sets."""
        register = f"%v{len(self.text)}"
        self.text.append(f"  {register} = {text}")
        return register

    def argument(self, index: int, type_: str) -> str:
        if (index, type_) not in self.arguments:
            pointer = self.line(f"getelementptr i64, ptr %row, i64 {index}")
            raw = self.line(f"load i64, ptr {pointer}, align 8")
            bits = width(type_)
            if bits < 64:
                raw = self.line(f"trunc i64 {raw} to i{bits}")
            elif bits > 64:
                raw = self.line(f"zext i64 {raw} to i{bits}")
            if is_float(type_):
                raw = self.line(f"bitcast i{bits} {raw} to {type_}")
            self.arguments[index, type_] = raw
        return self.arguments[index, type_]

    def call(self, name: str, type_: str, args: list[str], types: list[str]) -> str:
        self.declarations[name] = f"declare {type_} @{name}({', '.join(types)})"
        given = ", ".join(f"{t} {a}" for t, a in zip(types, args, strict=True))
        return self.line(f"call {type_} @{name}({given})")

    def value(self, e: Expr) -> str:
        """The register, or the constant, that an expression is."""
        found = self.registers.get(id(e))
        if found is None:
            if e.op == "const":
                found = _constant(e)
            elif e.op == "arg":
                found = self.argument(e.data, e.type)
            else:
                found = self.operation(e, [self.value(a) for a in e.args])
            self.registers[id(e)] = found
        return found

    def operation(self, e: Expr, args: list[str]) -> str:
        t, source = e.type, e.args[0].type
        if e.op in ("shl", "lshr", "ashr"):
            amount = self.line(f"and {t} {args[1]}, {_shift_mask(width(t)) if t != 'i1' else 'false'}")
            return self.line(f"{e.op} {t} {args[0]}, {amount}")
        if e.op in _DIVISION:
            divisor = args[1]
            if e.op[0] == "s":
                divisor = self.line(f"and {t} {divisor}, {(1 << (width(t) - 1)) - 1}")
            return self.line(f"{e.op} {t} {args[0]}, {self.line(f'or {t} {divisor}, 1')}")
        if e.op in _ARITHMETIC or e.op in ("fadd", "fsub", "fmul", "fdiv"):
            return self.line(f"{e.op} {t} {args[0]}, {args[1]}")
        if e.op in ("icmp", "fcmp"):
            return self.line(f"{e.op} {e.data} {source} {args[0]}, {args[1]}")
        if e.op == "select":
            return self.line(f"select i1 {args[0]}, {t} {args[1]}, {t} {args[2]}")
        if e.op in ("zext", "sext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp"):
            return self.line(f"{e.op} {source} {args[0]} to {t}")
        if e.op == "fneg":
            return self.line(f"fneg {t} {args[0]}")
        if e.op == "fptosi.sat":
            return self.call(f"llvm.fptosi.sat.{t}.f{width(source)}", t, args, [source])
        name = f"llvm.{'trunc' if e.op == 'trunc.f' else e.op}.{f'f{width(t)}' if is_float(t) else t}"
        if e.op in ("ctlz", "cttz", "abs"):
            return self.call(name, t, [*args, "false"], [t, "i1"])
        return self.call(name, t, args, [t] * len(args))


def _constant(e: Expr) -> str:
    if e.type == "half":
        return f"0xH{e.data:04X}"
    if is_float(e.type):
        return f"0x{float_bits(float_value(e.data, e.type), 'double'):016X}"
    if e.type == "i1":
        return "true" if e.data else "false"
    return str(signed(e.data, width(e.type)))


def to_ir(expr: Expr, name: str = "kernel") -> str:
    """A kernel `void name(ptr in, ptr out)`: thread i of one block computes row i."""
    lines = _Lines()
    count = max(argument_count(expr), 1)
    result = lines.value(expr)
    bits = width(expr.type)
    if is_float(expr.type):
        result = lines.line(f"bitcast {expr.type} {result} to i{bits}")
    words = slots(expr.type)
    if bits < 64 * words:
        result = lines.line(f"zext i{bits} {result} to i{64 * words}")
    body = "\n".join(lines.text)
    header = (
        f'target triple = "nvptx64-nvidia-cuda"\n\ndefine ptx_kernel void @{name}(ptr %in, ptr %out) {{\n'
        f"  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n"
        f"  %first = mul i64 %i, {count}\n  %row = getelementptr i64, ptr %in, i64 %first\n"
        f"  %place = mul i64 %i, {words}\n  %to = getelementptr i64, ptr %out, i64 %place\n"
    )
    footer = f"  store i{64 * words} {result}, ptr %to, align 8\n  ret void\n}}\n"
    declared = "\n".join([*lines.declarations.values(), "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()"])
    return f"{header}{body}\n{footer}\n{declared}\n"


Run = Callable[[str, list[list[int]], int], list[list[int]]]
"""An oracle: (IR or source text, rows of argument slots, result slots) -> rows of result slots."""


def check(expr: Expr, rows: list[list[int]], run: Run) -> None:
    """Run a program on an executor and compare every row with `evaluate`. Raises AssertionError."""
    results = run(to_ir(expr), rows, slots(expr.type))
    for row, result in zip(rows, results, strict=True):
        got = _canonical(sum(word << (64 * i) for i, word in enumerate(result)), expr.type)
        want = evaluate(expr, row)
        assert got == want, f"{expr.type}: got {got:#x}, want {want:#x} for {[hex(v) for v in row]}\n{to_ir(expr)}"
