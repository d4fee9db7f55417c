"""Instructions of printed LLVM IR."""

from __future__ import annotations

from typing import Any

from minicc.nvvm import ir
from minicc.nvvm.reader_value import ValueReader
from minicc.nvvm.tokens import BINARY, BINARY_FLAGS, CALLING, CASTS, FAST_MATH, ORDERINGS, VALUE_WORDS, unquote

_NO_FLAGS: frozenset[str] = frozenset()


class InstructionReader(ValueReader):
    """One method per shape of instruction; `parse_instruction` dispatches on the opcode."""

    def parse_instruction(self) -> ir.Inst:
        tokens = self.tokens
        start = self.at
        name = ""
        if tokens[start][0] == "%":
            name = unquote(tokens[start])
            if tokens[start + 1] != "=":
                self.error(f"expected '=', found '{tokens[start + 1]}'", start + 1)
            self.at += 2
        op = tokens[self.at]
        self.at += 1
        if op in BINARY:
            inst = self.binary(op)
        elif op in CASTS:
            inst = self.cast(op)
        else:
            parser = _PARSERS.get(op)
            if parser is None:
                self.error(f"unknown instruction '{op}'", self.at - 1)
            inst = parser(self, op)
        while tokens[self.at] == ",":
            self.at += 1
            if tokens[self.at][:1] == "!":
                self.parse_md_attachment(inst.metadata)
            else:
                self.error(f"unexpected '{tokens[self.at]}' after {op}")
        inst.offset = start
        if name:
            inst.name = name
            self.locals[name] = inst
        return inst

    def parse_md_attachment(self, out: dict[str, Any]) -> None:
        """!name !12"""
        key = self.tokens[self.at][1:]
        self.at += 1
        out[key] = self.parse_md()

    def flags(self, allowed: frozenset[str]) -> frozenset[str]:
        tokens = self.tokens
        if tokens[self.at] not in allowed:
            return _NO_FLAGS
        found = set()
        while tokens[self.at] in allowed:
            found.add(tokens[self.at])
            self.at += 1
        return frozenset(found)

    def binary(self, op: str) -> ir.Inst:
        flags = self.flags(BINARY_FLAGS)
        type_ = self.parse_type()
        args: list[ir.Value] = []
        self.operand(type_, args)
        self.expect(",")
        self.operand(type_, args)
        return ir.Inst(type_, op, args, flags=flags)

    def cast(self, op: str) -> ir.Inst:
        flags = self.flags(BINARY_FLAGS)
        args: list[ir.Value] = []
        self.typed_operand(args)
        self.expect("to")
        return ir.Inst(self.parse_type(), op, args, flags=flags)

    def unary(self, op: str) -> ir.Inst:
        flags = self.flags(FAST_MATH)
        args: list[ir.Value] = []
        type_ = self.parse_type()
        self.operand(type_, args)
        return ir.Inst(type_, op, args, flags=flags)

    def compare(self, op: str) -> ir.Inst:
        flags = self.flags(BINARY_FLAGS)
        pred = self.tokens[self.at]
        self.at += 1
        type_ = self.parse_type()
        args: list[ir.Value] = []
        self.operand(type_, args)
        self.expect(",")
        self.operand(type_, args)
        result = ir.I1 if type_.kind != "vector" else ir.vector_type(type_.count, ir.I1)
        return ir.Inst(result, op, args, flags=flags, pred=pred)

    def phi(self, op: str) -> ir.Inst:
        flags = self.flags(FAST_MATH)
        type_ = self.parse_type()
        inst = ir.Inst(type_, op, [], flags=flags)
        while True:
            self.expect("[")
            self.operand(type_, inst.args)
            self.expect(",")
            inst.blocks.append(self.label_name())
            self.expect("]")
            if self.tokens[self.at] != "," or self.tokens[self.at + 1] != "[":
                return inst
            self.at += 1

    def label_name(self) -> ir.Block:
        token = self.tokens[self.at]
        self.at += 1
        if token[0] != "%":
            self.error(f"expected a label, found '{token}'", self.at - 1)
        return self.block(unquote(token))

    def label(self) -> ir.Block:
        self.expect("label")
        return self.label_name()

    def branch(self, op: str) -> ir.Inst:
        if self.tokens[self.at] == "label":
            return ir.Inst(ir.VOID, op, [], blocks=[self.label()])
        args: list[ir.Value] = []
        self.typed_operand(args)
        self.expect(",")
        then = self.label()
        self.expect(",")
        return ir.Inst(ir.VOID, op, args, blocks=[then, self.label()])

    def switch(self, op: str) -> ir.Inst:
        args: list[ir.Value] = []
        self.typed_operand(args)
        self.expect(",")
        inst = ir.Inst(ir.VOID, op, args, blocks=[self.label()])
        self.expect("[")
        while not self.accept("]"):
            case = self.parse_typed_value()
            if not isinstance(case, ir.ConstInt):
                self.error("expected an integer as switch case")
            inst.cases.append(case.value)
            self.expect(",")
            inst.blocks.append(self.label())
        return inst

    def ret(self, op: str) -> ir.Inst:
        args: list[ir.Value] = []
        if not self.accept("void"):
            self.typed_operand(args)
        return ir.Inst(ir.VOID, op, args)

    def unreachable(self, op: str) -> ir.Inst:
        return ir.Inst(ir.VOID, op, [])

    def alloca(self, op: str) -> ir.Inst:
        self.accept("inalloca")
        source = self.parse_type()
        inst = ir.Inst(ir.PTR, op, [], source=source)
        while self.tokens[self.at] == "," and self.tokens[self.at + 1][0] != "!":
            self.at += 1
            if self.accept("align"):
                inst.align = int(self.tokens[self.at])
                self.at += 1
            elif self.accept("addrspace"):
                inst.type = ir.ptr_type(int(self.tokens[self.at + 1]))
                self.at += 3
            else:
                self.typed_operand(inst.args)
        return inst

    def memory_tail(self, inst: ir.Inst) -> ir.Inst:
        """[syncscope("x")] [ordering [ordering]] [, align N]"""
        tokens = self.tokens
        if tokens[self.at] == "syncscope":
            inst.scope = tokens[self.at + 2][1:-1]
            self.at += 4
        orders = []
        while tokens[self.at] in ORDERINGS:
            orders.append(tokens[self.at])
            self.at += 1
        inst.order = tuple(orders)
        if tokens[self.at] == "," and tokens[self.at + 1] == "align":
            inst.align = int(tokens[self.at + 2])
            self.at += 3
        return inst

    def load(self, op: str) -> ir.Inst:
        flags = self.flags(frozenset({"atomic", "volatile"}))
        type_ = self.parse_type()
        self.expect(",")
        inst = ir.Inst(type_, op, [], flags=flags)
        self.typed_operand(inst.args)
        return self.memory_tail(inst)

    def store(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [], flags=self.flags(frozenset({"atomic", "volatile"})))
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        return self.memory_tail(inst)

    def fence(self, op: str) -> ir.Inst:
        return self.memory_tail(ir.Inst(ir.VOID, op, []))

    def cmpxchg(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [], flags=self.flags(frozenset({"weak", "volatile"})))
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        inst.type = ir.struct_type((inst.args[1].type, ir.I1))
        return self.memory_tail(inst)

    def atomicrmw(self, op: str) -> ir.Inst:
        flags = self.flags(frozenset({"volatile"}))
        pred = self.tokens[self.at]
        self.at += 1
        inst = ir.Inst(ir.VOID, op, [], flags=flags, pred=pred)
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        inst.type = inst.args[1].type
        return self.memory_tail(inst)

    def getelementptr(self, op: str) -> ir.Inst:
        flags = self.flags(BINARY_FLAGS)
        if self.tokens[self.at] == "inrange":
            self.skip_parens()
        source = self.parse_type()
        inst = ir.Inst(ir.PTR, op, [], flags=flags, source=source)
        while self.tokens[self.at] == "," and self.tokens[self.at + 1][0] != "!":
            self.at += 1
            self.typed_operand(inst.args)
        inst.type = inst.args[0].type
        for arg in inst.args[1:]:
            if arg.type.kind == "vector" and inst.type.kind != "vector":
                inst.type = ir.vector_type(arg.type.count, inst.type)
        return inst

    def select(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [], flags=self.flags(FAST_MATH))
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        inst.type = inst.args[1].type
        return inst

    def extractvalue(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [])
        self.typed_operand(inst.args)
        type_ = inst.args[0].type
        inst.indices = self.index_list()
        for index in inst.indices:
            type_ = type_.element if type_.kind == "array" else type_.elements[index]
        inst.type = type_
        return inst

    def insertvalue(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [])
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        inst.type = inst.args[0].type
        inst.indices = self.index_list()
        return inst

    def index_list(self) -> tuple[int, ...]:
        out = []
        while self.tokens[self.at] == "," and self.tokens[self.at + 1].isdigit():
            out.append(int(self.tokens[self.at + 1]))
            self.at += 2
        return tuple(out)

    def extractelement(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [])
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        inst.type = inst.args[0].type.element
        return inst

    def insertelement(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [])
        for index in range(3):
            if index:
                self.expect(",")
            self.typed_operand(inst.args)
        inst.type = inst.args[0].type
        return inst

    def shufflevector(self, op: str) -> ir.Inst:
        inst = ir.Inst(ir.VOID, op, [])
        self.typed_operand(inst.args)
        self.expect(",")
        self.typed_operand(inst.args)
        self.expect(",")
        mask = self.parse_typed_value()
        count = mask.type.count
        if isinstance(mask, ir.Zero):
            inst.indices = (0,) * count
        elif isinstance(mask, ir.Undef):
            inst.indices = (-1,) * count
        elif isinstance(mask, ir.ConstAggregate):
            inst.indices = tuple(item.value if isinstance(item, ir.ConstInt) else -1 for item in mask.items)
        inst.type = ir.vector_type(count, inst.args[0].type.element)
        return inst

    def call(self, op: str) -> ir.Inst:
        tokens = self.tokens
        flags = set()
        attributes: dict[str, Any] = {}
        result_attributes: dict[str, Any] = {}
        if op in ("tail", "musttail", "notail"):
            flags.add(op)
            self.expect("call")
        while True:
            token = tokens[self.at]
            if token in FAST_MATH:
                flags.add(token)
                self.at += 1
            elif token in CALLING:
                self.at += 1
            elif token == "addrspace":
                self.at += 4
            elif self.starts_type():
                break
            else:
                self.parse_attribute(result_attributes)
        type_ = self.parse_type()
        if type_.kind == "function":
            source, type_ = type_, type_.elements[0]
        else:
            source = None
        callee_type = ir.PTR
        callee: list[ir.Value] = []
        self.operand(callee_type, callee)
        self.expect("(")
        inst = ir.Inst(type_, "call", [], flags=frozenset(flags), source=source)
        arg_attributes: list[dict[str, Any]] = []
        while tokens[self.at] != ")":
            arg_type = self.parse_type()
            given: dict[str, Any] = {}
            if arg_type is ir.METADATA:
                if tokens[self.at][0] == "!":
                    inst.args.append(ir.MetadataValue(ir.METADATA, self.parse_md()))
                else:
                    inst.args.append(ir.MetadataValue(ir.METADATA, self.parse_typed_value()))
            else:
                while (tokens[self.at][0].isalpha() or tokens[self.at][0] == '"') and (
                    tokens[self.at] not in VALUE_WORDS and tokens[self.at][:2] not in ('c"', "f0")
                ):
                    self.parse_attribute(given)
                self.operand(arg_type, inst.args)
            arg_attributes.append(given)
            if tokens[self.at] == ",":
                self.at += 1
        self.at += 1
        while True:
            token = tokens[self.at]
            if token[:1] == "#" and token[1:].isdigit():
                self.uses_groups.append((attributes, token))
                self.at += 1
            elif token == "[":  # operand bundles
                self.skip_bundles()
            elif (token[:1].isalpha() and token[-1] != ":" and token in _CALL_ATTRIBUTES) or (
                token[:1] == '"' and token[-1] != ":"
            ):
                self.parse_attribute(attributes)
            else:
                break
        self.callees.append((inst, callee))
        if inst.source is None:
            inst.source = ir.function_type(type_, tuple(a.type for a in inst.args))
        attributes["args"] = arg_attributes
        attributes["result"] = result_attributes
        inst.attributes = attributes
        return inst

    def skip_bundles(self) -> None:
        depth = 0
        while True:
            token = self.tokens[self.at]
            depth += (token == "[") - (token == "]")
            self.at += 1
            if depth == 0:
                return
            if token == "":
                self.error("unbalanced operand bundle")


_CALL_ATTRIBUTES = frozenset(
    [
        "nounwind",
        "readnone",
        "readonly",
        "noreturn",
        "convergent",
        "memory",
        "willreturn",
        "nofree",
        "nosync",
        "nomerge",
        "noinline",
        "alwaysinline",
        "cold",
        "hot",
        "nobuiltin",
        "builtin",
        "mustprogress",
        "speculatable",
        "norecurse",
        "strictfp",
        "returns_twice",
        "allocsize",
        "minsize",
        "optsize",
        "noduplicate",
        "nocallback",
    ]
)

_PARSERS = {
    "fneg": InstructionReader.unary,
    "freeze": InstructionReader.unary,
    "icmp": InstructionReader.compare,
    "fcmp": InstructionReader.compare,
    "phi": InstructionReader.phi,
    "br": InstructionReader.branch,
    "switch": InstructionReader.switch,
    "ret": InstructionReader.ret,
    "unreachable": InstructionReader.unreachable,
    "alloca": InstructionReader.alloca,
    "load": InstructionReader.load,
    "store": InstructionReader.store,
    "fence": InstructionReader.fence,
    "cmpxchg": InstructionReader.cmpxchg,
    "atomicrmw": InstructionReader.atomicrmw,
    "getelementptr": InstructionReader.getelementptr,
    "select": InstructionReader.select,
    "extractvalue": InstructionReader.extractvalue,
    "insertvalue": InstructionReader.insertvalue,
    "extractelement": InstructionReader.extractelement,
    "insertelement": InstructionReader.insertelement,
    "shufflevector": InstructionReader.shufflevector,
    "call": InstructionReader.call,
    "tail": InstructionReader.call,
    "musttail": InstructionReader.call,
    "notail": InstructionReader.call,
}
