"""Integer intrinsics and conversions of LLVM at every width: they select, ptxas takes them, exact arithmetic agrees."""

from __future__ import annotations

import math
import os
import struct
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import ptx
from tests.conftest import PTXAS
from tests.isel.interpret import signed
from tests.isel.run_ptx import compile_ir, run_rows

WIDTHS = (1, 2, 7, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 192)
SETTINGS = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))

Exact = Callable[..., int]
"""(bits, operands) -> result."""


def clamp(value: int, bits: int, is_signed: bool) -> int:
    low = -(1 << (bits - 1)) if is_signed else 0
    return max(low, min(value, low + (1 << bits) - 1))


def reverse(value: int, bits: int, unit: int) -> int:
    pieces = [value >> at & (1 << unit) - 1 for at in range(0, bits, unit)]
    return sum(piece << unit * k for k, piece in enumerate(reversed(pieces)))


def both(exact: Exact) -> tuple[Exact, Exact]:
    """What a function of numbers is for signed and for unsigned ones."""
    return (lambda n, *a: exact(n, True, *(signed(x, n) for x in a)), lambda n, *a: exact(n, False, *a))


ARITHMETIC = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}
INTRINSICS: dict[str, tuple[int, str, Exact]] = {
    "bitreverse": (1, "", lambda n, a: reverse(a, n, 1)),
    "bswap": (1, "", lambda n, a: reverse(a, n, 8)),
    "ctpop": (1, "", lambda n, a: a.bit_count()),
    "ctlz": (1, ", i1 false", lambda n, a: n - a.bit_length()),
    "cttz": (1, ", i1 false", lambda n, a: (a & -a).bit_length() - 1 if a else n),
    "abs": (1, ", i1 false", lambda n, a: abs(signed(a, n))),
    "fshl": (3, "", lambda n, a, b, c: ((a << n | b) << c % n) >> n),
    "fshr": (3, "", lambda n, a, b, c: (a << n | b) >> c % n),
}
"""Operands, further arguments, value (of which the width's bits count)."""
for letter, minus in (("s", True), ("u", False)):
    for name, pick in (("min", min), ("max", max)):
        INTRINSICS[letter + name] = 2, "", both(lambda n, s, a, b, pick=pick: pick(a, b))[not minus]
    for name, exact in ARITHMETIC.items():
        if name != "mul":
            INTRINSICS[f"{letter}{name}.sat"] = (
                2, "", both(lambda n, s, a, b, exact=exact: clamp(exact(a, b), n, s))[not minus]
            )  # fmt: skip
        INTRINSICS[f"{letter}{name}.with.overflow"] = (
            2,
            "",
            both(
                lambda n, s, a, b, exact=exact: (
                    exact(a, b) & (1 << n) - 1 | (clamp(exact(a, b), n, s) != exact(a, b)) << n
                )
            )[not minus],
        )
    INTRINSICS[f"{letter}shl.sat"] = 2, "", both(lambda n, s, a, b: clamp(a << b % (1 << n) % n, n, s))[not minus]
    INTRINSICS[f"{letter}mul.fix"] = 2, ", i32 {half}", both(lambda n, s, a, b: a * b >> n // 2)[not minus]
    INTRINSICS[f"{letter}mul.fix.sat"] = (
        2, ", i32 {half}", both(lambda n, s, a, b: clamp(a * b >> n // 2, n, s))[not minus]
    )  # fmt: skip


def slots(bits: int) -> int:
    return -(-bits // 64)


def function(name: str, code: str, operands: int, bits: int, result: int) -> str:
    """A kernel of operands %a0... from slots of 64 bits; `code` makes %r of the type i`result`."""
    lines = [f"define ptx_kernel void @{name}(ptr %in, ptr %out) {{"]
    for k in range(operands):
        lines.append(f"%p{k} = getelementptr i64, ptr %in, i64 {k * slots(bits)}")
        lines.append(f"%w{k} = load i{64 * slots(bits)}, ptr %p{k}, align 8")
        lines.append(
            f"%a{k} = {f'trunc i{64 * slots(bits)} %w{k} to i{bits}' if bits % 64 else f'add i{bits} %w{k}, 0'}"
        )
    whole = 64 * slots(result)
    lines += [code, f"%z = {f'zext i{result} %r to i{whole}' if result % 64 else f'add i{whole} %r, 0'}"]
    return "\n".join([*lines, f"store i{whole} %z, ptr %out, align 8", "ret void", "}"])


def intrinsic(name: str, bits: int, label: str = "k") -> tuple[str, str, int]:
    """(kernel, declaration, bits of the result)."""
    count, more, _ = INTRINSICS[name]
    flag = name.endswith("overflow")
    type_ = f"{{ i{bits}, i1 }}" if flag else f"i{bits}"
    more = more.format(half=bits // 2)
    values = ", ".join(f"i{bits} %a{k}" for k in range(count)) + more
    code = f"%{'pair' if flag else 'r'} = call {type_} @llvm.{name}.i{bits}({values})"
    result = bits + flag
    if flag:
        code += f"\n%value = extractvalue {type_} %pair, 0\n%flag = extractvalue {type_} %pair, 1"
        code += f"\n%v = zext i{bits} %value to i{result}\n%f = zext i1 %flag to i{result}"
        code += f"\n%high = shl i{result} %f, {bits}\n%r = or i{result} %v, %high"
    kinds = ", ".join([f"i{bits}"] * count + ([more.split()[1]] if more else []))
    return function(label, code, count, bits, result), f"declare {type_} @llvm.{name}.i{bits}({kinds})", result


def allowed(name: str, bits: int) -> bool:
    return name != "bswap" or bits % 16 == 0


@st.composite
def number(draw: st.DrawFn, bits: int) -> int:
    top = (1 << bits) - 1
    some = st.integers(0, top)
    ends = st.sampled_from([0, 1 & top, top, top >> 1, (top >> 1) + 1])
    return draw(st.one_of(some, ends, st.integers(0, min(top, 2 * bits)), some.map(lambda v: v & v << 3 & top)))


def limbs(value: int, bits: int) -> list[int]:
    return [value >> 64 * i & (1 << 64) - 1 for i in range(slots(bits))]


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", INTRINSICS)
@SETTINGS
@given(data=st.data())
def test_intrinsic(name: str, level: int, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from([bits for bits in WIDTHS if allowed(name, bits)]))
    count, _, exact = INTRINSICS[name]
    rows = [[data.draw(number(bits)) for _ in range(count)] for _ in range(3)]
    if name.endswith("shl.sat"):  # an amount of the width, or more, is poison
        rows = [[a, b % bits] for a, b in rows]
    kernel, declaration, result = intrinsic(name, bits)
    module = compile_ir(f'target triple = "nvptx64-nvidia-cuda"\n{kernel}\n{declaration}', level)
    got = run_rows(module, [[w for value in row for w in limbs(value, bits)] for row in rows], slots(result))
    for row, words in zip(rows, got, strict=True):
        assert words == limbs(exact(bits, *row) & (1 << result) - 1, result), (bits, [hex(value) for value in row])


@pytest.mark.parametrize("name", INTRINSICS)
def test_ptxas_takes_it(name: str, tmp_path: Path) -> None:
    widths = [bits for bits in WIDTHS if allowed(name, bits)]
    made = [intrinsic(name, bits, f"k{bits}")[:2] for bits in widths]
    text = ptx.format(
        compile_ir("\n".join(['target triple = "nvptx64-nvidia-cuda"', *(x for pair in made for x in pair)]))
    )
    assert text.count(".entry") == len(widths)
    if PTXAS:
        path = tmp_path / "k.ptx"
        path.write_text(text)
        done = subprocess.run([PTXAS, "-arch=sm_90", str(path), "-o", os.devnull], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


# --- conversions ----------------------------------------------------------------------------------------------------

FLOATS = {"half": (16, 11, 15), "bfloat": (16, 8, 127), "float": (32, 24, 127), "double": (64, 53, 1023)}
"""Bits, digits, largest exponent."""


def rounded(value: int, kind: str) -> int:
    """The bits of the nearest number, to even."""
    bits, digits, most = FLOATS[kind]
    sign, size = value < 0, abs(value)
    if not size:
        return 0
    drop = max(size.bit_length() - digits, 0)
    kept, rest = size >> drop, size & (1 << drop) - 1
    kept += rest * 2 > 1 << drop or (rest * 2 == 1 << drop and bool(drop) and kept & 1)
    exponent = drop + kept.bit_length() - 1
    mantissa = kept << digits - kept.bit_length() if kept.bit_length() <= digits else kept >> 1
    word = (
        (2 * most + 1) << digits - 1
        if exponent > most
        else (exponent + most) << digits - 1 | mantissa - (1 << digits - 1)
    )
    return sign << bits - 1 | word


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("op", ["sitofp", "uitofp"])
@SETTINGS
@given(data=st.data())
def test_to_float(op: str, kind: str, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from(WIDTHS))
    digits = FLOATS[kind][1]
    top = (1 << bits) - 1
    near = st.builds(  # halfway between two numbers, and beside it
        lambda at, more: (1 << at | 1 << max(at - digits, 0)) + more & top, st.integers(0, bits - 1), st.integers(-1, 1)
    )
    rows = [[data.draw(st.one_of(number(bits), near))] for _ in range(4)]
    size = FLOATS[kind][0]
    code = f"%f = {op} i{bits} %a0 to {kind}\n%r = bitcast {kind} %f to i{size}"
    module = compile_ir('target triple = "nvptx64-nvidia-cuda"\n' + function("k", code, 1, bits, size), 0)
    for row, (word,) in zip(rows, run_rows(module, [limbs(row[0], bits) for row in rows], 1), strict=True):
        assert word == rounded(signed(row[0], bits) if op == "sitofp" else row[0], kind), (bits, row)


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("op", ["fptosi", "fptoui", "fptosi.sat", "fptoui.sat"])
@SETTINGS
@given(data=st.data())
def test_from_float(op: str, kind: str, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from(WIDTHS))
    size = FLOATS[kind][0]
    saturates, minus = op.endswith("sat"), "si" in op
    reach = min(bits + 3, 126)
    value = st.builds(lambda m, e: math.ldexp(m, e), st.integers(-(2**24), 2**24), st.integers(-26, reach - 24))
    values = [
        data.draw(st.one_of(value, st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan]))) for _ in range(4)
    ]

    def integer(x: float) -> int:
        return 0 if math.isnan(x) else (1 << 300) * (1 if x > 0 else -1) if math.isinf(x) else math.trunc(Fraction(x))

    if not saturates:
        values = [x for x in values if math.isfinite(x) and clamp(integer(x), bits, minus) == integer(x)]
    letter = "f" if kind == "float" else "d"
    words = [int.from_bytes(struct.pack(f"<{letter}", x), "little") for x in values]
    call = f"call i{bits} @llvm.{op}.i{bits}.f{size}({kind} %f)" if saturates else f"{op} {kind} %f to i{bits}"
    text = function("k", f"%f = bitcast i{size} %a0 to {kind}\n%r = {call}", 1, size, bits)
    if saturates:
        text += f"\ndeclare i{bits} @llvm.{op}.i{bits}.f{size}({kind})"
    module = compile_ir('target triple = "nvptx64-nvidia-cuda"\n' + text, 0)
    for x, got in zip(values, run_rows(module, [[word] for word in words], slots(bits)), strict=True):
        assert got == limbs(clamp(integer(x), bits, minus) & (1 << bits) - 1, bits), (bits, x)


@pytest.mark.parametrize("bits", [127, 128, 129, 192])
def test_infinities_are_the_limits_of_integers_wider_than_the_exponent(bits: int) -> None:
    """The least of 192 bits is less than any finite float."""
    call = f"call i{bits} @llvm.fptosi.sat.i{bits}.f32(float %f)"
    text = function("k", f"%f = bitcast i32 %a0 to float\n%r = {call}", 1, 32, bits)
    text += f"\ndeclare i{bits} @llvm.fptosi.sat.i{bits}.f32(float)"
    module = compile_ir('target triple = "nvptx64-nvidia-cuda"\n' + text, 0)
    least, most = run_rows(module, [[0xFF800000], [0x7F800000]], slots(bits))
    assert (least, most) == (limbs(1 << bits - 1, bits), limbs((1 << bits - 1) - 1, bits))


@pytest.mark.parametrize("op", ["sdiv", "srem", "udiv", "urem"])
@SETTINGS
@given(
    bits=st.sampled_from([n for n in WIDTHS if 64 < n <= 128]), power=st.integers(0, 126), minus=st.booleans(),
    value=st.integers(0, 2**128 - 1),
)  # fmt: skip
def test_division_by_a_power_of_two(op: str, bits: int, power: int, minus: bool, value: int) -> None:
    """LLVM expands divisions beyond 64 bits, but not these."""
    power %= bits - 1
    divisor = -(1 << power) if minus and op[0] == "s" else 1 << power
    kernel = function("k", f"%r = {op} i{bits} %a0, {divisor}", 1, bits, bits)
    value &= (1 << bits) - 1
    number = signed(value, bits) if op[0] == "s" else value
    quotient = abs(number) // abs(divisor) * (-1 if (number < 0) != (divisor < 0) else 1)
    want = (quotient if op.endswith("div") else number - quotient * divisor) & (1 << bits) - 1
    row = [value & (1 << 64) - 1, value >> 64]
    ((low, high),) = run_rows(compile_ir('target triple = "nvptx64-nvidia-cuda"\n' + kernel), [row], 2)
    assert low | high << 64 == want


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize(("pred", "than"), [("slt", 0), ("sge", 0), ("sgt", -1), ("sle", -1)])
def test_the_sign_of_what_was_loaded_needs_no_extension(bits: int, pred: str, than: int) -> None:
    """Varints and UTF-8 ask for it at every byte, beside the other bits."""
    module = compile_ir(
        'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @kernel(ptr %in, ptr %out) {\n'
        f" %x = load i{bits}, ptr %in\n %c = icmp {pred} i{bits} %x, {than}\n %z = zext i{bits} %x to i64\n"
        " %l = and i64 %z, 127\n %t = zext i1 %c to i64\n %s = shl i64 %t, 20\n %r = or i64 %l, %s\n"
        " store i64 %r, ptr %out\n ret void\n}\n"
    )
    assert ".s8" not in ptx.format(module) and ".s16" not in ptx.format(module)
    half = 1 << bits - 1
    for x in (0, 1, half - 1, half, half + 1, 2 * half - 1):
        negative = x >= half
        assert run_rows(module, [[x]], 1) == [[x & 127 | (negative == (pred in ("slt", "sle"))) << 20]]
