"""Every row of the instruction set has every facet, and every bit of every form is accounted for."""

from __future__ import annotations

import pytest

from minicc import arch, sass
from minicc.sass import codec
from minicc.sass.form import CONTROL_MASK, GUARD_MASK, Form, forms_of
from minicc.sass.instr import Instr
from minicc.sass.isa import FAMILIES, MODULES, ROWS, Row
from minicc.sass.isa.widths import width_of
from minicc.sass.operand import MemCodec

SM_90 = arch.get("sm_90")
FORMS = [(row, form) for row in ROWS for form in codec._compiled(row)]
BARRIER_ONLY = {"gmma", "dmma"}
"""Producer classes without a figure: the barrier or group says when they are done."""


def test_rows_build_forms_of_known_families() -> None:
    assert len(ROWS) > 500
    for row, form in FORMS:
        assert form.families <= set(FAMILIES), row
        assert form.families, row


def test_every_bit_has_one_owner() -> None:
    """Fixed, guard, control, modifier, hidden, operand or unused: together all of 0..125, and none twice. Operands may
    share a modifier's bits (a suffix field), and a shadow owns none."""
    for _, form in FORMS:
        owners = [form.fixed, GUARD_MASK, CONTROL_MASK, form.unused]
        owners += [field.bits.mask for field in form.fields.values()]
        owners += [bits.mask for _, bits, _ in form.hidden]
        fields = 0
        for field in form.fields.values():
            fields |= field.bits.mask
        owners += [c.mask & ~fields for c in form.operands]
        total = 0
        for mask in owners:
            assert not total & mask, form
            total |= mask
        assert total == (1 << 128) - 1, form


def test_a_form_is_passed_by_only_where_no_operand_is_what_it_takes() -> None:
    """`plans` does not ask a form whose B or C is no register what else it takes, unless an operand is written so."""
    taking = [form for _, form in FORMS if form.taken]
    assert len(taking) > 500
    for form in taking:
        assert any(c.default is None and c.kinds <= form.taken for c in form.operands if form.taken), form


def test_overlap_in_a_row_is_found() -> None:
    row = sass_row("IADD3")._replace(when="24=1")
    for form in forms_of(row):
        with pytest.raises(ValueError, match="shares bits"):
            _ = form.operands


def sass_row(mnemonic: str) -> Row:
    return next(row for row in ROWS if row.mnemonic == mnemonic)


def test_timing_names_are_of_the_machine() -> None:
    raw, arrival = SM_90.latency.raw, SM_90.latency.arrival
    readers = {reader for row in raw.values() for reader in row}
    for row in ROWS:
        t = row.timing
        assert t.pipe in SM_90.pipes, row
        for cls in (t.out, t.uout):
            assert cls in raw or cls in arrival or cls in BARRIER_ONLY, (row.mnemonic, cls)
        assert t.pout in raw, row
        for cls in (t.src, t.psrc, t.usrc, t.addr, *(c for _, c in t.slots)):
            assert cls in readers, (row.mnemonic, cls)


def test_widths_are_numbers_or_rules() -> None:
    for row, form in FORMS:
        probe = Instr(row.mnemonic)
        for part in form.operands:
            assert 1 <= width_of(part.width, probe) <= 128
            if isinstance(part, MemCodec):
                for inner in (part.base, part.ureg, part.desc):
                    assert inner is None or width_of(inner.width, probe) >= 1


def test_modifier_values_print_back() -> None:
    """Every printed suffix of a field is found again as a value that prints it."""
    for _, form in FORMS:
        for field in form.fields.values():
            assert field.prints, form
            assert field.default in field.prints, (form, field.name)
            for value, text in field.prints.items():
                assert value < field.bits.limit
                assert field.prints[field.values[text]] == text


def test_fields_of_rows_are_used() -> None:
    """A field that a row names but its syntax does not is a slip of the pen."""
    for row, form in FORMS:
        known = {c.name for c in form.operands} | set(form.fields)
        for name in row.fields:
            stem = name.rpartition("_")[2]
            direct = (
                name in known or f"#{name}" in row.syntax or f"@{name}" in row.syntax or f"{{{name}}}" in row.syntax
            )
            assert direct or stem in ("at", "neg", "abs", "inv") or _lane(name, row), (row.mnemonic, row.syntax, name)


def _lane(name: str, row: Row) -> bool:
    return any(name.startswith(part) for part in ("half_", "part_")) or name in row.syntax or name in SHARED


SHARED = frozenset(
    ("e", "evict", "prefetch", "size", "scope", "off", "half", "scaled", "long_off", "mask", "dim", "flags")
)
"""Fields that a group of rows shares; not every address form prints all of them."""


def test_modules_hold_each_row_once() -> None:
    seen: set[tuple[str, int, str, str, str, str]] = set()
    for module in MODULES:
        for row in module.ROWS:
            key = (row.mnemonic, row.opcode, row.syntax, row.forms, row.when, row.on)
            assert key not in seen, key
            seen.add(key)


def test_forms_are_reachable() -> None:
    """A form whose every word is taken by an earlier one would be dead."""
    for family in FAMILIES:
        by_opcode: dict[int, list[Form]] = {}
        for _, form in FORMS:
            if family in form.families:
                by_opcode.setdefault(form.opcode, []).append(form)
        for forms in by_opcode.values():
            for k, late in enumerate(forms):
                for early in forms[:k]:
                    covers = early.fixed & late.fixed == early.fixed and late.value & early.fixed == early.value
                    free = all(len(f.prints) == f.bits.limit for f in early.fields.values())
                    assert not (covers and free and early.row is late.row), (early, late)


def test_api_in_the_docstring() -> None:
    """The examples of the package's text."""

    def r(index: int) -> sass.Reg:
        return sass.Reg("R", index)

    def p(index: int) -> sass.Reg:
        return sass.Reg("P", index)

    add = sass.make("IADD3", (r(5), r(4), sass.Imm(0x10), r(sass.RZ)))
    assert sass.format(add) == "IADD3 R5, R4, 0x10, RZ ;"
    compare = sass.make("ISETP", (p(0), p(sass.PT), r(4), r(5), p(sass.PT)), ("LT", "AND"))
    assert sass.format(compare) == "ISETP.LT.AND P0, PT, R4, R5, PT ;"
    assert sass.field(compare, "cmp") == "LT"
    address = sass.Mem(sass.Reg("R", 4, suffix=("64",)), 16, desc=sass.Reg("UR", 4))
    assert sass.format(sass.make("LDG", (r(2), address), ("E", "64"))) == "LDG.E.64 R2, desc[UR4][R4.64+0x10] ;"
    jump = sass.make("BRA", (sass.Target(0x120),), guard=sass.Reg("P", 0, inv=True))
    assert sass.format(jump) == "@!P0 BRA 0x120 ;"
    assert sass.parse("IADD3 R5, R4, 0x10, RZ") == add
