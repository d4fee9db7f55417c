"""multimem: loads that reduce over, and stores and reductions that go to, all copies of a multicast address.

A store is an ordinary one, a reduction REDG; a load is LDGMC, always at system scope (ptxas 13.0 for sm_90a).
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.atomics import atom
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.mbarrier import UZERO
from minicc.ptxas.lower.memory import memory_operand, st
from minicc.ptxas.lower.types import bits, dotted, type_of
from minicc.ptxas.mir import V, VMem
from minicc.record import evolve

_INTEGER = {"u32": "32", "s32": "S32", "b32": "32", "u64": "64", "s64": "S64", "b64": "64"}
_FLOAT = {
    ("f32", 1): "F32", ("f32", 2): "F32x2", ("f32", 4): "F32x4", ("f64", 1): "F64", ("f16", 2): "F16x2",
    ("f16", 4): "F16x4", ("f16", 8): "F16x8", ("bf16", 2): "BF16x2", ("bf16", 4): "BF16x4", ("bf16", 8): "BF16x8",
}  # fmt: skip
_OPERATIONS = ("add", "min", "max", "and", "or", "xor")


def multimem(b: Builder, inst: ptx.Inst) -> None:
    """multimem.{ld_reduce,st,red}"""
    what, *rest = inst.modifiers
    mods = tuple(m for m in rest if m != "weak")
    if what == "st":
        st(b, evolve(inst, opcode="st", modifiers=mods))
    elif what == "red":
        # Halves flush nothing, which red spells out.
        type_ = type_of(inst)
        if type_ in ("f16x2", "bf16x2", "f16", "bf16"):
            mods = (*mods[:-1], "noftz", mods[-1])
        atom(b, evolve(inst, opcode="red", modifiers=mods))
    else:
        _load(b, inst)


def _load(b: Builder, inst: ptx.Inst) -> None:
    d, where = inst.operands
    mods, type_ = inst.modifiers, type_of(inst)
    outs = list(d.items) if isinstance(d, ptx.Vector) else [d]
    element, many = (type_[:-2], 2 * len(outs)) if type_.endswith("x2") else (type_, len(outs))
    op = next((m for m in mods if m in _OPERATIONS), "").upper()
    kind = _INTEGER.get(type_) if len(outs) == 1 else None
    if kind is None:
        kind = _FLOAT.get((element, many))
        if kind is None or not op:
            b.unsupported()
        kind += ".RN"
    if any(m.startswith("acc::") for m in mods):
        op = f"F32{op}"
    memory = memory_operand(b, where, "global")
    words = len(outs) * max(1, bits(type_) // 32)
    out = b.temp(words)
    address = VMem(memory.base, memory.offset, UZERO)
    b.emit(dotted("LDGMC.E", op, kind, "STRONG.SYS"), (out,), (address,), memory="load", space="global", side=True)
    each = words // len(outs)
    for k, item in enumerate(outs):
        if item is not None:
            target = b.dst(item)
            for part in range(each):
                b.move(V(target.reg, part), V(out.reg, k * each + part))
    if "acquire" in mods:
        b.emit("CCTL.IVALL", memory="fence")


LOWER = {"multimem": multimem}
