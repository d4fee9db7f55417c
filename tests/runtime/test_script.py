"""The launch script: what it may say, what it may not ask for, and that its checks can fail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc.diagnostics import CompileError, SourceFile
from runtime import script_help
from runtime.script import Overrides, _Interpreter, compare, parse, run


def script(text):
    return parse(SourceFile("t.k", "\n".join("//! " + line for line in text.split("\n"))))


def execute(text, overrides=None, kernel=None):
    launches = []

    def launch(name, grid, block, shared, args):
        launches.append((name, grid, block, shared))
        if kernel:
            kernel(*args)

    return run(script(text), launch, lambda name, value: None, overrides), launches


def test_launch_and_check():
    def double(x, out):
        out[:] = 2 * x

    outcome, launches = execute(
        "n = 1 << 10\nx = uniform(-1, 1, n, f32)\nout = zeros(n, f32)\n"
        "twice[cdiv(n, 256), (16, 16), 64](x, out)\nexpect(out, x + x)",
        kernel=double,
    )
    assert launches == [("twice", (4,), (16, 16), 64)]
    assert outcome.ok and outcome.outputs == ["x", "out"]


def test_launches_in_streams_wait_for_each_other_only_where_something_looks_at_them():
    said = []

    def launch(name, grid, block, shared, args, stream=0):
        said.append((name, stream))

    text = """
n = 4
x = zeros(n, i32)
for i in range(2):
    a[1, 32, 0, 1](x, i32(n))
    b[1, 32, 0, i + 2](x, n)
c[1, 32](x)
a[1, 32, 0, 1](x, 1)
b[1, 32, 0, 2](x[1:], 1)
expect(x, x)
a[1, 32, 0, 1](x, 1)
"""
    run(script(text), launch, lambda name, value: None, wait=lambda: said.append("wait"))
    assert said == [("a", 1), ("b", 2), ("a", 1), ("b", 3), "wait", ("c", 0),
                    ("a", 1), "wait", ("b", 2), "wait", ("a", 1), "wait"]  # fmt: skip
    with pytest.raises(CompileError, match="stream"):
        execute("k[1, 1, 0, -1]()")


def test_a_wrong_result_fails_and_is_located():
    def wrong(out):
        out[3] = 1

    outcome, _ = execute("out = zeros(8, i32)\nk[1, 1](out)\nexpect(out, zeros(8, i32))", kernel=wrong)
    assert not outcome.ok
    assert (outcome.checks[0].where, outcome.checks[0].got, outcome.checks[0].want) == (3, 1, 0)


def test_overrides_replace_sizes_and_shapes():
    outcome, launches = execute(
        "n = 8\nx = zeros(n, f32)\nk[n, 32](x)", Overrides(assign={"n": "3"}, block=(64,), shared=16)
    )
    assert launches == [("k", (3,), (64,), 16)]
    assert outcome.variables["x"].shape == (3,)


@pytest.mark.parametrize(
    "text",
    [
        "x = __import__('os')",
        "x = zeros(4).__class__",
        "x = (lambda: 1)()",
        "x = [i for i in range(3)]",
        "import os",
        "def f(): pass",
        "x = open('/etc/passwd')",
        "x = zeros(1 << 60)",
        "x = 1\nwhile 1 == 1:\n    x = x + 1",
        "x = 3\nfor i in range(100):\n    x = x * x",
        "x = 1 << 100000",
        "x = 7 ** 100000000",
        "x = arange(1 << 40, u8)",
        "x = 'a' * 1000000000",
        "x = f'{1}'",
        "x = 1 / 0",
        "x = zeros(3)[9]",
        "k[1](3)",
        "x = undefined",
    ],
)
def test_what_a_script_may_not_do(text):
    with pytest.raises(CompileError) as caught:
        execute(text)
    assert caught.value.diagnostics[0].where is not None


@given(st.text(max_size=80))
def test_any_text_is_a_script_or_an_error(text):
    source = SourceFile("t.k", "//! " + text)
    try:
        run(parse(source), lambda *a: None, lambda *a: None)
    except CompileError as error:
        assert error.diagnostics


@given(st.integers(-1000, 1000), st.integers(-50, 50).filter(bool))
def test_integer_division_is_c_s(a, b):
    outcome, _ = execute(f"x = ({a}) / ({b})")
    assert outcome.variables["x"] == int(a / b)


@given(st.lists(st.floats(width=32, allow_nan=True), min_size=1, max_size=8))
def test_equal_bits_are_equal_and_one_ulp_is_not(values):
    got = np.array(values, np.float32)
    assert compare("x", got, got.copy(), {}).ok
    finite = np.isfinite(got)
    if finite.any():
        moved = got.copy()
        at = int(np.argmax(finite))
        moved[at] = np.nextafter(moved[at], np.float32(np.inf))
        assert not compare("x", moved, got, {}).ok


def test_every_sample_has_a_script_that_runs(sample):
    parsed = parse(SourceFile(sample.name, sample.read_text()))
    assert parsed.teaches
    outcome = run(parsed, lambda *a: None, lambda *a: None)
    assert outcome.launches and outcome.checks
    assert not outcome.ok, "a kernel that does nothing must fail its sample's check"


@pytest.mark.parametrize(
    "lines",
    ["x, y = zeros(3)", "x, = 1", "c = zeros(4)\nc[9] = 1", "c = zeros(4)\nc[0:2] = zeros(3)", "a = zeros(4, 32)",
     "a = zeros(4)\nwhile a: a = a + 1", "a = zeros(4)\nif a > 0: n = 1", "n = sum('x', 1, 2, 3)", 'k["a", 1]()'],
)  # fmt: skip
def test_a_wrong_line_is_an_error_with_its_place(lines, recwarn):
    source = SourceFile("a.k", "".join(f"//! {line}\n" for line in lines.split("\n")))
    with pytest.raises(CompileError, match=r"a\.k:\d:\d+: error"):
        run(parse(source), lambda *_: None, lambda *_: None, Overrides())
    assert not recwarn.list


def test_sizes_that_the_kernel_cannot_take_end_the_script_with_its_words():
    text = 'n = 64\nassert n % 32 == 0, "n is in tiles of 32"\nassert n > 1\nc = zeros(n)'
    assert execute(text)[0].variables["c"].size == 64
    source = SourceFile("a.k", "".join(f"//! {line}\n" for line in text.split("\n")))
    for n, said in ((65, "a.k:2:12: error: n is in tiles of 32"), (0, "a.k:3:12: error: this does not hold")):
        with pytest.raises(CompileError, match=said):
            run(parse(source), lambda *_: None, lambda *_: None, Overrides(assign={"n": str(n)}))


@pytest.mark.parametrize(
    "text", ["arange(5, i32)", "i32(arange(5))", "arange(0, 5, i32)", "arange(0, 5, 1, dtype=i32)"]
)
def test_counting_with_a_type(text):
    outcome, _ = execute(f"x = {text} ** 2")
    assert outcome.variables["x"].tolist() == [0, 1, 4, 9, 16] and outcome.variables["x"].dtype == np.int32


@pytest.mark.parametrize(
    ("text", "said"),
    [("x = zeros()", "called as zeros(shape, dtype=f32)"), ("x = cdiv(3)", "called as cdiv(a, b)"),
     ("x = uniform(0, 1)", "called as uniform(low, high, shape, dtype=f32)")],
)  # fmt: skip
def test_a_wrong_call_is_told_how_to_call(text, said):
    with pytest.raises(CompileError) as caught:
        execute(text)
    assert said in caught.value.diagnostics[0].message and "lambda" not in caught.value.diagnostics[0].message


def test_every_function_is_in_the_help():
    interpreter = _Interpreter(parse(SourceFile("a.k", "")), print, print, Overrides(), print)
    assert {name for name in interpreter.functions if not script_help.of(name)} == set()


def test_an_error_in_an_option_points_into_the_option():
    with pytest.raises(CompileError, match=r"--set n:1:5: error: 'm' is not defined"):
        run(parse(SourceFile("a.k", "//! n = 3")), print, print, Overrides(assign={"n": "2 + m"}))
