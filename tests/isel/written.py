"""LLVM IR for a pattern: a function in which the pattern's own tree is written out, operation for operation.

What an operation is called in LLVM IR stands in `RULES`. An intrinsic's signature is the one that LLVM takes: its
parser knows them all and is asked (`signature`), so nothing is written here that is not LLVM IR.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as llvm

from minicc.isel.cover.database import ADDR, IMM, REG, Leaf, Tree
from minicc.isel.lower.intrinsic_table import NVVM
from minicc.isel.lower.memory import SPACES
from minicc.isel.lower.named import _PREFIX
from tests.isel.synthesise import argument_type, plain, result_kinds, result_type, space

LAYOUT = "e-p3:{0}:{0}-p4:{0}:{0}-p5:{0}:{0}-p6:32:32-p7:{0}:{0}-i64:64-i128:128-v16:16-v32:32-n16:32:64"
"""NVPTX's data layout; the hole is the size of pointers to shared, constant and local memory."""
TYPES = {
    "p": "i1", "f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double", "h": "i16", "u8": "i8", "u16": "i16",
    "f16x2": "<2 x half>", "bf16x2": "<2 x bfloat>", "f32x2": "<2 x float>",
    **{space: f"ptr addrspace({number})" if number else "ptr" for number, space in SPACES.items()},
}  # fmt: skip
"""Types of nodes and state spaces, where LLVM calls them something else."""
Value = tuple[str, str]
"""(LLVM's type, name)"""
_SIZES = {"half": 16, "bfloat": 16, "float": 32, "<2 x half>": 32, "<2 x bfloat>": 32, "double": 64, "<2 x float>": 64}
_CALLS = {
    "abs": "abs({0:T}, i1 false)", "saddsat": "sadd.sat({0:T}, {1:T})", "ssubsat": "ssub.sat({0:T}, {1:T})",
    "fma": "fma({0:T}, {1:T}, {2:T})", "fabs": "fabs({0:T})", "fsqrt": "sqrt({0:T})",
    "copysign": "copysign({1:T}, {0:T})", "fmin": "minnum({0:T}, {1:T})", "fmax": "maxnum({0:T}, {1:T})",
    "fminnan": "minimum({0:T}, {1:T})", "fmaxnan": "maximum({0:T}, {1:T})", "frint": "rint({0:T})",
    "ftrunc": "trunc({0:T})", "ffloor": "floor({0:T})", "fceil": "ceil({0:T})", "bswap": "bswap({0:T})",
    "shfl": "fshl({0:T}, {1:T}, {2:T})", "shfr": "fshr({0:T}, {1:T}, {2:T})", "popc": "ctpop({0:T})",
    "clz": "ctlz({0:T}, i1 false)", "brev": "bitreverse({0:T})",
    **{op: op + "({0:T}, {1:T})" for op in ("smin", "smax", "umin", "umax")},
}  # fmt: skip
_PAIR = "insertelement [{0}] poison, {{0:{1}}}, i32 0; insertelement [{0}] {{x}}, {{1:{1}}}, i32 1"
RULES: list[tuple[str, str]] = [
    (r"(add|sub|mul|and|or|xor|[su]div|[su]rem|shl|lshr|ashr)\.(p|i32|i64)", r"\1 {0:T}, {1=T}"),
    (r"(fadd|fsub|fmul|fdiv)\.(\w+)", r"\1 {0:T}, {1=T}"),
    (r"(fadd|fsub|fmul)c\.(\w+)", r"\1 contract {0:T}, {1=T}"),
    (r"fneg\.(\w+)", "fneg {0:T}"),
    (r"frcp\.(\w+)", "fdiv T 1.0, {0=T}"),
    (r"([fi]cmp)\.(\w+)\.(\w+)", r"\1 \2 {0:T}, {1=T}"),
    (r"select\.(\w+)", "select {0:p}, {1:T}, {2:T}"),
    (r"sext8\.i64", "shl {0:i64}, 56; ashr i64 {x}, 56"),
    (r"sext16\.i64", "shl {0:i64}, 48; ashr i64 {x}, 48"),
    (r"sext(8|16)\.(\w+)", r"trunc {0:T} to i\1; sext i\1 {x} to T"),
    (r"bitcast\.i32\.(b?f16)", r"bitcast {0:\1} to i16; zext i16 {x} to i32"),
    (r"bitcast\.(b?f16)\.i32", r"trunc {0:i32} to i16; bitcast i16 {x} to [\1]"),
    (r"(sext|zext|trunc|fpext|fptrunc|sitofp|uitofp|fptosi|fptoui|bitcast)\.(\w+)\.(\w+)", r"\1 {0:T} to [\2]"),
    *[(rf"{op}\.(\w+)", f"call T @llvm.{call}") for op, call in _CALLS.items()],
    (r"frcpapprox\.(f32)", "fdiv afn T 1.0, {0=T}"),
    (r"fsqrtapprox\.(f32)", "call afn T @llvm.sqrt({0:T})"),
    (r"ftanh\.(f32|f16|bf16)", "call afn T @llvm.tanh({0:T})"),
    (r"cvta\.(?:func)?param\.i64", "getelementptr i8, {0:byval}, i64 0"),
    (r"isspacep\.cluster\.i64", "call i1 @llvm.nvvm.isspacep.shared.cluster({0:gen})"),
    (r"isspacep\.(\w+)\.i64", r"call i1 @llvm.nvvm.isspacep.\1({0:gen})"),
    (r"cvta\.(\w+)\.i64", r"addrspacecast {0:\1} to ptr"),
    (r"cvtato\.(\w+)\.i64", r"addrspacecast {0:gen} to [\1]"),
    (r"atom\.cas\.(\w+)\.(\w+)", r"cmpxchg {0:\1}, {1:\2}, {2:\2} monotonic monotonic; extractvalue { \2, i1 } {x}, 0"),
    (r"(atom|red)\.inc\.(\w+)\.(\w+)", r"atomicrmw uinc_wrap {0:\2}, {1:\3} monotonic"),
    (r"(atom|red)\.dec\.(\w+)\.(\w+)", r"atomicrmw udec_wrap {0:\2}, {1:\3} monotonic"),
    (r"atom\.exch\.(\w+)\.(\w+)", r"atomicrmw xchg {0:\1}, {1:\2} monotonic"),
    (r"(atom|red)\.(\w+)\.(\w+)\.(\w+)", r"atomicrmw \2 {0:\3}, {1:\4} monotonic"),
    (r"fence\.(\w+)", r"fence syncscope(<\1>) acq_rel"),
    (r"fencesc\.(\w+)", r"fence syncscope(<\1>) seq_cst"),
    (r"pack\.i64", "zext {1:i32} to i64; shl i64 {x}, 32; zext {0:i32} to i64; or i64 {x}, {w}"),
    (r"packh\.i32", _PAIR.format("f16x2", "f16")),
    (r"packf\.i64", _PAIR.format("f32x2", "f32")),
    (r"hi\.i32\.i64", "bitcast {0:i64} to <2 x i32>; extractelement <2 x i32> {x}, i32 1"),
    (r"unpackh\.i32", "extractelement {0:f16x2}, i32 1"),
    (r"(add|sub)w\.x2", r"\1 {0:i128}, {2=i128}"),
    (r"(add|sub)w\.x3", r"\1 {0:i192}, {3=i192}"),
    (r"(add|sub)w\.x4", r"\1 {0:i256}, {4=i256}"),
    (r"sreg\.i32", "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"),
    (r"sreg\.i64", "call i64 @llvm.nvvm.read.ptx.sreg.clock64()"),
    (r"sreg\.p", "call i1 @llvm.nvvm.is_explicit_cluster()"),
    (r"bfind\.u\.(\w+)", "call T @llvm.ctlz({0:T}, i1 false); sub T <T>, {x}"),
    (r"dp2a\.(lo|hi)\.(\w)(\w)\.i32", r"call i32 @llvm.nvvm.idp2a.\2.\3({0:i32}, {1:i32}, i1 <\1>, {2:i32})"),
    (r"clc\.canceled\.p", "call i1 @llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled({0:i128})"),
    (r"clc\.ctaid\.(\w)\.i32", r"call i32 @llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.\1({0:i128})"),
    (r"alloca\.i64", "alloca i8, {0:i64}, align 16"),
    (r"stacksave\.i64", "call ptr @llvm.stacksave()"),
    (r"stackrestore\.i64", "call void @llvm.stackrestore({0:gen})"),
    (r"ldu\.global\.u(8|16)", r"call i\1 @llvm.nvvm.ldu.global.i({0:global}, i32 1)"),
    (r"trapcall\.", "call void @llvm.trap()"),
    (r"brkpt\.", "call void @llvm.debugtrap()"),
]
"""Operation -> LLVM IR, in steps. {0:t} is an operand with its type, {0=t} its name alone; T is the last type that the
operation names, [t] another in LLVM's words; {x} is the result of the step before, {w} of the one before that."""
_WORDS = {"cta": '"block"', "gpu": '"device"', "sys": '""', "cluster": '"cluster"', "lo": "false", "hi": "true",
          "i32": "31", "i64": "63"}  # fmt: skip
_ORDER = {"bulk.g2s": "pbqa", "bulk.s2c": "pbqa"}
_NUMBERS = (7, 0, 24)
"""Constants that an intrinsic may take."""
_HINT = ("i64 0", "i1 false")
_TAILS = {
    "tensor.g2s": ("i16 0", "i64 0", "i1 false", "i1 false", "i32 0"),
    "bulk.g2s": ("i16 0", "i64 0", "i1 false", "i1 false"),
    **dict.fromkeys(("tensor.s2g", "tensor.reduce", "tensor.prefetch", "bulk.s2g", "bulk.prefetch"), _HINT),
}
"""What LLVM's intrinsics have after the operands that a pattern sees: masks of blocks, cache hints, their use."""
_POINTERS = tuple(TYPES[space] for space in ("shared", "gen", "global", "cluster", "const", "local"))
_CHOICES = {
    "i32": ("i32", "<2 x half>", "<2 x bfloat>"),
    "i64": ("i64", "ptr", "ptr addrspace(1)"),
    "f16": ("half", "<2 x half>"),
    "bf16": ("bfloat", "<2 x bfloat>"),
    "address": (*_POINTERS, "ptr addrspace(6)"),
    "constant": ("i32", "i1", "i64", "i16", "i8"),
}
"""What a register of a type may hold, among the operands of an intrinsic."""


def accepted(text: str) -> str | None:
    """A module as LLVM understands and prints it; None where it is no LLVM IR."""
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError:
        return None
    return str(module)


def names(op: str) -> list[str]:
    """Intrinsics that may be an operation."""
    found = [name for name, (known, _) in NVVM.items() if known == op]
    for long, short in _PREFIX.items():
        if op.startswith(short):
            found.append(long + op[len(short) :].removesuffix(".i32"))
    return [*found, op]


@cache
def signature(
    op: str, operands: tuple[tuple[str, str], ...], results: tuple[str, ...]
) -> tuple[str, list[str], int] | None:
    """An intrinsic's result and name, and its operands' types, as LLVM declares it. `operands`: letter and kind of
    each; all of one letter have one type."""
    groups = dict(operands)
    choices = [_CHOICES.get(kind, (TYPES.get(kind, kind),)) for kind in (*groups.values(), *results[:1])]
    tail = next((tail for start, tail in _TAILS.items() if op.startswith(start)), ())
    for name, number, types in itertools.product(names(op), _NUMBERS, itertools.product(*choices)):
        of = dict(zip(groups, types, strict=False))
        arguments = [of[letter] for letter, _ in operands]
        fields = [types[-1] if kind == results[0] else TYPES.get(kind, kind) for kind in results]
        result = f"{{ {', '.join(fields)} }}" if len(fields) > 1 else fields[0] if fields else "void"
        values = [f"{of[letter]} {number if kind == 'constant' else 'poison'}" for letter, kind in operands]
        call = f"call {result} @llvm.nvvm.{name}({', '.join([*values, *tail])})"
        if accepted(f"define void @f() {{\n {call}\n ret void\n}}") is not None:
            return f"{result} @llvm.nvvm.{name}", [*arguments, *tail], number
    return None


class Writer:
    """A function that computes a tree and stores what comes out."""

    def __init__(self, root: Tree, template: str, flags: str, immediate: bool) -> None:
        self.root, self.template, self.flags = root, template, flags
        self.immediate = immediate
        """Operands that may be either are constants."""
        self.number = _NUMBERS[0]
        self.returned: Value = ("void", "")
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.leaves: dict[str, Value] = {}

    def emit(self, type_: str, text: str) -> Value:
        if type_ == "void":
            self.lines.append(text)
            return type_, ""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return type_, name

    def parameter(self, type_: str) -> Value:
        if type_ == "i1":  # of a kind that no pattern joins to its user
            where = self.parameter("ptr")[1]
            return self.emit(type_, f"call i1 @llvm.nvvm.isspacep.shared(ptr {where})")
        name = f"%a{len(self.parameters)}"
        if type_ == "byval":
            self.parameters.append(f"ptr byval({{ i64, i64 }}) align 8 {name}")
            return "ptr", name
        self.parameters.append(f"{type_} {name}")
        return type_, name

    def leaf(self, item: Leaf, type_: str) -> Value:
        """An operand, in the type that its first use asks for."""
        if item.value is not None:
            return type_, "true" if type_ == "i1" else str(item.value)
        if item.name not in self.leaves:
            constant = item.accept == IMM or (self.immediate and item.accept == IMM | REG)
            self.leaves[item.name] = self.constant(item, type_) if constant else self.parameter(type_)
        return self.leaves[item.name]

    def constant(self, item: Leaf, type_: str) -> Value:
        if type_ in ("float", "double", "half"):
            return type_, "1.5"
        taken = [int(name) for _, name in self.leaves.values() if name.lstrip("-").isdigit()]
        guesses: tuple[int, ...] = (self.number, 7, 8, 16, 1, 3, 0xFFFFF000, 0)
        if taken and self.flags in ("rot", "comp"):
            guesses = (32 - taken[0],) if self.flags == "rot" else (taken[0] ^ 0xFFFFFFFF,)
        return type_, str(next(g for g in guesses if item.check is None or item.check(g)))

    def operand(self, item: Tree | Leaf, type_: str) -> str:
        """The name of an operand as a value of a type."""
        have, name = self.tree(item) if isinstance(item, Tree) else self.leaf(item, type_)
        if have == type_ or type_ == "byval" or not name.startswith("%"):
            return name
        if have.startswith("ptr") and type_.startswith("ptr"):
            return self.emit(type_, f"addrspacecast {have} {name} to {type_}")[1]
        if have.startswith("ptr") or type_.startswith("ptr"):
            how = "ptrtoint" if have.startswith("ptr") else "inttoptr"
        elif have[0] == type_[0] == "i" and have != type_:
            how = "trunc" if int(have[1:]) > int(type_[1:]) else "zext"
        else:
            how = "bitcast"
        return self.emit(type_, f"{how} {have} {name} to {type_}")[1]

    def tree(self, item: Tree) -> Value:
        op = plain(item.op)
        for pattern, text in RULES:
            found = re.fullmatch(pattern, op)
            if found:
                value = self.steps(item, found.expand(text), found)
                return ("void", "") if op.startswith("red.") else value
        if re.match(r"(ld|ldnc|ldcs|ldvol|ldord)\d?\.|(st|stcs|stvol|stord)\d?\.", op):
            return self.access(item, op)
        return self.intrinsic(item, op)

    def steps(self, item: Tree, text: str, found: re.Match[str]) -> Value:
        last = found[found.lastindex] if found.lastindex else ""
        text = re.sub(r"<(\w+)>", lambda m: _WORDS[m[1].replace("T", last)], text)
        text = re.sub(r"\[(\w+)\]", lambda m: TYPES.get(m[1], m[1]), re.sub(r"\bT\b", f"[{last}]", text))
        value: Value = ("", "")
        before: Value = ("", "")
        for step in text.split("; "):

            def put(field: re.Match[str]) -> str:
                type_ = TYPES.get(field[3], field[3])
                name = self.operand(item.children[int(field[1])], type_)
                type_ = "ptr" if type_ == "byval" else type_
                return f"{type_} {name}" if field[2] == ":" else name

            step = re.sub(r"\{(\d)([:=])([^{}]*)\}", put, step).replace("{x}", value[1]).replace("{w}", before[1])
            before, value = value, self.emit(self.type_of(step), step)
        return value

    @staticmethod
    def type_of(text: str) -> str:
        """Type of an instruction's result, from its text."""
        type_ = r"(<.*?>|\{.*?\}|ptr(?: addrspace\(\d\))?|\w+)"
        for pattern in (rf".* to {type_}$", rf"call (?:afn )?{type_} @.*"):
            if found := re.fullmatch(pattern, text):
                return found[1]
        if text.startswith(("icmp", "fcmp")):
            return "i1"
        if text.startswith("fence"):
            return "void"
        if text.startswith("extractelement"):
            return text.split(" ", 1)[1].split(">")[0].split(" x ")[1]
        if text.startswith(("getelementptr", "alloca")):
            return "ptr"
        if text.startswith(("select", "atomicrmw", "cmpxchg")):
            kinds = re.findall(rf"{type_} [%\d.-]+", text)
            return f"{{ {kinds[-1]}, i1 }}" if text.startswith("cmpxchg") else kinds[-1]
        if found := re.match(rf"extractvalue \{{ {type_},", text):
            return found[1]
        found = re.match(rf"\w+ (?:contract |afn )?{type_} ", text)
        assert found, text
        return found[1]

    def access(self, item: Tree, op: str) -> Value:
        """A load or store, of one value or a vector."""
        head, space, kind = op.split(".")
        count = int(head[-1]) if head[-1].isdigit() else 1
        head = head.rstrip("2348")
        one = TYPES.get(kind, kind)
        type_ = one if count == 1 else f"<{count} x {one}>"
        size = int(one[1:]) // 8 if one[0] == "i" else _SIZES[one] // 8
        how = {"vol": " volatile", "ord": " atomic"}.get(head[2:], "")
        note = {"nc": ", !invariant.load !0", "cs": ", !nontemporal !1"}.get(head[2:], "")
        tail = f"{' monotonic' if 'ord' in head else ''}, align {size * count}{note}"
        value = "" if head.startswith("ld") else self.operand(item.children[1], type_)
        if value and space == "param":  # the function's result
            self.returned = type_, value
            return "", ""
        where = f"{TYPES[space]} {self.operand(item.children[0], TYPES[space])}"
        if not value:
            return self.emit(type_, f"load{how} {type_}, {where}{tail}")
        return self.emit("void", f"store{how} {type_} {value}, {where}{tail}")

    def intrinsic(self, item: Tree, op: str) -> Value:
        children = list(item.children)
        if op in _ORDER:
            children.sort(key=lambda child: _ORDER[op].index(child.name))
        operands = []
        for child in children:
            if isinstance(child, Tree):
                operands.append((child.op, result_type(plain(child.op))))
            else:
                kind = self.where(op, child.name) if child.accept & ADDR else argument_type(op, child.name)
                kind = "constant" if child.accept == IMM else kind
                kind = "address" if op.startswith("tcgen05.dealloc") and child.name == "t" else kind
                operands.append((child.name.rstrip("0123456789") or "=", kind))
        found = signature(op, tuple(operands), self.results(item))
        if found is None:
            raise KeyError(op)
        called, types, self.number = found
        values = [f"{t} {self.operand(c, t)}" for c, t in zip(children, types, strict=False)]
        return self.emit(called.partition(" @")[0], f"call {called}({', '.join([*values, *types[len(children) :]])})")

    @staticmethod
    def where(op: str, name: str) -> str:
        """Kind of an address; of copies LLVM has older signatures, too, so that it cannot be asked."""
        if not op.startswith(("bulk.", "tensor.")):
            return "address"
        if op.startswith("bulk.prefetch"):
            return "global"
        return "cluster" if name == "p" and op.startswith(("bulk.g2s", "bulk.s2c", "tensor.g2s")) else space(op, name)

    def results(self, item: Tree) -> tuple[str, ...]:
        kind = result_type(item.op)
        count = len(set(re.findall(r"\$d\d+", self.template)))
        if count and item is self.root and (count > 1 or not kind):
            return tuple(result_kinds(item.op, self.template, count, kind))
        if item.op.startswith("wmma") and item.op.endswith("f64") and count:
            return ("f64",)
        return (kind,) if kind else ()


WITHIN = {
    "trunc16.h.i32": "e2h.e4m3.i32",
    "zext16.i32.h": "ff2e.e4m3.h",
    **dict.fromkeys(("packf.i64", "flo.f32.i64", "fhi.f32.i64"), "fadd.f32x2"),
}
"""What only the lowering of another operation makes."""
_HEAD = 'target datalayout = "{}"\ntarget triple = "nvptx64-nvidia-cuda"\n'
_NOTES = "!0 = !{}\n!1 = !{i32 1}\n"


def function(tree: Tree, template: str, flags: str = "", how: Sequence[str] = ()) -> str | None:
    """A module that computes a pattern's tree and stores what comes out; None where it cannot be written. `how`:
    "immediate": what may be constant is; "wide": pointers to shared memory have 64 bits; "device": a function and no
    kernel; "barrier": a predicate goes to a barrier first, which takes no negated one."""
    writer = Writer(tree, template, flags, "immediate" in how)
    try:
        type_, name = writer.tree(tree)
    except KeyError:
        return None
    if type_ == "i1" and "barrier" in how:
        name = writer.emit("i1", f"call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 {name})")[1]
    if type_ == "i1":
        type_, name = writer.emit("i32", f"zext i1 {name} to i32")
    if type_ not in ("", "void"):
        writer.emit("void", f"store {type_} {name}, ptr addrspace(1) %out")
    returned, value = writer.returned
    body = "\n ".join([*writer.lines, f"ret {returned} {value}"])
    parameters = ", ".join(["ptr addrspace(1) %out", *writer.parameters])
    kernel = "" if "device" in how or value else "ptx_kernel "
    head = _HEAD.format(LAYOUT.format(64 if "wide" in how else 32))
    return f"{head}define {kernel}{returned} @k({parameters}) {{\n {body}\n}}\n{_NOTES}"


def _swapped(type_: str, first: str = "%a", second: str = "%b") -> str:
    """Two values that change places in a loop."""
    inside = "icmp eq ptr addrspace(1) %out, null"
    return (
        f"define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n, {type_} %a, {type_} %b) {{\nentry:\n"
        f" %p = {inside}\n br label %loop\nloop:\n"
        f" %x = phi {type_} [ {first}, %entry ], [ %y, %loop ]\n %y = phi {type_} [ {second}, %entry ], [ %x, %loop ]\n"
        " %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n %j = add i32 %i, 1\n %c = icmp slt i32 %j, %n\n"
        f" br i1 %c, label %loop, label %done\ndone:\n store {type_} %x, ptr addrspace(1) %out\n ret void\n}}\n"
    )


SOURCES = [
    *[_swapped(type_) for type_ in ("i32", "i64", "float", "double", "half")],
    _swapped("i1", "%p", "true"),
    """define i32 @callee(i32 %a) {\n ret i32 %a\n}
    define ptx_kernel void @k(ptr addrspace(1) %out, ptr %g, i32 %a) {
     %x = call i32 @callee(i32 %a)\n %y = call i32 %g(i32 %x)\n %p = icmp eq i32 %x, %y\n br i1 %p, label %b, label %c
    b:\n store i32 %y, ptr addrspace(1) %out\n ret void\nc:\n unreachable\n}""",
    """@variable = addrspace(1) global i32 0\n@window = addrspace(3) global i32 poison
    define ptx_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %other) {
     store ptr addrspace(1) @variable, ptr addrspace(1) %out
     store ptr addrspace(3) @window, ptr addrspace(1) %other\n ret void\n}""",
    "define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {\n switch i32 %n, label %d ["
    + "".join(f" i32 {k}, label %b{k}" for k in range(8))
    + " ]\n"
    + "".join(f"b{k}:\n store i32 {k * k}, ptr addrspace(1) %out\n br label %d\n" for k in range(8))
    + "d:\n ret void\n}",
]
"""What needs several blocks, functions or variables: moves, branches, calls, addresses."""
SOURCES = [_HEAD.format(LAYOUT.format(32)) + source for source in SOURCES]
