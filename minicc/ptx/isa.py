"""PTX instructions as a table: what each opcode takes and since when."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from minicc.arch import Arch
from minicc.ptx import model as ptx


def check(
    inst: ptx.Inst, type_of: Callable[[str], str | None], version: tuple[int, int], arch: Arch
) -> Iterator[tuple[str, str]]:
    """(code, message) of everything wrong with one instruction whose names are all declared."""
    yield from ()
