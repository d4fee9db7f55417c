"""Powers of two of floating numbers, and what they are made of: ldexp, frexp, modf, minimum, against Python's."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.isel.run_ptx import compile_ir, run_rows

KINDS = {"float": (32, "<f"), "double": (64, "<d")}
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
NUMBERS = st.floats(width=32) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 2.0**-149, 2.0**-126])


def bits(x: float, kind: str) -> int:
    """What the type holds of a number, rounded once; one NaN for all."""
    size, code = KINDS[kind]
    if math.isnan(x):
        return (1 << size) - 1
    try:
        return int.from_bytes(struct.pack(code, x), "little")
    except OverflowError:
        return bits(math.copysign(math.inf, x), kind)


def canonical(word: int, kind: str) -> int:
    size, code = KINDS[kind]
    return bits(struct.unpack(code, (word & (1 << size) - 1).to_bytes(size // 8, "little"))[0], kind)


def run(kind: str, code: str, declaration: str, words: list[int], results: tuple[str, ...]) -> list[int]:
    """The slots that hold %r0, %r1, ... of `code`, which has the first word as %x and both as %w0 and %w1."""
    size = KINDS[kind][0]
    lines = ['target triple = "nvptx64-nvidia-cuda"', "define ptx_kernel void @k(ptr %in, ptr %out) {"]
    lines += ["%w0 = load i64, ptr %in", "%p1 = getelementptr i64, ptr %in, i64 1", "%w1 = load i64, ptr %p1"]
    lines += [
        f"%t = {'trunc i64 %w0 to i32' if size == 32 else 'add i64 %w0, 0'}",
        f"%x = bitcast i{size} %t to {kind}",
    ]
    lines.append(code)
    for k, type_ in enumerate(results):
        lines += [f"%o{k} = getelementptr i64, ptr %out, i64 {k}", f"store {type_} %r{k}, ptr %o{k}"]
    module = compile_ir("\n".join([*lines, "ret void", "}", declaration]), 0)
    return run_rows(module, [words], len(results))[0]


def pair(kind: str, name: str, second: str) -> str:
    type_ = f"{{ {kind}, {second} }}"
    call = f"%r = call {type_} @llvm.{name}({kind} %x)"
    return f"{call}\n%r0 = extractvalue {type_} %r, 0\n%r1 = extractvalue {type_} %r, 1"


def exact_ldexp(x: float, by: int) -> float:
    try:
        return math.ldexp(x, by)
    except OverflowError:
        return math.copysign(math.inf, x)


@pytest.mark.parametrize("kind", KINDS)
@SETTINGS
@example(x=1.5, by=-149).via("halfway")
@example(x=1.5, by=2**32).via("beyond a word")
@example(x=2.0**-149, by=276).via("from the smallest to the largest")
@given(x=NUMBERS, by=st.integers(-300, 300) | st.integers(-3000, 3000) | st.integers(-(2**40), 2**40))
def test_ldexp(kind: str, x: float, by: int) -> None:
    size = KINDS[kind][0]
    code = f"%r0 = call {kind} @llvm.ldexp.f{size}.i64({kind} %x, i64 %w1)"
    declaration = f"declare {kind} @llvm.ldexp.f{size}.i64({kind}, i64)"
    (got,) = run(kind, code, declaration, [bits(x, kind), by % 2**64], (kind,))
    assert canonical(got, kind) == bits(exact_ldexp(x, by), kind)


@pytest.mark.parametrize("kind", KINDS)
@SETTINGS
@given(x=NUMBERS)
def test_frexp(kind: str, x: float) -> None:
    size = KINDS[kind][0]
    name = f"frexp.f{size}.i64"
    declaration = f"declare {{ {kind}, i64 }} @llvm.{name}({kind})"
    half, places = run(kind, pair(kind, name, "i64"), declaration, [bits(x, kind), 0], (kind, "i64"))
    wanted = math.frexp(x) if math.isfinite(x) else (x, 0)
    assert (canonical(half, kind), places % 2**64) == (bits(wanted[0], kind), wanted[1] % 2**64)


@pytest.mark.parametrize("kind", KINDS)
@SETTINGS
@given(x=NUMBERS)
def test_modf(kind: str, x: float) -> None:
    size = KINDS[kind][0]
    declaration = f"declare {{ {kind}, {kind} }} @llvm.modf.f{size}({kind})"
    got = run(kind, pair(kind, f"modf.f{size}", kind), declaration, [bits(x, kind), 0], (kind, kind))
    assert [canonical(word, kind) for word in got] == [bits(part, kind) for part in math.modf(x)]


@pytest.mark.parametrize(("name", "pick"), [("minimum", min), ("maximum", max)])
@SETTINGS
@given(x=NUMBERS, y=NUMBERS)
def test_minimum_of_doubles(name: str, pick: Callable[..., float], x: float, y: float) -> None:
    """NaN if one is; of zeros the one with the sign."""
    code = f"%y = bitcast i64 %w1 to double\n%r0 = call double @llvm.{name}.f64(double %x, double %y)"
    declaration = f"declare double @llvm.{name}.f64(double, double)"
    (got,) = run("double", code, declaration, [bits(x, "double"), bits(y, "double")], ("double",))
    none = math.isnan(x) or math.isnan(y)
    wanted = math.nan if none else pick(x, y, key=lambda v: (v, math.copysign(1, v)))
    assert canonical(got, "double") == bits(wanted, "double")
