"""Records of a kernel that tools read: where its mbarrier instructions are, which sparse products it has.

EIATTR_MBARRIER_INSTR_OFFSETS holds four words for each: byte offset, number of the address register (255: none), the
offset in the address, and kind | 1 << 8 | uniform register << 16. Kinds as ptxas 13.0 writes them.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.mir import MInst
from minicc.sass.instr import RZ, URZ, Instr, Mem

_KINDS = {
    ("init", ""): 0, ("arrive", ""): 1, ("arrive", "noComplete"): 2, ("arrive_drop", ""): 3,
    ("arrive_drop", "noComplete"): 4, ("test_wait", ""): 5, ("test_wait", "parity"): 6, ("inval", ""): 8,
    ("try_wait", ""): 9, ("try_wait", "parity"): 10, ("expect_tx", ""): 11, ("complete_tx", ""): 12,
}  # fmt: skip
_COPY = 7
_STRIDE = 1 << 8


_SPARSE = {"QGMMA": 1, "HGMMA": 2, "IGMMA": 4, "HMMA": 16, "IMMA": 32}
_SPARSE_EIGHT = 8
"""EIATTR_SPARSE_MMA_MASK of ptxas 13.0 for sm_90a; the last one for mma.sp of 8-bit floats, which is made of halves."""


def sparse(origin: list[MInst]) -> int:
    """The mask of the kinds of sparse products."""
    mask = 0
    for inst in origin:
        if "SP" in inst.modifiers and inst.mnemonic in _SPARSE:
            mask |= _SPARSE[inst.mnemonic]
            eight = inst.mnemonic == "HMMA" and inst.ptx is not None and {"e4m3", "e5m2"} & {*inst.ptx.modifiers}
            mask |= _SPARSE_EIGHT if eight else 0
    return mask


def mbarriers(instrs: list[Instr], origin: list[MInst], size: int) -> dict[str, object]:
    """The records, if there is such an instruction. `size`: bytes of an instruction."""
    words: list[int] = []
    count = 0
    for n, (instr, inst) in enumerate(zip(instrs, origin, strict=False)):
        source = inst.ptx
        if instr.mnemonic not in ("SYNCS", "ARRIVES") or not isinstance(source, ptx.Inst):
            continue
        kind = _kind(source, instr.mnemonic)
        place = next((o for o in instr.operands if isinstance(o, Mem)), None)
        if kind is None or place is None:
            continue
        count += kind == 0
        base = place.base.index if place.base is not None and place.base.file == "R" else RZ
        uniform = place.ureg or (place.base if place.base is not None and place.base.file == "UR" else None)
        number = URZ if uniform is None else uniform.index
        words += (n * size, base, place.offset & 0xFFFFFFFF, kind | _STRIDE | number << 16)
    return {"MBARRIER_INSTR_OFFSETS": tuple(words), "NUM_MBARRIERS": count} if words else {}


def _kind(source: ptx.Inst, mnemonic: str) -> int | None:
    if source.opcode == "cp":
        return _COPY if mnemonic == "ARRIVES" else None
    if source.opcode != "mbarrier" or (source.modifiers[0].startswith("arrive") and "expect_tx" in source.modifiers):
        return None
    detail = next((m for m in source.modifiers if m in ("parity", "noComplete")), "")
    return _KINDS.get((source.modifiers[0], detail))
