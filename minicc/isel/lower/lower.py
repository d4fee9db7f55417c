"""LLVM IR -> selection DAG: legal types, explicit addresses, explicit calls.

One `Lowering` per function. `blocks` holds, per IR block, the nodes made for it (in order), the phi nodes, and the
terminator as a root node.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NoReturn

from minicc.arch.schema import Arch
from minicc.diagnostics import SourceFile, Span, fail
from minicc.isel.builder import Builder
from minicc.isel.dag import FINVERT, INVERT, WIDTH, BlockDag, Node
from minicc.isel.layout import DataLayout
from minicc.isel.lower.bits import Bits
from minicc.isel.lower.calls import Calls
from minicc.isel.lower.choices import Choices
from minicc.isel.lower.divide import Divide
from minicc.isel.lower.dots import Dots
from minicc.isel.lower.halves import HALVES, Halves, is_packed
from minicc.isel.lower.intrinsics import Intrinsics
from minicc.isel.lower.memory import Memory
from minicc.isel.lower.named import Named
from minicc.isel.lower.products import Products
from minicc.isel.lower.wide import Wide
from minicc.isel.options import Options
from minicc.isel.order import layout
from minicc.isel.prepare.contract import Contract
from minicc.isel.prepare.sink import predecessors, users
from minicc.nvvm import ir
from minicc.nvvm.tokens import offset_of

_INT_BINARY = frozenset(
    ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"]
)
_SIGNED_INPUT = frozenset({"sdiv", "srem", "ashr"})
_ZERO_INPUT = frozenset({"udiv", "urem", "lshr"})


def _signs(bits: int) -> set[tuple[str, int]]:
    """Comparisons with zero and with minus one that ask for the sign alone."""
    return {("slt", 0), ("sge", 0), ("sgt", (1 << bits) - 1), ("sle", (1 << bits) - 1)}


class Lowering(Memory, Calls, Intrinsics, Named, Wide, Divide, Dots, Products, Choices, Halves, Bits, Contract):
    """Lowers one function. The mixins hold memory, calls, intrinsics, wide integers and 16-bit floats."""

    def __init__(
        self, module: ir.Module, function: ir.Function, names: dict[str, str], arch: Arch, options: Options
    ) -> None:
        self.module = module
        self.function = function
        self.names = names
        self.arch = arch
        self.options = options
        self.layout = DataLayout(module.datalayout)
        self.build = Builder()
        self.values: dict[ir.Value, list[Node]] = {}
        self.blocks: list[BlockDag] = []
        self.frame: dict[ir.Value, int] = {}
        """Where each alloca lies in the depot."""
        self.depot_size = 0
        self.depot_align = 1
        self.call_count = 0
        self.current: ir.Inst | None = None
        self.ftz = self._flushes()
        self.asm_count = 0
        self.phi_constants: dict[tuple[ir.Inst, int], list[Node]] = {}
        self.order_data: tuple[str, str] | None = None
        self.use_counts: dict[ir.Value, int] = {}
        self.users: dict[ir.Value, list[ir.Inst]] = {}
        self.multiplies = False
        self.sums: dict[ir.Inst, int] = {}
        self.absorbed: set[ir.Value] = set()
        self.outlive: set[ir.Value] = set()
        self.reachable: set[ir.Block] = set()
        self.preds: dict[ir.Block, list[ir.Block]] = {}
        self.incoming: dict[tuple[ir.Block, ir.Block], list[tuple[ir.Inst, int]]] = {}

    def _flushes(self) -> bool:
        attributes = self.function.attributes
        for key in ("denormal-fp-math-f32", "denormal-fp-math"):
            if key in attributes:
                return str(attributes[key]).startswith("preserve-sign")
        fpenv = attributes.get("denormal_fpenv")
        if fpenv is not None:
            text = str(fpenv)
            single = text.split("float")[-1] if "float" in text else text
            return "preservesign" in single.replace("-", "").replace(" ", "")
        return self.options.ftz

    # --- errors -------------------------------------------------------------------------------------------------

    def unsupported(self, what: str) -> NoReturn:
        """A construct that has no pattern: named, with its place in the IR."""
        index = self.function.offset if self.current is None else self.current.offset
        start, end = offset_of(self.module.text, index)
        where = Span(SourceFile(self.module.name, self.module.text), start, max(end, start + 1))
        fail("isel.unsupported", f"no pattern for {what} in function '{self.function.name}'", where)

    # --- types and values ---------------------------------------------------------------------------------------

    def parts(self, value: ir.Value) -> list[Node]:
        """Nodes of a value, constants included."""
        found = self.values.get(value)
        if found is not None:
            return found
        return self.constant(value)

    def one(self, value: ir.Value) -> Node:
        parts = self.parts(value)
        if len(parts) != 1:
            self.unsupported(f"a {value.type} here")
        return parts[0]

    def constant(self, value: ir.Value) -> list[Node]:
        build = self.build
        match value:
            case ir.ConstInt():
                kinds = self.legal(value.type)
                if len(kinds) == 1:
                    return [build.const(kinds[0], value.value)]
                return [build.const("i64", value.value >> (64 * i)) for i in range(len(kinds))]
            case ir.ConstFloat():
                return [build.const(self.legal(value.type)[0], value.bits)]
            case ir.Zero() | ir.Undef():
                return [build.const(kind, 0) for kind in self.legal(value.type)]
            case ir.ConstAggregate():
                return [node for item in value.items for node in self.parts(item)]
            case ir.ConstBytes():
                return [build.const("i32", byte) for byte in value.data]
            case ir.Global():
                return [self.global_address(value)]
            case ir.ConstExpr():
                return self.constant_expression(value)
        self.unsupported(f"operand of type {value.type} ({type(value).__name__})")

    def global_address(self, value: ir.Global) -> Node:
        name = value.name
        while name in self.module.aliases and isinstance(self.module.aliases[name].target, ir.Global):
            target = self.module.aliases[name].target
            assert isinstance(target, ir.Global)
            name = target.name
        if name in self.module.variables:
            variable = self.module.variables[name]
            if variable.space in (0, 1):
                # Space 0 variables live in global memory; their address as a generic one needs a conversion.
                node = self.build.symbol("i64", self.names[name])
                return self.build.pure("cvta.global.i64", "i64", node) if variable.space == 0 else node
            kind = self.legal(ir.ptr_type(variable.space))[0]
            return self.build.symbol(kind, self.names[name])
        if name in self.names:
            return self.build.symbol("i64", self.names[name])
        self.unsupported(f"reference to unknown global @{name}")

    def constant_expression(self, value: ir.ConstExpr) -> list[Node]:
        if value.op == "getelementptr":
            assert value.source is not None
            return [self.gep(value.source, value.args)]
        if value.op in ("addrspacecast", "bitcast", "ptrtoint", "ptrtoaddr", "inttoptr", "trunc", "zext", "sext"):
            return self.cast(value.op, self.parts(value.args[0]), value.args[0].type, value.type)
        if value.op in _INT_BINARY:
            return self.integer_binary(value.op, value.type, self.parts(value.args[0]), self.parts(value.args[1]))
        self.unsupported(f"constant expression '{value.op}'")

    # --- driver -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Expressions of the function as it is now, block by block."""
        function = self.function
        self.users = used = self.users or users(function)
        self.multiplies = any(inst.op == "mul" for inst in function.instructions())
        self.use_counts = {value: len(found) for value, found in used.items()}
        order = layout(function)
        preds = self.preds = predecessors(function)
        self.reachable.update(order)
        self.incoming = _incoming(order)
        self.parameters()
        dags: dict[ir.Block, BlockDag] = {}
        shared: dict[ir.Block, dict[Any, Node]] = {}
        start = 0
        for index, block in enumerate(order):
            dag = dags[block] = BlockDag(block)
            self.build.block = index
            live = [p for p in preds[block] if p in self.reachable]
            if index == 0:
                pass
            elif len(live) == 1 and live[0] in shared:
                self.build.shared = dict(shared[live[0]])
            else:
                self.build.shared = {}
            for inst in block.insts:
                self.current = inst
                self.build.loc = inst.metadata.get("dbg")
                if inst.op == "phi":
                    dag.phis.append((inst, self.phi(inst)))
                elif inst is block.terminator:
                    self.constant_inputs(block)
                    self.current = inst
                    dag.terminator = self.terminator(inst)
                else:
                    self.instruction(inst)
            shared[block] = self.build.shared
            dag.nodes = self.build.nodes[start:]
            start = len(self.build.nodes)
        self.blocks = list(dags.values())

    def phi(self, inst: ir.Inst) -> list[Node]:
        """Nodes of a phi: one per part; pairs of halves stay joined. Copies stand for one that outlives its loop."""
        if is_packed(inst.type):
            nodes = [self.build.raw("phi.i32", "i32") for _ in range(inst.type.count // 2)]
            kind = HALVES[inst.type.element.kind]
            self.values[inst] = [part for node in nodes for part in self.unpair(node, kind)]
            return nodes
        nodes = [self.build.raw(f"phi.{kind}", kind) for kind in self.legal(inst.type)]
        self.values[inst] = nodes
        if inst in self.outlive:
            self.values[inst] = [self.build.raw(f"mov.{node.type}", node.type, (node,)) for node in nodes]
        return nodes

    def constant_inputs(self, block: ir.Block) -> None:
        """Constants that flow into the successors' phis: address computations among them belong to this block; so does
        the joining of halves."""
        for successor in block.successors:
            for inst, position in self.incoming.get((block, successor), ()):
                self.current, value = inst, inst.args[position]
                if is_packed(inst.type):
                    self.phi_constants[inst, position] = self.pairs(self.parts(value))
                elif not isinstance(value, ir.Inst | ir.Argument):
                    self.phi_constants[inst, position] = self.parts(value)

    def input_parts(self, inst: ir.Inst, position: int) -> list[Node]:
        """Nodes of a phi's input."""
        found = self.phi_constants.get((inst, position))
        return self.parts(inst.args[position]) if found is None else found

    # --- instructions -------------------------------------------------------------------------------------------

    def instruction(self, inst: ir.Inst) -> None:
        handler = getattr(self, f"op_{inst.op}", None)
        op = inst.op
        if handler is not None:
            result = handler(inst)
        elif inst.type.kind == "vector" and op in _ELEMENTWISE:
            result = self.packed_binary(inst) or self.elementwise(inst)
        elif op in ("and", "or") and inst.type is ir.I1:
            a, b = inst.args
            joined = self.one_bound(op, a, b) or self.comparisons_last(op, a, b)
            result = [joined or self.build.binary(op, "p", self.one(a), self.one(b))]
        elif op == "add" and self.options.opt_level > 0 and (dot := self.dot_products(inst)) is not None:
            result = [dot]
        elif op == "or" and (turned := self.rotated_product(inst)) is not None:
            result = turned
        elif (
            (op in ("add", "or") and (node := self.funnels(inst)) is not None)
            or (op in ("add", "sub") and (node := self.constant_last(inst)) is not None)
            or (op in ("sub", "xor") and (node := self.highest_one(inst)) is not None)
            or (op == "sub" and (node := self.wrapped(inst)) is not None)
            or (op == "mul" and (node := self.product_of_sum(inst) or self.mixed_product(inst)) is not None)
            or (op in ("sext", "zext") and (node := self.wide_product(inst) or self.wide_negative(inst)) is not None)
        ):
            result = [node]
        elif op in _INT_BINARY:
            result = self.integer_binary(op, inst.type, self.parts(inst.args[0]), self.parts(inst.args[1]))
        elif op in ("fadd", "fsub", "fmul", "fdiv", "frem"):
            if inst in self.absorbed:
                return
            product = self.contracted(inst)
            a, b = inst.args
            result = [product or self.float_binary(op, inst.flags, self.one(a), self.one(b), inst)]
        elif op in _CASTS:
            result = self.cast(op, self.parts(inst.args[0]), inst.args[0].type, inst.type, "nuw" in inst.flags)
        else:
            self.unsupported(f"instruction '{op}'")
        self.values[inst] = result

    def elementwise(self, inst: ir.Inst) -> list[Node]:
        """Vector operations one element at a time."""
        count = inst.type.count
        element = inst.type.element
        operands = []
        for arg in inst.args:
            parts = self.parts(arg)
            if arg.type.kind != "vector":
                operands.append((arg.type, [parts] * count))
            else:
                step = len(parts) // count
                operands.append((arg.type.element, [parts[i * step : i * step + step] for i in range(count)]))
        result: list[Node] = []
        for i in range(count):
            args: list[ir.Value] = []
            for type_, lists in operands:
                value = ir.Value(type_)
                self.values[value] = lists[i]
                args.append(value)
            scalar = copy(inst)
            scalar.type, scalar.args = element, args
            self.instruction(scalar)
            result += self.values.pop(scalar)
        return result

    def packed_binary(self, inst: ir.Inst) -> list[Node] | None:
        """fadd, fsub, fmul of pairs of halves, or of floats."""
        if inst.op in ("fdiv", "frem"):
            return None
        fuse = self.options.fmad and not inst.flags.isdisjoint({"contract", "fast"})
        head = f"{inst.op}{'c' if fuse else ''}"
        operands = [self.parts(arg) for arg in inst.args]
        if inst.type.element.kind == "float":
            return self.single_pairs(head, operands)
        return self.packed(head, HALVES[inst.type.element.kind], operands) if is_packed(inst.type) else None

    def integer_binary(self, op: str, type_: ir.Type, a: list[Node], b: list[Node]) -> list[Node]:
        if type_.kind == "vector":
            step = len(a) // type_.count
            return [
                node
                for i in range(0, len(a), step)
                for node in self.integer_binary(op, type_.element, a[i : i + step], b[i : i + step])
            ]
        bits = self.layout.bits(type_)
        if len(a) > 1:
            return self.wide_binary(op, bits, a, b)
        return [self.narrow_binary(op, bits, a[0], b[0])]

    def narrow_binary(self, op: str, bits: int, a: Node, b: Node) -> Node:
        """An operation of up to 64 bits."""
        build = self.build
        kind = a.type
        if kind == "p":
            match op:
                case "add" | "sub" | "xor":
                    if b.is_const:
                        return build.invert(a) if b.data else a
                    return build.binary("xor", "p", a, b)
                case "mul" | "and":
                    return build.binary("and", "p", a, b)
                case "or":
                    return build.binary("or", "p", a, b)
                case "udiv" | "sdiv" | "shl" | "lshr" | "ashr":
                    return a  # the only other operand that is not undefined is 1, or 0 for shifts
                case _:
                    return build.const("p", 0)
        full = WIDTH[kind]
        if op in _SIGNED_INPUT:
            a = build.sext(a, bits, kind) if bits < full else a
            if op != "ashr" and bits < full:
                b = build.sext(b, bits, kind)
        elif op in _ZERO_INPUT and bits < full:
            a = build.zext(a, bits, kind)
            if op != "lshr":
                b = build.zext(b, bits, kind)
        if op in ("shl", "lshr", "ashr"):
            b = build.zext(b, bits, kind) if bits < full else b
            b = build.trunc(b)
        elif op in ("udiv", "urem") and b.is_const and b.data and b.data & (b.data - 1) == 0:
            if op == "udiv":
                return build.binary("lshr", kind, a, build.const("i32", b.data.bit_length() - 1))
            return build.binary("and", kind, a, build.const(kind, b.data - 1))
        elif kind == "i64" and op in ("udiv", "urem") and a.zb <= 32 and b.zb <= 32:
            if b.is_const and b.data:
                return build.zext(self.divide_constant(op, build.trunc(a), b.data), 32, "i64")
            return build.zext(build.binary(op, "i32", build.trunc(a), build.trunc(b)), 32, "i64")
        elif op in ("udiv", "urem", "sdiv", "srem") and b.is_const and b.data and not a.is_const:
            return self.divide_constant(op, a, b.data)
        return build.binary(op, kind, a, b)

    def float_binary(self, op: str, flags: frozenset[str], a: Node, b: Node, inst: ir.Inst) -> Node:
        kind = a.type
        build = self.build
        fuse = self.options.fmad and ("contract" in flags or "fast" in flags)
        if op == "fsub" and a.is_const and a.data == 1 << (WIDTH[kind] - 1):
            return self.half("fneg", b) if kind in ("f16", "bf16") else build.pure(f"fneg.{kind}", kind, b)
        if op in ("fadd", "fmul", "fsub"):
            if b.is_const and not a.is_const:
                pass
            elif a.is_const and op != "fsub":
                a, b = b, a
            if kind in ("f16", "bf16"):
                return self.half(f"{op}{'c' if fuse else ''}", a, b)
            return build.pure(f"{op}{'c' if fuse else ''}.{kind}", kind, a, b)
        if op == "fdiv":
            return self.divide(kind, flags, a, b, inst)
        return self.remainder(kind, a, b)

    def divide(self, kind: str, flags: frozenset[str], a: Node, b: Node, inst: ir.Inst) -> Node:
        """IEEE unless the flags (afn, arcp), the module option or `!fpmath` allow less."""
        build = self.build
        if kind in ("f16", "bf16"):
            wide = self.divide("f32", flags, self.float_to(a, "f32"), self.float_to(b, "f32"), inst)
            return self.float_to(wide, kind)
        one = 0x3F800000 if kind == "f32" else 0x3FF0000000000000
        if kind == "f32":
            approximate = "afn" in flags or "fast" in flags
            full = not self.options.prec_div or self.module.fpmath(inst) >= 2.0
            head = "fdivapprox" if approximate else "fdivfull" if full else "fdiv"
        else:
            head = "fdiv"
        if a.is_const and a.data == one and head != "fdivfull":
            return build.pure(f"{head.replace('fdiv', 'frcp')}.{kind}", kind, b)
        if kind == "f64" and a.is_const and a.data == one | 1 << 63:
            return build.pure("fneg.f64", kind, build.pure("frcp.f64", kind, b))
        return build.pure(f"{head}.{kind}", kind, a, b)

    def remainder(self, kind: str, a: Node, b: Node) -> Node:
        """frem as NVPTX expands it: a - trunc(a / b) * b, and a itself if b is infinite."""
        build = self.build
        if kind in ("f16", "bf16"):
            return self.float_to(self.remainder("f32", self.float_to(a, "f32"), self.float_to(b, "f32")), kind)
        quotient = build.pure(f"fdiv.{kind}", kind, a, b)
        whole = build.pure(f"ftrunc.{kind}", kind, quotient)
        product = build.pure(f"fmul.{kind}", kind, whole, b)
        rest = build.pure(f"fsub.{kind}", kind, a, product)
        infinity = build.const(kind, 0x7F800000 if kind == "f32" else 0x7FF0000000000000)
        is_inf = build.pure(f"fcmp.oeq.{kind}", "p", build.pure(f"fabs.{kind}", kind, b), infinity)
        return build.select(kind, is_inf, a, rest)

    def op_fneg(self, inst: ir.Inst) -> list[Node]:
        parts = self.parts(inst.args[0])
        if is_packed(inst.type) and (found := self.packed("fneg", parts[0].type, [parts])) is not None:
            return found
        return [
            self.half("fneg", a) if a.type in ("f16", "bf16") else self.build.pure(f"fneg.{a.type}", a.type, a)
            for a in parts
        ]

    def op_freeze(self, inst: ir.Inst) -> list[Node]:
        return self.parts(inst.args[0])

    def op_icmp(self, inst: ir.Inst) -> list[Node]:
        if inst.type.kind == "vector":
            return self.elementwise(inst)
        a, b = self.parts(inst.args[0]), self.parts(inst.args[1])
        bits = self.layout.bits(inst.args[0].type)
        if len(a) > 1:
            return [self.wide_compare(inst.pred, bits, a, b)]
        if inst.pred in ("eq", "ne") and b[0].is_const:
            equal = self.remainder_is(inst.args[0], b[0].data) or self.operand_is(inst.args[0], b[0].data)
            if equal is not None:
                return [equal if inst.pred == "eq" else self.build.invert(equal)]
        return [self.compare(inst.pred, bits, a[0], b[0])]

    def compare(self, pred: str, bits: int, a: Node, b: Node) -> Node:
        """Integer comparison of up to 64 bits; narrow operands are extended first."""
        kind = a.type
        if kind != "p":
            if bits < WIDTH[kind]:
                if a.zb <= bits and b.is_const and (pred, b.data % (1 << bits)) in _signs(bits):
                    # The sign of what stands there with zeros above it needs no extension.
                    pred, b = "ugt" if pred in ("slt", "sle") else "ule", self.build.const(kind, (1 << bits - 1) - 1)
                if pred[0] == "s" or (pred in ("eq", "ne") and a.sb <= bits and a.zb > bits):
                    a, b = self.build.sext(a, bits, kind), self.build.sext(b, bits, kind)
                else:
                    a, b = self.build.zext(a, bits, kind), self.build.zext(b, bits, kind)
            if kind == "i64" and a.zb <= 32 and b.zb <= 32 and pred[0] != "s":
                a, b = self.build.trunc(a), self.build.trunc(b)
        return self.build.icmp(pred, a, b)

    def op_fcmp(self, inst: ir.Inst) -> list[Node]:
        if inst.type.kind == "vector":
            return self.elementwise(inst)
        a, b = self.one(inst.args[0]), self.one(inst.args[1])
        if inst.pred in ("false", "true"):
            return [self.build.const("p", inst.pred == "true")]
        if inst.pred in ("ord", "uno") and b.is_const and not b.data:
            b = a  # LLVM writes 0 for any number
        if a.type in ("f16", "bf16"):
            return [self.half_compare(inst.pred, a, b)]
        return [self.build.pure(f"fcmp.{inst.pred}.{a.type}", "p", a, b)]

    def op_select(self, inst: ir.Inst) -> list[Node]:
        if inst.type.kind == "int" and inst.type.bits == 32:
            found = self.lowest_one(*inst.args) or self.distance(*inst.args) or self.ring(*inst.args)
            if found is not None:
                return [found]
        if inst.type.kind == "float" and (found := self.least_or_greatest(*inst.args)) is not None:
            return [found]
        if inst.type.kind == "int" and inst.type.bits == 64 and (found := self.lesser_or_greater(*inst.args)):
            return [found]
        if inst.type is ir.I1 and (found := self.logical(*inst.args)) is not None:
            return [found]
        p = self.parts(inst.args[0])
        a, b = self.parts(inst.args[1]), self.parts(inst.args[2])
        if len(p) == 1 and is_packed(inst.type):
            chosen = [self.build.select("i32", p[0], x, y) for x, y in zip(self.pairs(a), self.pairs(b), strict=True)]
            return [part for node in chosen for part in self.unpair(node, a[0].type)]
        if len(p) > 1:
            step = len(a) // len(p)
            p = [node for node in p for _ in range(step)]
        else:
            p = p * len(a)
        return [self.build.select(x.type, c, x, y) for c, x, y in zip(p, a, b, strict=True)]

    def op_getelementptr(self, inst: ir.Inst) -> list[Node]:
        assert inst.source is not None
        if inst.type.kind == "vector":
            return self.elementwise_gep(inst)
        return [self.gep(inst.source, inst.args)]

    def elementwise_gep(self, inst: ir.Inst) -> list[Node]:
        assert inst.source is not None
        result = []
        for i in range(inst.type.count):
            args: list[ir.Value] = []
            for arg in inst.args:
                if arg.type.kind == "vector":
                    value = ir.Value(arg.type.element)
                    self.values[value] = [self.parts(arg)[i]]
                    arg = value
                args.append(arg)
            result.append(self.gep(inst.source, args))
        return result

    def op_extractvalue(self, inst: ir.Inst) -> list[Node]:
        parts = self.parts(inst.args[0])
        start, count = self.field(inst.args[0].type, inst.indices)
        return parts[start : start + count]

    def op_insertvalue(self, inst: ir.Inst) -> list[Node]:
        parts = list(self.parts(inst.args[0]))
        start, count = self.field(inst.args[0].type, inst.indices)
        parts[start : start + count] = self.parts(inst.args[1])
        return parts

    def field(self, type_: ir.Type, indices: tuple[int, ...]) -> tuple[int, int]:
        """Range of parts of a field."""
        start = 0
        for index in indices:
            if type_.kind == "struct":
                start += sum(len(self.legal(field)) for field in type_.elements[:index])
                type_ = type_.elements[index]
            else:
                type_ = type_.element
                start += index * len(self.legal(type_))
        return start, len(self.legal(type_))

    def place(self, index: ir.Value) -> Node:
        """An element's number in a vector, of an integer of any width."""
        node = self.parts(index)[0]
        kind = "i32" if node.type == "p" else node.type
        return self.build.zext(node, min(index.type.bits, WIDTH[kind]), kind)

    def op_extractelement(self, inst: ir.Inst) -> list[Node]:
        parts = self.parts(inst.args[0])
        count = inst.args[0].type.count
        step = len(parts) // count
        index = self.place(inst.args[1])
        if index.is_const:
            at = index.data * step
            return parts[at : at + step] or [self.build.const(p.type, 0) for p in parts[:step]]
        result = parts[:step]
        for i in range(1, count):
            here = self.build.icmp("eq", index, self.build.const(index.type, i))
            pairs = zip(parts[i * step : i * step + step], result, strict=True)
            result = [self.build.select(x.type, here, x, y) for x, y in pairs]
        return result

    def op_insertelement(self, inst: ir.Inst) -> list[Node]:
        parts = list(self.parts(inst.args[0]))
        value = self.parts(inst.args[1])
        index = self.place(inst.args[2])
        step = len(value)
        if index.is_const:
            if index.data * step < len(parts):
                parts[index.data * step : index.data * step + step] = value
            return parts
        for i in range(inst.type.count):
            here = self.build.icmp("eq", index, self.build.const(index.type, i))
            for j in range(step):
                parts[i * step + j] = self.build.select(value[j].type, here, value[j], parts[i * step + j])
        return parts

    def op_shufflevector(self, inst: ir.Inst) -> list[Node]:
        both = self.parts(inst.args[0]) + self.parts(inst.args[1])
        step = len(self.legal(inst.type.element))
        result: list[Node] = []
        for index in inst.indices:
            result += both[max(index, 0) * step : max(index, 0) * step + step]
        return result

    # --- casts --------------------------------------------------------------------------------------------------

    def cast(self, op: str, parts: list[Node], source: ir.Type, to: ir.Type, plain: bool = False) -> list[Node]:
        """`plain`: a truncated number fits (nuw). Of numbers that are not negative (nneg) LLVM writes extensions with
        zeros, which cost less: ptxas needs no upper half for them."""
        if to.kind == "vector" and op not in ("bitcast",):
            step = len(parts) // to.count
            chunks = [parts[i * step : i * step + step] for i in range(to.count)]
            return [n for chunk in chunks for n in self.cast(op, chunk, source.element, to.element, plain)]
        build = self.build
        kinds = self.legal(to)
        match op:
            case "zext" | "sext":
                return self.extend(op, parts, source.bits, to.bits)
            case "trunc":
                if kinds == ["p"] and plain and len(parts) == 1 and parts[0].type != "p":
                    byte = build.zext(parts[0], min(source.bits, WIDTH[parts[0].type]), parts[0].type)
                    return [build.flag(byte)]
                if kinds == ["p"]:
                    return [build.to_pred(parts[0])]
                if kinds == ["i32"]:
                    return [build.trunc(parts[0])]
                return parts[: len(kinds)]
            case "fpext" | "fptrunc":
                return [self.float_to(parts[0], kinds[0])]
            case "sitofp" | "uitofp":
                return [self.int_to_float(op, parts, source.bits, kinds[0])]
            case "fptosi" | "fptoui":
                return self.float_to_int(op, parts[0], to.bits)
            case "ptrtoint" | "ptrtoaddr" | "inttoptr":
                return self.extend("zext", parts, self.layout.bits(source), self.layout.bits(to))
            case "addrspacecast":
                return [self.address_cast(parts[0], source.space, to.space)]
            case "bitcast":
                return self.bitcast(parts, source, to)
        self.unsupported(f"cast '{op}'")

    def extend(self, op: str, parts: list[Node], bits: int, to_bits: int) -> list[Node]:
        """Zero or sign extension (or truncation, for pointers) between any widths."""
        build = self.build
        extend = build.zext if op == "zext" else build.sext
        kinds = ["p"] if to_bits == 1 else ["i32"] if to_bits <= 32 else ["i64"] * ((to_bits + 63) // 64)
        if to_bits <= bits:
            if kinds == ["p"] and parts[0].type != "p":
                return [build.to_pred(parts[0])]
            return [build.trunc(parts[0])] if kinds == ["i32"] else parts[: len(kinds)]
        if len(kinds) == 1:
            return [extend(parts[0], bits, kinds[0])]
        result = list(parts)
        top_bits = bits - 64 * (len(parts) - 1)
        result[-1] = extend(parts[-1], top_bits, "i64")
        fill = build.const("i64", 0)
        if op == "sext" and len(kinds) > len(result):
            fill = build.binary("ashr", "i64", result[-1], build.const("i32", 63))
        return result + [fill] * (len(kinds) - len(result))

    def float_to(self, a: Node, kind: str) -> Node:
        """Floating conversion with round-to-nearest."""
        if a.type == kind:
            return a
        if a.head == "fneg" and kind == "f32" and not (self.ftz and a.type == "bf16"):  # that flushes nothing
            return self.build.pure("fneg.f32", "f32", self.float_to(a.args[0], kind))
        order = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}
        if (a.type == "bf16" and kind == "f64") or {a.type, kind} == {"f16", "bf16"}:
            a = self.float_to(a, "f32")
        head = "fpext" if order[kind] > order[a.type] else "fptrunc"
        if kind == "bf16" and not self.has(f"fptrunc.bf16.{a.type}"):
            return self.round_bf16(self.float_to(a, "f32"))
        return self.build.pure(f"{head}.{kind}.{a.type}", kind, a)

    def int_to_float(self, op: str, parts: list[Node], bits: int, kind: str) -> Node:
        build = self.build
        direct = kind != "bf16" or self.has("sitofp.bf16.i32")
        if len(parts) > 1 or (not direct and min(bits, parts[0].zb if op == "uitofp" else parts[0].sb) > 24):
            words = self.extend("sext" if op == "sitofp" else "zext", parts, bits, max(bits, 64))
            return self.wide_to_float(op == "sitofp", max(bits, 64), words, kind)
        a = parts[0]
        if a.type == "p":
            one = {"f32": 0x3F800000, "f64": 0x3FF0000000000000, "f16": 0x3C00, "bf16": 0x3F80}[kind]
            if op == "sitofp":
                one |= 1 << (WIDTH[kind] - 1)
            return build.select(kind, a, build.const(kind, one), build.const(kind, 0))
        if bits < WIDTH[a.type]:
            a = build.sext(a, bits, a.type) if op == "sitofp" else build.zext(a, bits, a.type)
        if a.type == "i64" and a.zb < 32:
            a, op = build.trunc(a), "sitofp"
        elif a.type == "i64" and a.zb <= 32 and op == "uitofp":
            a = build.trunc(a)
        elif op == "uitofp" and a.zb < WIDTH[a.type]:
            op = "sitofp"
        if not direct:
            return self.float_to(build.pure(f"{op}.f32.{a.type}", "f32", a), kind)
        return build.pure(f"{op}.{kind}.{a.type}", kind, a)

    def float_to_int(self, op: str, a: Node, bits: int) -> list[Node]:
        build = self.build
        if bits > 64:
            return self.float_to_wide(op == "fptosi", bits, self.float_to(a, "f64" if a.type == "f64" else "f32"))
        kind = "i32" if bits <= 32 else "i64"
        if a.op in ("fpext.f32.f16", "fpext.f32.bf16") and self.has(f"{op}.{kind}.{a.args[0].type}"):
            a = a.args[0]
        if a.head in ("sitofp", "uitofp") and (whole := a.args[0]).type == kind:
            exact = _DIGITS[a.type]  # a number that both the float and the integer hold is itself again
            natural = min(exact, WIDTH[kind] if op == "fptoui" and a.head == "uitofp" else WIDTH[kind] - 1)
            if whole.zb <= natural or (op == "fptosi" and a.head == "sitofp" and whole.sb <= exact + 1):
                return [build.to_pred(whole) if bits == 1 else whole]
        if a.type in ("f16", "bf16") and not self.has(f"{op}.{kind}.{a.type}"):
            a = self.float_to(a, "f32")
        if bits == 1:
            return [build.to_pred(build.pure(f"{op}.i32.{a.type}", "i32", a))]
        return [build.pure(f"{op}.{kind}.{a.type}", kind, a)]

    # --- control flow -------------------------------------------------------------------------------------------

    def terminator(self, inst: ir.Inst) -> Node:
        build = self.build
        match inst.op:
            case "br" if not inst.args:
                return build.raw("br.", "", (), tuple(inst.blocks), root=True)
            case "br":
                cond = self.one(inst.args[0])
                if inst.blocks[0] is inst.blocks[1]:
                    return build.raw("br.", "", (), (inst.blocks[0],), root=True)
                then, other = inst.blocks
                if self.falls_into(inst, then):
                    # The branch is taken to the block that does not follow; compare the other way round for it.
                    inverted = self.inverted(inst.args[0], cond, inst)
                    if inverted is not None:
                        return build.raw("brcond.", "", (inverted,), (other, then), root=True)
                return build.raw("brcond.", "", (cond,), tuple(inst.blocks), root=True)
            case "switch":
                return self.switch(inst)
            case "ret":
                return self.ret(inst)
            case "unreachable":
                return build.raw("trap.", "", (), None, root=True)
        self.unsupported(f"terminator '{inst.op}'")

    def falls_into(self, inst: ir.Inst, target: ir.Block) -> bool:
        """Whether `target` comes right after this terminator's block."""
        assert inst.parent is not None
        return target.index == inst.parent.index + 1

    def inverted(self, value: ir.Value, cond: Node, branch: ir.Inst) -> Node | None:
        """The opposite comparison of one that only this branch uses; where it was made before a loop, it stays."""
        if not isinstance(value, ir.Inst) or self.use_counts.get(value, 0) != 1 or cond.root:
            return None
        if value.parent is not branch.parent:
            return None
        head, _, rest = cond.op.partition(".")
        if head not in ("icmp", "fcmp"):
            return None
        pred, _, kind = rest.partition(".")
        table = INVERT if head == "icmp" else FINVERT
        return self.build.pure(f"{head}.{table[pred]}.{kind}", "p", *cond.args)

    def switch(self, inst: ir.Inst) -> Node:
        bits = inst.args[0].type.bits
        parts = self.parts(inst.args[0])
        cases = inst.cases
        if len(parts) > 1:  # the number of the case that it is, or one more than there are
            value = self.build.const("i32", len(cases))
            for number, case in enumerate(cases):
                same = self.wide_compare("eq", bits, parts, self.parts(ir.ConstInt(inst.args[0].type, case)))
                value = self.build.select("i32", same, self.build.const("i32", number), value)
            parts, cases, bits = [value], list(range(len(cases))), 32
        value = parts[0]
        if value.type == "p":
            value = self.build.zext(value, 1, "i32")
        elif bits < WIDTH[value.type]:
            value = self.build.zext(value, bits, value.type)
        data = (inst.blocks[0], list(zip(cases, inst.blocks[1:], strict=True)))
        return self.build.raw(f"switch.{value.type}", "", (value,), data, root=True)


def _incoming(blocks: list[ir.Block]) -> dict[tuple[ir.Block, ir.Block], list[tuple[ir.Inst, int]]]:
    """(predecessor, block) -> the block's phis, each with the position of its input from there."""
    found: dict[tuple[ir.Block, ir.Block], list[tuple[ir.Inst, int]]] = {}
    for block in blocks:
        for inst in block.insts:
            if inst.op != "phi":
                break
            for position, source in enumerate(inst.blocks):
                found.setdefault((source, block), []).append((inst, position))
    return found


_CASTS = {"trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"} | {
    *("ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast")
}
_DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
_ELEMENTWISE = frozenset(["fadd", "fsub", "fmul", "fdiv", "frem"])


__all__ = ["FINVERT", "INVERT", "Lowering"]
