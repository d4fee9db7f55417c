"""PTX instructions against a table: modifiers, operand kinds and types, and since when.

A row is `opcode | modifiers | operands | version, sm` (the last part optional):
- modifiers (in any order, but those of `_NAMES`): `sat?` may stand, `rn` must, `(rn/rz)` one of, `(rn/rz)?` one of or
  none, `T:i16,i32` a type that operands call T (a second one is `S:`), with the groups of `TYPES`;
- operands, as `operands` says; `*` is anything, any number, `k` a cache policy if the modifiers have L2::cache_hint.

An opcode may have several rows; an instruction must fit one. The rows are in `rows` and the modules like it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from minicc.arch import Arch
from minicc.ptx import model as ptx
from minicc.ptx import since
from minicc.ptx.names import SIZES, VECTORS
from minicc.ptx.operands import Place, Spec, TypeOf, spec
from minicc.ptx.rows import ROWS, TYPES


class Form:
    """One row: `modifiers` are (choices, required, letter) with the letter of a type group or ""; `open` takes any."""

    def __init__(
        self,
        modifiers: tuple[tuple[frozenset[str], bool, str], ...],
        operands: tuple[Spec, ...],
        version: tuple[int, int],
        sm: int,
        open: bool,
    ) -> None:
        self.modifiers, self.operands, self.version, self.sm, self.open = modifiers, operands, version, sm, open


_OPAQUE = {
    **dict.fromkeys(("tex", "tld4", "txq"), "texture"),
    **dict.fromkeys(("suld", "sust", "sured", "suq"), "surface"),
}
_ROUNDED = 3, 2
"""Since when a mad of floats says how it rounds."""
_LINES: dict[str, list[str]] = {}
"""The rows of each opcode as they are written."""
_COMPARES = ("eqs", "signs", "unsigs", "floats")
_ALONE = frozenset({"shfl", "vote"})
_IN_STEP = 70
"""From this target on, lanes of a warp need not be in step."""
_WIDEST = 16
"""Bytes of one access."""
_NAMES = {
    **dict.fromkeys(("mul", "mad", "madc", "mul24", "mad24"), ("hi", "lo", "wide")),
    "bar": ("cta", "warp", "sync", "arrive", "red"), "barrier": ("cta", "cluster", "sync", "arrive", "wait", "red"),
    **dict.fromkeys(("membar", "fence"), ("proxy",)),
    "cp": ("reduce", "async", "bulk", "prefetch", "tensor", "commit_group", "wait_group", "mbarrier", "arrive"),
    "createpolicy": ("fractional", "range", "cvt"), "cvt": ("pack",), "cvta": ("to",), "div": ("full",),
    "dp2a": ("hi", "lo"),
    "mbarrier": ("init", "inval", "pending_count", "arrive", "arrive_drop", "test_wait", "try_wait", "expect_tx",
                 "complete_tx", "parity"),
    "multimem": ("st", "ld_reduce", "red"), "red": ("async",), "shf": ("l", "r"), "st": ("async",),
    "tensormap": ("replace", "cp_fenceproxy"),
}  # fmt: skip
"""Modifiers that are part of an opcode's name, which begins with them in this order; others stand in any."""
_SPACES = frozenset({"global", "shared", "shared::cta", "shared::cluster"})


@functools.cache
def forms(opcode: str) -> list[Form]:
    """The rows of an opcode; empty if there is no such instruction."""
    return [_form(line) for line in _lines().get(opcode, ())]


def _lines() -> dict[str, list[str]]:
    if not _LINES:
        from minicc.ptx import rows_async, rows_multimem, rows_texture, rows_video

        others = (rows_async, rows_multimem, rows_texture, rows_video)
        for line in (*ROWS.strip().splitlines(), *(line for module in others for line in module.rows())):
            _LINES.setdefault(line[: line.index(" ")], []).append(line)
    return _LINES


def _form(line: str) -> Form:
    _, modifiers, *more = (part.strip() for part in re.split(r"\s\|(?=\s|$)", line))
    operands, *rest = more or ("",)
    groups: list[tuple[frozenset[str], bool, str]] = []
    free = False
    for word in modifiers.replace("|", " ").split():
        if word == "*":
            free = True
            continue
        required = not word.endswith("?")
        word = word.rstrip("?")
        letter = ""
        if re.match(r"[TSU]:", word):
            letter, word = word[0], word[2:]
            choices = [t for name in word.split(",") for t in TYPES.get(name, name).split(",")]
        else:
            inner = word.strip("()")
            choices = (TYPES[inner] if inner in _COMPARES else inner).split("/")
        groups.append((frozenset(choices), required, letter))
    version, sm = (1, 0), 0
    if rest and rest[0]:
        left, right = rest[0].split(",")
        major, minor = left.strip().split(".")
        version, sm = (int(major), int(minor)), int(right)
    return Form(tuple(groups), tuple(spec(word) for word in operands.split()), version, sm, free)


def check(
    inst: ptx.Inst, type_of: TypeOf, version: tuple[int, int], arch: Arch, target: int = 0, accelerated: bool = True
) -> Iterator[tuple[str, str]]:
    """(code, message) of everything wrong with one instruction whose names are all declared. `target` is the number
    of the module's .target, which counts where it is less than the machine's; `accelerated` is one that ends with a."""
    have = version, min(target or arch.sm, arch.sm)
    if not since.has(have, since.LATEST):
        for operand in inst.operands:
            name = operand.name.partition(".")[0] if isinstance(operand, ptx.Special) else ""
            if name in since.SPECIAL:
                yield from since.lacking(f"Feature '{name}'", since.SPECIAL[name], have)
    rows = forms(inst.opcode)
    if not rows:
        yield "ptx.opcode", f"Not a name of any known instruction: '{inst.opcode}'"
        return
    named = _NAMES.get(inst.opcode, ())
    begun = sorted((m for m in inst.modifiers if m in named), key=named.index)
    if list(inst.modifiers[: len(begun)]) != begun:
        yield "ptx.modifier", f"Modifier '.{begun[-1]}' is part of the name of instruction '{inst.opcode}'"
        return
    matched: list[tuple[Form, dict[str, str]]] = []
    for row in rows:
        letters = match_modifiers(row, inst.modifiers)
        if letters is not None:
            matched.append((row, letters))
    if not matched:
        yield _modifier_error(inst, rows)
        return
    if inst.opcode in ("atom", "red") and "L2::cache_hint" in inst.modifiers:
        near = next((m for m in inst.modifiers if m.startswith("shared")), None)
        if near is not None:
            message = f"Modifier '.L2::cache_hint' cannot be applied to '.{near}' space for instruction '{inst.opcode}'"
            yield "ptx.modifier", message
            return
    problem: tuple[str, str] | None = None
    for row, letters in matched:
        problem = _operands(row, letters, inst, type_of)
        if problem is None:
            yield from since.lacking(f"Instruction '{inst.name}'", (row.version, row.sm), have)
            alone = since.ACCELERATED.get(inst.opcode)
            if not accelerated and row.sm <= have[1] and alone is not None and (not alone or alone in inst.modifiers):
                yield "ptx.target", f"Instruction '{inst.name}' not supported on .target 'sm_{target}'"
            if not since.has(have, since.LATEST):
                if (what := _OPAQUE.get(inst.opcode)) and any(isinstance(h, ptx.Reg) for h in _handles(inst)):
                    yield from since.lacking(f"Feature 'indirect {what} access'", since.HANDLES, have)
                for modifier, needed in since.modifiers(inst.opcode, inst.modifiers):
                    yield from since.lacking(f"Feature '.{modifier}'", needed, have)
            if version >= _ROUNDED and inst.name in ("mad.f32", "mad.ftz.f32", "mad.sat.f32", "mad.ftz.sat.f32"):
                yield "ptx.modifier", "Rounding modifier required for instruction 'mad'"
            if target >= _IN_STEP and version >= (6, 4) and inst.opcode in _ALONE and "sync" not in inst.modifiers:
                message = f"Instruction '{inst.opcode}' without '.sync' is not supported on .target sm_70 and higher"
                yield "ptx.target", f"{message} from PTX ISA version 6.4"
            return
    assert problem is not None
    yield problem


def _handles(inst: ptx.Inst) -> Iterator[ptx.Operand | None]:
    """What names the textures and surfaces of an instruction."""
    for operand in inst.operands:
        if isinstance(operand, ptx.Bracket):
            yield operand.items[0]
        elif isinstance(operand, ptx.Address):
            yield operand.base


def match_modifiers(form: Form, modifiers: tuple[str, ...]) -> dict[str, str] | None:
    """Types by letter if the modifiers fit the row, else None. Like ptxas, this takes modifiers in any order (but two
    types, and two state spaces, in theirs)."""
    if form.open and not form.modifiers:
        return {}
    left = list(modifiers)
    letters: dict[str, str] = {}
    last = space = -1
    for choices, required, letter in form.modifiers:
        found = next((m for m in left if m in choices), None)
        if found is not None:
            left.remove(found)
            if letter:
                at = modifiers.index(found, last + 1) if found in modifiers[last + 1 :] else -1
                if at < 0:
                    return None
                letters[letter], last = found, at
            elif found in _SPACES:
                if modifiers.index(found) < space:
                    return None
                space = modifiers.index(found)
        elif required:
            return None
    return None if left and not form.open else letters


def _modifier_error(inst: ptx.Inst, rows: list[Form]) -> tuple[str, str]:
    known = {word for row in rows for choices, _, _ in row.modifiers for word in choices}
    for modifier in inst.modifiers:
        if modifier not in known:
            everywhere = {w for name in _lines() for row in forms(name) for g in row.modifiers for w in g[0]}
            if modifier in everywhere:
                return "ptx.modifier", f"Illegal modifier '.{modifier}' for instruction '{inst.opcode}'"
            return "ptx.modifier", f"Unknown modifier '.{modifier}'"
    if any(letter for row in rows for _, required, letter in row.modifiers if required) and not any(
        m in SIZES or m == "pred" for m in inst.modifiers
    ):
        return "ptx.modifier", f"Type of instruction '{inst.name}' is missing"
    return "ptx.modifier", f"Unexpected instruction types or modifier order specified for '{inst.name}'"


def _operands(form: Form, letters: dict[str, str], inst: ptx.Inst, type_of: TypeOf) -> tuple[str, str] | None:
    wrong = "ptx.operands", f"Arguments mismatch for instruction '{inst.opcode}'"
    vector = next((VECTORS[m] for m in inst.modifiers if m in VECTORS), 1)
    if vector > 1 and inst.opcode in ("ld", "st", "ldu") and vector * SIZES.get(letters.get("T", ""), 0) > _WIDEST:
        return "ptx.operands", f"Vector type too large, exceeds {8 * _WIDEST} bit limit"
    if inst.opcode not in ("mov", "cvt") and any(isinstance(o, ptx.Special) for o in inst.operands):
        return "ptx.operands", f"Special register argument not allowed for instruction '{inst.opcode}'"
    at = 0
    for want in form.operands:
        if want.kind == "*":
            return None
        if want.kind == "k":
            if "L2::cache_hint" not in inst.modifiers:
                continue
            want = spec("a:u64")
        if at < len(inst.operands):
            operand = inst.operands[at]
            type_ = letters.get(want.type, want.type)
            if Place(want, type_, vector, at == 0, type_of).takes(operand):
                at += 1
                continue
            if not want.optional and type_ and isinstance(operand, ptx.Reg):
                return wrong[0], f"{wrong[1]}: operand '{operand.name}' is .{type_of(operand.name)}, expected .{type_}"
        if not want.optional:
            return wrong
    return None if at == len(inst.operands) else wrong
