"""Spilling: what can be computed again is not stored, and what it is computed from stays right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minicc
from minicc import arch
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin, write_cubin
from minicc.ptxas import Options
from minicc.ptxas.mir import MFunction, MInst, V, VMem
from minicc.ptxas.operands import Components
from minicc.ptxas.registers.spill import Spiller
from minicc.ptxas.schedule.dag import build
from minicc.ptxas.timing import Distances, footprint
from runtime import Device
from tests.ptxas.conftest import assemble
from tests.ptxas.lower import harness

SM_90 = arch.get("sm_90")
BENCH = Path(__file__).parents[2] / "bench" / "kernels"
MANY = 40
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


def kernel(folder: Path, value: str) -> Path:
    """Forty values made from few before a loop, which waits at a barrier, and used in it and after it."""
    path = folder / "f.k"
    made = "".join(f"    int v{k} = {value.format(k=k, odd=2 * k + 3)};\n" for k in range(MANY))
    first = "".join(f"    s += p[v{k}];\n" for k in range(MANY))
    again = "".join(f"    q[v{k}] = s + {k};\n" for k in range(MANY))
    path.write_text(
        "__global__ void __launch_bounds__(64) f(const int *p, int *q, int a, int n)\n{\n"
        f"    int t = threadIdx.x * 512, s = 0;\n{made}"
        f"    for (int i = 0; i < n; i++) {{\n{first}    __syncthreads();\n    p += s & 1;\n    }}\n{again}}}\n"
    )
    return path


@pytest.mark.parametrize("value", ["(t + {k}) ^ a", "((t + {k}) ^ a) & 4095"])
def test_values_are_computed_again(value: str, tmp_path: Path) -> None:
    """The same results with few registers, and few loads of what was spilled."""
    path = kernel(tmp_path, value)
    rng = np.random.default_rng(1)
    p = rng.integers(0, 100, 1 << 16, dtype=np.int32)
    results = []
    for limit in ("", "-maxrregcount=24"):
        text = path.read_text()
        if limit:
            path.write_text(text.replace("__launch_bounds__(64) ", ""))
        image = minicc.compile(path, arch="sm_90", options=limit).cubin
        code = read_cubin(image, "f").functions[0]
        assert not limit or code.registers <= 24
        loads = sum(1 for i in instructions(code.code, SM_90) if i.mnemonic == "LDL")
        q = np.zeros(1 << 16, np.int32)
        Device().load(image)["f"][1, 64](p, q, 1, 3)
        results.append(q)
        assert loads < MANY // 3
    assert (results[0] == results[1]).all() and results[0].any()


def test_the_order_of_a_set_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is spilled comes as a set of objects, whose order is that of their addresses."""
    path = kernel(tmp_path, "v{k}")
    text = path.read_text().replace("__launch_bounds__(64) ", "").replace("int v0 = v0;", "int v0 = t ^ a;")
    for k in range(1, MANY):
        text = text.replace(f"int v{k} = v{k};", f"int v{k} = (v{k - 1} & a) + v{k // 2};")
    path.write_text(text)
    rewrite, images = Spiller.rewrite, []
    for order in (1, -1):

        def ordered(self: Spiller, spilled: Any, *rest: Any, order: int = order, **more: Any) -> None:
            rewrite(self, dict.fromkeys(sorted(spilled, key=lambda reg: order * reg.id)), *rest, **more)

        monkeypatch.setattr(Spiller, "rewrite", ordered)
        images.append(minicc.compile(path, arch="sm_90", options="-maxrregcount=28").cubin)
    assert images[0] == images[1]


@pytest.mark.parametrize("limit", [24, 32])
def test_no_order_is_worth_spill_code_that_the_programs_own_does_not_need(limit: int) -> None:
    """conv2d is straight code of few values at a time; with its loads ahead it took twice as long at 32 registers. What
    registers there are hold loads under way."""
    image = minicc.compile(BENCH / "conv2d.k", arch="sm_90", options=f"-maxrregcount={limit}").cubin
    code = read_cubin(image, "conv2d").functions[0]
    assert limit - 1 <= code.registers <= limit
    assert sum(1 for i in instructions(code.code, SM_90) if i.mnemonic in ("LDL", "STL")) < 16


def test_loads_do_not_wait_for_loads() -> None:
    """However many there are."""
    f = MFunction("f", True)
    base = f.new("R", 2)
    insts = [
        MInst("LDG", ("E",), (V(f.new("R")),), (VMem(V(base, 0, 2), 4 * k),), memory="load", space="global")
        for k in range(200)
    ]
    components = Components(f)
    nodes = build(insts, [footprint(i, components) for i in insts], Distances(SM_90))
    assert not any(node.succs for node in nodes)


def test_reloads_take_registers_that_have_been_free_for_long() -> None:
    """So that they can be made early and do not wait for one another."""
    loads = "".join(f"ld.global.u32 %r{k}, [%rd0+{4 * k}];" for k in range(48))
    sums = "".join(f"mad.lo.u32 %t, %t, %r{k}, %r{(k * 7 + 3) % 48};" for k in range(48))
    program = assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{{
.reg .b64 %rd<2>; .reg .b32 %r<48>, %t; ld.param.u64 %rd0, [x]; mov.u32 %t, %tid.x;
{loads} bar.sync 0; {sums} bar.sync 0; {sums} st.global.u32 [%rd0], %t; ret;
}}
""",
        Options(max_registers=32),
    )
    reloads = [str(i.operands[0]) for i in instructions(program.functions[0].code, SM_90) if i.mnemonic == "LDL"]
    assert len(reloads) > 48 and len(set(reloads)) > 12
    x = np.arange(1, 49, dtype=np.uint32)
    total, values = 0, x.tolist()
    for k in (*range(48), *range(48)):
        total = total * values[k] + values[(k * 7 + 3) % 48] & 0xFFFFFFFF
    Device().load(write_cubin(program))["k"][1, 1](x)
    assert x[0] == total


def test_a_spilled_predicate_beside_the_guard_it_is_made_under() -> None:
    """setp under a guard that it makes itself: what is behind it must not ask the new guard."""
    rng = np.random.default_rng(5)
    words = rng.integers(0, 4, (harness.THREADS, 4), dtype=np.uint32)
    lines = [f"setp.lt.u32 %p{k}, %a, {k % 4};" for k in range(1, 9)]
    lines += [f"@!%p{k} setp.lt.u32 %p{k % 8 + 1}|%p{k}, %b, {k % 3 + 1};" for k in range(1, 9)]
    lines += [f"selp.u32 %r, {1 << k}, 0, %p{k}; or.b32 %out, %out, %r;" for k in range(1, 9)]
    lines += [f"@%p{k} add.u32 %out, %out, {k << 9};" for k in range(1, 9)]
    text = (
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
        ".reg .pred %p<9>; .reg .b32 %a, %b, %r, %t, %out; .reg .b64 %d<3>;\n"
        "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %t, %tid.x;\n"
        "mad.wide.u32 %d1, %t, 16, %d1; mad.wide.u32 %d2, %t, 4, %d2;\n"
        "ld.global.u32 %a, [%d1]; ld.global.u32 %b, [%d1+4]; mov.u32 %out, 0;\n"
        + "\n".join(lines)
        + "\nst.global.u32 [%d2], %out; ret; }\n"
    )
    out = np.zeros(harness.THREADS, np.uint32)
    Device("sm_90").load(write_cubin(harness.assemble(text)))["k"][1, harness.THREADS](words, out)
    for t in range(harness.THREADS):
        a, b = int(words[t, 0]), int(words[t, 1])
        p = [False] + [a < k % 4 for k in range(1, 9)]
        for k in range(1, 9):
            if not p[k]:
                p[k % 8 + 1], p[k] = b < k % 3 + 1, b >= k % 3 + 1
        total = sum(1 << k for k in range(1, 9) if p[k]) + sum(k << 9 for k in range(1, 9) if p[k])
        assert out[t] == total, t


def test_a_spilled_value_beside_a_predicate_with_the_number_of_its_guard() -> None:
    """The last that is done under a guard makes a predicate, which gets its number, and a value, which is stored."""
    count = 30
    x = [f"%x{k}" for k in range(count)]
    work = [f"ld.global.u32 {name}, [%d1+{4 * k}];" for k, name in enumerate(x)]
    work += [f"mad.lo.u32 {x[k]}, {x[(k + 5) % count]}, {k + 3}, {x[(7 * k + 1) % count]};" for k in range(count)] * 3
    work += [f"mad.lo.u32 %s, %s, 7, {x[k]}; xor.b32 {x[(k + 11) % count]}, {x[(k + 11) % count]}, %s;"
             for k in range(count)]  # fmt: skip
    text = f"""{HEAD}.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{
.reg .pred %p<5>, %q<5>; .reg .b32 %x<{count}>, %a, %n, %t, %r, %s, %u; .reg .b64 %d<3>;
ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;
mad.wide.u32 %d1, %t, 4, %d1; mad.wide.u32 %d2, %t, 12, %d2; ld.global.u32 %a, [%d1];
{"".join(f"setp.lt.u32 %q{k}, %a, {(k + 8) << 27}; " for k in range(5))}
setp.lt.u32 %p1, %n, 10; setp.lt.u32 %p3, %n, 8;
@%p1 shfl.sync.down.b32 %r|%p2, %a, %n, 31, -1;
and.pred %p4, %p2, %p3; mov.u32 %u, 1; @%p4 mov.u32 %u, 2; st.global.u32 [%d2], %u; bar.sync 0; mov.u32 %s, 0;
{" ".join(work)}
st.global.u32 [%d2+4], %s; @!%p3 mov.u32 %r, 77; {"".join(f"@%q{k} add.u32 %r, %r, {k + 1}; " for k in range(5))}
st.global.u32 [%d2+8], %r; ret; }}
"""
    a = np.random.default_rng(5).integers(0, 1 << 32, 128, dtype=np.uint32)
    program = harness.assemble(text, max_registers=20, disable=frozenset({"schedule"}))
    out = np.zeros(96, np.uint32)
    Device("sm_90").load(write_cubin(program))["k"][1, 32](a, out, 7)
    for t in range(32):
        added = sum(k + 1 for k in range(5) if a[t] < (k + 8) << 27)
        assert out[3 * t] == (2 if t + 7 < 32 else 1)
        assert out[3 * t + 2] == int(a[t + 7 if t + 7 < 32 else t]) + added & 0xFFFFFFFF
