"""Division by constants: products and shifts, exact for every width, divisor and dividend tried."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import ptx
from tests.isel.interpret import signed
from tests.isel.run_ptx import compile_ir, run_rows

WIDTHS = (8, 16, 24, 32, 40, 63, 64)


def kernel(op: str, bits: int, divisor: int) -> str:
    """out[0] = in[0] op divisor."""
    widen = "" if bits == 64 else f" %z = zext i{bits} %q to i64\n"
    narrow = " %a = add i64 %r, 0\n" if bits == 64 else f" %a = trunc i64 %r to i{bits}\n"
    return (
        'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @kernel(ptr %in, ptr %out) {\n'
        f" %r = load i64, ptr %in, align 8\n{narrow} %q = {op} i{bits} %a, {divisor}\n{widen}"
        f" store i64 {'%q' if bits == 64 else '%z'}, ptr %out, align 8\n ret void\n}}\n"
    )


def expected(op: str, bits: int, a: int, d: int) -> int:
    """LLVM's meaning, in exact arithmetic."""
    if op[0] == "s":
        a, d = signed(a, bits), signed(d, bits)
    quotient = abs(a) // abs(d) * (-1 if (a < 0) != (d < 0) else 1)
    return (quotient if op[1:] == "div" else a - quotient * d) % (1 << bits)


@pytest.mark.parametrize("op", ["udiv", "urem", "sdiv", "srem"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_exact(op: str, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from(WIDTHS))
    top = (1 << bits) - 1
    edges = [1, 2, 3, 5, 7, 10, 641, top, top >> 1, (top >> 1) + 1, top - 6]
    divisor = data.draw(st.one_of(st.sampled_from(edges), st.integers(1, top), st.integers(1, 1000))) & top or 3
    near = [0, 1, top, top >> 1, (top >> 1) + 1, divisor, (divisor - 1) & top]
    dividends = data.draw(st.lists(st.one_of(st.sampled_from(near), st.integers(0, top)), min_size=4, max_size=8))
    if op[0] == "s" and signed(divisor, bits) == -1:
        dividends = [a for a in dividends if signed(a, bits) != -(1 << (bits - 1))] or [1]
    module = compile_ir(kernel(op, bits, signed(divisor, bits) if op[0] == "s" else divisor))
    assert not any(word in ptx.format(module) for word in ("\tdiv.", "\trem."))
    results = run_rows(module, [[a] for a in dividends], 1)
    for a, result in zip(dividends, results, strict=True):
        assert result[0] == expected(op, bits, a, divisor), (op, bits, a, divisor)


@pytest.mark.parametrize("op", ["urem", "srem"])
@pytest.mark.parametrize("pred", ["eq", "ne"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_remainder_is(op: str, pred: str, data: st.DataObject) -> None:
    """A remainder that is only compared with a constant, from dividends around the multiples and the ends."""
    bits = data.draw(st.sampled_from([32, 64]))
    top = (1 << bits) - 1
    divisor = data.draw(st.integers(2, 1000) | st.integers(2, top))
    size = divisor if op == "urem" else abs(signed(divisor, bits))
    rest = data.draw(st.sampled_from([0, 1, size - 1]) | st.integers(0, size - 1)) & top
    near = st.builds(lambda k, d: (k * size + rest + d) & top, st.integers(0, top // size), st.integers(-2, 2))
    values = data.draw(st.lists(near | st.sampled_from([0, top, top >> 1]), min_size=4, max_size=4))
    text = kernel(op, bits, divisor)
    text = text.replace(" store", f" %c = icmp {pred} i{bits} %q, {rest}\n %s = zext i1 %c to i64\n store")
    text = text.replace("%q, ptr", "%s, ptr").replace("%z, ptr", "%s, ptr")
    module = compile_ir(text)
    if op == "urem" and divisor & (divisor - 1):
        assert "mul.hi" not in ptx.format(module)
    for value in values:
        equal = expected(op, bits, value, divisor) == rest
        assert run_rows(module, [[value]], 1) == [[int(equal == (pred == "eq"))]]
