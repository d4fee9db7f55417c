"""What a texture or surface is like: txq, suq, istypep.

Sizes come from the texture's header (TXQ); the rest from the descriptor that the driver keeps for each handle, in
tables whose addresses stand in constant bank 0 and whose stride the driver writes into the code. Places of the fields
as ptxas 13.0 has them.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.lower.symbols import REFERENCES
from minicc.ptxas.lower.texture import each
from minicc.ptxas.mir import TRUE, ZERO, V, size_of_outside
from minicc.sass.instr import Const, Imm, Name

_SIZES = {"width": 1, "height": 2, "depth": 4}
_SAMPLER = {"addr_mode_0": 0x0, "addr_mode_1": 0x4, "addr_mode_2": 0x8, "filter_mode": 0xC}
_TEXTURE = {"normalized_coords": 0xC, "channel_data_type": 0x10, "channel_order": 0x14, "array_size": 0x18,
            "num_mipmap_levels": 0x1C, "num_samples": 0x20}  # fmt: skip
_TABLES: dict[tuple[str, bool], tuple[tuple[str, int, dict[str, int]], ...]] = {
    ("txq", False): ((
        ".nv.unified.texrefDescSize", 0,
        {name: at + 0xC for name, at in _SAMPLER.items()} | {name: at + 0x10 for name, at in _TEXTURE.items()}
        | {"force_unnormalized_coords": 0, "memory_layout": 0},
    ),),
    ("txq", True): (
        (".nv.independent.texrefDescSize", 0, _TEXTURE),
        (".nv.independent.samplerrefDescSize", 1,
         _SAMPLER | {"force_unnormalized_coords": 0x10, "memory_layout": 0}),
    ),
    **{("suq", independent): ((
        ".nv.surfrefDescSize", 2,
        {"channel_data_type": 0xC, "channel_order": 0x10, "memory_layout": 0x14, "array_size": 0x1C},
    ),) for independent in (False, True)},
}  # fmt: skip
"""(opcode, are samplers told apart) -> the tables: symbol of the stride, number in `Abi.descriptors`, fields."""


def branches(inst: ptx.Inst) -> bool:
    """Lanes with different handles take turns."""
    return any(m in _SIZES for m in inst.modifiers)


def query(b: Builder, inst: ptx.Inst) -> None:
    """txq{.level}.WHAT.b32 d, [handle]{, level}; suq likewise"""
    d, where, *level = inst.operands
    if not isinstance(where, ptx.Address) or isinstance(where.base, ptx.Int) or where.offset:
        b.wrong("Arguments mismatch: a texture or surface")
    what = next(m for m in inst.modifiers if m not in ("level", "b32"))
    if what not in _SIZES:
        _described(b, inst.opcode, what, d, where.base)
        return
    at = b.reg(b.val(level[0])) if level else b.temp()
    if not level:
        b.move(at, ZERO)
    out = b.dst(d)

    def use(pair: V) -> None:
        srcs = (at, Name("TEX_HEADER_DIMENSION"), pair, Imm(0, "uint"), Imm(_SIZES[what], "uint"))
        b.emit("TXQ", (ZERO, V(out.reg, 0)), srcs, memory="load", space="texture", side=True)

    each(b, (where.base,), use)


def _described(b: Builder, opcode: str, what: str, d: ptx.Operand, handle: ptx.Operand) -> None:
    """A field of the descriptor."""
    tables = _TABLES[opcode, b.symbols.independent]
    symbol, table, fields = next(t for t in tables if what in t[2])
    b.symbols.module.references[symbol] = "size"
    size, address = b.temp(), b.temp(2)
    b.emit("MOV", (size,), (size_of_outside(symbol),))
    at = b.reg(b.val64(handle)[0])
    b.emit("IMAD.WIDE.U32", (address,), (at, size, Const(0, b.arch.abi.descriptors[table])))
    where = b.global_address(V(address.reg, 0, 2, suffix=("64",)), fields[what])
    b.emit("LDG.E.CONSTANT", (b.dst(d),), (where,), memory="load", space="global")


def istypep(b: Builder, inst: ptx.Inst) -> None:
    """istypep.TYPE p, a: is the handle one of a module's texture, sampler or surface?"""
    p, a = inst.operands
    bit = REFERENCES[inst.modifiers[0]]
    found = b.logic(b.reg(b.val64(a)[1]), imm(bit), 0xC0)
    b.emit("ISETP.NE.U32.AND", (b.dst_pred(p), TRUE), (found, ZERO, TRUE))


LOWER = {"txq": query, "suq": query, "istypep": istypep}
