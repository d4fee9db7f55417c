"""Source places of machine code: from the `.loc` of each instruction to the records of a line table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from minicc.ptx.constexpr import literal
from minicc.ptx.model import Int, Loc
from minicc.ptxas.mir import MInst, MModule
from minicc.sass.program import Line

SIZE = 16
"""Bytes of an instruction."""
_ENTRY = r"([\w$.]+):|\.b8\s+([0-9x,\sA-Fa-f]+)"


def names(sections: Sequence[str]) -> dict[str, str]:
    """What the labels of PTX's `.section .debug_str` stand for: the names of inlined functions."""
    out: dict[str, str] = {}
    for section in sections:
        if ".debug_str" not in section[:40]:
            continue
        label, data = "", bytearray()
        for match in re.finditer(_ENTRY, section):
            if match[1] is not None:
                label, data = match[1], bytearray()
            else:
                numbers = (literal(n) for n in re.findall(r"0[xX][0-9a-fA-F]+|[0-9]+", match[2]))
                data += bytes(n.value & 255 for n in numbers if isinstance(n, Int))
                out[label] = data.split(b"\0", 1)[0].decode("utf-8", "replace")
    return out


def line_records(origin: Sequence[MInst], module: MModule) -> list[Line]:
    """Line records where the source place changes; what comes before the first counts to its outermost call."""
    out: list[Line] = []
    last: Loc | None = None
    for n, inst in enumerate(origin):
        loc = inst.loc
        if loc is last or not isinstance(loc, Loc) or not loc.line:
            continue
        if last is not None and loc == last and loc.chain == last.chain:
            continue
        places = loc.chain
        if n and not out:
            first = places[-1]
            out.append(Line(0, module.files.get(first.file, ""), first.line, first.column))
        last = loc
        calls = tuple(
            (module.files.get(call.file, ""), call.line, call.column, _name(module, at.function_name or ""))
            for at, call in itertools.pairwise(places)
        )
        out.append(Line(n * SIZE, module.files.get(loc.file, ""), loc.line, loc.column, calls))
    return out


def _name(module: MModule, function: str) -> str:
    return module.strings.get(function, function.strip('"'))
