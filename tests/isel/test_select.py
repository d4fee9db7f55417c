# ruff: noqa: E501
"""What `select` writes for chosen inputs, its errors, its explanations, and how it compares with LLVM's own backend."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc import arch, isel, nvvm, ptx
from minicc.diagnostics import CompileError
from minicc.isel.cover.explain import Explanation
from minicc.ptx import model
from tests.conftest import PTXAS, needs_ptxas
from tests.counting import calls
from tests.isel.run_ptx import ARCH, compile_ir, run_rows
from tests.nvvm.samples import VADD

HEAD = 'target triple = "nvptx64-nvidia-cuda"\n'


def body(ir: str, level: int = 3) -> list[str]:
    """Instruction texts of the first kernel."""
    module = compile_ir(HEAD + ir, level)
    entry = next(f for f in module.functions if f.entry)
    text = ptx.format(module)
    assert entry.body is not None
    return [" ".join(line.strip().rstrip(";").split()) for line in text.split("\n") if re.match(r"\s+[@a-z]", line)]


def names(ir: str) -> list[str]:
    """Opcodes of the kernel without parameter loads and address conversion."""
    found = [line.split(" ")[1 if line[0] == "@" else 0] for line in body(ir)]
    return [n for n in found if not n.startswith(("ld.param", "cvta", "ret"))]


def kernel(params: str, code: str, declarations: str = "") -> str:
    return f"define ptx_kernel void @k({params}) {{\n{code}\n  ret void\n}}\n{declarations}\n"


def test_vadd() -> None:
    assert names(VADD) == [
        "mov.u32", "mov.u32", "mov.u32", "mad.lo.s32", "setp.ge.s32", "bra", "mul.wide.s32", "add.s64", "add.s64",
        "add.s64", "ld.global.nc.f32", "ld.global.f32", "add.f32", "st.global.f32",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("%m = mul i32 %a, %b\n %r = add i32 %m, %c", "mad.lo.s32"),
        ("%m = and i32 %a, %b\n %r = xor i32 %m, %c", "lop3.b32"),
        ("%m = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 7)\n %r = add i32 %m, 0", "shf.l.wrap.b32"),
        ("%m = lshr i32 %a, 16\n %r = and i32 %m, 255", "prmt.b32"),
        ("%m = sub i32 0, %a\n %r = add i32 %m, 0", "neg.s32"),
        ("%m = call i32 @llvm.umin.i32(i32 %a, i32 %b)\n %r = add i32 %m, 0", "min.u32"),
        ("%m = call i32 @llvm.bswap.i32(i32 %a)\n %r = add i32 %m, 0", "prmt.b32"),
    ],
)
def test_one_instruction(code: str, expected: str) -> None:
    """Expressions that one PTX instruction covers."""
    declared = "".join(
        f"declare i32 @llvm.{n}.i32({', '.join(['i32'] * c)})\n" for n, c in (("fshl", 3), ("umin", 2), ("bswap", 1))
    )
    found = names(kernel("ptr %p, i32 %a, i32 %b, i32 %c", f" {code}\n store i32 %r, ptr %p", declared))
    assert found == [expected, "st.global.u32"]


def test_contraction_obeys_the_flags() -> None:
    for flags, expected in (("contract", ["fma.rn.f32"]), ("", ["mul.rn.f32", "add.rn.f32"])):
        code = f"%m = fmul {flags} float %a, %b\n %r = fadd {flags} float %m, %a\n store float %r, ptr %p"
        assert names(kernel("ptr %p, float %a, float %b", code))[:-1] == expected


def test_flush_to_zero_follows_the_function() -> None:
    code = "%r = fadd float %a, %a\n store float %r, ptr %p\n ret void\n}\n"
    text = (
        f'define ptx_kernel void @k(ptr %p, float %a) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {{\n{code}'
    )
    assert any(n.startswith("add.rn.ftz.f32") for n in names(text))


def test_sign_extending_load() -> None:
    code = "%x = load i8, ptr %p\n %y = sext i8 %x to i32\n store i32 %y, ptr %q"
    assert names(kernel("ptr %p, ptr %q", code)) == ["ld.global.s8", "st.global.u32"]


def test_vector_access() -> None:
    code = "%x = load <4 x float>, ptr %p, align 16\n %y = fadd <4 x float> %x, %x\n store <4 x float> %y, ptr %p, align 16"
    found = names(kernel("ptr %p", code))
    assert found[0] == "ld.global.v4.f32" and found[-1] == "st.global.v4.f32" and len(found) == 6


def test_misaligned_access_is_taken_apart() -> None:
    code = "%x = load i32, ptr %p, align 2\n store i32 %x, ptr %q, align 1"
    found = names(kernel("ptr %p, ptr %q", code))
    assert found.count("ld.global.u16") == 2 and found.count("st.global.u8") == 4


def test_atomics() -> None:
    code = (
        '%o = atomicrmw add ptr %p, i32 %a syncscope("device") monotonic\n'
        ' %f = atomicrmw fadd ptr %p, float 1.0 syncscope("block") acq_rel\n store i32 %o, ptr %p'
    )
    assert names(kernel("ptr %p, i32 %a", code)) == [
        "atom.relaxed.gpu.global.add.u32", "atom.acq_rel.cta.global.add.f32", "st.global.u32",
    ]  # fmt: skip


def test_inline_assembly_is_spliced() -> None:
    code = (
        ' %r = call i32 asm sideeffect "{ .reg .u32 t; add.u32 t, $1, $2; shl.b32 $0, t, 3; }", "=r,r,n"(i32 %a, i32 5)\n'
        ' %s = call i32 asm "mov.u32 $0, %laneid;", "=r"()\n %t = add i32 %r, %s\n store i32 %t, ptr %p'
    )
    lines = body(kernel("ptr %p, i32 %a", code))
    assert any(re.fullmatch(r"add.u32 t, %r\d+, 5", line) for line in lines)
    assert any(re.fullmatch(r"mov.u32 %r\d+, %laneid", line) for line in lines)


def test_bad_inline_assembly_is_an_error() -> None:
    code = ' call void asm sideeffect "mov.u32 $$, ;;; (", ""()'
    with pytest.raises(CompileError) as caught:
        compile_ir(HEAD + kernel("ptr %p", code))
    assert "inline assembly" in caught.value.diagnostics[0].message


def test_shared_memory_has_32_bit_addresses() -> None:
    text = (
        HEAD
        + "@s = internal addrspace(3) global [64 x float] undef, align 4\n"
        + kernel(
            "ptr %p, i32 %i",
            " %a = getelementptr [64 x float], ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 0, i32 %i\n"
            " store volatile float 1.0, ptr %a\n"
            " %x = load float, ptr %a\n store float %x, ptr %p",
        )
    )
    assert re.search(r"st.volatile.shared.f32 \t\[%r\d+\], %f1", ptx.format(compile_ir(text)))


def test_variables_and_initialisers() -> None:
    text = HEAD + (
        "@g = addrspace(1) global [2 x i32] [i32 1, i32 -1], align 4\n"
        "@p = addrspace(1) global ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @g, i64 4) to ptr)\n"
        '@c = addrspace(4) constant [3 x i8] c"ab\\00"\n@d = external addrspace(3) global [0 x double], align 16\n'
        + kernel(
            "i32 %i", " %a = getelementptr double, ptr addrspace(3) @d, i32 %i\n store double 0.0, ptr addrspace(3) %a"
        )
    )
    variables = {v.name: v for v in compile_ir(text).variables}
    assert variables["g"].init == [model.Int(1), model.Int(2**32 - 1)]
    assert variables["p"].init == [model.Symbol("g", 4, True)]
    assert variables["c"].init == [model.Int(97), model.Int(98), model.Int(0)]
    assert variables["d"].dims == (None,) and variables["d"].linkage == "extern"
    assert variables["p"].space == "global" and list(variables).index("g") < list(variables).index("p")


def test_dense_switches_are_indexed_branches() -> None:
    """Bounds, then brx.idx with a target for each value; holes go to the default."""
    cases = " ".join(f"i32 {i}, label %c{i}" for i in range(3, 13) if i != 11)
    blocks = "".join(f"c{i}:\n store volatile i32 {i * i}, ptr %p\n br label %end\n" for i in range(3, 13) if i != 11)
    code = f" switch i32 %n, label %end [ {cases} ]\n{blocks}end:\n"
    lines = body(kernel("ptr %p, i32 %n", code), 0)
    printed = ptx.format(compile_ir(HEAD + kernel("ptr %p, i32 %n", code), 0))
    assert sum(line.startswith("brx.idx") for line in lines) == 1
    targets = re.search(r"\.branchtargets([^;]*);", printed)
    assert targets and len(targets[1].split(",")) == 10


@pytest.mark.parametrize("values", [[0, 1, 2, 3, 4, 5, 6], [3, 100, 205, 333, 1000, 5000, 70000]])
def test_seven_cases_are_tested_one_after_the_other(values: list[int]) -> None:
    """A search would part the warp once more."""
    cases = "".join(f"i32 {value}, label %b{n}\n" for n, value in enumerate(values))
    blocks = "".join(f"b{n}:\n store i32 {n * n + 7}, ptr %p\n br label %d\n" for n in range(7))
    code = f" switch i32 %x, label %d [ {cases} ]\n{blocks}d:\n"
    text = ptx.format(compile_ir(HEAD + kernel("ptr %p, i32 %x", code), 0))
    assert text.count("setp.") == 7 and "brx" not in text and "_case" not in text


@pytest.mark.parametrize(
    ("restrict", "stores", "once"), [("", True, True), ("__restrict__", True, False), ("", False, False)]
)
def test_a_loop_that_stores_is_unrolled_once(restrict: str, stores: bool, once: bool, tmp_path: Path) -> None:
    """Its loads wait for the stores of the turn before, unless no store may write what they read: ptxas is told."""
    turn = "d[i] = s[i] + 1;" if stores else "sum += s[i];"
    (tmp_path / "k.cu").write_text(
        f"__global__ void k(int *{restrict} d, const int *{restrict} s, int n)"
        f"{{ int sum = 0; for (int i = 0; i < n; i++) {{ {turn} }} d[threadIdx.x] = sum; }}"
    )
    text = minicc.compile(tmp_path / "k.cu", arch="sm_90").ptx
    assert text.count("ld.global") >= 8
    assert ("nounroll" in text) == once


@pytest.mark.parametrize("bounds", ["i = threadIdx.x; i < n", "i = 0; i < 640"])
def test_whatever_the_loop_counts_from(bounds: str, tmp_path: Path) -> None:
    """LLVM makes what is left over before the loop where it does not begin at a constant, and nothing is at times."""
    (tmp_path / "k.cu").write_text(
        f"__global__ void k(int *d, int *s, int n) {{ for (int {bounds}; i++) d[i] = s[i]; }}"
    )
    text = minicc.compile(tmp_path / "k.cu", arch="sm_90").ptx
    assert text.count("ld.global") >= 8 and text.count("nounroll") == 1


def test_an_extension_is_made_where_it_costs_nothing() -> None:
    """A word that is extended before a loop and multiplied in it is multiplied wide: one instruction of the machine with
    the sum, where a product of 64 bits takes three."""
    code = (
        " %w = sext i32 %n to i64\n br label %loop\nloop:\n %i = phi i32 [ 0, %0 ], [ %j, %loop ]\n"
        " %a = phi ptr [ %p, %0 ], [ %b, %loop ]\n store volatile i32 %i, ptr %a\n"
        " %b = getelementptr [3 x i32], ptr %a, i64 %w\n %j = add i32 %i, 1\n %c = icmp ult i32 %j, %n\n"
        " br i1 %c, label %loop, label %end\nend:"
    )
    text = ptx.format(isel.select(nvvm.read(HEAD + kernel("ptr %p, i32 %n", code)), ARCH, isel.Options()))
    assert "mul.wide.s32" in text and "cvt.s64" not in text and "mad.lo.s64" not in text


@settings(max_examples=20, deadline=None)
@given(value=st.integers(0, 2**32 - 1), turned=st.booleans())
def test_the_sign_of_a_number_is_a_difference(value: int, turned: bool) -> None:
    """(x > 0) - (x < 3): LLVM adds the one to the other's negative."""
    terms = "%z, %s" if turned else "%s, %z"
    code = (
        " %x = load i32, ptr %in\n %p = icmp sgt i32 %x, 0\n %q = icmp slt i32 %x, 3\n %z = zext i1 %p to i32\n"
        f" %s = sext i1 %q to i32\n %r = add i32 {terms}\n %w = sext i32 %r to i64\n store i64 %w, ptr %out"
    )
    module = isel.select(nvvm.read(HEAD + kernel("ptr %in, ptr %out", code)), ARCH, isel.Options())
    assert "sub.s32" in ptx.format(module)
    number = value - (value >> 31 << 32)
    assert run_rows(module, [[value]], 1) == [[((number > 0) - (number < 3)) % 2**64]]


@settings(max_examples=40, deadline=None)
@given(at=st.integers(0, 63), size=st.integers(1, 40), value=st.integers(0, 2**64 - 1))
def test_a_field_is_taken_from_the_word_that_has_it(at: int, size: int, value: int) -> None:
    """(x >> at) & mask of 64 bits, where no bit is of the other word."""
    size = min(size, 64 - at)
    mask = (1 << size) - 1
    code = f" %l = load i64, ptr %in, align 8\n %s = lshr i64 %l, {at}\n %r = and i64 %s, {mask}\n store i64 %r, ptr %out, align 8"
    module = isel.select(nvvm.read(HEAD + kernel("ptr %in, ptr %out", code)), ARCH, isel.Options())
    assert run_rows(module, [[value]], 1) == [[value >> at & mask]]
    if (at > 0 and at + size <= 32) or (at > 32 and at + size < 64):
        assert not re.search(r"(shr|and|bfe)\.[bu]64", ptx.format(module))


@pytest.mark.parametrize("op", ["and", "or"])
@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=4))
def test_comparisons_take_what_is_known(op: str, rows: list[list[int]]) -> None:
    """(a < b && b < c) && q with a q that is needed elsewhere is two comparisons, each joined with what was before."""
    loads = "".join(f" %p{k} = getelementptr i64, ptr %in, i64 {k}\n %l{k} = load i64, ptr %p{k}\n" for k in range(4))
    code = (
        f"{loads} %q = icmp eq i64 %l3, 1\n store i64 0, ptr %out\n br label %next\nnext:\n"
        f" %s = icmp ult i64 %l0, %l1\n %t = icmp ult i64 %l1, %l2\n %b = {op} i1 %s, %t\n %r = {op} i1 %b, %q\n"
        " %z = zext i1 %r to i64\n %y = zext i1 %q to i64\n %x = shl i64 %y, 1\n %w = or i64 %x, %z\n"
        " store i64 %w, ptr %out"
    )
    module = isel.select(nvvm.read(HEAD + kernel("ptr %in, ptr %out", code)), ARCH, isel.Options())
    text = ptx.format(module)
    assert text.count(f".{op}.u64") == 2 and f"{op}.pred" not in text
    both = all if op == "and" else any
    want = [2 * (d == 1) + both((a < b, b < c, d == 1)) for a, b, c, d in rows]
    assert [word for (word,) in run_rows(module, rows, 1)] == want


def test_dynamic_alloca() -> None:
    """A size known at run time, rounded up to the alignment."""
    lines = body(kernel("ptr %p, i32 %n", " %a = alloca i32, i32 %n\n store volatile i32 1, ptr %a"), 0)
    assert any(line.startswith("alloca.u64") for line in lines)


def test_calls_and_prototypes() -> None:
    text = HEAD + (
        "define internal i32 @twice(i32 %x) noinline {\n %y = call i32 @other(i32 %x)\n ret i32 %y\n}\n"
        "declare i32 @other(i32)\n" + kernel("ptr %p, i32 %a", " %r = call i32 @twice(i32 %a)\n store i32 %r, ptr %p")
    )
    module = compile_ir(text)
    assert [f.name for f in module.functions if f.body is None] == ["other"]
    printed = ptx.format(module)
    assert printed.index(".extern .func") < printed.index("call.uni \t(retval0_0), other")


def test_launch_bounds() -> None:
    text = HEAD + 'define ptx_kernel void @k() "nvvm.maxntid"="256" "nvvm.minctasm"="2" {\n ret void\n}\n'
    entry = compile_ir(text).functions[0]
    assert entry.directives == [("maxntid", (256, 1, 1)), ("minnctapersm", (2,))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (kernel("ptr %p, fp128 %x", " store fp128 %x, ptr %p"), "fp128"),
        (kernel("ptr %p", " %x = call float @llvm.tan.f32(float 1.5)\n store float %x, ptr %p", "declare float @llvm.tan.f32(float)"), "llvm.tan"),
    ],
)  # fmt: skip
def test_unknown_constructs_are_named(text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_ir(HEAD + text, 0)
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == "isel.unsupported" and message in diagnostic.message
    assert diagnostic.where is not None


def test_explanations() -> None:
    """Every instruction's candidates are kept, the chosen one has the least cost."""
    explanation = Explanation()
    module = nvvm.read(nvvm.optimise(VADD, nvvm.Options()))
    isel.select(module, arch.get("sm_90"), isel.Options(), explanation)
    choice = next(c for c in explanation.choices if c.ptx.startswith("mad.lo.s32"))
    assert len(choice.candidates) >= 2
    chosen = [c.cost for c in choice.candidates if c.chosen]
    assert chosen == [min(c.cost for c in choice.candidates)]
    assert all(c.cost == c.mantissa * 2.0**c.exponent >= c.own for c in choice.candidates)
    assert choice.why.startswith("least cost, by")
    text = explanation.render()
    assert "* " in text and explanation.to_json()[0]["candidates"]
    (target,) = {c.ptx.split()[-1] for c in explanation.choices if "bra" in c.ptx.split()[1:2]}
    assert f"\n{target}:\n\nret\n" in text


def test_first_match_is_another_cover() -> None:
    """The trivially right twin uses more instructions."""
    counts = {}
    for how in ("cost", "first-match"):
        module = compile_ir(VADD, how=how)
        counts[how] = len([s for s in module.functions[0].body or [] if isinstance(s, model.Inst)])
    assert counts["cost"] < counts["first-match"]


@needs_ptxas
def test_debug_lines(tmp_path: Path) -> None:
    """.loc with inlining, as ptxas wants it."""
    text = (Path(__file__).parent / "debug.ll").read_text()
    printed = ptx.format(compile_ir(text))
    assert ".file\t1" in printed and re.search(
        r"\.loc\t1 2 5, function_name \$L__info_string0, inlined_at 1 5 7", printed
    )
    path = tmp_path / "d.ptx"
    path.write_text(printed)
    subprocess.run([PTXAS, "-arch=sm_90", "-lineinfo", str(path), "-o", os.devnull], check=True)


def test_work_is_linear() -> None:
    """Ten times the code takes about ten times as many calls, once the tables are there."""

    def work(pairs: int) -> int:
        lines = [f"%a{i + 1} = mul i32 %a{i}, %b\n%b{i} = xor i32 %a{i + 1}, {i}" for i in range(pairs)]
        lines += [f"store volatile i32 %b{i}, ptr %p" for i in range(pairs)]
        text = "define ptx_kernel void @k(ptr %p, i32 %a0, i32 %b) {\n" + "\n".join(lines) + "\nret void\n}\n"
        module = nvvm.read(text)
        return calls(lambda: isel.select(module, arch.get("sm_90"), isel.Options()))

    work(10)
    assert work(2_000) < 11 * work(200)


def test_work_is_linear_in_cases() -> None:
    """A switch in a loop, whose phis have an input from each case."""

    def phi(name: str, other: str, count: int) -> str:
        inputs = [f"[ %{other}, %loop ]", *[f"[ %{name}{k}, %b{k} ]" for k in range(count)]]
        return f"%n{name} = phi i32 {', '.join(inputs)}\n"

    def work(count: int) -> int:
        cases = " ".join(f"i32 {3 * k}, label %b{k}" for k in range(count))
        blocks = "".join(
            f"b{k}:\n%x{k} = mul i32 %y, {k + 3}\n%y{k} = xor i32 %y, %x{k}\nbr label %next\n" for k in range(count)
        )
        module = nvvm.read(
            "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {\nentry:\nbr label %loop\nloop:\n"
            "%x = phi i32 [ %n, %entry ], [ %nx, %next ]\n%y = phi i32 [ 0, %entry ], [ %ny, %next ]\n"
            f"switch i32 %x, label %next [ {cases} ]\n{blocks}next:\n{phi('x', 'y', count)}{phi('y', 'x', count)}"
            "%c = icmp ult i32 %nx, %n\nbr i1 %c, label %loop, label %done\n"
            "done:\nstore i32 %ny, ptr addrspace(1) %p\nret void\n}\n"
        )
        return calls(lambda: isel.select(module, arch.get("sm_90"), isel.Options()))

    work(10)
    assert work(400) < 5 * work(100)


SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.k"))


def instructions(text: str) -> int:
    return sum(1 for line in text.split("\n") if re.match(r"\s+(@!?%\w+ )?[a-z][\w.:]*[\s;].*;|\s+ret;", line))


@needs_ptxas
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_samples(sample: Path, tmp_path: Path) -> None:
    """Every sample: accepted by NVIDIA's ptxas, at both levels; about as few instructions as LLVM's backend writes."""
    frontend = pytest.importorskip("minicc.frontend")
    from minicc.diagnostics import SourceFile
    from minicc.frontend.options import Options

    ir = frontend.compile(SourceFile(str(sample), sample.read_text()), Options())
    for level in (0, 3):
        text = ptx.format(compile_ir(ir, level))
        path = tmp_path / f"{level}.ptx"
        path.write_text(text)
        done = subprocess.run([PTXAS, "-arch=sm_90", str(path), "-o", os.devnull], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    peer = nvvm.nvptx(ir, nvvm.Options())
    assert instructions(text) <= 1.1 * instructions(peer) + 4


@pytest.mark.parametrize("level", [0, 3])
def test_address_constants_flow_into_phis(level: int) -> None:
    """A generic address of a shared variable needs a conversion in the predecessor it comes from."""
    code = (
        " %c = icmp sgt i32 %n, 5\n br i1 %c, label %a, label %b\na:\n br label %b\nb:\n"
        " %q = phi ptr [ addrspacecast (ptr addrspace(3) @s to ptr), %a ], [ %p, %0 ]\n store float 5.0, ptr %q"
    )
    text = HEAD + "@s = internal addrspace(3) global [8 x float] undef, align 4\n" + kernel("ptr %p, i32 %n", code)
    assert any(line.startswith("cvta.shared.u64") for line in body(text[len(HEAD) :], level))


@pytest.mark.parametrize("index", ["%{}", "7"])
def test_a_symbol_is_moved_once(index: str) -> None:
    """Both sides of a branch and what follows need a shared variable's address in a register, or use it as it is."""
    text = """target triple = "nvptx64-nvidia-cuda"
    @s = internal addrspace(3) global [256 x i32] undef
    define ptx_kernel void @k(ptr addrspace(1) %p, i32 %i, i1 %c) {
    entry:
      br i1 %c, label %a, label %b
    a:
      %x = getelementptr i32, ptr addrspace(3) @s, i32 %i
      store volatile i32 1, ptr addrspace(3) %x
      br label %end
    b:
      %j = load volatile i32, ptr addrspace(1) %p
      %y = getelementptr i32, ptr addrspace(3) @s, i32 %j
      %l = load volatile i32, ptr addrspace(3) %y
      store volatile i32 %l, ptr addrspace(1) %p
      br label %end
    end:
      %k = load volatile i32, ptr addrspace(1) %p
      %z = getelementptr i32, ptr addrspace(3) @s, i32 %k
      store volatile i32 3, ptr addrspace(3) %z
      ret void
    }
    """
    for name in "ijk":
        text = text.replace(f"@s, i32 %{name}", f"@s, i32 {index.format(name)}")
    lines = ptx.format(compile_ir(text)).split("\n")
    moves = [number for number, line in enumerate(lines) if line.strip().startswith("mov") and line.endswith(", s;")]
    assert len(moves) == 1
    assert moves[0] < next(number for number, line in enumerate(lines) if " bra " in line)


def test_a_switch_over_64_bits() -> None:
    """Its index is truncated by the plain pattern."""
    cases = " ".join(f"i64 {i}, label %b{i % 3}" for i in range(9))
    blocks = "\n".join(f"b{i}:\n  store i32 {i}, ptr addrspace(1) %o\n  ret void" for i in range(3))
    text = (
        f"define ptx_kernel void @k(i64 %v, ptr addrspace(1) %o) {{\n  switch i64 %v, label %no [ {cases} ]\n"
        f"{blocks}\nno:\n  ret void\n}}\n"
    )
    made = ptx.format(compile_ir(HEAD + text, 0))
    assert "brx.idx" in made and "cvt.u32.u64" in made and "shf" not in made


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations([0xFF, 0xFF00, 0xFF0000, 0xFF000000]), st.integers(2, 4))
def test_masks_of_one_number(word: int, masks: list[int], count: int) -> None:
    """What masks leave of one number, put together, is what one mask leaves, or the number."""
    lines = ["  %x = load i32, ptr %in, align 4"]
    joined = ""
    for k, mask in enumerate(masks[:count]):
        lines.append(f"  %m{k} = and i32 %x, {mask}")
        joined, before = f"%j{k}", joined
        lines.append(f"  {joined} = or i32 %m{k}, {before or 0}")
    code = "\n".join([*lines, f"  store i32 {joined}, ptr %out, align 4"])
    module = isel.select(nvvm.read(HEAD + kernel("ptr %in, ptr %out", code)), ARCH, isel.Options())
    text = ptx.format(module)
    assert text.count("and.b32") <= (count < 4) and "lop3" not in text and "or.b32" not in text and "prmt" not in text
    assert run_rows(module, [[word]], 1) == [[word & sum(masks[:count])]]


def test_of_two_jumps_the_one_back_is_conditional() -> None:
    """A loop that another block stands behind: it ends in `@p bra loop; bra.uni out`, whichever way it asks."""
    for test, then, other in (("eq", "out", "loop"), ("ne", "loop", "out")):
        code = f"""
          %some = icmp sgt i32 %n, 0
          br i1 %some, label %loop, label %none
        loop:
          %i = phi i32 [ 0, %0 ], [ %next, %loop ]
          %x = load volatile i32, ptr addrspace(1) %p
          %next = add i32 %i, 1
          %end = icmp {test} i32 %next, %n
          br i1 %end, label %{then}, label %{other}
        none:
          %zero = load volatile i32, ptr addrspace(1) %q
          br label %out
        out:
          %r = phi i32 [ %zero, %none ], [ %x, %loop ]
          store i32 %r, ptr addrspace(1) %p"""
        lines = body(kernel("ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n", code), 0)
        jumps = [at for at, line in enumerate(lines) if line.startswith("bra.uni")]
        assert jumps and re.match(r"@!?%p\d+ bra \$L__BB0_1$", lines[jumps[0] - 1]), lines


@settings(max_examples=30, deadline=None)
@given(
    op=st.sampled_from(["add", "xor"]), pred=st.sampled_from(["eq", "ne"]), bits=st.sampled_from([8, 16, 32, 64]),
    words=st.tuples(*[st.integers(0, (1 << 64) - 1)] * 2), near=st.integers(-1, 1)
)  # fmt: skip
def test_a_sum_that_only_a_comparison_asks_for(
    op: str, pred: str, bits: int, words: tuple[int, int], near: int
) -> None:
    """x + c == k and x ^ c == k are x == a constant."""
    mask = (1 << bits) - 1
    change, wanted = (word & mask for word in words)
    x = ((wanted - change if op == "add" else wanted ^ change) + near) & mask
    lines = [
        "%all = load i64, ptr %in", f"%x = trunc i64 %all to i{bits}" if bits < 64 else "%x = add i64 0, %all",
        f"%s = {op} i{bits} %x, {change}", f"%t = icmp {pred} i{bits} %s, {wanted}",
        "%r = zext i1 %t to i64", "store i64 %r, ptr %out", "ret void",
    ]  # fmt: skip
    module = compile_ir("define ptx_kernel void @k(ptr %in, ptr %out) {\n" + "\n".join(lines) + "\n}", 0)
    assert not re.search(rf"\t(add|xor)\.\S+ \t%rd?\d+, %rd?\d+, {change};", ptx.format(module)) or not change
    assert run_rows(module, [[x]], 1) == [[int((near == 0) == (pred == "eq"))]]


def test_a_variable_is_looked_for_in_the_text_when_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before: with thousands of them that took longer than all the rest."""
    from minicc.isel.emit import globals as variables

    asked: list[int] = []
    search = variables.offset_of
    monkeypatch.setattr(variables, "offset_of", lambda text, index: (asked.append(index), search(text, index))[1])
    many = "".join(f"@v{k} = addrspace(1) global i32 {k}\n" for k in range(20))
    assert len(compile_ir(HEAD + many + kernel("", "")).variables) == 20
    assert not asked
    with pytest.raises(CompileError) as caught:
        compile_ir(HEAD + many + "@odd = addrspace(9) global i32 0\n" + kernel("", ""))
    span = caught.value.diagnostics[0].where
    assert len(asked) == 1 and span is not None and span.source.text[span.start : span.end] == "@odd"


@pytest.mark.parametrize("op", ["and", "or", "xor"])
def test_flags_from_memory_stay_words(op: str) -> None:
    """What was 0 or 1 in memory, and is stored as such again, is no predicate between."""
    text = f"""define ptx_kernel void @k(ptr addrspace(1) %p) {{
  %x = load i8, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 1
  %y = load i8, ptr addrspace(1) %q
  %a = trunc nuw i8 %x to i1
  %b = trunc nuw i8 %y to i1
  %c = {op} i1 %a, %b
  %z = zext i1 %c to i8
  store i8 %z, ptr addrspace(1) %p
  ret void
}}
"""
    made = ptx.format(compile_ir(HEAD + text, 0))
    assert f"{op}.b32" in made and "setp" not in made
