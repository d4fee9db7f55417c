"""The pipeline by name, its options, its limits, what it prints, and that it is deterministic."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import minicc
from minicc import ptx, ptxas, sass
from minicc.binary import read_cubin
from minicc.diagnostics import EXIT_PTXAS, CompileError, SourceFile
from minicc.ptxas import Options, pipeline
from minicc.ptxas.lower import converge
from minicc.ptxas.mir import Block, MFunction, MInst, V
from minicc.ptxas.options import bound_registers
from minicc.ptxas.verify import VerifyError, verify
from minicc.ptxas.words import parse
from minicc.sass.instr import Reg, Target
from tests.bench.compile_speed import SHAPES, source
from tests.conftest import PROFILE
from tests.counting import calls, calls_of_pass
from tests.ptxas.conftest import ARCH, assemble
from tests.ptxas.programs import Generator

HEAD = ".version 8.8\n.target sm_90\n.address_size 64\n"
EMPTY = HEAD + ".visible .entry k() { ret; }\n"


def test_words() -> None:
    options = Options()
    parse(["-v", "-O2 --maxrregcount=40", "--sched", "serial", "--ra=spill-all --dump-after=control"], options)
    assert options.verbose and options.opt_level == 2 and options.max_registers == 40
    assert options.sched == "serial" and options.ra == "spill-all" and options.dump_after == {"control"}
    parse(["--maxrregcount=archmin", "-m64", "--machine=64"], options)
    assert options.max_registers == 24
    parse(["--maxrregcount archmax"], options)
    assert options.max_registers == 255


@pytest.mark.parametrize(
    "word",
    ["--nonsense", "vadd", "--sched=fast", "--maxrregcount=many", "--ra", "--fmad=1", "-m=32", "-dlcm=wb", "-Ofc=most",
     "-sanitize=memcheck", "-optf=none-such", "-regUsageLevel=x", "-maxntid=many"],
)  # fmt: skip
def test_bad_word(word: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse([word], Options())
    assert caught.value.exit_status == EXIT_PTXAS
    assert word.partition("=")[0] in str(caught.value)


ACCESSES = {
    "ld.global": 0, "ld": 0, "ld.global.nc": 0, "ld.global.cv": 0, "ld.relaxed.gpu.global": 0, "ld.volatile": 0,
    "ld.global.L1::evict_last": 0, "ld.shared": 1, "st.global": 2, "st.global.wt": 2, "st.local": 3,
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "LDG.E LD.E LDG.E.CONSTANT LDG.E.STRONG.SYS LDG.E.STRONG.GPU LD.E.STRONG.SYS LDG.E.EL LDS "
             "STG.E STG.E.STRONG.SYS STL"),
        ("-dlcm=cg --def-store-cache=cs", "LDG.E.STRONG.GPU LD.E.STRONG.GPU LDG.E.CONSTANT LDG.E.STRONG.SYS "
         "LDG.E.STRONG.GPU LD.E.STRONG.SYS LDG.E.EL LDS STG.E.EF STG.E.STRONG.SYS STL"),
        ("-dlcm=cv -flcm=cs -fscm cg", "LDG.E.EF LD.E.EF LDG.E.EF.CONSTANT LDG.E.EF LDG.E.STRONG.GPU LD.E.STRONG.SYS "
         "LDG.E.EL LDS STG.E.STRONG.GPU STG.E.STRONG.GPU STL"),
    ],
)  # fmt: skip
def test_caches_that_options_ask_for(words: str, said: str) -> None:
    """As NVIDIA's ptxas 13.0 has each."""
    places = "[%rd0]", "[sh]", "[%rd0]", "[lo]"
    body = "ld.param.u64 %rd0, [p]; mov.u32 %r1, 1;" + "".join(
        f"{name}.u32 {places[at]}, %r1;" if at > 1 else f"{name}.u32 %r0, {places[at]}; xor.b32 %r1, %r1, %r0;"
        for name, at in ACCESSES.items()
    )
    text = (
        HEAD
        + f""".visible .entry k(.param .u64 p) {{ .reg .b64 %rd<2>; .reg .b32 %r<2>; .shared .u32 sh[4];
        .local .u32 lo[4]; {body} ret; }}"""
    )
    options = Options(opt_level=0)
    parse(words.split(), options)
    code = assemble(text, options).functions[0].code
    found = [sass.decode(int.from_bytes(code[at : at + 16], "little"), ARCH) for at in range(0, len(code), 16)]
    names = (".".join((i.mnemonic, *i.modifiers)) for i in found if i.mnemonic in {*said.replace(".", " ").split()})
    assert " ".join(names) == said


def test_kernels_and_bounds_that_options_ask_for(tmp_path: Path) -> None:
    text = HEAD + "".join(f".visible .entry {name}() {bound} {{ ret; }}\n" for name, bound in (
        ("a", ""), ("b", ".maxntid 64, 1, 1"), ("c", ".maxnreg 32")))  # fmt: skip
    file = tmp_path / "words"
    file.write_text("-maxntid=256,2\n-minnctapersm 4\n")

    def bounds(words: str) -> dict[str, object]:
        options = Options()
        parse(words.split(), options)
        bound_registers(options, "sm_90")
        return {f.name: f.max_threads for f in assemble(text, options).functions}

    assert bounds(f"-optf {file}") == {"a": (256, 2, 1), "b": (64, 1, 1), "c": (256, 2, 1)}
    assert bounds(f"-optf={file} --override-directive-values -e b,c") == {"b": (256, 2, 1), "c": (256, 2, 1)}
    assert bounds(f"-optf={file} -maxrregcount=40") == {"a": None, "b": (64, 1, 1), "c": None}
    with pytest.raises(CompileError, match="Unknown function d"):
        bounds("-e=d")
    kernels = SourceFile("k.cu", "__global__ void a() {}\n__global__ void b() {}\n")
    image = minicc.compile(kernels, options="--entries=_Z1bv").cubin
    assert [f.name for f in read_cubin(image, "k").functions] == ["_Z1bv"]


def test_every_option_of_ptxas_is_known(oracle: Callable[[str], str]) -> None:
    """By both of its names; those that are refused have their reason."""
    text = subprocess.run([oracle("ptxas"), "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^--([\w-]+).*?(?:\(-([\w-]+)\))?\s*$", text, re.MULTILINE)
    assert len(names) > 40
    for name in filter(None, chain.from_iterable(names)):
        try:
            parse([f"-{name}", "0"], Options())
        except CompileError as error:
            assert f"Unknown option '-{name}'" not in str(error)


@pytest.mark.parametrize("field", ["disable", "dump_after"])
def test_unknown_pass(field: str) -> None:
    with pytest.raises(CompileError, match="no pass is called 'nope'; there are: reach"):
        assemble(EMPTY, Options(**{field: frozenset({"nope"})}))  # type: ignore[arg-type]


def test_needed_pass_stays() -> None:
    with pytest.raises(CompileError, match="cannot be disabled"):
        assemble(EMPTY, Options(disable=frozenset({"regalloc"})))


def test_dump_and_stop() -> None:
    options = Options(dump_after=frozenset({"all"}), stop_after="dead", time_passes=True)
    program = assemble(EMPTY, options)
    assert program.functions == []
    names = [name for name, _, _ in options.dumps]
    assert names == [p.name for p in pipeline.PASSES[: pipeline.NAMES.index("dead") + 1]]
    assert "EXIT" in options.dumps[0][2]
    assert list(options.seconds) == ["verify", "lower", *names]
    text = "\n".join(options.messages)
    assert all(f"// k: after {name}\n" in text and f" : {name} " in text for name in names)


OPTIONAL = [p.name for p in pipeline.PASSES if p.optional]
APART = -(-len(OPTIONAL) // 3) if PROFILE == "ci" else len(OPTIONAL)
"""In CI three passes go together that are far from one another."""


@pytest.mark.parametrize("names", [OPTIONAL[k::APART] for k in range(APART)], ids="+".join)
def test_each_pass_can_go(names: list[str], kernels_ptx: str) -> None:
    assert len(assemble(kernels_ptx, Options(disable=frozenset(names))).functions) == 5


@pytest.mark.parametrize("after", ["exit;", "mov.u32 %r, 3; st.global.u32 [%o+8], %r; bra M;"])
def test_a_trap_may_stand_inside_a_block(after: str) -> None:
    """Selection writes an exit behind it, assembly that people write goes on: the verifier takes both."""
    assemble(
        ".version 8.0 .target sm_90 .address_size 64 .visible .entry k(.param .u64 o) { .reg .b64 %o; .reg .b32 %r;"
        ".reg .pred %p; ld.param.u64 %o, [o]; mov.u32 %r, %tid.x; setp.gt.u32 %p, %r, 40; @!%p bra L; trap; "
        f"{after} L: st.global.u32 [%o], %r; M: st.global.u32 [%o+4], %r; ret; }}"
    )


def test_registers_of_an_empty_kernel() -> None:
    """ptxas reports 4 for it."""
    assert assemble(EMPTY).functions[0].registers == 4


@pytest.mark.parametrize("limit", [24, 40])
def test_limit_is_kept(limit: int, kernels_ptx: str) -> None:
    program = assemble(kernels_ptx, Options(max_registers=limit))
    assert all(f.registers <= limit for f in program.functions)
    assert program.function("many").frame > 0


def test_impossible_limit(kernels_ptx: str) -> None:
    with pytest.raises(CompileError) as caught:
        assemble(kernels_ptx, Options(max_registers=5))
    assert caught.value.exit_status == EXIT_PTXAS


@pytest.mark.parametrize(("size", "fits"), [(49152, True), (49153, False)])
def test_shared_variables_of_a_kernel_have_48_kibytes(size: int, fits: bool) -> None:
    kernel = f".entry k() {{ .shared .b8 s[{size}]; st.shared.u8 [s], 0; ret; }}"
    text = f".version 8.0\n.target sm_90\n.address_size 64\n.visible {kernel}\n"
    if fits:
        assert assemble(text, Options()).function("k").shared == size
    else:
        with pytest.raises(CompileError, match=r"'k' uses too much shared data .0xc001 bytes, 0xc000 max") as caught:
            assemble(text, Options())
        assert caught.value.exit_status == EXIT_PTXAS


def test_launch_bounds(kernels_ptx: str) -> None:
    bounded = kernels_ptx.replace("many_param_2\n)", "many_param_2\n)\n.maxntid 1024, 1, 1\n.minnctapersm 2")
    assert bounded != kernels_ptx
    assert assemble(bounded).function("many").registers <= 32


@pytest.mark.parametrize("threads, blocks, what", [(1024, 3, "threads per SM"), (64, 33, "minnctapersm"), (64, 32, "")])
def test_launch_bounds_that_no_sm_meets_are_ignored(
    threads: int, blocks: int, what: str, kernels_ptx: str, oracle, tmp_path: Path
) -> None:
    """With NVIDIA's warning, up to the full stop; what they ask for beside blocks stands."""
    bounds = f"many_param_2\n)\n.maxntid {threads}, 1, 1\n.minnctapersm {blocks}"
    text = kernels_ptx.replace("many_param_2\n)", bounds)
    options = Options()
    made = assemble(text, options).function("many")
    (tmp_path / "k.ptx").write_text(text)
    command = [oracle("ptxas"), "-arch=sm_90", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k.cubin")]
    theirs = subprocess.run(command, capture_output=True, text=True).stderr
    warning = f"ptxas warning : Value of {what} for entry many is out of range."
    assert [m for m in options.messages if m.startswith(warning)] == ([*options.messages] if what else [])
    assert (warning in theirs) == bool(what)
    if what:
        alone = assemble(kernels_ptx.replace("many_param_2\n)", f"many_param_2\n)\n.maxntid {threads}, 1, 1"))
        assert made.registers == alone.function("many").registers
    else:
        assert made.registers <= 32


def test_verbose_text(kernels_ptx: str, oracle, tmp_path: Path) -> None:
    """Line for line the words of NVIDIA's ptxas, numbers apart."""
    source = tmp_path / "k.ptx"
    source.write_text(kernels_ptx)
    run = subprocess.run(
        [oracle("ptxas"), "-arch=sm_90", "-v", str(source), "-o", str(tmp_path / "k.cubin")], capture_output=True
    )
    options = Options(verbose=True)
    assemble(kernels_ptx, options)

    def shape(lines: list[str]) -> list[str]:
        return sorted(
            re.sub(r", \d+ bytes cumulative stack size", "", re.sub(r"\d+(\.\d+)?", "N", line)) for line in lines
        )

    def plain(lines: list[str]) -> list[str]:
        return [re.sub(r", N bytes cumulative stack size", "", line) for line in lines]

    assert plain(shape(options.messages)) == plain(shape(run.stderr.decode().splitlines()))


def test_warnings_that_are_errors_and_warnings_left_out(kernels_ptx: str) -> None:
    options = Options(max_registers=20)
    words = ["-warn-spills", "-warn-lmem-usage", "-warn-double-usage"]
    parse([*words, "--register-usage-level=10", "-suppress-stack-size-warning"], options)
    assemble(kernels_ptx, options)
    text = "\n".join(options.messages)
    assert "ptxas warning : Registers are spilled to local memory in function 'many', " in text
    assert "ptxas warning : Local memory used for function 'many', size of stack frame: " in text
    assert re.search("ptxas warning : .*[Dd]ouble", text)
    parse(["-w"], options)
    options.messages.clear()
    assemble(kernels_ptx, options)
    assert not options.messages
    parse(["-Werror"], options)
    with pytest.raises(CompileError) as caught:
        assemble(kernels_ptx, options)
    assert caught.value.exit_status == EXIT_PTXAS


def test_deterministic(kernels_ptx: str, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(kernels_ptx)
    script = (
        "import sys,hashlib\nfrom tests.ptxas.conftest import assemble\n"
        f"p = assemble(open({str(source)!r}).read())\n"
        "print(hashlib.sha256(b''.join(f.code for f in p.functions)).hexdigest())\n"
    )
    found = set()
    for seed in ("0", "1", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip
        found.add(run.stdout)
    assert len(found) == 1


def _broken(rule: str) -> MFunction:
    function = Generator(3, 10).f
    block = function.blocks[0]
    reg = function.new("R", 2)
    if rule == "part-in-range":
        block.insts.insert(0, MInst("MOV", (), (V(reg, 2),), (Reg("R", 255),)))
    elif rule == "aligned-part":
        wide = function.new("R", 4)
        block.insts.insert(0, MInst("LDS", ("64",), (V(wide, 1, 2),), (Reg("R", 255),)))
    elif rule == "own-register":
        block.insts.insert(0, MInst("MOV", (), (V(MFunction("other", True).new("R")),), (Reg("R", 255),)))
    elif rule == "known-target":
        block.insts.insert(0, MInst("BRA", (), (), (Target(label="nowhere"),)))
    elif rule == "terminator-last":
        block.insts.insert(0, MInst("EXIT"))
    elif rule == "ends":
        function.blocks[-1].insts.pop()
    elif rule == "successors":
        function.blocks[-1].succs.append(function.blocks[0].label)
    elif rule == "unique-labels":
        function.blocks.append(Block(function.blocks[0].label, [MInst("EXIT")]))
    elif rule == "guard-is-predicate":
        block.insts[0].guard = V(reg)
    return function


@pytest.mark.parametrize(
    "rule",
    [
        "part-in-range",
        "aligned-part",
        "own-register",
        "known-target",
        "terminator-last",
        "ends",
        "successors",
        "unique-labels",
        "guard-is-predicate",
    ],
)
def test_verifier_names_the_rule(rule: str) -> None:
    with pytest.raises(VerifyError, match="after pass testing, in k") as caught:
        verify(_broken(rule), "testing")
    assert caught.value.rule == rule


def test_verifier_accepts_random_programs() -> None:
    for seed in range(20):
        verify(Generator(seed, 60).f, "testing")


def test_work_is_linear() -> None:
    """Eight times the code takes about eight times as many calls. (Time is what tests.bench.compile_speed measures.)"""
    spent = []
    for size in (1500, 12000):
        function = Generator(1, size, 30, 5).f
        count = sum(len(b.insts) for b in function.blocks)
        spent.append(calls(lambda f=function: pipeline.run(f, ARCH, Options())) / count)
    assert spent[1] < 1.5 * spent[0]


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"live"}))  # of four hundred values at least
def test_the_whole_assembler_is_linear(shape: str) -> None:
    """From PTX to encoded instructions, four times the code takes about four times as many calls."""
    spent = []
    for size in (500, 2000):
        module = ptx.parse(SourceFile("k.ptx", source(shape, size)))
        spent.append(calls(lambda m=module: ptxas.assemble(m, ARCH, Options())))
    assert spent[1] < 6 * spent[0]


def test_nested_loops_take_no_more_than_their_bodies() -> None:
    """With four times as many loops, those together are sixteen times as large."""
    spent = []
    for count in (50, 200):
        body = "".join(f"L{k}: add.s32 %r1, %r1, {k};\n" for k in range(count))
        body += "".join(f"setp.lt.s32 %p1, %r1, {k}; @%p1 bra L{k};\n" for k in reversed(range(count)))
        module = ptx.parse(SourceFile("k.ptx", _with_shared(body)))
        spent.append(calls(lambda m=module: ptxas.assemble(m, ARCH, Options())))
    assert spent[1] < 13 * spent[0]


def test_one_register_for_all_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not everything that makes it is gone through for each load."""
    spent = calls_of_pass(monkeypatch, "vectorise")
    for count in (50, 200):
        text = _with_shared("st.shared.u32 [%r2], %r1; ld.shared.u32 %r1, [%r2+4];\n" * count)
        ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), ARCH, Options())
    assert spent[-1] < 5 * spent[0]


def _with_shared(body: str) -> str:
    return (
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p) {\n.shared .b32 s[64];\n"
        ".reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
        f"mov.u32 %r2, s;\n{body}st.global.u32 [%rd1], %r1;\nret;\n}}\n"
    )


def test_gotos_are_analysed_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divergent branches to everywhere, whose threads meet at the end: what lies between is not walked for each."""
    spent = []
    analyse = converge._analyse

    def counted(*arguments: Any) -> Any:
        found = []
        spent.append(calls(lambda: found.append(analyse(*arguments))))
        return found[0]

    monkeypatch.setattr(converge, "_analyse", counted)
    for count in (100, 400):
        body = "".join(
            f"L{k}: mad.lo.s32 %r1, %r1, {k + 3}, %r2; setp.eq.s32 %p1, %r1, {k}; @%p1 bra L{(k * 79 + 13) % count};\n"
            for k in range(count)
        )
        text = (
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
            ".reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
            f"mov.u32 %r2, %ntid.x;\n{body}st.global.u32 [%rd1], %r1;\nret;\n}}\n"
        )
        ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), ARCH, Options())
    assert spent[1] < 5 * spent[0]


def test_launch_bounds_come_before_maxrregcount() -> None:
    """As NVIDIA's ptxas has it: it ignores --maxrregcount for a kernel with .maxntid or .reqntid, not for .maxnreg."""
    from minicc import arch as archs
    from minicc.ptxas.mir import MFunction
    from minicc.ptxas.registers.allocate import register_limit

    arch, options = archs.get("sm_90"), Options(max_registers=32)
    assert register_limit(MFunction("k", True), arch, options) == 32
    assert register_limit(MFunction("k", True, max_threads=(256, 1, 1)), arch, options) == 255
    assert register_limit(MFunction("k", True, req_threads=(1024, 1, 1)), arch, options) == 64
    assert register_limit(MFunction("k", True, max_threads=(256, 1, 1), max_registers=40), arch, options) == 40
