"""Shared addresses: what `share` makes of random index arithmetic has the same addresses, and fewer computations."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from minicc import isel, ptx
from minicc.isel.layout import DataLayout
from minicc.isel.prepare.addresses import share
from minicc.nvvm import ir, read
from tests.counting import calls
from tests.isel.run_ptx import ARCH, compile_ir, kernel, run_rows

LAYOUT = "e-p3:32:32-i64:64-i128:128"
SPACES = {"global": ("ptr addrspace(1)", 64), "shared": ("ptr addrspace(3)", 32)}
ARITHMETIC: dict[str, Callable[..., int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "shl": lambda x, y: x << y,
    "sext": lambda x: x,
    "zext": lambda x: x % (1 << 32),
    "trunc": lambda x: x,
}
SMALL = st.integers(-2000, 2000)
WORDS = SMALL | st.integers((1 << 31) - 2000, (1 << 31) - 1) | st.integers(-(1 << 31), 2000 - (1 << 31))


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """Loads through indices (i + a) * m + (j + b), written in several ways, some in a block of their own, some from
    the address of another one."""
    space = draw(st.sampled_from(sorted(SPACES)))
    pointer, bits = SPACES[space]
    blocks: list[list[str]] = [[], []]
    size = draw(st.sampled_from(["float", "i8", "double"]))
    for number in range(draw(st.integers(2, 7))):
        n, a, b = str(number), draw(SMALL), draw(SMALL)
        shift, early = draw(st.integers(0, 9)), draw(st.booleans())
        lines = [f"%a{n} = add i32 %i, {a}", f"%m{n} = shl i32 %{'a' + n if early else 'i'}, {shift}"]
        if not early:
            lines += [f"%k{n} = mul i32 {a}, {1 << shift}", f"%c{n} = sub i32 %m{n}, {-(a << shift)}"]
        row = f"%m{n}" if early else f"%c{n}"
        if bits == 64 and draw(st.booleans()):  # the sum in 64 bits
            sign = draw(st.sampled_from(["sext", "zext nneg"])) if a >= 0 and b >= 0 else "sext"
            lines += [f"%x{n} = {sign} i32 {row} to i64", f"%y{n} = sext i32 %j to i64"]
            lines += [f"%w{n} = add i64 %x{n}, %y{n}", f"%t{n} = add i64 %w{n}, {b}"]
        else:
            lines += [f"%s{n} = add i32 {row}, %j", f"%{'t' if bits == 32 else 'u'}{n} = add i32 %s{n}, {b}"]
            if bits == 64:
                lines += [f"%t{n} = sext i32 %u{n} to i64"]
        block = draw(st.integers(0, 1))
        bases = ["%base", *(line.split()[0] for some in blocks[: block + 1] for line in some if line.startswith("%p"))]
        index = draw(st.sampled_from(["%i", "%t" + n])) if bits == 32 else f"%t{n}"
        lines += [f"%p{n} = getelementptr {size}, {pointer} {draw(st.sampled_from(bases))}, i{bits} {index}"]
        lines += [f"%v{n} = load i8, {pointer} %p{n}"] if draw(st.booleans()) else []
        blocks[block] += lines
    body = "\n ".join([*blocks[0], "br i1 %q, label %more, label %end"])
    more = "\n ".join([*blocks[1], "br label %end"])
    return (
        f'target datalayout = "{LAYOUT}"\ndefine void @k({pointer} %base, i32 %i, i32 %j, i1 %q) {{\nentry:\n {body}\n'
        f"more:\n {more}\nend:\n ret void\n}}\n"
    )


def addresses(function: ir.Function, layout: DataLayout, values: dict[str, int]) -> list[int]:
    """What each load reads, in order, by value."""
    known: dict[ir.Value, int] = {}

    def value(v: ir.Value) -> int:
        """Signed, of the type's width."""
        if isinstance(v, ir.Argument | ir.Global):
            return values[v.name]
        if isinstance(v, ir.ConstInt):
            return v.value - (1 << v.type.bits) if v.value >> (v.type.bits - 1) else v.value
        return known[v]

    found = []
    for inst in function.instructions():
        if inst.op in ("load", "call"):
            found.append(value(inst.args[0]))
        if inst.op in ("load", "call", "br", "ret"):
            continue
        a, *rest = (value(x) for x in inst.args)
        if inst.op == "getelementptr":
            assert inst.source is not None
            result, bits = a + rest[0] * layout.size(inst.source), layout.pointer(inst.type.space)
        else:
            result, bits = ARITHMETIC[inst.op](a, *rest), inst.type.bits
        result &= (1 << bits) - 1
        known[inst] = result - (1 << bits) if result >> (bits - 1) else result
    return found


@settings(max_examples=300, deadline=None)
@given(text=kernels(), i=st.integers(0, 5000), j=st.integers(0, 5000))
def test_addresses_stay(text: str, i: int, j: int) -> None:
    values = {"base": 1 << 20, "i": i, "j": j, "q": 1}
    layout = DataLayout(LAYOUT)
    before = addresses(read(text).functions["k"], layout, values)
    function = read(text).functions["k"]
    share(function, layout)
    assert addresses(function, layout, values) == before


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(-9, 9), st.booleans(), st.sampled_from(["ab", "ba", "a", "b"])), min_size=2, max_size=7
    ),
    w=st.integers(-500, 500),
    x=st.integers(-500, 500),
)
def test_rows_of_a_width_that_the_launch_knows(rows: list[tuple[int, bool, str]], w: int, x: int) -> None:
    """x + m * w, or the index before plus m * w, from one base or from two, in any order."""
    lines, last = ["%w4 = shl i32 %w, 2"], "%x"
    for n, (multiple, chained, bases) in enumerate(rows):
        lines += [f"%m{n} = mul i32 {'%w4' if multiple % 2 else '%w'}, {multiple}"]
        lines += [f"%i{n} = add i32 {last if chained else '%x'}, %m{n}", f"%e{n} = sext i32 %i{n} to i64"]
        last = f"%i{n}"
        for base in bases:
            lines += [
                f"%{base}{n}.p = getelementptr float, ptr %{base}, i64 %e{n}",
                f"%{base}{n} = load float, ptr %{base}{n}.p",
            ]
    body = "\n ".join(lines)
    text = (
        f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %a, ptr %b, i32 %w, i32 %x) {{\n {body}\n ret void\n}}\n'
    )
    values, layout = {"a": 1 << 30, "b": 1 << 31, "w": w, "x": x}, DataLayout(LAYOUT)
    before = addresses(read(text).functions["k"], layout, values)
    function = read(text).functions["k"]
    share(function, layout)
    assert addresses(function, layout, values) == before


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(["", "load", "asm"])), min_size=2, max_size=5),
    w=WORDS,
    x=WORDS,
    nsw=st.booleans(),
)
def test_rows_of_sums_that_may_wrap(rows: list[tuple[int, str]], w: int, x: int, nsw: bool) -> None:
    """What is not accessed says nothing of where a sum wraps; what is accessed lies in one object."""
    lines, last, total = [], "%x", x
    for n, (multiple, access) in enumerate(rows):
        promise = "nsw " * (nsw and -(1 << 31) <= total + multiple * w < 1 << 31)
        total = (total + multiple * w + (1 << 31)) % (1 << 32) - (1 << 31)
        lines += [f"%m{n} = mul i32 %w, {multiple}", f"%i{n} = add {promise}i32 {last}, %m{n}"]
        lines += [f"%e{n} = sext i32 %i{n} to i64", f"%p{n} = getelementptr float, ptr %a, i64 %e{n}"]
        loads = {"load": "load float, ptr", "asm": 'call float asm sideeffect "ld.global.f32 $0, [$1];", "=f,l"(ptr'}
        lines += [f"%v{n} = {loads[access]} %p{n}{')' * (access == 'asm')}"] if access else []
        last = f"%i{n}"
    body = "\n ".join(lines)
    text = f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %a, i32 %w, i32 %x) {{\n {body}\n ret void\n}}\n'
    values, layout = {"a": 1 << 40, "w": w, "x": x}, DataLayout(LAYOUT)
    before = addresses(read(text).functions["k"], layout, values)
    assume(max(before, default=0) - min(before, default=0) < 4 << 31)
    function = read(text).functions["k"]
    share(function, layout)
    assert addresses(function, layout, values) == before


def table(rows: list[tuple[int, int, str, int]]) -> str:
    """Loads of rows (i + k) * s + (j + m), all of 64 bits, of an argument or, cut to 32 bits, of a variable."""
    lines = []
    for n, (k, m, base, size) in enumerate(rows):
        lines += [
            f"%k{n} = add i64 %i, {k}",
            f"%m{n} = mul i64 {'%s, %k' if n % 2 else '%k'}{n}{'' if n % 2 else ', %s'}",
        ]
        lines += [f"%j{n} = add i64 %j, {m}", f"%x{n} = add i64 %m{n}, %j{n}"]
        index, pointer = ("i64 %x", "ptr") if base == "%a" else ("i32 %t", "ptr addrspace(3)")
        lines += [f"%t{n} = trunc i64 %x{n} to i32"] if base == "@t" else []
        lines += [f"%p{n} = getelementptr i{size}, {pointer} {base}, {index}{n}", f"%v{n} = load i8, {pointer} %p{n}"]
    body = "\n ".join(lines)
    return (
        f'target datalayout = "{LAYOUT}"\n@t = addrspace(3) global [64 x i8] zeroinitializer\n'
        f"define void @k(ptr %a, i64 %i, i64 %s, i64 %j) {{\n {body}\n ret void\n}}\n"
    )


ROWS = st.tuples(SMALL, st.sampled_from([0, 0, 5]), st.sampled_from(["%a", "@t"]), st.sampled_from([8, 32]))


@settings(max_examples=200, deadline=None)
@given(rows=st.lists(ROWS, min_size=2, max_size=9), i=SMALL, s=st.integers(-(1 << 40), 1 << 40), j=SMALL)
def test_products_of_sums(rows: list[tuple[int, int, str, int]], i: int, s: int, j: int) -> None:
    values, layout = {"a": 1 << 50, "t": 1 << 20, "i": i, "s": s, "j": j}, DataLayout(LAYOUT)
    text = table(rows)
    before = addresses(read(text).functions["k"], layout, values)
    function = read(text).functions["k"]
    share(function, layout)
    assert addresses(function, layout, values) == before


def numbers(rows: list[tuple[int, bool, bool, bool]]) -> str:
    """Loads at what becomes of (i + k) * s, with and without j, of 32 bits and 64, the sum used again or not."""
    lines = []
    for n, (k, wide, with_j, again) in enumerate(rows):
        kind, i, s, j = ("i64", "%i6", "%s6", "%j6") if wide else ("i32", "%i", "%s", "%j")
        lines += [f"%k{n} = add {kind} {i}, {k}", f"%m{n} = mul {kind} %k{n}, {s}"]
        lines += [f"%x{n} = add {kind} %m{n}, {j if with_j else 0}"]
        lines += [f"%z{n} = zext i32 %x{n} to i64"] if not wide else []
        for number, value in enumerate([f"%{'x' if wide else 'z'}{n}", *(["%k" + str(n)] if again and wide else [])]):
            lines += [f"%p{n}.{number} = getelementptr i8, ptr %a, i64 {value}"]
            lines += [f"%v{n}.{number} = load i8, ptr %p{n}.{number}"]
    body = "\n ".join(lines)
    given = "ptr %a, i32 %i, i32 %s, i32 %j, i64 %i6, i64 %s6, i64 %j6"
    return f'target datalayout = "{LAYOUT}"\ndefine void @k({given}) {{\n {body}\n ret void\n}}\n'


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.tuples(SMALL, st.booleans(), st.booleans(), st.booleans()), min_size=2, max_size=9),
    values=st.tuples(SMALL, st.integers(-(1 << 31), (1 << 31) - 1), SMALL),
)
def test_sums_and_products(rows: list[tuple[int, bool, bool, bool]], values: tuple[int, int, int]) -> None:
    i, s, j = values
    given, layout = {"a": 1 << 50, "i": i, "s": s, "j": j, "i6": i, "s6": s << 9, "j6": j}, DataLayout(LAYOUT)
    text = numbers(rows)
    before = addresses(read(text).functions["k"], layout, given)
    function = read(text).functions["k"]
    share(function, layout)
    assert addresses(function, layout, given) == before


@pytest.mark.parametrize("with_j", [False, True])
def test_products_that_differ_by_a_word_are_sums(with_j: bool) -> None:
    """Of two hundred numbers without a sign: one product, by which one of sums that differ is made from another."""
    function = read(numbers([(k, False, with_j, False) for k in range(200)])).functions["k"]
    share(function, DataLayout(LAYOUT))
    variable = [x for x in function.instructions() if x.op == "mul" and not isinstance(x.args[1], ir.ConstInt)]
    assert len(variable) == 1


@pytest.mark.parametrize("base", ["%a", "@t"])
def test_rows_of_a_table_are_made_one_from_another(base: str) -> None:
    """Six hundred rows of a width that the launch knows: one product."""
    function = read(table([(k, 0, base, 32) for k in range(600)])).functions["k"]
    share(function, DataLayout(LAYOUT))
    assert [x.op for x in function.instructions()].count("mul") == 1


@pytest.mark.parametrize("sum_", ["add", "add nsw"])
def test_a_row_before_the_first(sum_: str) -> None:
    """Its address, whose access does not happen, is no reason for another one in the rows that are there: the sum is
    not known to wrap alike, or, from a number below zero, is not made of an extension that holds for others only."""
    text = (
        f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %a, i32 %w, i32 %x) {{\n %e = zext nneg i32 %x to i64\n'
        f" %p = getelementptr float, ptr %a, i64 %e\n %i = {sum_} i32 %x, %w\n %f = zext nneg i32 %i to i64\n"
        " %q = getelementptr float, ptr %a, i64 %f\n %v = load float, ptr %q\n ret void\n}\n"
    )
    function = read(text).functions["k"]
    share(function, DataLayout(LAYOUT))
    assert any(x.op == "add" for x in function.instructions()) == (sum_ == "add")
    assert addresses(function, DataLayout(LAYOUT), {"a": 1 << 30, "w": 9, "x": -5}) == [(1 << 30) + 16]


def test_a_row_further_on_is_one_addition() -> None:
    """Four rows of two arrays: an extended sum once, and once the step."""
    lines, last = ["%s = shl i32 %w, 3"], "%x"
    for n in range(4):
        lines += [f"%e{n} = sext i32 {last} to i64"]
        for base in "ab":
            lines += [
                f"%{base}{n}.p = getelementptr float, ptr %{base}, i64 %e{n}",
                f"%{base}{n} = load float, ptr %{base}{n}.p",
            ]
        lines += [f"%i{n} = add i32 {last}, %s"] if n < 3 else []
        last = f"%i{n}"
    body = "\n ".join(lines)
    text = (
        f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %a, ptr %b, i32 %w, i32 %x) {{\n {body}\n ret void\n}}\n'
    )
    function = read(text).functions["k"]
    share(function, DataLayout(LAYOUT))
    assert [x.op for x in function.instructions()].count("sext") == 2
    assert not any(x.op == "add" for x in function.instructions())


def test_a_stencil_has_one_address() -> None:
    """Nine neighbours in rows of 1024: one address is computed, eight are offsets from it."""
    lines = []
    for number, (row, column) in enumerate((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)):
        n = str(number)
        lines += [f"%r{n} = shl i32 %i, 10", f"%a{n} = add i32 %r{n}, {row * 1024}", f"%s{n} = add i32 %a{n}, %j"]
        lines += [f"%t{n} = add i32 %s{n}, {column}", f"%x{n} = sext i32 %t{n} to i64"]
        lines += [f"%p{n} = getelementptr inbounds float, ptr %base, i64 %x{n}", f"%v{n} = load float, ptr %p{n}"]
    body = "\n ".join(lines)
    text = f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %base, i32 %i, i32 %j) {{\n {body}\n ret void\n}}\n'
    function = read(text).functions["k"]
    share(function, DataLayout(LAYOUT))
    own = [x for x in function.instructions() if x.op == "getelementptr" and not isinstance(x.args[1], ir.ConstInt)]
    assert len(own) == 1
    assert sum(1 for x in function.instructions() if x.op == "sext") == 1


def test_an_index_that_wraps_is_left_alone() -> None:
    """p[u] and p[u + 1] of an unsigned u may be at both ends of the numbers."""
    text = (
        f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %base, i32 %u) {{\n %w = add i32 %u, 1\n'
        " %x = zext i32 %u to i64\n %y = zext i32 %w to i64\n %p = getelementptr inbounds float, ptr %base, i64 %x\n"
        " %q = getelementptr inbounds float, ptr %base, i64 %y\n"
        " store i32 1, ptr %p\n store i32 1, ptr %q\n ret void\n}\n"
    )
    function = read(text).functions["k"]
    before = [x.op for x in function.instructions()]
    share(function, DataLayout(LAYOUT))
    assert [x.op for x in function.instructions()] == before


def test_an_index_that_is_a_sum_of_words_takes_an_instruction_each() -> None:
    """The sum of two extended words, times the size, plus the base: no 64-bit sum and shift of its own."""
    text = """define ptx_kernel void @k(ptr addrspace(1) %p, i32 %a, i32 %b) {
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %i = add i64 %x, %y
  %q = getelementptr float, ptr addrspace(1) %p, i64 %i
  store float 0.0, ptr addrspace(1) %q, align 4
  ret void
}
"""
    text = ptx.format(compile_ir(text))
    assert text.count("mul.wide.s32") + text.count("mad.wide.s32") == 2 and "shl.b64" not in text


def test_a_sum_that_is_known_comes_first() -> None:
    """base + i + j, and base + j after it: two additions, not three."""
    text = f"""target datalayout = "{LAYOUT}"
define void @k(ptr addrspace(3) %base, i32 %i, i32 %j) {{
  %a = getelementptr float, ptr addrspace(3) %base, i32 %i
  %b = getelementptr float, ptr addrspace(3) %a, i32 %j
  %v = load float, ptr addrspace(3) %b
  %c = getelementptr float, ptr addrspace(3) %base, i32 %j
  %w = load float, ptr addrspace(3) %c
  ret void
}}
"""
    values = {"base": 512, "i": 3, "j": 5}
    function = read(text).functions["k"]
    share(function, DataLayout(LAYOUT))
    assert [inst.op for inst in function.instructions()].count("getelementptr") == 2
    assert addresses(function, DataLayout(LAYOUT), values) == [512 + 32, 512 + 20]


@given(
    places=st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99), st.booleans()), min_size=2, max_size=6),
    x=st.integers(0, 2**32 - 1),
    y=st.integers(0, 2**32 - 1),
)
def test_sums_of_words(places: list[tuple[int, int, bool]], x: int, y: int) -> None:
    """(x + a) + (y + b), one made from another wherever they overflow, in a block or in one that follows."""
    lines = ["  %x = load i32, ptr %in", "  %at = getelementptr i64, ptr %in, i64 1", "  %y = load i32, ptr %at"]
    for n, (a, b, after) in enumerate(places):
        lines += [f"  br label %b{n}", f"b{n}:"] if after else []
        lines += [f"  %a{n} = add i32 %x, {a}", f"  %b{n} = add i32 %y, {b}", f"  %s{n} = add i32 %a{n}, %b{n}"]
        lines += [f"  %p{n} = getelementptr i64, ptr %out, i64 {n}", f"  store i32 %s{n}, ptr %p{n}"]
    text = kernel("\n".join([*lines, "  br label %end"]))
    function = read(text).functions["k"]
    share(function, DataLayout(LAYOUT))
    whole = [i for i in function.instructions() if i.op == "add" and not isinstance(i.args[1], ir.ConstInt)]
    assert len(whole) == 1 or len({a + b for a, b, _ in places}) == 1
    got = run_rows(isel.select(read(text), ARCH, isel.Options()), [[x, y]], len(places))[0]
    assert [word % 2**32 for word in got] == [(x + y + a + b) % 2**32 for a, b, _ in places]


PLACES = f"""target datalayout = "{LAYOUT}"
@table = internal addrspace(3) global [64 x i32] zeroinitializer
define ptx_kernel void @k(i32 %i) {{
  %base = ptrtoint ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @table, i32 16) to i32
  %next = ptrtoint ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @table, i32 32) to i32
  %a = add i32 %i, %base
  %b = add i32 %i, %next
  %p = inttoptr i32 %a to ptr addrspace(3)
  %q = inttoptr i32 %b to ptr addrspace(3)
  store i32 1, ptr addrspace(3) %p, align 4
  store i32 2, ptr addrspace(3) %q, align 4
  ret void
}}"""


def test_places_within_a_variable() -> None:
    """Each is the variable plus the index, plus a constant that the access takes."""
    text = ptx.format(isel.select(read(PLACES), ARCH, isel.Options()))
    assert "+16], " in text and "+32], " in text and text.count("add.s32") == 1


def test_work_is_linear_in_bodies_that_address_one_row() -> None:
    """Conditions one behind the other, in each of which an address of the same row is made: none dominates another."""

    def work(count: int) -> int:
        bodies = "".join(
            f"b{k}:\n%c{k} = icmp sgt i32 %n, {k}\nbr i1 %c{k}, label %t{k}, label %b{k + 1}\n"
            f"t{k}:\n%i{k} = add nsw i64 %i, {k}\n%p{k} = getelementptr i32, ptr addrspace(1) %p, i64 %i{k}\n"
            f"store i32 %n, ptr addrspace(1) %p{k}\nbr label %b{k + 1}\n"
            for k in range(count)
        )
        head = "define ptx_kernel void @k(ptr addrspace(1) %p, i64 %i, i32 %n) {\nentry:\nbr label %b0\n"
        function = read(f"{head}{bodies}b{count}:\nret void\n}}\n").functions["k"]
        return calls(lambda: share(function, DataLayout(LAYOUT)))

    work(10)
    assert work(400) < 5 * work(100)


@pytest.mark.parametrize("accessed", [False, True])
@pytest.mark.parametrize("sum_", ["add", "add nsw", "trunc", "trunc nsw"])
def test_a_far_place_that_may_not_be_accessed(accessed: bool, sum_: str) -> None:
    """x + y of 64 bits says nothing of the same sum of 32 bits, which may wrap, unless that place is accessed too; nor
    does a number of its lower word."""
    far, near = ("add", f"{sum_} i32 %x, %y") if "add" in sum_ else ("xor", f"{sum_} i64 %far to i32")
    load = " %u = load float, ptr %p\n"
    text = (
        f'target datalayout = "{LAYOUT}"\ndefine void @k(ptr %a, i32 %x, i32 %y, i1 %c) {{\n %l = sext i32 %x to i64\n'
        f" %m = sext i32 %y to i64\n %far = {far} i64 %l, %m\n %p = getelementptr float, ptr %a, i64 %far\n"
        f"{load * accessed} br i1 %c, label %some, label %rest\nsome:\n{load * (not accessed)} br label %rest\nrest:\n"
        f" %i = {near}\n %n = sext i32 %i to i64\n %q = getelementptr float, ptr %a, i64 %n\n"
        " %v = load float, ptr %q\n ret void\n}\n"
    )
    function = read(text).functions["k"]
    share(function, DataLayout(LAYOUT))
    places = [x for x in function.instructions() if x.op == "getelementptr"]
    assert (places[0] in places[-1].args) == (accessed or "nsw" in sum_)
