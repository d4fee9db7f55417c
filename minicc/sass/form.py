"""Forms: one declared row with one choice of what B or C is, compiled to bit codecs.

A `Form` knows every bit of its words: `fixed` bits (opcode, selectors), modifier fields, hidden fields, operands,
guard, control, and `unused` ones, which are kept in `Instr.hidden` when they are not zero.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, get_args

from minicc.sass.instr import Imm, ImmKind, Name, Operand, Reg
from minicc.sass.isa.bits import Bits, Field, parse_bits, parse_field
from minicc.sass.isa.notation import FAMILIES, SLOTS, Row
from minicc.sass.operand import (
    ZERO,
    Codec,
    ConstCodec,
    ImmCodec,
    MaskCodec,
    MemCodec,
    RegCodec,
    TargetCodec,
    WordCodec,
)

GUARD_MASK = 0xF << 12
CONTROL_MASK = ((1 << 23) - 1) << 105
CONST_BANK = Bits(((54, 5),))
CONST_OFFSET = Bits(((40, 14),))

# What a form digit makes of the logical sources: (opcode bits 9..11, kind of B, kind of C). A register B sits at Rc
# when C is not a register, and the odd one always sits at bits 32..63.
FORM_DIGITS = {
    "1": (1, "r", "r"),
    "2": (2, "r", "i"),
    "3": (3, "r", "c"),
    "t": (3, "r", "x"),
    "4": (4, "i", "r"),
    "5": (5, "c", "r"),
    "u": (5, "x", "r"),
    "6": (6, "u", "r"),
    "7": (7, "r", "u"),
    "i": (2, "i", "r"),
    "c": (3, "c", "r"),
    "v": (3, "x", "r"),
    "w": (7, "u", "r"),
}
TAKEN = {"c": frozenset("C"), "x": frozenset("X"), "u": frozenset(("UR",)), "i": frozenset("IFHD")}
"""What a source that is no register may be written as (`operand.kind_of`; D is a decimal integer of a text)."""
FORM_SETS = {"B": "145u6", "C": "123t7", "BC": "1234567ut", "K": "1icvw"}
SOURCES = "ABC"
"""By their place in the instruction, not by the bits that hold the number. Forms as in "K" count B as third."""
OLDER = frozenset({"sm_80", "sm_86", "sm_89"})
"""Families before sm_90."""
WIDE_UNIFORM = frozenset(("sm_100", "sm_120"))
"""Families with 255 uniform registers; others have 63."""
CONSTANT_FAMILIES = frozenset(("sm_80", "sm_86", "sm_89", "sm_90"))
"""Families whose ALU instructions take constant-bank operands."""


class Form:
    """See the module's text. `parts` are printed modifier pieces in order: str (fixed) or Field. What it takes to
    encode and decode is made when it is first asked for: of most forms nobody asks more than the modifiers."""

    __slots__ = (
        "families", "fields", "fixed", "guard_file", "hidden", "key_mask", "kinds", "mnemonic", "name", "opcode",
        "operands", "parts", "row", "shadows", "taken", "unused", "value", "wide",
    )  # fmt: skip

    fields: dict[str, Field]
    fixed: int
    value: int
    hidden: list[tuple[str, Bits, int]]
    operands: list[Codec]
    unused: int
    key_mask: int
    shadows: list[tuple[Codec, int]]

    def __init__(self, row: Row, name: str, families: frozenset[str], parts: list[str | Field]) -> None:
        self.row, self.name, self.parts = row, name, parts
        self.mnemonic = row.mnemonic
        self.guard_file: Literal["P", "UP"] = "UP" if row.timing.uniform else "P"
        self.opcode = row.opcode
        self.taken: frozenset[str] | None = None
        """One of the operands is written as one of these, or the form is another one."""
        self.kinds = {"A": "r", "B": "r", "C": "r"}
        if name != "-":
            number, self.kinds["B"], self.kinds["C"] = FORM_DIGITS[name]
            self.opcode = row.opcode & 0x1FF | number << 9
            self.taken = TAKEN.get(self.kinds["B"]) or TAKEN.get(self.kinds["C"])
            if not {"c", "x"}.isdisjoint(self.kinds.values()):
                families &= CONSTANT_FAMILIES
        self.families = families
        self.wide = families <= WIDE_UNIFORM
        """Uniform registers have eight bits."""

    def __getattr__(self, name: str) -> Any:
        if name not in Form.__slots__:
            raise AttributeError(name)
        _complete(self)
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"<{self.mnemonic} {self.name} {self.opcode:#x}>"


def forms_of(row: Row) -> list[Form]:
    """All forms that a row declares."""
    wanted = FORM_SETS.get(row.forms, row.forms) or "-"
    families = _families(row.on)
    words = re.findall(r"\{(\w+)\}|\.(\w+)", row.syntax.partition(" ")[0])
    parts = [_cached_field(field, row.fields[field]) if field else word for field, word in words]
    always_uniform = re.search(r"\bU(R\w|[ABC]\b)", row.syntax) is not None
    out = []
    for digit in wanted:
        uniform = always_uniform or digit in "67uwtv"
        groups = (families - WIDE_UNIFORM, families & WIDE_UNIFORM) if uniform else (families,)
        out += [Form(row, digit, group, parts) for group in groups if group]
    return [form for form in out if form.families]


def _families(on: str) -> frozenset[str]:
    """Families that a row's `on` names."""
    if not on:
        return frozenset(FAMILIES)
    alike = {"sm_80": ("sm_80", "sm_86", "sm_89"), "sm_80!": ("sm_80", "sm_86")}
    return frozenset(family for name in on.split() for family in alike.get(name, (name,)))


def _complete(form: Form) -> None:
    """Make the rest of a form. ValueError if two fields share a bit (a mistake in the row)."""
    row, kinds = form.row, form.kinds
    form.fields = {part.name: part for part in form.parts if isinstance(part, Field)}
    fixed, value = 0xFFF, form.opcode
    for where, number in _assignments(row.when):
        fixed |= where.mask
        value |= where.put(number)
    if form.name != "-" and not row.timing.uniform and not fixed >> 91 & 1:
        fixed |= 1 << 91
        value |= (1 << 91) if kinds["B"] in "ux" or kinds["C"] in "ux" else 0
    hidden = []
    for assignment in row.hidden.split():
        label, where_text, default = assignment.split("=")
        if form.wide and where_text == "64..69":  # the slot URc
            where_text, default = "64..71", "255"
        hidden.append((label, parse_bits(where_text), int(default, 0)))
    form.fixed, form.value, form.hidden = fixed, value, hidden
    operands = []
    for text, separator in _split(row.syntax.partition(" ")[2]):
        codec = _operand(form, text, kinds)
        codec.separator = separator
        operands.append(codec)
    _check(form, operands)
    form.operands = operands


def _assignments(text: str) -> list[tuple[Bits, int]]:
    out = []
    for item in text.split():
        where, _, value = item.partition("=")
        out.append((parse_bits(where), int(value, 0)))
    return out


def _split(text: str) -> list[tuple[str, str]]:
    """(operand text, separator before it). A blank without comma separates too: `Ra @target`."""
    out: list[tuple[str, str]] = []
    for group in text.split(", ") if text else []:
        for position, word in enumerate(group.split(" ")):
            stem, dot, field = word.partition(".{")
            out.append((stem, ", " if position == 0 else " "))
            if dot:
                out.append(("{" + field, "."))
    return out


@cache
def _cached_field(name: str, text: str) -> Field:
    return parse_field(name, text)


def _field(form: Form, name: str) -> Field:
    if name not in form.fields:
        form.fields[name] = _cached_field(name, form.row.fields[name])
    return form.fields[name]


_TOKEN = re.compile(
    r"(?P<flags>[-|~!]*)(?P<name>'\w+'|[#@]?\w+'?)\|?(?P<fixed>(?:\.\w+)*)(?:\{(?P<suffix>\w+)\})?"
    r"(?::(?P<width>=?\w+))?(?P<hide>\??)(?:=(?P<default>!?\w+))?"
)


def _operand(form: Form, text: str, kinds: dict[str, str]) -> Codec:
    if "[" in text:
        return _address(form, text)
    if text[0] == "{":
        name = text.strip("{}?")
        if form.row.fields[name].endswith("mask"):
            codec: Codec = MaskCodec(name, parse_bits(form.row.fields[name].split(":")[0]))
            if text.endswith("?"):
                codec.default, codec.hides = Name("{}"), True
            return codec
        codec = WordCodec(name, _field(form, name))
        if text.endswith("?"):
            codec.default, codec.hides = Name(""), True
        return codec
    match = _TOKEN.fullmatch(text)
    if match is None:
        raise ValueError(f"{form.mnemonic}: cannot read operand '{text}'")
    name = match["name"]
    if name[0] == "'":
        return WordCodec(name.strip("'"), None)
    if name[0] == "#":
        codec = _immediate(form, name[1:])
    elif name[0] == "@":
        codec = _target(form, name[1:])
    else:
        codec = _source(form, name, match["flags"], match["suffix"], match["fixed"], kinds)
    width = match["width"] or "1"
    if width[0] == "=":
        codec.write = codec.read = True
        width = width[1:]
    codec.width = width
    if match["hide"]:
        codec.hides = True
        codec.default = _default(codec, match["default"] or "")
    return codec


def _default(codec: Codec, text: str) -> Operand:
    if isinstance(codec, ImmCodec):
        return codec.decode(codec.bits.put(int(text or "0", 0)), 0)
    assert isinstance(codec, RegCodec)
    file = codec.slot.file
    return Reg(file, ZERO[file], inv=text.startswith("!"), suffix=codec.fixed)


_IMMEDIATES: dict[str, ImmKind] = {**{kind: kind for kind in get_args(ImmKind)}, "abs": "uint", "rel": "int"}
"""By the kind that a row writes; addresses are numbers here."""


def _immediate(form: Form, name: str) -> ImmCodec:
    where, _, rest = form.row.fields[name].partition(" ")
    kind, _, scale = (rest or "uint").partition("*")
    return ImmCodec(name, parse_bits(where), _IMMEDIATES[kind], int(scale or 1), (None, None))


def _target(form: Form, name: str) -> TargetCodec:
    where, kind = form.row.fields[name].split(" ")
    kind, _, scale = kind.partition("*")
    return TargetCodec(name, parse_bits(where), int(scale or 1), kind.startswith("rel"), kind == "rel")


def _source(form: Form, name: str, flags: str, suffix: str, fixed: str, kinds: dict[str, str]) -> Codec:
    extra = tuple(fixed.split(".")[1:])
    logical = name.removeprefix("U")
    kind = kinds.get(logical, "r") if name in ("A", "B", "C", "UA", "UB", "UC") else "r"
    row = form.row
    if name in ("A", "B", "C", "UA", "UB", "UC"):
        prefix = "UR" if name[0] == "U" else "R"
        where = {"A": "a", "B": "b", "C": "c"}[logical]
        if logical == "B" and kinds["C"] != "r":
            where = "c"
        if kind != "r":
            where = "b"
        file = "UR" if kind == "u" else prefix
        slot = SLOTS[file + where]
        physical = where.upper()
    else:
        slot, physical = SLOTS[name], name
    signs: dict[str, Any] = {}
    for sign in ("neg", "abs", "inv"):
        value = row.fields.get(f"{physical}_{sign}")
        if value is not None:
            signs[sign] = int(value) if value.isdigit() else None
    slot = slot._replace(**signs)
    if form.wide and slot.file == "UR":
        slot = slot._replace(width=8)
    field = None
    if suffix and kind != "i":
        labels = (f"{suffix}_{logical}{physical}", f"{suffix}_{physical}", f"{suffix}_{logical}")
        label = next((label for label in labels if label in row.fields), suffix)
        field = _field(form, label)
    bits = parse_bits(row.fields[f"{name}_at"]) if f"{name}_at" in row.fields else None
    if kind in ("r", "u"):
        codec = RegCodec(name, slot, flags, field, extra, bits)
        codec.source = None if kind == "u" or bits is not None else slot.source
        if codec.source is not None:
            if physical in SOURCES:
                third = logical == "B" and not set("Kicvw").isdisjoint(row.forms)
                codec.source = 2 if third else SOURCES.index(logical)
            codec.reuse = SOURCES[codec.source] in row.timing.reuse
        return codec
    neg = slot.neg if "-" in flags else None
    absolute = slot.abs if "|" in flags else None
    inv = slot.inv if "~" in flags else None
    if kind == "i":
        imm = ImmCodec(name, Bits(((32, 32),)), _IMMEDIATES[row.imm], 1, (None, None))
        if row.imm == "f16x2" and "bf16" in form.fields:
            imm = PairCodec(name, form.fields["bf16"])
        return imm
    uniform = RegCodec("URb", SLOTS["URb"], "", None, (), None) if kind == "x" else None
    spaced = field is not None or bool(extra) or "spaced" in row.fields
    return ConstCodec(
        name, CONST_BANK, CONST_OFFSET, 4,
        uniform=uniform, signs=(neg, absolute, inv), suffix=field, spaced=spaced, signed=uniform is None, fixed=extra,
    )  # fmt: skip


class PairCodec(ImmCodec):
    """A pair of half floats whose kind (f16 or bf16) is told by the instruction's .BF16_V2 field."""

    def __init__(self, name: str, bf16: Field) -> None:
        super().__init__(name, Bits(((32, 32),)), "f16x2", 1, (None, None))
        self.selector = bf16

    def decode(self, word: int, address: int) -> Imm:
        return Imm(self.bits.get(word), self.kind_in(word))

    def kind_in(self, word: int) -> ImmKind:
        return "bf16x2" if self.selector.prints.get(self.selector.bits.get(word)) else "f16x2"


def _address(form: Form, text: str) -> Codec:
    hide = text.endswith("?")
    shape, _, inside = text.rstrip("?").partition("[")
    desc = desc_offset = None
    silent = shape == "hdesc"
    if silent:
        shape = "desc"
    if shape in ("desc", "gdesc"):
        first, _, inside = inside.partition("]")
        words = first.split("+")
        tail, _, inside = inside.partition("[")
        desc = _part(form, words[0] + tail)
        if len(words) > 1:
            desc_offset = parse_bits(form.row.fields[words[1][1:]])
    if shape in ("c", "cx"):
        first, _, inside = inside.partition("][")
        base_text, _, offset_text = inside.rstrip("]").partition("+")
        where, _, kind = form.row.fields[offset_text[1:]].partition(" ")
        return ConstCodec(
            "const",
            CONST_BANK,
            parse_bits(where),
            int(kind.partition("*")[2] or 1),
            uniform=_part(form, first) if shape == "cx" else None,
            base=_part(form, base_text) if base_text != "-" else None,
            signed=not kind.startswith("uint"),
            hide_base=hide,
        )
    base = ureg = None
    offset = None
    signed, scale, alone = True, 1, False
    for word in inside.rstrip("]").split("+") if inside else []:
        if word[0] == "#":
            where, _, kind = form.row.fields[word[1:]].partition(" ")
            kind, _, factor = kind.partition("*")
            offset, signed, scale = parse_bits(where), kind != "uint", int(factor or 1)
            alone = kind == "signed"
        elif base is None:
            base = _part(form, word)
        else:
            ureg = _part(form, word)
    codec = MemCodec("address", shape, desc, base, ureg, offset, signed, scale, desc_offset, alone)
    codec.hides_urz, codec.silent, codec.hides_rz = hide, silent, form.families <= OLDER
    return codec


_PART = re.compile(r"(\w+?'?)((?:\.\w+)*)(?:\{(\w+)\})?(?::(\w+))?")


def _part(form: Form, text: str) -> RegCodec:
    match = _PART.fullmatch(text)
    if match is None:
        raise ValueError(f"{form.mnemonic}: cannot read address part '{text}'")
    name, fixed, suffix, width = match.groups()
    field = _field(form, suffix) if suffix else None
    slot = SLOTS[name]
    if form.wide and slot.file == "UR":
        slot = slot._replace(width=8)
    bits = parse_bits(form.row.fields[f"{name}_at"]) if f"{name}_at" in form.row.fields else None
    codec = RegCodec(name, slot, "", field, tuple(fixed.split(".")[1:]), bits)
    codec.width = width or "1"
    codec.source = None
    codec.write, codec.read = False, True
    return codec


def _check(form: Form, operands: list[Codec]) -> None:
    """Every bit once: raises ValueError on overlap, and computes what is left over."""
    used = form.fixed | GUARD_MASK | CONTROL_MASK
    if form.fixed & (GUARD_MASK | CONTROL_MASK):
        raise ValueError(f"{form}: fixed bits in the guard or control field")
    claims: list[tuple[str, int]] = [(f.name, f.bits.mask) for f in form.fields.values()]
    claims += [(label, where.mask) for label, where, _ in form.hidden]
    own = sum(f.bits.mask for f in form.fields.values())
    claims += [(codec.name, codec.mask & ~own) for codec in operands]
    for label, mask in claims:
        if used & mask:
            raise ValueError(f"{form}: field '{label}' shares bits with another: {used & mask:#x}")
        used |= mask
    form.unused = ~used & (1 << 105) - 1
    key_mask = form.fixed
    for field in form.fields.values():
        key_mask |= field.bits.mask
    for _, where, _ in form.hidden:
        key_mask |= where.mask
    form.key_mask = key_mask
    form.shadows = [(codec, k) for k, codec in enumerate(operands) if codec.shadow]
