"""PTX instructions against a table: modifiers, operand kinds and types, and since when.

A row is `opcode | modifiers | operands | version, sm` (the last part optional):
- modifiers, in the order PTX wants them: `sat?` may stand, `rn` must, `(rn/rz)` one of, `(rn/rz)?` one of or none,
  `T:i16,i32` a type that operands call T (a second one is `S:`), with the groups of `TYPES`;
- operands: `d:T` destination register of type T, `a:T` source (register or constant), `g:T` a register only, `x:T` what
  `mov` takes, `p`/`q` predicate destination, `P` that or a source, not `_`, `p|q` one with an optional second,
  `dp:T` a register with an optional predicate, `op:T` also `_` with one, `d|p:T` a register or `_` and a predicate,
  `c!` predicate source, `@` address, `v:T` vector or register by the instruction's .vN (`d` first), `vN:T` always N in
  braces, `l` label or symbol, `#` constant, `*` anything, any number; `?` after an operand makes it optional.
  `~T` allows a register wider than the type, `a:T..N` no constant above N.
  `_` a result nobody wants, `o:T` and `u:T` are `d:T` and `v:T` or `_`, `#4/8` one of these constants, `tN` a tensor
  map with N coordinates, `hN` N halves in braces, `w:T` threads, in whole warps, `m:T` bytes, by sixteens,
  `a:T+` not zero, `k` a cache policy if the modifiers have L2::cache_hint, `%` a fraction, `B` registers of one size in
  braces;
`r:T` a fetch's results with an optional predicate, `@@` a texture or surface in brackets, `@N+K:T` with N coordinates,
of which the first K are integers; `nN:T` N values in braces.
In video instructions `y:T` is a source, or a byte or half of it, `y2:T` one with a choice of halves, `y4:T` of bytes,
`d1`, `d2`, `d4` the same of destinations; `-` before one of these is a sign that stands there.
An opcode may have several rows; an instruction must fit one. The rows are in `rows` and the modules like it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator

import attrs

from minicc.arch import Arch
from minicc.ptx import model as ptx
from minicc.ptx.names import SINCE, SIZES, SPECIAL, VECTORS
from minicc.ptx.rows import ROWS, TYPES


@attrs.frozen(repr=False)
class Form:
    """One row: `modifiers` are (choices, required, letter) with the letter of a type group or ""; `open` takes any."""

    modifiers: tuple[tuple[frozenset[str], bool, str], ...]
    operands: tuple[str, ...]
    version: tuple[int, int]
    sm: int
    open: bool


_FORMS: dict[str, list[Form]] = {}
_COMPARES = ("eqs", "signs", "unsigs", "floats")
_ALONE = frozenset({"shfl", "vote"})
_IN_STEP = 70
"""From this target on, lanes of a warp need not be in step."""
_CLUSTERS = 90
"""From this target on there are clusters of blocks, and their scope."""
_CLUSTERED = frozenset({"cluster", "shared::cluster", "sync_restrict::shared::cluster"})
_WIDEST = 16
"""Bytes of one access."""
_HANDLE = 8
"""Bytes of a texture or surface handle."""
_KINDS = {"f16x2": "h", "bf16": "x", "bf16x2": "x", "u16x2": "b", "s16x2": "b"}
_TAKES = {"b": "busfh", "u": "bush", "s": "bush", "f": "bf", "h": "bh", "x": "b", "t": "b", "e": "b"}
"""First letters of types (or what `_KINDS` calls them) -> those of registers of the same size that they take."""
_SPACES = frozenset({"global", "shared", "shared::cta", "shared::cluster"})
_WHOLES = {"w": 32, "m": 16}
_PARTS = {
    **dict.fromkeys(("y", "d1"), re.compile("b[0-3]|h[01]")),
    "y2": re.compile("h[0-3]{2}"), "y4": re.compile("b[0-7]{4}"),
    "d2": re.compile("h1?0|h1"), "d4": re.compile("(?=b.)b3?2?1?0?"),
}  # fmt: skip
"""Selectors of video instructions, by kind of operand."""
_SPECIAL = {
    **dict.fromkeys(("%tid", "%ntid", "%ctaid", "%nctaid"), (2, 4)),
    **dict.fromkeys(("%clock64", "%globaltimer", "%current_graph_exec", *(f"%pm{n}_64" for n in range(8))), (8,)),
    "%gridid": (2, 4, 8), "%is_explicit_cluster": (1,),
}  # fmt: skip
"""Sizes in which `mov` reads a special register, where not 4; 1 is a predicate."""


def forms(opcode: str) -> list[Form]:
    """The rows of an opcode; empty if there is no such instruction."""
    if not _FORMS:
        from minicc.ptx import rows_async, rows_multimem, rows_texture, rows_video

        others = (rows_async, rows_multimem, rows_texture, rows_video)
        for line in (*ROWS.strip().splitlines(), *(line for module in others for line in module.rows())):
            parts = [part.strip() for part in re.split(r"\s\|(?=\s|$)", line)]
            name, modifiers, operands, *rest = (*parts, "") if len(parts) == 2 else parts
            _FORMS.setdefault(name, []).append(_form(modifiers, operands, rest))
    return _FORMS.get(opcode, [])


def _form(modifiers: str, operands: str, rest: list[str]) -> Form:
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
    return Form(tuple(groups), tuple(operands.split()), version, sm, free)


TypeOf = Callable[[str], "str | None"]
_LAST = max(SINCE.values())
"""From this target on there are all special registers."""


def check(
    inst: ptx.Inst, type_of: TypeOf, version: tuple[int, int], arch: Arch, target: int = 0
) -> Iterator[tuple[str, str]]:
    """(code, message) of everything wrong with one instruction whose names are all declared. `target` is the number
    of the module's .target."""
    if arch.sm < _LAST:
        for operand in inst.operands:
            if isinstance(operand, ptx.Special) and (since := SINCE.get(operand.name.partition(".")[0], 0)) > arch.sm:
                yield "ptx.target", f"Feature '{operand.name}' requires .target sm_{since} or higher"
    rows = forms(inst.opcode)
    if not rows:
        yield "ptx.opcode", f"Not a name of any known instruction: '{inst.opcode}'"
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
            if row.version > version:
                yield (
                    "ptx.version",
                    f"Instruction '{inst.name}' requires PTX ISA .version {row.version[0]}.{row.version[1]} or later",
                )
            if target >= _IN_STEP and version >= (6, 4) and inst.opcode in _ALONE and "sync" not in inst.modifiers:
                message = f"Instruction '{inst.opcode}' without '.sync' is not supported on .target sm_70 and higher"
                yield "ptx.target", f"{message} from PTX ISA version 6.4"
            if row.sm > arch.sm:
                yield "ptx.target", f"Instruction '{inst.name}' requires .target sm_{row.sm} or higher"
            elif arch.sm < _CLUSTERS and not _CLUSTERED.isdisjoint(inst.modifiers):
                yield "ptx.target", f"Feature '.cluster' requires .target sm_{_CLUSTERS} or higher"
            return
    assert problem is not None
    yield problem


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
            everywhere = {w for name in _FORMS for row in forms(name) for g in row.modifiers for w in g[0]}
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
    for spec in form.operands:
        if spec == "*":
            return None
        if spec == "k":
            if "L2::cache_hint" not in inst.modifiers:
                continue
            spec = "a:u64"
        optional = spec.endswith("?")
        spec = spec.rstrip("?")
        if at >= len(inst.operands):
            if optional:
                continue
            return wrong
        if not _fits(spec, inst.operands[at], letters, type_of, vector, at == 0):
            if optional:
                continue
            detail = _describe(spec, inst.operands[at], letters, type_of)
            return wrong[0], wrong[1] + detail
        at += 1
    return None if at == len(inst.operands) else wrong


def _describe(spec: str, operand: ptx.Operand, letters: dict[str, str], type_of: TypeOf) -> str:
    if isinstance(operand, ptx.Reg) and ":" in spec:
        wanted = letters.get(spec.split(":")[1].lstrip("~"), spec.split(":")[1])
        return f": operand '{operand.name}' is .{type_of(operand.name)}, expected .{wanted}"
    return ""


def _fits(spec: str, operand: ptx.Operand, letters: dict[str, str], type_of: TypeOf, vector: int, first: bool) -> bool:
    if spec[0] == "-":
        if not isinstance(operand, ptx.Reg) or not operand.minus:
            return False
        spec, operand = spec[1:], attrs.evolve(operand, minus=False)
    if isinstance(operand, ptx.Reg):
        if operand.minus:
            return False
        if operand.part is not None:
            choice = _PARTS.get(spec.partition(":")[0])
            if choice is None or not choice.fullmatch(operand.part):
                return False
            operand = attrs.evolve(operand, part=None)
    if spec == "P":
        return _is_predicate(operand, type_of)
    if spec == "B":
        inside = operand.items if isinstance(operand, ptx.Vector) else ()
        return len({SIZES.get(type_of(i.name) or "") for i in inside if isinstance(i, ptx.Reg)}) == 1
    if spec == "%":
        return _typed(operand, "f32", type_of, False, False) and (
            not isinstance(operand, ptx.Float) or 0 < _value(operand) <= 1
        )
    if spec in ("p", "q"):
        return _is_predicate(operand, type_of) or _sink(operand)
    if spec == "p|q":
        if isinstance(operand, ptx.Pair):
            return all(_is_predicate(o, type_of) or _sink(o) for o in (operand.first, operand.second))
        return _is_predicate(operand, type_of) or _sink(operand)
    if spec == "c!":
        return _is_predicate(operand, type_of) or isinstance(operand, ptx.Int)
    if spec == "@":
        base = operand.base if isinstance(operand, ptx.Address) else None
        return base is not None and not (isinstance(base, ptx.Reg) and (base.part is not None or base.minus))
    if spec == "l":
        return isinstance(operand, ptx.Symbol)
    if spec == "_":
        return _sink(operand)
    if spec[0] == "#":
        if not isinstance(operand, ptx.Int):
            return False
        return _below(operand, spec) if ".." in spec else spec == "#" or str(operand.value) in spec[1:].split("/")
    if spec[0] in "th" and spec[1:].isdigit():
        items: tuple[ptx.Operand | None, ...] = operand.items if isinstance(operand, ptx.Vector | ptx.Bracket) else ()
        if spec[0] == "t":
            last = items[-1] if len(items) == 2 and isinstance(operand, ptx.Bracket) else None
            items = last.items if isinstance(last, ptx.Vector) else (last,) if isinstance(last, ptx.Reg) else ()
        count = int(spec[1:])
        return _elements(ptx.Vector(items), ("u32" if spec[0] == "t" else "u16",) * count, type_of)
    if spec == "@@":
        return isinstance(operand, ptx.Address) and not operand.offset and _handle(operand.base, type_of)
    kind, _, wanted = spec.partition(":")
    if ".." in wanted:
        if isinstance(operand, ptx.Int) and not _below(operand, wanted):
            return False
        wanted = wanted.partition("..")[0]
    if wanted.endswith("+"):
        if isinstance(operand, ptx.Int) and not operand.value:
            return False
        wanted = wanted[:-1]
    wanted = letters.get(wanted, wanted)
    if kind[0] == "v" and len(kind) > 1:
        return isinstance(operand, ptx.Vector) and _elements(operand, (wanted,) * int(kind[1:]), type_of)
    if kind == "d|p":
        return (
            isinstance(operand, ptx.Pair)
            and _is_predicate(operand.second, type_of)
            and (_sink(operand.first) or _typed(operand.first, wanted, type_of, False, True))
        )
    if kind[0] == "d" and kind[1:].isdigit():
        kind = "d"
    if kind in ("y2", "y4") and not isinstance(operand, ptx.Reg):
        return False
    if kind == "r":
        if isinstance(operand, ptx.Pair):
            if not (_is_predicate(operand.second, type_of) or _sink(operand.second)):
                return False
            operand = operand.first
        return isinstance(operand, ptx.Vector) and _elements(operand, (wanted,) * vector, type_of)
    if kind[0] == "n" and isinstance(operand, ptx.Vector):
        return _elements(operand, (wanted,) * int(kind[1:]), type_of)
    if kind[0] == "@":
        count, whole = (int(n) for n in kind[1:].split("+"))
        if not isinstance(operand, ptx.Bracket) or not 2 <= len(operand.items) <= 3:
            return False
        *handles, place = operand.items
        types = ("u32",) * whole + (wanted,) * (count - whole)
        if len(handles) == 2 and not isinstance(place, ptx.Vector):
            return False
        found = place if isinstance(place, ptx.Vector) else ptx.Vector((place,))
        return all(_handle(h, type_of) for h in handles) and _elements(found, types, type_of)
    if kind in _WHOLES and isinstance(operand, ptx.Int) and operand.value % _WHOLES[kind]:
        return False
    if kind == "x":
        wanted = letters.get(wanted, wanted)
        if isinstance(operand, ptx.Special):
            return wanted[0] != "f" and SIZES.get(wanted, 1) in _SPECIAL.get(operand.name.partition(".")[0], (4,))
        if isinstance(operand, ptx.Vector):
            item = next((i for i in operand.items if isinstance(i, ptx.Reg) and not _sink(i)), None)
            of = type_of(item.name) if isinstance(item, ptx.Reg) else "b32"
            return wanted[0] == "b" and len(operand.items) * SIZES.get(of or "", 0) == SIZES.get(wanted)
        if isinstance(operand, ptx.Int | ptx.Float):
            truth = wanted == "pred" and isinstance(operand, ptx.Int)
            return not first and (truth or _constant(operand, wanted, SIZES.get(wanted, 0)))
        if isinstance(operand, ptx.Symbol) and wanted[0] == "f":
            return False
        return not isinstance(operand, ptx.Reg) or _typed(operand, wanted, type_of, False, first)
    if kind == "g" and not isinstance(operand, ptx.Reg):
        return False
    if kind == "o":
        if _sink(operand):
            return True
        kind = "d"
    wide = wanted.startswith("~")
    wanted = letters.get(wanted.lstrip("~"), wanted.lstrip("~"))
    if kind in ("dp", "op"):
        if isinstance(operand, ptx.Pair):
            second = _is_predicate(operand.second, type_of) or (_sink(operand.second) and not _sink(operand.first))
            unwanted = kind == "op" and _sink(operand.first)
            return second and (unwanted or _typed(operand.first, wanted, type_of, False, True))
        return _typed(operand, wanted, type_of, False, True)
    if kind == "s":
        if isinstance(operand, ptx.Special):
            return vector == 4 and wanted[0] != "f" and SPECIAL.get(operand.name) == "v4.u32"
        return (
            isinstance(operand, ptx.Vector)
            and None not in operand.items
            and _elements(operand, (wanted,) * vector, type_of)
        )
    if kind == "u":
        if _sink(operand):
            return True
        kind = "v"
    if kind == "v":
        if isinstance(operand, ptx.Vector):
            items = operand.items
            registers = [i for i in items if isinstance(i, ptx.Reg)]
            sizes = {SIZES.get(type_of(i.name) or "") for i in registers}
            # The type of one of them is enough; all have its size.
            return (
                (len(sizes) == 1 or (not first and not sizes))
                and len(items) == vector
                and (not sizes or any(_typed(i, wanted, type_of, wide, False) for i in registers))
                and all(isinstance(i, ptx.Reg) or i is None or _typed(i, wanted, type_of, wide, first) for i in items)
            )
        return vector == 1 and _typed(operand, wanted, type_of, wide, first)
    return _typed(operand, wanted, type_of, wide, kind == "d")


def _value(constant: ptx.Float) -> float:
    raw = constant.bits.to_bytes(constant.width // 8, "little")
    return float(struct.unpack("<f" if constant.width == 32 else "<d", raw)[0])


def _below(constant: ptx.Int, spec: str) -> bool:
    """Is it within the bound that stands behind two dots?"""
    return 0 <= constant.value <= int(spec.partition("..")[2])


def _handle(operand: ptx.Operand | None, type_of: TypeOf) -> bool:
    """A texture, sampler or surface: by handle or by name."""
    if isinstance(operand, ptx.Reg):
        return SIZES.get(type_of(operand.name) or "") == _HANDLE
    return isinstance(operand, ptx.Symbol) and not operand.offset


def _elements(vector: ptx.Vector, types: tuple[str, ...], type_of: TypeOf) -> bool:
    items = zip(vector.items, types, strict=False)
    return len(vector.items) == len(types) and all(
        item is None or _sink(item) or _typed(item, type_, type_of, False, False) for item, type_ in items
    )


def _sink(operand: ptx.Operand | None) -> bool:
    return isinstance(operand, ptx.Symbol) and operand.name == "_"


def _is_predicate(operand: ptx.Operand | None, type_of: TypeOf) -> bool:
    return isinstance(operand, ptx.Reg) and type_of(operand.name) == "pred"


def _constant(operand: ptx.Int | ptx.Float, wanted: str, size: int) -> bool:
    """Numbers go with types of their kind, halves with none; floats with untyped registers of their own size, too."""
    if isinstance(operand, ptx.Int):
        return _KINDS.get(wanted, wanted[0]) in "bus"
    return wanted in ("f32", "f64") or (wanted[0] == "b" and 8 * size == operand.width)


def _typed(operand: ptx.Operand, wanted: str, type_of: TypeOf, wide: bool, destination: bool) -> bool:
    """Is the operand of that type? Untyped (.b) registers go with any type of their size, integers with each other."""
    size = 4 if wanted in ("u16x2", "s16x2") else SIZES.get(wanted, 0)
    if isinstance(operand, ptx.Reg):
        have = type_of(operand.name)
        if wanted == "pred" or have == "pred":
            return have == wanted
        if have is None:
            return False
        if operand.part is not None or operand.minus or operand.neg:
            return False
        width = SIZES.get(have, 0)
        if width != size and not (wide and width > size and (wanted[0] == "b" or have[0] != "f")):
            return False
        return _KINDS.get(have, have[0]) in _TAKES[_KINDS.get(wanted, wanted[0])]
    if destination:
        return False
    if isinstance(operand, ptx.Int | ptx.Float):
        return (wide and isinstance(operand, ptx.Float)) or _constant(operand, wanted, size)
    return isinstance(operand, ptx.Special | ptx.Symbol)
