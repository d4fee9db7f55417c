"""LLVM IR as objects: what our reader makes of printed IR and what isel walks.

Types are interned (compare with `is`). Every operand is a `Value`; instructions are one class with an opcode name, the
operands in LLVM's order, and the few fields that some opcodes have.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from minicc.numbers import float_of
from minicc.record import Record


class Type:
    """A type. `kind` is one of: void, int, half, bfloat, float, double, fp128, ptr, array, vector, struct, function,
    label, metadata, token, opaque. `bits` is the width of scalars (0 where the data layout decides, i.e. pointers)."""

    def __init__(
        self,
        kind: str,
        bits: int = 0,
        space: int = 0,
        count: int = 0,
        elements: tuple[Type, ...] = (),
        packed: bool = False,
        vararg: bool = False,
        name: str = "",
    ) -> None:
        self.kind, self.bits = kind, bits
        self.space = space
        """Address space of a pointer."""
        self.count = count
        """Elements of an array or vector."""
        self.elements = elements
        """Element (array, vector), fields (struct), or result and parameters (function)."""
        self.packed, self.vararg, self.name = packed, vararg, name

    @property
    def element(self) -> Type:
        """Element type of an array or vector."""
        return self.elements[0]

    @property
    def is_float(self) -> bool:
        return self.kind in ("half", "bfloat", "float", "double", "fp128")

    @property
    def is_aggregate(self) -> bool:
        return self.kind in ("array", "struct")

    def __str__(self) -> str:
        match self.kind:
            case "int":
                return f"i{self.bits}"
            case "ptr":
                return f"ptr addrspace({self.space})" if self.space else "ptr"
            case "array":
                return f"[{self.count} x {self.element}]"
            case "vector":
                return f"<{self.count} x {self.element}>"
            case "struct":
                if self.name:
                    return f"%{self.name}"
                inner = "{ " + ", ".join(map(str, self.elements)) + " }"
                return f"<{inner}>" if self.packed else inner
            case "function":
                return f"{self.elements[0]} ({', '.join(map(str, self.elements[1:]))}{', ...' * self.vararg})"
            case _:
                return self.kind


VOID = Type("void")
HALF = Type("half", 16)
BFLOAT = Type("bfloat", 16)
FLOAT = Type("float", 32)
DOUBLE = Type("double", 64)
FP128 = Type("fp128", 128)
LABEL = Type("label")
METADATA = Type("metadata")
TOKEN = Type("token")


@cache
def int_type(bits: int) -> Type:
    """iN."""
    return Type("int", bits)


@cache
def ptr_type(space: int = 0) -> Type:
    """ptr addrspace(N)."""
    return Type("ptr", space=space)


@cache
def array_type(count: int, element: Type) -> Type:
    return Type("array", count=count, elements=(element,))


@cache
def vector_type(count: int, element: Type) -> Type:
    return Type("vector", count=count, elements=(element,))


@cache
def struct_type(elements: tuple[Type, ...], packed: bool = False) -> Type:
    """An unnamed (structural) struct."""
    return Type("struct", elements=elements, packed=packed)


@cache
def function_type(result: Type, params: tuple[Type, ...], vararg: bool = False) -> Type:
    return Type("function", elements=(result, *params), vararg=vararg)


I1, I8, I16, I32, I64, I128 = (int_type(n) for n in (1, 8, 16, 32, 64, 128))
PTR = ptr_type()


class Value:
    """Anything an instruction can use."""

    def __init__(self, type: Type) -> None:
        self.type = type


class ConstInt(Value):
    """Integer constant; `value` is unsigned, below 2**bits."""

    def __init__(self, type: Type, value: int) -> None:
        self.type, self.value = type, value


class ConstFloat(Value):
    """Floating constant by its own bits (16, 32 or 64)."""

    def __init__(self, type: Type, bits: int) -> None:
        self.type, self.bits = type, bits


class Zero(Value):
    """`zeroinitializer` and `null`."""


class Undef(Value):
    """`undef` and `poison`."""

    def __init__(self, type: Type, poison: bool = False) -> None:
        self.type, self.poison = type, poison


class ConstAggregate(Value):
    """Constant array, vector or struct."""

    def __init__(self, type: Type, items: list[Value]) -> None:
        self.type, self.items = type, items


class ConstBytes(Value):
    """c"..." """

    def __init__(self, type: Type, data: bytes) -> None:
        self.type, self.data = type, data


class ConstExpr(Value):
    """Constant expression: `op` (getelementptr, addrspacecast, bitcast, ptrtoint, inttoptr, trunc, add, sub, xor, ...)
    over `args`; `source` is the GEP's source element type."""

    def __init__(self, type: Type, op: str, args: list[Value], source: Type | None = None) -> None:
        self.type, self.op, self.args, self.source = type, op, args, source


class Global(Value):
    """Reference to a global variable or function by name (without @). The object is in `Module.globals`."""

    def __init__(self, type: Type, name: str) -> None:
        self.type, self.name = type, name


class InlineAsm(Value):
    """`asm sideeffect "text", "constraints"` as a callee."""

    def __init__(self, type: Type, text: str, constraints: str, flags: tuple[str, ...] = ()) -> None:
        self.type, self.text, self.constraints, self.flags = type, text, constraints, flags


class MetadataValue(Value):
    """Metadata as a call argument; `value` is a Node, a Value, or a string."""

    def __init__(self, type: Type, value: Any) -> None:
        self.type, self.value = type, value


class Argument(Value):
    """A formal parameter. `attributes` maps names to values: {"byval": Type, "align": 4, "noalias": True}."""

    def __init__(self, type: Type, name: str, index: int, attributes: dict[str, Any]) -> None:
        self.type, self.name, self.index, self.attributes = type, name, index, attributes


class Node:
    """Metadata node: `kind` is "" for a tuple, else the specialised name ("DILocation"). Tuples keep `items`,
    specialised nodes `fields`. References to other nodes are `MdRef`."""

    def __init__(self, kind: str = "", distinct: bool = False, items: list[Any] | None = None) -> None:
        self.kind, self.distinct = kind, distinct
        self.items: list[Any] = [] if items is None else items
        self.fields: dict[str, Any] = {}


class MdRef(Record):
    """`!12`: resolve with `Module.metadata`."""

    __slots__ = __match_args__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Inst(Value):
    """An instruction. Also the value it defines (type void if none).

    args:   operands in LLVM's printed order (branch condition, switch value, phi values, call arguments, ...)
    blocks: br/switch/indirectbr destinations, phi incoming blocks, in order
    """

    def __init__(
        self,
        type: Type,
        op: str,
        args: list[Value],
        flags: frozenset[str] = frozenset(),
        pred: str = "",
        blocks: list[Block] | None = None,
        source: Type | None = None,
    ) -> None:
        self.type, self.op, self.args = type, op, args
        self.name = ""
        self.flags = flags
        """nsw, nuw, exact, disjoint, nneg, inbounds, fast-math flags, volatile, atomic, weak, tail kinds, samesign."""
        self.pred = pred
        """icmp/fcmp predicate, atomicrmw operation."""
        self.blocks: list[Block] = [] if blocks is None else blocks
        self.source = source
        """GEP source element type, alloca's type, the callee's function type."""
        self.align = 0
        self.order: tuple[str, ...] = ()
        """Atomic orderings (two for cmpxchg)."""
        self.scope = ""
        """syncscope."""
        self.indices: tuple[int, ...] = ()
        """extractvalue/insertvalue indices, shufflevector mask (-1 is poison)."""
        self.callee: Value | None = None
        self.attributes: dict[str, Any] = {}
        """Function attributes of a call site, and "args": list of per-argument attribute dictionaries."""
        self.cases: list[int] = []
        """switch case values, for blocks[1:]."""
        self.metadata: dict[str, Any] = {}
        """Attached metadata: {"dbg": MdRef, "invariant.load": MdRef, "range": ...}."""
        self.parent: Block | None = None
        self.offset = 0
        """Character offset in the IR text, for diagnostics."""


class Block:
    """A basic block; the last instruction is the terminator."""

    def __init__(self, name: str, index: int = 0) -> None:
        self.name = name
        self.insts: list[Inst] = []
        self.index = index

    @property
    def terminator(self) -> Inst:
        return self.insts[-1]

    @property
    def successors(self) -> list[Block]:
        """Distinct successor blocks in order."""
        return list(dict.fromkeys(self.insts[-1].blocks))


class GlobalVariable:
    """@name = linkage ... global/constant type init."""

    def __init__(
        self,
        name: str,
        type: Type,
        space: int,
        constant: bool,
        init: Value | None,
        linkage: str,
        align: int,
        flags: frozenset[str],
        offset: int,
        metadata: dict[str, Any],
    ) -> None:
        self.name, self.type, self.space, self.constant = name, type, space, constant
        self.init, self.linkage, self.align, self.flags, self.offset = init, linkage, align, flags, offset
        self.metadata = metadata


class Alias:
    """@name = alias type, aliasee."""

    def __init__(self, name: str, type: Type, target: Value, linkage: str = "") -> None:
        self.name, self.type, self.target, self.linkage = name, type, target, linkage


class Function:
    """A function; `blocks` empty means a declaration. `attributes` merges its attribute groups."""

    def __init__(
        self,
        name: str,
        type: Type,
        args: list[Argument],
        linkage: str,
        cc: str,
        attributes: dict[str, Any],
        result_attributes: dict[str, Any],
        metadata: dict[str, Any],
        offset: int,
    ) -> None:
        self.name, self.type, self.args = name, type, args
        self.blocks: list[Block] = []
        self.linkage = linkage
        self.cc = cc
        """Calling convention: "ptx_kernel", "ptx_device", ""."""
        self.attributes = attributes
        self.result_attributes = result_attributes
        self.metadata = metadata
        self.offset = offset
        self.declares: list[tuple[Value, Any]] = []
        """Debug records: where a variable lies, and the reference to its DILocalVariable."""

    @property
    def result(self) -> Type:
        return self.type.elements[0]

    def instructions(self) -> Iterator[Inst]:
        """All instructions in order."""
        for block in self.blocks:
            yield from block.insts


class Module:
    """One module. `text` is what was parsed; offsets of instructions point into it."""

    def __init__(self, text: str, name: str, datalayout: str = "", triple: str = "") -> None:
        self.text, self.name, self.datalayout, self.triple = text, name, datalayout, triple
        self.variables: dict[str, GlobalVariable] = {}
        self.functions: dict[str, Function] = {}
        self.aliases: dict[str, Alias] = {}
        self.metadata: dict[int, Node] = {}
        self.named_metadata: dict[str, list[Any]] = {}
        self.asm: list[str] = []
        """module asm lines."""

    def node(self, ref: object) -> Node | None:
        """The node behind a reference; None for null."""
        if isinstance(ref, MdRef):
            return self.metadata.get(ref.number)
        return ref if isinstance(ref, Node) else None

    def fpmath(self, inst: Inst) -> float:
        """Permitted error in ulp from !fpmath; 0 where there is none."""
        node = self.node(inst.metadata.get("fpmath"))
        if node is not None and node.items and isinstance(node.items[0], ConstFloat):
            return float_of(node.items[0].bits, 32)
        return 0.0
