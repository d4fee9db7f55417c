"""Warpgroup matrix multiply (wgmma): 64 x N x K over four warps; operands in shared memory are descriptors."""

from __future__ import annotations

from minicc.sass.isa.notation import Row, op
from minicc.sass.isa.timing import GMMA, SYSTEM

ON = "sm_90"
FLAGS = (
    "72,63,61..62: - negA negB negA.negB tnspA negA.tnspA negB.tnspA negA.negB.tnspA tnspB negA.tnspB negB.tnspB"
    " negA.negB.tnspB tnspA.tnspB negA.tnspA.tnspB negB.tnspA.tnspB negA.negB.tnspA.tnspB"
)
FLAGS_B = "63,62: - negB tnspB negB.tnspB"
GROUP = "84..86: gsb0 ? ? ? ? ? ? -*"


def _shapes(depths: tuple[int, int]) -> str:
    """N from 8 to 256 by bits 53..57, depth by bit 58."""
    return "53..58: " + " ".join(f"64x{8 * (n + 1)}x{k}" for k in depths for n in range(32))


BINARY = "53..57: " + " ".join(f"64x{n}x256" for n in (8, 16, 24, 32, *range(48, 257, 16)))
WIDE = "53..57: " + " ".join(f"64x{8 * (n + 1)}x32" for n in range(32))


INTEGER = "53..57: " + " ".join(f"64x{n}x32" for n in (8, 16, 24, 32, *range(48, 257, 16)))


def gmma(mnemonic: str, opcode: int, mods: str, hidden: str = "", **fields: str) -> tuple[Row, ...]:
    """A from shared memory (opcode) or from registers (opcode + 0x400); Rc is the accumulator read, !UPx? switches it
    off."""
    return (
        op(mnemonic, opcode, f"{mods} Rd:gmma_d, gdesc[URa{{flags}}:4], Rc:gmma_d, !UPx?, {{group}}?", GMMA,
           when="73=0 91=1", on=ON, hidden=hidden, flags=FLAGS, group=GROUP, **fields),
        op(mnemonic, opcode | 0x400, f"{mods} Rd:gmma_d, -Ra:4, gdesc[URb{{flags}}:2], Rc:gmma_d, !UPx?, {{group}}?",
           GMMA, when="73=0 91=1", on=ON, hidden=hidden, flags=FLAGS_B, group=GROUP, **fields),
    )  # fmt: skip


def sparse(mnemonic: str, opcode: int, mods: str, **fields: str) -> tuple[Row, ...]:
    """The sparse forms: a metadata register and selector follow the accumulator."""
    return (
        op(mnemonic, opcode,
           f".SP{mods}{{far}} Rd:gmma_d, gdesc[URa{{flags}}:4], Rc:gmma_d, !UPx?, Re, #id, {{group}}?", GMMA,
           when="73=1 91=1", on=ON, flags=FLAGS, group=GROUP, far="74: - REGOFFSET", id="48..49", **fields),
        op(mnemonic, opcode | 0x400,
           f".SP{mods}{{far}} Rd:gmma_d, -Ra:4, gdesc[URb{{flags}}:2], Rc:gmma_d, !UPx?, Re, #id, {{group}}?", GMMA,
           when="73=1 91=1", on=ON, flags=FLAGS_B, group=GROUP, far="74: - REGOFFSET", id="48..49", **fields),
    )  # fmt: skip


HALF = {"acc": "75: F16 F32", "type": "76..77: - BF16 TF32 ?"}
EIGHT = {"acc": "75: F16 F32", "a": "76: E4M3 E5M2", "b": "77: E4M3 E5M2"}

ROWS = (
    *gmma("HGMMA", 0x9F0, "{shape}{acc}{type}", shape=_shapes((16, 8)), **HALF),
    *sparse("HGMMA", 0x9F0, "{shape}{acc}{type}", shape=_shapes((32, 16)), **HALF),
    *gmma("QGMMA", 0x9F3, "{shape}{acc}{a}{b}", shape=WIDE, **EIGHT),
    *gmma("IGMMA", 0x9F1, "{shape}{a}{b}{sat}", shape=INTEGER, sat="75: - SAT", a="76: U8 S8", b="82: U8 S8"),
    *gmma("BGMMA", 0x9F2, "{shape}.AND.POPC", hidden="op=78..80=5", shape=BINARY),
    op("WARPGROUP", 0x9C5, "{step} ", SYSTEM, when="80=0", on=ON, step="79: ARRIVE WAIT"),
    op("WARPGROUP", 0x9C5, ".DEPBAR.LE 'gsb0', #count", SYSTEM, when="79..80=2", on=ON, hidden="group=44..47=8",
       count="72..74"),
    op("WARPGROUPSET", 0xD5E, ".AC URb", SYSTEM, when="79=0 91=1", on=ON),
    op("WARPGROUPSET", 0xD5E, ".SB URb, 'gsb0'", SYSTEM, when="79=1 91=1", on=ON),
    op("USETMAXREG", 0x9C8, ".DEALLOC.CTAPOOL #count", SYSTEM._replace(uniform=True), when="72..73=1 91=1",
       on="sm_90 sm_100 sm_120", hidden="pool=74=1 result=81..83=7", count="32..41"),
    op("USETMAXREG", 0x9C8, ".TRY_ALLOC.CTAPOOL UPd, #count", SYSTEM._replace(uniform=True), when="72..73=2 91=1",
       hidden="pool=74=1", on="sm_90 sm_100 sm_120", count="32..41"),
    op("USETMAXREG", 0x3C8, ".DEALLOC.CTAPOOL URb", SYSTEM._replace(uniform=True), when="91=1",
       on="sm_90 sm_100 sm_120"),
)  # fmt: skip
