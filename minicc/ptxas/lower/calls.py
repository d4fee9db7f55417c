"""Calls of functions that the driver provides: vprintf, __assertfail, malloc, free.

Their ABI, as the code that ptxas 13.0 makes for sm_90 shows it: arguments from R4 on, each aligned to its size; the
result in R4 (and R5); the return address in R20 and R21, made by LEPC; the function's address from constant bank 4.
R16 to R19 and everything from R22 on survive, as do B6 and up, UR36 and up.
"""

from __future__ import annotations

from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.flatten import call_lists, callee
from minicc.ptxas.lower.params import words
from minicc.ptxas.lower.symbols import round_up, size_of
from minicc.ptxas.mir import V, VConst
from minicc.sass.instr import Target

PROVIDED = frozenset({"vprintf", "__assertfail", "malloc", "free"})
FIRST_ARGUMENT, LAST_ARGUMENT = 4, 15
RETURN_ADDRESS = 20
SAVED_UNIFORM = 36
CLOBBERED = {"R": (*range(16), 20, 21), "P": tuple(range(7)), "B": tuple(range(6))}


def pinned(b: Builder, file: str, index: int, width: int = 1) -> V:
    """A virtual register that must be a certain physical one."""
    reg = b.fn.new(file, width)  # type: ignore[arg-type]
    reg.fixed = index
    reg.spillable = False
    return V(reg, 0, width)


def external(b: Builder, inst: ptx.Inst) -> None:
    """call of a function without a body."""
    name = callee(inst)
    if name is None:
        b.unsupported("indirect call")
    if name not in PROVIDED:
        fail("ptxas.extern", f"Unresolved extern function '{name}'", inst.where, exit_status=EXIT_PTXAS)
    returns, arguments = call_lists(inst)
    if name not in b.symbols.module.externs:
        b.symbols.module.externs.append(name)
    reads: list[V] = []
    at = FIRST_ARGUMENT
    for item in arguments:
        if not isinstance(item, ptx.Symbol) or item.name not in b.flat.variables:
            b.wrong("call: an argument must be a .param variable")
        size = size_of(b.flat.variables[item.name])
        count = max(1, size // 4)
        at = round_up(at, 2 if count > 1 else 1)
        values = words(b, item.name)
        assert values is not None
        if at + count - 1 > LAST_ARGUMENT:
            b.unsupported("call with that many arguments")
        if count == 2:
            target = pinned(b, "R", at, 2)
            b.move64(target, values[0], values[1])
            reads.append(target)
        else:
            for offset, value in enumerate(values):
                single = pinned(b, "R", at + offset)
                b.move(single, value)
                reads.append(single)
        at += count
    address = b.temp(2)
    b.emit("LDC.64", (address,), (VConst(4, b.symbols.slot(name)),))
    after = b.label("return")
    back = pinned(b, "R", RETURN_ADDRESS, 2)
    b.emit("LEPC", (back,), (Target(label=after),), side=True)
    call = b.emit("CALL.ABS.NOINC", (), (address,), side=True, memory="barrier")
    call.implicit_reads = (*reads, back)
    writes: list[V] = []
    results: list[V] = []
    for file, indices in CLOBBERED.items():
        for index in indices:
            made = pinned(b, file, index)
            writes.append(made)
            if file == "R" and index in (FIRST_ARGUMENT, FIRST_ARGUMENT + 1):
                results.append(made)
    call.implicit_writes = tuple(writes)
    b.start(after)
    # The place to return to must stay a block of its own, right after the call.
    b.emit("NOP", side=True)
    for item in returns:
        if not isinstance(item, ptx.Symbol):
            b.wrong("call: a result must be a .param variable")
        outs = words(b, item.name) or []
        for out, result in zip(outs, results, strict=False):
            b.move(out, result)
    b.has_calls = True


def branches(inst: ptx.Inst) -> bool:
    """A call ends its block."""
    return True
