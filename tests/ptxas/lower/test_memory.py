"""Loads, stores, atomics, warp and control instructions on the SM model, against what numpy says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minicc import arch, sass
from tests.ptxas.lower.harness import THREADS, assemble, device

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
START = """
\t.reg .b32 %t, %r<30>; .reg .b64 %in, %out, %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;
\t.reg .b16 %h<9>;
\tmov.u32 %t, %tid.x; ld.param.u64 %in, [a]; ld.param.u64 %out, [b];
\tmad.wide.u32 %in, %t, 16, %in; mad.wide.u32 %out, %t, 16, %out;
"""


def run(
    body: str, data: np.ndarray[Any, Any], threads: int = THREADS, prologue: str = "", **options: object
) -> np.ndarray[Any, Any]:
    """Each thread has 16 bytes of input at %in and of output at %out; %t is its number."""
    from minicc import binary

    text = f"{HEAD}{prologue}\n.visible .entry k(.param .u64 a, .param .u64 b) {{ {START} {body} ret; }}\n"
    program = assemble(text, **options)
    kernel: Any = device().load(binary.write_cubin(program))["k"]
    out = np.zeros(threads * 4, np.uint32)
    kernel[(1,), (threads,)](np.ascontiguousarray(data).view(np.uint32), out)
    return out.reshape(threads, 4)


def numbers(threads: int = THREADS) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(11)
    return rng.integers(0, 1 << 32, size=(threads, 4), dtype=np.uint32)


@pytest.mark.parametrize(
    "body",
    [
        "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in]; st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};",
        "ld.global.v2.u64 {%rd1,%rd2}, [%in]; st.global.v2.u64 [%out], {%rd1,%rd2};",
        "ld.v2.f64 {%d1,%d2}, [%in]; st.v2.f64 [%out], {%d1,%d2};",
        "ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%in]; st.global.v4.f32 [%out], {%f1,%f2,%f3,%f4};",
        "ld.global.b128 %q, [%in]; st.global.b128 [%out], %q;",
        "ld.global.u64 %rd1, [%in]; ld.global.u64 %rd2, [%in+8]; st.global.u64 [%out], %rd1;"
        " add.u64 %out, %out, 16; st.global.u64 [%out+-8], %rd2;",
        "ld.volatile.global.u32 %r1, [%in]; ld.relaxed.gpu.global.u32 %r2, [%in+4];"
        " ld.acquire.gpu.global.u32 %r3, [%in+8]; ld.global.cs.u32 %r4, [%in+12]; st.global.cs.u32 [%out], %r1;"
        " st.release.gpu.global.u32 [%out+4], %r2;"
        " st.volatile.global.u32 [%out+8], %r3; st.relaxed.sys.global.u32 [%out+12], %r4;",
        "ld.global.v4.u16 {%h1,%h2,%h3,%h4}, [%in]; ld.global.v4.u8 {%r1,%r2,%r3,%r4}, [%in+8];"
        " ld.global.b32 %r5, [%in+12]; st.global.v4.u16 [%out], {%h1,%h2,%h3,%h4};"
        " st.global.v4.u8 [%out+8], {%r1,%r2,%r3,%r4}; st.global.u32 [%out+12], %r5;",
        "ld.global.v2.u32 {%r1, _}, [%in]; ld.global.v2.u32 {_, %r2}, [%in]; ld.global.v2.u32 {%r3,%r4}, [%in+8];"
        " st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2; st.global.v2.u32 [%out+8], {%r3,%r4};",
        ".shared .align 16 .b8 s[2048]; mov.u32 %r9, s; shl.b32 %r8, %t, 4; add.u32 %r9, %r9, %r8;"
        " ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in]; st.shared.v4.u32 [%r9], {%r1,%r2,%r3,%r4}; bar.sync 0;"
        " ld.shared.v2.u64 {%rd1,%rd2}, [%r9]; st.global.v2.u64 [%out], {%rd1,%rd2};",
        ".shared .align 16 .b8 s[2048]; mov.u64 %rd9, s; cvta.shared.u64 %rd9, %rd9; mad.wide.u32 %rd9, %t, 16, %rd9;"
        " ld.global.v2.u64 {%rd1,%rd2}, [%in]; st.v2.u64 [%rd9], {%rd1,%rd2}; cvta.to.shared.u64 %rd8, %rd9;"
        " ld.shared.v4.u32 {%r1,%r2,%r3,%r4}, [%rd8]; st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};",
        ".local .align 16 .b8 l[64]; mov.u64 %rd9, l; and.b32 %r9, %t, 3; mad.wide.u32 %rd9, %r9, 16, %rd9;"
        " ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in]; st.local.v4.u32 [%rd9], {%r1,%r2,%r3,%r4};"
        " ld.local.v4.u32 {%r5,%r6,%r7,%r8}, [%rd9]; st.global.v4.u32 [%out], {%r5,%r6,%r7,%r8};",
        ".local .align 16 .b8 l[32]; mov.u64 %rd9, l; cvta.local.u64 %rd9, %rd9; ld.global.v2.u64 {%rd1,%rd2}, [%in];"
        " st.v2.u64 [%rd9+16], {%rd1,%rd2}; ld.local.v2.u64 {%rd3,%rd4}, [l+16]; st.global.v2.u64 [%out], {%rd3,%rd4};",
    ],
)
def test_copy(body: str) -> None:
    """Every way of moving 16 bytes moves them."""
    data = numbers()
    if "%q" in body:
        body = ".reg .b128 %q; " + body
    assert np.array_equal(run(body, data), data)


def test_constants_of_128_bits_have_64() -> None:
    body = (
        ".reg .b128 %q; atom.global.exch.b128 %q, [%out], -2; atom.global.cas.b128 _, [%out], 18446744073709551614, %q;"
    )
    data = numbers()
    assert not run(body, data).any(), "swapped for the zeros that were there"
    first = run(body.partition("atom.global.cas")[0], data)
    assert np.array_equal(first, np.tile(np.array([0xFFFFFFFE, 0xFFFFFFFF, 0, 0], np.uint32), (len(first), 1)))


def test_narrow_loads_extend() -> None:
    data = numbers()
    body = (
        "ld.global.s8 %r1, [%in]; ld.global.u8 %r2, [%in+1]; ld.global.s16 %r3, [%in+2]; ld.global.u16 %r4, [%in+4];"
        " st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};"
    )
    raw = data.view(np.uint8).reshape(-1, 16)
    half = data.view(np.uint16).reshape(-1, 8)
    want = np.stack(
        [
            raw[:, 0].astype(np.int8).astype(np.int32).view(np.uint32),
            raw[:, 1].astype(np.uint32),
            half[:, 1].astype(np.int16).astype(np.int32).view(np.uint32),
            half[:, 2].astype(np.uint32),
        ],
        axis=1,
    )
    assert np.array_equal(run(body, data), want)
    body = "ld.global.s8 %rd1, [%in]; ld.global.u16 %rd2, [%in+2]; st.global.v2.u64 [%out], {%rd1,%rd2};"
    wide = np.stack([raw[:, 0].astype(np.int8).astype(np.int64), half[:, 1].astype(np.int64)], axis=1)
    assert np.array_equal(run(body, data), wide.view(np.uint32).reshape(-1, 4))


def test_constant_and_global_variables() -> None:
    prologue = (
        ".const .align 4 .b32 table[4] = {11, 22, 33, 44};\n.global .align 4 .u32 values[4] = {5, 6, 7, 8};\n"
        ".global .align 8 .u64 where = generic(values)+4;\n"
    )
    body = (
        "and.b32 %r1, %t, 3; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1;"
        " ld.const.u32 %r2, [%rd2]; ld.const.u32 %r3, [table+4]; mov.u64 %rd3, values; add.u64 %rd3, %rd3, %rd1;"
        " ld.global.u32 %r4, [%rd3]; ld.global.u32 %r5, [values+12]; st.global.v4.u32 [%out], {%r2,%r3,%r4,%r5};"
    )
    t = np.arange(THREADS) & 3
    want = np.stack([(t + 1) * 11, np.full(THREADS, 22), t + 5, np.full(THREADS, 8)], axis=1).astype(np.uint32)
    assert np.array_equal(run(body, numbers(), prologue=prologue), want)


@pytest.mark.parametrize("space", ["global", "shared", ""])
@pytest.mark.parametrize(
    ("op", "type_"),
    [
        ("add", "u32"), ("add", "u64"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
        ("max", "s64"), ("min", "u64"), ("or", "b64"), ("add", "f32"), ("add", "f64"), ("inc", "u32"), ("dec", "u32"),
        ("exch", "b32"), ("exch", "b64"), ("cas", "b32"), ("cas", "b64"),
    ],
)  # fmt: skip
def test_atomics(space: str, op: str, type_: str) -> None:
    """All threads of a block on one cell: the final value, and that old values are those of some order."""
    width = int(type_[1:])
    floating = type_[0] == "f"
    cell = {"global": "cell", "shared": "s", "": "s"}[space]
    declare = ".shared .align 8 .b8 s[8];"
    base = f"mov.u64 %rd9, {cell};"
    if space == "":
        base += " cvta.shared.u64 %rd9, %rd9;"
    initial = {"min": (1 << (width - 1)) - 1, "and": (1 << width) - 1, "dec": 40, "inc": 3}.get(op, 0)
    register = {"f32": "%f", "f64": "%d"}.get(type_, "%r" if width == 32 else "%rd")
    load = f"cvt.{'rn.' if floating else ''}{type_ if floating else 'u' + str(width)}.u32 {register}1, %t;"
    if op == "cas":
        operands = f"{register}1, {register}2"
        load += f" add.u{width} {register}2, {register}1, 1;"
    elif op in ("inc", "dec"):
        operands = "50"
    else:
        operands = f"{register}1"
    dot = f".{space}" if space else ""
    memory = "shared" if space != "global" else "global"
    body = (
        f"{declare} {base} mov.u64 %rd10, {'cell' if space == 'global' else 's'};"
        f" setp.ne.u32 %p1, %t, 0; mov.u64 %rd8, {initial}; @!%p1 st.{memory}.u64 [%rd10], %rd8; bar.sync 0; {load}"
        f" atom{dot}.{op}.{type_} {register}3, [%rd9], {operands}; bar.sync 0; ld.{memory}.u64 %rd7, [%rd10];"
        f" st.global.{'f' if floating else 'u'}{width} [%out], {register}3; st.global.u64 [%out+8], %rd7;"
    )
    out = run(body, numbers(64), 64, ".global .align 8 .u64 cell;")
    old = out[:, :2].copy().view(np.uint64).ravel() if width == 64 else out[:, 0].astype(np.uint64)
    final = int(out[0, 2:].copy().view(np.uint64)[0]) & ((1 << width) - 1)
    if floating:
        total = (
            np.array([final], np.uint64).view(np.float64)[0]
            if width == 64
            else np.array([final], np.uint32).view(np.float32)[0]
        )
        assert total == sum(range(64))
        return
    threads = range(64)
    if op == "add":
        assert final == sum(threads)
    elif op in ("min", "and"):
        assert final == 0
    elif op in ("max", "or"):
        assert final == 63
    elif op == "xor":
        assert final == 0
    elif op == "inc":
        assert final == (3 + 64) % 51
        assert sorted(int(x) for x in old) == sorted((3 + i) % 51 for i in threads)
    elif op == "dec":
        assert final == (40 - 64) % 51
    elif op == "exch":
        assert sorted([*(int(x) for x in old), final]) == sorted([0, *threads])
    else:
        # A chain 0 -> 1 -> 2 ...: some prefix of it happened, and no thread saw a value that was never there.
        assert 1 <= final <= 64 and all(int(x) <= final for x in old)


def test_reductions_and_half_cas() -> None:
    body = (
        ".shared .align 4 .b8 s[8]; mov.u32 %r9, s; setp.ne.u32 %p1, %t, 0; mov.u64 %rd1, 0;"
        " @!%p1 st.shared.u64 [%r9], %rd1; bar.sync 0; red.shared.add.u32 [%r9], %t;"
        " mov.b16 %h1, 0; cvt.u16.u32 %h2, %t; add.u16 %h2, %h2, 1; atom.shared.cas.b16 %h3, [%r9+6], %h1, %h2;"
        " bar.sync 0;"
        " ld.shared.v2.u32 {%r1,%r2}, [%r9]; cvt.u32.u16 %r3, %h3; st.global.v4.u32 [%out], {%r1,%r2,%r3,%r3};"
    )
    out = run(body, numbers(64), 64)
    assert (out[:, 0] == sum(range(64))).all()
    winner = int(out[0, 1]) >> 16
    assert 1 <= winner <= 64 and int(out[0, 1]) & 0xFFFF == 0
    assert sorted(out[:, 2]) == [0] + [winner] * 63


def lanes(data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return data[:, 0].reshape(-1, 32)


def test_warp_instructions() -> None:
    data = numbers()
    first = lanes(data)
    body = (
        "ld.global.u32 %r1, [%in]; shfl.sync.bfly.b32 %r2|%p1, %r1, 5, 31, -1; shfl.sync.up.b32 %r3, %r1, 3, 0, -1;"
        " shfl.sync.down.b32 %r4|%p2, %r1, 9, 31, -1; shfl.sync.idx.b32 %r5, %r1, %t, 7199, -1;"
        " @!%p2 mov.u32 %r4, 7; st.global.v4.u32 [%out], {%r2,%r3,%r4,%r5};"
    )
    out = run(body, data).reshape(-1, 32, 4)
    index = np.arange(32)
    assert np.array_equal(out[:, :, 0], first[:, index ^ 5])
    assert np.array_equal(out[:, :, 1], first[:, np.where(index >= 3, index - 3, index)])
    want = np.where(index + 9 <= 31, first[:, np.minimum(index + 9, 31)], 7)
    assert np.array_equal(out[:, :, 2], want)
    body = (
        "ld.global.u32 %r1, [%in]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; vote.sync.ballot.b32 %r3, %p1, -1;"
        " vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1; selp.u32 %r4, 1, 0, %p2;"
        " @%p3 add.u32 %r4, %r4, 2; and.b32 %r5, %r1, 3; match.any.sync.b32 %r6, %r5, -1;"
        " redux.sync.add.u32 %r7, %r5, -1; st.global.v4.u32 [%out], {%r3,%r4,%r6,%r7};"
    )
    out = run(body, data).reshape(-1, 32, 4)
    odd = first & 1
    ballots = (odd.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(axis=1)
    assert np.array_equal(out[:, 0, 0], ballots.astype(np.uint32))
    assert (out[:, :, 1] == 1).all()
    low = first & 3
    for warp in range(len(low)):
        for lane in range(32):
            mask = sum(1 << k for k in range(32) if low[warp, k] == low[warp, lane])
            assert out[warp, lane, 2] == mask
        assert (out[warp, :, 3] == low[warp].sum()).all()


def test_divergence_meets_again() -> None:
    """Nested branches and loops of different length, then a shuffle and a ballot of the whole warp."""
    body = (
        "and.b32 %r1, %t, 7; mov.u32 %r2, 0; mov.u32 %r3, 0;\nLOOP: setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;"
        " and.b32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra EVEN; add.u32 %r3, %r3, 100; bra NEXT;\n"
        "EVEN: add.u32 %r3, %r3, 1;\nNEXT: add.u32 %r2, %r2, 1; bra LOOP;\nDONE: mov.pred %p3, 1;"
        " shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1; vote.sync.ballot.b32 %r6, %p3, -1; activemask.b32 %r7;"
        " st.global.v4.u32 [%out], {%r3,%r5,%r6,%r7};"
    )
    body = body.replace("mov.pred %p3, 1", "setp.eq.u32 %p3, %t, %t")
    out = run(body, numbers())
    t = np.arange(THREADS) & 7
    value = ((t + 1) // 2 + (t // 2) * 100).astype(np.uint32)
    assert np.array_equal(out[:, 0], value)
    assert np.array_equal(out[:, 1], value[np.arange(THREADS) ^ 1])
    assert (out[:, 2] == 0xFFFFFFFF).all()
    assert (out[:, 3] == 0xFFFFFFFF).all()


def test_collectives_inside_divergent_code() -> None:
    """A shuffle among the lanes of a branch, with their mask."""
    body = (
        "mov.u32 %r9, %laneid; setp.lt.u32 %p1, %r9, 8; mov.u32 %r1, 0; @!%p1 bra OUT; mul.lo.u32 %r2, %t, 3;"
        " shfl.sync.idx.b32 %r1, %r2, 5, 31, 0xff; vote.sync.ballot.b32 %r3, %p1, 0xff;\nOUT:"
        " bar.warp.sync -1; st.global.v2.u32 [%out], {%r1,%r3};"
    )
    out = run("mov.u32 %r3, 0; " + body, numbers())
    t = np.arange(THREADS)
    inside = t % 32 < 8
    assert np.array_equal(out[:, 0], np.where(inside, (t // 32 * 32 + 5) * 3, 0))
    assert np.array_equal(out[:, 1], np.where(inside, 0xFF, 0))


def test_barriers_of_part_of_a_warp() -> None:
    """An H200 does the same with what nvcc makes of them: lanes of one branch count for their warp, those of both
    branches count once, and a loop's barrier is that of the lanes that are still in it."""
    shared = ".shared .align 4 .b8 s[512]; mov.u32 %r8, s; shl.b32 %r7, %t, 2; add.u32 %r8, %r8, %r7;"
    half = (
        f"{shared} and.b32 %r9, %t, 31; setp.lt.u32 %p1, %r9, 16; mul.lo.u32 %r1, %t, 3; @!%p1 bra OUT;"
        " st.shared.u32 [%r8], %t; barrier.sync 1, 128; xor.b32 %r6, %r7, 128; mov.u32 %r5, s; add.u32 %r5, %r5, %r6;"
        " ld.shared.u32 %r1, [%r5];\nOUT: st.global.u32 [%out], %r1;"
    )
    t = np.arange(THREADS)
    assert np.array_equal(run(half, numbers())[:, 0], np.where(t % 32 < 16, t ^ 32, t * 3))
    both = (
        "and.b32 %r9, %t, 31; setp.lt.u32 %p1, %r9, 5; ld.global.u32 %r1, [%in]; @%p1 bra FEW; add.u32 %r1, %r1, 1;"
        " barrier.sync 1, 128; bra OUT;\nFEW: mul.lo.u32 %r1, %r1, 3; barrier.sync 1, 128;"
        "\nOUT: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; st.global.v2.u32 [%out], {%r1,%r2};"
    )
    data = numbers()
    out = run(both, data)
    wanted = np.where(t % 32 < 5, data[:, 0] * 3, data[:, 0] + 1)
    assert np.array_equal(out[:, 0], wanted) and np.array_equal(out[:, 1], wanted[t ^ 16])
    loop = (
        f"{shared} rem.u32 %r9, %t, 7; mov.u32 %r1, 0; mov.u32 %r2, 0;\nAGAIN: setp.ge.u32 %p1, %r2, %r9; @%p1 bra OUT;"
        " st.shared.u32 [%r8], %r2; barrier.sync 0; ld.shared.u32 %r3, [%r8]; mad.lo.u32 %r1, %r3, %r3, %r1;"
        " add.u32 %r2, %r2, 1; bra AGAIN;\nOUT: st.global.u32 [%out], %r1;"
    )
    assert np.array_equal(run(loop, numbers())[:, 0], [sum(k * k for k in range(n % 7)) for n in t])


@pytest.mark.parametrize(
    ("body", "collectives", "meetings"),
    [
        ("barrier.sync 1, 64;", 0, 0),
        ("setp.lt.u32 %p1, %t, 9; @%p1 bra OUT; barrier.sync 1, 64;\nOUT:", 1, 0),
        ("setp.lt.u32 %p1, %t, 9; @%p1 bra OUT; barrier.arrive 1, 64;\nOUT:", 1, 0),
        ("setp.lt.u32 %p1, %t, 9; @%p1 bra OUT; bar.sync 1, 64;\nOUT:", 0, 0),
        ("setp.lt.u32 %p1, %t, 9; @%p1 bra OUT; barrier.sync.aligned 1, 64;\nOUT:", 0, 0),
        ("setp.lt.u32 %p1, %t, 9; @%p1 bra OUT; ld.global.u32 %r1, [%in]; barrier.sync %r1;\nOUT:", 0, 1),
    ],
)
def test_where_lanes_meet_before_a_barrier(body: str, collectives: int, meetings: int) -> None:
    text = f"{HEAD}.visible .entry k(.param .u64 a, .param .u64 b) {{ {START} {body} st.global.u32 [%out], %t; ret; }}"
    code = assemble(text).function("k").code
    words = [
        sass.decode(int.from_bytes(code[n : n + 16], "little"), arch.get("sm_90"), n) for n in range(0, len(code), 16)
    ]
    found = [n for n, one in enumerate(words) if one.mnemonic == "WARPSYNC" and "COLLECTIVE" in one.modifiers]
    for n in found:
        # The barrier stands alone in it, and lanes that executed that of others go on behind it.
        assert [one.mnemonic for one in words[n + 1 : n + 3]] == ["BAR", "ENDCOLLECTIVE"]
        assert words[n].operands[-1].address == 16 * (n + 3)
    assert len(found) == collectives
    assert sum(one.mnemonic == "WARPSYNC" for one in words) == collectives + meetings


def test_collectives_of_tiles() -> None:
    """A whole warp in step, whose lanes belong to masks of eight."""
    body = (
        "mov.u32 %r9, %laneid; and.b32 %r8, %r9, 24; mov.u32 %r7, 0xff; shl.b32 %r7, %r7, %r8;"
        " ld.global.u32 %r1, [%in]; and.b32 %r1, %r1, 3; setp.lt.u32 %p1, %r1, 1; vote.sync.ballot.b32 %r2, %p1, %r7;"
        " vote.sync.any.pred %p2, %p1, %r7; vote.sync.all.pred %p3, %p1, %r7; vote.sync.uni.pred %p4, %p1, %r7;"
        " selp.u32 %r3, 1, 0, %p2; @%p3 add.u32 %r3, %r3, 2; @%p4 add.u32 %r3, %r3, 4;"
        " match.any.sync.b32 %r4, %r1, %r7; and.b32 %r5, %r9, 8; @%p1 add.u32 %r5, %r5, %r9; shr.u32 %r6, %r5, 3;"
        " match.all.sync.b32 %r10|%p5, %r6, %r7; @%p5 add.u32 %r3, %r3, 8; elect.sync _|%p6, %r7;"
        " @%p6 add.u32 %r3, %r3, 16; add.u32 %r3, %r3, %r10; st.global.v4.u32 [%out], {%r2,%r3,%r4,%r7};"
    )
    data = numbers()
    data[32:40] = data[48:56] = 0
    out = run(body, data)
    low = (lanes(data).reshape(-1) & 3).astype(np.int64)
    for tile in range(0, THREADS, 8):
        shift = tile % 32
        mine = low[tile : tile + 8]
        lane = np.arange(shift, shift + 8)
        sixth = ((lane & 8) + np.where(mine < 1, lane, 0)) >> 3
        flags = 1 * (mine < 1).any() + 2 * (mine < 1).all() + 4 * ((mine < 1).all() or not (mine < 1).any())
        same = len(set(sixth)) == 1
        for k in range(8):
            row = out[tile + k]
            assert row[0] == sum(1 << shift + j for j in range(8) if mine[j] < 1)
            extra = (8 + (0xFF << shift) if same else 0) + (16 if k == 0 else 0)
            assert row[1] == (flags + extra) & 0xFFFFFFFF
            assert row[2] == sum(1 << shift + j for j in range(8) if mine[j] == mine[k])


def test_jump_table_and_guards() -> None:
    body = (
        "rem.u32 %r1, %t, 5; mov.u32 %r2, 9;\nT: .branchtargets A, B, C, B, D;\n@%p1 mov.u32 %r2, 8; brx.idx %r1, T;\n"
        "A: mov.u32 %r2, 10; bra END;\nB: mov.u32 %r2, 20; bra END;\nC: mov.u32 %r2, 30;\nD: add.u32 %r2, %r2, 1;\nEND:"
        " setp.gt.u32 %p2, %t, 50; @%p2 div.u32 %r2, %r2, %r1; @%p2 div.u64 %rd1, 1000, 7; @!%p2 mov.u64 %rd1, 5;"
        " st.global.u32 [%out], %r2; st.global.u64 [%out+8], %rd1;"
    )
    out = run("setp.eq.u32 %p1, %t, 200; " + body, numbers())
    t = np.arange(THREADS)
    base = np.array([10, 20, 31, 20, 10])[t % 5]
    divided = np.where(t % 5 == 0, 0xFFFFFFFF, base // np.maximum(t % 5, 1))
    assert np.array_equal(out[:, 0], np.where(t > 50, divided, base).astype(np.uint32))
    assert np.array_equal(out[:, 2], np.where(t > 50, 142, 5))


@pytest.mark.parametrize("inline", ["auto", "never"])
def test_arguments_and_results_of_any_kind(inline: str) -> None:
    """Formal parameters whose address is taken, variadic arguments, results that nobody wants, registers for
    parameters and the other way, values of 128 bits, calls through a table."""
    prologue = (
        ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 s[12]) { .reg .b64 %p, %q, %o; .reg .b32 %x;"
        " mov.b64 %p, s; mov.b64 %o, r; add.u64 %p, %p, 4; cvta.local.u64 %q, %p; ld.param.u32 %x, [%p];"
        " st.local.u32 [%o], %x; ld.u32 %x, [%q+4]; st.local.u32 [%o+4], %x; ld.param.u32 %x, [s];"
        " st.param.u32 [r+8], %x; ret; }\n"
        ".func (.param .b32 r) all(.param .b32 n, .param .align 8 .b8 more[]) { .reg .b64 %p; .reg .b32 %k<9>;"
        " .reg .pred %q; ld.param.u32 %k1, [n]; mov.b64 %p, more; mov.u32 %k2, 0;\nL: setp.eq.u32 %q, %k1, 0;"
        " @%q bra %E;"
        " ld.param.u32 %k3, [%p]; add.u32 %k2, %k2, %k3; add.u64 %p, %p, 4; sub.u32 %k1, %k1, 1; bra L;\n"
        "%E: st.param.u32 [r], %k2; ret; }\n"
        ".func (.reg .u32 z) f0(.reg .u32 x) { add.u32 z, x, 100; ret; }\n"
        ".func (.param .u32 z) f1(.param .u32 x) { .reg .u32 y; ld.param.u32 y, [x]; mul.lo.u32 y, y, 3;"
        " st.param.u32 [z], y; ret; }\n"
        ".func (.param .b128 z) whole(.param .b128 x) { .reg .b128 y; ld.param.b128 y, [x]; st.param.b128 [z], y;"
        " ret; }\n"
        ".global .u64 table[2] = {f0, f1};\n"
    )
    body = (
        "{ .param .align 8 .b8 p[12]; .param .align 8 .b8 q[16]; st.param.b32 [p], %t; st.param.b32 [p+4], 7;"
        " st.param.b32 [p+8], 9; call (q), swap, (p); call (_), swap, (p); ld.param.b32 %r1, [q];"
        " ld.param.b32 %r2, [q+4];"
        " ld.param.b32 %r3, [q+8]; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2; shl.b32 %r3, %r3, 16;"
        " or.b32 %r1, %r1, %r3; }"
        "{ .param .b32 n; .param .align 8 .b8 p[12]; st.param.b32 [n], 3; st.param.b32 [p], %t; st.param.b32 [p+4], 7;"
        " st.param.b32 [p+8], 9; call (%r2), all, (n, p); }"
        "{ .param .u32 p; .param .u32 q; st.param.u32 [p], %t; call (q), f0, (p); call (_), f0, (p);"
        " call (_), f1, (%t);"
        " call (%r4), f1, (q); st.param.u32 [p], %r4; call (q), f1, (p); ld.param.u32 %r3, [q]; }"
        "{ .param .b128 p; .param .b128 q; .reg .b128 y; mov.b64 %rd1, {%t, 5}; mov.b64 %rd2, {6, %t};"
        " mov.b128 y, {%rd1, %rd2}; st.param.b128 [p], y; call (q), whole, (p); call (q), whole, (y);"
        " ld.param.b128 y, [q]; mov.b128 {%rd1, %rd2}, y; mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd2;"
        " mad.lo.u32 %r4, %r6, 1000, %r5; mad.lo.u32 %r4, %r7, 100000, %r4; mad.lo.u32 %r4, %r8, 1000000, %r4; }"
        "{ and.b32 %r5, %t, 1; mov.u64 %rd1, table; mad.wide.u32 %rd1, %r5, 8, %rd1; ld.global.u64 %rd1, [%rd1];"
        " call (%r6), %rd1, (%t), table; T: .branchtargets J<2>; brx.idx %r5, T; J1: add.u32 %r6, %r6, 7; J0: }"
        " add.u32 %r3, %r3, %r6; st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};"
    )
    out = run(body, numbers(32), threads=32, prologue=prologue, inline=inline)
    t = np.arange(32)
    assert np.array_equal(out[:, 0], t << 16 | 0x907)
    assert np.array_equal(out[:, 1], t + 16)
    assert np.array_equal(out[:, 2], 9 * (t + 100) + np.where(t & 1, 3 * t + 7, t + 100))
    assert np.array_equal(out[:, 3], 605000 + t + 1000000 * t)


def test_calls_are_expanded() -> None:
    prologue = (
        ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 s[16]) { .reg .b32 %a<9>; .reg .pred %q;"
        " ld.param.u32 %a1, [x]; ld.param.u32 %a2, [s+8]; setp.gt.u32 %q, %a1, 10; @%q bra BIG; add.u32 %a3, %a1, %a2;"
        " st.param.b32 [r], %a3; ret;\nBIG: st.param.b32 [r], 77; ret; }\n"
        ".func (.reg .u32 z) g(.reg .u32 x) { mul.lo.u32 z, x, x; ret; }\n"
    )
    body = (
        "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 back; st.param.b32 [p0], %t;"
        " st.param.b32 [p1+8], 1000;"
        " call.uni (back), f, (p0, p1); ld.param.b32 %r1, [back]; }"
        " call (%r2), g, (%t); st.global.v2.u32 [%out], {%r1,%r2};"
    )
    out = run(body, numbers(), prologue=prologue)
    t = np.arange(THREADS)
    assert np.array_equal(out[:, 0], np.where(t > 10, 77, t + 1000))
    assert np.array_equal(out[:, 1], t * t)


def test_barriers_reduce() -> None:
    body = (
        "and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; bar.red.popc.u32 %r2, 0, %p1; bar.red.and.pred %p2, 1, %p1;"
        " bar.red.or.pred %p3, 2, %p1; selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 1, 0, %p3; barrier.sync 3, 128;"
        " st.global.v4.u32 [%out], {%r2,%r3,%r4,%r1};"
    )
    out = run(body, numbers())
    assert (out[:, 0] == THREADS // 4).all() and (out[:, 1] == 0).all() and (out[:, 2] == 1).all()


def test_special_registers() -> None:
    body = (
        "mov.u32 %r1, %ntid.x; mov.u32 %r2, %laneid; mov.u32 %r3, %lanemask_lt; mov.u32 %r4, %nctaid.y;"
        " st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};"
    )
    out = run(body, numbers())
    lane = np.arange(THREADS) % 32
    assert (out[:, 0] == THREADS).all() and np.array_equal(out[:, 1], lane)
    assert np.array_equal(out[:, 2], (1 << lane) - 1) and (out[:, 3] == 1).all()


def test_addresses_of_constants_come_from_the_driver() -> None:
    """Its loader refuses an image whose bank 4 asks for the address of a constant (CUDA_ERROR_INVALID_IMAGE, H200):
    NVIDIA's ptxas adds the address of bank 3, c[0x0][0xd0]. What data holds is the generic address, R_CUDA_G64."""
    prologue = (
        ".const .align 4 .b8 tab[32];\n.global .align 4 .b8 g[8];\n.global .align 8 .u64 p = generic(tab)+8;\n"
        ".global .align 8 .u64 q = tab+8;\n.const .align 8 .u64 r = g+4;"
    )
    body = (
        "mov.u64 %rd1, tab; cvta.const.u64 %rd2, %rd1; cvta.to.const.u64 %rd3, %rd2; isspacep.const %p1, %rd2;"
        " isspacep.const %p2, %out; ld.global.u64 %rd4, [p]; sub.u64 %rd5, %rd4, %rd2; ld.global.u64 %rd6, [q];"
        " add.u64 %rd5, %rd5, %rd6; selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2; ld.const.u64 %rd7, [r];"
        " mov.u64 %rd8, g; sub.u64 %rd7, %rd7, %rd8; st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;"
        " cvt.u32.u64 %r3, %rd5; st.global.u32 [%out+8], %r3; sub.u64 %rd3, %rd3, %rd1; add.u64 %rd3, %rd3, %rd7;"
        " cvt.u32.u64 %r4, %rd3; st.global.u32 [%out+12], %r4;"
    )
    assert (run(body, numbers(), prologue=prologue) == [1, 0, 16, 4]).all()
    text = f"{HEAD}{prologue}\n.visible .entry k(.param .u64 a, .param .u64 b) {{ {START} {body} ret; }}\n"
    program = assemble(text)
    assert "tab" not in program.constant4
    kinds = {(r.kind, r.symbol, r.addend) for v in program.variables for r in v.relocations}
    assert kinds == {("R_CUDA_G64", "tab", 8), ("R_CUDA_G64", "g", 4)}


TOGETHER = "bar.warp.sync 0xffffffff;"
CHANGES = {
    "stmatrix": ("%s", f"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%s], {{%r20,%r21,%r22,%r23}}; {TOGETHER}"),
    "ldmatrix": ("%s", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r24,%r25,%r26,%r27}, [%s];"),
    "cp.async": ("%in", "cp.async.ca.shared.global [%s], [%in], 16; cp.async.commit_group; cp.async.wait_group 0;"
                 " ld.shared.v4.u32 {%r24,%r25,%r26,%r27}, [%s];"),
    "red.f64": ("%in", "red.global.add.f64 [%in+8], %d1;"),
    "atom.s64": ("%in", "atom.global.min.s64 %rd1, [%in], %rd2;"),
    "atom.s64.shared": ("%s", "atom.shared.max.s64 %rd1, [%s], %rd2;"),
    "atom.cas.b64": ("%in", "atom.global.cas.b64 %rd1, [%in], %rd3, %rd2;"),
    "atom.v4.f32": ("%in", "atom.global.add.v4.f32 {%f1,%f2,%f3,%f4}, [%in], {%f5,%f6,%f7,%f8};"),
    "st.v4": ("%s", "st.shared.v4.u32 [%s], {%r20,%r21,%r22,%r23};"),
}  # fmt: skip
"""What touches 16 bytes: from where on, and how."""


@pytest.mark.parametrize("where", [0, 4, 8, 12])
@pytest.mark.parametrize("name", CHANGES)
def test_no_access_passes_another_of_the_same_bytes(name: str, where: int) -> None:
    """A word is stored before, loaded, stored and loaded again after: in the order of the text."""
    place, change = CHANGES[name]
    space = "shared" if place == "%s" else "global"
    body = f"""
        .reg .b32 %s; .shared .align 16 .b8 s[{THREADS * 16}]; mov.u32 %s, s; mad.lo.u32 %s, %t, 16, %s;
        ld.global.v4.u32 {{%r20,%r21,%r22,%r23}}, [%in]; cvt.rn.f64.u32 %d1, %r20; mov.b64 %rd2, {{%r20,%r21}};
        st.shared.v4.u32 [%s], {{%r23,%r22,%r21,%r20}}; mov.b64 %rd3, {{%r20,%r20}};
        {"".join(f"cvt.rn.f32.u32 %f{k + 5}, %r2{k};" for k in range(4))}
        mov.u32 %r24, 0; mov.u32 %r25, 0; mov.u32 %r26, 0; mov.u32 %r27, 0; bar.sync 0;
        mul.lo.u32 %r1, %r20, %r20; mul.lo.u32 %r1, %r1, %r1; mul.lo.u32 %r1, %r1, %r1; or.b32 %r1, %r1, 1;
        st.{space}.u32 [{place}+{where}], %r1;
        {change}
        ld.{space}.u32 %r2, [{place}+{where}];
        st.{space}.u32 [{place}+{where}], %t;
        xor.b32 %r3, %r24, %r25; xor.b32 %r4, %r26, %r27;
        {change}
        xor.b32 %r5, %r24, %r25; xor.b32 %r6, %r26, %r27; xor.b32 %r6, %r6, %r5;
        st.global.v4.u32 [%out], {{%r2,%r3,%r4,%r6}};"""
    got, wanted = (run(body, numbers(32), 32, sched=sched) for sched in ("list", "serial"))
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("where", ["shared", "global", "", "shared::cluster"])
def test_a_guard_is_a_branch_around_a_loop_of_halves(where: str) -> None:
    """Lanes that the guard keeps out would wait in the loop for ever."""
    space, address = (f".{where}" if where else "", "%s" if "shared" in where else "%out")
    out = run(
        f""".shared .align 4 .b8 s[{4 * THREADS}]; .reg .b32 %s;
        shl.b32 %s, %t, 2; mov.b32 %r0, s; add.u32 %s, %s, %r0;
        mov.b32 %r1, 0x12345678; st.global.b32 [%out], %r1; st.shared.b32 [%s], %r1;
        and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 0; mov.b16 %h1, 0x1234; mov.b16 %h2, 0x4321; mov.b16 %h3, 7;
        @%p1 atom{space}.cas.b16 %h3, [{address}+2], %h1, %h2;
        ld{space}.b32 %r3, [{address}]; cvt.u32.u16 %r4, %h3; st.global.b32 [%out+4], %r3; st.global.b32 [%out+8], %r4;
        """,
        numbers(),
    )
    even = np.arange(THREADS) % 2 == 0
    assert (out[:, 1] == np.where(even, 0x43215678, 0x12345678)).all()
    assert (out[:, 2] == np.where(even, 0x1234, 7)).all()


def test_bytes_that_are_known_are_a_word() -> None:
    """Nothing is put together at run time of what the compiler knows."""
    body = "mov.u16 %h1, 0x101; mov.u16 %h2, 2; st.global.v4.u8 [%out], {%h1, %h2, %h1, %h2};"
    assert run(body, numbers())[:, 0].tolist() == [0x02010201] * THREADS
    text = f"{HEAD}.visible .entry k(.param .u64 a, .param .u64 b) {{ {START} {body} ret; }}"
    code = assemble(text).function("k").code
    assert "PRMT" not in [inst.mnemonic for inst in sass.decode_all(code, arch.get("sm_90"))]


CONSTANTS = (
    """
 ld.const.v2.u64 {%rd1,%rd3}, [%rd1]; cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd3; mov.u32 %r3, 1; mov.u32 %r4, 3;
""",
    """
 cvt.u32.u64 %r2, %rd1; ld.const.v4.u32 {%r1,%r2,%r3,%r4}, [%r2];
""",
    """
 cvt.u32.u64 %r2, %rd1; setp.ge.u32 %p1, %t, 0; @%p1 ld.const.v4.u32 {%r2,%r1,%r4,%r3}, [%r2];
 xor.b32 %r1, %r1, %r2; xor.b32 %r2, %r1, %r2; xor.b32 %r1, %r1, %r2;
 xor.b32 %r3, %r3, %r4; xor.b32 %r4, %r3, %r4; xor.b32 %r3, %r3, %r4;
""",
    *(
        f"""
 add.s64 %rd1, %rd1, {8192 - offset}; ld.const.v4.u32 {{%r1,%r2,%r3,%r4}}, [%rd1+{offset}];
 add.u32 %r1, %r1, -2048; add.u32 %r2, %r2, -2048; add.u32 %r3, %r3, -2048; add.u32 %r4, %r4, -2048;
"""
        for offset in (32752, 32764, 32768, -32768, -32772)
    ),
)


@pytest.mark.parametrize("body", CONSTANTS)
def test_vectors_of_constants(body: str) -> None:
    """Their elements are loaded one by one: over the address that they are loaded from, and beyond what an offset can
    be."""
    table = ".const .align 16 .u32 table[2560] = {" + ", ".join(str(n) for n in range(2560)) + "};"
    start = "mov.u64 %rd2, table; mul.wide.u32 %rd1, %t, 16; add.s64 %rd1, %rd1, %rd2;"
    out = run(f"{start} {body} st.global.v4.u32 [%out], {{%r1,%r2,%r3,%r4}};", numbers(), prologue=table)
    first = 4 * np.arange(THREADS)
    wanted = [first, first + 2, 0 * first + 1, 0 * first + 3] if "v2" in body else [first + n for n in range(4)]
    np.testing.assert_array_equal(out, np.stack(wanted, axis=1))


def test_a_cache_policy_is_no_size() -> None:
    """The last operand of an asynchronous copy that names one."""
    out = run(
        """.shared .align 16 .b8 s[2048]; mov.u32 %r9, s; shl.b32 %r8, %t, 4; add.u32 %r9, %r9, %r8;
        st.shared.v4.u32 [%r9], {%t, %t, %t, %t}; createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;
        cp.async.ca.shared.global.L2::cache_hint [%r9], [%in], 8, %rd1;
        cp.async.ca.shared.global.L2::cache_hint [%r9+8], [%in+8], 8, 4, %rd1; cp.async.wait_all;
        ld.shared.v4.u32 {%r1,%r2,%r3,%r4}, [%r9]; st.global.v4.u32 [%out], {%r1,%r2,%r3,%r4};""",
        numbers(),
    )
    wanted = numbers()
    wanted[:, 3] = 0
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("space", ["global", "shared"])
def test_matrices_at_the_last_offset(space: str) -> None:
    """What a lane has beside its first element is beyond it."""
    last = (1 << 23) - 32
    near, far = ("%rd1", "%rd2") if space == "global" else ("%r9", "%r8")
    out = run(
        f""".shared .align 32 .b8 s[1024]; mov.u32 %r9, s; ld.param.u64 %rd1, [b];
        setp.ge.u32 %p1, %t, 32; @%p1 ret; add.s64 %rd2, %rd1, -{last}; add.u32 %r8, %r9, -{last};
        mov.b32 %f1, %t; cvt.rn.f32.u32 %f2, %t; mov.f32 %f3, 3.0; mov.f32 %f4, 4.0;
        wmma.store.d.sync.aligned.row.m16n16k16.{space}.f32 [{far}+{last}],
            {{%f1, %f2, %f3, %f4, %f2, %f3, %f4, %f1}}, 16; bar.warp.sync -1;
        wmma.load.c.sync.aligned.row.m16n16k16.{space}.f32 {{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}}, [{near}], 16;
        bar.warp.sync -1; st.global.v4.f32 [%out], {{%f4, %f5, %f7, %f8}};""",
        numbers(64), 64,
    )[:32]  # fmt: skip
    lanes = np.arange(32, dtype=np.uint32)
    floats = lanes.astype(np.float32).view(np.uint32)
    fours = np.full(32, 4, np.float32).view(np.uint32)
    np.testing.assert_array_equal(out, np.stack([fours, floats, fours, lanes], axis=1))


def test_addresses_of_other_blocks_of_a_cluster_are_told_from_own_ones() -> None:
    body = "isspacep.shared::cluster %p1, %in; isspacep.shared::cta %p2, %in; isspacep.shared %p3, %in;"
    body += "".join(f"selp.u32 %r{n}, 1, 0, %p{n}; st.global.u32 [%out+{4 * n}], %r{n};" for n in (1, 2, 3))
    text = f"{HEAD}.visible .entry k(.param .u64 a, .param .u64 b) {{ {START} {body} ret; }}"
    code = sass.decode_all(assemble(text).function("k").code, arch.get("sm_90"))
    assert {inst.modifiers for inst in code if inst.mnemonic == "QSPC"} == {("E", "D"), ("E", "S")}


@pytest.mark.parametrize("level", [0, 3])
def test_parameters_in_the_upper_half_of_their_bank(level: int) -> None:
    """Offsets that are printed as negative ones, of loads and of operands (an H200 gives these words)."""
    from minicc import binary

    last = 32736
    text = f"""{HEAD}.visible .entry k(.param .u64 out, .param .u64 no, .param .align 4 .b8 p[{last + 4}]) {{
    .reg .b32 %r<9>, %t; .reg .b64 %out, %rd<9>; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
    ld.param.u32 %r1, [p+{last}]; mad.lo.u32 %r1, %t, %r1, %r1; mul.wide.u32 %rd1, %t, 4; mov.u64 %rd2, p;
    add.s64 %rd3, %rd1, %rd2; ld.param.u32 %r2, [%rd3+{last - 124}]; ld.param.u32 %r3, [%rd3];
    mad.wide.u32 %out, %t, 16, %out; st.global.v4.u32 [%out], {{%r1, %r2, %r3, %t}}; ret; }}"""
    words = 7 * np.arange(last // 4 + 1, dtype=np.uint32) + 3
    kernel: Any = device().load(binary.write_cubin(assemble(text, opt_level=level)))["k"]
    out = np.zeros((32, 4), np.uint32)
    kernel[(1,), (32,)](out, 0, words.tobytes())
    lanes = np.arange(32, dtype=np.uint32)
    np.testing.assert_array_equal(out, np.stack([words[-1] * (lanes + 1), words[-32:], words[:32], lanes], axis=1))
