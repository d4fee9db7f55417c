"""Our parser of LLVM's printed IR: text -> `minicc.nvvm.ir.Module`.

Input: a whole module as LLVM prints it (any indentation). Cost: linear, about 1 microsecond a character. A construct
that is not known is a `CompileError` "nvvm.reader" with line, column and caret: nothing is skipped silently, except
debug-variable records and attributes that carry no meaning for code generation.
"""

from __future__ import annotations

import struct
from typing import Any, NoReturn

from minicc.diagnostics import SourceFile, Span, fail
from minicc.nvvm import ir
from minicc.nvvm.reader_inst import InstructionReader
from minicc.nvvm.tokens import CALLING, LINKAGE, PREEMPTION, offset_of, tokenise, unescape, unquote
from minicc.texts import as_text

_SIMPLE_TYPES = {
    "void": ir.VOID,
    "half": ir.HALF,
    "bfloat": ir.BFLOAT,
    "float": ir.FLOAT,
    "double": ir.DOUBLE,
    "fp128": ir.FP128,
    "label": ir.LABEL,
    "metadata": ir.METADATA,
    "token": ir.TOKEN,
}


class _Reader(InstructionReader):
    """Recursive descent over the token list. Values and instructions are in the base classes."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.tokens = tokenise(text)
        self.at = 0
        self.module = ir.Module(text, name)
        self.groups: dict[str, dict[str, Any]] = {}
        self.named_types: dict[str, ir.Type] = {}
        self.pending_types: dict[str, int] = {}
        self.simple_types = dict(_SIMPLE_TYPES)
        self.source_name = name
        self.uses_groups: list[tuple[dict[str, Any], str]] = []
        self.locals: dict[str, ir.Value] = {}
        self.mentioned: dict[tuple[str, ir.Type], ir.Global] = {}
        self.blocks: dict[str, ir.Block] = {}
        self.fixups: list[tuple[list[ir.Value], int, str, int]] = []
        self.callees: list[tuple[ir.Inst, list[ir.Value]]] = []
        """Calls, and what each calls as a list of one, which `fixups` may patch."""

    def error(self, message: str, at: int | None = None) -> NoReturn:
        start, end = offset_of(self.text, self.at if at is None else at)
        fail("nvvm.reader", message, Span(SourceFile(self.source_name, self.text), start, max(end, start + 1)))

    # --- module level -------------------------------------------------------------------------------------------

    def parse_module(self) -> ir.Module:
        tokens = self.tokens
        at = -1
        try:
            while True:
                at = tokens.index("type", at + 1)
                if tokens[at - 1] == "=" and tokens[at - 2][0] == "%":
                    self.pending_types[unquote(tokens[at - 2])] = at + 1
        except ValueError:
            pass
        while (token := tokens[self.at]) != "":
            first = token[0]
            if first == "%":
                self.named_type(unquote(token))
                self.at += 3
                self.skip_type_body()
            elif first == "@":
                self.parse_global()
            elif token == "define" or token == "declare":
                self.parse_function(token == "define")
            elif first == "!":
                self.parse_metadata_definition()
            elif token == "attributes":
                self.parse_attribute_group()
            elif token == "target":
                kind = tokens[self.at + 1]
                value = tokens[self.at + 3][1:-1]
                if kind == "datalayout":
                    self.module.datalayout = value
                else:
                    self.module.triple = value
                self.at += 4
            elif token == "source_filename":
                self.at += 3
            elif first == "$":
                self.at += 4
            elif token == "module" and tokens[self.at + 1] == "asm":
                self.module.asm.append(unescape(tokens[self.at + 2][1:-1]).decode("utf-8", "replace"))
                self.at += 3
            else:
                self.error(f"expected a top-level entity, found '{token}'")
        for target, group in self.uses_groups:
            for key, value in self.groups.get(group, {}).items():
                target.setdefault(key, value)
        return self.module

    def skip_type_body(self) -> None:
        if self.tokens[self.at] == "opaque":
            self.at += 1
        else:
            self.parse_type()

    def named_type(self, name: str) -> ir.Type:
        found = self.named_types.get(name)
        if found is None:
            if name not in self.pending_types:
                self.error(f"use of undefined type named '{name}'")
            back = self.at
            self.at = self.pending_types[name]
            if self.tokens[self.at] == "opaque":
                found = ir.Type("opaque", name=name)
            else:
                body = self.parse_type()
                found = ir.Type("struct", elements=body.elements, packed=body.packed, name=name)
            self.at = back
            self.named_types[name] = found
        return found

    def parse_global(self) -> None:
        tokens = self.tokens
        at = self.at
        name = unquote(tokens[at])
        self.at += 2
        linkage = ""
        flags = set()
        space = 0
        while True:
            token = tokens[self.at]
            if token in LINKAGE:
                linkage = token
            elif token in PREEMPTION:
                flags.add(token)
                if tokens[self.at + 1] == "(":
                    self.skip_parens()
                    continue
            elif token == "addrspace":
                space = int(tokens[self.at + 2])
                self.at += 3
            elif token in ("alias", "ifunc"):
                self.at += 1
                type_ = self.parse_type()
                self.expect(",")
                target = self.parse_typed_value()
                self.module.aliases[name] = ir.Alias(name, type_, target, linkage)
                return
            elif token in ("global", "constant"):
                break
            else:
                self.error(f"unexpected '{token}' in the declaration of @{name}")
            self.at += 1
        constant = tokens[self.at] == "constant"
        self.at += 1
        type_ = self.parse_type()
        init = None
        if linkage not in ("external", "extern_weak") and tokens[self.at] != ",":
            init = self.parse_value(type_)
        align, metadata = 0, dict[str, Any]()
        while tokens[self.at] == ",":
            word = tokens[self.at + 1]
            if word == "align":
                align = int(tokens[self.at + 2])
                self.at += 3
            elif word in ("section", "partition", "code_model"):
                self.at += 3
            elif word == "comdat":
                self.at += 2
                if tokens[self.at] == "(":
                    self.skip_parens_here()
            elif word[0] == "!":
                self.at += 1
                self.parse_md_attachment(metadata)
            else:
                self.error(f"unexpected '{word}' after @{name}", self.at + 1)
        while tokens[self.at][:1] == "#":
            self.at += 1
        self.module.variables[name] = ir.GlobalVariable(
            name, type_, space, constant, init, linkage, align, frozenset(flags), at, metadata
        )

    def parse_attribute_group(self) -> None:
        name = self.tokens[self.at + 1]
        self.at += 4
        out: dict[str, Any] = {}
        while self.tokens[self.at] != "}":
            self.parse_attribute(out, group=True)
        self.at += 1
        self.groups[name] = out

    # --- functions ----------------------------------------------------------------------------------------------

    def parse_function(self, define: bool) -> None:
        tokens = self.tokens
        start = self.at
        self.at += 1
        linkage = cc = ""
        metadata: dict[str, Any] = {}
        while tokens[self.at][0] == "!":  # a declaration prints its metadata first
            self.parse_md_attachment(metadata)
        result_attributes: dict[str, Any] = {}
        while True:
            token = tokens[self.at]
            if token in LINKAGE:
                linkage = token
            elif token in CALLING:
                cc = token
            elif token not in PREEMPTION:
                if token == "cc" or (token[0] == "c" and token[1:2] == "c" and token[2:].isdigit()):
                    cc = token
                elif self.starts_type():
                    break
                else:
                    self.parse_attribute(result_attributes)
                    continue
            self.at += 1
        result = self.parse_type()
        name = unquote(tokens[self.at])
        self.at += 1
        args, vararg = self.parse_parameters()
        attributes: dict[str, Any] = {}
        while True:
            token = tokens[self.at]
            if token == "{" and define:
                break
            if token in PREEMPTION:
                self.at += 1
            elif token[:1] == "#":
                self.uses_groups.append((attributes, token))
                self.at += 1
            elif token == "addrspace":
                self.at += 4
            elif token in ("section", "gc", "partition") or token == "align":
                self.at += 2
            elif token == "comdat":
                self.at += 1
                if tokens[self.at] == "(":
                    self.skip_parens_here()
            elif token in ("personality", "prefix", "prologue"):
                self.at += 1
                self.parse_typed_value()
            elif token[:1] == "!" and define:
                self.parse_md_attachment(metadata)
            elif not define and (
                token in ("", "declare", "define", "attributes", "target", "module", "source_filename")
                or token[0] in "@%!$"
            ):
                break
            else:
                self.parse_attribute(attributes)
        type_ = ir.function_type(result, tuple(a.type for a in args), vararg)
        function = ir.Function(name, type_, args, linkage, cc, attributes, result_attributes, metadata, start)
        self.module.functions[name] = function
        if define:
            self.at += 1
            self.parse_body(function)

    def parse_parameters(self) -> tuple[list[ir.Argument], bool]:
        tokens = self.tokens
        self.expect("(")
        args: list[ir.Argument] = []
        vararg = False
        number = 0
        while tokens[self.at] != ")":
            if tokens[self.at] == "...":
                vararg = True
                self.at += 1
                continue
            type_ = self.parse_type()
            attributes: dict[str, Any] = {}
            while tokens[self.at] not in (",", ")") and tokens[self.at][0] != "%":
                self.parse_attribute(attributes)
            name = ""
            if tokens[self.at][0] == "%":
                name = unquote(tokens[self.at])
                self.at += 1
            else:
                name = str(number)
            if name == str(number):
                number += 1
            args.append(ir.Argument(type_, name, len(args), attributes))
            if tokens[self.at] == ",":
                self.at += 1
        self.at += 1
        return args, vararg

    def parse_body(self, function: ir.Function) -> None:
        tokens = self.tokens
        self.locals = {arg.name: arg for arg in function.args}
        self.blocks = {}
        self.fixups = []
        self.callees = []
        unnamed = sum(1 for arg in function.args if arg.name.isdigit())
        current: ir.Block | None = None
        while (token := tokens[self.at]) != "}":
            if token[-1] == ":" and len(token) > 1:
                label = token[:-1]
                if label[0] == '"':
                    label = unescape(label[1:-1]).decode("utf-8", "replace")
                current = self.block(label)
                function.blocks.append(current)
                self.at += 1
                continue
            if token == "":
                self.error("unexpected end of text in a function body")
            if token[0] == "#":
                self.at += 1
                if tokens[self.at] == "(":
                    self.debug_record(token, function)
                    continue
                self.error(f"unknown debug record '{token}'")
            if current is None:
                current = self.block(str(unnamed))
                function.blocks.append(current)
            inst = self.parse_instruction()
            inst.parent = current
            current.insts.append(inst)
        self.at += 1
        for args, index, name, at in self.fixups:
            value = self.locals.get(name)
            if value is None:
                self.error(f"use of undefined value '%{name}'", at)
            args[index] = value
        for inst, (callee,) in self.callees:
            inst.callee = callee
        for index, block in enumerate(function.blocks):
            block.index = index
            if not block.insts:
                self.error(f"block %{block.name} is empty")
        if len(self.blocks) != len(function.blocks):
            missing = next(b.name for b in self.blocks.values() if not b.insts)
            self.error(f"use of undefined label '%{missing}'")

    def debug_record(self, kind: str, function: ir.Function) -> None:
        """`#dbg_declare(ptr %x.1, !20, !DIExpression(), !21)`; the others say nothing that is kept."""
        end = self.at
        self.skip_parens_here()
        self.at, end = end, self.at
        if kind == "#dbg_declare" and self.tokens[self.at + 2][:1] == "%":
            self.at += 1
            value = self.parse_typed_value()
            self.at += 1
            function.declares.append((value, self.parse_md()))
        self.at = end

    # --- metadata -----------------------------------------------------------------------------------------------

    def parse_metadata_definition(self) -> None:
        tokens = self.tokens
        name = tokens[self.at][1:]
        self.at += 2
        distinct = tokens[self.at] == "distinct"
        if distinct:
            self.at += 1
        node = self.parse_md()
        if isinstance(node, ir.Node):
            node.distinct = distinct
        if name.isdigit():
            self.module.metadata[int(name)] = node
        elif isinstance(node, ir.Node):
            self.module.named_metadata[name] = node.items
        else:
            raise ValueError(f"metadata '{name}' is no list")

    def parse_md(self) -> Any:
        """A metadata operand: a node, a reference, a string, a typed value."""
        tokens = self.tokens
        token = tokens[self.at]
        if token == "!":
            after = tokens[self.at + 1]
            if after == "{":
                self.at += 2
                items = []
                while tokens[self.at] != "}":
                    items.append(self.parse_md())
                    if tokens[self.at] == ",":
                        self.at += 1
                self.at += 1
                return ir.Node(items=items)
            if after[0] == '"':
                self.at += 2
                return as_text(unescape(after[1:-1]))
        if token[0] == "!":
            if token[1:].isdigit():
                self.at += 1
                return ir.MdRef(int(token[1:]))
            kind = token[1:]
            self.at += 1
            if tokens[self.at] != "(":
                self.error(f"unknown metadata '{token}'")
            self.at += 1
            node = ir.Node(kind)
            while tokens[self.at] != ")":
                key = tokens[self.at]
                if key[-1] == ":":
                    self.at += 1
                    node.fields[key[:-1]] = self.parse_md_field()
                else:
                    node.items.append(self.parse_md_field())
                if tokens[self.at] == ",":
                    self.at += 1
            self.at += 1
            return node
        if token == "null":
            self.at += 1
            return None
        return self.parse_typed_value()

    def parse_md_field(self) -> Any:
        tokens = self.tokens
        token = tokens[self.at]
        if token[0] == "!":
            return self.parse_md()
        if token[0] == '"':
            self.at += 1
            return as_text(unescape(token[1:-1]))
        if token.lstrip("-").isdigit():
            self.at += 1
            return int(token)
        if self.starts_type() and token not in ("null",) and tokens[self.at + 1][:1] in "%@-0123456789":
            return self.parse_typed_value()
        self.at += 1
        if token == "null":
            return None
        while tokens[self.at] == "|":  # DIFlagA | DIFlagB
            token += "|" + tokens[self.at + 1]
            self.at += 2
        return token


def read(text: str, name: str = "<llvm-ir>") -> ir.Module:
    """Parse a module. Raises `CompileError` for text that is not LLVM IR as this version of LLVM prints it."""
    reader = _Reader(text, name)
    try:
        return reader.parse_module()
    except (IndexError, ValueError, struct.error, RecursionError, OverflowError) as error:
        reader.at = min(reader.at, len(reader.tokens) - 1)
        reader.error(f"malformed IR near '{reader.tokens[reader.at]}' ({type(error).__name__})")
