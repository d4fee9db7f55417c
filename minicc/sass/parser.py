"""Text of one instruction to `Instr`: the inverse of `printer.format`, and what people may write beside it.

Labels are written `(name)` in back quotes as nvdisasm does; decimal integers are accepted; `.reuse` sets the control
field.
"""

from __future__ import annotations

import re

from minicc.diagnostics import SourceFile, Span, fail
from minicc.record import NamedTuple
from minicc.sass.codec import Plan, plans
from minicc.sass.instr import PT, Const, Control, Imm, Instr, Mem, Name, Operand, Reg, Target
from minicc.sass.isa.aliases import ALIASES
from minicc.sass.isa.special import indices
from minicc.sass.operand import Codec, ImmCodec, NoFit, TargetCodec, kind_of, telling


class _Word(NamedTuple):
    """One operand of the text: what it is, its class, whether it had `.reuse`, and its place."""

    operand: Operand
    kind: str
    reuse: bool
    start: int
    end: int


_GUARD = re.compile(r"\s*@(!?)(U?P)([0-6T])\s+")
_HEAD = re.compile(r"\s*([A-Za-z_]\w*)((?:\.[\w?]+)*)")
_REG = re.compile(r"(UR|UP|R|P|B|SB)(\d+|Z|T)$")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?([eE][-+]?\d+)?|INF|QNAN|SNAN|NAN|inf|nan)$")


def parse(text: str, family: str = "", source: SourceFile | None = None, offset: int = 0) -> Instr:
    """The instruction of a line of text, with defaults filled in as `decode` gives it. `CompileError` with a caret if
    it cannot be read or nothing fits. `family` prefers the forms of an encoding family. `source` and `offset` say
    where the text stands, for messages."""
    source = source or SourceFile("<sass>", text)

    def wrong(message: str, start: int, end: int) -> None:
        fail("sass.syntax", message, Span(source, offset + start, offset + max(end, start + 1)))

    body = text.rstrip()
    if body.endswith(";"):
        body = body[:-1].rstrip()
    at = 0
    guard = Reg("P", PT)
    match = _GUARD.match(body)
    if match:
        index = PT if match[3] == "T" else int(match[3])
        guard = Reg("UP" if match[2] == "UP" else "P", index, inv=bool(match[1]))
        at = match.end()
    head = _HEAD.match(body, at)
    if head is None:
        wrong("expected an instruction", at, len(body))
        raise AssertionError
    mnemonic = head[1]
    modifiers = tuple(head[2].split(".")[1:])
    if mnemonic == "IMAD" and modifiers and modifiers[0] in ALIASES:
        modifiers = modifiers[1:]
    words: list[_Word] = []
    for start, end in _pieces(body, head.end()):
        try:
            if body[start:end].endswith(".H1") and _NUMBER.match(body[start : end - 3]):
                words.append(_operand(body[start : end - 3], start, end - 3))
                start = end - 2
            elif body[start:end] == ".H1":  # behind the blank of -QNAN
                start += 1
            words.append(_operand(body[start:end], start, end))
        except ValueError as error:
            wrong(str(error), start, end)
    kinds = tuple([w.kind for w in words])
    why = ""
    for plan in _ordered(plans(mnemonic, modifiers, kinds), family):
        try:
            return _build(plan, mnemonic, modifiers, guard, words)
        except (NoFit, ValueError, OverflowError) as error:
            why = telling(why, str(error))
    from minicc.sass.explain import explain

    raw = Instr(mnemonic, tuple(w.operand for w in words), modifiers, guard)
    message = explain(raw, tuple("I" if k == "D" else k for k in kinds), why, body[head.start(1) :])
    wrong(message, head.start(1), len(body))
    raise AssertionError


def _ordered(found: tuple[Plan, ...], family: str) -> tuple[Plan, ...]:
    if not family:
        return found
    return tuple(p for p in found if family in p.form.families)


def _build(plan: Plan, mnemonic: str, modifiers: tuple[str, ...], guard: Reg, words: list[_Word]) -> Instr:
    operands: list[Operand] = []
    reuse = 0
    if plan.form.guard_file != guard.file and guard.index != PT:
        raise NoFit("the guard is of the wrong register file")
    word = plan.base
    for codec, place in zip(plan.form.operands, plan.places, strict=True):
        if place < 0:
            assert codec.default is not None
            operands.append(codec.default)
            continue
        given = words[place]
        operand = _settle(codec, words, place, plan.base)
        operands.append(operand)
        if not isinstance(codec, TargetCodec):
            word |= codec.encode(operand, 0)
        if given.reuse:
            if not codec.reuse or codec.source is None:
                raise NoFit("'.reuse' is only for register sources of arithmetic")
            reuse |= 1 << codec.source
    for codec, place in plan.form.shadows:
        if codec.decode(word, 0) != operands[place]:
            raise NoFit(f"operand {place + 1} must follow from another one here")
    for position, codec in enumerate(plan.form.operands):
        if plan.places[position] >= 0 and not isinstance(codec, TargetCodec):
            operands[position] = codec.decode(word, 0)
    return Instr(mnemonic, tuple(operands), modifiers, guard, Control(reuse=reuse) if reuse else _PLAIN)


_PLAIN = Control()


def _settle(codec: Codec, words: list[_Word], place: int, base: int) -> Operand:
    """The operand of `codec` from its word or words, in the codec's own terms. `base` holds the modifier bits."""
    given = words[place]
    if isinstance(codec, ImmCodec):
        if given.kind in "FD" and ("F" in codec.kinds or "H" in codec.kinds):
            return codec.from_text([w.operand for w in words[place : place + codec.arity]], base)
        if given.kind == "D":
            assert isinstance(given.operand, Name)
            return Imm(int(given.operand.text), "int")
    if isinstance(codec, TargetCodec) and isinstance(given.operand, Imm):
        return Target(given.operand.bits)
    if isinstance(codec, TargetCodec) and isinstance(given.operand, Name):
        return Target(int(given.operand.text))
    return given.operand


def _pieces(text: str, at: int) -> list[tuple[int, int]]:
    """Spans of the operands: separated by commas outside brackets, or by blanks (but not before a bracket)."""
    spans: list[tuple[int, int]] = []
    depth = 0
    start: int | None = None
    position = at
    while position < len(text):
        ch = text[position]
        if ch in "[{(":
            depth += 1
        elif ch in "]})":
            depth -= 1
        if depth == 0 and (ch == "," or ch.isspace()):
            if ch.isspace() and start is not None and text[position:].lstrip()[:1] == "[":
                position += 1
                continue
            if start is not None:
                spans.append((start, position))
                start = None
        elif start is None:
            start = position
        position += 1
    if start is not None:
        spans.append((start, len(text)))
    return spans


def _operand(text: str, start: int, end: int) -> _Word:
    reuse = ".reuse" in text
    word = text.replace(".reuse", "") if reuse else text
    operand, kind = _read(word)
    return _Word(operand, kind or kind_of(operand), reuse, start, end)


def _read(text: str) -> tuple[Operand, str]:
    """(operand, its class if it is not the one of `kind_of`)."""
    if not text:
        raise ValueError("an operand is missing")
    if text[0] == "`":
        return Target(label=text[1:].strip("()")), ""
    if text[0] == "{":
        return Name(text.replace(" ", "")), ""
    if _NUMBER.match(text):
        return Name(text), "D" if text.lstrip("+-").isdigit() else "F"
    if text.lstrip("-+")[:2] in ("0x", "0X") and "[" not in text:
        value = int(text, 16)
        return Imm(value, "int"), ""
    neg = text[0] == "-"
    body = text[1:] if neg else text
    inv = body[:1] in ("~", "!")
    body = body[1:] if inv else body
    absolute = body[:1] == "|"
    if not body.strip("|"):
        raise ValueError(f"cannot read the operand '{text}'")
    suffix: tuple[str, ...] = ()
    if absolute:
        inside, bar, tail = body[1:].partition("|")
        if not bar:
            raise ValueError("missing '|'")
        suffix = tuple(tail.split(".")[1:])
        body = inside
    if "[" in body:
        return _bracket(body, neg, absolute, inv, suffix), ""
    if body in indices():
        return Reg("SR", indices()[body]), ""
    name, *more = body.split(".")
    match = _REG.match(name)
    if match is None:
        return Name(text), ""
    return _register(match, neg, absolute, inv, (*more, *suffix)), ""


def _register(match: re.Match[str], neg: bool, absolute: bool, inv: bool, suffix: tuple[str, ...]) -> Reg:
    file, number = match[1], match[2]
    if number in "ZT":
        index = {"R": 255, "UR": 63, "P": 7, "UP": 7}.get(file)
        if index is None or (number == "Z") != (file in ("R", "UR")):
            raise ValueError(f"no register {match[0]}")
    else:
        index = 255 if match[0] == "UR63" else int(number)
        if index > {"R": 254, "UR": 255, "P": 6, "UP": 6, "B": 15, "SB": 5}[file]:
            raise ValueError(f"no register {match[0]}")
    return Reg(file, index, neg=neg, abs=absolute, inv=inv, suffix=suffix)  # type: ignore[arg-type]


def _plain_register(text: str) -> Reg | None:
    name, *more = text.split(".")
    match = _REG.match(name)
    return _register(match, False, False, False, tuple(more)) if match else None


_BRACKET = re.compile(r"(\w*)\[([^\]]*)\]((?:\.\w+)*)\s*(?:\[([^\]]*)\])?((?:\.\w+)*)$")


def _bracket(text: str, neg: bool, absolute: bool, inv: bool, outer: tuple[str, ...]) -> Operand:
    match = _BRACKET.match(text)
    if match is None:
        raise ValueError(f"cannot read the operand '{text}'")
    shape, first, tail, second, suffix_text = match.groups()
    suffix = (*suffix_text.split(".")[1:], *outer)
    if shape in ("c", "cx"):
        if second is None:
            raise ValueError("a constant operand is c[bank][offset]")
        base, ureg, offset = _sum(second)
        base = base or ureg
        if shape == "c":
            return Const(int(first, 0), offset, base=base, neg=neg, abs=absolute, inv=inv, suffix=suffix)
        return Const(0, offset, _plain_register(first), base, neg, absolute, inv, suffix)
    if shape in ("desc", "gdesc"):
        base, ureg, desc_offset = _sum(first)
        desc = base or ureg
        if desc is None:
            raise ValueError("a descriptor is a uniform register")
        inner = (*tail.split(".")[1:], *(suffix if second is None else ()))
        desc = Reg(desc.file, desc.index, suffix=inner)
        if second is None:
            return Mem(None, 0, None, desc, desc_offset)
        base, ureg, offset = _sum(second)
        return Mem(base, offset, ureg, desc, desc_offset)
    base, ureg, offset = _sum(first)
    return Mem(base, offset, ureg)


def _sum(text: str) -> tuple[Reg | None, Reg | None, int]:
    """(register, uniform register, number) of an address sum. A lone uniform register is returned second."""
    base = ureg = None
    offset = 0
    for part in text.split("+"):
        part = part.strip()
        reg = _plain_register(part)
        if reg is None:
            offset += int(part, 0)
        elif reg.file == "R" and base is None:
            base = reg
        else:
            ureg = reg
    return base, ureg, offset
