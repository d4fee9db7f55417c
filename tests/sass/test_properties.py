"""Properties over random instructions: nvdisasm agrees, text and words are inverse, nothing crashes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import sass
from minicc.diagnostics import CompileError
from minicc.sass import codec
from minicc.sass.floats import format_float, parse_float, to_float
from minicc.sass.form import Form
from minicc.sass.instr import Target
from minicc.sass.isa import ROWS
from tests.sass.common import machine, nvdisasm, squeeze, vectors

SM_90 = machine("sm_90a")
FORMS: list[Form] = [f for row in ROWS for f in codec._compiled(row) if "sm_90" in f.families]
NO_CONTROL = 0x7E0 << 105
REUSE = 7 << 122
STALL = 1 << 105 | 1 << 109
"""One cycle and no yield, without which nvdisasm refuses reuse flags."""
UNSURE = ("?", "INVALID", "VIMNMX", "WARPSYNC", "BRX")
"""Texts that are not compared: what nvdisasm calls unknown; VIMNMX, whose result predicates
it prints only in pairs; addresses."""


def random_word(form: Form, rng: random.Random) -> int:
    """A word of the form: random operands (those that print differently at 0, RZ or PT often are), legal modifiers,
    silent fields at their defaults."""
    word = rng.getrandbits(105) & ~form.fixed & ~form.unused | form.value | NO_CONTROL
    for slot in form.operands:
        mask = slot.mask & ~form.fixed
        word = rng.choice((word | mask, word & ~mask, word, word, word, word))
    for _, bits, default in form.hidden:
        word = word & ~bits.mask | bits.put(default)
    for field in form.fields.values():
        word = word & ~field.bits.mask | field.bits.put(rng.choice(list(field.prints)))
    for slot in form.operands:
        if slot.reuse:
            word |= rng.choice((0, 0, 0, 1)) << 122 + slot.source
    return word & ~(15 << 12) | rng.choice((7, 7, 0, 9)) << 12


def differences(words: list[int], folder: Path, compared: float) -> list[tuple[str, str, str]]:
    """(word, ours, nvdisasm's) where the texts differ. nvdisasm must take the share `compared` of the words."""
    ours = [sass.format(sass.decode(word, SM_90, 0), SM_90.sass) for word in words]
    theirs = nvdisasm(words, "SM90a", folder)
    assert sum(text is not None for text in theirs) >= len(words) * compared
    return [
        (hex(word), mine, text)
        for word, mine, text in zip(words, ours, theirs, strict=True)
        if text is not None and not any(w in text for w in UNSURE) and squeeze(text) != squeeze(mine)
    ]


def printable(form: Form, rng: random.Random) -> Iterator[int]:
    """Random words of the form, without reuse flags, that decode and name no address."""
    for _ in range(20):
        word = random_word(form, rng) & ~REUSE
        with suppress(CompileError):
            if not any(isinstance(o, Target) for o in sass.decode(word, SM_90, 0).operands):
                yield word


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_nvdisasm_prints_the_same(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A word that nvdisasm prints without complaint is printed the same by us. (Combinations that it calls INVALID or
    ??? may be refused or named by us.)"""
    rng = random.Random(seed)
    words = [word for form in rng.sample(FORMS, 150) for word in islice(printable(form, rng), 1)]
    assert not differences(words, tmp_path_factory.mktemp("words"), 0.75)


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_reuse_flags_of_every_form(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each flag by itself, on a word of every form: it is printed behind the same operand, or behind none. (nvdisasm
    refuses two words in five: flags of constants, of uniform registers, of accumulators.)"""
    rng = random.Random(seed)
    plain = [word | STALL for form in FORMS for word in islice(printable(form, rng), 1)]
    assert len(plain) > 1000
    words = [word | 1 << flag for word in plain for flag in (122, 123, 124)]
    assert not differences(words, tmp_path_factory.mktemp("words"), 0.5)


@pytest.mark.parametrize(
    "mnemonic",
    [
        "UISETP",
        "UIMAD",
        "UFADD",
        "UFSEL",
        "UFSETP",
        "UI2F",
        "UI2FP",
        "UF2I",
        "SEL",
        "USEL",
        "UIMNMX",
        "UVIMNMX",
    ],
)
def test_what_only_sm_120_has_prints_the_same(mnemonic: str, tmp_path: Path) -> None:
    """Arithmetic in uniform registers, and on pairs of them."""
    machine_ = machine("sm_120a")
    forms = [f for row in ROWS if row.mnemonic == mnemonic for f in codec._compiled(row) if "sm_120" in f.families]
    rng = random.Random(mnemonic)
    words = [random_word(form, rng) & ~REUSE for form in forms for _ in range(12)]
    ours = [sass.format(sass.decode(word, machine_, 0), machine_.sass) for word in words]
    theirs = nvdisasm(words, "SM120a", tmp_path)
    assert sum(text is not None for text in theirs) >= len(words) / 2
    differing = [(m, t) for m, t in zip(ours, theirs, strict=True) if t is not None and "?" not in t]
    assert [(m, t) for m, t in differing if squeeze(m) != squeeze(t)] == []
    assert [sass.encode(sass.decode(word, machine_, 0), machine_, 0) for word in words] == words


def test_reuse_stands_before_rows_and_columns(tmp_path: Path) -> None:
    """Every recorded integer product, with a stall and no yield, without which nvdisasm prints no flags."""
    control = NO_CONTROL | STALL | 1 << 122 | 1 << 123
    words = [v.word & (1 << 105) - 1 | control for v in vectors() if v.arch == "sm_90" and v.text.startswith("IMMA")]
    theirs = nvdisasm(words, "SM90a", tmp_path)
    assert sum(".reuse.ROW" in (text or "") for text in theirs) > 4
    ours = [sass.format(sass.decode(word, SM_90, 0), SM_90.sass) for word in words]
    assert [squeeze(text or "") for text in theirs] == [squeeze(text) for text in ours]


@settings(max_examples=300, deadline=None)
@given(index=st.integers(0, len(FORMS) - 1), seed=st.integers(0, 1 << 32))
def test_words_and_text_are_inverse(index: int, seed: int) -> None:
    word = random_word(FORMS[index], random.Random(seed))
    try:
        instr = sass.decode(word, SM_90, 0)
    except CompileError:
        return
    assert sass.encode(instr, SM_90, 0) == word
    text = sass.format(instr)
    back = sass.parse(text, "sm_90")
    again = sass.format(back)
    assert squeeze(again).replace(" ;", ";") == squeeze(text).replace(" ;", ";")
    sass.effects(instr, SM_90)


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_every_form_encodes_what_it_decodes(seed: int) -> None:
    """Also where two forms print alike: BMOV.32 of a barrier, [R1+URZ] and [R1]."""
    rng = random.Random(seed)
    for form in FORMS:
        for word in (random_word(form, rng), random_word(form, rng) | 0xFF << rng.choice((24, 32, 64))):
            try:
                instr = sass.decode(word, SM_90, 0x40)
            except CompileError:
                continue
            assert sass.encode(instr, SM_90, 0x40) == word, sass.format(instr)


@settings(max_examples=400, deadline=None)
@given(index=st.integers(0, 1 << 30), flips=st.lists(st.integers(0, 127), min_size=1, max_size=6))
def test_damaged_words_decode_or_say_so(index: int, flips: list[int]) -> None:
    v = vectors()[index % len(vectors())]
    word = v.word
    for bit in flips:
        word ^= 1 << bit
    arch = machine(v.arch)
    try:
        instr = sass.decode(word, arch, v.address)
    except CompileError as error:
        assert f"{v.address:#x}" in str(error)
        return
    assert sass.encode(instr, arch, v.address) == word
    sass.format(instr, arch.sass)
    sass.effects(instr, arch)


@settings(max_examples=300, deadline=None)
@given(word=st.integers(0, (1 << 128) - 1))
def test_any_word_decodes_or_says_so(word: int) -> None:
    try:
        instr = sass.decode(word, SM_90, 0x40)
    except CompileError:
        return
    assert sass.encode(instr, SM_90, 0x40) == word


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet="IADD3MOVLGES.RPUTZ0123456789abcdefx[]+-|~!@,; `()%", max_size=60))
def test_any_text_parses_or_says_where(text: str) -> None:
    try:
        sass.parse(text)
    except CompileError as error:
        assert "error:" in str(error)


@settings(max_examples=300, deadline=None)
@given(kind=st.sampled_from(["f32", "f64hi", "f16", "bf16"]), bits=st.integers(0, (1 << 32) - 1))
def test_float_text(kind: str, bits: int) -> None:
    if kind in ("f16", "bf16"):
        bits &= 0xFFFF
    text = format_float(bits, kind)
    if "NAN" in text:
        assert "NAN" in format_float(parse_float(text, kind), kind)
        return
    assert parse_float(text, kind) == bits
    if "INF" not in text:
        assert float(text) == to_float(bits, kind)
