"""What has semantics, and that compiling never loads them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minicc import arch
from minicc.sass import semantics
from tests.runtime.device.sm.execute import forms
from tests.sass.semantics.text import parse

ARCH = arch.get("sm_90")


def test_compiling_does_not_load_semantics() -> None:
    text = "import sys, minicc.driver, minicc.sass, minicc.ptxas; print('minicc.sass.semantics' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_forms_are_shared_between_registers_and_not_between_kinds() -> None:
    a = semantics.lookup(parse("FFMA R4, R5, R6, R7"), ARCH)
    assert a is semantics.lookup(parse("FFMA R40, R50, R60, R70"), ARCH)
    assert a is not semantics.lookup(parse("FFMA R4, R5, -R6, R7"), ARCH)
    assert a is not semantics.lookup(parse("FFMA.FTZ R4, R5, R6, R7"), ARCH)
    assert a is not semantics.lookup(parse("FFMA R4, R5, UR6, R7"), ARCH)
    based = semantics.lookup(parse("LDS R4, [R8+0x10]"), ARCH)
    assert based is not semantics.lookup(parse("LDS R4, [RZ+0x10]"), ARCH)
    assert based is not semantics.lookup(parse("LDS R4, [R8+UR4+0x10]"), ARCH)
    assert based is semantics.lookup(parse("LDS R40, [R80+0x30]"), ARCH)
    lut = semantics.lookup(parse("LOP3.LUT R4, R5, R6, R7, 0x80, !PT"), ARCH)
    assert lut is not semantics.lookup(parse("LOP3.LUT R4, R5, R6, R7, 0x96, !PT"), ARCH)


def test_an_uncovered_form_is_named() -> None:
    with pytest.raises(semantics.Unsupported, match="SUATOM"):
        semantics.lookup(parse("SUATOM.D.2D.ADD.STRONG.SM.TRAP R4, [R8], R6, UR4, 0x0"), ARCH)
    with pytest.raises(semantics.Unsupported, match=r"IADD3.64"):
        semantics.lookup(parse("IADD3.64 R4, P1, R8, R10, R12"), ARCH)


def test_every_mnemonic_with_semantics_is_tested() -> None:
    text = "".join(
        (
            forms.INTEGER,
            forms.LOGIC,
            forms.SINGLE,
            forms.DOUBLE,
            forms.CONVERT,
            forms.MUFU,
            "\n",
            forms.HALF,
            forms.UNIFORM,
            forms.CROSS,
            forms.MEMORY,
            forms.TENSOR,
        )
    )
    tested = {line.split()[0].split(".")[0] for line in forms.lines(text)}
    assert set(semantics.SEMANTICS) - tested == set()


def test_every_declared_instruction_is_accounted_for() -> None:
    from minicc.sass.isa import ROWS

    declared = {row.mnemonic for row in ROWS}
    groups = (set(semantics.SEMANTICS), semantics.CONTROL, semantics.UNCOVERED)
    assert declared - set().union(*groups) == set()
    for i, a in enumerate(groups):
        for b in groups[i + 1 :]:
            assert not a & b


def test_any_word_that_decodes_has_semantics_or_says_so() -> None:
    """Random fields under every declared opcode: `Unsupported` is the only way out, and every form lowers to LLVM."""
    import random

    from minicc.diagnostics import CompileError
    from minicc.sass.codec import decode
    from minicc.sass.isa import ROWS
    from runtime.device.sm.execute import codegen, codegen_llvm

    rng = random.Random(7)
    bound = refused = 0
    for row in ROWS:
        for _ in range(6):
            word = rng.getrandbits(128) & ~0xFFF | rng.choice((0, 0x200, 0x400, 0x600, 0x800)) | row.opcode & 0xFFF
            try:
                instr = decode(word, ARCH)
            except CompileError:
                continue
            try:
                found = codegen.bind(instr, ARCH)
            except semantics.Unsupported:
                refused += 1
                continue
            bound += 1
            if found.form is not None:
                assert codegen_llvm.lower(found.form, "f").startswith(("define", "@"))
    assert bound > 200
    assert refused > 20
