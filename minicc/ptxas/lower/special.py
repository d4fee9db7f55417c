"""Special registers: where each PTX name is read from. Facts: what ptxas 13.0 emits for sm_90."""

from __future__ import annotations

from minicc.ptxas.lower.builder import Builder, Pair, imm, neg
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.sass.instr import Const, Name

_S2R = {
    **{f"%tid.{a}": f"SR_TID.{a.upper()}" for a in "xyz"},
    **{f"%ctaid.{a}": f"SR_CTAID.{a.upper()}" for a in "xyz"},
    "%laneid": "SR_LANEID",
    "%smid": "SR_VIRTUALSMID",
    "%lanemask_eq": "SR_EQMASK",
    "%lanemask_lt": "SR_LTMASK",
    "%lanemask_le": "SR_LEMASK",
    "%lanemask_gt": "SR_GTMASK",
    "%lanemask_ge": "SR_GEMASK",
    "%cluster_ctarank": "SR_CgaCtaId",
}
_BANK0 = {
    "%nsmid": 0x10C, "%dynamic_smem_size": 0x2C, "%reserved_smem_offset_end": 0x68, "%cluster_nctarank": 0x188,
    "%reserved_smem_offset_1": 0x6C,
    **{f"%cluster_nctaid.{a}": 0x144 + 4 * i for i, a in enumerate("xyz")},
    **{f"%nclusterid.{a}": 0x15C + 4 * i for i, a in enumerate("xyz")},
}  # fmt: skip
_FIXED = {"%reserved_smem_offset_begin": 0, "%reserved_smem_offset_0": 0, "%reserved_smem_offset_cap": 0x400}
_RECIPROCAL = 0x150
"""In bank 0: three f32, one over the blocks of a cluster in each direction."""
_KIND = 0x140
"""In bank 0: 1 for a launch with clusters (so NVIDIA's ptxas reads %is_explicit_cluster)."""
_GRAPH = 0x190
_MOST_SHARED = 0x13C
_CS2R = {
    "%clock": "SR_CLOCKLO", "%clock_hi": "SR_CLOCKHI", "%globaltimer_lo": "SR_GLOBALTIMERLO",
    "%globaltimer_hi": "SR_GLOBALTIMERHI", **{f"%pm{i}": f"SR_PM{i}" for i in range(8)},
    **{f"%pm{i}_64": f"SR_PM{i}" for i in range(8)},
}  # fmt: skip
_CS2R64 = {"%clock64": "SR_CLOCKLO", "%globaltimer": "SR_GLOBALTIMERLO"}


def read(b: Builder, name: str) -> Pair:
    """The value of a special register as (low, high); high is RZ for 32-bit ones."""
    abi = b.arch.abi
    if name in _S2R:
        out = b.temp(hint=name)
        b.emit("S2R", (out,), (Name(_S2R[name]),))
        return out, ZERO
    stem, _, axis = name.partition(".")
    if stem in ("%ntid", "%nctaid") and axis in ("x", "y", "z"):
        base = abi.block_dim if stem == "%ntid" else abi.grid_dim
        return _bank0(b, base + 4 * "xyz".index(axis)), ZERO
    if axis == "w":
        return ZERO, ZERO
    if name in _BANK0:
        return _bank0(b, _BANK0[name]), ZERO
    if name in _CS2R:
        out = b.temp(hint=name)
        b.emit("CS2R.32", (out,), (Name(_CS2R[name]),), side=True)
        return out, ZERO
    if name in _CS2R64:
        pair = b.temp(2, name)
        b.emit("CS2R", (pair,), (Name(_CS2R64[name]),), side=True)
        return V(pair.reg, 0), V(pair.reg, 1)
    if name in ("%warpid", "%nwarpid"):
        register, width = ("SR_VIRTID", 7) if name == "%warpid" else ("SR_VIRTCFG", 8)
        raw = b.temp(hint=name)
        b.emit("S2R", (raw,), (Name(register),))
        return _field(b, raw, 8, width), ZERO
    if name == "%gridid":
        pair = b.temp(2, name)
        b.emit("LDC.64", (pair,), (Const(0, 0x30),))
        return V(pair.reg, 0), V(pair.reg, 1)
    if name == "%total_smem_size":
        total = b.temp(hint=name)
        b.emit("S2R", (total,), (Name("SR_SMEMSZ"),))
        system = _bank0(b, 0x114)
        out = b.temp()
        b.emit("IADD3", (out,), b.minus(total, system))
        return out, ZERO
    if name in _FIXED:
        return imm(_FIXED[name]), ZERO
    if stem in ("%clusterid", "%cluster_ctaid") and axis:
        return _cluster(b, axis, inner=stem == "%cluster_ctaid"), ZERO
    if name == "%is_explicit_cluster":
        p = b.setp("ISETP.EQ.AND", b.reg(_bank0(b, _KIND)), imm(1))
        return b.sel(imm(1), ZERO, p), ZERO
    if name == "%current_graph_exec":
        pair = b.temp(2, name)
        b.emit("LDC.64", (pair,), (Const(0, _GRAPH),))
        return V(pair.reg, 0), V(pair.reg, 1)
    if name == "%aggr_smem_size":
        own = b.temp(hint=name)
        b.emit("S2R", (own,), (Name("SR_SMEMSZ"),))
        return b.new("VIMNMX.U32", own, _bank0(b, _MOST_SHARED), TRUE), ZERO
    if name.startswith("%envreg"):
        return _bank0(b, abi.environment + 4 * int(name[7:])), ZERO
    b.unsupported(f"special register '{name}'")


def _cluster(b: Builder, axis: str, inner: bool) -> MOperand:
    """The number of the block's cluster, by a product that is exact enough to round down; or of the block in it."""
    at = 4 * "xyz".index(axis)
    block = b.reg(read(b, f"%ctaid.{axis}")[0])
    number = b.new("FMUL", b.new("I2FP.F32.U32", block), b.reg(_bank0(b, _RECIPROCAL + at)))
    whole = b.temp()
    b.emit("F2I.U32.TRUNC.NTZ", (whole,), (number,))
    if not inner:
        return whole
    minus = b.new("IADD3", neg(whole), ZERO, ZERO)
    return b.new("IMAD", minus, b.reg(_bank0(b, 0x144 + at)), block)


def _bank0(b: Builder, offset: int) -> MOperand:
    out = b.temp()
    b.emit("LDC", (out,), (Const(0, offset),))
    return out


def _field(b: Builder, value: MOperand, position: int, width: int) -> MOperand:
    moved = b.new("SHF.R.U32.HI", ZERO, imm(position), value)
    return b.logic(moved, imm((1 << width) - 1), 0xC0)
