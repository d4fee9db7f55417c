"""Bulk and tensor-map copies (TMA), started by one thread and finished by an mbarrier or a group."""

from __future__ import annotations

from minicc.sass.isa.notation import Row, op
from minicc.sass.isa.timing import STS, UMEM

ON = "sm_90 sm_100 sm_120"
DIM = "79..81: 1D 2D 3D 4D 5D ? ? ?"
REDUCTION = "87..89: ADD MIN MAX INC DEC AND OR XOR"
SCOPE = "77..80: - ? ? ? ? STRONG.SM ? STRONG.GPU ? ? STRONG.SYS"
TYPE = "81..84: - S32 U64 S64 F16.RN F32.RN F32.FTZ.RN F64.RN BF16.RN"


def hinted(mnemonic: str, opcode: int, syntax: str, **fields: str) -> tuple[Row, ...]:
    """Without and with the cache-hint descriptor (bit 76) behind the operands."""
    return (
        op(mnemonic, opcode, syntax, UMEM, when="76=0 91=1", on=ON, **fields),
        op(mnemonic, opcode, f"{syntax}, desc[URe:2]", UMEM, when="76=1 91=1", on=ON, **fields),
    )


ROWS = (
    *hinted("UTMALDG", 0x3B4, "{dim}{im2col}{cast} [URb:tile], [URa:2], URc", dim=DIM, im2col="82: - IM2COL",
            cast="75: - MULTICAST"),
    *hinted("UTMALDG", 0x5B4, "{dim} [URb:tile], [URa:2]", dim=DIM),
    *hinted("UTMASTG", 0x3B5, "{dim}{im2col} [URb:tile], [URa:2]", dim=DIM, im2col="82: - IM2COL"),
    *hinted("UTMAREDG", 0x3B6, "{dim}{im2col}{op} [URb:tile], [URa:2]", dim=DIM, im2col="82: - IM2COL", op=REDUCTION),
    *hinted("UTMAPF", 0x3B8, ".L2{dim}{im2col} [URb:tile], [URa:2], URc", dim=DIM, im2col="82..83: ? ? ? IM2COL"),
    *hinted("UTMAPF", 0x5B8, ".L2{dim} [URb:tile], [URa:2]", dim=DIM),
    op("UTMACMDFLUSH", 0x9B7, " ", UMEM, on=ON),
    op("UTMACCTL", 0x9B9, ".IVALL ", UMEM, when="82..83=3 91=0", on=ON),
    op("UTMACCTL", 0x9B9, "{what} [URa:2]", UMEM, when="91=1", on=ON, what="82: IV PF"),
    *hinted("UBLKCP", 0x3BA, "{to}{from_}{cast}{prefetch}{seq}{scope} [URb:2], [URa:copied], URc", to="73: G S",
            from_="74: G S", cast="75: - MULTICAST", seq="83: - SEQUENCED", prefetch="81..82: - LTC64B LTC128B LTC256B",
            scope=SCOPE),
    *hinted("UBLKRED", 0x3BB, "{to}{from_}{op}{type}{scope} [URb:2], [URa:copied], URc", to="73: G S", from_="74: ? S",
            op=REDUCTION, type=TYPE, scope=SCOPE),
    *hinted("UBLKPF", 0x3BC, ".L2 [URa:2], URc"),
    # Stores to another block's shared memory in the cluster.
    op("STAS", 0xDBD, "{size} [Ra.64:2+URc+#off]?, Rb:size", STS, when="90=1 91=1", on=ON, hidden="order=75=1",
       size="73..74: - 64 128 ?", off="40..63 int"),
    op("STAS", 0xDBD, "{size} [Ra.U32+URc+#off], Rb:size", STS, when="90=0 91=1", on=ON, hidden="order=75=1",
       size="73..74: - 64 128 ?", off="40..63 int"),
    op("REDAS", 0xDBE, "{op}{type} [Ra.U32+URc+#off], Rb:type", STS, when="72=0 91=1", on=ON, op=REDUCTION,
       type="73..74: - S32 64 ?", off="40..63 int"),
    op("REDAS", 0xDBE, "{op}{type} [Ra.64:2+URc+#off]?, Rb:type", STS, when="72=1 91=1", on=ON, op=REDUCTION,
       type="73..74: - S32 64 ?", off="40..63 int"),
    op("USETSHMSZ", 0x3C9, " URb", UMEM, when="91=1", on=ON),
    op("USETSHMSZ", 0x9C9, " #size", UMEM, when="72=0 91=1", on=ON, size="32..51"),
    op("USETSHMSZ", 0x9C9, ".FLUSH ", UMEM, when="72=1 91=1", on=ON),
)  # fmt: skip
