"""Loops whose rounds are made together: the same results for every count, and fewer waits where it is worth it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import runtime
from minicc import sass
from minicc.binary import write_cubin
from minicc.ptxas import Options
from tests.ptxas.conftest import ARCH, assemble, checked

KERNEL = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .s32 from, .param .s32 to)
{
.reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<5>;
ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [y]; ld.param.u32 %r0, [from]; ld.param.u32 %r1, [to];
mov.u32 %r2, %tid.x;
START
mov.u32 %r4, 0; mov.u32 %r7, 0;
LOOP: PRAGMA
mov.u32 %r5, 0;
ld.global.u32 %r5, [%rd0];
mad.lo.s32 %r4, %r4, 3, %r5;
add.s32 %r7, %r7, 1;
add.s64 %rd0, %rd0, 4;
add.s32 %r3, %r3, STEP;
setp.KIND.TYPE %p0, %r3, %r1;
@%p0 bra LOOP;
mul.wide.u32 %rd2, %r2, 16;
add.s64 %rd2, %rd1, %rd2;
st.global.v4.u32 [%rd2], {%r4, %r7, %r3, %r5};
ret;
}
"""
HOLDS: dict[str, Callable[[int, int], bool]] = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "ne": lambda a, b: a != b,
}  # fmt: skip
WIDE = (
    KERNEL.replace("add.s32 %r3, %r3, STEP;", "add.s64 %rd5, %rd5, STEP;")
    .replace("setp.KIND.TYPE %p0, %r3, %r1;", "setp.ne.b64 %p0, %rd5, %rd6;")
    .replace("START", "cvt.s64.s32 %rd5, %r0; cvt.s64.s32 %rd6, %r1;")
    .replace("{%r4, %r7, %r3", "{%r4, %r7, %r7")
)
"""With a counter of 64 bits."""
LANES = 64
WORDS = 2 * LANES


def text(kind: str, type_: str, step: int, apart: bool, pragma: str = "") -> str:
    start = "add.s32 %r3, %r0, %r2;" if apart else "mov.u32 %r3, %r0;"
    out = KERNEL.replace("START", start).replace("STEP", str(step)).replace("KIND", kind).replace("TYPE", type_)
    return out.replace("PRAGMA", pragma)


def wrapped(value: int, type_: str) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if type_ == "s32" and value >> 31 else value


def expected(x: npt.NDArray[np.uint32], kind: str, type_: str, step: int, at: int, to: int) -> list[int]:
    """What one lane leaves, by Python's integers."""
    total = rounds = 0
    while True:
        total = (total * 3 + int(x[rounds])) & 0xFFFFFFFF
        last = int(x[rounds])
        rounds, at = rounds + 1, at + step
        if not HOLDS[kind](wrapped(at, type_), wrapped(to, type_)):
            return [total, rounds, at & 0xFFFFFFFF, last]


def loads(code: bytes) -> int:
    return sum(i.mnemonic == "LDG" for i in sass.decode_all(code, ARCH))


def kept(source: str, *passes: str) -> int:
    """Loads in the code, without those that other passes make twice."""
    return loads(assemble(source, Options(disable=frozenset({"ahead", *passes}))).functions[0].code)


CASES = [
    ("ne", "s32", 1, True), ("ne", "s32", -1, True), ("ne", "u32", 3, False), ("lt", "s32", 1, False),
    ("lt", "u32", 5, False), ("le", "s32", 2, False), ("gt", "s32", -3, False), ("ge", "u32", -1, False),
    ("lt", "s32", 1, True), ("lt", "u32", 5, True), ("le", "s32", 2, True), ("gt", "s32", -3, True),
    ("ge", "u32", -1, True),
]  # fmt: skip
MOST, LEAST = 0x7FFFFFFF, -0x80000000


@pytest.mark.parametrize(("kind", "type_", "step", "apart"), CASES)
def test_every_count(kind: str, type_: str, step: int, apart: bool) -> None:
    """Counts around the number of rounds that are made together, for lanes together or each another one, and bounds at
    which counters wrap."""
    program = assemble(text(kind, type_, step, apart))
    assert loads(program.functions[0].code) > 4, "rounds together, and one for what is left"
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    x = np.arange(7, 7 + 5 * WORDS, 5, dtype=np.uint32)
    sign = 1 if step > 0 else -1
    if apart:
        spans = [(100, 100 + LANES if step > 0 else 99), (100, 100 + LANES // 2)][: 2 if kind != "ne" else 1]
    elif kind == "ne":
        spans = [(100, 100 + n * step) for n in range(1, 14)]
    else:
        spans = [(100, 100 + n * sign) for n in range(-2, 14)]
    if kind in ("lt", "gt") and not apart:
        edge = (MOST if step > 0 else LEAST) if type_ == "s32" else (0xFFFFFFFF if step > 0 else 0)
        spans += [(edge - 7 * sign, edge - k * sign) for k in range(6) if abs(step) == 1]
        spans += [(edge - 40 * sign, edge - 9 * sign)]
    for at, to in spans:
        y = np.zeros(4 * LANES, np.uint32)
        kernel[1, LANES](x, y, np.int32(wrapped(at, "s32")), np.int32(wrapped(to, "s32")))
        for lane in range(LANES):
            start = at + lane if apart else at
            assert y[4 * lane : 4 * lane + 4].tolist() == expected(x, kind, type_, step, start, to)


@pytest.mark.parametrize(("step", "bound"), [(1, "%rd6"), (-4, "%rd6"), (4, "80"), (-8, "0")])
def test_counters_of_64_bits(step: int, bound: str) -> None:
    """Against a register or a number, from below and from above, across zero, where the upper word changes."""
    program = assemble(
        WIDE.replace("STEP", str(step)).replace("%rd5, %rd6;\n@", f"%rd5, {bound};\n@").replace("PRAGMA", "")
    )
    assert loads(program.functions[0].code) > 4
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    x = np.arange(7, 7 + 5 * WORDS, 5, dtype=np.uint32)
    for rounds in range(1, 14):
        to = -3 if bound == "%rd6" else int(bound)
        y = np.zeros(4 * LANES, np.uint32)
        kernel[1, LANES](x, y, np.int32(to - rounds * step), np.int32(to))
        total = 0
        for word in x[:rounds].tolist():
            total = total * 3 + word & 0xFFFFFFFF
        assert y[:2].tolist() == [total, rounds]


@pytest.mark.parametrize(
    ("update", "stride"),
    [
        ("add.s64 %rd0, %rd0, %rd4;", 3), ("mad.wide.s32 %rd0, %r8, 4, %rd0;", 3),
        ("add.s32 %r9, %r9, %r8; mad.wide.s32 %rd0, %r9, 4, %rd3;", 3),
        ("shl.b32 %r10, %r8, 1; add.s32 %r9, %r9, %r10; mad.wide.s32 %rd0, %r9, 4, %rd3;", 6),
    ],
)  # fmt: skip
def test_strides_that_the_launch_tells(update: str, stride: int) -> None:
    """An address that moves by a register, which is the same in all rounds."""
    source = text("lt", "s32", 1, False).replace("add.s64 %rd0, %rd0, 4;", update)
    source = source.replace("mov.u32 %r4, 0;", "mov.u32 %r4, 0; mov.u32 %r8, %ntid.y; mad.lo.s32 %r8, %r8, 2, 1;"
                            "mov.u32 %r9, 0; mov.b64 %rd3, %rd0; mul.wide.u32 %rd4, %r8, 4;")  # fmt: skip
    program = assemble(source)
    assert loads(program.functions[0].code) > 4
    x = np.arange(7, 7 + 5 * WORDS, 5, dtype=np.uint32)
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    for rounds in range(1, 14):
        y = np.zeros(4 * LANES, np.uint32)
        kernel[1, LANES](x, y, np.int32(0), np.int32(rounds))
        total = 0
        for word in x[: stride * rounds : stride].tolist():
            total = total * 3 + word & 0xFFFFFFFF
        assert y[:2].tolist() == [total, rounds]


def test_vectors_under_a_guard() -> None:
    """Loads of a quad that some lanes skip, as Triton writes them: each round has registers of its own."""
    load = (
        "setp.lt.u32 %p1, %r2, %r5; mov.u32 %r8, 1; mov.u32 %r9, 2;\n"
        "@%p1 ld.global.v2.u32 {%r8, %r9}, [%rd0]; mad.lo.s32 %r4, %r8, 5, %r4; add.s32 %r4, %r4, %r9;\n"
    )
    source = text("lt", "s32", 1, False).replace("add.s32 %r7", load + "add.s32 %r7").replace("%rd0, 4;", "%rd0, 8;")
    program = assemble(source)
    made = [i for i in sass.decode_all(program.functions[0].code, ARCH) if i.mnemonic == "LDG" and "64" in i.modifiers]
    assert len(made) == 7 and len({str(i.operands[1]) for i in made[:4]}) == 4
    x = np.arange(3, 3 + 7 * WORDS, 7, dtype=np.uint32)
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    for rounds in range(1, 11):
        y = np.zeros(4 * LANES, np.uint32)
        kernel[1, LANES](x, y, np.int32(0), np.int32(rounds))
        for lane in range(LANES):
            total = 0
            for n in range(rounds):
                first, second = int(x[2 * n]), int(x[2 * n + 1])
                total = total * 3 + first
                total += first * 5 + second if lane < first else 7
            assert y[4 * lane] == total & 0xFFFFFFFF


def test_a_guard_that_changes_between_a_write_and_a_read() -> None:
    """What some lanes have not written in this round they read as an earlier one has left it."""
    late = (
        "@%p1 mul.lo.u32 %r8, %r5, 5; and.b32 %r9, %r5, 3; setp.eq.u32 %p1, %r9, 0; @%p1 xor.b32 %r4, %r4, %r8;\n"
        "mad.lo.s32 %r4, %r4, 3, %r5;"
    )
    source = text("lt", "s32", 1, False).replace("mad.lo.s32 %r4, %r4, 3, %r5;", late)
    source = source.replace("LOOP:", "mov.u32 %r8, 99; setp.eq.u32 %p1, %r2, 3;\nLOOP:")
    assert kept(source) > kept(source, "unroll")
    x = np.arange(1, 1 + 7 * WORDS, 7, dtype=np.uint32)
    kernel = runtime.Device("sm_90").load(write_cubin(assemble(source)))["k"]
    for rounds in range(1, 14):
        y = np.zeros(4 * LANES, np.uint32)
        kernel[1, LANES](x, y, np.int32(0), np.int32(rounds))
        for lane in range(LANES):
            total, held, guard = 0, 99, lane == 3
            for word in map(int, x[:rounds]):
                held = word * 5 if guard else held
                guard = word % 4 == 0
                total = (total ^ held if guard else total) * 3 + word & 0xFFFFFFFF
            assert y[4 * lane] == total


def test_the_compare_as_the_round_before_left_it() -> None:
    """A body may ask whether another round follows before it compares: in the first one that is what was there."""
    early = "@%p0 add.s32 %r4, %r4, %r5; mad.lo.s32 %r4, %r4, 3, %r5;"
    source = text("lt", "s32", 1, True).replace("mad.lo.s32 %r4, %r4, 3, %r5;", early)
    source = source.replace("LOOP:", "setp.eq.u32 %p0, %r2, 3;\nLOOP:")
    x = np.arange(1, 1 + 7 * WORDS, 7, dtype=np.uint32)
    y = np.zeros(4 * LANES, np.uint32)
    runtime.Device("sm_90").load(write_cubin(assemble(source)))["k"][1, LANES](x, y, np.int32(0), np.int32(LANES))
    for lane in range(LANES):
        total = 0
        for n, word in enumerate(map(int, x[: LANES - lane])):
            total = (total + word * (n > 0 or lane == 3)) * 3 + word & 0xFFFFFFFF
        assert y[4 * lane] == total


def test_marked_loops_stay() -> None:
    for pragma, want in (('.pragma "nounroll";', 1), ("", 7)):
        assert kept(text("lt", "s32", 1, False, pragma)) == want


def test_what_cannot_overlap_stays() -> None:
    """A store that the next round might load, an address from the round before, a body that calls for order."""
    plain = text("ne", "s32", 1, False)
    for old, new in (
        ("add.s32 %r7", "st.global.u32 [%rd1], %r5; add.s32 %r7"),
        ("add.s64 %rd0, %rd0, 4;", "cvt.u64.u32 %rd3, %r5; add.s64 %rd0, %rd0, %rd3;"),
        ("add.s32 %r7", "bar.sync 0; add.s32 %r7"),
        ("ld.global", "ld.volatile.global"),
        ("add.s32 %r3, %r3, 1;", "add.s32 %r3, %r3, %r5;"),
    ):
        changed = plain.replace(old, new)
        assert changed != plain
        assert kept(changed) == 1, new
    assert kept(plain, "unroll") == 1


def test_long_bodies() -> None:
    """Eight loads a round, as LLVM unrolls by eight: four rounds are made together, and two of what they leave; of
    twelve two; in a loop in a loop two of eight and none of twelve."""
    for many, inner, want in ((8, False, 7 * 8), (8, True, 3 * 8), (12, False, 3 * 12), (12, True, 12)):
        more = "".join(
            f"ld.global.u32 %r{8 + k}, [%rd0+{4 * k}]; mad.lo.s32 %r4, %r4, 3, %r{8 + k};\n"
            f"xor.b32 %r4, %r4, %r5; shl.b32 %r5, %r4, 1; sub.s32 %r4, %r5, %r{8 + k};\n"
            "mad.lo.s32 %r4, %r4, 7, %r2;\n" for k in range(1, many)
        )  # fmt: skip
        source = text("lt", "s32", 1, False).replace("add.s32 %r7", more + "add.s32 %r7")
        source = source.replace("%rd0, 4;", f"%rd0, {4 * many};")
        if inner:
            source = source.replace("mov.u32 %r4, 0;", "AROUND: mov.u32 %r4, 0;")
            source = source.replace("ret;", "setp.lt.s32 %p0, %r0, 0; @%p0 bra AROUND; ret;")
        program = assemble(source)
        assert loads(program.functions[0].code) == want
        kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
        x = np.arange(7, 7 + 5 * WORDS, 5, dtype=np.uint32)
        for rounds in range(1, 8):
            y = np.zeros(4 * LANES, np.uint32)
            kernel[1, LANES](x, y, np.int32(0), np.int32(rounds))
            total = 0
            for n in range(rounds):
                words = x[n * many : n * many + many].tolist()
                total, last = total * 3 + words[0] & 0xFFFFFFFF, words[0]
                for word in words[1:]:
                    total = (total * 3 + word & 0xFFFFFFFF) ^ last
                    last = total * 2 & 0xFFFFFFFF
                    total = (last - word) * 7 & 0xFFFFFFFF
            assert int(y[0]) == total


def test_turns_that_threads_make_abreast() -> None:
    """Of eight loads a round that lie a block's size apart two rounds are made together: a thread has few."""
    more = "".join(f"ld.global.u32 %r{8 + k}, [%rd0+{k * 512}]; add.u32 %r4, %r4, %r{8 + k};\n" for k in range(1, 8))
    source = text("lt", "s32", 1, False).replace("add.s32 %r7", more + "add.s32 %r7")
    for step, want in ((32, 7 * 8), (4096, 3 * 8)):
        assert loads(assemble(source.replace("%rd0, 4;", f"%rd0, {step};")).functions[0].code) == want


@pytest.mark.parametrize(
    ("on", "rounds"),
    [
        ("add.u32 %r3, %r3, 1;", 2),
        ("add.u32 %r3, %r3, %r13;", 4),
        ("mad.lo.u32 %r3, %r13, 64, %r3;", 4),
    ],
)
def test_loops_that_go_on_by_the_size_of_the_grid_are_none_around_others(on: str, rounds: int) -> None:
    """Four loads a round: two rounds are made together in a loop in a loop, else four, and two of what they leave."""
    more = "".join(f"ld.global.u32 %r{8 + k}, [%rd0+{4 * k}]; add.u32 %r4, %r4, %r{8 + k};\n" for k in range(1, 4))
    source = text("lt", "s32", 1, False).replace("add.s32 %r7", more + "add.s32 %r7").replace("%rd0, 4;", "%rd0, 16;")
    source = source.replace("add.s32 %r3, %r3, 1;", "add.s32 %r14, %r14, 1;").replace(
        "lt.s32 %p0, %r3", "lt.s32 %p0, %r14"
    )
    around = "mov.u32 %r13, %nctaid.x; AROUND: mov.u32 %r14, 0; mov.u32 %r4, 0;"
    source = source.replace("mov.u32 %r4, 0;", around)
    source = source.replace("ret;", f"{on} setp.lt.s32 %p0, %r3, %r1; @%p0 bra AROUND; ret;")
    assert loads(assemble(source).functions[0].code) == 4 * (1 + rounds + (2 if rounds > 2 else 0))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 11])
def test_sums_over_the_lanes_of_four_rounds_go_together(tmp_path: Path, n: int) -> None:
    """Each round loads from shared memory, and stores there, apart from the others; one lane stores the sum."""
    source = f"""
//! n = {n}
//! a = randint(-9, 9, (n, 32), i32)
//! b = zeros(n, i32)
//! d = zeros((n, 32), i32)
//! f[1, 32, 128 * n](a, b, d, n)
//! s = sum(a * 3, axis=1)
//! expect(b, s)
//! expect(d, a - reshape(s, (n, 1)))
__global__ void f(const int *a, int *b, int *d, int n) {{
    extern __shared__ int s[];
    int t = threadIdx.x;
    for (int j = 0; j < n; j++) s[j * 32 + t] = a[j * 32 + t];
    __syncthreads();
    for (int j = 0; j < n; j++) {{
        int x = s[j * 32 + t], e = 3 * x;
        for (int o = 16; o; o >>= 1) e += __shfl_xor_sync(~0u, e, o);
        s[j * 32 + t] = x - e;
        if (t == 0) b[j] = e;
    }}
    __syncthreads();
    for (int j = 0; j < n; j++) d[j * 32 + t] = s[j * 32 + t];
}}
"""
    code = checked(tmp_path, source)
    inner = code[code.index("SHFL") :]
    assert "LDS" in code and inner.count("SHFL") > 5
    assert inner[: inner.index("STS")].count("SHFL") > 15
