"""The assembler's errors have a place, and damaged listings never end in a traceback."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minicc import sass
from minicc.binary.images import images_of
from minicc.diagnostics import CompileError
from minicc.sass.control_text import control_text, parse_control
from minicc.sass.instr import Control
from minicc.sass.program import Function, Line, Param, Program, Relocation, Variable
from minicc.verbs import objdump
from tests.sass.common import machine, vectors

SM_90 = machine("sm_90")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("    FOO R1, R2 ;", "1:5", "unknown instruction 'FOO'"),
        ("    FADDD R1, R2, R3 ;", "1:5", "did you mean 'FADD'"),
        ("    IADD3 R1, R2, R999, RZ ;", "1:19", "no register R999"),
        ("    FADD.XYZ R1, R2, R3 ;", "1:5", "has no modifier .XYZ"),
        ("    FADD R1, R2 ;", "1:5", "operands do not fit"),
        ("    LDG.E R0, desc[UR4][R2.64+0x1000000] ;", "1:5", "offset 0x1000000 does not fit"),
        ("    FADD R1, R2, ~R3 ;", "1:5", "cannot have '~ or !'"),
        ("    [B9-----:R-:W-:-:S01] NOP ;", "1:6", "expected control codes"),
        ("    [B1-----:R-:W-:-:S01] NOP ;", "1:6", "in the place of barrier 0"),
        ("    NOP ;\n    .bytes 00112233", "2:5", "4 bytes are not whole instructions of 16"),
        ("    BRA `(.L_nowhere) ;", "1:5", "label '.L_nowhere' is not defined"),
        (".L_1:\n.L_1:\n", "2:1", "defined twice"),
        (".what 3", "1:1", "unknown directive '.what'"),
        (".function f, kernel", "1:1", "entry|device"),
        (".function f, entry\n.param 0, offset 0x10, size 888888888888888888888", "2:1", "is not between 0 and 65536"),
        ("    LDC R1, c[0x0][0x28] .reuse ;", "1:5", "an operand is missing"),
        ("    HADD2 R1, R2, 1 ;", "1:5", "a pair of halves is two numbers"),
        (".target sm_80", "1:1", "the listing is for sm_80"),
        ("    NOP ;  {nosuch=0x1}", "1:5", "no hidden field 'nosuch'"),
        ("    LDG.E R0, [R2.64+UR] ;", "1:15", ""),
    ],
)
def test_errors_have_a_place(text: str, place: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        sass.assemble(text, SM_90)
    rendered = str(caught.value)
    assert message in rendered
    assert f"<sass>:{place.split(':')[0]}:" in rendered
    assert "^" in rendered


def test_several_errors_are_reported_at_once() -> None:
    with pytest.raises(CompileError) as caught:
        sass.assemble("FOO ;\nNOP ;\nBAR.NOPE 0x0 ;\n", SM_90)
    assert len(caught.value.diagnostics) == 2


def whole_program() -> Program:
    """A program that uses every directive."""
    words = [v.word for v in vectors() if v.arch == "sm_90a" and "BR" not in v.text and "`" not in v.text][:400]
    code = b"".join(w.to_bytes(16, "little") for w in words)
    function = Function(
        "k<float>(int)", code, True, 40, 2, 2048, 32, 16, 24, [Param(0, 0, 8), Param(1, 8, 4)], 12,
        (256, 1, 1), (32, 2, 1), 2, 64,
        [Relocation(16, "R_CUDA_ABS32_LO_32", "g h", 4)], ["vprintf"],
        [Line(0, "a b.k", 3, 7), Line(32, "x.k", 4, 1, (("y.k", 9, 2, "f"),))],
        b"\1\2\3", {"$k$f": 64, "odd": 0x1000}, {"CTA_PER_CLUSTER": (2, 1, 1), "FLAG": True, "RAW": b"\xff"},
    )  # fmt: skip
    tables = [
        Variable("g h", "global", 8, 8, b"\0" * 8, [Relocation(0, "R_CUDA_64", "t")], 0),
        Variable("t", "constant", 3, 1, b"abc"),
    ]
    return Program(
        "sm_90", [function, Function("dev", b"", False)], tables, ["vprintf"], ["g h"], True, (8, 8), 80, b"\0\1"
    )


def test_every_directive_comes_back() -> None:
    program = whole_program()
    assert sass.assemble(sass.disassemble(program), SM_90) == program


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 32))
@example(seed=14748621)  # .target sm"90
def test_damaged_listings_assemble_or_say_where(seed: int) -> None:
    rng = random.Random(seed)
    lines = _LISTING[:]
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        text = lines[at]
        if text:
            cut = rng.randrange(len(text))
            lines[at] = (
                text[:cut] + rng.choice(["", "x", "[", "}", '"', ",", "0x", "`("]) + text[cut + rng.randint(0, 3) :]
            )
    try:
        sass.assemble("\n".join(lines), SM_90)
    except CompileError as error:
        assert "<sass>:" in str(error)


_LISTING = sass.disassemble(whole_program()).split("\n")[:90]


@settings(max_examples=200, deadline=None)
@given(
    stall=st.integers(0, 15), yields=st.booleans(), wbar=st.sampled_from([0, 1, 5, 7]), rbar=st.sampled_from([0, 3, 7]),
    wait=st.integers(0, 63),
)  # fmt: skip
def test_control_text(stall: int, yields: bool, wbar: int, rbar: int, wait: int) -> None:
    control = Control(stall, yields, wbar, rbar, wait)
    assert parse_control(control_text(control)) == control


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200))
def test_objdump_of_anything(data: bytes) -> None:
    for head in (b"", b"\x7fELF\x02\x01\x01", bytes.fromhex("50ed55ba01001000")):
        try:
            images_of(head + data, "x", "x")
        except CompileError:
            continue


@pytest.mark.parametrize("words", [["-nosuch", "x"], [], ["-arch"], ["/nonexistent/file"]])
def test_objdump_bad_usage(words: list[str]) -> None:
    with pytest.raises(CompileError):
        objdump.main(words)
