"""Types, attributes, constants and operands of printed LLVM IR: the base of the reader."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from typing import Any, NoReturn

from minicc.numbers import bits_of, float_of
from minicc.nvvm import ir
from minicc.nvvm.tokens import BINARY, BINARY_FLAGS, CASTS, VALUE_WORDS, unescape, unquote

_TYPE_ATTRIBUTES = frozenset({"byval", "sret", "byref", "inalloca", "preallocated", "elementtype"})
_ZERO_WORDS = frozenset({"null", "zeroinitializer", "none"})


class ValueReader(ABC):
    """Shared state and the parsers below statements."""

    text: str
    tokens: list[str]
    at: int
    module: ir.Module
    simple_types: dict[str, ir.Type]
    uses_groups: list[tuple[dict[str, Any], str]]
    locals: dict[str, ir.Value]
    mentioned: dict[tuple[str, ir.Type], ir.Global]
    blocks: dict[str, ir.Block]
    fixups: list[tuple[list[ir.Value], int, str, int]]
    callees: list[tuple[ir.Inst, list[ir.Value]]]

    @abstractmethod
    def error(self, message: str, at: int | None = None) -> NoReturn: ...

    @abstractmethod
    def named_type(self, name: str) -> ir.Type: ...

    @abstractmethod
    def parse_md(self) -> Any: ...

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            self.error(f"expected '{token}', found '{self.tokens[self.at]}'")
        self.at += 1

    def accept(self, token: str) -> bool:
        if self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def skip_parens(self) -> None:
        """Skip a word and its parenthesised argument."""
        self.at += 1
        self.skip_parens_here()

    def skip_parens_here(self) -> str:
        """Skip ( ... ), return the tokens inside, joined."""
        start = self.at
        depth = 0
        tokens = self.tokens
        while True:
            token = tokens[self.at]
            if token == "(":
                depth += 1
            elif token == ")":
                depth -= 1
            elif token == "":
                self.error("unbalanced parenthesis", start)
            self.at += 1
            if depth == 0:
                return " ".join(tokens[start + 1 : self.at - 1])

    # --- types --------------------------------------------------------------------------------------------------

    def starts_type(self) -> bool:
        token = self.tokens[self.at]
        return (
            token in self.simple_types
            or token == "ptr"
            or token[0] in "[{<%"
            or (token[0] == "i" and token[1:].isdigit())
            or token == "target"
        )

    def parse_type(self) -> ir.Type:
        tokens = self.tokens
        token = tokens[self.at]
        self.at += 1
        found = self.simple_types.get(token)
        if found is None:
            first = token[0] if token else ""
            if token == "ptr":
                found = ir.PTR
                if tokens[self.at] == "addrspace":
                    found = ir.ptr_type(int(tokens[self.at + 2]))
                    self.at += 4
            elif first == "i" and token[1:].isdigit():
                found = self.simple_types[token] = ir.int_type(int(token[1:]))
            elif first == "%":
                found = self.named_type(unquote(token))
            elif first == "[":
                count = int(tokens[self.at])
                self.at += 2
                found = ir.array_type(count, self.parse_type())
                self.expect("]")
            elif first == "<" and tokens[self.at] == "{":
                self.at += 1
                found = ir.struct_type(self.parse_fields(), True)
                self.expect(">")
            elif first == "<":
                if tokens[self.at] == "vscale":
                    self.error("scalable vectors have no meaning on a GPU")
                count = int(tokens[self.at])
                self.at += 2
                found = ir.vector_type(count, self.parse_type())
                self.expect(">")
            elif first == "{":
                found = ir.struct_type(self.parse_fields())
            elif token == "target":
                found = ir.Type("opaque", name=self.skip_parens_here())
            else:
                self.error(f"expected a type, found '{token}'", self.at - 1)
        if tokens[self.at] == "(":
            self.at += 1
            params: list[ir.Type] = []
            vararg = False
            while tokens[self.at] != ")":
                if tokens[self.at] == "...":
                    vararg = True
                    self.at += 1
                else:
                    params.append(self.parse_type())
                if tokens[self.at] == ",":
                    self.at += 1
            self.at += 1
            found = ir.function_type(found, tuple(params), vararg)
        return found

    def parse_fields(self) -> tuple[ir.Type, ...]:
        fields: list[ir.Type] = []
        while self.tokens[self.at] != "}":
            fields.append(self.parse_type())
            if self.tokens[self.at] == ",":
                self.at += 1
        self.at += 1
        return tuple(fields)

    # --- attributes ---------------------------------------------------------------------------------------------

    def parse_attribute(self, out: dict[str, Any], group: bool = False) -> None:
        """One attribute of a parameter, call or function, into `out`."""
        tokens = self.tokens
        token = tokens[self.at]
        first = token[:1]
        self.at += 1
        if first == '"':
            value = ""
            if tokens[self.at] == "=":
                value = tokens[self.at + 1][1:-1]
                self.at += 2
            out[token[1:-1]] = value
        elif first == "#":
            self.uses_groups.append((out, token))
        elif first.isalpha():
            after = tokens[self.at]
            if after == "(":
                if token in _TYPE_ATTRIBUTES:
                    self.at += 1
                    out[token] = self.parse_type()
                    self.expect(")")
                elif token == "range":
                    self.at += 1
                    self.parse_type()
                    low = int(tokens[self.at])
                    high = int(tokens[self.at + 2])
                    self.at += 4
                    out[token] = (low, high)
                else:
                    text = self.skip_parens_here()
                    out[token] = int(text) if text.isdigit() else text
            elif after == "=" and group:
                out[token] = int(tokens[self.at + 1])
                self.at += 2
            elif token in ("align", "alignstack") and after.isdigit():
                out[token] = int(after)
                self.at += 1
            else:
                out[token] = True
        else:
            self.error(f"expected an attribute, found '{token}'", self.at - 1)

    # --- values -------------------------------------------------------------------------------------------------

    def parse_typed_value(self) -> ir.Value:
        type_ = self.parse_type()
        return self.parse_value(type_)

    def local(self, type_: ir.Type, name: str, args: list[ir.Value] | None, index: int) -> ir.Value:
        found = self.locals.get(name)
        if found is None:
            found = ir.Value(type_)
            if args is None:
                self.error(f"use of undefined value '%{name}'")
            self.fixups.append((args, index, name, self.at - 1))
        return found

    def block(self, name: str) -> ir.Block:
        found = self.blocks.get(name)
        if found is None:
            found = self.blocks[name] = ir.Block(name)
        return found

    def operand(self, type_: ir.Type, args: list[ir.Value]) -> None:
        """Parse a value and append it to `args`; a forward reference is patched when the function is complete."""
        token = self.tokens[self.at]
        if token[0] == "%":
            self.at += 1
            args.append(self.local(type_, unquote(token), args, len(args)))
        else:
            args.append(self.parse_value(type_))

    def typed_operand(self, args: list[ir.Value]) -> None:
        self.operand(self.parse_type(), args)

    def parse_value(self, type_: ir.Type) -> ir.Value:
        """A constant or an already defined local."""
        tokens = self.tokens
        token = tokens[self.at]
        first = token[0] if token else ""
        self.at += 1
        if first == "%":
            return self.local(type_, unquote(token), None, 0)
        if first == "@":
            found = self.mentioned.get((token, type_))
            if found is None:
                found = self.mentioned[token, type_] = ir.Global(type_, unquote(token))
            return found
        if (token[-1:].isdigit() and (first.isdigit() or first in "-+")) or token[:2] == "0x" or token[:3] == "f0x":
            return self.number(type_, token)
        if first.isdigit() or first in "-+":
            return self.number(type_, token)
        if token == "true":
            return ir.ConstInt(type_, 1)
        if token == "false":
            return ir.ConstInt(type_, 0)
        if token in _ZERO_WORDS:
            return ir.Zero(type_)
        if token == "undef":
            return ir.Undef(type_)
        if token == "poison":
            return ir.Undef(type_, True)
        if token[:2] == 'c"':
            return ir.ConstBytes(type_, unescape(token[2:-1]))
        if first == "[":
            return ir.ConstAggregate(type_, self.value_list("]"))
        if first == "{":
            return ir.ConstAggregate(type_, self.value_list("}"))
        if first == "<":
            if self.accept("{"):
                items = self.value_list("}")
                self.expect(">")
                return ir.ConstAggregate(type_, items)
            return ir.ConstAggregate(type_, self.value_list(">"))
        if token == "splat":
            self.expect("(")
            item = self.parse_typed_value()
            self.expect(")")
            return ir.ConstAggregate(type_, [item] * type_.count)
        if token == "asm":
            flags = []
            while tokens[self.at][0] != '"':
                flags.append(tokens[self.at])
                self.at += 1
            text = unescape(tokens[self.at][1:-1]).decode("utf-8", "replace")
            constraints = unescape(tokens[self.at + 2][1:-1]).decode("utf-8", "replace")
            self.at += 3
            return ir.InlineAsm(type_, text, constraints, tuple(flags))
        if first == "!" or type_ is ir.METADATA:
            self.at -= 1
            return ir.MetadataValue(ir.METADATA, self.parse_md())
        if token in VALUE_WORDS:
            return self.constant_expression(type_, token)
        self.error(f"expected a value of type {type_}, found '{token}'", self.at - 1)

    def value_list(self, end: str) -> list[ir.Value]:
        items: list[ir.Value] = []
        while self.tokens[self.at] != end:
            items.append(self.parse_typed_value())
            if self.tokens[self.at] == ",":
                self.at += 1
        self.at += 1
        return items

    def number(self, type_: ir.Type, token: str) -> ir.Value:
        kind = type_.kind
        if kind == "int":
            if token[:2] == "0x" or token[0] == "f":
                self.error(f"expected an integer, found '{token}'", self.at - 1)
            return ir.ConstInt(type_, int(token) & ((1 << type_.bits) - 1))
        if kind == "float" or kind == "double":
            if token[:3] == "f0x":
                return ir.ConstFloat(type_, int(token[3:], 16))
            if token[:2] == "0x":
                double = int(token[2:], 16)
            else:
                double = bits_of(float(token), 64)
            return ir.ConstFloat(type_, double if kind == "double" else _double_to_single(double))
        if kind in ("half", "bfloat"):
            if token[:3] in ("0xH", "0xR", "f0x"):
                return ir.ConstFloat(type_, int(token[3:], 16))
            packed = struct.pack("<e", float(token)) if kind == "half" else struct.pack("<f", float(token))[2:]
            return ir.ConstFloat(type_, int.from_bytes(packed, "little"))
        self.error(f"a number of type {type_} is not supported", self.at - 1)

    def constant_expression(self, type_: ir.Type, op: str) -> ir.Value:
        tokens = self.tokens
        while tokens[self.at] in BINARY_FLAGS or tokens[self.at] == "inrange":
            if tokens[self.at] == "inrange":
                self.skip_parens()
            else:
                self.at += 1
        if op == "blockaddress" or op in ("dso_local_equivalent", "no_cfi", "icmp", "fcmp"):
            self.error(f"constant expression '{op}' is not supported", self.at - 1)
        self.expect("(")
        source = None
        args: list[ir.Value] = []
        if op == "getelementptr":
            source = self.parse_type()
            self.expect(",")
        args.append(self.parse_typed_value())
        if op in CASTS:
            self.expect("to")
            self.parse_type()
        else:
            while self.accept(","):
                args.append(self.parse_typed_value())
        self.expect(")")
        if op not in CASTS and op not in BINARY and op not in ("getelementptr", "select"):
            self.error(f"constant expression '{op}' is not supported", self.at - 1)
        return ir.ConstExpr(type_, op, args, source)


def _double_to_single(bits: int) -> int:
    """LLVM prints float constants as the double of the same value; NaN payloads are kept in the top bits."""
    exponent = bits >> 52 & 0x7FF
    if exponent == 0x7FF:
        return (bits >> 63) << 31 | 0x7F800000 | (bits >> 29) & 0x7FFFFF
    return bits_of(float_of(bits, 64), 32)
