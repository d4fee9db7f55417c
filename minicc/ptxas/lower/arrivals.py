"""mbarriers of machines without SYNCS (sm_80 to sm_89): two words of shared memory and atomics on them.

Read off ptxas 13.0's code for sm_80. The lower word is 2^30 less the arrivals that each phase expects, the upper one
2^31 less those still to come in this one; its bit 31 is the phase. ATOMS.ARRIVE adds one to the upper word and, when
that ends the phase, begins the next from the lower word; so does each lane's ARRIVES when its copies are there. All
else is ordinary: arrivals that end no phase are added, as one that is to come is subtracted, and a phase is over when
bit 31 is no longer that of an arrival's state.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptx import model as ptx
from minicc.ptxas.lower import uniform
from minicc.ptxas.lower.builder import Builder, imm, neg
from minicc.ptxas.lower.memory import MAX_OFFSET, address, fence_words
from minicc.ptxas.lower.same import same
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V, VMem
from minicc.sass.instr import Const, Reg

_BYTES = 8
"""Of an mbarrier."""
EXPECTED, PENDING = 1 << 30, 1 << 31
PHASE = 1 << 31
UZERO = Reg("UR", 63)


def _place(b: Builder, item: ptx.Operand, shared: bool) -> tuple[MOperand, int]:
    """(register, offset) in shared memory; a generic address is one in its window."""
    if shared:
        return address(b, item, "shared", MAX_OFFSET - _BYTES)
    pair, offset = address(b, item, "", MAX_OFFSET - _BYTES)
    assert isinstance(pair, V)
    window = b.temp(2)
    b.emit("LDC.64", (window,), (Const(0, b.arch.abi.shared_window),))
    return b.new("IADD3", V(pair.reg, pair.part), neg(V(window.reg, 0)), ZERO), offset


def mbarrier(b: Builder, inst: ptx.Inst) -> None:
    """mbarrier.{init,inval,arrive,arrive_drop,test_wait,pending_count}"""
    what = inst.modifiers[0]
    operands = list(inst.operands)
    if what == "pending_count":
        upper = b.logic(b.val64(operands[1])[1], imm(PHASE - 1), 0xC0)
        b.emit("IADD3", (b.dst(operands[0]),), (neg(upper), imm(PENDING), ZERO))
        return
    result = operands.pop(0) if what in ("arrive", "arrive_drop", "test_wait") else None
    base, offset = _place(b, operands[0], any(m.startswith("shared") for m in inst.modifiers))

    def at(more: int) -> VMem:
        return VMem(b.reg(base), offset + more)

    if what == "init":
        words = b.temp(2)
        count = b.reg(b.val(operands[1]))
        for part, origin in enumerate((EXPECTED, PENDING)):
            b.emit("IADD3", (V(words.reg, part),), (neg(count), imm(origin), ZERO))
        b.emit("STS.64", (), (at(0), words), memory="barrier", side=True)
    elif what == "test_wait":
        assert result is not None
        now = b.temp()
        b.emit("LDS", (now,), (at(4),), memory="barrier", side=True)
        _changed(b, result, now, b.new("SHF.L.U32", b.val(operands[1]), imm(31), ZERO)
                 if "parity" in inst.modifiers else b.val64(operands[1])[1])  # fmt: skip
    elif what != "inval":  # after which the words are anybody's
        assert result is not None
        fence_words(b, "ALL", "cta")
        _arrive(b, inst, result, at, operands[1:])


def _changed(b: Builder, result: ptx.Operand, now: MOperand, state: MOperand) -> None:
    differs = b.logic(now, imm(PHASE), 0x48, b.reg(state))
    b.emit("ISETP.NE.U32.AND", (b.dst_pred(result), TRUE), (differs, ZERO, TRUE))


def _arrive(
    b: Builder, inst: ptx.Inst, result: ptx.Operand, at: Callable[[int], VMem], counts: list[ptx.Operand]
) -> None:
    """With .noComplete of `counts`, else one that may end the phase. The state is the object as it was."""
    leaves = inst.modifiers[0] == "arrive_drop"
    out: MOperand = ZERO if isinstance(result, ptx.Symbol) else b.dst(result, 2)
    if "noComplete" in inst.modifiers:
        count = b.reg(b.val(counts[0]))
        if leaves:
            b.emit("ATOMS.ADD", (ZERO,), (at(0), count), memory="atomic", side=True)
        old = b.temp()
        b.emit("ATOMS.ADD", (old,), (at(4), count), memory="atomic", side=True)
        if isinstance(out, V):
            b.move64(out, old, old)
        return
    if leaves:
        b.emit("ATOMS.POPC.INC.32", (ZERO,), (_uniform(at(0)),), memory="atomic", side=True)
    b.emit("ATOMS.ARRIVE.64", (out,), (_uniform(at(0)),), memory="atomic", side=True)


def _uniform(memory: VMem) -> VMem:
    return VMem(memory.base, memory.offset, UZERO)


def copy_arrive(b: Builder, inst: ptx.Inst) -> None:
    """cp.async.mbarrier.arrive{.noinc}: an arrival of each lane when its copies so far are there; without .noinc one
    more is expected in this phase."""
    base, offset = _place(b, inst.operands[0], "shared" in inst.modifiers)
    if "noinc" not in inst.modifiers:
        b.emit("ATOMS.ADD", (ZERO,), (VMem(b.reg(base), offset + 4), b.reg(imm(-1))), memory="atomic", side=True)

    def issue(where: list[MOperand]) -> None:
        (at,) = where
        assert isinstance(at, V)
        b.emit("ARRIVES.LDGSTSBAR.64", (), (VMem(None, offset, ureg=at),), memory="barrier", side=True)

    uniform.together(b, same(b, inst.operands[0]), lambda: [uniform.group(b, (b.reg(base),))], issue)
