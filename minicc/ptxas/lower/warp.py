"""Warp-wide instructions: shfl, vote, match, redux, activemask, elect, nanosleep.

A `.sync` instruction runs when the lanes of its mask have arrived. Where the block may be executed by part of a warp,
WARPSYNC brings them together first (`converge` removes it where the whole warp is known to be there). More lanes than
those of the mask may be there too, and lanes with other masks (tiles of a warp): results are cut down to the mask.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm, neg
from minicc.ptxas.lower.types import bits, type_of
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm, Name, Target

FULL = 0xFFFFFFFF


def warpsync(b: Builder, mask: ptx.Operand) -> None:
    """Wait for the lanes of a mask."""
    known = b.constant(mask)
    if known is not None and known & FULL == FULL:
        b.emit("WARPSYNC.ALL", side=True, memory="barrier")
    else:
        b.emit("WARPSYNC", (), (b.reg(b.val(mask)),), side=True, memory="barrier")


def gather(b: Builder, mask: ptx.Operand) -> None:
    """WARPSYNC before a collective; marked, so that it can go where it is not needed."""
    warpsync(b, mask)
    b.collective.add(b.block.insts[-1])


def members(b: Builder, mask: ptx.Operand) -> MOperand | None:
    """The mask, unless it is all ones."""
    known = b.constant(mask)
    if known is not None and known & FULL == FULL:
        return None
    return b.val(mask)


def shfl(b: Builder, inst: ptx.Inst) -> None:
    """shfl{.sync}.mode.b32 d{|p}, a, lane, clamp{, mask}"""
    d, source, lane, clamp, *mask = inst.operands
    if mask:
        gather(b, mask[0])
    first, second = (d.first, d.second) if isinstance(d, ptx.Pair) else (d, None)
    mode = next(m for m in inst.modifiers if m in ("up", "down", "bfly", "idx")).upper()
    out = b.temp() if isinstance(first, ptx.Symbol) else b.dst(first)
    x = b.reg(b.val(source))
    by = b.constant(lane)
    limit = b.constant(clamp)
    y: MOperand = Imm(by & 31, "uint") if by is not None else b.reg(b.val(lane))
    z: MOperand = Imm(limit & 0x1F1F, "uint") if limit is not None and limit & 0x1F1F else b.reg(b.val(clamp))
    if limit is not None and not limit & 0x1F1F:
        z = ZERO
    b.emit(f"SHFL.{mode}", (b.dst_pred(second), out), (x, y, z), side=True)


def vote(b: Builder, inst: ptx.Inst) -> None:
    """vote{.sync}.{all,any,uni,ballot}"""
    d, source, *mask = inst.operands
    if mask:
        gather(b, mask[0])
    p = b.pred_of(source)
    some = members(b, mask[0]) if mask else None
    if "ballot" in inst.modifiers:
        votes = b.dst(d) if some is None else b.temp()
        b.emit("VOTE.ANY", (votes, TRUE), (p,), side=True)
        if some is not None:
            b.lop(b.dst(d), votes, some, ZERO, 0xC0)
        return
    if some is not None:
        _vote_of(b, d, p, some, inst.modifiers)
        return
    mode = next({"all": "ALL", "any": "ANY", "uni": "EQ"}[m] for m in inst.modifiers if m in ("all", "any", "uni"))
    b.emit(f"VOTE.{mode}", (b.dst_pred(d),), (p,), side=True)


def _vote_of(b: Builder, d: ptx.Operand, p: MOperand, mask: MOperand, mods: tuple[str, ...]) -> None:
    """A vote of the lanes of a mask that is not the whole warp."""
    votes = b.temp()
    b.emit("VOTE.ANY", (votes, TRUE), (p,), side=True)
    # All: no lane of the mask is missing; any: some lane is there; uni: either none or all.
    there = b.logic(votes, mask, 0xC0)
    missing = b.logic(votes, mask, 0x0C)
    out = b.dst_pred(d)
    if "any" in mods:
        b.emit("ISETP.NE.U32.AND", (out, TRUE), (there, ZERO, TRUE))
    elif "all" in mods:
        b.emit("ISETP.EQ.U32.AND", (out, TRUE), (missing, ZERO, TRUE))
    else:
        none = b.setp("ISETP.EQ.U32.AND", there, ZERO)
        b.emit("ISETP.EQ.U32.OR", (out, TRUE), (missing, ZERO, none))


def match(b: Builder, inst: ptx.Inst) -> None:
    """match.{any,all}.sync.{b32,b64}"""
    d, source, mask = inst.operands
    gather(b, mask)
    wide = bits(type_of(inst)) == 64
    x = b.pair(source) if wide else b.reg(b.val(source))
    suffix = ".U64" if wide else ""
    first, second = (d.first, d.second) if isinstance(d, ptx.Pair) else (d, None)
    out = b.temp() if isinstance(first, ptx.Symbol) else b.dst(first)
    some = members(b, mask)
    if some is not None:
        same = b.temp()
        b.emit(f"MATCH.ANY{suffix}", (same,), (x,), side=True)
        if "all" not in inst.modifiers:
            b.lop(out, same, some, ZERO, 0xC0)
            return
        mine = b.reg(some)
        p = b.setp("ISETP.EQ.U32.AND", b.logic(same, mine, 0xC0), mine)
        b.select(out, mine, ZERO, p)
        if second is not None:
            b.move(b.dst_pred(second), p)
    elif "all" in inst.modifiers:
        b.emit(f"MATCH.ALL{suffix}", (b.dst_pred(second), out), (x,), side=True)
    else:
        b.emit(f"MATCH.ANY{suffix}", (out,), (x,), side=True)


def redux(b: Builder, inst: ptx.Inst) -> None:
    """redux.sync.op.type d, a, mask"""
    type_ = type_of(inst)
    d, source, mask = inst.operands
    if type_ not in ("u32", "s32", "b32"):
        b.unsupported()
    some = members(b, mask)
    if some is None:
        gather(b, mask)
    op = next(m for m in inst.modifiers if m in ("add", "min", "max", "and", "or", "xor"))
    word = {"add": ".SUM", "min": ".MIN", "max": ".MAX", "and": "", "or": ".OR", "xor": ".XOR"}[op]
    if op in ("min", "max") and type_ == "s32":
        word += ".S32"
    result = b.uniform()
    if some is None:
        b.emit(f"REDUX{word}", (result,), (b.reg(b.val(source)),), side=True)
        b.emit("MOV", (b.dst(d),), (result,))
        return
    # Only the lanes of one mask run between WARPSYNC.EXCLUSIVE and BSYNC.
    value, lanes, after, barrier = b.reg(b.val(source)), b.reg(some), b.label("redux"), V(b.fn.new("B"))
    b.emit("BSSY", (barrier,), (Target(label=after),), side=True)
    b.emit("WARPSYNC.EXCLUSIVE", (), (lanes,), side=True, memory="barrier")
    b.emit(f"REDUX{word}", (result,), (value,), side=True)
    b.emit("MOV", (b.dst(d),), (result,), side=True)
    b.emit("BSYNC", (), (barrier,), side=True)
    b.start(after)


def branches(inst: ptx.Inst) -> bool:
    """Does the instruction make blocks?"""
    return inst.opcode == "redux"


def activemask(b: Builder, inst: ptx.Inst) -> None:
    b.emit("VOTE.ANY", (b.dst(inst.operands[0]), TRUE), (TRUE,), side=True)


def elect(b: Builder, inst: ptx.Inst) -> None:
    """elect.sync d|p, mask: one lane of the mask is chosen, the lowest that is active."""
    d, mask = inst.operands
    gather(b, mask)
    first, second = (d.first, d.second) if isinstance(d, ptx.Pair) else (d, None)
    some = members(b, mask)
    if some is not None:
        chosen, lane = b.temp(), b.temp()
        lowest = b.logic(b.new("IADD3", neg(b.reg(some)), ZERO, ZERO), some, 0xC0)
        b.emit("FLO.U32", (chosen,), (lowest,))
        b.emit("S2R", (lane,), (Name("SR_LANEID"),))
        b.emit("ISETP.EQ.U32.AND", (b.dst_pred(second), TRUE), (lane, chosen, TRUE))
        if not isinstance(first, ptx.Symbol):
            b.move(b.dst(first), chosen)
        return
    leader = b.uniform()
    b.emit("ELECT", (b.dst_pred(second), leader), (TRUE,), side=True)
    if not isinstance(first, ptx.Symbol):
        b.emit("MOV", (b.dst(first),), (leader,))


def nanosleep(b: Builder, inst: ptx.Inst) -> None:
    time = b.constant(inst.operands[0])
    if time is not None:
        b.emit("NANOSLEEP", (), (Imm(time & FULL, "uint"),), side=True)
    else:
        b.emit("NANOSLEEP", (), (b.reg(b.val(inst.operands[0])),), side=True)


LOWER = {
    "shfl": shfl,
    "vote": vote,
    "match": match,
    "redux": redux,
    "activemask": activemask,
    "elect": elect,
    "nanosleep": nanosleep,
}
__all__ = ["LOWER", "V", "imm"]
