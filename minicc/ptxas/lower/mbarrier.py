"""mbarrier objects, cluster barriers and addresses, asynchronous stores, register reallocation.

An mbarrier is 64 bits of shared memory. What SYNCS takes (read off ptxas 13.0's code for sm_90a): for EXCH at set-up
the word (2^20 - count) << 1 below and << 11 above; for a phase check the parity in bit 31, which is also bit 31 of the
upper half of an arrival's state; for arrivals the count or the bytes, as the suffix says: A arrivals, T bytes; 0, 1, R
(the register).
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower import arrivals, uniform
from minicc.ptxas.lower.builder import Builder, imm, inv, neg
from minicc.ptxas.lower.memory import address, fence_words, view_shared
from minicc.ptxas.lower.same import same
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V, VMem
from minicc.sass.instr import Imm, Reg

UZERO = Reg("UR", 63)
PENDING = 0xFFFFF


def place(b: Builder, item: ptx.Operand, space: str = "shared") -> tuple[MOperand, int]:
    """(register, offset) of a shared address; of a generic one the low half is that."""
    if space:
        base, offset = address(b, item, "shared")
        return base, offset
    pair, offset = address(b, item, "")
    assert isinstance(pair, V)
    return V(pair.reg, pair.part), offset


def _space(inst: ptx.Inst) -> str:
    return next((m for m in inst.modifiers if m.startswith("shared")), "")


def mbarrier(b: Builder, inst: ptx.Inst) -> None:
    """mbarrier.{init,inval,arrive,arrive_drop,expect_tx,complete_tx,test_wait,try_wait,pending_count}"""
    if "syncs" not in b.arch.features:
        arrivals.mbarrier(b, inst)
        return
    what = inst.modifiers[0]
    if what == "pending_count":
        d, state = inst.operands
        pending = b.logic(b.new("SHF.R.U32.HI", ZERO, imm(11), b.val64(state)[1]), imm(PENDING), 0xC0)
        b.emit("IADD3", (b.dst(d),), (neg(pending), imm(PENDING + 1), ZERO))
        return
    if what in ("test_wait", "try_wait"):
        _wait(b, inst, what == "try_wait")
        return
    if what == "init":
        _init(b, inst)
        return
    if what == "inval":
        base, offset = place(b, inst.operands[0], _space(inst))
        b.emit("SYNCS.CCTL.IV", (), (_memory(b, base, offset),), memory="barrier", side=True)
        return
    _arrive(b, inst, what)


def _memory(b: Builder, base: MOperand, offset: int) -> VMem:
    return VMem(b.reg(base), offset, UZERO)


def _init(b: Builder, inst: ptx.Inst) -> None:
    where, count = inst.operands
    base, offset = place(b, where, _space(inst))
    left = b.reg(b.new("IADD3", neg(b.reg(b.val(count))), imm(PENDING + 1), ZERO))
    low = b.new("SHF.L.U32", left, imm(1), ZERO)
    high = b.new("SHF.L.U32", left, imm(11), ZERO)
    view_shared(b)

    def one() -> None:
        word, at = uniform.group(b, (low, high)), uniform.group(b, (b.reg(base),))
        b.emit("SYNCS.EXCH.64", (UZERO,), (VMem(at, offset), word), memory="barrier", side=True)

    if same(b, where) and same(b, count) and b.guard is None:
        one()  # for all lanes at once
    else:
        uniform.alone(b, one)


def _arrive(b: Builder, inst: ptx.Inst, what: str) -> None:
    """The kinds of arrival; without a state to return they may go to another block's barrier."""
    mods = inst.modifiers
    operands = list(inst.operands)
    result: ptx.Operand | None = None
    if what in ("arrive", "arrive_drop"):
        result = operands.pop(0)
        if isinstance(result, ptx.Symbol):
            result = None
    base, offset = place(b, operands[0], _space(inst))
    amount = b.reg(b.val(operands[1])) if len(operands) > 1 else ZERO
    remote = "shared::cluster" in mods and result is None
    if what in ("expect_tx", "complete_tx"):
        count = "A0TR" if what == "expect_tx" else "A0TX"
        remote = True
    elif "expect_tx" in mods:
        count = ""
    else:
        count = "ART0" if len(operands) > 1 else "A1T0"
    if "cluster" in mods and "relaxed" not in mods:
        fence_words(b, "ALL", "cluster", invalidate=False)
    op = dotted("SYNCS.ARRIVE.TRANS64", "RED" if remote else "", "OPTOUT" if what == "arrive_drop" else "", count)
    out: MOperand = ZERO if result is None else b.dst(result, 2)
    b.emit(op, (out,), (_memory(b, base, offset), amount), memory="barrier", side=True)


def _wait(b: Builder, inst: ptx.Inst, sleeping: bool) -> None:
    """The time that a waiter may sleep is a hint, and not used."""
    p, where, state, *_ = inst.operands
    base, offset = place(b, where, _space(inst))
    if "parity" in inst.modifiers:
        phase: MOperand = b.new("SHF.L.U32", b.val(state), imm(31), ZERO)
    else:
        phase = b.reg(b.val64(state)[1])
    op = dotted("SYNCS.PHASECHK.TRANS64", "TRYWAIT" if sleeping else "")
    b.emit(op, (b.dst_pred(p),), (_memory(b, base, offset), phase), memory="barrier", side=True)
    if "cluster" in inst.modifiers and "relaxed" not in inst.modifiers:
        b.emit("CCTL.IVALL", memory="fence")


def copy_arrive(b: Builder, inst: ptx.Inst) -> None:
    """cp.async.mbarrier.arrive{.noinc}: the barrier learns when this thread's copies so far are there. ARRIVES takes a
    uniform address only: with a vector register as its base it is an illegal instruction on an H200."""
    if "syncs" not in b.arch.features:
        arrivals.copy_arrive(b, inst)
        return
    base, offset = place(b, inst.operands[0], _space(inst))
    if "noinc" not in inst.modifiers:
        where = _memory(b, base, offset)
        b.emit("SYNCS.ARRIVE.TRANS64.RED.A0T1", (ZERO,), (where, ZERO), memory="barrier", side=True)
    kind = "ARVCNT" if "noinc" in inst.modifiers else "TRANSCNT"

    def one() -> None:
        at = uniform.group(b, (b.reg(base),))
        b.emit(f"ARRIVES.LDGSTSBAR.64.{kind}", (), (VMem(None, offset, ureg=at),), memory="barrier", side=True)

    uniform.alone(b, one)


def cluster(b: Builder, inst: ptx.Inst) -> None:
    """barrier.cluster.{arrive,wait}. In a launch without clusters it is the block's own barrier 0; a kernel whose
    directives ask for clusters is never launched so."""
    if b.fn.attributes.get("CTA_PER_CLUSTER") or b.fn.attributes.get("EXPLICIT_CLUSTER"):
        if "arrive" in inst.modifiers:
            if "relaxed" not in inst.modifiers:
                fence_words(b, "ALL", "cluster", invalidate=False)
            b.emit("UCGABAR_ARV", memory="barrier", side=True)
        else:
            b.emit("UCGABAR_WAIT", memory="barrier", side=True)
            b.emit("CCTL.IVALL", memory="fence")
        return
    alone = b.setp("ISETP.NE.U32.AND", b.reg(_launched_as_cluster(b)), imm(1))
    other, done = b.label("block"), b.label("cluster")
    b.jump(other, alone)
    if "arrive" in inst.modifiers:
        if "relaxed" not in inst.modifiers:
            fence_words(b, "ALL", "cluster", invalidate=False)
        b.emit("UCGABAR_ARV", memory="barrier", side=True)
        b.start(other)
        b.emit("NOP", side=True)
        return
    b.emit("UCGABAR_WAIT", memory="barrier", side=True)
    b.emit("CCTL.IVALL", memory="fence")
    b.jump(done)
    b.start(other)
    b.fn.barriers = max(b.fn.barriers, 1)
    b.emit("BAR.SYNC.DEFER_BLOCKING", (), (Imm(0, "uint"),), memory="barrier", side=True)
    b.start(done)


def _launched_as_cluster(b: Builder) -> V:
    """1 in a launch with clusters, from the driver's part of bank 0."""
    from minicc.sass.instr import Const

    out = b.temp()
    b.emit("LDC", (out,), (Const(0, 0x140),))
    return out


def mapa(b: Builder, inst: ptx.Inst) -> None:
    """mapa{.shared::cluster}: the rank of a block in bits 24..31 of a shared address."""
    d, source, rank = inst.operands
    if "u64" in inst.modifiers:
        low, high = b.val64(source)
        out = b.dst(d, 2)
        made = b.new("PRMT", b.reg(b.val(rank)), imm(0x654), b.reg(low))
        b.move64(out, made, high)
        return
    b.emit("PRMT", (b.dst(d),), (b.reg(b.val(rank)), imm(0x654), b.reg(b.val(source))))


def rank(b: Builder, inst: ptx.Inst) -> None:
    """getctarank: the inverse of mapa."""
    d, source = inst.operands
    low = b.val64(source)[0] if "u64" in inst.modifiers else b.val(source)
    b.emit("SHF.R.U32.HI", (b.dst(d),), (ZERO, imm(24), b.reg(low)))


def registers(b: Builder, inst: ptx.Inst) -> None:
    """setmaxnreg.{inc,dec}: give registers of the block back, or wait until there are more."""
    count = b.constant(inst.operands[0])
    if count is None or count % 8 or not 24 <= count <= 256:
        b.wrong("setmaxnreg: a multiple of 8 from 24 to 256 was expected")
    if not b.fn.reconfigures:
        return
    b.fn.attributes["REG_RECONFIG"] = True
    if "dec" in inst.modifiers:
        b.emit("WARPSYNC.ALL", side=True, memory="barrier")
        b.emit("USETMAXREG.DEALLOC.CTAPOOL", (), (Imm(count, "uint"),), memory="barrier", side=True)
        return
    again = b.label("registers")
    b.start(again)
    b.emit("WARPSYNC.ALL", side=True, memory="barrier")
    got = V(b.fn.new("UP"))
    b.emit("USETMAXREG.TRY_ALLOC.CTAPOOL", (got,), (Imm(count, "uint"),), memory="barrier", side=True)
    p = b.pred()
    b.emit("PLOP3.LUT", (p, TRUE), (TRUE, TRUE, got, Imm(0x80, "uint"), Imm(0, "uint")))
    b.jump(again, inv(p))
    b.uniform_branches.add(b.last_jump)


def store_async(b: Builder, inst: ptx.Inst) -> None:
    """st.async and red.async: to another block's shared memory, counted by its mbarrier."""
    where, value, barrier = inst.operands
    type_ = next(m for m in reversed(inst.modifiers) if m[1:].isdigit() and m[0] in "busf")
    base, offset = place(b, where)
    other, other_offset = place(b, barrier)
    pair = b.temp(2)
    for part, (register, at) in enumerate(((base, offset), (other, other_offset))):
        if register == ZERO:
            b.move(V(pair.reg, part), imm(at))
        elif at:
            b.emit("IADD3", (V(pair.reg, part),), (register, imm(at), ZERO))
        else:
            b.move(V(pair.reg, part), register)
    items = [i for i in value.items if i is not None] if isinstance(value, ptx.Vector) else [value]
    words: list[MOperand] = []
    for item in items:
        words += b.val64(item, type_) if type_.endswith("64") else [b.val(item, type_)]
    if len(words) == 1:
        data: MOperand = b.reg(words[0])
    else:
        whole = b.temp(len(words))
        for k, word in enumerate(words):
            b.move(V(whole.reg, k), word)
        data = whole
    memory = VMem(V(pair.reg, 0, 2, suffix=("64",)), 0, UZERO)
    if inst.opcode == "red":
        what = next(m for m in inst.modifiers if m in ("add", "min", "max", "inc", "dec", "and", "or", "xor"))
        kind = "64" if type_.endswith("64") else "S32" if type_ == "s32" and what in ("min", "max") else ""
        b.emit(dotted("REDAS", what.upper(), kind), (), (memory, data), memory="atomic", side=True)
        return
    size = {1: "", 2: "64", 4: "128"}[len(words)]
    b.emit(dotted("STAS", size), (), (memory, data), memory="store", side=True)


def griddepcontrol(b: Builder, inst: ptx.Inst) -> None:
    """Programmatic dependent launch: wait for the grids before this one, or let the next one start."""
    b.emit("ACQBULK" if "wait" in inst.modifiers else "PREEXIT", memory="barrier", side=True)


def branches(inst: ptx.Inst) -> bool:
    """Which of these make blocks."""
    if inst.opcode == "mbarrier":
        return "init" in inst.modifiers
    return inst.opcode in ("barrier", "setmaxnreg")


LOWER = {
    "mbarrier": mbarrier, "mapa": mapa, "getctarank": rank, "setmaxnreg": registers, "griddepcontrol": griddepcontrol,
}  # fmt: skip
