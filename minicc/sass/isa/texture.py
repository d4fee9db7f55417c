"""Texture fetches. Results go to two register groups; the texture is named by constants, by registers (.B: bindless)
or by a uniform register."""

from __future__ import annotations

from minicc.sass.isa.notation import EVICT, Row, op
from minicc.sass.isa.timing import TEX

DIM = "61..63: 1D 2D 3D CUBE ARRAY_1D ARRAY_2D ? ARRAY_CUBE"
GATHER_DIM = "62..63: 2D CUBE ARRAY_2D ARRAY_CUBE"
LOAD_DIM = "61..63: 1D 2D 3D ? ARRAY_1D ARRAY_2D ? ?"
GRADIENT_DIM = "61..63: 1D 2D ? ? ARRAY_1D ARRAY_2D ? ?"
FOOT_DIM = "61..62: ? 2D 3D ?"
QUERY = "62..63: TEX_HEADER_DIMENSION TEX_HEADER_TEXTURE_TYPE TEX_HEADER_SAMPLER_POS ?"
HALF = "79..80: - F16.RN F16.RZ ?"
LOD = "87..89: - LZ LB LL LC LB.LC LC.FDV ?"
SCR, NODEP, AOFFI, DC = "60: - SCR", "90: - NODEP", "76: - AOFFI", "78: - DC"
OLD = "sm_80 sm_90"


def fetch(
    mnemonic: str,
    first: int,
    before: str,
    mods: str,
    operands: str,
    query: str,
    last: str,
    uniform: int = 0,
    hidden: str = "",
    **fields: str,
) -> tuple[Row, ...]:
    """Four ways to name the texture, at three successive operations: header and sampler number in a constant bank;
    all in registers; an offset pair (.B); a uniform register (`uniform` is the step of its operation). `before` and
    `mods` are the modifiers around .B. A second source in brackets, (Rb), is printed as RZ with .B alone."""
    always, bare = operands.replace("(Rb)", "Rb"), operands.replace("(Rb)", "Rb?")
    head, low = f"{before}{mods} {bare}, {query}", f"{before}.B{mods} {always}, {query}"
    place = fields | {"header": "40..53", "bank": "54..58"}
    return (
        op(mnemonic, 0xA00 | first, f"{head}#bank, #header, {last}", TEX, on=OLD, when="59=0", hidden=hidden, **place),
        op(mnemonic, 0xA00 | first, f"{low}#bank, #header, {last}", TEX, on=OLD, when="59=1", hidden=hidden, **place),
        op(mnemonic, 0x200 | first + 1, f"{low}{last}", TEX, on=OLD, when="59=1", hidden=hidden, **fields),
        op(mnemonic, 0xA00 | first + 2, f"{low}#bank, #low, #high, {last}", TEX, on=OLD, when="59=1", hidden=hidden,
           low="40..45", high="46..53", bank="54..58", **fields),
        op(mnemonic, 0xE00 | first + uniform, f"{head}URe:2, #slot, {last}", TEX, when="91=1", on=OLD, hidden=hidden,
           slot="46..53", **fields),
    )  # fmt: skip


RESULT = "Pd?, Rf, Rd, Ra, (Rb)"
GATHER = "Pd?, Rf, Rd, Ra, Rb?"

ROWS = (
    *fetch("TEX", 0x160, "{scr}", "{half}{lod}{aoffi}{dc}{evict}{ndv}{nodep}", RESULT, "", "{dim}, #mask?=15", scr=SCR,
           half=HALF, lod=LOD, aoffi=AOFFI, dc=DC, evict=EVICT, ndv="77: - NDV", nodep=NODEP, dim=DIM, mask="72..75"),
    *fetch("TLD4", 0x163, "{scr}{comp}", "{half}{aoffi}{ptp}{dc}{evict}{nodep}", GATHER, "", "{dim}, #mask?=15",
           hidden="dim=61=1", scr=SCR, comp="87..88: R G B A", half=HALF, aoffi=AOFFI, ptp="77: - PTP", dc=DC,
           evict=EVICT, nodep=NODEP, dim=GATHER_DIM, mask="72..75"),
    *fetch("TLD", 0x166, "{scr}", "{half}{lod}{aoffi}{evict}{ms}{cl}{nodep}", GATHER, "", "{dim}, #mask?=15", scr=SCR,
           half=HALF, hidden="lod=87=1", lod="88: LZ LL", aoffi=AOFFI, evict=EVICT, ms="78: - MS", cl="77: - CL",
           nodep=NODEP, dim=LOAD_DIM, mask="72..75"),
    *fetch("TXD", 0x16C, "", "{half}{lc}{aoffi}{evict}{nodep}", "Pd?, Rf, Rd, Ra, Rb", "", "{dim}, #mask?=15",
           half=HALF, lc="87: - LC", aoffi=AOFFI, evict=EVICT, nodep=NODEP, dim=GRADIENT_DIM, mask="72..75"),
    *fetch("TMML", 0x169, "", ".LOD{ndv}{nodep}", "Rf, Rd, Ra, (Rb)", "", "{dim}, #mask?=15", ndv="77: - NDV",
           nodep=NODEP, dim=DIM, mask="72..75"),
    *fetch("TXQ", 0x16F, "", "{nodep}", "Rf, Rd, Ra", "{header_word}, ", "#mask", nodep=NODEP, header_word=QUERY,
           mask="72..75"),
    *fetch("FOOTPRINT", 0x172, "{scr}", "{kind}{coarse}{lod}{ndv}{nodep}", RESULT, "", "{dim}", 2, scr=SCR,
           kind="78: TEX TXD", coarse="76: - COARSE", lod=LOD, ndv="77: - NDV", nodep=NODEP, dim=FOOT_DIM),
)  # fmt: skip
