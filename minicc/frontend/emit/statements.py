"""Statements and whole functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.emit import assignments, automatic, host_constants, lifetimes, unrolling
from minicc.frontend.emit.instructions import NAMED
from minicc.frontend.emit.layout import value_type
from minicc.frontend.emit.lifetimes import Living
from minicc.frontend.emit.module import Module, asm_attributes, quoted
from minicc.frontend.emit.values import Values, base_shift
from minicc.frontend.sema import arithmetic, constant
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type
from minicc.numbers import align_at


class FunctionEmitter(Values):
    def __init__(self, module: Module, function: ast.Function) -> None:
        super().__init__(module, function)
        self.breaks: list[str] = []
        self.continues: list[str] = []
        self.cases: dict[int, str] = {}
        self.ends: list[Living] = []
        """Objects in scope."""
        self.loop_ends: list[int] = []
        """How many of them there were where each loop or switch began, pairwise with `breaks`; `continue_ends` likewise
        with `continues`."""
        self.continue_ends: list[int] = []
        self.labels: dict[str, int] = {}
        """How many of `ends` there were at each label passed."""
        self.gotos: list[tuple[ast.Goto, str, list[Living]]] = []
        """Jumps to labels yet to come, from among objects: where each goes meanwhile, and what was alive."""
        self.mark = 0
        """Temporaries alive where the statement at hand began."""

    def run(self) -> str:
        """The text of the function's definition."""
        f = self.function
        module = self.module
        symbol = module.function_symbol(f)
        debug = module.debug
        if debug is not None and not f.library:
            self.scope = module.subprogram = debug.subprogram(f, symbol)
            self.at(f.at)
        if module.options.fmad and not f.strict:
            self.flags = " contract"
        header = self._header(f, symbol)
        assert f.body is not None
        if f.constructor:
            self._construct_members(f)
        elif f.name.startswith("~"):
            self._own_tables(f)
        for item in f.body.items:
            self.statement(item)
        if not self.dead:
            self.at(f.body.end or f.body.at)
            self.leave_scopes(0)
            ret = f.type.elem
            assert ret is not None
            if ret.kind == "void" or ret.aggregate or f.constructor:
                self.emit("ret void")
            else:
                self.emit("unreachable")
        metadata = f" !dbg {self.scope}" if self.scope else ""
        if self.printed:
            self.allocas.insert(0, f"  %printf.arguments = alloca [{self.printed} x i8], align 8")
        lines = [f"{header}{metadata} {{", "entry:", *self.allocas, *automatic.plain(self.allocas, self.lines), "}", ""]
        return "\n".join(lines)

    # -- signature

    def _header(self, f: ast.Function, symbol: str) -> str:
        kernel = f.space == "global" and not self.module.host
        params: list[str] = []
        ret = f.type.elem
        assert ret is not None
        if ret.aggregate:
            self.result = "%result"
            params.append("ptr noalias %result")
        if f.this is not None:
            params.append("ptr noundef nonnull %this")
            self._parameter_slot(f.this, "%this")
            self._described(f.this, f.this.type, self.slots[id(f.this)], 1)
        for i, p in enumerate(f.params):
            name = f"%{_register(p.name)[:NAMED] or 'arg'}.p{i}"
            params.append(self._parameter(p, name, kernel))
            number = i + 1 + (f.this is not None)
            if p.type.aggregate and not kernel:
                self._described_reference(p, ty.reference(p.type), name, number)
            elif p.type.kind == "reference":
                self._described_reference(p, p.type, name, number)
            else:
                self._described(p, p.type, self.slots[id(p)], number)
        result = "void" if ret.kind == "void" or ret.aggregate or f.constructor else ret.llvm
        if kernel:
            extra = self._bounds(f)
            return f"define ptx_kernel {result} @{quoted(symbol)}({', '.join(params)}) #0{extra}"
        if self.module.host and not f.library:
            return f"define {result} @{quoted(symbol)}({', '.join(params)}) #3"
        called = self.debugging and not f.library
        group = "#2" if f.noinline or called else "#3" if f.virtual or id(f) in self.module.recursive else "#1"
        return f"define internal {result} @{quoted(symbol)}({', '.join(params)}) {group}"

    def _bounds(self, f: ast.Function) -> str:
        out = ""
        if f.bounds and f.bounds[0]:
            out += f' "nvvm.maxntid"="{f.bounds[0]}"'
            if len(f.bounds) > 1 and f.bounds[1]:
                out += f' "nvvm.minctasm"="{f.bounds[1]}"'
            if len(f.bounds) > 2 and f.bounds[2]:
                out += f' "nvvm.maxclusterrank"="{f.bounds[2]}"'
        if f.cluster:
            out += ' "nvvm.cluster_dim"="' + ",".join(map(str, (*f.cluster, 1, 1)[:3])) + '"'
        return out

    def _parameter(self, p: ast.Variable, name: str, kernel: bool) -> str:
        t = p.type
        if kernel and p.grid_constant:
            # LLVM copies what has its address taken into local memory, where the copy engine finds no tensor map.
            self.slots[id(p)] = name
            kind = t.llvm if t.aggregate else f"[{t.size} x i8]"
            return f'ptr noalias noundef byval({kind}) align {t.align} "nvvm.grid_constant" {name}'
        if t.aggregate:
            self.slots[id(p)] = name
            if kernel:
                return f"ptr noalias noundef byval({t.llvm}) align {t.align} {name}"
            return f"ptr noundef align {t.align} {name}"
        if t.kind == "reference":
            self.slots[id(p)] = name
            assert t.elem is not None
            return f"ptr noundef nonnull align {t.elem.align} {name}"
        attributes = " noalias" if t.kind == "pointer" and p.restrict else ""
        if kernel:
            attributes += " noundef"  # others may be given what has no value where they do not use it
        self._parameter_slot(p, name)
        return f"{t.llvm}{attributes} {name}"

    # -- with -G

    @property
    def debugging(self) -> bool:
        """Variables are described; functions stay functions."""
        return self.module.debug is not None and self.module.debug.full

    def _described(self, v: ast.Variable, t: Type, slot: str, number: int = 0) -> None:
        if self.scope and self.debugging and v.name and self.module.debug is not None:
            self.lines.append(self.module.debug.local(v, t, slot, self.scope, number))

    def _described_reference(self, v: ast.Variable, t: Type, address: str, number: int = 0) -> None:
        """A reference is seen as such: its pointer gets a place."""
        if self.scope and self.debugging and v.name:
            slot = self.alloca(t, 0, _register(v.name))
            self.lines.append(f"  store ptr {address}, ptr {slot}, align {t.align}{self.place}")
            self._described(v, t, slot, number)

    def _parameter_slot(self, p: ast.Variable, name: str) -> None:
        slot = self.alloca(p.type, p.align, _register(p.name))
        self.slots[id(p)] = slot
        self.lines.append(f"  store {p.type.llvm} {name}, ptr {slot}, align {p.type.align}{self.place}")

    def _construct_members(self, f: ast.Function) -> None:
        for offset, e in f.base_inits:
            this = self.make(f"load ptr, ptr {self.slots[id(f.this)]}, align 8")
            self.initialise(e.type, e, self.offset(this, offset), align_at(e.type.align, offset))
            self.end_temporaries(0)
        self._own_tables(f)
        for field, e in f.inits:
            this = self.make(f"load ptr, ptr {self.slots[id(f.this)]}, align 8")
            where = self.offset(this, field.offset)
            if field.bit_width:
                assert f.this is not None and f.this.type.elem is not None
                self.store_bits(field, self.value(e), where, align_at(f.this.type.elem.align, field.offset))
            elif field.type.kind == "reference":
                self.emit(f"store ptr {self.value(e)}, ptr {where}, align 8")
            else:
                self.initialise(field.type.bare, e, where, field.type.align)
            self.end_temporaries(0)

    def _own_tables(self, f: ast.Function) -> None:
        """While a constructor or a destructor of a class runs, the object is of that class."""
        if f.record is not None and f.record.record is not None and f.record.record.tables:
            self.set_tables(f.record, self.make(f"load ptr, ptr {self.slots[id(f.this)]}, align 8"))

    # -- statements

    def statement(self, s: ast.Stmt) -> None:
        if self.dead and not _has_label(s):
            return
        self.at(s.at)
        mark = self.mark
        self.mark = len(self.temporaries)
        _STATEMENTS[type(s)](self, s)
        if len(self.temporaries) > self.mark:
            self.end_temporaries(self.mark)
        self.mark = mark

    def statement_expression(self, e: ast.StatementExpression, target: str = "") -> str:
        """The value of a scalar one; an aggregate's goes to `target`."""
        before, mark = len(self.ends), len(self.temporaries)
        for item in e.block.items:
            if isinstance(item, ast.DeclStmt) and item.variables[0].storage == "alias":
                self._declare(item)
                mark = len(self.temporaries)
            else:
                self.statement(item)
        out = ""
        if e.value is not None and target:
            self.initialise(e.type, e.value, target, e.type.align)
        elif e.value is not None:
            out = self.value(e.value)
        self.end_temporaries(mark)
        if not self.dead:
            self.leave_scopes(before)
        del self.ends[before:]
        return out

    def test(self, e: ast.Expr, yes: str, no: str) -> None:
        """A condition: a full expression of its own."""
        if not self.module.destructors:
            self.branch(e, yes, no)
            return
        operand = self.value(e)
        self.end_temporaries(self.mark)
        self.emit(f"br i1 {operand}, label %{yes}, label %{no}")
        self.dead = True

    def _block(self, s: ast.Block) -> None:
        # A block without an end is not one of the source's: what it declares lives on around it.
        before, outer = len(self.ends), self.scope
        if self.debugging and outer and any(isinstance(item, ast.DeclStmt) for item in s.items):
            assert self.module.debug is not None
            self.scope = self.module.debug.block(s.at, outer)
        for item in s.items:
            self.statement(item)
        self.scope = outer
        if s.end is not None and len(self.ends) > before:
            if not self.dead:
                self.leave_scopes(before)
            del self.ends[before:]

    def leave_scopes(self, down_to: int) -> None:
        """Run the destructors of what was declared since there were `down_to` objects."""
        for living in self.ends[down_to:][::-1]:
            self.end(living)

    def _expression(self, s: ast.ExprStmt) -> None:
        self.effect(s.value)

    def _declare(self, s: ast.DeclStmt) -> None:
        for v in s.variables:
            self._local(v)

    def _local(self, v: ast.Variable) -> None:
        self.at(v.at)
        t = v.type
        if t.kind == "reference":
            assert v.init is not None
            if v.storage != "alias":
                host_constants.refuse(self, v.init)
            whole, shift = v.init, 0
            while isinstance(whole, ast.Cast) and whole.kind in ("relabel", "move"):
                shift += base_shift(whole.operand.type.bare, whole.type.bare)
                whole = whole.operand
            held = self.address(whole)[0]
            address = self.make(f"getelementptr inbounds i8, ptr {held}, i64 {shift}") if shift else held
            self.slots[id(v)] = address
            if v.storage != "alias":
                self._keep(lifetimes.bound(v.init))
            self._described_reference(v, t, address)
            return
        if v.init is not None and t.const and t.aggregate and isinstance(v.init, ast.Init) and t.size > 32:
            table = self.module.table(v)
            if table is not None:
                self.slots[id(v)] = table
                return
        slot = self.slots.get(id(v))
        if slot is None:
            slot = self.slots[id(v)] = self.alloca(t, v.align, _register(v.name))
        self._described(v, t, slot)
        if v.init is not None:
            self.initialise(ty.qualified(ty.unqualified(t), t.quals & ty.VOLATILE), v.init, slot, max(v.align, t.align))
            self._keep(lifetimes.kept(v.init))
        ends = ty.destructors(t)
        if ends:
            self.ends.append(Living(slot, ends))

    def _keep(self, made: set[int]) -> None:
        """These temporaries live as long as the variable that is declared."""
        self.ends += [x for x in self.temporaries if x.made in made]
        self.temporaries = [x for x in self.temporaries if x.made not in made]

    def _if(self, s: ast.If) -> None:
        known = constant.truth(s.condition) if isinstance(s.condition, ast.Number) else None
        if known is not None and not (_has_label(s.then) or (s.other is not None and _has_label(s.other))):
            taken = s.then if known else s.other
            if taken is not None:
                self.statement(taken)
            return
        then, end = self.label("then"), self.label("endif")
        other = self.label("else") if s.other is not None else end
        self.test(s.condition, then, other)
        self.begin(then)
        self.statement(s.then)
        self.jump(end)
        if s.other is not None:
            self.begin(other)
            self.statement(s.other)
            self.jump(end)
        self.begin(end)

    def _loop(self, s: ast.Loop) -> None:
        test, body = self.label("test"), self.label("body")
        again, end = self.label("next"), self.label("done")
        metadata = self._loop_metadata(s)
        if s.condition is None or (isinstance(s.condition, ast.Number) and s.condition.value):
            # Not to be taken for one that ends: nvcc keeps `while (1);`, too.
            self.module.endless = True
        start, outer = self.place, len(self.ends)
        if s.kind == "do":
            self.begin(body)
        else:
            self.begin(test)
            if s.declared is not None:
                self._declare(s.declared)
            failed = end if len(self.ends) == outer else self.label("failed")
            if s.condition is not None:
                self.at(s.condition.at)
                self.test(s.condition, body, failed)
            else:
                self.jump(body)
            if failed is not end:
                self.begin(failed)
                self.leave_scopes(outer)
                self.jump(end)
            self.begin(body)
        self.breaks.append(end)
        self.continues.append(again)
        self.loop_ends.append(outer)
        self.continue_ends.append(len(self.ends))
        self.statement(s.body)
        self.breaks.pop()
        self.continues.pop()
        self.loop_ends.pop()
        self.continue_ends.pop()
        self.begin(again)
        if s.kind == "do":
            assert s.condition is not None
            operand = self.value(s.condition)
            self.end_temporaries(self.mark)
            self.emit(f"br i1 {operand}, label %{body}, label %{end}{metadata}")
            self.dead = True
        else:
            if s.step is not None:
                self.at(s.step.at)
                self.effect(s.step)
                self.end_temporaries(self.mark)
            self.leave_scopes(outer)
            del self.ends[outer:]
            self.place = start
            self.jump(test, metadata)
        self.begin(end)

    def _loop_metadata(self, s: ast.Loop) -> str:
        factor = unrolling.factor(s)
        if factor is None:
            return ""
        module = self.module
        if factor == 0 and module.tensor:
            from minicc.frontend.emit import tensorloops

            factor = tensorloops.factor(s)
        if factor == 0:
            hint = module.node('!{!"llvm.loop.unroll.enable"}')
        elif factor == 1:
            hint = module.node('!{!"llvm.loop.unroll.disable"}')
        else:
            hint = module.node(f'!{{!"llvm.loop.unroll.count", i32 {factor}}}')
        if factor > 1 and unrolling.may_go_on(s):
            hint += ", " + module.node('!{!"minicc.unroll.more"}')
        own = f"!{len(module.metadata)}"
        module.node(f"distinct !{{{own}, {hint}}}")
        return f", !llvm.loop {own}"

    def _switch(self, s: ast.Switch) -> None:
        llvm = value_type(s.condition.type)
        operand = self.value(s.condition)
        self.end_temporaries(self.mark)
        end = self.label("done")
        arms: list[str] = []
        ranges: list[tuple[ast.Case, str]] = []
        for case in s.cases:
            label = self.cases[id(case)] = self.label("case")
            assert case.low is not None and case.high is not None
            if case.high - case.low > 64:
                ranges.append((case, label))
                continue
            arms += [f"{llvm} {value}, label %{label}" for value in range(case.low, case.high + 1)]
        default = end
        if s.default is not None:
            default = self.cases[id(s.default)] = self.label("default")
        after = self.label("ranges") if ranges else default
        self.emit(f"switch {llvm} {operand}, label %{after} [ {' '.join(arms)} ]")
        self.dead = True
        for k, (case, label) in enumerate(ranges):
            self.begin(after)
            shifted = self.make(f"sub {llvm} {operand}, {case.low}")
            inside = self.make(f"icmp ule {llvm} {shifted}, {(case.high or 0) - (case.low or 0)}")
            after = default if k == len(ranges) - 1 else self.label("ranges")
            self.emit(f"br i1 {inside}, label %{label}, label %{after}")
            self.dead = True
        self.breaks.append(end)
        self.loop_ends.append(len(self.ends))
        self.statement(s.body)
        self.breaks.pop()
        self.loop_ends.pop()
        self.jump(end)
        self.begin(end)

    def _case(self, s: ast.Case) -> None:
        self.begin(self.cases[id(s)])

    def _jump(self, s: ast.Jump) -> None:
        if self.ends:
            self.leave_scopes(self.loop_ends[-1] if s.kind == "break" else self.continue_ends[-1])
        self.jump(self.breaks[-1] if s.kind == "break" else self.continues[-1])

    def _return(self, s: ast.Return) -> None:
        ret = self.function.type.elem
        assert ret is not None
        if s.value is None:
            self.leave_scopes(0)
            nothing = ret.kind == "void" or ret.aggregate or self.function.constructor
            llvm = "ptr" if ret.kind == "reference" else "i8" if ret.kind == "bool" else ret.llvm
            self.emit("ret void" if nothing else f"ret {llvm} undef")
        elif ret.kind == "reference":
            address = self.address(s.value)[0]
            self.end_temporaries(self.mark)
            self.leave_scopes(0)
            self.emit(f"ret ptr {address}")
        elif ret.aggregate:
            self.initialise(ret.bare, s.value, self.result, ret.align)
            self.end_temporaries(self.mark)
            self.leave_scopes(0)
            self.emit("ret void")
        elif ret.kind == "void":
            self.effect(s.value)
            self.end_temporaries(self.mark)
            self.leave_scopes(0)
            self.emit("ret void")
        else:
            operand = self.value(s.value)
            if ret.truth:
                operand = self.make(f"zext i1 {operand} to i8")
            self.end_temporaries(self.mark)
            self.leave_scopes(0)
            self.at(s.at)
            self.emit(f"ret {ret.llvm} {operand}")
        self.dead = True

    def _goto(self, s: ast.Goto) -> None:
        """Ends what is alive here and not at the label, which may be yet to come."""
        depth = self.labels.get(s.label)
        if depth is None and self.ends:
            way = self.label("goto")
            self.gotos.append((s, way, list(self.ends)))
            self.jump(way)
            return
        self.leave_scopes(depth or 0)
        self.jump(f"user.{_register(s.label)}")

    def _label(self, s: ast.Label) -> None:
        name = f"user.{_register(s.name)}"
        depth = self.labels[s.name] = len(self.ends)
        self.jump(name)
        for goto, way, alive in [g for g in self.gotos if g[0].label == s.name]:
            if alive[:depth] != self.ends:
                raise self.internal("'goto' past an object's declaration", goto.at)
            self.begin(way)
            for living in alive[depth:][::-1]:
                self.end(living)
            self.jump(name)
        self.begin(name)

    # -- inline PTX

    def _asm(self, s: ast.Asm) -> None:
        template = self._template(s)
        outputs, inputs = [], []
        in_types: list[tuple[str, str]] = []
        out_types: list[Type] = []
        tied: list[tuple[str, str, str]] = []
        targets: list[tuple[ast.Expr, Type]] = []
        for k, (constraint, e) in enumerate(s.outputs):
            letter = constraint.lstrip("=+&")
            outputs.append("=" + ("&" if "&" in constraint else "") + letter)
            t = _asm_type(letter, e.type.bare)
            out_types.append(t)
            targets.append((e, t))
            if constraint[0] == "+":
                tied.append((str(k), t.llvm, self._asm_in(e, t)))
        for constraint, e in s.inputs:
            letter = constraint
            if letter == "n":
                inputs.append("i")
                value = constant.evaluate(e)
                in_types.append(("i32" if e.type.size <= 4 else "i64", str(int(value or 0))))
                continue
            if letter.isdigit():
                t = out_types[int(letter)] if int(letter) < len(out_types) else ty.INT
            else:
                t = _asm_type(letter, e.type.bare)
            inputs.append(letter)
            in_types.append((t.llvm, self._asm_in(e, t)))
        for index, llvm, operand in tied:
            inputs.append(index)
            in_types.append((llvm, operand))
        clobbers = ["~{memory}"] if "memory" in s.clobbers else []
        if len(out_types) > 1:
            result = "{ " + ", ".join(t.llvm for t in out_types) + " }"
        else:
            result = out_types[0].llvm if out_types else "void"
        self.at(s.at)
        effect = "sideeffect " if s.volatile else ""
        call = f'call {result} asm {effect}"{template}", "{",".join([*outputs, *inputs, *clobbers])}"({", ".join(f"{t} {v}" for t, v in in_types)}) {asm_attributes(template)}'  # noqa: E501
        if not out_types:
            self.emit(call)
            return
        made = self.make(call)
        values = (
            [made]
            if len(out_types) == 1
            else [self.make(f"extractvalue {result} {made}, {k}") for k in range(len(out_types))]
        )
        for (e, t), operand in zip(targets, values, strict=True):
            assignments.store(self, e, self._asm_back(operand, t, e.type.bare))

    def _asm_in(self, e: ast.Expr, t: Type) -> str:
        operand = self.value(e)
        source = e.type.bare
        if source.kind == "pointer":
            return self.make(f"ptrtoint ptr {operand} to i64")
        return self.convert(operand, source, t)

    def _asm_back(self, operand: str, t: Type, target: Type) -> str:
        if target.kind == "pointer":
            return self.make(f"inttoptr i64 {operand} to ptr")
        return self.convert(operand, t, target)

    def _template(self, s: ast.Asm) -> str:
        """GCC's template to LLVM's: %0 becomes $0, %% a percent sign, %= a number of its own, $ is doubled."""
        text = s.text.decode("latin-1")
        operands = len(s.outputs) + len(s.inputs)
        out: list[str] = []
        i = 0
        while i < len(text):
            ch = text[i]
            if ch == "%" and i + 1 < len(text):
                nxt = text[i + 1]
                if nxt == "%":
                    out.append("%")
                    i += 2
                    continue
                if nxt == "=":
                    out.append("${:uid}")
                    i += 2
                    continue
                if nxt.isdigit():
                    j = i + 1
                    while j < len(text) and text[j].isdigit():
                        j += 1
                    if int(text[i + 1 : j]) >= operands:
                        raise self.internal(f"invalid operand number in inline asm string '%{text[i + 1 : j]}'", s.at)
                    out.append("${" + text[i + 1 : j] + "}")
                    i = j
                    continue
            if ch == "$":
                out.append("$$")
            elif ch in '"\\' or not 32 <= ord(ch) < 127:
                out.append(f"\\{ord(ch):02X}")
            else:
                out.append(ch)
            i += 1
        return "".join(out)


def _asm_type(letter: str, t: Type) -> Type:
    """The type an operand travels in: what its constraint says, by the operand's own signedness."""
    signed = arithmetic.is_signed(t) if t.kind in ("int", "enum") else False
    return {
        "h": ty.SHORT if signed else ty.USHORT, "r": ty.INT if signed else ty.UINT, "l": ty.LONG if signed else ty.ULONG,  # noqa: E501
        "f": ty.FLOAT, "d": ty.DOUBLE, "b": ty.BOOL,
    }.get(letter, t)  # fmt: skip


def _register(name: str) -> str:
    return "".join(c if (c.isalnum() and c.isascii()) or c == "_" else "_" for c in name)


def _has_label(s: ast.Stmt) -> bool:
    """A jump may lead into this statement."""
    if isinstance(s, ast.Label | ast.Case):
        return True
    if isinstance(s, ast.Block):
        return any(_has_label(x) for x in s.items)
    if isinstance(s, ast.If):
        return _has_label(s.then) or (s.other is not None and _has_label(s.other))
    if isinstance(s, ast.Loop):
        return _has_label(s.body)
    if isinstance(s, ast.Switch):
        return _has_label(s.body) and any(_has_plain_label(x) for x in [s.body])
    return False


def _has_plain_label(s: ast.Stmt) -> bool:
    if isinstance(s, ast.Label):
        return True
    if isinstance(s, ast.Block):
        return any(_has_plain_label(x) for x in s.items)
    if isinstance(s, ast.If):
        return _has_plain_label(s.then) or (s.other is not None and _has_plain_label(s.other))
    return isinstance(s, ast.Loop | ast.Switch) and _has_plain_label(s.body)


_STATEMENTS: dict[type, Callable[[FunctionEmitter, Any], None]] = {
    ast.Block: FunctionEmitter._block, ast.ExprStmt: FunctionEmitter._expression, ast.DeclStmt: FunctionEmitter._declare,  # noqa: E501
    ast.If: FunctionEmitter._if, ast.Loop: FunctionEmitter._loop, ast.Switch: FunctionEmitter._switch,
    ast.Case: FunctionEmitter._case, ast.Jump: FunctionEmitter._jump, ast.Return: FunctionEmitter._return,
    ast.Goto: FunctionEmitter._goto, ast.Label: FunctionEmitter._label, ast.Asm: FunctionEmitter._asm,
}  # fmt: skip

__all__ = ["FunctionEmitter", "Token", "value_type"]
