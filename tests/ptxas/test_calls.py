"""Real calls on the SM model: right under every twin, silent for the checker, and loaded as nvcc's are."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from minicc import arch, binary, sass
from minicc.ptxas.control.check import check
from minicc.sass.instr import Reg
from minicc.sass.program import Function, Program
from tests.conftest import nvidia_assembles
from tests.ptxas.calls import EXPECTED, HEAD, MODULE, call, kernel
from tests.ptxas.lower.harness import assemble, device

THREADS = 96
TWINS = [
    {},
    {"inline": "never"},
    {"inline": "never", "sched": "serial"},
    {"inline": "never", "ra": "spill-all"},
    {"inline": "never", "opt_level": 0},
    {"inline": "never", "max_registers": 24},
    {"inline": "never", "max_registers": 32},
]


def run(cubin: bytes) -> None:
    loaded = device().load(cubin)
    for name, value in EXPECTED.items():
        out = np.zeros(THREADS, np.uint32)
        loaded[name][(2,), (THREADS // 2,)](out, np.uint32(THREADS))
        assert out.tolist() == [value(i) for i in range(THREADS)], name


def keeps_barriers(function: Function) -> None:
    """Convergence barriers that a call may change are not set where there are calls; those that it may not change are
    saved and restored without a write barrier that nothing would release. (The model forgives both; a GPU hangs.)"""
    machine = arch.get("sm_90")
    words = [int.from_bytes(function.code[at : at + 16], "little") for at in range(0, len(function.code), 16)]
    code = [sass.decode(word, machine, 16 * n) for n, word in enumerate(words)]
    starts = sorted({0, *(at // 16 for at in function.labels.values()), len(code)})
    for start, end in pairwise(starts):
        body = code[start:end]
        barriers = {
            o.index for i in body if i.mnemonic == "BSSY" for o in i.operands if isinstance(o, Reg) and o.file == "B"
        }
        if any(i.mnemonic == "CALL" for i in body):
            assert min(barriers, default=6) >= 6
        moves = [i for i in body if i.mnemonic == "BMOV"]
        assert start == 0 or {o.index for i in moves for o in i.operands if o.file == "B"} == {
            b for b in barriers if b > 5
        }
        assert all(i.control.wbar == 7 for i in moves if i.operands[0].file == "B")


@pytest.mark.parametrize("options", TWINS, ids=str)
def test_calls(options: dict[str, object]) -> None:
    program = assemble(MODULE, verify=True, **options)
    assert isinstance(program, Program)
    for function in program.functions:
        assert not check(function.code, arch.get("sm_90")), function.name
        keeps_barriers(function)
    run(binary.write_cubin(program))


def test_nvidia_agrees(tmp_path: Path) -> None:
    """ptxas takes the same text, and the model gives the same for its code."""
    run(nvidia_assembles(MODULE, tmp_path))


def test_stack() -> None:
    """What is known of the stack is said; where functions recurse, the frames on the way in and a share."""
    program = assemble(MODULE, inline="never")
    assert isinstance(program, Program)
    assert program.function("arrays").min_stack >= 64
    assert program.function("arrays").min_stack == program.function("arrays").frame
    fibonacci = program.function("fibonacci")
    assert fibonacci.min_stack == fibonacci.frame + 1024
    again = binary.read_cubin(binary.write_cubin(program), "again")
    assert set(again.function("pointers").labels) == {
        f"$pointers${name}" for name in ("twice", "square", "sum", "pair")
    }


def _chain(depth: int) -> str:
    """Functions of which each calls the one before."""
    text = HEAD + ".func (.param .b32 ret) f0(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r0, [x]; "
    text += "st.param.b32 [ret], %r0; ret; }\n"
    for k in range(1, depth):
        text += f".func (.param .b32 ret) f{k}(.param .b32 x) {{ .reg .b32 %r<3>; ld.param.u32 %r0, [x]; "
        text += f"mad.lo.u32 %r0, %r0, 3, {k}; {call('%r1', f'f{k - 1}', '%r0')} st.param.b32 [ret], %r1; ret; }}\n"
    return text + kernel("deep", call("%r10", f"f{depth - 1}", "%r0"))


def test_calls_in_calls() -> None:
    """However deep they are: some are real then, and how much stack they take is known."""
    depth = 400
    program = assemble(_chain(depth))
    out = np.zeros(THREADS, np.uint32)
    loaded = device().load(binary.write_cubin(program))
    loaded["deep"][(2,), (THREADS // 2,)](out, np.uint32(THREADS))
    value = np.arange(THREADS, dtype=np.uint32)
    for k in range(depth - 1, 0, -1):
        value = value * np.uint32(3) + np.uint32(k)
    assert (out == value).all()
    real = assemble(_chain(depth), inline="never", opt_level=0).functions[0]
    assert len(real.labels) == depth and real.frame == real.attributes["LOCAL_FRAMES"]["$deep$f399"] > depth


@pytest.mark.parametrize(("calls", "real"), [(2, False), (40, True)])
def test_what_many_call_is_not_copied_for_each(calls: int, real: bool) -> None:
    body = "".join(f"mad.lo.u32 %r0, %r0, %r0, {k}; " for k in range(60))
    text = HEAD + ".func (.param .b32 ret) f(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r0, [x]; "
    text += body + "st.param.b32 [ret], %r0; ret; }\n" + kernel("many", call("%r10", "f", "%r0") * calls)
    code = assemble(text).functions[0].code
    words = [int.from_bytes(code[at : at + 16], "little") for at in range(0, len(code), 16)]
    found = sum(sass.decode(word, arch.get("sm_90")).mnemonic == "CALL" for word in words)
    assert found == (calls if real else 0)


ALIGNED = f"""
.func (.param .b32 ret) below(.param .b32 x)
{{
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<5>; .local .align ALIGN .b8 room[ALIGN];
    ld.param.u32 %r1, [x]; mov.u64 %rd1, room; st.local.v4.u32 [%rd1], {{%r1, %r1, %r1, %r1}}; mov.u32 %r2, 0;
    setp.eq.u32 %p, %r1, 0; @%p bra end; sub.u32 %r3, %r1, 1; {call("%r2", "below", "%r3")}
end:
    cvta.local.u64 %rd2, %rd1; cvt.u32.u64 %r4, %rd2; and.b32 %r4, %r4, ALIGN - 1; add.u32 %r2, %r2, %r4;
    ld.local.u32 %r5, [%rd1+12]; sub.u32 %r5, %r5, %r1; add.u32 %r2, %r2, %r5; st.param.b32 [ret], %r2; ret;
}}
""" + kernel(
    "aligned",
    """.local .b8 odd[20]; mov.u64 %rd4, odd; st.local.u32 [%rd4], %r0; and.b32 %r4, %r0, 3; mul.wide.u32 %rd1, %r4, 8;
    alloca.u64 %rd2, %rd1; """
    + call("%r10", "below", "%r4")
    + " ld.local.u32 %r5, [%rd4]; sub.u32 %r5, %r5, %r0; add.u32 %r10, %r10, %r5;",
)


@pytest.mark.parametrize("align", [16, 32, 128])
def test_frames_are_as_aligned_as_what_lies_in_them(align: int) -> None:
    """In whatever the caller keeps in its own frame and takes below it."""
    for options in TWINS[1:3]:
        program = assemble(HEAD + ALIGNED.replace("ALIGN", str(align)), verify=True, **options)
        for function in program.functions:
            assert not check(function.code, arch.get("sm_90"))
        out = np.ones(THREADS, np.uint32)
        device().load(binary.write_cubin(program))["aligned"][(2,), (THREADS // 2,)](out, np.uint32(THREADS))
        assert not out.any()
