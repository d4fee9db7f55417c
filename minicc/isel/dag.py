"""The selection DAG: what LLVM IR becomes before patterns cover it.

Nodes have legal types only: p (predicate), i32, i64, f16, bf16, f32, f64. Narrower integers live in i32, i33..i63 in
i64, with unspecified upper bits; wider ones are lists of i64 limbs. A node's `op` is its whole signature name,
"add.i32", "ld.global.f32", "icmp.slt.i64". Pure nodes are hash-consed within an extended basic block. Creation order
is program order; loads and side effects keep it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from minicc.nvvm import ir

WIDTH = {"p": 1, "h": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
COMMUTATIVE = frozenset(
    [
        "add",
        "mul",
        "and",
        "or",
        "xor",
        "fadd",
        "faddc",
        "fmul",
        "fmulc",
        "umin",
        "umax",
        "smin",
        "smax",
        "fmin",
        "fmax",
        "fminnan",
        "fmaxnan",
        "mulhis",
        "mulhiu",
    ]
)


@cache
def _head(op: str) -> str:
    """The operation without its types: "add"."""
    return op.partition(".")[0]


class Node:
    """One value or effect.

    head:  the op without its types
    type:  result type, "" for none
    data:  constant value, symbol name, label, special register ... by op
    zb:    the value is below 2**zb (integers)
    sb:    the value is the sign extension of its low sb bits (integers)
    """

    __slots__ = (
        "args",
        "block",
        "cost",
        "data",
        "demanded",
        "head",
        "index",
        "is_const",
        "loc",
        "op",
        "place",
        "regs",
        "root",
        "sb",
        "tile",
        "type",
        "uses",
        "weighed",
        "zb",
    )

    def __init__(self, op: str, type_: str, args: tuple[Node, ...], data: Any, index: int, block: int) -> None:
        self.op = op
        self.head = head = _head(op)
        self.is_const = head == "const"
        self.type = type_
        self.args = args
        self.data = data
        self.index = index
        self.block = block
        self.loc: Any = None
        self.root = False
        self.zb = self.sb = WIDTH.get(type_, 0)
        self.uses = 0
        self.demanded = False
        self.tile: Any = None
        self.cost: Any = None
        self.place: Node | None = None
        self.regs: tuple[Any, ...] = ()
        self.weighed: Any = None

    def __repr__(self) -> str:
        data = "" if self.data is None else f" {self.data!r}"
        return f"%{self.index} = {self.op}{data}({', '.join('%' + str(a.index) for a in self.args)})"

    def rename(self, op: str, type_: str) -> None:
        """Change operation and type."""
        self.op = op
        self.head = _head(op)
        self.type = type_


MASK = {"p": 1, "i32": 0xFFFFFFFF, "i64": (1 << 64) - 1}


class BlockDag:
    """What one IR block became. `terminator` is a root node, `copies` maps successor blocks to phi moves."""

    def __init__(self, block: ir.Block) -> None:
        self.block = block
        self.nodes: list[Node] = []
        self.phis: list[tuple[ir.Inst, list[Node]]] = []
        self.terminator: Node | None = None


SWAP = {"eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"} | {
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}
INVERT = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"} | {
    "ult": "uge",
    "uge": "ult",
    "ugt": "ule",
    "ule": "ugt",
}
FINVERT = {"oeq": "une", "une": "oeq", "one": "ueq", "ueq": "one", "olt": "uge", "uge": "olt", "ogt": "ule"} | {
    "ule": "ogt",
    "ole": "ugt",
    "ugt": "ole",
    "oge": "ult",
    "ult": "oge",
    "ord": "uno",
    "uno": "ord",
}


def legal(type_: ir.Type, pointer_bits: dict[int, int]) -> list[str]:
    """Legal types of the parts that a value of an IR type is made of, in order."""
    match type_.kind:
        case "int":
            if type_.bits == 1:
                return ["p"]
            if type_.bits <= 32:
                return ["i32"]
            return ["i64"] * ((type_.bits + 63) // 64)
        case "ptr":
            return ["i32" if pointer_bits.get(type_.space, 64) == 32 else "i64"]
        case "float":
            return ["f32"]
        case "double":
            return ["f64"]
        case "half":
            return ["f16"]
        case "bfloat":
            return ["bf16"]
        case "array" | "vector":
            return legal(type_.element, pointer_bits) * type_.count
        case "struct":
            return [part for field in type_.elements for part in legal(field, pointer_bits)]
        case _:
            return []
