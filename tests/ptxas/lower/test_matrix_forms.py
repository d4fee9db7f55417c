"""Products of matrices: forms put together at random, legal and not, judged by NVIDIA's ptxas."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from minicc import arch, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptx.verify import verify
from minicc.ptxas.options import Options
from tests.conftest import needs_ptxas
from tests.ptx.judge import refused_by_nvidia

HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<300>; .reg .f32 %f<300>; .reg .b64 %d<9>; .reg .f64 %e<99>;"
FAMILIES = (("f16",), ("bf16",), ("tf32",), ("f64",), ("s8", "u8"), ("s4", "u4"), ("b1",), ("e4m3", "e5m2"))
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8}
SUMS = {"f16": "f16 f32", "bf16": "f32", "tf32": "f32", "f64": "f64", "e4m3": "f32 f16", "e5m2": "f32 f16"}
SHAPES = "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256".split()


def registers(kind: str, elements: int, first: int) -> str:
    """A fragment with so many elements of a type."""
    letter, count = {"f64": ("e", elements), "f32": ("f", elements), "s32": ("r", elements)}.get(
        kind, ("r", max(1, elements * BITS.get(kind, 32) // 32))
    )
    return "{" + ",".join(f"%{letter}{first + i}" for i in range(count)) + "}"


def warp(draw: random.Random) -> str:
    """mma.sync, dense or sparse."""
    family, shape = draw.choice(FAMILIES), draw.choice(SHAPES)
    a, b = draw.choice(family), draw.choice(family if draw.random() < 0.9 else draw.choice(FAMILIES))
    d = draw.choice(SUMS.get(a, "s32").split())
    c = d if draw.random() < 0.8 else draw.choice(SUMS.get(a, "s32").split())
    m, n, k = (int(x) for x in re.findall(r"\d+", shape))
    sparse = draw.choice(["", "", "", ".sp", ".sp::ordered_metadata"])
    layout = draw.choice(["row.col"] * 6 + ["row.row", "col.col", "col.row"])
    saturate = draw.choice(["", "", "", ".satfinite", ".kind::f8f6f4"])
    bits = draw.choice([".xor.popc", ".and.popc"]) if a == "b1" else ""
    quad = 4 if shape == "m8n8k4" and a == "f16" else 1
    of_a = m * k // 32 * quad // (2 if sparse else 1) // (2 if quad == 4 else 1)
    fragments = [
        registers(d, m * n // 32 * quad, 0), registers(a, max(of_a * (2 if quad == 4 else 1), 1), 20),
        registers(b, max(n * k // 32 * quad, 1), 40), registers(c, m * n // 32 * quad, 60),
    ]  # fmt: skip
    tail = f", %r90, {draw.randrange(4)}" if sparse else ""
    name = f"mma{sparse}.sync.aligned.{shape}.{layout}{saturate}.{d}.{a}.{b}.{c}{bits}"
    return f"{name} {', '.join(fragments)}{tail};"


def group(draw: random.Random) -> str:
    """wgmma.mma_async, dense or sparse."""
    family = draw.choice([f for f in FAMILIES if f[0] not in ("f64", "s4")])
    a, b = draw.choice(family), draw.choice(family if draw.random() < 0.9 else draw.choice(FAMILIES))
    d = draw.choice(SUMS.get(a, "s32").split()) if draw.random() < 0.9 else draw.choice(["f16", "f32", "s32"])
    sparse = draw.choice(["", "", ".sp"])
    n, k = draw.choice([8, 16, 24, 40, 64]), 256 // BITS[a] * (2 if sparse else 1)
    k = k if draw.random() < 0.95 else draw.choice([8, 16, 32])
    own = draw.random() < 0.4
    halves, floats = a in ("f16", "bf16"), a[0] in "ftbe" and a != "b1"
    numbers = [draw.choice(["1", "-1"]) for _ in range(2 if floats else 0)]
    numbers += [draw.choice("01") for _ in range((1 if own else 2) if halves else 0)]
    if draw.random() < 0.15:
        numbers = draw.choice([numbers[:-1], [*numbers, "0"], ["2", *numbers[1:]]])
    operands = [registers(d, n // 2, 0), "{%r200,%r201,%r202,%r203}" if own else "%d1", "%d2"]
    operands += ["%r90", draw.choice("0012")] if sparse else []
    operands += [draw.choice(["%p1", "1", "0", "2"] if draw.random() < 0.2 else ["%p1", "1"]), *numbers]
    saturate = draw.choice(["", "", "", ".satfinite", ".kind::f8f6f4"]) if d == "s32" else ""
    tail = ".and.popc" if a == "b1" else ""
    return f"wgmma.mma_async{sparse}.sync.aligned.m64n{n}k{k}{saturate}.{d}.{a}.{b}{tail} {', '.join(operands)};"


def forms(seed: int) -> Iterator[str]:
    draw = random.Random(seed)
    for _ in range(120):
        yield warp(draw)
        yield group(draw)
    yield from ("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned 0;", "wgmma.commit_group.sync.aligned 1;")


def module(lines: list[str]) -> str:
    return HEAD + "".join(f".entry k{n}() {{ {REGISTERS}\n{line}\nret; }}\n" for n, line in enumerate(lines))


def wrong(line: str) -> str:
    machine = arch.get("sm_90a")
    parsed = ptx.parse(SourceFile("k.ptx", module([line])))
    found = verify(parsed, machine)
    if found:
        return found[0].message
    try:
        ptxas.assemble(parsed, machine, Options())
    except CompileError as error:
        return str(error)
    return ""


@needs_ptxas
@pytest.mark.parametrize("seed", [1, 2])
def test_ptxas_takes_and_refuses_the_same(seed: int, tmp_path: Path) -> None:
    lines = list(dict.fromkeys(forms(seed)))
    refused = refused_by_nvidia(lines, tmp_path, module, 5, 3, "-O0")
    assert 0.3 < len(refused) / len(lines) < 0.9
    for n, line in enumerate(lines):
        found = wrong(line)
        assert bool(found) == (n in refused), (line, found)
