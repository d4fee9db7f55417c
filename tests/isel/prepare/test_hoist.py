"""What two conditional blocks compute, one after the other, is computed once before both; what both sides do, too."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minicc import isel
from minicc.isel.prepare.hoist import hoist
from minicc.isel.prepare.sink import sink
from minicc.nvvm import ir, read
from tests.isel.run_ptx import ARCH, kernel, run_rows

TWO = """define ptx_kernel void @k(ptr %in, ptr %out) {{
entry:
  %x = load i64, ptr %in
  %w = trunc i64 %x to i32
  %p = and i64 %x, 1
  %if = icmp eq i64 %p, 0
  br i1 %if, label %first, label {after}
first:
  {one}
  store i64 1, ptr %a
  br label {end}
second:
  {other}
  store i64 2, ptr %b
  br label %end
join:
  %q = and i64 %x, 2
  %again = icmp eq i64 %q, 0
  br i1 %again, label %second, label %end
end:
  ret void
}}
declare i32 @llvm.ctlz.i32(i32, i1)"""
ADDRESSES = {
    "index": ("%{0} = getelementptr i64, ptr %out, i64 %x", 1),
    "extended": ("%{0}e = sext i32 %w to i64\n  %{0} = getelementptr i64, ptr %out, i64 %{0}e", 1),
    "counted": (
        "%{0}c = call i32 @llvm.ctlz.i32(i32 %w, i1 true)\n  %{0}e = zext i32 %{0}c to i64\n"
        "  %{0} = getelementptr i64, ptr %out, i64 %{0}e",
        1,
    ),
    "constant": ("%{0} = getelementptr i64, ptr %out, i64 3", 2),
    "loaded": ("%{0}l = load i64, ptr %in\n  %{0} = getelementptr i64, ptr %out, i64 %{0}l", 2),
}


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("exclusive", [False, True])
def test_one_address(name: str, exclusive: bool) -> None:
    lines, count = ADDRESSES[name]
    after, end = ("%second", "%end") if exclusive else ("%join", "%join")
    text = TWO.format(one=lines.format("a"), other=lines.format("b"), after=after, end=end)
    if exclusive:
        text = text[: text.index("join:")] + text[text.index("end:") :]
    function = read(text).functions["k"]
    hoist(function)
    found = [inst for inst in function.instructions() if inst.op == "getelementptr"]
    assert len(found) == count
    assert (found[0].parent is function.blocks[0]) == (len(found) == 1)
    for block in function.blocks:
        assert block.insts[-1].op in ("br", "ret") and all(inst.parent is block for inst in block.insts)


def test_one_of_three() -> None:
    """What two of a switch's three ways compute stays there; what both ways of a branch do has no phi left."""
    text = """define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  %x = load i64, ptr %in
  TERMINATOR
a:
  %m = mul i64 %x, 7
  br label %end
b:
  %n = mul i64 %x, 7
  br label %end
c:
  ret void
end:
  %both = phi i64 [ %m, %a ], [ %n, %b ]
  store i64 %both, ptr %out
  ret void
}"""
    branch = "%odd = trunc i64 %x to i1\n  br i1 %odd, label %a, label %b"
    switch = "switch i64 %x, label %c [ i64 1, label %a\n i64 2, label %b ]"
    for ways, products in ((branch, 1), (switch, 2)):
        function = read(text.replace("TERMINATOR", ways)).functions["k"]
        hoist(function)
        ops = [inst.op for inst in function.instructions()]
        assert ops.count("mul") == products and ops.count("phi") == products - 1


def test_invariant_comparisons() -> None:
    """Before the outermost loop that does not change their operands."""
    text = kernel("""entry:
  %x = load i64, ptr %in
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  br label %inner
inner:
  %n = phi i64 [ 0, %outer ], [ %m, %inner ]
  %m = add i64 %n, 1
  %invariant = icmp ult i64 %x, 9
  %middle = icmp eq i64 %i, %x
  %both = and i1 %invariant, %middle
  %last = icmp ult i64 %m, 5
  %go = and i1 %both, %last
  br i1 %go, label %inner, label %latch
latch:
  %j = add i64 %i, 1
  %again = icmp ult i64 %j, %x
  br i1 %again, label %outer, label %end""")
    function = read(text).functions["k"]
    hoist(function)
    _dominated(function)
    places = {inst.name: inst.parent.name for inst in function.instructions() if inst.parent and inst.op == "icmp"}
    assert places == {"invariant": "entry", "middle": "outer", "last": "inner", "again": "latch"}


OPS = ["add", "mul", "sub", "and", "or", "xor", "shl"]


@st.composite
def chains(draw: st.DrawFn) -> str:
    """Blocks of arithmetic behind conditions, in a loop, over the same few operands; each adds to a sum in memory."""
    lines = ["entry:"]
    for k in range(3):
        lines += [f"%p{k} = getelementptr i64, ptr %in, i64 {k}", f"%v{k} = load i64, ptr %p{k}"]
    lines += ["br label %head0", "head0:", "%i = phi i64 [ 0, %entry ], [ %j, %latch ]"]
    count = draw(st.integers(2, 5))
    for block in range(count):
        bit = 1 << draw(st.integers(0, 3))
        tested = draw(st.sampled_from(["%v0", "%v1", "%i"]))  # of these, the loop changes the last
        if block:
            lines.append(f"head{block}:")
        after = f"head{block + 1}" if block + 1 < count else "latch"
        lines += [f"%t{block} = and i64 {tested}, {bit}", f"%c{block} = icmp eq i64 %t{block}, 0"]
        lines += [f"br i1 %c{block}, label %body{block}, label %{after}", f"body{block}:"]
        known = ["%v0", "%v1", "%v2", "%i"]
        for k in range(draw(st.integers(1, 5))):
            op = draw(st.sampled_from(OPS))
            a, b = draw(st.sampled_from(known[:2] + known[4:])), draw(st.sampled_from(known))
            if op == "shl":
                lines.append(f"%s{block}_{k} = and i64 {b}, 7")
                b = f"%s{block}_{k}"
            name = f"%x{block}_{k}"
            flags = draw(st.sampled_from(["", "nuw ", "nsw "])) if op == "add" and a == b == "%i" else ""
            lines.append(f"{name} = {op} {flags}i64 {a}, {b}")
            known.append(name)
        lines += [f"%o{block} = load i64, ptr %out", f"%n{block} = add i64 %o{block}, {known[-1]}"]
        lines += [f"store i64 %n{block}, ptr %out", f"br label %{after}"]
    lines += ["latch:", "%j = add i64 %i, 1", "%go = icmp ult i64 %j, 4", "br i1 %go, label %head0, label %end"]
    return kernel("\n".join(lines))


@given(chains(), st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3))
@settings(max_examples=80, deadline=None)
def test_the_sum_stays(text: str, row: list[int]) -> None:
    """Beside the same code without any rewriting; every value is made before it is used."""
    function = read(text).functions["k"]
    hoist(function)
    _dominated(function)
    plain = isel.select(read(text), ARCH, isel.Options(opt_level=0))
    moved = isel.select(read(text), ARCH, isel.Options())
    assert run_rows(moved, [row], 1) == run_rows(plain, [row], 1)


def _dominated(function: ir.Function) -> None:
    """Within a block by place, between blocks by dominance."""
    from minicc.isel.order import dominators

    above = dominators(function)
    for block in function.blocks:
        done: set[ir.Value] = set()
        for inst in block.insts:
            for arg in inst.args:
                if isinstance(arg, ir.Inst) and inst.op != "phi":
                    at = above.get(block)
                    while at is not None and at is not arg.parent:
                        at = above.get(at)
                    assert arg in done or (arg.parent is not block and at is not None)
            done.add(inst)


def test_minima_sink() -> None:
    """A call that only computes moves to the block of its only use, as instructions do."""
    text = """declare i64 @llvm.umin.i64(i64, i64)
define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  %x = load i64, ptr %in
  %least = call i64 @llvm.umin.i64(i64 %x, i64 4)
  %if = icmp sgt i64 %x, 0
  br i1 %if, label %use, label %end
use:
  store i64 %least, ptr %out
  br label %end
end:
  ret void
}"""
    function = read(text).functions["k"]
    sink(function)
    assert [inst.op for inst in function.blocks[1].insts] == ["call", "store", "br"]
    module = isel.select(read(text), ARCH, isel.Options())
    assert run_rows(module, [[9], [3], [0]], 1) == [[4], [3], [0]]


@pytest.mark.parametrize(("other", "stays"), [("", True), ("  %y = add i16 %x, 1\n  store i16 %y, ptr %out\n", False)])
def test_what_a_load_extends_stays_with_it(other: str, stays: bool) -> None:
    text = f"""define ptx_kernel void @k(ptr %in, ptr %out, i1 %if) {{
entry:
  %x = load i16, ptr %in
  %wide = sext i16 %x to i32
{other}  br i1 %if, label %use, label %end
use:
  store i32 %wide, ptr %out
  br label %end
end:
  ret void
}}"""
    function = read(text).functions["k"]
    sink(function)
    assert ([inst.op for inst in function.blocks[1].insts] == ["store", "br"]) == stays


@pytest.mark.parametrize("there", [False, True])
def test_only_a_loop_needs_it(there: bool) -> None:
    """What is alike in all threads, and a loop alone uses, is made on the way into it, where that is one side of a
    branch; what differs stays. `there`: a block stands on that way."""
    text = """define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  %x = load i64, ptr %in
  %n = trunc i64 %x to i32
  %odd = or i32 %n, 1
  %place = ptrtoint ptr %in to i64
  %high = lshr i64 %place, 63
  %less = sub i64 3, %high
  %three = trunc i64 %less to i32
  %if = icmp sgt i32 %n, 0
  br i1 %if, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, %three
  %on = icmp slt i32 %next, %odd
  br i1 %on, label %loop, label %after
after:
  %wide = zext i32 %next to i64
  store i64 %wide, ptr %out
  br label %end
end:
  ret void
}"""
    if there:
        text = text.replace("label %loop, label %end\n", "label %before, label %end\nbefore:\n  br label %loop\n")
        text = text.replace("[ 0, %entry ]", "[ 0, %before ]")
    function = read(text).functions["k"]
    blocks = len(function.blocks)
    sink(function, hoist(function))
    place = {inst.op: inst.parent for inst in function.instructions()}
    way, loop = place["sub"], place["phi"]
    assert way is not None and way is not loop and way.successors == [loop] and place["trunc"] is way
    assert function.blocks[0].successors[0] is way and place["or"] is function.blocks[0]
    assert len(function.blocks) == blocks + (not there)
    assert next(inst for inst in function.instructions() if inst.op == "phi").blocks[0] is way
    module = isel.select(read(text), ARCH, isel.Options())
    rows = [[0], [1], [7], [100]]
    assert run_rows(module, rows, 1) == [[-(-(n | 1) // 3) * 3 if n else 0] for (n,) in rows]


DIVIDES = """entry:
  %n = load i32, ptr %in
  %at = getelementptr i64, ptr %in, i64 1
  %x = load i32, ptr %at
  %past = getelementptr i64, ptr %in, i64 2
  %y = load i32, ptr %past
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %sum = phi i32 [ 0, %entry ], [ %more, %join ]
  %known = icmp ne i32 %y, 0
  br i1 %known, label %divided, label %join
divided:
  %quotient = udiv i32 %x, %y
  %changing = udiv i32 %x, %i
  br label %join
join:
  %part = phi i32 [ 1, %loop ], [ %quotient, %divided ]
  %more = add i32 %sum, %part
  %next = add i32 %i, 1
  %go = icmp ult i32 %next, %n
  br i1 %go, label %loop, label %after
after:
  store i32 %more, ptr %out
  br label %end"""


@given(n=st.integers(0, 5), x=st.integers(0, 2**32 - 1), y=st.integers(0, 3))
def test_quotients_before_the_loop(n: int, x: int, y: int) -> None:
    """A division that a loop does not change is made before it, whatever it stands under; another one is not."""
    text = kernel(DIVIDES)
    function = read(text).functions["k"]
    hoist(function)
    homes = {inst.name: inst.parent.name for inst in function.instructions() if inst.op == "udiv" and inst.parent}
    assert homes == {"quotient": "entry", "changing": "divided"}
    module = isel.select(read(text), ARCH, isel.Options())
    assert run_rows(module, [[n, x, y]], 1) == [[max(n, 1) * (x // y if y else 1) % 2**32]]
