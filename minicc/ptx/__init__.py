"""PTX: object model, parser, printer, verifier. Knows nothing of LLVM or SASS."""

from __future__ import annotations

from minicc.ptx.model import Module
from minicc.ptx.parser import parse
from minicc.ptx.printer import format
from minicc.ptx.verify import verify

__all__ = ["Module", "format", "parse", "verify"]
