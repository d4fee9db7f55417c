"""PTX -> machine IR over virtual registers.

`lower(module, arch, options)` gives one `MFunction` per kernel, and those of the device functions that it really calls.
What stands in it that `mir` does not say:
- R1 points at the frame: PTX `.local` variables are [R1 + 0 .. frame); who adds the prologue loads R1 and subtracts.
- The entry block loads c[0x0][0x208] into a uniform pair if any access needs a descriptor.
- Special registers are `Name("SR_TID.X")` sources; UR values are made only by ULDC, REDUX and ELECT.
- Convergence barriers are virtual registers of file "B"; BSSY's target is the block that begins with its BSYNC.
"""

from __future__ import annotations

from typing import Any

from minicc.arch import Arch
from minicc.diagnostics import EXIT_PTXAS, fail
from minicc.ptx import model as ptx
from minicc.ptxas.lines import names
from minicc.ptxas.lower.callgraph import analyse
from minicc.ptxas.lower.function import lower_kernel
from minicc.ptxas.lower.symbols import collect
from minicc.ptxas.mir import MFunction, MModule


def lower(module: ptx.Module, arch: Arch, options: Any = None) -> MModule:
    """Lower every kernel of a module. Errors are `CompileError`s with the exit status of ptxas."""
    calls = analyse(module, expand=getattr(options, "inline", "auto") == "auto")
    out = MModule(files=dict(module.files), strings=names(module.sections), pointers=calls.pointers)
    debug = [s for s in module.sections if ".debug_info" in s[:40]] and module.sections
    if debug:
        from minicc.ptxas.dwarf import mentioned

        out.debug, out.debug_names = debug, mentioned(debug)
    symbols = collect(module, out, arch, calls)
    made: dict[object, MFunction] = {}
    asked = getattr(options, "entries", ())
    for name in asked:
        if not any(f.name == name and f.entry for f in module.functions):
            fail("ptxas.entry", f"Unknown function {name}", exit_status=EXIT_PTXAS)
    for function in module.functions:
        if function.entry and function.body is not None and (not asked or function.name in asked):
            lower_kernel(function, symbols, arch, options, made)
    return out


__all__ = ["lower"]
