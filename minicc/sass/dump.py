"""Machine code as cuobjdump -sass prints it: address, instruction, and the word in two comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from minicc.arch import Arch
from minicc.diagnostics import CompileError
from minicc.record import NamedTuple
from minicc.sass.codec import decode
from minicc.sass.control_text import control_text
from minicc.sass.instr import PT, Instr
from minicc.sass.printer import format

WORD = 16
_MNEMONIC_COLUMN = 35


class DumpLine(NamedTuple):
    """One instruction of a section. `instr` is None for an undefined word."""

    address: int
    word: int
    instr: Instr | None
    text: str


def lines_of(code: bytes, arch: Arch) -> Iterator[DumpLine]:
    """Every whole word of a section."""
    for at in range(0, len(code) - len(code) % WORD, WORD):
        word = int.from_bytes(code[at : at + WORD], "little")
        try:
            instr = decode(word, arch, at)
        except CompileError:
            yield DumpLine(at, word, None, "<undefined> ;")
            continue
        yield DumpLine(at, word, instr, format(instr, arch.sass))


def column(lines: Iterable[DumpLine]) -> int:
    """Column of the hexadecimal comments: two blanks behind the longest instruction, its guard counted."""
    return _MNEMONIC_COLUMN + max((len(f"{line.address:04x}") - 4 + len(line.text) for line in lines), default=0) + 2


def section_text(lines: Sequence[DumpLine], hex_column: int, *, words: bool = True, control: bool = False) -> list[str]:
    """Lines of a section. `control` puts the control codes as text in front of each instruction."""
    out = []
    for line in lines:
        guard, text = _without_guard(line.text)
        codes = f"[{control_text(line.instr.control) if line.instr else ' ' * 23}] " if control else ""
        head = f"        {f'/*{line.address:04x}*/'} {codes}{guard:>17} {text}"
        if not words:
            out.append(head)
            continue
        pad = hex_column + len(codes)
        out.append(f"{head:<{pad}}/* {line.word & (1 << 64) - 1:#018x} */")
        out.append(f"{'':{pad}}/* {line.word >> 64:#018x} */")
    return out


def _without_guard(text: str) -> tuple[str, str]:
    # Guards of uniform predicates stand where instructions do.
    if text[:1] == "@" and not text.startswith(("@U", "@!U")):
        guard, _, rest = text.partition(" ")
        return guard, rest
    return "", text


def instruction_json(line: DumpLine) -> dict[str, Any]:
    """address, word, text, and for a known word mnemonic, modifiers, guard, control."""
    out: dict[str, Any] = {"address": line.address, "word": f"{line.word:#034x}", "text": line.text}
    instr = line.instr
    if instr is None:
        return out | {"undefined": True}
    control = instr.control
    out |= {"mnemonic": instr.mnemonic, "modifiers": list(instr.modifiers)}
    if instr.guard.index != PT or instr.guard.inv:
        out["guard"] = ("!" if instr.guard.inv else "") + instr.guard.file + str(instr.guard.index)
    out["control"] = {
        "text": control_text(control),
        "stall": control.stall,
        "yield": control.yield_,
        "write_barrier": control.wbar,
        "read_barrier": control.rbar,
        "wait": control.wait,
        "reuse": control.reuse,
    }
    if instr.hidden:
        out["hidden"] = dict(instr.hidden)
    return out
