"""Words to `Instr` and back. `decode` and `encode` are inverse to each other on every word that decodes."""

from __future__ import annotations

from functools import cache

from minicc.arch import Arch
from minicc.diagnostics import fail
from minicc.record import NamedTuple
from minicc.sass.form import Form, forms_of
from minicc.sass.instr import PT, Control, Imm, Instr, Operand, Reg
from minicc.sass.isa import ROWS, Row
from minicc.sass.isa.bits import Field
from minicc.sass.isa.timing import Timing
from minicc.sass.operand import Codec, ImmCodec, NoFit, TargetCodec, kind_of, telling


@cache
def _rows_by_mnemonic() -> dict[str, list[Row]]:
    index: dict[str, list[Row]] = {}
    for row in ROWS:
        index.setdefault(row.mnemonic, []).append(row)
    return index


@cache
def _rows_by_operation() -> dict[int, list[Row]]:
    index: dict[int, list[Row]] = {}
    for row in ROWS:
        index.setdefault(row.opcode & 0x1FF, []).append(row)
    return index


_FORMS: dict[int, list[Form]] = {}


def _compiled(row: Row) -> list[Form]:
    forms = _FORMS.get(id(row))
    if forms is None:
        forms = _FORMS[id(row)] = forms_of(row)
    return forms


@cache
def forms_of_mnemonic(mnemonic: str) -> tuple[Form, ...]:
    """All forms of a mnemonic, in the order of declaration; empty if there is no such instruction."""
    return tuple(form for row in _rows_by_mnemonic().get(mnemonic, ()) for form in _compiled(row))


def declared(mnemonic: str, modifiers: tuple[str, ...]) -> Timing | None:
    """The timing that is declared for a mnemonic with these modifiers; None if there is no such instruction."""
    rows = _rows_by_mnemonic().get(mnemonic)
    if rows is None:
        return None
    first = rows[0].timing
    if all(row.timing is first for row in rows):
        return first
    fits = (f.row.timing for f in forms_of_mnemonic(mnemonic) if _match_modifiers(f, modifiers) is not None)
    return next(fits, first)


@cache
def _forms_of_opcode(opcode: int, family: str) -> tuple[Form, ...]:
    rows = _rows_by_operation().get(opcode & 0x1FF, ())
    return tuple(f for row in rows for f in _compiled(row) if f.opcode == opcode and family in f.families)


class _Head(NamedTuple):
    """What the selector and modifier bits of a word say. `rivals`: forms declared before this one take the same
    modifiers and number of operands, so that the text may not tell which one is meant."""

    form: Form
    modifiers: tuple[str, ...]
    hidden: tuple[tuple[str, int], ...]
    rivals: bool


class _Opcode:
    """Decoder of one opcode: caches heads by the bits that choose form and modifiers."""

    __slots__ = ("family", "forms", "heads", "mask")

    def __init__(self, forms: tuple[Form, ...], family: str) -> None:
        self.forms = forms
        self.family = family
        self.mask = 0
        for form in forms:
            self.mask |= form.key_mask
        self.heads: dict[int, tuple[_Head, ...]] = {}

    def candidates(self, word: int) -> tuple[_Head, ...]:
        key = word & self.mask
        heads = self.heads.get(key)
        if heads is None:
            found = []
            for form in self.forms:
                if word & form.fixed == form.value:
                    head = _read_head(form, word, self.family)
                    if head is not None:
                        found.append(head)
            heads = self.heads[key] = tuple(found)
        return heads


def _read_head(form: Form, word: int, family: str) -> _Head | None:
    modifiers: list[str] = []
    hidden: list[tuple[str, int]] = []
    printed_fields = set()
    for part in form.parts:
        if isinstance(part, str):
            modifiers.append(part)
            continue
        printed_fields.add(part.name)
        value = part.bits.get(word)
        suffixes = part.prints.get(value)
        if suffixes is None:
            return None
        modifiers += suffixes
        if part.values[suffixes] != value:
            hidden.append((part.name, value))
    for label, where, default in form.hidden:
        value = where.get(word)
        if value != default:
            hidden.append((label, value))
    return _Head(form, tuple(modifiers), tuple(hidden), _rivals(form, tuple(modifiers), family))


def _rivals(form: Form, modifiers: tuple[str, ...], family: str) -> bool:
    for other in forms_of_mnemonic(form.mnemonic):
        if other is form:
            return False
        if family in other.families and _match_modifiers(other, modifiers) is not None:
            needed = sum(codec.default is None for codec in other.operands)
            if needed <= sum(codec.arity for codec in form.operands):
                return True
    return False


_OPCODES: dict[tuple[int, str], _Opcode] = {}
_CONTROLS: dict[int, Control] = {}


def decode(word: int, arch: Arch, address: int = 0) -> Instr:
    """The instruction that a 128-bit word (little-endian integer) holds at byte `address` of its section.

    A word that the machine does not know raises `CompileError`, naming the address."""
    key = (word & 0xFFF, arch.sass)
    opcode = _OPCODES.get(key)
    if opcode is None:
        opcode = _OPCODES[key] = _Opcode(_forms_of_opcode(*key), arch.sass)
    for form, modifiers, hidden, rivals in opcode.candidates(word):
        try:
            operands = tuple([codec.decode(word, address) for codec in form.operands])
        except NoFit:
            continue
        rest = word & form.unused
        if rest:
            hidden = (*hidden, ("unused", rest))
        packed = word >> 105
        control = _CONTROLS.get(packed)
        if control is None:
            control = _CONTROLS[packed] = Control.unpack(packed & 0x1FFFFF)
        if packed >> 21:
            hidden = (*hidden, ("reserved", packed >> 21))
        nibble = word >> 12 & 15
        guard = _ALWAYS
        if nibble != 7:
            guard = Reg(form.guard_file, nibble & 7, inv=nibble >= 8)
        instr = Instr(form.mnemonic, operands, modifiers, guard, control, hidden)
        if rivals and not _chosen(instr, form, arch.sass, address):
            instr = Instr(form.mnemonic, operands, modifiers, guard, control, (*hidden, (OPCODE, form.value)))
        return instr
    fail(
        "sass.undefined",
        f"undefined instruction word {word:#034x} for {arch.name}",
        place=f"byte {address:#x}",
    )


_ALWAYS = Reg("P", PT)
OPCODE = "opcode"
"""Hidden field that names the form (its fixed bits) where encoding the text alone would take another one."""


def _chosen(instr: Instr, form: Form, family: str, address: int) -> bool:
    """Whether `encode` would take `form` for the instruction."""
    for plan in plans(instr.mnemonic, instr.modifiers, tuple([kind_of(o) for o in instr.operands]), family):
        if plan.form is form:
            return True
        try:
            fill(plan, instr, address)
        except NoFit:
            continue
        return False
    return False


class Plan(NamedTuple):
    """How to encode instructions of one shape in one form. `places[k]`: index of codec k's operand, or -1 for its
    default."""

    form: Form
    base: int
    places: tuple[int, ...]


def _match_modifiers(form: Form, modifiers: tuple[str, ...]) -> int | None:
    """Bits of the modifier fields, or None if the suffixes do not fit the form."""

    def go(position: int, at: int, word: int, used: frozenset[str]) -> int | None:
        if position == len(form.parts):
            return word if at == len(modifiers) else None
        part = form.parts[position]
        if isinstance(part, str):
            if modifiers[at : at + 1] == (part,):
                return go(position + 1, at + 1, word, used)
            return None
        for suffixes, value in part.values.items():
            size = len(suffixes)
            if size and modifiers[at : at + size] == suffixes:
                found = go(position + 1, at + size, word | part.bits.put(value), used)
                if found is not None:
                    return found
        if () in part.values:
            return go(position + 1, at, word | part.bits.put(part.values[()]), used)
        return None

    return go(0, 0, 0, frozenset())


def _match_operands(operands: list[Codec], kinds: tuple[str, ...]) -> tuple[int, ...] | None:
    """Index of the operand that each codec takes; optional codecs take their default (-1) where an operand is
    missing. Class D is a decimal integer of a text, which may be a float."""

    def go(position: int, at: int) -> tuple[int, ...] | None:
        if position == len(operands):
            return () if at == len(kinds) else None
        codec = operands[position]
        if at < len(kinds) and (kinds[at] in codec.kinds or (kinds[at] == "D" and not codec.kinds.isdisjoint("IF"))):
            rest = go(position + 1, at + 1)
            if rest is not None:
                return (at, *rest)
        if codec.arity == 2 and len(kinds) >= at + 2 and kinds[at] in "FD" and kinds[at + 1] in "FD":
            rest = go(position + 1, at + 2)
            if rest is not None:
                return (at, *rest)
        if codec.default is not None:
            rest = go(position + 1, at)
            if rest is not None:
                return (-1, *rest)
        return None

    return go(0, 0)


@cache
def has(mnemonic: str, modifiers: tuple[str, ...], family: str) -> bool:
    """Whether an encoding family has an instruction of this name with these modifiers."""
    forms = forms_of_mnemonic(mnemonic)
    return any(family in form.families and _match_modifiers(form, modifiers) is not None for form in forms)


_PLANS: dict[tuple[str, tuple[str, ...], tuple[str, ...], str], tuple[Plan, ...]] = {}


def plans(mnemonic: str, modifiers: tuple[str, ...], kinds: tuple[str, ...], family: str = "") -> tuple[Plan, ...]:
    """All ways to encode an instruction of this shape (of `family` if given), first declared first."""
    key = (mnemonic, modifiers, kinds, family)
    found = _PLANS.get(key)
    if found is None:
        out = []
        for form in forms_of_mnemonic(mnemonic):
            if family and family not in form.families:
                continue
            if form.taken and form.taken.isdisjoint(kinds):
                continue
            word = _match_modifiers(form, modifiers)
            if word is None:
                continue
            places = _match_operands(form.operands, kinds)
            if places is None:
                continue
            for _, where, default in form.hidden:
                word |= where.put(default)
            out.append(Plan(form, form.value | word, places))
        found = _PLANS[key] = tuple(out)
    return found


def encode(instr: Instr, arch: Arch, address: int = 0) -> int:
    """The 128-bit word of `instr` at byte `address`. `CompileError` (sass.encode) if no form of the architecture fits;
    the message says why the nearest form does not."""
    operands = instr.operands
    kinds = tuple([kind_of(o) for o in operands])
    why = ""
    for plan in plans(instr.mnemonic, instr.modifiers, kinds, arch.sass):
        if instr.hidden and not _named(plan.form, instr):
            continue
        try:
            return fill(plan, instr, address)
        except NoFit as error:
            why = telling(why, str(error))
    from minicc.sass.explain import explain

    if not why and plans(instr.mnemonic, instr.modifiers, kinds):
        why = f"not available on {arch.name}"
    fail("sass.encode", explain(instr, kinds, why))


def _named(form: Form, instr: Instr) -> bool:
    """Whether the instruction's hidden opcode, if it has one, is that of `form`."""
    return all(name != OPCODE or value == form.value for name, value in instr.hidden)


def fill(plan: Plan, instr: Instr, address: int) -> int:
    """The word of `instr` by `plan`; raises `NoFit`."""
    form, word, places = plan
    operands = instr.operands
    for codec, place in zip(form.operands, places, strict=True):
        operand = codec.default if place < 0 else operands[place]
        word |= codec.encode(operand, address)  # type: ignore[arg-type]
    for codec, place in form.shadows:
        if codec.decode(word, address) != (codec.default if places[place] < 0 else operands[places[place]]):
            raise NoFit(f"operand {place + 1} must follow from another one here")
    guard = instr.guard
    if guard.file != form.guard_file and guard.index != PT:
        raise NoFit(f"the guard of {form.mnemonic} is a {'uniform ' if form.guard_file == 'UP' else ''}predicate")
    word |= (guard.index | guard.inv << 3) << 12
    word |= instr.control.pack() << 105
    for name, value in instr.hidden:
        word = _set_hidden(form, word, name, value)
    return word


def _set_hidden(form: Form, word: int, name: str, value: int) -> int:
    if name == "unused":
        if value & ~form.unused:
            raise NoFit(f"bits {value & ~form.unused:#x} are in use")
        return word | value
    if name == "reserved":
        return word | value << 126
    if name == OPCODE:
        return word
    for label, where, _ in form.hidden:
        if label == name:
            return word & ~where.mask | where.put(value)
    field = form.fields.get(name)
    if field is None:
        raise NoFit(f"no hidden field '{name}'")
    return word & ~field.bits.mask | field.bits.put(value)


def form_of(instr: Instr, family: str = "") -> Plan | None:
    """The plan that `instr` is encoded by (first that fits; of `family` if given), None if there is none."""
    kinds = tuple([kind_of(o) for o in instr.operands])
    found = plans(instr.mnemonic, instr.modifiers, kinds, family)
    if len(found) == 1:
        return found[0]
    for plan in found:
        if not _named(plan.form, instr):
            continue
        try:
            for codec, place in zip(plan.form.operands, plan.places, strict=True):
                if place >= 0 and not isinstance(codec, TargetCodec):
                    codec.encode(instr.operands[place], 0)
        except NoFit:
            continue
        return plan
    return None


def canonical(instr: Instr, arch: Arch | None = None) -> Instr:
    """`instr` with every operand that its form has, defaults filled in, as `decode` gives it."""
    plan = form_of(instr, arch.sass if arch else "")
    if plan is None or -1 not in plan.places:
        return instr
    operands: list[Operand] = []
    for codec, place in zip(plan.form.operands, plan.places, strict=True):
        operands.append(instr.operands[place] if place >= 0 else codec.default)  # type: ignore[arg-type]
    return Instr(instr.mnemonic, tuple(operands), instr.modifiers, instr.guard, instr.control, instr.hidden)


def field_value(instr: Instr, name: str, family: str = "") -> str:
    """Printed suffix of the modifier field `name` ("" if it prints nothing): field_value(isetp, "cmp") == "LT"."""
    plan = form_of(instr, family)
    if plan is None:
        raise KeyError(name)
    field: Field = plan.form.fields[name]
    return ".".join(field.prints[field.bits.get(plan.base)])


__all__ = ["Imm", "ImmCodec", "Plan", "canonical", "decode", "encode", "field_value", "fill", "form_of", "plans"]
