"""Scopes and calls away: one PTX function as a flat list of statements with unique names.

`flatten(function, bodies)` renames what inner scopes declare, expands calls of the functions in `bodies` in place
(parameters become shared `.param` variables), and keeps calls of anything else. Input is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from operator import is_

from minicc.diagnostics import EXIT_PTXAS, Span, fail
from minicc.ptx import model as ptx
from minicc.ptxas.lower.symbols import align_of, size_of
from minicc.record import evolve

DISCARDED = ptx.Symbol("_")
"""What stands for a result that the caller does not want."""
MAX_STATEMENTS = 2_000_000
"""Bound on what expansion may make, so that nested calls cannot exhaust the machine."""


class Flat:
    """`types` maps each (renamed) register to its type; `variables` the .local/.shared/.param variables by new name;
    `targets` the .branchtargets lists; `shadow` original variables of `.shared` (one per PTX declaration)."""

    def __init__(self) -> None:
        self.statements: list[ptx.Inst | ptx.Label] = []
        self.types: dict[str, str] = {}
        self.variables: dict[str, ptx.Variable] = {}
        self.targets: dict[str, tuple[str, ...]] = {}
        self.prototypes: dict[str, ptx.Callprototype] = {}
        self.shared: list[ptx.Variable] = []
        self.outer: ptx.Function | None = None
        """The function whose registers kept their names."""
        self.rolled: set[str] = set()
        """Labels of loops that are not to be unrolled."""
        self.wanted: dict[str, tuple[str, bool]] | None = None
        """Results that count under a condition (see `wanted`)."""

    @cached_property
    def takes_memory(self) -> bool:
        """Whether the function takes memory at run time."""
        return any(isinstance(s, ptx.Inst) and s.opcode == "alloca" for s in self.statements)

    def type_of(self, register: str) -> str | None:
        """Type of a register, None if it was never declared."""
        found = self.types.get(register)
        if found is None and self.outer is not None:
            found = self.outer.type_of(register)
            if found is not None:
                self.types[register] = found
        return found


class _Frame:
    """One function being expanded: what its names are called now, innermost scope last."""

    def __init__(
        self,
        prefix: str,
        finish: str | None = None,
        inlined_at: ptx.Loc | None = None,
        name: str = "",
        device: bool = True,
    ) -> None:
        self.prefix, self.finish, self.inlined_at, self.name, self.device = prefix, finish, inlined_at, name, device
        self.scopes: list[ptx.Function | ptx.Scope] = []
        self.names: list[dict[str, str]] = []
        self.suffixes: list[str] = []

    def enter(self, scope: ptx.Function | ptx.Scope, names: dict[str, str], suffix: str) -> None:
        self.scopes.append(scope)
        self.names.append(names)
        self.suffixes.append(suffix)


def flatten(function: ptx.Function, bodies: dict[str, ptx.Function], shared: dict[int, str]) -> Flat:
    """The body of a kernel or device function with the calls of `bodies` (by name; none is recursive) expanded. The
    formal parameters of a device function are variables or registers of it. `shared` has the names of the
    `.shared` variables declared in bodies so far, by identity: one of each in a kernel and all that it calls."""
    return _Flattener(bodies, shared).run(function)


class _Flattener:
    def __init__(self, bodies: dict[str, ptx.Function], shared: dict[int, str]) -> None:
        self.bodies = bodies
        self.shared_names = shared
        self.out = Flat()
        self.count = 0
        self.taken: dict[int, list[ptx.Variable]] = {}
        self.homes: set[str] = set()

    def run(self, function: ptx.Function) -> Flat:
        frame = _Frame("", name=function.name, device=not function.entry)
        homes: dict[str, str] = {}
        after: list[ptx.Inst] = []
        if not function.entry:
            for formal in (*function.returns, *function.params):
                if formal.space == "reg":
                    self.out.types[formal.name] = formal.type
                else:
                    self.out.variables[formal.name] = formal
            for formal in self.addressed(function):
                homes[formal.name] = self.home(formal, formal.name, formal in function.returns, after)
        if homes:
            frame.finish = f"$ret{self.fresh()}"
            frame.enter(ptx.Scope(), homes, "")
        self.body(frame, function, function.body or [])
        if homes:
            assert frame.finish is not None
            self.out.statements += (ptx.Label(frame.finish), *after)
        return self.out

    def addressed(self, function: ptx.Function) -> list[ptx.Variable]:
        """The formal .param variables whose address the body takes: they are in local memory."""
        key = id(function)
        if key not in self.taken:
            names = taken(function.body or [])
            formals = (*function.returns, *function.params)
            self.taken[key] = [v for v in formals if v.space == "param" and v.name in names]
        return self.taken[key]

    def home(self, formal: ptx.Variable, actual: str, output: bool, after: list[ptx.Inst]) -> str:
        """The local variable in which a formal parameter is while its function runs; what `actual` holds is copied to
        it now, or of an output back to it by `after`."""
        given = self.out.variables.get(actual, formal)
        size = size_of(given)
        name = f"{formal.name}{self.fresh()}"
        self.out.variables[name] = evolve(
            given, name=name, space="local", type="b8", vector=None, dims=(size,), align=max(align_of(given), 4)
        )
        self.homes.add(name)
        copies = after if output else self.out.statements
        at = 0
        while at < size:
            width = 4 if size - at >= 4 else 1
            register, type_ = ptx.Reg(f"{name}+{at}"), f"b{8 * width}"
            self.out.types[register.name] = type_ if width == 4 else "b16"
            here, there = (ptx.Address(ptx.Symbol(n), at) for n in (name, actual))
            come, go = ("param", type_), ("local", type_)
            if output:
                here, there, come, go = there, here, go, come
            copies.append(ptx.Inst("ld", come, (register, there)))
            copies.append(ptx.Inst("st", go, (here, register)))
            at += width
        return name

    def fresh(self) -> str:
        self.count += 1
        return f"~{self.count}"

    def body(self, frame: _Frame, scope: ptx.Function | ptx.Scope, body: list[ptx.Statement]) -> None:
        """Statements of one scope. Names of the outermost scope of the kernel stay as they are."""
        outermost = not frame.scopes and not frame.prefix
        suffix = "" if outermost else self.fresh()
        same = outermost and isinstance(scope, ptx.Function) and scope.entry and not self.shared_names
        if same:
            assert isinstance(scope, ptx.Function)
            self.out.outer = scope
        names: dict[str, str] = {}
        for item in body:
            if isinstance(item, ptx.Variable | ptx.Label | ptx.Branchtargets | ptx.Callprototype):
                names[item.name] = item.name + suffix
        frame.enter(scope, names, suffix)
        for item in body:
            if len(self.out.statements) > MAX_STATEMENTS:
                fail("ptxas.size", "function is too large after its calls are expanded", exit_status=EXIT_PTXAS)
            if type(item) is ptx.Inst:
                if same and item.opcode != "call":
                    self.out.statements.append(item)
                else:
                    self.instruction(frame, item)
            elif isinstance(item, ptx.Label):
                self.out.statements.append(ptx.Label(names[item.name], item.where))
            elif isinstance(item, ptx.Scope):
                self.body(frame, item, item.body)
            elif isinstance(item, ptx.Variable):
                self.variable(item, names, suffix)
            elif isinstance(item, ptx.Branchtargets):
                self.out.targets[names[item.name]] = tuple(self.rename(frame, t) for t in item.targets)
            elif isinstance(item, ptx.Callprototype):
                self.out.prototypes[names[item.name]] = item
            elif isinstance(item, ptx.Pragma) and item.text == "nounroll":
                last = self.out.statements[-1] if self.out.statements else None
                if isinstance(last, ptx.Label):
                    self.out.rolled.add(last.name)
        frame.scopes.pop()
        frame.names.pop()
        frame.suffixes.pop()

    def variable(self, item: ptx.Variable, names: dict[str, str], suffix: str) -> None:
        if item.space == "shared":
            known = self.shared_names.get(id(item))
            if known is None:
                known = item.name + suffix
                if known in self.shared_names.values():
                    known += f"~{len(self.shared_names)}"
                self.shared_names[id(item)] = known
                self.out.shared.append(evolve(item, name=known))
            self.out.variables[known] = evolve(item, name=known)
            names[item.name] = known
        else:
            self.out.variables[names[item.name]] = evolve(item, name=names[item.name])

    def rename(self, frame: _Frame, name: str) -> str:
        for names in reversed(frame.names):
            if (found := names.get(name)) is not None:
                return found
        return name

    def register(self, frame: _Frame, name: str) -> str:
        """The unique name of a register; registers it with its type. An undeclared one keeps its name."""
        if (known := frame.names[-1].get(name)) is not None:
            return known
        for scope, names, suffix in zip(
            reversed(frame.scopes), reversed(frame.names), reversed(frame.suffixes), strict=True
        ):
            if (found := names.get(name)) is not None:
                return found
            type_ = scope.type_of(name)
            if type_ is not None:
                new = name + suffix
                names[name] = new
                self.out.types[new] = type_
                return new
        return name

    def operand(self, frame: _Frame, item: ptx.Operand) -> ptx.Operand:
        kind = type(item)
        if type(item) is ptx.Reg:
            new = self.register(frame, item.name)
            return item if new == item.name else evolve(item, name=new)
        if kind is ptx.Int or kind is ptx.Float or kind is ptx.Special:
            return item
        if isinstance(item, ptx.Symbol):
            new = self.rename(frame, item.name)
            if new == item.name and self.is_parameter_register(frame, item.name):
                return ptx.Reg(self.register(frame, item.name))
            return item if new == item.name else evolve(item, name=new)
        if isinstance(item, ptx.Address):
            base = self.operand(frame, item.base)
            if base is item.base:
                return item
            return ptx.Address(base, item.offset)  # type: ignore[arg-type]
        if isinstance(item, ptx.Vector):
            return ptx.Vector(tuple(None if i is None else self.operand(frame, i) for i in item.items))
        if isinstance(item, ptx.Pair):
            second = None if item.second is None else self.operand(frame, item.second)
            return ptx.Pair(self.operand(frame, item.first), second)
        if isinstance(item, ptx.Tuple):
            return ptx.Tuple(tuple(self.operand(frame, i) for i in item.items))
        assert isinstance(item, ptx.Bracket)
        return ptx.Bracket(tuple(self.operand(frame, i) for i in item.items))

    def is_parameter_register(self, frame: _Frame, name: str) -> bool:
        """`.func (.reg .u32 %r) f(.reg .u32 %a)`: registers as formal parameters."""
        return any(
            isinstance(s, ptx.Function) and any(v.name == name and v.space == "reg" for v in (*s.params, *s.returns))
            for s in frame.scopes
        )

    def instruction(self, frame: _Frame, inst: ptx.Inst) -> None:
        operands = tuple([self.operand(frame, o) for o in inst.operands])
        guard = inst.guard
        if guard is not None:
            guard = self.operand(frame, guard)  # type: ignore[assignment]
        modifiers = self.local(frame, inst, operands)
        loc = inst.loc
        if frame.inlined_at is not None:
            loc = inlined(loc, frame.inlined_at, frame.name)
        same = guard is inst.guard and loc is inst.loc and all(map(is_, operands, inst.operands))
        same = same and modifiers is inst.modifiers
        new = inst if same else ptx.Inst(inst.opcode, modifiers, operands, guard, loc, inst.where)
        if inst.opcode == "call":
            target = callee(inst)
            body = self.bodies.get(target) if target is not None else None
            if body is not None:
                self.expand(frame, new, body)
                return
        if inst.opcode == "ret" and frame.finish is not None:
            new = ptx.Inst("bra", (), (ptx.Symbol(frame.finish),), guard, loc, inst.where)
        self.out.statements.append(new)

    def local(self, frame: _Frame, inst: ptx.Inst, operands: tuple[ptx.Operand, ...]) -> tuple[str, ...]:
        """The modifiers of an instruction. Where a register has the address, ld.param of a device function reads a
        formal parameter, whose address it has taken: local memory."""
        if not (frame.device and inst.opcode in ("ld", "st")):
            return inst.modifiers
        base = next((o.base for o in operands if isinstance(o, ptx.Address)), None)
        if not (isinstance(base, ptx.Reg) or (isinstance(base, ptx.Symbol) and base.name in self.homes)):
            return inst.modifiers
        if not _FORMAL.isdisjoint(inst.modifiers):
            return tuple("local" if m in _FORMAL else m for m in inst.modifiers)
        return inst.modifiers

    def expand(self, frame: _Frame, call: ptx.Inst, body: ptx.Function) -> None:
        """Put the callee's statements here."""
        returns, arguments = call_lists(call)
        if len(returns) != len(body.returns) or len(arguments) != len(body.params):
            _mismatch(call.where, body.name)
        suffix = self.fresh()
        finish = f"$ret{suffix}"
        if call.guard is not None:
            skip = ptx.Reg(call.guard.name, not call.guard.neg)
            self.out.statements.append(ptx.Inst("bra", (), (ptx.Symbol(finish),), skip, call.loc, call.where))
        inner = _Frame(
            suffix, finish=finish, inlined_at=call.loc or frame.inlined_at, name=body.name,
        )  # fmt: skip
        formal: dict[str, str] = {}
        before: list[ptx.Inst] = []
        after: list[ptx.Inst] = []
        addressed = self.addressed(body)
        for variable, actual in zip((*body.returns, *body.params), (*returns, *arguments), strict=True):
            output = any(variable is v for v in body.returns)
            named = actual if isinstance(actual, ptx.Symbol) and actual.name in self.out.variables else None
            if variable.space == "reg":
                new = variable.name + suffix
                self.out.types[new] = variable.type
                formal[variable.name] = new
                move = ("pred",) if variable.type == "pred" else (variable.type,)
                if actual == DISCARDED:
                    continue
                if named is not None:
                    place, kind = ptx.Address(named), ("param", variable.type)
                    if output:
                        after.append(ptx.Inst("st", kind, (place, ptx.Reg(new)), None, call.loc, call.where))
                    else:
                        before.append(ptx.Inst("ld", kind, (ptx.Reg(new), place), None, call.loc, call.where))
                elif output:
                    after.append(ptx.Inst("mov", move, (actual, ptx.Reg(new)), None, call.loc, call.where))
                else:
                    before.append(ptx.Inst("mov", move, (ptx.Reg(new), actual), None, call.loc, call.where))
            elif named is not None:
                formal[variable.name] = named.name
            else:
                # A register or constant stands for a parameter: make a variable of it.
                new = variable.name + suffix
                self.out.variables[new] = evolve(variable, name=new)
                formal[variable.name] = new
                place = ptx.Address(ptx.Symbol(new))
                if actual == DISCARDED:
                    pass
                elif output:
                    after.append(ptx.Inst("ld", ("param", variable.type), (actual, place), None, call.loc, call.where))
                else:
                    before.append(ptx.Inst("st", ("param", variable.type), (place, actual), None, call.loc, call.where))
        self.out.statements += before
        for variable in addressed:
            output, back = any(variable is v for v in body.returns), list[ptx.Inst]()
            formal[variable.name] = self.home(variable, formal[variable.name], output, back)
            after[:0] = back
        inner.enter(ptx.Scope(), formal, suffix)
        self.body(inner, body, body.body or [])
        self.out.statements.append(ptx.Label(finish))
        self.out.statements += after


def callee(call: ptx.Inst) -> str | None:
    """Name of the function that a call names directly."""
    for item in call.operands:
        if isinstance(item, ptx.Symbol):
            return item.name
        if isinstance(item, ptx.Reg):
            return None
    return None


def call_lists(call: ptx.Inst) -> tuple[tuple[ptx.Operand, ...], tuple[ptx.Operand, ...]]:
    """(return operands, argument operands) of a call."""
    returns: tuple[ptx.Operand, ...] = ()
    arguments: tuple[ptx.Operand, ...] = ()
    seen = False
    for item in call.operands:
        if isinstance(item, ptx.Tuple):
            if seen:
                arguments = item.items
            else:
                returns = item.items
        else:
            seen = True
    return returns, arguments


def inlined(loc: ptx.Loc | None, at: ptx.Loc, name: str) -> ptx.Loc | None:
    """A line inside a function that was expanded at `at`."""
    if loc is None:
        return at
    if loc.outer is not None:
        return evolve(loc, outer=inlined(loc.outer, at, name))
    return evolve(loc, function_name=f'"{name}"', inlined_at=(at.file, at.line, at.column), outer=at)


def _mismatch(where: Span | None, name: str) -> None:
    fail("ptxas.call", f"Arguments mismatch in a call of '{name}'", where, exit_status=EXIT_PTXAS)


def taken(body: Iterable[ptx.Statement]) -> set[str]:
    """The names that stand by themselves in instructions other than calls: whose address is taken."""
    out: set[str] = set()
    for item in body:
        if isinstance(item, ptx.Scope):
            out |= taken(item.body)
        elif isinstance(item, ptx.Inst) and item.opcode != "call":
            out.update(o.name for o in item.operands if isinstance(o, ptx.Symbol))
    return out


_FORMAL = frozenset({"param", "param::func"})

Statements = Iterable[ptx.Inst | ptx.Label]
