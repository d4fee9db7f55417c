"""Products and sums without a rounding mode are contracted as NVIDIA's ptxas contracts them: the same bits."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from minicc import binary
from tests.conftest import PTXAS, needs_ptxas
from tests.ptxas.lower.harness import Case, assemble, device, module


def sequence(draw: random.Random, kind: str) -> str:
    """Some multiplications and additions over %a, %b, %c and each other's results; %d is made of what nothing uses."""
    bits = 32 if kind.endswith("32") else 64
    values = ["%a", "%b", "%c"]
    lines = [f".reg .{kind} %v<16>; .reg .b{bits} %x<17>;"]
    unused: dict[str, None] = {}
    for index in range(draw.randint(3, 9)):
        name = f"%v{index}"
        rounded = ["mul.rn", "add.rn"] if draw.random() < 0.2 else []
        opcode = draw.choice(["mul", "mul", "add", "add", "sub", "fma.rn", *rounded])
        operands = [draw.choice(values[-6:]) for _ in range(3 if opcode == "fma.rn" else 2)]
        lines.append(f"{opcode}.{kind} {name}, {', '.join(operands)};")
        for operand in operands:
            unused.pop(operand, None)
        unused[name] = None
        values.append(name)
    lines.append(f"mov.b{bits} %x0, 0;")
    for index, name in enumerate(unused):
        lines.append(f"mov.b{bits} %x15, {name}; xor.b{bits} %x{index + 1}, %x{index}, %x15;")
    return " ".join([*lines, f"mov.b{bits} %d, %x{len(unused)};"])


def bits(image: bytes, kind: str, count: int, names: list[str]) -> dict[str, list[int]]:
    """What each kernel makes of the same numbers."""
    loaded = device().load(image)
    numbers = np.random.default_rng(5)
    inputs = [numbers.uniform(-2, 2, count).astype(kind) for _ in range(3)]
    found = {}
    for name in names:
        out = np.zeros(count, "u4" if kind == "f4" else "u8")
        loaded[name][(1,), (128,)](*inputs, out, np.uint32(count))
        found[name] = out.tolist()
    return found


@pytest.mark.parametrize("kind", ["f32", "f64"])
@needs_ptxas
def test_contraction(kind: str, tmp_path: Path) -> None:
    """Sixty sequences, bit for bit."""
    draw = random.Random(f"contract {kind}")
    number = "f4" if kind == "f32" else "f8"
    cases = {f"k{i}": Case(sequence(draw, kind), (number,) * 3, "u4" if kind == "f32" else "u8") for i in range(60)}
    text = module(cases)
    (tmp_path / "k.ptx").write_text(text)
    subprocess.run([PTXAS, "-arch=sm_90", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k.cubin")], check=True)
    ours = bits(binary.write_cubin(assemble(text)), number, 64, list(cases))
    theirs = bits((tmp_path / "k.cubin").read_bytes(), number, 64, list(cases))
    assert [cases[name].text for name in cases if ours[name] != theirs[name]] == []
