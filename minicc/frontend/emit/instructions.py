"""The instructions of one function as text: blocks, memory, copies of aggregates.

Local variables live in allocas of the entry block; LLVM makes registers of them.
"""

from __future__ import annotations

from minicc.diagnostics import CompileError, Diagnostic
from minicc.frontend import ast
from minicc.frontend.emit import layout
from minicc.frontend.emit.lifetimes import Living
from minicc.frontend.emit.module import Module
from minicc.frontend.sema import arithmetic
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Type
from minicc.numbers import align_at, signed

NAMED = 200
"""Characters of a variable's name that its LLVM values have: LLVM cuts what is longer than 1,024, numbers first."""
_WIDEST = 16
"""Bytes of the widest access: what of the local memory's arrays is cleared or copied goes by it."""


def _widest(size: int) -> int:
    """Bytes of the widest access that is no longer than a place of so many."""
    return min(_WIDEST, 1 << max(size.bit_length() - 1, 0))


class Instructions:
    """Emits the instructions of one function."""

    def __init__(self, module: Module, function: ast.Function) -> None:
        self.module, self.function = module, function
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.printed = 0
        """Bytes of the arguments of the largest printf, which all have one buffer."""
        self.slots: dict[int, str] = {}
        """Variable to the operand that is its address."""
        self.count = 0
        self.dead = False
        """The last instruction was a terminator."""
        self.block = "entry"
        self.scope = ""
        self.place = ""
        """`, !dbg !n` for the instructions being emitted."""
        self.flags = ""
        """Fast-math flags of arithmetic: ` contract` under -fmad."""
        self.result = ""
        """Address for a returned aggregate."""
        self.temporaries: list[Living] = []
        """Objects that end with the full expression."""
        self.conditional = 0
        """Above zero in an operand that may not be evaluated."""

    # -- instructions

    def emit(self, text: str) -> None:
        if self.dead:
            self.begin(self.label("dead"))
        self.lines.append(f"  {text}{self.place}")

    def make(self, text: str) -> str:
        """Emit an instruction with a result."""
        self.count += 1
        name = f"%v{self.count}"
        self.emit(f"{name} = {text}")
        return name

    def label(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def begin(self, label: str) -> None:
        """Start a block; falls through from the last one."""
        if not self.dead:
            self.lines.append(f"  br label %{label}{self.place}")
        self.lines.append(f"{label}:")
        self.block, self.dead = label, False

    def jump(self, label: str, extra: str = "") -> None:
        if not self.dead:
            self.emit(f"br label %{label}{extra}")
            self.dead = True

    def alloca(self, t: Type, align: int = 0, name: str = "", copied: bool = False) -> str:
        """A place in the frame. One that is filled with a copy is aligned no more than what it is copied from may be:
        LLVM reads a parameter itself, and not its copy, if that is aligned as the copy is."""
        self.count += 1
        slot = f"%{name[:NAMED] or 't'}.{self.count}"
        align = max(align, t.align, _widest(t.size) if t.aggregate and not copied else 0)
        self.allocas.append(f"  {slot} = alloca {t.llvm}, align {align}")
        return slot

    def at(self, token: Token) -> None:
        if self.scope:
            assert self.module.debug is not None
            self.place = f", !dbg {self.module.debug.location(token, self.scope)}"

    def internal(self, message: str, at: Token) -> CompileError:
        return CompileError(Diagnostic("error", "frontend.unsupported", message, at.span))

    def intrinsic(self, name: str, result: str, args: list[tuple[str, str]], attributes: str = "") -> str:
        """Call an LLVM intrinsic with (type, operand) arguments."""
        self.module.declare(name, f"{result} ({', '.join(t for t, _ in args)})")
        call = f"call {attributes}{result} @{name}({', '.join(f'{t} {v}' for t, v in args)})"
        if result == "void":
            self.emit(call)
            return ""
        return self.make(call)

    @property
    def ftz(self) -> str:
        return ".ftz" if self.module.options.flush else ""

    # -- memory

    def load(self, t: Type, address: str, align: int) -> str:
        volatile = "volatile " if t.volatile else ""
        if t.truth:
            self.module.truth = self.module.truth or self.module.node("!{i8 0, i8 2}")
            byte = self.make(f"load {volatile}i8, ptr {address}, align {align}, !range {self.module.truth}")
            return self.make(f"trunc nuw i8 {byte} to i1")
        return self.make(f"load {volatile}{t.llvm}, ptr {address}, align {align}")

    def store(self, t: Type, operand: str, address: str, align: int, volatile: bool = False) -> None:
        text = "volatile " if t.volatile or volatile else ""
        if t.truth:
            if operand in ("true", "false"):
                operand = "1" if operand == "true" else "0"
            else:
                operand = self.make(f"zext i1 {operand} to i8")
        self.emit(f"store {text}{t.llvm} {operand}, ptr {address}, align {align}")

    def offset(self, address: str, by: int) -> str:
        return address if by == 0 else self.make(f"getelementptr inbounds nuw i8, ptr {address}, i64 {by}")

    def copy(self, t: Type, source: str, source_align: int, target: str, target_align: int) -> None:
        """Copy an aggregate; all of it is read before any is written, so the two may be one."""
        if source == target and not t.volatile:
            return
        parts = layout.few_leaves(t)
        if parts is None or (layout.indexed(t) and not t.volatile):
            self.module.declare(
                "llvm.memcpy.p0.p0.i64",
                "void (ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)",
            )
            self.emit(
                f"call void @llvm.memcpy.p0.p0.i64(ptr align {target_align} {target}, ptr align {source_align} {source}, i64 {layout.data_size(t)}, i1 false)"  # noqa: E501
            )
            return
        volatile = "volatile " if t.volatile else ""
        values = [
            self.make(f"load {volatile}{leaf.llvm}, ptr {self.offset(source, at)}, align {align_at(source_align, at)}")
            for at, leaf in parts
        ]
        for (at, leaf), value in zip(parts, values, strict=True):
            where = self.offset(target, at)
            self.emit(f"store {volatile}{leaf.llvm} {value}, ptr {where}, align {align_at(target_align, at)}")

    def zero(self, t: Type, target: str, align: int) -> None:
        parts = layout.few_leaves(t)
        if parts is None:
            self.module.declare("llvm.memset.p0.i64", "void (ptr writeonly captures(none), i8, i64, i1 immarg)")
            self.emit(f"call void @llvm.memset.p0.i64(ptr align {align} {target}, i8 0, i64 {t.size}, i1 false)")
            return
        for at, leaf in parts:
            where = self.offset(target, at)
            self.emit(f"store {leaf.llvm} {layout.memory_number(leaf, 0)}, ptr {where}, align {align_at(align, at)}")

    # -- bit-fields

    def load_bits(self, field: Field, address: str, align: int, volatile: bool = False) -> str:
        t = field.type
        bits, width, low = (field.unit or t.size) * 8, field.bit_width, field.bit_offset
        llvm = f"i{bits}"
        out = self.make(f"load {'volatile ' * volatile}{llvm}, ptr {address}, align {align}")
        if arithmetic.is_signed(t):
            up = self.make(f"shl {llvm} {out}, {bits - width - low}") if bits - width - low else out
            out = self.make(f"ashr {llvm} {up}, {bits - width}") if bits - width else up
        else:
            down = self.make(f"lshr {llvm} {out}, {low}") if low else out
            out = self.make(f"and {llvm} {down}, {(1 << width) - 1}") if width < bits else down
        if bits != t.size * 8:
            word = "trunc" if bits > t.size * 8 else "sext" if arithmetic.is_signed(t) else "zext"
            out = self.make(f"{word} {llvm} {out} to {t.llvm}")
        return self.make(f"icmp ne i8 {out}, 0") if t.truth else out

    def store_bits(self, field: Field, operand: str, address: str, align: int, volatile: bool = False) -> None:
        t = field.type
        bits = (field.unit or t.size) * 8
        llvm = f"i{bits}"
        if t.truth:
            operand = self.make(f"zext i1 {operand} to i8")
        if bits != t.size * 8:
            operand = self.make(f"{'trunc' if bits < t.size * 8 else 'zext'} {t.llvm} {operand} to {llvm}")
        mask = (1 << field.bit_width) - 1
        old = self.make(f"load {'volatile ' * volatile}{llvm}, ptr {address}, align {align}")
        keep = self.make(f"and {llvm} {old}, {signed(~(mask << field.bit_offset), bits)}")
        new = self.make(f"and {llvm} {operand}, {signed(mask, bits)}")
        new = self.make(f"shl {llvm} {new}, {field.bit_offset}") if field.bit_offset else new
        both = self.make(f"or {llvm} {keep}, {new}")
        self.emit(f"store {'volatile ' * volatile}{llvm} {both}, ptr {address}, align {align}")
