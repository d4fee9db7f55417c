"""Operand codecs: how one operand of a form is read from the word, put into it, and printed.

Each codec has `mask` (the bits it owns), `kinds` (what it accepts, see `kind_of`), `decode(word, address)`,
`encode(operand, address)` (raises `NoFit`) and `text(operand)`. They are made by `form` from the rows of `isa`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from minicc.sass.floats import format_float, parse_float
from minicc.sass.instr import RZ, URZ, Const, Imm, ImmKind, Mem, Name, Operand, Reg, Target
from minicc.sass.isa.bits import Bits, Field
from minicc.sass.isa.notation import Slot


class NoFit(Exception):
    """An operand cannot be put where the form wants it; the message says why."""


def telling(old: str, new: str) -> str:
    """The more telling of two reasons why a form does not fit: a number out of range first."""
    return new if not old or ("does not fit" in new and "does not fit" not in old) else old


ZERO = {"R": RZ, "UR": URZ, "P": 7, "UP": 7}
LAST_SCOREBOARD = 5
LANES = frozenset(("H0_H0", "H1_H1", "F32", "H0_NH1"))
"""Suffixes that stand outside the bars of an absolute value; others stand inside."""
FILE_TEXT = {"R": "RZ", "UR": "URZ", "P": "PT", "UP": "UPT"}


def kind_of(operand: Operand) -> str:
    """Class of an operand for choosing a form: register file name, I (number), F (float), H (pair of halves), C
    (constant), X (constant with uniform base), M (address), T (code address), N (word)."""
    if type(operand) is Reg:
        return operand.file
    if type(operand) is Imm:
        return _IMM_KINDS[operand.kind]
    return _KINDS[type(operand)] if not (type(operand) is Const and operand.ureg) else "X"


_IMM_KINDS = {"int": "I", "uint": "I", "f32": "F", "f16": "F", "bf16": "F", "f64hi": "F", "f16x2": "H", "bf16x2": "H"}
_KINDS: dict[type, str] = {Const: "C", Mem: "M", Target: "T", Name: "N"}


def register_text(reg: Reg) -> str:
    """A register as nvdisasm prints it, without `.reuse`."""
    name = FILE_TEXT[reg.file] if ZERO.get(reg.file) == reg.index else f"{reg.file}{reg.index}"
    if name == "UR255":
        name = "UR63"
    if reg.file == "SR":
        from minicc.sass.isa.special import name_of

        name = name_of(reg.index)
    if not reg.suffix:
        return decorate(name, reg)
    if reg.suffix[-1] in LANES and reg.file == "R":
        return decorate(name, reg) + "".join("." + s for s in reg.suffix)
    return decorate(name + "".join("." + s for s in reg.suffix), reg)


def decorate(text: str, operand: Reg | Const | Imm) -> str:
    """`text` with the operand's -, |, ~ or ! around it."""
    if operand.abs:
        text = f"|{text}|"
    if operand.inv:
        text = ("!" if isinstance(operand, Reg) and operand.file in ("P", "UP") else "~") + text
    return "-" + text if operand.neg else text


class Codec(ABC):
    """Base: `name` of the slot, `mask` of owned bits, accepted `kinds`, `default` if the text may leave it out."""

    name = ""
    mask = 0
    kinds = frozenset[str]()
    default: Operand | None = None
    hides = False
    """Not printed when equal to the default."""
    arity = 1
    """Printed operands (two for a pair of half floats)."""
    write = False
    read = True
    width = "1"
    source: int | None = None
    """0, 1, 2: which source this register is, A, B or C."""
    reuse = False
    """Whether that source has a reuse flag."""
    shadow = False
    """Implied by bits of another operand; `encode` must be checked against them."""
    separator = ", "

    @abstractmethod
    def decode(self, word: int, address: int) -> Operand: ...

    @abstractmethod
    def encode(self, operand: Operand, address: int) -> int: ...

    @abstractmethod
    def text(self, operand: Operand) -> str: ...

    def full_text(self, operand: Operand) -> str:
        """The same with all that the bits say, where `text` leaves something out."""
        return self.text(operand)


class RegCodec(Codec):
    """A register in a slot, with optional sign bits and a suffix field."""

    def __init__(
        self, name: str, slot: Slot, flags: str, suffix: Field | None, fixed: tuple[str, ...], bits: Bits | None
    ) -> None:
        self.name, self.slot, self.suffix, self.fixed = name, slot, suffix, fixed
        self.bits = bits or Bits(((slot.low, slot.width),))
        self.neg = slot.neg if "-" in flags else None
        self.abs = slot.abs if "|" in flags else None
        self.inv = slot.inv if "~" in flags or "!" in flags else None
        self.kinds = frozenset((slot.file,))
        self.source = slot.source
        self.write = slot.write
        self.read = not slot.write
        self.shadow = slot.shadow is not None
        self.wide = slot.file == "UR" and slot.width == 8
        """Here URZ is 255 in the word. It is 63 in an `Instr`, and UR63 is 255 there."""
        self.mask = (0 if self.shadow else self.bits.mask) | (suffix.bits.mask if suffix else 0)
        for bit in (self.neg, self.abs, self.inv):
            self.mask |= 1 << bit if bit is not None else 0
        self.key = self.mask | self.bits.mask
        self._decoded: dict[int, Reg] = {}
        self._encoded: dict[Reg, int] = {}

    def decode(self, word: int, address: int) -> Reg:
        key = word & self.key
        reg = self._decoded.get(key)
        if reg is None:
            index = self.bits.get(word)
            if self.wide and index in (63, 255):
                index ^= 63 ^ 255
            if self.slot.file == "SB" and index > LAST_SCOREBOARD:
                raise NoFit(f"no scoreboard {index}")
            if self.slot.shadow and index == ZERO[self.slot.file]:
                raise NoFit("no register follows URZ")
            suffix = self.fixed
            if self.suffix:
                printed = self.suffix.prints.get(self.suffix.bits.get(word))
                if printed is None:
                    raise NoFit(f"reserved value of field '{self.suffix.name}'")
                suffix = self.fixed + printed
            reg = self._decoded[key] = Reg(
                self.slot.file,
                7 - index if self.slot.flip else index + (self.slot.shadow or 0),
                neg=self.neg is not None and bool(word >> self.neg & 1),
                abs=self.abs is not None and bool(word >> self.abs & 1),
                inv=self.inv is not None and bool(word >> self.inv & 1),
                suffix=suffix,
            )
        return reg

    def encode(self, operand: Operand, address: int) -> int:
        word = self._encoded.get(operand)  # type: ignore[arg-type]
        if word is None:
            assert isinstance(operand, Reg)
            word = self._encoded[operand] = self._pack(operand)
        return word

    def _pack(self, reg: Reg) -> int:
        index = 7 - reg.index if self.slot.flip else reg.index - (self.slot.shadow or 0)
        if self.wide and index in (63, 255):
            index ^= 63 ^ 255
        if not 0 <= index < self.bits.limit:
            raise NoFit(f"register {register_text(reg)} is out of range")
        word = self.bits.put(index)
        for flag, bit, what in ((reg.neg, self.neg, "-"), (reg.abs, self.abs, "||"), (reg.inv, self.inv, "~ or !")):
            if flag:
                if bit is None:
                    raise NoFit(f"operand {register_text(reg)} cannot have '{what}' here")
                word |= 1 << bit
        suffix = reg.suffix
        if self.fixed:
            if suffix[: len(self.fixed)] != self.fixed:
                raise NoFit(f"operand {register_text(reg)} needs the suffix .{'.'.join(self.fixed)}")
            suffix = suffix[len(self.fixed) :]
        if self.suffix:
            value = self.suffix.values.get(suffix)
            if value is None:
                if suffix:
                    raise NoFit(f"operand {register_text(reg)} cannot have that suffix")
                value = self.suffix.default
            word |= self.suffix.bits.put(value)
        elif suffix:
            raise NoFit(f"operand {register_text(reg)} cannot have a suffix")
        return word

    def text(self, operand: Operand) -> str:
        assert isinstance(operand, Reg)
        return register_text(operand)


class ImmCodec(Codec):
    """An immediate. `kind` is a kind of `Imm`, "uint" or "int"; `scale` multiplies; `suffix` as for registers."""

    def __init__(self, name: str, bits: Bits, kind: ImmKind, scale: int, flags: tuple[int | None, int | None]) -> None:
        self.name, self.bits, self.kind, self.scale = name, bits, kind, scale
        self.mask = bits.mask
        self.neg, self.abs = flags
        self.half = kind in ("f16x2", "bf16x2")
        self.kinds = frozenset({"int": "I", "uint": "I"}.get(kind, "HI" if self.half else "FI"))
        self.arity = 2 if self.half else 1
        self.signed = kind == "int"

    def decode(self, word: int, address: int) -> Imm:
        value = self.bits.get(word)
        if self.scale != 1 or self.bits.width > 32:
            if self.signed and value >= self.bits.limit >> 1:
                value -= self.bits.limit
            return Imm(value * self.scale, "int" if value < 0 else "uint")
        if self.signed and self.bits.width < 32 and value >= self.bits.limit >> 1:
            value |= -self.bits.limit & 0xFFFFFFFF
        return Imm(value, self.kind)

    def encode(self, operand: Operand, address: int) -> int:
        assert isinstance(operand, Imm)
        if operand.neg or operand.abs or operand.inv:
            raise NoFit("an immediate cannot have a sign modifier here")
        value = operand.bits
        if self.scale != 1:
            value, rest = divmod(value, self.scale)
            if rest:
                raise NoFit(f"immediate {operand.bits:#x} is not a multiple of {self.scale}")
        if value < 0:
            value += max(self.bits.limit, 0x100000000) if self.scale == 1 else self.bits.limit
        if self.signed and self.bits.width < 32 and self.scale == 1 and value >= 0x80000000:
            value -= 0x100000000 - self.bits.limit
            if value < self.bits.limit >> 1:
                raise NoFit(f"immediate {operand.bits:#x} does not fit {self.bits.width} bits")
        if not 0 <= value < self.bits.limit:
            raise NoFit(f"immediate {operand.bits:#x} does not fit {self.bits.width} bits")
        return self.bits.put(value)

    def text(self, operand: Operand) -> str:
        assert isinstance(operand, Imm)
        return immediate_text(operand)

    def kind_in(self, word: int) -> ImmKind:
        """Kind of the immediate in an instruction word with these modifier bits."""
        return self.kind

    def from_text(self, words: list[Operand], base: int) -> Operand:
        """The operand meant by one or two float words of a text."""
        if self.half and len(words) == 2:
            kind = self.kind_in(base)
            high, low = (parse_float(_word(w), kind[:-2]) for w in words)
            return Imm(high << 16 | low, kind)
        if self.half:
            raise NoFit("a pair of halves is two numbers")
        return Imm(parse_float(_word(words[0]), self.kind), self.kind)


def _word(operand: Operand) -> str:
    assert isinstance(operand, Name)
    return operand.text


def hex_text(value: int, width: int = 32) -> str:
    """Signed hexadecimal as nvdisasm prints it: -0x1."""
    if value >= 1 << width - 1:
        value -= 1 << width
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"


def immediate_text(imm: Imm) -> str:
    """An immediate as printed; a pair of halves gives two numbers."""
    if imm.kind == "int":
        return decorate(hex_text(imm.bits), imm)
    if imm.kind == "uint":
        return decorate(f"{imm.bits:#x}", imm)
    if imm.kind in ("f16x2", "bf16x2"):
        half = imm.kind[:-2]
        return f"{format_float(imm.bits >> 16, half)}, {format_float(imm.bits & 0xFFFF, half)}"
    bits = imm.bits & 0xFFFF if imm.kind in ("f16", "bf16") else imm.bits
    return decorate(format_float(bits, imm.kind), imm)


class ConstCodec(Codec):
    """c[bank][offset] or cx[UR][offset], with sign bits; `base` for LDC's index register. `spaced` puts nvdisasm's
    blank between the brackets, which it does where the operand may have a suffix."""

    def __init__(
        self,
        name: str,
        bank: Bits,
        offset: Bits,
        scale: int,
        *,
        uniform: RegCodec | None = None,
        base: RegCodec | None = None,
        signs: tuple[int | None, int | None, int | None] = (None, None, None),
        suffix: Field | None = None,
        spaced: bool = False,
        signed: bool = True,
        hide_base: bool = False,
        fixed: tuple[str, ...] = (),
    ) -> None:
        self.name, self.bank, self.offset, self.scale = name, bank, offset, scale
        self.uniform, self.base, self.suffix, self.spaced = uniform, base, suffix, spaced
        self.neg, self.abs, self.inv = signs
        self.fixed, self.signed, self.hide_base = fixed, signed, hide_base
        self.kinds = frozenset("X" if uniform else "C")
        self.mask = offset.mask | (uniform.mask if uniform else bank.mask) | (base.mask if base else 0)
        self.mask |= suffix.bits.mask if suffix else 0
        for bit in signs:
            self.mask |= 1 << bit if bit is not None else 0

    def decode(self, word: int, address: int) -> Const:
        offset = self.offset.get(word)
        if self.signed and offset >= self.offset.limit >> 1:
            offset -= self.offset.limit
        suffix = self.fixed
        if self.suffix:
            printed = self.suffix.prints.get(self.suffix.bits.get(word))
            if printed is None:
                raise NoFit(f"reserved value of field '{self.suffix.name}'")
            suffix = suffix + printed
        base = self.base.decode(word, address) if self.base else None
        if (
            base is not None
            and base.index == ZERO[base.file]
            and (base.file == "R" or self.hide_base)
            and not self.uniform
        ):
            base = None
        return Const(
            0 if self.uniform else self.bank.get(word),
            offset * self.scale,
            ureg=self.uniform.decode(word, address) if self.uniform else None,
            base=base,
            neg=self.neg is not None and bool(word >> self.neg & 1),
            abs=self.abs is not None and bool(word >> self.abs & 1),
            inv=self.inv is not None and bool(word >> self.inv & 1),
            suffix=suffix,
        )

    def encode(self, operand: Operand, address: int) -> int:
        assert isinstance(operand, Const)
        value, rest = divmod(operand.offset, self.scale)
        if rest or not -(self.offset.limit >> 1) <= value < self.offset.limit:
            raise NoFit(f"constant offset {operand.offset:#x} does not fit")
        word = self.offset.put(value & self.offset.limit - 1)
        if self.uniform:
            word |= self.uniform.encode(operand.ureg or Reg("UR", URZ), address)
        else:
            if not 0 <= operand.bank < self.bank.limit:
                raise NoFit(f"constant bank {operand.bank} does not fit")
            word |= self.bank.put(operand.bank)
        if self.base:
            file = self.base.slot.file
            word |= self.base.encode(operand.base or Reg(file, ZERO[file]), address)
        elif operand.base:
            raise NoFit("a constant operand cannot have an index register here")
        for flag, bit in ((operand.neg, self.neg), (operand.abs, self.abs), (operand.inv, self.inv)):
            if flag:
                if bit is None:
                    raise NoFit("the constant operand cannot have that sign modifier here")
                word |= 1 << bit
        suffix = operand.suffix[len(self.fixed) :]
        if self.suffix:
            stored = self.suffix.values.get(suffix)
            if stored is None:
                raise NoFit("the constant operand cannot have that suffix")
            word |= self.suffix.bits.put(stored)
        elif suffix:
            raise NoFit("the constant operand cannot have a suffix")
        return word

    def text(self, operand: Operand) -> str:
        assert isinstance(operand, Const)
        head = f"cx[{register_text(operand.ureg)}]" if operand.ureg else f"c[{operand.bank:#x}]"
        inside = hex_text(operand.offset)
        if self.base and not operand.base and not operand.offset and not self.uniform:
            inside = FILE_TEXT[self.base.slot.file]
        if operand.base and self.uniform and operand.base.index == ZERO[operand.base.file]:
            inside = hex_text(operand.offset % (self.offset.limit * self.scale))
        elif operand.base:
            inside = register_text(operand.base) + ("+" + inside if operand.offset else "")
        body = f"{head}{' ' if self.spaced else ''}[{inside}]" + "".join("." + s for s in operand.suffix)
        return decorate(body, operand)


class MemCodec(Codec):
    """An address. `shape` is "", "desc", "gdesc", "a" (attribute space) or "c"; parts that a form lacks are None."""

    kinds = frozenset("M")
    read = True

    def __init__(
        self, name: str, shape: str, desc: RegCodec | None, base: RegCodec | None, ureg: RegCodec | None,
        offset: Bits | None, signed: bool, scale: int, desc_offset: Bits | None, signed_alone: bool = False,
    ) -> None:  # fmt: skip
        self.signed_alone = signed_alone
        self.name, self.shape, self.desc, self.base, self.ureg = name, shape, desc, base, ureg
        self.offset, self.signed, self.scale, self.desc_offset = offset, signed, scale, desc_offset
        self.mask = offset.mask if offset else 0
        self.mask |= desc_offset.mask if desc_offset else 0
        for part in (desc, base, ureg):
            self.mask |= part.mask if part else 0
            self.shadow = self.shadow or (part.shadow if part else False)

    def decode(self, word: int, address: int) -> Mem:
        offset = 0
        if self.offset:
            offset = self.offset.get(word)
            if self.signed and offset >= self.offset.limit >> 1:
                offset -= self.offset.limit
        return Mem(
            self.base.decode(word, address) if self.base else None,
            offset * self.scale,
            self.ureg.decode(word, address) if self.ureg else None,
            self.desc.decode(word, address) if self.desc else None,
            self.desc_offset.get(word) if self.desc_offset else 0,
        )

    def encode(self, operand: Operand, address: int) -> int:
        assert isinstance(operand, Mem)
        word = 0
        if operand.base is None and operand.ureg and self.ureg is None and self.base and self.base.slot.file == "UR":
            operand = Mem(operand.ureg, operand.offset, None, operand.desc, operand.desc_offset)
        for part, given in ((self.base, operand.base), (self.ureg, operand.ureg), (self.desc, operand.desc)):
            if part is None:
                if given is not None and (given.file == "UR" or given.index != ZERO[given.file]):
                    raise NoFit(f"this address form has no place for {register_text(given)}")
                continue
            if given is None:
                if (part is self.desc and not self.silent) or (part is self.ureg and not self.hides_urz):
                    raise NoFit("this address form needs a descriptor or uniform register")
                given = Reg(part.slot.file, ZERO[part.slot.file], suffix=part.fixed)
            elif given.file != part.slot.file:
                raise NoFit(f"{register_text(given)} is of the wrong register file for this address")
            word |= part.encode(given, address)
        value, rest = divmod(operand.offset, self.scale)
        if self.offset:
            low = -(self.offset.limit >> 1) if self.signed else 0
            whole = not self.signed or operand.base is None or self._absolute(operand.base)
            high = self.offset.limit if whole else self.offset.limit >> 1
            if rest or not low <= value < high:
                raise NoFit(f"address offset {operand.offset:#x} does not fit")
            word |= self.offset.put(value & self.offset.limit - 1)
        elif value:
            raise NoFit("this address form has no offset")
        if self.desc_offset:
            word |= self.desc_offset.put(operand.desc_offset)
        elif operand.desc_offset:
            raise NoFit("this descriptor has no offset")
        return word

    def text(self, operand: Operand) -> str:
        return self._text(operand, not self.silent)

    def full_text(self, operand: Operand) -> str:
        return self._text(operand, True, whole=True)

    def _text(self, operand: Operand, described: bool, whole: bool = False) -> str:
        assert isinstance(operand, Mem)
        parts = []
        base, ureg, offset = operand.base, operand.ureg, operand.offset
        if self.hides_rz and not whole and base and ureg and base.index == ZERO[base.file]:
            base = None
        if base and self._absolute(base):
            if self.offset and not self.signed_alone:
                offset %= self.offset.limit * self.scale
            base = Reg(base.file, base.index)
        elif base and (base.index != ZERO[base.file] or base.suffix or base.file == "UR" or self.desc):
            parts.append(register_text(base))
        if ureg and (ureg.index != URZ or not (base and self.hides_urz)):
            parts.append(register_text(ureg))
        if offset or not (parts or base or ureg):
            parts.append(hex_text(offset, 64))
        elif not parts:
            parts.append(register_text(base or ureg))  # type: ignore[arg-type]
        inside = f"[{'+'.join(parts)}]"
        if not described:
            return inside
        if self.desc and operand.desc:
            more = f"+{operand.desc_offset:#x}" if operand.desc_offset else ""
            suffix = "".join("." + s for s in operand.desc.suffix)
            plain = Reg(operand.desc.file, operand.desc.index)
            head = f"{self.shape}[{register_text(plain)}{more}]{suffix}"
            return head + (inside if self.base else "")
        return self.shape + inside

    hides_urz = False
    hides_rz = False
    """RZ is not printed beside a uniform register, even where it says how wide it is (sm_80; no address of later
    machines)."""
    silent = False
    """There is a descriptor, of which nvdisasm prints nothing."""

    def _absolute(self, base: Reg) -> bool:
        """Whether this is an address without registers: nvdisasm prints its offset alone, most often unsigned."""
        alone = self.ureg is None and self.desc is None and self.base is not None and not self.base.fixed
        return alone and base.index == ZERO[base.file] and (base.file == "R" or self.hides_urz)


class TargetCodec(Codec):
    """A code address, stored relative to the next instruction in units of `scale` bytes (or absolute)."""

    kinds = frozenset("TI")

    def __init__(self, name: str, bits: Bits, scale: int, relative: bool, signed: bool = True) -> None:
        self.name, self.bits, self.scale, self.relative, self.signed = name, bits, scale, relative, signed
        self.mask = bits.mask

    def decode(self, word: int, address: int) -> Target:
        value = self.bits.get(word)
        if self.signed and value >= self.bits.limit >> 1:
            value -= self.bits.limit
        return Target(value * self.scale + (address + 16 if self.relative else 0))

    def encode(self, operand: Operand, address: int) -> int:
        if isinstance(operand, Target):
            if operand.address is None:
                raise NoFit(f"label '{operand.label}' is not placed")
            value = operand.address
        else:
            assert isinstance(operand, Imm)
            value = operand.bits
        value, rest = divmod(value - (address + 16 if self.relative else 0), self.scale)
        low, high = (-(self.bits.limit >> 1), self.bits.limit >> 1) if self.signed else (0, self.bits.limit)
        if rest or not low <= value < high:
            raise NoFit("the target is out of range or not aligned")
        return self.bits.put(value & self.bits.limit - 1)

    def text(self, operand: Operand) -> str:
        if isinstance(operand, Target):
            if operand.label is not None:
                return f"`({operand.label})"
            return hex_text(operand.address or 0, 64)
        assert isinstance(operand, Imm)
        return hex_text(operand.bits, 64)


class WordCodec(Codec):
    """A fixed word ('PR') or a word chosen by a field (1D, 2D, gsb0)."""

    kinds = frozenset("N")

    def __init__(self, name: str, field: Field | None) -> None:
        self.name, self.field = name, field
        self.mask = field.bits.mask if field else 0
        if field and ("B0",) in field.values:
            self.kinds = frozenset("NB")

    def decode(self, word: int, address: int) -> Operand:
        if self.field is None:
            return Name(self.name)
        printed = self.field.prints.get(self.field.bits.get(word))
        if printed is None:
            raise NoFit(f"reserved value of field '{self.name}'")
        if "B" in self.kinds and printed[0][1:].isdigit():
            return Reg("B", int(printed[0][1:]))
        return Name(".".join(printed))

    def encode(self, operand: Operand, address: int) -> int:
        if isinstance(operand, Reg):
            operand = Name(f"B{operand.index}")
        assert isinstance(operand, Name)
        if self.field is None:
            if operand.text != self.name:
                raise NoFit(f"expected '{self.name}', not '{operand.text}'")
            return 0
        value = self.field.values.get(tuple(operand.text.split(".")) if operand.text else ())
        if value is None:
            raise NoFit(f"'{operand.text}' is no value of '{self.name}'")
        return self.field.bits.put(value)

    def text(self, operand: Operand) -> str:
        if isinstance(operand, Reg):
            return register_text(operand)
        assert isinstance(operand, Name)
        return operand.text


class MaskCodec(Codec):
    """A set of scoreboards, printed {5,4,0}."""

    kinds = frozenset("N")

    def __init__(self, name: str, bits: Bits) -> None:
        self.name, self.bits, self.mask = name, bits, bits.mask

    def decode(self, word: int, address: int) -> Name:
        value = self.bits.get(word)
        chosen = [str(k) for k in range(self.bits.width - 1, -1, -1) if value >> k & 1]
        return Name("{" + ",".join(chosen) + "}")

    def encode(self, operand: Operand, address: int) -> int:
        assert isinstance(operand, Name)
        inner = operand.text.strip("{}")
        if operand.text[:1] != "{" or not all(p.isdigit() and int(p) < self.bits.width for p in inner.split(",") if p):
            raise NoFit(f"expected a set of scoreboards, not '{operand.text}'")
        return self.bits.put(sum(1 << int(p) for p in inner.split(",") if p))

    def text(self, operand: Operand) -> str:
        assert isinstance(operand, Name)
        return operand.text


Decoder = Callable[[int, int], Operand]
