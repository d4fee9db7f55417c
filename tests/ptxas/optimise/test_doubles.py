"""Operands of double instructions: signs, immediates, constant bank, uniform registers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime
from minicc import sass
from minicc.binary import write_cubin
from minicc.ptxas import Options
from minicc.ptxas.control import check
from minicc.ptxas.mir import Block, MFunction, MInst, V
from minicc.ptxas.registers import allocate
from minicc.ptxas.verify import verify
from minicc.sass.instr import Const, Imm, Instr, Reg
from tests.ptxas.conftest import ARCH, assemble

HEAD = """.version 8.8
.target sm_90
.address_size 64
"""
KERNEL = """.visible .entry k(.param .u64 out, .param .f64 a, .param .f64 b, .param .u32 n)
{
.reg .b64 %rd<4>; .reg .f64 %f<99>; .reg .pred %p<9>; .reg .b32 %r<9>;
ld.param.u64 %rd0, [out]; ld.param.f64 %f0, [a]; ld.param.f64 %f1, [b]; ld.param.u32 %r0, [n];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8; add.u64 %rd2, %rd0, %rd1; ld.global.f64 %f2, [%rd2];
"""
THREE = "".join(
    f"fma.rn.f64 %f{k + 3}, %f{k + 2}, %f{k + 2}, 0d3FD555555555555{k + 5};" for k in range(3)
) + "mov.f64 %f9, %f5;"  # fmt: skip
WITHOUT = frozenset({"doubles"})


def code(body: str, text: str = HEAD + KERNEL, **words: object) -> list[Instr]:
    """The machine code of a body of PTX, found right by the checker."""
    program = assemble(text + body + "st.global.f64 [%rd2], %f9; ret; }\n", Options(**words))  # type: ignore[arg-type]
    assert not check.check(program.functions[0].code, ARCH)
    return sass.decode_all(program.functions[0].code, ARCH)


def counts(instrs: list[Instr]) -> Counter[str]:
    return Counter(i.mnemonic for i in instrs)


def test_forms() -> None:
    """A sign, an immediate, a parameter, a constant: each is an operand, and one instruction for each remains."""
    for body, operand in (
        ("abs.f64 %f3, %f2; neg.f64 %f4, %f3; add.f64 %f9, %f4, %f2;", "-|R"),
        ("mov.f64 %f3, 0d4008000000000000; mul.f64 %f9, %f2, %f3;", " 3"),
        ("mul.f64 %f9, %f0, %f2;", "c[0x0][0x218]"),
        ("neg.f64 %f3, %f0; fma.rn.f64 %f9, %f2, %f2, %f3;", "-c[0x0][0x218]"),
        ("fma.rn.f64 %f9, %f2, %f2, 0d3FD5555555555555;", " UR"),
        ("fma.rn.f64 %f3, %f2, %f2, 0d3FD5555555555555; fma.rn.f64 %f9, %f3, %f3, 0dBFD5555555555555;", "-UR"),
        (THREE, " c[0x2][0x8]"),
        (THREE + "fma.rn.f64 %f9, %f5, %f5, 0dBFD5555555555555;", "-c[0x2][0x0]"),
    ):
        doubles = [sass.format(i) for i in code(body) if i.mnemonic in ("DADD", "DMUL", "DFMA")]
        assert any(operand in text for text in doubles), (body, doubles)


def test_registers_of_a_polynomial() -> None:
    """Constants that are wanted once and again: none is in a general register, and each is in the bank once."""
    steps = "mov.f64 %f9, %f2;" + "".join(
        f"fma.rn.f64 %f9, %f9, %f2, 0d3FD55555555555{k % 5:02X};" for k in range(30)
    )  # fmt: skip
    with_, without = counts(code(steps)), counts(code(steps, disable=WITHOUT))
    places = {o.offset for i in code(steps) for o in i.operands if isinstance(o, Const) and o.bank == 2}
    assert places == set(range(0, 40, 8)) and with_["MOV"] + with_["IMAD"] < without["MOV"] + without["IMAD"] - 8


def test_made_before_the_loop() -> None:
    body = """mov.f64 %f9, %f2; mov.u32 %r2, 0;
    L: fma.rn.f64 %f9, %f9, %f2, 0d3FD5555555555555; fma.rn.f64 %f9, %f9, %f2, 0d3FD5555555555556;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra L;
    """
    instrs = code(body)
    assert max(n for n, i in enumerate(instrs) if i.mnemonic == "UMOV") < min(
        n for n, i in enumerate(instrs) if i.mnemonic == "DFMA"
    )


def test_calls() -> None:
    """What lives across a call is no uniform register that the callee may change."""
    callee = HEAD + ".func (.param .f64 r) g(.param .f64 x) { .reg .f64 %f<9>; ld.param.f64 %f0, [x];\n"
    callee += "".join(f"fma.rn.f64 %f0, %f0, %f0, 0d3FD55555555555{k:02X};" for k in range(40))
    callee += "st.param.f64 [r], %f0; ret; }\n"
    call = "{ .param .f64 x; .param .f64 r; st.param.f64 [x], %f2; call.uni (r), g, (x); ld.param.f64 %f9, [r]; }"
    constant = "fma.rn.f64 %f2, %f2, %f2, 0d3FD5555555555555;"
    body = constant + call + "mov.f64 %f2, %f9;" + constant + "mov.f64 %f9, %f2;"
    instrs = code(body, callee + KERNEL, inline="never")
    start = next(n for n, i in enumerate(instrs) if i.mnemonic == "CALL")
    end = next(n for n, i in enumerate(instrs) if i.mnemonic == "EXIT")
    assert any(i.mnemonic == "UMOV" for i in instrs[start:end])
    numbers = [o.index for i in instrs[end:] if i.mnemonic == "UMOV" for o in i.operands if isinstance(o, Reg)]
    assert len(numbers) >= 40 and max(numbers) < 36


def test_more_than_there_are() -> None:
    """Seventy constants at once: they are made again where they are read."""
    f = MFunction("k", True)
    x = V(f.new("R", 2), 0, 2)
    insts = [MInst("MOV", (), (V(x.reg, p),), (Imm(p),)) for p in (0, 1)]
    pairs = [V(f.new("UR", 2), 0, 2) for _ in range(70)]
    insts += [MInst("UMOV", (), (V(u.reg, p),), (Imm(7 * n + p),)) for n, u in enumerate(pairs) for p in (0, 1)]
    for _ in range(2):
        insts += [MInst("DFMA", (), (x,), (x, x, u)) for u in pairs]
    f.blocks = [Block("entry", [*insts, MInst("EXIT", side_effect=True)])]
    allocate.run(f, ARCH, Options())
    verify(f, "regalloc", allocated=True)
    held: dict[int, int] = {}
    wanted = [7 * n + p for _ in range(2) for n in range(70) for p in (0, 1)]
    found = []
    for inst in f.blocks[0].insts:
        if inst.mnemonic == "UMOV":
            (d,), (value,) = inst.dsts, inst.srcs
            assert isinstance(d, V) and isinstance(value, Imm)
            held[(d.reg.fixed or 0) + d.part] = value.bits
        elif inst.mnemonic == "DFMA":
            u = inst.srcs[2]
            assert isinstance(u, V)
            found += [held[(u.reg.fixed or 0) + p] for p in (0, 1)]
    assert found == wanted and len(held) <= 63


PLACES = [f"%f{k}" for k in range(9)]
VALUES = ["0d3FD5555555555555", "0dBFD5555555555555", "0d4000000000000000", "0d0000000000000000", "0d8000000000000000"]
SOURCES = st.sampled_from([*PLACES, *VALUES])
RESULTS = st.sampled_from(PLACES[2:])
STEPS = st.one_of(
    st.builds("{}.f64 {}, {};".format, st.sampled_from(["abs", "neg", "mov"]), RESULTS, SOURCES),
    st.builds("{}.rn.f64 {}, {}, {};".format, st.sampled_from(["add", "sub", "mul"]), RESULTS, SOURCES, SOURCES),
    st.builds("fma.rn.f64 {}, {}, {}, {};".format, RESULTS, SOURCES, SOURCES, SOURCES),
    st.builds("setp.{}.f64 %p1, {}, {};".format, st.sampled_from(["lt", "geu", "equ"]), SOURCES, SOURCES),
    st.builds("@{}%p1 mov.f64 {}, {};".format, st.sampled_from(["", "!"]), RESULTS, SOURCES),
    st.builds("selp.f64 {}, {}, {}, %p1;".format, RESULTS, SOURCES, SOURCES),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(STEPS, min_size=3, max_size=25), st.integers(0, 25), st.integers(0, 25))
def test_same_bits(steps: list[str], first: int, last: int) -> None:
    """With the pass and without, in straight code and in a loop, the same bits come out."""
    lines = [f"mov.f64 %f{k}, %f2;" for k in range(3, 9)] + ["setp.lt.f64 %p1, %f2, 0d0000000000000000;"]
    first, last = sorted((min(first, len(steps)), min(last, len(steps))))
    lines += ["mov.u32 %r2, 0;", *steps[:first], "L:", *steps[first:last]]
    lines += ["add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r0; @%p2 bra L;", *steps[last:], "mov.f64 %f9, %f8;"]
    for k in range(2, 8):
        lines.append(f"setp.num.f64 %p3, %f{k}, %f{k}; @%p3 add.f64 %f9, %f9, %f{k};")
    outputs = []
    for disabled in (frozenset[str](), WITHOUT):
        text = HEAD + KERNEL + "\n".join(lines) + "st.global.f64 [%rd2], %f9; ret; }\n"
        module = runtime.Device().load(write_cubin(assemble(text, Options(disable=disabled))))
        x = np.linspace(-2, 2, 32)
        module["k"][1, 32](x, 0.75, -1.25, 3)
        outputs.append(x.view(np.uint64))
    assert (outputs[0] == outputs[1]).all()


@pytest.mark.parametrize("words", [{"sched": "serial"}, {"ra": "spill-all"}, {"max_registers": 24}])
def test_with_the_twins(words: dict[str, object]) -> None:
    steps = "mov.u32 %r2, 0; mov.f64 %f9, %f2; L:"
    steps += "".join(f"fma.rn.f64 %f9, %f9, %f2, 0d3FD55555555555{k:02X};" for k in range(40))
    steps += "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra L;"
    made = code(steps, **words)
    banked = {o.offset for i in made for o in i.operands if isinstance(o, Const) and o.bank == 2}
    assert counts(made)["UMOV"] == 32 and len(banked) == 24


def test_where_there_is_no_bank() -> None:
    """A kernel with device functions has uniform registers everywhere: theirs may be a table in the bank."""
    call = ".func g() { ret; }\n" + KERNEL + "call.uni g, ();"
    steps = "mov.f64 %f9, %f2;" + "".join(f"fma.rn.f64 %f9, %f9, %f2, 0d3FD55555555555{k:02X};" for k in range(40))
    assert counts(code(steps, HEAD + call, inline="never"))["UMOV"] == 80
