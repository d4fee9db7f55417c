"""The IR module: globals, declarations, attributes, metadata, and the queue of functions to emit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minicc.frontend import ast, mangle
from minicc.frontend import types as ty
from minicc.frontend.emit import layout
from minicc.frontend.emit.debug_types import escape
from minicc.frontend.options import Options
from minicc.frontend.sema import constant
from minicc.frontend.types import Type

if TYPE_CHECKING:
    from minicc.frontend.emit.debug import DebugInfo

TRIPLE = "nvptx64-nvidia-cuda"
DATA_LAYOUT = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
TOGETHER, ALONE, PRODUCTS = "#4", "#5", "#7"
"""Attribute groups of calls of inline PTX (see `asm_attributes`)."""
_OF_PRODUCTS = r"\s*(wmma|mma|ldmatrix)\."
_OF_A_WARP = r"\.(sync|aligned)\b|(?<![\w.%])(bar|barrier|vote|shfl|activemask|call)\b"
_SPACE = {"shared": 3, "dynamic": 3, "constant": 4, "device": 1, "static": 1, "member": 4, "host": 4}

PROVIDED = frozenset(("cudaGraphSetConditional", "cudaGraphKernelNodeSetEnabled", "cudaGraphKernelNodeSetParam"))
"""Functions of graphs that device code calls and the driver links, as it does malloc."""


class Module:
    def __init__(self, options: Options, name: str, host: bool = False) -> None:
        self.options, self.name, self.host = options, name, host
        """For tests: code for the machine that compiles, one address space, no kernels."""
        self.globals: list[str] = []
        self.declares: dict[str, str] = {}
        self.bodies: list[str] = []
        self.metadata: list[str] = []
        self.queue: list[ast.Function] = []
        self.symbols: dict[int, str] = {}
        self.taken: dict[str, object] = {}
        self.dynamic: dict[int, str] = {}
        """Of arrays whose size the launch says, by alignment: their symbol."""
        self.texts: dict[tuple[bytes, int], str] = {}
        self.constants = 0
        self.kernels = 0
        self.debug: DebugInfo | None = None
        self.subprogram = ""
        """With debug information: the node of the function that is being written."""
        self.invariant = ""
        self.truth = ""
        """The metadata node of bytes that are 0 or 1, once there is one."""
        self.tensor = False
        """nvcuda::wmma is used."""
        self.endless = False
        """Some loop's condition is always true."""
        self.recursive: set[int] = set()
        self.destructors = False
        """Some class has one."""

    def node(self, text: str) -> str:
        """A new metadata node; returns its reference."""
        self.metadata.append(text)
        return f"!{len(self.metadata) - 1}"

    def declare(self, name: str, signature: str) -> str:
        """Make sure that a declaration of `@name` exists: signature is `result (params) attributes`."""
        if name not in self.declares:
            result, _, rest = signature.partition(" (")
            self.declares[name] = f"declare {result} @{name}({rest}"
        return name

    # -- symbols

    def function_symbol(self, f: ast.Function) -> str:
        """The name of a function that is called; queues its body."""
        known = self.symbols.get(id(f))
        if known is not None:
            return known
        if f.body is None and f.name in PROVIDED and f.extern_c:
            self.symbols[id(f)] = f.name
            assert f.type.elem is not None
            return self.declare(f.name, f"{f.type.elem.llvm} ({', '.join(p.llvm for p in f.type.params)})")
        name = mangle.function(f)
        if f.library:
            name = f"__minicc_{f.name}" + ("" if f.name not in self.taken else f"_{len(self.taken)}")
        owner = self.taken.get(name)
        if owner is not None and owner is not f:
            name = f"{name}.{len(self.taken)}"
        self.taken[name] = f
        self.symbols[id(f)] = name
        self.queue.append(f)
        return name

    def variable_pointer(self, v: ast.Variable) -> tuple[str, int, int]:
        """(symbol, address space, alignment) of a variable with static storage, defining it if need be."""
        while v.defined is not None:
            v = v.defined
        space = 0 if self.host else _SPACE[v.storage]
        if v.storage == "static" and v.type.const and v.init is not None:
            space = 0 if self.host else 4
        align = max(v.align, v.type.align)
        known = self.symbols.get(id(v))
        if known is not None:
            return known, space, align
        name = mangle.variable(v)
        other = self.taken.get(name)
        if other is not None and v.storage != "dynamic" and not (isinstance(other, ast.Variable) and other.extern):
            name = f"{name}.{len(self.taken)}"
        if v.storage == "dynamic":
            # All begin where the launch's shared memory does; two symbols would be two objects to LLVM.
            name = self.dynamic.setdefault(max(align, 16), name)
        self.symbols[id(v)] = name
        if name in self.taken:
            return name, space, align
        self.taken[name] = v
        debug = ""
        if (
            self.debug is not None
            and self.debug.full
            and v.storage != "dynamic"
            and v.name
            and not (v.extern and v.init is None)
        ):
            debug = self.debug.static(v, name, self.subprogram if v.owner is not None else "")
        self.globals.append(self._define(v, name, space, align) + debug)
        return name, space, align

    def _define(self, v: ast.Variable, name: str, space: int, align: int) -> str:
        where = f" addrspace({space})" if space else ""
        symbol = f"@{quoted(name)}"
        if v.storage == "dynamic":
            return f"{symbol} = external{where} global {v.type.llvm}, align {max(align, 16)}"
        if v.storage == "shared":
            # Nothing lies between an array's parts, so an array that begins at 16 can be read 16 bytes at a time.
            wide = 16 if v.type.kind == "array" and v.type.size >= 64 else align
            return f"{symbol} = internal{where} global {v.type.llvm} undef, align {max(align, wide)}"
        if v.extern and v.init is None:
            return f"{symbol} = external{where} global {v.type.llvm}, align {align}"
        llvm, text = v.type.llvm, "zeroinitializer"
        if v.init is not None:
            parts: list[tuple[int, Type, str]] = []
            layout.static_parts(v.init, v.type, 0, parts, self.static_pointer)
            if v.type.aggregate:
                from minicc.frontend.emit import tables

                parts += tables.static_parts(self, v.type)
            llvm, text = layout.static_constant(v.type, parts)
        elif v.type.kind == "bool":
            llvm = "i8"
        # The host writes and reads what it can name, static or not, unless its value is fixed.
        shared = v.storage in ("device", "constant") and not (v.internal and v.type.const)
        internal = v.storage in ("static", "member", "host") or (v.internal and not self.host and not shared)
        linkage = "internal" if internal else ""
        external = "externally_initialized " if shared else ""
        kind = "constant" if v.type.const and (v.internal or v.storage in ("static", "member", "host")) else "global"
        return f"{symbol} = {linkage + ' ' if linkage else ''}{where.strip() + ' ' if where else ''}{external}{kind} {llvm} {text}, align {align}"  # noqa: E501

    def static_pointer(self, e: ast.Expr) -> str | None:
        """A pointer constant: the address of a variable with static storage, plus a constant; or null."""
        if constant.evaluate(e) == 0:
            return "null"
        if isinstance(e, ast.Cast) and e.kind == "convert":
            return self.static_pointer(e.operand) if e.operand.type.kind in ("pointer", "array") else None
        if isinstance(e, ast.FunctionAddress):
            return f"@{quoted(self.function_symbol(e.function))}"
        if isinstance(e, ast.Unary) and e.op == "+":
            return self.static_pointer(e.operand)
        if isinstance(e, ast.Call) and e.function.constexpr and e.function.body is not None and not e.args:
            # A lambda's conversion to a pointer, say.
            only = e.function.body.items[0] if len(e.function.body.items) == 1 else None
            return self.static_pointer(only.value) if isinstance(only, ast.Return) and only.value else None
        if isinstance(e, ast.Cast) and e.kind == "decay" and isinstance(e.operand, ast.Text):
            return self.text(e.operand.data, e.operand.type.align)
        place = self._static_value(e)
        if place is None:
            return None
        symbol, space, _ = self.variable_pointer(place[0])
        return self.generic(symbol, space, place[1])

    def _static_value(self, e: ast.Expr) -> tuple[ast.Variable, int] | None:
        """What a pointer that is known here points at: a variable, and bytes from its start."""
        if isinstance(e, ast.Cast) and e.kind == "convert":
            return self._static_value(e.operand) if e.operand.type.kind in ("pointer", "array") else None
        if isinstance(e, ast.Cast | ast.AddressOf):
            return self._static_place(e.operand)
        if isinstance(e, ast.Binary) and e.op in "+-" and e.left.type.kind == "pointer" and e.type.kind == "pointer":
            base, count = self._static_value(e.left), constant.evaluate(e.right)
            if base is None or not isinstance(count, int):
                return None
            step = count * (e.left.type.elem.size if e.left.type.elem else 1)
            return base[0], base[1] + (step if e.op == "+" else -step)
        return self._static_place(e) if e.type.kind == "array" else None

    def _static_place(self, e: ast.Expr) -> tuple[ast.Variable, int] | None:
        """Where an object that lies at a known place lies."""
        if isinstance(e, ast.Name):
            return (e.variable, 0) if e.variable.storage in ("device", "constant", "static") else None
        if isinstance(e, ast.Deref):
            return self._static_value(e.operand)
        if isinstance(e, ast.Member):
            base = self._static_place(e.base)
            return None if base is None else (base[0], base[1] + e.field.offset)
        return None

    def generic(self, symbol: str, space: int, offset: int = 0) -> str:
        symbol, kind = f"@{quoted(symbol)}", "ptr" if space == 0 else f"ptr addrspace({space})"
        if offset:
            symbol = f"getelementptr (i8, {kind} {symbol}, i64 {offset})"
        return symbol if space == 0 else f"addrspacecast ({kind} {symbol} to ptr)"

    def text(self, data: bytes, align: int = 1) -> str:
        """A generic pointer to a string constant, whose characters are `align` bytes wide."""
        name = self.texts.get((data, align))
        if name is None:
            name = self.texts[data, align] = f"$str{len(self.texts) or ''}"
            space = "" if self.host else " addrspace(1)"
            body = "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)
            self.globals.append(
                f'@"{name}" = private unnamed_addr{space} constant [{len(data)} x i8] c"{body}", align {align}'
            )
        return self.generic(name, 0 if self.host else 1)

    def table(self, v: ast.Variable) -> str | None:
        """A constant local array as a global constant; None if its values are not constant."""
        assert v.init is not None
        parts: list[tuple[int, Type, str]] = []
        if ty.destructors(v.type) or _changes(v.type):
            return None
        try:
            layout.static_parts(v.init, v.type, 0, parts, lambda e: None)
        except layout.NotStatic:
            return None
        llvm, text = layout.static_constant(v.type, parts)
        self.constants += 1
        name = f"__const.{v.owner.name if v.owner else ''}.{v.name}.{self.constants}"
        space = 0 if self.host else (4 if v.type.size <= 4096 else 1)
        where = f" addrspace({space})" if space else ""
        self.globals.append(
            f"@{name} = private unnamed_addr{where} constant {llvm} {text}, align {max(v.align, v.type.align)}"
        )
        return self.generic(name, space)

    # -- the whole text

    def render(self) -> str:
        options = self.options
        head = [f'source_filename = "{escape(self.name)}"']
        if not self.host:
            head += [f'target datalayout = "{DATA_LAYOUT}"', f'target triple = "{TRIPLE}"']
        math = ' "denormal-fp-math-f32"="preserve-sign"' if options.flush and not self.host else ""
        contract = ""
        cpu = "" if self.host else f' "target-cpu"="sm_{options.sm}"'
        progress = "" if self.endless else "mustprogress "
        common = f"convergent {progress}nounwind{contract}{cpu}{math}" if not self.host else f"{progress}nounwind"
        groups = [
            f"attributes #0 = {{ {common} norecurse }}",
            f"attributes #1 = {{ {common} alwaysinline }}",
            f"attributes #2 = {{ {common} noinline }}",
            f"attributes #3 = {{ {common} }}",
            f"attributes {TOGETHER} = {{ convergent nounwind }}",
            f"attributes {ALONE} = {{ nounwind }}",
            "attributes #6 = { noreturn nounwind }",
            f"attributes {PRODUCTS} = {{ convergent nounwind willreturn }}",
        ]
        named: list[str] = []
        if self.debug is not None:
            named += self.debug.finish()
        nodes = [f"!{i} = {text}" for i, text in enumerate(self.metadata)]
        parts = [
            *head,
            "",
            *self.globals,
            "",
            *self.bodies,
            *self.declares.values(),
            "",
            *groups,
            "",
            *named,
            *nodes,
            "",
        ]
        return "\n".join(parts)


def _changes(t: Type) -> bool:
    """A part of a constant object may change, or points to a virtual table."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    if t.record is None:
        return False
    return bool(t.record.tables) or any(f.mutable or _changes(f.type) for f in t.record.fields)


def quoted(name: str) -> str:
    """A symbol name as LLVM wants it after @."""
    return name if all(c.isalnum() or c in "_.$-" for c in name) else f'"{name}"'


def asm_attributes(text: str) -> str:
    """The attribute group of a call of inline PTX. What lanes of a warp, or warps of a block, do together stays where
    it is (convergent): LLVM would make it again on each side of a branch that some of them take. Products of matrices
    come to an end, too: only then can turns around them be counted."""
    if re.match(_OF_PRODUCTS, text):
        return PRODUCTS
    return TOGETHER if re.search(_OF_A_WARP, text) else ALONE
