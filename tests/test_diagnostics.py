"""Places, carets and the collector's limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc.diagnostics import CompileError, Diagnostic, Diagnostics, SourceFile, Span, fail


@given(st.text(alphabet="ab\n\t\r", max_size=60), st.data())
def test_position_and_line_agree_with_splitting(text, data):
    source = SourceFile("t", text)
    offset = data.draw(st.integers(0, len(text)))
    line, column = source.position(offset)
    before = text[:offset].split("\n")
    assert (line, column) == (len(before), len(before[-1]) + 1)
    assert source.line(line) == text.split("\n")[line - 1].rstrip("\r")


def test_caret_stands_under_the_token():
    source = SourceFile("a.k", "int x;\n\tfoo(bar);\n")
    start = source.text.index("bar")
    shown = Diagnostic("error", "c", "no bar", Span(source, start, start + 3)).render().split("\n")
    assert shown[0] == "a.k:2:6: error: no bar"
    assert shown[1][len("    ") :] == "\tfoo(bar);"
    assert shown[2].index("^") == shown[1].index("bar") and shown[2].endswith("^~~")


def test_collector_stops_at_its_limit():
    bag = Diagnostics(limit=3)
    with pytest.raises(CompileError) as caught:
        for i in range(10):
            bag.error("c", f"error {i}")
    assert len(caught.value.diagnostics) == 3


def test_json_names_the_place():
    source = SourceFile("a.k", "x\nyz\n")
    with pytest.raises(CompileError) as caught:
        fail("stage.code", "message", Span(source, 2, 4))
    assert caught.value.diagnostics[0].to_json() == {
        "severity": "error", "code": "stage.code", "message": "message", "file": "a.k",
        "line": 2, "column": 1, "end_line": 2, "end_column": 3,
    }  # fmt: skip


@given(
    st.text(alphabet="ab \x1b\x07\udce9\xa0", max_size=400).filter(str.strip),
    st.text(alphabet="ab \x1b\udce9", max_size=400),
)
def test_no_line_is_too_long_or_steers_the_terminal(before, after):
    text = f"{before}@{after}"
    _, line, mark = (
        Diagnostic("error", "c", "here", Span(SourceFile("t", text), len(before), len(before) + 1)).render().split("\n")
    )
    assert (line + mark).isprintable()
    assert line[mark.index("^")] == "@" and mark.endswith("^")
    assert line.count("<") <= 200 and len(line) <= 200 * len("<U+001B>") + 20
