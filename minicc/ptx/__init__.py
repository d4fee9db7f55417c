"""PTX: object model, parser, printer, verifier. Knows nothing of LLVM or SASS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minicc.ptx.model import Module
from minicc.ptx.verify import verify

if TYPE_CHECKING:
    from minicc.ptx.parser import parse
    from minicc.ptx.printer import format


def __getattr__(name: str) -> Any:
    # Most compiles neither read nor write text.
    if name == "parse":
        from minicc.ptx.parser import parse

        return parse
    if name == "format":
        from minicc.ptx.printer import format

        return format
    raise AttributeError(f"module 'minicc.ptx' has no attribute '{name}'")


__all__ = ["Module", "format", "parse", "verify"]
