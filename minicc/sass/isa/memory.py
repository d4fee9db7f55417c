"""Loads and stores: generic, global, local, shared, constant; asynchronous copies to shared memory; matrix loads.

Global and generic addresses are a 64-bit pair with `E`, else 32 bits. With bit 91 a uniform register joins: a
descriptor (desc[UR][...], bit 76), or an addend, the vector part then being 64 (bit 90) or 32 bits wide. sm_80 has
the descriptor in the same bits, but prints nothing of it (hdesc).
"""

from __future__ import annotations

from minicc.sass.isa.notation import EVICT, EXTENDED, LOAD_SCOPE, PREFETCH, SCOPE, SIZE, Row, described, op
from minicc.sass.isa.timing import LDC, LDG, LDGSTS, LDS, STG, STS, ULDC, Timing

NEW = "sm_90 sm_100 sm_120"
OLD = "sm_80 sm_90"
OFFSET = "40..63 int"
LOAD = {"e": EXTENDED, "evict": EVICT, "prefetch": PREFETCH, "size": SIZE, "scope": LOAD_SCOPE, "off": OFFSET}
STORE = {"e": EXTENDED, "evict": EVICT, "size": SIZE, "scope": SCOPE, "off": OFFSET}
CONST_SIZE = "73..75: U8 S8 U16 S16 -* 64 ? ?"
SHARED_SIZE = {"size": SIZE, "off": OFFSET}
COPY_SIZE = "73..74: - 64 128 ?"
COPY_SCOPE = (
    "77..80: - CONSTANT.PRIVATE CONSTANT.CTA CONSTANT.CTA.PRIVATE CONSTANT MMIO.CTA GPU.PRIVATE MMIO.CTA.PRIVATE"
    " MMIO.SM CONSTANT.SM MMIO.VC CONSTANT.SM.PRIVATE MMIO.GPU CONSTANT.VC CONSTANT.VC.PRIVATE CONSTANT.GPU"
)


def addressed(
    mnemonic: str,
    opcode: int,
    uniform_opcode: int,
    mods: str,
    before: str,
    after: str,
    timing: Timing,
    uniform: str,
    **fields: str,
) -> tuple[Row, ...]:
    """The address forms of one access: plain, with descriptor, with uniform addend. `before` and `after` are the
    operands around the address; `uniform` is the slot of the uniform register. With `long_off` the plain form has a
    32-bit offset, and its data register moves out of the way."""
    long = mods.replace("{e}", ".E")
    first = after.replace("Rb", "Rc") if "long_off" in fields else after
    plain = {k: v for k, v in fields.items() if k != "long_off"} | (
        {"off": fields["long_off"]} if "long_off" in fields else {}
    )
    wide = {k: v for k, v in fields.items() if k != "long_off"}
    return (
        op(mnemonic, opcode, f"{mods} {before}[Ra:e+#off]{first}", timing, when="91=0", **plain),
        op(mnemonic, uniform_opcode, f"{long} {before}desc[{uniform}:2][Ra.64:2+#off]{after}", timing,
           when="91=1 90=1 76=1 72=1", on=NEW, **wide),
        op(mnemonic, uniform_opcode, f"{long} {before}[Ra.64:2+{uniform}+#off]{after}", timing,
           when="91=1 90=1 76=0 72=1", on=NEW, **wide),
        op(mnemonic, uniform_opcode, f"{mods} {before}[Ra.U32+{uniform}:2+#off]{after}", timing, when="91=1 90=0",
           on=NEW, hidden="desc=76=0", **wide),
        *described(mnemonic, uniform_opcode, f"{long} {before}desc[{uniform}:2][Ra.64:2+#off]{after}", timing,
                   when="91=1 90=1 76=1 72=1", on="sm_80", **wide),
        op(mnemonic, uniform_opcode, f"{long} {before}[Ra.64:2+{uniform}+#off]{after}", timing,
           when="91=1 90=1 76=0 72=1", on="sm_80", **wide),
        op(mnemonic, uniform_opcode, f"{mods} {before}[Ra.U32+{uniform}:2+#off]{after}", timing, when="91=1 90=0",
           on="sm_80", hidden="desc=76=0", **wide),
    )  # fmt: skip


def shared(
    mnemonic: str, opcode: int, uniform_opcode: int, mods: str, before: str, after: str, timing: Timing, uniform: str
) -> tuple[Row, ...]:
    """Shared-memory access: register times 1, 4, 8 or 16, plus offset; or with a uniform register added."""
    scaled = {"scaled": "78..79: - X4 X8 X16", **SHARED_SIZE}
    return (
        op(mnemonic, opcode, f"{mods} {before}[Ra{{scaled}}+#off]{after}", timing, when="91=0", **scaled),
        op(
            mnemonic,
            uniform_opcode,
            f"{mods} {before}[Ra{{scaled}}+{uniform}+#off]{after}",
            timing,
            when="91=1",
            **scaled,
        ),
    )


def local(
    mnemonic: str, opcode: int, uniform_opcode: int, before: str, after: str, timing: Timing, uniform: str
) -> tuple[Row, ...]:
    """Access to the thread's local memory: 24-bit signed offset from a register."""
    fields = {"evict": EVICT, "size": SIZE, "off": OFFSET}
    mods = "{evict}{size}"
    return (
        op(mnemonic, opcode, f"{mods} {before}[Ra+#off]{after}", timing, when="91=0", **fields),
        op(mnemonic, uniform_opcode, f"{mods} {before}[Ra+{uniform}+#off]{after}", timing, when="91=1 76=0", **fields),
        op(
            mnemonic,
            uniform_opcode,
            f"{mods} {before}desc[{uniform}:2][Ra+#off]{after}",
            timing,
            when="91=1 76=1",
            **fields,
        ),
    )


COPY = {
    "bypass": "81: BYPASS -*", "evict": EVICT, "prefetch": "71..72: - LTC64B LTC128B LTC256B", "size": COPY_SIZE,
    "zfill": "82: - ZFILL", "scope": COPY_SCOPE, "to": "44..63 signed", "off": "32..43 int",
}  # fmt: skip
COPY_MODS = ".E{bypass}{evict}{prefetch}{size}{zfill}{scope}"


ROWS = (
    *addressed("LDG", 0x381, 0x981, "{e}{evict}{prefetch}{size}{scope}", "Pd?, Rd:size, ", ", !Px?", LDG, "URb",
               **LOAD),
    *addressed("STG", 0x386, 0x986, "{e}{evict}{size}{scope}", "", ", Rb:size", STG, "URc", **STORE),
    *addressed("LD", 0x980, 0x980, "{e}{evict}{prefetch}{size}{scope}", "Rd:size, ", ", !Px?", LDG, "URb",
               long_off="32..63 int", **LOAD),
    *addressed("ST", 0x385, 0x985, "{e}{evict}{size}{scope}", "", ", Rb:size", STG, "URc", long_off="32..63 int",
               **STORE),
    *shared("LDS", 0x984, 0x984, "{size}", "Rd:size, ", "", LDS, "URb"),
    *shared("STS", 0x388, 0x988, "{size}", "", ", Rb:size", STS, "URc"),
    *local("LDL", 0x983, 0x983, "Rd:size, ", "", LDG, "URb"),
    *local("STL", 0x387, 0x987, "", ", Rb:size", STG, "URc"),
    # Asynchronous copy global to shared. The destination's uniform addend and the descriptor are neighbours.
    op("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], desc[URc:2][Ra.64:2+#off], !Ps?", LDGSTS, when="91=1 70=1 76=1",
       on="sm_90", hidden="order=75=1", **COPY),
    *described("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], desc[URc:2][Ra.64:2+#off], !Ps?", LDGSTS,
               when="91=1 70=1 76=1", on="sm_80", hidden="order=75=1", **COPY),
    op("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], [Ra.64:2+URc+#off]?, !Ps?", LDGSTS, when="91=1 70=1 76=0", on=OLD,
       hidden="order=75=1", **COPY),
    op("LDGSTS", 0xFAE, f"{COPY_MODS} [Rd+#to], [Ra.U32+URc:2+#off]?, !Ps?", LDGSTS, when="91=1 70=0", on=OLD,
       hidden="desc=76=0 order=75=1", **COPY),
    op("LDGSTS", 0xDAE, f"{COPY_MODS} [Rd+URc+#to], desc[URc':2][Ra.64:2+#off], !Ps?", LDGSTS, when="91=1 76=1",
       on="sm_90", hidden="order=75=1", **COPY),
    *described("LDGSTS", 0xDAE, f"{COPY_MODS} [Rd+URc+#to], desc[URc':2][Ra.64:2+#off], !Ps?", LDGSTS,
               when="91=1 76=1", on="sm_80", hidden="order=75=1", **COPY),
    op("LDGSTS", 0xDAE, f"{COPY_MODS} [Rd+URc+#to], [Ra.64:2+#off], !Ps?", LDGSTS, when="91=1 76=0", on=OLD,
       hidden="order=75=1", **COPY),
    # Constant banks, indexed by a register or addressed by a uniform register.
    op("LDC", 0xB82, "{size}{mode} Rd:size, c[#bank][Ra+#off]", LDC, size=CONST_SIZE, off="38..53 int",
       mode="78..79: - IL IS ISL"),
    op("LDC", 0x582, "{size}{mode} Rd:size, cx[URa][Rc+#off]", LDC, when="91=1", size=CONST_SIZE, off="38..53 int",
       mode="78..79: - IL IS ISL"),
    op("ULDC", 0xAB9, "{size} URd:size, c[#bank][-+#off]", ULDC, on="sm_80 sm_90", when="91=0", size=CONST_SIZE,
       off="38..53 int"),
    op("ULDC", 0xAB9, "{size} URd:size, cx[URa][-+#off]", ULDC, on="sm_80 sm_90", when="91=1", size=CONST_SIZE,
       off="38..53 uint"),
    op("ULDC", 0x8B8, "{size} URd:size, [#off]", ULDC, on="sm_80 sm_90", when="91=1 24..29=63", size=CONST_SIZE,
       hidden="pred=87..90=7", off="38..69 uint"),
    op("ULDC", 0x8B8, "{size} URd:size, [URa+#off], !UPs", ULDC, on="sm_80 sm_90", when="91=1", size=CONST_SIZE,
       off="38..69 int"),
    op("ULDC", 0xABB, "{size} URd:size, c[#bank][URa+#off]", ULDC, on="sm_80 sm_90", when="91=1", size=CONST_SIZE,
       off="38..53 int"),
    # Eight-by-eight matrices of 16-bit elements between shared memory and the registers of a warp.
    op("LDSM", 0x83B, ".16{shape}{count} Rd:count, [Ra+#off]", LDS, when="91=0", shape="78..79: M88 MT88 M816 M832",
       count="72..73: - 2 4 ?", off="40..63 signed"),
    op("LDSM", 0x83B, ".16{shape}{count} Rd:count, [Ra+URb+#off]", LDS, when="91=1", shape="78..79: M88 MT88 M816 M832",
       count="72..73: - 2 4 ?", off=OFFSET),
    op("STSM", 0x844, ".16{shape}{count} [Ra+#off], Rb:count", STS, when="91=0", on=NEW, shape="78: M88 MT88",
       count="72..73: - 2 4 ?", off="40..63 signed"),
    op("STSM", 0x844, ".16{shape}{count} [Ra+URc+#off], Rb:count", STS, when="91=1", on=NEW, shape="78: M88 MT88",
       count="72..73: - 2 4 ?", off=OFFSET),
)  # fmt: skip
