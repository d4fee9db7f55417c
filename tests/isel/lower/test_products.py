"""Products of integers: what they become has the value that LLVM IR says."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import ptx
from tests.isel.run_ptx import compile_ir, run_rows

HEAD = 'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @kernel(ptr %in, ptr %out) {\n'
LOAD = " %x = load i32, ptr %in\n %p = getelementptr i64, ptr %in, i64 1\n %y = load i32, ptr %p\n"
MIDDLE = 1024
BYTES = [(k * 7 + 3) % 256 for k in range(2 * MIDDLE - 16)]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_addresses_by_extended_products(data: st.DataObject) -> None:
    """A byte that lies an extended product, which does not overflow, of bytes or words from the middle of memory."""
    by = data.draw(st.sampled_from(["mul", "shl"]))
    sign = data.draw(st.sampled_from(["sext", "zext", "zext nneg"]))
    flag = "nsw" if sign != "zext" else "nuw"
    constant = by == "shl" or data.draw(st.booleans())
    factor = data.draw(st.integers(2, 5 if by == "shl" else 30))
    size = data.draw(st.sampled_from([1, 4]))
    text = HEAD + LOAD + (
        f" %m = {by} {flag} i32 %x, {factor if constant else '%y'}\n %e = {sign} i32 %m to i64\n"
        f" %b = getelementptr i8, ptr %in, i64 {MIDDLE}\n %q = getelementptr i{8 * size}, ptr %b, i64 %e\n"
        " %v = load i8, ptr %q, align 1\n %z = zext i8 %v to i64\n store i64 %z, ptr %out\n ret void\n}\n"
    )  # fmt: skip
    module = compile_ir(text)
    assert "mul.wide" in ptx.format(module)
    most = (MIDDLE - 32) // size
    for _ in range(4):
        y = (1 << factor if by == "shl" else factor) if constant else data.draw(st.integers(1, 30))
        x = data.draw(st.integers(-(most // y) if sign == "sext" else 0, most // y))
        words = [int.from_bytes(BYTES[k : k + 8], "little") for k in range(0, len(BYTES), 8)]
        assert run_rows(module, [[x % (1 << 64), y, *words]], 1) == [[BYTES[MIDDLE + x * y * size - 16]]]


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(x=st.integers(0, (1 << 32) - 1), y=st.integers(0, (1 << 32) - 1))
def test_a_factor_and_one(x: int, y: int) -> None:
    """x * (y + 1) is one multiply-add."""
    text = HEAD + LOAD + (
        " %s = add i32 %y, 1\n %m = mul i32 %x, %s\n %e = zext i32 %m to i64\n store i64 %e, ptr %out\n ret void\n}\n"
    )  # fmt: skip
    module = compile_ir(text)
    assert "mad.lo" in ptx.format(module)
    assert run_rows(module, [[x, y]], 1) == [[x * (y + 1) % (1 << 32)]]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_rotated_products(data: st.DataObject) -> None:
    """A product shifted both ways, as LLVM leaves the rotations of hash functions; other constants are no rotation."""
    bits = data.draw(st.sampled_from([32, 64]))
    limit = 1 << bits
    k, by = data.draw(st.integers(3, limit - 1)), data.draw(st.integers(1, bits - 1))
    right = data.draw(st.sampled_from([True, True, False]))
    more = (k << by) % limit if right else data.draw(st.integers(1, limit - 1))
    one, other = data.draw(st.permutations(["%m", "%s"]))
    text = HEAD + (
        f" %x = load i{bits}, ptr %in\n %m = mul i{bits} %x, {more}\n %k = mul i{bits} %x, {k}\n"
        f" %s = lshr i{bits} %k, {bits - by}\n %r = or i{bits} {one}, {other}\n"
        f" store i{bits} %r, ptr %out\n ret void\n}}\n"
    )
    module = compile_ir(text)
    shifts = any(factor.bit_count() == 1 for n in (k, more) for factor in (n, limit - n))  # LLVM's, of x or of -x
    assert not (right and not shifts and "or.b" in ptx.format(module))
    x = data.draw(st.integers(0, limit - 1))
    ((found,),) = run_rows(module, [[x]], 1)
    assert found % limit == x * more % limit | x * k % limit >> bits - by


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_shifts_by_an_amount_and_by_what_is_left_of_the_word(data: st.DataObject) -> None:
    """Both together are a funnel shift, whichever amount is the given one, also where LLVM adds them with others."""
    left, added = data.draw(st.booleans()), data.draw(st.booleans())
    high, low = data.draw(st.sampled_from([("%x", "%x"), ("%x", "%y")]))
    one, other = data.draw(st.permutations(["%a", "%b"]))
    amounts = ("%n", "%o") if left else ("%o", "%n")
    text = HEAD + LOAD + (
        f" %t = getelementptr i64, ptr %in, i64 2\n %n = load i32, ptr %t\n %o = sub i32 32, %n\n"
        f" %a = shl i32 {high}, {amounts[0]}\n %b = lshr i32 {low}, {amounts[1]}\n "
        + (f"%s = add i32 {one}, %y\n %r = add i32 %s, {other}\n" if added else f"%r = or i32 {one}, {other}\n")
        + " %e = zext i32 %r to i64\n store i64 %e, ptr %out\n ret void\n}\n"
    )  # fmt: skip
    module = compile_ir(text)
    assert "shf." in ptx.format(module)
    x, y = (data.draw(st.integers(0, (1 << 32) - 1)) for _ in range(2))
    rows = [[x, y, n] for n in (1, data.draw(st.integers(0, 32)), 31)]
    words = {"%x": x, "%y": y}
    for row in rows:
        up = row[2] if left else 32 - row[2]
        want = ((words[high] << up) % (1 << 32) | words[low] >> 32 - up) + y * added
        assert run_rows(module, [row], 1) == [[want % (1 << 32)]]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_negative_indices(data: st.DataObject) -> None:
    """p[-x] takes no negation: the address is a product by minus the size."""
    size = data.draw(st.sampled_from([1, 2, 4, 8]))
    wide = data.draw(st.booleans())
    negative = " %e = sub i64 0, %l\n" if wide else " %m = sub nsw i32 0, %x\n %e = sext i32 %m to i64\n"
    text = HEAD + LOAD + (
        f" %l = sext i32 %x to i64\n{negative}"
        f" %b = getelementptr i8, ptr %in, i64 {MIDDLE}\n %q = getelementptr i{8 * size}, ptr %b, i64 %e\n"
        " %v = load i8, ptr %q, align 1\n %z = zext i8 %v to i64\n store i64 %z, ptr %out\n ret void\n}\n"
    )  # fmt: skip
    module = compile_ir(text)
    assert "neg" not in ptx.format(module)
    most = (MIDDLE - 32) // size
    x = data.draw(st.integers(-most, most))
    words = [int.from_bytes(BYTES[k : k + 8], "little") for k in range(0, len(BYTES), 8)]
    assert run_rows(module, [[x % (1 << 64), 0, *words]], 1) == [[BYTES[MIDDLE - x * size - 16]]]
