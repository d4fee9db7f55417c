"""Constants that stand first in a compare or a choice are operands, too: the other way round, with the same results."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import minicc
import runtime
from minicc import arch
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.sass.instr import Const, Imm

COMPARES = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
TYPES = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}
VALUES = (0, 1, 41, 42, 43, (1 << 31) - 1, -1, -42, 42 << 32, (42 << 32) - 1, (42 << 32) + 1)
LIMIT = 42


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("compare", COMPARES)
def test_values(compare: str, type_: str) -> None:
    text = f"""
extern "C" __global__ void k(const {type_} *a, int *b, {type_} n)
{{
    {type_} x = a[threadIdx.x];
    b[2 * threadIdx.x] = n {compare} x ? 17 : (int)x;
    b[2 * threadIdx.x + 1] = x {compare} n ? (int)x + 1 : -3;
}}"""
    code, device = built(text)
    assert not any(moved(inst, Const) for inst in code)
    kind: Any = TYPES[type_]
    a, b = (
        np.array([v % (1 << 8 * kind().itemsize) for v in VALUES], f"u{kind().itemsize}").view(kind),
        np.zeros(22, "i4"),
    )
    result = device["k"][(1, 1, 1), (len(a), 1, 1)](a, b, kind(LIMIT))
    assert not result.hazards
    holds = COMPARES[compare]
    for n, x in enumerate(a):
        low = int(x) & 0xFFFFFFFF
        low -= low >> 31 << 32
        assert b[2 * n] == (17 if holds(LIMIT, int(x)) else low)
        assert b[2 * n + 1] == np.int64(low + 1).astype("i4") if holds(int(x), LIMIT) else -3


@pytest.mark.parametrize(("first", "second"), [(123, 0), (0, 123)])
def test_two_constants(first: int, second: int) -> None:
    """One of two constants that are chosen between is an operand, whichever it is."""
    choice = f"a[threadIdx.x] > 9 ? {first} : {second}"
    code, device = built(f'extern "C" __global__ void k(const int *a, int *b) {{ b[threadIdx.x] = {choice}; }}')
    assert not any(moved(inst, Imm) and Imm(123) in inst.operands for inst in code)
    a, b = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    device["k"][(1, 1, 1), (32, 1, 1)](a, b)
    assert b.tolist() == [first if v > 9 else second for v in range(32)]


def built(text: str) -> tuple[list[Any], Any]:
    """The instructions of a kernel `k`, and a device that holds it."""
    image = minicc.compile(SourceFile("k.k", text), arch="sm_90", options="-Xptxas --verify-passes").cubin
    code = instructions(read_cubin(image, "k").functions[0].code, arch.get("sm_90"))
    return list(code), runtime.Device("sm_90", hazards="report").load(image)


def moved(inst: Any, kind: type) -> bool:
    """Whether an instruction only brings a constant of a kind."""
    return (
        inst.mnemonic in ("MOV", "IMAD")
        and "MOV" in (inst.mnemonic, *inst.modifiers)
        and any(isinstance(s, kind) for s in inst.operands)
    )
