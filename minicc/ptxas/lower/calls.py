"""Call sites: of functions of the module, through pointers, and of what the driver provides.

Functions of the module lie in the kernel's own code and are called relative to it; a pointer is an offset into the
table of code offsets in constant bank 2 (see `callgraph`). vprintf, __assertfail, malloc and free have absolute
addresses, which the driver writes into constant bank 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.ptx import model as ptx
from minicc.ptxas.lower import abi, stack
from minicc.ptxas.lower.builder import STACK, Builder
from minicc.ptxas.lower.callgraph import symbols_of
from minicc.ptxas.lower.flatten import DISCARDED, call_lists, callee
from minicc.ptxas.lower.memory import quad
from minicc.ptxas.lower.params import words
from minicc.ptxas.lower.types import bits
from minicc.ptxas.mir import RETURN_POINT, ZERO, MInst, MOperand, V, VConst, function_label
from minicc.record import evolve
from minicc.sass.instr import Target

PROVIDED = frozenset({
    "vprintf", "__assertfail", "malloc", "free", "cudaGraphSetConditional", "cudaGraphKernelNodeSetEnabled",
    "cudaGraphKernelNodeSetParam", "cudaGraphKernelNodeSetGridDim", "cudaGraphKernelNodeUpdatesApply",
})  # fmt: skip


def call(b: Builder, inst: ptx.Inst) -> None:
    """call{.uni} (results), function, (arguments){, targets or prototype}"""
    name = callee(inst)
    returns, arguments = call_lists(inst)
    b.has_calls = True
    if name is None:
        _indirect(b, inst, returns, arguments)
    elif name in b.symbols.calls.bodies:
        body = b.symbols.calls.bodies[name]
        b.fn.calls.append(body.name)

        def jump() -> MInst:
            b.emit("MOV", (V(abi.return_address(b).reg, 0),), (RETURN_POINT,), side=True)
            b.move(V(abi.return_address(b).reg, 1), ZERO)
            return b.emit("CALL.REL.NOINC", (), (Target(label=function_label(body.name)),), side=True, memory="barrier")

        _transfer(b, (body.returns, returns), (body.params, arguments), jump)
    elif name in PROVIDED:
        _provided(b, name, inst, returns, arguments)
    else:
        fail("ptxas.extern", f"Unresolved extern function '{name}'", inst.where, exit_status=EXIT_PTXAS)


Formals = list[ptx.Variable]
Actuals = tuple[ptx.Operand, ...]


def _transfer(
    b: Builder, results: tuple[Formals, Actuals], arguments: tuple[Formals, Actuals], jump: Callable[[], MInst]
) -> None:
    """Arguments into place, the call that `jump` makes, results out of place."""
    for formals, actuals in (results, arguments):
        if len(formals) != len(actuals):
            b.wrong("Arguments mismatch in a call")
    reads: list[V] = []
    for formal, actual, where in zip(*arguments, abi.places(arguments[0]), strict=True):
        if where.stop > abi.MAX_WORDS:
            b.unsupported("a call with that many arguments")
        for word, value in zip(where, _given(b, formal, actual, len(where)), strict=True):
            register = abi.put(b, word, value, STACK)
            if register is not None:
                reads.append(register)
    if b.flat.takes_memory and any(abi.overflow(abi.places(formals)) for formals, _ in (arguments, results)):
        b.unsupported("alloca and a call with that many arguments in one function")
    made = stack.below(b, jump)
    made.implicit_reads = (*reads, abi.return_address(b))
    made.implicit_writes = abi.clobbers(b)
    for actual, where in zip(results[1], abi.places(results[0]), strict=True):
        for word, out in zip(where, _taken(b, actual, len(where)), strict=True):
            abi.get(b, out, word, STACK)


def _given(b: Builder, formal: ptx.Variable, actual: ptx.Operand, count: int) -> list[MOperand]:
    """The words of an argument."""
    if isinstance(actual, ptx.Symbol) and actual.name in b.flat.variables:
        found = words(b, actual.name) or []
        if len(found) != count:
            b.wrong(f"Arguments mismatch in a call: '{actual.name}'")
        return list(found)
    if bits(formal.type) == 128:
        whole = quad(b, actual)
        return [V(whole.reg, part) for part in range(4)]
    if count > 2:
        b.wrong("Arguments mismatch in a call")
    if count == 2:
        return list(b.val64(actual, formal.type))
    return [b.val(actual, formal.type)]


def _taken(b: Builder, actual: ptx.Operand, count: int) -> list[V]:
    """Where the words of a result go."""
    if actual == DISCARDED:
        return [b.temp() for _ in range(count)]
    if isinstance(actual, ptx.Symbol) and actual.name in b.flat.variables:
        found = words(b, actual.name) or []
        if len(found) != count:
            b.wrong(f"Arguments mismatch in a call: '{actual.name}'")
        return found
    out = b.dst(actual, count)
    if out.reg.width < count:
        b.wrong("Arguments mismatch in a call")
    return [V(out.reg, part) for part in range(count)]


def _indirect(b: Builder, inst: ptx.Inst, returns: Actuals, arguments: Actuals) -> None:
    """call (results), %pointer, (arguments), prototype, targets or table"""
    pointer = next(o for o in inst.operands if isinstance(o, ptx.Reg))
    table = inst.operands[-1]
    formals: tuple[Formals, Formals] | None = None
    if isinstance(table, ptx.Symbol):
        prototype = b.flat.prototypes.get(table.name)
        if prototype is not None:
            formals = list(prototype.returns), list(prototype.params)
        else:
            known = [n for n in _listed(b, table.name) if n in b.symbols.calls.bodies]
            if known:
                body = b.symbols.calls.bodies[known[0]]
                formals = body.returns, body.params
    if formals is None:
        b.wrong("call: a .callprototype, .calltargets or table of an indirect call was expected")
    b.fn.indirect = True
    low = b.reg(b.val64(pointer)[0])
    after = b.label("return")
    barrier = V(b.fn.new("B"))

    def jump() -> MInst:
        address = b.temp(2)
        b.emit("LDC.64", (address,), (VConst(2, 0, low),))
        # Lanes that go to different functions meet again here.
        b.emit("BSSY", (barrier,), (Target(label=after),), side=True)
        b.emit("MOV", (V(abi.return_address(b).reg, 0),), (RETURN_POINT,), side=True)
        b.move(V(abi.return_address(b).reg, 1), ZERO)
        made = b.emit("CALL.REL.NOINC", (), (address, Target(address=0)), side=True, memory="barrier")
        b.emit("BSYNC", (), (barrier,), side=True)
        b.start(after)
        return made

    _transfer(b, (formals[0], returns), (formals[1], arguments), jump)


def _listed(b: Builder, name: str) -> Iterable[str]:
    """The functions that a .calltargets list, or a variable of the module, has."""
    variable = b.symbols.globals.get(name)
    return b.flat.targets.get(name, ()) if variable is None else symbols_of(variable.init)


def provided(b: Builder, name: str) -> MInst:
    """The jump to a function of the driver's."""
    b.has_calls = True
    for known in (b.symbols.module.externs, b.fn.callees):
        if name not in known:
            known.append(name)
    address = b.temp(2)
    b.emit("LDC.64", (address,), (VConst(4, b.symbols.slot(name)),))
    b.emit("LEPC", (abi.return_address(b),), (RETURN_POINT,), side=True)
    return b.emit("CALL.ABS.NOINC", (), (address,), side=True, memory="barrier")


def _provided(b: Builder, name: str, inst: ptx.Inst, returns: Actuals, arguments: Actuals) -> None:
    """A call of a function of the driver's."""

    def formals(actuals: Actuals) -> Formals:
        out = []
        for item in actuals:
            if not isinstance(item, ptx.Symbol) or item.name not in b.flat.variables:
                b.wrong("call: an argument must be a .param variable")
            out.append(b.flat.variables[item.name])
        return out

    given = formals(arguments)
    # The driver's functions count an argument's alignment by its size.
    given = [evolve(v, align=8) if v.type.endswith("64") else v for v in given]
    if abi.overflow(abi.places(given)):
        b.unsupported("call with that many arguments")
    _transfer(b, (formals(returns), returns), (given, arguments), lambda: provided(b, name))


def branches(inst: ptx.Inst) -> bool:
    """A guarded call is branched around."""
    return True


__all__ = ["call", "provided"]
