"""What is legal PTX: forms of instructions, legal and not, put together at random, judged by NVIDIA's ptxas."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from minicc import arch, ptx
from minicc.diagnostics import SourceFile
from minicc.ptx.verify import verify
from tests.conftest import needs_ptxas
from tests.ptx.judge import refused_by_nvidia

HEAD = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %fd<8>;
"""
INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"]
REGISTER = {
    **dict.fromkeys(["u8", "s8", "u16", "s16", "b16", "f16", "bf16"], "%h"),
    **dict.fromkeys(["u32", "s32", "b32", "f16x2", "bf16x2", "u16x2", "s16x2"], "%r"),
    **dict.fromkeys(["u64", "s64", "b64"], "%rd"),
    "f32": "%f",
    "f64": "%fd",
}
ALL = [*REGISTER]
ROUNDS = ["", ".rn", ".rz", ".rm", ".rp"]
COMPARES = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split()


def operands(*types: str) -> str:
    return ", ".join(f"{REGISTER[t]}{n}" for n, t in enumerate(types, 1))


def forms(seed: int) -> Iterator[str]:
    """A few hundred instructions."""
    draw = random.Random(seed)
    pick = draw.choice
    for _ in range(60):
        t = pick(FLOATS)
        more = pick(ROUNDS) + pick(["", ".ftz"]) + pick(["", "", ".sat", ".relu"])
        yield f"{pick(['add', 'sub', 'mul'])}{more}.{t} {operands(t, t, t)};"
        if not t.startswith("bf") or more[:3] in ("", ".rn"):  # it takes others, and computes in f16
            yield f"fma{more}.{t} {operands(t, t, t, t)};"
        more = pick(["", ".ftz"]) + pick(["", ".NaN"]) + pick(["", ".xorsign.abs", ".abs"])
        yield f"{pick(['min', 'max'])}{more}.{t} {operands(t, t, t)};"
        t = pick(ALL)
        more = f".{pick(COMPARES)}" + pick(["", "", ".ftz"])
        yield f"setp{more}.{t} {operands('b32', t, t).replace('%r1', '%p1')};"
        d = pick(["u32", "s32", "f32", "f16", "bf16", "u16"])
        yield f"set{more}.{d}.{t} {operands(d, t, t)};"
        t, d = (pick([*INTEGERS, "f16", "bf16", "f32", "f64"]) for _ in range(2))
        how = pick(["", *ROUNDS, ".rni", ".rzi", ".rmi", ".rpi"])
        more = pick(["", "", ".ftz", ".sat", ".ftz.sat", ".relu", ".satfinite"])
        yield f"cvt{how}{more}.{d}.{t} {operands(d, t)};"
        t = pick(ALL)
        op = pick(["add", "min", "max", "inc", "and", "xor", "exch", "add.noftz", "min.noftz"])
        yield f"atom{pick(['', '.global'])}.{op}.{t} {REGISTER[t]}1, [%rd2], {REGISTER[t]}3;"
        t = pick(["u16", "s16", "u32", "s32", "u64", "s64", "s16x2"])
        yield f"{pick(['add.sat', 'min.relu', 'sub.sat', 'add', 'min'])}.{t} {operands(t, t, t)};"
        yield f"mad.{pick(['lo', 'hi'])}{pick(['', '.sat', '.cc'])}.{t} {operands(t, t, t, t)};"


@needs_ptxas
@pytest.mark.parametrize("seed", [1, 2])
def test_ptxas_takes_and_refuses_the_same(seed: int, tmp_path: Path) -> None:
    lines = list(dict.fromkeys(forms(seed)))
    refused = refused_by_nvidia(
        lines, tmp_path, lambda some: HEAD + "\n".join(some) + "\nret;\n}\n", HEAD.count("\n") + 1
    )
    assert 0.2 < len(refused) / len(lines) < 0.95
    machine = arch.get("sm_90a")
    for n, line in enumerate(lines):
        module = ptx.parse(SourceFile("k.ptx", HEAD + line + "\nret;\n}\n"))
        assert bool(verify(module, machine)) == (n in refused), line
