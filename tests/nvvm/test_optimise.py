# ruff: noqa: E501
"""LLVM as the middle end."""

from __future__ import annotations

import re
import subprocess
import sys
import threading

import llvmlite.binding
import pytest

from minicc import frontend, nvvm
from minicc.diagnostics import CompileError, SourceFile
from minicc.frontend.options import Options as Source
from minicc.nvvm import llvm, powers
from tests.nvvm.samples import VADD


def test_address_spaces_are_inferred() -> None:
    text = nvvm.optimise(VADD, nvvm.Options())
    assert "load float, ptr addrspace(1)" in text
    assert "!invariant.load" in text
    assert "p3:32:32" in text


def test_long_pointers() -> None:
    text = nvvm.optimise(VADD, nvvm.Options(short_pointers=False))
    assert "p3:32:32" not in text
    assert "p3:32:32" in nvvm.optimise(VADD, nvvm.Options())


def test_unoptimised() -> None:
    """At -O0 the code keeps its shape; what must be inlined is."""
    inner = (
        "define internal i32 @g(i32 %x) alwaysinline {\n  %y = add i32 %x, 1\n  %z = add i32 %y, 2\n  ret i32 %z\n}\n"
    )
    outer = "define ptx_kernel void @k(ptr %p) {\n  %v = load i32, ptr %p\n  %a = call i32 @g(i32 %v)\n  store i32 %a, ptr %p\n  ret void\n}\n"
    text = nvvm.optimise(inner + outer, nvvm.Options(opt_level=0))
    assert text.count("= add i32") == 2 and "call i32 @g" not in text
    assert nvvm.optimise(inner + outer, nvvm.Options()).count("= add i32") == 1


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_deterministic(level: int) -> None:
    options = nvvm.Options(opt_level=level)
    assert nvvm.optimise(VADD, options) == nvvm.optimise(VADD, options)


def test_llvm_does_what_llvmlite_has_it_do() -> None:
    """Reading, a pass, the middle end, printing, code generation and errors, beside llvmlite's own Python."""
    nvvm.load()
    triple = "nvptx64-nvidia-cuda"
    ours, machine = llvm.Module(VADD, triple), llvm.Machine(triple, "sm_90", "+ptx80", 3)
    theirs = llvmlite.binding.parse_assembly(VADD)
    theirs.triple = triple
    target = llvmlite.binding.Target.from_triple(triple).create_target_machine(cpu="sm_90", features="+ptx80", opt=3)
    assert machine.layout == str(target.target_data)
    for whole in (False, True):
        tuning = llvmlite.binding.create_pipeline_tuning_options(3)
        tuning.loop_vectorization = False
        builder = llvmlite.binding.create_pass_builder(target, tuning)
        manager = builder.getModulePassManager() if whole else llvmlite.binding.create_new_module_pass_manager()
        if not whole:
            manager.add_sroa_pass()
        manager.run(theirs, builder)
        ours.run(machine, *([] if whole else ["SROA"]))
        ours.verify()
        assert str(ours) == str(theirs)
    assert machine.assembly(ours) == target.emit_assembly(theirs)
    for text in ("define void @f( {", "define i32 @f() { ret void }"):
        with pytest.raises(RuntimeError) as told:
            llvmlite.binding.parse_assembly(text).verify()
        with pytest.raises(RuntimeError) as ours_told:
            llvm.Module(text, triple).verify()
        assert str(ours_told.value) == str(told.value).removeprefix("LLVM IR parsing error\n")


def test_narrow_atomics_become_loops() -> None:
    ir = "define ptx_kernel void @k(ptr %p) {\n  %o = atomicrmw add ptr %p, i8 1 monotonic\n  ret void\n}\n"
    for level in (0, 3):
        text = nvvm.optimise(ir, nvvm.Options(opt_level=level))
        assert "cmpxchg" in text and "i32" in text


def test_the_peer() -> None:
    assert ".visible .entry vadd" in nvvm.nvptx(VADD, nvvm.Options())
    assert "stop-after" not in nvvm.nvptx(VADD, nvvm.Options())


def test_errors_point_into_the_text() -> None:
    with pytest.raises(CompileError) as caught:
        nvvm.optimise("define void @f() {\n  %x = add i32 1, 2.5\n  ret void\n}", nvvm.Options(source_name="t.ll"))
    assert str(caught.value.diagnostics[0].where) == "t.ll:2:19"


def test_invalid_ir() -> None:
    with pytest.raises(CompileError) as caught:
        nvvm.optimise(
            "define ptx_kernel void @f() {\n  br label %a\na:\n  %x = add i32 %x, 1\n  ret void\n}", nvvm.Options()
        )
    assert caught.value.diagnostics[0].code == "nvvm.verify"


def test_threads() -> None:
    """The process-wide options are set under a lock: peers and preparations do not mix."""
    wrong: list[str] = []

    def work(peer: bool) -> None:
        for _ in range(5):
            text = nvvm.nvptx(VADD, nvvm.Options()) if peer else nvvm.optimise(VADD, nvvm.Options())
            if (".visible .entry" in text) != peer:
                wrong.append(text[:200])

    threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_imports_stay_small() -> None:
    """None of the heavy libraries is loaded on the compile path."""
    code = (
        "import sys, minicc.nvvm, minicc.isel\n"
        "bad = {'numpy', 'numba', 'networkx', 'rich', 'hypothesis', 'lark'} & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_around_the_quadratic_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline in two halves gives what it gives in one, where the pass between them finds nothing; not where it
    does (three multiples of one stride); and what is compiled next has that pass again."""
    stride = "define ptx_kernel void @k(ptr %p, i32 %b, i32 %s) {\n"
    for i in range(1, 4):
        stride += f"  %m{i} = mul i32 %s, {i}\n  %a{i} = add i32 %b, %m{i}\n  store volatile i32 %a{i}, ptr %p\n"
    stride += "  ret void\n}\n"
    whole = [nvvm.optimise(ir, nvvm.Options()) for ir in (VADD, stride)]
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["minicc.nvvm.optimise"], "_SLSR_LIMIT", -1)
        vadd, without = (nvvm.optimise(ir, nvvm.Options()) for ir in (VADD, stride))
    assert _code(vadd) == _code(whole[0])
    assert _code(without) != _code(whole[1]) and "mul" in without and "mul" not in whole[1]
    assert [nvvm.optimise(ir, nvvm.Options()) for ir in (VADD, stride)] == whole


def test_long_blocks_go_around_it() -> None:
    rows = ["  %v0 = load i32, ptr %p"]
    rows += [f"  %a{i} = add i32 %v{i}, {i * i + 3}\n  %v{i + 1} = xor i32 %a{i}, %n" for i in range(2000)]
    body = "\n".join([*rows, "  store i32 %v2000, ptr %p", "  ret void"])
    text = nvvm.optimise(f"define ptx_kernel void @k(ptr %p, i32 %n) {{\n{body}\n}}\n", nvvm.Options())
    assert "ptr addrspace(1)" in text and text.count(" = add i32") == 2000


def _code(ir: str) -> list[str]:
    return [line for line in ir.splitlines() if line.startswith("  ")]


def test_an_else_if_on_floats_is_selected() -> None:
    """`if (a > 30) a = 30; else if (a < -30) a = -30;` through memory, as the frontend writes it: no branch is left."""
    text = """define void @k(ptr %p) {
      %s = alloca float
      %x = load float, ptr %p
      store float %x, ptr %s
      %c = fcmp ogt float %x, 3.0e+01
      br i1 %c, label %high, label %else
    high:
      store float 3.0e+01, ptr %s
      br label %end
    else:
      %y = load float, ptr %s
      %d = fcmp olt float %y, -3.0e+01
      br i1 %d, label %low, label %join
    low:
      store float -3.0e+01, ptr %s
      br label %join
    join:
      br label %end
    end:
      %z = load float, ptr %s
      store float %z, ptr %p
      ret void
    }
    """
    made = nvvm.optimise(text, nvvm.Options())
    assert " br " not in made
    assert made.count("select i1") == 2


@pytest.mark.parametrize(("sum_", "straight"), [("delta * r", True), ("n * r", False)])
def test_rounds_whose_sums_are_constants_are_written_out(sum_: str, straight: bool) -> None:
    """32 rounds of XTEA: what hangs on the round alone is no instruction once they are. Too long where it is."""
    text = f"""__global__ void k(unsigned *v, const unsigned *key, unsigned n) {{
      unsigned a = v[0], b = v[1], delta = 0x9E3779B9;
      for (unsigned r = 0; r < 32; r++) {{
        unsigned sum = {sum_}, next = sum + delta;
        a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + key[sum & 3]);
        b += (((a << 4) ^ (a >> 5)) + a) ^ (next + key[(next >> 11) & 3]);
      }}
      v[0] = a; v[1] = b; }}"""
    made = nvvm.optimise(frontend.compile(SourceFile("a.cu", text), Source()), nvvm.Options())
    assert (" br i1 " not in made) == straight


def test_steps_whose_conditions_are_constants_are_written_out() -> None:
    """64 steps of MD5, which ask in which quarter they are."""
    text = """__constant__ unsigned K[64]; __global__ void k(unsigned *v, const unsigned *m) {
      unsigned a = v[0], b = v[1], c = v[2], d = v[3];
      for (int i = 0; i < 64; i++) {
        unsigned f; int g;
        if (i < 16) { f = (b & c) | (~b & d); g = i; }
        else if (i < 32) { f = (d & b) | (~d & c); g = (5 * i + 1) & 15; }
        else if (i < 48) { f = b ^ c ^ d; g = (3 * i + 5) & 15; }
        else { f = c ^ (b | ~d); g = (7 * i) & 15; }
        unsigned x = a + f + K[i] + m[g];
        a = d; d = c; c = b; b += x << 7 | x >> 25; }
      v[0] = a; v[1] = b; v[2] = c; v[3] = d; }"""
    made = nvvm.optimise(frontend.compile(SourceFile("a.cu", text), Source()), nvvm.Options())
    assert " br i1 " not in made


SERIES = """
define internal double @__minicc_series(double %x) convergent nounwind mustprogress alwaysinline {
  %slot = alloca double
  store double %x, ptr %slot
  br label %test
test:
  %y = load double, ptr %slot
  %small = fcmp olt double %y, 1.0
  br i1 %small, label %scale, label %rest
scale:
  %big = fmul double %y, 3.0
  store double %big, ptr %slot
  br label %test
rest:
  %z = fdiv double %y, 7.0
  ret double %z
}
define ptx_kernel void @k(ptr %p) {
  %v = load double, ptr %p
  %a = call double @__minicc_series(double %v)
  %first = fcmp olt double %a, 4.0
  br i1 %first, label %done, label %next
next:
  %b = call double @__minicc_series(double %v)
  %second = fcmp olt double %b, 5.0
  br i1 %second, label %done, label %last
last:
  %c = call double @__minicc_series(double %v)
  %d = fmul double %c, %c
  br label %done
done:
  %r = phi double [0.0, %0], [1.0, %next], [%d, %last]
  store double %r, ptr %p
  ret void
}
"""


@pytest.mark.parametrize("shared", ["", "@s = internal addrspace(3) global [4 x i32] undef\n"])
def test_functions_that_only_compute_are_called_once(shared: str) -> None:
    """Inlined, three copies with branches of their own would stay three."""
    assert nvvm.optimise(shared + SERIES, nvvm.Options()).count("fdiv") == 1


LEAST = """
__global__ void k(const unsigned char *x, unsigned char *y, int n) {
    unsigned char least = 255;
    for (int i = 0; i < n; i++) least = x[i] < least ? x[i] : least;
    y[0] = least;
}
"""


def test_loops_over_bytes_are_not_vectorised() -> None:
    """Four bytes at once are four operations, and a short loop takes the turns one by one."""
    text = nvvm.optimise(frontend.compile(SourceFile("k.cu", LEAST), Source()), nvvm.Options())
    assert "@llvm.umin.i8" in text and "x i8>" not in text


TILES = """
struct Place { int at[9]; };
__global__ void k(float *o, float *x, int n, int m) {
    __shared__ float tile[4][128];
    float sum[4] = {};
    for (int p = 0; p < n; p++) {
        if (x[p] > 0)
            for (int i = 0; i < 4; i++) tile[threadIdx.y][threadIdx.x * 4 + i] = x[m * p + threadIdx.x + i * 32];
        __syncthreads();
        for (int i = 0; i < 4; i++)
            for (int g = 0; g < 4; g++) sum[g] += tile[i][g + threadIdx.x * 4];
        __syncthreads();
    }
    for (int g = 0; g < 4; g++) o[g * 32 + threadIdx.x] = sum[g];
}
__global__ void at(int *o, AGGREGATE p) { o[1] = p.at[o[2]]; }
"""


@pytest.mark.parametrize("aggregate", ["Place &", "Place"])
def test_a_kernel_does_not_know_less_of_shared_memory_for_another_with_an_aggregate(aggregate: str) -> None:
    source = SourceFile("k.cu", TILES.replace("AGGREGATE", aggregate))
    text = nvvm.optimise(frontend.compile(source, Source()), nvvm.Options())
    first, second = text.split("define ptx_kernel void")[1:]
    assert first.count("load <4 x float>, ptr addrspace(3)") == 4
    assert (" byval([36 x i8])" in second) == (aggregate == "Place")


@pytest.mark.parametrize(("power", "shift"), [(1, True), (4, True), (6, False)])
def test_a_frozen_power_of_two_divides_by_a_shift(power: int, shift: bool) -> None:
    """The source freezes divisors; what LLVM made of a loop's was a division a turn (Perlin noise: 1.8 of nvcc's)."""
    body = f"""  %s = shl i32 {power}, %n
  %f = freeze i32 %s
  %q = udiv i32 %x, %f
  %r = urem i32 %x, %f
  %d = sub i32 %q, %r
  store i32 %d, ptr %p
  ret void
"""
    text = nvvm.optimise(f"define ptx_kernel void @k(ptr %p, i32 %x, i32 %n) {{\n{body}}}\n", nvvm.Options())
    assert (not re.search(r"\bu(div|rem)\b", text)) == shift and "freeze" in text
    assert powers.possible(body) and not powers.possible(body.replace(", %n", ", 3"))
