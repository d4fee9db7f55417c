"""The notation that instructions are declared in. A row of an `isa` module is one call of `op`.

    op("ISETP", 0x00C, "{cmp}{sign}{bool} Pd, Pe, A, B, !Ps", ALU, forms="B", cmp=CMP, sign=SIGN, bool=BOOL,
       when="72=0")

**Syntax** is the printed line after the mnemonic. `{name}` is a modifier field and `.X` a fixed suffix, in printed
order; then the operands, destinations first. An operand is a *slot* (table `SLOTS` below), with what may surround it:

    -A |A| -|A| ~A !Ps   may be negated, absolute, bit-inverted, predicate-negated; the bits are those of the slot,
                         unless the row gives others: A_neg="72", A_abs="73", A_inv="63"
    A{half}              with a suffix field: R3.H0_H0. half_B="60..61: ..." is the field of the bits' slot B; half_BC
                         that of a logical B in the slot of C; else half_C of a logical C anywhere, else half
    Rd:2  Rd:size        a tuple of registers: a number, or a rule of `widths`; 1 if not given. `:=2`: read and written
    Pd?  Ps?=PT  Ps?=!PT not printed at PT (the default, used when the text leaves it out); C?=RZ likewise
    C.{half}             with a suffix that is an operand of its own (where C is an immediate)
    #lut  #n             an immediate field of the row: lut="72..79 uint"
    [Ra{ext}+URc+#off]   an address; also desc[URb][Ra{ext}+#off], hdesc[...] likewise with a descriptor that is not
                         printed, c[#bank][Ra+#off]; `?` behind it hides a register 0
                         (without registers the offset is printed unsigned, unless its kind is "signed")
    @target              a code address
    'PR'                 a fixed word

A, B and C are *logical* sources: `forms` says which may be something else than a register, and the form (opcode bits
9..11) moves them. forms="B": B is a register (1), immediate (4), constant (5; bit 91: cx[UR]) or uniform register (6).
forms="C": C likewise (1, 2, 3, 7; a register B then sits in the slot of C). forms="BC": all of them. forms="K": B
again, but numbered as C's forms are (1, 2, 3, 7: letters i, c, v, w). Digits and letters pick single forms; "u", "t"
are the constants with uniform base of forms 5 and 3. `imm` says how an immediate prints. Without `forms`: 12 bits.

**Bits** are written literally, low..high: "76..78", "74,80" (first listed is least significant). A modifier field is
"bits: v0 v1 v2 ..." (suffix printed for value 0, 1, 2, ...; `-` prints nothing, `?` is refused by the machine), or
sparse "bits: 1=A 5=B". The first `-` (else the first value) is the default of a silent text; or the one with `*`.

`when` fixes bits that tell this row from its siblings; `hidden` names fields that print nothing: "carry=87..90=15"
(bits, default: what ptxas writes). `on` lists the encoding families that have the row (all, if not given); "sm_80" is
sm_80 sm_86 sm_89, "sm_80!" without sm_89.
"""

from __future__ import annotations

from minicc.record import NamedTuple
from minicc.sass.instr import RegFile
from minicc.sass.isa.timing import Timing

FAMILIES = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
"""Encoding families; an Arch names its own in `Arch.sass`."""


class Slot(NamedTuple):
    """Where an operand sits. `neg`, `abs`, `inv`: bit numbers, or None."""

    file: RegFile
    low: int
    width: int
    write: bool = False
    neg: int | None = None
    abs: int | None = None
    inv: int | None = None
    source: int | None = None
    """0, 1, 2: the port of the register file, and the reuse flag, where the row's timing has one."""
    flip: bool = False
    """The index is stored as 7 - index."""
    shadow: int | None = None
    """Not a field of its own: the register is that of the same bits elsewhere in the instruction, plus this number."""


SLOTS: dict[str, Slot] = {
    "Rd": Slot("R", 16, 8, write=True),
    "Ra": Slot("R", 24, 8, neg=72, abs=73, inv=72, source=0),
    "Rb": Slot("R", 32, 8, neg=63, abs=62, inv=63, source=1),
    "Rc": Slot("R", 64, 8, neg=75, abs=74, inv=75, source=2),
    "URd": Slot("UR", 16, 6, write=True),
    "URa": Slot("UR", 24, 6, neg=72, abs=73, inv=72),
    "URb": Slot("UR", 32, 6, neg=63, abs=62, inv=63),
    "URc": Slot("UR", 64, 6, neg=75, abs=74, inv=75),
    "Pd": Slot("P", 81, 3, write=True),
    "Pe": Slot("P", 84, 3, write=True),
    "Ps": Slot("P", 87, 3, inv=90),
    "Pt": Slot("P", 77, 3, inv=80),
    "Pu": Slot("P", 68, 3, inv=71),
    "UPd": Slot("UP", 81, 3, write=True),
    "UPe": Slot("UP", 84, 3, write=True),
    "UPs": Slot("UP", 87, 3, inv=90),
    "UPt": Slot("UP", 77, 3, inv=80),
    "UPu": Slot("UP", 68, 3, inv=71),
    "Px": Slot("P", 64, 3, inv=67, flip=True),
    "UPq": Slot("UP", 24, 3, inv=27),
    "UPx": Slot("UP", 87, 3, inv=90, flip=True),
    "Bd": Slot("B", 16, 4, write=True),
    "Bs": Slot("B", 16, 4),
    "Ba": Slot("B", 24, 4),
    "SBa": Slot("SB", 44, 3),
    "SRa": Slot("SR", 72, 8),
    "Rf": Slot("R", 64, 8, write=True),
    "Re": Slot("R", 40, 8),
    "URe": Slot("UR", 40, 6),
    "Rb'": Slot("R", 32, 8, shadow=0),
    "URb'": Slot("UR", 32, 6, shadow=2),
    "URc'": Slot("UR", 64, 6, shadow=1),
}
"""Physical slots by name: d, e are destinations, a b c sources, s t u predicate sources; x: stored upside down.
A quote marks a register that is implied by the field of that name: one, two or no further."""


class Row(NamedTuple):
    """One declared instruction (or one variant of it with another operand list)."""

    mnemonic: str
    opcode: int
    syntax: str
    timing: Timing
    forms: str
    imm: str
    when: str
    hidden: str
    on: str
    fields: dict[str, str]


def op(
    mnemonic: str,
    opcode: int,
    syntax: str,
    timing: Timing,
    forms: str = "",
    imm: str = "int",
    when: str = "",
    hidden: str = "",
    on: str = "",
    **fields: str,
) -> Row:
    """Declare an instruction. See the module's text for the notation."""
    return Row(mnemonic, opcode, syntax, timing, forms, imm, when, hidden, on, fields)


def described(
    mnemonic: str, opcode: int, syntax: str, timing: Timing, when: str, on: str, hidden: str = "", **fields: str
) -> tuple[Row, ...]:
    """A row with `desc[` in its text. sm_80 to sm_89 print of the descriptor only where bit 101 says that it is a
    policy of the cache."""
    if on != "sm_80":
        return (op(mnemonic, opcode, syntax, timing, when=when, hidden=hidden, on=on, **fields),)
    silent = syntax.replace("desc[", "hdesc[")
    return (
        op(mnemonic, opcode, silent, timing, when=f"{when} 101=0", hidden=hidden, on=on, **fields),
        op(mnemonic, opcode, syntax, timing, when=f"{when} 101=1", hidden=hidden, on=on, **fields),
    )


# Modifier fields that many instructions share.
CMP = "76..78: F LT EQ LE GT NE GE T"
FCMP = "76..79: F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T"
BOOL = "74..75: AND OR XOR ?"
SIGN = "73: U32 -*"
ROUND = "78..79: - RM RP RZ"
FTZ = "80: - FTZ"
SAT = "77: - SAT"
SCOPE = (
    "77..80: - CONSTANT.PRIVATE CONSTANT.CTA CONSTANT.CTA.PRIVATE STRONG.SM.PRIVATE STRONG.SM STRONG.GPU.PRIVATE"
    " STRONG.GPU MMIO.GPU CONSTANT.SM STRONG.SYS CONSTANT.SM.PRIVATE MMIO.SYS CONSTANT.VC CONSTANT.VC.PRIVATE"
    " CONSTANT.GPU"
)
LOAD_SCOPE = SCOPE.replace("STRONG.SM.PRIVATE", "CONSTANT")
EVICT = "84..86: EF -* EL LU EU NA ? ?"
PREFETCH = "68..69: - LTC64B LTC128B LTC256B"
SIZE = "73..75: U8 S8 U16 S16 -* 64 128 ?"
EXTENDED = "72: - E"
