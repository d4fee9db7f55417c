"""Where in the code the labels of debug sections are: at the first instruction of what stands there or behind."""

from __future__ import annotations

import random

from minicc.ptx import model as ptx
from minicc.ptxas.dwarf import SIZE, Places, located
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
