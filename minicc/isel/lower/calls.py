"""Parameters, results and calls: the PTX calling convention, and inline assembly."""

from __future__ import annotations

from minicc.isel.dag import WIDTH, Node
from minicc.isel.lower.base import Base
from minicc.nvvm import ir
from minicc.ptx import model as ptx
from minicc.record import NamedTuple, evolve


class CallTarget(NamedTuple):
    """Data of a call node: callee symbol (None: through a register), and the .param names of results and arguments."""

    name: str | None
    results: tuple[str, ...]
    params: tuple[str, ...]
    prototype: ptx.Callprototype | None = None


class AsmText(NamedTuple):
    """Data of an inline assembly node: the text with ${n} for operands, the result count and the input kinds."""

    text: str
    results: tuple[str, ...]
    inputs: tuple[str, ...]


def is_kernel(function: ir.Function) -> bool:
    return function.cc == "ptx_kernel"


class Calls(Base):
    """Mixin of `Lowering`."""

    # --- declarations -------------------------------------------------------------------------------------------

    def variable(
        self, name: str, type_: ir.Type, align: int, kernel: bool, byval: ir.Type | None = None
    ) -> ptx.Variable:
        """A .param of a type: scalars as PTX scalars, everything else as aligned bytes."""
        stored = byval or type_
        if stored.is_aggregate or stored.kind == "vector" or len(self.legal(stored)) > 1:
            align = max(align, self.layout.align(stored))
            return ptx.Variable(name, "param", "b8", align, (max(self.layout.size(stored), 1),))
        if stored.kind == "ptr":
            bits = self.layout.bits(stored)
            return ptx.Variable(name, "param", f"u{bits}" if kernel else f"b{bits}")
        size = self.layout.size(stored) * 8
        if kernel:
            kind = {"float": "f32", "double": "f64", "half": "b16", "bfloat": "b16"}.get(stored.kind, f"u{size}")
            return ptx.Variable(name, "param", kind)
        return ptx.Variable(name, "param", f"b{max(size, 32) if stored.kind == 'int' else size}")

    def signature(
        self, name: str, function: ir.Type, attributes: list[dict[str, object]], kernel: bool
    ) -> tuple[list[ptx.Variable], list[ptx.Variable]]:
        """(results, parameters) of a function of this type."""
        results = []
        if function.elements[0] is not ir.VOID and self.legal(function.elements[0]):
            results.append(self.variable("func_retval0", function.elements[0], 0, kernel))
        params = []
        for index, type_ in enumerate(function.elements[1:]):
            given = attributes[index] if index < len(attributes) else {}
            byval = given.get("byval")
            align = given.get("align", 0) if byval else 0
            assert isinstance(align, int)
            params.append(
                self.variable(
                    f"{name}_param_{index}", type_, align, kernel, byval if isinstance(byval, ir.Type) else None
                )
            )
        return results, params

    # --- the function's own parameters --------------------------------------------------------------------------

    def parameters(self) -> None:
        """Arguments are loaded on demand at the entry; byval ones are addresses in the parameter space."""
        function = self.function
        kernel = is_kernel(function)
        name = self.names[function.name]
        for arg in function.args:
            symbol = self.build.symbol("i64", f"{name}_param_{arg.index}")
            if "byval" in arg.attributes:
                head = "cvta.param.i64" if kernel else "cvta.funcparam.i64"
                self.values[arg] = [self.build.pure(head, "i64", symbol)]
                continue
            self.values[arg] = self.load("ld", "param", arg.type, symbol, max(self.layout.align(arg.type), 1))
            if arg.type.kind == "int" and arg.type.bits < 32 and not kernel:
                for node in self.values[arg]:
                    node.zb = node.sb = WIDTH[node.type]
            bounds = arg.attributes.get("range")
            if isinstance(bounds, tuple) and len(self.values[arg]) == 1 and 0 <= bounds[0] < bounds[1]:
                node = self.values[arg][0]
                node.zb = min(node.zb, (bounds[1] - 1).bit_length())

    def ret(self, inst: ir.Inst) -> Node:
        if inst.args:
            type_ = inst.args[0].type
            target = self.build.symbol("i64", "func_retval0")
            self.store_param(type_, self.parts(inst.args[0]), target)
        return self.build.raw("ret.", "", (), None, root=True)

    def store_param(self, type_: ir.Type, parts: list[Node], target: Node) -> None:
        """st.param of a value; narrow integers are passed as 32 bits."""
        if type_.kind == "int" and type_.bits < 32:
            node = parts[0]
            self.build.raw("st.param.i32", "", (target, self.build.zext(node, type_.bits, "i32")), root=True)
            return
        self.store("st", "param", type_, parts, target, self.layout.align(type_))

    # --- calls --------------------------------------------------------------------------------------------------

    def op_call(self, inst: ir.Inst) -> list[Node]:
        callee = inst.callee
        if isinstance(callee, ir.InlineAsm):
            return self.inline_asm(inst, callee)
        if isinstance(callee, ir.Global):
            if callee.name.startswith("llvm."):
                return self.intrinsic(inst, callee.name)
            return self.call(inst, callee.name)
        return self.call(inst, None)

    def call(self, inst: ir.Inst, name: str | None) -> list[Node]:
        build = self.build
        assert inst.source is not None
        number = self.call_count
        self.call_count += 1
        attributes = inst.attributes["args"]
        symbol = self.names.get(name) if name is not None else None
        if name is not None and symbol is None:
            self.unsupported(f"call of unknown function @{name}")
        target_args = [self.one(inst.callee)] if name is None and inst.callee is not None else []
        type_ = ir.function_type(inst.source.elements[0], tuple(arg.type for arg in inst.args))
        results, params = self.signature("p", type_, attributes, kernel=False)
        results = [evolve(v, name=f"retval{number}_{i}") for i, v in enumerate(results)]
        params = [evolve(v, name=f"param{number}_{i}") for i, v in enumerate(params)]
        # Arguments first: their code must not fall between the declarations and the call.
        values: list[tuple[ir.Type, list[Node]]] = []
        for arg, given in zip(inst.args, attributes, strict=True):
            byval = given.get("byval")
            if byval is not None:
                loaded = self.load("ld", self.space(arg.type), byval, self.one(arg), given.get("align", 1))
                values.append((byval, loaded))
            else:
                parts = self.parts(arg)
                if arg.type.kind == "int" and arg.type.bits < 32:
                    parts = [build.zext(parts[0], arg.type.bits, "i32")]
                values.append((arg.type, parts))
        build.raw("scope.", "", (), [*params, *results], root=True)
        for variable, (value_type, parts) in zip(params, values, strict=True):
            self.store_param(value_type, parts, build.symbol("i64", variable.name))
        prototype = None
        if name is None:
            prototype = ptx.Callprototype(
                f"prototype_{number}",
                tuple(evolve(v, name="_") for v in results),
                tuple(evolve(v, name="_") for v in params),
            )
        data = CallTarget(symbol, tuple(v.name for v in results), tuple(v.name for v in params), prototype)
        build.raw("callreg." if name is None else "call.", "", tuple(target_args), data, root=True)
        out: list[Node] = []
        if results:
            result = inst.source.elements[0]
            source = build.symbol("i64", results[0].name)
            if result.kind == "int" and result.bits < 32:
                node = build.raw("ld.param.i32", "i32", (source,), root=True)
                out = [build.to_pred(node)] if result.bits == 1 else [node]
            else:
                before = len(build.nodes)
                out = self.load("ld", "param", result, source, self.layout.align(result))
                for node in build.nodes[before:]:
                    node.root = node.root or node.op.startswith("ld")
        # What was computed of the results while they were loaded stays inside; registers are visible from outside.
        build.raw("endscope.", "", (), None, root=True)
        return out

    # --- inline assembly ----------------------------------------------------------------------------------------

    def inline_asm(self, inst: ir.Inst, asm: ir.InlineAsm) -> list[Node]:
        """Operands are numbered outputs first. Constraints: h r l f d b n C, "N" (tied to output N), ~{...}."""
        build = self.build
        outputs: list[str] = []
        inputs: list[str] = []
        for item in _split_constraints(asm.constraints):
            if item.startswith("~"):
                continue
            if item.startswith("="):
                if "*" in item:
                    self.unsupported("indirect inline assembly operands")
                outputs.append(item.lstrip("=&"))
            else:
                inputs.append(item)
        result = inst.type
        fields = list(result.elements) if result.kind == "struct" else [] if result is ir.VOID else [result]
        result_kinds = [self.asm_kind(constraint) for constraint in outputs]
        args: list[Node] = []
        kinds: list[str] = []
        for constraint, arg in zip(inputs, inst.args, strict=True):
            if constraint.isdigit():
                kind = result_kinds[int(constraint)]
            else:
                kind = self.asm_kind(constraint)
            node = self.one(arg)
            if kind == "imm" and not node.is_const and node.head != "sym":
                self.unsupported("an inline assembly immediate that is not constant")
            args.append(node if kind == "imm" else self.asm_input(node, kind, arg.type))
            kinds.append("=" + constraint if constraint.isdigit() else kind)
        data = AsmText(asm.text, tuple(result_kinds), tuple(kinds))
        node = build.raw("asm.", "", tuple(args), data, root="sideeffect" in asm.flags or not fields)
        out: list[Node] = []
        for index, (kind, type_) in enumerate(zip(result_kinds, fields, strict=True)):
            got = build.raw(f"res.{kind}", kind, (node,), index)
            bfloat = any(user.op == "bitcast" and user.type.kind == "bfloat" for user in self.users.get(inst, ()))
            out += self.asm_output(got, type_, "bf16" if bfloat else "f16")
        return out

    def asm_kind(self, constraint: str) -> str:
        letter = constraint.strip("&%*")
        kinds = {"h": "i16", "r": "i32", "l": "i64", "f": "f32", "d": "f64", "c": "i16", "b": "p", "q": "i128"}
        if letter in ("n", "i", "s", "m", "C"):
            return "imm"
        kind = kinds.get(letter)
        if kind is None or kind == "i128":
            self.unsupported(f"inline assembly constraint '{constraint}'")
        return kind

    def asm_input(self, node: Node, kind: str, type_: ir.Type) -> Node:
        build = self.build
        if kind == "i16":
            if node.op in ("bitcast.i32.f16", "bitcast.i32.bf16"):
                node = node.args[0]
            if node.type in ("f16", "bf16"):
                return node
            return build.pure("trunc16.h.i32", "h", build.zext(node, 16, "i32") if node.type == "p" else node)
        if kind == node.type:
            return node
        if WIDTH[kind] == WIDTH[node.type] and kind != "p":
            return build.bitcast(node, kind)
        if kind in ("i32", "i64") and node.type in ("p", "i32", "i64"):
            return build.zext(node, self.layout.bits(type_), kind)
        self.unsupported(f"inline assembly operand of type {type_}")

    def asm_output(self, node: Node, type_: ir.Type, half: str) -> list[Node]:
        """A result as the parts of its type; the bits of a 16-bit one are taken for those of a half of this kind."""
        build = self.build
        kinds = self.legal(type_)
        if node.type == "i16":
            if kinds[0] in ("f16", "bf16"):
                half = kinds[0]
            node.rename("res.h", half)
            return [node if kinds[0] == half else build.bitcast(node, "i32")]
        if node.type == kinds[0]:
            return [node]
        if len(kinds) == 1 and WIDTH[node.type] == WIDTH[kinds[0]]:
            return [build.bitcast(node, kinds[0])]
        if kinds == ["p"]:
            return [build.to_pred(node)]
        if kinds == ["i32"] and node.type == "i64":
            return [build.trunc(node)]
        self.unsupported(f"inline assembly result of type {type_}")


def _split_constraints(text: str) -> list[str]:
    """Split at commas outside braces."""
    out: list[str] = []
    depth = 0
    current = ""
    for char in text:
        if char == "," and depth == 0:
            out.append(current)
            current = ""
            continue
        depth += (char == "{") - (char == "}")
        current += char
    if current:
        out.append(current)
    return out
