"""Kernels with real calls, as PTX, and what they compute: recursion, function pointers, many arguments, divergence.

Each kernel takes (out, n): thread i of n writes out[i], 32 bits. `EXPECTED[kernel](i)` is the value.
"""

from __future__ import annotations

from collections.abc import Callable

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
MASK = 0xFFFFFFFF


def kernel(name: str, body: str) -> str:
    return f"""
.visible .entry {name}(.param .u64 out, .param .u32 n)
{{
    .reg .pred %p<8>; .reg .b32 %r<80>; .reg .b64 %rd<16>;
    mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;
    ld.param.u32 %r3, [n]; setp.ge.u32 %p0, %r0, %r3; @%p0 ret;
    {body}
    ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r0, 4, %rd0; st.global.u32 [%rd0], %r10; ret;
}}
"""


def call(result: str, function: str, *arguments: str) -> str:
    """A call in the form that nvcc writes."""
    lines = ["{ .param .b32 back;"]
    for k, argument in enumerate(arguments):
        lines.append(f".param .b32 a{k}; st.param.b32 [a{k}], {argument};")
    names = ", ".join(f"a{k}" for k in range(len(arguments)))
    target, _, prototype = function.partition(" ")
    tail = f", {prototype}" if prototype else ""
    lines.append(f"call (back), {target}, ({names}){tail}; ld.param.b32 {result}, [back]; }}")
    return " ".join(lines)


FIB = f"""
.func (.param .b32 ret) fib(.param .b32 x)
{{
    .reg .pred %p<2>; .reg .b32 %r<8>;
    ld.param.u32 %r1, [x]; setp.lt.u32 %p1, %r1, 2; @%p1 bra done;
    sub.u32 %r2, %r1, 1; {call("%r3", "fib", "%r2")}
    sub.u32 %r2, %r1, 2; {call("%r4", "fib", "%r2")}
    add.u32 %r1, %r3, %r4;
done:
    st.param.b32 [ret], %r1; ret;
}}
"""

# Two functions that call each other, with work before and after the call, and a return in the middle.
PARITY = f"""
.func (.param .b32 ret) odd(.param .b32 x);
.func (.param .b32 ret) even(.param .b32 x)
{{
    .reg .pred %p<3>; .reg .b32 %r<8>;
    ld.param.u32 %r1, [x]; setp.eq.u32 %p1, %r1, 0;
    @%p1 st.param.b32 [ret], 1;
    @%p1 ret;
    and.b32 %r2, %r1, 3; setp.eq.u32 %p2, %r2, 2;
    sub.u32 %r3, %r1, 1; {call("%r4", "odd", "%r3")}
    @%p2 add.u32 %r4, %r4, 100;
    st.param.b32 [ret], %r4; ret;
}}
.func (.param .b32 ret) odd(.param .b32 x)
{{
    .reg .pred %p<3>; .reg .b32 %r<8>;
    ld.param.u32 %r1, [x]; setp.ne.u32 %p1, %r1, 0; @%p1 bra go;
    st.param.b32 [ret], 0; ret;
go: sub.u32 %r3, %r1, 1; {call("%r4", "even", "%r3")}
    add.u32 %r4, %r4, 1; st.param.b32 [ret], %r4; ret;
}}
"""


def _parity(x: int) -> int:
    """even(x)"""
    even = odd = 0
    for k in range(x + 1):
        even, odd = (
            1 if k == 0 else odd + (100 if k & 3 == 2 else 0),
            0 if k == 0 else even + 1,
        )
    return even


_MANY = 20
MANY = (
    ".func (.param .align 8 .b8 ret[96]) many("
    + ", ".join(f".param .b32 x{k}" for k in range(_MANY))
    + ", .param .b64 wide) {\n.reg .b32 %r<40>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [wide]; cvt.u32.u64 %r30, %rd1;"
    + " shr.u64 %rd2, %rd1, 32; cvt.u32.u64 %r31, %rd2;\n"
    + "\n".join(f"ld.param.u32 %r{k}, [x{k}];" for k in range(_MANY))
    + "\n"
    + "\n".join(f"mad.lo.u32 %r{k}, %r{k}, %r30, %r31; st.param.b32 [ret+{4 * k}], %r{k};" for k in range(_MANY))
    + "\nst.param.b64 [ret+80], %rd1; st.param.b64 [ret+88], %rd2; ret; }\n"
)
_MANY_BODY = (
    "mov.u64 %rd1, 0x700000003; { .param .align 8 .b8 back[96]; .param .b64 w; st.param.b64 [w], %rd1; "
    + " ".join(f".param .b32 a{k}; add.u32 %r20, %r0, {k * k}; st.param.b32 [a{k}], %r20;" for k in range(_MANY))
    + " call (back), many, ("
    + ", ".join(f"a{k}" for k in range(_MANY))
    + ", w); mov.u32 %r10, 0;"
    + " ".join(f"ld.param.b32 %r20, [back+{4 * k}]; mad.lo.u32 %r10, %r10, 31, %r20;" for k in range(_MANY))
    + " ld.param.b32 %r20, [back+88]; add.u32 %r10, %r10, %r20; }"
)


def _many(i: int) -> int:
    total = 0
    for k in range(_MANY):
        total = (total * 31 + (i + k * k) * 3 + 7) & MASK
    return (total + 7) & MASK


POINTERS = """
.func (.param .b32 ret) twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; shl.b32 %r1, %r1, 1;
    st.param.b32 [ret], %r1; ret; }
.func (.param .b32 ret) square(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r1, %r1, %r1;
    st.param.b32 [ret], %r1; ret; }
.func (.param .b32 ret) sum(.param .b32 x) { .reg .pred %p<2>; .reg .b32 %r<4>; ld.param.u32 %r1, [x]; mov.u32 %r2, 0;
next: setp.eq.u32 %p1, %r1, 0; @%p1 bra out; add.u32 %r2, %r2, %r1; sub.u32 %r1, %r1, 1; bra next;
out: st.param.b32 [ret], %r2; ret; }
.func (.param .b32 ret) pair(.param .b32 x) { .reg .pred %p<3>; .reg .b32 %r<3>; ld.param.u32 %r1, [x];
    and.b32 %r2, %r1, 4; setp.eq.u32 %p1, %r2, 0; setp.gt.and.u32 %p2, %r1, 9, %p1; selp.b32 %r1, 1, 0, %p2;
    st.param.b32 [ret], %r1; ret; }
.global .align 8 .u64 table[4] = {twice, square, sum, pair};
"""
"""The last returns one bit in the register of its argument, of which it asks for another."""
_POINTER_BODY = f"""
    rem.u32 %r4, %r0, 4; mov.u64 %rd1, table; mad.wide.u32 %rd1, %r4, 8, %rd1; ld.global.u64 %rd2, [%rd1];
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    {call("%r10", "%rd2 proto", "%r0")}
    setp.gt.u32 %p1, %r0, 40; mov.u64 %rd3, square; mov.u64 %rd4, twice; selp.u64 %rd3, %rd3, %rd4, %p1;
    {call("%r11", "%rd3 proto", "%r10")}
    add.u32 %r10, %r10, %r11;
"""


def _pointers(i: int) -> int:
    functions: list[Callable[[int], int]] = [
        lambda x: 2 * x,
        lambda x: x * x,
        lambda x: x * (x + 1) // 2,
        lambda x: int(x > 9 and not x & 4),
    ]
    first = functions[i % 4](i)
    return (first + (functions[1](first) if i > 40 else functions[0](first))) & MASK


# Many values and predicates live across a call in a loop of which each thread does another number of rounds.
_LIVE = 40
LIVE = f"""
.func (.param .b32 ret) mixed(.param .b32 x, .param .b32 y)
{{
    .reg .pred %p<9>; .reg .b32 %r<80>;
    ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; setp.gt.u32 %p1, %r1, 5; mov.u32 %r3, %r1;
    @!%p1 bra small;
    {"".join(f"mad.lo.u32 %r{10 + k}, %r1, {k + 3}, %r2; " for k in range(_LIVE))}
    sub.u32 %r4, %r1, 3; {call("%r5", "mixed", "%r4", "%r2")}
    {"".join(f"mad.lo.u32 %r5, %r5, 3, %r{10 + k}; " for k in range(_LIVE))}
    mov.u32 %r3, %r5;
small:
    @%p1 add.u32 %r3, %r3, 1;
    st.param.b32 [ret], %r3; ret;
}}
"""


def _mixed(x: int, y: int) -> int:
    if x <= 5:
        return x
    total = _mixed(x - 3, y)
    for k in range(_LIVE):
        total = (total * 3 + x * (k + 3) + y) & MASK
    return (total + 1) & MASK


_LIVE_BODY = f"""
    mov.u32 %r10, 0; and.b32 %r4, %r0, 7; setp.lt.u32 %p2, %r0, 17;
again:
    {call("%r5", "mixed", "%r4", "%r0")}
    mad.lo.u32 %r10, %r10, 5, %r5; @%p2 add.u32 %r10, %r10, 9;
    sub.u32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 0; @!%p1 bra again;
"""


def _live(i: int) -> int:
    total = 0
    for x in range(i & 7, -1, -1):
        total = (total * 5 + _mixed(x, i) + (9 if i < 17 else 0)) & MASK
    return total


# Deep divergence inside a function: more barriers than a callee may use freely.
def _nest(level: int) -> str:
    if level == 9:
        return call("%r4", "nested", "%r3") + " add.u32 %r2, %r2, %r4;"
    return f"""
    {{ .reg .pred %q; .reg .b32 %t; shr.u32 %t, %r1, {level % 5}; and.b32 %t, %t, 1; setp.eq.u32 %q, %t, 0;
    @%q bra else{level}; {_nest(level + 1)} mad.lo.u32 %r2, %r2, 3, {level}; bra join{level};
    else{level}: mad.lo.u32 %r2, %r2, 7, %r1; join{level}: add.u32 %r2, %r2, 1; }}"""


NEST = f"""
.func (.param .b32 ret) nested(.param .b32 x)
{{
    .reg .pred %p<9>; .reg .b32 %r<9>;
    ld.param.u32 %r1, [x]; mov.u32 %r2, %r1; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; shr.u32 %r3, %r1, 5;
    {_nest(0)}
end:
    st.param.b32 [ret], %r2; ret;
}}
"""


def _nested(x: int) -> int:
    def inner(level: int, total: int) -> int:
        if level == 9:
            return (total + _nested(x >> 5)) & MASK
        if x >> (level % 5) & 1:
            total = (inner(level + 1, total) * 3 + level) & MASK
        else:
            total = (total * 7 + x) & MASK
        return (total + 1) & MASK

    return inner(0, x) if x else 0


# A stack array whose address is passed on, and a callee with shared memory.
ARRAY = """
.shared .align 4 .b8 cells[1024];
.func fill(.param .b64 at, .param .b32 count)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [count];
go: setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 %r1, %r1, 1;
    mad.wide.u32 %rd2, %r1, 4, %rd1; mul.lo.u32 %r2, %r1, %r1; st.u32 [%rd2], %r2;
    mov.u32 %r3, %tid.x; and.b32 %r3, %r3, 255; shl.b32 %r3, %r3, 2; st.shared.u32 [cells+%r3], %r2; bra go;
}
"""
ARRAY = ARRAY.replace("[cells+%r3]", "[%r3]").replace(
    "shl.b32 %r3, %r3, 2;", "shl.b32 %r3, %r3, 2; { .reg .b32 %c; mov.u32 %c, cells; add.u32 %r3, %r3, %c; }"
)
_ARRAY_BODY = """
    .local .align 8 .b8 depot[64];
    mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; and.b32 %r4, %r0, 15; add.u32 %r5, %r4, 1;
    { .param .b64 a; .param .b32 c; st.param.b64 [a], %rd2; st.param.b32 [c], %r5; call fill, (a, c); }
    mad.wide.u32 %rd3, %r4, 4, %rd1; ld.local.u32 %r10, [%rd3];
    mov.u32 %r6, cells; mov.u32 %r7, %tid.x; and.b32 %r7, %r7, 255; shl.b32 %r7, %r7, 2; add.u32 %r6, %r6, %r7;
    ld.shared.u32 %r8, [%r6]; add.u32 %r10, %r10, %r8;
"""

# Memory taken at run time, below which the callee's frame begins, written before the call and read after it. Around the
# call values are stored and loaded that have no registers: from the frame, not from there.
TAKEN = f"""
.func (.param .b32 ret) taken(.param .b32 x, .param .b32 y)
{{
    .reg .pred %p<3>; .reg .b32 %r<60>; .reg .b64 %rd<5>;
    ld.param.u32 %r1, [x]; ld.param.u32 %r7, [y]; mov.u32 %r2, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra end;
    and.b32 %r3, %r7, 3; add.u32 %r3, %r3, 2; mul.wide.u32 %rd1, %r3, 4; alloca.u64 %rd2, %rd1, 16; mov.u32 %r4, 0;
put: mad.lo.u32 %r5, %r1, %r4, 1; mad.wide.u32 %rd3, %r4, 4, %rd2; st.local.u32 [%rd3], %r5;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r3; @%p2 bra put;
    {"".join(f"mad.lo.u32 %r{10 + k}, %r7, {k + 3}, %r1; " for k in range(_LIVE))}
    xor.b32 %r8, %r7, %r20; sub.u32 %r6, %r1, 1; {call("%r2", "taken", "%r6", "%r8")} mov.u32 %r4, 0;
    {"".join(f"mad.lo.u32 %r2, %r2, 3, %r{10 + k}; " for k in range(_LIVE))}
take: mad.wide.u32 %rd3, %r4, 4, %rd2; ld.local.u32 %r5, [%rd3]; mad.lo.u32 %r2, %r2, 3, %r5;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r3; @%p2 bra take;
end: st.param.b32 [ret], %r2; ret;
}}
"""


def _taken(x: int, y: int) -> int:
    if not x:
        return 1
    total = _taken(x - 1, y ^ (y * 13 + x & MASK))
    for k in range(_LIVE):
        total = total * 3 + y * (k + 3) + x & MASK
    for k in range((y & 3) + 2):
        total = total * 3 + x * k + 1 & MASK
    return total


KERNELS = {
    "fibonacci": kernel("fibonacci", "and.b32 %r4, %r0, 15; " + call("%r10", "fib", "%r4")),
    "parity": kernel("parity", "and.b32 %r4, %r0, 15; " + call("%r10", "even", "%r4")),
    "many_words": kernel("many_words", _MANY_BODY),
    "pointers": kernel("pointers", _POINTER_BODY),
    "live": kernel("live", _LIVE_BODY),
    "nests": kernel("nests", call("%r10", "nested", "%r0")),
    "arrays": kernel("arrays", _ARRAY_BODY),
    "taking": kernel("taking", "and.b32 %r4, %r0, 1; " + call("%r10", "taken", "%r4", "%r0")),
}
EXPECTED: dict[str, Callable[[int], int]] = {
    "fibonacci": lambda i: [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610][i & 15],
    "parity": lambda i: _parity(i & 15),
    "many_words": _many,
    "pointers": _pointers,
    "live": _live,
    "nests": _nested,
    "arrays": lambda i: (i & 15) ** 2,
    "taking": lambda i: _taken(i & 1, i),
}
MODULE = HEAD + FIB + PARITY + MANY + POINTERS + LIVE + NEST + ARRAY + TAKEN + "".join(KERNELS.values())
