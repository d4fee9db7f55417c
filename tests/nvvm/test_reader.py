"""Our reader of printed IR: what it understands, and how it fails."""

from __future__ import annotations

import contextlib
import itertools
import re

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minicc import nvvm
from minicc.diagnostics import CompileError
from minicc.fuzz import control, expr
from minicc.nvvm import ir
from minicc.nvvm.tokens import tokenise
from tests.counting import calls
from tests.nvvm.samples import EVERYTHING, VADD


@pytest.fixture(scope="module")
def module() -> ir.Module:
    """EVERYTHING, as LLVM itself prints it."""
    return nvvm.read(str(llvm.parse_assembly(EVERYTHING)))


def _op(module: ir.Module, name: str) -> list[ir.Inst]:
    return [inst for inst in module.functions["f"].instructions() if inst.op == name]


def test_types(module: ir.Module) -> None:
    f = module.functions["f"]
    struct = f.args[0].attributes["byval"]
    assert [str(t) for t in struct.elements] == ["i32", "%T", "[4 x i32]"]
    assert struct.elements[1].packed
    assert [str(a.type) for a in f.args] == ["ptr", "i64", "<4 x half>", "bfloat", "i1"]
    assert ir.int_type(32) is f.result


def test_globals(module: ir.Module) -> None:
    variables = module.variables
    assert variables['quoted "name'].space == 3
    text = variables["text"].init
    assert isinstance(text, ir.ConstBytes) and text.data == b"a\n\\\0"
    table = variables["table"].init
    assert isinstance(table, ir.ConstAggregate)
    numbers = table.items[1]
    assert isinstance(numbers, ir.ConstAggregate)
    assert [item.bits for item in numbers.items] == [0x3FF8000000000000, 0x7FF8000000000000]  # type: ignore[attr-defined]
    pointer = table.items[2]
    assert isinstance(pointer, ir.ConstExpr) and pointer.op == "addrspacecast"
    assert variables["ext"].init is None
    assert isinstance(module.aliases["alias"].target, ir.Global)


def test_instructions(module: ir.Module) -> None:
    f = module.functions["f"]
    assert [b.name for b in f.blocks] == ["2", "9", "19", "20"]
    load = _op(module, "load")[0]
    assert load.flags == {"volatile"} and load.align == 4
    bounds = module.node(load.metadata["range"])
    assert bounds is not None and [item.value for item in bounds.items] == [0, 10]
    add = _op(module, "add")[0]
    assert add.flags == {"nuw", "nsw"}
    assert isinstance(add.args[1], ir.ConstInt) and add.args[1].value == 2**32 - 3
    exchange = _op(module, "cmpxchg")[0]
    assert exchange.order == ("acq_rel", "monotonic") and exchange.scope == "device"
    assert exchange.flags == {"weak", "volatile"}
    rmw = _op(module, "atomicrmw")[0]
    assert (rmw.pred, rmw.scope, str(rmw.type)) == ("fadd", "block", "float")
    assert _op(module, "shufflevector")[0].indices == (3, -1)
    select = _op(module, "select")[0]
    splat = select.args[2]
    assert isinstance(splat, ir.ConstAggregate) and len(splat.items) == 2
    switch = _op(module, "switch")[0]
    assert switch.cases == [2**32 - 1, 5]
    assert [b.name for b in switch.blocks] == ["20", "9", "19"]
    phi = _op(module, "phi")[0]
    assert [b.name for b in phi.blocks] == ["2", "9"]
    assert isinstance(phi.args[1], ir.Inst) and phi.args[1].op == "extractvalue"
    asm, fma, copy, printf = _op(module, "call")
    assert isinstance(asm.callee, ir.InlineAsm) and asm.callee.constraints == "=r,=r,r,n,~{memory}"
    assert "convergent" in asm.attributes
    assert fma.flags == {"tail", "contract"}
    assert [item.bits for item in fma.args[1:]] == [0x3FC00000, 0x80000000]  # type: ignore[attr-defined]
    assert copy.attributes["args"][0]["align"] == 4
    assert printf.source is not None and printf.source.vararg
    assert str(_op(module, "extractvalue")[1].type) == "i16"


BLOCKS = [
    "head:\n %p = load ptr, ptr %t\n %q = add i32 %x, 1\n br i1 %c, label %body, label %done\n",
    "body:\n %r = call i32 %p(i32 %q)\n switch i32 %r, label %done [ i32 1, label %head ]\n",
    "done:\n %s = phi i32 [ %q, %head ], [ %r, %body ]\n store i32 %s, ptr %p\n ret i32 %s\n",
]


@pytest.mark.parametrize("blocks", [*itertools.permutations(BLOCKS)])
def test_blocks_may_come_in_any_order(blocks: tuple[str, ...]) -> None:
    """What is used before the line that defines it is that value: an operand as well as what is called."""
    head = "define i32 @k(ptr %t, i1 %c, i32 %x) {\n br label %head\n"
    function = nvvm.read(head + "".join(blocks) + "}\n").functions["k"]
    known = {id(value): value.name for value in (*function.args, *function.instructions())}
    used = {}
    for inst in function.instructions():
        values = [v for v in (inst.callee, *inst.args) if v is not None and not isinstance(v, ir.ConstInt)]
        used[inst.parent.name, inst.op] = [known[id(v)] for v in values] + [b.name for b in inst.blocks]
    assert used["body", "call"] == ["p", "q"] and used["body", "switch"] == ["r", "done", "head"]
    assert used["done", "phi"] == ["q", "r", "head", "body"] and used["done", "store"] == ["s", "p"]


def test_metadata(module: ir.Module) -> None:
    assert len(module.named_metadata["named"]) == 2
    unit = module.node(module.named_metadata["named"][1])
    assert unit is not None and unit.kind == "DICompileUnit" and unit.distinct
    assert unit.fields["flags"] == 'a "b"'
    file = module.node(unit.fields["file"])
    assert file is not None and file.fields["filename"] == "all.k"
    assert module.functions["printf"].attributes["target-cpu"] == "sm_90"


def test_same_instructions_as_llvm() -> None:
    """Opcodes and operand counts, instruction by instruction, as LLVM's own API tells them."""
    theirs = llvm.parse_assembly(EVERYTHING)
    ours = nvvm.read(str(theirs))
    function = theirs.get_function("f")
    for block, mine in zip(function.blocks, ours.functions["f"].blocks, strict=True):
        for inst, my in zip(block.instructions, mine.insts, strict=True):
            assert inst.opcode == my.op
            if my.op not in ("call", "br", "switch", "phi", "alloca"):
                operands = [str(o.type) for o in inst.operands]
                assert operands == [str(a.type) for a in my.args]
            assert str(inst.type) == str(my.type)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("define void @f() {\n  frobnicate i32 1\n  ret void\n}", "unknown instruction 'frobnicate'", "2:3"),
        ("define void @f() {\n  %x = add i32 %y, 1\n  ret void\n}", "use of undefined value '%y'", "2:16"),
        ("define void @f() {\n  br label %nowhere\n}", "use of undefined label '%nowhere'", ""),
        ("define void @f(%Missing %x) {\n  ret void\n}", "use of undefined type named 'Missing'", "1:"),
        ("define void @f() {\n  ret void", "malformed IR", "2:"),
        ("@x = global <vscale x 4 x i32> zeroinitializer", "scalable vectors", ""),
        ("nonsense", "expected a top-level entity, found 'nonsense'", "1:1"),
        ("define void @f() {\n  %x = load i32, ptr\n}", "expected a value of type ptr", "3:1"),
    ],
)
def test_errors(text: str, message: str, place: str) -> None:
    """Named, with line and column."""
    with pytest.raises(CompileError) as caught:
        nvvm.read(text, "t.ll")
    diagnostic = caught.value.diagnostics[0]
    assert message in diagnostic.message
    assert diagnostic.where is not None
    assert str(diagnostic.where).startswith("t.ll:" + place)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_damage_is_an_error_or_harmless(data: st.DataObject) -> None:
    """Truncated or edited text never raises anything but CompileError."""
    base = data.draw(st.sampled_from((VADD, EVERYTHING)))
    at = data.draw(st.integers(0, len(base) - 1))
    end = data.draw(st.integers(at, min(len(base), at + 12)))
    text = base[:at] + data.draw(st.text('%@!(){}[]<>,=*"i32x 0-', max_size=4)) + base[end:]
    if data.draw(st.booleans()):
        text = text[:at]
    with contextlib.suppress(CompileError):
        nvvm.read(text)


@settings(deadline=None, max_examples=30)
@given(expr.expressions((*expr.INTS, *expr.ODD, *expr.FLOATS)), control.programs())
def test_reads_what_llvm_prints(program: expr.Expr, structured: tuple[object, ...]) -> None:
    """Optimised random programs: every block and instruction count is the text's."""
    for text in (expr.to_ir(program), control.to_ir(structured)):
        optimised = nvvm.optimise(text, nvvm.Options())
        module = nvvm.read(optimised)
        body = optimised[optimised.index("define") :]
        body = body[: body.index("\n}")]
        lines = [
            line
            for line in body.split("\n")[1:]
            if re.match(r"\s+\S", line) and not re.match(r"\s+(i\d+ .*label|\])", line)
        ]
        assert sum(1 for _ in module.functions["kernel"].instructions()) == len(lines)


def test_work_is_linear() -> None:
    """Ten times the text takes about ten times as many calls."""

    def work(lines: int) -> int:
        body = "\n".join(f"  %x{i} = add i32 %x{i - 1}, {i}" for i in range(1, lines + 1))
        text = f"define i32 @f(i32 %x0) {{\n{body}\n  ret i32 %x{lines}\n}}\n"
        return calls(lambda: nvvm.read(text))

    assert work(10_000) < 11 * work(1_000)


def test_tokens() -> None:
    assert tokenise('%"a b" = add i32 -1, 0x7F ; comment\n')[:7] == ['%"a b"', "=", "add", "i32", "-1", ",", "0x7F"]
