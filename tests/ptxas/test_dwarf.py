"""Where in the code the labels of debug sections are: at the first instruction of what stands there or behind."""

from __future__ import annotations

import random

import pytest

from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx import model as ptx
from minicc.ptx import parse
from minicc.ptxas.dwarf import SIZE, Places, located, sections
from minicc.ptxas.lines import names
from minicc.ptxas.mir import Block, MFunction, MInst


def test_labels_are_at_the_first_instruction_of_what_follows() -> None:
    """Of two functions, whatever the scheduler has made of their order."""
    rng = random.Random(2)
    functions, origin = [], []
    expected: dict[str, tuple[str, int]] = {}
    for name in "fg":
        statements = [ptx.Inst("add", (), ()) for _ in range(40)]
        insts = [MInst("IADD3", ptx=rng.choice([*statements[:30], None])) for _ in range(60)]
        start = len(origin) * SIZE
        labels = {f"{name}{at}": at for at in range(0, 45, 3)}
        order = {id(s): n for n, s in enumerate(statements)}
        for label, at in labels.items():
            behind = [n for n, i in enumerate(insts) if i.ptx is not None and order[id(i.ptx)] >= at]
            expected[label] = "code", start + SIZE * (min(behind, default=len(insts)) if at else 0)
        function = MFunction(name, name == "f")
        function.blocks = [Block("a", insts[:25]), Block("b", insts[25:])]
        function.places = Places(order, labels)
        functions.append(function)
        origin += insts
    assert located(functions, origin) == expected


HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.section .debug_x { "


def test_a_number_ends_before_a_name() -> None:
    with pytest.raises(CompileError, match="syntax error"):
        parse(SourceFile("k.ptx", HEAD + ".b8 1110d7ff0000000000000117 }\n"))


def test_names_of_inlined_functions() -> None:
    """The bytes of a string in decimal, octal or hexadecimal; what is none of these is not there."""
    assert names([".section .debug_str { L: .b8 102, 0x6f, 0157, 089, 0 }"]) == {"L": "foo"}


def test_numbers_of_a_section() -> None:
    module = parse(SourceFile("d.ptx", HEAD + ".b8 002, 0x1f, -1, 300 .b16 -2 .b32 name+010 }"))
    assert sections(module.sections, [], [])[".debug_x"].data == bytes.fromhex("021fff2cfeff08000000")


@pytest.mark.parametrize("text", [".b8 1.5", ".b8 09", ".b8 1e5", ".b8 0f3f800000"])
def test_no_other_numbers(text: str) -> None:
    with pytest.raises(CompileError, match="expected an integer"):
        parse(SourceFile("d.ptx", HEAD + text + " }"))
