"""What the parts of `Lowering` share: its state, and the methods they call across files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from minicc.arch.schema import Arch
from minicc.isel.dag import Builder, Node, legal
from minicc.isel.layout import DataLayout
from minicc.isel.options import Options
from minicc.nvvm import ir


class Base:
    """State of the lowering of one function. The methods without a body are in `lower`, `memory`, `calls`, `wide`."""

    module: ir.Module
    function: ir.Function
    names: dict[str, str]
    arch: Arch
    options: Options
    layout: DataLayout
    build: Builder
    values: dict[ir.Value, list[Node]]
    depot_size: int
    frame: dict[ir.Value, int]
    depot_align: int
    call_count: int
    asm_count: int
    use_counts: dict[ir.Value, int]
    users: dict[ir.Value, list[ir.Inst]]
    order_data: tuple[str, str] | None

    def unsupported(self, what: str) -> NoReturn:
        raise NotImplementedError

    def pairs(self, parts: list[Node]) -> list[Node]:
        raise NotImplementedError

    def unpair(self, node: Node, kind: str) -> list[Node]:
        raise NotImplementedError

    def packed(self, head: str, kind: str, operands: list[list[Node]]) -> list[Node] | None:
        raise NotImplementedError

    def named(self, inst: ir.Inst, name: str) -> list[Node] | None:
        raise NotImplementedError

    def difference(self, sign: str, x: Node, y: Node) -> Node:
        raise NotImplementedError

    def multiplies_bytes(self, load: ir.Inst) -> bool:
        raise NotImplementedError

    def has(self, op: str) -> bool:
        raise NotImplementedError

    def single_pairs(self, head: str, operands: list[list[Node]]) -> list[Node] | None:
        raise NotImplementedError

    def half(self, head: str, *args: Node) -> Node:
        raise NotImplementedError

    def legal(self, type_: ir.Type) -> list[str]:
        """Legal types of the parts of a value."""
        parts = legal(type_, self.layout.pointer_bits)
        if not parts and type_.kind not in ("void", "struct", "array", "vector", "metadata", "token", "label"):
            self.unsupported(f"type {type_}")
        return parts

    def parts(self, value: ir.Value) -> list[Node]:
        raise NotImplementedError

    def one(self, value: ir.Value) -> Node:
        raise NotImplementedError

    def compare(self, pred: str, bits: int, a: Node, b: Node) -> Node:
        raise NotImplementedError

    def float_to(self, a: Node, kind: str) -> Node:
        raise NotImplementedError

    def bitcast(self, parts: list[Node], source: ir.Type, to: ir.Type) -> list[Node]:
        raise NotImplementedError

    def integer_binary(self, op: str, type_: ir.Type, a: list[Node], b: list[Node]) -> list[Node]:
        raise NotImplementedError

    def gep(self, source: ir.Type, args: Sequence[ir.Value]) -> Node:
        raise NotImplementedError

    def address_cast(self, a: Node, source: int, to: int) -> Node:
        raise NotImplementedError

    def space(self, type_: ir.Type) -> str:
        raise NotImplementedError

    def offset(self, address: Node, offset: int) -> Node:
        raise NotImplementedError

    def leaves(self, type_: ir.Type, at: int = 0) -> list[tuple[ir.Type, int]]:
        raise NotImplementedError

    def load(self, head: str, space: str, type_: ir.Type, address: Node, align: int) -> list[Node]:
        raise NotImplementedError

    def store(self, head: str, space: str, type_: ir.Type, parts: list[Node], address: Node, align: int) -> None:
        raise NotImplementedError

    def intrinsic(self, inst: ir.Inst, name: str) -> list[Node]:
        raise NotImplementedError

    def wide_add(self, op: str, a: list[Node], b: list[Node]) -> list[Node]:
        raise NotImplementedError

    def wide_compare(self, pred: str, bits: int, a: list[Node], b: list[Node]) -> Node:
        raise NotImplementedError

    def wide_shift(self, op: str, bits: int, a: list[Node], amount: Node) -> list[Node]:
        raise NotImplementedError

    def wide_shift_constant(self, op: str, a: list[Node], amount: int, fill: Node) -> list[Node]:
        raise NotImplementedError

    def extend(self, op: str, parts: list[Node], bits: int, to_bits: int) -> list[Node]:
        raise NotImplementedError

    def power(self, kind: str, exponent: Node) -> Node:
        raise NotImplementedError

    def float_to_wide(self, signed_: bool, bits: int, a: Node) -> list[Node]:
        raise NotImplementedError
