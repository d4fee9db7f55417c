"""Expressions to instructions.

Scalars are operands (text); lvalues and aggregates are addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.emit import assignments, host_constants, layout, lifetimes, member_pointers, tables
from minicc.frontend.emit.instructions import Instructions
from minicc.frontend.emit.layout import number, value_type
from minicc.frontend.emit.lifetimes import Living
from minicc.frontend.emit.module import quoted
from minicc.frontend.sema import arithmetic, virtuals
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type
from minicc.numbers import align_at

_INT_OPS = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
_FLOAT_OPS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge"}
_RANGES = {
    "tid.x": "0, 1024", "tid.y": "0, 1024", "tid.z": "0, 64", "ntid.x": "1, 1025", "ntid.y": "1, 1025", "ntid.z": "1, 65",  # noqa: E501
    "ctaid.x": "0, 2147483647", "ctaid.y": "0, 65535", "ctaid.z": "0, 65535", "nctaid.x": "1, -2147483648",
    "nctaid.y": "1, 65536", "nctaid.z": "1, 65536",
}  # fmt: skip


class Values(Instructions):
    # -- lvalues and aggregates

    def address(self, e: ast.Expr) -> tuple[str, int]:
        """(pointer, alignment) of an lvalue, or of an aggregate value put in memory."""
        if isinstance(e, ast.Name):
            return self.variable_address(e.variable, e.at)
        if isinstance(e, ast.Deref):
            assert e.operand.type.elem is not None
            return self.value(e.operand), max(1, e.type.align)
        if isinstance(e, ast.Member):
            base, align = self.address(e.base)
            return self.offset(base, e.field.offset), align_at(align, e.field.offset)
        if isinstance(e, ast.Cast) and e.kind in ("relabel", "move"):
            base, align = self.address(e.operand)
            shift = base_shift(e.operand.type.bare, e.type.bare)
            if shift:
                return self.make(f"getelementptr inbounds i8, ptr {base}, i64 {shift}"), align_at(align, shift)
            return base, min(align, e.type.align) if not e.type.aggregate else align
        if isinstance(e, ast.Text):
            return self.module.text(e.data, e.type.align), e.type.align
        if isinstance(e, ast.Temporary):
            return self.temporary(e.type, e.operand, id(e)), e.type.align
        if e.lvalue:
            if isinstance(e, ast.Assign) and e.type.aggregate:
                return assignments.of_aggregate(self, e)
            if isinstance(e, ast.Assign | ast.CompoundAssign | ast.Step):
                _, _, place = assignments.changed(self, e)
                return place
            if isinstance(e, ast.Comma):
                self.effect(e.left)
                return self.address(e.right)
            if isinstance(e, ast.Conditional):
                return self._conditional_address(e), max(1, e.type.align)
            if isinstance(e, ast.Call):
                return self.call(e, ""), max(1, e.type.align)
            if isinstance(e, ast.IndirectCall):
                return self.indirect_call(e, ""), max(1, e.type.align)
        return self.temporary(e.type, e), e.type.align

    def temporary(self, t: Type, e: ast.Expr, made: int = 0) -> str:
        """The value of `e` in memory, for as long as the full expression lasts; `made`: as `Living` has it."""
        slot = self.alloca(t, copied=e.lvalue)
        self.initialise(t, e, slot, t.align)
        ends = ty.destructors(t)
        if ends:
            flag = ""
            if self.conditional:
                flag = self.alloca(ty.BOOL)
                self.allocas.append(f"  store i8 0, ptr {flag}, align 1")
                self.emit(f"store i8 1, ptr {flag}, align 1")
            self.temporaries.append(Living(slot, ends, flag, made))
        return slot

    def end_temporaries(self, down_to: int, kept: set[int] | None = None) -> None:
        """The end of a full expression that began with `down_to` temporaries alive, for all but those `kept`."""
        ending = [x for x in self.temporaries[down_to:] if kept is None or x.made not in kept]
        self.temporaries[down_to:] = [x for x in self.temporaries[down_to:] if x not in ending]
        if not self.dead:
            for living in ending[::-1]:
                self.end(living)

    def end(self, living: Living) -> None:
        """Run the destructors of an object, if there is one."""
        if not living.flag:
            self.destroy(living.address, living.ends)
            return
        made, done = self.label("made"), self.label("ended")
        here = self.make(f"load i8, ptr {living.flag}, align 1")
        there = self.make(f"icmp ne i8 {here}, 0")
        self.emit(f"br i1 {there}, label %{made}, label %{done}")
        self.dead = True
        self.begin(made)
        self.destroy(living.address, living.ends)
        self.emit(f"store i8 0, ptr {living.flag}, align 1")
        self.begin(done)

    def variable_address(self, v: ast.Variable, at: Token) -> tuple[str, int]:
        slot = self.slots.get(id(v))
        if slot is not None:
            t = v.type.elem if v.type.kind == "reference" else v.type
            assert t is not None
            return slot, max(v.align, t.align)
        if v.storage in ("host", "member") and v.value is not None and v.type.scalar:
            slot = self.alloca(v.type)
            self.store(v.type.bare, number(v.type, v.value), slot, v.type.align)
            return slot, v.type.align
        if v.storage == "special":
            slot = self.alloca(v.type)
            self.special(v, slot)
            return slot, v.type.align
        if v.storage in ("local", "reference", "param", "alias"):
            # Declared in code that was never emitted (after a return, say).
            slot = self.slots[id(v)] = self.alloca(v.type if v.type.kind != "reference" else ty.ULONG, v.align)
            return slot, v.type.align
        if (
            (v.storage == "host" or (v.storage == "member" and v.type.kind == "array"))
            and v.type.aggregate
            and not self.module.host
            and v.scope is not None
            and v.owner is None
        ):
            raise self.internal(f'identifier "{v.name}" is undefined in device code', at)
        try:
            symbol, space, align = self.module.variable_pointer(v)
        except layout.NotStatic:
            raise self.internal(
                f"dynamic initialization is not supported for variable '{v.name}' with static storage", v.at
            ) from None
        if v.type.kind == "reference":
            return self.make(f"load ptr, ptr {self.module.generic(symbol, space)}, align 8"), 1
        return self.module.generic(symbol, space), align

    def special(self, v: ast.Variable, target: str) -> None:
        for i, axis in enumerate("xyz"):
            value = self.special_register(f"{v.symbol}.{axis}")
            self.emit(f"store i32 {value}, ptr {self.offset(target, 4 * i)}, align 4")

    def special_register(self, name: str) -> str:
        if name == "warpsize":
            return "32"
        limits = _RANGES.get(name)
        attribute = f"noundef range(i32 {limits}) " if limits else ""
        return self.intrinsic(f"llvm.nvvm.read.ptx.sreg.{name}", "i32", [], attribute)

    def _conditional_address(self, e: ast.Conditional) -> str:
        yes, no, end = self.label("cond.yes"), self.label("cond.no"), self.label("cond.end")
        self.branch(e.condition, yes, no)
        self.conditional += 1
        self.begin(yes)
        a, _ = self.address(e.yes)
        from_yes = self.leave(end)
        self.begin(no)
        b, _ = self.address(e.no)
        self.conditional -= 1
        from_no = self.leave(end)
        self.begin(end)
        return self.make(f"phi ptr [ {a}, %{from_yes} ], [ {b}, %{from_no} ]")

    def leave(self, label: str) -> str:
        """Jump on; returns the block left, for a phi."""
        if self.dead:
            self.begin(self.label("dead"))
        here = self.block
        self.jump(label)
        return here

    def initialise(self, t: Type, e: ast.Expr, target: str, align: int) -> None:
        """Put the value of `e` into the object of type `t` at `target`."""
        if t.kind == "reference":
            self.emit(f"store ptr {self.address(e)[0]}, ptr {target}, align 8")
            return
        if not t.aggregate:
            self.store(ty.qualified(t.bare, t.quals & ty.VOLATILE), self.value(e), target, align)
            return
        if isinstance(e, ast.Init):
            self._lay(t, e, target, align)
        elif isinstance(e, ast.Zero):
            self.zero(t, target, align)
        elif isinstance(e, ast.Text) and t.kind == "array":
            self._lay_text(t, e, target, align)
        elif isinstance(e, ast.Construct):
            self.construct(e, target)
        elif isinstance(e, ast.Call) and not e.lvalue:
            self.call(e, target)
        elif isinstance(e, ast.IndirectCall) and not e.lvalue:
            self.indirect_call(e, target)
        elif isinstance(e, ast.Conditional) and not e.lvalue:
            yes, no, end = self.label("cond.yes"), self.label("cond.no"), self.label("cond.end")
            self.branch(e.condition, yes, no)
            self.conditional += 1
            self.begin(yes)
            self.initialise(t, e.yes, target, align)
            self.jump(end)
            self.begin(no)
            self.initialise(t, e.no, target, align)
            self.conditional -= 1
            self.begin(end)
        elif isinstance(e, ast.Comma) and not e.lvalue:
            self.effect(e.left)
            self.initialise(t, e.right, target, align)
        elif isinstance(e, ast.BuiltinCall):
            self.builtin_aggregate(e, target, align)
        elif isinstance(e, ast.StatementExpression):
            self.statement_expression(e, target)
        elif isinstance(e, ast.Cast) and not e.lvalue and e.operand.type.bare is t.bare:
            self.initialise(t, e.operand, target, align)
        elif isinstance(e, ast.Name) and e.variable.storage == "special":
            self.special(e.variable, target)
        else:
            source, source_align = self.address(e)
            self.copy(ty.qualified(t, e.type.quals & ty.VOLATILE), source, source_align, target, align)
            self.set_tables(t, target)

    def set_tables(self, t: Type, target: str) -> None:
        """Point an object of class `t` to its virtual tables: what it was copied from may have been of another."""
        if t.record is not None and t.record.tables:
            for at, table in tables.pointers(self.module, t):
                self.emit(f"store ptr {table}, ptr {self.offset(target, at)}, align 8")

    def _lay(self, t: Type, e: ast.Init, target: str, align: int) -> None:
        covered = sum(
            part.type.size
            for _, field, part in e.parts
            if field is None and (part.type.record is None or part.type.record.fields)
        )
        wanted = sum(leaf.size for _, leaf in layout.leaves(t)) if t.size <= 4096 else t.size
        if covered < wanted:
            self.zero(t, target, align)
        mark, kept = len(self.temporaries), lifetimes.kept(e) if self.module.destructors else set()
        for at, field, part in e.parts:
            where = self.offset(target, at)
            if isinstance(part, ast.Here):
                self.slots[id(part.variable)] = where
            elif field is not None and field.bit_width:
                self.store_bits(field, self.value(part), where, align_at(align, at))
            elif not (covered < wanted and isinstance(part, ast.Zero)):
                self.initialise(
                    part.type.bare if not part.lvalue else ty.unqualified(part.type), part, where, align_at(align, at)
                )
            if len(self.temporaries) > mark:
                # Each clause is a full expression, as nvcc takes it.
                self.end_temporaries(mark, kept)
        self.set_tables(t, target)

    def _lay_text(self, t: Type, e: ast.Text, target: str, align: int) -> None:
        data = e.data[: t.size].ljust(t.size, b"\0")
        source = self.module.text(data, e.type.align)
        self.copy(t, source, e.type.align, target, align)

    # -- scalars

    def value(self, e: ast.Expr) -> str:
        """The operand of a scalar expression."""
        return _VALUES[type(e)](self, e)

    def effect(self, e: ast.Expr) -> None:
        """Evaluate for what it does."""
        if isinstance(e, ast.Comma):
            self.effect(e.left)
            self.effect(e.right)
        elif e.type.kind == "void" or (isinstance(e, ast.Cast) and e.kind == "void"):
            self.value(e)
        elif isinstance(e, ast.Assign | ast.CompoundAssign | ast.Step):
            self.value(e) if not e.type.aggregate else self.address(e)
        elif e.type.aggregate or (isinstance(e, ast.Call | ast.IndirectCall) and e.lvalue):
            if not isinstance(e, ast.Name):
                self.address(e)
        elif not isinstance(e, ast.Name | ast.Number) or e.type.volatile:
            self.value(e)

    def _number(self, e: ast.Number) -> str:
        return number(e.type, e.value)

    def _zero(self, e: ast.Zero) -> str:
        return number(e.type, -1 if e.type.kind == "member" and e.type.size == 8 else 0)

    def _name(self, e: ast.Name) -> str:
        v = e.variable
        if v.value is not None and v.type.scalar and v.type.kind != "pointer":
            return number(e.type, v.value)
        if v.storage == "special":
            return self.special_register(v.symbol)
        address, align = self.variable_address(v, e.at)
        return self.load(e.type, address, align)

    def _loaded(self, e: ast.Expr) -> str:
        if not isinstance(e, ast.Deref) and (known := host_constants.part(self, e)):
            return known
        address, align = self.address(e)
        return self.load(e.type, address, align)

    def _member(self, e: ast.Member) -> str:
        base = e.base
        if isinstance(base, ast.Name) and base.variable.storage == "special":
            return self.special_register(f"{base.variable.symbol}.{e.field.name}")
        if known := host_constants.part(self, e):
            return known
        address, align = self.address(e)
        if e.field.bit_width:
            return self.load_bits(e.field, address, align, e.type.volatile)
        return self.load(e.type, address, align)

    def _unary(self, e: ast.Unary) -> str:
        operand = self.value(e.operand)
        t = e.type
        if e.op == "!":
            return self.make(f"xor i1 {operand}, true")
        if e.op == "~":
            return self.make(f"xor {t.llvm} {operand}, -1")
        if t.kind == "float":
            return self.make(f"fneg{self.flags} {t.llvm} {operand}")
        return self.make(f"sub {'nsw ' if t.signed else ''}{t.llvm} 0, {operand}")

    def _binary(self, e: ast.Binary) -> str:
        self.at(e.at)
        a, b = e.left.type.bare, e.right.type.bare
        left = self.value(e.left)
        right = self.value(e.right)
        self.at(e.at)
        if e.op in _COMPARE:
            return self.compare(e.op, left, right, a)
        if a.kind == "pointer":
            if b.kind == "pointer":
                return self._difference(left, right, a)
            return self.pointer_step(a, left, right, b, e.op == "-")
        return self.arithmetic(e.op, left, right, e.type, b)

    def compare(self, op: str, left: str, right: str, t: Type) -> str:
        word = _COMPARE[op]
        if t.kind == "float":
            return self.make(f"fcmp {'une' if op == '!=' else 'o' + word}{self.fast_compare} {t.llvm} {left}, {right}")
        if op not in ("==", "!="):
            word = ("s" if arithmetic.is_signed(t) and t.kind != "pointer" else "u") + word
        return self.make(f"icmp {word} {value_type(t)} {left}, {right}")

    fast_compare: str = ""

    def arithmetic(self, op: str, left: str, right: str, t: Type, right_type: Type) -> str:
        if t.kind == "float":
            if op == "/" and t.size == 4 and not self.module.options.exact_div and not self.module.host:
                return self.fast_divide(left, right)
            return self.make(f"{_FLOAT_OPS[op]}{self.flags} {t.llvm} {left}, {right}")
        llvm = t.llvm
        if op in ("<<", ">>"):
            if right.lstrip("-").isdigit() and not 0 <= int(right) < t.bits:  # poison to LLVM; PTX clamps
                if op == "<<" or not t.signed:
                    return "0"
                right, right_type = str(t.bits - 1), t
            right = (
                self.convert(right, right_type.bare, {4: ty.UINT, 8: ty.ULONG, 16: ty.UINT128}[t.size])
                if right_type.size != t.size
                else right
            )
            if op == "<<":
                return self.make(f"shl {llvm} {left}, {right}")
            return self.make(f"{'ashr' if t.signed else 'lshr'} {llvm} {left}, {right}")
        if op in "/%":
            word = ("s" if t.signed else "u") + ("div" if op == "/" else "rem")
            if right.startswith("%"):  # else a way on which it has no value is none to LLVM
                right = self.make(f"freeze {llvm} {right}")
            return self.make(f"{word} {llvm} {left}, {right}")
        wrap = " nsw" if t.signed and op in "+-*" else ""
        return self.make(f"{_INT_OPS[op]}{wrap} {llvm} {left}, {right}")

    def fast_divide(self, left: str, right: str) -> str:
        if left == "0x3FF0000000000000" and self.module.options.fast_math:
            return self.intrinsic("llvm.nvvm.rcp.approx.ftz.f", "float", [("float", right)])
        name = f"llvm.nvvm.div.approx{self.ftz}.f" if self.module.options.fast_math else f"llvm.nvvm.div.full{self.ftz}"
        return self.intrinsic(name, "float", [("float", left), ("float", right)])

    def pointer_step(self, t: Type, base: str, index: str, index_type: Type, negative: bool) -> str:
        assert t.elem is not None
        if index_type.size < 8 and not index.lstrip("-").isdigit():
            index = self.make(
                f"{'sext' if arithmetic.is_signed(index_type) else 'zext'} {index_type.llvm} {index} to i64"
            )
        elif index.lstrip("-").isdigit() and not arithmetic.is_signed(index_type) and index.startswith("-"):
            index = str(int(index) % (1 << index_type.bits))
        elif index_type.size > 8 and not index.lstrip("-").isdigit():
            index = self.make(f"trunc {index_type.llvm} {index} to i64")
        if negative:
            index = str(-int(index)) if index.lstrip("-").isdigit() else self.make(f"sub i64 0, {index}")
        if index == "0":
            return base
        return self.make(f"getelementptr inbounds {t.elem.step}, ptr {base}, i64 {index}")

    def _difference(self, left: str, right: str, t: Type) -> str:
        assert t.elem is not None
        a = self.make(f"ptrtoint ptr {left} to i64")
        b = self.make(f"ptrtoint ptr {right} to i64")
        bytes_ = self.make(f"sub i64 {a}, {b}")
        return bytes_ if t.elem.size == 1 else self.make(f"sdiv exact i64 {bytes_}, {t.elem.size}")

    def _logical(self, e: ast.Logical) -> str:
        rest, end = self.label("and.rhs" if e.op == "&&" else "or.rhs"), self.label("end")
        left = self.value(e.left)
        if self.dead:
            self.begin(self.label("dead"))
        from_left = self.block
        self.emit(
            f"br i1 {left}, label %{rest}, label %{end}"
            if e.op == "&&"
            else f"br i1 {left}, label %{end}, label %{rest}"
        )
        self.dead = True
        self.begin(rest)
        self.conditional += 1
        right = self.value(e.right)
        self.conditional -= 1
        from_right = self.leave(end)
        self.begin(end)
        short = "false" if e.op == "&&" else "true"
        return self.make(f"phi i1 [ {short}, %{from_left} ], [ {right}, %{from_right} ]")

    def branch(self, e: ast.Expr, yes: str, no: str) -> None:
        """Jump to one of two labels."""
        if isinstance(e, ast.Logical):
            middle = self.label("and.rhs" if e.op == "&&" else "or.rhs")
            if e.op == "&&":
                self.branch(e.left, middle, no)
            else:
                self.branch(e.left, yes, middle)
            self.begin(middle)
            self.conditional += 1
            self.branch(e.right, yes, no)
            self.conditional -= 1
            return
        if isinstance(e, ast.Unary) and e.op == "!":
            self.branch(e.operand, no, yes)
            return
        operand = self.value(e)
        self.emit(f"br i1 {operand}, label %{yes}, label %{no}")
        self.dead = True

    def _conditional(self, e: ast.Conditional) -> str:
        yes, no, end = self.label("cond.yes"), self.label("cond.no"), self.label("cond.end")
        self.branch(e.condition, yes, no)
        self.conditional += 1
        self.begin(yes)
        a = self.value(e.yes)
        from_yes = self.leave(end)
        self.begin(no)
        b = self.value(e.no)
        self.conditional -= 1
        from_no = self.leave(end)
        self.begin(end)
        if e.type.kind == "void":
            return ""
        return self.make(f"phi {value_type(e.type)} [ {a}, %{from_yes} ], [ {b}, %{from_no} ]")

    def _comma(self, e: ast.Comma) -> str:
        self.effect(e.left)
        return self.value(e.right)

    def _address_of(self, e: ast.AddressOf) -> str:
        host_constants.refuse(self, e.operand)
        return self.address(e.operand)[0]

    def _cast(self, e: ast.Cast) -> str:
        if e.kind == "void":
            self.effect(e.operand)
            return ""
        if e.kind == "decay":
            return self.address(e.operand)[0]
        if e.kind in ("relabel", "move"):
            return self._loaded(e)
        a, b = e.operand.type.bare, e.type.bare
        operand = self.value(e.operand)
        if a.kind == "pointer" and b.kind == "pointer" and a.elem is not None and b.elem is not None:
            shift = base_shift(a.elem.bare, b.elem.bare)
            if shift:
                # A null pointer stays one.
                moved = self.make(f"getelementptr i8, ptr {operand}, i64 {shift}")
                null = self.make(f"icmp eq ptr {operand}, null")
                return self.make(f"select i1 {null}, ptr null, ptr {moved}")
        if a.kind == "member" and b.kind == "member":
            return member_pointers.moved(self, operand, b, base_shift(b.params[0], a.params[0]))
        return self.convert(operand, a, b)

    def convert(self, operand: str, source: Type, target: Type) -> str:
        """Arithmetic, enumeration and pointer conversions of a register value."""
        if source is target:
            return operand
        a = source.elem if source.kind == "enum" else source
        b = target.elem if target.kind == "enum" else target
        assert a is not None and b is not None
        if b.kind == "bool":
            if a.kind == "bool":
                return operand
            if a.kind == "float":
                return self.make(f"fcmp une {a.llvm} {operand}, {number(a, 0.0)}")
            zero = "null" if a.kind in ("pointer", "nullptr") else "0"
            return self.make(f"icmp ne {a.llvm} {operand}, {zero}")
        if a.kind in ("pointer", "nullptr"):
            if b.kind in ("pointer", "nullptr"):
                return operand
            return self.make(f"ptrtoint ptr {operand} to {b.llvm}")
        if b.kind in ("pointer", "nullptr"):
            if a.size < 8 or a.kind == "bool":
                operand = self.convert(operand, a, ty.LONG if a.signed else ty.ULONG)
            return self.make(f"inttoptr i64 {operand} to ptr")
        if a.kind == "float":
            if b.kind == "float":
                return (
                    operand
                    if a.llvm == b.llvm
                    else self.make(f"{'fpext' if b.size > a.size else 'fptrunc'} {a.llvm} {operand} to {b.llvm}")
                )
            return self._whole(operand, a, b)
        source_llvm = value_type(a)
        if b.kind == "float":
            return self.make(f"{'sitofp' if a.signed else 'uitofp'} {source_llvm} {operand} to {b.llvm}")
        if a.kind == "bool":
            return self.make(f"zext i1 {operand} to {b.llvm}")
        if a.size == b.size:
            return operand
        if a.size > b.size:
            return self.make(f"trunc {a.llvm} {operand} to {b.llvm}")
        return self.make(f"{'sext' if a.signed else 'zext'} {a.llvm} {operand} to {b.llvm}")

    def _whole(self, operand: str, a: Type, b: Type) -> str:
        """A float as an integer: beyond the type's limits it is what cvt.rzi gives, where LLVM's fptosi is poison."""
        if self.module.host or a.size < 4 or b.size > 8:
            return self.make(f"{'fptosi' if b.signed else 'fptoui'} {a.llvm} {operand} to {b.llvm}")
        wide = b if b.size >= 4 else ty.INT if b.signed else ty.UINT
        name = f"{'d' if a.llvm == 'double' else 'f'}2{'' if b.signed else 'u'}{'ll' if wide.size == 8 else 'i'}"
        return self.convert(self.intrinsic(f"llvm.nvvm.{name}.rz", wide.llvm, [(a.llvm, operand)]), wide, b)

    # -- calls

    def _call_value(self, e: ast.Call) -> str:
        if e.lvalue:
            address = self.call(e, "")
            return self.load(e.type, address, max(1, e.type.align))
        return self.call(e, "")

    def call(self, e: ast.Call, target: str) -> str:
        """Call a function; an aggregate result goes to `target`. References come back as addresses."""
        f = e.function
        host_constants.refuse_arguments(self, f, e.args)
        args = self.arguments(f.type, e.args, e.assigns) if e.assigns else []
        this = []
        callee = ""
        if f.this is not None:
            assert e.this is not None
            address = self.address(e.this)[0]
            this = [f"ptr {address}"]
            if e.virtual:
                callee = self.slot(address, virtuals.index(f))
        args = this + (args if e.assigns else self.arguments(f.type, e.args))
        return self._call(f.type, callee or f"@{quoted(self.module.function_symbol(f))}", args, target, e.at)

    def slot(self, address: str, index: int) -> str:
        """The function in a slot of the virtual table of the object at `address`."""
        table = self.make(f"load ptr, ptr {address}, align 8")
        return self.make(f"load ptr, ptr {self.offset(table, 8 * index)}, align 8")

    def indirect_call(self, e: ast.IndirectCall, target: str) -> str:
        function = e.callee.type.elem
        assert function is not None
        this: list[str] = []
        address = self.address(e.this)[0] if e.this is not None else ""
        callee = self.value(e.callee)
        if address:
            address, callee = member_pointers.bound(self, address, callee, e.callee.type.params[0])
            this = [f"ptr {address}"]
        return self._call(function, callee, this + self.arguments(function, e.args), target, e.at)

    def _call(self, function: Type, callee: str, args: list[str], target: str, at: Token) -> str:
        ret = function.elem
        assert ret is not None
        if ret.aggregate:
            # Built aside: the callee may read what the target holds.
            slot = self.alloca(ret.bare)
            args = [f"ptr {slot}", *args]
        self.at(at)
        result = "void" if ret.aggregate or ret.kind == "void" else ret.llvm
        text = f"call {result} {callee}({', '.join(args)})"
        if result == "void":
            self.emit(text)
            if ret.aggregate and target:
                self.copy(ret.bare, slot, ret.align, target, ret.align)
            return ""
        operand = self.make(text)
        return self.make(f"trunc nuw i8 {operand} to i1") if ret.truth else operand

    def _indirect_value(self, e: ast.IndirectCall) -> str:
        if e.lvalue:
            return self.load(e.type, self.indirect_call(e, ""), max(1, e.type.align))
        return self.indirect_call(e, "")

    def _function_address(self, e: ast.FunctionAddress) -> str:
        f = e.function
        if f.space == "host" and not (f.library or f.constexpr or self.module.host):
            raise self.internal(f'identifier "{f.name}" is undefined in device code', e.at)
        if e.type.kind == "member":
            return member_pointers.of_function(self, f)
        return f"@{quoted(self.module.function_symbol(f))}"

    def arguments(self, function: Type, args: list[ast.Expr], backwards: bool = False) -> list[str]:
        out: list[str] = []
        pairs = list(zip(function.params, args, strict=False))
        for param, arg in pairs[::-1] if backwards else pairs:
            if param.kind == "reference":
                out.append(f"ptr {self.address(arg)[0]}")
            elif param.aggregate:
                out.append(f"ptr {self.temporary(param.bare, arg)}")
            else:
                operand = self.value(arg)
                if param.truth:
                    operand = self.make(f"zext i1 {operand} to i8")
                out.append(f"{param.llvm} {operand}")
        return out[::-1] if backwards else out

    def construct(self, e: ast.Construct, target: str) -> None:
        host_constants.refuse_arguments(self, e.function, e.args)
        symbol = quoted(self.module.function_symbol(e.function))
        args = [f"ptr {target}", *self.arguments(e.function.type, e.args)]
        self.emit(f"call void @{symbol}({', '.join(args)})")

    # -- builtins

    def _builtin(self, e: ast.BuiltinCall) -> str:
        from minicc.frontend.emit import builtins

        builtin = e.builtin
        assert isinstance(builtin, Builtin)
        self.at(e.at)
        return builtins.emit(self, builtin, e)

    def builtin_aggregate(self, e: ast.BuiltinCall, target: str, align: int) -> None:
        from minicc.frontend.emit import builtins

        builtin = e.builtin
        assert isinstance(builtin, Builtin)
        builtins.emit_aggregate(self, builtin, e, target, align)

    # -- the heap, and the end of objects

    def _new(self, e: ast.New) -> str:
        from minicc.frontend.emit import heap

        return heap.new(self, e)

    def _delete(self, e: ast.Delete) -> str:
        from minicc.frontend.emit import heap

        heap.delete(self, e)
        return ""

    if TYPE_CHECKING:  # in statements.py

        def statement_expression(self, e: ast.StatementExpression, target: str = "") -> str: ...

    def destroy(self, address: str, ends: list[tuple[int, ast.Function]]) -> None:
        for offset, f in ends:
            symbol = quoted(self.module.function_symbol(f))
            self.emit(f"call void @{symbol}(ptr {self.offset(address, offset)})")

    def _misplaced(self, e: ast.Expr) -> str:
        raise self.internal(f"an expression of type '{e.type}' cannot be used as a value here", e.at)


def base_shift(source: Type, target: Type) -> int:
    """What to add to the address of a `source` for that of the base or derived class `target` in it."""
    if source is target or source.record is None or target.record is None:
        return 0
    offset = ty.base_offset(source, target)
    if offset is not None:
        return offset
    return -(ty.base_offset(target, source) or 0)


_VALUES: dict[type, Callable[[Values, Any], str]] = {
    ast.Number: Values._number, ast.Zero: Values._zero, ast.Name: Values._name, ast.Deref: Values._loaded,
    ast.Member: Values._member, ast.AddressOf: Values._address_of, ast.Unary: Values._unary, ast.Binary: Values._binary,
    ast.Logical: Values._logical, ast.Conditional: Values._conditional, ast.Comma: Values._comma, ast.Cast: Values._cast,  # noqa: E501
    ast.Assign: assignments.value, ast.CompoundAssign: assignments.value, ast.Step: assignments.value,
    ast.New: Values._new, ast.Delete: Values._delete, ast.IndirectCall: Values._indirect_value,
    ast.FunctionAddress: Values._function_address,
    ast.StatementExpression: lambda self, e: self.statement_expression(e),
    ast.Call: Values._call_value, ast.BuiltinCall: Values._builtin, ast.Temporary: Values._loaded, ast.Text: Values._misplaced,  # noqa: E501
    ast.Init: Values._misplaced, ast.Construct: Values._misplaced, ast.Overloads: Values._misplaced,
}  # fmt: skip
