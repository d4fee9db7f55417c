"""Warpgroup matrix multiply (wgmma): 64 x N x K over four warps; operands in shared memory are descriptors."""

from __future__ import annotations

from collections.abc import Sequence

from minicc.sass.isa.notation import Row, op
from minicc.sass.isa.timing import GMMA, SYSTEM

ON = "sm_90"
ALL = "72,63,61..62: " + " ".join(
    ".".join(name for bit, name in enumerate(("negA", "negB", "tnspA", "tnspB")) if v >> bit & 1) or "-"
    for v in range(16)
)
ALL_B = "63,62: - negB tnspB negB.tnspB"
SIGNS, SIGNS_B = "72,63: - negA negB negA.negB", "63: - negB"
GROUP = "84..86: gsb0 ? ? ? ? ? ? -*"
COLUMNS = (8, 16, 24, 32, *range(48, 257, 16))
"""N of the integer forms."""


def gmma(
    mnemonic: str, opcode: int, mods: str, flags: str = "", flags_b: str = "", hidden: str = "", **fields: str
) -> tuple[Row, ...]:
    """A from shared memory (opcode), or from registers (opcode + 0x400); Rc is the accumulator, !UPx? switches it off.
    `flags` are the suffixes of the descriptors (transposed, negated)."""
    mark, sign = ("{flags}", "-") if flags else ("", "")
    return (
        op(mnemonic, opcode, f"{mods} Rd:gmma_d, gdesc[URa{mark}:4], Rc:gmma_d, !UPx?, {{group}}?", GMMA,
           when="73=0 91=1", on=ON, hidden=hidden, flags=flags, group=GROUP, **fields),
        op(mnemonic, opcode | 0x400, f"{mods} Rd:gmma_d, {sign}Ra:4, gdesc[URb{mark}:4], Rc:gmma_d, !UPx?, {{group}}?",
           GMMA, when="73=0 91=1", on=ON, hidden=hidden, flags=flags_b, group=GROUP, **fields),
    )  # fmt: skip


def sparse(
    mnemonic: str, opcode: int, mods: str, flags: str = "", flags_b: str = "", chosen: str = "#id?", **fields: str
) -> tuple[Row, ...]:
    """The sparse forms: a metadata register and selector follow the accumulator."""
    mark, sign = ("{flags}", "-") if flags else ("", "")
    head, tail = f".SP{{far}}{mods} Rd:gmma_d,", f"Rc:gmma_d, !UPx?, Re, {chosen}, {{group}}?"
    more = {"far": "74: - REGOFFSET", "id": "48..49", "group": GROUP} | fields
    return (
        op(mnemonic, opcode, f"{head} gdesc[URa{mark}:4], {tail}", GMMA, when="73=1 91=1", on=ON, flags=flags, **more),
        op(mnemonic, opcode | 0x400, f"{head} {sign}Ra:4, gdesc[URb{mark}:4], {tail}", GMMA, when="73=1 91=1", on=ON,
           flags=flags_b, **more),
    )  # fmt: skip


def doubled(bits: str, columns: Sequence[int], first: int, step: int) -> str:
    """The field of 64 x N x 64, the depth of the sparse forms of 8-bit types."""
    return f"{bits}: " + " ".join(f"{first + step * n}=64x{width}x64" for n, width in enumerate(columns))


def shapes(bits: str, columns: Sequence[int], depths: Sequence[int], step: int = 1) -> str:
    """The field of 64 x N x K: N by the low bits in steps of `step`, K by the ones above."""
    return f"{bits}: " + " ".join(
        f"{len(depths[:k]) * 32 + step * n}=64x{width}x{depth}"
        for k, depth in enumerate(depths)
        for n, width in enumerate(columns)
    )


EIGHTS = range(8, 257, 8)
HALF = {"acc": "75: F16 F32", "type": "76..77: - BF16 TF32 ?"}
EIGHT = {"acc": "75: F16 F32", "a": "76: E4M3 E5M2", "b": "77: E4M3 E5M2"}
BYTES = {"a": "76: U8 S8", "b": "82: U8 S8", "sat": "75: - SAT"}

ROWS = (
    *gmma("HGMMA", 0x9F0, "{shape}{acc}{type}", ALL, ALL_B, shape=shapes("53..58", EIGHTS, (16, 8)), **HALF),
    *sparse("HGMMA", 0x9F0, "{shape}{acc}{type}", ALL, ALL_B, "#id", shape=shapes("53..57,59,58", EIGHTS, (16, 32)),
            **HALF),
    *gmma("QGMMA", 0x9F3, "{shape}{acc}{a}{b}", SIGNS, SIGNS_B, shape=shapes("53..57", EIGHTS, (32,)), **EIGHT),
    *gmma("IGMMA", 0x9F1, "{shape}{a}{b}{sat}", shape=shapes("53..58", COLUMNS, (32,), 3), **BYTES),
    *sparse("QGMMA", 0x9F3, "{shape}{acc}{a}{b}", SIGNS, SIGNS_B, shape=doubled("53..58", EIGHTS, 32, 1), **EIGHT),
    *sparse("IGMMA", 0x9F1, "{shape}{a}{b}{sat}", shape=doubled("53..58", COLUMNS, 1, 3), **BYTES),
    *gmma("BGMMA", 0x9F2, "{shape}.AND.POPC", hidden="op=78..80=5", shape=shapes("53..57", COLUMNS, (256,))),
    op("WARPGROUP", 0x9C5, "{step} ", SYSTEM, when="80=0", on=ON, step="79: ARRIVE WAIT"),
    op("WARPGROUP", 0x9C5, ".DEPBAR.LE 'gsb0', #count", SYSTEM, when="79..80=2", on=ON, hidden="group=44..47=8",
       count="72..74"),
    op("WARPGROUPSET", 0xD5E, ".AC URb", SYSTEM, when="79=0 91=1", on=ON),
    op("WARPGROUPSET", 0xD5E, ".SB URb, 'gsb0'", SYSTEM, when="79=1 91=1", on=ON),
    op("USETMAXREG", 0x9C8, ".DEALLOC.CTAPOOL #count", SYSTEM._replace(uniform=True), when="72..73=1 91=1",
       on="sm_90 sm_100 sm_120", hidden="pool=74=1 result=81..83=7", count="32..41"),
    op("USETMAXREG", 0x9C8, ".TRY_ALLOC.CTAPOOL UPd, #count", SYSTEM._replace(uniform=True, variable=True),
       when="72..73=2 91=1", hidden="pool=74=1", on="sm_90 sm_100 sm_120", count="32..41"),
    op("USETMAXREG", 0x3C8, ".DEALLOC.CTAPOOL URb", SYSTEM._replace(uniform=True), when="91=1",
       on="sm_90 sm_100 sm_120"),
)  # fmt: skip
