"""PTX parser, printer and verifier: round trips, nvcc's and LLVM's PTX, ptxas's opinion, and bad input."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import arch, ptx
from minicc.diagnostics import EXIT_PTXAS, CompileError, SourceFile
from minicc.ptx import model
from minicc.ptx.isa import forms
from minicc.ptx.rows import ROWS
from tests.conftest import PTXAS, nvcc_makes, nvidia_assembles
from tests.counting import calls

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.k"))
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


def parse(text: str) -> model.Module:
    return ptx.parse(SourceFile("t.ptx", text))


def plain(item: Any) -> Any:
    """An object without its places in text, for comparison."""
    if type(item).__module__ == model.__name__:
        names = getattr(type(item), "__match_args__", ()) or list(vars(item))
        return type(item).__name__, *(plain(getattr(item, name)) for name in names if name not in ("where", "outer"))
    if isinstance(item, list | tuple):
        return [plain(x) for x in item]
    if isinstance(item, dict):
        return {k: plain(v) for k, v in item.items()}
    return item


def body(text: str, prologue: str = "") -> str:
    return (
        f"{HEAD}{prologue}\n.visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;"
        f" .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b16 %h<9>;\n{text}\nret;\n}}\n"
    )


# --- round trips ----------------------------------------------------------------------------------------------------

registers = st.integers(0, 8).map(lambda n: model.Reg(f"%r{n}"))
wide = st.integers(0, 8).map(lambda n: model.Reg(f"%rd{n}"))
predicates = st.builds(model.Reg, st.integers(0, 8).map(lambda n: f"%p{n}"), st.booleans())
integers = st.integers(-(1 << 63), (1 << 64) - 1).map(model.Int)
floats = st.one_of(
    st.builds(model.Float, st.integers(0, (1 << 32) - 1), st.just(32)),
    st.builds(model.Float, st.integers(0, (1 << 64) - 1), st.just(64)),
)
symbols = st.builds(model.Symbol, st.sampled_from(["buf", "$str$1", "_Z1fv"]), st.sampled_from([0, 4, -16, 1 << 20]))
addresses = st.one_of(
    st.builds(model.Address, st.one_of(wide, symbols.map(lambda s: model.Symbol(s.name))), st.integers(-999, 999)),
    integers.map(model.Address),
)
simple = st.one_of(
    registers, wide, integers, floats, symbols, st.sampled_from(["%tid.x", "%laneid"]).map(model.Special)
)
operands = st.one_of(
    simple,
    addresses,
    st.lists(st.one_of(st.none(), registers, integers), min_size=1, max_size=4).map(lambda x: model.Vector(tuple(x))),
    st.builds(model.Pair, registers, st.one_of(registers, st.just(model.Symbol("_")))),
    st.builds(
        model.Bracket,
        st.tuples(wide, st.lists(registers, min_size=1, max_size=3).map(lambda x: model.Vector(tuple(x)))),
    ),
)
locations = st.one_of(
    st.builds(model.Loc, st.integers(1, 3), st.integers(0, 999), st.integers(0, 99)),
    st.builds(model.Loc, st.just(1), st.integers(0, 99), st.just(2), st.sampled_from(["$L__info_string0", "$s+4"]),
              st.tuples(st.integers(1, 3), st.integers(0, 9), st.integers(0, 9))),
)  # fmt: skip
opcodes = st.sampled_from(["add", "mad", "ld", "st", "setp", "shfl", "cvt", "bra", "frobnicate"])
modifiers = st.lists(
    st.sampled_from(["s32", "global", "rn", "sync", "L2::128B", "shared::cta", "v4", "idx"]), max_size=4
)


@st.composite
def bodies(draw: Any, depth: int = 0) -> list[Any]:
    out: list[Any] = []
    loc: model.Loc | None = None
    for index in range(draw(st.integers(0, 8))):
        kind = draw(st.integers(0, 9))
        if kind < 6:
            if depth == 0 and draw(st.integers(0, 3)) == 0:
                loc = draw(locations)
            guard = draw(st.one_of(st.none(), predicates))
            ops = tuple(draw(st.lists(operands, max_size=4)))
            out.append(model.Inst(draw(opcodes), tuple(draw(modifiers)), ops, guard, loc if depth == 0 else None))
        elif kind == 6:
            out.append(model.Label(f"$L_{depth}_{index}"))
        elif kind == 7:
            out.append(model.Pragma(draw(st.sampled_from(["nounroll", "x y"]))))
        elif kind == 8 and depth < 2 and loc is None:
            scope = model.Scope(draw(bodies(depth + 1)))
            scope.regs["p"] = "pred"
            scope.reg_ranges.append(("%q", 3, "b32"))
            out.append(scope)
        else:
            out.append(model.Branchtargets(f"ts_{depth}_{index}", ("a", "b")))
    return out


variables = st.builds(
    model.Variable,
    st.sampled_from(["buf", "tab", "x1"]),
    st.sampled_from(["global", "const", "shared"]),
    st.sampled_from(["b8", "u32", "f64"]),
    st.sampled_from([None, 4, 16]),
    st.sampled_from([(), (3,), (2, 4), (None,)]),
    st.one_of(
        st.none(),
        integers,
        st.lists(
            st.one_of(
                integers,
                floats,
                st.builds(
                    model.Symbol, st.just("buf"), st.integers(0, 9), st.booleans(), st.sampled_from([None, 0xFF00])
                ),
            )
        ),
    ),
    st.sampled_from([None, 2, 4]),
    st.sampled_from(["", "visible", "extern", "weak"]),
)


@st.composite
def modules(draw: Any) -> model.Module:
    module = model.Module(draw(st.sampled_from([(8, 8), (9, 0)])), "sm_90", draw(st.sampled_from([(), ("debug",)])))
    module.variables = draw(st.lists(variables, max_size=3))
    for index in range(draw(st.integers(0, 2))):
        entry = draw(st.booleans())
        params = [model.Variable(f"p{i}", "param", "u64") for i in range(draw(st.integers(0, 3)))]
        if params and entry:
            params[0].ptr = draw(st.sampled_from([None, ("global", 16), (None, 4), (None, None)]))
        function = model.Function(f"f{index}", entry, params)
        if not entry:
            function.returns = [model.Variable("r0", "param", "b32")]
        if draw(st.booleans()):
            function.body = draw(bodies())
            function.regs = {"%SP": "b64"}
            function.reg_ranges = [("%r", 9, "b32"), ("%rd", 9, "b64"), ("%p", 9, "pred")]
        bounds = [("maxntid", (256, 1, 1)), ("minnctapersm", (2,))] if entry else [("noreturn", ())]
        function.directives = draw(st.sampled_from([[], bounds]))
        module.functions.append(function)
    module.files = draw(st.sampled_from([{}, {1: "a.cu", 2: '/b/\u00e9\udce9 "\\303.h'}]))
    module.order = [*module.variables, *module.functions]
    return module


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(modules())
def test_printed_module_parses_back(module: model.Module) -> None:
    assert plain(parse(ptx.format(module))) == plain(module)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 3)), min_size=1, max_size=4), max_size=8))
def test_chains_of_inlined_calls_survive_printing(places: list[list[tuple[int, int]]]) -> None:
    body: list[Any] = []
    for places_of_one in places:
        loc = model.Loc(1, places_of_one[0][1], 0)
        for number, line in places_of_one[1:]:
            loc = model.Loc(1, line, 1, f"$L__info_string{number}", (loc.file, loc.line, loc.column), loc)
        body.append(model.Inst("ret", (), (), None, loc))
    module = model.Module((8, 8), "sm_90")
    module.functions.append(model.Function("f", True, [], [], body))
    module.files = {1: "a.cu"}
    module.order = list(module.functions)
    again = parse(ptx.format(module)).functions[0].body
    assert again is not None
    assert [i.loc.chain for i in again] == [i.loc.chain for i in body]  # type: ignore[union-attr]


def round_trip(text: str) -> model.Module:
    module = parse(text)
    printed = ptx.format(module)
    assert plain(parse(printed)) == plain(module)
    return module


@pytest.mark.parametrize(
    "sample",
    [s for s in SAMPLES if s.stem in ("vadd", "scan", "softmax", "sgemm_tiled", "sha256")],
    ids=lambda s: s.stem,
)
def test_nvccs_ptx(sample: Path, tmp_path: Path) -> None:
    """What nvcc writes round-trips, verifies, and ptxas takes it back as we print it."""
    module = round_trip(nvcc_makes(sample, tmp_path / "k.ptx", "-lineinfo").decode())
    assert ptx.verify(module, arch.get("sm_90")) == []
    nvidia_assembles(ptx.format(module), tmp_path)


def test_llvms_ptx() -> None:
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    source = """
target triple = "nvptx64-nvidia-cuda"
@g = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define i32 @f(i32 %x) noinline { %y = mul i32 %x, %x  ret i32 %y }
define void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %c = icmp sgt i32 %n, 3
  br i1 %c, label %a, label %b
a:
  %v = call i32 @f(i32 %n)
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %v
  store i32 %v, ptr addrspace(1) %q
  br label %b
b:
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
"""
    machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu="sm_90", opt=2)
    text = machine.emit_assembly(llvm.parse_assembly(source))
    module = round_trip(text)
    assert [f.name for f in module.functions][-1] == "k"
    assert ptx.verify(module, arch.get("sm_90")) == []


# --- what is read how -----------------------------------------------------------------------------------------------


def only(text: str) -> model.Inst:
    found = parse(body(text)).functions[0].body
    assert found is not None and isinstance(found[0], model.Inst)
    return found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x10", 16), ("010", 8), ("0b101", 5), ("7U", 7), ("-3", -3), ("~0", -1), ("!5", 0), ("(1+2)*3", 9),
        ("7/2", 3),
        ("-7/2", -3), ("-7 % 3", -1), ("1 << 4 | 1", 17), ("3 > 2 ? 10 : 20", 10), ("(.s64)0xffffffffffffffff", -1),
        ("(.u64)(-1)", (1 << 64) - 1), ("WARP_SZ", 32), ("2 == 2 && 0", 0), ("-1 >> 1", -1),
    ],
)  # fmt: skip
def test_constant_expressions(text: str, value: int) -> None:
    assert only(f"mov.u64 %rd1, {text};").operands[1] == model.Int(value)


def test_floating_literals() -> None:
    assert only("mov.f32 %f1, 0f3f800000;").operands[1] == model.Float(0x3F800000, 32)
    assert only("mov.f64 %d1, 1.5;").operands[1] == model.Float(0x3FF8000000000000, 64)
    assert only("mov.f64 %d1, -0d3FF0000000000000;").operands[1] == model.Float(0xBFF0000000000000, 64)
    assert only("mov.f64 %d1, 1.0/4.0;").operands[1] == model.Float(0x3FD0000000000000, 64)


def test_operands_and_scopes() -> None:
    inst = only("@!%p1 atom.global.add.u32 _, [%rd1+-8], %r2;")
    assert inst.guard == model.Reg("%p1", True)
    assert inst.operands == (model.Symbol("_"), model.Address(model.Reg("%rd1"), -8), model.Reg("%r2"))
    assert only("vadd.s32.s32.s32 %r1, %r2.b0, -%r3.h1;").operands[1:] == (
        model.Reg("%r2", part="b0"),
        model.Reg("%r3", part="h1", minus=True),
    )
    found = parse(body("{ .reg .pred p; .reg .b32 a, b; setp.eq.u32 p, a, b; @p mov.b32 a, b; }")).functions[0].body
    assert found is not None
    scope = found[0]
    assert isinstance(scope, model.Scope) and scope.type_of("p") == "pred"
    assert isinstance(scope.body[0], model.Inst) and scope.body[0].operands[0] == model.Reg("p")


def test_initialisers() -> None:
    text = (
        f"{HEAD}.global .align 8 .u64 t[2] = {{generic(x)+8, y+-4}}; .global .b8 m[2] = {{0xff(x), 0xff00(x+4)}};\n"
        ".visible .global .align 4 .f32 z[2][2] = {{1.0, 2.0}, {0f3f800000, 4.0}}; .common .global .b32 q;\n"
        '.global .u32 x, y = 3;\n.alias f, g;\n.pragma "nounroll", "b";'
    )
    module = round_trip(text)
    first = module.variables[0].init
    assert first == [model.Symbol("x", 8, True), model.Symbol("y", -4)]
    assert module.variables[1].init == [model.Symbol("x", 0, False, 0xFF), model.Symbol("x", 4, False, 0xFF00)]
    assert [v.name for v in module.variables] == ["t", "m", "z", "q", "x", "y"]


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        ("", 1, 1, "Missing .version"),
        (".version 99.9\n", 1, 10, "Unsupported .version"),
        (".version 9.0\n.target sm_9x\n", 2, 9, "target"),
        (HEAD + ".visible .entry k( {\n", 4, 20, "syntax error"),
        (HEAD + ".entry k() { add.s32 %r1, %r2 }", 4, 31, "expected ',' or ';'"),
        (HEAD + ".entry k() { mov.u32 %r1, `; }", 4, 27, "unexpected character"),
        (HEAD + ".entry k() { /* never closed", 4, 14, "unterminated comment"),
        (HEAD + '.entry k() { .pragma "x\n; }', 4, 22, "unterminated string"),
        (HEAD + ".entry k() {", 4, 13, "expected '}'"),
        (HEAD + ".global .u32 x = 1/0;", 4, 19, "division by zero"),
        (HEAD + ".global .align 3 .u32 x;", 4, 16, "power of two"),
        (HEAD + ".entry k() { .reg .b32 a; .reg .b32 a; }", 4, 37, "Duplicate"),
    ],
)
def test_syntax_errors_have_places(text: str, line: int, column: int, part: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse(text)
    (diagnostic,) = caught.value.diagnostics
    assert part in diagnostic.message
    assert diagnostic.where is not None and diagnostic.where.source.position(diagnostic.where.start) == (line, column)
    assert diagnostic.code.startswith("ptx.") and "t.ptx" in diagnostic.render()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("add.s32 %r1, %r2, %nope;", "ptx.undeclared"),
        ("bra NOWHERE;", "ptx.undeclared"),
        ("add.s32 %r1, %r2;", "ptx.operands"),
        ("add.s32 %r1, %r2, %rd3;", "ptx.operands"),
        ("add.s32 %r1, %r2, %r3, %r4;", "ptx.operands"),
        ("add.f32 %f1, %f2, 3;", "ptx.operands"),
        ("add.f64 %f1, %d2, %d3;", "ptx.operands"),
        ("setp.lt.s32 %r1, %r2, %r3;", "ptx.operands"),
        ("selp.b32 %r1, %r2, %r3, %r4;", "ptx.operands"),
        ("ld.global.u32 %r1, %r2;", "ptx.operands"),
        ("ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];", "ptx.operands"),
        ("ld.global.u64 %r1, [%rd1];", "ptx.operands"),
        ("frob.u32 %r1;", "ptx.opcode"),
        ("add.zz.s32 %r1, %r2, %r3;", "ptx.modifier"),
        ("add.global.s32 %r1, %r2, %r3;", "ptx.modifier"),
        ("mul.s32 %r1, %r2, %r3;", "ptx.modifier"),
        ("@%r1 mov.u32 %r2, 0;", "ptx.guard"),
        ("min.f32 %f1, %f2, %f3; add.f32x2 %rd1, %rd2, %rd3;", "ptx.target"),
    ],
)
def test_verifier_finds(text: str, code: str, tmp_path: Path) -> None:
    found = ptx.verify(parse(body(text)), arch.get("sm_90"))
    assert [d.code for d in found][:1] == [code]
    assert found[0].where is not None
    if PTXAS:
        source = tmp_path / "x.ptx"
        source.write_text(body(text))
        done = subprocess.run(
            [PTXAS, "-arch=sm_90", source, "-o", tmp_path / "x.cubin"], capture_output=True, check=False
        )
        assert done.returncode != 0


def test_targets_and_versions() -> None:
    old = body("redux.sync.add.u32 %r1, %r2, -1;").replace(".version 9.0", ".version 6.5")
    found = [d.message for d in ptx.verify(parse(old), arch.get("sm_90"))]
    assert found[0] == "PTX .version 6.5 does not support .target sm_90" and "requires PTX ISA" in found[1], found
    newer = parse(f"{HEAD}".replace("sm_90", "sm_100"))
    assert [d.code for d in ptx.verify(newer, arch.get("sm_90"))] == ["ptx.target"]
    specific = parse(f"{HEAD}".replace("sm_90", "sm_90a"))
    assert [d.code for d in ptx.verify(specific, arch.get("sm_90"))] == ["ptx.target"]
    assert ptx.verify(specific, arch.get("sm_90a")) == []


def test_every_row_reads() -> None:
    names = {line.split(" | ")[0] for line in ROWS.strip().splitlines()}
    assert all(forms(name) for name in names) and not forms("nothing")


EXAMPLE = body(
    "mov.u32 %r1, %tid.x; {{ .reg .b32 %t; .param .b32 x; st.param.b32 [x], %r1; }} setp.lt.s32 %p1|%p2, %r1, (3+4);"
    " @%p1 bra L; ld.global.v2.u32 {{%r1,%r2}}, [%rd1+8]; L: fma.rn.f32 %f1, %f2, 0f3F800000, %f3;".replace(
        "{{", "{"
    ).replace("}}", "}"),
    '.global .align 4 .b8 s[4] = {1,2,3,4};\n.file 1 "a.cu"\n.section .debug_str { .b8 1,2 }',
)


@settings(max_examples=400, deadline=2000, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_text_never_crashes(data: st.DataObject) -> None:
    """Cut, spliced and altered text gives a module or a `CompileError`, in good time; so does checking what parses."""
    text = EXAMPLE
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        how = data.draw(st.integers(0, 3))
        if how == 0:
            text = text[:at]
        elif how == 1:
            text = text[:at] + text[at + data.draw(st.integers(1, 9)) :]
        elif how == 2:
            text = text[:at] + data.draw(st.text(max_size=3)) + text[at:]
        else:
            piece = data.draw(st.integers(0, len(text)))
            text = text[:at] + text[piece : piece + 20] + text[at:]
    try:
        module = parse(text)
    except CompileError as error:
        assert error.exit_status in (1, 255)
        error.diagnostics[0].render()
    else:
        ptx.verify(module, arch.get("sm_90"))
        ptx.format(module)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000, "{" * 5000, ".reg .b32 %r<999999999>;", "mov.u32 %r1, " + "-" * 5000 + "1;", "add." * 5000,
     *(f"mov.u32 %r1, {opening * 5000}%r1;" for opening in ("[", "{", "!", "~", "{[", "[{", "[%rd1, ["))],
)  # fmt: skip
def test_deep_and_long_input_ends(text: str) -> None:
    with pytest.raises(CompileError):
        module = parse(body(text))
        raise CompileError(ptx.verify(module, arch.get("sm_90")))


def test_work_is_linear() -> None:
    """Ten times the text takes about ten times as many calls."""
    line = "\tmad.lo.s32 \t%r1, %r2, %r3, %r4;\n\tld.global.f32 \t%f1, [%rd1+16];\n"
    short, long = body(line * 500), body(line * 5000)
    assert calls(lambda: parse(long)) < 11 * calls(lambda: parse(short))


def test_later_minor_versions_are_read() -> None:
    """Triton writes the newest version that it knows of, whatever it uses."""
    module = parse(".version 9.4\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n")
    assert module.version == (9, 4)


@pytest.mark.parametrize("rest", ["`", "/* and so on", '.file 1 "k'])
def test_what_no_token_begins_with_is_an_error_of_ptxas(rest: str) -> None:
    with pytest.raises(CompileError) as caught:
        ptx.parse(SourceFile("k.ptx", f".version 9.0\n.target sm_90\n.address_size 64\n{rest}"))
    assert caught.value.exit_status == EXIT_PTXAS
