"""What the parts of `Lowering` share: its state, and the methods they call across files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NoReturn

from minicc.arch.schema import Arch
from minicc.isel.builder import Builder
from minicc.isel.dag import Node, legal
from minicc.isel.layout import DataLayout
from minicc.isel.options import Options
from minicc.nvvm import ir


class Base(ABC):
    """State of the lowering of one function. The methods without a body are in the other parts."""

    module: ir.Module
    function: ir.Function
    names: dict[str, str]
    arch: Arch
    options: Options
    ftz: bool
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

    @abstractmethod
    def unsupported(self, what: str) -> NoReturn: ...

    @abstractmethod
    def instruction(self, inst: ir.Inst) -> None: ...

    @abstractmethod
    def pairs(self, parts: list[Node]) -> list[Node]: ...

    @abstractmethod
    def unpair(self, node: Node, kind: str) -> list[Node]: ...

    @abstractmethod
    def packed(self, head: str, kind: str, operands: list[list[Node]]) -> list[Node] | None: ...

    @abstractmethod
    def named(self, inst: ir.Inst, name: str) -> list[Node] | None: ...

    @abstractmethod
    def difference(self, sign: str, x: Node, y: Node) -> Node: ...

    @abstractmethod
    def multiplies_bytes(self, load: ir.Inst) -> bool: ...

    @abstractmethod
    def continues(self, inst: ir.Inst) -> bool: ...

    @abstractmethod
    def terms(self, inst: ir.Inst) -> list[ir.Value]: ...

    @abstractmethod
    def has(self, op: str) -> bool: ...

    @abstractmethod
    def single_pairs(self, head: str, operands: list[list[Node]]) -> list[Node] | None: ...

    @abstractmethod
    def half(self, head: str, *args: Node) -> Node: ...

    def legal(self, type_: ir.Type) -> list[str]:
        """Legal types of the parts of a value."""
        parts = legal(type_, self.layout.pointer_bits)
        if not parts and type_.kind not in ("void", "struct", "array", "vector", "metadata", "token", "label"):
            self.unsupported(f"type {type_}")
        return parts

    @abstractmethod
    def parts(self, value: ir.Value) -> list[Node]: ...

    @abstractmethod
    def one(self, value: ir.Value) -> Node: ...

    @abstractmethod
    def compare(self, pred: str, bits: int, a: Node, b: Node) -> Node: ...

    @abstractmethod
    def compare_parts(self, pred: str, bits: int, a: list[Node], b: list[Node]) -> Node: ...

    @abstractmethod
    def choose(self, p: Node, a: list[Node], b: list[Node]) -> list[Node]: ...

    @abstractmethod
    def float_to(self, a: Node, kind: str) -> Node: ...

    @abstractmethod
    def float_to_int(self, op: str, a: Node, bits: int) -> list[Node]: ...

    @abstractmethod
    def bitcast(self, parts: list[Node], source: ir.Type, to: ir.Type) -> list[Node]: ...

    @abstractmethod
    def integer_binary(self, op: str, type_: ir.Type, a: list[Node], b: list[Node]) -> list[Node]: ...

    @abstractmethod
    def gep(self, source: ir.Type, args: Sequence[ir.Value]) -> Node: ...

    @abstractmethod
    def address_cast(self, a: Node, source: int, to: int) -> Node: ...

    @abstractmethod
    def space(self, type_: ir.Type) -> str: ...

    @abstractmethod
    def offset(self, address: Node, offset: int) -> Node: ...

    @abstractmethod
    def leaves(self, type_: ir.Type, at: int = 0) -> list[tuple[ir.Type, int]]: ...

    @abstractmethod
    def load(self, head: str, space: str, type_: ir.Type, address: Node, align: int) -> list[Node]: ...

    @abstractmethod
    def store(self, head: str, space: str, type_: ir.Type, parts: list[Node], address: Node, align: int) -> None: ...

    @abstractmethod
    def intrinsic(self, inst: ir.Inst, name: str) -> list[Node]: ...

    @abstractmethod
    def wide_add(self, op: str, a: list[Node], b: list[Node]) -> list[Node]: ...

    @abstractmethod
    def wide_compare(self, pred: str, bits: int, a: list[Node], b: list[Node]) -> Node: ...

    @abstractmethod
    def wide_shift(self, op: str, bits: int, a: list[Node], amount: Node) -> list[Node]: ...

    @abstractmethod
    def wide_shift_constant(self, op: str, a: list[Node], amount: int, fill: Node) -> list[Node]: ...

    @abstractmethod
    def extend(self, op: str, parts: list[Node], bits: int, to_bits: int) -> list[Node]: ...

    @abstractmethod
    def power(self, kind: str, exponent: Node) -> Node: ...

    @abstractmethod
    def float_to_wide(self, signed_: bool, bits: int, a: Node) -> list[Node]: ...
