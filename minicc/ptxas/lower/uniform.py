"""Uniform instructions that one lane at a time executes: bulk copies, tensor-map copies, mbarrier set-up.

PTX says that each thread does one; the machine takes its operands from uniform registers. So the lanes take turns:

    turn:  ELECT p             the lowest lane that is here
           @!p BRA next
           R2UR ...; the instruction
    next:  @!p BRA turn

What is as good done once as many times (a store, a prefetch) is done once for all lanes whose operands are equal, as
ptxas does it: a warp that stores one tile by all its lanes stores it once. Where one lane at most comes by there are no
turns (`lone`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minicc.ptxas.lower.builder import Builder, inv
from minicc.ptxas.mir import TRUE, MOperand, V
from minicc.sass.instr import Imm, Reg

URZ = Reg("UR", 63)


def alone(b: Builder, body: Callable[[], None]) -> None:
    """Let each active lane run `body` by itself."""
    turn, after = b.label("turn"), b.label("next")
    b.start(turn)
    p = b.pred()
    elected = b.emit("ELECT", (p, URZ), (TRUE,), side=True)
    around = b.jump(after, inv(p))
    body()
    b.start(after)
    b.turns.append((elected, around, b.jump(turn, inv(p))))


def together(
    b: Builder, uniform: bool, make: Callable[[], list[MOperand]], issue: Callable[[list[MOperand]], None]
) -> None:
    """`issue` with the operands that `make` puts into uniform registers, once for each of their values that lanes have;
    `uniform`: there is only one."""
    if uniform:
        issue(make())
        return
    turn, after = b.label("turn"), b.label("next")
    b.start(turn)
    b.moved = []
    operands = make()
    p: MOperand = TRUE
    for value, target in dict.fromkeys(b.moved):
        p = b.setp("ISETP.EQ.U32.AND", value, target, p)
    b.moved = None
    around = b.jump(after, inv(p))
    issue(operands)
    b.start(after)
    b.turns.append((None, around, b.jump(turn, inv(p))))


def group(b: Builder, values: Sequence[MOperand | None], side: bool = False) -> V:
    """Values of the one lane that runs in consecutive uniform registers; None: whatever one holds. `side`: in program
    order with other side effects, so that few such groups are needed at once."""
    out = V(b.fn.new("UR", _width(len(values))), 0, len(values))
    for part, value in enumerate(values):
        target = V(out.reg, part)
        if value is None:
            continue
        if isinstance(value, Imm):
            b.emit("UMOV", (target,), (Imm(value.bits),), side=side)
        elif isinstance(value, V) and value.reg.file == "UR":
            b.emit("UMOV", (target,), (value,), side=side)
        else:
            register = b.reg(value)
            b.emit("R2UR", (target,), (register,), side=side)
            if b.moved is not None:
                b.moved.append((register, target))
    return out


def _width(count: int) -> int:
    return count if count <= 2 else 4 if count <= 4 else 8


__all__ = ["URZ", "alone", "group", "together"]
