"""LLVM IR as objects: what our reader makes of printed IR and what isel walks.

Types are interned (compare with `is`). Every operand is a `Value`; instructions are one class with an opcode name, the
operands in LLVM's order, and the few fields that some opcodes have.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import attrs


@attrs.frozen(eq=False, repr=False)
class Type:
    """A type. `kind` is one of: void, int, half, bfloat, float, double, fp128, ptr, array, vector, struct, function,
    label, metadata, token, opaque. `bits` is the width of scalars (0 where the data layout decides, i.e. pointers)."""

    kind: str
    bits: int = 0
    space: int = 0
    """Address space of a pointer."""
    count: int = 0
    """Elements of an array or vector."""
    elements: tuple[Type, ...] = ()
    """Element (array, vector), fields (struct), or result and parameters (function)."""
    packed: bool = False
    vararg: bool = False
    name: str = ""

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


@attrs.define(eq=False, repr=False)
class Value:
    """Anything an instruction can use."""

    type: Type


@attrs.define(eq=False, repr=False)
class ConstInt(Value):
    """Integer constant; `value` is unsigned, below 2**bits."""

    value: int


@attrs.define(eq=False, repr=False)
class ConstFloat(Value):
    """Floating constant by its own bits (16, 32 or 64)."""

    bits: int


@attrs.define(eq=False, repr=False)
class Zero(Value):
    """`zeroinitializer` and `null`."""


@attrs.define(eq=False, repr=False)
class Undef(Value):
    """`undef` and `poison`."""

    poison: bool = False


@attrs.define(eq=False, repr=False)
class ConstAggregate(Value):
    """Constant array, vector or struct."""

    items: list[Value]


@attrs.define(eq=False, repr=False)
class ConstBytes(Value):
    """c"..." """

    data: bytes


@attrs.define(eq=False, repr=False)
class ConstExpr(Value):
    """Constant expression: `op` (getelementptr, addrspacecast, bitcast, ptrtoint, inttoptr, trunc, add, sub, xor, ...)
    over `args`; `source` is the GEP's source element type."""

    op: str
    args: list[Value]
    source: Type | None = None


@attrs.define(eq=False, repr=False)
class Global(Value):
    """Reference to a global variable or function by name (without @). The object is in `Module.globals`."""

    name: str


@attrs.define(eq=False, repr=False)
class InlineAsm(Value):
    """`asm sideeffect "text", "constraints"` as a callee."""

    text: str
    constraints: str
    flags: tuple[str, ...] = ()


@attrs.define(eq=False, repr=False)
class MetadataValue(Value):
    """Metadata as a call argument; `value` is a Node, a Value, or a string."""

    value: Any


@attrs.define(eq=False, repr=False)
class Argument(Value):
    """A formal parameter. `attributes` maps names to values: {"byval": Type, "align": 4, "noalias": True}."""

    name: str
    index: int
    attributes: dict[str, Any]


@attrs.define(eq=False, repr=False)
class Node:
    """Metadata node: `kind` is "" for a tuple, else the specialised name ("DILocation"). Tuples keep `items`,
    specialised nodes `fields`. References to other nodes are `MdRef`."""

    kind: str = ""
    distinct: bool = False
    items: list[Any] = attrs.field(factory=list)
    fields: dict[str, Any] = attrs.field(factory=dict)


@attrs.frozen(repr=False)
class MdRef:
    """`!12`: resolve with `Module.metadata`."""

    number: int


@attrs.define(eq=False, repr=False)
class Inst(Value):
    """An instruction. Also the value it defines (type void if none).

    args:   operands in LLVM's printed order (branch condition, switch value, phi values, call arguments, ...)
    blocks: br/switch/indirectbr destinations, phi incoming blocks, in order
    """

    op: str
    args: list[Value]
    name: str = ""
    flags: frozenset[str] = frozenset()
    """nsw, nuw, exact, disjoint, nneg, inbounds, fast-math flags, volatile, atomic, weak, tail kinds, samesign."""
    pred: str = ""
    """icmp/fcmp predicate, atomicrmw operation."""
    blocks: list[Block] = attrs.field(factory=list)
    source: Type | None = None
    """GEP source element type, alloca's type, the callee's function type."""
    align: int = 0
    order: tuple[str, ...] = ()
    """Atomic orderings (two for cmpxchg)."""
    scope: str = ""
    """syncscope."""
    indices: tuple[int, ...] = ()
    """extractvalue/insertvalue indices, shufflevector mask (-1 is poison)."""
    callee: Value | None = None
    attributes: dict[str, Any] = attrs.field(factory=dict)
    """Function attributes of a call site, and "args": list of per-argument attribute dictionaries."""
    cases: list[int] = attrs.field(factory=list)
    """switch case values, for blocks[1:]."""
    metadata: dict[str, Any] = attrs.field(factory=dict)
    """Attached metadata: {"dbg": MdRef, "invariant.load": MdRef, "range": ...}."""
    parent: Block | None = None
    offset: int = 0
    """Character offset in the IR text, for diagnostics."""


@attrs.define(eq=False, repr=False)
class Block:
    """A basic block; the last instruction is the terminator."""

    name: str
    insts: list[Inst] = attrs.field(factory=list)
    index: int = 0

    @property
    def terminator(self) -> Inst:
        return self.insts[-1]

    @property
    def successors(self) -> list[Block]:
        """Distinct successor blocks in order."""
        return list(dict.fromkeys(self.insts[-1].blocks))


@attrs.define(eq=False, repr=False)
class GlobalVariable:
    """@name = linkage ... global/constant type init."""

    name: str
    type: Type
    space: int
    constant: bool
    init: Value | None
    linkage: str = ""
    align: int = 0
    flags: frozenset[str] = frozenset()
    offset: int = 0
    metadata: dict[str, Any] = attrs.field(factory=dict)


@attrs.define(eq=False, repr=False)
class Alias:
    """@name = alias type, aliasee."""

    name: str
    type: Type
    target: Value
    linkage: str = ""


@attrs.define(eq=False, repr=False)
class Function:
    """A function; `blocks` empty means a declaration. `attributes` merges its attribute groups."""

    name: str
    type: Type
    args: list[Argument]
    blocks: list[Block] = attrs.field(factory=list)
    linkage: str = ""
    cc: str = ""
    """Calling convention: "ptx_kernel", "ptx_device", ""."""
    attributes: dict[str, Any] = attrs.field(factory=dict)
    result_attributes: dict[str, Any] = attrs.field(factory=dict)
    metadata: dict[str, Any] = attrs.field(factory=dict)
    offset: int = 0
    declares: list[tuple[Value, Any]] = attrs.field(factory=list)
    """Debug records: where a variable lies, and the reference to its DILocalVariable."""

    @property
    def result(self) -> Type:
        return self.type.elements[0]

    def instructions(self) -> Iterator[Inst]:
        """All instructions in order."""
        for block in self.blocks:
            yield from block.insts


@attrs.define(eq=False, repr=False)
class Module:
    """One module. `text` is what was parsed; offsets of instructions point into it."""

    text: str
    name: str
    datalayout: str = ""
    triple: str = ""
    variables: dict[str, GlobalVariable] = attrs.field(factory=dict)
    functions: dict[str, Function] = attrs.field(factory=dict)
    aliases: dict[str, Alias] = attrs.field(factory=dict)
    metadata: dict[int, Node] = attrs.field(factory=dict)
    named_metadata: dict[str, list[Any]] = attrs.field(factory=dict)
    asm: list[str] = attrs.field(factory=list)
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
            import struct

            value: float = struct.unpack("<f", struct.pack("<I", node.items[0].bits))[0]
            return value
        return 0.0
